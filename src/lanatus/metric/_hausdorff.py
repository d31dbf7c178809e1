"""The distance of two sets of points."""

from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.metric._blocks import blocks
from lanatus.metric._pairwise import pairwise_distances


@method(
    "metric.hausdorff",
    section="9.6",
    task="distance",
    kind="measure",
    en="Hausdorff distance between sets",
    zh="豪斯多夫距离",
    peers=["scipy:directed_hausdorff"],
)
def hausdorff(X: Any, Z: Any, *, directed: bool = False, metric: Any = "euclidean") -> float:
    r"""Hausdorff's distance of two sets: how far a point of one may be from the other set.

    :math:`\max(h(X, Z), h(Z, X))` with :math:`h(X, Z) = \max_{x \in X} \min_{z \in Z} \lVert x - z \rVert`.

    Book: section 9.6, equations (9.44) and (9.45); exercise 9.2, a metric on finite sets.
    Cost: O(n m d) time, blocks of memory.

    Parameters
    ----------
    X : array-like of shape (n, d)
        One set, not empty.
    Z : array-like of shape (m, d)
        The other.
    directed : bool, default=False
        Whether h(X, Z) alone is wanted, which is not symmetric.
    metric : str or callable, default="euclidean"
        Distance of points, as in `pairwise_distances`.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> from lanatus.metric import hausdorff
    >>> hausdorff([[0, 0], [1, 0]], [[0, 0], [5, 0]]), hausdorff([[0, 0], [1, 0]], [[0, 0], [5, 0]], directed=True)
    (4.0, 1.0)
    """
    X, Z = (np.asarray(part, dtype=np.float64) for part in (X, Z))
    for name, part in (("X", X), ("Z", Z)):
        if part.ndim != 2 or not len(part):
            raise ValueError(f"{name} must be a set of at least one point, in rows; got shape {part.shape}.")
    nearest_z, nearest_x = np.empty(len(X)), np.full(len(Z), np.inf)
    for part in blocks(len(X), len(Z)):
        distances = pairwise_distances(X[part], Z, metric)
        nearest_z[part] = distances.min(axis=1)
        nearest_x = np.minimum(nearest_x, distances.min(axis=0))
    return float(nearest_z.max() if directed else max(nearest_z.max(), nearest_x.max()))
