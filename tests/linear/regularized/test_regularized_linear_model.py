"""Any loss with any penalty."""

import numpy as np
import pytest
from samples import sparse_regression

from lanatus.linear import (
    Lasso,
    RegularizedLinearModel,
)


@pytest.mark.covers("linear.regularized-linear-model")
@pytest.mark.parametrize("loss", ["squared", "huber", "logistic", "squared_hinge", "poisson"])
@pytest.mark.parametrize("penalty", ["l1", "elasticnet", "l2"])
def test_two_solvers_agree_for_every_loss_and_penalty(loss, penalty):
    X, y = sparse_regression(80, 6)
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
    X, y = sparse_regression(60, 5)
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
    X, y = sparse_regression()
    with pytest.raises(ValueError, match=r"solver='lbfgs' needs 'gradient', which L1 does not have"):
        RegularizedLinearModel(penalty="l1", solver="lbfgs").fit(X, y)
    with pytest.raises(ValueError, match=r"solver='newton' needs 'parts', which Lp does not have"):
        RegularizedLinearModel(penalty="lp", solver="newton").fit(X, y)


def test_a_loss_that_classifies_makes_a_classifier():
    X, y = sparse_regression()
    labels = np.where(y > np.median(y), "甜", "sour")
    model = RegularizedLinearModel("logistic", "l1", alpha=0.01).fit(X, labels)
    assert model.score(X, labels) > 0.9
    assert set(model.predict(X)) == {"甜", "sour"}
    assert not hasattr(RegularizedLinearModel("squared"), "decision_function")
    with pytest.raises(ValueError, match="two classes"):
        model.fit(X, np.arange(60) % 3)
    with pytest.raises(ValueError, match="0 or more"):
        RegularizedLinearModel("poisson").fit(X, y)
