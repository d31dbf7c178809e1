"""Summaries of least squares and of generalised linear models, against statsmodels."""

import numpy as np
import pytest
from samples import weighted_regression
from sklearn.datasets import load_diabetes

from lanatus.data import load_watermelon
from lanatus.linear import (
    GeneralizedLinearModel,
    LinearRegression,
)

sm = pytest.importorskip("statsmodels.api")


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
    X, y, _ = weighted_regression(n=5, d=5)
    with pytest.raises(ValueError, match="more rows than weights"):
        LinearRegression().fit(X, y).summary()
    X, y, _ = weighted_regression(t=2)
    with pytest.raises(ValueError, match="a single target"):
        LinearRegression().fit(X, y).summary()
    with pytest.raises(ValueError, match="alpha must be between 0 and 1"):
        LinearRegression().fit(X, y[:, 0]).summary(alpha=2)


def test_rows_of_no_weight_do_not_count(tall):
    X, y = tall
    weight = np.r_[np.zeros(20), np.ones(40)]
    ours, expected = LinearRegression().fit(X, y, weight).summary(), sm.OLS(y[20:], sm.add_constant(X[20:])).fit()
    assert ours.figures["n"] == 40
    np.testing.assert_allclose(ours.std_err, expected.bse, rtol=1e-8)
    np.testing.assert_allclose(ours.figures["AIC"], expected.aic, rtol=1e-8)


@pytest.mark.parametrize("scales", [[1, 1, 1, 1], [1e9, 1, 1, 1e-3]])
def test_summary_has_errors_at_any_scale(tall, scales):
    X, y = tall
    X = X * scales
    ours, expected = LinearRegression().fit(X, y).summary(), sm.OLS(y, sm.add_constant(X)).fit()
    np.testing.assert_allclose(ours.std_err, expected.bse, rtol=1e-8)
    np.testing.assert_allclose(ours.figures["F"], expected.fvalue, rtol=1e-8)
    counts = np.round(np.exp(y / 3))
    ours = GeneralizedLinearModel("poisson").fit(X, counts).summary()
    expected = sm.GLM(counts, sm.add_constant(X), sm.families.Poisson()).fit(tol=1e-12)
    np.testing.assert_allclose(ours.std_err, expected.bse, rtol=1e-5)


@pytest.mark.filterwarnings("ignore:The design matrix is rank-deficient")
def test_summary_counts_the_columns_that_are_free(tall):
    X, y = tall
    X = np.column_stack([X, X[:, 0], np.full(60, 0.1)])
    ours, expected = LinearRegression().fit(X, y).summary(), sm.OLS(y, sm.add_constant(X[:, :5])).fit()
    assert ours.figures["residual df"] == expected.df_resid == 55
    np.testing.assert_allclose(ours.figures["F"], expected.fvalue, rtol=1e-8)
    np.testing.assert_allclose(ours.std_err[:6], expected.bse, rtol=1e-8)
    assert ours.std_err[6] == 0
    model = GeneralizedLinearModel("gamma", link="log").fit(X, np.exp(y))
    family = sm.families.Gamma(sm.families.links.Log())
    expected = sm.GLM(np.exp(y), sm.add_constant(X[:, :5]), family).fit(tol=1e-12)
    assert model.summary().figures["residual df"] == 55
    np.testing.assert_allclose(model.dispersion_, expected.scale, rtol=1e-5)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_weighted_likelihood_is_that_of_statsmodels(tall, fit_intercept):
    X, y = tall
    weight = np.tile([0.5, 1.5], 30)  # adds up to the number of rows
    model = LinearRegression(fit_intercept=fit_intercept).fit(X, y, weight)
    expected = sm.WLS(y, sm.add_constant(X) if fit_intercept else X, weights=weight).fit()
    figures = model.summary().figures
    for name, value in (("log-likelihood", expected.llf), ("AIC", expected.aic), ("BIC", expected.bic)):
        np.testing.assert_allclose(figures[name], value, rtol=1e-8)


def test_shares_of_trials_have_the_binomial_likelihood(tall):
    X, y = tall
    rng = np.random.RandomState(3)
    trials = rng.randint(1, 9, 60)
    hits = rng.binomial(trials, 1 / (1 + np.exp(-y)))
    figures = GeneralizedLinearModel("binomial").fit(X, hits / trials, trials).summary().figures
    expected = sm.GLM(np.c_[hits, trials - hits], sm.add_constant(X), sm.families.Binomial()).fit(tol=1e-12)
    np.testing.assert_allclose(figures["log-likelihood"], expected.llf, rtol=1e-8)
    np.testing.assert_allclose(figures["AIC"], expected.aic, rtol=1e-8)
