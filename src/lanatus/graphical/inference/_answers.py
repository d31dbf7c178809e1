"""The one door to inference, for every model."""

from abc import abstractmethod
from collections.abc import Hashable, Mapping
from typing import Any

from lanatus.graphical.factors._factor import Factor
from lanatus.graphical.inference._elimination import VariableElimination, enumerate_query
from lanatus.graphical.inference._junction_tree import JunctionTree, Marginals
from lanatus.params import check_choice

METHODS = (
    "elimination",
    "junction-tree",
    "enumeration",
    "belief-propagation",
    "loopy",
    "mean-field",
    "likelihood-weighting",
    "rejection",
    "gibbs",
)


class Answering:
    """Of a model that answers questions."""

    variables: tuple[str, ...]
    states: dict[str, tuple[Hashable, ...]]

    @abstractmethod
    def factors(self) -> list[Factor]:
        """Factors whose product is proportional to the joint distribution."""

    def infer(
        self, query: Any, evidence: Mapping[str, Hashable] | None = None, *, method: str = "elimination", **options: Any
    ) -> Factor:
        """P(query | evidence), exactly or about.

        Parameters
        ----------
        query : str or sequence of str
            The variables asked for.
        evidence : mapping of str to state, optional
            What is known.
        method : str, default="elimination"
            Exact: "elimination", "junction-tree", "enumeration", "belief-propagation" (of trees). About: "loopy",
            "mean-field", "likelihood-weighting", "rejection", "gibbs" (the last three draw samples).
        **options : Any
            Given to the method.

        Returns
        -------
        Factor
            Over the variables asked for, with sum 1.
        """
        check_choice("method", method, METHODS)
        if method == "enumeration":
            return enumerate_query(self, query, evidence)
        if method in ("elimination", "junction-tree"):
            asked = VariableElimination if method == "elimination" else JunctionTree
            return asked(self, **options).query(query, evidence)
        return _approximate(self, method, query, evidence, options)

    def marginals(self, evidence: Any = None) -> Marginals:
        """P(state | evidence) of all variables at once, for each row of evidence."""
        return self.junction_tree().marginals(evidence)

    def most_probable(self, evidence: Mapping[str, Hashable] | None = None) -> dict[str, Hashable]:
        """The likeliest states of all variables together, given the evidence."""
        return self.junction_tree().most_probable(evidence)[0][0]

    def junction_tree(self) -> JunctionTree:
        """The model compiled for many questions."""
        return JunctionTree(self)


def _approximate(
    model: Any, method: str, query: Any, evidence: Mapping[str, Hashable] | None, options: dict[str, Any]
) -> Factor:
    if method in ("belief-propagation", "loopy"):
        from lanatus.graphical.inference._belief_propagation import BeliefPropagation

        return BeliefPropagation(model, loopy=method == "loopy", **options).query(query, evidence)
    if method == "mean-field":
        from lanatus.graphical.inference._mean_field import MeanField

        return MeanField(model, **options).query(query, evidence)
    from lanatus.graphical.inference import _sampled

    asked: dict[str, Any] = {
        "likelihood-weighting": _sampled.likelihood_weighting,
        "rejection": _sampled.rejection_query,
        "gibbs": _sampled.gibbs_query,
    }
    found: Factor = asked[method](model, query, evidence, **options)
    return found
