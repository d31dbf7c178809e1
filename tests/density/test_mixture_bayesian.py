"""Bayesian mixtures: the bound rises, priors do what they say."""

import numpy as np
import pytest

from lanatus.density import BayesianGaussianMixture, GaussianMixture

KINDS = ["full", "tied", "diag", "spherical"]
PRIORS = ["dirichlet_process", "dirichlet_distribution"]


def two_groups(n=300, seed=0):
    rng = np.random.RandomState(seed)
    return np.vstack([rng.normal(-4, 1, (n, 2)), rng.normal(4, 1, (n, 2))])


@pytest.mark.covers("graphical.variational-em")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("start", ["kmeans", "random", "k-means++", "random_from_data"])
def test_the_bound_never_falls(kind, prior, start):
    model = BayesianGaussianMixture(
        4,
        covariance_type=kind,
        weight_concentration_prior_type=prior,
        init_params=start,
        max_iter=2000,
        reg_covar=0.0,
        random_state=0,
    ).fit(two_groups())
    assert np.diff(model.lower_bounds_).min() > -1e-7
    assert model.weights_.sum() == pytest.approx(1.0, rel=1e-12)


def test_components_that_are_not_needed_lose_their_weight():
    X = two_groups()
    model = BayesianGaussianMixture(6, weight_concentration_prior=1e-3, max_iter=500, random_state=0).fit(X)
    assert (model.weights_ > 0.05).sum() == 2
    assert model.score(X) > GaussianMixture(1).fit(X).score(X)


def test_priors_pull():
    X = two_groups()
    strong = BayesianGaussianMixture(1, mean_prior=[10.0, 0.0], mean_precision_prior=1e9).fit(X)
    np.testing.assert_allclose(strong.means_[0], [10.0, 0.0], atol=1e-4)
    stiff = BayesianGaussianMixture(1, covariance_prior=[[4.0, 1.0], [1.0, 9.0]], degrees_of_freedom_prior=2).fit(X)
    loose = np.cov(X.T, bias=True)
    expected = (np.array([[4.0, 1.0], [1.0, 9.0]]) + 600 * loose) / 602
    np.testing.assert_allclose(stiff.covariances_[0], expected, rtol=1e-6)


def test_bad_priors_are_named():
    X = two_groups(20)
    for wrong, words in [
        ({"degrees_of_freedom_prior": 0.5}, "degrees_of_freedom_prior must be greater than 1"),
        ({"mean_prior": [1.0]}, "mean_prior"),
        ({"covariance_prior": [[1.0]]}, "covariance_prior must have shape"),
        ({"covariance_prior": [[1.0, 2.0], [2.0, 1.0]]}, "positive definite"),
        ({"covariance_prior": [1.0, -1.0], "covariance_type": "diag"}, "positive definite"),
        ({"n_components": 50}, "n_components=50"),
    ]:
        with pytest.raises(ValueError, match=words):
            BayesianGaussianMixture(**wrong).fit(X)


@pytest.mark.parametrize("kind", KINDS)
def test_constant_columns_and_one_row(kind):
    X = np.column_stack([two_groups(30), np.ones(60)])
    model = BayesianGaussianMixture(2, covariance_type=kind, random_state=0, max_iter=1000).fit(X)
    assert np.isfinite(model.score_samples(X)).all()
    assert np.isfinite(BayesianGaussianMixture(covariance_type=kind).fit(X[:1]).score(X[:1]))


def test_warm_start_goes_on():
    X = two_groups()
    model = BayesianGaussianMixture(3, warm_start=True, random_state=0, max_iter=1000).fit(X)
    before = model.lower_bound_
    assert model.fit(X).lower_bound_ >= before - 1e-9
    assert model.n_iter_ <= 3
