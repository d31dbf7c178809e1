"""Feature maps written out: of polynomial kernels, and of the Gaussian one as a series."""

from itertools import combinations_with_replacement
from math import comb, factorial
from typing import Any

import numpy as np
from scipy.special import gammaln
from sklearn.utils.validation import check_array

from lanatus.catalog import method
from lanatus.params import check_integer, check_real

_MOST = 100_000  # columns


@method(
    "kernel.explicit-feature-maps",
    section="CB 5.4",
    task="transform",
    kind="function",
    en="Explicit degree-2 and RBF series feature maps",
    zh="显式特征映射",
    peers=["scikit-learn:PolynomialFeatures"],
)
def polynomial_map(X: Any, degree: int = 2) -> np.ndarray:
    r"""The map of the kernel :math:`(x^\top z)^p`: all monomials of degree *p*, scaled by roots of multinomials.

    For two columns and degree 2 it is :math:`(x_1^2, \sqrt2 x_1 x_2, x_2^2)`.

    Book: cookbook section 5.4. Cost: :math:`O\left(n \binom{d+p-1}{p} p\right)`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows.
    degree : int, default=2
        The degree, *p*.

    Returns
    -------
    ndarray of shape (n_samples, n_monomials)

    Examples
    --------
    >>> from lanatus.kernel import polynomial_map
    >>> polynomial_map([[1.0, 2.0]]).round(6).tolist()
    [[1.0, 2.828427, 4.0]]
    """
    X = check_array(X, dtype=np.float64, input_name="X")
    degree = check_integer("degree", degree, 1)
    width = comb(X.shape[1] + degree - 1, degree)
    if width > _MOST:
        raise ValueError(f"there are {width} monomials, more than {_MOST}; use PolynomialKernel, which needs none.")
    columns = []
    for chosen in combinations_with_replacement(range(X.shape[1]), degree):
        powers = np.bincount(chosen)
        times = factorial(degree) / np.prod([float(factorial(power)) for power in powers])
        columns.append(np.sqrt(times) * X[:, chosen].prod(axis=1))
    return np.column_stack(columns)


def rbf_series_map(x: Any, sigma: float = 1.0, n_terms: int = 10) -> np.ndarray:
    r"""The first terms of the map of the Gaussian kernel of one column.

    :math:`\phi_k(x) = e^{-x^2/2\sigma^2} \frac{(x/\sigma)^k}{\sqrt{k!}}`, k = 0, 1, ...: inner products come near the
    kernel as terms are added.

    Book: cookbook section 5.4. Cost: O(n_terms) a number.

    Parameters
    ----------
    x : array-like of shape (n_samples,)
        The numbers.
    sigma : float, default=1.0
        The width.
    n_terms : int, default=10
        Number of terms.

    Returns
    -------
    ndarray of shape (n_samples, n_terms)

    Examples
    --------
    >>> from lanatus.kernel import rbf_series_map
    >>> x, z = rbf_series_map([0.5, 1.0], n_terms=12)
    >>> round(float(x @ z), 9)
    0.882496903
    """
    x = check_array(x, dtype=np.float64, ensure_2d=False, input_name="x").reshape(-1)
    scaled = x / check_real("sigma", sigma, 0, above=True)
    k = np.arange(check_integer("n_terms", n_terms, 1))
    with np.errstate(divide="ignore"):
        logs = np.log(np.abs(scaled))[:, None]
    heights = np.where(k == 0, 0.0, k * np.where(np.isfinite(logs), logs, -1e300)) - gammaln(k + 1) / 2
    signs = np.where((scaled[:, None] < 0) & (k % 2 == 1), -1.0, 1.0)
    return np.asarray(signs * np.exp(heights - scaled[:, None] ** 2 / 2))
