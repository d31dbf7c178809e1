"""Memory of a fit over Parquet files larger than it: generated, fitted in a fresh process, deleted."""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.runner import Finding

SUITE = "stream"
COLUMNS = 16
LIMIT = 1 << 30  # bytes of resident set

CHILD = """
import json, sys, time
import lanatus
from bench.stream import peak_resident_set
from lanatus.{package} import {name}
source = lanatus.scan(sys.argv[1], target={target!r}, columns=[f"x{{j}}" for j in range({columns})])
begin = time.perf_counter()
model = {name}({settings}).fit(source)
seconds = time.perf_counter() - begin
print(json.dumps({{"rows": len(source), "seconds": seconds, "peak": peak_resident_set()}}))
"""

JOBS = {
    "GaussianNB, one pass": {"package": "bayes", "name": "GaussianNB", "settings": "", "target": "y"},
    "KMeans, k-means|| and 3 rounds": {
        "package": "cluster",
        "name": "KMeans",
        "settings": "8, max_iter=3, random_state=0",
        "target": None,
    },
}


def peak_resident_set() -> int:
    """Highest resident set of this process, in bytes.

    From /proc where there is one: ``getrusage`` counts the parent's memory at the fork too.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def generate(folder: Path, gigabytes: float) -> int:
    """Random float64 columns, which do not compress, in files of half a gigabyte; gives the bytes on disk."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    rows = int((1 << 29) / (8 * COLUMNS))
    n_files = int(np.ceil(gigabytes * 2))
    for i in range(n_files):
        table = {f"x{j}": rng.normal(size=rows) for j in range(COLUMNS)}
        table["y"] = (table["x0"] > 0).astype(np.int8)
        pq.write_table(pa.table(table), folder / f"part-{i:03d}.parquet", compression="none", row_group_size=1 << 20)
    return sum(file.stat().st_size for file in folder.iterdir())


def measure(say: Callable[[str], None], gigabytes: float = 4.2) -> list[Finding]:
    """Peak resident set and time of each job; the files go at the end."""
    folder = Path(tempfile.mkdtemp(prefix="lanatus-bench-"))
    try:
        begin = time.perf_counter()
        size = generate(folder, gigabytes)
        say(f"    wrote {size / 1e9:.2f} GB in {time.perf_counter() - begin:.0f} s")
        found = []
        for title, job in JOBS.items():
            program = CHILD.format(columns=COLUMNS, **job)
            done = subprocess.run(
                [sys.executable, "-c", program, str(folder / "*.parquet")],
                capture_output=True,
                text=True,
                check=True,
            )
            got = json.loads(done.stdout.splitlines()[-1])
            told = f"{got['peak'] / 1e6:.0f} MB; {size / 1e9:.2f} GB, {got['rows']:,} rows in {got['seconds']:.1f} s"
            what = f"peak resident set of {title}, streamed from Parquet"
            found.append(Finding(what, "< 1 GB", told, got["peak"] < LIMIT))
            say(f"    {title:32s} {got['seconds']:7.1f} s  peak resident set {got['peak'] / 1e6:.0f} MB")
        return found
    finally:
        shutil.rmtree(folder, ignore_errors=True)
