"""The gradient of a metric from weights of pairs of rows, block after block."""

from collections.abc import Callable

import numpy as np

_CACHED = 2**22  # bytes of a block of weights
Weights = Callable[[np.ndarray, np.ndarray, int], float]


def gradient_of_pairs(X: np.ndarray, A: np.ndarray, weigh: Weights) -> tuple[float, np.ndarray]:
    r"""A value, and :math:`A \sum_{ij} W_{ij} (x_i - x_j)(x_i - x_j)^\top`, W made block by block.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows, float32 or float64; products are of this type.
    A : ndarray of shape (k, d)
        The map.
    weigh : callable
        Given inner products of mapped rows of a block with all mapped rows, squares of these, and the number of the
        first row of the block, it puts the weights in place of the products, and gives the block's value.

    Returns
    -------
    value : float
    gradient : ndarray of shape (k, d)
    """
    n, d = X.shape
    turned = A.T.astype(X.dtype)
    Z = X @ turned
    squares = np.einsum("ij,ij->i", Z, Z, dtype=np.float64)
    value, inner, mass = 0.0, np.zeros((Z.shape[1], d)), np.zeros(n)
    ones, step = np.ones(n, dtype=X.dtype), max(64, _CACHED // (n * X.itemsize))
    for begin in range(0, n, step):
        part = slice(begin, min(begin + step, n))
        D = Z[part] @ Z.T
        value += weigh(D, squares, begin)
        mapped = D @ X  # sum_j W_ij x_j
        inner += (Z[part].T @ mapped + (mapped @ turned).T @ X[part]).astype(np.float64)
        mass += ones[part] @ D
        mass[part] += D @ ones
    return value, (Z.T.astype(np.float64) * mass) @ X - inner
