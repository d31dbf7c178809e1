"""Scores of networks and searches for their graphs."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.special import gammaln

from lanatus.data import load_watermelon
from lanatus.graphical import (
    BayesianNetwork,
    HillClimbSearch,
    chow_liu_tree,
    d_separated,
    load_watermelon_network,
    network_score,
)

PARENTS = {"a": [], "b": ["a"], "c": ["a", "b"], "d": []}


def rows(n=300, seed=0):
    rng = np.random.RandomState(seed)
    tables = {n: rng.dirichlet(np.ones(3), size=[3] * len(p)) for n, p in PARENTS.items()}
    return BayesianNetwork(PARENTS, tables).sample(n, random_state=seed)


def by_hand(D, parents, kind, ess=1.0, weights=None):
    total, m = 0.0, len(D) if weights is None else weights.sum()
    w = np.ones(len(D)) if weights is None else weights
    for name, above in parents.items():
        r, q = D[name].nunique(), int(np.prod([D[p].nunique() for p in above]))
        groups = D.groupby(above).indices.values() if above else [np.arange(len(D))]
        for at in groups:
            counts = np.array([w[at][(D[name].to_numpy()[at] == v)].sum() for v in D[name].unique()])
            on = counts[counts > 0]
            if kind in ("bic", "aic", "log-likelihood"):
                total -= (on * np.log(on / on.sum())).sum()
            else:
                own = ess / (r * q) if kind == "bdeu" else 1.0
                total -= (
                    (gammaln(own + counts) - gammaln(own)).sum() + gammaln(own * r) - gammaln(own * r + counts.sum())
                )
        total += {"aic": 1.0, "bic": 0.5 * np.log(m)}.get(kind, 0.0) * (r - 1) * q
    return total


@pytest.mark.covers("graphical.bn-mdl-score")
@pytest.mark.parametrize("kind", ["bic", "aic", "log-likelihood", "bdeu", "k2"])
def test_scores_are_those_of_the_formulas(kind):
    D = rows()
    np.testing.assert_allclose(network_score(PARENTS, D, score=kind), by_hand(D, PARENTS, kind))
    weights = np.random.RandomState(0).randint(0, 4, len(D)).astype(float)
    found = network_score(PARENTS, D, score=kind, sample_weight=weights)
    np.testing.assert_allclose(found, by_hand(D, PARENTS, kind, weights=weights))
    if kind == "bdeu":
        found = network_score(PARENTS, D, score=kind, equivalent_sample_size=10)
        np.testing.assert_allclose(found, by_hand(D, PARENTS, kind, ess=10))


@pytest.mark.covers("graphical.bn-mdl-score")
def test_equivalent_graphs_cost_the_same_but_k2():
    D = rows()
    turned = {"a": ["b"], "b": [], "c": ["a", "b"], "d": []}
    for kind in ("bic", "aic", "log-likelihood", "bdeu"):
        np.testing.assert_allclose(network_score(turned, D, score=kind), network_score(PARENTS, D, score=kind))
    assert network_score(turned, D, score="k2") != pytest.approx(network_score(PARENTS, D, score="k2"), abs=1e-6)


def test_families_of_more_combinations_than_rows_are_counted_by_sorting():
    rng = np.random.RandomState(0)
    D = pd.DataFrame({name: rng.randint(20, size=200) for name in "abcde"})
    parents = {"a": [], "b": [], "c": [], "d": [], "e": ["a", "b", "c", "d"]}
    np.testing.assert_allclose(network_score(parents, D, score="log-likelihood"), by_hand(D, parents, "log-likelihood"))


@pytest.mark.covers("graphical.bn-greedy-search")
def test_each_step_is_the_best_there_is():
    D = rows(500, seed=1)
    search = HillClimbSearch(plateau=0).fit(D)
    edges, score = set(), network_score([], D)
    for move in search.moves_:
        best = min(network_score(_graph(D, one), D) for one in _neighbours(D.columns, edges))
        np.testing.assert_allclose(move.score, best)
        assert best < score
        edges, score = _after(edges, move), best
    np.testing.assert_allclose(search.score_, score)
    assert {frozenset(e) for e in search.network_.edges} == {frozenset(e) for e in edges}
    assert min(network_score(_graph(D, one), D) for one in _neighbours(D.columns, edges)) >= score - 1e-9
    np.testing.assert_allclose(network_score(search.network_, D), search.score_)


@pytest.mark.covers("graphical.bn-greedy-search")
def test_turned_edges_of_no_meaning_lead_out_of_a_local_optimum():
    D = load_watermelon("2.0").frame
    plain, found = HillClimbSearch(plateau=0).fit(D), HillClimbSearch().fit(D)
    assert found.score_ < plain.score_ - 1
    np.testing.assert_allclose(network_score(found.network_, D), found.score_)
    edges, score = set(), network_score([], D)
    for move in found.moves_:  # each step is a gain, or turns an edge for nothing
        edges = _after(edges, move)
        np.testing.assert_allclose(network_score(_graph(D, edges), D), move.score)
        assert move.score < score or (move.kind == "reverse" and move.score == pytest.approx(score))
        score = move.score
    assert HillClimbSearch("k2").fit(D).score_ <= HillClimbSearch("k2", plateau=0).fit(D).score_
    held = HillClimbSearch(required=[found.network_.edges[0]]).fit(D)
    assert found.network_.edges[0] in held.network_.edges


def _graph(D, edges):
    return {name: [p for p, c in edges if c == name] for name in D.columns}


def _after(edges, move):
    kept = edges - {move.edge}
    return kept | {move.edge} if move.kind == "add" else kept | ({move.edge[::-1]} if move.kind == "reverse" else set())


def _neighbours(names, edges):
    for a, b in itertools.permutations(names, 2):
        if (a, b) in edges:
            tried = [edges - {(a, b)}, edges - {(a, b)} | {(b, a)}]
        elif (b, a) in edges:
            continue
        else:
            tried = [edges | {(a, b)}]
        for one in tried:
            try:
                BayesianNetwork(one)
            except ValueError:  # a circle
                continue
            yield one


@pytest.mark.covers("graphical.bn-greedy-search")
def test_the_network_that_made_the_rows_is_found_again():
    net = load_watermelon_network()
    D = net.sample(20_000, random_state=0)
    found = HillClimbSearch(tabu=10, n_restarts=5, random_state=0).fit(D)
    assert found.score_ <= network_score(net, D) + 1e-9
    assert {frozenset(e) for e in found.network_.edges} == {frozenset(e) for e in net.edges}
    assert d_separated(found.network_, "好瓜", "甜度")


@pytest.mark.covers("graphical.bn-greedy-search")
def test_limits_are_kept():
    D = load_watermelon("2.0").frame
    held = HillClimbSearch(
        required=[("色泽", "触感")], forbidden=[("好瓜", "纹理"), ("纹理", "好瓜")], max_parents=1, tabu=5
    ).fit(D)
    edges = held.network_.edges
    assert ("色泽", "触感") in edges
    assert not {("好瓜", "纹理"), ("纹理", "好瓜")} & set(edges)
    assert max(len(own) for own in held.network_.parents.values()) == 1
    few = HillClimbSearch(candidates={"敲声": {"根蒂"}}).fit(D)
    assert few.network_.edges == [("根蒂", "敲声")]
    with pytest.raises(ValueError, match="required and forbidden"):
        HillClimbSearch(required=[("色泽", "触感")], forbidden=[("色泽", "触感")]).fit(D)
    with pytest.raises(ValueError, match="no pair of columns"):
        HillClimbSearch(required=[("色泽", "大小")]).fit(D)
    with pytest.raises(ValueError, match="circle"):
        HillClimbSearch(required=[("色泽", "触感"), ("触感", "色泽")]).fit(D)
    assert HillClimbSearch(score="k2").fit(D).score_ < network_score([], D, score="k2")


@pytest.mark.covers("graphical.chow-liu-tree")
def test_no_tree_is_likelier():
    D = rows(400, seed=2)
    tree = chow_liu_tree(D)
    best = network_score(tree, D, score="log-likelihood")
    for parents in itertools.product(*([[p for p in D.columns if p != c] for c in D.columns[1:]])):
        try:
            other = BayesianNetwork(list(zip(parents, D.columns[1:], strict=True)), nodes=list(D.columns))
        except ValueError:
            continue
        assert best <= network_score(other, D, score="log-likelihood") + 1e-9
    assert tree.parents[D.columns[0]] == ()
    assert chow_liu_tree(D, root="c").parents["c"] == ()


def test_columns_that_are_no_states_are_said():
    with pytest.raises(ValueError, match="different values"):
        HillClimbSearch().fit(pd.DataFrame({"x": np.random.RandomState(0).randn(2000)}))
    with pytest.raises(ValueError, match="no value at all"):
        HillClimbSearch().fit(pd.DataFrame({"x": [None, None], "y": [1, 2]}))
    holes = pd.DataFrame({"x": ["a", None, "b", "a"], "y": ["u", "v", None, "u"]})
    assert np.isfinite(HillClimbSearch().fit(holes).score_)
    alone = HillClimbSearch().fit(pd.DataFrame({"x": ["a", "a"], "y": ["u", "v"]}))  # a constant column
    assert alone.network_.edges == []
