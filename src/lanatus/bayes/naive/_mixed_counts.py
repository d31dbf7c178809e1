"""Naive Bayes over mixed tables: counts of nominal attributes and moments of numbers, in one pass."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from lanatus._core import bayes as kernels
from lanatus.base import Floats, Takes, aligned, class_codes, fitting, n_threads
from lanatus.bayes import _class_sums
from lanatus.bayes._class_sums import set_classes
from lanatus.bayes._codes import Coding, MixedColumns
from lanatus.bayes._posterior import BayesClassifier, checked_priors, logarithm
from lanatus.bayes.naive._counting import class_mass, log_shares, split_lines, tally_codes
from lanatus.bayes.naive._gaussian_nb import tally_moments
from lanatus.bayes.semi_naive._kept_rows import CodedRows
from lanatus.catalog import savable
from lanatus.scale import Block, Moments, is_at_scale
from lanatus.table import Schema


@savable
class MixedCounts:
    """Moments of the numbers and counts of the other attributes, by class, and rows where they must be kept.

    Those of two blocks of rows add up; what is None has not been asked for.
    """

    def __init__(self, moments: Any = None, counts: Any = None, kept: Any = None) -> None:
        self.moments, self.counts, self.kept = moments, counts, kept

    def __add__(self, other: "MixedCounts") -> "MixedCounts":
        parts = zip(vars(self).values(), vars(other).values(), strict=True)
        return MixedCounts(*[None if mine is None else mine + theirs for mine, theirs in parts])


def tally_rows(classes: np.ndarray | None, schema: Schema | None, block: Block) -> MixedCounts:
    """The rows of one block and, where a schema is given, what they contribute."""
    known, codes = class_codes(block.y, block.X, classes)
    kept = CodedRows(known, block.X.copy(), codes, block.weight)  # X may change after fit
    if schema is None:
        return MixedCounts(kept=kept)
    stats = tally_mixed(known, schema, block)
    return MixedCounts(stats.moments, stats.counts, kept)


def tally_mixed(classes: np.ndarray | None, schema: Schema, block: Block) -> MixedCounts:
    """What one block of rows contributes, each a row of `MixedColumns`."""
    known, codes = class_codes(block.y, block.X, classes)
    numbers, values = split_columns(schema, block.X)
    labels = known[codes]
    if numbers.shape[1]:
        moments = tally_moments(known, Block(numbers, labels, block.weight, block.start))
    else:
        none = np.zeros((len(known), 0))
        moments = Moments(known, class_mass(codes, block.weight, len(known)), none, none, none)
    n_values = np.array([len(schema.columns[j].categories) for j in schema.coded], dtype=np.int64)
    return MixedCounts(moments, tally_codes(known, n_values, Block(values, labels, block.weight, block.start)))


def split_columns(schema: Schema, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numeric columns of `MixedColumns`, and the codes of the others."""
    if schema.all_numeric:
        return aligned(X), np.empty((len(X), 0), dtype=np.int8)
    coded = [schema.columns[j] for j in schema.coded]
    coding = Coding([c.name for c in coded], np.array([len(c.categories) for c in coded], dtype=np.int64))
    return aligned(X[:, schema.numeric]), coding.codes(np.ascontiguousarray(X[:, schema.coded]))


class MixedBayes(BayesClassifier):
    """Base of the naive Bayes classifiers for tables of numbers and nominal attributes."""

    _state: ClassVar = {"class_count_": Floats("classes", low=0), "class_prior_": Floats("classes", low=0)}

    _takes = Takes(nominal=True, missing=True)
    _wants = MixedColumns()
    alpha: float
    priors: Any

    partial_fit = _class_sums.partial_fit

    def _keeps_rows(self) -> bool:
        """Whether sums over rows are not enough."""
        return False

    def _set_densities(self, stats: MixedCounts) -> None:
        """Attributes that follow from the moments of the numbers, and from rows kept."""
        raise NotImplementedError

    def _log_densities(self, X: np.ndarray) -> np.ndarray:
        """Sum over the numbers of their log densities, for each row and class."""
        raise NotImplementedError

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        if self._keeps_rows() and is_at_scale(X):
            raise ValueError(
                "kernel densities and mode='lazy' keep the rows, so X must be in memory; take density='gaussian' with "
                "mode='lookup' or 'incremental'."
            )
        return _class_sums.fit_by_sums(self, X, y, sample_weight)

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], MixedCounts]:
        return partial(tally_mixed, classes, self.schema_)

    def _learned(self) -> MixedCounts:
        return self._stats

    def _absorb(self, stats: MixedCounts) -> None:
        """The model that follows from the sums over all rows."""
        self._stats = stats
        self._set_priors(stats.counts.classes, stats.counts.class_mass)
        self.category_count_ = split_lines(stats.counts.table, stats.counts.n_values)
        self._set_densities(stats)

    def _set_priors(self, classes: np.ndarray, mass: np.ndarray) -> None:
        set_classes(self, classes, mass)
        self.class_prior_ = self._smoothed_priors(mass)

    def _smoothed_priors(self, mass: np.ndarray) -> np.ndarray:
        """(7.19), or what the user says."""
        if self.priors is not None:
            return checked_priors(self.priors, len(mass))
        return np.asarray((mass + self.alpha) / (mass.sum() + self.alpha * len(mass)))

    def _log_priors(self) -> np.ndarray:
        return logarithm(self.class_prior_)

    def _log_lines(self) -> np.ndarray:
        """The table of (7.20) in logarithms."""
        counts = self._stats.counts
        return log_shares(counts.table, counts.n_values, self.alpha)

    def _joint(self, X: Any) -> np.ndarray:
        return self._joint_of(self._take(X, reset=False))

    def _joint_of(self, rows: np.ndarray) -> np.ndarray:
        numbers, values = split_columns(self.schema_, rows)
        model = {"n_values": self._stats.counts.n_values, "table": self._log_lines(), "start": self._log_priors()}
        joint = kernels.coded_joint(values, **model, n_threads=n_threads())
        return joint + self._log_densities(numbers) if numbers.shape[1] else joint
