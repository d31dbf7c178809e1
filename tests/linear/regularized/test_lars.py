"""Least angle regression and the lasso by its steps."""

import numpy as np
import pytest
import sklearn.linear_model as theirs
from samples import sparse_regression
from sklearn.base import clone
from sklearn.datasets import make_regression

from lanatus.linear import (
    Lars,
    Lasso,
    LassoLars,
)


def objective(model, X, y, alpha, l1_ratio=1.0, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    left = y - X @ model.coef_ - model.intercept_
    penalty = l1_ratio * np.abs(model.coef_).sum() + (1 - l1_ratio) / 2 * (model.coef_**2).sum()
    return (weight * left**2).sum() / (2 * weight.sum()) + alpha * penalty


@pytest.mark.covers("linear.lars")
def test_lars_ends_at_least_squares_and_its_lasso_is_the_lasso():
    X, y = sparse_regression()
    exact = np.linalg.lstsq(np.column_stack([X, np.ones(60)]), y, rcond=None)[0]
    lars = Lars().fit(X, y)
    np.testing.assert_allclose(lars.coef_, exact[:-1], atol=1e-9)
    assert sorted(lars.active_) == list(range(15))
    assert (np.diff(lars.alphas_) <= 0).all()
    for alpha in (2.0, 0.3, 0.02):
        np.testing.assert_allclose(LassoLars(alpha).fit(X, y).coef_, Lasso(alpha, tol=1e-15).fit(X, y).coef_, atol=1e-7)
    twice = np.hstack([X, X[:, :3]])
    np.testing.assert_allclose(Lars().fit(twice, y).predict(twice), lars.predict(X), atol=1e-8)


def test_lasso_path_of_lars_where_weights_leave():
    X, y = make_regression(40, 60, noise=5, random_state=3)
    model = LassoLars(0.01, max_iter=2000).fit(X, y)
    assert model.n_iter_ > len(model.active_)  # some came and went
    direct = Lasso(0.01, tol=1e-14, max_iter=200_000).fit(X, y)
    assert objective(model, X, y, 0.01) <= objective(direct, X, y, 0.01) * (1 + 1e-9)


@pytest.mark.parametrize("columns", [1, 3, 5, 10])
def test_lars_stops_where_one_column_too_many_would_enter(columns):
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    expected = theirs.Lars(n_nonzero_coefs=columns).fit(X, y)
    model = Lars(n_nonzero_coefs=columns).fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-8)
    assert np.count_nonzero(model.coef_) == columns


@pytest.mark.parametrize("model", [Lars(), LassoLars(0.0)])
def test_a_column_that_depends_on_those_in_use_is_left_out(model):
    X, y = make_regression(40, 3, noise=1.0, random_state=0)
    alone = clone(model).fit(X, y)
    model.fit(np.column_stack([X, X[:, 0] + 2 * X[:, 1] - X[:, 2], X[:, 2]]), y)
    assert len(model.active_) == 3
    assert model.n_iter_ == len(model.alphas_) - 1 == model.coef_path_.shape[1] - 1
    assert alone.n_iter_ == 3
    np.testing.assert_allclose(
        model.predict(np.column_stack([X, X[:, 0] + 2 * X[:, 1] - X[:, 2], X[:, 2]])), alone.predict(X), rtol=1e-8
    )


def test_a_path_ends_at_once_where_the_penalty_is_the_largest():
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]), np.array([2.0, -2.0, 1.0, -1.0])
    model = LassoLars(1.0).fit(X, y)  # the largest mean correlation
    assert (model.n_iter_, model.active_, model.alphas_.tolist()) == (0, [], [1.0])
    assert model.coef_.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("seed", [9, 11, 12, 21])
def test_a_mean_of_columns_in_use_ties_with_them_and_is_left_out(seed):
    """Rounding decides that it reaches their correlation; it must not join them all the same."""
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(30, 3))
    y = X @ [2.0, 1.5, -1.0] + 0.1 * rng.normal(size=30)
    wider = np.column_stack([X, (X[:, 0] + X[:, 1]) / 2])
    model = Lars().fit(wider, y)
    assert len(model.active_) == 3
    np.testing.assert_allclose(model.predict(wider), Lars().fit(X, y).predict(X), rtol=1e-9)
