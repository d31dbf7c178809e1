"""BIRCH: subclusters from a feature tree, then clusters of these."""

import warnings
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning

from lanatus._core import cluster as kernels
from lanatus.base import Estimator, Floats, Integers, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.cluster.hierarchical._agglomerative import AgglomerativeClustering
from lanatus.cluster.prototype._kmeans_start import assign
from lanatus.metric import squared_euclidean
from lanatus.params import Flag, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.scale import Block, InMemory, blockwise, open_engine


@method(
    "cluster.birch",
    section="9.7",
    task="clustering",
    en="BIRCH",
    zh="BIRCH",
    peers=["scikit-learn:Birch"],
)
class Birch(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    r"""Rows are summed up in subclusters of a bounded radius by one pass, and the subclusters are clustered.

    A subcluster is its clustering feature: weight, mean and squared deviations. A row goes down a tree of features to
    the nearest subcluster and joins it if the radius :math:`\sqrt{\frac{1}{w}\sum_i w_i \lVert x_i - \mu \rVert^2}`
    stays within the threshold; else it begins one of its own.

    Book: section 9.7. Kernel: ``cpp/cluster/birch.hpp``.
    Cost: about :math:`O(n B d \log n)` for branching factor B, then the clustering of the subclusters; memory is that
    of the subclusters. A source is read once, block by block, as rows in memory are; on Dask every partition makes
    subclusters of its own, which are then put into one tree, so that these may differ a little.

    Parameters
    ----------
    threshold : float, default=0.5
        Largest radius of a subcluster.
    branching_factor : int, default=50
        Most children of a node.
    n_clusters : int, clusterer or None, default=3
        Clusters of the subclusters: so many by Ward's linkage, or what a clusterer makes of their means; None leaves
        the subclusters as they are.
    compute_labels : bool, default=True
        Whether rows in memory get labels.

    Attributes
    ----------
    subcluster_centers_ : ndarray of shape (n_subclusters, n_columns), their means
    subcluster_weights_ : ndarray of shape (n_subclusters,), rows, or weight, of each
    subcluster_deviations_ : ndarray of shape (n_subclusters,), squared deviations from the mean
    subcluster_labels_ : ndarray of shape (n_subclusters,), cluster of each
    labels_ : ndarray of shape (n_samples,), cluster of each row; not kept for sources, Dask and ``partial_fit``
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import Birch
    >>> Birch(n_clusters=None, threshold=0.6).fit_predict([[0.0], [1.0], [8.0], [9.0]]).tolist()
    [0, 0, 1, 1]

    References
    ----------
    Zhang, Ramakrishnan and Livny (1996), BIRCH: an efficient data clustering method for very large databases. Lang and
    Schubert (2020), BETULA: numerically stable CF-trees for BIRCH clustering.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {
        "subcluster_centers_": Floats("subclusters", "columns"),
        "subcluster_weights_": Floats("subclusters", low=0),
        "subcluster_deviations_": Floats("subclusters", low=0),
        "subcluster_labels_": Integers("subclusters"),
    }

    def __init__(
        self,
        *,
        threshold: float = 0.5,
        branching_factor: int = 50,
        n_clusters: Any = 3,
        compute_labels: bool = True,
    ) -> None:
        self.threshold = threshold
        self.branching_factor = branching_factor
        self.n_clusters = n_clusters
        self.compute_labels = compute_labels

    _params = rules_for(
        __init__,
        threshold=Real(above=0),
        branching_factor=Integer(low=2),
        n_clusters=Integer(low=1) | Satisfies(lambda m: hasattr(m, "fit_predict"), "a clusterer") | Nothing(),
        compute_labels=Flag(),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array, frame, sparse matrix, scanned source or Dask collection of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        """
        engine = open_engine(self, X)
        if isinstance(self.n_clusters, int | np.integer) and engine.n_rows < self.n_clusters:
            raise ValueError(f"n_samples={engine.n_rows} should be >= n_clusters={self.n_clusters}.")
        features = engine.reduce(partial(_features, float(self.threshold), int(self.branching_factor)))
        self._learn(features.merged(), engine.dtype)
        self.__dict__.pop("labels_", None)
        if self.compute_labels and isinstance(engine, InMemory):
            self.labels_ = self._label(engine.block.X)
        return self

    @fitting
    def partial_fit(self, X: Any = None, y: Any = None) -> Self:
        """Take up more rows; without X only the subclusters are clustered anew.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features), optional
            The rows.
        y : ignored
            There by convention.
        """
        known = hasattr(self, "subcluster_centers_")
        if X is None:
            check_is_fitted(self)
            self._cluster()
            return self
        rows = self._take(X, reset=not known)
        features = Features(float(self.threshold), int(self.branching_factor), rows, None, None)
        if known:
            before = (
                self.subcluster_centers_.astype(np.float64),
                self.subcluster_weights_,
                self.subcluster_deviations_,
            )
            features = Features(float(self.threshold), int(self.branching_factor), *before) + features
        self._learn(features.merged(), rows.dtype)
        self.__dict__.pop("labels_", None)
        if self.compute_labels:
            self.labels_ = self._label(rows)
        return self

    def _learn(self, features: tuple[np.ndarray, np.ndarray, np.ndarray], dtype: Any) -> None:
        centers, self.subcluster_weights_, self.subcluster_deviations_ = features
        if not len(centers):
            raise ValueError("there are no rows; wanted at least one.")
        self.subcluster_centers_ = centers.astype(dtype if np.dtype(dtype).kind == "f" else np.float64)
        self._n_features_out = len(centers)
        self._cluster()

    def _cluster(self) -> None:
        """Clusters of the subclusters."""
        count = len(self.subcluster_centers_)
        clusterer = self.n_clusters
        if isinstance(clusterer, int | np.integer):
            if count < clusterer:
                warnings.warn(
                    f"Number of subclusters found ({count}) by BIRCH is less than ({clusterer}). "
                    "Decrease the threshold.",
                    ConvergenceWarning,
                    stacklevel=3,
                )
            clusterer = None if count < clusterer else AgglomerativeClustering(int(clusterer))
        elif clusterer is not None:
            clusterer = clone(clusterer)
        if clusterer is None or count == 1:
            self.subcluster_labels_ = np.arange(count)
        else:
            self.subcluster_labels_ = np.asarray(clusterer.fit_predict(self.subcluster_centers_), dtype=np.int64)

    def _label(self, X: Any) -> np.ndarray:
        return np.asarray(self.subcluster_labels_[assign(X, self.subcluster_centers_)[0]])

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The cluster of the nearest subcluster of each row."""
        check_is_fitted(self)
        return self._label(self._take(X, reset=False))

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Distance of each row to the mean of each subcluster."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        if sp.issparse(X):  # by differences, since a subcluster may be a row itself
            X = X.toarray()
        squares = squared_euclidean(X, self.subcluster_centers_)
        return np.sqrt(squares, out=squares)

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Cluster the rows of X and give the cluster of each; y is ignored."""
        self.fit(X)
        return self.labels_ if hasattr(self, "labels_") else self.predict(X)


class Features:
    """Rows or subclusters on their way into a tree; adding puts those of the right into the tree of the left.

    A block is rows at first, so that blocks that come one after the other make the tree that all rows at once make;
    between workers only subclusters travel.
    """

    def __init__(
        self, threshold: float, branching: int, rows: Any, weight: np.ndarray | None, deviations: np.ndarray | None
    ) -> None:
        self.threshold, self.branching = threshold, branching
        self.rows, self.weight, self.deviations = rows, weight, deviations
        self.tree: Any = None

    def _grown(self) -> Any:
        if self.tree is None:
            tree = kernels.FeatureTree(self.rows.shape[1], self.threshold, self.branching)
            self._put_into(tree)
            self.tree = tree
        return self.tree

    def _put_into(self, tree: Any) -> None:
        if self.tree is not None:
            tree.insert(*self.tree.subclusters())
            return
        step = 4096
        for start in range(0, self.rows.shape[0], step):
            part = slice(start, start + step)
            rows = self.rows[part].toarray() if sp.issparse(self.rows) else self.rows[part]
            rest = (
                None if values is None else np.ascontiguousarray(values[part])
                for values in (self.weight, self.deviations)
            )
            tree.insert(np.ascontiguousarray(rows, dtype=np.float64), *rest)

    def __add__(self, other: "Features") -> "Features":
        other._put_into(self._grown())
        self.rows, self.weight, self.deviations = self.rows[:0], None, None  # they are in the tree
        return self

    def merged(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Means, weights and squared deviations of the subclusters."""
        means, weights, deviations = self._grown().subclusters()
        return np.asarray(means), np.asarray(weights), np.asarray(deviations)

    def __reduce__(self) -> Any:
        return Features, (self.threshold, self.branching, *self.merged())


def _features(threshold: float, branching: int, block: Block) -> Features:
    return Features(threshold, branching, block.X, block.weight, None)
