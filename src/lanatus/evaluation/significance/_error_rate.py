"""The error rate as an estimate: from a test set, with variance and interval, and its binomial distribution."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.significance._samples import level, numbers
from lanatus.params import check_choice, check_integer


@dataclass(frozen=True)
class ErrorRate:
    """An error rate estimated from a test set.

    Attributes
    ----------
    rate : float
        The estimate, without bias.
    variance : float
        Estimated variance of the estimate.
    interval : (float, float)
        Confidence interval at 1 - alpha.
    alpha : float
        One less the confidence.
    n_examples : int
        Examples in the test set.
    method : str
        How the interval was made.
    """

    rate: float
    variance: float
    interval: tuple[float, float]
    alpha: float
    n_examples: int
    method: str

    @property
    def standard_error(self) -> float:
        """Square root of the variance."""
        return float(np.sqrt(self.variance))

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"error rate {self.rate:.4g} on {self.n_examples} examples, "
            f"{1 - self.alpha:.4g} confidence interval {low:.4g} to {high:.4g}"
        )


@method(
    "evaluation.error-rate-estimator",
    "evaluation.stratified-error-rate-estimator",
    section="CB 3.6",
    task="evaluation",
    kind="measure",
    en="Error-rate estimate from a test set",
    zh="错误率估计",
    peers=["statsmodels:proportion_confint"],
)
def estimate_error_rate(
    k: Any, N: Any, priors: Any = None, *, alpha: float = 0.05, method: str = "wilson"
) -> ErrorRate:
    """Estimate an error rate from the errors on a test set, with variance and confidence interval.

    With a random test set the estimate is k / N, with variance eps (1 - eps) / N. With known priors P_i and a
    test set of N_i examples of each class, k_i of them wrong, it is sum P_i k_i / N_i with variance
    sum P_i^2 eps_i (1 - eps_i) / N_i; for N_i = N P_i that is sum P_i eps_i (1 - eps_i) / N, which is smaller.

    Book: cookbook 3.6, for two classes; here for any number. In the variances the estimates stand for eps.

    Parameters
    ----------
    k : int, or sequence of int with `priors`
        Errors; with `priors` the errors of each class.
    N : int, or sequence of int with `priors`
        Examples; with `priors` those of each class, or their total where every N P_i is whole.
    priors : sequence of float or None, default=None
        Prior probability of each class, summing to 1.
    alpha : float, default=0.05
        The interval has confidence 1 - alpha.
    method : {"wilson", "clopper-pearson"}, default="wilson"
        Interval: Wilson's, right on average, or Clopper and Pearson's, never less than 1 - alpha.

    Returns
    -------
    ErrorRate
        ``rate``, ``variance``, ``standard_error``, ``interval`` and more.

    Notes
    -----
    With priors the interval is that of the effective number of examples, rate (1 - rate) / variance (Korn and
    Graubard 1998), or of the total where the variance is 0.

    References
    ----------
    E. B. Wilson: Probable inference, the law of succession, and statistical inference. JASA 22 (1927),
    209-212. E. L. Korn, B. I. Graubard: Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data. Survey Methodology 24 (1998), 193-201.

    Examples
    --------
    >>> from lanatus.evaluation import estimate_error_rate
    >>> found = estimate_error_rate(10, 100)
    >>> found.rate, round(found.variance, 6)
    (0.1, 0.0009)
    >>> found = estimate_error_rate([6, 8], [60, 40], priors=[0.6, 0.4])
    >>> round(found.rate, 6), round(found.variance, 6)
    (0.14, 0.00118)
    """
    alpha = level(alpha)
    check_choice("method", method, ("wilson", "clopper-pearson"))
    if priors is None:
        total = check_integer("N", N, 1)
        rate = check_integer("k", k, 0, total) / total
        variance, effective = rate * (1 - rate) / total, float(total)
    else:
        shares = _priors(priors)
        sizes = _class_sizes(N, shares)
        wrong = _counts("k", k, len(shares))
        if (wrong > sizes).any():
            raise ValueError(f"k must be at most N in each class; got {wrong.tolist()} of {sizes.tolist()}.")
        rates = wrong / sizes
        rate, variance = float(shares @ rates), float(shares**2 @ (rates * (1 - rates) / sizes))
        total = int(sizes.sum())
        effective = rate * (1 - rate) / variance if variance > 0 else float(total)
    interval = _wilson(rate, effective, alpha) if method == "wilson" else _clopper_pearson(rate, effective, alpha)
    return ErrorRate(rate, variance, interval, alpha, total, method)


def _priors(priors: Any) -> np.ndarray:
    shares = numbers("priors", priors, least=2)
    if (shares <= 0).any() or abs(shares.sum() - 1) > 1e-8:
        raise ValueError(f"priors must be above 0 and sum to 1; got {shares.tolist()}.")
    return shares


def _class_sizes(N: Any, shares: np.ndarray) -> np.ndarray:
    if np.ndim(N):
        sizes = _counts("N", N, len(shares))
        if (sizes < 1).any():
            raise ValueError(f"N must be at least 1 in each class; got {sizes.tolist()}.")
        return sizes
    exact = check_integer("N", N, 1) * shares
    sizes = np.rint(exact)
    if (np.abs(exact - sizes) > 1e-6).any():
        raise ValueError(
            f"N times each prior must be whole; got {exact.tolist()}. Give the number of examples of each class as N."
        )
    return sizes


def _counts(name: str, values: Any, n_classes: int) -> np.ndarray:
    counts = numbers(name, values)
    if len(counts) != n_classes or (counts < 0).any() or (counts % 1 != 0).any():
        raise ValueError(f"{name} must be one count for each of the {n_classes} priors; got {counts.tolist()}.")
    return counts


def _wilson(rate: float, n: float, alpha: float) -> tuple[float, float]:
    from scipy import stats

    z2 = float(stats.norm.isf(alpha / 2)) ** 2
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = float(np.sqrt(z2 * (rate * (1 - rate) / n + z2 / (4 * n * n)))) / (1 + z2 / n)
    # At the ends the bound is the rate itself; rounding must not put it beyond.
    return (0.0 if rate == 0 else centre - half), (1.0 if rate == 1 else centre + half)


def _clopper_pearson(rate: float, n: float, alpha: float) -> tuple[float, float]:
    from scipy import stats

    wrong = rate * n
    low = 0.0 if rate == 0 else float(stats.beta.ppf(alpha / 2, wrong, n - wrong + 1))
    high = 1.0 if rate == 1 else float(stats.beta.isf(alpha / 2, wrong + 1, n - wrong))
    return low, high


@method(
    "evaluation.binomial-probability",
    section="2.4.1",
    task="evaluation",
    kind="theory",
    en="Binomial probability of a test error",
    zh="测试错误率的二项分布",
    peers=["scipy:binom.pmf"],
)
def test_error_pmf(eps_hat: Any, eps: Any, m: int) -> Any:
    """Probability that a learner with error rate `eps` shows the test error rate `eps_hat` on m examples.

    P(eps_hat; eps) = C(m, eps_hat m) eps^(eps_hat m) (1 - eps)^(m - eps_hat m). As a function of `eps` it is
    greatest at eps = eps_hat.

    Book: section 2.4.1, (2.26), Figure 2.6.

    Parameters
    ----------
    eps_hat : float or array-like
        Test error rate; eps_hat m is a whole number.
    eps : float or array-like
        True error rate, from 0 to 1.
    m : int
        Examples in the test set.

    Returns
    -------
    float or ndarray
        The probability; an array where one was given.

    Examples
    --------
    >>> from lanatus.evaluation import test_error_pmf
    >>> round(test_error_pmf(0.3, 0.3, m=10), 6)
    0.266828
    >>> test_error_pmf([0.2, 0.3, 0.4], 0.3, m=10).round(4).tolist()
    [0.2335, 0.2668, 0.2001]
    """
    from scipy import stats

    m = check_integer("m", m, 1)
    shown, true = _shares("eps_hat", eps_hat), _shares("eps", eps)
    wrong = np.rint(shown * m)
    if (np.abs(shown * m - wrong) > 1e-6).any():
        raise ValueError(f"eps_hat must be a whole number of errors over m={m}; got {eps_hat!r}.")
    chance = stats.binom.pmf(wrong, m, true)
    return chance if chance.ndim else float(chance)


test_error_pmf.__test__ = False  # type: ignore[attr-defined]  # pytest would take the name for a test


def _shares(name: str, values: Any) -> np.ndarray:
    """Numbers from 0 to 1, in an array of any shape."""
    shares = numbers(name, values, ndim=np.ndim(values), least=0)
    if ((shares < 0) | (shares > 1)).any():
        raise ValueError(f"{name} must be from 0 to 1; got {values!r}.")
    return shares
