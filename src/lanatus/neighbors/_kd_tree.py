"""A k-d tree in plain arrays."""

from typing import NamedTuple

import numpy as np

from lanatus._core import neighbors as kernels
from lanatus.base import n_threads
from lanatus.metric import EUCLIDEAN, Minkowski


class WeightedTree(NamedTuple):
    """Rows in the order of the leaves, their weights (None for one each), and a record for each node.

    Being arrays and nothing else, a tree can be part of a fitted model. Kernel: ``cpp/neighbors/kd_tree.hpp``.
    """

    rows: np.ndarray
    weight: np.ndarray | None
    nodes: np.ndarray

    @property
    def mass(self) -> float:
        """Weight of all rows."""
        return float(len(self.rows) if self.weight is None else self.weight.sum())

    def radii(self, queries: np.ndarray, k: float, metric: Minkowski = EUCLIDEAN) -> np.ndarray:
        """How far from each query the rows reach that together weigh k."""
        queries = np.ascontiguousarray(queries, dtype=np.float64)
        return np.asarray(kernels.neighbor_radii(queries, *self, p=metric.p, k=float(k), n_threads=n_threads()))


def grow_tree(X: np.ndarray, weight: np.ndarray | None, leaf_size: int) -> WeightedTree:
    """The tree over the rows of X that have a weight above zero, with at most `leaf_size` of them in a leaf."""
    if weight is not None:
        kept = weight > 0
        X, weight = X[kept], weight[kept]
    rows = np.ascontiguousarray(X, dtype=np.float64)
    order, nodes = kernels.kd_tree(rows, weight, leaf_size=leaf_size, n_threads=n_threads())
    return WeightedTree(rows[order], None if weight is None else weight[order], nodes)
