"""The squared L2 norm."""

import numpy as np

from lanatus.optimize.penalties._penalty import Penalty


class L2(Penalty):
    r""":math:`\Omega(w) = \frac{\alpha}{2}\lVert w\rVert_2^2`: ridge, weight decay."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self.parts = (0.0, alpha)

    def value(self, w: np.ndarray) -> float:
        return 0.5 * self.alpha * float((w**2).sum())

    def gradient(self, w: np.ndarray) -> np.ndarray:
        """Derivative."""
        return self.alpha * w

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        return w / (1 + step * self.alpha)

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        return np.abs(gradient + self.alpha * w)
