"""Principal component analysis."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from lanatus.base import (
    Floats,
    Number,
    Takes,
    check_is_fitted,
    check_positive_weight,
    fitting,
)
from lanatus.catalog import method
from lanatus.params import Choice, Flag, Integer, Nothing, Real, rules_for
from lanatus.reduce._reducer import Reducer, settled
from lanatus.reduce.linear import _probabilistic
from lanatus.reduce.linear._decompose import (
    Axes,
    CentredRows,
    by_deflation,
    by_krylov,
    by_lanczos,
    by_power,
    by_scatter,
    by_svd,
)
from lanatus.reduce.linear._dimension import SPLITS, by_evidence, by_neighbours, by_share
from lanatus.reduce.linear._linear_reducer import coordinates, projected
from lanatus.reduce.linear._missing import completed, em_loadings
from lanatus.reduce.linear._scatter import RowScatter, scatter_of, tally_scatter
from lanatus.scale import blockwise, is_at_scale, open_engine

_NARROW = 1000  # columns up to which the scatter matrix is the fastest way
_SCATTERED = ("covariance_eigh", "deflation")  # solvers that need the rows only through sums
_PARTIAL = ("arpack", "randomized", "block_krylov")  # that find some axes, not all


@method(
    "reduce.pca",
    "reduce.pca-svd",
    "reduce.pca-deflation",
    "reduce.pca-dimension-choice",
    section="10.3",
    task="transform",
    en="Principal component analysis (PCA, KL expansion)",
    zh="主成分分析PCA",
    streams=True,
    peers=["scikit-learn:PCA"],
)
class PCA(Reducer):
    r"""Principal component analysis: the plane nearest to the rows, on which they also spread most.

    Maximises :math:`\operatorname{tr}(W^\top X X^\top W)` with :math:`W^\top W = I` (10.16) for centred rows; the axes
    solve :math:`X X^\top w_j = \lambda_j w_j` (10.17). Each axis has its entry of largest magnitude above zero.

    Book: section 10.3, figure 10.5, exercise 10.4; cookbook 9.1. Cost: :math:`O(nd^2 + d^3)` by the scatter matrix,
    :math:`O(nd \min(n, d))` by the SVD, :math:`O(ndk)` a product of "randomized" and "block_krylov".

    Parameters
    ----------
    n_components : int, float, "mle", "knn" or None, default=None
        Number of axes. A number between 0 and 1 is the share of the variance that they must hold, *t* of (10.18). "mle"
        is Minka's choice; "knn" takes the fewest of the best cross-validated score of k nearest neighbours, and needs
        y. None keeps all, min(n, d); less one for "arpack".
    copy : bool, default=True
        Taken for scikit-learn's sake; X is never written to.
    whiten : bool, default=False
        Whether coordinates are divided by their deviations. A direction without variance has coordinate 0.
    svd_solver : str, default="auto"
        "full", the SVD of the centred rows; "covariance_eigh", the eigenvectors of the scatter matrix; "deflation", one
        axis after the other, each taken off the scatter before the next; "arpack"; "randomized", a random subspace
        after some products with X; "block_krylov", the span of all those products. "auto" chooses by shape.
    tol : float, default=0.0
        Of "arpack"; 0 is that of the machine.
    iterated_power : int or "auto", default="auto"
        Products with X and its transpose of "randomized" and "block_krylov". "auto" is 7 for up to a tenth of the axes
        and 4 otherwise, and 3 for "block_krylov", which learns more of each.
    n_oversamples : int, default=10
        Columns of the random block beyond those asked for.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        What keeps the block of "randomized" from becoming one direction.
    random_state : int, RandomState or None, default=None
        Draws the block, or the start of "arpack".
    em_max_iter : int, default=1000
        Most rounds of EM, where values are missing.
    em_tol : float, default=1e-6
        EM stops when no covariance changes by more than this share of the mean variance.
    cv : int, splitter or list of pairs, default=5
        Folds for "knn": their number, what makes them, or rows to learn from and rows to ask.
    n_neighbors : int, default=5
        Neighbours for "knn".

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the axes, orthonormal, in the order of their variances
    explained_variance_ : ndarray of shape (n_components,), variances along them, with one degree of freedom less
    explained_variance_ratio_ : ndarray of shape (n_components,), their shares
    singular_values_ : ndarray of shape (n_components,), :math:`\sqrt{\lambda_j}` of (10.17)
    mean_ : ndarray of shape (n_features,), the mean
    n_components_ : int, number of axes
    n_samples_ : int, rows seen
    noise_variance_ : float, mean variance of the directions left out
    dimension_scores_ : dict, for "knn" the score of each number tried
    n_iter_ : int, rounds of EM, where values were missing
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    The book calls the scatter :math:`X X^\top` itself the covariance matrix; its eigenvalues are `singular_values_`
    squared. Weights count rows: 2 is a row that stands twice. Of missing values, the axes are those of the most
    probable model with noise, and ``transform`` puts what is expected into the holes. Sources and Dask collections are
    read once, through the scatter; ``partial_fit`` too adds to it, so that the order and the batches do not matter.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.reduce import PCA
    >>> X, _ = load_watermelon("3.0a", return_X_y=True)
    >>> pca = PCA(1).fit(X)
    >>> pca.components_.round(3).tolist(), pca.explained_variance_ratio_.round(3).tolist()
    ([[0.966, 0.26]], [0.685])

    References
    ----------
    Pearson (1901), On lines and planes of closest fit. Tipping and Bishop (1999), Probabilistic principal component
    analysis. Halko, Martinsson and Tropp (2011), Finding structure with randomness. Musco and Musco (2015), Randomized
    block Krylov methods.
    """

    _takes = Takes(missing=True, sparse=True)
    _state: ClassVar = {
        "components_": Floats("components", "columns"),
        "explained_variance_": Floats("components", low=0),
        "explained_variance_ratio_": Floats("components", low=0),
        "singular_values_": Floats("components", low=0),
        "mean_": Floats("columns"),
        "noise_variance_": Number(),
    }

    get_covariance, get_precision = _probabilistic.get_covariance, _probabilistic.get_precision
    score_samples, score = _probabilistic.score_samples, _probabilistic.score

    def __init__(
        self,
        n_components: Any = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: str = "auto",
        tol: float = 0.0,
        iterated_power: Any = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: Any = None,
        em_max_iter: int = 1000,
        em_tol: float = 1e-6,
        cv: Any = 5,
        n_neighbors: int = 5,
    ) -> None:
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.em_max_iter = em_max_iter
        self.em_tol = em_tol
        self.cv = cv
        self.n_neighbors = n_neighbors

    _params = rules_for(
        __init__,
        n_components=Integer(low=0) | Real(above=0, below=1) | Choice("mle", "knn") | Nothing(),
        copy=Flag(),
        whiten=Flag(),
        svd_solver=Choice("auto", "full", *_SCATTERED, *_PARTIAL),
        iterated_power=Choice("auto") | Integer(low=0),
        n_oversamples=Integer(low=1),
        power_iteration_normalizer=Choice("auto", "QR", "LU", "none"),
        em_max_iter=Integer(low=1),
        em_tol=Real(low=0),
        cv=SPLITS,
        n_neighbors=Integer(low=1),
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : array, sparse matrix, frame, scanned source or Dask collection of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,), optional
            Labels or numbers; looked at by ``n_components="knn"`` only.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        self
        """
        self.__dict__.pop("_sums", None)
        if is_at_scale(X):
            self._require_sums()
            engine = open_engine(self, X, sample_weight=sample_weight)
            return self._fit_sums(engine.reduce(_tally), engine.dtype, asked=True)
        X = self._take(X, reset=True)
        weight = self._weights(sample_weight, X)
        check_positive_weight(weight)
        if np.isnan(X.data if sp.issparse(X) else X).any():
            return self._fit_with_holes(X, y, weight)
        if isinstance(self.n_components, str) and self.n_components == "knn":
            self._choose_by_neighbours(X, y, weight)
        solver = self._solver(X)
        if solver in _SCATTERED:
            return self._fit_sums(scatter_of(X, weight), X.dtype, asked=False, solver=solver)
        return self._fit_rows(X, weight, solver)

    @fitting
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Go on learning from some more rows, exactly as if all had come at once.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows; none of their values may be missing.
        y : ignored
            There by convention.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        self
        """
        self._require_sums()
        first = not hasattr(self, "_sums")
        rows = self._take(X, reset=first)
        _refuse_holes(rows)
        sums = scatter_of(rows, self._weights(sample_weight, rows))
        return self._fit_sums(sums if first else self._sums + sums, rows.dtype, asked=True)

    # ------------------------------------------------------------ the ways to the axes

    def _solver(self, X: Any) -> str:
        n, d = X.shape
        if self.svd_solver != "auto":
            if sp.issparse(X) and self.svd_solver == "full":
                raise ValueError("svd_solver='full' needs a dense matrix; of sparse rows take 'covariance_eigh'.")
            return self.svd_solver
        if sp.issparse(X):
            return "covariance_eigh" if d <= _NARROW or self._wanted(n, d) is None else "arpack"
        k = self._wanted(n, d)
        if d <= _NARROW and n >= 10 * d:
            return "covariance_eigh"
        return "randomized" if max(n, d) > 500 and k is not None and 1 <= k < 0.8 * min(n, d) else "full"

    def _wanted(self, n: int, d: int) -> int | None:
        """The number of axes, if it is given as one."""
        k = self.n_components
        if isinstance(k, str) and k == "knn":
            k = self._chosen
        if k is None or isinstance(k, str) or not isinstance(k, int | np.integer):
            return None
        if k > min(n, d):
            raise ValueError(
                f"n_components={k} must be between 0 and min(n_samples, n_features)={min(n, d)}; got {n} rows of {d}."
            )
        return int(k)

    def _choose_by_neighbours(self, X: Any, y: Any, weight: np.ndarray | None) -> None:
        if y is None:
            raise ValueError("n_components='knn' scores k nearest neighbours on y; got no y: pass it to fit.")
        if sp.issparse(X) or len(X) < 4:
            raise ValueError(f"n_components='knn' needs dense rows, 4 or more; got {X.shape}.")
        self._chosen, self.dimension_scores_ = by_neighbours(X, y, weight, self.cv, self.n_neighbors)

    def _fit_sums(self, sums: RowScatter, dtype: Any, *, asked: bool, solver: str = "covariance_eigh") -> Self:
        """Axes from weight, mean and scatter, which are kept where more rows may come."""
        if asked:
            solver = self.svd_solver if self.svd_solver in _SCATTERED else solver
            self._sums = sums
        check_positive_weight(sums.mass)
        d = len(sums.mean)
        k = self._wanted(sums.count, d)
        most = min(sums.count, d)
        find = by_deflation if solver == "deflation" else by_scatter
        axes = find(sums.scatter, most if k is None else k)
        return self._learn(axes, sums.mean, sums.mass, sums.count, float(np.trace(sums.scatter)), dtype)

    def _require_sums(self) -> None:
        if self.svd_solver not in ("auto", *_SCATTERED) or self.n_components == "knn":
            raise ValueError(
                f"svd_solver={self.svd_solver!r} with n_components={self.n_components!r} needs all rows at once; of "
                "sources, Dask collections and batches take svd_solver='covariance_eigh' and a number."
            )

    def _fit_rows(self, X: Any, weight: np.ndarray | None, solver: str) -> Self:
        """Axes from the rows themselves."""
        n, d = X.shape
        mass = float(n if weight is None else weight.sum())
        mean = _mean(X, weight, mass)
        rows = CentredRows(X, mean, weight)
        total = _total(rows, mean)
        if solver == "full":
            return self._learn(by_svd(rows), mean, mass, n, total, X.dtype)
        k = self._wanted(n, d)
        if k is None and self.n_components is not None:
            raise ValueError(
                f"n_components={self.n_components!r} cannot be a share or 'mle' with svd_solver={solver!r}, which "
                "finds some axes only; take 'full' or 'covariance_eigh'."
            )
        k = min(n, d) - (solver == "arpack") if k is None else k
        rng = check_random_state(self.random_state)
        if solver == "arpack":
            if not 1 <= k < min(n, d):
                raise ValueError(
                    f"n_components={k} must be from 1 to below min(n_samples, n_features)={min(n, d)} "
                    "with svd_solver='arpack'."
                )
            return self._learn(by_lanczos(rows, k, self.tol, rng), mean, mass, n, total, X.dtype)
        power = self.iterated_power
        if power == "auto":
            power = 3 if solver == "block_krylov" else 7 if k < 0.1 * min(n, d) else 4
        how: dict[str, Any] = {"oversamples": self.n_oversamples, "power": power, "rng": rng}
        if solver == "block_krylov":
            return self._learn(by_krylov(rows, k, **how), mean, mass, n, total, X.dtype)
        axes = by_power(rows, k, normalizer=self.power_iteration_normalizer, **how)
        return self._learn(axes, mean, mass, n, total, X.dtype)

    def _fit_with_holes(self, X: Any, y: Any, weight: np.ndarray | None) -> Self:
        """The most probable model of what is there, by EM; its covariance is then decomposed as that of whole rows."""
        if sp.issparse(X):
            raise ValueError("X is sparse and has NaN; what is missing can be found in dense rows only.")
        n, d = X.shape
        if isinstance(self.n_components, str) and self.n_components == "knn":
            raise ValueError(
                "n_components='knn' needs rows without missing values (NaN); impute them, or give a number."
            )
        k = self._wanted(n, d)
        inner = max(1, min(n, d) - 1 if k is None else min(k, max(d - 1, 1)))
        found = em_loadings(np.asarray(X, dtype=np.float64), weight, inner, max_iter=self.em_max_iter, tol=self.em_tol)
        self.n_iter_ = found.n_iter
        if not found.converged:
            warnings.warn(
                f"PCA's EM did not converge in {self.em_max_iter} rounds; raise em_max_iter or em_tol.",
                ConvergenceWarning,
                stacklevel=4,
            )
        mass = float(n if weight is None else weight.sum())
        covariance = (found.W @ found.W.T + found.noise * np.eye(d)) * _degrees(mass)
        axes = by_scatter(covariance, min(n, d) if k is None else k)
        return self._learn(axes, found.mean, mass, n, float(np.trace(covariance)), X.dtype)

    # ------------------------------------------------------------ what was learned

    def _learn(self, axes: Axes, mean: np.ndarray, mass: float, count: int, total: float, dtype: Any) -> Self:
        d = len(mean)
        squares = axes.squares
        k = self._wanted(count, d)
        if k is None:
            k = len(squares)
            if self.n_components == "mle":
                if count < d:
                    raise ValueError(f"n_components='mle' needs as many rows as columns; got {count} rows of {d}.")
                k = by_evidence(squares / _degrees(mass), mass)
            elif self.n_components is not None:
                k = by_share(squares, float(self.n_components))
        degrees = _degrees(mass)
        self.components_ = np.ascontiguousarray(settled(axes.components[:k], squares[:k]), dtype=dtype)
        self.explained_variance_ = (squares[:k] / degrees).astype(dtype)
        self.explained_variance_ratio_ = (squares[:k] / total if total > 0 else np.zeros(k)).astype(dtype)
        self.singular_values_ = np.sqrt(squares[:k]).astype(dtype)
        self.mean_ = np.asarray(mean).astype(dtype)
        left = max(total - float(squares[:k].sum()), 0.0)
        rank = min(count, d)
        self.noise_variance_ = left / degrees / (rank - k) if k < rank else 0.0
        self.n_components_, self.n_samples_ = k, count
        return self

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of each row along the axes."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        if not sp.issparse(X) and np.isnan(X).any():
            noise = float(self.noise_variance_)
            X = completed(X, self.mean_, self.components_, self.explained_variance_, noise).astype(X.dtype)
        Z = projected(X, self.mean_, self.components_)
        return Z / self._whitening(Z.dtype) if self.whiten else Z

    @blockwise
    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows on the plane of the axes that have these coordinates."""
        check_is_fitted(self)
        Z = coordinates(X, self.n_components_)
        if self.whiten:
            Z = Z * np.sqrt(self.explained_variance_)
        return np.asarray(Z @ self.components_ + self.mean_)

    def _whitening(self, dtype: Any) -> np.ndarray:
        return _deviations(self.explained_variance_).astype(dtype)

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)


def _tally(block: Any) -> RowScatter:
    _refuse_holes(block.X)
    return tally_scatter(block)


def _refuse_holes(X: Any) -> None:
    if np.isnan(X.data if sp.issparse(X) else X).any():
        raise ValueError(
            "X has missing values (NaN), which EM fills looking at all rows again and again; of batches, sources and "
            "Dask collections wanted whole rows: impute them, or fit on a sample in memory."
        )


def _degrees(mass: float) -> float:
    """Degrees of freedom of a variance; of a single row there is none, and the variance is 0."""
    return mass - 1 if mass > 1 else mass


def _deviations(variances: np.ndarray) -> np.ndarray:
    """What whitening divides by: infinite where there is no variance but rounding, so that the coordinate is 0."""
    tiny = np.finfo(variances.dtype).eps ** 2 * 100 * variances.max(initial=0.0)
    with np.errstate(divide="ignore"):
        return np.where(variances > tiny, np.sqrt(variances), np.inf)


def _mean(X: Any, weight: np.ndarray | None, mass: float) -> np.ndarray:
    if weight is not None:
        return np.asarray(weight @ X, dtype=np.float64).ravel() / mass
    return np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()


def _total(rows: CentredRows, mean: np.ndarray) -> float:
    """Sum of squares of the centred rows."""
    X, root = rows.X, rows.root
    if sp.issparse(X):
        w = np.ones(X.shape[0]) if root is None else root.astype(np.float64) ** 2
        squares = X.multiply(X).tocsr().astype(np.float64)
        return float((squares.T @ w).sum() - w.sum() * (mean**2).sum())
    total, step = 0.0, max(64, 2**20 // (X.itemsize * X.shape[1]))
    for start in range(0, len(X), step):
        part = X[start : start + step] - rows.mean
        if root is not None:
            part *= root[start : start + step, None]
        total += float(np.einsum("ij,ij->", part, part))
    return total
