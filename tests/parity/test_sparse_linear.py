"""Sparse linear models against scikit-learn, celer and skglm, on real data: the objective is equal or lower."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model as peers

from lanatus import linear

TABLES = ["bodyfat", "boston_housing", "alon_colon", "golub_leukemia"]  # the last two have more columns than rows


def standardised_table(folder, name):
    """Numeric columns, standardised, and the last of them (or the class as 0 and 1) as target."""
    frame = pd.read_parquet(folder / f"{name}.parquet")
    numbers = frame.select_dtypes("number")
    labels = frame.drop(columns=numbers.columns)
    if labels.shape[1] and numbers.shape[1] > 500:
        y = pd.factorize(labels.iloc[:, -1])[0].astype(float)
    else:
        y, numbers = numbers.iloc[:, -1].to_numpy(float), numbers.iloc[:, :-1]
    X = numbers.to_numpy(float)
    X = X[:, X.std(axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def objective(coef, intercept, X, y, alpha, ratio):
    left = y - X @ coef - intercept
    return left @ left / (2 * len(y)) + alpha * (ratio * np.abs(coef).sum() + (1 - ratio) / 2 * (coef**2).sum())


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.covers("linear.lasso", "linear.elastic-net")
def test_objective_is_that_of_scikit_learn_or_lower(shared_data, name, ratio):
    X, y = standardised_table(shared_data, name)
    top = np.abs(X.T @ (y - y.mean())).max() / (len(y) * ratio)
    for share in (0.5, 0.1, 0.02):
        alpha = top * share
        ours = linear.ElasticNet(alpha, l1_ratio=ratio, tol=1e-12, max_iter=50_000).fit(X, y)
        theirs = peers.ElasticNet(alpha, l1_ratio=ratio, tol=1e-10, max_iter=50_000).fit(X, y)
        got = objective(ours.coef_, ours.intercept_, X, y, alpha, ratio)
        want = objective(theirs.coef_, theirs.intercept_, X, y, alpha, ratio)
        assert got <= want * (1 + 1e-8)


@pytest.mark.parametrize("name", ["bodyfat", "alon_colon"])
def test_paths_match(shared_data, name):
    X, y = standardised_table(shared_data, name)
    y = y - y.mean()
    alphas, coefs, _ = linear.lasso_path(X, y, alphas=20, eps=0.05, tol=1e-12, max_iter=50_000)
    same, theirs, _ = peers.lasso_path(X, y, alphas=20, eps=0.05, tol=1e-10, max_iter=50_000)
    np.testing.assert_allclose(alphas, same, rtol=1e-10)
    for alpha, w, v in zip(alphas, coefs.T, theirs.T, strict=True):
        assert objective(w, 0, X, y, alpha, 1.0) <= objective(v, 0, X, y, alpha, 1.0) * (1 + 1e-8)


@pytest.mark.parametrize(
    "package",
    ["celer", pytest.param("skglm", marks=pytest.mark.slow)],  # skglm compiles its solvers with numba
)
def test_objective_is_that_of_the_fast_peers_or_lower(shared_data, package):
    peer = pytest.importorskip(package)
    X, y = standardised_table(shared_data, "golub_leukemia")
    alpha = 0.1 * np.abs(X.T @ (y - y.mean())).max() / len(y)
    ours = linear.Lasso(alpha, tol=1e-12, max_iter=50_000).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = peer.Lasso(alpha, tol=1e-10).fit(X, y)
    got = objective(ours.coef_, ours.intercept_, X, y, alpha, 1.0)
    assert got <= objective(theirs.coef_, theirs.intercept_, X, y, alpha, 1.0) * (1 + 1e-8)


@pytest.mark.parametrize("kind", ["MultiTaskLasso", "MultiTaskElasticNet"])
def test_multi_task_objective(shared_data, kind):
    X, y = standardised_table(shared_data, "boston_housing")
    Y = np.column_stack([y, X[:, 0] * 3, X[:, 1]])
    X = X[:, 2:]
    ours = getattr(linear, kind)(0.3, tol=1e-13, max_iter=50_000).fit(X, Y)
    theirs = getattr(peers, kind)(0.3, tol=1e-10, max_iter=50_000).fit(X, Y)
    ratio = getattr(ours, "l1_ratio", 1.0)

    def cost(model):
        left = Y - X @ model.coef_.T - model.intercept_
        norms = np.linalg.norm(model.coef_, axis=0)
        return (left**2).sum() / (2 * len(Y)) + 0.3 * (ratio * norms.sum() + (1 - ratio) / 2 * (norms**2).sum())

    assert cost(ours) <= cost(theirs) * (1 + 1e-8)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


@pytest.mark.covers("linear.lars")
def test_lars_corners_match(shared_data):
    X, y = standardised_table(shared_data, "bodyfat")
    ours, theirs = linear.Lars().fit(X, y), peers.Lars().fit(X, y)
    n = len(theirs.alphas_) - 1  # the last is zero up to rounding
    np.testing.assert_allclose(ours.alphas_[:n], theirs.alphas_[:n], rtol=1e-6)
    np.testing.assert_allclose(ours.coef_path_[:, :n], theirs.coef_path_[:, :n], atol=1e-5)
    for alpha in (0.5, 0.05):
        ours, theirs = linear.LassoLars(alpha).fit(X, y), peers.LassoLars(alpha).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
        np.testing.assert_allclose(ours.alphas_, theirs.alphas_, atol=1e-9)


def test_cross_validation_matches(shared_data):
    X, y = standardised_table(shared_data, "bodyfat")
    ours = linear.LassoCV(alphas=20, cv=5, tol=1e-10, max_iter=50_000).fit(X, y)
    theirs = peers.LassoCV(alphas=20, cv=5, tol=1e-10, max_iter=50_000).fit(X, y)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-5)
    np.testing.assert_allclose(ours.alpha_, theirs.alpha_, rtol=1e-10)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    multi = linear.MultiTaskLassoCV(alphas=5, cv=3, tol=1e-10, max_iter=50_000).fit(X, np.column_stack([y, y * 2]))
    same = peers.MultiTaskLassoCV(alphas=5, cv=3, tol=1e-10, max_iter=50_000).fit(X, np.column_stack([y, y * 2]))
    np.testing.assert_allclose(multi.mse_path_, same.mse_path_, rtol=1e-4)
