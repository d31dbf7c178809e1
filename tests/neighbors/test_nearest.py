"""Nearest neighbours by every route against all distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from lanatus.metric import Minkowski
from lanatus.neighbors import grow_tree, nearest, open_index, within


def plain(points, queries, k, own=None, p=2.0):
    gaps = cdist(queries, points, "chebyshev") if np.isinf(p) else cdist(queries, points, "minkowski", p=p)
    if own is not None:
        gaps[np.arange(len(queries)), own] = np.inf
    near = np.argsort(gaps, axis=1, kind="stable")[:, :k]
    return near, np.take_along_axis(gaps, near, axis=1)


@pytest.mark.parametrize("p", [1.0, 2.0, 2.5, 3.0, np.inf])
@pytest.mark.parametrize(("n", "d"), [(40, 2), (400, 2), (300, 3), (300, 16)])
def test_nearest_is_the_least_of_all_distances(n, d, p):
    rng = np.random.RandomState(0)
    points, queries = rng.rand(n, d), rng.rand(20, d)
    found = nearest(points, queries, 4, metric=Minkowski(p))
    expected, distance = plain(points, queries, 4, p=p)
    np.testing.assert_array_equal(found.indices, expected)
    np.testing.assert_allclose(found.distances, distance, rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_rows_of_any_kind_without_themselves(dtype, form):
    rng = np.random.RandomState(0)
    X = (rng.randint(5, size=(120, 6)) * (rng.rand(120, 6) < 0.5)).astype(dtype)  # whole numbers: many exact ties
    rows = rng.permutation(120)[:50]
    found = nearest(form(X), form(X)[rows], 7, own=rows)
    expected, distance = plain(X, X[rows], 7, rows)
    np.testing.assert_array_equal(found.indices, expected)
    np.testing.assert_allclose(found.distances, distance, rtol=1e-6, atol=1e-6)
    assert found.indices.dtype == np.int32


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_too_many_neighbours_are_refused(form):
    X = form(np.eye(3))
    with pytest.raises(ValueError, match="k=4 neighbours are wanted, but there are 3 points"):
        nearest(X, X, 4)
    with pytest.raises(ValueError, match="there are 2 other points"):
        nearest(X, X, 3, own=np.arange(3))
    with pytest.raises(ValueError, match="k=0"):
        nearest(X, X, 0)
    assert nearest(X, X, 3).indices.shape == (3, 3)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_one_point_and_no_query(form):
    X = form(np.array([[2.0, 3.0]]))
    found = nearest(X, X, 1)
    assert (found.indices.tolist(), found.distances.tolist()) == ([[0]], [[0.0]])
    assert nearest(X, X[:0], 1).indices.shape == (0, 1)


@pytest.mark.parametrize(("n", "d"), [(2000, 2), (500, 12)])
def test_threads_do_not_show(n, d):
    X = np.random.RandomState(0).rand(n, d)
    answers = []
    for threads in (1, 2, 4):
        with threadpool_limits(threads):
            answers.append(nearest(X, X, 5, own=np.arange(n)))
    for other in answers[1:]:
        np.testing.assert_array_equal(other.indices, answers[0].indices)
        np.testing.assert_array_equal(other.distances, answers[0].distances)


def test_a_tree_leaves_out_rows_without_weight():
    X = np.random.RandomState(0).rand(50, 2)
    weight = (np.arange(50) % 2).astype(float)
    tree = grow_tree(X, weight, leaf_size=4)
    assert tree.mass == 25
    assert {tuple(row) for row in tree.rows} == {tuple(row) for row in X[1::2]}
    expected = plain(X[1::2], X, 3)[1][:, 2]
    np.testing.assert_allclose(tree.radii(X, 3), expected, rtol=1e-13)


def test_sparse_and_dense_rows_meet():
    rng = np.random.default_rng(0)
    points, queries = rng.normal(size=(30, 4)), rng.normal(size=(7, 4))
    wanted = nearest(points, queries, 3).indices
    np.testing.assert_array_equal(nearest(sp.csr_matrix(points), queries, 3).indices, wanted)
    np.testing.assert_array_equal(nearest(points, sp.csr_matrix(queries), 3).indices, wanted)


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("scale", [2.0**500, 2.0**60, 2.0**-60, 2.0**-500])
def test_numbers_of_any_size(algorithm, scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5)) * 1e-3 + rng.integers(3, size=(600, 1))
    own = np.arange(600)
    expected, gaps = plain(X, X, 4, own)
    found = open_index(X * scale, algorithm=algorithm).nearest(X * scale, 4, own)
    np.testing.assert_array_equal(found.indices, expected)
    np.testing.assert_allclose(found.distances / scale, gaps, rtol=1e-10)
    near = open_index(X * scale, algorithm=algorithm).within(X * scale, 1e-3 * scale, own)
    whole = cdist(X, X) <= 1e-3
    np.testing.assert_array_equal(near.indices, np.nonzero(whole & ~np.eye(600, dtype=bool))[1])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("p", [1.0, 2.0, np.inf])
def test_within_is_what_the_distances_say(form, p):
    if form is sp.csr_matrix and p != 2:
        pytest.skip("sparse rows know the Euclidean distance only")
    rng = np.random.default_rng(0)
    X, queries = rng.integers(4, size=(90, 3)).astype(float), rng.integers(4, size=(20, 3)).astype(float)
    found = within(form(X), form(queries), np.arange(20) / 5, metric=Minkowski(p))
    gaps = cdist(queries, X, "chebyshev") if np.isinf(p) else cdist(queries, X, "minkowski", p=p)
    near = gaps <= (np.arange(20) / 5)[:, None]
    np.testing.assert_array_equal(found.starts, np.concatenate([[0], np.cumsum(near.sum(axis=1))]))
    np.testing.assert_array_equal(found.indices, np.nonzero(near)[1])
    np.testing.assert_allclose(found.distances, gaps[near], rtol=1e-12, atol=1e-7)


def test_a_tree_is_taken_where_it_sees_little_of_the_points():
    rng = np.random.default_rng(0)
    assert open_index(rng.normal(size=(5000, 2))).algorithm == "kd_tree"
    assert open_index(rng.normal(size=(5000, 40))).algorithm == "brute"
    flat = rng.normal(size=(5000, 2)) @ rng.normal(size=(2, 40))  # forty columns, two dimensions
    assert open_index(flat).algorithm == "kd_tree"
    assert open_index(rng.normal(size=(5000, 2)), n_queries=3).algorithm == "brute"
