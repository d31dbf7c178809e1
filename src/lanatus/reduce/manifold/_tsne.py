"""t-SNE: points whose neighbours are those of the rows."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from lanatus._core import core
from lanatus._core import reduce as kernels
from lanatus.base import Floats, Number, Takes, check_is_fitted, fitting, n_threads, threads_of
from lanatus.callbacks import CallbackSupportMixin, Progress, tell
from lanatus.catalog import method
from lanatus.neighbors import NEIGHBOR_RULES, NearestNeighbors
from lanatus.params import Array, Choice, Integer, Nothing, Real, rules_for
from lanatus.reduce._reducer import Embedder
from lanatus.reduce.linear._pca import PCA
from lanatus.reduce.manifold._affinities import as_edges, known, neighbour_distances, new_distances
from lanatus.scale import blockwise

_EXAGGERATED = 250  # rounds in which neighbours pull harder
_CHECKED = 50  # rounds between two looks at the divergence


@method(
    section="10.7",
    task="transform",
    en="t-distributed stochastic neighbour embedding (t-SNE)",
    zh="t分布随机邻域嵌入t-SNE",
    peers=["scikit-learn:TSNE", "openTSNE:TSNE"],
)
class TSNE(CallbackSupportMixin, Embedder):
    r"""t-SNE: points in few columns, such that who is near whom is as among the rows.

    Minimises :math:`\sum_{ij} p_{ij} \log (p_{ij} / q_{ij})`, where :math:`p_{j|i} \propto e^{-\lVert x_i - x_j
    \rVert^2 / 2 \sigma_i^2}` has the given perplexity, :math:`p_{ij}` is their mean both ways over n, and :math:`q_{ij}
    \propto (1 + \lVert y_i - y_j \rVert^2)^{-1}`.

    Book: section 10.7, where manifold learning goes on. Kernel: ``cpp/reduce/tsne.hpp``. Cost: the search for
    neighbours, and :math:`O(n \log n)` a round; :math:`O(n^2)` with ``method="exact"``.

    Parameters
    ----------
    n_components : int, default=2
        Number of columns; from 1 to 3 unless ``method="exact"``.
    perplexity : float, default=30.0
        The number of neighbours that count, so to speak; below the number of rows.
    early_exaggeration : float, default=12.0
        Times that neighbours pull harder in the first 250 rounds, so that clusters form.
    learning_rate : float or "auto", default="auto"
        Size of the steps; "auto" is n / `early_exaggeration` / 4, or 50 if that is more.
    max_iter : int, default=1000
        Most rounds, 250 or more.
    n_iter_without_progress : int, default=300
        Rounds without a lower divergence after which it stops; looked at every 50 rounds.
    min_grad_norm : float, default=1e-7
        It stops at a gradient shorter than this.
    metric : str or callable, default="euclidean"
        The distance; "precomputed" where X is the matrix of distances.
    metric_params : dict or None, default=None
        Further parameters of the distance.
    init : {"pca", "random"} or array of shape (n_samples, n_components), default="pca"
        Where the points begin: the first principal components, drawn, or given. "pca" needs rows, not distances.
    verbose : int, default=0
        Whether it tells how it gets on.
    random_state : int, RandomState or None, default=None
        Draws the start, where it is drawn.
    method : {"barnes_hut", "exact"}, default="barnes_hut"
        Far points push together as their mean, or each for itself; and p knows the nearest rows only, or all.
    angle : float, default=0.5
        Under which a cell of points may be seen to be taken as its mean; from 0 to 1, smaller is more exact.
    n_jobs : int or None, default=None
        Threads; None and -1 are all that there are. The points do not depend on their number.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), float32, the points
    kl_divergence_ : float, the divergence at the end
    learning_rate_ : float, the learning rate used
    n_iter_ : int, the last round
    nbrs_ : NearestNeighbors, the rows, ready to be searched by ``transform``
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    ``transform`` gives a row of ``fit`` its point, places a new row at the mean of the points of its neighbours and
    lets them pull, while all points push; the points of ``fit`` stay, and other new rows do not matter. Distances
    between clusters say little, sizes of clusters nothing: the perplexity decides. Of very many columns take some fifty
    principal components first.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.reduce import TSNE, trustworthiness
    >>> X = np.random.default_rng(0).normal(size=(60, 5)) + np.repeat([[0.0], [9.0]], 30, axis=0)
    >>> points = TSNE(perplexity=8, random_state=0).fit_transform(X)
    >>> bool(trustworthiness(X, points) > 0.9)
    True

    References
    ----------
    Van der Maaten and Hinton (2008), Visualizing data using t-SNE. Van der Maaten (2014), Accelerating t-SNE using
    tree-based algorithms. Poličar, Stražar and Zupan (2023), Embedding to reference t-SNE space.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {"embedding_": Floats("rows", "components"), "kl_divergence_": Number()}

    def __init__(
        self,
        n_components: int = 2,
        *,
        perplexity: float = 30.0,
        early_exaggeration: float = 12.0,
        learning_rate: Any = "auto",
        max_iter: int = 1000,
        n_iter_without_progress: int = 300,
        min_grad_norm: float = 1e-7,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        init: Any = "pca",
        verbose: int = 0,
        random_state: Any = None,
        method: str = "barnes_hut",
        angle: float = 0.5,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.perplexity = perplexity
        self.early_exaggeration = early_exaggeration
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.n_iter_without_progress = n_iter_without_progress
        self.min_grad_norm = min_grad_norm
        self.metric = metric
        self.metric_params = metric_params
        self.init = init
        self.verbose = verbose
        self.random_state = random_state
        self.method = method
        self.angle = angle
        self.n_jobs = n_jobs

    _params = rules_for(
        __init__,
        n_components=Integer(low=1),
        perplexity=Real(above=0, below=np.inf),
        early_exaggeration=Real(low=1),
        learning_rate=Choice("auto") | Real(above=0, below=np.inf),
        max_iter=Integer(low=250),
        n_iter_without_progress=Integer(low=-1),
        min_grad_norm=Real(low=0),
        metric=NEIGHBOR_RULES["metric"],
        metric_params=NEIGHBOR_RULES["metric_params"],
        init=Choice("pca", "random") | Array(ndim=2),
        verbose=Integer(low=0),
        method=Choice("barnes_hut", "exact"),
        angle=Real(low=0, high=1),
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
        """Place the rows of X.

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
        X = self._take(X, reset=True)
        n = X.shape[0]
        if self.perplexity >= n > 1:
            raise ValueError(
                f"perplexity must be less than n_samples; got perplexity={self.perplexity}, n_samples={n}."
            )
        if self.n_components > 3 and self.method != "exact":
            raise ValueError(
                f"n_components={self.n_components} with method='barnes_hut', whose cells have up to 3 columns; take "
                "method='exact'."
            )
        with threads_of(self.n_jobs):
            start = self._start(X)
            P = self._joint(X, n)
            rate = self.learning_rate
            if rate == "auto":
                rate = max(n / self.early_exaggeration / 4, 50.0)
            self.learning_rate_ = float(rate)
            self.embedding_, self.kl_divergence_, self.n_iter_ = self._descend(P, start)
        return self

    def _start(self, X: Any) -> np.ndarray:
        n, k = X.shape[0], self.n_components
        if not isinstance(self.init, str):
            given = np.array(self.init, dtype=np.float32, order="C")
            if given.shape != (n, k) or not np.isfinite(given).all():
                raise ValueError(f"init must be finite and of shape {(n, k)}; got shape {given.shape}.")
            return given
        rng = check_random_state(self.random_state)
        if self.init == "random":
            return np.asarray(1e-4 * rng.standard_normal((n, k)), dtype=np.float32)
        if self.metric == "precomputed":
            raise ValueError(
                "init='pca' with metric='precomputed': there are no rows to find components of; take 'random'."
            )
        found = min(k, *X.shape)
        Z = np.zeros((n, k))
        Z[:, :found] = PCA(found, random_state=rng).fit_transform(X.astype(np.float64))
        spread = Z[:, 0].std()
        if not spread > 0:  # all rows alike
            return np.asarray(1e-4 * rng.standard_normal((n, k)), dtype=np.float32)
        return np.ascontiguousarray(Z / spread * 1e-4, dtype=np.float32)

    def _joint(self, X: Any, n: int) -> sp.csr_array:
        """p of all pairs that are neighbours of each other one way or the other."""
        k = n - 1 if self.method == "exact" else min(n - 1, int(3 * self.perplexity + 1))
        if k == 0:
            self.nbrs_ = NearestNeighbors(n_neighbors=1, metric=self.metric, metric_params=self.metric_params).fit(X)
            return sp.csr_array((n, n), dtype=np.float32)
        self.nbrs_, away, near = neighbour_distances(X, k, self.metric, self.metric_params, self.n_jobs)
        p = kernels.perplexities(away**2, perplexity=min(float(self.perplexity), float(k)), n_threads=n_threads())
        one_way = as_edges(p, near, n)
        P = sp.csr_array(one_way + one_way.T)
        P.data /= max(P.data.sum(), np.finfo(np.float64).tiny)
        return P

    def _descend(self, P: sp.csr_array, Y: np.ndarray) -> tuple[np.ndarray, float, int]:
        """Descent with momentum, and a gain for each coordinate that grows while its gradient keeps its sign."""
        slope = _Slope(P, self.angle if self.method == "barnes_hut" else 0.0)
        step, gains = np.zeros_like(Y), np.ones_like(Y)
        best, best_at, loss, last = np.inf, 0, np.nan, 0
        progress = Progress(self, Y, max_iter=self.max_iter)
        for iteration in progress.iterations():
            last = iteration.number
            early = last < _EXAGGERATED
            look = (last + 1) % _CHECKED == 0
            gradient, seen = slope(Y, self.early_exaggeration if early else 1.0, look or progress.watched)
            loss = seen if look or progress.watched else loss
            turned = step * gradient < 0
            gains = np.maximum(np.where(turned, gains + 0.2, gains * 0.8), 0.01)
            step = (0.5 if early else 0.8) * step - np.float32(self.learning_rate_) * gains * gradient
            Y = np.asarray(Y + step, dtype=np.float32)
            said = {"embedding_": Y, "kl_divergence_": loss, "n_iter_": last}
            iteration.done(state=partial(dict, said), attributes=partial(dict, said))
            if iteration.stop:
                break
            if look:
                if self.verbose:
                    tell(f"TSNE: round {last + 1}, divergence {loss:.6f}")
                if last + 1 == _EXAGGERATED:
                    best, best_at = np.inf, last
                elif loss < best:
                    best, best_at = loss, last
                elif not early and last - best_at > self.n_iter_without_progress:
                    break
                if not early and float(np.linalg.norm(gradient)) <= self.min_grad_norm:
                    break
        loss = slope(Y, 1.0, True)[1]
        if not (np.isfinite(Y).all() and np.isfinite(loss)):
            raise ValueError(
                f"the points went to infinity with learning_rate={self.learning_rate!r}; take a smaller one, or 'auto'."
            )
        progress.finish({"embedding_": Y, "kl_divergence_": loss, "n_iter_": last})
        return Y, float(max(loss, 0.0)), last

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Points for rows, among those of ``fit``, which stay; each row by itself."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        points = np.ascontiguousarray(self.embedding_, dtype=np.float32)
        n = len(points)
        k = min(n, int(3 * self.perplexity + 1))
        with threads_of(self.n_jobs):
            away, near = new_distances(self.nbrs_, X, k)
            perplexity = min(float(self.perplexity), float(k))
            p = kernels.perplexities(away**2, perplexity=perplexity, n_threads=n_threads())
            Y = np.asarray(np.einsum("ij,ijk->ik", p, points[near].astype(np.float64)), dtype=np.float32)
            if self.n_components <= 3:
                Y = _settle(as_edges(p, near, n, dtype=np.float32), points, Y)
            return known(Y, points, away, near)


def _settle(edges: sp.csr_array, points: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """New points, after some steps among those that stay; none goes farther at once than the points spread."""
    view = core.csr(edges)
    most = np.float32(max(float(points.std(axis=0).max(initial=0.0)), 1e-6) * 0.1)
    step = np.zeros_like(Y)
    for _ in range(100):
        gradient = kernels.tsne_new_gradient(view, points, Y, n_threads=n_threads())
        step = np.clip(np.float32(0.5) * step - gradient, -most, most)
        Y = np.ascontiguousarray(Y + step, dtype=np.float32)
    return Y


class _Slope:
    """The gradient and the divergence at points: by cells in up to three columns, by all pairs in more."""

    def __init__(self, P: sp.csr_array, angle: float) -> None:
        p = P.data[P.data > 0]
        self._own = float((p * np.log(p)).sum())
        self._P, self._angle = P, angle
        self._view = core.csr(sp.csr_array(P, dtype=np.float32))

    def __call__(self, Y: np.ndarray, exaggeration: float, with_loss: bool) -> tuple[np.ndarray, float]:
        if Y.shape[1] > 3:
            return self._by_pairs(Y.astype(np.float64), exaggeration)
        how = {"exaggeration": exaggeration, "angle": self._angle, "with_loss": with_loss}
        if not np.isfinite(Y).all():
            return np.zeros_like(Y), np.inf
        gradient, loss = kernels.tsne_gradient(self._view, Y, **how, n_threads=n_threads())
        return gradient, self._own + loss if self._P.nnz else 0.0

    def _by_pairs(self, Y: np.ndarray, exaggeration: float) -> tuple[np.ndarray, float]:
        squares = (Y**2).sum(axis=1)
        q = 1 / (1 + np.maximum(squares[:, None] + squares - 2 * Y @ Y.T, 0.0))
        np.fill_diagonal(q, 0.0)
        total = max(float(q.sum()), np.finfo(np.float64).tiny)
        P = self._P.toarray()
        weights = (exaggeration * P - q / total) * q
        gradient = 4 * (weights.sum(axis=1)[:, None] * Y - weights @ Y)
        pairs = P > 0
        loss = self._own - float((P[pairs] * np.log(q[pairs] / total)).sum())
        return np.asarray(gradient, dtype=np.float32), loss
