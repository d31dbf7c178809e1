"""Principal components in the space of a kernel."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve, qr
from sklearn.utils import check_random_state

from lanatus.base import Floats, Number, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.kernel import GaussianKernel, Kernel, LaplacianKernel, LinearKernel, PolynomialKernel, SigmoidKernel
from lanatus.metric import unit_rows
from lanatus.params import COMMON, Choice, Flag, Function, Integer, Nothing, ParameterRule, Real, rules_for
from lanatus.reduce._reducer import Reducer, upright
from lanatus.reduce.manifold._classical_mds import PARAMS
from lanatus.reduce.manifold._distances import Centring, centred_rows, leading, require_memory
from lanatus.scale import blockwise

NAMES = ("linear", "poly", "rbf", "sigmoid", "cosine", "laplacian", "precomputed")
KERNEL_RULES: dict[str, ParameterRule] = {
    "kernel": Choice(*NAMES) | Function(),
    "gamma": Real(low=0, below=np.inf) | Nothing(),
    "degree": Integer(low=0),
    "coef0": Real(above=-np.inf, below=np.inf),
    "kernel_params": PARAMS,
}
_ZERO = 1e-12  # share of the largest eigenvalue below which one is rounding


def kernel_matrix(model: Any, X: Any, Y: Any, gamma: float) -> np.ndarray:
    """The kernel that the parameters of a model name, of each row of X and each of Y, finite and float64."""
    name: Any = model.kernel
    if isinstance(name, str) and name == "precomputed":
        K = np.array(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    elif isinstance(name, Kernel):
        K = name.pairs(X, Y)
    elif callable(name):
        K = _by_calls(name, X, Y, model.kernel_params or {})
    elif name == "cosine":
        K = LinearKernel().pairs(_directions(X), _directions(Y))
    else:
        K = _named(name, gamma, model).pairs(X, Y)
    K = np.asarray(K, dtype=np.float64)
    if not np.isfinite(K).all():
        raise ValueError(f"kernel {name!r} gives NaN or infinity; wanted finite numbers: scale X, or lower the degree.")
    return K


def _named(name: str, gamma: float, model: Any) -> Kernel:
    if name == "linear":
        return LinearKernel()
    if name == "poly":
        return PolynomialKernel(model.degree, gamma, model.coef0)
    if name == "sigmoid":
        return SigmoidKernel(gamma, model.coef0)
    if name == "laplacian":
        return LaplacianKernel(1 / gamma if gamma > 0 else np.finfo(float).max, norm="l1")
    return GaussianKernel(np.sqrt(0.5 / gamma) if gamma > 0 else np.inf)


def _directions(X: Any) -> Any:
    if sp.issparse(X):
        return unit_rows(X)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths > 0, lengths, 1.0)


def _by_calls(function: Callable[..., Any], X: Any, Y: Any, params: dict[str, Any]) -> np.ndarray:
    if X is not Y:
        return np.array([[float(function(x, y, **params)) for y in Y] for x in X]).reshape(X.shape[0], Y.shape[0])
    K = np.empty((X.shape[0], X.shape[0]))
    for i in range(len(K)):
        for j in range(i + 1):
            K[i, j] = K[j, i] = float(function(X[i], X[j], **params))
    return K


@method(
    "reduce.kernel-pca",
    section="10.4",
    task="transform",
    en="Kernel PCA",
    zh="核主成分分析KPCA",
    peers=["scikit-learn:KernelPCA"],
)
class KernelPCA(Reducer):
    r"""Principal components of the rows as a kernel sees them: curved ones, of the rows themselves.

    The eigenvectors of the kernel matrix, :math:`K \alpha = \lambda \alpha` (10.24), give coordinates
    :math:`z_j = \sum_i \alpha_i^j \kappa(x_i, x)` (10.25), scaled so that the axes have length one. K is centred, which
    the book leaves out; without it the first axis points at the mean.

    Book: section 10.4. Cost: :math:`O(n^2 d)` for the kernel and :math:`O(n^2)` a step of the iteration for few
    components, :math:`O(n^3)` for all; memory :math:`O(n^2)`; new rows :math:`O(nd)` each.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of axes; None keeps all whose eigenvalues are above zero.
    kernel : str, Kernel or callable, default="linear"
        "linear", "poly", "rbf", "sigmoid", "cosine", "laplacian" (of sums of gaps), "precomputed", an object of
        `lanatus.kernel`, or a function of two rows.
    gamma : float or None, default=None
        Of "rbf", "poly", "sigmoid" and "laplacian"; None is one over the number of columns.
    degree : int, default=3
        Of "poly".
    coef0 : float, default=1
        Of "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Further arguments of a function.
    alpha : float, default=1.0
        Penalty of the ridge regression from coordinates back to rows.
    fit_inverse_transform : bool, default=False
        Whether that regression is learned, so that ``inverse_transform`` gives pre-images.
    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default="auto"
        All eigenvectors at once, Lanczos' iteration, or a random subspace; "auto" chooses by size.
    tol : float, default=0
        Of "arpack"; 0 is that of the machine.
    max_iter : int or None, default=None
        Of "arpack".
    iterated_power : int or "auto", default="auto"
        Products with K for "randomized"; "auto" is 7.
    remove_zero_eig : bool, default=False
        Whether axes without any variance are left out, though `n_components` asks for them.
    random_state : int, RandomState or None, default=None
        Draws the subspace.
    copy_X : bool, default=True
        Taken for scikit-learn's sake; the rows are always copied.
    n_jobs : int or None, default=None
        Taken for scikit-learn's sake; threads are those of the kernels.
    center : bool, default=True
        Whether the images of the rows are centred; False is the book's text.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,), eigenvalues of the (centred) kernel matrix, the largest first
    eigenvectors_ : ndarray of shape (n_samples, n_components), its eigenvectors, the largest entry of each above zero
    X_fit_ : ndarray or CSR matrix, the rows, for ``transform``
    gamma_ : float, the factor used
    column_means_ : ndarray of shape (n_samples,), means of the kernel matrix; zeros without centring
    overall_mean_ : float, their mean
    dual_coef_ : ndarray of shape (n_samples, n_features), the regression back, where asked for
    X_transformed_fit_ : ndarray of shape (n_samples, n_components), coordinates of the rows, where that is learned
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.data import make_circles
    >>> from lanatus.reduce import KernelPCA
    >>> X, y = make_circles(100, factor=0.3, random_state=0)
    >>> Z = KernelPCA(2, kernel="rbf", gamma=3.0).fit_transform(X)
    >>> bool((Z[y == 1, 0].min() > Z[y == 0, 0].max()) or (Z[y == 1, 0].max() < Z[y == 0, 0].min()))
    True

    References
    ----------
    Schoelkopf, Smola and Mueller (1998), Nonlinear component analysis as a kernel eigenvalue problem. Bakir, Weston and
    Schoelkopf (2004), Learning to find pre-images.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {
        "eigenvalues_": Floats("components", low=0),
        "eigenvectors_": Floats("rows", "components"),
        "column_means_": Floats("rows"),
        "overall_mean_": Number(),
        "gamma_": Number(),
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = "linear",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        iterated_power: Any = "auto",
        remove_zero_eig: bool = False,
        random_state: Any = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
        center: bool = True,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.center = center

    _params = rules_for(
        __init__,
        COMMON | KERNEL_RULES,
        n_components=Integer(low=1) | Nothing(),
        alpha=Real(low=0),
        fit_inverse_transform=Flag(),
        eigen_solver=Choice("auto", "dense", "arpack", "randomized"),
        max_iter=Integer(low=1) | Nothing(),
        iterated_power=Choice("auto") | Integer(low=0),
        remove_zero_eig=Flag(),
        center=Flag(),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features), or (n_samples, n_samples) a kernel matrix
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        X = self._take(X, reset=True).astype(np.float64, copy=False)  # what is rounding in float32 would count as axes
        pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        if pairwise and self.fit_inverse_transform:
            raise ValueError(
                "fit_inverse_transform needs the rows; got kernel='precomputed', which knows none of them."
            )
        if pairwise and X.shape[0] != X.shape[1]:
            raise ValueError(f"got a precomputed kernel of shape {X.shape}, wanted a square matrix, rows by rows.")
        n = X.shape[0]
        require_memory(n, "a sample of the rows")
        self.gamma_ = 1.0 / X.shape[1] if self.gamma is None else float(self.gamma)
        K = kernel_matrix(self, X, X, self.gamma_)
        K = np.array(K) if not K.flags.owndata or not K.flags.writeable else K
        self.column_means_, self.overall_mean_ = np.zeros(n), 0.0
        if self.center:
            centring = Centring(K)
            self.column_means_, self.overall_mean_ = centring.columns, centring.all
            K = centring.of_self(K)
        self._decompose(K)
        self.X_fit_ = X.copy()
        for name in ("dual_coef_", "X_transformed_fit_"):
            self.__dict__.pop(name, None)
        if self.fit_inverse_transform:
            self._learn_back(X)
        return self

    def _decompose(self, K: np.ndarray) -> None:
        n = len(K)
        k = n if self.n_components is None else min(self.n_components, n)
        if self.eigen_solver == "randomized":
            values, vectors = _randomized(K, k, self.iterated_power, check_random_state(self.random_state))
        else:
            values, vectors = leading(K, k, self.eigen_solver, self.tol, self.max_iter)
        scale = max(float(np.abs(values).max(initial=0.0)), 0.0)
        real = values > _ZERO * scale
        values = np.where(real, values, 0.0)
        if self.remove_zero_eig or self.n_components is None:
            values, vectors = values[real], vectors[:, real]
        self.eigenvalues_, self.eigenvectors_ = values, np.ascontiguousarray(vectors)

    def _learn_back(self, X: Any) -> None:
        """Ridge regression, with the same kernel, from coordinates to rows."""
        Z = self.eigenvectors_ * np.sqrt(self.eigenvalues_)
        K = kernel_matrix(self, Z, Z, self.gamma_)
        K[np.diag_indices_from(K)] += self.alpha
        rows = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
        try:
            self.dual_coef_ = cho_solve(cho_factor(K), rows)
        except np.linalg.LinAlgError:
            self.dual_coef_ = np.linalg.lstsq(K, rows, rcond=None)[0]
        self.X_transformed_fit_ = Z

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Find the axes, and the coordinates of the rows along them.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features), or (n_samples, n_samples) a kernel matrix
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        self.fit(X)
        return np.asarray(self.eigenvectors_ * np.sqrt(self.eigenvalues_))

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of each row along the axes."""
        check_is_fitted(self)
        K = kernel_matrix(self, self._take(X, reset=False).astype(np.float64, copy=False), self.X_fit_, self.gamma_)
        if self.center:
            K = centred_rows(np.array(K), self.column_means_, self.overall_mean_)
        roots = np.sqrt(self.eigenvalues_)
        scaled = np.divide(self.eigenvectors_, roots, out=np.zeros_like(self.eigenvectors_), where=roots > 0)
        return np.asarray(K @ scaled)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows that have about these coordinates, by the regression that ``fit_inverse_transform=True`` learns."""
        check_is_fitted(self)
        if not hasattr(self, "dual_coef_"):
            raise ValueError("inverse_transform needs fit_inverse_transform=True when the model is fitted.")
        Z = np.asarray(X, dtype=np.float64)
        wanted = self.X_transformed_fit_.shape[1]
        if Z.ndim != 2 or Z.shape[1] != wanted:
            raise ValueError(f"got coordinates of shape {Z.shape}; wanted rows of {wanted} numbers.")
        return np.asarray(kernel_matrix(self, Z, self.X_transformed_fit_, self.gamma_) @ self.dual_coef_)

    @property
    def _n_features_out(self) -> int:
        return int(self.eigenvalues_.shape[0])


def _randomized(K: np.ndarray, k: int, power: Any, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """The leading eigenvectors of a random subspace after some products with K."""
    n = len(K)
    Q = rng.normal(size=(n, min(k + 10, n)))
    for _ in range((7 if power == "auto" else power) + 1):
        Q = qr(K @ Q, mode="economic", check_finite=False)[0]
    values, turn = np.linalg.eigh(Q.T @ K @ Q)
    order = np.argsort(-values, kind="stable")[:k]
    return values[order], upright(Q @ turn[:, order])
