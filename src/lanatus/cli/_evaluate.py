"""``lanatus evaluate``: a saved model on rows with known answers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable
from sklearn.metrics import confusion_matrix

from lanatus import data, persist
from lanatus.auto import answers_of, estimate, numbers_in, scores_for
from lanatus.base import as_labels
from lanatus.cli._predict import columns_for

_MOST_CLASSES = 12


def evaluate_file(console: Console, path: Path, rows: Path, target: str | None, level: float) -> None:
    """Scores with intervals and, for classes, the confusion matrix."""
    model = persist.load(path)
    target = target or target_of(path)
    table = data.read(rows)
    if target not in table.column_names:
        raise ValueError(f"{rows} has no column {target!r}; its columns are {', '.join(table.column_names)}.")
    known = table.filter(table.column(target).is_valid())
    if not known.num_rows:
        raise ValueError(f"{rows} has no row with a value of {target!r}.")
    X = columns_for(model, known.drop_columns([target]))
    classes = getattr(model, "classes_", None)
    if classes is None:
        y: Any = numbers_in(known.column(target), target)
        scores, answers = scores_for("regression"), answers_of(model, X, 0)
    else:
        labels = as_labels(known.column(target))
        if strange := sorted({str(label) for label in labels} - {str(label) for label in classes}):
            raise ValueError(f"{target!r} has classes that the model does not know: {', '.join(strange)}.")
        y = np.searchsorted([str(label) for label in classes], [str(label) for label in labels]).astype(np.int64)
        scores = scores_for("two-class" if len(classes) == 2 else "many-class")
        answers = np.asarray(model.predict_proba(X))
    title = f"{escape(path.name)} on {known.num_rows:,} rows"
    shown = RichTable("measure", "value", f"{level:.0%} interval", title=title)
    for score in scores.shown:
        found, _ = estimate(score, y, answers, np.zeros(len(y), dtype=np.intp), level)
        shown.add_row(score.name, f"{found.value:.4g}", f"{found.low:.4g} to {found.high:.4g}")
    console.print(shown)
    if classes is not None and len(classes) <= _MOST_CLASSES:
        console.print(_confusion(y, model, X, classes))


def target_of(model: Path) -> str:
    """The column that a model was made to predict, as the run beside it says."""
    run = model.with_name("run.json")
    if not run.exists():
        raise ValueError(f"there is no {run.name} beside {model} to tell the target; say it with --target.")
    return str(json.loads(run.read_text(encoding="utf-8"))["target"])


def _confusion(y: np.ndarray, model: Any, X: Any, classes: np.ndarray) -> RichTable:
    predicted = np.searchsorted(classes, np.asarray(model.predict(X)))
    table = RichTable(title="rows: truth, columns: answers")
    table.add_column("")
    for label in classes:
        table.add_column(escape(str(label)), justify="right")
    for label, counts in zip(classes, confusion_matrix(y, predicted, labels=np.arange(len(classes))), strict=True):
        table.add_row(escape(str(label)), *map(str, counts))
    return table
