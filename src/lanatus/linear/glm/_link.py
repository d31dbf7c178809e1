"""Link functions of generalised linear models."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from lanatus.catalog import method

Curve = Callable[[np.ndarray], np.ndarray]

_LEAST = np.finfo(np.float64).tiny
_NEAR_ONE = 1 - np.finfo(np.float64).eps


@dataclass(frozen=True)
class Link:
    """A link g: g(mean) = w'x + b.

    Attributes
    ----------
    name : str
    link : callable
        g, of a mean.
    inverse : callable
        The mean, of eta = w'x + b.
    slope : callable
        Derivative of the mean by eta, of eta.
    """

    name: str
    link: Curve
    inverse: Curve
    slope: Curve


def _normal_density(eta: np.ndarray) -> np.ndarray:
    return np.exp(-(eta**2) / 2) / np.sqrt(2 * np.pi)


def _probability(mean: np.ndarray) -> np.ndarray:
    return np.clip(mean, _LEAST, _NEAR_ONE)


_LINKS = {
    one.name: one
    for one in (
        Link("identity", lambda m: m, lambda e: e, np.ones_like),
        Link("log", np.log, np.exp, np.exp),
        Link(
            "logit",
            special.logit,
            lambda e: _probability(special.expit(e)),
            lambda e: special.expit(e) * special.expit(-e),
        ),
        Link("probit", special.ndtri, lambda e: _probability(special.ndtr(e)), _normal_density),
        Link(
            "cloglog",
            lambda m: np.log(-np.log1p(-m)),
            lambda e: _probability(-np.expm1(-np.exp(np.minimum(e, 700)))),
            lambda e: np.exp(np.minimum(e, 700) - np.exp(np.minimum(e, 700))),
        ),
        Link("inverse", lambda m: 1 / m, lambda e: 1 / e, lambda e: -1 / e**2),
        Link("inverse-squared", lambda m: m**-2.0, lambda e: e**-0.5, lambda e: -0.5 * e**-1.5),
        Link("sqrt", np.sqrt, np.square, lambda e: 2 * e),
    )
}


@method(
    "linear.link-functions",
    section="3.2",
    task="regression",
    en="Link functions",
    zh="联系函数",
    peers=["statsmodels:families.links"],
)
def link_function(name: str) -> Link:
    """Link function of a generalised linear model, by name.

    A link g is monotone and smooth; the model is mean = g^-1(w'x + b), (3.15).

    Parameters
    ----------
    name : {"identity", "log", "logit", "probit", "cloglog", "inverse", "inverse-squared", "sqrt"}
        Which one.

    Returns
    -------
    Link
        With ``link``, ``inverse`` and ``slope``, the derivative of the inverse.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.linear import link_function
    >>> logit = link_function("logit")
    >>> logit.link(np.array([0.5])).tolist(), logit.inverse(np.array([0.0])).tolist()
    ([0.0], [0.5])
    """
    if name not in _LINKS:
        raise ValueError(f"no link {name!r}; there are {', '.join(_LINKS)}.")
    return _LINKS[name]


LINKS = tuple(_LINKS)
