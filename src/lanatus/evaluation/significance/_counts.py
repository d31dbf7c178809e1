"""Tests of two learners by counting: on which examples or data sets each is the better."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.significance._critical_values import against, fair_coin_count
from lanatus.evaluation.significance._samples import (
    ROUNDING,
    labels,
    learner_names,
    level,
    paired,
    same_length,
    size_of,
)
from lanatus.evaluation.significance._verdict import Verdict, contrast
from lanatus.params import check_choice, check_integer


@method(
    "evaluation.mcnemar-test",
    section="2.4.3",
    task="comparison",
    kind="test",
    en="McNemar test with continuity correction",
    zh="McNemar检验",
    peers=["mlxtend:mcnemar", "statsmodels:mcnemar"],
)
def mcnemar_test(
    e01: int, e10: int, *, method: str = "corrected", alpha: float = 0.05, names: Sequence[str] = ("A", "B")
) -> Verdict:
    """Test two classifiers on one test set by the examples that only one of them gets wrong.

    If both are equally good, e01 and e10 are expected to be the same, and tau = (abs(e01 - e10) - 1)^2 /
    (e01 + e10) follows chi-square with 1 degree of freedom; the 1 is a continuity correction.

    Book: section 2.4.3, (2.33), Table 2.4.

    Parameters
    ----------
    e01 : int
        Examples that the first gets wrong and the second right.
    e10 : int
        Examples that the first gets right and the second wrong. ``disagreements`` counts both.
    method : {"corrected", "chi2", "exact"}, default="corrected"
        The book's statistic; the same without the correction, (e01 - e10)^2 / (e01 + e10); or the exact
        binomial test of min(e01, e10) among e01 + e10 fair coins, better when these are few (below 25 or so).
    alpha : float, default=0.05
        Level of the test.
    names : (str, str), default=("A", "B")
        What the sentence calls the classifiers.

    Returns
    -------
    Verdict
        ``details`` has ``e01``, ``e10`` and the ``better`` classifier or None. With ``method="exact"`` small
        statistics are rejected: those up to the critical value, minus infinity if no count is small enough.

    Notes
    -----
    With e01 = e10 there is nothing to correct: the statistic is 0 and the p-value 1 (the formula would make
    it 1 / (e01 + e10)). So it is with e01 = e10 = 0.

    References
    ----------
    Q. McNemar: Note on the sampling error of the difference between correlated proportions or percentages.
    Psychometrika 12 (1947), 153-157.

    Examples
    --------
    >>> from lanatus.evaluation import mcnemar_test
    >>> verdict = mcnemar_test(10, 25)
    >>> verdict.statistic, round(verdict.critical_value, 4), verdict.meaning
    (5.6, 3.8415, 'A is significantly better than B at level 0.05.')
    >>> mcnemar_test(2, 9, method="exact").reject
    False
    """
    alpha, names = level(alpha), learner_names(names, 2)
    e01, e10 = check_integer("e01", e01, 0), check_integer("e10", e10, 0)
    check_choice("method", method, ("corrected", "chi2", "exact"))
    n, gap = e01 + e10, abs(e01 - e10)
    if method == "exact":
        found = _fair_coins(min(e01, e10), n, alpha)
    else:
        reduced = gap - 1 if method == "corrected" and gap else gap
        found = against("chi2", reduced**2 / n if n else 0.0, alpha, df=1)
    better, meaning = contrast(names, e01 - e10, found["reject"], alpha)
    return Verdict(
        test={"corrected": "McNemar test", "chi2": "McNemar test, uncorrected", "exact": "exact McNemar test"}[method],
        null=f"{names[0]} and {names[1]} have the same error rate",
        meaning=meaning,
        details={"e01": e01, "e10": e10, "better": better},
        **found,
    )


def _fair_coins(fewer: int, n: int, alpha: float) -> dict[str, Any]:
    """Two-sided exact test that the rarer of two outcomes is as likely as the other."""
    from scipy import stats

    critical = fair_coin_count(alpha, n)
    return {
        "statistic": float(fewer),
        "distribution": f"B({n}, 1/2)",
        "p_value": min(1.0, 2 * float(stats.binom.cdf(fewer, n, 0.5))),
        "critical_value": critical,
        "alpha": alpha,
        "reject": fewer <= critical,
    }


@method(
    "evaluation.contingency-table",
    section="2.4.3",
    task="evaluation",
    kind="measure",
    en="Contingency table of two learners",
    zh="列联表",
    peers=["mlxtend:mcnemar_table"],
)
def contingency_table(y_true: Any, pred_a: Any, pred_b: Any) -> np.ndarray:
    """Count on how many examples two classifiers are right and wrong together.

    Book: section 2.4.3, Table 2.4: e00 and e11 count the examples that both get right and wrong, e01 those that only
    the first gets wrong, e10 those that only the second does. Without the truth it is the table of section 8.5.2: what
    the first says by what the second says.

    Parameters
    ----------
    y_true : array-like of shape (n,) or None
        True labels, of any kind and number of classes; None to compare what the two say.
    pred_a, pred_b : array-like of shape (n,)
        Answers of the two classifiers.

    Returns
    -------
    ndarray of int64
        With the truth ``[[e00, e01], [e10, e11]]``: a row for the second being right and wrong, a column for the first.
        Without it a row for each label of the second and a column for each of the first, all labels in sorted order.

    Examples
    --------
    >>> from lanatus.evaluation import contingency_table
    >>> a, b = ["好", "好", "坏", "坏"], ["好", "坏", "好", "好"]
    >>> contingency_table(["好", "坏", "好", "坏"], a, b).tolist()
    [[1, 2], [1, 0]]
    >>> contingency_table(None, a, b).tolist()
    [[0, 1], [2, 1]]
    """
    a, b = labels("pred_a", pred_a), labels("pred_b", pred_b)
    if y_true is None:
        same_length("pred_a", a, "pred_b", b)
        _check_kinds("pred_a", a, "pred_b", b)
        names, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
        return _cross_counts(codes[len(a) :], codes[: len(a)], len(names))
    truth = labels("y_true", y_true)
    for name, predicted in (("pred_a", a), ("pred_b", b)):
        same_length("y_true", truth, name, predicted)
        _check_kinds("y_true", truth, name, predicted)
    return _cross_counts(truth != b, truth != a, 2)


def _cross_counts(rows: np.ndarray, columns: np.ndarray, n: int) -> np.ndarray:
    counts = np.bincount(n * rows.astype(np.int64) + columns.astype(np.int64), minlength=n * n)
    return counts.reshape(n, n)


def disagreements(y_true: Any, pred_a: Any, pred_b: Any) -> tuple[int, int]:
    """Count the examples that only the first, and those that only the second classifier gets wrong.

    These are the two off-diagonal cells of ``contingency_table``, which ``mcnemar_test`` takes.

    Book: section 2.4.3, Table 2.4.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels, of any kind and number of classes.
    pred_a, pred_b : array-like of shape (n,)
        Answers of the two classifiers.

    Returns
    -------
    e01 : int
        First wrong, second right.
    e10 : int
        First right, second wrong.

    Examples
    --------
    >>> from lanatus.evaluation import disagreements
    >>> disagreements(["好", "坏", "好", "坏"], ["好", "好", "坏", "坏"], ["好", "坏", "好", "好"])
    (2, 1)
    """
    table = contingency_table(labels("y_true", y_true), pred_a, pred_b)
    return int(table[0, 1]), int(table[1, 0])


def _check_kinds(name_a: str, a: np.ndarray, name_b: str, b: np.ndarray) -> None:
    if _are_text(a) != _are_text(b):
        raise ValueError(f"{name_a} and {name_b} must have labels of one kind, text or numbers; convert one of them.")


def _are_text(values: Any) -> bool:
    return any(isinstance(label, str) for label in values.tolist())


@method(
    section="2.4.4",
    task="comparison",
    kind="test",
    en="Sign test over data sets",
    zh="符号检验",
    peers=["statsmodels:sign_test"],
)
def sign_test(
    scores_a: Any,
    scores_b: Any,
    *,
    ties: str = "drop",
    alpha: float = 0.05,
    names: Sequence[str] = ("A", "B"),
    lower_is_better: bool = True,
) -> Verdict:
    """Test two learners by the number of data sets on which each is the better.

    If both are equally good, the wins of either among n data sets are binomial(n, 1/2). The exact two-sided
    p-value is 2 P(X >= wins of the winner), at most 1.

    Book: section 2.4.4 compares learners over several data sets; the sign test is the simplest for two.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (N,)
        Results of the learners, entry i of both from the same data set.
    ties : {"drop", "split"}, default="drop"
        What becomes of data sets with equal results: they are left out, or shared out evenly (one is left out
        if their number is odd).
    alpha : float, default=0.05
        Level of the test.
    names : (str, str), default=("A", "B")
        What the sentence calls the learners.
    lower_is_better : bool, default=True
        Whether the numbers are errors; False for scores such as accuracy.

    Returns
    -------
    Verdict
        The statistic is the wins of the learner that wins more; rejected from the critical value upwards,
        which is infinite if there are too few data sets for any result to be significant. ``details`` has
        ``wins``, ``ties`` and the ``better`` learner or None.

    Notes
    -----
    Results that differ only by rounding are tied. With ties everywhere the statistic is 0, the p-value 1.

    References
    ----------
    J. Demsar: Statistical comparisons of classifiers over multiple data sets. JMLR 7 (2006), 1-30.

    Examples
    --------
    >>> from lanatus.evaluation import sign_test
    >>> a, b = [0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.1], [0.2, 0.3, 0.4, 0.3, 0.3, 0.5, 0.1]
    >>> verdict = sign_test(a, b)
    >>> verdict.details["wins"], verdict.p_value, verdict.meaning
    ((6, 0), 0.03125, 'A is significantly better than B at level 0.05.')
    """
    alpha, names = level(alpha), learner_names(names, 2)
    check_choice("ties", ties, ("drop", "split"))
    a, b = paired("scores_a", scores_a, "scores_b", scores_b)
    noise = ROUNDING * size_of(a, b)
    less, more = int((a - b < -noise).sum()), int((a - b > noise).sum())
    tied = len(a) - less - more
    wins_a, wins_b = (less, more) if lower_is_better else (more, less)
    shared = tied // 2 if ties == "split" else 0
    n = wins_a + wins_b + 2 * shared
    found = _fair_coins(min(wins_a, wins_b) + shared, n, alpha)
    better, meaning = contrast(names, wins_b - wins_a, found["reject"], alpha)
    found |= {"statistic": n - found["statistic"], "critical_value": n - found["critical_value"]}
    return Verdict(
        test="sign test",
        null=f"{names[0]} and {names[1]} are equally often the better",
        meaning=meaning,
        details={"wins": (wins_a, wins_b), "ties": tied, "better": better},
        **found,
    )
