"""Networks from tests of independence."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.stats import chi2
from sklearn.base import BaseEstimator

from lanatus.catalog import method
from lanatus.graphical.networks._bayesian_network import BayesianNetwork
from lanatus.graphical.networks._coded import CodedFrame, coded_frame
from lanatus.graphical.networks._parameters import family_counts
from lanatus.params import Choice, Integer, Nothing, Real, check_params, rules_for


class IndependenceTest(NamedTuple):
    """A test of x and y being independent given z.

    Attributes
    ----------
    statistic : float
    dof : int, degrees of freedom of the combinations of z that occur
    p_value : float, 1 where nothing can be said
    """

    statistic: float
    dof: int
    p_value: float


def independence_test(frame: CodedFrame, x: str, y: str, z: tuple[str, ...], kind: str = "g2") -> IndependenceTest:
    """The G2 or chi-squared test of a table of counts for each combination of z, summed."""
    counts = family_counts(frame, (*z, x, y), None)
    tables = counts.reshape(-1, *counts.shape[-2:])
    rows, columns = tables.sum(axis=2, keepdims=True), tables.sum(axis=1, keepdims=True)
    total = tables.sum(axis=(1, 2), keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.where(total > 0, rows * columns / total, 0.0)
        if kind == "g2":
            terms = np.where(tables > 0, 2 * tables * np.log(tables / expected), 0.0)
        else:
            terms = np.where(expected > 0, (tables - expected) ** 2 / expected, 0.0)
    seen = ((rows > 0).sum(axis=(1, 2)) - 1).clip(min=0) * ((columns > 0).sum(axis=(1, 2)) - 1).clip(min=0)
    statistic, dof = float(terms.sum()), int(seen.sum())
    return IndependenceTest(statistic, dof, float(chi2.sf(statistic, dof)) if dof else 1.0)


@method(
    "graphical.causal-discovery",
    section="7.5.1",
    task="inference",
    kind="model",
    en="Network structure from independence tests (PC)",
    zh="基于独立性检验的结构学习 (PC)",
    peers=["pgmpy:PC"],
)
class PCSearch(BaseEstimator):
    r"""The graph of a Bayesian network from what is independent of what, by the PC algorithm.

    It begins with all edges. An edge x - y goes once x and y are independent given some of their neighbours, sets of
    one size after the other; the test is of contingency tables. What is left is directed: :math:`x \to z \leftarrow y`
    where x and y are apart and z did not part them (a V-structure), and then whatever would make another one, or a
    circle, if it were turned. Edges that either direction explains stay as they are.

    Book: section 7.5.1 (of causal discovery). Cost: a pass over the rows a test; the number of tests grows with the
    neighbours of a node.

    Parameters
    ----------
    test : {"g2", "chi2"}, default="g2"
        The likelihood-ratio or Pearson's statistic.
    significance : float, default=0.05
        A p-value above it counts as independent.
    max_given : int or None, default=None
        Most variables that are given in a test.
    alpha : float, default=0.0
        Added to the counts when the tables of the network are learned.

    Attributes
    ----------
    network_ : BayesianNetwork, one of the networks that the graph stands for, with its tables
    directed_ : list of (str, str), edges whose direction follows from the tests
    undirected_ : list of (str, str), edges of which it does not
    separators_ : dict of frozenset to tuple, what parted each pair that has no edge
    n_tests_ : int, tests that were made

    Notes
    -----
    Neighbours of a round are those at its beginning, so that the order of the columns does not matter for which edges
    stay (Colombo and Maathuis, 2014). Contradictory V-structures are resolved in favour of the first.

    Examples
    --------
    >>> from lanatus.graphical import PCSearch, load_watermelon_network
    >>> D = load_watermelon_network().sample(20_000, random_state=0)
    >>> sorted(PCSearch(significance=0.001).fit(D).directed_)
    [('好瓜', '色泽'), ('甜度', '色泽')]

    References
    ----------
    Spirtes, Glymour and Scheines (2000), Causation, prediction, and search. Meek (1995), Causal inference and causal
    explanation with background knowledge.
    """

    def __init__(
        self, test: str = "g2", *, significance: float = 0.05, max_given: int | None = None, alpha: float = 0.0
    ) -> None:
        self.test = test
        self.significance = significance
        self.max_given = max_given
        self.alpha = alpha

    _params = rules_for(
        __init__,
        test=Choice("g2", "chi2"),
        significance=Real(above=0, below=1),
        max_given=Integer(low=0) | Nothing(),
        alpha=Real(low=0, below=np.inf),
    )

    def fit(self, D: Any, y: Any = None) -> Self:
        """Find the graph of a frame of states.

        Parameters
        ----------
        D : frame, mapping of columns, or array
            A column a variable; rows with a hole say nothing of the tests that it concerns.
        y : Ignored
            For scikit-learn's sake.
        """
        check_params(self)
        frame = coded_frame(D)
        near = self._skeleton(frame)
        into = _v_structures(near, self.separators_)
        _follow(near, into)
        self.directed_ = sorted((a, b) for b, above in into.items() for a in above if b not in into[a])
        known = {frozenset(edge) for edge in self.directed_}
        self.undirected_ = [
            (a, b) for a, b in combinations(frame.names, 2) if b in near[a] and frozenset((a, b)) not in known
        ]
        parents = _one_of(frame.names, self.directed_, self.undirected_)
        network = BayesianNetwork(parents, states=frame.states, nodes=frame.names)
        self.network_ = network.fit_parameters(D, alpha=self.alpha)
        return self

    def _skeleton(self, frame: CodedFrame) -> dict[str, set[str]]:
        near = {name: set(frame.names) - {name} for name in frame.names}
        self.separators_: dict[frozenset[str], tuple[str, ...]] = {}
        self.n_tests_, size = 0, 0
        most = len(frame.names) if self.max_given is None else self.max_given
        while size <= most and any(len(others) > size for others in near.values()):
            before = {name: set(others) for name, others in near.items()}
            for x, y in combinations(frame.names, 2):
                if y in near[x] and (z := self._parted(frame, x, y, before, size)) is not None:
                    near[x].discard(y)
                    near[y].discard(x)
                    self.separators_[frozenset((x, y))] = z
            size += 1
        return near

    def _parted(
        self, frame: CodedFrame, x: str, y: str, near: Mapping[str, set[str]], size: int
    ) -> tuple[str, ...] | None:
        """A set of neighbours of x or of y that makes them independent."""
        tried = set()
        for others in (near[x] - {y}, near[y] - {x}):
            for z in combinations([name for name in frame.names if name in others], size):
                if z in tried:
                    continue
                tried.add(z)
                self.n_tests_ += 1
                if independence_test(frame, x, y, z, self.test).p_value > self.significance:
                    return z
        return None


def _v_structures(
    near: Mapping[str, set[str]], separators: Mapping[frozenset[str], tuple[str, ...]]
) -> dict[str, set[str]]:
    """Parents that V-structures say."""
    into: dict[str, set[str]] = {name: set() for name in near}
    for z in near:
        for x, y in combinations([name for name in near if name in near[z]], 2):
            if y in near[x] or z in separators.get(frozenset((x, y)), ()):
                continue
            if z not in into[x] and z not in into[y]:
                into[z] |= {x, y}
    return into


def _follow(near: Mapping[str, set[str]], into: dict[str, set[str]]) -> None:
    """Meek's rules, as long as one of them says something."""

    def open_edge(a: str, b: str) -> bool:
        return b in near[a] and a not in into[b] and b not in into[a]

    changed = True
    while changed:
        changed = False
        for a in near:
            for b in near[a]:
                if not open_edge(a, b):
                    continue
                chain = any(c not in near[b] and c != b for c in into[a])
                circle = any(a in into[c] for c in into[b])
                both = [c for c in near[a] if open_edge(a, c) and c in into[b]]
                two = any(d not in near[c] for c, d in combinations(both, 2))
                if chain or circle or two:
                    into[b].add(a)
                    changed = True


def _one_of(
    names: tuple[str, ...], directed: list[tuple[str, str]], undirected: list[tuple[str, str]]
) -> dict[str, list[str]]:
    """A graph without circles or new V-structures that has these edges: sinks are taken off one by one."""
    parents: dict[str, list[str]] = {name: [] for name in names}
    into = {name: {a for a, b in directed if b == name} for name in names}
    open_near: dict[str, set[str]] = {name: set() for name in names}
    for a, b in undirected:
        open_near[a].add(b)
        open_near[b].add(a)
    left = list(names)
    while left:
        # A sink among those left, whose open neighbours are joined to all that it is joined to.
        chosen = next((name for name in left if _is_simple_sink(name, set(left), into, open_near)), left[-1])
        joined = (into[chosen] | open_near[chosen]) & set(left)
        parents[chosen] = [name for name in names if name in joined]
        left.remove(chosen)
    return parents


def _is_simple_sink(name: str, left: set[str], into: Mapping[str, set[str]], open_near: Mapping[str, set[str]]) -> bool:
    if any(name in into[other] for other in left):
        return False
    joined = (into[name] | open_near[name]) & left
    return all(
        joined - {other} <= into[other] | open_near[other] | _out(into, other) for other in open_near[name] & left
    )


def _out(into: Mapping[str, set[str]], name: str) -> set[str]:
    return {other for other, above in into.items() if name in above}
