"""Locally linear embedding, and its relatives by tangents and curvatures."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from lanatus.base import Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.graph import components_of, undirected
from lanatus.neighbors import NearestNeighbors
from lanatus.params import Choice, Integer, Real, rules_for
from lanatus.reduce._reducer import Embedder, padded
from lanatus.reduce.manifold._isomap_graph import repaired, search_for
from lanatus.reduce.manifold._local_weights import (
    assembled,
    barycentre_weights,
    flat_vectors,
    hessian_blocks,
    modified_blocks,
    rebuilt_points,
    residual_matrix,
    tangent_blocks,
)
from lanatus.scale import blockwise


@method(
    "reduce.lle",
    "reduce.ltsa",
    "reduce.lle-out-of-sample",
    section="10.5.2",
    task="transform",
    en="Locally linear embedding",
    zh="局部线性嵌入LLE",
    peers=["scikit-learn:LocallyLinearEmbedding"],
)
class LocallyLinearEmbedding(Embedder):
    r"""Points that their neighbours rebuild with the same weights as the rows.

    Weights :math:`w_{ij}` that sum to 1 rebuild each row from its neighbours (10.27, 10.28); the points are the
    eigenvectors of the smallest eigenvalues of :math:`M = (I - W)^\top (I - W)` (10.30), but for the constant one,
    which the book does not mention. `method` chooses relatives that keep more of the surface.

    Book: section 10.5.2, figure 10.10, exercise 10.9; section 10.7 for LTSA; cookbook 9.4.
    Cost: the search, :math:`O(n k^3)` for the weights, a sparse factorisation of M; "modified" and "hessian" more.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of each row. With fewer rows, all others.
    n_components : int, default=2
        Number of columns.
    reg : float, default=1e-3
        Share of the trace that makes the local matrices regular.
    eigen_solver : {"auto", "arpack", "dense"}, default="auto"
        Lanczos' iteration about zero, or all eigenvectors at once; "auto" chooses by size.
    tol : float, default=1e-6
        Of "arpack".
    max_iter : int, default=100
        Of "arpack".
    method : {"standard", "hessian", "modified", "ltsa"}, default="standard"
        Weights; second derivatives, which need ``n_neighbors > n_components * (n_components + 3) / 2``; several weights
        a row, ``n_neighbors >= n_components``; or local tangent planes, ``n_neighbors > n_components``.
    hessian_tol : float, default=1e-4
        Sums below it do not scale the estimates of "hessian".
    modified_tol : float, default=1e-12
        Of "modified".
    neighbors_algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        How neighbours are found; they are the same.
    random_state : int, RandomState or None, default=None
        Draws the start of "arpack".
    n_jobs : int or None, default=None
        Threads for the search; None and -1 are all that there are.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), the points, columns of length one
    reconstruction_error_ : float, the sum of the eigenvalues
    nbrs_ : NearestNeighbors, the rows, ready to be searched
    rows_ : ndarray, the rows
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    ``transform`` rebuilds a new row from its neighbours in ``fit``, and applies the weights to their points (exercise
    10.9); a row of ``fit`` gets its own. Where the graph of neighbours is in parts, a row of each gets the nearest row
    of another as its last neighbour, and a warning says so. "hessian" is that of the paper, which keeps the columns of
    second derivatives alone; scikit-learn's keeps all that is at right angles to the tangent plane, and so gives what
    "ltsa" gives. Each column has its entry of largest magnitude above zero.

    Examples
    --------
    >>> from lanatus.data import make_s_curve
    >>> from lanatus.reduce import LocallyLinearEmbedding
    >>> X, t = make_s_curve(300, random_state=0)
    >>> Z = LocallyLinearEmbedding(n_neighbors=10, method="ltsa").fit_transform(X)
    >>> import numpy as np
    >>> bool(max(abs(np.corrcoef(Z[:, j], t)[0, 1]) for j in range(2)) > 0.98)
    True

    References
    ----------
    Roweis and Saul (2000), Nonlinear dimensionality reduction by locally linear embedding. Donoho and Grimes (2003),
    Hessian eigenmaps. Zhang and Wang (2006), MLLE. Zhang and Zha (2004), Local tangent space alignment.
    """

    _state: ClassVar = {"embedding_": Floats("rows", "components"), "rows_": Floats("rows", "columns")}

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        n_components: int = 2,
        reg: float = 1e-3,
        eigen_solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 100,
        method: str = "standard",
        hessian_tol: float = 1e-4,
        modified_tol: float = 1e-12,
        neighbors_algorithm: str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.reg = reg
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.method = method
        self.hessian_tol = hessian_tol
        self.modified_tol = modified_tol
        self.neighbors_algorithm = neighbors_algorithm
        self.random_state = random_state
        self.n_jobs = n_jobs

    _params = rules_for(
        __init__,
        n_neighbors=Integer(low=1),
        n_components=Integer(low=1),
        reg=Real(low=0),
        eigen_solver=Choice("auto", "arpack", "dense"),
        method=Choice("standard", "hessian", "modified", "ltsa"),
        hessian_tol=Real(low=0),
        modified_tol=Real(low=0),
        neighbors_algorithm=Choice("auto", "brute", "kd_tree", "ball_tree"),
    )

    nbrs_: NearestNeighbors

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        X = np.array(self._take(X, reset=True), dtype=np.float64)
        n = len(X)
        k = min(self.n_neighbors, n - 1)
        self.nbrs_, self.rows_ = search_for(self, X), X
        self._require_neighbours()
        if n <= 2 or self._too_few(k):
            self.embedding_ = padded(np.zeros((n, 0)), self.n_components)
            self.reconstruction_error_ = 0.0
            return self
        near = self._joined(self.nbrs_.kneighbors(n_neighbors=k, return_distance=False), X)
        start = check_random_state(self.random_state).uniform(-1, 1, n)
        M = self._matrix(X, near)
        how = (self.n_components, self.eigen_solver, self.tol, self.max_iter, start)
        vectors, values = flat_vectors(M, *how, is_root=self.method == "standard")
        self.embedding_ = padded(vectors, self.n_components)
        self.reconstruction_error_ = float(values.sum())
        return self

    def _least_neighbours(self) -> int:
        d = self.n_components
        return {"standard": 1, "modified": d, "ltsa": d + 1, "hessian": d * (d + 3) // 2 + 1}[self.method]

    def _require_neighbours(self) -> None:
        if self.n_neighbors < self._least_neighbours():
            raise ValueError(
                f"method={self.method!r} with n_components={self.n_components} needs n_neighbors >= "
                f"{self._least_neighbours()}; got {self.n_neighbors}."
            )

    def _too_few(self, k: int) -> bool:
        if k >= self._least_neighbours():
            return False
        warnings.warn(
            f"method={self.method!r} needs {self._least_neighbours()} neighbours, {len(self.rows_)} rows have {k} "
            "each; all points are put at zero.",
            stacklevel=4,
        )
        return True

    def _joined(self, near: np.ndarray, X: np.ndarray) -> np.ndarray:
        """Neighbours, of which the last ones lead to the nearest row of another part where the graph is in parts."""
        n, k = near.shape
        graph = sp.csr_array((np.ones(n * k), near.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
        if components_of(graph)[0] == 1:
            return near
        warnings.warn(
            "the graph of neighbours is in parts; the nearest rows of different parts count as neighbours. More "
            "neighbours may do so better; or embed the parts one by one.",
            stacklevel=4,
        )
        near = near.copy()
        before = undirected(graph)
        edges, _ = repaired(graph, X, "mst", "euclidean", 2, None)
        new = sp.coo_array(edges - edges.multiply(before.astype(bool)))
        place = np.full(n, k)
        for i, j in zip(new.row, new.col, strict=True):
            place[i] = max(place[i] - 1, 0)
            near[i, place[i]] = j
        return near

    def _matrix(self, X: np.ndarray, near: np.ndarray) -> Any:
        d = self.n_components
        if self.method == "standard":
            return residual_matrix(near, barycentre_weights(X, X, near, self.reg))
        if self.method == "modified":
            places, blocks = modified_blocks(X, near, d, self.reg, self.modified_tol)
            return assembled(places, blocks, len(X))
        blocks = tangent_blocks(X, near, d) if self.method == "ltsa" else hessian_blocks(X, near, d, self.hessian_tol)
        return assembled(near, blocks, len(X))

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Points for rows, by the weights that rebuild them from their neighbours in ``fit``."""
        check_is_fitted(self)
        X = np.asarray(self._take(X, reset=False), dtype=np.float64)
        n = len(self.rows_)
        away, near = self.nbrs_.kneighbors(X, n_neighbors=min(self.n_neighbors, n))
        return rebuilt_points(X, self.rows_, away, near, self.reg, self.embedding_)
