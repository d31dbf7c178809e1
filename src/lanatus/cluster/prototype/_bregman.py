"""k-means with Bregman divergences."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import Floats, Integers, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster.prototype._nearest_mean import NearestMean, starting_means
from lanatus.metric import squared_euclidean
from lanatus.params import Array, Choice, Integer, rules_for
from lanatus.scale import InMemory, blockwise


def _kl(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(X > 0, X * np.log(X), 0.0).sum(axis=1)[:, None]
        logs = np.where(centers > 0, np.log(centers), 0.0)
    found = own - X @ logs.T - X.sum(axis=1)[:, None] + centers.sum(axis=1)
    return np.asarray(np.where(X @ (centers <= 0).T.astype(X.dtype) > 0, np.inf, found))


def _itakura_saito(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    logs = np.log(centers).sum(axis=1) - np.log(X).sum(axis=1)[:, None]
    return np.asarray(X @ (1 / centers).T + logs - X.shape[1])


def _logistic(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    return _kl(X, centers) + _kl(1 - X, 1 - centers)


# divergence -> (of rows and centres, where it is defined, in words)
DIVERGENCES: dict[str, tuple[Callable[[np.ndarray, np.ndarray], np.ndarray], Callable[[np.ndarray], Any], str]] = {
    "squared": (squared_euclidean, np.isfinite, "finite numbers"),
    "kl": (_kl, lambda X: X >= 0, "numbers from 0 on"),
    "itakura-saito": (_itakura_saito, lambda X: X > 0, "numbers above 0"),
    "logistic": (_logistic, lambda X: (X >= 0) & (X <= 1), "numbers from 0 to 1"),
}


@method("cluster.bregman-clustering", section="9.7", task="clustering", en="Bregman clustering", zh="Bregman聚类")
class BregmanKMeans(CallbackSupportMixin, NearestMean):
    r"""k-means with a Bregman divergence for the squared distance: its best prototypes are means as well.

    Minimises :math:`\sum_i w_i d_\phi(x_i, \mu_{c(i)})` with :math:`d_\phi(x, y) = \phi(x) - \phi(y) - \langle \nabla
    \phi(y), x - y \rangle`. For every such divergence the mean of a cluster is its best prototype, so that the loop of
    k-means lowers the sum in every step. Each divergence is a family of distributions: squared distance Gaussian, "kl"
    (generalised Kullback-Leibler) Poisson, "itakura-saito" exponential, "logistic" Bernoulli.

    Book: section 9.7. Cost: O(n k d) a round; memory O(n k).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    divergence : {"squared", "kl", "itakura-saito", "logistic"}, default="squared"
        The divergence; "kl" is for numbers from 0 on, "itakura-saito" for numbers above 0, "logistic" from 0 to 1.
    init : {"k-means++", "random"} or array of shape (n_clusters, n_features), default="k-means++"
        Means to begin with.
    n_init : int, default=1
        Starts, the best is kept.
    max_iter : int, default=300
        Most rounds of one start.
    tol : float, default=0.0
        Stop once the sum falls by at most this share.
    random_state : int, RandomState or None, default=None
        Draws the means to begin with.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features), the means
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row
    inertia_ : float, the sum that is minimised
    n_iter_ : int, rounds of the kept start
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import BregmanKMeans
    >>> BregmanKMeans(2, divergence="kl", random_state=0).fit([[1.0], [2.0], [80.0], [90.0]]).labels_.tolist()
    [1, 1, 0, 0]

    References
    ----------
    Banerjee, Merugu, Dhillon and Ghosh (2005), Clustering with Bregman divergences.
    """

    _state: ClassVar = {
        "cluster_centers_": Floats("clusters", "columns"),
        "labels_": Integers("rows", below="clusters"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        divergence: str = "squared",
        init: Any = "k-means++",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.divergence = divergence
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_clusters=Integer(low=1),
        divergence=Choice(*DIVERGENCES),
        init=Choice("k-means++", "random") | Array(ndim=2),
        n_init=Integer(low=1),
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        X = self._in_domain(self._take(X, reset=True))
        given = self._weights(sample_weight, X)
        weight = np.ones(X.shape[0]) if given is None else given
        if X.shape[0] < self.n_clusters:
            raise ValueError(f"n_samples={X.shape[0]} should be >= n_clusters={self.n_clusters}.")
        seeds = check_random_state(self.random_state).randint(2**31, size=self.n_init)
        progress = Progress(self, X, weight, restarts=len(seeds), max_iter=self.max_iter)
        run = partial(self._run, X, weight)
        best = progress.best_restart(seeds, run, lambda one, other: one["inertia"] < other["inertia"])
        self.cluster_centers_, self.labels_ = best["centers"], best["labels"]
        self.inertia_, self.n_iter_ = float(best["inertia"]), int(best["n_iter"])
        self._n_features_out = self.n_clusters
        if not best["converged"]:
            warn_unconverged(self)
        progress.finish({"cluster_centers_": self.cluster_centers_})
        return self

    def _in_domain(self, X: np.ndarray) -> np.ndarray:
        _, inside, words = DIVERGENCES[self.divergence]
        if not np.all(inside(X)):
            raise ValueError(
                f"divergence={self.divergence!r} is for {words}, got {X[~inside(X)][0]:g}; take another divergence, or "
                "transform the column."
            )
        return X

    def _apart(self, X: np.ndarray, centers: np.ndarray) -> np.ndarray:
        return DIVERGENCES[self.divergence][0](X, np.asarray(centers, dtype=X.dtype)).astype(np.float64)

    def _run(self, X: np.ndarray, weight: np.ndarray, restart: Any) -> dict[str, Any]:
        saved, k = restart.saved, self.n_clusters
        n_iter = int(saved["n_iter"]) if saved else 0
        centers = (
            saved["centers"]
            if saved
            else self._in_domain(starting_means(self.init, k, InMemory(X, None, weight), restart.seed))
        )
        rows = np.arange(len(X))
        before, converged = np.inf, False
        for iteration in restart.iterations(start=n_iter):
            apart = self._apart(X, centers)
            labels = apart.argmin(axis=1)
            own = apart[rows, labels]
            inertia = float(weight[own > 0] @ own[own > 0])
            moved = means_or_far_rows(X, weight, labels, own, centers)
            n_iter = iteration.number + 1
            stays = np.array_equal(moved, centers)
            centers = moved
            iteration.done(
                state=partial(_state, centers, n_iter),
                attributes=partial(_attributes, centers, n_iter),
            )
            converged = stays or before - inertia < self.tol * before or iteration.stop
            before = inertia
            if converged:
                break
        apart = self._apart(X, centers)
        labels = apart.argmin(axis=1).astype(np.int32)
        own = apart[rows, labels]
        inertia = float(weight[own > 0] @ own[own > 0])
        return {"centers": centers, "labels": labels, "inertia": inertia, "n_iter": n_iter, "converged": converged}

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Index of the mean of the least divergence of each row."""
        check_is_fitted(self)
        X = self._in_domain(self._take(X, reset=False))
        return self._apart(X, self.cluster_centers_).argmin(axis=1).astype(np.int32)

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Divergence of each row from each mean."""
        check_is_fitted(self)
        X = self._in_domain(self._take(X, reset=False))
        return self._apart(X, self.cluster_centers_).astype(X.dtype)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the sum of the divergences of the rows from their means; y is ignored."""
        check_is_fitted(self)
        X = self._in_domain(self._take(X, reset=False))
        weight = self._weights(sample_weight, X)
        return -float(
            np.average(self._apart(X, self.cluster_centers_).min(axis=1), weights=weight)
            * (len(X) if weight is None else weight.sum())
        )


def means_or_far_rows(
    X: np.ndarray, weight: np.ndarray, labels: np.ndarray, own: np.ndarray, centers: np.ndarray
) -> np.ndarray:
    """Weighted means of the clusters; one without weight takes the row farthest from its own mean."""
    k = len(centers)
    labels, own = labels.copy(), own * (weight > 0)
    for cluster in np.flatnonzero(np.bincount(labels, weight, k) <= 0):
        far = int(np.argmax(own))
        if own[far] > 0:
            labels[far], own[far] = cluster, 0.0
    mass = np.bincount(labels, weight, k)
    sums = np.column_stack([np.bincount(labels, weight * column, k) for column in X.T.astype(np.float64)])
    means = np.array(centers, dtype=np.float64)
    means[mass > 0] = sums[mass > 0] / mass[mass > 0, None]
    return np.ascontiguousarray(means.astype(X.dtype))


def _state(centers: np.ndarray, n_iter: int) -> dict[str, Any]:
    return {"centers": centers, "n_iter": n_iter}


def _attributes(centers: np.ndarray, n_iter: int) -> dict[str, Any]:
    return {"cluster_centers_": centers, "n_iter_": n_iter, "_n_features_out": len(centers)}
