"""Odd input and edge cases of the linear models, each once found to give nonsense or an unclear error."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as theirs
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import lanatus
from lanatus import linear
from lanatus.linear import (
    ElasticNetCV,
    FusedLasso,
    GeneralizedLinearModel,
    GroupLasso,
    Lars,
    Lasso,
    LassoCV,
    LassoLars,
    LinearDiscriminantAnalysis,
    LinearModel,
    LinearRegression,
    MultiResponseLinearRegression,
    MultiTaskElasticNet,
    MultiTaskElasticNetCV,
    MultiTaskLasso,
    MultiTaskLassoCV,
    Ridge,
    enet_path,
)

sm = pytest.importorskip("statsmodels.api")


@pytest.fixture
def data():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(60, 4))
    return X, X @ [1.0, 2.0, 0.0, -1.0] + 0.3 * rng.normal(size=60)


@pytest.fixture
def wide():
    rng = np.random.RandomState(1)
    return rng.normal(size=(10, 30)), rng.normal(size=10)


# ---------------------------------------------------------------- least squares


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_the_normal_equations_take_wide_columns_too(wide, form):
    X, y = wide
    ridge = theirs.Ridge(2.0).fit(X, y)
    np.testing.assert_allclose(Ridge(2.0, solver="cholesky").fit(form(X), y).coef_, ridge.coef_, atol=1e-10)
    plane = LinearRegression(solver="normal").fit(form(X), y)
    np.testing.assert_allclose(plane.coef_, theirs.LinearRegression().fit(X, y).coef_, atol=1e-10)
    assert plane.rank_ == 9
    assert MultiResponseLinearRegression(solver="cholesky").fit(form(X), y > 0).score(X, y > 0) == 1


def test_wide_ridge_without_penalty_is_the_minimum_norm_without_a_warning(wide):
    X, y = wide
    np.testing.assert_allclose(Ridge(0.0).fit(X, y).coef_, theirs.LinearRegression().fit(X, y).coef_, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-12, 1e6 + 0.1, 1e12])
@pytest.mark.parametrize(
    "model", [LinearRegression(), Ridge(1e-10), GeneralizedLinearModel(), Lasso(1e-12, tol=1e-14)], ids=repr
)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_constant_column_has_no_weight(data, form, value, model, weighted):
    X, y = data
    weight = np.random.RandomState(2).uniform(0.1, 2, 60) if weighted else None
    expected = theirs.LinearRegression().fit(X, y, weight)
    model.fit(form(np.column_stack([X, np.full(60, value)])), y, weight)
    assert model.coef_[4] == 0
    np.testing.assert_allclose(model.coef_[:4], expected.coef_, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, atol=1e-8)


def test_iterations_that_run_out_are_told(data):
    X, y = data
    with pytest.warns(ConvergenceWarning, match="'lsqr'"):
        Ridge(1e-6, solver="lsqr", max_iter=1).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="LassoLars"):
        LassoLars(1e-6, max_iter=2).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LassoLars(1e-6, max_iter=4).fit(X, y)


@pytest.mark.parametrize("columns", [1, 3, 5, 10])
def test_lars_stops_where_one_column_too_many_would_enter(columns):
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    expected = theirs.Lars(n_nonzero_coefs=columns).fit(X, y)
    model = Lars(n_nonzero_coefs=columns).fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-8)
    assert np.count_nonzero(model.coef_) == columns


def test_columns_far_from_zero_keep_their_digits(data):
    X, y = data
    X = np.round(X, 3)
    expected = LinearRegression(solver="svd").fit(X, y).coef_
    np.testing.assert_allclose(LinearRegression(solver="normal").fit(X + 2.0**22, y).coef_, expected, atol=1e-10)


def test_wide_ridge_with_weights_of_one_sign(wide):
    X, y = wide
    model = Ridge(3.0, positive=True).fit(X, y)
    left = (X - X.mean(axis=0)).T @ (y - model.predict(X)) - 3.0 * model.coef_
    assert (model.coef_ >= 0).all()
    np.testing.assert_allclose(left[model.coef_ > 0], 0, atol=1e-10)
    assert (left[model.coef_ == 0] <= 1e-10).all()


# ---------------------------------------------------------------- summaries


def test_rows_of_no_weight_do_not_count(data):
    X, y = data
    weight = np.r_[np.zeros(20), np.ones(40)]
    ours, expected = LinearRegression().fit(X, y, weight).summary(), sm.OLS(y[20:], sm.add_constant(X[20:])).fit()
    assert ours.figures["n"] == 40
    np.testing.assert_allclose(ours.std_err, expected.bse, rtol=1e-8)
    np.testing.assert_allclose(ours.figures["AIC"], expected.aic, rtol=1e-8)


@pytest.mark.parametrize("scales", [[1, 1, 1, 1], [1e9, 1, 1, 1e-3]])
def test_summary_has_errors_at_any_scale(data, scales):
    X, y = data
    X = X * scales
    ours, expected = LinearRegression().fit(X, y).summary(), sm.OLS(y, sm.add_constant(X)).fit()
    np.testing.assert_allclose(ours.std_err, expected.bse, rtol=1e-8)
    np.testing.assert_allclose(ours.figures["F"], expected.fvalue, rtol=1e-8)
    counts = np.round(np.exp(y / 3))
    ours = GeneralizedLinearModel("poisson").fit(X, counts).summary()
    expected = sm.GLM(counts, sm.add_constant(X), sm.families.Poisson()).fit(tol=1e-12)
    np.testing.assert_allclose(ours.std_err, expected.bse, rtol=1e-5)


@pytest.mark.filterwarnings("ignore:The design matrix is rank-deficient")
def test_summary_counts_the_columns_that_are_free(data):
    X, y = data
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
def test_weighted_likelihood_is_that_of_statsmodels(data, fit_intercept):
    X, y = data
    weight = np.tile([0.5, 1.5], 30)  # adds up to the number of rows
    model = LinearRegression(fit_intercept=fit_intercept).fit(X, y, weight)
    expected = sm.WLS(y, sm.add_constant(X) if fit_intercept else X, weights=weight).fit()
    figures = model.summary().figures
    for name, value in (("log-likelihood", expected.llf), ("AIC", expected.aic), ("BIC", expected.bic)):
        np.testing.assert_allclose(figures[name], value, rtol=1e-8)


def test_shares_of_trials_have_the_binomial_likelihood(data):
    X, y = data
    rng = np.random.RandomState(3)
    trials = rng.randint(1, 9, 60)
    hits = rng.binomial(trials, 1 / (1 + np.exp(-y)))
    figures = GeneralizedLinearModel("binomial").fit(X, hits / trials, trials).summary().figures
    expected = sm.GLM(np.c_[hits, trials - hits], sm.add_constant(X), sm.families.Binomial()).fit(tol=1e-12)
    np.testing.assert_allclose(figures["log-likelihood"], expected.llf, rtol=1e-8)
    np.testing.assert_allclose(figures["AIC"], expected.aic, rtol=1e-8)


# ---------------------------------------------------------------- generalised linear models


def test_separable_shares_are_told(data):
    X, _ = data
    with pytest.warns(ConvergenceWarning, match="separates"):
        GeneralizedLinearModel("binomial").fit(X[:, :1], X[:, 0] > 0)
    with warnings.catch_warnings():  # a perfect fit of shares inside is none
        warnings.simplefilter("error")
        GeneralizedLinearModel("binomial").fit([[0.0], [1.0], [2.0]], 1 / (1 + np.exp([-1.0, 0.0, 1.0])))
        GeneralizedLinearModel("binomial", alpha=0.1).fit(X[:, :1], X[:, 0] > 0)


@pytest.mark.parametrize("link", [None, "identity"])
def test_tweedie_of_negative_power_keeps_its_means_positive(data, link):
    X, y = data
    model = GeneralizedLinearModel("tweedie", power=-1, link=link, alpha=1.0, max_iter=500).fit(X, 10 + y)
    assert 0 <= model.deviance_ <= model.null_deviance_
    assert (model.predict(X) > 0).all()


def test_score_where_there_is_nothing_to_explain(data):
    X, _ = data
    model = GeneralizedLinearModel().fit(X, np.ones(60))
    assert model.score(X, np.ones(60)) == 1
    assert model.score(X, np.full(60, 2.0)) == 0


# ---------------------------------------------------------------- discriminants


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_discriminants_do_not_mind_small_weights(data, solver):
    X, y = data
    plain = LinearDiscriminantAnalysis(solver).fit(X, y > 0)
    light = LinearDiscriminantAnalysis(solver).fit(X, y > 0, np.full(60, 1 / 60))
    np.testing.assert_allclose(light.coef_, plain.coef_, rtol=1e-10)
    with pytest.raises(ValueError, match="more than the number of classes"):
        LinearDiscriminantAnalysis(solver).fit(X, np.arange(60) > 0, np.r_[1.0, 1.0, np.zeros(58)])


# ---------------------------------------------------------------- paths


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"alphas": [-1.0, 0.1]}, "alphas"),
        ({"alphas": [np.nan]}, "alphas"),
        ({"alphas": [np.inf]}, "alphas"),
        ({"alphas": []}, "alphas"),
        ({"alphas": 0}, "alphas"),
        ({"coef_init": np.zeros(3)}, "coef_init"),
        ({"coef_init": np.full(4, np.nan)}, "coef_init"),
        ({"sample_weight": np.ones(3)}, "sample_weight"),
        ({"sample_weight": np.r_[-1.0, np.ones(59)]}, "sample_weight"),
        ({"l1_ratio": 2.0}, "l1_ratio"),
        ({"eps": 5.0}, "eps"),
        ({"tol": -1.0}, "tol"),
        ({"max_iter": 0}, "max_iter"),
        ({"precompute": np.full((4, 4), np.nan)}, "precompute"),
    ],
)
def test_a_path_refuses_bad_settings(data, params, told):
    with pytest.raises(ValueError, match=told):
        enet_path(*data, **params)


@pytest.mark.parametrize("alphas", [[-1.0, 0.1], [np.nan, 0.1], [np.inf, 0.1], []])
def test_cross_validated_paths_refuse_bad_penalties(data, alphas):
    X, y = data
    for model, target in ((LassoCV, y), (ElasticNetCV, y), (MultiTaskLassoCV, np.c_[y, y])):
        with pytest.raises(ValueError, match="alphas"):
            model(alphas=alphas).fit(X, target)


@pytest.mark.parametrize("l1_ratio", [[], [2.0], [0.5, np.nan], 0, [0.0, 0.5]])
def test_cross_validated_paths_refuse_bad_shares(data, l1_ratio):
    X, y = data
    for model, target in ((ElasticNetCV, y), (MultiTaskElasticNetCV, np.c_[y, y])):
        with pytest.raises(ValueError, match="l1_ratio"):
            model(l1_ratio=l1_ratio).fit(X, target)


@pytest.mark.parametrize("model", [Lasso, GroupLasso, LassoLars, GeneralizedLinearModel, MultiTaskLasso])
def test_an_infinite_penalty_is_refused_by_name(data, model):
    X, y = data
    with pytest.raises(ValueError, match="'alpha' parameter"):
        model(alpha=np.inf).fit(X, np.c_[y, y] if model is MultiTaskLasso else y)
    with pytest.raises(ValueError, match="'alpha2' parameter"):
        FusedLasso(0.1, np.inf).fit(X, y)


@pytest.mark.parametrize("model", [MultiTaskElasticNet, MultiTaskElasticNetCV, MultiTaskLasso, MultiTaskLassoCV])
def test_multi_task_models_are_saved(data, model, tmp_path):
    X, y = data
    fitted = model().fit(X, np.c_[y, -y])
    again = lanatus.load(lanatus.save(fitted, tmp_path / "model.skops"))
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


# ---------------------------------------------------------------- given weights


def test_a_linear_model_without_weights_says_so():
    with pytest.raises(NotFittedError, match=r"LinearModel\.of"):
        LinearModel().predict([[1.0]])
    with pytest.raises(ValueError, match="one number a column"):
        LinearModel.of([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(
    "model",
    [
        linear.Lars(),
        linear.LassoLars(0.01),
        linear.GroupLasso(2, 0.02, tol=1e-12),
        linear.MultiTaskLasso(0.02, tol=1e-12),
        linear.MultiTaskElasticNet(0.02, tol=1e-12),
    ],
    ids=lambda model: type(model).__name__,
)
def test_sparse_rows_give_the_dense_answer(model, intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6)) * (rng.uniform(size=(80, 6)) < 0.4)
    X[:4] = 0
    X[:, 5] = 0
    Y = X @ rng.normal(size=(6, 2)) + 0.1 * rng.normal(size=(80, 2)) + 3
    several = type(model).__name__.startswith("MultiTask")
    y, weight = (Y if several else Y[:, 0]), rng.uniform(0, 2, size=80)
    fit = clone(model).set_params(fit_intercept=intercept)
    dense = clone(fit).fit(X, y, weight)
    for make in (sp.csr_array, sp.csc_matrix):
        sparse = clone(fit).fit(make(X), y, weight)
        np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(sparse.intercept_, dense.intercept_, rtol=1e-6, atol=1e-8)
    with pytest.raises(ValueError, match="sparse X of up to 5000 columns; got 6000"):
        clone(fit).fit(sp.csr_array((80, 6000)), y)
