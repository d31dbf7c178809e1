"""The nuclear norm under observed entries, and its kin, by several solvers; small and middling dense matrices."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from lanatus.sparse.completion._singular import shrink_singular

Report = Callable[[int, np.ndarray], bool]


@dataclass
class Completed:
    """A completed matrix, how many rounds it took, and whether it stands still."""

    X: np.ndarray
    n_iter: int
    converged: bool


def by_admm(A: np.ndarray, known: np.ndarray, rho: float, tol: float, max_iter: int, report: Report) -> Completed:
    """min ||X||_* with X = A where it is known, by splitting: singular values shrink, known entries come back."""
    size = float(np.linalg.norm(A[known])) or 1.0
    rho = rho / max(float(np.sqrt(np.mean(A[known] ** 2))), 1e-300)
    Z, U = np.where(known, A, 0.0), np.zeros_like(A)
    for step in range(1, max_iter + 1):
        X, _ = shrink_singular(Z - U, 1 / rho)
        before = Z
        Z = np.where(known, A, X + U)
        U = U + X - Z
        apart, moved = np.linalg.norm(X - Z), np.linalg.norm(Z - before)
        if report(step, Z) or max(apart, moved) <= tol * size:
            return Completed(Z, step, bool(max(apart, moved) <= tol * size))
        if apart > 10 * moved:  # Boyd's balance of the two residuals
            rho, U = rho * 2, U / 2
        elif moved > 10 * apart:
            rho, U = rho / 2, U * 2
    return Completed(Z, max_iter, False)


def by_thresholding(
    A: np.ndarray, known: np.ndarray, tau: float | None, tol: float, max_iter: int, report: Report
) -> Completed:
    """Singular value thresholding: min tau ||X||_* + ||X||^2 / 2 with X = A where known, by steps of the dual."""
    m, n = A.shape
    observed = np.where(known, A, 0.0)
    share = known.mean()
    tau = 5 * np.sqrt(m * n) * float(np.sqrt(np.mean(A[known] ** 2)) or 1.0) if tau is None else tau
    step_size = min(1.2 / share, 1.9)  # below 2 it surely converges
    spectral = float(np.linalg.norm(observed, 2)) or 1.0
    Y = np.ceil(tau / (step_size * spectral)) * step_size * observed
    size = float(np.linalg.norm(observed)) or 1.0
    X = observed
    for step in range(1, max_iter + 1):
        X, _ = shrink_singular(Y, tau)
        gap = np.where(known, A - X, 0.0)
        close = np.linalg.norm(gap) <= tol * size
        if report(step, X) or close:
            return Completed(X, step, bool(close))
        Y = Y + step_size * gap
    return Completed(X, max_iter, False)


def by_soft_impute(
    A: np.ndarray, known: np.ndarray, shrinkage: float, tol: float, max_iter: int, report: Report
) -> Completed:
    """min ||X - A||^2 / 2 where known + shrinkage ||X||_*: fill the holes by X, shrink singular values, again."""
    X = np.zeros_like(A)
    for step in range(1, max_iter + 1):
        before = X
        X, _ = shrink_singular(np.where(known, A, X), shrinkage)
        moved = np.linalg.norm(X - before)
        close = moved <= tol * max(float(np.linalg.norm(before)), 1e-300)
        if report(step, X) or close:
            return Completed(X, step, bool(close))
    return Completed(X, max_iter, False)


def by_sdp(A: np.ndarray, known: np.ndarray, tol: float, max_iter: int, report: Report) -> Completed:
    """The semidefinite form: min (tr W1 + tr W2) / 2 with [[W1, X], [X', W2]] >= 0 and X = A where known.

    Projections on the cone and on the entries by turns, with multipliers (Wen, Goldfarb and Yin 2010).
    """
    m, n = A.shape
    scale = float(np.sqrt(np.mean(A[known] ** 2))) or 1.0
    fixed = np.zeros((m + n, m + n), dtype=bool)
    fixed[:m, m:] = known
    fixed |= fixed.T
    values = np.zeros((m + n, m + n))
    values[:m, m:] = np.where(known, A / scale, 0.0)
    values += values.T
    Z, U = values.copy(), np.zeros_like(values)
    cost = 0.5 * np.eye(m + n)
    for step in range(1, max_iter + 1):
        size, axes = eigh(Z - U, check_finite=False)
        keep = size > 0
        P = (axes[:, keep] * size[keep]) @ axes[:, keep].T
        before = Z
        Z = np.where(fixed, values, P + U - cost)
        U = U + P - Z
        gap = max(np.linalg.norm(P - Z), np.linalg.norm(Z - before))
        close = gap <= tol * max(float(np.linalg.norm(values)), 1e-300)
        if report(step, Z[:m, m:] * scale) or close:
            return Completed(np.where(known, A, Z[:m, m:] * scale), step, bool(close))
    return Completed(np.where(known, A, Z[:m, m:] * scale), max_iter, False)


def by_rank(
    A: np.ndarray, known: np.ndarray, tol: float, max_iter: int, report: Report, rng: np.random.RandomState
) -> Completed:
    """The rank form (11.24) on small data: the least rank for which factors from several starts meet what is known."""
    m, n = A.shape
    size = float(np.linalg.norm(A[known])) or 1.0
    X = np.where(known, A, 0.0)
    for rank in range(1, min(m, n) + 1):
        for _start in range(5):
            V = rng.normal(size=(n, rank))
            gap = np.inf
            for _ in range(max_iter):
                U = _fitted(A, known, V)
                V = _fitted(A.T, known.T, U)
                before, gap = gap, float(np.linalg.norm((U @ V.T - A)[known]))
                if gap <= tol * size or before - gap <= 1e-9 * size:
                    break
            if report(rank, U @ V.T) or gap <= tol * size:
                return Completed(np.where(known, A, U @ V.T), rank, gap <= tol * size)
    return Completed(X, min(m, n), True)


def _fitted(A: np.ndarray, known: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Least squares of each row on V at its known entries; of several the shortest."""
    return np.array([np.linalg.lstsq(V[own], row[own], rcond=None)[0] for row, own in zip(A, known, strict=True)])
