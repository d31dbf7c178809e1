"""Delimited text of any dialect to a table, by ``pyarrow.csv``; and where in the file it went wrong."""

import difflib
import io
import re
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from lanatus.data.readers._dialect import (
    MISSING,
    MOST_COLUMNS,
    Dialect,
    Record,
    TidyStream,
    column_names,
    first_record,
    records,
    sniff,
)
from lanatus.data.readers._errors import DataError, FormatError, SchemaError, quoted
from lanatus.data.readers._text import Path, lines_of, read_bytes

_CONVERSION = re.compile(r"In CSV column #(\d+):.*conversion error to ([^:]+): invalid value '(.*)'\Z", re.DOTALL)
_GROUPED = r"^[+-]?([1-9]\d{0,2}(\.\d{3})+|\d+)(,\d*)?$"
_SMALL = 1 << 20  # bytes that one thread parses in no time
_GUESSES = (pa.int64(), pa.float64(), pa.bool_(), pa.date32(), pa.timestamp("s"), pa.timestamp("ns"))


def read_csv(
    path: Path,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    missing: Sequence[str] = MISSING,
    columns: Sequence[str] | None = None,
    max_bytes: int | None = None,
    max_columns: int = MOST_COLUMNS,
) -> pa.Table:
    """Read a delimited text file; what is not given is found out from the file.

    Columns become int64, float64, bool, date32, timestamp or string, the first that holds all values; a
    column with no value at all becomes float64. Blank lines are skipped. gzip and bzip2 are unpacked.

    Parameters
    ----------
    path : str or path-like
        The file.
    delimiter : str or None, default=None
        One character, or ``" "`` for runs of spaces and tabs; None tries tab ``;`` ``|`` ``,`` and blanks.
    header : bool or None, default=None
        Whether the first row names the columns; None looks whether text stands above numbers, or, where all
        is text, whether the first row is of distinct values none of which comes again below. Without a
        header the names are ``column_1``, ``column_2``, ...; a blank name in a header becomes one of these.
    encoding : str or None, default=None
        Any codec of Python; None tells UTF-8, UTF-16 (with its mark) and GB18030 apart.
    decimal : {".", ","} or None, default=None
        Decimal sign; None takes the comma where it is not the delimiter and numbers have only it.
    missing : sequence of str
        What stands for a missing value. In quotes it is text, unless a column that is otherwise of
        numbers or dates has it there: then the file quotes everything, and it is missing everywhere.
    columns : sequence of str or None, default=None
        Columns to keep, in this order.
    max_bytes : int or None, default=None
        How much a compressed file may unpack to; None is 256 MiB, or 50 times its size if that is more.
    max_columns : int, default=200_000
        Most columns; a line with more fields, such as a file without line ends, is an error.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    DataError
        Naming the file and, where there is one, the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from lanatus.data.readers._csv import read_csv
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "melons.csv"
    >>> _ = path.write_text("色泽;密度;好瓜\\n青绿;0,697;true\\n乌黑;?;false\\n", encoding="gb18030")
    >>> read_csv(path).to_pylist()
    [{'色泽': '青绿', '密度': 0.697, '好瓜': True}, {'色泽': '乌黑', '密度': None, '好瓜': False}]
    """
    data = read_bytes(path, max_bytes=max_bytes)
    dialect = sniff(
        path,
        data=data,
        delimiter=delimiter,
        header=header,
        encoding=encoding,
        decimal=decimal,
        missing=missing,
    )
    text = io.TextIOWrapper(io.BytesIO(data), dialect.encoding, newline="")
    try:
        first = first_record(path, enumerate(text, 1), dialect, max_columns)
        if not dialect.plain:
            data = TidyStream(io.BytesIO(data), dialect).readall() or b""
    except UnicodeError as error:
        for _ in lines_of(path, dialect.encoding):
            pass  # raises at the line
        raise FormatError(
            path, got=f"text that is not {dialect.encoding}", expected=dialect.encoding, do="pass encoding="
        ) from error
    names = column_names(path, first, dialect)
    refuse_unknown(path, columns, names)
    table = _parse(path, data, names, first, dialect, columns)
    if any(hidden_type(column, dialect) for column in table.columns):
        dialect = replace(dialect, quoted_missing=True)
        table = _parse(path, data, names, first, dialect, columns)
    if table.num_rows == 0:
        refuse_open_quote(path, dialect)
        raise FormatError(
            path,
            line=first.line,
            got="only a header",
            expected="rows below it",
            do="check how the file was made (or pass header=False if this row is data)",
        )
    if _may_end_in_quotes(data, table):
        refuse_open_quote(path, dialect)
    if dialect.decimal == ",":
        table = _without_groups(table)
    if any(map(pa.types.is_null, table.schema.types)):
        kinds = [(f.name, pa.float64() if pa.types.is_null(f.type) else f.type) for f in table.schema]
        table = table.cast(pa.schema(kinds))
    return table


def _without_groups(table: pa.Table) -> pa.Table:
    """Columns of numbers such as 1.234 and 1.234,5, in a file where the comma is the decimal sign, as numbers."""
    for at, column in enumerate(table.columns):
        if pa.types.is_string(column.type) and column.null_count < len(column):
            known = column.drop_null()
            if pc.all(pc.match_substring_regex(known, _GROUPED)).as_py():
                plain = pc.replace_substring(pc.replace_substring(column, ".", ""), ",", ".")
                table = table.set_column(at, table.field(at).name, plain.cast(pa.float64()))
    return table


def _parse(
    path: Path, data: bytes, names: list[str], first: Record, dialect: Dialect, columns: Sequence[str] | None
) -> pa.Table:
    block = max(1 << 20, 16 * sum(map(len, first.fields)))  # of wide rows some at a time, as each block has its columns
    while True:
        try:
            return pyarrow.csv.read_csv(
                pa.BufferReader(data),
                read_options=read_options(names, first, dialect, block, threads=len(data) > _SMALL),
                parse_options=parse_options(dialect, newlines=b'"' in data),
                convert_options=convert_options(dialect, columns),
            )
        except pa.ArrowInvalid as error:
            if "straddling" in str(error) and block < len(data):
                block *= 8
                continue
            raise explain(path, dialect, names, error) from error


def read_options(
    names: list[str], first: Record, dialect: Dialect, block: int, *, threads: bool = True
) -> pyarrow.csv.ReadOptions:
    """Columns named by us; blank lines above the first record and the header itself are skipped.

    Without threads where there is little to read: one that lets go of its bytes while Python ends aborts the process.
    """
    return pyarrow.csv.ReadOptions(
        use_threads=threads,
        column_names=names,
        skip_rows=first.line - 1,
        skip_rows_after_names=int(dialect.header),
        block_size=block,
    )


def parse_options(dialect: Dialect, *, newlines: bool = True) -> pyarrow.csv.ParseOptions:
    """The dialect in pyarrow's words."""
    return pyarrow.csv.ParseOptions(delimiter=dialect.separator, newlines_in_values=newlines)


def convert_options(
    dialect: Dialect, columns: Sequence[str] | None = None, types: pa.Schema | None = None
) -> pyarrow.csv.ConvertOptions:
    """Missing values, decimal sign, and the types where they are known."""
    return pyarrow.csv.ConvertOptions(
        null_values=list(dialect.missing),
        strings_can_be_null=True,
        quoted_strings_can_be_null=dialect.quoted_missing,
        decimal_point=dialect.decimal,
        include_columns=None if columns is None else list(columns),
        column_types=types,
    )


def hidden_type(column: pa.ChunkedArray, dialect: Dialect) -> pa.DataType | None:
    """The type that a string column has but for markers of missing values in quotes, or None."""
    if not pa.types.is_string(column.type):
        return None
    marked = pc.is_in(column, value_set=pa.array(dialect.missing, pa.string()))
    rest = column.filter(pc.invert(marked)).drop_null()
    if not pc.any(marked).as_py() or len(rest) == 0:
        return None
    if dialect.decimal == ",":
        rest = pc.replace_substring(rest, ",", ".")
    for guess in _GUESSES:
        try:
            rest.cast(guess)
        except pa.ArrowInvalid:
            continue
        return guess
    return None


def refuse_unknown(path: Path, columns: Sequence[str] | None, names: Sequence[str]) -> None:
    """Raise if a wanted column is not in the file."""
    there = set(names)
    for name in columns or ():
        if name not in there:
            close = difflib.get_close_matches(name, names, n=1)
            shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
            raise SchemaError(
                path,
                got=f"no column {name!r}",
                expected=f"one of {shown}",
                do=f"did you mean {close[0]!r}?" if close else "check the name",
            )


def explain(path: Path, dialect: Dialect, names: Sequence[str], error: Exception) -> DataError:
    """Look at the file again, record by record, for the line that pyarrow stumbled over."""
    width = len(names)
    bad = _CONVERSION.search(str(error))
    for row in records(lines_of(path, dialect.encoding), dialect):
        if row.opened is not None:
            return _open_quote(path, row)
        if len(row.fields) != width:
            hint = " (a quote may be missing)" if any("\n" in field for field in row.fields) else ""
            return FormatError(
                path,
                line=row.line,
                got=f"{len(row.fields)} field{'s' * (len(row.fields) != 1)}{hint}",
                expected=f"{width} as in the first row",
                do="put fields that contain the delimiter in quotes, or pass delimiter=",
            )
        if bad and row.fields[int(bad[1])].strip() == bad[3].strip():
            return FormatError(
                path,
                line=row.line,
                got=f"{quoted(bad[3])} in column {names[int(bad[1])]!r}",
                expected=f"a value of type {bad[2]}",
                do="correct it, list it in missing=, or give the column another type",
            )
    return FormatError(path, got=f"a parse error ({error})", expected="delimited text", do="check the file")


def refuse_open_quote(path: Path, dialect: Dialect) -> None:
    """Raise if the file ends inside a quoted field."""
    for row in records(lines_of(path, dialect.encoding), dialect):
        if row.opened is not None:
            raise _open_quote(path, row)


def _open_quote(path: Path, row: Record) -> FormatError:
    return FormatError(
        path,
        line=row.opened,
        got="a quoted field that is never closed",
        expected='a closing "',
        do="close the quote; perhaps the file was cut off",
    )


def _may_end_in_quotes(data: bytes, table: pa.Table) -> bool:
    """Cheap signs that the last field may be an open quote, which pyarrow lets pass."""
    if b'"' not in data:
        return False
    last_line = data[-(1 << 16) :].rstrip(b"\r\n").rpartition(b"\n")[2]
    last = table.column(table.num_columns - 1)[-1].as_py()
    return bool(data.count(b'"') % 2 or last_line.count(b'"') % 2 or (isinstance(last, str) and "\n" in last))
