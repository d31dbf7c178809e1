"""A mixture of Gaussians whose components belong to classes, some rows' classes unknown."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, Integers, StateError, aligned, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster import KMeans
from lanatus.density.mixture import (
    SHAPES,
    Components,
    components,
    factors_of,
    kept_where_empty,
    moments,
    posteriors,
    regularised,
    shaped,
    tally,
)
from lanatus.params import COMMON, Choice, Integer, Real, rules_for
from lanatus.scale import Block, Sums, blockwise
from lanatus.semi._labels import SemiSupervised, require_weight_of_classes

_FIRST_ROUNDS = 5  # with one component a class, before classes are cut into several


@method(
    "semi.ss-gmm",
    "semi.ss-mixture-of-experts",
    section="13.2",
    task="classification",
    en="Semi-supervised Gaussian mixture",
    zh="半监督高斯混合模型",
    peers=["LAMDA-SSL:SSGMM"],
)
class SemiSupervisedGaussianMixture(SemiSupervised, CallbackSupportMixin, ClassifierMixin, Estimator):
    r"""A mixture of Gaussians, one or several for each class, learned by EM from rows with and without a class.

    Maximises :math:`\sum_{D_l} \ln \sum_{i \in y_j} \alpha_i p(x_j \mid \mu_i, \Sigma_i) + \lambda \sum_{D_u} \ln
    \sum_i \alpha_i p(x_j \mid \mu_i, \Sigma_i)` (13.4): a labelled row belongs to the components of its class, any
    other to all in proportion (13.5); means, covariances and weights are those of the rows so shared out (13.6)-(13.8).
    A row gets the class whose components are likeliest (13.2).

    Book: section 13.2; exercise 13.3 for several components a class. Kernel: ``cpp/density/mixture.hpp``.
    Cost: :math:`O(n k d^2)` a round for k components.

    Parameters
    ----------
    components_per_class : int, default=1
        Gaussians of each class.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        A covariance of its own for each, one for all, variances of the columns, or one variance.
    unlabelled_weight : float, default=1.0
        How much a row without a class counts, :math:`\lambda`.
    tol : float, default=1e-4
        Stop once the likelihood of a row rises by less.
    max_iter : int, default=200
        Most rounds.
    reg_covar : float, default=1e-6
        Added to the variances.
    random_state : int, RandomState or None, default=None
        For the start of several components a class.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    weights_ : ndarray of shape (n_components,), shares of the components
    means_ : ndarray of shape (n_components, n_features), their means
    covariances_ : ndarray, their covariances, in the layout of `covariance_type`
    class_of_ : ndarray of shape (n_components,), the place among `classes_` of the class that each belongs to
    transduction_ : ndarray of shape (n_samples,), classes of the rows of ``fit``, those that were known as they were
    log_likelihood_ : float, what was maximised
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.semi import SemiSupervisedGaussianMixture
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> model = SemiSupervisedGaussianMixture().fit(X, ["low", None, None, None, None, "high"])
    >>> model.transduction_.tolist()
    ['low', 'low', 'low', 'high', 'high', 'high']

    References
    ----------
    Shahshahani and Landgrebe (1994), The effect of unlabeled samples in reducing the small sample size problem. Miller
    and Uyar (1997), A mixture of experts classifier with learning based on both labelled and unlabelled data.
    """

    _state: ClassVar = {
        "weights_": Floats("components", low=0),
        "means_": Floats("components", "columns"),
        "class_of_": Integers("components"),
    }

    weights_: np.ndarray
    means_: np.ndarray
    covariances_: np.ndarray
    class_of_: np.ndarray
    transduction_: np.ndarray
    log_likelihood_: float
    n_iter_: int

    def __init__(
        self,
        *,
        components_per_class: int = 1,
        covariance_type: str = "full",
        unlabelled_weight: float = 1.0,
        tol: float = 1e-4,
        max_iter: int = 200,
        reg_covar: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.components_per_class = components_per_class
        self.covariance_type = covariance_type
        self.unlabelled_weight = unlabelled_weight
        self.tol = tol
        self.max_iter = max_iter
        self.reg_covar = reg_covar
        self.random_state = random_state

    _params = rules_for(
        __init__,
        COMMON,
        components_per_class=Integer(low=1),
        covariance_type=Choice(*SHAPES),
        unlabelled_weight=Real(low=0, below=np.inf),
        reg_covar=Real(low=0, below=np.inf),
    )

    def _require_sound(self) -> None:
        if len(self.class_of_) and self.class_of_.max() >= len(self.classes_):
            raise StateError("class_of_ names a class that classes_ lacks")
        self._components()

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X, of which some have a class.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            The classes; -1 or a missing value where there is none.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        X = self._take(X, reset=True)
        codes = self._learn_labels(y, X)
        weights = self._weights(sample_weight, X)
        weight = np.ones(len(X)) if weights is None else weights.copy()
        weight[codes < 0] *= self.unlabelled_weight
        k = len(self.classes_)
        require_weight_of_classes(codes, weight, k)
        blocks = [
            (np.flatnonzero(self._owners(k, 1) == c) if c >= 0 else None, Block(*_part(X, weight, codes == c)))
            for c in range(-1, k)
            if weight[codes == c].sum() > 0
        ]
        progress = Progress(self, X, weights, max_iter=self.max_iter)
        state = self._first(X, weight, codes)
        if self.components_per_class > 1:
            for _ in range(_FIRST_ROUNDS):
                state = self._improved(state, self._summed(state, self._of_class(blocks, 1)))[0]
            state = self._cut(X, weight, codes, state)
        parts = self._of_class(blocks, self.components_per_class)
        mass, before, converged, n_iter = float(weight.sum()), -np.inf, False, 0
        for iteration in progress.iterations():
            state, likelihood = self._improved(state, self._summed(state, parts))
            n_iter = iteration.number + 1
            iteration.done(state=dict, attributes=partial(self._learned, state, likelihood, n_iter))
            converged = iteration.stop or likelihood - before <= self.tol * mass
            before = likelihood
            if converged:
                break
        if not converged:
            warn_unconverged(self)
        likelihood = float(self._summed(state, parts).log_likelihood)
        for name, value in self._learned(state, likelihood, n_iter).items():
            setattr(self, name, value)
        guess = self._class_shares(X).argmax(axis=1)
        self.transduction_ = self.classes_[np.where(codes >= 0, codes, guess)]
        progress.finish(self._learned(state, likelihood, n_iter))
        return self

    def _owners(self, k: int, each: int) -> np.ndarray:
        """The class of each component."""
        return np.repeat(np.arange(k), each)

    def _of_class(self, blocks: list[Any], each: int) -> list[tuple[np.ndarray | None, Block]]:
        """Blocks of rows, with the components that they may belong to; None for all."""
        owners = self._owners(len(self.classes_), each)
        return [(None if own is None else np.flatnonzero(owners == own[0]), block) for own, block in blocks]

    def _first(self, X: np.ndarray, weight: np.ndarray, codes: np.ndarray) -> dict[str, np.ndarray]:
        """Means of the classes, the covariance of all rows, equal shares."""
        k = len(self.classes_)
        means = np.stack([np.average(X[codes == c], axis=0, weights=weight[codes == c]) for c in range(k)])
        gap = X - np.average(X, axis=0, weights=weight)
        spread = (gap.T * weight) @ gap / weight.sum()
        kind = self.covariance_type
        spread = np.diag(spread) if kind in ("diag", "spherical") else spread
        covariances = regularised(shaped(spread, kind, k), kind, self.reg_covar)
        return {"weights": np.full(k, 1 / k), "means": means, "covariances": covariances}

    def _cut(
        self, X: np.ndarray, weight: np.ndarray, codes: np.ndarray, state: dict[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """Each class in several components, by k-means on the rows that are likeliest its own."""
        k, each = len(self.classes_), self.components_per_class
        owner = np.where(codes >= 0, codes, posteriors(self._made(state), X)[1].argmax(axis=1))
        rng = check_random_state(self.random_state)
        means = []
        for c in range(k):
            rows = np.flatnonzero((owner == c) & (weight > 0))
            count = min(each, len(np.unique(X[rows], axis=0)))
            found = KMeans(count, n_init=3, random_state=rng.randint(2**31 - 1)).fit(X[rows]).cluster_centers_
            means.append(np.resize(found, (each, X.shape[1])))
        covariances = state["covariances"]
        if self.covariance_type != "tied":
            covariances = np.repeat(covariances, each, axis=0)
        return {
            "weights": np.repeat(state["weights"] / each, each),
            "means": np.concatenate(means),
            "covariances": covariances,
        }

    def _made(self, state: dict[str, np.ndarray]) -> Components:
        factors = factors_of(state["covariances"], self.covariance_type)
        return components(self.covariance_type, state["weights"], state["means"], state["covariances"], factors)

    def _summed(self, state: dict[str, np.ndarray], parts: list[tuple[np.ndarray | None, Block]]) -> Sums:
        """E step over all parts: rows with a class know only its components."""
        model, tied = self._made(state), self.covariance_type == "tied"
        total: Any = None
        for own, block in parts:
            sums = tally(model if own is None else _some(model, own, tied), tied, block)
            sums = sums if own is None else _padded(sums, own, len(state["means"]))
            total = sums if total is None else total + sums
        return total

    def _improved(self, state: dict[str, np.ndarray], sums: Sums) -> tuple[dict[str, np.ndarray], float]:
        """M step, and the likelihood before it."""
        kind = self.covariance_type
        means, covariances = moments(sums, state["means"], kind, None)
        covariances = regularised(covariances, kind, self.reg_covar)
        covariances = kept_where_empty(sums, kind, covariances, state["covariances"])
        weights = sums.mass / sums.mass.sum()
        return {"weights": weights, "means": means, "covariances": covariances}, float(sums.log_likelihood)

    def _learned(self, state: dict[str, np.ndarray], likelihood: float, n_iter: int) -> dict[str, Any]:
        each = len(state["means"]) // len(self.classes_)
        return {
            "weights_": state["weights"],
            "means_": state["means"],
            "covariances_": state["covariances"],
            "class_of_": self._owners(len(self.classes_), each),
            "log_likelihood_": likelihood,
            "n_iter_": n_iter,
        }

    def _components(self) -> Components:
        return self._made({"weights": self.weights_, "means": self.means_, "covariances": self.covariances_})

    def _class_shares(self, X: np.ndarray) -> np.ndarray:
        shares = posteriors(self._components(), X)[1]
        return np.stack([shares[:, self.class_of_ == c].sum(axis=1) for c in range(len(self.classes_))], axis=1)

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class: that of its components (13.2)."""
        check_is_fitted(self)
        return self._class_shares(self._take(X, reset=False))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row of X."""
        proba = self.predict_proba(X)
        return self.classes_[proba.argmax(axis=1)]

    @blockwise
    def score_samples(self, X: Any) -> np.ndarray:
        """Logarithm of the density at each row of X."""
        check_is_fitted(self)
        return posteriors(self._components(), self._take(X, reset=False))[0]


def _part(X: np.ndarray, weight: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, None, np.ndarray, int]:
    return aligned(X[rows].astype(np.float64)), None, aligned(weight[rows]), 0


def _some(model: Components, own: np.ndarray, tied: bool) -> Components:
    """Some components."""

    def part(values: np.ndarray | None) -> Any:
        return values if values is None or tied else values[own]

    return Components(model.kind, model.means[own], part(model.factors), model.log_const[own], part(model.covariances))


def _padded(sums: Sums, own: np.ndarray, k: int) -> Sums:
    """Sums of some components, 0 for the others."""

    def wide(values: np.ndarray) -> np.ndarray:
        out = np.zeros((k, *values.shape[1:]))
        out[own] = values
        return out

    return Sums(
        weight=sums.weight,
        log_likelihood=sums.log_likelihood,
        entropy=sums.entropy,
        mass=wide(sums.mass),
        first=wide(sums.first),
        second=wide(sums.second),
    )
