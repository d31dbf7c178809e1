"""Ensemble pruning: fewer members, as good or better."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lanatus.base import as_labels
from lanatus.catalog import method
from lanatus.ensemble._members import member_answers, member_weights, with_members
from lanatus.ensemble.diversity_measures._pairwise import disagreement, kappa_statistic

__all__ = ["prune_ensemble"]


@method(
    "ensemble.ensemble-pruning",
    section="8.6",
    task="classification",
    en="Ensemble pruning",
    zh="集成修剪",
    peers=["PyPruning:GreedyPruningClassifier"],
)
def prune_ensemble(
    ensemble: Any,
    X: Any,
    y: Any,
    *,
    method: str = "reduce-error",
    size: int | float | None = None,
    p: float = 0.075,
) -> Any:
    r"""Keep some members of a fitted ensemble of classifiers, chosen by what they say of rows that were held out.

    Book: section 8.6. Ordering methods add one member after the other. With the signature
    :math:`s_i(x) = \pm 1` for right or wrong and :math:`\bar s` the mean of the members so far: "reduce-error" adds the
    one with which the vote errs least; "kappa" the pairs that agree least; "complementariness" the one that is right
    most often where the vote is wrong; "margin-distance" the one that brings :math:`\bar s` nearest to the point
    :math:`(p, \dots, p)` with a small p > 0; "orientation" takes members by the angle of their signature to a direction
    that corrects the whole ensemble. "clustering" groups members that answer alike, and keeps the most accurate of each
    group.

    Parameters
    ----------
    ensemble : fitted ensemble of classifiers, or list of fitted classifiers
        With members `estimators_`. Pruning suits parallel ensembles; it often harms boosted ones.
    X : array or frame of shape (n_samples, n_features)
        Rows to choose by, best not the training rows.
    y : array of shape (n_samples,)
        Their labels.
    method : str, default="reduce-error"
        "reduce-error", "kappa", "complementariness", "margin-distance", "orientation" or "clustering".
    size : int, float or None, default=None
        Members to keep, a number or a share. None is, for an ordering, the size at which the vote errs least on these
        rows, and half of the members for "clustering"; "orientation" keeps those with an angle below a right one.
    p : float, default=0.075
        The p of "margin-distance".

    Returns
    -------
    ensemble of the same kind
        A copy that shares the members kept; for a list, a list.

    Notes
    -----
    Ties go to the member that comes first. Members vote with the weights that they have. Cost: O(T^2 m), for "kappa"
    and "clustering" as much for the pairs.

    Examples
    --------
    >>> from lanatus.ensemble import VotingClassifier, prune_ensemble
    >>> X, y = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]], list("aaabbb")
    >>> len(prune_ensemble(VotingClassifier().fit(X, y), X, y).estimators_)
    1

    References
    ----------
    Margineantu and Dietterich (1997), Pruning adaptive boosting. Martinez-Munoz and Suarez (2004, 2006), Aggregation
    ordering in bagging; Pruning in ordered bagging ensembles. Giacinto, Roli and Fumera (2000), Design of effective
    multiple classifier systems by clustering of classifiers. Zhou, Wu and Tang (2002), Ensembling neural networks.
    """
    if method not in _CHOOSERS:
        raise ValueError(f"got method={method!r}, wanted one of {', '.join(_CHOOSERS)}.")
    answers, truth = member_answers(ensemble, X), as_labels(y)
    if answers.shape[1] != len(truth):
        raise ValueError(f"y must have a label for each of the {answers.shape[1]} rows of X; got {len(truth)}.")
    wanted = _wanted(size, len(answers))
    vote = _Vote(answers, truth, member_weights(ensemble, len(answers)))
    kept = _CHOOSERS[method](vote, wanted, p)
    return with_members(ensemble, np.asarray(kept, dtype=np.intp))


def _wanted(size: int | float | None, count: int) -> int | None:
    if size is None:
        return None
    if isinstance(size, float):
        size = max(1, round(size * count)) if 0 < size <= 1 else 0
    if isinstance(size, bool) or not 1 <= size <= count:
        raise ValueError(f"size must be a number from 1 to the {count} members, or a share above 0; got {size!r}.")
    return int(size)


class _Vote:
    """Answers of all members and the truth, and the votes of the members taken so far."""

    def __init__(self, answers: np.ndarray, truth: np.ndarray, weights: np.ndarray) -> None:
        self.weights = weights
        self.labels = np.unique(np.concatenate([np.unique(answers), np.unique(truth)]))
        self.codes = np.searchsorted(self.labels, answers)
        self.truth = np.searchsorted(self.labels, truth)
        self.right = self.codes == self.truth
        self.rows = np.arange(answers.shape[1])
        self.clear()

    def clear(self) -> None:
        self.votes = np.zeros((len(self.rows), len(self.labels)))

    def add(self, member: int) -> None:
        self.votes[self.rows, self.codes[member]] += self.weights[member]

    def wrong(self) -> np.ndarray:
        """Rows on which the vote errs; all of them while nobody votes."""
        if not self.votes.any():
            return np.ones(len(self.rows), dtype=bool)
        most = self.votes.max(axis=1, keepdims=True)
        return np.asarray((self.votes >= most - 1e-12).argmax(axis=1) != self.truth)

    def error_with(self, member: int) -> float:
        kept = self.votes.copy()
        self.add(member)
        error = float(self.wrong().mean())
        self.votes = kept
        return error


def _best_head(order: list[int], vote: _Vote, wanted: int | None) -> list[int]:
    """The first members of an order: as many as asked, or those with which the vote errs least."""
    if wanted is not None:
        return order[:wanted]
    vote.clear()
    errors = []
    for member in order:
        vote.add(member)
        errors.append(vote.wrong().mean())
    return order[: int(np.argmin(errors)) + 1]


def _greedy(vote: _Vote, wanted: int | None, cost: Callable[[int], float]) -> list[int]:
    order: list[int] = []
    left = list(range(len(vote.codes)))
    while left and (wanted is None or len(order) < wanted):
        member = min(left, key=cost)
        vote.add(member)
        order.append(member)
        left.remove(member)
    return _best_head(order, vote, wanted)


def _reduce_error(vote: _Vote, wanted: int | None, p: float) -> list[int]:
    return _greedy(vote, wanted, vote.error_with)


def _complementariness(vote: _Vote, wanted: int | None, p: float) -> list[int]:
    return _greedy(vote, wanted, lambda member: -float(np.sum(vote.right[member] & vote.wrong())))


def _margin_distance(vote: _Vote, wanted: int | None, p: float) -> list[int]:
    signs = np.where(vote.right, 1.0, -1.0)
    total, left = np.zeros(signs.shape[1]), list(range(len(signs)))
    order: list[int] = []
    while left and (wanted is None or len(order) < wanted):
        # The share of all members that would be used: the goal grows nearer with each one.
        member = min(left, key=lambda one: float(np.sum((p - (total + signs[one]) / len(signs)) ** 2)))
        total += signs[member]
        order.append(member)
        left.remove(member)
    return _best_head(order, vote, wanted)


def _orientation(vote: _Vote, wanted: int | None, p: float) -> list[int]:
    signs = np.where(vote.right, 1.0, -1.0)
    mean, ones = signs.mean(axis=0), np.ones(signs.shape[1])
    norm = float(mean @ mean)
    # The direction that corrects the ensemble: the part of (1, ..., 1) at right angles to its mean signature.
    goal = ones - (float(ones @ mean) / norm) * mean if norm > 0 else ones
    if float(goal @ goal) < 1e-12 * len(ones):
        goal = ones
    cosine = signs @ goal / (np.sqrt(len(ones)) * np.sqrt(float(goal @ goal)))
    order = [int(at) for at in np.argsort(-cosine, kind="stable")]
    if wanted is None:
        wanted = max(1, int(np.sum(cosine > 1e-12)))
    return order[:wanted]


def _kappa(vote: _Vote, wanted: int | None, p: float) -> list[int]:
    answers, T = vote.codes, len(vote.codes)
    pairs = sorted(
        ((kappa_statistic(answers[i], answers[j]), i, j) for i in range(T) for j in range(i + 1, T)),
        key=lambda pair: pair[0],
    )
    order = list(dict.fromkeys(member for _, i, j in pairs for member in (i, j))) or [0]
    return _best_head(order, vote, wanted)


def _clustering(vote: _Vote, wanted: int | None, p: float) -> list[int]:
    from scipy.cluster.hierarchy import fcluster, linkage

    answers, T = vote.codes, len(vote.codes)
    if T == 1:
        return [0]
    apart = np.array([disagreement(answers[i], answers[j]) for i in range(T) for j in range(i + 1, T)])
    groups = fcluster(linkage(apart, "average"), wanted or max(1, T // 2), criterion="maxclust")
    accuracy = vote.right.mean(axis=1)
    return sorted(int(max(np.flatnonzero(groups == g), key=lambda one: accuracy[one])) for g in np.unique(groups))


_CHOOSERS: dict[str, Callable[[_Vote, int | None, float], list[int]]] = {
    "reduce-error": _reduce_error,
    "kappa": _kappa,
    "complementariness": _complementariness,
    "margin-distance": _margin_distance,
    "orientation": _orientation,
    "clustering": _clustering,
}
