"""LPBoost: the optimum of its program, and what its duals say."""

import numpy as np
import pytest
from samples import melons
from scipy.optimize import linprog
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from lanatus.ensemble import LPBoostClassifier


def data(n=120, seed=0):
    rng = np.random.RandomState(seed)
    X = rng.randn(n, 3)
    return X, np.where(X[:, 0] + X[:, 1] + 0.7 * rng.randn(n) > 0, "是", "否")


def all_stumps(X, f):
    """y_i h(x_i) of every stump there is, both signs."""
    margins = [f, -f]
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for cut in (values[1:] + values[:-1]) / 2:
            h = np.where(X[:, j] > cut, 1.0, -1.0)
            margins += [f * h, -f * h]
    return np.array(margins)


@pytest.mark.covers("ensemble.lpboost")
@pytest.mark.parametrize("nu", [0.2, 0.5])
def test_columns_generated_reach_the_optimum_over_all_stumps(nu):
    X, y = data()
    model = LPBoostClassifier(n_estimators=1000, nu=nu, tol=1e-9).fit(X, y)
    f = np.where(y == model.classes_[1], 1.0, -1.0)
    margins = all_stumps(X, f)
    n, D = len(y), 1 / (nu * len(y))
    # max rho - D sum xi over a, xi, rho, with every stump as a column
    primal = linprog(
        np.r_[np.zeros(len(margins)), np.full(n, D), -1.0],
        A_ub=np.hstack([-margins.T, -np.eye(n), np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=np.r_[np.ones(len(margins)), np.zeros(n), 0.0][None],
        b_eq=[1.0],
        bounds=[*[(0, None)] * (len(margins) + n), (None, None)],
    )
    assert model.rho_ == pytest.approx(-primal.fun, abs=1e-6)
    assert model.estimator_weights_.sum() == pytest.approx(1)
    vote = model.decision_function(X) / 2
    rho = linprog_margin(f * vote, D)
    assert rho == pytest.approx(model.rho_, abs=1e-6)


def linprog_margin(margins, D):
    """Largest rho - D sum max(rho - margin, 0): it is at one of the margins."""
    return max(rho - D * np.maximum(rho - margins, 0).sum() for rho in margins)


def test_row_weights_lie_on_the_rows_at_or_short_of_the_margin():
    X, y = data()
    model = LPBoostClassifier(n_estimators=1000, nu=0.3, tol=1e-9).fit(X, y)
    u = model.row_weights_
    assert u.sum() == pytest.approx(1)
    assert u.max() <= 1 / (0.3 * len(y)) + 1e-9
    f = np.where(y == model.classes_[1], 1.0, -1.0)
    margin = f * model.decision_function(X) / 2
    at = np.quantile(margin, 0.3)
    assert (u[margin > at + 0.2] < 1e-9).all()


def test_hard_margin_of_separable_rows():
    X, y = melons("3.0a")
    model = LPBoostClassifier(n_estimators=300, D=1.0).fit(X, y)
    assert model.score(X, y) == 1
    assert model.rho_ > 0
    with pytest.raises(ValueError, match=r"D=0\.01"):
        LPBoostClassifier(D=0.01).fit(X, y)


def test_several_classes_weights_and_running_out():
    X, y = load_iris(return_X_y=True)
    model = LPBoostClassifier(n_estimators=300).fit(X, y)
    assert model.score(X, y) > 0.9
    weight = np.r_[np.ones(100), np.zeros(50)]
    part = LPBoostClassifier(n_estimators=300).fit(X, y, sample_weight=weight)
    assert part.row_weights_[100:].sum() == 0
    assert set(part.predict(X[:100])) == {0, 1}
    with pytest.warns(ConvergenceWarning, match="n_estimators"):
        LPBoostClassifier(n_estimators=2, nu=0.05).fit(*data())
