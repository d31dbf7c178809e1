"""The kernels of neighbours and synthetic rows against plain NumPy."""

import numpy as np
import pytest
from lanatus._core import imbalance as kernels

FLOATS = [np.float32, np.float64]


def brute(X, rows, k):
    gaps = ((X[rows][:, None, :].astype(float) - X[None, :, :].astype(float)) ** 2).sum(axis=2)
    gaps[np.arange(len(rows)), rows] = np.inf
    return np.argsort(gaps, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("n", "d"), [(2, 1), (25, 3), (48, 1), (513, 7), (1200, 20), (700, 130)])
def test_nearest_rows(n, d, dtype):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d)).astype(dtype)
    rows = rng.permutation(n)[: max(1, n // 2)].astype(np.int64)
    for k in {1, min(5, n - 1), min(40, n - 1), n - 1 if n < 60 else 7}:
        found = kernels.nearest_rows(X, rows, k, n_threads=2)
        np.testing.assert_array_equal(found, brute(X, rows, k))
        np.testing.assert_array_equal(found, kernels.nearest_rows(X, rows, k, n_threads=1))


def test_ties_go_to_the_lower_row():
    grid = np.stack(np.meshgrid(np.arange(12.0), np.arange(12.0)), axis=-1).reshape(-1, 2)
    rows = np.arange(144, dtype=np.int64)
    np.testing.assert_array_equal(kernels.nearest_rows(grid, rows, 6, n_threads=2), brute(grid, rows, 6))
    same = np.ones((100, 3))
    assert kernels.nearest_rows(same, np.array([0, 50, 99]), 3, n_threads=2).tolist() == [
        [1, 2, 3],
        [0, 1, 2],
        [0, 1, 2],
    ]


@pytest.mark.parametrize("scale", [1.0, 1e6, 2.0**500, 2.0**-500])
def test_far_clusters_and_outliers_do_not_blur_neighbours(scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5)) * 1e-6 + rng.integers(3, size=(600, 1))
    X[7] = 1e9  # from there all others are as far, to rounding
    rows = np.delete(np.arange(600), 7)
    np.testing.assert_array_equal(kernels.nearest_rows(X * scale, rows, 4, n_threads=2), brute(X, rows, 4))


def test_draws_are_a_function_of_seed_and_number():
    whole = kernels.draw(5, 10_000, 7, 3, n_threads=2)
    for few, many in zip(kernels.draw(5, 100, 7, 3, n_threads=1), whole, strict=True):
        np.testing.assert_array_equal(few, many[:100])
    parent, neighbor, gap = whole
    np.testing.assert_allclose(np.bincount(parent) / 1e4, 1 / 7, atol=0.02)
    np.testing.assert_allclose(np.bincount(neighbor) / 1e4, 1 / 3, atol=0.02)
    assert gap.min() >= 0
    assert gap.max() < 1
    assert abs(gap.mean() - 0.5) < 0.01
    assert abs(np.corrcoef([parent, neighbor, gap])[np.triu_indices(3, 1)]).max() < 0.04


@pytest.mark.parametrize("dtype", FLOATS)
def test_interpolate(dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4)).astype(dtype)
    a, b = rng.integers(3000, size=(2, 5000))
    u = rng.random(5000)
    whole = kernels.interpolate(X, a, b, u, n_threads=2)
    assert whole.dtype == dtype
    np.testing.assert_array_equal(whole[:3000], X)
    expected = X[a] + u[:, None].astype(dtype) * (X[b] - X[a])
    np.testing.assert_allclose(whole[3000:], expected, rtol=1e-6 if dtype == np.float32 else 1e-14, atol=1e-6)


def test_bad_arguments_are_refused():
    X, rows = np.ones((4, 2)), np.arange(4)
    for call in (
        lambda: kernels.nearest_rows(X, rows, 4, n_threads=1),
        lambda: kernels.nearest_rows(X, rows, 0, n_threads=1),
        lambda: kernels.nearest_rows(X, rows + 1, 1, n_threads=1),
        lambda: kernels.nearest_rows(X, rows, 1, n_threads=0),
        lambda: kernels.interpolate(X, rows, rows - 1, np.ones(4), n_threads=1),
        lambda: kernels.interpolate(X, rows, rows[:3], np.ones(4), n_threads=1),
        lambda: kernels.draw(0, 3, 0, 1, n_threads=1),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        kernels.nearest_rows(X.astype(int), rows, 1, n_threads=1)
