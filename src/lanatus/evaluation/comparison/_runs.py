"""One fit and its scores, and the journal that lets a comparison go on after an interruption."""

import json
import math
import os
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from lanatus.base import take_rows
from lanatus.evaluation.measures._named_measures import Measure, Predictions


@dataclass(frozen=True)
class SplitResult:
    """One learner on one part of one data set.

    Attributes
    ----------
    data_set, learner : str
        Which.
    split : int
        Number of the split, from 0.
    n_train, n_test : int
        Rows fitted to and tested on.
    scores : dict of str to float
        Value of each measure; NaN where it is not defined, and everywhere after a failure.
    fit_seconds, test_seconds : float
        Wall-clock time of ``fit``, and of answers and measures together.
    error : str
        What went wrong, empty if nothing did.
    warnings : tuple of str
        What the learner warned of, each once.
    wrong : tuple of int or None
        Rows of the test part that were misclassified, kept where a test needs them (one split, or one row a split).
    """

    data_set: str
    learner: str
    split: int
    n_train: int
    n_test: int
    scores: dict[str, float]
    fit_seconds: float
    test_seconds: float
    error: str = ""
    warnings: tuple[str, ...] = ()
    wrong: tuple[int, ...] | None = None


@dataclass(frozen=True)
class SplitJob:
    """All that a worker needs for one split. `key` tells it from every other job, in this run and in later ones."""

    key: str
    data_set: str
    name: str
    split: int
    learner: Any
    X: Any
    y: np.ndarray
    train: np.ndarray
    test: np.ndarray
    measures: Sequence[Measure]
    keep_wrong: bool

    def run(self) -> tuple[str, SplitResult]:
        """Fit and score; a failure is written down, not raised."""
        scores = {measure.name: float("nan") for measure in self.measures}
        error, wrong, fitted, start = "", None, None, time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                model = self.learner.fit(take_rows(self.X, self.train), self.y[self.train])
                fitted = time.perf_counter()
                answers = Predictions(model, take_rows(self.X, self.test), self.y[self.test])
                found = {measure.name: answers.score(measure) for measure in self.measures}
                if self.keep_wrong:
                    wrong = tuple(np.flatnonzero(answers.get("labels") != self.y[self.test]).tolist())
                scores = found
            except Exception as problem:
                where = "".join(f"{note}: " for note in getattr(problem, "__notes__", ()))
                error = f"{where}{type(problem).__name__}: {problem}"
        end = time.perf_counter()
        said = tuple(dict.fromkeys(f"{one.category.__name__}: {one.message}" for one in caught))
        run = SplitResult(
            data_set=self.data_set,
            learner=self.name,
            split=self.split,
            n_train=len(self.train),
            n_test=len(self.test),
            scores=scores,
            fit_seconds=(fitted or end) - start,
            test_seconds=end - (fitted or end),
            error=error,
            warnings=said,
            wrong=wrong,
        )
        return self.key, run


class ComparisonJournal:
    """Finished runs in a file, one JSON object a line, each on disk before the next begins.

    A comparison that is started again takes from it the runs that it would make anew: same data, learner, split,
    measures and versions. A line cut short by a crash is dropped.
    """

    FORMAT = {"lanatus": "comparison", "format": 1}

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.found: dict[str, SplitResult] = dict(self._read())
        self._file: IO[bytes] | None = None

    def __enter__(self) -> "ComparisonJournal":
        self.path.parent.mkdir(parents=True, exist_ok=True)
        torn = self.path.exists() and self.path.stat().st_size > 0 and not self.path.read_bytes().endswith(b"\n")
        self._file = self.path.open("ab")
        if torn:
            self._file.write(b"\n")
        if self._file.tell() == 0:
            self._write(self.FORMAT)
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, key: str, run: SplitResult) -> None:
        """Put a finished run on disk."""
        self._write({"key": key, **asdict(run)})

    def _write(self, line: dict[str, Any]) -> None:
        assert self._file is not None
        self._file.write(json.dumps(_plain(line), ensure_ascii=False, allow_nan=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self) -> Iterator[tuple[str, SplitResult]]:
        if not self.path.exists() or not self.path.stat().st_size:
            return
        lines = self.path.read_bytes().split(b"\n")
        if _parsed(lines[0]) != self.FORMAT:
            raise ValueError(
                f"{self.path} is not the journal of a comparison, so it is left alone; "
                "give checkpoint the path of a new file, or of an earlier journal."
            )
        for line in lines[1:]:
            record = _parsed(line)
            if record is not None:
                key = record.pop("key")
                record["scores"] = {
                    name: float("nan") if value is None else float(value) for name, value in record["scores"].items()
                }
                record["warnings"] = tuple(record["warnings"])
                record["wrong"] = None if record["wrong"] is None else tuple(record["wrong"])
                yield key, SplitResult(**record)


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _plain(line: dict[str, Any]) -> dict[str, Any]:
    """JSON knows no NaN and no infinity: NaN becomes null, infinities the strings that ``float`` reads back."""

    def number(value: float) -> float | str | None:
        return None if math.isnan(value) else value if math.isfinite(value) else str(value)

    if "scores" in line:
        line["scores"] = {name: number(value) for name, value in line["scores"].items()}
    return line
