"""The squared hinge."""

import numpy as np

from lanatus.optimize.losses._loss import Loss


class SquaredHinge(Loss):
    r"""Squared hinge of a class y in {0, 1}, :math:`\ell(y, \eta) = \max(0, 1 - (2y - 1)\eta)^2`."""

    name = "squared_hinge"
    smoothness = 2.0
    classifies = True

    def pointwise(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.maximum(0, 1 - (2 * y - 1) * eta) ** 2

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        sign = 2 * y - 1
        return -2 * sign * np.maximum(0, 1 - sign * eta)

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return 2.0 * ((2 * y - 1) * eta < 1)

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        return 2 * float(np.average(y, weights=weight)) - 1

    def inverse_link(self, eta: np.ndarray) -> np.ndarray:
        """1 on the side of class 1: these scores are no probabilities."""
        return (eta > 0).astype(eta.dtype)
