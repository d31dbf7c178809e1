"""Clusters by density: DBSCAN, OPTICS, HDBSCAN, mean shift, DENCLUE."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from lanatus._core import cluster as kernels
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import pairwise_distances

from lanatus.callbacks import Recorder
from lanatus.cluster import (
    DBSCAN,
    DENCLUE,
    HDBSCAN,
    OPTICS,
    KMeans,
    MeanShift,
    adjusted_rand_score,
    check_dbscan_cluster,
    cluster_optics_dbscan,
    density_relations,
    estimate_bandwidth,
)


def grown(X, eps, min_samples, metric="euclidean"):
    """DBSCAN as figure 9.9 has it: a queue from the first core row that is left."""
    near = [np.flatnonzero(row <= eps) for row in pairwise_distances(X, metric=metric)]
    core = np.array([len(one) >= min_samples for one in near])
    labels, cluster = np.full(len(X), -1), 0
    for seed in range(len(X)):
        if not core[seed] or labels[seed] >= 0:
            continue
        labels[seed], queue = cluster, [seed]
        while queue:
            row = queue.pop(0)
            if core[row]:
                new = near[row][labels[near[row]] < 0]
                labels[new] = cluster
                queue += new.tolist()
        cluster += 1
    return labels, core


points = st.integers(1, 60).flatmap(
    lambda n: st.lists(st.tuples(*[st.integers(-8, 8)] * 2), min_size=n, max_size=n).map(
        lambda rows: np.array(rows, dtype=float) / 4
    )
)


@pytest.mark.covers("cluster.dbscan")
@settings(max_examples=150, deadline=None)
@given(points, st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 3.0]), st.integers(1, 7))
def test_all_ways_grow_the_clusters_of_the_book(X, eps, min_samples):
    labels, core = grown(X, eps, min_samples)
    for algorithm in ("auto", "kd_tree", "ball_tree", "brute"):
        model = DBSCAN(eps, min_samples=min_samples, algorithm=algorithm).fit(X)
        assert model.labels_.tolist() == labels.tolist(), algorithm
        assert model.core_sample_indices_.tolist() == np.flatnonzero(core).tolist()
    lists = DBSCAN(eps, min_samples=min_samples, metric="precomputed").fit(pairwise_distances(X))
    assert lists.labels_.tolist() == labels.tolist()


@pytest.mark.covers("cluster.dbscan")
@pytest.mark.parametrize("d", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_grid_and_tree_agree_in_any_distance(d, metric, dtype):
    X = np.random.default_rng(d).normal(size=(400, d)).astype(dtype)
    eps = float(np.quantile(pairwise_distances(X, metric=metric), 0.01))
    models = [DBSCAN(eps, min_samples=4, metric=metric, algorithm=name).fit(X) for name in ("auto", "kd_tree")]
    assert np.array_equal(models[0].labels_, models[1].labels_)
    assert 0 < len(models[0].core_sample_indices_) < len(X)
    assert np.array_equal(models[0].labels_, grown(X.astype(float), eps, 4, metric)[0])


@pytest.mark.covers("cluster.dbscan")
def test_weights_are_so_many_rows_and_threads_do_not_matter():
    X, _ = make_blobs(300, 2, centers=6, random_state=0)
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    heavy = DBSCAN(0.6, min_samples=6).fit(X, sample_weight=weight)
    repeated = DBSCAN(0.6, min_samples=6).fit(np.repeat(X, weight, axis=0))
    assert np.array_equal(np.repeat(heavy.labels_, weight), repeated.labels_)
    one, many = (DBSCAN(0.6, min_samples=6, n_jobs=n, algorithm="kd_tree").fit(X).labels_ for n in (1, 5))
    assert np.array_equal(one, many)


@pytest.mark.covers("cluster.dbscan")
def test_new_rows_go_with_the_nearest_core_row_within_eps():
    X, _ = make_moons(300, noise=0.05, random_state=0)
    model = DBSCAN(0.2).fit(X)
    assert model.n_clusters_ == 2
    core = model.core_sample_indices_
    assert np.array_equal(model.predict(X[core]), model.labels_[core])
    new = np.random.default_rng(0).uniform(-1.5, 2.5, (200, 2))
    away = pairwise_distances(new, X[core])
    wanted = np.where(away.min(axis=1) <= 0.2, model.labels_[core][away.argmin(axis=1)], -1)
    assert np.array_equal(model.predict(new), wanted)
    assert {-1, 0, 1} == set(wanted.tolist())
    table = DBSCAN(0.2, metric="precomputed").fit(pairwise_distances(X))
    assert np.array_equal(table.predict(pairwise_distances(new, X)), wanted)


def test_tables_words_sparse_rows_and_functions_are_clustered_too():
    frame = pd.DataFrame({"colour": list("rrrrgggg") + ["b"], "size": [1, 1.1, 1.2, 1, 5, 5.1, 5.2, 5, 3.0]})
    assert DBSCAN(0.2, min_samples=3, metric="gower").fit(frame).labels_.tolist() == [0] * 4 + [1] * 4 + [-1]
    words = pd.DataFrame({"a": list("xxxyyy"), "b": list("uuuvvv")})
    assert DBSCAN(0.1, min_samples=3, metric="gower").fit(words).labels_.tolist() == [0, 0, 0, 1, 1, 1]
    X, _ = make_blobs(80, 3, centers=3, random_state=1)
    X[np.abs(X) < 2] = 0
    dense = DBSCAN(1.5).fit(X)
    assert np.array_equal(DBSCAN(1.5).fit(sp.csr_matrix(X)).labels_, dense.labels_)
    assert np.array_equal(DBSCAN(1.5, metric=lambda a, b: np.linalg.norm(a - b)).fit(X).labels_, dense.labels_)
    graph = sp.csr_matrix(np.where(pairwise_distances(X) <= 1.5, pairwise_distances(X), 0))
    assert np.array_equal(DBSCAN(1.5, metric="precomputed").fit(graph).labels_, dense.labels_)


def test_a_distance_that_is_not_symmetric_joins_what_either_side_sees():
    D = np.array([[0.0, 1.0, 9.0], [9.0, 0.0, 1.0], [9.0, 9.0, 0.0]])
    model = DBSCAN(1.0, min_samples=2, metric="precomputed").fit(D)
    assert model.core_sample_indices_.tolist() == [0, 1]  # row i counts the columns that it sees
    assert model.labels_.tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="NaN"):
        DBSCAN(metric="precomputed").fit(np.where(D > 5, np.nan, D))


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e200])
def test_the_unit_does_not_matter(scale):
    X, _ = make_blobs(120, 2, centers=3, random_state=2)
    assert np.array_equal(DBSCAN(scale).fit(X * scale).labels_, DBSCAN(1.0).fit(X).labels_)


def test_few_and_equal_rows():
    for model in (DBSCAN(), OPTICS(), HDBSCAN(), DENCLUE()):
        assert model.fit([[1.0, 2.0]]).labels_.shape == (1,)
    same = np.ones((12, 2))
    assert set(DBSCAN(0.0).fit(same).labels_) == {0}
    assert set(DBSCAN(0.0, algorithm="kd_tree").fit(same).labels_) == {0}
    assert set(OPTICS(cluster_method="dbscan", eps=0.1).fit(same).labels_) == {0}
    assert set(HDBSCAN(allow_single_cluster=True).fit(same).labels_) == {0}
    assert set(MeanShift().fit(same).labels_) == {0}
    assert set(DENCLUE().fit(same).labels_) == {0}
    assert set(DBSCAN(min_samples=13).fit(same).labels_) == {-1}
    assert set(DBSCAN(1e300).fit(np.vstack([same, 9 * same])).labels_) == {0}


@pytest.mark.covers("cluster.dbscan")
def test_each_cluster_is_told_as_it_is_made():
    X, _ = make_blobs(90, 2, centers=[[0, 0], [9, 0], [0, 9]], cluster_std=0.3, random_state=0)
    recorder = Recorder()
    final = DBSCAN(1.0).set_callbacks(recorder).fit(X)
    assert [int(model.labels_.max()) for model in recorder.models] == [0, 1, 2]
    assert np.array_equal(recorder.models[-1].labels_, final.labels_)


# ---------------------------------------------------------------- relations


@pytest.mark.covers("cluster.density-reachability")
def test_figure_9_8():
    """x1 is core, x2 directly reachable from it, x3 reachable from it, x3 and x4 connected; MinPts is 3."""
    X = np.array([[0.0, 0.0], [0.8, 0.0], [1.6, 0.0], [2.5, 0.0], [-0.8, 0.1], [-1.6, 0.1], [-2.5, 0.1]])
    x1, x2, x3, x4 = 0, 1, 3, 6
    how = density_relations(X, 1.0, 3)
    assert how.core[x1]
    assert how.directly_reachable[x1, x2]
    assert how.reachable[x1, x3]
    assert not how.directly_reachable[x1, x3]
    assert how.connected[x3, x4]
    assert not how.reachable[x3, x4]
    assert not how.core[x3]
    assert np.array_equal(how.connected, how.connected.T)


@pytest.mark.covers("cluster.density-reachability")
@settings(max_examples=40, deadline=None)
@given(points)
def test_clusters_of_core_rows_are_connected_and_maximal(X):
    model = DBSCAN(0.5, min_samples=3).fit(X)
    how = density_relations(X, 0.5, 3)
    for label in range(model.n_clusters_):
        seeds = [row for row in model.core_sample_indices_ if model.labels_[row] == label]
        reached = how.reachable[seeds].any(axis=0)  # border rows may have gone with another cluster
        assert check_dbscan_cluster(X, reached, 0.5, 3).is_cluster
        assert set(np.flatnonzero(model.labels_ == label)) <= set(np.flatnonzero(reached))
        assert not check_dbscan_cluster(X, seeds[:1], 0.5, 3).is_cluster
    with pytest.raises(ValueError, match="names no row"):
        check_dbscan_cluster(X, [], 0.5, 3)


# ---------------------------------------------------------------- OPTICS and HDBSCAN


def ordered(X, min_samples, max_eps=np.inf):
    """OPTICS by its definition, all pairs at hand."""
    D = cdist(X, X)
    core = np.sort(D, axis=1)[:, min_samples - 1]
    core[core > max_eps] = np.inf
    reach, order, left = np.full(len(X), np.inf), [], set(range(len(X)))
    while left:
        row = min(left, key=lambda i: (reach[i], i))
        left.remove(row)
        order.append(row)
        for other in left:
            if D[row, other] <= max_eps and np.isfinite(core[row]):
                reach[other] = min(reach[other], max(core[row], D[row, other]))
    return order, reach, core


@pytest.mark.covers("cluster.optics")
@pytest.mark.parametrize("max_eps", [np.inf, 1.0])
@pytest.mark.parametrize("metric", ["minkowski", "precomputed"])
def test_the_order_is_that_of_the_definition(max_eps, metric):
    X, _ = make_blobs(150, 2, centers=4, cluster_std=[0.3, 0.6, 1.0, 0.2], random_state=0)
    order, reach, core = ordered(X, 4, max_eps)
    model = OPTICS(min_samples=4, max_eps=max_eps, metric=metric)
    model.fit(X if metric == "minkowski" else cdist(X, X))
    assert model.ordering_.tolist() == order
    np.testing.assert_allclose(model.reachability_, reach, rtol=1e-12)
    np.testing.assert_allclose(model.core_distances_, core, rtol=1e-12)


@pytest.mark.covers("cluster.optics")
def test_the_tree_and_the_pairs_give_one_order():
    X = np.random.default_rng(0).normal(size=(2500, 3))  # more than are compared in pairs
    model = OPTICS(max_eps=0.4).fit(X)
    core = np.where(np.isfinite(model.core_distances_), model.core_distances_, np.inf)
    order, reach, before = kernels.optics_pairs(X, core, max_eps=0.4, p=2.0)
    assert np.array_equal(order, model.ordering_)
    assert np.array_equal(reach, model.reachability_)
    assert np.array_equal(before, model.predecessor_)


@pytest.mark.covers("cluster.optics")
def test_cut_at_a_height_optics_is_dbscan_but_for_border_rows():
    X, _ = make_moons(400, noise=0.06, random_state=0)
    model = OPTICS(min_samples=5).fit(X)
    plot = {"reachability": model.reachability_, "core_distances": model.core_distances_, "ordering": model.ordering_}
    for eps in (0.08, 0.15, 0.3):
        labels, twin = cluster_optics_dbscan(**plot, eps=eps), DBSCAN(eps, min_samples=5).fit(X)
        core = twin.core_sample_indices_
        assert adjusted_rand_score(labels[core], twin.labels_[core]) == 1.0


@pytest.mark.covers("cluster.optics")
def test_clusters_of_different_density_are_told_apart():
    X, y = make_blobs([200, 200, 60], 2, centers=[[0, 0], [6, 0], [0, 30]], cluster_std=[0.2, 0.6, 5.0], random_state=0)
    assert adjusted_rand_score(y, OPTICS(min_samples=10, xi=0.1, min_cluster_size=0.1).fit(X).labels_) > 0.8
    assert adjusted_rand_score(y, HDBSCAN(15).fit(X).labels_) > 0.85
    assert set(HDBSCAN(15).fit(X).labels_) >= {0, 1, 2}


def test_hdbscan_lets_no_branch_smaller_than_asked_be_a_cluster():
    X, _ = make_blobs(400, 2, centers=8, random_state=3)
    for size in (5, 20, 60):
        model = HDBSCAN(size, min_samples=5).fit(X)
        sizes = np.bincount(model.labels_[model.labels_ >= 0])
        assert (sizes >= size).all() if len(sizes) else True
        chosen = [branch for branch in model.branches_ if branch.selected]
        assert len(chosen) == model.labels_.max() + 1
        assert model.branches_[0].size == len(X)
    assert ((model.probabilities_ == 0) == (model.labels_ < 0)).all()


def test_hdbscan_by_tree_and_by_all_pairs_weigh_the_same():
    """The spanning tree of mutual reachability, by its matrix."""
    X = np.random.default_rng(1).normal(size=(900, 2))
    X[:40] = X[40:80]  # equal rows
    model = HDBSCAN(5).fit(X)
    D = pairwise_distances(X)
    core = np.sort(D, axis=1)[:, 4]
    np.testing.assert_allclose(model.core_distances_, core, atol=1e-12)
    mutual = np.maximum(np.maximum(D, core), core[:, None])
    _, heights = kernels.single_matrix(mutual)
    np.testing.assert_allclose(np.sort(model.distances_), np.sort(heights), rtol=1e-9, atol=1e-12)
    wide = HDBSCAN(5).fit(np.hstack([X, np.zeros((900, 20))]))
    np.testing.assert_allclose(np.sort(wide.distances_), np.sort(heights), rtol=1e-9, atol=1e-12)


def test_hdbscan_cut_at_a_radius_is_dbscan_without_border_rows():
    X, _ = make_moons(300, noise=0.05, random_state=1)
    model, eps = HDBSCAN(5).fit(X), 0.12
    twin = DBSCAN(eps, min_samples=5).fit(X)
    core = twin.core_sample_indices_
    labels = model.dbscan_clustering(eps, min_cluster_size=1)
    assert adjusted_rand_score(labels[core], twin.labels_[core]) == 1.0


def test_hdbscan_labels_new_rows_inside_its_clusters_and_not_far_away():
    X, y = make_blobs(300, 2, centers=[[0, 0], [8, 8]], cluster_std=0.5, random_state=0)
    model = HDBSCAN(10).fit(X)
    assert np.array_equal(model.predict(X)[model.labels_ >= 0], model.labels_[model.labels_ >= 0])
    near, far = model.predict([[0.1, 0.1], [8.1, 7.9]]), model.predict([[-40.0, 4.0], [50.0, 50.0]])
    assert near.tolist() == [model.labels_[y == 0].max(), model.labels_[y == 1].max()]
    assert far.tolist() == [-1, -1]


# ---------------------------------------------------------------- mean shift and DENCLUE


def test_mean_shift_climbs_to_the_means():
    X, y = make_blobs(240, 2, centers=[[0, 0], [8, 0], [0, 8]], cluster_std=0.5, random_state=0)
    model = MeanShift(bandwidth=2.5).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    for center in model.cluster_centers_:  # each is the mean of what lies within the bandwidth
        inside = np.linalg.norm(X - center, axis=1) <= 2.5
        np.testing.assert_allclose(X[inside].mean(axis=0), center, atol=1e-3 * 2.5)
    binned = MeanShift(bandwidth=2.5, bin_seeding=True).fit(X)
    assert adjusted_rand_score(model.labels_, binned.labels_) == 1.0
    noise = MeanShift(bandwidth=1.0, cluster_all=False, seeds=[[0.0, 0.0]]).fit(X)
    assert set(noise.labels_) == {-1, 0}
    with pytest.raises(ValueError, match="No point was within"):
        MeanShift(bandwidth=0.5, seeds=[[100.0, 100.0]]).fit(X)
    assert estimate_bandwidth(X, quantile=1 / 240) == 0.0


@pytest.mark.covers("cluster.denclue")
def test_attractors_are_maxima_of_the_density():
    X, y = make_blobs(200, 2, centers=[[0, 0], [6, 0], [0, 6]], cluster_std=0.6, random_state=0)
    model = DENCLUE(h=1.0, shape="center").fit(X)

    def density(at):
        squares = ((at[:, None] - X) ** 2).sum(axis=2)
        return np.exp(-squares / 2).mean(axis=1) / (2 * np.pi)

    np.testing.assert_allclose(model.attractor_densities_, density(model.attractors_), rtol=1e-6)
    around = 0.05 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [0.7, 0.7], [-0.7, 0.7]])
    for top, value in zip(model.attractors_, model.attractor_densities_, strict=True):
        assert (density(top + around) < value).all()
    assert adjusted_rand_score(y, model.labels_) > 0.95
    assert np.array_equal(model.predict(X), model.labels_)


@pytest.mark.covers("cluster.denclue")
def test_high_ground_joins_hills_and_low_hills_are_noise():
    X, y = make_circles(500, factor=0.3, noise=0.04, random_state=0)
    joined, apart = DENCLUE(h=0.12, xi=0.05).fit(X), DENCLUE(h=0.12, xi=0.05, shape="center").fit(X)
    assert adjusted_rand_score(y, joined.labels_) == 1.0
    assert apart.labels_.max() > joined.labels_.max()
    far = np.vstack([X, [[5.0, 5.0]]])
    assert DENCLUE(h=0.12, xi=0.05).fit(far).labels_[-1] == -1
    assert (DENCLUE(h=0.12, xi=1e9).fit(X).labels_ == -1).all()
    heavy = DENCLUE(h=0.12, xi=0.05).fit(far, sample_weight=np.append(np.ones(500), 400.0))
    assert heavy.labels_[-1] >= 0


@pytest.mark.covers("cluster.nonconvex-clusters")
def test_clusters_that_are_not_convex():
    """k-means fails on moons and rings, where methods by density succeed (9.7)."""
    for X, y in (
        make_moons(400, noise=0.05, random_state=0),
        make_circles(400, factor=0.4, noise=0.04, random_state=0),
    ):
        assert adjusted_rand_score(y, KMeans(2, random_state=0).fit(X).labels_) < 0.6
        for model in (DBSCAN(0.2), HDBSCAN(15), DENCLUE(h=0.12, xi=0.05)):
            assert adjusted_rand_score(y, model.fit(X).labels_) > 0.97, model


def test_mean_shift_of_a_few_values_that_recur():
    """So many rows are alike that the estimated bandwidth is 0: nothing moves, and each value is a cluster."""
    X = np.array([1.0, 1, 1, 2, 2, 2, 3, 3])[:, None]
    for model in (MeanShift().fit(X), MeanShift(bin_seeding=True).fit(X)):
        assert model.bandwidth_ == 0
        assert model.n_iter_ == 0
        np.testing.assert_array_equal(np.sort(model.cluster_centers_.ravel()), [1, 2, 3])
        np.testing.assert_array_equal(model.cluster_centers_[model.labels_], X)


def test_hdbscan_of_a_sparse_graph_follows_its_edges():
    X = np.vstack([np.random.default_rng(0).normal(c, 0.3, (30, 2)) for c in (0, 3)])
    D = cdist(X, X)
    whole = HDBSCAN(metric="precomputed").fit(D)
    graph = sp.csr_matrix(np.where((D < 3.2) & (D > 0), D, 0.0))
    assert graph.nnz < D.size / 1.3
    given = HDBSCAN(metric="precomputed").fit(graph)
    np.testing.assert_array_equal(given.labels_, whole.labels_)
    np.testing.assert_allclose(given.distances_, whole.distances_)  # the tree needs no edge that is not there
    with pytest.raises(ValueError, match="2 pieces"):
        HDBSCAN(metric="precomputed").fit(sp.csr_matrix(np.where(D < 1.5, D, 0.0)))
    with pytest.raises(ValueError, match="fewer than 5 neighbors"):
        HDBSCAN(metric="precomputed").fit(sp.csr_matrix(np.where(D < 0.05, D, 0.0)))


def test_optics_says_that_no_row_is_dense():
    with pytest.warns(UserWarning, match="All reachability values are inf"):
        model = OPTICS(min_samples=3, max_eps=0.1).fit([[0.0], [1.0], [2.0], [3.0]])
    assert (model.labels_ == -1).all()
