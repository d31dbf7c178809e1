"""An ensemble that improves the nearest-neighbour classifier (exercise 8.10)."""

from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Tables, check_is_fitted, coded_rows, fitting
from lanatus.catalog import Takes, method
from lanatus.ensemble import _most_likely
from lanatus.ensemble._rules import RULES
from lanatus.metric import Minkowski, value_difference_space
from lanatus.neighbors import nearest
from lanatus.params import Array, Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise


@method(
    "ensemble.knn-ensemble",
    section="ex 8.10",
    task="classification",
    en="Ensemble of nearest-neighbour classifiers",
    zh="提升kNN的集成",
)
class KNNEnsembleClassifier(ClassifierMixin, Estimator):
    r"""Nearest-neighbour classifiers that differ in attributes and in the distance, not only in the rows.

    A nearest-neighbour classifier is stable: a bootstrap sample hardly changes it. Each member therefore also draws a
    subset of the attributes and an order p of the distance
    :math:`(\sum_u |x_u - z_u|^p + \sum_v \mathrm{VDM}_p(x_v, z_v))^{1/p}` (9.22), over numbers u and nominal
    attributes v.

    Book: exercise 8.10; sections 8.5.3 and 9.3.

    Parameters
    ----------
    n_estimators : int, default=20
        Number of members.
    n_neighbors : int, default=5
        Neighbours of each, *k*.
    orders : array of shape (n_orders,), default=(1, 2, 3)
        Orders p to draw from, 1 or more; inf is the largest difference.
    max_features : int, float or None, default=0.5
        Attributes of each member: a number, a share (at least one), or None for all.
    bootstrap : bool, default=True
        Whether each member has a bootstrap sample of the rows.
    n_jobs : int or None, default=None
        Members that answer at a time, as in joblib.
    random_state : int, RandomState or None, default=None
        Draws rows, attributes and orders.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_features_ : list of arrays of int
        Attributes of each member.
    estimators_samples_ : list of arrays of int
        Rows of each member.
    orders_ : ndarray of shape (n_estimators,)
        Order of each member's distance.

    Notes
    -----
    Numbers are scaled to their ranges; a nominal value stands for the frequencies of the classes among its rows, which
    is the value difference metric (9.21). A value never seen stands for those of all rows. Probabilities are shares of
    the neighbours of all members. Cost: no fit; a prediction is T searches, O(log m) each for few attributes and
    O(m d) for many. Memory: the rows.

    Examples
    --------
    >>> from lanatus.ensemble import KNNEnsembleClassifier
    >>> X = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [6.0, 7.0], [7.0, 6.0], [7.0, 7.0]]
    >>> model = KNNEnsembleClassifier(n_neighbors=1, random_state=0).fit(X, list("aaabbb"))
    >>> model.predict([[2.0, 2.0], [5.0, 6.0]]).tolist()
    ['a', 'b']

    References
    ----------
    Zhou and Yu (2005), Ensembling local learners through multimodal perturbation.
    """

    _takes = Takes(nominal=True)
    _wants = Tables()

    predict = _most_likely.predict
    classes_: np.ndarray
    estimators_features_: list[np.ndarray]
    estimators_samples_: list[np.ndarray]
    orders_: np.ndarray

    def __init__(
        self,
        n_estimators: int = 20,
        n_neighbors: int = 5,
        *,
        orders: Any = (1, 2, 3),
        max_features: Any = 0.5,
        bootstrap: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_neighbors = n_neighbors
        self.orders = orders
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state

    _params = rules_for(
        __init__, RULES, orders=Array(1), max_features=Nothing() | Integer(low=1) | Real(above=0, high=1)
    )

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X with labels y."""
        orders = np.asarray(self.orders, dtype=np.float64)
        if not len(orders) or not (orders >= 1).all():
            raise ValueError(f"orders must be numbers of 1 or more; got {self.orders!r}.")
        table, codes = coded_rows(self, X, y)
        rng = check_random_state(self.random_state)
        n, d, members = len(table), len(table.schema), range(self.n_estimators)
        few = self._n_features(d)
        self.estimators_features_ = [np.sort(rng.permutation(d)[:few]) for _ in members]
        self.orders_ = orders[rng.randint(len(orders), size=self.n_estimators)]
        self.estimators_samples_ = [rng.randint(n, size=n) if self.bootstrap else np.arange(n) for _ in members]
        self._codes = codes.astype(np.intp)
        self._space = value_difference_space(table, codes, len(self.classes_))
        self._points = self._space.points(table)
        return self

    def _n_features(self, d: int) -> int:
        if self.max_features is None:
            return d
        if isinstance(self.max_features, int | np.integer):
            if self.max_features > d:
                raise ValueError(f"max_features={self.max_features} must be at most the {d} attributes of X.")
            return int(self.max_features)
        return max(1, round(self.max_features * d))

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        check_is_fitted(self)
        queries = self._space.points(self._take(X, reset=False))
        counts = Parallel(n_jobs=self.n_jobs)(
            delayed(self._counts)(queries, member) for member in range(self.n_estimators)
        )
        total = np.sum(counts, axis=0)
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def _counts(self, queries: np.ndarray, member: int) -> np.ndarray:
        """Neighbours of each class, by one member."""
        columns = np.isin(self._space.owner, self.estimators_features_[member])
        rows = self.estimators_samples_[member]
        points, metric = self._points[np.ix_(rows, columns)], Minkowski(float(self.orders_[member]))
        near = nearest(points, queries[:, columns], min(self.n_neighbors, len(points)), metric=metric).indices
        codes = self._codes[rows][near]
        return np.stack([(codes == c).sum(axis=1) for c in range(len(self.classes_))], axis=1)
