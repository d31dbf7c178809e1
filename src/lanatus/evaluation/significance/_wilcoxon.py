"""Wilcoxon's signed-rank test of two learners over several data sets."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.significance._critical_values import against
from lanatus.evaluation.significance._samples import ROUNDING, grouped, learner_names, level, paired, ratio, size_of
from lanatus.evaluation.significance._verdict import Verdict, contrast
from lanatus.params import check_choice

_EXACT_UP_TO = 50  # data sets; beyond, the normal approximation is as good


@method(
    section="2.4.4",
    task="comparison",
    kind="test",
    en="Wilcoxon signed-rank test",
    zh="Wilcoxon符号秩检验",
    peers=["scipy:wilcoxon"],
)
def wilcoxon_test(
    scores_a: Any,
    scores_b: Any,
    *,
    zero_method: str = "wilcox",
    method: str = "auto",
    alpha: float = 0.05,
    names: Sequence[str] = ("A", "B"),
    lower_is_better: bool = True,
) -> Verdict:
    """Test two learners over several data sets by the ranks of their differences.

    The absolute differences are ranked, equal ones sharing their mean rank; W+ is the sum of the ranks where
    A is greater, W- where B is. If both learners are alike, each rank falls to either side with probability 1/2.

    Book: section 2.4.4 compares learners over several data sets; for two of them this test is the usual one.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (N,)
        Results of the learners, entry i of both from the same data set.
    zero_method : {"wilcox", "pratt", "zsplit"}, default="wilcox"
        Differences of 0 are left out; ranked and then left out; or ranked, and their ranks halved between W+
        and W- (Demsar's advice).
    method : {"auto", "exact", "normal"}, default="auto"
        Exact distribution of T = min(W+, W-), also with ties; or of z = (W+ - E W+) / sd(W+) as normal,
        without continuity correction. "auto" is exact up to 50 differences that are not 0.
    alpha : float, default=0.05
        Level of the test.
    names : (str, str), default=("A", "B")
        What the sentence calls the learners.
    lower_is_better : bool, default=True
        Whether the numbers are errors; False for scores such as accuracy.

    Returns
    -------
    Verdict
        Exact: the statistic is T, and small values are rejected, up to the critical value, which is minus
        infinity if there are too few data sets for any result to be significant. Normal: the statistic is z.
        ``details`` has ``w_plus``, ``w_minus``, ``n_zero`` and the ``better`` learner or None.

    Notes
    -----
    Differences that are equal but for rounding are tied. With zeros everywhere the p-value is 1. For "zsplit"
    the normal variance counts the ranks of the zeros too, as Demsar and scipy have it.
    The exact distribution takes O(n^3) steps.

    References
    ----------
    F. Wilcoxon: Individual comparisons by ranking methods. Biometrics Bulletin 1 (1945), 80-83. J. Demsar:
    Statistical comparisons of classifiers over multiple data sets. JMLR 7 (2006), 1-30.

    Examples
    --------
    >>> from lanatus.evaluation import wilcoxon_test
    >>> a, b = [0.10, 0.20, 0.30, 0.15, 0.22, 0.31], [0.11, 0.22, 0.33, 0.19, 0.27, 0.37]
    >>> verdict = wilcoxon_test(a, b)
    >>> verdict.statistic, verdict.critical_value, verdict.p_value
    (0.0, 0.0, 0.03125)
    >>> verdict.meaning
    'A is significantly better than B at level 0.05.'
    """
    alpha, names = level(alpha), learner_names(names, 2)
    check_choice("zero_method", zero_method, ("wilcox", "pratt", "zsplit"))
    check_choice("method", method, ("auto", "exact", "normal"))
    a, b = paired("scores_a", scores_a, "scores_b", scores_b)
    scale = size_of(a, b)
    differences = a - b
    is_zero = np.abs(differences) <= ROUNDING * scale
    n_zero = int(is_zero.sum())
    if zero_method == "wilcox":
        differences, is_zero = differences[~is_zero], is_zero[~is_zero]
    ranks = _shared_ranks(np.where(is_zero, 0, np.abs(differences)), scale)
    halved = float(ranks[is_zero].sum()) / 2 if zero_method == "zsplit" else 0.0
    w_plus = float(ranks[~is_zero & (differences > 0)].sum()) + halved
    w_minus = float(ranks[~is_zero & (differences < 0)].sum()) + halved
    moving = ranks[~is_zero]
    if method == "exact" or (method == "auto" and len(moving) <= _EXACT_UP_TO):
        found = _exact(min(w_plus, w_minus), halved, moving, alpha)
    else:
        spread = float(np.sqrt(((ranks if zero_method == "zsplit" else moving) ** 2).sum())) / 2
        found = against("normal", ratio((w_plus - w_minus) / 2, spread), alpha)
    better, meaning = contrast(names, w_plus - w_minus, found["reject"], alpha, lower_is_better=lower_is_better)
    return Verdict(
        test="Wilcoxon signed-rank test",
        null=f"the differences between {names[0]} and {names[1]} are symmetric about 0",
        meaning=meaning,
        details={"w_plus": w_plus, "w_minus": w_minus, "n_zero": n_zero, "better": better},
        **found,
    )


def _shared_ranks(magnitudes: np.ndarray, scale: float) -> np.ndarray:
    from scipy.stats import rankdata

    return np.asarray(rankdata(grouped(magnitudes, scale)))


def _exact(smaller: float, halved: float, ranks: np.ndarray, alpha: float) -> dict[str, Any]:
    """T against its exact distribution: the sum of ranks that each count or not, with probability 1/2."""
    doubled = np.rint(2 * ranks).astype(np.int64)  # shared ranks are halves; twice that is whole
    chance = np.ones(1)
    for rank in doubled:
        chance = (np.pad(chance, (0, rank)) + np.pad(chance, (rank, 0))) / 2
    below = np.cumsum(chance)
    small = np.flatnonzero((chance > 0) & (2 * below <= alpha))
    p = min(1.0, 2 * float(below[round(2 * (smaller - halved))]))
    return {
        "statistic": smaller,
        "distribution": f"signed rank({len(ranks)})",
        "p_value": p,
        "critical_value": float(small[-1]) / 2 + halved if len(small) else -np.inf,
        "alpha": alpha,
        "reject": p <= alpha,
    }
