"""The kernel of Gaussian mixtures, against NumPy and SciPy, for every shape and many sizes."""

import numpy as np
import pytest
from lanatus._core import density as kernels
from scipy.special import logsumexp


def mixture(d, k, n, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(dtype)
    means = rng.normal(size=(k, d))
    factors = np.tril(rng.normal(size=(k, d, d)) * 0.3) + np.eye(d)
    return X, rng.random(n), means, factors, rng.normal(size=k)


def arguments(shape, means, factors, log_const):
    k, d = means.shape
    none = np.zeros((0, d)), np.zeros(0)
    if shape == "full":
        return means, factors.reshape(k * d, d), log_const, shape, *none
    if shape == "diag":
        return means, np.ascontiguousarray(np.diagonal(factors, axis1=1, axis2=2)), log_const, shape, *none
    origin = means.mean(axis=0)
    return means, factors[0].copy(), log_const, shape, (means - origin) @ factors[0].T, origin


def expected(shape, X, w, means, factors, log_const):
    k, d = means.shape
    used = {"full": factors, "tied": np.repeat(factors[:1], k, axis=0), "diag": factors * np.eye(d)}[shape]
    gap = X.astype(np.float64)[None] - means[:, None]
    joint = log_const[:, None] - 0.5 * ((gap @ np.swapaxes(used, 1, 2)) ** 2).sum(axis=2)
    density = logsumexp(joint, axis=0)
    shares = np.exp(joint - density)
    owned = shares * w
    second = np.einsum("kn,kni,knj->kij", owned, gap, gap)
    entropy = -(owned * (joint - density)).sum()
    return density, shares.T, owned.sum(axis=1), np.einsum("kn,kni->ki", owned, gap), second, entropy


@pytest.mark.parametrize("shape", ["full", "tied", "diag"])
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 7, 8, 10, 33])
@pytest.mark.parametrize(("k", "n"), [(1, 1), (3, 13), (4, 1000), (2, 3001)])
def test_sums_and_posteriors(shape, d, k, n):
    X, w, means, factors, log_const = mixture(d, k, n)
    how = arguments(shape, means, factors, log_const)
    likelihood, entropy, mass, first, second = kernels.mixture_sums(X, w, *how, n_threads=2)
    density, shares, want_mass, want_first, want_second, want_entropy = expected(shape, X, w, means, factors, log_const)
    assert likelihood == pytest.approx((w * density).sum(), rel=1e-11, abs=1e-11)
    assert entropy == pytest.approx(want_entropy, rel=1e-9, abs=1e-11)
    np.testing.assert_allclose(mass, want_mass, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(first.reshape(k, d), want_first, rtol=1e-9, atol=1e-10)
    if shape == "full":
        np.testing.assert_allclose(np.tril(second.reshape(k, d, d)), np.tril(want_second), rtol=1e-9, atol=1e-10)
    elif shape == "diag":
        diagonals = np.diagonal(want_second, axis1=1, axis2=2)
        np.testing.assert_allclose(second.reshape(k, d), diagonals, rtol=1e-9, atol=1e-10)
    else:
        assert second.size == 0
    got_density, got_shares = kernels.mixture_posteriors(X, *how, n_threads=2)
    np.testing.assert_allclose(got_density, density, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(got_shares, shares, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("shape", ["full", "tied", "diag"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_do_not_change_a_bit(shape, dtype):
    X, w, means, factors, log_const = mixture(6, 3, 20_000, dtype)
    how = arguments(shape, means, factors, log_const)
    runs = [kernels.mixture_sums(X, w, *how, n_threads=threads) for threads in (1, 2, 7)]
    for other in runs[1:]:
        for one, two in zip(runs[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


def test_no_weights_are_weights_of_one():
    X, _, means, factors, log_const = mixture(3, 2, 777)
    how = arguments("full", means, factors, log_const)
    plain = kernels.mixture_sums(X, None, *how, n_threads=1)
    ones = kernels.mixture_sums(X, np.ones(777), *how, n_threads=1)
    for one, two in zip(plain, ones, strict=True):
        np.testing.assert_array_equal(one, two)


def test_rows_far_from_everything_have_finite_answers():
    _, _, means, factors, log_const = mixture(2, 3, 1)
    how = arguments("full", means, factors, log_const)
    density, shares = kernels.mixture_posteriors(np.array([[1e200, 0.0], [1e6, -1e6]]), *how, n_threads=1)
    assert np.isfinite(density).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    assert density[0] < density[1] < -1e9


def test_wrong_shapes_are_refused():
    X, w, means, factors, log_const = mixture(3, 2, 10)
    how = arguments("full", means, factors, log_const)
    with pytest.raises(ValueError, match="number of features"):
        kernels.mixture_sums(X[:, :2].copy(), w, *how, n_threads=1)
    with pytest.raises(ValueError, match="number of samples"):
        kernels.mixture_sums(X, w[:5].copy(), *how, n_threads=1)
    with pytest.raises(ValueError, match="shape must be"):
        kernels.mixture_sums(X, w, *how[:3], "oval", *how[4:], n_threads=1)
    with pytest.raises(ValueError, match="factors"):
        kernels.mixture_sums(X, w, means, factors[0].copy(), *how[2:], n_threads=1)
