"""Errors of nearest-neighbour rules, and how many rows they need."""

from fractions import Fraction
from math import comb
from typing import Any, NamedTuple

import numpy as np

from lanatus.catalog import method
from lanatus.params import check_integer, check_real


def _posterior(name: str, values: Any) -> np.ndarray:
    posterior = np.asarray(values, dtype=np.float64)
    if posterior.ndim != 1 or len(posterior) < 2 or not (posterior >= 0).all() or abs(posterior.sum() - 1) > 1e-9:
        raise ValueError(f"{name} must be probabilities of two or more classes that sum to 1; got {values!r}.")
    return posterior


@method(
    "neighbors.one-nn-error",
    section="10.1",
    task="classification",
    kind="theory",
    en="1NN error probability",
    zh="最近邻错误率",
)
def nn_error(p_x: Any, p_z: Any) -> float:
    r"""Probability that the label of the nearest neighbour z is not that of x: :math:`1 - \sum_c P(c|x) P(c|z)`.

    Book: section 10.1, equation (10.1). Cost: O(c).

    Parameters
    ----------
    p_x : array-like of shape (n_classes,)
        Probabilities of the classes at x.
    p_z : array-like of shape (n_classes,)
        Those at its nearest neighbour.

    Returns
    -------
    float
        The probability of an error.

    Examples
    --------
    >>> from lanatus.neighbors import nn_error
    >>> round(nn_error([0.9, 0.1], [0.8, 0.2]), 6)
    0.26
    """
    x, z = _posterior("p_x", p_x), _posterior("p_z", p_z)
    if len(x) != len(z):
        raise ValueError(f"p_x has {len(x)} classes and p_z has {len(z)}; wanted as many.")
    return float(1 - x @ z)


class NNErrorBounds(NamedTuple):
    """Errors at a point: Bayes' rule, 1NN of infinitely many rows, and three bounds of the latter."""

    bayes: float
    asymptotic_1nn: float
    one_minus_square: float
    twice_bayes: float
    cover_hart: float


@method(
    "neighbors.cover-hart-bounds",
    section="10.1",
    task="classification",
    kind="theory",
    en="Asymptotic 1NN error and Cover-Hart bounds",
    zh="最近邻渐近错误率界",
)
def nn_error_bounds(posterior: Any) -> NNErrorBounds:
    r"""The error of the nearest-neighbour rule where rows lie densely, between Bayes' error and less than twice that.

    With :math:`e^* = 1 - \max_c P(c|x)`:
    :math:`e^* \le 1 - \sum_c P(c|x)^2 \le e^* \left(2 - \frac{|Y|}{|Y| - 1} e^*\right) \le 1 - P(c^*|x)^2 \le 2 e^*`.

    Book: section 10.1, (10.2); exercise 10.2, (10.40); cookbook section 6.1.2. Cost: O(c).

    Parameters
    ----------
    posterior : array-like of shape (n_classes,)
        Probabilities of the classes at the point.

    Returns
    -------
    NNErrorBounds
        bayes, asymptotic_1nn, one_minus_square, twice_bayes and cover_hart.

    Examples
    --------
    >>> from lanatus.neighbors import nn_error_bounds
    >>> [round(value, 6) for value in nn_error_bounds([0.6, 0.3, 0.1])]
    [0.4, 0.54, 0.64, 0.8, 0.56]
    """
    p = _posterior("posterior", posterior)
    best, c = float(p.max()), len(p)
    bayes = 1 - best
    return NNErrorBounds(bayes, float(1 - p @ p), 1 - best**2, 2 * bayes, bayes * (2 - c / (c - 1) * bayes))


@method(
    "neighbors.knn-asymptotic-error",
    section="CB 6.1.3",
    task="classification",
    kind="theory",
    en="Asymptotic kNN error, two classes",
    zh="k近邻渐近错误率",
)
def knn_asymptotic_error(k: int, eta: Any) -> Any:
    r"""Error of the k-nearest-neighbour rule of two classes where rows lie densely.

    :math:`\eta \sum_{j=0}^{(k-1)/2} b_j + (1 - \eta) \sum_{j=(k+1)/2}^{k} b_j` with
    :math:`b_j = \binom kj \eta^j (1 - \eta)^{k-j}` and :math:`\eta` the probability of one class at the point: either
    it is the label and most neighbours say the other, or the reverse. It falls to Bayes' error as k grows.

    Book: cookbook section 6.1.3, whose second sum starts one too low. Cost: O(k).

    Parameters
    ----------
    k : int
        Number of neighbours, odd.
    eta : float or array-like
        Probability of one of the two classes.

    Returns
    -------
    float or ndarray
        The error, in the shape of `eta`.

    Examples
    --------
    >>> from lanatus.neighbors import knn_asymptotic_error
    >>> [round(knn_asymptotic_error(k, 0.1), 6) for k in (1, 3, 5)]
    [0.18, 0.1224, 0.106848]
    """
    k = check_integer("k", k, low=1)
    if k % 2 == 0:
        raise ValueError(f"k must be odd, so that no vote is a tie; got {k}.")
    eta = np.asarray(eta, dtype=np.float64)
    if not ((eta >= 0) & (eta <= 1)).all():
        raise ValueError("eta must be probabilities from 0 to 1.")
    few = sum(comb(k, j) * eta**j * (1 - eta) ** (k - j) for j in range((k - 1) // 2 + 1))
    error = eta * few + (1 - eta) * (1 - few)
    return float(error) if error.ndim == 0 else error


@method(
    "neighbors.dense-sampling-size",
    section="10.2",
    task="classification",
    kind="theory",
    en="Dense sampling size and curse of dimensionality",
    zh="密采样与维数灾难",
)
def dense_sample_size(delta: float, d: int) -> int:
    r"""Rows for one to lie within :math:`\delta` of every point of the unit cube: :math:`(1/\delta)^d`, rounded up.

    Book: section 10.2. Cost: O(d), in whole numbers of any size.

    Parameters
    ----------
    delta : float
        The distance, above 0 and at most 1.
    d : int
        Number of attributes.

    Returns
    -------
    int
        Number of rows.

    Examples
    --------
    >>> from lanatus.neighbors import dense_sample_size
    >>> dense_sample_size(0.001, 1), dense_sample_size(0.001, 20) == 10**60
    (1000, True)
    """
    delta = check_real("delta", delta, 0, 1, above=True)
    d = check_integer("d", d, low=1)
    # The decimal that was written, not the binary fraction nearest to it: 1 / 0.001 is 1000.
    whole = (1 / Fraction(repr(delta))) ** d
    return -(-whole.numerator // whole.denominator)
