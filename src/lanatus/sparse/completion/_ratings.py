"""Ratings: a matrix of which few entries are known, as triples, frames, dense with holes, or sparse."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import core, sparse
from lanatus.base import n_threads


@dataclass
class Factors:
    """What stands for a matrix: mean + bias of the row + bias of the column + u'v."""

    mean: float
    row_bias: np.ndarray
    column_bias: np.ndarray
    U: np.ndarray
    V: np.ndarray

    def at(self, known: sp.csr_matrix) -> np.ndarray:
        """Values at the places of a CSR matrix, in its order."""
        rows = np.repeat(np.arange(known.shape[0]), np.diff(known.indptr))
        base = self.mean + self.row_bias[rows] + self.column_bias[known.indices]
        if not self.U.shape[1]:
            return base
        return base + sparse.known_products(core.csr(known), self.U, self.V, n_threads=n_threads())


def damped_biases(known: sp.csr_matrix, reg: float, rounds: int = 10) -> tuple[float, np.ndarray, np.ndarray]:
    """Mean, and by how much each row and column is above it: ridge regression on both, by turns."""
    rows = np.repeat(np.arange(known.shape[0]), np.diff(known.indptr))
    columns, values = known.indices, known.data
    mean = float(values.mean()) if len(values) else 0.0
    n, m = known.shape
    b, c = np.zeros(n), np.zeros(m)
    seen_r, seen_c = np.bincount(rows, minlength=n), np.bincount(columns, minlength=m)
    for _ in range(rounds):
        c = np.bincount(columns, values - mean - b[rows], minlength=m) / np.maximum(seen_c + reg, 1e-300)
        b = np.bincount(rows, values - mean - c[columns], minlength=n) / np.maximum(seen_r + reg, 1e-300)
    return mean, b, c


def alternate(
    known: sp.csr_matrix, k: int, reg: float, by_count: bool, max_iter: int, tol: float, rng: Any, report: Any
) -> tuple[np.ndarray, np.ndarray, int]:
    """Factors of known entries by alternating least squares; rows of U and V, and how many rounds."""
    turned = known.T.tocsr()
    turned.sort_indices()
    left, right = core.csr(known), core.csr(turned)
    V = rng.normal(scale=0.1, size=(known.shape[1], k))
    U = np.zeros((known.shape[0], k))
    before = np.inf
    how: dict[str, Any] = {"reg": reg, "by_count": by_count, "n_threads": n_threads()}
    for step in range(1, max_iter + 1):
        U = sparse.solve_rows(left, V, **how)
        V = sparse.solve_rows(right, U, **how)
        gap = known.data - sparse.known_products(left, U, V, n_threads=n_threads())
        value = float(gap @ gap) + reg * _shrinkage(known, turned, U, V, by_count)
        if report(step, U, V) or before - value <= tol * abs(value):
            return U, V, step
        before = value
    return U, V, max_iter


def _shrinkage(known: Any, turned: Any, U: np.ndarray, V: np.ndarray, by_count: bool) -> float:
    squares = (U**2).sum(axis=1), (V**2).sum(axis=1)
    if not by_count:
        return float(squares[0].sum() + squares[1].sum())
    return float(np.diff(known.indptr) @ squares[0] + np.diff(turned.indptr) @ squares[1])
