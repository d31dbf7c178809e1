"""Markov random fields."""

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.graphical.factors._factor import Factor, product, require_affordable
from lanatus.graphical.graphs._undirected import maximal_cliques, separates
from lanatus.graphical.inference._answers import Answering
from lanatus.graphical.inference._junction_tree import JunctionTree
from lanatus.graphical.networks._coded import coded_frame
from lanatus.graphical.networks._parameters import family_counts
from lanatus.params import check_integer, check_real


@method(
    "graphical.markov-random-field",
    "graphical.markov-network-fit",
    section="14.2",
    task="inference",
    kind="model",
    en="Markov random field",
    zh="马尔可夫随机场",
    peers=["pgmpy:DiscreteMarkovNetwork"],
)
class MarkovNetwork(Answering):
    r"""A joint distribution as a product of potentials of cliques, :math:`P(x) = \frac1Z \prod_Q \psi_Q(x_Q)` (14.2).

    Variables of one potential are joined in the graph; what separates two sets of nodes makes them independent. With
    positive potentials this is Gibbs's distribution, :math:`\psi_Q = e^{-H_Q}` (14.8).

    Book: section 14.2, figures 14.2 to 14.4. Cost: `partition` and exact questions are exponential in the largest
    clique of a triangulated graph.

    Parameters
    ----------
    factors : iterable of Factor
        The potentials.
    nodes : sequence of str, optional
        Variables in their order; by default as the factors name them.

    Attributes
    ----------
    variables : tuple of str, the variables
    states : dict of str to tuple, those of each
    neighbors : dict of str to set of str, the graph

    Examples
    --------
    >>> from lanatus.graphical import Factor, MarkovNetwork
    >>> ac, bc = Factor(["A", "C"], [[1.5, 0.1], [0.1, 1.5]]), Factor(["B", "C"], [[0.2, 1.3], [1.3, 0.2]])
    >>> field = MarkovNetwork([ac, bc])
    >>> round(field.partition(), 6), round(field.probability({"A": 0, "B": 1, "C": 0}), 6)
    (4.8, 0.40625)
    """

    def __init__(self, factors: Iterable[Factor], *, nodes: Sequence[str] | None = None) -> None:
        self._factors = list(factors)
        self.states: dict[str, tuple[Hashable, ...]] = {}
        for factor in self._factors:
            for name, own in factor.states.items():
                if self.states.setdefault(name, own) != own:
                    raise ValueError(f"two factors give {name} other states: {self.states[name]}, {own}.")
        if not self.states:
            raise ValueError("a Markov network needs a factor over one variable at least.")
        self.variables: tuple[str, ...] = tuple(self.states if nodes is None else nodes)
        if sorted(self.variables) != sorted(self.states):
            raise ValueError(
                f"nodes must name the variables of the factors, {list(self.states)}; got {list(self.variables)}."
            )
        self.neighbors: dict[str, set[str]] = {name: set() for name in self.variables}
        for factor in self._factors:
            for one, other in combinations(factor.variables, 2):
                self.neighbors[one].add(other)
                self.neighbors[other].add(one)

    def factors(self) -> list[Factor]:
        """The potentials."""
        return list(self._factors)

    def partition(self) -> float:
        """Z, the sum of the product of all potentials over all states."""
        return float(np.exp(self.log_partition()))

    def log_partition(self) -> float:
        """ln Z."""
        return JunctionTree(self).log_normalizer_

    def energy(self, states: Mapping[str, Hashable]) -> float:
        """-ln of the product of the potentials at a state of each variable, infinite where one is 0."""
        with np.errstate(divide="ignore"):
            return -float(sum(np.log(factor.reduce(states).values) for factor in self._factors))

    def probability(self, states: Mapping[str, Hashable]) -> float:
        """P of a state for each variable (14.2)."""
        if set(states) != set(self.variables):
            raise ValueError(f"wanted a state for each of {list(self.variables)}; for some of them ask `infer`.")
        return float(np.exp(-self.energy(states) - self.log_partition()))

    def joint(self) -> Factor:
        """The whole joint distribution as one factor."""
        return product(self._factors).ordered(self.variables).normalized()

    def to_maximal_cliques(self) -> "MarkovNetwork":
        """The same distribution with a potential for each maximal clique and no other (14.3), exercise 14.4."""
        return MarkovNetwork(to_maximal_cliques(self._factors), nodes=self.variables)

    def log_likelihood(self, D: Any) -> float:
        """ln P of all rows of a frame; missing values are summed over."""
        return float(JunctionTree(self).log_evidence(D).sum())

    def fit(
        self,
        D: Any,
        *,
        penalty: float = 0.0,
        max_iter: int = 500,
        tol: float = 1e-8,
        sample_weight: Any = None,
    ) -> Self:
        r"""Learn the potentials of this graph from rows of states, by maximum likelihood or MAP.

        Ascends :math:`\frac1m \sum_i \ln P(x_i) - \frac{\lambda}{2} \lVert \ln \psi \rVert^2`, whose gradient is the
        difference of what is counted in the data and expected by the model; of several optima the one nearest 0.

        Parameters
        ----------
        D : frame, mapping of columns, or array
            A column for each variable, without holes.
        penalty : float, default=0.0
            :math:`\lambda`, the precision of a normal prior of the logarithms: 0 is maximum likelihood.
        max_iter : int, default=500
            Most steps of L-BFGS.
        tol : float, default=1e-8
            Largest gap between counted and expected shares at which to stop.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows.

        Notes
        -----
        Where a combination never occurs its likeliest potential is 0, which steps come nearer to without end; with a
        penalty all is finite.
        """
        penalty, max_iter = check_real("penalty", penalty, 0), check_integer("max_iter", max_iter, 1)
        frame = coded_frame(D, self.states)
        if missing := [name for name in self.variables if name not in frame.names]:
            raise ValueError(f"the data have no column {missing[0]!r}.")
        if (frame.codes < 0).any():
            raise ValueError(
                "the data have missing values, which potentials cannot be learned with; impute them first."
            )
        weights = None if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
        scopes = [factor.variables for factor in self._factors]
        counted = [family_counts(frame, scope, weights) for scope in scopes]
        wanted = np.concatenate([counts.ravel() / counts.sum() for counts in counted])
        start = np.zeros(len(wanted))

        def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
            tree = JunctionTree(MarkovNetwork(self._with(theta), nodes=self.variables))
            nothing = np.full((1, len(self.variables)), -1, dtype=np.int32)
            expected = np.concatenate([e.ravel() for e in tree.expected_counts(nothing, scopes)[0]])
            value = tree.log_normalizer_ - theta @ wanted + 0.5 * penalty * theta @ theta
            return value, expected - wanted + penalty * theta

        found = minimize(
            loss, start, jac=True, method="L-BFGS-B", options={"maxiter": max_iter, "gtol": tol, "ftol": 0.0}
        )
        if found.nit >= max_iter:
            warnings.warn(f"the potentials did not settle in {max_iter} steps.", ConvergenceWarning, stacklevel=2)
        self._factors = self._with(found.x)
        return self

    def _with(self, logs: np.ndarray) -> list[Factor]:
        cut = np.cumsum([factor.values.size for factor in self._factors])[:-1]
        # Numbers far above 0 would overflow; a factor's scale goes into Z.
        return [
            Factor._of(factor.variables, np.exp(np.clip(own, -700, 700)).reshape(factor.values.shape), factor.states)
            for factor, own in zip(self._factors, np.split(logs, cut), strict=True)
        ]

    def sample(self, n_samples: int = 1, *, random_state: Any = None) -> Any:
        """Rows drawn exactly, variable by variable, each given those before.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState or None, default=None
            Draws them.

        Returns
        -------
        DataFrame of shape (n_samples, n_variables)
        """
        import pandas as pd

        rng, tree = check_random_state(random_state), JunctionTree(self)
        codes = np.full((n_samples, len(self.variables)), -1, dtype=np.int32)
        for j, name in enumerate(self.variables):
            chances = tree.marginals(codes).of[name]
            below = np.cumsum(chances, axis=1)[:, :-1]
            codes[:, j] = (rng.random_sample(n_samples)[:, None] >= below).sum(axis=1)
        columns = {
            name: np.array(self.states[name], dtype=object)[codes[:, j]] for j, name in enumerate(self.variables)
        }
        return pd.DataFrame(columns).infer_objects()

    def __repr__(self) -> str:
        return f"MarkovNetwork({len(self.variables)} variables, {len(self._factors)} factors)"


@method(
    "graphical.factor-graph",
    section="14.7",
    task="inference",
    kind="model",
    en="Factor graph",
    zh="因子图",
    peers=["pgmpy:FactorGraph"],
)
class FactorGraph(MarkovNetwork):
    """A Markov network whose factors are nodes, too, joined to their variables.

    Two networks of one graph but of other factors are told apart; and where the factor graph is a tree, belief
    propagation is exact, though the network may have circles.

    Book: section 14.7. Cost: as `MarkovNetwork`.

    Parameters
    ----------
    factors : iterable of Factor
        The factors.
    nodes : sequence of str, optional
        Variables in their order; by default as the factors name them.

    Attributes
    ----------
    variables : tuple of str, the variables
    states : dict of str to tuple, those of each
    neighbors : dict of str to set of str, variables that share a factor

    Examples
    --------
    >>> from lanatus.graphical import Factor, FactorGraph
    >>> graph = FactorGraph([Factor(["a", "b", "c"], [[[1, 2], [3, 4]], [[5, 6], [7, 8]]])])
    >>> graph.edges, graph.is_tree()
    ([(0, 'a'), (0, 'b'), (0, 'c')], True)
    """

    @property
    def edges(self) -> list[tuple[int, str]]:
        """Pairs of a factor's place and one of its variables."""
        return [(f, name) for f, factor in enumerate(self._factors) for name in factor.variables]

    def is_tree(self) -> bool:
        """Whether no circle leads through variables and factors."""
        home: dict[Any, Any] = {node: node for edge in self.edges for node in edge}

        def top(node: Any) -> Any:
            while home[node] != node:
                node = home[node]
            return node

        for f, name in self.edges:
            if top(f) == top(name):
                return False
            home[top(f)] = top(name)
        return True


@method(
    "graphical.exponential-potentials",
    section="14.2",
    task="inference",
    en="Exponential potentials",
    zh="指数势函数",
)
def exponential_potential(
    alpha: Any = None, beta: Any = None, *, states: Mapping[str, Sequence[Hashable]] | None = None
) -> list[Factor]:
    r"""Potentials :math:`e^{-H}` with an energy of pairs and of single nodes.

    :math:`H_Q(x_Q) = \sum_{u \ne v} \alpha_{uv} x_u x_v + \sum_v \beta_v x_v` (14.8)-(14.9).

    Book: section 14.2.

    Parameters
    ----------
    alpha : mapping of (str, str) to float, optional
        The weight of each pair, counted once.
    beta : mapping of str to float, optional
        The weight of each node.
    states : mapping of str to sequence of float, optional
        The numbers that each variable may be; 0 and 1 by default.

    Returns
    -------
    list of Factor
        One for each pair and node.

    Examples
    --------
    >>> from lanatus.graphical import exponential_potential
    >>> exponential_potential({("a", "b"): 1.0}, {"a": -0.5})[0].values.round(4).tolist()
    [[1.0, 1.0], [1.0, 0.3679]]
    """
    given = dict(states or {})

    def numbers(name: str) -> tuple[Hashable, ...]:
        return tuple(given.get(name, (0, 1)))

    factors = []
    for (u, v), weight in dict(alpha or {}).items():
        energy = weight * np.outer(np.array(numbers(u), dtype=float), np.array(numbers(v), dtype=float))
        factors.append(Factor([u, v], np.exp(-energy), {u: numbers(u), v: numbers(v)}))
    for v, weight in dict(beta or {}).items():
        factors.append(Factor([v], np.exp(-weight * np.array(numbers(v), dtype=float)), {v: numbers(v)}))
    return factors


@method(
    "graphical.maximal-clique-potentials",
    section="ex 14.4",
    task="inference",
    en="Potentials of all cliques as those of maximal cliques",
    zh="极大团势函数",
)
def to_maximal_cliques(factors: Iterable[Factor]) -> list[Factor]:
    """The same product with one factor for each maximal clique of its graph: each factor goes into one that holds it.

    Book: exercise 14.4; (14.2) and (14.3).

    Parameters
    ----------
    factors : iterable of Factor
        Potentials of any cliques.

    Returns
    -------
    list of Factor
        One for each maximal clique; 1 where it has no factor of its own.

    Examples
    --------
    >>> from lanatus.graphical import Factor, to_maximal_cliques
    >>> factors = [Factor(["a", "b"], [[2, 1], [1, 2]]), Factor(["a"], [1, 3])]
    >>> [(one.variables, one.values.tolist()) for one in to_maximal_cliques(factors)]
    [(('a', 'b'), [[2.0, 1.0], [3.0, 6.0]])]
    """
    given = list(factors)
    states = {name: own for factor in given for name, own in factor.states.items()}
    near: dict[str, set[str]] = {name: set() for name in states}
    for factor in given:
        for name in factor.variables:
            near[name] |= set(factor.variables) - {name}
    found = []
    left = list(given)
    for clique in maximal_cliques(near):
        require_affordable(clique, (len(states[name]) for name in clique))
        own = [factor for factor in left if set(factor.variables) <= set(clique)]
        left = [factor for factor in left if not any(factor is one for one in own)]
        ones = Factor(clique, np.ones([len(states[name]) for name in clique]), states)
        found.append(product([ones, *own]).ordered(clique))
    return found


def check_markov(field: MarkovNetwork, x: Any, y: Any, z: Any, *, tol: float = 1e-10) -> tuple[bool, float]:
    """Whether z separates x and y in the graph, and how far P(x, y | z) is from P(x | z) P(y | z) at most.

    Parameters
    ----------
    field : MarkovNetwork
        The model, small enough for its joint distribution.
    x, y, z : str or sequence of str
        Two sets of variables, and the one between them.
    tol : float, default=1e-10
        The gap up to which a separated pair counts as independent; a larger one is an error of the potentials.

    Returns
    -------
    separated : bool
    gap : float
    """
    sides = [[side] if isinstance(side, str) else list(side) for side in (x, y, z)]
    joint = field.joint()
    xyz, z_only = joint.marginal([*sides[0], *sides[1], *sides[2]]), joint.marginal(sides[2])
    xz, yz = joint.marginal([*sides[0], *sides[2]]), joint.marginal([*sides[1], *sides[2]])
    gap = (xyz * z_only).values - (xz * yz).ordered((xyz * z_only).variables).values
    separated = separates(field, *sides)
    largest = float(np.abs(gap).max())
    if separated and largest > tol:
        raise ValueError(f"{sides[2]} separates {sides[0]} and {sides[1]}, which are dependent by {largest:g}.")
    return separated, largest
