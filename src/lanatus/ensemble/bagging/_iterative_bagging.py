"""Iterated bagging: each stage bags what the stages before left over."""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state, column_or_1d

from lanatus.base import as_targets, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.ensemble._rules import RULES
from lanatus.ensemble.bagging._bagging import BaggingRegressor
from lanatus.params import Integer, Real, rules_for
from lanatus.scale import blockwise
from lanatus.tree import DecisionTreeRegressor
from lanatus.wrapping import Wrapper


@method(
    "ensemble.iterative-bagging",
    section="ex 8.8",
    task="regression",
    en="Iterative bagging",
    zh="Iterative Bagging (迭代Bagging)",
)
class IterativeBaggingRegressor(RegressorMixin, Wrapper):
    r"""Bagging in stages, each of what the stages before left over by their out-of-bag answers; the stages are summed.

    Bagging lowers variance; the stages lower bias too. Stage s bags the targets :math:`y^{(s)}`, and
    :math:`y^{(s+1)} = y^{(s)} - \hat{y}^{(s)}_{oob}` are the next ones; no more stages once the mean
    square of the targets is above `stop_ratio` times the least so far, and those up to the least are kept.

    Book: exercise 8.8 and section 8.6.

    Parameters
    ----------
    estimator : regressor or None, default=None
        The learner; None is a decision tree.
    n_estimators : int, default=50
        Learners a stage.
    n_stages : int, default=10
        Most stages.
    stop_ratio : float, default=1.1
        How far the mean square of the targets may rise above the least.
    bootstrap : bool, default=True
        Whether a learner gets rows drawn with replacement; if not, all learners of a stage are alike.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib; the result does not depend on it.
    random_state : int, RandomState or None, default=None
        Draws the rows, and seeds the learners.

    Attributes
    ----------
    stages_ : list of BaggingRegressor
        The stages that are summed.
    mean_squares_ : ndarray of shape (n_tried,)
        Mean square of what each stage tried left over.

    Notes
    -----
    A row that all learners of a stage have seen gets the answer of all of them. Cost: n_stages times n_estimators fits
    at most.

    Examples
    --------
    >>> from lanatus.ensemble import IterativeBaggingRegressor
    >>> X = [[float(v)] for v in range(30)]
    >>> model = IterativeBaggingRegressor(random_state=0).fit(X, [v[0] ** 2 for v in X])
    >>> round(model.score(X, [v[0] ** 2 for v in X]), 2)
    1.0

    References
    ----------
    Breiman (2001), Using iterated bagging to debias regressions.
    """

    _default_learner = DecisionTreeRegressor

    stages_: list[BaggingRegressor]
    mean_squares_: np.ndarray

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        n_stages: int = 10,
        stop_ratio: float = 1.1,
        bootstrap: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_stages = n_stages
        self.stop_ratio = stop_ratio
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state

    _params = rules_for(__init__, RULES, n_stages=Integer(low=1), stop_ratio=Real(low=1))

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        rows = self._take(X, reset=True)
        target = np.asarray(column_or_1d(as_targets(y, rows), warn=True), dtype=np.float64)
        weight = self._weights(sample_weight, rows)
        rng = check_random_state(self.random_state)
        stages: list[BaggingRegressor] = []
        squares: list[float] = []
        for _ in range(self.n_stages):
            stage = self._stage(int(rng.randint(2**31 - 1)))
            with warnings.catch_warnings():  # of rows that no bag left out, which `_held_out` takes care of
                warnings.filterwarnings("ignore", "Some inputs do not have OOB scores", UserWarning)
                stage.fit(rows, target, sample_weight=weight)
            target = target - _held_out(stage, rows)
            stages.append(stage)
            squares.append(float(np.average(target**2, weights=weight)))
            if squares[-1] > self.stop_ratio * min(squares) or squares[-1] == 0:
                break
        self.stages_ = stages[: int(np.argmin(squares)) + 1]
        self.mean_squares_ = np.array(squares)
        return self

    def _stage(self, seed: int) -> BaggingRegressor:
        return BaggingRegressor(
            self._learner(),
            self.n_estimators,
            bootstrap=self.bootstrap,
            oob_score=self.bootstrap,
            n_jobs=self.n_jobs,
            random_state=seed,
        )

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        return np.asarray(np.sum([stage.predict(rows) for stage in self.stages_], axis=0))


def _held_out(stage: BaggingRegressor, rows: Any) -> np.ndarray:
    if not stage.bootstrap:
        return np.asarray(stage.predict(rows))
    predictions = stage.oob_prediction_
    return (
        predictions
        if np.isfinite(predictions).all()
        else np.where(np.isfinite(predictions), predictions, stage.predict(rows))
    )
