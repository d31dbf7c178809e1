"""What hidden Markov models share: the chain of states, the three tasks of section 14.1, Baum-Welch."""

from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, StateError, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress, Restart
from lanatus.graph import Chains, draw_path, forward, forward_backward, viterbi
from lanatus.graphical.sequences._intake import Sequences
from lanatus.params import Array, Integer, Nothing, RandomState, Real

State = dict[str, Any]

RULES = {
    "n_components": Integer(low=1),
    "startprob": Array(ndim=1) | Nothing(),
    "transmat": Array(ndim=2) | Nothing(),
    "startprob_prior": Real(low=0, below=np.inf),
    "transmat_prior": Real(low=0, below=np.inf),
    "n_init": Integer(low=1),
    "max_iter": Integer(low=0),
    "tol": Real(low=0, below=np.inf),
    "random_state": RandomState(),
}


class HiddenMarkovModel(CallbackSupportMixin, Estimator):
    """A chain of hidden states, each of which says what is observed; subclasses say how."""

    _state: ClassVar[Mapping[str, Any]] = {
        "startprob_": Floats("states", low=0.0),
        "transmat_": Floats("states", "states", low=0.0),
    }

    n_components: int
    startprob: Any
    transmat: Any
    startprob_prior: float
    transmat_prior: float
    n_init: int
    max_iter: int
    tol: float
    random_state: Any
    startprob_: np.ndarray
    transmat_: np.ndarray
    log_likelihoods_: np.ndarray
    n_iter_: int

    # ---------------------------------------------------------------- what a kind of observation says

    @abstractmethod
    def _sequences(self, X: Any, lengths: Any) -> Sequences:
        """The observations of one or several sequences."""

    @abstractmethod
    def _learn_range(self, values: np.ndarray) -> np.ndarray:
        """What can be observed, learned of all observations; the observations as the other methods want them."""

    @abstractmethod
    def _coded(self, values: np.ndarray) -> np.ndarray:
        """Observations as the other methods want them, matched to what was learned."""

    @abstractmethod
    def _start_emission(self, values: np.ndarray, rng: np.random.RandomState) -> State:
        """Where the parameters of the observations begin."""

    @abstractmethod
    def _log_emission(self, values: np.ndarray, state: State) -> np.ndarray:
        """ln P(observation | state) for each place and state, 0 where nothing was observed."""

    @abstractmethod
    def _improved_emission(self, values: np.ndarray, shares: np.ndarray, state: State) -> State:
        """The parameters of the observations that are likeliest given weights of the states in each place."""

    @abstractmethod
    def _drawn(self, states: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """An observation for each state."""

    # ---------------------------------------------------------------- learning

    @fitting
    def fit(self, X: Any, y: Any = None, lengths: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one or several sequences, by Baum-Welch.

        Parameters
        ----------
        X : list of sequences, or array of shape (n_places,) or (n_places, n_features)
            What was observed; a missing value says nothing.
        y : Ignored
            For scikit-learn's sake.
        lengths : array of int, optional
            Lengths of the sequences that an array holds one behind the other; by default it is one.
        sample_weight : array of shape (n_sequences,), optional
            Weights of the sequences.
        """
        data = self._sequences(X, lengths)
        values = self._learn_range(data.values)
        weights = None if sample_weight is None else self._weights(sample_weight, np.empty((len(data), 1)))
        if weights is not None and not weights.any():
            raise ValueError("all sequences have weight 0; wanted one with a weight above 0.")
        progress = Progress(self, values, weights, restarts=self.n_init, max_iter=max(self.max_iter, 1))
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_init)
        best = progress.best_restart(seeds, partial(self._restart, data.start, values, weights), _likelier)
        if not best["converged"] and self.max_iter:
            warn_unconverged(self)
        learned = self._learned(best)
        for name, value in learned.items():
            setattr(self, name, value)
        progress.finish(learned)
        return self

    def _restart(self, start: np.ndarray, values: np.ndarray, weights: np.ndarray | None, restart: Restart) -> State:
        """Baum-Welch from one start: expected steps and observations, then the parameters that fit them best."""
        state = restart.saved or self._first(values, check_random_state(restart.seed))
        trace = list(state.pop("trace", []))
        converged = False
        for iteration in restart.iterations(len(trace)):
            if iteration.number >= self.max_iter:
                break
            state, likelihood = self._step(start, values, weights, state)
            trace.append(likelihood)
            result = {**state, "trace": np.array(trace)}
            iteration.done(
                state=partial(dict, result), attributes=partial(self._learned, {**result, "converged": True})
            )
            if iteration.stop or (len(trace) > 1 and trace[-1] - trace[-2] <= self.tol):
                converged = True
                break
        return {**state, "trace": np.array(trace), "converged": converged}

    def _first(self, values: np.ndarray, rng: np.random.RandomState) -> State:
        k = self.n_components
        given = [
            given_chances(self.startprob, "startprob", (k,)),
            given_chances(self.transmat, "transmat", (k, k)),
        ]
        drawn = [rng.dirichlet(np.full(k, 10.0)), rng.dirichlet(np.full(k, 10.0), size=k)]
        first = [one if one is not None else other for one, other in zip(given, drawn, strict=True)]
        return {"startprob": first[0], "transmat": first[1], **self._start_emission(values, rng)}

    def _step(
        self, start: np.ndarray, values: np.ndarray, weights: np.ndarray | None, state: State
    ) -> tuple[State, float]:
        """One round of Baum-Welch, and the likelihood before it."""
        chains = Chains(self._log_emission(values, state), start, state["startprob"], state["transmat"])
        found = forward_backward(chains, weights=weights)
        if np.isneginf(found.log_sum).any():
            raise ValueError(
                f"sequence {int(np.flatnonzero(np.isneginf(found.log_sum))[0])} is impossible under the parameters "
                "that fit began with: some state or symbol that it needs has probability 0 there."
            )
        shares, own = found.states, np.ones(len(start) - 1) if weights is None else weights
        first = own[np.diff(start) > 0] @ shares[start[:-1][np.diff(start) > 0]]
        if weights is not None:
            shares = shares * np.repeat(weights, np.diff(start))[:, None]
        improved = {
            "startprob": rows_of_chances(first + (self.startprob_prior - 1), state["startprob"]),
            "transmat": rows_of_chances(found.pairs + (self.transmat_prior - 1), state["transmat"]),
            **self._improved_emission(values, shares, state),
        }
        return improved, float(own @ found.log_sum)

    def _learned(self, state: State) -> State:
        trace = np.asarray(state["trace"])
        learned = {f"{name}_": state[name] for name in state if name not in ("trace", "converged")}
        return {**learned, "log_likelihoods_": trace, "n_iter_": len(trace), "converged_": bool(state["converged"])}

    def _require_sound(self) -> None:
        for name in ("startprob_", "transmat_"):
            if not np.allclose(getattr(self, name).sum(axis=-1), 1.0, atol=1e-6):
                raise StateError(f"{name} has probabilities that do not sum to 1")

    # ---------------------------------------------------------------- the three tasks

    def _chains(self, X: Any, lengths: Any) -> tuple[Chains, Sequences]:
        check_is_fitted(self)
        data = self._sequences(X, lengths)
        state = {name.removesuffix("_"): value for name, value in vars(self).items() if name.endswith("_")}
        return Chains(
            self._log_emission(self._coded(data.values), state), data.start, self.startprob_, self.transmat_
        ), data

    def score(self, X: Any, y: Any = None, lengths: Any = None) -> float:
        """ln P(X), summed over sequences; -inf for what the model holds impossible."""
        return float(forward(self._chains(X, lengths)[0])[1].sum())

    def score_samples(self, X: Any, lengths: Any = None) -> np.ndarray:
        """ln P of each sequence."""
        return forward(self._chains(X, lengths)[0])[1]

    def predict_proba(self, X: Any, lengths: Any = None) -> Any:
        """Probabilities of the states in each place, given the whole sequence."""
        chains, data = self._chains(X, lengths)
        found = forward_backward(chains, pairs=False)
        _require_possible(found.log_sum)
        return data.shaped(found.states)

    def decode(self, X: Any, lengths: Any = None, *, algorithm: str = "viterbi") -> tuple[float, Any]:
        """The states behind the observations, and the logarithm of their joint probability.

        Parameters
        ----------
        X : list of sequences or array
            What was observed.
        lengths : array of int, optional
            Lengths of the sequences in an array.
        algorithm : {"viterbi", "map"}, default="viterbi"
            The likeliest path as a whole, or in each place the state that is likeliest there.
        """
        chains, data = self._chains(X, lengths)
        if algorithm == "viterbi":
            path, log_product = viterbi(chains)
            _require_possible(log_product)
        elif algorithm == "map":
            found = forward_backward(chains, pairs=False)
            _require_possible(found.log_sum)
            path = found.states.argmax(axis=1).astype(np.int32)
            log_product = np.array([_log_product(chains, path, s) for s in range(len(data))])
        else:
            raise ValueError(f"algorithm must be 'viterbi' or 'map', got {algorithm!r}.")
        return float(log_product.sum()), data.shaped(path)

    def predict(self, X: Any, lengths: Any = None) -> Any:
        """The likeliest path of states."""
        return self.decode(X, lengths)[1]

    def predict_next_state(self, X: Any, lengths: Any = None) -> np.ndarray:
        """Probabilities of the state that comes after each sequence."""
        chains, data = self._chains(X, lengths)
        filtered, log_sum = forward(chains)
        _require_possible(log_sum)
        lasting = np.diff(data.start) > 0
        ahead = np.tile(self.startprob_, (len(data), 1))
        ahead[lasting] = filtered[data.start[1:][lasting] - 1] @ self.transmat_
        return ahead

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Observations and states drawn from the model.

        Parameters
        ----------
        n_samples : int, default=1
            How many places.
        random_state : int, RandomState or None, default=None
            Draws them; None is the parameter of this name.
        """
        check_is_fitted(self)
        rng = check_random_state(self.random_state if random_state is None else random_state)
        states = draw_path(self.startprob_, self.transmat_, rng.random_sample(n_samples))
        return self._drawn(states, rng), states


def _likelier(one: State, other: State) -> bool:
    return bool(len(one["trace"]) and one["trace"][-1] > other["trace"][-1])


def given_chances(values: Any, name: str, shape: tuple[int, ...]) -> np.ndarray | None:
    """Probabilities that the user gave, checked."""
    if values is None:
        return None
    chances = np.array(values, dtype=np.float64)
    if chances.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {chances.shape}.")
    if not ((chances >= 0).all() and np.allclose(chances.sum(axis=-1), 1.0, atol=1e-6)):
        raise ValueError(f"{name} must be probabilities that sum to 1, got {chances.tolist()!r:.120}.")
    return chances / chances.sum(axis=-1, keepdims=True)


def rows_of_chances(counts: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Counts as shares of their rows; a row of none keeps what it had, so that a state nobody visits is no NaN."""
    counts = np.maximum(counts, 0.0)
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1.0), before)


def _require_possible(log_sums: np.ndarray) -> None:
    if np.isneginf(log_sums).any():
        raise ValueError(
            f"sequence {int(np.flatnonzero(np.isneginf(log_sums))[0])} has probability 0 under this model: no path of "
            "states can have brought it about. Learn with a prior above 1, so that nothing is impossible."
        )


def _log_product(chains: Chains, path: np.ndarray, s: int) -> float:
    """Logarithm of what one path of a sequence weighs."""
    begin, end = chains.start[s], chains.start[s + 1]
    own = path[begin:end]
    if not len(own):
        return 0.0
    with np.errstate(divide="ignore"):
        steps = np.log(chains.transition[own[:-1], own[1:]]).sum()
        return float(np.log(chains.initial[own[0]]) + steps + chains.potential[np.arange(begin, end), own].sum())
