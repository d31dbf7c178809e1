"""``python -m fuzz.run``: run cases in worker processes, restart after a crash or a hang, count the verdicts.

A worker says which case it begins and how it ended, a line each; when it dies or falls silent, the case begun last is
the guilty one, and another worker goes on behind it.
"""

import argparse
import collections
import faulthandler
import importlib
import json
import os
import queue
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

KINDS = ("states", "sparse", "dense")
BATCH = 400  # cases of a worker, so that a slow leak ends with it
MEMORY = 8 << 30  # bytes that may be written to; a case that wants more gets MemoryError, which counts as unclear
BAD = ("crash", "hang", "nan", "unclear")

Case = tuple[str, str, int]


def cases(kinds: list[str], n: int, seed: int, only: str) -> Iterator[Case]:
    """Cases of every kind, one estimator after the other."""
    for kind in kinds:
        names = [name for name in importlib.import_module(f"fuzz.{kind}").NAMES if only in ("", name)]
        share = -(-n // (len(kinds) * max(len(names), 1)))
        yield from ((kind, name, seed * 1_000_000 + number) for name in names for number in range(share))


def work() -> None:
    """Answer the driver: a line a case."""
    faulthandler.enable()
    if "ASAN_OPTIONS" not in os.environ:  # the sanitizer has shadow memory of its own
        # Not addresses: allocators reserve gigabytes of them, and abort the process where they cannot have them.
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    for line in sys.stdin:
        kind, name, number = json.loads(line)
        verdict = importlib.import_module(f"fuzz.{kind}").case(name, number)
        sys.stdout.write(json.dumps([verdict.how, verdict.what[:300]]) + "\n")
        sys.stdout.flush()


@dataclass
class Tally:
    """What has been found."""

    counts: collections.Counter[tuple[str, str]] = field(default_factory=collections.Counter)
    bad: list[tuple[Case, str, str]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, case: Case, how: str, what: str) -> None:
        """Count a verdict; keep it if it is a bad one."""
        with self.lock:
            self.counts[case[0], how] += 1
            if how in BAD:
                self.bad.append((case, how, what))
                sys.stdout.write(f"{how}: {':'.join(map(str, case))}: {what}\n")
                sys.stdout.flush()


class Worker:
    """A process that runs cases one by one."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fuzz.run", "--work"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "LANATUS_THREADS": "2"},
        )
        self.answers: queue.Queue[str] = queue.Queue()
        self.errors: collections.deque[str] = collections.deque(maxlen=40)
        for stream, take in ((self.process.stdout, self.answers.put), (self.process.stderr, self.errors.append)):
            threading.Thread(target=self._pump, args=(stream, take), daemon=True).start()

    @staticmethod
    def _pump(stream: Any, take: Any) -> None:
        for line in stream:
            take(line)
        take("")

    def run(self, case: Case, seconds: float) -> tuple[str, str]:
        """The verdict on a case; ``crash`` or ``hang`` where the process did not live to give one."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(case) + "\n")
            self.process.stdin.flush()
            answer = self.answers.get(timeout=seconds)
        except (BrokenPipeError, queue.Empty) as error:
            answer = "" if isinstance(error, BrokenPipeError) else None
        if answer:
            how, what = json.loads(answer)
            return how, what
        self.process.kill()
        code = self.process.wait()
        return ("hang", f"no answer in {seconds:g} s") if answer is None else ("crash", f"{code} {self.trace()}")

    def trace(self) -> str:
        """The last words of a dead process: a sanitizer's summary, or where Python was."""
        lines = [line.strip() for line in self.errors if line.strip()]
        marks = ("ERROR", "runtime error", "terminate called", "what():", "Fatal", "File ")
        telling = [line for line in lines if any(mark in line for mark in marks)]
        return " | ".join((telling or lines)[:5])

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()


def drive(todo: Iterator[Case], tally: Tally, seconds: float, jobs: int) -> None:
    """Run all cases on several workers."""
    lock = threading.Lock()

    def loop() -> None:
        worker, done = Worker(), 0
        while True:
            with lock:
                case = next(todo, None)
            if case is None:
                break
            how, what = worker.run(case, seconds if done else seconds + 60)  # the first imports everything
            tally.add(case, how, what)
            done += 1
            if how in ("crash", "hang") or done % BATCH == 0:
                worker.stop()
                worker, done = Worker(), 0
        worker.stop()

    threads = [threading.Thread(target=loop) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> int:
    """Run, print the table, fail where a case ended badly."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.run", description=__doc__)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    parser.add_argument("--cases", type=int, default=3000, help="in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="one estimator")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60.0, help="after which a case counts as endless")
    parser.add_argument("--case", help="run one case in this process: kind:estimator:number")
    given = parser.parse_args()
    if given.work:
        work()
        return 0
    if given.case:
        kind, name, number = given.case.split(":")
        sys.stdout.write(f"{importlib.import_module(f'fuzz.{kind}').case(name, int(number))}\n")
        return 0
    tally = Tally()
    drive(cases(given.kinds, given.cases, given.seed, given.only), tally, given.seconds, given.jobs)
    for kind in given.kinds:
        said = {how: n for (of, how), n in sorted(tally.counts.items()) if of == kind}
        sys.stdout.write(f"{kind}: {sum(said.values())} cases; {', '.join(f'{n} {how}' for how, n in said.items())}\n")
    return 1 if tally.bad else 0


if __name__ == "__main__":
    sys.exit(main())
