"""Parameters, shapes and choices that scikit-learn's linear models of the same names have."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as peers
from sklearn.datasets import make_classification, make_regression

from lanatus.linear import (
    ElasticNet,
    ElasticNetCV,
    Lars,
    Lasso,
    LassoCV,
    LassoLars,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MultiTaskElasticNet,
    MultiTaskElasticNetCV,
    MultiTaskLasso,
    MultiTaskLassoCV,
    Ridge,
    enet_path,
    lasso_path,
)


@pytest.fixture(scope="module")
def line():
    """Rows and numbers with a little noise."""
    return make_regression(60, 8, noise=3.0, random_state=0)


@pytest.mark.covers("linear.ridge")
@pytest.mark.parametrize("solver", ["sparse_cg", "sag", "saga"])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix])
def test_ridge_takes_the_solvers_of_scikit_learn_and_finds_the_optimum(line, solver, container):
    X, y = line
    weight = np.linspace(0.5, 2, len(y))
    model = Ridge(2.0, solver=solver, tol=1e-12).fit(container(X), y, weight)
    peer = peers.Ridge(2.0, solver="svd").fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-8)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, rtol=1e-8)


@pytest.mark.covers("linear.ridge")
def test_ridge_with_lbfgs_is_for_weights_that_are_not_negative(line):
    X, y = line
    y = y - 2 * X[:, 0] * np.abs(y).max()  # so that the first weight would be negative
    model = Ridge(solver="lbfgs", positive=True).fit(X, y)
    peer = peers.Ridge(solver="lbfgs", positive=True, tol=1e-12).fit(X, y)
    assert model.coef_[0] == 0
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-5, atol=1e-4)
    with pytest.raises(ValueError, match="is for positive=True only"):
        Ridge(solver="lbfgs").fit(X, y)
    with pytest.raises(ValueError, match="does not support positive"):
        Ridge(solver="svd", positive=True).fit(X, y)


@pytest.mark.parametrize("kind", [Ridge, Lasso, ElasticNet])
def test_a_target_of_one_column_gives_the_shapes_of_scikit_learn(line, kind):
    X, y = line
    model, peer = kind(0.1).fit(X, y[:, None]), getattr(peers, kind.__name__)(0.1).fit(X, y[:, None])
    for name in ("coef_", "intercept_"):
        assert np.shape(getattr(model, name)) == np.shape(getattr(peer, name))
    assert model.predict(X).shape == peer.predict(X).shape
    assert np.ndim(model.n_iter_) == 0


@pytest.mark.parametrize("kind", [LassoCV, ElasticNetCV])
def test_the_chosen_penalty_is_the_same_without_weights_and_with_equal_ones(kind):
    rng = np.random.RandomState(0)
    X = rng.rand(10, 5)  # three folds of different sizes
    y = X.sum(axis=1) + rng.rand(10)
    plain = kind(tol=1e-8, cv=3).fit(X, y)
    for weight in (np.ones(10), np.full(10, 2.0)):
        weighted = kind(tol=1e-8, cv=3).fit(X, y, sample_weight=weight)
        assert weighted.alpha_ == pytest.approx(plain.alpha_, rel=1e-12)
        np.testing.assert_allclose(weighted.coef_, plain.coef_, rtol=1e-5)


@pytest.mark.covers("linear.logistic-regression")
def test_logistic_regression_takes_what_liblinear_takes_or_says_why_not():
    X, y = make_classification(80, 6, random_state=1)
    plain = LogisticRegression(tol=1e-8).fit(X, y)
    dual = LogisticRegression(tol=1e-8, solver="liblinear", dual=True).fit(X, y)
    np.testing.assert_allclose(dual.coef_, plain.coef_, rtol=1e-6)
    with pytest.raises(ValueError, match="dual=True is for solver='liblinear'"):
        LogisticRegression(dual=True).fit(X, y)
    with pytest.raises(ValueError, match="intercept_scaling"):
        LogisticRegression(solver="liblinear", intercept_scaling=10.0).fit(X, y)


@pytest.mark.covers("linear.logistic-regression")
def test_sparsified_weights_predict_the_same_from_arrays_and_sparse_rows():
    X, y = make_classification(80, 6, random_state=1)
    model = LogisticRegression(l1_ratio=1.0, C=0.1, warm_start=True).fit(X, y)
    wanted, importance = model.predict_proba(X), model.feature_importance()
    assert sp.issparse(model.sparsify().coef_)
    np.testing.assert_allclose(model.predict_proba(X), wanted, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(sp.csr_matrix(X)), wanted, rtol=1e-12)
    assert model.feature_importance() == importance
    np.testing.assert_allclose(model.fit(X, y).predict_proba(X), wanted, rtol=1e-3)  # starts from sparse weights
    model.sparsify()
    assert isinstance(model.densify().coef_, np.ndarray)


@pytest.mark.covers("linear.logistic-regression")
def test_verbose_shows_each_iteration(capsys):
    X, y = make_classification(80, 6, random_state=1)
    model = LogisticRegression(verbose=1).fit(X, y)
    assert len(capsys.readouterr().out.splitlines()) == model.n_iter_[0]
    LassoCV(cv=4, verbose=True).fit(X, y.astype(float))
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_weights_of_several_targets_are_had_as_a_sparse_matrix(line):
    X, y = line
    model = MultiTaskLasso(1.0).fit(X, np.column_stack([y, -y]))
    np.testing.assert_array_equal(model.sparse_coef_.toarray(), model.coef_)


def test_priors_that_are_no_probabilities_are_told_of():
    X, y = make_classification(40, 4, random_state=0)
    with pytest.warns(UserWarning, match=r"priors have the sum 1\.1"):
        model = LinearDiscriminantAnalysis(priors=[0.5, 0.6]).fit(X, y)
    np.testing.assert_allclose(model.priors_, [5 / 11, 6 / 11], rtol=1e-12)
    with pytest.raises(ValueError, match="sum above zero"):
        LinearDiscriminantAnalysis(priors=[0.0, 0.0]).fit(X, y)


@pytest.mark.covers("linear.lars")
@pytest.mark.parametrize("name", ["Lars", "LassoLars"])
def test_least_angle_regression_of_several_targets(line, name):
    X, y = line
    Y = np.column_stack([y, X[:, 0] - y, y**2])
    model, peer = {"Lars": Lars, "LassoLars": LassoLars}[name]().fit(X, Y), getattr(peers, name)().fit(X, Y)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.predict(X), peer.predict(X), rtol=1e-8, atol=1e-8)
    assert model.n_iter_ == list(peer.n_iter_)
    for ours, theirs in zip(model.alphas_, peer.alphas_, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)
    one = type(model)(fit_path=False).fit(X, Y[:, :1])
    assert one.coef_.shape == (8,)
    assert not hasattr(one, "coef_path_")


@pytest.mark.covers("linear.lars")
def test_least_angle_regression_with_noise_and_dependent_columns(line, capsys):
    X, y = line
    noisy = LassoLars(0.1, jitter=1.0, random_state=0).fit(X, y)
    added = np.random.RandomState(0).uniform(high=1.0, size=len(y))
    np.testing.assert_allclose(
        noisy.coef_, LassoLars(0.1, fit_intercept=False).fit(X - X.mean(axis=0), y - y.mean() + added).coef_, rtol=1e-8
    )
    near = np.column_stack([X, X[:, 0] + 1e-4 * X[:, 1] ** 2])
    assert len(Lars(eps=1e-6, verbose=True).fit(near, y).active_) < len(Lars().fit(near, y).active_)
    assert "columns in use" in capsys.readouterr().out
    with pytest.raises(ValueError, match="by name: sample_weight"):
        Lars().fit(X, y, np.ones(len(y)))
    assert Lars().fit(X, y, X.T @ y).coef_.tolist() == Lars(precompute=False).fit(X, y).coef_.tolist()
    assert Lars().fit(X.astype(np.float32), y).coef_path_.dtype == np.float32


@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_paths_of_several_targets(line, container, fit_intercept, capsys):
    X, y = line
    Y = np.column_stack([y, X[:, 0] - y])
    Yc, Xc = (Y - Y.mean(axis=0), X - X.mean(axis=0)) if fit_intercept else (Y, X)
    alphas, coefs, gaps, rounds = enet_path(
        container(X), Y, alphas=5, tol=1e-12, fit_intercept=fit_intercept, verbose=True, return_n_iter=True
    )
    wanted, theirs, _ = peers.enet_path(Xc, Yc, alphas=5, tol=1e-12)
    np.testing.assert_allclose(alphas, wanted, rtol=1e-10)
    np.testing.assert_allclose(coefs, theirs, rtol=1e-4, atol=1e-4)
    assert len(gaps) == len(rounds) == 5
    assert "5 penalties" in capsys.readouterr().out
    again = lasso_path(container(X), Y, alphas=alphas[-1:], coef_init=coefs[:, :, -1])[1]
    assert again.shape == (2, 8, 1)
    with pytest.raises(ValueError, match="not allowed for multi-output"):
        enet_path(X, Y, positive=True)


@pytest.mark.parametrize(
    "model",
    [MultiTaskLasso(0.5), MultiTaskElasticNet(0.5), MultiTaskLassoCV(alphas=9), MultiTaskElasticNetCV(alphas=9)],
)
def test_several_targets_of_sparse_rows(line, model):
    X, y = line
    X, Y = X * (np.abs(X) > 0.4), np.column_stack([y, X[:, 0] - y])
    model = model.set_params(tol=1e-12)
    dense = model.fit(X, Y).coef_
    np.testing.assert_allclose(model.fit(sp.csr_matrix(X), Y).coef_, dense, rtol=1e-6, atol=1e-8)
    assert callable(model.path)


def test_penalties_that_are_given_are_one_grid(line):
    X, y = line
    assert ElasticNetCV(alphas=[1.0, 0.1], l1_ratio=[0.5, 0.9]).fit(X, y).alphas_.tolist() == [1.0, 0.1]
    assert ElasticNetCV(alphas=4, l1_ratio=[0.5, 0.9]).fit(X, y).alphas_.shape == (2, 4)
    with pytest.raises(TypeError, match="must be numbers"):
        LassoCV(alphas=["1", "2"]).fit(X, y)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"penalty": None, "C": 4.0}, "will ignore the C"),
        ({"penalty": "l1", "l1_ratio": 0.5}, "only used when penalty is 'elasticnet'"),
        ({"penalty": "l2", "l1_ratio": 1.0}, "Inconsistent values: penalty=l2 with l1_ratio=1.0"),
    ],
)
def test_strengths_that_a_named_penalty_does_not_use_are_told(given, words):
    X, y = make_classification(60, 4, flip_y=0.3, random_state=0)
    with pytest.warns(UserWarning, match=words):
        LogisticRegression(**given).fit(X, y)
