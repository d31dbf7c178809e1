"""Several semi-supervised learners that together do no worse than a plain one."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone

from lanatus.base import Floats, Intake, check_is_fitted, fitting, n_rows, take_rows
from lanatus.bayes import GaussianNB
from lanatus.catalog import method
from lanatus.params import Flag, Nothing, Real, Satisfies, rules_for
from lanatus.scale import blockwise
from lanatus.semi._intake import ForDifferentLearners
from lanatus.semi._labels import SemiSupervised
from lanatus.semi._maximin import safest
from lanatus.semi.disagreement._self_training import SelfTrainingClassifier
from lanatus.semi.generative._naive_bayes import SemiSupervisedNB
from lanatus.semi.graph._label_spreading import LabelSpreading
from lanatus.wrapping import LEARNER, Wrapper

_SEVERAL = Satisfies(
    lambda value: value is None or (isinstance(value, list | tuple) and len(value) > 0 and all(map(_learns, value))),
    "a list of semi-supervised classifiers, or None",
)


def _learns(value: Any) -> bool:
    return hasattr(value, "fit") and not isinstance(value, type)


@method(
    "semi.ss-ensemble",
    section="13.7",
    task="classification",
    en="Safe ensemble of semi-supervised learners",
    zh="安全半监督集成",
    peers=["LAMDA-SSL:SemiBoost"],
)
class SemiSupervisedEnsemble(SemiSupervised, ClassifierMixin, Wrapper):
    r"""Semi-supervised learners that vote, with weights by which the vote leaves a plain learner only where it is safe.

    The labels of the unlabelled rows are those whose gain over a learner of the labelled rows is largest if the worst
    of the members is right, :math:`\max_y \min_t \mathrm{earn}(y, y_t) - \lambda \, \mathrm{lose}(y, y_t)`; the prices
    of this linear program are the weights of the members, by which new rows are voted on too. Where nothing can be
    gained for certain the plain learner answers.

    Book: section 13.7. Cost: a fit of each member, and a linear program of the rows on which they differ.

    Parameters
    ----------
    estimators : list of semi-supervised classifiers or None, default=None
        The members. None is naive Bayes by EM, labels that spread over nearest rows, and self-training.
    base : classifier or None, default=None
        The plain learner; None is ``GaussianNB()``.
    lam : float, default=3.0
        How much a row that is lost counts beside one that is earned, :math:`\lambda`.
    safe : bool, default=True
        Whether the vote is weighted so; False counts the votes of the members as they are.

    Attributes
    ----------
    estimators_ : list of fitted classifiers
        The members.
    base_ : fitted classifier
        The plain learner, of the labelled rows.
    weights_ : ndarray of shape (n_estimators,)
        Weights of the members.
    gain_ : float
        Rows earned less rows lost at least, whichever member is right; 0 where the plain learner answers.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    transduction_ : ndarray of shape (n_samples,)
        Labels of the rows of ``fit``, those that were known as they were.
    schema_ : Schema
        The columns seen in ``fit``, where they were not plain numbers.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, where they had any.

    Examples
    --------
    >>> from lanatus.semi import SemiSupervisedEnsemble
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> SemiSupervisedEnsemble().fit(X, [0, 0, -1, -1, 1, 1]).transduction_.tolist()
    [0, 0, 0, 1, 1, 1]

    References
    ----------
    Zhou (2009), When semi-supervised learning meets ensemble learning. Li and Zhou (2015), Towards making unlabeled
    data never hurt.
    """

    _wants: ClassVar[Intake] = ForDifferentLearners()
    _state: ClassVar = {"weights_": Floats("members", low=0)}

    estimators_: list[Any]
    base_: Any
    weights_: np.ndarray
    gain_: float
    transduction_: np.ndarray

    def __init__(self, estimators: Any = None, *, base: Any = None, lam: float = 3.0, safe: bool = True) -> None:
        self.estimators = estimators
        self.base = base
        self.lam = lam
        self.safe = safe

    _params = rules_for(
        __init__, estimators=_SEVERAL, base=LEARNER | Nothing(), lam=Real(low=0, below=np.inf), safe=Flag()
    )

    def _members(self) -> list[Any]:
        if self.estimators is not None:
            return list(self.estimators)
        return [SemiSupervisedNB(), LabelSpreading(kernel="knn"), SelfTrainingClassifier(GaussianNB())]

    def _plain(self) -> Any:
        return GaussianNB() if self.base is None else self.base

    def _learners(self) -> list[Any]:
        return [*self._members(), self._plain()]

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X, of which some have a label.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            The labels; -1 or a missing value where there is none.
        """
        rows = self._take(X, reset=True)
        codes = self._learn_labels(y, rows)
        known, asked = np.flatnonzero(codes >= 0), np.flatnonzero(codes < 0)
        self.base_ = clone(self._plain()).fit(take_rows(rows, known), codes[known])
        self.estimators_ = [clone(member).fit(rows, codes) for member in self._members()]
        self.weights_, self.gain_ = np.full(len(self.estimators_), 1.0 / len(self.estimators_)), 0.0
        merged = codes.astype(np.intp)
        if len(asked):
            part = take_rows(rows, asked)
            if self.safe:
                said = np.stack([_codes(member, part) for member in self.estimators_])
                found = safest(said, _codes(self.base_, part), len(self.classes_), self.lam)
                self.weights_, self.gain_ = found.weights, found.gain
                merged[asked] = found.codes
            else:
                merged[asked] = self._votes(part).argmax(axis=1)
        self.transduction_ = self.classes_[merged]
        return self

    def _votes(self, rows: Any) -> np.ndarray:
        """Weights of the votes for each class, as the prices of the linear program have them."""
        said = np.stack([_codes(member, rows) for member in self.estimators_])
        plain = _codes(self.base_, rows)
        votes = np.zeros((n_rows(rows), len(self.classes_)))
        at = np.arange(len(votes))
        if self.safe and self.gain_ <= 0:
            votes[at, plain] = 1.0
            return votes
        for weight, codes in zip(self.weights_, said, strict=True):
            votes[at, codes] += weight * (np.where(codes == plain, self.lam, 1.0) if self.safe else 1.0)
        if self.safe:  # of equal ones that of the plain learner
            votes[at, plain] += 1e-9 * np.maximum(votes.max(axis=1), 1e-9)
        return votes

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the weights that are for each class."""
        check_is_fitted(self)
        votes = self._votes(self._take(X, reset=False))
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class with most weight."""
        votes = self.predict_proba(X)
        return self.classes_[votes.argmax(axis=1)]


def _codes(model: Any, rows: Any) -> np.ndarray:
    """Learners inside are taught codes and answer in codes."""
    return np.asarray(model.predict(rows)).astype(np.intp)
