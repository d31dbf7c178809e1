"""``lanatus fit``: a table in, an honest comparison and a model out."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.markup import escape
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline, make_pipeline

from lanatus import catalog, data, persist
from lanatus.base import as_labels
from lanatus.evaluation import compare

BASELINE = "majority class"


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
    result = compare(candidates(), {name: (X, y)}, splitter=folds, random_state=seed)
    console.print(result)
    best = min(
        (learner for learner in result.learners if learner != BASELINE),
        key=lambda learner: result.mean_ranks()[result.learners.index(learner)],
    )
    out.mkdir(parents=True, exist_ok=True)
    saved = persist.save(candidates()[best].fit(X, y), out / f"{name}.skops")
    report = out / f"{name}.html"
    result.to_html(report)
    console.print(escape(f"kept:   {best}\nmodel:  {saved}\nreport: {report}"), soft_wrap=True)
    return saved


def candidates() -> dict[str, Any]:
    """A baseline and the contenders of the catalogue; those without a rule for holes get an imputer."""
    found: dict[str, Any] = {BASELINE: DummyClassifier()}
    for entry in catalog.estimators():
        if not entry.contender:
            continue
        model = entry.object()
        if is_classifier(model):
            takes_holes = entry.takes is not None and entry.takes.missing
            found[entry.name] = model if takes_holes else _with_imputer(model)
    return found


def _with_imputer(model: Any) -> Pipeline:
    return make_pipeline(data.SimpleImputer(), model)
