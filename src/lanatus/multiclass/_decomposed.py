"""What the decompositions share: two-class learners, fitted side by side, and how sure they are."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin, is_regressor

from lanatus.base import check_is_fitted, coded_rows, fitting
from lanatus.params import rules_for
from lanatus.scale import blockwise
from lanatus.wrapping import LEARNER, Wrapper

# A two-class target for all rows, and the rows it is for (None for all).
Tasks = Sequence[tuple[np.ndarray, np.ndarray | None]]


class Decomposed(ClassifierMixin, Wrapper):
    """What the decompositions share: two-class learners, fitted side by side, and labels."""

    estimators_: list[Any]
    classes_: np.ndarray

    def __init__(self, estimator: Any, *, n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs

    _params = rules_for(__init__, estimator=LEARNER)

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        check_is_fitted(self)
        return len(self.classes_)

    def _open(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
        if is_regressor(self.estimator):
            raise TypeError(f"{type(self).__name__} wants a classifier; {self.estimator!r} is a regressor.")
        rows, codes = coded_rows(self, X, y, least=2)
        return rows, codes, self._weights(sample_weight, rows)

    def _fit_all(self, X: Any, tasks: Tasks, weight: np.ndarray | None) -> None:
        """Fit a learner to each (two-class target, rows or None for all)."""
        self.estimators_ = Parallel(n_jobs=self.n_jobs, verbose=getattr(self, "verbose", 0))(
            delayed(self._fitted)(X, target, rows, weight) for target, rows in tasks
        )

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        rows, codes, weight = self._open(X, y, sample_weight)
        self._fit_all(rows, self._tasks(rows, codes), weight)
        return self

    def _tasks(self, rows: Any, codes: np.ndarray) -> Tasks:
        """The two-class targets, and the rows that each is for."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> np.ndarray:
        """One score a class, the largest wins; for two classes one score, above zero for the second."""
        raise NotImplementedError

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        sure = self.decision_function(X)
        return np.asarray(self.classes_[(sure > 0).astype(int) if sure.ndim == 1 else sure.argmax(axis=1)])


def confidence(model: Any, X: Any) -> np.ndarray:
    """How sure a two-class learner is of its second class: above zero if it would say so."""
    if len(model.classes_) == 1:  # nothing else was there to learn
        return np.full(len(np.asarray(model.predict(X))), 1.0 if model.classes_[0] == 1 else -1.0)
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64)
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X)[:, 1], dtype=np.float64) - 0.5
    return np.where(model.predict(X) == 1, 1.0, -1.0)
