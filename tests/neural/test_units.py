"""What units do with their sums, against their definitions and differences."""

import numpy as np
import pytest
from scipy import special

from lanatus.neural import MPNeuron, identity, relu, softmax, step, tanh

GRID = np.array([-3.0, -0.7, -1e-3, 1e-3, 0.4, 2.5])


@pytest.mark.covers("neural.step-activation")
def test_the_step_is_one_at_zero():
    assert step([-1e-300, 0.0, -0.0, 1e-300]).tolist() == [0.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param(relu, marks=pytest.mark.covers("neural.relu")),
        pytest.param(tanh, marks=pytest.mark.covers("neural.tanh-unit")),
        pytest.param(identity, marks=pytest.mark.covers("neural.linear-unit")),
    ],
)
def test_derivatives_are_what_differences_say(unit):
    by_differences = (unit(GRID + 1e-6) - unit(GRID - 1e-6)) / 2e-6
    np.testing.assert_allclose(unit(GRID, derivative=True), by_differences, atol=1e-8)


def test_the_rectifier_is_off_at_zero():
    assert relu([-2.0, 0.0, 3.0]).tolist() == [0.0, 0.0, 3.0]
    assert relu([0.0], derivative=True).tolist() == [0.0]


def test_the_linear_unit_and_tanh_say_what_they_are_called():
    assert identity(GRID).tolist() == GRID.tolist()
    np.testing.assert_allclose(tanh(GRID), (np.exp(2 * GRID) - 1) / (np.exp(2 * GRID) + 1), rtol=1e-12)


@pytest.mark.covers("neural.softmax-unit")
def test_softmax_shares_and_their_derivatives():
    z = np.array([[1.0, 2.0, 0.5], [1000.0, 1000.0, 0.0]])
    np.testing.assert_allclose(softmax(z)[0], np.exp(z[0]) / np.exp(z[0]).sum(), rtol=1e-14)
    assert softmax(z)[1].tolist() == [0.5, 0.5, 0.0]  # without overflow
    slopes = softmax(z[0], derivative=True)
    for j in range(3):
        up, down = z[0].copy(), z[0].copy()
        up[j], down[j] = up[j] + 1e-6, down[j] - 1e-6
        np.testing.assert_allclose(slopes[:, j], (softmax(up) - softmax(down)) / 2e-6, atol=1e-9)


@pytest.mark.covers("neural.mp-neuron")
def test_an_mp_neuron_weighs_compares_and_fires():
    rows = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert np.ravel(MPNeuron([1, 1], 2)(rows)).tolist() == [0, 0, 0, 1]  # fires at the threshold itself
    w, x = np.array([0.3, -1.2, 0.5]), np.array([[1.0, 0.2, -0.4]])
    said = MPNeuron(w, 0.1, special.expit)(x)
    assert np.ravel(said)[0] == pytest.approx(1 / (1 + np.exp(-(x[0] @ w - 0.1))), rel=1e-14)
