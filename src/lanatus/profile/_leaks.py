"""Columns that give the target away."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import chi2_contingency, pearsonr, rankdata
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from lanatus.profile._columns import Seen
from lanatus.profile._target import Target

_ROWS = 10_000  # looked at for suspicion; copies are looked for in all
_SURE = 0.999
_LEAST_ROWS, _LEAST_CLASS = 200, 10  # below these a good column is not suspicious: some data are easy
_COPY_ROWS = 30  # below these a recoding may be chance
_FEW = 200  # different numbers that are looked at one by one


@dataclass(frozen=True)
class Leak:
    """A column that gives the target away: by being it, by another name for it, or by saying it alone."""

    name: str
    kind: Literal["equal", "recoding", "suspicious"]
    score: float


def find_leaks(columns: list[Seen], target: Target) -> list[Leak]:
    """The columns that give the target away, the copies first."""
    found = [_leak_of(seen, target) for seen in columns if seen.role not in ("constant", "empty", "text")]
    leaks = [leak for leak in found if leak is not None]
    return sorted(leaks, key=lambda leak: ("equal", "recoding", "suspicious").index(leak.kind))


def _leak_of(seen: Seen, target: Target) -> Leak | None:
    n = len(target.values)
    known = np.flatnonzero(~seen.missing)
    if len(known) < max(5, 0.5 * n):
        return None
    some = known if len(known) <= _ROWS else known[np.linspace(0, len(known) - 1, _ROWS).astype(np.int64)]
    whole = len(known) >= 0.9 * n
    if target.task == "regression":
        return _regression_leak(seen, target, known, some, whole)
    return _class_leak(seen, target, known, some, whole)


# ---------------------------------------------------------------- classes


def _class_leak(seen: Seen, target: Target, known: np.ndarray, some: np.ndarray, whole: bool) -> Leak | None:
    k = len(target.classes)
    numbers = seen.numbers
    values = numbers[some] if numbers is not None else seen.column.coded[0][some]
    different, codes = np.unique(values, return_inverse=True)
    if len(different) <= k and _one_to_one(seen.codes[known], target.codes[known], k):
        if whole and _same_words(seen, target):
            return Leak(seen.name, "equal", 1.0)
        if whole and len(known) >= _COPY_ROWS:
            return Leak(seen.name, "recoding", 1.0)
    counts = np.bincount(target.codes[some], minlength=k)
    if seen.role == "identifier" or len(some) < _LEAST_ROWS or counts.min() < _LEAST_CLASS:
        return None
    if numbers is None or len(different) <= _FEW:
        score = _left_out_accuracy(codes, target.codes[some], k)
    else:
        score = _tree_accuracy(numbers[some], target.codes[some], k)
    return Leak(seen.name, "suspicious", score) if score > _SURE else None


def _one_to_one(one: np.ndarray, other: np.ndarray, k: int) -> bool:
    pairs = np.unique(one * k + other)
    return bool(len(pairs) == k and len(np.unique(pairs // k)) == k and len(np.unique(pairs % k)) == k)


def _same_words(seen: Seen, target: Target) -> bool:
    """Whether the column has the very labels of the target, each where it belongs."""
    rows = np.flatnonzero(~seen.missing)
    if seen.numbers is not None:
        labels = np.asarray(target.values)
        if labels.dtype.kind in "fiub":
            return bool((seen.numbers[rows] == labels[rows]).all())
    if seen.column.storage not in ("word", "category"):
        return False
    words = np.array(seen.column.coded[1].to_pylist(), dtype=object)
    return bool((words[seen.column.coded[0][rows]].astype(str) == np.asarray(target.values)[rows].astype(str)).all())


def _left_out_accuracy(codes: np.ndarray, classes: np.ndarray, k: int) -> float:
    """Mean over the classes of the share that the other rows of the same value would vote for (leave one out)."""
    table = np.zeros((codes.max() + 1, k), np.int64)
    np.add.at(table, (codes, classes), 1)
    rest = np.sort(table, axis=1)
    rival = np.where(table == rest[:, -1:], rest[:, -2:-1], rest[:, -1:])  # the most votes of another class
    won = table - 1 > rival
    return float(np.mean((table * won).sum(axis=0) / table.sum(axis=0)))


def _tree_accuracy(numbers: np.ndarray, classes: np.ndarray, k: int) -> float:
    """Balanced accuracy of a small tree on this column alone, by cross-validation."""
    changes = np.count_nonzero(np.diff(classes[np.argsort(numbers, kind="stable")]))
    if changes > 0.02 * len(classes) + 4 * k:  # classes are mixed all along the line
        return 0.0
    tree = DecisionTreeClassifier(max_leaf_nodes=max(8, 2 * k), random_state=0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return float(balanced_accuracy_score(classes, cross_val_predict(tree, numbers[:, None], classes, cv=folds)))


# ---------------------------------------------------------------- numbers


def _regression_leak(seen: Seen, target: Target, known: np.ndarray, some: np.ndarray, whole: bool) -> Leak | None:
    numbers = seen.numbers
    if numbers is None:
        return _level_leak(seen, target, some)
    if whole and np.array_equal(numbers[known], target.values[known]):
        return Leak(seen.name, "equal", 1.0)
    x, y = numbers[some], target.values[some]
    if len(some) < 20 or x.min() == x.max() or y.min() == y.max():
        return None
    score = abs(_correlation(x, y))
    if whole and len(known) >= _COPY_ROWS and score > 1 - 1e-9:
        return Leak(seen.name, "recoding", score)
    if score <= _SURE and len(np.unique(x)) > _FEW / 10:
        score = abs(_correlation(rankdata(x), rankdata(y)))
    return Leak(seen.name, "suspicious", score) if score > _SURE and len(some) >= _COPY_ROWS else None


def _correlation(x: np.ndarray, y: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        x, y = x - x.mean(), y - y.mean()
        value = float(x @ y / np.sqrt((x @ x) * (y @ y)))
    return value if np.isfinite(value) else 0.0


def _level_leak(seen: Seen, target: Target, some: np.ndarray) -> Leak | None:
    """Categories within each of which the target hardly varies, with rows enough in each to tell."""
    codes, y = seen.codes[some], target.values[some]
    counts = np.bincount(codes)
    often = counts[codes] >= 3
    if len(some) < _LEAST_ROWS or often.mean() < 0.9:
        return None
    means = np.bincount(codes, y) / np.maximum(counts, 1)
    total = np.sum((y[often] - y[often].mean()) ** 2)
    inside = np.sum(((y - means[codes])[often] * counts[codes][often] / (counts[codes][often] - 1)) ** 2)
    score = 1 - float(inside / total) if total > 0 else 0.0
    return Leak(seen.name, "suspicious", score) if score > _SURE else None


# ---------------------------------------------------------------- holes


def telling_holes(columns: list[Seen], target: Target) -> dict[str, float]:
    """Columns whose missing values go with the target, and how strongly: Cramér's V or a correlation."""
    found = {}
    n = len(target.values)
    asked = [seen for seen in columns if 10 <= seen.n_missing <= n - 10]
    for seen in asked:
        if target.task == "regression":
            effect, p = pearsonr(seen.missing.astype(float), target.values)
            effect = abs(effect)
        else:
            k = len(target.classes)
            table = np.bincount(seen.missing * k + target.codes, minlength=2 * k).reshape(2, k)
            statistic, p = chi2_contingency(table)[:2]
            effect = np.sqrt(statistic / n)
        if p < 1e-4 / len(asked) and effect > 0.1:
            found[seen.name] = float(effect)
    return found
