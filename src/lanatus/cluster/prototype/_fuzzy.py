"""Fuzzy C-means: degrees of membership."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import Floats, Integers, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster.prototype._nearest_mean import NearestMean, starting_means
from lanatus.metric import squared_euclidean
from lanatus.params import Array, Choice, Integer, Real, rules_for
from lanatus.scale import InMemory, blockwise


@method(
    "cluster.fuzzy-cmeans",
    section="9.7",
    task="clustering",
    en="Fuzzy C-means",
    zh="模糊C均值",
    peers=["scikit-fuzzy:cmeans"],
)
class FuzzyCMeans(CallbackSupportMixin, NearestMean):
    r"""Soft k-means: every row belongs to every cluster by a degree, and the degrees of a row sum to one.

    Minimises :math:`J = \sum_{ji} w_j u_{ji}^m \lVert x_j - v_i \rVert^2`, alternating
    :math:`u_{ji} = 1 / \sum_l (d_{ji} / d_{jl})^{2/(m-1)}` and :math:`v_i = \sum_j w_j u_{ji}^m x_j / \sum_j w_j
    u_{ji}^m`. As m falls to 1 it becomes k-means. A row on a centre belongs to it alone, or to several such alike.

    Book: section 9.7. Cost: O(n k d) a round; memory O(n k).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    m : float, default=2.0
        How soft the clusters are, above 1.
    init : {"k-means++", "random"} or array of shape (n_clusters, n_features), default="k-means++"
        Centres to begin with.
    n_init : int, default=1
        Starts, the best is kept.
    max_iter : int, default=300
        Most rounds of one start.
    tol : float, default=1e-5
        Stop once no degree changes by more than this.
    random_state : int, RandomState or None, default=None
        Draws the centres to begin with.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features), the centres
    membership_ : ndarray of shape (n_samples, n_clusters), the degrees
    labels_ : ndarray of shape (n_samples,), int32, cluster of the highest degree
    objective_ : float, *J*
    partition_coefficient_ : float, mean of the squared degrees: 1 for hard clusters, 1 / k where all are alike
    n_iter_ : int, rounds of the kept start
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import FuzzyCMeans
    >>> model = FuzzyCMeans(2, random_state=0).fit([[0.0], [1.0], [8.0], [9.0]])
    >>> model.predict_proba([[4.5]]).round(3).tolist()
    [[0.5, 0.5]]

    References
    ----------
    Bezdek (1981), Pattern recognition with fuzzy objective function algorithms.
    """

    _state: ClassVar = {
        "cluster_centers_": Floats("clusters", "columns"),
        "membership_": Floats("rows", "clusters", low=0),
        "labels_": Integers("rows", below="clusters"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        m: float = 2.0,
        init: Any = "k-means++",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.m = m
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_clusters=Integer(low=1),
        m=Real(above=1),
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
        X = self._take(X, reset=True)
        given = self._weights(sample_weight, X)
        weight = np.ones(X.shape[0]) if given is None else given
        if X.shape[0] < self.n_clusters:
            raise ValueError(f"n_samples={X.shape[0]} should be >= n_clusters={self.n_clusters}.")
        seeds = check_random_state(self.random_state).randint(2**31, size=self.n_init)
        progress = Progress(self, X, weight, restarts=len(seeds), max_iter=self.max_iter)
        run = partial(self._run, X, weight)
        best = progress.best_restart(seeds, run, lambda one, other: one["objective"] < other["objective"])
        self.cluster_centers_, self.membership_ = best["centers"], best["degrees"]
        self.labels_ = self.membership_.argmax(axis=1).astype(np.int32)
        self.objective_, self.n_iter_ = float(best["objective"]), int(best["n_iter"])
        self.partition_coefficient_ = float(np.average((self.membership_**2).sum(axis=1), weights=weight))
        self._n_features_out = self.n_clusters
        if not best["converged"]:
            warn_unconverged(self)
        progress.finish({"cluster_centers_": self.cluster_centers_})
        return self

    def _run(self, X: np.ndarray, weight: np.ndarray, restart: Any) -> dict[str, Any]:
        saved = restart.saved
        n_iter = int(saved["n_iter"]) if saved else 0
        centers = (
            saved["centers"]
            if saved
            else starting_means(self.init, self.n_clusters, InMemory(X, None, weight), restart.seed)
        )
        degrees, converged = np.zeros((len(X), self.n_clusters)), False
        for iteration in restart.iterations(start=n_iter):
            found = degrees_of(squared_euclidean(X, centers), self.m)
            shift = float(np.abs(found - degrees).max())
            degrees = found
            power = weight[:, None] * degrees**self.m
            mass = power.sum(axis=0)
            centers = centers.copy()
            alive = mass > 0
            centers[alive] = (power.T @ X)[alive] / mass[alive, None]
            n_iter = iteration.number + 1
            iteration.done(
                state=partial(_state, centers, n_iter), attributes=partial(_attributes, centers, degrees, n_iter)
            )
            converged = shift <= self.tol or iteration.stop
            if converged:
                break
        squares = squared_euclidean(X, centers)
        degrees = degrees_of(squares, self.m)
        objective = float((weight[:, None] * degrees**self.m * squares).sum())
        return {
            "centers": centers,
            "degrees": degrees,
            "objective": objective,
            "n_iter": n_iter,
            "converged": converged,
        }

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Degrees of membership of each row."""
        check_is_fitted(self)
        return degrees_of(squared_euclidean(self._take(X, reset=False), self.cluster_centers_), self.m)


def degrees_of(squares: np.ndarray, m: float) -> np.ndarray:
    """Degrees of membership from squared distances; rows on centres belong to these alone."""
    squares = squares.astype(np.float64, copy=False)
    least = squares.min(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        near = np.where(least > 0, (least / squares) ** (1 / (m - 1)), squares == 0)
    return np.asarray(near / near.sum(axis=1, keepdims=True))


def _state(centers: np.ndarray, n_iter: int) -> dict[str, Any]:
    return {"centers": centers, "n_iter": n_iter}


def _attributes(centers: np.ndarray, degrees: np.ndarray, n_iter: int) -> dict[str, Any]:
    found = {"cluster_centers_": centers, "membership_": degrees, "n_iter_": n_iter}
    return found | {"_n_features_out": len(centers)}
