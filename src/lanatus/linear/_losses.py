"""Losses of linear models: what a prediction eta = w'x + b costs, row by row.

A loss offers ``value`` (the weighted sum over rows), ``gradient`` and ``curvature`` (first and second derivative in
eta, row by row), ``smoothness`` (the largest curvature, infinite where there is none), ``mean`` (the prediction on the
scale of y) and, where a duality gap wants it, ``conjugate``. A new loss is a class with these names.
"""

from typing import ClassVar

import numpy as np
from scipy.special import expit, xlogy


class Loss:
    """Base of all losses; `classifies` says whether y is a class, coded 0 and 1."""

    name: ClassVar[str]
    smoothness: float = np.inf
    classifies: ClassVar[bool] = False

    def each(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """The loss of each row."""
        raise NotImplementedError

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """First derivative in eta, row by row."""
        raise NotImplementedError

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """Second derivative in eta, row by row; at a kink of the first, the larger side."""
        raise NotImplementedError

    def value(self, y: np.ndarray, eta: np.ndarray, weight: np.ndarray | None = None) -> float:
        """Weighted sum over the rows."""
        losses = self.each(y, eta)
        return float(losses.sum() if weight is None else weight @ losses)

    def mean(self, eta: np.ndarray) -> np.ndarray:
        """The prediction on the scale of y."""
        return eta

    def start(self, mean: float) -> float:
        """The best eta for rows that know nothing but the mean of y, or a guess at it."""
        return mean

    def check(self, y: np.ndarray) -> None:
        """Refuse a target that the loss has no value for."""


class Squared(Loss):
    r"""Half the squared error, :math:`\frac12 (y - \eta)^2`."""

    name = "squared"
    smoothness = 1.0

    def each(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return 0.5 * (y - eta) ** 2

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return eta - y

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.ones_like(eta)

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        """sup over eta of u eta - loss."""
        return 0.5 * u**2 + u * y


class Huber(Loss):
    r"""Squared near the target, linear farther than `width` away: few rows far off do not decide."""

    name = "huber"
    smoothness = 1.0

    def __init__(self, width: float = 1.35) -> None:
        self.width = width

    def each(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        off = np.abs(y - eta)
        return np.where(off <= self.width, 0.5 * off**2, self.width * (off - 0.5 * self.width))

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.clip(eta - y, -self.width, self.width)

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return (np.abs(y - eta) <= self.width).astype(eta.dtype)

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        """sup over eta of u eta - loss."""
        return np.where(np.abs(u) <= self.width, 0.5 * u**2 + u * y, np.inf)


class Logistic(Loss):
    r"""Log loss of a class y in {0, 1}, :math:`\ln(1 + e^\eta) - y\eta` (3.27)."""

    name = "logistic"
    smoothness = 0.25
    classifies = True

    def each(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.logaddexp(0, eta) - y * eta

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return expit(eta) - y

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        share = expit(eta)
        return share * (1 - share)

    def mean(self, eta: np.ndarray) -> np.ndarray:
        return expit(eta)

    def start(self, mean: float) -> float:
        share = min(max(mean, 1e-12), 1 - 1e-12)
        return float(np.log(share / (1 - share)))

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        """sup over eta of u eta - loss."""
        share = u + y
        inside = (share >= 0) & (share <= 1)
        share = np.clip(share, 0, 1)
        return np.where(inside, xlogy(share, share) + xlogy(1 - share, 1 - share), np.inf)


class SquaredHinge(Loss):
    r"""Squared hinge of a class y in {0, 1}, :math:`\max(0, 1 - (2y - 1)\eta)^2`."""

    name = "squared_hinge"
    smoothness = 2.0
    classifies = True

    def each(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.maximum(0, 1 - (2 * y - 1) * eta) ** 2

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        sign = 2 * y - 1
        return -2 * sign * np.maximum(0, 1 - sign * eta)

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return 2.0 * ((2 * y - 1) * eta < 1)

    def start(self, mean: float) -> float:
        return 2 * mean - 1

    def mean(self, eta: np.ndarray) -> np.ndarray:
        return (eta > 0).astype(eta.dtype)


class Poisson(Loss):
    r"""Minus the log likelihood of counts with the logarithm as link, :math:`e^\eta - y\eta`, up to a constant."""

    name = "poisson"

    def each(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.exp(eta) - y * eta

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.exp(eta) - y

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.exp(eta)

    def mean(self, eta: np.ndarray) -> np.ndarray:
        return np.exp(eta)

    def start(self, mean: float) -> float:
        return float(np.log(max(mean, 1e-12)))

    def check(self, y: np.ndarray) -> None:
        if (y < 0).any():
            raise ValueError("loss='poisson' wants y of 0 or more; got negative values.")


LOSSES: dict[str, type[Loss]] = {kind.name: kind for kind in (Squared, Huber, Logistic, SquaredHinge, Poisson)}
