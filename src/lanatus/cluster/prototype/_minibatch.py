"""k-means on small batches of rows."""

import logging
import warnings
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from lanatus._core import cluster as kernels
from lanatus.base import Floats, Integers, Takes, fitting, n_threads
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster.prototype._batches import Batches, Patience
from lanatus.cluster.prototype._kmeans_pass import tally
from lanatus.cluster.prototype._kmeans_start import assign, for_kernels
from lanatus.cluster.prototype._nearest_mean import NearestMean, starting_means
from lanatus.params import Array, Choice, Flag, Function, Integer, Nothing, Real, rules_for
from lanatus.scale import Engine, InMemory, open_engine

logger = logging.getLogger("lanatus")


@method(
    section="9.4.1",
    task="clustering",
    en="k-means on small batches",
    zh="小批量k均值",
    streams=True,
    peers=["scikit-learn:MiniBatchKMeans"],
)
class MiniBatchKMeans(CallbackSupportMixin, NearestMean):
    r"""k-means that looks at a few rows at a time, drawn at random, and moves each mean by what they add to it.

    A batch of rows is put to the nearest means, and a mean becomes that of all rows that it was ever given:
    :math:`\mu \leftarrow \mu + \frac{1}{M} \sum_{x} w_x (x - \mu)` with :math:`M` their weight. Means that hardly any
    rows go to are put to rows of the batch now and then. Much faster than `KMeans` on many rows, and a little worse.

    Book: section 9.4.1, k-means. Cost: O(b k d) a batch of b rows; memory O(b d + k d), and labels for rows in memory.
    From a source or on Dask some batches at a time are fetched in one pass; which rows they hold depends on the seed
    alone, so that the means are those of rows in memory.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, *k*.
    init : {"k-means++", "random"}, callable or array of shape (n_clusters, n_features), default="k-means++"
        Starting means.
    max_iter : int, default=100
        Most times that as many rows are drawn as there are.
    batch_size : int, default=1024
        Rows in a batch.
    verbose : int, default=0
        Above 0, logs each batch to the logger "lanatus".
    compute_labels : bool, default=True
        Whether rows in memory get labels at the end, and inertia.
    random_state : int, RandomState or None, default=None
        Draws starting means and batches.
    tol : float, default=0.0
        Above 0, stop once the means move, in a smoothed mean of batches, by at most this squared share of the variance.
    max_no_improvement : int or None, default=10
        Stop after so many batches without a lower smoothed inertia; None does not.
    init_size : int or None, default=None
        Rows that starting means are chosen from; None is three batches, or 3 k.
    n_init : "auto" or int, default="auto"
        Starts tried on these rows; "auto" is 3 for random rows or a callable, else 1.
    reassignment_ratio : float, default=0.01
        Means with fewer rows than this share of the most are put elsewhere now and then.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features), the means
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row; not kept for sources and Dask
    inertia_ : float, sum of squared distances of the rows, or of those of the last batch, to their means
    n_iter_ : int, times that as many rows were drawn as there are
    n_steps_ : int, batches
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import MiniBatchKMeans
    >>> model = MiniBatchKMeans(2, batch_size=4, random_state=0).fit([[0.0], [1.0], [8.0], [9.0]])
    >>> sorted(model.predict([[0.5], [8.5]]).tolist())
    [0, 1]

    References
    ----------
    Sculley (2010), Web-scale k-means clustering.
    """

    _state: ClassVar = {
        "cluster_centers_": Floats("clusters", "columns"),
        "labels_": Integers("rows", below="clusters"),
        "_mass": Floats("clusters", low=0),
    }
    _takes = Takes(sparse=True)

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        max_iter: int = 100,
        batch_size: int = 1024,
        verbose: int = 0,
        compute_labels: bool = True,
        random_state: Any = None,
        tol: float = 0.0,
        max_no_improvement: int | None = 10,
        init_size: int | None = None,
        n_init: Any = "auto",
        reassignment_ratio: float = 0.01,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.compute_labels = compute_labels
        self.random_state = random_state
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.init_size = init_size
        self.n_init = n_init
        self.reassignment_ratio = reassignment_ratio

    _params = rules_for(
        __init__,
        n_clusters=Integer(low=1),
        init=Choice("k-means++", "random") | Function() | Array(ndim=2),
        batch_size=Integer(low=1),
        verbose=Integer(low=0) | Flag(),
        compute_labels=Flag(),
        max_no_improvement=Integer(low=0) | Nothing(),
        init_size=Integer(low=1) | Nothing(),
        n_init=Choice("auto") | Integer(low=1),
        reassignment_ratio=Real(low=0),
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array, frame, sparse matrix, scanned source or Dask collection of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        engine = open_engine(self, X, None, sample_weight)
        n = engine.n_rows
        if n < self.n_clusters:
            raise ValueError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.")
        rng = check_random_state(self.random_state)
        batches = Batches(engine, min(self.batch_size, n), rng)
        means = self._start(engine, batches, rng)
        mass = np.zeros(self.n_clusters)
        most = self.max_iter * n // batches.size or 1
        progress = Progress(self, engine.block.X if isinstance(engine, InMemory) else X, max_iter=most)
        stop = Patience(self.tol, self.max_no_improvement, batches.size / n)
        seed = int(rng.randint(2**31))
        for iteration in progress.iterations():
            rows, weight = batches.next()
            before = means
            means, mass, inertia = _step(rows, weight, means, mass)
            means, mass = self._reassign(rows, weight, means, mass, iteration.number, seed)
            self.n_steps_ = iteration.number + 1
            if self.verbose:
                logger.info("MiniBatchKMeans: batch %d, inertia of its rows %g", self.n_steps_, inertia)
            iteration.done(state=dict, attributes=partial(_attributes, means, mass, self.n_steps_))
            if iteration.stop or stop.enough(inertia / max(float(weight.sum()), 1e-300), means, before, rows):
                break
        self._keep(means, mass)
        self.inertia_ = float(inertia)
        self.n_iter_ = int(np.ceil(self.n_steps_ * batches.size / n))
        self.__dict__.pop("labels_", None)
        if self.compute_labels and isinstance(engine, InMemory):
            self.labels_, squares = assign(engine.block.X, means)
            own = engine.block.weight
            self.inertia_ = float(squares.sum() if own is None else own @ squares)
        elif self.compute_labels:
            self.inertia_ = float(engine.reduce(partial(tally, means)).inertia)
        progress.finish(_attributes(means, mass, self.n_steps_))
        return self

    @fitting
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take X as one batch.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The rows; the first time as many as clusters at least.
        y : ignored
            There by convention.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        known = hasattr(self, "cluster_centers_")
        rows = self._take(X, reset=not known)
        weight = self._weights(sample_weight, rows)
        weight = np.ones(rows.shape[0]) if weight is None else weight
        rng = check_random_state(self.random_state)
        if not known:
            if rows.shape[0] < self.n_clusters:
                raise ValueError(f"n_samples={rows.shape[0]} should be >= n_clusters={self.n_clusters}.")
            engine = InMemory(rows, None, weight)
            means, mass, steps = self._start(engine, Batches(engine, rows.shape[0], rng), rng), None, 0
        else:
            means, mass, steps = self.cluster_centers_.astype(rows.dtype), self._mass, self.n_steps_
        means, mass, inertia = _step(rows, weight, means, np.zeros(self.n_clusters) if mass is None else mass)
        means, mass = self._reassign(rows, weight, means, mass, steps, int(rng.randint(2**31)))
        self.n_steps_, self.inertia_ = steps + 1, float(inertia)
        self._keep(means, mass)
        self.__dict__.pop("labels_", None)
        if self.compute_labels:
            self.labels_ = assign(rows, means)[0]
        return self

    def _keep(self, means: np.ndarray, mass: np.ndarray) -> None:
        self.cluster_centers_, self._mass, self._n_features_out = means, mass, self.n_clusters

    def _start(self, engine: Engine, batches: "Batches", rng: np.random.RandomState) -> np.ndarray:
        """The best of some starts, by their inertia on rows that are not those that they were chosen from."""
        seeds = rng.randint(np.iinfo(np.int64).max, size=self._n_starts(), dtype=np.int64)
        size = self.init_size or max(3 * batches.size, 3 * self.n_clusters)
        if size < self.n_clusters:
            warnings.warn(
                f"init_size={size} should be larger than n_clusters={self.n_clusters}: it is set to "
                f"{3 * self.n_clusters}.",
                RuntimeWarning,
                stacklevel=4,
            )
            size = 3 * self.n_clusters
        size = min(max(size, self.n_clusters), engine.n_rows)
        rows, weight = batches.drawn(size) if size < engine.n_rows else batches.all_rows()
        small = InMemory(rows, None, weight)
        starts = [starting_means(self.init, self.n_clusters, small, int(seed)) for seed in seeds]
        if len(starts) == 1:
            return starts[0]
        check, own = batches.drawn(size)
        return min(starts, key=lambda means: float(own @ assign(check, means)[1]))

    def _n_starts(self) -> int:
        if not (isinstance(self.init, str) or callable(self.init)):
            return 1
        if self.n_init == "auto":
            return 3 if self.init == "random" or callable(self.init) else 1
        return int(self.n_init)

    def _reassign(
        self, rows: Any, weight: np.ndarray, means: np.ndarray, mass: np.ndarray, step: int, seed: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Every ten rows a cluster, means with next to no rows move to rows of the batch."""
        if not self.reassignment_ratio or (step + 1) % (10 + int(mass.min())) != 0:
            return means, mass
        few = np.flatnonzero(mass < self.reassignment_ratio * mass.max())
        order = np.argsort(mass[few], kind="stable")[: rows.shape[0] // 2]
        few = few[order]
        able = np.flatnonzero(weight > 0)
        few = few[: len(able)]
        if not len(few):
            return means, mass
        drawn = np.random.RandomState((seed + step) % 2**32).choice(able, len(few), replace=False)
        found = rows[np.sort(drawn)]
        means, mass = means.copy(), mass.copy()
        means[few] = found.toarray() if sp.issparse(found) else found
        mass[few] = np.delete(mass, few).min() if len(few) < len(mass) else 0.0
        return means, mass


def _step(rows: Any, weight: np.ndarray, means: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """The means after one batch, the weight behind each, and the batch's inertia."""
    labels = np.full(rows.shape[0], -1, np.int32)
    sums, own, inertia, _ = kernels.lloyd_pass(for_kernels(rows), weight, means, labels, n_threads=n_threads())
    total = mass + own
    alive = own > 0
    moved = means.astype(np.float64)
    moved[alive] += (sums[alive] - own[alive, None] * moved[alive]) / total[alive, None]
    return np.ascontiguousarray(moved.astype(means.dtype)), total, float(inertia)


def _attributes(means: np.ndarray, mass: np.ndarray, steps: int) -> dict[str, Any]:
    return {"cluster_centers_": means, "_mass": mass, "n_steps_": steps, "_n_features_out": len(means)}
