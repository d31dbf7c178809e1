"""From scikit-learn's parameters ``kernel``, ``gamma``, ... to a kernel function."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import pairwise_kernels

from lanatus.catalog import savable
from lanatus.kernel.functions._distance import GaussianKernel, LaplacianKernel
from lanatus.kernel.functions._histogram import ChiSquaredKernel
from lanatus.kernel.functions._inner_product import LinearKernel, PolynomialKernel, SigmoidKernel
from lanatus.kernel.functions._kernel import Kernel
from lanatus.kernel.functions._named import CalledKernel
from lanatus.params import Choice, Function, Integer, Nothing, ParameterRule, Real, Satisfies

_BORROWED = ("additive_chi2", "cosine")
NAMES = ("chi2", "laplacian", "linear", "poly", "polynomial", "precomputed", "rbf", "sigmoid", *_BORROWED)
RULES: dict[str, ParameterRule] = {
    "kernel": Choice(*NAMES) | Function(),
    "gamma": Nothing() | Real(low=0, below=np.inf),
    "coef0": Nothing() | Real(above=-np.inf, below=np.inf),
    "degree": Nothing() | Integer(low=0) | Real(low=0, below=np.inf),
    "kernel_params": Nothing() | Satisfies(lambda value: isinstance(value, Mapping), "a dict"),
}


@savable
class BorrowedKernel(Kernel):
    """A kernel of scikit-learn's by its name."""

    def __init__(self, metric: str) -> None:
        self.metric = metric

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices that need no check."""
        if self.metric == "additive_chi2":
            X, Z = (one.toarray() if sp.issparse(one) else one for one in (X, Z))
        return np.ascontiguousarray(pairwise_kernels(X, Z, metric=self.metric))


class RowKernel(Kernel):
    """A function of two rows, and parameters for it."""

    def __init__(self, function: Callable[..., Any], params: Mapping[str, Any] | None = None) -> None:
        self.function = function
        self.params = params

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """What the function gives for each pair of rows."""
        X, Z = (one.toarray() if sp.issparse(one) else one for one in (X, Z))
        given = self.params or {}
        K = np.array([[self.function(x, z, **given) for z in Z] for x in X], dtype=np.float64).reshape(len(X), len(Z))
        if not np.isfinite(K).all():
            raise ValueError("the kernel gave NaN or infinity.")
        return K


def drop_in_kernel(
    kernel: Any, X: Any, *, gamma: Any, coef0: Any, degree: Any, kernel_params: Any = None
) -> Kernel | None:
    """The kernel that scikit-learn's `pairwise_kernels` would take; None for a precomputed one."""
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):  # its kernel objects take matrices, its functions two rows
        return CalledKernel(kernel) if hasattr(kernel, "clone_with_theta") else RowKernel(kernel, kernel_params)
    if kernel == "precomputed":
        return None
    factor = 1.0 / X.shape[1] if gamma is None else float(gamma)
    if kernel in ("poly", "polynomial"):
        return PolynomialKernel(3 if degree is None else degree, factor, 1.0 if coef0 is None else coef0)
    if kernel == "sigmoid":
        return SigmoidKernel(factor, 1.0 if coef0 is None else coef0)
    if kernel == "rbf":
        return GaussianKernel(float(np.sqrt(0.5 / factor)) if factor > 0 else np.inf)
    if kernel == "laplacian":
        return LaplacianKernel(1 / factor if factor > 0 else np.finfo(float).max, norm="l1")
    if kernel == "chi2":
        return ChiSquaredKernel(1.0 if gamma is None else float(gamma))
    return LinearKernel() if kernel == "linear" else BorrowedKernel(kernel)
