"""Rows ready to be searched by any distance: one class for each way of doing so, all with the same two questions."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import manhattan_distances

from lanatus.catalog import savable
from lanatus.metric import (
    NAMED_PAIRS,
    NAMED_SPACES,
    Gower,
    Space,
    blocks,
    pairs_by_calls,
    space_named,
    unit_rows,
    zero_rows,
)
from lanatus.neighbors._index import Neighbors, Within, open_index
from lanatus.neighbors._nearest import joined, lowest, nearest, under, within
from lanatus.table import MISSING_CODE, Table

TABLE_METRICS = ("gower", "minkovdm")
# scikit-learn's ball trees take these; here they are compared pair by pair, which finds the same neighbours.
_BALLS_ELSEWHERE = frozenset(
    ("braycurtis", "canberra", "dice", "hamming", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "haversine")
)


class NeighborSearch:
    """Rows, and how to find neighbours among them.

    `own` holds the row that each query is, which does not count as a neighbour of itself.
    """

    algorithm = "brute"
    rows: Any  # what stands for all of them as queries

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.rows.shape[0])

    def nearest(self, queries: Any, k: int, own: np.ndarray | None = None) -> Neighbors:
        """The k nearest rows; ties go to the lower one."""
        raise NotImplementedError

    def within(self, queries: Any, radius: Any, own: np.ndarray | None = None) -> Within:
        """All rows at a distance of at most the radius."""
        raise NotImplementedError


@savable
class SpaceSearch(NeighborSearch):
    """Rows as points of a space, in a tree or compared by products."""

    def __init__(self, rows: Any, space: Space, algorithm: str, leaf_size: int, k: int) -> None:
        self.rows = None  # the points say as much
        self.space = space
        points = space.points(rows)
        self.index = open_index(points, space.metric, algorithm=algorithm, leaf_size=leaf_size, k=k)

    @property
    def algorithm(self) -> str:  # type: ignore[override]
        """What the index does."""
        return self.index.algorithm

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.index.points)

    def nearest(self, queries: Any, k: int, own: np.ndarray | None = None) -> Neighbors:
        found = self.index.nearest(self._points(queries), k, own)
        return Neighbors(found.indices, self.space.distance(found.distances))

    def within(self, queries: Any, radius: Any, own: np.ndarray | None = None) -> Within:
        found = self.index.within(self._points(queries), self.space.length(radius), own)
        return Within(found.starts, found.indices, self.space.distance(found.distances))

    def _points(self, queries: Any) -> np.ndarray:
        return self.index.points if queries is None else self.space.points(queries)


@savable
class SparseSearch(NeighborSearch):
    """Sparse rows, by inner products; of directions for the cosine distance."""

    def __init__(self, rows: Any, cosine: bool) -> None:
        self.rows = rows
        self.cosine = cosine

    def nearest(self, queries: Any, k: int, own: np.ndarray | None = None) -> Neighbors:
        found = nearest(self._points(self.rows), self._points(queries), k, own=own)
        return Neighbors(found.indices, found.distances**2 / 2 if self.cosine else found.distances)

    def within(self, queries: Any, radius: Any, own: np.ndarray | None = None) -> Within:
        radius = np.sqrt(2 * np.maximum(radius, 0.0)) if self.cosine else radius
        found = within(self._points(self.rows), self._points(queries), radius, own=own)
        return Within(found.starts, found.indices, found.distances**2 / 2 if self.cosine else found.distances)

    def _points(self, X: Any) -> Any:
        X = sp.csr_matrix(X)
        return sp.csr_matrix(sp.hstack([unit_rows(X), zero_rows(X)])) if self.cosine else X


class BlockSearch(NeighborSearch):
    """Base of searches that compute distances of blocks of queries to all rows."""

    def blocks(self, queries: Any) -> Iterator[tuple[slice, np.ndarray]]:
        """Some queries at a time, with their distances to all rows."""
        for part in blocks(queries.shape[0], self.n):
            yield part, self.distances(_take(queries, part))

    def distances(self, queries: Any) -> np.ndarray:
        """Distances of a block of queries to all rows; NaN is as far as can be."""
        raise NotImplementedError

    def nearest(self, queries: Any, k: int, own: np.ndarray | None = None) -> Neighbors:
        found = []
        for part, distances in self.blocks(queries):
            distances = np.where(np.isnan(distances), np.inf, distances)
            near = lowest(distances, k) if own is None else _lowest_others(distances, k, own[part])
            found.append((near, np.take_along_axis(distances, near, axis=1)))
        if not found:
            return Neighbors(np.empty((0, k), np.int32), np.empty((0, k)))
        near, away = (np.concatenate(part) for part in zip(*found, strict=True))
        return Neighbors(near.astype(np.int32), away)

    def within(self, queries: Any, radius: Any, own: np.ndarray | None = None) -> Within:
        radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), queries.shape[0])
        return joined(
            [
                under(distances, radii[part], None if own is None else own[part])
                for part, distances in self.blocks(queries)
            ]
        )


def _take(X: Any, part: slice) -> Any:
    return Table(X.schema, X.numeric[part], X.codes[part]) if isinstance(X, Table) else X[part]


def _lowest_others(distances: np.ndarray, k: int, own: np.ndarray) -> np.ndarray:
    """Places of the k lowest values of each row but that of `own`, which goes last even behind infinite ones."""
    near = lowest(distances, min(k + 1, distances.shape[1]))
    mine = near == own[:, None]
    mine[~mine.any(axis=1), -1] = True  # the farthest of k + 1 is one too many
    return near[~mine].reshape(len(near), -1)[:, :k]


@savable
class PairSearch(BlockSearch):
    """Rows compared one by one: a distance that no tree knows, or a function of two rows."""

    def __init__(self, rows: Any, metric: str | Callable[..., float], params: dict[str, Any]) -> None:
        self.rows = rows
        self.metric = metric
        self.params = params

    def distances(self, queries: Any) -> np.ndarray:
        if callable(self.metric):
            return pairs_by_calls(self.metric, queries, self.rows, **self.params)
        rows = self.rows.astype(queries.dtype, copy=False)
        return np.asarray(NAMED_PAIRS[self.metric](queries, rows, **self.params))


@savable
class SparsePairSearch(BlockSearch):
    """Sparse rows compared one by one: by their differences, or by a function of two rows."""

    def __init__(self, rows: Any, metric: str | Callable[..., float], params: dict[str, Any]) -> None:
        self.rows = rows
        self.metric = metric
        self.params = params

    def distances(self, queries: Any) -> np.ndarray:
        queries = sp.csr_matrix(queries)
        if not callable(self.metric):
            return np.asarray(manhattan_distances(queries, self.rows))
        near, rows = ([part[i] for i in range(part.shape[0])] for part in (queries, sp.csr_matrix(self.rows)))
        return np.array([[float(self.metric(x, y, **self.params)) for y in rows] for x in near]).reshape(
            len(near), len(rows)
        )


@savable
class GowerSearch(BlockSearch):
    """Rows of a mixed table by Gower's distance; by a tree where nothing is missing."""

    def __init__(self, rows: Table, algorithm: str, leaf_size: int, k: int) -> None:
        self.numeric, self.codes, self.schema = rows.numeric, rows.codes, rows.schema
        self.gower = Gower(rows)
        self.whole = None if _has_holes(rows) else SpaceSearch(rows, self.gower.space, algorithm, leaf_size, k)

    @property
    def rows(self) -> Table:
        """The rows."""
        return Table(self.schema, self.numeric, self.codes)

    @property
    def algorithm(self) -> str:  # type: ignore[override]
        """A tree only where it can be used."""
        return "brute" if self.whole is None else self.whole.algorithm

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.codes)

    def distances(self, queries: Any) -> np.ndarray:
        return self.gower.pairs(queries, self.rows)

    def nearest(self, queries: Any, k: int, own: np.ndarray | None = None) -> Neighbors:
        if self.whole is None or _has_holes(queries):
            return super().nearest(queries, k, own)
        return self.whole.nearest(queries, k, own)

    def within(self, queries: Any, radius: Any, own: np.ndarray | None = None) -> Within:
        if self.whole is None or _has_holes(queries):
            return super().within(queries, radius, own)
        return self.whole.within(queries, radius, own)


def _has_holes(table: Table) -> bool:
    return bool(np.isnan(table.numeric).any() or (table.codes == MISSING_CODE).any())


@savable
class PrecomputedSearch(BlockSearch):
    """Queries are rows of distances to the rows; in a sparse matrix those that are not there are too far to count."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def distances(self, queries: Any) -> np.ndarray:
        if not sp.issparse(queries):
            return np.asarray(queries, dtype=np.float64)
        out = np.full(queries.shape, np.inf)
        entries = queries.tocoo()
        out[entries.row, entries.col] = entries.data
        return out

    def nearest(self, queries: Any, k: int, own: np.ndarray | None = None) -> Neighbors:
        found = super().nearest(queries, k, own)
        if sp.issparse(queries) and not np.isfinite(found.distances).all():
            least = int(np.isfinite(found.distances).sum(axis=1).min())
            raise ValueError(
                f"{k} neighbors per samples are required, but some samples have only {least} neighbors in precomputed "
                "graph matrix. Decrease number of neighbors used or recompute the graph with more neighbors."
            )
        return found


def open_search(
    rows: Any,
    metric: str | Callable[..., float],
    params: dict[str, Any],
    *,
    algorithm: str = "auto",
    leaf_size: int = 30,
    k: int = 5,
) -> NeighborSearch:
    """The search that a distance needs, over rows as a matrix, CSR or Table.

    Parameters
    ----------
    rows : ndarray, CSR matrix or Table
        The rows; the matrix of distances for "precomputed".
    metric : str or callable
        The distance.
    params : dict
        Its parameters.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}, default="auto"
        A tree, all pairs, or what looks faster.
    leaf_size : int, default=30
        Rows in a leaf of a tree.
    k : int, default=5
        Number of neighbours that will be asked for, about.
    """
    if metric == "precomputed":
        return PrecomputedSearch(rows)
    if metric == "gower":
        return GowerSearch(rows, algorithm, leaf_size, k)
    if sp.issparse(rows):
        return _sparse_search(rows, metric, params)
    if not callable(metric) and metric in NAMED_SPACES:
        return SpaceSearch(rows, space_named(metric, rows, params), algorithm, leaf_size, k)
    known = callable(metric) or (algorithm == "ball_tree" and metric in _BALLS_ELSEWHERE)
    if algorithm in ("kd_tree", "ball_tree") and not known:
        raise ValueError(f"Metric {metric!r} not valid for {algorithm}: wanted 'brute' or 'auto' as algorithm.")
    return PairSearch(rows, metric, params)


def _sparse_search(rows: Any, metric: Any, params: dict[str, Any]) -> NeighborSearch:
    if metric in ("minkowski", "p") and params.get("w") is None:
        metric = {1: "manhattan", 2: "euclidean"}.get(params.get("p", 2), metric)
    if callable(metric) or metric in ("manhattan", "cityblock", "l1"):
        return SparsePairSearch(rows, metric, params)
    if metric not in ("euclidean", "l2", "cosine"):
        raise TypeError(f"metric {metric!r} needs dense rows; wanted euclidean, manhattan or cosine, or X.toarray().")
    return SparseSearch(rows, metric == "cosine")
