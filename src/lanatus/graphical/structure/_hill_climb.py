"""Greedy search for the graph of a network, an edge at a time."""

from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.graphical.graphs._directed import parents_of
from lanatus.graphical.networks._bayesian_network import BayesianNetwork
from lanatus.graphical.networks._coded import CodedFrame, coded_frame
from lanatus.graphical.structure._scores import SCORES, FamilyScores
from lanatus.params import Choice, Integer, Nothing, RandomState, Real, Satisfies, check_params, rules_for

_LEAST = 1e-9  # a gain below is rounding

EDGES = Satisfies(
    lambda value: isinstance(value, Iterable) and not isinstance(value, str), "pairs of names (parent, child)"
)
GRAPH = EDGES | Satisfies(lambda value: hasattr(value, "parents"), "a BayesianNetwork")


class Move(NamedTuple):
    """One step of the search.

    Attributes
    ----------
    kind : str, "add", "remove" or "reverse"
    edge : (str, str), parent and child, before the step
    score : float, that of the network after it
    """

    kind: str
    edge: tuple[str, str]
    score: float


@method(
    "graphical.bn-greedy-search",
    section="7.5.2",
    task="inference",
    kind="model",
    en="Greedy search of a network's structure",
    zh="贝叶斯网结构贪心搜索",
    peers=["pgmpy:HillClimbSearch", "pyagrum:BNLearner"],
)
class HillClimbSearch(BaseEstimator):
    r"""Search for the graph of a Bayesian network: the best change of one edge, again and again.

    Each step adds, removes or turns the edge that lowers the score :math:`s(B \mid D)` most, as long as no circle
    arises (section 7.5.2). Where no step lowers it, graphs of the same meaning are looked at for one that does: those
    made by turning covered edges, whose ends have the same other parents. With `tabu` it goes on through worse graphs
    that it has not seen, with `n_restarts` from the best graph shaken, and keeps the best of all.

    Book: section 7.5.2; exercise 7.9. Kernel: ``cpp/graphical/family_scores.hpp``. Cost: :math:`O(d^2)` families at
    first and :math:`O(d)` a step, each a pass over the rows; by threads.

    Parameters
    ----------
    score : {"bic", "mdl", "aic", "log-likelihood", "bdeu", "k2"}, default="bic"
        What is lowered.
    start : BayesianNetwork, iterable of edges or None, default=None
        Where to begin; None is the graph without edges.
    max_parents : int or None, default=None
        Most parents of a variable.
    required : iterable of (str, str), default=()
        Edges that must be there.
    forbidden : iterable of (str, str), default=()
        Edges (parent, child) that must not.
    candidates : mapping of str to set of str or None, default=None
        Of which variables the parents of each are taken; None allows all.
    plateau : int, default=50
        How many graphs of the same meaning are looked at, at most, for a step that lowers the score; 0 for the plain
        search of the book.
    tabu : int, default=0
        How many of the last graphs must not be come back to, and how many steps in a row may be no gain.
    n_restarts : int, default=0
        How often the best graph is shaken and climbed from again.
    max_iter : int, default=10000
        Most steps.
    equivalent_sample_size : float, default=1.0
        Of "bdeu".
    alpha : float, default=0.0
        Added to the counts when the tables of the final network are learned.
    random_state : int, RandomState or None, default=None
        Shakes the graphs.

    Attributes
    ----------
    network_ : BayesianNetwork, the best graph with its tables
    score_ : float, what it costs
    moves_ : list of Move, the steps to the first optimum, and beyond it those of `tabu`
    n_iter_ : int, steps in all

    Notes
    -----
    Of equal steps the one named first is taken: by child, then by parent. Many graphs say the same
    (Markov-equivalent ones have one score), so that the direction of an edge may be chance.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.graphical import HillClimbSearch
    >>> search = HillClimbSearch().fit(load_watermelon("2.0").frame)
    >>> round(search.score_, 6), len(search.network_.edges)
    (119.360013, 6)

    References
    ----------
    Heckerman, Geiger and Chickering (1995), Learning Bayesian networks. Chickering (1995), A transformational
    characterization of equivalent Bayesian network structures. Glover (1989), Tabu search.
    """

    def __init__(
        self,
        score: str = "bic",
        *,
        start: Any = None,
        max_parents: int | None = None,
        required: Any = (),
        forbidden: Any = (),
        candidates: Any = None,
        plateau: int = 50,
        tabu: int = 0,
        n_restarts: int = 0,
        max_iter: int = 10_000,
        equivalent_sample_size: float = 1.0,
        alpha: float = 0.0,
        random_state: Any = None,
    ) -> None:
        self.score = score
        self.start = start
        self.max_parents = max_parents
        self.required = required
        self.forbidden = forbidden
        self.candidates = candidates
        self.plateau = plateau
        self.tabu = tabu
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.equivalent_sample_size = equivalent_sample_size
        self.alpha = alpha
        self.random_state = random_state

    _params = rules_for(
        __init__,
        score=Choice(*SCORES),
        start=GRAPH | Nothing(),
        max_parents=Integer(low=0) | Nothing(),
        required=EDGES,
        forbidden=EDGES,
        candidates=Satisfies(lambda value: hasattr(value, "items"), "a mapping of name to names") | Nothing(),
        plateau=Integer(low=0),
        tabu=Integer(low=0),
        n_restarts=Integer(low=0),
        max_iter=Integer(low=1),
        equivalent_sample_size=Real(above=0, below=np.inf),
        alpha=Real(low=0, below=np.inf),
        random_state=RandomState(),
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
        weights = None if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
        scores = FamilyScores(frame, self.score, equivalent_sample_size=self.equivalent_sample_size, weights=weights)
        climb = _Climb(scores, self._allowed(frame), self._places(frame, self.required), self.max_parents, self.plateau)
        start = [set(parents) for parents in self._first(frame)]
        best, moves = climb.run(start, self.tabu, self.max_iter)
        taken, rng = len(moves), check_random_state(self.random_state)
        for _ in range(self.n_restarts):
            shaken = climb.shaken(best.parents, rng)
            found, more = climb.run(shaken, self.tabu, self.max_iter)
            taken += len(more)
            if found.score < best.score - _LEAST:
                best = found
        self.moves_ = [
            Move(kind, (frame.names[parent], frame.names[child]), score) for kind, parent, child, score in moves
        ]
        self.n_iter_, self.score_ = taken, best.score
        parents = {name: [frame.names[p] for p in sorted(best.parents[i])] for i, name in enumerate(frame.names)}
        network = BayesianNetwork(parents, states=frame.states, nodes=frame.names)
        self.network_ = network.fit_parameters(D, alpha=self.alpha, sample_weight=sample_weight)
        return self

    def _allowed(self, frame: CodedFrame) -> np.ndarray:
        """allowed[child, parent]: whether the edge may be there."""
        d = len(frame.names)
        allowed = ~np.eye(d, dtype=bool)
        if self.candidates is not None:
            allowed &= np.array(
                [[parent in self.candidates.get(child, ()) for parent in frame.names] for child in frame.names]
            )
        for parent, child in self._places(frame, self.forbidden):
            allowed[child, parent] = False
        for parent, child in self._places(frame, self.required):
            if self.candidates is None and not allowed[child, parent]:
                raise ValueError(f"the edge {frame.names[parent]} -> {frame.names[child]} is required and forbidden.")
            allowed[child, parent] = True
        return allowed

    def _first(self, frame: CodedFrame) -> list[set[int]]:
        found: list[set[int]] = [set() for _ in frame.names]
        given = parents_of(self.start) if self.start is not None else {}
        for parent, child in self._places(frame, [(p, c) for c, above in given.items() for p in above]):
            found[child].add(parent)
        for parent, child in self._places(frame, self.required):
            found[child].add(parent)
        parents_of({name: [frame.names[p] for p in found[i]] for i, name in enumerate(frame.names)})  # no circle
        return found

    @staticmethod
    def _places(frame: CodedFrame, edges: Any) -> list[tuple[int, int]]:
        for edge in edges:
            if len(edge) != 2 or not set(edge) <= set(frame.names):
                raise ValueError(f"{edge!r} is no pair of columns of the data, {list(frame.names)[:12]}.")
        return [(frame.place(parent), frame.place(child)) for parent, child in edges]


class _Found(NamedTuple):
    parents: list[set[int]]
    score: float


class _Climb:
    """Steps over graphs of places of columns."""

    def __init__(
        self,
        scores: FamilyScores,
        allowed: np.ndarray,
        required: list[tuple[int, int]],
        max_parents: int | None,
        plateau: int,
    ) -> None:
        self.scores, self.allowed, self.d, self.plateau = scores, allowed, len(allowed), plateau
        self.most = self.d if max_parents is None else max_parents
        self.fixed = np.zeros_like(allowed)
        for parent, child in required:
            self.fixed[child, parent] = True

    def run(self, start: list[set[int]], tabu: int, max_iter: int) -> tuple[_Found, list[tuple[str, int, int, float]]]:
        """Climb to where no step is a gain, here or in graphs of the same meaning; with `tabu`, on from there."""
        at = _Place(self, start)
        moves: list[tuple[str, int, int, float]] = []
        best = self._climbed(at, moves, max_iter)
        seen: deque[frozenset[tuple[int, int]]] = deque([_edges(at.parents)], maxlen=max(tabu, 1))
        without_gain = 0
        while tabu and without_gain < tabu and len(moves) < max_iter:
            step = self._best_step(at, seen)
            if step is None:
                break
            moves.append((*step[1:], at.take(*step[1:])))
            seen.append(_edges(at.parents))
            without_gain += 1
            if at.score < best.score - _LEAST:
                best, without_gain = at.found(), 0
        return best, moves

    def _climbed(self, at: "_Place", moves: list[tuple[str, int, int, float]], max_iter: int) -> _Found:
        while len(moves) < max_iter:
            step = self._best_step(at, None)
            if step is None or step[0] >= -_LEAST:
                turns = self._way_on(at)
                if not turns:
                    break
                moves += [("reverse", *turn, at.take("reverse", *turn)) for turn in turns]
            else:
                moves.append((*step[1:], at.take(*step[1:])))
        return at.found()

    def _way_on(self, at: "_Place") -> list[tuple[int, int]]:
        """Covered edges to turn, one after the other, to come to a graph with a step that is a gain: breadth first."""
        seen, queue = {_edges(at.parents)}, deque([(at.parents, list[tuple[int, int]]())])
        while queue:
            parents, turns = queue.popleft()
            for parent, child in self._covered(parents):
                after = [set(own) for own in parents]
                self.apply(after, "reverse", parent, child)
                if _edges(after) in seen:
                    continue
                if len(seen) > self.plateau:
                    return []
                seen.add(_edges(after))
                there = _Place(self, after)
                step = self._best_step(there, None)
                if step is not None and there.score + step[0] < at.score - _LEAST:  # K2 knows directions apart
                    return [*turns, (parent, child)]
                queue.append((after, [*turns, (parent, child)]))
        return []

    def _covered(self, parents: list[set[int]]) -> list[tuple[int, int]]:
        """Edges whose ends have the same other parents, and which may be turned."""
        return [
            (parent, child)
            for child, own in enumerate(parents)
            for parent in sorted(own)
            if parents[parent] == own - {parent} and self.allowed[parent, child] and not self.fixed[child, parent]
        ]

    def toggled(self, child: int, parents: set[int]) -> np.ndarray:
        """Cost of a child's family with each other variable taken in or out."""
        tried = [
            other
            for other in range(self.d)
            if other != child and (other in parents or len(parents) < self.most) and self._ever(child, other, parents)
        ]
        costs = np.full(self.d, np.inf)
        if tried:
            costs[tried] = self.scores.costs([(child, tuple(sorted(parents ^ {other}))) for other in tried])
        return costs

    def _ever(self, child: int, other: int, parents: set[int]) -> bool:
        return bool(other in parents or self.allowed[child, other])

    def _best_step(self, at: "_Place", seen: Any) -> tuple[float, str, int, int] | None:
        """The step that lowers the score most, or raises it least; (change, kind, parent, child)."""
        parents = at.parents
        edge = np.zeros((self.d, self.d), dtype=bool)  # edge[child, parent]
        for child, own_parents in enumerate(parents):
            edge[child, list(own_parents)] = True
        change = at.toggled - at.own[:, None]
        above = _ancestors(edge)
        add = np.where(~edge & self.allowed & ~above.T, change, np.inf)
        remove = np.where(edge & ~self.fixed, change, np.inf)
        # Turning parent -> child: gone from the child, new to the parent; no other way may lead from parent to child.
        turned = np.where(edge & ~self.fixed & self.allowed.T & ~_detours(edge, above), change + change.T, np.inf)
        steps = np.stack([add, remove, turned], axis=-1)
        order = [int(steps.argmin())] if seen is None else np.argsort(steps, axis=None, kind="stable").tolist()
        for place in order:
            child, parent, kind = (int(i) for i in np.unravel_index(place, steps.shape))
            gain = float(steps[child, parent, kind])
            if not np.isfinite(gain):
                return None
            name = ("add", "remove", "reverse")[kind]
            if seen is None:
                return gain, name, parent, child
            after = [set(p) for p in parents]
            self.apply(after, name, parent, child)
            if _edges(after) not in seen:
                return gain, name, parent, child
        return None

    @staticmethod
    def apply(parents: list[set[int]], kind: str, parent: int, child: int) -> None:
        if kind == "add":
            parents[child].add(parent)
        else:
            parents[child].discard(parent)
        if kind == "reverse":
            parents[parent].add(child)

    def shaken(self, parents: list[set[int]], rng: np.random.RandomState) -> list[set[int]]:
        """A graph some random legal steps away."""
        found = [set(p) for p in parents]
        for _ in range(max(4, self.d // 2)):
            child, parent = rng.randint(self.d), rng.randint(self.d)
            edge = np.zeros((self.d, self.d), dtype=bool)
            for c, above in enumerate(found):
                edge[c, list(above)] = True
            if parent in found[child]:
                if not self.fixed[child, parent]:
                    found[child].discard(parent)
            elif self.allowed[child, parent] and not _ancestors(edge)[parent, child] and len(found[child]) < self.most:
                found[child].add(parent)
        return found


class _Place:
    """A graph, what its families cost, and what they would with one parent more or less."""

    def __init__(self, climb: _Climb, parents: list[set[int]]) -> None:
        self._climb, self.parents = climb, [set(own) for own in parents]
        self.own = climb.scores.costs([(c, tuple(sorted(own))) for c, own in enumerate(self.parents)])
        self.toggled = np.stack([climb.toggled(c, own) for c, own in enumerate(self.parents)])

    @property
    def score(self) -> float:
        return float(self.own.sum())

    def found(self) -> _Found:
        return _Found([set(own) for own in self.parents], self.score)

    def take(self, kind: str, parent: int, child: int) -> float:
        """Go a step; what the graph costs then."""
        self._climb.apply(self.parents, kind, parent, child)
        for c in (child, parent) if kind == "reverse" else (child,):
            self.own[c] = self._climb.scores.cost(c, sorted(self.parents[c]))
            self.toggled[c] = self._climb.toggled(c, self.parents[c])
        return self.score


def _edges(parents: list[set[int]]) -> frozenset[tuple[int, int]]:
    return frozenset((parent, child) for child, above in enumerate(parents) for parent in above)


def _ancestors(edge: np.ndarray) -> np.ndarray:
    """above[node, other]: whether a way leads from other to node, by squaring."""
    above, steps = edge.copy(), 1
    while steps < len(edge):
        above |= (above.astype(np.float32) @ above.astype(np.float32)) > 0
        steps *= 2
    return above


def _detours(edge: np.ndarray, above: np.ndarray) -> np.ndarray:
    """detour[child, parent]: whether a way of two edges or more leads from parent to child."""
    return np.asarray((edge.astype(np.float32) @ above.astype(np.float32)) > 0)
