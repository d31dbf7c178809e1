"""Classes by scores of one side against the others."""

from abc import abstractmethod
from typing import Any

import numpy as np

from lanatus.base import check_is_fitted
from lanatus.scale import blockwise


class OneAgainstRest:
    """Of a classifier with a score a class: of two classes one, above zero for the second."""

    classes_: np.ndarray

    @abstractmethod
    def _scores(self, X: Any) -> np.ndarray:
        """Scores of new rows, (rows, sides)."""

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """How far on the side of the second of two classes each row is; of several classes, of each."""
        check_is_fitted(self)
        scores = self._scores(X)
        return scores.ravel() if scores.shape[1] == 1 else scores

    @staticmethod
    def _codes(scores: np.ndarray) -> np.ndarray:
        return (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        scores = self.decision_function(X)
        return self.classes_[self._codes(scores.reshape(len(scores), -1))]
