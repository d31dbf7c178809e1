"""The squared error."""

import numpy as np

from lanatus.optimize.losses._loss import Loss


class Squared(Loss):
    r"""Half the squared error, :math:`\ell(y, \eta) = \frac12 (y - \eta)^2`, whose best constant is the mean."""

    name = "squared"
    smoothness = 1.0

    def pointwise(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return 0.5 * (y - eta) ** 2

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return eta - y

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.ones_like(eta)

    def residual(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """y - eta, half of whose squares is the loss: what the solvers of least squares ask for."""
        return y - eta

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        """sup over eta of u eta - loss."""
        return 0.5 * u**2 + u * y
