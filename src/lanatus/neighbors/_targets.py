"""Labels and numbers that neighbours vote on: one column, or several."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from lanatus.base import as_targets, class_codes


def learn_labels(model: Any, y: Any, rows: Any) -> np.ndarray:
    """Codes of the labels, a column an output; `classes_` is a list where y has several columns."""
    columns = np.asarray(y)
    model.outputs_2d_ = columns.ndim == 2 and columns.shape[1] > 1
    if not model.outputs_2d_:
        model.classes_, codes = class_codes(y, rows)
        return codes[:, None]
    check_consistent_length(rows, columns)
    coded = [class_codes(columns[:, j], rows) for j in range(columns.shape[1])]
    model.classes_ = [classes for classes, _ in coded]
    return np.stack([codes for _, codes in coded], axis=1)


def classes_of(model: Any) -> list[np.ndarray]:
    """The classes of each output."""
    return model.classes_ if model.outputs_2d_ else [model.classes_]


def learn_numbers(model: Any, y: Any, rows: Any) -> np.ndarray:
    """Numbers to predict, a column an output."""
    targets = as_targets(y, rows)
    model.outputs_2d_ = targets.ndim == 2
    return targets[:, None] if targets.ndim == 1 else targets
