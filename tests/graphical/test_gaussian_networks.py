"""Networks with continuous variables."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, norm

from lanatus.graphical import BayesianNetwork, GaussianBayesianNetwork, LinearGaussian

DISCRETE = BayesianNetwork(
    [("z", "s")], {"z": [0.3, 0.7], "s": [[0.9, 0.1], [0.2, 0.8]]}, states={"z": ["a", "b"], "s": ["u", "v"]}
)
EDGES = [("z", "x"), ("x", "y"), ("z", "y"), ("y", "w")]
LINEAR = {
    "x": LinearGaussian.of([0.0, 3.0], variance=[1.0, 2.0]),
    "y": LinearGaussian.of([1.0, -1.0], [[2.0], [0.5]], [0.5, 1.5]),
    "w": LinearGaussian.of(0.5, [-1.0], 0.25),
}


def net():
    return GaussianBayesianNetwork.from_tables(EDGES, LINEAR, DISCRETE)


@pytest.mark.covers("graphical.gaussian-bayesian-network")
def test_moments_are_those_of_the_equations():
    # x = e1, y = b + w x + e2, t = 0.5 - y + e3: multiply the equations out
    mean, covariance = net().moments({"z": "b"})
    np.testing.assert_allclose(mean, [3.0, 0.5, 0.0])
    B = np.array([[0, 0, 0], [0.5, 0, 0], [0, -1, 0]])
    A = np.linalg.inv(np.eye(3) - B)
    np.testing.assert_allclose(covariance, A @ np.diag([2.0, 1.5, 0.25]) @ A.T)


@pytest.mark.covers("graphical.gaussian-bayesian-network")
def test_answers_are_those_of_bayes_rule_on_a_grid():
    answer = net().infer(["z", "x"], {"w": 1.0, "s": "v"})
    grid = np.linspace(-30, 30, 6001)
    joint = []
    for i, z in enumerate("ab"):
        mean, covariance = net().moments({"z": z})
        prior = DISCRETE.probability({"z": z, "s": "v"})
        joint.append(prior * multivariate_normal(mean[[0, 2]], covariance[np.ix_([0, 2], [0, 2])]).pdf(
            np.column_stack([grid, np.ones_like(grid)])))  # fmt: skip
        assert answer.discrete.states["z"][i] == z
    joint, step = np.array(joint), grid[1] - grid[0]
    total = joint.sum() * step
    np.testing.assert_allclose(answer.discrete.values, joint.sum(axis=1) * step / total, rtol=1e-6)
    density = joint.sum(axis=0) / total
    np.testing.assert_allclose(answer.mean, [(density * grid).sum() * step], rtol=1e-6)
    np.testing.assert_allclose(answer.covariance, [[(density * (grid - answer.mean[0]) ** 2).sum() * step]], rtol=1e-5)
    np.testing.assert_allclose(answer.log_evidence, np.log(total), rtol=1e-6)


@pytest.mark.covers("graphical.gaussian-bayesian-network")
def test_coefficients_come_back_from_rows():
    D = net().sample(60_000, random_state=0)
    learned = GaussianBayesianNetwork([("z", "s"), *EDGES]).fit(D)
    for name, own in LINEAR.items():
        np.testing.assert_allclose(learned.linear[name].intercept, own.intercept, atol=0.05)
        np.testing.assert_allclose(learned.linear[name].weights, own.weights, atol=0.03)
        np.testing.assert_allclose(learned.linear[name].variance, own.variance, rtol=0.03)
    np.testing.assert_allclose(learned.discrete.cpt("s").values, DISCRETE.cpt("s").values, atol=0.02)
    few = D.iloc[:50]
    by_hand = sum(
        np.log(DISCRETE.probability({"z": row.z, "s": row.s}))
        + norm(*_normal(LINEAR["x"], "ab".index(row.z), [])).logpdf(row.x)
        + norm(*_normal(LINEAR["y"], "ab".index(row.z), [row.x])).logpdf(row.y)
        + norm(*_normal(LINEAR["w"], (), [row.y])).logpdf(row.w)
        for row in few.itertuples()
    )
    np.testing.assert_allclose(net().log_likelihood(few), by_hand)
    assert learned.log_likelihood(D) >= net().log_likelihood(D)


def _normal(own, at, values):
    return float(own.intercept[at] + own.weights[at] @ values), float(np.sqrt(own.variance[at]))


@pytest.mark.covers("graphical.gaussian-bayesian-network")
def test_variables_that_follow_from_others():
    exact = GaussianBayesianNetwork.from_tables(
        [("x", "y")], {"x": LinearGaussian.of(0.0), "y": LinearGaussian.of(1.0, [2.0], 0.0)}
    )
    answer = exact.infer("x", {"y": 5.0})
    np.testing.assert_allclose([answer.mean[0], answer.covariance[0, 0]], [2.0, 0.0], atol=1e-12)
    both = GaussianBayesianNetwork.from_tables(
        [("x", "y"), ("x", "z")],
        {"x": LinearGaussian.of(0.0), "y": LinearGaussian.of(0.0, [1.0], 0.0), "z": LinearGaussian.of(0.0, [1.0], 0.0)},
    )
    np.testing.assert_allclose(both.infer("x", {"y": 2.0, "z": 2.0}).mean, 2.0)
    with pytest.raises(ValueError, match="impossible"):
        both.infer("x", {"y": 2.0, "z": 3.0})
    constant = GaussianBayesianNetwork([("x", "y")]).fit(pd.DataFrame({"x": [1.0, 1.0], "y": [2.0, 2.0]}))
    assert np.isfinite(constant.linear["y"].intercept)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda: GaussianBayesianNetwork([("x", "s")]).fit({"x": [1.0, 2.0], "s": ["a", "b"]}), "continuous parent x"),
        (lambda: GaussianBayesianNetwork([("x", "y")]).fit({"x": [1.0, np.nan], "y": [1.0, 2.0]}), "x holds NaN"),
        (lambda: GaussianBayesianNetwork([("x", "y")]).fit({"x": [1.0]}), "'y' is no column"),
        (lambda: GaussianBayesianNetwork([("x", "y")]).infer("x"), "no coefficients yet"),
        (lambda: net().infer("q"), "'q' is no variable"),
        (lambda: net().infer("x", {"x": 1.0}), "asked for and known"),
        (lambda: net().infer("x", {"w": np.inf}), "w"),
        (lambda: GaussianBayesianNetwork.from_tables([("x", "y")], {"x": LINEAR["w"], "y": LINEAR["w"]}), "x has 0"),
        (lambda: GaussianBayesianNetwork.from_tables([], {"x": LinearGaussian.of(0.0, variance=-1.0)}), "variance"),
    ],
)
def test_what_makes_no_sense_is_said(action, words):
    with pytest.raises(ValueError, match=words):
        action()


def test_prior_answers_need_no_evidence():
    answer = net().infer(["x", "s"])
    np.testing.assert_allclose(answer.mean, [0.7 * 3.0])
    np.testing.assert_allclose(answer.covariance, [[0.3 * 1 + 0.7 * 2 + 0.3 * 0.7 * 9]])
    np.testing.assert_allclose(answer.discrete.values, [0.3 * 0.9 + 0.7 * 0.2, 0.3 * 0.1 + 0.7 * 0.8])
    assert answer.log_evidence == pytest.approx(0.0, abs=1e-12)
