"""The kernels that search for neighbours against plain NumPy: both routes, to the last bit."""

import itertools

import numpy as np
import pytest
from lanatus._core import neighbors as kernels

ORDERS = [1.0, 1.5, 2.0, 3.0, np.inf]


def by_brute(points, queries, k, own=None, n_threads=2):
    return kernels.nearest_brute(points, queries, k, own, n_threads=n_threads)


def by_tree(points, queries, k, own=None, n_threads=2, p=2.0, leaf_size=8, balls=False):
    tree = kernels.search_tree(points, leaf_size=leaf_size, balls=balls, p=p, n_threads=n_threads)
    return kernels.nearest_tree(queries, *tree, balls=balls, p=p, k=k, own=own, n_threads=n_threads)


def by_balls(points, queries, k, own=None, n_threads=2, p=2.0, leaf_size=8):
    return by_tree(points, queries, k, own, n_threads, p, leaf_size, balls=True)


def within_brute(points, queries, radii, own=None, n_threads=2):
    return kernels.within_brute(points, queries, radii, own, n_threads=n_threads)


def within_tree(points, queries, radii, own=None, n_threads=2, p=2.0, balls=False):
    tree = kernels.search_tree(points, leaf_size=16, balls=balls, p=p, n_threads=n_threads)
    return kernels.within_tree(queries, *tree, balls=balls, p=p, radii=radii, own=own, n_threads=n_threads)


def within_balls(points, queries, radii, own=None, n_threads=2, p=2.0):
    return within_tree(points, queries, radii, own, n_threads, p, balls=True)


ROUTES = pytest.mark.parametrize("route", [by_brute, by_tree, by_balls])
RADIUS_ROUTES = pytest.mark.parametrize("route", [within_brute, within_tree, within_balls])


def plain(points, queries, k, own=None, p=2.0):
    gaps = np.linalg.norm(queries[:, None, :] - points[None, :, :], ord=p, axis=2)
    if own is not None:
        gaps[np.arange(len(queries)), own] = np.inf
    near = np.argsort(gaps, axis=1, kind="stable")[:, :k]
    return near, np.take_along_axis(gaps, near, axis=1)


@ROUTES
@pytest.mark.parametrize(("n", "d"), [(2, 1), (25, 3), (48, 1), (513, 7), (1200, 20), (700, 130)])
def test_nearest_other_rows(route, n, d):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d))
    rows = rng.permutation(n)[: max(1, n // 2)]
    for k in {1, min(5, n - 1), min(40, n - 1), n - 1 if n < 60 else 7}:
        found, distance = route(X, X[rows], k, rows)
        expected, gaps = plain(X, X[rows], k, rows)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_allclose(distance, gaps, rtol=1e-14)


@ROUTES
@pytest.mark.parametrize(("n", "m", "d"), [(1, 1, 1), (7, 30, 2), (300, 100, 5), (1000, 193, 12)])
def test_queries_need_not_be_points(route, n, m, d):
    rng = np.random.default_rng(n)
    points, queries = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    for k in {1, min(5, n), min(n, 12)}:
        found, distance = route(points, queries, k)
        expected, gaps = plain(points, queries, k)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_allclose(distance, gaps, rtol=1e-14)


@pytest.mark.parametrize("p", ORDERS)
@pytest.mark.parametrize("leaf_size", [1, 4, 1000])
@pytest.mark.parametrize("balls", [False, True])
def test_a_tree_knows_every_order(p, leaf_size, balls):
    rng = np.random.default_rng(0)
    points, queries = rng.normal(size=(400, 3)), rng.normal(size=(60, 3))
    found, distance = by_tree(points, queries, 6, p=p, leaf_size=leaf_size, balls=balls)
    expected, gaps = plain(points, queries, 6, p=p)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(distance, gaps, rtol=1e-13)


def test_both_routes_give_the_same_bits():
    rng = np.random.default_rng(0)
    for d in (1, 3, 6, 11):
        X = np.round(rng.normal(size=(900, d)), 1) + 1e3  # many near-ties, far from the origin
        own = np.arange(900)
        for tree in (by_tree, by_balls):
            for one, other in zip(by_brute(X, X, 9, own), tree(X, X, 9, own), strict=True):
                np.testing.assert_array_equal(one, other)


@ROUTES
@pytest.mark.parametrize("d", [1, 3, 20])
def test_single_precision_is_decided_in_double(route, d):
    X = np.random.default_rng(0).normal(size=(700, d)).astype(np.float32) + np.float32(50)
    own = np.arange(700)
    found, distance = route(X, X, 8, own)
    np.testing.assert_array_equal(found, by_brute(X.astype(np.float64), X.astype(np.float64), 8, own)[0])
    assert distance.dtype == np.float32


@ROUTES
def test_many_neighbours(route):
    X = np.random.default_rng(0).integers(10, size=(500, 3)).astype(float)  # exact ties
    own = np.arange(500)
    for k in (48, 49, 300, 499):
        np.testing.assert_array_equal(route(X, X, k, own)[0], plain(X, X, k, own)[0])


@pytest.mark.parametrize("n", [7, 8, 9, 64, 65, 511, 512, 513, 4095, 4097])
@pytest.mark.parametrize("leaf_size", [1, 8, 24])
def test_trees_of_any_number_of_rows_hold_each_once(n, leaf_size):
    X = np.random.default_rng(n).normal(size=(n, 2))
    leaves, nodes, order = kernels.search_tree(X, leaf_size=leaf_size, balls=False, p=2.0, n_threads=2)
    assert sorted(order.tolist()) == list(range(n))
    width = leaves.shape[1] // 2
    rows = leaves.reshape(-1, 2, width).transpose(0, 2, 1).reshape(-1, 2)[:n]
    np.testing.assert_array_equal(rows, X[order])
    found = kernels.nearest_tree(X, leaves, nodes, order, balls=False, p=2.0, k=1, own=None, n_threads=2)[0]
    np.testing.assert_array_equal(found.ravel(), np.arange(n))


@RADIUS_ROUTES
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (30, 2), (900, 3), (400, 20)])
def test_all_points_within_a_radius(route, dtype, n, d):
    rng = np.random.default_rng(n)
    points, queries = rng.normal(size=(n, d)).astype(dtype), rng.normal(size=(50, d)).astype(dtype)
    radii = np.append(rng.uniform(0, 2 * np.sqrt(d), size=48), [-1.0, np.nan])
    starts, found, distance = route(points, queries, radii)
    gaps = np.linalg.norm(queries[:, None].astype(np.float64) - points[None].astype(np.float64), axis=2)
    wanted = [np.flatnonzero(row <= radius) for row, radius in zip(gaps, radii, strict=True)]
    assert [found[a:b].tolist() for a, b in itertools.pairwise(starts)] == [w.tolist() for w in wanted]
    np.testing.assert_allclose(
        distance, np.concatenate([row[w] for row, w in zip(gaps, wanted, strict=True)]), rtol=1e-6
    )


@RADIUS_ROUTES
def test_points_at_the_radius_count_and_the_own_one_does_not(route):
    grid = np.stack(np.meshgrid(np.arange(9.0), np.arange(9.0)), axis=-1).reshape(-1, 2) * 0.1
    own = np.arange(81)
    starts, found, _ = route(grid, grid, np.array([0.0]), own)
    assert starts[-1] == 0
    starts, found, _ = route(grid + 0.0, grid, np.array([np.hypot(0.1, 0.0)]), own)
    middle = 4 * 9 + 4
    gaps = np.sqrt(((grid - grid[middle]) ** 2).sum(axis=1))
    wanted = np.setdiff1d(np.flatnonzero(gaps <= 0.1), [middle])
    assert found[starts[middle] : starts[middle + 1]].tolist() == wanted.tolist()


@pytest.mark.parametrize("p", ORDERS)
@pytest.mark.parametrize("balls", [False, True])
def test_radii_of_every_order(p, balls):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    starts, found, distance = within_tree(X, X, np.array([0.8]), p=p, balls=balls)
    gaps = np.linalg.norm(X[:, None] - X[None], ord=p, axis=2)
    np.testing.assert_array_equal(np.repeat(np.arange(300), np.diff(starts)), np.nonzero(gaps <= 0.8)[0])
    np.testing.assert_array_equal(found, np.nonzero(gaps <= 0.8)[1])
    np.testing.assert_allclose(distance, gaps[gaps <= 0.8], rtol=1e-12, atol=1e-15)


@ROUTES
def test_ties_go_to_the_lower_row(route):
    grid = np.stack(np.meshgrid(np.arange(12.0), np.arange(12.0)), axis=-1).reshape(-1, 2)
    own = np.arange(144)
    np.testing.assert_array_equal(route(grid, grid, 6, own)[0], plain(grid, grid, 6, own)[0])
    same = np.ones((100, 3))
    rows = np.array([0, 50, 99])
    assert route(same, same[rows], 3, rows)[0].tolist() == [[1, 2, 3], [0, 1, 2], [0, 1, 2]]
    assert route(same, same[:1] + 1, 4)[0].tolist() == [[0, 1, 2, 3]]


@ROUTES
def test_constant_columns_and_duplicates(route):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(200, 7.0), rng.integers(4, size=200), np.zeros(200)]).astype(float)
    own = np.arange(200)
    np.testing.assert_array_equal(route(X, X, 30, own)[0], plain(X, X, 30, own)[0])


@ROUTES
@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_far_clusters_and_outliers_do_not_blur_neighbours(route, scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5)) * 1e-6 + rng.integers(3, size=(600, 1))
    X[7] = 1e9  # from there all others are as far, to rounding
    rows = np.delete(np.arange(600), 7)
    found, distance = route(X * scale, (X * scale)[rows], 4, rows)
    expected, gaps = plain(X, X[rows], 4, rows)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(distance / scale, gaps, rtol=1e-8)  # X * 1e6 rounds


@ROUTES
def test_threads_do_not_show(route):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    own = np.arange(3000)
    first = route(X, X, 5, own, n_threads=1)
    for n_threads in (2, 4):
        for one, other in zip(first, route(X, X, 5, own, n_threads=n_threads), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("p", ORDERS)
def test_radii_reach_the_weight_asked(p):
    rng = np.random.default_rng(0)
    X, w, queries = rng.normal(size=(150, 2)), rng.random(150), rng.normal(size=(40, 2))
    order, nodes = kernels.kd_tree(X, w, leaf_size=5, n_threads=2)
    radii = kernels.neighbor_radii(queries, X[order], w[order], nodes, p=p, k=3.0, n_threads=2)
    gaps = np.linalg.norm(queries[:, None] - X[None], ord=p, axis=2)
    by_distance = np.argsort(gaps, axis=1)
    reached = (np.cumsum(w[by_distance], axis=1) >= 3.0).argmax(axis=1)
    expected = np.take_along_axis(gaps, by_distance, axis=1)[np.arange(40), reached]
    np.testing.assert_allclose(radii, expected, rtol=1e-13)


def test_bad_arguments_are_refused():
    X, own = np.ones((4, 2)), np.arange(4)
    for call in (
        lambda: by_brute(X, X, 4, own),
        lambda: by_brute(X, X, 5),
        lambda: by_brute(X, X, 0),
        lambda: by_brute(X, X, 1, own + 1),
        lambda: by_brute(X, X, 1, own - 1),
        lambda: by_brute(X, X, 1, own[:3]),
        lambda: by_brute(X, np.ones((4, 3)), 1),
        lambda: by_brute(X, X, 1, n_threads=0),
        lambda: by_tree(X, X, 4, own),
        lambda: by_tree(X, X, 1, p=0.5),
        lambda: by_tree(X, X, 1, p=np.nan),
        lambda: by_tree(X, X, 1, leaf_size=0),
        lambda: by_tree(np.ones((4, 0)), np.ones((4, 0)), 1),
        lambda: by_tree(X, np.ones((4, 3)), 1),
        lambda: within_brute(X, X, np.ones(3)),
        lambda: within_tree(X, X, np.ones(3)),
        lambda: within_tree(X, X, np.ones(1), own + 1),
        lambda: by_brute(np.ones((0, 2)), X, 1),
        lambda: kernels.neighbor_radii(X, X, None, np.ones((2, 8)), p=2.0, k=1.0, n_threads=1),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        by_brute(X.astype(np.float32), X, 1)


def test_spoiled_trees_are_refused():
    X = np.random.default_rng(0).normal(size=(100, 2))
    leaves, nodes, order = kernels.search_tree(X, leaf_size=8, balls=False, p=2.0, n_threads=1)
    how = {"balls": False, "p": 2.0, "k": 1, "own": None, "n_threads": 1}
    for tree in (
        (leaves[:-1], nodes, order),
        (leaves, nodes[:-1], order),
        (leaves, nodes, order[:-20]),
        (leaves, nodes, order + 1),
        (leaves, nodes, -order),
        (leaves[:, :8].copy(), nodes, order),
        (leaves, nodes[:, :-8].copy(), order),
    ):
        with pytest.raises(ValueError):
            kernels.nearest_tree(X, *tree, **how)
    with pytest.raises(ValueError, match="too large"):  # nothing compares with NaN
        kernels.nearest_tree(X, leaves * np.nan, nodes, order, **how)


@pytest.mark.parametrize("weight", [None, np.full(40, 1e308), np.ones(40)])
def test_radii_of_numbers_whose_squares_overflow_are_infinite(weight):
    X = np.random.default_rng(0).normal(size=(40, 2))
    X[::2, 0] = 1.7e308
    order, nodes = kernels.kd_tree(X, weight, leaf_size=4, n_threads=1)
    rows, weight = X[order], None if weight is None else weight[order]
    queries = np.array([[-1.7e308, 0.0], [np.nan, 0.0], [np.inf, 0.0]])
    radii = kernels.neighbor_radii(queries, rows, weight, nodes, p=2.0, k=3.0, n_threads=1)
    assert np.isinf(radii).all()
