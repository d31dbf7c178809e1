"""Markov networks, messages on graphs with circles, variational inference."""

import numpy as np
import pytest

from lanatus.graphical import (
    BeliefPropagation,
    Factor,
    FactorGraph,
    MarkovNetwork,
    MeanField,
    elbo,
    enumerate_query,
    exponential_potential,
    to_maximal_cliques,
)


def equal(weight):
    return [[weight, 1.0], [1.0, weight]]


def grid(side=3, seed=0, strength=0.5):
    rng = np.random.RandomState(seed)
    names = [[f"{i}{j}" for j in range(side)] for i in range(side)]
    edges = [(names[i][j], names[i][j + 1]) for i in range(side) for j in range(side - 1)]
    edges += [(names[i][j], names[i + 1][j]) for i in range(side - 1) for j in range(side)]
    factors = [Factor(edge, np.exp(strength * rng.randn(2, 2))) for edge in edges]
    factors += [Factor([name], np.exp(rng.randn(2))) for row in names for name in row]
    return MarkovNetwork(factors)


@pytest.mark.covers("graphical.loopy-bp", "graphical.residual-splash")
@pytest.mark.parametrize("schedule", ["sequential", "parallel", "residual", "residual-splash"])
def test_messages_settle_at_one_point_that_is_about_right(schedule):
    field = grid()
    bp = BeliefPropagation(field, loopy=True, schedule=schedule)
    found = bp.marginals()
    assert bp.converged_
    reference = BeliefPropagation(field, loopy=True, tol=1e-12).marginals()
    for name, factor in found.items():
        np.testing.assert_allclose(factor.values, reference[name].values, atol=1e-6)
        np.testing.assert_allclose(factor.values, enumerate_query(field, name).values, atol=0.03)
    with pytest.raises(ValueError, match="circle"):
        BeliefPropagation(field).query("00")


@pytest.mark.covers("graphical.residual-splash")
def test_residuals_need_fewer_rounds_than_turns():
    field = grid(4, seed=1, strength=1.0)
    turns = BeliefPropagation(field, loopy=True, schedule="parallel", tol=1e-6)
    first = BeliefPropagation(field, loopy=True, schedule="residual", tol=1e-6)
    turns.marginals(), first.marginals()
    assert first.converged_
    assert first.n_iter_ < turns.n_iter_


@pytest.mark.covers("graphical.markov-network-fit")
def test_fitted_potentials_have_the_counted_shares():
    D = grid(2, seed=3).sample(2000, random_state=0)
    empty = grid(2, seed=3)
    field = MarkovNetwork(
        [Factor(f.variables, np.ones(f.values.shape)) for f in empty.factors()], nodes=empty.variables
    )
    field.fit(D)
    joint = field.joint()
    for factor in field.factors():
        counted = D.groupby(list(factor.variables)).size().to_numpy().reshape(factor.values.shape) / len(D)
        np.testing.assert_allclose(joint.marginal(factor.variables).values, counted, atol=1e-6)
    assert field.log_likelihood(D) > empty.log_likelihood(D)
    shrunk = MarkovNetwork([Factor(f.variables, np.ones(f.values.shape)) for f in empty.factors()]).fit(D, penalty=1.0)
    assert max(np.abs(np.log(f.values)).max() for f in shrunk.factors()) < max(
        np.abs(np.log(f.values)).max() for f in field.factors()
    )
    with pytest.raises(ValueError, match="missing values"):
        field.fit(D.mask(np.eye(len(D), D.shape[1]) > 0))


@pytest.mark.covers("graphical.factor-graph")
def test_a_factor_graph_may_be_a_tree_where_the_network_has_circles():
    triple = Factor(["a", "b", "c"], np.arange(1.0, 9.0).reshape(2, 2, 2))
    graph = FactorGraph([triple, Factor(["c", "d"], equal(3.0))])
    assert graph.is_tree()
    assert graph.neighbors["a"] == {"b", "c"}
    for name in "abcd":
        np.testing.assert_allclose(BeliefPropagation(graph).query(name).values, enumerate_query(graph, name).values)
    ring = FactorGraph([Factor(edge, equal(2.0)) for edge in (("a", "b"), ("b", "c"), ("c", "a"))])
    assert not ring.is_tree()
    assert len(ring.edges) == 6


@pytest.mark.covers("graphical.maximal-clique-potentials")
def test_potentials_of_maximal_cliques_have_the_same_product():
    factors = [Factor(["a", "b"], equal(2.0)), Factor(["b", "c"], equal(3.0)), Factor(["a", "c"], equal(0.5))]
    factors += [Factor(["c", "d"], equal(4.0)), Factor(["d"], [1.0, 2.0]), Factor(["a"], [3.0, 1.0])]
    whole = to_maximal_cliques(factors)
    assert sorted(sorted(factor.variables) for factor in whole) == [["a", "b", "c"], ["c", "d"]]
    one, other = MarkovNetwork(factors), MarkovNetwork(whole)
    np.testing.assert_allclose(other.partition(), one.partition())
    np.testing.assert_allclose(other.joint().ordered(one.variables).values, one.joint().values)


@pytest.mark.covers("graphical.exponential-potentials")
def test_exponential_potentials_are_of_the_energy():
    factors = exponential_potential({("u", "v"): 0.7}, {"u": -0.2, "v": 0.1}, states=dict.fromkeys("uv", (-1, 1)))
    field = MarkovNetwork(factors)
    for u in (-1, 1):
        for v in (-1, 1):
            np.testing.assert_allclose(field.energy({"u": u, "v": v}), 0.7 * u * v - 0.2 * u + 0.1 * v)
    weights = [np.exp(-(0.7 * u * v - 0.2 * u + 0.1 * v)) for u in (-1, 1) for v in (-1, 1)]
    np.testing.assert_allclose(field.partition(), sum(weights))


@pytest.mark.covers("graphical.mean-field", "graphical.elbo")
def test_the_bound_rises_and_lacks_what_the_divergence_says():
    field = grid(3, seed=2)
    mean = MeanField(field, n_init=3, random_state=0)
    q = mean.factors()
    assert (np.diff(mean.elbos_) > -1e-12).all()
    joint = field.joint()
    product = np.ones(())
    for name in joint.variables:
        product = np.multiply.outer(product, q[name].values)
    bound = elbo(product, joint.values * field.partition())
    np.testing.assert_allclose(bound.elbo, mean.elbo_)
    np.testing.assert_allclose(bound.log_evidence, field.log_partition())
    kl = (product * np.log(product / joint.values)).sum()
    np.testing.assert_allclose(bound.kl, kl, atol=1e-10)
    assert bound.kl > 0
    # At its end no factor can be bettered: (14.40).
    for axis, name in enumerate(joint.variables):
        others = product.sum(axis=axis, keepdims=True)
        own = np.exp((np.log(joint.values) * others).sum(axis=tuple(a for a in range(9) if a != axis)))
        np.testing.assert_allclose(q[name].values, own / own.sum(), atol=1e-5)


def test_mean_field_is_exact_where_variables_are_independent():
    field = MarkovNetwork([Factor(["a"], [1.0, 3.0]), Factor(["b"], [2.0, 2.0])])
    mean = MeanField(field)
    np.testing.assert_allclose(mean.query("a").values, [0.25, 0.75])
    np.testing.assert_allclose(mean.elbo_, np.log(16.0))


def test_samples_of_a_field_are_exact():
    field = grid(2, seed=5)
    D = field.sample(20_000, random_state=0)
    name = field.variables[0]
    assert abs((D[name] == 1).mean() - field.infer(name).values[1]) < 0.015


def test_messages_that_swing_are_said():
    ring = [("a", "b"), ("b", "c"), ("c", "a")]
    field = MarkovNetwork([Factor(edge, [[1e-6, 1.0], [1.0, 1e-6]]) for edge in ring] + [Factor(["a"], [1.0, 3.0])])
    with pytest.warns(UserWarning, match="did not settle"):
        BeliefPropagation(field, loopy=True, schedule="parallel", max_iter=5).query("b")
