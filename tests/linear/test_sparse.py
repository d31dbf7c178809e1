"""Sparse linear models: golden numbers, second routes, edge cases."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_regression
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from lanatus.callbacks import Recorder
from lanatus.linear import (
    BestSubsetRegression,
    ElasticNet,
    ElasticNetCV,
    FusedLasso,
    GroupLasso,
    Lars,
    Lasso,
    LassoCV,
    LassoLars,
    MultiTaskElasticNet,
    MultiTaskLasso,
    ProximalGradient,
    RegularizedLinearModel,
    enet_path,
    lasso_path,
)

TOY = np.array([[1.0, 0], [1, 1], [0, 1]]), np.array([2, 2, 0.5])
BOOK = {"loss_scale": "sum", "fit_intercept": False}


def made(n=60, d=15, seed=0, used=5, noise=1.0):
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(n, d)) + 1
    w = np.zeros(d)
    w[:used] = rng.normal(size=used) * 3
    return X, X @ w + noise * rng.normal(size=n)


def objective(model, X, y, alpha, l1_ratio=1.0, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    left = y - X @ model.coef_ - model.intercept_
    penalty = l1_ratio * np.abs(model.coef_).sum() + (1 - l1_ratio) / 2 * (model.coef_**2).sum()
    return (weight * left**2).sum() / (2 * weight.sum()) + alpha * penalty


# ---------------------------------------------------------------- the book's numbers


@pytest.mark.covers("linear.lasso")
def test_the_books_lasso():
    identity = Lasso(1, tol=1e-14, **BOOK).fit(np.eye(3), [3, 0.4, -2])
    np.testing.assert_allclose(identity.coef_, [2.5, 0, -1.5], atol=1e-12)
    np.testing.assert_allclose(Lasso(1, tol=1e-14, **BOOK).fit(*TOY).coef_, [5 / 3, 1 / 6], atol=1e-9)
    np.testing.assert_allclose(Lasso(3, tol=1e-14, **BOOK).fit(*TOY).coef_, [1.25, 0], atol=1e-9)
    assert not Lasso(8, **BOOK).fit(*TOY).coef_.any()
    assert Lasso(7.9, tol=1e-12, **BOOK).fit(*TOY).coef_.any()


def test_the_books_proximal_gradient_steps():
    steps = Recorder()
    model = ProximalGradient(1, tol=1e-12).set_callbacks(steps).fit(*TOY)
    np.testing.assert_allclose(model.lipschitz_, 6, rtol=1e-12)
    got = [step.coef_ for step in steps.models[:3]]
    np.testing.assert_allclose(got, [[7 / 6, 2 / 3], [4 / 3, 0.5], [1.4444444, 0.3888889]], atol=1e-7)
    np.testing.assert_allclose(model.objective_path_[1:4], [2.5833333, 2.3055556, 2.1820988], atol=1e-7)
    np.testing.assert_allclose(model.coef_, [5 / 3, 1 / 6], atol=1e-9)
    np.testing.assert_allclose(model.objective_path_[-1], 25 / 12, rtol=1e-12)
    assert (np.diff(model.objective_path_) <= 1e-12).all()


def test_the_step_of_the_misprinted_lipschitz_condition_diverges():
    # f = 0.05 w^2: the gradient changes by 0.1 |w - w'|; (11.9) with its squares would allow L = 0.01
    one = np.array([[np.sqrt(0.05)]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="diverge"):
            ProximalGradient(0, lipschitz=0.01, max_iter=2000).fit(one, [1.0])
    assert ProximalGradient(0, lipschitz=0.1, tol=1e-10).fit(one, [1.0]).n_iter_ < 100


@pytest.mark.parametrize("accelerated", [False, True])
def test_proximal_gradient_and_coordinate_descent_agree(accelerated):
    X, y = made()
    slow = ProximalGradient(
        0.3, accelerated=accelerated, fit_intercept=True, loss_scale="mean", tol=1e-11, max_iter=100_000
    ).fit(X, y)
    fast = Lasso(0.3, tol=1e-15).fit(X, y)
    np.testing.assert_allclose(slow.coef_, fast.coef_, atol=1e-7)
    np.testing.assert_allclose(slow.intercept_, fast.intercept_, atol=1e-7)


# ---------------------------------------------------------------- lasso and elastic net


@pytest.mark.covers("linear.elastic-net")
def test_alike_columns_share_the_weight_of_an_elastic_net():
    X, y = made(d=1, used=1)
    twice = np.hstack([X, X])
    shared = ElasticNet(0.1, tol=1e-14, max_iter=10_000).fit(twice, y).coef_
    np.testing.assert_allclose(shared[0], shared[1], rtol=1e-6)
    alone = Lasso(0.1, tol=1e-12).fit(twice, y)
    np.testing.assert_allclose(alone.coef_.sum(), Lasso(0.1, tol=1e-12).fit(X, y).coef_[0], rtol=1e-6)


@pytest.mark.parametrize("shape", [(80, 10), (30, 200)])
@pytest.mark.parametrize("positive", [False, True])
def test_dense_sparse_by_columns_and_by_products_agree(shape, positive):
    X, y = made(*shape)
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
    X, y = made(50, 400, used=20)
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


@pytest.mark.parametrize("layout", ["C", "F"])
def test_layout_and_threads_do_not_matter_to_a_path(layout):
    X, y = made(40, 5000, used=10)
    found = []
    for threads in (1, 2, 5):
        with threadpool_limits(threads):
            found.append(lasso_path(np.array(X, order=layout), y, alphas=20, eps=0.05)[1])
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_path_of_the_elastic_net_and_the_estimator_agree():
    X, y = made(100, 8)
    alphas, coefs, _, rounds = enet_path(
        X, y, l1_ratio=0.3, alphas=[1.0, 0.1, 0.01], fit_intercept=True, tol=1e-14, return_n_iter=True
    )
    assert len(rounds) == 3
    for alpha, w in zip(alphas, coefs.T, strict=True):
        np.testing.assert_allclose(ElasticNet(alpha, l1_ratio=0.3, tol=1e-14).fit(X, y).coef_, w, atol=1e-8)


def test_several_targets_are_learned_one_by_one():
    X, y = made()
    both = Lasso(0.1, tol=1e-12).fit(X, np.column_stack([y, -2 * y]))
    assert both.coef_.shape == (2, 15)
    np.testing.assert_allclose(both.coef_[0], Lasso(0.1, tol=1e-12).fit(X, y).coef_, atol=1e-10)
    assert both.predict(X).shape == (60, 2)
    assert both.sparse_coef_.shape == (2, 15)


def test_warm_start_goes_on_from_the_last_weights():
    X, y = made(30, 100)
    model = Lasso(0.1, tol=1e-12, warm_start=True, max_iter=100_000).fit(X, y)
    rounds = model.n_iter_
    assert model.fit(X, y).n_iter_ < rounds


def test_float32_is_kept():
    X, y = made()
    single = Lasso(0.1).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, Lasso(0.1).fit(X, y).coef_, atol=1e-4)
    wide, target = made(30, 100)
    got = Lasso(0.3, tol=1e-8, max_iter=10_000).fit(wide.astype(np.float32), target)
    np.testing.assert_allclose(got.coef_, Lasso(0.3, tol=1e-8, max_iter=10_000).fit(wide, target).coef_, atol=1e-3)


# ---------------------------------------------------------------- edges


@pytest.mark.parametrize("shape", [(60, 10), (20, 50)])
def test_constant_and_far_off_columns(shape):
    X, y = made(*shape)
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
    X, y = made(*shape)
    plain = Lasso(0.05, tol=1e-12, max_iter=100_000).fit(X, y)
    huge = Lasso(0.05e24, tol=1e-12, max_iter=100_000).fit(X * 1e12, y * 1e12)
    np.testing.assert_allclose(huge.coef_, plain.coef_, atol=1e-7)
    with pytest.raises(ValueError, match="scale"):
        Lasso(1.0).fit(X * 1e300, y)


def test_alpha_zero_warns_and_is_least_squares():
    X, y = made()
    with pytest.warns(UserWarning, match="alpha=0 is least squares"):
        model = Lasso(0, tol=1e-14, max_iter=100_000).fit(X, y)
    exact = np.linalg.lstsq(np.column_stack([X, np.ones(60)]), y, rcond=None)[0]
    np.testing.assert_allclose(model.coef_, exact[:-1], atol=1e-6)


def test_a_large_penalty_one_row_empty_columns_and_zero_weights():
    X, y = made()
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

    X, y = made(40, 120, used=30)
    X *= np.random.RandomState(1).rand(*X.shape) < 0.5
    how = {"tol": 1e-12, "max_iter": 100_000}
    expected = Lasso(0.05, **how).fit(X, y).coef_
    monkeypatch.setattr(_coordinate_descent, "_WORKING_COLUMNS", 5)
    np.testing.assert_allclose(Lasso(0.05, **how).fit(X, y).coef_, expected, atol=1e-5)
    np.testing.assert_allclose(Lasso(0.05, **how).fit(sp.csr_matrix(X), y).coef_, expected, atol=1e-5)


# ---------------------------------------------------------------- cross-validation


def test_cross_validated_paths_keep_what_they_tried():
    X, y = made(80, 10)
    model = ElasticNetCV(l1_ratio=[0.5, 1.0], alphas=10, cv=4).fit(X, y)
    assert model.mse_path_.shape == (2, 10, 4)
    assert model.alphas_.shape == (2, 10)
    best = np.unravel_index(model.mse_path_.mean(axis=2).argmin(), (2, 10))
    assert model.alpha_ == model.alphas_[best]
    assert model.l1_ratio_ == [0.5, 1.0][best[0]]
    again = LassoCV(alphas=10, cv=4).fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(again.mse_path_, model.mse_path_[1], rtol=1e-3)


# ---------------------------------------------------------------- LARS


@pytest.mark.covers("linear.lars")
def test_lars_ends_at_least_squares_and_its_lasso_is_the_lasso():
    X, y = made()
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


# ---------------------------------------------------------------- groups, runs, subsets


@pytest.mark.covers("linear.group-lasso")
def test_group_lasso_is_whole_groups_or_nothing():
    X, y = made(80, 12, used=3)
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


@pytest.mark.covers("linear.best-subset-l0")
def test_best_subset_is_the_best_of_all():
    from itertools import combinations

    X, y = made(30, 9, used=9, noise=3)
    Xc, yc = X - X.mean(axis=0), y - y.mean()

    def left(columns):
        rest = yc - Xc[:, columns] @ np.linalg.lstsq(Xc[:, columns], yc, rcond=None)[0]
        return rest @ rest

    for k in (1, 2, 4):
        best = min(combinations(range(9), k), key=left)
        model = BestSubsetRegression(k).fit(X, y)
        assert model.search_ == "exact"
        assert tuple(model.support_) == best
        local = BestSubsetRegression(k, search="local").fit(X, y)
        assert local.residual_sum_of_squares_ >= model.residual_sum_of_squares_ * (1 - 1e-12)
    assert BestSubsetRegression(3).fit(*made(50, 40)).search_ == "local"


def test_multi_task_uses_a_column_for_all_targets_or_none():
    X, y = made(50, 80)
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


# ---------------------------------------------------------------- any loss, any penalty


@pytest.mark.covers("linear.regularized-linear-model")
@pytest.mark.parametrize("loss", ["squared", "huber", "logistic", "squared_hinge", "poisson"])
@pytest.mark.parametrize("penalty", ["l1", "elasticnet", "l2"])
def test_two_solvers_agree_for_every_loss_and_penalty(loss, penalty):
    X, y = made(80, 6)
    X, y = (X - X.mean(axis=0)) / 2, y / 4
    target = y if loss in ("squared", "huber") else np.floor(np.exp(np.clip(y, -2, 2))) if loss == "poisson" else y > 0
    how = {"loss": loss, "penalty": penalty, "alpha": 0.05, "max_iter": 50_000}
    newton = RegularizedLinearModel(solver="newton", tol=1e-14, **how).fit(X, target)
    other = RegularizedLinearModel(solver="proximal" if penalty != "l2" else "lbfgs", tol=1e-9, **how).fit(X, target)
    np.testing.assert_allclose(newton.objective_, other.objective_, rtol=1e-9)
    np.testing.assert_allclose(newton.coef_, other.coef_, atol=1e-5)
    assert newton.violation_ < 1e-5


@pytest.mark.covers("linear.lp-regularization")
def test_lp_penalties():
    X, y = made(60, 5)
    ridge = RegularizedLinearModel(penalty="lp", p=2, alpha=0.1, tol=1e-11).fit(X, y)
    l2 = RegularizedLinearModel(penalty="l2", alpha=0.2, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(ridge.coef_, l2.coef_, atol=1e-5)
    l1 = RegularizedLinearModel(penalty="lp", p=1, alpha=0.1, tol=1e-11).fit(X, y)
    np.testing.assert_allclose(l1.coef_, Lasso(0.1, tol=1e-15).fit(X, y).coef_, atol=1e-7)
    for p in (1.3, 3.0, 0.5):
        model = RegularizedLinearModel(penalty="lp", p=p, alpha=0.1, tol=1e-10, max_iter=100_000).fit(X, y)
        assert model.violation_ < 1e-6
    sparse = RegularizedLinearModel(penalty="l0", alpha=2.0).fit(X, y)
    assert 0 < np.count_nonzero(sparse.coef_) < 5


def test_a_solver_refuses_by_name_what_it_cannot_take():
    X, y = made()
    with pytest.raises(ValueError, match=r"solver='lbfgs' needs 'gradient', which L1 does not have"):
        RegularizedLinearModel(penalty="l1", solver="lbfgs").fit(X, y)
    with pytest.raises(ValueError, match=r"solver='newton' needs 'parts', which Lp does not have"):
        RegularizedLinearModel(penalty="lp", solver="newton").fit(X, y)


def test_a_loss_that_classifies_makes_a_classifier():
    X, y = made()
    labels = np.where(y > np.median(y), "甜", "sour")
    model = RegularizedLinearModel("logistic", "l1", alpha=0.01).fit(X, labels)
    assert model.score(X, labels) > 0.9
    assert set(model.predict(X)) == {"甜", "sour"}
    assert not hasattr(RegularizedLinearModel("squared"), "decision_function")
    with pytest.raises(ValueError, match="two classes"):
        model.fit(X, np.arange(60) % 3)
    with pytest.raises(ValueError, match="0 or more"):
        RegularizedLinearModel("poisson").fit(X, y)
