"""Rows of a kernel matrix, made when they are asked for and kept within a limit of memory."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import kernel as kernels
from lanatus.base import aligned, n_threads
from lanatus.kernel.functions._distance import GaussianKernel, fill_gaussian, gamma_of
from lanatus.kernel.functions._kernel import Kernel, squared_norms

_SMALL = 1500  # rows up to which kernels are kept as float64
_STEEP = 1e4  # gamma |x|^2 from which float32 has too few digits for the differences
_FAR = 1e15
_AT_ONCE = 1 << 23  # numbers made at once


class KernelRows:
    """The kernel matrix of some rows, of which the ones used last are kept.

    Parameters
    ----------
    kernel : Kernel or None
        The function; None where X is the kernel matrix itself.
    X : ndarray or CSR matrix
        The rows.
    megabytes : float
        How much may be kept; but at least 64 rows are.
    fine : bool
        Whether float32 is too coarse for the tolerance that is wanted.
    """

    def __init__(self, kernel: Kernel | None, X: Any, megabytes: float, *, fine: bool) -> None:
        self.n = X.shape[0]
        double = fine or self.n <= _SMALL or not _suits_float32(kernel, X)
        dtype = np.dtype(np.float64 if double else np.float32)
        self._kernel = kernel
        self._X = X if kernel is None else _in_type(kernel, X, dtype)
        self.limit = int(min(self.n, max(megabytes * 2**20 / (self.n * dtype.itemsize), 64)))
        self.kept = np.empty((self.limit, self.n), dtype=dtype)
        self._slot = np.full(self.n, -1, dtype=np.int32)  # of a row
        self._row = np.full(self.limit, -1, dtype=np.intp)  # in a slot
        self._used = np.zeros(self.limit, dtype=np.int64)  # when a slot was last asked for
        self._clock = 0
        self.computed = 0

    def fetch(self, rows: np.ndarray) -> np.ndarray:
        """Slots of some distinct rows, at most `limit`, in `kept`."""
        self._clock += 1
        slots = self._slot[rows]
        self._used[slots[slots >= 0]] = self._clock
        missing = rows[slots < 0]
        if len(missing):
            free = np.sort(np.argsort(self._used, kind="stable")[: len(missing)])
            old = self._row[free]
            self._slot[old[old >= 0]] = -1
            self._slot[missing], self._row[free], self._used[free] = free, missing, self._clock
            step = max(_AT_ONCE // self.n, 1)
            for start in range(0, len(missing), step):
                self._fill(free[start : start + step], missing[start : start + step])
            self.computed += len(missing)
        return self._slot[rows]

    def diagonal(self) -> np.ndarray:
        """The kernel of each row with itself."""
        return np.diagonal(self._X) if self._kernel is None else self._kernel.diagonal(self._X)

    def block(self, slots: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Some columns of some rows."""
        columns = columns.astype(np.int32)
        return np.asarray(kernels.take_block(self.kept, slots, columns, n_threads=n_threads()))

    def add(self, rows: np.ndarray, coefs: np.ndarray, sums: np.ndarray) -> None:
        """Add some rows, times their coefficients, to the sums."""
        for start in range(0, len(rows), self.limit):
            part = slice(start, start + self.limit)
            slots = self.fetch(rows[part])
            kernels.add_rows(self.kept, slots, np.ascontiguousarray(coefs[part]), sums, n_threads=n_threads())

    def _fill(self, slots: np.ndarray, rows: np.ndarray) -> None:
        """Compute rows into slots: in place where these lie side by side, as they do until the memory is full."""
        first, last = int(slots[0]), int(slots[-1])
        if self._kernel is None:
            self.kept[slots] = self._X[rows]
        elif isinstance(self._kernel, GaussianKernel) and not sp.issparse(self._X) and last - first == len(slots) - 1:
            fill_gaussian(self._X[rows], self._X, gamma_of(self._kernel.sigma), self.kept[first : last + 1])
        else:
            self.kept[slots] = self._kernel.pairs(self._X[rows], self._X)


def fits_float32(X: np.ndarray) -> bool:
    """Whether no number is so large that its square is infinite as float32."""
    return float(np.abs(X).max(initial=0.0)) < _FAR


def _suits_float32(kernel: Kernel | None, X: Any) -> bool:
    """Whether rows of the kernel keep six digits when the table is taken as float32."""
    if not isinstance(kernel, GaussianKernel) or sp.issparse(X):
        return True  # computed in the type of X, and then kept as float32
    if not fits_float32(X):
        return False
    centred = X - X.mean(axis=0, dtype=np.float64)
    return bool(gamma_of(kernel.sigma) * squared_norms(centred).max(initial=0.0) < _STEEP)


def _in_type(kernel: Kernel, X: Any, dtype: np.dtype) -> Any:
    """The table as the kernel computes with it: a Gaussian one of many rows in float32, about the mean."""
    if sp.issparse(X):
        return X
    if isinstance(kernel, GaussianKernel):
        if dtype == np.float32:
            X = X - X.mean(axis=0, dtype=np.float64)
        return aligned(X.astype(dtype, copy=False))
    return aligned(X.astype(np.float64, copy=False))
