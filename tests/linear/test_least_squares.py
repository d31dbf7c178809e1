"""Least squares, ridge and their kin: the book's numbers, peers, and every awkward shape of X."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn import linear_model as theirs
from sklearn.datasets import load_diabetes, load_iris

from lanatus.data import load_watermelon
from lanatus.linear import (
    LinearModel,
    LinearRegression,
    LogLinearRegression,
    MultiResponseLinearRegression,
    Ridge,
)


@pytest.fixture(scope="module")
def melons():
    bunch = load_watermelon("3.0a", frame="numpy")
    return np.asarray(bunch.data, dtype=float), np.asarray(bunch.target)


def cases(seed=0, n=60, d=5, t=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    w = rng.normal(size=(d,) if t is None else (d, t))
    return X, X @ w + 3 + 0.1 * rng.normal(size=(n,) if t is None else (n, t)), rng.uniform(0, 2, size=n)


@pytest.mark.covers("linear.linear-model")
def test_importance_of_the_books_melon():
    """ch01-03 G30: root before sound before colour."""
    model = LinearModel.of({"色泽": 0.2, "根蒂": 0.5, "敲声": 0.3}, intercept=1)
    assert list(model.feature_importance()) == ["根蒂", "敲声", "色泽"]
    assert model.predict([[0, 0, 0], [1, 1, 1]]).tolist() == [1.0, 2.0]
    fitted = LinearRegression().fit(cases()[0], cases()[1])
    assert list(fitted.feature_importance().values()) == sorted(np.abs(fitted.coef_), reverse=True)


@pytest.mark.covers("linear.simple-least-squares")
def test_one_attribute_by_the_closed_form(melons):
    """ch01-03 G22 and (3.7), (3.8)."""
    x, y = melons[0].T
    model = LinearRegression().fit(x[:, None], y)
    assert model.coef_[0] == pytest.approx(0.140696, abs=5e-7)
    assert model.intercept_ == pytest.approx(0.137882, abs=5e-7)
    w = (y * (x - x.mean())).sum() / ((x**2).sum() - x.sum() ** 2 / len(x))
    assert model.coef_[0] == pytest.approx(w, rel=1e-12)
    assert model.intercept_ == pytest.approx(np.mean(y - w * x), rel=1e-12)


@pytest.mark.covers("linear.linear-regression")
def test_two_attributes_of_the_melons(melons):
    """ch01-03 G22: the label as a number on density and sugar."""
    X, labels = melons
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
    X, y, weight = cases(t=targets)
    weight = weight if weighted else None
    model = LinearRegression(solver=solver, fit_intercept=intercept, tol=1e-14).fit(make(X), y, weight)
    expected = theirs.LinearRegression(fit_intercept=intercept).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, rtol=1e-9, atol=1e-12)
    assert model.coef_.shape == expected.coef_.shape


@pytest.mark.covers("linear.min-norm-least-squares")
@pytest.mark.parametrize("solver", ["auto", "svd", "normal"])
def test_rank_deficient_takes_the_smallest_weights(solver):
    X, y, _ = cases()
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
    X, y, weight = cases(n=8, d=20)
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
    assert not hasattr(LinearRegression().fit(*cases()[:2]), "singular_")


def test_no_weight_below_zero():
    X, y, weight = cases()
    for w in (None, weight):
        ours = LinearRegression(positive=True).fit(X, y, w)
        expected = theirs.LinearRegression(positive=True).fit(X, y, w)
        np.testing.assert_allclose(ours.coef_, expected.coef_, rtol=1e-7, atol=1e-10)
    assert (ours.coef_ >= 0).all()
    assert (ours.coef_ == 0).any()
    wide, t, _ = cases(n=6, d=9)
    assert (LinearRegression(positive=True).fit(wide, t).coef_ >= 0).all()
    with pytest.raises(ValueError, match="positive=True wants dense X"):
        LinearRegression(positive=True).fit(sp.csr_array(np.column_stack([X, X])), y)


@pytest.mark.covers("linear.weighted-least-squares")
def test_rows_without_weight_do_not_count():
    X, y, weight = cases()
    y = np.where(np.arange(60) < 10, 1e6, y)
    weight[:10] = 0
    model = LinearRegression().fit(X, y, weight)
    expected = LinearRegression().fit(X[10:], y[10:], weight[10:])
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9)
    with pytest.raises(ValueError, match="at least one non-zero"):
        LinearRegression().fit(X, y, np.zeros(60))


def test_float32_is_kept():
    X, y, _ = cases()
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


# ---------------------------------------------------------------- summary


def test_summary_is_that_of_statsmodels():
    sm = pytest.importorskip("statsmodels.api")
    X, y = load_diabetes(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    for w in (None, weight):
        found = LinearRegression().fit(X, y, w).summary(alpha=0.1)
        peer = sm.WLS(y, sm.add_constant(X), weights=1.0 if w is None else w).fit()
        np.testing.assert_allclose(found.coef, peer.params, rtol=1e-8)
        np.testing.assert_allclose(found.std_err, peer.bse, rtol=1e-8)
        np.testing.assert_allclose(found.statistic, peer.tvalues, rtol=1e-8)
        np.testing.assert_allclose(found.p_value, peer.pvalues, rtol=1e-6, atol=1e-300)
        np.testing.assert_allclose(np.column_stack([found.low, found.high]), peer.conf_int(0.1), rtol=1e-8)
        assert found.figures["R2"] == pytest.approx(peer.rsquared, rel=1e-9)
        assert found.figures["adjusted R2"] == pytest.approx(peer.rsquared_adj, rel=1e-9)
        assert found.figures["F"] == pytest.approx(peer.fvalue, rel=1e-8)
        assert found.figures["P(F)"] == pytest.approx(peer.f_pvalue, rel=1e-6)
        if w is None:
            assert found.figures["log-likelihood"] == pytest.approx(peer.llf, rel=1e-10)
            assert found.figures["AIC"] == pytest.approx(peer.aic, rel=1e-10)
            assert found.figures["BIC"] == pytest.approx(peer.bic, rel=1e-10)
    bare = LinearRegression(fit_intercept=False).fit(X, y).summary()
    peer = sm.OLS(y, X).fit()
    np.testing.assert_allclose(bare.std_err, peer.bse, rtol=1e-8)
    assert bare.figures["R2"] == pytest.approx(peer.rsquared, rel=1e-9)


def test_summary_prints_names_and_lines_up():
    frame = load_watermelon("3.0a").data
    text = str(LinearRegression().fit(frame[["密度"]], frame["含糖率"]).summary())
    assert "(intercept)" in text
    assert "密度" in text
    assert "R2 = " in text
    html = LinearRegression().fit(frame[["密度"]], frame["含糖率"]).summary()._repr_html_()
    assert "<td>密度</td>" in html


def test_summary_refuses_what_has_no_errors():
    X, y, _ = cases(n=5, d=5)
    with pytest.raises(ValueError, match="more rows than weights"):
        LinearRegression().fit(X, y).summary()
    X, y, _ = cases(t=2)
    with pytest.raises(ValueError, match="a single target"):
        LinearRegression().fit(X, y).summary()
    with pytest.raises(ValueError, match="alpha must be between 0 and 1"):
        LinearRegression().fit(X, y[:, 0]).summary(alpha=2)


# ---------------------------------------------------------------- ridge


@pytest.mark.covers("linear.ridge")
@pytest.mark.parametrize("solver", ["auto", "cholesky", "dual", "svd", "lsqr"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", [(60, 5), (8, 20)])
@pytest.mark.parametrize("weighted", [True, False])
def test_ridge_by_every_solver_is_scikit_learns(solver, intercept, shape, weighted):
    X, y, weight = cases(n=shape[0], d=shape[1], t=2)
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
    X, y, weight = cases(n=200, d=30)
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
    X, y, _ = cases()
    double = np.column_stack([X, X])
    model = Ridge(0.0).fit(double, y)
    np.testing.assert_allclose(model.coef_[:5], model.coef_[5:], rtol=1e-8)
    np.testing.assert_allclose(model.predict(double), LinearRegression().fit(X, y).predict(X), rtol=1e-8)


def test_ridge_without_weights_below_zero():
    X, y, _ = cases()
    model = Ridge(1.0, positive=True).fit(X, y)
    expected = theirs.Ridge(1.0, positive=True, tol=1e-12, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("alpha", "words"), [([1.0, 2.0, 3.0], "3 entries for 2 targets"), ([1.0, -2.0], "0 or more"), (-1.0, "alpha")]
)
def test_bad_alphas(alpha, words):
    X, y, _ = cases(t=2)
    with pytest.raises(ValueError, match=words):
        Ridge(alpha).fit(X, y)


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3))
def test_more_penalty_means_smaller_weights(a, b):
    X, y, _ = cases()
    small, large = (np.linalg.norm(Ridge(alpha).fit(X, y).coef_) for alpha in sorted((a, b)))
    assert large <= small * (1 + 1e-12)


# ---------------------------------------------------------------- kin


@pytest.mark.covers("linear.log-linear-regression")
def test_log_linear_is_least_squares_of_the_logarithm():
    X, y, weight = cases()
    y = np.exp(y)
    model = LogLinearRegression().fit(X, y, weight)
    expected = LinearRegression().fit(X, np.log(y), weight)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-12)
    np.testing.assert_allclose(model.predict(X), np.exp(expected.predict(X)), rtol=1e-12)
    with pytest.raises(ValueError, match="above zero, for its logarithm is fitted; got 2 values"):
        LogLinearRegression().fit(X, np.where(np.arange(60) < 2, 0.0, y))


@pytest.mark.covers("linear.multi-response-linear-regression")
def test_multi_response_is_one_plane_for_each_class():
    X, y = load_iris(return_X_y=True)
    model = MultiResponseLinearRegression().fit(X, y)
    np.testing.assert_allclose(model._linear(X).sum(axis=1), 1, rtol=1e-12)
    for c in range(3):
        plane = LinearRegression().fit(X, (y == c).astype(float))
        np.testing.assert_allclose(model.coef_[c], plane.coef_, rtol=1e-9, atol=1e-12)
    ridge = MultiResponseLinearRegression(3.0).fit(X, y)
    np.testing.assert_array_equal(ridge.predict(X), theirs.RidgeClassifier(3.0).fit(X, y).predict(X))
    two = MultiResponseLinearRegression().fit(X[:100], y[:100])
    np.testing.assert_array_equal(two.decision_function(X[:100]) > 0, two.predict(X[:100]) == 1)
    with pytest.raises(ValueError, match="1 class"):
        MultiResponseLinearRegression().fit(X[:50], y[:50])
