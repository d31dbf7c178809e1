"""Kernels that count pairs and families: shapes, types and codes are checked, threads do not show."""

import numpy as np
import pytest
from lanatus._core import bayes as kernels


def codes_and_classes(n=4000, d=6, k=3, dtype=np.int8):
    """Codes of values, how many each column has, codes of classes, weights, number of classes."""
    rng = np.random.RandomState(0)
    sizes = np.array([2, 3, 4, 2, 9, 1])[:d]
    X = np.column_stack([rng.randint(-1, size, n) for size in sizes]).astype(dtype)
    return X, sizes, rng.randint(-1, k, n).astype(np.int32), rng.rand(n), k


@pytest.mark.parametrize("weighted", [False, True])
def test_threads_do_not_show(weighted):
    X, sizes, y, w, k = codes_and_classes()
    weight = w if weighted else None
    counts = [kernels.pair_counts(X, sizes, y, weight, k, n_threads=threads) for threads in (1, 2, 5)]
    np.testing.assert_array_equal(counts[0], counts[1])
    np.testing.assert_array_equal(counts[0], counts[2])
    assert counts[0].shape == (21, 21, 3)


def test_large_domains_need_wider_codes():
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.randint(0, 300, 500), rng.randint(0, 2, 500)]).astype(np.int16)
    y = rng.randint(0, 2, 500).astype(np.int32)
    counts = kernels.pair_counts(X, np.array([300, 2]), y, None, 2, n_threads=2)
    assert counts[:300, 300:].sum() == 500
    np.testing.assert_array_equal(np.einsum("aac->c", counts[:300, :300]), np.bincount(y))


def test_what_does_not_fit_is_refused():
    X, sizes, y, w, k = codes_and_classes(50)
    with pytest.raises(ValueError, match="number of samples"):
        kernels.pair_counts(X, sizes, y[:-1].copy(), None, k, n_threads=1)
    with pytest.raises(ValueError, match="number of samples"):
        kernels.pair_counts(X, sizes, y, w[:-1].copy(), k, n_threads=1)
    with pytest.raises(ValueError, match="not below n_classes"):
        kernels.pair_counts(X, sizes, y, None, 2, n_threads=1)
    with pytest.raises(ValueError, match="not below its size"):
        kernels.pair_counts(X, sizes - (sizes > 1), y, None, k, n_threads=1)
    with pytest.raises(ValueError, match="number of features"):
        kernels.pair_counts(X, sizes[:-1].copy(), y, None, k, n_threads=1)
    with pytest.raises(TypeError):
        kernels.pair_counts(X.astype(float), sizes, y, None, k, n_threads=1)
    none = np.zeros(7, dtype=np.int64)
    with pytest.raises(ValueError, match="one entry more"):
        kernels.Families(sizes, none[:-1].copy(), none[:0].copy(), none)
    with pytest.raises(ValueError, match="parents must be columns"):
        kernels.Families(sizes, np.arange(len(sizes) + 1), np.full(len(sizes), 99), np.zeros(len(sizes) + 1, np.int64))
    alone = kernels.Families(sizes, np.zeros(len(sizes) + 1, np.int64), none[:0].copy(), np.arange(len(sizes) + 1))
    with pytest.raises(ValueError, match="table_start does not fit"):
        kernels.count_families(X, alone, y, None, k, n_threads=1)
    with pytest.raises(ValueError, match="do not fit"):
        kernels.averaged_scores(
            X, sizes, 1, np.zeros((3, k)), np.zeros(5), np.ones(3, np.uint8), literal=False, n_threads=1
        )
