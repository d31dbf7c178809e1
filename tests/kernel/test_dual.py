"""The plain SMO of the book, the value of the dual, and the conditions of its solution."""

import numpy as np
import pytest
from samples import melon_numbers
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.preprocessing import StandardScaler

from lanatus.kernel import (
    SVC,
    SVR,
    GaussianKernel,
    dual_objective,
    duality_gap,
    kkt_violation,
    smo,
    support_vector_cases,
)

X, Y = melon_numbers()
SIGNS = np.where(Y == "是", 1, -1)
K = GaussianKernel(0.2)(X)


@pytest.mark.covers("kernel.smo")
@pytest.mark.covers("kernel.smo-selection")
@pytest.mark.parametrize("selection", ["farthest", "violating", "wss2", "random"])
@pytest.mark.parametrize(("C", "dual", "b"), [(10.0, 29.73172734, -1.769899553), (np.inf, 32.99878002, -1.888194322)])
def test_every_selection_finds_the_solution(selection, C, dual, b):
    found = smo(K, SIGNS, C, selection=selection, tol=1e-9, random_state=0)
    assert found.converged
    assert found.objective[-1] == pytest.approx(dual, abs=5e-8)
    assert found.b == pytest.approx(b, abs=1e-7)
    assert (np.diff([0.0, *found.objective]) > -1e-10).all()  # each pair gains
    assert abs(found.alpha @ SIGNS) < 1e-10
    assert found.alpha.min() >= 0
    assert found.alpha.max() <= C
    assert dual_objective(found.alpha, K, SIGNS) == pytest.approx(found.objective[-1], rel=1e-10)


def test_pairs_are_shown_and_are_what_they_say():
    seen = []
    found = smo(K, SIGNS, 10.0, callback=lambda i, j, alpha: seen.append((i, j, alpha)))
    assert len(seen) == found.n_iter == len(found.objective)
    alpha = np.zeros(17)
    for i, j, after in seen:
        changed = set(np.flatnonzero(after != alpha).tolist())
        assert changed <= {i, j}
        assert changed
        alpha = after
    first, second, _ = seen[0]
    # all multipliers are 0, so the first pair is a melon that is good and the bad one farthest from it
    bad = np.flatnonzero(SIGNS < 0)
    assert SIGNS[first] == 1
    assert second == bad[np.linalg.norm(X[bad] - X[first], axis=1).argmax()]
    assert smo(K, SIGNS, 10.0, selection="wss2").n_iter < found.n_iter


def test_plain_and_fast_agree():
    rows, y = make_classification(200, 5, flip_y=0.2, random_state=0)
    kernel = GaussianKernel(1.5)
    model = SVC(kernel=kernel, tol=1e-8).fit(rows, y)
    found = smo(kernel(rows), 2 * y - 1, tol=1e-8)
    alpha = np.zeros(200)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_allclose(found.alpha, alpha, atol=1e-5)
    assert found.b == pytest.approx(model.intercept_[0], abs=1e-6)


def test_what_cannot_be_is_refused_or_ends():
    two = np.eye(2)
    with pytest.raises(ValueError, match="selection"):
        smo(two, [1, -1], selection="best")
    with pytest.raises(ValueError, match="square"):
        smo([[1.0, 2.0]], [1, -1])
    with pytest.raises(ValueError, match=r"-1 and \+1"):
        smo(two, [1, 1])
    with pytest.raises(ValueError, match="C must"):
        smo(two, [1, -1], C=0.0)
    stopped = smo(np.ones((2, 2)), [1, -1], C=np.inf, max_iter=7)  # equal rows: the dual has no end
    assert not stopped.converged
    assert stopped.n_iter <= 7


@pytest.mark.covers("kernel.svm-dual-problem")
def test_gap_is_none_at_the_solution_and_positive_elsewhere():
    found = smo(K, SIGNS, 10.0, tol=1e-10)
    assert duality_gap(found.alpha, K, SIGNS, 10.0) == pytest.approx(0, abs=1e-7)
    rng = np.random.default_rng(0)
    for _ in range(10):
        alpha = rng.uniform(0, 10, 17)
        alpha[SIGNS > 0] *= alpha[SIGNS < 0].sum() / alpha[SIGNS > 0].sum()
        alpha *= 10 / max(alpha.max(), 10)
        assert duality_gap(alpha, K, SIGNS, 10.0) > 0.1
        assert dual_objective(alpha, K, SIGNS) < found.objective[-1]
    model = SVR(gamma=12.5, tol=1e-11).fit(X[:, :1], X[:, 1])
    beta, matrix = np.zeros(17), model.kernel_(X[:, :1])
    beta[model.support_] = model.dual_coef_[0]
    assert dual_objective(beta, matrix, X[:, 1], epsilon=0.1) == pytest.approx(0.350964109, abs=1e-8)
    assert duality_gap(beta, matrix, X[:, 1], 1.0, epsilon=0.1) == pytest.approx(0, abs=1e-8)
    assert duality_gap(beta * 0.5, matrix, X[:, 1], 1.0, epsilon=0.1) > 0.01


@pytest.mark.covers("kernel.kkt-conditions")
def test_conditions_hold_to_the_tolerance():
    rows, y = load_iris(return_X_y=True)
    weights = np.random.default_rng(0).uniform(0, 2, len(y))
    for tol in (1e-2, 1e-4, 1e-8):
        for how in ({}, {"C": 50.0, "kernel": "linear"}, {"class_weight": {1: 4.0}}):
            model = SVC(tol=tol, **how)
            assert kkt_violation(model.fit(rows, y), rows, y) <= tol
            assert kkt_violation(model.fit(rows, y, weights), rows, y, weights) <= tol
            assert kkt_violation(model.fit(rows[:100], y[:100]), rows[:100], y[:100]) <= tol
    model.intercept_ = model.intercept_ + 0.5
    assert kkt_violation(model, rows[:100], y[:100]) == pytest.approx(0.5, abs=1e-6)
    rows, y = load_diabetes(return_X_y=True)
    rows, y = StandardScaler().fit_transform(rows), (y - y.mean()) / y.std()
    for tol in (1e-3, 1e-7):
        model = SVR(tol=tol, C_below=3.0).fit(rows, y)
        assert kkt_violation(model, rows, y) <= tol
    model.dual_coef_ = model.dual_coef_ * 0.9
    assert kkt_violation(model, rows, y) > 0.01


@pytest.mark.covers("kernel.support-vector-taxonomy")
def test_cases():
    rows, y = make_classification(300, 4, flip_y=0.2, random_state=0)
    model = SVC(tol=1e-8).fit(rows, y)
    cases = support_vector_cases(model, rows, y)
    margins = (2 * y - 1) * model.decision_function(rows)
    assert set(cases) == {"none", "margin", "inside", "wrong"}
    assert (margins[cases == "none"] >= 1 - 1e-7).all()
    np.testing.assert_allclose(margins[cases == "margin"], 1, atol=1e-6)
    assert ((margins[cases == "inside"] > 0) & (margins[cases == "inside"] <= 1 + 1e-7)).all()
    assert (margins[cases == "wrong"] < 0).all()
    assert (cases == "wrong").sum() == (model.predict(rows) != y).sum()
    # a row on the plane itself
    on = SVC(kernel="linear", C=0.01, tol=1e-10).fit([[-1.0], [1.0], [0.0], [0.0]], [0, 1, 0, 1])
    assert support_vector_cases(on, [[-1.0], [1.0], [0.0], [0.0]], [0, 1, 0, 1])[2:].tolist() == ["plane", "plane"]
    with pytest.raises(ValueError, match="two classes"):
        support_vector_cases(SVC().fit(*load_iris(return_X_y=True)), *load_iris(return_X_y=True))
