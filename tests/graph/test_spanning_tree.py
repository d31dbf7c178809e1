"""Spanning trees against all trees there are."""

from itertools import combinations

import numpy as np
import pytest

from lanatus.graph import maximum_spanning_tree, parents_from_root


@pytest.mark.covers("bayes.tan")
def test_no_other_tree_is_heavier():
    rng = np.random.RandomState(0)
    for _ in range(20):
        weights = np.triu(rng.rand(5, 5), 1)
        weights += weights.T
        best = 0.0
        for edges in combinations(list(combinations(range(5), 2)), 4):
            reached, grown = {0}, True
            while grown:
                grown = False
                for i, j in edges:
                    if (i in reached) != (j in reached):
                        reached |= {i, j}
                        grown = True
            if len(reached) == 5:
                best = max(best, sum(weights[i, j] for i, j in edges))
        assert sum(weights[i, j] for i, j in maximum_spanning_tree(weights)) == pytest.approx(best)
    assert maximum_spanning_tree(np.ones((4, 4))) == [(0, 1), (0, 2), (0, 3)]  # ties: the first columns


def test_the_heaviest_edge_comes_first_and_zero_is_a_weight():
    weights = np.array([[9.0, 1.0, 0.0], [1.0, 9.0, -2.0], [0.0, -2.0, 9.0]])
    assert maximum_spanning_tree(weights) == [(0, 1), (0, 2)]
    assert maximum_spanning_tree(np.zeros((1, 1))) == []


def test_agrees_with_scipy():
    from scipy.sparse.csgraph import minimum_spanning_tree

    weights = np.random.RandomState(0).rand(40, 40) + 1
    weights += weights.T
    peer = minimum_spanning_tree(10 - weights).toarray()
    expected = {(int(min(i, j)), int(max(i, j))) for i, j in np.argwhere(peer)}
    assert set(maximum_spanning_tree(weights)) == expected


def test_edges_point_away_from_the_root():
    edges = [(0, 1), (1, 2), (1, 3), (3, 4)]
    assert parents_from_root(edges, 0, 5) == [[], [0], [1], [1], [3]]
    assert parents_from_root(edges, 4, 5) == [[1], [3], [1], [4], []]
    assert parents_from_root([(0, 1)], 0, 3) == [[], [0], []]  # a node that no edge reaches has none
