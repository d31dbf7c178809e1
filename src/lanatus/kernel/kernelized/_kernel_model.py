"""What models that are sums of kernels at all rows share (theorem 6.2)."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.base import Estimator, Takes
from lanatus.kernel.functions._kernel import Kernel, require_memory
from lanatus.kernel.functions._named import kernel_named
from lanatus.kernel.svm._machine import kernel_sums, small_dense


class KernelModel(Estimator):
    r"""A function :math:`h(x) = \sum_i \alpha_i \kappa(x, x_i)` of all rows that it was learned from."""

    _takes = Takes(sparse=True)

    kernel: Any
    gamma: Any
    coef0: Any
    degree: Any
    kernel_: Kernel | None
    X_fit_: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    def _kernel_of(self, X: Any) -> Kernel | None:
        """The kernel that the parameters name."""
        return kernel_named(self.kernel, small_dense(X), gamma=self.gamma, coef0=self.coef0, degree=self.degree)

    def _learn_kernel(self, X: Any) -> None:
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix: kernel='precomputed' wants the kernel of all rows with "
                f"all rows. Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )
        if self.kernel == "precomputed" and sp.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported; give a dense matrix.")
        require_memory(X.shape[0])
        self.kernel_ = self._kernel_of(X)
        self.X_fit_ = np.empty((X.shape[0], 0)) if self.kernel_ is None else X.copy()

    def _matrix(self, X: Any, rows: Any) -> np.ndarray:
        """The kernel matrix of some rows as float64, a new one."""
        if self.kernel_ is None:
            return np.array(X[np.ix_(rows, rows)], dtype=np.float64, order="C")
        part = small_dense(X if len(rows) == X.shape[0] else X[rows]).astype(np.float64, copy=False)
        K = np.require(self.kernel_.pairs(part, part), np.float64, ["C", "W", "O"])
        if not np.isfinite(K).all():
            raise ValueError("the kernel gives NaN or infinity for these rows; scale the columns, or take another.")
        return K

    def _expansion(self, X: Any, coefs: np.ndarray) -> np.ndarray:
        """Sums of kernels at the rows: a row for each of X, a column for each row of coefficients."""
        X = self._take(X, reset=False)
        everyone = np.arange(self.X_fit_.shape[0])
        return kernel_sums(self.kernel_, X, self.X_fit_, everyone, np.ascontiguousarray(coefs), fine=True)


def positive_rows(weights: np.ndarray | None, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows that count, and how much each does."""
    if weights is None:
        return np.arange(n), np.ones(n)
    rows = np.flatnonzero(weights)
    if not len(rows):
        raise ValueError("sample_weight leaves no row with a positive weight; wanted at least one.")
    return rows, weights[rows]
