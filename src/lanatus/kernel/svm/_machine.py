"""What support vector machines share: the kernel, its rows, sums over support vectors."""

import logging
import warnings
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from lanatus._core import kernel as kernels
from lanatus.base import Estimator, Floats, Integers, Takes, aligned, n_threads
from lanatus.kernel.functions._distance import GaussianKernel, gamma_of
from lanatus.kernel.functions._inner_product import LinearKernel
from lanatus.kernel.functions._kernel import Kernel, squared_norms
from lanatus.kernel.functions._named import RULES as KERNEL_RULES
from lanatus.kernel.functions._named import kernel_named
from lanatus.kernel.svm._dual import DualProblem, Solved, solve
from lanatus.kernel.svm._kernel_rows import KernelRows, fits_float32
from lanatus.params import COMMON, Flag, Integer, ParameterRule, Real

logger = logging.getLogger("lanatus")

RULES: dict[str, ParameterRule] = {
    **COMMON,
    **KERNEL_RULES,
    "tol": Real(above=0, below=np.inf),
    "cache_size": Real(above=0, below=np.inf),
    "max_iter": Integer(low=-1),
    "shrinking": Flag(),
    "nu": Real(above=0, high=1),
    "epsilon": Real(low=0, below=np.inf),
}

_FINE = 1e-5  # tolerance below which kernels are computed and kept as float64
_AT_ONCE = 1 << 21  # numbers of a kernel made at once when asked about rows
_SMALL = 1 << 22  # numbers of a sparse matrix, zeros too, up to which it is computed with as a dense one
_FEW_SUMS = 16  # up to which sums are made one by one, in an order of ours
_COARSE = 200.0  # length of the coefficients from which float32 has too few digits for their sum


class SupportVectorMachine(Estimator):
    """A model that is a sum of kernels at support vectors (6.24)."""

    _takes = Takes(sparse=True)
    _state: ClassVar = {
        "support_": Integers("support"),
        "dual_coef_": Floats("machines", "support"),
        "intercept_": Floats("planes"),
    }

    kernel: Any
    gamma: Any
    coef0: float
    degree: int
    tol: float
    cache_size: float
    max_iter: int
    verbose: Any
    kernel_: Kernel | None
    support_: np.ndarray
    support_vectors_: Any
    dual_coef_: np.ndarray
    intercept_: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    @property
    def _fine(self) -> bool:
        return self.tol < _FINE

    def _learn_kernel(self, X: Any) -> None:
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix: kernel='precomputed' wants the kernel of all rows with "
                f"all rows. Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )
        if self.kernel == "precomputed" and sp.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported; give a dense matrix.")
        self.kernel_ = kernel_named(self.kernel, small_dense(X), gamma=self.gamma, coef0=self.coef0, degree=self.degree)
        self._gamma = getattr(self.kernel_, "gamma", 0.0)
        if isinstance(self.kernel_, GaussianKernel):
            self._gamma = gamma_of(self.kernel_.sigma)
        self.shape_fit_ = X.shape

    def _kernel_rows(self, X: Any, rows: np.ndarray) -> KernelRows:
        """The kernel matrix of some rows of X."""
        part = small_dense(X[rows]) if self.kernel_ is not None else X[np.ix_(rows, rows)]
        return KernelRows(self.kernel_, part, self.cache_size, fine=self._fine)

    def _solve(self, dual: DualProblem, rows: KernelRows) -> Solved:
        solved = solve(dual, rows, tol=self.tol, max_iter=self.max_iter)
        if self.verbose:
            logger.info(
                "%s: %d pairs, %d kernel rows, violation %g",
                type(self).__name__, solved.n_iter, rows.computed, solved.violation,
            )  # fmt: skip
        self._warn_if_unconverged(solved.converged, solved.n_iter, solved.violation)
        return solved

    def _warn_if_unconverged(self, converged: bool, n_iter: int, violation: float | None = None) -> None:
        if not converged:
            left = "" if violation is None else f" by {violation:.3g}"
            warnings.warn(
                f"{type(self).__name__} did not converge: after {n_iter} steps the KKT conditions are violated{left}, "
                f"tol={self.tol:g}; raise max_iter or tol, or scale the data.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _keep_support(self, X: Any, support: np.ndarray) -> None:
        self.support_ = support.astype(np.int32)
        if self.kernel_ is not None:
            self.support_vectors_ = X[support]
        else:
            self.support_vectors_ = np.empty((0, 0))

    def _sums(self, X: Any, coefs: np.ndarray) -> np.ndarray:
        """Sums of kernels at the support vectors: a row for each of X, a column for each row of coefficients."""
        return self._sums_of(self._take(X, reset=False), coefs)

    def _sums_of(self, X: Any, coefs: np.ndarray) -> np.ndarray:
        return kernel_sums(self.kernel_, X, self.support_vectors_, self.support_, coefs, fine=self._fine)

    @property
    def coef_(self) -> Any:
        """Weights of the columns, of a linear kernel."""
        if not isinstance(self.kernel_, LinearKernel):
            raise AttributeError("coef_ is only available when using a linear kernel")
        weights = self._planes() @ self.support_vectors_
        return weights.toarray() if sp.issparse(weights) else weights

    def _planes(self) -> np.ndarray:
        """Coefficients of the support vectors, a row for each plane."""
        return self.dual_coef_


def small_dense(X: Any) -> Any:
    """A small sparse matrix as a dense one: then kernels have the same digits."""
    return X.toarray() if sp.issparse(X) and X.shape[0] * X.shape[1] <= _SMALL else X


def kernel_sums(
    kernel: Kernel | None, X: Any, vectors: Any, support: np.ndarray, coefs: np.ndarray, *, fine: bool
) -> np.ndarray:
    """Sums of kernels of the rows of X and the support vectors, in blocks of rows."""
    sums = np.zeros((X.shape[0], len(coefs)))
    if not len(support):
        return sums
    vectors = small_dense(vectors)
    if sp.issparse(X) and not sp.issparse(vectors):
        step = max(_SMALL // X.shape[1], 1)
        parts = [X[start : start + step].toarray() for start in range(0, X.shape[0], step)]
        return np.concatenate([kernel_sums(kernel, part, vectors, support, coefs, fine=fine) for part in parts])
    X, vectors = _in_type(kernel, X, vectors, coarse=not fine and float(np.linalg.norm(coefs, axis=1).max()) < _COARSE)
    step = max(_AT_ONCE // len(support), 32)
    for start in range(0, X.shape[0], step):
        part = X[start : start + step]
        K = np.ascontiguousarray(part[:, support].T) if kernel is None else kernel.pairs(vectors, part)
        if len(coefs) > _FEW_SUMS:
            sums[start : start + step] = K.T @ coefs.T
            continue
        slots = np.arange(len(support), dtype=np.int32)
        for plane, coef in enumerate(coefs):
            total = np.zeros(K.shape[1])
            kernels.add_rows(aligned(K), slots, np.ascontiguousarray(coef), total, n_threads=n_threads())
            sums[start : start + step, plane] = total
    return sums


def _in_type(kernel: Kernel | None, X: Any, vectors: Any, *, coarse: bool) -> tuple[Any, Any]:
    """Both tables in one type: float32 about the mean where the digits are enough for a Gaussian kernel."""
    if kernel is None or sp.issparse(X) or sp.issparse(vectors):
        return X, vectors
    if isinstance(kernel, GaussianKernel) and coarse:
        middle = vectors.mean(axis=0, dtype=np.float64)
        centred = vectors - middle
        if fits_float32(X) and fits_float32(vectors) and gamma_of(kernel.sigma) * squared_norms(centred).max() < 100.0:
            return aligned((X - middle).astype(np.float32)), aligned(centred.astype(np.float32))
    return aligned(X.astype(np.float64, copy=False)), aligned(vectors.astype(np.float64, copy=False))
