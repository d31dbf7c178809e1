"""The Hopfield network: a memory of patterns, and tours of the travelling salesman."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy import special
from sklearn.base import TransformerMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Choice, Integer, check_integer, check_real, rules_for
from lanatus.scale import blockwise


@method(
    "neural.hopfield",
    section="5.7",
    task="transform",
    en="Hopfield network",
    zh="Hopfield网络",
    peers=["neupy:DiscreteHopfieldNetwork"],
)
class Hopfield(TransformerMixin, Estimator):
    r"""Hopfield network: patterns are stored as weights, and called up by parts of them or with errors.

    Units say 1 or -1. Hebb's rule stores :math:`W = \frac{1}{d} \sum_k x_k x_k^\top` without its diagonal; "projection"
    takes the pseudo-inverse, which stores up to d patterns that are linearly independent. Recall turns unit after unit
    to the sign of its sum, until none changes: the energy :math:`-\frac{1}{2} s^\top W s` only falls.

    Book: section 5.7 and the story of chapter 5. Cost: O(n d^2) to store, O(d^2) a sweep; about 0.14 d random patterns
    are kept by Hebb's rule.

    Parameters
    ----------
    rule : {"hebb", "projection"}, default="hebb"
        How patterns are stored.
    settle_iter : int, default=100
        Most sweeps of a recall.
    random_state : int, RandomState or None, default=None
        Draws the order of the units, the same for all rows.

    Attributes
    ----------
    weights_ : ndarray of shape (n_units, n_units), symmetric, with zeros on the diagonal
    middle_ : ndarray of shape (n_units,), values above which a column is 1, the others -1
    ends_ : ndarray of shape (2, n_units), what columns have for -1 and 1
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Columns may hold any two values; others are split in the middle of their range. What is called up has these two.

    Examples
    --------
    >>> from lanatus.neural import Hopfield
    >>> patterns = [[1, 1, 1, 1, -1, -1, -1, -1], [1, -1, 1, -1, 1, -1, 1, -1]]
    >>> memory = Hopfield(random_state=0).fit(patterns)
    >>> memory.transform([[1, 1, 1, -1, -1, -1, -1, -1]]).astype(int).tolist()
    [[1, 1, 1, 1, -1, -1, -1, -1]]

    References
    ----------
    Hopfield (1982), Neural networks and physical systems with emergent collective computational abilities. Personnaz,
    Guyon and Dreyfus (1985), Information storage and retrieval in spin-glass like neural networks.
    """

    _state: ClassVar = {
        "weights_": Floats("columns", "columns"),
        "middle_": Floats("columns"),
        "ends_": Floats(2, "columns"),
    }

    weights_: np.ndarray
    middle_: np.ndarray
    ends_: np.ndarray

    def __init__(self, rule: str = "hebb", *, settle_iter: int = 100, random_state: Any = None) -> None:
        self.rule = rule
        self.settle_iter = settle_iter
        self.random_state = random_state

    _params = rules_for(__init__, rule=Choice("hebb", "projection"), settle_iter=Integer(low=1))

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Store the rows of X as patterns; y is ignored."""
        rows = np.asarray(self._take(X, reset=True), dtype=np.float64)
        low, high = rows.min(axis=0), rows.max(axis=0)
        inside = (low >= 0) & (high <= 1)
        signs = (low >= -1) & (high <= 1) & ~inside
        self.middle_ = np.where(inside, 0.5, np.where(signs, 0.0, low + (high - low) / 2))
        least = np.where(inside, 0.0, np.where(signs, -1.0, low))
        self.ends_ = np.stack([least, np.where(inside | signs, 1.0, high)])
        S = self._signs(rows)
        if self.rule == "hebb":
            W = S.T @ S / S.shape[1]
        else:
            W = np.linalg.pinv(S) @ S
        np.fill_diagonal(W, 0.0)
        self.weights_ = (W + W.T) / 2
        return self

    def _signs(self, X: np.ndarray) -> np.ndarray:
        return np.where(self.middle_ < X, 1.0, -1.0)

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """What each row of X calls up: a state that no unit wants to leave."""
        check_is_fitted(self)
        S = self._signs(np.asarray(self._take(X, reset=False), dtype=np.float64))
        order = check_random_state(self.random_state).permutation(S.shape[1])
        for _ in range(self.settle_iter):
            before = S.copy()
            for i in order:
                field = S @ self.weights_[i]
                # A unit whose sum is 0 but for rounding stays.
                S[:, i] = np.where(np.abs(field) <= 1e-12, S[:, i], np.sign(field))
            if np.array_equal(before, S):
                break
        return np.where(S > 0, self.ends_[1], self.ends_[0])

    def energy(self, X: Any) -> np.ndarray:
        """Energy of the states that the rows of X are; those stored are low.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_units)
            The states.
        """
        check_is_fitted(self)
        S = self._signs(np.asarray(self._take(X, reset=False), dtype=np.float64))
        return np.asarray(-0.5 * np.sum((S @ self.weights_) * S, axis=1))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns: those that came in, indicators of nominal values among them.

        Parameters
        ----------
        input_features : array of str, optional
            There by convention.
        """
        check_is_fitted(self)
        return np.asarray(self.schema_.expanded_names(), dtype=object)


@dataclass(frozen=True)
class Tour:
    """A way through all cities and back.

    Attributes
    ----------
    order : ndarray of int, the cities as they come
    length : float, of the whole way
    n_valid : int, starts in which the network itself came to a valid tour
    """

    order: np.ndarray
    length: float
    n_valid: int


@method(
    "neural.hopfield-tsp",
    section="5.7",
    task="clustering",
    kind="function",
    en="Hopfield network on the travelling salesman problem",
    zh="Hopfield网络求解TSP",
)
def hopfield_tsp(
    distances: Any,
    *,
    penalty: float = 1.0,
    n_starts: int = 10,
    max_iter: int = 1000,
    temperature: float = 0.2,
    random_state: Any = None,
) -> Tour:
    r"""A short tour by a network of n x n units, unit (x, i) saying that city x comes as the i-th.

    The energy is the length of the tour, and :math:`\frac{A}{2}` times the squares by which columns (places) miss one
    city; rows (cities) are shares of one place by a softmax, so that each is somewhere. The mean field of the network
    is followed while its temperature falls; the units that are most on, then, are the tour, and a city left over takes
    the place that costs least. Exchanges of two roads (2-opt) end it.

    Book: section 5.7 and the story of chapter 5. Cost: O(n^3) a step and start; tours of up to some dozens of cities.

    Parameters
    ----------
    distances : array of shape (n_cities, n_cities)
        Symmetric, 0 or more.
    penalty : float, default=1.0
        A, in units of the largest distance.
    n_starts : int, default=10
        Starts, of which the shortest tour is kept.
    max_iter : int, default=1000
        Steps of each.
    temperature : float, default=0.2
        First temperature, in units of the largest distance; it falls to a hundredth.
    random_state : int, RandomState or None, default=None
        Draws the starts.

    Returns
    -------
    Tour

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.neural import hopfield_tsp
    >>> corners = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    >>> D = np.sqrt(((corners[:, None] - corners) ** 2).sum(axis=2))
    >>> hopfield_tsp(D, random_state=0).length
    4.0

    References
    ----------
    Hopfield and Tank (1985), Neural computation of decisions in optimization problems. Peterson and Söderberg (1989), A
    new method for mapping optimization problems onto neural networks.
    """
    D = np.asarray(distances, dtype=np.float64)
    if D.ndim != 2 or D.shape[0] != D.shape[1] or len(D) < 1 or not np.isfinite(D).all() or (D < 0).any():
        raise ValueError(f"distances must be a square matrix of finite numbers, 0 or more; got shape {D.shape}.")
    if not np.allclose(D, D.T):
        raise ValueError("distances must be symmetric.")
    penalty = check_real("penalty", penalty, 0.0, above=True)
    temperature = check_real("temperature", temperature, 0.0, above=True)
    n_starts, max_iter = check_integer("n_starts", n_starts, 1), check_integer("max_iter", max_iter, 1)
    rng, n = check_random_state(random_state), len(D)
    if n <= 3:
        order = np.arange(n)
        return Tour(order, _tour_length(D, order), n_starts)
    scaled = D / max(D.max(), 1e-300)
    best, n_valid = None, 0
    for _ in range(n_starts):
        V = _cooled(scaled, penalty, temperature, max_iter, rng)
        said = V.argmax(axis=1)
        n_valid += len(set(said.tolist())) == n
        order = _two_opt(D, _repaired(V))
        if best is None or _tour_length(D, order) < _tour_length(D, best):
            best = order
    assert best is not None
    start = int(np.flatnonzero(best == 0)[0])
    order = np.roll(best, -start)
    return Tour(order, _tour_length(D, order), n_valid)


def _cooled(D: np.ndarray, penalty: float, temperature: float, steps: int, rng: np.random.RandomState) -> np.ndarray:
    """Shares of the places for each city, as the temperature falls."""
    n = len(D)
    V = special.softmax(0.1 * rng.normal(size=(n, n)), axis=1)
    for t in range(steps):
        now = temperature * 0.01 ** (t / max(steps - 1, 1))
        city = t % n  # one city after the other: all at once may swing to and fro
        others = V.sum(axis=0) - V[city]
        field = D[city] @ (np.roll(V, 1, axis=1) + np.roll(V, -1, axis=1)) + penalty * others
        V[city] = special.softmax(-field / now)
    return V


def _repaired(V: np.ndarray) -> np.ndarray:
    """Places given to the cities that want them most, in all."""
    from scipy.optimize import linear_sum_assignment

    cities, places = linear_sum_assignment(-V)
    order = np.empty(len(V), np.intp)
    order[places] = cities
    return order


def _two_opt(D: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Roads exchanged in pairs while that shortens the tour."""
    order, n, better = order.copy(), len(order), True
    while better:
        better = False
        for i in range(n - 1):
            for j in range(i + 2, n if i else n - 1):
                a, b, c, d = order[i], order[i + 1], order[j], order[(j + 1) % n]
                if D[a, c] + D[b, d] < D[a, b] + D[c, d] - 1e-12:
                    order[i + 1 : j + 1] = order[i + 1 : j + 1][::-1]
                    better = True
    return order


def _tour_length(D: np.ndarray, order: np.ndarray) -> float:
    return float(D[order, np.roll(order, -1)].sum())
