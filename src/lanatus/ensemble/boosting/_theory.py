"""Formulas around voting and boosting: errors of a vote, AdaBoost's weights and its bound."""

from typing import Any

import numpy as np

from lanatus.catalog import method

__all__ = [
    "adaboost_alpha",
    "adaboost_training_bound",
    "ensemble_error",
    "ensemble_error_hoeffding",
    "exponential_loss_minimizer",
]


def _errors(eps: Any) -> np.ndarray:
    eps = np.asarray(eps, dtype=np.float64)
    if not ((eps >= 0) & (eps <= 1)).all():
        raise ValueError(f"eps must lie between 0 and 1; got {eps!r}.")
    return eps


def _sizes(T: Any) -> np.ndarray:
    size = np.asarray(T)
    if not (np.equal(np.floor(size), size) & (size >= 1)).all():
        raise ValueError(f"T must be a whole number of 1 or more; got {T!r}.")
    return size


@method(
    "ensemble.ensemble-error-bound",
    section="8.1",
    task="classification",
    kind="theory",
    en="Error of a vote of independent learners",
    zh="集成错误率与Hoeffding界",
)
def ensemble_error(T: Any, eps: Any) -> Any:
    r"""Error of the majority vote of T independent two-class learners that each err with probability eps.

    Book: section 8.1. The sum of (8.3),
    :math:`\sum_{k=0}^{\lfloor T/2 \rfloor} \binom{T}{k} (1 - \epsilon)^k \epsilon^{T-k}`; a tie of an even T counts
    as an error. Real learners are never independent, so that theirs is higher. Cost: O(1) each.

    Parameters
    ----------
    T : int or array of int
        Number of learners.
    eps : float or array
        Error of each, from 0 to 1.

    Returns
    -------
    float or ndarray

    See Also
    --------
    ensemble_error_hoeffding : A bound that shows how fast it falls.

    Examples
    --------
    >>> from lanatus.ensemble import ensemble_error
    >>> round(ensemble_error(11, 0.3), 8)
    0.07822479
    """
    from scipy.special import bdtr

    size = _sizes(T)
    error = bdtr(np.floor(size / 2), size, 1 - _errors(eps))
    return float(error) if np.ndim(error) == 0 else error


@method(
    section="8.1",
    task="classification",
    kind="theory",
    en="Hoeffding bound of the error of a vote",
    zh="集成错误率的Hoeffding上界",
)
def ensemble_error_hoeffding(T: Any, eps: Any) -> Any:
    r"""Hoeffding's bound of `ensemble_error`: it falls exponentially with the number of learners.

    Book: section 8.1. :math:`\exp(-\tfrac{1}{2} T (1 - 2\epsilon)^2)` (8.3), for learners better than chance; 1 for the
    others, of which the inequality says nothing. Cost: O(1) each.

    Parameters
    ----------
    T : int or array of int
        Number of learners.
    eps : float or array
        Error of each, from 0 to 1.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from lanatus.ensemble import ensemble_error_hoeffding
    >>> round(ensemble_error_hoeffding(11, 0.3), 8)
    0.41478291
    """
    eps = _errors(eps)
    bound = np.exp(-0.5 * _sizes(T) * np.square(1 - 2 * np.minimum(eps, 0.5)))
    return float(bound) if np.ndim(bound) == 0 else bound


@method(
    section="8.2", task="classification", kind="theory", en="Weight of a learner in AdaBoost", zh="AdaBoost分类器权重"
)
def adaboost_alpha(eps: Any) -> Any:
    r"""AdaBoost's weight of a learner of weighted error eps, which minimises the exponential loss along it.

    Book: section 8.2. :math:`\alpha = \tfrac{1}{2} \ln \frac{1 - \epsilon}{\epsilon}` (8.11), the least point of
    :math:`e^{-\alpha} (1 - \epsilon) + e^{\alpha} \epsilon` (8.9); infinite at an error of 0, 0 at one half.

    Parameters
    ----------
    eps : float or array
        Weighted error, from 0 to 1.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from lanatus.ensemble import adaboost_alpha
    >>> round(adaboost_alpha(3 / 17), 6)
    0.770223
    """
    eps = _errors(eps)
    with np.errstate(divide="ignore"):
        alpha = 0.5 * (np.log1p(-eps) - np.log(eps))
    return float(alpha) if alpha.ndim == 0 else alpha


@method(
    "ensemble.exponential-loss-derivation",
    section="8.2",
    task="classification",
    kind="theory",
    en="Minimiser of the exponential loss",
    zh="指数损失的最小化",
)
def exponential_loss_minimizer(p: Any) -> Any:
    r"""The score that minimises the expected exponential loss where the positive class has probability p.

    Book: section 8.2. :math:`H(x) = \tfrac{1}{2} \ln \frac{P(f = 1 | x)}{P(f = -1 | x)}` (8.7): half the log-odds. Its
    sign is the more probable class (8.8), so that the loss is a consistent surrogate.

    Parameters
    ----------
    p : float or array
        Probability of the positive class, from 0 to 1.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from lanatus.ensemble import exponential_loss_minimizer
    >>> exponential_loss_minimizer([0.5, 0.8]).round(4).tolist()
    [0.0, 0.6931]
    """
    p = np.asarray(p, dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p must lie between 0 and 1; got {p!r}.")
    return adaboost_alpha(1 - p) if p.ndim else float(adaboost_alpha(1 - float(p)))


@method(
    "ensemble.adaboost-bound",
    section="CB 11.2.3",
    task="classification",
    kind="theory",
    en="Bound of AdaBoost's training error",
    zh="AdaBoost训练误差界",
)
def adaboost_training_bound(eps: Any) -> np.ndarray:
    r"""Upper bound of AdaBoost's training error after each round: the product of the normalisers.

    Cookbook: section 11.2.3. :math:`\prod_t Z_t` with :math:`Z_t = 2 \sqrt{\epsilon_t (1 - \epsilon_t)}`, which is the
    mean exponential loss, and at most :math:`\exp(-2 \sum_t (\tfrac{1}{2} - \epsilon_t)^2)`.

    Parameters
    ----------
    eps : array-like of shape (n_rounds,)
        Weighted error of each round's learner.

    Returns
    -------
    ndarray of shape (n_rounds,)
        The bound after 1, 2, ... rounds.

    Examples
    --------
    >>> from lanatus.ensemble import adaboost_training_bound
    >>> adaboost_training_bound([3 / 17, 0.178571]).round(6).tolist()
    [0.76244, 0.584018]
    """
    eps = np.atleast_1d(_errors(eps))
    return np.asarray(np.cumprod(2 * np.sqrt(eps * (1 - eps))))
