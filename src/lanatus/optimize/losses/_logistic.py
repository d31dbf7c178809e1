"""The log loss, of two classes and of several."""

import numpy as np
from scipy.special import expit, logit, softmax, xlogy

from lanatus.optimize.losses._loss import Loss

_LEAST = 1e-15  # a probability below is taken for this, so that its log odds are finite


class Logistic(Loss):
    r"""Log loss of a class y in {0, 1}, :math:`\ell(y, \eta) = \ln(1 + e^\eta) - y\eta` (3.27): the log odds."""

    name = "logistic"
    smoothness = 0.25
    classifies = True
    self_concordant = True

    def pointwise(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return np.logaddexp(0, eta) - y * eta

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return expit(eta) - y

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        share = expit(eta)
        return share * (1 - share)

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        return float(logit(np.clip(np.average(y, weights=weight), _LEAST, 1 - _LEAST)))

    def inverse_link(self, eta: np.ndarray) -> np.ndarray:
        return expit(eta)

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        """sup over eta of u eta - loss."""
        share = u + y
        inside = (share >= 0) & (share <= 1)
        share = np.clip(share, 0, 1)
        return np.where(inside, xlogy(share, share) + xlogy(1 - share, 1 - share), np.inf)


class Softmax(Loss):
    r"""Log loss of classes 0 to k - 1 with a score each, :math:`\ell(y, \eta) = \ln\sum_j e^{\eta_j} - \eta_y`."""

    name = "softmax"
    smoothness = 0.5
    classifies = True
    self_concordant = True

    def __init__(self, n_classes: int) -> None:
        self.n_outputs = n_classes

    def pointwise(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        shifted = eta - eta.max(axis=1, keepdims=True)
        return np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(y)), y]

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        slope = softmax(eta, axis=1)
        slope[np.arange(len(y)), y] -= 1
        return slope

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """Second derivative by each score alone: the diagonal of the Hessian of each row."""
        proba = softmax(eta, axis=1)
        return proba * (1 - proba)

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        share = np.bincount(y, weight, self.n_outputs) / (len(y) if weight is None else weight.sum())
        scores = np.log(np.maximum(share, _LEAST))
        return scores - scores.mean()

    def inverse_link(self, eta: np.ndarray) -> np.ndarray:
        return softmax(eta, axis=1)
