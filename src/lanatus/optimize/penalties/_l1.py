"""The L1 norm."""

from typing import Any

import numpy as np

from lanatus.optimize.penalties._penalty import Penalty


def soft_threshold(z: np.ndarray, threshold: Any) -> np.ndarray:
    """The book's (11.14): towards zero by the threshold, and zero within it."""
    return np.sign(z) * np.maximum(np.abs(z) - threshold, 0.0)


class L1(Penalty):
    r""":math:`\Omega(w) = \alpha\lVert w\rVert_1`, which makes weights exactly zero.

    With `positive` weights below zero cost infinitely much.
    """

    def __init__(self, alpha: float, *, positive: bool = False) -> None:
        self.alpha, self.positive = alpha, positive
        self.parts = (alpha, 0.0)

    def value(self, w: np.ndarray) -> float:
        if self.positive and (w < 0).any():
            return np.inf
        return self.alpha * float(np.abs(w).sum())

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        if self.positive:
            return np.maximum(w - step * self.alpha, 0.0)
        return soft_threshold(w, step * self.alpha)

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        at_zero = np.maximum(self._pull(gradient) - self.alpha, 0.0)
        return np.where(w == 0, at_zero, np.abs(gradient + self.alpha * np.sign(w)))

    def largest_alpha(self, gradient_at_zero: np.ndarray) -> float:
        return max(float(self._pull(gradient_at_zero).max(initial=0.0)), 0.0)

    def _pull(self, gradient: np.ndarray) -> np.ndarray:
        """How hard the loss pulls a weight away from zero."""
        return -gradient if self.positive else np.abs(gradient)
