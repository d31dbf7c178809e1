"""Directions that turn the scatter within classes into the identity."""

import numpy as np
from scipy.linalg import eigh, svd


def whiten(covariance: np.ndarray, tol: float) -> np.ndarray:
    """T with T' covariance T = I, over the directions whose spread exceeds `tol`.

    Spreads are relative to the columns: each is first scaled to a variance of 1, constant ones left alone.
    """
    deviation = np.sqrt(np.diag(covariance))
    deviation[deviation == 0] = 1
    values, axes = eigh(covariance / deviation[:, None] / deviation, check_finite=False)
    values, axes = values[::-1], axes[:, ::-1]
    # Below the square root of rounding a spread is not known to be one.
    kept = values > max(tol**2, 4 * len(values) * np.finfo(float).eps * values.max(initial=0.0))
    return np.asarray(axes[:, kept] / deviation[:, None] / np.sqrt(values[kept]))


def whiten_rows(rows: np.ndarray, weight: np.ndarray | None, tol: float) -> np.ndarray:
    """The same from the centred rows themselves, for fewer rows than columns."""
    rows = rows.astype(np.float64)
    if weight is not None:
        rows *= np.sqrt(weight)[:, None]
    mass = len(rows) if weight is None else weight.sum()
    deviation = np.sqrt((rows**2).sum(axis=0) / mass)
    # What rounding leaves of a constant column is no spread.
    deviation[deviation < 1e-13 * np.abs(rows).max(initial=0.0)] = 1
    _, sizes, axes = svd(rows / deviation / np.sqrt(mass), full_matrices=False, check_finite=False)
    kept = sizes > tol
    return np.asarray((axes[kept] / deviation).T / sizes[kept])
