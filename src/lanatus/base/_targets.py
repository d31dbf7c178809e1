"""Targets and weights at the door: labels, numbers to predict, weights of rows."""

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_array, check_consistent_length, column_or_1d

from lanatus.base._arrays import aligned, in_floats
from lanatus.base._intake import refuse_huge


def class_codes(y: Any, X: Any, classes: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Distinct labels, sorted, and each row's position among them as int32."""
    labels = as_labels(y)
    check_consistent_length(X, labels)
    if labels.dtype.kind not in "iubU":
        check_classification_targets(labels)
    present, codes = _distinct(labels)
    if classes is None:
        return present, codes
    place = np.minimum(np.searchsorted(classes, present), len(classes) - 1)
    known = classes[place] == present
    if not known.all():
        raise ValueError(f"The target label(s) {present[~known]} in y do not exist in the initial classes {classes}")
    return classes, place.astype(np.int32)[codes]


def coded_rows(estimator: Any, X: Any, y: Any, *, least: int = 1) -> tuple[Any, np.ndarray]:
    """X as a classifier wants it, and each row's place among the labels, which it learns as `classes_`."""
    rows = estimator._take(X, reset=True)
    estimator.classes_, codes = class_codes(y, rows)
    if len(estimator.classes_) < least:
        raise ValueError(f"y has 1 class, {estimator.classes_.tolist()[0]!r}; wanted at least {least} classes.")
    return rows, codes


def _distinct(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted distinct values and each one's position, by counting or hashing where that spares the sort."""
    if labels.dtype.kind in "iub" and len(labels):
        low, high = int(labels.min()), int(labels.max())
        if high - low < max(1024, len(labels)) and high < 2**62:
            shifted = labels.astype(np.intp, copy=False) - low if low else labels.astype(np.intp, copy=False)
            counts = np.bincount(shifted)
            place = (np.cumsum(counts > 0) - 1).astype(np.int32)
            return (np.flatnonzero(counts) + low).astype(labels.dtype), place[shifted]
    if labels.dtype.kind == "U" and len(labels) > 1000:
        import pyarrow as pa

        coded = pa.array(labels).dictionary_encode()
        values = np.array(coded.dictionary.to_pylist(), dtype=labels.dtype)
        order = np.argsort(values)
        return values[order], np.argsort(order).astype(np.int32)[coded.indices.to_numpy()]
    distinct, codes = np.unique(labels, return_inverse=True)
    return distinct, codes.astype(np.int32)


def as_labels(y: Any) -> np.ndarray:
    """A target column of any kind as a one-dimensional array without holes."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None")
    if not isinstance(y, np.ndarray) and hasattr(y, "to_pylist"):  # pyarrow
        y = np.array(y.to_pylist())
    labels = column_or_1d(np.asarray(y), warn=True)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    elif labels.dtype == object:
        if any(value is None or value != value for value in labels):
            raise ValueError("Input y contains missing labels (None or NaN); drop those rows or fill them.")
        kinds = {type(value) for value in labels}
        if len(kinds) == 1 and kinds <= {str, int, bool}:
            labels = np.array(labels.tolist())
    return labels


def as_targets(y: Any, X: Any) -> np.ndarray:
    """Numbers to predict, one column or several, as floats without holes and as many as X has rows."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None")
    if not isinstance(y, np.ndarray) and hasattr(y, "to_pylist"):  # pyarrow
        y = np.array(y.to_pylist())
    with in_floats("y"):
        values = check_array(y, ensure_2d=False, dtype=[np.float64, np.float32], input_name="y", ensure_min_samples=0)
    if values.ndim not in (1, 2) or (values.ndim == 2 and not values.shape[1]):
        raise ValueError(f"y must have one or two dimensions and at least one column; got shape {values.shape}.")
    check_consistent_length(X, values)
    values = np.asarray(aligned(values))
    refuse_huge(values, "y")
    return values


def check_positive_weight(weights: Any) -> None:
    """Refuse weights of rows, or their sum, of which nothing is above zero; None means that all are one."""
    if weights is not None and not np.sum(weights) > 0:
        raise ValueError("sample_weight leaves no row with a positive weight; wanted at least one.")
