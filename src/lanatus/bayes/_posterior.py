"""What all Bayes classifiers share: from prior times likelihood to answers."""

from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import ClassifierMixin

from lanatus.base import Estimator, check_is_fitted
from lanatus.scale import blockwise


class BayesClassifier(ClassifierMixin, Estimator):
    """Picks the class of the largest :math:`P(c) p(x | c)`; a class that derives from it says how large that is.

    A row that no class can explain, all of whose products are 0, says nothing: its classes keep their priors.
    """

    def _joint(self, X: Any) -> np.ndarray:
        """Logarithm of prior times likelihood, for each row and class."""
        raise NotImplementedError

    def _log_priors(self) -> np.ndarray:
        raise NotImplementedError

    @blockwise
    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of prior times likelihood, for each row and class."""
        check_is_fitted(self)
        return self._joint(X)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return self.classes_[explained(self._joint(X), self._log_priors()).argmax(axis=1)]

    @blockwise
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the probability of each class, for each row of X."""
        check_is_fitted(self)
        return log_posterior(self._joint(X), self._log_priors())

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        return np.exp(self.predict_log_proba(X))


def explained(joint: np.ndarray, log_priors: np.ndarray) -> np.ndarray:
    """Joint log probabilities, with the priors where no class can explain a row."""
    impossible = (joint == -np.inf).all(axis=1)
    return np.where(impossible[:, None], log_priors, joint) if impossible.any() else joint


def log_posterior(joint: np.ndarray, log_priors: np.ndarray) -> np.ndarray:
    """Joint log probabilities less that of the row, summed without underflow."""
    joint = explained(joint, log_priors)
    # First less the largest: of numbers like -1e16 a sum of logarithms would lose all that is below 1.
    joint = joint - joint.max(axis=1, keepdims=True)
    return np.asarray(joint - logsumexp(joint, axis=1, keepdims=True))


def logarithm(values: Any) -> np.ndarray:
    """Logarithms, that of 0 being minus infinity."""
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(values, dtype=np.float64))


def checked_priors(priors: Any, n_classes: int) -> np.ndarray:
    """Priors given by the user: one a class, none negative, together 1."""
    given = np.array(priors, dtype=np.float64)  # a copy: the caller's may change
    if given.shape != (n_classes,):
        raise ValueError(f"Number of priors must match number of classes: got {given.size}, wanted {n_classes}.")
    if (given < 0).any() or not np.isclose(given.sum(), 1.0):
        raise ValueError(f"The sum of the priors should be 1 and none negative, got {given.tolist()}.")
    return given
