"""Distances of numbers, with holes or without, against their definitions."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import nan_euclidean_distances

from lanatus.metric import EUCLIDEAN, Minkowski, blocks, minkowski_named, nan_euclidean, squared_euclidean


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.ascontiguousarray, sp.csr_matrix])
@pytest.mark.parametrize(("n", "m", "d"), [(1, 1, 1), (30, 5, 3), (100, 7, 300)])
def test_squared_euclidean(n, m, d, form, dtype):
    rng = np.random.RandomState(0)
    X, points = rng.randn(n, d).astype(dtype), rng.randn(m, d)
    found = squared_euclidean(form(X), points)
    assert found.dtype == dtype
    expected = cdist(X.astype(float), points.astype(dtype).astype(float), "sqeuclidean")
    np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype == np.float64 else 1e-5)


def test_equal_rows_are_at_distance_zero():
    X = np.random.RandomState(0).randn(40, 6) + 1e8
    assert (squared_euclidean(X, X).diagonal() == 0).all()


def test_columns_must_agree():
    with pytest.raises(ValueError, match="number of features"):
        squared_euclidean(np.ones((3, 2)), np.ones((3, 1)))


def test_names_of_minkowski():
    assert minkowski_named("l2") == minkowski_named("minkowski") == minkowski_named("p", {"p": 2}) == EUCLIDEAN
    assert minkowski_named("cityblock") == Minkowski(1.0)
    assert minkowski_named("infinity").p == np.inf
    with pytest.raises(ValueError, match="no parameter 'q'"):
        minkowski_named("euclidean", {"q": 3})


def test_blocks_cover_all_queries_within_the_limit():
    for n, m, entries in [(10, 3, 7), (10, 100, 7), (1, 1, 1), (5, 0, 3)]:
        parts = list(blocks(n, m, entries=entries))
        assert np.concatenate([np.arange(n)[part] for part in parts]).tolist() == list(range(n))
        assert all((part.stop - part.start) * m <= entries or part.stop - part.start == 1 for part in parts)
    assert list(blocks(0, 5)) == []


def test_holes_are_left_out_and_scaled_up_for():
    rng = np.random.RandomState(0)
    X, points = rng.randn(20, 5), rng.randn(30, 5)
    X[rng.rand(20, 5) < 0.3] = np.nan
    points[rng.rand(30, 5) < 0.3] = np.nan
    X[4], points[7] = np.nan, np.nan
    found = nan_euclidean(X, points, np.arange(5))
    for i in range(20):
        for j in range(30):
            both = ~np.isnan(X[i]) & ~np.isnan(points[j])
            if both.any():
                expected = np.sqrt(5 / both.sum() * ((X[i] - points[j])[both] ** 2).sum())
                assert found[i, j] == pytest.approx(expected, rel=1e-7)
            else:
                assert np.isnan(found[i, j])
    np.testing.assert_allclose(found, nan_euclidean_distances(X, points), rtol=1e-12)
    assert np.isnan(found[4]).all()
    assert np.isnan(found[:, 7]).all()


def test_an_attribute_of_many_coordinates_is_missing_as_one():
    """Of a number and a word of three values, a row that lacks the word has half of the attributes."""
    a, b = np.array([[1.0, np.nan, np.nan, np.nan]]), np.array([[4.0, 1.0, 0.0, 0.0]]) / np.array([1, 2, 1, 1]) ** 0.5
    assert nan_euclidean(a, b, np.array([0, 1, 1, 1]))[0, 0] == pytest.approx(np.sqrt(2 * 9), rel=1e-14)
