"""Exact answers to many questions by one tree of cliques."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lanatus._core import graphical as kernels
from lanatus.base import aligned, n_threads
from lanatus.catalog import method
from lanatus.graphical.factors._factor import Factor, product, require_affordable
from lanatus.graphical.factors._orders import elimination_order, neighbours_of
from lanatus.graphical.inference._elimination import VariableElimination
from lanatus.graphical.inference._question import GraphicalModel, Question, require_state


class Clique(NamedTuple):
    """Variables, the clique that its messages go to (-1 for none), and what both share."""

    variables: tuple[str, ...]
    parent: int
    separator: tuple[str, ...]


class Marginals(NamedTuple):
    """P(state | evidence) of every variable, and ln P(evidence), for each row of evidence.

    Attributes
    ----------
    of : dict of str to ndarray of shape (n_rows, n_states)
    log_evidence : ndarray of shape (n_rows,), -inf where the evidence is impossible, and the probabilities 0
    """

    of: dict[str, np.ndarray]
    log_evidence: np.ndarray


@method(
    "graphical.junction-tree",
    section="14.7",
    task="inference",
    kind="model",
    en="Junction tree",
    zh="联合树",
    peers=["pgmpy:JunctionTree", "pyagrum:LazyPropagation"],
)
class JunctionTree:
    r"""Exact inference for many questions: the model is compiled once to a tree of cliques, then two sweeps answer all.

    The graph of the factors is triangulated by eliminating variables; its maximal cliques are joined to the tree with
    the largest separators, and each factor is multiplied into one of them. Messages from the leaves to a root and
    back, :math:`m_{ij} = \sum_{c_i \setminus s_{ij}} \psi_i \prod_{k \ne j} m_{ki}`, leave in each clique the joint
    distribution of its variables. Where the model is a tree this is belief propagation.

    Book: section 14.7. Kernel: ``cpp/graphical/junction_tree.hpp``. Cost: to compile, once, and then two passes over
    the tables of all cliques for each row of evidence; these are exponential in the size of the largest clique.

    Parameters
    ----------
    model : BayesianNetwork, MarkovNetwork or FactorGraph
        The model, whose probabilities are taken as they are now.
    order : {"min-fill", "min-weight", "min-neighbors", "min-size"} or None, default=None
        How variables are eliminated; None takes the better one of the first two.

    Attributes
    ----------
    cliques_ : list of Clique, parents before their children
    log_normalizer_ : float, logarithm of the sum of the product of all factors: 0 of a Bayesian network

    Examples
    --------
    >>> from lanatus.graphical import JunctionTree, load_watermelon_network
    >>> tree = JunctionTree(load_watermelon_network())
    >>> [clique.variables for clique in tree.cliques_]
    [('好瓜', '甜度', '色泽'), ('好瓜', '敲声'), ('甜度', '根蒂')]

    References
    ----------
    Lauritzen and Spiegelhalter (1988), Local computations with probabilities on graphical structures.
    """

    def __init__(self, model: GraphicalModel, *, order: str | None = None) -> None:
        self.model = model
        self.order = order
        self._factors = model.factors()
        self._sizes = {name: len(model.states[name]) for name in model.variables}
        self.cliques_ = self._built()
        self._tree = self._compiled()
        nothing = np.full((1, len(model.variables)), -1, dtype=np.int32)
        self.log_normalizer_ = float(self._tree.log_evidence(nothing, n_threads=1)[0])

    # ---------------------------------------------------------------- the tree

    def _built(self) -> list[Clique]:
        near = neighbours_of((factor.variables for factor in self._factors), self.model.variables)
        orders = ("min-fill", "min-weight") if self.order is None else (self.order,)
        tried = [elimination_order(near, self._sizes, self.model.variables, order)[1] for order in orders]
        cliques = min((_maximal(found) for found in tried), key=self._entries)
        for clique in cliques:
            require_affordable(sorted(clique), (self._sizes[name] for name in clique))
        return self._joined(cliques)

    def _entries(self, cliques: Sequence[set[str]]) -> float:
        return float(sum(np.prod([float(self._sizes[name]) for name in clique]) for clique in cliques))

    def _joined(self, cliques: Sequence[set[str]]) -> list[Clique]:
        """The tree with the largest separators, grown from the first clique on, as Prim's algorithm goes."""
        place = {name: i for i, name in enumerate(self.model.variables)}
        left = list(range(1, len(cliques)))
        numbers, chosen = {0: 0}, [Clique(_ordered(cliques[0], place), -1, ())]
        best = {one: (len(cliques[one] & cliques[0]), 0) for one in left}
        while left:
            one = max(left, key=lambda c: (best[c][0], -c))
            shared, parent = best[one]
            separator = _ordered(cliques[one] & cliques[parent], place) if shared else ()
            numbers[one] = len(chosen)
            chosen.append(Clique(_ordered(cliques[one], place), numbers[parent] if shared else -1, separator))
            left.remove(one)
            for other in left:
                if (common := len(cliques[other] & cliques[one])) > best[other][0]:
                    best[other] = (common, one)
        return chosen

    def _compiled(self) -> Any:
        own: list[list[Factor]] = [[] for _ in self.cliques_]
        sets = [set(clique.variables) for clique in self.cliques_]
        for factor in self._factors:
            own[next(c for c, names in enumerate(sets) if names >= set(factor.variables))].append(factor)
        tables = [self._table(clique, factors) for clique, factors in zip(self.cliques_, own, strict=True)]
        up = [self._places(clique.variables, clique.separator) for clique in self.cliques_]
        down = [
            self._places(self.cliques_[clique.parent].variables, clique.separator)
            if clique.parent >= 0
            else np.zeros(0, np.int32)
            for clique in self.cliques_
        ]
        self._home = {
            name: min((c for c, names in enumerate(sets) if name in names), key=lambda c: tables[c].size)
            for name in self.model.variables
        }
        strides = [self._stride(self.cliques_[self._home[name]].variables, name) for name in self.model.variables]
        return kernels.JunctionTree(
            start=_starts(tables),
            potentials=aligned(np.concatenate(tables)),
            parent=np.array([clique.parent for clique in self.cliques_], dtype=np.int32),
            separator=np.array([self._n_entries(clique.separator) for clique in self.cliques_], dtype=np.int32),
            up=aligned(np.concatenate(up)),
            down_start=_starts(down),
            down=aligned(np.concatenate(down)),
            state_start=np.concatenate([[0], np.cumsum(list(self._sizes.values()))]).astype(np.int64),
            home=np.array([self._home[name] for name in self.model.variables], dtype=np.int32),
            stride=np.array(strides, dtype=np.int32),
        )

    def _table(self, clique: Clique, factors: Sequence[Factor]) -> np.ndarray:
        states = {name: self.model.states[name] for name in clique.variables}
        shape = tuple(self._sizes[name] for name in clique.variables)
        one = Factor._of(clique.variables, np.ones(shape), states)
        return product([one, *factors]).ordered(clique.variables).values.ravel()

    def _n_entries(self, names: Sequence[str]) -> int:
        return int(np.prod([self._sizes[name] for name in names], dtype=np.int64))

    def _stride(self, variables: Sequence[str], name: str) -> int:
        return self._n_entries(variables[variables.index(name) + 1 :])

    def _places(self, variables: Sequence[str], kept: Sequence[str]) -> np.ndarray:
        """For each entry of a table, the entry of the table over some of its variables that it belongs to."""
        places = np.zeros([self._sizes[name] for name in variables], dtype=np.int32)
        for name in kept:
            shape = [self._sizes[one] if one == name else 1 for one in variables]
            places += (np.arange(self._sizes[name], dtype=np.int32) * np.int32(self._stride(kept, name))).reshape(shape)
        return places.ravel()

    # ---------------------------------------------------------------- answers

    def query(self, query: Any, evidence: Mapping[str, Hashable] | None = None) -> Factor:
        """P(query | evidence), as a factor that sums to 1.

        Parameters
        ----------
        query : str or sequence of str
            The variables asked for; of several that share no clique the joint distribution is summed out afresh.
        evidence : mapping of str to state, optional
            What is known.
        """
        question = Question.of(self.model, query, evidence)
        if len(question.query) != 1:
            return VariableElimination(self.model).query(question.query, question.evidence)
        found = self.marginals(question.evidence)
        if np.isneginf(found.log_evidence[0]):
            raise ValueError(f"the evidence {question.evidence} is impossible under this model, so nothing follows.")
        name = question.query[0]
        return Factor._of([name], found.of[name][0], self.model.states)

    def marginals(self, evidence: Any = None) -> Marginals:
        """P(state | evidence) of all variables at once.

        Parameters
        ----------
        evidence : mapping, frame or sequence of mappings, optional
            What is known; of a frame with a column for some variables a row is a question, and a missing value says
            nothing.
        """
        codes = self.coded(evidence)
        values, log_evidence = self._tree.marginals(codes, n_threads=n_threads())
        cut = np.cumsum(list(self._sizes.values()))[:-1]
        parts = np.split(values, cut, axis=1)
        return Marginals(dict(zip(self.model.variables, parts, strict=True)), log_evidence - self.log_normalizer_)

    def log_evidence(self, evidence: Any) -> np.ndarray:
        """ln P(evidence) of each row."""
        return self._tree.log_evidence(self.coded(evidence), n_threads=n_threads()) - self.log_normalizer_

    def most_probable(self, evidence: Any = None) -> tuple[list[dict[str, Hashable]], np.ndarray]:
        """The likeliest states of all variables for each row of evidence, and ln P of them with the evidence.

        Of equal ones the first is taken, clique by clique from the root.
        """
        codes, log_product = self._tree.most_probable(self.coded(evidence), n_threads=n_threads())
        if np.isneginf(log_product).any():
            raise ValueError(f"row {int(np.isneginf(log_product).argmax())} of the evidence is impossible.")
        named = [
            {name: self.model.states[name][code] for name, code in zip(self.model.variables, row, strict=True)}
            for row in codes.tolist()
        ]
        return named, log_product - self.log_normalizer_

    def coded(self, evidence: Any) -> np.ndarray:
        """Evidence as codes of states, a column a variable, -1 where nothing is known."""
        if isinstance(evidence, np.ndarray) and evidence.dtype == np.int32 and evidence.ndim == 2:
            return aligned(evidence)
        if evidence is None or isinstance(evidence, Mapping):
            evidence = [evidence or {}]
        if hasattr(evidence, "columns"):
            return code_frame(evidence, self.model.variables, self.model.states)
        place = {name: i for i, name in enumerate(self.model.variables)}
        codes = np.full((len(evidence), len(place)), -1, dtype=np.int32)
        for row, known in zip(codes, evidence, strict=True):
            for name, state in Question.of(self.model, (), known).evidence.items():
                row[place[name]] = require_state(self.model.states, name, state)
        return codes

    def expected_counts(
        self, codes: np.ndarray, families: Sequence[tuple[str, ...]], weights: np.ndarray | None = None
    ) -> tuple[list[np.ndarray], float]:
        """Expected counts of the states of each family, summed over rows, and the log-likelihood of the rows.

        Each family must lie in one clique, as that of a factor does.
        """
        sets = [set(clique.variables) for clique in self.cliques_]
        homes = [next(c for c, names in enumerate(sets) if names >= set(family)) for family in families]
        places = [self._places(self.cliques_[c].variables, family) for c, family in zip(homes, families, strict=True)]
        sizes = [self._n_entries(family) for family in families]
        counts, likelihood = self._tree.expected_counts(
            aligned(codes),
            weights,
            np.array(homes, dtype=np.int32),
            _starts(places),
            aligned(np.concatenate(places)),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            n_threads=n_threads(),
        )
        parts = np.split(counts, np.cumsum(sizes)[:-1])
        shapes = [[self._sizes[name] for name in family] for family in families]
        total = len(codes) if weights is None else weights.sum()
        return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)], float(
            likelihood - total * self.log_normalizer_
        )


def code_frame(frame: Any, variables: Sequence[str], states: Mapping[str, Sequence[Hashable]]) -> np.ndarray:
    """A frame's cells as codes of states, -1 where a value is missing or a variable has no column."""
    codes = np.full((len(frame), len(variables)), -1, dtype=np.int32)
    columns = {str(name): name for name in _names(frame)}
    if unknown := [name for name in columns if name not in states]:
        raise ValueError(f"the model has no variable {unknown[0]!r}; it has {list(variables)[:12]}.")
    for j, name in enumerate(variables):
        if name in columns:
            codes[:, j] = code_column(frame[columns[name]], name, states[name])
    return codes


def code_column(column: Any, name: str, states: Sequence[Hashable]) -> np.ndarray:
    """Codes of one column."""
    values = column.to_pylist() if hasattr(column, "to_pylist") else column.to_numpy(dtype=object).tolist()
    place: dict[Any, int] = {state: code for code, state in enumerate(states)}
    known = [None if value is None or value != value or type(value).__name__ == "NAType" else value for value in values]
    if unseen := {value for value in known if value is not None and value not in place}:
        raise ValueError(f"column {name!r} has {unseen.pop()!r}, which is no state of it: {list(states)[:8]}.")
    return np.array([-1 if value is None else place[value] for value in known], dtype=np.int32)


def _names(frame: Any) -> list[Any]:
    return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)


def _maximal(cliques: Sequence[set[str]]) -> list[set[str]]:
    """Cliques that lie in no other."""
    found: list[set[str]] = []
    for clique in sorted(cliques, key=len, reverse=True):
        if not any(clique <= other for other in found):
            found.append(clique)
    return found


def _ordered(names: set[str], place: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(sorted(names, key=place.__getitem__))


def _starts(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
