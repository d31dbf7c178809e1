"""Bayesian estimation with conjugate priors: posteriors, their modes, and what they predict."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus.density._families import FAMILIES, Parameters, observations


@dataclass(frozen=True)
class Conjugate:
    """A family and the prior that stays in its own family.

    `prior` are the parameters of the prior unless given, `update` adds weighted data, `mode` is the most probable
    parameter, `predict` the distribution of a new observation with the parameter integrated out.
    """

    prior: Parameters
    update: Callable[..., Parameters]
    mode: Callable[[Parameters], Parameters]
    predict: Callable[..., Any]


def conjugate_posterior(
    family: str, X: Any, prior: Parameters | None = None, *, sample_weight: Any = None, **known: Any
) -> Parameters:
    """Posterior of the parameters of a family under its conjugate prior.

    The posterior of some rows is the prior for the next, so that rows may come in any portions (appendix C.2).

    Parameters
    ----------
    family : str
        "bernoulli" and "binomial" (beta prior: a, b), "categorical" and "multinomial" (Dirichlet: alpha), "poisson" and
        "exponential" (gamma: shape, rate), "gaussian" (normal-inverse-gamma: mean, kappa, shape, scale; with
        ``variance=`` known a normal prior on the mean: mean, variance), "multivariate_gaussian"
        (normal-inverse-Wishart: mean, kappa, degrees, scale), "uniform" from 0 (Pareto: shape, scale).
    X : array of shape (n_samples,) or (n_samples, n_columns)
        The observations; with no rows the posterior is the prior.
    prior : dict, optional
        Parameters of the prior; left out ones take a flat or weak default.
    sample_weight : array of shape (n_samples,), optional
        Weights of the observations; they count as repeats.
    **known
        What is known beforehand: ``n`` trials of the binomial, ``n_categories``, ``variance`` of the Gaussian.

    Returns
    -------
    dict, parameters of the posterior

    Examples
    --------
    >>> from lanatus.density import conjugate_posterior
    >>> conjugate_posterior("bernoulli", [1, 0, 1, 1])
    {'a': 4.0, 'b': 2.0}
    >>> conjugate_posterior("gaussian", [1, 2, 3], {"mean": 0, "variance": 1}, variance=1)
    {'mean': 1.5, 'variance': 0.25}
    """
    return _posterior(family, X, prior, sample_weight, known)[1]


def map_estimate(
    family: str, X: Any, prior: Parameters | None = None, *, sample_weight: Any = None, **known: Any
) -> Parameters:
    """Most probable parameters under a conjugate prior (maximum a posteriori).

    Parameters
    ----------
    family : str
        As for `conjugate_posterior`.
    X : array of shape (n_samples,) or (n_samples, n_columns)
        The observations.
    prior : dict, optional
        Parameters of the prior.
    sample_weight : array of shape (n_samples,), optional
        Weights of the observations.
    **known
        What is known beforehand.

    Returns
    -------
    dict, parameters of the family, named as `mle` names them

    Notes
    -----
    With a flat prior (the default for the discrete families) this is maximum likelihood. A posterior without a mode
    inside the parameters' range is an error.

    Examples
    --------
    >>> from lanatus.density import map_estimate
    >>> map_estimate("bernoulli", [1, 0, 1, 1], {"a": 2, "b": 2})["p"]
    0.6666666666666666
    """
    conjugate, posterior = _posterior(family, X, prior, sample_weight, known)
    return conjugate.mode(posterior)


def posterior_predictive(
    family: str, X: Any, prior: Parameters | None = None, *, sample_weight: Any = None, **known: Any
) -> Any:
    """Distribution of a new observation, the parameters integrated out (full Bayesian estimation).

    Parameters
    ----------
    family : str
        As for `conjugate_posterior`.
    X : array of shape (n_samples,) or (n_samples, n_columns)
        The observations.
    prior : dict, optional
        Parameters of the prior.
    sample_weight : array of shape (n_samples,), optional
        Weights of the observations.
    **known
        What is known beforehand.

    Returns
    -------
    frozen distribution of SciPy, with ``pdf`` or ``pmf``

    Examples
    --------
    >>> from lanatus.density import posterior_predictive
    >>> float(posterior_predictive("bernoulli", [1, 0, 1, 1]).pmf(1).round(4))
    0.6667
    """
    conjugate, posterior = _posterior(family, X, prior, sample_weight, known)
    return conjugate.predict(posterior, **known)


def _posterior(
    family: str, X: Any, prior: Parameters | None, sample_weight: Any, known: Parameters
) -> tuple[Conjugate, Parameters]:
    name = "known_variance" if family == "gaussian" and "variance" in known else family
    if name not in CONJUGATE:
        raise ValueError(f"family={family!r} has no conjugate prior here; there are {', '.join(sorted(CONJUGATE))}.")
    conjugate = CONJUGATE[name]
    if unknown := set(prior or {}) - set(conjugate.prior):
        raise ValueError(f"prior has {sorted(unknown)}, wanted some of {sorted(conjugate.prior)}.")
    start = {**conjugate.prior, **(prior or {})}
    if np.size(X):
        data, weight = observations(FAMILIES[family], X, sample_weight)
    else:
        data, weight = np.zeros(np.shape(X)), np.zeros(0)
    return conjugate, conjugate.update(start, data, weight, **known)


# ---------------------------------------------------------------- beta, Dirichlet, gamma, Pareto


def _beta_update(prior: Parameters, x: np.ndarray, w: np.ndarray, n: int = 1) -> Parameters:
    hits = float(w @ x)
    return {"a": float(prior["a"] + hits), "b": float(prior["b"] + n * w.sum() - hits)}


def _beta_mode(post: Parameters) -> Parameters:
    a, b = post["a"], post["b"]
    if a < 1 or b < 1 or a + b <= 2:
        raise ValueError(f"Beta({a:g}, {b:g}) has no single mode: a prior with a, b >= 1 and some data have one.")
    return {"p": (a - 1) / (a + b - 2)}


def _predict_binomial(post: Parameters, n: int = 1) -> Any:
    from scipy.stats import betabinom

    return betabinom(n, post["a"], post["b"])


def _dirichlet_update(
    prior: Parameters, x: np.ndarray, w: np.ndarray, n_categories: int | None = None, **_: Any
) -> Parameters:
    if x.ndim == 2:
        counts = w @ x if len(x) else np.zeros(x.shape[1])
    else:
        size = n_categories or (len(prior["alpha"]) if np.ndim(prior["alpha"]) else 0)
        counts = np.bincount(x.astype(int), w, minlength=size)
    return {"alpha": prior["alpha"] + counts.astype(float)}


def _dirichlet_mode(post: Parameters) -> Parameters:
    alpha = post["alpha"]
    if (alpha < 1).any() or not alpha.sum() > len(alpha):
        raise ValueError("this Dirichlet posterior has no mode: a prior with alpha >= 1 and some data have one.")
    return {"p": (alpha - 1) / (alpha.sum() - len(alpha))}


def _predict_category(post: Parameters, **_: Any) -> Any:
    from scipy.stats import rv_discrete

    return rv_discrete(values=(np.arange(len(post["alpha"])), post["alpha"] / post["alpha"].sum()))


def _predict_counts(post: Parameters, n: int = 1) -> Any:
    from scipy.stats import dirichlet_multinomial

    return dirichlet_multinomial(post["alpha"], n)


def _poisson_update(prior: Parameters, x: np.ndarray, w: np.ndarray) -> Parameters:
    return {"shape": float(prior["shape"] + w @ x), "rate": float(prior["rate"] + w.sum())}


def _exponential_update(prior: Parameters, x: np.ndarray, w: np.ndarray) -> Parameters:
    return {"shape": float(prior["shape"] + w.sum()), "rate": float(prior["rate"] + w @ x)}


def _gamma_mode(post: Parameters) -> Parameters:
    if post["shape"] < 1 or not post["rate"] > 0:
        raise ValueError("this gamma posterior has no mode above 0: give a prior with shape >= 1, or data.")
    return {"rate": (post["shape"] - 1) / post["rate"]}


def _predict_poisson(post: Parameters) -> Any:
    from scipy.stats import nbinom

    return nbinom(post["shape"], post["rate"] / (post["rate"] + 1))


def _predict_exponential(post: Parameters) -> Any:
    from scipy.stats import lomax

    return lomax(post["shape"], scale=post["rate"])


def _pareto_update(prior: Parameters, x: np.ndarray, w: np.ndarray) -> Parameters:
    if (x < 0).any():
        raise ValueError("the uniform density from 0 wants numbers from 0 on.")
    return {"shape": float(prior["shape"] + w.sum()), "scale": float(max(prior["scale"], x.max(initial=0.0)))}


def _predict_uniform(post: Parameters) -> Any:
    from scipy.stats import rv_continuous

    shape, scale = post["shape"], post["scale"]

    class UniformToPareto(rv_continuous):
        """Flat up to the scale, then a power law: the upper end of the uniform density is Pareto."""

        def _pdf(self, x: Any) -> Any:
            high = np.maximum(x, scale)
            return shape / (shape + 1) * scale**shape / high ** (shape + 1)

        def _cdf(self, x: Any) -> Any:
            flat = shape / (shape + 1) * np.minimum(x, scale) / scale
            return flat + (1 - (scale / np.maximum(x, scale)) ** shape) / (shape + 1)

    return UniformToPareto(a=0.0, name="uniform_to_pareto")()


# ---------------------------------------------------------------- Gaussians


def mean_posterior(prior: Parameters, x: np.ndarray, w: np.ndarray, variance: float) -> Parameters:
    if not variance > 0 or not prior["variance"] > 0:
        raise ValueError("variances must be above 0.")
    precision = 1 / prior["variance"] + w.sum() / variance
    return {
        "mean": float((prior["mean"] / prior["variance"] + w @ x / variance) / precision),
        "variance": float(1 / precision),
    }


def _predict_known(post: Parameters, variance: float) -> Any:
    from scipy.stats import norm

    return norm(post["mean"], np.sqrt(post["variance"] + variance))


def _gaussian_update(prior: Parameters, x: np.ndarray, w: np.ndarray) -> Parameters:
    if not len(x):
        return dict(prior)
    total, mean = w.sum(), w @ x / w.sum()
    kappa = prior["kappa"] + total
    gap = prior["kappa"] * total / kappa * (mean - prior["mean"]) ** 2 if kappa > 0 else 0.0
    return {
        "mean": float((prior["kappa"] * prior["mean"] + total * mean) / kappa),
        "kappa": float(kappa),
        "shape": float(prior["shape"] + total / 2),
        "scale": float(prior["scale"] + 0.5 * (w @ (x - mean) ** 2 + gap)),
    }


def _predict_gaussian(post: Parameters) -> Any:
    from scipy.stats import t

    spread = np.sqrt(post["scale"] * (post["kappa"] + 1) / (post["shape"] * post["kappa"]))
    return t(2 * post["shape"], post["mean"], spread)


def _wishart_update(prior: Parameters, x: np.ndarray, w: np.ndarray) -> Parameters:
    if not len(x):
        return dict(prior)
    d, total, mean = x.shape[1], w.sum(), w @ x / w.sum()
    start = np.broadcast_to(np.asarray(prior["mean"], dtype=float), d)
    kappa = prior["kappa"] + total
    gap = (mean - start)[:, None]
    scatter = ((x - mean) * w[:, None]).T @ (x - mean)
    scale = np.asarray(prior["scale"], dtype=float)
    scale = scale * np.eye(d) if scale.ndim == 0 else scale
    degrees = prior["degrees"] if prior["degrees"] is not None else d + 1
    return {
        "mean": (prior["kappa"] * start + total * mean) / kappa,
        "kappa": float(kappa),
        "degrees": float(degrees + total),
        "scale": scale + scatter + prior["kappa"] * total / kappa * gap @ gap.T,
    }


def _wishart_mode(post: Parameters) -> Parameters:
    return {"mean": post["mean"], "covariance": post["scale"] / (post["degrees"] + len(post["mean"]) + 2)}


def _predict_multivariate(post: Parameters) -> Any:
    from scipy.stats import multivariate_t

    freedom = post["degrees"] - len(post["mean"]) + 1
    shape = post["scale"] * (post["kappa"] + 1) / (post["kappa"] * freedom)
    return multivariate_t(post["mean"], shape, df=freedom)


_FLAT_BETA: Parameters = {"a": 1.0, "b": 1.0}
_FLAT_DIRICHLET: Parameters = {"alpha": 1.0}
_WEAK_GAMMA: Parameters = {"shape": 1.0, "rate": 0.0}

CONJUGATE: dict[str, Conjugate] = {
    "bernoulli": Conjugate(_FLAT_BETA, _beta_update, _beta_mode, _predict_binomial),
    "binomial": Conjugate(_FLAT_BETA, _beta_update, _beta_mode, _predict_binomial),
    "categorical": Conjugate(_FLAT_DIRICHLET, _dirichlet_update, _dirichlet_mode, _predict_category),
    "multinomial": Conjugate(_FLAT_DIRICHLET, _dirichlet_update, _dirichlet_mode, _predict_counts),
    "poisson": Conjugate(_WEAK_GAMMA, _poisson_update, _gamma_mode, _predict_poisson),
    "exponential": Conjugate(_WEAK_GAMMA, _exponential_update, _gamma_mode, _predict_exponential),
    "uniform": Conjugate(
        {"shape": 0.0, "scale": 0.0},
        _pareto_update,
        lambda post: {"low": 0.0, "high": post["scale"]},
        _predict_uniform,
    ),
    "known_variance": Conjugate(
        {"mean": 0.0, "variance": 1.0}, mean_posterior, lambda post: {"mean": post["mean"]}, _predict_known
    ),
    "gaussian": Conjugate(
        {"mean": 0.0, "kappa": 0.0, "shape": -0.5, "scale": 0.0},
        _gaussian_update,
        lambda post: {"mean": post["mean"], "variance": post["scale"] / (post["shape"] + 1.5)},
        _predict_gaussian,
    ),
    "multivariate_gaussian": Conjugate(
        {"mean": 0.0, "kappa": 0.0, "degrees": None, "scale": 0.0},
        _wishart_update,
        _wishart_mode,
        _predict_multivariate,
    ),
}
