"""Sources: tables on disk of any size, streamed in blocks of rows."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lanatus.data.readers._errors import SchemaError
from lanatus.data.sources._parts import Part, count_rows, read_part
from lanatus.data.sources._read_ahead import ahead

_MOST_CATEGORIES = 1_000_000
_MOST_CLASSES = 65_536


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """A run of consecutive rows of a source.

    Attributes
    ----------
    X : pyarrow.RecordBatch
        The features, in the order of ``source.feature_names`` and with the types of ``source.schema``.
    y : pyarrow.Array or None
        The target, if the source has one.
    weight : pyarrow.Array or None
        The weights, float64, if the source has any.
    start : int
        Row number of the first row in the whole source, also in the blocks of a fragment.
    file : str
        The file they come from.
    """

    X: pa.RecordBatch
    y: pa.Array | None
    weight: pa.Array | None
    start: int
    file: str

    def __len__(self) -> int:
        return self.X.num_rows


@dataclass(eq=False)
class Source:
    """A table on disk, read in blocks again and again; made by :func:`scan`.

    Iterating gives :class:`SourceBlock` objects in a fixed order of files and rows. A block holds rows of one
    file only and has exactly `block_rows` rows, but for the last one of a file or of a *stretch*: a row group
    (record batch in Arrow files) that is larger than a block, or neighbouring ones that fit in one block
    together. Memory holds `read_ahead` + 2 blocks. A source can be pickled and used in several threads.

    Attributes
    ----------
    schema : pyarrow.Schema
        Features, then target, then weight, with the types that the blocks have.
    target, weight : str or None
        Names of these columns.
    block_rows : int
        Most rows in a block.
    read_ahead : int
        Blocks that are read ahead in a thread; 0 reads in the caller's.
    start : int
        Row number of the first row: 0, or that of a fragment in the source it comes from.
    parts : tuple of Part
        What it reads, in order.
    """

    parts: tuple[Part, ...]
    schema: pa.Schema
    target: str | None
    weight: str | None
    block_rows: int
    read_ahead: int
    start: int = 0
    _whole: tuple[Part, ...] = ()
    _found: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def feature_names(self) -> list[str]:
        """Names of the features, in order."""
        return [name for name in self.schema.names if name not in (self.target, self.weight)]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.feature_names)

    @property
    def files(self) -> list[str]:
        """The files, in the order in which they are read."""
        return list(dict.fromkeys(part.file for part in self.parts))

    def __len__(self) -> int:
        """Rows; CSV files are counted once, in a pass of their own, and remembered."""
        self._count()
        return sum(part.n_rows or 0 for part in self.parts)

    def _count(self) -> None:
        self.parts = tuple(
            part if part.n_rows is not None else replace(part, n_rows=count_rows(part)) for part in self.parts
        )

    def __iter__(self) -> Iterator[SourceBlock]:
        return self.blocks()

    def blocks(self, *, skip_rows: int = 0) -> Generator[SourceBlock, None, None]:
        """Yield the blocks, leaving out the first rows.

        The cuts between blocks do not depend on `skip_rows`, so that a pass broken off after some block goes
        on with ``skip_rows`` = its ``start + len(block) - source.start`` as if it had not been. Row groups
        and counted files before are not read. Close the generator to stop early (a ``for`` loop that is
        left does).

        Parameters
        ----------
        skip_rows : int, default=0
            Rows to leave out, from the start of this source.

        Yields
        ------
        SourceBlock

        Raises
        ------
        DataError
            Naming the file, when it cannot be read, is damaged, or has changed since :func:`scan`.
        """
        if skip_rows < 0:
            raise ValueError(f"got skip_rows={skip_rows}, expected 0 or more")
        for batch, at, file in ahead(lambda: self._batches(self.parts, self.schema, skip_rows), self.read_ahead):
            yield SourceBlock(
                X=batch.select(self.feature_names),
                y=None if self.target is None else batch.column(self.target),
                weight=None if self.weight is None else batch.column(self.weight),
                start=self.start + at,
                file=file,
            )

    def _batches(
        self, parts: tuple[Part, ...], schema: pa.Schema, skip: int = 0
    ) -> Iterator[tuple[pa.RecordBatch, int, str]]:
        before = 0
        for part in parts:
            if part.n_rows is not None and skip >= before + part.n_rows:
                before += part.n_rows
                continue
            end = before
            for row, batch in read_part(part, schema, self.block_rows, max(0, skip - before)):
                at = before + row
                end = at + batch.num_rows
                if skip < end:
                    cut = max(0, skip - at)
                    yield batch.slice(cut), at + cut, part.file
            before = end if part.n_rows is None else before + part.n_rows

    def fragments(self, *, min_rows: int | None = None) -> list["Source"]:
        """Split into sources that can be read independently, in other processes or on other machines.

        In order, the blocks of the fragments are the blocks of this source. A fragment is a file, or some
        row groups of it; a CSV file is not split, and is counted first.

        Parameters
        ----------
        min_rows : int or None, default=None
            Join row groups until there are so many rows; None means 16 blocks.
        """
        wanted = 16 * self.block_rows if min_rows is None else min_rows
        self._count()
        found = []
        at = self.start
        for part in self.parts:
            for piece in _split(part, self.block_rows, wanted):
                found.append(replace(self, parts=(piece,), start=at, _whole=self._whole or self.parts))
                at += piece.n_rows or 0
        return found

    @property
    def categories(self) -> dict[str, list[Any]]:
        """Sorted distinct values of each string or dictionary feature, found in a pass over all rows, once.

        A fragment has the categories of the whole source: ask the source first, and its fragments know.
        """
        self._find([name for name in self.feature_names if is_text(self.schema.field(name).type)])
        return {name: self._found[name] for name in self.feature_names if name in self._found}

    @property
    def classes(self) -> list[Any] | None:
        """Sorted distinct values of the target, of any type, found in a pass over all rows, once."""
        if self.target is None:
            return None
        self._find([self.target])
        return self._found[self.target]

    def _find(self, names: list[str]) -> None:
        names = [name for name in names if name not in self._found]
        if not names:
            return
        if self.target is not None and is_text(self.schema.field(self.target).type):
            names = list(dict.fromkeys([*names, self.target]))
        seen: dict[str, set[Any]] = {name: set() for name in names}
        slim = pa.schema([self.schema.field(name) for name in names])
        parts = self._whole or self.parts
        for batch, _, file in ahead(lambda: self._batches(parts, slim), self.read_ahead):
            for name in names:
                seen[name].update(_distinct(batch.column(name)))
                _refuse_too_many(file, name, len(seen[name]), target=name == self.target)
        self._found.update({name: sorted(values) for name, values in seen.items()})

    def __repr__(self) -> str:
        n_files = len(self.files)
        what = f"{n_files} file{'s' * (n_files != 1)}, {self.n_features} features"
        return f"Source({what}, target={self.target!r}, weight={self.weight!r}, block_rows={self.block_rows})"


def is_text(kind: pa.DataType) -> bool:
    """Whether a column is of strings or categories."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind)


def _distinct(array: pa.Array) -> list[Any]:
    values = pc.unique(array)
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return [v for v in values.to_pylist() if v is not None and v == v]


def _refuse_too_many(file: str, name: str, n: int, *, target: bool) -> None:
    most = _MOST_CLASSES if target else _MOST_CATEGORIES
    if n > most:
        raise SchemaError(
            file,
            got=f"more than {most} distinct values in column {name!r}",
            expected="fewer classes" if target else "fewer categories",
            do="is it a number to predict, not a class?" if target else "leave it out with columns=",
        )


def _split(part: Part, block_rows: int, min_rows: int) -> Iterator[Part]:
    if part.kind == "csv":
        yield part
        return
    waiting: list[tuple[int, int]] = []
    for stretch in part.stretches(block_rows):
        waiting.extend(stretch)
        if sum(n for _, n in waiting) >= min_rows:
            yield replace(part, groups=tuple(waiting), n_rows=sum(n for _, n in waiting))
            waiting = []
    if waiting:
        yield replace(part, groups=tuple(waiting), n_rows=sum(n for _, n in waiting))
