"""Spectral clustering."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.base import ClusterMixin
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, Integers, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.cluster._pairwise import require_memory
from lanatus.cluster.prototype._kmeans import KMeans
from lanatus.cluster.spectral._labels import by_pivots, by_rotation
from lanatus.graph import laplacian_eigenvectors
from lanatus.metric import squared_euclidean
from lanatus.neighbors import nearest
from lanatus.params import Choice, Flag, Function, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.scale import blockwise

_GRAPHS = ("precomputed", "precomputed_nearest_neighbors")


@method(
    "cluster.spectral-clustering",
    section="CB 12.4",
    task="clustering",
    en="Spectral clustering",
    zh="谱聚类",
    peers=["scikit-learn:SpectralClustering"],
)
class SpectralClustering(ClusterMixin, Estimator):
    r"""k-means of rows as the first eigenvectors of a graph's Laplacian have them: clusters of any shape.

    Rows are nodes, and affinities :math:`w_{ij}`, such as :math:`\exp(-\gamma \lVert x_i - x_j \rVert^2)`, are weights
    of edges. With D the sums of the rows of W, the eigenvectors of the smallest eigenvalues of :math:`L = D - W`
    ("unnormalized"), of :math:`I - D^{-1} W` ("random-walk") or of :math:`I - D^{-1/2} W D^{-1/2}` with rows scaled to
    length one ("symmetric") are the new coordinates: relaxations of ratio cut and of normalised cut.

    Book: cookbook section 12.4; section 9.7. Cost: :math:`O(n^2 d)` for the affinities and some products of W and a
    vector; memory :math:`8 n^2` bytes, or the edges of a sparse graph.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    eigen_solver : {"arpack", "lobpcg", "dense"} or None, default=None
        Lanczos' iteration, locally optimal blocks, or all eigenvectors at once; None chooses by size.
    n_components : int or None, default=None
        Eigenvectors taken; None is `n_clusters`.
    random_state : int, RandomState or None, default=None
        Draws the starts of k-means and of the iteration.
    n_init : int, default=10
        Starts of k-means.
    gamma : float, default=1.0
        Of the kernels "rbf", "laplacian", "poly", "sigmoid", "chi2": :math:`1 / 2 \sigma^2` of the cookbook.
    affinity : str or callable, default="rbf"
        "rbf" or another kernel of scikit-learn's ``pairwise_kernels``, "nearest_neighbors", "precomputed" (X is W),
        "precomputed_nearest_neighbors" (X is a sparse graph of distances), or a callable.
    n_neighbors : int, default=10
        Of the graphs of neighbours.
    eigen_tol : "auto" or float, default="auto"
        Tolerance of the iteration; "auto" is that of the machine.
    assign_labels : {"kmeans", "discretize", "cluster_qr"}, default="kmeans"
        How the new coordinates are clustered: by k-means, by the rotation that brings them nearest to indicators (Yu
        and Shi 2003), or without draws by a pivoted QR (Damle et al. 2019).
    degree : float, default=3
        Of the kernel "poly".
    coef0 : float, default=1
        Of the kernels "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Parameters of another kernel.
    n_jobs : int or None, default=None
        Taken for scikit-learn's sake; threads are those of BLAS.
    verbose : bool or int, default=False
        Taken for scikit-learn's sake.
    laplacian : {"random-walk", "symmetric", "unnormalized"}, default="random-walk"
        Which Laplacian.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row
    affinity_matrix_ : ndarray or sparse matrix of shape (n_samples, n_samples), W
    embedding_ : ndarray of shape (n_samples, n_components), the new coordinates
    eigenvalues_ : ndarray of shape (n_components,), the smallest eigenvalues of the Laplacian
    rows_ : ndarray or sparse matrix, the rows, for ``predict``; nothing of them where W was precomputed
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    ``predict`` puts a new node where its edges weigh most, so that least is cut; one without any edge to the cluster of
    the nearest row. Of a precomputed W it takes affinities to the rows of ``fit``.

    Examples
    --------
    >>> from lanatus.cluster import SpectralClustering
    >>> labels = SpectralClustering(2, random_state=0).fit_predict([[0.0], [1.0], [2.0], [7.0], [8.0]])
    >>> (labels == labels[0]).tolist()
    [True, True, True, False, False]

    References
    ----------
    von Luxburg (2007), A tutorial on spectral clustering. Ng, Jordan and Weiss (2001), On spectral clustering. Yu
    and Shi (2003), Multiclass spectral clustering.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {"labels_": Integers("rows"), "eigenvalues_": Floats("components")}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        eigen_solver: str | None = None,
        n_components: int | None = None,
        random_state: Any = None,
        n_init: int = 10,
        gamma: float = 1.0,
        affinity: Any = "rbf",
        n_neighbors: int = 10,
        eigen_tol: Any = "auto",
        assign_labels: str = "kmeans",
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        laplacian: str = "random-walk",
    ) -> None:
        self.n_clusters = n_clusters
        self.eigen_solver = eigen_solver
        self.n_components = n_components
        self.random_state = random_state
        self.n_init = n_init
        self.gamma = gamma
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.eigen_tol = eigen_tol
        self.assign_labels = assign_labels
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.laplacian = laplacian

    _params = rules_for(
        __init__,
        n_clusters=Integer(low=1),
        eigen_solver=Choice("arpack", "lobpcg", "dense") | Nothing(),
        n_components=Integer(low=1) | Nothing(),
        n_init=Integer(low=1),
        gamma=Real(low=0),
        affinity=Satisfies(lambda value: isinstance(value, str), "the name of an affinity") | Function(),
        n_neighbors=Integer(low=1),
        eigen_tol=Choice("auto") | Real(low=0),
        assign_labels=Choice("kmeans", "discretize", "cluster_qr"),
        degree=Real(low=0),
        coef0=Real(),
        kernel_params=Satisfies(lambda value: isinstance(value, dict), "a dict") | Nothing(),
        verbose=Flag() | Integer(low=0),
        laplacian=Choice("random-walk", "symmetric", "unnormalized"),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity in _GRAPHS
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples) affinities
            The rows.
        y : ignored
            There by convention.
        """
        X = self._take(X, reset=True)
        n = X.shape[0]
        if n < self.n_clusters:
            raise ValueError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.")
        rng = check_random_state(self.random_state)
        self.affinity_matrix_ = self._graph(X)
        count = min(self.n_components or self.n_clusters, n)
        self.eigenvalues_, vectors = self._eigen(self.affinity_matrix_, count, rng)
        self.embedding_ = vectors
        if self.assign_labels == "cluster_qr" and n > 1:
            self.labels_ = by_pivots(vectors[:, : self.n_clusters])
        elif self.assign_labels == "discretize" and n > 1:
            self.labels_ = by_rotation(vectors[:, : self.n_clusters], rng)
        else:
            seed = int(rng.randint(2**31))
            self.labels_ = KMeans(self.n_clusters, n_init=self.n_init, random_state=seed).fit(vectors).labels_
        self.rows_ = np.empty((0, 0)) if self.affinity in _GRAPHS else X.copy()
        return self

    def _affinities(self, X: Any, Y: Any) -> np.ndarray:
        if self.affinity == "rbf" and not sp.issparse(X):
            W = squared_euclidean(np.ascontiguousarray(X, np.float64), np.ascontiguousarray(Y, np.float64))
            W *= -self.gamma
            return np.exp(W, out=W)
        params = dict(self.kernel_params or {})
        if not callable(self.affinity):
            params |= {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        found = np.asarray(pairwise_kernels(X, Y, metric=self.affinity, filter_params=True, **params), dtype=np.float64)
        if not np.isfinite(found).all():
            raise ValueError(f"affinity {self.affinity!r} gives NaN or infinity; wanted finite numbers: scale X.")
        return found

    def _graph(self, X: np.ndarray) -> Any:
        n = X.shape[0]
        if self.affinity in _GRAPHS:
            if X.shape[0] != X.shape[1]:
                raise ValueError(f"got precomputed affinities of shape {X.shape}, wanted a square matrix.")
            if self.affinity == "precomputed":
                return _symmetric(X.astype(np.float64))
            return _neighbour_graph(_nearest_given(X, min(self.n_neighbors, n)), n)
        if self.affinity == "nearest_neighbors":
            rows = X.astype(np.float64)
            return _neighbour_graph(nearest(rows, rows, min(self.n_neighbors, n)).indices, n)
        require_memory(n, "affinity='nearest_neighbors', or a sample of the rows")
        return _symmetric(self._affinities(X, X))

    def _eigen(self, W: Any, count: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        """The smallest eigenvalues of the Laplacian and their vectors, each with its largest entry above 0."""
        n = W.shape[0]
        if (
            sp.issparse(W)
            and (pieces := connected_components(W, directed=False, return_labels=False)) > self.n_clusters
        ):
            warnings.warn(
                f"Graph is not fully connected: it has {pieces} pieces, more than the {self.n_clusters} clusters "
                "wanted, so which of them share one means nothing; raise n_neighbors.",
                stacklevel=4,
            )
        start = rng.normal(size=(n, count)) if self.eigen_solver == "lobpcg" else rng.uniform(-1, 1, n)
        tol = 0.0 if self.eigen_tol == "auto" else self.eigen_tol
        values, vectors = laplacian_eigenvectors(
            W, count, self.laplacian, solver=self.eigen_solver, tol=tol, start=start
        )
        if self.laplacian == "symmetric":
            length = np.linalg.norm(vectors, axis=1, keepdims=True)
            vectors = vectors / np.where(length > 0, length, 1.0)
            largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(count)]
            vectors = vectors * np.where(largest < 0, -1.0, 1.0)
        return values, np.ascontiguousarray(vectors)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The cluster that the edges of each row go to most."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        k = int(self.labels_.max()) + 1
        member = np.zeros((len(self.labels_), k))
        member[np.arange(len(self.labels_)), self.labels_] = 1.0
        if self.affinity == "nearest_neighbors":
            near = nearest(self.rows_.astype(np.float64), X.astype(np.float64), min(self.n_neighbors, len(member)))
            return member[near.indices].sum(axis=1).argmax(axis=1).astype(np.int32)
        if self.affinity == "precomputed_nearest_neighbors":
            return (
                member[_nearest_given(X, min(self.n_neighbors, len(member)))]
                .sum(axis=1)
                .argmax(axis=1)
                .astype(np.int32)
            )
        W = X.astype(np.float64) if self.affinity == "precomputed" else self._affinities(X, self.rows_)
        found = (W @ member).argmax(axis=1)
        lost = np.asarray(abs(W).sum(axis=1)).ravel() == 0
        if lost.any() and self.rows_.shape[0]:
            far = nearest(self.rows_.astype(np.float64), X[lost].astype(np.float64), 1).indices[:, 0]
            found[lost] = self.labels_[far]
        return found.astype(np.int32)


def _symmetric(W: Any) -> Any:
    values = W.data if sp.issparse(W) else W
    if (values < 0).any():
        raise ValueError("affinities are below 0; wanted weights of edges, from 0 on: take another kernel.")
    if sp.issparse(W):
        return sp.csr_array((W + W.T) / 2)
    return W if np.array_equal(W, W.T) else (W + W.T) / 2


def _nearest_given(distances: Any, k: int) -> np.ndarray:
    """Columns of the k least distances of each row; what a sparse graph does not have is too far to count."""
    if not sp.issparse(distances):
        return np.argsort(distances, axis=1, kind="stable")[:, :k]
    graph = sp.csr_array(distances)
    if (few := np.diff(graph.indptr)).min(initial=k) < k:
        raise ValueError(f"got a graph with {few.min()} neighbours of a row; wanted n_neighbors={k} at least.")
    order = np.empty((graph.shape[0], k), dtype=np.intp)
    for i, (begin, end) in enumerate(zip(graph.indptr[:-1], graph.indptr[1:], strict=True)):
        near = np.argsort(graph.data[begin:end], kind="stable")[:k]
        order[i] = graph.indices[begin:end][near]
    return order


def _neighbour_graph(order: np.ndarray, n: int) -> Any:
    graph = sp.csr_array((np.ones(order.size), (np.repeat(np.arange(n), order.shape[1]), order.ravel())), shape=(n, n))
    return sp.csr_array((graph + graph.T) * 0.5)
