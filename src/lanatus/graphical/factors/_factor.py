"""A non-negative table over several discrete variables."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from lanatus.catalog import savable

States = Mapping[str, Sequence[Hashable]]

MOST_ENTRIES = 1 << 28  # of one table, 2 GiB of float64
MOST_VARIABLES = 64  # axes of a NumPy array


def require_affordable(names: Iterable[str], sizes: Iterable[int]) -> None:
    """Refuse a table that no machine holds, before anything is allocated."""
    names, entries = list(names), 1
    for size in sizes:
        entries *= int(size)
    if entries > MOST_ENTRIES or len(names) > MOST_VARIABLES:
        shown = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
        raise ValueError(
            f"a table over {len(names)} variables ({shown}) has {entries:.3g} entries; at most {MOST_ENTRIES:.3g} over "
            f"{MOST_VARIABLES} variables are held. Ask with method='loopy', 'gibbs' or 'likelihood-weighting', which "
            "need no such table, or give evidence on more variables."
        )


@savable
class Factor:
    r"""A non-negative function of a few discrete variables, as a table: a potential, a probability, a message.

    Factors are multiplied, :math:`(\psi_1 \psi_2)(x) = \psi_1(x_1) \psi_2(x_2)`, summed or maximised over variables,
    cut down to evidence and normalised; inference is little else.

    Book: section 14.2. Cost: of each operation, as many steps as the larger table has entries.

    Parameters
    ----------
    variables : sequence of str
        Their names, in the order of the axes of `values`.
    values : array
        An axis for each variable.
    states : mapping of str to sequence, optional
        The names of the states of each variable; 0, 1, ... by default.

    Attributes
    ----------
    variables : tuple of str
    values : ndarray of float64
    states : dict of str to tuple

    Examples
    --------
    >>> from lanatus.graphical import Factor
    >>> ac = Factor(["A", "C"], [[1.5, 0.1], [0.1, 1.5]])
    >>> bc = Factor(["B", "C"], [[0.2, 1.3], [1.3, 0.2]])
    >>> joint = ac * bc
    >>> round(joint.total(), 6), joint.sum_out(["C"]).normalized().values.round(4).tolist()
    (4.8, [[0.0896, 0.4104], [0.4104, 0.0896]])
    """

    def __init__(self, variables: Sequence[str], values: Any, states: States | None = None) -> None:
        self.variables = tuple(variables)
        self.values = np.asarray(values, dtype=np.float64)
        if len(set(self.variables)) != len(self.variables):
            raise ValueError(f"the variables of a factor must differ, got {list(self.variables)}.")
        if self.values.ndim != len(self.variables):
            raise ValueError(
                f"a factor of {len(self.variables)} variables needs an array with as many axes, got {self.values.ndim}."
            )
        if not (np.isfinite(self.values).all() and (self.values >= 0).all()):
            raise ValueError(f"the values of a factor must be finite and 0 or more; that of {self.variables} is not.")
        given = states or {}
        self.states = {
            name: tuple(given[name]) if name in given else tuple(range(size))
            for name, size in zip(self.variables, self.values.shape, strict=True)
        }
        for name, size in zip(self.variables, self.values.shape, strict=True):
            if len(self.states[name]) != size:
                raise ValueError(f"{name} has {len(self.states[name])} states and an axis of {size}.")

    @classmethod
    def _of(cls, variables: Sequence[str], values: np.ndarray, states: States) -> "Factor":
        """Without the checks, of what came out of checked factors."""
        self = cls.__new__(cls)
        self.variables, self.values = tuple(variables), values
        self.states = {name: tuple(states[name]) for name in self.variables}
        return self

    @property
    def cardinality(self) -> dict[str, int]:
        """Number of states of each variable."""
        return dict(zip(self.variables, self.values.shape, strict=True))

    def __mul__(self, other: "Factor") -> "Factor":
        return self._combined(other, np.multiply)

    def __truediv__(self, other: "Factor") -> "Factor":
        """The quotient, 0 where both are 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            quotient = self._combined(other, np.divide)
        quotient.values[np.isnan(quotient.values)] = 0.0
        if np.isinf(quotient.values).any():
            raise ZeroDivisionError(f"{self.variables} is divided by a factor that is 0 where it is not.")
        return quotient

    def _combined(self, other: "Factor", operation: Any) -> "Factor":
        for name in self.variables:
            if name in other.states and other.states[name] != self.states[name]:
                raise ValueError(f"two factors give {name} other states: {self.states[name]}, {other.states[name]}.")
        variables = self.variables + tuple(name for name in other.variables if name not in self.states)
        states = {**self.states, **other.states}
        require_affordable(variables, (len(states[name]) for name in variables))
        return Factor._of(variables, operation(self._spread(variables), other._spread(variables)), states)

    def _spread(self, variables: Sequence[str]) -> np.ndarray:
        """The values with an axis for each of these variables, of length 1 where a variable is not of this factor."""
        own = [name for name in variables if name in self.states]
        ordered = self.values.transpose([self.variables.index(name) for name in own])
        return ordered.reshape([len(self.states[name]) if name in self.states else 1 for name in variables])

    def ordered(self, variables: Sequence[str]) -> "Factor":
        """The same factor with its axes in this order."""
        if sorted(variables) != sorted(self.variables):
            raise ValueError(f"this factor is over {list(self.variables)}, and not {list(variables)}.")
        return Factor._of(variables, np.array(self._spread(variables), order="C"), self.states)

    def sum_out(self, variables: Iterable[str]) -> "Factor":
        """The factor summed over these variables."""
        return self._reduced(variables, np.sum)

    def max_out(self, variables: Iterable[str]) -> "Factor":
        """The largest value over these variables."""
        return self._reduced(variables, np.max)

    def marginal(self, variables: Sequence[str]) -> "Factor":
        """The factor summed over all but these variables, in this order."""
        return self.sum_out(name for name in self.variables if name not in variables).ordered(variables)

    def _reduced(self, variables: Iterable[str], operation: Any) -> "Factor":
        gone = list(variables)
        self._require_own(gone)
        values = operation(self.values, axis=tuple(self.variables.index(name) for name in gone))
        return Factor._of([name for name in self.variables if name not in gone], np.asarray(values), self.states)

    def reduce(self, evidence: Mapping[str, Hashable]) -> "Factor":
        """The factor where some variables have these states; they are no axes any more. Others are not looked at."""
        at: list[Any] = [slice(None)] * len(self.variables)
        for axis, name in enumerate(self.variables):
            if name in evidence:
                at[axis] = self.place_of(name, evidence[name])
        left = [name for name in self.variables if name not in evidence]
        return Factor._of(left, self.values[tuple(at)], self.states)

    def place_of(self, name: str, state: Hashable) -> int:
        """The place of a state among those of a variable."""
        self._require_own([name])
        try:
            return self.states[name].index(state)
        except ValueError:
            raise ValueError(f"{name} has no state {state!r}; it has {list(self.states[name])[:8]}.") from None

    def value(self, **states: Hashable) -> float:
        """The value at a state for each variable."""
        if set(states) != set(self.variables):
            raise ValueError(f"wanted a state for each of {list(self.variables)}, got {sorted(states)}.")
        return float(self.reduce(states).values)

    def total(self) -> float:
        """The sum of all values."""
        return float(self.values.sum())

    def normalized(self) -> "Factor":
        """Divided by the sum of all values."""
        total = self.values.sum()
        if not total > 0:
            raise ValueError(
                f"all values over {list(self.variables)} are 0: the evidence is impossible, so that nothing follows."
            )
        return Factor._of(self.variables, self.values / total, self.states)

    def best(self) -> dict[str, Hashable]:
        """The states of the largest value; the first where several are equal."""
        at = np.unravel_index(int(self.values.argmax()), self.values.shape)
        return {name: self.states[name][int(place)] for name, place in zip(self.variables, at, strict=True)}

    def to_dict(self) -> dict[Any, float]:
        """State -> value for one variable, tuple of states -> value for several."""
        if len(self.variables) == 1:
            return dict(zip(self.states[self.variables[0]], self.values.tolist(), strict=True))
        return {
            tuple(self.states[name][i] for name, i in zip(self.variables, at, strict=True)): float(value)
            for at, value in np.ndenumerate(self.values)
        }

    def _require_own(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.states:
                raise ValueError(f"this factor has no variable {name!r}; it has {list(self.variables)}.")

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}: {len(self.states[name])}" for name in self.variables)
        return f"Factor({sizes})"


def product(factors: Iterable[Factor]) -> Factor:
    """The product of factors, smallest first; of none, 1 over no variable."""
    result = Factor._of((), np.array(1.0), {})
    for factor in sorted(factors, key=lambda one: one.values.size):
        result = result * factor
    return result
