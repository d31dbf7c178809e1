"""Evolving networks: structure and weights by natural selection."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, check_is_fitted, check_positive_weight, coded_rows, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import Integer, Real, rules_for
from lanatus.scale import blockwise


@method(
    "neural.evolving-networks",
    section="5.7",
    task="classification",
    en="Evolving neural networks",
    zh="进化神经网络",
    peers=["neat-python:Population"],
)
class EvolvingNetwork(CallbackSupportMixin, ClassifierMixin, Estimator):
    r"""Networks with one hidden layer whose connections and weights evolve.

    A genome says which connections there are and how strong. Each generation the fitter ones of groups drawn at random
    are parents; a child takes each hidden unit, with all its connections, from one of two parents, and changes: weights
    by normal noise, connections by coming and going. The best live on. The fitness is the mean log probability of the
    labels less :math:`\lambda` times the connections, so that no gradient is asked for and small networks win.

    Book: section 5.7. Cost: O(population n connections) a generation.

    Parameters
    ----------
    n_population : int, default=60
        Networks alive at a time.
    n_generations : int, default=150
        Generations.
    max_hidden : int, default=8
        Most hidden units.
    cost : float, default=0.001
        What a connection costs, the lambda.
    noise : float, default=0.5
        Spread of the changes of weights; it falls to a tenth.
    rate : float, default=0.05
        Chance of each connection to come or go.
    random_state : int, RandomState or None, default=None
        Draws.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    hidden_weights_ : ndarray of shape (n_columns + 1, max_hidden), 0 where there is no connection
    output_weights_ : ndarray of shape (max_hidden + 1, n_classes), 0 where there is no connection
    shift_, scale_ : ndarray of shape (n_columns,)
        Columns are (x - shift) * scale.
    fitness_curve_ : ndarray of shape (n_generations,), the best of each generation
    n_connections_ : int, connections of the best network
    n_iter_ : int, generations
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.neural import EvolvingNetwork
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> EvolvingNetwork(random_state=1).fit(X, y).predict(X).tolist()
    ['no', 'yes', 'yes', 'no']

    References
    ----------
    Yao (1999), Evolving artificial neural networks. Stanley and Miikkulainen (2002), Evolving neural networks through
    augmenting topologies.
    """

    _state: ClassVar = {
        "hidden_weights_": Floats("ins", "hidden"),
        "output_weights_": Floats("outs", "classes"),
        "shift_": Floats("columns"),
        "scale_": Floats("columns"),
    }

    classes_: np.ndarray
    hidden_weights_: np.ndarray
    output_weights_: np.ndarray
    shift_: np.ndarray
    scale_: np.ndarray

    def __init__(
        self,
        n_population: int = 60,
        n_generations: int = 150,
        *,
        max_hidden: int = 8,
        cost: float = 0.001,
        noise: float = 0.5,
        rate: float = 0.05,
        random_state: Any = None,
    ) -> None:
        self.n_population = n_population
        self.n_generations = n_generations
        self.max_hidden = max_hidden
        self.cost = cost
        self.noise = noise
        self.rate = rate
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_population=Integer(low=4),
        n_generations=Integer(low=1),
        max_hidden=Integer(low=1),
        cost=Real(low=0),
        noise=Real(above=0),
        rate=Real(low=0, high=1),
    )

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        rows, codes = coded_rows(self, X, y, least=2)
        weight = self._weights(sample_weight, rows)
        check_positive_weight(weight)
        share = np.full(len(codes), 1 / len(codes)) if weight is None else weight / weight.sum()
        rows = np.asarray(rows, dtype=np.float64)
        self.shift_ = share @ rows
        spread = np.sqrt(share @ (rows - self.shift_) ** 2)
        self.scale_ = 1 / np.where(spread > 1e-12 * np.maximum(np.abs(self.shift_), 1e-280), spread, 1.0)
        Z = np.column_stack([(rows - self.shift_) * self.scale_, np.ones(len(rows))])
        rng = check_random_state(self.random_state)
        H, V = self._begun(Z.shape[1], rng)
        seed = int(rng.randint(2**31 - 1))
        fitness = self._fitness(H, V, Z, codes, share)
        progress = Progress(self, rows, weight, max_iter=self.n_generations)
        state = progress.saved or {"H": H, "V": V, "fitness": fitness, "curve": np.empty(0)}
        for iteration in progress.iterations(start=len(state["curve"])):
            draw = np.random.RandomState((seed + iteration.number) % 2**32)
            state = self._generation(state, Z, codes, share, iteration.number, draw)
            kept = dict(state)
            iteration.done(state=partial(dict, kept), attributes=partial(self._attributes, kept))
            if iteration.stop:
                break
        found = self._attributes(state)
        for name, value in found.items():
            setattr(self, name, value)
        progress.finish(found)
        return self

    def _begun(self, n_inputs: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        """Networks with a few hidden units each and half of their connections."""
        P, h, k = self.n_population, self.max_hidden, len(self.classes_)
        H = rng.normal(0, 1, (P, n_inputs, h)) * (rng.rand(P, n_inputs, h) < 0.5)
        V = rng.normal(0, 1, (P, h + 1, k)) * (rng.rand(P, h + 1, k) < 0.5)
        return H, V

    def _fitness(self, H: np.ndarray, V: np.ndarray, Z: np.ndarray, codes: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Mean log probability of the labels, less the price of the connections."""
        said = np.tanh(Z @ H) @ V[:, :-1] + V[:, -1:]
        said -= said.max(axis=2, keepdims=True)
        own = np.take_along_axis(said, np.broadcast_to(codes[:, None], (len(H), len(codes), 1)), axis=2)[:, :, 0]
        logs = own - np.log(np.exp(said).sum(axis=2))
        used = (H != 0).sum(axis=(1, 2)) + (V != 0).sum(axis=(1, 2))
        return np.asarray(logs @ share - self.cost * used)

    def _generation(
        self,
        state: dict[str, Any],
        Z: np.ndarray,
        codes: np.ndarray,
        share: np.ndarray,
        number: int,
        rng: np.random.RandomState,
    ) -> dict[str, Any]:
        H, V, fitness = state["H"], state["V"], state["fitness"]
        P, elite = len(H), max(1, len(H) // 10)
        best = np.argsort(-fitness, kind="stable")
        groups = rng.randint(P, size=(2, P - elite, 3))
        one, other = (group[np.arange(P - elite), fitness[group].argmax(axis=1)] for group in groups)
        from_one = rng.rand(P - elite, H.shape[2]) < 0.5
        children = np.where(from_one[:, None, :], H[one], H[other])
        tops = np.where(np.pad(from_one, ((0, 0), (0, 1)), constant_values=True)[:, :, None], V[one], V[other])
        width = self.noise * 0.1 ** (number / max(self.n_generations - 1, 1))
        children, tops = (self._changed(part, width, rng) for part in (children, tops))
        H, V = np.concatenate([H[best[:elite]], children]), np.concatenate([V[best[:elite]], tops])
        fitness = self._fitness(H, V, Z, codes, share)
        return {"H": H, "V": V, "fitness": fitness, "curve": np.append(state["curve"], fitness.max())}

    def _changed(self, genes: np.ndarray, width: float, rng: np.random.RandomState) -> np.ndarray:
        """Genes with noise on some of their weights; some connections come, some go."""
        there = genes != 0
        noise = rng.normal(0, width, genes.shape) * (rng.rand(*genes.shape) < 0.3)
        turned = rng.rand(*genes.shape) < self.rate
        fresh = rng.normal(0, 1, genes.shape)
        grown = np.where(there, genes + noise, 0.0)
        return np.where(turned, np.where(there, 0.0, fresh), grown)

    def _attributes(self, state: dict[str, Any]) -> dict[str, Any]:
        best = int(np.argmax(state["fitness"]))
        H, V = state["H"][best], state["V"][best]
        return {
            "hidden_weights_": H.copy(),
            "output_weights_": V.copy(),
            "shift_": self.shift_,
            "scale_": self.scale_,
            "fitness_curve_": np.asarray(state["curve"]),
            "n_connections_": int(np.count_nonzero(H) + np.count_nonzero(V)),
            "n_iter_": len(state["curve"]),
            "classes_": self.classes_,
        }

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        check_is_fitted(self)
        rows = (np.asarray(self._take(X, reset=False), dtype=np.float64) - self.shift_) * self.scale_
        hidden = np.tanh(rows @ self.hidden_weights_[:-1] + self.hidden_weights_[-1])
        said = hidden @ self.output_weights_[:-1] + self.output_weights_[-1]
        shares = np.exp(said - said.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        at = np.asarray(self.predict_proba(X)).argmax(axis=1)
        return np.asarray(self.classes_[at])
