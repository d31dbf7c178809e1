"""All distances of some rows, for methods that need the whole matrix; and what a metric may be."""

import os
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

from lanatus.metric import squared_euclidean
from lanatus.params import Function, ParameterRule, Satisfies

EUCLIDEAN_NAMES = ("euclidean", "l2")
METRIC: ParameterRule = Satisfies(lambda value: isinstance(value, str), "the name of a metric") | Function()


def distance_matrix(X: Any, metric: Any = "euclidean", params: dict[str, Any] | None = None) -> np.ndarray:
    """Distances of all pairs of rows, float64 and checked; with ``metric="precomputed"`` a copy of X.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        The rows.
    metric : str or callable, default="euclidean"
        As in scikit-learn's ``pairwise_distances``.
    params : dict or None, default=None
        Parameters of the metric.
    """
    require_memory(X.shape[0])
    if metric in EUCLIDEAN_NAMES and not sp.issparse(X):
        rows = np.ascontiguousarray(X, dtype=np.float64)
        squares = squared_euclidean(rows, rows)
        return np.sqrt(squares, out=squares)
    if metric == "precomputed":
        return sound_matrix(X)
    found = pairwise_distances(X, metric=metric, **(params or {}))
    return _finite(np.array(found, dtype=np.float64, order="C"), metric)


def sound_matrix(D: Any) -> np.ndarray:
    """A copy of a matrix of distances: square, symmetric, finite, none below 0."""
    if D.shape[0] != D.shape[1]:
        raise ValueError(f"got precomputed distances of shape {D.shape}, wanted a square matrix, rows by rows.")
    D = _finite(np.array(D.toarray() if sp.issparse(D) else D, dtype=np.float64, order="C"), "precomputed")
    if not _is_symmetric(D):
        raise ValueError("the precomputed distances are not symmetric; take the mean of D and D.T.")
    np.fill_diagonal(D, 0.0)
    return D


def _is_symmetric(D: np.ndarray) -> bool:
    """Whether a matrix is its transpose, to rounding; tile by tile, so that both are read in order."""
    slack, step = 1e-12 * float(np.abs(D).max(initial=0)), 512
    for i in range(0, len(D), step):
        for j in range(0, i + 1, step):
            one, other = D[i : i + step, j : j + step], D[j : j + step, i : i + step].T
            if not np.array_equal(one, other) and not np.allclose(one, other, rtol=1e-6, atol=slack):
                return False
    return True


def _finite(D: np.ndarray, metric: Any) -> np.ndarray:
    if not np.isfinite(D).all() or (D < 0).any():
        raise ValueError(f"metric {metric!r} gives distances that are NaN, infinite or below 0; wanted numbers from 0.")
    return D


def require_memory(n: int, remedy: str = "a sample of the rows, or MiniBatchKMeans or Birch for all") -> None:
    """Refuse a matrix of all pairs that the machine has no memory for: the system would end the process."""
    wanted = 8 * n * n
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not told here
        return
    if wanted > there:
        raise ValueError(
            f"the distances of all pairs of {n:,} rows take {wanted / 2**30:.0f} GiB, the machine has "
            f"{there / 2**30:.0f} GiB; take {remedy}."
        )
