"""Counts of all pairs of values by class, from which one-dependent classifiers are made (section 7.4)."""

from typing import Any

import numpy as np

from lanatus._core import bayes as kernels
from lanatus.base import class_codes, n_threads
from lanatus.bayes._codes import Coding
from lanatus.bayes.naive._counting import ClassCounts, class_mass
from lanatus.scale import Block

MOST_CELLS = 1 << 27  # numbers in one table of counts: a gigabyte


class Slots:
    """The values of all columns in one row: column j has the places from ``start[j]`` to ``start[j + 1]``."""

    def __init__(self, n_values: np.ndarray) -> None:
        self.n_values = np.ascontiguousarray(n_values, dtype=np.int64)
        self.start = np.concatenate([[0], np.cumsum(self.n_values)])
        self.n = int(self.start[-1])

    def sums(self, table: np.ndarray, axis: int) -> np.ndarray:
        """A table with the values of each column added up along an axis."""
        return np.add.reduceat(table, self.start[:-1], axis=axis)

    def spread(self, table: np.ndarray, axis: int) -> np.ndarray:
        """A table with an entry for each column repeated for each of its values."""
        return np.repeat(table, self.n_values, axis=axis)

    def of(self, j: int) -> slice:
        """The places of column j."""
        return slice(int(self.start[j]), int(self.start[j + 1]))


def team(codes: np.ndarray) -> int:
    """Threads for some rows: one where there is little to do."""
    return 1 if codes.size < 100_000 else n_threads()


def refuse_absurd(name: str, slots: int, order: int, n_classes: int) -> None:
    """Raise where a table over sets of `order` values would not fit in memory."""
    cells = slots**order * n_classes
    if cells > MOST_CELLS:
        raise ValueError(
            f"{name} would have to count {cells:.3g} combinations of values ({slots} values of all columns, {order} at "
            f"a time, {n_classes} classes), {cells * 8 / 2**30:.3g} GB; at most {MOST_CELLS:.3g} are allowed. Choose "
            "fewer columns, fewer values of each (n_bins), or take NaiveBayes, ODE, or SPODE with a given super_parent."
        )


def pairs_of_codes(
    name: str, codes: np.ndarray, slots: Slots, y: np.ndarray, weight: np.ndarray | None, n_classes: int
) -> np.ndarray:
    """Pair counts (n_slots, n_slots, n_classes) of coded rows."""
    refuse_absurd(name, slots.n, 2, n_classes)
    return kernels.pair_counts(codes, slots.n_values, y, weight, n_classes, n_threads=team(codes))


def tally_pairs(classes: np.ndarray | None, coding: Coding, name: str, block: Block) -> ClassCounts:
    """Pair counts of a block: a line for each two values, (n_slots * n_slots, n_classes)."""
    labels, y = class_codes(block.y, block.X, classes)
    table = pairs_of_codes(name, coding.codes(block.X), Slots(coding.n_values), y, block.weight, len(labels))
    return ClassCounts(labels, class_mass(y, block.weight, len(labels)), table.reshape(-1, len(labels)))


def pair_table(stats: ClassCounts, slots: Slots) -> np.ndarray:
    """Pair counts as (n_slots, n_slots, n_classes)."""
    return stats.table.reshape(slots.n, slots.n, -1)


def singles(pairs: np.ndarray) -> np.ndarray:
    """Counts of single values (n_slots, n_classes), the diagonal of the pair counts."""
    return np.ascontiguousarray(np.einsum("aac->ac", pairs))


def tally_triples(classes: np.ndarray | None, coding: Coding, name: str, block: Block) -> ClassCounts:
    """Counts of three values at a time, (n_slots ** 3, n_classes): pair counts within every value of every column."""
    labels, y = class_codes(block.y, block.X, classes)
    slots, k = Slots(coding.n_values), len(labels)
    refuse_absurd(name, slots.n, 3, k)
    codes = coding.codes(block.X)
    out = np.empty((slots.n, slots.n, slots.n, k))
    options: dict[str, Any] = {"n_threads": team(codes)}
    for j, values in enumerate(slots.n_values.tolist()):
        inside = np.where(codes[:, j] < 0, -1, codes[:, j].astype(np.int32) * k + y).astype(np.int32)
        part = kernels.pair_counts(codes, slots.n_values, inside, block.weight, values * k, **options)
        out[slots.of(j)] = np.moveaxis(part.reshape(slots.n, slots.n, values, k), 2, 0)
    return ClassCounts(labels, class_mass(y, block.weight, k), out.reshape(-1, k))
