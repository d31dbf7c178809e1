"""Parts of a source: a run of rows in one file, and how to read it in bounded memory."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from lanatus.data.readers._csv import (
    convert_options,
    explain,
    parse_options,
    read_options,
    refuse_open_quote,
)
from lanatus.data.readers._dialect import (
    Dialect,
    Record,
    TidyStream,
)
from lanatus.data.readers._errors import DataError, FileError, FormatError, unreadable
from lanatus.data.readers._read import damaged
from lanatus.data.readers._text import broken_archive, head_of, lines_of, size_of, unpacked

_BUFFER = 1 << 18  # bytes read at a time from a Parquet column: a row group is never loaded whole
_CSV_BLOCK = 1 << 22  # bytes parsed at a time; a record must be shorter
Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True)
class Part:
    """A run of rows in one file, and all it takes to read them again, anywhere."""

    file: str
    kind: str  # "parquet", "arrow" or "csv"
    size: int  # bytes on disk when it was scanned
    names: tuple[str, ...]  # columns of the file, in its own order
    n_rows: int | None  # None in a CSV file that has not been counted
    groups: tuple[tuple[int, int], ...] = ()  # row group or record batch, and its rows
    dialect: Dialect | None = None
    first_line: int = 1

    def stretches(self, block_rows: int) -> list[tuple[tuple[int, int], ...]]:
        """Neighbouring groups joined while they fill no more than a block; no block crosses a stretch."""
        found: list[list[tuple[int, int]]] = []
        filled = 0
        for group in self.groups:
            if found and filled + group[1] <= block_rows:
                found[-1].append(group)
                filled += group[1]
            else:
                found.append([group])
                filled = group[1]
        return [tuple(stretch) for stretch in found]


def read_part(
    part: Part, schema: pa.Schema, block_rows: int, skip_rows: int = 0
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Yield (row in the part, batch) with at most `block_rows` rows each and the columns of `schema`.

    The cuts are the same whatever `skip_rows`; batches wholly before it may be left out unread.
    """
    if size_of(part.file) != part.size:
        raise _changed(part)
    at = 0
    for stretch in part.stretches(block_rows) if part.kind != "csv" else [None]:
        n_rows = part.n_rows if stretch is None else sum(n for _, n in stretch)
        if n_rows is not None and skip_rows >= at + n_rows:
            at += n_rows
            continue
        started = at
        if stretch is None:
            batches = _csv_batches(part, schema)
        else:
            reader = _parquet_batches if part.kind == "parquet" else _arrow_batches
            batches = reader(part, [i for i, _ in stretch], schema.names, block_rows)
        for batch in regroup(batches, block_rows):
            yield at, conform(part.file, batch, schema)
            at += batch.num_rows
        if n_rows is not None and at - started != n_rows:
            raise _changed(part)


def _changed(part: Part) -> FileError:
    return FileError(
        part.file, got="a file that has changed since scan()", expected="the same file", do="scan() it again"
    )


def regroup(batches: Batches, block_rows: int) -> Batches:
    """The same rows in batches of exactly `block_rows`, but for the last."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        while rows + batch.num_rows >= block_rows:
            take = block_rows - rows
            yield _joined([*waiting, batch.slice(0, take)])
            batch = batch.slice(take)
            waiting, rows = [], 0
        if batch.num_rows:
            waiting.append(batch)
            rows += batch.num_rows
    if rows:
        yield _joined(waiting)


def _joined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    if any(pa.types.is_dictionary(kind) for kind in batches[0].schema.types):
        return pa.Table.from_batches(batches).unify_dictionaries().combine_chunks().to_batches()[0]
    return pa.concat_batches(batches)


def conform(file: str, batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The batch with the columns of `schema`, in its order and types."""
    arrays = []
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    for field in schema:
        try:
            arrays.append(as_type(columns[field.name], field.type))
        except pa.ArrowException as error:
            raise FormatError(
                file,
                got=f"a value in column {field.name!r} that is not {field.type} ({error})",
                expected=f"{field.type}",
                do="pass schema= with a type that holds all values",
            ) from error
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def as_type(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Cast; to floating point also where it rounds."""
    if array.type == kind:
        return array
    if pa.types.is_dictionary(kind):
        plain = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
        return pc.dictionary_encode(plain.cast(kind.value_type)).cast(kind)
    return array.cast(kind, safe=not pa.types.is_floating(kind))


def _parquet_batches(part: Part, groups: list[int], columns: list[str], block_rows: int) -> Batches:
    try:
        with pyarrow.parquet.ParquetFile(part.file, buffer_size=_BUFFER, pre_buffer=False) as reader:
            yield from reader.iter_batches(batch_size=block_rows, row_groups=groups, columns=columns)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise damaged(part.file, error, "Parquet") from error


def _arrow_batches(part: Part, groups: list[int], columns: list[str], block_rows: int) -> Batches:
    try:
        with pa.OSFile(part.file) as raw:  # no memory map: a file cut short under it would end the process
            found = pa.ipc.open_file(raw).schema
            fields = sorted(found.get_field_index(name) for name in columns)
            reader = pa.ipc.open_file(raw, options=pa.ipc.IpcReadOptions(included_fields=fields))
            for i in groups:
                batch = reader.get_batch(i)
                batch.validate(full=True)  # the format has no checksums, and bad offsets would be followed
                yield batch
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise damaged(part.file, error, "Arrow") from error


def _csv_batches(part: Part, schema: pa.Schema) -> Batches:
    """Rows of a CSV file; its last column is always parsed, for a quote left open at the end shows there."""
    dialect = part.dialect
    assert dialect is not None
    last_name = part.names[-1]
    columns = list(dict.fromkeys([*schema.names, last_name]))
    kinds = dict(zip(schema.names, schema.types, strict=True))
    types = pa.schema([(name, kinds.get(name, pa.binary())) for name in columns])
    last: Any = None
    try:
        with ExitStack() as stack:
            reader = pyarrow.csv.open_csv(
                stack.enter_context(_csv_stream(part.file, dialect)),
                read_options=read_options(list(part.names), Record(part.first_line, []), dialect, _CSV_BLOCK),
                parse_options=parse_options(dialect),
                convert_options=convert_options(dialect, columns, types),
            )
            stack.enter_context(reader)
            for batch in reader:
                if batch.num_rows:
                    last = batch.column(columns.index(last_name))[-1].as_py()
                yield batch
    except UnicodeError:
        for _ in lines_of(part.file, dialect.encoding):
            pass  # raises at the line
        raise
    except pa.ArrowInvalid as error:
        raise explain(part.file, dialect, part.names, error) from error
    except OSError as error:
        raise _csv_failure(part.file, error) from error
    if size_of(part.file) != part.size:
        raise _changed(part)
    if "\n" in str(last) or "\\n" in str(last) or _odd_tail(part.file):
        refuse_open_quote(part.file, dialect)


def _odd_tail(file: str) -> bool:
    """Whether the last line has an odd number of quotes."""
    with open(file, "rb") as stream:
        stream.seek(max(0, os.fstat(stream.fileno()).st_size - _BUFFER))
        tail = stream.read()
    return tail.rstrip(b"\r\n").rpartition(b"\n")[2].count(b'"') % 2 == 1


def _csv_failure(file: str, error: OSError) -> DataError:
    return unreadable(file, error) if error.errno is not None else broken_archive(file, error)


def _csv_stream(file: str, dialect: Dialect) -> Any:
    """The text in UTF-8 with one separator between fields, by pyarrow alone where that will do."""
    head = head_of(file, 3)
    if dialect.plain:
        raw = pa.OSFile(file)
        if head.startswith(b"\x1f\x8b"):
            return pa.CompressedInputStream(raw, "gzip")
        return pa.CompressedInputStream(raw, "bz2") if head.startswith(b"BZh") else raw
    stream: IO[bytes] = open(file, "rb")  # noqa: SIM115
    return pa.PythonFile(TidyStream(unpacked(file, stream), dialect), mode="r")


def count_rows(part: Part) -> int:
    """Rows of a part; a CSV file is parsed for its last column alone."""
    if part.n_rows is not None:
        return part.n_rows
    return sum(batch.num_rows for batch in _csv_batches(part, pa.schema([pa.field(part.names[-1], pa.binary())])))
