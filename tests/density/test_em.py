"""EM with steps of one's own: monotone, hard, generalised, and the bound that it raises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.exceptions import ConvergenceWarning

from lanatus.cluster import KMeans
from lanatus.density import EM, GaussianMixture, em_lower_bound
from lanatus.density.mixture._em import LikelihoodFell

HEADS = np.array([5, 9, 8, 4, 7])
TOSSES = 10


def joint(X, theta):
    return 0.5 * binom.pmf(X[:, None], TOSSES, theta)


def e_step(X, theta):
    p = joint(X, theta)
    return p / p.sum(axis=1, keepdims=True)


def m_step(X, q, theta):
    return q.T @ X / (TOSSES * q.sum(axis=0))


def log_likelihood(X, theta):
    return np.log(joint(X, theta).sum(axis=1)).sum()


def expected(X, q, theta):
    """Q up to a constant; nothing outside (0, 1)."""
    if not ((theta > 0) & (theta < 1)).all():
        return -np.inf
    return float((q * (X[:, None] * np.log(theta) + (TOSSES - X[:, None]) * np.log(1 - theta))).sum())


@pytest.mark.covers("density.em")
def test_two_coins():
    run = EM(e_step, m_step, log_likelihood).run(HEADS, [0.6, 0.5])
    np.testing.assert_allclose(run.theta, [0.7967, 0.5195], atol=2e-4)  # Do and Batzoglou (2008): 0.80 and 0.52
    assert run.converged
    assert len(run.trace) == run.n_iter + 1
    assert np.diff(run.trace).min() > -1e-12
    assert run.log_likelihood == run.trace[-1]
    np.testing.assert_allclose(run.posterior.sum(axis=1), 1.0, rtol=1e-14)


@pytest.mark.covers("density.em")
def test_a_mixture_by_hand_is_the_estimator():
    rng = np.random.RandomState(0)
    X = np.concatenate([rng.normal(-2, 1, 80), rng.normal(3, 1.5, 120)])

    def mixture_joint(X, theta):
        weight, mean, variance = theta
        return weight * np.exp(-0.5 * (X[:, None] - mean) ** 2 / variance) / np.sqrt(2 * np.pi * variance)

    def posterior(X, theta):
        p = mixture_joint(X, theta)
        return p / p.sum(axis=1, keepdims=True)

    def moments(X, q, theta):
        mass = q.sum(axis=0)
        mean = q.T @ X / mass
        return mass / len(X), mean, (q * (X[:, None] - mean) ** 2).sum(axis=0) / mass

    start = (np.array([0.5, 0.5]), np.array([-1.0, 1.0]), np.array([1.0, 1.0]))
    run = EM(posterior, moments, lambda X, t: np.log(mixture_joint(X, t).sum(axis=1)).sum(), tol=1e-9).run(X, start)
    ours = GaussianMixture(
        2,
        weights_init=start[0],
        means_init=start[1][:, None],
        covariances_init=start[2][:, None, None],
        reg_covar=0.0,
        tol=1e-12,
        max_iter=2000,
    ).fit(X[:, None])
    np.testing.assert_allclose(run.theta[1], ours.means_[:, 0], rtol=1e-4)
    np.testing.assert_allclose(run.trace[:5], 200 * ours.lower_bounds_[:5], rtol=1e-10)


def test_without_anything_hidden_it_is_one_step_of_maximum_likelihood():
    """Claim 28: with no missing data EM is the MLE at once."""
    x = np.array([1.0, 2.0, 6.0])
    run = EM(lambda X, t: None, lambda X, q, t: X.mean(), lambda X, t: -((X - t) ** 2).sum()).run(x, 0.0)
    assert run.theta == 3.0
    assert run.n_iter == 2  # the second changes nothing


def test_a_wrong_step_is_caught():
    def worse(X, q, theta):
        return 1 - m_step(X, q, theta)

    with pytest.raises(LikelihoodFell, match="iteration 1 lowered the log-likelihood"):
        EM(e_step, worse, log_likelihood).run(HEADS, [0.6, 0.5])
    with pytest.warns(RuntimeWarning, match="lowered"):
        EM(e_step, worse, log_likelihood, on_fall="warn", max_iter=1, tol=10).run(HEADS, [0.6, 0.5])


def test_clear_errors():
    with pytest.raises(ValueError, match="needs expected"):
        EM(e_step, "increase", log_likelihood).run(HEADS, [0.6, 0.5])
    with pytest.raises(ValueError, match="n_init"):
        EM(e_step, m_step, log_likelihood, n_init=3).run(HEADS, [0.6, 0.5])
    with pytest.raises(ValueError, match="'mode' parameter of EM"):
        EM(e_step, m_step, log_likelihood, mode="warm").run(HEADS, [0.6, 0.5])
    with pytest.raises(ValueError, match="log_likelihood gave nan"):
        EM(e_step, m_step, lambda X, t: np.nan).run(HEADS, [0.6, 0.5])
    with pytest.raises(ValueError, match="harden"):
        EM(lambda X, t: 0.5, lambda X, q, t: t, lambda X, t: 0.0, mode="hard").run(HEADS, 0.5)
    with pytest.warns(ConvergenceWarning, match="2 iterations"):
        EM(e_step, m_step, log_likelihood, max_iter=2).run(HEADS, [0.6, 0.5])


def test_the_best_of_several_starts_is_kept():
    em = EM(e_step, m_step, log_likelihood, n_init=5, random_state=0)
    run = em.run(HEADS, lambda rng: rng.uniform(0.1, 0.9, 2))
    single = EM(e_step, m_step, log_likelihood).run(HEADS, [0.6, 0.5])
    assert run.log_likelihood >= single.log_likelihood - 1e-6


@pytest.mark.covers("density.em-prototype")
def test_plug_in_latent_values_of_equal_spheres_are_kmeans():
    rng = np.random.RandomState(1)
    X = np.vstack([rng.normal(c, 0.7, (40, 2)) for c in (0, 3, 6)])

    def distances(X, means):
        return ((X[:, None] - means) ** 2).sum(axis=2)

    def posterior(X, means):
        p = np.exp(-0.5 * (distances(X, means) - distances(X, means).min(axis=1, keepdims=True)))
        return p / p.sum(axis=1, keepdims=True)

    def means_of(X, q, means):
        return q.T @ X / q.sum(axis=0)[:, None]

    def likelihood(X, means):
        return np.log(np.exp(-0.5 * distances(X, means)).mean(axis=1)).sum()

    run = EM(posterior, means_of, likelihood, mode="hard").run(X, X[[0, 1, 50]])
    kmeans = KMeans(3, init=X[[0, 1, 50]], tol=0).fit(X)
    np.testing.assert_allclose(run.theta, kmeans.cluster_centers_, rtol=1e-12)
    np.testing.assert_array_equal(run.posterior.argmax(axis=1), kmeans.labels_)
    assert set(np.unique(run.posterior)) == {0.0, 1.0}
    soft = EM(posterior, means_of, likelihood, tol=1e-6).run(X, X[[0, 1, 50]])
    assert np.abs(soft.theta - run.theta).max() > 1e-3


def test_plug_in_values_of_ones_own():
    """Prototype EM with a number as the latent value: a missing cell is filled by its expectation."""
    x = np.array([1.0, 2.0, 6.0, np.nan])
    run = EM(
        lambda X, mean: mean,
        lambda X, filled, mean: np.where(np.isnan(X), filled, X).mean(),
        lambda X, mean: -np.nansum((X - mean) ** 2),
        mode="hard",
        harden=float,
        tol=1e-20,
    ).run(x, 0.0)
    assert run.theta == pytest.approx(3.0, abs=1e-8)


@pytest.mark.covers("density.gem")
@pytest.mark.parametrize("given_gradient", [False, True])
def test_a_step_that_only_goes_up_ends_where_em_does(given_gradient):
    def gradient(X, q, theta):
        return (q * (X[:, None] / theta - (TOSSES - X[:, None]) / (1 - theta))).sum(axis=0)

    full = EM(e_step, m_step, log_likelihood, tol=1e-12).run(HEADS, [0.6, 0.5])
    gem = EM(
        e_step,
        "increase",
        log_likelihood,
        expected=expected,
        gradient=gradient if given_gradient else None,
        tol=1e-12,
        max_iter=5000,
    ).run(HEADS, [0.6, 0.5])
    np.testing.assert_allclose(gem.theta, full.theta, atol=1e-4)
    assert np.diff(gem.trace).min() > -1e-12
    first = EM(e_step, "increase", log_likelihood, expected=expected, max_iter=1, tol=10).run(HEADS, [0.6, 0.5])
    q = e_step(HEADS, np.array([0.6, 0.5]))
    assert expected(HEADS, q, first.theta) > expected(HEADS, q, np.array([0.6, 0.5]))


@pytest.mark.covers("density.gem")
def test_an_m_step_of_ones_own_may_go_part_of_the_way():
    full = EM(e_step, m_step, log_likelihood, tol=1e-12).run(HEADS, [0.6, 0.5])
    part = EM(e_step, lambda X, q, t: 0.7 * np.asarray(t) + 0.3 * m_step(X, q, t), log_likelihood, tol=1e-12)
    run = part.run(HEADS, [0.6, 0.5])
    np.testing.assert_allclose(run.theta, full.theta, atol=1e-4)
    assert run.n_iter > full.n_iter


# ---------------------------------------------------------------- the bound

positive = st.floats(0.01, 1.0)


@pytest.mark.covers("density.em-lower-bound")
@given(st.lists(st.tuples(positive, positive, positive, positive), min_size=1, max_size=6))
def test_the_bound_is_below_and_its_gap_is_a_divergence(cells):
    table = np.array(cells)
    logs, q = np.log(table[:, :2]), table[:, 2:] / table[:, 2:].sum(axis=1, keepdims=True)
    got = em_lower_bound(q, None, lambda theta: logs)
    posterior = table[:, :2] / table[:, :2].sum(axis=1, keepdims=True)
    assert got.gap == pytest.approx((q * np.log(q / posterior)).sum(), abs=1e-10)
    assert got.gap >= -1e-12
    assert got.bound + got.gap == pytest.approx(got.log_likelihood, rel=1e-12)
    assert em_lower_bound(posterior, None, lambda theta: logs).gap == pytest.approx(0.0, abs=1e-12)


@pytest.mark.covers("density.em-lower-bound")
def test_both_steps_raise_the_bound():
    theta = np.array([0.6, 0.5])
    q = np.array([[0.9, 0.1]] * 5)
    bounds = []
    for _ in range(5):
        bounds.append(em_lower_bound(q, theta, lambda t: np.log(joint(HEADS, t))).bound)
        q = e_step(HEADS, theta)
        touching = em_lower_bound(q, theta, lambda t: np.log(joint(HEADS, t)))
        assert touching.gap == pytest.approx(0.0, abs=1e-12)
        bounds.append(touching.bound)
        theta = m_step(HEADS, q, theta)
    assert np.diff(bounds).min() > -1e-12


def test_impossible_states_and_bad_distributions():
    with np.errstate(divide="ignore"):
        got = em_lower_bound([[1.0, 0.0]], None, lambda t: np.log([[0.5, 0.0]]))
    assert got.gap == pytest.approx(0.0, abs=1e-15)
    with pytest.raises(ValueError, match="sum 1"):
        em_lower_bound([[0.5, 0.4]], None, lambda t: np.zeros((1, 2)))
    with pytest.raises(ValueError, match="shape"):
        em_lower_bound([[0.5, 0.5]], None, lambda t: np.zeros((1, 3)))
