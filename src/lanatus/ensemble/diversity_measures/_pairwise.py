"""How much two classifiers differ."""

from typing import Any

import numpy as np

from lanatus.base import as_labels
from lanatus.catalog import method

__all__ = ["correlation_coefficient", "disagreement", "kappa_statistic", "q_statistic"]


def _pair(pred_i: Any, pred_j: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two answers as arrays of the same length; as right or wrong where the truth is given."""
    one, other = as_labels(pred_i), as_labels(pred_j)
    if len(one) != len(other) or not len(one):
        raise ValueError(f"the two must answer the same rows, at least one; got {len(one)} and {len(other)} answers.")
    if y is None:
        return one, other
    truth = as_labels(y)
    if len(truth) != len(one):
        raise ValueError(f"y must have a label for each of the {len(one)} answers; got {len(truth)}.")
    return one == truth, other == truth


def _table(pred_i: Any, pred_j: Any, y: Any, who: str) -> tuple[float, float, float, float]:
    """a, b, c, d: counts of (+, +), (+, -), (-, +), (-, -)."""
    one, other = _pair(pred_i, pred_j, y)
    labels = np.unique(np.concatenate([one, other]))
    if len(labels) > 2:
        raise ValueError(f"{who} is defined for two classes, got {len(labels)}; give y to compare right and wrong.")
    one, other = one == labels[-1], other == labels[-1]
    counts = np.bincount(2 * ~one + ~other, minlength=4)
    a, b, c, d = (float(count) for count in counts)
    return a, b, c, d


@method(
    "ensemble.disagreement-measure",
    section="8.5.2",
    task="evaluation",
    kind="measure",
    en="Disagreement measure",
    zh="不合度量",
    peers=["DESlib:disagreement_measure"],
)
def disagreement(pred_i: Any, pred_j: Any, y: Any = None) -> float:
    """Share of the rows on which two classifiers say different things.

    Book: section 8.5.2. dis = (b + c) / m (8.37), from 0 to 1, larger for more diverse ones; any number of classes.
    Cost: O(m).

    Parameters
    ----------
    pred_i, pred_j : array-like of shape (n_samples,)
        Answers of the two.
    y : array-like of shape (n_samples,), optional
        True labels: then it is whether the two are right that is compared, not what they say.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.ensemble import disagreement
    >>> disagreement([1, 1, -1, -1], [1, -1, -1, -1])
    0.25
    """
    one, other = _pair(pred_i, pred_j, y)
    return float(np.mean(one != other))


@method(
    "ensemble.correlation-diversity",
    section="8.5.2",
    task="evaluation",
    kind="measure",
    en="Correlation coefficient of two classifiers",
    zh="相关系数",
    peers=["DESlib:correlation_coefficient"],
)
def correlation_coefficient(pred_i: Any, pred_j: Any, y: Any = None) -> float:
    r"""Correlation of the answers of two classifiers for two classes.

    Book: section 8.5.2. :math:`\rho = (ad - bc) / \sqrt{(a + b)(a + c)(c + d)(b + d)}` (8.38), from -1 to 1, 0 for
    unrelated ones. It is 0 by definition where one of them says the same of all rows (the formula is 0/0). Cost: O(m).

    Parameters
    ----------
    pred_i, pred_j : array-like of shape (n_samples,)
        Answers of the two, with two classes at most unless `y` is given.
    y : array-like of shape (n_samples,), optional
        True labels: then it is whether the two are right that is compared, not what they say.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.ensemble import correlation_coefficient
    >>> round(correlation_coefficient([1, 1, -1, -1], [1, -1, -1, -1]), 4)
    0.5774
    """
    a, b, c, d = _table(pred_i, pred_j, y, "correlation_coefficient")
    below = np.sqrt((a + b) * (a + c) * (c + d) * (b + d))
    return float((a * d - b * c) / below) if below else 0.0


@method(
    "ensemble.q-statistic",
    section="8.5.2",
    task="evaluation",
    kind="measure",
    en="Q-statistic",
    zh="Q-统计量",
    peers=["DESlib:Q_statistic"],
)
def q_statistic(pred_i: Any, pred_j: Any, y: Any = None) -> float:
    r"""Yule's Q of two classifiers for two classes.

    Book: section 8.5.2. :math:`Q = (ad - bc) / (ad + bc)` (8.39), of the sign of :math:`\rho`, and never smaller in
    size: the printed :math:`|Q| \le |\rho|` should read :math:`|Q| \ge |\rho|`. It is 0 by definition where
    ad = bc = 0. Cost: O(m).

    Parameters
    ----------
    pred_i, pred_j : array-like of shape (n_samples,)
        Answers of the two, with two classes at most unless `y` is given.
    y : array-like of shape (n_samples,), optional
        True labels: then it is whether the two are right that is compared, not what they say.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.ensemble import q_statistic
    >>> q_statistic([1, 1, -1, -1], [1, -1, -1, -1])
    1.0
    """
    a, b, c, d = _table(pred_i, pred_j, y, "q_statistic")
    below = a * d + b * c
    return float((a * d - b * c) / below) if below else 0.0


@method(
    "ensemble.kappa-statistic",
    section="8.5.2",
    task="evaluation",
    kind="measure",
    en="Kappa statistic",
    zh="κ-统计量",
    peers=["scikit-learn:cohen_kappa_score"],
)
def kappa_statistic(pred_i: Any, pred_j: Any, y: Any = None) -> float:
    r"""Agreement of two classifiers beyond what chance would give.

    Book: section 8.5.2. :math:`\kappa = (p_1 - p_2) / (1 - p_2)` (8.40), with :math:`p_1` the share of agreement (8.41)
    and :math:`p_2` that of two unrelated classifiers with the same shares of classes (8.42): 1 for full agreement, 0
    for chance. Where both say the same one class of all rows it is 1 by definition (the formula is 0/0). Any number of
    classes. Cost: O(m log m).

    Parameters
    ----------
    pred_i, pred_j : array-like of shape (n_samples,)
        Answers of the two.
    y : array-like of shape (n_samples,), optional
        True labels: then it is whether the two are right that is compared, not what they say.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.ensemble import kappa_statistic
    >>> kappa_statistic([1, 1, -1, -1], [1, -1, -1, -1])
    0.5
    """
    one, other = _pair(pred_i, pred_j, y)
    labels, codes = np.unique(np.concatenate([one, other]), return_inverse=True)
    m = len(one)
    counts = [np.bincount(half, minlength=len(labels)) for half in (codes[:m], codes[m:])]
    together, by_chance = int(np.sum(one == other)) * m, int(counts[0] @ counts[1])  # times m^2, exact
    return float((together - by_chance) / (m * m - by_chance)) if by_chance < m * m else 1.0
