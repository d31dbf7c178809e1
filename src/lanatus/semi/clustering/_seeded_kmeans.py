"""k-means with some rows whose cluster is known."""

from typing import Any, Self

import numpy as np

from lanatus.base import fitting, warn_unconverged
from lanatus.callbacks import Progress
from lanatus.catalog import method
from lanatus.metric import squared_euclidean
from lanatus.params import COMMON, Flag, rules_for
from lanatus.semi._labels import partial_codes, require_weight_of_classes
from lanatus.semi.clustering._means import MeansClustering, moment, moved_means


@method(
    "semi.constrained-seed-kmeans",
    section="13.6",
    task="clustering",
    en="Constrained-seed k-means",
    zh="约束种子k均值",
    peers=["LAMDA-SSL:Constrained_Seed_k_means"],
)
class SeededKMeans(MeansClustering):
    r"""k-means that begins at the means of rows whose cluster is known, and leaves these rows where they are.

    Minimises :math:`E = \sum_i w_i \lVert x_i - \mu_{c(i)} \rVert^2` with :math:`c(i)` fixed for the seeds. There are
    as many clusters as labels.

    Book: section 13.6, figures 13.9 and 13.10. Cost: :math:`O(nkd)` a round.

    Parameters
    ----------
    constrained : bool, default=True
        Whether seeds keep their cluster; False lets them go after the first means.
    max_iter : int, default=300
        Most rounds.

    Attributes
    ----------
    seed_labels_ : ndarray of shape (n_clusters,), the labels of the seeds, in the order of the clusters
    cluster_centers_ : ndarray of shape (n_clusters, n_features), the means
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row
    inertia_ : float, *E*
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.semi import SeededKMeans
    >>> X = [[0.0], [1.0], [6.0], [8.0], [9.0]]
    >>> SeededKMeans().fit(X, ["left", None, "left", None, "right"]).labels_.tolist()
    [0, 0, 0, 1, 1]

    References
    ----------
    Basu, Banerjee and Mooney (2002), Semi-supervised clustering by seeding.
    """

    seed_labels_: np.ndarray

    def __init__(self, *, constrained: bool = True, max_iter: int = 300) -> None:
        self.constrained = constrained
        self.max_iter = max_iter

    _params = rules_for(__init__, COMMON, constrained=Flag())

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X from the seeds.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Labels of the seeds; -1 or a missing value for all other rows.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        X = self._take(X, reset=True)
        weights = self._weights(sample_weight, X)
        weight = np.ones(len(X)) if weights is None else weights
        self.seed_labels_, codes = partial_codes(y, X)
        seeds = np.flatnonzero(codes >= 0)
        k = len(self.seed_labels_)
        require_weight_of_classes(codes, weight, k)
        centers = moved_means(X[seeds], weight[seeds], codes[seeds], np.zeros((k, X.shape[1])))
        progress = Progress(self, X, weights, max_iter=self.max_iter)
        converged = False
        for iteration in progress.iterations():
            labels = squared_euclidean(X, centers).argmin(axis=1).astype(np.int32)
            if self.constrained:
                labels[seeds] = codes[seeds]
            before, centers = centers, moved_means(X, weight, labels, centers)
            n_iter = iteration.number + 1
            iteration.done(state=dict, attributes=moment(X, weight, centers, labels, n_iter))
            converged = iteration.stop or np.array_equal(centers, before)
            if converged:
                break
        if not converged:
            warn_unconverged(self)
        found = {"centers": centers, "labels": labels, "n_iter": n_iter}
        progress.finish(self._learn(X, weight, found))
        return self
