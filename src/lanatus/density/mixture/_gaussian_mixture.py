"""Gaussian mixtures by EM."""

from typing import Any

import numpy as np

from lanatus.base import Takes
from lanatus.catalog import method
from lanatus.density.mixture._covariance_shapes import (
    checked_covariances,
    covariances_of,
    factors_of,
    n_covariance_parameters,
)
from lanatus.density.mixture._em_steps import (
    Components,
    Scatter,
    components,
    kept_where_empty,
    moments,
    regularised,
    shaped,
)
from lanatus.density.mixture._gradient_step import Expected, gradient_step
from lanatus.density.mixture._mixture_base import RULES, BaseMixture, State
from lanatus.density.mixture._mixture_start import Survey, start_rows, start_sums
from lanatus.params import Array, Choice, Nothing, rules_for
from lanatus.scale import Sums

MATRICES = Array(ndim=1) | Array(ndim=2) | Array(ndim=3) | Nothing()


@method(
    "density.gmm",
    "density.gmm-sampler",
    "density.gmm-fixed-point",
    "density.mixture-gradient",
    section="9.4.3",
    task="density",
    en="Gaussian mixture by EM",
    zh="高斯混合模型",
    streams=True,
    peers=["scikit-learn:GaussianMixture", "pomegranate:GeneralMixtureModel"],
)
class GaussianMixture(BaseMixture):
    r"""A density that is a weighted sum of normal ones, estimated by EM; its components are clusters, too.

    Raises :math:`LL = \sum_j w_j \ln \sum_i \alpha_i \, \mathcal{N}(x_j; \mu_i, \Sigma_i)` (9.32): the E step finds
    the probabilities :math:`\gamma_{ji}` of the components given each row (9.30), the M step takes weighted means,
    covariances and shares (9.34)-(9.38). Missing values are integrated out: rows with holes count with what is
    expected of the rest, given what is there.

    Book: section 9.4.3, figure 9.6; cookbook 4.1 and 4.3. Kernel: ``cpp/density/mixture.hpp``.
    Cost: :math:`O(nkd^2)` time a step (:math:`O(nkd)` for "diag" and "spherical"), :math:`O(kd^2)` memory beside the
    data. From a source or on Dask each step is one pass. Holes cost :math:`O(kd^3)` more for each set of columns
    that are missing together.

    Parameters
    ----------
    n_components : int, default=1
        Number of components, *k*.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        A covariance matrix for each component, one for all, a variance for each column, or one number.
    tol : float, default=1e-3
        Stop once the mean log-likelihood changes by less than this.
    reg_covar : float, default=1e-6
        Added to every variance, so that no covariance is singular; 0 is the book's method, whose likelihood never
        falls.
    max_iter : int, default=100
        Most steps of one start.
    n_init : int, default=1
        Number of starts; the one with the highest likelihood is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
        Where to begin: the clusters of k-means, rows chosen as k-means++ does, random shares, or random rows. Chosen
        rows begin with the covariance of all data and equal weights. Holes are filled with means for this alone.
    weights_init : array of shape (n_components,), optional
        Starting weights.
    means_init : array of shape (n_components, n_features), optional
        Starting means.
    precisions_init : array, optional
        Starting precisions (inverse covariances), in the layout of ``precisions_``.
    random_state : int, RandomState or None, default=None
        Draws the starts, and rows in ``sample``.
    warm_start : bool, default=False
        Whether ``fit`` begins from what the last one found.
    verbose : int, default=0
        Above 0, logs steps to the logger "lanatus".
    verbose_interval : int, default=10
        Steps between two such lines.
    covariances_init : array, optional
        Starting covariances, in the layout of ``covariances_``, instead of precisions.
    solver : {"em", "fixed-point", "gradient"}, default="em"
        EM; the equations of a stationary likelihood (cookbook 4.1) iterated as they stand, with the covariances about
        the old means; or steps up the gradient of the likelihood (7.35), which a line search keeps from lowering it.
        All stop at the same points. EM needs fewest steps, and never lowers the likelihood on its way either.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,), shares of the components
    means_ : ndarray of shape (n_components, n_features), their means
    covariances_ : ndarray, (k, d, d) for "full", (d, d) for "tied", (k, d) for "diag", (k,) for "spherical"
    precisions_ : ndarray of the same shape, inverse covariances
    precisions_cholesky_ : ndarray of the same shape, upper factors of the precisions
    converged_ : bool, whether the likelihood settled
    n_iter_ : int, steps of the kept start
    lower_bound_ : float, mean log-likelihood in the last E step
    lower_bounds_ : ndarray of shape (n_iter_,), that of each step
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A component that loses all its rows keeps its mean and covariance with weight 0, so that the likelihood does not
    fall. A row where everything is missing has density 1. Columns without any value are refused.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.density import GaussianMixture
    >>> X = load_watermelon("4.0", frame="numpy").data
    >>> model = GaussianMixture(3, random_state=0).fit(X)
    >>> model.predict_proba(X).shape, round(float(model.weights_.sum()), 6)
    ((30, 3), 1.0)

    References
    ----------
    Dempster, Laird and Rubin (1977), Maximum likelihood from incomplete data via the EM algorithm. Ghahramani and
    Jordan (1994), Supervised learning from incomplete data via an EM approach.
    """

    _takes = Takes(missing=True)

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: str = "full",
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: str = "kmeans",
        weights_init: Any = None,
        means_init: Any = None,
        precisions_init: Any = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        verbose_interval: int = 10,
        covariances_init: Any = None,
        solver: str = "em",
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval
        self.covariances_init = covariances_init
        self.solver = solver

    _params = rules_for(
        __init__,
        RULES,
        weights_init=Array(ndim=1) | Nothing(),
        means_init=Array(ndim=2) | Nothing(),
        precisions_init=MATRICES,
        covariances_init=MATRICES,
        solver=Choice("em", "fixed-point", "gradient"),
    )

    # ------------------------------------------------------------ the steps

    def _prepare(self, survey: Survey) -> None:
        if self.precisions_init is not None and self.covariances_init is not None:
            raise ValueError("give precisions_init or covariances_init, not both.")

    def _given(self, d: int) -> State:
        """The starting values that the user gave."""
        k, kind = self.n_components, self.covariance_type
        given: State = {}
        if self.weights_init is not None:
            given["weights"] = _checked_weights(self.weights_init, k)
        if self.means_init is not None:
            given["means"] = _checked_means(self.means_init, (k, d))
        if self.covariances_init is not None:
            given["covariances"] = checked_covariances(self.covariances_init, "covariances_init", kind, k, d)
        elif self.precisions_init is not None:
            precisions = checked_covariances(self.precisions_init, "precisions_init", kind, k, d)
            given["covariances"] = covariances_of(precisions, kind)
        return given

    def _start(self, survey: Survey, seed: int) -> State:
        given = self._given(len(survey.mean))
        state = given if len(given) == 3 else {**self._drawn(survey, seed), **given}
        state["precisions_cholesky"] = factors_of(state["covariances"], self.covariance_type)
        return state

    def _drawn(self, survey: Survey, seed: int) -> State:
        k, kind = self.n_components, self.covariance_type
        along_axes = kind in ("diag", "spherical")
        if self.init_params in ("kmeans", "random"):
            about, sums = start_sums(survey, self.init_params, k, seed, along_axes=along_axes)
            means, covariances = moments(sums, about, kind, None)
            weights = sums.mass / sums.mass.sum()
        else:
            means, weights = start_rows(survey, self.init_params, k, seed), np.full(k, 1 / k)
            spread = survey.scatter(along_axes=along_axes).matrix / survey.weight
            covariances = shaped(spread, kind, k)
        return {"weights": weights, "means": means, "covariances": regularised(covariances, kind, self.reg_covar)}

    def _advance(self, state: State, sums: Sums, scatter: Scatter | None) -> State:
        kind = self.covariance_type
        if self.solver == "gradient":
            return self._ascend(state, sums, scatter)
        means, covariances = moments(sums, state["means"], kind, scatter, about_old=self.solver == "fixed-point")
        covariances = regularised(covariances, kind, self.reg_covar)
        covariances = kept_where_empty(sums, kind, covariances, state["covariances"])
        if not (np.isfinite(means).all() and np.isfinite(covariances).all()):
            raise ValueError("the covariances overflow: X has values too large to square; scale it first.")
        return {
            "weights": sums.mass / sums.mass.sum(),
            "means": means,
            "covariances": covariances,
            "precisions_cholesky": factors_of(covariances, kind),
        }

    def _ascend(self, state: State, sums: Sums, scatter: Scatter | None) -> State:
        """A step up the gradient of the likelihood."""
        kind = self.covariance_type
        means, spread = moments(sums, state["means"], kind, scatter, about_old=True)
        spread = kept_where_empty(sums, kind, regularised(spread, kind, self.reg_covar), state["covariances"])
        expected = Expected(sums.mass / sums.mass.sum(), means - state["means"], spread)
        weights, move, covariances = gradient_step(kind, state["weights"], state["covariances"], expected)
        return {
            "weights": weights,
            "means": state["means"] + move,
            "covariances": covariances,
            "precisions_cholesky": factors_of(covariances, kind),
        }

    def _bound(self, state: State, sums: Sums) -> float:
        return float(sums.log_likelihood / sums.weight)

    def _components(self, state: State) -> Components:
        parts = (state[name] for name in ("weights", "means", "covariances", "precisions_cholesky"))
        return components(self.covariance_type, *parts)

    # ------------------------------------------------------------ criteria

    def _n_parameters(self) -> int:
        k, d = self.means_.shape
        return n_covariance_parameters(self.covariance_type, k, d) + k * d + k - 1

    def aic(self, X: Any) -> float:
        """Akaike's criterion for these rows; lower is better."""
        return float(-2 * self._likelihood(X).log_likelihood + 2 * self._n_parameters())

    def bic(self, X: Any) -> float:
        """The Bayesian criterion for these rows; lower is better."""
        sums = self._likelihood(X)
        return float(-2 * sums.log_likelihood + self._n_parameters() * np.log(sums.weight))


def _checked_weights(values: Any, k: int) -> np.ndarray:
    weights = np.array(values, dtype=np.float64)
    if weights.shape != (k,):
        raise ValueError(f"weights_init must have shape {(k,)}, got {weights.shape}.")
    if not ((weights >= 0).all() and (weights <= 1).all() and np.isclose(weights.sum(), 1.0, rtol=1e-6)):
        raise ValueError(f"weights_init must be between 0 and 1 and sum to 1, got {weights.tolist()}.")
    return weights / weights.sum()


def _checked_means(values: Any, shape: tuple[int, int]) -> np.ndarray:
    means = np.array(values, dtype=np.float64)
    if means.shape != shape:
        raise ValueError(f"means_init must have shape {shape}, got {means.shape}.")
    if not np.isfinite(means).all():
        raise ValueError("means_init contains NaN or infinity.")
    return means
