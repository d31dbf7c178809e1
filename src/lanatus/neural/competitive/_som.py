"""The self-organising map, its quality and its U-matrix."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state

from lanatus._core import neural as kernels
from lanatus.base import Estimator, Floats, Integers, check_is_fitted, check_positive_weight, fitting, n_threads
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.metric import squared_euclidean
from lanatus.params import Array, Choice, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.scale import blockwise


def grid_places(rows: int, columns: int, topology: str) -> np.ndarray:
    """Where the units stand, row by row: on a chessboard, or a hexagonal lattice whose neighbours are 1 apart."""
    across, down = np.meshgrid(np.arange(columns, dtype=np.float64), np.arange(rows, dtype=np.float64))
    if topology == "hexagonal":
        across = across + 0.5 * (down % 2)
        down = down * np.sqrt(0.75)
    return np.column_stack([across.ravel(), down.ravel()])


@method(
    "neural.som",
    section="5.5.3",
    task="clustering",
    en="Self-organising map (SOM)",
    zh="自组织映射SOM网络",
    peers=["minisom:MiniSom"],
)
class SOM(CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, Estimator):
    r"""Self-organising map: units on a grid that come to lie where the rows are, neighbours near each other.

    For a row x the nearest unit c and its neighbours on the grid move towards it, :math:`w_j \leftarrow w_j + \eta
    e^{-\lVert r_j - r_c \rVert^2 / 2 \sigma^2} (x - w_j)`, while :math:`\eta` and :math:`\sigma` fall; "batch" takes
    the means of all rows with these weights instead, once a round.

    Book: section 5.5.3, figure 5.11, exercise 5.8. Cost: O(n q d) a round, and O(q^2 d) for "batch"; memory O(q^2).

    Parameters
    ----------
    grid : (int, int), default=(10, 10)
        Rows and columns of units.
    topology : {"rectangular", "hexagonal"}, default="rectangular"
        How they stand.
    training : {"batch", "online"}, default="batch"
        All rows a round, or one after the other.
    eta : float, default=0.5
        First rate of "online"; it falls to a hundredth.
    sigma : float or None, default=None
        First width of the neighbourhood; None is half the longer side of the grid.
    sigma_end : float, default=0.5
        Its last width; with about a third of the distance of neighbours it is k-means at the end.
    neighborhood : {"gaussian", "bubble"}, default="gaussian"
        How the pull falls with the distance; a bubble is 1 within `sigma`, and 0 beyond.
    init : {"pca", "random"} or array of shape (n_units, n_features), default="pca"
        Weights to begin with: a sheet along the two main directions, rows drawn, or those given.
    max_iter : int, default=20
        Rounds.
    random_state : int, RandomState or None, default=None
        Draws rows and their orders.

    Attributes
    ----------
    weights_ : ndarray of shape (n_units, n_features), weight vectors of the units, row by row of the grid
    places_ : ndarray of shape (n_units, 2), where they stand
    labels_ : ndarray of shape (n_samples,), int32, the best unit of each row
    counts_ : ndarray of shape (n_units,), rows of each unit, by weight
    quantization_error_ : float, mean distance of the rows to their units
    topographic_error_ : float, share of the rows whose two best units are no neighbours
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.neural import SOM
    >>> X = np.random.RandomState(0).rand(200, 2)
    >>> som = SOM((4, 4), random_state=0).fit(X)
    >>> som.topographic_error_ < 0.1, som.predict(som.weights_).tolist() == list(range(16))
    (True, True)

    References
    ----------
    Kohonen (1982), Self-organized formation of topologically correct feature maps; (2001), Self-organizing maps.
    """

    _state: ClassVar = {
        "weights_": Floats("units", "columns"),
        "places_": Floats("units", 2),
        "labels_": Integers("rows", below="units"),
        "counts_": Floats("units", low=0),
    }

    weights_: np.ndarray
    places_: np.ndarray
    labels_: np.ndarray
    counts_: np.ndarray

    def __init__(
        self,
        grid: Any = (10, 10),
        *,
        topology: str = "rectangular",
        training: str = "batch",
        eta: float = 0.5,
        sigma: float | None = None,
        sigma_end: float = 0.5,
        neighborhood: str = "gaussian",
        init: Any = "pca",
        max_iter: int = 20,
        random_state: Any = None,
    ) -> None:
        self.grid = grid
        self.topology = topology
        self.training = training
        self.eta = eta
        self.sigma = sigma
        self.sigma_end = sigma_end
        self.neighborhood = neighborhood
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state

    _params = rules_for(
        __init__,
        grid=Satisfies(
            lambda v: isinstance(v, list | tuple | np.ndarray) and len(v) == 2 and all(map(Integer(low=1).accepts, v)),
            "two integers >= 1",
        ),
        topology=Choice("rectangular", "hexagonal"),
        training=Choice("batch", "online"),
        eta=Real(above=0, high=1),
        sigma=Real(above=0) | Nothing(),
        sigma_end=Real(above=0),
        neighborhood=Choice("gaussian", "bubble"),
        init=Choice("pca", "random") | Array(ndim=2),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the map from rows X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows; columns on one scale make sense.
        y : ignored
            There by convention.
        sample_weight : array of shape (n_samples,), optional
            How much each row counts; for "online" its chance to be shown.
        """
        rows = self._take(X, reset=True)
        rows = rows if rows.dtype.kind == "f" else rows.astype(np.float64)
        weight = self._weights(sample_weight, rows)
        check_positive_weight(weight)
        rng = check_random_state(self.random_state)
        places = grid_places(int(self.grid[0]), int(self.grid[1]), self.topology)
        squares = np.ascontiguousarray(squared_euclidean(places, places))
        W = np.ascontiguousarray(self._start(rows, weight, places, rng), dtype=rows.dtype)
        seed = int(rng.randint(2**31 - 1))
        progress = Progress(self, rows, weight, max_iter=self.max_iter)
        saved = progress.saved or {"W": W, "n_iter": 0}
        W, self.n_iter_ = np.array(saved["W"]), int(saved["n_iter"])
        for iteration in progress.iterations(start=self.n_iter_):
            if self.training == "batch":
                W = self._batch(rows, weight, W, squares, self._width(iteration.number / max(self.max_iter - 1, 1)))
            else:
                self._online(rows, weight, W, squares, iteration.number, seed)
            self.n_iter_ = iteration.number + 1
            iteration.done(
                state=partial(dict, W=W.copy(), n_iter=self.n_iter_),
                attributes=partial(self._learned, rows, weight, W.copy(), places, self.n_iter_),
            )
            if iteration.stop:
                break
        found = self._learned(rows, weight, W, places, self.n_iter_)
        for name, value in found.items():
            setattr(self, name, value)
        progress.finish(found)
        return self

    def _start(
        self, X: np.ndarray, weight: np.ndarray | None, places: np.ndarray, rng: np.random.RandomState
    ) -> np.ndarray:
        if not isinstance(self.init, str):
            given = np.array(self.init, dtype=X.dtype)
            if given.shape != (len(places), X.shape[1]) or not np.isfinite(given).all():
                raise ValueError(
                    f"init must have shape {(len(places), X.shape[1])} and finite numbers, one row a unit; got "
                    f"{given.shape}."
                )
            return given
        if self.init == "random":
            chance = None if weight is None else weight / weight.sum()
            return X[rng.choice(len(X), len(places), p=chance)].copy()
        mean = np.average(X.astype(np.float64), axis=0, weights=weight)
        apart = X - mean
        scatter = (
            (apart.T if weight is None else apart.T * weight) @ apart / (len(X) if weight is None else weight.sum())
        )
        values, vectors = np.linalg.eigh(scatter)
        main = vectors[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0.0))
        main = main * np.where(main[np.abs(main).argmax(axis=0), np.arange(main.shape[1])] < 0, -1.0, 1.0)
        middle = places - places.mean(axis=0)
        sheet = middle / np.maximum(np.abs(middle).max(axis=0), 1e-300) * 1.5
        if self.grid[0] > self.grid[1]:  # the longer side along the main direction
            sheet = sheet[:, ::-1]
        return np.asarray(mean + sheet[:, : main.shape[1]] @ main.T)

    def _width(self, share: float) -> float:
        first = max(self.grid) / 2 if self.sigma is None else self.sigma
        first = max(first, self.sigma_end)
        return float(first * (self.sigma_end / first) ** share)

    def _batch(
        self, X: np.ndarray, weight: np.ndarray | None, W: np.ndarray, squares: np.ndarray, sigma: float
    ) -> np.ndarray:
        units, _ = kernels.best_units(X, W, two=False, n_threads=n_threads())
        sums, mass = kernels.unit_sums(X, weight, units, n_units=len(W))
        pull = np.exp(-0.5 * squares / sigma**2) if self.neighborhood == "gaussian" else (squares <= sigma**2) * 1.0
        total = pull @ mass
        means = (pull @ sums) / np.where(total > 0, total, 1.0)[:, None]
        return np.ascontiguousarray(np.where((total > 1e-12 * mass.sum())[:, None], means, W), dtype=W.dtype)

    def _online(
        self, X: np.ndarray, weight: np.ndarray | None, W: np.ndarray, squares: np.ndarray, number: int, seed: int
    ) -> None:
        rng = np.random.default_rng([seed, number])
        n = len(X)
        order = rng.permutation(n) if weight is None else rng.choice(n, n, p=weight / weight.sum())
        share = (number * n + np.arange(n)) / max(self.max_iter * n, 1)
        sigma = np.array([self._width(0.0), self._width(1.0)])
        widths = sigma[0] * (sigma[1] / sigma[0]) ** share
        kernels.som_online(
            X, W, squares, order.astype(np.int64), self.eta * 0.01**share, widths, bubble=self.neighborhood == "bubble"
        )

    def _learned(
        self, X: np.ndarray, weight: np.ndarray | None, W: np.ndarray, places: np.ndarray, n_iter: int
    ) -> dict[str, Any]:
        if not np.isfinite(W).all():
            raise ValueError("the map runs out of the range of numbers; scale X.")
        labels, apart, errors = _quality(X, W, places)
        heavy = np.ones(len(X)) if weight is None else weight
        return {
            "weights_": W,
            "places_": places,
            "labels_": labels,
            "counts_": np.bincount(labels, weights=heavy, minlength=len(W)),
            "quantization_error_": float(np.average(apart, weights=heavy)),
            "topographic_error_": float(np.average(errors, weights=heavy)),
            "n_iter_": n_iter,
            "_n_features_out": len(W),
        }

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The best unit of each row of X, counted row by row of the grid."""
        check_is_fitted(self)
        rows = self._as_learned(X)
        return np.asarray(kernels.best_units(rows, self.weights_, two=False, n_threads=n_threads())[0])

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Distance of each row of X to each unit."""
        check_is_fitted(self)
        rows = self._as_learned(X)
        return np.sqrt(squared_euclidean(rows, self.weights_))

    def _as_learned(self, X: Any) -> np.ndarray:
        return np.ascontiguousarray(self._take(X, reset=False), dtype=self.weights_.dtype)


def _quality(X: np.ndarray, W: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Best unit of each row, its distance, and whether the two best are no neighbours on the grid."""
    if len(W) == 1:
        units = np.zeros(len(X), np.int32)
        return units, np.sqrt(((X - W[0]) ** 2).sum(axis=1)), np.zeros(len(X))
    units, others = kernels.best_units(X, W, two=True, n_threads=n_threads())
    apart = np.sqrt(((X - W[units]).astype(np.float64) ** 2).sum(axis=1))
    steps = np.sqrt(((places[units] - places[others]) ** 2).sum(axis=1))
    return units, apart, (steps > 1.5).astype(np.float64)


@method(
    "neural.som-quality",
    section="ex 5.8",
    task="evaluation",
    kind="measure",
    en="SOM quantisation error, topographic error, U-matrix",
    zh="SOM质量度量",
    peers=["minisom:MiniSom"],
)
def quantization_error(som: SOM, X: Any) -> float:
    """Mean distance of rows to the weight vectors of their best units.

    Book: exercise 5.8. Cost: O(n q d).

    Parameters
    ----------
    som : SOM
        A fitted map.
    X : array or frame of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.neural import SOM, quantization_error
    >>> som = SOM((1, 2), init=[[0.0], [4.0]], max_iter=1, sigma=0.1, sigma_end=0.1).fit([[0.0], [1.0], [4.0]])
    >>> quantization_error(som, [[0.5], [5.0]])
    0.5
    """
    check_is_fitted(som)
    return float(_quality(som._as_learned(X), som.weights_, som.places_)[1].mean())


def topographic_error(som: SOM, X: Any) -> float:
    """Share of rows whose best and second best units are no neighbours on the grid (diagonal ones are).

    Book: exercise 5.8. Cost: O(n q d).

    Parameters
    ----------
    som : SOM
        A fitted map.
    X : array or frame of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.neural import SOM, topographic_error
    >>> som = SOM((1, 3), init=[[0.0], [9.0], [1.0]], max_iter=1, sigma=0.1, sigma_end=0.1)
    >>> topographic_error(som.fit([[0.0], [9.0], [1.0]]), [[0.4], [8.0]])
    0.5
    """
    check_is_fitted(som)
    return float(_quality(som._as_learned(X), som.weights_, som.places_)[2].mean())


def u_matrix(som: SOM) -> np.ndarray:
    """Mean distance of each unit's weight vector to those of its neighbours: walls between clusters are high.

    Book: exercise 5.8. Cost: O(q^2 d).

    Parameters
    ----------
    som : SOM
        A fitted map.

    Returns
    -------
    ndarray of shape (rows, columns) of the grid

    Examples
    --------
    >>> from lanatus.neural import SOM, u_matrix
    >>> som = SOM((1, 3), init=[[0.0], [1.0], [4.0]], max_iter=1, sigma=0.1, sigma_end=0.1)
    >>> u_matrix(som.fit([[0.0], [1.0], [4.0]])).tolist()
    [[1.0, 2.0, 3.0]]
    """
    check_is_fitted(som)
    W = som.weights_.astype(np.float64)
    near = squared_euclidean(som.places_, som.places_) < (1.2 if som.topology == "hexagonal" else 1.1) ** 2
    np.fill_diagonal(near, False)
    apart = np.sqrt(squared_euclidean(W, W)) * near
    return np.asarray((apart.sum(axis=1) / np.maximum(near.sum(axis=1), 1)).reshape(som.grid))
