"""t tests of two learners on the same folds or splits."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.significance._critical_values import against
from lanatus.evaluation.significance._samples import (
    learner_names,
    level,
    mean_and_spread,
    numbers,
    paired,
    ratio,
    size_of,
)
from lanatus.evaluation.significance._verdict import Verdict, contrast
from lanatus.params import check_choice, check_integer, check_real


@method(
    "evaluation.paired-cv-t-test",
    section="2.4.2",
    task="comparison",
    kind="test",
    en="Paired t-test on k-fold cross-validation",
    zh="交叉验证成对t检验",
    peers=["mlxtend:paired_ttest_kfold_cv", "scipy:ttest_rel"],
)
def paired_cv_t_test(
    errors_a: Any,
    errors_b: Any,
    *,
    alpha: float = 0.05,
    names: Sequence[str] = ("A", "B"),
    lower_is_better: bool = True,
) -> Verdict:
    """Test from the errors of k folds whether two learners have the same error rate.

    With the mean mu and the standard deviation sigma (over k - 1) of the differences errors_a - errors_b,
    tau = sqrt(k) mu / sigma follows t with k - 1 degrees of freedom. The test is two-sided.

    Book: section 2.4.2, (2.31). Training folds overlap, so the errors are not independent and the test
    rejects too often; see ``five_by_two_cv_test`` and ``corrected_resampled_t_test``.

    Parameters
    ----------
    errors_a, errors_b : array-like of shape (k,)
        Errors of the learners, entry i of both from the same fold; k >= 2.
    alpha : float, default=0.05
        Level of the test.
    names : (str, str), default=("A", "B")
        What the sentence calls the learners.
    lower_is_better : bool, default=True
        Whether the numbers are errors; False for scores such as accuracy.

    Returns
    -------
    Verdict
        The statistic keeps its sign: below 0, A has the smaller mean. ``details`` has the mean ``difference``,
        its ``standard_error`` and ``interval`` at 1 - alpha, and the ``better`` learner or None.

    Notes
    -----
    Differences that are all the same: if they are 0 the statistic is 0 and the p-value 1; otherwise the
    statistic is infinite, the p-value 0, and the hypothesis is rejected.

    Examples
    --------
    >>> from lanatus.evaluation import paired_cv_t_test
    >>> verdict = paired_cv_t_test([0.10, 0.12, 0.09, 0.11, 0.10], [0.14, 0.15, 0.14, 0.13, 0.16])
    >>> round(verdict.statistic, 3), round(verdict.critical_value, 3)
    (-5.657, 2.776)
    >>> verdict.meaning
    'A is significantly better than B at level 0.05.'
    """
    a, b = paired("errors_a", errors_a, "errors_b", errors_b, least=2)
    return _t_verdict("paired k-fold t test", a, b, 1 / len(a), alpha, names, lower_is_better)


@method(
    section="2.4.2",
    task="comparison",
    kind="test",
    en="Corrected resampled t-test",
    zh="校正重采样t检验",
)
def corrected_resampled_t_test(
    errors_a: Any,
    errors_b: Any,
    *,
    n_train: int | None = None,
    n_test: int | None = None,
    test_fraction: float | None = None,
    alpha: float = 0.05,
    names: Sequence[str] = ("A", "B"),
    lower_is_better: bool = True,
) -> Verdict:
    """Test two learners from repeated hold-outs or cross-validation, allowing for training sets that overlap.

    As the paired t test over J runs, but the variance of the mean is taken as (1/J + n_test / n_train)
    sigma^2 instead of sigma^2 / J; tau = mu / sqrt((1/J + n_test / n_train) sigma^2) is held against t with
    J - 1 degrees of freedom.

    Book: section 2.4.2 tells the problem; the correction is Nadeau and Bengio's.

    Parameters
    ----------
    errors_a, errors_b : array-like of shape (J,)
        Errors of the learners, entry i of both from the same split; J >= 2.
    n_train, n_test : int or None, default=None
        Sizes of the training and test set of a split.
    test_fraction : float or None, default=None
        Share of the data in the test set, above 0 and below 1, in place of the two sizes: 0.3 for a 70/30
        hold-out, 1/k for k folds.
    alpha : float, default=0.05
        Level of the test.
    names : (str, str), default=("A", "B")
        What the sentence calls the learners.
    lower_is_better : bool, default=True
        Whether the numbers are errors; False for scores such as accuracy.

    Returns
    -------
    Verdict
        As for ``paired_cv_t_test``.

    Notes
    -----
    Differences that are all the same are treated as in ``paired_cv_t_test``.

    References
    ----------
    C. Nadeau, Y. Bengio: Inference for the generalization error. Machine Learning 52 (2003), 239-281.

    Examples
    --------
    >>> from lanatus.evaluation import corrected_resampled_t_test
    >>> a, b = [0.10, 0.12, 0.09, 0.11, 0.10], [0.14, 0.15, 0.14, 0.13, 0.16]
    >>> verdict = corrected_resampled_t_test(a, b, n_train=80, n_test=20)
    >>> round(verdict.statistic, 3), verdict.reject
    (-3.771, True)
    >>> corrected_resampled_t_test(a, b, test_fraction=0.2).p_value == verdict.p_value
    True
    """
    if (test_fraction is None) == (n_train is None) or (n_train is None) != (n_test is None):
        raise ValueError(
            "give n_train and n_test, or test_fraction alone; "
            f"got n_train={n_train!r}, n_test={n_test!r}, test_fraction={test_fraction!r}."
        )
    if test_fraction is None:
        share = check_integer("n_test", n_test, 1) / check_integer("n_train", n_train, 1)
    else:
        fraction = check_real("test_fraction", test_fraction, 0, above=True)
        if fraction >= 1:
            raise ValueError(f"test_fraction must be above 0 and below 1; got {test_fraction!r}.")
        share = fraction / (1 - fraction)
    a, b = paired("errors_a", errors_a, "errors_b", errors_b, least=2)
    return _t_verdict("corrected resampled t test", a, b, 1 / len(a) + share, alpha, names, lower_is_better)


def _t_verdict(
    test: str,
    a: np.ndarray,
    b: np.ndarray,
    share: float,
    alpha: float,
    names: Sequence[str],
    lower_is_better: bool,
) -> Verdict:
    """Two-sided t test of the mean difference, whose variance is `share` times that of one difference."""
    alpha, names = level(alpha), learner_names(names, 2)
    difference, spread = mean_and_spread(a - b, size_of(a, b))
    error = spread * float(np.sqrt(share))
    found = against("t", ratio(difference, error), alpha, df=len(a) - 1)
    better, meaning = contrast(names, difference, found["reject"], alpha, lower_is_better=lower_is_better)
    half = found["critical_value"] * error
    return Verdict(
        test=test,
        null=f"the mean difference between {names[0]} and {names[1]} is 0",
        meaning=meaning,
        details={
            "difference": difference,
            "standard_error": error,
            "interval": (difference - half, difference + half),
            "better": better,
        },
        **found,
    )


@method(
    "evaluation.five-by-two-cv-test",
    section="2.4.2",
    task="comparison",
    kind="test",
    en="5x2 cross-validation test",
    zh="5×2交叉验证检验",
    peers=["mlxtend:paired_ttest_5x2cv", "mlxtend:combined_ftest_5x2cv"],
)
def five_by_two_cv_test(
    diffs: Any,
    *,
    numerator: str = "mean",
    statistic: str = "t",
    alpha: float = 0.05,
    names: Sequence[str] = ("A", "B"),
    lower_is_better: bool = True,
) -> Verdict:
    """Test two learners from five two-fold cross-validations, whose training sets overlap less.

    With the differences d_i1, d_i2 of repetition i and s_i^2 = (d_i1 - m_i)^2 + (d_i2 - m_i)^2 about their
    mean m_i, tau = mu / sqrt(0.2 sum s_i^2) is held against t with 5 degrees of freedom (two-sided).

    Book: section 2.4.2, (2.32), where mu = 0.5 (d_11 + d_12), of the first repetition only. The text prints
    an index i; 1 is meant. Dietterich's own numerator is d_11. The combined F test uses all ten differences:
    f = sum d_ij^2 / (2 sum s_i^2), held against F(10, 5).

    Parameters
    ----------
    diffs : array-like of shape (5, 2)
        Error of the first learner less that of the second: one row for each repetition, one column a fold.
    numerator : {"mean", "first"}, default="mean"
        The book's mu, or Dietterich's d_11. The F test takes no notice of it.
    statistic : {"t", "F"}, default="t"
        The t test, or Alpaydin's combined F test.
    alpha : float, default=0.05
        Level of the test.
    names : (str, str), default=("A", "B")
        What the sentence calls the learners.
    lower_is_better : bool, default=True
        Whether `diffs` are of errors; False for scores such as accuracy.

    Returns
    -------
    Verdict
        ``details`` has the mean ``difference`` of all ten, the five ``variances`` and the ``better`` learner
        or None: by the sign of the numerator for t, of the mean difference for F.

    Notes
    -----
    If all s_i are 0, the statistic is 0 and the p-value 1 where the numerator is 0 as well; otherwise the
    statistic is infinite and the p-value 0. If the differences are independent and normal, the book's
    statistic is t(5) / sqrt(2): it rejects less often than `alpha` says.

    References
    ----------
    T. G. Dietterich: Approximate statistical tests for comparing supervised classification learning
    algorithms. Neural Computation 10 (1998), 1895-1923. E. Alpaydin: Combined 5x2 cv F test for comparing
    supervised classification learning algorithms. Neural Computation 11 (1999), 1885-1892.

    Examples
    --------
    >>> from lanatus.evaluation import five_by_two_cv_test
    >>> diffs = [[-0.05, -0.04], [-0.06, -0.05], [-0.04, -0.06], [-0.05, -0.05], [-0.03, -0.05]]
    >>> verdict = five_by_two_cv_test(diffs)
    >>> round(verdict.statistic, 3), round(verdict.critical_value, 4), verdict.reject
    (-4.5, 2.5706, True)
    >>> five_by_two_cv_test(diffs, statistic="F").distribution
    'F(10, 5)'
    """
    alpha, names = level(alpha), learner_names(names, 2)
    check_choice("numerator", numerator, ("mean", "first"))
    check_choice("statistic", statistic, ("t", "F"))
    table = numbers("diffs", diffs, ndim=2)
    if table.shape != (5, 2):
        raise ValueError(f"diffs must have shape (5, 2), repetitions by folds; got {table.shape}.")
    variances = (table[:, 0] - table[:, 1]) ** 2 / 2  # what (d1 - m)^2 + (d2 - m)^2 comes to
    mean = float(table.mean())
    if statistic == "F":
        value = ratio(float((table**2).sum()), 2 * float(variances.sum()))
        found, direction = against("F", value, alpha, df=(10, 5)), mean
    else:
        direction = float(table[0].mean() if numerator == "mean" else table[0, 0])
        found = against("t", ratio(direction, float(np.sqrt(0.2 * variances.sum()))), alpha, df=5)
    better, meaning = contrast(names, direction, found["reject"], alpha, lower_is_better=lower_is_better)
    if better is not None and direction * mean < 0:
        meaning = f"{meaning[:-1]}, though the mean of all ten differences points the other way."
    return Verdict(
        test="5x2 cv t test" if statistic == "t" else "combined 5x2 cv F test",
        null=f"{names[0]} and {names[1]} have the same error rate",
        meaning=meaning,
        details={"difference": mean, "variances": variances, "better": better},
        **found,
    )
