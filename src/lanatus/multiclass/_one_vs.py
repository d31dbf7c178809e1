"""One-vs-rest and one-vs-one."""

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from lanatus.base import check_is_fitted
from lanatus.catalog import method
from lanatus.multiclass._decomposed import Decomposed, Tasks, confidence
from lanatus.params import Choice, Flag, Integer, rules_for
from lanatus.scale import blockwise
from lanatus.wrapping import LEARNER


def _knows_probabilities(model: Any) -> bool:
    fitted = getattr(model, "estimators_", None)
    return hasattr(fitted[0] if fitted else model.estimator, "predict_proba")


def _probability(model: Any, X: Any) -> np.ndarray:
    """How likely a two-class learner holds its second class."""
    said = np.asarray(model.predict_proba(X), dtype=np.float64)
    return said[:, 1] if len(model.classes_) == 2 else np.full(len(said), float(model.classes_[0] == 1))


@method(
    "multiclass.one-vs-rest",
    section="3.5",
    task="classification",
    en="One-vs-rest decomposition",
    zh="一对其余",
    peers=["scikit-learn:OneVsRestClassifier"],
)
class OneVsRestClassifier(Decomposed):
    """A two-class learner for each class against all others; the surest one wins.

    N learners for N classes, each fitted to all rows. Several that say yes, or none, are settled by the largest
    confidence.

    Book: section 3.5.

    Parameters
    ----------
    estimator : classifier
        The two-class learner.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib.
    verbose : int, default=0
        How much joblib prints of the fits.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of n_classes fitted learners
        Each for one class against the rest; for two classes a single one, for the second.

    Notes
    -----
    Confidence is the decision function, or else the probability less a half, or else the answer itself. Ties go to
    the class that sorts first. Cost: N fits to all rows.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.multiclass import OneVsRestClassifier
    >>> model = OneVsRestClassifier(GaussianNB()).fit([[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], list("aabbcc"))
    >>> model.predict([[0.5], [4.5], [8.5]]).tolist()
    ['a', 'b', 'c']
    """

    def __init__(self, estimator: Any, *, n_jobs: int | None = None, verbose: int = 0) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.verbose = verbose

    _params = rules_for(__init__, estimator=LEARNER, verbose=Integer(low=0) | Flag())

    def _tasks(self, rows: Any, codes: np.ndarray) -> Tasks:
        wanted = range(len(self.classes_)) if len(self.classes_) > 2 else [1]
        return [((codes == c).astype(np.int64), None) for c in wanted]

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Confidence in each class; of the second alone for two classes."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        sure = np.column_stack([confidence(model, rows) for model in self.estimators_])
        return sure[:, 0] if len(self.classes_) == 2 else sure

    @available_if(_knows_probabilities)
    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class: what its learner says against the rest, over the sum of all."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        said = np.column_stack([_probability(model, rows) for model in self.estimators_])
        if len(self.classes_) == 2:
            return np.column_stack([1 - said[:, 0], said[:, 0]])
        total = said.sum(axis=1, keepdims=True)
        return np.where(total > 0, said / np.where(total > 0, total, 1.0), 1 / len(self.classes_))


@method(
    "multiclass.one-vs-one",
    section="3.5",
    task="classification",
    en="One-vs-one decomposition",
    zh="一对一",
    peers=["scikit-learn:OneVsOneClassifier"],
)
class OneVsOneClassifier(Decomposed):
    """A two-class learner for each pair of classes, fitted to their rows alone; the class with the most votes wins.

    N (N - 1) / 2 learners for N classes. Ties are settled by the sum of confidences.

    Book: section 3.5.

    Parameters
    ----------
    estimator : classifier
        The two-class learner.
    combine : {"votes", "confidences"}, default="votes"
        Whether a learner gives one vote or its confidence.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of fitted learners
        For each pair of `pairs_`; the second class of the pair is their positive one.
    pairs_ : list of pairs of int
        Places in `classes_`.

    Notes
    -----
    Cost: N (N - 1) / 2 fits, each to the rows of two classes, together (N - 1) times all rows.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.multiclass import OneVsOneClassifier
    >>> model = OneVsOneClassifier(GaussianNB()).fit([[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], list("aabbcc"))
    >>> model.predict([[0.5], [4.5], [8.5]]).tolist(), len(model.estimators_)
    (['a', 'b', 'c'], 3)
    """

    pairs_: list[tuple[int, int]]

    def __init__(self, estimator: Any, *, combine: str = "votes", n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.combine = combine
        self.n_jobs = n_jobs

    _params = rules_for(__init__, estimator=LEARNER, combine=Choice("votes", "confidences"))

    def _tasks(self, rows: Any, codes: np.ndarray) -> Tasks:
        self.pairs_, tasks = pairwise_tasks(codes, len(self.classes_))
        return tasks

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Votes or confidences of each class, with a part below a vote that settles ties; for two, of the second."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        sure = np.column_stack([confidence(model, rows) for model in self.estimators_])
        if len(self.classes_) == 2:
            return sure[:, 0]
        votes, sums = np.zeros((2, len(sure), len(self.classes_)))
        for k, (a, b) in enumerate(self.pairs_):
            votes[:, b] += sure[:, k] > 0
            votes[:, a] += sure[:, k] <= 0
            sums[:, b] += sure[:, k]
            sums[:, a] -= sure[:, k]
        if self.combine == "confidences":
            return sums
        return votes + sums / (3 * (np.abs(sums) + 1))  # the second part stays below a third of a vote


def pairwise_tasks(codes: np.ndarray, n_classes: int) -> tuple[list[tuple[int, int]], Tasks]:
    """All pairs of classes, and for each the second against the first, on the rows of both."""
    pairs = list(combinations(range(n_classes), 2))
    of_pair = [np.flatnonzero((codes == a) | (codes == b)) for a, b in pairs]
    return pairs, [((codes == b).astype(np.int64), part) for (_, b), part in zip(pairs, of_pair, strict=True)]
