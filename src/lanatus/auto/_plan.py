"""Which rows are held out, and which are learned from at each level of the search."""

from dataclasses import dataclass

import numpy as np

__all__ = ["Level", "Plan", "fold_of", "outer_parts", "plan", "strata_of"]

NESTED_ROWS = 2000  # up to here every row is held out once, by nested folds; above, one part of the rows is
TEST_SHARE = 0.2
MOST_TEST = 100_000
_OUTER_FOLDS = 5
_SCREEN_ROWS = 2000  # rows of the first, cheapest level on larger tables
_STEP = 4  # how many times as many rows the next level has
_SCREEN_TEST = 5000


@dataclass(frozen=True)
class Level:
    """A step of the search: the parts of the rows that a trial which reached it is fitted to."""

    parts: tuple[str, ...]
    rows: int


@dataclass(frozen=True)
class Plan:
    """Levels from cheap to sure, and the rows of their parts."""

    levels: tuple[Level, ...]
    parts: dict[str, tuple[np.ndarray, np.ndarray]]


def strata_of(y: np.ndarray, n_classes: int) -> np.ndarray:
    """Classes, or tenths of the numbers by size: what every part of the rows should have its share of."""
    if n_classes:
        return y
    ranks = np.argsort(np.argsort(y, kind="stable"), kind="stable")
    return np.asarray(ranks * min(10, max(len(y) // 5, 1)) // len(y))


def fold_of(strata: np.ndarray, k: int, rng: np.random.RandomState, groups: np.ndarray | None = None) -> np.ndarray:
    """A fold for each row: every fold gets its share of every stratum, and the rows of a group stay together.

    Classes with fewer rows than folds are no trouble: some folds do without them.
    """
    if groups is None:
        groups = np.arange(len(strata))
    _, first, of = np.unique(groups, return_index=True, return_inverse=True)
    order = rng.permutation(len(first))
    order = order[np.argsort(strata[first][order], kind="stable")]  # stratum by stratum, shuffled within
    fold = np.empty(len(first), dtype=np.intp)
    fold[order] = (np.arange(len(first)) + rng.randint(k)) % k
    return np.asarray(fold[of])


def outer_parts(
    strata: np.ndarray, seed: int, groups: np.ndarray | None = None, nested_rows: int = NESTED_ROWS
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to learn from and rows to judge by: five pairs for few rows, one for many."""
    rng = np.random.RandomState(seed)
    n = len(strata)
    if n <= nested_rows:
        k = min(_OUTER_FOLDS, n)
        fold = fold_of(strata, k, rng, groups)
        return [(np.flatnonzero(fold != j), np.flatnonzero(fold == j)) for j in range(k) if (fold == j).any()]
    share = min(TEST_SHARE, MOST_TEST / n)
    fold = fold_of(strata, round(1 / share), rng, groups)
    return [(np.flatnonzero(fold != 0), np.flatnonzero(fold == 0))]


def plan(strata: np.ndarray, seed: int, groups: np.ndarray | None = None) -> Plan:
    """Levels of a search on rows 0, 1, ...: parts of the rows first, then all of them, then more folds."""
    rng = np.random.RandomState(seed)
    n = len(strata)
    if n <= 3000:
        repeats, k = (2 if n <= 500 else 1), min(5, n)
        parts = {}
        for r in range(repeats):
            fold = fold_of(strata, k, rng, groups)
            for j in np.unique(fold):
                parts[f"{r}.{j}"] = (np.flatnonzero(fold != j), np.flatnonzero(fold == j))
        names = tuple(parts)
        rows = n - n // k
        return Plan((Level(names[:2], rows), Level(names, rows)) if len(names) > 2 else (Level(names, rows),), parts)
    k = 5 if n <= 8000 else 4 if n <= 20_000 else 3 if n <= 60_000 else max(5, -(-n // MOST_TEST))
    fold = fold_of(strata, k, rng, groups)
    train, test = np.flatnonzero(fold != 0), np.flatnonzero(fold == 0)
    judged = rng.permutation(test)[:_SCREEN_TEST]
    shuffled = rng.permutation(train)
    parts, levels = {}, []
    size = _SCREEN_ROWS
    while size < 0.5 * len(train):
        name = f"rows{size}"
        parts[name] = (np.sort(shuffled[:size]), np.sort(judged))
        levels.append(Level((name,), size))
        size *= _STEP
    folds = range(1 if n > 60_000 else k)
    for j in folds:
        parts[f"0.{j}"] = (np.flatnonzero(fold != j), np.flatnonzero(fold == j))
    levels.append(Level(("0.0",), len(train)))
    if len(folds) > 1:
        levels.append(Level(tuple(f"0.{j}" for j in folds), len(train)))
    return Plan(tuple(levels), parts)
