"""Exact answers by summing variables out one after the other, or over all at once."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lanatus.catalog import method
from lanatus.graphical.factors._factor import Factor, product, require_affordable
from lanatus.graphical.factors._orders import ORDERS, elimination_order, neighbours_of
from lanatus.graphical.inference._question import GraphicalModel, Question, needed_parents, relevant
from lanatus.params import check_choice


@dataclass(frozen=True)
class Elimination:
    """One variable summed out: from which factors, and the message that is left.

    Attributes
    ----------
    variable : str
    scopes : list of tuple of str, the variables of the factors that were multiplied
    message : Factor, the sum
    """

    variable: str
    scopes: list[tuple[str, ...]]
    message: Factor


@method(
    "graphical.variable-elimination",
    section="14.4.1",
    task="inference",
    kind="model",
    en="Variable elimination",
    zh="变量消去",
    peers=["pgmpy:VariableElimination"],
)
class VariableElimination:
    r"""Exact inference by summing out one variable after the other.

    Of all factors that hold :math:`x_i` only the product is summed over it, :math:`m_i = \sum_{x_i} \prod_{k \ni i}
    \psi_k` (14.15)-(14.18); the message takes their place. Variables of a Bayesian network that neither the question
    nor the evidence descends from are left out at once.

    Book: section 14.4.1, figure 14.7; exercise 14.6. Cost: exponential in the largest clique that the order makes.

    Parameters
    ----------
    model : BayesianNetwork, MarkovNetwork or FactorGraph
        The model.
    order : {"min-fill", "min-weight", "min-neighbors", "min-size"} or sequence of str, default="min-fill"
        How the next variable is chosen, or the variables in their order.
    prune : bool, default=True
        Whether variables that do not matter are left out before anything is summed.

    Attributes
    ----------
    steps_ : list of Elimination, what the last question summed out, and the messages

    Examples
    --------
    >>> from lanatus.graphical import MarkovNetwork, Factor, VariableElimination
    >>> ac, bc = Factor(["A", "C"], [[1.5, 0.1], [0.1, 1.5]]), Factor(["B", "C"], [[0.2, 1.3], [1.3, 0.2]])
    >>> chain = MarkovNetwork([ac, bc])
    >>> VariableElimination(chain).query("A", {"B": 0}).values.round(4).tolist()
    [0.1792, 0.8208]
    """

    def __init__(self, model: GraphicalModel, *, order: str | Sequence[str] = "min-fill", prune: bool = True) -> None:
        if isinstance(order, str):
            check_choice("order", order, ORDERS)
        self.model = model
        self.order = order
        self.prune = prune
        self.steps_: list[Elimination] = []

    def query(self, query: Any, evidence: Mapping[str, Hashable] | None = None) -> Factor:
        """P(query | evidence), as a factor that sums to 1.

        Parameters
        ----------
        query : str or sequence of str
            The variables asked for.
        evidence : mapping of str to state, optional
            What is known.
        """
        question = Question.of(self.model, query, evidence)
        return self._unnormalized(question).ordered(question.query).normalized()

    def evidence_probability(self, evidence: Mapping[str, Hashable]) -> float:
        """P(evidence); for a Markov network, of what is not normalised, the sum over all else."""
        return self._unnormalized(Question.of(self.model, (), evidence)).total()

    def _unnormalized(self, question: Question) -> Factor:
        needed = factors_needed(self.model, question) if self.prune else self.model.factors()
        factors = relevant(needed, question.evidence)
        gone = [name for name in _named(factors) if name not in question.query]
        self.steps_ = []
        for name in self._ordered(factors, gone):
            own = [factor for factor in factors if name in factor.variables]
            factors = [factor for factor in factors if name not in factor.variables]
            scope = {one: len(factor.states[one]) for factor in own for one in factor.variables}
            require_affordable(scope, scope.values())
            message = product(own).sum_out([name])
            self.steps_.append(Elimination(name, [factor.variables for factor in own], message))
            factors.append(message)
        return product(factors)

    def _ordered(self, factors: Sequence[Factor], gone: list[str]) -> list[str]:
        if not isinstance(self.order, str):
            chosen = [name for name in self.order if name in gone]
            if missing := [name for name in gone if name not in chosen]:
                raise ValueError(f"the order leaves {missing} out, which must be summed out.")
            return chosen
        sizes = {name: len(states) for factor in factors for name, states in factor.states.items()}
        near = neighbours_of((factor.variables for factor in factors), _named(factors))
        return elimination_order(near, sizes, gone, self.order)[0]


@method(
    "graphical.bn-exact-inference",
    section="7.5.3",
    task="inference",
    en="Exact inference by enumeration",
    zh="枚举精确推断",
    peers=["pgmpy:VariableElimination"],
)
def enumerate_query(model: GraphicalModel, query: Any, evidence: Mapping[str, Hashable] | None = None) -> Factor:
    r"""P(query | evidence) from the whole joint distribution, :math:`\sum_h P(q, e, h) / \sum_{q, h} P(q, e, h)`.

    Every combination of states is looked at, which is what other methods are measured by.

    Book: section 7.5.3. Cost: exponential in the number of variables.

    Parameters
    ----------
    model : BayesianNetwork, MarkovNetwork or FactorGraph
        The model.
    query : str or sequence of str
        The variables asked for.
    evidence : mapping of str to state, optional
        What is known.

    Returns
    -------
    Factor
        Over the variables asked for, with sum 1.

    Examples
    --------
    >>> from lanatus.graphical import enumerate_query, load_watermelon_network
    >>> enumerate_query(load_watermelon_network(), "甜度").values.round(3).tolist()
    [0.4, 0.6]
    """
    question = Question.of(model, query, evidence)
    left = [name for name in model.variables if name not in question.evidence]
    require_affordable(left, (len(model.states[name]) for name in left))
    joint = product(relevant(model.factors(), question.evidence))
    return joint.marginal(question.query).normalized()


def factors_needed(model: GraphicalModel, question: Question) -> list[Factor]:
    """All factors of an undirected model; of a directed one the families that the question depends on."""
    parents = getattr(model, "parents", None)
    if parents is None:
        return model.factors()
    needed = needed_parents(parents, (*question.query, *question.evidence))
    return [model.cpt(name) for name in model.variables if name in needed]  # type: ignore[attr-defined]


def _named(factors: Sequence[Factor]) -> list[str]:
    return list(dict.fromkeys(name for factor in factors for name in factor.variables))
