"""What a model goes by: importances, dependence on single columns, and a model that can be read."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lanatus.explain._facts import Dependence, Importance
from lanatus.profile import ColumnFacts

__all__ = ["dependence_on", "importances_of", "read_model"]

_DICTIONARY = pa.dictionary(pa.int32(), pa.string()).id
_REPEATS = 3
_GRID = 20
_LEVELS = 12


def importances_of(
    answers: Callable[[pa.Table], np.ndarray],
    X: pa.Table,
    y: np.ndarray,
    loss: Callable[[np.ndarray, np.ndarray], float],
    *,
    columns: Sequence[str],
    seconds: float,
    seed: int,
) -> tuple[Importance, ...]:
    """How much the loss grows when a column is shuffled among rows that the model was not fitted to.

    Parameters
    ----------
    answers : callable
        What the model answers for a table.
    X, y : Table, ndarray
        The rows.
    loss : callable
        What is lost on average: ``loss(y, answers)``.
    columns : sequence of str
        What to look at, the likeliest first; how far it comes depends on `seconds`.
    seconds : float
        Time to spend.
    seed : int
        Of the shuffles.

    Returns
    -------
    tuple of Importance
        The most important first.
    """
    until = time.monotonic() + seconds
    rng = np.random.RandomState(seed)
    shuffles = [rng.permutation(X.num_rows) for _ in range(_REPEATS)]
    unshuffled = loss(y, answers(X))
    importances: list[Importance] = []
    for name in columns:
        if importances and time.monotonic() > until:
            break
        at = X.column_names.index(name)
        falls = []
        for order in shuffles:
            shuffled = X.set_column(at, name, X.column(name).take(pa.array(order)))
            falls.append(loss(y, answers(shuffled)) - unshuffled)
        importances.append(Importance(name, float(np.mean(falls)), float(np.std(falls, ddof=1))))
    return tuple(sorted(importances, key=lambda one: -one.value))


def dependence_on(
    answers: Callable[[pa.Table], np.ndarray], X: pa.Table, column: ColumnFacts, n_classes: int
) -> Dependence | None:
    """Mean answer as one column takes its usual values in turn; None for a column that has no such values."""
    grid = _grid(X.column(column.name), column)
    if len(grid) < 2:
        return None
    at = X.column_names.index(column.name)
    field = X.schema.field(at)
    means = []
    for value in grid:
        constant = pa.array([value] * X.num_rows, pa.scalar(value).type if field.type.id == _DICTIONARY else field.type)
        predictions = answers(X.set_column(at, column.name, constant))
        means.append(np.atleast_1d(predictions.mean(axis=0)))
    values = np.array(means)
    if n_classes == 2:
        values = values[:, 1:]
    numeric = column.kind == "numeric"
    return Dependence(column.name, tuple(float(v) if numeric else str(v) for v in grid), numeric, values)


def _grid(values: pa.ChunkedArray, column: ColumnFacts) -> list[Any]:
    known = values.drop_null()
    if column.kind == "numeric" and not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        return []  # numbers as text
    if column.kind == "numeric":
        numbers = np.asarray(known, dtype=float)
        numbers = numbers[np.isfinite(numbers)]
        if not len(numbers):
            return []
        distinct = np.unique(numbers)
        if len(distinct) > _GRID:
            distinct = np.unique(np.quantile(numbers, np.linspace(0.03, 0.97, _GRID)))
        return [int(v) for v in np.unique(distinct.round())] if pa.types.is_integer(values.type) else distinct.tolist()
    if column.kind in ("nominal", "ordinal", "boolean"):
        counts = known.value_counts()
        order = sorted(counts.to_pylist(), key=lambda one: -one["counts"])
        return [one["values"] for one in order[:_LEVELS]]
    return []


def read_model(model: Any, class_names: Sequence[str]) -> tuple[str, str]:
    """A fitted model as text and as a picture (SVG, or empty): a tree, or the weights of a linear model."""
    if not hasattr(model, "tree_"):
        return _weights(model, class_names), ""
    from lanatus.tree import export_text, plot_tree

    named = list(class_names) or None
    return export_text(model, class_names=named), plot_tree(model, class_names=named).to_svg()


def _weights(pipeline: Any, class_names: Sequence[str]) -> str:
    """The weights of a linear model on columns of one scale, the largest first."""
    names = list(pipeline[0].get_feature_names_out())
    weights = np.atleast_2d(pipeline[-1].coef_)
    bias = np.atleast_1d(pipeline[-1].intercept_)
    heads = list(class_names) if len(weights) > 1 else [class_names[1] if len(class_names) == 2 else ""]
    width = max([len(name) for name in names] + [9])
    order = np.argsort(-np.abs(weights).max(axis=0), kind="stable")
    lines = [" " * width + "".join(f"  {head[:10]:>10}" for head in heads)] if any(heads) else []
    lines += [f"{'intercept':<{width}}" + "".join(f"  {value:>10.4g}" for value in bias)]
    lines += [f"{names[j]:<{width}}" + "".join(f"  {value:>10.4g}" for value in weights[:, j]) for j in order]
    return "\n".join(lines)
