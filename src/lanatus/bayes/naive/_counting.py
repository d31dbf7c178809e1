"""Naive Bayes by counting: weighted counts by class that add up, smoothed into probabilities."""

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from lanatus._core import bayes as kernels
from lanatus.base import check_positive_weight, class_codes, fitting, n_threads
from lanatus.bayes._posterior import BayesClassifier, labels_to_come, logarithm
from lanatus.catalog import savable
from lanatus.scale import Block, open_engine

_LEAST_ALPHA = 1e-10
_MOST_CELLS = 2**28  # 2 GB of counts


@savable
class ClassCounts:
    """Weighted counts of values by class, of one block of rows; those of two blocks add up.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,), sorted labels
    class_mass : ndarray of shape (n_classes,), weighted rows of each class
    table : ndarray of shape (n_lines, n_classes)
        The counts: a line for each value of each column.
    n_values : ndarray of shape (n_features,) or None
        Number of values of each column, whose lines come after one for missing values; None for one line a column.
    """

    def __init__(
        self, classes: np.ndarray, class_mass: np.ndarray, table: np.ndarray, n_values: np.ndarray | None = None
    ) -> None:
        self.classes, self.class_mass, self.table, self.n_values = classes, class_mass, table, n_values

    def __add__(self, other: "ClassCounts") -> "ClassCounts":
        classes = self.classes
        if not np.array_equal(self.classes, other.classes):
            classes = np.union1d(self.classes, other.classes)
        n_values = self.n_values
        if n_values is not None and other.n_values is not None:
            n_values = np.maximum(n_values, other.n_values)
        a, b = self.spread(classes, n_values), other.spread(classes, n_values)
        return ClassCounts(classes, a.class_mass + b.class_mass, a.table + b.table, n_values)

    def spread(self, classes: np.ndarray, n_values: np.ndarray | None) -> "ClassCounts":
        """The same counts over more classes and more values; the new ones are empty."""
        lines = np.arange(len(self.table))
        longer = n_values is not None and self.n_values is not None and not np.array_equal(n_values, self.n_values)
        if np.array_equal(classes, self.classes) and not longer:
            return self
        at = np.searchsorted(classes, self.classes)
        mass = np.zeros(len(classes))
        mass[at] = self.class_mass
        if n_values is not None and self.n_values is not None:
            shift = first_lines(n_values)[:-1] - first_lines(self.n_values)[:-1]
            lines += np.repeat(shift, self.n_values + 1)
        table = np.zeros((len(self.table) if n_values is None else first_lines(n_values)[-1], len(classes)))
        table[np.ix_(lines, at)] = self.table
        return ClassCounts(classes, mass, table, n_values)


def first_lines(n_values: np.ndarray) -> np.ndarray:
    """Where the lines of each column begin, the first of which stands for missing values; their number comes last."""
    return np.concatenate([[0], np.cumsum(n_values + 1)])


def split_lines(table: np.ndarray, n_values: np.ndarray) -> list[np.ndarray]:
    """One array of shape (n_classes, n_values) for each column."""
    return [table[at + 1 : at + 1 + n].T.copy() for at, n in zip(first_lines(n_values), n_values, strict=False)]


def joined_lines(tables: list[np.ndarray], n_classes: int) -> np.ndarray:
    """The lines of all columns, one array of shape (n_classes, n_values) each, with 0 for missing values."""
    gap = np.zeros((1, n_classes))
    return np.ascontiguousarray(np.vstack([part for table in tables for part in (gap, table.T)]))


def log_shares(table: np.ndarray, n_values: np.ndarray, alpha: float) -> np.ndarray:
    """Lines of log((count + alpha) / (all counts of the column and class + alpha * values)), 0 for missing values.

    Without smoothing, a column of which a class has no value at all is as likely there as in all classes together.
    """
    if not len(table):
        return table
    column = np.repeat(np.arange(len(n_values)), n_values + 1)
    first = first_lines(n_values)[:-1]
    counts = table + alpha
    counts[first] = 0
    totals = np.add.reduceat(counts, first, axis=0)[column]
    if alpha == 0 and (empty := totals == 0).any():
        overall = np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape)
        counts = np.where(empty, overall, counts)
        totals = np.where(empty, np.broadcast_to(totals.sum(axis=1, keepdims=True), counts.shape), totals)
    logs = logarithm(np.divide(counts, totals, out=np.ones_like(counts), where=totals > 0))
    logs[first] = 0
    return logs


class CountingNB(BayesClassifier):
    """Base of the naive Bayes classifiers with scikit-learn's `alpha`, `force_alpha`, `fit_prior` and `class_prior`."""

    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any
    class_count_: np.ndarray
    class_log_prior_: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], ClassCounts]:
        """What counts a block of rows, given the labels there will be."""
        raise NotImplementedError

    def _learned(self) -> ClassCounts:
        """The counts so far, for ``partial_fit``."""
        raise NotImplementedError

    def _set_counts(self, stats: ClassCounts, alpha: Any) -> None:
        """Attributes that follow from the counts."""
        raise NotImplementedError

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
        return self._absorb(engine.reduce(self._tally(None)))

    @fitting
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on learning from some more rows.

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
        stats = self._tally(known)(Block(rows, y, self._weights(sample_weight, rows), 0))
        return self._absorb(stats if first else self._learned() + stats)

    def _absorb(self, stats: ClassCounts) -> Self:
        """The model that follows from the counts over all rows."""
        total = stats.class_mass.sum()
        check_positive_weight(total)
        self.classes_ = stats.classes
        self.class_count_ = stats.class_mass
        self.class_log_prior_ = self._priors(stats.class_mass)
        n_features = len(stats.table) if stats.n_values is None else len(stats.n_values)
        self._set_counts(stats, self._checked_alpha(n_features))
        return self

    def _priors(self, mass: np.ndarray) -> np.ndarray:
        if self.class_prior is not None:
            given = np.asarray(self.class_prior, dtype=np.float64)
            if given.shape != mass.shape:
                raise ValueError(
                    f"Number of priors must match number of classes: got {given.size}, wanted {len(mass)}."
                )
            if not ((given >= 0).all() and 0 < given.sum() < np.inf):
                raise ValueError(f"class_prior must be numbers from 0 on, not all 0; got {given.tolist()}.")
            return logarithm(given)
        return logarithm(mass / mass.sum()) if self.fit_prior else np.full(len(mass), -np.log(len(mass)))

    def _checked_alpha(self, n_features: int) -> Any:
        alpha = self.alpha if np.ndim(self.alpha) == 0 else np.asarray(self.alpha, dtype=np.float64)
        if np.ndim(alpha) and alpha.shape != (n_features,):
            raise ValueError(
                f"alpha as an array must have one entry a feature: got {alpha.shape[0]}, wanted {n_features}."
            )
        if np.ndim(alpha) and alpha.min() < 0:
            raise ValueError("All values in alpha must be at least 0.")
        if np.min(alpha) < _LEAST_ALPHA and not self.force_alpha:
            warnings.warn(
                f"alpha too small will result in numeric errors, setting alpha = {_LEAST_ALPHA:.1e}. Use "
                "force_alpha=True to keep alpha unchanged.",
                stacklevel=4,
            )
            alpha = np.maximum(alpha, _LEAST_ALPHA)
        return alpha

    def _log_priors(self) -> np.ndarray:
        return self.class_log_prior_


def tally_codes(classes: np.ndarray | None, n_values: np.ndarray, block: Block) -> ClassCounts:
    """Counts of codes by class; `n_values` holds the least number of values of each column."""
    known, codes = class_codes(block.y, block.X, classes)
    n_values = np.maximum(n_values, block.X.max(axis=0, initial=-1).astype(np.int64) + 1)
    cells = int((n_values + 1).sum()) * len(known)
    if cells > _MOST_CELLS:
        raise ValueError(
            f"the counts would take {cells * 8 / 2**30:.3g} GB: there are up to {n_values.max()} values in a column, "
            f"{n_values.sum()} in all, and {len(known)} classes. Give the values codes 0, 1, ... without gaps "
            "(lanatus.preprocess.OrdinalEncoder), or leave out columns that name the rows."
        )
    table = kernels.count_codes(block.X, codes, block.weight, n_values, len(known), n_threads=n_threads())
    return ClassCounts(known, class_mass(codes, block.weight, len(known)), table, n_values)


def class_mass(codes: np.ndarray, weight: np.ndarray | None, n_classes: int) -> np.ndarray:
    """Weighted rows of each class."""
    return np.bincount(codes, weight, n_classes).astype(np.float64)
