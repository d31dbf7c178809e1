"""Equivalence and non-inferiority: tests that can show that two learners are about the same."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.significance._critical_values import critical_value
from lanatus.evaluation.significance._samples import (
    ROUNDING,
    learner_names,
    level,
    mean_and_spread,
    paired,
    ratio,
    size_of,
)
from lanatus.evaluation.significance._verdict import Verdict
from lanatus.params import check_choice, check_real


@method(
    "evaluation.equivalence-test",
    section="2.4",
    task="comparison",
    kind="test",
    en="Equivalence and non-inferiority tests",
    zh="等价性检验",
    peers=["statsmodels:ttost_paired"],
)
def equivalence_test(
    errors_a: Any,
    errors_b: Any,
    delta: float,
    *,
    kind: str = "equivalence",
    alpha: float = 0.05,
    names: Sequence[str] = ("A", "B"),
    lower_is_better: bool = True,
) -> Verdict:
    """Test whether two learners are the same up to a margin, or the first is not worse than the second by more.

    A test of difference that does not reject shows nothing; here the hypothesis is that they differ by `delta`
    or more, and to reject it is to show that they do not. Two one-sided t tests (TOST): with the mean mu and
    the standard error s of errors_a - errors_b, both (mu + delta) / s and (delta - mu) / s must exceed the
    one-sided critical value of t with k - 1 degrees of freedom. Non-inferiority asks for one of the two.

    Book: section 2.4, margin note (Wellek 2010).

    Parameters
    ----------
    errors_a, errors_b : array-like of shape (k,)
        Errors of the learners, entry i of both from the same fold or data set; k >= 2.
    delta : float
        The largest difference that does not matter, above 0.
    kind : {"equivalence", "non-inferiority"}, default="equivalence"
        abs(mean difference) < delta; or A is worse than B by less than delta, if at all.
    alpha : float, default=0.05
        Level of the test.
    names : (str, str), default=("A", "B")
        What the sentence calls the learners.
    lower_is_better : bool, default=True
        Whether the numbers are errors; False for scores such as accuracy.

    Returns
    -------
    Verdict
        The statistic is the smaller of the two t values, the p-value the greater of the two. ``details`` has
        the mean ``difference``, its ``standard_error`` and its ``interval`` at 1 - 2 alpha: the learners are
        equivalent if that lies between -delta and delta.

    Notes
    -----
    Differences that are all the same: the statistic is infinite and the p-value 0 if the margin is kept,
    minus infinity and 1 if it is not, and 0 and 1/2 if the difference is the margin itself.
    The folds of a cross-validation depend on each other, as for ``paired_cv_t_test``.

    References
    ----------
    D. J. Schuirmann: A comparison of the two one-sided tests procedure and the power approach. J. of
    Pharmacokinetics and Biopharmaceutics 15 (1987), 657-680. S. Wellek: Testing Statistical Hypotheses of
    Equivalence and Noninferiority, 2nd ed. CRC (2010).

    Examples
    --------
    >>> from lanatus.evaluation import equivalence_test
    >>> a, b = [0.10, 0.12, 0.09, 0.11, 0.10], [0.11, 0.11, 0.10, 0.10, 0.11]
    >>> verdict = equivalence_test(a, b, 0.02)
    >>> round(verdict.statistic, 3), round(verdict.critical_value, 3)
    (3.674, 2.132)
    >>> verdict.meaning
    'A and B are equivalent at level 0.05: their mean difference is below 0.02.'
    """
    from scipy import stats

    alpha, names = level(alpha), learner_names(names, 2)
    check_choice("kind", kind, ("equivalence", "non-inferiority"))
    delta = check_real("delta", delta, 0, above=True)
    a, b = paired("errors_a", errors_a, "errors_b", errors_b, least=2)
    difference, spread = mean_and_spread(a - b, size_of(a, b))
    error = spread / float(np.sqrt(len(a)))
    room = _room(difference if lower_is_better else -difference, delta, kind, ROUNDING * size_of(a, b, delta))
    value, df = ratio(room, error), len(a) - 1
    critical, p = critical_value("t", alpha, df=df, sided=1), float(stats.t.sf(value, df))
    return Verdict(
        test="equivalence test (TOST)" if kind == "equivalence" else "non-inferiority test",
        null=(
            f"{names[0]} and {names[1]} differ by {delta:g} or more"
            if kind == "equivalence"
            else f"{names[0]} is worse than {names[1]} by {delta:g} or more"
        ),
        statistic=value,
        distribution=f"t({df})",
        p_value=p,
        critical_value=critical,
        alpha=alpha,
        reject=p <= alpha,
        meaning=_meaning(names, delta, kind, p <= alpha, alpha),
        details={
            "difference": difference,
            "standard_error": error,
            "interval": (difference - critical * error, difference + critical * error),
        },
    )


def _room(worse_by: float, delta: float, kind: str, noise: float) -> float:
    """How far the mean difference stays within the margin; 0 if it is the margin but for rounding."""
    room = delta - (abs(worse_by) if kind == "equivalence" else worse_by)
    return 0.0 if abs(room) <= noise else room


def _meaning(names: tuple[str, ...], delta: float, kind: str, reject: bool, alpha: float) -> str:
    first, second = names
    if kind == "equivalence":
        if reject:
            return f"{first} and {second} are equivalent at level {alpha:g}: their mean difference is below {delta:g}."
        return f"That {first} and {second} are equivalent, to within {delta:g}, could not be shown at level {alpha:g}."
    if reject:
        return f"{first} is not inferior to {second} at level {alpha:g}: if worse, it is by less than {delta:g}."
    return f"That {first} is not worse than {second} by {delta:g} or more could not be shown at level {alpha:g}."
