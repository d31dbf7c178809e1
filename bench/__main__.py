"""``python -m bench SUITE``: prints the table, fails under a floor; SUITE=all also writes docs/benchmarks.md."""

import datetime
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench import bayes, boosting, ensembles, evaluation, imbalance, kmeans, lasso, lda, logistic, ridge, stream, trees
from bench.runner import Outcome, run

CASES = [
    *kmeans.CASES,
    *bayes.CASES,
    *evaluation.CASES,
    *ridge.CASES,
    *logistic.CASES,
    *lda.CASES,
    *lasso.CASES,
    *imbalance.CASES,
    *trees.CASES,
    *ensembles.CASES,
    *boosting.CASES,
]
SUITES = [*dict.fromkeys(case.suite for case in CASES), "stream"]
PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"


def say(line: str) -> None:
    """Print at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(suite: str) -> int:
    """Run a suite, or all."""
    if suite not in (*SUITES, "all"):
        say(f"no suite {suite!r}; there are {', '.join(SUITES)} and all.")
        return 2
    outcomes: list[Outcome] = []
    for case in CASES:
        if suite in (case.suite, "all"):
            say(f"{case.suite}: {case.name}")
            outcome = run(case, say)
            outcomes.append(outcome)
            verdict = "ok" if outcome.passed else "BELOW"
            say(f"    => {outcome.ratio:.2f} x {outcome.rival}, floor {case.floor:g}: {verdict}")
    memory = []
    if suite in ("stream", "all"):
        say("stream: fits over Parquet files larger than the memory allowed")
        memory = stream.run(say)
    if suite == "all":
        PAGE.write_text(page(outcomes, memory), encoding="utf-8")
        say(f"wrote {PAGE}")
    failed = [o.case.name for o in outcomes if not o.passed] + [str(m["title"]) for m in memory if not m["passed"]]
    if failed:
        say(f"under their floors: {'; '.join(failed)}")
    return 1 if failed else 0


def page(outcomes: list[Outcome], memory: list[dict[str, Any]]) -> str:
    """The table of a full run."""
    lines = [
        "# Benchmarks",
        "",
        f"Run {datetime.date.today()} on {_processor()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}; {_versions()}.",
        "",
        "Ours and the peers run in turn in one process; seconds are medians of the warm runs. A ratio is the time of "
        "the fastest peer of equal or better quality over ours. Two shared cores: read nothing into a few per cent.",
        "",
        "| case | ours, s | fastest peer | s | ratio | floor | quality (ours / peer) | others |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for o in outcomes:
        ours, rival = o.timings["lanatus"], o.timings[o.rival]
        others = "; ".join(_other(o, name) for name in o.timings if name not in ("lanatus", o.rival))
        lines.append(
            f"| {o.case.name} | {ours.seconds:.4f} (first {ours.first:.4f}) | {o.rival} | {rival.seconds:.4f} | "
            f"**{o.ratio:.2f}** | {o.case.floor:g} | "
            f"{o.case.quality_name} {ours.quality:.5g} / {rival.quality:.5g} | {others} |"
        )
    lines += [
        "",
        "## Memory of streamed fits",
        "",
        "| fit | data, GB | rows | s | peak resident set, MB | limit |",
        "|---|---|---|---|---|---|",
    ]
    lines += [_memory_row(row) for row in memory]
    return "\n".join(lines) + "\n"


def _other(outcome: Outcome, name: str) -> str:
    """A slower peer, or one that is no rival."""
    timing = outcome.timings[name]
    note = "" if outcome.equal_or_better(name) else f" *at lower quality {timing.quality:.4g}*"
    return f"{name} {timing.seconds / outcome.timings['lanatus'].seconds:.2f}x{note}"


def _memory_row(row: dict[str, Any]) -> str:
    title = row["title"].replace("|", r"\|")  # k-means|| in a table
    size, rows, seconds, peak = row["bytes"] / 1e9, row["rows"], row["seconds"], row["peak"] / 1e6
    return f"| {title} | {size:.2f} | {rows:,} | {seconds:.1f} | {peak:.0f} | 1 GB |"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else ():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor() or platform.machine()


def _versions() -> str:
    found = []
    for name in ("lanatus", "numpy", "scikit-learn", "scikit-learn-intelex", "faiss-cpu"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} absent")
    return ", ".join(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] else "all"))
