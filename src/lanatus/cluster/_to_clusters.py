"""Distances from rows to whole clusters, without a matrix of all pairs."""

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

from lanatus._core import cluster as kernels
from lanatus.base import n_threads
from lanatus.metric import blocks

Over = Literal["sum", "largest", "smallest"]
_JOIN = {"sum": np.add, "largest": np.maximum, "smallest": np.minimum}


def to_clusters(
    X: Any, points: Any, codes: np.ndarray, k: int, over: Over, *, metric: Any = "euclidean", **params: Any
) -> np.ndarray:
    """For each row and each cluster of points the sum, the largest or the smallest of the distances, (n, k).

    Memory is O(n k) and a block of distances. With ``metric="precomputed"`` X holds the distances to the points.
    Kernel: ``cpp/cluster/to_clusters.hpp``. Every cluster must have a point.
    """
    order = np.argsort(codes, kind="stable")
    if metric in ("euclidean", "l2") and not (sp.issparse(X) or sp.issparse(points) or params):
        rows, ends = (np.ascontiguousarray(part, dtype=np.float64) for part in (X, points[order]))
        own = np.ascontiguousarray(codes[order], dtype=np.int32)
        found = np.asarray(kernels.to_clusters(rows, ends, own, k, over, n_threads=n_threads()))
        return found if over == "sum" else np.sqrt(found, out=found)
    starts = np.searchsorted(codes[order], np.arange(k))
    others = None if metric == "precomputed" else points[order]
    found = np.empty((X.shape[0], k))
    for part in blocks(X.shape[0], len(codes)):
        if others is None:
            distances = X[part][:, order]
        else:
            distances = pairwise_distances(X[part], others, metric=metric, **params)
        found[part] = _JOIN[over].reduceat(distances, starts, axis=1)
    if not np.isfinite(found).all():
        raise ValueError(f"metric {metric!r} gives distances that are NaN or infinite; wanted finite numbers.")
    return found
