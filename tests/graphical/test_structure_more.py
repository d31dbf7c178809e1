"""Exact search, structure by tests, and both; files of networks."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, power_divergence

from lanatus.data import load_watermelon
from lanatus.graphical import (
    BayesianNetwork,
    ExactSearch,
    HillClimbSearch,
    MMHCSearch,
    NetworkFileError,
    PCSearch,
    load_watermelon_network,
    network_score,
    read_network,
    write_network,
)
from lanatus.graphical.networks._coded import coded_frame
from lanatus.graphical.structure._independence_tests import independence_test


def rows(n, seed=0, d=4):
    rng = np.random.RandomState(seed)
    D = {"a": rng.randint(2, size=n)}
    for before, name in itertools.pairwise("abcd"[:d]):
        D[name] = np.where(rng.rand(n) < 0.8, D[before], rng.randint(3, size=n))
    return pd.DataFrame(D).astype(str)


def all_graphs(names):
    """Every directed graph without a circle."""
    pairs = list(itertools.combinations(names, 2))
    for kinds in itertools.product((None, 0, 1), repeat=len(pairs)):
        edges = [pair if kind == 0 else pair[::-1] for pair, kind in zip(pairs, kinds, strict=True) if kind is not None]
        try:
            BayesianNetwork(edges, nodes=names)
        except ValueError:
            continue
        yield edges


@pytest.mark.covers("graphical.bn-exact-search")
@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", "k2"])
def test_the_best_of_all_graphs_is_found(score):
    D = rows(60, seed=3)
    best = min(network_score({name: [p for p, c in edges if c == name] for name in D.columns}, D, score=score)
               for edges in all_graphs(list(D.columns)))  # fmt: skip
    found = ExactSearch(score).fit(D)
    np.testing.assert_allclose(found.score_, best)
    np.testing.assert_allclose(network_score(found.network_, D, score=score), best)


@pytest.mark.covers("graphical.bn-exact-search")
def test_limits_of_exact_search():
    D = rows(200)
    one = ExactSearch(max_parents=1).fit(D)
    assert max(len(above) for above in one.network_.parents.values()) <= 1
    assert one.score_ >= ExactSearch().fit(D).score_ - 1e-9
    many = pd.DataFrame(np.random.RandomState(0).randint(2, size=(30, 26)).astype(str)).add_prefix("v")
    with pytest.raises(ValueError, match="max_parents"):
        ExactSearch().fit(many)
    D = load_watermelon("2.0").frame
    assert HillClimbSearch().fit(D).score_ >= ExactSearch().fit(D).score_ - 1e-9


@pytest.mark.parametrize(("kind", "power"), [("g2", "log-likelihood"), ("chi2", "pearson")])
def test_a_test_is_that_of_its_contingency_tables(kind, power):
    D = rows(300)
    frame = coded_frame(D)
    plain = independence_test(frame, "a", "b", (), kind)
    table = pd.crosstab(D["a"], D["b"])
    expected = chi2_contingency(table, correction=False, lambda_=power)
    np.testing.assert_allclose([plain.statistic, plain.p_value, plain.dof], expected[:3])
    given = independence_test(frame, "a", "c", ("b",), kind)
    parts = [pd.crosstab(own["a"], own["c"]) for _, own in D.groupby("b")]
    totals = [
        power_divergence(part.to_numpy().ravel(), chi2_contingency(part, correction=False).expected_freq.ravel(),
                         lambda_=power).statistic
        for part in parts if min(part.shape) > 1
    ]  # fmt: skip
    np.testing.assert_allclose(given.statistic, sum(totals))
    assert given.dof == sum((part.shape[0] - 1) * (part.shape[1] - 1) for part in parts)


@pytest.mark.covers("graphical.causal-discovery")
@pytest.mark.parametrize("test", ["g2", "chi2"])
def test_tests_find_the_class_of_the_network(test):
    net = load_watermelon_network()
    D = net.sample(20_000, random_state=1)
    found = PCSearch(test, significance=1e-3).fit(D)
    kept = {frozenset(edge) for edge in (*found.directed_, *found.undirected_)}
    assert kept == {frozenset(edge) for edge in net.edges}
    assert set(found.directed_) == {("好瓜", "色泽"), ("甜度", "色泽")}  # the one V structure
    assert {frozenset(edge) for edge in found.network_.edges} == kept
    assert set(found.directed_) <= set(found.network_.edges)
    assert found.separators_[frozenset(("好瓜", "甜度"))] == ()
    other = PCSearch(test, significance=1e-3).fit(D[D.columns[::-1]])
    assert {frozenset(e) for e in other.directed_} == {frozenset(e) for e in found.directed_}


@pytest.mark.covers("graphical.causal-discovery")
def test_a_chain_has_no_direction_and_independent_columns_no_edge():
    found = PCSearch(significance=0.01).fit(rows(5000))
    assert not found.directed_
    assert {frozenset(edge) for edge in found.undirected_} == {frozenset(p) for p in ("ab", "bc", "cd")}
    rng = np.random.RandomState(0)
    alone = PCSearch(significance=1e-4).fit(pd.DataFrame({name: rng.randint(2, size=500) for name in "xyz"}))
    assert not alone.network_.edges
    constant = PCSearch().fit(pd.DataFrame({"x": ["u"] * 20, "y": ["a", "b"] * 10}))
    assert not constant.network_.edges
    assert PCSearch(max_given=0, significance=0.01).fit(rows(5000)).n_tests_ < found.n_tests_


@pytest.mark.covers("graphical.bn-greedy-search")
def test_search_among_candidates_of_tests():
    net = load_watermelon_network()
    D = net.sample(10_000, random_state=2)
    found = MMHCSearch(significance=0.01).fit(D)
    assert {frozenset(edge) for edge in found.network_.edges} == {frozenset(edge) for edge in net.edges}
    near = {name: set(others) for name, others in found.candidates_.items()}
    assert all(child in near[parent] or parent in near[child] for parent, child in found.network_.edges)
    np.testing.assert_allclose(found.score_, network_score(found.network_, D))


FILES = [".bif", ".xmlbif", ".net"]


@pytest.mark.covers("graphical.bayesian-network")
@pytest.mark.parametrize("kind", FILES)
def test_networks_come_back_from_files(kind, tmp_path):
    net = load_watermelon_network()
    again = read_network(write_network(net, tmp_path / f"瓜{kind}"))
    assert set(again.edges) == set(net.edges)
    for name in net.variables:
        assert again.states[name] == net.states[name]
        np.testing.assert_allclose(again.cpt(name).ordered(net.cpt(name).variables).values, net.cpt(name).values)


def test_a_picture_for_graphviz(tmp_path):
    text = write_network(load_watermelon_network(), tmp_path / "net.dot").read_text(encoding="utf-8")
    assert '"甜度" -> "根蒂"' in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("network x { }\nvariable a { type discrete [ 2 ] { u, v }; }", "1|a"),
        ("network x { }\nvariable a { type discrete [ 3 ] { u, v }; }", "line 2"),
        ("variable a { type discrete [ 2 ] { u, v }; }\nprobability ( a ) { table 0.5, 0.6; }", "a"),
        ("variable a { type discrete [ 2 ] { u, v }; }\nprobability ( a ) { table 0.5 }", "line 2"),
        ("variable a { type discrete [ 2 ] { u, v }; }\nprobability ( b ) { table 0.5, 0.5; }", "b"),
        ("variable a {", "end"),
        ("", "no"),
        ("variable a { type discrete [ 2 ] { u, v }; }\nprobability ( a ) { table nan, 1; }", "line 2|nan"),
    ],
)
def test_a_spoiled_file_says_where(text, words, tmp_path):
    path = tmp_path / "net.bif"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(NetworkFileError, match=words):
        read_network(path)


def test_spoiled_bytes_never_crash(tmp_path):
    rng = np.random.RandomState(0)
    for kind in FILES:
        path = write_network(load_watermelon_network(), tmp_path / f"net{kind}")
        whole = bytearray(path.read_bytes())
        for _ in range(60):
            spoiled = bytearray(whole)
            for place in rng.randint(len(spoiled), size=rng.randint(1, 5)):
                spoiled[place] = rng.randint(256)
            if rng.rand() < 0.3:
                spoiled = spoiled[: rng.randint(len(spoiled))]
            path.write_bytes(bytes(spoiled))
            try:
                read_network(path)
            except ValueError:
                continue
