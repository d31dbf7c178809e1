"""Trees of merges: which clusters AGNES puts together, and how far apart they are."""

from typing import Any

import numpy as np

from lanatus._core import cluster as kernels
from lanatus.base import n_threads
from lanatus.cluster._pairwise import EUCLIDEAN_NAMES, distance_matrix, require_memory

Tree = tuple[np.ndarray, np.ndarray]

_PLAIN = 12  # columns up to which a search tree may pay


def linkage_tree(X: np.ndarray, linkage: str, metric: Any = "euclidean") -> Tree:
    """Children (n - 1, 2) and heights (n - 1) of all merges, in the order in which they are made.

    Rows are clusters 0 to n - 1, and merge i makes cluster n + i, as in SciPy. Kernels: ``cpp/cluster/linkage.hpp``,
    ``cpp/cluster/spanning_tree.hpp``.
    """
    euclidean = metric in EUCLIDEAN_NAMES
    if linkage in ("single", "ward") and euclidean:
        rows = np.ascontiguousarray(X, dtype=np.float64)
        if linkage == "single":
            return single_tree(rows)
        return kernels.linkage_rows(rows, "ward", n_threads=n_threads())
    remedy = "linkage 'single' or 'ward', a sample of the rows, or Birch first"
    require_memory(X.shape[0], remedy)
    if linkage in ("complete", "average", "weighted") and euclidean:
        return kernels.linkage_rows(np.ascontiguousarray(X, dtype=np.float64), linkage, n_threads=n_threads())
    D = distance_matrix(X, metric)
    if linkage == "single":
        return kernels.single_matrix(D)
    if linkage == "hausdorff":
        return hausdorff_tree(D)
    if linkage not in ("centroid", "ward"):
        return kernels.linkage_matrix(D, linkage)
    children, squares = kernels.linkage_matrix(D**2, linkage)
    return children, np.sqrt(np.maximum(squares, 0.0))


def single_tree(X: np.ndarray) -> Tree:
    """Single linkage of rows by the spanning tree, memory O(n d)."""
    n, d = X.shape
    if d > _PLAIN or n < 700 * 1.7**d:
        return kernels.single_rows(X, by_tree=False, n_threads=n_threads())
    # A search tree for the nearest other component cannot tell equal rows apart: they are merged first.
    _, first, place = np.unique(X, axis=0, return_index=True, return_inverse=True)
    if len(first) == n:
        return kernels.single_rows(X, by_tree=True, n_threads=n_threads())
    order = np.argsort(first)
    rank = np.argsort(order)[place.ravel()]
    if len(first) == 1:
        children, heights = np.empty((0, 2), np.int64), np.empty(0)
    else:
        children, heights = kernels.single_rows(X[first[order]], by_tree=True, n_threads=n_threads())
    return _with_equal_rows(rank, children, heights)


def _with_equal_rows(rank: np.ndarray, children: np.ndarray, heights: np.ndarray) -> Tree:
    """A tree over distinct rows with their copies merged before, at height 0."""
    n, distinct = len(rank), len(children) + 1
    top = np.full(distinct, -1, np.int64)
    merged: list[tuple[int, int]] = []
    for row, own in enumerate(rank.tolist()):
        if top[own] >= 0:
            merged.append((min(row, int(top[own])), max(row, int(top[own]))))
            top[own] = n + len(merged) - 1
        else:
            top[own] = row
    moved = np.concatenate([top, n + len(merged) + np.arange(len(children))])[children]
    whole = np.vstack([np.array(merged, np.int64).reshape(-1, 2), np.sort(moved, axis=1)])
    return whole, np.concatenate([np.zeros(len(merged)), heights])


def hausdorff_tree(D: np.ndarray) -> Tree:
    """AGNES with the Hausdorff distance of clusters (9.44), from the distances of rows; O(n^2) a merge at worst.

    For every row x and cluster K the distance min over K is kept; h(C, K), the largest over C, follows by maxima.
    """
    n = len(D)
    to = D.copy()  # (row, cluster): distance to the nearest row of the cluster
    directed = D.copy()  # (C, K): h(C, K)
    slot = np.arange(n)  # the slot of each row's cluster
    name, alive = np.arange(n), np.ones(n, bool)
    apart = D.copy()
    np.fill_diagonal(apart, np.inf)
    children, heights = np.empty((n - 1, 2), np.int64), np.empty(n - 1)
    for m in range(n - 1):
        a, b = np.unravel_index(int(np.argmin(apart)), apart.shape)
        a, b = min(a, b), max(a, b)
        children[m] = sorted((name[a], name[b]))
        heights[m] = apart[a, b]
        slot[slot == b] = a
        alive[b] = False
        to[:, a] = np.minimum(to[:, a], to[:, b])
        directed[a] = np.maximum(directed[a], directed[b])
        directed[:, a] = -np.inf
        np.maximum.at(directed[:, a], slot, to[:, a])
        joint = np.maximum(directed[a], directed[:, a])
        joint[~alive] = np.inf
        joint[a] = np.inf
        apart[a], apart[:, a] = joint, joint
        apart[b], apart[:, b] = np.inf, np.inf
        name[a] = n + m
    return children, heights
