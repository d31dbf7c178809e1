"""Cutting columns into bins."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from lanatus.tree.grow import _bins
from lanatus.tree.grow._bins import MISSING, Bins


def by_hand(bins: Bins, X: np.ndarray) -> np.ndarray:
    """The bins by the definition alone."""
    out = np.empty(X.shape, np.uint8)
    for j in range(X.shape[1]):
        x = X[:, j].astype(np.float64)
        if bins.n_values[j]:
            known = (x >= 0) & (x < bins.n_values[j])
            out[:, j] = np.where(known, bins.category_bins[j][np.where(known, x, 0).astype(int)], MISSING)
        else:
            out[:, j] = np.where(np.isnan(x), MISSING, np.searchsorted(bins.edges[j], x, side="left"))
    return out


@pytest.fixture
def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    n = 5003
    X = np.column_stack(
        [
            rng.normal(size=n),
            rng.integers(0, 40, n),
            np.exp(rng.normal(size=n) * 5),
            np.where(rng.random(n) < 0.6, 0.0, rng.normal(size=n)),
            np.full(n, 7.0),
            np.full(n, np.nan),
            rng.integers(0, 5, n),
            rng.zipf(1.5, n).clip(1, 1000) - 1,
        ]
    )
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, np.array([0, 0, 0, 0, 0, 0, 6, 1000], dtype=np.int32)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("max_bins", [2, 16, 255])
def test_codes_count_the_edges_below(table, dtype, max_bins):
    X, n_values = table[0].astype(dtype), table[1]
    bins = Bins.of(X, n_values, max_bins=max_bins)
    codes = bins.codes(X)
    assert codes.dtype == np.uint8
    assert codes.flags.c_contiguous
    np.testing.assert_array_equal(codes, by_hand(bins, X))
    assert (bins.n_bins <= max_bins).all()
    seen = np.where(codes == MISSING, -1, codes.astype(int)).max(axis=0)
    numeric = (n_values == 0) & ~np.isnan(X).all(axis=0)
    np.testing.assert_array_equal(seen[numeric] + 1, bins.n_bins[numeric])


def test_few_values_are_cut_halfway(table):
    bins = Bins.of(*table)
    np.testing.assert_array_equal(bins.edges[1], np.arange(39) + 0.5)
    assert len(bins.edges[4]) == len(bins.edges[5]) == 0
    assert bins.n_bins[4] == bins.n_bins[5] == 1
    np.testing.assert_array_equal(bins.category_bins[6], np.arange(6))


def test_many_values_fill_the_bins_evenly(table):
    X, n_values = table
    bins = Bins.of(X, n_values)
    for j in (0, 2):
        counts = np.bincount(bins.codes(X)[:, j], minlength=256)[:255]
        assert bins.n_bins[j] == 255
        assert counts.max() <= 2 * counts.mean()
    zeros = bins.codes(np.array([[0.0] * 8]))[0, 3]
    alone = X[bins.codes(X)[:, 3] == zeros, 3]
    assert (alone == 0).sum() >= len(alone) - 5  # a heavy value shares its bin with hardly any other
    assert bins.n_bins[3] > 240


def test_rare_categories_share_the_last_bin(table):
    X, n_values = table
    bins = Bins.of(X, n_values, max_bins=16)
    counts = np.bincount(X[~np.isnan(X[:, 7]), 7].astype(int), minlength=1000)
    own = np.flatnonzero(bins.category_bins[7] < 15)
    assert len(own) == 15
    assert set(own) == set(np.argsort(-counts, kind="stable")[:15])
    assert bins.codes(np.array([[0, 0, 0, 0, 0, 0, 6, -1]], dtype=float))[0, 6:].tolist() == [MISSING, MISSING]


def test_weights_are_repeats_and_zero_weights_are_nothing(table):
    X, n_values = table
    weight = np.random.default_rng(1).integers(0, 4, len(X))
    one = Bins.of(X, n_values, weight.astype(float), max_bins=64)
    other = Bins.of(np.repeat(X, weight, axis=0), n_values, max_bins=64)
    np.testing.assert_array_equal(np.concatenate(one.edges), np.concatenate(other.edges))
    np.testing.assert_array_equal(np.concatenate(one.category_bins), np.concatenate(other.category_bins))


@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_equals_dense(weighted):
    X = sp.random(3001, 20, density=0.1, random_state=0, format="csr")
    X.data[::3] -= 2
    X.data[::7] = np.nan
    weight = np.random.default_rng(0).integers(0, 3, 3001).astype(float) if weighted else None
    one, other = Bins.of(X, weight=weight), Bins.of(X.toarray(), weight=weight)
    np.testing.assert_array_equal(np.concatenate(one.edges), np.concatenate(other.edges))
    np.testing.assert_array_equal(one.codes(X), other.codes(X.toarray()))


def test_threads_do_not_show(table):
    X, n_values = table
    one, two = (Bins.of(X, n_values, n_threads=threads) for threads in (1, 3))
    np.testing.assert_array_equal(np.concatenate(one.edges), np.concatenate(two.edges))
    np.testing.assert_array_equal(one.codes(X, n_threads=1), two.codes(X, n_threads=3))


def test_a_sample_is_enough_and_always_the_same(monkeypatch):
    X = np.random.default_rng(0).normal(size=(50_000, 3))
    whole = Bins.of(X)
    monkeypatch.setattr(_bins, "SAMPLE", 20_000)
    sample, again = Bins.of(X), Bins.of(X)
    np.testing.assert_array_equal(np.concatenate(sample.edges), np.concatenate(again.edges))
    for all_edges, edges in zip(whole.edges, sample.edges, strict=True):
        np.testing.assert_allclose(edges[20:-20], all_edges[20:-20], atol=0.1)
    assert Bins.of(sp.csr_matrix(X)).n_bins.tolist() == [255, 255, 255]


def test_close_huge_and_tiny_values():
    x = np.array([-1.7e308, -1.0, 1.0, np.nextafter(1.0, 2.0), 5e-324, -0.0, 0.0, 1.7e308])
    X = x.reshape(-1, 1)
    codes = Bins.of(X).codes(X).ravel()
    np.testing.assert_array_equal(codes, np.searchsorted(np.unique(x + 0.0), x))
    long = (1 + np.arange(10_000) * np.finfo(float).eps).reshape(-1, 1)  # equal in all the bits that the sort looks at
    assert Bins.of(long).n_bins[0] == 255


def test_pickle(table):
    X, n_values = table
    bins = Bins.of(X, n_values)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(bins)).codes(X), bins.codes(X))


def test_one_row_and_none():
    assert Bins.of(np.ones((1, 2))).codes(np.array([[0.0, np.nan]])).tolist() == [[0, MISSING]]
    assert Bins.of(np.ones((1, 2))).codes(np.empty((0, 2))).shape == (0, 2)
