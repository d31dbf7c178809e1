"""From a table and the name of its target to rows that a search can use."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lanatus.base import as_labels
from lanatus.data import read
from lanatus.preprocess import TableCleaner
from lanatus.preprocess.cleaning import RawColumn, numbers_of, read_role
from lanatus.profile import Profile, look, roles_to_keep
from lanatus.table import Table, UnseenCategoryWarning, as_frame

__all__ = ["Prepared", "cleaned", "cost_matrix", "numbers_in", "prepare"]


@dataclass(frozen=True)
class Prepared:
    """Rows with a known target.

    Attributes
    ----------
    name : str
        What the data is called.
    X : pyarrow.Table
        The columns to learn from, as they came.
    y : ndarray
        Class codes, or numbers.
    labels : ndarray
        What the last model is fitted to: the classes as they came, or the numbers.
    classes : ndarray
        The distinct labels, sorted; empty for numbers.
    groups : ndarray of int or None
        Rows that are copies of each other have the same number, where there are such.
    profile : Profile
        What was found in the table.
    unlabelled : pyarrow.Table
        The same columns of the rows without a known target.
    """

    name: str
    X: pa.Table
    y: np.ndarray
    labels: np.ndarray
    classes: np.ndarray
    groups: np.ndarray | None
    profile: Profile
    unlabelled: pa.Table

    @property
    def n_classes(self) -> int:
        """0 for numbers."""
        return len(self.classes)


def prepare(data: Any, target: str, task: str | None, name: str | None) -> Prepared:
    """Read a table, look at it, and part the target from the rest."""
    if isinstance(data, str | Path):
        name = name or Path(data).name.split(".")[0]
        table = read(data)
    else:
        table = _arrow(data)
    looked = look(table, target, task=task)
    if looked.profile.task == "regression":
        y, none = looked.y, np.empty(0)
        return Prepared(name or "table", looked.X, y, y, none, looked.groups, looked.profile, looked.unlabelled)
    labels = as_labels(looked.y)
    classes, codes = np.unique(labels, return_inverse=True)
    y = codes.astype(np.int64)
    rest = looked.groups, looked.profile, looked.unlabelled
    return Prepared(name or "table", looked.X, y, labels, classes, *rest)


def _arrow(data: Any) -> pa.Table:
    if isinstance(data, pa.Table):
        return data
    frame = as_frame(data)
    if frame is None:
        raise TypeError(
            f"got {type(data).__name__}, wanted a path, or a frame of pandas, polars or pyarrow with the target in it."
        )
    if hasattr(data, "iloc"):  # pandas: its index is no column
        return pa.Table.from_pandas(data, preserve_index=False)
    return frame.to_arrow()


def numbers_in(column: pa.ChunkedArray, name: str) -> np.ndarray:
    """The numbers of a column, whatever they are written as."""
    raw = RawColumn(name, column.combine_chunks())
    return numbers_of(raw, read_role(raw, "numeric").how)


def cleaned(
    prepared: Prepared, rows: np.ndarray, n_fitted: int, seed: int, more: pa.Table | None = None
) -> tuple[TableCleaner, Table]:
    """A cleaner that has seen the first of some rows, and all of these rows cleaned by it, then more rows."""
    X = prepared.X.take(pa.array(rows))
    X = X if more is None else pa.concat_tables([X, more])
    cleaner = TableCleaner(roles=roles_to_keep(prepared.profile), random_state=seed).fit(X.slice(0, n_fitted))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)  # of the rows held out
        made = cleaner.transform(X)
        return cleaner, Table.of(made, like=Table.of(made.slice(0, n_fitted)).schema)


def cost_matrix(cost: Any, classes: np.ndarray) -> np.ndarray | None:
    """Costs of each answer (column) for each truth (row), from whatever the user gave.

    Parameters
    ----------
    cost : None, str, path, mapping or array-like
        ``"fn=5,fp=1"`` or such a mapping for two classes, the second being the positive one; a file or a matrix with a
        row for each true class and a column for each answer.
    classes : ndarray
        The labels, sorted.

    Returns
    -------
    ndarray of shape (n_classes, n_classes) or None
    """
    if cost is None:
        return None
    k = len(classes)
    if not k:
        raise ValueError("costs are for classes, but the target is a number; leave them out.")
    if isinstance(cost, str) and "=" in cost:
        cost = _said(cost)
    if isinstance(cost, str | Path):
        return _from_file(Path(cost), [str(label) for label in classes])
    if isinstance(cost, Mapping):
        if set(cost) - {"fn", "fp"} or k != 2:
            raise ValueError(
                f"got costs {dict(cost)} for {k} classes; wanted fn=..., fp=... for two classes, or a matrix or a file "
                "with a row for each true class."
            )
        matrix = np.array([[0.0, float(cost.get("fp", 1))], [float(cost.get("fn", 1)), 0.0]])
    else:
        matrix = np.asarray(cost, dtype=float)
    return _checked(matrix, k)


def _checked(matrix: np.ndarray, k: int) -> np.ndarray:
    if matrix.shape != (k, k):
        raise ValueError(f"costs have shape {matrix.shape}; wanted {k} x {k}, a row for each true class.")
    if not np.isfinite(matrix).all() or (matrix < 0).any() or np.diag(matrix).any() or not matrix.any():
        raise ValueError("costs must be numbers from 0 on, 0 on the diagonal and not all 0: being right costs nothing.")
    return matrix


def _said(text: str) -> dict[str, float]:
    try:
        return {key.strip(): float(value) for key, value in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise ValueError(f"cannot read the costs {text!r}; wanted such as 'fn=5,fp=1', or a file.") from None


def _from_file(path: Path, classes: list[str]) -> np.ndarray:
    table = read(path)
    names = [str(name) for name in table.column(0).to_pylist()]
    if set(names) != set(classes) or set(table.column_names[1:]) != set(classes):
        raise ValueError(
            f"{path} has the rows {', '.join(names)} and the columns {', '.join(table.column_names[1:])}; wanted a "
            f"first column with the true classes and a column for each answer: {', '.join(classes)}."
        )
    rows = {name: k for k, name in enumerate(names)}
    columns = {name: np.asarray(table.column(name), dtype=float) for name in classes}
    matrix = np.array([[columns[answer][rows[truth]] for answer in classes] for truth in classes])
    return _checked(matrix, len(classes))
