"""Clusterings that make an index best, and classes made of clusters."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClusterMixin, clone
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, Integers, check_is_fitted, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster.measures._convex import convex_separation_index
from lanatus.cluster.measures._silhouette import silhouette_score
from lanatus.cluster.measures._within import (
    calinski_harabasz_score,
    davies_bouldin_score,
    dunn_score,
    means_of,
)
from lanatus.cluster.prototype._kmeans import KMeans
from lanatus.cluster.prototype._kmeans_start import assign
from lanatus.cluster.prototype._lvq import LVQ
from lanatus.params import Choice, Function, Integer, Nothing, Satisfies, rules_for
from lanatus.scale import blockwise

# index -> (function, +1 where larger is better)
INDICES: dict[str, tuple[Callable[..., float], float]] = {
    "silhouette": (silhouette_score, 1.0),
    "dunn": (dunn_score, 1.0),
    "davies-bouldin": (partial(davies_bouldin_score, spread="pairwise"), -1.0),
    "calinski-harabasz": (calinski_harabasz_score, 1.0),
    "convex": (convex_separation_index, 1.0),
}


@method(
    "cluster.index-clustering",
    section="9.2",
    task="clustering",
    en="Clustering that optimises a validity index",
    zh="以指标为目标的聚类",
)
class IndexClustering(CallbackSupportMixin, ClusterMixin, Estimator):
    """The clusters that make a measure of section 9.2 best, as far as moves of single rows find them.

    Begins with k-means; then each row in turn is tried in the other clusters and moved where the index gets better,
    until no move helps. An index that rewards what is not wanted shows it here: the largest Dunn index may be that of
    an outlier and the rest.

    Book: section 9.2. Cost: n (k - 1) evaluations of the index a round: for small tables.

    Parameters
    ----------
    index : {"silhouette", "dunn", "davies-bouldin", "calinski-harabasz", "convex"} or callable, default="silhouette"
        What is made best; a callable takes X and labels, and larger is better.
    n_clusters : int, default=2
        Number of clusters, none of which is emptied.
    max_iter : int, default=20
        Most rounds.
    random_state : int, RandomState or None, default=None
        Draws the start of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row
    index_ : float, the index of these clusters
    start_index_ : float, that of k-means
    cluster_centers_ : ndarray of shape (n_clusters, n_features), means, by which ``predict`` goes
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import IndexClustering
    >>> model = IndexClustering("dunn", random_state=0).fit([[0.0], [1.0], [2.0], [3.0], [20.0]])
    >>> model.labels_.tolist(), round(model.index_, 3)
    ([0, 0, 0, 0, 1], 5.667)
    """

    _state: ClassVar = {
        "labels_": Integers("rows", below="clusters"),
        "cluster_centers_": Floats("clusters", "columns"),
    }

    def __init__(
        self, index: Any = "silhouette", *, n_clusters: int = 2, max_iter: int = 20, random_state: Any = None
    ) -> None:
        self.index = index
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.random_state = random_state

    _params = rules_for(__init__, index=Choice(*INDICES) | Function(), n_clusters=Integer(low=1))

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        """
        X = self._take(X, reset=True)
        n = X.shape[0]
        if n < self.n_clusters:
            raise ValueError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.")
        seed = int(check_random_state(self.random_state).randint(2**31))
        k = min(self.n_clusters, len(np.unique(X, axis=0)))
        labels = KMeans(k, n_init=3, random_state=seed).fit(X).labels_.copy()
        rows = np.asarray(X, dtype=np.float64)
        self.start_index_ = best = self._value(rows, labels, k)
        progress = Progress(self, X, max_iter=self.max_iter)
        self.n_iter_ = 0
        for iteration in progress.iterations() if 1 < k < n else ():
            before = best
            for row in range(n):
                labels, best = self._moved(rows, labels, k, row, best)
            self.n_iter_ = iteration.number + 1
            iteration.done(state=dict, attributes=partial(self._learned, rows, labels.copy(), k, best))
            if iteration.stop or not best > before:
                break
        learned = self._learned(rows, labels, k, best)
        for name, value in learned.items():
            setattr(self, name, value)
        progress.finish(learned)
        return self

    def _value(self, X: np.ndarray, labels: np.ndarray, k: int) -> float:
        """The index, larger is better."""
        if not 1 < k < len(X):
            return 0.0
        if callable(self.index):
            return float(self.index(X, labels))
        measure, sign = INDICES[self.index]
        return sign * float(measure(X, labels))

    def _moved(self, X: np.ndarray, labels: np.ndarray, k: int, row: int, best: float) -> tuple[np.ndarray, float]:
        """Labels with one row where the index is best, and that index."""
        own = labels[row]
        if np.count_nonzero(labels == own) < 2:
            return labels, best
        for other in range(k):
            trial = labels.copy()
            trial[row] = other
            if other != own and (value := self._value(X, trial, k)) > best + 1e-12 * abs(best):
                labels, best = trial, value
        return labels, best

    def _learned(self, X: np.ndarray, labels: np.ndarray, k: int, best: float) -> dict[str, Any]:
        sign = 1.0 if callable(self.index) else INDICES[self.index][1]
        return {"labels_": labels, "cluster_centers_": means_of(X, labels, k)[0], "index_": sign * best}

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The nearest mean of each row."""
        check_is_fitted(self)
        return assign(self._take(X, reset=False), self.cluster_centers_)[0]


@method(
    "cluster.cluster-then-classify",
    section="9.1",
    task="clustering",
    en="Clusters as a forerunner of classification",
    zh="聚类作前驱",
)
class ClusterThenClassify(ClusterMixin, Estimator):
    """Finds the classes by clustering, then learns to tell them apart with a classifier.

    What a clusterer without ``predict`` found is so carried to new rows, and a readable classifier, such as a small
    tree, says in words what the clusters are.

    Book: section 9.1. Cost: that of both.

    Parameters
    ----------
    clusterer : clusterer or None, default=None
        What finds the classes; None is `KMeans` with three clusters.
    classifier : classifier or None, default=None
        What learns them; None is `LVQ` with a prototype for each.

    Attributes
    ----------
    clusterer_ : fitted clusterer
    classifier_ : fitted classifier
    labels_ : ndarray of shape (n_samples,), cluster of each row; rows of noise, -1, are not learned from
    agreement_ : float, share of the rows that the classifier puts to their clusters
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import AgglomerativeClustering, ClusterThenClassify
    >>> model = ClusterThenClassify(AgglomerativeClustering(2)).fit([[0.0], [1.0], [8.0], [9.0]])
    >>> model.predict([[2.0], [7.0]]).tolist(), model.agreement_
    ([0, 1], 1.0)
    """

    _state: ClassVar = {"labels_": Integers("rows", low=-1)}

    def __init__(self, clusterer: Any = None, classifier: Any = None) -> None:
        self.clusterer = clusterer
        self.classifier = classifier

    _params = rules_for(
        __init__,
        clusterer=Satisfies(lambda value: hasattr(value, "fit_predict"), "a clusterer") | Nothing(),
        classifier=Satisfies(lambda value: hasattr(value, "predict"), "a classifier") | Nothing(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X and learn the clusters.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        """
        rows = self._take(X, reset=True)
        clusterer = KMeans(min(3, rows.shape[0]), random_state=0) if self.clusterer is None else clone(self.clusterer)
        self.labels_ = np.asarray(clusterer.fit_predict(rows))
        known = self.labels_ >= 0
        if not known.any():
            raise ValueError("the clusterer found noise only, no cluster to learn; change its parameters.")
        simple = LVQ(init="mean", order="given", max_iter=20) if self.classifier is None else clone(self.classifier)
        self.classifier_ = simple.fit(rows[known], self.labels_[known])
        self.clusterer_ = clusterer
        self.agreement_ = float(np.mean(self.classifier_.predict(rows[known]) == self.labels_[known]))
        return self

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The cluster that the classifier says."""
        check_is_fitted(self)
        return np.asarray(self.classifier_.predict(self._take(X, reset=False)))
