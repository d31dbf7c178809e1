"""Agglomerative clustering: AGNES."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_memory

from lanatus.base import Estimator, Floats, Integers, StateError, check_is_fitted, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster._pairwise import EUCLIDEAN_NAMES, METRIC
from lanatus.cluster._to_clusters import to_clusters
from lanatus.cluster.hierarchical._constrained import connected, constrained_tree
from lanatus.cluster.hierarchical._cut import labels_after, labels_below
from lanatus.cluster.hierarchical._merges import linkage_tree
from lanatus.cluster.measures._within import means_of
from lanatus.params import Array, Choice, Flag, Function, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.scale import blockwise


@method(
    "cluster.agnes",
    "cluster.single-linkage",
    "cluster.complete-linkage",
    "cluster.average-linkage",
    "cluster.hausdorff-linkage",
    section="9.6",
    task="clustering",
    en="AGNES agglomerative clustering",
    zh="AGNES层次聚类",
    peers=["scikit-learn:AgglomerativeClustering", "fastcluster:linkage", "genieclust:Genie", "scipy:linkage"],
)
class AgglomerativeClustering(CallbackSupportMixin, ClusterMixin, Estimator):
    r"""Agglomerative clustering: every row is a cluster, and the two nearest clusters are merged until enough are left.

    How far clusters are apart is the linkage: :math:`d_{min}` (9.41) single, :math:`d_{max}` (9.42) complete,
    :math:`d_{avg}` (9.43) average, the Hausdorff distance (9.44), Ward's increase of the sum of squares
    :math:`\sqrt{\tfrac{2ab}{a+b}} \lVert \mu_A - \mu_B \rVert` for sizes a and b, or the distance of the means.
    Ties are merged in the order of the rows.

    Book: section 9.6, figure 9.11. Kernels: ``cpp/cluster/linkage.hpp``, ``cpp/cluster/spanning_tree.hpp``.
    Cost: :math:`O(n^2 d)`. Memory :math:`O(nd)` for single and Ward linkage of Euclidean rows (single linkage is then
    a spanning tree, in few columns found in about :math:`O(n \log^2 n)`), else :math:`8 n^2` bytes. The whole tree is
    always made.

    Parameters
    ----------
    n_clusters : int or None, default=2
        Number of clusters; None where `distance_threshold` says where to stop.
    metric : str or callable, default="euclidean"
        Distance of rows, as in scikit-learn's ``pairwise_distances``; "precomputed" takes X as their distances. Ward's
        and centroid linkage are Euclidean.
    memory : str, joblib.Memory or None, default=None
        Where the tree is kept, so that other cuts of the same rows need not make it again.
    connectivity : array, sparse matrix, callable or None, default=None
        Which rows are neighbours, or what says so of X: only clusters with neighbours in each other are merged.
    compute_full_tree : "auto" or bool, default="auto"
        Taken for scikit-learn's sake; the whole tree is always made.
    linkage : {"ward", "complete", "average", "single", "centroid", "weighted", "hausdorff"}, default="ward"
        Distance of clusters.
    distance_threshold : float or None, default=None
        Clusters this far apart or farther are not merged; then `n_clusters` must be None.
    compute_distances : bool, default=False
        Taken for scikit-learn's sake; ``distances_`` are always there.

    Attributes
    ----------
    n_clusters_ : int, number of clusters found
    labels_ : ndarray of shape (n_samples,), cluster of each row, numbered by their first rows
    n_leaves_ : int, number of rows
    n_connected_components_ : int, pieces of the connectivity graph, 1 where there is none
    children_ : ndarray of shape (n_samples - 1, 2), the clusters of each merge; merge i makes cluster n_samples + i
    distances_ : ndarray of shape (n_samples - 1,), how far apart they were
    rows_ : ndarray, the rows, for ``predict``; nothing of them where distances were precomputed
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Nothing that AGNES did is undone, so a new row changes nothing either: ``predict`` gives the cluster whose linkage
    to the row, taken as a cluster of its own, is least. Rows of ``fit`` may be nearer to another cluster than to
    theirs: ``labels_`` are the clusters, ``predict`` is for rows to come.

    Examples
    --------
    >>> from lanatus.cluster import AgglomerativeClustering
    >>> from lanatus.data import load_watermelon
    >>> model = AgglomerativeClustering(7, linkage="complete").fit(load_watermelon("4.0").data)
    >>> [(model.labels_ == c).nonzero()[0].__add__(1).tolist() for c in range(3)]
    [[1, 26, 29], [2, 3, 4, 21, 22], [5, 7]]

    References
    ----------
    Kaufman and Rousseeuw (1990), Finding groups in data. Murtagh (1983), A survey of recent advances in hierarchical
    clustering algorithms. Muellner (2011), Modern hierarchical, agglomerative clustering algorithms. March, Ram and
    Gray (2010), Fast Euclidean minimum spanning tree.
    """

    _state: ClassVar = {
        "children_": Integers("merges", "pairs"),
        "distances_": Floats("merges", low=0),
        "labels_": Integers("rows"),
    }

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        metric: Any = "euclidean",
        memory: Any = None,
        connectivity: Any = None,
        compute_full_tree: Any = "auto",
        linkage: str = "ward",
        distance_threshold: float | None = None,
        compute_distances: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.memory = memory
        self.connectivity = connectivity
        self.compute_full_tree = compute_full_tree
        self.linkage = linkage
        self.distance_threshold = distance_threshold
        self.compute_distances = compute_distances

    _params = rules_for(
        __init__,
        n_clusters=Integer(low=1) | Nothing(),
        metric=METRIC,
        memory=Satisfies(lambda m: isinstance(m, str) or hasattr(m, "cache"), "a folder or a joblib.Memory")
        | Nothing(),
        connectivity=Array(ndim=2) | Function() | Nothing(),
        compute_full_tree=Choice("auto") | Flag(),
        linkage=Choice("ward", "complete", "average", "single", "centroid", "weighted", "hausdorff"),
        distance_threshold=Real(low=0) | Nothing(),
        compute_distances=Flag(),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Merge the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or (n_samples, n_samples) distances
            The rows.
        y : ignored
            There by convention.
        """
        self._require_one_stop()
        X = self._take(X, reset=True)
        if self.n_clusters is not None and X.shape[0] < self.n_clusters:
            raise ValueError(f"n_samples={X.shape[0]} should be >= n_clusters={self.n_clusters}.")
        self.n_leaves_ = X.shape[0]
        self.children_, self.distances_ = self._tree(X)
        if self.n_clusters is None:
            assert self.distance_threshold is not None
            self.labels_ = labels_below(self.children_, self.distances_, self.distance_threshold)
            self.n_clusters_ = int(self.labels_.max()) + 1
        else:
            self.labels_ = labels_after(self.children_, self.n_leaves_ - self.n_clusters)
            self.n_clusters_ = self.n_clusters
        self.rows_ = np.empty((0, 0)) if self.metric == "precomputed" else X.copy()
        self._tell_merges(X)
        return self

    def _require_one_stop(self) -> None:
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError(
                "Exactly one of n_clusters and distance_threshold has to be set, and the other needs to be None; got "
                f"n_clusters={self.n_clusters} and distance_threshold={self.distance_threshold}."
            )
        if self.distance_threshold is not None and self.compute_full_tree is False:
            raise ValueError(
                "compute_full_tree must be True if distance_threshold is set; got False. Leave it at 'auto'."
            )
        if self.linkage in ("ward", "centroid") and self.metric not in EUCLIDEAN_NAMES:
            raise ValueError(
                f"got metric={self.metric!r} with linkage={self.linkage!r}, which is of means and so Euclidean; take "
                "metric='euclidean', or linkage 'average', 'complete' or 'single'."
            )
        if self.connectivity is not None and self.linkage == "hausdorff":
            raise ValueError("linkage='hausdorff' needs the distances of all rows; take connectivity=None.")

    def _tree(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        memory = check_memory(self.memory)
        self.n_connected_components_ = 1
        if self.connectivity is not None:
            graph, self.n_connected_components_ = connected(X, self.connectivity, self.metric)
            return memory.cache(constrained_tree)(X, graph, self.linkage, self.metric)
        return memory.cache(linkage_tree)(X, self.linkage, self.metric)

    def _tell_merges(self, X: np.ndarray) -> None:
        """Each merge to the callbacks, as a model with the clusters of that moment."""
        stop = self.n_leaves_ - self.n_clusters_
        progress = Progress(self, X, max_iter=max(stop, 1))
        if progress.watched and stop:
            for iteration in progress.iterations():
                attributes = partial(self._after, iteration.number + 1)
                iteration.done(state=dict, attributes=attributes)
        progress.finish(self._after(stop))

    def _after(self, n_merges: int) -> dict[str, Any]:
        labels = labels_after(self.children_, n_merges)
        kept = ("children_", "distances_", "rows_", "n_leaves_", "n_connected_components_")
        return {"labels_": labels, "n_clusters_": self.n_leaves_ - n_merges} | {n: getattr(self, n) for n in kept}

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The cluster with the least linkage to each row; of precomputed distances, those to the rows of ``fit``."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        return nearest_by_linkage(X, self.rows_, self.labels_, self.n_clusters_, self.linkage, self.metric)

    def _require_sound(self) -> None:
        labels = getattr(self, "labels_", None)
        if labels is not None and len(np.unique(labels)) != labels.max() + 1:
            raise StateError("labels_ leaves out the number of a cluster")


def nearest_by_linkage(
    X: np.ndarray, rows: np.ndarray, labels: np.ndarray, k: int, linkage: str, metric: Any
) -> np.ndarray:
    """The cluster of rows whose linkage to each row of X is least; ties go to the lower."""
    sizes = np.bincount(labels, minlength=k).astype(np.float64)
    if linkage in ("ward", "centroid"):
        means, _ = means_of(np.asarray(rows, dtype=np.float64), labels, k)
        apart = to_clusters(X, means, np.arange(k), k, "sum")
        if linkage == "ward":
            apart *= np.sqrt(sizes / (sizes + 1))
    elif linkage == "single":
        apart = to_clusters(X, rows, labels, k, "smallest", metric=metric)
    elif linkage in ("complete", "hausdorff"):
        apart = to_clusters(X, rows, labels, k, "largest", metric=metric)
    else:
        apart = to_clusters(X, rows, labels, k, "sum", metric=metric) / sizes
    return np.asarray(apart.argmin(axis=1))
