"""Search and tests together: neighbours by tests, edges by a score."""

from collections.abc import Sequence
from itertools import chain, combinations
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from lanatus.graphical.networks._coded import CodedFrame, coded_frame
from lanatus.graphical.structure._hill_climb import HillClimbSearch
from lanatus.graphical.structure._independence_tests import independence_test
from lanatus.graphical.structure._scores import SCORES
from lanatus.params import Choice, Flag, Integer, Real, check_params, rules_for


class MMHCSearch(BaseEstimator):
    """The graph of a Bayesian network by tests and search, the max-min hill-climbing algorithm.

    For each variable those others are found that no set of them makes independent of it; hill climbing then adds,
    removes and turns edges between such pairs alone. It is much faster than search alone where variables are many.

    Book: section 7.5.2. Cost: a pass over the rows a test; each variable is tested given sets of up to `max_given` of
    its candidates.

    Parameters
    ----------
    score : {"bic", "mdl", "aic", "log-likelihood", "bdeu", "k2"}, default="bic"
        What hill climbing lowers.
    significance : float, default=0.05
        A p-value above it counts as independent.
    max_given : int, default=3
        Most variables that are given in a test.
    refine : bool, default=False
        Whether to climb on from there among all graphs, which often ends lower than a climb from no edge.
    tabu : int, default=0
        As in `HillClimbSearch`.
    alpha : float, default=0.0
        Added to the counts when the tables of the network are learned.

    Attributes
    ----------
    network_ : BayesianNetwork, the graph with its tables
    score_ : float, what it costs
    candidates_ : dict of str to set of str, what may be joined to each variable

    Examples
    --------
    >>> from lanatus.graphical import MMHCSearch, load_watermelon_network
    >>> D = load_watermelon_network().sample(20_000, random_state=0)
    >>> sorted(MMHCSearch().fit(D).candidates_["色泽"])
    ['好瓜', '甜度']

    References
    ----------
    Tsamardinos, Brown and Aliferis (2006), The max-min hill-climbing Bayesian network structure learning algorithm.
    """

    def __init__(
        self,
        score: str = "bic",
        *,
        significance: float = 0.05,
        max_given: int = 3,
        refine: bool = False,
        tabu: int = 0,
        alpha: float = 0.0,
    ) -> None:
        self.score = score
        self.significance = significance
        self.max_given = max_given
        self.refine = refine
        self.tabu = tabu
        self.alpha = alpha

    _params = rules_for(
        __init__,
        score=Choice(*SCORES),
        significance=Real(above=0, below=1),
        max_given=Integer(low=0),
        refine=Flag(),
        tabu=Integer(low=0),
        alpha=Real(low=0, below=np.inf),
    )

    def fit(self, D: Any, y: Any = None) -> Self:
        """Find the graph of a frame of states.

        Parameters
        ----------
        D : frame, mapping of columns, or array
            A column a variable.
        y : Ignored
            For scikit-learn's sake.
        """
        check_params(self)
        frame = coded_frame(D)
        found = {name: self._neighbours(frame, name) for name in frame.names}
        self.candidates_ = {name: {other for other in own if name in found[other]} for name, own in found.items()}
        search = HillClimbSearch(self.score, candidates=self.candidates_, tabu=self.tabu, alpha=self.alpha).fit(D)
        if self.refine:
            search = HillClimbSearch(self.score, start=search.network_, tabu=self.tabu, alpha=self.alpha).fit(D)
        self.network_, self.score_ = search.network_, search.score_
        return self

    def _neighbours(self, frame: CodedFrame, target: str) -> set[str]:
        """Max-min parents and children: what depends most, given the worst that those before can do."""
        chosen: list[str] = []
        weakest = {name: self._p_value(frame, target, name, ()) for name in frame.names if name != target}
        while weakest:
            best = min(weakest, key=lambda name: (weakest[name], frame.names.index(name)))
            if weakest.pop(best) > self.significance:
                break
            for name in list(weakest):  # sets that hold the new one
                for z in _subsets(chosen, self.max_given - 1):
                    weakest[name] = max(weakest[name], self._p_value(frame, target, name, (*z, best)))
                    if weakest[name] > self.significance:
                        break
            weakest = {name: p for name, p in weakest.items() if p <= self.significance}
            chosen.append(best)
        for name in list(chosen):  # what later ones make independent goes again
            others = [other for other in chosen if other != name]
            if any(self._p_value(frame, target, name, z) > self.significance for z in _subsets(others, self.max_given)):
                chosen.remove(name)
        return set(chosen)

    def _p_value(self, frame: CodedFrame, x: str, y: str, z: tuple[str, ...]) -> float:
        return independence_test(frame, x, y, z).p_value


def _subsets(names: Sequence[str], most: int) -> Any:
    return chain.from_iterable(combinations(names, size) for size in range(min(most, len(names)) + 1))
