"""One column of any frame as floats, or as int32 codes into its categories."""

import datetime
import decimal
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from lanatus.table._schema import Column

MISSING_CODE = -1  # in `codes`; missing numbers are NaN

# Python values that stand for numbers, though they are not: days since 1970-01-01, days, decimals.
MEASURES = (datetime.date, datetime.time, datetime.timedelta, decimal.Decimal)

_UNKNOWN = -2  # while encoding: neither a category nor yet known to be missing
_EPOCH = np.datetime64(0, "D")
_PER_DAY = {"D": 1, "s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}


class UnseenCategoryWarning(UserWarning):
    """A category that was not there in ``fit`` is treated as missing."""


def is_missing(value: Any) -> bool:
    """Whether one value of a column is a hole: None, NaN, NaT or NA."""
    return (
        value is None
        or (isinstance(value, float | np.floating) and bool(np.isnan(value)))
        or type(value).__name__ in ("NAType", "NaTType")
    )


# ---------------------------------------------------------------- learning


def learn_column(series: "nw.Series[Any]") -> Column:
    """Name, kind and categories that the type of a column suggests, or its values where that says too little.

    Numbers, decimals, dates, times and durations are numeric; booleans are ordinal, False < True; ordered
    categories (of pandas, or an ordered Arrow dictionary) are ordinal; strings and other categories are
    nominal, a polars ``Enum`` among them, whose order says how it is stored and nothing of what it means.
    """
    dtype = series.dtype
    name, label = series.name, str(dtype)
    if dtype.is_numeric() or dtype.is_temporal():
        return Column(name, "numeric", (), label)
    if dtype == nw.Boolean:
        return Column(name, "ordinal", (False, True), label)
    if dtype in (nw.Categorical, nw.Enum):
        return Column(name, "ordinal" if _is_ordered(series) else "nominal", _declared(series), label)
    if dtype in (nw.String, nw.Object):
        return _learn_values(name, label, [v for v in series.unique().to_list() if not is_missing(v)])
    if series.null_count() == len(series):  # of type "null": nothing is known of its values
        return Column(name, "numeric", (), label)
    raise TypeError(
        f"column {name!r} has type {label}; wanted numbers, booleans, strings, categories or dates. Convert or drop it."
    )


def _learn_values(name: str, label: str, values: list[Any]) -> Column:
    if not values:  # nothing but holes: numbers, as in a list of None
        return Column(name, "numeric", (), label)
    if all(isinstance(value, bool | np.bool_) for value in values):
        return Column(name, "ordinal", (False, True), label)
    if all(isinstance(value, int | float | np.number | decimal.Decimal) for value in values):
        return Column(name, "numeric", (), label)
    if all(isinstance(value, MEASURES) for value in values):
        return Column(name, "numeric", (), label)
    if odd := [value for value in values if not isinstance(value, str | int | float | bool | np.generic)]:
        raise TypeError(
            f"column {name!r}: argument must be a string or a number, got {type(odd[0]).__name__} ({odd[0]!r})."
        )
    return Column(name, "nominal", sorted(values, key=lambda value: (str(type(value)), value)), label)


def _declared(series: "nw.Series[Any]") -> list[Any]:
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "categories"):  # pandas: declared, in their order
        return list(native.cat.categories)
    values = list(dict.fromkeys(v for v in series.cat.get_categories().to_list() if v is not None))
    # The categories of a polars Categorical come in an order that depends on what else the process has seen.
    return sorted(values) if series.implementation.is_polars() and series.dtype != nw.Enum else values


def _is_ordered(series: "nw.Series[Any]") -> bool:
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "ordered"):
        return bool(native.cat.ordered)
    if hasattr(native, "type") and hasattr(native.type, "ordered"):
        return bool(native.type.ordered)
    return False


# ---------------------------------------------------------------- numbers


def float_column(series: "nw.Series[Any]") -> np.ndarray:
    """A column as float64, or float32 where it is that; NaN is missing."""
    dtype = series.dtype
    if series.null_count() == len(series):
        return np.full(len(series), np.nan)
    if dtype.is_temporal():
        return _days_of_arrow(series.to_arrow())
    if dtype in (nw.String, nw.Object, nw.Categorical, nw.Enum):
        return _numbers_from(series)
    if dtype.is_float() or (dtype.is_integer() and series.null_count() == 0):
        return np.asarray(series.to_numpy(), dtype=np.float32 if dtype == nw.Float32 else np.float64)
    return _floats_of_arrow(series.to_arrow())


def _floats_of_arrow(array: Any) -> np.ndarray:
    """Booleans, decimals, integers with holes."""
    import pyarrow as pa

    return np.asarray(array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def _days_of_arrow(array: Any) -> np.ndarray:
    """Dates and times as days since 1970-01-01 (UTC), durations and times of day as days."""
    import pyarrow as pa

    kind = array.type
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        ticks = array.cast(pa.int32()).cast(pa.int64())
    else:
        ticks = array.cast(pa.int64())
    unit = "D" if pa.types.is_date32(kind) else "ms" if pa.types.is_date64(kind) else kind.unit
    per_day = _PER_DAY[unit]
    whole, rest = np.divmod(np.asarray(ticks.fill_null(0)), per_day)
    days = whole + rest / per_day  # in two parts: nanoseconds since 1970 have more digits than a float
    if array.null_count:
        days[np.asarray(array.is_null())] = np.nan
    return np.asarray(days, dtype=np.float64)


def days(array: np.ndarray) -> np.ndarray:
    """A NumPy array of datetime64 or timedelta64 as days."""
    spans = array - _EPOCH if array.dtype.kind == "M" else array
    return np.asarray(spans / np.timedelta64(1, "D"), dtype=np.float64)


def _numbers_from(series: "nw.Series[Any]") -> np.ndarray:
    values = [None if is_missing(value) else value for value in series.to_list()]
    first = next((value for value in values if value is not None), None)
    if isinstance(first, MEASURES) and not isinstance(first, decimal.Decimal):
        import pyarrow as pa

        return _days_of_arrow(pa.array(values))
    try:
        return np.array([np.nan if value is None else float(value) for value in values], np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"column {series.name!r} must hold numbers, as it did in fit: {error}.") from None


# ---------------------------------------------------------------- codes


def encode(series: "nw.Series[Any]", column: Column) -> np.ndarray:
    """Codes of a column's values in its categories; unseen ones are missing, with a warning."""
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "codes"):  # pandas
        return recode(np.asarray(native.cat.codes), list(native.cat.categories), column)
    if series.dtype == nw.Object:
        position = {value: code for code, value in enumerate(column.categories)}
        return encode_values(series.to_list(), position, column.name)
    if series.null_count() == len(series):
        return np.full(len(series), MISSING_CODE, np.int32)
    array = series.to_arrow()
    if hasattr(array, "combine_chunks"):  # frames put together of others come in pieces
        array = array.combine_chunks()
    if not hasattr(array, "dictionary"):
        array = array.dictionary_encode()
    indices = array.indices.cast("int64").fill_null(-1)  # they may be unsigned
    return recode(np.asarray(indices), array.dictionary.to_pylist(), column)


def recode(codes: np.ndarray, values: Sequence[Any], column: Column) -> np.ndarray:
    """Codes into some values (negative is missing) as codes into the categories of a column."""
    position = {value: code for code, value in enumerate(column.categories)}
    lookup = np.full(len(values) + 1, MISSING_CODE, np.int32)  # its last place answers for the negative codes
    lookup[:-1] = [position.get(value, MISSING_CODE if is_missing(value) else _UNKNOWN) for value in values]
    at = np.where(codes < 0, len(values), codes)
    found = lookup[at]
    unseen = found == _UNKNOWN
    if n_unseen := int(np.count_nonzero(unseen)):
        _warn_unseen(column.name, n_unseen, [values[int(code)] for code in np.unique(at[unseen])])
        found[unseen] = MISSING_CODE
    return found


def encode_values(values: Sequence[Any], position: Mapping[Any, int], name: str) -> np.ndarray:
    """Position of each value, -1 where it is missing or (one warning for all) unseen."""
    codes = np.array([position.get(value, _UNKNOWN) for value in values], np.int32)
    unknown = np.flatnonzero(codes == _UNKNOWN).tolist()
    codes[unknown] = MISSING_CODE
    if unseen := [values[i] for i in unknown if not is_missing(values[i])]:
        _warn_unseen(name, len(unseen), list(dict.fromkeys(unseen)))
    return codes


def _warn_unseen(name: str, count: int, values: list[Any]) -> None:
    shown = ", ".join(repr(value) for value in values[:5])
    warnings.warn(
        f"column {name!r} has {count} value(s) not seen in fit ({shown}); they are treated as missing.",
        UnseenCategoryWarning,
        stacklevel=3,
    )
