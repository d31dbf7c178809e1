"""Products of columns that the user gives, and how exact a tolerance is, beside scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import linear_model as theirs

from lanatus.linear import ElasticNet, Lasso


def rows(seed=0, n=60, d=5):
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(n, d)) + 2.0
    return X, X[:, 0] + 2 * X[:, 1] + rng.normal(size=n), rng.rand(n) + 0.1


@pytest.mark.parametrize("model", [ElasticNet(alpha=0.1, tol=1e-10), Lasso(alpha=0.1, tol=1e-10)])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_right_products_give_the_same_model(model, sparse):
    X, y, w = rows()
    given = sp.csr_matrix(X) if sparse else X
    plain = model.set_params(precompute=False).fit(given, y).coef_.copy()
    centred = X - X.mean(axis=0)
    found = model.set_params(precompute=centred.T @ centred).fit(given, y).coef_
    np.testing.assert_allclose(found, plain, rtol=1e-6, atol=1e-8)
    weighted = model.set_params(precompute=False).fit(given, y, sample_weight=w).coef_.copy()
    about = (X - np.average(X, axis=0, weights=w)) * np.sqrt(w)[:, None]
    for scale in (1.0, len(w) / w.sum()):  # scikit-learn scales weights to mean 1
        found = model.set_params(precompute=scale * about.T @ about).fit(given, y, sample_weight=w).coef_
        np.testing.assert_allclose(found, weighted, rtol=1e-6, atol=1e-8)


def test_products_that_are_not_centred_are_made_anew():
    X, y, _ = rows()
    plain = ElasticNet(alpha=0.1, tol=1e-10).fit(X, y)
    with pytest.warns(UserWarning, match="recomputing Gram matrix"):
        found = ElasticNet(alpha=0.1, tol=1e-10, precompute=X.T @ X).fit(X, y)
    np.testing.assert_allclose(found.coef_, plain.coef_, rtol=1e-9)
    through_zero = ElasticNet(alpha=0.1, tol=1e-10, fit_intercept=False)
    own = through_zero.fit(X, y).coef_.copy()
    np.testing.assert_allclose(through_zero.set_params(precompute=X.T @ X).fit(X, y).coef_, own, rtol=1e-6)


def test_products_of_something_else_are_refused():
    X, y, _ = rows()
    for wrong in (np.eye(5), 2 * X.T @ X):
        with pytest.raises(ValueError, match="not the matrix X'X of this X"):
            Lasso(precompute=wrong).fit(X, y)


@pytest.mark.parametrize(("n", "d"), [(200, 50), (80, 300), (1000, 60)])
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6])
def test_a_tolerance_is_at_least_as_exact_as_scikit_learns(n, d, tol):
    rng = np.random.RandomState(n)
    X = rng.normal(size=(n, d))
    y = X[:, 0] + rng.normal(size=n)

    def objective(model):
        return np.mean((y - X @ model.coef_ - model.intercept_) ** 2) / 2 + 0.02 * np.abs(model.coef_).sum()

    best = objective(theirs.Lasso(0.02, tol=1e-13, max_iter=100_000).fit(X, y))
    ours, peer = (objective(kind(0.02, tol=tol).fit(X, y)) - best for kind in (Lasso, theirs.Lasso))
    assert ours <= max(peer, 1e-13)
