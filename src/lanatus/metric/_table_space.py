"""Rows of a mixed table as points, so that a distance of numbers is one of nominal values too.

What a nominal value is worth is the one thing in which such distances differ: each function here learns a `TableSpace`
that puts it at the place where the plain distance of points says what is wanted. The next one goes here.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lanatus.catalog import savable
from lanatus.table import MISSING_CODE, Table


@savable
class TableSpace:
    """Where the values of each column of a table lie.

    Parameters
    ----------
    places : sequence of arrays
        For each column, in order. Numeric: (low, span), a number x lies at (x - low) / span. Ordinal or nominal: an
        array with a row of coordinates for each category, and a last one for missing and unseen values.
    dtype : numpy dtype
        Of the points.
    """

    def __init__(self, places: Sequence[np.ndarray], dtype: Any = np.float64) -> None:
        self.places = list(places)
        self.dtype = np.dtype(dtype).name

    @property
    def owner(self) -> np.ndarray:
        """The column that each coordinate belongs to."""
        return np.repeat(np.arange(len(self.places)), self._widths)

    @property
    def _widths(self) -> list[int]:
        return [1 if place.ndim == 1 else place.shape[1] for place in self.places]

    def points(self, table: Table) -> np.ndarray:
        """The rows as points."""
        widths = self._widths
        out = np.empty((len(table), sum(widths)), self.dtype)
        at = numbers = coded = 0
        for place, width in zip(self.places, widths, strict=True):
            if place.ndim == 1:
                out[:, at] = _scaled(table.numeric[:, numbers].astype(np.float64), *place.tolist())
                numbers += 1
            else:  # the code of a missing value is -1, the last
                out[:, at : at + width] = place.astype(self.dtype, copy=False)[table.codes[:, coded]]
                coded += 1
            at += width
        return out


def smote_nc_space(table: Table, rows: np.ndarray) -> TableSpace:
    """Numbers and ranks as they are; nominal values apart by the median deviation of the numbers in `rows`.

    That median, over the numeric columns, of the standard deviations is taken as 1 where there is no such column, or
    all are constant (SMOTE-NC; Chawla et al. 2002).
    """
    median = float(np.median(table.numeric[rows].std(axis=0, dtype=np.float64))) if table.schema.numeric else 0.0
    dtype = table.numeric.dtype if table.schema.numeric else np.float64
    places = [
        _indicators(column.width, (median or 1.0) / np.sqrt(2), 0.0) if column.kind == "nominal" else _unscaled(column)
        for column in table.schema.columns
    ]
    return TableSpace(places, dtype)


def overlap_space(table: Table) -> TableSpace:
    """Numbers and ranks as they are; different nominal values are at distance 1, and what is missing is NaN."""
    places = [
        _indicators(max(column.width, 1), 1 / np.sqrt(2), np.nan) if column.kind == "nominal" else _unscaled(column)
        for column in table.schema.columns
    ]
    return TableSpace(places)


def value_difference_space(table: Table, codes: np.ndarray, n_classes: int, *, scaled: bool = True) -> TableSpace:
    """Numbers and ranks, over their ranges or as they are, and for each nominal value the frequencies of the classes.

    The value difference metric (9.21) sums, over the classes, the p-th powers of differences of these frequencies; so
    as coordinates they give the distance MinkovDM (9.22) of any order p. A value never seen stands for all rows.
    """
    places = []
    numbers = coded = 0
    for column in table.schema.columns:
        if column.kind == "numeric":
            numbers_of = table.numeric[:, numbers].astype(np.float64)
            places.append(range_of(numbers_of) if scaled else np.array([0.0, 1.0]))
            numbers += 1
            continue
        values = table.codes[:, coded]
        coded += 1
        if column.kind == "nominal":
            places.append(class_frequencies(values, len(column.categories), codes, n_classes))
        else:
            known = np.where(values == MISSING_CODE, np.nan, values)
            low, span = range_of(known).tolist() if scaled else (0.0, 1.0)
            ranks = np.append(np.arange(len(column.categories)), np.nan)
            places.append(((ranks - low) / span)[:, None])
    return TableSpace(places)


def gower_space(table: Table) -> TableSpace:
    """Numbers and ranks over their ranges; different nominal values are at a Manhattan distance of 1.

    Manhattan's distance of the points, over the number of attributes, is Gower's (Gower 1971).
    """
    places = []
    numbers = coded = 0
    for column in table.schema.columns:
        if column.kind == "numeric":
            places.append(range_of(table.numeric[:, numbers].astype(np.float64)))
            numbers += 1
            continue
        values = table.codes[:, coded]
        coded += 1
        if column.kind == "nominal":
            places.append(_indicators(max(column.width, 1), 0.5, np.nan))
        else:
            low, span = range_of(np.where(values == MISSING_CODE, np.nan, values)).tolist()
            places.append(((np.append(np.arange(len(column.categories)), np.nan) - low) / span)[:, None])
    return TableSpace(places)


def _unscaled(column: Any) -> np.ndarray:
    if column.kind == "numeric":
        return np.array([0.0, 1.0])
    return np.append(np.arange(float(len(column.categories))), np.nan)[:, None]


def _indicators(width: int, height: float, missing: float) -> np.ndarray:
    """A coordinate a category; two indicators differ, so a height of h / sqrt(2) puts them apart by h."""
    return np.vstack([np.eye(width) * height, np.full((1, width), missing)])


def _scaled(values: np.ndarray, low: float, span: float) -> np.ndarray:
    if np.isinf(span):
        return values * 0.0
    with np.errstate(over="ignore"):
        return np.clip((values - low) / span, -np.finfo(np.float64).max, np.finfo(np.float64).max)


def range_of(values: np.ndarray) -> np.ndarray:
    """Lowest value and range; an infinite one for a constant column, which says nothing whatever it holds later."""
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    return np.array([low, high - low if high > low else np.inf])


def class_frequencies(values: np.ndarray, n_categories: int, codes: np.ndarray, n_classes: int) -> np.ndarray:
    counts = np.zeros((n_categories, n_classes))
    known = values != MISSING_CODE
    np.add.at(counts, (values[known].astype(np.intp), codes[known]), 1.0)
    whole = np.bincount(codes, minlength=n_classes) / len(codes)
    seen = counts.sum(axis=1, keepdims=True)
    return np.vstack([np.where(seen > 0, counts / np.maximum(seen, 1), whole), whole])
