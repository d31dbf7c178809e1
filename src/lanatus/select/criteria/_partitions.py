"""Subsets of columns by the partition that they make of the rows: section 11.1."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lanatus.base import Estimator, Tables, Takes, class_codes
from lanatus.catalog import method
from lanatus.cluster import fowlkes_mallows_score, jaccard_index, pair_counts, rand_score
from lanatus.table import Table

MEASURES = ("disagreement", "correlation", "jaccard", "rand", "fowlkes-mallows")


class _Door(Estimator):
    """Takes what a function gets as X."""

    _wants = Tables()
    _takes = Takes(nominal=True, missing=True)


class SubsetCells:
    """Which rows agree on a subset of the columns; a missing value is a value of its own.

    Parameters
    ----------
    table : Table
        The rows.
    """

    def __init__(self, table: Table) -> None:
        values = table.coded_matrix()
        self.codes = np.stack([np.unique(column, return_inverse=True)[1] for column in values.T], axis=1)
        self._known: dict[tuple[int, ...], np.ndarray] = {(): np.zeros(len(self.codes), dtype=np.intp)}

    def of(self, subset: tuple[int, ...]) -> np.ndarray:
        """A number for each row, the same where they agree; made from the cells of the subset without its last one."""
        if subset not in self._known:
            before = self.of(subset[:-1])
            column = self.codes[:, subset[-1]]
            joint = before * (int(column.max()) + 1) + column
            self._known[subset] = np.unique(joint, return_inverse=True)[1]
        return self._known[subset]


def cells_of(X: Any) -> tuple[SubsetCells, list[str]]:
    """The cells of X, and the names of its columns."""
    door = _Door()
    table = door._take(X, reset=True)
    return SubsetCells(table), door.schema_.names


def places(subset: Sequence[Any], names: list[str]) -> tuple[int, ...]:
    """Numbers of columns that are given by number or name."""
    found = []
    for one in subset:
        if isinstance(one, str):
            if one not in names:
                raise ValueError(f"X has no column {one!r}; it has {', '.join(names)}.")
            found.append(names.index(one))
        else:
            if not -len(names) <= one < len(names):
                raise ValueError(f"X has {len(names)} columns; got column {one}.")
            found.append(int(one) % len(names))
    return tuple(sorted(set(found)))


def gain_of(cells: np.ndarray, codes: np.ndarray) -> float:
    """Ent(D) less the mean entropy of the cells, in bits; to 12 decimals, so that equal gains are equal numbers."""
    counts = np.bincount(cells * (int(codes.max()) + 1) + codes).astype(np.float64)
    return round(entropy_of(np.bincount(codes)) + entropy_of(np.bincount(cells)) - entropy_of(counts), 12)


def entropy_of(counts: np.ndarray) -> float:
    """Entropy of shares, in bits."""
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log2(share)).sum())


@method(
    "select.subset-information-gain",
    section="11.1",
    task="transform",
    kind="measure",
    en="Information gain of a subset",
    zh="子集信息增益",
)
def subset_information_gain(X: Any, y: Any, subset: Sequence[Any] | None = None) -> float:
    r"""Information gain of a subset of the columns, :math:`Ent(D) - \sum_v \frac{|D^v|}{|D|} Ent(D^v)` (11.1).

    Rows that agree on all columns of the subset are a cell :math:`D^v`. Each distinct number is a value; discretise
    columns of numbers first.

    Book: section 11.1; the upper limit of (11.2) must be the number of classes. Cost: :math:`O(n \log n)` a column.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The rows; a missing value is a value of its own.
    y : array of shape (n_samples,)
        Their labels.
    subset : sequence of int or str, optional
        The columns; all by default. None of them has the gain 0.

    Returns
    -------
    float
        In bits, 0 or more.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.select import subset_information_gain
    >>> melons = load_watermelon("3.0")
    >>> X = melons.frame[melons.feature_names]
    >>> round(subset_information_gain(X, melons.target, ["纹理", "触感"]), 6)
    0.83545
    """
    cells, names = cells_of(X)
    codes = class_codes(y, X)[1]
    return max(gain_of(cells.of(places(range(len(names)) if subset is None else subset, names)), codes), 0.0)


@method(
    "select.partition-difference",
    section="11.1",
    task="transform",
    kind="measure",
    en="Difference of the partitions by a subset and by the labels",
    zh="划分差异评价准则",
)
def partition_difference(
    X: Any, y: Any, subset: Sequence[Any] | None = None, *, measure: str = "disagreement"
) -> float:
    r"""How much the partition that a subset of the columns makes differs from that of the labels; 0 if not at all.

    Of all pairs of rows, a are together in both, b and c in one of them, d in neither. "disagreement" is
    :math:`(b + c) / (a + b + c + d)`, "correlation" :math:`1 - \rho` of being together in the one and in the other,
    and "jaccard", "rand" and "fowlkes-mallows" are 1 less these indices of section 9.2.

    Book: section 11.1. Cost: :math:`O(n \log n)` a column.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The rows; a missing value is a value of its own.
    y : array of shape (n_samples,)
        Their labels.
    subset : sequence of int or str, optional
        The columns; all by default.
    measure : {"disagreement", "correlation", "jaccard", "rand", "fowlkes-mallows"}, default="disagreement"
        What is measured.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.select import partition_difference
    >>> X = [["a", "u"], ["a", "v"], ["b", "u"], ["b", "v"]]
    >>> [partition_difference(X, [0, 0, 1, 1], subset) for subset in ([0], [1])]
    [0.0, 0.6666666666666666]
    """
    if measure not in MEASURES:
        raise ValueError(f"got measure={measure!r}, wanted one of {', '.join(map(repr, MEASURES))}.")
    cells, names = cells_of(X)
    codes = class_codes(y, X)[1]
    return difference_of(cells.of(places(range(len(names)) if subset is None else subset, names)), codes, measure)


def difference_of(cells: np.ndarray, codes: np.ndarray, measure: str) -> float:
    """`partition_difference` of two partitions."""
    if len(codes) < 2:
        return 0.0
    if measure == "jaccard":
        return 1.0 - float(jaccard_index(cells, codes))
    if measure == "rand":
        return 1.0 - float(rand_score(codes, cells))
    if measure == "fowlkes-mallows":
        return 1.0 - float(fowlkes_mallows_score(codes, cells))
    a, b, c, d = map(float, pair_counts(cells, codes))
    if measure == "disagreement":
        return (b + c) / (a + b + c + d)
    spread = np.sqrt((a + b) * (c + d) * (a + c) * (b + d))
    if spread == 0:  # one of them has all pairs together, or none
        return 0.0 if b + c == 0 else 1.0
    return float(1.0 - (a * d - b * c) / spread)
