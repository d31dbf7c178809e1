"""How far probabilities are from frequencies."""

from typing import Any, Literal

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.measures._inputs import binary_labels, class_order, labels_of, probabilities_of, weights_of


@method(
    section="2.3",
    task="evaluation",
    kind="measure",
    en="Calibration error",
    zh="校准误差",
    peers=["torchmetrics:CalibrationError"],
)
def calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 15,
    strategy: Literal["uniform", "quantile"] = "uniform",
    norm: Literal["l1", "l2", "max"] = "l1",
    pos_label: Any = None,
    labels: Any = None,
    sample_weight: Any = None,
) -> float:
    """Distance between predicted probabilities and the frequencies that came true.

    Examples of similar probability share a bin, and each bin compares its mean probability with its frequency. With
    a column a class, the probability is that of the most probable class, and the frequency how often it was right.

    Book: section 2.3 (a measure beside its own). With W_b the share of bin b's weight and
    g_b = abs(mean probability - frequency): "l1" is sum W_b g_b, the expected calibration error; "l2" is
    sqrt(sum W_b g_b^2); "max" the greatest g_b.

    Parameters
    ----------
    y_true : array-like of shape (m,)
        True labels.
    y_prob : array-like of shape (m,) or (m, n_classes)
        Probability of the positive class, or of every class.
    n_bins : int, default=15
        Number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width, or of about equal weight. A bin takes in its upper edge; tied probabilities share a bin.
    norm : {"l1", "l2", "max"}, default="l1"
        How bins are put together.
    pos_label : label, default=None
        The positive class where `y_prob` has one dimension; None is the greater label.
    labels : array-like of shape (n_classes,), default=None
        Classes of the columns of `y_prob`; None is the sorted labels of `y_true`.
    sample_weight : array-like of shape (m,), default=None
        Weights.

    Returns
    -------
    float
        The error, from 0 to 1. Empty bins take no part.

    References
    ----------
    Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017). On calibration of modern neural networks. ICML.

    Examples
    --------
    >>> from lanatus.evaluation import calibration_error
    >>> round(calibration_error([0, 0, 1, 1], [0.1, 0.1, 0.9, 0.7], n_bins=2), 4)
    0.15
    """
    if isinstance(n_bins, bool) or not isinstance(n_bins, int | np.integer) or n_bins < 1:
        raise ValueError(f"got n_bins={n_bins!r}, wanted a whole number of 1 or more.")
    if strategy not in ("uniform", "quantile"):
        raise ValueError(f"got strategy={strategy!r}, wanted 'uniform' or 'quantile'.")
    if norm not in ("l1", "l2", "max"):
        raise ValueError(f"got norm={norm!r}, wanted 'l1', 'l2' or 'max'.")
    truth = labels_of(y_true, "y_true")
    prob = probabilities_of(y_prob, truth)
    if prob.ndim == 1:
        right = binary_labels(truth, pos_label).positive
    else:
        right = prob.argmax(axis=1) == class_order(truth, labels, prob.shape[1], "y_prob")[1]
        prob = prob.max(axis=1)
    weights = weights_of(sample_weight, truth)
    weights = np.ones(len(truth)) if weights is None else weights

    bins = np.searchsorted(_inner_edges(prob, weights, int(n_bins), strategy), prob)
    mass = np.bincount(bins, weights)
    gaps = np.abs(np.bincount(bins, weights * (prob - right)))[mass > 0]
    mass = mass[mass > 0]
    share, gaps = mass / mass.sum(), gaps / mass
    if norm == "max":
        return float(gaps.max())
    return float(share @ gaps) if norm == "l1" else float(np.sqrt(share @ gaps**2))


def _inner_edges(prob: np.ndarray, weights: np.ndarray, n_bins: int, strategy: str) -> np.ndarray:
    shares = np.linspace(0, 1, n_bins + 1)[1:-1]
    if strategy == "uniform":
        return shares
    known = weights > 0
    return np.asarray(np.quantile(prob[known], shares, weights=weights[known], method="inverted_cdf"))
