"""Cookbook 3: density estimation by parameters."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.density import (
    BayesianGaussianMean,
    UniformDensity,
    aic,
    bic,
    check_identifiability,
    estimator_bias_variance,
    mle,
)

PAIRS = ((0.2, 0.6), (0.3, 0.5))


def two_coins(x: np.ndarray, theta: tuple[float, float]) -> np.ndarray:
    """Probability of 0 or 1 from one of two coins, picked evenly."""
    return sum((0.5 * p**x * (1 - p) ** (1 - x) for p in theta), np.zeros_like(x))


@example("CB 3.1", en="Two coins that cannot be told from two others", zh="不可识别的伯努利混合")
def identifiability() -> Iterator[Figure]:
    """A mixture of two Bernoullis depends on the sum of their parameters alone."""
    same = check_identifiability(two_coins, *PAIRS)
    other = check_identifiability(two_coins, (0.2, 0.6), (0.3, 0.6))
    yield Figure("P(1) of (0.2, 0.6) and of (0.3, 0.5)", (0.4, 0.4), [two_coins(np.ones(1), t)[0] for t in PAIRS])
    yield Figure("largest difference between them", 0.0, same.largest_gap, digits=12)
    yield Figure("can (0.2, 0.6) be told from (0.3, 0.6)?", "yes", "yes" if other else "no")


@example("CB 3.2", en="Bias of the Gaussian estimates", zh="高斯估计的偏差")
def gaussian_bias() -> Iterator[Figure]:
    """The mean is unbiased, the variance by maximum likelihood is (n - 1) / n of the truth; n = 5, truth 4."""

    def both(x: np.ndarray) -> list[float]:
        found = mle("gaussian", x).parameters
        return [found["mean"], found["variance"], mle("gaussian", x, ddof=1).parameters["variance"]]

    found = estimator_bias_variance(
        both, lambda n, rng: rng.normal(1.0, 2.0, n), 5, truth=[1.0, 4.0, 4.0], n_repeats=4000, random_state=0
    )
    within = np.abs(found.mean - [1.0, 3.2, 4.0]) < 3 * found.bias_error
    yield Figure("mean of the estimates is 1, 3.2 and (Bessel) 4, within 3 errors", (1, 1, 1), within.astype(float))
    yield Figure("variance of the mean, 4 / 5", 0.8, found.variance[0], digits=1)


@example("CB 3.3.1", en="Bayesian estimate of a Gaussian mean", zh="高斯均值的贝叶斯估计")
def map_mean() -> Iterator[Figure]:
    """x = 1, 2, 3 with deviation 1 and the prior N(0, 1)."""
    model = BayesianGaussianMean(mu0=0.0, sigma0=1.0, sigma=1.0).fit([[1.0], [2.0], [3.0]])
    yield Figure("posterior mean", None, model.mean_[0], right=1.5)
    yield Figure(
        "posterior variance",
        None,
        model.variance_[0],
        right=0.25,
        erratum="the text writes the deviation where the formula is that of the variance",
    )


@example("CB 3.3.3", en="Uniform density", zh="均匀分布")
def uniform() -> Iterator[Figure]:
    """Maximum likelihood is the smallest interval with all values."""
    values = [0.31, 0.94, 0.17, 0.55]
    model = UniformDensity().fit(np.array(values)[:, None])
    yield Figure("ends", None, (model.low_[0], model.high_[0]), right=(min(values), max(values)))


@example("CB 3.5.3", en="AIC and BIC", zh="AIC与BIC")
def criteria() -> Iterator[Figure]:
    """Three parameters, 100 rows, log-likelihood -150."""
    yield Figure("AIC, a row", None, aic(-150, 3, 100, per_sample=True), right=3.06)
    yield Figure("BIC", None, bic(-150, 3, 100), digits=7, right=313.8155106)
