"""``python -m bench SUITE``: prints the table, fails under a floor, and writes the suite's part of docs/benchmarks.md.

A suite is found by itself: modules of this folder with a list ``CASES``, or with ``SUITE`` and ``measure``.
"""

import datetime
import importlib
import os
import pkgutil
import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

import bench
from bench.runner import Finding, Outcome, run

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
HEAD = """---
nav: 70
---
# Benchmarks

Ours and the peers run in turn in one process; seconds are medians of the warm runs. A ratio is the time of the fastest
peer of equal or better quality over ours. Two shared cores: read nothing into a few per cent. Each suite says when and
with what it was last run: `make bench SUITE=kmeans`.
"""


def say(line: str) -> None:
    """Print at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def modules() -> list[ModuleType]:
    """The modules of this folder that time or measure something."""
    names = [info.name for info in pkgutil.iter_modules(bench.__path__) if info.name not in ("__main__", "runner")]
    found = [importlib.import_module(f"bench.{name}") for name in names]
    return [module for module in found if hasattr(module, "CASES") or hasattr(module, "measure")]


def main(wanted: str) -> int:
    """Run a suite, or all."""
    found = modules()
    cases = [case for module in found for case in getattr(module, "CASES", [])]
    measures = [module for module in found if hasattr(module, "measure")]
    suites = sorted({case.suite for case in cases} | {module.SUITE for module in measures})
    if wanted not in (*suites, "all"):
        say(f"no suite {wanted!r}; there are {', '.join(suites)} and all.")
        return 2
    failed = []
    for suite in suites if wanted == "all" else [wanted]:
        outcomes, findings = [], []
        for case in cases:
            if case.suite != suite:
                continue
            say(f"{suite}: {case.name}")
            outcome = run(case, say)
            outcomes.append(outcome)
            verdict = "ok" if outcome.passed else "BELOW"
            beside = (
                "no peer of equal quality is here"
                if outcome.rival is None
                else f"{outcome.ratio:.2f} x {outcome.rival}"
            )
            say(f"    => {beside}, floor {case.floor:g}: {verdict}")
        for module in measures:
            if suite == module.SUITE:
                say(f"{suite}: {(module.__doc__ or '').splitlines()[0]}")
                findings += module.measure(say)
        failed += [o.case.name for o in outcomes if not o.passed] + [f.what for f in findings if not f.passed]
        PAGE.write_text(renewed(PAGE.read_text("utf-8"), suite, section(outcomes, findings)), encoding="utf-8")
    if failed:
        say(f"under their floors: {'; '.join(failed)}")
    return 1 if failed else 0


def renewed(page: str, suite: str, text: str) -> str:
    """The page with the section of a suite replaced; sections in alphabetical order."""
    parts = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page, flags=re.MULTILINE | re.DOTALL))
    parts[suite] = f"\n{text}\n"
    return HEAD + "".join(f"\n## {name}\n{body.rstrip()}\n" for name, body in sorted(parts.items()))


def section(outcomes: list[Outcome], findings: list[Finding]) -> str:
    """What was run when, the table of races, the list of what else was measured."""
    lines = [
        f"Run {datetime.date.today()} on {_processor()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}; {_versions()}."
    ]
    if outcomes:
        lines += [
            "",
            "| case | ours, s | fastest peer | s | ratio | floor | quality (ours / peer) | others |",
            "|---|---|---|---|---|---|---|---|",
        ]
    lines += [_row(outcome) for outcome in outcomes]
    if findings:
        lines += ["", "| measured | wanted | got |", "|---|---|---|"]
    lines += [f"| {f.what} | {f.wanted} | {f.got} |".replace("||", r"\|\|") for f in findings]
    return "\n".join(lines)


def _row(outcome: Outcome) -> str:
    """A line of the table of races."""
    case, ours, rival = outcome.case, outcome.timings["lanatus"], outcome.rival
    others = "; ".join(_other(outcome, name) for name in outcome.timings if name not in ("lanatus", rival))
    quality = f"{case.quality_name} {ours.quality:.5g}"
    if rival is None:
        peer, ratio = "none of equal quality | ", ""
    else:
        peer = f"{rival} | {outcome.timings[rival].seconds:.4f}"
        ratio, quality = f"**{outcome.ratio:.2f}**", f"{quality} / {outcome.timings[rival].quality:.5g}"
    seconds = f"{ours.seconds:.4f} (first {ours.first:.4f})"
    return f"| {case.name} | {seconds} | {peer} | {ratio} | {case.floor:g} | {quality} | {others} |"


def _other(outcome: Outcome, name: str) -> str:
    """A slower peer, or one that is no rival."""
    timing = outcome.timings[name]
    note = "" if outcome.equal_or_better(name) else f" *at lower quality {timing.quality:.4g}*"
    return f"{name} {timing.seconds / outcome.timings['lanatus'].seconds:.2f}x{note}"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else ():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor() or platform.machine()


def _versions() -> str:
    found = []
    for name in ("lanatus", "numpy", "scikit-learn", "scikit-learn-intelex"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} absent")
    return ", ".join(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] else "all"))
