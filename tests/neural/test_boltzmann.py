"""Machines and memories with energies: Boltzmann, restricted, stacked, Hopfield; sparse distributed memory."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import special
from scipy.special import expit
from sklearn.datasets import load_digits
from sklearn.neural_network import BernoulliRBM as SklearnRBM

from lanatus.neural import (
    DBN,
    BernoulliRBM,
    BoltzmannMachine,
    Hopfield,
    SparseDistributedMemory,
    boltzmann_distribution,
    boltzmann_energy,
    fine_tune,
    gibbs_sample,
    hopfield_tsp,
    pretrain,
)

RNG = np.random.default_rng(0)
W3 = np.array([[0, 1, -0.5], [1, 0, 0.25], [-0.5, 0.25, 0]])
THETA3 = np.array([0.1, -0.2, 0.3])


@pytest.mark.covers("neural.boltzmann-machine")
def test_chains_come_to_the_boltzmann_distribution():
    states, chance = boltzmann_distribution(W3, THETA3)
    by_hand = np.exp([sum(W3[i, j] * s[i] * s[j] for i in range(3) for j in range(i)) + THETA3 @ s for s in states])
    np.testing.assert_allclose(chance, by_hand / by_hand.sum(), rtol=1e-12)
    np.testing.assert_allclose(np.exp(-boltzmann_energy(states, W3, THETA3)), by_hand, rtol=1e-12)
    drawn = gibbs_sample(W3, THETA3, 40_000, random_state=0)
    shares = np.bincount((drawn @ [4, 2, 1]).astype(int), minlength=8) / len(drawn)
    assert 0.5 * np.abs(shares - chance[np.argsort(states @ [4, 2, 1])]).sum() < 0.02


@pytest.mark.covers("neural.boltzmann-machine")
def test_a_machine_of_visible_units_learns_means_and_products():
    """At the maximum of the likelihood they are those of the rows."""
    rows = (RNG.random((400, 3)) < [0.3, 0.6, 0.5]).astype(float)
    rows[:, 2] = np.where(RNG.random(400) < 0.8, rows[:, 0], rows[:, 2])
    model = BoltzmannMachine(decay=0.0, max_iter=3000, tol=1e-8).fit(rows)
    states, chance = boltzmann_distribution(model.weights_, model.biases_)
    np.testing.assert_allclose(chance @ states, rows.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose((states.T * chance) @ states, rows.T @ rows / 400, atol=1e-6)
    np.testing.assert_allclose(
        np.exp(model.score_samples(states)), chance, rtol=1e-9
    )  # without hidden units its own distribution


@pytest.mark.covers("neural.boltzmann-machine")
def test_hidden_units_tell_what_pairs_cannot():
    """Of three units that are odd together all pairs are independent: only a hidden unit sees it."""
    rows = np.array([s for s in product([0.0, 1.0], repeat=3) if sum(s) % 2])
    plain = BoltzmannMachine(max_iter=500).fit(rows)
    deep = BoltzmannMachine(3, max_iter=3000, eta=1.0, decay=0.0, tol=1e-9, random_state=1).fit(rows)
    assert plain.log_likelihood_ == pytest.approx(-3 * np.log(2), abs=1e-3)
    assert deep.log_likelihood_ > -1.7  # the best there is is -2 ln 2
    assert deep.log_likelihood_ == pytest.approx(deep.score(rows), rel=1e-12)


def rbm_by_brute_force(machine, rows):
    """Log probabilities, all states summed over."""
    W, b, c = machine.components_.T, machine.intercept_visible_, machine.intercept_hidden_

    def free(v):
        return v @ b + np.logaddexp(0, v @ W + c).sum(axis=1)

    states = np.array(list(product([0.0, 1.0], repeat=W.shape[0])))
    return free(rows) - special.logsumexp(free(states))


@pytest.mark.covers("neural.rbm")
def test_hidden_probabilities_energies_and_pseudo_likelihood():
    rows = (RNG.random((60, 4)) > 0.5).astype(float)
    machine = BernoulliRBM(3, n_iter=5, random_state=0).fit(rows)
    W, c = machine.components_.T, machine.intercept_hidden_
    np.testing.assert_allclose(machine.transform(rows), expit(rows @ W + c), rtol=1e-12)
    hidden = np.array(list(product([0.0, 1.0], repeat=3)))
    for v in rows[:4]:  # exp(-F(v)) is the sum over all hidden states
        energies = -(v @ W @ hidden.T) - v @ machine.intercept_visible_ - hidden @ c
        assert -machine.free_energy(v[None])[0] == pytest.approx(special.logsumexp(-energies), rel=1e-12)
    logs = rbm_by_brute_force(machine, rows)
    wanted = np.zeros(60)
    for i in range(4):  # of each unit, given the others
        turned = rows.copy()
        turned[:, i] = 1 - turned[:, i]
        wanted += logs - np.logaddexp(logs, rbm_by_brute_force(machine, turned))
    np.testing.assert_allclose(machine.score_samples(rows), wanted, rtol=1e-9)


@pytest.mark.covers("neural.rbm", "neural.contrastive-divergence")
@pytest.mark.parametrize("training", ["cd", "pcd"])
def test_contrastive_divergence_raises_the_likelihood(training):
    patterns = np.array([[1, 1, 0, 0, 0], [0, 0, 0, 1, 1], [1, 0, 1, 0, 1]], dtype=float)
    rows = np.repeat(patterns, 40, axis=0)
    seen = []
    for n_iter in (0, 5, 60):
        machine = BernoulliRBM(6, training=training, n_iter=n_iter, learning_rate=0.1, random_state=0).fit(rows)
        seen.append(rbm_by_brute_force(machine, rows).mean())
    assert seen[0] == pytest.approx(-5 * np.log(2), abs=0.1)
    assert seen[0] < seen[1] < seen[2]
    assert seen[2] > -2.4  # the best there is is ln(1/3)


@pytest.mark.covers("neural.contrastive-divergence")
def test_a_step_of_cd_is_the_mean_of_5_24_over_its_draws():
    """Over many rows that are the same, draws average out: the step is what probabilities say."""
    v = np.array([1.0, 0.0, 1.0])
    machine = BernoulliRBM(2, training="cd", n_iter=0, random_state=3).fit(np.tile(v, (20_000, 1)))
    W, b, c = machine.components_.T.copy(), np.zeros(3), np.zeros(2)
    after = BernoulliRBM(2, training="cd", n_iter=1, learning_rate=1.0, batch_size=20_000, random_state=3)
    after.fit(np.tile(v, (20_000, 1)))
    hidden = expit(v @ W + c)
    states = np.array(list(product([0.0, 1.0], repeat=2)))
    chance = np.prod(np.where(states == 1, hidden, 1 - hidden), axis=1)
    back = expit(states @ W.T + b)  # visible probabilities for each hidden state
    drawn = np.array(list(product([0.0, 1.0], repeat=3)))
    of_visible = np.einsum("s,sv->v", chance, np.prod(np.where(drawn[None] == 1, back[:, None], 1 - back[:, None]), 2))
    again = expit(drawn @ W + c)
    slope = np.outer(v, hidden) - np.einsum("v,vi,vj->ij", of_visible, drawn, again)
    np.testing.assert_allclose(after.components_.T - W, slope, atol=0.02)
    np.testing.assert_allclose(after.intercept_visible_, v - of_visible @ drawn, atol=0.02)
    np.testing.assert_allclose(after.intercept_hidden_, hidden - of_visible @ again, atol=0.02)


@pytest.mark.covers("neural.rbm")
def test_as_likely_as_scikit_learns():
    X = load_digits().data[:600] / 16
    ours = BernoulliRBM(32, learning_rate=0.05, n_iter=8, random_state=0).fit(X)
    theirs = SklearnRBM(32, learning_rate=0.05, n_iter=8, random_state=0).fit(X)
    at_theirs = BernoulliRBM(32, n_iter=0, random_state=0).fit(X)
    at_theirs.components_, at_theirs.intercept_hidden_ = theirs.components_, theirs.intercept_hidden_
    at_theirs.intercept_visible_ = theirs.intercept_visible_
    assert ours.score_samples(X).mean() > at_theirs.score_samples(X).mean() - 0.5


@pytest.mark.covers("neural.layerwise-pretraining")
def test_each_machine_learns_from_the_one_below():
    X = (RNG.random((80, 6)) > 0.5).astype(float)
    layers = pretrain([5, 4], X, random_state=0)
    assert [layer.components_.shape for layer in layers] == [(5, 6), (4, 5)]
    y = X[:, 0].astype(int)
    begun = fine_tune(layers, X, y, solver="sgd", learning_rate_init=1e-12, tol=1e9, n_iter_no_change=1)
    for coef, bias, layer in zip(begun.coefs_, begun.intercepts_, layers, strict=False):
        np.testing.assert_allclose(coef, layer.components_.T, atol=1e-6)
        np.testing.assert_allclose(bias, layer.intercept_hidden_, atol=1e-6)
    np.testing.assert_allclose(begun.hidden(X, 2), layers[1].transform(layers[0].transform(X)), atol=1e-5)
    tuned = fine_tune(layers, X, y, solver="lbfgs", random_state=0)
    assert tuned.score(X, y) == 1.0
    with pytest.raises(ValueError, match="follow from the machines"):
        fine_tune(layers, X, y, activation="relu")


@pytest.mark.covers("neural.dbn")
def test_a_deep_belief_network_tells_digits():
    X, y = load_digits(n_class=4, return_X_y=True)
    model = DBN((30, 20), pretrain_iter=5, tol=0.01, random_state=0)
    model.fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.95
    assert [machine.components_.shape for machine in model.machines_] == [(30, 64), (20, 30)]


@pytest.mark.covers("neural.hopfield")
def test_patterns_are_called_up_and_energy_falls():
    signs = np.where(RNG.random((3, 60)) > 0.5, 1.0, -1.0)
    model = Hopfield(random_state=0).fit(signs)
    np.testing.assert_allclose(model.weights_, (signs.T @ signs) / 60 * (1 - np.eye(60)), atol=1e-12)
    noisy = np.where(RNG.random((3, 60)) < 0.15, -signs, signs)
    np.testing.assert_array_equal(model.transform(noisy), signs)
    assert (model.energy(signs) < model.energy(noisy)).all()
    assert model.energy(signs[:1])[0] == pytest.approx(-0.5 * signs[0] @ model.weights_ @ signs[0])
    alike = np.array([[1.0, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, -1]])  # the projection rule stores what is alike
    np.testing.assert_array_equal(Hopfield("projection").fit(alike).transform(alike), alike)


@pytest.mark.covers("neural.hopfield-tsp")
@pytest.mark.parametrize("seed", range(3))
def test_tours_of_seven_cities_are_the_shortest(seed):
    places = np.random.default_rng(seed).random((7, 2))
    D = np.sqrt(((places[:, None] - places) ** 2).sum(axis=2))
    best = min(sum(D[a, b] for a, b in zip((0, *p), (*p, 0), strict=True)) for p in permutations(range(1, 7)))
    tour = hopfield_tsp(D, random_state=0)
    assert sorted(tour.order.tolist()) == list(range(7))
    assert tour.length == pytest.approx(best, rel=1e-9)
    assert tour.length == pytest.approx(D[tour.order, np.roll(tour.order, -1)].sum())
    assert tour.n_valid >= 1


@pytest.mark.covers("neural.sparse-distributed-memory")
def test_a_sparse_memory_gives_back_what_is_near():
    rows = (RNG.random((8, 200)) > 0.5).astype(float)
    model = SparseDistributedMemory(800, random_state=0).fit(rows)
    near = np.abs(rows[:, None] - model.addresses_).sum(axis=2) <= model.radius_
    np.testing.assert_allclose(model.counters_, near.T.astype(float) @ (2 * rows - 1))
    noisy = np.where(RNG.random(rows.shape) < 0.1, 1 - rows, rows)
    np.testing.assert_array_equal(model.transform(noisy), rows)
