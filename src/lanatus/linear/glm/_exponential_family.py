"""Exponential families of generalised linear models: variance as a function of the mean, deviance."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from lanatus.linear.glm._link import Link, link_function
from lanatus.optimize.losses import Loss


@dataclass(frozen=True)
class ExponentialFamily:
    """A family whose variance is dispersion times mean to a power, or mean (1 - mean) for the binomial.

    Attributes
    ----------
    name : str
    power : float or None
        Power of the mean in the variance; None for the binomial.
    link : str
        The usual link: the canonical one, and the logarithm for Tweedie.
    known_dispersion : bool
        Whether the dispersion is 1 by nature, so that it need not be estimated.
    """

    name: str
    power: float | None
    link: str
    known_dispersion: bool = False

    def variance(self, mean: np.ndarray) -> np.ndarray:
        """Variance over dispersion."""
        return mean * (1 - mean) if self.power is None else mean**self.power

    def deviance(self, y: np.ndarray, mean: np.ndarray) -> np.ndarray:
        """Twice the likelihood ratio of each row to a perfect fit."""
        if self.power is None:
            return 2 * (special.kl_div(y, mean) + special.kl_div(1 - y, 1 - mean))
        if self.power == 0:
            return (y - mean) ** 2
        if self.power == 1:
            return 2 * special.kl_div(y, mean)
        if self.power == 2:
            ratio = y / mean
            return 2 * (ratio - 1 - np.log(ratio))
        p = self.power
        mean = np.where(mean > 0, mean, np.nan)  # powers of others may exist, but mean nothing
        first = np.maximum(y, 0) ** (2 - p) / ((1 - p) * (2 - p))
        return 2 * (first - y * mean ** (1 - p) / (1 - p) + mean ** (2 - p) / (2 - p))

    def check(self, y: np.ndarray) -> None:
        """Refuse values that the family cannot take."""
        if self.power is None:
            bad, wanted = (y < 0) | (y > 1), "from 0 to 1"
        elif self.power < 1:
            return
        elif self.power < 2:
            bad, wanted = y < 0, "0 or more"
        else:
            bad, wanted = y <= 0, "above 0"
        if bad.any():
            raise ValueError(f"family {self.name!r} wants y {wanted}; got {int(bad.sum())} values that are not.")

    def log_likelihood(self, y: np.ndarray, mean: np.ndarray, weight: np.ndarray) -> float:
        """Of the binomial and the Poisson family, whose dispersion is known; NaN of the others."""
        if self.name == "binomial":
            yes, no = weight * y, weight * (1 - y)
            choices = special.gammaln(weight + 1) - special.gammaln(yes + 1) - special.gammaln(no + 1)
            return float((special.xlogy(yes, mean) + special.xlog1py(no, -mean) + choices).sum())
        if self.name == "poisson":
            return float(weight @ (special.xlogy(y, mean) - mean - special.gammaln(y + 1)))
        return float("nan")

    def start(self, y: np.ndarray, middle: float) -> np.ndarray:
        """Means to begin with: half way from y to the mean of all, or to the middle, and none at the edge."""
        if self.power is None:
            return (y + 0.5) / 2
        half = (y + middle) / 2
        return half if self.power < 1 else np.maximum(half, 1e-3 * middle if middle > 0 else 0.1)


_FAMILIES = {
    one.name: one
    for one in (
        ExponentialFamily("gaussian", 0.0, "identity"),
        ExponentialFamily("binomial", None, "logit", known_dispersion=True),
        ExponentialFamily("poisson", 1.0, "log", known_dispersion=True),
        ExponentialFamily("gamma", 2.0, "inverse"),
        ExponentialFamily("inverse-gaussian", 3.0, "inverse-squared"),
    )
}
FAMILIES = (*_FAMILIES, "tweedie")


def family_of(name: str, power: float) -> ExponentialFamily:
    """A family by name; `power` is that of the Tweedie family."""
    if name != "tweedie":
        return _FAMILIES[name]
    if 0 < power < 1:
        raise ValueError(f"power={power!r}: there is no Tweedie distribution for powers between 0 and 1.")
    return ExponentialFamily("tweedie", float(power), "identity" if power == 0 else "log")


class Deviance(Loss):
    """A family with a link, as a loss of eta = w'x + b: half the deviance."""

    name = "deviance"

    def __init__(self, family: ExponentialFamily, link: Link) -> None:
        self.family, self.link = family, link

    @classmethod
    def of(cls, family: str, link: str | None, power: float) -> "Deviance":
        """By names; the usual link for None."""
        kind = family_of(family, power)
        return cls(kind, link_function(link or kind.link))

    def inverse_link(self, eta: np.ndarray) -> np.ndarray:
        return self.link.inverse(eta)

    def pointwise(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        return self.family.deviance(y, self.inverse_link(eta)) / 2

    def gradient(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        mean = self.inverse_link(eta)
        return (mean - y) * self.link.slope(eta) / self.family.variance(mean)

    def curvature(self, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """Expected second derivative by eta, of each row."""
        return self.link.slope(eta) ** 2 / self.family.variance(self.inverse_link(eta))

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> float:
        """The link of the mean of y."""
        return float(self.link.link(np.average(y, weights=weight)))
