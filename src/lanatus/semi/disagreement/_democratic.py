"""Democratic co-learning: several different learners, the majority teaches the others."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone

from lanatus.base import Floats, Intake, check_is_fitted, fitting, n_rows, take_rows
from lanatus.bayes import GaussianNB
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method, savable
from lanatus.kernel import SVC
from lanatus.neighbors import KNeighborsClassifier
from lanatus.params import COMMON, Integer, Real, Satisfies, rules_for
from lanatus.scale import blockwise
from lanatus.semi._intake import ForDifferentLearners
from lanatus.semi._labels import SemiSupervised
from lanatus.semi.disagreement._statistical import folds_of, quality, wilson
from lanatus.wrapping import Wrapper

_SEVERAL = Satisfies(
    lambda value: (
        value is None
        or (isinstance(value, list | tuple) and len(value) > 1 and all(hasattr(one, "fit") for one in value))
    ),
    "a list of two classifiers or more, or None",
)


@method(
    section="13.5",
    task="classification",
    en="Democratic co-learning",
    zh="民主协同学习",
    peers=["sslearn:DemocraticCoLearning"],
)
class DemocraticCoLearning(SemiSupervised, CallbackSupportMixin, ClassifierMixin, Wrapper):
    r"""Learners of different kinds: where a sure majority contradicts one, it learns their label.

    A learner weighs the middle of the confidence limits of its accuracy, by cross-validation. An unlabelled row on
    which it is outvoted is taught to it with the label of the majority, if that weighs more than any other label; and
    rows so proposed are taken if they outweigh their noise: :math:`q = m (1 - 2 \eta / m)^2` must grow, :math:`\eta`
    by the lower limits. In the end learners of a weight above one half vote, a group of g of them by
    :math:`\frac{g + 0.5}{g + 1}` times its mean weight.

    Book: section 13.5. Cost: a fit of each learner a round, and a cross-validation of each.

    Parameters
    ----------
    estimators : list of classifiers or None, default=None
        The learners, of different kinds. None is naive Bayes, three nearest neighbours and a support vector machine.
    cv : int, default=5
        Parts of the cross-validation on the labelled rows.
    z : float, default=1.96
        Width of the limits in standard deviations.
    max_iter : int, default=20
        Most rounds; it ends by itself once no learner is taught.
    random_state : int, RandomState or None, default=None
        Draws the parts.

    Attributes
    ----------
    estimators_ : list of fitted classifiers
        The learners.
    weights_ : ndarray of shape (n_estimators,)
        Their weights.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    transduction_ : ndarray of shape (n_samples,)
        Labels of the rows of ``fit``, those that were known as they were.
    n_iter_ : int
        Rounds.
    schema_ : Schema
        The columns seen in ``fit``, where they were not plain numbers.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, where they had any.

    Examples
    --------
    >>> from lanatus.semi import DemocraticCoLearning
    >>> X = [[0.0], [0.5], [1.0], [2.0], [7.0], [8.0], [8.5], [9.0]]
    >>> DemocraticCoLearning(cv=2).fit(X, [0, 0, 0, -1, -1, 1, 1, 1]).transduction_.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]

    References
    ----------
    Zhou and Goldman (2004), Democratic co-learning.
    """

    _wants: ClassVar[Intake] = ForDifferentLearners()
    _state: ClassVar = {"weights_": Floats("members", low=0)}

    estimators_: list[Any]
    weights_: np.ndarray
    transduction_: np.ndarray
    n_iter_: int

    def __init__(
        self,
        estimators: Any = None,
        *,
        cv: int = 5,
        z: float = 1.96,
        max_iter: int = 20,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.cv = cv
        self.z = z
        self.max_iter = max_iter
        self.random_state = random_state

    _params = rules_for(__init__, COMMON, estimators=_SEVERAL, cv=Integer(low=2), z=Real(low=0, below=np.inf))

    def _learners(self) -> list[Any]:
        if self.estimators is not None:
            return list(self.estimators)
        return [GaussianNB(), KNeighborsClassifier(3), SVC()]

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Let the learners teach each other.

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
        count = len(self._learners())
        limits = self._limits(rows, codes, known)
        weights = limits.mean(axis=1)
        taught, wrong = [codes.copy() for _ in range(count)], np.zeros(count)
        models = [self._learnt(j, rows, taught[j]) for j in range(count)]
        progress = Progress(self, X, max_iter=self.max_iter)
        n_iter = 0
        for iteration in progress.iterations():
            lessons = self._lessons(models, weights, limits[:, 0], rows, asked, taught, wrong)
            n_iter = iteration.number + 1
            for j, lesson in enumerate(lessons):
                if lesson is not None:
                    more, labels, wrong[j] = lesson
                    taught[j][more] = labels
                    models[j] = self._learnt(j, rows, taught[j])
            iteration.done(state=dict, attributes=partial(self._learned, list(models), weights, rows, codes, n_iter))
            if iteration.stop or not any(lesson is not None for lesson in lessons):
                break
        learned = self._learned(models, weights, rows, codes, n_iter)
        for name, value in learned.items():
            setattr(self, name, value)
        progress.finish(learned)
        return self

    def _learnt(self, j: int, rows: Any, codes: np.ndarray) -> Any:
        chosen = np.flatnonzero(codes >= 0)
        labels = codes[chosen]
        if len(np.unique(labels)) < 2:
            return _Always(int(labels[0]))
        learner = clone(self._learners()[j])
        if self.estimators is None and isinstance(learner, KNeighborsClassifier):
            learner.set_params(n_neighbors=min(3, len(chosen)))
        return learner.fit(take_rows(rows, chosen), labels)

    def _limits(self, rows: Any, codes: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Confidence limits of the accuracy of each learner, by cross-validation on the labelled rows."""
        part = folds_of(codes[known], len(self.classes_), self.cv, self.random_state)
        found = []
        for j in range(len(self._learners())):
            right: list[np.ndarray] = []
            for fold in np.unique(part):
                left = np.full_like(codes, -1)
                left[known[part != fold]] = codes[known[part != fold]]
                out = known[part == fold]
                if (left >= 0).any():
                    said = np.asarray(self._learnt(j, rows, left).predict(take_rows(rows, out)))
                    right.append(said.astype(np.intp) == codes[out])
            found.append(wilson(np.concatenate(right) if right else np.empty(0, dtype=bool), self.z))
        return np.array(found)

    def _lessons(
        self,
        models: list[Any],
        weights: np.ndarray,
        low: np.ndarray,
        rows: Any,
        asked: np.ndarray,
        taught: list[np.ndarray],
        wrong: np.ndarray,
    ) -> list[tuple[np.ndarray, np.ndarray, float] | None]:
        """Rows and labels that each learner is taught, and the wrong ones among all it was taught; None for none."""
        if not len(asked):
            return [None] * len(models)
        said = np.stack([np.asarray(model.predict(take_rows(rows, asked))).astype(np.intp) for model in models])
        at = np.arange(len(asked))
        counts, mass = np.zeros((len(asked), len(self.classes_))), np.zeros((len(asked), len(self.classes_)))
        for codes, weight in zip(said, weights, strict=True):
            counts[at, codes] += 1
            mass[at, codes] += weight
        majority = counts.argmax(axis=1)
        others = mass.copy()
        others[at, majority] = -np.inf
        sure = mass[at, majority] > others.max(axis=1, initial=-np.inf)
        sizes = np.array([(each >= 0).sum() for each in taught])
        noise = 1 - float(low @ sizes / sizes.sum())
        lessons: list[tuple[np.ndarray, np.ndarray, float] | None] = []
        for j, codes in enumerate(said):
            new = np.flatnonzero(sure & (codes != majority) & (taught[j][asked] < 0))
            more = wrong[j] + noise * len(new)
            gains = len(new) and quality(sizes[j] + len(new), more) > quality(sizes[j], wrong[j])
            lessons.append((asked[new], majority[new], more) if gains else None)
        return lessons

    def _learned(
        self, models: list[Any], weights: np.ndarray, rows: Any, codes: np.ndarray, n_iter: int
    ) -> dict[str, Any]:
        voted = self._votes(models, weights, rows).argmax(axis=1)
        transduction = self.classes_[np.where(codes >= 0, codes, voted)]
        return {"estimators_": models, "weights_": weights, "transduction_": transduction, "n_iter_": n_iter}

    def _votes(self, models: list[Any], weights: np.ndarray, rows: Any) -> np.ndarray:
        voting = weights > 0.5 if (weights > 0.5).any() else np.ones(len(weights), dtype=bool)
        groups, mass = np.zeros((2, n_rows(rows), len(self.classes_)))
        at = np.arange(n_rows(rows))
        for model, weight, votes in zip(models, weights, voting, strict=True):
            if votes:
                codes = np.asarray(model.predict(rows)).astype(np.intp)
                groups[at, codes] += 1
                mass[at, codes] += weight
        votes = (groups + 0.5) / (groups + 1) * mass / np.maximum(groups, 1)
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the votes for each class."""
        check_is_fitted(self)
        return self._votes(self.estimators_, self.weights_, self._take(X, reset=False))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class with most weight, the first of equal ones."""
        votes = self.predict_proba(X)
        return self.classes_[votes.argmax(axis=1)]


@savable
class _Always:
    """Says one label, where a part of the rows has no other."""

    def __init__(self, code: int) -> None:
        self.code = code

    def predict(self, X: Any) -> np.ndarray:
        return np.full(n_rows(X), self.code)
