"""Information criteria: likelihood less a price for parameters."""

from math import log

from lanatus.catalog import method


@method(
    "density.aic",
    section="CB 3.5.3",
    task="evaluation",
    kind="measure",
    en="AIC",
    zh="赤池信息准则",
    peers=["statsmodels:aic"],
)
def aic(log_likelihood: float, k: float, n: float | None = None, *, per_sample: bool = False) -> float:
    """Akaike's information criterion, 2 k - 2 L; lower is better.

    Cookbook: section 3.5.3, in its form 2 (k - L) / n with ``per_sample=True``. The book's (7.30) is half of 2 k - 2 L.

    Parameters
    ----------
    log_likelihood : float
        Natural logarithm of the likelihood of all rows.
    k : float
        Number of free parameters.
    n : float, optional
        Number of rows; needed for `per_sample` only.
    per_sample : bool, default=False
        Whether to divide by `n`.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.density import aic
    >>> aic(-150, 3), aic(-150, 3, 100, per_sample=True)
    (306.0, 3.06)
    """
    value = 2.0 * (k - log_likelihood)
    if not per_sample:
        return value
    if n is None or not n > 0:
        raise ValueError(f"per_sample=True needs n, the number of rows, above 0; got {n}.")
    return value / n


@method(
    "density.bic",
    section="CB 3.5.3",
    task="evaluation",
    kind="measure",
    en="BIC",
    zh="贝叶斯信息准则",
    peers=["statsmodels:bic"],
)
def bic(log_likelihood: float, k: float, n: float) -> float:
    """Bayesian information criterion, k ln n - 2 L; lower is better.

    Cookbook: section 3.5.3. The book's (7.31) is half of it.

    Parameters
    ----------
    log_likelihood : float
        Natural logarithm of the likelihood of all rows.
    k : float
        Number of free parameters.
    n : float
        Number of rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.density import bic
    >>> round(bic(-150, 3, 100), 7)
    313.8155106
    """
    if not n > 0:
        raise ValueError(f"n must be above 0, got {n}.")
    return k * log(n) - 2.0 * log_likelihood
