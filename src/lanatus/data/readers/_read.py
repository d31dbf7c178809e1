"""One door for files: ``read`` and ``write`` pick the format by name and by content."""

import gzip
import os
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from lanatus.data.readers._arff import read_arff, write_arff
from lanatus.data.readers._arff_writer import to_arrow
from lanatus.data.readers._csv import read_csv, refuse_unknown
from lanatus.data.readers._dialect import refuse_duplicates
from lanatus.data.readers._errors import DataError, FormatError, SchemaError, unreadable
from lanatus.data.readers._libsvm import load_svmlight_file
from lanatus.data.readers._text import EXPORT_CSV, Path, head_of, looks_like, size_of

KINDS = {
    ".csv": "csv", ".tsv": "csv", ".txt": "csv", ".data": "csv", ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".arff": "arff", ".svm": "libsvm",
    ".libsvm": "libsvm", ".svmlight": "libsvm",
}  # fmt: skip
_CONTENT = {"a Parquet file": "parquet", "an Arrow IPC file": "arrow", "an Arrow IPC stream": "arrow"}
_NAMES = {"parquet": "a Parquet file", "arrow": "an Arrow IPC file", "csv": "delimited text"}
_MOST_CELLS = 100_000_000  # of a sparse file that becomes a table
_MOST_COLUMNS = 100_000  # each is an array of its own


def kind_of(path: Path) -> str:
    """The format of a file: ``csv``, ``parquet``, ``arrow``, ``arff`` or ``libsvm``.

    The name decides and the first bytes must agree; a name that says nothing leaves it to the bytes.
    """
    size_of(path)  # refuses what is missing or a folder
    head = head_of(path)
    seen = looks_like(head)
    if seen is not None and "Excel" in seen:
        raise FormatError(path, got=seen, expected="CSV, Parquet, Arrow, ARFF or LIBSVM", do=EXPORT_CSV)
    stem, ending = os.path.splitext(os.fspath(path).lower())
    if ending in (".gz", ".bz2"):
        ending = os.path.splitext(stem)[1]
        seen = None if seen in ("a gzip file", "a bzip2 file") else seen
    named = KINDS.get(ending)
    if not head:
        raise FormatError(path, got="an empty file", expected="rows of data", do="check how it was made")
    found = _CONTENT.get(seen or "")
    if named in ("parquet", "arrow") and found != named:
        raise _not_its_name(path, seen or "text", _NAMES[named])
    if named is None:
        if found is None and seen not in (None, "a gzip file", "a bzip2 file"):
            raise FormatError(path, got=seen, expected="CSV, Parquet, Arrow, ARFF or LIBSVM", do="convert it first")
        if re.match(rb"(\s*(%[^\n]*)?\n)*\s*@relation\b", head, re.IGNORECASE):
            return "arff"
        return found or "csv"
    if found is not None and found != named:
        raise _not_its_name(path, seen or "", "text, as its name says")
    return named


def _not_its_name(path: Path, got: str, expected: str) -> FormatError:
    return FormatError(path, got=f"{got}, which is not what its name says", expected=expected, do="rename it")


def read(path: Path, *, columns: Sequence[str] | None = None, **options: Any) -> pa.Table:
    """Read a file of any format that we know into a table.

    ``.csv .tsv .txt .data`` are delimited text, ``.parquet .pq`` Parquet, ``.arrow .feather .ipc`` Arrow IPC,
    ``.arff`` ARFF, ``.svm .libsvm .svmlight`` LIBSVM (columns ``x1``, ``x2``, ... and ``target``); the text
    formats also with ``.gz`` or ``.bz2``. Any other name: by content. The index that pandas stores in
    Parquet and Arrow files is left out.

    Parameters
    ----------
    path : str or path-like
        The file.
    columns : sequence of str or None, default=None
        Columns to keep, in this order.
    **options
        For the reader of the format: see :func:`read_csv`, :func:`read_arff`, :func:`load_svmlight_file`.

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
    >>> from lanatus.data.readers._read import read, write
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "melons.parquet"
    >>> write({"sugar": [0.46, 0.376]}, path)
    >>> read(path).to_pydict()
    {'sugar': [0.46, 0.376]}
    """
    kind = kind_of(path)
    if kind == "csv":
        return read_csv(path, columns=columns, **options)
    readers: dict[str, Callable[..., Any]] = {
        "parquet": _read_parquet,
        "arrow": _read_arrow,
        "arff": read_arff,
        "libsvm": _read_libsvm,
    }
    if options and kind in ("parquet", "arrow"):
        raise TypeError(f"got {', '.join(options)}, expected no options but columns= for a {kind} file")
    table = readers[kind](path, **options)
    if columns is None:
        return table
    refuse_unknown(path, columns, table.column_names)
    return table.select(list(columns))


def damaged(path: Path, error: Exception, kind: str) -> DataError:
    """Say an error of pyarrow about a Parquet or Arrow file in our words."""
    if isinstance(error, OSError) and error.errno is not None:
        return unreadable(path, error)
    reason = str(error).split("\n")[0]
    return FormatError(
        path,
        got=f"truncated or damaged content ({reason})",
        expected=f"whole {kind} data",
        do="copy it again",
    )


def without_index(schema: pa.Schema) -> list[str]:
    """The column names but for the index that pandas stored."""
    return [name for name in schema.names if not re.fullmatch(r"__index_level_\d+__", name)]


def _read_parquet(path: Path) -> pa.Table:
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            refuse_duplicates(path, file.schema_arrow.names)
            return file.read(columns=without_index(file.schema_arrow))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise damaged(path, error, "Parquet") from error


def _read_arrow(path: Path) -> pa.Table:
    opener = pa.ipc.open_file if head_of(path, 6) == b"ARROW1" else pa.ipc.open_stream
    try:
        with pa.OSFile(os.fspath(path)) as file, opener(file) as reader:
            refuse_duplicates(path, reader.schema.names)
            table = reader.read_all().select(without_index(reader.schema))
            table.validate(full=True)  # the format has no checksums, and bad offsets would be followed
            return table
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise damaged(path, error, "Arrow") from error


def _read_libsvm(path: Path, **options: Any) -> pa.Table:
    X, y = load_svmlight_file(path, **options)
    if X.shape[1] > _MOST_COLUMNS or X.shape[0] * X.shape[1] > _MOST_CELLS:
        raise SchemaError(
            path,
            got=f"{X.shape[0]:,} x {X.shape[1]:,} sparse values",
            expected=f"at most {_MOST_COLUMNS:,} columns and {_MOST_CELLS:,} cells for a table",
            do="use lanatus.data.load_svmlight_file, which keeps them sparse",
        )
    dense = np.asfortranarray(X.toarray())
    columns = {f"x{j + 1}": dense[:, j] for j in range(dense.shape[1])}
    return pa.table({**columns, "target": y})


def write(table: Any, path: Path, **options: Any) -> None:
    """Write a data frame in the format of the file's name: CSV, Parquet, Arrow IPC or ARFF.

    Parameters
    ----------
    table : data frame or dict of columns
        pyarrow, pandas, polars or any other that narwhals knows.
    path : str or path-like
        Ending in ``.csv``, ``.tsv``, ``.csv.gz``, ``.parquet``, ``.pq``, ``.arrow``, ``.feather``,
        ``.ipc`` or ``.arff``.
    **options
        For ``write_arff``: ``relation`` and ``weights``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from lanatus.data.readers._read import write
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "melons.csv"
    >>> write({"root": ["curly", None], "sugar": [0.46, 0.376]}, path)
    >>> print(path.read_text())
    "root","sugar"
    "curly",0.46
    ,0.376
    <BLANKLINE>
    """
    table = pa.table(table) if isinstance(table, dict) else to_arrow(table)
    refuse_duplicates(path, table.column_names)
    stem, ending = os.path.splitext(os.fspath(path).lower())
    packed = ending == ".gz"
    kind = KINDS.get(os.path.splitext(stem)[1] if packed else ending)
    if kind == "arff" and not packed:
        write_arff(table, path, **options)
        return
    if options:
        raise TypeError(f"got {', '.join(options)}, expected no options for {os.path.basename(path)}")
    try:
        if kind == "parquet" and not packed:
            pyarrow.parquet.write_table(table, path)
        elif kind == "arrow" and not packed:
            with pa.OSFile(os.fspath(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table, max_chunksize=65_536)
        elif kind == "csv":
            _write_csv(table, path, "\t" if ".tsv" in os.fspath(path).lower() else ",", packed)
        else:
            raise FormatError(
                path, got=f"the ending {ending!r}", expected=".csv, .parquet, .arrow or .arff", do="rename it"
            )
    except OSError as error:
        raise unreadable(path, error) from error


def _write_csv(table: pa.Table, path: Path, delimiter: str, packed: bool) -> None:
    if table.num_columns == 1 and table.column(0).null_count:
        raise SchemaError(
            path,
            got="missing values in the only column",
            expected="none, for CSV would show them as blank lines, which are skipped",
            do="write .parquet, or add a column",
        )
    options = pyarrow.csv.WriteOptions(delimiter=delimiter)
    with gzip.open(path, "wb") if packed else open(path, "wb") as stream:
        try:
            pyarrow.csv.write_csv(table, stream, options)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
            raise SchemaError(
                path,
                got=f"a column that CSV cannot hold ({error})",
                expected="flat columns",
                do="write .parquet",
            ) from error
