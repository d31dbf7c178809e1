"""From distances to similarities, and back."""

from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.params import check_choice, check_real

_KINDS = ("reciprocal", "exponential", "gaussian", "linear")


@method(
    "metric.similarity-nonmetric",
    section="9.3",
    task="distance",
    kind="function",
    en="Similarity of a distance",
    zh="相似度度量",
)
def distance_to_similarity(d: Any, kind: str = "reciprocal", *, scale: float | None = None) -> np.ndarray:
    r"""Similarities from distances: 1 at distance 0, less the farther.

    With s the scale: :math:`\frac{1}{1 + d/s}` (reciprocal), :math:`e^{-d/s}` (exponential),
    :math:`e^{-(d/s)^2/2}` (gaussian), :math:`1 - d/s` (linear). A similarity need not come from a metric: a distance
    made from what people call alike may break the triangle inequality (the man, horse and centaur of figure 9.1).

    Book: section 9.3. Cost: O(n).

    Parameters
    ----------
    d : array-like
        Distances, 0 or more; infinity is no similarity at all.
    kind : {"reciprocal", "exponential", "gaussian", "linear"}, default="reciprocal"
        The function.
    scale : float, default=None
        The distance that counts as one; None is 1, and the largest finite distance for "linear".

    Returns
    -------
    ndarray
        Similarities from 0 to 1, in the shape of `d`.

    Examples
    --------
    >>> from lanatus.metric import distance_to_similarity
    >>> distance_to_similarity([0, 1, 3]).tolist()
    [1.0, 0.5, 0.25]
    >>> distance_to_similarity([0, 1, 4], "linear").tolist()
    [1.0, 0.75, 0.0]
    """
    check_choice("kind", kind, _KINDS)
    d = np.asarray(d, dtype=np.float64)
    if np.isnan(d).any() or (d < 0).any():
        raise ValueError("d must be distances >= 0; got negative ones or NaN.")
    if scale is None:
        finite = d[np.isfinite(d)]
        scale = float(finite.max(initial=0.0)) or 1.0 if kind == "linear" else 1.0
    units = d / check_real("scale", scale, 0, above=True)
    if kind == "reciprocal":
        return np.asarray(1 / (1 + units))
    if kind == "linear":
        return np.asarray(np.maximum(1 - units, 0))
    return np.asarray(np.exp(-units if kind == "exponential" else -(units**2) / 2))
