"""The gradient of a metric from weights of pairs of rows, block after block."""

from collections.abc import Callable

import numpy as np

from lanatus.base import Spread

_CACHED = 2**22  # bytes of a block of weights
_PARTS = 8  # blocks of few rows, so that there is one for each thread
Weights = Callable[[np.ndarray, np.ndarray, int], float]


def gradient_of_pairs(X: np.ndarray, A: np.ndarray, weigh: Weights, over: Spread = map) -> tuple[float, np.ndarray]:
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
    over : callable, default=map
        Goes over the blocks; that of `spread` on several threads.

    Returns
    -------
    value : float
    gradient : ndarray of shape (k, d)
    """
    n = len(X)
    turned = A.T.astype(X.dtype)
    Z = X @ turned
    squares = np.einsum("ij,ij->i", Z, Z, dtype=np.float64)
    step = max(64, min(_CACHED // (n * X.itemsize), -(-n // _PARTS)))
    ones = np.ones(n, dtype=X.dtype)

    def of_block(begin: int) -> tuple[float, np.ndarray, np.ndarray]:
        part = slice(begin, min(begin + step, n))
        D = Z[part] @ Z.T
        value = weigh(D, squares, begin)
        mapped = D @ X  # sum_j W_ij x_j
        mass = (ones[part] @ D).astype(np.float64)
        mass[part] += D @ ones
        return value, (Z[part].T @ mapped + (mapped @ turned).T @ X[part]).astype(np.float64), mass

    value, inner, mass = 0.0, np.zeros(A.shape), np.zeros(n)
    for one, products, weights in over(of_block, range(0, n, step)):
        value, inner, mass = value + one, inner + products, mass + weights
    return value, (Z.T.astype(np.float64) * mass) @ X - inner
