"""Laplacian eigenmaps."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from lanatus.base import Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.graph import components_of, laplacian_eigenvectors
from lanatus.neighbors import nearest
from lanatus.params import Choice, Function, Integer, Nothing, Real, rules_for
from lanatus.reduce._reducer import Embedder, padded
from lanatus.reduce.linear._graph_axes import heat
from lanatus.reduce.manifold._distances import require_memory
from lanatus.reduce.manifold._isomap_graph import repaired
from lanatus.reduce.manifold._local_weights import rebuilt_points
from lanatus.scale import blockwise

_GRAPHS = ("precomputed", "precomputed_nearest_neighbors")


@method(
    "reduce.laplacian-eigenmaps",
    section="10.7",
    task="transform",
    en="Laplacian eigenmaps",
    zh="拉普拉斯特征映射LE",
    peers=["scikit-learn:SpectralEmbedding"],
)
class SpectralEmbedding(Embedder):
    r"""Laplacian eigenmaps: points such that what the graph joins is near.

    The eigenvectors of :math:`L f = \lambda D f` with the smallest :math:`\lambda`, but for the constant one, where W
    are weights of edges, D their sums and :math:`L = D - W`.

    Book: section 10.7; section 9.7. Cost: the search, and some products of a vector and the graph; :math:`O(n^2 d)` for
    "rbf".

    Parameters
    ----------
    n_components : int, default=2
        Number of columns.
    affinity : str or callable, default="nearest_neighbors"
        "nearest_neighbors"; "rbf", :math:`e^{-\gamma \lVert x_i - x_j \rVert^2}` of all pairs; "precomputed", X is W;
        "precomputed_nearest_neighbors", X is a sparse graph of distances; or a function of X that gives W.
    gamma : float or None, default=None
        Of "rbf"; None is one over the number of columns.
    random_state : int, RandomState or None, default=None
        Draws the start of the iteration.
    eigen_solver : {"arpack", "dense"} or None, default=None
        Lanczos' iteration, or all eigenvectors at once; None chooses by size.
    eigen_tol : "auto" or float, default="auto"
        Tolerance of the iteration; "auto" is that of the machine.
    n_neighbors : int or None, default=None
        Of the graphs of neighbours, the row itself among them; None is a tenth of the rows,
        but three or more.
    n_jobs : int or None, default=None
        Taken for scikit-learn's sake; threads are those of the kernels.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), the points
    eigenvalues_ : ndarray of shape (n_components,), the eigenvalues
    affinity_matrix_ : ndarray or sparse matrix of shape (n_samples, n_samples), W; not kept of a graph of neighbours
    n_neighbors_ : int, the number used
    rows_ : ndarray, the rows, for ``transform``; nothing of them where W is precomputed
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A graph of neighbours in parts is joined by the shortest edges between them, with a warning: otherwise the first
    vectors would say nothing but which row is in which part. ``transform`` rebuilds a new row from its neighbours, as
    `LocallyLinearEmbedding` does; of a precomputed W it takes affinities to the rows of ``fit``, and averages their
    points (Bengio et al. 2004). Each column has its entry of largest magnitude above zero.

    Examples
    --------
    >>> from lanatus.reduce import SpectralEmbedding
    >>> points = SpectralEmbedding(1, n_neighbors=3).fit_transform([[0.0], [1.0], [2.0], [3.0], [4.0]])
    >>> bool(abs(points[2, 0]) < 1e-12)
    True

    References
    ----------
    Belkin and Niyogi (2003), Laplacian eigenmaps for dimensionality reduction and data representation.
    """

    _state: ClassVar = {"embedding_": Floats("rows", "components"), "eigenvalues_": Floats("components")}

    def __init__(
        self,
        n_components: int = 2,
        *,
        affinity: Any = "nearest_neighbors",
        gamma: float | None = None,
        random_state: Any = None,
        eigen_solver: str | None = None,
        eigen_tol: Any = "auto",
        n_neighbors: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.affinity = affinity
        self.gamma = gamma
        self.random_state = random_state
        self.eigen_solver = eigen_solver
        self.eigen_tol = eigen_tol
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs

    _params = rules_for(
        __init__,
        n_components=Integer(low=1),
        affinity=Choice("nearest_neighbors", "rbf", *_GRAPHS) | Function(),
        gamma=Real(low=0) | Nothing(),
        eigen_solver=Choice("arpack", "dense") | Nothing(),
        eigen_tol=Choice("auto") | Real(low=0),
        n_neighbors=Integer(low=1) | Nothing(),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity in _GRAPHS
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or (n_samples, n_samples) affinities
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        X = np.array(self._take(X, reset=True), dtype=np.float64)
        n = len(X)
        self.n_neighbors_ = min(max(n // 10, 3) if self.n_neighbors is None else self.n_neighbors, n)
        W = _without_loops(self._graph(X))
        self.__dict__.pop("affinity_matrix_", None)
        if not sp.issparse(W):
            self.affinity_matrix_ = W
        start = check_random_state(self.random_state).uniform(-1, 1, n)
        tol = 0.0 if self.eigen_tol == "auto" else self.eigen_tol
        how = {"solver": self.eigen_solver, "tol": tol, "start": start}
        values, vectors = laplacian_eigenvectors(W, min(self.n_components + 1, n), "random-walk", **how)
        self.embedding_ = padded(vectors[:, 1:], self.n_components)
        self.eigenvalues_ = np.append(values[1:], np.zeros(self.n_components + 1 - len(values)))
        self.rows_ = np.empty((0, 0)) if self.affinity in _GRAPHS else X
        return self

    def _graph(self, X: np.ndarray) -> Any:
        n = len(X)
        if self.affinity in _GRAPHS and n != X.shape[1]:
            raise ValueError(f"got precomputed affinities of shape {X.shape}, wanted a square matrix, rows by rows.")
        if self.affinity == "precomputed":
            return (X + X.T) / 2
        if self.affinity == "precomputed_nearest_neighbors":
            return _neighbours(np.argsort(X, axis=1, kind="stable")[:, : self.n_neighbors_], n)
        if self.affinity == "nearest_neighbors":
            return _in_one_part(_neighbours(nearest(X, X, self.n_neighbors_).indices, n), X)
        require_memory(n, "affinity='nearest_neighbors', or a sample of the rows")
        if callable(self.affinity):
            W = np.array(self.affinity(X), dtype=np.float64)
            if W.shape != (n, n) or not np.isfinite(W).all():
                raise ValueError(f"affinity gave a matrix of shape {W.shape}, or not finite; wanted ({n}, {n}).")
            return (W + W.T) / 2
        return heat(X, X, 1.0 / X.shape[1] if self.gamma is None else self.gamma)

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Points for rows, from those of their neighbours."""
        check_is_fitted(self)
        X = np.asarray(self._take(X, reset=False), dtype=np.float64)
        if self.affinity in _GRAPHS:
            total = X.sum(axis=1, keepdims=True)
            means = np.divide(X, total, out=np.zeros_like(X), where=total > 0) @ self.embedding_
            return means / np.where(self.eigenvalues_ < 1, 1 - self.eigenvalues_, 1.0)
        found = nearest(self.rows_, X, max(1, min(self.n_neighbors_, len(self.rows_))))
        return rebuilt_points(X, self.rows_, found.distances, found.indices, 1e-3, self.embedding_)


def _without_loops(W: Any) -> Any:
    """Weights without those of rows to themselves, which say nothing, but would count as degrees."""
    if sp.issparse(W):
        W = sp.csr_array(W - sp.diags_array(W.diagonal()))
        W.eliminate_zeros()
    else:
        np.fill_diagonal(W, 0.0)
    return W


def _neighbours(order: np.ndarray, n: int) -> sp.csr_array:
    ones = np.ones(order.size)
    graph = sp.csr_array((ones, (np.repeat(np.arange(n), order.shape[1]), order.ravel())), shape=(n, n))
    return sp.csr_array((graph + graph.T) * 0.5)


def _in_one_part(W: sp.csr_array, X: np.ndarray) -> sp.csr_array:
    """The graph, or one whose parts are joined by edges of weight 1 between their nearest rows."""
    if components_of(W)[0] == 1:
        return W
    warnings.warn(
        "the graph of neighbours is in parts; edges between the nearest rows of different parts join them. More "
        "neighbours may do so better; or embed the parts one by one.",
        stacklevel=5,
    )
    joined, _ = repaired(W, X, "mst", "euclidean", 2, None)
    joined.data = np.ones_like(joined.data)
    return sp.csr_array(W + joined - joined.multiply(W.astype(bool)))
