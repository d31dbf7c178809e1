"""Kernels of the distance of two rows."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import gamma as gamma_function
from scipy.special import kv

from lanatus._core import kernel as kernels
from lanatus.base import aligned, n_threads
from lanatus.catalog import method, savable
from lanatus.kernel.functions._kernel import Kernel, dots, squared_norms
from lanatus.metric import pairwise_distances, squared_euclidean
from lanatus.params import check_choice, check_real


class DistanceKernel(Kernel):
    """A kernel that is 1 for equal rows and falls with their distance."""

    def diagonal(self, X: Any) -> np.ndarray:
        """Ones."""
        return np.ones(X.shape[0])


@method(
    "kernel.gaussian-kernel",
    section="6.3",
    task="distance",
    kind="function",
    en="Gaussian (RBF) kernel",
    zh="高斯核",
    peers=["scikit-learn:rbf_kernel"],
)
class GaussianKernel(DistanceKernel):
    r"""The Gaussian kernel :math:`\kappa(x, z) = e^{-\lVert x - z \rVert^2 / 2\sigma^2}`.

    Book: section 6.3, table 6.1; cookbook 5.4. Kernel: ``cpp/kernel/gaussian.hpp``.
    Cost: :math:`O(nmd)` for n rows and m others.

    Parameters
    ----------
    sigma : float, default=1.0
        The width; scikit-learn's ``gamma`` is :math:`1 / 2\sigma^2`. 0 and infinity are the limits: 1 for equal rows
        only, and 1 for all.

    Examples
    --------
    >>> from lanatus.kernel import GaussianKernel
    >>> round(GaussianKernel(0.2)([[0.697, 0.460]], [[0.774, 0.376]]).item(), 9)
    0.850175483
    """

    _tuned = ("sigma",)

    def __init__(self, sigma: float = 1.0) -> None:
        self.sigma = sigma

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check."""
        return gaussian_pairs(X, Z, gamma_of(self.sigma))

    def slopes(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Kernel matrix, and its derivative by the logarithm of the width."""
        factor = gamma_of(self.sigma)
        K = gaussian_pairs(X, X, factor)
        return K, [2 * factor * K * _squares(X, X)]


def gamma_of(sigma: float) -> float:
    """The factor of the squared distance for a width from 0 to infinity."""
    if sigma == np.inf:
        return 0.0
    squared = check_real("sigma", sigma, 0) ** 2
    return min(0.5 / squared, np.finfo(np.float64).max) if squared > 0 else float(np.finfo(np.float64).max)


def gaussian_pairs(X: Any, Z: Any, gamma: float) -> np.ndarray:
    """exp(-gamma |x - z|^2) of all rows of X and Z, in the type of X."""
    if sp.issparse(X) or sp.issparse(Z):
        squares = _sparse_squares(X, Z)
        return np.asarray(np.exp(-np.minimum(gamma * squares, 745.0)))
    out = np.empty((X.shape[0], Z.shape[0]), dtype=X.dtype)
    fill_gaussian(X, Z, gamma, out)
    return out


def fill_gaussian(X: np.ndarray, Z: np.ndarray, gamma: float, out: np.ndarray) -> None:
    """The same of dense matrices, written to `out`."""
    Z = aligned(Z.astype(X.dtype, copy=False))
    kernels.gaussian(aligned(X), Z, out, gamma=gamma, n_threads=n_threads())


def _sparse_squares(X: Any, Z: Any) -> np.ndarray:
    squares = squared_norms(X)[:, None] - 2 * dots(X, Z).astype(np.float64, copy=False) + squared_norms(Z)
    return np.maximum(squares, 0, out=squares)


def _squares(X: Any, Z: Any) -> np.ndarray:
    return _sparse_squares(X, Z) if sp.issparse(X) or sp.issparse(Z) else squared_euclidean(X, Z)


def _euclidean(X: Any, Z: Any) -> np.ndarray:
    return np.sqrt(_squares(X, Z))


@method(
    "kernel.laplacian-kernel",
    section="6.3",
    task="distance",
    kind="function",
    en="Laplacian kernel (Euclidean norm)",
    zh="拉普拉斯核",
    peers=["scikit-learn:laplacian_kernel"],
)
class LaplacianKernel(DistanceKernel):
    r"""The Laplacian kernel :math:`\kappa(x, z) = e^{-\lVert x - z \rVert / \sigma}`.

    The norm of the book is Euclid's; scikit-learn's is the sum of gaps, ``norm="l1"``.

    Book: section 6.3, table 6.1. Cost: :math:`O(nmd)` for n rows and m others.

    Parameters
    ----------
    sigma : float, default=1.0
        The width.
    norm : {"l2", "l1"}, default="l2"
        The distance.

    Examples
    --------
    >>> from lanatus.kernel import LaplacianKernel
    >>> round(LaplacianKernel(0.2)([[0.697, 0.460]], [[0.774, 0.376]]).item(), 9)
    0.565661905
    """

    _tuned = ("sigma",)

    def __init__(self, sigma: float = 1.0, norm: str = "l2") -> None:
        self.sigma = sigma
        self.norm = norm

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check."""
        check_choice("norm", self.norm, ("l2", "l1"))
        sigma = check_real("sigma", self.sigma, 0, above=True)
        far = _euclidean(X, Z) if self.norm == "l2" else _gaps(X, Z)
        return np.asarray(np.exp(-far / sigma))

    def slopes(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Kernel matrix, and its derivative by the logarithm of the width."""
        K = self.pairs(X, X)
        far = _euclidean(X, X) if self.norm == "l2" else _gaps(X, X)
        return K, [K * (far / self.sigma)]


def _gaps(X: Any, Z: Any) -> np.ndarray:
    X, Z = (one.toarray() if sp.issparse(one) else one for one in (X, Z))
    return np.asarray(pairwise_distances(X, Z, metric="manhattan"))


@savable
class MaternKernel(DistanceKernel):
    r"""Matern's kernel, from the Laplacian one (:math:`\nu = 1/2`) to the Gaussian one (:math:`\nu = \infty`).

    :math:`\kappa(x, z) = \frac{2^{1-\nu}}{\Gamma(\nu)} u^\nu K_\nu(u)` with :math:`u = \sqrt{2\nu} \lVert x - z \rVert
    / \sigma`: functions in its space have :math:`\nu` derivatives, all but one half.

    Cost: :math:`O(nmd)` for n rows and m others, and a Bessel function a pair for a `nu` other than 0.5, 1.5 and 2.5.

    Parameters
    ----------
    sigma : float, default=1.0
        The width.
    nu : float, default=1.5
        Smoothness.

    Examples
    --------
    >>> from lanatus.kernel import MaternKernel
    >>> round(MaternKernel(2.0, nu=0.5)([[0.0]], [[2.0]]).item(), 6)
    0.367879
    """

    _tuned = ("sigma",)

    def __init__(self, sigma: float = 1.0, nu: float = 1.5) -> None:
        self.sigma = sigma
        self.nu = nu

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check."""
        sigma = check_real("sigma", self.sigma, 0, above=True)
        if self.nu == np.inf:
            return gaussian_pairs(X, Z, gamma_of(sigma))
        nu = check_real("nu", self.nu, 0, above=True)
        u = float(np.sqrt(2 * nu) / sigma) * _euclidean(X, Z)
        if nu in (0.5, 1.5, 2.5):
            head = {0.5: 1.0, 1.5: 1 + u, 2.5: 1 + u + u**2 / 3}[nu]
            return np.asarray(head * np.exp(-u))
        tiny = np.maximum(u, 1e-10)  # the limit at 0 is 1
        values = float(2 ** (1 - nu) / gamma_function(nu)) * tiny**nu * kv(nu, tiny)
        return np.where(u < 1e-10, 1.0, values).astype(u.dtype)

    def slopes(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        r"""Kernel matrix, and its derivative by the log width, from :math:`(u^\nu K_\nu)' = -u^\nu K_{\nu-1}`."""
        K = self.pairs(X, X)
        if self.nu == np.inf:
            return GaussianKernel(self.sigma).slopes(X)
        u = np.sqrt(2 * self.nu) / self.sigma * _euclidean(X, X)
        tiny = np.maximum(u, 1e-10)
        change = 2 ** (1 - self.nu) / gamma_function(self.nu) * tiny ** (self.nu + 1) * kv(self.nu - 1, tiny)
        return K, [np.where(u < 1e-10, 0.0, change)]


@savable
class NoiseKernel(Kernel):
    r"""White noise: a number for each row with itself, and 0 for any other, even one that equals it.

    Added to another kernel it is the variance of the noise in y, which a Gaussian process can then learn.
    Cost: :math:`O(n^2)`.

    Parameters
    ----------
    level : float, default=1.0
        The variance.

    Examples
    --------
    >>> from lanatus.kernel import NoiseKernel
    >>> NoiseKernel(0.5)([[1.0], [2.0]]).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """

    _tuned = ("level",)

    def __init__(self, level: float = 1.0) -> None:
        self.level = level

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check; of X with itself where both are one object."""
        level = check_real("level", self.level, 0)
        return level * np.eye(X.shape[0]) if X is Z else np.zeros((X.shape[0], Z.shape[0]))

    def diagonal(self, X: Any) -> np.ndarray:
        """The level."""
        return np.full(X.shape[0], float(self.level))

    def slopes(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Kernel matrix, and its derivative by the logarithm of the level."""
        K = self.pairs(X, X)
        return K, [K]
