"""Transformers of columns: each changes the kinds of column it is for, and passes the others through.

A frame in gives a frame of the same library out, with names; an array in gives an array out.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from sklearn.base import TransformerMixin

from lanatus.base import Estimator, Tables, Takes, check_is_fitted, fitting, output_library
from lanatus.table import MISSING_CODE, Table, as_frame, learn_column


@dataclass(frozen=True)
class Output:
    """One column that a transformer makes: numbers, or codes into categories."""

    name: str
    values: np.ndarray
    categories: tuple[Any, ...] | None = None
    untouched: bool = False  # as it was in the input, whose own column a frame then keeps

    def decoded(self) -> np.ndarray:
        """Values as a person reads them; None where missing."""
        if self.categories is None:
            return self.values
        table = np.array([*self.categories, None], dtype=object)
        return table[self.values]  # MISSING_CODE is -1, the None at the end


class ColumnTransformer(TransformerMixin, Estimator):
    """Base: subclasses learn from a table in `_learn` and make output columns in `_apply`."""

    _takes = Takes(nominal=True, missing=True)
    _wants = Tables()

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the columns of X; y is used only by supervised transformers."""
        self._learn(self._take(X, reset=True), y)
        self._refuse_twice()
        return self

    def _refuse_twice(self) -> None:
        """ValueError if two columns of the result would have one name."""
        names = self._names_out()
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"several columns of the result would be named {twice}; rename columns of X first.")

    def transform(self, X: Any) -> Any:
        """The rows of X with the columns of the kinds that this transformer is for changed."""
        check_is_fitted(self)
        return self._assemble(self._apply(self._take(X, reset=False)), X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns that ``transform`` gives."""
        check_is_fitted(self)
        self._check_input_names(input_features)
        return np.array(self._names_out(), dtype=object)

    @abstractmethod
    def _learn(self, table: Table, y: Any) -> None: ...

    @abstractmethod
    def _apply(self, table: Table) -> list[Output]: ...

    def _names_out(self) -> list[str]:
        return self.schema_.names

    def _check_input_names(self, names: Any) -> None:
        if names is None:
            return
        if len(names) != len(self.schema_):
            raise ValueError(f"input_features should have length equal to number of features ({len(self.schema_)}).")
        if self.schema_.named and list(names) != self.schema_.names:
            raise ValueError("input_features is not equal to feature_names_in_")

    def _assemble(self, outputs: list[Output], X: Any) -> Any:
        frame = as_frame(X)
        wanted = output_library(self)
        if frame is not None or wanted is not None:
            return _frame_of(outputs, frame, wanted)
        columns = [output.decoded() for output in outputs]
        if all(output.categories is None for output in outputs):
            dtype = np.float32 if all(column.dtype == np.float32 for column in columns) else np.float64
            return np.column_stack(columns).astype(dtype, copy=False)
        return np.column_stack([column.astype(object) for column in columns])


def passed_through(table: Table, changed: set[str]) -> dict[str, Output]:
    """The columns that a transformer leaves alone, by name."""
    out: dict[str, Output] = {}
    for at, j in enumerate(table.schema.numeric):
        column = table.schema.columns[j]
        if column.name not in changed:
            values = table.numeric[:, [at]].toarray().ravel() if sp.issparse(table.numeric) else table.numeric[:, at]
            out[column.name] = Output(column.name, values, untouched=True)
    for at, j in enumerate(table.schema.coded):
        column = table.schema.columns[j]
        if column.name not in changed:
            out[column.name] = Output(column.name, table.codes[:, at], column.categories, untouched=True)
    return out


def in_order(table: Table, columns: dict[str, Output]) -> list[Output]:
    """Output columns in the order of the table's."""
    return [columns[name] for name in table.schema.names]


def _frame_of(outputs: list[Output], frame: "nw.DataFrame[Any] | None", wanted: str | None) -> Any:
    """The columns as a frame of the library wanted, or of that of the input."""
    alike = frame if frame is not None and wanted in (None, str(frame.implementation.value)) else None
    backend: Any = wanted if alike is None else nw.get_native_namespace(alike)
    made: dict[str, Any] = {}
    for output in outputs:
        before = alike[output.name] if alike is not None and output.name in alike.columns else None
        if before is not None and output.untouched:
            made[output.name] = before
            continue
        values = output.decoded()
        series = nw.new_series(output.name, values.tolist() if output.categories else values, backend=backend)
        if before is not None and output.categories is not None and _holds(before, output):
            series = series.cast(before.dtype)
        made[output.name] = series
    native = nw.from_dict(made).to_native()
    if alike is not None and hasattr(native, "index"):
        native.index = alike.to_native().index
    return native


def _holds(series: "nw.Series[Any]", output: Output) -> bool:
    """Whether the type of a column of the input has a place for all the values of its successor."""
    if series.dtype not in (nw.Categorical, nw.Enum):
        return False
    return set(output.categories or ()) <= set(learn_column(series).categories)


def missing_to_nan(codes: np.ndarray, dtype: Any = np.float64) -> np.ndarray:
    """Codes as numbers, missing as NaN."""
    return np.where(codes == MISSING_CODE, np.nan, codes).astype(dtype)


def preserving_dtype(tags: Any) -> Any:
    """The tags of a transformer whose numbers keep their type."""
    tags.transformer_tags.preserves_dtype = ["float64", "float32"]
    return tags
