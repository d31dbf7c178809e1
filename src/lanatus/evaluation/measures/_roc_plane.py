"""The plane of ROC and P-R curves: which curve encloses which, and where the error rate is constant."""

from numbers import Real
from typing import Any, Literal

import numpy as np

from lanatus.catalog import method

_ROUNDING = 1e-12  # heights that differ by less are the same


@method(
    "evaluation.curve-dominance",
    section="2.3.2",
    task="evaluation",
    kind="measure",
    en="Dominance of one curve over another",
    zh="曲线包住关系",
)
def dominates(curve_a: Any, curve_b: Any, *, kind: Literal["roc", "pr"] = "roc") -> bool:
    """Whether curve A encloses curve B: nowhere below it and somewhere above.

    Then the learner of A is better than that of B whatever the cut point. Neither may enclose the other: curves
    that cross are compared by their areas.

    Book: sections 2.3.2 and 2.3.3; the curves are joined by straight lines between their points, as drawn there.

    Parameters
    ----------
    curve_a, curve_b : pair of array-like
        (FPR, TPR) of a ROC curve from (0, 0) to (1, 1), as ``roc_curve`` gives them; or (recall, precision) of a P-R
        curve, which ``precision_recall_curve`` gives the other way round. Points are in the order of the cut points,
        forwards or backwards.
    kind : {"roc", "pr"}, default="roc"
        What the curves are.

    Returns
    -------
    bool
        True if A encloses B. A curve does not enclose itself.

    Notes
    -----
    P-R curves are compared over the recalls that both have. Heights closer than 1e-12 count as equal.

    Examples
    --------
    >>> from lanatus.evaluation import dominates
    >>> ideal, chance = ([0, 0, 1], [0, 1, 1]), ([0, 1], [0, 1])
    >>> dominates(ideal, chance), dominates(chance, ideal), dominates(ideal, ideal)
    (True, False, False)
    """
    if kind not in ("roc", "pr"):
        raise ValueError(f"got kind={kind!r}, wanted 'roc' or 'pr'.")
    a, b = (_checked(curve, name, kind) for curve, name in ((curve_a, "curve_a"), (curve_b, "curve_b")))
    low, high = max(a[0][0], b[0][0]), min(a[0][-1], b[0][-1])
    x = np.unique(np.concatenate([a[0], b[0], [low, high]]))
    x = x[(x >= low) & (x <= high)]
    if len(x) < 2:
        raise ValueError("got curves without a common range of recall, wanted curves over the same recalls.")
    ends: list[tuple[np.ndarray, Literal["left", "right"]]] = [(x[:-1], "right"), (x[1:], "left")]
    gap = np.concatenate([_height(*a, at, side) - _height(*b, at, side) for at, side in ends])
    return bool(gap.min() >= -_ROUNDING and gap.max() > _ROUNDING)


@method(
    "evaluation.iso-error-lines",
    section="ex 2.6",
    task="evaluation",
    kind="measure",
    en="Error rate of a point of the ROC plane",
    zh="错误率与ROC的关系",
)
def error_from_roc(fpr: Any, tpr: Any, m_pos: float, m_neg: float) -> Any:
    """Error rate of a classifier from its true and false positive rates.

    Points of one error rate lie on a line of slope m- / m+, see ``iso_error_line``.

    Book: exercise 2.6; E = (FPR m- + (1 - TPR) m+) / (m+ + m-).

    Parameters
    ----------
    fpr, tpr : float or array-like
        False and true positive rates, such as those of ``roc_curve``.
    m_pos, m_neg : float
        Numbers of positive and of negative examples, or their shares.

    Returns
    -------
    float or ndarray
        The error rates.

    Examples
    --------
    >>> from lanatus.evaluation import error_from_roc
    >>> round(error_from_roc(2 / 9, 5 / 8, m_pos=8, m_neg=9) * 17, 6)
    5.0
    """
    m_pos, m_neg = _sizes(m_pos, m_neg)
    x, y = np.asarray(fpr, dtype=np.float64), np.asarray(tpr, dtype=np.float64)
    if x.shape != y.shape:
        raise ValueError(f"got fpr of shape {x.shape} and tpr of shape {y.shape}, wanted the same.")
    _refuse_no_rate(x, "fpr")
    _refuse_no_rate(y, "tpr")
    error = (x * m_neg + (1 - y) * m_pos) / (m_pos + m_neg)
    return float(error) if error.ndim == 0 else error


@method(
    section="ex 2.6",
    task="evaluation",
    kind="measure",
    en="Line of constant error in the ROC plane",
    zh="等错误率直线",
)
def iso_error_line(error: float, m_pos: float, m_neg: float) -> tuple[float, float]:
    """Line of the ROC plane on which all classifiers have one error rate.

    A classifier above it errs less often. The line of the least error that touches a ROC curve touches it at the
    best cut point.

    Book: exercise 2.6; TPR = FPR m- / m+ + 1 - E (m+ + m-) / m+.

    Parameters
    ----------
    error : float
        The error rate, from 0 to 1.
    m_pos, m_neg : float
        Numbers of positive and of negative examples, or their shares.

    Returns
    -------
    slope, intercept : float
        TPR = slope FPR + intercept.

    Examples
    --------
    >>> from lanatus.evaluation import iso_error_line
    >>> iso_error_line(0.25, m_pos=100, m_neg=300)
    (3.0, 0.0)
    """
    m_pos, m_neg = _sizes(m_pos, m_neg)
    if not isinstance(error, Real) or not 0 <= error <= 1:
        raise ValueError(f"got error={error!r}, wanted one rate from 0 to 1.")
    return m_neg / m_pos, 1 - float(error) * (m_pos + m_neg) / m_pos


def _checked(curve: Any, name: str, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """The curve from left to right."""
    try:
        x, y = (np.asarray(part, dtype=np.float64) for part in tuple(curve)[:2])
    except (TypeError, ValueError):
        raise ValueError(f"got a {name} that is no pair of columns of numbers, wanted (x, y).") from None
    if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
        raise ValueError(
            f"got a {name} of shapes {x.shape} and {y.shape}, wanted two columns of one length, 2 or more."
        )
    for part in (x, y):
        _refuse_no_rate(part, name)
    if x[0] > x[-1]:
        x, y = x[::-1], y[::-1]
    if (np.diff(x) < 0).any():
        raise ValueError(f"got a {name} that goes back and forth, wanted its points in the order of the cut points.")
    if kind == "roc" and ((x[0], y[0], x[-1], y[-1]) != (0, 0, 1, 1) or (np.diff(y) < 0).any()):
        raise ValueError(f"got a {name} that does not rise from (0, 0) to (1, 1), wanted a ROC curve (FPR, TPR).")
    return x, y


def _height(x: np.ndarray, y: np.ndarray, at: np.ndarray, side: Literal["left", "right"]) -> np.ndarray:
    """Limits of the curve from one side, which differ where it is vertical."""
    after = np.searchsorted(x, at, side=side)
    before = after - 1
    return y[before] + (y[after] - y[before]) * (at - x[before]) / (x[after] - x[before])


def _refuse_no_rate(values: np.ndarray, name: str) -> None:
    if not (np.isfinite(values).all() and (values >= 0).all() and (values <= 1).all()):
        raise ValueError(f"got values outside 0 to 1 in {name}, wanted rates.")


def _sizes(m_pos: float, m_neg: float) -> tuple[float, float]:
    for name, size in (("m_pos", m_pos), ("m_neg", m_neg)):
        if not isinstance(size, Real) or not (np.isfinite(size) and size > 0):
            raise ValueError(f"got {name}={size!r}, wanted a number above 0.")
    return float(m_pos), float(m_neg)
