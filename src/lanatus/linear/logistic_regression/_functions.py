"""The functions of section 3.3: unit step, logistic function, odds and log odds."""

from typing import Any

import numpy as np
from scipy import special

from lanatus.catalog import method


@method(
    "linear.unit-step",
    section="3.3",
    task="classification",
    kind="theory",
    en="Unit-step (Heaviside) function",
    zh="单位阶跃函数",
    peers=["numpy:heaviside"],
)
def unit_step(z: Any) -> np.ndarray:
    """The unit step: 0 below zero, 1/2 at zero, 1 above (3.16).

    Parameters
    ----------
    z : array
        Any numbers.

    Returns
    -------
    ndarray of the shape of z

    Examples
    --------
    >>> from lanatus.linear import unit_step
    >>> unit_step([-2.0, 0.0, 3.0]).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.heaviside(np.asarray(z, dtype=np.float64), 0.5)


@method(
    "linear.logistic-function",
    section="3.3",
    task="classification",
    kind="theory",
    en="Logistic (sigmoid) function",
    zh="对数几率函数",
    peers=["scipy:expit"],
)
def logistic(z: Any) -> np.ndarray:
    """The logistic function 1 / (1 + exp(-z)) (3.17), without overflow.

    Parameters
    ----------
    z : array
        Any numbers.

    Returns
    -------
    ndarray of the shape of z

    Examples
    --------
    >>> from lanatus.linear import logistic
    >>> logistic([-1000.0, 0.0, 1000.0]).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.asarray(special.expit(np.asarray(z, dtype=np.float64)))


@method(
    "linear.odds-and-logit",
    section="3.3",
    task="classification",
    kind="theory",
    en="Odds and log odds",
    zh="几率与对数几率",
)
def odds(p: Any) -> np.ndarray:
    """The odds p / (1 - p) of a probability (3.20); infinite for 1.

    Parameters
    ----------
    p : array
        Probabilities.

    Returns
    -------
    ndarray of the shape of p

    Examples
    --------
    >>> from lanatus.linear import odds
    >>> odds([0.5, 0.75]).tolist()
    [1.0, 3.0]
    """
    p = _probabilities(p)
    with np.errstate(divide="ignore"):
        return np.asarray(p / (1 - p))


def logit(p: Any) -> np.ndarray:
    """The log odds ln(p / (1 - p)) of a probability (3.21), the inverse of `logistic`.

    Parameters
    ----------
    p : array
        Probabilities; 0 and 1 give minus and plus infinity.

    Returns
    -------
    ndarray of the shape of p

    Examples
    --------
    >>> from lanatus.linear import logistic, logit
    >>> float(logit(logistic(1.5)).round(12))
    1.5
    """
    return np.asarray(special.logit(_probabilities(p)))


def _probabilities(p: Any) -> np.ndarray:
    p = np.asarray(p, dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p must be probabilities, from 0 to 1; got some outside.")
    return p
