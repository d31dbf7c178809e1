"""``lanatus fit``: a table in, an honest comparison and a model out."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline

from lanatus import catalog, data, persist
from lanatus.base import as_labels


def fit_file(console: Console, path: Path, target: str, out: Path, seed: int) -> None:
    """Read a file and fit the classifiers of the catalogue to it."""
    table = data.read(path)
    if target not in table.column_names:
        raise ValueError(f"{path} has no column {target!r}; its columns are {', '.join(table.column_names)}.")
    y = table.column(target)
    keep = y.is_valid()
    labels = as_labels(y.filter(keep))
    X = table.drop_columns([target]).filter(keep)
    if not X.num_columns:
        raise ValueError(f"{path} has no column but {target!r}; wanted at least one to learn from.")
    fit_table(console, X, labels, path.stem, out, seed)


def fit_table(console: Console, X: pa.Table, y: np.ndarray, name: str, out: Path, seed: int) -> Path:
    """Compare by stratified cross-validation, refit the best on all rows, save it with a report."""
    classes, counts = np.unique(y, return_counts=True)
    folds = min(10, int(counts.min()))
    if len(classes) < 2 or folds < 2:
        raise ValueError(
            f"the target must have at least two classes with two rows each to compare classifiers; got "
            f"{dict(zip(classes.tolist()[:10], counts.tolist(), strict=False))}. "
            "Regression comes with the linear models."
        )
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    parts = list(splitter.split(np.zeros(len(y)), y))
    scores = {learner: _accuracies(model, X, y, parts) for learner, model in candidates().items()}
    best = max(
        (learner for learner in scores if learner != "majority class"),
        key=lambda learner: scores[learner].mean(),
    )
    shown = RichTable(
        "learner", "accuracy", "± deviation", title=f"{escape(name)}: {folds}-fold cross-validation, {len(y)} rows"
    )
    for learner, values in sorted(scores.items(), key=lambda item: -item[1].mean()):
        mark = " [green]<- kept[/]" if learner == best else ""
        shown.add_row(learner + mark, f"{values.mean():.3f}", f"{values.std():.3f}")
    console.print(shown)
    out.mkdir(parents=True, exist_ok=True)
    saved = persist.save(candidates()[best].fit(X, y), out / f"{name}.skops")
    report = out / f"{name}.md"
    lines = [
        f"# {name}",
        "",
        f"{folds}-fold cross-validation of {len(y)} rows.",
        "",
        "| learner | accuracy | deviation |",
        "|---|---|---|",
    ]
    lines += [f"| {learner} | {values.mean():.3f} | {values.std():.3f} |" for learner, values in scores.items()]
    report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    console.print(escape(f"model:  {saved}\nreport: {report}"), soft_wrap=True)
    return saved


def _accuracies(model: Any, X: pa.Table, y: np.ndarray, parts: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Accuracy on each test part of a model fitted to the rest; categories new to it count as missing."""
    out = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", data.UnseenCategoryWarning)
        for train, test in parts:
            fitted = clone(model).fit(X.take(train), y[train])
            out.append(float(np.mean(fitted.predict(X.take(test)) == y[test])))
    return np.array(out)


def candidates() -> dict[str, Any]:
    """A baseline and every classifier of the catalogue; those without a rule for holes get an imputer."""
    found: dict[str, Any] = {"majority class": DummyClassifier()}
    for entry in catalog.estimators():
        model = entry.object()
        if is_classifier(model):
            takes_holes = entry.takes is not None and entry.takes.missing
            found[entry.name] = model if takes_holes else _with_imputer(model)
    return found


def _with_imputer(model: Any) -> Pipeline:
    return make_pipeline(data.SimpleImputer(), model)
