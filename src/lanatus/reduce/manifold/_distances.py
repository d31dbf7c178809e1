"""Distances of all pairs of rows, double centring, and the places of new rows among given ones."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.linalg import ArpackError, eigsh

from lanatus.metric import METRIC_NAMES, pairwise_distances, squared_euclidean
from lanatus.params import Choice, Function, ParameterRule
from lanatus.reduce._reducer import top_eigen, upright

METRIC: ParameterRule = Choice(*METRIC_NAMES, "precomputed") | Function()
_ITERATED = 500  # rows from which a few eigenvectors are found by Lanczos' iteration


def distances(X: Any, Y: Any, metric: Any, params: dict[str, Any] | None, p: float = 2) -> np.ndarray:
    """Distances of each row of X to each of Y, finite and float64; X itself where it is precomputed."""
    if metric == "precomputed":
        D = np.array(X, dtype=np.float64)
    elif metric == "euclidean" and isinstance(X, np.ndarray):
        D = squared_euclidean(np.ascontiguousarray(X, np.float64), np.ascontiguousarray(Y, np.float64))
        np.sqrt(D, out=D)
    else:
        extra = {"p": p} if metric == "minkowski" else {}
        D = np.asarray(pairwise_distances(X, Y, metric=metric, **(extra | (params or {}))), dtype=np.float64)
    if not np.isfinite(D).all() or (D < 0).any():
        raise ValueError(f"metric {metric!r} gives distances that are NaN, infinite or below 0; wanted numbers from 0.")
    return D


def square_distances(X: Any, metric: Any, params: dict[str, Any] | None) -> np.ndarray:
    """Distances of all pairs of rows, symmetric and with zeros on the diagonal."""
    if metric == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(f"got precomputed distances of shape {X.shape}, wanted a square matrix, rows by rows.")
    require_memory(X.shape[0])
    D = distances(X, X, metric, params)
    if not np.array_equal(D, D.T):
        if not np.allclose(D, D.T, rtol=1e-6, atol=1e-12 * float(D.max(initial=0.0))):
            raise ValueError("the distances are not symmetric; take the mean of D and D.T.")
        D = (D + D.T) / 2
    np.fill_diagonal(D, 0.0)
    return D


def require_memory(n: int, remedy: str = "a sample of the rows, or a method that needs no matrix of all pairs") -> None:
    """Refuse a matrix of all pairs that the machine has no memory for: the system would end the process."""
    wanted = 3 * 8 * n * n
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not told here
        return
    if wanted > there:
        raise ValueError(
            f"the distances of all pairs of {n:,} rows, and what is made of them, take {wanted / 2**30:.0f} GiB, the "
            f"machine has {there / 2**30:.0f} GiB; take {remedy}."
        )


class Centring:
    """Means of a symmetric matrix, by which it, and rows added to it, are centred on both sides (10.10)."""

    def __init__(self, K: np.ndarray) -> None:
        self.columns = K.mean(axis=0)
        self.all = float(self.columns.mean())

    def of_self(self, K: np.ndarray) -> np.ndarray:
        """The matrix centred, in place."""
        K -= self.columns
        K -= self.columns[:, None]
        K += self.all
        return K


def centred_rows(K: np.ndarray, columns: np.ndarray, overall: float) -> np.ndarray:
    """Rows added to a matrix, centred as it was, in place."""
    own = K.mean(axis=1, keepdims=True)
    K -= columns
    K -= own
    K += overall
    return K


def leading(B: np.ndarray, k: int, solver: str = "auto", tol: float = 0.0, max_iter: int | None = None) -> Any:
    """The k largest eigenvalues of a symmetric matrix and their vectors, by iteration where that is faster."""
    n = len(B)
    if solver == "auto" and iterated(n, k):
        found = by_blocks(lambda V: B @ V, n, k)
        if found is not None:
            return found
    if solver == "arpack" or (solver == "auto" and iterated(n, k)):
        start = np.random.RandomState(0).uniform(-1, 1, n)
        try:
            k_found = min(k, n - 1)
            values, vectors = eigsh(
                B, k_found, which="LA", tol=tol, v0=start, maxiter=max_iter, ncv=min(n, max(2 * k_found + 1, 30))
            )
        except ArpackError:
            if solver == "arpack" and max_iter is not None:
                raise
        else:
            order = np.argsort(-values, kind="stable")
            return values[order], upright(vectors[:, order])
    return top_eigen(B, k)


def iterated(n: int, k: int) -> bool:
    """Whether k of n eigenvectors are found faster by iteration."""
    return n > _ITERATED and k <= n // 20


def by_blocks(times: Callable[[np.ndarray], np.ndarray], n: int, k: int, most: int = 24) -> Any:
    """The k largest eigenvalues of a symmetric matrix and their vectors by block Lanczos; None if not in `most`
    products.

    The matrix is known by its products with blocks of vectors, each of which costs little more than that with one: it
    is read once. All blocks are kept at right angles. A vector is found when what the matrix leaves of it is rounding.
    """
    width = k + 6
    Q, _ = np.linalg.qr(np.random.RandomState(0).standard_normal((n, width)))
    span, T = Q, np.zeros((0, 0))
    for step in range(most):
        if span.shape[1] + width > n // 2:
            return None
        W = times(Q)
        coupling = span.T @ W
        T = np.block([[T, coupling[: len(T)]], [coupling[: len(T)].T, coupling[len(T) :]]]) if step else coupling
        values, vectors = np.linalg.eigh((T + T.T) / 2)
        W -= span @ coupling
        W -= span @ (span.T @ W)
        Q, R = np.linalg.qr(W)
        # Of a block that has become short there is no telling directions from rounding.
        missing = np.linalg.norm(R @ vectors[-width:, -k:], axis=0).max()
        scale = float(np.abs(values).max())
        if missing <= 1e-13 * scale:
            return values[: -k - 1 : -1], upright(span @ vectors[:, : -k - 1 : -1])
        if np.abs(np.diag(R)).min() <= 1e-14 * scale:
            return None
        span = np.hstack([span, Q])
    return None
