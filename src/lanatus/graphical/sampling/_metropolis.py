"""Markov chains whose stationary distribution is the wanted one."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.graphical.sampling._diagnostics import effective_sample_size, r_hat
from lanatus.params import check_choice, check_integer


class Chain(NamedTuple):
    """Samples of several chains.

    Attributes
    ----------
    samples : ndarray of shape (n_chains, n_samples, n_dimensions)
    acceptance : ndarray of shape (n_chains,), share of the proposals that were taken
    r_hat : ndarray of shape (n_dimensions,), about 1 once the chains have settled
    effective_size : ndarray of shape (n_dimensions,), independent samples that tell as much
    """

    samples: np.ndarray
    acceptance: np.ndarray
    r_hat: np.ndarray
    effective_size: np.ndarray

    def flat(self) -> np.ndarray:
        """Samples of all chains, (n_chains * n_samples, n_dimensions)."""
        return self.samples.reshape(-1, self.samples.shape[-1])


def _chain(samples: np.ndarray, acceptance: np.ndarray) -> Chain:
    dims = range(samples.shape[-1])
    return Chain(
        samples,
        acceptance,
        np.array([r_hat(samples[:, :, j]) for j in dims]),
        np.array([effective_sample_size(samples[:, :, j]) for j in dims]),
    )


@method(
    "graphical.metropolis-hastings",
    section="14.5.1",
    task="inference",
    kind="model",
    en="Metropolis-Hastings",
    zh="MH 采样",
    peers=["pymc:Metropolis"],
)
class MetropolisHastings:
    r"""Samples of any density that is known up to a factor, from a Markov chain that proposes and accepts.

    From :math:`x^{t-1}` a point :math:`x^* \sim Q(\cdot \mid x^{t-1})` is proposed and taken with chance
    :math:`A = \min(1, \frac{p(x^*) Q(x^{t-1} \mid x^*)}{p(x^{t-1}) Q(x^* \mid x^{t-1})})` (14.28); otherwise the chain
    stays. By (14.26) its stationary distribution is p. By default a normal step is proposed, whose widths are tuned in
    the burn-in and then left alone.

    Book: section 14.5.1, figure 14.9. Cost: a call of the density for all chains a step.

    Parameters
    ----------
    log_density : callable
        ln p of several points (n, d) at once, up to a constant; -inf where p is 0.
    proposal : callable or None, default=None
        ``proposal(points, rng)`` gives a point for each; None is a normal step.
    log_proposal : callable or None, default=None
        ``log_proposal(to, from)``, :math:`\ln Q`; None for a symmetric proposal.
    scale : float or array of shape (d,), default=1.0
        Standard deviations of the normal step to begin with.
    tune : bool, default=True
        Whether they are adapted in the burn-in until about a quarter (of one dimension, 0.44) of the steps is taken.

    Examples
    --------
    >>> from lanatus.graphical import MetropolisHastings
    >>> normal = MetropolisHastings(lambda x: -0.5 * ((x[:, 0] - 3) ** 2))
    >>> chain = normal.sample([0.0], 2000, random_state=0)
    >>> bool(abs(chain.flat().mean() - 3) < 0.2), bool(chain.r_hat[0] < 1.05)
    (True, True)

    References
    ----------
    Hastings (1970), Monte Carlo sampling methods using Markov chains and their applications. Roberts, Gelman and Gilks
    (1997), Weak convergence and optimal scaling of random walk Metropolis algorithms.
    """

    def __init__(
        self,
        log_density: Callable[[np.ndarray], Any],
        *,
        proposal: Callable[..., Any] | None = None,
        log_proposal: Callable[..., Any] | None = None,
        scale: Any = 1.0,
        tune: bool = True,
    ) -> None:
        if log_proposal is not None and proposal is None:
            raise ValueError("log_proposal belongs to a proposal of your own; give both.")
        self.log_density = log_density
        self.proposal = proposal
        self.log_proposal = log_proposal
        self.scale = scale
        self.tune = tune

    def sample(
        self,
        start: Any,
        n_samples: int = 1000,
        *,
        n_chains: int = 4,
        burn_in: int | None = None,
        thin: int = 1,
        random_state: Any = None,
    ) -> Chain:
        """Run some chains.

        Parameters
        ----------
        start : array of shape (d,) or (n_chains, d)
            Where they begin; p must not be 0 there.
        n_samples : int, default=1000
            Samples of each chain.
        n_chains : int, default=4
            How many chains run side by side.
        burn_in : int or None, default=None
            First steps that are thrown away; None is as many as samples.
        thin : int, default=1
            Every how many steps a sample is kept.
        random_state : int, RandomState or None, default=None
            Draws.
        """
        n_samples, thin = check_integer("n_samples", n_samples, 1), check_integer("thin", thin, 1)
        burn_in = n_samples if burn_in is None else check_integer("burn_in", burn_in, 0)
        rng = check_random_state(random_state)
        first = np.atleast_1d(np.asarray(start, dtype=np.float64))
        at = np.tile(first, (check_integer("n_chains", n_chains, 1), 1)) if first.ndim == 1 else first.copy()
        scale = np.broadcast_to(np.asarray(self.scale, dtype=np.float64), (at.shape[1],)).copy()
        if not ((scale > 0) & np.isfinite(scale)).all():
            raise ValueError(f"scale must be above 0 and finite, got {self.scale!r}.")
        log_p = self._logs(at)
        if not np.isfinite(log_p).all():
            raise ValueError("the density is 0 or infinite where the chains begin; begin elsewhere.")
        kept = np.empty((len(at), n_samples, at.shape[1]))
        taken, wanted, target = np.zeros(len(at)), 0, 0.44 if at.shape[1] == 1 else 0.234
        for step in range(burn_in + n_samples * thin):
            accepted = self._step(at, log_p, scale, rng)
            if step < burn_in:
                if self.tune and self.proposal is None:
                    scale *= np.exp((accepted.mean() - target) / np.sqrt(step + 1))
                continue
            taken += accepted
            wanted += 1
            if wanted % thin == 0:
                kept[:, wanted // thin - 1] = at
        return _chain(kept, taken / wanted)

    def _step(self, at: np.ndarray, log_p: np.ndarray, scale: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """One step of all chains, in place; which took it."""
        if self.proposal is None:
            to = at + rng.standard_normal(at.shape) * scale
        else:
            to = np.asarray(self.proposal(at.copy(), rng), dtype=np.float64)
            if to.shape != at.shape:
                raise ValueError(f"proposal must give a point for each of {at.shape}, got {to.shape}.")
        log_to = self._logs(to)
        ratio = log_to - log_p
        if self.log_proposal is not None:
            ratio += np.asarray(self.log_proposal(at, to), float) - np.asarray(self.log_proposal(to, at), float)
        with np.errstate(divide="ignore"):
            accepted = np.log(rng.random_sample(len(at))) < ratio
        at[accepted], log_p[accepted] = to[accepted], log_to[accepted]
        return accepted

    def _logs(self, points: np.ndarray) -> np.ndarray:
        logs = np.array(self.log_density(points), dtype=np.float64)
        if logs.shape != (len(points),):
            raise ValueError(
                f"log_density must give a number for each of {len(points)} points, got shape {logs.shape}."
            )
        if np.isnan(logs).any() or np.isposinf(logs).any():
            raise ValueError("log_density gives NaN or infinity; give -inf where the density is 0.")
        return logs


@method(
    "graphical.gibbs-sampler",
    section="14.5.1",
    task="inference",
    kind="model",
    en="Gibbs sampler",
    zh="吉布斯采样",
    peers=["pgmpy:GibbsSampling"],
)
class GibbsSampler:
    r"""Samples from a chain that draws one variable at a time given all others.

    A step is :math:`x_i \sim p(x_i \mid x_{\bar i})`.

    It is Metropolis-Hastings whose proposals are always taken (exercise 14.7).

    Book: section 14.5.1. Cost: a call a variable and sweep, for all chains at once.

    Parameters
    ----------
    conditionals : sequence of callable
        For each variable ``draw(points, rng)``: a new value of it for each point (n, d), given the others.
    scan : {"systematic", "random"}, default="systematic"
        Whether variables are drawn in turn, or as many at random.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.graphical import GibbsSampler
    >>> rho = 0.8  # two standard normal variables that are correlated
    >>> def given(other):
    ...     return lambda x, rng: rho * x[:, other] + np.sqrt(1 - rho**2) * rng.standard_normal(len(x))
    >>> chain = GibbsSampler([given(1), given(0)]).sample([0.0, 0.0], 2000, random_state=0)
    >>> bool(abs(np.corrcoef(chain.flat().T)[0, 1] - rho) < 0.05)
    True
    """

    def __init__(self, conditionals: Sequence[Callable[..., Any]], *, scan: str = "systematic") -> None:
        check_choice("scan", scan, ("systematic", "random"))
        self.conditionals = list(conditionals)
        self.scan = scan

    def sample(
        self,
        start: Any,
        n_samples: int = 1000,
        *,
        n_chains: int = 4,
        burn_in: int | None = None,
        random_state: Any = None,
    ) -> Chain:
        """Run some chains.

        Parameters
        ----------
        start : array of shape (d,) or (n_chains, d)
            Where they begin.
        n_samples : int, default=1000
            Samples of each chain, one after each sweep over all variables.
        n_chains : int, default=4
            How many chains run side by side.
        burn_in : int or None, default=None
            First sweeps that are thrown away; None is as many as samples.
        random_state : int, RandomState or None, default=None
            Draws.
        """
        n_samples = check_integer("n_samples", n_samples, 1)
        burn_in = n_samples if burn_in is None else check_integer("burn_in", burn_in, 0)
        rng = check_random_state(random_state)
        first = np.atleast_1d(np.asarray(start, dtype=np.float64))
        at = np.tile(first, (check_integer("n_chains", n_chains, 1), 1)) if first.ndim == 1 else first.copy()
        if at.shape[1] != len(self.conditionals):
            raise ValueError(f"start has {at.shape[1]} variables, and there are {len(self.conditionals)} conditionals.")
        kept = np.empty((len(at), n_samples, at.shape[1]))
        for sweep in range(burn_in + n_samples):
            order = range(at.shape[1]) if self.scan == "systematic" else rng.randint(at.shape[1], size=at.shape[1])
            for j in order:
                at[:, j] = self.conditionals[j](at, rng)
            if sweep >= burn_in:
                kept[:, sweep - burn_in] = at
        return _chain(kept, np.ones(len(at)))


def metropolis_kernel(p: Any, proposal: Any) -> np.ndarray:
    """The transition matrix of Metropolis-Hastings on a few states.

    Parameters
    ----------
    p : array of shape (k,)
        The wanted distribution, up to a factor, above 0.
    proposal : array of shape (k, k)
        Q, a row for each state that is left.

    Returns
    -------
    ndarray of shape (k, k)

    Examples
    --------
    >>> from lanatus.graphical import metropolis_kernel
    >>> metropolis_kernel([0.2, 0.3, 0.5], [[0.1, 0.6, 0.3], [0.4, 0.4, 0.2], [0.3, 0.3, 0.4]]).round(6).tolist()
    [[0.1, 0.6, 0.3], [0.4, 0.4, 0.2], [0.12, 0.12, 0.76]]
    """
    weights, q = np.asarray(p, dtype=np.float64), np.asarray(proposal, dtype=np.float64)
    k = len(weights)
    if q.shape != (k, k) or (q < 0).any() or not np.allclose(q.sum(axis=1), 1) or not (weights > 0).all():
        raise ValueError(f"wanted p above 0 and a proposal of shape {(k, k)} whose rows sum to 1.")
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.minimum(1.0, (weights[None, :] * q.T) / (weights[:, None] * q))
    moves = np.where(q > 0, q * np.nan_to_num(chance), 0.0)
    np.fill_diagonal(moves, 0.0)
    return moves + np.diag(1 - moves.sum(axis=1))
