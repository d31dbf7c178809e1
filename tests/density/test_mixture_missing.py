"""Mixtures of rows with holes: EM proper, against closed forms and brute force."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning

from lanatus.density import GaussianMixture

KINDS = ["full", "tied", "diag", "spherical"]


def holed(n=300, d=4, share=0.15, seed=0):
    rng = np.random.RandomState(seed)
    which = rng.randint(2, size=n)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.4) + 4.0 * which[:, None]
    X[rng.rand(n, d) < share] = np.nan
    X[0] = 1.0  # a whole row
    return X


def matrix(model, c):
    d = model.means_.shape[1]
    return {
        "full": lambda: model.covariances_[c],
        "tied": lambda: model.covariances_,
        "diag": lambda: np.diag(model.covariances_[c]),
        "spherical": lambda: model.covariances_[c] * np.eye(d),
    }[model.covariance_type]()


def observed_joint(model, x):
    """Log p(observed part, component), by SciPy's marginals."""
    seen = ~np.isnan(x)
    if not seen.any():
        return np.log(model.weights_)
    return np.array(
        [
            np.log(w) + multivariate_normal(model.means_[c][seen], matrix(model, c)[np.ix_(seen, seen)]).logpdf(x[seen])
            for c, w in enumerate(model.weights_)
        ]
    )


@pytest.mark.covers("density.gmm")
def test_one_component_with_nested_holes_has_a_closed_form():
    """Anderson (1957): x1 always seen, x2 sometimes; the likelihood factors into x1 and x2 given x1."""
    rng = np.random.RandomState(0)
    x1 = rng.normal(size=200)
    x2 = 1.0 + 2.0 * x1 + 0.5 * rng.normal(size=200)
    seen = rng.rand(200) < 0.5 + 0.3 * (x1 > 0)  # missing at random, not completely at random
    slope, level = np.polyfit(x1[seen], x2[seen], 1)
    residual = np.mean((x2[seen] - level - slope * x1[seen]) ** 2)
    mean = [x1.mean(), level + slope * x1.mean()]
    covariance = [[x1.var(), slope * x1.var()], [slope * x1.var(), residual + slope**2 * x1.var()]]
    X = np.column_stack([x1, np.where(seen, x2, np.nan)])
    model = GaussianMixture(tol=1e-14, max_iter=5000, reg_covar=0.0).fit(X)
    np.testing.assert_allclose(model.means_[0], mean, rtol=1e-6)
    np.testing.assert_allclose(model.covariances_[0], covariance, rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_likelihood_of_what_is_seen_rises_and_is_right(kind):
    X = holed()
    model = GaussianMixture(2, covariance_type=kind, random_state=0, tol=1e-7, max_iter=3000, reg_covar=0.0).fit(X)
    assert np.diff(model.lower_bounds_).min() > -1e-10
    joint = np.array([observed_joint(model, x) for x in X])
    density = logsumexp(joint, axis=1)
    np.testing.assert_allclose(model.score_samples(X), density, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(model.predict_proba(X), np.exp(joint - density[:, None]), rtol=1e-7, atol=1e-12)
    assert model.score(X) == pytest.approx(density.mean(), rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_is_stationary(kind):
    X = holed(n=150)
    how = {"covariance_type": kind, "tol": 1e-13, "max_iter": 20_000, "reg_covar": 0.0, "random_state": 0}
    model = GaussianMixture(2, **how).fit(X)
    means = model.means_.copy()
    for c, j in np.ndindex(2, 4):
        sides = []
        for step in (-1e-4, 1e-4):
            model.means_ = means.copy()
            model.means_[c, j] += step
            sides.append(model.score(X))
        assert abs(sides[1] - sides[0]) / 2e-4 < 1e-5


@pytest.mark.parametrize("kind", KINDS)
def test_without_holes_it_is_the_plain_method(kind):
    """Hiding nothing but one value of a heavy data set hardly moves the answer, and weights of 0 hide a row."""
    X = holed(share=0.0)
    more = np.vstack([X, np.full((1, 4), np.nan)])
    more[-1, 0] = 3.0
    start = {"weights_init": [0.5, 0.5], "means_init": X[1:3], "covariance_type": kind, "random_state": 0}
    plain = GaussianMixture(2, **start).fit(X)
    hidden = GaussianMixture(2, **start).fit(more, sample_weight=np.append(np.ones(len(X)), 0.0))
    np.testing.assert_allclose(hidden.means_, plain.means_, rtol=1e-8)
    np.testing.assert_allclose(hidden.covariances_, plain.covariances_, rtol=1e-8, atol=1e-9)


def test_weights_equal_repeats():
    X = holed(n=120)
    weight = np.random.RandomState(1).randint(0, 4, len(X))
    start = {"weights_init": [0.5, 0.5], "means_init": np.nan_to_num(X[:2]), "random_state": 0}
    start["covariances_init"] = np.tile(np.eye(4), (2, 1, 1))
    heavy = GaussianMixture(2, **start).fit(X, sample_weight=weight)
    repeated = GaussianMixture(2, **start).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(heavy.means_, repeated.means_, rtol=1e-9)
    np.testing.assert_allclose(heavy.covariances_, repeated.covariances_, rtol=1e-9, atol=1e-12)


def test_rows_and_columns_without_values():
    X = holed()
    model = GaussianMixture(2, random_state=0).fit(X)
    nothing = np.full((1, 4), np.nan)
    assert model.score_samples(nothing)[0] == 0.0
    np.testing.assert_allclose(model.predict_proba(nothing)[0], model.weights_, rtol=1e-12)
    start = {"weights_init": [0.5, 0.5], "means_init": model.means_ + 0.1, "covariances_init": model.covariances_}
    with pytest.warns(ConvergenceWarning):
        less = GaussianMixture(2, max_iter=5, tol=0.0, **start).fit(X)
    with pytest.warns(ConvergenceWarning):
        more = GaussianMixture(2, max_iter=5, tol=0.0, **start).fit(np.vstack([X, nothing]))
    np.testing.assert_allclose(more.means_, less.means_, rtol=1e-12)
    np.testing.assert_allclose(more.weights_, less.weights_, rtol=1e-12)
    X[:, 2] = np.nan
    with pytest.raises(ValueError, match=r"'x2' have no values"):
        GaussianMixture(2).fit(X)


def test_every_row_may_have_a_hole():
    X = holed(share=0.0)
    X[np.arange(len(X)), np.arange(len(X)) % 4] = np.nan
    model = GaussianMixture(2, random_state=0, reg_covar=0.0).fit(X)
    assert np.diff(model.lower_bounds_).min() > -1e-10


def test_holes_cost_little_accuracy():
    """The components are found as well as from complete rows; filling with means would bias the covariances."""
    rng = np.random.RandomState(0)
    covariance = np.array([[1.0, 0.8], [0.8, 1.0]])
    X = rng.multivariate_normal([0, 0], covariance, 4000)
    X[rng.rand(4000) < 0.5, 1] = np.nan
    model = GaussianMixture(tol=1e-9, max_iter=1000).fit(X)
    np.testing.assert_allclose(model.covariances_[0], covariance, atol=0.06)
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    assert np.cov(filled.T)[0, 1] < 0.5


def test_far_rows_with_holes_still_have_shares_that_sum_to_one():
    X = np.random.RandomState(0).normal(size=(50, 2))
    model = GaussianMixture(3, covariance_type="tied", random_state=0).fit(X)
    found = model.predict_proba([[1e9, np.nan], [np.nan, -1e9]])
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
