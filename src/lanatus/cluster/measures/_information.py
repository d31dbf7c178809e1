"""External measures by information: what one partition tells of the other."""

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln

from lanatus.catalog import method
from lanatus.cluster.measures._labels import contingency, two_partitions

Average = Literal["min", "geometric", "arithmetic", "max"]
_MEANS = {
    "min": min,
    "geometric": lambda a, b: float(np.sqrt(a * b)),
    "arithmetic": lambda a, b: (a + b) / 2,
    "max": max,
}


@method(
    "cluster.cluster-mutual-information",
    section="9.7",
    task="clustering",
    kind="measure",
    en="Mutual information of partitions",
    zh="互信息",
    peers=["scikit-learn:mutual_info_score"],
)
def mutual_info_score(labels_true: Any, labels_pred: Any, *, contingency: Any = None) -> float:
    r"""What the cluster of a row tells of its class, in nats: :math:`\sum_{ij} p_{ij} \ln \frac{p_{ij}}{p_i p_j}`.

    Book: section 9.7. Cost: O(m log m).

    Parameters
    ----------
    labels_true : array-like of shape (m,)
        The reference; not looked at where `contingency` is given.
    labels_pred : array-like of shape (m,)
        The clustering.
    contingency : array or sparse matrix of shape (classes, clusters), default=None
        Counts of rows by class and cluster.

    Examples
    --------
    >>> from lanatus.cluster import mutual_info_score
    >>> round(mutual_info_score([0, 0, 1, 1], [0, 0, 1, 1]), 6)
    0.693147
    """
    if contingency is None:
        return _information(_table(labels_true, labels_pred))
    table = sp.csr_matrix(contingency)
    if table.nnz and not (np.isfinite(table.data).all() and (table.data >= 0).all()):
        raise ValueError("contingency holds counts below 0 or NaN; wanted counts of rows.")
    return _information(table)


@method(
    section="9.7",
    task="clustering",
    kind="measure",
    en="Normalised mutual information",
    zh="归一化互信息",
    peers=["scikit-learn:normalized_mutual_info_score"],
)
def normalized_mutual_info_score(
    labels_true: Any, labels_pred: Any, *, average_method: Average = "arithmetic"
) -> float:
    """Mutual information over a mean of the two entropies: from 0 to 1.

    Two partitions of one cluster each are alike: 1. Book: section 9.7. Cost: O(m log m).

    Parameters
    ----------
    labels_true : array-like of shape (m,)
        The reference.
    labels_pred : array-like of shape (m,)
        The clustering.
    average_method : {"min", "geometric", "arithmetic", "max"}, default="arithmetic"
        Mean of the entropies.

    Examples
    --------
    >>> from lanatus.cluster import normalized_mutual_info_score
    >>> normalized_mutual_info_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    mean = _mean_named(average_method)
    table = _table(labels_true, labels_pred)
    if table.shape == (1, 1) or _is_matching(table):
        return 1.0
    information = _information(table)
    if information <= np.finfo(np.float64).eps:
        return 0.0
    return float(information / mean(*_entropies(table)))


@method(
    section="9.7",
    task="clustering",
    kind="measure",
    en="Adjusted mutual information",
    zh="调整互信息",
    peers=["scikit-learn:adjusted_mutual_info_score"],
)
def adjusted_mutual_info_score(labels_true: Any, labels_pred: Any, *, average_method: Average = "arithmetic") -> float:
    r"""Mutual information above what partitions of these sizes drawn at random have (Vinh, Epps, Bailey 2010).

    :math:`\frac{I - E[I]}{\text{mean}(H_1, H_2) - E[I]}`: 0 on average for random partitions, 1 for equal ones.
    Book: section 9.7. Cost: O(m log m + sizes of clusters, over pairs of distinct sizes).

    Parameters
    ----------
    labels_true : array-like of shape (m,)
        The reference.
    labels_pred : array-like of shape (m,)
        The clustering.
    average_method : {"min", "geometric", "arithmetic", "max"}, default="arithmetic"
        Mean of the entropies.

    Examples
    --------
    >>> from lanatus.cluster import adjusted_mutual_info_score
    >>> adjusted_mutual_info_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    >>> adjusted_mutual_info_score([0, 0, 0, 0], [0, 1, 2, 3])
    0.0
    """
    mean = _mean_named(average_method)
    table = _table(labels_true, labels_pred)
    if table.shape == (1, 1) or _is_matching(table):
        return 1.0
    if 1 in table.shape:
        return 0.0
    expected = _expected_information(*_margins(table))
    above = mean(*_entropies(table)) - expected
    tiny = np.finfo(np.float64).eps  # where all rows are apart in both, both differences are rounding
    above = min(above, -tiny) if above < 0 else max(above, tiny)
    return float((_information(table) - expected) / above)


@method(
    section="9.7",
    task="clustering",
    kind="measure",
    en="Homogeneity, completeness and V-measure",
    zh="同质性、完整性与V度量",
    peers=["scikit-learn:homogeneity_completeness_v_measure"],
)
def homogeneity_completeness_v_measure(
    labels_true: Any, labels_pred: Any, *, beta: float = 1.0
) -> tuple[float, float, float]:
    r"""Whether clusters hold one class each, whether classes are in one cluster each, and a mean of both.

    :math:`h = I / H(\text{classes})`, :math:`c = I / H(\text{clusters})`, :math:`V = \frac{(1+\beta) h c}{\beta h + c}`
    (Rosenberg and Hirschberg 2007). Book: section 9.7, mutual information. Cost: O(m log m).

    Parameters
    ----------
    labels_true : array-like of shape (m,)
        The reference.
    labels_pred : array-like of shape (m,)
        The clustering.
    beta : float, default=1.0
        Above 1 completeness counts more.

    Examples
    --------
    >>> from lanatus.cluster import homogeneity_completeness_v_measure
    >>> [round(v, 4) for v in homogeneity_completeness_v_measure([0, 0, 1, 1], [0, 0, 1, 2])]
    [1.0, 0.6667, 0.8]
    """
    if not beta >= 0:
        raise ValueError(f"got beta={beta}, wanted a number from 0 on.")
    table = _table(labels_true, labels_pred)
    information, (of_classes, of_clusters) = _information(table), _entropies(table)
    homogeneity = information / of_classes if of_classes else 1.0
    completeness = information / of_clusters if of_clusters else 1.0
    below = beta * homogeneity + completeness
    v_measure = (1 + beta) * homogeneity * completeness / below if below else 0.0
    return float(homogeneity), float(completeness), float(v_measure)


def homogeneity_score(labels_true: Any, labels_pred: Any) -> float:
    """Whether clusters hold rows of one class each, from 0 to 1."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred)[0]


def completeness_score(labels_true: Any, labels_pred: Any) -> float:
    """Whether rows of one class are in one cluster each, from 0 to 1."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred)[1]


def v_measure_score(labels_true: Any, labels_pred: Any, *, beta: float = 1.0) -> float:
    """A mean of homogeneity and completeness, from 0 to 1; above 1, `beta` weighs completeness more."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred, beta=beta)[2]


def _mean_named(name: str) -> Any:
    if name not in _MEANS:
        raise ValueError(f"got average_method={name!r}, wanted one of {', '.join(map(repr, _MEANS))}.")
    return _MEANS[name]


def _table(labels_true: Any, labels_pred: Any) -> sp.csr_matrix:
    return contingency(*two_partitions(labels_true, labels_pred))


def _is_matching(table: sp.csr_matrix) -> bool:
    """Whether each class is one cluster: then the score is 1 to the last bit."""
    return table.shape[0] == table.shape[1] == table.nnz


def _margins(table: sp.csr_matrix) -> tuple[np.ndarray, np.ndarray]:
    return np.asarray(table.sum(axis=1)).ravel(), np.asarray(table.sum(axis=0)).ravel()


def _entropies(table: sp.csr_matrix) -> tuple[float, float]:
    one, other = (_entropy(sizes) for sizes in _margins(table))
    return one, other


def _entropy(sizes: np.ndarray) -> float:
    shares = sizes[sizes > 0] / sizes.sum()
    return float(max(0.0, -(shares * np.log(shares)).sum()))


def _information(table: sp.csr_matrix) -> float:
    cells = table.tocoo()
    filled = cells.data > 0
    counts, rows, columns = cells.data[filled].astype(np.float64), cells.row[filled], cells.col[filled]
    if not len(counts):
        return 0.0
    total = counts.sum()
    by_row, by_column = _margins(table)
    logs = np.log(counts) + np.log(total) - np.log(by_row[rows]) - np.log(by_column[columns])
    return float(max(0.0, (counts / total * logs).sum()))


def _expected_information(one: np.ndarray, other: np.ndarray) -> float:
    """Mean over all partitions with clusters of these sizes: cells are hypergeometric; equal sizes are done once."""
    (a_sizes, a_times), (b_sizes, b_times) = (np.unique(sizes, return_counts=True) for sizes in (one, other))
    n = int(one.sum())
    logs = gammaln(np.arange(n + 2, dtype=np.float64))  # logs[i + 1] is log i!
    total = 0.0
    for a, times_a in zip(a_sizes.tolist(), a_times.tolist(), strict=True):
        for b, times_b in zip(b_sizes.tolist(), b_times.tolist(), strict=True):
            cell = np.arange(max(1, a + b - n), min(a, b) + 1)
            fixed = logs[a + 1] + logs[b + 1] + logs[n - a + 1] + logs[n - b + 1] - logs[n + 1]
            chance = fixed - logs[cell + 1] - logs[a - cell + 1] - logs[b - cell + 1] - logs[n - a - b + cell + 1]
            gain = cell / n * (np.log(n) + np.log(cell) - np.log(a) - np.log(b))
            total += times_a * times_b * float((gain * np.exp(chance)).sum())
    return total
