"""Tri-training: two of three learners teach the third."""

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_random_state

from lanatus.base import check_is_fitted, fitting, take_rows
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import COMMON, rules_for
from lanatus.scale import blockwise
from lanatus.semi._labels import SemiSupervised
from lanatus.wrapping import LEARNER, Wrapper

_DRAWS = 1000  # of a sample of the labelled rows, until it has all classes


@method(
    "semi.tri-training",
    section="13.5",
    task="classification",
    en="Tri-training",
    zh="三体训练",
    peers=["LAMDA-SSL:Tri_Training"],
)
class TriTraining(SemiSupervised, CallbackSupportMixin, ClassifierMixin, Wrapper):
    r"""Three learners from samples of the labelled rows; where two agree on a row, the third learns their label.

    A learner takes the rows :math:`L_i` that the two others agree on, if their common error :math:`e_i` on the labelled
    rows fell and :math:`e_i |L_i| < e'_i |L'_i|`, so that the noise it takes in falls too; of too many rows a sample is
    taken. The three vote.

    Book: section 13.5. Cost: three fits of the learner a round.

    Parameters
    ----------
    estimator : classifier
        The learner.
    max_iter : int, default=100
        Most rounds; it ends by itself once no learner takes new rows.
    random_state : int, RandomState or None, default=None
        Draws the samples.

    Attributes
    ----------
    estimators_ : list of three fitted learners
        The learners.
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
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.semi import TriTraining
    >>> X = [[0.0], [1.0], [1.5], [2.0], [7.0], [7.5], [8.0], [9.0]]
    >>> TriTraining(GaussianNB(), random_state=0).fit(X, [0, 0, 0, -1, -1, 1, 1, 1]).transduction_.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]

    References
    ----------
    Zhou and Li (2005), Tri-training: exploiting unlabeled data using three classifiers.
    """

    estimators_: list[Any]
    transduction_: np.ndarray
    n_iter_: int

    def __init__(self, estimator: Any, *, max_iter: int = 100, random_state: Any = None) -> None:
        self.estimator = estimator
        self.max_iter = max_iter
        self.random_state = random_state

    _params = rules_for(__init__, COMMON, estimator=LEARNER)

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Teach three learners with the rows that have no label.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            The labels; -1 or a missing value where there is none.
        """
        rows = self._take(X, reset=True)
        codes = self._learn_labels(y, rows)
        rng = check_random_state(self.random_state)
        known, asked = np.flatnonzero(codes >= 0), np.flatnonzero(codes < 0)
        models = [self._learnt(rows, *self._sample(known, codes, rng)) for _ in range(3)]
        error, taken = np.full(3, 0.5), np.zeros(3)
        progress = Progress(self, X, max_iter=self.max_iter)
        n_iter = 0
        for iteration in progress.iterations():
            lessons = [self._lesson(i, models, rows, codes, known, asked, error[i], taken[i], rng) for i in range(3)]
            n_iter = iteration.number + 1
            for i, lesson in enumerate(lessons):
                if lesson is not None:
                    more, labels, error[i] = lesson
                    taken[i] = len(more)
                    chosen = np.concatenate([known, more])
                    models[i] = self._learnt(rows, chosen, np.concatenate([codes[known], labels]))
            iteration.done(state=dict, attributes=partial(self._learned, list(models), rows, codes, n_iter))
            if iteration.stop or not any(lesson is not None for lesson in lessons):
                break
        learned = self._learned(models, rows, codes, n_iter)
        for name, value in learned.items():
            setattr(self, name, value)
        progress.finish(learned)
        return self

    def _sample(self, known: np.ndarray, codes: np.ndarray, rng: np.random.RandomState) -> tuple[Any, Any]:
        """Rows drawn from the labelled ones with replacement, of every class one at least."""
        for _ in range(_DRAWS):
            chosen = known[rng.randint(len(known), size=len(known))]
            if len(np.unique(codes[chosen])) == len(self.classes_):
                return chosen, codes[chosen]
        return known, codes[known]

    def _learnt(self, rows: Any, chosen: np.ndarray, codes: np.ndarray) -> Any:
        return clone(self.estimator).fit(take_rows(rows, chosen), self.classes_[codes])

    def _codes(self, model: Any, rows: Any) -> np.ndarray:
        return np.searchsorted(self.classes_, np.asarray(model.predict(rows)))

    def _lesson(
        self,
        i: int,
        models: list[Any],
        rows: Any,
        codes: np.ndarray,
        known: np.ndarray,
        asked: np.ndarray,
        before: float,
        taken: float,
        rng: np.random.RandomState,
    ) -> tuple[np.ndarray, np.ndarray, float] | None:
        """Rows that the two others teach the third, their labels and the error of the two; None for none."""
        one, other = (models[j] for j in range(3) if j != i)
        labelled = take_rows(rows, known)
        a, b = self._codes(one, labelled), self._codes(other, labelled)
        agreed = a == b
        error = float((a != codes[known])[agreed].mean()) if agreed.any() else 1.0
        if not len(asked) or error >= before:
            return None
        unlabelled = take_rows(rows, asked)
        a, b = self._codes(one, unlabelled), self._codes(other, unlabelled)
        same = np.flatnonzero(a == b)
        if taken == 0:
            taken = np.floor(error / (before - error) + 1)
        if taken >= len(same):
            return None
        if error * len(same) >= before * taken:
            if taken <= error / (before - error):
                return None
            same = np.sort(rng.permutation(same)[: int(np.ceil(before * taken / error - 1))])
        return asked[same], a[same], error

    def _votes(self, models: list[Any], rows: Any) -> np.ndarray:
        votes = np.zeros((3, rows.shape[0] if hasattr(rows, "shape") else len(rows), len(self.classes_)))
        for vote, model in zip(votes, models, strict=True):
            vote[np.arange(len(vote)), self._codes(model, rows)] = 1
        return votes.mean(axis=0)

    def _learned(self, models: list[Any], rows: Any, codes: np.ndarray, n_iter: int) -> dict[str, Any]:
        voted = self._votes(models, rows).argmax(axis=1)
        transduction = self.classes_[np.where(codes >= 0, codes, voted)]
        return {"estimators_": models, "transduction_": transduction, "n_iter_": n_iter}

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the three votes for each class."""
        check_is_fitted(self)
        return self._votes(self.estimators_, self._take(X, reset=False))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class with most votes, the first of equal ones."""
        votes = self.predict_proba(X)
        return self.classes_[votes.argmax(axis=1)]
