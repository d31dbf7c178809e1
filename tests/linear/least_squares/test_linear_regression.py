"""Linear regression: the book's numbers, scikit-learn's, degenerate systems."""

import numpy as np
import pytest
import scipy.sparse as sp
from samples import melon_numbers, weighted_regression
from sklearn import linear_model as theirs

from lanatus.linear import (
    GeneralizedLinearModel,
    Lasso,
    LinearRegression,
    MultiResponseLinearRegression,
    Ridge,
)


@pytest.mark.covers("linear.simple-least-squares")
def test_one_attribute_by_the_closed_form():
    """ch01-03 G22 and (3.7), (3.8)."""
    x, y = melon_numbers()[0].T
    model = LinearRegression().fit(x[:, None], y)
    assert model.coef_[0] == pytest.approx(0.140696, abs=5e-7)
    assert model.intercept_ == pytest.approx(0.137882, abs=5e-7)
    w = (y * (x - x.mean())).sum() / ((x**2).sum() - x.sum() ** 2 / len(x))
    assert model.coef_[0] == pytest.approx(w, rel=1e-12)
    assert model.intercept_ == pytest.approx(np.mean(y - w * x), rel=1e-12)


@pytest.mark.covers("linear.linear-regression")
def test_two_attributes_of_the_melons():
    """ch01-03 G22: the label as a number on density and sugar."""
    X, labels = melon_numbers()
    model = LinearRegression(solver="normal").fit(X, (labels == "是").astype(float))
    np.testing.assert_allclose([*model.coef_, model.intercept_], [0.431576, 2.176043, -0.222402], atol=5e-7)
    left = (labels == "是") - model.predict(X)
    np.testing.assert_allclose(np.column_stack([X, np.ones(17)]).T @ left, 0, atol=1e-13)  # residuals are orthogonal


@pytest.mark.covers("linear.linear-regression", "linear.weighted-least-squares")
@pytest.mark.parametrize("solver", ["auto", "normal", "svd", "lsqr"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("targets", [None, 3])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_every_solver_is_scikit_learns(solver, intercept, targets, weighted, make):
    X, y, weight = weighted_regression(t=targets)
    weight = weight if weighted else None
    model = LinearRegression(solver=solver, fit_intercept=intercept, tol=1e-14).fit(make(X), y, weight)
    expected = theirs.LinearRegression(fit_intercept=intercept).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, rtol=1e-9, atol=1e-12)
    assert model.coef_.shape == expected.coef_.shape


@pytest.mark.covers("linear.min-norm-least-squares")
@pytest.mark.parametrize("solver", ["auto", "svd", "normal"])
def test_rank_deficient_takes_the_smallest_weights(solver):
    X, y, _ = weighted_regression()
    double = np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2], np.ones(len(X))])
    model = LinearRegression(solver=solver).fit(double, y)
    centred = double - double.mean(axis=0)
    expected = np.linalg.pinv(centred) @ (y - y.mean())
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-7, atol=1e-9)
    assert model.rank_ == 5
    np.testing.assert_allclose(model.predict(double), LinearRegression().fit(X, y).predict(X), rtol=1e-9)


@pytest.mark.covers("linear.min-norm-least-squares")
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_more_columns_than_rows(make):
    X, y, weight = weighted_regression(n=8, d=20)
    model = LinearRegression(tol=1e-14).fit(make(X), y, weight)
    np.testing.assert_allclose(model.predict(make(X)), y, rtol=1e-6)
    expected = theirs.LinearRegression().fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-5, atol=1e-8)


def test_columns_far_from_zero_and_of_all_scales_keep_their_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3)) * [1e-6, 1.0, 1e6] + [1e3, 1e8, 1e12]
    w = np.array([2e5, -3.0, 4e-6])
    y = (X - X.mean(axis=0)) @ w + 7
    model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, w, rtol=1e-6)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-4)
    assert 1 - ((y - model.predict(X)) ** 2).sum() / ((y - y.mean()) ** 2).sum() > 1 - 1e-9


def test_hilbert_matrix_falls_back_to_singular_values():
    X = 1 / (np.arange(30)[:, None] + np.arange(10) + 1.0)
    y = X @ np.ones(10)
    model = LinearRegression(fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-10)
    assert hasattr(model, "singular_")
    assert not hasattr(LinearRegression().fit(*weighted_regression()[:2]), "singular_")


def test_no_weight_below_zero():
    X, y, weight = weighted_regression()
    for w in (None, weight):
        ours = LinearRegression(positive=True).fit(X, y, w)
        expected = theirs.LinearRegression(positive=True).fit(X, y, w)
        np.testing.assert_allclose(ours.coef_, expected.coef_, rtol=1e-7, atol=1e-10)
    assert (ours.coef_ >= 0).all()
    assert (ours.coef_ == 0).any()
    wide, t, _ = weighted_regression(n=6, d=9)
    assert (LinearRegression(positive=True).fit(wide, t).coef_ >= 0).all()
    with pytest.raises(ValueError, match="positive=True wants dense X"):
        LinearRegression(positive=True).fit(sp.csr_array(np.column_stack([X, X])), y)


@pytest.mark.covers("linear.weighted-least-squares")
def test_rows_without_weight_do_not_count():
    X, y, weight = weighted_regression()
    y = np.where(np.arange(60) < 10, 1e6, y)
    weight[:10] = 0
    model = LinearRegression().fit(X, y, weight)
    expected = LinearRegression().fit(X[10:], y[10:], weight[10:])
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9)
    with pytest.raises(ValueError, match="at least one non-zero"):
        LinearRegression().fit(X, y, np.zeros(60))


def test_float32_is_kept():
    X, y, _ = weighted_regression()
    model = LinearRegression().fit(X.astype(np.float32), y.astype(np.float32))
    assert model.coef_.dtype == model.predict(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(model.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-4)


@pytest.mark.parametrize(
    ("y", "words"),
    [([1.0, np.nan], "NaN"), ([1.0, np.inf], "infinity"), (["a", "b"], "could not convert"), ([1.0], "inconsistent")],
)
def test_bad_targets(y, words):
    with pytest.raises(ValueError, match=words):
        LinearRegression().fit([[1.0], [2.0]], y)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_the_normal_equations_take_wide_columns_too(wide, form):
    X, y = wide
    ridge = theirs.Ridge(2.0).fit(X, y)
    np.testing.assert_allclose(Ridge(2.0, solver="cholesky").fit(form(X), y).coef_, ridge.coef_, atol=1e-10)
    plane = LinearRegression(solver="normal").fit(form(X), y)
    np.testing.assert_allclose(plane.coef_, theirs.LinearRegression().fit(X, y).coef_, atol=1e-10)
    assert plane.rank_ == 9
    assert MultiResponseLinearRegression(solver="cholesky").fit(form(X), y > 0).score(X, y > 0) == 1


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-12, 1e6 + 0.1, 1e12])
@pytest.mark.parametrize(
    "model", [LinearRegression(), Ridge(1e-10), GeneralizedLinearModel(), Lasso(1e-12, tol=1e-14)], ids=repr
)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_constant_column_has_no_weight(tall, form, value, model, weighted):
    X, y = tall
    weight = np.random.RandomState(2).uniform(0.1, 2, 60) if weighted else None
    expected = theirs.LinearRegression().fit(X, y, weight)
    model.fit(form(np.column_stack([X, np.full(60, value)])), y, weight)
    assert model.coef_[4] == 0
    np.testing.assert_allclose(model.coef_[:4], expected.coef_, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, atol=1e-8)


def test_columns_far_from_zero_keep_their_digits(tall):
    X, y = tall
    X = np.round(X, 3)
    expected = LinearRegression(solver="svd").fit(X, y).coef_
    np.testing.assert_allclose(LinearRegression(solver="normal").fit(X + 2.0**22, y).coef_, expected, atol=1e-10)
