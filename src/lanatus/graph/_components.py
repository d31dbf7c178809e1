"""Parts of a graph that no edge joins, and the shortest edges that would."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from lanatus.graph._neighbor_graphs import undirected

Closest = Callable[[np.ndarray, np.ndarray], tuple[int, int, float]]


def components_of(graph: Any) -> tuple[int, np.ndarray]:
    """How many parts a graph has, and the part of each node; stored zeros are edges."""
    graph = sp.csr_array(graph)
    pattern = sp.csr_array((np.ones(len(graph.data)), graph.indices, graph.indptr), shape=graph.shape)
    count, labels = connected_components(pattern, directed=False)
    return int(count), labels


def joined_components(graph: sp.csr_array, closest: Closest) -> tuple[sp.csr_array, int]:
    """An undirected graph in one part: the shortest edges between parts are added, as Boruvka's algorithm does.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Undirected.
    closest : callable
        Of two arrays of nodes the nearest pair, a node of each, and its distance; ties go to the lower nodes.

    Returns
    -------
    graph : csr_array
        With the edges added.
    n_added : int
        How many.
    """
    added = 0
    count, labels = components_of(graph)
    while count > 1:
        edges = {}
        for part in range(count):
            i, j, length = closest(np.flatnonzero(labels == part), np.flatnonzero(labels != part))
            edges[min(i, j), max(i, j)] = length
        before = count
        rows, columns = (np.array(ends) for ends in zip(*edges, strict=True))
        coo = sp.coo_array(graph)
        graph = undirected(
            sp.coo_array(
                (
                    np.concatenate([coo.data, list(edges.values())]),
                    (np.concatenate([coo.row, rows]), np.concatenate([coo.col, columns])),
                ),
                shape=graph.shape,
            )
        )
        added += len(edges)
        count, labels = components_of(graph)
        if count >= before:  # distances that are no numbers
            break
    return graph, added
