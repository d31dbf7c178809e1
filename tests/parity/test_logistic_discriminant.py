"""Logistic regression and discriminant analysis against scikit-learn, on real data."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp
from sklearn import discriminant_analysis, linear_model
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from lanatus.linear import LinearDiscriminantAnalysis, LogisticRegression

BUNDLED = [load_iris, load_wine, load_breast_cancer, load_digits]


def standardised(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def objective(model, X, y, C, weight, ratio=0.0):
    scores = X @ model.coef_.T + model.intercept_
    scores = np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores
    codes = np.searchsorted(model.classes_, y)
    loss = weight @ (logsumexp(scores, axis=1) - scores[np.arange(len(y)), codes])
    return C * loss + (1 - ratio) / 2 * (model.coef_**2).sum() + ratio * np.abs(model.coef_).sum()


@pytest.mark.parametrize("load", BUNDLED)
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_regression(load, C, weighted):
    X, y = standardised(load)
    if load is load_digits:  # the peer takes half a minute for all of them
        X, y = X[::3], y[::3]
    weight = np.random.RandomState(0).rand(len(y)) if weighted else np.ones(len(y))
    theirs = linear_model.LogisticRegression(C=C, tol=1e-10, solver="newton-cg", max_iter=1000).fit(X, y, weight)
    for rows in (X, sp.csr_array(X)):
        ours = LogisticRegression(C=C, tol=1e-10).fit(rows, y, weight)
        best = objective(theirs, X, y, C, weight)
        assert objective(ours, X, y, C, weight) == pytest.approx(best, rel=1e-12)
        np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(X), rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("ratio", [0.5, 1.0])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_logistic_regression_with_absolute_values(load, ratio):
    X, y = standardised(load)
    weight = np.ones(len(y))
    ours = LogisticRegression(C=0.1, l1_ratio=ratio, tol=1e-9, max_iter=1000).fit(X, y)
    theirs = linear_model.LogisticRegression(
        C=0.1, l1_ratio=ratio, solver="saga", tol=1e-9, max_iter=3000, random_state=0
    ).fit(X, y)
    best = objective(theirs, X, y, 0.1, weight, ratio)
    assert objective(ours, X, y, 0.1, weight, ratio) <= best * (1 + 1e-8)


def test_class_weight_without_intercept():
    X, y = standardised(load_breast_cancer)
    how = {"class_weight": "balanced", "fit_intercept": False, "tol": 1e-10}
    ours = LogisticRegression(**how).fit(X, y)
    theirs = linear_model.LogisticRegression(**how, solver="newton-cholesky").fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["phoneme", "satellite", "spambase"])
def test_logistic_regression_on_files(shared_data, name):
    path = shared_data / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"no {name}")
    frame = pd.read_parquet(path).iloc[::3]  # the peer is slow
    X = StandardScaler().fit_transform(frame.iloc[:, :-1].to_numpy(dtype=float))
    y = frame.iloc[:, -1].astype(str).to_numpy()
    theirs = linear_model.LogisticRegression(tol=1e-9, solver="newton-cg", max_iter=1000).fit(X, y)
    ours = LogisticRegression(tol=1e-9).fit(X, y)
    weight = np.ones(len(y))
    assert objective(ours, X, y, 1.0, weight) == pytest.approx(objective(theirs, X, y, 1.0, weight), rel=1e-9)


@pytest.mark.parametrize("load", BUNDLED)
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"store_covariance": True},
        {"solver": "lsqr"},
        {"solver": "lsqr", "shrinkage": "auto"},
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "shrinkage": 0.3},
        {"solver": "lsqr", "shrinkage": 0.0},
    ],
    ids=str,
)
@pytest.mark.parametrize("priors", [False, True])
def test_discriminant_analysis(load, how, priors):
    X, y = load(return_X_y=True)
    k = len(np.unique(y))
    how = {**how, "priors": np.arange(1, k + 1) / (k * (k + 1) / 2)} if priors else how
    ours = LinearDiscriminantAnalysis(**how).fit(X, y)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(**how).fit(X, y)
    scores = theirs.decision_function(X)
    np.testing.assert_allclose(ours.decision_function(X), scores, rtol=1e-7, atol=1e-8 * np.abs(scores).max())
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.xbar_, theirs.xbar_) if how.get("solver", "svd") == "svd" else None
    if hasattr(theirs, "covariance_"):
        np.testing.assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-9, atol=1e-9)
    if how.get("solver") != "lsqr":
        moved = theirs.transform(X)
        np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(moved), rtol=1e-5, atol=1e-8 * np.abs(moved).max())
        np.testing.assert_allclose(
            ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-8, atol=1e-12
        )
