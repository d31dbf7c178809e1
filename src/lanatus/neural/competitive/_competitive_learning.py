"""Competitive learning: the winner takes all."""

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
from lanatus.params import Array, Choice, Integer, Real, rules_for
from lanatus.scale import blockwise


@method(
    "neural.competitive-learning",
    section="5.5.2",
    task="clustering",
    en="Competitive (winner-take-all) learning",
    zh="竞争型学习(胜者通吃)",
    peers=["neupy:Kohonen"],
)
class CompetitiveLearning(
    CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, Estimator
):
    r"""Units that compete for each row; the winner, and it alone, moves towards it.

    :math:`w_c \leftarrow w_c + \eta\,(x - w_c)` for the nearest unit c, while :math:`\eta` falls to a hundredth.

    Book: section 5.5.2. Cost: O(n q d) a round.

    Parameters
    ----------
    n_units : int, default=8
        Units, of which one is active for a row; no more than there are different rows.
    eta : float, default=0.1
        First rate.
    init : {"random"} or array of shape (n_units, n_features), default="random"
        Weights to begin with: rows drawn, far ones rather than near ones, or those given.
    max_iter : int, default=20
        Rounds.
    random_state : int, RandomState or None, default=None
        Draws rows and their orders.

    Attributes
    ----------
    weights_ : ndarray of shape (n_units, n_features), weight vectors of the units
    labels_ : ndarray of shape (n_samples,), int32, the winner of each row
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.neural import CompetitiveLearning
    >>> model = CompetitiveLearning(init=[[1.0], [7.0]], max_iter=1, random_state=0).fit([[0.0], [9.0]])
    >>> model.labels_.tolist(), bool(0.9 <= model.weights_[0, 0] < 1.0)
    ([0, 1], True)

    References
    ----------
    Rumelhart and Zipser (1985), Feature discovery by competitive learning.
    """

    _state: ClassVar = {"weights_": Floats("units", "columns"), "labels_": Integers("rows", below="units")}

    weights_: np.ndarray
    labels_: np.ndarray

    def __init__(
        self,
        n_units: int = 8,
        eta: float = 0.1,
        *,
        init: Any = "random",
        max_iter: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_units = n_units
        self.eta = eta
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state

    _params = rules_for(
        __init__, n_units=Integer(low=1), eta=Real(above=0, high=1), init=Choice("random") | Array(ndim=2)
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Show the rows to the units.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        sample_weight : array of shape (n_samples,), optional
            Chances of the rows to be shown.
        """
        rows = self._take(X, reset=True)
        rows = rows if rows.dtype.kind == "f" else rows.astype(np.float64)
        weight = self._weights(sample_weight, rows)
        check_positive_weight(weight)
        rng = check_random_state(self.random_state)
        W, seed = self._start(rows, weight, rng), int(rng.randint(2**31 - 1))
        alone = 1.0 - np.eye(len(W))  # no unit is a neighbour of another
        progress = Progress(self, rows, weight, max_iter=self.max_iter)
        saved = progress.saved or {"W": W, "n_iter": 0}
        W, self.n_iter_ = np.array(saved["W"]), int(saved["n_iter"])
        n = len(rows)
        for iteration in progress.iterations(start=self.n_iter_):
            draw = np.random.default_rng([seed, iteration.number])
            order = draw.permutation(n) if weight is None else draw.choice(n, n, p=weight / weight.sum())
            eta = self.eta * 0.01 ** ((iteration.number * n + np.arange(n)) / max(self.max_iter * n, 1))
            kernels.som_online(rows, W, alone, order.astype(np.int64), eta, np.full(n, 0.5), bubble=True)
            self.n_iter_ = iteration.number + 1
            iteration.done(
                state=partial(dict, W=W.copy(), n_iter=self.n_iter_),
                attributes=partial(self._learned, rows, W.copy(), self.n_iter_),
            )
            if iteration.stop:
                break
        found = self._learned(rows, W, self.n_iter_)
        for name, value in found.items():
            setattr(self, name, value)
        progress.finish(found)
        return self

    def _start(self, X: np.ndarray, weight: np.ndarray | None, rng: np.random.RandomState) -> np.ndarray:
        if not isinstance(self.init, str):
            given = np.array(self.init, dtype=X.dtype)
            if given.shape[1] != X.shape[1] or not len(given) or not np.isfinite(given).all():
                raise ValueError(f"init must have {X.shape[1]} columns of finite numbers; got shape {given.shape}.")
            return given
        apart = np.ones(len(X)) if weight is None else weight.copy()
        chosen: list[int] = []
        while len(chosen) < self.n_units and apart.sum() > 0:
            chosen.append(int(rng.choice(len(X), p=apart / apart.sum())))
            near = squared_euclidean(X, X[chosen]).min(axis=1) * (1 if weight is None else weight)
            apart = np.where(near > 1e-12 * max(float(near.max()), 1e-300), near, 0.0).astype(np.float64)
        return np.ascontiguousarray(X[chosen])

    def _learned(self, X: np.ndarray, W: np.ndarray, n_iter: int) -> dict[str, Any]:
        labels = kernels.best_units(X, W, two=False, n_threads=n_threads())[0]
        return {"weights_": W, "labels_": labels, "n_iter_": n_iter, "_n_features_out": len(W)}

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The winner of each row of X."""
        check_is_fitted(self)
        rows = np.ascontiguousarray(self._take(X, reset=False), dtype=self.weights_.dtype)
        return np.asarray(kernels.best_units(rows, self.weights_, two=False, n_threads=n_threads())[0])

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Distance of each row of X to each unit."""
        check_is_fitted(self)
        rows = np.ascontiguousarray(self._take(X, reset=False), dtype=self.weights_.dtype)
        return np.sqrt(squared_euclidean(rows, self.weights_))
