"""Quality of a ranking: AUC, rank loss, their multi-class form, break-even point."""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_auc_score as auc_of_many_classes

from lanatus._core import evaluation as kernels
from lanatus.base import n_threads
from lanatus.catalog import method
from lanatus.evaluation.measures._inputs import (
    binary_labels,
    class_order,
    labels_of,
    refuse_nan,
    same_length,
    scores_of,
    two_values,
    weights_of,
)


@method(
    "evaluation.auc",
    section="2.3.3",
    task="evaluation",
    kind="measure",
    en="Area under the ROC curve",
    zh="AUC (ROC曲线下面积)",
    peers=["scikit-learn:roc_auc_score"],
)
def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    sample_weight: Any = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
) -> Any:
    """Area under the ROC curve, the probability that a positive example scores higher than a negative one.

    A drop-in for scikit-learn's function: two classes are counted here, in parallel and exactly; everything else
    (`max_fpr`, several classes, several labels an example) is left to scikit-learn.

    Book: section 2.3.3, (2.20) to (2.22): AUC = 1 - l_rank, a tie counting half.

    Parameters
    ----------
    y_true : array-like of shape (m,) or (m, n_labels)
        True labels; of two, the greater is the positive class.
    y_score : array-like of shape (m,) or (m, n_classes)
        Scores, higher for the positive class. Contiguous float32 and float64 are not copied; with two classes they
        may be infinite.
    average : {"micro", "macro", "samples", "weighted"} or None, default="macro"
        For several classes or labels, see scikit-learn.
    sample_weight : array-like of shape (m,), default=None
        Weights; a pair counts the product of its two.
    max_fpr : float, default=None
        For the partial area up to this false positive rate, see scikit-learn.
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        For several classes, see scikit-learn; ``hand_till_auc`` is "ovo" with weights.
    labels : array-like of shape (n_classes,), default=None
        Classes of the columns of `y_score`.

    Returns
    -------
    float or ndarray
        The area, or one for each class with ``average=None``. With a single class in `y_true` (or a weight of 0 for
        one of two), NaN with an ``UndefinedMetricWarning``.

    Notes
    -----
    Two classes take O(m log m) time and, beyond the inputs, 4 bytes a row for the order and 1 for the class.

    Examples
    --------
    >>> from lanatus.evaluation import roc_auc_score
    >>> round(roc_auc_score([1, 1, 1, 0, 0], [0.9, 0.6, 0.6, 0.6, 0.3]), 4)
    0.8333
    """
    if np.ndim(y_true) == 1 and np.ndim(y_score) == 1 and max_fpr in (None, 1):
        classes, positive = two_values(labels_of(y_true, "y_true"))
        if len(classes) <= 2 and (classes.dtype.kind != "f" or (classes == classes.round()).all()):
            won, pairs = _pairs_won(positive, y_score, sample_weight)
            return _share(won, pairs, "The AUC")
    return auc_of_many_classes(
        y_true,
        y_score,
        average=average,
        sample_weight=sample_weight,
        max_fpr=max_fpr,
        multi_class=multi_class,
        labels=labels,
    )


@method(
    "evaluation.rank-loss",
    section="2.3.3",
    task="evaluation",
    kind="measure",
    en="Rank loss",
    zh="排序损失",
    peers=["scikit-learn:label_ranking_loss"],
)
def rank_loss(y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None) -> float:
    """Share of the pairs of a positive and a negative example that are ranked wrongly, a tie counting half.

    It is the area above the ROC curve.

    Book: section 2.3.3, (2.21) l_rank = sum over x+, x- of [I(f(x+) < f(x-)) + I(f(x+) = f(x-)) / 2] / (m+ m-), and
    (2.22) AUC = 1 - l_rank.

    Parameters
    ----------
    y_true : array-like of shape (m,)
        True labels, of two classes.
    y_score : array-like of shape (m,)
        Scores, higher for the positive class.
    pos_label : label, default=None
        The positive class; None is the greater label.
    sample_weight : array-like of shape (m,), default=None
        Weights; a pair counts the product of its two.

    Returns
    -------
    float
        The loss, from 0 to 1; NaN with an ``UndefinedMetricWarning`` where a class is absent or weighs 0.

    Examples
    --------
    >>> from lanatus.evaluation import rank_loss
    >>> round(rank_loss([1, 1, 1, 0, 0], [0.9, 0.6, 0.6, 0.6, 0.3]), 4)
    0.1667
    """
    truth = labels_of(y_true, "y_true")
    alone = pos_label is None and len(two_values(truth)[0]) == 1  # undefined, whichever class it is
    positive = np.ones(len(truth), dtype=bool) if alone else binary_labels(truth, pos_label).positive
    won, pairs = _pairs_won(positive, y_score, sample_weight)
    return _share(pairs - won, pairs, "The rank loss")


@method(
    "evaluation.multiclass-auc",
    section="2.6",
    task="evaluation",
    kind="measure",
    en="Multi-class AUC of Hand and Till",
    zh="多分类AUC",
    peers=["scikit-learn:roc_auc_score"],
)
def hand_till_auc(y_true: Any, y_score: Any, *, labels: Any = None, sample_weight: Any = None) -> float:
    """Multi-class AUC: the mean over all pairs of classes of how well their scores tell the two apart.

    It is scikit-learn's ``roc_auc_score(multi_class="ovo")``, with weights, and for scores that need not be
    probabilities.

    Book: section 2.6; M = 2 / (c (c - 1)) sum over i < j of (A(i|j) + A(j|i)) / 2, where A(i|j) is the probability
    that a member of class i has a higher score for i than a member of class j has, a tie counting half.

    Parameters
    ----------
    y_true : array-like of shape (m,)
        True labels.
    y_score : array-like of shape (m, c)
        A score for each class.
    labels : array-like of shape (c,), default=None
        Classes of the columns; None is the sorted labels of `y_true`.
    sample_weight : array-like of shape (m,), default=None
        Weights; a pair of examples counts the product of its two.

    Returns
    -------
    float
        M, from 0 to 1. Classes without examples (or of weight 0) take no part; with fewer than two others, NaN with
        an ``UndefinedMetricWarning``.

    References
    ----------
    Hand, D. J. and Till, R. J. (2001). A simple generalisation of the area under the ROC curve for multiple class
    classification problems. Machine Learning, 45, 171-186.

    Examples
    --------
    >>> from lanatus.evaluation import hand_till_auc
    >>> scores = [[0.8, 0.1, 0.1], [0.3, 0.4, 0.3], [0.2, 0.7, 0.1], [0.4, 0.1, 0.5]]
    >>> round(hand_till_auc(["a", "a", "b", "c"], scores), 4)
    0.9167
    """
    truth = labels_of(y_true, "y_true")
    score = np.asarray(y_score)
    if score.ndim != 2 or score.dtype.kind not in "biuf":
        raise ValueError(f"got y_score of shape {score.shape} and type {score.dtype}, wanted (m, classes) numbers.")
    same_length(truth, score, "y_score")
    refuse_nan(score, "y_score")
    weights = weights_of(sample_weight, truth)
    codes = class_order(truth, labels, score.shape[1], "y_score")[1]
    counts = np.ones(len(codes), dtype=bool) if weights is None else weights > 0
    rows = [np.flatnonzero((codes == c) & counts) for c in range(score.shape[1])]
    present = [c for c, own in enumerate(rows) if len(own)]
    if len(present) < 2:
        return _undefined("The AUC of Hand and Till")

    def auc_of(i: int, j: int) -> float:
        both = np.concatenate([rows[i], rows[j]])
        first = np.arange(len(both)) < len(rows[i])
        won, pairs = _pairs_won(first, score[both, i], None if weights is None else weights[both])
        return float(won / pairs)

    return float(np.mean([auc_of(i, j) for i in present for j in present if i != j]))


@method(
    "evaluation.break-even-point",
    section="2.3.2",
    task="evaluation",
    kind="measure",
    en="Break-even point",
    zh="平衡点 (BEP)",
)
def break_even_point(y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None) -> float:
    """Precision at the cut where it equals recall.

    With TP + FP predicted and m+ true positives, P = TP / (TP + FP) equals R = TP / m+ where as many are predicted
    positive as there are: after the m+ examples of the highest scores.

    Book: section 2.3.2 (printed there as "Break-Event Point").

    Parameters
    ----------
    y_true : array-like of shape (m,)
        True labels, of two classes.
    y_score : array-like of shape (m,)
        Scores, higher for the positive class.
    pos_label : label, default=None
        The positive class; None is the greater label.
    sample_weight : array-like of shape (m,), default=None
        Weights.

    Returns
    -------
    float
        The break-even point; NaN with an ``UndefinedMetricWarning`` where there are no positives.

    Notes
    -----
    Where the cut falls inside a block of tied scores (or, with weights, inside an example), the block's true
    positives are spread evenly over it. With all scores tied that gives the share of the positives. Points of the
    curve with TP = 0, where P = R = 0 in passing, are no break-even points.

    Examples
    --------
    >>> from lanatus.evaluation import break_even_point
    >>> break_even_point([1, 0, 1, 1, 0, 0, 0, 1], [8, 7, 6, 5, 4, 3, 2, 1])
    0.75
    """
    tp, fp, _ = cuts(y_true, y_score, pos_label, sample_weight)
    if tp[-1] == 0:
        return _undefined("The break-even point", "positives")
    return float(np.interp(tp[-1], tp + fp, tp) / tp[-1])


def cuts(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """TP, FP and score after each block of equal scores, from the highest down; they begin with 0, 0 and infinity."""
    positive = binary_labels(y_true, pos_label).positive
    score, weights = scores_of(y_score, positive), weights_of(sample_weight, positive)
    order = np.argsort(score)[::-1]
    score = score[order]
    ends = np.append(np.flatnonzero(score[1:] != score[:-1]), len(score) - 1)
    weights = np.ones(len(score)) if weights is None else weights[order]
    tp = np.cumsum(np.where(positive[order], weights, 0.0))[ends]
    fp = np.cumsum(np.where(positive[order], 0.0, weights))[ends]
    return np.append(0.0, tp), np.append(0.0, fp), np.append(np.inf, score[ends])


def _pairs_won(positive: np.ndarray, y_score: Any, sample_weight: Any) -> tuple[Any, Any]:
    """Twice the pairs won, a tie being half of one, and twice all pairs."""
    score, weights = scores_of(y_score, positive), weights_of(sample_weight, positive)
    marks = np.ascontiguousarray(positive).view(np.uint8)
    wide = len(score) >= 2**32
    if weights is None:
        won, pos, neg = kernels.pairs_won(score, marks, n_threads=n_threads(), wide=wide)
    else:
        won, pos, neg = kernels.weighted_pairs_won(score, marks, weights, n_threads=n_threads(), wide=wide)
    return won, 2 * pos * neg


def _share(part: Any, total: Any, measure: str) -> float:
    return min(max(float(part / total), 0.0), 1.0) if total else _undefined(measure)


def _undefined(measure: str, lack: str = "examples of two classes") -> float:
    warnings.warn(
        f"{measure} is not defined without {lack} in y_true (of weight above 0); it is NaN.",
        UndefinedMetricWarning,
        stacklevel=3,
    )
    return float("nan")
