"""Finished jobs on disk, so that a run that was killed goes on where it was."""

import json
import shutil
import zipfile
from hashlib import blake2b
from pathlib import Path

import numpy as np

from lanatus._files import atomic_write
from lanatus.auto._work import Outcome, TrialJob

__all__ = ["TrialJournal"]


class TrialJournal:
    """Outcomes of jobs in a folder; arrays and numbers only.

    Parameters
    ----------
    folder : Path or None
        Where; None keeps nothing.
    run : str
        What run they belong to: those of another are thrown away.
    """

    def __init__(self, folder: Path | None, run: str) -> None:
        self.folder = folder
        self.seconds = 0.0
        self.n_found = 0
        if folder is None:
            return
        self._state = folder / "run.json"
        known = json.loads(self._state.read_text(encoding="utf-8")) if self._state.exists() else {}
        if known.get("run") == run:
            self.seconds = float(known["seconds"])
            self.n_found = sum(1 for _ in folder.glob("*.npz"))
        else:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        self._run = run
        self.note(self.seconds)

    def note(self, seconds: float) -> None:
        """Remember how much of the budget is spent."""
        if self.folder is not None:
            with atomic_write(self._state) as file:
                file.write(json.dumps({"run": self._run, "seconds": seconds}).encode())

    def find(self, job: TrialJob) -> Outcome | None:
        """The outcome of a job that was done before."""
        path = self._path(job)
        if path is None or not path.exists():
            return None
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
                fit, predict, rounds = held["numbers"].tolist()
                answers = held.get("answers")
                return Outcome(answers, fit, predict, None if rounds < 0 else int(rounds), str(held["error"]))
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):
            return None

    def add(self, job: TrialJob, outcome: Outcome) -> None:
        """Keep the outcome of a job."""
        path = self._path(job)
        if path is None:
            return
        rounds = -1 if outcome.rounds is None else outcome.rounds
        arrays = {
            "numbers": np.array([outcome.fit_seconds, outcome.predict_seconds, rounds], dtype=float),
            "error": np.array(outcome.error),
        }
        if outcome.answers is not None:
            arrays["answers"] = outcome.answers
        # Not forced to the disk, as there are thousands: what a power cut damages is done again.
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        part.replace(path)

    def _path(self, job: TrialJob) -> Path | None:
        if self.folder is None:
            return None
        return self.folder / f"{blake2b(job.key.encode(), digest_size=10).hexdigest()}.npz"

    def close(self) -> None:
        """Throw it all away: the run is over."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
