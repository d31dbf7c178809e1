"""Chapter 5: the numbers of the book, from its pages or worked out from its tables."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from lanatus.neural import (
    MLPClassifier,
    MPNeuron,
    Perceptron,
    RBFNetwork,
    boltzmann_distribution,
    boltzmann_energy,
    n_parameters,
)

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


@pytest.mark.covers("neural.bp-parameter-count")
def test_parameter_counts():
    assert 10 * 9 + 10 == 100  # of section 5.1: ten neurons, each connected with each
    counts = {(2, 2, 1): 9, (2, 5, 1): 21, (8, 10, 1): 101, (4, 3, 3): 27, (19, 10, 1): 211}
    assert {shape: n_parameters(*shape) for shape in counts} == counts


@pytest.mark.covers("neural.mp-neuron", "neural.step-activation")
def test_gates_set_by_hand():
    assert MPNeuron([1, 1], 2)(CORNERS).tolist() == [0, 0, 0, 1]
    assert MPNeuron([1, 1], 0.5)(CORNERS).tolist() == [0, 1, 1, 1]
    assert MPNeuron([-0.6, 0], -0.5)(CORNERS).tolist() == [1, 1, 0, 0]
    hidden = np.column_stack([MPNeuron([1, -1], 0.5)(CORNERS), MPNeuron([-1, 1], 0.5)(CORNERS)])
    assert MPNeuron([1, 1], 0.5)(hidden).tolist() == [0, 1, 1, 0]


@pytest.mark.covers("neural.perceptron")
@pytest.mark.parametrize(
    ("rows", "y", "weights", "theta", "errors"),
    [
        (CORNERS, [0, 0, 0, 1], [0.2, 0.1], 0.3, [2, 3, 3, 2, 1, 0]),
        (CORNERS, [0, 1, 1, 1], [0.1, 0.1], 0.1, [2, 2, 1, 0]),
        ([[0], [1]], [1, 0], [-0.1], 0.0, None),
    ],
)
def test_perceptron_traces(rows, y, weights, theta, errors):
    model = Perceptron(eta0=0.1, shuffle=False, tol=None).fit(rows, y)
    np.testing.assert_allclose(model.coef_[0], weights, atol=1e-12)
    assert -model.intercept_[0] == pytest.approx(theta, abs=1e-12)
    assert model.n_iter_ == (3 if errors is None else len(errors))
    assert errors is None or model.errors_.tolist() == errors


@pytest.mark.covers("neural.perceptron")
def test_xor_cycles_for_ever():
    with pytest.warns(ConvergenceWarning):
        model = Perceptron(eta0=0.1, shuffle=False, tol=None, max_iter=40).fit(CORNERS, [0, 1, 1, 0])
    np.testing.assert_allclose([*model.coef_[0], -model.intercept_[0]], [-0.1, 0.0, 0.0], atol=1e-12)
    assert model.errors_[2:].tolist() == [4] * 38


@pytest.mark.covers("neural.bp-standard")
def test_one_step_of_back_propagation():
    """V = [[.1, .4], [.2, .3]], gamma = (.1, .2), W = (.5, .6), theta = .3; x = (.697, .460) is good, eta = .1."""
    X, y = [[0.697, 0.460], [0.0, 0.0]], [1, 0]
    net = MLPClassifier(
        2, "logistic", solver="bp", report="step", learning_rate_init=0.1, shuffle=False, warm_start=True,
        scaling=None, max_iter=1,
    )  # fmt: skip
    net.coefs_ = [np.array([[0.1, 0.4], [0.2, 0.3]]), np.array([[0.5], [0.6]])]
    net.intercepts_ = [-np.array([0.1, 0.2]), -np.array([0.3])]
    net.norms_, net.tables_, net.running_ = [], [], np.empty(0)
    with pytest.warns(ConvergenceWarning):
        net.fit(X, y)
    assert net.loss_ == pytest.approx(0.09158283, abs=5e-9)  # E before the step
    np.testing.assert_allclose(net.coefs_[1][:, 0], [0.50540030, 0.60580440], atol=5e-9)
    assert -net.intercepts_[1][0] == pytest.approx(0.28952253, abs=5e-9)
    np.testing.assert_allclose(net.coefs_[0], [[0.10091198, 0.40108265], [0.20060188, 0.30071452]], atol=5e-9)
    np.testing.assert_allclose(-net.intercepts_[0], [0.09869156, 0.19844670], atol=5e-9)
    after = net.predict_proba(X)[0, 1]
    assert after == pytest.approx(0.57621502, abs=5e-9)
    assert (1 - after) ** 2 / 2 == pytest.approx(0.08979686, abs=5e-9)


@pytest.mark.covers("neural.rbf-network")
def test_radial_networks_on_xor():
    xor = [0.0, 1.0, 1.0, 0.0]
    exact = RBFNetwork(centers=CORNERS, beta=1.0, alpha=0.0, scaling=None, fit_intercept=False).fit(CORNERS, xor)
    np.testing.assert_allclose(exact.coef_[:, 0], [-0.984102, 1.518548, 1.518548, -0.984102], atol=5e-7)
    two = RBFNetwork(centers=CORNERS[1:3], beta=1.0, alpha=0.0, scaling=None).fit(CORNERS, xor)
    np.testing.assert_allclose(two.coef_[:, 0], [2.502650, 2.502650], atol=5e-7)
    assert two.intercept_[0] == pytest.approx(-1.841347, abs=5e-7)
    np.testing.assert_allclose(two.predict(CORNERS), xor, atol=1e-12)
    np.testing.assert_allclose(two.hidden(CORNERS).sum(axis=1), [0.735759, 1.135335, 1.135335, 0.735759], atol=5e-7)


@pytest.mark.covers("neural.boltzmann-machine")
def test_a_boltzmann_machine_of_three_units():
    W = np.array([[0, 1, -0.5], [1, 0, 0.25], [-0.5, 0.25, 0]])
    states, chance = boltzmann_distribution(W, [0.1, -0.2, 0.3])
    assert states.astype(int).tolist()[:3] == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
    energies = boltzmann_energy(states, W, [0.1, -0.2, 0.3])
    np.testing.assert_allclose(energies, [0, -0.3, 0.2, -0.35, -0.1, 0.1, -0.9, -0.95], atol=1e-12)
    assert np.exp(-energies).sum() == pytest.approx(11.642978, abs=5e-7)
    printed = [0.085889, 0.115938, 0.070320, 0.121882, 0.094922, 0.077715, 0.211252, 0.222083]
    np.testing.assert_allclose(chance, printed, atol=5e-7)
