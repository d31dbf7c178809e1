"""Rescaling: decision odds for rare classes, class weights for unequal costs."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation import CostMatrix

_TOLERANCE = 1e-9  # of the logarithms of ratios of costs


@method(
    "imbalance.rescaling",
    section="3.6",
    task="classification",
    en="Rescaling of the decision odds",
    zh="再缩放",
)
def rescale_proba(proba: Any, ratio: Any) -> np.ndarray:
    r"""Probabilities with their odds rescaled, as if the classes had been of other sizes.

    With ``ratio`` :math:`= m^- / m^+` a class is predicted where the data raise its odds above those of its share.

    Book: section 3.6, (3.48) :math:`y' / (1 - y') = y / (1 - y) \times m^- / m^+`; for several classes
    :math:`p'_k \propto w_k p_k`.

    Parameters
    ----------
    proba : array-like of shape (m,), (m, 2) or (m, n_classes)
        Probability of the positive class, or of each class (the positive one second of two).
    ratio : float or array-like of shape (n_classes,)
        What the odds of the positive class are multiplied by, or a weight for each class; above 0 and finite.

    Returns
    -------
    ndarray of the shape of `proba`
        The new probabilities. A probability of 0 or 1 stays as it is.

    Notes
    -----
    It assumes that the training rows are an unbiased sample: the share of a class there is its share in the world.
    Cost: O(m n_classes).

    Examples
    --------
    >>> from lanatus.imbalance import rescale_proba
    >>> rescale_proba([0.001, 0.002, 0.5], ratio=998 / 2).round(4).tolist()
    [0.3331, 0.5, 0.998]
    >>> rescale_proba([[0.5, 0.25, 0.25]], [1, 2, 4]).tolist()
    [[0.25, 0.25, 0.5]]
    """
    given = np.asarray(proba, dtype=np.float64)
    if given.ndim not in (1, 2):
        raise ValueError(f"proba must have one or two dimensions; got shape {given.shape}.")
    if not ((given >= 0) & (given <= 1)).all():
        raise ValueError("proba must hold probabilities from 0 to 1; got others.")
    table = np.column_stack([1 - given, given]) if given.ndim == 1 else given
    weights = np.asarray(ratio, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.array([1.0, float(weights)])
    if weights.shape != (table.shape[1],):
        raise ValueError(f"ratio must be a number for two classes or one weight for each of {table.shape[1]} classes.")
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        raise ValueError(f"ratio must be above 0 and finite; got {weights.tolist()}.")
    scaled = table * (weights / weights.max())
    total = scaled.sum(axis=1, keepdims=True)
    rescaled = np.divide(scaled, total, out=table.copy(), where=total > 0)
    return rescaled[:, 1] if given.ndim == 1 else rescaled


@dataclass(frozen=True, eq=False)
class RescalingWeights:
    """Class weights that stand for a cost matrix, or the answer that there are none.

    Attributes
    ----------
    labels : tuple
        The classes.
    consistent : bool
        Whether one weight a class can stand for all costs.
    weights : ndarray of shape (n_classes,) or None
        The weights, the least of them 1; None where there are none.
    rank : int
        Rank of the system of equations; weights need it below the number of classes.
    pairs : dict {(label, label): (float, float)}
        Weights for each two classes alone, which always exist: learn each pair apart and vote (one-vs-one).
    """

    labels: tuple[Any, ...]
    consistent: bool
    weights: np.ndarray | None
    rank: int
    pairs: dict[tuple[Any, Any], tuple[float, float]]


@method(
    "imbalance.multiclass-cost-rescaling",
    section="ex 3.10",
    task="classification",
    en="Multi-class cost-sensitive rescaling with consistency check",
    zh="多分类代价敏感再缩放",
)
def multiclass_rescaling_weights(cost_matrix: Any) -> RescalingWeights:
    r"""Weights of the classes that make equal costs out of unequal ones, if there are such.

    Optimal rescaling needs :math:`w_i / w_j = cost_{ij} / cost_{ji}` for all i and j. These are
    :math:`c (c - 1) / 2` equations :math:`w_i\,cost_{ji} - w_j\,cost_{ij} = 0` for c weights; they have a solution
    other than zero only where their matrix has a rank below c.

    Book: exercise 3.10, section 3.7.

    Parameters
    ----------
    cost_matrix : CostMatrix, array-like of shape (c, c) or dict
        ``cost[i, j]`` of taking class i for class j, as in `lanatus.evaluation.CostMatrix`.

    Returns
    -------
    RescalingWeights
        With `weights` where the costs are consistent, else with the weights of each pair.

    Notes
    -----
    Two errors that both cost nothing say nothing about their classes. One that costs nothing against one that costs
    something would need a weight of zero, which counts as not consistent. Cost: O(c^4).

    References
    ----------
    Zhou and Liu (2006), On multi-class cost-sensitive learning. AAAI.

    Examples
    --------
    >>> from lanatus.imbalance import multiclass_rescaling_weights
    >>> multiclass_rescaling_weights([[0, 2, 4], [1, 0, 2], [1, 1, 0]]).weights.round(9).tolist()
    [4.0, 2.0, 1.0]
    >>> answer = multiclass_rescaling_weights([[0, 2, 4], [1, 0, 9], [1, 1, 0]])
    >>> answer.consistent, answer.rank, answer.pairs[1, 2]
    (False, 3, (9.0, 1.0))
    """
    matrix = cost_matrix if isinstance(cost_matrix, CostMatrix) else CostMatrix(cost_matrix)
    costs, labels = matrix.costs, matrix.labels
    each_two = list(combinations(range(len(labels)), 2))
    system = np.zeros((len(each_two), len(labels)))
    for row, (i, j) in enumerate(each_two):
        system[row, [i, j]] = costs[j, i], -costs[i, j]
    largest = np.abs(system).max(axis=1, keepdims=True)
    rank = int(np.linalg.matrix_rank(np.divide(system, largest, out=system, where=largest > 0), tol=_TOLERANCE))
    weights = _consistent_weights(costs, each_two)
    pairs = {(labels[i], labels[j]): _pair_weights(costs[i, j], costs[j, i]) for i, j in each_two}
    return RescalingWeights(labels, weights is not None, weights, rank, pairs)


def _consistent_weights(costs: np.ndarray, each_two: list[tuple[int, int]]) -> np.ndarray | None:
    """Solve log w_i - log w_j = log cost_ij - log cost_ji; None where nothing does."""
    told = [(i, j) for i, j in each_two if costs[i, j] > 0 or costs[j, i] > 0]
    if any(costs[i, j] == 0 or costs[j, i] == 0 for i, j in told):
        return None
    differences = np.zeros((len(told), len(costs)))
    ratios = np.zeros(len(told))
    for row, (i, j) in enumerate(told):
        differences[row, [i, j]] = 1, -1
        ratios[row] = np.log(costs[i, j]) - np.log(costs[j, i])
    logs = np.linalg.lstsq(differences, ratios, rcond=None)[0] if told else np.zeros(len(costs))
    if told and np.abs(differences @ logs - ratios).max() > _TOLERANCE * max(1.0, np.abs(ratios).max()):
        return None
    return np.exp(logs - logs.min())


def _pair_weights(first: float, second: float) -> tuple[float, float]:
    """Weights of two classes by the costs of missing them; the least above 0 is 1."""
    above = [cost for cost in (first, second) if cost > 0]
    return (float(first / min(above)), float(second / min(above))) if above else (1.0, 1.0)
