"""How much the members of an ensemble differ: error and ambiguity, pairs, the whole."""

from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from lanatus.base import as_labels
from lanatus.catalog import method
from lanatus.ensemble.diversity_measures._pairwise import (
    correlation_coefficient,
    disagreement,
    kappa_statistic,
    q_statistic,
)

__all__ = ["ErrorAmbiguity", "diversity", "error_ambiguity"]


class ErrorAmbiguity(NamedTuple):
    """What `error_ambiguity` gives: error = mean_error - ambiguity, and both parts for each member."""

    error: float
    mean_error: float
    ambiguity: float
    errors: np.ndarray
    ambiguities: np.ndarray


@method(
    "ensemble.error-ambiguity",
    section="8.5.1",
    task="evaluation",
    kind="measure",
    en="Error-ambiguity decomposition",
    zh="误差-分歧分解",
)
def error_ambiguity(predictions: Any, y: Any, weights: Any = None) -> ErrorAmbiguity:
    r"""Split the squared error of a weighted average into the mean error of its members less their ambiguity.

    Book: section 8.5.1. :math:`E = \bar E - \bar A` (8.36), with :math:`\bar E = \sum_i w_i E_i` and
    :math:`\bar A = \sum_i w_i \overline{(h_i - H)^2}`: the average is never worse than its members are on average,
    and better the more they differ. Regression only. Cost: O(T m).

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_samples)
        What each member says of each row.
    y : array-like of shape (n_samples,)
        True values.
    weights : array-like of shape (n_members,), optional
        Weights of the average, 0 or more; they are made to add up to 1. Equal by default.

    Returns
    -------
    ErrorAmbiguity
        Named tuple: `error`, `mean_error`, `ambiguity`, and for each member `errors` and `ambiguities`.

    Examples
    --------
    >>> from lanatus.ensemble import error_ambiguity
    >>> parts = error_ambiguity([[1.0, 2.0], [3.0, 2.0]], [2.0, 2.5])
    >>> parts.error, parts.mean_error, parts.ambiguity
    (0.125, 0.625, 0.5)

    References
    ----------
    Krogh and Vedelsby (1995), Neural network ensembles, cross validation, and active learning.
    """
    outputs, truth = np.asarray(predictions, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if outputs.ndim != 2 or truth.shape != outputs.shape[1:] or not outputs.size:
        raise ValueError(
            f"predictions must have a row for each member and a column for each of the {truth.shape} values of y; "
            f"got shape {outputs.shape}."
        )
    share = np.ones(len(outputs)) if weights is None else np.asarray(weights, dtype=np.float64)
    if share.shape != (len(outputs),) or not (share >= 0).all() or not 0 < share.sum() < np.inf:
        raise ValueError(f"weights must be {len(outputs)} numbers of 0 or more, not all 0; got {weights!r}.")
    share = share / share.sum()
    average = share @ outputs
    errors = np.mean((outputs - truth) ** 2, axis=1)
    ambiguities = np.mean((outputs - average) ** 2, axis=1)
    error = float(np.mean((average - truth) ** 2))
    return ErrorAmbiguity(error, float(share @ errors), float(share @ ambiguities), errors, ambiguities)


_PAIRWISE: dict[str, Callable[..., float]] = {
    "disagreement": disagreement,
    "correlation": correlation_coefficient,
    "q": q_statistic,
    "kappa": kappa_statistic,
}


def _kohavi_wolpert(right: np.ndarray) -> float:
    L = len(right)
    count = right.sum(axis=0)
    return float(np.mean(count * (L - count))) / L**2


def _interrater(right: np.ndarray) -> float:
    L, p = len(right), float(right.mean())
    count = right.sum(axis=0)
    by_chance = L * (L - 1) * p * (1 - p)
    return 1 - float(np.mean(count * (L - count))) / by_chance if by_chance else 1.0


def _entropy(right: np.ndarray) -> float:
    L = len(right)
    count = right.sum(axis=0)
    most = L - int(np.ceil(L / 2))
    return float(np.mean(np.minimum(count, L - count))) / most if most else 0.0


def _difficulty(right: np.ndarray) -> float:
    return float(np.var(right.mean(axis=0)))


def _generalized(right: np.ndarray) -> float:
    L = len(right)
    wrong = L - right.sum(axis=0)
    one = float(np.mean(wrong)) / L
    two = float(np.mean(wrong * (wrong - 1))) / (L * (L - 1)) if L > 1 else one
    return 1 - two / one if one else 0.0


def _coincident_failure(right: np.ndarray) -> float:
    L = len(right)
    wrong = L - right.sum(axis=0)
    failed = wrong[wrong > 0]
    return float(np.mean((L - failed) / (L - 1))) if len(failed) and L > 1 else 0.0


_WHOLE: dict[str, Callable[[np.ndarray], float]] = {
    "kohavi-wolpert": _kohavi_wolpert,
    "interrater": _interrater,
    "entropy": _entropy,
    "difficulty": _difficulty,
    "generalized": _generalized,
    "coincident-failure": _coincident_failure,
}


@method(
    "ensemble.nonpairwise-diversity",
    section="8.6",
    task="evaluation",
    kind="measure",
    en="Diversity of a whole ensemble",
    zh="非成对多样性度量",
)
def diversity(predictions: Any, y: Any, measure: str = "disagreement") -> float:
    r"""Diversity of an ensemble of classifiers, from which of them are right on which rows.

    Book: sections 8.5.2 and 8.6. With l the number of the L members that are right on a row, p the share of right
    answers and f = L - l the number that fail: "kohavi-wolpert" is the mean of l (L - l) / L^2; "interrater" is
    1 - mean l (L - l) / (L (L - 1) p (1 - p)); "entropy" the mean of min(l, L - l) / (L - ceil(L / 2)); "difficulty"
    the variance of l / L; "generalized" 1 - p(2) / p(1), with p(2) the chance that two random members fail together
    and p(1) that one does; "coincident-failure" the mean of (L - f) / (L - 1) over rows with a failure. The four
    measures of pairs are averaged over all pairs.

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_samples)
        Answers of each member.
    y : array-like of shape (n_samples,)
        True labels.
    measure : str, default="disagreement"
        Of pairs: "disagreement", "correlation", "q", "kappa". Of all: "kohavi-wolpert", "interrater", "entropy",
        "difficulty", "generalized", "coincident-failure".

    Returns
    -------
    float
        More diverse means larger for "disagreement", "kohavi-wolpert", "entropy", "generalized" and
        "coincident-failure", smaller for the others.

    Notes
    -----
    0/0 is defined: "interrater" is 1 and the measures of failures are 0 where nobody fails; a single member has no
    diversity. Cost: O(L m), for pairs O(L^2 m).

    Examples
    --------
    >>> from lanatus.ensemble import diversity
    >>> said, truth = [[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1, 1, 1]
    >>> round(diversity(said, truth), 4), round(diversity(said, truth, "kohavi-wolpert"), 4)
    (0.6667, 0.2222)

    References
    ----------
    Kuncheva and Whitaker (2003), Measures of diversity in classifier ensembles.
    """
    if measure not in _PAIRWISE and measure not in _WHOLE:
        raise ValueError(f"got measure={measure!r}, wanted one of {', '.join([*_PAIRWISE, *_WHOLE])}.")
    truth = as_labels(y)
    rows = [as_labels(row) for row in predictions]
    if not rows or any(len(row) != len(truth) for row in rows) or not len(truth):
        raise ValueError(f"predictions must have a row for each member, with {len(truth)} answers each.")
    right = np.array([row == truth for row in rows])
    if measure in _WHOLE:
        return _WHOLE[measure](right)
    if len(right) < 2:
        raise ValueError(f"{measure} is of pairs; got one member.")
    return float(np.mean([_PAIRWISE[measure](one, other) for one, other in combinations(right, 2)]))
