"""Which surrogate losses lead to Bayes' rule."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.params import check_choice

_LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "zero-one": lambda z: (z <= 0).astype(np.float64),
    "hinge": lambda z: np.maximum(0.0, 1 - z),
    "squared-hinge": lambda z: np.maximum(0.0, 1 - z) ** 2,
    "exponential": lambda z: np.exp(-z),
    "logistic": lambda z: np.logaddexp(0.0, -z),
    "squared": lambda z: (1 - z) ** 2,
    "perceptron": lambda z: np.maximum(0.0, -z),
}
_MARGINS = np.concatenate([np.linspace(0, 6, 6001), np.geomspace(6.01, 30, 500)])
_SHARES = np.concatenate([[0.501, 0.505, 0.51], np.linspace(0.52, 0.98, 24), [0.99, 0.999]])


@method(
    "kernel.surrogate-consistency",
    section="6.7",
    task="evaluation",
    kind="theory",
    en="Consistency of surrogate losses",
    zh="替代损失一致性",
)
def is_consistent_surrogate(loss: Any) -> bool:
    r"""Whether less of a loss of margins is, with endless data, fewer errors in the end: it leads to Bayes' rule.

    With a share :math:`\eta` of positive rows at a place, the expected loss of a score f there is
    :math:`\eta \ell(f) + (1 - \eta) \ell(-f)`. The loss is consistent where for every :math:`\eta \ne \frac12` scores
    of the wrong sign, or 0, cannot come near its least value. A convex loss is consistent if and only if it has a
    derivative at 0 and falls there, and that is what is looked at; any other is looked at on a grid of scores up to 30
    and of shares from 0.501 to 0.999.

    Book: sections 6.7 and 8.2, exercise 8.2. Cost: O(1).

    Parameters
    ----------
    loss : str or callable
        "zero-one", "hinge", "squared-hinge", "exponential", "logistic", "squared" or "perceptron", or a function of an
        array of margins, bounded below.

    Returns
    -------
    bool

    Examples
    --------
    >>> from lanatus.kernel import is_consistent_surrogate
    >>> is_consistent_surrogate("hinge"), is_consistent_surrogate("perceptron")
    (True, False)

    References
    ----------
    Zhang (2004), Statistical behavior and consistency of classification methods based on convex risk minimization.
    Bartlett, Jordan and McAuliffe (2006), Convexity, classification, and risk bounds.
    """
    if not callable(loss):
        check_choice("loss", loss, tuple(_LOSSES))
    lost = loss if callable(loss) else _LOSSES[loss]
    right, wrong = (np.asarray(lost(z), dtype=np.float64) for z in (_MARGINS, -_MARGINS))
    if right.shape != _MARGINS.shape or np.isnan(right).any() or np.isnan(wrong).any():
        raise ValueError("loss must be a function of an array of margins that gives a number for each, and no NaN.")
    scale = float(np.ptp(right[_MARGINS <= 1])) + float(np.ptp(wrong[_MARGINS <= 1]))
    if _is_convex(right, wrong):
        step = 1e-6
        left, middle, up = (float(np.asarray(lost(np.array([z])))[0]) for z in (-step, 0.0, step))
        falls = (up - left) / (2 * step)
        kink = abs((up - middle) - (middle - left)) / step
        return bool(falls < -1e-4 * scale and kink < 1e-3 * max(scale, -falls))
    for share in _SHARES:
        of_right = share * right + (1 - share) * wrong  # the sign of the majority
        of_wrong = share * wrong + (1 - share) * right
        if of_wrong.min() <= min(of_right.min(), of_wrong.min()) + 1e-9 * scale:
            return False
    return True


def _is_convex(right: np.ndarray, wrong: np.ndarray) -> bool:
    """Whether second differences on the even part of the grid are nowhere below 0."""
    even = _MARGINS <= 6
    values = np.concatenate([wrong[even][:0:-1], right[even]])
    bends = np.diff(values, 2)
    return bool(bends.min() >= -1e-9 * (np.abs(values).max() + 1e-300))
