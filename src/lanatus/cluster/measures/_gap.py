"""The gap statistic: how many clusters there are."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.cluster.measures._labels import numbers_of
from lanatus.cluster.measures._within import means_of


class Gap(NamedTuple):
    """The gap statistic for several numbers of clusters.

    Attributes
    ----------
    k : ndarray of int, the numbers of clusters tried
    gap : ndarray, Gap(k)
    error : ndarray, s(k), with the error of the simulation
    best : int, the smallest k with Gap(k) >= Gap(k') - s(k') for the next k' tried
    """

    k: np.ndarray
    gap: np.ndarray
    error: np.ndarray
    best: int


@method(
    "cluster.gap-statistic",
    section="9.7",
    task="clustering",
    kind="measure",
    en="Gap statistic",
    zh="间隔统计量",
    peers=["gap-stat:OptimalK"],
)
def gap_statistic(
    X: Any,
    k_range: Iterable[int] = range(1, 9),
    *,
    n_references: int = 20,
    reference: str = "box",
    random_state: Any = None,
) -> Gap:
    r"""How much more k-means lowers the scatter than it would in data without clusters, for each k.

    :math:`\text{Gap}(k) = E^*[\ln W_k] - \ln W_k` with :math:`W_k` the sum of squares within clusters and the mean over
    rows drawn uniformly from a box; the smallest k with
    :math:`\text{Gap}(k) \ge \text{Gap}(k+1) - s_{k+1}` is taken (Tibshirani, Walther, Hastie 2001).

    Book: section 9.7. Cost: (n_references + 1) runs of k-means for each k.

    Parameters
    ----------
    X : array or frame of shape (n, d)
        The rows.
    k_range : iterable of int, default=range(1, 9)
        Numbers of clusters to try, none above the number of distinct rows.
    n_references : int, default=20
        Data sets drawn.
    reference : {"box", "principal"}, default="box"
        Box of the columns, or of the principal components.
    random_state : int, RandomState or None, default=None
        Draws them, and the starts of k-means.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.cluster import gap_statistic
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(c, 0.1, (30, 2)) for c in (0.0, 1.0, 2.0)])
    >>> gap_statistic(X, range(1, 6), random_state=0).best
    3
    """
    from lanatus.cluster.prototype._kmeans import KMeans

    X = numbers_of(X)
    tried = sorted(set(map(int, k_range)))
    distinct = len(np.unique(X, axis=0))
    if not tried or tried[0] < 1 or tried[-1] > distinct:
        raise ValueError(
            f"got k_range from {min(tried, default=0)} to {max(tried, default=0)}, wanted numbers from 1 "
            f"to {distinct}, the distinct rows."
        )
    if n_references < 1:
        raise ValueError(f"got n_references={n_references}, wanted 1 or more.")
    rng = check_random_state(random_state)
    seed = int(rng.randint(2**31))

    def scatter(rows: np.ndarray) -> np.ndarray:
        found = [KMeans(k, n_init=3, random_state=seed).fit(rows).inertia_ for k in tried]
        return np.log(np.maximum(found, np.finfo(np.float64).tiny))

    own = scatter(X)
    drawn = np.array([scatter(_without_clusters(X, reference, rng)) for _ in range(n_references)])
    gap = drawn.mean(axis=0) - own
    error = drawn.std(axis=0) * np.sqrt(1 + 1 / n_references)
    enough = np.flatnonzero(gap[:-1] >= gap[1:] - error[1:])
    best = tried[int(enough[0])] if len(enough) else tried[int(np.argmax(gap))]
    return Gap(np.array(tried), gap, error, best)


def _without_clusters(X: np.ndarray, reference: str, rng: np.random.RandomState) -> np.ndarray:
    """As many rows, uniform in the box of X."""
    if reference not in ("box", "principal"):
        raise ValueError(f"got reference={reference!r}, wanted 'box' or 'principal'.")
    if reference == "box":
        return rng.uniform(X.min(axis=0), X.max(axis=0), X.shape)
    middle, _ = means_of(X, np.zeros(len(X), np.int32), 1)
    axes = np.linalg.svd(X - middle, full_matrices=False)[2]
    turned = (X - middle) @ axes.T
    return np.asarray(rng.uniform(turned.min(axis=0), turned.max(axis=0), turned.shape) @ axes + middle)
