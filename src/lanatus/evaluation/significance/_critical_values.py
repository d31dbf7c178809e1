"""Where rejection begins: critical values of the distributions that the tests use."""

from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.significance._samples import level
from lanatus.params import check_choice, check_integer, check_real

# What each distribution is told, besides alpha: one of these sets of arguments.
_TAKES: dict[str, tuple[set[str], ...]] = {
    "t": ({"k"}, {"df"}),
    "normal": (set(),),
    "chi2": ({"k"}, {"df"}),
    "F": ({"k", "n"}, {"df"}),
    "friedman": ({"k", "n"},),
    "nemenyi": ({"k"},),
    "bonferroni-dunn": ({"k"},),
    "binomial": ({"n", "eps0"},),
}


@method(
    "evaluation.critical-values",
    section="2.4",
    task="comparison",
    kind="test",
    en="Critical values of t, F, chi-square and Nemenyi q",
    zh="检验临界值表",
    peers=["scipy:studentized_range"],
)
def critical_value(
    name: str,
    alpha: float = 0.05,
    k: int | None = None,
    n: int | None = None,
    *,
    df: float | tuple[float, float] | None = None,
    eps0: float | None = None,
    sided: int = 2,
) -> float:
    """Critical value of a test at a level, so that no printed table is needed.

    Book: section 2.4, Tables 2.3 (t), 2.6 (Friedman, F) and 2.7 (Nemenyi). A statistic beyond the critical
    value is rejected at level `alpha`.

    ===================== ================ =====================================================
    name                  needs            gives
    ===================== ================ =====================================================
    ``"t"``               k tests, or df   t with k - 1 degrees of freedom, two-sided (Table 2.3)
    ``"normal"``          nothing          standard normal, two-sided
    ``"chi2"``            k, or df         chi-square with k - 1 degrees of freedom
    ``"F"``               k and n, or df   F with df = (d1, d2), or Friedman's
    ``"friedman"``        k and n          F(k - 1, (k - 1)(n - 1)), n data sets (Table 2.6)
    ``"nemenyi"``         k                q, the studentised range over sqrt(2) (Table 2.7)
    ``"bonferroni-dunn"`` k                normal, two-sided, at alpha / (k - 1)
    ``"binomial"``        n and eps0       the largest count of errors that is not rejected
    ===================== ================ =====================================================

    Parameters
    ----------
    name : {"t", "normal", "chi2", "F", "friedman", "nemenyi", "bonferroni-dunn", "binomial"}
        The distribution or test.
    alpha : float, default=0.05
        Level, above 0 and below 1.
    k : int or None, default=None
        Number of tests ("t") or of learners (the others).
    n : int or None, default=None
        Number of data sets ("F", "friedman") or of test examples ("binomial").
    df : float, (float, float) or None, default=None
        Degrees of freedom, in place of `k` and `n`.
    eps0 : float or None, default=None
        Error rate under the hypothesis ("binomial").
    sided : {1, 2}, default=2
        Whether "t" and "normal" share alpha between both tails.

    Returns
    -------
    float
        The critical value.

    Notes
    -----
    The binomial count is the least c with P(X > c) <= alpha at error rate eps0. The book's formula (2.27) is
    misprinted; this is what the text means, and ``qbinom(1 - alpha, m, eps0)`` in R.

    Examples
    --------
    >>> from lanatus.evaluation import critical_value
    >>> round(critical_value("t", 0.05, k=10), 3)
    2.262
    >>> round(critical_value("friedman", 0.05, k=3, n=4), 3)
    5.143
    >>> round(critical_value("nemenyi", 0.05, k=3), 3)
    2.344
    >>> critical_value("binomial", 0.05, n=10, eps0=0.3)
    5.0
    """
    from scipy import stats

    alpha = level(alpha)
    check_choice("name", name, tuple(_TAKES))
    check_choice("sided", sided, (1, 2))
    _check_arguments(name, sided, {"k": k, "n": n, "df": df, "eps0": eps0})
    if k is not None:
        k = check_integer("k", k, 2)
    if name == "binomial":
        return float(binomial_count(alpha, check_integer("n", n, 1), check_real("eps0", eps0, 0, 1)))
    if name == "nemenyi":
        return float(stats.studentized_range.isf(alpha, k, np.inf) / np.sqrt(2))
    if name == "bonferroni-dunn":
        return float(stats.norm.isf(alpha / 2 / (k - 1)))  # type: ignore[operator]
    if name == "normal":
        return float(stats.norm.isf(alpha / sided))
    if name in ("F", "friedman"):
        return float(stats.f.isf(alpha, *_two_degrees(k, n, df)))
    freedom = k - 1 if k is not None else check_real("df", df, 0, above=True)
    return float(stats.t.isf(alpha / sided, freedom) if name == "t" else stats.chi2.isf(alpha, freedom))


def _check_arguments(name: str, sided: int, arguments: dict[str, Any]) -> None:
    given = {key for key, value in arguments.items() if value is not None}
    if given not in _TAKES[name]:
        wanted = ", or ".join(" and ".join(sorted(keys)) or "nothing" for keys in _TAKES[name])
        got = " and ".join(sorted(given)) or "nothing"
        raise ValueError(f"critical_value({name!r}) needs {wanted} besides alpha; got {got}.")
    if sided == 1 and name not in ("t", "normal"):
        raise ValueError(f"sided=1 is for 't' and 'normal'; got name={name!r}, which has one form only.")


def _two_degrees(k: int | None, n: int | None, df: Any) -> tuple[float, float]:
    if k is not None:
        return k - 1, (k - 1) * (check_integer("n", n, 2) - 1)
    if not isinstance(df, tuple | list) or len(df) != 2:
        raise ValueError(f"df of 'F' must be two numbers, above and below the line; got {df!r}.")
    return check_real("df", df[0], 0, above=True), check_real("df", df[1], 0, above=True)


def binomial_count(alpha: float, m: int, eps0: float) -> int:
    """The least c with P(X > c) <= alpha, X binomial; by the same tail as the p-value, so that both agree."""
    from scipy import stats

    low, high = 0, m
    while low < high:  # by halves: 1 - alpha, which ppf asks for, is 1 where alpha is tiny
        middle = (low + high) // 2
        if stats.binom.sf(middle, m, eps0) <= alpha:
            high = middle
        else:
            low = middle + 1
    return low


def fair_coin_count(alpha: float, n: int) -> float:
    """The largest c with 2 P(X <= c) <= alpha, X the heads of n fair coins; minus infinity if there is none."""
    from scipy import stats

    count = int(stats.binom.ppf(alpha / 2, n, 0.5))
    while count >= 0 and 2 * stats.binom.cdf(count, n, 0.5) > alpha:
        count -= 1
    return float(count) if count >= 0 else -np.inf


def against(name: str, statistic: float, alpha: float, df: Any = None) -> dict[str, Any]:
    """A statistic held against its distribution: the fields of a ``Verdict`` that follow from the two."""
    from scipy import stats

    if name == "normal":
        p, distribution = 2 * stats.norm.sf(abs(statistic)), "N(0, 1)"
    elif name == "t":
        p, distribution = 2 * stats.t.sf(abs(statistic), df), f"t({df:g})"
    elif name == "chi2":
        p, distribution = stats.chi2.sf(statistic, df), f"chi2({df:g})"
    else:
        p, distribution = stats.f.sf(statistic, *df), f"F({df[0]:g}, {df[1]:g})"
    return {
        "statistic": float(statistic),
        "distribution": distribution,
        "p_value": float(p),
        "critical_value": critical_value(name, alpha, df=df),
        "alpha": alpha,
        "reject": bool(p <= alpha),
    }
