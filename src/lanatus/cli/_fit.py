"""``lanatus fit``: a table in, an honest comparison, a model and a report out."""

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

import lanatus
from lanatus.auto import Run
from lanatus.cli._show import show_run, watching
from lanatus.table import Language

_LEFT = ("model.skops", "report.html", "leaderboard.csv", "predictions.csv", "run.json")


def fit_and_save(console: Console, data: Any, target: str, out: Path, language: Language, **settings: Any) -> Run:
    """Fit to a table, show what comes of it, and say where everything is."""
    with watching(console, language) as watch:
        run = lanatus.fit(data, target, out=out, language=language, watch=watch, **settings)
    show_run(console, run, language)
    for name in _LEFT:
        console.print(f"{name.partition('.')[0]:>12}: {escape(str(out / name))}", soft_wrap=True, highlight=False)
    return run
