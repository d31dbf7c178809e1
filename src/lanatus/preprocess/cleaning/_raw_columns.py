"""A column as it comes, of any frame and any storage type: as an Arrow array, and as trimmed words with codes."""

from functools import cached_property
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp

from lanatus.table import (
    MISSING_CODE,
    Table,
    as_frame,
    float_column,
    frame_of_dicts,
    is_list_of_dicts,
    is_missing,
    is_named,
)

Storage = Literal["nothing", "number", "boolean", "date", "word", "category"]

# What people write where they have no number or date. In a column of words most of these are values like others.
MARKERS = frozenset([
    "?", "-", "--", "---", ".", "/", "n/a", "na", "#n/a", "<na>", "nan", "-nan", "null", "none", "nil", "missing",
    "unknown", "unk", "undefined", "inf", "+inf", "-inf", "infinity", "-infinity", "#value!", "#div/0!", "#ref!",
    "#num!", "#name?", "#null!", "tbd", "无", "缺失", "未知", "空", "不详", "暂无", "未填", "缺",
])  # fmt: skip


class RawColumn:
    """One column before anything is decided about it.

    Parameters
    ----------
    name : str
        Its name.
    array : pyarrow.Array
        Its values.
    """

    def __init__(self, name: str, array: pa.Array) -> None:
        self.name = name
        self.array = array
        self.storage: Storage = _storage(name, array.type)

    def __len__(self) -> int:
        return len(self.array)

    @property
    def is_ordered(self) -> bool:
        """Whether it is declared to have an order."""
        return self.storage == "category" and bool(self.array.type.ordered)

    @cached_property
    def coded(self) -> tuple[np.ndarray, pa.Array]:
        """Position of each row's word (-1: missing) and the words: trimmed, distinct, none of them blank."""
        array = self.array
        if self.storage == "nothing":
            return np.full(len(array), MISSING_CODE), pa.array([], pa.large_string())
        if self.storage == "category":
            words = _as_words(array.dictionary)
            codes = np.asarray(array.indices.cast("int64").fill_null(MISSING_CODE))
        else:
            found = _as_words(array).dictionary_encode()
            words = found.dictionary
            codes = np.asarray(found.indices.cast("int64").fill_null(MISSING_CODE))
        return _tidied(codes, words)

    @cached_property
    def numbers(self) -> np.ndarray:
        """The values of a column that holds numbers, booleans or dates (as days since 1970) as float64."""
        if self.storage == "nothing":
            return np.full(len(self), np.nan)
        series = nw.from_native(pa.chunked_array([self.array]), series_only=True)
        return float_column(series).astype(np.float64, copy=False)


def raw_columns(X: Any) -> tuple[list[RawColumn], bool]:
    """The columns of a frame, array, list of dicts or Table, and whether their names came with them."""
    if sp.issparse(X):
        raise TypeError("Sparse data was passed for X, but a table to clean is dense. Use X.toarray().")
    if hasattr(X, "fragments"):
        raise TypeError("got a scanned source, wanted rows; read it first, or some of its blocks.")
    if isinstance(X, Table):
        return _of_table(X), X.schema.named
    if is_list_of_dicts(X):
        X = frame_of_dicts(X)
    frame = as_frame(X)
    if frame is None:
        return _of_array(X), False
    return [RawColumn(name, _arrow_of(frame[name])) for name in frame.columns], is_named(frame)


def _of_array(X: Any) -> list[RawColumn]:
    array = np.asarray(X, dtype=object if isinstance(X, list | tuple) else None)
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead of shape {array.shape} ({type(X).__name__}). "
            "Reshape your data: X.reshape(-1, 1) for one column, X.reshape(1, -1) for one row."
        )
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: got complex numbers, wanted real ones.")
    if array.dtype.kind in "US":
        array = array.astype(object)
    return [RawColumn(f"x{j}", _arrow_of_values(array[:, j], f"x{j}")) for j in range(array.shape[1])]


def _of_table(table: Table) -> list[RawColumn]:
    columns: dict[int, pa.Array] = {}
    for at, j in enumerate(table.schema.numeric):
        columns[j] = pa.array(np.asarray(table.numeric[:, at], np.float64))
    for at, j in enumerate(table.schema.coded):
        column = table.schema.columns[j]
        if column.categories == (False, True):
            codes = table.codes[:, at]
            columns[j] = pa.array(codes == 1, mask=codes == MISSING_CODE)
        else:
            columns[j] = categories_of(table.codes[:, at], column.categories, ordered=column.kind == "ordinal")
    return [RawColumn(name, columns[j]) for j, name in enumerate(table.schema.names)]


def categories_of(codes: np.ndarray, values: Any, *, ordered: bool = False) -> pa.Array:
    """Codes (-1: missing) into words as an Arrow column of categories."""
    words = pa.array([str(value) for value in values], pa.string())
    indices = pa.array(codes.astype(np.int32), mask=codes == MISSING_CODE)
    return pa.DictionaryArray.from_arrays(indices, words, ordered=ordered)


def _arrow_of(series: "nw.Series[Any]") -> pa.Array:
    if series.dtype == nw.Object:
        return _arrow_of_values(series.to_list(), series.name)
    try:
        array = series.to_arrow()
    except pa.ArrowException:  # categories that Arrow has no type for, such as intervals
        return _arrow_of_values([value if is_missing(value) else str(value) for value in series.to_list()], series.name)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    return array.storage if isinstance(array, pa.ExtensionArray) else array


def _arrow_of_values(values: Any, name: str) -> pa.Array:
    """Python values of any types in one column: the type that holds them all, else their words."""
    if isinstance(values, np.ndarray) and values.dtype != object:
        return pa.array(np.ascontiguousarray(values))
    listed = [None if is_missing(value) else value for value in values]
    if odd := [value for value in listed if isinstance(value, list | tuple | set | dict | np.ndarray)]:
        raise TypeError(
            f"column {name!r}: argument must be a string or a number, got {type(odd[0]).__name__} ({odd[0]!r:.60}). "
            "Convert or drop it."
        )
    kinds = {type(value) for value in listed if value is not None}
    if not any(issubclass(kind, str) for kind in kinds) and (len(kinds) == 1 or bool not in kinds):
        try:
            return pa.array(listed)
        except pa.ArrowException:
            pass
    return pa.array([None if value is None else str(value) for value in listed], pa.large_string())


def _storage(name: str, kind: pa.DataType) -> Storage:
    tests = pa.types
    if tests.is_null(kind):
        return "nothing"
    if tests.is_boolean(kind):
        return "boolean"
    if tests.is_dictionary(kind):
        return "category"
    if tests.is_date(kind) or tests.is_timestamp(kind):
        return "date"
    if any(test(kind) for test in (tests.is_integer, tests.is_floating, tests.is_decimal, tests.is_time)):
        return "number"
    if tests.is_duration(kind):
        return "number"
    if any(test(kind) for test in (tests.is_string, tests.is_large_string, tests.is_string_view)):
        return "word"
    raise TypeError(
        f"column {name!r} has type {kind}; wanted numbers, booleans, strings, categories or dates. Convert or drop it."
    )


def _as_words(array: pa.Array) -> pa.Array:
    """Any array as strings, written as a person would: 3 and not 3.0."""
    kind = array.type
    if pa.types.is_large_string(kind):
        return array
    if pa.types.is_floating(kind):
        values = np.asarray(array.cast("float64").to_numpy(zero_copy_only=False))
        return pa.array([None if np.isnan(v) else f"{v:.17g}" for v in values.tolist()], pa.large_string())
    try:
        return array.cast(pa.large_string())
    except pa.ArrowException:
        return pa.array([None if v is None else str(v) for v in array.to_pylist()], pa.large_string())


def _tidied(codes: np.ndarray, words: pa.Array) -> tuple[np.ndarray, pa.Array]:
    """The same with blanks around words gone, blank words missing, and each word once."""
    trimmed = pc.utf8_trim_whitespace(words)
    blank = pc.fill_null(pc.equal(trimmed, ""), True)
    if trimmed.equals(words) and not pc.any(blank).as_py() and len(words.unique()) == len(words):
        return codes, words
    kept = pc.if_else(blank, pa.scalar(None, pa.large_string()), trimmed).dictionary_encode()
    places = np.append(np.asarray(kept.indices.cast("int64").fill_null(MISSING_CODE)), MISSING_CODE)
    return places[codes], kept.dictionary  # code -1 takes the last place
