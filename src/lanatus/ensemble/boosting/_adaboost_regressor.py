"""AdaBoost.R2."""

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state, column_or_1d

from lanatus.base import Floats, as_targets, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.ensemble._one_learner import fit_one, mean_importances, seeded, weighing_rows
from lanatus.ensemble._rules import RULES
from lanatus.ensemble._sequence import base_learner, each_member, member, member_count
from lanatus.params import Choice, rules_for
from lanatus.scale import blockwise
from lanatus.tree import DecisionTreeRegressor
from lanatus.wrapping import Wrapper


@method(
    "ensemble.adaboost-multiclass",
    section="8.2",
    task="regression",
    en="AdaBoost for regression (AdaBoost.R2)",
    zh="回归AdaBoost (AdaBoost.R2)",
    peers=["scikit-learn:AdaBoostRegressor"],
)
class AdaBoostRegressor(RegressorMixin, Wrapper):
    r"""AdaBoost.R2: regressors one after the other, each on rows that those before answered badly; a weighted median.

    The loss of a row is its share of the largest absolute error,
    :math:`l_i = |y_i - h_t(x_i)| / \max_j |y_j - h_t(x_j)|` (or its square, or :math:`1 - e^{-l_i}`); with
    :math:`\epsilon_t = \sum_i D_t(i) l_i` and :math:`\beta_t = \epsilon_t / (1 - \epsilon_t)`, the distribution becomes
    :math:`D_{t+1}(i) \propto D_t(i) \beta_t^{1 - l_i}` and the learner weighs :math:`\ln(1 / \beta_t)`.

    Book: section 8.2 (of which it is the version for regression).

    Parameters
    ----------
    estimator : regressor or None, default=None
        The learner; None is a decision tree of depth 3.
    n_estimators : int, default=50
        Most rounds.
    learning_rate : float, default=1.0
        What each learner's weight is multiplied by.
    loss : {"linear", "square", "exponential"}, default="linear"
        The loss of a row.
    mode : {"resample", "reweight"}, default="resample"
        Whether the learner is given rows drawn with replacement by the distribution, or the weights themselves.
    random_state : int, RandomState or None, default=None
        Draws the rows, and seeds the learners.

    Attributes
    ----------
    estimators_ : list of fitted learners; the ensemble has a length, and gives them by number
    estimator_ : regressor
        The learner.
    estimator_weights_ : ndarray of shape (n_rounds,)
        Weights in the median.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Mean losses :math:`\epsilon_t`.
    feature_importances_ : ndarray of shape (n_features,)
        Weighted mean of the learners' own, where they have any.

    Notes
    -----
    A learner without error ends the fit; one of a mean loss of one half or more does too, and is left out unless it is
    the first. The distribution starts from the weights of ``fit``, equal unless given; rows of weight zero are left
    out. Cost: n_estimators fits and predictions.

    Examples
    --------
    >>> from lanatus.ensemble import AdaBoostRegressor
    >>> X = [[float(v)] for v in range(40)]
    >>> model = AdaBoostRegressor(random_state=0).fit(X, [v[0] ** 2 for v in X])
    >>> round(model.score(X, [v[0] ** 2 for v in X]), 1)
    1.0

    References
    ----------
    Drucker (1997), Improving regressors using boosting techniques.
    """

    _state: ClassVar = {"estimator_weights_": Floats("members")}

    _default_learner = partial(DecisionTreeRegressor, max_depth=3)

    estimators_: list[Any]
    estimator_weights_: np.ndarray
    estimator_errors_: np.ndarray
    feature_importances_ = property(mean_importances)
    estimator_ = property(base_learner)
    __len__, __getitem__, __iter__ = member_count, member, each_member

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        loss: str = "linear",
        mode: str = "resample",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.mode = mode
        self.random_state = random_state

    _params = rules_for(__init__, RULES, loss=Choice("linear", "square", "exponential"))

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        rows = self._take(X, reset=True)
        target = column_or_1d(as_targets(y, rows), warn=True)
        rows, target, weight = weighing_rows(rows, target, self._weights(sample_weight, rows))
        rng = check_random_state(self.random_state)
        distribution = weight / weight.sum()
        models: list[Any] = []
        errors: list[float] = []
        weights: list[float] = []
        for _ in range(self.n_estimators):
            model = self._learn(rows, target, distribution, float(weight.sum()), rng)
            loss = self._losses(np.abs(np.asarray(model.predict(rows)).ravel() - target))
            error = float(distribution @ loss)
            if error >= 0.5 and models:
                break
            beta = max(error, 1e-10) / (1 - error) if error < 0.5 else 1.0
            models.append(model)
            errors.append(error)
            weights.append(self.learning_rate * np.log(1 / beta) if error < 0.5 else 1.0)
            if error <= 0 or error >= 0.5:
                break
            distribution = distribution * beta ** ((1 - loss) * self.learning_rate)
            distribution /= distribution.sum()
        self.estimators_ = models
        self.estimator_errors_, self.estimator_weights_ = np.array(errors), np.array(weights)
        return self

    def _learn(
        self, rows: Any, target: np.ndarray, distribution: np.ndarray, total: float, rng: np.random.RandomState
    ) -> Any:
        model = seeded(self._learner(), rng)
        if self.mode == "reweight":
            return fit_one(model, rows, target, weight=distribution * total)
        return fit_one(model, rows, target, rng.choice(len(target), len(target), p=distribution))

    def _losses(self, error: np.ndarray) -> np.ndarray:
        share = error / error.max() if error.max() > 0 else error
        if self.loss == "linear":
            return share
        return share**2 if self.loss == "square" else 1 - np.exp(-share)

    # ------------------------------------------------------------ answers

    def _answers(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        return np.column_stack([np.asarray(model.predict(rows)).ravel() for model in self.estimators_])

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X."""
        return _weighted_median(self._answers(X), self.estimator_weights_)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after 1, 2, ... rounds."""
        answers = self._answers(X)
        for t in range(1, answers.shape[1] + 1):
            yield _weighted_median(answers[:, :t], self.estimator_weights_[:t])

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """R squared after 1, 2, ... rounds."""
        for predicted in self.staged_predict(X):
            yield float(r2_score(y, predicted, sample_weight=sample_weight))


def _weighted_median(answers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """In each row the least answer at or below which lies half of the weight."""
    order = np.argsort(answers, axis=1, kind="stable")
    below = np.cumsum(weights[order], axis=1)
    at = (below >= 0.5 * below[:, -1:]).argmax(axis=1)
    rows = np.arange(len(answers))
    return np.asarray(answers[rows, order[rows, at]])
