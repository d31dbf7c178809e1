"""Losses keep their promises: derivatives, bounds, best constants, links, conjugates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from lanatus.optimize.losses import (
    Absolute,
    Exponential,
    Gamma,
    Huber,
    Logistic,
    Loss,
    Poisson,
    Quantile,
    Softmax,
    Squared,
    SquaredHinge,
    weighted_quantile,
)

LOSSES = {
    "squared": Squared(),
    "huber": Huber(0.8),
    "logistic": Logistic(),
    "squared_hinge": SquaredHinge(),
    "exponential": Exponential(),
    "poisson": Poisson(),
    "gamma": Gamma(),
    "quantile": Quantile(0.3),
    "absolute": Absolute(),
}
SMOOTH = ["squared", "logistic", "exponential", "poisson", "gamma"]


def targets(loss, n=50, seed=0):
    rng = np.random.RandomState(seed)
    if loss.classifies:
        return (rng.uniform(size=n) < 0.3).astype(float)
    return rng.poisson(2, size=n) + (1.0 if loss.name == "gamma" else 0.0)


@pytest.mark.parametrize("name", list(LOSSES))
def test_names(name):
    assert LOSSES[name].name == name


@pytest.mark.parametrize("name", list(LOSSES))
@given(eta=st.floats(-5, 5), y=st.integers(0, 1))
def test_gradient_is_the_derivative(name, eta, y):
    loss = LOSSES[name]
    at, target = np.array([eta]), np.array([float(y)])
    h = 1e-5
    slope = (loss.pointwise(target, at + h) - loss.pointwise(target, at - h)) / (2 * h)
    if abs(eta - y) > 2 * h or np.isfinite(loss.smoothness):  # quantiles have a kink at y
        np.testing.assert_allclose(loss.gradient(target, at), slope, rtol=1e-7, atol=1e-4)
    assert (loss.curvature(target, at) >= 0).all()
    assert (loss.curvature(target, at) <= loss.smoothness + 1e-12).all()
    if hasattr(loss, "conjugate"):  # Fenchel and Young, with equality at the gradient
        u = loss.gradient(target, at)
        np.testing.assert_allclose(loss.pointwise(target, at) + loss.conjugate(target, u), u * at, atol=1e-9)


@pytest.mark.parametrize("name", SMOOTH)
@given(eta=st.floats(-5, 5), y=st.integers(0, 1))
def test_curvature_is_the_second_derivative(name, eta, y):
    loss = LOSSES[name]
    at, target = np.array([eta]), np.array([float(y)])
    h = 1e-5
    bend = (loss.gradient(target, at + h) - loss.gradient(target, at - h)) / (2 * h)
    np.testing.assert_allclose(loss.curvature(target, at), bend, rtol=1e-6, atol=1e-8)
    if loss.self_concordant:
        third = (loss.curvature(target, at + h) - loss.curvature(target, at - h)) / (2 * h)
        assert (np.abs(third) <= loss.curvature(target, at) * (1 + 1e-6) + 1e-9).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", list(LOSSES))
def test_the_constant_is_the_best_one(name, weighted):
    loss = LOSSES[name]
    y = targets(loss)
    weight = np.random.RandomState(1).uniform(0, 2, size=len(y)) if weighted else None
    best = minimize_scalar(lambda eta: loss.value(y, np.full(len(y), eta), weight), bounds=(-10, 10), method="bounded")
    constant = loss.constant(y, weight)
    assert loss.value(y, np.full(len(y), constant), weight) <= best.fun + 1e-9 * abs(best.fun)
    assert np.isfinite(loss.start(y, weight))


@pytest.mark.parametrize("name", ["squared", "poisson", "gamma", "logistic", "exponential"])
def test_the_link_of_the_best_constant_is_the_mean(name):
    loss = LOSSES[name]
    y = targets(loss)
    mean = loss.inverse_link(np.array([loss.constant(y, None)]))
    np.testing.assert_allclose(mean, y.mean(), rtol=1e-12)


@pytest.mark.parametrize("name", ["squared", "poisson", "gamma"])
def test_half_deviance_is_the_loss_above_a_perfect_prediction(name):
    loss = LOSSES[name]
    y = targets(loss) + 1.0
    eta = np.linspace(-1, 2, len(y))
    perfect = y if name == "squared" else np.log(y)
    expected = loss.pointwise(y, eta) - loss.pointwise(y, perfect)
    np.testing.assert_allclose(loss.half_deviance(y, eta), expected, atol=1e-12)
    np.testing.assert_allclose(loss.half_deviance(y, perfect), 0, atol=1e-12)


def test_softmax_of_two_classes_is_logistic():
    rng = np.random.RandomState(0)
    y, eta = rng.randint(2, size=30), rng.normal(size=30)
    both = np.c_[np.zeros(30), eta]
    softmax, logistic = Softmax(2), Logistic()
    np.testing.assert_allclose(softmax.pointwise(y, both), logistic.pointwise(y, eta), rtol=1e-12)
    np.testing.assert_allclose(softmax.gradient(y, both)[:, 1], logistic.gradient(y, eta), atol=1e-14)
    np.testing.assert_allclose(softmax.curvature(y, both)[:, 1], logistic.curvature(y, eta), atol=1e-14)
    np.testing.assert_allclose(np.diff(softmax.constant(y, None))[0], logistic.constant(y, None), rtol=1e-12)


def test_softmax_gradient_by_finite_differences():
    rng = np.random.RandomState(0)
    y, eta = rng.randint(4, size=10), rng.normal(size=(10, 4))
    loss, h = Softmax(4), 1e-6
    for k in range(4):
        step = h * (np.arange(4) == k)
        slope = (loss.pointwise(y, eta + step) - loss.pointwise(y, eta - step)) / (2 * h)
        np.testing.assert_allclose(loss.gradient(y, eta)[:, k], slope, atol=1e-8)


@pytest.mark.parametrize(("loss", "y"), [(Poisson(), [-1.0]), (Gamma(), [0.0])])
def test_targets_without_a_loss_are_refused(loss, y):
    with pytest.raises(ValueError, match=f"loss='{loss.name}' wants y"):
        loss.check(np.array(y))


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=12), st.floats(0.05, 0.95))
def test_weights_of_one_change_no_quantile(values, q):
    x = np.array(values)
    np.testing.assert_allclose(weighted_quantile(x, q, np.ones(len(x))), weighted_quantile(x, q, None), atol=1e-12)


def test_a_loss_says_what_it_lacks():
    with pytest.raises(NotImplementedError):
        Loss().gradient(np.zeros(1), np.zeros(1))
