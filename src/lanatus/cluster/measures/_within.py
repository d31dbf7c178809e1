"""Internal measures (9.8)-(9.13): clusters by their own rows."""

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from lanatus.catalog import method
from lanatus.cluster._to_clusters import to_clusters
from lanatus.cluster.measures._labels import numbers_of, rows_and_codes


@method(
    "cluster.cluster-distances",
    section="9.2",
    task="clustering",
    kind="measure",
    en="Mean distance within a cluster",
    zh="簇内平均距离",
)
def avg(C: Any, *, metric: Any = "euclidean") -> float:
    r"""Mean distance of the pairs of a cluster, :math:`\frac{2}{|C|(|C|-1)} \sum_{i<j} \text{dist}(x_i, x_j)` (9.8).

    0 for a single row. Book: section 9.2, with `diam`, `d_min` and `d_cen`. Cost: O(n^2 d), memory O(n).

    Parameters
    ----------
    C : array or frame of shape (n, d)
        The rows of the cluster.
    metric : str or callable, default="euclidean"
        Distance, as in scikit-learn's ``pairwise_distances``.

    Examples
    --------
    >>> from lanatus.cluster import avg, d_cen, d_min, diam
    >>> C, other = [[0.0], [1.0], [5.0]], [[7.0], [9.0]]
    >>> round(avg(C), 6), diam(C), d_min(C, other), d_cen(C, other)
    (3.333333, 5.0, 2.0, 6.0)
    """
    C = numbers_of(C)
    n = C.shape[0]
    return float(_to_one(C, C, "sum", metric).sum()) / (n * (n - 1)) if n > 1 else 0.0


@method(section="9.2", task="clustering", kind="measure", en="Diameter of a cluster", zh="簇的直径")
def diam(C: Any, *, metric: Any = "euclidean") -> float:
    """Largest distance of two rows of a cluster (9.9).

    Book: section 9.2. Cost: O(n^2 d), memory O(n).

    Parameters
    ----------
    C : array or frame of shape (n, d)
        The rows of the cluster.
    metric : str or callable, default="euclidean"
        Distance.

    Examples
    --------
    >>> from lanatus.cluster import diam
    >>> diam([[0.0], [1.0], [5.0]])
    5.0
    """
    C = numbers_of(C)
    return float(_to_one(C, C, "largest", metric).max())


@method(section="9.2", task="clustering", kind="measure", en="Nearest distance of two clusters", zh="簇间最近距离")
def d_min(C_i: Any, C_j: Any, *, metric: Any = "euclidean") -> float:
    """Distance of the two nearest rows of two clusters (9.10).

    Book: section 9.2. Cost: O(n m d), memory O(n).

    Parameters
    ----------
    C_i : array or frame of shape (n, d)
        The rows of the one cluster.
    C_j : array or frame of shape (m, d)
        The rows of the other.
    metric : str or callable, default="euclidean"
        Distance.

    Examples
    --------
    >>> from lanatus.cluster import d_min
    >>> d_min([[0.0], [1.0], [5.0]], [[7.0], [9.0]])
    2.0
    """
    return float(_to_one(numbers_of(C_i), numbers_of(C_j), "smallest", metric).min())


@method(section="9.2", task="clustering", kind="measure", en="Distance of two cluster centres", zh="簇中心距离")
def d_cen(C_i: Any, C_j: Any, *, metric: Any = "euclidean") -> float:
    """Distance of the means of two clusters (9.11).

    Book: section 9.2. Cost: O((n + m) d).

    Parameters
    ----------
    C_i : array or frame of shape (n, d)
        The rows of the one cluster.
    C_j : array or frame of shape (m, d)
        The rows of the other.
    metric : str or callable, default="euclidean"
        Distance.

    Examples
    --------
    >>> from lanatus.cluster import d_cen
    >>> d_cen([[0.0], [1.0], [5.0]], [[7.0], [9.0]])
    6.0
    """
    one, other = (np.asarray(numbers_of(C).mean(axis=0)).reshape(1, -1) for C in (C_i, C_j))
    return float(_to_one(one, other, "sum", metric)[0])


def _to_one(X: Any, points: Any, over: Any, metric: Any) -> np.ndarray:
    return to_clusters(X, points, np.zeros(points.shape[0], np.int32), 1, over, metric=metric)[:, 0]


@method(
    "cluster.davies-bouldin",
    section="9.2",
    task="clustering",
    kind="measure",
    en="Davies-Bouldin index",
    zh="DB指数",
    peers=["scikit-learn:davies_bouldin_score"],
)
def davies_bouldin_score(X: Any, labels: Any, *, spread: Literal["centroid", "pairwise"] = "centroid") -> float:
    r"""How wide clusters are against how far apart, of the worst neighbour of each: smaller is better.

    :math:`\frac{1}{k} \sum_i \max_{j \ne i} \frac{s_i + s_j}{d_{cen}(C_i, C_j)}` (9.12). The book takes as
    :math:`s_i` the mean distance of pairs, `avg` (9.8): ``spread="pairwise"``. Davies and Bouldin (1979), and
    scikit-learn, take the mean distance to the centre: ``spread="centroid"``. Clusters with one centre but some
    width make it infinite.

    Book: section 9.2. Cost: O(n d + k^2 d), with ``"pairwise"`` O(n^2 d); memory O(n k).

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n, d)
        The rows.
    labels : array-like of shape (n,)
        Their clusters.
    spread : {"centroid", "pairwise"}, default="centroid"
        What the width of a cluster is: as scikit-learn has it, or as the book has it.

    Examples
    --------
    >>> from lanatus.cluster import davies_bouldin_score
    >>> X, labels = [[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1]
    >>> davies_bouldin_score(X, labels), davies_bouldin_score(X, labels, spread="pairwise")
    (0.2, 0.4)
    """
    if spread not in ("centroid", "pairwise"):
        raise ValueError(f"got spread={spread!r}, wanted 'centroid' (scikit-learn's) or 'pairwise' (the book's).")
    X, codes, k = rows_and_codes(X, labels)
    centers, sizes = means_of(X, codes, k)
    if spread == "pairwise":
        own = to_clusters(X, X, codes, k, "sum")[np.arange(len(codes)), codes]
        within = np.bincount(codes, own, k) / np.maximum(sizes * (sizes - 1), 1)
    else:
        within = np.bincount(codes, np.sqrt(_squares_to_own(X, codes, centers)), k) / sizes
    apart = to_clusters(centers, centers, np.arange(k, dtype=np.int32), k, "sum")
    np.fill_diagonal(apart, np.inf)
    if np.allclose(within, 0) or np.allclose(apart[np.isfinite(apart)], 0):
        return 0.0  # as scikit-learn: points, or one place
    joint = within[:, None] + within
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(joint > 0, joint / apart, 0.0)
    return float(ratios.max(axis=1).mean())


@method(
    "cluster.dunn-index",
    section="9.2",
    task="clustering",
    kind="measure",
    en="Dunn index",
    zh="Dunn指数",
    peers=["validclust:dunn"],
)
def dunn_score(X: Any, labels: Any, *, metric: Any = "euclidean") -> float:
    r"""Smallest distance of two clusters over the largest diameter of one: larger is better.

    :math:`\min_{i \ne j} d_{min}(C_i, C_j) / \max_l \text{diam}(C_l)` (9.13); infinite where all clusters are points.

    Book: section 9.2. Cost: O(n^2 d), memory O(n k).

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n, d)
        The rows; with ``metric="precomputed"`` their distances.
    labels : array-like of shape (n,)
        Their clusters.
    metric : str or callable, default="euclidean"
        Distance, as in scikit-learn's ``pairwise_distances``.

    Examples
    --------
    >>> from lanatus.cluster import dunn_score
    >>> dunn_score([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    4.0
    """
    X, codes, k = rows_and_codes(X, labels, singles=True)
    own = np.arange(len(codes)), codes
    width = float(to_clusters(X, X, codes, k, "largest", metric=metric)[own].max())
    gaps = to_clusters(X, X, codes, k, "smallest", metric=metric)
    gaps[own] = np.inf
    gap = float(gaps.min())
    return gap / width if width > 0 else (np.inf if gap > 0 else 0.0)


@method(
    section="9.2",
    task="clustering",
    kind="measure",
    en="Calinski-Harabasz index",
    zh="Calinski-Harabasz指数",
    peers=["scikit-learn:calinski_harabasz_score"],
)
def calinski_harabasz_score(X: Any, labels: Any) -> float:
    r"""Variance between clusters over that within, each by its degrees of freedom: larger is better.

    :math:`\frac{B / (k - 1)}{W / (n - k)}` (Calinski and Harabasz 1974); 1 where nothing varies within.
    Book: an internal index as those of section 9.2. Cost: O(n d).

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n, d)
        The rows.
    labels : array-like of shape (n,)
        Their clusters.

    Examples
    --------
    >>> from lanatus.cluster import calinski_harabasz_score
    >>> calinski_harabasz_score([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    50.0
    """
    X, codes, k = rows_and_codes(X, labels)
    centers, sizes = means_of(X, codes, k)
    within = float(_squares_to_own(X, codes, centers).sum())
    middle = np.asarray(X.mean(axis=0)).ravel()
    between = float((sizes[:, None] * (centers - middle) ** 2).sum())
    return 1.0 if within == 0 else between * (len(codes) - k) / (within * (k - 1))


def means_of(X: Any, codes: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and size of each cluster."""
    n = len(codes)
    sizes = np.bincount(codes, minlength=k).astype(np.float64)
    membership = sp.csr_matrix((np.ones(n), (codes, np.arange(n))), shape=(k, n))
    sums = membership @ X
    return np.asarray(sums.todense() if sp.issparse(sums) else sums) / sizes[:, None], sizes


def _squares_to_own(X: Any, codes: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Squared distance of each row to the mean of its cluster."""
    if not sp.issparse(X):
        return np.asarray(((X - centers[codes]) ** 2).sum(axis=1))
    norms = np.asarray(X.multiply(X).sum(axis=1)).ravel() + (centers[codes] ** 2).sum(axis=1)
    inner = np.asarray(X.multiply(centers[codes]).sum(axis=1)).ravel()
    return np.asarray(np.maximum(norms - 2 * inner, 0.0))
