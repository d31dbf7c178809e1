"""What every kernel function offers, and the rules that make new kernels of old ones."""

import numbers
import os
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_array

from lanatus.base import aligned
from lanatus.catalog import method, savable
from lanatus.params import check_real

TUNED_WITHIN = (1e-5, 1e5)  # unless said otherwise, as in scikit-learn


class Kernel(BaseEstimator):
    r"""A kernel function :math:`\kappa(x, z)`: an inner product of images of the rows (6.22).

    Kernels add and multiply: ``k1 + k2``, ``2 * k1``, ``k1 * k2`` and ``k1.scale_by(g)`` are kernels again,
    by (6.25)-(6.27). A new kernel is a class with ``pairs``, which gets matrices that were looked at.

    What a Gaussian process may tune are the numbers above zero that `_tuned` names, those of the kernels inside, which
    `_inside` names, after them: `log_theta` are their logarithms, with `bounds`, and `slopes` the derivatives.
    """

    _tuned: ClassVar[tuple[str, ...]] = ()
    _inside: ClassVar[tuple[str, ...]] = ()

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        """Kernel matrix of the rows of X and of Z, which is X if not given."""
        X = self.looked_at(X, "X")
        Z = X if Z is None else self.looked_at(Z, "Z")
        if hasattr(X, "shape") and X.shape[1] != Z.shape[1]:
            raise ValueError(f"X has {X.shape[1]} columns and Z has {Z.shape[1]}; wanted as many.")
        return self.pairs(X, Z)

    def looked_at(self, X: Any, name: str) -> Any:
        """What came in as this kernel wants it: a float matrix, dense or CSR, unless there is a kernel inside."""
        return getattr(self, self._inside[0]).looked_at(X, name) if self._inside else _rows(X, name)

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

    @property
    def log_theta(self) -> np.ndarray:
        """Logarithms of the numbers that may be tuned."""
        own = [np.log([float(getattr(self, name)) for name in self._tuned])] if self._tuned else []
        return np.concatenate([np.empty(0), *own, *(getattr(self, name).log_theta for name in self._inside)])

    @property
    def bounds(self) -> np.ndarray:
        """Least and largest logarithm of each number that may be tuned, a row a number."""
        own = np.tile(np.log(TUNED_WITHIN), (len(self._tuned), 1))
        return np.vstack([own, *(getattr(self, name).bounds for name in self._inside)])

    def with_theta(self, theta: Any) -> "Kernel":
        """This kernel with other numbers, given as logarithms."""
        theta = np.asarray(theta, dtype=np.float64)
        if theta.shape != self.log_theta.shape:
            raise ValueError(f"theta must hold {len(self.log_theta)} numbers; got {theta.tolist()}.")
        changed: dict[str, Any] = {
            name: float(np.exp(log)) for name, log in zip(self._tuned, theta[: len(self._tuned)], strict=True)
        }
        at = len(self._tuned)
        for name in self._inside:
            part = getattr(self, name)
            changed[name] = part.with_theta(theta[at : at + len(part.log_theta)])
            at += len(part.log_theta)
        return clone(self, safe=False).set_params(**changed)

    def slopes(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Kernel matrix of the rows of X, and its derivative by each of `log_theta`."""
        if self._tuned or self._inside:
            raise NotImplementedError(f"{type(self).__name__} does not say how it changes with its parameters.")
        return self.pairs(X, X), []

    def bounded(self, **bounds: Any) -> "Kernel":
        """This kernel with bounds for tuning: ``sigma=(0.1, 10.0)``, or ``sigma="fixed"`` for none."""
        return BoundedKernel(self, bounds)

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

    _inside = ("first", "second")

    def __init__(self, first: Kernel, second: Kernel) -> None:
        self.first = first
        self.second = second

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check."""
        return self.first.pairs(X, Z) + self.second.pairs(X, Z)

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each row with itself."""
        return self.first.diagonal(X) + self.second.diagonal(X)

    def slopes(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Kernel matrix, and its derivatives."""
        (K, of_first), (L, of_second) = self.first.slopes(X), self.second.slopes(X)
        return K + L, [*of_first, *of_second]


@savable
class ProductKernel(Kernel):
    r"""The product :math:`\kappa_1(x, z) \kappa_2(x, z)` (6.26), made by ``k1 * k2``."""

    _inside = ("first", "second")

    def __init__(self, first: Kernel, second: Kernel) -> None:
        self.first = first
        self.second = second

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check."""
        return self.first.pairs(X, Z) * self.second.pairs(X, Z)

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each row with itself."""
        return self.first.diagonal(X) * self.second.diagonal(X)

    def slopes(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Kernel matrix, and its derivatives."""
        (K, of_first), (L, of_second) = self.first.slopes(X), self.second.slopes(X)
        return K * L, [*(L * one for one in of_first), *(K * one for one in of_second)]


@savable
class WeightedKernel(Kernel):
    r"""A kernel times a number above zero (6.25), made by ``2.0 * k``."""

    _tuned = ("weight",)
    _inside = ("kernel",)

    def __init__(self, kernel: Kernel, weight: float) -> None:
        self.kernel = kernel
        self.weight = weight

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check."""
        return check_real("weight", self.weight, 0, above=True) * self.kernel.pairs(X, Z)

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each row with itself."""
        return self.weight * self.kernel.diagonal(X)

    def slopes(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Kernel matrix, and its derivatives."""
        K, inside = self.kernel.slopes(X)
        whole = check_real("weight", self.weight, 0, above=True) * K
        return whole, [whole, *(self.weight * one for one in inside)]


class ScaledKernel(Kernel):
    r"""The kernel :math:`g(x) \kappa(x, z) g(z)` for any function g (6.27), made by ``k.scale_by(g)``."""

    _inside = ("kernel",)

    def __init__(self, kernel: Kernel, g: Callable[[Any], Any]) -> None:
        self.kernel = kernel
        self.g = g

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check."""
        return self._heights(X)[:, None] * self.kernel.pairs(X, Z) * self._heights(Z)

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each row with itself."""
        return self._heights(X) ** 2 * self.kernel.diagonal(X)

    def slopes(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Kernel matrix, and its derivatives."""
        K, inside = self.kernel.slopes(X)
        g = self._heights(X)
        return g[:, None] * K * g, [g[:, None] * one * g for one in inside]

    def _heights(self, X: Any) -> np.ndarray:
        heights = np.asarray(self.g(X), dtype=np.float64)
        if heights.shape != (X.shape[0],):
            raise ValueError(f"g must give one number a row, shape {(X.shape[0],)}; got shape {heights.shape}.")
        return heights


@savable
class BoundedKernel(Kernel):
    r"""A kernel with bounds of its own for tuning, made by ``k.bounded(...)``."""

    def __init__(self, kernel: Kernel, limits: dict[str, Any]) -> None:
        self.kernel = kernel
        self.limits = limits

    def looked_at(self, X: Any, name: str) -> Any:
        """What came in as the kernel wants it."""
        return self.kernel.looked_at(X, name)

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check."""
        return self.kernel.pairs(X, Z)

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each row with itself."""
        return self.kernel.diagonal(X)

    @property
    def log_theta(self) -> np.ndarray:
        """Logarithms of the numbers that may be tuned."""
        return self.kernel.log_theta[self._free()]

    @property
    def bounds(self) -> np.ndarray:
        """Least and largest logarithm of each number that may be tuned."""
        bounds = self.kernel.bounds
        for place, name in enumerate(self.kernel._tuned):
            if name in self.limits and not isinstance(self.limits[name], str):
                bounds[place] = np.log(self.limits[name])
        return bounds[self._free()]

    def with_theta(self, theta: Any) -> Kernel:
        """This kernel with other numbers, given as logarithms."""
        whole = self.kernel.log_theta
        whole[self._free()] = theta
        return BoundedKernel(self.kernel.with_theta(whole), self.limits)

    def slopes(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Kernel matrix, and its derivatives."""
        K, changes = self.kernel.slopes(X)
        return K, [one for one, free in zip(changes, self._free(), strict=True) if free]

    def _free(self) -> np.ndarray:
        """Which of the numbers of the kernel are not fixed."""
        free = np.ones(len(self.kernel.log_theta), dtype=bool)
        for name, limit in self.limits.items():
            if name not in self.kernel._tuned:
                raise ValueError(f"{type(self.kernel).__name__} has no {name!r} to tune; it has {self.kernel._tuned}.")
            if not isinstance(limit, str):
                low, high = limit
                if not 0 < low <= high < np.inf:
                    raise ValueError(f"bounds of {name} must be two numbers above 0, the lesser first; got {limit!r}.")
            elif limit != "fixed":
                raise ValueError(f"bounds of {name} must be two numbers or 'fixed'; got {limit!r}.")
            free[self.kernel._tuned.index(name)] = not isinstance(limit, str)
        return free


def _rows(X: Any, name: str) -> Any:
    return aligned(check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", input_name=name))


def require_memory(n: int, each: int = 8) -> None:
    """MemoryError before the machine is brought down by a kernel matrix of all rows, of so many bytes a pair."""
    try:
        most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not told on this system
        return
    if each * n * n > most:
        raise MemoryError(
            f"the kernel matrix of {n} rows takes {each * n * n / 2**30:.0f} GB, and the machine has "
            f"{most / 2**30:.0f}; take a sample of the rows, or Nystroem's features before a linear learner."
        )


def dots(X: Any, Z: Any) -> np.ndarray:
    """Inner products of all rows of X and all of Z, dense or sparse."""
    products = X @ Z.T
    return np.asarray(products.toarray() if sp.issparse(products) else products)


def squared_norms(X: Any) -> np.ndarray:
    """Squared length of each row, as float64."""
    if sp.issparse(X):
        return np.asarray(X.astype(np.float64).power(2).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)
