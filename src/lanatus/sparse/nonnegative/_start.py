"""Where non-negative factors begin."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from sklearn.utils.extmath import randomized_svd

_FEW = 1000  # columns whose products with each other are soon decomposed
STARTS = ("random", "nndsvd", "nndsvda", "nndsvdar")


def first_factors(X: Any, k: int, init: str | None, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """W and H by name: drawn at random, or from the singular vectors of X, of each the sign that says more.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        What is to be approximated.
    k : int
        Number of components.
    init : str or None
        One of `STARTS`; None is "nndsvda" where k is small enough for it, otherwise "random".
    rng : RandomState
        Draws.
    """
    n, d = X.shape
    if init is None:
        init = "nndsvda" if k <= min(n, d) else "random"
    if init != "random" and k > min(n, d):
        raise ValueError(f"init={init!r} can only be used when n_components <= min(n_samples, n_features); got {k}.")
    mean = float(X.mean())
    if init == "random":
        scale = np.sqrt(mean / k)
        H = scale * rng.standard_normal(size=(k, d))
        W = scale * rng.standard_normal(size=(n, k))
        return np.abs(W), np.abs(H)
    W, H = _by_singular_vectors(X, k, rng)
    if init == "nndsvda":
        W[W == 0], H[H == 0] = mean, mean
    elif init == "nndsvdar":
        W[W == 0] = np.abs(mean * rng.standard_normal(size=int((W == 0).sum())) / 100)
        H[H == 0] = np.abs(mean * rng.standard_normal(size=int((H == 0).sum())) / 100)
    return W, H


def _by_singular_vectors(X: Any, k: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Boutsidis and Gallopoulos (2008)."""
    U, size, V = _leading(X, k, rng)
    W, H = np.zeros(U.shape), np.zeros(V.shape)
    W[:, 0], H[0] = np.sqrt(size[0]) * np.abs(U[:, 0]), np.sqrt(size[0]) * np.abs(V[0])
    for j in range(1, k):
        u, v = U[:, j], V[j]
        above, below = (np.maximum(u, 0), np.maximum(v, 0)), (np.maximum(-u, 0), np.maximum(-v, 0))
        u, v = max(above, below, key=lambda pair: np.linalg.norm(pair[0]) * np.linalg.norm(pair[1]))
        lengths = np.linalg.norm(u) * np.linalg.norm(v)
        if lengths == 0:
            continue
        W[:, j] = np.sqrt(size[j] * lengths) * u / np.linalg.norm(u)
        H[j] = np.sqrt(size[j] * lengths) * v / np.linalg.norm(v)
    W[W < 1e-6], H[H < 1e-6] = 0, 0
    return W, H


def _leading(X: Any, k: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The k leading singular values and vectors: of few columns by their products, in one look at the rows."""
    n, d = X.shape
    if not sp.issparse(X) and 2 * k <= d <= min(n, _FEW):
        squares, axes = eigh(X.T @ X, subset_by_index=[d - k, d - 1], check_finite=False)
        size = np.sqrt(np.maximum(squares[::-1], 0.0))
        if len(size) == k and size[-1] > 1e-6 * size[0]:  # products lose half of the digits
            V = np.ascontiguousarray(axes[:, ::-1].T)
            return X @ V.T / size, size, V
    return tuple(randomized_svd(X, k, random_state=rng))
