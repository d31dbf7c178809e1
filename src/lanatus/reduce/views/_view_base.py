"""What models of two views share: the second view, checked."""

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin

from lanatus.base import Estimator, as_targets, refuse_collection


class TwoViews(TransformerMixin, Estimator):
    """Base of models that learn from two tables of the same rows; each may have any number of columns."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def _views(self, X: Any, Y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Both views as float64 matrices with as many rows, two or more."""
        refuse_collection(self, Y)
        X = np.asarray(self._take(X, reset=True, min_rows=2), dtype=np.float64)
        Y = np.asarray(as_targets(Y, X), dtype=np.float64)
        return X, Y.reshape(len(Y), -1)

    def _second(self, Y: Any, X: np.ndarray, width: int) -> np.ndarray:
        Y = np.asarray(as_targets(Y, X), dtype=np.float64)
        Y = Y.reshape(len(Y), -1)
        if Y.shape[1] != width:
            raise ValueError(f"the second view has {Y.shape[1]} columns; wanted {width}, as in fit.")
        return Y


def whitener(C: np.ndarray, reg: float) -> np.ndarray:
    """Columns that make a covariance, plus `reg` times its mean variance, the identity; as many as it has rank."""
    values, vectors = np.linalg.eigh(C)
    largest = max(float(values[-1]), 0.0)
    keep = values > 1e-12 * largest * len(C)
    return np.asarray(vectors[:, keep] / np.sqrt(values[keep] + reg * np.trace(C) / len(C)))
