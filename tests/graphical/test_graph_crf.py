"""Conditional random fields on graphs: sums by messages are sums over all labels."""

import itertools

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from lanatus.graphical import ChainCRF, GraphCRF
from lanatus.graphical.sequences._graph_crf import _checked, _Tree, _Trees


def drawn(seed, n, chance):
    rng = np.random.RandomState(seed)
    edges = np.array([e for e in itertools.combinations(range(n), 2) if rng.rand() < chance], dtype=int).reshape(-1, 2)
    turned = rng.rand(len(edges)) < 0.5
    edges[turned] = edges[turned][:, ::-1]
    return rng.randn(n, 3), edges, rng.randn(3, 3)


@pytest.mark.covers("graphical.crf-tree")
@pytest.mark.parametrize("seed", range(12))
def test_sums_and_the_best_are_those_over_all_labels(seed):
    n = 2 + seed % 5
    nodes, edges, edge = drawn(seed, n, 0.2 + 0.06 * seed)
    tree = _Tree(n, edges, 3)
    every = np.array(list(itertools.product(range(3), repeat=n)))
    scores = nodes[np.arange(n), every].sum(axis=1) + sum((edge[every[:, a], every[:, b]] for a, b in edges), 0.0)
    chance = np.exp(scores - scores.max())
    log_partition = np.log(chance.sum()) + scores.max()
    chance /= chance.sum()
    found = tree.sums(nodes, edge)
    np.testing.assert_allclose(found.log_partition, log_partition)
    expected = [[chance[every[:, i] == label].sum() for label in range(3)] for i in range(n)]
    np.testing.assert_allclose(found.nodes, expected, atol=1e-12)
    for (a, b), table in zip(edges, found.edges, strict=True):
        pairs = [[chance[(every[:, a] == i) & (every[:, b] == j)].sum() for j in range(3)] for i in range(3)]
        np.testing.assert_allclose(table, pairs, atol=1e-12)
    np.testing.assert_array_equal(tree.best(nodes, edge), every[scores.argmax()])


def graphs(m=20, seed=0):
    rng = np.random.RandomState(seed)
    X, y = [], []
    for i in range(m):
        n = rng.randint(1, 7)
        edges = drawn(seed + i, n, 0.5)[1]
        labels = np.full(n, rng.randint(3))
        labels[rng.rand(n) < 0.2] = rng.randint(3)
        X.append((np.eye(3)[labels] + rng.randn(n, 3), edges))
        y.append(np.array(["甲", "乙", "丙"])[labels])
    return X, y


@pytest.mark.covers("graphical.crf-tree")
@pytest.mark.parametrize("directed", [False, True])
def test_the_gradient_is_that_of_differences_and_zero_at_the_end(directed):
    X, y = graphs()
    model = GraphCRF(c2=0.1, directed=directed, tol=1e-14, max_iter=1000).fit(X, y)
    checked, trees = _checked(X, None), _Trees(3)
    place = {label: i for i, label in enumerate(model.classes_)}
    codes = [np.array([place[label] for label in labels]) for labels in y]
    problem = [(graph, trees.of(graph), own) for graph, own in zip(checked, codes, strict=True)]
    theta = np.random.RandomState(1).randn(18)
    numeric = approx_fprime(theta, lambda t: model._objective(t, problem, 3, 3)[0], 1e-6)
    np.testing.assert_allclose(model._objective(theta, problem, 3, 3)[1], numeric, atol=1e-3)
    learned = np.concatenate([model.state_coef_.ravel(), model.edge_coef_.ravel()])
    assert np.abs(model._objective(learned, problem, 3, 3)[1]).max() < 1e-3
    likelihood = model.log_likelihood(X, y)
    np.testing.assert_allclose(model.objective_, 0.1 * (learned**2).sum() - likelihood.sum())
    if not directed:
        np.testing.assert_allclose(model.edge_coef_, model.edge_coef_.T)


@pytest.mark.covers("graphical.crf-tree")
def test_on_chains_it_is_the_chain_field():
    rng = np.random.RandomState(0)
    X = [rng.randn(rng.randint(1, 8), 2) for _ in range(30)]
    y = [(rows[:, 0] + 0.5 * rng.randn(len(rows)) > 0).astype(int) for rows in X]
    chain = ChainCRF(c2=0.1, tol=1e-13, max_iter=1000).fit(X, y)
    as_graphs = [(rows, [(i, i + 1) for i in range(len(rows) - 1)]) for rows in X]
    graph = GraphCRF(c2=0.1, directed=True, tol=1e-13, max_iter=1000).fit(as_graphs, y)
    np.testing.assert_allclose(graph.edge_coef_, chain.transition_coef_, atol=1e-4)
    for ours, theirs in zip(graph.predict_proba(as_graphs), chain.predict_proba(X), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
    for ours, theirs in zip(graph.predict(as_graphs), chain.predict(X), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.covers("graphical.crf-tree")
def test_neighbours_help():
    X, y = graphs(200)
    new, truth = graphs(100, seed=1000)
    alone = [(features, np.zeros((0, 2), dtype=int)) for features, _ in X]
    with_edges, without = GraphCRF().fit(X, y), GraphCRF().fit(alone, y)

    def right(model, rows):
        return np.mean(np.concatenate([a == b for a, b in zip(model.predict(rows), truth, strict=True)]))

    assert right(with_edges, new) > right(without, [(features, []) for features, _ in new]) + 0.03


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([(np.ones((2, 1)), [(0, 2)])], [["a", "b"]], "0 to 1"),
        ([(np.ones((2, 1)), [(1, 1)])], [["a", "b"]], "different nodes"),
        ([(np.ones((2, 1)), [])], [["a"]], "2 nodes has 1 labels"),
        ([(np.ones((2, 1)), [])], [], "the same number"),
        ([], [], "one at least"),
        ([(np.full((2, 1), np.nan), [])], [["a", "b"]], "NaN"),
        ([(np.ones((2, 1)), []), (np.ones((2, 3)), [])], [["a", "b"]] * 2, "3 features"),
        ([(np.ones(2), [])], [["a", "b"]], "a row for each"),
    ],
)
def test_what_makes_no_sense_is_said(X, y, words):
    with pytest.raises(ValueError, match=words):
        GraphCRF().fit(X, y)


def test_one_label_is_sure():
    X = [(np.ones((2, 1)), [(0, 1)])]
    model = GraphCRF().fit(X, [["a", "a"]])
    np.testing.assert_allclose(model.predict_proba(X)[0], 1.0)
    many = GraphCRF(max_iter=1)
    with pytest.warns(UserWarning, match="converge"):
        many.fit(*graphs())
