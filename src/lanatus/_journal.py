"""Journals: what a long job has finished, on disk, so that it goes on from there when it was killed."""

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lanatus._files import naming


class Journal:
    """Finished jobs in a file, one JSON object a line, the first of which says whose they are.

    `records` holds what was there when it was opened, by key. A line cut short by a crash is dropped.

    Parameters
    ----------
    path : str or Path
        The file; it is made by the first record.
    header : mapping
        Whose jobs they are.
    durable : bool, default=True
        Whether each record is forced to the disk before the next job begins.

    Raises
    ------
    ForeignJournal
        If the file is not a journal with this header; it is left alone.
    """

    def __init__(self, path: str | os.PathLike[str], header: Mapping[str, Any], *, durable: bool = True) -> None:
        self.path, self.header, self.durable = Path(path), dict(header), durable
        self.records: dict[str, dict[str, Any]] = {}
        lines = self.path.read_bytes().split(b"\n") if self.path.exists() else [b""]
        self._torn = bool(lines[-1])
        if lines != [b""] and _parsed(lines[0]) != self.header:
            raise ForeignJournal(f"{self.path} is not a journal of this job, so it is left alone.")
        for line in lines[1:]:
            record = _parsed(line)
            if isinstance(record, dict) and "key" in record:
                self.records[str(record.pop("key"))] = record

    def add(self, key: str, record: Mapping[str, Any]) -> None:
        """Write down a finished job."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with naming(self.path), self.path.open("ab") as file:
            if self._torn:
                file.write(b"\n")
            if file.tell() == 0:
                file.write(_line(self.header))
            file.write(_line({"key": key, **record}))
            file.flush()
            if self.durable:
                os.fsync(file.fileno())
        self._torn = False


class ForeignJournal(ValueError):
    """The file is something else, or the journal of another job."""


def packed(array: np.ndarray) -> dict[str, Any]:
    """An array as plain data."""
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"dtype": array.dtype.str, "shape": list(array.shape), "data": data}


def unpacked(plain: Mapping[str, Any]) -> np.ndarray:
    """The array again."""
    values = np.frombuffer(base64.b64decode(plain["data"]), dtype=np.dtype(plain["dtype"]))
    return values.reshape(plain["shape"]).copy()


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None
