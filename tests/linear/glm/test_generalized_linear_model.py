"""Generalised linear models against statsmodels and scikit-learn, and through their own second route."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn import linear_model as theirs
from sklearn.exceptions import ConvergenceWarning

from lanatus.callbacks import Recorder
from lanatus.linear import (
    GeneralizedLinearModel,
    LinearRegression,
    link_function,
)
from lanatus.linear.glm._exponential_family import FAMILIES, Deviance
from lanatus.linear.glm._link import LINKS

FAMILY = {
    "gaussian": ("identity", "log"),
    "binomial": ("logit", "probit", "cloglog"),
    "poisson": ("log", "sqrt", "identity"),
    "gamma": ("inverse", "log", "identity"),
    "inverse-gaussian": ("inverse-squared", "log"),
    "tweedie": ("log",),
}


def of_family(family, seed=0, n=300):
    """Positive attributes, so that every link gives means that the family can have."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.2, 1.5, size=(n, 3))
    mean = np.exp(0.3 + X @ [0.5, -0.3, 0.2])
    y = {
        "gaussian": lambda: mean + 0.1 * rng.normal(size=n),
        "binomial": lambda: rng.binomial(5, 1 - 1 / (1 + mean)) / 5,
        "poisson": lambda: rng.poisson(3 * mean).astype(float),
        "gamma": lambda: rng.gamma(4, mean / 4),
        "inverse-gaussian": lambda: rng.wald(mean, 5),
        "tweedie": lambda: np.where(rng.uniform(size=n) < 0.2, 0.0, rng.gamma(2, mean)),
    }[family]()
    return X, y, rng.integers(0, 4, size=n).astype(float)


def peer(sm, family, link):
    links = sm.families.links
    made = {
        "identity": links.Identity,
        "log": links.Log,
        "logit": links.Logit,
        "probit": links.Probit,
        "cloglog": links.CLogLog,
        "inverse": links.InversePower,
        "inverse-squared": links.InverseSquared,
        "sqrt": links.Sqrt,
    }[link]()
    return {
        "gaussian": sm.families.Gaussian,
        "binomial": sm.families.Binomial,
        "poisson": sm.families.Poisson,
        "gamma": sm.families.Gamma,
        "inverse-gaussian": sm.families.InverseGaussian,
        "tweedie": lambda link: sm.families.Tweedie(link=link, var_power=1.5),
    }[family](link=made)


@pytest.mark.covers("linear.generalized-linear-model", "linear.link-functions")
@pytest.mark.parametrize(("family", "link"), [(family, link) for family, links in FAMILY.items() for link in links])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore:The .* link function does not respect", "ignore:invalid value:RuntimeWarning")
def test_weights_errors_and_deviance_are_those_of_statsmodels(family, link, weighted):
    sm = pytest.importorskip("statsmodels.api")
    X, y, weight = of_family(family)
    used = weight if weighted else np.ones(len(y))
    model = GeneralizedLinearModel(family, link=link, tol=1e-13).fit(X, y, used)
    # statsmodels steps into means below zero with this link unless it begins near the end.
    near = [model.intercept_, *model.coef_] if link == "inverse-squared" else None
    problem = sm.GLM(y, sm.add_constant(X), family=peer(sm, family, link), freq_weights=used)
    fitted = problem.fit(tol=1e-14, maxiter=200, start_params=near)
    np.testing.assert_allclose([model.intercept_, *model.coef_], fitted.params, rtol=1e-6, atol=1e-8)
    assert model.deviance_ == pytest.approx(fitted.deviance, rel=1e-9)
    assert model.null_deviance_ == pytest.approx(fitted.null_deviance, rel=1e-7)
    if not weighted:  # repeats and rows of their own are counted differently
        found = model.summary()
        assert model.dispersion_ == pytest.approx(fitted.scale, rel=1e-6)
        np.testing.assert_allclose(found.std_err, fitted.bse, rtol=1e-5)
        np.testing.assert_allclose(found.p_value, fitted.pvalues, rtol=1e-3, atol=1e-12)
        np.testing.assert_allclose(np.column_stack([found.low, found.high]), fitted.conf_int(), rtol=1e-5, atol=1e-8)
        assert found.figures["Pearson chi2"] == pytest.approx(fitted.pearson_chi2, rel=1e-6)
        if family == "poisson":
            assert found.figures["log-likelihood"] == pytest.approx(fitted.llf, rel=1e-9)
            assert found.figures["AIC"] == pytest.approx(fitted.aic, rel=1e-9)


@pytest.mark.covers("linear.generalized-linear-model")
@pytest.mark.parametrize(("family", "power"), [("poisson", 1), ("gamma", 2), ("tweedie", 1.5), ("gaussian", 0)])
def test_penalised_fits_reach_scikit_learns_objective(family, power):
    X, y, weight = of_family(family)
    link = "identity" if power == 0 else "log"
    model = GeneralizedLinearModel(family, link=link, alpha=0.1, tol=1e-14).fit(X, y, weight)
    expected = theirs.TweedieRegressor(power=power, alpha=0.1, link=link, tol=1e-10, max_iter=10_000).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-4, atol=1e-6)
    assert model.score(X, y, weight) == pytest.approx(expected.score(X, y, weight), rel=1e-5)
    loss = Deviance.of(family, link, power)

    def objective(fitted):
        eta = X @ fitted.coef_ + fitted.intercept_
        return loss.value(y, eta, weight) / weight.sum() + 0.05 * fitted.coef_ @ fitted.coef_

    assert objective(model) <= objective(expected) * (1 + 1e-12)


@pytest.mark.covers("linear.generalized-linear-model")
def test_maximum_likelihood_by_another_route():
    X, y, weight = of_family("poisson")
    loss = Deviance.of("poisson", None, 1.5)

    def value(w):
        return loss.value(y, X @ w[:-1] + w[-1], weight)

    found = minimize(value, np.zeros(4), method="BFGS", options={"gtol": 1e-9})
    model = GeneralizedLinearModel("poisson").fit(X, y, weight)
    np.testing.assert_allclose([*model.coef_, model.intercept_], found.x, rtol=1e-4)
    assert value(np.append(model.coef_, model.intercept_)) <= found.fun * (1 + 1e-10)


@pytest.mark.parametrize("family", FAMILIES)
def test_gradients_are_derivatives_of_the_loss(family):
    _, y, _ = of_family(family, n=20)
    for link in FAMILY[family]:
        loss = Deviance.of(family, link, 1.5)
        eta = loss.link.link(np.clip(np.linspace(0.2, 0.8, 20), 0.1, 0.9))
        step = 1e-6 * np.maximum(np.abs(eta), 1e-3)
        for i in range(20):
            one = np.eye(20)[i]
            slope = (loss.value(y, eta + step * one, np.ones(20)) - loss.value(y, eta - step * one, np.ones(20))) / 2
            assert loss.gradient(y, eta)[i] == pytest.approx(slope / step[i], rel=1e-4, abs=1e-6)
        assert (loss.curvature(y, eta) > 0).all()


@pytest.mark.covers("linear.link-functions")
@pytest.mark.parametrize("name", LINKS)
def test_links_are_undone_by_their_inverse(name):
    link = link_function(name)
    mean = np.linspace(0.05, 0.95, 19)
    eta = link.link(mean)
    np.testing.assert_allclose(link.inverse(eta), mean, rtol=1e-12)
    numeric = (link.inverse(eta + 1e-6) - link.inverse(eta - 1e-6)) / 2e-6
    np.testing.assert_allclose(link.slope(eta), numeric, rtol=1e-6)
    with pytest.raises(ValueError, match="no link 'cauchit'; there are identity"):
        link_function("cauchit")


def test_gaussian_is_least_squares():
    X, y, weight = of_family("gaussian")
    model = GeneralizedLinearModel().fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, LinearRegression().fit(X, y, weight).coef_, rtol=1e-9)
    assert model.n_iter_ <= 2


def test_sparse_rows_and_no_intercept():
    X, y, weight = of_family("poisson")
    X = np.where(X < 0.7, 0, X)
    for intercept in (True, False):
        dense = GeneralizedLinearModel("poisson", fit_intercept=intercept).fit(X, y, weight)
        sparse = GeneralizedLinearModel("poisson", fit_intercept=intercept).fit(sp.csr_array(X), y, weight)
        np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9)


def test_every_iteration_can_be_watched():
    X, y, _ = of_family("poisson")
    recorder = Recorder()
    model = GeneralizedLinearModel("poisson").set_callbacks(recorder).fit(X, y)
    assert len(recorder.models) == model.n_iter_
    np.testing.assert_array_equal(recorder.models[-1].coef_, model.coef_)


def test_awkward_data_have_an_answer_or_an_error():
    X, y, _ = of_family("poisson")
    collinear = np.column_stack([X, X[:, 0], np.ones(len(X))])
    np.testing.assert_allclose(
        GeneralizedLinearModel("poisson").fit(collinear, y).predict(collinear),
        GeneralizedLinearModel("poisson").fit(X, y).predict(X),
        rtol=1e-7,
    )
    with pytest.raises(ValueError, match="family 'poisson' wants y 0 or more; got 1 values"):
        GeneralizedLinearModel("poisson").fit(X, np.where(np.arange(300) == 0, -1.0, y))
    with pytest.raises(ValueError, match="family 'binomial' wants y from 0 to 1"):
        GeneralizedLinearModel("binomial").fit(X, y + 2)
    with pytest.raises(ValueError, match="wants y above 0"):
        GeneralizedLinearModel("gamma").fit(X, np.zeros(300))
    with pytest.raises(ValueError, match="no Tweedie distribution"):
        GeneralizedLinearModel("tweedie", power=0.5).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations"):
        GeneralizedLinearModel("poisson", max_iter=1).fit(X, y)
    with pytest.raises(ValueError, match="without penalty"):
        GeneralizedLinearModel("poisson", alpha=1.0).fit(X, y).summary()
    scaled = GeneralizedLinearModel("poisson").fit(X * 1e12, y)
    np.testing.assert_allclose(
        scaled.predict(X * 1e12), GeneralizedLinearModel("poisson").fit(X, y).predict(X), rtol=1e-6
    )


def test_separable_shares_end_with_a_warning_or_large_weights():
    X = np.arange(10.0)[:, None]
    y = (X[:, 0] > 4.5).astype(float)
    with pytest.warns(ConvergenceWarning):
        model = GeneralizedLinearModel("binomial", max_iter=10).fit(X, y)
    assert ((model.predict(X) > 0.5) == y).all()


def test_separable_shares_are_told(tall):
    X, _ = tall
    with pytest.warns(ConvergenceWarning, match="separates"):
        GeneralizedLinearModel("binomial").fit(X[:, :1], X[:, 0] > 0)
    with warnings.catch_warnings():  # a perfect fit of shares inside is none
        warnings.simplefilter("error")
        GeneralizedLinearModel("binomial").fit([[0.0], [1.0], [2.0]], 1 / (1 + np.exp([-1.0, 0.0, 1.0])))
        GeneralizedLinearModel("binomial", alpha=0.1).fit(X[:, :1], X[:, 0] > 0)


@pytest.mark.parametrize("link", [None, "identity"])
def test_tweedie_of_negative_power_keeps_its_means_positive(tall, link):
    X, y = tall
    model = GeneralizedLinearModel("tweedie", power=-1, link=link, alpha=1.0, max_iter=500).fit(X, 10 + y)
    assert 0 <= model.deviance_ <= model.null_deviance_
    assert (model.predict(X) > 0).all()


def test_score_where_there_is_nothing_to_explain(tall):
    X, _ = tall
    model = GeneralizedLinearModel().fit(X, np.ones(60))
    assert model.score(X, np.ones(60)) == 1
    assert model.score(X, np.full(60, 2.0)) == 0
