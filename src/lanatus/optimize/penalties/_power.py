"""Powers of the weights, down to the number of those that are not zero."""

import numpy as np

from lanatus.optimize.penalties._l1 import soft_threshold
from lanatus.optimize.penalties._penalty import Penalty


class Lp(Penalty):
    r""":math:`\Omega(w) = \alpha\sum_j |w_j|^p`: convex and smooth from p > 1, sparse and not convex below 1."""

    def __init__(self, alpha: float, p: float) -> None:
        self.alpha, self.p = alpha, p
        self.convex = p >= 1

    def value(self, w: np.ndarray) -> float:
        return self.alpha * float((np.abs(w) ** self.p).sum())

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        strength = step * self.alpha
        if self.p == 1:
            return soft_threshold(w, strength)
        if self.p == 2:
            return w / (1 + 2 * strength)
        return np.sign(w) * _power_prox(np.abs(w), strength, self.p)

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        size = np.where(w == 0, 1.0, np.abs(w))
        away = np.abs(gradient + self.alpha * self.p * np.sign(w) * size ** (self.p - 1))
        if self.p > 1:
            return np.where(w == 0, np.abs(gradient), away)
        # below 1 zero is a local minimum whatever the gradient
        at_zero = np.maximum(np.abs(gradient) - self.alpha, 0.0) if self.p == 1 else 0.0
        return np.where(w == 0, at_zero, away)

    def largest_alpha(self, gradient_at_zero: np.ndarray) -> float:
        return 0.0 if self.p < 1 else np.inf if self.p > 1 else float(np.abs(gradient_at_zero).max(initial=0.0))


class L0(Penalty):
    r""":math:`\Omega(w) = \alpha\lVert w\rVert_0`, the number of weights that are not zero; not convex."""

    convex = False

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha

    def value(self, w: np.ndarray) -> float:
        return self.alpha * float(np.count_nonzero(w))

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        return np.where(w**2 > 2 * step * self.alpha, w, 0.0)

    def violation(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        return np.where(w == 0, 0.0, np.abs(gradient))

    def largest_alpha(self, gradient_at_zero: np.ndarray) -> float:
        return 0.0


def _power_prox(u: np.ndarray, strength: float, p: float) -> np.ndarray:
    """The z >= 0 that minimises strength z^p + 1/2 (z - u)^2 for u >= 0, by bisection on its derivative."""
    low = np.zeros_like(u)
    if p < 1:  # the derivative falls, then rises: only beyond its lowest point is there a minimum besides zero
        low = np.full_like(u, (strength * p * (1 - p)) ** (1 / (2 - p)))
    high = np.maximum(u, low)
    for _ in range(80):
        middle = 0.5 * (low + high)
        with np.errstate(divide="ignore"):
            above = middle + strength * p * middle ** (p - 1) > u
        high, low = np.where(above, middle, high), np.where(above, low, middle)
    z = 0.5 * (low + high)
    if p < 1:
        z = np.where(strength * z**p + 0.5 * (z - u) ** 2 < 0.5 * u**2, z, 0.0)
    return z
