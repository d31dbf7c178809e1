"""Conditional random fields on chains."""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.utils import check_random_state

from lanatus._core import core
from lanatus._core import graphical as kernels
from lanatus.base import Estimator, Floats, StateError, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.graph import Chains, forward_backward, viterbi
from lanatus.graphical.sequences._features import FeatureTable
from lanatus.params import Choice, Flag, Integer, RandomState, Real, rules_for


@method(
    "graphical.crf-chain",
    section="14.3",
    task="sequences",
    kind="model",
    en="Chain conditional random field",
    zh="链式条件随机场",
    peers=["sklearn-crfsuite:CRF"],
)
class ChainCRF(CallbackSupportMixin, Estimator):
    r"""A conditional random field on a chain: labels of all places of a sequence at once, given what is seen there.

    :math:`P(y \mid x) = \frac1Z \exp \left( \sum_j \sum_i \lambda_j t_j(y_{i+1}, y_i, x, i) + \sum_k \sum_i \mu_k
    s_k(y_i, x, i) \right)` (14.11). A state feature is an attribute of a place with a label, a transition feature two
    labels in a row, with `edge_features` together with an attribute of the first place. ``fit`` maximises the
    conditional log-likelihood, whose gradient is what is counted less what is expected, or counts by the averaged
    perceptron.

    Book: section 14.3, figures 14.5 and 14.6. Kernels: ``cpp/graph/chains.hpp``,
    ``cpp/graphical/chain_perceptron.hpp``. Cost: a round takes :math:`O(sk + nk^2)` for *s* attributes of all places
    and *k* labels.

    Parameters
    ----------
    algorithm : {"lbfgs", "averaged-perceptron"}, default="lbfgs"
        How weights are learned. The perceptron is several times faster, and has no probabilities to speak of.
    c1 : float, default=0.0
        Price of :math:`\lVert w \rVert_1`, which leaves weights out ("lbfgs").
    c2 : float, default=1.0
        Price of :math:`\lVert w \rVert^2` ("lbfgs").
    min_freq : int, default=0
        Attributes that occur less often are left out.
    edge_features : bool, default=False
        Whether each attribute has weights for the steps that leave its place, too: :math:`k^2` each.
    max_iter : int, default=100
        Most rounds of L-BFGS, or passes of the perceptron.
    tol : float, default=1e-5
        Stop once ten rounds of L-BFGS gain less than this share of the objective.
    random_state : int, RandomState or None, default=None
        Draws the order of the sequences for the perceptron.

    Attributes
    ----------
    classes_ : ndarray of shape (k,), the labels
    attributes_ : list of str, the attributes in the order of the rows of ``state_coef_``; none of matrices of numbers
    state_coef_ : ndarray of shape (n_attributes, k), :math:`\mu`
    transition_coef_ : ndarray of shape (k, k), :math:`\lambda` of two labels in a row
    edge_coef_ : ndarray of shape (n_attributes, k, k), those of an attribute and the step after it; of no attribute
        without `edge_features`
    objective_ : float, what was minimised, at the end
    n_iter_ : int, rounds

    Examples
    --------
    >>> from lanatus.graphical import ChainCRF
    >>> X = [[{"word": "the"}, {"word": "dog"}], [{"word": "a"}, {"word": "cat"}, {"word": "sat"}]]
    >>> y = [["D", "N"], ["D", "N", "V"]]
    >>> tagger = ChainCRF(c2=0.1).fit(X, y)
    >>> [labels.tolist() for labels in tagger.predict([[{"word": "the"}, {"word": "cat"}]])]
    [['D', 'N']]

    References
    ----------
    Lafferty, McCallum and Pereira (2001), Conditional random fields. Collins (2002), Discriminative training methods
    for hidden Markov models.
    """

    _state: ClassVar[Mapping[str, Any]] = {
        "state_coef_": Floats("attributes", "classes"),
        "transition_coef_": Floats("classes", "classes"),
        "edge_coef_": Floats("edges", "classes", "classes"),
    }

    def __init__(
        self,
        *,
        algorithm: str = "lbfgs",
        c1: float = 0.0,
        c2: float = 1.0,
        min_freq: int = 0,
        edge_features: bool = False,
        max_iter: int = 100,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.algorithm = algorithm
        self.c1 = c1
        self.c2 = c2
        self.min_freq = min_freq
        self.edge_features = edge_features
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(
        __init__,
        algorithm=Choice("lbfgs", "averaged-perceptron"),
        c1=Real(low=0, below=np.inf),
        c2=Real(low=0, below=np.inf),
        min_freq=Integer(low=0),
        edge_features=Flag(),
        max_iter=Integer(low=1),
        tol=Real(low=0, below=np.inf),
        random_state=RandomState(),
    )

    @classmethod
    def from_weights(
        cls,
        classes: Sequence[Hashable],
        *,
        state: Mapping[tuple[str, Any], float] | None = None,
        transition: Mapping[tuple[Any, Any], float] | None = None,
        edge: Mapping[tuple[str, Any, Any], float] | None = None,
    ) -> Self:
        """A field whose weights are known.

        Parameters
        ----------
        classes : sequence
            The labels.
        state : mapping of (attribute, label) to float, optional
            Weights of state features.
        transition : mapping of (label, next label) to float, optional
            Of two labels in a row.
        edge : mapping of (attribute, label, next label) to float, optional
            Of an attribute with its label and the next one.
        """
        model = cls(edge_features=bool(edge))
        place = {label: i for i, label in enumerate(classes)}
        names = list(dict.fromkeys([*(name for name, _ in state or {}), *(name for name, *_ in edge or {})]))
        k, row = len(place), {name: i for i, name in enumerate(names)}
        model.classes_, model.attributes_ = np.array(classes), names
        model.state_coef_, model.transition_coef_ = np.zeros((max(len(names), 1), k)), np.zeros((k, k))
        model.edge_coef_ = np.zeros((max(len(names), 1) if edge else 0, k, k))
        for (name, label), weight in (state or {}).items():
            model.state_coef_[row[name], place[label]] = weight
        for (label, after), weight in (transition or {}).items():
            model.transition_coef_[place[label], place[after]] = weight
        for (name, label, after), weight in (edge or {}).items():
            model.edge_coef_[row[name], place[label], place[after]] = weight
        model.objective_, model.n_iter_ = 0.0, 0
        return model

    # ---------------------------------------------------------------- learning

    @fitting
    def fit(self, X: Sequence[Any], y: Sequence[Any]) -> Self:
        """Learn from sequences of places and their labels.

        Parameters
        ----------
        X : sequence of sequences
            Places of each: mappings of attribute to value, lists of attributes; or a matrix of numbers each.
        y : sequence of sequences
            Their labels.
        """
        start = _starts(X, y)
        flat = [label for labels in y for label in labels]
        self.classes_, codes = np.unique(np.array(flat), return_inverse=True)
        table = FeatureTable()
        rows = table.rows(X, learn=True)
        if self.min_freq > 1:
            kept = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]) >= self.min_freq)
            rows, table = sp.csr_array(rows[:, kept]), table.kept(kept)
        self.attributes_ = table.names
        codes = codes.ravel().astype(np.int32)
        if self.algorithm == "lbfgs":
            self._by_lbfgs(rows, codes, start)
        else:
            self._by_perceptron(rows, codes, start)
        return self

    def _by_lbfgs(self, rows: sp.csr_array, codes: np.ndarray, start: np.ndarray) -> None:
        problem = _Likelihood(rows, codes, start, len(self.classes_), self.edge_features, self.c2)
        progress = Progress(self, rows, max_iter=self.max_iter)
        iterations, seen = progress.iterations(), {"n": 0}

        def tell(theta: np.ndarray) -> None:
            if (iteration := next(iterations, None)) is None:
                raise StopIteration
            seen["n"] = iteration.number + 1
            learned = partial(self._learned, problem, self._weights_of(theta), seen["n"], 0.0)
            iteration.done(state=dict, attributes=learned)
            if iteration.stop:
                raise StopIteration

        size = problem.size
        options = {"maxiter": self.max_iter, "ftol": self.tol / 10, "gtol": 1e-6, "maxcor": 10}
        if self.c1 == 0:
            found = minimize(problem, np.zeros(size), jac=True, method="L-BFGS-B", callback=tell, options=options)
        else:  # weights as differences of two that are not negative, so that their price is smooth
            found = minimize(
                partial(_split, problem, self.c1), np.zeros(2 * size), jac=True, method="L-BFGS-B",
                bounds=[(0, None)] * (2 * size), callback=tell, options=options,
            )  # fmt: skip
        if found.nit >= self.max_iter:
            warn_unconverged(self)
        learned = self._learned(problem, self._weights_of(found.x), int(found.nit), float(found.fun))
        for name, value in learned.items():
            setattr(self, name, value)
        progress.finish(learned)

    def _weights_of(self, theta: np.ndarray) -> np.ndarray:
        half = len(theta) // 2
        return theta if self.c1 == 0 else theta[:half] - theta[half:]

    @staticmethod
    def _learned(problem: "_Likelihood", theta: np.ndarray, n_iter: int, objective: float) -> dict[str, Any]:
        state, step, edge = problem.parts(theta)
        return {
            "state_coef_": state.copy(),
            "transition_coef_": step.copy(),
            "edge_coef_": edge.copy(),
            "objective_": objective,
            "n_iter_": n_iter,
        }

    def _by_perceptron(self, rows: sp.csr_array, codes: np.ndarray, start: np.ndarray) -> None:
        if self.edge_features:
            raise ValueError("the averaged perceptron has no edge_features; take algorithm='lbfgs'.")
        k, n = len(self.classes_), len(start) - 1
        state, step = np.zeros((rows.shape[1], k)), np.zeros((k, k))
        state_sum, step_sum = np.zeros_like(state), np.zeros_like(step)
        matrix, rng, time = core.csr(rows), check_random_state(self.random_state), 1.0
        progress = Progress(self, rows, max_iter=self.max_iter)
        wrong, n_iter = len(codes), 0

        def learned() -> dict[str, Any]:
            return {
                "state_coef_": state - state_sum / time,
                "transition_coef_": step - step_sum / time,
                "edge_coef_": np.zeros((0, k, k)),
                "objective_": float(wrong),
                "n_iter_": n_iter,
            }

        for iteration in progress.iterations():
            order = rng.permutation(n).astype(np.int64)
            wrong = kernels.perceptron_epoch(matrix, codes, start, order, state, step, state_sum, step_sum, time)
            time, n_iter = time + n, iteration.number + 1
            iteration.done(state=dict, attributes=learned)
            if wrong == 0 or iteration.stop:
                break
        for name, value in learned().items():
            setattr(self, name, value)
        progress.finish(learned())

    # ---------------------------------------------------------------- answers

    def _chains(self, X: Sequence[Any]) -> Chains:
        check_is_fitted(self)
        rows = FeatureTable(self.attributes_).rows(X, learn=False)
        if rows.shape[1] != len(self.state_coef_):
            raise ValueError(f"places have {rows.shape[1]} attributes, fit saw {len(self.state_coef_)}.")
        lengths = [part.shape[0] if hasattr(part, "shape") else len(part) for part in X]
        start = np.cumsum([0, *lengths], dtype=np.int64)
        return _potentials(rows, start, self.state_coef_, self.transition_coef_, self.edge_coef_)

    def predict(self, X: Sequence[Any]) -> list[np.ndarray]:
        """The likeliest labels of each sequence, by Viterbi."""
        return self._constrained(X, None)

    def predict_constrained(self, X: Sequence[Any], allowed: Any) -> list[np.ndarray]:
        """The likeliest labels among those that are allowed.

        Parameters
        ----------
        X : sequence of sequences
            The places.
        allowed : mapping of label to labels that may follow it, or sequence of sequences
            Which steps there may be; or, of each place of each sequence, a label that is known, or None.
        """
        return self._constrained(X, allowed)

    def _constrained(self, X: Sequence[Any], allowed: Any) -> list[np.ndarray]:
        if not len(X):
            return []
        chains = self._chains(X)
        if isinstance(allowed, Mapping):
            known = self.classes_.tolist()
            barred = np.array([[after not in allowed.get(label, known) for after in known] for label in known])
            chains = chains._replace(transition=np.where(barred, 0.0, chains.transition))
        elif allowed is not None:
            chains = chains._replace(potential=self._with_known(chains, allowed))
        path, log_product = viterbi(chains)
        if np.isneginf(log_product).any():
            raise ValueError(f"no labels of sequence {int(np.isneginf(log_product).argmax())} are allowed.")
        return np.split(self.classes_[path], chains.start[1:-1])

    def _with_known(self, chains: Chains, allowed: Sequence[Sequence[Any]]) -> np.ndarray:
        flat = [label for labels in allowed for label in labels]
        if len(flat) != len(chains.potential):
            raise ValueError(f"allowed has {len(flat)} places and X {len(chains.potential)}.")
        potential = chains.potential.copy()
        place = {label: i for i, label in enumerate(self.classes_.tolist())}
        for t, label in enumerate(flat):
            if label is not None:
                potential[t, np.arange(len(place)) != place[label]] = -np.inf
        return potential

    def predict_proba(self, X: Sequence[Any]) -> list[np.ndarray]:
        """Probabilities of the labels of each place, given the whole sequence, by forward and backward recursion."""
        if not len(X):
            return []
        chains = self._chains(X)
        return np.split(forward_backward(chains, pairs=False).states, chains.start[1:-1])

    def log_likelihood(self, X: Sequence[Any], y: Sequence[Any]) -> float:
        """ln P(y | x), summed over sequences."""
        start, chains = _starts(X, y), self._chains(X)
        codes = self._codes([label for labels in y for label in labels])
        total = -float(forward_backward(chains, pairs=False).log_sum.sum())
        total += float(chains.potential[np.arange(len(codes)), codes].sum())
        inner = np.setdiff1d(np.arange(1, len(codes)), start)
        own = chains.transition.ndim == 3
        steps = (
            chains.transition[inner, codes[inner - 1], codes[inner]]
            if own
            else chains.transition[codes[inner - 1], codes[inner]]
        )
        return total + float(np.log(steps).sum())

    def log_partition(self, X: Sequence[Any]) -> np.ndarray:
        """ln Z of each sequence."""
        return forward_backward(self._chains(X), pairs=False).log_sum

    def score(self, X: Sequence[Any], y: Sequence[Any]) -> float:
        """Share of the places whose label is right."""
        found = np.concatenate(self.predict(X))
        return float(np.mean(found == np.array([label for labels in y for label in labels])))

    def _codes(self, labels: Sequence[Any]) -> np.ndarray:
        place = {label: i for i, label in enumerate(self.classes_.tolist())}
        if unseen := [label for label in labels if label not in place]:
            raise ValueError(f"y has the label {unseen[0]!r}, which fit did not see.")
        return np.array([place[label] for label in labels], dtype=np.int64)

    def _require_sound(self) -> None:
        if self.attributes_ and len(self.attributes_) != len(self.state_coef_):
            raise StateError("attributes_ and state_coef_ differ in length")
        if len(self.edge_coef_) not in (0, len(self.state_coef_)):
            raise StateError("edge_coef_ and state_coef_ differ in the number of attributes")


class _Likelihood:
    """Minus the conditional log-likelihood with its quadratic price, and the gradient."""

    def __init__(
        self, rows: sp.csr_array, codes: np.ndarray, start: np.ndarray, k: int, edges: bool, c2: float
    ) -> None:
        self._rows, self._columns, self._start, self._k, self._c2 = rows, sp.csr_array(rows.T), start, k, c2
        self._edges = rows.shape[1] if edges else 0
        self.size = rows.shape[1] * k + k * k + self._edges * k * k
        hot = sp.csr_array((np.ones(len(codes)), (np.arange(len(codes)), codes)), shape=(len(codes), k))
        inner = np.setdiff1d(np.arange(1, len(codes)), start)
        steps = np.zeros((k, k))
        np.add.at(steps, (codes[inner - 1], codes[inner]), 1)
        self._codes, self._inner, self._counted_steps = codes, inner, steps
        self._counted = (self._columns @ hot).toarray()
        self._counted_edges = np.zeros((0, k, k))
        if edges:
            leaving = np.zeros((len(codes), k * k))
            leaving[inner - 1, codes[inner - 1] * k + codes[inner]] = 1.0
            self._counted_edges = self._edge_sums(leaving)

    def _edge_sums(self, at: np.ndarray) -> np.ndarray:
        """Attributes of the place that a step leaves, times what the step says."""
        return np.asarray(self._columns @ at).reshape(-1, self._k, self._k)

    def parts(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Weights of attributes, steps and both."""
        k, cut = self._k, self._rows.shape[1] * self._k
        rest = theta[cut + k * k :]
        return theta[:cut].reshape(-1, k), theta[cut : cut + k * k].reshape(k, k), rest.reshape(self._edges, k, k)

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        state, step, edge = self.parts(theta)
        chains = _potentials(self._rows, self._start, state, step, edge)
        found = forward_backward(chains)
        true = float(
            (self._counted * state).sum() + (self._counted_steps * step).sum() + (self._counted_edges * edge).sum()
        )
        value = float(found.log_sum.sum()) - true + self._c2 * float(theta @ theta)
        pairs = found.pairs
        gradient = [(self._columns @ found.states - self._counted).ravel()]
        if self._edges:
            leaving = np.zeros((len(pairs), self._k * self._k))
            leaving[self._inner - 1] = pairs[self._inner].reshape(len(self._inner), -1)
            gradient += [
                (leaving.sum(axis=0) - self._counted_steps.ravel()),
                (self._edge_sums(leaving) - self._counted_edges).ravel(),
            ]
        else:
            gradient.append((pairs - self._counted_steps).ravel())
        return value, np.concatenate(gradient) + 2 * self._c2 * theta


def _potentials(rows: sp.csr_array, start: np.ndarray, state: np.ndarray, step: np.ndarray, edge: np.ndarray) -> Chains:
    """The chain of (14.11); the largest weight of a step is taken out, so that no exponential overflows."""
    potential, k = np.asarray(rows @ state), len(step)
    if not len(edge):
        top = step.max()
        inner = np.ones(len(potential))
        inner[start[:-1][np.diff(start) > 0]] = 0.0
        return Chains(potential + (top * inner)[:, None], start, np.ones(k), np.exp(step - top))
    steps = np.zeros((len(potential), k, k))
    steps[1:] = np.asarray(rows[:-1] @ edge.reshape(len(edge), -1)).reshape(-1, k, k) + step
    top = steps.max(axis=(1, 2))
    top[start[:-1][np.diff(start) > 0]] = 0.0
    return Chains(potential + top[:, None], start, np.ones(k), np.exp(np.minimum(steps - top[:, None, None], 0.0)))


def _split(problem: _Likelihood, c1: float, theta: np.ndarray) -> tuple[float, np.ndarray]:
    half = len(theta) // 2
    value, gradient = problem(theta[:half] - theta[half:])
    return value + c1 * float(theta.sum()), np.concatenate([gradient + c1, c1 - gradient])


def _starts(X: Sequence[Any], y: Sequence[Any]) -> np.ndarray:
    """Where each sequence begins; X and y looked at."""
    if len(X) != len(y) or not len(X):
        raise ValueError(f"X has {len(X)} sequences and y {len(y)}; wanted as many, and one at least.")
    lengths = [part.shape[0] if hasattr(part, "shape") else len(part) for part in X]
    for s, (length, labels) in enumerate(zip(lengths, y, strict=True)):
        if length != len(labels):
            raise ValueError(f"sequence {s} has {length} places and {len(labels)} labels; wanted as many.")
    if not sum(lengths):
        raise ValueError("all sequences are empty; wanted one place at least.")
    return np.cumsum([0, *lengths], dtype=np.int64)
