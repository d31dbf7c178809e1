"""Networks that go on from moment to moment."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.graphical.factors._factor import Factor, product
from lanatus.graphical.graphs._directed import parents_of
from lanatus.graphical.inference._elimination import VariableElimination
from lanatus.graphical.inference._junction_tree import JunctionTree
from lanatus.graphical.markov._markov_network import MarkovNetwork
from lanatus.graphical.networks._bayesian_network import BayesianNetwork
from lanatus.graphical.networks._coded import column_values
from lanatus.params import check_integer

Evidence = Sequence[Mapping[str, Hashable]]


@method(
    "graphical.dynamic-bayesian-network",
    section="14.1",
    task="sequences",
    kind="model",
    en="Dynamic Bayesian network",
    zh="动态贝叶斯网",
    peers=["pgmpy:DynamicBayesianNetwork"],
)
class DynamicBayesianNetwork:
    r"""A Bayesian network of the variables of each moment, whose parents are of the same moment or of the one before.

    :math:`P(x_1, \ldots, x_T) = P(x_1) \prod_{t > 1} P(x_t \mid x_{t-1})`, where each factor is a network: one for the
    first moment, and one that is the same for all others. A hidden Markov model is one with two variables.

    Book: section 14.1 (the hidden Markov model is the simplest dynamic Bayesian network). Cost: filtering, a step takes
    elimination in two moments; smoothing, a junction tree of all moments.

    Parameters
    ----------
    edges : iterable of (str, str), default=()
        Edges within a moment.
    steps : iterable of (str, str), default=()
        Edges from a variable to one of the next moment.
    states : mapping of str to sequence
        The states of each variable.
    initial : mapping of str to array, optional
        Tables of the first moment, as of `BayesianNetwork`: an axis a parent within the moment, the last one its own.
    transition : mapping of str to array, optional
        Tables of the other moments: an axis for each parent before (in the order of `steps`), for each within the
        moment, and a last one its own. Of a variable without parents before it the one of `initial` is taken.

    Attributes
    ----------
    variables : tuple of str
    initial : BayesianNetwork, of the first moment
    transition : BayesianNetwork, of a later one; ``x[-1]`` is the variable x a moment before

    Examples
    --------
    >>> from lanatus.graphical import DynamicBayesianNetwork
    >>> weather = DynamicBayesianNetwork(
    ...     [("rain", "umbrella")], [("rain", "rain")], states={"rain": ["yes", "no"], "umbrella": ["yes", "no"]},
    ...     initial={"rain": [0.5, 0.5], "umbrella": [[0.9, 0.1], [0.2, 0.8]]},
    ...     transition={"rain": [[0.7, 0.3], [0.3, 0.7]]},
    ... )
    >>> days = weather.filter([{"umbrella": "yes"}, {"umbrella": "yes"}])
    >>> [round(float(day["rain"].values[0]), 3) for day in days]
    [0.818, 0.883]

    References
    ----------
    Dean and Kanazawa (1989), A model for reasoning about persistence and causation. Murphy (2002), Dynamic Bayesian
    networks.
    """

    def __init__(
        self,
        edges: Iterable[tuple[str, str]] = (),
        steps: Iterable[tuple[str, str]] = (),
        *,
        states: Mapping[str, Sequence[Hashable]],
        initial: Mapping[str, Any] | None = None,
        transition: Mapping[str, Any] | None = None,
    ) -> None:
        self.variables = tuple(states)
        self.steps = [(str(parent), str(child)) for parent, child in steps]
        if len(set(self.steps)) < len(self.steps):
            raise ValueError("a step is named twice.")
        within = dict.fromkeys(self.variables, ()) | parents_of(list(edges))
        if unknown := ({name for step in self.steps for name in step} | set(within)) - set(self.variables):
            raise ValueError(f"edges name {sorted(unknown)}, of which no states are given.")
        self.initial = BayesianNetwork(within, states=states, nodes=self.variables)
        before = {name: [before_of(p) for p, child in self.steps if child == name] for name in self.variables}
        parents = {name: [*before[name], *within[name]] for name in self.variables}
        earlier = list(dict.fromkeys(before_of(parent) for parent, _ in self.steps))
        both = dict(states) | {before_of(parent): states[parent] for parent, _ in self.steps}
        self.transition = BayesianNetwork(parents, states=both, nodes=[*earlier, *self.variables])
        if initial is not None:
            self.initial.set_tables(initial)
            given = {name: initial[name] for name in initial if not before[name]} | dict(transition or {})
            self.transition.set_tables(given)

    @property
    def interface(self) -> list[str]:
        """The variables that the next moment depends on."""
        return list(dict.fromkeys(parent for parent, _ in self.steps))

    # ---------------------------------------------------------------- learning

    def fit(self, sequences: Sequence[Any], *, alpha: float = 0.0) -> Self:
        """Learn all tables by counting.

        Parameters
        ----------
        sequences : sequence of frames or of mappings of columns
            A row a moment; missing values are left out family by family.
        alpha : float, default=0.0
            Added to every count.
        """
        if not len(sequences):
            raise ValueError("no sequence was given; wanted one at least.")
        first: dict[str, list[Any]] = {name: [] for name in self.variables}
        later: dict[str, list[Any]] = {name: [] for name in self.transition.variables}
        for sequence in sequences:
            columns = {name: column_values(sequence, name).tolist() for name in self.variables}
            for name, values in columns.items():
                first[name] += values[:1]
                later[name] += values[1:]
                if before_of(name) in later:
                    later[before_of(name)] += values[:-1]
        if not first[self.variables[0]]:
            raise ValueError("all sequences are empty.")
        self.initial.fit_parameters(first, alpha=alpha)
        if later[self.variables[0]]:
            self.transition.fit_parameters(later, alpha=alpha)
        else:
            self.transition.set_tables({name: _even(self.transition, name) for name in self.variables})
        # A variable that does not depend on the moment before is the same in all of them.
        alone = [name for name in self.variables if not any(child == name for _, child in self.steps)]
        if alone:
            pooled = {name: first[name] + later[name] for name in self.variables}
            tables = BayesianNetwork(self.initial.parents, states=self.initial.states, nodes=self.variables)
            tables.fit_parameters(pooled, alpha=alpha)
            for name in alone:
                self.initial.cpts[name] = self.transition.cpts[name] = tables.cpts[name]
        return self

    # ---------------------------------------------------------------- questions

    def unroll(self, n_moments: int) -> BayesianNetwork:
        """The network of so many moments; ``x[2]`` is the variable x of the third.

        Parameters
        ----------
        n_moments : int
            How many.
        """
        n = check_integer("n_moments", n_moments, 1)
        parents: dict[str, list[str]] = {}
        tables, states = {}, {}
        for t in range(n):
            model = self.initial if t == 0 else self.transition
            for name in self.variables:
                parents[f"{name}[{t}]"] = [_at(parent, t) for parent in model.parents[name]]
                tables[f"{name}[{t}]"] = model.cpt(name).values
                states[f"{name}[{t}]"] = self.initial.states[name]
        return BayesianNetwork(parents, tables, states=states, nodes=list(parents))

    def filter(self, evidence: Evidence) -> list[dict[str, Factor]]:
        """P of each variable at each moment, given what was seen until then.

        Parameters
        ----------
        evidence : sequence of mapping of str to state
            What is seen at each moment; an empty mapping says nothing.
        """
        found, _ = self._forward(evidence, answers=True)
        return found

    def log_likelihood(self, evidence: Evidence) -> float:
        """ln P of what was seen.

        Parameters
        ----------
        evidence : sequence of mapping of str to state
            What is seen at each moment.
        """
        return self._forward(evidence, answers=False)[1]

    def predict(self, evidence: Evidence, n_ahead: int = 1) -> list[dict[str, Factor]]:
        """P of each variable at moments to come.

        Parameters
        ----------
        evidence : sequence of mapping of str to state
            What was seen at each moment so far.
        n_ahead : int, default=1
            How many moments to come.
        """
        ahead = check_integer("n_ahead", n_ahead, 1)
        return self.filter([*evidence, *({} for _ in range(ahead))])[len(evidence) :]

    def smooth(self, evidence: Evidence) -> list[dict[str, Factor]]:
        """P of each variable at each moment, given all that was seen.

        Parameters
        ----------
        evidence : sequence of mapping of str to state
            What is seen at each moment.
        """
        net, known = self._unrolled(evidence)
        of = JunctionTree(net).marginals(known).of
        return [
            {
                name: Factor([name], of[_at(name, t)][0], {name: self.initial.states[name]})
                for name in self.variables
                if name not in seen
            }
            for t, seen in enumerate(evidence)
        ]

    def most_probable(self, evidence: Evidence) -> list[dict[str, Hashable]]:
        """The likeliest states of all variables at all moments together.

        Parameters
        ----------
        evidence : sequence of mapping of str to state
            What is seen at each moment.
        """
        net, known = self._unrolled(evidence)
        best = JunctionTree(net).most_probable(known)[0][0]
        return [{name: best[_at(name, t)] for name in self.variables} for t in range(len(evidence))]

    def sample(self, n_moments: int, *, random_state: Any = None) -> Any:
        """One sequence, as a pandas frame.

        Parameters
        ----------
        n_moments : int
            How long.
        random_state : int, RandomState or None, default=None
            Draws it.
        """
        import pandas as pd

        n, rng = check_integer("n_moments", n_moments, 1), check_random_state(random_state)
        codes = {name: int(column[0]) for name, column in self.initial.sample_codes(1, rng).items()}
        rows = [codes]
        for _ in range(n - 1):
            fixed = {before_of(name): codes[name] for name in self.interface}
            drawn = self.transition.sample_codes(1, rng, fixed)
            codes = {name: int(drawn[name][0]) for name in self.variables}
            rows.append(codes)
        return pd.DataFrame({name: [self.initial.states[name][row[name]] for row in rows] for name in self.variables})

    def _unrolled(self, evidence: Evidence) -> tuple[BayesianNetwork, dict[str, Hashable]]:
        if not len(evidence):
            raise ValueError("no moment was given; wanted one at least.")
        self._require_known(evidence)
        known = {_at(name, t): state for t, seen in enumerate(evidence) for name, state in seen.items()}
        return self.unroll(len(evidence)), known

    def _require_known(self, evidence: Evidence) -> None:
        for t, seen in enumerate(evidence):
            if wrong := [name for name in seen if name not in self.variables]:
                raise ValueError(f"{wrong[0]!r} of moment {t} is no variable: {list(self.variables)}.")

    def _forward(self, evidence: Evidence, *, answers: bool) -> tuple[list[dict[str, Factor]], float]:
        self._require_known(evidence)
        found: list[dict[str, Factor]] = []
        total, belief = 0.0, None
        for t, seen in enumerate(evidence):
            if belief is None:
                factors = self.initial.factors()
            else:
                factors = [belief, *(self.transition.cpt(name) for name in self.variables)]
            moment = MarkovNetwork(factors)
            asked = VariableElimination(moment)
            chance = asked.evidence_probability(seen)
            if not chance > 0:
                raise ValueError(f"what was seen until moment {t} is impossible: {dict(seen)}.")
            total += float(np.log(chance))
            if answers:
                of = JunctionTree(moment).marginals(dict(seen)).of
                found.append({
                    name: Factor([name], of[name][0], {name: self.initial.states[name]})
                    for name in self.variables if name not in seen
                })  # fmt: skip
            belief = self._belief(asked, seen)
        return found, total

    def _belief(self, asked: VariableElimination, seen: Mapping[str, Hashable]) -> Factor:
        """The joint distribution of what the next moment depends on, under its names there."""
        free = [name for name in self.interface if name not in seen]
        parts = [asked.query(free, dict(seen))] if free else []
        for name in self.interface:
            if name in seen:
                states = self.initial.states[name]
                parts.append(Factor([name], [float(state == seen[name]) for state in states], {name: states}))
        if not parts:
            return Factor((), np.ones(()), {})
        whole = product(parts)
        names = [before_of(name) for name in whole.variables]
        return Factor(names, whole.values, {before_of(name): whole.states[name] for name in whole.variables})


def before_of(name: str) -> str:
    """The name of a variable a moment before."""
    return f"{name}[-1]"


def _at(name: str, t: int) -> str:
    """The name of a variable of a moment, or of the one before it, among all moments."""
    return f"{name[: -len('[-1]')]}[{t - 1}]" if name.endswith("[-1]") else f"{name}[{t}]"


def _even(net: BayesianNetwork, name: str) -> np.ndarray:
    shape = [len(net.states[one]) for one in (*net.parents[name], name)]
    return np.full(shape, 1 / shape[-1])
