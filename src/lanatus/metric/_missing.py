"""Distances of rows with holes."""

import numpy as np
from sklearn.metrics.pairwise import nan_euclidean_distances


def nan_euclidean(X: np.ndarray, points: np.ndarray, owner: np.ndarray) -> np.ndarray:
    r"""Euclidean distances over the attributes that both rows have, scaled up for those that one lacks.

    :math:`\sqrt{\frac{a}{|A|} \sum_{j \in A} (x_j - p_j)^2}` with A the attributes present in both, of a in all; NaN
    where there is none. Cost: three matrix products; memory :math:`O(nm)`.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Rows; an attribute that is missing is NaN in all its coordinates.
    points : ndarray of shape (m, d)
        The points.
    owner : ndarray of shape (d,)
        The attribute that each coordinate belongs to; those of one attribute stand together.

    Returns
    -------
    ndarray of shape (n, m)
    """
    first = np.flatnonzero(np.diff(owner, prepend=-1))  # one coordinate stands for the presence of its attribute
    here, there = ~np.isnan(X), ~np.isnan(points)
    coordinates = here.astype(float) @ there.T.astype(float)
    attributes = here[:, first].astype(float) @ there[:, first].T.astype(float)
    scaled = nan_euclidean_distances(X, points, squared=True)  # scaled up by coordinates, not attributes
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.sqrt(scaled * coordinates / X.shape[1] * len(first) / attributes))
