"""ARFF, the attribute-relation file format of Weka and OpenML."""

import warnings
from collections.abc import Iterator
from typing import Any, Literal, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from lanatus.data.readers._arff_syntax import (
    ArffAttribute,
    Malformed,
    milliseconds,
    parse_attribute,
    split_dense,
    split_sparse,
    split_weight,
    unquote,
)
from lanatus.data.readers._arff_writer import write_arff
from lanatus.data.readers._dialect import refuse_duplicates
from lanatus.data.readers._errors import FormatError, quoted
from lanatus.data.readers._text import Path, find_encoding, lines_of, read_bytes

__all__ = ["read_arff", "write_arff"]

Lines = Iterator[tuple[int, str]]


@overload
def read_arff(
    path: Path, *, encoding: str | None = None, return_weights: Literal[False] = False, max_bytes: int | None = None
) -> pa.Table: ...
@overload
def read_arff(
    path: Path, *, encoding: str | None = None, return_weights: Literal[True], max_bytes: int | None = None
) -> tuple[pa.Table, np.ndarray | None]: ...
def read_arff(
    path: Path, *, encoding: str | None = None, return_weights: bool = False, max_bytes: int | None = None
) -> pa.Table | tuple[pa.Table, np.ndarray | None]:
    """Read an ARFF file, dense or sparse.

    Nominal attributes become dictionary columns whose dictionary is the declared values in the declared
    order; numeric, real and integer become float64, string becomes string, date a timestamp in
    milliseconds. What a sparse row leaves out is 0, the first declared value, ``""`` or 1970.
    The name of the relation is in the metadata of the schema, under ``relation``.

    Parameters
    ----------
    path : str or path-like
        The file; gzip and bzip2 are unpacked.
    encoding : str or None, default=None
        None tells UTF-8, UTF-16 (with its mark) and GB18030 apart.
    return_weights : bool, default=False
        Also return the instance weights ``{w}``, 1 where a row has none, or None if no row has one.
        Weights that are there and not asked for give a warning.
    max_bytes : int or None, default=None
        How much a compressed file may unpack to; None is 256 MiB, or 50 times its size if that is more.

    Returns
    -------
    pyarrow.Table, or (pyarrow.Table, ndarray of shape (n_rows,) or None)

    Raises
    ------
    DataError
        Naming the file and, where there is one, the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from lanatus.data.readers._arff import read_arff
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "melons.arff"
    >>> head = "@relation m\\n@attribute root {stiff, curly}\\n@attribute sugar real\\n"
    >>> _ = path.write_text(head + "@data\\ncurly, ?\\n")
    >>> table = read_arff(path)
    >>> table.to_pylist(), table["root"].chunk(0).dictionary.to_pylist()
    ([{'root': 'curly', 'sugar': None}], ['stiff', 'curly'])
    """
    data = read_bytes(path, max_bytes=max_bytes)
    encoding = encoding or find_encoding(path, data, whole=True)
    lines = lines_of(path, encoding)
    relation, attributes, line = _header(path, lines)
    columns = _fast(data, line, attributes, encoding)
    weights = None
    if columns is None:
        columns, weights = _slow(path, lines, attributes)
    lines.close()  # type: ignore[attr-defined]
    if len(columns[0]) == 0:
        raise FormatError(path, line=line, got="no rows after @data", expected="rows", do="check how it was made")
    schema = pa.schema([(a.name, c.type) for a, c in zip(attributes, columns, strict=True)], {"relation": relation})
    table = pa.Table.from_arrays(columns, schema=schema)
    if return_weights:
        return table, weights
    if weights is not None:
        warnings.warn(f"{path} has instance weights: pass return_weights=True to get them", UserWarning, stacklevel=2)
    return table


def _header(path: Path, lines: Lines) -> tuple[str, list[ArffAttribute], int]:
    relation, attributes, number = "", [], 0
    for number, raw in lines:
        line = raw.strip()
        word = line.split(None, 1)[0].lower() if line else ""
        try:
            if word == "@relation":
                relation = unquote(line[9:].strip())
            elif word == "@attribute":
                attributes.append(parse_attribute(line))
            elif word == "@data":
                if not attributes:
                    raise Malformed("no @attribute before @data", "at least one", "declare the columns")
                refuse_duplicates(path, [a.name for a in attributes], line=number)
                return relation, attributes, number
            elif word and not word.startswith("%"):
                raise Malformed(quoted(line), "@relation, @attribute or @data", "is this an ARFF file?")
        except Malformed as wrong:
            raise FormatError(path, line=number, got=wrong.got, expected=wrong.expected, do=wrong.do) from None
    raise FormatError(path, line=number, got="the end of the file", expected="@data", do="check that the file is whole")


def _fast(data: bytes, line: int, attributes: list[ArffAttribute], encoding: str) -> list[pa.Array] | None:
    """All rows by pyarrow where they are plain; None sends them to the careful reader, who names lines."""
    if encoding not in ("utf-8", "utf-8-sig") or any(a.kind == "date" for a in attributes):
        return None
    body = data.replace(b"\r\n", b"\n").split(b"\n", line)[-1]
    if b"\r" in data.replace(b"\r\n", b"") or any(sign in body for sign in b"'\"{}%\\\t"):
        return None
    names = [str(i) for i in range(len(attributes))]
    types = [pa.float64() if a.kind == "numeric" else pa.string() for a in attributes]
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(body),
            read_options=pyarrow.csv.ReadOptions(column_names=names),
            parse_options=pyarrow.csv.ParseOptions(quote_char=False),
            convert_options=pyarrow.csv.ConvertOptions(
                null_values=["?"], strings_can_be_null=True, column_types=dict(zip(names, types, strict=True))
            ),
        ).combine_chunks()
    except pa.ArrowInvalid:
        return None
    columns = []
    for attribute, column in zip(attributes, table.columns, strict=True):
        array = column.chunk(0) if column.num_chunks else pa.array([], column.type)
        if attribute.kind != "numeric":
            array = pc.utf8_trim_whitespace(array)
            if pc.any(pc.is_in(array, value_set=pa.array(["", "?"]))).as_py():
                return None
        if attribute.kind == "nominal":
            codes = pc.index_in(array, value_set=pa.array(attribute.categories, pa.string()))
            if codes.null_count > array.null_count:
                return None
            array = _nominal(codes, attribute)
        columns.append(array)
    return columns


def _nominal(codes: pa.Array, attribute: ArffAttribute) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(codes.cast(pa.int32()), pa.array(attribute.categories, pa.string()))


def _slow(path: Path, lines: Lines, attributes: list[ArffAttribute]) -> tuple[list[pa.Array], np.ndarray | None]:
    n = len(attributes)
    codes = [{value: i for i, value in enumerate(a.categories)} for a in attributes]
    columns: list[list[Any]] = [[] for _ in attributes]
    weights: list[float | None] = []
    zeros: list[Any] = ["" if a.kind == "string" else 0 for a in attributes]
    for number, raw in lines:
        line = raw.strip()
        if not line or line.startswith("%"):
            continue
        try:
            line, weight = split_weight(line)
            weights.append(weight)
            if line.startswith("{"):
                sparse = split_sparse(line, n)
                for i, column in enumerate(columns):
                    column.append(_value(sparse[i], attributes[i], codes[i]) if i in sparse else zeros[i])
                continue
            values = split_dense(line, n)
            if len(values) != n:
                raise Malformed(f"{len(values)} values", f"{n}, one for each attribute", "complete the row")
            for i, value in enumerate(values):
                columns[i].append(_value(value, attributes[i], codes[i]))
        except Malformed as wrong:
            raise FormatError(path, line=number, got=wrong.got, expected=wrong.expected, do=wrong.do) from None
    arrays = [_array(values, a) for values, a in zip(columns, attributes, strict=True)]
    if all(weight is None for weight in weights):
        return arrays, None
    return arrays, np.array([1.0 if weight is None else weight for weight in weights])


def _value(text: str | None, attribute: ArffAttribute, codes: dict[str, int]) -> Any:
    if text is None or attribute.kind == "string":
        return text
    where = f"{quoted(text)} in {attribute.name!r}"
    if attribute.kind == "nominal":
        if text not in codes:
            declared = ", ".join(attribute.categories[:10]) + (", ..." if len(codes) > 10 else "")
            raise Malformed(where, f"one of the declared {declared}", "declare it or correct the row")
        return codes[text]
    try:
        if attribute.kind == "date":
            return milliseconds(text, attribute.date_format)
        if "_" in text:
            raise ValueError
        return float(text)
    except ValueError:
        wanted = f"a date like {attribute.date_format}" if attribute.kind == "date" else "a number"
        raise Malformed(where, wanted, "correct it, or write ? for a missing value") from None


def _array(values: list[Any], attribute: ArffAttribute) -> pa.Array:
    if attribute.kind == "nominal":
        return _nominal(pa.array(values, pa.int32()), attribute)
    if attribute.kind == "date":
        return pa.array(values, pa.timestamp("ms", "UTC" if "%z" in attribute.date_format else None))
    return pa.array(values, pa.float64() if attribute.kind == "numeric" else pa.string())
