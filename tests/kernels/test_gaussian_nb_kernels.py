"""Gaussian naive Bayes kernels against their definitions."""

from fractions import Fraction

import numpy as np
import pytest
from lanatus._core import bayes

FLOATS = [np.float32, np.float64]


def brute_moments(X, y, w, k):
    X = X.astype(np.float64)
    mass, mean, m2 = np.zeros((3, k, X.shape[1]))
    for c in range(k):
        rows, weight = X[y == c], w[y == c]
        for j in range(X.shape[1]):
            here = ~np.isnan(rows[:, j])
            x, v = rows[here, j], weight[here]
            mass[c, j] = v.sum()
            if mass[c, j] > 0:
                mean[c, j] = (v * x).sum() / mass[c, j]
                m2[c, j] = (v * (x - mean[c, j]) ** 2).sum()
    return mass, mean, m2


def labelled_rows(n, d, k, dtype, seed=0, missing=0.0):
    """Normal rows with holes, codes of classes, weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(dtype)
    X[rng.random(size=X.shape) < missing] = np.nan
    return X, rng.integers(k, size=n).astype(np.int32), rng.exponential(size=n)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize(
    ("n", "d", "k"), [(1, 1, 1), (50, 3, 2), (999, 17, 5), (3000, 20, 2), (700, 1, 200), (5, 900, 3)]
)
def test_moments_match_their_definition(n, d, k, dtype, missing):
    X, y, w = labelled_rows(n, d, k, dtype, missing=missing)
    for weights in (None, w):
        got = bayes.moments(X, y, weights, k, n_threads=2)
        expected = brute_moments(X, y, np.ones(n) if weights is None else w, k)
        for a, b in zip(got, expected, strict=True):
            assert a.dtype == np.float64
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.05])
def test_moments_do_not_depend_on_threads(missing):
    X, y, w = labelled_rows(20_000, 7, 3, np.float64, missing=missing)
    one = bayes.moments(X, y, w, 3, n_threads=1)
    for n_threads in (2, 7):
        for a, b in zip(one, bayes.moments(X, y, w, 3, n_threads=n_threads), strict=True):
            assert np.array_equal(a, b)


def test_a_large_offset_does_not_cancel():
    X, y, _ = labelled_rows(20_000, 4, 2, np.float64)
    shifted = X + 1e8  # rounds X: the truth is that of the rounded numbers
    _, mean, m2 = bayes.moments(shifted, y, None, 2, n_threads=2)
    for c in range(2):
        exact = (shifted[y == c] - 1e8).astype(np.longdouble)  # exact differences
        np.testing.assert_allclose(mean[c] - 1e8, exact.mean(axis=0).astype(float), rtol=0, atol=3e-8)
        truth = ((exact - exact.mean(axis=0)) ** 2).sum(axis=0).astype(float)
        np.testing.assert_allclose(m2[c], truth, rtol=1e-10)


def test_moments_of_few_values_are_exact_fractions():
    values = [1, 2, 4, 8]
    _, mean, m2 = bayes.moments(np.array(values, float)[:, None], np.zeros(4, np.int32), None, 1, n_threads=1)
    average = Fraction(sum(values), 4)
    assert mean[0, 0] == float(average)
    assert m2[0, 0] == float(sum((v - average) ** 2 for v in values))


def test_rows_without_class_or_weight_count_for_nothing():
    X, y, w = labelled_rows(400, 5, 3, np.float64)
    out, zero = y.copy(), w.copy()
    out[::3], zero[1::3] = -1, 0
    kept = (out >= 0) & (zero > 0)
    got = bayes.moments(X, out, zero, 3, n_threads=2)
    for a, b in zip(got, brute_moments(X[kept], y[kept], w[kept], 3), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


def test_an_empty_class_has_no_mass():
    X, y, _ = labelled_rows(30, 2, 1, np.float64)
    mass, mean, m2 = bayes.moments(X, y, None, 3, n_threads=1)
    assert np.all(mass[1:] == 0)
    assert np.all(mean[1:] == 0)
    assert np.all(m2[1:] == 0)
    mass, _, _ = bayes.moments(X[:0], y[:0], None, 3, n_threads=2)
    assert np.all(mass == 0)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("missing", [0.0, 0.2, 1.0])
@pytest.mark.parametrize(("n", "d", "k"), [(1, 1, 1), (300, 3, 2), (400, 17, 5), (200, 20, 33)])
def test_scores_match_their_definition(n, d, k, dtype, missing):
    X, _, _ = labelled_rows(n, d, k, dtype, missing=missing)
    rng = np.random.default_rng(1)
    mean, var, prior = (
        rng.normal(size=(k, d)),
        rng.exponential(size=(k, d)) + 0.1,
        np.log(rng.dirichlet(np.ones(k))),
    )
    terms = -0.5 * (np.log(2 * np.pi * var) + (X[:, None, :].astype(float) - mean) ** 2 / var)
    expected = prior + np.nansum(terms, axis=2)
    got = bayes.joint_log_likelihood(X, mean, var, prior, n_threads=2)
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-11)
    labels = bayes.predict(X, mean, var, prior, n_threads=2)
    assert labels.dtype == np.int32
    assert np.array_equal(labels, got.argmax(axis=1))
    for n_threads in (1, 7):
        assert np.array_equal(got, bayes.joint_log_likelihood(X, mean, var, prior, n_threads=n_threads))


def test_ties_go_to_the_lowest_class():
    mean, var, prior = np.zeros((3, 2)), np.ones((3, 2)), np.zeros(3)
    assert np.all(bayes.predict(np.ones((10, 2)), mean, var, prior, n_threads=1) == 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.zeros(4, np.int32)}, "y and X"),
        ({"w": np.ones(4)}, "w and X"),
        ({"y": np.full(5, 2, np.int32)}, "class code"),
        ({"n_classes": 0}, "n_classes"),
        ({"n_threads": 0}, "n_threads"),
    ],
)
def test_moments_refuse_what_does_not_fit(change, message):
    call = {
        "X": np.ones((5, 2)),
        "y": np.zeros(5, np.int32),
        "w": None,
        "n_classes": 2,
        "n_threads": 1,
    } | change
    with pytest.raises(ValueError, match=message):
        bayes.moments(**call)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mean": np.zeros((2, 3))}, "mean and X"),
        ({"var": np.ones((3, 2))}, "var and mean"),
        ({"log_prior": np.zeros(3)}, "log_prior"),
        ({"mean": np.zeros((0, 2)), "var": np.zeros((0, 2)), "log_prior": np.zeros(0)}, "at least one class"),
    ],
)
@pytest.mark.parametrize("kernel", [bayes.predict, bayes.joint_log_likelihood])
def test_scores_refuse_what_does_not_fit(kernel, change, message):
    call = {
        "X": np.ones((5, 2)),
        "mean": np.zeros((2, 2)),
        "var": np.ones((2, 2)),
        "log_prior": np.zeros(2),
    } | change
    with pytest.raises(ValueError, match=message):
        kernel(**call, n_threads=1)
