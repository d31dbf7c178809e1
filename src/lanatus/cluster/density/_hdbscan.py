"""HDBSCAN."""

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.base import ClusterMixin

from lanatus._core import cluster as kernels
from lanatus.base import Floats, Integers, check_is_fitted, fitting, n_rows, n_threads
from lanatus.catalog import method
from lanatus.cluster.density._neighborhoods import Points, all_distances, as_points, nearest_label
from lanatus.neighbors import NEIGHBOR_RULES, NeighborsBase, check_precomputed, open_search, threads_of
from lanatus.params import Choice, Flag, Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise

_PLAIN = 12  # columns up to which a search tree may pay


class Branch(NamedTuple):
    """A branch of the condensed tree: its parent, the density of its birth, its rows and stability, whether taken."""

    parent: int
    birth: float
    size: int
    stability: float
    selected: bool


@method(
    section="9.7",
    task="clustering",
    en="HDBSCAN",
    zh="HDBSCAN",
    peers=["scikit-learn:HDBSCAN", "hdbscan:HDBSCAN", "fast-hdbscan:HDBSCAN"],
)
class HDBSCAN(ClusterMixin, NeighborsBase):
    r"""HDBSCAN: DBSCAN for all radii at once, of which each cluster is taken at those where it lasts longest.

    With core distances :math:`c(x)` the *mutual reachability* of two rows is :math:`\max(c(x), c(x'), dist(x, x'))`.
    Its single linkage is a tree; branches of fewer than `min_cluster_size` rows are rows that fall out of a larger one.
    A branch that is born at the density :math:`\lambda = 1 / dist` has the stability
    :math:`\sum_x (\lambda_x - \lambda_{birth})` over its rows, until they leave it. Those of most stability are the
    clusters.

    Book: section 9.7 (density clustering), 9.6 (single linkage). Kernels: ``cpp/cluster/hdbscan.hpp``,
    ``cpp/cluster/spanning_tree.hpp``.
    Cost: about :math:`O(n \log^2 n)` in few columns, :math:`O(n^2 d)` in many; memory :math:`O(nd)`. Distances that are
    not of points need the matrix of all pairs.

    Parameters
    ----------
    min_cluster_size : int, default=5
        Least rows of a cluster.
    min_samples : int or None, default=None
        Rows in the neighbourhood of a core row, itself included; None is `min_cluster_size`.
    cluster_selection_epsilon : float, default=0.0
        Clusters do not part below this distance.
    max_cluster_size : int or None, default=None
        Most rows of a cluster, for "eom".
    metric : str or callable, default="euclidean"
        The distance, as in `NearestNeighbors`.
    metric_params : dict or None, default=None
        Other parameters of the distance.
    alpha : float, default=1.0
        Distances are divided by it where they are compared with core distances.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        How neighbours are found; the answer is the same but for ties.
    leaf_size : int, default=40
        Rows in a leaf of a tree.
    n_jobs : int or None, default=None
        Threads; None and -1 are all that OMP_NUM_THREADS and threadpoolctl allow.
    cluster_selection_method : {"eom", "leaf"}, default="eom"
        Clusters of most stability, or the smallest ones, which never part.
    allow_single_cluster : bool, default=False
        Whether all rows may be one cluster.
    store_centers : {"centroid", "medoid", "both"} or None, default=None
        Centres to keep: means weighted by `probabilities_`, rows of least distance to the others, or both.
    copy : bool, default=True
        Taken for scikit-learn's sake; X is never changed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row, -1 for noise
    probabilities_ : ndarray of shape (n_samples,), how firmly each row is in its cluster; 0 for noise
    branches_ : list of Branch, the condensed tree: the root, then from the top down
    core_distances_ : ndarray of shape (n_samples,), how far the `min_samples`-th neighbour is
    children_ : ndarray of shape (n_samples - 1, 2), the merges of single linkage, as `AgglomerativeClustering`
    distances_ : ndarray of shape (n_samples - 1,), their heights
    centroids_ : ndarray of shape (n_clusters, n_features), weighted means; where asked for
    medoids_ : ndarray of shape (n_clusters, n_features), rows in the middle; where asked for
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Fewer rows than `min_samples` are all noise. `predict` gives a new row the cluster of its nearest row, if it lies
    within the distance at which that cluster was born (its own birth, and the core distance of that row), and -1
    otherwise: a rule of ours. Many pairs are equally far by mutual reachability, and which merges come first may differ
    from one implementation to the next.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.cluster import HDBSCAN
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(0, 0.1, (20, 2)), rng.normal(3, 0.5, (20, 2)), [[10.0, -10.0]]])
    >>> model = HDBSCAN().fit(X)
    >>> sorted(set(model.labels_.tolist())), int(model.labels_[-1])
    ([-1, 0, 1], -1)

    References
    ----------
    Campello, Moulavi, Sander: Density-based clustering based on hierarchical density estimates, PAKDD 2013. McInnes,
    Healy: Accelerated hierarchical density based clustering, ICDM workshops 2017. Malzer, Baum: A hybrid approach to
    hierarchical density-based cluster selection, MFI 2020 (`cluster_selection_epsilon`).
    """

    _state: ClassVar = {
        "labels_": Integers("rows", low=-1),
        "probabilities_": Floats("rows", low=0),
        "core_distances_": Floats("rows", finite=False, low=0),
        "_reach": Floats("rows", finite=False, low=0),
    }
    _lazy: ClassVar[bool] = False

    def __init__(
        self,
        min_cluster_size: int = 5,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        max_cluster_size: int | None = None,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 40,
        n_jobs: int | None = None,
        cluster_selection_method: str = "eom",
        allow_single_cluster: bool = False,
        store_centers: str | None = None,
        copy: bool = True,
    ) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.metric_params = metric_params
        self.alpha = alpha
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.store_centers = store_centers
        self.copy = copy

    _params = rules_for(
        __init__,
        NEIGHBOR_RULES,
        min_cluster_size=Integer(low=2),
        min_samples=Integer(low=1) | Nothing(),
        cluster_selection_epsilon=Real(low=0),
        max_cluster_size=Integer(low=1) | Nothing(),
        alpha=Real(above=0),
        cluster_selection_method=Choice("eom", "leaf"),
        allow_single_cluster=Flag(),
        store_centers=Choice("centroid", "medoid", "both") | Nothing(),
        copy=Flag(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X; y is ignored."""
        rows = self._take(X, reset=True)
        if self.metric == "precomputed":
            check_precomputed(rows, square=True)
            if self.store_centers:
                raise ValueError("Cannot store centers when using a precomputed distance matrix.")
        params = dict(self.metric_params or {})
        how: dict[str, Any] = {"algorithm": self.algorithm, "leaf_size": self.leaf_size}
        with threads_of(self.n_jobs):
            self._search = open_search(rows, self.metric, params, **how)
            self.children_, self.distances_ = self._merges(rows, as_points(rows, self.metric, params))
        self._select(n_rows(rows))
        self._keep_centers(rows, params)
        return self

    def _merges(self, rows: Any, points: Points | None) -> tuple[np.ndarray, np.ndarray]:
        """Single linkage of mutual reachability."""
        n, k = self._search.n, self.min_samples or self.min_cluster_size
        if k > n or n == 1:
            self.core_distances_ = np.full(n, np.inf)
            return np.empty((0, 2), np.int64), np.empty(0)
        if points is None or points.space.p != 2:
            D = all_distances(self._search)
            if self.metric == "precomputed" and sp.issparse(rows):
                D = _completed(D, k)
            self.core_distances_ = np.partition(D, k - 1, axis=1)[:, k - 1].astype(np.float64)
            D = np.maximum(D, D.T) / self.alpha  # a distance that is not symmetric: the larger of both
            np.maximum(D, self.core_distances_, out=D)
            np.maximum(D, self.core_distances_[:, None], out=D)
            if not np.isfinite(D).all():
                raise ValueError("distances must be finite: some rows have no path to the others. Take a larger graph.")
            return kernels.single_matrix(D)
        index = points.indexed(self.algorithm, self.leaf_size, k)
        core = index.nearest(points.rows, k).distances[:, -1].astype(np.float64)
        self.core_distances_ = points.distance(core)
        n, d = points.rows.shape
        scaled = points.rows.astype(np.float64) / self.alpha
        by_tree = d <= _PLAIN and n >= 300 * 1.5**d
        children, heights = kernels.single_rows(scaled, by_tree=by_tree, n_threads=n_threads(), core=core)
        return children, points.distance(heights)

    def _select(self, n: int) -> None:
        self.labels_, self.probabilities_ = np.full(n, -1, np.int32), np.zeros(n)
        self._reach = np.zeros(n)
        self._tree = (np.full(1, -1), np.zeros(1), np.full(1, n), np.zeros(1), np.zeros(1, bool))
        if not len(self.children_):
            return
        found = kernels.hdbscan(
            self.children_,
            np.ascontiguousarray(self.distances_, dtype=np.float64),
            min_size=self.min_cluster_size,
            leaves=self.cluster_selection_method == "leaf",
            allow_root=self.allow_single_cluster,
            max_size=float(self.max_cluster_size or 0),
            eps=float(self.cluster_selection_epsilon),
        )
        self.labels_, self.probabilities_, parent, birth, size, stability, chosen, branch, _ = found
        self._tree = (parent, birth, size, stability, chosen.astype(bool))
        self._reach = self._birth_distances(parent, birth, chosen.astype(bool), branch)

    @property
    def branches_(self) -> list[Branch]:
        """The condensed tree: the root, then from the top down."""
        check_is_fitted(self)
        return [Branch(*values) for values in zip(*(column.tolist() for column in self._tree), strict=True)]

    def _birth_distances(
        self, parent: np.ndarray, birth: np.ndarray, chosen: np.ndarray, branch: np.ndarray
    ) -> np.ndarray:
        """For each row, the distance at which its cluster was born, or its core distance where that is larger."""
        cluster = np.where(chosen, np.arange(len(parent)), -1)
        for b in range(1, len(parent)):  # parents stand before their children
            if cluster[b] < 0:
                cluster[b] = cluster[parent[b]]
        own = cluster[branch]
        with np.errstate(divide="ignore"):
            reach = np.where(own >= 0, 1 / birth[own], 0.0)
        largest = float(self.distances_.max())  # of the root, which was never born
        return np.maximum(np.minimum(reach, largest), np.minimum(self.core_distances_, largest))

    def _keep_centers(self, rows: Any, params: dict[str, Any]) -> None:
        for name in ("centroids_", "medoids_"):
            self.__dict__.pop(name, None)
        if not self.store_centers:
            return
        if not isinstance(rows, np.ndarray):
            kind = "sparse rows" if sp.issparse(rows) else "a mixed table"
            raise ValueError(f"store_centers wants dense numbers, got {kind}; leave it None.")
        count = int(self.labels_.max(initial=-1)) + 1
        members = [np.flatnonzero(self.labels_ == label) for label in range(count)]
        shape = (count, rows.shape[1])
        if self.store_centers in ("centroid", "both"):
            means = [np.average(rows[own], axis=0, weights=self.probabilities_[own]) for own in members]
            self.centroids_ = np.array(means, dtype=np.float64).reshape(shape)
        if self.store_centers in ("medoid", "both"):
            middle = []
            for own in members:
                away = all_distances(open_search(rows[own], self.metric, params))
                middle.append(rows[own[np.argmin(away @ self.probabilities_[own])]])
            self.medoids_ = np.array(middle, dtype=np.float64).reshape(shape)

    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> np.ndarray:
        """The clusters of DBSCAN without border rows at one radius.

        Parameters
        ----------
        cut_distance : float
            The radius.
        min_cluster_size : int, default=5
            Smaller clusters are noise.

        Returns
        -------
        ndarray of shape (n_samples,), int32, -1 for noise
        """
        check_is_fitted(self)
        n = len(self.labels_)
        kept = np.asarray(self.distances_) <= cut_distance
        parent = np.arange(2 * n - 1)
        for merge in np.flatnonzero(kept).tolist():
            parent[self.children_[merge]] = n + merge
        for node in range(2 * n - 2, -1, -1):  # merges stand behind what they merge
            parent[node] = parent[parent[node]]
        tops, labels, counts = np.unique(parent[:n], return_inverse=True, return_counts=True)
        large = counts >= min_cluster_size
        first = np.array([np.flatnonzero(labels == k)[0] if large[k] else n for k in range(len(tops))])
        number = np.where(large, np.argsort(np.argsort(first)), -1)
        return number[labels].astype(np.int32)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Cluster of the nearest row of ``fit``, -1 where that is farther than the distance its cluster was born at."""
        check_is_fitted(self)
        return nearest_label(self, X, self._reach)


def _completed(D: np.ndarray, k: int) -> np.ndarray:
    """Distances of a sparse graph, in which rows that are no neighbours are farther apart than any that are.

    Merges then follow the edges of the graph, which must be of one piece for that.
    """
    edges = np.isfinite(D) | np.isfinite(D.T)
    least = int(edges.sum(axis=1).min())
    if least < k:
        raise ValueError(
            f"There exists points with fewer than {k} neighbors: a row of the graph has {least}, itself counted. "
            "Take a graph with more neighbors, or a smaller min_samples."
        )
    pieces = connected_components(sp.csr_array(edges), directed=False, return_labels=False)
    if pieces > 1:
        raise ValueError(
            f"HDBSCAN cannot be performed on a disconnected graph: this has {pieces} pieces. Take one with more "
            "neighbors, or cluster the pieces."
        )
    D = np.minimum(D, D.T)
    D[~edges] = 2 * D[edges].max() + 1
    return D
