"""Averaging of regressors."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin, TransformerMixin

from lanatus.base import Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.ensemble._committee import (
    FOLDS,
    WEIGHTS,
    Committee,
    default_regressors,
    folds,
    given_weights,
    held_out,
    of_kind,
    of_own_type,
    one_target,
)
from lanatus.ensemble._routing import routed
from lanatus.ensemble._rules import RULES
from lanatus.params import Choice, rules_for
from lanatus.scale import blockwise


@method(
    "ensemble.simple-averaging",
    "ensemble.weighted-averaging",
    section="8.4.1",
    task="regression",
    en="Averaging",
    zh="平均法",
    peers=["scikit-learn:VotingRegressor"],
)
class VotingRegressor(RegressorMixin, TransformerMixin, Committee):
    r"""Several regressors, fitted to the same rows, whose answers are averaged.

    :math:`H(x) = \sum_i w_i h_i(x)` (8.22, 8.23), with weights of 0 or more that add up to 1: equal, given, or
    inversely proportional to the error of each learner, estimated by cross-validation.

    Book: section 8.4.1.

    Parameters
    ----------
    estimators : list of (str, regressor) or None, default=None
        The learners; "drop" instead of one leaves it out. None is least squares and ridge regression.
    weights : {"equal", "inverse-error"}, array of shape (n_estimators,) or None, default=None
        Weights; None is "equal".
    cv : int, splitter, list of splits or None, default=None
        How "inverse-error" estimates the mean squared errors; None is 5 folds.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib.
    verbose : bool, default=False
        Whether a line tells of each learner that is fitted.

    Attributes
    ----------
    estimators_ : list of fitted regressors
        The learners.
    named_estimators_ : Bunch
        The same by name.
    weights_ : ndarray of shape (n_estimators,)
        Weights, adding up to 1.
    errors_ : ndarray of shape (n_estimators,)
        Mean squared errors, where the weights come from them.

    Notes
    -----
    Learned weights are noisy: prefer them where the learners differ much, equal ones where they are alike. A learner
    without error takes all the weight, several share it. Cost: that of the learners, (k + 1) times with k folds.

    Examples
    --------
    >>> from lanatus.ensemble import VotingRegressor
    >>> from lanatus.linear import LinearRegression, Ridge
    >>> model = VotingRegressor([("plain", LinearRegression()), ("ridge", Ridge(5.0))])
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]).predict([[4.0]]).round(4).tolist()
    [3.375]
    """

    _state: ClassVar = {"weights_": Floats("members")}

    weights_: np.ndarray
    errors_: np.ndarray

    def __init__(
        self,
        estimators: Any = None,
        *,
        weights: Any = None,
        cv: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.cv = cv
        self.n_jobs = n_jobs
        self.verbose = verbose

    _params = rules_for(__init__, RULES, weights=Choice("equal", "inverse-error") | WEIGHTS, cv=FOLDS)

    def _default(self) -> list[tuple[str, Any]]:
        return default_regressors()

    def __sklearn_tags__(self) -> Any:
        return of_own_type(super().__sklearn_tags__())

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts, the rest is routed."""
        more = routed(self, fit_params, [name for name, _ in self._members()])
        of_kind(self._models(), regressors=True, who="VotingRegressor")
        given = given_weights(self, self.weights)
        rows = self._take(X, reset=True)
        target = one_target(y, rows)
        weight = self._weights(sample_weight, rows)
        self.__dict__.pop("errors_", None)
        if isinstance(self.weights, str) and self.weights == "inverse-error":
            given = self._by_error(rows, target, weight)
        self._fit_members(rows, target, weight, more)
        self.weights_ = np.full(len(self.estimators_), 1 / len(self.estimators_)) if given is None else given
        return self

    def _by_error(self, rows: Any, target: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        predictions = held_out(
            self._models(),
            rows,
            target,
            folds(self.cv, target, classifier=False),
            lambda model, part: np.asarray(model.predict(part), dtype=np.float64),
            weight=weight,
            n_jobs=self.n_jobs,
        )
        self.errors_ = np.array([np.average((row - target) ** 2, weights=weight) for row in predictions])
        exact = self.errors_ == 0
        inverse = exact.astype(np.float64) if exact.any() else self.errors_.min() / self.errors_
        return np.asarray(inverse / inverse.sum())

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X."""
        return np.asarray(self.transform(X) @ self.weights_)

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """What each learner says."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        return np.column_stack([np.asarray(model.predict(rows), dtype=np.float64) for model in self.estimators_])

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of ``transform``.

        Parameters
        ----------
        input_features : ignored
            For scikit-learn's sake.
        """
        check_is_fitted(self)
        return np.array([f"votingregressor_{name}" for name, _ in self._members()], dtype=object)
