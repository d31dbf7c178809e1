"""How far a product of factors is from a matrix: the beta divergences."""

from typing import Any

import numpy as np
import scipy.sparse as sp

TINY = float(np.finfo(np.float32).eps)  # below which a number of a product counts as this, where it divides
BETAS = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}


def beta_of(loss: Any) -> float:
    """The number of a named loss."""
    return BETAS[loss] if isinstance(loss, str) else float(loss)


def at_entries(W: np.ndarray, H: np.ndarray, X: sp.csr_matrix) -> np.ndarray:
    """W H where the sparse X has entries."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    out = np.empty(X.nnz)
    for begin in range(0, X.nnz, 100_000):
        part = slice(begin, begin + 100_000)
        out[part] = np.einsum("ij,ij->i", W[rows[part]], H.T[X.indices[part]])
    return out


def divergence(X: Any, W: np.ndarray, H: np.ndarray, beta: float) -> float:
    r"""The beta divergence of X from W H: half the squared distance for 2, Kullback-Leibler for 1, Itakura-Saito for 0.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        What is approximated.
    W, H : ndarray of shapes (n_samples, k) and (k, n_features)
        The factors.
    beta : float
        Which divergence.
    """
    if beta == 2:
        cross = float(np.einsum("ij,ij->", X @ H.T, W))
        squares = float(X.multiply(X).sum()) if sp.issparse(X) else float(np.einsum("ij,ij->", X, X))
        return max(0.5 * (squares - 2 * cross + float(np.einsum("ij,ij->", W.T @ W, H @ H.T))), 0.0)
    x = X.data if sp.issparse(X) else np.asarray(X).ravel()
    wh = np.maximum(at_entries(W, H, X) if sp.issparse(X) else (W @ H).ravel(), TINY)
    total = float(W.sum(axis=0) @ H.sum(axis=1))
    kept = x > TINY
    x, inside = x[kept], wh[kept]
    if beta == 1:
        return max(float(x @ np.log(x / inside)) - float(x.sum()) + total, 0.0)
    if beta == 0:
        ratio = x / inside
        return float(ratio.sum() - np.log(ratio).sum()) - float(X.shape[0] * X.shape[1])
    powers = _sum_of_powers(W, H, beta) if sp.issparse(X) else float((wh**beta).sum())
    value = float((x**beta).sum()) - beta * float(x @ inside ** (beta - 1)) + (beta - 1) * powers
    return value / (beta * (beta - 1))


def _sum_of_powers(W: np.ndarray, H: np.ndarray, beta: float) -> float:
    return sum(float((np.maximum(row @ H, TINY) ** beta).sum()) for row in W)


def ratio_terms(X: Any, W: np.ndarray, H: np.ndarray, beta: float) -> tuple[Any, Any]:
    """X (W H)^(beta - 2) and (W H)^(beta - 1), of which the multiplicative updates are made; None for all ones."""
    if sp.issparse(X):
        wh = np.maximum(at_entries(W, H, X), TINY)
        up = sp.csr_matrix((X.data * wh ** (beta - 2), X.indices, X.indptr), shape=X.shape)
        return up, (None if beta == 1 else np.maximum(W @ H, TINY) ** (beta - 1))
    wh = np.maximum(W @ H, TINY)
    up = X / wh if beta == 1 else X * wh ** (beta - 2)
    return up, (None if beta == 1 else wh ** (beta - 1))
