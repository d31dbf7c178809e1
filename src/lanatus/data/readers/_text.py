"""Opening a text file: what it looks like, how it is packed, which encoding, which lines."""

import bz2
import codecs
import gzip
import io
import os
import re
import zlib
from collections.abc import Iterator
from typing import IO, cast

from lanatus.data.readers._errors import FormatError, unreadable

Path = str | os.PathLike[str]

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow IPC file"),
    (b"\xff\xff\xff\xff", "an Arrow IPC stream"),
    (b"FEA1", "a Feather version 1 file"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip file"),
    (b"BZh", "a bzip2 file"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\xfd7zXZ", "an xz file"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word document (.xls, .doc)"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\x89HDF", "an HDF5 file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x93NUMPY", "a NumPy array file (.npy)"),
    (b"ORC", "an ORC file"),
    (b"Obj\x01", "an Avro file"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"\x80\x05\x95", "a Python pickle"),
)
EXPORT_CSV = "open it in the spreadsheet program and save it as CSV (UTF-8)"
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_CHUNK = 1 << 20
_UNPACKED = 1 << 28  # bytes that any compressed file may unpack to in memory,
_RATIO = 50  # or so many times its size: text seldom shrinks that much, what was made to fill the memory does
_LONGEST_LINE = 1 << 26


def looks_like(head: bytes) -> str | None:
    """Name the binary format whose magic bytes `head` starts with, or None if it may be text."""
    for magic, name in _MAGIC:
        if head.startswith(magic):
            if magic == b"PK\x03\x04" and (b"[Content_Types].xml" in head or b"xl/" in head):
                return "an Excel workbook (.xlsx)"
            return name
    if b"\0" in head and not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "binary data (it has NUL bytes)"
    return None


def head_of(path: Path, n_bytes: int = 4096) -> bytes:
    """The first bytes of the file as it lies on disk."""
    try:
        with open(path, "rb") as stream:
            return stream.read(n_bytes)
    except OSError as error:
        raise unreadable(path, error) from error


def unpacked(path: Path, stream: IO[bytes]) -> IO[bytes]:
    """The bytes of an open file, decompressed when they are gzip or bzip2."""
    head = stream.read(3)
    stream.seek(0)
    if head.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.open(stream))
    if head.startswith(b"BZh"):
        return cast(IO[bytes], bz2.open(stream))
    return stream


class _Bounded(io.RawIOBase):
    """A stream that refuses to give more than so many bytes."""

    def __init__(self, path: Path, stream: IO[bytes], most: int) -> None:
        self._path, self._stream, self._most, self._given = path, stream, most, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        got = self._stream.read(len(buffer))
        self._given += len(got)
        if self._given > self._most:
            raise FormatError(
                self._path,
                got=f"a compressed file that unpacks to more than {self._most:,} bytes",
                expected=f"at most that, {_UNPACKED:,} or {_RATIO} times its size",
                do="unpack it first, pass max_bytes=, or stream it with scan()",
            )
        buffer[: len(got)] = got
        return len(got)

    def close(self) -> None:
        self._stream.close()
        super().close()


def bounded(path: Path, stream: IO[bytes], max_bytes: int | None) -> IO[bytes]:
    """As `unpacked`, for what is then held in memory: it unpacks to no more than `max_bytes`.

    None is 256 MiB, or 50 times the size of the file if that is more. A file that is not compressed has no limit.
    """
    inner = unpacked(path, stream)
    if inner is stream:
        return stream
    most = max(_UNPACKED, _RATIO * size_of(path)) if max_bytes is None else max_bytes
    return cast(IO[bytes], io.BufferedReader(_Bounded(path, inner, most), _CHUNK))


def packed(path: Path) -> bool:
    """Whether the file is gzip or bzip2."""
    return head_of(path, 3).startswith((b"\x1f\x8b", b"BZh"))


def read_bytes(path: Path, n_bytes: int = -1, max_bytes: int | None = None) -> bytes:
    """The first `n_bytes` bytes of a text file, or all, decompressed; binary files are refused by name."""
    try:
        with open(path, "rb") as file, bounded(path, file, max_bytes) as stream:
            data = stream.read(n_bytes)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise broken_archive(path, error) from error
    except OSError as error:
        if error.errno is None:  # bz2 says so with a bare OSError
            raise broken_archive(path, error) from error
        raise unreadable(path, error) from error
    refuse_binary(path, data[:4096])
    if not data or data.isspace():
        raise FormatError(path, got="an empty file", expected="rows of data", do="check how it was made")
    return data


def broken_archive(path: Path, error: Exception) -> FormatError:
    """The error of a compressed file that ends early or is damaged."""
    return FormatError(
        path,
        got=f"a truncated or damaged compressed file ({error})",
        expected="a whole one",
        do="copy or download it again",
    )


def refuse_binary(path: Path, head: bytes) -> None:
    """Raise if `head` is not the start of a text file."""
    kind = looks_like(head)
    if kind is not None:
        do = EXPORT_CSV if "Excel" in kind else "give it the extension of what it is, or read it with lanatus.data.read"
        raise FormatError(path, got=kind, expected="a text file", do=do)


def find_encoding(path: Path, data: bytes, *, whole: bool) -> str:
    """Tell UTF-8, UTF-16 and GB18030 apart by their marks and by trying them.

    Parameters
    ----------
    path : str or path-like
        For messages.
    data : bytes
        The file, or its first part.
    whole : bool
        Whether `data` is all there is; otherwise a character cut at its end is fine.

    Returns
    -------
    str
        "utf-8", "utf-8-sig", "utf-16" or "gb18030".
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            if name == "utf-16" and not _decodes(data, "utf-16", whole=whole):
                raise _unknown_encoding(path)
            return name
    if _decodes(data, "utf-8", whole=whole):
        return "utf-8"
    if _decodes(data, "gb18030", whole=whole) and _reads_as_chinese(data):
        return "gb18030"
    raise _unknown_encoding(path)


def _unknown_encoding(path: Path) -> FormatError:
    return FormatError(
        path,
        got="text in another encoding",
        expected="UTF-8, UTF-16 with its mark, or GB18030",
        do="pass encoding=, for example encoding='cp1252' for Excel in Western Europe",
    )


def _decodes(data: bytes, encoding: str, *, whole: bool) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for start in range(0, len(data), _CHUNK):
            chunk = data[start : start + _CHUNK]
            decoder.decode(chunk, final=whole and start + _CHUNK >= len(data))
    except UnicodeError:
        return False
    return True


def _reads_as_chinese(data: bytes) -> bool:
    """Whether most characters beyond ASCII are common ones: Latin-1 text may decode as rare Chinese signs."""
    high = re.findall(r"[^\x00-\x7f]", data[:_CHUNK].decode("gb18030", errors="ignore"))
    common = sum(bool(sign.encode("gb2312", errors="ignore")) for sign in high)
    return 2 * common >= len(high)


def lines_of(path: Path, encoding: str) -> Iterator[tuple[int, str]]:
    """Number and text (with its end) of each line; a line that does not decode is an error that names it."""
    number = 0
    try:
        with open(path, "rb") as file, unpacked(path, file) as stream:
            if encoding.startswith("utf-16"):
                with io.TextIOWrapper(stream, encoding, newline="") as text:
                    for number, line in enumerate(text, 1):
                        yield number, line
                return
            name = encoding.removesuffix("-sig")
            # In UTF-8, GB18030 and the like a line feed byte is a line feed.
            for raw in iter(lambda: stream.readline(_LONGEST_LINE), b""):
                if len(raw) == _LONGEST_LINE:
                    raise _endless(path, number + 1)
                for piece in raw.splitlines(keepends=True):
                    number += 1
                    decoded = piece.decode(name)
                    yield number, decoded.removeprefix("\ufeff") if number == 1 else decoded
    except UnicodeError as error:
        raise FormatError(
            path,
            line=number + (encoding.startswith("utf-16")),
            got=f"bytes that are not {encoding}",
            expected=f"text in {encoding}",
            do="pass the right encoding=, for example 'gb18030'",
        ) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise broken_archive(path, error) from error
    except OSError as error:
        raise unreadable(path, error) from error


def _endless(path: Path, line: int) -> FormatError:
    return FormatError(
        path,
        line=line,
        got=f"a line of more than {_LONGEST_LINE:,} bytes",
        expected="rows of data, a line each",
        do="check its line ends; wide sparse data is better kept as LIBSVM",
    )


def size_of(path: Path) -> int:
    """Bytes on disk."""
    try:
        if os.path.isdir(path):
            raise IsADirectoryError(os.fspath(path))
        return os.stat(path).st_size
    except OSError as error:
        raise unreadable(path, error) from error
