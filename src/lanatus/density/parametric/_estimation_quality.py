"""How good an estimate of parameters can be: bias, variance, bounds, identifiability, sample sizes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.density.parametric._distributions import FAMILIES


@dataclass(frozen=True)
class EstimatorBiasVariance:
    """What an estimator does over repeated samples.

    Attributes
    ----------
    mean : ndarray, mean estimate
    bias : ndarray, mean estimate less the truth
    variance : ndarray, of the estimates
    mean_squared_error : ndarray, from the truth
    bias_error : ndarray, standard error of `bias`
    """

    mean: np.ndarray
    bias: np.ndarray
    variance: np.ndarray
    mean_squared_error: np.ndarray
    bias_error: np.ndarray


@method(
    "density.estimator-quality",
    section="CB 3.2",
    task="density",
    en="Bias and variance of an estimator",
    zh="估计量的偏差与方差",
)
def estimator_bias_variance(
    estimator: Callable[[np.ndarray], Any],
    sampler: Callable[[int, np.random.RandomState], np.ndarray],
    n: int,
    *,
    truth: Any,
    n_repeats: int = 1000,
    random_state: Any = None,
) -> EstimatorBiasVariance:
    """Bias and variance of an estimator, by drawing many samples.

    Cookbook: section 3.2. Cost: `n_repeats` calls of each function.

    Parameters
    ----------
    estimator : callable
        Gives the estimate, a number or an array, from a sample.
    sampler : callable
        Gives a sample of a size, with a generator: ``sampler(n, rng)``.
    n : int
        Size of a sample.
    truth : float or array
        What is estimated.
    n_repeats : int, default=1000
        Samples.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    EstimatorBiasVariance

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.density import estimator_bias_variance
    >>> quality = estimator_bias_variance(np.var, lambda n, rng: rng.normal(size=n), 5, truth=1.0, random_state=0)
    >>> abs(float(quality.bias) + 0.2) < 3 * float(quality.bias_error)
    True
    """
    if n < 1 or n_repeats < 2:
        raise ValueError(f"wanted n >= 1 and n_repeats >= 2, got {n} and {n_repeats}.")
    rng = check_random_state(random_state)
    estimates = np.array([np.asarray(estimator(sampler(n, rng)), dtype=np.float64) for _ in range(n_repeats)])
    true = np.asarray(truth, dtype=np.float64)
    mean, variance = estimates.mean(axis=0), estimates.var(axis=0, ddof=1)
    return EstimatorBiasVariance(
        mean, mean - true, variance, ((estimates - true) ** 2).mean(axis=0), np.sqrt(variance / n_repeats)
    )


@dataclass(frozen=True)
class Identifiability:
    """Whether two parameters can be told apart.

    Attributes
    ----------
    distinct : bool, whether the densities differ anywhere that was looked
    largest_gap : float, largest difference of the densities
    where : the point of the largest difference
    """

    distinct: bool
    largest_gap: float
    where: Any

    def __bool__(self) -> bool:
        return self.distinct


@method("density.identifiability", section="CB 3.1", task="density", en="Identifiability", zh="可识别性")
def check_identifiability(
    pdf: Callable[..., Any], theta1: Any, theta2: Any, X: Any = None, *, tol: float = 1e-12
) -> Identifiability:
    """Whether two parameters give different densities somewhere.

    A family is identifiable if any two parameters do. A pair that does not is a proof that it is not; a pair that does
    proves nothing about the others.

    Cookbook: section 3.1.

    Parameters
    ----------
    pdf : callable
        ``pdf(x, theta)``: density or probability at each of the points.
    theta1, theta2 : any
        The parameters, as `pdf` takes them.
    X : array, optional
        Points to look at: the whole support of a discrete variable. 0 and 1 unless given.
    tol : float, default=1e-12
        Differences up to this part of the largest density are rounding.

    Returns
    -------
    Identifiability
        True as a boolean if the densities differ.

    Examples
    --------
    >>> from lanatus.density import check_identifiability
    >>> def two_coins(x, theta):
    ...     return sum(0.5 * p**x * (1 - p) ** (1 - x) for p in theta)
    >>> bool(check_identifiability(two_coins, (0.2, 0.6), (0.3, 0.5)))
    False
    """
    points = np.array([0.0, 1.0]) if X is None else np.asarray(X)
    one, two = (np.asarray(pdf(points, theta), dtype=np.float64) for theta in (theta1, theta2))
    gap = np.abs(one - two)
    if not np.isfinite(gap).all():
        raise ValueError("pdf is not finite at all points; choose others with X.")
    at = int(gap.argmax())
    return Identifiability(bool(gap[at] > tol * max(one.max(), two.max(), 1e-300)), float(gap[at]), points[at])


@method("density.cramer-rao", section="CB 3.5.1", task="density", en="Cramer-Rao bound", zh="克拉美罗界")
def cramer_rao_bound(family: Any, theta: Any, n: int = 1, *, support: Any = None, step: float = 1e-4) -> Any:
    r"""Least variance of an unbiased estimator from n observations, :math:`(n I(\theta))^{-1}`.

    :math:`I(\theta)` is Fisher's information of one observation: in closed form for the families of `mle`, else
    :math:`E[(\partial_\theta \log p)(\partial_\theta \log p)^T]` by differences and a sum over `support`.

    Cookbook: section 3.5.1.

    Parameters
    ----------
    family : str or callable
        Name of a family of `mle` with an information, or ``f(x, theta)`` that gives log densities.
    theta : dict, float or array
        The true parameters, by name for a family; an array for a function.
    n : int, default=1
        Observations.
    support : array, optional
        For a function: evenly spaced points (density), or all values of a discrete variable (probabilities).
    step : float, default=1e-4
        For a function: step of the differences.

    Returns
    -------
    float, or ndarray of shape (k, k) for k > 1 parameters

    Examples
    --------
    >>> from lanatus.density import cramer_rao_bound
    >>> cramer_rao_bound("bernoulli", {"p": 0.5}, 100)
    0.0025
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}.")
    if isinstance(family, str):
        if family not in FAMILIES or FAMILIES[family].information is None:
            having = sorted(name for name, one in FAMILIES.items() if one.information is not None)
            raise ValueError(f"family={family!r} has no Fisher information here; there are {', '.join(having)}.")
        if not isinstance(theta, Mapping):
            raise ValueError("theta must be a dict of the family's parameters.")
        told = FAMILIES[family].information
        try:
            information = np.atleast_2d(told(dict(theta)))  # type: ignore[misc]
        except ZeroDivisionError:
            raise ValueError(
                f"theta={dict(theta)} lies at the edge of {family}: the information is infinite."
            ) from None
    else:
        information = _information(family, theta, support, step)
    bound = np.linalg.inv(n * information)
    return float(bound[0, 0]) if bound.size == 1 else bound


def _information(log_density: Any, theta: Any, support: Any, step: float) -> np.ndarray:
    if support is None:
        raise ValueError("a function needs support: evenly spaced points, or all values.")
    points = np.asarray(support, dtype=np.float64)
    at = np.atleast_1d(np.asarray(theta, dtype=np.float64))
    given = (lambda values: values) if np.ndim(theta) else (lambda values: values[0])
    slopes = []
    for j in range(len(at)):
        ahead, behind = at.copy(), at.copy()
        ahead[j] += step
        behind[j] -= step
        slopes.append((log_density(points, given(ahead)) - log_density(points, given(behind))) / (2 * step))
    density = np.exp(log_density(points, given(at)))
    gradient = np.array(slopes)
    # Probabilities sum to 1 as they are; densities when multiplied by the spacing of the points.
    width = 1.0 if abs(density.sum() - 1) < 1e-6 else float(points[1] - points[0])
    return gradient * density * width @ gradient.T


@method(
    "density.curse-sample-size",
    section="CB 3.5.2",
    task="density",
    en="Samples that density estimation needs",
    zh="密度估计所需样本量",
)
def required_samples(d: int, per_dim: int = 100) -> int:
    """Samples that a density of d dimensions needs if one dimension needs `per_dim`: per_dim to the power d.

    Cookbook: section 3.5.2.

    Parameters
    ----------
    d : int
        Dimensions.
    per_dim : int, default=100
        Samples for one dimension.

    Returns
    -------
    int

    Examples
    --------
    >>> from lanatus.density import required_samples
    >>> required_samples(3)
    1000000
    """
    if d < 1 or per_dim < 1:
        raise ValueError(f"d and per_dim must be at least 1, got {d} and {per_dim}.")
    return int(per_dim) ** int(d)
