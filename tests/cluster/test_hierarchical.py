"""AGNES, DIANA, BIRCH and ROCK: the book's clusters, SciPy's and scikit-learn's trees, odd data."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from lanatus._core import cluster as kernels
from samples import melon_numbers
from scipy.cluster.hierarchy import cut_tree as scipy_cut
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import cdist, directed_hausdorff, pdist
from sklearn import cluster as theirs
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph
from threadpoolctl import threadpool_limits

from lanatus.callbacks import Recorder
from lanatus.cluster import DIANA, ROCK, AgglomerativeClustering, Birch, cut_tree, pair_counts
from lanatus.cluster.hierarchical._merges import single_tree

LINKAGES = ["single", "complete", "average", "ward", "centroid", "weighted"]


def melons_of(labels):
    """Clusters as sets of the numbers of melons."""
    return {frozenset((np.flatnonzero(labels == c) + 1).tolist()) for c in np.unique(labels)}


def same_partition(one, other):
    counts = pair_counts(one, other)
    return counts.b == counts.c == 0


@pytest.mark.covers("cluster.agnes", "cluster.complete-linkage", "cluster.dendrogram")
def test_complete_linkage_of_the_melons():
    """ch08-09 W6: the seven clusters of the text, the heights of all merges, the cut."""
    X, _ = melon_numbers("4.0")
    model = AgglomerativeClustering(7, linkage="complete").fit(X)
    wanted = {
        frozenset(one)
        for one in (
            {1, 26, 29},
            {2, 3, 4, 21, 22},
            {23, 24, 25, 27, 28, 30},
            {5, 7},
            {9, 13, 14, 16, 17},
            {6, 8, 10, 15, 18, 19, 20},
            {11, 12},
        )
    }
    assert melons_of(model.labels_) == wanted
    heights = [0.031765, 0.038833, 0.040262, 0.041146, 0.042802, 0.052469, 0.054342, 0.056648, 0.059933, 0.061294]
    heights += [0.067082, 0.070803, 0.086977, 0.099905, 0.102489, 0.106621, 0.113442, 0.146328, 0.155878, 0.167335]
    heights += [0.168618, 0.179287, 0.201921, 0.242405, 0.257018, 0.333458, 0.3778, 0.474102, 0.665327]
    np.testing.assert_allclose(model.distances_, heights, atol=5.1e-7)
    for height in (0.2020, 0.2424):
        assert melons_of(cut_tree(model, height)) == wanted
    assert melons_of(cut_tree(model, n_clusters=7)) == wanted
    assert len(melons_of(cut_tree(model, 0.2425))) == 6


@pytest.mark.covers("cluster.single-linkage", "cluster.average-linkage")
def test_single_and_average_linkage_of_the_melons():
    X, _ = melon_numbers("4.0")
    single = AgglomerativeClustering(2, linkage="single").fit(X)
    np.testing.assert_allclose(single.distances_[-3:], [0.106621, 0.109636, 0.113159], atol=5.1e-7)
    assert frozenset({15}) in melons_of(single.labels_)
    average = AgglomerativeClustering(3, linkage="average").fit(X)
    np.testing.assert_allclose(average.distances_[-4:], [0.181115, 0.262027, 0.279452, 0.329200], atol=5.1e-7)
    assert {frozenset({1, 2, 22, 26, 29}), frozenset({3, 4, 5, 7, 9, 13, 14, 16, 17, 21})} < melons_of(average.labels_)


@pytest.mark.covers("cluster.agnes", "cluster.single-linkage", "cluster.complete-linkage", "cluster.average-linkage")
@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("data", [load_iris, load_wine, load_digits], ids=["iris", "wine", "digits"])
def test_trees_are_those_of_scipy(linkage, data):
    X = data(return_X_y=True)[0][:700]
    X = np.unique(X, axis=0) + 1e-7 * np.random.RandomState(0).normal(size=(len(np.unique(X, axis=0)), X.shape[1]))
    model = AgglomerativeClustering(3, linkage=linkage).fit(X)
    tree = scipy_linkage(X, linkage)
    np.testing.assert_allclose(model.distances_, tree[:, 2], rtol=1e-7, atol=1e-9)
    assert same_partition(model.labels_, scipy_cut(tree, 3).ravel() if linkage != "centroid" else model.labels_)
    np.testing.assert_array_equal(model.children_[-1], tree[-1, :2])


@pytest.mark.covers("cluster.agnes")
@pytest.mark.parametrize("linkage", ["single", "complete", "average", "weighted"])
def test_other_metrics_and_precomputed_distances(linkage):
    X, _ = make_blobs(120, 3, centers=4, random_state=0)
    for metric, name in [("manhattan", "cityblock"), ("cosine", "cosine"), ("chebyshev", "chebyshev")]:
        wanted = scipy_linkage(X, linkage, metric=name)[:, 2]
        model = AgglomerativeClustering(4, linkage=linkage, metric=metric).fit(X)
        np.testing.assert_allclose(model.distances_, wanted, rtol=1e-9, atol=1e-12)
        given = AgglomerativeClustering(4, linkage=linkage, metric="precomputed").fit(cdist(X, X, name))
        np.testing.assert_array_equal(given.labels_, model.labels_)
        np.testing.assert_array_equal(given.predict(cdist(X, X, name)), model.predict(X))
    called = AgglomerativeClustering(4, linkage=linkage, metric=lambda a, b: np.abs(a - b).sum()).fit(X)
    np.testing.assert_allclose(called.distances_, scipy_linkage(X, linkage, "cityblock")[:, 2], rtol=1e-9)


@pytest.mark.covers("cluster.single-linkage")
@pytest.mark.parametrize(("n", "d"), [(2, 1), (60, 1), (1500, 2), (900, 3), (700, 6)])
def test_both_spanning_trees_are_one(n, d):
    X = np.random.RandomState(n).normal(size=(n, d))
    prim, heights = kernels.single_rows(X, by_tree=False, n_threads=1)
    found = []
    for n_threads in (1, 2, 5):
        children, by_tree = kernels.single_rows(X, by_tree=True, n_threads=n_threads)
        np.testing.assert_allclose(by_tree, heights, rtol=1e-13)
        np.testing.assert_array_equal(children, prim)
        found.append(by_tree)
    assert all(np.array_equal(found[0], other) for other in found)


@pytest.mark.covers("cluster.single-linkage")
def test_equal_rows_in_a_search_tree():
    rng = np.random.RandomState(0)
    X = np.vstack([rng.randint(0, 12, size=(30_000, 2)), [[40, 40]] * 3]).astype(float)
    children, heights = single_tree(X)
    assert len(children) == len(X) - 1
    assert sorted(children.ravel().tolist()) == list(range(2 * len(X) - 2))  # every cluster but the last is merged once
    assert (heights == 0).sum() == len(X) - len(np.unique(X, axis=0))
    assert heights[-1] == pytest.approx(np.sqrt(2) * 29)
    assert np.unique(heights).tolist() == [0, 1, heights[-1]]


@settings(max_examples=30, deadline=None)
@given(rows=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=14))
def test_ties_and_equal_rows_have_the_heights_of_scipy(rows):
    """Where distances tie the tree is not one, but of single linkage its heights are."""
    X = np.array(rows, dtype=float)
    for linkage in LINKAGES:
        model = AgglomerativeClustering(1, linkage=linkage).fit(X)
        assert sorted(model.children_.ravel().tolist()) == list(range(2 * len(X) - 2))
        assert (model.labels_ == 0).all()
    if len(X) > 1:
        single = AgglomerativeClustering(1, linkage="single").fit(X).distances_
        np.testing.assert_allclose(single, scipy_linkage(pdist(X), "single")[:, 2])


@pytest.mark.covers("cluster.hausdorff-linkage")
def test_hausdorff_linkage_by_its_definition():
    X = np.random.RandomState(0).normal(size=(25, 2))
    model = AgglomerativeClustering(3, linkage="hausdorff").fit(X)
    clusters = {i: [i] for i in range(len(X))}

    def apart(a, b):
        return max(directed_hausdorff(X[a], X[b])[0], directed_hausdorff(X[b], X[a])[0])

    for made, (i, j) in enumerate(model.children_.tolist(), start=len(X)):
        pairs = {(a, b): apart(clusters[a], clusters[b]) for a in clusters for b in clusters if a < b}
        least = min(pairs.values())
        assert pairs[i, j] == pytest.approx(least)
        assert model.distances_[made - len(X)] == pytest.approx(least)
        clusters[made] = clusters.pop(i) + clusters.pop(j)


@pytest.mark.covers("cluster.agnes")
@pytest.mark.parametrize("linkage", ["ward", "complete", "average", "single"])
def test_connectivity_is_that_of_scikit_learn(linkage):
    X, _ = make_moons(150, noise=0.05, random_state=0)
    graph = kneighbors_graph(X, 8, include_self=False)
    ours = AgglomerativeClustering(2, linkage=linkage, connectivity=graph).fit(X)
    peer = theirs.AgglomerativeClustering(2, linkage=linkage, connectivity=graph, compute_distances=True).fit(X)
    assert same_partition(ours.labels_, peer.labels_)
    np.testing.assert_allclose(np.sort(ours.distances_), np.sort(peer.distances_), rtol=1e-9)
    asked = AgglomerativeClustering(2, linkage=linkage, connectivity=lambda X: graph).fit(X)
    np.testing.assert_array_equal(asked.labels_, ours.labels_)


def test_pieces_of_a_connectivity_graph_are_joined_with_a_warning():
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    graph = sp.block_diag([np.ones((2, 2)), np.ones((2, 2))])
    with pytest.warns(UserWarning, match="connected components"):
        model = AgglomerativeClustering(2, connectivity=graph, linkage="single").fit(X)
    assert model.n_connected_components_ == 2
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.distances_.tolist() == [1, 1, 4]


def test_thresholds_and_what_contradicts_itself(tmp_path):
    X = np.array([[0.0], [1.0], [5.0], [6.5], [20.0]])
    for threshold, wanted in [(0.5, 5), (1.0, 5), (1.01, 4), (2.0, 3), (100.0, 1)]:
        model = AgglomerativeClustering(None, distance_threshold=threshold, linkage="single").fit(X)
        peer = theirs.AgglomerativeClustering(None, distance_threshold=threshold, linkage="single").fit(X)
        assert model.n_clusters_ == wanted == peer.n_clusters_
    for wrong, words in [
        ({"n_clusters": None}, "Exactly one"),
        ({"distance_threshold": 1.0}, "Exactly one"),
        ({"metric": "manhattan"}, "Euclidean"),
        ({"linkage": "hausdorff", "connectivity": np.ones((5, 5))}, "hausdorff"),
        ({"n_clusters": 6}, "n_samples=5"),
        ({"metric": "precomputed", "linkage": "single"}, "square"),
    ]:
        with pytest.raises(ValueError, match=words):
            AgglomerativeClustering(**wrong).fit(X)
    uneven = np.array([[0.0, 1.0], [2.0, 0.0]])
    with pytest.raises(ValueError, match="symmetric"):
        AgglomerativeClustering(1, metric="precomputed", linkage="complete").fit(uneven)
    with pytest.raises(ValueError, match="NaN"):
        AgglomerativeClustering(1, metric=lambda a, b: np.nan, linkage="complete").fit(X)
    kept = AgglomerativeClustering(2, memory=str(tmp_path)).fit(X)
    assert any(tmp_path.rglob("*.pkl"))
    np.testing.assert_array_equal(AgglomerativeClustering(2, memory=str(tmp_path)).fit(X).labels_, kept.labels_)
    with pytest.raises(ValueError, match="height or n_clusters"):
        cut_tree(kept)
    with pytest.raises(ValueError, match="wanted 1 to 5"):
        cut_tree(kept, n_clusters=6)


@pytest.mark.parametrize("linkage", [*LINKAGES, "hausdorff"])
def test_one_row_equal_rows_and_new_rows(linkage):
    one = AgglomerativeClustering(1, linkage=linkage).fit([[3.0]])
    assert one.labels_.tolist() == [0]
    assert one.children_.shape == (0, 2)
    equal = AgglomerativeClustering(4, linkage=linkage).fit(np.ones((6, 2)))
    assert equal.distances_.tolist() == [0] * 5
    assert len(set(equal.labels_)) == 4
    X, y = make_blobs(60, 2, centers=[(0, 0), (9, 9)], random_state=0)
    model = AgglomerativeClustering(2, linkage=linkage).fit(X)
    assert same_partition(model.predict(X), y)
    assert model.predict([[0.5, 0.5]]) == model.labels_[y == 0][0]


def test_every_merge_is_told():
    X, _ = melon_numbers("4.0")
    recorder = Recorder()
    model = AgglomerativeClustering(4, linkage="complete").set_callbacks(recorder).fit(X)
    assert [one.n_clusters_ for one in recorder.models] == list(range(29, 3, -1))
    for one in recorder.models:
        np.testing.assert_array_equal(one.labels_, cut_tree(model, n_clusters=one.n_clusters_))
    assert recorder.models[-1].predict(X).shape == (30,)


# ---------------------------------------------------------------- DIANA


@pytest.mark.covers("cluster.diana")
def test_diana_of_the_melons():
    """ch08-09 W7."""
    X, _ = melon_numbers("4.0")
    two = melons_of(DIANA(2).fit(X).labels_)
    assert frozenset({1, 2, 3, 4, 5, 9, 13, 14, 16, 17, 21, 22, 26, 29}) in two
    recorder = Recorder()
    four = DIANA(4).set_callbacks(recorder).fit(X)
    assert melons_of(four.labels_) == {
        frozenset({1, 2, 4, 22, 26, 29}),
        frozenset({3, 5, 9, 13, 14, 16, 17, 21}),
        frozenset({6, 7, 8, 10, 11, 12, 18, 19, 20}),
        frozenset({15, 23, 24, 25, 27, 28, 30}),
    }
    assert melons_of(recorder.models[0].labels_) == two
    assert four.splits_.shape == (3, 30)
    assert (np.diff(four.diameters_) <= 0).all()
    given = DIANA(4, metric="precomputed").fit(cdist(X, X))
    np.testing.assert_array_equal(given.labels_, four.labels_)
    np.testing.assert_array_equal(given.predict(cdist(X, X)), four.predict(X))


@pytest.mark.covers("cluster.diana")
def test_diana_stops_where_nothing_differs():
    assert DIANA(3).fit(np.zeros((5, 2))).n_clusters_ == 1
    whole = DIANA(None).fit([[0.0], [0.0], [1.0], [7.0]])
    assert whole.labels_.tolist() == [0, 0, 1, 2]
    assert DIANA(1).fit([[1.0]]).labels_.tolist() == [0]


# ---------------------------------------------------------------- BIRCH


@pytest.mark.covers("cluster.birch")
@pytest.mark.parametrize("data", [load_iris, load_wine, load_digits], ids=["iris", "wine", "digits"])
def test_birch_finds_the_subclusters_of_scikit_learn(data):
    X = data(return_X_y=True)[0].astype(float)
    X = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9)
    for threshold, branching in [(1.0, 50), (2.0, 5)]:
        how = {"threshold": threshold, "branching_factor": branching, "n_clusters": None}
        ours, peer = Birch(**how).fit(X), theirs.Birch(**how).fit(X)
        order, others = (np.lexsort(m.subcluster_centers_.round(6).T) for m in (ours, peer))
        np.testing.assert_allclose(ours.subcluster_centers_[order], peer.subcluster_centers_[others], atol=1e-8)
        assert same_partition(ours.labels_, peer.labels_)
        radius = np.sqrt(ours.subcluster_deviations_ / ours.subcluster_weights_)
        assert radius.max() <= threshold + 1e-12
        assert ours.subcluster_weights_.sum() == len(X)


@pytest.mark.covers("cluster.birch")
def test_birch_in_parts_and_with_other_clusterers():
    X, y = make_blobs(2000, 4, centers=5, random_state=0)
    whole = Birch(n_clusters=5, threshold=1.0).fit(X)
    assert adjusted_rand_score(whole.labels_, y) == 1
    parts = Birch(n_clusters=5, threshold=1.0)
    for start in range(0, 2000, 500):
        parts.partial_fit(X[start : start + 500])
    assert parts.subcluster_weights_.sum() == 2000
    assert adjusted_rand_score(parts.predict(X), y) == 1
    mean = np.average(parts.subcluster_centers_, axis=0, weights=parts.subcluster_weights_)
    np.testing.assert_allclose(mean, X.mean(axis=0), rtol=1e-9)
    parts.set_params(n_clusters=2).partial_fit()
    assert len(np.unique(parts.subcluster_labels_)) == 2
    other = Birch(n_clusters=AgglomerativeClustering(5, linkage="complete"), threshold=1.0).fit(X)
    assert adjusted_rand_score(other.labels_, y) == 1
    np.testing.assert_array_equal(Birch(n_clusters=5, threshold=1.0).fit(sp.csr_matrix(X)).labels_, whole.labels_)
    with pytest.warns(UserWarning, match="less than"):
        assert Birch(n_clusters=3).fit(np.ones((5, 2))).labels_.tolist() == [0] * 5


# ---------------------------------------------------------------- ROCK


@pytest.mark.covers("cluster.rock")
def test_rock_merges_by_the_best_goodness():
    """Every merge is that of the largest goodness, counted from the definition."""
    rng = np.random.RandomState(0)
    rows = pd.DataFrame(rng.choice(list("abc"), size=(14, 5)))
    theta = 0.4
    alike = np.array([[(rows.loc[i] == rows.loc[j]).mean() for j in range(14)] for i in range(14)]) >= theta
    links = alike.astype(int) @ alike.astype(int)
    power = 1 + 2 * (1 - theta) / (1 + theta)
    recorder = Recorder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ROCK(2, theta=theta).set_callbacks(recorder).fit(rows)
    clusters = [[i] for i in range(14)]
    assert recorder.models
    for model in recorder.models:
        goodness = {}
        for a in range(len(clusters)):
            for b in range(a):
                n, m = len(clusters[a]), len(clusters[b])
                below = (n + m) ** power - n**power - m**power
                goodness[a, b] = links[np.ix_(clusters[a], clusters[b])].sum() / below
        now = [np.flatnonzero(model.labels_ == c).tolist() for c in range(model.n_clusters_)]
        [made] = [one for one in now if one not in [sorted(c) for c in clusters]]
        a, b = next(p for p in goodness if sorted(clusters[p[0]] + clusters[p[1]]) == made)
        assert goodness[a, b] == pytest.approx(max(goodness.values()))
        clusters = now


@pytest.mark.covers("cluster.rock")
def test_rock_of_sets_holes_and_rows_without_neighbours():
    baskets = np.array(
        [[1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1]]
    )
    model = ROCK(2, theta=0.5).fit(baskets)
    assert model.is_sets_
    assert model.labels_.tolist() == [0, 0, 0, 1, 1]
    assert model.predict([[0, 1, 1, 0, 0, 0], [0, 0, 0, 1, 0, 1]]).tolist() == [0, 1]
    frame = pd.DataFrame({"a": ["x", "x", None, "y", "y"], "b": ["u", "u", "u", "v", None]})
    assert ROCK(2, theta=0.9).fit(frame).labels_.tolist() == [0, 0, 0, 1, 1]
    with pytest.warns(UserWarning, match="no links"):
        assert ROCK(1, theta=0.9).fit([["a"], ["b"], ["c"]]).n_clusters_ == 3


def test_threads_do_not_change_a_tree():
    X = np.random.RandomState(0).normal(size=(500, 3))
    trees = []
    for n_threads in (1, 2, 5):
        with threadpool_limits(n_threads):
            trees.append([AgglomerativeClustering(2, linkage=one).fit(X).distances_ for one in LINKAGES])
    for other in trees[1:]:
        for one, two in zip(trees[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


def test_a_threshold_needs_the_whole_tree():
    with pytest.raises(ValueError, match="compute_full_tree must be True"):
        AgglomerativeClustering(None, distance_threshold=1.0, compute_full_tree=False).fit([[0.0], [1.0]])
