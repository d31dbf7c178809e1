"""Sums of kernels over the rows of a tree."""

from typing import Any

import numpy as np

from lanatus._core import density as kernels
from lanatus.base import n_threads
from lanatus.metric import minkowski_named
from lanatus.neighbors import WeightedTree

_METRICS = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}


def log_kernel_sums(
    tree: WeightedTree,
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
    queries = np.ascontiguousarray(queries, dtype=np.float64)
    return np.asarray(kernels.log_kernel_sums(queries, *tree, **how, block_size=block, n_threads=n_threads()))


def metric_of(name: str, params: dict[str, Any] | None) -> str:
    """The distance that the kernels know, of the many names it has."""
    p = minkowski_named(name, params).p
    if p not in _METRICS:
        raise ValueError(f"metric_params: p must be 1, 2 or infinity; got {p:g}.")
    return _METRICS[p]
