"""k-means clustering."""

import logging
import warnings
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.sparsefuncs import mean_variance_axis

from lanatus._core import bayes as moment_kernels
from lanatus.base import Estimator, Floats, Integers, Takes, check_is_fitted, fitting, n_threads, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress, Restart
from lanatus.catalog import method
from lanatus.cluster._kmeans_pass import Passes, farthest_rows, passes_for, tally
from lanatus.cluster._kmeans_start import assign, parallel_plusplus, plusplus, random_rows
from lanatus.metric import squared_euclidean
from lanatus.params import Array, Choice, Flag, Function, Integer, RandomState, Real
from lanatus.scale import Block, Engine, InMemory, Moments, blockwise, open_engine

logger = logging.getLogger("lanatus")


@method(
    "cluster.kmeans",
    section="9.4.1",
    task="clustering",
    en="k-means",
    zh="k均值算法",
    streams=True,
    peers=["scikit-learn:KMeans", "scikit-learn-intelex:KMeans", "faiss:Kmeans"],
)
class KMeans(CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
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
    algorithm : {"auto", "lloyd", "elkan", "hamerly"}, default="auto"
        All give the same clusters; the last two keep bounds to skip distances. "auto" picks by shape.

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
        "algorithm": Choice("auto", "lloyd", "elkan", "hamerly"),
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

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
        return self._starting_means(engine, restart.seed), 0, np.inf

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

    def _starting_means(self, engine: Engine, seed: int) -> np.ndarray:
        if isinstance(self.init, str):
            start = {"random": random_rows, "k-means++": plusplus, "k-means||": parallel_plusplus}[self.init]
            means: Any = start(engine, self.n_clusters, seed)
            if len(means) < self.n_clusters:
                raise ValueError(
                    f"only {len(means)} rows have a positive weight, n_clusters={self.n_clusters} needs as many."
                )
        elif callable(self.init):
            if not isinstance(engine, InMemory):
                raise ValueError("init as a callable needs the data in memory; give an array or a name.")
            means = self.init(engine.block.X, self.n_clusters, random_state=np.random.RandomState(seed % 2**32))
        else:
            means = self.init
        means = means.toarray() if sp.issparse(means) else np.asarray(means)
        if means.shape != (self.n_clusters, engine.n_columns):
            raise ValueError(
                f"init must have shape {(self.n_clusters, engine.n_columns)}, got {means.shape}: one row a "
                "cluster, one column a feature."
            )
        means = np.array(means, dtype=engine.dtype, order="C")
        if not np.isfinite(means).all():
            raise ValueError("init contains NaN or infinity.")
        return means

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

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Index of the nearest mean of each row."""
        check_is_fitted(self)
        return assign(self._take(X, reset=False), self.cluster_centers_)[0]

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Distance of each row to each mean."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        squares = squared_euclidean(X, self.cluster_centers_)
        return np.sqrt(squares, out=squares)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Cluster the rows of X and give the cluster of each; y is ignored."""
        self.fit(X, sample_weight=sample_weight)
        return self.labels_ if hasattr(self, "labels_") else self.predict(X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the sum of squared distances of the rows to their nearest means; y is ignored."""
        check_is_fitted(self)
        engine = open_engine(self, X, None, sample_weight, reset=False)
        return -float(engine.reduce(partial(tally, self.cluster_centers_.astype(engine.dtype, copy=False))).inertia)


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
