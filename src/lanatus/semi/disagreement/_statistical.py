"""Statistical co-learning: two different learners teach each other what tests say is sure enough."""

from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_random_state

from lanatus.base import Intake, check_is_fitted, fitting, n_rows, take_rows
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.neighbors import KNeighborsClassifier
from lanatus.params import COMMON, Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise
from lanatus.semi._intake import ForDifferentLearners
from lanatus.semi._labels import SemiSupervised
from lanatus.wrapping import LEARNER, Wrapper


class Limits(NamedTuple):
    """Confidence limits of an accuracy: of each predicted class, and of all."""

    low_of: np.ndarray
    low: float
    high: float


@method(
    "semi.statistical-co-learning",
    section="13.5",
    task="classification",
    en="Statistical co-learning",
    zh="统计协同学习",
    peers=["sslearn:DemocraticCoLearning"],
)
class StatisticalCoLearning(SemiSupervised, CallbackSupportMixin, ClassifierMixin, Wrapper):
    r"""Two learners of different kinds, each teaches the other the classes that it predicts better than that one does.

    By cross-validation each learner knows limits of confidence of its accuracy, where it says each class. It labels
    unlabelled rows of a class for the other if the lower limit for that class is above the lower limit of the other
    learner in all, and if that outweighs the noise: :math:`q = m (1 - 2 \eta / m)^2` of m rows with :math:`\eta` wrong
    ones at most must grow. In the end both vote, each by the lower limit for what it says.

    Book: section 13.5. Cost: two fits and two cross-validations a round.

    Parameters
    ----------
    estimator : classifier
        The first learner.
    other : classifier or None, default=None
        The second, of another kind; None is ``KNeighborsClassifier(3)``.
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
    estimators_ : list of two fitted learners
        The learners.
    limits_ : ndarray of shape (2, n_classes)
        Lower limits of the accuracy where each learner says each class.
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

    Notes
    -----
    The classes of rows that a learner treats alike are those of what it predicts. Limits are Wilson's, which are sound
    for few rows.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.semi import StatisticalCoLearning
    >>> X = [[0.0], [0.5], [1.0], [2.0], [7.0], [8.0], [8.5], [9.0]]
    >>> model = StatisticalCoLearning(GaussianNB(), cv=2).fit(X, [0, 0, 0, -1, -1, 1, 1, 1])
    >>> model.transduction_.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]

    References
    ----------
    Goldman and Zhou (2000), Enhancing supervised learning with unlabeled data. Zhou and Goldman (2004), Democratic
    co-learning.
    """

    _wants: ClassVar[Intake] = ForDifferentLearners()
    estimators_: list[Any]
    limits_: np.ndarray
    transduction_: np.ndarray
    n_iter_: int

    def __init__(
        self,
        estimator: Any,
        other: Any = None,
        *,
        cv: int = 5,
        z: float = 1.96,
        max_iter: int = 20,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.other = other
        self.cv = cv
        self.z = z
        self.max_iter = max_iter
        self.random_state = random_state

    _params = rules_for(
        __init__,
        COMMON,
        estimator=LEARNER,
        other=LEARNER | Nothing(),
        cv=Integer(low=2),
        z=Real(low=0, below=np.inf),
    )

    def _learners(self) -> list[Any]:
        return [self.estimator, KNeighborsClassifier(3) if self.other is None else self.other]

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Let two learners of different kinds teach each other.

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
        folds = folds_of(codes[known], len(self.classes_), self.cv, self.random_state)
        taught = [codes.copy(), codes.copy()]
        wrong = np.zeros(2)  # upper bound on the wrong labels that each was taught
        limits = [self._limits(j, rows, codes, taught[j], known, folds) for j in range(2)]
        models = [self._learnt(j, rows, taught[j]) for j in range(2)]
        progress = Progress(self, X, max_iter=self.max_iter)
        n_iter = 0
        for iteration in progress.iterations():
            lessons = [self._lesson(1 - j, j, models, limits, rows, asked, taught[j], wrong[j]) for j in range(2)]
            n_iter = iteration.number + 1
            for j, lesson in enumerate(lessons):
                if lesson is not None:
                    more, labels, wrong[j] = lesson
                    taught[j] = codes.copy()
                    taught[j][more] = labels
                    limits[j] = self._limits(j, rows, codes, taught[j], known, folds)
                    models[j] = self._learnt(j, rows, taught[j])
            iteration.done(state=dict, attributes=partial(self._learned, list(models), limits, rows, codes, n_iter))
            if iteration.stop or not any(lesson is not None for lesson in lessons):
                break
        learned = self._learned(models, limits, rows, codes, n_iter)
        for name, value in learned.items():
            setattr(self, name, value)
        progress.finish(learned)
        return self

    def _learnt(self, j: int, rows: Any, codes: np.ndarray) -> Any:
        chosen = np.flatnonzero(codes >= 0)
        learner = clone(self._learners()[j])
        if isinstance(learner, KNeighborsClassifier) and self.other is None:
            learner.set_params(n_neighbors=min(3, len(chosen)))
        return learner.fit(take_rows(rows, chosen), codes[chosen])

    def _limits(
        self, j: int, rows: Any, codes: np.ndarray, taught: np.ndarray, known: np.ndarray, folds: np.ndarray
    ) -> Limits:
        """Limits by cross-validation: parts of the labelled rows are left out, rows taught by the other stay in."""
        said = np.full(len(known), -1)
        for fold in range(self.cv):
            out = known[folds == fold]
            left = taught.copy()
            left[out] = -1
            if len(out) and (left >= 0).any():
                said[folds == fold] = np.asarray(self._learnt(j, rows, left).predict(take_rows(rows, out)))
        right = said == codes[known]
        low_of = np.array([wilson(right[said == c], self.z)[0] for c in range(len(self.classes_))])
        low, high = wilson(right[said >= 0], self.z)
        return Limits(low_of, low, high)

    def _lesson(
        self,
        teacher: int,
        pupil: int,
        models: list[Any],
        limits: list[Limits],
        rows: Any,
        asked: np.ndarray,
        taught: np.ndarray,
        wrong: float,
    ) -> tuple[np.ndarray, np.ndarray, float] | None:
        """Rows and labels that a learner teaches the other, and the wrong ones at most; None for none."""
        if not len(asked):
            return None
        said = np.asarray(models[teacher].predict(take_rows(rows, asked)))
        sure = limits[teacher].low_of > limits[pupil].low  # the first test: better than the pupil is
        chosen = np.flatnonzero(sure[said])
        m = int((taught >= 0).sum())
        known = m - int((taught[asked] >= 0).sum())
        total = known + len(chosen)
        noise = float((1 - limits[teacher].low_of[said[chosen]]).sum())
        # the second test: more rows must outweigh more noise
        if not len(chosen) or quality(total, noise) <= quality(m, wrong):
            return None
        return asked[chosen], said[chosen], noise

    def _learned(
        self, models: list[Any], limits: list[Limits], rows: Any, codes: np.ndarray, n_iter: int
    ) -> dict[str, Any]:
        low = np.stack([each.low_of for each in limits])
        voted = self._votes(models, low, rows).argmax(axis=1)
        transduction = self.classes_[np.where(codes >= 0, codes, voted)]
        return {"estimators_": models, "limits_": low, "transduction_": transduction, "n_iter_": n_iter}

    def _votes(self, models: list[Any], low: np.ndarray, rows: Any) -> np.ndarray:
        votes = np.zeros((n_rows(rows), len(self.classes_)))
        at = np.arange(len(votes))
        for model, limit in zip(models, low, strict=True):
            said = np.asarray(model.predict(rows)).astype(np.intp)
            votes[at, said] += np.maximum(limit[said], 1e-9)
        return votes / votes.sum(axis=1, keepdims=True)

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the votes for each class."""
        check_is_fitted(self)
        return self._votes(self.estimators_, self.limits_, self._take(X, reset=False))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class with more weight, the first of equal ones."""
        votes = self.predict_proba(X)
        return self.classes_[votes.argmax(axis=1)]


def folds_of(labels: np.ndarray, k: int, cv: int, random_state: Any) -> np.ndarray:
    """The part of each labelled row: every class goes round them."""
    rng = check_random_state(random_state)
    folds = np.empty(len(labels), dtype=np.intp)
    turn = 0
    for code in range(k):
        mine = np.flatnonzero(labels == code)
        folds[rng.permutation(mine)] = (turn + np.arange(len(mine))) % cv
        turn += len(mine)
    return folds


def quality(m: float, wrong: float) -> float:
    """How much rows with some wrong labels are worth: :math:`m (1 - 2 \\eta / m)^2`, 0 from a half on."""
    return m * max(1 - 2 * wrong / m, 0.0) ** 2 if m else 0.0


def wilson(right: np.ndarray, z: float) -> tuple[float, float]:
    """Wilson's limits of a share; 0 and 1 of nothing."""
    n = len(right)
    if n == 0:
        return 0.0, 1.0
    share, square = float(right.mean()), z * z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = z / (1 + square / n) * np.sqrt(share * (1 - share) / n + square / (4 * n * n))
    return float(middle - half), float(middle + half)
