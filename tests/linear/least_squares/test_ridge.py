"""Ridge regression."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from samples import weighted_regression
from sklearn import linear_model as theirs
from sklearn.exceptions import ConvergenceWarning

from lanatus.linear import (
    LassoLars,
    LinearRegression,
    Ridge,
)


@pytest.mark.covers("linear.ridge")
@pytest.mark.parametrize("solver", ["auto", "cholesky", "dual", "svd", "lsqr"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", [(60, 5), (8, 20)])
@pytest.mark.parametrize("weighted", [True, False])
def test_ridge_by_every_solver_is_scikit_learns(solver, intercept, shape, weighted):
    X, y, weight = weighted_regression(n=shape[0], d=shape[1], t=2)
    weight = weight if weighted else None
    if solver == "cholesky" and shape[0] < shape[1]:
        pytest.skip("the n x n system is the one to solve")
    model = Ridge([0.7, 30.0], solver=solver, fit_intercept=intercept, tol=1e-14).fit(X, y, weight)
    expected = theirs.Ridge([0.7, 30.0], fit_intercept=intercept, solver="svd" if weight is None else "cholesky")
    expected.fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, rtol=1e-7, atol=1e-10)


@pytest.mark.covers("linear.ridge")
def test_ridge_of_sparse_rows():
    X, y, weight = weighted_regression(n=200, d=30)
    X[np.random.default_rng(0).uniform(size=X.shape) < 0.8] = 0
    X[:5] = 0
    expected = Ridge(2.0).fit(X, y, weight)
    for solver in ("auto", "lsqr"):
        model = Ridge(2.0, solver=solver, tol=1e-14).fit(sp.csr_array(X), y, weight)
        np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-8, atol=1e-11)
    wide = Ridge(2.0, tol=1e-14).fit(sp.csr_array(X[:20]), y[:20])
    np.testing.assert_allclose(wide.coef_, Ridge(2.0).fit(X[:20], y[:20]).coef_, rtol=1e-7, atol=1e-10)
    assert wide.solver_ == "lsqr"
    assert wide.n_iter_ > 1


def test_ridge_of_one_column_shrinks_by_the_book():
    """X'X = 1: the weight of least squares over 1 + alpha."""
    x = np.array([[0.6], [0.8]])
    model = Ridge(0.25, fit_intercept=False).fit(x, [1.0, 2.0])
    assert model.coef_[0] == pytest.approx((0.6 + 1.6) / 1.25, rel=1e-14)


def test_ridge_without_penalty_of_collinear_columns():
    X, y, _ = weighted_regression()
    double = np.column_stack([X, X])
    model = Ridge(0.0).fit(double, y)
    np.testing.assert_allclose(model.coef_[:5], model.coef_[5:], rtol=1e-8)
    np.testing.assert_allclose(model.predict(double), LinearRegression().fit(X, y).predict(X), rtol=1e-8)


def test_ridge_without_weights_below_zero():
    X, y, _ = weighted_regression()
    model = Ridge(1.0, positive=True).fit(X, y)
    expected = theirs.Ridge(1.0, positive=True, tol=1e-12, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("alpha", "words"), [([1.0, 2.0, 3.0], "3 entries for 2 targets"), ([1.0, -2.0], "0 or more"), (-1.0, "alpha")]
)
def test_bad_alphas(alpha, words):
    X, y, _ = weighted_regression(t=2)
    with pytest.raises(ValueError, match=words):
        Ridge(alpha).fit(X, y)


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3))
def test_more_penalty_means_smaller_weights(a, b):
    X, y, _ = weighted_regression()
    small, large = (np.linalg.norm(Ridge(alpha).fit(X, y).coef_) for alpha in sorted((a, b)))
    assert large <= small * (1 + 1e-12)


def test_wide_ridge_without_penalty_is_the_minimum_norm_without_a_warning(wide):
    X, y = wide
    np.testing.assert_allclose(Ridge(0.0).fit(X, y).coef_, theirs.LinearRegression().fit(X, y).coef_, atol=1e-12)


def test_iterations_that_run_out_are_told(tall):
    X, y = tall
    with pytest.warns(ConvergenceWarning, match="'lsqr'"):
        Ridge(1e-6, solver="lsqr", max_iter=1).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="LassoLars"):
        LassoLars(1e-6, max_iter=2).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LassoLars(1e-6, max_iter=4).fit(X, y)


def test_wide_ridge_with_weights_of_one_sign(wide):
    X, y = wide
    model = Ridge(3.0, positive=True).fit(X, y)
    left = (X - X.mean(axis=0)).T @ (y - model.predict(X)) - 3.0 * model.coef_
    assert (model.coef_ >= 0).all()
    np.testing.assert_allclose(left[model.coef_ > 0], 0, atol=1e-10)
    assert (left[model.coef_ == 0] <= 1e-10).all()
