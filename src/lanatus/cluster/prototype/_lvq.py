"""Learning vector quantisation, and quantisation by prototypes."""

import logging
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, Integers, check_is_fitted, coded_rows, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster.measures._labels import numbers_of
from lanatus.cluster.prototype._kmeans_start import assign
from lanatus.metric import squared_euclidean
from lanatus.params import Array, Choice, Flag, Nothing, Real, rules_for
from lanatus.scale import blockwise

logger = logging.getLogger("lanatus")


@method(
    "cluster.lvq",
    "cluster.lvq2",
    "cluster.lvq3",
    section="9.4.2",
    task="classification",
    en="Learning vector quantisation (LVQ)",
    zh="学习向量量化LVQ",
    peers=["neupy:LVQ"],
)
class LVQ(CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClassifierMixin, Estimator):
    r"""Prototypes with labels that move towards rows of their own class and away from others.

    For a row x the nearest prototype p moves by :math:`p' = p \pm \eta (x - p)` (9.25): towards x if the labels agree,
    away if not. "lvq2" moves two at once: the two nearest, if one is of the row's class, the other is not, and x lies
    in a window near their border, :math:`\min(d_i/d_j, d_j/d_i) > (1 - w)/(1 + w)`; "lvq3" also moves both, by a share
    :math:`\epsilon`, if both are of the row's class. Rows are clusters by their nearest prototypes, with labels as a
    guide; the prototypes classify by theirs.

    Book: sections 9.4.2 and 9.7, figure 9.4. Cost: O(q d) a row that is shown; memory O(q d).

    Parameters
    ----------
    prototype_labels : array of shape (n_prototypes,) or None, default=None
        Label of each prototype; None is one of each class.
    eta : float, default=0.1
        Learning rate, above 0 and below 1.
    variant : {"lvq1", "lvq2", "lvq3"}, default="lvq1"
        Which prototypes move.
    init : {"random", "mean"} or array of shape (n_prototypes, n_features), default="random"
        Prototypes to begin with: rows of their classes, means of their classes with a little noise, or those given.
    window : float, default=0.3
        Width of the window of "lvq2" and "lvq3".
    epsilon : float, default=0.3
        Share of the rate for two prototypes of the row's class, of "lvq3".
    max_iter : int, default=100
        Rounds; in each as many rows are shown as there are.
    order : {"random", "given"}, default="random"
        Rows are drawn at random (weights are chances), as in the book, or shown in their order.
    decay : bool, default=False
        Whether the rate falls to 0 over the rounds.
    tol : float, default=0.0
        Stop once no prototype moves by more than this in a round.
    random_state : int, RandomState or None, default=None
        Draws prototypes and rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    prototypes_ : ndarray of shape (n_prototypes, n_features), the prototypes
    prototype_labels_ : ndarray of shape (n_prototypes,), their labels
    labels_ : ndarray of shape (n_samples,), int32, nearest prototype of each row: its cluster
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import LVQ
    >>> model = LVQ(init=[[1.0], [7.0]], prototype_labels=["a", "b"], order="given", max_iter=1)
    >>> model.fit([[0.0], [9.0]], ["a", "b"]).prototypes_.tolist()
    [[0.9], [7.2]]

    References
    ----------
    Kohonen (2001), Self-organizing maps, chapter 6.
    """

    _state: ClassVar = {
        "prototypes_": Floats("prototypes", "columns"),
        "labels_": Integers("rows", below="prototypes"),
    }

    def __init__(
        self,
        prototype_labels: Any = None,
        eta: float = 0.1,
        *,
        variant: str = "lvq1",
        init: Any = "random",
        window: float = 0.3,
        epsilon: float = 0.3,
        max_iter: int = 100,
        order: str = "random",
        decay: bool = False,
        tol: float = 0.0,
        random_state: Any = None,
    ) -> None:
        self.prototype_labels = prototype_labels
        self.eta = eta
        self.variant = variant
        self.init = init
        self.window = window
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.order = order
        self.decay = decay
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(
        __init__,
        prototype_labels=Array(ndim=1) | Nothing(),
        eta=Real(above=0, below=1),
        variant=Choice("lvq1", "lvq2", "lvq3"),
        init=Choice("random", "mean") | Array(ndim=2),
        window=Real(above=0, below=1),
        epsilon=Real(low=0, high=1),
        order=Choice("random", "given"),
        decay=Flag(),
    )

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the prototypes from labelled rows.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their labels.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows: the chances of being drawn; of a given order, shares of the rate.
        """
        rows, codes = coded_rows(self, X, y)
        weight = self._weights(sample_weight, rows)
        rng = check_random_state(self.random_state)
        own = self._own_codes()
        prototypes = self._start(rows, codes, own, weight, rng)
        progress = Progress(self, rows, weight, max_iter=self.max_iter)
        saved = progress.saved or {}
        if saved:
            prototypes = saved["prototypes"]
            rng.set_state(("MT19937", saved["keys"], int(saved["pos"]), 0, 0.0))
        for iteration in progress.iterations(start=int(saved.get("n_iter", 0))):
            before = prototypes.copy()
            eta = self.eta * (1 - iteration.number / self.max_iter) if self.decay else self.eta
            for row, share in self._shown(rows, weight, rng):
                self._show(prototypes, own, rows[row], codes[row], eta * share)
            self.n_iter_ = iteration.number + 1
            iteration.done(
                state=partial(_state, prototypes.copy(), self.n_iter_, rng.get_state()),
                attributes=partial(self._learned, rows, prototypes.copy(), own, self.n_iter_),
            )
            if iteration.stop or np.abs(prototypes - before).max() <= self.tol:
                break
        found = self._learned(rows, prototypes, own, self.n_iter_)
        for name, value in found.items():
            setattr(self, name, value)
        progress.finish(found)
        return self

    def _own_codes(self) -> np.ndarray:
        """Place of each prototype's label among the classes."""
        if self.prototype_labels is None:
            return np.arange(len(self.classes_))
        wanted = np.asarray(self.prototype_labels)
        place = np.array([np.flatnonzero(self.classes_ == label).tolist()[:1] or [-1] for label in wanted]).ravel()
        if (place < 0).any():
            raise ValueError(
                f"prototype_labels has {wanted[place < 0].tolist()[0]!r}, which is no label of y; wanted some of "
                f"{self.classes_.tolist()}."
            )
        return place

    def _start(
        self, X: np.ndarray, codes: np.ndarray, own: np.ndarray, weight: np.ndarray | None, rng: np.random.RandomState
    ) -> np.ndarray:
        if not isinstance(self.init, str):
            given = np.array(self.init, dtype=np.float64)
            if given.shape != (len(own), X.shape[1]) or not np.isfinite(given).all():
                raise ValueError(
                    f"init must have shape {(len(own), X.shape[1])} and finite numbers, got {given.shape}: one row a "
                    "prototype."
                )
            return given
        found = np.empty((len(own), X.shape[1]))
        for label in np.unique(own):
            places, members = np.flatnonzero(own == label), np.flatnonzero(codes == label)
            if weight is not None and weight[members].any():
                members = members[weight[members] > 0]
            if self.init == "mean":
                share = None if weight is None else weight[members]
                noise = rng.normal(size=(len(places), X.shape[1])) * (len(places) > 1)
                found[places] = np.average(X[members], axis=0, weights=share) + 0.05 * noise * X[members].std(axis=0)
            else:
                found[places] = X[rng.choice(members, len(places), replace=len(members) < len(places))]
        return found

    def _shown(self, X: np.ndarray, weight: np.ndarray | None, rng: np.random.RandomState) -> Any:
        """Rows to show in a round, each with its share of the rate."""
        if self.order == "given":
            shares = np.ones(len(X)) if weight is None else np.minimum(weight / weight.mean(), 1.0)
            return zip(range(len(X)), shares.tolist(), strict=True)
        chance = None if weight is None else weight / weight.sum()
        return ((row, 1.0) for row in rng.choice(len(X), len(X), p=chance).tolist())

    def _show(self, prototypes: np.ndarray, own: np.ndarray, x: np.ndarray, label: int, eta: float) -> None:
        """Move prototypes for one row."""
        squares = ((prototypes - x) ** 2).sum(axis=1)
        if self.variant == "lvq1" or len(prototypes) < 2:
            i = int(squares.argmin())
            prototypes[i] += (eta if own[i] == label else -eta) * (x - prototypes[i])
            return
        i, j = np.argsort(squares, kind="stable")[:2].tolist()
        right = int(own[i] == label) + int(own[j] == label)
        near = np.sqrt(squares[[i, j]])
        inside = near.max() == 0 or near.min() / near.max() > (1 - self.window) / (1 + self.window)
        if right == 1 and inside:
            for p in (i, j):
                prototypes[p] += (eta if own[p] == label else -eta) * (x - prototypes[p])
        elif right == 2 and self.variant == "lvq3":
            for p in (i, j):
                prototypes[p] += self.epsilon * eta * (x - prototypes[p])

    def _learned(self, X: np.ndarray, prototypes: np.ndarray, own: np.ndarray, n_iter: int) -> dict[str, Any]:
        if not np.isfinite(prototypes).all():
            raise ValueError("prototypes were pushed away without end; lower eta, or begin with init='mean'.")
        kept = prototypes.astype(X.dtype)
        return {
            "prototypes_": kept,
            "prototype_labels_": self.classes_[own],
            "labels_": assign(X, kept)[0],
            "n_iter_": n_iter,
            "classes_": self.classes_,
            "_n_features_out": len(kept),
        }

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The label of the nearest prototype of each row."""
        check_is_fitted(self)
        return np.asarray(self.prototype_labels_[assign(self._take(X, reset=False), self.prototypes_)[0]])

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Distance of each row to each prototype."""
        check_is_fitted(self)
        squares = squared_euclidean(self._take(X, reset=False), self.prototypes_)
        return np.sqrt(squares, out=squares)


def _state(prototypes: np.ndarray, n_iter: int, rng: Any) -> dict[str, Any]:
    return {"prototypes": prototypes, "n_iter": n_iter, "keys": rng[1], "pos": rng[2]}


class Quantized(NamedTuple):
    """Rows put into the cells of prototypes.

    Attributes
    ----------
    codes : ndarray of shape (n,), int32, the cell of each row
    distances : ndarray of shape (n,), how far each row is from its prototype
    values : ndarray of shape (n, d), the prototype in place of each row
    """

    codes: np.ndarray
    distances: np.ndarray
    values: np.ndarray


@method(
    "cluster.vector-quantization",
    section="9.4.2",
    task="clustering",
    en="Voronoi tessellation and vector quantisation",
    zh="Voronoi剖分与向量量化",
    peers=["scipy:vq"],
)
def vector_quantize(X: Any, prototypes: Any) -> Quantized:
    r"""Every row by the prototype in whose cell it lies: lossy compression to a code book.

    The cells :math:`R_i = \{x : \lVert x - p_i \rVert \le \lVert x - p_{i'} \rVert\}` (9.27) are the Voronoi
    tessellation of the prototypes; on a border the lower cell takes the row.

    Book: section 9.4.2. Cost: O(n q d).

    Parameters
    ----------
    X : array or frame of shape (n, d)
        The rows.
    prototypes : array of shape (q, d)
        The code book, such as ``cluster_centers_`` of `KMeans` or ``prototypes_`` of `LVQ`.

    Examples
    --------
    >>> from lanatus.cluster import vector_quantize
    >>> vector_quantize([[0.2], [0.9], [5.0]], [[0.0], [1.0]]).codes.tolist()
    [0, 1, 1]
    """
    X, book = numbers_of(X), np.asarray(numbers_of(prototypes))
    if X.shape[1] != book.shape[1] or not len(book):
        raise ValueError(
            f"got rows of {X.shape[1]} columns and prototypes of shape {book.shape}, wanted as many columns."
        )
    codes, squares = assign(X, book)
    return Quantized(codes, np.sqrt(squares), book[codes])
