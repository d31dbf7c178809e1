"""The EM algorithm with E and M steps given by the user."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp, xlogy
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.params import Choice, Function, Integer, Nothing, RandomState, Real, check_params

# A fall of the likelihood by this share of its size is rounding.
ROUNDING = 1e-9


class LowerBound(NamedTuple):
    """A bound on the log-likelihood: ``log_likelihood = bound + gap``."""

    bound: float
    log_likelihood: float
    gap: float


@method(
    "density.em-lower-bound",
    section="CB 4.2",
    task="density",
    kind="theory",
    en="EM lower bound",
    zh="EM下界函数",
)
def em_lower_bound(q: Any, theta: Any, joint: Callable[[Any], Any]) -> LowerBound:
    r"""Bound that EM raises: :math:`F(q, \theta) = \sum_i \sum_z q_i(z) \ln \frac{p(x_i, z \mid \theta)}{q_i(z)}`.

    By Jensen's inequality :math:`F \le \ln p(X \mid \theta)`. The gap is the divergence
    :math:`\sum_i KL(q_i \,\Vert\, p(z \mid x_i, \theta))`: the E step closes it, the M step raises *F*, so that the
    likelihood cannot fall.

    Book: cookbook 4.2; section 7.6. Cost: linear in the size of `q`.

    Parameters
    ----------
    q : array of shape (n_samples, n_states)
        A distribution over the latent states of each row.
    theta : object
        Parameters.
    joint : callable
        ``joint(theta)`` gives :math:`\ln p(x_i, z \mid \theta)`, of the shape of `q`.

    Returns
    -------
    LowerBound
        Named tuple of ``bound``, ``log_likelihood`` and ``gap``.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.density import em_lower_bound
    >>> joint = lambda theta: np.log([[0.2, 0.3]])
    >>> [round(part, 6) for part in em_lower_bound([[0.4, 0.6]], None, joint)]
    [-0.693147, -0.693147, 0.0]
    """
    shares = np.asarray(q, dtype=np.float64)
    logs = np.asarray(joint(theta), dtype=np.float64)
    if shares.ndim != 2 or shares.shape != logs.shape:
        raise ValueError(
            f"q and joint(theta) must be of one shape (n_samples, n_states); {shares.shape}, {logs.shape}."
        )
    if (shares < 0).any() or not np.allclose(shares.sum(axis=1), 1.0, rtol=0, atol=1e-8):
        raise ValueError("the rows of q must be distributions: not negative, with sum 1.")
    with np.errstate(invalid="ignore"):
        expected = np.where(shares > 0, shares * logs, 0.0)
    bound = float(expected.sum() - xlogy(shares, shares).sum())
    likelihood = float(logsumexp(logs, axis=1).sum())
    return LowerBound(bound, likelihood, likelihood - bound)


class LikelihoodFell(ValueError):
    """A step lowered the log-likelihood, which a right E and M step never do."""


@dataclass(frozen=True)
class EMResult:
    """What `EM.run` found.

    Attributes
    ----------
    theta : object, the parameters
    posterior : object, what the last E step gave (plug-in values where ``mode="hard"``)
    log_likelihood : float, that of `theta`
    trace : ndarray, log-likelihood of the start and after each iteration
    n_iter : int, iterations
    converged : bool, whether the likelihood settled
    """

    theta: Any
    posterior: Any
    log_likelihood: float
    trace: np.ndarray
    n_iter: int
    converged: bool


@method(
    "density.em",
    "density.em-prototype",
    "density.gem",
    section="7.6",
    task="density",
    kind="function",
    en="EM algorithm",
    zh="EM算法",
    peers=["pomegranate:GeneralMixtureModel"],
)
class EM:
    r"""EM for a model of your own: alternate E and M steps, and see that the likelihood never falls.

    The E step finds the posterior of the latent variables, the M step the parameters that maximise
    :math:`Q(\theta \mid \theta^t) = \mathbb{E}_{Z \mid X, \theta^t} \ln p(X, Z \mid \theta)` (7.36)-(7.37).
    Generalised EM only has to raise *Q*: give an M step that does, or ``m_step="increase"``.

    Book: section 7.6; cookbook 4.2 and 4.4. Cost: that of the steps given, and of one log-likelihood an iteration.

    Parameters
    ----------
    e_step : callable
        ``e_step(X, theta)`` gives the posterior, in any form that your M step takes.
    m_step : callable or "increase"
        ``m_step(X, posterior, theta)`` gives the next parameters. "increase" takes one step up the gradient of
        `expected`, short enough to raise it; parameters are then an array.
    log_likelihood : callable
        ``log_likelihood(X, theta)``, of the observed data.
    mode : {"soft", "hard"}, default="soft"
        "hard" is the book's prototype of EM: the latent variables are fixed at their most probable values before
        the M step. It may lower the likelihood of the observed data, so this is not checked then.
    harden : callable, optional
        ``harden(posterior)`` gives the plug-in values for ``mode="hard"``; by default each row of a matrix of
        probabilities becomes 1 at its largest entry and 0 elsewhere.
    expected : callable, optional
        ``expected(X, posterior, theta)`` is *Q*; needed for ``m_step="increase"``, otherwise not used.
    gradient : callable, optional
        ``gradient(X, posterior, theta)`` of *Q*; by default by differences.
    tol : float, default=1e-8
        Stop once the log-likelihood changes by less than this (or, when hard, the plug-in values repeat).
    max_iter : int, default=1000
        Most iterations of one start.
    n_init : int, default=1
        Number of starts, the most likely result is kept; above 1 the start must be a function.
    on_fall : {"raise", "warn"}, default="raise"
        What to do when a step lowers the likelihood, which says that a step is wrong.
    random_state : int, RandomState or None, default=None
        Handed to a start that is a function.

    Examples
    --------
    Two coins are tossed 10 times a round, the coin of a round is hidden; which biases do the heads suggest?

    >>> import numpy as np
    >>> from scipy.stats import binom
    >>> from lanatus.density import EM
    >>> heads = np.array([5, 9, 8, 4, 7])
    >>> joint = lambda X, theta: 0.5 * binom.pmf(X[:, None], 10, theta)
    >>> em = EM(
    ...     e_step=lambda X, theta: joint(X, theta) / joint(X, theta).sum(axis=1, keepdims=True),
    ...     m_step=lambda X, q, theta: q.T @ X / (10 * q.sum(axis=0)),
    ...     log_likelihood=lambda X, theta: np.log(joint(X, theta).sum(axis=1)).sum(),
    ... )
    >>> em.run(heads, [0.6, 0.5]).theta.round(2).tolist()
    [0.8, 0.52]

    References
    ----------
    Dempster, Laird and Rubin (1977), Maximum likelihood from incomplete data via the EM algorithm. Wu (1983), On the
    convergence properties of the EM algorithm. Neal and Hinton (1998), A view of the EM algorithm that justifies
    incremental, sparse, and other variants.
    """

    _params = {
        "e_step": Function(),
        "m_step": Function() | Choice("increase"),
        "log_likelihood": Function(),
        "mode": Choice("soft", "hard"),
        "harden": Function() | Nothing(),
        "expected": Function() | Nothing(),
        "gradient": Function() | Nothing(),
        "tol": Real(low=0),
        "max_iter": Integer(low=1),
        "n_init": Integer(low=1),
        "on_fall": Choice("raise", "warn"),
        "random_state": RandomState(),
    }

    def __init__(
        self,
        e_step: Callable[..., Any],
        m_step: Any,
        log_likelihood: Callable[..., float],
        *,
        mode: str = "soft",
        harden: Callable[[Any], Any] | None = None,
        expected: Callable[..., float] | None = None,
        gradient: Callable[..., Any] | None = None,
        tol: float = 1e-8,
        max_iter: int = 1000,
        n_init: int = 1,
        on_fall: str = "raise",
        random_state: Any = None,
    ) -> None:
        self.e_step = e_step
        self.m_step = m_step
        self.log_likelihood = log_likelihood
        self.mode = mode
        self.harden = harden
        self.expected = expected
        self.gradient = gradient
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.on_fall = on_fall
        self.random_state = random_state

    def run(self, X: Any, start: Any) -> EMResult:
        """Iterate from a start.

        Parameters
        ----------
        X : object
            The observed data, handed to your functions as it is.
        start : object, or callable
            The first parameters, or ``start(rng)`` that draws them.

        Returns
        -------
        EMResult
        """
        check_params(self)
        if self.m_step == "increase" and self.expected is None:
            raise ValueError('m_step="increase" needs expected(X, posterior, theta), the function to raise.')
        if self.n_init > 1 and not callable(start):
            raise ValueError("n_init above 1 needs a function start(rng) that draws the parameters.")
        rng = check_random_state(self.random_state)
        runs = [self._run(X, start(rng) if callable(start) else start) for _ in range(self.n_init)]
        best = max(runs, key=lambda run: run.log_likelihood)
        if not best.converged:
            warnings.warn(
                f"EM did not converge in {self.max_iter} iterations; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return best

    def _run(self, X: Any, theta: Any) -> EMResult:
        trace = [self._likelihood(X, theta)]
        before: Any = None
        posterior: Any = None
        converged = False
        while len(trace) <= self.max_iter and not converged:
            posterior = self.e_step(X, theta)
            if self.mode == "hard":
                posterior = self._hardened(posterior)
            theta = self._m_step(X, posterior, theta)
            trace.append(self._likelihood(X, theta))
            if self.mode == "soft":
                self._check_rise(trace)
            repeated = self.mode == "hard" and before is not None and np.array_equal(before, posterior)
            converged = repeated or abs(trace[-1] - trace[-2]) < self.tol or trace[-1] == trace[-2]
            before = posterior
        return EMResult(theta, posterior, trace[-1], np.array(trace), len(trace) - 1, converged)

    def _likelihood(self, X: Any, theta: Any) -> float:
        value = float(self.log_likelihood(X, theta))
        if not np.isfinite(value):
            raise ValueError(f"log_likelihood gave {value} for {theta!r}: the data must be possible at every step.")
        return value

    def _hardened(self, posterior: Any) -> Any:
        if self.harden is not None:
            return self.harden(posterior)
        shares = np.asarray(posterior, dtype=np.float64)
        if shares.ndim != 2:
            raise ValueError('mode="hard" needs harden(posterior), or a posterior of shape (n_samples, n_states).')
        return (shares.argmax(axis=1)[:, None] == np.arange(shares.shape[1])).astype(np.float64)

    def _check_rise(self, trace: list[float]) -> None:
        fall = trace[-2] - trace[-1]
        if fall <= ROUNDING * max(1.0, abs(trace[-2])):
            return
        words = (
            f"iteration {len(trace) - 1} lowered the log-likelihood from {trace[-2]:.10g} to {trace[-1]:.10g}: "
            "e_step must give the posterior under theta, and m_step must not lower the expected log-likelihood."
        )
        if self.on_fall == "raise":
            raise LikelihoodFell(words)
        warnings.warn(words, RuntimeWarning, stacklevel=4)

    def _m_step(self, X: Any, posterior: Any, theta: Any) -> Any:
        if callable(self.m_step):
            return self.m_step(X, posterior, theta)
        expected, gradient = self.expected, self.gradient
        assert expected is not None

        def value(at: np.ndarray) -> float:
            return float(expected(X, posterior, at))

        def slope(at: np.ndarray) -> np.ndarray:
            if gradient is None:
                return _differences(value, at)
            return np.asarray(gradient(X, posterior, at), dtype=np.float64)

        return _raised(value, slope, theta)


def _raised(value: Callable[[np.ndarray], float], slope: Callable[[np.ndarray], np.ndarray], theta: Any) -> np.ndarray:
    """One step up the gradient, halved until the function rises (Armijo); the same point where none does."""
    here = np.asarray(theta, dtype=np.float64)
    direction = slope(here)
    steepness = float((direction**2).sum())
    now, step = value(here), 1.0
    while steepness > 0 and step * np.abs(direction).max() > 1e-14 * max(1.0, float(np.abs(here).max())):
        there = here + step * direction
        with np.errstate(all="ignore"):
            reached = value(there)
        if np.isfinite(reached) and reached >= now + 1e-4 * step * steepness:
            return there
        step *= 0.5
    return here


def _differences(value: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    """Gradient by central differences."""
    out = np.empty_like(at)
    for i in np.ndindex(at.shape):
        step = 6e-6 * max(1.0, abs(float(at[i])))
        ahead, behind = at.copy(), at.copy()
        ahead[i] += step
        behind[i] -= step
        out[i] = (value(ahead) - value(behind)) / (2 * step)
    return out
