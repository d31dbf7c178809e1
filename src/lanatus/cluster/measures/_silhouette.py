"""Silhouettes: whether rows are nearer to their own cluster than to the next."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.cluster._to_clusters import to_clusters
from lanatus.cluster.measures._labels import rows_and_codes


@method(
    section="9.7",
    task="clustering",
    kind="measure",
    en="Silhouette of each row",
    zh="轮廓系数",
    peers=["scikit-learn:silhouette_samples"],
)
def silhouette_samples(X: Any, labels: Any, *, metric: Any = "euclidean", **kwds: Any) -> np.ndarray:
    r"""For each row how much nearer it is to its own cluster than to the next one, from -1 to 1.

    :math:`s(i) = \frac{b_i - a_i}{\max(a_i, b_i)}` with :math:`a_i` the mean distance to the other rows of the cluster
    and :math:`b_i` the smallest mean distance to another cluster (Rousseeuw 1987); 0 for a cluster of one row.

    Book: section 9.7. Kernel: ``cpp/cluster/to_clusters.hpp``. Cost: O(n^2 d); memory O(n k), never n by n.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n, d)
        The rows; with ``metric="precomputed"`` their distances, with a diagonal of zeros.
    labels : array-like of shape (n,)
        Their clusters, 2 to n - 1 of them.
    metric : str or callable, default="euclidean"
        Distance, as in scikit-learn's ``pairwise_distances``.
    **kwds : dict
        Parameters of the metric.

    Examples
    --------
    >>> from lanatus.cluster import silhouette_samples
    >>> silhouette_samples([[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1]).round(4).tolist()
    [0.8824, 0.8667, 0.8667, 0.8824]
    """
    X, codes, k = rows_and_codes(X, labels)
    if metric == "precomputed":
        X = _sound_distances(X)
    sums = to_clusters(X, X, codes, k, "sum", metric=metric, **kwds)
    sizes = np.bincount(codes, minlength=k)
    rows = np.arange(len(codes))
    within = sums[rows, codes] / np.maximum(sizes[codes] - 1, 1)
    sums /= sizes
    sums[rows, codes] = np.inf
    nearest = sums.min(axis=1)
    widest = np.maximum(within, nearest)
    width = np.divide(nearest - within, widest, out=np.zeros_like(widest), where=widest > 0)
    width[sizes[codes] == 1] = 0.0
    return np.asarray(width)


@method(
    "cluster.silhouette",
    section="9.7",
    task="clustering",
    kind="measure",
    en="Average silhouette width",
    zh="平均廓宽",
    peers=["scikit-learn:silhouette_score"],
)
def silhouette_score(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    sample_size: int | None = None,
    random_state: Any = None,
    **kwds: Any,
) -> float:
    """Mean of the silhouettes of all rows: near 1 for compact clusters far apart, below 0 for rows in wrong ones.

    Book: section 9.7. Cost: O(n^2 d); memory O(n k), never n by n.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n, d)
        The rows; with ``metric="precomputed"`` their distances.
    labels : array-like of shape (n,)
        Their clusters, 2 to n - 1 of them.
    metric : str or callable, default="euclidean"
        Distance.
    sample_size : int or None, default=None
        Rows drawn at random to be measured, among themselves; None is all.
    random_state : int, RandomState or None, default=None
        Draws them.
    **kwds : dict
        Parameters of the metric.

    Examples
    --------
    >>> from lanatus.cluster import silhouette_score
    >>> round(silhouette_score([[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1]), 4)
    0.8745
    """
    if sample_size is not None:
        X, codes, _ = rows_and_codes(X, labels)
        rows = check_random_state(random_state).permutation(X.shape[0])[:sample_size]
        X, labels = (X[rows][:, rows] if metric == "precomputed" else X[rows]), codes[rows]
    return float(silhouette_samples(X, labels, metric=metric, **kwds).mean())


def _sound_distances(D: Any) -> Any:
    """Distances of the rows to each other: square, and zero to themselves."""
    if D.shape[0] != D.shape[1]:
        raise ValueError(f"got precomputed distances of shape {D.shape}, wanted a square matrix.")
    diagonal = D.diagonal()
    if (np.abs(diagonal) > 100 * np.finfo(np.float64).eps).any():
        raise ValueError(
            "The precomputed distance matrix contains non-zero elements on the diagonal. Use np.fill_diagonal(X, 0)."
        )
    return D.toarray() if hasattr(D, "toarray") else D
