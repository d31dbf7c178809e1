"""Belief propagation on trees and, as an approximation, on graphs with circles."""

import heapq
import warnings
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lanatus.catalog import method
from lanatus.graphical.factors._factor import Factor
from lanatus.graphical.inference._question import GraphicalModel, Question, relevant
from lanatus.params import check_choice, check_integer, check_real

SCHEDULES = ("sequential", "parallel", "residual", "residual-splash")


class Message(NamedTuple):
    """One message, in the order in which they were sent: between two variables, or a factor and a variable."""

    sender: str
    receiver: str
    values: np.ndarray


class _Edge(NamedTuple):
    """A factor and one of its variables."""

    factor: int
    axis: int


@method(
    "graphical.belief-propagation",
    "graphical.loopy-bp",
    "graphical.residual-splash",
    section="14.4.2",
    task="inference",
    kind="model",
    en="Belief propagation",
    zh="信念传播",
    peers=["pgmpy:BeliefPropagation", "pgmax:infer.BP"],
)
class BeliefPropagation:
    r"""Marginals of all variables by messages along the edges of the factor graph.

    :math:`m_{ij}(x_j) = \sum_{x_i} \psi(x_i, x_j) \prod_{k \in n(i) \setminus j} m_{ki}(x_i)` (14.19), and
    :math:`P(x_i) \propto \prod_{k \in n(i)} m_{ki}(x_i)` (14.20). On a tree two sweeps, from the leaves to a root and
    back, give all marginals exactly. With circles (`loopy`) messages begin even and are sent until they settle, which
    they need not; what comes out is about right where circles are long or factors weak.

    Book: sections 14.4.2 and 14.7, figure 14.8. Cost: two messages an edge on a tree; otherwise as many rounds as it
    takes. A message costs as many steps as its factor has entries.

    Parameters
    ----------
    model : BayesianNetwork, MarkovNetwork or FactorGraph
        The model.
    loopy : bool, default=False
        Whether circles are allowed; otherwise a model with one is refused.
    schedule : {"sequential", "parallel", "residual", "residual-splash"}, default="sequential"
        Which message is next where there are circles: one after the other, all at once from those of the last round,
        the one that would change most, or all of a small tree around the variable whose messages would.
    damping : float, default=0.0
        How much of the old message is kept, which calms messages that swing.
    tol : float, default=1e-8
        Stop once no message changes by more.
    max_iter : int, default=200
        Most rounds, each of as many messages as there are.
    splash : int, default=2
        How far from its variable the tree of a splash reaches.

    Attributes
    ----------
    messages_ : list of Message, those that were sent last time on a tree, in order
    n_iter_ : int, rounds
    converged_ : bool, whether they settled
    log_normalizer_ : float, logarithm of the sum over all states, as Bethe's free energy says; exact on a tree

    Examples
    --------
    >>> from lanatus.graphical import BeliefPropagation, Factor, MarkovNetwork
    >>> ac, bc = Factor(["A", "C"], [[1.5, 0.1], [0.1, 1.5]]), Factor(["B", "C"], [[0.2, 1.3], [1.3, 0.2]])
    >>> chain = MarkovNetwork([ac, bc])
    >>> bp = BeliefPropagation(chain)
    >>> bp.query("A", {"B": 0}).values.round(4).tolist(), len(bp.messages_)
    ([0.1792, 0.8208], 6)

    References
    ----------
    Murphy, Weiss and Jordan (1999), Loopy belief propagation for approximate inference. Elidan, McGraw and Koller
    (2006), Residual belief propagation. Gonzalez, Low and Guestrin (2009), Residual splash for optimally parallelizing
    belief propagation.
    """

    def __init__(
        self,
        model: GraphicalModel,
        *,
        loopy: bool = False,
        schedule: str = "sequential",
        damping: float = 0.0,
        tol: float = 1e-8,
        max_iter: int = 200,
        splash: int = 2,
    ) -> None:
        check_choice("schedule", schedule, SCHEDULES)
        self.model = model
        self.loopy = loopy
        self.schedule = schedule
        self.damping = check_real("damping", damping, 0, 1)
        self.tol = check_real("tol", tol, 0)
        self.max_iter = check_integer("max_iter", max_iter, 1)
        self.splash = check_integer("splash", splash, 1)
        self.messages_: list[Message] = []

    def query(self, query: Any, evidence: Mapping[str, Hashable] | None = None) -> Factor:
        """P(query | evidence) of one variable, or of several that are one factor's.

        Parameters
        ----------
        query : str or sequence of str
            The variables asked for.
        evidence : mapping of str to state, optional
            What is known.
        """
        question = Question.of(self.model, query, evidence)
        graph = self._run(question.evidence)
        if len(question.query) == 1:
            return graph.belief(question.query[0])
        for f, factor in enumerate(graph.factors):
            if set(question.query) <= set(factor.variables):
                return graph.factor_belief(f).marginal(question.query)
        raise ValueError(
            f"belief propagation knows joint distributions of variables of one factor; {list(question.query)} share "
            "none: ask by elimination."
        )

    def marginals(self, evidence: Mapping[str, Hashable] | None = None) -> dict[str, Factor]:
        """P(variable | evidence) of all variables that are not known."""
        question = Question.of(self.model, (), evidence)
        graph = self._run(question.evidence)
        return {name: graph.belief(name) for name in graph.edges_of}

    def _run(self, evidence: Mapping[str, Hashable]) -> "_Messages":
        graph = _Messages(self.model, evidence)
        order = graph.sweeps()
        self.messages_, self.n_iter_, self.converged_ = [], 1, True
        if order is not None:
            for edge, up in order:
                graph.send(edge, up, 0.0)
                self.messages_.append(graph.told(edge, up))
        elif not self.loopy:
            raise ValueError(
                "the factor graph has a circle, on which two sweeps are not exact; take loopy=True for an "
                "approximation, or JunctionTree."
            )
        else:
            self._settle(graph)
        self.log_normalizer_ = graph.bethe()
        return graph

    def _settle(self, graph: "_Messages") -> None:
        edges = list(graph.to_variable)
        if self.schedule.startswith("residual"):
            self.n_iter_, self.converged_ = self._by_residual(graph, edges)
        else:
            self.converged_ = False
            for number in range(self.max_iter):
                self.n_iter_ = number + 1
                if self._round(graph, edges) <= self.tol:
                    self.converged_ = True
                    break
        if not self.converged_:
            warnings.warn(
                f"messages did not settle in {self.max_iter} rounds, so the marginals are those of the last one; raise "
                "damping or max_iter.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _round(self, graph: "_Messages", edges: list[_Edge]) -> float:
        if self.schedule == "parallel":
            news = {edge: graph.fresh(edge) for edge in edges}
            return max(graph.put(edge, news[edge], self.damping) for edge in edges)
        return max(graph.put(edge, graph.fresh(edge), self.damping) for edge in edges)

    def _by_residual(self, graph: "_Messages", edges: list[_Edge]) -> tuple[int, bool]:
        """The message that would change most is sent first; what it changes is looked at again."""
        news = {edge: graph.fresh(edge) for edge in edges}
        heap = [(-graph.gap(edge, news[edge]), edge) for edge in edges]
        heapq.heapify(heap)
        left = self.max_iter * len(edges)
        while left > 0 and heap:
            gap, edge = heapq.heappop(heap)
            if abs(graph.gap(edge, news[edge]) + gap) > 0:  # it has changed since it was queued
                continue
            if -gap <= self.tol:
                return max(1, self.max_iter - left // len(edges)), True
            chosen = [edge] if self.schedule == "residual" else graph.around(edge, self.splash)
            for one in chosen:
                graph.put(one, graph.fresh(one), self.damping)
                left -= 1
            for one in {other for sent in chosen for other in graph.fed_by(sent)} | set(chosen):
                news[one] = graph.fresh(one)
                heapq.heappush(heap, (-graph.gap(one, news[one]), one))
        return self.max_iter, not heap


class _Messages:
    """The factor graph of a model with its evidence, and the messages from factors to variables."""

    def __init__(self, model: GraphicalModel, evidence: Mapping[str, Hashable]) -> None:
        self.states = model.states
        put_in = relevant(model.factors(), evidence)
        self.constant = float(np.prod([factor.values for factor in put_in if not factor.variables]))
        if not self.constant > 0:
            raise ValueError("the evidence is impossible under this model, so nothing follows.")
        self.factors = [factor for factor in put_in if factor.variables]
        self.edges_of: dict[str, list[_Edge]] = {name: [] for name in model.variables if name not in evidence}
        for f, factor in enumerate(self.factors):
            for axis, name in enumerate(factor.variables):
                self.edges_of[name].append(_Edge(f, axis))
        self.to_variable = {
            _Edge(f, axis): np.full(size, 1.0 / size)
            for f, factor in enumerate(self.factors)
            for axis, size in enumerate(factor.values.shape)
        }

    def variable(self, edge: _Edge) -> str:
        return self.factors[edge.factor].variables[edge.axis]

    def to_factor(self, edge: _Edge) -> np.ndarray:
        """What a variable tells a factor: the product of what all its other factors say."""
        name = self.variable(edge)
        found = np.ones(len(self.states[name]))
        for other in self.edges_of[name]:
            if other != edge:
                found = _scaled(found * self.to_variable[other])
        return found

    def fresh(self, edge: _Edge) -> np.ndarray:
        """What a factor tells a variable now."""
        factor = self.factors[edge.factor]
        values = factor.values
        for axis in range(values.ndim):
            if axis != edge.axis:
                shape = [1] * values.ndim
                shape[axis] = -1
                values = values * self.to_factor(_Edge(edge.factor, axis)).reshape(shape)
        return _scaled(values.sum(axis=tuple(a for a in range(values.ndim) if a != edge.axis)))

    def put(self, edge: _Edge, message: np.ndarray, damping: float) -> float:
        """Send a message; how far it is from the last one."""
        gap = self.gap(edge, message)
        self.to_variable[edge] = damping * self.to_variable[edge] + (1 - damping) * message
        return gap

    def gap(self, edge: _Edge, message: np.ndarray) -> float:
        return float(np.abs(message - self.to_variable[edge]).max())

    def send(self, edge: _Edge, up: bool, damping: float) -> None:
        if up:
            self.put(edge, self.fresh(edge), damping)

    def told(self, edge: _Edge, up: bool) -> Message:
        name, factor = self.variable(edge), self.factors[edge.factor]
        label = "(" + ", ".join(factor.variables) + ")"
        return Message(label, name, self.to_variable[edge]) if up else Message(name, label, self.to_factor(edge))

    def fed_by(self, edge: _Edge) -> list[_Edge]:
        """Messages that the one along this edge goes into."""
        return [
            _Edge(other.factor, axis)
            for other in self.edges_of[self.variable(edge)]
            if other.factor != edge.factor
            for axis in range(self.factors[other.factor].values.ndim)
            if axis != other.axis
        ]

    def around(self, edge: _Edge, depth: int) -> list[_Edge]:
        """The messages of a tree about a variable, inwards and then out again."""
        root = self.variable(edge)
        seen, ring, inwards, outwards = {root}, [root], [], []
        for _ in range(depth):
            further = []
            for name in ring:
                for one in self.edges_of[name]:
                    inwards.append(one)
                    for axis, other in enumerate(self.factors[one.factor].variables):
                        if other not in seen:
                            seen.add(other)
                            further.append(other)
                            outwards.append(_Edge(one.factor, axis))
            ring = further
        return inwards[::-1] + outwards

    def sweeps(self) -> list[tuple[_Edge, bool]] | None:
        """Messages from the leaves to a root of each part and back; None if there is a circle."""
        order: list[tuple[_Edge, bool]] = []
        seen_names: set[str] = set()
        seen_factors: set[int] = set()
        for root in self.edges_of:
            if root in seen_names:
                continue
            seen_names.add(root)
            inwards: list[tuple[_Edge, bool]] = []
            waiting: list[tuple[str, int]] = [(root, -1)]
            while waiting:
                name, came_by = waiting.pop()
                for edge in self.edges_of[name]:
                    if edge.factor == came_by:
                        continue
                    if edge.factor in seen_factors:
                        return None
                    seen_factors.add(edge.factor)
                    inwards.append((edge, True))
                    for axis, other in enumerate(self.factors[edge.factor].variables):
                        if axis == edge.axis:
                            continue
                        if other in seen_names:
                            return None
                        seen_names.add(other)
                        inwards.append((_Edge(edge.factor, axis), False))
                        waiting.append((other, edge.factor))
            order += inwards[::-1] + [(edge, not up) for edge, up in inwards]
        return order

    def belief(self, name: str) -> Factor:
        """P(variable), up to what the messages know."""
        found = np.ones(len(self.states[name]))
        for edge in self.edges_of[name]:
            found = found * self.to_variable[edge]
            found = _scaled(found)
        return Factor([name], found, {name: self.states[name]}).normalized()

    def factor_belief(self, f: int) -> Factor:
        """P of a factor's variables."""
        factor = self.factors[f]
        values = factor.values
        for axis in range(values.ndim):
            shape = [1] * values.ndim
            shape[axis] = -1
            values = values * self.to_factor(_Edge(f, axis)).reshape(shape)
        return Factor(factor.variables, values, factor.states).normalized()

    def bethe(self) -> float:
        """ln Z as Bethe's free energy has it, exact on trees."""
        total = float(np.log(self.constant))
        for f, factor in enumerate(self.factors):
            belief = self.factor_belief(f).values
            on = belief > 0
            total += float((belief[on] * (np.log(factor.values[on]) - np.log(belief[on]))).sum())
        for name, edges in self.edges_of.items():
            belief = self.belief(name).values
            on = belief > 0
            total += (len(edges) - 1) * float((belief[on] * np.log(belief[on])).sum())
        return float(total)


def _scaled(values: np.ndarray) -> np.ndarray:
    total = values.sum()
    if not total > 0:
        raise ValueError("the evidence is impossible under this model, so nothing follows: a message is 0 everywhere.")
    return np.asarray(values / total)
