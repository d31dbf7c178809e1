"""Kernels of the inner product of two rows."""

from typing import Any

import numpy as np

from lanatus.catalog import method, savable
from lanatus.kernel.functions._kernel import Kernel, dots, squared_norms
from lanatus.params import check_integer, check_real


class InnerProductKernel(Kernel):
    """A kernel that is a function of the inner product."""

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check."""
        return self._of(dots(X, Z))

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each row with itself."""
        return np.asarray(self._of(squared_norms(X)))

    def _of(self, products: np.ndarray) -> np.ndarray:
        raise NotImplementedError


@method(
    "kernel.linear-kernel",
    section="6.3",
    task="distance",
    kind="function",
    en="Linear kernel",
    zh="线性核",
    peers=["scikit-learn:linear_kernel"],
)
class LinearKernel(InnerProductKernel):
    r"""The linear kernel :math:`\kappa(x, z) = x^\top z`.

    Book: section 6.3, table 6.1. Cost: :math:`O(nmd)` for n rows and m others.

    Examples
    --------
    >>> from lanatus.kernel import LinearKernel
    >>> round(LinearKernel()([[0.697, 0.460]], [[0.774, 0.376]]).item(), 6)
    0.712438
    """

    def _of(self, products: np.ndarray) -> np.ndarray:
        return products


@method(
    "kernel.polynomial-kernel",
    section="6.3",
    task="distance",
    kind="function",
    en="Polynomial kernel, homogeneous and inhomogeneous",
    zh="多项式核",
    peers=["scikit-learn:polynomial_kernel"],
)
class PolynomialKernel(InnerProductKernel):
    r"""The polynomial kernel :math:`\kappa(x, z) = (\gamma x^\top z + r)^p`.

    With the defaults for :math:`\gamma` and *r* it is the homogeneous one of table 6.1, and for degree 1 linear.

    Book: section 6.3, table 6.1; cookbook 5.4. Cost: :math:`O(nmd)` for n rows and m others.

    Parameters
    ----------
    degree : int, default=2
        The power, *p*.
    gamma : float, default=1.0
        Factor of the inner product.
    coef0 : float, default=0.0
        The constant, *r*; below zero it may be no kernel.

    Examples
    --------
    >>> from lanatus.kernel import PolynomialKernel
    >>> PolynomialKernel(3, coef0=1.0)([[1.0, 2.0]], [[3.0, -1.0]]).item()
    8.0
    """

    @property
    def _tuned(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(name for name in ("gamma", "coef0") if getattr(self, name) > 0)

    def __init__(self, degree: int = 2, gamma: float = 1.0, coef0: float = 0.0) -> None:
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    def _of(self, products: np.ndarray) -> np.ndarray:
        degree = check_integer("degree", self.degree, 0)
        return np.asarray((check_real("gamma", self.gamma, 0) * products + self.coef0) ** degree)

    def slopes(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Kernel matrix, and its derivatives by the logarithms of the factor and the constant that are above 0."""
        products = dots(X, X)
        inner = self.degree * (self.gamma * products + self.coef0) ** max(self.degree - 1, 0)
        changes = {"gamma": self.gamma * products * inner, "coef0": self.coef0 * inner}
        return self._of(products), [changes[name] for name in self._tuned]


@method(
    "kernel.sigmoid-kernel",
    section="6.3",
    task="distance",
    kind="function",
    en="Sigmoid kernel",
    zh="Sigmoid核",
    peers=["scikit-learn:sigmoid_kernel"],
)
class SigmoidKernel(InnerProductKernel):
    r"""The sigmoid kernel :math:`\kappa(x, z) = \tanh(\beta x^\top z + \theta)`.

    It is not positive semi-definite in general: for a row of zeros and :math:`\theta < 0` it is negative. `is_psd`
    tells for the rows at hand.

    Book: section 6.3, table 6.1; cookbook 5.4. Cost: :math:`O(nmd)` for n rows and m others.

    Parameters
    ----------
    beta : float, default=1.0
        Factor of the inner product.
    theta : float, default=-1.0
        The constant.

    Examples
    --------
    >>> from lanatus.kernel import SigmoidKernel
    >>> round(SigmoidKernel()([[0.697, 0.460]], [[0.774, 0.376]]).item(), 9)
    -0.279889338
    """

    def __init__(self, beta: float = 1.0, theta: float = -1.0) -> None:
        self.beta = beta
        self.theta = theta

    def _of(self, products: np.ndarray) -> np.ndarray:
        return np.asarray(np.tanh(self.beta * products + self.theta))


@savable
class ExponentialKernel(InnerProductKernel):
    r"""The exponential kernel :math:`\kappa(x, z) = e^{x^\top z / \sigma^2}`: the sum of all polynomial ones.

    The Gaussian kernel is this one scaled by :math:`g(x) = e^{-\lVert x \rVert^2 / 2\sigma^2}` (6.27).

    Book: section 6.3, (6.25)-(6.27). Cost: :math:`O(nmd)` for n rows and m others.

    Parameters
    ----------
    sigma : float, default=1.0
        The width.

    Examples
    --------
    >>> from lanatus.kernel import ExponentialKernel
    >>> round(ExponentialKernel(2.0)([[1.0, 1.0]], [[2.0, 2.0]]).item(), 6)
    2.718282
    """

    _tuned = ("sigma",)

    def __init__(self, sigma: float = 1.0) -> None:
        self.sigma = sigma

    def _of(self, products: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(products / check_real("sigma", self.sigma, 0, above=True) ** 2))

    def slopes(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Kernel matrix, and its derivative by the logarithm of the width."""
        products = dots(X, X)
        K = self._of(products)
        return K, [-2 / self.sigma**2 * products * K]
