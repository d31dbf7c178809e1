"""Multidimensional scaling by majorisation: metric and nonmetric."""

import warnings
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy.optimize import isotonic_regression
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from lanatus.base import Floats, Number, check_is_fitted, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.metric import squared_euclidean
from lanatus.params import Choice, Flag, Integer, Real, rules_for
from lanatus.reduce._reducer import Embedder
from lanatus.reduce.manifold._classical_mds import PARAMS, ClassicalMDS
from lanatus.reduce.manifold._distances import METRIC, distances, square_distances
from lanatus.scale import blockwise

_TINY = 1e-12  # share of the mean distance below which two points are one


@method(
    section="10.2",
    task="transform",
    en="Multidimensional scaling by majorisation (SMACOF)",
    zh="SMACOF多维缩放",
    peers=["scikit-learn:MDS"],
)
class MDS(CallbackSupportMixin, Embedder):
    r"""Points whose distances are nearest to those of the rows, by majorisation (SMACOF).

    Minimises the stress :math:`\sum_{i<j} (\lVert z_i - z_j \rVert - dist_{ij})^2`; each round puts every point at the
    mean of where the others want it (Guttman's transform), which never makes it worse. The nonmetric kind keeps the
    order of the distances only.

    Book: section 10.2, whose goal it takes at its word; `ClassicalMDS` solves figure 10.3's. Cost: :math:`O(n^2 d')` a
    round; memory :math:`O(n^2)`.

    Parameters
    ----------
    n_components : int, default=2
        Number of columns.
    metric_mds : bool, default=True
        Whether distances themselves are kept; otherwise their order.
    n_init : int, default=1
        Starts for ``init="random"``; that of the lowest stress is kept.
    init : {"classical_mds", "random"}, default="classical_mds"
        Where the points begin.
    max_iter : int, default=300
        Most rounds.
    verbose : bool, default=0
        Taken for scikit-learn's sake; callbacks say more.
    eps : float, default=1e-6
        Stops once the stress falls by less than this share.
    n_jobs : int or None, default=None
        Taken for scikit-learn's sake; threads are those of the kernels.
    random_state : int, RandomState or None, default=None
        Draws the starts.
    dissimilarity : {"euclidean", "precomputed", "deprecated"}, default="deprecated"
        The old name of `metric`.
    metric : str or callable, default="euclidean"
        The distance; "precomputed" where X is the matrix of distances.
    metric_params : dict or None, default=None
        Further parameters of the distance.
    normalized_stress : bool or "auto", default="auto"
        Whether `stress_` is Kruskal's stress-1; "auto" says so for the nonmetric kind.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), the points, about zero
    stress_ : float, the stress, or stress-1
    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples), the distances
    n_iter_ : int, rounds of the kept start
    rows_ : ndarray, the rows, for ``transform``; nothing of them where distances are precomputed
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    ``transform`` puts a new row where its own distances to the points have the least stress, beginning at the point of
    its nearest row; of precomputed distances it takes those to the rows of ``fit``. It knows distances themselves only.

    Examples
    --------
    >>> from lanatus.reduce import MDS
    >>> triangle = [[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]]
    >>> bool(MDS(2, metric="precomputed").fit(triangle).stress_ < 1e-9)
    True

    References
    ----------
    De Leeuw (1977), Applications of convex analysis to multidimensional scaling. Kruskal (1964), Nonmetric
    multidimensional scaling. Borg and Groenen (2005), Modern multidimensional scaling.
    """

    _state: ClassVar = {"embedding_": Floats("rows", "components"), "stress_": Number()}

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric_mds: bool = True,
        n_init: int = 1,
        init: Any = "classical_mds",
        max_iter: int = 300,
        verbose: int = 0,
        eps: float = 1e-6,
        n_jobs: int | None = None,
        random_state: Any = None,
        dissimilarity: str = "deprecated",
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        normalized_stress: Any = "auto",
    ) -> None:
        self.n_components = n_components
        self.metric_mds = metric_mds
        self.n_init = n_init
        self.init = init
        self.max_iter = max_iter
        self.verbose = verbose
        self.eps = eps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.dissimilarity = dissimilarity
        self.metric = metric
        self.metric_params = metric_params
        self.normalized_stress = normalized_stress

    _params = rules_for(
        __init__,
        n_components=Integer(low=1),
        metric_mds=Flag(),
        n_init=Integer(low=1),
        init=Choice("classical_mds", "random"),
        eps=Real(low=0),
        dissimilarity=Choice("euclidean", "precomputed", "deprecated"),
        metric=METRIC,
        metric_params=PARAMS,
        normalized_stress=Flag() | Choice("auto"),
    )

    @property
    def _metric(self) -> Any:
        return self.metric if self.dissimilarity == "deprecated" else self.dissimilarity

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._metric == "precomputed"
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None, init: Any = None) -> Self:
        """Find the points.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or (n_samples, n_samples) distances
            The rows.
        y : ignored
            There by convention.
        init : array of shape (n_samples, n_components), optional
            Where the points begin, instead of what the constructor says.

        Returns
        -------
        self
        """
        X = self._take(X, reset=True)
        D = square_distances(X, self._metric, self.metric_params)
        rng = check_random_state(self.random_state)
        best: tuple[float, np.ndarray, int, bool] | None = None
        starts = self._starts(D, rng, init)
        progress = Progress(self, D, restarts=len(starts), max_iter=self.max_iter)
        for start in starts:
            found = self._majorised(D, start, progress)
            if best is None or found[0] < best[0]:
                best = found
        assert best is not None
        self.stress_, points, self.n_iter_, converged = best
        self.embedding_ = points - points.mean(axis=0)
        if not converged:
            warnings.warn(
                f"MDS did not converge in {self.max_iter} iterations; raise max_iter or eps.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.dissimilarity_matrix_ = D
        self.rows_ = np.empty((0, 0)) if self._metric == "precomputed" else X.copy()
        progress.finish({"embedding_": self.embedding_, "stress_": self.stress_, "n_iter_": self.n_iter_})
        return self

    def _starts(self, D: np.ndarray, rng: np.random.RandomState, init: Any) -> list[np.ndarray]:
        n, k = len(D), self.n_components
        if init is not None:
            given = np.array(init, dtype=np.float64)
            if given.shape != (n, k) or not np.isfinite(given).all():
                raise ValueError(f"init must be finite and of shape {(n, k)}; got shape {given.shape}.")
            return [given]
        if self.init == "classical_mds":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # distances of no points are what this method is for
                return [ClassicalMDS(k, metric="precomputed").fit(D).embedding_]
        return [rng.uniform(size=(n, k)) * float(D.max(initial=1.0)) for _ in range(self.n_init)]

    def _majorised(self, D: np.ndarray, Z: np.ndarray, progress: Progress) -> tuple[float, np.ndarray, int, bool]:
        n = len(D)
        total, before = float((D**2).sum()) / 2, np.inf
        normalized = (not self.metric_mds) if self.normalized_stress == "auto" else bool(self.normalized_stress)
        away, wanted, stress = _apart(Z), D, 0.0
        n_iter, scale, converged = 0, 0.0, False
        for iteration in progress.iterations():
            n_iter = iteration.number + 1
            if not self.metric_mds:
                wanted = _ordered(D, away, total)
            Z = _guttman(Z, away, wanted, n)
            away = _apart(Z)
            stress = float(((away - wanted) ** 2).sum()) / 2
            scale = float((away**2).sum()) / 2
            said = {"embedding_": Z, "stress_": stress, "n_iter_": n_iter}
            iteration.done(state=partial(dict, said), attributes=partial(dict, said))
            converged = not scale > 0 or before - stress <= self.eps * scale or iteration.stop
            if converged:
                break
            before = stress
        return (np.sqrt(stress / scale) if scale > 0 else 0.0) if normalized else stress, Z, n_iter, converged

    def fit_transform(self, X: Any, y: Any = None, init: Any = None) -> np.ndarray:
        """Find the points.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or (n_samples, n_samples) distances
            The rows.
        y : ignored
            There by convention.
        init : array of shape (n_samples, n_components), optional
            Where the points begin.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            `embedding_`.
        """
        return np.array(self.fit(X, y, init=init).embedding_)

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Points for rows, by their distances to the rows of ``fit``; the others stay where they are."""
        check_is_fitted(self)
        D = distances(self._take(X, reset=False), self.rows_, self._metric, self.metric_params)
        points = np.ascontiguousarray(self.embedding_)
        near = D.argmin(axis=1)
        Z = points[near].copy()
        moving = np.flatnonzero(D[np.arange(len(D)), near] > 0)  # a row of fit has its own point
        small = self.eps * float(np.abs(points).max(initial=0.0))
        for _ in range(self.max_iter):
            if not len(moving):
                break
            here, wanted = Z[moving], D[moving]
            lengths = np.sqrt(squared_euclidean(here, points))
            ratio = np.divide(wanted, lengths, out=np.zeros_like(lengths), where=lengths > 0)
            Z[moving] = (ratio.sum(axis=1)[:, None] * here - ratio @ points) / len(points) + points.mean(axis=0)
            moving = moving[np.abs(Z[moving] - here).max(axis=1) > small]
        return Z


def _apart(Z: np.ndarray) -> np.ndarray:
    Z = np.ascontiguousarray(Z)
    squares = squared_euclidean(Z, Z)
    np.fill_diagonal(squares, 0.0)
    return np.sqrt(squares)


def _guttman(Z: np.ndarray, away: np.ndarray, wanted: np.ndarray, n: int) -> np.ndarray:
    """Every point at the mean of where the others want it."""
    ratio = np.divide(wanted, away, out=np.zeros_like(away), where=away > _TINY * max(float(away.max()), 1e-300))
    return (ratio.sum(axis=1)[:, None] * Z - ratio @ Z) / n


def _ordered(D: np.ndarray, away: np.ndarray, total: float) -> np.ndarray:
    """The lengths nearest to those of the points that have the order of the distances, at the size of the latter."""
    upper = np.triu_indices(len(D), 1)
    given, now = D[upper], away[upper]
    order = np.lexsort((now, given))  # of equal distances the nearer points first
    fitted = np.empty_like(now)
    fitted[order] = isotonic_regression(now[order]).x if len(now) else now
    size = float((fitted**2).sum())
    fitted *= np.sqrt(total / size) if size > 0 else 1.0
    wanted = np.zeros_like(D)
    wanted[upper] = fitted
    return wanted + wanted.T
