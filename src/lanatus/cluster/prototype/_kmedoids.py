"""k-medoids."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_random_state

from lanatus._core import cluster as kernels
from lanatus.base import Estimator, Integers, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method as catalogued
from lanatus.cluster._pairwise import METRIC, distance_matrix
from lanatus.params import Array, Choice, Integer, rules_for
from lanatus.scale import blockwise


@catalogued(
    "cluster.kmedoids",
    section="9.7",
    task="clustering",
    en="k-medoids (PAM)",
    zh="k-medoids",
    peers=["kmedoids:KMedoids", "scikit-learn-extra:KMedoids"],
)
class KMedoids(CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    r"""k-means whose prototypes are rows: medoids, the rows with the least sum of distances to those of their cluster.

    Minimises :math:`\sum_i w_i \min_m d(x_i, x_m)` over sets of k rows, with any distance. "fasterpam" exchanges a
    medoid for another row while that lowers the sum; "pam" takes the best of all exchanges each time; "alternate" does
    as k-means does, which ends sooner, and higher.

    Book: section 9.7. Kernel: ``cpp/cluster/medoids.hpp``. Cost: :math:`O(n^2)` a round of exchanges ("pam":
    :math:`O(n^2)` an exchange), memory :math:`8 n^2` bytes.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    metric : str or callable, default="euclidean"
        Distance of rows, as in scikit-learn's ``pairwise_distances``; "precomputed" takes X as their distances.
    method : {"fasterpam", "pam", "alternate"}, default="fasterpam"
        How the sum is lowered.
    init : {"random", "build"} or array of shape (n_clusters,), default="random"
        Medoids to begin with: drawn rows, those that PAM builds one after the other, each the best for the sum, or
        rows by number.
    n_init : int, default=1
        Random starts, the best is kept.
    max_iter : int, default=300
        Most rounds: exchanges of "pam", passes over the rows of "fasterpam".
    random_state : int, RandomState or None, default=None
        Draws the medoids to begin with.

    Attributes
    ----------
    medoid_indices_ : ndarray of shape (n_clusters,), the rows that are medoids
    cluster_centers_ : ndarray of shape (n_clusters, n_features), these rows; empty for precomputed distances
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row
    inertia_ : float, the sum of distances
    n_iter_ : int, rounds of the kept start
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import KMedoids
    >>> model = KMedoids(2, random_state=0).fit([[0.0], [1.0], [2.0], [8.0], [9.0], [30.0]])
    >>> sorted(model.cluster_centers_.ravel().tolist()), model.inertia_
    ([2.0, 30.0], 16.0)

    References
    ----------
    Kaufman and Rousseeuw (1987), Clustering by means of medoids. Schubert and Rousseeuw (2021), Fast and eager
    k-medoids clustering.
    """

    _state: ClassVar = {
        "medoid_indices_": Integers("clusters"),
        "labels_": Integers("rows", below="clusters"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Any = "euclidean",
        method: str = "fasterpam",
        init: Any = "random",
        n_init: int = 1,
        max_iter: int = 300,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.method = method
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_clusters=Integer(low=1),
        metric=METRIC,
        method=Choice("fasterpam", "pam", "alternate"),
        init=Choice("random", "build") | Array(ndim=1),
        n_init=Integer(low=1),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or (n_samples, n_samples) distances
            The rows.
        y : ignored
            There by convention.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        X = self._take(X, reset=True)
        weight = self._weights(sample_weight, X)
        if X.shape[0] < self.n_clusters:
            raise ValueError(f"n_samples={X.shape[0]} should be >= n_clusters={self.n_clusters}.")
        D = distance_matrix(X, self.metric)
        rng = check_random_state(self.random_state)
        random = isinstance(self.init, str) and self.init == "random"
        seeds = rng.randint(2**31, size=self.n_init if random else 1)
        progress = Progress(self, X, weight, restarts=len(seeds), max_iter=self.max_iter)
        run = partial(self._run, X, D, weight)
        best = progress.best_restart(seeds, run, lambda one, other: one["inertia"] < other["inertia"])
        if not best["converged"]:
            warn_unconverged(self)
        self.labels_, self.inertia_ = best["labels"], float(best["inertia"])
        self.n_iter_ = int(best["n_iter"])
        learned = self._learned(X, best["medoids"])
        for name, value in learned.items():
            setattr(self, name, value)
        progress.finish(learned)
        return self

    def _learned(self, X: np.ndarray, medoids: np.ndarray) -> dict[str, Any]:
        centers = np.empty((0, 0)) if self.metric == "precomputed" else X[medoids].copy()
        return {"medoid_indices_": medoids.copy(), "cluster_centers_": centers, "_n_features_out": len(medoids)}

    def _run(self, X: np.ndarray, D: np.ndarray, weight: np.ndarray | None, restart: Any) -> dict[str, Any]:
        saved = restart.saved
        at, idle, n_iter, converged = 0, 0, 0, False
        if saved:
            medoids, n_iter = saved["medoids"].astype(np.int64), int(saved["n_iter"])
            at, idle = int(saved["at"]), int(saved["idle"])
        else:
            medoids = self._start(D, weight, restart.seed)
        steps = {"fasterpam": _pass, "pam": _best_swap, "alternate": _alternate}[self.method]
        for iteration in restart.iterations(start=n_iter):
            changed, at, idle = steps(D, weight, medoids, at, idle)
            n_iter = iteration.number + 1
            iteration.done(
                state=partial(_state, medoids, n_iter, at, idle), attributes=partial(self._learned, X, medoids.copy())
            )
            converged = not changed or iteration.stop
            if converged:
                break
        labels, inertia, *_ = kernels.swap_medoids(D, weight, medoids, at=0, idle=len(D), most=0)
        return {"medoids": medoids, "labels": labels, "inertia": inertia, "n_iter": n_iter, "converged": converged}

    def _start(self, D: np.ndarray, weight: np.ndarray | None, seed: int) -> np.ndarray:
        n, k = len(D), self.n_clusters
        if isinstance(self.init, str) and self.init == "random":
            share = None if weight is None or (weight > 0).sum() < k else weight / weight.sum()
            return np.random.RandomState(seed % 2**32).choice(n, k, replace=False, p=share).astype(np.int64)
        if isinstance(self.init, str):
            return build(D, weight, k)
        medoids = np.array(self.init, dtype=np.int64)
        if medoids.shape != (k,) or len(np.unique(medoids)) < k or medoids.min() < 0 or medoids.max() >= n:
            raise ValueError(f"got init={medoids.tolist()}, wanted {k} different rows, from 0 to {n - 1}.")
        return medoids

    def _to_medoids(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = self._take(X, reset=False)
        if self.metric == "precomputed":
            return np.asarray(X[:, self.medoid_indices_])
        return np.asarray(pairwise_distances(X, self.cluster_centers_, metric=self.metric))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The nearest medoid of each row; of precomputed distances, those to the rows of ``fit``."""
        return self._to_medoids(X).argmin(axis=1).astype(np.int32)

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Distance of each row to each medoid."""
        return self._to_medoids(X)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Cluster the rows of X and give the cluster of each; y is ignored."""
        return np.asarray(self.fit(X, sample_weight=sample_weight).labels_)


def build(D: np.ndarray, weight: np.ndarray | None, k: int) -> np.ndarray:
    """PAM's BUILD: the best single medoid, then one after the other that lowers the sum most."""
    w = np.ones(len(D)) if weight is None else weight
    medoids = [int(np.argmin(D @ w))]
    near = D[medoids[0]].copy()
    while len(medoids) < k:
        gain = np.maximum(near - D, 0.0) @ w
        gain[medoids] = -np.inf
        medoids.append(int(np.argmax(gain)))
        near = np.minimum(near, D[medoids[-1]])
    return np.array(medoids, dtype=np.int64)


Step = tuple[bool, int, int]


def _pass(D: np.ndarray, weight: np.ndarray | None, medoids: np.ndarray, at: int, idle: int) -> Step:
    """As many swaps of FasterPAM as there are medoids, or until a round of rows brings none."""
    _, _, swaps, at, idle = kernels.swap_medoids(D, weight, medoids, at=at, idle=idle, most=max(len(medoids), 64))
    return swaps > 0 and idle < len(D), int(at), int(idle)


def _best_swap(D: np.ndarray, weight: np.ndarray | None, medoids: np.ndarray, at: int, idle: int) -> Step:
    """PAM's SWAP: the best of all exchanges of a medoid and a row."""
    w = np.ones(len(D)) if weight is None else weight
    ways = D[medoids]
    order = np.argsort(ways, axis=0, kind="stable")
    first = order[0]
    rows = np.arange(len(D))
    near = ways[first, rows]
    second = ways[order[1], rows] if len(medoids) > 1 else np.full(len(D), np.inf)
    now = float(w @ near)
    best, swap = now, None
    for m in range(len(medoids)):
        without = np.where(first == m, second, near)
        totals = np.minimum(without, D) @ w
        totals[medoids] = np.inf
        row = int(np.argmin(totals))
        if totals[row] < best - 1e-12 * now:
            best, swap = float(totals[row]), (m, row)
    if swap is None:
        return False, at, idle
    medoids[swap[0]] = swap[1]
    return True, at, idle


def _alternate(D: np.ndarray, weight: np.ndarray | None, medoids: np.ndarray, at: int, idle: int) -> Step:
    """As k-means: rows to the nearest medoid, then the best row of each cluster."""
    w = np.ones(len(D)) if weight is None else weight
    labels = D[medoids].argmin(axis=0)
    changed = False
    for m in range(len(medoids)):
        rows = np.flatnonzero(labels == m)
        totals = D[np.ix_(rows, rows)] @ w[rows]
        own = np.flatnonzero(rows == medoids[m])
        if not len(own):  # equal to another medoid, which has its rows
            continue
        best = int(np.argmin(totals))
        if totals[best] < totals[own[0]] * (1 - 1e-12):
            medoids[m] = rows[best]
            changed = True
    return changed, at, idle


def _state(medoids: np.ndarray, n_iter: int, at: int, idle: int) -> dict[str, Any]:
    return {"medoids": medoids, "n_iter": n_iter, "at": at, "idle": idle}
