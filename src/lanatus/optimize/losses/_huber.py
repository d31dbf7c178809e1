"""Huber's loss."""

import numpy as np

from lanatus.optimize.losses._loss import Loss


class Huber(Loss):
    r"""Squared near the target and linear beyond `width`, so that a few outliers do not decide.

    :math:`\ell = \frac12 r^2` for :math:`|r| \le \delta`, else :math:`\delta(|r| - \frac12\delta)`, with
    :math:`r = y - \eta` and :math:`\delta` the width.
    """

    name = "huber"
    smoothness = 1.0

    def __init__(self, width: float = 1.35) -> None:
        self.width = width

    def pointwise(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        distance = np.abs(y - eta)
        return np.where(distance <= self.width, 0.5 * distance**2, self.width * (distance - 0.5 * self.width))

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.clip(eta - y, -self.width, self.width)

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return (np.abs(y - eta) <= self.width).astype(eta.dtype)

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        """The root of the (rising) weighted sum of the gradients, by Newton steps kept within a bracket."""
        rows = np.ones(len(y)) if weight is None else weight
        low, high = float(y.min()), float(y.max())
        eta = float(np.average(y, weights=weight))
        for _ in range(100):
            scores = np.full(len(y), eta)
            slope, bend = float(rows @ self.gradient(y, scores)), float(rows @ self.curvature(y, scores))
            low, high = (low, eta) if slope > 0 else (eta, high)
            proposal = eta - slope / bend if bend > 0 else np.inf
            following = proposal if low <= proposal <= high else 0.5 * (low + high)
            if abs(following - eta) <= 1e-15 * max(abs(low), abs(high)):
                break
            eta = following
        return eta

    def start(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        return float(np.average(y, weights=weight))

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        """sup over eta of u eta - loss."""
        return np.where(np.abs(u) <= self.width, 0.5 * u**2 + u * y, np.inf)
