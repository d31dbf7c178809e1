"""One normal density of several variables."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.utils import check_random_state

from lanatus._typing import override
from lanatus.base import Floats, Number, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.density._density import Density
from lanatus.density.mixture._mixture_start import Survey
from lanatus.params import Choice, Flag, Integer, Real
from lanatus.scale import blockwise, open_engine

LOG_2PI = np.log(2 * np.pi)


@method(
    "density.gaussian-density",
    section="9.4.3",
    task="density",
    en="Multivariate Gaussian density",
    zh="多元高斯密度",
    peers=["scipy:multivariate_normal"],
)
def multivariate_normal_pdf(
    X: Any, mean: Any, cov: Any, *, log: bool = False, allow_singular: bool = False
) -> np.ndarray | float:
    r"""Normal density of each row.

    :math:`p(x) = (2\pi)^{-d/2} \lvert\Sigma\rvert^{-1/2} e^{-(x-\mu)^T \Sigma^{-1} (x-\mu) / 2}` (9.28).

    Book: section 9.4.3. Cost: :math:`O(d^3 + nd^2)` time, :math:`O(nd)` memory.

    Parameters
    ----------
    X : array of shape (n_samples, n_features), or (n_features,) for one row
        The rows.
    mean : array of shape (n_features,)
        The mean.
    cov : array of shape (n_features, n_features), (n_features,) or float
        The covariance: a matrix, variances of independent columns, or one variance for all.
    log : bool, default=False
        Whether to give logarithms, which do not underflow.
    allow_singular : bool, default=False
        A singular covariance has a density on the span of its columns only: with True that one is given, and 0 off
        the span; with False it is an error.

    Returns
    -------
    density : ndarray of shape (n_samples,), or float for one row

    Examples
    --------
    >>> from lanatus.density import multivariate_normal_pdf
    >>> round(multivariate_normal_pdf([0.0, 0.0], [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]), 6)
    0.159155
    """
    rows = np.asarray(X, dtype=np.float64)
    centre = np.atleast_1d(np.asarray(mean, dtype=np.float64))
    spread = np.asarray(cov, dtype=np.float64)
    d = len(centre)
    if centre.ndim != 1 or rows.ndim not in (1, 2) or rows.shape[-1] != d:
        raise ValueError(f"X must have {d} columns, as many as mean; got shape {rows.shape}.")
    if spread.shape not in ((), (d,), (d, d)):
        raise ValueError(f"cov must have shape {(d, d)}, {(d,)} or (); got {spread.shape}.")
    if spread.ndim == 0:
        spread = np.full(d, spread)
    out = log_normal_density(np.atleast_2d(rows), centre, spread, allow_singular=allow_singular)
    out = out if log else np.exp(out)
    return float(out[0]) if rows.ndim == 1 else out


def log_normal_density(X: np.ndarray, mean: np.ndarray, spread: np.ndarray, *, allow_singular: bool) -> np.ndarray:
    """Log density of rows under a covariance matrix, or under variances of independent columns."""
    gap = X - mean
    if spread.ndim == 1:
        return _on_axes(gap, spread, allow_singular)
    if not np.allclose(spread, spread.T, rtol=1e-8, atol=1e-12 * np.abs(spread).max(initial=0.0)):
        raise ValueError("cov must be symmetric.")
    try:
        lower = np.linalg.cholesky(spread)
        # Each column against itself: columns of very different scales are not singular.
        if (np.diag(lower) ** 2 <= len(spread) * np.finfo(float).eps * np.diag(spread)).any():
            raise np.linalg.LinAlgError
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(spread)
        values[np.abs(values) <= 1e6 * np.finfo(float).eps * np.abs(values).max(initial=0.0)] = 0.0
        return _on_axes(gap @ vectors, values, allow_singular)
    white = solve_triangular(lower, gap.T, lower=True)
    return -0.5 * (len(spread) * LOG_2PI + (white**2).sum(axis=0)) - np.log(np.diag(lower)).sum()


def _on_axes(gap: np.ndarray, variances: np.ndarray, allow_singular: bool) -> np.ndarray:
    """Log density with independent columns; those without variance admit no gap."""
    if (variances < 0).any():
        raise ValueError("cov has a negative variance: it must be positive semidefinite.")
    flat = variances == 0
    if flat.any() and not allow_singular:
        raise ValueError("cov is singular: it has no density; see allow_singular, or add to its diagonal.")
    spread = variances[~flat]
    out = -0.5 * (len(spread) * LOG_2PI + np.log(spread).sum() + (gap[:, ~flat] ** 2 / spread).sum(axis=1))
    # Off the span by more than rounding: density 0.
    size = np.abs(gap).max(axis=1, initial=0.0)
    out[(np.abs(gap[:, flat]) > 1e-6 * np.maximum(size, np.finfo(float).tiny)[:, None]).any(axis=1)] = -np.inf
    return out


@method(
    "density.gaussian-mle",
    section="7.2",
    task="density",
    en="Gaussian maximum likelihood",
    zh="高斯极大似然估计",
    streams=True,
    peers=["scikit-learn:EmpiricalCovariance"],
)
class GaussianDensity(Density):
    r"""A normal density with the mean and covariance of the rows.

    Maximum likelihood gives :math:`\mu = \frac1n \sum x` (7.12) and
    :math:`\Sigma = \frac1n \sum (x - \mu)(x - \mu)^T` (7.13); with ``ddof=1`` the divisor is *n* - 1 (Bessel), which
    makes :math:`\Sigma` unbiased.

    Book: section 7.2; cookbook 3.2. Kernel: ``cpp/density/mixture.hpp``.
    Cost: :math:`O(nd^2)` time in two passes, :math:`O(d^2)` memory beside the data.

    Parameters
    ----------
    ddof : int, default=0
        Subtracted from the (weighted) number of rows in the divisor of the covariance.
    covariance_type : {"full", "diag", "spherical"}, default="full"
        A matrix, a variance for each column, or one variance.
    shrinkage : float, default=0.0
        From 0 to 1: how far the covariance is drawn to a multiple of the identity with the same trace.
    reg_covar : float, default=0.0
        Added to every variance.
    allow_singular : bool, default=True
        Whether a singular covariance (a constant column, few rows) gives the density on the span of the rows, where
        others have log density minus infinity; False makes it an error.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,), the mean
    covariance_ : ndarray, (d, d) for "full", (d,) for "diag", () for "spherical"
    n_samples_ : float, (weighted) number of rows
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.density import GaussianDensity
    >>> model = GaussianDensity(ddof=1).fit([[1.0], [2.0], [3.0]])
    >>> model.mean_.tolist(), model.covariance_.tolist()
    ([2.0], [[1.0]])
    """

    _state: ClassVar = {
        "mean_": Floats("columns"),
        "covariance_": Floats("columns", "columns") | Floats("columns") | Number(),
    }

    _params = {
        "ddof": Integer(low=0),
        "covariance_type": Choice("full", "diag", "spherical"),
        "shrinkage": Real(low=0, high=1),
        "reg_covar": Real(low=0),
        "allow_singular": Flag(),
    }

    def __init__(
        self,
        *,
        ddof: int = 0,
        covariance_type: str = "full",
        shrinkage: float = 0.0,
        reg_covar: float = 0.0,
        allow_singular: bool = True,
    ) -> None:
        self.ddof = ddof
        self.covariance_type = covariance_type
        self.shrinkage = shrinkage
        self.reg_covar = reg_covar
        self.allow_singular = allow_singular

    @override
    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        engine = open_engine(self, X, None, sample_weight)
        survey = Survey(engine, self.schema_.expanded_names())
        if survey.weight <= self.ddof:
            raise ValueError(f"ddof={self.ddof} needs more than {self.ddof} rows, got {survey.weight:g}.")
        scatter = survey.scatter(along_axes=self.covariance_type != "full").matrix
        covariance = self._shrunk(_without_rounding(scatter, survey) / (survey.weight - self.ddof))
        if not self.allow_singular:
            log_normal_density(
                survey.mean[None], survey.mean, _axes(covariance, len(survey.mean)), allow_singular=False
            )
        self.mean_ = survey.mean.astype(engine.dtype)
        self.covariance_ = np.asarray(covariance, dtype=engine.dtype)
        self.n_samples_ = survey.weight
        return self

    def _shrunk(self, spread: np.ndarray) -> np.ndarray:
        variances = np.diag(spread) if spread.ndim == 2 else spread
        level = self.shrinkage * variances.mean() + self.reg_covar
        kept = (1 - self.shrinkage) * spread
        if self.covariance_type == "full":
            return kept + level * np.eye(len(spread))
        return kept + level if self.covariance_type == "diag" else np.asarray((kept + level).mean())

    @override
    @blockwise
    def score_samples(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = self._take(X, reset=False)
        spread = _axes(self.covariance_.astype(np.float64), X.shape[1])
        return log_normal_density(X, self.mean_, spread, allow_singular=True).astype(X.dtype, copy=False)

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Draw rows, `n_samples` of them; nominal and ordinal columns have their values."""
        check_is_fitted(self)
        rng = check_random_state(random_state)
        mean, covariance = self.mean_.astype(np.float64), self.covariance_.astype(np.float64)
        if covariance.ndim == 2:
            drawn = rng.multivariate_normal(mean, covariance, n_samples)
        else:
            drawn = mean + rng.standard_normal((n_samples, len(mean))) * np.sqrt(covariance)
        return drawn.astype(self.mean_.dtype, copy=False)


def _without_rounding(scatter: np.ndarray, survey: Survey) -> np.ndarray:
    """The scatter, exactly 0 for constant columns: their mean may be off by a rounding."""
    squares = np.diag(scatter) if scatter.ndim == 2 else scatter
    flat = squares <= survey.weight * (4 * np.finfo(float).eps * survey.mean) ** 2
    out = scatter.copy()
    out[flat] = 0.0
    if scatter.ndim == 2:
        out[:, flat] = 0.0
    return out


def _axes(covariance: np.ndarray, d: int) -> np.ndarray:
    """One variance for all columns spelled out; a matrix or variances as they are."""
    return np.full(d, covariance) if covariance.ndim == 0 else covariance
