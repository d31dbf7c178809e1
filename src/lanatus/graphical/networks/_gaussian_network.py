"""Networks with continuous variables, linear in their continuous parents."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.graphical.factors._factor import Factor
from lanatus.graphical.graphs._directed import parents_of, topological_order
from lanatus.graphical.networks._bayesian_network import BayesianNetwork
from lanatus.graphical.networks._coded import column_values
from lanatus.params import check_integer, check_real

_MOST_MIXED = 100_000  # combinations of discrete states that are looked at one by one


@dataclass(frozen=True)
class LinearGaussian:
    r"""A continuous variable given its parents: :math:`x \mid u, z \sim N(b_z + w_z^T u, v_z)`.

    Attributes
    ----------
    intercept : ndarray, *b*, an axis for each discrete parent
    weights : ndarray, *w*, an axis for each discrete parent and a last one for the continuous parents
    variance : ndarray, *v*, an axis for each discrete parent
    """

    intercept: np.ndarray
    weights: np.ndarray
    variance: np.ndarray

    @classmethod
    def of(cls, intercept: Any, weights: Any = (), variance: Any = 1.0) -> "LinearGaussian":
        """From numbers or arrays."""
        b = np.asarray(intercept, dtype=np.float64)
        w = np.asarray(weights, dtype=np.float64)
        return cls(b, w.reshape(*b.shape, -1), np.broadcast_to(np.asarray(variance, dtype=np.float64), b.shape).copy())


class GaussianAnswer(NamedTuple):
    """What evidence says of discrete and continuous variables: a mixture of Gaussians.

    Attributes
    ----------
    discrete : Factor or None, probabilities of the discrete variables asked for
    names : tuple of str, the continuous variables asked for
    mean : ndarray of shape (n_names,)
    covariance : ndarray of shape (n_names, n_names), of the whole mixture
    weights : ndarray of shape (n_components,), a component for each combination of discrete states that can be
    means : ndarray of shape (n_components, n_names)
    covariances : ndarray of shape (n_components, n_names, n_names)
    log_evidence : float, ln of the density of the evidence
    """

    discrete: Factor | None
    names: tuple[str, ...]
    mean: np.ndarray
    covariance: np.ndarray
    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray
    log_evidence: float


@method(
    "graphical.gaussian-bayesian-network",
    section="7.5",
    task="inference",
    kind="model",
    en="Bayesian network with continuous variables",
    zh="连续属性贝叶斯网",
    peers=["pgmpy:LinearGaussianBayesianNetwork"],
)
class GaussianBayesianNetwork:
    r"""A network of continuous variables, and of discrete ones above them: linear and conditional Gaussian.

    A continuous variable is normal around a linear function of its continuous parents, with other coefficients for each
    combination of its discrete parents. Given the discrete variables all others are one Gaussian, so that answers are
    mixtures of Gaussians, and exact.

    Book: section 7.5 (networks of continuous attributes). Cost: fitting a least-squares problem a variable; a question
    :math:`O(d^3)` for each combination of the discrete variables that continuous ones depend on.

    Parameters
    ----------
    edges : iterable of (str, str), or mapping of str to parents
        The graph. A discrete variable has discrete parents only.
    nodes : iterable of str, default=()
        Variables without an edge.

    Attributes
    ----------
    parents : dict of str to tuple of str
    variables : tuple of str, all of them, parents first
    continuous : tuple of str, after ``fit`` or ``from_tables``
    linear : dict of str to LinearGaussian, of each continuous variable
    discrete : BayesianNetwork, of the discrete ones

    Examples
    --------
    >>> from lanatus.graphical import GaussianBayesianNetwork, LinearGaussian
    >>> net = GaussianBayesianNetwork.from_tables(
    ...     [("x", "y")], {"x": LinearGaussian.of(1.0, variance=4.0), "y": LinearGaussian.of(-1.0, [2.0], 1.0)}
    ... )
    >>> answer = net.infer("x", {"y": 4.0})
    >>> answer.mean.round(4).tolist(), answer.covariance.round(4).tolist()
    ([2.4118], [[0.2353]])

    References
    ----------
    Lauritzen and Wermuth (1989), Graphical models for associations between variables, some of which are qualitative and
    some quantitative. Shachter and Kenley (1989), Gaussian influence diagrams.
    """

    def __init__(self, edges: Any = (), *, nodes: Iterable[str] = ()) -> None:
        found = {name: tuple(above) for name, above in parents_of(edges).items()}
        found |= {name: () for name in nodes if name not in found}
        self.variables = tuple(topological_order(found))
        self.parents = {name: found[name] for name in self.variables}
        self.continuous: tuple[str, ...] = ()
        self.linear: dict[str, LinearGaussian] = {}
        self.discrete = BayesianNetwork()

    @classmethod
    def from_tables(
        cls, edges: Any, linear: Mapping[str, LinearGaussian], discrete: BayesianNetwork | None = None
    ) -> "GaussianBayesianNetwork":
        """A network written by hand.

        Parameters
        ----------
        edges : iterable of (str, str), or mapping of str to parents
            The graph; edges between discrete variables are those of `discrete` and need not be named again.
        linear : mapping of str to LinearGaussian
            The continuous variables.
        discrete : BayesianNetwork, optional
            The discrete ones, with their tables.
        """
        discrete = BayesianNetwork() if discrete is None else discrete
        graph = {name: list(above) for name, above in parents_of(edges).items()} | dict(discrete.parents)
        net = cls(graph, nodes=linear)
        net.discrete, net.continuous = discrete, tuple(name for name in net.variables if name in linear)
        net._require_kinds(set(net.variables) - set(linear))
        for name in net.continuous:
            z, u = net._split(name)
            own = linear[name]
            shape = tuple(len(discrete.states[parent]) for parent in z)
            if own.intercept.shape != shape or own.weights.shape != (*shape, len(u)) or own.variance.shape != shape:
                raise ValueError(
                    f"{name} has {len(u)} continuous parents and discrete ones of {shape} states; got an intercept of "
                    f"shape {own.intercept.shape}, weights {own.weights.shape}, a variance {own.variance.shape}."
                )
            whole = np.concatenate([own.intercept.ravel(), own.weights.ravel(), own.variance.ravel()])
            if not np.isfinite(whole).all() or (own.variance < 0).any():
                raise ValueError(f"coefficients of {name} must be finite, and its variance 0 or more.")
        net.linear = {name: linear[name] for name in net.continuous}
        return net

    # ---------------------------------------------------------------- learning

    def fit(self, D: Any, *, alpha: float = 0.0, least_variance: float = 1e-9) -> Self:
        """Learn all coefficients and tables from a frame without holes: numbers are continuous, all else discrete.

        Parameters
        ----------
        D : frame or mapping of columns
            A column a variable.
        alpha : float, default=0.0
            Added to the counts of discrete variables.
        least_variance : float, default=1e-9
            No variance is below this share of the variable's own.
        """
        share = check_real("least_variance", least_variance, 0)
        columns = {name: column_values(D, name) for name in self.variables}
        numbers = {name: values.astype(np.float64) for name, values in columns.items() if values.dtype.kind in "iuf"}
        for name, values in numbers.items():
            if not np.isfinite(values).all():
                raise ValueError(f"{name} holds NaN or infinity; continuous variables are learned from whole rows.")
        self._require_kinds(set(self.variables) - set(numbers))
        kept = [name for name in self.variables if name not in numbers]
        self.discrete = BayesianNetwork({name: self.parents[name] for name in kept})
        if kept:
            self.discrete.fit_parameters({name: columns[name].tolist() for name in kept}, alpha=alpha)
        self.continuous = tuple(name for name in self.variables if name in numbers)
        self.linear = {name: self._fitted(name, numbers, columns, share) for name in self.continuous}
        return self

    def _fitted(
        self, name: str, numbers: Mapping[str, np.ndarray], columns: Mapping[str, np.ndarray], share: float
    ) -> LinearGaussian:
        z, u = self._split(name)
        y = numbers[name]
        X = np.column_stack([np.ones(len(y)), *(numbers[parent] for parent in u)])
        states = [self.discrete.states[parent] for parent in z]
        shape = tuple(len(own) for own in states)
        found = LinearGaussian(np.zeros(shape), np.zeros((*shape, len(u))), np.ones(shape))
        floor = share * float(y.var())
        for at in np.ndindex(shape):
            rows = np.ones(len(y), dtype=bool)
            for parent, own, i in zip(z, states, at, strict=True):
                rows &= np.array([value == own[i] for value in columns[parent]])
            # Of a combination that has no row nothing is known: it is as all rows are.
            A, b = (X[rows], y[rows]) if rows.any() else (X, y)
            beta = np.linalg.lstsq(A, b, rcond=None)[0]
            found.intercept[at], found.weights[at] = beta[0], beta[1:]
            found.variance[at] = max(float(np.mean((b - A @ beta) ** 2)), floor)
        return found

    def _require_kinds(self, discrete: set[str]) -> None:
        for name in self.variables:
            if name in discrete and (wrong := [parent for parent in self.parents[name] if parent not in discrete]):
                raise ValueError(
                    f"the discrete variable {name} has the continuous parent {wrong[0]}; in a conditional Gaussian "
                    "network discrete variables have discrete parents only. Turn the edge, or cut the parent into bins."
                )

    def _split(self, name: str) -> tuple[list[str], list[str]]:
        """Discrete and continuous parents."""
        known = set(self.discrete.variables)
        return [p for p in self.parents[name] if p in known], [p for p in self.parents[name] if p not in known]

    # ---------------------------------------------------------------- questions

    def moments(self, states: Mapping[str, Hashable] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Mean and covariance of the continuous variables, given all discrete ones that they depend on.

        Parameters
        ----------
        states : mapping of str to state, optional
            The discrete variables.
        """
        self._require_fitted()
        place = {name: i for i, name in enumerate(self.continuous)}
        mean, covariance = np.zeros(len(place)), np.zeros((len(place), len(place)))
        for name, i in place.items():
            z, u = self._split(name)
            at = tuple(self.discrete.states[parent].index((states or {})[parent]) for parent in z)
            own, w = self.linear[name], np.zeros(len(place))
            w[[place[parent] for parent in u]] = own.weights[at]
            mean[i] = own.intercept[at] + w @ mean
            covariance[i, :] = covariance[:, i] = w @ covariance
            covariance[i, i] = own.variance[at] + w @ covariance @ w
        return mean, covariance

    def infer(self, query: str | Sequence[str], evidence: Mapping[str, Any] | None = None) -> GaussianAnswer:
        """What is known of some variables given others.

        Parameters
        ----------
        query : str or sequence of str
            Discrete or continuous variables.
        evidence : mapping of str to state or number, optional
            What is known.
        """
        self._require_fitted()
        asked, given = [query] if isinstance(query, str) else list(query), dict(evidence or {})
        if unknown := [name for name in [*asked, *given] if name not in self.parents]:
            raise ValueError(f"{unknown[0]!r} is no variable of the network: {list(self.variables)}.")
        if both := set(asked) & set(given):
            raise ValueError(f"{sorted(both)} are asked for and known.")
        known = {name: value for name, value in given.items() if name not in self.linear}
        values = {name: check_real(name, value, -np.inf) for name, value in given.items() if name in self.linear}
        names = [name for name in self.discrete.variables if name in asked or self._matters(name)]
        states, logs = self._combinations(names, known)
        targets = [name for name in asked if name in self.linear]
        found = [_conditioned(*self.moments(state), self.continuous, targets, values) for state in states]
        logs = logs + np.array([one[0] for one in found])
        log_evidence = float(logsumexp(logs))
        if known:
            log_evidence += self._log_probability(known)
        if not np.isfinite(log_evidence):
            raise ValueError(f"the evidence {given} is impossible, or so unlikely that its density is 0.")
        weights = np.exp(logs - logsumexp(logs))
        means, covariances = np.array([one[1] for one in found]), np.array([one[2] for one in found])
        mean = weights @ means
        gaps = means - mean
        whole = np.einsum("c,cij->ij", weights, covariances) + np.einsum("c,ci,cj->ij", weights, gaps, gaps)
        return GaussianAnswer(
            self._discrete_answer(asked, names, states, weights), tuple(targets), mean, whole, weights, means,
            covariances, log_evidence,
        )  # fmt: skip

    def _matters(self, name: str) -> bool:
        return any(name in self.parents[child] for child in self.continuous)

    def _combinations(
        self, names: list[str], known: Mapping[str, Hashable]
    ) -> tuple[list[dict[str, Hashable]], np.ndarray]:
        """States of some discrete variables, and ln P of each given what is known."""
        free = [name for name in names if name not in known]
        sizes = np.prod([float(len(self.discrete.states[name])) for name in free])
        if sizes > _MOST_MIXED:
            raise ValueError(
                f"continuous variables depend on {sizes:.3g} combinations of {free}, more than {_MOST_MIXED}."
            )
        if not free:
            return [dict(known)], np.zeros(1)
        table = self.discrete.infer(free, dict(known)).ordered(free)
        places = [at for at in product(*(range(len(table.states[name])) for name in free)) if table.values[at] > 0]
        states = [{**known, **{name: table.states[name][i] for name, i in zip(free, at, strict=True)}} for at in places]
        return states, np.log([table.values[at] for at in places])

    def _log_probability(self, known: Mapping[str, Hashable]) -> float:
        with np.errstate(divide="ignore"):
            table = self.discrete.infer(list(known)).ordered(list(known))
            at = tuple(table.place_of(name, state) for name, state in known.items())
            return float(np.log(table.values[at]))

    def _discrete_answer(
        self, asked: list[str], names: list[str], states: list[dict[str, Hashable]], weights: np.ndarray
    ) -> Factor | None:
        wanted = [name for name in asked if name in names]
        if not wanted:
            return None
        values = np.zeros([len(self.discrete.states[name]) for name in wanted])
        for state, weight in zip(states, weights, strict=True):
            values[tuple(self.discrete.states[name].index(state[name]) for name in wanted)] += weight
        return Factor(wanted, values, {name: self.discrete.states[name] for name in wanted})

    # ---------------------------------------------------------------- rows

    def log_likelihood(self, D: Any) -> float:
        """ln of the density of all rows of a frame without holes.

        Parameters
        ----------
        D : frame or mapping of columns
            A column a variable.
        """
        import pandas as pd

        self._require_fitted()
        columns = {name: column_values(D, name) for name in self.variables}
        total = 0.0
        if self.discrete.variables:
            frame = pd.DataFrame({name: columns[name] for name in self.discrete.variables})
            total += self.discrete.log_likelihood(frame)
        for name in self.continuous:
            z, u = self._split(name)
            at = tuple(
                np.array([self.discrete.states[parent].index(value) for value in columns[parent]]) for parent in z
            )
            own = self.linear[name]
            U = np.array([columns[parent].astype(float) for parent in u]).reshape(len(u), len(columns[name]))
            weights = own.weights[at] if z else np.broadcast_to(own.weights, (len(columns[name]), len(u)))
            mean = own.intercept[at] + np.einsum("nj,jn->n", weights, U)
            variance = own.variance[at]
            gap = columns[name].astype(float) - mean
            total += float(-0.5 * (np.log(2 * np.pi * variance) + gap**2 / variance).sum())
        return total

    def sample(self, n_samples: int = 1, *, random_state: Any = None) -> Any:
        """Rows drawn from the joint distribution, as a pandas frame.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState or None, default=None
            Draws them.
        """
        import pandas as pd

        self._require_fitted()
        n, rng = check_integer("n_samples", n_samples, 1), check_random_state(random_state)
        codes = self.discrete.sample_codes(n, rng) if self.discrete.variables else {}
        drawn: dict[str, np.ndarray] = {}
        for name in self.continuous:
            z, u = self._split(name)
            at, own = tuple(codes[parent] for parent in z), self.linear[name]
            mean = own.intercept[at] + sum(own.weights[(*at, j)] * drawn[parent] for j, parent in enumerate(u))
            drawn[name] = mean + np.sqrt(own.variance[at]) * rng.standard_normal(n)
        for name, code in codes.items():
            drawn[name] = np.array(self.discrete.states[name], dtype=object)[code]
        return pd.DataFrame({name: drawn[name] for name in self.variables})

    def _require_fitted(self) -> None:
        if set(self.linear) | set(self.discrete.variables) != set(self.variables):
            raise ValueError("this network has no coefficients yet: call fit, or make it with from_tables.")


def _conditioned(
    mean: np.ndarray,
    covariance: np.ndarray,
    names: Sequence[str],
    targets: Sequence[str],
    values: Mapping[str, float],
) -> tuple[float, np.ndarray, np.ndarray]:
    """ln density of some values, and mean and covariance of the targets given them."""
    t, e = [names.index(name) for name in targets], [names.index(name) for name in values]
    if not e:
        return 0.0, mean[t], covariance[np.ix_(t, t)]
    gap, own = np.array(list(values.values())) - mean[e], covariance[np.ix_(e, e)]
    # Variables that follow from others exactly make it singular: what they say twice is heard once.
    eigenvalues, vectors = np.linalg.eigh(own)
    real = eigenvalues > 1e-12 * max(float(eigenvalues.max()), 1e-300)
    along = vectors.T @ gap
    if np.abs(along[~real]).max(initial=0.0) > 1e-6 * (1 + np.abs(gap).max()):
        return -np.inf, mean[t], covariance[np.ix_(t, t)]  # what cannot be was seen
    inverse = (vectors[:, real] / eigenvalues[real]) @ vectors[:, real].T
    gain = covariance[np.ix_(t, e)] @ inverse
    log_density = -0.5 * float(
        real.sum() * np.log(2 * np.pi) + np.log(eigenvalues[real]).sum() + (along[real] ** 2 / eigenvalues[real]).sum()
    )
    rest = covariance[np.ix_(t, t)] - gain @ covariance[np.ix_(e, t)]
    return log_density, mean[t] + gain @ gap, (rest + rest.T) / 2
