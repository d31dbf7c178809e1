"""One unit, learned row by row: perceptron, Adaline, LMS and Hebb."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression

from lanatus.neural import Adaline, Perceptron, hebb_update, lms


def by_hand(X, y, eta, rounds):
    """(5.1), (5.2) in a loop, the threshold as a weight of a constant 1."""
    w, errors = np.zeros(X.shape[1] + 1), []
    for _ in range(rounds):
        wrong = 0
        for row, wanted in zip(np.column_stack([X, np.ones(len(X))]), y, strict=True):
            apart = wanted - float(w @ row >= 0)
            w, wrong = w + eta * apart * row, wrong + int(apart != 0)
        errors.append(wrong)
    return w, errors


@pytest.mark.covers("neural.perceptron")
def test_rounds_are_those_of_the_rule_by_hand():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = (X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=30) > 0.2).astype(int)
    w, errors = by_hand(X, y, 0.1, 7)
    with pytest.warns(ConvergenceWarning):
        model = Perceptron(eta0=0.1, shuffle=False, tol=None, max_iter=7).fit(X, y)
    np.testing.assert_allclose([*model.coef_[0], model.intercept_[0]], w, atol=1e-12)
    assert model.errors_.tolist() == errors


@pytest.mark.covers("neural.perceptron")
@pytest.mark.parametrize("seed", range(5))
def test_errors_stay_below_the_bound_of_novikoff(seed):
    """At most (R / margin)^2 errors from zero weights, R being the longest row and the margin that of any unit vector
    that separates, constants included."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=3) * [1.0, 1.0, 0.1]
    direction /= np.linalg.norm(direction)
    rows = rng.normal(size=(200, 2))
    rows = rows[np.abs(np.column_stack([rows, np.ones(200)]) @ direction) > 0.2][:60]
    full = np.column_stack([rows, np.ones(len(rows))])
    y = (full @ direction > 0).astype(int)
    margin, longest = np.abs(full @ direction).min(), np.linalg.norm(full, axis=1).max()
    model = Perceptron(eta0=1.0, tol=None, random_state=seed).fit(rows, y)
    assert model.converged_
    assert model.errors_.sum() <= (longest / margin) ** 2
    assert (model.predict(rows) == y).all()


def test_what_cannot_be_separated_is_told():
    X, xor = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    with pytest.warns(ConvergenceWarning, match="no plane may separate"):
        model = Perceptron(tol=None, max_iter=50, shuffle=False).fit(X, xor)
    assert not model.converged_
    assert model.errors_[-1] > 0


@pytest.mark.covers("neural.lms")
def test_lms_comes_to_the_least_squares():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=(200, 2)), np.ones(200)])
    y = X @ [2.0, -1.0, 0.5]
    path = lms(X, y, 0.05, n_rounds=30)
    np.testing.assert_allclose(path.w, [2.0, -1.0, 0.5], atol=1e-8)
    assert path.weights.shape == (6001, 3)
    t = 17  # any step is eta times the error times the row
    np.testing.assert_allclose(path.weights[t + 1] - path.weights[t], 0.05 * path.errors[t] * X[t], rtol=1e-9)
    with pytest.raises(ValueError, match="too large"):
        lms(X, y, 5.0, n_rounds=30)


@pytest.mark.covers("neural.adaline")
def test_adaline_ends_near_the_least_squares_and_goes_on_where_a_perceptron_stops():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2)) + np.repeat([[2.0, 0.0], [-2.0, 0.0]], 150, axis=0)
    y = np.repeat([1, 0], 150)
    model = Adaline(0.002, max_iter=300, tol=None, random_state=0).fit(X, y)
    assert model.n_iter_ == 300
    least = LinearRegression().fit(X, np.where(y == 1, 1.0, -1.0))
    np.testing.assert_allclose(model.coef_[0], least.coef_, atol=0.02)
    assert model.intercept_[0] == pytest.approx(least.intercept_, abs=0.02)


@pytest.mark.covers("neural.hebb-rule")
def test_hebb_adds_what_is_active_together_and_oja_finds_the_main_direction():
    W = np.array([[0.2, -0.1], [0.0, 0.4]])
    x, y = np.array([1.0, -2.0]), np.array([0.5, 1.0])
    np.testing.assert_allclose(hebb_update(W, x, y, 0.1), W + 0.1 * np.outer(x, y), rtol=1e-15)
    np.testing.assert_allclose(hebb_update(W, x, y, 0.0, decay=0.25), 0.75 * W, rtol=1e-15)
    rows = np.random.default_rng(3).normal(size=(4000, 2)) * [3.0, 0.5] @ np.array([[0.6, 0.8], [-0.8, 0.6]])
    found = hebb_update(np.array([[0.3], [0.1]]), rows, eta=0.002, normalise=True).ravel()
    assert np.linalg.norm(found) == pytest.approx(1.0, abs=0.02)
    assert abs(found @ [0.6, 0.8]) > 0.99
