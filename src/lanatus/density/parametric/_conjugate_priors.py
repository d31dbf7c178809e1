"""Families with conjugate priors: how data turn a prior into a posterior, its mode, and what it predicts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus.density.parametric._distributions import Parameters, checked_trials


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


def checked_prior(given: Parameters, default: Parameters) -> Parameters:
    """Parameters of a prior: finite, and not below 0 but for means; those of beta and Dirichlet above 0."""
    for name, value in given.items():
        if name == "mean" or value is None:
            least = -np.inf
        else:
            least = min(0.0, default[name] or 0.0)
        level = np.asarray(0.0 if value is None else value, dtype=np.float64)
        low = level <= 0 if name in ("a", "b", "alpha") else level < least
        if not np.isfinite(level).all() or (low.any() and level.ndim < 2):
            raise ValueError(f"the prior's {name}={value!r} is not a number in its range.")
    return given


def _require_proper(proper: Any, what: str) -> None:
    if not proper:
        raise ValueError(f"the posterior {what}: give a prior, or more rows.")


# ---------------------------------------------------------------- beta, Dirichlet, gamma, Pareto


def _beta_update(prior: Parameters, x: np.ndarray, w: np.ndarray, n: int = 1) -> Parameters:
    hits = float(w @ x)
    return {"a": float(prior["a"] + hits), "b": float(prior["b"] + n * w.sum() - hits)}


def _binomial_update(prior: Parameters, x: np.ndarray, w: np.ndarray, n: int | None = None) -> Parameters:
    return _beta_update(prior, x, w, checked_trials(x, n))


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
        if n_categories is not None and len(counts) > n_categories:
            raise ValueError("X has a category beyond n_categories.")
    if np.ndim(prior["alpha"]) and len(prior["alpha"]) != len(counts):
        raise ValueError(f"alpha of the prior has {len(prior['alpha'])} entries, X {len(counts)} categories.")
    return {"alpha": np.asarray(prior["alpha"], dtype=float) + counts}


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

    _require_proper(post["shape"] > 0 and post["rate"] > 0, "is no gamma density")
    return nbinom(post["shape"], post["rate"] / (post["rate"] + 1))


def _predict_exponential(post: Parameters) -> Any:
    from scipy.stats import lomax

    _require_proper(post["shape"] > 0 and post["rate"] > 0, "is no gamma density")
    return lomax(post["shape"], scale=post["rate"])


def _pareto_update(prior: Parameters, x: np.ndarray, w: np.ndarray) -> Parameters:
    if (x < 0).any():
        raise ValueError("the uniform density from 0 wants numbers from 0 on.")
    return {"shape": float(prior["shape"] + w.sum()), "scale": float(max(prior["scale"], x.max(initial=0.0)))}


def _predict_uniform(post: Parameters) -> Any:
    from scipy.stats import rv_continuous

    shape, scale = post["shape"], post["scale"]
    _require_proper(shape > 0 and scale > 0, "is no Pareto density")

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


def _gaussian_mode(post: Parameters) -> Parameters:
    _require_proper(post["shape"] > -1.5 and post["scale"] > 0, "has no mode")
    return {"mean": post["mean"], "variance": post["scale"] / (post["shape"] + 1.5)}


def _predict_gaussian(post: Parameters) -> Any:
    from scipy.stats import t

    _require_proper(min(post["kappa"], post["shape"], post["scale"]) > 0, "has no spread")
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


def _has_spread(post: Parameters) -> bool:
    """Whether the scale is a matrix of full rank; a prior for no rows yet may be a number."""
    scale = np.asarray(post["scale"], dtype=float)
    return scale.ndim == 2 and np.linalg.matrix_rank(scale) == len(scale)


def _wishart_mode(post: Parameters) -> Parameters:
    _require_proper(_has_spread(post), "has no mode")
    return {"mean": post["mean"], "covariance": post["scale"] / (post["degrees"] + len(post["mean"]) + 2)}


def _predict_multivariate(post: Parameters) -> Any:
    from scipy.stats import multivariate_t

    _require_proper(_has_spread(post) and post["kappa"] > 0, "has no spread")
    freedom = post["degrees"] - len(post["mean"]) + 1
    _require_proper(freedom > 0, "has too few degrees of freedom")
    shape = post["scale"] * (post["kappa"] + 1) / (post["kappa"] * freedom)
    return multivariate_t(post["mean"], shape, df=freedom)


_FLAT_BETA: Parameters = {"a": 1.0, "b": 1.0}
_FLAT_DIRICHLET: Parameters = {"alpha": 1.0}
_WEAK_GAMMA: Parameters = {"shape": 1.0, "rate": 0.0}

CONJUGATE: dict[str, Conjugate] = {
    "bernoulli": Conjugate(_FLAT_BETA, _beta_update, _beta_mode, _predict_binomial),
    "binomial": Conjugate(_FLAT_BETA, _binomial_update, _beta_mode, _predict_binomial),
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
        _gaussian_mode,
        _predict_gaussian,
    ),
    "multivariate_gaussian": Conjugate(
        {"mean": 0.0, "kappa": 0.0, "degrees": None, "scale": 0.0},
        _wishart_update,
        _wishart_mode,
        _predict_multivariate,
    ),
}
