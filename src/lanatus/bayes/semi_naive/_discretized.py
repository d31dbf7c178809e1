"""Tables of any kind as codes for methods that count: numbers are cut into intervals that ``fit`` learns."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from lanatus._core import core
from lanatus.base import Floats, Integers, Takes, class_codes, fitting
from lanatus.bayes import _class_sums
from lanatus.bayes._class_sums import set_classes
from lanatus.bayes._codes import CodedColumns, Coding
from lanatus.bayes._posterior import BayesClassifier, logarithm
from lanatus.bayes.naive._counting import ClassCounts
from lanatus.preprocess import entropy_edges, frequency_edges
from lanatus.scale import Block, Engine, open_engine

SAMPLE = 100_000  # rows that edges are learned from


class CountedBayes(BayesClassifier):
    """Base of the Bayes classifiers that count rows of which every column is one of a few values.

    A class that derives from it says in `_tally` what is counted and in `_build` what follows from the counts.
    """

    _state: ClassVar = {"class_count_": Floats("classes", low=0), "n_values_": Integers("features")}

    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True)
    _wants = CodedColumns()

    fit = _class_sums.fit
    partial_fit = _class_sums.partial_fit

    alpha: float
    smoothing: str = "lidstone"
    class_count_: np.ndarray
    counts_: np.ndarray
    n_values_: np.ndarray

    def _prepare(self, engine: Engine, classes: np.ndarray | None) -> None:
        """Learn from the first rows what must be known before rows are counted."""
        learn_coding(self, engine)

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], Any]:
        """What counts a block of rows, given the labels there will be."""
        raise NotImplementedError

    def _learned(self) -> Any:
        """What was counted so far."""
        return ClassCounts(self.classes_, self.class_count_, self.counts_.reshape(-1, len(self.classes_)))

    def _absorb(self, stats: Any) -> None:
        """The model that follows from the counts over all rows."""
        set_classes(self, stats.classes, stats.class_mass)
        self.counts_ = stats.table
        self._build()

    def _build(self) -> None:
        """The model that follows from `counts_`, which has a line for each thing counted."""
        raise NotImplementedError

    def _log_priors(self) -> np.ndarray:
        return log_priors(self.class_count_, self.alpha, self.smoothing)


class StructuredBayes(BayesClassifier):
    """Base of the Bayes classifiers that look at coded rows as often as it takes to find their structure.

    A class that derives from it says in `_learn` how.
    """

    _state: ClassVar = {"class_count_": Floats("classes", low=0), "n_values_": Integers("features")}

    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True)
    _wants = CodedColumns()

    alpha: float
    class_count_: np.ndarray
    n_values_: np.ndarray

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        engine = open_engine(self, X, y, sample_weight)
        learn_coding(self, engine)
        self._learn(engine)
        return self

    def _learn(self, engine: Engine) -> None:
        """The model that follows from the rows, once it is known how they become codes."""
        raise NotImplementedError

    def _log_priors(self) -> np.ndarray:
        return log_priors(self.class_count_, self.alpha, "lidstone")


# ---------------------------------------------------------------- codes


def learn_coding(model: Any, engine: Engine) -> None:
    """Set `bin_edges_`, the edges of numeric columns, and `n_values_`, how many values each column has."""
    columns, numeric = model.schema_.columns, model.schema_.numeric
    model.bin_edges_ = [None] * len(columns)
    n_values = np.array([len(column.categories) for column in columns], dtype=np.int64)
    if numeric and model.discretize is None:
        tops = engine.reduce(partial(_tops, Coding.of(model.schema_))).tops
        n_values[numeric] = tops[numeric] + 1
    elif numeric:
        sample = engine.reduce(partial(_sampled, _sampled_rows(engine.n_rows), numeric))
        for at, j in enumerate(numeric):
            edges = _edges(sample.values[:, at], sample.labels, sample.weights, model.discretize, model.n_bins)
            model.bin_edges_[j] = edges
            n_values[j] = len(edges) + 1
    # A column without any value, all of it missing, still has a place in the tables.
    model.n_values_ = np.maximum(n_values, 1)


def _edges(values: np.ndarray, labels: np.ndarray, weights: np.ndarray, discretize: str, n_bins: int) -> np.ndarray:
    seen = ~np.isnan(values) & (weights > 0)
    if discretize == "mdl":
        return entropy_edges(values[seen], labels[seen], weights[seen])
    return frequency_edges(values[seen], weights[seen], n_bins)


def coding_of(model: Any) -> Coding:
    """How rows become codes, as ``fit`` learned it."""
    return Coding(model.schema_.names, model.n_values_, model.bin_edges_)


def codes_of(model: Any, X: Any) -> np.ndarray:
    """X as codes of the values that were there in ``fit``."""
    return coding_of(model).codes(model._take(X, reset=False))


# ---------------------------------------------------------------- smoothing


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
