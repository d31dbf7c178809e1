"""Kernels about the mean of the unlabelled rows, and a plane whose mean score there is given.

With the images less their mean over the unlabelled rows, the mean score of these is the constant b itself. Set to the
share of the labels that is wanted, :math:`b = \\frac1l \\sum y_i`, it keeps the two classes in balance, and there is
no constant to learn.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from lanatus.kernel.svm import KernelRows

_RANK = 1e-10  # share of the largest eigenvalue from which on a direction counts


@dataclass(frozen=True)
class CentredKernel:
    """The kernel matrix about a mean, and the weights of the rows in that mean."""

    K: np.ndarray
    inner: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, rows: KernelRows, weight: np.ndarray) -> "CentredKernel":
        """About the mean of rows with weights."""
        K = matrix_of(rows)
        weight = weight / weight.sum()
        toward = K @ weight
        return cls(K, K - toward[:, None] - toward[None, :] + weight @ toward, weight)

    def coordinates(self) -> np.ndarray:
        """Rows in as many columns as their images have directions: Z with :math:`Z Z^\\top` the centred matrix."""
        values, vectors = eigh(self.inner)
        used = values > _RANK * max(float(values[-1]), 1e-300)
        return np.ascontiguousarray(vectors[:, used] * np.sqrt(values[used]))

    def plane(self, beta: np.ndarray, b: float) -> tuple[np.ndarray, float]:
        """Coefficients and offset in the kernel itself, of a sum over images about the mean."""
        # sum beta_i <x_i - m, x - m> + b
        plain = beta - beta.sum() * self.weight
        return plain, b - float(beta @ (self.K @ self.weight)) + float(
            beta.sum() * (self.weight @ self.K @ self.weight)
        )


def matrix_of(rows: KernelRows) -> np.ndarray:
    """The whole kernel matrix, as float64."""
    K = np.empty((rows.n, rows.n))
    for start in range(0, rows.n, rows.limit):
        part = np.arange(start, min(start + rows.limit, rows.n))
        K[part] = rows.kept[rows.fetch(part)]
    return (K + K.T) / 2


def coefficients_of(Z: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Coefficients of the rows that make a plane: the least with :math:`Z^\\top \\beta = w`; columns are orthogonal."""
    length = np.einsum("ij,ij->j", Z, Z)
    return np.asarray(Z @ (w / np.where(length > 0, length, 1.0)))
