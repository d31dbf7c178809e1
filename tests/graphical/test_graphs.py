"""Separation, moral graphs, cliques and Markov properties."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanatus.graphical import (
    BayesianNetwork,
    Factor,
    MarkovNetwork,
    check_markov,
    cliques,
    d_separated,
    independence_pattern,
    independencies,
    load_watermelon_network,
    markov_blanket,
    markov_properties,
    maximal_cliques,
    moral_graph,
    separates,
)

FIGURE_14_2 = [("1", "2"), ("1", "3"), ("2", "4"), ("2", "5"), ("2", "6"), ("3", "5"), ("5", "6")]


def random_dag(seed, most=5):
    rng = np.random.RandomState(seed)
    names = list("abcde")[: rng.randint(2, most + 1)]
    return {name: [other for other in names[:i] if rng.rand() < 0.5] for i, name in enumerate(names)}, rng


@pytest.mark.covers("graphical.d-separation")
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_what_is_separated_is_independent_and_what_is_not_is_dependent_as_a_rule(seed):
    parents, rng = random_dag(seed)
    tables = {name: rng.dirichlet([0.5, 0.5], size=[2] * len(above)) for name, above in parents.items()}
    net = BayesianNetwork(parents, tables)
    names = list(parents)
    for x, y in itertools.combinations(names, 2):
        rest = [name for name in names if name not in (x, y)]
        for z in itertools.chain.from_iterable(itertools.combinations(rest, k) for k in range(len(rest) + 1)):
            joint = net.infer([x, y, *z], method="enumeration")
            both, own = joint * joint.marginal(z), joint.marginal([x, *z]) * joint.marginal([y, *z])
            gap = np.abs(both.values - own.ordered(both.variables).values).max()
            if d_separated(net, x, y, z):
                assert gap < 1e-12
            elif d_separated(net, x, y, z, method="book"):
                raise AssertionError("what the whole moral graph separates is separated")


@pytest.mark.covers("graphical.d-separation")
def test_separation_sees_every_dependence_of_tables_in_general_position():
    parents = {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}
    rng = np.random.RandomState(0)
    net = BayesianNetwork(parents, {n: rng.dirichlet([1, 1], size=[2] * len(p)) for n, p in parents.items()})
    for x, y in itertools.combinations(parents, 2):
        rest = [name for name in parents if name not in (x, y)]
        for z in itertools.chain.from_iterable(itertools.combinations(rest, k) for k in range(3)):
            joint = net.infer([x, y, *z], method="enumeration")
            both, own = joint * joint.marginal(z), joint.marginal([x, *z]) * joint.marginal([y, *z])
            gap = np.abs(both.values - own.ordered(both.variables).values).max()
            assert d_separated(net, x, y, z) == (gap < 1e-10), (x, y, z)


@pytest.mark.covers("graphical.three-variable-patterns")
def test_patterns_of_three_variables():
    net = load_watermelon_network()
    assert independence_pattern(net, "敲声", "好瓜", "色泽") == ("common parent", False, True)
    assert independence_pattern(net, "好瓜", "色泽", "甜度") == ("V-structure", True, False)
    assert independence_pattern([("z", "x"), ("x", "y")], "z", "x", "y") == ("chain", False, True)
    assert independence_pattern([("z", "x"), ("x", "y")], "z", "y", "x").name == "none"
    with pytest.raises(ValueError, match="no node"):
        independence_pattern(net, "好瓜", "大小", "甜度")


@pytest.mark.covers("graphical.moral-graph")
def test_parents_are_married():
    near = moral_graph(load_watermelon_network())
    assert near["好瓜"] == {"敲声", "色泽", "甜度"}
    assert near["甜度"] == {"好瓜", "色泽", "根蒂"}
    assert near["敲声"] == {"好瓜"}


def test_lists_of_independencies_have_a_limit():
    found = independencies([("a", "b"), ("b", "c")])
    assert [str(one) for one in found] == ["a ⊥ c | b"]
    assert independencies([("a", "b"), ("b", "c")], max_given=0) == []
    with pytest.raises(ValueError, match="max_given"):
        independencies([(f"v{i}", f"v{i + 1}") for i in range(20)])


@pytest.mark.covers("graphical.cliques")
def test_cliques_of_figure_14_2():
    found = cliques(FIGURE_14_2)
    assert sorted(found) == sorted([*FIGURE_14_2, ("2", "5", "6")])
    assert maximal_cliques(FIGURE_14_2) == [("1", "2"), ("1", "3"), ("2", "4"), ("3", "5"), ("2", "5", "6")]
    assert ("1", "2", "3") not in cliques(FIGURE_14_2)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_maximal_cliques_are_the_cliques_that_lie_in_no_other(seed):
    rng = np.random.RandomState(seed)
    names = list("abcdefg")
    graph = {name: set() for name in names}
    for a, b in itertools.combinations(names, 2):
        if rng.rand() < 0.5:
            graph[a].add(b)
    every = [set(one) for one in cliques(graph, least=1)]
    wanted = [one for one in every if not any(one < other for other in every)]
    assert sorted(map(sorted, maximal_cliques(graph))) == sorted(map(sorted, wanted))


@pytest.mark.covers("graphical.markov-properties")
def test_markov_properties_hold_in_a_field():
    rng = np.random.RandomState(0)
    field = MarkovNetwork([Factor(edge, rng.uniform(0.2, 2, (2, 2))) for edge in FIGURE_14_2])
    assert separates(field, "4", "3", ["2"])
    assert not separates(field, "4", "3", ["1"])
    for kind in ("local", "pairwise"):
        for x, y, z in markov_properties(field)[kind]:
            separated, gap = check_markov(field, sorted(x), sorted(y), sorted(z))
            assert separated
            assert gap < 1e-12
    separated, gap = check_markov(field, "4", "3", "1")
    assert not separated
    assert gap > 1e-5
    assert markov_blanket(field, "2") == {"1", "4", "5", "6"}
    assert markov_blanket(load_watermelon_network(), "甜度") == {"色泽", "根蒂", "好瓜"}
