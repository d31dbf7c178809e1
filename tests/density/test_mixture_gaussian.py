"""One normal density: maximum likelihood, Bessel's correction, singular covariances."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.covariance import EmpiricalCovariance, ShrunkCovariance

from lanatus.density import GaussianDensity, multivariate_normal_pdf


def correlated_normal(n=200, d=3, seed=0):
    """Normal rows with a full covariance, far from the origin."""
    rng = np.random.RandomState(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d) * 100


@pytest.mark.covers("density.gaussian-density")
def test_densities_are_those_of_scipy():
    X = correlated_normal()
    mean, cov = X.mean(axis=0), np.cov(X.T)
    np.testing.assert_allclose(
        multivariate_normal_pdf(X, mean, cov, log=True), multivariate_normal(mean, cov).logpdf(X), rtol=1e-10
    )
    np.testing.assert_allclose(multivariate_normal_pdf(X, mean, cov), multivariate_normal(mean, cov).pdf(X), rtol=1e-9)
    variances = np.diag(cov)
    np.testing.assert_allclose(
        multivariate_normal_pdf(X, mean, variances, log=True),
        multivariate_normal(mean, np.diag(variances)).logpdf(X),
        rtol=1e-10,
    )
    assert isinstance(multivariate_normal_pdf(X[0], mean, 2.0), float)
    assert multivariate_normal_pdf(X[0], mean, 2.0) == pytest.approx(
        multivariate_normal(mean, 2.0 * np.eye(3)).pdf(X[0]), rel=1e-10
    )


def test_a_singular_covariance_has_a_density_on_its_span_only():
    flat = np.array([[1.0, 1.0], [1.0, 1.0]])
    with pytest.raises(ValueError, match="singular"):
        multivariate_normal_pdf([[0.0, 0.0]], [0.0, 0.0], flat)
    got = multivariate_normal_pdf([[1.0, 1.0], [1.0, 0.5]], [0.0, 0.0], flat, allow_singular=True)
    # On the line x1 = x2 the variance along it is 2, and (1, 1) is sqrt(2) away.
    assert got[0] == pytest.approx(np.exp(-0.5) / np.sqrt(2 * np.pi * 2), rel=1e-9)
    assert got[1] == 0.0
    peer = multivariate_normal([0.0, 0.0], flat, allow_singular=True)
    assert got[0] == pytest.approx(peer.pdf([1.0, 1.0]), rel=1e-9)


def test_columns_of_very_different_scales_are_not_singular():
    X = np.random.RandomState(0).normal(size=(100, 2))
    scale = np.array([1e-9, 1e3])
    one, other = GaussianDensity().fit(X), GaussianDensity().fit(X * scale)
    np.testing.assert_allclose(other.score_samples(X * scale), one.score_samples(X) - np.log(scale).sum(), rtol=1e-9)


def test_bad_covariances_are_refused():
    for cov, words in [
        ([[1.0, 0.5], [0.0, 1.0]], "symmetric"),
        ([[1.0, 2.0], [2.0, 1.0]], "negative"),
        ([1.0, 2.0, 3.0], "shape"),
    ]:
        with pytest.raises(ValueError, match=words):
            multivariate_normal_pdf([[0.0, 0.0]], [0.0, 0.0], cov)
    with pytest.raises(ValueError, match="columns"):
        multivariate_normal_pdf([[0.0]], [0.0, 0.0], 1.0)


@pytest.mark.covers("density.gaussian-mle")
@pytest.mark.parametrize("ddof", [0, 1])
def test_moments_and_bessel(ddof):
    X = correlated_normal()
    model = GaussianDensity(ddof=ddof).fit(X)
    np.testing.assert_allclose(model.mean_, X.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(model.covariance_, np.cov(X.T, ddof=ddof), rtol=1e-10, atol=1e-12)
    peer = multivariate_normal(model.mean_, model.covariance_)
    np.testing.assert_allclose(model.score_samples(X), peer.logpdf(X), rtol=1e-10)
    assert model.score(X) == pytest.approx(peer.logpdf(X).sum(), rel=1e-10)
    if ddof == 0:
        np.testing.assert_allclose(model.covariance_, EmpiricalCovariance().fit(X).covariance_, rtol=1e-9)


def test_maximum_likelihood_is_biased_and_bessel_is_not():
    """Cookbook 3.2: the expectation of the ML variance is (n - 1) / n of the true one."""
    rng = np.random.RandomState(0)
    samples = rng.normal(size=(600, 5, 1))
    ml = np.mean([GaussianDensity().fit(x).covariance_ for x in samples])
    bessel = np.mean([GaussianDensity(ddof=1).fit(x).covariance_ for x in samples])
    assert ml == pytest.approx(0.8, abs=0.07)
    assert bessel == pytest.approx(1.0, abs=0.07)


def test_kinds_shrinkage_and_regularisation():
    X = correlated_normal()
    cov = np.cov(X.T, bias=True)
    np.testing.assert_allclose(GaussianDensity(covariance_type="diag").fit(X).covariance_, np.diag(cov), rtol=1e-10)
    sphere = GaussianDensity(covariance_type="spherical").fit(X)
    assert float(sphere.covariance_) == pytest.approx(np.diag(cov).mean(), rel=1e-10)
    assert np.isfinite(sphere.score(X))
    shrunk = GaussianDensity(shrinkage=0.3).fit(X).covariance_
    np.testing.assert_allclose(shrunk, ShrunkCovariance(shrinkage=0.3).fit(X).covariance_, rtol=1e-9)
    more = GaussianDensity(reg_covar=0.5).fit(X).covariance_
    np.testing.assert_allclose(more, cov + 0.5 * np.eye(3), rtol=1e-9)


def test_weights_are_repeats():
    X = correlated_normal(50)
    weight = np.random.RandomState(0).randint(0, 4, 50)
    heavy = GaussianDensity(ddof=1).fit(X, sample_weight=weight)
    repeated = GaussianDensity(ddof=1).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(heavy.covariance_, repeated.covariance_, rtol=1e-10)
    assert heavy.n_samples_ == weight.sum()


def test_constant_columns_and_few_rows():
    X = np.column_stack([correlated_normal(20, 1), np.full(20, 0.1)])
    model = GaussianDensity().fit(X)
    assert np.isfinite(model.score_samples(X)).all()
    assert model.covariance_[1, 1] == 0.0
    assert model.score_samples([[X[0, 0], 0.2]])[0] == -np.inf
    with pytest.raises(ValueError, match="singular"):
        GaussianDensity(allow_singular=False).fit(X)
    with pytest.raises(ValueError, match="ddof=1"):
        GaussianDensity(ddof=1).fit(X[:1])
    assert GaussianDensity().fit(X[:1]).score_samples(X[:1])[0] == 0.0


def test_samples_follow_the_density():
    model = GaussianDensity().fit(correlated_normal())
    drawn = model.sample(50_000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), model.mean_, rtol=1e-2)
    np.testing.assert_allclose(np.cov(drawn.T), model.covariance_, rtol=0.1, atol=0.05)
    np.testing.assert_array_equal(drawn[:3], model.sample(50_000, random_state=0)[:3])
