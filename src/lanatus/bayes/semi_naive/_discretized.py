"""Tables of any kind as codes for methods that count: numbers are cut into intervals that ``fit`` learns."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from lanatus._core import core
from lanatus.base import Takes, check_positive_weight, class_codes, fitting
from lanatus.bayes._codes import CodedColumns, Coding
from lanatus.bayes._posterior import BayesClassifier, labels_to_come, logarithm
from lanatus.bayes.naive._counting import ClassCounts
from lanatus.params import Choice, Integer, Nothing, ParameterRule, Real
from lanatus.preprocess import entropy_edges, frequency_edges
from lanatus.scale import Block, Engine, InMemory, open_engine

SAMPLE = 100_000  # rows that edges are learned from


class DiscreteBayes(BayesClassifier):
    """Base of the Bayes classifiers that see every column as one of a few values.

    A class that derives from it says in `_learn` what it needs of the rows, given as codes by ``self._coding()``.
    """

    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True)
    _wants = CodedColumns()
    _smoothing_params: ClassVar[dict[str, ParameterRule]] = {
        "alpha": Real(low=0),
        "smoothing": Choice("lidstone", "m-estimate"),
    }
    _interval_params: ClassVar[dict[str, ParameterRule]] = {
        "discretize": Choice("mdl", "quantile") | Nothing(),
        "n_bins": Integer(low=2),
    }

    alpha: float
    smoothing: str = "lidstone"
    discretize: str | None
    n_bins: int
    class_count_: np.ndarray
    n_values_: np.ndarray
    bin_edges_: list[np.ndarray | None]

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y.

        Parameters
        ----------
        X : array, frame, scanned source or Dask collection of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            Labels of any type; None where X is a source that has its own target.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        self
        """
        engine = open_engine(self, X, y, sample_weight)
        self._learn_coding(engine)
        self._learn(engine)
        return self

    def _learn(self, engine: Engine) -> None:
        """Learn from all rows, once it is known how they become codes."""
        raise NotImplementedError

    def _learn_coding(self, engine: Engine) -> None:
        """Edges of the numeric columns, and how many values each column has."""
        columns = self.schema_.columns
        numeric = self.schema_.numeric
        self.bin_edges_ = [None] * len(columns)
        n_values = np.array([len(column.categories) for column in columns], dtype=np.int64)
        if numeric and self.discretize is None:
            tops = engine.reduce(partial(_tops, Coding.of(self.schema_))).tops
            n_values[numeric] = tops[numeric] + 1
        elif numeric:
            sample = engine.reduce(partial(_sampled, _sampled_rows(engine.n_rows), numeric))
            for at, j in enumerate(numeric):
                self.bin_edges_[j] = self._edges(sample.values[:, at], sample.labels, sample.weights)
                n_values[j] = len(self.bin_edges_[j]) + 1  # type: ignore[arg-type]
        # A column without any value, all of it missing, still has a place in the tables.
        self.n_values_ = np.maximum(n_values, 1)

    def _edges(self, values: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
        known = ~np.isnan(values) & (weights > 0)
        if self.discretize == "mdl":
            return entropy_edges(values[known], labels[known], weights[known])
        return frequency_edges(values[known], weights[known], self.n_bins)

    def _coding(self) -> Coding:
        return Coding(self.schema_.names, self.n_values_, self.bin_edges_)

    def _codes(self, X: Any) -> np.ndarray:
        """X as codes of the values that were there in ``fit``."""
        return self._coding().codes(self._take(X, reset=False))

    def _set_classes(self, classes: np.ndarray, mass: np.ndarray) -> None:
        check_positive_weight(mass)
        self.classes_, self.class_count_ = classes, mass

    def _log_priors(self) -> np.ndarray:
        """Logarithms of (7.19)."""
        return log_priors(self.class_count_, self.alpha, self.smoothing)


class CountedBayes(DiscreteBayes):
    """A `DiscreteBayes` that needs nothing of the rows but counts, so that more rows can be learned at any time."""

    counts_: np.ndarray

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], ClassCounts]:
        """What counts a block of rows, given the labels there will be."""
        raise NotImplementedError

    def _build(self) -> None:
        """The model that follows from `counts_`, which has a line for each thing counted."""
        raise NotImplementedError

    def _learn_structure(self, engine: Engine, classes: np.ndarray | None) -> None:
        """What must be known of the first rows before others are counted: mostly nothing."""

    def _learn(self, engine: Engine) -> None:
        self._learn_structure(engine, None)
        self._absorb(engine.reduce(self._tally(None)))

    def _absorb(self, stats: ClassCounts) -> None:
        self._set_classes(stats.classes, stats.class_mass)
        self.counts_ = stats.table
        self._build()

    @fitting
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on learning from some more rows; intervals and values are those of the first call.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The labels.
        classes : array of shape (n_classes,), optional
            All labels there will be; needed in the first call.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        self
        """
        first, known = labels_to_come(self, classes)
        rows = self._take(X, reset=first)
        engine = InMemory(rows, y, self._weights(sample_weight, rows))
        if first:
            self._learn_coding(engine)
            self._learn_structure(engine, known)
        stats = engine.reduce(self._tally(known))
        self._absorb(stats if first else self._known_stats() + stats)
        return self

    def _known_stats(self) -> ClassCounts:
        """What was counted so far."""
        return ClassCounts(self.classes_, self.class_count_, self.counts_.reshape(-1, len(self.classes_)))


def log_priors(mass: np.ndarray, alpha: float, smoothing: str) -> np.ndarray:
    """Logarithms of the smoothed class shares (7.19); `alpha` is added to each, or in all with the m-estimate."""
    each = alpha if smoothing == "lidstone" else alpha / len(mass)
    return logarithm((mass + each) / (mass.sum() + each * len(mass)))


def smoothed_logs(
    counts: np.ndarray, totals: np.ndarray, shares: np.ndarray, n_values: Any, alpha: float, smoothing: str
) -> np.ndarray:
    """Logarithms of the smoothed shares of counts among totals (7.20).

    `alpha` is added to every count, or with the m-estimate `alpha` in all, shared out as the `shares` of the values in
    all rows say; these also stand where nothing is known, without smoothing.
    """
    if smoothing == "lidstone":
        above, below = counts + alpha, totals + alpha * n_values
    else:
        above, below = counts + alpha * shares, totals + alpha
    unknown = np.broadcast_to(shares, above.shape).copy()
    return logarithm(np.divide(above, below, out=unknown, where=np.broadcast_to(below > 0, above.shape)))


# ---------------------------------------------------------------- passes


class _Tops:
    """Largest codes of each column."""

    def __init__(self, tops: np.ndarray) -> None:
        self.tops = tops

    def __add__(self, other: "_Tops") -> "_Tops":
        return _Tops(np.maximum(self.tops, other.tops))


def _tops(coding: Coding, block: Block) -> _Tops:
    return _Tops(coding.codes(block.X).max(axis=0, initial=-1).astype(np.int64))


class _Sample:
    """Some rows: numbers, labels and weights, in the order of the rows."""

    def __init__(self, values: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> None:
        self.values, self.labels, self.weights = values, labels, weights

    def __add__(self, other: "_Sample") -> "_Sample":
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return _Sample(*(np.concatenate(pair) for pair in pairs))


def _sampled(rows: np.ndarray, columns: list[int], block: Block) -> _Sample:
    here = rows[(rows >= block.start) & (rows < block.start + len(block))] - block.start
    classes, codes = class_codes(block.y, block.X)
    weights = np.ones(len(here)) if block.weight is None else block.weight[here]
    return _Sample(np.asarray(block.X[here][:, columns], dtype=np.float64), classes[codes[here]], weights)


def _sampled_rows(n: int) -> np.ndarray:
    """All rows, or one drawn from each of `SAMPLE` stretches of rows: the same ones in memory, streamed and on Dask."""
    if n <= SAMPLE:
        return np.arange(n)
    start = np.linspace(0, n, SAMPLE + 1).astype(np.int64)
    return start[:-1] + (core.philox_uniform(0, 0, SAMPLE) * np.diff(start)).astype(np.int64)
