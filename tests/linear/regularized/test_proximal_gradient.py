"""Proximal gradient descent with the book's numbers."""

import warnings

import numpy as np
import pytest
from samples import sparse_regression

from lanatus.callbacks import Recorder
from lanatus.linear import (
    Lasso,
    ProximalGradient,
)

TOY = np.array([[1.0, 0], [1, 1], [0, 1]]), np.array([2, 2, 0.5])


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
    X, y = sparse_regression()
    slow = ProximalGradient(
        0.3, accelerated=accelerated, fit_intercept=True, loss_scale="mean", tol=1e-11, max_iter=100_000
    ).fit(X, y)
    fast = Lasso(0.3, tol=1e-15).fit(X, y)
    np.testing.assert_allclose(slow.coef_, fast.coef_, atol=1e-7)
    np.testing.assert_allclose(slow.intercept_, fast.intercept_, atol=1e-7)
