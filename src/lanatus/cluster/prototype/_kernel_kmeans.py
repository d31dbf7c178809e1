"""k-means in the space of a kernel."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, Integers, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster._pairwise import require_memory
from lanatus.params import Function, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.scale import blockwise


@method(
    "cluster.kernel-kmeans",
    section="9.7",
    task="clustering",
    en="Kernel k-means",
    zh="核k均值",
    peers=["tslearn:KernelKMeans"],
)
class KernelKMeans(CallbackSupportMixin, ClusterMixin, Estimator):
    r"""k-means of the images of the rows under a kernel: clusters need not be convex.

    Minimises :math:`\sum_i w_i \lVert \phi(x_i) - \mu_{c(i)} \rVert^2`; a squared distance is
    :math:`K_{xx} - \frac{2}{M} \sum_{y \in C} w_y K_{xy} + \frac{1}{M^2} \sum_{y,z \in C} w_y w_z K_{yz}` with M the
    weight of the cluster. A cluster that loses all its rows takes the row farthest from its mean.

    Book: section 9.7. Cost: :math:`O(n^2)` a round after the kernel, memory :math:`8 n^2` bytes.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    kernel : str or callable, default="rbf"
        As in scikit-learn's ``pairwise_kernels``; "precomputed" takes X as the kernel's matrix.
    gamma : float or None, default=None
        Of the kernels "rbf", "laplacian", "poly", "sigmoid"; None is 1 / n_features.
    degree : float, default=3
        Of the kernel "poly".
    coef0 : float, default=1
        Of the kernels "poly" and "sigmoid".
    n_init : int, default=10
        Random starts, the best is kept.
    max_iter : int, default=300
        Most rounds of one start.
    random_state : int, RandomState or None, default=None
        Draws the clusters to begin with.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row
    inertia_ : float, the sum that is minimised
    n_iter_ : int, rounds of the kept start
    rows_ : ndarray, the rows, for ``predict``; nothing of them where the kernel was precomputed
    row_weights_ : ndarray of shape (n_samples,), their weights
    within_ : ndarray of shape (n_clusters,), the last term of the distance
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import KernelKMeans
    >>> labels = KernelKMeans(2, gamma=0.1, random_state=0).fit_predict([[0.0], [1.0], [8.0], [9.0]])
    >>> labels[0] == labels[1] != labels[2] == labels[3]
    np.True_

    References
    ----------
    Scholkopf, Smola and Mueller (1998), Nonlinear component analysis as a kernel eigenvalue problem. Dhillon, Guan and
    Kulis (2004), Kernel k-means, spectral clustering and normalized cuts.
    """

    _state: ClassVar = {
        "labels_": Integers("rows"),
        "row_weights_": Floats("rows", low=0),
        "within_": Floats("clusters"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: Any = "rbf",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        n_init: int = 10,
        max_iter: int = 300,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_clusters=Integer(low=1),
        kernel=Satisfies(lambda value: isinstance(value, str), "the name of a kernel") | Function(),
        gamma=Real(low=0) | Nothing(),
        degree=Real(low=0),
        coef0=Real(),
        n_init=Integer(low=1),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _kernel(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        if self.kernel == "precomputed":
            return np.asarray(X, dtype=np.float64)
        params = {} if callable(self.kernel) else {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        found = pairwise_kernels(X, Y, metric=self.kernel, filter_params=True, **params)
        if not np.isfinite(found).all():
            raise ValueError(f"kernel {self.kernel!r} gives NaN or infinity; wanted finite numbers: scale X.")
        return np.asarray(found, dtype=np.float64)

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or (n_samples, n_samples) kernel matrix
            The rows.
        y : ignored
            There by convention.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        X = self._take(X, reset=True)
        n = X.shape[0]
        given = self._weights(sample_weight, X)
        weight = np.ones(n) if given is None else given
        if n < self.n_clusters:
            raise ValueError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.")
        require_memory(n)
        K = self._kernel(X, X)
        if K.shape != (n, n):
            raise ValueError(f"got a precomputed kernel of shape {K.shape}, wanted a square matrix, rows by rows.")
        seeds = check_random_state(self.random_state).randint(2**31, size=self.n_init)
        progress = Progress(self, X, weight, restarts=len(seeds), max_iter=self.max_iter)
        best = progress.best_restart(
            seeds, partial(self._run, X, K, weight), lambda one, other: one["inertia"] < other["inertia"]
        )
        if not best["converged"]:
            warn_unconverged(self)
        self.inertia_, self.n_iter_ = float(best["inertia"]), int(best["n_iter"])
        learned = self._learned(X, weight, best["labels"].astype(np.int32), best["within"])
        for name, value in learned.items():
            setattr(self, name, value)
        progress.finish(learned)
        return self

    def _learned(self, X: np.ndarray, weight: np.ndarray, labels: np.ndarray, within: np.ndarray) -> dict[str, Any]:
        rows = np.empty((0, 0)) if self.kernel == "precomputed" else X.copy()
        return {"labels_": labels, "within_": within, "rows_": rows, "row_weights_": weight.copy()}

    def _run(self, X: np.ndarray, K: np.ndarray, weight: np.ndarray, restart: Any) -> dict[str, Any]:
        saved, k = restart.saved, self.n_clusters
        n_iter = int(saved["n_iter"]) if saved else 0
        labels = saved["labels"].astype(np.int64) if saved else _start(K, weight, k, restart.seed)
        diagonal, converged, rows = np.diagonal(K), False, np.arange(len(K))
        for iteration in restart.iterations(start=n_iter):
            across, within, _ = _to_means(K, weight, labels, k)
            apart = within - 2 * across
            found = apart.argmin(axis=1)
            found = _fill(found, apart[rows, found] + diagonal, weight, k)
            converged = np.array_equal(found, labels)
            labels, n_iter = found, iteration.number + 1
            iteration.done(
                state=partial(_state, labels, n_iter),
                attributes=partial(self._learned, X, weight, labels.astype(np.int32), within),
            )
            converged = converged or iteration.stop
            if converged:
                break
        across, within, _ = _to_means(K, weight, labels, k)
        squares = np.maximum(diagonal + within[labels] - 2 * across[rows, labels], 0.0)
        inertia = float(weight @ squares)
        return {"labels": labels, "within": within, "inertia": inertia, "n_iter": n_iter, "converged": converged}

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The nearest mean of each row in the kernel's space; a precomputed kernel is that with the rows of ``fit``."""
        check_is_fitted(self)
        K = self._kernel(self._take(X, reset=False), self.rows_)
        k = len(self.within_)
        mass = np.bincount(self.labels_, self.row_weights_, k)
        member = np.zeros((len(self.labels_), k))
        member[np.arange(len(self.labels_)), self.labels_] = self.row_weights_
        across = K @ (member / np.where(mass > 0, mass, 1.0))
        return np.where(mass > 0, self.within_ - 2 * across, np.inf).argmin(axis=1).astype(np.int32)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Cluster the rows of X and give the cluster of each; y is ignored."""
        return np.asarray(self.fit(X, sample_weight=sample_weight).labels_)


def _start(K: np.ndarray, weight: np.ndarray, k: int, seed: int) -> np.ndarray:
    """Clusters of the nearest of k rows that are drawn by their squared distances, as k-means++ draws them."""
    rng = np.random.RandomState(seed % 2**32)
    diagonal = np.diagonal(K)
    share = weight / weight.sum() if weight.sum() > 0 else None
    chosen = [int(rng.choice(len(K), p=share))]
    squares = [np.maximum(diagonal + diagonal[chosen[0]] - 2 * K[:, chosen[0]], 0.0)]
    while len(chosen) < k:
        near = np.min(squares, axis=0) * weight
        near[chosen] = 0.0
        total = near.sum()
        left = np.setdiff1d(np.arange(len(K)), chosen)
        row = int(rng.choice(len(K), p=near / total)) if total > 0 else int(rng.choice(left))
        chosen.append(row)
        squares.append(np.maximum(diagonal + diagonal[row] - 2 * K[:, row], 0.0))
    labels = np.argmin(squares, axis=0)
    labels[chosen] = np.arange(k)
    return np.asarray(labels)


def _to_means(K: np.ndarray, weight: np.ndarray, labels: np.ndarray, k: int) -> tuple[np.ndarray, ...]:
    """Products of each row with each mean (n, k), squared lengths of the means, their weights."""
    mass = np.bincount(labels, weight, k)
    member = np.zeros((len(K), k))
    member[np.arange(len(K)), labels] = weight
    member /= np.where(mass > 0, mass, 1.0)
    across = K @ member
    within = np.einsum("ij,ij->j", member, across)
    return across, np.where(mass > 0, within, np.finfo(np.float64).max / 4), mass


def _fill(labels: np.ndarray, own: np.ndarray, weight: np.ndarray, k: int) -> np.ndarray:
    """Clusters without weight take the rows farthest from their means."""
    own = np.where(weight > 0, own, 0.0)
    for cluster in np.flatnonzero(np.bincount(labels, weight, k) <= 0):
        far = int(np.argmax(own))
        if own[far] <= 1e-12:
            break
        labels = labels.copy()
        labels[far], own[far] = cluster, 0.0
    return labels


def _state(labels: np.ndarray, n_iter: int) -> dict[str, Any]:
    return {"labels": labels, "n_iter": n_iter}
