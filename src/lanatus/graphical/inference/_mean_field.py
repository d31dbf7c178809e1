"""Variational inference with factors that know nothing of each other (section 14.5.2)."""

import warnings
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax, xlogy
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.graphical.factors._factor import Factor, product
from lanatus.graphical.inference._question import GraphicalModel, Question, relevant
from lanatus.params import check_integer, check_real

_IMPOSSIBLE = -1e300  # ln 0, so that 0 ln 0 is 0 and not NaN


class Bound(NamedTuple):
    r"""The evidence lower bound and what it lacks, :math:`\ln p(x) = \mathcal{L}(q) + KL(q \| p)` (14.32).

    Attributes
    ----------
    elbo : float
    kl : float
    log_evidence : float
    """

    elbo: float
    kl: float
    log_evidence: float


@method(
    "graphical.mean-field",
    section="14.5.2",
    task="inference",
    kind="model",
    en="Mean-field variational inference",
    zh="平均场变分推断",
    peers=["bayespy:VB"],
)
class MeanField:
    r"""Variational inference with :math:`q(z) = \prod_j q_j(z_j)` (14.35), of discrete models.

    One factor after the other becomes :math:`q_j^*(z_j) \propto \exp E_{i \ne j}[\ln p(x, z)]` (14.40), which never
    lowers the evidence lower bound (14.33), until it stands still.

    Book: section 14.5.2. Cost: a step a table entry and variable in each round, whatever the graph looks like.

    Parameters
    ----------
    model : BayesianNetwork, MarkovNetwork or FactorGraph
        The model.
    n_init : int, default=1
        Number of starts; the one with the highest bound is kept. The first begins even, the others at random.
    tol : float, default=1e-10
        Stop once the bound rises by no more.
    max_iter : int, default=1000
        Most rounds of a start.
    random_state : int, RandomState or None, default=None
        Draws the starts.

    Attributes
    ----------
    elbo_ : float, the bound of the last question, at most ln P(evidence), or ln Z of a Markov network
    elbos_ : ndarray, after each round of the kept start
    n_iter_ : int, rounds

    Examples
    --------
    >>> from lanatus.graphical import Factor, MarkovNetwork, MeanField
    >>> pair = MarkovNetwork([Factor(["a", "b"], [[3.0, 1.0], [1.0, 2.0]])])
    >>> field = MeanField(pair)
    >>> q = field.query("a")
    >>> bool(field.elbo_ < pair.log_partition())
    True
    """

    def __init__(
        self,
        model: GraphicalModel,
        *,
        n_init: int = 1,
        tol: float = 1e-10,
        max_iter: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.model = model
        self.n_init = check_integer("n_init", n_init, 1)
        self.tol = check_real("tol", tol, 0)
        self.max_iter = check_integer("max_iter", max_iter, 1)
        self.random_state = random_state

    def query(self, query: Any, evidence: Mapping[str, Hashable] | None = None) -> Factor:
        """q of the variables asked for, the product of their factors.

        Parameters
        ----------
        query : str or sequence of str
            The variables asked for.
        evidence : mapping of str to state, optional
            What is known.
        """
        question = Question.of(self.model, query, evidence)
        found = self.factors(evidence)
        return product(found[name] for name in question.query).ordered(question.query)

    def factors(self, evidence: Mapping[str, Hashable] | None = None) -> dict[str, Factor]:
        """The factors q_j of all variables that are not known."""
        question = Question.of(self.model, (), evidence)
        put_in = relevant(self.model.factors(), question.evidence)
        with np.errstate(divide="ignore"):
            logs = [(factor.variables, np.maximum(np.log(factor.values), _IMPOSSIBLE)) for factor in put_in]
        free = [name for name in self.model.variables if name not in question.evidence]
        sizes = {name: len(self.model.states[name]) for name in free}
        rng, best = check_random_state(self.random_state), None
        for number in range(self.n_init):
            q = {name: np.full(k, 1 / k) if number == 0 else rng.dirichlet(np.ones(k)) for name, k in sizes.items()}
            trace = self._climb(q, logs, free)
            if best is None or trace[-1] > best[1][-1]:
                best = q, trace
        assert best is not None
        q, self.elbos_ = best[0], np.array(best[1])
        self.elbo_, self.n_iter_ = float(self.elbos_[-1]), len(self.elbos_)
        return {name: Factor._of([name], values, self.model.states) for name, values in q.items()}

    def _climb(
        self, q: dict[str, np.ndarray], logs: list[tuple[tuple[str, ...], np.ndarray]], free: list[str]
    ) -> list[float]:
        trace: list[float] = []
        for _ in range(self.max_iter):
            for name in free:
                own = sum(
                    (_expected(values, scope, q, name) for scope, values in logs if name in scope),
                    np.zeros(len(q[name])),
                )
                q[name] = softmax(own)
            energy = sum(float(_expected(values, scope, q, None)) for scope, values in logs)
            trace.append(energy - sum(float(xlogy(values, values).sum()) for values in q.values()))
            if len(trace) > 1 and trace[-1] - trace[-2] <= self.tol:
                return trace
        warnings.warn(
            f"the bound still rises after {self.max_iter} rounds; raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=5,
        )
        return trace


def _expected(values: np.ndarray, scope: tuple[str, ...], q: Mapping[str, np.ndarray], kept: str | None) -> Any:
    """The mean of a table over all variables but one."""
    for axis in range(len(scope) - 1, -1, -1):
        if scope[axis] != kept:
            values = np.moveaxis(values, axis, -1) @ q[scope[axis]]
    return values


@method(
    "graphical.elbo",
    section="14.5.2",
    task="inference",
    kind="theory",
    en="Evidence lower bound",
    zh="变分下界",
)
def elbo(q: Any, joint: Any) -> Bound:
    r"""The evidence lower bound of a distribution over hidden states, and what it lacks.

    :math:`\ln p(x) = \mathcal{L}(q) + KL(q \| p)` (14.32), with :math:`\mathcal{L}(q) = \sum_z q(z) \ln
    \frac{p(x, z)}{q(z)}` (14.33) and :math:`KL(q \| p) = - \sum_z q(z) \ln \frac{p(z \mid x)}{q(z)}` (14.34).

    Book: section 14.5.2; exercise 14.8.

    Parameters
    ----------
    q : array or Factor
        Probabilities of the hidden states, with sum 1.
    joint : array or Factor
        :math:`p(x, z)` for the same states, x being what was observed.

    Returns
    -------
    Bound

    Examples
    --------
    >>> from lanatus.graphical import elbo
    >>> bound = elbo([0.5, 0.5], [0.3, 0.1])
    >>> round(bound.elbo + bound.kl, 12) == round(bound.log_evidence, 12)
    True
    """
    if isinstance(q, Factor) and isinstance(joint, Factor):
        joint = joint.ordered(q.variables)
    own = np.asarray(q.values if isinstance(q, Factor) else q, dtype=np.float64)
    other = np.asarray(joint.values if isinstance(joint, Factor) else joint, dtype=np.float64)
    if own.shape != other.shape or (own < 0).any() or (other < 0).any() or not np.isclose(own.sum(), 1.0):
        raise ValueError("q must be probabilities that sum to 1, joint numbers of 0 or more, and both of one shape.")
    evidence = other.sum()
    if not evidence > 0:
        raise ValueError("joint is 0 everywhere: what was observed is impossible.")
    on = own > 0
    with np.errstate(divide="ignore"):
        bound = float((own[on] * (np.log(other[on]) - np.log(own[on]))).sum())
    log_evidence = float(np.log(evidence))
    return Bound(bound, log_evidence - bound, log_evidence)
