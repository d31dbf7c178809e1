"""Baselines: learners that do not look at the attributes."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state

from lanatus.base import (
    Columns,
    Estimator,
    Floats,
    Takes,
    as_targets,
    check_is_fitted,
    check_positive_weight,
    class_codes,
    fitting,
    n_rows,
)
from lanatus.catalog import method
from lanatus.params import Array, Choice, Nothing, Real, Satisfies, rules_for
from lanatus.scale import Block, Sums, blockwise, open_engine

_LABEL = Satisfies(lambda value: value is None or isinstance(value, str | int | float | np.generic), "a label, or None")


@method(
    "evaluation.baseline-learner",
    section="3.6",
    task="classification",
    en="Majority-class and random-guess baseline",
    zh="多数类/随机猜测学习器",
    streams=True,
    peers=["scikit-learn:DummyClassifier"],
)
class BaselineClassifier(ClassifierMixin, Estimator):
    r"""Answers without a look at the attributes: the majority class, or a guess.

    What any classifier has to beat. Of 998 negative and 2 positive rows the majority class is right on
    :math:`\max_c \sum_i w_i [y_i = c] / \sum_i w_i = 99.8\,\%`, and finds no positive one.

    Book: section 3.6. Cost: one pass over the labels.

    Parameters
    ----------
    strategy : {"most_frequent", "prior", "stratified", "uniform", "constant"}, default="prior"
        The majority class, with all the probability or with the shares of the classes ("prior"); a guess by these
        shares; a guess of any class alike; or one class that is given. The first in order wins ties.
    constant : label, default=None
        The class for ``strategy="constant"``.
    random_state : int, RandomState or None, default=None
        Draws the guesses.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    class_prior_ : ndarray of shape (n_classes,)
        Their weighted shares.

    Examples
    --------
    >>> from lanatus.evaluation import BaselineClassifier
    >>> model = BaselineClassifier().fit([[0], [1], [2]], ["good", "bad", "bad"])
    >>> model.predict([[7]]).tolist(), model.predict_proba([[7]]).round(3).tolist()
    (['bad'], [[0.667, 0.333]])
    """

    _state: ClassVar = {"class_prior_": Floats("classes", low=0)}

    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True, sparse=True)
    _wants = Columns()

    def __init__(self, *, strategy: str = "prior", constant: Any = None, random_state: Any = None) -> None:
        self.strategy = strategy
        self.constant = constant
        self.random_state = random_state

    _params = rules_for(
        __init__,
        strategy=Choice("most_frequent", "prior", "stratified", "uniform", "constant"),
        constant=_LABEL,
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        engine = open_engine(self, X, y, sample_weight)
        self.classes_ = engine.reduce(_labels).labels
        mass = engine.reduce(partial(_class_mass, self.classes_)).values
        check_positive_weight(mass)
        self.class_prior_ = mass / mass.sum()
        if self.strategy == "constant" and self.constant not in self.classes_.tolist():
            raise ValueError(f"constant must be one of the classes {self.classes_.tolist()}; got {self.constant!r}.")
        return self

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self._codes(n_rows(self._take(X, reset=False)))])

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes; those of a guess are certain of what was guessed.

        Parameters
        ----------
        X : array, sparse matrix, frame, scanned source or Dask collection of shape (n_samples, n_features)
            The rows.
        """
        check_is_fitted(self)
        n, k = n_rows(self._take(X, reset=False)), len(self.classes_)
        if self.strategy == "prior":
            return np.tile(self.class_prior_, (n, 1))
        if self.strategy == "uniform":
            return np.full((n, k), 1 / k)
        return np.eye(k)[self._codes(n)]

    def _codes(self, n: int) -> np.ndarray:
        """Positions of the classes answered for n rows."""
        k = len(self.classes_)
        if self.strategy == "constant":
            return np.full(n, self.classes_.tolist().index(self.constant))
        if self.strategy in ("most_frequent", "prior"):
            return np.full(n, self.class_prior_.argmax())
        shares = self.class_prior_ if self.strategy == "stratified" else np.full(k, 1 / k)
        return check_random_state(self.random_state).choice(k, size=n, p=shares)


@method(
    section="3.6",
    task="regression",
    en="Mean, median or constant baseline",
    zh="均值/中位数基准",
    peers=["scikit-learn:DummyRegressor"],
)
class BaselineRegressor(RegressorMixin, Estimator):
    r"""Answers one number without a look at the attributes: the mean, a quantile or a constant.

    The mean has the least squared error of all constants, :math:`R^2 = 0` on the rows that it was fitted to.

    Book: section 3.6. Cost: one pass, or a sort of the targets for quantiles.

    Parameters
    ----------
    strategy : {"mean", "median", "quantile", "constant"}, default="mean"
        Which number.
    constant : float or array of shape (n_outputs,), default=None
        The number for ``strategy="constant"``.
    quantile : float or None, default=None
        Between 0 and 1, for ``strategy="quantile"``: the least value whose weighted share of rows at or below it is
        at least this; the median is the mean of both middle values.

    Attributes
    ----------
    constant_ : ndarray of shape (n_outputs,)
        The answers.

    Examples
    --------
    >>> from lanatus.evaluation import BaselineRegressor
    >>> BaselineRegressor(strategy="median").fit([[0], [1], [2]], [1.0, 2.0, 9.0]).predict([[5]]).tolist()
    [2.0]
    """

    _state: ClassVar = {"constant_": Floats("targets")}

    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True, sparse=True)
    _wants = Columns()

    def __init__(self, *, strategy: str = "mean", constant: Any = None, quantile: float | None = None) -> None:
        self.strategy = strategy
        self.constant = constant
        self.quantile = quantile

    _params = rules_for(
        __init__,
        strategy=Choice("mean", "median", "quantile", "constant"),
        constant=Nothing() | Real() | Array(ndim=1),
        quantile=Nothing() | Real(low=0, high=1),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        tags.target_tags.multi_output = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        rows = self._take(X, reset=True)
        target = as_targets(y, rows)
        weight = self._weights(sample_weight, rows)
        check_positive_weight(weight)
        self._flat = target.ndim == 1
        self.constant_ = self._answer(target.reshape(len(target), -1), weight)
        return self

    def _answer(self, target: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        if self.strategy == "mean":
            return np.asarray(np.average(target, axis=0, weights=weight))
        if self.strategy == "constant":
            given = np.ravel(np.asarray(np.nan if self.constant is None else self.constant, dtype=np.float64))
            if len(given) != target.shape[1] or not np.isfinite(given).all():
                raise ValueError(f"constant must be {target.shape[1]} finite number(s); got {self.constant!r}.")
            return given
        if self.strategy == "quantile" and self.quantile is None:
            raise ValueError("strategy='quantile' needs a quantile between 0 and 1; got None.")
        level = 0.5 if self.quantile is None or self.strategy == "median" else float(self.quantile)
        each = np.ones(len(target)) if weight is None else weight
        return np.array([_quantile(column, each, level, self.strategy == "median") for column in target.T])

    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X."""
        check_is_fitted(self)
        answers = np.tile(self.constant_, (n_rows(self._take(X, reset=False)), 1))
        return answers[:, 0] if self._flat else answers


class _Labels:
    """Distinct labels of some rows."""

    def __init__(self, labels: np.ndarray) -> None:
        self.labels = labels

    def __add__(self, other: "_Labels") -> "_Labels":
        return _Labels(np.union1d(self.labels, other.labels))


def _labels(block: Block) -> _Labels:
    return _Labels(class_codes(block.y, block.X)[0])


def _class_mass(classes: np.ndarray, block: Block) -> Sums:
    codes = class_codes(block.y, block.X, classes)[1]
    return Sums(values=np.bincount(codes, block.weight, len(classes)).astype(np.float64))


def _quantile(values: np.ndarray, weight: np.ndarray, level: float, averaged: bool) -> float:
    """The least value with at least `level` of the weight at or below it; `averaged`, with the next where it is just
    that much, so that a row of weight 2 counts as two rows."""
    order = np.argsort(values, kind="stable")
    order = order[weight[order] > 0]
    values, below = values[order], np.cumsum(weight[order])
    wanted = level * below[-1]
    at = min(int(np.searchsorted(below, wanted * (1 - 1e-12))), len(values) - 1)
    just = averaged and at + 1 < len(values) and np.isclose(below[at], wanted, rtol=1e-12)
    return float((values[at] + values[at + 1]) / 2 if just else values[at])
