"""Bayesian estimation with conjugate priors: posteriors, their modes, and what they predict."""

from typing import Any

import numpy as np

from lanatus.density.parametric._conjugate_priors import CONJUGATE, Conjugate, checked_prior
from lanatus.density.parametric._distributions import FAMILIES, Parameters, observations


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
        The observations, as for `mle`; with no rows the posterior is the prior.
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

    Notes
    -----
    A flat prior may need some rows before the posterior is a distribution; until then this is an error.

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
    start = {**conjugate.prior, **checked_prior(prior or {}, conjugate.prior)}
    if np.size(X):
        data, weight = observations(FAMILIES[family], X, sample_weight)
    else:
        data, weight = np.zeros(np.shape(X)), np.zeros(0)
    return conjugate, conjugate.update(start, data, weight, **known)
