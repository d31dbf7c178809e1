"""The best network of all, by dynamic programming over sets of variables."""

from itertools import combinations
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from lanatus.catalog import method
from lanatus.graphical.networks._bayesian_network import BayesianNetwork
from lanatus.graphical.networks._coded import coded_frame
from lanatus.graphical.structure._scores import SCORES, FamilyScores
from lanatus.params import Choice, Integer, Nothing, Real, check_params, rules_for

_MOST = 25
_MOST_SETS = 4_000_000


@method(
    "graphical.bn-exact-search",
    section="7.5.2",
    task="inference",
    kind="model",
    en="Exact search of a network's structure",
    zh="贝叶斯网结构精确搜索",
    peers=["pgmpy:ExhaustiveSearch"],
)
class ExactSearch(BaseEstimator):
    r"""The graph of a Bayesian network that has the best score of all there are.

    A best network on a set of variables has a sink, whose parents are the best that the others offer, on top of a best
    network of these: :math:`s(V) = \min_{x \in V} s(V \setminus x) + \min_{\pi \subseteq V \setminus x} s(x \mid \pi)`.

    Book: section 7.5.2 (of exact search). Cost: :math:`O(d^2 2^d)` time and :math:`O(d 2^d)` memory for *d* variables,
    25 at most, beside a pass over the rows for each family.

    Parameters
    ----------
    score : {"bic", "mdl", "aic", "log-likelihood", "bdeu", "k2"}, default="bic"
        What is lowered.
    max_parents : int or None, default=None
        Most parents of a variable; None allows all, of 15 variables at most.
    equivalent_sample_size : float, default=1.0
        Of "bdeu".
    alpha : float, default=0.0
        Added to the counts when the tables of the network are learned.

    Attributes
    ----------
    network_ : BayesianNetwork, the best graph with its tables
    score_ : float, what it costs
    n_families_ : int, families that were looked at

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.graphical import ExactSearch
    >>> round(ExactSearch().fit(load_watermelon("2.0").frame).score_, 6)
    119.360013

    References
    ----------
    Silander and Myllymaki (2006), A simple approach for finding the globally optimal Bayesian network structure.
    """

    def __init__(
        self,
        score: str = "bic",
        *,
        max_parents: int | None = None,
        equivalent_sample_size: float = 1.0,
        alpha: float = 0.0,
    ) -> None:
        self.score = score
        self.max_parents = max_parents
        self.equivalent_sample_size = equivalent_sample_size
        self.alpha = alpha

    _params = rules_for(
        __init__,
        score=Choice(*SCORES),
        max_parents=Integer(low=0) | Nothing(),
        equivalent_sample_size=Real(above=0, below=np.inf),
        alpha=Real(low=0, below=np.inf),
    )

    def fit(self, D: Any, y: Any = None, *, sample_weight: Any = None) -> Self:
        """Find the graph of a frame of states.

        Parameters
        ----------
        D : frame, mapping of columns, or array
            A column a variable.
        y : Ignored
            For scikit-learn's sake.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows.
        """
        check_params(self)
        frame = coded_frame(D)
        d = len(frame.names)
        most = d - 1 if self.max_parents is None else min(self.max_parents, d - 1)
        n_sets = sum(_choose(d - 1, k) for k in range(most + 1))
        if d > _MOST or d * n_sets > _MOST_SETS:
            raise ValueError(
                f"{d} variables with up to {most} parents have {d * n_sets:.3g} families; at most {_MOST} variables "
                f"and {_MOST_SETS:.0e} families are looked at: lower max_parents, or take HillClimbSearch."
            )
        weights = None if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
        scores = FamilyScores(frame, self.score, equivalent_sample_size=self.equivalent_sample_size, weights=weights)
        costs = [_family_costs(scores, child, d, most) for child in range(d)]
        parents = _best_network(costs, d)
        self.n_families_ = d * n_sets
        self.score_ = float(scores.costs([(c, own) for c, own in enumerate(parents)]).sum())
        named = {name: [frame.names[p] for p in own] for name, own in zip(frame.names, parents, strict=True)}
        network = BayesianNetwork(named, states=frame.states, nodes=frame.names)
        self.network_ = network.fit_parameters(D, alpha=self.alpha, sample_weight=sample_weight)
        return self


def _choose(n: int, k: int) -> int:
    from math import comb

    return comb(n, k)


def _family_costs(scores: FamilyScores, child: int, d: int, most: int) -> np.ndarray:
    """Cost of each set of parents of a child, by mask over the other variables; infinite where there are too many."""
    others = [i for i in range(d) if i != child]
    costs = np.full(1 << (d - 1), np.inf)
    sets = [chosen for k in range(most + 1) for chosen in combinations(range(d - 1), k)]
    found = scores.costs([(child, tuple(others[i] for i in chosen)) for chosen in sets])
    masks = np.array([sum(1 << i for i in chosen) for chosen in sets], dtype=np.int64)
    costs[masks] = found
    return costs


def _best_network(costs: list[np.ndarray], d: int) -> list[tuple[int, ...]]:
    """Parents of each variable in the best network."""
    best = [_best_within(own) for own in costs]
    masks = np.arange(1 << d, dtype=np.int64)
    size = np.array([int(mask).bit_count() for mask in masks], dtype=np.int8)
    value, sink = np.full(1 << d, np.inf), np.zeros(1 << d, dtype=np.int8)
    value[0] = 0.0
    for layer in range(1, d + 1):
        own = masks[size == layer]
        for x in range(d):
            with_x = own[(own >> x) & 1 == 1]
            rest = with_x ^ (1 << x)
            # The mask of the others without the place of x.
            low = rest & ((1 << x) - 1)
            among = low | ((rest >> (x + 1)) << x)
            total = value[rest] + best[x][among]
            better = total < value[with_x]
            value[with_x[better]], sink[with_x[better]] = total[better], x
    parents: list[tuple[int, ...]] = [()] * d
    left = (1 << d) - 1
    while left:
        x = int(sink[left])
        left ^= 1 << x
        low = left & ((1 << x) - 1)
        among = low | ((left >> (x + 1)) << x)
        parents[x] = _parents_of(costs[x], float(best[x][among]), among, x, d)
    return parents


def _best_within(costs: np.ndarray) -> np.ndarray:
    """The least cost of a subset of each set."""
    best = costs.copy()
    bits = len(best).bit_length() - 1
    for bit in range(bits):
        view = best.reshape(-1, 2, 1 << bit)
        np.minimum(view[:, 1], view[:, 0], out=view[:, 1])
    return best


def _parents_of(costs: np.ndarray, wanted: float, among: int, x: int, d: int) -> tuple[int, ...]:
    """The smallest set that costs this."""
    sets = np.flatnonzero(costs == wanted)
    inside = sets[(sets & ~among) == 0]
    chosen = min(inside.tolist(), key=lambda mask: (int(mask).bit_count(), mask))
    others = [i for i in range(d) if i != x]
    return tuple(others[i] for i in range(d - 1) if chosen >> i & 1)
