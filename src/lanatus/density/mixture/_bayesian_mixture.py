"""Gaussian mixtures by variational Bayes."""

from functools import partial
from typing import Any

import numpy as np
from scipy.special import betaln, digamma, gammaln

from lanatus.catalog import method
from lanatus.density.mixture._covariance_shapes import checked_covariances, factors_of, log_dets
from lanatus.density.mixture._em_steps import Components, Scatter, components, moments, regularised, shaped, tally
from lanatus.density.mixture._mixture_base import RULES, BaseMixture, State
from lanatus.density.mixture._mixture_start import Survey, start_rows, start_sums
from lanatus.params import Array, Choice, Nothing, Real, rules_for
from lanatus.scale import Sums


@method(
    "graphical.variational-em",
    section="14.5.2",
    task="density",
    en="Bayesian Gaussian mixture",
    zh="变分贝叶斯高斯混合",
    streams=True,
    peers=["scikit-learn:BayesianGaussianMixture"],
)
class BayesianGaussianMixture(BaseMixture):
    r"""A Gaussian mixture whose weights, means and precisions have priors, fitted by variational Bayes.

    Raises the bound :math:`\mathbb{E}_q[\ln p(X, Z, \alpha, \mu, \Lambda)] - \mathbb{E}_q[\ln q]` on the evidence,
    with a Dirichlet prior (or a stick-breaking Dirichlet process) on the weights and a normal-Wishart prior on each
    component. Components that the data do not need are left with next to no weight.

    Book: section 9.4.3 (the mixture), 14.5.2 (variational inference). Kernel: ``cpp/density/mixture.hpp``.
    Cost: as `GaussianMixture`: :math:`O(nkd^2)` time a step, :math:`O(kd^2)` memory beside the data.

    Parameters
    ----------
    n_components : int, default=1
        Most components there may be.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        A covariance matrix for each component, one for all, a variance for each column, or one number.
    tol : float, default=1e-3
        Stop once the bound changes by less than this.
    reg_covar : float, default=1e-6
        Added to every variance of the weighted rows.
    max_iter : int, default=100
        Most steps of one start.
    n_init : int, default=1
        Number of starts; the one with the highest bound is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
        Where to begin, as in `GaussianMixture`.
    weight_concentration_prior_type : {"dirichlet_process", "dirichlet_distribution"}, default="dirichlet_process"
        Prior of the weights.
    weight_concentration_prior : float or None, default=None
        Concentration of that prior: low values leave few components; None is 1 / n_components.
    mean_precision_prior : float or None, default=None
        Rows that the prior of a mean is worth; None is 1.
    mean_prior : array of shape (n_features,) or None, default=None
        Where means are expected; None is the mean of the rows.
    degrees_of_freedom_prior : float or None, default=None
        Degrees of freedom of the Wishart prior, above n_features - 1; None is n_features.
    covariance_prior : array, float or None, default=None
        Covariance expected: (d, d) for "full" and "tied", (d,) for "diag", a number for "spherical"; None is that of
        the rows.
    random_state : int, RandomState or None, default=None
        Draws the starts, and rows in ``sample``.
    warm_start : bool, default=False
        Whether ``fit`` begins from what the last one found.
    verbose : int, default=0
        Above 0, logs steps to the logger "lanatus".
    verbose_interval : int, default=10
        Steps between two such lines.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,), expected shares of the components
    means_ : ndarray of shape (n_components, n_features), their expected means
    covariances_ : ndarray, inverse of the expected precisions, in the layout of `GaussianMixture`
    precisions_ : ndarray of the same shape, expected precisions
    precisions_cholesky_ : ndarray of the same shape, upper factors of the precisions
    converged_ : bool, whether the bound settled
    n_iter_ : int, steps of the kept start
    lower_bound_ : float, the bound after the last step, without constants
    lower_bounds_ : ndarray of shape (n_iter_,), that of each step
    weight_concentration_ : ndarray of shape (n_components,), or (2, n_components) for the parameters of each stick
    mean_precision_ : ndarray of shape (n_components,), rows that each mean is worth
    degrees_of_freedom_ : ndarray of shape (n_components,) or float, those of the Wishart densities
    weight_concentration_prior_, mean_precision_prior_, mean_prior_, degrees_of_freedom_prior_, covariance_prior_ : \
the priors used
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.density import BayesianGaussianMixture
    >>> rng = np.random.RandomState(0)
    >>> X = np.vstack([rng.normal(-5, 1, (100, 2)), rng.normal(5, 1, (100, 2))])
    >>> model = BayesianGaussianMixture(5, weight_concentration_prior=1e-3, max_iter=300, random_state=0).fit(X)
    >>> int((model.weights_ > 0.05).sum())
    2

    References
    ----------
    Attias (2000), A variational Bayesian framework for graphical models. Blei and Jordan (2006), Variational
    inference for Dirichlet process mixtures. Bishop (2006), Pattern recognition and machine learning, 10.2.
    """

    _state_names = (
        "weights",
        "means",
        "covariances",
        "precisions_cholesky",
        "weight_concentration",
        "mean_precision",
        "degrees_of_freedom",
    )

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
        weight_concentration_prior_type: str = "dirichlet_process",
        weight_concentration_prior: float | None = None,
        mean_precision_prior: float | None = None,
        mean_prior: Any = None,
        degrees_of_freedom_prior: float | None = None,
        covariance_prior: Any = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        verbose_interval: int = 10,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weight_concentration_prior_type = weight_concentration_prior_type
        self.weight_concentration_prior = weight_concentration_prior
        self.mean_precision_prior = mean_precision_prior
        self.mean_prior = mean_prior
        self.degrees_of_freedom_prior = degrees_of_freedom_prior
        self.covariance_prior = covariance_prior
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval

    _params = rules_for(
        __init__,
        RULES,
        weight_concentration_prior_type=Choice("dirichlet_process", "dirichlet_distribution"),
        weight_concentration_prior=Real(above=0) | Nothing(),
        mean_precision_prior=Real(above=0) | Nothing(),
        mean_prior=Array(ndim=1) | Nothing(),
        degrees_of_freedom_prior=Real(above=0) | Nothing(),
        covariance_prior=Array(ndim=1) | Array(ndim=2) | Real(above=0) | Nothing(),
    )

    # ------------------------------------------------------------ priors

    def _prepare(self, survey: Survey) -> None:
        d = len(survey.mean)
        prior = self.weight_concentration_prior
        self.weight_concentration_prior_ = 1.0 / self.n_components if prior is None else float(prior)
        self.mean_precision_prior_ = 1.0 if self.mean_precision_prior is None else float(self.mean_precision_prior)
        self.mean_prior_ = survey.mean if self.mean_prior is None else np.array(self.mean_prior, dtype=np.float64)
        if self.mean_prior_.shape != (d,) or not np.isfinite(self.mean_prior_).all():
            raise ValueError(
                f"mean_prior must be {d} finite numbers, one a column; got shape {self.mean_prior_.shape}."
            )
        freedom = self.degrees_of_freedom_prior
        self.degrees_of_freedom_prior_ = float(d if freedom is None else freedom)
        if self.degrees_of_freedom_prior_ <= d - 1:
            raise ValueError(f"degrees_of_freedom_prior must be greater than {d - 1}, got {freedom}.")
        self.covariance_prior_ = self._covariance_prior(survey)

    def _covariance_prior(self, survey: Survey) -> np.ndarray:
        """One covariance, in the layout of one component."""
        kind, d = self.covariance_type, len(survey.mean)
        one = "tied" if kind in ("full", "tied") else kind
        if self.covariance_prior is not None:
            given = np.atleast_1d(self.covariance_prior)
            shaped_as = given[None] if kind == "diag" else given
            return checked_covariances(shaped_as, "covariance_prior", one, 1, d).reshape(given.shape)
        along_axes = kind in ("diag", "spherical")
        spread = survey.scatter(along_axes=along_axes).matrix / max(survey.weight - 1, 1.0)
        if kind == "spherical":
            spread = np.atleast_1d(spread.mean())
        try:
            factors_of(spread, one)
        except ValueError:  # constant columns, or a single row
            spread = regularised(spread, one, self.reg_covar)
        return spread

    # ------------------------------------------------------------ the steps

    def _start(self, survey: Survey, seed: int) -> State:
        k, kind = self.n_components, self.covariance_type
        along_axes = kind in ("diag", "spherical")
        if self.init_params in ("kmeans", "random"):
            about, sums = start_sums(survey, self.init_params, k, seed, along_axes=along_axes)
            return self._advance({"means": about}, sums, None)
        means = start_rows(survey, self.init_params, k, seed)
        spread = survey.scatter(along_axes=along_axes).matrix / survey.weight
        covariances = regularised(shaped(spread, kind, k), kind, self.reg_covar)
        begin = components(kind, np.full(k, 1 / k), means, covariances, factors_of(covariances, kind))
        sums = survey.engine.reduce(partial(tally, begin, kind == "tied"))
        return self._advance({"means": means}, sums, None)

    def _advance(self, state: State, sums: Sums, scatter: Scatter | None) -> State:
        kind, k = self.covariance_type, self.n_components
        means, spread = moments(sums, state["means"], kind, scatter)
        spread = regularised(spread, kind, self.reg_covar)
        prior = self.mean_precision_prior_
        mean_precision = prior + sums.mass
        concentration = self._concentration(sums.mass)
        tied = kind == "tied"
        covariances, freedom = self._wishart(spread, means - self.mean_prior_, sums.mass, mean_precision)
        if not (np.isfinite(means).all() and np.isfinite(covariances).all()):
            raise ValueError("the covariances overflow: X has values too large to square; scale it first.")
        return {
            "weights": self._expected_weights(concentration),
            "means": (prior * self.mean_prior_ + sums.mass[:, None] * means) / mean_precision[:, None],
            "covariances": covariances,
            "precisions_cholesky": factors_of(covariances, kind),
            "weight_concentration": concentration,
            "mean_precision": mean_precision,
            "degrees_of_freedom": np.float64(freedom) if tied else freedom + np.zeros(k),
        }

    def _wishart(
        self, spread: np.ndarray, gap: np.ndarray, mass: np.ndarray, mean_precision: np.ndarray
    ) -> tuple[np.ndarray, Any]:
        """Inverse expected precisions, and degrees of freedom: prior + scatter + what the means moved."""
        kind, prior = self.covariance_type, self.covariance_prior_
        pull = self.mean_precision_prior_ * mass / mean_precision
        if kind == "tied":
            share = mass.sum() / len(mass)
            freedom = self.degrees_of_freedom_prior_ + share
            return (prior + share * spread + (pull[:, None] * gap).T @ gap / len(mass)) / freedom, freedom
        freedoms = self.degrees_of_freedom_prior_ + mass
        if kind == "full":
            moved = pull[:, None, None] * gap[:, :, None] * gap[:, None, :]
            return (prior + mass[:, None, None] * spread + moved) / freedoms[:, None, None], freedoms
        if kind == "diag":
            return (prior + mass[:, None] * spread + pull[:, None] * gap**2) / freedoms[:, None], freedoms
        return (prior + mass * spread + pull * (gap**2).mean(axis=1)) / freedoms, freedoms

    def _concentration(self, mass: np.ndarray) -> np.ndarray:
        prior = self.weight_concentration_prior_
        if self.weight_concentration_prior_type == "dirichlet_distribution":
            return prior + mass
        later = np.append(np.cumsum(mass[:0:-1])[::-1], 0.0)  # rows of the sticks that follow
        return np.stack([1.0 + mass, prior + later])

    def _expected_weights(self, concentration: np.ndarray) -> np.ndarray:
        if concentration.ndim == 1:
            return concentration / concentration.sum()
        broken = concentration[0] / concentration.sum(axis=0)
        weights = broken * np.append(1.0, np.cumprod(1.0 - broken)[:-1])
        return weights / weights.sum()

    def _expected_log_weights(self, concentration: np.ndarray) -> np.ndarray:
        if concentration.ndim == 1:
            return digamma(concentration) - digamma(concentration.sum())
        total = digamma(concentration.sum(axis=0))
        rest = digamma(concentration[1]) - total
        return digamma(concentration[0]) - total + np.append(0.0, np.cumsum(rest)[:-1])

    def _components(self, state: State) -> Components:
        k, d = state["means"].shape
        freedom = state["degrees_of_freedom"]
        log_det = digamma(0.5 * (freedom - np.arange(d)[:, None])).sum(axis=0) + d * np.log(2.0)  # less that of W
        log_const = (
            self._expected_log_weights(state["weight_concentration"])
            + log_dets(state["precisions_cholesky"], self.covariance_type, k, d)
            - 0.5 * d * (np.log(2 * np.pi) + np.log(freedom))
            + 0.5 * (log_det - d / state["mean_precision"])
        )
        return Components(self.covariance_type, state["means"], state["precisions_cholesky"], log_const)

    def _bound(self, state: State, sums: Sums) -> float:
        k, d = state["means"].shape
        freedom, concentration = state["degrees_of_freedom"], state["weight_concentration"]
        half_log_det = log_dets(state["precisions_cholesky"], self.covariance_type, k, d) - 0.5 * d * np.log(freedom)
        log_gamma = gammaln(0.5 * (freedom - np.arange(d)[:, None])).sum(axis=0)
        wishart = freedom * half_log_det + 0.5 * freedom * d * np.log(2.0) + log_gamma
        wishart_sum = float((wishart + np.zeros(k)).sum())
        if concentration.ndim == 1:
            weights = gammaln(concentration.sum()) - gammaln(concentration).sum()
        else:
            weights = -betaln(*concentration).sum()
        means = 0.5 * d * np.log(state["mean_precision"]).sum()
        return float(sums.entropy + wishart_sum - weights - means)
