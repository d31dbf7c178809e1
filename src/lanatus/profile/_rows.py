"""Rows and columns that come twice."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanatus.profile._columns import Seen
from lanatus.profile._target import Target

_SAMPLE = 2_000
_BY_CHANCE = 1e6  # columns go together, so that far more rows agree than if they did not
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)


@dataclass(frozen=True)
class Repeats:
    """Rows that are the same in all columns that are used.

    Attributes
    ----------
    copies : int
        Rows that an earlier row equals, target and all.
    contrary : int
        Rows whose columns equal those of a row with another class.
    best : float
        Greatest share of rows that any method can get right, given the contrary ones; 1 without.
    unlikely : bool
        Whether rows that have nothing to do with each other would hardly ever agree so: some column has its own value
        in most of the different rows, or there are far more copies than independent columns would give.
    groups : ndarray of int or None
        The same number for a row and its copies.
    """

    copies: int
    contrary: int
    best: float
    unlikely: bool
    groups: np.ndarray | None = None


def find_repeats(columns: Sequence[Seen], target: Target) -> Repeats:
    """Count the rows that come again."""
    n = len(target.values)
    if not columns or n < 2:
        return Repeats(0, 0, 1.0, False)
    rows = row_hashes(columns, n)
    y = target.codes if target.task != "regression" else np.unique(target.values, return_inverse=True)[1]
    groups, first, place = np.unique(rows, return_index=True, return_inverse=True)
    pairs, owners, counts = np.unique(place * (int(y.max()) + 1) + y, return_inverse=True, return_counts=True)
    copies = n - len(pairs)
    unlikely = bool(copies) and _are_unlikely(columns, np.sort(first), copies, n)
    if target.task == "regression":
        return Repeats(copies, 0, 1.0, unlikely, owners)
    owner = pairs // (int(y.max()) + 1)
    labels = np.bincount(owner, minlength=len(groups))
    most = np.zeros(len(groups), np.int64)
    np.maximum.at(most, owner, counts)
    contrary = int(np.bincount(place, minlength=len(groups))[labels > 1].sum())
    return Repeats(copies, contrary, float(most.sum() / n), unlikely, owners)


def row_hashes(columns: Sequence[Seen], n: int) -> np.ndarray:
    """A number for each row; rows that are equal in the columns have the same."""
    hashes = np.zeros(n, np.uint64)
    for seen in columns:
        hashes = hashes * _ODD + _mixed(_bits(seen))
        hashes ^= hashes >> _SHIFT
    return hashes


def twin_columns(columns: Sequence[Seen]) -> list[tuple[str, str]]:
    """Pairs of columns with the same values: the later one and the earlier one."""
    first: dict[tuple[bool, int], Seen] = {}
    pairs = []
    for seen in columns:
        bits = _bits(seen)
        places = np.arange(len(bits), dtype=np.uint64)
        key = (seen.numbers is None, int(_mixed(_mixed(bits) + places * _ODD).sum(dtype=np.uint64)))
        twin = first.setdefault(key, seen)
        if twin is not seen and np.array_equal(_bits(twin), bits):
            pairs.append((seen.name, twin.name))
    return pairs


def _bits(seen: Seen) -> np.ndarray:
    if seen.numbers is None:
        return seen.codes.astype(np.int64).view(np.uint64)
    numbers = np.where(seen.missing, np.nan, seen.numbers) + 0.0  # one NaN, one zero
    return np.ascontiguousarray(numbers, np.float64).view(np.uint64)


def _mixed(bits: np.ndarray) -> np.ndarray:
    bits = (bits ^ (bits >> _SHIFT)) * _ODD
    return bits ^ (bits >> _SHIFT)


def _are_unlikely(columns: Sequence[Seen], different: np.ndarray, copies: int, n: int) -> bool:
    """Judged on the rows that differ, so that the copies do not speak for themselves."""
    if len(different) > _SAMPLE:
        different = different[np.linspace(0, len(different) - 1, _SAMPLE).astype(np.int64)]
    m = len(different)
    log_chance = 0.0
    for seen in columns:
        counts = np.unique(_bits(seen)[different], return_counts=True)[1]
        if len(counts) >= 0.5 * m and m >= 20:
            return True
        # Chance that two rows agree; where none do, one pair more than there is might have.
        log_chance += np.log(max((counts * (counts - 1.0)).sum(), 1.0) / max(m * (m - 1.0), 1.0))
    return bool(copies > _BY_CHANCE * np.exp(log_chance) * n * (n - 1) / 2)
