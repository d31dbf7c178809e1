"""Filling missing values."""

from typing import Any, ClassVar

import numpy as np
from sklearn import impute

from lanatus.base import Floats, Integers, Takes, check_is_fitted, in_floats
from lanatus.catalog import method
from lanatus.metric import blocks, nan_euclidean, overlap_space
from lanatus.params import Choice, Function, Integer, Nothing, Satisfies
from lanatus.preprocess._column_transformer import Output, in_order
from lanatus.preprocess._imputer import IMPUTER_PARAMS, MISSING_VALUES, Imputer
from lanatus.preprocess._inner import fresh, has_kinds, in_memory
from lanatus.table import MISSING_CODE, Table


@method(
    section="4.4.2",
    task="transform",
    en="Simple imputation of missing values",
    zh="缺失值简单填充",
    peers=["scikit-learn:SimpleImputer"],
)
class SimpleImputer(Imputer):
    """Missing values filled with one value a column.

    Numeric columns get their mean, median, most frequent value or a constant; ordinal and nominal ones of a mixed
    table their most frequent value or the constant. Arrays, of numbers or of words, are taken as scikit-learn's does.

    Book: section 4.4.2 (the problem); cost: O(n log n) for each column at most.

    Parameters
    ----------
    missing_values : number, str, NaN or None, default=NaN
        What stands for a missing value. What a frame itself holds as missing is missing too.
    strategy : {"mean", "median", "most_frequent", "constant"} or callable, default="mean"
        What numeric columns are filled with; a callable gets the known values of a column.
    fill_value : number, str or None, default=None
        The constant: a number for numeric columns (None is 0), a string for the others (None is "missing_value").
    copy : bool, default=True
        False lets an array of floats be filled where it is.
    add_indicator : bool, default=False
        Whether a column that tells what was missing is added for each column with holes in ``fit``.
    keep_empty_features : bool, default=False
        Whether a column with no value at all is kept, and filled with 0 (or the constant), or its first category;
        otherwise it is left out, with a warning.

    Attributes
    ----------
    statistics_ : ndarray, or list for a mixed table, the value for each column of the input
    indicator_ : MissingIndicator or None, what tells where values were missing

    Examples
    --------
    >>> from lanatus.preprocess import SimpleImputer
    >>> SimpleImputer().fit_transform([[1.0, "a"], [None, "a"], [3.0, None]]).tolist()
    [[1.0, 'a'], [2.0, 'a'], [3.0, 'a']]
    """

    _inner_class = impute.SimpleImputer
    _takes = Takes(nominal=True, missing=True, sparse=True)
    _params = {
        "missing_values": MISSING_VALUES,
        "strategy": Choice("mean", "median", "most_frequent", "constant") | Function(),
        "fill_value": Satisfies(lambda value: isinstance(value, str | int | float | np.number), "a number or a string")
        | Nothing(),
        **IMPUTER_PARAMS,
    }

    def __init__(
        self,
        *,
        missing_values: Any = np.nan,
        strategy: Any = "mean",
        fill_value: Any = None,
        copy: bool = True,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
    ) -> None:
        self.missing_values = missing_values
        self.strategy = strategy
        self.fill_value = fill_value
        self.copy = copy
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features

    def _goes_whole(self, X: Any) -> bool:
        """Arrays of words too, where the strategy is for them; one of words and numbers is a table."""
        if has_kinds(X):
            return False
        return super()._goes_whole(X) or self.strategy in ("most_frequent", "constant")

    def inverse_transform(self, X: Any) -> Any:
        """Rows with the holes that they had before; wants ``add_indicator=True`` in ``fit``."""
        check_is_fitted(self)
        if not self._whole:
            raise TypeError("inverse_transform gives back the holes of arrays; fit to one (frame.to_numpy()) for it.")
        with in_floats("X"):
            return self._inner.inverse_transform(in_memory(self, X))

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
        if callable(self.strategy):
            return float(self.strategy(known))
        if self.strategy == "most_frequent":
            distinct, counts = np.unique(known, return_counts=True)
            return float(distinct[counts.argmax()])
        return float(known.mean() if self.strategy == "mean" else np.median(known))

    def _code(self, codes: np.ndarray, at: int) -> int:
        if self.strategy == "constant":
            value = self.fill_value if isinstance(self.fill_value, str) else "missing_value"
            if value not in self._domains[at]:
                self._domains[at] = (*self._domains[at], value)
            return self._domains[at].index(value)
        counts = np.bincount(codes[codes != MISSING_CODE], minlength=max(len(self._domains[at]), 1))
        return int(counts.argmax())

    def _filled(self, table: Table) -> list[Output]:
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
class KNNImputer(Imputer):
    """Missing values filled from the nearest rows that have them.

    Distances are Euclidean over the attributes that both rows have, scaled up for those they lack; two
    different nominal values are at distance 1. Numeric and ordinal values are averaged (ordinal ones
    rounded), nominal ones voted, the lower category winning ties.

    Book: section 10.1 (nearest neighbours). Cost: O(n m d) for m rows with holes.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours that have the value.
    missing_values : number, str, NaN or None, default=NaN
        What stands for a missing value. What a frame itself holds as missing is missing too.
    weights : {"uniform", "distance"} or callable, default="uniform"
        Whether all neighbours count the same, by the inverse of their distance, or by what a callable makes of an
        array of distances.
    metric : "nan_euclidean" or callable, default="nan_euclidean"
        Distance, or ``metric(x, y, missing_values=NaN)`` of two rows of numbers; a mixed table has its own.
    copy : bool, default=True
        False lets an array of floats be filled where it is.
    add_indicator : bool, default=False
        Whether a column that tells what was missing is added for each column with holes in ``fit``.
    keep_empty_features : bool, default=False
        Whether a column with no value at all is kept, and filled with 0 (or the constant), or its first category;
        otherwise it is left out, with a warning.

    Attributes
    ----------
    indicator_ : MissingIndicator or None, what tells where values were missing

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

    _inner_class = impute.KNNImputer
    _params = {
        "n_neighbors": Integer(low=1),
        "missing_values": MISSING_VALUES,
        "weights": Choice("uniform", "distance") | Function(),
        "metric": Choice("nan_euclidean") | Function(),
        **IMPUTER_PARAMS,
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        missing_values: Any = np.nan,
        weights: Any = "uniform",
        metric: Any = "nan_euclidean",
        copy: bool = True,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
    ) -> None:
        self.missing_values = missing_values
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.copy = copy
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features

    def _learn(self, table: Table, y: Any) -> None:
        if callable(self.metric):
            raise TypeError("a callable metric is for arrays of numbers, not for tables; give X.to_numpy().")
        self._domains = domains_of(table)
        if table.schema.all_numeric:
            self._inner = fresh(self, missing_values=np.nan, add_indicator=False, keep_empty_features=True)
            self._inner.fit(table.numeric)
            return
        self._known_numeric, self._known_codes = table.numeric, table.codes
        self._kinds = [table.schema.columns[j].kind for j in table.schema.coded]
        self._space = overlap_space(table)

    def _filled(self, table: Table) -> list[Output]:
        if self.schema_.all_numeric:
            return outputs_of(table, self._inner.transform(table.numeric), table.codes, self._domains)
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
        if callable(self.weights):
            return closest, np.asarray(self.weights(near[None, closest]), dtype=np.float64).ravel()
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
