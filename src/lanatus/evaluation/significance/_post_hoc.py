"""Which of several learners differ: post-hoc tests on mean ranks, and p-values adjusted for their number."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.significance._critical_values import critical_value
from lanatus.evaluation.significance._samples import learner_names, level, numbers
from lanatus.evaluation.significance._verdict import PairwiseVerdict, Verdict, listed
from lanatus.params import check_choice, check_integer

ADJUSTMENTS = ("bonferroni", "holm", "hochberg")


@method(
    "evaluation.nemenyi-test",
    section="2.4.4",
    task="comparison",
    kind="test",
    en="Nemenyi post-hoc test, critical difference",
    zh="Nemenyi后续检验",
    peers=["scikit-posthocs:posthoc_nemenyi_friedman"],
)
def nemenyi_test(
    mean_ranks: Any, n_data_sets: int, *, alpha: float = 0.05, names: Sequence[str] | None = None
) -> PairwiseVerdict:
    """Find the pairs of learners whose mean ranks differ significantly, after Friedman's test rejected.

    Two learners differ if their mean ranks are further apart than CD = q sqrt(k (k + 1) / (6 N)). The critical
    value q is that of the studentised range of k learners with infinite degrees of freedom, over sqrt(2).

    Book: section 2.4.4, (2.36), Table 2.7.

    Parameters
    ----------
    mean_ranks : array-like of shape (k,)
        Mean rank of each learner, 1 the best, as ``friedman_test`` gives in its details.
    n_data_sets : int
        Number of data sets N.
    alpha : float, default=0.05
        Level over all pairs together.
    names : sequence of str or None, default=None
        Names of the learners; None is A, B, C and so on.

    Returns
    -------
    PairwiseVerdict
        The statistic of a pair is (r_i - r_j) / sqrt(k (k + 1) / (6 N)), beyond q in size where rejected.

    References
    ----------
    P. B. Nemenyi: Distribution-free multiple comparisons. PhD thesis, Princeton (1963). J. Demsar:
    Statistical comparisons of classifiers over multiple data sets. JMLR 7 (2006), 1-30.

    Examples
    --------
    >>> from lanatus.evaluation import nemenyi_test
    >>> verdict = nemenyi_test([1, 2.125, 2.875], 4)
    >>> round(verdict.critical_difference, 3), verdict.meaning
    (1.657, 'Significantly better at level 0.05: A than C.')
    """
    from scipy import stats

    alpha, ranks, names, unit = _of_ranks(mean_ranks, n_data_sets, alpha, names)
    k = len(ranks)
    gaps = ranks[:, None] - ranks
    q = critical_value("nemenyi", alpha, k)
    p_values = np.clip(stats.studentized_range.sf(np.abs(gaps) / unit * np.sqrt(2), k, np.inf), 0, 1)
    reject = np.abs(gaps) > q * unit
    return PairwiseVerdict(
        test="Nemenyi test",
        names=names,
        statistic=gaps / unit,
        p_values=p_values,
        reject=reject,
        critical_value=q,
        alpha=alpha,
        meaning=meaning_of(_better_pairs(names, ranks, reject), alpha),
        mean_ranks=ranks,
        critical_difference=q * unit,
    )


@method(
    section="2.4.4",
    task="comparison",
    kind="test",
    en="Bonferroni-Dunn test against a control",
    zh="Bonferroni-Dunn检验",
)
def bonferroni_dunn_test(
    mean_ranks: Any,
    n_data_sets: int,
    *,
    control: str | int,
    adjust: str = "bonferroni",
    alpha: float = 0.05,
    names: Sequence[str] | None = None,
) -> PairwiseVerdict:
    """Find the learners whose mean ranks differ significantly from that of a control.

    z = (r_i - r_j) / sqrt(k (k + 1) / (6 N)) is held against the standard normal distribution, two-sided, and
    the k - 1 p-values are adjusted for their number. This finds more than ``nemenyi_test`` when only
    comparisons with one learner matter.

    Book: section 2.4.4 has the frame (Friedman's test, then a post-hoc test).

    Parameters
    ----------
    mean_ranks : array-like of shape (k,)
        Mean rank of each learner, 1 the best.
    n_data_sets : int
        Number of data sets N.
    control : str or int
        The learner that the others are compared with: its name, or its place from 0.
    adjust : {"bonferroni", "holm", "hochberg"}, default="bonferroni"
        Dunn's test, each at level alpha / (k - 1); Holm's step-down procedure, which finds at least as much;
        or Hochberg's step-up procedure, which finds at least as much again.
    alpha : float, default=0.05
        Level over all comparisons together.
    names : sequence of str or None, default=None
        Names of the learners; None is A, B, C and so on.

    Returns
    -------
    PairwiseVerdict
        Pairs without the control are NaN. Bonferroni has a critical value and a critical difference.

    References
    ----------
    O. J. Dunn: Multiple comparisons among means. JASA 56 (1961), 52-64. J. Demsar: Statistical comparisons of
    classifiers over multiple data sets. JMLR 7 (2006), 1-30.

    Examples
    --------
    >>> from lanatus.evaluation import bonferroni_dunn_test
    >>> verdict = bonferroni_dunn_test([1, 2.125, 2.875], 4, control="A")
    >>> round(verdict.critical_difference, 3), verdict.pairs()[0][:2], verdict.pairs()[1][-1]
    (1.585, ('A', 'B'), True)
    >>> verdict.meaning
    'Significantly better at level 0.05, among the comparisons with A: A than C.'
    """
    from scipy import stats

    alpha, ranks, names, unit = _of_ranks(mean_ranks, n_data_sets, alpha, names)
    check_choice("adjust", adjust, ADJUSTMENTS)
    place, k = _place_of(control, names), len(ranks)
    others = np.arange(k) != place
    z = (ranks[place] - ranks) / unit
    adjusted = adjusted_p_values(2 * stats.norm.sf(np.abs(z[others])), adjust)
    bound = critical_value("bonferroni-dunn", alpha, k) if adjust == "bonferroni" else np.nan
    found = np.abs(z[others]) > bound if adjust == "bonferroni" else adjusted <= alpha

    statistic, p_values, reject = np.full((k, k), np.nan), np.full((k, k), np.nan), np.zeros((k, k), dtype=bool)
    np.fill_diagonal(statistic, 0.0)
    np.fill_diagonal(p_values, 1.0)
    statistic[place], statistic[:, place] = z, -z
    p_values[place, others] = p_values[others, place] = adjusted
    reject[place, others] = reject[others, place] = found
    return PairwiseVerdict(
        test="Bonferroni-Dunn test" if adjust == "bonferroni" else f"{adjust.title()} procedure against a control",
        names=names,
        statistic=statistic,
        p_values=p_values,
        reject=reject,
        critical_value=bound,
        alpha=alpha,
        meaning=meaning_of(_better_pairs(names, ranks, reject), alpha, among=f"the comparisons with {names[place]}"),
        mean_ranks=ranks,
        critical_difference=bound * unit if adjust == "bonferroni" else None,
        control=names[place],
    )


@method(
    section="2.4.4",
    task="comparison",
    kind="test",
    en="Holm procedure on several p-values",
    zh="Holm逐步检验",
    peers=["statsmodels:multipletests"],
)
def holm_test(p_values: Any, *, alpha: float = 0.05, names: Sequence[str] | None = None) -> Verdict:
    """Decide on several hypotheses from their p-values, with a level over all of them together.

    The m p-values are taken from the smallest on: the i-th is held against alpha / (m - i + 1), and the first
    that is greater ends the rejections. The chance of rejecting any true hypothesis is at most `alpha`.

    Book: section 2.4.4 tells of many comparisons at once; the procedure is Holm's.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        p-value of each hypothesis.
    alpha : float, default=0.05
        Level over all hypotheses together.
    names : sequence of str or None, default=None
        Names of the hypotheses; None is H1, H2 and so on.

    Returns
    -------
    Verdict
        Of the hypothesis that all of them hold, which falls with the smallest p-value (the statistic; small
        values are rejected). ``details`` has, in the order given: ``p_values`` (adjusted; to be compared with
        `alpha` itself), ``reject`` and ``levels`` (what each was held against).

    References
    ----------
    S. Holm: A simple sequentially rejective multiple test procedure. Scand. J. of Statistics 6 (1979), 65-70.

    Examples
    --------
    >>> from lanatus.evaluation import holm_test
    >>> verdict = holm_test([0.01, 0.04, 0.02])
    >>> verdict.details["p_values"].round(3).tolist(), verdict.details["reject"].tolist()
    ([0.03, 0.04, 0.04], [True, True, True])
    >>> holm_test([0.01, 0.04, 0.03]).meaning
    'Of 3 hypotheses, H1 is rejected at level 0.05 over all.'
    """
    alpha, p = level(alpha), numbers("p_values", p_values)
    if ((p < 0) | (p > 1)).any():
        raise ValueError(f"p_values must be from 0 to 1; got {p.min():g} to {p.max():g}.")
    m = len(p)
    names = learner_names([f"H{i + 1}" for i in range(m)] if names is None else names, m)
    adjusted = adjusted_p_values(p, "holm")
    reject = adjusted <= alpha
    levels = np.empty(m)
    levels[np.argsort(p, kind="stable")] = alpha / np.arange(m, 0, -1)
    rejected = [name for name, found in zip(names, reject, strict=True) if found]
    return Verdict(
        test="Holm procedure",
        null=f"all {m} hypotheses hold",
        statistic=float(p.min()),
        distribution="smallest p-value",
        p_value=float(adjusted.min()),
        critical_value=alpha / m,
        alpha=alpha,
        reject=bool(reject.any()),
        meaning=(
            f"Of {m} hypotheses, {listed(rejected)} {'is' if len(rejected) == 1 else 'are'} rejected "
            f"at level {alpha:g} over all."
            if rejected
            else f"Of {m} hypotheses, none is rejected at level {alpha:g} over all."
        ),
        details={"p_values": adjusted, "reject": reject, "levels": levels},
    )


def adjusted_p_values(p_values: np.ndarray, how: str) -> np.ndarray:
    """p-values to be compared with the level over all: Bonferroni's, Holm's or Hochberg's."""
    m = len(p_values)
    if how == "bonferroni":
        return np.minimum(m * p_values, 1)
    order = np.argsort(p_values, kind="stable")
    scaled = p_values[order] * np.arange(m, 0, -1)
    if how == "holm":
        stepped = np.maximum.accumulate(scaled)
    else:
        stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    out = np.empty(m)
    out[order] = np.minimum(stepped, 1)
    return out


def _of_ranks(
    mean_ranks: Any, n_data_sets: int, alpha: float, names: Sequence[str] | None
) -> tuple[float, np.ndarray, tuple[str, ...], float]:
    """Level, mean ranks, names and the standard error of a difference of mean ranks."""
    ranks = numbers("mean_ranks", mean_ranks, least=2)
    k, n = len(ranks), check_integer("n_data_sets", n_data_sets, 1)
    wanted = k * (k + 1) / 2
    if ranks.min() < 1 or ranks.max() > k or abs(ranks.sum() - wanted) > 0.01 * k:
        raise ValueError(
            f"mean_ranks of {k} learners must be from 1 to {k} and sum to {wanted:g}; "
            f"got {ranks.min():g} to {ranks.max():g} and sum {ranks.sum():g}. friedman_test gives them."
        )
    return level(alpha), ranks, learner_names(names, k), float(np.sqrt(k * (k + 1) / (6 * n)))


def _place_of(control: str | int, names: tuple[str, ...]) -> int:
    if isinstance(control, str) and control in names:
        return names.index(control)
    if isinstance(control, str):
        raise ValueError(f"control must be one of {', '.join(names)}, or a place from 0; got {control!r}.")
    return check_integer("control", control, 0, len(names) - 1)


def _better_pairs(names: tuple[str, ...], ranks: np.ndarray, reject: np.ndarray) -> list[tuple[str, str]]:
    """(better, worse) of every pair that differs, the best learners first."""
    order = np.argsort(ranks, kind="stable")
    return [(names[i], names[j]) for at, i in enumerate(order) for j in order[at + 1 :] if reject[i, j]]


def meaning_of(pairs: Sequence[tuple[str, str]], alpha: float, among: str = "") -> str:
    """The (better, worse) pairs that differ significantly, in words."""
    where = f"at level {alpha:g}" + (f", among {among}" if among else "")
    if not pairs:
        return f"No significant difference between any two learners was found {where}."
    worse: dict[str, list[str]] = {}
    for better, other in pairs:
        worse.setdefault(better, []).append(other)
    return f"Significantly better {where}: {'; '.join(f'{name} than {listed(rest)}' for name, rest in worse.items())}."
