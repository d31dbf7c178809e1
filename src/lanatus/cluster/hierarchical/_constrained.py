"""Merges of neighbours only: trees under a connectivity constraint."""

import heapq
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import pairwise_distances

from lanatus.cluster.hierarchical._merges import Tree

_JOIN: dict[str, Callable[[float, float, float, float], float]] = {
    "single": lambda one, other, a, b: min(one, other),
    "complete": lambda one, other, a, b: max(one, other),
    "average": lambda one, other, a, b: (a * one + b * other) / (a + b),
    "weighted": lambda one, other, a, b: (one + other) / 2,
}


def connected(X: np.ndarray, connectivity: Any, metric: Any) -> tuple[sp.csr_matrix, int]:
    """The graph of neighbours, symmetric and in one piece, and in how many pieces it was.

    Pieces are joined by the edge of their nearest rows, with a warning, as scikit-learn does.
    """
    graph = sp.csr_matrix(connectivity(X) if callable(connectivity) else connectivity)
    if graph.shape != (X.shape[0], X.shape[0]):
        raise ValueError(f"got connectivity of shape {graph.shape}, wanted {(X.shape[0], X.shape[0])}: rows by rows.")
    graph = (graph + graph.T).astype(bool).tolil()
    graph.setdiag(False)
    count, piece = connected_components(graph.tocsr(), directed=False)
    if count > 1:
        warnings.warn(
            f"the number of connected components of the connectivity matrix is {count} > 1. Completing it to avoid "
            "stopping the tree early.",
            UserWarning,
            stacklevel=4,
        )
        for i in range(count):
            rows = np.flatnonzero(piece == i)
            for j in range(i):
                others = np.flatnonzero(piece == j)
                apart = _distances(X, rows, others, metric)
                a, b = np.unravel_index(int(np.argmin(apart)), apart.shape)
                graph[rows[a], others[b]] = graph[others[b], rows[a]] = True
    return graph.tocsr(), int(count)


def constrained_tree(X: np.ndarray, graph: sp.csr_matrix, linkage: str, metric: Any) -> Tree:
    """AGNES that merges clusters only where an edge joins them.

    Ward's and centroid linkage know the means of clusters; for the others only the distances along edges are known, and
    joined as scikit-learn joins them. Heap of edges: O(edges log edges).
    """
    n = X.shape[0]
    by_means = linkage in ("ward", "centroid")
    means: list[Any] = [np.asarray(row, dtype=np.float64) for row in X] if by_means else []
    size = [1.0] * n + [0.0] * (n - 1)

    def apart(i: int, j: int) -> float:
        square = float(((means[i] - means[j]) ** 2).sum())
        scale = 2 * size[i] * size[j] / (size[i] + size[j]) if linkage == "ward" else 1.0
        return float(np.sqrt(scale * square))

    edges: list[dict[int, float]] = [{} for _ in range(2 * n - 1)]
    upper = sp.triu(graph, k=1).tocoo()
    lengths = _along(X, upper.row, upper.col, metric)
    heap = []
    for i, j, length in zip(upper.row.tolist(), upper.col.tolist(), lengths.tolist(), strict=True):
        edges[i][j] = edges[j][i] = length
        heap.append((length, i, j))
    heapq.heapify(heap)
    children, heights = np.empty((n - 1, 2), np.int64), np.empty(n - 1)
    alive = [True] * n + [False] * (n - 1)
    for made in range(n, 2 * n - 1):
        height, i, j = heapq.heappop(heap)
        while not (alive[i] and alive[j]):
            height, i, j = heapq.heappop(heap)
        children[made - n], heights[made - n] = sorted((i, j)), height
        alive[i] = alive[j] = False
        alive[made], size[made] = True, size[i] + size[j]
        if by_means:
            means.append((size[i] * means[i] + size[j] * means[j]) / size[made])
        for other in sorted((edges[i].keys() | edges[j].keys()) - {i, j}):
            one, two = edges[i].get(other), edges[j].get(other)
            if by_means:
                length = apart(made, other)
            elif one is None or two is None:
                length = one if one is not None else two
            else:
                length = _JOIN[linkage](one, two, size[i], size[j])
            edges[made][other] = edges[other][made] = length
            edges[other].pop(i, None), edges[other].pop(j, None)
            heapq.heappush(heap, (length, other, made))
        edges[i], edges[j] = {}, {}
    return children, heights


def _distances(X: np.ndarray, rows: np.ndarray, others: np.ndarray, metric: Any) -> np.ndarray:
    if metric == "precomputed":
        return np.asarray(X[np.ix_(rows, others)])
    return np.asarray(pairwise_distances(X[rows], X[others], metric=metric))


def _along(X: np.ndarray, rows: np.ndarray, columns: np.ndarray, metric: Any) -> np.ndarray:
    """Distances along edges."""
    if metric == "precomputed":
        found = np.asarray(X[rows, columns], dtype=np.float64)
    elif metric in ("euclidean", "l2"):
        found = np.sqrt(((X[rows] - X[columns]).astype(np.float64) ** 2).sum(axis=1))
    else:
        pairs = zip(rows.tolist(), columns.tolist(), strict=True)
        found = np.array([pairwise_distances(X[[i]], X[[j]], metric=metric)[0, 0] for i, j in pairs], dtype=np.float64)
    if not np.isfinite(found).all():
        raise ValueError(f"metric {metric!r} gives distances that are NaN or infinite; wanted finite numbers.")
    return found
