"""What linear classifiers share: scores linear in x, and classes and probabilities from them."""

from typing import Any

import numpy as np
from scipy.special import log_softmax
from sklearn.base import ClassifierMixin

from lanatus.linear._linear_model import LinearModel
from lanatus.scale import blockwise


class LinearClassifier(ClassifierMixin, LinearModel):
    """A classifier whose scores are w'x + b: one for two classes, the log odds of the second, else one a class."""

    classes_: np.ndarray

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of each row: for two classes the log odds of the second, else one a class.

        Parameters
        ----------
        X : array, frame, sparse matrix, scanned source or Dask collection of shape (n_samples, n_features)
            The attributes.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        scores = self._linear(X)
        return scores.ravel() if scores.shape[1] == 1 else scores

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]

    @blockwise
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the probability of each class, for each row of X."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.stack([-np.logaddexp(0, scores), -np.logaddexp(0, -scores)], axis=1)
        return np.asarray(log_softmax(scores, axis=1))

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        return np.exp(self.predict_log_proba(X))
