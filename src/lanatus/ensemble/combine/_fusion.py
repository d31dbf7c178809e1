"""Fusion of outputs beyond votes: ranks, measurements, evidence."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from lanatus.catalog import method

__all__ = ["borda_count", "dempster_combine", "sum_rule"]


@method(
    "ensemble.rank-level-fusion",
    section="CB 11.4",
    task="classification",
    en="Rank-level fusion by Borda points",
    zh="排序层融合",
)
def borda_count(rankings: Any, *, weights: Any = None) -> dict[Any, float]:
    r"""Points of each class over several rankings: n for a first place among n classes, 1 for the last.

    Cookbook: section 11.4. :math:`B_c = \sum_i w_i (n - r_i(c) + 1)`, with :math:`r_i(c)` the place of class c in the
    ranking of learner i. The class with the most points wins; equal points are a tie, which this leaves open. The
    printed 14 points of class 2 in the cookbook's table should be 13, a tie with class 1. Cost: O(T n).

    Parameters
    ----------
    rankings : sequence of sequences of shape (n_learners, n_classes)
        Classes from best to worst, by each learner.
    weights : array-like of shape (n_learners,), optional
        Weights of the learners, 1 each by default.

    Returns
    -------
    dict
        Class to points, the most points first; of equal ones the class that was named first.

    Examples
    --------
    >>> from lanatus.ensemble import borda_count
    >>> borda_count([["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]])
    {'a': 8.0, 'b': 6.0, 'c': 4.0}
    """
    lists = [list(ranking) for ranking in rankings]
    if not lists or not lists[0]:
        raise ValueError("rankings must hold at least one ranking of at least one class.")
    known = set(lists[0])
    for ranking in lists:
        if set(ranking) != known or len(ranking) != len(known):
            raise ValueError(f"each ranking must name each of the {len(known)} classes once; got {ranking!r}.")
    points: dict[Any, float] = dict.fromkeys(lists[0], 0.0)
    for weight, ranking in zip(_weights(weights, len(lists)), lists, strict=True):
        for place, label in enumerate(ranking):
            points[label] += float(weight) * (len(ranking) - place)
    return dict(sorted(points.items(), key=lambda item: -item[1]))


@method(
    "ensemble.measurement-level-fusion",
    section="CB 11.4",
    task="classification",
    en="Measurement-level fusion by the sum rule",
    zh="度量层融合",
)
def sum_rule(scores: Any, *, weights: Any = None) -> np.ndarray:
    r"""Sum of the scores that several learners give to each class; the largest sum wins.

    Cookbook: section 11.4. :math:`M_c = \sum_i w_i\, s_i(c)`. Nothing is normalised: learners with large scores count
    for more. The printed sum 1.9 of class 3 in the cookbook's table should be 1.0. Cost: O(T n).

    Parameters
    ----------
    scores : array-like of shape (n_learners, n_classes) or (n_learners, n_samples, n_classes)
        Scores by each learner, such as probabilities.
    weights : array-like of shape (n_learners,), optional
        Weights of the learners, 1 each by default.

    Returns
    -------
    ndarray of shape (n_classes,) or (n_samples, n_classes)

    Examples
    --------
    >>> from lanatus.ensemble import sum_rule
    >>> sum_rule([[0.8, 0.2], [0.3, 0.9]]).round(4).tolist()
    [1.1, 1.1]
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim not in (2, 3) or not len(values):
        raise ValueError(f"scores must have 2 or 3 dimensions, learners first; got shape {values.shape}.")
    return np.asarray(np.tensordot(_weights(weights, len(values)), values, axes=1))


def _weights(weights: Any, count: int) -> np.ndarray:
    if weights is None:
        return np.ones(count)
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (count,) or not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(f"weights must be {count} numbers of 0 or more; got {weights!r}.")
    return values


@method(
    "ensemble.dempster-shafer",
    section="8.6",
    task="classification",
    en="Dempster-Shafer combination of evidence",
    zh="D-S证据理论",
    peers=["py-dempster-shafer:MassFunction"],
)
def dempster_combine(
    masses: Iterable[Mapping[Any, float]],
) -> dict[frozenset[Hashable], float]:
    r"""Combine pieces of evidence, each of which spreads a mass of one over sets of classes, by Dempster's rule.

    Book: section 8.6. :math:`m(A) = \frac{1}{1 - K} \sum_{B \cap C = A} m_1(B)\, m_2(C)`, with
    :math:`K = \sum_{B \cap C = \emptyset} m_1(B)\, m_2(C)` the conflict. The rule is commutative and associative. Mass
    on a set of several classes is doubt between them; mass on all classes is ignorance. Cost: O(F1 F2) a pair, with F
    the number of sets.

    Parameters
    ----------
    masses : iterable of mappings
        Each from sets of classes (any iterable of them; a single label stands for its set) to masses that add up to 1.

    Returns
    -------
    dict
        From frozensets to masses, the largest first.

    Raises
    ------
    ValueError
        If the pieces contradict each other fully (K = 1).

    Examples
    --------
    >>> from lanatus.ensemble import dempster_combine
    >>> found = dempster_combine([{"flu": 0.6, ("flu", "cold"): 0.4}, {"flu": 0.5, "cold": 0.3, ("flu", "cold"): 0.2}])
    >>> {"/".join(sorted(key)): round(mass, 4) for key, mass in found.items()}
    {'flu': 0.7561, 'cold': 0.1463, 'cold/flu': 0.0976}

    References
    ----------
    Dempster (1967), Upper and lower probabilities induced by a multivalued mapping. Shafer (1976), A mathematical
    theory of evidence.
    """
    pieces = [_mass_function(mass) for mass in masses]
    if not pieces:
        raise ValueError("masses must hold at least one piece of evidence.")
    whole = pieces[0]
    for piece in pieces[1:]:
        both: dict[frozenset[Hashable], float] = {}
        for left, a in whole.items():
            for right, b in piece.items():
                if common := left & right:
                    both[common] = both.get(common, 0.0) + a * b
        agreed = sum(both.values())
        if agreed <= 0:
            raise ValueError("the pieces of evidence contradict each other fully: no class is possible for all.")
        whole = {key: mass / agreed for key, mass in both.items()}
    return dict(sorted(whole.items(), key=lambda item: -item[1]))


def _mass_function(mass: Mapping[Any, float]) -> dict[frozenset[Hashable], float]:
    found: dict[frozenset[Hashable], float] = {}
    for key, value in mass.items():
        labels = frozenset(key) if isinstance(key, tuple | frozenset | list) else frozenset([key])
        if not labels or not value >= 0:
            raise ValueError(f"masses must be 0 or more, of sets that are not empty; got {value!r} for {key!r}.")
        if value:
            found[labels] = found.get(labels, 0.0) + float(value)
    if abs(sum(found.values()) - 1) > 1e-9:
        raise ValueError(f"the masses of a piece of evidence must add up to 1; got {sum(found.values())!r}.")
    return found
