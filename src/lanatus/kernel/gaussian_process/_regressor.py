"""Gaussian process regression."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, as_targets, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.kernel.functions._kernel import Kernel, require_memory
from lanatus.kernel.gaussian_process._covariance import KERNEL, OPTIMIZER, best_theta, covariance, shown
from lanatus.params import COMMON, Array, Flag, Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise


@method(
    section="6.6",
    task="regression",
    en="Gaussian process regression",
    zh="高斯过程回归",
    peers=["scikit-learn:GaussianProcessRegressor"],
)
class GaussianProcessRegressor(MultiOutputMixin, RegressorMixin, Estimator):
    r"""Kernel ridge regression seen as Bayes' rule: a normal distribution over functions, and how sure it is anywhere.

    With covariance :math:`\kappa` and noise :math:`\alpha`, :math:`\mu(x) = k(x)^\top (K + \alpha I)^{-1} y` and
    :math:`\sigma^2(x) = \kappa(x, x) - k(x)^\top (K + \alpha I)^{-1} k(x)`. The numbers in the kernel are those of the
    largest likelihood of y, found from its derivatives.

    Book: section 6.6. Cost: :math:`O(n^3)` for each step of the search, memory :math:`8 n^2` bytes for each number that
    is tuned; a prediction :math:`O(n d)`, with its deviation :math:`O(n^2)`.

    Parameters
    ----------
    kernel : kernel object or None, default=None
        The covariance, of this package or of ``sklearn.gaussian_process.kernels``; sums, products and weights may be
        made of either. None is a Gaussian of width 1 that is not tuned. ``kernel.bounded(sigma="fixed")`` keeps a
        number as it is.
    alpha : float or array of shape (n_samples,), default=1e-10
        Variance of the noise in y, added to the diagonal of K; one for each row says how far each is trusted.
    optimizer : "fmin_l_bfgs_b", callable or None, default="fmin_l_bfgs_b"
        The search: L-BFGS; a function ``optimizer(objective, start, bounds)`` that gives the logarithms and the value
        where the objective, minus the likelihood, is least; or none.
    n_restarts_optimizer : int, default=0
        Searches from other places, drawn within the bounds.
    normalize_y : bool, default=False
        Whether y is taken less its mean and over its deviation.
    copy_X_train : bool, default=True
        Whether the rows are copied.
    n_targets : int or None, default=None
        Columns of y, for samples before ``fit``; None is one.
    random_state : int, RandomState or None, default=None
        For the restarts.

    Attributes
    ----------
    kernel_ : kernel object, with the numbers that were found
    X_train_ : ndarray of shape (n_samples, n_features), the rows
    y_train_ : ndarray of shape (n_samples,) or (n_samples, n_targets), the numbers, normalised if that was asked for
    L_ : ndarray of shape (n_samples, n_samples), Cholesky's factor of :math:`K + \alpha I`
    alpha_ : ndarray of shape (n_samples,) or (n_samples, n_targets), :math:`(K + \alpha I)^{-1} y`
    y_mean_ : ndarray of shape (n_targets,), what was taken from y
    y_std_ : ndarray of shape (n_targets,), what it was divided by
    log_marginal_likelihood_value_ : float, the likelihood's logarithm
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.kernel import GaussianKernel, GaussianProcessRegressor, NoiseKernel
    >>> x = np.linspace(0, 6, 25)[:, None]
    >>> model = GaussianProcessRegressor(1.0 * GaussianKernel(0.3) + NoiseKernel(0.1)).fit(x, np.sin(x).ravel())
    >>> mean, deviation = model.predict([[1.5], [60.0]], return_std=True)
    >>> mean.round(2).tolist()[0], bool(deviation[0] < 0.01 < deviation[1])
    (1.0, True)

    References
    ----------
    Rasmussen and Williams (2006), Gaussian processes for machine learning, algorithm 2.1.
    """

    _state: ClassVar = {
        "X_train_": Floats("rows", "columns"),
        "L_": Floats("rows", "rows"),
        "alpha_": Floats("rows") | Floats("rows", "targets"),
        "y_mean_": Floats("scales"),
        "y_std_": Floats("scales"),
    }

    X_train_: np.ndarray
    L_: np.ndarray
    alpha_: np.ndarray

    def __init__(
        self,
        kernel: Any = None,
        *,
        alpha: Any = 1e-10,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        n_targets: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.copy_X_train = copy_X_train
        self.n_targets = n_targets
        self.random_state = random_state

    _params = rules_for(
        __init__,
        COMMON,
        kernel=KERNEL,
        alpha=Real(low=0, below=np.inf) | Array(1),
        optimizer=OPTIMIZER,
        n_restarts_optimizer=Integer(low=0),
        normalize_y=Flag(),
        copy_X_train=Flag(),
        n_targets=Nothing() | Integer(low=1),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X with numbers y, one column or several."""
        X = self._take(X, reset=True).astype(np.float64, copy=False)
        y = as_targets(y, X).astype(np.float64)
        targets = 1 if y.ndim == 1 else y.shape[1]
        if self.n_targets not in (None, targets):
            raise ValueError(
                f"The number of targets seen in `y` is different from the parameter `n_targets`. Got {targets} != "
                f"{self.n_targets}."
            )
        if np.ndim(self.alpha) and len(self.alpha) not in (1, len(y)):
            raise ValueError(
                f"alpha must be a scalar or an array with same number of entries as y. ({len(self.alpha)} != {len(y)})"
            )
        if not (np.isfinite(self.alpha).all() and np.min(self.alpha) >= 0):
            raise ValueError(f"alpha must be 0 or more, each of it; got {self.alpha!r}.")
        require_memory(len(X), 16)
        self._normalise(y)
        self.X_train_ = X.copy() if self.copy_X_train else X
        kernel = covariance(self.kernel)
        if self.optimizer is not None and len(kernel.log_theta):
            rng = check_random_state(self.random_state)
            theta, _ = best_theta(
                lambda theta: self._likelihood(kernel.with_theta(theta)),
                kernel,
                self.optimizer,
                self.n_restarts_optimizer,
                rng,
            )
            kernel = kernel.with_theta(theta)
        self.kernel_ = shown(kernel)
        self._factorise(kernel)
        return self

    def _normalise(self, y: np.ndarray) -> None:
        width = 1 if y.ndim == 1 else y.shape[1]
        self.y_mean_ = np.atleast_1d(y.mean(axis=0)) if self.normalize_y else np.zeros(width)
        spread = np.atleast_1d(y.std(axis=0)) if self.normalize_y else np.ones(width)
        self.y_std_ = np.where(spread > 10 * np.finfo(float).eps * np.abs(self.y_mean_), spread, 1.0)
        self.y_train_ = (y - self.y_mean_) / self.y_std_

    def _factorise(self, kernel: Kernel) -> None:
        K = kernel.pairs(self.X_train_, self.X_train_).astype(np.float64)
        if not np.isfinite(K).all():
            raise ValueError("the kernel gives NaN or infinity for these rows; scale the columns, or take another.")
        K.flat[:: len(K) + 1] += self.alpha
        try:
            self.L_ = cholesky(K, lower=True, check_finite=False)
        except LinAlgError:
            raise ValueError(
                f"The kernel, {self.kernel_}, is not returning a positive definite matrix: rows stand twice, or "
                f"nearly. Increase alpha, now {self.alpha!r}, or add a NoiseKernel."
            ) from None
        self.alpha_ = cho_solve((self.L_, True), self.y_train_, check_finite=False)
        self.log_marginal_likelihood_value_ = _log_density(self.L_, self.alpha_, self.y_train_)

    def _likelihood(self, kernel: Kernel) -> tuple[float, np.ndarray]:
        """The logarithm of the likelihood, and its derivatives."""
        K, changes = kernel.slopes(self.X_train_)
        K = K.astype(np.float64)
        K.flat[:: len(K) + 1] += self.alpha
        try:
            L = cholesky(K, lower=True)
        except (LinAlgError, ValueError):  # not positive definite, or not finite
            return -np.inf, np.zeros(len(changes))
        a = cho_solve((L, True), self.y_train_, check_finite=False)
        columns = a.reshape(len(a), -1)
        pull = columns @ columns.T - columns.shape[1] * cho_solve((L, True), np.eye(len(L)), check_finite=False)
        slopes = np.array([0.5 * np.vdot(pull, change) for change in changes])
        return _log_density(L, a, self.y_train_), slopes

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any:
        """The logarithm of the likelihood of the rows learned from.

        Parameters
        ----------
        theta : array or None, default=None
            Logarithms of the numbers of the kernel; None is those that were found.
        eval_gradient : bool, default=False
            Whether the derivatives by them are given too.
        clone_kernel : bool, default=True
            Kept for compatibility: the kernel is never changed.
        """
        check_is_fitted(self, "X_train_")
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        value, slopes = self._likelihood(covariance(self.kernel_).with_theta(theta))
        return (value, slopes) if eval_gradient else value

    @blockwise
    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """Expected numbers of the rows of X, and their deviations or covariances where asked for.

        Before ``fit`` they are those that the kernel alone says.
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if not hasattr(self, "X_train_"):
            return self._predict_prior(X, return_std, return_cov)
        kernel = covariance(self.kernel_)
        X = self._take(X, reset=False).astype(np.float64, copy=False)
        across = kernel.pairs(X, self.X_train_)
        mean = self.y_std_ * (across @ self.alpha_).reshape(len(X), -1) + self.y_mean_
        mean = mean.ravel() if mean.shape[1] == 1 else mean
        if not (return_std or return_cov):
            return mean
        known = solve_triangular(self.L_, across.T, lower=True, check_finite=False)
        if return_cov:
            left = kernel.pairs(X, X) - known.T @ known
            wide = np.multiply.outer(left, self.y_std_**2)
            return mean, wide[..., 0] if wide.shape[2] == 1 else wide
        left = kernel.diagonal(X) - np.einsum("ij,ij->j", known, known)
        if (left < -1e-6 * np.maximum(np.abs(kernel.diagonal(X)), 1e-300)).any():
            warnings.warn("Predicted variances smaller than 0. Setting those variances to 0.", stacklevel=2)
        spread = np.outer(np.sqrt(np.maximum(left, 0.0)), self.y_std_)
        return mean, spread.ravel() if spread.shape[1] == 1 else spread

    def _predict_prior(self, X: Any, return_std: bool, return_cov: bool) -> Any:
        X = np.asarray(X, dtype=np.float64)
        kernel, targets = covariance(self.kernel), self.n_targets or 1
        mean = np.zeros(len(X)) if targets == 1 else np.zeros((len(X), targets))
        if return_cov:
            K = kernel.pairs(X, X)
            return mean, K if targets == 1 else np.repeat(K[..., None], targets, axis=2)
        if return_std:
            spread = np.sqrt(kernel.diagonal(X))
            return mean, spread if targets == 1 else np.repeat(spread[:, None], targets, axis=1)
        return mean

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> np.ndarray:
        """Functions drawn from the process, at the rows of X: a column for each draw.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_features)
            The rows.
        n_samples : int, default=1
            Draws.
        random_state : int, RandomState or None, default=0
            For drawing.
        """
        rng = check_random_state(random_state)
        mean, spread = self.predict(X, return_cov=True)
        if mean.ndim == 1:
            return np.asarray(rng.multivariate_normal(mean, spread, n_samples).T)
        drawn = [rng.multivariate_normal(mean[:, k], spread[..., k], n_samples).T for k in range(mean.shape[1])]
        return np.stack(drawn, axis=1)


def _log_density(L: np.ndarray, a: np.ndarray, y: np.ndarray) -> float:
    targets = 1 if y.ndim == 1 else y.shape[1]
    whole = np.log(np.diagonal(L)).sum() + len(y) / 2 * np.log(2 * np.pi)
    return float(-0.5 * np.sum(y * a) - targets * whole)
