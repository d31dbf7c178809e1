"""``python -m bench.pairs OTHER [SUITE ...]``: this checkout against another one (an earlier commit), case by case.

Each checkout runs its own ``bench`` cases in a process of its own environment (``OTHER/.venv``); the two take turns,
so that a busy neighbour meets both. Printed is the median over the pairs of seconds here over seconds there, with the
quartiles; then the same for the first call in a fresh process. No peers run.
"""

import importlib
import json
import pkgutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import bench
from bench.runner import Case

HERE = Path(__file__).resolve().parents[1]
LEAST, MOST, SECONDS = 7, 61, 12.0  # pairs of a case: at least, at most, and how long they may take in all

# What a user runs first: import, then one small fit and prediction.
FIRST_CALLS = {
    "import lanatus": "import lanatus",
    "decision tree on iris": "from lanatus.tree import DecisionTreeClassifier as M",
    "logistic regression on iris": "from lanatus.linear import LogisticRegression as M",
    "Gaussian naive Bayes on iris": "from lanatus.bayes import GaussianNB as M",
    "random forest on iris": "from lanatus.ensemble import RandomForestClassifier as M",
    "k-means on iris": "from lanatus.cluster import KMeans as M",
}
IRIS = """
import numpy as np
r = np.random.default_rng(0); y = r.integers(0, 3, 150); X = r.normal(size=(150, 4)) + y[:, None]
m = M(3) if M.__name__ == "KMeans" else M()
m.fit(X, y).predict(X)
"""


def cases() -> dict[str, Case]:
    """All cases of this checkout by suite and name."""
    everything: dict[str, Case] = {}
    for info in pkgutil.iter_modules(bench.__path__):
        try:
            module = importlib.import_module(f"bench.{info.name}") if info.name not in ("__main__", "pairs") else None
        except ImportError:  # a peer that its module cannot do without
            continue
        everything |= {f"{case.suite}: {case.name}": case for case in getattr(module, "CASES", [])}
    return everything


def serve() -> None:
    """Answer a driver: a line with a case's name makes its data and warms up, an empty line runs it once more."""
    everything = cases()
    sys.stdout.write(json.dumps(sorted(everything)) + "\n")
    sys.stdout.flush()
    case, data = None, None
    for line in sys.stdin:
        if name := line.strip():
            case, data = everything[name], None  # the old data go before the new come
            data = case.make()
            case.ours(data)
        assert case is not None
        start = time.perf_counter()
        case.ours(data)
        sys.stdout.write(f"{time.perf_counter() - start}\n")
        sys.stdout.flush()


class Server:
    """A checkout's process."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [folder / ".venv/bin/python", "-P", str(HERE / "bench/pairs.py"), "--serve"],
            cwd=folder,
            env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "2"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.names: list[str] = self.read()

    def read(self) -> Any:
        """The next answer."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def seconds(self, name: str = "") -> float:
        """Time of one more run, after a change of case if it is named."""
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return float(self.read())


def compared(here: Server, there: Server, name: str) -> list[tuple[float, float]]:
    """Seconds of the pairs, who goes first changing from pair to pair."""
    here.seconds(name)
    there.seconds(name)
    pairs: list[tuple[float, float]] = []
    end = time.monotonic() + SECONDS
    while len(pairs) < LEAST or (len(pairs) < MOST and time.monotonic() < end):
        if len(pairs) % 2:
            pairs.append((here.seconds(), there.seconds()))
        else:
            there_seconds = there.seconds()
            pairs.append((here.seconds(), there_seconds))
    return pairs


def fresh(folder: Path, code: str) -> float:
    """Seconds of a fresh process."""
    start = time.perf_counter()
    subprocess.run([folder / ".venv/bin/python", "-c", code], cwd=folder, check=True)
    return time.perf_counter() - start


def say(name: str, pairs: list[tuple[float, float]]) -> None:
    """A line of the table."""
    ratios = [a / b for a, b in pairs]
    low, middle, high = statistics.quantiles(ratios, n=4)
    here, there = (statistics.median(side) for side in zip(*pairs, strict=True))
    sys.stdout.write(f"{name:60s} {here:9.4f} {there:9.4f}  {middle:5.2f} [{low:.2f}, {high:.2f}] of {len(pairs)}\n")
    sys.stdout.flush()


def main(other: Path, suites: list[str]) -> None:
    """Print the table."""
    here, there = Server(HERE), Server(other)
    sys.stdout.write(f"{'case':60s} {'here s':>9s} {'there s':>9s}  here over there: median [quartiles] of pairs\n")
    for name in here.names:
        if name in there.names and (not suites or name.split(":")[0] in suites):
            say(name, compared(here, there, name))
    if not suites or "first" in suites:
        for name, head in FIRST_CALLS.items():
            code = head + (IRIS if " as M" in head else "")
            say(f"first call: {name}", [(fresh(HERE, code), fresh(other, code)) for _ in range(11)])


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        main(Path(sys.argv[1]).resolve(), sys.argv[2:])
