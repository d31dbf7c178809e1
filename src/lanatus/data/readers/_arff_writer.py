"""Writing ARFF, and any data frame as a pyarrow table."""

import math
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from lanatus.data.readers._arff_syntax import quote
from lanatus.data.readers._dialect import refuse_duplicates
from lanatus.data.readers._errors import SchemaError, unreadable
from lanatus.data.readers._text import Path


def to_arrow(frame: Any) -> pa.Table:
    """Any data frame that narwhals knows as a pyarrow table."""
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    native = nw.from_native(frame, pass_through=False)
    return (native.collect() if isinstance(native, nw.LazyFrame) else native).to_arrow()


def write_arff(
    table: Any,
    path: Path,
    *,
    relation: str | None = None,
    weights: Sequence[float] | np.ndarray | None = None,
) -> None:
    """Write a data frame as dense ARFF in UTF-8.

    Dictionary (categorical) and boolean columns become nominal, numbers numeric, strings string, dates
    and times date; null and NaN become ``?``. :func:`read_arff` gives the same table back, with numbers
    as float64, booleans as nominal and dates as timestamps.

    Parameters
    ----------
    table : data frame
        pyarrow, pandas, polars or any other that narwhals knows.
    path : str or path-like
        Where to.
    relation : str or None, default=None
        Name of the relation; None takes the one in the schema's metadata, else "data".
    weights : array-like of shape (n_rows,) or None, default=None
        Instance weights.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow as pa
    >>> from lanatus.data.readers._arff import write_arff
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "melons.arff"
    >>> write_arff(pa.table({"color": ["dark green", None], "sugar": [0.46, 0.376]}), path, relation="melons")
    >>> print(path.read_text())
    @relation melons
    @attribute color string
    @attribute sugar numeric
    @data
    'dark green',0.46
    ?,0.376
    <BLANKLINE>
    """
    table = to_arrow(table)
    stored = (table.schema.metadata or {}).get(b"relation", b"data").decode()
    refuse_duplicates(path, table.column_names)
    heads, columns = [], []
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind, texts = _written(path, name, column)
        heads.append(f"@attribute {quote(name)} {kind}\n")
        columns.append(texts)
    if weights is not None:
        columns.append([f"{{{float(w)!r}}}" for w in weights])
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(f"@relation {quote(stored if relation is None else relation)}\n")
            file.writelines(heads)
            file.write("@data\n")
            file.writelines(",".join(row) + "\n" for row in zip(*columns, strict=True))
    except OSError as error:
        raise unreadable(path, error) from error


def _written(path: Path, name: str, column: pa.ChunkedArray) -> tuple[str, list[str]]:
    """The declared type of a column and its values as ARFF words."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.unify_dictionaries()
        known = column.chunk(0).dictionary.to_pylist() if column.num_chunks else []
        return _nominal_words([str(v) for v in known], [None if v is None else str(v) for v in column.to_pylist()])
    if pa.types.is_boolean(kind):
        words = [None if v is None else str(v).lower() for v in column.to_pylist()]
        return _nominal_words(["false", "true"], words)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
        numbers = column.to_pylist()
        return "numeric", ["?" if v is None or math.isnan(v) else _number(v) for v in numbers]
    if pa.types.is_date(kind):
        return "date yyyy-MM-dd", ["?" if v is None else v.isoformat() for v in column.to_pylist()]
    if pa.types.is_timestamp(kind):
        return _times(path, name, column)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view":
        return "string", ["?" if v is None else quote(v) for v in column.to_pylist()]
    raise SchemaError(
        path,
        got=f"column {name!r} of type {kind}",
        expected="numbers, strings, categories, booleans or dates",
        do="convert or drop it",
    )


def _number(value: Any) -> str:
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(value) if isinstance(value, float) else str(value)


def _nominal_words(categories: list[str], values: list[str | None]) -> tuple[str, list[str]]:
    return "{" + ",".join(map(quote, categories)) + "}", ["?" if v is None else quote(v) for v in values]


def _times(path: Path, name: str, column: pa.ChunkedArray) -> tuple[str, list[str]]:
    zone = column.type.tz
    try:
        column = column.cast(pa.timestamp("ms", zone and "UTC"))
    except pa.ArrowInvalid as error:
        raise SchemaError(
            path, got=f"times finer than a millisecond in {name!r}", expected="milliseconds", do="round them"
        ) from error
    pattern = "yyyy-MM-dd'T'HH:mm:ss.SSS" + ("Z" if zone else "")
    words = [v if v is None else v.replace(tzinfo=None).isoformat(timespec="milliseconds") for v in column.to_pylist()]
    return f'date "{pattern}"', ["?" if w is None else w + ("+0000" if zone else "") for w in words]
