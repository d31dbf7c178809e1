"""Solvers: two ways to the same minimum, optimality conditions, and what each refuses by name."""

import numpy as np
import pytest
import scipy.sparse as sp

from lanatus.optimize.losses import Absolute, Huber, Logistic, Poisson, Squared, SquaredHinge
from lanatus.optimize.penalties import L0, L1, L1L2, L2, L21, Fused, GroupL2, Lp, NoPenalty
from lanatus.optimize.solvers import (
    BlockCoordinateDescent,
    Cholesky,
    CoordinateDescent,
    Dual,
    Eigenvalues,
    Lbfgs,
    LeastSquares,
    Lsqr,
    NonNegative,
    ProximalGradientDescent,
    ProximalNewton,
    Risk,
    SingularValues,
    solver_for,
)
from lanatus.optimize.solvers._risk import largest_eigenvalue
from lanatus.scale import InMemory

GROUPS = [np.array([0, 1, 2]), np.array([3, 4]), np.array([5])]


def made(loss=None, seed=0, n=80, d=6):
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(n, d)) + 0.5
    eta = X @ np.r_[1.0, -1.0, 0.5, np.zeros(d - 3)] - 0.3
    y = eta + 0.5 * rng.normal(size=n)
    if loss is not None and loss.classifies:
        y = (y > 0).astype(float)
    elif loss is not None and loss.name == "poisson":
        y = rng.poisson(np.exp(0.5 * eta)).astype(float)
    return X, y, rng.uniform(0, 2, size=n)


def objective(risk, penalty, solution):
    return risk.value(solution.w, solution.b) + penalty.value(solution.w)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("penalty", [L1(0.05), L2(0.1), L1L2(0.1, 0.5)], ids=lambda p: type(p).__name__)
@pytest.mark.parametrize(
    "loss", [Squared(), Huber(), Logistic(), SquaredHinge(), Poisson()], ids=lambda loss: loss.name
)
def test_proximal_newton_and_proximal_gradient_agree(loss, penalty, fit_intercept):
    X, y, weight = made(loss)
    risk = Risk(loss, X, y, weight, None, fit_intercept)
    newton = ProximalNewton(1e-12, 200).solve(risk, penalty)
    gradient = ProximalGradientDescent(1e-10, 20_000).solve(risk, penalty)
    np.testing.assert_allclose(newton.w, gradient.w, atol=2e-6)
    np.testing.assert_allclose(objective(risk, penalty, newton), objective(risk, penalty, gradient), rtol=1e-9)
    np.testing.assert_allclose(newton.objective, objective(risk, penalty, newton), rtol=1e-12)
    slope, _ = risk.gradient(newton.w, newton.b)
    assert penalty.violation(newton.w, slope).max() < 1e-5


@pytest.mark.parametrize("loss", [Squared(), Logistic(), Poisson()], ids=lambda loss: loss.name)
def test_lbfgs_agrees_where_the_penalty_is_smooth(loss):
    X, y, weight = made(loss)
    risk = Risk(loss, X, y, weight, 2.0, True)
    found = Lbfgs(1e-9, 500).solve(risk, L2(0.3))
    expected = ProximalNewton(1e-13, 200).solve(risk, L2(0.3))
    np.testing.assert_allclose(found.w, expected.w, atol=1e-6)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("normalizer", [None, 0.5])
def test_coordinate_descent_and_proximal_gradient_agree(make, positive, normalizer):
    X, y, weight = made()
    risk = Risk(Squared(), make(X), y, weight, normalizer, True)
    penalty = L1L2(0.1 if normalizer is None else 10.0, 0.6, positive=positive)
    fast = CoordinateDescent(1e-14, 10_000).solve(risk, penalty)
    slow = ProximalGradientDescent(1e-11, 20_000).solve(risk, penalty)
    np.testing.assert_allclose(fast.w, slow.w, atol=1e-8)
    np.testing.assert_allclose(fast.b - fast.centre @ fast.w, slow.b - slow.centre @ slow.w, atol=1e-8)
    if positive:
        assert (fast.w >= 0).all()
        assert (fast.w == 0).any()


def test_a_path_is_its_single_solutions():
    X, y, weight = made()
    risk = Risk(Squared(), X, y, weight, None, True)
    solver = CoordinateDescent(1e-13, 10_000)
    alphas = np.array([0.5, 0.1, 0.02])
    problem = solver.open(risk)
    path = solver.path(problem, L1(1.0), alphas)
    for coef, alpha in zip(path.coef, alphas, strict=True):
        np.testing.assert_allclose(coef, solver.solve(risk, L1(alpha)).coef, atol=1e-7)
    top = L1(1.0).largest_alpha(problem.slope_at_zero())
    assert not solver.path(problem, L1(1.0), np.array([1.001 * top])).coef.any()
    assert solver.path(problem, L1(1.0), np.array([0.98 * top])).coef.any()
    np.testing.assert_allclose(problem.slope_at_zero(), risk.gradient(*risk.start())[0], atol=1e-12)


def test_block_descent_and_proximal_gradient_agree_on_groups():
    X, y, weight = made()
    risk = Risk(Squared(), X, y, weight, None, True)
    penalty = GroupL2(0.1, GROUPS)
    fast = BlockCoordinateDescent(1e-13, 10_000).solve(risk, penalty)
    slow = ProximalGradientDescent(1e-11, 20_000).solve(risk, penalty)
    np.testing.assert_allclose(fast.w, slow.w, atol=1e-7)
    assert (fast.w[GROUPS[1]] == 0).all() == (slow.w[GROUPS[1]] == 0).all()


def test_block_descent_of_several_targets_is_optimal():
    X, y, weight = made()
    Y = np.c_[y, -2 * y + X[:, 4], X[:, 3]]
    risk = Risk(Squared(), X, Y, weight, None, True)
    penalty = L21(0.2, 0.7)
    found = BlockCoordinateDescent(1e-14, 10_000).solve(risk, penalty)
    residual = (X - found.centre) @ found.coef + found.bias - Y
    slope = (X - found.centre).T @ (weight[:, None] * residual) / weight.sum()
    assert penalty.violation(found.coef, slope).max() < 1e-6
    assert found.n_iter.shape == ()


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("ridge", [0.0, 0.7])
@pytest.mark.parametrize("solver", [Cholesky(), Eigenvalues(), SingularValues(), Lsqr(1e-13)], ids=lambda s: s.name)
def test_direct_solvers_agree_with_coordinate_descent(solver, ridge, fit_intercept):
    X, y, weight = made()
    problem = LeastSquares.open(InMemory(X, y, weight), fit_intercept)
    risk = Risk(Squared(), X, y, weight, 1.0, fit_intercept)
    expected = CoordinateDescent(1e-15, 100_000).solve(risk, L2(ridge) if ridge else NoPenalty())
    np.testing.assert_allclose(solver.solve(problem, ridge).coef, expected.coef, atol=1e-7)


def test_the_dual_and_weights_of_one_sign():
    X, y, weight = made(n=5)
    problem = LeastSquares.open(InMemory(X, y, weight + 0.1), True)
    np.testing.assert_allclose(Dual().solve(problem, 0.5).coef, SingularValues().solve(problem, 0.5).coef, atol=1e-10)
    X, y, weight = made()
    problem = LeastSquares.open(InMemory(X, y, weight), True)
    risk = Risk(Squared(), X, y, weight, 1.0, True)
    expected = CoordinateDescent(1e-15, 100_000).solve(risk, L1L2(0.5, 0.0, positive=True))
    np.testing.assert_allclose(NonNegative().solve(problem, 0.5).coef, expected.coef, atol=1e-7)


@pytest.mark.parametrize(
    ("solver", "loss", "penalty", "need"),
    [
        (ProximalNewton, Logistic(), Fused(1.0, 1.0), "needs 'parts', which Fused does not have"),
        (ProximalNewton, Logistic(), L0(1.0), "needs 'parts', which L0 does not have"),
        (Lbfgs, Squared(), L1(1.0), "needs 'gradient', which L1 does not have"),
        (CoordinateDescent, Logistic(), L1(1.0), "needs 'residual', which Logistic does not have"),
        (CoordinateDescent, Absolute(), L1(1.0), "needs 'residual', which Absolute does not have"),
        (BlockCoordinateDescent, Squared(), Lp(1.0, 1.5), "needs 'blocks', which Lp does not have"),
    ],
)
def test_a_solver_refuses_by_name(solver, loss, penalty, need):
    X, y, weight = made(loss)
    with pytest.raises(ValueError, match=need):
        solver(1e-6, 10).solve(Risk(loss, X, y, weight, None, True), penalty)


def test_the_solver_that_suits():
    assert solver_for(Logistic(), L1(1.0)) is ProximalNewton
    assert solver_for(Logistic(), Lp(1.0, 1.5)) is ProximalGradientDescent
    assert solver_for(Logistic(), L2(1.0), "lbfgs") is Lbfgs


@pytest.mark.parametrize("loss", [Squared(), Logistic(), Poisson()], ids=lambda loss: loss.name)
def test_gradient_of_the_risk_by_finite_differences(loss):
    X, y, weight = made(loss)
    risk = Risk(loss, sp.csr_matrix(X), y, weight, 3.0, True)
    w, b, h = np.linspace(-0.3, 0.3, 6), 0.2, 1e-6
    slope_w, slope_b = risk.gradient(w, b)
    for j in range(6):
        step = h * (np.arange(6) == j)
        np.testing.assert_allclose(slope_w[j], (risk.value(w + step, b) - risk.value(w - step, b)) / (2 * h), atol=1e-6)
    np.testing.assert_allclose(slope_b, (risk.value(w, b + h) - risk.value(w, b - h)) / (2 * h), atol=1e-6)


@pytest.mark.parametrize("d", [299, 310])
@pytest.mark.parametrize("compressed", [False, True])
def test_the_largest_eigenvalue_is_bounded_closely(d, compressed):
    """By itself where columns are few, by powers where they are many: at least it, at most 6 % above."""
    rng = np.random.RandomState(0)
    X = rng.normal(size=(40, d)) * np.linspace(0.1, 3, d) + 1.0
    rows = rng.uniform(0.1, 2, 40)
    centre = rows @ X / rows.sum()
    true = np.linalg.eigvalsh((X - centre).T @ (rows[:, None] * (X - centre)))[-1]
    given = sp.csr_matrix(X) if compressed else X
    assert true * (1 - 1e-9) <= largest_eigenvalue(given, rows, centre, False) <= 1.06 * true
    assert largest_eigenvalue(0 * given, 1e9 * rows, 0 * centre, True) == pytest.approx(1e9 * rows.sum(), rel=1e-12)
    assert largest_eigenvalue(0 * given, rows, 0 * centre, False) == 0  # nothing to divide by
