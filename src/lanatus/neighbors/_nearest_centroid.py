"""The class whose centre is nearest."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import log_softmax, softmax
from sklearn.base import ClassifierMixin

from lanatus.base import Estimator, Floats, Takes, check_is_fitted, coded_rows, fitting
from lanatus.catalog import method
from lanatus.metric import pairwise_distances, squared_euclidean
from lanatus.params import Array, Choice, Nothing, Real, rules_for
from lanatus.scale import blockwise


@method(
    section="10.1",
    task="classification",
    en="Nearest centroid",
    zh="最近质心分类器",
    peers=["scikit-learn:NearestCentroid"],
)
class NearestCentroid(ClassifierMixin, Estimator):
    r"""The class whose centre is nearest: one prototype a class instead of all rows.

    :math:`y = \arg\min_c \lVert x - \mu_c \rVert` with :math:`\mu_c` the mean of the class, or the median for
    Manhattan's distance. With `shrink_threshold` centres move towards that of all rows, and columns in which none is
    left apart no longer count (nearest shrunken centroids).

    Book: section 10.1, as the eager counterpart of k nearest neighbours. Cost: ``fit`` O(n d); a query O(c d).

    Parameters
    ----------
    metric : {"euclidean", "manhattan"}, default="euclidean"
        The distance.
    shrink_threshold : float or None, default=None
        By how many standard errors the centres are moved; None leaves them.
    priors : {"uniform", "empirical"} or array-like of shape (n_classes,), default="uniform"
        Probabilities of the classes; other than uniform ones are added to the scores, of columns over their deviations.

    Attributes
    ----------
    centroids_ : ndarray of shape (n_classes, n_features)
        The centres.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    class_prior_ : ndarray of shape (n_classes,)
        Probabilities of the classes.
    within_class_std_dev_ : ndarray of shape (n_features,)
        Pooled standard deviation inside the classes.
    deviations_ : ndarray of shape (n_classes, n_features)
        How many standard errors the centres lie from that of all rows, after shrinking.

    Examples
    --------
    >>> from lanatus.neighbors import NearestCentroid
    >>> NearestCentroid().fit([[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1]).predict([[3.0], [5.0]]).tolist()
    [0, 1]

    References
    ----------
    Tibshirani, Hastie, Narasimhan and Chu (2002), Diagnosis of multiple cancer types by shrunken centroids of gene
    expression.
    """

    _takes: ClassVar[Takes] = Takes(sparse=True)
    _state: ClassVar = {
        "centroids_": Floats("classes", "columns"),
        "class_prior_": Floats("classes", low=0),
        "within_class_std_dev_": Floats("columns", low=0),
        "deviations_": Floats("classes", "columns"),
    }

    classes_: np.ndarray
    centroids_: np.ndarray
    class_prior_: np.ndarray
    within_class_std_dev_: np.ndarray
    deviations_: np.ndarray

    def __init__(
        self, metric: str = "euclidean", *, shrink_threshold: float | None = None, priors: Any = "uniform"
    ) -> None:
        self.metric = metric
        self.shrink_threshold = shrink_threshold
        self.priors = priors

    _params = rules_for(
        __init__,
        metric=Choice("euclidean", "manhattan"),
        shrink_threshold=Nothing() | Real(above=0, below=np.inf),
        priors=Choice("uniform", "empirical") | Array(ndim=1),
    )

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Find the centres.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows; medians, for Manhattan's distance, need a dense matrix.
        y : array of shape (n_samples,)
            The labels, of two classes or more.

        Returns
        -------
        self
        """
        rows, codes = coded_rows(self, X, y, least=2)
        if sp.issparse(rows) and self.metric == "manhattan":
            raise TypeError("medians of sparse rows are not defined here; use X.toarray(), or metric='euclidean'.")
        counts = np.bincount(codes, minlength=len(self.classes_)).astype(np.float64)
        self.class_prior_ = self._priors(counts)
        centre = np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()
        means = np.stack([np.asarray(rows[codes == c].mean(axis=0)).ravel() for c in range(len(counts))]).astype(
            np.float64
        )
        middles = means
        if self.metric == "manhattan":
            middles = np.stack([np.median(rows[codes == c], axis=0) for c in range(len(counts))]).astype(np.float64)
        self.within_class_std_dev_ = np.sqrt(_squares(rows, codes, middles) / max(len(codes) - len(counts), 1))
        self._shrink(middles, centre, counts)
        return self

    def _priors(self, counts: np.ndarray) -> np.ndarray:
        c = len(counts)
        if isinstance(self.priors, str):
            return np.full(c, 1 / c) if self.priors == "uniform" else counts / counts.sum()
        given = np.array(self.priors, dtype=np.float64)
        if given.shape != (c,) or not np.isfinite(given).all() or (given < 0).any() or given.sum() <= 0:
            raise ValueError(f"priors must be non-negative numbers for {c} classes; got {self.priors!r}.")
        if abs(given.sum() - 1) > 1e-9:
            raise ValueError(f"priors must sum to 1; got {given.sum():g}.")
        return given

    def _shrink(self, centroids: np.ndarray, centre: np.ndarray, counts: np.ndarray) -> None:
        """Centres, moved towards that of all rows where asked for."""
        n = counts.sum()
        spread = self.within_class_std_dev_
        errors = np.sqrt(np.maximum(1 / counts - 1 / n, 0))[:, None] * (spread + np.median(spread))
        if self.shrink_threshold and not spread.any():
            raise ValueError("All features have zero variance inside the classes: there is nothing to shrink by.")
        gaps = centroids - centre
        away = np.divide(gaps, errors, out=np.zeros_like(gaps), where=errors > 0)
        if not self.shrink_threshold:
            self.deviations_, self.centroids_ = away, centroids
            return
        self.deviations_ = np.sign(away) * np.maximum(np.abs(away) - self.shrink_threshold, 0)
        self.centroids_ = centre + errors * self.deviations_

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class of the nearest centre, with its prior where those are not uniform; the first of equals.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_queries, n_features)
            The queries.

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        if not np.allclose(self.class_prior_, 1 / len(self.classes_)):
            return np.asarray(self.classes_[self._scores(rows).argmax(axis=1)])
        centroids = self.centroids_.astype(rows.dtype)
        if self.metric == "euclidean":
            away = squared_euclidean(rows, centroids)
        else:
            away = pairwise_distances(rows, centroids, self.metric)
        return np.asarray(self.classes_[away.argmin(axis=1)])

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores: minus squared distances, of columns over their deviations, plus twice the log prior.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_queries, n_features)
            The queries.

        Returns
        -------
        ndarray of shape (n_queries, n_classes), or (n_queries,) of two classes
            Of two classes that of the second less that of the first.
        """
        check_is_fitted(self)
        scores = self._scores(self._take(X, reset=False))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes: the softmax of the scores.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_queries, n_features)
            The queries.

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
        """
        check_is_fitted(self)
        return np.asarray(softmax(self._scores(self._take(X, reset=False)), axis=1))

    @blockwise
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_queries, n_features)
            The queries.

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
        """
        check_is_fitted(self)
        return np.asarray(log_softmax(self._scores(self._take(X, reset=False)), axis=1))

    def _scores(self, rows: Any) -> np.ndarray:
        scale = np.where(self.within_class_std_dev_ > 0, self.within_class_std_dev_, 1)
        centroids = self.centroids_ / scale
        scaled = sp.csr_matrix(rows @ sp.diags_array(1 / scale)) if sp.issparse(rows) else rows / scale
        if self.metric == "euclidean":
            away = squared_euclidean(scaled, centroids.astype(scaled.dtype)).astype(np.float64)
        else:
            away = pairwise_distances(scaled, centroids, self.metric).astype(np.float64) ** 2
        with np.errstate(divide="ignore"):
            return np.asarray(2 * np.log(self.class_prior_) - away)


def _squares(rows: Any, codes: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Sums over the rows of squared gaps to the centres of their classes, by columns."""
    total = np.zeros(rows.shape[1])
    for c, centre in enumerate(centres):
        own = rows[codes == c]
        if sp.issparse(own):  # sum (x - m)^2 = sum x^2 - 2 m sum x + n m^2
            sums = np.asarray(own.sum(axis=0)).ravel()
            squares = np.asarray(own.multiply(own).sum(axis=0)).ravel()
            total += np.maximum(squares - 2 * centre * sums + own.shape[0] * centre**2, 0)
        else:
            total += ((own.astype(np.float64) - centre) ** 2).sum(axis=0)
    return total
