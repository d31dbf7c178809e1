"""The distance of a metric matrix."""

from typing import Any

import numpy as np
from scipy.linalg import eigh

from lanatus.catalog import method
from lanatus.metric._rows import two_rows


@method(
    "metric.mahalanobis",
    section="10.6",
    task="distance",
    kind="measure",
    en="Mahalanobis distance",
    zh="马氏距离",
    peers=["scipy:mahalanobis"],
)
def mahalanobis(x: Any, z: Any, M: Any, *, squared: bool = False) -> float:
    r"""The distance :math:`\sqrt{(x - z)^\top M (x - z)}` of two rows in the metric matrix M.

    With M the inverse of a covariance matrix this is Mahalanobis' distance, Euclid's after whitening; with a learned
    positive semi-definite M it is that of metric learning.

    Book: section 10.6, equation (10.34); cookbook section 6.3, which prints the squared distance. Cost: O(d^2).

    Parameters
    ----------
    x : array-like of shape (n_features,)
        One row.
    z : array-like of shape (n_features,)
        The other.
    M : array-like of shape (n_features, n_features)
        The metric matrix: symmetric and positive semi-definite.
    squared : bool, default=False
        Whether the square is wanted.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> from lanatus.metric import mahalanobis
    >>> mahalanobis([0, 0], [3, 2], [[1, 0], [0, 4]])
    5.0
    """
    x, z = two_rows(x, z)
    gap = (x - z) @ metric_root(M, len(x))
    return float(gap @ gap if squared else np.sqrt(gap @ gap))


def metric_root(M: Any, d: int) -> np.ndarray:
    """L with M = L L': rows times L are points whose Euclidean distance is that of M."""
    M = np.asarray(M, dtype=np.float64)
    if M.shape != (d, d) or not np.isfinite(M).all():
        raise ValueError(f"a metric matrix of {d} columns must be finite numbers of shape {(d, d)}; got {M.shape}.")
    size = float(np.abs(M).max(initial=0.0))
    if size == 0:
        return np.zeros((d, d))
    if np.abs(M - M.T).max() > 1e-8 * size:
        raise ValueError("the metric matrix is not symmetric; wanted M = M'.")
    values, vectors = eigh((M + M.T) / 2)
    if values[0] < -1e-8 * size:
        raise ValueError(f"the metric matrix has the eigenvalue {values[0]:.3g}; wanted none below 0.")
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))
