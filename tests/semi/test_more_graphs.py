"""Minimum cuts, linear neighbourhoods, b-matchings, cluster kernels, and new rows from graphs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC as TheirSVC

from lanatus.bayes import GaussianNB
from lanatus.neighbors import KNeighborsClassifier
from lanatus.semi import (
    GraphMincut,
    InductiveGraphSSL,
    LabelPropagation,
    LabelSpreading,
    LinearNeighborhoodPropagation,
    b_matching_graph,
    cluster_kernel,
)


def graph_of(seed, n, k):
    """Whole weights of a graph, some of them 0, and a label at the first k nodes."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.integers(0, 6, (n, n)) * (rng.random((n, n)) < 0.6), 1).astype(float)
    y = np.full(n, -1)
    y[:k] = np.arange(k)
    y[k : k + 2] = rng.integers(0, k, 2)
    return W + W.T, y


def cut_of(W, labels):
    return W[labels[:, None] != labels[None, :]].sum() / 2


def reached_rows(W, y):
    return (np.linalg.matrix_power(np.eye(len(y)) + (W > 0), len(y)) > 0)[:, y >= 0].any(axis=1)


@pytest.mark.covers("semi.graph-mincut")
@pytest.mark.filterwarnings("ignore:no label reaches")
@settings(max_examples=40)
@given(st.integers(0, 2**31 - 1), st.integers(2, 3))
def test_no_labelling_cuts_less(seed, k):
    W, y = graph_of(seed, 10, k)
    model = GraphMincut(kernel="precomputed").fit(W, y)
    found = model.transduction_
    np.testing.assert_array_equal(found[y >= 0], y[y >= 0])
    asked = np.flatnonzero((y < 0) & reached_rows(W, y))
    least = np.inf
    for labels in product(range(k), repeat=len(asked)):
        other = found.copy()
        other[asked] = labels
        least = min(least, cut_of(W, other))
    assert model.cut_ == cut_of(W, found)
    assert model.cut_ <= least * (2 - 2 / k)
    assert model.cut_ >= least
    assert k > 2 or model.cut_ == least


@pytest.mark.covers("semi.graph-mincut")
def test_mincut_of_moons_and_of_nodes_nothing_leads_to():
    X, truth = make_moons(200, noise=0.05, random_state=0)
    y = np.full(200, -1)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[:8]] = c
    model = GraphMincut(n_neighbors=7).fit(X, y)
    assert (model.transduction_ == truth).mean() > 0.97
    assert model.score(X, truth) > 0.95
    assert (GraphMincut().fit(X, truth).transduction_ == truth).all()
    W = np.zeros((5, 5))
    W[0, 1] = W[1, 0] = 0.3
    with pytest.warns(UserWarning, match="no label reaches 2 of the rows"):
        alone = GraphMincut(kernel="precomputed").fit(W, ["a", None, None, None, "b"])
    assert alone.transduction_[:2].tolist() == ["a", "a"]
    assert alone.label_distributions_[2].tolist() == [0.5, 0.5]
    one = GraphMincut(kernel="precomputed").fit(W[:2, :2], ["a", None])
    assert one.transduction_.tolist() == ["a", "a"]


@pytest.mark.covers("semi.lnp")
def test_weights_of_a_linear_neighbourhood_are_the_best_on_the_simplex():
    X, truth = make_blobs(60, 4, centers=2, random_state=0)
    y = np.where(np.arange(60) < 6, truth, -1)
    model = LinearNeighborhoodPropagation(6).fit(X, y)
    W = np.zeros((60, 60))
    np.put_along_axis(W, model.neighbors_, model.weights_, axis=1)
    assert W.min() >= 0
    np.testing.assert_allclose(W.sum(axis=1), 1)
    nearest = np.argsort(((X[:, None] - X[None]) ** 2).sum(axis=2) + 1e9 * np.eye(60), axis=1)[:, :6]
    for i in range(0, 60, 7):
        gap = X[nearest[i]] - X[i]
        G = gap @ gap.T
        G += 1e-3 * np.trace(G) / 6 * np.eye(6)
        best = minimize(
            lambda w, G=G: w @ G @ w,
            np.full(6, 1 / 6),
            jac=lambda w, G=G: 2 * G @ w,
            bounds=[(0, 1)] * 6,
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(6)},
            method="SLSQP",
            options={"ftol": 1e-14},
        )
        assert not W[i, np.setdiff1d(np.arange(60), nearest[i])].any()
        w = W[i, nearest[i]]
        assert w @ G @ w <= best.fun * (1 + 1e-6)
    Y = np.zeros((60, 2))
    Y[np.arange(6), truth[:6]] = 1
    exact = (1 - 0.99) * np.linalg.solve(np.eye(60) - 0.99 * W, Y)
    np.testing.assert_allclose(model.scores_, exact, atol=1e-5 * exact.max())


@pytest.mark.covers("semi.lnp")
def test_linear_neighbourhoods_follow_the_moons_and_new_rows_are_made_up_of_old():
    X, truth = make_moons(300, noise=0.08, random_state=0)
    y = np.full(300, -1)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[:5]] = c
    model = LinearNeighborhoodPropagation(10).fit(X, y)
    assert (model.transduction_ == truth).mean() > 0.95
    new, labels = make_moons(200, noise=0.08, random_state=1)
    assert model.score(new, labels) > 0.93
    np.testing.assert_allclose(model.predict_proba(new).sum(axis=1), 1)
    far = np.vstack([X, [[50.0, 50.0], [51.0, 50.0], [50.0, 51.0]]])
    with pytest.warns(UserWarning, match="no label reaches 3"):
        LinearNeighborhoodPropagation(2).fit(far[-40:], np.r_[truth[-37:], -1, -1, -1])
    twins = np.zeros((8, 2))
    same = LinearNeighborhoodPropagation(3).fit(twins, [0, 0, 1, -1, -1, -1, -1, -1])
    assert np.isfinite(same.label_distributions_).all()


def shortest_matching(D, b):
    """By looking at every graph."""
    n = len(D)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    best = np.inf
    for used in product((0, 1), repeat=len(pairs)):
        degree = np.zeros(n, dtype=int)
        for take, (i, j) in zip(used, pairs, strict=True):
            degree[i] += take
            degree[j] += take
        short = b * n % 2
        if (degree <= b).all() and degree.sum() == b * n - short:
            best = min(best, sum(D[pair] for take, pair in zip(used, pairs, strict=True) if take))
    return best


@pytest.mark.covers("semi.b-matching-graph")
@pytest.mark.parametrize(("n", "b"), [(5, 1), (5, 2), (6, 1), (6, 2), (6, 3)])
def test_no_graph_with_b_edges_a_node_is_shorter(n, b):
    X = np.random.default_rng(10 * n + b).normal(size=(n, 2))
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    graph = b_matching_graph(X, b).toarray()
    assert (graph == graph.T).all()
    degree = graph.sum(axis=1)
    assert degree.max() == b
    assert degree.sum() == n * b - n * b % 2
    assert (graph * D).sum() / 2 == pytest.approx(shortest_matching(D, b))


@pytest.mark.covers("semi.b-matching-graph")
def test_candidates_are_enough():
    X = np.random.default_rng(0).normal(size=(40, 3))
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    ours = b_matching_graph(X, 1)
    few = b_matching_graph(X, 1, n_candidates=8)
    assert (few.toarray() * D).sum() == pytest.approx((ours.toarray() * D).sum())
    twins = np.repeat(X[:10], 2, axis=0)
    assert (b_matching_graph(twins, 1, n_candidates=2).toarray().sum(axis=1) == 1).all()
    large = np.random.default_rng(1).normal(size=(200, 2))
    assert set(b_matching_graph(large, 4).sum(axis=1)) == {4.0}
    labels = LabelSpreading(kernel="precomputed").fit(b_matching_graph(large, 4), np.r_[0, 1, np.full(198, -1)])
    assert len(labels.transduction_) == 200
    with pytest.raises(ValueError, match="b must be"):
        b_matching_graph(X, 40)


@pytest.mark.covers("semi.cluster-kernel")
def test_cluster_kernels_are_those_of_the_spectrum():
    X, truth = make_moons(120, noise=0.05, random_state=0)
    K = rbf_kernel(X, gamma=0.5 / 0.2**2)
    np.testing.assert_allclose(cluster_kernel(X, "linear", sigma=0.2), normalised(walk(K)), atol=1e-8)
    power = np.linalg.matrix_power(walk(K), 7)
    np.testing.assert_allclose(cluster_kernel(X, "polynomial", sigma=0.2, power=7), normalised(power), atol=1e-7)
    values, vectors = np.linalg.eigh(walk(K))
    top = vectors[:, -4:]
    np.testing.assert_allclose(
        cluster_kernel(X, "linear-step", sigma=0.2, n_components=4), normalised((top * values[-4:]) @ top.T), atol=1e-7
    )
    step = cluster_kernel(X, "step", sigma=0.2, n_components=4)
    np.testing.assert_allclose(step, normalised(top @ top.T), atol=1e-7)
    assert np.linalg.eigvalsh(step).min() > -1e-8
    known = np.r_[np.flatnonzero(truth == 0)[:2], np.flatnonzero(truth == 1)[:2]]
    plain = TheirSVC(kernel="precomputed").fit(K[np.ix_(known, known)], truth[known]).score(K[:, known], truth)
    kernel = cluster_kernel(X, sigma=0.15, n_components=6)
    better = TheirSVC(kernel="precomputed").fit(kernel[np.ix_(known, known)], truth[known])
    assert better.score(kernel[:, known], truth) > plain
    with pytest.raises(ValueError, match="transform"):
        cluster_kernel(X, "cut")


def walk(K):
    root = 1 / np.sqrt(K.sum(axis=1))
    return root[:, None] * K * root


def normalised(K):
    root = np.sqrt(np.diagonal(K))
    return K / root / root[:, None]


@pytest.mark.covers("semi.graph-ssl-inductive")
def test_a_learner_of_new_rows_from_what_the_graph_says():
    X, truth = make_moons(300, noise=0.1, random_state=0)
    names = np.array(["up", "down"], dtype=object)[truth]
    y = np.full(300, None, dtype=object)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[:4]] = ("up", "down")[c]
    new, labels = make_moons(300, noise=0.1, random_state=1)
    labels = np.array(["up", "down"])[labels]
    known = np.array([label is not None for label in y])
    alone = KNeighborsClassifier(1).fit(X[known], y[known]).score(new, labels)
    model = InductiveGraphSSL(KNeighborsClassifier(5)).fit(X, y)
    assert model.score(new, labels) > max(alone, 0.9)
    graph = LabelSpreading(kernel="knn", alpha=0.9).fit(X, y)
    np.testing.assert_array_equal(model.transduction_[~known], graph.transduction_[~known])
    np.testing.assert_array_equal(model.transduction_[known], y[known])
    same = KNeighborsClassifier(5).fit(X, model.transduction_)
    np.testing.assert_array_equal(model.predict(new), same.predict(new))
    # only rows that the graph is sure of
    sure = InductiveGraphSSL(GaussianNB(), graph=LabelPropagation(gamma=50.0), least=0.8).fit(X, y)
    taken = known | (sure.graph_.label_distributions_.max(axis=1) >= 0.8)
    assert 8 < taken.sum() < 300
    np.testing.assert_allclose(
        sure.predict_proba(new), GaussianNB().fit(X[taken], sure.transduction_[taken]).predict_proba(new)
    )
    assert (InductiveGraphSSL(GaussianNB()).fit(X, names).transduction_ == names).all()
