"""Monte Carlo, Metropolis-Hastings, Gibbs, Markov chains."""

import numpy as np
import pytest

from lanatus.graphical import (
    BayesianNetwork,
    GibbsSampler,
    MarkovChain,
    MetropolisHastings,
    check_detailed_balance,
    effective_sample_size,
    gibbs_query,
    load_watermelon_network,
    metropolis_kernel,
    monte_carlo,
    r_hat,
    rejection_sample,
)

MELON = {"色泽": "青绿", "敲声": "浊响", "根蒂": "蜷缩"}


@pytest.mark.covers("graphical.monte-carlo-estimate")
def test_the_error_of_an_estimate_is_what_it_says():
    found = [
        monte_carlo(lambda x: x**2, lambda n, random_state: random_state.randn(n), 400, random_state=seed)
        for seed in range(400)
    ]
    gaps = np.array([(one.value - 1) / one.standard_error for one in found])
    assert abs(np.mean([one.value for one in found]) - 1) < 0.02  # without bias
    assert 0.9 < np.mean(np.abs(gaps) < 1.96) < 0.98
    with pytest.raises(ValueError, match="NaN"):
        monte_carlo(lambda x: x * np.nan, lambda n, random_state: random_state.randn(n))


@pytest.mark.covers("graphical.rejection-sampling")
def test_rejection_samples_are_of_the_density_and_a_wrong_bound_is_said():
    def log_density(x):
        return -0.5 * x**2

    def uniform(n, random_state):
        return random_state.uniform(-6, 6, n)

    def flat(x):
        return np.full(len(x), -np.log(12))

    x = rejection_sample(log_density, uniform, flat, np.log(12), 20_000, random_state=0)
    assert abs(x.mean()) < 0.03
    assert abs(x.std() - 1) < 0.03
    with pytest.raises(ValueError, match="raise log_bound"):
        rejection_sample(log_density, uniform, flat, np.log(1.0), 100, random_state=0)
    with pytest.raises(ValueError, match="were kept"):
        rejection_sample(log_density, uniform, flat, 40.0, 100, max_draws=10_000, random_state=0)


@pytest.mark.covers("graphical.metropolis-hastings")
def test_metropolis_hastings_finds_means_and_covariances():
    precision = np.array([[2.0, 0.9], [0.9, 1.0]])
    mean = np.array([1.0, -1.0])

    def log_density(x):
        return -0.5 * np.einsum("ni,ij,nj->n", x - mean, precision, x - mean)

    chain = MetropolisHastings(log_density).sample([0.0, 0.0], 8000, random_state=0)
    assert (chain.r_hat < 1.02).all()
    assert (chain.effective_size > 500).all()
    np.testing.assert_allclose(chain.flat().mean(axis=0), mean, atol=0.1)
    np.testing.assert_allclose(np.cov(chain.flat().T), np.linalg.inv(precision), atol=0.15)
    assert 0.1 < chain.acceptance.mean() < 0.5
    again = MetropolisHastings(log_density).sample([0.0, 0.0], 100, random_state=0)
    np.testing.assert_array_equal(
        again.samples, MetropolisHastings(log_density).sample([0.0, 0.0], 100, random_state=0)[0]
    )


@pytest.mark.covers("graphical.metropolis-hastings")
def test_a_lopsided_proposal_is_set_right_by_its_density():
    def log_density(x):  # exponential on the positive side
        return np.where(x[:, 0] > 0, -x[:, 0], -np.inf)

    def grown(x, rng):
        return x * np.exp(0.8 * rng.standard_normal(x.shape))

    def log_proposal(to, given):
        return -np.log(to[:, 0]) - 0.5 * ((np.log(to[:, 0]) - np.log(given[:, 0])) / 0.8) ** 2

    right = MetropolisHastings(log_density, proposal=grown, log_proposal=log_proposal)
    assert abs(right.sample([1.0], 20_000, random_state=0).flat().mean() - 1.0) < 0.06
    wrong = MetropolisHastings(log_density, proposal=grown)
    assert abs(wrong.sample([1.0], 20_000, random_state=0).flat().mean() - 1.0) > 0.3
    with pytest.raises(ValueError, match="begin elsewhere"):
        right.sample([-1.0])
    with pytest.raises(ValueError, match="NaN"):
        MetropolisHastings(lambda x: x[:, 0] * np.nan).sample([1.0])


@pytest.mark.covers("graphical.gibbs-sampler")
@pytest.mark.parametrize("scan", ["systematic", "random"])
def test_gibbs_draws_each_variable_given_the_others(scan):
    def given(other):
        return lambda x, rng: 0.8 * x[:, other] + 0.6 * rng.standard_normal(len(x))

    chain = GibbsSampler([given(1), given(0)], scan=scan).sample([3.0, -3.0], 10_000, random_state=0)
    np.testing.assert_allclose(np.cov(chain.flat().T), [[1, 0.8], [0.8, 1]], atol=0.08)


@pytest.mark.covers("graphical.bn-gibbs")
@pytest.mark.parametrize("scan", ["systematic", "random"])
def test_gibbs_in_a_network_comes_near_the_exact_answer(scan):
    net = load_watermelon_network()
    exact = net.infer(["好瓜", "甜度"], MELON).values
    about = gibbs_query(net, ["好瓜", "甜度"], MELON, n_samples=100_000, scan=scan, random_state=0)
    np.testing.assert_allclose(about.values, exact, atol=0.01)
    again = gibbs_query(net, ["好瓜", "甜度"], MELON, n_samples=100_000, scan=scan, random_state=0)
    np.testing.assert_array_equal(about.values, again.values)
    for method in ("likelihood-weighting", "rejection"):
        found = net.infer(["好瓜", "甜度"], MELON, method=method, n_samples=100_000, random_state=0)
        np.testing.assert_allclose(found.values, exact, atol=0.02)


@pytest.mark.covers("graphical.bn-gibbs")
def test_extreme_probabilities_are_warned_of():
    net = BayesianNetwork([("a", "b")], {"a": [0.5, 0.5], "b": [[1.0, 0.0], [0.0, 1.0]]})
    with pytest.warns(UserWarning, match="may not get everywhere"):
        stuck = gibbs_query(net, "a", n_samples=1000, n_chains=1, random_state=0)
    assert stuck.values.max() == 1.0  # it never leaves the corner where it began; exactly it is one half
    np.testing.assert_allclose(net.infer("a").values, [0.5, 0.5])


@pytest.mark.covers("graphical.detailed-balance")
def test_balance_of_a_metropolis_kernel():
    rng = np.random.RandomState(0)
    p, q = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5), size=5)
    kernel = metropolis_kernel(p, q)
    assert check_detailed_balance(p, kernel)[:2] == (True, True)
    np.testing.assert_allclose(MarkovChain(kernel).stationary(), p)
    assert not check_detailed_balance(np.full(5, 0.2), kernel).stationary


@pytest.mark.covers("graphical.markov-chain")
def test_where_chains_settle():
    rng = np.random.RandomState(0)
    T = rng.dirichlet(np.ones(4), size=4)
    chain = MarkovChain(T, states=list("abcd"))
    settled = chain.stationary()
    np.testing.assert_allclose(settled @ T, settled)
    np.testing.assert_allclose(chain.distribution(200), settled)
    path = chain.sample(50_000, random_state=0)
    np.testing.assert_allclose([(path == s).mean() for s in "abcd"], settled, atol=0.02)
    learned = MarkovChain.from_sequences([path])
    np.testing.assert_allclose(learned.transition, T, atol=0.02)
    np.testing.assert_allclose(chain.log_probability("ab"), np.log(0.25 * T[0, 1]))
    assert not MarkovChain([[0, 1], [1, 0]]).is_ergodic()
    assert MarkovChain([[0, 1], [1, 0]]).period() == 2
    np.testing.assert_allclose(MarkovChain([[0.5, 0.5, 0], [0, 1, 0], [0, 0.5, 0.5]]).stationary(), [0, 1, 0])
    with pytest.raises(ValueError, match="never left"):
        MarkovChain(np.eye(2)).stationary()
    with pytest.raises(ValueError, match="sum to 1"):
        MarkovChain([[0.5, 0.4], [0.5, 0.5]])


def test_diagnostics_tell_chains_apart():
    rng = np.random.RandomState(0)
    white = rng.randn(4, 2000)
    assert r_hat(white) < 1.01
    assert 6000 < effective_sample_size(white) < 10_000
    assert r_hat(white + np.arange(4)[:, None]) > 1.5
    slow = np.cumsum(rng.randn(1, 2000), axis=1)
    assert effective_sample_size(slow) < 60
    rho = 0.9
    ar = np.zeros(50_000)
    for t in range(1, len(ar)):
        ar[t] = rho * ar[t - 1] + rng.randn()
    np.testing.assert_allclose(effective_sample_size(ar), len(ar) * (1 - rho) / (1 + rho), rtol=0.15)
    assert r_hat(np.ones((2, 100))) == 1.0


def test_the_gibbs_kernel_refuses_tables_that_lead_outside():
    from lanatus._core import graphical as kernels

    def ints(*values, dtype=np.int32):
        return np.array(values, dtype=dtype)

    sound = {
        "values": np.ones(4),
        "start": ints(0, 4, dtype=np.int64),
        "scope_start": ints(0, 2, dtype=np.int64),
        "scope": ints(0, 1),
        "scope_stride": ints(2, 1, dtype=np.int64),
        "used_start": ints(0, 1, 2, dtype=np.int64),
        "used": ints(0, 0),
        "used_stride": ints(2, 1, dtype=np.int64),
        "cardinality": ints(2, 2),
        "first": np.zeros((1, 2), np.int32),
        "free": ints(0, 1),
        "burn_in": 0,
        "n": 3,
        "random_scan": False,
        "seed": 0,
        "n_threads": 1,
    }
    samples, stuck = kernels.gibbs_samples(**sound)
    assert samples.shape == (3, 2)
    assert stuck == 0
    spoiled = {
        "scope_stride": np.array([3, 1], np.int64),
        "used": np.array([0, 1], np.int32),
        "used_stride": np.array([1, 1], np.int64),
        "used_start": np.array([0, 2, 2], np.int64),
        "first": np.array([[0, 2]], np.int32),
        "free": np.array([2], np.int32),
        "values": np.array([1.0, np.nan, 1.0, 1.0]),
    }
    for name, value in spoiled.items():
        with pytest.raises(ValueError):
            kernels.gibbs_samples(**{**sound, name: value})
