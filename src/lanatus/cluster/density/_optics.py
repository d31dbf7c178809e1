"""OPTICS."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClusterMixin

from lanatus._core import cluster as kernels
from lanatus.base import Floats, Integers, check_is_fitted, fitting, n_rows
from lanatus.catalog import method
from lanatus.cluster.density._neighborhoods import all_distances, as_points, nearest_label
from lanatus.cluster.density._reachability_plot import cluster_optics_dbscan, cluster_optics_xi
from lanatus.neighbors import (
    NEIGHBOR_RULES,
    NeighborsBase,
    NeighborSearch,
    check_precomputed,
    open_search,
    threads_of,
)
from lanatus.params import Choice, Flag, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.scale import blockwise

_COUNT = Integer(low=2) | Real(above=0, high=1)
_FEW = 2_000  # rows of which all pairs are compared sooner than a tree is searched


@method(
    "cluster.optics",
    section="9.7",
    task="clustering",
    en="OPTICS",
    zh="OPTICS",
    peers=["scikit-learn:OPTICS"],
)
class OPTICS(ClusterMixin, NeighborsBase):
    r"""OPTICS: rows in the order in which they are reached, so that clusters of any density are valleys.

    With the *core distance* :math:`c(x)`, how far the `min_samples`-th neighbour is (the row itself is the first), the
    rows come one after the other, each time the one of the least *reachability*
    :math:`r(x) = \min_{x'} \max(c(x'), dist(x', x))` over those before it. Clusters are cut out of the plot of r.

    Book: section 9.7. Kernels: ``cpp/cluster/optics.hpp``.
    Cost: :math:`O(n^2 d)` for an unbounded `max_eps`, with memory :math:`O(nd)`; with a small one
    :math:`O(n m \log n)` for m rows within it.

    Parameters
    ----------
    min_samples : int or float, default=5
        Rows in the neighbourhood of a core row, itself included; a share of all below 1.
    max_eps : float, default=inf
        Neighbours farther than this are not looked at.
    metric : str or callable, default="minkowski"
        The distance, as in `NearestNeighbors`.
    p : float, default=2
        Order of Minkowski's distance.
    metric_params : dict or None, default=None
        Other parameters of the distance.
    cluster_method : {"xi", "dbscan"}, default="xi"
        How clusters are cut out: by steep slopes, or by a height.
    eps : float or None, default=None
        The height, for "dbscan"; None is `max_eps`.
    xi : float, default=0.05
        Least steepness of a slope: by what share reachability falls from a row to the next.
    predecessor_correction : bool, default=True
        Whether rows at the end of a cluster that were not reached from inside it are left out, for "xi".
    min_cluster_size : int, float or None, default=None
        Least rows of a cluster, for "xi"; a share of all below 1; None is `min_samples`.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How neighbours are found; the answer is the same.
    leaf_size : int, default=30
        Rows in a leaf of a tree.
    memory : None, default=None
        Taken for scikit-learn's sake; only None, for nothing here is worth a cache on disk.
    n_jobs : int or None, default=None
        Threads; None and -1 are all that OMP_NUM_THREADS and threadpoolctl allow.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), cluster of each row, -1 for noise
    ordering_ : ndarray of shape (n_samples,), the rows in their order
    reachability_ : ndarray of shape (n_samples,), by row; infinite for the first of each part that is apart
    core_distances_ : ndarray of shape (n_samples,), infinite where it is beyond `max_eps`
    predecessor_ : ndarray of shape (n_samples,), the row from which each was reached, -1 for none
    cluster_hierarchy_ : ndarray of shape (n_clusters, 2), first and last place in the order, small ones first; for "xi"
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Fewer rows than `min_samples` are all noise. `predict` gives a new row the cluster of its nearest row, if it lies no
    farther from that than its reachability or core distance, and -1 otherwise: a rule of ours.

    Examples
    --------
    >>> from lanatus.cluster import OPTICS
    >>> X = [[1.0], [1.1], [1.2], [5.0], [5.2], [5.4], [20.0]]
    >>> model = OPTICS(min_samples=2, cluster_method="dbscan", eps=1.0).fit(X)
    >>> model.labels_.tolist(), model.reachability_.round(1).tolist()
    ([0, 0, 0, 1, 1, 1, -1], [inf, 0.1, 0.1, 3.8, 0.2, 0.2, 14.6])

    References
    ----------
    Ankerst, Breunig, Kriegel, Sander: OPTICS: ordering points to identify the clustering structure, SIGMOD 1999.
    """

    _state: ClassVar = {
        "labels_": Integers("rows", low=-1),
        "ordering_": Integers("rows", below="rows"),
        "reachability_": Floats("rows", finite=False, low=0),
        "core_distances_": Floats("rows", finite=False, low=0),
        "predecessor_": Integers("rows", low=-1, below="rows"),
    }
    _lazy: ClassVar[bool] = False

    def __init__(
        self,
        *,
        min_samples: Any = 5,
        max_eps: float = np.inf,
        metric: Any = "minkowski",
        p: float = 2,
        metric_params: dict[str, Any] | None = None,
        cluster_method: str = "xi",
        eps: float | None = None,
        xi: float = 0.05,
        predecessor_correction: bool = True,
        min_cluster_size: Any = None,
        algorithm: str = "auto",
        leaf_size: int = 30,
        memory: None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.min_samples = min_samples
        self.max_eps = max_eps
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.cluster_method = cluster_method
        self.eps = eps
        self.xi = xi
        self.predecessor_correction = predecessor_correction
        self.min_cluster_size = min_cluster_size
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.memory = memory
        self.n_jobs = n_jobs

    _params = rules_for(
        __init__,
        NEIGHBOR_RULES,
        min_samples=_COUNT,
        max_eps=Real(low=0) | Satisfies(lambda value: value == np.inf, "infinity"),
        cluster_method=Choice("xi", "dbscan"),
        eps=Real(low=0) | Nothing(),
        xi=Real(low=0, high=1),
        predecessor_correction=Flag(),
        min_cluster_size=_COUNT | Nothing(),
        memory=Nothing(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Put the rows of X in order, and cut clusters out of it; y is ignored."""
        rows = self._take(X, reset=True)
        if self.metric == "precomputed":
            check_precomputed(rows, square=True)
        n = n_rows(rows)
        min_samples = rows_of(self.min_samples, n)
        with threads_of(self.n_jobs):
            self._order(rows, min_samples)
        self._cut(min_samples)
        return self

    def _order(self, rows: Any, min_samples: int) -> None:
        params = dict(self.metric_params or {})
        if self.metric in ("minkowski", "p"):
            params.setdefault("p", self.p)
        points = as_points(rows, self.metric, params)
        self._search = open_search(rows, self.metric, params, algorithm=self.algorithm, leaf_size=self.leaf_size)
        n = self._search.n
        if min_samples > n:  # no row has so many neighbours
            core, found = np.full(n, np.inf), (np.arange(n), np.full(n, np.inf), np.full(n, -1))
        elif points is None:
            core, found = self._order_pairs(self._search, min_samples)
        else:
            reach = points.length(self.max_eps) if np.isfinite(self.max_eps) else np.inf
            index = points.indexed(self.algorithm, self.leaf_size, min_samples)
            core = _bounded(index.nearest(points.rows, min_samples).distances[:, -1], reach)
            how = {"core": core, "max_eps": reach, "p": points.space.p}
            if index.leaves is None or not np.isfinite(reach) or len(core) <= _FEW:
                found = kernels.optics_pairs(points.rows, **how)
            else:
                tree = (index.leaves, index.nodes, index.order)
                found = kernels.optics_tree(points.rows, *tree, balls=index.balls, **how)
            core, found = points.distance(core), (found[0], points.distance(found[1]), found[2])
        self.core_distances_ = core
        self.ordering_, self.reachability_, self.predecessor_ = found

    def _order_pairs(self, search: NeighborSearch, min_samples: int) -> tuple[np.ndarray, Any]:
        """By the matrix of all distances; a row is at distance 0 of itself."""
        D = all_distances(search)
        core = _bounded(np.partition(D, min_samples - 1, axis=1)[:, min_samples - 1], self.max_eps)
        return core, kernels.optics_matrix(D, core, max_eps=float(self.max_eps))

    def _cut(self, min_samples: int) -> None:
        self.__dict__.pop("cluster_hierarchy_", None)
        plot = (self.reachability_, self.ordering_)
        if len(plot[0]) > 1 and np.isinf(plot[0]).all():
            warnings.warn(
                f"All reachability values are inf: no row has min_samples={min_samples} rows within max_eps. Set a "
                "larger max_eps, or a smaller min_samples; all rows are noise.",
                stacklevel=4,
            )
        if self.cluster_method == "dbscan":
            eps = self.max_eps if self.eps is None else self.eps
            if eps > self.max_eps:
                raise ValueError(f"Specify an epsilon smaller than {self.max_eps}, max_eps. Got {eps}.")
            self.labels_ = cluster_optics_dbscan(
                reachability=plot[0], core_distances=self.core_distances_, ordering=plot[1], eps=float(eps)
            )
            return
        smallest = min_samples if self.min_cluster_size is None else rows_of(self.min_cluster_size, len(plot[0]))
        if smallest > len(plot[0]):
            self.labels_, self.cluster_hierarchy_ = np.full(len(plot[0]), -1), np.empty((0, 2), np.intp)
            return
        self.labels_, self.cluster_hierarchy_ = cluster_optics_xi(
            reachability=plot[0],
            predecessor=self.predecessor_,
            ordering=plot[1],
            min_samples=min_samples,
            min_cluster_size=smallest,
            xi=self.xi,
            predecessor_correction=self.predecessor_correction,
        )

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Cluster of the nearest row of ``fit``, -1 where it is farther than that row was from those before it."""
        check_is_fitted(self)
        return nearest_label(self, X, np.fmax(self._finite(self.reachability_), self._finite(self.core_distances_)))

    @staticmethod
    def _finite(lengths: np.ndarray) -> np.ndarray:
        return np.where(np.isfinite(lengths), lengths, 0.0)


def rows_of(count: Any, n: int) -> int:
    """A number of rows, or a share of n, at least 2."""
    return int(count) if isinstance(count, int | np.integer) else max(2, int(count * n))


def _bounded(core: np.ndarray, most: float) -> np.ndarray:
    return np.ascontiguousarray(np.where(core <= most, core, np.inf), dtype=np.float64)
