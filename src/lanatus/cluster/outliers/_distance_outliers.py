"""Outliers by their distance to the nearest cluster."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from lanatus.base import Floats, fitting
from lanatus.catalog import method
from lanatus.cluster.outliers._detector import OutlierDetector
from lanatus.cluster.prototype._kmeans import KMeans
from lanatus.neighbors import nearest
from lanatus.params import Flag, Integer, Nothing, Real, Satisfies, rules_for


@method(
    "cluster.anomaly-detection",
    section="9.7",
    task="outliers",
    en="Outliers by distance to cluster centres",
    zh="基于距离的异常检测",
    peers=["pyod:CBLOF"],
)
class DistanceOutlierDetector(OutlierDetector):
    r"""Rows far from all cluster centres are outliers.

    The score is :math:`-\min_k \lVert x - \mu_k \rVert / s_k`, where :math:`s_k` is the root mean square distance of
    the rows of cluster k to its centre, or 1 with ``scale=False``.

    Book: sections 9.1 and 9.7. Cost: that of the clusterer; :math:`O(kd)` a row to score.

    Parameters
    ----------
    n_clusters : int, default=8
        Clusters of the k-means that it makes by default.
    clusterer : clusterer or None, default=None
        Another one, which learns `cluster_centers_` and `labels_`.
    contamination : float, default=0.1
        Share of outliers among the rows of ``fit``.
    scale : bool, default=True
        Whether the distance to a cluster is measured by its own spread.
    random_state : int, RandomState or None, default=None
        Of the k-means that it makes by default.

    Attributes
    ----------
    clusterer_ : the fitted clusterer
    centers_ : ndarray of shape (n_clusters, n_features), the centres
    spreads_ : ndarray of shape (n_clusters,), by which distances are divided
    offset_ : float, the threshold: scores below it are outliers'
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import DistanceOutlierDetector
    >>> X = [[0.0], [0.2], [0.4], [9.0], [9.2], [9.4], [20.0]]
    >>> DistanceOutlierDetector(2, contamination=0.15, random_state=0).fit(X[:6]).predict(X)
    array([ 1,  1,  1, -1,  1,  1, -1])
    """

    _state: ClassVar = {"centers_": Floats("clusters", "columns"), "spreads_": Floats("clusters", low=0)}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        clusterer: Any = None,
        contamination: float = 0.1,
        scale: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.clusterer = clusterer
        self.contamination = contamination
        self.scale = scale
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_clusters=Integer(low=1),
        clusterer=Nothing() | Satisfies(lambda value: hasattr(value, "fit_predict"), "a clusterer"),
        contamination=Real(above=0, high=0.5),
        scale=Flag(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X; y is ignored, and `sample_weight` goes to the clusterer."""
        rows = self._take(X, reset=True)
        weight = self._weights(sample_weight, rows)
        model = clone(self.clusterer) if self.clusterer is not None else self._own_clusterer()
        self.clusterer_ = model.fit(rows) if weight is None else model.fit(rows, sample_weight=weight)
        if not (hasattr(model, "cluster_centers_") and hasattr(model, "labels_")):
            raise ValueError(f"{type(model).__name__} learns no cluster_centers_ and labels_; wanted both.")
        self.centers_ = np.ascontiguousarray(model.cluster_centers_, dtype=np.float64)
        self.spreads_ = self._spreads(rows, np.ones(len(rows)) if weight is None else weight)
        self._set_offset(self._scores(rows), weight=weight)
        return self

    def _own_clusterer(self) -> KMeans:
        return KMeans(self.n_clusters, random_state=self.random_state)

    def _spreads(self, rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Root mean square distance of the rows of each cluster; that of all rows where a cluster has none."""
        labels = np.asarray(self.clusterer_.labels_)
        if not self.scale:
            return np.ones(len(self.centers_))
        known = labels >= 0
        squares = ((rows[known].astype(np.float64) - self.centers_[labels[known]]) ** 2).sum(axis=1) * weight[known]
        k = len(self.centers_)
        mass = np.bincount(labels[known], weight[known], k)
        spread = np.sqrt(np.bincount(labels[known], squares, k) / np.where(mass > 0, mass, 1.0))
        usual = np.sqrt(squares.sum() / max(mass.sum(), np.finfo(float).tiny)) or 1.0
        return np.where(spread > 0, spread, usual)

    def _scores(self, X: Any) -> np.ndarray:
        rows, k = X.astype(np.float64), len(self.centers_)
        found = nearest(self.centers_, rows, k)  # scaled, the nearest may be another
        return -(found.distances / self.spreads_[found.indices]).min(axis=1)
