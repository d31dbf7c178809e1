"""Writing files: whole or not at all, by one at a time, and with errors that name the file."""

import contextlib
import errno
import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_RUNS = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for the beginning of a formula


class FolderInUse(ValueError):
    """Another process is writing into the folder."""


@contextmanager
def atomic_write(path: str | Path) -> Iterator[IO[bytes]]:
    """A binary file that takes the place of `path` only when everything in it has reached the disk.

    What a process that was killed had begun to write there is cleared away first.
    """
    path = Path(path)
    _sweep(path)
    file, temporary = _begun(path)
    try:
        with naming(path), file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _begun(path: Path) -> tuple[IO[bytes], Path]:
    """A new file beside `path`, locked for as long as it is open, so that a sweep knows that its writer lives."""
    while True:
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
        file = temporary.open("xb")
        try:
            held = _locked(file)
        except OSError:  # no locks here, so nothing is swept either
            held = True
        if held and _is_at(file, temporary):  # otherwise a sweep was faster
            return file, temporary
        file.close()


def _sweep(path: Path) -> None:
    """Remove the beginnings of `path` whose writers are gone."""
    for left in path.parent.glob(f".{_literal(path.name)}.*.part"):
        with contextlib.suppress(OSError), left.open("rb") as file:
            if _locked(file):
                left.unlink(missing_ok=True)


def _literal(name: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", name)


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Errors of a full disk name the file that could not be written."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL or error.filename is not None:
            raise
        raise OSError(error.errno, f"{error.strerror}: free some space, or write elsewhere", os.fspath(path)) from error


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold a folder for this process: another that wants it meanwhile gets `FolderInUse`.

    The lock goes with the process, however that ends.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ".running"
    while True:
        with path.open("a+b") as file:
            with contextlib.suppress(OSError):
                if not _locked(file):
                    raise FolderInUse(
                        f"another run is writing into {folder}; wait until it has ended, or give another folder."
                    )
            if not _is_at(file, path):  # its owner ended, and removed it, in between
                continue
            try:
                yield
            finally:
                with contextlib.suppress(OSError):
                    path.unlink()
            return


def _is_at(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _locked(file: IO[Any]) -> bool:
    """Lock an open file until it is closed; False where another has it, OSError where there are no locks."""
    try:
        import fcntl
    except ImportError:  # Windows, which does not let go of open files anyway
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def inert(cell: str) -> str:
    """A text cell that no spreadsheet takes for a formula: an apostrophe goes before what would begin one."""
    return f"'{cell}" if cell.startswith(_RUNS) and not _NUMBER.fullmatch(cell) else cell
