"""The kernels that count, against NumPy, for any number of threads, and what they refuse."""

import numpy as np
import pytest
import scipy.sparse as sp
from lanatus._core import bayes as kernels
from lanatus._core import core


def codes_and_classes(n=20_000, d=6, values=5, k=3, seed=0):
    """Codes of values and of classes, -1 where one is missing."""
    random = np.random.RandomState(seed)
    return random.randint(-1, values, (n, d)).astype(np.int8), random.randint(-1, k, n).astype(np.int32)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32])
def test_counts(weighted, dtype):
    X, y = codes_and_classes()
    weight = np.random.RandomState(1).rand(len(X)) if weighted else None
    n_values = np.array([5, 5, 6, 5, 9, 5])
    found = [kernels.count_codes(X.astype(dtype), y, weight, n_values, 3, n_threads=t) for t in (1, 2, 5)]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    first = np.concatenate([[0], np.cumsum(n_values + 1)])
    mass = np.ones(len(X)) if weight is None else weight
    for j in range(6):
        assert (found[0][first[j]] == 0).all()  # missing values
        for v in range(n_values[j]):
            wanted = [mass[(X[:, j] == v) & (y == c)].sum() for c in range(3)]
            np.testing.assert_allclose(found[0][first[j] + 1 + v], wanted, rtol=1e-11)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6, 11])
def test_scores_of_codes(k):
    X, _ = codes_and_classes(3000)
    n_values = np.full(6, 5)
    random = np.random.RandomState(0)
    table, start = random.normal(size=(36, k)), random.normal(size=k)
    lines = np.arange(6) * 6 + 1 + X.astype(int)
    wanted = start + table[lines].sum(axis=1)
    for threads in (1, 3):
        np.testing.assert_allclose(kernels.coded_joint(X, n_values, table, start, n_threads=threads), wanted, rtol=1e-9)
        found = kernels.coded_predict(X, n_values, table, start, n_threads=threads)
        np.testing.assert_array_equal(found, wanted.argmax(axis=1))
    table[:] = -np.inf
    assert set(kernels.coded_predict(X, n_values, table, start, n_threads=1)) == {start.argmax()}


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32])
@pytest.mark.parametrize("above", [None, 1.0])
@pytest.mark.parametrize("k", [2, 7])
def test_sums_and_scores_of_numbers(dtype, above, k):
    random = np.random.RandomState(0)
    dense = random.poisson(0.6, (9000, 12)).astype(dtype)
    y, weight = random.randint(0, k, 9000).astype(np.int32), random.rand(9000)
    sparse = sp.csr_matrix(dense)
    csr = core.csr(sparse)
    values = dense.astype(float) if above is None else (dense > above).astype(float)
    wanted = values.T @ ((y[:, None] == np.arange(k)) * weight[:, None])
    sums = [kernels.class_sums(dense, y, weight, k, above=above, n_threads=t) for t in (1, 4)]
    sums.append(kernels.class_sums(csr, y, weight, k, above=above, n_threads=2))
    for found in sums:
        np.testing.assert_allclose(found, wanted, rtol=1e-11)
    np.testing.assert_array_equal(sums[0], sums[1])
    table, start = random.normal(size=(12, k)), random.normal(size=k)
    wanted = start + values @ table
    for found in (
        kernels.linear_joint(dense, table, start, above=above, n_threads=2),
        kernels.linear_joint(csr, table, start, above=above, n_threads=2),
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-11)
    for found in (
        kernels.linear_predict(dense, table, start, otherwise=0, above=above, n_threads=2),
        kernels.linear_predict(csr, table, start, otherwise=0, above=above, n_threads=2),
    ):
        np.testing.assert_array_equal(found, wanted.argmax(axis=1))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "f4", "f8"])
def test_survey_and_narrow(dtype):
    random = np.random.RandomState(0)
    X = random.randint(0, 100, (5000, 3)).astype(dtype)
    least, largest, unfit = kernels.survey_codes(X, n_threads=2)
    np.testing.assert_array_equal(least, X.min(axis=0))
    np.testing.assert_array_equal(largest, X.max(axis=0))
    assert not unfit.any()
    limit = np.array([100, 50, 0])
    wanted = np.where(np.less(X, limit), X, -1)
    for narrow in (kernels.narrow_int8, kernels.narrow_int16, kernels.narrow_int32):
        np.testing.assert_array_equal(narrow(X, limit, n_threads=2), wanted)


def test_survey_of_what_is_no_code():
    X = np.array([[0.5, np.nan, 3e9], [np.nan, np.nan, 1.0]])
    least, largest, unfit = kernels.survey_codes(X, n_threads=1)
    assert unfit.tolist() == [1, 0, 1]
    assert (least[1], largest[1]) == (0, -1)
    assert kernels.survey_codes(np.array([[2**40]]), n_threads=1)[2].tolist() == [1]


def test_codes_out_of_range_are_refused():
    X, y = codes_and_classes(10)
    n_values, table, start = np.full(6, 5), np.zeros((36, 3)), np.zeros(3)
    for wrong in (5, -2):
        bad = X.copy()
        bad[3, 2] = wrong
        with pytest.raises(ValueError, match="code"):
            kernels.count_codes(bad, np.zeros(10, np.int32), None, n_values, 3, n_threads=2)
        with pytest.raises(ValueError, match="code"):
            kernels.coded_joint(bad, n_values, table, start, n_threads=2)
    with pytest.raises(ValueError, match="class code"):
        kernels.count_codes(X, y + 3, None, n_values, 3, n_threads=1)
    with pytest.raises(ValueError, match="n_values"):
        kernels.count_codes(X, y, None, n_values[:5], 3, n_threads=1)
    with pytest.raises(ValueError, match="lines a column"):
        kernels.coded_joint(X, n_values, table[:-1], start, n_threads=1)
