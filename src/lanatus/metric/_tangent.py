"""Distance up to small changes that do not matter."""

from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.metric._rows import two_rows


@method(
    "metric.tangent-distance",
    section="CB 6.3",
    task="distance",
    kind="measure",
    en="Tangent distance",
    zh="切线距离",
)
def tangent_distance(x: Any, y: Any, T: Any) -> float:
    r"""How near the tangent plane at x comes to y: :math:`\min_a \lVert x + a T - y \rVert`.

    The rows of T are directions in which x may be moved without becoming another thing, such as a digit shifted or
    turned a little. One-sided: x is moved, y stays.

    Book: cookbook section 6.3. Cost: O(t^2 d), a least-squares problem in t directions.

    Parameters
    ----------
    x : array-like of shape (n_features,)
        The row that may be moved.
    y : array-like of shape (n_features,)
        The other.
    T : array-like of shape (n_features,) or (n_tangents, n_features)
        The directions; they may depend on one another.

    Returns
    -------
    float
        The distance, at most the Euclidean one.

    Examples
    --------
    >>> from lanatus.metric import tangent_distance
    >>> tangent_distance([0, 0], [3, 4], [1, 0])
    4.0

    References
    ----------
    Simard, LeCun and Denker (1993), Efficient pattern recognition using a new transformation distance.
    """
    x, y = two_rows(x, y)
    T = np.atleast_2d(np.asarray(T, dtype=np.float64))
    if T.ndim != 2 or T.shape[1] != len(x) or not np.isfinite(T).all():
        raise ValueError(f"T must be finite directions of {len(x)} numbers, in rows; got shape {T.shape}.")
    moved, *_ = np.linalg.lstsq(T.T, y - x, rcond=None)
    return float(np.linalg.norm(x + moved @ T - y))
