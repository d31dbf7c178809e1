"""Bayesian networks: tables, learning, the joint distribution, exact answers against brute force."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanatus.data import load_watermelon
from lanatus.graphical import (
    BayesianNetwork,
    BeliefPropagation,
    Factor,
    JunctionTree,
    VariableElimination,
    enumerate_query,
    load_watermelon_network,
)

MELON = {"色泽": "青绿", "敲声": "浊响", "根蒂": "蜷缩"}


def random_network(seed, *, most=6, zeros=False):
    rng = np.random.RandomState(seed)
    d = rng.randint(1, most + 1)
    names = [f"v{i}" for i in range(d)]
    card = rng.randint(1, 4, d)
    parents = {names[i]: [names[j] for j in range(i) if rng.rand() < 0.5] for i in range(d)}
    tables = {}
    for i, name in enumerate(names):
        shape = [card[names.index(parent)] for parent in parents[name]]
        table = rng.dirichlet(np.ones(card[i]), size=shape)
        if zeros and card[i] > 1:
            table[..., 0] = 0.0
            table /= table.sum(axis=-1, keepdims=True)
        tables[name] = table
    net = BayesianNetwork(parents, tables, nodes=names)
    evidence = {}
    if d > 1:  # of what can be: a row that was drawn
        row = net.sample_codes(1, rng)
        evidence = {name: int(row[name][0]) for name in names if rng.rand() < 0.3}
    return net, evidence


@pytest.mark.covers("graphical.bn-exact-inference", "graphical.variable-elimination", "graphical.junction-tree")
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**6), zeros=st.booleans(), order=st.sampled_from(["min-fill", "min-weight", "min-size"]))
def test_exact_answers_are_those_of_brute_force(seed, zeros, order):
    net, evidence = random_network(seed, zeros=zeros)
    asked = [name for name in net.variables if name not in evidence]
    tree = JunctionTree(net, order=order)
    found = tree.marginals(evidence)
    for name in asked:
        exact = enumerate_query(net, name, evidence).values
        np.testing.assert_allclose(
            VariableElimination(net, order=order).query(name, evidence).values, exact, atol=1e-12
        )
        np.testing.assert_allclose(found.of[name][0], exact, atol=1e-12)
    np.testing.assert_allclose(VariableElimination(net).evidence_probability(evidence), np.exp(found.log_evidence[0]))
    if len(asked) > 1:
        two = enumerate_query(net, asked[:2], evidence).values
        np.testing.assert_allclose(net.infer(asked[:2], evidence).values, two, atol=1e-12)
        np.testing.assert_allclose(net.infer(asked[:2], evidence, method="junction-tree").values, two, atol=1e-12)


@pytest.mark.covers("graphical.junction-tree")
@pytest.mark.parametrize("seed", range(40))
def test_the_most_probable_states_are_those_of_brute_force(seed):
    net, evidence = random_network(seed)
    asked = [name for name in net.variables if name not in evidence]
    best = max(
        net.probability({**dict(zip(asked, states, strict=True)), **evidence})
        for states in itertools.product(*(net.states[name] for name in asked))
    )
    states, logs = JunctionTree(net).most_probable(evidence)
    np.testing.assert_allclose(np.exp(logs[0]), best)
    np.testing.assert_allclose(net.probability(states[0]), best)
    assert {name: states[0][name] for name in evidence} == evidence


def test_many_rows_of_evidence_are_many_questions_and_threads_do_not_matter():
    net = load_watermelon_network()
    D = net.sample(500, random_state=0)
    D.loc[::3, "甜度"] = None
    D.loc[1::4, "色泽"] = None
    tree = JunctionTree(net)
    found = tree.marginals(D)
    for i in (0, 1, 9, 499):
        known = {name: state for name, state in D.iloc[i].items() if state is not None}
        if "甜度" not in known:
            np.testing.assert_allclose(found.of["甜度"][i], net.infer("甜度", known).values, atol=1e-14)
    codes = tree.coded(D)
    for threads in (2, 5):
        for one, other in zip(
            tree._tree.marginals(codes, n_threads=1), tree._tree.marginals(codes, n_threads=threads), strict=True
        ):
            np.testing.assert_array_equal(one, other)
    families = [("好瓜", "甜度", "色泽"), ("甜度", "根蒂")]
    counts, likelihood = tree.expected_counts(codes, families)
    np.testing.assert_allclose(likelihood, net.log_likelihood(D))
    np.testing.assert_allclose(counts[1].sum(), len(D))
    np.testing.assert_allclose(counts[0].sum(axis=(0, 2)), found.of["甜度"].sum(axis=0))


@pytest.mark.covers("graphical.bayesian-network", "graphical.watermelon-network")
def test_the_joint_distribution_is_the_product_of_the_tables():
    net = load_watermelon_network()
    total = 0.0
    for states in itertools.product(*(net.states[name] for name in net.variables)):
        total += net.probability(dict(zip(net.variables, states, strict=True)))
    np.testing.assert_allclose(total, 1.0)
    by_hand = 0.5 * 0.4 * 0.7 * 0.5 * 0.1
    melon = {"好瓜": "是", "甜度": "高", "敲声": "浊响", "色泽": "青绿", "根蒂": "硬挺"}
    np.testing.assert_allclose(net.probability(melon), by_hand)
    assert net.cpt("根蒂").value(甜度="高", 根蒂="硬挺") == 0.1  # what the text prints
    assert net.n_parameters == 1 + 1 + 2 * 2 + 4 * 2 + 2 * 2
    D = pd.DataFrame([melon])
    np.testing.assert_allclose(net.log_likelihood(D), np.log(by_hand))
    D["甜度"] = None
    unseen = sum(net.probability({**melon, "甜度": sweet}) for sweet in ("高", "低"))
    np.testing.assert_allclose(net.log_likelihood(D), np.log(unseen))


@pytest.mark.covers("graphical.bn-parameter-learning")
def test_tables_are_counted():
    D = load_watermelon("2.0").frame
    net = BayesianNetwork([("好瓜", "纹理")]).fit_parameters(D[["好瓜", "纹理"]])
    counts = pd.crosstab(D["好瓜"], D["纹理"])
    np.testing.assert_allclose(net.cpts["纹理"], counts.to_numpy() / counts.to_numpy().sum(axis=1, keepdims=True))
    assert net.states["纹理"] == tuple(counts.columns)
    smooth = BayesianNetwork([("好瓜", "纹理")]).fit_parameters(D[["好瓜", "纹理"]], alpha=1.0)
    np.testing.assert_allclose(smooth.cpts["纹理"][0], (counts.to_numpy()[0] + 1) / (counts.to_numpy()[0].sum() + 3))
    weights = np.arange(17.0)
    heavy = BayesianNetwork([("好瓜", "纹理")]).fit_parameters(D[["好瓜", "纹理"]], sample_weight=weights)
    often = D.loc[np.repeat(np.arange(17), np.arange(17))]
    same = BayesianNetwork([("好瓜", "纹理")], states=net.states).fit_parameters(often[["好瓜", "纹理"]])
    np.testing.assert_allclose(heavy.cpts["纹理"], same.cpts["纹理"])


def test_a_combination_that_never_occurs_is_uniform_and_holes_are_left_out():
    D = pd.DataFrame({"a": ["x", "x", None, "y"], "b": ["u", "v", "u", None]})
    net = BayesianNetwork([("a", "b")], states={"a": ["x", "y", "z"]}).fit_parameters(D)
    np.testing.assert_allclose(net.cpts["b"], [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]])
    np.testing.assert_allclose(net.cpts["a"], [2 / 3, 1 / 3, 0])


@pytest.mark.covers("graphical.bn-em")
def test_em_with_holes_never_falls_and_finds_what_was_hidden():
    net = load_watermelon_network()
    D = net.sample(3000, random_state=1)
    rng = np.random.RandomState(0)
    holes = D.mask(rng.rand(*D.shape) < 0.15)
    learned = BayesianNetwork(net.parents, states=net.states)
    found = learned.fit_em(holes, random_state=0, tol=1e-9)
    assert (np.diff(found.log_likelihoods) > -1e-8).all()
    assert found.converged
    whole = BayesianNetwork(net.parents, states=net.states).fit_parameters(D)
    for name in net.variables:
        np.testing.assert_allclose(learned.cpts[name], whole.cpts[name], atol=0.05)
    np.testing.assert_allclose(found.log_likelihoods[-1], learned.log_likelihood(holes))
    complete = BayesianNetwork(net.parents, states=net.states)
    complete.fit_em(D, random_state=0)
    for name in net.variables:  # without holes one step is counting
        np.testing.assert_allclose(complete.cpts[name], whole.cpts[name], atol=1e-12)


def test_samples_are_of_the_distribution():
    net = load_watermelon_network()
    D = net.sample(40_000, random_state=0)
    share = (D["色泽"] == "青绿").mean()
    exact = net.infer("色泽").to_dict()["青绿"]
    assert abs(share - exact) < 4 * np.sqrt(exact * (1 - exact) / 40_000)
    pd.testing.assert_frame_equal(net.sample(10, random_state=3), net.sample(10, random_state=3))


@pytest.mark.covers("graphical.belief-propagation")
@pytest.mark.parametrize("seed", range(30))
def test_belief_propagation_is_exact_on_trees(seed):
    rng = np.random.RandomState(seed)
    names = [f"v{i}" for i in range(rng.randint(2, 8))]
    parents = {name: [names[rng.randint(i)]] if i and rng.rand() < 0.9 else [] for i, name in enumerate(names)}
    tables = {name: rng.dirichlet(np.ones(3), size=[3] * len(parents[name])) for name in names}
    net = BayesianNetwork(parents, tables, nodes=names)
    evidence = {names[0]: 1}
    bp = BeliefPropagation(net)
    for name, factor in bp.marginals(evidence).items():
        np.testing.assert_allclose(factor.values, enumerate_query(net, name, evidence).values, atol=1e-12)
    np.testing.assert_allclose(bp.log_normalizer_, np.log(VariableElimination(net).evidence_probability(evidence)))
    edges = sum(len(factor.variables) for factor in net.factors()) - sum(names[0] in f.variables for f in net.factors())
    assert len(bp.messages_) == 2 * edges


def test_what_cannot_be_is_said():
    net = BayesianNetwork([("a", "b")], {"a": [1.0, 0.0], "b": [[0.5, 0.5], [0.5, 0.5]]})
    for method in ("elimination", "junction-tree", "enumeration", "belief-propagation"):
        with pytest.raises(ValueError, match="impossible"):
            net.infer("b", {"a": 1}, method=method)
    with pytest.raises(ValueError, match="no state 7"):
        net.infer("b", {"a": 7})
    with pytest.raises(ValueError, match="no variable 'c'"):
        net.infer("c")
    with pytest.raises(ValueError, match="asked for and given"):
        net.infer("a", {"a": 0})
    with pytest.raises(ValueError, match="circle"):
        BayesianNetwork([("a", "b"), ("b", "a")])
    with pytest.raises(ValueError, match=r"sum to 0\.9"):
        BayesianNetwork([], {"a": [0.4, 0.5]})
    with pytest.raises(ValueError, match="shape"):
        BayesianNetwork([("a", "b")], {"a": [0.5, 0.5], "b": [[0.5, 0.5]]})
    with pytest.raises(ValueError, match="no table yet"):
        BayesianNetwork([("a", "b")], states={"a": [0, 1], "b": [0, 1]}).infer("a")
    with pytest.raises(ValueError, match="negative, NaN"):
        BayesianNetwork([], {"a": [np.nan, 1.0]})


def test_a_table_that_no_machine_holds_is_refused_before_it_is_made():
    names = [f"v{i}" for i in range(40)]
    tables = {name: [0.5, 0.5] for name in names}
    wide = BayesianNetwork(
        [(name, "y") for name in names], nodes=[*names, "y"], states={n: [0, 1] for n in (*names, "y")}
    )
    wide.set_tables(tables)
    with pytest.raises(ValueError, match=r"1.1e\+12 entries|2.2e\+12 entries"):
        wide.fit_parameters(pd.DataFrame({name: [0, 1] for name in (*names, "y")}))
    # But marginals of many variables that hang together loosely are no matter of tables.
    chain = BayesianNetwork(
        [(a, b) for a, b in itertools.pairwise(names)],
        {names[0]: [0.5, 0.5], **{name: [[0.9, 0.1], [0.2, 0.8]] for name in names[1:]}},
    )
    np.testing.assert_allclose(chain.infer(names[-1]).values, [2 / 3, 1 / 3], atol=1e-6)
    with pytest.raises(ValueError, match="entries"):
        enumerate_query(chain, names[-1])


def test_factors_multiply_divide_and_name_their_states():
    a = Factor(["x", "y"], [[1.0, 2.0], [3.0, 4.0]], {"x": ["p", "q"]})
    b = Factor(["y"], [10.0, 100.0])
    np.testing.assert_allclose((a * b).values, [[10, 200], [30, 400]])
    np.testing.assert_allclose((a * b / b).values, a.values)
    assert a.max_out(["y"]).to_dict() == {"p": 2.0, "q": 4.0}
    assert a.best() == {"x": "q", "y": 1}
    assert (a * b).reduce({"x": "q"}).to_dict() == {0: 30.0, 1: 400.0}
    with pytest.raises(ValueError, match="other states"):
        a * Factor(["x"], [1.0, 1.0])
    with pytest.raises(ZeroDivisionError):
        a / Factor(["y"], [0.0, 1.0])
    with pytest.raises(ValueError, match="finite"):
        Factor(["x"], [-1.0, 1.0])


def test_the_kernel_refuses_trees_that_lead_outside():
    from lanatus._core import graphical as kernels

    sound = {
        "start": np.array([0, 4], np.int64), "potentials": np.ones(4), "parent": np.array([-1], np.int32),
        "separator": np.array([1], np.int32), "up": np.zeros(4, np.int32), "down_start": np.array([0, 0], np.int64),
        "down": np.zeros(0, np.int32), "state_start": np.array([0, 2, 4], np.int64), "home": np.zeros(2, np.int32),
        "stride": np.array([2, 1], np.int32),
    }  # fmt: skip
    kernels.JunctionTree(**sound)
    spoiled = {
        "start": np.array([0, 9], np.int64),
        "potentials": np.array([1.0, np.nan, 1.0, 1.0]),
        "parent": np.array([0], np.int32),
        "up": np.array([0, 0, 0, 7], np.int32),
        "home": np.array([0, 3], np.int32),
        "stride": np.array([-2, 1], np.int32),
        "state_start": np.array([0, 2, 1], np.int64),
    }
    for name, value in spoiled.items():
        with pytest.raises(ValueError):
            kernels.JunctionTree(**{**sound, name: value})
    with pytest.raises(ValueError, match="state"):
        kernels.JunctionTree(**sound).marginals(np.array([[0, 5]], np.int32), n_threads=1)
