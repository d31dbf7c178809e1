"""What every kernel function offers, and the rules that make new kernels of old ones."""

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array

from lanatus.base import aligned
from lanatus.catalog import method, savable
from lanatus.params import check_real


class Kernel(BaseEstimator):
    r"""A kernel function :math:`\kappa(x, z)`: an inner product of images of the rows (6.22).

    Kernels add and multiply: ``k1 + k2``, ``2 * k1``, ``k1 * k2`` and ``k1.scale_by(g)`` are kernels again,
    by (6.25)-(6.27). A new kernel is a class with ``pairs``, which gets matrices that were looked at.
    """

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        """Kernel matrix of the rows of X and of Z, which is X if not given."""
        X = _rows(X, "X")
        Z = X if Z is None else _rows(Z, "Z")
        if X.shape[1] != Z.shape[1]:
            raise ValueError(f"X has {X.shape[1]} columns and Z has {Z.shape[1]}; wanted as many.")
        return self.pairs(X, Z)

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices, dense or CSR, that need no check."""
        raise NotImplementedError

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each row with itself, as float64."""
        rows = range(X.shape[0])
        return np.array([self.pairs(X[[i]], X[[i]])[0, 0] for i in rows], dtype=np.float64)

    def scale_by(self, g: Callable[[Any], Any]) -> "Kernel":
        """The kernel :math:`g(x) \\kappa(x, z) g(z)` (6.27); `g` takes a matrix and gives a number a row."""
        if not callable(g):
            raise TypeError(f"g must be a callable that takes a matrix and gives a number a row; got {g!r}.")
        return ScaledKernel(self, g)

    def __add__(self, other: Any) -> "Kernel":
        return SumKernel(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Any) -> "Kernel":
        if isinstance(other, Kernel):
            return ProductKernel(self, other)
        return WeightedKernel(self, float(other)) if isinstance(other, numbers.Real) else NotImplemented

    __rmul__ = __mul__


@method(
    "kernel.kernel-composition",
    section="6.3",
    task="distance",
    kind="function",
    en="Kernel sum, product and scaling by g",
    zh="核函数组合",
    peers=["scikit-learn:gaussian_process.kernels"],
)
class SumKernel(Kernel):
    r"""The sum :math:`\kappa_1(x, z) + \kappa_2(x, z)` of two kernels (6.25), made by ``k1 + k2``.

    With weights, ``2.0 * k1 + 0.5 * k2``; the product (6.26) is ``k1 * k2``, and :math:`g(x) \kappa(x, z) g(z)` (6.27)
    is ``k1.scale_by(g)``.

    Book: section 6.3. Cost: that of both kernels.

    Parameters
    ----------
    first : Kernel
        One kernel.
    second : Kernel
        The other.

    Examples
    --------
    >>> from lanatus.kernel import GaussianKernel, LinearKernel
    >>> kernel = 2.0 * LinearKernel() + GaussianKernel(1.0) * LinearKernel()
    >>> kernel([[1.0, 2.0]]).tolist()
    [[15.0]]
    """

    def __init__(self, first: Kernel, second: Kernel) -> None:
        self.first = first
        self.second = second

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check."""
        return self.first.pairs(X, Z) + self.second.pairs(X, Z)

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each row with itself."""
        return self.first.diagonal(X) + self.second.diagonal(X)


class ProductKernel(Kernel):
    r"""The product :math:`\kappa_1(x, z) \kappa_2(x, z)` (6.26), made by ``k1 * k2``."""

    def __init__(self, first: Kernel, second: Kernel) -> None:
        self.first = first
        self.second = second

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check."""
        return self.first.pairs(X, Z) * self.second.pairs(X, Z)

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each row with itself."""
        return self.first.diagonal(X) * self.second.diagonal(X)


@savable
class WeightedKernel(Kernel):
    r"""A kernel times a number above zero (6.25), made by ``2.0 * k``."""

    def __init__(self, kernel: Kernel, weight: float) -> None:
        self.kernel = kernel
        self.weight = weight

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check."""
        return check_real("weight", self.weight, 0, above=True) * self.kernel.pairs(X, Z)

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each row with itself."""
        return self.weight * self.kernel.diagonal(X)


class ScaledKernel(Kernel):
    r"""The kernel :math:`g(x) \kappa(x, z) g(z)` for any function g (6.27), made by ``k.scale_by(g)``."""

    def __init__(self, kernel: Kernel, g: Callable[[Any], Any]) -> None:
        self.kernel = kernel
        self.g = g

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check."""
        return self._heights(X)[:, None] * self.kernel.pairs(X, Z) * self._heights(Z)

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each row with itself."""
        return self._heights(X) ** 2 * self.kernel.diagonal(X)

    def _heights(self, X: Any) -> np.ndarray:
        heights = np.asarray(self.g(X), dtype=np.float64)
        if heights.shape != (X.shape[0],):
            raise ValueError(f"g must give one number a row, shape {(X.shape[0],)}; got shape {heights.shape}.")
        return heights


def _rows(X: Any, name: str) -> Any:
    return aligned(check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", input_name=name))


def dots(X: Any, Z: Any) -> np.ndarray:
    """Inner products of all rows of X and all of Z, dense or sparse."""
    products = X @ Z.T
    return np.asarray(products.toarray() if sp.issparse(products) else products)


def squared_norms(X: Any) -> np.ndarray:
    """Squared length of each row, as float64."""
    if sp.issparse(X):
        return np.asarray(X.astype(np.float64).power(2).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)
