"""What is asked of a model, checked once for all methods."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lanatus.graphical.factors._factor import Factor, States


class GraphicalModel(Protocol):
    """What inference needs to know of a model: its variables, their states, and factors whose product is proportional
    to the joint distribution."""

    variables: tuple[str, ...]
    states: dict[str, tuple[Hashable, ...]]

    def factors(self) -> list[Factor]:
        """The factors."""


@dataclass(frozen=True)
class Question:
    """Variables asked for, and what is known: states, and weights of states where the evidence is soft."""

    query: tuple[str, ...]
    evidence: dict[str, Hashable]

    @classmethod
    def of(cls, model: GraphicalModel, query: Any, evidence: Mapping[str, Hashable] | None) -> "Question":
        """Names and states looked up in the model."""
        names = (query,) if isinstance(query, str) else tuple(query)
        known = dict(evidence or {})
        for name in (*names, *known):
            if name in model.variables and name not in model.states:
                raise ValueError(f"the states of {name!r} are not known yet; give its table, or learn it.")
            if name not in model.states:
                raise ValueError(f"there is no variable {name!r}; there are {list(model.variables)[:12]}.")
        if len(set(names)) != len(names):
            raise ValueError(f"each variable is asked for once; got {list(names)}.")
        if both := [name for name in names if name in known]:
            raise ValueError(f"{both[0]} is asked for and given as evidence.")
        for name, state in known.items():
            require_state(model.states, name, state)
        return cls(names, known)


def require_state(states: States, name: str, state: Hashable) -> int:
    """The place of a state, or an error that names those there are."""
    try:
        return list(states[name]).index(state)
    except ValueError:
        raise ValueError(f"{name} has no state {state!r}; it has {list(states[name])[:8]}.") from None


def relevant(factors: Sequence[Factor], evidence: Mapping[str, Hashable]) -> list[Factor]:
    """The factors with the evidence put in."""
    return [factor.reduce(evidence) if evidence.keys() & set(factor.variables) else factor for factor in factors]


def needed_parents(parents: Mapping[str, Sequence[str]], names: Iterable[str]) -> set[str]:
    """These variables of a directed model and all that they descend from; the rest sums to 1 and is left out."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += parents[name]
    return found
