"""``lanatus explain``: what a saved model is made of, what it goes by, why it answers so."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable
from sklearn.pipeline import Pipeline

from lanatus import data, persist
from lanatus.cli._predict import columns_for
from lanatus.explain import read_model

_ROWS = 300  # rows that stand for all where one is compared with the others
_SHOWN = 15


def explain_model(console: Console, path: Path, rows: Path | None, row: int | None) -> None:
    """Members and readable form of a model; with rows what moves its answers; with one row what moved that one."""
    model = persist.load(path)
    if rows is None:
        if row is not None:
            raise ValueError("--row needs a file with rows: lanatus explain MODEL DATA --row N.")
        _describe(console, model)
        return
    X = columns_for(model, data.read(rows))
    if row is not None and row >= X.num_rows:
        raise ValueError(f"got --row {row}, but {rows} has {X.num_rows} rows; the first is 0.")
    order = np.random.RandomState(0).permutation(X.num_rows)[:_ROWS]
    sample = X.take(pa.array(order))
    if row is None:
        console.print(_spreads(model, sample))
        return
    one = X.slice(row, 1)
    console.print(_said(model, one))
    console.print(_contributions(model, one, sample))


def _describe(console: Console, model: Any) -> None:
    inner = model[-1] if isinstance(model, Pipeline) else model
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    listed = ", ".join(names[:20]) + " ..." * (len(names) > 20)
    console.print(escape(f"{type(inner).__name__} on {len(names)} columns: {listed}"))
    if (classes := getattr(model, "classes_", None)) is not None:
        console.print(escape(f"classes: {', '.join(map(str, classes))}"))
    members = getattr(inner, "estimators", None)
    if members:
        table = RichTable("member", "weight", "parameters")
        weights = inner.weights or [1 / len(members)] * len(members)
        for (name, member), weight in zip(members, weights, strict=True):
            table.add_row(escape(name), f"{weight:.2f}", escape(str(member).replace("\n", " ")))
        console.print(table)
        return
    console.print(escape(str(inner)))
    last = inner[-1] if isinstance(inner, Pipeline) else inner
    if hasattr(last, "tree_") or hasattr(last, "coef_"):
        labels = [] if classes is None else [str(label) for label in classes]
        console.print(escape(read_model(inner, labels)[0]), soft_wrap=True)


def _answers(model: Any, X: pa.Table) -> np.ndarray:
    """Probabilities, or numbers as one column."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X))
    return np.asarray(model.predict(X), dtype=float)[:, None]


def _said(model: Any, one: pa.Table) -> str:
    answer = model.predict(one)[0]
    if not hasattr(model, "predict_proba"):
        return f"answer: {answer:.6g}"
    shares = ", ".join(f"{label} {p:.1%}" for label, p in zip(model.classes_, _answers(model, one)[0], strict=True))
    return escape(f"answer: {answer} ({shares})")


def _contributions(model: Any, one: pa.Table, others: pa.Table) -> RichTable:
    """How much each value moves the answer, against the values of other rows in its place."""
    place = int(_answers(model, one)[0].argmax())
    own = _answers(model, one)[0, place]
    moved = []
    repeated = pa.concat_tables([one] * others.num_rows)
    for at, name in enumerate(one.column_names):
        changed = repeated.set_column(at, name, others.column(name))
        moved.append((own - _answers(model, changed)[:, place].mean(), name, one.column(name)[0].as_py()))
    what = f"probability of {model.classes_[place]}" if hasattr(model, "predict_proba") else "answer"
    table = RichTable(
        "column", "value", escape(f"moves the {what} by"), title="against other rows' values in its place"
    )
    for move, name, value in sorted(moved, key=lambda item: -abs(item[0]))[:_SHOWN]:
        table.add_row(escape(name), escape(str(value)), f"{move:+.4g}")
    return table


def _spreads(model: Any, sample: pa.Table) -> RichTable:
    """How much answers move on average when a column's values change places among rows."""
    before = _answers(model, sample)
    order = np.random.RandomState(1).permutation(sample.num_rows)
    moved = []
    for at, name in enumerate(sample.column_names):
        shuffled = sample.set_column(at, name, sample.column(name).take(pa.array(order)))
        moved.append((np.abs(_answers(model, shuffled) - before).max(axis=1).mean(), name))
    table = RichTable("column", "answers move by", title=f"when its values change places among {sample.num_rows} rows")
    for move, name in sorted(moved, key=lambda item: -item[0])[:_SHOWN]:
        table.add_row(escape(name), f"{move:.4g}")
    return table
