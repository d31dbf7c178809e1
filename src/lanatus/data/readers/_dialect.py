"""How a delimited text file is written (delimiter, header, decimal sign, padding), and its records."""

import codecs
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, NamedTuple

from lanatus.data.readers._errors import FormatError, SchemaError
from lanatus.data.readers._text import Path, find_encoding, read_bytes

MISSING: tuple[str, ...] = (
    "", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-NaN", "-nan", "NULL", "null",
)  # fmt: skip
MOST_COLUMNS = 200_000  # of a table, unless more are asked for: each takes some ten kilobytes while a file is read
BLANKS = " "  # the delimiter of files whose fields stand apart by runs of spaces and tabs
_DELIMITERS = ("\t", ";", "|", ",")  # a rarer sign that fits every row is no accident, so it goes first
_SAMPLE_BYTES = 1 << 18
_SAMPLE_RECORDS = 200
_LONGEST_QUOTE = 1 << 24
_TYPED = r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d.*)?|true|false|[+-]?inf"
_POINT = re.compile(rf"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|{_TYPED}", re.IGNORECASE)
_COMMA = re.compile(rf"[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?|{_TYPED}", re.IGNORECASE)
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+")
_QUOTED = r'(?<![^{before}])"(?:[^"]|"")*(?:"|$)'


class Record(NamedTuple):
    """One row of fields as it stands in the file."""

    line: int  # where it starts
    fields: list[str]
    opened: int | None = None  # line of a quote that is still open when the file ends


@dataclass(frozen=True)
class Dialect:
    """How one family of delimited files is written."""

    delimiter: str = ","
    header: bool = True
    encoding: str = "utf-8"
    decimal: str = "."
    padded: bool = False  # ", " between fields
    missing: tuple[str, ...] = MISSING
    quoted_missing: bool = False  # whether a marker of a missing value counts in quotes too

    @property
    def separator(self) -> str:
        """The single character between fields once the text is tidied."""
        return "\t" if self.delimiter == BLANKS else self.delimiter

    @property
    def plain(self) -> bool:
        """Whether the bytes can be parsed as they are."""
        return not self.padded and self.delimiter != BLANKS and self.encoding in ("utf-8", "utf-8-sig")

    def tidy(self, text: str) -> str:
        """Whole lines with exactly one separator between fields; what stands in quotes is left alone."""
        if self.delimiter == BLANKS:
            text = re.sub(r"^[ \t]+|[ \t]+(?=\r?\n|\r|\Z)", "", text, flags=re.MULTILINE)
            pattern = _QUOTED.format(before=r"\s") + r"|[ \t]+"
        elif self.padded:
            pattern = _QUOTED.format(before=re.escape(self.delimiter) + r"\s") + f"|{re.escape(self.delimiter)} +"
        else:
            return text
        return re.sub(pattern, lambda hit: hit[0] if hit[0].startswith('"') else self.separator, text)


def records(lines: Iterable[tuple[int, str]], dialect: Dialect) -> Iterator[Record]:
    """Split numbered lines into records by the rules of ``pyarrow.csv``; blank lines are skipped.

    A quote opens a quoted field only at the start of the field; ``""`` inside stands for one quote.
    """
    mark = dialect.separator
    fields: list[str] = []
    parts: list[str] = []
    start, opened, inside = 0, 0, False
    for number, raw in lines:
        line = raw if inside else dialect.tidy(raw)
        body = line.rstrip("\r\n")
        at = 0
        if not inside:
            if not body:
                continue
            if '"' not in line:
                yield Record(number, body.split(mark))
                continue
            start, opened, fields, parts = number, number, [], []
            inside = line.startswith('"')
            at = int(inside)
        while True:
            if inside:
                end = line.find('"', at)
                if end < 0:
                    parts.append(line[at:])
                    break
                parts.append(line[at:end])
                inside = line.startswith('""', end)
                if inside:
                    parts.append('"')
                at = end + 1 + inside
                continue
            end = body.find(mark, at)
            parts.append(body[at:] if end < 0 else body[at:end])
            fields.append("".join(parts))
            parts = []
            if end < 0:
                yield Record(start, fields)
                break
            at = end + len(mark)
            if line.startswith('"', at):
                inside, opened, at = True, number, at + 1
    if inside:
        yield Record(start, [*fields, "".join(parts)], opened)


def sample_records(data: bytes, dialect: Dialect, *, whole: bool) -> list[Record]:
    """The first records of `data`, without one that the end of the sample cuts."""
    text = data.decode(dialect.encoding, errors="ignore")
    rows = []
    lines = io.StringIO(text, newline="")
    for row in records(enumerate(lines, 1), dialect):
        rows.append(row)
        if len(rows) > _SAMPLE_RECORDS:
            return rows[:-1]
    return rows if whole or len(rows) < 2 else rows[:-1]


def sniff(
    path: Path,
    *,
    data: bytes | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    missing: Sequence[str] = MISSING,
) -> Dialect:
    """Find out how the file is written; what is given is taken as it is.

    The delimiter is the one among tab ``;`` ``|`` ``,`` that cuts most rows into the same number (> 1) of
    fields, else runs of blanks if they do and some column is numeric, else ``,``. There is a header when
    text stands above numbers, or, where all is text, when the values of the first row differ from each
    other and do not come again below.
    """
    if data is None:
        data = read_bytes(path, _SAMPLE_BYTES)
    head = data[:_SAMPLE_BYTES]
    whole = len(data) < _SAMPLE_BYTES
    if encoding is None:
        encoding = find_encoding(path, data, whole=whole or len(data) > _SAMPLE_BYTES)
    if data.startswith(codecs.BOM_UTF8) and codecs.lookup(encoding).name == "utf-8":
        encoding = "utf-8-sig"
    dialect = Dialect(encoding=encoding, missing=tuple(missing))
    if delimiter is None:
        delimiter = _delimiter(head, dialect, whole=whole)
    elif delimiter != BLANKS and len(delimiter) != 1:
        raise ValueError(f"got delimiter={delimiter!r}, expected one character; ' ' stands for runs of blanks")
    dialect = replace(dialect, delimiter=delimiter)
    rows = sample_records(head, dialect, whole=whole)
    if delimiter != BLANKS:
        apart = [field for row in rows[1:] or rows for field in row.fields[1:]]
        dialect = replace(dialect, padded=bool(apart) and all(field.startswith(" ") for field in apart))
        rows = sample_records(head, dialect, whole=whole)
    if decimal is None:
        decimal = _decimal(rows) if dialect.separator != "," else "."
    dialect = replace(dialect, decimal=decimal)
    return replace(dialect, header=_has_header(rows, dialect) if header is None else header)


def _delimiter(head: bytes, dialect: Dialect, *, whole: bool) -> str:
    best, best_share = ",", 0.0
    for mark in (*_DELIMITERS, BLANKS):
        trial = replace(dialect, delimiter=mark)
        rows = sample_records(head, trial, whole=whole)
        if not rows:
            continue
        width, times = Counter(len(row.fields) for row in rows).most_common(1)[0]
        share = times / len(rows)
        if width < 2 or (mark == BLANKS and (share < 0.8 or not _some_numeric(rows, width, dialect))):
            continue
        if share > best_share or (mark == BLANKS and best == "\t" and share == best_share and _numbers_apart(rows)):
            best, best_share = mark, share
    return best


def _numbers_apart(rows: list[Record]) -> bool:
    """Whether every row starts with two numbers: where tabs part the file too, blanks do more of it."""
    return all(len(row.fields) > 1 and all(map(_POINT.fullmatch, row.fields[:2])) for row in rows[1:] or rows)


def _some_numeric(rows: list[Record], width: int, dialect: Dialect) -> bool:
    body = [row.fields for row in rows[1:] or rows if len(row.fields) == width]
    return any(_typed([row[i] for row in body], dialect) for i in range(width))


def _typed(values: Iterable[str], dialect: Dialect) -> bool:
    """Whether the values, holes apart, are all numbers, dates or truth values, and there is one."""
    there = [v.strip() for v in values if v.strip() not in dialect.missing]
    pattern = _COMMA if dialect.decimal == "," else _POINT
    return bool(there) and all(pattern.fullmatch(v) for v in there)


def _decimal(rows: list[Record]) -> str:
    fields = [field.strip() for row in rows for field in row.fields]
    commas = any(re.fullmatch(r"[+-]?(\d+|[1-9]\d{0,2}(\.\d{3})+),\d+([eE][+-]?\d+)?", field) for field in fields)
    # 1.234 beside 0,5 is a thousand
    points = any(re.fullmatch(r"[+-]?[\d,]*\.\d+([eE][+-]?\d+)?", f) and not _GROUPED.fullmatch(f) for f in fields)
    return "," if commas and not points else "."


def _has_header(rows: list[Record], dialect: Dialect) -> bool:
    first, body = rows[0].fields, [row.fields for row in rows[1:]]
    if not body:
        return not any(_typed([field], dialect) for field in first)
    votes = 0
    for i, name in enumerate(first):
        below = [row[i] for row in body if i < len(row)]
        if not name.strip() and not any(field.strip() for field in below):  # a delimiter too many in every row
            continue
        if _typed(below, dialect):
            if name.strip() not in dialect.missing:
                votes += -1 if _typed([name], dialect) else 1
        elif _typed([name], dialect) or name in below:
            votes -= 1
    names = [name for name in first if name.strip()]
    return votes > 0 or (votes == 0 and len(set(names)) == len(names))


def column_names(path: Path, first: Record, dialect: Dialect) -> list[str]:
    """The names in the header; ``column_1``, ``column_2``, ... for blank ones and without a header."""
    if not dialect.header:
        return [f"column_{i}" for i in range(1, len(first.fields) + 1)]
    names = [name.strip() or f"column_{i}" for i, name in enumerate(first.fields, 1)]
    refuse_duplicates(path, names, line=first.line)
    return names


def refuse_duplicates(path: Path, names: Sequence[str], line: int | None = None) -> None:
    """Raise if a column name stands twice."""
    twice = [repr(name) for name, times in Counter(names).items() if times > 1]
    if twice:
        raise SchemaError(
            path,
            line=line,
            got=f"the column name {', '.join(twice)} more than once",
            expected="unique column names",
            do="rename the columns (or pass header=False if this row is data)" if line else "rename the columns",
        )


def not_too_wide(
    path: Path, lines: Iterable[tuple[int, str]], dialect: Dialect, max_columns: int
) -> Iterator[tuple[int, str]]:
    """The lines; one with more fields than a table may have columns is an error, before it is cut into them."""
    for number, line in lines:
        if len(line) > max_columns and line.count(dialect.separator) >= max_columns:
            raise FormatError(
                path,
                line=number,
                got=f"{line.count(dialect.separator) + 1:,} fields",
                expected=f"at most {max_columns:,}",
                do="check its line ends and its delimiter, or pass max_columns=; wide sparse data is better as LIBSVM",
            )
        yield number, line


def first_record(path: Path, lines: Iterable[tuple[int, str]], dialect: Dialect, max_columns: int) -> Record:
    """The first record of the file."""
    for record in records(not_too_wide(path, lines, dialect, max_columns), dialect):
        return record
    raise FormatError(path, got="only blank lines", expected="rows of data", do="check how it was made")


class TidyStream(io.RawIOBase):
    """A readable stream of tidy UTF-8 made from the bytes of a file in another encoding or with padding."""

    def __init__(self, stream: IO[bytes], dialect: Dialect) -> None:
        self._text = io.TextIOWrapper(stream, dialect.encoding, newline="")
        self._dialect = dialect
        self._rest = ""
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            text = self._rest + self._text.read(1 << 20)
            if text == self._rest:  # the end
                self._ready, self._rest = self._dialect.tidy(text).encode(), ""
                break
            cut = max(text.rfind("\n"), text.rfind("\r")) + 1
            if cut == len(text) and text.endswith("\r"):  # perhaps half of \r\n
                cut = text.rfind("\n") + 1
            if text.count('"', 0, cut) % 2 and len(text) < _LONGEST_QUOTE:  # within quotes, as far as one can tell
                cut = 0
            self._ready, self._rest = self._dialect.tidy(text[:cut]).encode(), text[cut:]
        n = min(len(buffer), len(self._ready))
        buffer[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def close(self) -> None:
        if not self.closed:
            self._text.close()
        super().close()
