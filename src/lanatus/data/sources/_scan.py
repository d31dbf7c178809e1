"""``scan``: files on disk as one source, with one schema."""

from collections.abc import Iterable, Mapping

import pyarrow as pa

from lanatus.data.readers._csv import refuse_unknown
from lanatus.data.readers._dialect import MISSING, MOST_COLUMNS
from lanatus.data.readers._errors import FormatError, SchemaError
from lanatus.data.readers._text import Path
from lanatus.data.sources._parts import Part
from lanatus.data.sources._source import Source, SourceBlock, is_text
from lanatus.data.sources._survey import find_files, survey

__all__ = ["Source", "SourceBlock", "scan"]

_BLOCK_BYTES = 1 << 25
_MOST_ROWS = 65_536
_LEAST_ROWS = 1_024


def scan(
    path: Path | Iterable[Path],
    *,
    target: str | None = None,
    weight: str | None = None,
    columns: Iterable[str] | None = None,
    block_rows: int | None = None,
    read_ahead: int = 2,
    sample_rows: int = 10_000,
    schema: pa.Schema | Mapping[str, pa.DataType] | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    missing: Iterable[str] = MISSING,
    max_columns: int = MOST_COLUMNS,
) -> Source:
    """Open Parquet, Arrow or CSV files of any size as one table to be streamed.

    All files are looked at, none is read: their columns must have the same names, in any order, and types
    that fit together (integers with floats, categories with strings). The types of CSV columns come from
    the first rows of each file; integer features are widened to float64, and a value further down that does
    not fit its column is an error that names the line. How CSV is written is found out from the first file.

    Parameters
    ----------
    path : str, path-like or iterable of them
        A file, a pattern like ``"part-*.parquet"``, a folder (with its subfolders, but for names that start
        with ``.`` or ``_``), or a list. Names are sorted; a list keeps its order.
    target, weight : str or None, default=None
        Columns with the target and the weights of the rows.
    columns : iterable of str or None, default=None
        The features, in this order; None takes all other columns, in the order of the first file.
    block_rows : int or None, default=None
        Most rows in a block; None means 65 536, or fewer so that a block has about 32 MB.
    read_ahead : int, default=2
        Blocks to read ahead in a thread; 0 reads in the caller's.
    sample_rows : int, default=10_000
        Rows of each CSV file to infer types from.
    schema : pyarrow.Schema, mapping of name to type, or None, default=None
        Types of all or some columns, instead of those found.
    delimiter, header, encoding, decimal, missing
        For CSV files, as in :func:`read_csv`.
    max_columns : int, default=200_000
        Most columns of a CSV file; a line with more fields, such as a file without line ends, is an error.

    Returns
    -------
    Source

    Raises
    ------
    DataError
        Naming the file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from lanatus.data.readers._read import write
    >>> from lanatus.data.sources._scan import scan
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> write({"root": ["curly", "stiff"], "sugar": [0.46, 0.376], "good": [1, 0]}, folder / "a.parquet")
    >>> write({"good": [1], "sugar": [0.264], "root": ["curly"]}, folder / "b.parquet")
    >>> source = scan(folder / "*.parquet", target="good")
    >>> len(source), source.feature_names, source.categories, source.classes
    (3, ['root', 'sugar'], {'root': ['curly', 'stiff']}, [0, 1])
    >>> [(block.start, len(block), block.y.to_pylist()) for block in source]
    [(0, 2, [1, 0]), (2, 1, [1])]
    """
    for name, value, least in (("block_rows", block_rows, 1), ("read_ahead", read_ahead, 0)):
        if value is not None and value < least:
            raise ValueError(f"got {name}={value}, expected {least} or more")
    given = {
        "delimiter": delimiter,
        "header": header,
        "encoding": encoding,
        "decimal": decimal,
        "missing": tuple(missing),
    }
    like = None
    looked = []
    for file in find_files(path):
        part, found = survey(file, like, sample_rows, given, max_columns)
        like = like or part.dialect
        looked.append((part, found))
    if all(part.n_rows == 0 for part, _ in looked):
        raise FormatError(looked[0][0].file, got="no rows", expected="rows of data", do="check how it was made")
    types = dict(schema) if isinstance(schema, Mapping) else {f.name: f.type for f in schema or ()}
    full = _unify(looked, types)
    first = looked[0][0].file
    roles = [name for name in (target, weight) if name is not None]
    features = None if columns is None else [name for name in columns if name not in roles]
    refuse_unknown(first, [*roles, *types, *(features or [])], full.names)
    if features is None:
        features = [name for name in full.names if name not in roles]
    fields = {field.name: field for field in full}
    chosen = pa.schema([_settled(fields[name], name, target, weight, types, looked) for name in [*features, *roles]])
    return Source(
        parts=tuple(part for part, _ in looked),
        schema=chosen,
        target=target,
        weight=weight,
        block_rows=block_rows or _rows_for(chosen),
        read_ahead=read_ahead,
    )


def _unify(looked: list[tuple[Part, pa.Schema]], types: dict[str, pa.DataType]) -> pa.Schema:
    """One schema for all files, in the order of the first; given types go before those found."""
    first, schema = looked[0]
    kinds = {f.name: types.get(f.name, _plain(f.type)) for f in schema}
    for part, found in looked[1:]:
        there = set(found.names)
        lacking = [repr(name) for name in kinds if name not in there]
        extra = [repr(name) for name in found.names if name not in kinds]
        if lacking or extra:
            differ = [f"no column {', '.join(lacking)}"] * bool(lacking) + [
                f"the extra column {', '.join(extra)}"
            ] * bool(extra)
            raise SchemaError(
                part.file,
                got=" and ".join(differ),
                expected=f"the columns of {first.file}",
                do="make the files alike, or scan them apart",
            )
        for f in found:
            if f.name not in types:
                kinds[f.name] = _merged(kinds[f.name], _plain(f.type), f.name, part.file, first.file)
    return pa.schema(list(kinds.items()))


def _plain(kind: pa.DataType) -> pa.DataType:
    return pa.string() if str(kind) == "string_view" else kind


def _merged(a: pa.DataType, b: pa.DataType, name: str, file: str, first: str) -> pa.DataType:
    if pa.types.is_dictionary(a) != pa.types.is_dictionary(b) and not pa.types.is_null(a) | pa.types.is_null(b):
        a, b = (kind.value_type if pa.types.is_dictionary(kind) else kind for kind in (a, b))
    try:
        both = [pa.schema([(name, kind)]) for kind in (a, b)]
        return pa.unify_schemas(both, promote_options="permissive").field(0).type
    except pa.ArrowException as error:
        raise SchemaError(
            file,
            got=f"column {name!r} of type {b}",
            expected=f"{a} as in {first}",
            do=f"pass schema={{{name!r}: ...}} with a type that holds both, or correct the file",
        ) from error


def _settled(
    found: pa.Field,
    name: str,
    target: str | None,
    weight: str | None,
    types: dict[str, pa.DataType],
    looked: list[tuple[Part, pa.Schema]],
) -> pa.Field:
    """The type of a column in the blocks; no values, weights and integers of CSV files give float64."""
    kind = found.type
    if name in types:
        return pa.field(name, kind)
    widen = pa.types.is_integer(kind) and name != target and any(part.kind == "csv" for part, _ in looked)
    if name == weight and is_text(kind):
        raise SchemaError(
            looked[0][0].file,
            got=f"the weight {name!r} of type {kind}",
            expected="numbers",
            do="name another column",
        )
    return pa.field(name, pa.float64() if widen or name == weight or pa.types.is_null(kind) else kind)


def _rows_for(schema: pa.Schema) -> int:
    """Rows of about 32 MB, a multiple of 1024 from 1024 to 65 536."""
    width = 0
    for kind in schema.types:
        try:
            width += max(1, kind.bit_width // 8)
        except ValueError:
            width += 32
    return max(_LEAST_ROWS, min(_MOST_ROWS, _BLOCK_BYTES // max(1, width) // 1024 * 1024))
