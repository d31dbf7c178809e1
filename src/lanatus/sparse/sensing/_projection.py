"""Projection on the L1 ball."""

from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.params import check_real


@method(
    "sparse.l1-ball-projection",
    section="11.7",
    task="transform",
    kind="function",
    en="Projection on the L1 ball",
    zh="L1球投影",
)
def project_l1_ball(x: Any, radius: float = 1.0, *, simplex: bool = False) -> np.ndarray:
    r"""The nearest point of the L1 ball: :math:`\min \lVert z - x \rVert_2` with :math:`\lVert z \rVert_1 \le r`.

    It is x with a soft threshold that makes the sum right; a sort finds it. With it, problems with a bound on the L1
    norm, as SLEP has them, are solved by projected gradients.

    Book: section 11.7. Cost: :math:`O(d \log d)` a vector.

    Parameters
    ----------
    x : array of shape (..., d)
        A vector, or several, along the last axis.
    radius : float, default=1.0
        r.
    simplex : bool, default=False
        Whether to project on the simplex instead: entries of zero or more whose sum is r.

    Returns
    -------
    ndarray of the shape of x

    Examples
    --------
    >>> from lanatus.sparse import project_l1_ball
    >>> project_l1_ball([3.0, -1.0, 0.5], 2.0).tolist()
    [2.0, 0.0, 0.0]

    References
    ----------
    Duchi, Shalev-Shwartz, Singer and Chandra (2008), Efficient projections onto the L1-ball. Liu and Ye (2009),
    Efficient Euclidean projections in linear time.
    """
    radius = check_real("radius", radius, 0.0)
    values = np.asarray(x)
    values = values if values.dtype.kind == "f" else values.astype(np.float64)
    if values.ndim == 0 or values.shape[-1] == 0:
        raise ValueError(f"x has shape {values.shape}; wanted vectors along the last axis.")
    if not np.isfinite(values).all():
        raise ValueError("x holds NaN or infinity; wanted finite numbers.")
    size = values if simplex else np.abs(values)
    high = size.max(axis=-1, keepdims=True)  # taken off first, so that sums of huge numbers keep their digits
    ordered = -np.sort(-(size - high), axis=-1)
    counts = np.arange(1, size.shape[-1] + 1)
    excess = (np.cumsum(ordered, axis=-1) - radius) / counts
    last = (ordered > excess).sum(axis=-1, keepdims=True).clip(min=1) - 1
    cut = np.take_along_axis(excess, last, axis=-1) + high
    inside = np.zeros(cut.shape, dtype=bool) if simplex else size.sum(axis=-1, keepdims=True) <= radius
    shrunk = np.maximum(size - cut, 0.0)
    if simplex:
        return np.asarray(shrunk)
    return np.asarray(np.where(inside, values, np.copysign(shrunk, values)).astype(values.dtype) + 0.0)
