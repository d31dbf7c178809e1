"""Co-training: two views teach each other."""

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_random_state

from lanatus.base import check_is_fitted, fitting, take_rows
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import COMMON, Integer, Nothing, Satisfies, rules_for
from lanatus.scale import blockwise
from lanatus.semi._labels import SemiSupervised
from lanatus.semi.disagreement._views import split_views, view_of
from lanatus.wrapping import LEARNER, Wrapper

_VIEWS = Satisfies(
    lambda value: value is None or (hasattr(value, "__len__") and len(value) == 2), "two lists of columns, or None"
)


@method(
    "semi.co-training",
    section="13.5",
    task="classification",
    en="Co-training",
    zh="协同训练",
    peers=["LAMDA-SSL:Co_Training"],
)
class CoTraining(SemiSupervised, CallbackSupportMixin, ClassifierMixin, Wrapper):
    r"""Two learners, each on columns of its own, label for each other the rows that they are most sure of.

    In each round each learner picks, from a pool of rows without labels, the p rows that it holds most surely for the
    second of two classes and the n for the first, and the *other* learns them (figure 13.6). Their probabilities are
    multiplied in the end: :math:`P(c \mid x) \propto P_1(c \mid x^1) P_2(c \mid x^2)`.

    Book: section 13.5, figure 13.6. Cost: two fits of the learner a round.

    Parameters
    ----------
    estimator : classifier
        The learner of both views; it must give probabilities.
    views : tuple of two lists of columns or None, default=None
        Numbers of the columns of each view; they may overlap. None parts them with `split_views`.
    other : classifier or None, default=None
        The learner of the second view, if it is another one.
    p : int, default=1
        Rows that each learner labels a round, of the second of two classes; of several classes, of each.
    n : int or None, default=None
        Of the first of two classes; None is as many as `p`.
    pool_size : int, default=75
        Rows that a round looks at.
    max_iter : int, default=30
        Most rounds.
    random_state : int, RandomState or None, default=None
        Draws the pool.

    Attributes
    ----------
    estimators_ : list of two fitted learners
        The learners.
    views_ : list of two ndarray of int
        Their columns.
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
    >>> from lanatus.semi import CoTraining
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [7.0, 7.0], [8.0, 9.0], [9.0, 8.0]]
    >>> model = CoTraining(GaussianNB(), views=([0], [1]), random_state=0).fit(X, [0, 0, -1, -1, 1, 1])
    >>> model.transduction_.tolist()
    [0, 0, 0, 1, 1, 1]

    References
    ----------
    Blum and Mitchell (1998), Combining labeled and unlabeled data with co-training.
    """

    estimators_: list[Any]
    views_: list[np.ndarray]
    transduction_: np.ndarray
    n_iter_: int

    def __init__(
        self,
        estimator: Any,
        *,
        views: Any = None,
        other: Any = None,
        p: int = 1,
        n: int | None = None,
        pool_size: int = 75,
        max_iter: int = 30,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.views = views
        self.other = other
        self.p = p
        self.n = n
        self.pool_size = pool_size
        self.max_iter = max_iter
        self.random_state = random_state

    _params = rules_for(
        __init__,
        COMMON,
        estimator=LEARNER,
        views=_VIEWS,
        other=LEARNER | Nothing(),
        p=Integer(low=1),
        n=Integer(low=1) | Nothing(),
        pool_size=Integer(low=1),
    )

    def _learners(self) -> list[Any]:
        return [self.estimator] if self.other is None else [self.estimator, self.other]

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Let two learners teach each other with the rows that have no label.

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
        self.views_ = self._split(X, y, rng)
        views = [view_of(rows, view) for view in self.views_]
        taught = [codes.copy(), codes.copy()]
        waiting = rng.permutation(np.flatnonzero(codes < 0))
        pool, waiting = waiting[: self.pool_size], waiting[self.pool_size :]
        models = [self._learnt(j, views[j], taught[j]) for j in range(2)]
        progress = Progress(self, X, max_iter=self.max_iter)
        n_iter = 0
        for iteration in progress.iterations():
            before = len(pool)
            for j in range(2):
                chosen, labels = self._chosen(models[j], views[j], pool)
                taught[1 - j][chosen] = labels
                pool = pool[~np.isin(pool, chosen)]
            if before:
                models = [self._learnt(j, views[j], taught[j]) for j in range(2)]
            n_iter = iteration.number + 1
            iteration.done(state=dict, attributes=partial(self._learned, list(models), views, codes, n_iter))
            if iteration.stop or len(pool) == before:
                break
            gone = before - len(pool)
            pool, waiting = np.concatenate([pool, waiting[:gone]]), waiting[gone:]
        learned = self._learned(models, views, codes, n_iter)
        for name, value in learned.items():
            setattr(self, name, value)
        progress.finish(learned)
        return self

    def _split(self, X: Any, y: Any, rng: np.random.RandomState) -> list[np.ndarray]:
        d = self.n_features_in_
        if self.views is None:
            if d == 1:
                return [np.array([0]), np.array([0])]
            dense = X.toarray() if hasattr(X, "toarray") else X
            return list(split_views(dense, y, random_state=rng))
        found = [np.asarray(view) for view in self.views]
        for view in found:
            if view.ndim != 1 or view.dtype.kind not in "iu" or not len(view) or view.min() < 0 or view.max() >= d:
                raise ValueError(f"views must be two lists of columns, from 0 to {d - 1}; got {self.views!r}.")
        return found

    def _learnt(self, j: int, view: Any, codes: np.ndarray) -> Any:
        known = np.flatnonzero(codes >= 0)
        learner = self.other if j and self.other is not None else self.estimator
        return clone(learner).fit(take_rows(view, known), self.classes_[codes[known]])

    def _chosen(self, model: Any, view: Any, pool: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows of the pool that a learner is most sure of, each for its likeliest class, and their codes."""
        if not len(pool):
            return pool, np.empty(0, dtype=np.int32)
        if not hasattr(model, "predict_proba"):
            raise ValueError(f"{type(model).__name__} has no predict_proba, which co-training asks how sure it is.")
        proba = np.asarray(model.predict_proba(take_rows(view, pool)))
        likeliest = proba.argmax(axis=1)
        rows, labels = [], []
        for code in range(len(self.classes_)):
            count = self.n if len(self.classes_) == 2 and code == 0 and self.n is not None else self.p
            mine = np.flatnonzero(likeliest == code)
            best = mine[np.argsort(-proba[mine, code], kind="stable")[:count]]
            rows.append(pool[best])
            labels.append(np.full(len(best), code, dtype=np.int32))
        return np.concatenate(rows), np.concatenate(labels)

    def _learned(self, models: list[Any], views: list[Any], codes: np.ndarray, n_iter: int) -> dict[str, Any]:
        voted = self._joint(models, views).argmax(axis=1)
        transduction = self.classes_[np.where(codes >= 0, codes, voted)]
        return {"estimators_": models, "transduction_": transduction, "n_iter_": n_iter}

    def _joint(self, models: list[Any], views: list[Any]) -> np.ndarray:
        each = [np.asarray(model.predict_proba(view)) for model, view in zip(models, views, strict=True)]
        product = each[0] * each[1]
        total = product.sum(axis=1, keepdims=True)
        return np.where(total > 0, product / np.where(total > 0, total, 1.0), (each[0] + each[1]) / 2)

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, those of both views multiplied."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        return self._joint(self.estimators_, [view_of(rows, view) for view in self.views_])

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row of X."""
        proba = self.predict_proba(X)
        return self.classes_[proba.argmax(axis=1)]
