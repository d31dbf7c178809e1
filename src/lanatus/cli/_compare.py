"""``lanatus compare``: methods as they come, on one table."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.markup import escape
from sklearn.pipeline import Pipeline

from lanatus.auto import candidates, prepare
from lanatus.evaluation import compare
from lanatus.preprocess import TableCleaner


def compare_methods(
    console: Console,
    path: Path,
    target: str,
    names: Sequence[str] | None,
    *,
    task: str | None,
    folds: int,
    seed: int,
    out: Path | None,
) -> None:
    """Cross-validate methods, each with its own defaults behind a cleaner of tables, and test the differences."""
    prepared = prepare(path, target, task, None)
    found = candidates(prepared.profile.task, len(prepared.y), prepared.X.num_columns, names)
    learners = {
        family.name: Pipeline([("clean", TableCleaner()), ("model", family.trial({}).build(seed))]) for family in found
    }
    if len(learners) < 2:
        raise ValueError(f"got {len(learners)} method; wanted at least two to compare.")
    if prepared.n_classes:
        folds = min(folds, int(np.bincount(prepared.y).min()))
        if folds < 2:
            raise ValueError(f"a class of {target!r} has one row; wanted at least two of each to compare methods.")
    result = compare(learners, {prepared.name: (prepared.X, prepared.labels)}, splitter=folds, random_state=seed)
    console.print(result)
    if out is not None:
        result.to_html(out)
        console.print(f"page: {escape(str(out))}", soft_wrap=True)
