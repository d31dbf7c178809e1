"""The Boltzmann machine: energy, distribution, and learning by matching correlations."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy import special
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, check_is_fitted, check_positive_weight, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import Integer, Real, rules_for
from lanatus.scale import blockwise

_MOST_EXACT = 16  # units whose states are all looked at


def boltzmann_energy(s: Any, W: Any, theta: Any) -> np.ndarray:
    r"""Energy :math:`-\sum_{i<j} w_{ij} s_i s_j - \sum_i \theta_i s_i` of states (5.20); theta is added, not taken off.

    Book: section 5.5.6.

    Parameters
    ----------
    s : array of shape (n_units,) or (n_states, n_units)
        States, of 0 and 1.
    W : array of shape (n_units, n_units)
        Symmetric weights; the diagonal does not count.
    theta : array of shape (n_units,)
        Constants.

    Returns
    -------
    float, or ndarray of shape (n_states,)

    Examples
    --------
    >>> from lanatus.neural import boltzmann_energy
    >>> float(boltzmann_energy([1, 1], [[0, 2], [2, 0]], [0.5, -1.0]))
    -1.5
    """
    s, W, theta = (np.asarray(part, dtype=np.float64) for part in (s, W, theta))
    W, theta = _sound_machine(W, theta)
    if s.shape[-1:] != theta.shape:
        raise ValueError(f"s must have {len(theta)} units a state; got shape {s.shape}.")
    return np.asarray(-0.5 * np.sum((s @ W) * s, axis=-1) - s @ theta)


def boltzmann_distribution(W: Any, theta: Any) -> tuple[np.ndarray, np.ndarray]:
    """All states of a small machine and their probabilities (5.21), by looking at each.

    Book: section 5.5.6. Cost: O(2^n n^2), for at most 16 units.

    Parameters
    ----------
    W : array of shape (n_units, n_units)
        Symmetric weights; the diagonal does not count.
    theta : array of shape (n_units,)
        Constants.

    Returns
    -------
    ndarray of shape (2^n_units, n_units), the states, counting up in binary
    ndarray of shape (2^n_units,), their probabilities

    Examples
    --------
    >>> from lanatus.neural import boltzmann_distribution
    >>> states, chances = boltzmann_distribution([[0, 0], [0, 0]], [0.0, 0.0])
    >>> states.astype(int).tolist(), chances.tolist()
    ([[0, 0], [0, 1], [1, 0], [1, 1]], [0.25, 0.25, 0.25, 0.25])
    """
    W, theta = _sound_machine(np.asarray(W, dtype=np.float64), np.asarray(theta, dtype=np.float64))
    if len(theta) > _MOST_EXACT:
        raise ValueError(f"{len(theta)} units have too many states to look at all; wanted at most {_MOST_EXACT}.")
    states = _states(len(theta))
    return states, np.asarray(special.softmax(-boltzmann_energy(states, W, theta)))


def gibbs_sample(
    W: Any, theta: Any, n_samples: int = 1000, *, burn_in: int = 100, n_chains: int = 100, random_state: Any = None
) -> np.ndarray:
    """States drawn from a Boltzmann machine, unit after unit, in chains side by side.

    Book: section 5.5.6. Cost: O(n^2) a sweep and chain.

    Parameters
    ----------
    W : array of shape (n_units, n_units)
        Symmetric weights; the diagonal does not count.
    theta : array of shape (n_units,)
        Constants.
    n_samples : int, default=1000
        States wanted.
    burn_in : int, default=100
        Sweeps before the first is kept.
    n_chains : int, default=100
        Chains; each gives a state a sweep.
    random_state : int, RandomState or None, default=None
        Draws.

    Returns
    -------
    ndarray of shape (n_samples, n_units)

    Examples
    --------
    >>> from lanatus.neural import gibbs_sample
    >>> drawn = gibbs_sample([[0, 0], [0, 0]], [2.0, -2.0], 2000, random_state=0)
    >>> drawn.mean(axis=0).round(1).tolist()
    [0.9, 0.1]
    """
    W, theta = _sound_machine(np.asarray(W, dtype=np.float64), np.asarray(theta, dtype=np.float64))
    rng = check_random_state(random_state)
    chains = (rng.rand(n_chains, len(theta)) < 0.5).astype(np.float64)
    for _ in range(burn_in):
        _sweep(chains, W, theta, rng)
    kept: list[np.ndarray] = []
    while sum(len(states) for states in kept) < n_samples:
        _sweep(chains, W, theta, rng)
        kept.append(chains.copy())
    return np.concatenate(kept)[:n_samples]


def _sound_machine(W: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = len(theta)
    if theta.ndim != 1 or W.shape != (n, n) or not (np.isfinite(W).all() and np.isfinite(theta).all()):
        raise ValueError(f"W must be of shape (n, n) and theta of (n,), finite; got {W.shape} and {theta.shape}.")
    if not np.allclose(W, W.T):
        raise ValueError("W must be symmetric; take (W + W.T) / 2, or fill both halves.")
    return W - np.diag(np.diag(W)), theta


def _states(n: int) -> np.ndarray:
    return ((np.arange(2**n)[:, None] >> np.arange(n)[::-1]) & 1).astype(np.float64)


def _sweep(chains: np.ndarray, W: np.ndarray, theta: np.ndarray, rng: np.random.RandomState, first: int = 0) -> None:
    """Each unit from `first` on drawn anew, given all the others."""
    for i in range(first, len(theta)):
        chains[:, i] = rng.rand(len(chains)) < special.expit(chains @ W[i] + theta[i])


@method(
    "neural.boltzmann-machine",
    section="5.5.6",
    task="density",
    en="Boltzmann machine",
    zh="Boltzmann机",
)
class BoltzmannMachine(CallbackSupportMixin, DensityMixin, Estimator):
    r"""Boltzmann machine: Boolean units, all connected, whose states have the probability :math:`e^{-E} / Z`.

    :math:`E(s) = -\sum_{i<j} w_{ij} s_i s_j - \sum_i \theta_i s_i` (5.20), (5.21). The weights go up the likelihood of
    the rows: :math:`\Delta w_{ij} = \eta (\langle s_i s_j \rangle_{data} - \langle s_i s_j \rangle_{model})`. With at
    most 16 units both means are exact; beyond, they are those of Gibbs chains.

    Book: section 5.5.6, figure 5.14(a). Cost: O(2^n n^2) a round where exact, O(chains n^2) with chains.

    Parameters
    ----------
    n_hidden : int, default=0
        Hidden units beside the visible ones, a column each.
    eta : float, default=0.5
        Rate.
    max_iter : int, default=300
        Rounds.
    tol : float, default=1e-5
        Stop once no slope is larger.
    decay : float, default=1e-4
        Strength of the squared weights.
    n_chains : int, default=200
        Chains where there are too many units to look at all states.
    random_state : int, RandomState or None, default=None
        Draws first weights and chains.

    Attributes
    ----------
    weights_ : ndarray of shape (n_units, n_units), symmetric, visible units first
    biases_ : ndarray of shape (n_units,), the thetas
    middle_ : ndarray of shape (n_columns,), values above which a column is 1
    log_likelihood_ : float, mean of the rows, where exact; NaN with chains
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Columns of 0 and 1 are taken as they are, others are 1 above the middle of their range.

    Examples
    --------
    >>> from lanatus.neural import BoltzmannMachine
    >>> model = BoltzmannMachine(random_state=0).fit([[0, 0], [1, 1], [1, 1], [0, 0]])
    >>> bool(model.score_samples([[1, 1]])[0] > model.score_samples([[0, 1]])[0])
    True

    References
    ----------
    Ackley, Hinton and Sejnowski (1985), A learning algorithm for Boltzmann machines.
    """

    _state: ClassVar = {
        "weights_": Floats("units", "units"),
        "biases_": Floats("units"),
        "middle_": Floats("columns"),
    }

    weights_: np.ndarray
    biases_: np.ndarray
    middle_: np.ndarray
    log_likelihood_: float
    n_iter_: int

    def __init__(
        self,
        n_hidden: int = 0,
        *,
        eta: float = 0.5,
        max_iter: int = 300,
        tol: float = 1e-5,
        decay: float = 1e-4,
        n_chains: int = 200,
        random_state: Any = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.eta = eta
        self.max_iter = max_iter
        self.tol = tol
        self.decay = decay
        self.n_chains = n_chains
        self.random_state = random_state

    _params = rules_for(
        __init__, n_hidden=Integer(low=0), eta=Real(above=0), decay=Real(low=0), n_chains=Integer(low=1)
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the distribution of the rows; `sample_weight` says how much each counts, y is ignored."""
        taken = np.asarray(self._take(X, reset=True), dtype=np.float64)
        weight = self._weights(sample_weight, taken)
        check_positive_weight(weight)
        low, high = taken.min(axis=0), taken.max(axis=0)
        self.middle_ = np.where((low >= 0) & (high <= 1), 0.5, low + (high - low) / 2)
        visible = (taken > self.middle_).astype(np.float64)
        rows, counts = _distinct(visible, weight)
        rng = check_random_state(self.random_state)
        n = rows.shape[1] + self.n_hidden
        half = np.triu(rng.normal(0, 0.1 if self.n_hidden else 0.0, (n, n)), 1)
        progress = Progress(self, taken, weight, max_iter=self.max_iter)
        saved = progress.saved or {"W": half + half.T, "theta": np.zeros(n), "n_iter": 0}
        W, theta, self.n_iter_ = np.array(saved["W"]), np.array(saved["theta"]), int(saved["n_iter"])
        chains = (rng.rand(self.n_chains, n) < 0.5).astype(np.float64)
        seed = int(rng.randint(2**31 - 1))
        for iteration in progress.iterations(start=self.n_iter_):
            draw = np.random.RandomState((seed + iteration.number) % 2**32)
            wanted, mean = self._of_data(rows, counts, W, theta, draw)
            got, average = self._of_model(W, theta, chains, draw)
            slope = wanted - got - self.decay * W
            np.fill_diagonal(slope, 0)
            W, theta = W + self.eta * slope, theta + self.eta * (mean - average)
            self.n_iter_ = iteration.number + 1
            iteration.done(
                state=partial(dict, W=W, theta=theta, n_iter=self.n_iter_),
                attributes=partial(self._learned, rows, counts, W, theta, self.n_iter_),
            )
            if iteration.stop or max(np.abs(slope).max(), np.abs(mean - average).max()) <= self.tol:
                break
        found = self._learned(rows, counts, W, theta, self.n_iter_)
        for name, value in found.items():
            setattr(self, name, value)
        progress.finish(found)
        return self

    def _of_data(
        self, rows: np.ndarray, counts: np.ndarray, W: np.ndarray, theta: np.ndarray, rng: np.random.RandomState
    ) -> tuple[np.ndarray, np.ndarray]:
        """Means of the products and of the units, with the visible units as in the rows."""
        d, share = rows.shape[1], counts / counts.sum()
        if not self.n_hidden:
            return (rows.T * share) @ rows, share @ rows
        if len(theta) <= _MOST_EXACT:
            hidden = _states(self.n_hidden)
            given = rows @ W[:d, d:] + theta[d:]
            inner = -boltzmann_energy(hidden, W[d:, d:], np.zeros(self.n_hidden))
            chance = special.softmax(given @ hidden.T + inner, axis=1)
            mean = chance @ hidden
            heavy = share @ chance
            both = (hidden.T * heavy) @ hidden
        else:
            start = (rng.rand(len(rows), self.n_hidden) < 0.5).astype(np.float64)
            chains = np.hstack([rows, start])
            for _ in range(10):
                _sweep(chains, W, theta, rng, first=d)
            mean = chains[:, d:]
            both = (mean.T * share) @ mean
        across = (rows.T * share) @ mean
        return np.block([[(rows.T * share) @ rows, across], [across.T, both]]), np.append(share @ rows, share @ mean)

    def _of_model(
        self, W: np.ndarray, theta: np.ndarray, chains: np.ndarray, rng: np.random.RandomState
    ) -> tuple[np.ndarray, np.ndarray]:
        """Means of the products and of the units, as the machine has them by itself."""
        if len(theta) <= _MOST_EXACT:
            states, chance = boltzmann_distribution(W, theta)
            return (states.T * chance) @ states, chance @ states
        for _ in range(3):
            _sweep(chains, W, theta, rng)
        return chains.T @ chains / len(chains), chains.mean(axis=0)

    def _learned(
        self, rows: np.ndarray, counts: np.ndarray, W: np.ndarray, theta: np.ndarray, n_iter: int
    ) -> dict[str, Any]:
        exact = len(theta) <= _MOST_EXACT
        told = float(np.average(_log_chance(rows, W, theta), weights=counts)) if exact else float("nan")
        return {
            "weights_": W,
            "biases_": theta,
            "log_likelihood_": told,
            "n_iter_": n_iter,
            "middle_": self.middle_,
        }

    @blockwise
    def score_samples(self, X: Any) -> np.ndarray:
        """Log probability of each row of X; of more than 16 units up to a constant, without hidden ones."""
        check_is_fitted(self)
        rows = (np.asarray(self._take(X, reset=False)) > self.middle_).astype(np.float64)
        if len(self.biases_) <= _MOST_EXACT:
            return _log_chance(rows, self.weights_, self.biases_)
        if len(self.biases_) > rows.shape[1]:
            raise ValueError(f"hidden units among more than {_MOST_EXACT} have too many states to sum over.")
        return -boltzmann_energy(rows, self.weights_, self.biases_)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log probability of the rows of X; y is ignored."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Visible units drawn from what was learned.

        Parameters
        ----------
        n_samples : int, default=1
            How many rows.
        random_state : int, RandomState or None, default=None
            Draws.
        """
        check_is_fitted(self)
        drawn = gibbs_sample(self.weights_, self.biases_, n_samples, random_state=random_state)
        return drawn[:, : len(self.middle_)]


def _distinct(rows: np.ndarray, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    return distinct, np.bincount(place.ravel(), weights=weight, minlength=len(distinct)).astype(np.float64)


def _log_chance(rows: np.ndarray, W: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Log probability of visible units, hidden ones summed out, of a machine whose states can all be looked at."""
    d = rows.shape[1]
    states = _states(len(theta))
    total = special.logsumexp(-boltzmann_energy(states, W, theta))
    hidden = _states(len(theta) - d) if len(theta) > d else np.empty((1, 0))
    own = -boltzmann_energy(rows, W[:d, :d], theta[:d])
    inner = -boltzmann_energy(hidden, W[d:, d:], theta[d:]) if len(theta) > d else np.zeros(1)
    return np.asarray(own + special.logsumexp((rows @ W[:d, d:]) @ hidden.T + inner, axis=1) - total)
