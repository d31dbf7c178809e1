"""Singular values: the nuclear norm, and its proximal map."""

from typing import Any

import numpy as np
from scipy.linalg import svd
from sklearn.utils import check_array

from lanatus.catalog import method


@method(
    "sparse.nuclear-norm",
    section="11.6",
    task="transform",
    kind="measure",
    en="Nuclear (trace) norm",
    zh="核范数",
    peers=["numpy:linalg.norm"],
)
def nuclear_norm(X: Any) -> float:
    r"""The nuclear norm, the sum of the singular values: :math:`\lVert X \rVert_* = \sum_j \sigma_j(X)` (11.25).

    Book: section 11.6. It is the convex envelope of the rank on matrices of *spectral* norm at most one; the text says
    Frobenius norm. Cost: :math:`O(mn \min(m, n))`.

    Parameters
    ----------
    X : array of shape (m, n)
        A matrix.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.sparse import nuclear_norm
    >>> nuclear_norm([[3.0, 0.0], [0.0, -4.0]])
    7.0
    """
    return float(svd(check_array(X, dtype=np.float64), compute_uv=False, check_finite=False).sum())


def shrink_singular(X: np.ndarray, threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """X with its singular values less a threshold, and at least zero; and these values.

    The minimiser of ||Z - X||^2 / 2 + threshold ||Z||_*. From the eigenvalues of the smaller product with itself.

    Parameters
    ----------
    X : ndarray of shape (m, n)
        A matrix.
    threshold : float
        What is taken off.
    """
    U, size, V = svd(X, full_matrices=False, check_finite=False, lapack_driver="gesdd")
    left = np.maximum(size - threshold, 0.0)
    rank = int((left > 0).sum())
    return (U[:, :rank] * left[:rank]) @ V[:rank], left
