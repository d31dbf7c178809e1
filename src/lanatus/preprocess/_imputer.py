"""What imputers have in common: what counts as missing, empty columns, and indicators of what was missing."""

import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.impute import MissingIndicator

from lanatus.base import check_is_fitted, fitting, in_floats
from lanatus.params import Flag, ParameterRule, Satisfies
from lanatus.preprocess._column_transformer import ColumnTransformer, Output, preserving_dtype
from lanatus.preprocess._inner import fit_whole, forget, fresh, get_feature_names_out, in_memory, is_mixed
from lanatus.table import MISSING_CODE, Table, is_missing

MISSING_VALUES = Satisfies(
    lambda value: value is None or is_missing(value) or isinstance(value, str | int | float | np.number),
    "a number, a string, NaN or None",
)
IMPUTER_PARAMS: dict[str, ParameterRule] = {
    "copy": Flag(),
    "add_indicator": Flag(),
    "keep_empty_features": Flag(),
}


class Imputer(ColumnTransformer):
    """scikit-learn's imputer for arrays; for tables subclasses learn in `_learn` and fill holes in `_filled`."""

    _inner_class: type
    _inner: Any
    _whole: bool
    get_feature_names_out = get_feature_names_out

    missing_values: Any
    add_indicator: bool
    keep_empty_features: bool
    indicator_: Any

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what missing values are filled with."""
        forget(self)
        if self._goes_whole(X):
            self._inner = fresh(self)
            fit_whole(self, self._without_none(X))
            return self
        self._whole = False
        table = self._with_holes(self._take(X, reset=True))
        known = ~_holes(table)
        self._empty = [
            name for name, some in zip(table.schema.names, np.any(known, axis=0).tolist(), strict=True) if not some
        ]
        self.indicator_ = MissingIndicator(error_on_new=False).fit(_marked(table)) if self.add_indicator else None
        self._learn(table, y)
        self._refuse_twice()
        return self

    def _goes_whole(self, X: Any) -> bool:
        """Whether scikit-learn's imputer takes X as it is."""
        return not is_mixed(X)

    def transform(self, X: Any) -> Any:
        """The rows of X with their holes filled."""
        check_is_fitted(self)
        if self._whole:
            with in_floats("X"):
                return self._inner.transform(self._without_none(in_memory(self, X)))
        table = self._with_holes(self._take(X, reset=False))
        return self._assemble(self._apply(table), X)

    def _without_none(self, X: Any) -> Any:
        """X with NaN for None, which is missing too where NaN is."""
        wanted = self.missing_values
        objects = isinstance(X, list | tuple) or (isinstance(X, np.ndarray) and X.dtype == object)
        if not (objects and isinstance(wanted, float) and np.isnan(wanted)):
            return X
        values = np.array(X, dtype=object)
        holes = np.frompyfunc(lambda value: value is None, 1, 1)(values).astype(bool)
        return np.where(holes, np.nan, values) if values.ndim == 2 and holes.any() else X

    def _apply(self, table: Table) -> list[Output]:
        left_out = [] if self.keep_empty_features else self._empty
        if left_out:
            warnings.warn(
                f"Skipping features without any observed values: {left_out}. At least one non-missing value is needed "
                "for imputation; keep_empty_features=True keeps them.",
                stacklevel=3,
            )
        outputs = [one for one in self._filled(table) if one.name not in left_out]
        if self.indicator_ is not None:
            marks = self.indicator_.transform(_marked(table)).astype(np.float64)
            names = self.indicator_.get_feature_names_out(table.schema.names)
            outputs += [Output(str(name), marks[:, at]) for at, name in enumerate(names)]
        return outputs

    @abstractmethod
    def _filled(self, table: Table) -> list[Output]: ...

    def _names_out(self) -> list[str]:
        left_out = [] if self.keep_empty_features else self._empty
        names = [name for name in self.schema_.names if name not in left_out]
        if self.indicator_ is not None:
            names += [str(name) for name in self.indicator_.get_feature_names_out(self.schema_.names)]
        return names

    def _with_holes(self, table: Table) -> Table:
        """The table with its `missing_values` missing too."""
        wanted = self.missing_values
        if wanted is None or is_missing(wanted):
            return table
        numeric, codes = table.numeric, table.codes
        if not isinstance(wanted, str):
            numeric = np.where(numeric == wanted, np.nan, numeric)
        for at, j in enumerate(table.schema.coded):
            domain = table.schema.columns[j].categories
            if wanted in domain:
                codes = codes.copy()
                codes[codes[:, at] == domain.index(wanted), at] = MISSING_CODE
        return Table(table.schema, numeric, codes)

    def __sklearn_tags__(self) -> Any:
        tags = preserving_dtype(super().__sklearn_tags__())
        tags.input_tags.allow_nan = is_missing(self.missing_values)
        return tags


def _holes(table: Table) -> np.ndarray:
    """Where values are missing, a column for each of the table's."""
    out = np.zeros(table.shape, dtype=bool)
    out[:, table.schema.numeric] = np.isnan(table.numeric)
    out[:, table.schema.coded] = table.codes == MISSING_CODE
    return out


def _marked(table: Table) -> np.ndarray:
    """NaN where values are missing, else 0."""
    return np.where(_holes(table), np.nan, 0.0)
