"""Graphs of neighbours, their parts and Laplacians, and shortest paths."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path as by_scipy
from sklearn.neighbors import kneighbors_graph as by_sklearn
from sklearn.neighbors import radius_neighbors_graph as radius_by_sklearn

from lanatus.graph import (
    components_of,
    joined_components,
    kneighbors_graph,
    laplacian_eigenvectors,
    radius_neighbors_graph,
    shortest_path,
    undirected,
)
from lanatus.neighbors import NearestNeighbors


@pytest.mark.covers("reduce.neighbour-graphs")
@pytest.mark.parametrize("mode", ["connectivity", "distance"])
@pytest.mark.parametrize("include_self", [False, "auto"])
def test_graphs_are_those_of_scikit_learn(mode, include_self):
    X = np.random.RandomState(0).normal(size=(60, 3))
    for ours, theirs, size in ((kneighbors_graph, by_sklearn, 4), (radius_neighbors_graph, radius_by_sklearn, 1.2)):
        got = ours(X, size, mode=mode, include_self=include_self).toarray()
        np.testing.assert_allclose(got, theirs(X, size, mode=mode, include_self=include_self).toarray(), atol=1e-12)
    search = NearestNeighbors(n_neighbors=4).fit(X)
    assert (kneighbors_graph(search, 4) != kneighbors_graph(X, 4)).nnz == 0
    with pytest.raises(ValueError, match="include_self needs the rows"):
        kneighbors_graph(search, 4, include_self=True)
    with pytest.raises(ValueError, match="include_self must be"):
        kneighbors_graph(X, 4, include_self="yes")


@pytest.mark.covers("reduce.shortest-paths")
@pytest.mark.parametrize("directed", [True, False])
def test_dijkstra_floyd_and_scipy_agree(directed):
    rng = np.random.RandomState(1)
    for density in (0.01, 0.05, 0.3):  # in parts, sparse, dense
        graph = sp.random_array((70, 70), density=density, rng=rng, format="csr")
        wanted = by_scipy(graph, directed=directed)
        for method in ("D", "FW", "auto"):
            got = shortest_path(graph, method=method, directed=directed)
            np.testing.assert_allclose(got, wanted, rtol=1e-12)
        np.testing.assert_allclose(shortest_path(graph, directed=directed, indices=[3, 5]), wanted[[3, 5]], rtol=1e-12)
        hops = by_scipy(graph, directed=directed, unweighted=True)
        np.testing.assert_array_equal(shortest_path(graph, directed=directed, unweighted=True), hops)
    assert shortest_path(graph, indices=0).shape == (70,)


@pytest.mark.covers("reduce.shortest-paths")
def test_edges_of_length_zero_are_edges():
    graph = sp.csr_array((np.array([0.0, 2.0]), (np.array([0, 1]), np.array([1, 2]))), shape=(3, 3))
    for method in ("D", "FW"):
        assert shortest_path(graph, method=method)[0].tolist() == [0.0, 0.0, 2.0]
    both = undirected(graph)
    assert both.nnz == 4
    assert shortest_path(both)[2].tolist() == [2.0, 2.0, 0.0]
    assert components_of(graph)[0] == 1


@pytest.mark.covers("reduce.shortest-paths")
@pytest.mark.parametrize(
    ("graph", "words"),
    [
        ([[0.0, -1.0], [0.0, 0.0]], "0 or more"),
        ([[0.0, np.nan], [0.0, 0.0]], "0 or more"),
        (np.zeros((2, 3)), "square"),
        (np.zeros(3), "square"),
    ],
)
def test_what_is_no_graph_is_refused(graph, words):
    with pytest.raises(ValueError, match=words):
        shortest_path(graph)
    with pytest.raises(ValueError, match="numbers of nodes"):
        shortest_path(np.eye(3), indices=[3])
    with pytest.raises(ValueError, match="method"):
        shortest_path(np.eye(3), method="BF")


def test_mutual_edges_and_shorter_lengths():
    graph = sp.csr_array(np.array([[0, 3.0, 1.0], [2.0, 0, 0], [0, 0, 0]]))
    assert undirected(graph).toarray().tolist() == [[0, 2, 1], [2, 0, 0], [1, 0, 0]]
    assert undirected(graph, "both").toarray().tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 0]]


def test_parts_are_joined_by_the_shortest_edges():
    X = np.array([0.0, 1, 10, 11, 30, 32])
    graph = undirected(sp.csr_array(np.kron(np.eye(3), [[0, 1.0], [1.0, 0]])))

    def closest(inside, outside):
        gaps = np.abs(X[inside][:, None] - X[outside])
        i, j = np.unravel_index(gaps.argmin(), gaps.shape)
        return int(inside[i]), int(outside[j]), float(gaps[i, j])

    joined, added = joined_components(graph, closest)
    assert added == 2
    assert (joined.toarray()[1, 2], joined.toarray()[3, 4]) == (9.0, 19.0)
    assert components_of(joined)[0] == 1


@pytest.mark.parametrize("solver", ["dense", "arpack"])
@pytest.mark.parametrize("kind", ["random-walk", "symmetric", "unnormalized"])
def test_laplacian_eigenvectors_solve_their_equation(solver, kind):
    rng = np.random.RandomState(0)
    W = rng.rand(700 if solver == "arpack" else 50, 4)
    W = np.exp(-((W[:, None] - W) ** 2).sum(axis=2) * 5)
    values, vectors = laplacian_eigenvectors(W, 3, kind, solver=solver, start=rng.rand(len(W)))
    D = W.sum(axis=1)
    L = np.diag(D) - W
    if kind == "symmetric":
        L = L / np.sqrt(np.outer(D, D))
    scale = D[:, None] if kind == "random-walk" else 1.0
    np.testing.assert_allclose(L @ vectors, scale * vectors * values, atol=1e-8 * np.abs(vectors).max() * D.max())
    assert values[0] == pytest.approx(0, abs=1e-9)
    with pytest.raises(ValueError, match="less than 0"):
        laplacian_eigenvectors(-W, 2)
