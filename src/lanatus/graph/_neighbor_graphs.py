"""Graphs of neighbours: of the k nearest rows, or of all within a radius."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.catalog import method
from lanatus.neighbors import NearestNeighbors


@method(
    "reduce.neighbour-graphs",
    section="10.5.1",
    task="distance",
    kind="function",
    en="kNN graph and epsilon-ball graph",
    zh="k近邻图与ε近邻图",
    peers=["scikit-learn:kneighbors_graph"],
)
def kneighbors_graph(
    X: Any,
    n_neighbors: int,
    *,
    mode: str = "connectivity",
    metric: Any = "minkowski",
    p: float = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: Any = False,
    n_jobs: int | None = None,
) -> sp.csr_matrix:
    """The graph of the k nearest rows of each row, an edge from a row to each of its neighbours.

    It has a direction: a row need not be among the nearest of its own neighbours. `radius_neighbors_graph` is its
    counterpart, which joins all rows within a distance; `undirected` makes one that has none.

    Book: section 10.5.1. Cost: that of the search, :math:`O(n \\log n)` in few columns, :math:`O(n^2 d)` in many.

    Parameters
    ----------
    X : array, sparse matrix, frame or fitted `NearestNeighbors`
        The rows.
    n_neighbors : int
        Neighbours of each row.
    mode : {"connectivity", "distance"}, default="connectivity"
        Whether an edge weighs 1 or its length.
    metric : str or callable, default="minkowski"
        The distance.
    p : float, default=2
        Order of Minkowski's distance.
    metric_params : dict or None, default=None
        Further parameters of the distance.
    include_self : bool or "auto", default=False
        Whether a row is its own nearest neighbour; "auto" says so for "connectivity".
    n_jobs : int or None, default=None
        Threads; None and -1 are all that there are.

    Returns
    -------
    csr_matrix of shape (n_samples, n_samples)

    Examples
    --------
    >>> from lanatus.graph import kneighbors_graph
    >>> kneighbors_graph([[0.0], [1.0], [3.0]], 1, mode="distance").toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
    """
    how = {"metric": metric, "p": p, "metric_params": metric_params, "n_jobs": n_jobs}
    search = X if isinstance(X, NearestNeighbors) else NearestNeighbors(n_neighbors=n_neighbors, **how).fit(X)
    query = _own(X) if _with_self(include_self, mode) else None
    return search.kneighbors_graph(query, n_neighbors=n_neighbors, mode=mode)


@method(
    section="10.5.1",
    task="distance",
    kind="function",
    en="Graph of all rows within a radius",
    zh="ε近邻图",
    peers=["scikit-learn:radius_neighbors_graph"],
)
def radius_neighbors_graph(
    X: Any,
    radius: float,
    *,
    mode: str = "connectivity",
    metric: Any = "minkowski",
    p: float = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: Any = False,
    n_jobs: int | None = None,
) -> sp.csr_matrix:
    """The graph of all rows within a radius of each row, those at the radius included.

    Book: section 10.5.1, the graph of epsilon-neighbours. Cost: that of the search.

    Parameters
    ----------
    X : array, sparse matrix, frame or fitted `NearestNeighbors`
        The rows.
    radius : float
        How far.
    mode : {"connectivity", "distance"}, default="connectivity"
        Whether an edge weighs 1 or its length.
    metric : str or callable, default="minkowski"
        The distance.
    p : float, default=2
        Order of Minkowski's distance.
    metric_params : dict or None, default=None
        Further parameters of the distance.
    include_self : bool or "auto", default=False
        Whether a row is its own neighbour; "auto" says so for "connectivity".
    n_jobs : int or None, default=None
        Threads; None and -1 are all that there are.

    Returns
    -------
    csr_matrix of shape (n_samples, n_samples)

    Examples
    --------
    >>> from lanatus.graph import radius_neighbors_graph
    >>> radius_neighbors_graph([[0.0], [1.0], [3.0]], 1.5).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    how = {"metric": metric, "p": p, "metric_params": metric_params, "n_jobs": n_jobs}
    search = X if isinstance(X, NearestNeighbors) else NearestNeighbors(radius=radius, **how).fit(X)
    query = _own(X) if _with_self(include_self, mode) else None
    return search.radius_neighbors_graph(query, radius=radius, mode=mode)


def _own(X: Any) -> Any:
    if isinstance(X, NearestNeighbors):
        raise ValueError("include_self needs the rows; got a NearestNeighbors, which leaves each row out of its own.")
    return X


def _with_self(include_self: Any, mode: str) -> bool:
    if include_self not in (True, False, "auto"):
        raise ValueError(f"include_self must be True, False or 'auto'; got {include_self!r}.")
    return mode == "connectivity" if include_self == "auto" else bool(include_self)


def undirected(graph: Any, keep: str = "either") -> sp.csr_array:
    """The graph with every edge in both directions, at its shorter length; an edge of length 0 stays one.

    Parameters
    ----------
    graph : sparse matrix of shape (n, n)
        Stored entries are edges.
    keep : {"either", "both"}, default="either"
        Whether one of the two directions is enough for an edge, or both are needed (mutual neighbours).
    """
    found = sp.coo_array(graph)
    n = found.shape[0]
    rows = np.concatenate([found.row, found.col]).astype(np.int64)
    columns = np.concatenate([found.col, found.row]).astype(np.int64)
    lengths = np.tile(found.data.astype(np.float64), 2)
    forward = np.repeat([True, False], len(found.data))
    order = np.lexsort((lengths, columns, rows))
    rows, columns, lengths, forward = rows[order], columns[order], lengths[order], forward[order]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    if keep == "both":
        which = np.cumsum(first) - 1
        there = np.bincount(which, forward, first.sum()) > 0
        back = np.bincount(which, ~forward, first.sum()) > 0
        first[np.flatnonzero(first)] = there & back
    rows, columns, lengths = rows[first], columns[first].astype(np.int32), lengths[first]
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]).astype(np.int32)
    return sp.csr_array((lengths, columns, starts), shape=(n, n))
