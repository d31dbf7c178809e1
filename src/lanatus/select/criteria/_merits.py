"""Subsets of columns by how consistent, how far apart, or how little redundant they leave the classes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lanatus.base import Estimator, Numbers, class_codes
from lanatus.catalog import method
from lanatus.select.criteria._partitions import SubsetCells, cells_of, entropy_of, places


def consistency_of(cells: np.ndarray, codes: np.ndarray) -> float:
    """Share of the rows whose class is that of most rows of their cell."""
    counts = np.zeros((int(cells.max()) + 1, int(codes.max()) + 1))
    np.add.at(counts, (cells, codes), 1)
    return float(counts.max(axis=1).sum() / len(codes))


@method(
    section="11.1",
    task="transform",
    kind="measure",
    en="Consistency of a subset",
    zh="子集一致性",
    peers=["Weka:ConsistencySubsetEval"],
)
def consistency(X: Any, y: Any, subset: Sequence[Any] | None = None) -> float:
    """Share of the rows that have the class of most rows with the same values on a subset of the columns.

    1 where rows that agree have one class: the subset tells all that the labels say. It never falls when columns are
    added, so that the smallest subset with the consistency of all columns is looked for.

    Book: section 11.1 (subset evaluation). Cost: :math:`O(n \\log n)` a column.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The rows; a missing value is a value of its own. Discretise columns of numbers first.
    y : array of shape (n_samples,)
        Their labels.
    subset : sequence of int or str, optional
        The columns; all by default.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.select import consistency
    >>> X = [["a", "u"], ["a", "v"], ["b", "u"], ["b", "u"]]
    >>> [consistency(X, [0, 1, 0, 0], subset) for subset in ([], [0], [0, 1])]
    [0.75, 0.75, 1.0]

    References
    ----------
    Liu and Setiono (1996), A probabilistic approach to feature selection.
    """
    cells, names = cells_of(X)
    codes = class_codes(y, X)[1]
    return consistency_of(cells.of(places(range(len(names)) if subset is None else subset, names)), codes)


class Merit:
    """The merit of correlation-based selection, its correlations computed once.

    Parameters
    ----------
    cells : SubsetCells
        The rows.
    codes : ndarray
        Their classes.
    """

    def __init__(self, cells: SubsetCells, codes: np.ndarray) -> None:
        self._columns = [*cells.codes.T, codes]
        self._entropies = [entropy_of(np.bincount(column)) for column in self._columns]
        self._known: dict[tuple[int, int], float] = {}

    def __call__(self, subset: tuple[int, ...]) -> float:
        k, label = len(subset), len(self._columns) - 1
        if k == 0:
            return 0.0
        with_class = sum(self._uncertainty(j, label) for j in subset)
        among = sum(self._uncertainty(i, j) for at, i in enumerate(subset) for j in subset[at + 1 :])
        return float(with_class / np.sqrt(k + 2 * among))

    def _uncertainty(self, i: int, j: int) -> float:
        """Symmetrical uncertainty, 2 I / (H + H)."""
        if (i, j) not in self._known:
            a, b = self._columns[i].astype(np.int64), self._columns[j].astype(np.int64)
            both = entropy_of(np.unique(a * (int(b.max()) + 1) + b, return_counts=True)[1])
            total = self._entropies[i] + self._entropies[j]
            self._known[i, j] = max(2 * (total - both) / total, 0.0) if total > 0 else 0.0
        return self._known[i, j]


@method(
    section="11.1",
    task="transform",
    kind="measure",
    en="Merit of correlation-based feature selection",
    zh="CFS (基于相关性的特征选择) 评价",
    peers=["Weka:CfsSubsetEval"],
)
def cfs_merit(X: Any, y: Any, subset: Sequence[Any] | None = None) -> float:
    r"""How much a subset tells of the labels and how little its columns tell of each other.

    :math:`\frac{k \bar r_{cf}}{\sqrt{k + k(k-1) \bar r_{ff}}}`, with the mean symmetrical uncertainty of column and
    class, and of two columns.

    Book: section 11.1 (subset evaluation). Cost: :math:`O(n \log n)` a pair of columns.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The rows; a missing value is a value of its own. Discretise columns of numbers first.
    y : array of shape (n_samples,)
        Their labels.
    subset : sequence of int or str, optional
        The columns; all by default.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from lanatus.select import cfs_merit
    >>> X = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
    >>> [round(cfs_merit(X, [0, 0, 1, 1], subset), 4) for subset in ([0], [0, 1], [0, 2])]
    [1.0, 1.0, 0.7071]

    References
    ----------
    Hall (2000), Correlation-based feature selection for discrete and numeric class machine learning.
    """
    cells, names = cells_of(X)
    codes = class_codes(y, X)[1]
    return Merit(cells, codes)(places(range(len(names)) if subset is None else subset, names))


class _NumbersDoor(Estimator):
    """Takes what a function gets as X."""

    _wants = Numbers()


def fisher_of(X: np.ndarray, codes: np.ndarray) -> Callable[[tuple[int, ...]], float]:
    """The Fisher criterion of subsets, its scatters computed once."""
    centred = X - X.mean(axis=0)
    total = centred.T @ centred
    counts = np.bincount(codes).astype(np.float64)
    sums = np.zeros((len(counts), X.shape[1]))
    np.add.at(sums, codes, centred)
    between = sums.T @ (sums / counts[:, None])
    within = total - between

    def criterion(subset: tuple[int, ...]) -> float:
        if not subset:
            return 0.0
        at = np.ix_(subset, subset)
        # In units of each column's own spread, and a grain of it added, so that columns that say the same are no harm.
        unit = np.sqrt(np.diag(total)[list(subset)])
        unit = np.where(unit > 0, unit, 1.0)
        inside = within[at] / np.outer(unit, unit) + 1e-9 * np.eye(len(subset))
        return float(np.trace(np.linalg.solve(inside, between[at] / np.outer(unit, unit))))

    return criterion


@method(
    section="11.1",
    task="transform",
    kind="measure",
    en="Fisher criterion of a subset",
    zh="Fisher 准则",
)
def fisher_criterion(X: Any, y: Any, subset: Sequence[Any] | None = None) -> float:
    r"""How far apart a subset of columns of numbers holds the classes, :math:`tr(S_w^{-1} S_b)` (section 3.4).

    Of one column it is the ratio of the spread between the classes to that within them.

    Book: sections 11.1 and 3.4. Cost: :math:`O(nd^2)`.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The rows, of numbers without holes.
    y : array of shape (n_samples,)
        Their labels.
    subset : sequence of int or str, optional
        The columns; all by default.

    Returns
    -------
    float
        0 or more; it never falls when columns are added.

    Examples
    --------
    >>> from lanatus.select import fisher_criterion
    >>> round(fisher_criterion([[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1]), 4)
    4.0
    """
    door = _NumbersDoor()
    rows = door._take(X, reset=True)
    names = list(door.schema_.names)
    chosen = places(range(len(names)) if subset is None else subset, names)
    return fisher_of(rows.astype(np.float64), class_codes(y, X)[1])(chosen)
