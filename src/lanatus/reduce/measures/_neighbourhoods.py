"""Whether neighbours stay neighbours: trustworthiness and continuity."""

from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.neighbors import NearestNeighbors
from lanatus.params import check_integer
from lanatus.reduce.manifold._distances import distances

_BLOCK = 2**22  # distances sorted at once


@method(
    section="10.2",
    task="evaluation",
    kind="measure",
    en="Trustworthiness of an embedding",
    zh="可信度",
    peers=["scikit-learn:trustworthiness"],
)
def trustworthiness(X: Any, X_embedded: Any, *, n_neighbors: int = 5, metric: Any = "euclidean") -> float:
    r"""How far neighbours in an embedding can be trusted to be neighbours in the rows: 1 is all.

    :math:`1 - \frac{2}{nk(2n - 3k - 1)} \sum_i \sum_{j \in N_k(i)} \max(0, r(i, j) - k)`, with :math:`N_k` the nearest
    in the embedding and r the rank among the rows; equal distances rank by number.

    Book: section 10.2. Cost: :math:`O(n^2 (d + \log n))`, in blocks of rows.

    Parameters
    ----------
    X : array of shape (n_samples, n_features), or (n_samples, n_samples) distances
        The rows.
    X_embedded : array of shape (n_samples, n_components)
        Their embedding.
    n_neighbors : int, default=5
        How many neighbours, fewer than half the rows.
    metric : str or callable, default="euclidean"
        The distance of the rows; "precomputed" where X holds distances.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> from lanatus.reduce import trustworthiness
    >>> trustworthiness([[0.0], [1.0], [2.0], [3.0], [9.0]], [[0.0], [1.0], [2.0], [3.0], [4.0]], n_neighbors=1)
    1.0
    """
    X, Z = _rows(X, X_embedded)
    n = len(X)
    _check(n, n_neighbors)
    near = NearestNeighbors(n_neighbors=n_neighbors).fit(Z).kneighbors(return_distance=False)
    return _kept(_excess(X, near, metric), n, n_neighbors)


@method(
    section="10.2",
    task="evaluation",
    kind="measure",
    en="Continuity of an embedding",
    zh="连续性",
)
def continuity(X: Any, X_embedded: Any, *, n_neighbors: int = 5, metric: Any = "euclidean") -> float:
    """How far neighbours in the rows stay neighbours in an embedding: 1 is all.

    Trustworthiness with rows and embedding in each other's place: what an embedding tears apart, it finds.

    Book: section 10.2. Cost: that of `trustworthiness`.

    Parameters
    ----------
    X : array of shape (n_samples, n_features), or (n_samples, n_samples) distances
        The rows.
    X_embedded : array of shape (n_samples, n_components)
        Their embedding.
    n_neighbors : int, default=5
        How many neighbours, fewer than half the rows.
    metric : str or callable, default="euclidean"
        The distance of the rows; "precomputed" where X holds distances.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> from lanatus.reduce import continuity
    >>> continuity([[0.0], [1.0], [2.0], [3.0], [4.0]], [[0.0], [1.0], [2.0], [-9.0], [9.0]], n_neighbors=1)
    0.6666666666666667
    """
    X, Z = _rows(X, X_embedded)
    n = len(X)
    _check(n, n_neighbors)
    search = NearestNeighbors(n_neighbors=n_neighbors, metric=metric).fit(X)
    near = search.kneighbors(return_distance=False)
    return _kept(_excess(Z, near, "euclidean"), n, n_neighbors)


def _rows(X: Any, Z: Any) -> tuple[np.ndarray, np.ndarray]:
    X, Z = (np.asarray(part, dtype=np.float64) for part in (X, Z))
    if X.ndim != 2 or Z.ndim != 2 or len(X) != len(Z):
        raise ValueError(f"rows and embedding must be matrices with as many rows; got shapes {X.shape} and {Z.shape}.")
    if not (np.isfinite(X).all() and np.isfinite(Z).all()):
        raise ValueError("rows and embedding must be finite; got NaN or infinity.")
    return X, Z


def _check(n: int, k: int) -> None:
    check_integer("n_neighbors", k, 1)
    if k >= n / 2:
        raise ValueError(f"n_neighbors ({k}) should be less than n_samples / 2 ({n / 2})")


def _excess(X: np.ndarray, near: np.ndarray, metric: Any) -> float:
    """Sum of how far the ranks of the given neighbours are beyond their number."""
    n, k = near.shape
    total = 0.0
    step = max(1, _BLOCK // n)
    for start in range(0, n, step):
        rows = np.arange(start, min(n, start + step))
        D = distances(X[rows], X, metric, None)
        D[np.arange(len(rows)), rows] = -1.0
        order = np.argsort(D, axis=1, kind="stable")
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.arange(n)[None, :], axis=1)
        total += float(np.maximum(np.take_along_axis(rank, near[rows], axis=1) - k, 0).sum())
    return total


def _kept(excess: float, n: int, k: int) -> float:
    return 1.0 - excess * 2.0 / (n * k * (2.0 * n - 3.0 * k - 1.0))
