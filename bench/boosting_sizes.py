"""Gradient boosting with many rows: memory beside LightGBM's, time a row from 100k to a million."""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.boosting import lightgbm, ours, rows
from bench.runner import Finding

SUITE = "boosting"
COLUMNS = 50

CHILD = """
import json, sys
from bench import boosting, boosting_sizes
print(json.dumps(boosting_sizes.memory_of_a_fit(sys.argv[1], int(sys.argv[2]))))
"""


def memory_of_a_fit(library: str, n: int) -> float:
    """Megabytes that a fit adds to this process at its peak; a small fit comes first, for what is loaded only once."""
    import threading
    from pathlib import Path

    call: Any = ours if library == "lanatus" else lambda case: lightgbm(False, case)
    call(rows(2_000, COLUMNS, "binary"))
    case = rows(n, COLUMNS, "binary")

    def resident() -> float:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6

    before, done, highest = resident(), threading.Event(), [0.0]

    def watch() -> None:
        while not done.wait(0.002):
            highest[0] = max(highest[0], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    call(case)
    done.set()
    watcher.join()
    return highest[0] - before


def memory(say: Callable[[str], None], n: int) -> Finding:
    """Ours beside LightGBM's, each in a process of its own."""
    peak = {}
    for library in ("lanatus", "LightGBM"):
        command = [sys.executable, "-c", CHILD, library, str(n)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peak[library] = float(json.loads(done.stdout.splitlines()[-1]))
    told = f"{peak['lanatus']:.0f} MB, LightGBM {peak['LightGBM']:.0f} MB"
    say(f"    memory added by boosting {n:,} x {COLUMNS}: {told}")
    return Finding(
        f"memory added by boosting {n:,} x {COLUMNS}",
        "LightGBM's and 30 %",
        told,
        peak["lanatus"] <= 1.3 * peak["LightGBM"],
    )


def growth(say: Callable[[str], None], sizes: tuple[int, ...] = (100_000, 300_000, 1_000_000)) -> Finding:
    """How straight a line the times lie on, and the time a row; medians of three rounds in turn."""
    cases = {n: rows(n, COLUMNS, "binary") for n in sizes}
    ours(cases[sizes[0]])
    taken: dict[int, list[float]] = {n: [] for n in sizes}
    for _ in range(3):
        for n, case in cases.items():
            begin = time.perf_counter()
            ours(case)
            taken[n].append(time.perf_counter() - begin)
    seconds = {n: statistics.median(some) for n, some in taken.items()}
    a_row = [seconds[n] / n / (seconds[sizes[0]] / sizes[0]) for n in sizes]
    slope, fixed = np.polyfit(sizes, list(seconds.values()), 1, w=[1 / s for s in seconds.values()])
    off = max(abs(seconds[n] / (fixed + slope * n) - 1) for n in sizes)
    told = ", ".join(f"{n:,}: {seconds[n]:.2f} s" for n in sizes)
    told += f"; off a straight line by {off:.1%} at most; time a row {' : '.join(f'{r:.2f}' for r in a_row)}"
    say(f"    time of boosting: {told}")
    what = f"growth of the time of boosting n x {COLUMNS}"
    return Finding(what, "a straight line to within 15 %, and no more a row", told, off <= 0.15 and max(a_row) <= 1.15)


def measure(say: Callable[[str], None]) -> list[Finding]:
    """Memory at two sizes, then growth."""
    return [memory(say, 200_000), memory(say, 1_000_000), growth(say)]
