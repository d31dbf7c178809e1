"""A kernel as the covariance of a Gaussian process, and the search for its numbers."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process.kernels import Kernel as SklearnKernel

from lanatus.kernel.functions._distance import GaussianKernel
from lanatus.kernel.functions._kernel import Kernel
from lanatus.params import Choice, Function, Nothing, ParameterRule, Satisfies

Objective = Callable[..., Any]
KERNEL: ParameterRule = Nothing() | Satisfies(
    lambda value: isinstance(value, Kernel | SklearnKernel) and not isinstance(value, type),
    "a kernel object of lanatus.kernel or sklearn.gaussian_process.kernels",
)
OPTIMIZER: ParameterRule = Choice("fmin_l_bfgs_b") | Function() | Nothing()


class SklearnCovariance(Kernel):
    """A kernel object of scikit-learn's."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices; of X with itself where both are one object."""
        return np.asarray(self.kernel(X) if X is Z else self.kernel(X, Z))

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each row with itself."""
        return np.asarray(self.kernel.diag(X), dtype=np.float64).copy()

    @property
    def log_theta(self) -> np.ndarray:
        """Logarithms of the numbers that may be tuned."""
        return np.asarray(self.kernel.theta)

    @property
    def bounds(self) -> np.ndarray:
        """Least and largest logarithm of each of them."""
        return np.asarray(self.kernel.bounds).reshape(-1, 2)

    def with_theta(self, theta: Any) -> Kernel:
        """This kernel with other numbers, given as logarithms."""
        return SklearnCovariance(self.kernel.clone_with_theta(np.asarray(theta)))

    def slopes(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Kernel matrix, and its derivatives."""
        K, changes = self.kernel(X, eval_gradient=True)
        return K, [np.ascontiguousarray(changes[..., k]) for k in range(changes.shape[2])]


def covariance(kernel: Any) -> Kernel:
    """What a parameter ``kernel`` says, as an object of ours; None is a Gaussian of width 1 that is not tuned."""
    if kernel is None:
        return GaussianKernel(1.0).bounded(sigma="fixed")
    return kernel if isinstance(kernel, Kernel) else SklearnCovariance(clone(kernel))


def shown(kernel: Kernel) -> Any:
    """The kernel as the user knows it."""
    return kernel.kernel if isinstance(kernel, SklearnCovariance) else kernel


def best_theta(
    likelihood: Callable[[np.ndarray], tuple[float, np.ndarray]],
    kernel: Kernel,
    optimizer: Any,
    n_restarts: int,
    rng: np.random.RandomState,
) -> tuple[np.ndarray, float]:
    """The logarithms that the likelihood is largest at: from those of the kernel, and from others within the bounds."""
    bounds = kernel.bounds
    starts = [kernel.log_theta]
    if n_restarts > 0:
        if not np.isfinite(bounds).all():
            raise ValueError(
                "Multiple optimizer restarts (n_restarts_optimizer>0) requires that all bounds are finite."
            )
        starts += [rng.uniform(bounds[:, 0], bounds[:, 1]) for _ in range(n_restarts)]
    found = [_climb(likelihood, start, bounds, optimizer) for start in starts]
    return max(found, key=lambda one: one[1])


def _climb(likelihood: Any, start: np.ndarray, bounds: np.ndarray, optimizer: Any) -> tuple[np.ndarray, float]:
    def down(theta: np.ndarray, eval_gradient: bool = True) -> Any:
        value, slope = likelihood(theta)
        return (-value, -slope) if eval_gradient else -value

    if callable(optimizer):
        theta, value = optimizer(down, start, bounds=bounds)
        return np.asarray(theta, dtype=np.float64), -float(value)
    first = down(start)
    if not np.isfinite(first[0]):
        return start, -np.inf
    ended = minimize(down, start, method="L-BFGS-B", jac=True, bounds=bounds)
    if ended.status != 0:
        warnings.warn(
            f"the search for the numbers of the kernel did not converge: {ended.message}; scale the data, or give the "
            "kernel other bounds.",
            ConvergenceWarning,
            stacklevel=6,
        )
    return np.asarray(ended.x), -float(ended.fun)
