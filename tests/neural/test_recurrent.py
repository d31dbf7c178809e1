"""Networks with memory or with cycles, and neurons that spike."""

import numpy as np
import pytest

from lanatus.neural import Elman, ElmanClassifier, MLPRegressor, RecurrentBP, SpikingNeuron


@pytest.mark.covers("neural.elman")
def test_states_are_those_of_the_formula():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5, 3, 2)), rng.normal(size=5)
    with pytest.warns(UserWarning, match="did not converge"):
        net = Elman(4, max_iter=21, n_iter_no_change=20, tol=0.0, random_state=0).fit(X, y)
    Z = (X - net.shift_) * net.scale_
    h = np.zeros((5, 4))
    for t in range(3):
        h = np.tanh(Z[:, t] @ net.input_weights_ + h @ net.recurrent_weights_ + net.hidden_bias_)
    said = (h @ net.output_weights_ + net.output_bias_)[:, 0] * net.target_scale_ + net.target_shift_
    np.testing.assert_allclose(net.predict(X), said, rtol=1e-12)
    longer = rng.normal(size=(2, 9, 2))  # sequences asked may be longer
    assert net.predict(longer).shape == (2,)


@pytest.mark.covers("neural.elman")
def test_it_remembers_where_a_network_without_memory_cannot():
    X = (np.random.default_rng(1).random((300, 6, 1)) > 0.5).astype(float)
    odd = (X[:, :-1, 0] != X[:, 1:, 0]).astype(float)  # of each step and the one before
    wanted = np.concatenate([X[:, :1, 0], odd], axis=1)
    net = Elman(8, 0.02, max_iter=300, tol=0.01, random_state=0).fit(X, wanted)
    assert np.mean((net.predict(X) - wanted) ** 2) < 0.02
    of_now = MLPRegressor(hidden_layer_sizes=8, solver="lbfgs", random_state=0).fit(X.reshape(-1, 1), wanted.ravel())
    assert np.mean((of_now.predict(X.reshape(-1, 1)) - wanted.ravel()) ** 2) > 0.2


def test_classes_of_sequences():
    X = np.random.default_rng(2).normal(size=(200, 5))
    rising = np.where(X[:, -1] > X[:, 0], "up", "down")
    net = ElmanClassifier(8, 0.02, max_iter=50, n_iter_no_change=50, random_state=0).fit(X, rising)
    assert net.score(X, rising) > 0.95
    np.testing.assert_allclose(net.predict_proba(X).sum(axis=1), 1, rtol=1e-12)


@pytest.mark.covers("neural.recurrent-bp-pineda")
def test_units_settle_and_slopes_are_what_differences_say():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=(20, 2))
    net = RecurrentBP(4, tol=0.02, random_state=0).fit(X, y)
    Z = (X - net.shift_) * net.scale_
    s = net._settled(net.recurrent_weights_, Z @ net.input_weights_ + net.bias_)
    again = 1 / (1 + np.exp(-(s @ net.recurrent_weights_ + Z @ net.input_weights_ + net.bias_)))
    np.testing.assert_allclose(s, again, atol=1e-12)  # where they stay
    theta = rng.normal(0, 0.4, 4 * 4 + 3 * 4 + 4 + 5 * 2)
    T, share = rng.normal(size=(20, 2)), rng.dirichlet(np.ones(20))
    slope = net._error(theta, Z, T, share)[1]
    for i in range(len(theta)):
        up, down = theta.copy(), theta.copy()
        up[i], down[i] = up[i] + 1e-5, down[i] - 1e-5
        numeric = (net._error(up, Z, T, share)[0] - net._error(down, Z, T, share)[0]) / 2e-5
        assert slope[i] == pytest.approx(numeric, rel=1e-5, abs=1e-8)


@pytest.mark.covers("neural.recurrent-bp-pineda")
def test_a_network_with_cycles_learns_xor():
    X, xor = [[0, 0], [0, 1], [1, 0], [1, 1]], [0.0, 1.0, 1.0, 0.0]
    net = RecurrentBP(6, alpha=1e-6, random_state=0).fit(X, xor)
    np.testing.assert_allclose(net.predict(X), xor, atol=0.05)
    assert RecurrentBP(3).fit(X, [2.0] * 4).predict(X) == pytest.approx([2.0] * 4)


@pytest.mark.covers("neural.spiking-neuron")
def test_spikes_come_when_the_equation_says():
    """tau ln((I - reset) / (I - threshold)) between spikes, and none below the threshold; any step width."""
    neuron = SpikingNeuron(10.0, 1.0)
    period = 10.0 * np.log(1.5 / 0.5)
    for dt in (0.1, 1.0, 7.0):
        spikes = neuron.run(np.full(int(100 / dt), 1.5), dt)
        np.testing.assert_allclose(np.diff(spikes.times), period, rtol=1e-9)
        assert spikes.times[0] == pytest.approx(period, rel=1e-9)
    assert len(neuron.run(np.full(200, 0.99)).times) == 0
    np.testing.assert_allclose(neuron.run(np.full(5, 0.5)).voltage, 0.5 * (1 - np.exp(-np.arange(1, 6) / 10)))
    tired = SpikingNeuron(10.0, 1.0, refractory=3.0).run(np.full(100, 1.5))
    np.testing.assert_allclose(np.diff(tired.times), period + 3.0, rtol=1e-9)
