"""Isomap: multidimensional scaling of distances along a graph of neighbours."""

import warnings
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from lanatus.base import Floats, Integers, Number, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.graph import shortest_path
from lanatus.neighbors import NEIGHBOR_RULES, NearestNeighbors
from lanatus.params import Choice, Integer, Nothing, Real, rules_for
from lanatus.reduce._reducer import Embedder, padded
from lanatus.reduce.manifold._classical_mds import placed
from lanatus.reduce.manifold._distances import Centring, by_blocks, iterated, leading, require_memory
from lanatus.reduce.manifold._isomap_graph import neighbour_graph, repaired, search_for
from lanatus.scale import blockwise

_SQUARES = 2**16  # entries squared at a time, which stay in the cache; larger products wait for threads


@method(
    "reduce.isomap",
    "reduce.graph-circuit-repair",
    section="10.5.1",
    task="transform",
    en="Isomap",
    zh="等度量映射Isomap",
    peers=["scikit-learn:Isomap"],
)
class Isomap(Embedder):
    r"""A surface laid flat: points whose distances are those along a graph of neighbours.

    Each row is joined to its nearest rows, lengths of shortest paths stand for distances along the surface, and
    multidimensional scaling (figure 10.3) makes points of them, as in figure 10.8.

    Book: section 10.5.1, figure 10.8, exercise 10.8; cookbook 9.3. Kernel: ``cpp/graph/shortest_paths.hpp``.
    Cost: :math:`O(n^2 k \log n)` for the paths and :math:`O(n^2)` memory; with landmarks :math:`O(n l k \log n)`.

    Parameters
    ----------
    n_neighbors : int or None, default=5
        Neighbours of each row; None where `radius` is given. With fewer rows, all others.
    radius : float or None, default=None
        All rows within this distance are neighbours; `n_neighbors` must then be None.
    n_components : int, default=2
        Number of columns.
    eigen_solver : {"auto", "arpack", "dense"}, default="auto"
        Lanczos' iteration, or all eigenvectors at once.
    tol : float, default=0
        Of "arpack"; 0 is that of the machine.
    max_iter : int or None, default=None
        Of "arpack".
    path_method : {"auto", "FW", "D"}, default="auto"
        Floyd's algorithm or Dijkstra's, which "auto" takes.
    neighbors_algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        How neighbours are found; they are the same.
    n_jobs : int or None, default=None
        Threads for the search; None and -1 are all that there are.
    metric : str or callable, default="minkowski"
        The distance; "precomputed" where X is the matrix of distances.
    p : float, default=2
        Order of Minkowski's distance.
    metric_params : dict or None, default=None
        Further parameters of the distance.
    graph_repair : {"mst", "mutual", "prune"}, default="mst"
        What is done about open and short circuits. A graph in parts is always joined by the shortest edges between
        them, as a minimum spanning tree of the parts would be. "mutual" first keeps edges between rows only that are
        neighbours of each other; "prune" first takes out edges whose ends have few neighbours in common.
    n_landmarks : int or None, default=None
        Paths are measured from so many rows only, which are placed first, and the others by their distances to them;
        None takes all rows.
    random_state : int, RandomState or None, default=None
        Draws the first landmark; each of the others is the row farthest from those before it.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), the points
    eigenvalues_ : ndarray of shape (n_components,), of the inner products; a column whose is not above 0 is zero
    dist_matrix_ : ndarray of shape (n_landmarks, n_samples), lengths of paths; from all rows without landmarks
    nbrs_ : NearestNeighbors, the rows, ready to be searched
    edges_ : ndarray of shape (n_edges, 2), int32, the two rows of each edge of the graph, after repairs
    n_added_edges_ : int, edges that join what were parts
    landmarks_ : ndarray of int, the landmarks, where there are some
    square_means_ : ndarray, mean squared lengths
    square_mean_ : float, their mean
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    ``transform`` goes from a new row to its neighbours, from there along the graph, and places it by those lengths; the
    book trains a regression instead, which is `OutOfSampleRegressor`. Each column has its entry of largest magnitude
    above zero.

    Examples
    --------
    >>> from lanatus.reduce import Isomap
    >>> u_shape = [[0, 0], [0, 1], [0, 2], [1, 2], [2, 2], [2, 1], [2, 0]]
    >>> Isomap(n_neighbors=None, radius=1.1, n_components=1).fit(u_shape).eigenvalues_.round(6).tolist()
    [28.0]

    References
    ----------
    Tenenbaum, de Silva and Langford (2000), A global geometric framework for nonlinear dimensionality reduction. De
    Silva and Tenenbaum (2003), Global versus local methods in nonlinear dimensionality reduction.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {
        "embedding_": Floats("rows", "components"),
        "eigenvalues_": Floats("components"),
        "dist_matrix_": Floats("landmarks", "rows", low=0),
        "square_means_": Floats("landmarks"),
        "square_mean_": Number(),
        "edges_": Integers("edges", 2, below="rows"),
    }

    def __init__(
        self,
        *,
        n_neighbors: int | None = 5,
        radius: float | None = None,
        n_components: int = 2,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        path_method: str = "auto",
        neighbors_algorithm: str = "auto",
        n_jobs: int | None = None,
        metric: Any = "minkowski",
        p: float = 2,
        metric_params: dict[str, Any] | None = None,
        graph_repair: str = "mst",
        n_landmarks: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.n_components = n_components
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.path_method = path_method
        self.neighbors_algorithm = neighbors_algorithm
        self.n_jobs = n_jobs
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.graph_repair = graph_repair
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_neighbors=Integer(low=1) | Nothing(),
        radius=Real(above=0, below=np.inf) | Nothing(),
        n_components=Integer(low=1),
        eigen_solver=Choice("auto", "arpack", "dense"),
        max_iter=Integer(low=1) | Nothing(),
        path_method=Choice("auto", "FW", "D"),
        neighbors_algorithm=Choice("auto", "brute", "kd_tree", "ball_tree"),
        metric=NEIGHBOR_RULES["metric"],
        p=Real(low=1),
        metric_params=NEIGHBOR_RULES["metric_params"],
        graph_repair=Choice("mst", "mutual", "prune"),
        n_landmarks=Integer(low=2) | Nothing(),
    )

    nbrs_: NearestNeighbors

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Lay the rows of X flat.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features), or (n_samples, n_samples) distances
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        if (self.n_neighbors is None) == (self.radius is None):
            raise ValueError(
                f"one of n_neighbors and radius says who is a neighbour, the other must be None; got "
                f"n_neighbors={self.n_neighbors} and radius={self.radius}."
            )
        X = self._take(X, reset=True)
        X = X.astype(np.float64, copy=False)
        n = X.shape[0]
        require_memory(0 if self.n_landmarks else n, "n_landmarks")
        self.nbrs_ = search_for(self, X)
        graph = neighbour_graph(self.nbrs_, self.n_neighbors, n)
        edges, self.n_added_edges_ = self._repair(graph, X)
        self.edges_ = np.column_stack(sp.triu(edges, 1).nonzero()).astype(np.int32)
        self.__dict__.pop("landmarks_", None)
        begin = None
        if self.n_landmarks is not None and self.n_landmarks < n:
            self.landmarks_, self.dist_matrix_ = self._choose_landmarks(edges)
            begin = self.landmarks_
        else:
            method = "D" if self.path_method == "auto" else self.path_method
            self.dist_matrix_ = shortest_path(edges, method=method)
        self._scale(self.dist_matrix_ if begin is None else self.dist_matrix_[:, begin])
        return self

    def _repair(self, graph: sp.csr_array, X: Any) -> tuple[sp.csr_array, int]:
        metric = "euclidean" if self.metric == "minkowski" and self.p == 2 else self.metric
        edges, added = repaired(graph, X, self.graph_repair, metric, self.p, self.metric_params)
        if added:
            warnings.warn(
                f"the graph of neighbours is in parts; {added} edges between the nearest rows of different parts join "
                "them. More neighbours, or a larger radius, may do so better; or embed the parts one by one.",
                stacklevel=4,
            )
        return edges, added

    def _choose_landmarks(self, edges: sp.csr_array) -> tuple[np.ndarray, np.ndarray]:
        """Rows far from each other, and the lengths of paths from them."""
        n = edges.shape[0]
        chosen = [int(check_random_state(self.random_state).randint(n))]
        lengths = [shortest_path(edges, indices=chosen[0])]
        least = lengths[0].copy()
        while len(chosen) < min(int(self.n_landmarks or n), n):
            chosen.append(int(least.argmax()))
            lengths.append(shortest_path(edges, indices=chosen[-1]))
            np.minimum(least, lengths[-1], out=least)
        return np.array(chosen), np.array(lengths)

    def _scale(self, between: np.ndarray) -> None:
        """Multidimensional scaling of lengths; rows that are no landmarks are placed by their lengths to them."""
        n = len(between)
        k = min(self.n_components, n)
        self.square_means_ = _times_squares(between, np.ones((n, 1)))[:, 0] / n
        self.square_mean_ = float(self.square_means_.mean())
        found = by_blocks(partial(_times_centred, between), n, k) if self._by_blocks(n, k) else None
        if found is None:
            squares = between**2
            B = Centring(squares).of_self(squares)
            B *= -0.5
            found = leading(B, k, self.eigen_solver, self.tol, self.max_iter)
        values, vectors = found
        scale = float(np.abs(values).max(initial=0.0))
        values = np.where(np.abs(values) > 1e-13 * n * scale, values, 0.0)
        points = padded(vectors * np.sqrt(np.maximum(values, 0.0)), self.n_components)
        self.eigenvalues_ = np.append(values, np.zeros(self.n_components - len(values)))
        self._points = points
        if n < self.dist_matrix_.shape[1]:
            points = self._place(self.dist_matrix_.T)
        self.embedding_ = points

    def _by_blocks(self, n: int, k: int) -> bool:
        return self.eigen_solver == "auto" and iterated(n, k)

    def _place(self, lengths: np.ndarray) -> np.ndarray:
        return placed(lengths**2, self.square_means_, self.square_mean_, self._points, self.eigenvalues_)

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Points for rows, by way of their neighbours in the graph."""
        check_is_fitted(self)
        X = self._take(X, reset=False).astype(np.float64, copy=False)
        n = self.dist_matrix_.shape[1]
        if self.n_neighbors is not None:
            away, near = self.nbrs_.kneighbors(X, n_neighbors=min(self.n_neighbors, n))
            lengths = np.full((X.shape[0], len(self.dist_matrix_)), np.inf)
            for column in range(near.shape[1]):
                np.minimum(lengths, self.dist_matrix_[:, near[:, column]].T + away[:, [column]], out=lengths)
            return self._place(lengths)
        lengths = np.empty((X.shape[0], len(self.dist_matrix_)))
        found, indices = self.nbrs_.radius_neighbors(X)
        for row, (length, there) in enumerate(zip(found, indices, strict=True)):
            if not len(there):  # none within the radius: the nearest
                length, there = (part[0] for part in self.nbrs_.kneighbors(X[[row]], n_neighbors=1))
            lengths[row] = (self.dist_matrix_[:, there] + length).min(axis=1)
        return self._place(lengths)

    def reconstruction_error(self) -> float:
        """Root of the mean squared entry of the inner products that the columns leave over."""
        check_is_fitted(self)
        squares = (self.dist_matrix_[:, self.landmarks_] if hasattr(self, "landmarks_") else self.dist_matrix_) ** 2
        B = -0.5 * Centring(squares).of_self(squares)
        left = (B**2).sum() - (np.maximum(self.eigenvalues_, 0.0) ** 2).sum()
        return float(np.sqrt(max(left, 0.0)) / len(B))


def _times_squares(D: np.ndarray, V: np.ndarray) -> np.ndarray:
    """The squares of a matrix, times a block, without a matrix of squares."""
    n = len(D)
    out, rows = np.empty((n, V.shape[1])), max(1, min(n, _SQUARES // max(D.shape[1], 1)))
    room = np.empty((rows, D.shape[1]))
    for start in range(0, n, rows):
        part = room[: min(rows, n - start)]
        np.square(D[start : start + rows], out=part)
        np.dot(part, V, out=out[start : start + rows])
    return out


def _times_centred(D: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Inner products of the points (10.10), times a block."""
    out = _times_squares(D, V - V.mean(axis=0))
    return (out - out.mean(axis=0)) * -0.5
