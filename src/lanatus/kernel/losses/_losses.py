"""Losses of the margin z = y f(x) (section 6.4), and the loss of a tube (section 6.5)."""

from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.optimize import Exponential, Logistic, SquaredHinge
from lanatus.params import check_choice, check_real

_ONE = np.ones(())  # the positive class: then a score is a margin


def _margins(z: Any) -> np.ndarray:
    z = np.asarray(z, dtype=np.float64)
    if np.isnan(z).any():
        raise ValueError("z contains NaN; wanted margins, numbers of either sign.")
    return z


@method(
    "kernel.hinge-loss",
    section="6.4",
    task="evaluation",
    kind="function",
    en="Hinge loss",
    zh="hinge损失",
    peers=["scikit-learn:hinge_loss"],
)
def hinge_loss(z: Any) -> np.ndarray:
    r"""The hinge :math:`\max(0, 1 - z)` (6.31) of margins.

    Book: section 6.4, figure 6.5. Cost: O(1) a number.

    Parameters
    ----------
    z : array-like
        Margins, :math:`z = y f(x)` with y of -1 or +1.

    Returns
    -------
    ndarray
        The loss of each number.

    Examples
    --------
    >>> from lanatus.kernel import hinge_loss
    >>> hinge_loss([-1, 0.5, 2]).tolist()
    [2.0, 0.5, 0.0]
    """
    return np.maximum(0.0, 1 - _margins(z))


@method(
    "kernel.squared-hinge-loss",
    section="CB 5.6",
    task="evaluation",
    kind="function",
    en="Squared hinge loss",
    zh="平方hinge损失",
)
def squared_hinge_loss(z: Any) -> np.ndarray:
    r"""The squared hinge :math:`\max(0, 1 - z)^2` of margins, which has a derivative everywhere.

    Book: cookbook section 5.6. Cost: O(1) a number.

    Parameters
    ----------
    z : array-like
        Margins, :math:`z = y f(x)` with y of -1 or +1.

    Returns
    -------
    ndarray
        The loss of each number.

    Examples
    --------
    >>> from lanatus.kernel import squared_hinge_loss
    >>> squared_hinge_loss([-1, 0.5, 2]).tolist()
    [4.0, 0.25, 0.0]
    """
    return SquaredHinge().pointwise(_ONE, _margins(z))


@method(
    "kernel.exponential-loss",
    section="6.4",
    task="evaluation",
    kind="function",
    en="Exponential loss",
    zh="指数损失",
)
def exponential_loss(z: Any) -> np.ndarray:
    r"""The exponential loss :math:`e^{-z}` (6.32) of margins.

    Book: section 6.4, figure 6.5. Cost: O(1) a number.

    Parameters
    ----------
    z : array-like
        Margins, :math:`z = y f(x)` with y of -1 or +1.

    Returns
    -------
    ndarray
        The loss of each number.

    Examples
    --------
    >>> from lanatus.kernel import exponential_loss
    >>> exponential_loss([0, 1]).round(6).tolist()
    [1.0, 0.367879]
    """
    return Exponential().pointwise(_ONE, _margins(z))


@method(
    "kernel.logistic-loss",
    section="6.4",
    task="evaluation",
    kind="function",
    en="Logistic loss",
    zh="对率损失",
    peers=["scikit-learn:log_loss"],
)
def logistic_loss(z: Any, base: str = "e") -> np.ndarray:
    r"""The logistic loss :math:`\log(1 + e^{-z})` (6.33) of margins.

    Book: section 6.4, figure 6.5. Cost: O(1) a number.

    Parameters
    ----------
    z : array-like
        Margins, :math:`z = y f(x)` with y of -1 or +1.
    base : {"e", "2"}, default="e"
        Base of the logarithm. With base 2 the loss is nowhere below the zero-one loss; with base e it is, for z from
        -0.5413 to 0.

    Returns
    -------
    ndarray
        The loss of each number.

    Examples
    --------
    >>> from lanatus.kernel import logistic_loss
    >>> logistic_loss([0, 1]).round(6).tolist(), logistic_loss(0, base="2").item()
    ([0.693147, 0.313262], 1.0)
    """
    check_choice("base", base, ("e", "2"))
    loss = Logistic().pointwise(_ONE, _margins(z))
    return loss if base == "e" else loss / np.log(2)


@method(
    "kernel.epsilon-insensitive-loss",
    section="6.5",
    task="evaluation",
    kind="function",
    en="Epsilon-insensitive loss",
    zh="ε-不敏感损失",
)
def epsilon_insensitive_loss(z: Any, epsilon: float = 0.1) -> np.ndarray:
    r"""The loss :math:`\max(0, |z| - \epsilon)` (6.44) of errors: none inside the tube.

    Book: section 6.5, figure 6.7. Cost: O(1) a number.

    Parameters
    ----------
    z : array-like
        Errors, :math:`z = f(x) - y`.
    epsilon : float, default=0.1
        Half the width of the tube.

    Returns
    -------
    ndarray
        The loss of each number.

    Examples
    --------
    >>> from lanatus.kernel import epsilon_insensitive_loss
    >>> epsilon_insensitive_loss([-0.5, 0.1, 0.25], epsilon=0.25).tolist()
    [0.25, 0.0, 0.0]
    """
    return np.maximum(0.0, np.abs(_margins(z)) - check_real("epsilon", epsilon, 0))
