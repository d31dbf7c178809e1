"""Losses of quantiles, which have a kink and no curvature."""

import numpy as np

from lanatus.optimize.losses._loss import Loss


class Quantile(Loss):
    r"""The pinball loss :math:`\ell(y, \eta) = \max(q(y - \eta), (q - 1)(y - \eta))`: the q-quantile."""

    name = "quantile"

    def __init__(self, q: float) -> None:
        self.q = q

    def pointwise(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        residual = y - eta
        return np.maximum(self.q * residual, (self.q - 1) * residual)

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.where(y > eta, -self.q, 1 - self.q)

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.zeros_like(eta)

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        return weighted_quantile(y, self.q, weight)


class Absolute(Quantile):
    r"""The absolute error :math:`\ell(y, \eta) = |y - \eta|`: the median."""

    name = "absolute"

    def __init__(self) -> None:
        super().__init__(0.5)

    def pointwise(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.abs(y - eta)

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.sign(eta - y)


def weighted_quantile(x: np.ndarray, q: float, weight: np.ndarray | None) -> float:
    """The q-quantile; with weights, where their sum passes q, halfway between two values if it does so between."""
    if weight is None:
        return float(np.quantile(x, q, method="averaged_inverted_cdf"))
    order = np.argsort(x, kind="stable")
    below = np.cumsum(weight[order])
    target = q * below[-1]
    at = min(int(np.searchsorted(below, target * (1 - 1e-12))), len(x) - 1)
    if np.isclose(below[at], target, rtol=1e-12) and at + 1 < len(x):
        later = at + 1 + int(np.argmax(weight[order][at + 1 :] > 0))
        return float(0.5 * (x[order[at]] + x[order[later]]))
    return float(x[order[at]])
