"""A k-d tree in plain arrays, for densities that look at the rows near a query."""

from typing import Any, NamedTuple

import numpy as np

from lanatus._core import density as kernels
from lanatus.base import n_threads

METRICS = {
    "euclidean": "euclidean",
    "l2": "euclidean",
    "manhattan": "manhattan",
    "cityblock": "manhattan",
    "l1": "manhattan",
    "chebyshev": "chebyshev",
    "infinity": "chebyshev",
}


class SpaceTree(NamedTuple):
    """Rows in the order of the leaves, their weights (None for one each), and a record for each node."""

    rows: np.ndarray
    weight: np.ndarray | None
    nodes: np.ndarray

    def log_kernel_sums(
        self,
        queries: np.ndarray,
        *,
        kernel: str,
        metric: str,
        h: float,
        rtol: float,
        atol: float = 0.0,
        exclude_self: bool = False,
    ) -> np.ndarray:
        """Logarithm of the weighted sum of kernels at each query; `exclude_self` leaves out rows at distance 0."""
        block = 128 if len(queries) >= 4096 else 32
        how = {"kernel": kernel, "metric": metric, "h": h, "rtol": rtol, "atol": atol, "exclude_self": exclude_self}
        return np.asarray(
            kernels.log_kernel_sums(_doubles(queries), *self, **how, block_size=block, n_threads=n_threads())
        )

    def radii(self, queries: np.ndarray, *, metric: str, k: float) -> np.ndarray:
        """How far from each query the rows reach that together weigh k."""
        return np.asarray(
            kernels.neighbor_radii(_doubles(queries), *self, metric=metric, k=float(k), n_threads=n_threads())
        )


def grow_tree(X: np.ndarray, weight: np.ndarray | None, leaf_size: int) -> SpaceTree:
    """The tree over the rows of X that have a weight above zero."""
    if weight is not None:
        kept = weight > 0
        X, weight = X[kept], weight[kept]
    order, nodes = kernels.space_tree(_doubles(X), weight, leaf_size=leaf_size, n_threads=n_threads())
    return SpaceTree(_doubles(X)[order], None if weight is None else weight[order], nodes)


def metric_of(name: str, params: dict[str, Any] | None) -> str:
    """The metric that the kernels know, of the many names it has."""
    given = dict(params or {})
    if name in ("minkowski", "p"):
        p = float(given.pop("p", 2))
        if p not in (1.0, 2.0, np.inf):
            raise ValueError(f"metric_params: p must be 1, 2 or infinity; got {p:g}.")
        name = {1.0: "manhattan", 2.0: "euclidean"}.get(p, "chebyshev")
    if given:
        raise ValueError(f"metric_params: metric {name!r} has no parameter {', '.join(map(repr, given))}.")
    return METRICS[name]


def _doubles(X: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(X, dtype=np.float64)
