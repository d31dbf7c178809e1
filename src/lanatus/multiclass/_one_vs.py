"""One-vs-rest and one-vs-one."""

import warnings
from itertools import combinations
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.dummy import DummyClassifier
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target

from lanatus.base import check_is_fitted, fitting, n_rows
from lanatus.catalog import method
from lanatus.multiclass._decomposed import Decomposed, Tasks, learn_in_parts
from lanatus.params import Choice, Flag, Integer, rules_for
from lanatus.scale import blockwise
from lanatus.wrapping import LEARNER


def _knows_probabilities(model: Any) -> bool:
    fitted = getattr(model, "estimators_", None)
    return hasattr(fitted[0] if fitted else model.estimator, "predict_proba")


def _grows(model: Any) -> bool:
    return callable(model.estimator.partial_fit)  # where it has none, its error says so


def _is_multilabel(y: Any) -> bool:
    """Whether y is a matrix of zeros and ones, several columns of them; on Dask it is not looked at."""
    if hasattr(y, "__dask_graph__"):
        return False
    try:
        values = y if sp.issparse(y) else np.asarray(y)
    except ValueError:  # rows of different lengths
        return False
    return values.ndim == 2 and values.shape[1] > 1 and type_of_target(values) == "multilabel-indicator"


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
    confidence. Where y is a matrix of zeros and ones, a row has every label whose learner says yes.

    Book: section 3.5.

    Parameters
    ----------
    estimator : classifier or regressor
        The two-class learner; a regressor learns 0 and 1.
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
    multilabel_ : bool
        Whether rows have several labels, or none.
    label_binarizer_ : LabelBinarizer
        What makes a row of zeros and ones of labels.

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
        if codes.ndim == 2:  # several labels a row
            return [(column, None) for column in codes.T]
        wanted = range(len(self.classes_)) if len(self.classes_) > 2 else [1]
        return [((codes == c).astype(np.int64), None) for c in wanted]

    @property
    def multilabel_(self) -> bool:
        """Whether rows have several labels, or none."""
        check_is_fitted(self)
        return bool(self.label_binarizer_.y_type_.startswith("multilabel"))

    @property
    def label_binarizer_(self) -> LabelBinarizer:
        """What makes a row of zeros and ones of labels."""
        return self._labels

    def _open(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
        self._labels = LabelBinarizer(sparse_output=True)
        if not _is_multilabel(y):
            opened = super()._open(X, y, sample_weight)
            self._labels.fit(self.classes_)
            return opened
        rows = self._take(X, reset=True)
        marks = self._labels.fit_transform(y).toarray().astype(np.int64)
        if n_rows(rows) != len(marks):
            raise ValueError(f"X has {n_rows(rows)} rows and y {len(marks)}; wanted as many of both.")
        self.classes_ = self._labels.classes_
        return rows, marks, self._weights(sample_weight, marks)

    def _fitted(self, X: Any, y: Any, rows: Any = None, sample_weight: Any = None, **params: Any) -> Any:
        if rows is None and len(y) and (y == y[0]).all():
            many = "all" if y[0] else "no"
            warnings.warn(f"Label of a column of y is present in {many} training examples.", stacklevel=2)
            return DummyClassifier(strategy="constant", constant=y[0]).fit(np.zeros((1, 1)), y[:1])
        return super()._fitted(X, y, rows, sample_weight, **params)

    @available_if(_grows)
    @fitting
    def partial_fit(self, X: Any, y: Any, classes: Any = None, **params: Any) -> Self:
        """Learn from more rows with labels y, with learners that have ``partial_fit``; `classes` names all labels."""
        learn_in_parts(self, X, y, classes, **params)
        self._labels = LabelBinarizer(sparse_output=True).fit(self.classes_)
        return self

    @blockwise
    def predict(self, X: Any) -> Any:
        """Predicted class of each row of X; of several labels a row, ones for those that it has."""
        if not self.multilabel_:
            return super().predict(X)
        marks = (self.decision_function(X) > 0).astype(np.int64)
        return sp.csr_matrix(marks) if self.label_binarizer_.sparse_input_ else marks

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Confidence in each class; of the second alone for two classes."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        sure = self._all_sure(rows)
        return sure[:, 0] if len(self.classes_) == 2 and not self.multilabel_ else sure

    @available_if(_knows_probabilities)
    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class: what its learner says against the rest, over their sum; for labels, just that."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        said = np.column_stack([_probability(model, rows) for model in self.estimators_])
        if self.multilabel_:
            return said
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
    estimator : classifier or regressor
        The two-class learner; a regressor learns 0 and 1.
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
    pairwise_indices_ : list of ndarrays or None
        Rows of each pair, where rows are products with all rows (a precomputed kernel).

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

    @available_if(_grows)
    @fitting
    def partial_fit(self, X: Any, y: Any, classes: Any = None, **params: Any) -> Self:
        """Learn from more rows with labels y, with learners that have ``partial_fit``; `classes` names all labels."""
        learn_in_parts(self, X, y, classes, **params)
        return self

    def _tasks(self, rows: Any, codes: np.ndarray) -> Tasks:
        self.pairs_, tasks = pairwise_tasks(codes, len(self.classes_))
        return tasks

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Votes or confidences of each class, with a part below a vote that settles ties; for two, of the second."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        sure = self._all_sure(rows)
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
