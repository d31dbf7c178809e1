"""Partitions of a tree of merges."""

from typing import Any

import numpy as np

from lanatus.base import check_is_fitted
from lanatus.catalog import method


@method(
    section="9.6",
    task="clustering",
    en="Cut of a dendrogram",
    zh="树状图的切割",
    peers=["scipy:cut_tree"],
)
def cut_tree(model: Any, height: float | None = None, *, n_clusters: int | None = None) -> np.ndarray:
    """The clusters of a tree of merges below a height, or a number of them.

    Clusters are numbered by their first row. Book: section 9.6, figures 9.12 and 9.13. Cost: O(n log n).

    Parameters
    ----------
    model : fitted AgglomerativeClustering or DIANA
        What has ``children_`` and ``distances_`` of a whole tree.
    height : float or None, default=None
        Merges at this distance or above are not made.
    n_clusters : int or None, default=None
        As many clusters; one of the two is to be given.

    Returns
    -------
    ndarray of shape (n_samples,), int64
        The cluster of each row.

    Examples
    --------
    >>> from lanatus.cluster import AgglomerativeClustering, cut_tree
    >>> model = AgglomerativeClustering(linkage="single").fit([[0.0], [1.0], [5.0], [5.5], [20.0]])
    >>> cut_tree(model, 2.0).tolist(), cut_tree(model, n_clusters=2).tolist()
    ([0, 0, 1, 1, 2], [0, 0, 0, 0, 1])
    """
    check_is_fitted(model, ["children_", "distances_"])
    n = len(model.children_) + 1
    if (height is None) == (n_clusters is None):
        raise ValueError("give either height or n_clusters, and not both.")
    if n_clusters is None:
        assert height is not None
        return labels_below(model.children_, model.distances_, float(height))
    if not 1 <= n_clusters <= n:
        raise ValueError(f"got n_clusters={n_clusters}, wanted 1 to {n}, the number of rows.")
    return labels_after(model.children_, n - n_clusters)


def labels_after(children: np.ndarray, n_merges: int) -> np.ndarray:
    """The clusters after the first merges of a tree, numbered by their first rows."""
    kept = np.arange(len(children)) < n_merges
    return _labels(children, kept)


def labels_below(children: np.ndarray, heights: np.ndarray, height: float) -> np.ndarray:
    """The clusters of the merges below a height, with all that they contain."""
    n = len(children) + 1
    highest = np.concatenate([np.full(n, -np.inf), heights])
    if len(heights) and (np.diff(heights) < 0).any():  # a merge may lie below what it contains
        for m, (a, b) in enumerate(children.tolist()):
            highest[n + m] = max(highest[n + m], highest[a], highest[b])
    return _labels(children, highest[n:] < height)


def _labels(children: np.ndarray, kept: np.ndarray) -> np.ndarray:
    n = len(children) + 1
    above = np.arange(2 * n - 1)
    merges = np.flatnonzero(kept)
    above[children[merges].ravel()] = np.repeat(n + merges, 2)
    while not np.array_equal(above, further := above[above]):
        above = further
    return by_first_row(above[:n])


def by_first_row(labels: np.ndarray) -> np.ndarray:
    """Labels numbered from 0 in the order in which the rows bring them."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return np.asarray(place[codes])
