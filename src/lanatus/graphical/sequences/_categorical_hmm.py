"""Hidden Markov models that show symbols."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from lanatus.base import Floats, StateError, check_is_fitted
from lanatus.catalog import method
from lanatus.graphical.sequences._hidden_markov import (
    RULES,
    HiddenMarkovModel,
    State,
    given_chances,
    rows_of_chances,
)
from lanatus.graphical.sequences._intake import Sequences, code_symbols, learn_symbols, symbol_sequences
from lanatus.params import Array, Nothing, Real, rules_for


@method(
    "graphical.hmm",
    "graphical.hmm-evaluation",
    "graphical.hmm-decoding",
    "graphical.hmm-learning",
    "graphical.hmm-next-observation",
    section="14.1",
    task="sequences",
    kind="model",
    en="Hidden Markov model",
    zh="隐马尔可夫模型",
    peers=["hmmlearn:CategoricalHMM"],
)
class CategoricalHMM(HiddenMarkovModel):
    r"""A hidden Markov model: a chain of states that nobody sees, each of which shows a symbol.

    :math:`P(x, y) = P(y_1) P(x_1 \mid y_1) \prod_{t \ge 2} P(y_t \mid y_{t-1}) P(x_t \mid y_t)` (14.1). ``score`` sums
    over all paths of states by the forward recursion, ``decode`` finds the likeliest one by Viterbi's, and ``fit``
    learns :math:`\pi`, *A* and *B* by Baum-Welch, which never lowers the likelihood.

    Book: section 14.1, figure 14.1. Kernel: ``cpp/graph/chains.hpp``. Cost: :math:`O(nk^2)` a round for *n* places and
    *k* states, by threads over the sequences; memory :math:`O(nk)`.

    Parameters
    ----------
    n_components : int, default=1
        Number of states, *k*.
    startprob : array of shape (n_components,), optional
        Where the probabilities of the first state begin; drawn by default.
    transmat : array of shape (n_components, n_components), optional
        Where those of the steps begin, a row for each state that is left.
    emissionprob : array of shape (n_components, n_symbols), optional
        Where those of the symbols begin.
    symbols : array, optional
        All symbols that there are, in the order of the columns; by default those of ``fit``, sorted.
    startprob_prior : float, default=1.0
        Parameter of a symmetric Dirichlet prior of the first state: one less is added to every count.
    transmat_prior : float, default=1.0
        The same of each row of steps.
    emissionprob_prior : float, default=1.0
        The same of the symbols of each state.
    n_init : int, default=1
        Number of starts; the one with the highest likelihood is kept.
    max_iter : int, default=100
        Most rounds of a start; 0 keeps the start.
    tol : float, default=1e-2
        Stop once the log-likelihood of all sequences rises by no more.
    random_state : int, RandomState or None, default=None
        Draws the starts, and what ``sample`` draws.

    Attributes
    ----------
    startprob_ : ndarray of shape (n_components,), :math:`\pi`
    transmat_ : ndarray of shape (n_components, n_components), *A*
    emissionprob_ : ndarray of shape (n_components, n_symbols), *B*
    symbols_ : ndarray of shape (n_symbols,), the symbols of its columns
    log_likelihoods_ : ndarray of shape (n_iter_,), the log-likelihood before each round
    n_iter_ : int, rounds of the kept start
    converged_ : bool, whether the likelihood settled

    Notes
    -----
    A missing symbol, None or NaN, is summed over. A state that no place visits keeps its rows. A symbol that ``fit``
    did not see is an error, unless `symbols` names it.

    Examples
    --------
    >>> from lanatus.graphical import CategoricalHMM
    >>> weather = CategoricalHMM.from_parameters(
    ...     [0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]], [[0.1, 0.4, 0.5], [0.6, 0.3, 0.1]], symbols=["walk", "shop", "clean"]
    ... )
    >>> log_product, path = weather.decode(["walk", "shop", "clean"])
    >>> path.tolist(), round(weather.score(["walk", "shop", "clean"]), 6)
    ([1, 0, 0], -3.392872)

    References
    ----------
    Rabiner (1989), A tutorial on hidden Markov models and selected applications in speech recognition.
    """

    _state: ClassVar[Mapping[str, Any]] = {"emissionprob_": Floats("states", "symbols", low=0.0)}

    def __init__(
        self,
        n_components: int = 1,
        *,
        startprob: Any = None,
        transmat: Any = None,
        emissionprob: Any = None,
        symbols: Any = None,
        startprob_prior: float = 1.0,
        transmat_prior: float = 1.0,
        emissionprob_prior: float = 1.0,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-2,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.startprob = startprob
        self.transmat = transmat
        self.emissionprob = emissionprob
        self.symbols = symbols
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.emissionprob_prior = emissionprob_prior
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(
        __init__,
        RULES,
        emissionprob=Array(ndim=2) | Nothing(),
        symbols=Array(ndim=1) | Nothing(),
        emissionprob_prior=Real(low=0, below=np.inf),
    )

    @classmethod
    def from_parameters(cls, startprob: Any, transmat: Any, emissionprob: Any, *, symbols: Any = None) -> Self:
        """A model that is known, ready to score, decode and sample.

        Parameters
        ----------
        startprob : array of shape (k,)
            Probabilities of the first state.
        transmat : array of shape (k, k)
            Of the steps.
        emissionprob : array of shape (k, m)
            Of the symbols.
        symbols : array of shape (m,), optional
            The symbols; 0, 1, ... by default.
        """
        emission = np.array(emissionprob, dtype=np.float64)
        k, m = emission.shape if emission.ndim == 2 else (0, 0)
        names = np.arange(m) if symbols is None else np.array(symbols)
        model = cls(k, startprob=startprob, transmat=transmat, emissionprob=emissionprob, symbols=names)
        model.symbols_ = names
        first = model._first(np.zeros(0, dtype=np.int64), np.random.RandomState(0))
        for name, value in model._learned({**first, "trace": [], "converged": True}).items():
            setattr(model, name, value)
        return model

    def _sequences(self, X: Any, lengths: Any) -> Sequences:
        return symbol_sequences(X, lengths)

    def _learn_range(self, values: np.ndarray) -> np.ndarray:
        self.symbols_ = learn_symbols(values) if self.symbols is None else np.array(self.symbols)
        if len(set(self.symbols_.tolist())) != len(self.symbols_):
            raise ValueError(f"symbols must be distinct, got {self.symbols_.tolist()!r:.120}.")
        return self._coded(values)

    def _coded(self, values: np.ndarray) -> np.ndarray:
        return code_symbols(values, self.symbols_)

    def _start_emission(self, values: np.ndarray, rng: np.random.RandomState) -> State:
        m = len(self.symbols_)
        given = given_chances(self.emissionprob, "emissionprob", (self.n_components, m))
        drawn = rng.dirichlet(np.full(m, 10.0), size=self.n_components)
        return {"emissionprob": drawn if given is None else given}

    def _log_emission(self, values: np.ndarray, state: State) -> np.ndarray:
        with np.errstate(divide="ignore"):
            logs = np.log(state["emissionprob"]).T
        return np.concatenate([logs, np.zeros((1, logs.shape[1]))])[values]  # a code of -1 is the last row

    def _improved_emission(self, values: np.ndarray, shares: np.ndarray, state: State) -> State:
        seen, m = values >= 0, len(self.symbols_)
        counts = np.stack([np.bincount(values[seen], share[seen], minlength=m) for share in shares.T])
        return {"emissionprob": rows_of_chances(counts + (self.emissionprob_prior - 1), state["emissionprob"])}

    def _drawn(self, states: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        below = np.cumsum(self.emissionprob_, axis=1)[:, :-1]
        return self.symbols_[(rng.random_sample(len(states))[:, None] >= below[states]).sum(axis=1)]

    def predict_next(self, X: Any, lengths: Any = None) -> np.ndarray:
        """Probabilities of the symbol that comes after each sequence, in the order of ``symbols_``."""
        return self.predict_next_state(X, lengths) @ self.emissionprob_

    def _require_sound(self) -> None:
        super()._require_sound()
        check_is_fitted(self)
        if len(self.symbols_) != self.emissionprob_.shape[1]:
            raise StateError("symbols_ and emissionprob_ differ in the number of symbols")
        if not np.allclose(self.emissionprob_.sum(axis=1), 1.0, atol=1e-6):
            raise StateError("emissionprob_ has probabilities that do not sum to 1")
