"""The cut point of a ranking: where to stop saying "positive"."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.measures._ranking import cuts

_BETAS = {"precision": 0.5, "balance": 1.0, "recall": 2.0}


@dataclass(frozen=True)
class CutPoint:
    """Where a ranking is cut, and what that gives.

    Attributes
    ----------
    threshold : float
        Examples that score this or more are called positive.
    n_positive : float
        How many they are, by weight.
    precision : float
        Share of them that are positive.
    recall : float
        Share of all positives that is among them.
    """

    threshold: float
    n_positive: float
    precision: float
    recall: float

    def f_score(self, beta: float = 1.0) -> float:
        """F measure (2.11): recall counts `beta` times as much as precision."""
        return float(_f_scores(np.array(self.precision), np.array(self.recall), beta))


@method(
    "evaluation.cut-point",
    section="2.3.3",
    task="evaluation",
    kind="measure",
    en="Cut point that favours precision or recall",
    zh="截断点",
    peers=["scikit-learn:TunedThresholdClassifierCV"],
)
def choose_cut_point(
    y_true: Any,
    y_score: Any,
    favour: str | float = "balance",
    *,
    at_least: float | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> CutPoint:
    r"""Cut a ranking where it serves a task best: early for precision, late for recall.

    The cut with the largest :math:`F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}` (2.11), or, with `at_least`,
    the best one among those whose precision (or recall) is high enough.

    Book: section 2.3.3. Cost: :math:`O(m \log m)`.

    Parameters
    ----------
    y_true : array-like of shape (m,)
        True labels, of two classes.
    y_score : array-like of shape (m,)
        Scores, higher for the positive class.
    favour : {"precision", "balance", "recall"} or float, default="balance"
        What counts more: :math:`\beta` = 0.5, 1 or 2, or any other number above 0.
    at_least : float or None, default=None
        Least precision (with ``favour="precision"``) or recall (with ``favour="recall"``): of the cuts that reach it,
        the one with the largest recall (or precision).
    pos_label : label, default=None
        The positive class; None is the greater label.
    sample_weight : array-like of shape (m,), default=None
        Weights.

    Returns
    -------
    CutPoint
        Of cuts that are equally good, the one that calls fewest examples positive.

    Examples
    --------
    >>> from lanatus.evaluation import choose_cut_point
    >>> truth, scores = [1, 1, 0, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    >>> choose_cut_point(truth, scores, "precision")
    CutPoint(threshold=7.0, n_positive=2.0, precision=1.0, recall=0.5)
    >>> choose_cut_point(truth, scores, "recall", at_least=0.9).threshold
    2.0
    """
    beta = _beta(favour)
    if at_least is not None:
        _check_bound(favour, at_least)
    tp, fp, threshold = cuts(y_true, y_score, pos_label, sample_weight)
    if tp[-1] == 0:
        raise ValueError("got no positive example (of weight above 0) in y_true, wanted some: recall has no meaning.")
    some = tp + fp > 0  # a cut before the first example of weight above 0 selects nothing
    tp, fp, threshold = tp[some], fp[some], threshold[some]
    precision, recall = tp / (tp + fp), tp / tp[-1]
    worth = _f_scores(precision, recall, beta)
    if at_least is not None:
        reached, worth = (precision, recall) if favour == "precision" else (recall, precision)
        if reached.max() < at_least:
            raise ValueError(f"no cut has a {favour} of {at_least:g}; the best one reaches {reached.max():.4g}.")
        worth = np.where(reached >= at_least, worth, -1.0)
    best = int(np.argmax(worth))
    return CutPoint(float(threshold[best]), float((tp + fp)[best]), float(precision[best]), float(recall[best]))


def _beta(favour: str | float) -> float:
    if isinstance(favour, str) and favour in _BETAS:
        return _BETAS[favour]
    if isinstance(favour, Real) and not isinstance(favour, bool) and 0 < float(favour) < np.inf:
        return float(favour)
    raise ValueError(f"got favour={favour!r}, wanted {', '.join(map(repr, _BETAS))} or a number above 0.")


def _check_bound(favour: str | float, at_least: Any) -> None:
    if favour not in ("precision", "recall"):
        raise ValueError(f"at_least bounds one of them: wanted favour='precision' or 'recall', got {favour!r}.")
    if not isinstance(at_least, Real) or not 0 < float(at_least) <= 1:
        raise ValueError(f"got at_least={at_least!r}, wanted a number above 0 and up to 1.")


def _f_scores(precision: np.ndarray, recall: np.ndarray, beta: float) -> np.ndarray:
    below = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / np.where(below > 0, below, 1.0)
