"""Rates of a confusion matrix of two classes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.measures._inputs import binary_labels, pair_of_labels, weights_of


@dataclass(frozen=True)
class Rates:
    """Rates of two classes; a rate of no examples is NaN.

    Attributes
    ----------
    tp, fn, fp, tn : float
        Weight of the examples of each kind.
    tpr, fpr : float
        True and false positive rate.
    tnr, fnr : float
        True and false negative rate.
    precision, recall : float
        Precision, and recall, which is the true positive rate.
    """

    tp: float
    fn: float
    fp: float
    tn: float
    tpr: float
    fpr: float
    tnr: float
    fnr: float
    precision: float
    recall: float


@dataclass(frozen=True)
class TypeErrors:
    """Probabilities of the two ways to be wrong; NaN where their class is absent.

    Attributes
    ----------
    type_i : float
        Share of the negatives that were judged positive.
    type_ii : float
        Share of the positives that were judged negative.
    """

    type_i: float
    type_ii: float


@method(
    "evaluation.tpr-fpr",
    section="2.3.3",
    task="evaluation",
    kind="measure",
    en="True and false positive rates",
    zh="真正例率、假正例率",
    peers=["scikit-learn:class_likelihood_ratios"],
)
def rates(y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None) -> Rates:
    """True and false positive and negative rates, precision and recall, at once.

    They are ratios of the four numbers of the confusion matrix of two classes.

    Book: section 2.3.3, (2.18) TPR = TP / (TP + FN), (2.19) FPR = FP / (TN + FP), and exercise 2.4: TPR is recall,
    and precision = TPR m+ / (TPR m+ + FPR m-).

    Parameters
    ----------
    y_true : array-like of shape (m,)
        True labels, of two classes.
    y_pred : array-like of shape (m,)
        Predicted labels.
    pos_label : label, default=None
        The positive class; None is the greater label: 1 of 0 and 1, "yes" of "no" and "yes".
    sample_weight : array-like of shape (m,), default=None
        Weights.

    Returns
    -------
    Rates
        The rates and the counts. A ratio 0/0, of a class without examples or of no positive prediction, is NaN.

    Examples
    --------
    >>> from lanatus.evaluation import rates
    >>> r = rates([1, 1, 1, 0, 0], [1, 1, 0, 1, 0])
    >>> round(r.tpr, 3), r.fpr, round(r.precision, 3)
    (0.667, 0.5, 0.667)
    """
    truth, predicted = pair_of_labels(y_true, y_pred)
    both = binary_labels(np.concatenate([truth, predicted]), pos_label, "y_true and y_pred").positive
    weights = weights_of(sample_weight, truth)
    counts = np.bincount(2 * ~both[: len(truth)] + ~both[len(truth) :], weights=weights, minlength=4)
    tp, fn, fp, tn = counts.astype(float).tolist()
    tpr, fpr = _ratio(tp, tp + fn), _ratio(fp, fp + tn)
    tnr, fnr = _ratio(tn, fp + tn), _ratio(fn, tp + fn)
    return Rates(tp, fn, fp, tn, tpr, fpr, tnr, fnr, precision=_ratio(tp, tp + fp), recall=tpr)


@method(
    "evaluation.type-i-ii-error",
    section="CB 2.2.1",
    task="evaluation",
    kind="measure",
    en="Type I and type II error",
    zh="第一类、第二类错误",
)
def type_errors(y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None) -> TypeErrors:
    """Type I error, a negative judged positive, and type II error, a positive judged negative.

    They are the false positive rate and the false negative rate.

    Cookbook: section 2.2.1; type I = FP / (FP + TN), type II = FN / (TP + FN).

    Parameters
    ----------
    y_true : array-like of shape (m,)
        True labels, of two classes.
    y_pred : array-like of shape (m,)
        Predicted labels.
    pos_label : label, default=None
        The positive class; None is the greater label.
    sample_weight : array-like of shape (m,), default=None
        Weights.

    Returns
    -------
    TypeErrors
        The two rates, NaN where their class has no examples.

    Examples
    --------
    >>> from lanatus.evaluation import type_errors
    >>> type_errors(["是", "是", "否", "否"], ["是", "否", "否", "否"])
    TypeErrors(type_i=0.0, type_ii=0.5)
    """
    found = rates(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    return TypeErrors(type_i=found.fpr, type_ii=found.fnr)


def _ratio(part: float, total: float) -> float:
    return part / total if total > 0 else float("nan")
