"""The k nearest neighbours."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lanatus._core import neighbors as kernels
from lanatus.base import n_threads
from lanatus.metric import EUCLIDEAN, Minkowski, blocks

# Measured on 2 cores with AVX2, k = 7: comparing all pairs in registers loses to the tree from 10^3 points of 2 columns
# or 3 * 10^3 of 4 on, and beats it at 8 columns up to some 10^5 points.
_LEAST_POINTS = 30  # times 3^d
_WIDEST_TREE = 15  # columns; above, a tree looks at nearly all points anyway
_LEAF_SIZE = 16


class Neighbors(NamedTuple):
    """For each query its nearest points, nearest first, as int32, and how far they are."""

    indices: np.ndarray
    distances: np.ndarray


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
    if not 1 <= k <= points.shape[0] - (own is not None):
        others = "other points" if own is not None else "points"
        raise ValueError(f"k={k} neighbours are wanted, but there are {points.shape[0] - (own is not None)} {others}.")
    own = None if own is None else own.astype(np.int64, copy=False)
    if sp.issparse(points):
        return _by_products(points, sp.csr_matrix(queries), k, own)
    queries = queries.toarray() if sp.issparse(queries) else queries
    points, queries = (np.ascontiguousarray(part, dtype=np.float64) for part in (points, queries))
    n, d = points.shape
    if metric == EUCLIDEAN and n < _LEAST_POINTS * 3.0**d:
        return Neighbors(*kernels.nearest_brute(points, queries, k, own, n_threads=n_threads()))
    leaf_size = _LEAF_SIZE if d <= _WIDEST_TREE else n  # one leaf is a plain scan
    how = {"p": metric.p, "leaf_size": leaf_size, "n_threads": n_threads()}
    return Neighbors(*kernels.nearest_tree(points, queries, k, own, **how))


def _by_products(points: Any, queries: Any, k: int, own: np.ndarray | None) -> Neighbors:
    """Of sparse rows, by inner products of a block of queries with all points."""
    norms, own_norms = (np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel() for X in (points, queries))
    columns = points.T.tocsc()
    neighbors = Neighbors(np.empty((queries.shape[0], k), np.int32), np.empty((queries.shape[0], k)))
    for part in blocks(queries.shape[0], points.shape[0]):
        squares = norms - 2 * np.asarray((queries[part] @ columns).todense(), dtype=np.float64)
        if own is not None:
            squares[np.arange(len(squares)), own[part]] = np.inf
        near = _lowest(squares, k)
        neighbors.indices[part] = near
        squares = np.take_along_axis(squares, near, axis=1) + own_norms[part, None]
        neighbors.distances[part] = np.sqrt(np.maximum(squares, 0.0))
    return neighbors


def _lowest(values: np.ndarray, k: int) -> np.ndarray:
    """Places of the k lowest values of each row, in order; ties go to the lower place."""
    near = np.argpartition(values, k - 1, axis=1)[:, :k]
    last = np.take_along_axis(values, near[:, k - 1 :], axis=1)
    near = np.sort(near, axis=1)
    for row in np.flatnonzero(np.count_nonzero(values <= last, axis=1) > k):  # a partition leaves open which of equals
        near[row] = np.sort(np.argsort(values[row], kind="stable")[:k])
    order = np.argsort(np.take_along_axis(values, near, axis=1), axis=1, kind="stable")
    return np.asarray(np.take_along_axis(near, order, axis=1))
