"""Targets of regressions: one column, or several at once."""

from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from lanatus.base import as_targets


def single_target(y: Any, X: Any) -> np.ndarray:
    """A target of one column, with scikit-learn's warning where it comes as a matrix of one."""
    values = as_targets(y, X)
    if values.ndim == 2 and values.shape[1] > 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {values.shape} instead.")
    return np.asarray(column_or_1d(values, warn=True), dtype=np.float64)


def several_targets(model: Any, y: Any, X: Any) -> np.ndarray:
    """A matrix of targets, one column each."""
    values = as_targets(y, X)
    if values.ndim == 1:
        single = type(model).__name__.removeprefix("MultiTask")
        raise ValueError(f"For mono-task outputs, use {single}: y has one dimension, wanted two.")
    return values
