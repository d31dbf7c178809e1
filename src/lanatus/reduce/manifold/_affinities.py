"""Distances to the nearest rows, and graphs made of them, for embeddings that know their neighbours only."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.neighbors import NearestNeighbors


def neighbour_distances(
    X: Any, k: int, metric: Any, metric_params: dict[str, Any] | None, n_jobs: int | None
) -> tuple[NearestNeighbors, np.ndarray, np.ndarray]:
    """Rows ready to be searched; distances of each to the k nearest others, the nearest first, and which they are."""
    if metric == "precomputed" and not (X.data if sp.issparse(X) else X).min(initial=0.0) >= 0:
        raise ValueError("precomputed distances must be 0 or more; got some below 0.")
    search = NearestNeighbors(n_neighbors=k, metric=metric, metric_params=metric_params, n_jobs=n_jobs).fit(X)
    away, near = search.kneighbors()
    return search, np.ascontiguousarray(away, dtype=np.float64), near


def new_distances(search: NearestNeighbors, X: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Distances of new rows to the k nearest of those that are searched, and which they are."""
    away, near = search.kneighbors(X, n_neighbors=k)
    return np.ascontiguousarray(away, dtype=np.float64), near


def as_edges(weights: np.ndarray, near: np.ndarray, n: int, dtype: Any = np.float64) -> sp.csr_array:
    """A graph of k edges a row to n nodes, as CSR with int32 indices."""
    m, k = near.shape
    starts = np.arange(0, m * k + 1, k, dtype=np.int64 if m * k >= 2**31 else np.int32)
    graph = sp.csr_array((weights.astype(dtype).ravel(), near.astype(np.int32).ravel(), starts), shape=(m, n))
    graph.sort_indices()
    return graph


def known(Y: np.ndarray, points: np.ndarray, away: np.ndarray, near: np.ndarray) -> np.ndarray:
    """New points; a row that was learned from has the point that it got, whatever its neighbours say."""
    return np.where(away[:, :1] == 0, points[near[:, 0]], Y)
