"""The distributions of appendix C, and some more, as families with parameters."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import digamma, gammaln, polygamma, xlogy

from lanatus.density.parametric._gaussian import multivariate_normal_pdf

Parameters = dict[str, Any]


@dataclass(frozen=True)
class Family:
    """A family of distributions of numbers, or (``columns``) of rows of numbers.

    `fit` gives the most likely parameters of weighted data, `log_density` the logarithm of density or probability,
    `draw` takes parameters, a size and a generator, `size` counts the free parameters, `information` is Fisher's
    information of one observation, a number or a matrix in the order of the parameters.
    """

    name: str
    fit: Callable[..., Parameters]
    log_density: Callable[[np.ndarray, Parameters], np.ndarray]
    draw: Callable[[Parameters, int, np.random.RandomState], np.ndarray]
    size: Callable[[Parameters], int]
    information: Callable[[Parameters], Any] | None = None
    columns: bool = False


def _no_count(x: np.ndarray) -> np.ndarray:
    return (x < 0) | (x % 1 != 0)


def _off_simplex(x: np.ndarray) -> np.ndarray:
    return (x <= 0).any(axis=1) | ~np.isclose(x.sum(axis=1), 1)


# What a family cannot give, and what it wants instead.
_OUTSIDE: dict[str, tuple[Callable[[np.ndarray], np.ndarray], str]] = {
    "bernoulli": (lambda x: (x != 0) & (x != 1), "zeros and ones"),
    "binomial": (_no_count, "whole numbers from 0 to n"),
    "categorical": (_no_count, "whole numbers from 0, or labels"),
    "multinomial": (_no_count, "rows of counts"),
    "poisson": (_no_count, "whole numbers from 0"),
    "exponential": (lambda x: x < 0, "numbers from 0 on"),
    "gamma": (lambda x: x <= 0, "numbers above 0"),
    "beta": (lambda x: (x <= 0) | (x >= 1), "numbers above 0 and below 1"),
    "dirichlet": (_off_simplex, "rows of numbers above 0 that sum to 1"),
}


def labels_of(family: Family, X: Any) -> np.ndarray | None:
    """The sorted labels of categories that are no numbers."""
    values = np.asarray(X)
    return np.unique(values) if family.name == "categorical" and values.dtype.kind not in "biuf" else None


def observations(family: Family, X: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray]:
    """Data and weights, checked."""
    labels = labels_of(family, X)
    data = np.asarray(X if labels is None else np.searchsorted(labels, np.asarray(X)), dtype=np.float64)
    if not family.columns and data.ndim == 2 and data.shape[1] == 1:
        data = data[:, 0]
    wanted = 2 if family.columns else 1
    if data.ndim != wanted or not data.size:
        raise ValueError(f"{family.name} wants X with {wanted} dimension(s) and at least one row; got {data.shape}.")
    weight = np.ones(len(data)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (len(data),) or (weight < 0).any() or not weight.sum() > 0:
        raise ValueError("sample_weight must be one number a row, none negative and not all zero.")
    if not np.isfinite(data).all():
        raise ValueError("X must be finite: leave out what is missing.")
    if family.name in _OUTSIDE:
        outside, wanted_words = _OUTSIDE[family.name]
        _refuse(np.any(outside(data)), f"{family.name} wants {wanted_words}.")
    kept = weight > 0
    return data[kept], weight[kept]


def _mean(x: np.ndarray, w: np.ndarray) -> Any:
    return (w @ x) / w.sum()


def _refuse(bad: Any, what: str) -> None:
    if bad:
        raise ValueError(what)


def _fit_uniform(x: np.ndarray, w: np.ndarray) -> Parameters:
    _refuse(x.min() == x.max(), "all values are the same: the uniform density has no width and no maximum likelihood.")
    return {"low": float(x.min()), "high": float(x.max())}


def _uniform_log(x: np.ndarray, p: Parameters) -> np.ndarray:
    inside = (x >= p["low"]) & (x <= p["high"])
    return np.where(inside, -np.log(p["high"] - p["low"]), -np.inf)


def _fit_bernoulli(x: np.ndarray, w: np.ndarray) -> Parameters:
    return {"p": float(_mean(x, w))}


def checked_trials(x: np.ndarray, n: int | None) -> int:
    """The number of trials of a binomial, which no count exceeds."""
    if n is None:
        raise ValueError("binomial needs n, the number of trials behind each count.")
    _refuse((x > n).any(), f"binomial wants whole numbers from 0 to n={n}.")
    return n


def _fit_binomial(x: np.ndarray, w: np.ndarray, n: int | None = None) -> Parameters:
    return {"n": checked_trials(x, n), "p": float(_mean(x, w) / n)}


def _binomial_log(x: np.ndarray, p: Parameters) -> np.ndarray:
    n, chance = p["n"], p["p"]
    known = (x >= 0) & (x <= n) & (x % 1 == 0)
    m = np.where(known, x, 0.0)
    log = gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1) + xlogy(m, chance) + xlogy(n - m, 1 - chance)
    return np.where(known, log, -np.inf)


def _fit_categorical(x: np.ndarray, w: np.ndarray, n_categories: int | None = None) -> Parameters:
    count = np.bincount(x.astype(int), w, minlength=n_categories or 0)
    _refuse(n_categories is not None and len(count) > n_categories, "X has a category beyond n_categories.")
    return {"p": count / count.sum()}


def _categorical_log(x: np.ndarray, p: Parameters) -> np.ndarray:
    known = (x >= 0) & (x < len(p["p"])) & (x % 1 == 0)
    with np.errstate(divide="ignore"):
        return np.where(known, np.log(p["p"])[np.where(known, x, 0).astype(int)], -np.inf)


def _fit_multinomial(x: np.ndarray, w: np.ndarray) -> Parameters:
    trials = x.sum(axis=1)
    _refuse(len(np.unique(trials)) > 1 or trials[0] == 0, "multinomial wants rows of counts with one sum above 0.")
    return {"n": int(trials[0]), "p": _mean(x, w) / trials[0]}


def _multinomial_log(x: np.ndarray, p: Parameters) -> np.ndarray:
    m = np.maximum(x, 0.0)
    log = gammaln(p["n"] + 1) - gammaln(m + 1).sum(axis=1) + xlogy(m, p["p"]).sum(axis=1)
    return np.where((x.sum(axis=1) == p["n"]) & ~_no_count(x).any(axis=1), log, -np.inf)


def _fit_gaussian(x: np.ndarray, w: np.ndarray, ddof: int = 0) -> Parameters:
    _refuse(w.sum() <= ddof, f"ddof={ddof} needs more than {ddof} rows.")
    mean = _mean(x, w)
    variance = float(w @ (x - mean) ** 2 / (w.sum() - ddof))
    _refuse(variance <= 0, "all values are the same: the likelihood of a Gaussian grows without end.")
    return {"mean": float(mean), "variance": variance}


def _gaussian_log(x: np.ndarray, p: Parameters) -> np.ndarray:
    return -0.5 * (np.log(2 * np.pi * p["variance"]) + (x - p["mean"]) ** 2 / p["variance"])


def _fit_multivariate(x: np.ndarray, w: np.ndarray, ddof: int = 0) -> Parameters:
    _refuse(w.sum() <= ddof, f"ddof={ddof} needs more than {ddof} rows.")
    mean = _mean(x, w)
    gap = x - mean
    covariance = (gap * w[:, None]).T @ gap / (w.sum() - ddof)
    _refuse(
        np.linalg.matrix_rank(covariance) < x.shape[1],
        "the covariance is singular: too few rows, or columns that follow from others.",
    )
    return {"mean": mean, "covariance": covariance}


def _fit_exponential(x: np.ndarray, w: np.ndarray) -> Parameters:
    _refuse(not _mean(x, w) > 0, "exponential wants numbers from 0 on, not all zero.")
    return {"rate": float(1 / _mean(x, w))}


def _fit_poisson(x: np.ndarray, w: np.ndarray) -> Parameters:
    return {"rate": float(_mean(x, w))}


def _poisson_log(x: np.ndarray, p: Parameters) -> np.ndarray:
    known = (x >= 0) & (x % 1 == 0)
    m = np.where(known, x, 0.0)
    return np.where(known, xlogy(m, p["rate"]) - p["rate"] - gammaln(m + 1), -np.inf)


def _fit_laplace(x: np.ndarray, w: np.ndarray) -> Parameters:
    order = np.argsort(x, kind="stable")
    below = np.cumsum(w[order])
    centre = float(x[order][np.searchsorted(below, below[-1] / 2)])
    scale = float(_mean(np.abs(x - centre), w))
    _refuse(scale <= 0, "all values are the same: the likelihood of a Laplace density grows without end.")
    return {"mean": centre, "scale": scale}


def _fit_gamma(x: np.ndarray, w: np.ndarray) -> Parameters:
    mean, gap = float(_mean(x, w)), float(np.log(_mean(x, w)) - _mean(np.log(x), w))
    _refuse(gap <= 1e-14, "all values are the same: the likelihood of a gamma density grows without end.")
    shape = (3 - gap + np.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)  # Minka's start
    for _ in range(100):
        step = (np.log(shape) - digamma(shape) - gap) / (1 / shape - polygamma(1, shape))
        shape = shape - step if step < shape else shape / 2
        if abs(step) <= 1e-14 * shape:
            break
    return {"shape": float(shape), "rate": float(shape / mean)}


def _gamma_log(x: np.ndarray, p: Parameters) -> np.ndarray:
    a, b = p["shape"], p["rate"]
    at = np.where(x > 0, x, 1.0)
    return np.where(x > 0, a * np.log(b) - gammaln(a) + (a - 1) * np.log(at) - b * at, -np.inf)


def _fit_dirichlet(x: np.ndarray, w: np.ndarray) -> Parameters:
    logs, mean = _mean(np.log(x), w), _mean(x, w)
    variance = float((w @ (x - mean) ** 2).sum() / w.sum())
    _refuse(variance <= 1e-14, "all rows are the same: the likelihood of a Dirichlet density grows without end.")
    alpha = np.maximum(mean * max((mean * (1 - mean)).sum() / variance - 1, 1e-2), 1e-3)
    for _ in range(1000):  # Newton with a diagonal plus a constant, as Minka
        gradient = digamma(alpha.sum()) - digamma(alpha) + logs
        q, z = -polygamma(1, alpha), polygamma(1, alpha.sum())
        step = (gradient - (gradient / q).sum() / (1 / z + (1 / q).sum())) / q
        while (alpha - step <= 0).any():
            step /= 2
        alpha = alpha - step
        if np.abs(step).max() <= 1e-13 * alpha.max():
            break
    return {"alpha": alpha}


def _dirichlet_log(x: np.ndarray, p: Parameters) -> np.ndarray:
    a = p["alpha"]
    known = (x >= 0).all(axis=1) & np.isclose(x.sum(axis=1), 1)
    log = gammaln(a.sum()) - gammaln(a).sum() + xlogy(a - 1, np.where(known[:, None], x, 0.5)).sum(axis=1)
    return np.where(known, log, -np.inf)


def _fit_beta(x: np.ndarray, w: np.ndarray) -> Parameters:
    a, b = _fit_dirichlet(np.column_stack([x, 1 - x]), w)["alpha"]
    return {"a": float(a), "b": float(b)}


def _beta_log(x: np.ndarray, p: Parameters) -> np.ndarray:
    return _dirichlet_log(np.column_stack([x, 1 - x]), {"alpha": np.array([p["a"], p["b"]])})


def _dirichlet_information(alpha: np.ndarray) -> np.ndarray:
    return np.diag(polygamma(1, alpha)) - polygamma(1, alpha.sum())


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family(
            "uniform",
            _fit_uniform,
            _uniform_log,
            lambda p, n, rng: rng.uniform(p["low"], p["high"], n),
            lambda p: 2,
        ),
        Family(
            "bernoulli",
            _fit_bernoulli,
            lambda x, p: _binomial_log(x, {"n": 1, **p}),
            lambda p, n, rng: rng.binomial(1, p["p"], n).astype(float),
            lambda p: 1,
            lambda p: 1 / (p["p"] * (1 - p["p"])),
        ),
        Family(
            "binomial",
            _fit_binomial,
            _binomial_log,
            lambda p, n, rng: rng.binomial(p["n"], p["p"], n).astype(float),
            lambda p: 1,
            lambda p: p["n"] / (p["p"] * (1 - p["p"])),
        ),
        Family(
            "categorical",
            _fit_categorical,
            _categorical_log,
            lambda p, n, rng: rng.choice(len(p["p"]), n, p=p["p"]).astype(float),
            lambda p: len(p["p"]) - 1,
        ),
        Family(
            "multinomial",
            _fit_multinomial,
            _multinomial_log,
            lambda p, n, rng: rng.multinomial(p["n"], p["p"], n).astype(float),
            lambda p: len(p["p"]) - 1,
            columns=True,
        ),
        Family(
            "gaussian",
            _fit_gaussian,
            _gaussian_log,
            lambda p, n, rng: rng.normal(p["mean"], np.sqrt(p["variance"]), n),
            lambda p: 2,
            lambda p: np.diag([1 / p["variance"], 0.5 / p["variance"] ** 2]),
        ),
        Family(
            "multivariate_gaussian",
            _fit_multivariate,
            lambda x, p: np.asarray(multivariate_normal_pdf(x, p["mean"], p["covariance"], log=True)),
            lambda p, n, rng: rng.multivariate_normal(p["mean"], p["covariance"], n),
            lambda p: len(p["mean"]) * (len(p["mean"]) + 3) // 2,
            columns=True,
        ),
        Family(
            "exponential",
            _fit_exponential,
            lambda x, p: np.where(x >= 0, np.log(p["rate"]) - p["rate"] * x, -np.inf),
            lambda p, n, rng: rng.exponential(1 / p["rate"], n),
            lambda p: 1,
            lambda p: 1 / p["rate"] ** 2,
        ),
        Family(
            "poisson",
            _fit_poisson,
            _poisson_log,
            lambda p, n, rng: rng.poisson(p["rate"], n).astype(float),
            lambda p: 1,
            lambda p: 1 / p["rate"],
        ),
        Family(
            "laplace",
            _fit_laplace,
            lambda x, p: -np.log(2 * p["scale"]) - np.abs(x - p["mean"]) / p["scale"],
            lambda p, n, rng: rng.laplace(p["mean"], p["scale"], n),
            lambda p: 2,
            lambda p: np.eye(2) / p["scale"] ** 2,
        ),
        Family(
            "gamma",
            _fit_gamma,
            _gamma_log,
            lambda p, n, rng: rng.gamma(p["shape"], 1 / p["rate"], n),
            lambda p: 2,
            lambda p: np.array(
                [
                    [polygamma(1, p["shape"]), -1 / p["rate"]],
                    [-1 / p["rate"], p["shape"] / p["rate"] ** 2],
                ]
            ),
        ),
        Family(
            "beta",
            _fit_beta,
            _beta_log,
            lambda p, n, rng: rng.beta(p["a"], p["b"], n),
            lambda p: 2,
            lambda p: _dirichlet_information(np.array([p["a"], p["b"]])),
        ),
        Family(
            "dirichlet",
            _fit_dirichlet,
            _dirichlet_log,
            lambda p, n, rng: rng.dirichlet(p["alpha"], n),
            lambda p: len(p["alpha"]),
            lambda p: _dirichlet_information(p["alpha"]),
            columns=True,
        ),
    )
}
