"""Mean shift."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClusterMixin

from lanatus.base import Estimator, Floats, Integers, check_is_fitted, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.metric import blocks
from lanatus.neighbors import PointIndex, nearest, open_index, threads_of
from lanatus.params import Array, Flag, Integer, Nothing, Real, check_integer, check_real, rules_for
from lanatus.scale import blockwise

_STILL = 1e-3  # share of the bandwidth that a mean may move and be said to stand
_AT_ONCE = 4096  # means whose neighbours are found in one go


@method(section="9.7", task="clustering", kind="function", en="Bandwidth for mean shift", zh="均值漂移带宽估计")
def estimate_bandwidth(
    X: Any, *, quantile: float = 0.3, n_samples: int | None = None, random_state: Any = 0, n_jobs: int | None = None
) -> float:
    """A radius for `MeanShift`: how far a share of the rows reaches around a row, on average.

    Book: section 9.7. Cost: :math:`O(n^2 d)`, of a sample less.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The rows.
    quantile : float, default=0.3
        The share; 0.5 is the median of the distances.
    n_samples : int or None, default=None
        Rows to take, drawn at random; None for all.
    random_state : int, RandomState or None, default=0
        Draws them.
    n_jobs : int or None, default=None
        Threads; None and -1 are all that there are.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.cluster import estimate_bandwidth
    >>> estimate_bandwidth([[0.0], [1.0], [2.0], [3.0]], quantile=0.5)
    1.0
    """
    from sklearn.utils import check_array, check_random_state

    rows = check_array(X, dtype=[np.float64, np.float32])
    check_real("quantile", quantile, 0, 1)
    if n_samples is not None:
        most = check_integer("n_samples", n_samples, 1)
        rows = rows[check_random_state(random_state).permutation(len(rows))[:most]]
    k = max(1, int(len(rows) * quantile))
    with threads_of(n_jobs):
        return float(np.mean(nearest(rows, rows, k).distances[:, -1]))


@method(section="9.7", task="clustering", en="Mean shift", zh="均值漂移", peers=["scikit-learn:MeanShift"])
class MeanShift(CallbackSupportMixin, ClusterMixin, Estimator):
    r"""Mean shift: points climb to where the rows are densest; those that meet are one cluster.

    Each seed moves to the mean of the rows within the bandwidth h of it,
    :math:`m \leftarrow \frac{1}{|N_h(m)|} \sum_{x \in N_h(m)} x`, until it stands. Of means that stand within h of each
    other the one with the most rows around it stays.

    Book: section 9.7 (density clustering).
    Cost: a search for neighbours a seed and round.

    Parameters
    ----------
    bandwidth : float or None, default=None
        The radius; None asks `estimate_bandwidth`.
    seeds : array of shape (n_seeds, n_features) or None, default=None
        Where to begin; None at every row, or see `bin_seeding`.
    bin_seeding : bool, default=False
        Whether to begin at the corners of a grid of the bandwidth that have rows near them: fewer seeds.
    min_bin_freq : int, default=1
        Least rows of such a corner.
    cluster_all : bool, default=True
        Whether rows farther than the bandwidth from all means join the nearest; otherwise they are noise.
    n_jobs : int or None, default=None
        Threads; None and -1 are all that there are.
    max_iter : int, default=300
        Most rounds.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features), the means that stand, most rows first
    labels_ : ndarray of shape (n_samples,), cluster of each row, -1 for noise
    n_iter_ : int, rounds until all stood
    bandwidth_ : float, the radius
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import MeanShift
    >>> model = MeanShift(bandwidth=2).fit([[1.0, 1.0], [2.0, 1.0], [1.0, 0.0], [4.0, 7.0], [3.0, 5.0], [3.0, 6.0]])
    >>> model.labels_.tolist(), model.predict([[0.0, 0.0], [5.0, 5.0]]).tolist()
    ([1, 1, 1, 0, 0, 0], [1, 0])

    References
    ----------
    Comaniciu, Meer: Mean shift: a robust approach toward feature space analysis, PAMI 24, 2002.
    """

    _state: ClassVar = {
        "cluster_centers_": Floats("clusters", "columns"),
        "labels_": Integers("rows", low=-1, below="clusters"),
    }

    def __init__(
        self,
        *,
        bandwidth: float | None = None,
        seeds: Any = None,
        bin_seeding: bool = False,
        min_bin_freq: int = 1,
        cluster_all: bool = True,
        n_jobs: int | None = None,
        max_iter: int = 300,
    ) -> None:
        self.bandwidth = bandwidth
        self.seeds = seeds
        self.bin_seeding = bin_seeding
        self.min_bin_freq = min_bin_freq
        self.cluster_all = cluster_all
        self.n_jobs = n_jobs
        self.max_iter = max_iter

    _params = rules_for(
        __init__,
        bandwidth=Real(above=0) | Nothing(),
        seeds=Array(ndim=2) | Nothing(),
        bin_seeding=Flag(),
        min_bin_freq=Integer(low=1),
        cluster_all=Flag(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X; y is ignored."""
        rows = self._take(X, reset=True)
        with threads_of(self.n_jobs):
            self.bandwidth_ = float(estimate_bandwidth(rows) if self.bandwidth is None else self.bandwidth)
            means, mass = self._climb(rows, self._start(rows))
            if not len(means):
                raise ValueError(
                    f"No point was within bandwidth={self.bandwidth_:g} of any seed. Try a different seeding strategy, "
                    "or increase the bandwidth."
                )
            self.cluster_centers_ = _apart(means, mass, self.bandwidth_).astype(rows.dtype, copy=False)
            self.labels_ = self._labels(rows)
        return self

    def _start(self, rows: np.ndarray) -> np.ndarray:
        if self.seeds is not None:
            seeds = np.array(self.seeds, dtype=np.float64)
            if seeds.shape[1] != rows.shape[1] or not np.isfinite(seeds).all():
                raise ValueError(f"seeds must be finite, with {rows.shape[1]} columns as X; got shape {seeds.shape}.")
            return seeds
        if self.bin_seeding and self.bandwidth_ > 0:
            corners, counts = np.unique(np.round(rows / self.bandwidth_), axis=0, return_counts=True)
            corners = corners[counts >= self.min_bin_freq]
            if len(corners) < len(rows):
                return np.asarray(corners * self.bandwidth_, dtype=np.float64)
        return rows.astype(np.float64)

    def _climb(self, rows: np.ndarray, means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the seeds come to stand, and how many rows are around; seeds with none are dropped."""
        self.n_iter_ = 0
        if self.bandwidth_ == 0:  # no row moves
            return np.unique(rows.astype(np.float64), axis=0, return_counts=True)
        values = rows.astype(np.float64)
        index = open_index(values)
        mass = np.zeros(len(means), dtype=np.int64)
        moving = np.arange(len(means))
        progress = Progress(self, rows, max_iter=self.max_iter)
        for iteration in progress.iterations():
            moved, mass[moving] = _means_around(index, values, means[moving], self.bandwidth_)
            step = np.sqrt(((moved - means[moving]) ** 2).sum(axis=1))
            means[moving] = moved
            moving = moving[(step > _STILL * self.bandwidth_) & (mass[moving] > 0)]
            self.n_iter_ = iteration.number + 1
            iteration.done(state=dict, attributes=lambda: self._now(rows, means, mass))
            if not len(moving) or iteration.stop:
                break
        progress.finish({})
        return means[mass > 0], mass[mass > 0]

    def _now(self, rows: np.ndarray, means: np.ndarray, mass: np.ndarray) -> dict[str, Any]:
        centers = _apart(means[mass > 0], mass[mass > 0], self.bandwidth_).astype(rows.dtype)
        near = nearest(centers, rows, 1).indices[:, 0]
        return {"cluster_centers_": centers, "labels_": near.astype(np.int64), "bandwidth_": self.bandwidth_}

    def _labels(self, rows: np.ndarray) -> np.ndarray:
        found = nearest(self.cluster_centers_, rows, 1)
        labels = found.indices[:, 0].astype(np.int64)
        return labels if self.cluster_all else np.where(found.distances[:, 0] <= self.bandwidth_, labels, -1)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The nearest mean of each row."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        with threads_of(self.n_jobs):
            return nearest(self.cluster_centers_, rows, 1).indices[:, 0].astype(np.int64)


def _means_around(
    index: PointIndex, rows: np.ndarray, centers: np.ndarray, radius: float
) -> tuple[np.ndarray, np.ndarray]:
    """Mean of the rows within a radius of each centre, which stays where there is none, and their number."""
    means, mass = centers.copy(), np.zeros(len(centers), dtype=np.int64)
    for part in blocks(len(centers), len(rows), entries=_AT_ONCE * len(rows)):
        starts, indices, _ = index.within(centers[part], radius)
        mass[part] = np.diff(starts)
        sums = sp.csr_matrix((np.ones(len(indices)), indices, starts), shape=(len(starts) - 1, len(rows))) @ rows
        some = mass[part] > 0
        means[part] = np.where(some[:, None], sums / np.maximum(mass[part], 1)[:, None], means[part])
    return means, mass


def _apart(means: np.ndarray, mass: np.ndarray, radius: float) -> np.ndarray:
    """Of means within the radius of each other the one with the most rows; ties go to the larger coordinates."""
    distinct, first = np.unique(means, axis=0, return_index=True)
    order = np.lexsort((*distinct.T[::-1], mass[first]))[::-1]
    distinct = distinct[order]
    starts, indices, _ = open_index(distinct).within(distinct, radius)
    stays = np.ones(len(distinct), dtype=bool)
    for i in range(len(distinct)):
        if stays[i]:
            stays[indices[starts[i] : starts[i + 1]]] = False
            stays[i] = True
    return distinct[stays]
