"""What can go wrong between a file and a table.

Every reader, writer and source of :mod:`lanatus.data` raises one of these and nothing else for bad files::

    ValueError
    └── DataError          catch this one
        ├── FileError      cannot be opened or read: not there, a folder, no permission, vanished, changed
        ├── FormatError    opened, but malformed: not what its name says, truncated, a ragged row, a bad value
        └── SchemaError    well formed, but the columns are wrong: duplicated, missing, extra, of another type

The message always reads ``FILE, line N: got ..., expected ...; do ...``; the parts are attributes as well.
"""

import os
from typing import Any


class DataError(ValueError):
    """A file that cannot be read as data.

    Parameters
    ----------
    file : str or path-like
        The file at fault.
    got, expected, do : str
        What was found, what was wanted instead, and what the reader of the message can do about it.
    line : int or None, default=None
        Line in the file, from 1, where one is known.

    Attributes
    ----------
    file, got, expected, do : str
    line : int or None

    Examples
    --------
    >>> from lanatus.data.readers._errors import DataError
    >>> str(DataError("a.csv", line=3, got="2 fields", expected="4", do="quote the comma"))
    'a.csv, line 3: got 2 fields, expected 4; quote the comma'
    """

    def __init__(
        self, file: str | os.PathLike[str], *, got: str, expected: str, do: str, line: int | None = None
    ) -> None:
        self.file = os.fspath(file)
        self.line = line
        self.got = got
        self.expected = expected
        self.do = do
        where = self.file if line is None else f"{self.file}, line {line}"
        super().__init__(f"{where}: got {got}, expected {expected}; {do}")

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), self.file, self.got, self.expected, self.do, self.line)


class FileError(DataError):
    """The file cannot be opened or read."""


class FormatError(DataError):
    """The bytes of the file are not what the format demands."""


class SchemaError(DataError):
    """The columns of the file are not those wanted."""


def _rebuild(kind: type[DataError], file: str, got: str, expected: str, do: str, line: int | None) -> DataError:
    return kind(file, got=got, expected=expected, do=do, line=line)


def unreadable(path: str | os.PathLike[str], error: OSError) -> FileError:
    """Say an ``OSError`` of opening or reading `path` in our words."""
    if isinstance(error, FileNotFoundError):
        return FileError(path, got="no such file", expected="a file that exists", do="check the path")
    if isinstance(error, IsADirectoryError):
        return FileError(
            path, got="a folder", expected="a file", do="name a file in it, or use scan() to read a folder"
        )
    if isinstance(error, PermissionError):
        return FileError(path, got="no permission to read", expected="a readable file", do="change its permissions")
    return FileError(path, got=f"a read error ({error.strerror or error})", expected="a readable file", do="try again")


def quoted(value: str, longest: int = 40) -> str:
    """The value in quotes, cut when it is long."""
    return repr(value if len(value) <= longest else value[: longest - 3] + "...")
