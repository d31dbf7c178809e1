"""The exponential loss of boosting."""

import numpy as np
from scipy.special import expit

from lanatus.optimize.losses._logistic import Logistic
from lanatus.optimize.losses._loss import Loss


class Exponential(Loss):
    r"""AdaBoost's loss of a class y in {0, 1}, :math:`\ell(y, \eta) = e^{-(2y - 1)\eta}`: half the log odds (8.5)."""

    name = "exponential"
    classifies = True
    self_concordant = True

    def pointwise(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.exp(-(2 * y - 1) * eta)

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        sign = 2 * y - 1
        return -sign * np.exp(-sign * eta)

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.exp(-(2 * y - 1) * eta)

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        return Logistic().constant(y, weight) / 2

    def inverse_link(self, eta: np.ndarray) -> np.ndarray:
        return expit(2 * eta)
