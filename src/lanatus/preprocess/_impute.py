"""Filling missing values."""

from typing import Any, ClassVar

import numpy as np

from lanatus.base import Floats, Integers
from lanatus.catalog import method
from lanatus.metric import blocks, nan_euclidean, overlap_space
from lanatus.params import Choice, Integer, Nothing, Satisfies
from lanatus.preprocess._column_transformer import ColumnTransformer, Output, in_order, preserving_dtype
from lanatus.table import MISSING_CODE, Table


@method(
    section="4.4.2",
    task="transform",
    en="Simple imputation of missing values",
    zh="缺失值简单填充",
    peers=["scikit-learn:SimpleImputer"],
)
class SimpleImputer(ColumnTransformer):
    """Missing values filled with one value a column.

    Numeric columns get their mean, median, most frequent value or a constant; ordinal and nominal ones their
    most frequent value or the constant. A column with no value at all gets 0, or its first category.

    Book: section 4.4.2 (the problem); cost: O(n log n) for each column at most.

    Parameters
    ----------
    strategy : {"mean", "median", "most_frequent", "constant"}, default="mean"
        What numeric columns are filled with.
    fill_value : number, str or None, default=None
        The constant: a number for numeric columns (None is 0), a string for the others (None is "missing").

    Attributes
    ----------
    statistics_ : list, the value for each column of the input

    Examples
    --------
    >>> from lanatus.preprocess import SimpleImputer
    >>> SimpleImputer().fit_transform([[1.0, "a"], [None, "a"], [3.0, None]]).tolist()
    [[1.0, 'a'], [2.0, 'a'], [3.0, 'a']]
    """

    _params = {
        "strategy": Choice("mean", "median", "most_frequent", "constant"),
        "fill_value": Satisfies(lambda value: isinstance(value, str | int | float | np.number), "a number or a string")
        | Nothing(),
    }

    def __init__(self, *, strategy: str = "mean", fill_value: Any = None) -> None:
        self.strategy = strategy
        self.fill_value = fill_value

    def __sklearn_tags__(self) -> Any:
        return preserving_dtype(super().__sklearn_tags__())

    def _learn(self, table: Table, y: Any) -> None:
        self._domains = domains_of(table)
        numbers = np.array([self._number(table.numeric[:, at]) for at in range(len(table.schema.numeric))])
        codes = [self._code(table.codes[:, at], at) for at in range(len(table.schema.coded))]
        self._numbers_in, self._codes_in = numbers, np.array(codes, dtype=np.int32)
        by_place = dict(zip(table.schema.numeric, numbers.tolist(), strict=True))
        by_place |= {j: self._domains[at][codes[at]] for at, j in enumerate(table.schema.coded) if self._domains[at]}
        self.statistics_ = [by_place.get(j) for j in range(len(table.schema))]

    def _number(self, values: np.ndarray) -> float:
        if self.strategy == "constant":
            return float(self.fill_value) if not isinstance(self.fill_value, str | None) else 0.0
        known = values[~np.isnan(values)].astype(np.float64)
        if not len(known):
            return 0.0
        if self.strategy == "most_frequent":
            distinct, counts = np.unique(known, return_counts=True)
            return float(distinct[counts.argmax()])
        return float(known.mean() if self.strategy == "mean" else np.median(known))

    def _code(self, codes: np.ndarray, at: int) -> int:
        if self.strategy == "constant":
            value = self.fill_value if isinstance(self.fill_value, str) else "missing"
            if value not in self._domains[at]:
                self._domains[at] = (*self._domains[at], value)
            return self._domains[at].index(value)
        counts = np.bincount(codes[codes != MISSING_CODE], minlength=max(len(self._domains[at]), 1))
        return int(counts.argmax())

    def _apply(self, table: Table) -> list[Output]:
        numeric = np.where(np.isnan(table.numeric), self._numbers_in, table.numeric).astype(table.numeric.dtype)
        codes = np.where(table.codes == MISSING_CODE, self._codes_in, table.codes)
        return outputs_of(table, numeric, codes, self._domains)


@method(
    section="10.1",
    task="transform",
    en="k-nearest-neighbour imputation",
    zh="k近邻填充",
    peers=["scikit-learn:KNNImputer"],
)
class KNNImputer(ColumnTransformer):
    """Missing values filled from the nearest rows that have them.

    Distances are Euclidean over the attributes that both rows have, scaled up for those they lack; two
    different nominal values are at distance 1. Numeric and ordinal values are averaged (ordinal ones
    rounded), nominal ones voted, the lower category winning ties.

    Book: section 10.1 (nearest neighbours). Cost: O(n m d) for m rows with holes.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours that have the value.
    weights : {"uniform", "distance"}, default="uniform"
        Whether all neighbours count the same or by the inverse of their distance.

    Examples
    --------
    >>> from lanatus.preprocess import KNNImputer
    >>> KNNImputer(1).fit_transform([[1.0, 5.0], [1.1, None], [9.0, 7.0]]).tolist()
    [[1.0, 5.0], [1.1, 5.0], [9.0, 7.0]]
    """

    _state: ClassVar = {
        "_known_numeric": Floats("rows", "numeric", finite=False),
        "_known_codes": Integers("rows", "coded", low=-1),
    }

    _params = {"n_neighbors": Integer(low=1), "weights": Choice("uniform", "distance")}

    def __init__(self, n_neighbors: int = 5, *, weights: str = "uniform") -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights

    def __sklearn_tags__(self) -> Any:
        return preserving_dtype(super().__sklearn_tags__())

    def _learn(self, table: Table, y: Any) -> None:
        self._domains = domains_of(table)
        self._known_numeric, self._known_codes = table.numeric, table.codes
        self._kinds = [table.schema.columns[j].kind for j in table.schema.coded]
        self._space = overlap_space(table)

    def _apply(self, table: Table) -> list[Output]:
        numeric, codes = table.numeric.copy(), table.codes.copy()
        holes = np.flatnonzero(np.isnan(numeric).any(axis=1) | (codes == MISSING_CODE).any(axis=1))
        points = self._space.points(Table(table.schema, numeric[holes], codes[holes]))
        known = self._space.points(Table(self.schema_, self._known_numeric, self._known_codes))
        for part in blocks(len(holes), len(known)):
            distances = nan_euclidean(points[part], known, self._space.owner)
            for row, near in zip(holes[part], distances, strict=True):
                for at in np.flatnonzero(np.isnan(numeric[row])):
                    numeric[row, at] = self._mean(near, self._known_numeric[:, at])
                for at in np.flatnonzero(codes[row] == MISSING_CODE):
                    codes[row, at] = self._vote(near, int(at))
        return outputs_of(table, numeric, codes, self._domains)

    def _neighbours(self, near: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        usable = np.flatnonzero(known & ~np.isnan(near))
        if not len(usable):
            usable = np.flatnonzero(known)
            return usable, np.ones(len(usable))
        closest = usable[np.argsort(near[usable], kind="stable")[: self.n_neighbors]]
        if self.weights == "uniform":
            return closest, np.ones(len(closest))
        if (near[closest] == 0).any():
            return closest, (near[closest] == 0).astype(np.float64)
        return closest, 1 / near[closest]

    def _mean(self, near: np.ndarray, values: np.ndarray) -> float:
        rows, weights = self._neighbours(near, ~np.isnan(values))
        return float(np.average(values[rows], weights=weights)) if len(rows) else 0.0

    def _vote(self, near: np.ndarray, at: int) -> int:
        known = self._known_codes[:, at]
        rows, weights = self._neighbours(near, known != MISSING_CODE)
        if not len(rows):
            return 0
        if self._kinds[at] == "ordinal":
            return round(float(np.average(known[rows], weights=weights)))
        return int(np.bincount(known[rows], weights).argmax())


def domains_of(table: Table) -> list[tuple[Any, ...]]:
    """The values of each column that is not numeric."""
    return [table.schema.columns[j].categories for j in table.schema.coded]


def outputs_of(table: Table, numeric: np.ndarray, codes: np.ndarray, domains: list[tuple[Any, ...]]) -> list[Output]:
    """Both parts of a table, filled, put together again."""
    names = table.schema.names
    columns = {names[j]: Output(names[j], numeric[:, at]) for at, j in enumerate(table.schema.numeric)}
    for at, j in enumerate(table.schema.coded):
        columns[names[j]] = Output(names[j], codes[:, at], domains[at])
    return in_order(table, columns)
