"""Gaussian process classification."""

import warnings
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, Integers, check_is_fitted, coded_rows, fitting
from lanatus.catalog import method
from lanatus.kernel.functions._kernel import Kernel, require_memory
from lanatus.kernel.gaussian_process._covariance import KERNEL, OPTIMIZER, best_theta, covariance, shown
from lanatus.kernel.gaussian_process._laplace import averaged, find_mode, likelihood
from lanatus.params import COMMON, Choice, Flag, Integer, rules_for
from lanatus.scale import blockwise

_AT_ONCE = 2000  # rows asked about together


@method(
    section="6.6",
    task="classification",
    en="Gaussian process classification",
    zh="高斯过程分类",
    peers=["scikit-learn:GaussianProcessClassifier"],
)
class GaussianProcessClassifier(ClassifierMixin, Estimator):
    r"""Kernel logistic regression seen as Bayes' rule: log odds are a Gaussian process, and probabilities its average.

    The distribution of the log odds given the classes is taken for normal about its mode, by Laplace's approximation;
    the numbers in the kernel are those of the largest likelihood so approximated, found from its derivatives. Several
    classes go each against the rest, or pair by pair.

    Book: section 6.6, exercise 6.9. Cost: :math:`O(n^3)` for each Newton step in each step of the search, memory
    :math:`8 n^2` bytes for each number that is tuned and each machine; a probability :math:`O(n^2)`.

    Parameters
    ----------
    kernel : kernel object or None, default=None
        The covariance, of this package or of ``sklearn.gaussian_process.kernels``. None is a Gaussian of width 1 that
        is not tuned.
    optimizer : "fmin_l_bfgs_b", callable or None, default="fmin_l_bfgs_b"
        The search, as in `GaussianProcessRegressor`.
    n_restarts_optimizer : int, default=0
        Searches from other places, drawn within the bounds.
    max_iter_predict : int, default=100
        Most Newton steps to the mode.
    warm_start : bool, default=False
        Whether Newton's steps begin at the mode of the kernel that was looked at before.
    copy_X_train : bool, default=True
        Whether the rows are copied.
    random_state : int, RandomState or None, default=None
        For the restarts.
    multi_class : {"one_vs_rest", "one_vs_one"}, default="one_vs_rest"
        How several classes are parted. Pairs vote, and give no probabilities.
    n_jobs : int or None, default=None
        Kept for compatibility: products use the threads that OMP_NUM_THREADS and threadpoolctl allow.

    Attributes
    ----------
    kernel_ : kernel object with the numbers that were found, or for several classes a list of them, one a machine
    X_train_ : ndarray of shape (n_samples, n_features), the rows
    rows_ : list of ndarray of int, rows of each machine
    pulls_ : list of ndarray, of each machine how far classes and probabilities are apart at the mode
    roots_ : list of ndarray, square roots of the curvature there
    factors_ : list of ndarray, Cholesky's factors of :math:`I + W^{1/2} K W^{1/2}`
    log_marginal_likelihood_value_ : float, the likelihood's logarithm, for several machines their mean
    n_classes_ : int, number of classes
    classes_ : ndarray of shape (n_classes,), the labels
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.kernel import GaussianKernel, GaussianProcessClassifier
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> model = GaussianProcessClassifier(10.0 * GaussianKernel(0.2)).fit(X, y)
    >>> model.predict(X[:2]).tolist(), model.predict_proba(X[:2]).shape
    (['是', '是'], (2, 2))

    References
    ----------
    Rasmussen and Williams (2006), Gaussian processes for machine learning, algorithms 3.1, 3.2 and 5.1.
    """

    _state: ClassVar = {"X_train_": Floats("rows", "columns")}

    classes_: np.ndarray
    rows_: list[np.ndarray]
    pulls_: list[np.ndarray]
    roots_: list[np.ndarray]
    factors_: list[np.ndarray]

    def __init__(
        self,
        kernel: Any = None,
        *,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        max_iter_predict: int = 100,
        warm_start: bool = False,
        copy_X_train: bool = True,
        random_state: Any = None,
        multi_class: str = "one_vs_rest",
        n_jobs: Any = None,
    ) -> None:
        self.kernel = kernel
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.multi_class = multi_class
        self.n_jobs = n_jobs

    _params = rules_for(
        __init__,
        COMMON,
        kernel=KERNEL,
        optimizer=OPTIMIZER,
        n_restarts_optimizer=Integer(low=0),
        max_iter_predict=Integer(low=1),
        copy_X_train=Flag(),
        multi_class=Choice("one_vs_rest", "one_vs_one"),
    )

    def _require_sound(self) -> None:
        from lanatus.base import StateError

        n, machines = len(self.X_train_), len(self.rows_)
        if machines != len(self._tasks()) or {len(self.pulls_), len(self.roots_), len(self.factors_)} != {machines}:
            raise StateError("the parts of its machines are not as many as its classes ask for")
        for rows, pull, root, factor in zip(self.rows_, self.pulls_, self.roots_, self.factors_, strict=True):
            sizes: dict[str, int] = {"all": n}
            rules = (Integers("rows", below="all"), Floats("rows"), Floats("rows"), Floats("rows", "rows"))
            for rule, value in zip(rules, (rows, pull, root, factor), strict=True):
                if (why := rule.fault(value, sizes)) is not None:
                    raise StateError(f"a machine {why}")

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X with classes y."""
        X, codes = coded_rows(self, X, y, least=2)
        X = X.astype(np.float64, copy=False)
        self.X_train_ = X.copy() if self.copy_X_train else X
        self.n_classes_ = len(self.classes_)
        require_memory(len(X), 16)
        rng = check_random_state(self.random_state)
        kernels, values = [], []
        self.rows_, self.pulls_, self.roots_, self.factors_ = [], [], [], []
        for first, second in self._tasks():
            rows = np.flatnonzero((codes == first) | (codes == second)) if first >= 0 else np.arange(len(codes))
            kernel, value = self._machine(rows, codes[rows] == second, rng)
            kernels.append(shown(kernel))
            values.append(value)
        self.kernel_ = kernels[0] if self.n_classes_ == 2 else kernels
        self.log_marginal_likelihood_value_ = float(np.mean(values))
        return self

    def _tasks(self) -> list[tuple[int, int]]:
        """The two classes of each machine; -1 is all the others."""
        n = len(self.classes_)
        if n == 2:
            return [(0, 1)]
        return list(combinations(range(n), 2)) if self.multi_class == "one_vs_one" else [(-1, one) for one in range(n)]

    def _machine(self, rows: np.ndarray, second: np.ndarray, rng: np.random.RandomState) -> tuple[Kernel, float]:
        X, kernel, start = self.X_train_[rows], covariance(self.kernel), np.zeros(len(rows))
        if self.optimizer is not None and len(kernel.log_theta):

            def value_at(theta: np.ndarray) -> tuple[float, np.ndarray]:
                nonlocal start
                value, slopes, mode = likelihood(kernel.with_theta(theta), X, second, start, self.max_iter_predict)
                start = mode if self.warm_start else start
                return value, slopes

            theta, _ = best_theta(value_at, kernel, self.optimizer, self.n_restarts_optimizer, rng)
            kernel = kernel.with_theta(theta)
        K = kernel.pairs(X, X).astype(np.float64)
        if not np.isfinite(K).all():
            raise ValueError("the kernel gives NaN or infinity for these rows; scale the columns, or take another.")
        mode = find_mode(K, second, start, self.max_iter_predict)
        if not mode.converged:
            warnings.warn(
                f"no mode was found in {self.max_iter_predict} steps; raise max_iter_predict, or bound the kernel.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.rows_.append(rows)
        self.pulls_.append(second - mode.p)
        self.roots_.append(mode.roots)
        self.factors_.append(mode.L)
        return kernel, mode.likelihood

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any:
        """The logarithm of the likelihood of the rows learned from, the mean over the machines of several classes.

        Parameters
        ----------
        theta : array or None, default=None
            Logarithms of the numbers of the kernel, the same for all machines or those of one after the other; None is
            those that were found.
        eval_gradient : bool, default=False
            Whether the derivatives by them are given too, of two classes only.
        clone_kernel : bool, default=True
            Kept for compatibility: the kernel is never changed.
        """
        check_is_fitted(self)
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        kernels = [covariance(one) for one in self._kernels()]
        if eval_gradient and len(kernels) > 1:
            raise NotImplementedError("Gradient of log-marginal-likelihood not implemented for multi-class GPC.")
        theta = np.asarray(theta, dtype=np.float64)
        p = len(kernels[0].log_theta)
        parts = [theta] * len(kernels) if theta.size == p else np.split(theta, len(kernels))
        found = []
        for kernel, part, rows, pull in zip(kernels, parts, self.rows_, self.pulls_, strict=True):
            X, start = self.X_train_[rows], np.zeros(len(rows))
            found.append(likelihood(kernel.with_theta(part), X, pull > 0, start, self.max_iter_predict))
        value = float(np.mean([one[0] for one in found]))
        return (value, found[0][1]) if eval_gradient else value

    def _kernels(self) -> list[Any]:
        return self.kernel_ if isinstance(self.kernel_, list) else [self.kernel_]

    def _latent(self, X: np.ndarray, machine: int, *, spread: bool) -> tuple[np.ndarray, np.ndarray]:
        """Mean, and where asked for variance, of the log odds in a machine."""
        kernel, rows = covariance(self._kernels()[machine]), self.X_train_[self.rows_[machine]]
        mean, variance = np.empty(len(X)), np.zeros(len(X))
        for start in range(0, len(X), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            across = kernel.pairs(rows, X[part])
            mean[part] = self.pulls_[machine] @ across
            if spread:
                known = solve_triangular(
                    self.factors_[machine], self.roots_[machine][:, None] * across, lower=True, check_finite=False
                )
                variance[part] = kernel.diagonal(X[part]) - np.einsum("ij,ij->j", known, known)
        return mean, np.maximum(variance, 0.0)

    def latent_mean_and_variance(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the log odds of the second of two classes, at the rows of X."""
        check_is_fitted(self)
        if self.n_classes_ > 2:
            raise ValueError(
                "Returning the mean and variance of the latent function f is only supported for 2 classes."
            )
        return self._latent(self._rows(X), 0, spread=True)

    def _rows(self, X: Any) -> np.ndarray:
        return np.asarray(self._take(X, reset=False).astype(np.float64, copy=False))

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class for each row of X; of several, each against the rest, made to sum to one."""
        check_is_fitted(self)
        if self.n_classes_ > 2 and self.multi_class == "one_vs_one":
            raise ValueError("one_vs_one multi-class mode does not support predicting probability estimates.")
        X = self._rows(X)
        found = [averaged(*self._latent(X, machine, spread=True)) for machine in range(len(self.rows_))]
        if self.n_classes_ == 2:
            return np.stack([1 - found[0], found[0]], axis=1)
        shares = np.stack(found, axis=1)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row of X; of pairs, the one with the most votes."""
        check_is_fitted(self)
        if self.n_classes_ == 2:
            mean, _ = self._latent(self._rows(X), 0, spread=False)
            return self.classes_[(mean > 0).astype(int)]
        if self.multi_class == "one_vs_rest":
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        X = self._rows(X)
        votes = np.zeros((len(X), self.n_classes_))
        for machine, (first, second) in enumerate(self._tasks()):
            mean, _ = self._latent(X, machine, spread=False)
            sure = mean / (3 * (np.abs(mean) + 1))  # less than a vote: for ties
            votes[:, second] += (mean > 0) + sure / self.n_classes_
            votes[:, first] += (mean <= 0) - sure / self.n_classes_
        return self.classes_[votes.argmax(axis=1)]
