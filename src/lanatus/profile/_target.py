"""The target of a table: which task it makes, which rows have it, and its values."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus.preprocess.cleaning import RawColumn, Reading, counts_of, days_of, numbers_of, read_role
from lanatus.profile._facts import Task

TASKS = ("two-class", "many-class", "classification", "regression")
_MOST_NUMBERED = 10  # so few different whole numbers are classes
_ROWS_A_NUMBER = 5


@dataclass(frozen=True)
class Target:
    """The target as it is learned.

    Attributes
    ----------
    name : str
        Its column.
    task : str
        What there is to learn.
    keep : ndarray of bool
        The rows that have it.
    values : ndarray
        Of these rows: numbers, or labels as they stand in the table.
    codes : ndarray
        For classes, positions in `classes`; empty for numbers.
    classes : tuple
        The labels, sorted.
    reading : Reading
        How the column was read.
    """

    name: str
    task: Task
    keep: np.ndarray
    values: np.ndarray
    codes: np.ndarray
    classes: tuple[Any, ...]
    reading: Reading


def find_target(names: Sequence[str], target: str) -> int:
    """Place of the target among the columns."""
    if target in names:
        return list(names).index(target)
    folded = [name.strip().casefold() for name in names]
    close = difflib.get_close_matches(str(target).strip().casefold(), folded, n=3, cutoff=0.6)
    hint = [names[folded.index(name)] for name in close]
    shown = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
    raise ValueError(
        f"the table has no column {target!r}; "
        + (f"did you mean {' or '.join(map(repr, hint))}? Its" if hint else "its")
        + f" columns are {shown}."
    )


def read_target(column: RawColumn, task: str | None) -> Target:
    """The target, its task inferred where it is not given."""
    if task is not None and task not in TASKS:
        raise ValueError(f"got task={task!r}, wanted one of {', '.join(map(repr, TASKS))}, or None to infer it.")
    if not len(column):
        raise ValueError("the table has no rows; wanted some to learn from.")
    reading = read_role(column)
    if reading.role == "empty":
        raise ValueError(f"target {column.name!r} is missing in all {len(column)} rows; wanted rows where it is known.")
    numbers = _numbers(column, reading, wanted=task == "regression")
    if numbers is not None and (task == "regression" or (task is None and _measures(numbers))):
        return _regression(column, reading, numbers)
    if task == "regression":
        words = column.coded[1].to_pylist()
        shown = ", ".join(map(repr, words[:3])) + (", ..." if len(words) > 3 else "")
        raise ValueError(
            f"target {column.name!r} holds words ({shown}), wanted numbers for regression; choose another target "
            "or task='classification'."
        )
    return _classification(column, reading, numbers, task)


def _numbers(column: RawColumn, reading: Reading, *, wanted: bool) -> np.ndarray | None:
    """The target as numbers, None where it is words."""
    if reading.role == "date":
        return days_of(column, reading.how)
    if column.storage in ("number", "boolean") and (column.storage == "number" or wanted):
        return numbers_of(column, {})
    if reading.role == "numeric" or (reading.role == "identifier" and reading.how.get("numeric")):
        return numbers_of(column, reading.how)
    if wanted and column.storage in ("word", "category"):  # numbers that were declared to be categories
        numbers = numbers_of(column, {})
        return numbers if np.count_nonzero(np.isnan(numbers)) < 0.5 * len(numbers) else None
    return None


def _measures(numbers: np.ndarray) -> bool:
    """Whether numbers measure something, rather than number classes."""
    known = numbers[~np.isnan(numbers)]
    different = np.unique(known)
    if len(different) == 2:
        return False
    few = len(different) <= _MOST_NUMBERED and len(different) * _ROWS_A_NUMBER <= len(known)
    return not (few and not (different % 1).any())


def _regression(column: RawColumn, reading: Reading, numbers: np.ndarray) -> Target:
    keep = ~np.isnan(numbers)
    values = numbers[keep]
    if not len(values) or values.min() == values.max():
        raise ValueError(
            f"target {column.name!r} has one value only in {len(values)} rows; wanted at least two different ones."
        )
    return Target(column.name, "regression", keep, values, np.empty(0, np.int64), (), reading)


def _classification(column: RawColumn, reading: Reading, numbers: np.ndarray | None, task: str | None) -> Target:
    if column.storage == "boolean":
        keep = np.asarray(column.array.is_valid())
        values = column.numbers[keep] == 1
    elif column.storage in ("word", "category"):
        keep = column.coded[0] >= 0
        values = np.array(column.coded[1].to_pylist(), dtype=str)[column.coded[0][keep]]
    else:
        numbers = column.numbers if numbers is None else numbers
        keep = ~np.isnan(numbers)
        values = numbers[keep]
        values = values.astype(np.int64) if not (values % 1).any() else values
    classes, codes = _sorted_classes(column, values, keep)
    if len(classes) < 2:
        raise ValueError(
            f"target {column.name!r} has one class only ({classes[0]!r}) in {len(values)} rows; wanted at least two: "
            "check that no rows were filtered away."
        )
    if len(classes) > 0.5 * len(values) and len(classes) > 2:
        raise ValueError(
            f"target {column.name!r} has {len(classes)} different values in {len(values)} rows, wanted classes with at "
            "least two rows on average; choose another target"
            + (" or task='regression'." if numbers is not None else ".")
        )
    found: Task = "two-class" if len(classes) == 2 else "many-class"
    if task not in (None, "classification", found):
        raise ValueError(
            f"got task={task!r}, but target {column.name!r} has {len(classes)} classes; wanted task={found!r}."
        )
    return Target(column.name, found, keep, values, codes, tuple(classes), reading)


def _sorted_classes(column: RawColumn, values: np.ndarray, keep: np.ndarray) -> tuple[list[Any], np.ndarray]:
    if column.storage not in ("word", "category"):
        classes, codes = np.unique(values, return_inverse=True)
        return classes.tolist(), codes
    words, codes = column.coded[1].to_pylist(), column.coded[0][keep]
    used = [at for at, count in enumerate(counts_of(column)) if count]
    order = sorted(used, key=lambda at: words[at])
    place = np.empty(len(words), np.int64)
    place[order] = np.arange(len(order))
    return [words[at] for at in order], place[codes]
