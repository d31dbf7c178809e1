"""k-means clustering."""

import logging
import warnings
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.sparsefuncs import mean_variance_axis

from lanatus._core import bayes as moment_kernels
from lanatus.base import Floats, Integers, Takes, fitting, n_threads, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress, Restart
from lanatus.catalog import method
from lanatus.cluster.prototype._kmeans_exchange import exchange
from lanatus.cluster.prototype._kmeans_pass import Passes, farthest_rows, passes_for
from lanatus.cluster.prototype._nearest_mean import NearestMean, starting_means
from lanatus.params import Array, Choice, Flag, Function, Integer, RandomState, Real
from lanatus.scale import Block, Engine, InMemory, Moments, open_engine

logger = logging.getLogger("lanatus")


@method(
    "cluster.kmeans",
    "cluster.kmeans-exchange",
    section="9.4.1",
    task="clustering",
    en="k-means",
    zh="k均值算法",
    streams=True,
    peers=["scikit-learn:KMeans", "scikit-learn-intelex:KMeans", "faiss:Kmeans"],
)
class KMeans(CallbackSupportMixin, NearestMean):
    r"""k-means: means and an assignment of rows to their nearest mean, alternately.

    Minimises :math:`E = \sum_i w_i \lVert x_i - \mu_{c(i)} \rVert^2` (9.24). A cluster that loses all its rows
    takes the row farthest from its mean; ties go to the lower index.

    Book: section 9.4.1, figure 9.2. Kernel: ``cpp/cluster/kmeans.hpp``.
    Cost: :math:`O(nkd)` a round at most, less where bounds skip distances; memory :math:`O(n + kd)`, with
    ``"elkan"`` :math:`O(nk)`. From a source or on Dask each round is one pass over the data.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, *k*.
    init : {"k-means++", "k-means||", "random"}, callable or array of shape (n_clusters, n_features), \
default="k-means++"
        Starting means: greedy k-means++ (k-means|| for more than 16 clusters of data that come in blocks),
        k-means||, random rows, the rows given, or what ``init(X, n_clusters, random_state=...)`` returns.
    n_init : "auto" or int, default="auto"
        Number of starts, the best is kept; "auto" is 10 for random rows or a callable, else 1.
    max_iter : int, default=300
        Most rounds of one start.
    tol : float, default=1e-4
        Stop once the squared shift of all means is at most this share of the mean variance of the columns;
        0 is the book's rule, to stop when nothing changes.
    verbose : int, default=0
        Above 0, logs each round to the logger "lanatus".
    random_state : int, RandomState or None, default=None
        Draws the starting means.
    copy_x : bool, default=True
        Taken for scikit-learn's sake; X is never changed.
    algorithm : {"auto", "lloyd", "elkan", "hamerly", "exchange"}, default="auto"
        The first four give the same clusters; "elkan" and "hamerly" keep bounds to skip distances. "auto" picks by
        shape. "exchange" (cookbook 12.2) moves one row at a time to the cluster where it adds least to *E*, means
        following at once, until no move lowers *E*: for dense rows in memory. It ends at or below where the others end.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features), the means
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row; not kept for sources and Dask
    inertia_ : float, *E* at the solution
    n_iter_ : int, rounds of the kept start
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import KMeans
    >>> from lanatus.data import load_watermelon
    >>> X = load_watermelon("4.0").data
    >>> model = KMeans(3, init=X.iloc[[5, 11, 23]], tol=0).fit(X)
    >>> model.n_iter_, round(model.inertia_, 8)
    (5, 0.41256725)

    References
    ----------
    Lloyd (1982), Least squares quantization in PCM. Elkan (2003), Using the triangle inequality to accelerate
    k-means. Hamerly (2010), Making k-means even faster. Bahmani et al. (2012), Scalable k-means++.
    """

    _state: ClassVar = {
        "cluster_centers_": Floats("clusters", "columns"),
        "labels_": Integers("rows", below="clusters"),
    }

    _takes = Takes(sparse=True)
    _params = {
        "n_clusters": Integer(low=1),
        "init": Choice("k-means++", "k-means||", "random") | Function() | Array(ndim=2),
        "n_init": Choice("auto") | Integer(low=1),
        "max_iter": Integer(low=1),
        "tol": Real(low=0),
        "verbose": Integer(low=0) | Flag(),
        "random_state": RandomState(),
        "copy_x": Flag(),
        "algorithm": Choice("auto", "lloyd", "elkan", "hamerly", "exchange"),
    }

    cluster_centers_: np.ndarray

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: Any = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        verbose: int = 0,
        random_state: Any = None,
        copy_x: bool = True,
        algorithm: str = "auto",
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm

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
        if engine.n_rows < self.n_clusters:
            raise ValueError(f"n_samples={engine.n_rows} should be >= n_clusters={self.n_clusters}.")
        best = self._best_start(engine, X, sample_weight)
        self.cluster_centers_ = best["centers"]
        self.inertia_ = float(best["inertia"])
        self.n_iter_ = int(best["n_iter"])
        self._n_features_out = self.n_clusters
        if not np.isfinite(self.inertia_):
            raise ValueError("the squared distances overflow: X has values too large to square; scale it first.")
        if not best["converged"]:
            warn_unconverged(self)
        if best.get("labels") is not None:
            self.labels_ = best["labels"]
            self._warn_if_fewer(int(np.count_nonzero(np.bincount(self.labels_))))
        else:
            self.__dict__.pop("labels_", None)
        return self

    def _best_start(self, engine: Engine, X: Any, sample_weight: Any) -> dict[str, Any]:
        """Run every start and keep the one with the lowest inertia."""
        rng = check_random_state(self.random_state)
        n_starts = self._n_starts()
        rows, weight = (engine.block.X, engine.block.weight) if isinstance(engine, InMemory) else (X, sample_weight)
        progress = Progress(self, rows, weight, restarts=n_starts, max_iter=self.max_iter)
        seeds = rng.randint(np.iinfo(np.int64).max, size=n_starts, dtype=np.int64)
        tolerance = self.tol * _mean_variance(engine) if self.tol > 0 else 0.0
        best = progress.best_restart(
            seeds, partial(self._run, engine, tolerance), lambda run, best: run["inertia"] < best["inertia"]
        )
        progress.finish({"cluster_centers_": best["centers"]})
        return best

    def _run(self, engine: Engine, tolerance: float, restart: Restart) -> dict[str, Any]:
        """One start: the loop of figure 9.2."""
        if self.algorithm == "exchange":
            return exchange(self, engine, restart)
        passes = passes_for(engine, self.algorithm, self.n_clusters)
        passes.restore(restart.saved)
        means, n_iter, shift = self._start(engine, restart)
        stopped = False
        for iteration in restart.iterations(start=n_iter) if shift > tolerance else ():
            moved = self._next_means(engine, passes, means)
            shift = float(((moved.astype(np.float64) - means) ** 2).sum())
            means, n_iter = moved, iteration.number + 1
            if self.verbose:
                logger.info("KMeans: round %d, squared shift of the means %g", n_iter, shift)
            iteration.done(
                state=partial(_state, passes, means, n_iter, shift), attributes=partial(_attributes, means, n_iter)
            )
            stopped = iteration.stop  # a callback that stops a fit is content with it
            if shift <= tolerance:
                break
        labels, inertia = passes.finish(means)
        converged = stopped or shift <= tolerance
        return {"centers": means, "labels": labels, "inertia": inertia, "n_iter": n_iter, "converged": converged}

    def _start(self, engine: Engine, restart: Restart) -> tuple[np.ndarray, int, float]:
        """Means to begin from, the rounds behind them, and how far the last of these moved them."""
        saved = restart.saved
        if saved:
            return saved["centers"], int(saved["n_iter"]), float(saved["shift"])
        return starting_means(self.init, self.n_clusters, engine, restart.seed), 0, np.inf

    def _next_means(self, engine: Engine, passes: Passes, centers: np.ndarray) -> np.ndarray:
        """Assign all rows, then take the weighted means; empty clusters take the rows farthest off."""
        sums, mass = passes.step(centers)
        empty = np.flatnonzero(mass <= 0)
        if len(empty):
            sums, mass = sums.copy(), mass.copy()
            far = engine.reduce(partial(farthest_rows, centers, len(empty)))
            for cluster, row, weight, donor in zip(empty, far.rows, far.weights, far.labels, strict=False):
                sums[donor] -= weight * row.astype(np.float64)
                mass[donor] -= weight
                sums[cluster], mass[cluster] = weight * row.astype(np.float64), weight
        moved = centers.copy()
        alive = mass > 0
        moved[alive] = sums[alive] / mass[alive, None]
        return moved

    def _n_starts(self) -> int:
        if not (isinstance(self.init, str) or callable(self.init)):
            return 1  # the same start gives the same answer
        if self.n_init == "auto":
            return 10 if self.init == "random" or callable(self.init) else 1
        return int(self.n_init)

    def _warn_if_fewer(self, n_distinct: int) -> None:
        if n_distinct < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({n_distinct}) found smaller than n_clusters ({self.n_clusters}). "
                "Possibly due to duplicate points in X.",
                ConvergenceWarning,
                stacklevel=4,
            )


def _state(passes: Passes, centers: np.ndarray, n_iter: int, shift: float) -> dict[str, Any]:
    return {"centers": centers, "n_iter": n_iter, "shift": shift, **passes.state()}


def _attributes(centers: np.ndarray, n_iter: int) -> dict[str, Any]:
    return {"cluster_centers_": centers, "n_iter_": n_iter, "_n_features_out": len(centers)}


def _mean_variance(engine: Engine) -> float:
    """Mean over the columns of their (weighted) variance, which gives `tol` its unit."""
    stats = engine.reduce(_column_moments)
    return float(np.mean(stats.m2 / np.maximum(stats.mass, np.finfo(float).tiny)))


def _column_moments(block: Block) -> Moments:
    one_class = np.zeros(1)
    if sp.issparse(block.X):
        weight = None if block.weight is None else block.weight.astype(block.X.dtype)  # it wants one type
        mean, variance, mass = mean_variance_axis(block.X, axis=0, weights=weight, return_sum_weights=True)
        mass = np.broadcast_to(np.asarray(mass, dtype=np.float64), mean.shape)
        return Moments(one_class, one_class, *(np.atleast_2d(np.float64(p)) for p in (mass, mean, variance * mass)))
    codes = np.zeros(len(block), np.int32)
    return Moments(
        one_class, one_class, *moment_kernels.moments(block.X, codes, block.weight, 1, n_threads=n_threads())
    )
