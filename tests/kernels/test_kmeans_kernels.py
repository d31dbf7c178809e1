"""k-means kernels against brute force."""

import numpy as np
import pytest
from lanatus._core import cluster, core, metric
from scipy import sparse

FLOATS = [np.float32, np.float64]
# (n, d, k): every width of the last group of centers, rows shorter than a vector, several panels, long rows
SHAPES = [
    (1, 1, 1),
    (50, 1, 3),
    (60, 2, 4),
    (777, 3, 2),
    (1000, 4, 16),
    (400, 5, 33),
    (2000, 16, 32),
    (999, 17, 33),
    (150, 127, 6),
    (120, 128, 5),
    (130, 257, 7),
    (200, 784, 10),
    (25, 600, 1),
]


def rows_and_centers(n, d, k, dtype, offset=0.0, seed=0):
    """Normal rows, centres, weights of which a fifth is zero."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, d)) + offset).astype(dtype)
    return (
        X,
        (rng.normal(size=(k, d)) + offset).astype(dtype),
        rng.exponential(size=n) * (rng.random(n) > 0.2),
    )


def brute(X, centers):
    return ((X[:, None].astype(float) - centers[None].astype(float)) ** 2).sum(axis=2)


def assert_nearest(labels, D, dtype, scale=1.0):
    """Each label is the nearest center, or as near as the arithmetic can tell."""
    slack = 100 * np.finfo(dtype).eps * scale * np.abs(D).max()
    assert np.all(D[np.arange(len(D)), labels] <= D.min(axis=1) + slack)
    if dtype is np.float64:
        assert np.array_equal(labels, D.argmin(axis=1))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "d", "k"), SHAPES)
def test_lloyd_pass_is_the_definition(n, d, k, dtype, weighted):
    X, centers, w = rows_and_centers(n, d, k, dtype)
    weights = w if weighted else np.ones(n)
    before = np.full(n, -1, np.int32)
    before[::3] = 0
    labels = before.copy()
    sums, mass, inertia, n_changed = cluster.lloyd_pass(X, w if weighted else None, centers, labels, n_threads=2)
    D = brute(X, centers)
    assert_nearest(labels, D, dtype)
    assert n_changed == np.count_nonzero(labels != before)
    expected = np.zeros((k, d))
    np.add.at(expected, labels, weights[:, None] * X.astype(float))
    np.testing.assert_allclose(sums, expected, rtol=0, atol=1e-11)
    np.testing.assert_allclose(mass, np.bincount(labels, weights, k), rtol=1e-12, atol=1e-12)
    tight = 1e-12 if dtype is np.float64 else 1e-5
    np.testing.assert_allclose(inertia, (weights * D[np.arange(n), labels]).sum(), rtol=tight)
    np.testing.assert_allclose(
        cluster.inertia(X, w if weighted else None, centers, labels, n_threads=2), inertia, rtol=tight
    )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("n", "d", "k"), SHAPES)
def test_assign_and_pairwise(n, d, k, dtype):
    X, centers, _ = rows_and_centers(n, d, k, dtype)
    D = brute(X, centers)
    labels, sq_dist = cluster.assign(X, centers, n_threads=2)
    assert_nearest(labels, D, dtype)
    tolerance = 4 * d**0.5 * np.finfo(dtype).eps + 1e-14
    np.testing.assert_allclose(sq_dist, D[np.arange(n), labels], rtol=tolerance)
    P = metric.pairwise_sq(X, centers, n_threads=2)
    assert P.dtype == dtype
    np.testing.assert_allclose(P, D, rtol=tolerance)
    assert np.all(metric.pairwise_sq(centers, centers, n_threads=1).diagonal() == 0)


@pytest.mark.parametrize(("d", "k"), [(3, 4), (16, 32), (200, 9)])
def test_data_far_from_the_origin(d, k):
    X, centers, _ = rows_and_centers(600, d, k, np.float64, offset=1e7)
    D = brute(X, centers)
    labels = np.full(600, -1, np.int32)
    _, _, inertia, _ = cluster.lloyd_pass(X, None, centers, labels, n_threads=2)
    assert np.array_equal(labels, D.argmin(axis=1))
    np.testing.assert_allclose(inertia, D.min(axis=1).sum(), rtol=1e-12)


def test_ties_go_to_the_lowest_center():
    for d, k in [(2, 5), (16, 40), (200, 6)]:
        X = np.random.default_rng(0).normal(size=(100, d))
        centers = np.repeat(X[:1], k, axis=0)
        assert np.all(cluster.assign(X, centers, n_threads=1)[0] == 0)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("d", "k"), [(4, 16), (16, 32), (150, 10)])
def test_passes_do_not_depend_on_threads(d, k, dtype):
    X, centers, w = rows_and_centers(5000, d, k, dtype)
    results = []
    for n_threads in (1, 2, 7):
        labels = np.full(len(X), -1, np.int32)
        out = cluster.lloyd_pass(X, w, centers, labels, n_threads=n_threads)
        state = bounds(X, k)
        cluster.hamerly_pass(X, w, centers, None, *state, n_threads=n_threads)
        cluster.hamerly_pass(X, w, centers[::-1].copy(), centers, *state, n_threads=n_threads)
        seeds = cluster.plusplus(X, w, k, 3, 11, n_threads=n_threads)
        results.append([labels, *out, *state, seeds, *cluster.assign(X, centers, n_threads=n_threads)])
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            assert np.array_equal(a, b)


def bounds(X, k):
    """labels, upper, lower, sums, mass as they start."""
    n, d = X.shape
    return np.full(n, -1, np.int32), np.zeros(n, X.dtype), np.zeros(n, X.dtype), np.zeros((k, d)), np.zeros(k)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "d", "k"), [(3000, 2, 7), (2000, 16, 32), (800, 130, 9), (500, 3, 1), (300, 784, 10)])
def test_hamerly_follows_lloyd(n, d, k, dtype, weighted):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(k, d))[rng.integers(k, size=n)] * 2 + rng.normal(size=(n, d)) + 5).astype(dtype)
    w = rng.exponential(size=n) if weighted else None
    centers, old = X[:k].copy(), None
    labels, upper, lower, sums, mass = bounds(X, k)
    plain = np.full(n, -1, np.int32)
    scanned = []
    for _ in range(25):
        n_changed, n_distances = cluster.hamerly_pass(X, w, centers, old, labels, upper, lower, sums, mass, n_threads=2)
        scanned.append(n_distances)
        S, M, _, changed = cluster.lloyd_pass(X, w, centers, plain, n_threads=2)
        D = brute(X, centers)
        assert_nearest(labels, D, dtype)
        distance = np.sqrt(D)
        own = distance[np.arange(n), labels]
        assert np.all(upper >= own * (1 - 1e-12))  # the bounds are bounds, of the exact distances
        distance[np.arange(n), labels] = np.inf
        assert np.all(lower <= distance.min(axis=1) * (1 + 1e-12))
        if dtype is np.float64:
            assert np.array_equal(labels, plain)
            assert n_changed == changed
            np.testing.assert_allclose(sums, S, rtol=0, atol=1e-8)
            np.testing.assert_allclose(mass, M, rtol=0, atol=1e-8)
        old = centers
        centers = np.where(mass[:, None] > 1e-9, sums / np.maximum(mass[:, None], 1e-9), old).astype(dtype)
    assert scanned[0] == n * k
    if k > 1:
        assert scanned[-1] < n * k / 4  # most rows are skipped in the end


def as_csr(X):
    return core.csr(sparse.csr_matrix(X))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("n", "d", "k"), [(1, 1, 1), (700, 30, 9), (300, 200, 17)])
def test_csr_equals_dense(n, d, k, dtype):
    X, centers, w = rows_and_centers(n, d, k, dtype)
    X[np.random.default_rng(2).random(X.shape) < 0.8] = 0
    S = as_csr(X)
    tight = 1e-10 if dtype is np.float64 else 1e-4
    for weights in (None, w):
        labels, expected = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
        got = cluster.lloyd_pass(S, weights, centers, labels, n_threads=2)
        dense = cluster.lloyd_pass(X, weights, centers, expected, n_threads=2)
        assert_nearest(labels, brute(X, centers), dtype)
        if dtype is np.float64:
            assert np.array_equal(labels, expected)
            for a, b in zip(got, dense, strict=True):
                np.testing.assert_allclose(a, b, rtol=tight, atol=1e-10)
        np.testing.assert_allclose(
            cluster.inertia(S, weights, centers, expected, n_threads=2),
            cluster.inertia(X, weights, centers, expected, n_threads=2),
            rtol=tight,
        )
        a, b = np.full(n, np.inf), np.full(n, np.inf)
        np.testing.assert_allclose(
            cluster.min_sq_dist(S, weights, centers, a, n_threads=2),
            cluster.min_sq_dist(X, weights, centers, b, n_threads=2),
            rtol=tight,
        )
        np.testing.assert_allclose(a, b, rtol=tight)
    for a, b in zip(cluster.assign(S, centers, n_threads=2), cluster.assign(X, centers, n_threads=2), strict=True):
        np.testing.assert_allclose(a, b, rtol=tight)
    np.testing.assert_allclose(
        metric.pairwise_sq(S, centers, n_threads=2),
        metric.pairwise_sq(X, centers, n_threads=2),
        rtol=tight,
    )
    rows = cluster.plusplus(S, w, min(k, n), 3, 5, n_threads=2)
    if dtype is np.float64:
        assert np.array_equal(rows, cluster.plusplus(X, w, min(k, n), 3, 5, n_threads=2))


def test_csr_does_not_depend_on_threads():
    X, centers, w = rows_and_centers(3000, 40, 8, np.float64)
    X[np.random.default_rng(2).random(X.shape) < 0.8] = 0
    S = as_csr(X)
    results = []
    for n_threads in (1, 2, 7):
        labels = np.full(len(X), -1, np.int32)
        results.append([labels, *cluster.lloyd_pass(S, w, centers, labels, n_threads=n_threads)])
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            assert np.array_equal(a, b)


@pytest.mark.parametrize("dtype", FLOATS)
def test_min_sq_dist_keeps_the_smaller(dtype):
    X, centers, w = rows_and_centers(900, 6, 5, dtype)
    running = np.full(len(X), np.inf)
    for c in range(5):
        potential = cluster.min_sq_dist(X, w, centers[c : c + 1], running, n_threads=2)
        expected = brute(X, centers[: c + 1]).min(axis=1)
        np.testing.assert_allclose(running, expected, rtol=1e-5 if dtype is np.float32 else 1e-13)
        np.testing.assert_allclose(potential, (w * expected).sum(), rtol=1e-5 if dtype is np.float32 else 1e-13)


def test_plusplus_finds_separated_clusters():
    rng = np.random.default_rng(0)
    truth = rng.integers(20, size=2000)
    X = (rng.uniform(-1000, 1000, size=(20, 5))[truth] + rng.normal(size=(2000, 5))).astype(np.float32)
    for seed in range(5):
        rows = cluster.plusplus(X, None, 20, 5, seed, n_threads=2)
        assert len(set(truth[rows])) == 20


def test_plusplus_draws_with_probability_proportional_to_weight_and_distance():
    X = np.array([[0.0], [1.0], [3.0], [10.0]])
    w = np.array([4.0, 1.0, 2.0, 0.0])
    pairs = np.array([cluster.plusplus(X, w, 2, 1, seed, n_threads=1) for seed in range(20_000)])
    first = np.bincount(pairs[:, 0], minlength=4) / len(pairs)
    np.testing.assert_allclose(first, w / w.sum(), atol=0.02)
    second = np.bincount(pairs[pairs[:, 0] == 0, 1], minlength=4)
    share = w * X[:, 0] ** 2
    np.testing.assert_allclose(second / second.sum(), share / share.sum(), atol=0.02)


@pytest.mark.parametrize("kernel", ["dense", "csr"])
def test_plusplus_with_fewer_distinct_rows_than_centers(kernel):
    X = np.repeat(np.array([[0.1, 1.7], [3.3, 0.2]]), 10, axis=0)
    w = np.ones(20)
    w[:5] = 0
    for seed in range(10):
        if kernel == "dense":
            rows = cluster.plusplus(X, w, 12, 3, seed, n_threads=2)
        else:
            rows = cluster.plusplus(as_csr(X), w, 12, 3, seed, n_threads=2)
        assert len(set(rows)) == 12
        assert rows.min() >= 5
        assert {0, 1} == set(rows[:2] // 10)
    assert sorted(cluster.plusplus(X, np.zeros(20), 20, 3, 0, n_threads=1)) == list(range(20))


def test_no_rows():
    X, centers = np.ones((0, 3)), np.ones((2, 3))
    labels = np.zeros(0, np.int32)
    sums, mass, inertia, n_changed = cluster.lloyd_pass(X, None, centers, labels, n_threads=2)
    assert np.all(sums == 0)
    assert np.all(mass == 0)
    assert (inertia, n_changed) == (0.0, 0)
    assert metric.pairwise_sq(X, centers, n_threads=2).shape == (0, 2)


X5, C2, L5 = np.ones((5, 3)), np.ones((2, 3)), np.zeros(5, np.int32)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("lloyd_pass", (X5, None, np.ones((2, 4)), L5)),
        ("lloyd_pass", (X5, np.ones(4), C2, L5)),
        ("lloyd_pass", (X5, None, C2, L5[:4])),
        ("lloyd_pass", (X5, None, C2[:0], L5)),
        ("assign", (X5, np.ones((2, 4)))),
        ("inertia", (X5, None, C2, np.full(5, 2, np.int32))),
        ("inertia", (X5, None, C2, np.full(5, -1, np.int32))),
        ("min_sq_dist", (X5, None, C2, np.ones(4))),
        ("plusplus", (X5, None, 6, 1, 0)),
        ("plusplus", (X5, None, 2, 0, 0)),
        ("plusplus", (X5, np.ones(4), 2, 1, 0)),
        (
            "hamerly_pass",
            (X5, None, C2, np.ones((3, 3)), L5, np.ones(5), np.ones(5), np.ones((2, 3)), np.ones(2)),
        ),
        ("hamerly_pass", (X5, None, C2, None, L5, np.ones(4), np.ones(5), np.ones((2, 3)), np.ones(2))),
        ("hamerly_pass", (X5, None, C2, None, L5, np.ones(5), np.ones(5), np.ones((3, 3)), np.ones(2))),
        ("hamerly_pass", (X5, None, C2, None, L5 + 2, np.ones(5), np.ones(5), np.ones((2, 3)), np.ones(2))),
    ],
)
def test_what_does_not_fit_is_refused(name, arguments):
    with pytest.raises(ValueError, match=r"\w"):
        getattr(cluster, name)(*arguments, n_threads=1)


def test_compressed_rows_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="features"):
        cluster.assign(as_csr(X5), np.ones((2, 4)), n_threads=1)
    with pytest.raises(ValueError, match="k must be"):
        cluster.plusplus(as_csr(X5), None, 6, 1, 0, n_threads=1)


def test_wrong_types_and_read_only_results_are_refused():
    labels = np.zeros(5, np.int32)
    with pytest.raises(TypeError):
        cluster.lloyd_pass(X5, None, C2.astype(np.float32), labels, n_threads=1)
    with pytest.raises(TypeError):
        cluster.lloyd_pass(X5, None, C2, labels.astype(np.int64), n_threads=1)
    labels.setflags(write=False)
    with pytest.raises(TypeError):
        cluster.lloyd_pass(X5, None, C2, labels, n_threads=1)
    frozen = X5.copy()
    frozen.setflags(write=False)
    cluster.assign(frozen, C2, n_threads=1)  # inputs may be read-only
