"""DBSCAN."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClusterMixin

from lanatus.base import Floats, Integers, check_is_fitted, fitting, n_rows, take_rows
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster.density._neighborhoods import DensityClusters, as_points, clusters_of_lists, clusters_of_points
from lanatus.metric import NAMED_SPACES
from lanatus.neighbors import (
    NEIGHBOR_RULES,
    NeighborsBase,
    NeighborSearch,
    PrecomputedSearch,
    check_precomputed,
    open_search,
    threads_of,
)
from lanatus.params import Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise
from lanatus.table import Table


@method(
    "cluster.dbscan",
    section="9.5",
    task="clustering",
    en="DBSCAN",
    zh="DBSCAN",
    peers=["scikit-learn:DBSCAN", "dbscan:DBSCAN"],
)
class DBSCAN(CallbackSupportMixin, ClusterMixin, NeighborsBase):
    r"""DBSCAN: dense places, and what can be reached from them, are clusters; the rest is noise.

    A row is *core* if the rows of its neighbourhood :math:`N_\epsilon(x) = \{x' : dist(x, x') \le \epsilon\}`, itself
    included, weigh `min_samples` or more. Core rows within :math:`\epsilon` of each other are of one cluster, and so
    are the rows in their neighbourhoods: each cluster is connected (9.39) and maximal (9.40). A row near core rows of
    several clusters goes with the first.

    Book: section 9.5, figure 9.9. Kernels: ``cpp/cluster/dbscan.hpp``.
    Cost: :math:`O(n \log n)` in few columns and for few neighbours, :math:`O(n^2 d)` at worst; memory :math:`O(nd)`.
    Distances that are not of points (functions, "precomputed", sparse rows) hold the list of all neighbours.

    Parameters
    ----------
    eps : float, default=0.5
        Radius of a neighbourhood.
    min_samples : int, default=5
        Least weight of the neighbourhood of a core row, *MinPts*.
    metric : str or callable, default="euclidean"
        The distance, as in `NearestNeighbors`: a name, "gower" for mixed tables, "precomputed", or a function.
    metric_params : dict or None, default=None
        Other parameters of the distance.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How neighbours are found; the clusters are the same. "auto" is a grid for up to three columns, a k-d tree for
        more, and all pairs for many.
    leaf_size : int, default=30
        Rows in a leaf of a tree.
    p : float or None, default=None
        Order of Minkowski's distance; None is 2.
    n_jobs : int or None, default=None
        Threads; None and -1 are all that OMP_NUM_THREADS and threadpoolctl allow.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row, -1 for noise
    core_sample_indices_ : ndarray of shape (n_core,), the core rows
    components_ : ndarray of shape (n_core, n_features), themselves; not there for tables of mixed columns
    n_clusters_ : int, number of clusters
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    `predict` gives a new row the cluster of its nearest core row, if that is within `eps`, and -1 otherwise: a rule of
    ours, for the book and scikit-learn have none. A row of ``fit`` that is near several clusters may so get another of
    them than in `labels_`. `eps` of 0 joins equal rows only. A row of weight 0 is as if it were not there, and never
    core (in scikit-learn it may be), but gets a label.

    Examples
    --------
    >>> from lanatus.cluster import DBSCAN
    >>> from lanatus.data import load_watermelon
    >>> X = load_watermelon("4.0").data
    >>> model = DBSCAN(eps=0.11, min_samples=5).fit(X)
    >>> (model.core_sample_indices_ + 1).tolist()
    [3, 5, 6, 8, 9, 13, 14, 18, 19, 24, 25, 28, 29]
    >>> model.n_clusters_, (np.flatnonzero(model.labels_ < 0) + 1).tolist()
    (4, [11, 15])

    References
    ----------
    Ester, Kriegel, Sander, Xu: A density-based algorithm for discovering clusters, KDD 1996. Gunawan, de Berg: A faster
    algorithm for DBSCAN, 2013 (the grid).
    """

    _state: ClassVar = {
        "labels_": Integers("rows", low=-1),
        "core_sample_indices_": Integers("core", below="rows"),
        "core_labels_": Integers("core"),
        "components_": Floats("core", "columns") | Floats("core", "rows"),
    }
    _lazy: ClassVar[bool] = False

    def __init__(
        self,
        eps: float = 0.5,
        *,
        min_samples: int = 5,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.eps = eps
        self.min_samples = min_samples
        self.metric = metric
        self.metric_params = metric_params
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p  # type: ignore[assignment]
        self.n_jobs = n_jobs

    _params = rules_for(
        __init__, NEIGHBOR_RULES, eps=Real(low=0), min_samples=Integer(low=1), p=Real(low=1) | Nothing()
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X; y is ignored, and a row of weight w counts as w rows."""
        rows = self._take(X, reset=True)
        weight = self._weights(sample_weight, rows)
        if self.metric == "precomputed":
            check_precomputed(rows, square=True)
        with threads_of(self.n_jobs):
            found = self._clusters(rows, weight)
        self.labels_, self.n_clusters_ = found.labels, int(found.labels.max(initial=-1)) + 1
        self.core_sample_indices_ = np.flatnonzero(found.core)
        self._tell(rows, weight, found)
        self._keep_core(rows)
        return self

    def _distance_params(self) -> dict[str, Any]:
        params = dict(self.metric_params or {})
        if self.metric in ("minkowski", "p"):
            params.setdefault("p", 2.0 if self.p is None else self.p)
        return params

    def _clusters(self, rows: Any, weight: np.ndarray | None) -> DensityClusters:
        params = self._distance_params()
        points = as_points(rows, self.metric, params)
        if points is not None:
            found = clusters_of_points(points, weight, self.eps, self.min_samples, self.algorithm, self.leaf_size)
            if found is not None:
                return found
        search = open_search(rows, self.metric, params, algorithm=self.algorithm, leaf_size=self.leaf_size)
        return clusters_of_lists(search, weight, self.eps, self.min_samples)

    def _tell(self, rows: Any, weight: np.ndarray | None, found: DensityClusters) -> None:
        """The clusters one after the other, as the book makes them, for who wants to watch."""
        progress = Progress(self, rows, weight, max_iter=max(self.n_clusters_, 1))
        for iteration in progress.iterations():
            made = iteration.number
            iteration.done(state=dict, attributes=lambda made=made: self._after(found, made))  # type: ignore[misc]
        progress.finish(self._after(found, self.n_clusters_))

    def _after(self, found: DensityClusters, made: int) -> dict[str, Any]:
        """What is known when clusters 0 to `made` are."""
        return {
            "labels_": np.where(found.labels <= made, found.labels, -1).astype(np.int32),
            "core_sample_indices_": self.core_sample_indices_,
            "n_clusters_": min(made + 1, self.n_clusters_),
        }

    def _keep_core(self, rows: Any) -> None:
        """The core rows, for `predict`; of precomputed distances there is nothing to keep."""
        self.core_labels_ = self.labels_[self.core_sample_indices_]
        self.__dict__.pop("components_", None)
        self.__dict__.pop("_search", None)
        if self.metric == "precomputed":
            self.components_ = rows[self.core_sample_indices_]
            return
        core = take_rows(rows, self.core_sample_indices_)
        if not isinstance(core, Table):
            self.components_ = core.copy() if sp.issparse(core) else np.array(core)
        # A tree over points is grown when new rows come: most models never see any.
        if len(self.core_sample_indices_) and not (isinstance(core, np.ndarray) and self.metric in NAMED_SPACES):
            self._search = self._opened(core)

    def _opened(self, core: Any) -> NeighborSearch:
        how: dict[str, Any] = {"algorithm": self.algorithm, "leaf_size": self.leaf_size, "k": 1}
        return open_search(core, self.metric, self._distance_params(), **how)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Cluster of the nearest core row of each row, -1 where that is farther than `eps`."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        if not len(self.core_sample_indices_):
            return np.full(n_rows(rows), -1, np.int32)
        if self.metric == "precomputed":
            rows = rows[:, self.core_sample_indices_]
            rows = PrecomputedSearch(rows).distances(rows)  # what is not in a sparse matrix is far away
            near = rows.argmin(axis=1)
            away = rows[np.arange(len(rows)), near]
        else:
            with threads_of(self.n_jobs):
                search = self._search if hasattr(self, "_search") else self._opened(self.components_)
                found = search.nearest(rows, 1)
            near, away = found.indices[:, 0], found.distances[:, 0]
        return np.where(away <= self.eps, self.core_labels_[near], -1).astype(np.int32)
