"""Neighbourhoods of all rows, by kernels where the distance is one of points and by lists where it is not."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from lanatus._core import cluster as kernels
from lanatus.base import n_threads
from lanatus.metric import NAMED_SPACES, Space, space_named
from lanatus.neighbors import BlockSearch, NeighborSearch, PointIndex, open_index, threads_of

_GRID = 3  # columns up to which cells beat a tree
_COMFORTABLE = 1e12
_HIGHEST = 64  # columns from which comparing all pairs beats a tree, whatever the data


class Points(NamedTuple):
    """Rows where the distance is Minkowski's, and how lengths there are distances of rows."""

    rows: np.ndarray
    space: Space
    scale: float = 1.0  # by which the rows were divided, a power of two

    def length(self, distance: float) -> float:
        """How far points are apart whose rows are at this distance."""
        return float(self.space.length(distance)) / self.scale

    def distance(self, length: np.ndarray) -> np.ndarray:
        """The distances of rows whose points are so far apart."""
        return np.asarray(self.space.distance(length * self.scale))

    def indexed(self, algorithm: str, leaf_size: int, k: int) -> PointIndex:
        """An index over them; "auto" is a tree unless there are many columns, for kernels ask it row by row."""
        if algorithm == "auto":
            algorithm = "kd_tree" if self.rows.shape[1] < _HIGHEST else "brute"
        return open_index(self.rows, self.space.metric, algorithm=algorithm, leaf_size=leaf_size, k=k)


def as_points(rows: Any, metric: Any, params: dict[str, Any]) -> Points | None:
    """Rows as points, None where the distance is of another kind."""
    if callable(metric) or metric not in NAMED_SPACES or sp.issparse(rows):
        return None
    space = space_named(metric, rows, params)
    points = space.points(rows)
    largest = float(np.abs(points).max(initial=0.0))
    if largest and not 1 / _COMFORTABLE < largest < _COMFORTABLE:  # their powers would overflow or vanish
        scale = 2.0 ** np.frexp(largest)[1]
        return Points(np.ascontiguousarray(points / np.float64(scale)), space, scale)
    kept = np.float32 if points.dtype == np.float32 else np.float64
    return Points(np.ascontiguousarray(points, dtype=kept), space)


class DensityClusters(NamedTuple):
    """A label for each row, -1 for noise, and whether it is core."""

    labels: np.ndarray
    core: np.ndarray


def clusters_of_points(
    points: Points, weight: np.ndarray | None, eps: float, min_samples: float, algorithm: str, leaf_size: int
) -> DensityClusters | None:
    """DBSCAN by a grid or a tree; None where neither is worth it. Kernels: ``cpp/cluster/dbscan.hpp``."""
    rows, p = points.rows, points.space.p
    rule: dict[str, Any] = {
        "eps": points.length(eps),
        "min_samples": float(min_samples),
        "p": p,
        "n_threads": n_threads(),
    }
    if algorithm == "auto" and rows.shape[1] <= _GRID:
        found = kernels.dbscan_grid(rows, weight, **rule)
        if found is not None:
            return DensityClusters(found[0], found[1].astype(bool))
    # Whether boxes or balls bound the nodes does not show in the answer, and boxes say more.
    index = points.indexed("kd_tree" if algorithm == "ball_tree" else algorithm, leaf_size, 1)
    if index.leaves is None:
        return None
    tree = (index.leaves, index.nodes, index.order)
    labels, core = kernels.dbscan_tree(rows, *tree, w=weight, **rule)
    return DensityClusters(labels, core.astype(bool))


def clusters_of_lists(
    search: NeighborSearch, weight: np.ndarray | None, eps: float, min_samples: float
) -> DensityClusters:
    """DBSCAN by a list of neighbours for each row; a row is its own neighbour, whatever the distance says."""
    n = search.n
    starts, indices, _ = search.within(search.rows, eps, np.arange(n))
    own = np.ones(n) if weight is None else weight
    near = sp.csr_matrix((np.ones(len(indices)), indices, starts), shape=(n, n))
    core = (near @ own + own >= min_samples) & (own > 0)
    rows = np.repeat(np.arange(n), np.diff(starts))
    labels = np.full(n, -1, np.int32)
    if not core.any():
        return DensityClusters(labels, core)
    joined = core[rows] & core[indices]
    # A distance that is not symmetric joins two core rows if either is near the other.
    graph = sp.csr_matrix((np.ones(np.count_nonzero(joined)), (rows[joined], indices[joined])), shape=(n, n))
    _, part = connected_components(graph, directed=False)
    firsts, number = np.unique(part[core], return_index=True)
    rank = np.empty(part.max() + 1, np.int32)
    rank[firsts[np.argsort(number)]] = np.arange(len(firsts), dtype=np.int32)
    labels[core] = rank[part[core]]
    reached = core[rows] & ~core[indices]
    lowest = np.full(n, n, np.int32)
    np.minimum.at(lowest, indices[reached], labels[rows[reached]])
    border = ~core & (lowest < n)
    labels[border] = lowest[border]
    return DensityClusters(labels, core)


def nearest_label(model: Any, X: Any, reach: np.ndarray) -> np.ndarray:
    """Labels of new rows: that of the nearest row of ``fit``, -1 where it is farther than its reach."""
    rows = model._take(X, reset=False)
    with threads_of(model.n_jobs):
        found = model._search.nearest(rows, 1)
    near, away = found.indices[:, 0], found.distances[:, 0]
    return np.where(away <= reach[near], model.labels_[near], -1)


def all_distances(search: NeighborSearch) -> np.ndarray:
    """The distance of every row to every row, NaN as far as can be, and 0 to itself."""
    n = search.n
    D = np.empty((n, n))
    if isinstance(search, BlockSearch):
        for part, distances in search.blocks(search.rows):
            D[part] = distances
    else:
        found = search.nearest(search.rows, n)
        np.put_along_axis(D, found.indices.astype(np.intp), found.distances, axis=1)
    D[np.isnan(D)] = np.inf
    np.fill_diagonal(D, 0.0)
    return D
