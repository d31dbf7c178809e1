"""Markov chains of few states: where they settle, and whether they are in balance."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.graph import draw_path
from lanatus.params import check_integer, check_real


class Balance(NamedTuple):
    """How far a distribution is from stationary under a transition matrix, and from detailed balance.

    Attributes
    ----------
    stationary : bool, whether :math:`p T = p`
    detailed : bool, whether :math:`p_i T_{ij} = p_j T_{ji}` for all states (14.26)
    gap : float, the largest :math:`|p T - p|`
    detailed_gap : float, the largest :math:`|p_i T_{ij} - p_j T_{ji}|`
    """

    stationary: bool
    detailed: bool
    gap: float
    detailed_gap: float


@method(
    "graphical.detailed-balance",
    section="14.5.1",
    task="inference",
    kind="theory",
    en="Detailed balance",
    zh="细致平稳条件",
)
def check_detailed_balance(p: Any, transition: Any, *, tol: float = 1e-10) -> Balance:
    r"""Whether a distribution is stationary under a transition matrix, and in detailed balance with it.

    :math:`p(x^t) T(x^{t-1} \mid x^t) = p(x^{t-1}) T(x^t \mid x^{t-1})` (14.26) makes p stationary; not the other way.

    Book: section 14.5.1.

    Parameters
    ----------
    p : array of shape (k,)
        The distribution.
    transition : array of shape (k, k)
        The matrix, a row for each state that is left.
    tol : float, default=1e-10
        Up to which a gap counts as none.

    Returns
    -------
    Balance

    Examples
    --------
    >>> from lanatus.graphical import check_detailed_balance
    >>> round_about = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    >>> balance = check_detailed_balance([1 / 3, 1 / 3, 1 / 3], round_about)
    >>> balance.stationary, balance.detailed
    (True, False)
    """
    T = transition_matrix(transition)
    weights = np.asarray(p, dtype=np.float64)
    if weights.shape != (len(T),) or (weights < 0).any() or not np.isclose(weights.sum(), 1.0):
        raise ValueError(f"p must be {len(T)} probabilities that sum to 1, got {p!r:.100}.")
    tol = check_real("tol", tol, 0)
    flow = weights[:, None] * T
    gap, detailed = float(np.abs(weights @ T - weights).max()), float(np.abs(flow - flow.T).max())
    return Balance(gap <= tol, detailed <= tol, gap, detailed)


@method(
    "graphical.markov-chain",
    section="14.1",
    task="sequences",
    kind="model",
    en="Markov chain",
    zh="马尔可夫链",
)
class MarkovChain:
    r"""A chain of states, each of which depends on the one before alone, :math:`P(x_t \mid x_{t-1})`.

    Book: sections 14.1 and 14.5.1. Cost: a step is a look-up; the stationary distribution solves a system of *k*
    equations.

    Parameters
    ----------
    transition : array of shape (k, k)
        Probabilities of the next state, a row for each state that is left.
    initial : array of shape (k,), optional
        Those of the first; by default all are as likely.
    states : sequence, optional
        Names of the states; 0, 1, ... by default.

    Attributes
    ----------
    transition : ndarray of shape (k, k)
    initial : ndarray of shape (k,)
    states : tuple

    Examples
    --------
    >>> from lanatus.graphical import MarkovChain
    >>> weather = MarkovChain([[0.9, 0.1], [0.5, 0.5]], states=["sun", "rain"])
    >>> weather.stationary().round(4).tolist(), weather.is_ergodic()
    ([0.8333, 0.1667], True)
    """

    def __init__(self, transition: Any, *, initial: Any = None, states: Sequence[Hashable] | None = None) -> None:
        self.transition = transition_matrix(transition)
        k = len(self.transition)
        first = np.full(k, 1 / k) if initial is None else np.array(initial, dtype=np.float64)
        if first.shape != (k,) or (first < 0).any() or not np.isclose(first.sum(), 1.0, atol=1e-6):
            raise ValueError(f"initial must be {k} probabilities that sum to 1, got {initial!r:.100}.")
        self.initial = first / first.sum()
        self.states: tuple[Hashable, ...] = tuple(range(k)) if states is None else tuple(states)
        if len(self.states) != k or len(set(self.states)) != k:
            raise ValueError(f"wanted {k} different names of states, got {list(self.states)[:10]}.")

    @classmethod
    def from_sequences(cls, sequences: Sequence[Sequence[Hashable]], *, alpha: float = 0.0) -> Self:
        """Learn a chain by counting first states and steps.

        Parameters
        ----------
        sequences : sequence of sequences of states
            What was observed.
        alpha : float, default=0.0
            Added to every count. Where a state is never left and nothing is added, all steps are as likely.
        """
        alpha = check_real("alpha", alpha, 0)
        states = tuple(sorted({state for sequence in sequences for state in sequence}))  # type: ignore[type-var]
        place = {state: i for i, state in enumerate(states)}
        if not states:
            raise ValueError("there is no state in the sequences.")
        counts, first = np.full((len(states), len(states)), alpha), np.full(len(states), alpha)
        for sequence in sequences:
            codes = [place[state] for state in sequence]
            if codes:
                first[codes[0]] += 1
            np.add.at(counts, (codes[:-1], codes[1:]), 1)
        total = counts.sum(axis=1, keepdims=True)
        steps = np.where(total > 0, counts / np.where(total > 0, total, 1), 1 / len(states))
        return cls(steps, initial=first / first.sum(), states=states)

    def stationary(self) -> np.ndarray:
        """The distribution that a step leaves as it is; an error where there are several."""
        closed = self._closed_classes()
        if len(closed) > 1:
            raise ValueError(
                f"there are {len(closed)} sets of states that are never left, "
                f"e.g. {[self.states[i] for i in closed[0]]}, and as many stationary distributions; where a chain "
                "settles depends on where it begins."
            )
        own = closed[0]
        # Of the equations p T = p one follows from the others; that all sums to 1 takes its place.
        system = (self.transition[np.ix_(own, own)] - np.eye(len(own))).T
        system[-1] = 1.0
        found = np.zeros(len(self.transition))
        found[own] = np.linalg.solve(system, np.eye(len(own))[-1])
        found = np.maximum(found, 0.0)
        return np.asarray(found / found.sum())

    def _closed_classes(self) -> list[np.ndarray]:
        count, labels = connected_components(self.transition > 0, directed=True, connection="strong")
        groups = [np.flatnonzero(labels == c) for c in range(count)]
        return [own for own in groups if not (self.transition[own][:, labels != labels[own[0]]] > 0).any()]

    def period(self) -> int:
        """The common divisor of all ways back, of the states that are never left; 1 is aperiodic."""
        own = self._closed_classes()[0]
        steps = self.transition[np.ix_(own, own)] > 0
        depth, waiting, period = {0: 0}, [0], 0
        while waiting:
            i = waiting.pop()
            for j in np.flatnonzero(steps[i]).tolist():
                if j in depth:
                    period = int(np.gcd(period, depth[i] + 1 - depth[j]))
                else:
                    depth[j] = depth[i] + 1
                    waiting.append(j)
        return period

    def is_ergodic(self) -> bool:
        """Whether the chain settles at one distribution wherever it begins."""
        return len(self._closed_classes()) == 1 and self.period() == 1

    def distribution(self, t: int) -> np.ndarray:
        """Probabilities of the states after *t* steps."""
        return np.asarray(self.initial @ np.linalg.matrix_power(self.transition, check_integer("t", t, 0)))

    def log_probability(self, sequence: Sequence[Hashable]) -> float:
        """ln P of a sequence of states."""
        codes = [self.states.index(state) for state in sequence]
        if not codes:
            return 0.0
        with np.errstate(divide="ignore"):
            return float(np.log(self.initial[codes[0]]) + np.log(self.transition[codes[:-1], codes[1:]]).sum())

    def sample(self, n_samples: int = 1, *, random_state: Any = None) -> np.ndarray:
        """A sequence drawn from the chain."""
        uniform = check_random_state(random_state).random_sample(check_integer("n_samples", n_samples, 1))
        return np.array(self.states)[draw_path(self.initial, self.transition, uniform)]


def transition_matrix(values: Any) -> np.ndarray:
    """A matrix whose rows are probabilities, checked."""
    T = np.array(values, dtype=np.float64)
    if T.ndim != 2 or T.shape[0] != T.shape[1] or not len(T):
        raise ValueError(f"a transition matrix is square, got shape {T.shape}.")
    if (T < 0).any() or not np.isfinite(T).all() or not np.allclose(T.sum(axis=1), 1.0, atol=1e-6):
        raise ValueError("the rows of a transition matrix must be probabilities that sum to 1.")
    return T / T.sum(axis=1, keepdims=True)
