"""A table as one matrix of numbers, for the methods that know nothing else."""

from typing import Any, Self

import numpy as np
from scipy.special import ndtri
from sklearn.base import TransformerMixin

from lanatus.base import Estimator, Tables, Takes, check_is_fitted, fitting
from lanatus.catalog import savable
from lanatus.params import Choice, Integer
from lanatus.table import MISSING_CODE, Table

_QUANTILES = 200  # points that a column is bent by to look normal


@savable
class Design(TransformerMixin, Estimator):
    """Numbers on one scale: holes filled and marked, ordinal values as ranks, frequent nominal ones as indicators.

    Parameters
    ----------
    spread : {"standard", "normal"}, default="standard"
        Numbers are centred and divided by their deviation, or bent so that each column looks normal, which long tails
        and outliers do not disturb.
    most_levels : int, default=50
        Values of a nominal column that get an indicator, the most frequent ones; the others have none.

    Attributes
    ----------
    fill_ : ndarray, what holes of each numeric or ordinal column are filled with, its median
    marked_ : ndarray of int, which of these columns get a mark where they had a hole
    points_ : ndarray of shape (2, n) or (200, n), centre and deviation, or quantiles
    levels_ : list of ndarray, for each nominal column the codes that have an indicator
    names_ : list of str, the columns made

    Examples
    --------
    >>> from lanatus.auto._design import Design
    >>> Design().fit_transform([[1.0, "a"], [None, "a"], [3.0, "b"]]).round(2).tolist()
    [[-1.22, 0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [1.22, 0.0, 0.0, 1.0]]
    """

    _takes = Takes(nominal=True, missing=True)
    _wants = Tables()
    _params = {"spread": Choice("standard", "normal"), "most_levels": Integer(low=1)}

    def __init__(self, *, spread: str = "standard", most_levels: int = 50) -> None:
        self.spread = spread
        self.most_levels = most_levels

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn medians, scales and frequent values from the rows of X; y is not looked at."""
        table = self._take(X, reset=True)
        values, names = self._ordered(table)
        holes = np.isnan(values)
        filled = np.where(holes.all(axis=0), 0.0, values)
        self.fill_ = np.nanmedian(filled, axis=0) if values.shape[1] else np.zeros(0)
        self.marked_ = np.flatnonzero(holes.any(axis=0) & ~holes.all(axis=0))
        self.points_ = self._points(np.where(holes, self.fill_, values))
        self.levels_ = []
        made = [*names, *(f"{names[j]} is missing" for j in self.marked_)]
        for column, codes in self._nominal(table):
            counts = np.bincount(codes[codes != MISSING_CODE], minlength=len(column.categories))
            kept = np.sort(np.argsort(-counts, kind="stable")[: self.most_levels])
            self.levels_.append(kept[counts[kept] > 0])
            made += [f"{column.name}={column.categories[code]}" for code in self.levels_[-1]]
        self.names_ = made
        return self

    def _points(self, values: np.ndarray) -> np.ndarray:
        if self.spread == "normal":
            return np.quantile(values, np.linspace(0, 1, _QUANTILES), axis=0)
        deviation = values.std(axis=0)
        return np.stack([values.mean(axis=0), np.where(deviation > 0, deviation, 1.0)])

    def _ordered(self, table: Table) -> tuple[np.ndarray, list[str]]:
        """Numeric and ordinal columns as floats, NaN where missing."""
        schema = table.schema
        at = [k for k, j in enumerate(schema.coded) if schema.columns[j].kind == "ordinal"]
        ranks = np.where(table.codes[:, at] == MISSING_CODE, np.nan, table.codes[:, at])
        names = [schema.columns[j].name for j in [*schema.numeric, *(schema.coded[k] for k in at)]]
        return np.hstack([np.asarray(table.numeric, dtype=np.float64), ranks]), names

    def _nominal(self, table: Table) -> list[tuple[Any, np.ndarray]]:
        columns = [(table.schema.columns[j], table.codes[:, k]) for k, j in enumerate(table.schema.coded)]
        return [(column, codes) for column, codes in columns if column.kind == "nominal"]

    def transform(self, X: Any) -> np.ndarray:
        """The matrix of the rows of X."""
        check_is_fitted(self)
        table = self._take(X, reset=False)
        values, _ = self._ordered(table)
        holes = np.isnan(values)
        width = values.shape[1]
        out = np.zeros((len(table), len(self.names_)))
        filled = np.where(holes, self.fill_, values)
        if self.spread == "normal":
            scores = ndtri(np.linspace(0, 1, _QUANTILES).clip(1e-3, 1 - 1e-3))
            for j in range(width):
                out[:, j] = np.interp(filled[:, j], *_knots(self.points_[:, j], scores))
        else:
            out[:, :width] = (filled - self.points_[0]) / self.points_[1]
        out[:, width : width + len(self.marked_)] = holes[:, self.marked_]
        at = width + len(self.marked_)
        for (_, codes), levels in zip(self._nominal(table), self.levels_, strict=True):
            out[:, at : at + len(levels)] = codes[:, None] == levels
            at += len(levels)
        return out

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns made."""
        check_is_fitted(self)
        return np.array(self.names_, dtype=object)


def _knots(quantiles: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct quantiles with the mean score of each: a value that fills many of them gets the middle of its share."""
    distinct, at = np.unique(quantiles, return_inverse=True)
    return distinct, np.bincount(at, scores) / np.bincount(at)
