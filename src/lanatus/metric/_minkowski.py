"""Minkowski's distances (9.18)."""

from typing import Any, NamedTuple

import numpy as np


class Minkowski(NamedTuple):
    r"""The distance :math:`(\sum_j |x_j - y_j|^p)^{1/p}`; its order p is 1 or more, and infinity is the largest gap."""

    p: float = 2.0


EUCLIDEAN = Minkowski(2.0)

# What users call them, as in scikit-learn.
MINKOWSKI_NAMES = {
    "euclidean": EUCLIDEAN,
    "l2": EUCLIDEAN,
    "manhattan": Minkowski(1.0),
    "cityblock": Minkowski(1.0),
    "l1": Minkowski(1.0),
    "chebyshev": Minkowski(np.inf),
    "infinity": Minkowski(np.inf),
}


def minkowski_named(name: str, params: dict[str, Any] | None = None) -> Minkowski:
    """The distance that a name means; "minkowski" and "p" take their order from `params`."""
    given = dict(params or {})
    metric = Minkowski(float(given.pop("p", 2))) if name in ("minkowski", "p") else MINKOWSKI_NAMES[name]
    if given:
        raise ValueError(f"metric_params: metric {name!r} has no parameter {', '.join(map(repr, given))}.")
    return metric
