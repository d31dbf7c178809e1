"""Where the decision changes between two normal classes on a line."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from lanatus.catalog import method


@method(
    "bayes.two-gaussian-boundary",
    section="CB 2.2.1",
    task="classification",
    kind="theory",
    en="Minimum-error boundary of two normal classes",
    zh="两正态分布判决边界",
)
def gaussian_cut_points(mu1: float, s1: float, mu2: float, s2: float, priors: Any = (0.5, 0.5)) -> np.ndarray:
    r"""Points where two normal classes on a line are equally likely.

    The roots of :math:`\log P_1 p(x \mid 1) = \log P_2 p(x \mid 2)`, a quadratic: equal deviations give one cut, the
    midpoint for equal priors; unequal ones give two, and the narrow class owns what lies between; none where one class
    wins everywhere.

    Parameters
    ----------
    mu1, s1 : float
        Mean and deviation of the first class.
    mu2, s2 : float
        Those of the second.
    priors : pair of float, default=(0.5, 0.5)
        Probabilities of the classes.

    Returns
    -------
    ndarray of shape (0,), (1,) or (2,), sorted

    Examples
    --------
    >>> from lanatus.bayes import gaussian_cut_points
    >>> gaussian_cut_points(0, 1, 2, 1).tolist()
    [1.0]
    >>> gaussian_cut_points(0, 1, 2, 2).round(6).tolist()
    [-2.570917, 1.237584]
    """
    _require(s1 > 0 and s2 > 0, f"deviations must be above 0; got {s1} and {s2}.")
    first, second = _pair(priors, "priors")
    # a x^2 + b x + c = 2 (log P1 p1 - log P2 p2), about the midpoint so that far-off means keep their digits
    middle = 0.5 * (mu1 + mu2)
    m1, m2 = mu1 - middle, mu2 - middle
    a = 1 / s2**2 - 1 / s1**2
    b = 2 * (m1 / s1**2 - m2 / s2**2)
    c = (m2 / s2) ** 2 - (m1 / s1) ** 2 + 2 * np.log(first * s2 / (second * s1))
    if a == 0:
        return np.array([middle - c / b]) if b else np.empty(0)
    inside = b * b - 4 * a * c
    if inside < 0:
        return np.empty(0)
    far = -0.5 * (b + np.copysign(np.sqrt(inside), b))
    if far == 0:  # b and c are 0: both roots are the midpoint
        return np.array([middle])
    return np.unique([middle + far / a, middle + c / far])


@method(
    "bayes.min-risk-boundary",
    section="CB 2.2.2",
    task="classification",
    kind="theory",
    en="Minimum-risk boundary of two normal classes",
    zh="最小风险判决边界",
)
def min_risk_cut(mu1: float, mu2: float, s: float, priors: Any = (0.5, 0.5), costs: Any = (1.0, 1.0)) -> float:
    r"""Where the risks of two normal classes of one deviation are equal.

    Class 1 is chosen where :math:`\frac{p(x \mid 2)}{p(x \mid 1)} < \frac{\lambda_1 P_1}{\lambda_2 P_2}`, so the cut is
    :math:`\frac{\mu_1 + \mu_2}{2} + \frac{\sigma^2}{\mu_2 - \mu_1} \ln \frac{\lambda_1 P_1}{\lambda_2 P_2}`: it moves
    away from the class that is dear to miss. (The cookbook has the logarithm upside down.)

    Parameters
    ----------
    mu1, mu2 : float
        Means of the classes.
    s : float
        Their common deviation.
    priors : pair of float, default=(0.5, 0.5)
        Probabilities of the classes.
    costs : pair of float, default=(1.0, 1.0)
        What it costs to miss a row of the first class, and of the second.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.bayes import min_risk_cut
    >>> round(min_risk_cut(0, 2, 1, costs=(1, 2)), 6)
    0.653426
    """
    _require(s > 0, f"the deviation must be above 0; got {s}.")
    _require(mu1 != mu2, f"the means must differ; both are {mu1}.")
    (p1, p2), (c1, c2) = _pair(priors, "priors"), _pair(costs, "costs")
    return float(0.5 * (mu1 + mu2) + s**2 / (mu2 - mu1) * np.log(c1 * p1 / (c2 * p2)))


class NeymanPearson(NamedTuple):
    """A cut that bounds the error of the second class: where it is, the errors, and the multiplier of the bound."""

    cut: float
    error_1: float
    error_2: float
    multiplier: float


@method(
    "bayes.neyman-pearson",
    section="CB 2.2.3",
    task="classification",
    kind="theory",
    en="Neyman-Pearson rule for two normal classes",
    zh="Neyman-Pearson准则",
)
def neyman_pearson_cut(mu1: float, mu2: float, s: float, eps: float) -> NeymanPearson:
    r"""The cut with the least error of the first class among those whose error of the second is at most `eps`.

    Minimises :math:`P_1(e) + \lambda (P_2(e) - \epsilon)`; the bound is met exactly, :math:`P_2(e) = \epsilon`, and
    :math:`\lambda = p(t \mid 1) / p(t \mid 2)` at the cut t.

    Parameters
    ----------
    mu1, mu2 : float
        Means of the classes.
    s : float
        Their common deviation.
    eps : float
        Bound on the error of the second class, between 0 and 1.

    Returns
    -------
    NeymanPearson
        ``cut``, ``error_1``, ``error_2``, ``multiplier``.

    Examples
    --------
    >>> from lanatus.bayes import neyman_pearson_cut
    >>> rule = neyman_pearson_cut(0, 2, 1, 0.05)
    >>> round(rule.cut, 6), round(rule.error_1, 6), round(rule.multiplier, 6)
    (0.355146, 0.36124, 3.631723)
    """
    _require(s > 0, f"the deviation must be above 0; got {s}.")
    _require(mu1 != mu2, f"the means must differ; both are {mu1}.")
    _require(0 < eps < 1, f"eps must lie between 0 and 1; got {eps}.")
    side = 1.0 if mu1 < mu2 else -1.0  # mirrored where the second class lies below
    t = mu2 + side * s * ndtri(eps)
    error_1 = ndtr(-side * (t - mu1) / s)
    with np.errstate(over="ignore"):
        multiplier = np.exp(((t - mu2) ** 2 - (t - mu1) ** 2) / (2 * s**2))
    return NeymanPearson(float(t), float(error_1), float(eps), float(multiplier))


def _pair(values: Any, name: str) -> tuple[float, float]:
    pair = np.asarray(values, dtype=np.float64)
    _require(pair.shape == (2,) and (pair > 0).all(), f"{name} must be two numbers above 0; got {values}.")
    return float(pair[0]), float(pair[1])


def _require(condition: Any, message: str) -> None:
    if not condition:
        raise ValueError(message)
