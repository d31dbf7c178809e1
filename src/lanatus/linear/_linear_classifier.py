"""What linear classifiers share: scores linear in x, and classes and probabilities from them."""

from typing import Any

import numpy as np
from scipy.special import log_softmax

from lanatus._typing import override
from lanatus.base import LogProbabilisticClassifier, WeightedClassifier
from lanatus.linear._linear_model import LinearModel
from lanatus.scale import blockwise


class LinearClassifier(WeightedClassifier, LogProbabilisticClassifier, LinearModel):
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

    @override
    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]

    @override
    @blockwise
    def predict_log_proba(self, X: Any) -> np.ndarray:
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.stack([-np.logaddexp(0, scores), -np.logaddexp(0, -scores)], axis=1)
        return np.asarray(log_softmax(scores, axis=1))

    @override
    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        return np.exp(self.predict_log_proba(X))
