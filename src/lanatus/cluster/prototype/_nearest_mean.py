"""What clusterers with means share: starting means, and answers by the nearest of them."""

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from lanatus.base import Estimator, check_is_fitted
from lanatus.cluster.prototype._kmeans_pass import tally
from lanatus.cluster.prototype._kmeans_start import assign, parallel_plusplus, plusplus, random_rows
from lanatus.metric import squared_euclidean
from lanatus.scale import Engine, InMemory, blockwise, open_engine


def starting_means(init: Any, k: int, engine: Engine, seed: int) -> np.ndarray:
    """k means to begin from: by name, by what a callable says, or those given."""
    if isinstance(init, str):
        start = {"random": random_rows, "k-means++": plusplus, "k-means||": parallel_plusplus}[init]
        means: Any = start(engine, k, seed)
        if len(means) < k:
            raise ValueError(f"only {len(means)} rows have a positive weight, n_clusters={k} needs as many.")
    elif callable(init):
        if not isinstance(engine, InMemory):
            raise ValueError("init as a callable needs the data in memory; give an array or a name.")
        means = init(engine.block.X, k, random_state=np.random.RandomState(seed % 2**32))
    else:
        means = init
    means = means.toarray() if sp.issparse(means) else np.asarray(means)
    if means.shape != (k, engine.n_columns):
        raise ValueError(
            f"init must have shape {(k, engine.n_columns)}, got {means.shape}: one row a cluster, one column a feature."
        )
    means = np.array(means, dtype=engine.dtype, order="C")
    if not np.isfinite(means).all():
        raise ValueError("init contains NaN or infinity.")
    return means


class NearestMean(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """Clusterers that have ``cluster_centers_`` and put a row to the nearest of them."""

    cluster_centers_: np.ndarray
    labels_: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Index of the nearest mean of each row."""
        check_is_fitted(self)
        return assign(self._take(X, reset=False), self.cluster_centers_)[0]

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Distance of each row to each mean."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        squares = squared_euclidean(X, self.cluster_centers_)
        return np.sqrt(squares, out=squares)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Cluster the rows of X and give the cluster of each; y is ignored."""
        self.fit(X, sample_weight=sample_weight)
        return self.labels_ if hasattr(self, "labels_") else self.predict(X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the sum of squared distances of the rows to their nearest means; y is ignored."""
        check_is_fitted(self)
        engine = open_engine(self, X, None, sample_weight, reset=False)
        return -float(engine.reduce(partial(tally, self.cluster_centers_.astype(engine.dtype, copy=False))).inertia)
