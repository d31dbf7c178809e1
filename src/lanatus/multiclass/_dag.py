"""One-vs-one learners at the nodes of a directed acyclic graph."""

from typing import Any

import numpy as np

from lanatus.base import check_is_fitted, take_rows
from lanatus.catalog import method
from lanatus.multiclass._decomposed import Decomposed, Tasks
from lanatus.multiclass._one_vs import pairwise_tasks
from lanatus.scale import blockwise


@method(
    "multiclass.dag-decomposition",
    section="3.7",
    task="classification",
    en="Directed acyclic graph decomposition",
    zh="DAG拆分法",
)
class DAGClassifier(Decomposed):
    """One-vs-one learners asked in a row: each answer rules out a class, until one is left.

    Fitted as one-vs-one; a prediction asks N - 1 learners instead of N (N - 1) / 2.

    Book: section 3.7.

    Parameters
    ----------
    estimator : classifier
        The two-class learner.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of fitted learners
        For each pair of `pairs_`.
    pairs_ : list of pairs of int
        Places in `classes_`.

    Notes
    -----
    Each node compares the first and the last class that are left, as in the paper. Cost: the fits of one-vs-one, and
    N - 1 answers a row.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.multiclass import DAGClassifier
    >>> model = DAGClassifier(GaussianNB()).fit([[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], list("aabbcc"))
    >>> model.predict([[0.5], [4.5], [8.5]]).tolist()
    ['a', 'b', 'c']

    References
    ----------
    J. C. Platt, N. Cristianini, J. Shawe-Taylor: Large margin DAGs for multiclass classification. NIPS 12 (2000).
    """

    pairs_: list[tuple[int, int]]

    def _tasks(self, rows: Any, codes: np.ndarray) -> Tasks:
        self.pairs_, tasks = pairwise_tasks(codes, len(self.classes_))
        return tasks

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """How far down the graph each class was still there; for two classes, the confidence in the second."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        if len(self.classes_) == 2:
            return self._sure(rows, 0)
        n_rows = len(self._sure(rows, 0))
        first, last = np.zeros(n_rows, dtype=int), np.full(n_rows, len(self.classes_) - 1)
        reached = np.zeros((n_rows, len(self.classes_)))
        place = {pair: k for k, pair in enumerate(self.pairs_)}
        for depth in range(1, len(self.classes_)):
            for pair in sorted(set(zip(first.tolist(), last.tolist(), strict=True))):
                here = np.flatnonzero((first == pair[0]) & (last == pair[1]))
                second_wins = self._sure(take_rows(rows, here), place[pair]) > 0
                out = np.where(second_wins, first[here], last[here])
                reached[here, out] = depth
                first[here] += second_wins
                last[here] -= ~second_wins
        reached[np.arange(n_rows), first] = len(self.classes_)
        return reached
