"""Neighbours of rows: the nearest ones, or all within a radius."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.metric import EUCLIDEAN, Minkowski, blocks
from lanatus.neighbors._index import Neighbors, Within, _check_k, open_index


def nearest(
    points: Any, queries: Any, k: int, *, own: np.ndarray | None = None, metric: Minkowski = EUCLIDEAN
) -> Neighbors:
    """The k points nearest to each query; ties go to the lower point.

    Answers are exact, and do not depend on the number of threads. Kernels: ``cpp/neighbors/nearest.hpp``.

    Parameters
    ----------
    points : ndarray or CSR matrix of shape (n, d)
        The points.
    queries : ndarray or CSR matrix of shape (m, d)
        The queries.
    k : int
        Number of neighbours, at most the points that count.
    own : ndarray of shape (m,), optional
        The point that each query is, which does not count as a neighbour of itself.
    metric : Minkowski, default=EUCLIDEAN
        The distance; sparse rows know the Euclidean one only.

    Returns
    -------
    Neighbors
        Two arrays of shape (m, k).
    """
    if sp.issparse(points):
        _check_k(k, points.shape[0], own)
        return _nearest_sparse(points, sp.csr_matrix(queries), k, own)
    queries = queries.toarray() if sp.issparse(queries) else np.asarray(queries)
    points = np.asarray(points)
    _check_k(k, len(points), own)
    return open_index(points, metric, k=k, n_queries=len(queries)).nearest(queries, k, own)


def within(
    points: Any, queries: Any, radius: Any, *, own: np.ndarray | None = None, metric: Minkowski = EUCLIDEAN
) -> Within:
    """All points at a distance of at most `radius` from each query, by number.

    Answers are exact, and do not depend on the number of threads. Kernels: ``cpp/neighbors/within.hpp``.

    Parameters
    ----------
    points : ndarray or CSR matrix of shape (n, d)
        The points.
    queries : ndarray or CSR matrix of shape (m, d)
        The queries.
    radius : float or array of shape (m,)
        The radius, or that of each query.
    own : ndarray of shape (m,), optional
        The point that each query is, which does not count as a neighbour of itself.
    metric : Minkowski, default=EUCLIDEAN
        The distance; sparse rows know the Euclidean one only.

    Returns
    -------
    Within
        The arrays of a CSR matrix: starts, points, distances.
    """
    if sp.issparse(points):
        return _within_sparse(points, sp.csr_matrix(queries), radius, own)
    queries = queries.toarray() if sp.issparse(queries) else np.asarray(queries)
    points = np.asarray(points)
    return open_index(points, metric, n_queries=len(queries)).within(queries, radius, own)


def _squares(points: Any, queries: Any) -> Any:
    """Blocks of queries with their squared distances to all sparse points, by inner products."""
    norms, own_norms = (np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel() for X in (points, queries))
    columns = points.T.tocsc()
    for part in blocks(queries.shape[0], points.shape[0]):
        yield part, norms - 2 * np.asarray((queries[part] @ columns).todense(), dtype=np.float64), own_norms[part, None]


def _nearest_sparse(points: Any, queries: Any, k: int, own: np.ndarray | None) -> Neighbors:
    neighbors = Neighbors(np.empty((queries.shape[0], k), np.int32), np.empty((queries.shape[0], k)))
    for part, squares, _ in _squares(points, queries):
        if own is not None:
            squares[np.arange(len(squares)), own[part]] = np.inf
        near = lowest(squares, k)
        away = _measured(points, queries[part], near.ravel(), np.full(len(near), k)).reshape(-1, k)
        order = np.lexsort((near, away))
        neighbors.indices[part] = np.take_along_axis(near, order, axis=1)
        neighbors.distances[part] = np.take_along_axis(away, order, axis=1)
    return neighbors


def _measured(points: Any, queries: Any, near: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Distances by differences, so that equal rows are at 0, of so many points for each query, one after the other."""
    gaps = points[near] - queries[np.repeat(np.arange(len(counts)), counts)]
    return np.sqrt(np.asarray(gaps.multiply(gaps).sum(axis=1), dtype=np.float64).ravel())


def _within_sparse(points: Any, queries: Any, radius: Any, own: np.ndarray | None) -> Within:
    radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), queries.shape[0])
    parts = []
    for part, squares, own_norms in _squares(points, queries):
        # A little more than the radius, for rounding; what differences say decides.
        slack = 1e-6 * np.sqrt(own_norms.ravel() + radii[part] ** 2 + 1e-300)
        found = under(
            np.sqrt(np.maximum(squares + own_norms, 0.0)), radii[part] + slack, None if own is None else own[part]
        )
        counts = np.diff(found.starts)
        away = _measured(points, queries[part], found.indices, counts)
        near = away <= np.repeat(radii[part], counts)
        rows = np.repeat(np.arange(len(counts)), counts)[near]
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(counts)))]).astype(np.int64)
        parts.append(Within(starts, found.indices[near], away[near]))
    return joined(parts)


def under(distances: np.ndarray, radii: np.ndarray, own: np.ndarray | None = None) -> Within:
    """The entries of a matrix of distances that are at most the radius of their row."""
    near = distances <= radii[:, None]
    if own is not None:
        near[np.arange(len(near)), own] = False
    starts = np.concatenate([[0], np.cumsum(near.sum(axis=1))])
    return Within(starts.astype(np.int64), np.nonzero(near)[1].astype(np.int32), distances[near])


def joined(parts: list[Within]) -> Within:
    """The answers to blocks of queries as one."""
    if not parts:
        return Within(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0))
    shifts = np.cumsum([0, *(part.starts[-1] for part in parts)])
    starts = [part.starts[1:] + shift for part, shift in zip(parts, shifts[:-1], strict=True)]
    return Within(
        np.concatenate([np.zeros(1, np.int64), *starts]),
        np.concatenate([part.indices for part in parts]),
        np.concatenate([part.distances for part in parts]),
    )


def lowest(values: np.ndarray, k: int) -> np.ndarray:
    """Places of the k lowest values of each row, in order; ties go to the lower place."""
    near = np.argpartition(values, k - 1, axis=1)[:, :k]
    last = np.take_along_axis(values, near[:, k - 1 :], axis=1)
    near = np.sort(near, axis=1)
    for row in np.flatnonzero(np.count_nonzero(values <= last, axis=1) > k):  # a partition leaves open which of equals
        near[row] = np.sort(np.argsort(values[row], kind="stable")[:k])
    order = np.argsort(np.take_along_axis(values, near, axis=1), axis=1, kind="stable")
    return np.asarray(np.take_along_axis(near, order, axis=1))
