"""Axes that make one quadratic form of the rows small against another: what graph embeddings come to."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh

from lanatus.graph import degrees_of
from lanatus.metric import squared_euclidean
from lanatus.neighbors import nearest
from lanatus.reduce._reducer import upright

_RANK = 1e-10  # share of the largest eigenvalue below which a direction of the constraint is none


def ratio_axes(A: np.ndarray, G: np.ndarray, k: int, *, largest: bool = False) -> tuple[np.ndarray, np.ndarray]:
    r"""The k solutions of :math:`A a = \lambda G a` with the smallest (or largest) values, as upright columns.

    They have :math:`a^\top G a = 1`. Directions in which G is nothing are left out, so that it may be singular; there
    may then be fewer than k.
    """
    values, vectors = eigh(G)
    keep = values > _RANK * max(float(values[-1]), 0.0)
    white = vectors[:, keep] / np.sqrt(values[keep])
    inner, turn = eigh(white.T @ A @ white)
    order = (np.arange(len(inner))[::-1] if largest else np.arange(len(inner)))[:k]
    return inner[order], upright(white @ turn[:, order])


def neighbour_weights(X: np.ndarray, k: int, kind: str, t: float | None) -> sp.csr_array:
    r"""Weights of the graph of k nearest rows: 1, or :math:`e^{-\lVert x_i - x_j \rVert^2 / t}`, in both directions."""
    n = len(X)
    k = min(k, n - 1)
    if k < 1:
        return sp.csr_array((n, n))
    found = nearest(X, X, k, own=np.arange(n))
    squares = found.distances.astype(np.float64).ravel() ** 2
    if kind == "heat":
        width = float(squares.mean()) if t is None else t
        w = np.exp(-squares / width) if width > 0 else np.ones_like(squares)
    else:
        w = np.ones_like(squares)
    W = sp.csr_array((w, found.indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    return sp.csr_array(W.maximum(W.T))


def laplacian_of(W: Any) -> tuple[Any, np.ndarray]:
    """:math:`L = D - W` and the diagonal of D."""
    degree = degrees_of(W)
    return (sp.diags_array(degree) - W if sp.issparse(W) else np.diag(degree) - W), degree


def heat(X: np.ndarray, Y: np.ndarray, gamma: float) -> np.ndarray:
    """Heat kernel of all pairs of rows."""
    W = squared_euclidean(np.ascontiguousarray(X, np.float64), np.ascontiguousarray(Y, np.float64))
    W *= -gamma
    return np.asarray(np.exp(W, out=W))
