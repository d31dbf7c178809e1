"""Symmetric positive definite systems of kernel matrices."""

import warnings

import numpy as np
from scipy.linalg import LinAlgWarning, eigh
from scipy.linalg.lapack import dpotrf, dpotrs, spotrf, spotrs

_SMALL = 600  # rows up to which there is nothing to save
_ROUNDS = 12  # of refinement
_RANGE = 1e30  # of numbers that float32 holds, products and all


def solve_shifted(K: np.ndarray, shift: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """The solution of (K + diag(shift)) A = Y; K is written over.

    Cholesky's factors as float32 halve the time; residuals as float64 then bring the solution to all digits of float64.
    Where they do not, the factors are made again as float64; and of a singular matrix the pseudo-inverse is taken.
    """
    if len(K) > _SMALL and np.abs(K).max() < _RANGE and shift.max() < _RANGE:
        found = _refined(K, shift, Y)
        if found is not None:
            return found
    K.flat[:: len(K) + 1] += shift
    diagonal = np.diagonal(K).copy()
    factor, info = dpotrf(K.T, lower=0, overwrite_a=1, clean=0)  # the lower triangle of K, row by row, in place
    if info == 0 and _well_conditioned(factor, diagonal):
        return np.asarray(dpotrs(factor, Y, lower=0)[0])
    upper = np.triu(K, 1)  # the other triangle is as it was
    return _least_squares(upper + upper.T + np.diag(diagonal), Y)


def _well_conditioned(factor: np.ndarray, diagonal: np.ndarray) -> bool:
    """Whether the pivots are above what rounding leaves of a singular matrix."""
    pivots = np.diagonal(factor) ** 2
    return bool((pivots > len(pivots) * np.finfo(float).eps * diagonal.max() / 8).all())


def _refined(K: np.ndarray, shift: np.ndarray, Y: np.ndarray) -> np.ndarray | None:
    rough = K.astype(np.float32)
    rough.flat[:: len(K) + 1] += shift.astype(np.float32)
    size = np.abs(rough).sum(axis=1, dtype=np.float64).max()
    factor, info = spotrf(rough.T, lower=0, overwrite_a=1, clean=0)
    if info:
        return None
    unit = np.maximum(np.abs(Y).max(axis=0), np.finfo(float).tiny)  # so that float32 holds the residuals
    solution = np.zeros_like(Y)
    before = np.inf
    for _ in range(_ROUNDS):
        left = Y - K @ solution - shift[:, None] * solution
        goal = np.sqrt(len(K)) * np.finfo(float).eps * (size * np.abs(solution).max(axis=0) + unit)
        worst = float((np.abs(left).max(axis=0) / goal).max())
        if not worst < before / 2:
            return solution if worst <= 1 else None
        if worst <= 0.1:
            return solution
        unit_now = np.maximum(np.abs(left).max(axis=0), np.finfo(float).tiny)
        step = spotrs(factor, (left / unit_now).astype(np.float32), lower=0)[0]
        solution += step * unit_now
        before = worst
    return None


def _least_squares(A: np.ndarray, Y: np.ndarray) -> np.ndarray:
    warnings.warn(
        "Singular or indefinite matrix in solving dual problem. Using least-squares solution instead: a larger penalty "
        "solution.",
        LinAlgWarning,
        stacklevel=5,
    )
    values, vectors = eigh(A)
    kept = np.abs(values) > len(A) * np.finfo(float).eps * np.abs(values).max(initial=0.0)
    return np.asarray(vectors[:, kept] @ ((vectors[:, kept].T @ Y) / values[kept, None]))
