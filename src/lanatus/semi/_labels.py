"""Targets of which some are unknown."""

import warnings
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from lanatus.base import StateError, as_targets, class_codes

UNLABELLED = -1


def partial_codes(y: Any, X: Any, *, least: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Distinct labels, sorted, and each row's position among them as int32, -1 where the label is unknown.

    Unknown are -1 and whatever is missing: None, NaN, NA. The word "-1" is what NumPy makes of -1 among words, and is
    unknown too.
    """
    labels, known = _labels_of(y)
    check_consistent_length(X, labels)
    if not known.any():
        raise ValueError("y has no label at all: every one is -1 or missing; wanted some rows with their class.")
    classes, found = class_codes(labels[known], labels[known])
    if len(classes) < least:
        raise ValueError(
            f"y has 1 class among its labelled rows, {classes.tolist()[0]!r}; wanted at least {least} classes. "
            "-1 means unlabelled: name classes otherwise."
        )
    codes = np.full(len(labels), UNLABELLED, dtype=np.int32)
    codes[known] = found
    return classes, codes


def _labels_of(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Labels as an array, and which are known."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None")
    if not isinstance(y, np.ndarray) and hasattr(y, "to_pylist"):  # pyarrow
        y = np.array(y.to_pylist(), dtype=object)
    elif hasattr(y, "to_numpy") and getattr(y, "ndim", 1) == 1:
        y = y.to_numpy()
    labels = column_or_1d(np.asarray(y), warn=True)
    if labels.dtype.kind == "f":
        return labels, ~np.isnan(labels) & (labels != UNLABELLED)
    if labels.dtype.kind in "iu":
        return labels, labels != UNLABELLED
    if labels.dtype.kind == "U":
        return labels, labels != "-1"
    if labels.dtype.kind != "O":
        return labels, np.ones(len(labels), dtype=bool)
    known = np.array([not _is_unknown(value) for value in labels], dtype=bool)
    return labels, known


def _is_unknown(value: Any) -> bool:
    if value is None or (isinstance(value, str) and value == "-1"):
        return True
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return bool(value != value or value == UNLABELLED)
    return type(value).__name__ in ("NAType", "NaTType")


def partial_targets(y: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Numbers to predict, and which rows have one; NaN and None are unknown."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None")
    if not isinstance(y, np.ndarray) and hasattr(y, "to_pylist"):
        y = y.to_pylist()
    given = column_or_1d(np.asarray(y, dtype=object), warn=True)
    values = np.array([np.nan if v is None or type(v).__name__ == "NAType" else v for v in given], dtype=np.float64)
    check_consistent_length(X, values)
    known = ~np.isnan(values)
    if not known.any():
        raise ValueError("y has no number at all: every one is missing; wanted some rows with their target.")
    values[known] = as_targets(values[known], values[known])
    return values, known


class SemiSupervised:
    """Of a classifier whose y may have holes."""

    classes_: np.ndarray

    def _learn_labels(self, y: Any, X: Any, *, least: int = 1) -> np.ndarray:
        """Each row's place among the labels, which are learned as `classes_`; -1 where it has none."""
        self.classes_, codes = partial_codes(y, X, least=least)
        return codes

    def _require_classes(self, count: int) -> None:
        """StateError if a file says of another number of classes."""
        if len(self.classes_) != count:
            raise StateError(f"there are {count} columns of probabilities and {len(self.classes_)} classes")


def require_weight_of_classes(codes: np.ndarray, weight: np.ndarray, k: int) -> None:
    """Refuse a class whose labelled rows have no weight."""
    known = codes >= 0
    if (np.bincount(codes[known], weight[known], minlength=k) <= 0).any():
        raise ValueError("the labelled rows of a class have no weight; wanted one with a weight above 0 in each class.")


def require_two(estimator: Any, classes: np.ndarray) -> None:
    """Refuse more than two classes where a method knows two only."""
    if len(classes) > 2:
        raise ValueError(
            f"{type(estimator).__name__} tells two classes apart, and y has {len(classes)}: {classes.tolist()[:5]}."
        )


def warn_unreached(count: int, why: str) -> None:
    """Tell of rows that no label reaches."""
    warnings.warn(
        f"no label reaches {count} of the rows, {why}; they get the shares of the classes among the labelled rows.",
        stacklevel=4,
    )
