"""Mercer's condition: is a matrix one of a kernel, and of which map."""

from typing import Any

import numpy as np
from scipy.linalg import eigh
from sklearn.utils.validation import check_array

from lanatus.catalog import method
from lanatus.params import check_real


@method(
    "kernel.mercer-check",
    section="6.3",
    task="evaluation",
    kind="function",
    en="Positive semi-definiteness (Mercer) check and eigen feature map",
    zh="核矩阵半正定检验",
)
def is_psd(K: Any, *, tol: float = 1e-10) -> bool:
    r"""Whether a symmetric matrix is positive semi-definite, as that of a kernel is on any rows (theorem 6.1).

    Book: section 6.3. Cost: :math:`O(n^3)`.

    Parameters
    ----------
    K : array-like of shape (n, n)
        The kernel matrix.
    tol : float, default=1e-10
        The least eigenvalue may be below zero by this share of the largest in magnitude, and so may entries differ from
        those across the diagonal.

    Returns
    -------
    bool

    Examples
    --------
    >>> from lanatus.kernel import SigmoidKernel, GaussianKernel, is_psd
    >>> X = [[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]]
    >>> is_psd(GaussianKernel(1.0)(X)), is_psd(SigmoidKernel()(X))
    (True, False)
    """
    K = _square(K)
    tol = check_real("tol", tol, 0)
    scale = float(np.abs(K).max(initial=0.0))
    if np.abs(K - K.T).max(initial=0.0) > tol * scale:
        return False
    values = eigh((K + K.T) / 2, eigvals_only=True)
    return bool(values[0] >= -tol * max(float(np.abs(values).max()), np.finfo(float).tiny))


def feature_map(K: Any, *, tol: float = 1e-10) -> np.ndarray:
    r"""Rows whose inner products are the kernel matrix: :math:`\Phi = V \Lambda^{1/2}` with :math:`\Phi \Phi^\top = K`.

    Book: section 6.3, theorem 6.1. Cost: :math:`O(n^3)`.

    Parameters
    ----------
    K : array-like of shape (n, n)
        The kernel matrix, positive semi-definite.
    tol : float, default=1e-10
        Eigenvalues of at most this share of the largest count as 0, and their columns are left out.

    Returns
    -------
    ndarray of shape (n, rank)
        The largest eigenvalue first.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.kernel import LinearKernel, feature_map
    >>> K = LinearKernel()([[1.0, 0.0], [1.0, 1.0], [2.0, 3.0]])
    >>> feature_map(K).shape, np.allclose(feature_map(K) @ feature_map(K).T, K)
    ((3, 2), True)
    """
    if not is_psd(K, tol=tol):
        raise ValueError("K is not symmetric and positive semi-definite: no map has these inner products.")
    K = _square(K)
    values, vectors = eigh((K + K.T) / 2)
    kept = np.flatnonzero(values > tol * max(float(values[-1]), 0.0))[::-1]
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))


def _square(K: Any) -> np.ndarray:
    K = check_array(K, dtype=np.float64, input_name="K")
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"K must be square, a row and a column for each sample; got shape {K.shape}.")
    return K
