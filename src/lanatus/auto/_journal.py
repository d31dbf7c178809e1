"""Finished jobs of a run on disk, so that one that was killed goes on where it was."""

import shutil
from pathlib import Path

from lanatus._journal import ForeignJournal, Journal, packed, unpacked
from lanatus.auto._work import Outcome, TrialJob

__all__ = ["TrialJournal"]

_SPENT = "seconds"  # the key under which the time spent is kept


class TrialJournal:
    """Outcomes of jobs in a folder.

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
        header, path = {"lanatus": "run", "run": run}, folder / "jobs.jsonl"
        try:
            # Not forced to the disk, as there are thousands: what a power cut damages is done again.
            self._jobs = Journal(path, header, durable=False)
        except ForeignJournal:
            shutil.rmtree(folder, ignore_errors=True)
            self._jobs = Journal(path, header, durable=False)
        folder.mkdir(parents=True, exist_ok=True)
        self.seconds = float(self._jobs.records.pop(_SPENT, {}).get(_SPENT, 0.0))
        self.n_found = len(self._jobs.records)

    def note(self, seconds: float) -> None:
        """Remember how much of the budget is spent."""
        if self.folder is not None:
            self._jobs.add(_SPENT, {_SPENT: seconds})

    def find(self, job: TrialJob) -> Outcome | None:
        """The outcome of a job that was done before."""
        record = self._jobs.records.get(job.key) if self.folder is not None else None
        if record is None:
            return None
        try:
            answers = None if record["answers"] is None else unpacked(record["answers"])
            return Outcome(answers, record["fit"], record["predict"], record["rounds"], record["error"])
        except (KeyError, TypeError, ValueError):  # damaged: done again
            return None

    def add(self, job: TrialJob, outcome: Outcome) -> None:
        """Keep the outcome of a job."""
        if self.folder is None:
            return
        record = {
            "answers": None if outcome.answers is None else packed(outcome.answers),
            "fit": outcome.fit_seconds,
            "predict": outcome.predict_seconds,
            "rounds": outcome.rounds,
            "error": outcome.error,
        }
        self._jobs.add(job.key, record)

    def close(self) -> None:
        """Throw it all away: the run is over."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
