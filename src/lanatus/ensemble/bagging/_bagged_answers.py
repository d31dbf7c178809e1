"""Votes and means of members that were fitted side by side, and their out-of-bag estimates."""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import column_or_1d
from sklearn.utils.metaestimators import available_if

from lanatus.base import as_targets, check_is_fitted, class_codes, fitting, n_rows, take_columns, take_rows
from lanatus.ensemble._committee import class_shares
from lanatus.ensemble._sequence import base_learner, each_member, member, member_count, n_classes
from lanatus.ensemble.bagging._resampled import fit_bagged, mean_answer, rows_of_members, sample_of
from lanatus.scale import blockwise
from lanatus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from lanatus.wrapping import Wrapper


def _scores(ensemble: Any) -> bool:
    """Whether the learner has a decision function."""
    return hasattr(ensemble._learner(), "decision_function")


class BaggedClassifier(ClassifierMixin, Wrapper):
    """What classifiers share: codes, votes, and the out-of-bag estimate (8.20, 8.21)."""

    _default_learner = DecisionTreeClassifier

    voting: str
    oob_score: Any
    oob_score_: float
    oob_decision_function_: np.ndarray
    n_estimators: int
    n_jobs: int | None
    random_state: Any
    estimators_: list[Any]
    estimators_features_: list[np.ndarray]
    estimators_samples_ = property(rows_of_members)
    estimator_ = property(base_learner)
    __len__, __getitem__, __iter__ = member_count, member, each_member
    _seeds: list[int]
    _draw: dict[str, Any]

    n_classes_ = property(n_classes)

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        fit_bagged(self, sample_of(self, X, y, sample_weight))
        return self

    def _targets(self, y: Any, rows: Any) -> np.ndarray:
        self.classes_, codes = class_codes(y, rows)
        return codes

    def _width(self) -> tuple[int, ...]:
        return (len(self.classes_),)

    def _answer(self, model: Any, rows: Any) -> np.ndarray:
        return class_shares(model, rows, len(self.classes_), hard=self.voting == "hard")

    def _oob_error(self, target: np.ndarray, weight: np.ndarray | None, total: np.ndarray, count: np.ndarray) -> float:
        seen = np.flatnonzero(count)
        if not len(seen):
            return np.inf
        given = None if weight is None else weight[seen]
        return 1 - float(accuracy_score(target[seen], total[seen].argmax(axis=1), sample_weight=given))

    def _judge(self, target: np.ndarray, weight: np.ndarray | None, total: np.ndarray, count: np.ndarray) -> None:
        self.oob_decision_function_ = total / _beside(np.where(count, count, np.nan), total)
        seen = np.flatnonzero(count)
        if callable(self.oob_score):
            labels = self.classes_[total[seen].argmax(axis=1)]
            self.oob_score_ = float(self.oob_score(self.classes_[target[seen]], labels))
        else:
            error = self._oob_error(target, weight, total, count)
            self.oob_score_ = 1 - error if np.isfinite(error) else np.nan

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        check_is_fitted(self)
        return mean_answer(self, self._take(X, reset=False))

    @blockwise
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the probability of each class, for each row of X."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(_scores)
    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Mean of the members' scores, of those that have seen all classes."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        scores = [
            np.asarray(model.decision_function(take_columns(rows, columns)))
            for model, columns in zip(self.estimators_, self.estimators_features_, strict=True)
            if hasattr(model, "decision_function") and len(model.classes_) == len(self.classes_)
        ]
        if not scores:
            raise ValueError("no member has seen all classes; draw more rows for each, or more members.")
        return np.asarray(np.mean(scores, axis=0))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        shares = mean_answer(self, rows)
        if self.voting == "hard":
            self._settle_ties(shares, rows)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def _settle_ties(self, shares: np.ndarray, rows: Any) -> None:
        """Among the classes with the most votes, the one that the members are surest of."""
        top = shares >= shares.max(axis=1, keepdims=True) - 1e-9
        tied = np.flatnonzero(top.sum(axis=1) > 1)
        if len(tied):
            some = take_rows(rows, tied)
            sure = sum(
                class_shares(model, take_columns(some, columns), len(self.classes_))
                for model, columns in zip(self.estimators_, self.estimators_features_, strict=True)
            )
            shares[tied] = np.where(top[tied], 1 + sure, 0)


class BaggedRegressor(RegressorMixin, Wrapper):
    """What regressors share: numbers, their mean, and the out-of-bag estimate."""

    _default_learner = DecisionTreeRegressor

    oob_score: Any
    oob_score_: float
    oob_prediction_: np.ndarray
    n_estimators: int
    n_jobs: int | None
    random_state: Any
    estimators_: list[Any]
    estimators_features_: list[np.ndarray]
    estimators_samples_ = property(rows_of_members)
    estimator_ = property(base_learner)
    __len__, __getitem__, __iter__ = member_count, member, each_member
    _seeds: list[int]
    _draw: dict[str, Any]

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        fit_bagged(self, sample_of(self, X, y, sample_weight))
        return self

    def _targets(self, y: Any, rows: Any) -> np.ndarray:
        target = as_targets(y, rows)
        if target.ndim == 1 or target.shape[1] == 1:
            target = column_or_1d(target, warn=True)
        self.n_outputs_ = 1 if target.ndim == 1 else target.shape[1]
        return np.asarray(target)

    def _width(self) -> tuple[int, ...]:
        return () if self.n_outputs_ == 1 else (self.n_outputs_,)

    def _answer(self, model: Any, rows: Any) -> np.ndarray:
        return np.asarray(model.predict(rows)).reshape(n_rows(rows), *self._width())

    def _oob_error(self, target: np.ndarray, weight: np.ndarray | None, total: np.ndarray, count: np.ndarray) -> float:
        seen = np.flatnonzero(count)
        if not len(seen):
            return np.inf
        given = None if weight is None else weight[seen]
        apart = (target[seen] - total[seen] / _beside(count[seen], total)) ** 2
        return float(np.average(apart.reshape(len(seen), -1).mean(axis=1), weights=given))

    def _judge(self, target: np.ndarray, weight: np.ndarray | None, total: np.ndarray, count: np.ndarray) -> None:
        self.oob_prediction_ = total / _beside(np.where(count, count, np.nan), total)
        seen = np.flatnonzero(count)
        if len(seen) < 2:
            self.oob_score_ = np.nan
        elif callable(self.oob_score):
            self.oob_score_ = float(self.oob_score(target[seen], self.oob_prediction_[seen]))
        else:
            given = None if weight is None else weight[seen]
            self.oob_score_ = float(r2_score(target[seen], self.oob_prediction_[seen], sample_weight=given))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X."""
        check_is_fitted(self)
        return mean_answer(self, self._take(X, reset=False))


def _beside(counts: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """A number a row, to divide by what members say of it, one number or several."""
    return counts.reshape(-1, *[1] * (answers.ndim - 1))
