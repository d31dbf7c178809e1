"""The cost curve: what a ranking costs under every class balance and every ratio of costs."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.measures._ranking import cuts


@dataclass(frozen=True, eq=False)
class CostCurve:
    """Normalised cost against the positive-probability cost P(+)cost.

    Each cut point is a segment from (0, FPR) to (1, FNR). The curve is their lower envelope, which is exact: `x` and
    `y` hold the points where it bends.

    Attributes
    ----------
    fpr, fnr : ndarray of shape (n,)
        Ends of the segments of all cut points, from "all negative" to "all positive".
    best : ndarray of int
        Which segments make the envelope, from left to right.
    x, y : ndarray of shape (len(best) + 1,)
        The envelope: segment ``best[k]`` from ``x[k]`` to ``x[k + 1]``.
    """

    fpr: np.ndarray
    fnr: np.ndarray
    best: np.ndarray
    x: np.ndarray
    y: np.ndarray

    @property
    def area(self) -> float:
        """Expected total cost over all conditions, each P(+)cost being as likely as any other."""
        return float(np.trapezoid(self.y, self.x))

    def at(self, p: Any, cost_fn: float = 1.0, cost_fp: float = 1.0) -> Any:
        """Normalised cost of the best cut point where positives have probability `p` and errors these costs."""
        share = np.asarray(p, dtype=np.float64)
        if not ((share >= 0) & (share <= 1)).all():
            raise ValueError(f"got p={p!r}, wanted probabilities from 0 to 1.")
        for name, cost in (("cost_fn", cost_fn), ("cost_fp", cost_fp)):
            if not isinstance(cost, Real) or not (np.isfinite(cost) and cost > 0):
                raise ValueError(f"got {name}={cost!r}, wanted a number above 0.")
        x = share * cost_fn / (share * cost_fn + (1 - share) * cost_fp)
        height = np.interp(x, self.x, self.y)
        return float(height) if height.ndim == 0 else height


@method(
    "evaluation.cost-curve",
    section="2.3.4",
    task="evaluation",
    kind="measure",
    en="Cost curve",
    zh="代价曲线",
)
def cost_curve(y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None) -> CostCurve:
    """Cost curve of a ranking: the least normalised cost for every class balance and ratio of costs.

    The area under it is the expected total cost of the learner over all conditions.

    Book: section 2.3.4; x is (2.24) P(+)cost = p cost_01 / (p cost_01 + (1 - p) cost_10), y is (2.25)
    cost_norm = FNR x + FPR (1 - x) at the best cut point.

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
    CostCurve
        Segments and envelope. "All negative" and "all positive" are among the cut points, so the curve is never
        above min(x, 1 - x); its area is 1/4 at worst and 0 for an ideal ranking.

    Notes
    -----
    A single class in `y_true` is refused: it has no ROC curve. A block of tied scores is cut before or after it.
    Cost: O(m log m).

    References
    ----------
    Drummond, C. and Holte, R. C. (2006). Cost curves: an improved method for visualizing classifier performance.
    Machine Learning, 65, 95-130.

    Examples
    --------
    >>> from lanatus.evaluation import cost_curve
    >>> curve = cost_curve([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    >>> curve.x.round(4).tolist(), curve.y.round(4).tolist()
    ([0.0, 0.5, 1.0], [0.0, 0.1667, 0.0])
    >>> round(curve.area, 4), round(curve.at(0.5, cost_fn=2), 4)
    (0.0833, 0.1111)
    """
    tp, fp, _ = cuts(y_true, y_score, pos_label, sample_weight)
    if tp[-1] == 0 or fp[-1] == 0:
        raise ValueError(
            "got examples of a single class in y_true (of weight above 0), wanted two: "
            "false positives and false negatives have no rates."
        )
    return _curve(fp / fp[-1], tp / tp[-1])


@method(
    "evaluation.roc-cost-conversion",
    section="ex 2.7",
    task="evaluation",
    kind="measure",
    en="Cost curve of a ROC curve",
    zh="ROC与代价曲线互换",
)
def roc_to_cost_curve(fpr: Any, tpr: Any) -> CostCurve:
    """Cost curve of a ROC curve.

    A point (FPR, TPR) becomes the segment from (0, FPR) to (1, 1 - TPR); the convex hull of the points becomes the
    lower envelope, its edge of slope s the corner at x = 1 / (1 + s).

    Book: exercise 2.7.

    Parameters
    ----------
    fpr, tpr : array-like of shape (n,)
        False and true positive rates, both rising, such as those of ``roc_curve``. (0, 0) and (1, 1) are added where
        they lack.

    Returns
    -------
    CostCurve
        Segments and envelope.

    Examples
    --------
    >>> from lanatus.evaluation import roc_to_cost_curve
    >>> roc_to_cost_curve([0, 1], [0, 1]).area, roc_to_cost_curve([0], [1]).area
    (0.25, 0.0)
    """
    try:
        x, y = np.asarray(fpr, dtype=np.float64), np.asarray(tpr, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("got rates that are no numbers, wanted fpr and tpr of a ROC curve.") from None
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"got fpr of shape {x.shape} and tpr of shape {y.shape}, wanted columns of one length.")
    x, y = (np.concatenate([[0.0], part, [1.0]]) for part in (x, y))
    # NaN fails the comparison too, and what lies outside 0 to 1 falls below an end.
    if not ((np.diff(x) >= 0).all() and (np.diff(y) >= 0).all()):
        raise ValueError("got fpr or tpr that falls or leaves 0 to 1, wanted a ROC curve from (0, 0) to (1, 1).")
    return _curve(x, y)


@method(
    section="ex 2.7",
    task="evaluation",
    kind="measure",
    en="ROC convex hull of a cost curve",
    zh="代价曲线转换为ROC凸包",
)
def cost_curve_to_roc(curve: CostCurve) -> tuple[np.ndarray, np.ndarray]:
    """ROC curve of a cost curve: the convex hull of its cut points.

    A segment from (0, a) to (1, b) of the envelope becomes the point (a, 1 - b). Cut points that are nowhere best
    are on no envelope, and do not come back.

    Book: exercise 2.7.

    Parameters
    ----------
    curve : CostCurve
        The cost curve.

    Returns
    -------
    fpr, tpr : ndarray
        Corners of the convex hull, from (0, 0) to (1, 1).

    Examples
    --------
    >>> from lanatus.evaluation import cost_curve_to_roc, roc_to_cost_curve
    >>> fpr, tpr = cost_curve_to_roc(roc_to_cost_curve([0.25, 0.5, 0.75], [0.75, 0.75, 1.0]))
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.25, 0.75, 1.0], [0.0, 0.75, 1.0, 1.0])
    """
    fpr, tpr = curve.fpr[curve.best], 1 - curve.fnr[curve.best]
    if (fpr[0], tpr[0]) != (0, 0):
        fpr, tpr = np.append(0.0, fpr), np.append(0.0, tpr)
    if (fpr[-1], tpr[-1]) != (1, 1):
        fpr, tpr = np.append(fpr, 1.0), np.append(tpr, 1.0)
    return fpr, tpr


def _curve(fpr: np.ndarray, tpr: np.ndarray) -> CostCurve:
    """Segments and envelope of a ROC curve from (0, 0) to (1, 1), each cut point once.

    Steps of the curve, pooled until their slopes fall, are the edges of the convex hull: an isotonic regression of
    v = dTPR / (dFPR + dTPR). The cut points at the ends of an edge cost the same at x = 1 - v.
    """
    from scipy.optimize import isotonic_regression

    moved = np.append(True, (np.diff(fpr) > 0) | (np.diff(tpr) > 0))
    fpr, tpr = fpr[moved], tpr[moved]
    run, rise = np.diff(fpr), np.diff(tpr)
    corners = isotonic_regression(rise / (run + rise), weights=run + rise, increasing=False).blocks
    corners = corners[_bends(fpr[corners], tpr[corners])]
    run, rise = np.diff(fpr[corners]), np.diff(tpr[corners])
    # The cut point at the top of a vertical edge is better than the one below everywhere; so for a level edge.
    best = corners[np.count_nonzero(run == 0) : len(corners) - np.count_nonzero(rise == 0)]
    bends = (run / (run + rise))[(run > 0) & (rise > 0)]
    x = np.concatenate([[0.0], np.maximum.accumulate(bends), [1.0]])
    ends = np.append(best, best[-1])
    return CostCurve(fpr, 1 - tpr, best, x, (1 - x) * fpr[ends] + x * (1 - tpr[ends]))


def _bends(fpr: np.ndarray, tpr: np.ndarray) -> np.ndarray:
    """Which points of a hull are corners: not those that lie between their neighbours but for rounding."""
    run, rise = np.diff(fpr), np.diff(tpr)
    turn = rise[:-1] * run[1:] - run[:-1] * rise[1:]
    length = run[:-1] + rise[:-1] + run[1:] + rise[1:]
    return np.concatenate([[True], turn > 8 * np.finfo(float).eps * length, [True]])
