"""Tests of one learner's error rate, and the chi-square test of counts."""

from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.significance._critical_values import against, binomial_count
from lanatus.evaluation.significance._samples import level, mean_and_spread, numbers, ratio, size_of
from lanatus.evaluation.significance._verdict import Verdict
from lanatus.params import check_integer, check_real


@method(
    "evaluation.binomial-test",
    section="2.4.1",
    task="comparison",
    kind="test",
    en="Binomial test of a single test error",
    zh="二项检验",
    peers=["scipy:binomtest"],
)
def binomial_test(n_errors: int, m: int, eps0: float, *, alpha: float = 0.05, name: str = "the learner") -> Verdict:
    """Test from one test set whether an error rate is at most `eps0`.

    Under the hypothesis eps <= eps0 the number of errors on m test examples is at most binomial(m, eps0). The
    hypothesis is rejected when more errors were made than the critical count c = min {c : P(X > c) <= alpha}.

    Book: section 2.4.1, (2.26) and (2.27); the latter is misprinted, and this is what the text means.

    Parameters
    ----------
    n_errors : int
        Errors on the test set.
    m : int
        Examples in the test set.
    eps0 : float
        Error rate of the hypothesis, from 0 to 1.
    alpha : float, default=0.05
        Level of the test.
    name : str, default="the learner"
        What the sentence calls the learner.

    Returns
    -------
    Verdict
        The statistic is the count of errors, the critical value the largest count that is not rejected; the
        p-value is P(X >= n_errors). ``details`` has the ``error_rate`` and the ``critical_error_rate``.

    Notes
    -----
    A count equal to the critical count is not rejected: with m=10 and eps0=0.3, P(X >= 5) = 0.150 but
    P(X >= 6) = 0.047. As counts are whole, the true level is at most `alpha`, and often below.

    Examples
    --------
    >>> from lanatus.evaluation import binomial_test
    >>> verdict = binomial_test(6, 10, 0.3)
    >>> verdict.critical_value, round(verdict.p_value, 3), verdict.reject
    (5.0, 0.047, True)
    >>> binomial_test(5, 10, 0.3).meaning
    'That the error rate of the learner is above 0.3 could not be shown at level 0.05.'
    """
    from scipy import stats

    alpha, m = level(alpha), check_integer("m", m, 1)
    n_errors, eps0 = check_integer("n_errors", n_errors, 0, m), check_real("eps0", eps0, 0, 1)
    critical = binomial_count(alpha, m, eps0)
    reject = n_errors > critical
    return Verdict(
        test="binomial test",
        null=f"the error rate of {name} is at most {eps0:g}",
        statistic=float(n_errors),
        distribution=f"B({m}, {eps0:g})",
        p_value=float(stats.binom.sf(n_errors - 1, m, eps0)),
        critical_value=float(critical),
        alpha=alpha,
        reject=reject,
        meaning=(
            f"The error rate of {name} is significantly above {eps0:g} at level {alpha:g}."
            if reject
            else f"That the error rate of {name} is above {eps0:g} could not be shown at level {alpha:g}."
        ),
        details={"error_rate": n_errors / m, "critical_error_rate": critical / m},
    )


@method(
    "evaluation.t-test",
    section="2.4.1",
    task="comparison",
    kind="test",
    en="t-test of repeated test errors",
    zh="t检验",
    peers=["scipy:ttest_1samp"],
)
def t_test(errors: Any, eps0: float, *, alpha: float = 0.05, name: str = "the learner") -> Verdict:
    """Test from k test errors whether the error rate is `eps0`.

    With mean mu and standard deviation sigma (over k - 1) of the errors, tau = sqrt(k) (mu - eps0) / sigma
    follows t with k - 1 degrees of freedom. The test is two-sided.

    Book: section 2.4.1, (2.28) to (2.30), Table 2.3. The text once compares abs(mu - eps0) with the critical
    value; tau is meant.

    Parameters
    ----------
    errors : array-like of shape (k,)
        Test error rates of k hold-outs or folds, k >= 2.
    eps0 : float
        Error rate of the hypothesis.
    alpha : float, default=0.05
        Level of the test.
    name : str, default="the learner"
        What the sentence calls the learner.

    Returns
    -------
    Verdict
        ``details`` has the ``mean``, the ``standard_deviation`` and the ``interval`` of the mean at 1 - alpha.

    Notes
    -----
    Errors that are all the same: equal to `eps0` the statistic is 0 and the p-value 1; otherwise the
    statistic is infinite, the p-value 0, and the hypothesis is rejected.

    Examples
    --------
    >>> from lanatus.evaluation import t_test
    >>> verdict = t_test([0.22, 0.25, 0.21, 0.24, 0.28], 0.3)
    >>> round(verdict.statistic, 3), round(verdict.critical_value, 3), verdict.reject
    (-4.899, 2.776, True)
    >>> verdict.meaning
    'The error rate of the learner is significantly below 0.3 at level 0.05.'
    """
    alpha, sample = level(alpha), numbers("errors", errors, least=2)
    eps0 = check_real("eps0", eps0, -np.inf)
    difference, spread = mean_and_spread(sample - eps0, size_of(sample, eps0))
    error = spread / np.sqrt(len(sample))
    found = against("t", ratio(difference, error), alpha, df=len(sample) - 1)
    side, half = "above" if difference > 0 else "below", found["critical_value"] * error
    return Verdict(
        test="t test",
        null=f"the error rate of {name} is {eps0:g}",
        meaning=(
            f"The error rate of {name} is significantly {side} {eps0:g} at level {alpha:g}."
            if found["reject"]
            else f"No significant difference of the error rate of {name} from {eps0:g} was found at level {alpha:g}."
        ),
        details={
            "mean": eps0 + difference,
            "standard_deviation": spread,
            "interval": (eps0 + difference - half, eps0 + difference + half),
        },
        **found,
    )


@method(
    "evaluation.chi-square-test",
    section="ex 2.9",
    task="comparison",
    kind="test",
    en="Chi-square test procedure",
    zh="卡方检验",
    peers=["scipy:chisquare", "scipy:chi2_contingency"],
)
def chi2_test(
    observed: Any, expected: Any = None, *, correction: bool = False, n_estimated: int = 0, alpha: float = 0.05
) -> Verdict:
    """Test whether counts are what a hypothesis expects of them.

    The statistic is the sum of (observed - expected)^2 / expected. A row of counts is tested for goodness of
    fit, with cells - 1 - n_estimated degrees of freedom; a table of counts without `expected` is tested for
    independence of rows and columns, with (rows - 1)(columns - 1).

    Book: exercise 2.9.

    Parameters
    ----------
    observed : array-like of shape (cells,) or (rows, columns)
        Counts.
    expected : array-like or None, default=None
        Expected counts of the same shape and sum. None is equal counts for a row, and row sum times column
        sum over total for a table.
    correction : bool, default=False
        For a 2 x 2 table without `expected`: bring each count closer to the expected one by 1/2 (Yates).
    n_estimated : int, default=0
        Parameters of the expected counts that were estimated from the same data (goodness of fit only).
    alpha : float, default=0.05
        Level of the test.

    Returns
    -------
    Verdict
        ``details`` has the ``expected`` counts and the smallest of them, ``least_expected``; below 5 the
        chi-square distribution is a poor guide.

    Examples
    --------
    >>> from lanatus.evaluation import chi2_test
    >>> verdict = chi2_test([16, 18, 16, 14, 12, 12])
    >>> round(verdict.statistic, 3), round(verdict.p_value, 3), verdict.reject
    (2.0, 0.849, False)
    >>> chi2_test([[30, 10], [15, 25]]).meaning
    'Rows and columns are significantly dependent at level 0.05.'
    """
    alpha = level(alpha)
    counts = numbers("observed", observed, ndim=2 if np.ndim(observed) == 2 else 1)
    independence = counts.ndim == 2 and expected is None
    if counts.size < 2 or (independence and min(counts.shape) < 2):
        raise ValueError(f"observed must have at least 2 cells, a table 2 rows and 2 columns; got {counts.shape}.")
    if (counts < 0).any() or not counts.sum():
        raise ValueError("observed must be counts, none below 0 and not all 0.")
    if independence:
        df = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    else:
        df = counts.size - 1 - check_integer("n_estimated", n_estimated, 0, counts.size - 2)
    wanted = _expected(counts, expected)
    gap = np.abs(counts - wanted)
    if correction:
        if not independence or counts.shape != (2, 2):
            raise ValueError("correction=True is for a 2 x 2 table without expected; set it to False.")
        gap = np.maximum(gap - 0.5, 0)
    found = against("chi2", float((gap**2 / wanted).sum()), alpha, df=df)
    return Verdict(
        test="chi-square test of independence" if independence else "chi-square test of goodness of fit",
        null="rows and columns are independent" if independence else "the counts follow the expected ones",
        meaning=_meaning_of_counts(independence, found["reject"], alpha),
        details={"expected": wanted, "least_expected": float(wanted.min())},
        **found,
    )


def _expected(counts: np.ndarray, expected: Any) -> np.ndarray:
    if expected is None and counts.ndim == 1:
        return np.full(counts.shape, counts.mean())
    if expected is None:
        rows, columns = counts.sum(axis=1), counts.sum(axis=0)
        if not (rows.all() and columns.all()):
            raise ValueError("observed must have no row and no column that is all 0; leave these out.")
        return np.outer(rows, columns) / counts.sum()
    wanted = numbers("expected", expected, ndim=counts.ndim)
    if wanted.shape != counts.shape:
        raise ValueError(f"expected must have the shape of observed, {counts.shape}; got {wanted.shape}.")
    if (wanted <= 0).any():
        raise ValueError("expected must be above 0 in every cell; merge cells of which nothing is expected.")
    if not np.isclose(wanted.sum(), counts.sum(), rtol=1e-8, atol=0):
        raise ValueError(
            f"expected must sum to the sum of observed, {counts.sum():g}; got {wanted.sum():g}. "
            "Multiply probabilities by the number of examples."
        )
    return wanted


def _meaning_of_counts(independence: bool, reject: bool, alpha: float) -> str:
    if independence:
        return (
            f"Rows and columns are significantly dependent at level {alpha:g}."
            if reject
            else f"No significant dependence of rows and columns was found at level {alpha:g}."
        )
    return (
        f"The counts differ significantly from the expected ones at level {alpha:g}."
        if reject
        else f"No significant difference from the expected counts was found at level {alpha:g}."
    )
