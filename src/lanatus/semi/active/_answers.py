"""Labels with holes, into which answers are written."""

from typing import Any

import numpy as np

from lanatus.base import n_rows
from lanatus.semi._labels import UNLABELLED


def named(classes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Labels of codes; -1, or None among words, where there is none."""
    if not len(classes):
        return np.full(len(codes), None, dtype=object)
    named = classes[codes]
    numbers = named.dtype.kind in "iuf"
    labels = named.copy() if numbers else named.astype(object)
    labels[codes < 0] = UNLABELLED if numbers else None
    return np.asarray(labels)


def listed(y: Any, X: Any) -> list[Any]:
    """Labels as a list; None for y is no label at all."""
    if y is None:
        return [None] * n_rows(X)
    if hasattr(y, "to_pylist"):
        return list(y.to_pylist())
    return list(np.asarray(y, dtype=object) if hasattr(y, "categories") else np.asarray(y).tolist())


def merged_labels(labels: list[Any]) -> Any:
    """Labels of one kind, None for unknown ones made what that kind has for it; None if there is no label."""
    known = [v for v in labels if not is_hole(v)]
    if not known:
        return None
    if all(isinstance(v, bool | np.bool_) for v in known) or any(isinstance(v, str) for v in known):
        return np.array([None if is_hole(v) else v for v in labels], dtype=object)
    return np.array([UNLABELLED if is_hole(v) else v for v in labels])


def is_hole(value: Any) -> bool:
    """Whether a label is -1 or missing."""
    if value is None or (isinstance(value, str) and value == "-1"):
        return True
    if isinstance(value, bool | np.bool_):
        return False
    try:
        return bool(value != value or value == UNLABELLED)
    except (TypeError, ValueError):
        return True
