"""A table as it was found: its columns, its target, the task, and traps with what is done about each."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from lanatus.preprocess import TableCleaner
from lanatus.preprocess.cleaning import RawColumn, Reading, raw_columns, read_roles
from lanatus.profile._columns import Seen, facts_of
from lanatus.profile._facts import Finding, Profile
from lanatus.profile._findings import column_findings
from lanatus.profile._leaks import Leak, find_leaks, telling_holes
from lanatus.profile._rows import find_repeats, twin_columns
from lanatus.profile._table import (
    hole_findings,
    leak_findings,
    row_findings,
    target_findings,
    twin_findings,
)
from lanatus.profile._target import Target, find_target, read_target


def profile(table: Any, target: str, *, task: str | None = None, cleaner: TableCleaner | None = None) -> Profile:
    """Look a table over before anything is learned from it.

    Parameters
    ----------
    table : pyarrow.Table or any frame
        The raw table, target included.
    target : str
        The column to predict.
    task : {"two-class", "many-class", "classification", "regression"} or None, default=None
        What to learn. None: numbers are regression, unless they are two, or at most ten whole ones with at least five
        rows each; all else is classes.
    cleaner : TableCleaner or None, default=None
        What makes the columns that learners see; its parameters say what is done about each kind. None: the default.

    Returns
    -------
    Profile

    Raises
    ------
    ValueError
        If there is no such target, no rows, no other column, no two values of the target, or the task cannot be.

    Examples
    --------
    >>> from lanatus.profile import profile
    >>> import pyarrow as pa
    >>> table = pa.table({"id": range(40), "size": [1.5, 2.5] * 20, "shop": ["a", "a", "b", "c"] * 10,
    ...                   "price": [f"{900 + 37 * i:,}" for i in range(40)]})
    >>> found = profile(table, "price")
    >>> found.task, [(column.name, column.kind) for column in found.columns]
    ('regression', [('id', 'identifier'), ('size', 'numeric'), ('shop', 'nominal')])
    """
    return look(table, target, task=task, cleaner=cleaner).profile


@dataclass(frozen=True)
class Looked:
    """A table after it was looked over.

    Attributes
    ----------
    profile : Profile
        What was found.
    X : pyarrow.Table
        The columns that are learned from, of the rows with a known target, as they came.
    y : ndarray
        The target of these rows: numbers for regression, else labels as they stand in the table.
    groups : ndarray of int or None
        Rows that are copies of one thing have the same number, where there are such: they belong on the same side of
        every split.
    unlabelled : pyarrow.Table
        The columns of the rows without a known target.
    """

    profile: Profile
    X: pa.Table
    y: np.ndarray
    groups: np.ndarray | None
    unlabelled: pa.Table


def look(table: Any, target: str, *, task: str | None = None, cleaner: TableCleaner | None = None) -> Looked:
    """As `profile`, with the part of the table that is learned from."""
    cleaner = TableCleaner() if cleaner is None else cleaner
    raw, _ = raw_columns(table)
    place = find_target([column.name for column in raw], target)
    goal = read_target(raw[place], task)
    others = [column for at, column in enumerate(raw) if at != place]
    if not others:
        raise ValueError(f"the table has no column but the target {target!r}; wanted at least one to learn from.")
    whole = {column.name: column.array for column in others}
    if not goal.keep.all():
        others = [RawColumn(column.name, column.array.filter(pa.array(goal.keep))) for column in others]
    declared = {name: role for name, role in (cleaner.roles or {}).items() if name != target}
    readings = read_roles(others, declared)
    columns = [Seen(column, readings[column.name]) for column in others]
    leaks = find_leaks(columns, goal)
    usable = _usable(columns, cleaner)
    copies = _copies(leaks, usable)
    twins = twin_columns([seen for seen in columns if seen.name in usable and seen.name not in copies])
    used = set(usable) - copies - {later for later, _ in twins}
    if not used:
        raise ValueError(_nothing_left(columns, copies, target))
    seen_target = _target_seen(raw[place], goal)
    settings = cleaner.get_params(deep=False)
    learned = [seen for seen in columns if seen.name in used]
    repeats = find_repeats(learned, goal)
    findings = [
        *leak_findings(leaks, copies),
        *target_findings(goal),
        *twin_findings(twins),
        *row_findings(repeats, len(goal.values), len(learned)),
        *hole_findings(telling_holes(learned, goal), goal),
        *column_findings(columns, used, settings),
    ]
    found = Profile(
        n_rows=len(goal.values),
        dropped_rows=int(np.count_nonzero(~goal.keep)),
        columns=tuple(facts_of(seen, used=seen.name in used) for seen in columns),
        target=facts_of(seen_target, used=True),
        task=goal.task,
        findings=tuple(sorted(findings, key=_order)),
    )
    X = pa.table({seen.name: seen.column.array for seen in learned})
    away = pa.array(~np.asarray(goal.keep, dtype=bool))
    unlabelled = pa.table({name: whole[name].filter(away) for name in X.column_names})
    return Looked(found, X, goal.values, repeats.groups if repeats.unlikely else None, unlabelled)


def columns_to_drop(found: Profile) -> list[str]:
    """The columns that learners must not see: copies of the target, repeats of others, and those that say nothing."""
    return [column.name for column in found.columns if not column.used]


def roles_to_keep(found: Profile) -> dict[str, str]:
    """What the columns that learners see are, as `TableCleaner` takes it, so that parts of the table are read alike."""
    return {column.name: column.kind for column in found.columns if column.used and column.kind != "ordinal"}


def _usable(columns: list[Seen], cleaner: TableCleaner) -> dict[str, None]:
    """The columns of which the cleaner makes something; a count of rows where there is nothing else."""
    dropped = {"identifier"} if cleaner.identifiers == "drop" else set()
    if cleaner.constants == "drop":
        dropped |= {"constant", "empty"}
    if cleaner.text == "drop":
        dropped.add("text")
    for away in (dropped, dropped - {"identifier"}):
        if usable := [seen.name for seen in columns if seen.role not in away]:
            return dict.fromkeys(usable)
    return {}


def _copies(leaks: list[Leak], usable: dict[str, None]) -> set[str]:
    """The columns that are the target; another name for it is kept where it is all there is."""
    copies = {leak.name for leak in leaks if leak.kind == "equal"}
    recoded = {leak.name for leak in leaks if leak.kind == "recoding"}
    return copies | recoded if set(usable) - copies - recoded else copies


def _nothing_left(columns: list[Seen], copies: set[str], target: str) -> str:
    shown = ", ".join(
        f"{seen.name!r} {'equals the target' if seen.name in copies else f'is {seen.role}'}" for seen in columns[:5]
    )
    return (
        f"nothing is left to predict {target!r} from: {shown}{', ...' if len(columns) > 5 else ''}; "
        "add columns that say something about it."
    )


def _target_seen(column: RawColumn, goal: Target) -> Seen:
    """The target as a column: numbers where it is learned as such, else classes."""
    if goal.task == "regression":
        return Seen(RawColumn(column.name, pa.array(np.where(goal.keep, _whole(goal), np.nan))), Reading("numeric"))
    if column.storage == "boolean":
        return Seen(column, Reading("boolean"))
    labels = pa.array([str(label) for label in goal.classes], pa.string())
    codes = np.full(len(goal.keep), -1, np.int32)
    codes[goal.keep] = goal.codes
    indices = pa.array(codes, mask=codes < 0)
    return Seen(RawColumn(column.name, pa.DictionaryArray.from_arrays(indices, labels)), Reading("nominal"))


def _whole(goal: Target) -> np.ndarray:
    values = np.full(len(goal.keep), np.nan)
    values[goal.keep] = goal.values
    return values


def _order(found: Finding) -> int:
    return 0 if found.severity == "warning" else 1
