"""Outliers by local density."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.metaestimators import available_if

from lanatus.base import Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.neighbors import _questions as questions
from lanatus.neighbors._base import NEIGHBOR_RULES, NeighborsBase
from lanatus.neighbors._index import Neighbors
from lanatus.params import Choice, Flag, Real, rules_for
from lanatus.scale import blockwise


def _seeks_new(self: Any) -> bool:
    if not self.novelty:
        raise AttributeError("it is of the rows of fit: use fit_predict, or novelty=True to ask about new rows.")
    return True


def _seeks_own(self: Any) -> bool:
    if self.novelty:
        raise AttributeError("fit_predict is not available when novelty=True: use novelty=False for the rows of fit.")
    return True


def _alone() -> Neighbors:
    """A single row as its own neighbour, for want of others."""
    return Neighbors(np.zeros((1, 1), np.int32), np.zeros((1, 1)))


@method(
    section="9.5",
    task="density",
    en="Local outlier factor",
    zh="局部离群因子",
    peers=["scikit-learn:LocalOutlierFactor"],
)
class LocalOutlierFactor(OutlierMixin, NeighborsBase):
    r"""How much thinner the rows lie around a row than around its neighbours.

    :math:`\mathrm{LOF}_k(x) = \frac1k \sum_{o \in N_k(x)} \frac{\mathrm{lrd}(o)}{\mathrm{lrd}(x)}` with the local
    density :math:`\mathrm{lrd}(x) = k / \sum_{o \in N_k(x)} \max(d_k(o), d(x, o))` and :math:`d_k(o)` the distance of o
    to its k-th neighbour. About 1 inside a cluster of any density, larger for an outlier.

    Book: section 9.5 calls rows in no cluster noise or anomalies. Kernels: ``cpp/neighbors/nearest.hpp``.
    Cost: the k nearest neighbours of every row, O(n d (k + log n)) in few dimensions. Memory O(n (d + k)).

    Parameters
    ----------
    n_neighbors : int, default=20
        Number of neighbours *k*; all others where there are fewer.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How neighbours are found; answers are the same. See `NearestNeighbors`.
    leaf_size : int, default=30
        Rows in a leaf of a tree, in steps of eight.
    metric : str or callable, default="minkowski"
        The distance, as in `NearestNeighbors`.
    p : float, default=2
        Order of Minkowski's distance.
    metric_params : dict or None, default=None
        Other parameters of the distance.
    contamination : "auto" or float, default="auto"
        Share of outliers, which sets the threshold; "auto" takes a factor of 1.5.
    novelty : bool, default=False
        Whether new rows are asked about, with ``predict`` and the like, instead of those of ``fit``.
    n_jobs : int or None, default=None
        Threads; None and -1 are all that OMP_NUM_THREADS and threadpoolctl allow.

    Attributes
    ----------
    negative_outlier_factor_ : ndarray of shape (n_samples,)
        Minus the factor of each row: about -1 for inliers.
    n_neighbors_ : int
        Number of neighbours used.
    offset_ : float
        Rows below are outliers.
    effective_metric_ : str or callable
        The distance, common orders of Minkowski's by their own names.
    effective_metric_params_ : dict
        Its parameters.
    n_samples_fit_ : int
        Number of rows.

    Notes
    -----
    A single row has the factor 1. Where k copies of a row leave no distance, 1e-10 is added to the mean distance, as in
    scikit-learn; a warning tells of factors that this makes meaningless.

    Examples
    --------
    >>> from lanatus.neighbors import LocalOutlierFactor
    >>> LocalOutlierFactor(n_neighbors=2).fit_predict([[-1.1], [0.2], [101.1], [0.3]]).tolist()
    [1, 1, -1, 1]

    References
    ----------
    Breunig, Kriegel, Ng and Sander (2000), LOF: identifying density-based local outliers.
    """

    _state: ClassVar = {
        "negative_outlier_factor_": Floats("rows"),
        "_lrd": Floats("rows", low=0),
        "_reach": Floats("rows", low=0),
    }

    _lazy = False  # densities are learned in fit
    negative_outlier_factor_: np.ndarray
    n_neighbors_: int
    offset_: float
    _lrd: np.ndarray
    _reach: np.ndarray

    kneighbors, kneighbors_graph = questions.kneighbors, questions.kneighbors_graph

    def __init__(
        self,
        n_neighbors: int = 20,
        *,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: Any = "minkowski",
        p: float = 2,
        metric_params: dict[str, Any] | None = None,
        contamination: Any = "auto",
        novelty: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.contamination = contamination
        self.novelty = novelty
        self.n_jobs = n_jobs

    _params = rules_for(
        __init__, NEIGHBOR_RULES, contamination=Choice("auto") | Real(above=0, high=0.5), novelty=Flag()
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the factors of the rows.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows, or the distances of all pairs where `metric` is "precomputed".
        y : None
            Ignored.

        Returns
        -------
        self
        """
        self._open(self._take(X, reset=True))
        if self.n_neighbors > self.n_samples_fit_:
            warnings.warn(
                f"n_neighbors ({self.n_neighbors}) is greater than the total number of samples "
                f"({self.n_samples_fit_}). n_neighbors will be set to (n_samples - 1) for estimation.",
                stacklevel=2,
            )
        self.n_neighbors_ = max(1, min(self.n_neighbors, self.n_samples_fit_ - 1))
        found = self._nearest(None, self.n_neighbors_) if self.n_samples_fit_ > 1 else _alone()
        self._reach = np.ascontiguousarray(found.distances[:, -1])
        self._lrd = self._density(found)
        self.negative_outlier_factor_ = self._factors(found, self._lrd)
        if self.contamination == "auto":
            self.offset_ = -1.5
        else:
            self.offset_ = float(np.percentile(self.negative_outlier_factor_, 100.0 * self.contamination))
        if self.negative_outlier_factor_.min() < -1e7 and not self.novelty:
            warnings.warn(
                "Duplicate values are leading to incorrect results. Increase the number of neighbors for more accurate "
                "results.",
                stacklevel=2,
            )
        return self

    def _density(self, found: Neighbors) -> np.ndarray:
        """Local reachability density of each query."""
        reach = np.maximum(found.distances, self._reach[found.indices])
        return np.asarray(1.0 / (reach.mean(axis=1) + 1e-10))

    def _factors(self, found: Neighbors, lrd: np.ndarray) -> np.ndarray:
        return np.asarray(-(self._lrd[found.indices] / lrd[:, None]).mean(axis=1))

    @available_if(_seeks_own)
    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Find the outliers among the rows.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples,)
            -1 for outliers and 1 for inliers.
        """
        factors = self.fit(X).negative_outlier_factor_
        return np.where(factors < self.offset_, -1, 1)

    @available_if(_seeks_new)
    @blockwise
    def score_samples(self, X: Any) -> np.ndarray:
        """Minus the factors of new rows: the lower, the more of an outlier.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_queries, n_features)
            New rows; one that equals a row of ``fit`` counts that as a neighbour.

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        check_is_fitted(self)
        found = self._nearest(X, self.n_neighbors_)
        return self._factors(found, self._density(found))

    @available_if(_seeks_new)
    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Minus the factors of new rows, less the threshold: negative for outliers.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_queries, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        return np.asarray(self.score_samples(X) - self.offset_)

    @available_if(_seeks_new)
    def predict(self, X: Any = None) -> np.ndarray:
        """-1 for new rows that are outliers, 1 for inliers.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_queries, n_features), default=None
            New rows; those of ``fit`` by default, by the factors found there.

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        if X is None:
            check_is_fitted(self)
            return np.where(self.negative_outlier_factor_ < self.offset_, -1, 1)
        return predict(self, X)


@blockwise
def predict(model: LocalOutlierFactor, X: Any) -> np.ndarray:
    """-1 and 1 for new rows, which may come in blocks."""
    return np.where(model.decision_function(X) < 0, -1, 1)
