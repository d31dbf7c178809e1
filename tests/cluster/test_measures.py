"""Measures of clusterings: the book's numbers, scikit-learn's, and what must hold of all."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import melon_numbers
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn import metrics
from sklearn.datasets import make_blobs, make_moons
from threadpoolctl import threadpool_limits

from lanatus import cluster

# Clusters of W2 (k-means, the last round) and W6 (AGNES with complete linkage, seven clusters), by numbers of melons.
ROUND_4 = [{3, 5, 7, 9, 13, 14, 16, 17, 21}, {6, 8, 10, 11, 12, 15, 18, 19, 20}, {1, 2, 4, *range(22, 31)}]
SEVEN = [
    {1, 26, 29},
    {2, 3, 4, 21, 22},
    {23, 24, 25, 27, 28, 30},
    {5, 7},
    {9, 13, 14, 16, 17},
    {6, 8, 10, 15, 18, 19, 20},
    {11, 12},
]


def labels_of(clusters):
    return np.array([next(c for c, one in enumerate(clusters) if melon in one) for melon in range(1, 31)])


@pytest.mark.covers(
    "cluster.pair-counts",
    "cluster.jaccard-coefficient",
    "cluster.fowlkes-mallows",
    "cluster.rand-index",
    "cluster.davies-bouldin",
    "cluster.dunn-index",
    "cluster.silhouette",
)
@pytest.mark.parametrize(
    ("clusters", "counts", "jc", "fmi", "ri", "dbi", "di", "silhouette"),
    [
        (ROUND_4, (106, 32, 108, 189), 0.43089431, 0.61682140, 0.67816092, 1.20530996, 0.17714000, 0.39859210),
        (SEVEN, (47, 14, 167, 207), 0.20614035, 0.41136378, 0.58390805, 1.19665466, 0.34613959, 0.35078375),
    ],
    ids=["k-means", "AGNES"],
)
def test_numbers_of_the_book(clusters, counts, jc, fmi, ri, dbi, di, silhouette):
    """ch08-09 W7."""
    X, y = melon_numbers("4.0")
    labels = labels_of(clusters)
    assert cluster.pair_counts(labels, y) == counts
    found = [
        cluster.jaccard_index(labels, y),
        cluster.fowlkes_mallows_score(y, labels),
        cluster.rand_score(y, labels),
        cluster.davies_bouldin_score(X, labels, spread="pairwise"),
        cluster.dunn_score(X, labels),
        cluster.silhouette_score(X, labels),
    ]
    np.testing.assert_allclose(found, [jc, fmi, ri, dbi, di, silhouette], atol=5e-9)


EXTERNAL = [
    "rand_score",
    "adjusted_rand_score",
    "fowlkes_mallows_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "adjusted_mutual_info_score",
    "homogeneity_score",
    "completeness_score",
    "v_measure_score",
]


@pytest.mark.covers("cluster.rand-index", "cluster.fowlkes-mallows", "cluster.cluster-mutual-information")
@pytest.mark.parametrize("name", EXTERNAL)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_external_measures_are_those_of_scikit_learn(name, data):
    n = data.draw(st.integers(1, 40))
    partition = st.lists(st.integers(0, 6), min_size=n, max_size=n)
    one, other = data.draw(partition), data.draw(partition)
    ours, theirs = getattr(cluster, name), getattr(metrics, name)
    assert ours(one, other) == pytest.approx(theirs(one, other), rel=1e-9, abs=1e-12)
    named = [f"cluster {label}" for label in other]
    assert ours(one, named) == pytest.approx(ours(one, other), rel=1e-12, abs=1e-15)  # names do not matter


@pytest.mark.parametrize("average", ["min", "geometric", "arithmetic", "max"])
def test_means_of_entropies_are_those_of_scikit_learn(average):
    rng = np.random.RandomState(0)
    one, other = rng.randint(5, size=200), rng.randint(8, size=200)
    for name in ("normalized_mutual_info_score", "adjusted_mutual_info_score"):
        ours, theirs = getattr(cluster, name), getattr(metrics, name)
        assert ours(one, other, average_method=average) == pytest.approx(theirs(one, other, average_method=average))
        with pytest.raises(ValueError, match="average_method"):
            ours(one, other, average_method="harmonic")
    table = metrics.cluster.contingency_matrix(one, other)
    for counts in (table, sp.csr_matrix(table)):
        assert cluster.mutual_info_score(None, None, contingency=counts) == pytest.approx(
            metrics.mutual_info_score(one, other)
        )


@pytest.mark.covers("cluster.pair-counts", "cluster.cluster-f-measure", "cluster.jaccard-coefficient")
def test_pairs_counted_one_by_one():
    rng = np.random.RandomState(1)
    one, other = rng.randint(4, size=30), rng.randint(3, size=30)
    same = [(one[i] == one[j], other[i] == other[j]) for i in range(30) for j in range(i)]
    a, b, c, d = (same.count(kind) for kind in [(True, True), (True, False), (False, True), (False, False)])
    counts = cluster.pair_counts(one, other)
    assert counts == (a, b, c, d)
    precision, recall = a / (a + b), a / (a + c)
    assert counts.precision == precision
    assert counts.recall == recall
    assert cluster.pairwise_f_score(other, one) == pytest.approx(2 * precision * recall / (precision + recall))
    assert cluster.pairwise_f_score(other, one, beta=2) == pytest.approx(
        5 * precision * recall / (4 * precision + recall)
    )
    assert cluster.jaccard_index(one, other) == pytest.approx(a / (a + b + c))


def test_partitions_without_pairs_and_of_other_rows():
    apart = np.arange(5)
    assert cluster.jaccard_index(apart, apart) == 1
    assert cluster.rand_score([0], [1]) == 1
    assert cluster.pairwise_f_score(apart, apart) == 1
    assert cluster.fowlkes_mallows_score(apart, apart) == 0  # as scikit-learn
    with pytest.raises(ValueError, match="same rows"):
        cluster.rand_score([0, 1], [0])
    with pytest.raises(ValueError, match="empty"):
        cluster.rand_score([], [])
    with pytest.raises(ValueError, match="beta"):
        cluster.pairwise_f_score([0, 1], [0, 1], beta=0)


@pytest.mark.covers("cluster.silhouette", "cluster.davies-bouldin")
@pytest.mark.parametrize(("n", "d", "k"), [(40, 2, 2), (301, 7, 5), (150, 300, 3)])
def test_internal_measures_are_those_of_scikit_learn(n, d, k):
    X, labels = make_blobs(n, d, centers=k, cluster_std=4, random_state=0)
    labels[0] = k  # a cluster of one row
    for rows in (X, sp.csr_matrix(X), pd.DataFrame(X)):
        np.testing.assert_allclose(
            cluster.silhouette_samples(rows, labels), metrics.silhouette_samples(X, labels), rtol=1e-9, atol=1e-12
        )
        assert cluster.davies_bouldin_score(rows, labels) == pytest.approx(metrics.davies_bouldin_score(X, labels))
        assert cluster.calinski_harabasz_score(rows, labels) == pytest.approx(
            metrics.calinski_harabasz_score(X, labels)
        )
    for metric in ("manhattan", "cosine"):
        assert cluster.silhouette_score(X, labels, metric=metric) == pytest.approx(
            metrics.silhouette_score(X, labels, metric=metric)
        )
    distances = squareform(pdist(X))
    assert cluster.silhouette_score(distances, labels, metric="precomputed") == pytest.approx(
        metrics.silhouette_score(X, labels)
    )
    assert cluster.silhouette_score(X, labels, sample_size=30, random_state=3) == pytest.approx(
        metrics.silhouette_score(X, labels, sample_size=30, random_state=3)
    )


def test_silhouettes_do_not_depend_on_threads():
    X, labels = make_blobs(1000, 5, centers=4, cluster_std=3, random_state=0)
    found = []
    for n_threads in (1, 2, 5):
        with threadpool_limits(n_threads):
            found.append(cluster.silhouette_samples(X, labels))
    assert all(np.array_equal(found[0], other) for other in found)


@pytest.mark.covers("cluster.cluster-distances", "cluster.dunn-index")
def test_distances_of_clusters_pair_by_pair():
    rng = np.random.RandomState(0)
    one, other = rng.normal(size=(17, 3)), rng.normal(size=(23, 3)) + 2
    assert cluster.avg(one) == pytest.approx(pdist(one).mean())
    assert cluster.diam(one) == pytest.approx(pdist(one).max())
    assert cluster.d_min(one, other) == pytest.approx(cdist(one, other).min())
    assert cluster.d_cen(one, other) == pytest.approx(np.linalg.norm(one.mean(axis=0) - other.mean(axis=0)))
    assert cluster.avg(one, metric="manhattan") == pytest.approx(pdist(one, "cityblock").mean())
    assert cluster.avg(one[:1]) == 0
    assert cluster.diam(one[:1]) == 0
    X, labels = np.vstack([one, other]), np.repeat([0, 1], [17, 23])
    wanted = cdist(one, other).min() / max(pdist(one).max(), pdist(other).max())
    assert cluster.dunn_score(X, labels) == pytest.approx(wanted)
    assert cluster.dunn_score(cdist(X, X), labels, metric="precomputed") == pytest.approx(wanted)
    wide = [pdist(part).mean() for part in (one, other)]
    assert cluster.davies_bouldin_score(X, labels, spread="pairwise") == pytest.approx(
        sum(wide) / cluster.d_cen(one, other)
    )


def test_points_that_coincide():
    X, labels = np.zeros((6, 2)), [0, 0, 0, 1, 1, 1]
    assert cluster.silhouette_score(X, labels) == 0
    assert cluster.davies_bouldin_score(X, labels) == 0
    assert cluster.dunn_score(X, labels) == 0
    assert cluster.calinski_harabasz_score(X, labels) == 1
    X[3:] = 1
    assert cluster.dunn_score(X, labels) == np.inf
    assert cluster.silhouette_score(X, labels) == 1


@pytest.mark.parametrize(
    "measure", [cluster.silhouette_score, cluster.davies_bouldin_score, cluster.calinski_harabasz_score]
)
def test_labels_that_measure_nothing_are_refused(measure):
    X = np.arange(8.0).reshape(4, 2)
    for labels in ([0, 0, 0, 0], [0, 1, 2, 3]):
        with pytest.raises(ValueError, match="Number of labels"):
            measure(X, labels)
    with pytest.raises(ValueError, match="one label for each row"):
        measure(X, [0, 1])
    with pytest.raises(ValueError, match="NaN"):
        measure(np.where(X == 3, np.nan, X), [0, 0, 1, 1])


@pytest.mark.covers("cluster.convex-clustering-test")
def test_convex_clusterings():
    X, _ = melon_numbers("4.0")
    assert cluster.is_convex_clustering(X, cluster.KMeans(3, random_state=0).fit_predict(X))
    moons, which = make_moons(200, random_state=0)
    assert not cluster.is_convex_clustering(moons, which)
    assert cluster.is_convex_clustering(moons, cluster.KMeans(2, random_state=0).fit_predict(moons))
    line = np.arange(6.0)[:, None] * [1.0, 2.0]  # rows on a line have no hull with an inside
    assert cluster.is_convex_clustering(line, [0, 0, 0, 1, 1, 1])
    assert not cluster.is_convex_clustering(line, [0, 0, 1, 1, 0, 1])
    assert cluster.is_convex_clustering(line, [0, 0, -1, 1, -1, 1])  # noise is no cluster
    cross = np.array([[-1.0, 0], [1, 0], [0, -1], [0, 1]])  # segments that cross though no row is inside the other
    assert not cluster.is_convex_clustering(cross, [0, 0, 1, 1])
    assert not cluster.is_convex_clustering([[0.0, 0], [1, 1], [1, 1], [2, 2]], [0, 0, 1, 1])  # a shared point


@pytest.mark.covers("cluster.new-validity-index")
def test_the_sign_of_the_convex_index_says_whether_hyperplanes_part_the_clusters():
    rng = np.random.RandomState(0)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + [9, 0]])
    labels = np.repeat([0, 1], 30)
    apart = cluster.convex_separation_index(X, labels)
    assert 0 < apart < 1
    assert cluster.convex_separation_index(7 * X + 3, labels) == pytest.approx(apart)  # scale and place do not matter
    closer = X - [6, 0] * labels[:, None]
    assert -1 < cluster.convex_separation_index(closer, labels) < apart
    assert cluster.convex_separation_index(X, rng.permutation(labels)) < 0
    near, far = X[:30, 0], X[30:, 0]
    way = X[30:].mean(axis=0) - X[:30].mean(axis=0)
    near, far = (part @ way / np.linalg.norm(way) for part in (X[:30], X[30:]))
    gap = far.min() - near.max()
    assert apart == pytest.approx(gap / (gap + near.std() + far.std()))


@pytest.mark.covers("cluster.gap-statistic")
@pytest.mark.parametrize("reference", ["box", "principal"])
def test_gap_statistic_finds_the_number_of_clusters(reference):
    X, _ = make_blobs(150, 2, centers=[(0, 0), (8, 0), (0, 8), (8, 8)], random_state=0)
    found = cluster.gap_statistic(X, range(1, 8), random_state=0, reference=reference)
    assert found.best == 4
    assert len(found.k) == len(found.gap) == len(found.error) == 7
    uniform = np.random.RandomState(0).uniform(size=(200, 2))
    assert cluster.gap_statistic(uniform, range(1, 5), random_state=0, reference=reference).best == 1
    again = cluster.gap_statistic(X, range(1, 8), random_state=0, reference=reference)
    np.testing.assert_array_equal(found.gap, again.gap)
    with pytest.raises(ValueError, match="k_range"):
        cluster.gap_statistic(X[:3], [5])
