"""Boosting that learns from rows of another task."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.validation import check_consistent_length, column_or_1d

from lanatus.base import Floats, check_is_fitted, fitting, n_rows, take_rows
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import Integer, rules_for
from lanatus.scale import blockwise
from lanatus.semi._labels import SemiSupervised
from lanatus.wrapping import LEARNER, Wrapper

_LEAST = 1e-10  # error below which a learner counts as perfect
_CHANCE = 1e-3  # how much better than chance a learner counts as at least


@method(
    "semi.transfer-boost",
    section="1.7",
    task="classification",
    en="Transfer learning by boosting (TrAdaBoost)",
    zh="迁移学习 (TrAdaBoost)",
)
class TransferBoost(SemiSupervised, CallbackSupportMixin, ClassifierMixin, Wrapper):
    r"""Learns a task of few rows with the help of rows from another one, whose weights fall where they mislead.

    Both tasks weigh the same at first. In each round the learner is fitted to all rows by weight, and its error
    :math:`\epsilon_t` on the rows of the task is taken. Rows of the task that it gets wrong gain weight as in AdaBoost,
    by :math:`\beta_t^{-1}`, :math:`\beta_t = \epsilon_t / (1 - \epsilon_t)`; rows of the other task that it gets wrong
    lose weight by :math:`\beta = 1 / (1 + \sqrt{2 \ln n / T})`. The learners of the second half of the rounds vote,
    each by :math:`\ln 1 / \beta_t`.

    Book: section 1.7. Cost: a fit of the learner a round.

    Parameters
    ----------
    estimator : classifier
        The learner; it must take weights.
    n_estimators : int, default=50
        Most rounds.

    Attributes
    ----------
    estimators_ : list of fitted learners
        The learners that vote.
    estimator_weights_ : ndarray of shape (n_estimators,)
        The weights of their votes.
    source_weights_ : ndarray of shape (n_source,)
        Weights of the rows of the other task in the end, as shares of the first ones.
    errors_ : ndarray of shape (n_rounds,)
        Errors on the rows of the task.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_iter_ : int
        Rounds.
    schema_ : Schema
        The columns seen in ``fit``, where they were not plain numbers.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, where they had any.

    Notes
    -----
    Rows without a label are left out. Of k classes an error of :math:`1 - 1/k` or more counts as a thousandth less, so
    that the rounds go on, and :math:`\beta_t` is divided by :math:`k - 1`. Without rows of another task it is AdaBoost
    by the later half of its learners.

    Examples
    --------
    >>> from lanatus.semi import TransferBoost
    >>> from lanatus.tree import DecisionTreeClassifier
    >>> X = [[0.0], [1.0], [2.0], [3.0], [0.5], [2.5]]
    >>> source = [True, True, True, True, False, False]
    >>> model = TransferBoost(DecisionTreeClassifier(max_depth=1)).fit(X, [0, 0, 1, 1, 0, 1], source=source)
    >>> model.predict([[0.2], [2.2]]).tolist()
    [0, 1]

    References
    ----------
    Dai, Yang, Xue and Yu (2007), Boosting for transfer learning.
    """

    _state: ClassVar = {"estimator_weights_": Floats("voters", low=0)}

    estimators_: list[Any]
    estimator_weights_: np.ndarray
    source_weights_: np.ndarray
    errors_: np.ndarray
    n_iter_: int

    def __init__(self, estimator: Any, *, n_estimators: int = 50) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators

    _params = rules_for(__init__, estimator=LEARNER, n_estimators=Integer(low=1))

    @fitting
    def fit(self, X: Any, y: Any, source: Any = None) -> Self:
        """Learn from rows of the task and of another one.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The rows of both.
        y : array of shape (n_samples,)
            The labels; -1 or a missing value where there is none.
        source : array of bool of shape (n_samples,), optional
            True for the rows of the other task; by default there are none.
        """
        rows = self._take(X, reset=True)
        codes = self._learn_labels(y, rows)
        other = _mask(source, len(codes))[codes >= 0]
        known = np.flatnonzero(codes >= 0)
        rows, codes = (rows if len(known) == len(codes) else take_rows(rows, known)), codes[known]
        if other.all():
            raise ValueError("all labelled rows are of the other task; wanted some of the task itself.")
        k, rounds = len(self.classes_), self.n_estimators
        shrink = 1 / (1 + np.sqrt(2 * np.log(max(other.sum(), 1)) / rounds))
        weight = np.where(other, 1 / max(other.sum(), 1), 1 / (~other).sum())  # both tasks weigh the same at first
        progress = Progress(self, X, max_iter=rounds)
        models: list[Any] = []
        errors: list[float] = []
        worth: list[float] = []
        for iteration in progress.iterations():
            model = clone(self.estimator).fit(
                rows, self.classes_[codes], sample_weight=weight * (len(weight) / weight.sum())
            )
            wrong = np.asarray(model.predict(rows)) != self.classes_[codes]
            error = float(weight[~other] @ wrong[~other] / weight[~other].sum())
            # A learner no better than chance hardly votes, and the rounds go on: the other rows still lose weight.
            rate = float(np.clip(error, _LEAST, 1 - 1 / max(k, 2) - _CHANCE))
            beta = rate / (1 - rate) / max(k - 1, 1)
            models.append(model)
            errors.append(error)
            worth.append(float(np.log(1 / beta)))
            weight[other & wrong] *= shrink
            weight[~other & wrong] /= beta
            weight /= weight.max()
            iteration.done(state=dict, attributes=partial(self._learned, models, worth, errors, weight, other))
            if iteration.stop or (error < _LEAST and not (wrong & other).any()):
                break  # nothing would change any more
        learned = self._learned(models, worth, errors, weight, other)
        for name, value in learned.items():
            setattr(self, name, value)
        progress.finish(learned)
        return self

    def _learned(
        self, models: list[Any], worth: list[float], errors: list[float], weight: np.ndarray, other: np.ndarray
    ) -> dict[str, Any]:
        half = len(models) // 2
        left = weight[other]
        return {
            "estimators_": models[half:],
            "estimator_weights_": np.array(worth[half:]),
            "source_weights_": left / max(float(left.max(initial=0.0)), 1e-300),
            "errors_": np.array(errors),
            "n_iter_": len(models),
        }

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the votes for each class."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        votes = np.zeros((n_rows(rows), len(self.classes_)))
        at = np.arange(len(votes))
        for model, weight in zip(self.estimators_, self.estimator_weights_, strict=True):
            votes[at, np.searchsorted(self.classes_, np.asarray(model.predict(rows)))] += weight
        return votes / votes.sum(axis=1, keepdims=True)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class with most votes, the first of equal ones."""
        votes = self.predict_proba(X)
        return self.classes_[votes.argmax(axis=1)]


def _mask(source: Any, n: int) -> np.ndarray:
    if source is None:
        return np.zeros(n, dtype=bool)
    mask = column_or_1d(np.asarray(source))
    check_consistent_length(mask, np.empty(n))
    if mask.dtype.kind != "b":
        raise ValueError(f"source must be True or False for each row; got {mask.dtype}.")
    return mask
