"""Kernels of histograms: rows of counts or shares, none below zero."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.catalog import savable
from lanatus.kernel.functions._kernel import Kernel
from lanatus.params import check_real


class HistogramKernel(Kernel):
    """A kernel of rows that have no value below zero, computed a column at a time."""

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of float matrices, looked at for values below zero."""
        X, Z = (one.toarray() if sp.issparse(one) else one for one in (X, Z))
        if X.min(initial=0) < 0 or Z.min(initial=0) < 0:
            raise ValueError(f"{type(self).__name__} takes histograms, with no value below 0; scale the columns first.")
        total = np.zeros((len(X), len(Z)), dtype=X.dtype)
        for x, z in zip(X.T, Z.T, strict=True):
            total += self._column(x[:, None], z)
        return self._of(total)

    def _column(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _of(self, total: np.ndarray) -> np.ndarray:
        return total


@savable
class ChiSquaredKernel(HistogramKernel):
    r"""The exponential chi-square kernel :math:`e^{-\gamma \sum_j (x_j - z_j)^2 / (x_j + z_j)}` of two histograms.

    A column that is 0 in both adds nothing. Cost: :math:`O(nmd)` for n rows and m others.

    Parameters
    ----------
    gamma : float, default=1.0
        Factor of the distance.

    Examples
    --------
    >>> from lanatus.kernel import ChiSquaredKernel
    >>> round(ChiSquaredKernel()([[0.5, 0.5, 0.0]], [[1.0, 0.0, 0.0]]).item(), 6)
    0.513417
    """

    _tuned = ("gamma",)

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma

    def diagonal(self, X: Any) -> np.ndarray:
        """Ones."""
        return np.ones(X.shape[0])

    def _column(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        both = x + z
        return np.divide((x - z) ** 2, both, out=np.zeros_like(both), where=both > 0)

    def _of(self, total: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(-check_real("gamma", self.gamma, 0) * total))

    def slopes(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Kernel matrix, and its derivative by the logarithm of the factor."""
        K = self.pairs(X, X)
        return K, [K * np.log(np.maximum(K, np.finfo(float).tiny))]


@savable
class HistogramIntersectionKernel(HistogramKernel):
    r"""The histogram intersection :math:`\kappa(x, z) = \sum_j \min(x_j, z_j)`.

    Cost: :math:`O(nmd)` for n rows and m others.

    Examples
    --------
    >>> from lanatus.kernel import HistogramIntersectionKernel
    >>> HistogramIntersectionKernel()([[3.0, 1.0]], [[2.0, 2.0]]).item()
    3.0
    """

    def diagonal(self, X: Any) -> np.ndarray:
        """Sum of each row."""
        return np.asarray(X.sum(axis=1), dtype=np.float64).ravel()

    def _column(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        return np.minimum(x, z)
