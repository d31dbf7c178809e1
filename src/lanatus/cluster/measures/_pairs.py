"""External measures that count pairs of rows (9.1)-(9.7)."""

from typing import Any, NamedTuple

import numpy as np

from lanatus.catalog import method
from lanatus.cluster.measures._labels import contingency, two_partitions


class PairCounts(NamedTuple):
    """Pairs of rows by whether they are together in a clustering, and in the reference.

    Attributes
    ----------
    a : int, together in both (SS)
    b : int, together in the clustering only (SD)
    c : int, together in the reference only (DS)
    d : int, together in neither (DD)
    """

    a: int
    b: int
    c: int
    d: int

    @property
    def precision(self) -> float:
        """Share of the pairs of the clustering that are in the reference; 1 where it has none."""
        return _share(self.a, self.a + self.b)

    @property
    def recall(self) -> float:
        """Share of the pairs of the reference that are in the clustering; 1 where it has none."""
        return _share(self.a, self.a + self.c)


@method(
    "cluster.pair-counts",
    section="9.2",
    task="clustering",
    kind="measure",
    en="Pair counts of two partitions",
    zh="样本对计数",
    peers=["scikit-learn:pair_confusion_matrix"],
)
def pair_counts(labels: Any, reference: Any) -> PairCounts:
    r"""Pairs of rows that are together or apart in two partitions (9.1)-(9.4).

    Their sum is :math:`a + b + c + d = m(m-1)/2`. Book: section 9.2. Cost: :math:`O(m \log m)`.

    Parameters
    ----------
    labels : array-like of shape (m,)
        The clustering.
    reference : array-like of shape (m,)
        The reference.

    Examples
    --------
    >>> from lanatus.cluster import pair_counts
    >>> pair_counts([0, 0, 1, 1], ["x", "x", "x", "y"])
    PairCounts(a=1, b=1, c=2, d=2)
    """
    one, other = two_partitions(labels, reference)
    cells, rows, columns = (_pairs(counts) for counts in _sizes(one, other))
    total = len(one) * (len(one) - 1) // 2
    return PairCounts(cells, rows - cells, columns - cells, total - rows - columns + cells)


@method(
    "cluster.jaccard-coefficient",
    section="9.2",
    task="clustering",
    kind="measure",
    en="Jaccard coefficient of partitions",
    zh="Jaccard系数",
)
def jaccard_index(labels: Any, reference: Any) -> float:
    """Pairs together in both partitions over those together in either, a / (a + b + c) (9.5).

    From 0 to 1; 1 where neither has a pair. Book: section 9.2. Cost: O(m log m).

    Parameters
    ----------
    labels : array-like of shape (m,)
        The clustering.
    reference : array-like of shape (m,)
        The reference.

    Examples
    --------
    >>> from lanatus.cluster import jaccard_index
    >>> jaccard_index([0, 0, 1, 1], [0, 0, 0, 1])
    0.25
    """
    counts = pair_counts(labels, reference)
    return _share(counts.a, counts.a + counts.b + counts.c)


@method(
    "cluster.fowlkes-mallows",
    section="9.2",
    task="clustering",
    kind="measure",
    en="Fowlkes-Mallows index",
    zh="FM指数",
    peers=["scikit-learn:fowlkes_mallows_score"],
)
def fowlkes_mallows_score(labels_true: Any, labels_pred: Any) -> float:
    r"""Geometric mean of the precision and recall of pairs, :math:`\sqrt{\frac{a}{a+b}\cdot\frac{a}{a+c}}` (9.6).

    From 0 to 1; 0 where no pair is together in both, as in scikit-learn. Book: section 9.2. Cost: O(m log m).

    Parameters
    ----------
    labels_true : array-like of shape (m,)
        The reference.
    labels_pred : array-like of shape (m,)
        The clustering.

    Examples
    --------
    >>> from lanatus.cluster import fowlkes_mallows_score
    >>> round(fowlkes_mallows_score([0, 0, 0, 1], [0, 0, 1, 1]), 6)
    0.408248
    """
    counts = pair_counts(labels_pred, labels_true)
    return float(np.sqrt(counts.precision * counts.recall)) if counts.a else 0.0


@method(
    "cluster.rand-index",
    section="9.2",
    task="clustering",
    kind="measure",
    en="Rand index",
    zh="Rand指数",
    peers=["scikit-learn:rand_score"],
)
def rand_score(labels_true: Any, labels_pred: Any) -> float:
    r"""Share of the pairs on which two partitions agree, :math:`\frac{2(a+d)}{m(m-1)}` (9.7).

    From 0 to 1; 1 for one row. Book: section 9.2. Cost: O(m log m).

    Parameters
    ----------
    labels_true : array-like of shape (m,)
        The reference.
    labels_pred : array-like of shape (m,)
        The clustering.

    Examples
    --------
    >>> from lanatus.cluster import rand_score
    >>> rand_score([0, 0, 0, 1], [0, 0, 1, 1])
    0.5
    """
    counts = pair_counts(labels_pred, labels_true)
    return _share(counts.a + counts.d, sum(counts))


@method(
    section="9.2",
    task="clustering",
    kind="measure",
    en="Adjusted Rand index",
    zh="调整Rand指数",
    peers=["scikit-learn:adjusted_rand_score"],
)
def adjusted_rand_score(labels_true: Any, labels_pred: Any) -> float:
    r"""The Rand index put to 0 for partitions drawn at random and to 1 for equal ones (Hubert and Arabie 1985).

    :math:`\frac{2(ad - bc)}{(a+b)(b+d) + (a+c)(c+d)}`. Book: the Rand index of section 9.2. Cost: O(m log m).

    Parameters
    ----------
    labels_true : array-like of shape (m,)
        The reference.
    labels_pred : array-like of shape (m,)
        The clustering.

    Examples
    --------
    >>> from lanatus.cluster import adjusted_rand_score
    >>> adjusted_rand_score([0, 0, 1, 1], ["b", "b", "a", "a"]), adjusted_rand_score([0, 0, 1, 1], [0, 1, 0, 1])
    (1.0, -0.5)
    """
    a, b, c, d = pair_counts(labels_pred, labels_true)
    if b == c == 0:
        return 1.0
    return 2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d))


@method(
    "cluster.cluster-f-measure",
    section="9.7",
    task="clustering",
    kind="measure",
    en="Clustering F-measure",
    zh="聚类F值",
)
def pairwise_f_score(labels_true: Any, labels_pred: Any, *, beta: float = 1.0) -> float:
    r"""F-measure of pairs: the weighted harmonic mean of their precision and recall.

    :math:`F_\beta = \frac{(1+\beta^2) P R}{\beta^2 P + R}` with :math:`P = a/(a+b)` and :math:`R = a/(a+c)`.
    Book: section 9.7, F-measure as in 2.3.2. Cost: O(m log m).

    Parameters
    ----------
    labels_true : array-like of shape (m,)
        The reference.
    labels_pred : array-like of shape (m,)
        The clustering.
    beta : float, default=1.0
        Above 1 recall counts more.

    Examples
    --------
    >>> from lanatus.cluster import pairwise_f_score
    >>> round(pairwise_f_score([0, 0, 0, 1], [0, 0, 1, 1]), 6)
    0.4
    """
    if not beta > 0:
        raise ValueError(f"got beta={beta}, wanted a number above 0.")
    counts = pair_counts(labels_pred, labels_true)
    below = beta**2 * counts.precision + counts.recall
    return (1 + beta**2) * counts.precision * counts.recall / below if below else 0.0


def _sizes(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return contingency(one, other).data, np.bincount(one), np.bincount(other)


def _pairs(counts: np.ndarray) -> int:
    counts = counts.astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
