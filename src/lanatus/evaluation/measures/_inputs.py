"""What measures are given: labels, scores, probabilities and weights, checked once and in the same words."""

from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from lanatus._core import core as kernels
from lanatus.base import aligned, as_labels, class_codes, n_threads

_EXACT = 2**53  # integers beyond lose their order as doubles


class Binary(NamedTuple):
    """Two classes told apart."""

    positive: np.ndarray  # bool, one a row
    pos_label: Any
    neg_label: Any  # None where only positives were seen


def labels_of(y: Any, name: str) -> np.ndarray:
    """A column of labels without holes, at least one."""
    if y is None:
        raise ValueError(f"got {name}=None, wanted one label for each example.")
    if isinstance(y, list | tuple) and any(isinstance(label, str) for label in y):
        y = np.array(y, dtype=object)  # or NaN among strings would become the class "nan"
    labels = as_labels(y)
    if not len(labels):
        raise ValueError(f"got an empty {name}, wanted at least one label.")
    return _of_one_kind(labels, name) if labels.dtype == object else labels


def _of_one_kind(labels: np.ndarray, name: str) -> np.ndarray:
    """Numbers or strings out of objects."""
    kinds = {"text" if isinstance(label, str) else "number" if isinstance(label, Real) else "" for label in labels}
    if kinds == {"text", "number"}:
        raise ValueError(f"got numbers and strings in {name}, wanted labels of one kind; convert some of them.")
    return labels if "" in kinds else np.array(labels.tolist())


def pair_of_labels(y_true: Any, y_pred: Any) -> tuple[np.ndarray, np.ndarray]:
    """Truth and prediction, of one length and one kind."""
    truth, predicted = labels_of(y_true, "y_true"), labels_of(y_pred, "y_pred")
    same_length(truth, predicted, "y_pred")
    kinds = {"text" if labels.dtype.kind in "UO" else "numbers" for labels in (truth, predicted)}
    if len(kinds) > 1:
        raise ValueError(
            f"got y_true of type {truth.dtype} and y_pred of type {predicted.dtype}, wanted labels of one kind; "
            "convert one of them."
        )
    return truth, predicted


def same_length(truth: np.ndarray, other: np.ndarray, name: str) -> None:
    """One entry an example."""
    if len(truth) != len(other):
        raise ValueError(f"got {len(truth)} labels in y_true but {len(other)} entries in {name}, wanted as many.")


def binary_labels(y: Any, pos_label: Any = None, name: str = "y_true") -> Binary:
    """Two classes: the positive one is `pos_label`, else the greater label, as for scikit-learn's AUC."""
    labels = labels_of(y, name)
    distinct, positive = two_values(labels)
    found = distinct.tolist()
    if len(found) > 2:
        shown = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
        raise ValueError(f"got {len(found)} classes in {name} ({shown}), wanted two.")
    if pos_label is None:
        return _lone_class(found[0], len(labels), name) if len(found) == 1 else Binary(positive, found[1], found[0])
    if len(found) == 1:
        is_positive = bool(found[0] == pos_label)
        return Binary(np.full(len(labels), is_positive), pos_label, None if is_positive else found[0])
    if pos_label not in found:
        raise ValueError(
            f"got pos_label={pos_label!r}, wanted one of the labels of {name}: {found[0]!r}, {found[1]!r}."
        )
    return Binary(positive, *found[::-1]) if pos_label == found[1] else Binary(~positive, *found)


def two_values(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct labels, sorted, and which rows hold the greatest; no sort where there are two numbers."""
    if labels.dtype.kind == "b":
        seen = [value for value, here in ((False, not labels.all()), (True, labels.any())) if here]
        return np.array(seen), labels
    if labels.dtype.kind in "iuf":
        low, high = labels.min(), labels.max()
        positive = labels == high
        n_positive, n_low = np.count_nonzero(positive), np.count_nonzero(labels == low)
        if low == high:
            return np.array([low]), positive
        if n_positive + n_low == len(labels):
            return np.array([low, high]), positive
    classes, codes = class_codes(labels, labels)
    return classes, codes == len(classes) - 1


def _lone_class(label: Any, m: int, name: str) -> Binary:
    """Every example of one class: 0, -1 and False are negative, 1 and True positive, other labels need a word."""
    if not isinstance(label, str) and label in (0, -1, 1):
        return Binary(np.full(m, label == 1), 1, None if label == 1 else label)
    raise ValueError(
        f"got only the class {label!r} in {name}, wanted to know whether it is the positive one; give pos_label."
    )


def scores_of(y_score: Any, truth: np.ndarray) -> np.ndarray:
    """One score an example as aligned float32 or float64 without NaN; what is one already is not copied."""
    score = np.asarray(y_score)
    if score.dtype == object:
        score = _as_numbers(score, "y_score")
    if score.ndim == 2 and score.shape[1] == 1:
        score = score[:, 0]
    if score.ndim != 1:
        raise ValueError(f"got y_score of shape {score.shape}, wanted one score for each example.")
    if score.dtype.kind not in "biuf":
        raise ValueError(f"got y_score of type {score.dtype}, wanted numbers.")
    same_length(truth, score, "y_score")
    if score.dtype not in (np.float32, np.float64):
        if score.dtype.itemsize > 8 or (score.dtype.kind in "iu" and np.abs(score.astype(np.float64)).max() >= _EXACT):
            refuse_nan(score, "y_score")
            score = np.unique(score, return_inverse=True)[1]  # ranks order the same
        score = score.astype(np.float32 if score.dtype.itemsize < 3 else np.float64)
    score = aligned(score)
    if not kernels.all_finite(score, allow_nan=False, n_threads=n_threads()):
        refuse_nan(score, "y_score")
    return score


def probabilities_of(y_prob: Any, truth: np.ndarray, name: str = "y_prob") -> np.ndarray:
    """Probabilities as float64: one an example, or one an example and class, rows adding up to one."""
    prob = _as_numbers(y_prob, name)
    if prob.ndim not in (1, 2):
        raise ValueError(f"got {name} of shape {prob.shape}, wanted (m,) or (m, classes).")
    same_length(truth, prob, name)
    if not prob.size:
        raise ValueError(f"got {name} of shape {prob.shape}, wanted at least one probability.")
    refuse_nan(prob, name)
    if prob.min() < 0 or prob.max() > 1:
        raise ValueError(
            f"got {name} from {prob.min():g} to {prob.max():g}, wanted probabilities from 0 to 1; "
            "scores need calibrating first."
        )
    if prob.ndim == 2 and not np.allclose(prob.sum(axis=1), 1, rtol=0, atol=1e-4):
        raise ValueError(f"got rows of {name} that do not add up to 1, wanted the probabilities of all classes.")
    return prob


def _as_numbers(values: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"got {name} with entries that are no numbers, wanted numbers.") from None


def refuse_nan(values: np.ndarray, name: str) -> None:
    """One error for holes."""
    holes = int(np.count_nonzero(np.isnan(values)))
    if holes:
        raise ValueError(f"got {holes} NaN in {name}, wanted numbers; drop or fill those examples.")


def weights_of(sample_weight: Any, truth: np.ndarray) -> np.ndarray | None:
    """Weights as float64, or None where all are one."""
    if sample_weight is None:
        return None
    weights = aligned(_as_numbers(sample_weight, "sample_weight"))
    if weights.ndim != 1:
        raise ValueError(f"got sample_weight of shape {weights.shape}, wanted one weight for each example.")
    same_length(truth, weights, "sample_weight")
    if not np.isfinite(weights).all() or weights.min() < 0:
        raise ValueError("got a sample_weight that is negative, infinite or NaN, wanted numbers of 0 or more.")
    if not weights.any():
        raise ValueError("got a sample_weight of 0 for every example, wanted some above 0.")
    return weights


def class_order(truth: np.ndarray, labels: Any, n_columns: int, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Classes of the columns of `name`, and the column of each example."""
    classes = np.unique(truth) if labels is None else labels_of(labels, "labels")
    if len(classes) != n_columns:
        advice = "; give labels, the class of each column" if labels is None else ""
        raise ValueError(f"got {n_columns} columns in {name} but {len(classes)} classes, wanted as many{advice}.")
    return classes, codes_among(truth, classes, "y_true")


def codes_among(values: np.ndarray, classes: Sequence[Any] | np.ndarray, name: str) -> np.ndarray:
    """Position of each label among `classes`, which may be in any order."""
    place = {label: at for at, label in enumerate(np.asarray(classes).tolist())}
    if len(place) < len(classes):
        raise ValueError(f"got the labels {np.asarray(classes).tolist()}, wanted each of them once.")
    found, codes = class_codes(values, values)
    for label in found.tolist():
        if label not in place:
            raise ValueError(
                f"got the label {label!r} in {name}, wanted one of {list(place)}; "
                "drop those examples or name the class too."
            )
    return np.array([place[label] for label in found.tolist()])[codes]
