"""The kernels of synthetic rows against plain NumPy."""

import numpy as np
import pytest
from lanatus._core import imbalance as kernels

FLOATS = [np.float32, np.float64]


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
        lambda: kernels.interpolate(X, rows, rows - 1, np.ones(4), n_threads=1),
        lambda: kernels.interpolate(X, rows, rows[:3], np.ones(4), n_threads=1),
        lambda: kernels.draw(0, 3, 0, 1, n_threads=1),
    ):
        with pytest.raises(ValueError):
            call()
