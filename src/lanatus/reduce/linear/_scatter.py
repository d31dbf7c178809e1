"""Sums over rows that linear reductions need: weight, mean, and scatter about the mean."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import linear as kernels
from lanatus.base import n_threads
from lanatus.catalog import savable
from lanatus.scale import Block

_KERNEL_COLUMNS = 256  # up to which the kernel is as fast on one thread as BLAS, and shares the rows better
_BLOCK_BYTES = 2**22  # a block of centred rows that stays in the cache while its products are made
_PILOTS = 512  # rows whose mean is near that of all, so that sums about it keep their digits


@savable
class RowScatter:
    """Weight, mean and scatter of rows; those of two blocks of rows add up by Chan's update.

    Parameters
    ----------
    count : int, rows
    mass : float, their weights
    mean : ndarray of shape (n_features,)
    scatter : ndarray of shape (n_features, n_features), the sum of outer products about the mean
    """

    def __init__(self, count: int, mass: float, mean: np.ndarray, scatter: np.ndarray) -> None:
        self.count, self.mass, self.mean, self.scatter = count, mass, mean, scatter

    def __add__(self, other: "RowScatter") -> "RowScatter":
        mass = self.mass + other.mass
        share = other.mass / mass if mass > 0 else 0.0
        gap = other.mean - self.mean
        scatter = self.scatter + other.scatter + np.outer(gap, gap) * (self.mass * share)
        return RowScatter(self.count + other.count, mass, self.mean + share * gap, scatter)


def tally_scatter(block: Block) -> RowScatter:
    """What one block of rows contributes."""
    return scatter_of(block.X, block.weight)


def scatter_of(X: Any, weight: np.ndarray | None = None) -> RowScatter:
    """Weight, mean and scatter of the rows of X, in one pass; products in the type of X, sums in float64."""
    n, d = X.shape
    mass = float(n if weight is None else weight.sum())
    if not mass > 0:
        return RowScatter(n, 0.0, np.zeros(d), np.zeros((d, d)))
    if sp.issparse(X):
        return _sparse_scatter(X, weight, mass)
    if d <= _KERNEL_COLUMNS:  # rows in chunks, a thread each
        codes = np.zeros(n, dtype=np.int32)
        _, mean, scatter = kernels.class_scatter(X, codes, weight, 1, n_threads=n_threads())
        return RowScatter(n, mass, mean[0], scatter)
    return _by_products(X, weight, mass)


def _by_products(X: np.ndarray, weight: np.ndarray | None, mass: float) -> RowScatter:
    """By BLAS, block by block; of many columns its products are faster than any loop of ours."""
    n, d = X.shape
    pilots = X[np.unique(np.linspace(0, n - 1, min(n, _PILOTS)).astype(np.intp))]
    shift = pilots.mean(axis=0, dtype=np.float64).astype(X.dtype)
    first, second = np.zeros(d), np.zeros((d, d))
    rows = max(64, _BLOCK_BYTES // (X.itemsize * d))
    room, ones = np.empty((min(rows, n), d), dtype=X.dtype), np.ones(min(rows, n), dtype=X.dtype)
    for start in range(0, n, rows):
        part = room[: min(rows, n - start)]
        np.subtract(X[start : start + rows], shift, out=part)
        root = ones[: len(part)]
        if weight is not None:
            root = np.sqrt(weight[start : start + rows]).astype(X.dtype)
            part *= root[:, None]
        first += root @ part
        second += part.T @ part
    gap = first / mass
    return RowScatter(n, mass, shift + gap, second - mass * np.outer(gap, gap))


def _sparse_scatter(X: Any, weight: np.ndarray | None, mass: float) -> RowScatter:
    """As of dense rows, by products of sparse matrices: zeros stay zeros, so that the mean is subtracted afterwards."""
    w = np.ones(X.shape[0]) if weight is None else weight
    mean = np.asarray(X.T @ w, dtype=np.float64).ravel() / mass
    wide = sp.csr_matrix(X, dtype=np.float64)
    second = wide.T @ wide.multiply(w[:, None]).tocsr()
    return RowScatter(X.shape[0], mass, mean, second.toarray() - mass * np.outer(mean, mean))
