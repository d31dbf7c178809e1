"""From a parameter ``kernel=...`` to a kernel function."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.kernel.functions._distance import GaussianKernel, LaplacianKernel
from lanatus.kernel.functions._inner_product import LinearKernel, PolynomialKernel, SigmoidKernel
from lanatus.kernel.functions._kernel import Kernel
from lanatus.params import Choice, Function, Integer, ParameterRule, Real

NAMES = ("linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed")
RULES: dict[str, ParameterRule] = {
    "kernel": Choice(*NAMES) | Function(),
    "gamma": Choice("scale", "auto") | Real(low=0, below=np.inf),
    "coef0": Real(above=-np.inf, below=np.inf),
    "degree": Integer(low=0),
}


class CalledKernel(Kernel):
    """A function of two matrices as a kernel; what it gives is looked at."""

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function = function

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """What the function gives for float matrices."""
        K = self.function(X, Z)
        K = np.asarray(K.toarray() if sp.issparse(K) else K, dtype=np.float64)
        wanted = (X.shape[0], Z.shape[0])
        if K.shape != wanted:
            raise ValueError(f"the kernel must give a matrix of shape {wanted}, a row for each of X; got {K.shape}.")
        if not np.isfinite(K).all():
            raise ValueError("the kernel gave NaN or infinity.")
        return np.ascontiguousarray(K)


def kernel_named(kernel: Any, X: Any, *, gamma: Any, coef0: float, degree: int) -> Kernel | None:
    """The kernel that a parameter names, with widths taken from X; None for a precomputed one."""
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return CalledKernel(kernel)
    if kernel == "precomputed":
        return None
    if kernel == "linear":
        return LinearKernel()
    factor = gamma_for(gamma, X)
    if kernel == "poly":
        return PolynomialKernel(degree, factor, coef0)
    if kernel == "sigmoid":
        return SigmoidKernel(factor, coef0)
    if kernel == "laplacian":
        return LaplacianKernel(1 / factor if factor > 0 else np.finfo(float).max)
    return GaussianKernel(np.sqrt(0.5 / factor) if factor > 0 else np.inf)


def gamma_for(gamma: Any, X: Any) -> float:
    """scikit-learn's factor: "scale" is one over columns times variance, "auto" one over columns."""
    if gamma == "auto":
        return 1.0 / X.shape[1]
    if gamma != "scale":
        return float(gamma)
    if sp.issparse(X):
        mean = float(X.mean(dtype=np.float64))
        variance = float(X.multiply(X).mean(dtype=np.float64)) - mean**2
    else:
        variance = float(X.var(dtype=np.float64))
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
