"""Losses of counts and of positive amounts, with the logarithm as link."""

import numpy as np
from scipy.special import xlogy

from lanatus.optimize.losses._loss import Loss


class Poisson(Loss):
    r"""Minus the log likelihood of counts, :math:`\ell(y, \eta) = e^\eta - y\eta` up to a constant."""

    name = "poisson"
    self_concordant = True

    def pointwise(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.exp(eta) - y * eta

    def half_deviance(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return xlogy(y, y) - y * eta + np.exp(eta) - y

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.exp(eta) - y

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.exp(eta)

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        return float(np.log(max(np.average(y, weights=weight), 1e-12)))

    def inverse_link(self, eta: np.ndarray) -> np.ndarray:
        return np.exp(eta)

    def check(self, y: np.ndarray) -> None:
        if (y < 0).any():
            raise ValueError("loss='poisson' wants y of 0 or more; got negative values.")


class Gamma(Loss):
    r"""Log loss of amounts of constant relative spread, :math:`\ell(y, \eta) = \eta + ye^{-\eta}`."""

    name = "gamma"
    self_concordant = True

    def pointwise(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return eta + y * np.exp(-eta)

    def half_deviance(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return eta - np.log(y) + y * np.exp(-eta) - 1

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return 1 - y * np.exp(-eta)

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return y * np.exp(-eta)

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        return float(np.log(np.average(y, weights=weight)))

    def inverse_link(self, eta: np.ndarray) -> np.ndarray:
        return np.exp(eta)

    def check(self, y: np.ndarray) -> None:
        if not (y > 0).all():
            raise ValueError("loss='gamma' wants y > 0.")
