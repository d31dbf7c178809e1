"""Spanning trees."""

import numpy as np


def maximum_spanning_tree(weights: np.ndarray) -> list[tuple[int, int]]:
    """Edges of the spanning tree of a complete graph with the largest sum of weights, by Kruskal's algorithm.

    SciPy's trees take a weight of zero for no edge and leave ties to chance, so this is our own.
    Cost: O(d^2 log d) for d nodes.

    Parameters
    ----------
    weights : ndarray of shape (d, d)
        A weight for each pair, of which the upper triangle is read; ties go to the pair whose nodes come first.

    Returns
    -------
    list of d - 1 pairs
        The heaviest edge first, its lower node first.
    """
    d = len(weights)
    first, second = np.triu_indices(d, 1)
    order = np.argsort(-weights[first, second], kind="stable")
    home = np.arange(d)  # which part of the forest a node belongs to
    edges = []
    for i, j in zip(first[order].tolist(), second[order].tolist(), strict=True):
        if home[i] != home[j]:
            edges.append((i, j))
            home[home == home[j]] = home[i]
            if len(edges) == d - 1:
                break
    return edges


def parents_from_root(edges: list[tuple[int, int]], root: int, n_nodes: int) -> list[list[int]]:
    """The parent of each node, none for the root, once the edges of a tree point away from it."""
    near: list[list[int]] = [[] for _ in range(n_nodes)]
    for i, j in edges:
        near[i].append(j)
        near[j].append(i)
    parents: list[list[int]] = [[] for _ in range(n_nodes)]
    reached, waiting = {root}, [root]
    while waiting:
        at = waiting.pop()
        for other in near[at]:
            if other not in reached:
                parents[other] = [at]
                reached.add(other)
                waiting.append(other)
    return parents
