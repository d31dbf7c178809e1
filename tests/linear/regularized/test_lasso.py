"""The lasso and the elastic net: golden numbers, second routes, edge cases."""

import numpy as np
import pytest
import scipy.sparse as sp
from samples import sparse_regression
from sklearn.exceptions import ConvergenceWarning

from lanatus.linear import (
    ElasticNet,
    FusedLasso,
    GeneralizedLinearModel,
    GroupLasso,
    Lasso,
    LassoLars,
    MultiTaskLasso,
    lasso_path,
)

TOY = np.array([[1.0, 0], [1, 1], [0, 1]]), np.array([2, 2, 0.5])


BOOK = {"loss_scale": "sum", "fit_intercept": False}


@pytest.mark.covers("linear.lasso")
def test_the_books_lasso():
    identity = Lasso(1, tol=1e-14, **BOOK).fit(np.eye(3), [3, 0.4, -2])
    np.testing.assert_allclose(identity.coef_, [2.5, 0, -1.5], atol=1e-12)
    np.testing.assert_allclose(Lasso(1, tol=1e-14, **BOOK).fit(*TOY).coef_, [5 / 3, 1 / 6], atol=1e-9)
    np.testing.assert_allclose(Lasso(3, tol=1e-14, **BOOK).fit(*TOY).coef_, [1.25, 0], atol=1e-9)
    assert not Lasso(8, **BOOK).fit(*TOY).coef_.any()
    assert Lasso(7.9, tol=1e-12, **BOOK).fit(*TOY).coef_.any()


@pytest.mark.covers("linear.elastic-net")
def test_alike_columns_share_the_weight_of_an_elastic_net():
    X, y = sparse_regression(d=1, used=1)
    twice = np.hstack([X, X])
    shared = ElasticNet(0.1, tol=1e-14, max_iter=10_000).fit(twice, y).coef_
    np.testing.assert_allclose(shared[0], shared[1], rtol=1e-6)
    alone = Lasso(0.1, tol=1e-12).fit(twice, y)
    np.testing.assert_allclose(alone.coef_.sum(), Lasso(0.1, tol=1e-12).fit(X, y).coef_[0], rtol=1e-6)


@pytest.mark.parametrize("shape", [(80, 10), (30, 200)])
@pytest.mark.parametrize("positive", [False, True])
def test_dense_sparse_by_columns_and_by_products_agree(shape, positive):
    X, y = sparse_regression(*shape)
    X *= np.random.RandomState(1).rand(*shape) < 0.4
    weight = np.random.RandomState(2).randint(0, 3, len(y)).astype(float)
    how = {"positive": positive, "tol": 1e-14, "max_iter": 100_000}
    dense = ElasticNet(0.1, l1_ratio=0.8, **how).fit(X, y, weight)
    for other in (sp.csr_matrix(X), sp.csc_array(X)):
        np.testing.assert_allclose(
            ElasticNet(0.1, l1_ratio=0.8, **how).fit(other, y, weight).coef_, dense.coef_, atol=3e-6
        )
    by_products = ElasticNet(0.1, l1_ratio=0.8, precompute=True, **how).fit(X, y, weight)
    np.testing.assert_allclose(by_products.coef_, dense.coef_, atol=3e-6)
    shuffled = ElasticNet(0.1, l1_ratio=0.8, selection="random", random_state=0, **how).fit(X, y, weight)
    np.testing.assert_allclose(shuffled.coef_, dense.coef_, atol=3e-6)
    assert not positive or (dense.coef_ >= 0).all()


def test_the_gap_is_honest_and_stale_columns_do_not_hide():
    X, y = sparse_regression(50, 400, used=20)
    alphas, coefs, gaps = lasso_path(X, y, alphas=30, eps=0.01, fit_intercept=True, tol=1e-10)
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    for alpha, w, gap in zip(alphas, coefs.T, gaps, strict=True):
        left = yc - Xc @ w
        products = Xc.T @ left
        scale = min(1.0, alpha * len(y) / np.abs(products).max())
        primal = left @ left / 2 + alpha * len(y) * np.abs(w).sum()
        dual = scale * (yc @ left) - scale**2 / 2 * (left @ left)
        assert (primal - dual) <= 1e-10 * (yc @ yc) * 1.01
        np.testing.assert_allclose(gap * len(y), primal - dual, rtol=0, atol=1e-11 * (yc @ yc))


def test_several_targets_are_learned_one_by_one():
    X, y = sparse_regression()
    both = Lasso(0.1, tol=1e-12).fit(X, np.column_stack([y, -2 * y]))
    assert both.coef_.shape == (2, 15)
    np.testing.assert_allclose(both.coef_[0], Lasso(0.1, tol=1e-12).fit(X, y).coef_, atol=1e-10)
    assert both.predict(X).shape == (60, 2)
    assert both.sparse_coef_.shape == (2, 15)


def test_warm_start_goes_on_from_the_last_weights():
    X, y = sparse_regression(30, 100)
    model = Lasso(0.1, tol=1e-12, warm_start=True, max_iter=100_000).fit(X, y)
    rounds = model.n_iter_
    assert model.fit(X, y).n_iter_ < rounds


def test_float32_is_kept():
    X, y = sparse_regression()
    single = Lasso(0.1).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, Lasso(0.1).fit(X, y).coef_, atol=1e-4)
    wide, target = sparse_regression(30, 100)
    got = Lasso(0.3, tol=1e-8, max_iter=10_000).fit(wide.astype(np.float32), target)
    np.testing.assert_allclose(got.coef_, Lasso(0.3, tol=1e-8, max_iter=10_000).fit(wide, target).coef_, atol=1e-3)


@pytest.mark.parametrize("shape", [(60, 10), (20, 50)])
def test_constant_and_far_off_columns(shape):
    X, y = sparse_regression(*shape)
    X[:, 1] = 0.1
    far = X + 1e6
    near = Lasso(0.05, tol=1e-12, max_iter=100_000).fit(X, y)
    assert near.coef_[1] == 0
    model = Lasso(0.05, tol=1e-12, max_iter=100_000).fit(far, y)
    assert model.coef_[1] == 0
    np.testing.assert_allclose(model.coef_, near.coef_, atol=1e-6)
    np.testing.assert_allclose(model.predict(far), near.predict(X), atol=1e-5)


@pytest.mark.parametrize("shape", [(60, 10), (20, 50)])
def test_huge_scales(shape):
    X, y = sparse_regression(*shape)
    plain = Lasso(0.05, tol=1e-12, max_iter=100_000).fit(X, y)
    huge = Lasso(0.05e24, tol=1e-12, max_iter=100_000).fit(X * 1e12, y * 1e12)
    np.testing.assert_allclose(huge.coef_, plain.coef_, atol=1e-7)
    with pytest.raises(ValueError, match="scale"):
        Lasso(1.0).fit(X * 1e300, y)


def test_alpha_zero_warns_and_is_least_squares():
    X, y = sparse_regression()
    with pytest.warns(UserWarning, match="alpha=0 is least squares"):
        model = Lasso(0, tol=1e-14, max_iter=100_000).fit(X, y)
    exact = np.linalg.lstsq(np.column_stack([X, np.ones(60)]), y, rcond=None)[0]
    np.testing.assert_allclose(model.coef_, exact[:-1], atol=1e-6)


def test_a_large_penalty_one_row_empty_columns_and_zero_weights():
    X, y = sparse_regression()
    none = Lasso(1e6).fit(X, y)
    assert not none.coef_.any()
    np.testing.assert_allclose(none.intercept_, y.mean())
    np.testing.assert_allclose(Lasso(0.1).fit(X[:1], y[:1]).predict(X[:1]), y[:1])
    empty = sp.csr_matrix((20, 3))
    assert not Lasso(0.1).fit(empty, np.arange(20.0)).coef_.any()
    with pytest.raises(ValueError, match="at least one"):
        Lasso(0.1).fit(X, y, np.zeros(60))
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        Lasso(1e-4, tol=1e-15, max_iter=1).fit(X, y)


def test_working_sets_beyond_the_gram_limit(monkeypatch):
    from lanatus.optimize.solvers import _coordinate_descent

    X, y = sparse_regression(40, 120, used=30)
    X *= np.random.RandomState(1).rand(*X.shape) < 0.5
    how = {"tol": 1e-12, "max_iter": 100_000}
    expected = Lasso(0.05, **how).fit(X, y).coef_
    monkeypatch.setattr(_coordinate_descent, "_WORKING_COLUMNS", 5)
    np.testing.assert_allclose(Lasso(0.05, **how).fit(X, y).coef_, expected, atol=1e-5)
    np.testing.assert_allclose(Lasso(0.05, **how).fit(sp.csr_matrix(X), y).coef_, expected, atol=1e-5)


@pytest.mark.parametrize("model", [Lasso, GroupLasso, LassoLars, GeneralizedLinearModel, MultiTaskLasso])
def test_an_infinite_penalty_is_refused_by_name(tall, model):
    X, y = tall
    with pytest.raises(ValueError, match="'alpha' parameter"):
        model(alpha=np.inf).fit(X, np.c_[y, y] if model is MultiTaskLasso else y)
    with pytest.raises(ValueError, match="'alpha2' parameter"):
        FusedLasso(0.1, np.inf).fit(X, y)
