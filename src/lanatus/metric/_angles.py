"""Distances by inner products: of directions, and of great circles."""

from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.metric._rows import two_rows


@method(
    "metric.inner-product-distance",
    section="9.7",
    task="distance",
    kind="measure",
    en="Inner-product distance",
    zh="内积距离",
)
def inner_product_distance(x: Any, z: Any) -> float:
    r"""The inner-product distance :math:`1 - x^\top z` of two rows.

    For rows of length 1 it is the cosine distance. Otherwise it is no metric: it may be negative, and a row need not be
    nearest to itself; a search for the largest inner product is a search for the least distance.

    Book: section 9.7. Cost: O(d).

    Parameters
    ----------
    x : array-like of shape (n_features,)
        One row.
    z : array-like of shape (n_features,)
        The other.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> from lanatus.metric import inner_product_distance
    >>> inner_product_distance([1, 2], [3, 0.5])
    -3.0
    """
    x, z = two_rows(x, z)
    return float(1 - x @ z)


@method(
    "metric.cosine-distance",
    section="9.7",
    task="distance",
    kind="measure",
    en="Cosine distance",
    zh="余弦距离",
    peers=["scipy:cosine"],
)
def cosine(x: Any, z: Any) -> float:
    r"""The cosine distance :math:`1 - \frac{x^\top z}{\lVert x \rVert \lVert z \rVert}` of two rows, from 0 to 2.

    Computed as half the squared distance of the directions, so that rows of one direction are at 0 to the last digit.
    A row of zeros has no direction: it is at 1 from all others, and at 0 from another row of zeros.

    Book: section 9.7. Cost: O(d).

    Parameters
    ----------
    x : array-like of shape (n_features,)
        One row.
    z : array-like of shape (n_features,)
        The other.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> from lanatus.metric import cosine
    >>> cosine([1, 0], [0, 2]), cosine([1, 1], [2, 2]), cosine([1, 0], [-3, 0])
    (1.0, 0.0, 2.0)
    """
    gap = directions(np.stack(two_rows(x, z)))
    return float(((gap[0] - gap[1]) ** 2).sum() / 2)


def directions(X: np.ndarray) -> np.ndarray:
    """Rows divided by their lengths, and one column more, in which the rows of zeros lie at 1.

    Half the squared Euclidean distance of two of them is the cosine distance.
    """
    largest = np.abs(X).max(axis=1, keepdims=True, initial=0.0)
    zero = largest == 0
    scaled = X / np.where(zero, 1, largest)
    lengths = np.sqrt((scaled**2).sum(axis=1, keepdims=True, dtype=np.float64))
    units = scaled / np.where(zero, 1, lengths)
    return np.hstack([units, zero]).astype(X.dtype)


def on_the_sphere(X: np.ndarray) -> np.ndarray:
    """Points of the unit sphere at latitudes and longitudes, the two columns of X, in radians."""
    if X.shape[1] != 2:
        raise ValueError(f"the haversine distance wants 2 columns, latitude and longitude; got {X.shape[1]}.")
    latitude, longitude = X.T.astype(np.float64)
    return np.column_stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    )


def haversine(x: Any, z: Any) -> float:
    r"""The distance along a great circle of the unit sphere between two places (latitude, longitude) in radians.

    :math:`2 \arcsin\sqrt{\sin^2\frac{x_1 - z_1}{2} + \cos x_1 \cos z_1 \sin^2\frac{x_2 - z_2}{2}}`; times 6371 for
    kilometres on the earth.

    Parameters
    ----------
    x : array-like of shape (2,)
        One place.
    z : array-like of shape (2,)
        The other.

    Returns
    -------
    float
        The distance, from 0 to pi.

    Examples
    --------
    >>> from lanatus.metric import haversine
    >>> round(haversine([0, 0], [0, 3.141592653589793 / 2]), 6)
    1.570796
    """
    x, z = two_rows(x, z)
    if len(x) != 2:
        raise ValueError(f"the haversine distance wants 2 numbers, latitude and longitude; got {len(x)}.")
    root = np.sin((x[0] - z[0]) / 2) ** 2 + np.cos(x[0]) * np.cos(z[0]) * np.sin((x[1] - z[1]) / 2) ** 2
    return float(2 * np.arcsin(np.sqrt(min(max(root, 0.0), 1.0))))
