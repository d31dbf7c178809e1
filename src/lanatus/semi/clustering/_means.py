"""What k-means with side information share."""

from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from lanatus.base import Estimator, Floats, Integers, check_is_fitted
from lanatus.callbacks import CallbackSupportMixin
from lanatus.metric import squared_euclidean
from lanatus.scale import blockwise


class MeansClustering(CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """Clusters by their means; new rows go to the nearest, whatever constraints the others had."""

    _state: ClassVar = {
        "cluster_centers_": Floats("clusters", "columns"),
        "labels_": Integers("rows", below="clusters"),
    }

    cluster_centers_: np.ndarray
    labels_: np.ndarray
    inertia_: float
    n_iter_: int

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The cluster with the nearest mean, for each row of X."""
        return self._squared(X).argmin(axis=1).astype(np.int32)

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Distance of each row of X to each mean."""
        return np.asarray(np.sqrt(self._squared(X)))

    def fit_predict(self, X: Any, y: Any = None, **params: Any) -> np.ndarray:
        """Cluster the rows of X and give the cluster of each."""
        return np.asarray(self.fit(X, y, **params).labels_)

    def _squared(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return squared_euclidean(self._take(X, reset=False), self.cluster_centers_)

    def _learn(self, X: np.ndarray, weight: np.ndarray, found: dict[str, Any]) -> dict[str, Any]:
        """Keep what a run found."""
        centers, labels = found["centers"], found["labels"]
        learned = {
            "cluster_centers_": centers,
            "labels_": labels,
            "inertia_": within(X, weight, centers, labels),
            "n_iter_": found["n_iter"],
            "_n_features_out": len(centers),
        }
        for name, value in learned.items():
            setattr(self, name, value)
        return learned


def within(X: np.ndarray, weight: np.ndarray, centers: np.ndarray, labels: np.ndarray) -> float:
    """Sum of squared distances of the rows to the means of their clusters."""
    return float(weight @ ((X - centers[labels]) ** 2).sum(axis=1))


def moved_means(X: np.ndarray, weight: np.ndarray, labels: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Means of the clusters; one without rows, or of no weight, keeps its mean."""
    k = len(centers)
    mass = np.bincount(labels, weight, minlength=k)
    sums = np.stack([np.bincount(labels, weight * column, minlength=k) for column in X.T], axis=1)
    there = mass > 0
    out = centers.copy()
    out[there] = sums[there] / mass[there, None]
    return out


def moment(X: np.ndarray, weight: np.ndarray, centers: np.ndarray, labels: np.ndarray, n_iter: int) -> Any:
    """What makes a model of a round, for callbacks."""
    return partial(_attributes, X, weight, centers, labels, n_iter)


def _attributes(
    X: np.ndarray, weight: np.ndarray, centers: np.ndarray, labels: np.ndarray, n_iter: int
) -> dict[str, Any]:
    return {
        "cluster_centers_": centers.copy(),
        "labels_": labels.copy(),
        "inertia_": within(X, weight, centers, labels),
        "n_iter_": n_iter,
        "_n_features_out": len(centers),
    }
