"""Naive Bayes by counting: weighted counts by class that add up, smoothed into probabilities."""

import warnings
from typing import Any

import numpy as np

from lanatus._core import bayes as kernels
from lanatus.base import class_codes, n_threads
from lanatus.bayes._posterior import logarithm
from lanatus.catalog import savable
from lanatus.scale import Block

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


def class_log_priors(mass: np.ndarray, class_prior: Any, fit_prior: bool) -> np.ndarray:
    """Logarithms of the priors as the user gives them, or of the shares of the classes (7.16), or all the same."""
    if class_prior is not None:
        given = np.asarray(class_prior, dtype=np.float64)
        if given.shape != mass.shape:
            raise ValueError(f"Number of priors must match number of classes: got {given.size}, wanted {len(mass)}.")
        if not ((given >= 0).all() and 0 < given.sum() < np.inf):
            raise ValueError(f"class_prior must be numbers from 0 on, not all 0; got {given.tolist()}.")
        return logarithm(given)
    return logarithm(mass / mass.sum()) if fit_prior else np.full(len(mass), -np.log(len(mass)))


def checked_alpha(alpha: Any, n_features: int, force_alpha: bool) -> Any:
    """What is added to every count: a number, or one for each feature."""
    alpha = alpha if np.ndim(alpha) == 0 else np.asarray(alpha, dtype=np.float64)
    if np.ndim(alpha) and alpha.shape != (n_features,):
        raise ValueError(f"alpha as an array must have one entry a feature: got {alpha.shape[0]}, wanted {n_features}.")
    if np.ndim(alpha) and alpha.min() < 0:
        raise ValueError("All values in alpha must be at least 0.")
    if np.min(alpha) < _LEAST_ALPHA and not force_alpha:
        warnings.warn(
            f"alpha too small will result in numeric errors, setting alpha = {_LEAST_ALPHA:.1e}. Use "
            "force_alpha=True to keep alpha unchanged.",
            stacklevel=6,
        )
        alpha = np.maximum(alpha, _LEAST_ALPHA)
    return alpha


def tally_codes(classes: np.ndarray | None, n_values: np.ndarray, block: Block) -> ClassCounts:
    """Counts of codes by class; `n_values` holds the least number of values of each column."""
    labels, codes = class_codes(block.y, block.X, classes)
    n_values = np.maximum(n_values, block.X.max(axis=0, initial=-1).astype(np.int64) + 1)
    cells = int((n_values + 1).sum()) * len(labels)
    if cells > _MOST_CELLS:
        raise ValueError(
            f"the counts would take {cells * 8 / 2**30:.3g} GB: there are up to {n_values.max()} values in a column, "
            f"{n_values.sum()} in all, and {len(labels)} classes. Give the values codes 0, 1, ... without gaps "
            "(lanatus.preprocess.OrdinalEncoder), or leave out columns that name the rows."
        )
    table = kernels.count_codes(block.X, codes, block.weight, n_values, len(labels), n_threads=n_threads())
    return ClassCounts(labels, class_mass(codes, block.weight, len(labels)), table, n_values)


def class_mass(codes: np.ndarray, weight: np.ndarray | None, n_classes: int) -> np.ndarray:
    """Weighted rows of each class."""
    return np.bincount(codes, weight, n_classes).astype(np.float64)
