"""Invariants of Gaussian mixtures, for data that hypothesis makes."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from lanatus.density import BayesianGaussianMixture, GaussianMixture

kinds = st.sampled_from(["full", "tied", "diag", "spherical"])


@st.composite
def cases(draw, holes=False):
    """Rows with a few clusters, and a start of k components."""
    n, d, k = draw(st.integers(8, 40)), draw(st.integers(1, 5)), draw(st.integers(1, 3))
    rng = np.random.RandomState(draw(st.integers(0, 10**6)))
    X = rng.normal(size=(n, d)) * 10.0 ** draw(st.integers(-2, 2)) + rng.randint(3, size=(n, 1))
    if holes:
        X[rng.rand(n, d) < 0.2] = np.nan
        X[0] = 0.5
    kind = draw(kinds)
    spread = np.nanvar(X, axis=0).mean() + 1e-3
    shape = {"full": (k, 1, 1), "tied": (), "diag": (k, 1), "spherical": (k,)}[kind]
    eye = np.eye(d) if kind in ("full", "tied") else np.ones(d) if kind == "diag" else np.ones(())
    start = {
        "covariance_type": kind,
        "weights_init": np.full(k, 1 / k),
        "means_init": np.nan_to_num(X[rng.choice(n, k, replace=False)]),
        "covariances_init": spread * np.ones(shape) * eye,
        "reg_covar": 1e-9 * spread,
        "max_iter": 8,
        "tol": 0.0,
    }
    return X, k, start


def fit(model, X, weight=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, sample_weight=weight)


@pytest.mark.covers("density.gmm")
@settings(max_examples=60)
@given(cases(), st.booleans())
def test_likelihood_never_falls(case, weighted):
    X, k, start = case
    weight = np.random.RandomState(0).rand(len(X)) + 0.1 if weighted else None
    model = fit(GaussianMixture(k, **start), X, weight)
    bounds = model.lower_bounds_
    # The tiny regularisation may cost a little where a component shrinks on few rows.
    assert np.all(np.diff(bounds) > -1e-5 * (1 + np.abs(bounds[:-1])))
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    assert (shares >= 0).all()
    assert model.weights_.sum() == pytest.approx(1.0, rel=1e-12)


@settings(max_examples=30)
@given(cases(holes=True))
def test_likelihood_never_falls_with_holes(case):
    X, k, start = case
    bounds = fit(GaussianMixture(k, **start), X).lower_bounds_
    assert np.all(np.diff(bounds) > -1e-5 * (1 + np.abs(bounds[:-1])))


@settings(max_examples=40)
@given(cases(), st.randoms(use_true_random=False))
def test_components_may_be_named_in_any_order(case, random):
    X, k, start = case
    start = {**start, "max_iter": 4}
    order = list(range(k))
    random.shuffle(order)
    other = {**start, "weights_init": start["weights_init"][order], "means_init": start["means_init"][order]}
    one, two = fit(GaussianMixture(k, **start), X), fit(GaussianMixture(k, **other), X)
    np.testing.assert_allclose(two.means_, one.means_[order], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(two.predict_proba(X), one.predict_proba(X)[:, order], rtol=1e-5, atol=1e-7)


@settings(max_examples=40)
@given(cases(), st.integers(0, 10**6))
def test_whole_weights_are_repeats(case, seed):
    X, k, start = case
    start = {**start, "max_iter": 4}
    weight = np.random.RandomState(seed).randint(0, 4, len(X))
    weight[:3] = 1
    heavy = fit(GaussianMixture(k, **start), X, weight)
    repeated = fit(GaussianMixture(k, **start), np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(heavy.means_, repeated.means_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(heavy.lower_bounds_, repeated.lower_bounds_, rtol=1e-6, atol=1e-8)


@settings(max_examples=30)
@given(cases(), st.sampled_from(["dirichlet_process", "dirichlet_distribution"]))
def test_the_variational_bound_never_falls(case, prior):
    X, k, start = case
    how = {"covariance_type": start["covariance_type"], "max_iter": 10, "tol": 0.0, "reg_covar": 0.0}
    model = fit(BayesianGaussianMixture(k, weight_concentration_prior_type=prior, random_state=0, **how), X)
    assert np.all(np.diff(model.lower_bounds_) > -1e-7 * (1 + np.abs(model.lower_bounds_[:-1])))
