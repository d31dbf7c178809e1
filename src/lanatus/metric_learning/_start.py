"""Where a learned map begins."""

from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from lanatus.params import Array, Choice

STARTS = ("auto", "pca", "lda", "identity", "random")
START_RULE = Choice(*STARTS) | Array(ndim=2)


def first_map(X: np.ndarray, codes: np.ndarray, k: int, init: Any, rng: np.random.RandomState) -> np.ndarray:
    """A map of d columns to k by name, or the one given.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows.
    codes : ndarray of shape (n,)
        Their classes.
    k : int
        Rows of the map.
    init : str or array
        One of `STARTS`, or the map itself. "auto" is "lda" for fewer rows than classes, then "pca" if k is less than d,
        otherwise "identity".
    rng : RandomState
        Draws.
    """
    n, d = X.shape
    if not isinstance(init, str):
        A = np.array(init, dtype=np.float64, order="C")
        if A.shape != (k, d):
            raise ValueError(f"init has shape {A.shape}; wanted {(k, d)}: a row for each component.")
        return A
    classes = int(codes.max()) + 1
    if init == "auto":
        init = "lda" if k <= min(d, classes - 1) else "pca" if k < min(d, n) else "identity"
    if init == "identity":
        return np.eye(k, d)
    if init == "random":
        return np.asarray(rng.standard_normal(size=(k, d)))
    if init == "pca":
        if k > min(n, d):
            raise ValueError(f"init='pca' has no more than min(n, d)={min(n, d)} axes; got n_components={k}.")
        return np.array(PCA(k, random_state=rng).fit(X).components_, dtype=np.float64, order="C")
    if k > min(d, classes - 1):
        return np.vstack([_discriminants(X, codes), np.eye(k, d)])[:k]
    return _discriminants(X, codes)[:k]


def _discriminants(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(LinearDiscriminantAnalysis(solver="svd").fit(X, codes).scalings_.T, dtype=np.float64)
