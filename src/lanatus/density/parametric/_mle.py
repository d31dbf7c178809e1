"""Maximum likelihood."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.density.mixture._criteria import aic, bic
from lanatus.density.parametric._distributions import FAMILIES, Parameters, labels_of, observations


@dataclass(frozen=True)
class ParametricFit:
    """A member of a family, chosen by data.

    Attributes
    ----------
    family : str, name of the family
    parameters : dict, the estimates
    log_likelihood : float, of the data
    n_parameters : int, free ones
    n_samples : float, (weighted) number of observations
    labels : ndarray or None, what the categories are called, where X had labels
    """

    family: str
    parameters: Parameters
    log_likelihood: float
    n_parameters: int
    n_samples: float
    _log_density: Callable[[np.ndarray], np.ndarray] = field(repr=False)
    _draw: Callable[[int, np.random.RandomState], np.ndarray] | None = field(repr=False)
    labels: np.ndarray | None = None

    @property
    def aic(self) -> float:
        """Akaike's criterion, lower is better."""
        return aic(self.log_likelihood, self.n_parameters)

    @property
    def bic(self) -> float:
        """The Bayesian criterion, lower is better."""
        return bic(self.log_likelihood, self.n_parameters, self.n_samples)

    def logpdf(self, X: Any) -> np.ndarray:
        """Log density (or log probability) of each observation."""
        if self.labels is None:
            return self._log_density(np.asarray(X, dtype=np.float64))
        places = {label: place for place, label in enumerate(self.labels.tolist())}
        return self._log_density(np.array([places.get(label, -1) for label in np.asarray(X).tolist()], dtype=float))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Draw observations."""
        if self._draw is None:
            raise ValueError(f"a family given by its log density alone ({self.family}) cannot be sampled.")
        drawn = self._draw(n_samples, check_random_state(random_state))
        return drawn if self.labels is None else self.labels[drawn.astype(int)]


@method(
    "density.maximum-likelihood",
    section="7.2",
    task="density",
    en="Maximum likelihood estimation",
    zh="极大似然估计",
    peers=["scipy:rv_continuous.fit"],
)
def mle(
    family: Any,
    X: Any,
    *,
    sample_weight: Any = None,
    start: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    **known: Any,
) -> ParametricFit:
    r"""Most likely member of a family of distributions.

    Maximises the log-likelihood :math:`LL(\theta) = \sum_x \log p(x \mid \theta)` (7.10, 7.11): in closed form where
    there is one, by Newton's method for beta, gamma and Dirichlet, numerically for a family given by a function.

    Book: section 7.2, appendix C; cookbook 3.3.2.

    Parameters
    ----------
    family : str, scipy.stats distribution or callable
        "bernoulli", "beta", "binomial", "categorical", "dirichlet", "exponential", "gamma", "gaussian", "laplace",
        "multinomial", "multivariate_gaussian", "poisson" or "uniform"; a continuous distribution of SciPy; or a
        function ``f(X, **parameters)`` that gives the log density of each observation, which needs `start`.
    X : array of shape (n_samples,), or (n_samples, n_columns) for families of rows
        The observations; categories are whole numbers from 0, or any labels.
    sample_weight : array of shape (n_samples,), optional
        Weights of the observations; they count as repeats.
    start : dict, optional
        For a function: where to begin, by name of the parameter.
    bounds : dict, optional
        For a function: (low, high) of parameters, None for no bound.
    **known
        What is known beforehand: ``n`` trials of the binomial, ``n_categories``, ``ddof`` of the Gaussians.

    Returns
    -------
    ParametricFit
        With `parameters`, `log_likelihood`, `aic`, `bic`, `logpdf` and `sample`.

    Notes
    -----
    A likelihood without a maximum (one value only for a density with a spread, a beta sample with 0 or 1) is an error
    that says so.

    Examples
    --------
    >>> from lanatus.density import mle
    >>> fit = mle("gaussian", [1.0, 2.0, 3.0])
    >>> fit.parameters["mean"], round(fit.parameters["variance"], 4)
    (2.0, 0.6667)
    >>> mle("uniform", [0.2, 0.9, 0.4]).parameters
    {'low': 0.2, 'high': 0.9}
    """
    if isinstance(family, str):
        return _known_family(family, X, sample_weight, known)
    if hasattr(family, "fit") and hasattr(family, "logpdf"):
        return _by_scipy(family, X, sample_weight, known)
    if callable(family):
        return _numerically(family, X, sample_weight, start, bounds)
    raise ValueError(f"family must be one of {sorted(FAMILIES)}, a SciPy distribution or a function; got {family!r}.")


def _known_family(name: str, X: Any, sample_weight: Any, known: Parameters) -> ParametricFit:
    if name not in FAMILIES:
        raise ValueError(f"family={name!r} is not known; there are {', '.join(sorted(FAMILIES))}.")
    family = FAMILIES[name]
    data, weight = observations(family, X, sample_weight)
    parameters = family.fit(data, weight, **known)
    return ParametricFit(
        name,
        parameters,
        float(weight @ family.log_density(data, parameters)),
        family.size(parameters),
        float(weight.sum()),
        partial(_log_density_of, name, parameters),
        partial(_draw_of, name, parameters),
        labels_of(family, X),
    )


def _log_density_of(name: str, parameters: Parameters, rows: np.ndarray) -> np.ndarray:
    return FAMILIES[name].log_density(rows, parameters)


def _draw_of(name: str, parameters: Parameters, n: int, rng: np.random.RandomState) -> np.ndarray:
    return FAMILIES[name].draw(parameters, n, rng)


def _by_scipy(family: Any, X: Any, sample_weight: Any, known: Parameters) -> ParametricFit:
    if sample_weight is not None:
        raise ValueError("a SciPy distribution is fitted by SciPy, which takes no weights.")
    data = np.asarray(X, dtype=np.float64).ravel()
    estimates = family.fit(data, **known)
    names = [*(part.strip() for part in (family.shapes or "").split(",") if part.strip()), "loc", "scale"]
    fixed = sum(name.startswith("f") for name in known)
    frozen = family(*estimates)
    return ParametricFit(
        family.name,
        dict(zip(names, map(float, estimates), strict=True)),
        float(frozen.logpdf(data).sum()),
        len(estimates) - fixed,
        float(len(data)),
        frozen.logpdf,
        partial(_draw_frozen, frozen),
    )


def _draw_frozen(frozen: Any, n: int, rng: np.random.RandomState) -> np.ndarray:
    return np.asarray(frozen.rvs(n, random_state=rng))


def _numerically(log_density: Any, X: Any, sample_weight: Any, start: Any, bounds: Any) -> ParametricFit:
    from scipy.optimize import minimize

    if not start:
        raise ValueError("a family given by a function needs start, a dict of its parameters.")
    data = np.asarray(X, dtype=np.float64)
    weight = np.ones(len(data)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    names = list(start)

    def loss(values: np.ndarray) -> float:
        with np.errstate(all="ignore"):
            total = float(weight @ np.asarray(log_density(data, **dict(zip(names, values, strict=True)))))
        return -total if np.isfinite(total) else np.inf

    limits = [(bounds or {}).get(name, (None, None)) for name in names]
    first = np.array([start[name] for name in names], dtype=np.float64)
    rough = minimize(loss, first, method="Nelder-Mead", bounds=limits, options={"maxiter": 2000 * len(names)})
    fine = minimize(loss, rough.x, method="Nelder-Mead", bounds=limits, options={"xatol": 1e-10, "fatol": 1e-10})
    best = fine if fine.fun <= rough.fun else rough
    if not np.isfinite(best.fun):
        raise ValueError("the log-likelihood is not finite anywhere near start; begin elsewhere.")
    parameters = dict(zip(names, map(float, best.x), strict=True))
    name = getattr(log_density, "__name__", "function")
    return ParametricFit(
        name,
        parameters,
        -float(best.fun),
        len(names),
        float(weight.sum()),
        partial(log_density, **parameters),
        None,
    )
