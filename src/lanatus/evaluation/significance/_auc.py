"""Tests of two areas under ROC curves, of two scores for the same cases."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.significance._critical_values import against
from lanatus.evaluation.significance._samples import labels, learner_names, level, numbers, ratio, same_length
from lanatus.evaluation.significance._verdict import Verdict, contrast
from lanatus.params import check_real


@method(
    section="2.6",
    task="comparison",
    kind="test",
    en="DeLong test of two AUCs",
    zh="DeLong检验(AUC比较)",
)
def delong_test(
    y_true: Any,
    score_a: Any,
    score_b: Any,
    *,
    pos_label: Any = None,
    alpha: float = 0.05,
    names: Sequence[str] = ("A", "B"),
) -> Verdict:
    """Test whether two scores of the same cases have the same AUC, with no assumption on their distribution.

    Each case has a placement: the share of the other class that its score is on the right side of, ties
    counting 1/2. The AUC is the mean placement; the variance of the difference of two AUCs is
    var(d over positives) / m_pos + var(d over negatives) / m_neg, d the difference of a case's placements.
    z = (AUC_a - AUC_b) / sd is held against the standard normal distribution, two-sided.

    Book: section 2.6 names the comparison of AUCs; this test is DeLong's. Cost: O(n log n).

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels, of two classes with at least two cases each.
    score_a, score_b : array-like of shape (n,)
        Scores; the higher, the more likely positive.
    pos_label : label or None, default=None
        The positive class; None is 1 or True, and has to be given for other labels.
    alpha : float, default=0.05
        Level of the test.
    names : (str, str), default=("A", "B")
        What the sentence calls the learners.

    Returns
    -------
    Verdict
        ``details`` has ``auc_a``, ``auc_b``, their ``difference`` with its ``standard_error`` and ``interval``
        at 1 - alpha, and the ``better`` learner or None.

    Notes
    -----
    Scores that rank all cases alike give z = 0 and a p-value of 1. If the AUCs differ and the estimated
    variance is 0 (one ranking perfect, the other perfectly wrong), z is infinite and the p-value 0.

    References
    ----------
    E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson: Comparing the areas under two or more correlated receiver
    operating characteristic curves: a nonparametric approach. Biometrics 44 (1988), 837-845.

    Examples
    --------
    >>> from lanatus.evaluation import delong_test
    >>> y = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> verdict = delong_test(y, [8, 7, 6, 4, 5, 3, 2, 1], [8, 3, 6, 4, 5, 7, 2, 1])
    >>> verdict.details["auc_a"], verdict.details["auc_b"], round(verdict.p_value, 3)
    (0.9375, 0.6875, 0.221)
    >>> verdict.meaning
    'No significant difference between A and B was found at level 0.05.'
    """
    a, b = _two_placements(y_true, score_a, score_b, pos_label)
    difference = _Placements(a.above - b.above, a.below - b.below)
    error = float(np.sqrt(_delong_covariance(difference, difference)))
    return _verdict("DeLong test", a, b, error, alpha, names)


@method(
    "evaluation.auc-comparison",
    section="2.6",
    task="comparison",
    kind="test",
    en="Comparison of two AUCs on the same cases, Hanley and McNeil",
    zh="AUC比较检验",
)
def hanley_mcneil_test(
    y_true: Any,
    score_a: Any,
    score_b: Any,
    *,
    r: float | None = None,
    pos_label: Any = None,
    alpha: float = 0.05,
    names: Sequence[str] = ("A", "B"),
) -> Verdict:
    """Test whether two scores of the same cases have the same AUC, with standard errors from the AUCs alone.

    z = (A_a - A_b) / sqrt(se_a^2 + se_b^2 - 2 r se_a se_b) is held against the standard normal distribution,
    two-sided, where se^2 = (A (1 - A) + (m_pos - 1)(Q1 - A^2) + (m_neg - 1)(Q2 - A^2)) / (m_pos m_neg),
    Q1 = A / (2 - A) and Q2 = 2 A^2 / (1 + A).

    Book: section 2.6 names the test (Hanley and McNeil 1983). Cost: O(n log n).

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels, of two classes with at least two cases each.
    score_a, score_b : array-like of shape (n,)
        Scores; the higher, the more likely positive.
    r : float or None, default=None
        Correlation of the two AUCs, from -1 to 1; None estimates it (see the notes).
    pos_label : label or None, default=None
        The positive class; None is 1 or True, and has to be given for other labels.
    alpha : float, default=0.05
        Level of the test.
    names : (str, str), default=("A", "B")
        What the sentence calls the learners.

    Returns
    -------
    Verdict
        As for ``delong_test``; ``details`` has ``r`` too, and ``standard_errors`` of both AUCs.

    Notes
    -----
    The paper reads r from a printed table, made for normal scores, at the mean correlation of the scores
    within the classes and the mean AUC. Here r is estimated instead as the correlation of the two AUCs by
    DeLong's covariances, which need no table and no normal scores; it is 0 where one of the variances is 0.
    To use the paper's table, pass `r`. The standard errors are the paper's in either case, so the test differs
    from ``delong_test``; they suppose exponential scores.

    Scores that rank all cases alike give z = 0 and a p-value of 1; AUCs of 0 and 1 an infinite z.

    References
    ----------
    J. A. Hanley, B. J. McNeil: The meaning and use of the area under a receiver operating characteristic (ROC)
    curve. Radiology 143 (1982), 29-36; A method of comparing the areas under receiver operating characteristic
    curves derived from the same cases. Radiology 148 (1983), 839-843.

    Examples
    --------
    >>> from lanatus.evaluation import hanley_mcneil_test
    >>> y = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> verdict = hanley_mcneil_test(y, [8, 7, 6, 4, 5, 3, 2, 1], [8, 3, 6, 4, 5, 7, 2, 1])
    >>> round(verdict.details["r"], 3), round(verdict.p_value, 3)
    (0.397, 0.172)
    """
    a, b = _two_placements(y_true, score_a, score_b, pos_label)
    if r is None:
        own = _delong_covariance(a, a) * _delong_covariance(b, b)
        r = float(np.clip(_delong_covariance(a, b) / np.sqrt(own), -1, 1)) if own > 0 else 0.0
    else:
        r = check_real("r", r, -1, 1)
    first, second = _standard_error_1982(a), _standard_error_1982(b)
    # The sum is never below (se_a - se_b)^2 >= 0, but for rounding.
    error = float(np.sqrt(max(first**2 + second**2 - 2 * r * first * second, 0.0)))
    return _verdict("Hanley-McNeil test", a, b, error, alpha, names, r=r, standard_errors=(first, second))


class _Placements(NamedTuple):
    """Of each case among the other class: counts, whole or half, so that sums of them are exact."""

    above: np.ndarray  # for each positive, the negatives below it
    below: np.ndarray  # for each negative, the positives above it

    @property
    def auc(self) -> float:
        return float(self.above.sum() / (len(self.above) * len(self.below)))


def _two_placements(y_true: Any, score_a: Any, score_b: Any, pos_label: Any) -> tuple[_Placements, _Placements]:
    truth = labels("y_true", y_true)
    positive = _positives(truth, pos_label)
    placements = []
    for name, score in (("score_a", score_a), ("score_b", score_b)):
        values = numbers(name, score, infinite=True)
        same_length("y_true", truth, name, values)
        placements.append(_place(positive, values))
    return placements[0], placements[1]


def _positives(truth: np.ndarray, pos_label: Any) -> np.ndarray:
    classes = sorted(set(truth.tolist()), key=str)
    if len(classes) != 2:
        raise ValueError(f"y_true must have two classes, positive and negative; got {len(classes)}: {classes[:5]!r}.")
    if pos_label is None:
        if set(classes) not in ({0, 1}, {-1, 1}):  # False and True equal 0 and 1
            raise ValueError(f"pos_label must say which of {classes!r} is the positive class; got None.")
        pos_label = 1
    if pos_label not in classes:
        raise ValueError(f"pos_label must be one of the classes {classes!r}; got {pos_label!r}.")
    positive = np.asarray(truth == pos_label)
    if min(positive.sum(), (~positive).sum()) < 2:
        raise ValueError(
            "y_true must have at least two cases of each class, or there is no variance to estimate; "
            f"got {int(positive.sum())} positive and {int((~positive).sum())} negative."
        )
    return positive


def _place(positive: np.ndarray, score: np.ndarray) -> _Placements:
    """A case's rank among all, less its rank in its own class, is its place in the other class."""
    from scipy.stats import rankdata

    ranks = rankdata(score)
    above = ranks[positive] - rankdata(score[positive])
    below = positive.sum() - (ranks[~positive] - rankdata(score[~positive]))
    return _Placements(above, below)


def _delong_covariance(a: _Placements, b: _Placements) -> float:
    """Estimated covariance of two mean placements."""
    m_pos, m_neg = len(a.above), len(a.below)
    positives, negatives = _covariance(a.above, b.above), _covariance(a.below, b.below)
    return positives / m_pos / m_neg**2 + negatives / m_neg / m_pos**2


def _covariance(x: np.ndarray, y: np.ndarray) -> float:
    return float(((x - x.mean()) * (y - y.mean())).sum() / (len(x) - 1))


def _standard_error_1982(placements: _Placements) -> float:
    area, m_pos, m_neg = placements.auc, len(placements.above), len(placements.below)
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    variance = area * (1 - area) + (m_pos - 1) * (q1 - area**2) + (m_neg - 1) * (q2 - area**2)
    return float(np.sqrt(max(variance, 0.0) / (m_pos * m_neg)))


def _verdict(
    test: str, a: _Placements, b: _Placements, error: float, alpha: float, names: Sequence[str], **details: Any
) -> Verdict:
    alpha, names = level(alpha), learner_names(names, 2)
    difference = a.auc - b.auc
    found = against("normal", ratio(difference, error), alpha)
    better, meaning = contrast(names, difference, found["reject"], alpha, lower_is_better=False)
    half = found["critical_value"] * error
    return Verdict(
        test=test,
        null=f"the AUCs of {names[0]} and {names[1]} are equal",
        meaning=meaning,
        details={
            "auc_a": a.auc,
            "auc_b": b.auc,
            "difference": difference,
            "standard_error": error,
            "interval": (difference - half, difference + half),
            "better": better,
            **details,
        },
        **found,
    )
