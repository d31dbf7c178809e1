"""UMAP: points whose fuzzy graph of neighbours is that of the rows."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.optimize import curve_fit
from sklearn.utils import check_random_state

from lanatus._core import core
from lanatus._core import reduce as kernels
from lanatus.base import Floats, Integers, Number, Takes, check_is_fitted, fitting, n_threads, threads_of
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.graph import components_of, laplacian_eigenvectors
from lanatus.neighbors import NEIGHBOR_RULES, NearestNeighbors
from lanatus.params import Array, Choice, Integer, Nothing, Real, rules_for
from lanatus.reduce._reducer import Embedder, padded
from lanatus.reduce.linear._pca import PCA
from lanatus.reduce.manifold._affinities import as_edges, known, neighbour_distances, new_distances
from lanatus.scale import blockwise

_MANY = 10_000  # rows from which fewer rounds are enough


@method(
    section="10.7",
    task="transform",
    en="Uniform manifold approximation and projection (UMAP)",
    zh="均匀流形逼近与投影UMAP",
    peers=["umap-learn:UMAP"],
)
class UMAP(CallbackSupportMixin, Embedder):
    r"""UMAP: points in few columns, laid out by the weighted graph of neighbours of the rows.

    Minimises the cross entropy of weights :math:`v` among the rows, from distances beyond the nearest neighbour, and
    :math:`w_{ij} = (1 + a \lVert y_i - y_j \rVert^{2b})^{-1}` among the points: edges pull, points drawn at random
    push.

    Book: section 10.7, where manifold learning goes on. Kernel: ``cpp/reduce/umap.hpp``. Cost: the search for
    neighbours, and :math:`O(nk)` a round, at most.

    Parameters
    ----------
    n_neighbors : int, default=15
        Neighbours of each row, itself among them; few show detail, many the whole. With fewer rows, all.
    n_components : int, default=2
        Number of columns.
    metric : str or callable, default="euclidean"
        The distance; "precomputed" where X is the matrix of distances.
    metric_params : dict or None, default=None
        Further parameters of the distance.
    n_epochs : int or None, default=None
        Rounds; None is 500 for up to 10 000 rows and 200 for more.
    learning_rate : float, default=1.0
        Size of the first steps; it falls to zero.
    init : {"spectral", "pca", "random"} or array of shape (n_samples, n_components), default="spectral"
        Where the points begin: Laplacian eigenmaps of the graph, or "pca" where it is in parts; the first principal
        components; drawn; or given.
    min_dist : float, default=0.1
        How near points may come to each other; at most `spread`.
    spread : float, default=1.0
        The scale of the points.
    set_op_mix_ratio : float, default=1.0
        1 keeps an edge that either of its ends has, 0 one that both have.
    local_connectivity : float, default=1.0
        So many of the nearest neighbours are joined in full.
    repulsion_strength : float, default=1.0
        How hard points push.
    negative_sample_rate : int, default=5
        Points drawn to push for each edge that pulls.
    a, b : float or None, default=None
        Of w; None fits them to `min_dist` and `spread`.
    random_state : int, RandomState or None, default=None
        Draws the points that push, and the start where it is drawn.
    n_jobs : int or None, default=None
        Threads; None and -1 are all that there are. The points do not depend on their number.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), float32, the points
    edges_ : ndarray of shape (n_edges, 2), int32, the edges of the graph, each both ways
    weights_ : ndarray of shape (n_edges,), their weights v
    graph_ : sparse array of shape (n_samples, n_samples), the same
    a_, b_ : float, of w
    n_epochs_ : int, rounds
    nbrs_ : NearestNeighbors, the rows, ready to be searched by ``transform``
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Neighbours are exact. In a round every point moves by its own edges, from where the others were when it began, so
    that the same seed gives the same points with any number of threads. ``transform`` gives a row of ``fit`` its point,
    begins at the weighted mean of a new row's neighbours and goes on for a third of the rounds; the points of ``fit``
    stay. Labels are not looked at.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.reduce import UMAP
    >>> X = np.vstack([np.eye(8) * 0.1, np.eye(8) * 0.1 + 5])
    >>> UMAP(n_neighbors=5, random_state=0).fit_transform(X).shape
    (16, 2)

    References
    ----------
    McInnes, Healy and Melville (2018), UMAP: Uniform manifold approximation and projection for dimension reduction.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {
        "embedding_": Floats("rows", "components"),
        "edges_": Integers("edges", 2, below="rows"),
        "weights_": Floats("edges"),
        "a_": Number(),
        "b_": Number(),
    }

    def __init__(
        self,
        n_neighbors: int = 15,
        n_components: int = 2,
        *,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        n_epochs: int | None = None,
        learning_rate: float = 1.0,
        init: Any = "spectral",
        min_dist: float = 0.1,
        spread: float = 1.0,
        set_op_mix_ratio: float = 1.0,
        local_connectivity: float = 1.0,
        repulsion_strength: float = 1.0,
        negative_sample_rate: int = 5,
        a: float | None = None,
        b: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.init = init
        self.min_dist = min_dist
        self.spread = spread
        self.set_op_mix_ratio = set_op_mix_ratio
        self.local_connectivity = local_connectivity
        self.repulsion_strength = repulsion_strength
        self.negative_sample_rate = negative_sample_rate
        self.a = a
        self.b = b
        self.random_state = random_state
        self.n_jobs = n_jobs

    _params = rules_for(
        __init__,
        n_neighbors=Integer(low=2),
        n_components=Integer(low=1),
        metric=NEIGHBOR_RULES["metric"],
        metric_params=NEIGHBOR_RULES["metric_params"],
        n_epochs=Integer(low=1) | Nothing(),
        learning_rate=Real(above=0, below=np.inf),
        init=Choice("spectral", "pca", "random") | Array(ndim=2),
        min_dist=Real(low=0),
        spread=Real(above=0, below=np.inf),
        set_op_mix_ratio=Real(low=0, high=1),
        local_connectivity=Real(low=0),
        repulsion_strength=Real(low=0),
        negative_sample_rate=Integer(low=0),
        a=Real(above=0, below=np.inf) | Nothing(),
        b=Real(above=0, below=np.inf) | Nothing(),
        n_jobs=Integer() | Nothing(),
    )

    nbrs_: NearestNeighbors

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Lay out the rows of X.

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
        if self.min_dist > self.spread:
            raise ValueError(f"min_dist must be at most spread; got {self.min_dist} and {self.spread}.")
        X = self._take(X, reset=True)
        rng = check_random_state(self.random_state)
        self._seed = int(rng.randint(2**31))
        self.a_, self.b_ = _curve(self.spread, self.min_dist)
        self.a_ = self.a_ if self.a is None else float(self.a)
        self.b_ = self.b_ if self.b is None else float(self.b)
        self.n_epochs_ = self.n_epochs or (500 if X.shape[0] <= _MANY else 200)
        with threads_of(self.n_jobs):
            graph = self._fuzzy_graph(X)
            self.embedding_ = self._laid_out(graph, self._start(X, graph, rng))
        self.edges_ = np.column_stack(graph.nonzero()).astype(np.int32)
        self.weights_ = graph.data.copy()
        return self

    def _fuzzy_graph(self, X: Any) -> sp.csr_array:
        n = X.shape[0]
        k = min(self.n_neighbors, n) - 1
        if k == 0:
            self.nbrs_ = NearestNeighbors(n_neighbors=1, metric=self.metric, metric_params=self.metric_params).fit(X)
            return sp.csr_array((n, n))
        self.nbrs_, away, near = neighbour_distances(X, k, self.metric, self.metric_params, self.n_jobs)
        v = kernels.fuzzy_weights(away, connectivity=float(self.local_connectivity), n_threads=n_threads())
        one_way = as_edges(v, near, n)
        both = one_way.multiply(one_way.T)
        mix = float(self.set_op_mix_ratio)
        graph = sp.csr_array(mix * (one_way + one_way.T - both) + (1 - mix) * both)
        graph.eliminate_zeros()
        return graph

    def _start(self, X: Any, graph: sp.csr_array, rng: np.random.RandomState) -> np.ndarray:
        n, k = X.shape[0], self.n_components
        if not isinstance(self.init, str):
            given = np.array(self.init, dtype=np.float32, order="C")
            if given.shape != (n, k) or not np.isfinite(given).all():
                raise ValueError(f"init must be finite and of shape {(n, k)}; got shape {given.shape}.")
            return given
        Z = np.zeros((n, k))
        if self.init == "spectral" and n > k + 1 and components_of(graph)[0] == 1:
            Z = laplacian_eigenvectors(graph, k + 1, tol=1e-4, start=rng.uniform(-1, 1, n))[1][:, 1:]
        elif self.init != "random" and self.metric != "precomputed":
            found = min(k, *X.shape)
            Z = padded(PCA(found, random_state=rng).fit_transform(X.astype(np.float64)), k)
        size = np.abs(Z).max(initial=0.0)
        if not size > 0:
            return np.asarray(rng.uniform(-10, 10, (n, k)), dtype=np.float32)
        return np.ascontiguousarray(Z / size * 10 + 1e-4 * rng.standard_normal((n, k)), dtype=np.float32)

    def _laid_out(self, graph: sp.csr_array, Y: np.ndarray) -> np.ndarray:
        low, high = Y.min(axis=0), Y.max(axis=0)
        wide = np.where(high > low, high - low, 1)
        Y = np.ascontiguousarray((Y - low) / wide * 10, dtype=np.float32) if isinstance(self.init, str) else Y
        rate = _rates(graph, float(graph.data.max(initial=0.0)), self.n_epochs_)
        keys = np.arange(len(Y), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(self._seed)
        progress = Progress(self, Y, max_iter=self.n_epochs_)
        for iteration in progress.iterations():
            self._round(rate, Y.copy(), keys, Y, iteration.number, self.n_epochs_, moving=True)
            iteration.done(state=partial(dict, embedding_=Y), attributes=partial(self._now, Y))
            if iteration.stop:
                break
        progress.finish(self._now(Y))
        if not np.isfinite(Y).all():
            raise ValueError(
                f"the points went to infinity with learning_rate={self.learning_rate!r}; take a smaller one."
            )
        return Y

    @property
    def graph_(self) -> sp.csr_array:
        """The weights of edges as a sparse array."""
        n = len(self.embedding_)
        return sp.csr_array((self.weights_, tuple(self.edges_.T)), shape=(n, n))

    @staticmethod
    def _now(Y: np.ndarray) -> dict[str, Any]:
        return {"embedding_": Y.copy()}

    def _round(
        self, rate: Any, others: np.ndarray, keys: np.ndarray, Y: np.ndarray, number: int, rounds: int, *, moving: bool
    ) -> None:
        kernels.umap_round(
            core.csr(rate, sound=number > 0),
            others,
            keys,
            Y,
            round=number,
            step=float(self.learning_rate) * (1 - number / rounds),
            a=self.a_,
            b=self.b_,
            push=float(self.repulsion_strength),
            n_draws=int(self.negative_sample_rate),
            n_threads=n_threads(),
            moving=moving,
        )

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Points for rows, among those of ``fit``, which stay; each row by itself."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        points = np.ascontiguousarray(self.embedding_, dtype=np.float32)
        n = len(points)
        with threads_of(self.n_jobs):
            away, near = new_distances(self.nbrs_, X, min(self.n_neighbors, n))
            v = kernels.fuzzy_weights(away, connectivity=float(self.local_connectivity), n_threads=n_threads())
            total = v.sum(axis=1, keepdims=True)
            share = np.divide(v, total, out=np.full_like(v, 1 / v.shape[1]), where=total > 0)
            Y = np.asarray(np.einsum("ij,ijk->ik", share, points[near].astype(np.float64)), dtype=np.float32)
            rounds = max(self.n_epochs_ // 3, 1)
            edges = as_edges(v / np.maximum(v.max(axis=1, keepdims=True), 1e-300), near, n)
            rate = _rates(edges, 1.0, rounds)
            # Draws follow from what a row is near to, so that they do not depend on the rows asked about with it.
            odd = (near.astype(np.uint64) + np.uint64(1)) * np.uint64(0xD1B54A32D192ED03)
            keys = odd.sum(axis=1, dtype=np.uint64) + np.uint64(self._seed)
            for number in range(rounds):
                self._round(rate, points, keys, Y, number, rounds, moving=False)
        return known(Y, points, away, near)


def _rates(graph: sp.csr_array, most: float, rounds: int) -> sp.csr_array:
    """In what share of the rounds each edge is met: the heaviest always, those of less than one round never."""
    share = graph.data / most if most > 0 else graph.data
    kept = sp.csr_array(graph, dtype=np.float32, copy=True)
    kept.data = np.where(share * rounds >= 1, share, 0.0).astype(np.float32)
    kept.eliminate_zeros()
    kept.indices, kept.indptr = kept.indices.astype(np.int32), kept.indptr.astype(np.int32)
    return kept


def _curve(spread: float, min_dist: float) -> tuple[float, float]:
    """a and b of the smooth curve nearest to one that is 1 up to `min_dist` and falls exponentially from there."""
    x = np.linspace(0, spread * 3, 300)
    wanted = np.where(x < min_dist, 1.0, np.exp(-(x - min_dist) / spread))
    found, _ = curve_fit(lambda x, a, b: 1 / (1 + a * x ** (2 * b)), x, wanted, maxfev=10_000)
    return float(found[0]), float(found[1])
