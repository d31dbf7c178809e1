"""One fit on one part of the rows."""

import functools
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from lanatus._files import naming
from lanatus.auto._trial import Trial
from lanatus.base import take_rows
from lanatus.table import Table

__all__ = ["Outcome", "TrialData", "TrialJob", "answers_of", "evaluate"]


@dataclass(frozen=True)
class TrialData:
    """The rows that a search works on.

    Attributes
    ----------
    table : Table
        Cleaned rows: those to learn from, then those held out.
    y : ndarray
        Class codes or numbers.
    n_classes : int
        0 for numbers.
    parts : dict of str to (ndarray, ndarray)
        Rows to fit and rows to answer for, by name.
    """

    table: Table
    y: np.ndarray
    n_classes: int
    parts: dict[str, tuple[np.ndarray, np.ndarray]]

    def save(self, path: Path) -> None:
        """Write it where workers map it into memory."""
        with naming(path):
            joblib.dump(self, path)


@dataclass(frozen=True)
class TrialJob:
    """A trial on one part of a ground."""

    ground: Path
    trial: Trial
    part: str
    seed: int = 0

    @property
    def key(self) -> str:
        """A name that is the same for the same job."""
        return f"{self.ground.stem}/{self.part}/{self.trial.key}"


@dataclass(frozen=True)
class Outcome:
    """What a job gave.

    Attributes
    ----------
    answers : ndarray or None
        Probabilities (n, n_classes) or numbers (n,) for the rows to answer for; None where the fit failed.
    fit_seconds, predict_seconds : float
        Time of the fit and of the answers.
    rounds : int or None
        Rounds of a method that stops early.
    error : str
        Why it failed, else empty.
    """

    answers: np.ndarray | None
    fit_seconds: float
    predict_seconds: float = 0.0
    rounds: int | None = None
    error: str = ""


@functools.lru_cache(maxsize=8)
def _load(path: Path) -> TrialData:
    ground: TrialData = joblib.load(path, mmap_mode="r")
    return ground


def evaluate(job: TrialJob) -> Outcome:
    """Fit a trial to its rows and answer for the others."""
    ground = _load(job.ground)
    train, test = ground.parts[job.part]
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            model = job.trial.build(job.seed).fit(take_rows(ground.table, train), np.asarray(ground.y[train]))
            fitted = time.perf_counter()
            answers = answers_of(model, take_rows(ground.table, test), ground.n_classes)
    except Exception as error:  # whatever a method does on odd data, the others go on
        return Outcome(None, time.perf_counter() - start, error=f"{type(error).__name__}: {error}")
    if not np.isfinite(answers).all():
        return Outcome(None, fitted - start, error="answers that are not finite")
    rounds = getattr(model, "n_iter_", None)
    return Outcome(
        answers.astype(np.float64),
        fitted - start,
        time.perf_counter() - fitted,
        int(rounds) if isinstance(rounds, int | np.integer) else None,
    )


def answers_of(model: Any, X: Any, n_classes: int) -> np.ndarray:
    """Probabilities of all classes, those that a fit did not see with none; or numbers."""
    if not n_classes:
        return np.asarray(model.predict(X), dtype=np.float64)
    proba = np.asarray(model.predict_proba(X))
    out = np.zeros((len(proba), n_classes))
    out[:, np.asarray(model.classes_, dtype=np.intp)] = proba
    return out
