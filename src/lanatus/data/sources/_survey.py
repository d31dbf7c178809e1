"""Looking at files before they are streamed: which, of what kind, with how many rows and which columns."""

import glob
import itertools
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from lanatus.data.readers._csv import convert_options, explain, hidden_type, parse_options, read_options
from lanatus.data.readers._dialect import Dialect, Record, column_names, not_too_wide, records, refuse_duplicates, sniff
from lanatus.data.readers._errors import FileError, FormatError
from lanatus.data.readers._read import KINDS, damaged, kind_of, without_index
from lanatus.data.readers._text import head_of, lines_of, size_of
from lanatus.data.sources._parts import Part


def find_files(path: Any) -> list[str]:
    """The files that a path, a pattern, a folder or a list of these stands for, in a fixed order."""
    if not isinstance(path, str | os.PathLike):
        return [file for item in path for file in find_files(item)]
    text = os.path.abspath(os.fspath(path))
    if os.path.isdir(text):
        found = sorted(os.path.join(folder, name) for folder, name in _walk(text))
        wanted = "Parquet, Arrow or CSV files in the folder"
    elif glob.has_magic(text) and not os.path.exists(text):
        found = sorted(file for file in glob.glob(text, recursive=True) if os.path.isfile(file))
        wanted = "files that match"
    else:
        return [text]
    if not found:
        raise FileError(os.fspath(path), got="no file", expected=wanted, do="check the path")
    return found


def _walk(folder: str) -> Iterator[tuple[str, str]]:
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in names:
            ending = os.path.splitext(name.lower().removesuffix(".gz").removesuffix(".bz2"))[1]
            if not name.startswith((".", "_")) and KINDS.get(ending) in ("csv", "parquet", "arrow"):
                yield root, name


def survey(
    file: str, like: Dialect | None, sample_rows: int, given: dict[str, Any], max_columns: int
) -> tuple[Part, pa.Schema]:
    """Look at a file: what it is, how many rows where it says so, and its columns with their types.

    Parameters
    ----------
    file : str
        The path.
    like : Dialect or None
        How the first CSV file of the source is written, if there was one.
    sample_rows : int
        Rows of a CSV file to infer types from.
    given : dict
        Options of :func:`sniff` for the first CSV file.
    max_columns : int
        Most columns of a CSV file.
    """
    kind = kind_of(file)
    size = size_of(file)
    if kind == "parquet":
        return _survey_parquet(file, size)
    if kind == "arrow":
        return _survey_arrow(file, size)
    if kind == "csv":
        return _survey_csv(file, size, like, sample_rows, given, max_columns)
    raise FormatError(
        file,
        got=f"a file in {kind} format",
        expected="Parquet, Arrow or CSV",
        do="convert it: write(read(...), ...)",
    )


def _survey_parquet(file: str, size: int) -> tuple[Part, pa.Schema]:
    try:
        with pyarrow.parquet.ParquetFile(file) as reader:
            meta, schema = reader.metadata, reader.schema_arrow
            groups = tuple((i, meta.row_group(i).num_rows) for i in range(meta.num_row_groups))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise damaged(file, error, "Parquet") from error
    return _columnar(file, "parquet", size, schema, groups)


def _survey_arrow(file: str, size: int) -> tuple[Part, pa.Schema]:
    if head_of(file, 6) != b"ARROW1":
        raise FormatError(
            file,
            got="an Arrow stream",
            expected="an Arrow file, which can be read in parts",
            do="write(read(...), ...)",
        )
    try:
        with pa.OSFile(file) as raw:
            reader = pa.ipc.open_file(raw)
            schema, n = reader.schema, reader.num_record_batches
            slim = pa.ipc.open_file(raw, options=pa.ipc.IpcReadOptions(included_fields=[_slimmest(schema)]))
            groups = tuple((i, slim.get_batch(i).num_rows) for i in range(n))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise damaged(file, error, "Arrow") from error
    return _columnar(file, "arrow", size, schema, groups)


def _slimmest(schema: pa.Schema) -> int:
    def width(i: int) -> int:
        try:
            return int(schema.field(i).type.bit_width)
        except ValueError:
            return 1 << 20

    return min(range(len(schema)), key=width)


def _columnar(
    file: str, kind: str, size: int, schema: pa.Schema, groups: tuple[tuple[int, int], ...]
) -> tuple[Part, pa.Schema]:
    refuse_duplicates(file, schema.names)
    names = without_index(schema)
    part = Part(file, kind, size, tuple(names), sum(n for _, n in groups), groups)
    return part, pa.schema([pa.field(name, schema.field(name).type) for name in names])


def _survey_csv(
    file: str, size: int, like: Dialect | None, sample_rows: int, given: dict[str, Any], max_columns: int
) -> tuple[Part, pa.Schema]:
    if like is not None:
        given = {**given, "delimiter": like.delimiter, "header": like.header, "decimal": like.decimal}
    dialect = sniff(file, **given)
    lines: list[str] = []

    def kept() -> Iterator[tuple[int, str]]:
        for number, line in not_too_wide(file, lines_of(file, dialect.encoding), dialect, max_columns):
            lines.append(line)
            yield number, line

    rows = list(itertools.islice(records(kept(), dialect), sample_rows + 2))
    cut = rows[-1].line - 1 if len(rows) == sample_rows + 2 else None
    names = column_names(file, rows[0], dialect)
    text = dialect.tidy("".join(lines[:cut])).encode()
    sample = _sample(file, text, names, rows[0], dialect)
    if any(hidden_type(column, dialect) for column in sample.columns):
        dialect = replace(dialect, quoted_missing=True)
        sample = _sample(file, text, names, rows[0], dialect)
    none = sample.num_rows == 0
    part = Part(file, "csv", size, tuple(names), 0 if none else None, (), dialect, rows[0].line)
    return part, sample.schema


def _sample(file: str, text: bytes, names: list[str], first: Record, dialect: Dialect) -> pa.Table:
    try:
        return pyarrow.csv.read_csv(
            pa.BufferReader(text),
            read_options=read_options(names, first, dialect, max(len(text), 1 << 20), threads=False),
            parse_options=parse_options(dialect),
            convert_options=convert_options(dialect),
        )
    except pa.ArrowInvalid as error:
        raise explain(file, dialect, names, error) from error
