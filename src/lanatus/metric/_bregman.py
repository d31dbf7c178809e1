"""Bregman's divergences."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import kl_div

from lanatus.catalog import method
from lanatus.metric._rows import two_rows


def _squares(x: np.ndarray, z: np.ndarray) -> float:
    return float(((x - z) ** 2).sum())


def _kl(x: np.ndarray, z: np.ndarray) -> float:
    if (x < 0).any() or (z < 0).any():
        raise ValueError("the Kullback-Leibler divergence is of numbers >= 0; got negative ones.")
    return float(kl_div(x, z).sum())


def _itakura_saito(x: np.ndarray, z: np.ndarray) -> float:
    if (x <= 0).any() or (z <= 0).any():
        raise ValueError("the Itakura-Saito divergence is of numbers > 0; got others.")
    ratio = x / z
    return float((ratio - np.log(ratio) - 1).sum())


# name -> the divergence itself, each of a well-known function phi
_NAMED: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "squares": _squares,
    "kl": _kl,
    "itakura_saito": _itakura_saito,
}


@method(
    "metric.bregman-divergence",
    section="9.7",
    task="distance",
    kind="measure",
    en="Bregman divergence",
    zh="Bregman距离",
)
def bregman(x: Any, z: Any, phi: Any = "squares", gradient: Callable[[np.ndarray], Any] | None = None) -> float:
    r"""Bregman's divergence :math:`\phi(x) - \phi(z) - \nabla\phi(z)^\top (x - z)` of two rows.

    How far a convex function lies above its tangent. Not symmetric, and the triangle inequality does not hold; the mean
    is still the point of least total divergence, which is what k-means needs.

    Book: section 9.7. Cost: O(d).

    Parameters
    ----------
    x : array-like of shape (n_features,)
        One row.
    z : array-like of shape (n_features,)
        The other, where the tangent touches.
    phi : {"squares", "kl", "itakura_saito"} or callable, default="squares"
        The convex function: "squares" gives squared Euclidean distances, "kl" (negative entropy) the generalised
        Kullback-Leibler divergence of numbers >= 0, "itakura_saito" (minus the logarithms) that of numbers > 0.
        A callable takes a row and gives a number.
    gradient : callable, default=None
        The gradient of `phi`, wanted where that is a callable.

    Returns
    -------
    float
        The divergence, 0 or more; infinite where "kl" has x > 0 and z = 0.

    Examples
    --------
    >>> from lanatus.metric import bregman
    >>> bregman([1, 2], [3, 2])
    4.0
    >>> round(bregman([0.5, 0.5], [0.9, 0.1], "kl"), 6)
    0.510826
    >>> bregman([1.0], [2.0], lambda x: float(x @ x), lambda x: 2 * x)
    1.0

    References
    ----------
    Banerjee, Merugu, Dhillon and Ghosh (2005), Clustering with Bregman divergences.
    """
    x, z = two_rows(x, z)
    if isinstance(phi, str):
        if phi not in _NAMED:
            raise ValueError(f"phi must be one of {', '.join(map(repr, _NAMED))} or a callable; got {phi!r}.")
        return _NAMED[phi](x, z)
    if not callable(phi) or not callable(gradient):
        raise TypeError("a phi of your own must be a callable, and so must its gradient.")
    slope = np.asarray(gradient(z), dtype=np.float64)
    if slope.shape != z.shape:
        raise ValueError(f"gradient gave shape {slope.shape}; wanted {z.shape}.")
    return max(float(phi(x)) - float(phi(z)) - float(slope @ (x - z)), 0.0)


def kl_divergence(x: Any, z: Any) -> float:
    r"""The Kullback-Leibler divergence :math:`\sum_i x_i \ln(x_i / z_i)` of two distributions, in nats.

    Book: cookbook section 6.3. Not symmetric. Both rows are divided by their sums first.

    Parameters
    ----------
    x : array-like of shape (n,)
        One distribution: numbers >= 0, not all 0.
    z : array-like of shape (n,)
        The other.

    Returns
    -------
    float
        The divergence, 0 or more; infinite where z is 0 and x is not.

    Examples
    --------
    >>> from lanatus.metric import kl_divergence
    >>> round(kl_divergence([1, 1], [9, 1]), 6), kl_divergence([1, 1], [1, 0])
    (0.510826, inf)
    """
    x, z = two_rows(x, z)
    if not (x.sum() > 0 and z.sum() > 0):
        raise ValueError("a distribution must have a positive sum.")
    return _kl(x / x.sum(), z / z.sum())
