"""Points ready to be searched for neighbours."""

from typing import Any, NamedTuple

import numpy as np

from lanatus._core import core
from lanatus._core import neighbors as kernels
from lanatus.base import n_threads
from lanatus.catalog import savable
from lanatus.metric import EUCLIDEAN, Minkowski

_LEAF_SIZE = 16
_FEW_POINTS = 512  # are compared with every query sooner than a tree is looked at
_WIDEST_TREE = 256  # columns; above, growing one costs more than it can save
_PILOTS = 48  # rows that tell how much of a tree a search looks at
# Costs of a coordinate, in the time that the tile takes for one (measured on AVX2): in leaves of a tree, and for a
# point or a row of a leaf whatever its width.
_LEAF_COST, _ROW_COST, _POINT_COST = 2.5, 8.0, 10.0
_COMFORTABLE = 1e15  # numbers between its inverse and this have squares in float32


class Neighbors(NamedTuple):
    """For each query its nearest points, nearest first, as int32, and how far they are."""

    indices: np.ndarray
    distances: np.ndarray


class Within(NamedTuple):
    """For all queries one after the other the points within a radius, by number, and how far they are.

    Those of query i stand at ``starts[i]:starts[i + 1]``: the arrays are those of a CSR matrix.
    """

    starts: np.ndarray
    indices: np.ndarray
    distances: np.ndarray


@savable
class PointIndex:
    """Points in a search tree, or as they are where comparing all pairs is faster. Made by `open_index`.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        The points, float32 or float64.
    p : float
        Order of Minkowski's distance.
    tree : tuple of three arrays or None
        Leaves, nodes, and the point at each place; None compares all pairs.
    balls : bool
        Whether balls bound the nodes, rather than boxes.
    """

    def __init__(self, points: np.ndarray, p: float, tree: tuple[np.ndarray, ...] | None, balls: bool) -> None:
        self.points = points
        self.p = p
        self.balls = balls
        self.leaves: Any = None
        self.nodes: Any = None
        self.order: Any = None
        if tree is not None:
            self.leaves, self.nodes, self.order = tree

    @property
    def algorithm(self) -> str:
        """What is done: "brute", "kd_tree" or "ball_tree"."""
        if self.leaves is None or len(self.leaves) == 1:  # one leaf is a plain scan
            return "brute"
        return "ball_tree" if self.balls else "kd_tree"

    def nearest(self, queries: np.ndarray, k: int, own: np.ndarray | None = None) -> Neighbors:
        """The k points nearest to each query, without the one that it is itself; ties go to the lower point."""
        _check_k(k, len(self.points), own)
        own = None if own is None else own.astype(np.int64, copy=False)
        queries = _in_floats(queries)
        if (scaled := _rescaled(self.points, queries, self.p)) is not None:
            points, queries, scale = scaled
            found = open_index(points, Minkowski(self.p), algorithm=self.algorithm).nearest(queries, k, own)
            return Neighbors(found.indices, found.distances * scale)
        queries = queries.astype(self.points.dtype, copy=False)
        if self.leaves is None:
            return Neighbors(*kernels.nearest_brute(self.points, queries, k, own, n_threads=n_threads()))
        return Neighbors(*kernels.nearest_tree(queries, *self._tree, **self._how, k=k, own=own, n_threads=n_threads()))

    def within(self, queries: np.ndarray, radius: Any, own: np.ndarray | None = None) -> Within:
        """All points at a distance of at most `radius`, one number or one for each query, without the query itself."""
        own = None if own is None else own.astype(np.int64, copy=False)
        radii = np.atleast_1d(np.asarray(radius, dtype=np.float64))
        queries = _in_floats(queries)
        if (scaled := _rescaled(self.points, queries, self.p)) is not None:
            points, queries, scale = scaled
            index = open_index(points, Minkowski(self.p), algorithm=self.algorithm)
            starts, indices, distances = index.within(queries, radii / scale, own)
            return Within(starts, indices, distances * scale)
        queries = queries.astype(self.points.dtype, copy=False)
        if self.leaves is None:
            return Within(*kernels.within_brute(self.points, queries, radii, own, n_threads=n_threads()))
        how = {**self._how, "radii": radii, "own": own, "n_threads": n_threads()}
        return Within(*kernels.within_tree(queries, *self._tree, **how))

    @property
    def _tree(self) -> tuple[Any, ...]:
        return self.leaves, self.nodes, self.order

    @property
    def _how(self) -> dict[str, Any]:
        return {"balls": self.balls, "p": self.p}


def open_index(
    points: np.ndarray,
    metric: Minkowski = EUCLIDEAN,
    *,
    algorithm: str = "auto",
    leaf_size: int = _LEAF_SIZE,
    k: int = 5,
    n_queries: int | None = None,
) -> PointIndex:
    """An index over points.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        The points.
    metric : Minkowski, default=EUCLIDEAN
        The distance.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}, default="auto"
        "auto" grows a k-d tree, looks how much of it a few searches see, and keeps it if that is cheaper than
        comparing all pairs. Answers are the same. Only the Euclidean distance compares all pairs by products; others
        scan a tree that is one leaf.
    leaf_size : int, default=16
        Rows in a leaf, in steps of eight.
    k : int, default=5
        Number of neighbours that will be asked for, about.
    n_queries : int, optional
        How many queries there will be; as many as points by default.
    """
    points = _in_floats(points)
    n, d = points.shape
    if algorithm == "brute" and metric == EUCLIDEAN:
        return PointIndex(points, metric.p, None, False)
    if algorithm == "auto" and metric == EUCLIDEAN and _is_small(n, d, n_queries):
        return PointIndex(points, metric.p, None, False)
    balls = algorithm == "ball_tree"
    leaf_size = n if algorithm == "brute" else leaf_size
    tree = kernels.search_tree(points, leaf_size=leaf_size, balls=balls, p=metric.p, n_threads=n_threads())
    if algorithm == "auto" and metric == EUCLIDEAN and not _pays(points, tree, metric.p, k):
        return PointIndex(points, metric.p, None, False)
    return PointIndex(points, metric.p, tree, balls)


def _in_floats(X: np.ndarray) -> np.ndarray:
    """X row by row, as float32 where it is that, otherwise as float64."""
    return np.ascontiguousarray(X, dtype=np.float32 if X.dtype == np.float32 else np.float64)


def _is_small(n: int, d: int, n_queries: int | None) -> bool:
    """Whether there is too little to do, or too many columns, for a tree to be worth growing."""
    return n <= _FEW_POINTS or d > _WIDEST_TREE or (n_queries is not None and n_queries < 2 * np.log2(n))


def _pays(points: np.ndarray, tree: tuple[Any, ...], p: float, k: int) -> bool:
    """Whether a search by the tree looks at so few leaves that it is cheaper than comparing all pairs."""
    n, d = points.shape
    pilots = points[np.linspace(0, n - 1, min(_PILOTS, n)).astype(np.intp)]
    leaves = kernels.leaves_a_query(pilots, *tree, balls=False, p=p, k=min(k, n))
    rows = leaves * tree[0].shape[1] / d
    return bool(rows * (_LEAF_COST * d + _ROW_COST) < n * (d + _POINT_COST))


def _check_k(k: int, n: int, own: np.ndarray | None) -> None:
    most = n - (own is not None)
    if not 1 <= k <= most:
        others = "other points" if own is not None else "points"
        raise ValueError(f"k={k} neighbours are wanted, but there are {most} {others}.")


def _rescaled(points: np.ndarray, queries: np.ndarray, p: float) -> tuple[np.ndarray, np.ndarray, float] | None:
    """Both divided by a power of two, which is exact, where powers of their gaps would overflow or vanish."""
    safe = _COMFORTABLE if p <= 2 or np.isinf(p) else _COMFORTABLE ** (2 / p)
    threads = n_threads()
    if not len(queries) or all(
        core.all_finite(part, allow_nan=False, limit=safe, n_threads=threads)
        and not core.all_finite(part, allow_nan=False, limit=1 / safe, n_threads=threads)
        for part in (points, queries)
    ):
        return None
    largest = max(float(np.abs(points).max()), float(np.abs(queries).max()))
    if largest == 0 or 1 / safe < largest < safe:
        return None
    scale = 2.0 ** np.frexp(largest)[1]
    return points.astype(np.float64) / scale, queries.astype(np.float64) / scale, scale
