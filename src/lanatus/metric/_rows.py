"""Two rows of numbers, checked."""

from typing import Any

import numpy as np


def two_rows(x: Any, z: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both as finite float64 in one dimension, of one length."""
    rows = []
    for name, row in (("x", x), ("z", z)):
        values = np.asarray(row, dtype=np.float64)
        if values.ndim != 1:
            raise ValueError(f"{name} must be one row of numbers; got shape {values.shape}. See pairwise_distances.")
        if not np.isfinite(values).all():
            raise ValueError(f"{name} contains NaN or infinity; wanted finite numbers. See nan_euclidean.")
        rows.append(values)
    if len(rows[0]) != len(rows[1]):
        raise ValueError(f"x has {len(rows[0])} numbers and z has {len(rows[1])}; wanted as many.")
    return rows[0], rows[1]


def weights_like(w: Any, n: int) -> np.ndarray:
    """Weights of n attributes: finite and not negative."""
    weights = np.asarray(w, dtype=np.float64)
    if weights.shape != (n,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"w must be {n} finite numbers >= 0, one for each attribute; got {w!r}.")
    return weights
