"""Several confusion matrices in one figure: macro and micro averages."""

import warnings
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import multilabel_confusion_matrix

from lanatus.catalog import method
from lanatus.evaluation.measures._inputs import labels_of, pair_of_labels, weights_of

ZeroDivision = float | Literal["warn"]


@dataclass(frozen=True)
class Averages:
    """Averages over several confusion matrices.

    Attributes
    ----------
    precision, recall, f1 : float
        The averages.
    """

    precision: float
    recall: float
    f1: float


@method(
    section="2.3.2",
    task="evaluation",
    kind="measure",
    en="Confusion matrix of each class against the rest",
    zh="各类别的二分类混淆矩阵",
    peers=["scikit-learn:multilabel_confusion_matrix"],
)
def binary_confusions(y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None) -> np.ndarray:
    """Confusion matrices of each class against all others.

    Each is laid out as in the book, [[TP, FN], [FP, TN]], truth in rows and positives first; scikit-learn's
    ``multilabel_confusion_matrix`` has the same numbers as [[TN, FP], [FN, TP]].

    Book: section 2.3.2, table 2.1.

    Parameters
    ----------
    y_true : array-like of shape (m,)
        True labels.
    y_pred : array-like of shape (m,)
        Predicted labels.
    labels : array-like of shape (n,), default=None
        Classes, in the order wanted; None is all labels of `y_true` and `y_pred`, sorted.
    sample_weight : array-like of shape (m,), default=None
        Weights.

    Returns
    -------
    ndarray of shape (n, 2, 2)
        One matrix a class.

    Examples
    --------
    >>> from lanatus.evaluation import binary_confusions
    >>> binary_confusions(["a", "a", "b", "c"], ["a", "b", "b", "b"]).tolist()
    [[[1, 1], [0, 2]], [[1, 0], [2, 1]], [[0, 1], [0, 3]]]
    """
    truth, predicted = pair_of_labels(y_true, y_pred)
    if labels is not None:
        labels = labels_of(labels, "labels")
        if len(np.unique(labels)) < len(labels) or not np.isin(labels, np.append(truth, predicted)).any():
            raise ValueError(f"got labels={labels.tolist()}, wanted different classes, some of y_true and y_pred.")
    matrices = multilabel_confusion_matrix(
        truth,
        predicted,
        labels=labels,
        sample_weight=weights_of(sample_weight, truth),
    )
    return np.asarray(matrices)[:, ::-1, ::-1]


@method(
    "evaluation.macro-average",
    section="2.3.2",
    task="evaluation",
    kind="measure",
    en="Macro precision, recall and F1",
    zh="宏查准率、宏查全率、宏F1",
    peers=["scikit-learn:precision_recall_fscore_support"],
)
def macro_scores(
    confusion_matrices: Any,
    *,
    f1: Literal["harmonic", "mean"] = "harmonic",
    zero_division: ZeroDivision = "warn",
) -> Averages:
    """Macro precision, recall and F1: the measures of each confusion matrix, averaged.

    The book's macro-F1 is the harmonic mean of macro precision and macro recall; scikit-learn's is the mean of
    the F1 of the matrices. `f1` says which one.

    Book: section 2.3.2, (2.12) to (2.14): macro-P = mean of P_i, macro-R = mean of R_i,
    macro-F1 = 2 macro-P macro-R / (macro-P + macro-R).

    Parameters
    ----------
    confusion_matrices : array-like of shape (n, 2, 2)
        Matrices [[TP, FN], [FP, TN]]: of several runs, data sets or classes (see ``binary_confusions``).
    f1 : {"harmonic", "mean"}, default="harmonic"
        The book's macro-F1 or scikit-learn's.
    zero_division : "warn" or float, default="warn"
        Value of a ratio 0/0. "warn" is 0 with a warning; NaN leaves the matrix out of that average.

    Returns
    -------
    Averages
        Precision, recall and F1. With both averages 0, the harmonic mean is 0.

    Examples
    --------
    >>> from lanatus.evaluation import macro_scores
    >>> matrices = [[[5, 3], [2, 7]], [[1, 1], [0, 4]]]
    >>> round(macro_scores(matrices).f1, 4), round(macro_scores(matrices, f1="mean").f1, 4)
    (0.6792, 0.6667)
    """
    if f1 not in ("harmonic", "mean"):
        raise ValueError(f"got f1={f1!r}, wanted 'harmonic' (the book's) or 'mean' (scikit-learn's).")
    tp, fn, fp = _counts(confusion_matrices)
    value = _value_of_none([tp + fp, tp + fn], zero_division)
    precision, recall = _mean(_ratios(tp, tp + fp, value)), _mean(_ratios(tp, tp + fn, value))
    if f1 == "mean":
        return Averages(precision, recall, _mean(_ratios(2 * tp, 2 * tp + fp + fn, value)))
    return Averages(precision, recall, _harmonic(precision, recall))


@method(
    "evaluation.micro-average",
    section="2.3.2",
    task="evaluation",
    kind="measure",
    en="Micro precision, recall and F1",
    zh="微查准率、微查全率、微F1",
    peers=["scikit-learn:precision_recall_fscore_support"],
)
def micro_scores(confusion_matrices: Any, *, zero_division: ZeroDivision = "warn") -> Averages:
    """Micro precision, recall and F1: the measures of the averaged confusion matrix.

    TP, FP, TN and FN are averaged element by element first.

    Book: section 2.3.2, (2.15) to (2.17).

    Parameters
    ----------
    confusion_matrices : array-like of shape (n, 2, 2)
        Matrices [[TP, FN], [FP, TN]]: of several runs, data sets or classes (see ``binary_confusions``).
    zero_division : "warn" or float, default="warn"
        Value of a ratio 0/0. "warn" is 0 with a warning.

    Returns
    -------
    Averages
        Precision, recall and F1. For the matrices of all classes of one run, all three are the accuracy.

    Examples
    --------
    >>> from lanatus.evaluation import micro_scores
    >>> averages = micro_scores([[[5, 3], [2, 7]], [[1, 1], [0, 4]]])
    >>> averages.precision, averages.recall, round(averages.f1, 4)
    (0.75, 0.6, 0.6667)
    """
    tp, fn, fp = (counts.sum(keepdims=True) for counts in _counts(confusion_matrices))
    value = _value_of_none([tp + fp, tp + fn], zero_division)
    f1 = _ratios(2 * tp, 2 * tp + fp + fn, value)
    return Averages(*(float(part[0]) for part in (_ratios(tp, tp + fp, value), _ratios(tp, tp + fn, value), f1)))


@method(
    section="2.3.2",
    task="evaluation",
    kind="measure",
    en="Macro-F1 of labels",
    zh="宏F1",
    peers=["scikit-learn:f1_score"],
)
def macro_f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    f1: Literal["harmonic", "mean"] = "harmonic",
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
) -> float:
    """Macro-F1 over the classes, as the book defines it.

    It is the harmonic mean of macro precision and macro recall, which is not ``f1_score(average="macro")``, the
    mean of the classes' F1; ``f1="mean"`` gives that one.

    Book: section 2.3.2, (2.14) macro-F1 = 2 macro-P macro-R / (macro-P + macro-R).

    Parameters
    ----------
    y_true : array-like of shape (m,)
        True labels.
    y_pred : array-like of shape (m,)
        Predicted labels.
    labels : array-like of shape (n,), default=None
        Classes that count; None is all labels of `y_true` and `y_pred`.
    f1 : {"harmonic", "mean"}, default="harmonic"
        The book's macro-F1 or scikit-learn's.
    sample_weight : array-like of shape (m,), default=None
        Weights.
    zero_division : "warn" or float, default="warn"
        Value of a ratio 0/0. "warn" is 0 with a warning; NaN leaves the class out of that average.

    Returns
    -------
    float
        The macro-F1.

    Examples
    --------
    >>> from lanatus.evaluation import f1_score, macro_f1_score
    >>> truth, predicted = [0, 0, 1, 2], [0, 1, 1, 1]
    >>> round(macro_f1_score(truth, predicted, zero_division=0), 4)
    0.4706
    >>> round(f1_score(truth, predicted, average="macro", zero_division=0), 4)
    0.3889
    """
    matrices = binary_confusions(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return macro_scores(matrices, f1=f1, zero_division=zero_division).f1


def _counts(confusion_matrices: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """TP, FN and FP of each matrix."""
    try:
        matrices = np.asarray(confusion_matrices, dtype=np.float64)
    except (TypeError, ValueError):
        matrices = np.empty(0)
    if matrices.ndim != 3 or matrices.shape[1:] != (2, 2) or not len(matrices):
        raise ValueError(
            f"got confusion matrices of shape {matrices.shape}, wanted (n, 2, 2): [[TP, FN], [FP, TN]] of each class "
            "or run; binary_confusions makes them of labels."
        )
    if not np.isfinite(matrices).all() or matrices.min() < 0:
        raise ValueError("got a confusion matrix with a negative or non-finite entry, wanted counts or weights.")
    return matrices[:, 0, 0], matrices[:, 0, 1], matrices[:, 1, 0]


def _value_of_none(wholes: list[np.ndarray], zero_division: ZeroDivision) -> float:
    if zero_division != "warn":
        if not isinstance(zero_division, Real):
            raise ValueError(f"got zero_division={zero_division!r}, wanted 'warn' or a number.")
        return float(zero_division)
    if any((whole == 0).any() for whole in wholes):
        warnings.warn(
            "Some precision or recall is 0/0 (no positive predictions, or no positive examples) and taken as 0; "
            "zero_division says otherwise.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
    return 0.0


def _ratios(parts: np.ndarray, wholes: np.ndarray, value_of_none: float) -> np.ndarray:
    return np.divide(parts, wholes, out=np.full(len(parts), value_of_none), where=wholes > 0)


def _mean(values: np.ndarray) -> float:
    """Mean of those that are defined."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _harmonic(a: float, b: float) -> float:
    return 0.0 if a + b == 0 else 2 * a * b / (a + b)
