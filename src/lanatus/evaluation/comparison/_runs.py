"""One fit and its scores, and the journal that lets a comparison go on after an interruption."""

import math
import os
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lanatus._journal import ForeignJournal, Journal
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
        messages = tuple(dict.fromkeys(f"{one.category.__name__}: {one.message}" for one in caught))
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
            warnings=messages,
            wrong=wrong,
        )
        return self.key, run


class ComparisonJournal:
    """Finished fits in a file, each on disk before the next begins.

    A comparison that is started again takes from it the fits that it would make anew: same data, learner, split,
    measures and versions.
    """

    FORMAT = {"lanatus": "comparison", "format": 1}

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            self._journal = Journal(path, self.FORMAT)
        except ForeignJournal:
            raise ValueError(
                f"{path} is not the journal of a comparison, so it is left alone; "
                "give checkpoint the path of a new file, or of an earlier journal."
            ) from None
        self.path = self._journal.path
        self.found = {key: _result(record) for key, record in self._journal.records.items()}

    def add(self, key: str, run: SplitResult) -> None:
        """Put a finished fit on disk."""
        record = asdict(run)
        record["scores"] = {name: _number(value) for name, value in run.scores.items()}
        self._journal.add(key, record)


def _result(record: dict[str, Any]) -> SplitResult:
    scores = {name: float("nan") if value is None else float(value) for name, value in record["scores"].items()}
    wrong = None if record["wrong"] is None else tuple(record["wrong"])
    return SplitResult(**{**record, "scores": scores, "warnings": tuple(record["warnings"]), "wrong": wrong})


def _number(value: float) -> float | str | None:
    """JSON knows no NaN and no infinity: NaN becomes null, infinities the strings that ``float`` reads back."""
    return None if math.isnan(value) else value if math.isfinite(value) else str(value)
