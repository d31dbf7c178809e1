"""Penalties on groups, on runs, and on all targets of a column."""

import numpy as np
import pytest
import scipy.sparse as sp
from samples import sparse_regression
from sklearn.base import clone

import lanatus
from lanatus import linear
from lanatus.linear import (
    ElasticNet,
    FusedLasso,
    GroupLasso,
    Lasso,
    MultiTaskElasticNet,
    MultiTaskElasticNetCV,
    MultiTaskLasso,
    MultiTaskLassoCV,
)


@pytest.mark.covers("linear.group-lasso")
def test_group_lasso_is_whole_groups_or_nothing():
    X, y = sparse_regression(80, 12, used=3)
    model = GroupLasso(3, 0.3, tol=1e-12, max_iter=100_000).fit(X, y)
    in_use = [model.coef_[group].any() for group in model.groups_]
    assert any(in_use)
    assert not all(in_use)
    assert all(np.all(model.coef_[group] != 0) for group, used in zip(model.groups_, in_use, strict=True) if used)
    alone = GroupLasso(np.arange(12), 0.1, tol=1e-13, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(alone.coef_, Lasso(0.1, tol=1e-14).fit(X, y).coef_, atol=1e-6)
    with pytest.raises(ValueError, match="one label for each of the 12"):
        GroupLasso([0, 1]).fit(X, y)


@pytest.mark.covers("linear.fused-lasso")
def test_fused_lasso_is_constant_over_runs():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(80, 30))
    w = np.repeat([0.0, 2.0, 0.0], 10)
    y = X @ w + 0.1 * rng.normal(size=80)
    model = FusedLasso(0.02, 0.2, tol=1e-10).fit(X, y)
    assert np.count_nonzero(np.abs(np.diff(model.coef_)) > 1e-8) <= 4
    np.testing.assert_allclose(model.coef_, w, atol=0.3)
    only = FusedLasso(0.3, 0, tol=1e-11).fit(X, y)
    np.testing.assert_allclose(only.coef_, Lasso(0.3, tol=1e-15).fit(X, y).coef_, atol=1e-7)


def test_multi_task_uses_a_column_for_all_targets_or_none():
    X, y = sparse_regression(50, 80)
    Y = np.column_stack([y, y[::-1], y**2 / 10])
    model = MultiTaskLasso(1.0, tol=1e-12, max_iter=100_000).fit(X, Y)
    used = model.coef_.any(axis=0)
    assert 0 < used.sum() < 80
    assert (model.coef_[:, used] != 0).all()
    for ratio in (0.3, 1.0):
        one = MultiTaskElasticNet(0.2, l1_ratio=ratio, tol=1e-13, max_iter=100_000).fit(X, y[:, None])
        two = ElasticNet(0.2, l1_ratio=ratio, tol=1e-13, max_iter=100_000).fit(X, y)
        np.testing.assert_allclose(one.coef_[0], two.coef_, atol=1e-6)
    with pytest.raises(ValueError, match="mono-task outputs, use Lasso"):
        MultiTaskLasso().fit(X, y)


@pytest.mark.parametrize("model", [MultiTaskElasticNet, MultiTaskElasticNetCV, MultiTaskLasso, MultiTaskLassoCV])
def test_multi_task_models_are_saved(tall, model, tmp_path):
    X, y = tall
    fitted = model().fit(X, np.c_[y, -y])
    again = lanatus.load(lanatus.save(fitted, tmp_path / "model.skops"))
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


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
    dense = clone(fit).fit(X, y, sample_weight=weight)
    for make in (sp.csr_array, sp.csc_matrix):
        sparse = clone(fit).fit(make(X), y, sample_weight=weight)
        np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(sparse.intercept_, dense.intercept_, rtol=1e-6, atol=1e-8)
    with pytest.raises(ValueError, match="sparse X of up to 5000 columns; got 6000"):
        clone(fit).fit(sp.csr_array((80, 6000)), y)
