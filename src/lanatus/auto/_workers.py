"""Workers: processes of their own that do one job at a time, and can be stopped in the middle of it."""

import contextlib
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue

from lanatus.auto._work import Outcome, TrialJob, evaluate

__all__ = ["Crew", "serve"]

# A worker is one of several, so it keeps to one core.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def serve() -> None:
    """What a worker does: read a job, write its outcome, until its master closes the pipe or dies."""
    jobs, outcomes = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever a method prints must not stand among the outcomes
    while True:
        try:
            job = pickle.load(jobs)
        except EOFError:
            return
        pickle.dump(evaluate(job), outcomes)
        outcomes.flush()


class _Worker:
    """A process, and a thread that passes on what it says."""

    def __init__(self, told: "SimpleQueue[tuple[_Worker, Outcome | None]]") -> None:
        # In a session of its own, so that Ctrl-C is its master's to handle.
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from lanatus.auto._workers import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ONE_THREAD},
            start_new_session=True,
        )
        self.job: TrialJob | None = None
        threading.Thread(target=self._listen, args=(told,), daemon=True).start()

    def give(self, job: TrialJob) -> None:
        self.job = job
        assert self.process.stdin is not None
        try:
            pickle.dump(job, self.process.stdin)
            self.process.stdin.flush()
        except BrokenPipeError:  # it has died; the listener says so
            pass

    def _listen(self, told: "SimpleQueue[tuple[_Worker, Outcome | None]]") -> None:
        assert self.process.stdout is not None
        try:
            while True:
                told.put((self, pickle.load(self.process.stdout)))
        except (EOFError, pickle.UnpicklingError, OSError, ValueError):
            told.put((self, None))

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


class Crew:
    """Workers that do jobs until they are done or the time is up.

    Parameters
    ----------
    n_jobs : int
        Workers, a process each; 1 works in this process and looks at the clock between jobs.
    """

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self._told: SimpleQueue[tuple[_Worker, Outcome | None]] = SimpleQueue()
        self._idle: list[_Worker] = []
        self._busy: list[_Worker] = []

    def run(self, jobs: Sequence[TrialJob], until: float, done: Callable[[TrialJob, Outcome], None]) -> bool:
        """Do jobs, telling of each; whether all were done before the time `until` of ``time.monotonic``."""
        if self.n_jobs == 1:
            for job in jobs:
                if time.monotonic() >= until:
                    return False
                done(job, evaluate(job))
            return True
        try:
            return self._run(deque(jobs), until, done)
        except BaseException:
            self.close()
            raise

    def _run(self, waiting: deque[TrialJob], until: float, done: Callable[[TrialJob, Outcome], None]) -> bool:
        while waiting or self._busy:
            while waiting and len(self._busy) < self.n_jobs:
                worker = self._idle.pop() if self._idle else _Worker(self._told)
                worker.give(waiting.popleft())
                self._busy.append(worker)
            left = until - time.monotonic()
            try:
                worker, outcome = self._told.get(timeout=min(max(left, 0.0), 3600.0))
            except Empty:
                if time.monotonic() < until:
                    continue
                self.close()
                return False
            if worker not in self._busy:  # an idle one that was stopped or has died
                self._idle = [other for other in self._idle if other is not worker]
                continue
            self._busy.remove(worker)
            assert worker.job is not None
            if outcome is None:
                worker.stop()
                outcome = Outcome(None, 0.0, error="the worker died, perhaps for want of memory")
            else:
                self._idle.append(worker)
            done(worker.job, outcome)
        return True

    def close(self) -> None:
        """Stop the workers, whatever they are doing."""
        for worker in (*self._idle, *self._busy):
            worker.stop()
        self._idle, self._busy = [], []
        self._told = SimpleQueue()
