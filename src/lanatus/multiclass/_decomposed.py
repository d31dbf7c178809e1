"""What the decompositions share: two-class learners, fitted side by side, and how sure they are."""

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin, clone, is_regressor
from sklearn.utils import get_tags

from lanatus.base import as_labels, check_is_fitted, coded_rows, fitting, take_rows
from lanatus.params import rules_for
from lanatus.scale import blockwise
from lanatus.wrapping import LEARNER, Wrapper

# A two-class target for all rows, and the rows it is for (None for all).
Tasks = Sequence[tuple[np.ndarray, np.ndarray | None]]


class Decomposed(ClassifierMixin, Wrapper):
    """What the decompositions share: two-class learners, fitted side by side, and labels."""

    estimators_: list[Any]
    classes_: np.ndarray
    pairwise_indices_: list[Any] | None

    def __init__(self, estimator: Any, *, n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs

    _params = rules_for(__init__, estimator=LEARNER)

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        check_is_fitted(self)
        return len(self.classes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = get_tags(self.estimator).input_tags.pairwise
        return tags

    def _open(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
        rows, codes = coded_rows(self, X, y, least=2)
        return rows, codes, self._weights(sample_weight, rows)

    def _fit_all(self, X: Any, tasks: Tasks, weight: np.ndarray | None) -> None:
        """Fit a learner to each (two-class target, rows or None for all)."""
        self.estimators_ = Parallel(n_jobs=self.n_jobs, verbose=getattr(self, "verbose", 0))(
            delayed(self._fitted)(X, target, rows, weight) for target, rows in tasks
        )
        squares = self.__sklearn_tags__().input_tags.pairwise
        self.pairwise_indices_ = [rows for _, rows in tasks] if squares else None

    def _fitted(self, X: Any, y: Any, rows: Any = None, sample_weight: Any = None, **params: Any) -> Any:
        """A clone of the learner, fitted to some rows; of a matrix of products of rows, to the columns of these too."""
        if rows is not None and self.__sklearn_tags__().input_tags.pairwise:
            X, y = X[np.ix_(rows, rows)], np.asarray(y)[rows]
            sample_weight, rows = None if sample_weight is None else sample_weight[rows], None
        return super()._fitted(X, y, rows, sample_weight, **params)

    def _sure(self, rows: Any, k: int) -> np.ndarray:
        """How sure the k-th learner is of its second class; of products of rows it sees those with its own rows."""
        own = self.pairwise_indices_[k] if self.pairwise_indices_ is not None else None
        return confidence(self.estimators_[k], rows if own is None else rows[:, own])

    def _all_sure(self, rows: Any) -> np.ndarray:
        """How sure each learner is, a column for each."""
        return np.column_stack([self._sure(rows, k) for k in range(len(self.estimators_))])

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


def learn_in_parts(model: Any, X: Any, y: Any, classes: Any, **params: Any) -> None:
    """``partial_fit`` of a decomposition whose tasks follow from the classes; `params` go to its learners."""
    first = not hasattr(model, "estimators_")
    if first and classes is None:
        raise ValueError("classes must be passed on the first call to partial_fit: all labels that will come.")
    rows = model._take(X, reset=first)
    if first:
        model.classes_ = np.unique(np.asarray(classes))
        if len(model.classes_) < 2:
            raise ValueError(f"classes has {len(model.classes_)} label; wanted at least 2.")
    codes = places_of(as_labels(y), model.classes_)
    tasks = model._tasks(rows, codes)
    learners = [clone(model.estimator) for _ in tasks] if first else copy.deepcopy(model.estimators_)
    for learner, (target, part) in zip(learners, tasks, strict=True):
        if part is None or len(part):
            own = rows if part is None else take_rows(rows, part)
            learner.partial_fit(own, target if part is None else target[part], classes=[0, 1], **params)
    model.estimators_, model.pairwise_indices_ = learners, None


def places_of(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The place of each label among the classes, all of which were named."""
    unknown = np.setdiff1d(labels, classes)
    if len(unknown):
        raise ValueError(
            f"Mini-batch contains {unknown.tolist()} while classes must be subset of {classes.tolist()}, as named in "
            "the first call."
        )
    return np.searchsorted(classes, labels)


def confidence(model: Any, X: Any) -> np.ndarray:
    """How sure a two-class learner is of its second class: above zero if it would say so.

    A regressor says numbers about 0 and 1, of which the second class has those above a half.
    """
    if is_regressor(model):
        return np.asarray(model.predict(X), dtype=np.float64).ravel() - 0.5
    if len(getattr(model, "classes_", (0, 1))) == 1:  # nothing else was there to learn
        return np.full(len(np.asarray(model.predict(X))), 1.0 if model.classes_[0] == 1 else -1.0)
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64)
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X)[:, 1], dtype=np.float64) - 0.5
    return np.where(model.predict(X) == 1, 1.0, -1.0)
