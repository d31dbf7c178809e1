"""Divisive clustering: DIANA."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClusterMixin

from lanatus.base import Estimator, Floats, Integers, check_is_fitted, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster._pairwise import METRIC, distance_matrix
from lanatus.cluster.hierarchical._agglomerative import nearest_by_linkage
from lanatus.cluster.hierarchical._cut import by_first_row
from lanatus.params import Integer, Nothing, rules_for
from lanatus.scale import blockwise


@method("cluster.diana", section="9.7", task="clustering", en="DIANA", zh="DIANA", peers=["cluster (R):diana"])
class DIANA(CallbackSupportMixin, ClusterMixin, Estimator):
    """Divisive clustering: all rows are one cluster, and the widest cluster is split until there are enough.

    A split begins with the row whose mean distance to the others of its cluster is largest; rows follow it, one after
    the other, as long as they are nearer on average to the splinter group than to those that stay. The widest cluster
    is that of the largest diameter (9.9). Ties go to the first row or cluster.

    Book: section 9.7. Cost: :math:`O(n^2)` a split, memory :math:`8 n^2` bytes.

    Parameters
    ----------
    n_clusters : int or None, default=2
        Number of clusters; None splits until every cluster is a row or equal rows.
    metric : str or callable, default="euclidean"
        Distance of rows, as in scikit-learn's ``pairwise_distances``; "precomputed" takes X as their distances.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), cluster of each row, numbered by their first rows
    n_clusters_ : int, number of clusters; fewer than asked for where there are fewer distinct rows
    splits_ : ndarray of shape (n_clusters_ - 1, n_samples), clusters after each split
    diameters_ : ndarray of shape (n_clusters_ - 1,), diameter of the cluster that was split
    rows_ : ndarray, the rows, for ``predict``; nothing of them where distances were precomputed
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    No split is undone. ``predict`` gives the cluster of the least mean distance, which is what a split goes by.

    Examples
    --------
    >>> from lanatus.cluster import DIANA
    >>> DIANA(2).fit_predict([[0.0], [1.0], [9.0], [10.0], [11.0]]).tolist()
    [0, 0, 1, 1, 1]

    References
    ----------
    Kaufman and Rousseeuw (1990), Finding groups in data, chapter 6.
    """

    _state: ClassVar = {
        "labels_": Integers("rows"),
        "splits_": Integers("splits", "rows"),
        "diameters_": Floats("splits", low=0),
    }

    def __init__(self, n_clusters: int | None = 2, *, metric: Any = "euclidean") -> None:
        self.n_clusters = n_clusters
        self.metric = metric

    _params = rules_for(__init__, n_clusters=Integer(low=1) | Nothing(), metric=METRIC)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Split the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or (n_samples, n_samples) distances
            The rows.
        y : ignored
            There by convention.
        """
        X = self._take(X, reset=True)
        n = X.shape[0]
        if self.n_clusters is not None and n < self.n_clusters:
            raise ValueError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.")
        D = distance_matrix(X, self.metric)
        wanted = n if self.n_clusters is None else self.n_clusters
        rows = np.empty((0, 0)) if self.metric == "precomputed" else X.copy()
        clusters, splits, diameters = [np.arange(n)], [], []
        progress = Progress(self, X, max_iter=max(wanted - 1, 1))
        for iteration in progress.iterations() if wanted > 1 else ():
            widths = [float(D[np.ix_(rows_, rows_)].max()) for rows_ in clusters]
            widest = int(np.argmax(widths))
            if not widths[widest] > 0:  # equal rows are not told apart
                break
            stay, go = splinter(D, clusters[widest])
            clusters[widest : widest + 1] = [stay, go]
            splits.append(_labels(clusters, n))
            diameters.append(widths[widest])
            iteration.done(state=dict, attributes=partial(_attributes, rows, splits[-1], splits, diameters))
            if iteration.stop:
                break
        attributes = _attributes(rows, _labels(clusters, n), splits, diameters)
        self.__dict__.update(attributes)
        progress.finish(attributes)
        return self

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The cluster of the least mean distance; of precomputed distances, those to the rows of ``fit``."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        return nearest_by_linkage(X, self.rows_, self.labels_, self.n_clusters_, "average", self.metric)


def splinter(D: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows that stay, and those that leave with the row farthest from all others."""
    own = D[np.ix_(rows, rows)]
    to_stay = own.sum(axis=1)
    to_go = np.zeros(len(rows))
    gone = np.zeros(len(rows), bool)
    leaves = int(np.argmax(to_stay))
    while True:
        gone[leaves] = True
        to_stay = to_stay - own[leaves]
        to_go = to_go + own[leaves]
        n_stay, n_go = int((~gone).sum()), int(gone.sum())
        if n_stay == 1:
            break
        gain = np.where(gone, -np.inf, to_stay / (n_stay - 1) - to_go / n_go)
        leaves = int(np.argmax(gain))
        if not gain[leaves] > 0:
            break
    return rows[~gone], rows[gone]


def _labels(clusters: list[np.ndarray], n: int) -> np.ndarray:
    labels = np.empty(n, np.int64)
    for number, rows in enumerate(clusters):
        labels[rows] = number
    return by_first_row(labels)


def _attributes(
    rows: np.ndarray, labels: np.ndarray, splits: list[np.ndarray], diameters: list[float]
) -> dict[str, Any]:
    return {
        "labels_": labels,
        "n_clusters_": int(labels.max()) + 1,
        "splits_": np.array(splits, dtype=np.int64).reshape(-1, len(labels)),
        "diameters_": np.array(diameters, dtype=np.float64),
        "rows_": rows,
    }
