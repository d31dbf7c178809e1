"""Table: any two-dimensional data as one float matrix and one matrix of int32 codes."""

import datetime
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lanatus.data._schema import Column, Schema

MISSING_CODE = -1  # in `codes`; missing numbers are NaN


class UnseenCategoryWarning(UserWarning):
    """A category that was not there in ``fit`` is treated as missing."""


class Table:
    """Rows of numeric, ordinal and nominal attributes, missing values explicit.

    Parameters
    ----------
    schema : Schema
        What the columns are.
    numeric : ndarray or CSR of shape (n_rows, n_numeric)
        Numeric columns in their order, float32 or float64, C-contiguous; NaN is missing.
    codes : ndarray of shape (n_rows, n_coded), int32
        Ordinal and nominal columns in their order, as positions in their categories; -1 is missing.

    Examples
    --------
    >>> from lanatus.data import Table
    >>> table = Table.of([{"root": "curly", "sugar": 0.46}, {"root": "stiff", "sugar": None}])
    >>> table.schema
    Schema(root: nominal {curly, stiff}; sugar: numeric)
    >>> table.codes.tolist(), table.numeric.tolist()
    ([[0], [1]], [[0.46], [nan]])
    """

    def __init__(self, schema: Schema, numeric: Any, codes: np.ndarray) -> None:
        self.schema = schema
        self.numeric = numeric
        self.codes = codes

    @classmethod
    def of(cls, X: Any, *, like: Schema | None = None, schema: Schema | None = None) -> "Table":
        """Build a table from whatever holds rows and columns.

        Parameters
        ----------
        X : Table, ndarray, list of lists, list of dicts, scipy.sparse, or any frame that narwhals knows
            The data.
        like : Schema, optional
            Schema learned before: columns are matched to it by name, categories by value.
        schema : Schema, optional
            Kinds and domains to use instead of those that the types suggest.

        Returns
        -------
        Table
        """
        wanted = like or schema
        if isinstance(X, Table):
            return X if wanted is None or X.schema == wanted else _conform(X, wanted)
        if sp.issparse(X):
            return cls(*_from_sparse(X), np.empty((X.shape[0], 0), np.int32))
        if is_list_of_dicts(X):
            X = frame_of_dicts(X)
        frame = as_frame(X)
        if frame is None:
            return _from_array(X, wanted)
        return _from_frame(frame, wanted)

    def __len__(self) -> int:
        return self.codes.shape[0]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and attributes."""
        return len(self), len(self.schema)

    def __repr__(self) -> str:
        return f"Table({len(self)} rows; {self.schema!r})"

    def missing(self) -> dict[str, int]:
        """Number of missing values of each column that has some."""
        numbers = self.numeric.data if sp.issparse(self.numeric) else self.numeric
        holes: dict[str, int] = {}
        for at, j in enumerate(self.schema.numeric):
            column = numbers[self.numeric.indices == at] if sp.issparse(self.numeric) else numbers[:, at]
            holes[self.schema.columns[j].name] = int(np.isnan(column).sum())
        for at, j in enumerate(self.schema.coded):
            holes[self.schema.columns[j].name] = int((self.codes[:, at] == MISSING_CODE).sum())
        return {name: count for name, count in holes.items() if count}

    def design_matrix(self, dtype: Any = None) -> Any:
        """The table as numbers only: ordinal columns as ranks, nominal ones as indicators (3.2).

        A missing ordinal value is NaN; a missing nominal one has no indicator set.
        """
        if self.schema.all_numeric:
            return self.numeric if dtype is None else self.numeric.astype(dtype, copy=False)
        dtype = dtype or (self.numeric.dtype if self.schema.numeric else np.float64)
        out = np.zeros((len(self), self.schema.n_expanded), dtype)
        at = numbers = coded = 0
        for column in self.schema.columns:
            if column.kind == "numeric":
                out[:, at] = self.numeric[:, numbers]
                numbers += 1
            else:
                codes = self.codes[:, coded]
                known = codes != MISSING_CODE
                coded += 1
                if column.kind == "ordinal":
                    out[:, at] = np.where(known, codes, np.nan)
                else:
                    out[np.flatnonzero(known), at + codes[known]] = 1
            at += column.width
        return out


# ---------------------------------------------------------------- frames


def as_frame(X: Any) -> "nw.DataFrame[Any] | None":
    """X as a narwhals frame, or None where it is not a frame that narwhals knows."""
    if isinstance(X, np.ndarray) or sp.issparse(X) or isinstance(X, list | tuple):
        return None
    if type(X).__name__ == "RecordBatch":  # pyarrow's, which narwhals does not take
        import pyarrow as pa

        X = pa.Table.from_batches([X])
    if hasattr(X, "iloc") and hasattr(X, "columns") and not all(isinstance(name, str) for name in X.columns):
        if any(isinstance(name, str) for name in X.columns):
            kinds = sorted({type(name).__name__ for name in X.columns})
            raise TypeError(
                "Feature names are only supported if all input features have string names, but your input has "
                f"{kinds} as feature name / column name types. Rename them: X.columns = X.columns.astype(str)."
            )
        X = X.set_axis([f"x{j}" for j in range(X.shape[1])], axis="columns")
        X.attrs["lanatus_unnamed"] = True
    if hasattr(X, "iloc") and hasattr(X, "columns") and not X.columns.is_unique:
        _refuse_duplicates(list(X.columns))
    if hasattr(X, "column_names"):  # pyarrow
        _refuse_duplicates(list(X.column_names))
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except TypeError:
        return None
    if not isinstance(frame, nw.DataFrame):
        return None
    return frame


def _refuse_duplicates(names: list[str]) -> None:
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"column names must be distinct, got {twice} more than once; rename them.")


def is_named(frame: "nw.DataFrame[Any]") -> bool:
    """Whether the column names came with the frame, and were not made up for numbered columns."""
    return not getattr(frame.to_native(), "attrs", {}).get("lanatus_unnamed", False)


def _from_frame(frame: "nw.DataFrame[Any]", wanted: Schema | None) -> Table:
    if wanted is None:
        columns = [_learn_column(frame[name]) for name in frame.columns]
        wanted = Schema(columns, named=is_named(frame))
    else:
        frame = frame.select(wanted.names)
    numeric_names = [wanted.columns[j].name for j in wanted.numeric]
    coded = [wanted.columns[j] for j in wanted.coded]
    numeric = _float_matrix(frame, numeric_names)
    codes = np.empty((len(frame), len(coded)), np.int32)
    for at, column in enumerate(coded):
        codes[:, at] = _encode(frame[column.name], column)
    return Table(wanted, numeric, codes)


def _learn_column(series: "nw.Series[Any]") -> Column:
    dtype = series.dtype
    name, label = series.name, str(dtype)
    if dtype.is_numeric() or dtype.is_temporal():
        return Column(name, "numeric", (), label)
    if dtype == nw.Boolean:
        return Column(name, "ordinal", (False, True), label)
    if dtype in (nw.Categorical, nw.Enum):
        categories = _declared_categories(series)
        return Column(name, "ordinal" if _is_ordered(series) else "nominal", categories, label)
    if dtype in (nw.String, nw.Object):
        values = [value for value in series.unique().to_list() if not _is_missing(value)]
        if all(isinstance(value, int | float | np.number) for value in values) and values:
            if all(isinstance(value, bool | np.bool_) for value in values):
                return Column(name, "ordinal", (False, True), label)
            return Column(name, "numeric", (), label)
        if odd := [value for value in values if not isinstance(value, str | int | float | bool | np.generic)]:
            raise TypeError(
                f"column {name!r}: argument must be a string or a number, got "
                f"{type(odd[0]).__name__} ({odd[0]!r})."
            )
        return Column(name, "nominal", sorted(values, key=lambda value: (str(type(value)), value)), label)
    raise TypeError(
        f"column {name!r} has type {label}; wanted numbers, booleans, strings, categories or dates. "
        "Convert or drop it."
    )


def _declared_categories(series: "nw.Series[Any]") -> list[Any]:
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "categories"):  # pandas: declared, in their order
        return list(native.cat.categories)
    values = [value for value in series.cat.get_categories().to_list() if value is not None]
    # The categories of a polars Categorical come in an order that depends on what else the process has seen.
    return sorted(values) if series.implementation.is_polars() and series.dtype != nw.Enum else values


def _is_ordered(series: "nw.Series[Any]") -> bool:
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "ordered"):
        return bool(native.cat.ordered)
    if hasattr(native, "type") and hasattr(native.type, "ordered"):
        return bool(native.type.ordered)
    return False


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value)) or type(value).__name__ == "NAType"


def _float_matrix(frame: "nw.DataFrame[Any]", names: Sequence[str]) -> np.ndarray:
    """The numeric columns as one C-contiguous matrix; float32 only where every column is."""
    if not names:
        return np.empty((len(frame), 0), np.float64)
    native = frame.to_native()
    if len(names) == len(frame.columns) and hasattr(native, "iloc"):
        dtypes = {str(dtype) for dtype in native.dtypes}
        if dtypes in ({"float64"}, {"float32"}):  # one block of pandas: no copy where it is row-major
            return np.ascontiguousarray(native.to_numpy())
    columns = [_float_column(frame[name]) for name in names]
    dtype = np.float32 if all(column.dtype == np.float32 for column in columns) else np.float64
    out = np.empty((len(frame), len(names)), dtype)
    for at, column in enumerate(columns):
        out[:, at] = column
    return out


def _float_column(series: "nw.Series[Any]") -> np.ndarray:
    dtype = series.dtype
    if dtype.is_temporal():
        return _days(series)
    if dtype == nw.Float32 and series.null_count() == 0:
        return np.asarray(series.to_numpy(), dtype=np.float32)
    if dtype in (nw.String, nw.Object, nw.Categorical, nw.Enum):
        return _numbers_from(series)
    if dtype == nw.Boolean:
        return np.array([np.nan if _is_missing(v) else float(v) for v in series.to_list()], np.float64)
    wide = np.float32 if dtype == nw.Float32 else np.float64
    if series.null_count() == 0 and not dtype.is_decimal():
        return np.asarray(series.to_numpy(), dtype=wide)
    return np.array([np.nan if _is_missing(v) else float(v) for v in series.to_list()], wide)


def _days(series: "nw.Series[Any]") -> np.ndarray:
    """Dates and times as days since 1970-01-01, durations and times of day as days."""
    out = np.full(len(series), np.nan)
    for i, value in enumerate(series.to_list()):
        if _is_missing(value) or type(value).__name__ == "NaTType":
            continue
        if isinstance(value, datetime.datetime):
            utc = value if value.tzinfo is None else value.astimezone(datetime.UTC).replace(tzinfo=None)
            out[i] = (utc - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1)
        elif isinstance(value, datetime.date):
            out[i] = (value - datetime.date(1970, 1, 1)).days
        elif isinstance(value, datetime.timedelta):
            out[i] = value / datetime.timedelta(days=1)
        else:
            out[i] = (value.hour * 3600 + value.minute * 60 + value.second) / 86400
    return out


def _numbers_from(series: "nw.Series[Any]") -> np.ndarray:
    try:
        return np.array([np.nan if _is_missing(v) else float(v) for v in series.to_list()], np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"column {series.name!r} must hold numbers, as it did in fit: {error}.") from None


def _encode(series: "nw.Series[Any]", column: Column) -> np.ndarray:
    """Codes of a column's values in its categories; unseen ones are missing, with a warning."""
    values = series.to_list()
    position: dict[Any, int] = {value: code for code, value in enumerate(column.categories)}
    return encode_values(values, position, column.name)


def encode_values(values: Sequence[Any], position: Mapping[Any, int], name: str) -> np.ndarray:
    """Position of each value, -1 where it is missing or (one warning for all) unseen."""
    codes = np.empty(len(values), np.int32)
    unseen: list[Any] = []
    for i, value in enumerate(values):
        code = position.get(value)
        if code is None:
            code = MISSING_CODE
            if not _is_missing(value):
                unseen.append(value)
        codes[i] = code
    if unseen:
        shown = ", ".join(repr(value) for value in list(dict.fromkeys(unseen))[:5])
        warnings.warn(
            f"column {name!r} has {len(unseen)} value(s) not seen in fit ({shown}); they are treated as missing.",
            UnseenCategoryWarning,
            stacklevel=2,
        )
    return codes


# ---------------------------------------------------------------- arrays


def _from_sparse(X: Any) -> tuple[Schema, Any]:
    csr = X.tocsr()
    if csr.dtype not in (np.float32, np.float64):
        csr = csr.astype(np.float64)
    return Schema([Column(f"x{j}", "numeric") for j in range(csr.shape[1])], named=False), csr


def _from_array(X: Any, wanted: Schema | None) -> Table:
    array = np.asarray(X) if not isinstance(X, list | tuple) else _array_of_lists(X)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: got complex numbers, wanted real ones.")
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead of shape {array.shape}. Reshape your data: "
            "X.reshape(-1, 1) for one column, X.reshape(1, -1) for one row."
        )
    if array.dtype.kind in "fiub" and (wanted is None or wanted.all_numeric):
        dtype = np.float32 if array.dtype == np.float32 else np.float64
        names = wanted or Schema([Column(f"x{j}", "numeric") for j in range(array.shape[1])], named=False)
        return Table(names, np.ascontiguousarray(array, dtype), np.empty((len(array), 0), np.int32))
    import pyarrow as pa

    names_list = wanted.names if wanted is not None else [f"x{j}" for j in range(array.shape[1])]
    if len(names_list) != array.shape[1]:
        raise ValueError(f"X has {array.shape[1]} features, but {len(names_list)} are expected.")
    columns = [_arrow_column(array[:, j].tolist(), name) for j, name in enumerate(names_list)]
    table = _from_frame(nw.from_native(pa.table(dict(zip(names_list, columns, strict=True))), eager_only=True), wanted)
    table.schema.named = wanted.named if wanted is not None else False
    return table


def _arrow_column(values: list[Any], name: str) -> Any:
    import pyarrow as pa

    values = [None if _is_missing(value) else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    if odd := [kind for kind in kinds if not issubclass(kind, str | int | float | bool | np.generic)]:
        raise TypeError(f"column {name!r}: argument must be a string or a number, got {odd[0].__name__}.")
    if any(issubclass(kind, str) for kind in kinds):
        return pa.array([value if value is None else str(value) for value in values], pa.string())
    return pa.array(values, None if kinds else pa.float64())


def _array_of_lists(X: Any) -> np.ndarray:
    widths = {len(row) for row in X if hasattr(row, "__len__") and not isinstance(row, str)}
    if len(widths) > 1:
        raise ValueError(f"rows must have the same number of values, got rows of {sorted(widths)} values.")
    if any(isinstance(value, str) for row in X if hasattr(row, "__iter__") for value in row):
        return np.array(X, dtype=object)
    return np.array(X)


def is_list_of_dicts(X: Any) -> bool:
    """Whether X is rows as mappings of column name to value."""
    return isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(row, Mapping) for row in X)


def frame_of_dicts(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as mappings, as a pyarrow table; a name that a row lacks is missing there."""
    import pyarrow as pa

    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.table({name: _arrow_column([row.get(name) for row in rows], name) for name in names})


def _conform(table: Table, wanted: Schema) -> Table:
    """A table's columns put in the order and coded by the categories of a schema learned before."""
    if wanted.all_numeric and table.schema.all_numeric and not (wanted.named and table.schema.named):
        return table
    numeric_at = {table.schema.columns[j].name: at for at, j in enumerate(table.schema.numeric)}
    coded_at = {table.schema.columns[j].name: at for at, j in enumerate(table.schema.coded)}
    codes = np.empty((len(table), len(wanted.coded)), np.int32)
    for at, j in enumerate(wanted.coded):
        column = wanted.columns[j]
        own = table.schema[column.name]
        if own.kind == "numeric":
            raise ValueError(f"column {column.name!r} is numeric, but was {column.kind} in fit.")
        values = [None if c == MISSING_CODE else own.categories[c] for c in table.codes[:, coded_at[column.name]]]
        codes[:, at] = encode_values(values, {v: i for i, v in enumerate(column.categories)}, column.name)
    names = [wanted.columns[j].name for j in wanted.numeric]
    if lost := [name for name in names if name not in numeric_at]:
        raise ValueError(f"columns {lost} must be numeric, as they were in fit.")
    return Table(wanted, table.numeric[:, [numeric_at[name] for name in names]], codes)
