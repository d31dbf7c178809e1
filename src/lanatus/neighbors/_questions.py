"""What can be asked of rows that are ready to be searched: methods of the classes that name them."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.base import check_is_fitted
from lanatus.neighbors._index import Within
from lanatus.params import Integer


def kneighbors(self: Any, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:  # noqa: D417
    """The nearest rows to each query, nearest first; ties go to the lower row.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_queries, n_features), default=None
        The queries; the rows of ``fit`` by default, which are then no neighbours of themselves. Distances to the
        rows of ``fit`` where `metric` is "precomputed".
    n_neighbors : int, default=None
        How many; that of the constructor by default.
    return_distance : bool, default=True
        Whether distances are wanted too.

    Returns
    -------
    neigh_dist : ndarray of shape (n_queries, n_neighbors)
        How far they are, where asked for.
    neigh_ind : ndarray of shape (n_queries, n_neighbors)
        Their numbers.
    """
    check_is_fitted(self)
    found = self._nearest(X, _checked_k(self.n_neighbors if n_neighbors is None else n_neighbors))
    indices = found.indices.astype(np.int64)
    return (found.distances, indices) if return_distance else indices


def kneighbors_graph(  # noqa: D417
    self: Any, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity"
) -> sp.csr_matrix:
    """The graph of nearest rows.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_queries, n_features), default=None
        The queries; the rows of ``fit`` by default, which are then no neighbours of themselves.
    n_neighbors : int, default=None
        How many; that of the constructor by default.
    mode : {"connectivity", "distance"}, default="connectivity"
        Whether an edge weighs 1 or its length.

    Returns
    -------
    csr_matrix of shape (n_queries, n_samples_fit)
    """
    _check_mode(mode)
    check_is_fitted(self)
    found = self._nearest(X, _checked_k(self.n_neighbors if n_neighbors is None else n_neighbors))
    m, k = found.indices.shape
    starts = np.arange(0, m * k + 1, k)
    return _graph(Within(starts, found.indices.ravel(), found.distances.ravel()), self.n_samples_fit_, mode)


def radius_neighbors(  # noqa: D417
    self: Any,
    X: Any = None,
    radius: float | None = None,
    return_distance: bool = True,
    sort_results: bool = False,
) -> Any:
    """All rows within a radius of each query, those at the radius included.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_queries, n_features), default=None
        The queries; the rows of ``fit`` by default, which are then no neighbours of themselves. Distances to the
        rows of ``fit`` where `metric` is "precomputed".
    radius : float, default=None
        How far; that of the constructor by default.
    return_distance : bool, default=True
        Whether distances are wanted too.
    sort_results : bool, default=False
        Whether the nearest come first; by number otherwise.

    Returns
    -------
    neigh_dist : ndarray of arrays, of shape (n_queries,)
        How far they are, where asked for.
    neigh_ind : ndarray of arrays, of shape (n_queries,)
        Their numbers.
    """
    if sort_results and not return_distance:
        raise ValueError("return_distance must be True if sort_results is True.")
    check_is_fitted(self)
    found = self._within(X, self.radius if radius is None else radius)
    found = _sorted(found) if sort_results else found
    indices = _lists(found.starts, found.indices.astype(np.int64))
    return (_lists(found.starts, found.distances), indices) if return_distance else indices


def radius_neighbors_graph(  # noqa: D417
    self: Any, X: Any = None, radius: float | None = None, mode: str = "connectivity", sort_results: bool = False
) -> sp.csr_matrix:
    """The graph of rows within a radius.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_queries, n_features), default=None
        The queries; the rows of ``fit`` by default, which are then no neighbours of themselves.
    radius : float, default=None
        How far; that of the constructor by default.
    mode : {"connectivity", "distance"}, default="connectivity"
        Whether an edge weighs 1 or its length.
    sort_results : bool, default=False
        Whether the nearest come first in their row, for "distance" only; by number otherwise.

    Returns
    -------
    csr_matrix of shape (n_queries, n_samples_fit)
    """
    _check_mode(mode)
    check_is_fitted(self)
    found = self._within(X, self.radius if radius is None else radius)
    return _graph(_sorted(found) if sort_results and mode == "distance" else found, self.n_samples_fit_, mode)


def _checked_k(k: Any) -> int:
    if not Integer(low=1).accepts(k):
        raise ValueError(f"n_neighbors must be an integer >= 1. Expected n_neighbors > 0. Got {k!r}.")
    return int(k)


def _check_mode(mode: str) -> None:
    if mode not in ("connectivity", "distance"):
        raise ValueError(f"mode must be 'connectivity' or 'distance'. Unsupported mode, got {mode!r}.")


def _graph(found: Within, n: int, mode: str) -> sp.csr_matrix:
    values = np.ones(len(found.indices)) if mode == "connectivity" else found.distances
    return sp.csr_matrix((values, found.indices, found.starts), shape=(len(found.starts) - 1, n))


def _sorted(found: Within) -> Within:
    rows = np.repeat(np.arange(len(found.starts) - 1), np.diff(found.starts))
    order = np.lexsort((found.indices, found.distances, rows))
    return Within(found.starts, found.indices[order], found.distances[order])


def _lists(starts: np.ndarray, values: np.ndarray) -> np.ndarray:
    out = np.empty(len(starts) - 1, dtype=object)
    out[:] = np.split(values, starts[1:-1])
    return out
