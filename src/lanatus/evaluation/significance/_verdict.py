"""What a statistical test says: numbers, a decision at the level asked, and one sentence in plain words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Verdict:
    """Outcome of a test of one hypothesis.

    Attributes
    ----------
    test : str
        Name of the test.
    null : str
        The hypothesis that was put to the test, in words.
    statistic : float
        Value of the test statistic.
    distribution : str
        What it follows under the hypothesis, such as ``"t(9)"``.
    p_value : float
        Probability, under the hypothesis, of a statistic at least as extreme.
    critical_value : float
        Where the rejection begins at level `alpha`.
    alpha : float
        Level of the test.
    reject : bool
        Whether the hypothesis is rejected at that level.
    meaning : str
        What this says about the learners, in one sentence.
    details : dict
        Further figures of the test, such as a mean difference or an interval.
    """

    test: str
    null: str
    statistic: float
    distribution: str
    p_value: float
    critical_value: float
    alpha: float
    reject: bool
    meaning: str
    details: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return (
            f"{self.test}: statistic {self.statistic:.4g} ~ {self.distribution}, critical value "
            f"{self.critical_value:.4g} at alpha={self.alpha:g}, p = {self.p_value:.3g}. {self.meaning}"
        )


@dataclass(frozen=True)
class PairwiseVerdict:
    """Outcome of a test of every pair of learners (or of each against a control), after ranks or scores.

    Attributes
    ----------
    test : str
        Name of the test.
    names : tuple of str
        The learners, in the order of the rows and columns below.
    statistic : ndarray of shape (k, k)
        Statistic of each pair; NaN where a pair was not compared.
    p_values : ndarray of shape (k, k)
        Adjusted for the number of comparisons; 1 on the diagonal, NaN where a pair was not compared.
    reject : ndarray of bool of shape (k, k)
        Pairs that differ significantly at level `alpha`.
    critical_value : float
        Where the rejection begins; NaN for step-wise procedures, whose bound differs from pair to pair.
    alpha : float
        Level over all pairs together.
    meaning : str
        What this says, in one sentence.
    mean_ranks : ndarray of shape (k,) or None
        Mean rank of each learner, 1 the best.
    critical_difference : float or None
        Ranks that differ by more are significantly different.
    control : str or None
        The learner that all others were compared with.
    """

    test: str
    names: tuple[str, ...]
    statistic: np.ndarray
    p_values: np.ndarray
    reject: np.ndarray
    critical_value: float
    alpha: float
    meaning: str
    mean_ranks: np.ndarray | None = None
    critical_difference: float | None = None
    control: str | None = None

    def pairs(self) -> list[tuple[str, str, float, float, bool]]:
        """(first, second, statistic, p-value, significant) of every pair that was compared."""
        k = len(self.names)
        return [
            (
                self.names[i],
                self.names[j],
                float(self.statistic[i, j]),
                float(self.p_values[i, j]),
                bool(self.reject[i, j]),
            )
            for i in range(k)
            for j in range(i + 1, k)
            if not np.isnan(self.p_values[i, j])
        ]

    def __str__(self) -> str:
        lines = [f"{self.test} at alpha={self.alpha:g}. {self.meaning}"]
        lines += [
            f"  {a} - {b}: statistic {statistic:.4g}, p = {p:.3g}{' *' if significant else ''}"
            for a, b, statistic, p, significant in self.pairs()
        ]
        return "\n".join(lines)


def listed(names: Sequence[str]) -> str:
    """``"A, B and C"``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def contrast(
    names: Sequence[str], difference: float, reject: bool, alpha: float, *, lower_is_better: bool = True
) -> tuple[str | None, str]:
    """The better of two learners, if they differ significantly, and that in words; the difference is first - second."""
    first, second = names
    if not reject:
        return None, f"No significant difference between {first} and {second} was found at level {alpha:g}."
    if difference == 0:
        return None, f"{first} and {second} differ significantly at level {alpha:g}, with no mean difference."
    better, worse = (first, second) if (difference < 0) == lower_is_better else (second, first)
    return better, f"{better} is significantly better than {worse} at level {alpha:g}."
