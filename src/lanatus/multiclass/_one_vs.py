"""One-vs-rest and one-vs-one."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin, is_regressor

from lanatus.base import check_is_fitted, class_codes, fitting
from lanatus.catalog import method
from lanatus.params import Choice, Integer, Nothing, Rule
from lanatus.scale import blockwise
from lanatus.wrapping import LEARNER, Wrapper


class _Decomposed(ClassifierMixin, Wrapper):
    """What the decompositions share: two-class learners, fitted side by side, and labels."""

    estimators_: list[Any]
    classes_: np.ndarray

    _params: ClassVar[dict[str, Rule]] = {"estimator": LEARNER, "n_jobs": Nothing() | Integer()}

    def __init__(self, estimator: Any, *, n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs

    def _open(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
        if is_regressor(self.estimator):
            raise TypeError(f"{type(self).__name__} wants a classifier; {self.estimator!r} is a regressor.")
        rows = self._rows(X, reset=True)
        self.classes_, codes = class_codes(y, rows)
        if len(self.classes_) < 2:
            raise ValueError(f"y has 1 class, {self.classes_[0]!r}; wanted at least 2 classes.")
        return rows, codes, self._weights(sample_weight, rows)

    def _fit_all(
        self, X: Any, tasks: Sequence[tuple[np.ndarray, np.ndarray | None]], weight: np.ndarray | None
    ) -> None:
        """Fit a learner to each (two-class target, rows or None for all)."""
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(self._fitted)(X, target, rows, weight) for target, rows in tasks
        )


def confidence(model: Any, X: Any) -> np.ndarray:
    """How sure a two-class learner is of its second class: above zero if it would say so."""
    if len(model.classes_) == 1:  # nothing else was there to learn
        return np.full(len(np.asarray(model.predict(X))), 1.0 if model.classes_[0] == 1 else -1.0)
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64)
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X)[:, 1], dtype=np.float64) - 0.5
    return np.where(model.predict(X) == 1, 1.0, -1.0)


@method(
    "multiclass.one-vs-rest",
    section="3.5",
    task="classification",
    en="One-vs-rest decomposition",
    zh="一对其余",
    peers=["scikit-learn:OneVsRestClassifier"],
)
class OneVsRestClassifier(_Decomposed):
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

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a learner for each class.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The labels.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, where the learner takes them.

        Returns
        -------
        self
        """
        rows, codes, weight = self._open(X, y, sample_weight)
        wanted = range(len(self.classes_)) if len(self.classes_) > 2 else [1]
        self._fit_all(rows, [((codes == c).astype(np.int64), None) for c in wanted], weight)
        return self

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Confidence in each class; of the second alone for two classes."""
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        sure = np.column_stack([confidence(model, rows) for model in self.estimators_])
        return sure[:, 0] if len(self.classes_) == 2 else sure

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class of the surest learner."""
        sure = self.decision_function(X)
        return np.asarray(self.classes_[(sure > 0).astype(int) if sure.ndim == 1 else sure.argmax(axis=1)])


@method(
    "multiclass.one-vs-one",
    section="3.5",
    task="classification",
    en="One-vs-one decomposition",
    zh="一对一",
    peers=["scikit-learn:OneVsOneClassifier"],
)
class OneVsOneClassifier(_Decomposed):
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

    _params: ClassVar[dict[str, Rule]] = {
        "estimator": LEARNER,
        "combine": Choice("votes", "confidences"),
        "n_jobs": Nothing() | Integer(),
    }

    pairs_: list[tuple[int, int]]

    def __init__(self, estimator: Any, *, combine: str = "votes", n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.combine = combine
        self.n_jobs = n_jobs

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a learner for each pair of classes.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The labels.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, where the learner takes them.

        Returns
        -------
        self
        """
        rows, codes, weight = self._open(X, y, sample_weight)
        self.pairs_ = list(combinations(range(len(self.classes_)), 2))
        of_pair = [np.flatnonzero((codes == a) | (codes == b)) for a, b in self.pairs_]
        tasks = [((codes == b).astype(np.int64), part) for (_, b), part in zip(self.pairs_, of_pair, strict=True)]
        self._fit_all(rows, tasks, weight)
        return self

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Votes or confidences of each class, with a part below a vote that settles ties; for two, of the second."""
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
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

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class with the most votes."""
        sure = self.decision_function(X)
        return np.asarray(self.classes_[(sure > 0).astype(int) if sure.ndim == 1 else sure.argmax(axis=1)])
