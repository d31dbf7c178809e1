"""Tests of several learners over several data sets."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import factorial, prod
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.significance._critical_values import against
from lanatus.evaluation.significance._paired_t import paired_cv_t_test
from lanatus.evaluation.significance._post_hoc import ADJUSTMENTS, adjusted_p_values, meaning_of
from lanatus.evaluation.significance._samples import grouped, learner_names, level, numbers, table_of_results
from lanatus.evaluation.significance._verdict import PairwiseVerdict, Verdict, listed
from lanatus.params import check_choice


@method(
    section="2.4.4",
    task="comparison",
    kind="test",
    en="Ranks of learners on each data set",
    zh="算法序值",
    peers=["scipy:rankdata"],
)
def rank_learners(results: Any, *, lower_is_better: bool = True) -> np.ndarray:
    """Rank the learners on each data set, 1 the best.

    Learners with the same result share the mean of their ranks.

    Book: section 2.4.4, Table 2.5.

    Parameters
    ----------
    results : array-like of shape (N, k)
        One row for each data set, one column for each learner.
    lower_is_better : bool, default=True
        Whether the numbers are errors; False for scores such as accuracy.

    Returns
    -------
    ndarray of shape (N, k)
        The ranks. Every row sums to k (k + 1) / 2.

    Notes
    -----
    Results that differ only by rounding are tied.

    Examples
    --------
    >>> from lanatus.evaluation import rank_learners
    >>> rank_learners([[0.1, 0.2, 0.3], [0.1, 0.2, 0.2]]).tolist()
    [[1.0, 2.0, 3.0], [1.0, 2.5, 2.5]]
    """
    from scipy.stats import rankdata

    table = numbers("results", results, ndim=2)
    return np.asarray(rankdata(grouped(table if lower_is_better else -table), axis=1), dtype=np.float64)


@method(
    "evaluation.friedman-test",
    "evaluation.friedman-f-test",
    section="2.4.4",
    task="comparison",
    kind="test",
    en="Friedman test",
    zh="Friedman检验",
    peers=["scipy:friedmanchisquare"],
)
def friedman_test(
    results: Any,
    *,
    statistic: str = "F",
    tie_correction: bool = False,
    lower_is_better: bool = True,
    alpha: float = 0.05,
    names: Sequence[str] | None = None,
) -> Verdict:
    """Test whether several learners perform alike over several data sets.

    From the mean ranks r_i of k learners on N data sets, tau_chi2 = 12 N / (k (k + 1)) (sum r_i^2 -
    k (k + 1)^2 / 4), held against chi-square with k - 1 degrees of freedom. That is conservative; tau_F =
    (N - 1) tau_chi2 / (N (k - 1) - tau_chi2) is held against F(k - 1, (k - 1)(N - 1)).

    Book: section 2.4.4, (2.34) and (2.35), Tables 2.5 and 2.6. The variance of a mean rank is
    (k^2 - 1) / (12 N); the text prints it without N.

    Parameters
    ----------
    results : array-like of shape (N, k)
        One row for each data set, one column for each learner; at least two of each. Ranks do as well.
    statistic : {"F", "chi2"}, default="F"
        tau_F or tau_chi2.
    tie_correction : bool, default=False
        Divide tau_chi2 by the share of the variance of ranks that ties leave, as scipy does. The book does not.
    lower_is_better : bool, default=True
        Whether the numbers are errors or ranks; False for scores such as accuracy.
    alpha : float, default=0.05
        Level of the test.
    names : sequence of str or None, default=None
        Names of the learners; None is the columns of a frame, or else A, B, C and so on.

    Returns
    -------
    Verdict
        ``details`` has ``names``, ``ranks``, ``mean_ranks``, ``n_data_sets`` and both statistics, ``chi2``
        and ``F``. If rejected, ``nemenyi_test`` says which learners differ.

    Notes
    -----
    If all data sets rank the learners alike (and, without the correction, no learners are tied), tau_F is
    infinite; the p-value is then the exact one, (k!)^(1 - N), and decides. With ties everywhere the statistic is 0, the
    p-value 1. Both distributions are approximations; with few data sets and learners the true level is off.

    References
    ----------
    M. Friedman: A comparison of alternative tests of significance for the problem of m rankings. Annals of
    Mathematical Statistics 11 (1940), 86-92. R. L. Iman, J. M. Davenport: Approximations of the critical
    region of the Friedman statistic. Communications in Statistics A9 (1980), 571-595. J. Demsar: Statistical
    comparisons of classifiers over multiple data sets. JMLR 7 (2006), 1-30.

    Examples
    --------
    >>> from lanatus.data import load_algorithm_comparison
    >>> from lanatus.evaluation import friedman_test
    >>> verdict = friedman_test(load_algorithm_comparison(frame="numpy").data)
    >>> round(verdict.statistic, 3), round(verdict.critical_value, 3), verdict.reject
    (24.429, 5.143, True)
    >>> verdict.meaning
    'The 3 learners differ significantly at level 0.05, and A has the best mean rank.'
    """
    alpha = level(alpha)
    check_choice("statistic", statistic, ("F", "chi2"))
    table = table_of_results(results)
    n, k = table.shape
    names = learner_names(names, k, results)
    ranks = rank_learners(table, lower_is_better=lower_is_better)
    # Sums of halves and their squares, so exact: equality below is equality.
    between = float(((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum())
    untied = n * k * (k * k - 1) / 12
    most = n * (float(((ranks - (k + 1) / 2) ** 2).sum()) if tie_correction else untied)
    chi2 = n * (k - 1) * between / most if between else 0.0
    f = (n - 1) * between / (most - between) if most > between else (np.inf if between else 0.0)
    if statistic == "F":
        found = against("F", f, alpha, df=(k - 1, (k - 1) * (n - 1)))
        if np.isinf(f):  # F knows no bound, but the ranks of a few data sets can well agree by chance
            found["p_value"] = float(_orders(ranks[0])) ** (1 - n)
            found["reject"] = found["p_value"] <= alpha
    else:
        found = against("chi2", chi2, alpha, df=k - 1)
    mean_ranks = ranks.mean(axis=0)
    return Verdict(
        test="Friedman test",
        null="all learners perform alike",
        meaning=_meaning_of_ranks(names, mean_ranks, found["reject"], np.isinf(found["statistic"]), alpha),
        details={
            "names": names,
            "ranks": ranks,
            "mean_ranks": mean_ranks,
            "n_data_sets": n,
            "chi2": chi2,
            "F": f,
        },
        **found,
    )


def _orders(ranks: np.ndarray) -> int:
    """In how many ways a row of ranks can be shared out."""
    _, tied = np.unique(ranks, return_counts=True)
    return factorial(len(ranks)) // prod(factorial(int(count)) for count in tied)


def _meaning_of_ranks(names: tuple[str, ...], mean_ranks: np.ndarray, reject: bool, alike: bool, alpha: float) -> str:
    if not reject:
        return f"No significant difference between the {len(names)} learners was found at level {alpha:g}."
    best = [name for name, rank in zip(names, mean_ranks, strict=True) if rank == mean_ranks.min()]
    every = ", as all data sets rank them alike," if alike else ""
    return (
        f"The {len(names)} learners differ significantly at level {alpha:g}{every or ','} and "
        f"{listed(best)} {'has' if len(best) == 1 else 'have'} the best mean rank."
    )


@method(
    "evaluation.pairwise-tests-per-data-set",
    section="2.4.4",
    task="comparison",
    kind="test",
    en="Pairwise tests listed per data set",
    zh="逐数据集两两比较",
)
def pairwise_tests(
    results: Mapping[str, Any],
    test: Callable[..., Verdict] = paired_cv_t_test,
    *,
    names: Sequence[str] | None = None,
    adjust: str = "holm",
    alpha: float = 0.05,
    lower_is_better: bool = True,
) -> dict[str, PairwiseVerdict]:
    """Compare every two learners on each data set by a test for two.

    On each data set the p-values of the k (k - 1) / 2 pairs are adjusted for their number. Nothing is
    adjusted for the number of data sets.

    Book: section 2.4.4, the first way to compare several learners.

    Parameters
    ----------
    results : mapping of str to array-like of shape (n_runs, k)
        For each data set the results of the learners (columns) on the same folds or splits (rows).
    test : callable, default=paired_cv_t_test
        Called as ``test(a, b, alpha=..., names=..., lower_is_better=...)``; gives a ``Verdict`` with the
        better learner in ``details["better"]``. Others are ``wilcoxon_test``, ``sign_test`` and
        ``functools.partial(corrected_resampled_t_test, test_fraction=0.1)``.
    names : sequence of str or None, default=None
        Names of the learners; None is the columns of the first frame, or else A, B, C and so on.
    adjust : {"holm", "hochberg", "bonferroni", "none"}, default="holm"
        How p-values are adjusted.
    alpha : float, default=0.05
        Level over all pairs of one data set together.
    lower_is_better : bool, default=True
        Whether the numbers are errors; False for scores such as accuracy.

    Returns
    -------
    dict of str to PairwiseVerdict
        For each data set; ``statistic[i, j]`` is that of the test of learner i against learner j.

    Examples
    --------
    >>> from lanatus.evaluation import pairwise_tests
    >>> errors = [[0.10, 0.11, 0.30], [0.12, 0.10, 0.33], [0.09, 0.11, 0.31], [0.11, 0.10, 0.29]]
    >>> pairwise_tests({"iris": errors})["iris"].meaning
    'Significantly better at level 0.05: A than C; B than C.'
    """
    alpha = level(alpha)
    check_choice("adjust", adjust, (*ADJUSTMENTS, "none"))
    if not isinstance(results, Mapping) or not results:
        raise ValueError(f"results must map names of data sets to arrays (runs, learners); got {results!r}.")
    tables = {key: numbers(f"results[{key!r}]", table, ndim=2) for key, table in results.items()}
    widths = {table.shape[1] for table in tables.values()}
    if len(widths) != 1 or min(widths) < 2:
        raise ValueError(f"results must have the same learners, at least 2, on all data sets; got {sorted(widths)}.")
    names = learner_names(names, widths.pop(), next(iter(results.values())))
    return {key: _pairs_of(table, test, names, adjust, alpha, lower_is_better) for key, table in tables.items()}


def _pairs_of(
    table: np.ndarray,
    test: Callable[..., Verdict],
    names: tuple[str, ...],
    adjust: str,
    alpha: float,
    lower_is_better: bool,
) -> PairwiseVerdict:
    def of(i: int, j: int) -> Verdict:
        options = {"names": (names[i], names[j]), "lower_is_better": lower_is_better}
        return test(table[:, i], table[:, j], alpha=alpha, **options)

    return all_pairs(of, names, adjust=adjust, alpha=alpha)


def all_pairs(
    test: Callable[[int, int], Verdict],
    names: tuple[str, ...],
    *,
    adjust: str,
    alpha: float,
    control: str | None = None,
) -> PairwiseVerdict:
    """Verdicts ``test(i, j)`` on all pairs of learners, or on those with the control, adjusted for their number."""
    k = len(names)
    statistic, p_values = np.full((2, k, k), np.nan)
    np.fill_diagonal(statistic, 0.0)
    np.fill_diagonal(p_values, 1.0)
    reject = np.zeros((k, k), dtype=bool)
    pairs = [(i, j) for i, j in combinations(range(k), 2) if control is None or control in (names[i], names[j])]
    verdicts = [test(i, j) for i, j in pairs]
    raw = np.array([verdict.p_value for verdict in verdicts])
    better: list[tuple[str, str]] = []
    undecided: list[str] = []
    adjusted = raw if adjust == "none" else adjusted_p_values(raw, adjust)
    for (i, j), verdict, p in zip(pairs, verdicts, adjusted, strict=True):
        statistic[i, j] = verdict.statistic
        statistic[j, i] = test(j, i).statistic  # only the test knows what its sign means
        p_values[i, j] = p_values[j, i] = p
        reject[i, j] = reject[j, i] = p <= alpha
        if reject[i, j]:
            winner = _better_of(verdict)
            if winner is None:
                undecided.append(f"{names[i]} and {names[j]} differ significantly, with no mean difference.")
            else:
                better.append((names[i], names[j]) if winner == names[i] else (names[j], names[i]))
    return PairwiseVerdict(
        test=f"pairs by {verdicts[0].test}" + (f", {adjust} adjustment" if adjust != "none" else ""),
        names=names,
        statistic=statistic,
        p_values=p_values,
        reject=reject,
        critical_value=np.nan,
        alpha=alpha,
        meaning=" ".join(([meaning_of(better, alpha)] if better or not undecided else []) + undecided),
        control=control,
    )


def _better_of(verdict: Verdict) -> Any:
    if "better" not in verdict.details:
        raise ValueError(f"test must name the better learner in details['better']; {verdict.test} does not.")
    return verdict.details["better"]
