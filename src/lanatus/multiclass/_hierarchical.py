"""Multi-class by splitting the classes in two, again and again."""

from typing import Any

import numpy as np

from lanatus.base import check_is_fitted, take_rows
from lanatus.catalog import method
from lanatus.multiclass._decomposed import Decomposed, Tasks, confidence
from lanatus.multiclass._learned_codes import discriminant_code
from lanatus.params import Choice, rules_for
from lanatus.scale import blockwise
from lanatus.wrapping import LEARNER


@method(
    "multiclass.hierarchical-split",
    section="SL 4.1",
    task="classification",
    en="Hierarchical multi-class by repeated two-way splits",
    zh="层次法多分类",
)
class HierarchicalClassifier(Decomposed):
    """A binary tree of the classes with a two-class learner at each node; a row goes down to one class.

    N - 1 learners for N classes, each fitted to the rows of the classes below its node; about log2(N) answers a row.

    Book: lecture slides, section 4.1.

    Parameters
    ----------
    estimator : classifier
        The two-class learner.
    split : {"halves", "informative"}, default="halves"
        How a node splits its classes: in two halves in the order of their labels, or so that the side tells most of the
        attributes (as in the codes of DECOC).
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of n_classes - 1 fitted learners
        One for each node, the root first.
    splits_ : ndarray of int8 of shape (n_classes, n_classes - 1)
        For each node, +1 and -1 for the classes on its two sides, 0 for those not below it.

    Notes
    -----
    An error at a node cannot be made up for below it. Cost: N - 1 fits.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.multiclass import HierarchicalClassifier
    >>> model = HierarchicalClassifier(GaussianNB()).fit([[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], list("aabbcc"))
    >>> model.splits_.tolist(), model.predict([[0.5], [4.5], [8.5]]).tolist()
    ([[1, 0], [-1, 1], [-1, -1]], ['a', 'b', 'c'])
    """

    splits_: np.ndarray

    def __init__(self, estimator: Any, *, split: str = "halves", n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.split = split
        self.n_jobs = n_jobs

    _params = rules_for(__init__, estimator=LEARNER, split=Choice("halves", "informative"))

    def _tasks(self, rows: Any, codes: np.ndarray) -> Tasks:
        n = len(self.classes_)
        self.splits_ = _halves(n) if self.split == "halves" else discriminant_code(rows, codes, n)
        return [((column[codes] > 0).astype(np.int64), np.flatnonzero(column[codes])) for column in self.splits_.T]

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Nodes passed on the way to each class; for two classes, the confidence in the second."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        if len(self.classes_) == 2:
            return -confidence(self.estimators_[0], rows)  # the first class is on the positive side
        n_rows = len(np.asarray(self.estimators_[0].predict(rows)))
        alive = np.ones((n_rows, len(self.classes_)), dtype=bool)
        passed = np.zeros(alive.shape)
        for column, model in zip(self.splits_.T, self.estimators_, strict=True):
            here = np.flatnonzero(alive[:, column != 0].all(axis=1))
            if len(here):
                yes = confidence(model, take_rows(rows, here)) > 0
                lost = np.where(yes[:, None], column == -1, column == 1)
                alive[here] &= ~lost
                passed[here] += alive[here] & (column != 0)
        return passed + alive * len(self.classes_)


def _halves(n_classes: int) -> np.ndarray:
    columns, open_sets = [], [np.arange(n_classes)]
    while open_sets:
        group = open_sets.pop(0)
        if len(group) < 2:
            continue
        column = np.zeros(n_classes, dtype=np.int8)
        left, right = group[: len(group) // 2], group[len(group) // 2 :]
        column[left], column[right] = 1, -1
        columns.append(column)
        open_sets += [left, right]
    return np.column_stack(columns)
