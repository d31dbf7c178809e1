"""Table: any two-dimensional data as one float matrix and one matrix of int32 codes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lanatus.table._columns import (
    MEASURES,
    MISSING_CODE,
    UnseenCategoryWarning,
    days,
    encode,
    encode_values,
    float_column,
    is_missing,
    learn_column,
    recode,
)
from lanatus.table._schema import Column, Schema
from lanatus.table._sparse import sound_sparse

__all__ = [
    "MISSING_CODE",
    "Table",
    "UnseenCategoryWarning",
    "as_frame",
    "encode_values",
    "frame_of_dicts",
    "is_list_of_dicts",
    "is_named",
]

_TILE = 1024  # rows


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
    >>> from lanatus.table import Table
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
            Kinds and domains to use instead of those that the types suggest; an ordinal or nominal
            attribute without a domain gets the values of its column, sorted.

        Returns
        -------
        Table
        """
        wanted = like if like is not None else schema
        learn = like is None
        if isinstance(X, Table):
            return X if wanted is None or X.schema == wanted else _conform(X, wanted)
        if sp.issparse(X):
            return _from_sparse(X, wanted)
        if is_list_of_dicts(X):
            X = frame_of_dicts(X)
        frame = as_frame(X)
        if frame is None:
            return _from_array(X, wanted, learn)
        return _from_frame(frame, wanted, learn)

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
        if sp.issparse(self.numeric):
            width = self.numeric.shape[1]
            numbers = np.bincount(self.numeric.indices[np.isnan(self.numeric.data)], minlength=width)
        else:
            numbers = np.count_nonzero(np.isnan(self.numeric), axis=0)
        coded = np.count_nonzero(self.codes == MISSING_CODE, axis=0)
        at = [*self.schema.numeric, *self.schema.coded]
        holes = dict(sorted(zip(at, [*numbers.tolist(), *coded.tolist()], strict=True)))
        return {self.schema.columns[j].name: count for j, count in holes.items() if count}

    def design_matrix(self, dtype: Any = None, *, nan_for_missing: bool = False) -> Any:
        """The table as numbers only: ordinal columns as ranks, nominal ones as indicators (3.2).

        A missing ordinal value is NaN; a missing nominal one has no indicator set, or, for a method with a rule for
        missing values, NaN in all of them.
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
                    if nan_for_missing:
                        out[~known, at : at + column.width] = np.nan
            at += column.width
        return out

    def coded_matrix(self) -> np.ndarray:
        """The columns in the order of the schema, ordinal and nominal ones as codes, NaN for what is missing."""
        numeric = np.ascontiguousarray(self.numeric, dtype=np.float64)
        if not self.schema.coded:
            return numeric
        out = np.empty(self.shape)
        out[:, self.schema.numeric] = numeric
        out[:, self.schema.coded] = np.where(self.codes == MISSING_CODE, np.nan, self.codes)
        return out


# ---------------------------------------------------------------- frames


def as_frame(X: Any) -> "nw.DataFrame[Any] | None":
    """X as a narwhals frame, or None where it is not a frame that narwhals knows."""
    if isinstance(X, np.ndarray) or sp.issparse(X) or isinstance(X, list | tuple):
        return None
    if type(X).__name__ == "LazyFrame":
        raise TypeError("got a lazy frame, wanted rows: call .collect() first.")
    if type(X).__name__ == "RecordBatch":  # pyarrow's, which narwhals does not take
        import pyarrow as pa

        X = pa.Table.from_batches([X])
    if hasattr(X, "iloc") and hasattr(X, "columns") and not all(isinstance(name, str) for name in X.columns):
        if any(isinstance(name, str) for name in X.columns):
            kinds = sorted({type(name).__name__ for name in X.columns})
            raise TypeError(
                "Feature names are only supported if all input features have string names, but your input "
                f"has {kinds} as feature name / column name types. Rename them: "
                "X.columns = X.columns.astype(str)."
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
    if twice := sorted(name for name, count in Counter(names).items() if count > 1):
        raise ValueError(f"column names must be distinct, got {twice} more than once; rename them.")


def is_named(frame: "nw.DataFrame[Any]") -> bool:
    """Whether the column names came with the frame, and were not made up for numbered columns."""
    return not getattr(frame.to_native(), "attrs", {}).get("lanatus_unnamed", False)


def _from_frame(frame: "nw.DataFrame[Any]", wanted: Schema | None, learn: bool) -> Table:
    if wanted is None:
        wanted = Schema([learn_column(frame[name]) for name in frame.columns], named=is_named(frame))
    else:
        if lost := [name for name in wanted.names if name not in frame.columns]:
            raise ValueError(f"X lacks the columns {lost}; it has {frame.columns}.")
        frame = frame.select(wanted.names)
        if learn:
            columns = [_with_domain(column, frame[column.name]) for column in wanted.columns]
            wanted = Schema(columns, named=wanted.named)
    numeric = _float_matrix(frame, [wanted.columns[j].name for j in wanted.numeric])
    coded = [wanted.columns[j] for j in wanted.coded]
    codes = np.empty((len(frame), len(coded)), np.int32)
    for at, column in enumerate(coded):
        codes[:, at] = encode(frame[column.name], column)
    return Table(wanted, numeric, codes)


def _with_domain(column: Column, series: "nw.Series[Any]") -> Column:
    """A column whose domain was not given, with that of its values."""
    if column.kind == "numeric" or column.categories:
        return column
    found = learn_column(series).categories
    if not found:  # numbers, which have no categories of their own
        found = tuple(sorted(value for value in series.unique().to_list() if not is_missing(value)))
    return Column(column.name, column.kind, found, str(series.dtype))


def _float_matrix(frame: "nw.DataFrame[Any]", names: Sequence[str]) -> np.ndarray:
    """The numeric columns as one C-contiguous matrix; float32 only where every column is."""
    if not names:
        return np.empty((len(frame), 0), np.float64)
    native = frame.to_native()
    if len(names) == len(frame.columns) and hasattr(native, "iloc"):
        dtypes = {str(dtype) for dtype in native.dtypes}
        if dtypes in ({"float64"}, {"float32"}):  # one block of pandas: no copy where it is row-major
            return np.ascontiguousarray(native.to_numpy())
    columns = [float_column(frame[name]) for name in names]
    dtype = np.float32 if all(column.dtype == np.float32 for column in columns) else np.float64
    out = np.empty((len(frame), len(names)), dtype)
    for start in range(0, len(out), _TILE):  # a tile stays in the cache while its columns are filled in
        tile = out[start : start + _TILE]
        for at, column in enumerate(columns):
            tile[:, at] = column[start : start + _TILE]
    return out


# ---------------------------------------------------------------- arrays


def _made_up(width: int) -> Schema:
    return Schema([Column(f"x{j}", "numeric") for j in range(width)], named=False)


def _refuse_width(got: int, wanted: Schema | None) -> None:
    if wanted is not None and got != len(wanted):
        raise ValueError(f"X has {got} features, but {len(wanted)} are expected.")


def _from_sparse(X: Any, wanted: Schema | None) -> Table:
    X = sound_sparse(X)
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported: got complex numbers, wanted real ones.")
    _refuse_width(X.shape[1], wanted)
    if wanted is not None and not wanted.all_numeric:
        names = [wanted.columns[j].name for j in wanted.coded]
        raise TypeError(f"X is sparse, so all numeric, but columns {names} are not; use a data frame.")
    csr = X.tocsr()
    if csr.dtype not in (np.float32, np.float64):
        csr = csr.astype(np.float64)
    return Table(wanted or _made_up(csr.shape[1]), csr, np.empty((csr.shape[0], 0), np.int32))


def _from_array(X: Any, wanted: Schema | None, learn: bool) -> Table:
    array = np.asarray(X) if not isinstance(X, list | tuple) else _array_of_lists(X)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: got complex numbers, wanted real ones.")
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead of shape {array.shape} "
            f"({type(X).__name__}). Reshape your data: X.reshape(-1, 1) for one column, X.reshape(1, -1) "
            "for one row."
        )
    _refuse_width(array.shape[1], wanted)
    if array.dtype.kind in "mM":
        array = days(array)
    if array.dtype.kind in "fiub" and (wanted is None or wanted.all_numeric):
        dtype = np.float32 if array.dtype == np.float32 else np.float64
        names = wanted if wanted is not None else _made_up(array.shape[1])
        return Table(names, np.ascontiguousarray(array, dtype), np.empty((len(array), 0), np.int32))
    import pyarrow as pa

    names_list = wanted.names if wanted is not None else [f"x{j}" for j in range(array.shape[1])]
    columns = [_arrow_column(array[:, j].tolist(), name) for j, name in enumerate(names_list)]
    frame = nw.from_native(pa.table(dict(zip(names_list, columns, strict=True))), eager_only=True)
    table = _from_frame(frame, wanted, learn)
    if wanted is None:
        table.schema.named = False
    return table


def _arrow_column(values: list[Any], name: str) -> Any:
    import pyarrow as pa

    values = [None if is_missing(value) else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    if kinds and all(issubclass(kind, MEASURES) for kind in kinds):
        return pa.array(values)
    if odd := [kind for kind in kinds if not issubclass(kind, str | int | float | bool | np.generic)]:
        raise TypeError(f"column {name!r}: argument must be a string or a number, got {odd[0].__name__}.")
    if any(issubclass(kind, str) for kind in kinds):
        return pa.array([value if value is None else str(value) for value in values], pa.string())
    flags = {kind for kind in kinds if issubclass(kind, bool | np.bool_)}
    if flags and flags == kinds:
        return pa.array(values, pa.bool_())
    return pa.array([value if value is None else float(value) for value in values], pa.float64())


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
    if odd := [name for name in names if not isinstance(name, str)]:
        raise TypeError(f"column names must be strings, got {odd[0]!r} ({type(odd[0]).__name__}).")
    return pa.table({name: _arrow_column([row.get(name) for row in rows], name) for name in names})


def _conform(table: Table, wanted: Schema) -> Table:
    """A table's columns put in the order and coded by the categories of a schema learned before."""
    if wanted.all_numeric and table.schema.all_numeric and not (wanted.named and table.schema.named):
        _refuse_width(len(table.schema), wanted)
        return table
    if lost := [name for name in wanted.names if name not in table.schema.names]:
        raise ValueError(f"X lacks the columns {lost}; it has {table.schema.names}.")
    numeric_at = {table.schema.columns[j].name: at for at, j in enumerate(table.schema.numeric)}
    coded_at = {table.schema.columns[j].name: at for at, j in enumerate(table.schema.coded)}
    codes = np.empty((len(table), len(wanted.coded)), np.int32)
    for at, j in enumerate(wanted.coded):
        column = wanted.columns[j]
        own = table.schema[column.name]
        if own.kind == "numeric":
            raise ValueError(f"column {column.name!r} is numeric, but was {column.kind} in fit.")
        codes[:, at] = recode(table.codes[:, coded_at[column.name]], own.categories, column)
    names = [wanted.columns[j].name for j in wanted.numeric]
    if coded := [name for name in names if name not in numeric_at]:
        raise ValueError(f"columns {coded} must be numeric, as they were in fit.")
    order = [numeric_at[name] for name in names]
    unchanged = order == list(range(table.numeric.shape[1]))
    return Table(wanted, table.numeric if unchanged else table.numeric[:, order], codes)
