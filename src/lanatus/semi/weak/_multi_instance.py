"""Labels of bags of rows."""

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.validation import check_consistent_length, column_or_1d

from lanatus.base import Intake, Numbers, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Choice, Integer, rules_for
from lanatus.semi._labels import SemiSupervised, require_two
from lanatus.semi.active._queries import probabilities
from lanatus.wrapping import LEARNER, Wrapper


class Bags(NamedTuple):
    """Names of bags as they first come, and the bag of each row."""

    names: np.ndarray
    of: np.ndarray


@method(
    "semi.weak-supervision",
    section="CH5 5.1",
    task="classification",
    en="Multi-instance learning",
    zh="多示例学习",
)
class MultiInstanceClassifier(SemiSupervised, ClassifierMixin, Wrapper):
    r"""Learns from bags of rows that have one label together.

    "extremes" makes of a bag the least and the largest value of each column, :math:`(\min_i x_i, \max_i x_i)`, and
    teaches these to the learner. "witness" holds a bag to be of the second class if one of its rows is: the learner is
    fitted to all rows of the other bags and to one row of each such bag, at first their mean, then the row that the
    learner is surest of, until these no longer change.

    Book: slides 5.1. Cost: "extremes" a fit with a row for each bag; "witness" a fit a round.

    Parameters
    ----------
    estimator : classifier
        The learner.
    mode : {"extremes", "witness"}, default="extremes"
        What of a bag is taught.
    max_iter : int, default=30
        Most rounds of "witness".

    Attributes
    ----------
    estimator_ : fitted learner
        The learner.
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
    Bags without a label are left out. Without bags every row is one.

    Examples
    --------
    >>> from lanatus.kernel import SVC
    >>> from lanatus.semi import MultiInstanceClassifier
    >>> X = [[0.1], [0.9], [0.2], [0.1], [0.3], [0.8]]
    >>> y, bags = [1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]
    >>> model = MultiInstanceClassifier(SVC(kernel="linear", C=100.0)).fit(X, y, groups=bags)
    >>> model.predict([[0.2], [0.7], [0.1], [0.3]], groups=["a", "a", "b", "b"]).tolist()
    [1, 1, 0, 0]

    References
    ----------
    Gaertner, Flach, Kowalczyk and Smola (2002), Multi-instance kernels. Andrews, Tsochantaridis and Hofmann (2003),
    Support vector machines for multiple-instance learning.
    """

    _wants: ClassVar[Intake] = Numbers()
    _takes = Takes()

    estimator_: Any
    n_iter_: int

    def __init__(self, estimator: Any, *, mode: str = "extremes", max_iter: int = 30) -> None:
        self.estimator = estimator
        self.mode = mode
        self.max_iter = max_iter

    _params = rules_for(__init__, estimator=LEARNER, mode=Choice("extremes", "witness"), max_iter=Integer(low=1))

    @fitting
    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Learn from rows X in bags.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            The label of the bag of each row; -1 or a missing value where there is none.
        groups : array of shape (n_samples,), optional
            The bag of each row; by default each is its own.
        """
        rows = self._take(X, reset=True)
        codes = self._learn_labels(y, rows)
        bags = _bags_of(groups, len(rows))
        first = np.unique(bags.of, return_index=True)[1]
        label = codes[first]
        mixed = np.flatnonzero(codes != label[bags.of])
        if len(mixed):
            raise ValueError(f"bag {bags.names[bags.of[mixed[0]]]!r} has rows of different labels; wanted one a bag.")
        if self.mode == "extremes":
            known = label >= 0
            self.estimator_ = self._learnt(_extremes(rows, bags)[known], label[known])
            self.n_iter_ = 1
        else:
            require_two(self, self.classes_)
            self._fit_witnesses(rows, bags, codes, label)
        return self

    def _learnt(self, rows: np.ndarray, codes: np.ndarray) -> Any:
        return clone(self.estimator).fit(rows, self.classes_[codes])

    def _fit_witnesses(self, rows: np.ndarray, bags: Bags, codes: np.ndarray, label: np.ndarray) -> None:
        others = rows[codes == 0]
        positive = np.flatnonzero(label == 1)
        members = [np.flatnonzero(bags.of == bag) for bag in positive]
        chosen = np.array([rows[mine].mean(axis=0) for mine in members]).reshape(-1, rows.shape[1])
        witness = np.full(len(members), -1)
        codes_now = np.concatenate([np.zeros(len(others), dtype=np.intp), np.ones(len(members), dtype=np.intp)])
        for step in range(1, self.max_iter + 1):
            self.n_iter_ = step
            self.estimator_ = self._learnt(np.vstack([others, chosen]), codes_now)
            if len(self.classes_) < 2:
                return
            sure = self._sureness(rows)
            now = np.array([mine[sure[mine].argmax()] for mine in members])
            if np.array_equal(now, witness):
                return
            witness, chosen = now, rows[now]

    def _sureness(self, rows: np.ndarray) -> np.ndarray:
        """How sure the learner is that each row is of the second class."""
        if hasattr(self.estimator_, "decision_function"):
            return np.asarray(self.estimator_.decision_function(rows)).ravel()
        return probabilities(self.estimator_, rows)[:, -1] - 0.5

    def predict(self, X: Any, groups: Any = None) -> np.ndarray:
        """The label of the bag of each row.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        groups : array of shape (n_samples,), optional
            The bag of each row; by default each is its own.
        """
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        bags = _bags_of(groups, len(rows))
        if self.mode == "extremes" or len(self.classes_) < 2:
            said = np.asarray(self.estimator_.predict(_extremes(rows, bags) if self.mode == "extremes" else rows))
            return said[bags.of] if self.mode == "extremes" else said
        highest = np.full(len(bags.names), -np.inf)
        np.maximum.at(highest, bags.of, self._sureness(rows))
        return self.classes_[(highest > 0).astype(np.intp)[bags.of]]


def _bags_of(groups: Any, n: int) -> Bags:
    """Bags in the order of their names."""
    if groups is None:
        return Bags(np.arange(n), np.arange(n))
    groups = column_or_1d(np.asarray(groups))
    check_consistent_length(groups, np.empty(n))
    names, of = np.unique(groups, return_inverse=True)
    return Bags(names, of)


def _extremes(rows: np.ndarray, bags: Bags) -> np.ndarray:
    """The least and the largest value of each column in each bag."""
    low = np.full((len(bags.names), rows.shape[1]), np.inf)
    high = -low
    np.minimum.at(low, bags.of, rows)
    np.maximum.at(high, bags.of, rows)
    return np.hstack([low, high])
