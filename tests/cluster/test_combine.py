"""Spectral clustering, ensembles, clusterings by an index, clusters as classes, suggestions."""

import numpy as np
import pytest
import scipy.sparse as sp
from samples import melon_numbers
from sklearn import cluster as theirs
from sklearn import neighbors as theirs_neighbors
from sklearn.datasets import load_digits, load_iris, make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.tree import DecisionTreeClassifier

from lanatus.callbacks import Recorder
from lanatus.cluster import (
    AgglomerativeClustering,
    ClusterEnsemble,
    ClusterThenClassify,
    IndexClustering,
    KMeans,
    SpectralClustering,
    dunn_score,
    pair_counts,
    silhouette_score,
    suggest_clusters,
)
from lanatus.cluster.combine._ensemble import aligned_labels


def same_partition(one, other):
    counts = pair_counts(one, other)
    return counts.b == counts.c == 0


# ---------------------------------------------------------------- spectral


@pytest.mark.covers("cluster.spectral-clustering")
@pytest.mark.parametrize("laplacian", ["random-walk", "symmetric", "unnormalized"])
@pytest.mark.parametrize("solver", ["dense", "arpack"])
def test_eigenvectors_of_each_laplacian(laplacian, solver):
    """By the definition of each, on a full matrix; arpack needs more rows than the switch to dense."""
    rng = np.random.RandomState(0)
    X = rng.normal(size=(700 if solver == "arpack" else 60, 3))
    model = SpectralClustering(3, laplacian=laplacian, eigen_solver=solver, gamma=0.5, random_state=0).fit(X)
    W = rbf_kernel(X, gamma=0.5)
    D = W.sum(axis=1)
    L = np.diag(D) - W if laplacian == "unnormalized" else np.eye(len(X)) - W / np.sqrt(np.outer(D, D))
    values = np.linalg.eigvalsh(L)[:3]
    np.testing.assert_allclose(model.eigenvalues_, np.maximum(values, 0), atol=1e-8)
    if laplacian == "random-walk":
        np.testing.assert_allclose(
            (np.eye(len(X)) - W / D[:, None]) @ model.embedding_, model.embedding_ * model.eigenvalues_, atol=1e-7
        )
    elif laplacian == "unnormalized":
        np.testing.assert_allclose(L @ model.embedding_, model.embedding_ * model.eigenvalues_, atol=1e-6)
    else:
        np.testing.assert_allclose(np.linalg.norm(model.embedding_, axis=1), 1)


@pytest.mark.covers("cluster.spectral-clustering")
@pytest.mark.parametrize("laplacian", ["random-walk", "symmetric", "unnormalized"])
def test_rings_and_moons_are_parted(laplacian):
    for X, y in (
        make_circles(300, factor=0.4, noise=0.03, random_state=0),
        make_moons(300, noise=0.04, random_state=0),
    ):
        model = SpectralClustering(2, affinity="nearest_neighbors", laplacian=laplacian, random_state=0).fit(X)
        assert same_partition(model.labels_, y)
        assert same_partition(model.predict(X), y)
        assert not same_partition(KMeans(2, random_state=0).fit(X).labels_, y)
        # eigenvalue 0 as often as there are components
        assert np.count_nonzero(model.eigenvalues_ < 1e-10) == 2


@pytest.mark.covers("cluster.spectral-clustering")
def test_spectral_clusters_by_any_solver_and_of_sparse_rows():
    X, y = make_blobs(700, 3, centers=3, cluster_std=0.8, random_state=1)
    X[np.abs(X) < 0.2] = 0
    dense = SpectralClustering(3, gamma=0.5, random_state=0).fit(X)
    assert adjusted_rand_score(dense.labels_, y) > 0.95
    for rows, how in ((X, {"eigen_solver": "lobpcg"}), (sp.csr_matrix(X), {}), (X, {"assign_labels": "discretize"})):
        model = SpectralClustering(3, gamma=0.5, random_state=0, **how).fit(rows)
        np.testing.assert_allclose(model.eigenvalues_, dense.eigenvalues_, atol=1e-6)
        assert same_partition(model.labels_, dense.labels_)
        assert same_partition(model.predict(rows), dense.predict(X))
    W = sp.csr_matrix(np.where(rbf_kernel(X, gamma=0.5) > 1e-4, rbf_kernel(X, gamma=0.5), 0))
    few = SpectralClustering(3, affinity="precomputed", random_state=0).fit(W)
    full = SpectralClustering(3, affinity="precomputed", random_state=0).fit(W.toarray())
    assert same_partition(few.labels_, full.labels_)
    assert same_partition(few.predict(W), full.predict(W.toarray()))


@pytest.mark.covers("cluster.spectral-clustering")
def test_spectral_clusters_of_a_sparse_graph_of_distances():
    X, y = make_blobs(120, 2, centers=[[0, 0], [6, 0], [3, 5]], cluster_std=0.9, random_state=1)
    D = euclidean_distances(X)
    graph = theirs_neighbors.NearestNeighbors(n_neighbors=119).fit(X).kneighbors_graph(mode="distance")
    how = {"affinity": "precomputed_nearest_neighbors", "n_neighbors": 12, "random_state": 0}
    with pytest.warns(UserWarning, match="3 pieces, more than the 2"):
        SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=3).fit(
            [[v + 9.0 * k] for k in range(3) for v in range(4)]
        )
    with pytest.raises(ValueError, match="12 at least"):
        SpectralClustering(3, **how).fit(sp.csr_matrix(np.where(D < 0.5, D, 0)))
    model = SpectralClustering(3, **how).fit(graph)
    near = np.argsort(np.where(np.eye(120, dtype=bool), np.inf, D), axis=1)[:, :12]
    indicators = np.zeros((120, 120))
    np.put_along_axis(indicators, near, 1.0, axis=1)
    np.testing.assert_allclose(model.affinity_matrix_.toarray(), (indicators + indicators.T) / 2)
    assert same_partition(model.labels_, y)


@pytest.mark.covers("cluster.spectral-clustering")
@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
def test_spectral_clusters_are_those_of_scikit_learn():
    X, _ = make_blobs(150, 2, centers=4, random_state=3)
    for how in ({"gamma": 0.5}, {"affinity": "nearest_neighbors"}, {"affinity": "poly", "degree": 2}):
        for labels in ("kmeans", "cluster_qr", "discretize"):
            ours = SpectralClustering(4, assign_labels=labels, random_state=0, **how).fit(X)
            peer = theirs.SpectralClustering(4, assign_labels=labels, random_state=0, **how).fit(X)
            if "degree" not in how:  # its clusters are no better than others, and depend on the start
                assert adjusted_rand_score(ours.labels_, peer.labels_) > 0.98
            theirs_w = peer.affinity_matrix_
            np.testing.assert_allclose(
                ours.affinity_matrix_.toarray() if sp.issparse(ours.affinity_matrix_) else ours.affinity_matrix_,
                theirs_w.toarray() if sp.issparse(theirs_w) else theirs_w,
                rtol=1e-9,
                atol=1e-12,
            )
    W = rbf_kernel(X, gamma=0.5)
    given = SpectralClustering(4, affinity="precomputed", random_state=0).fit(W)
    assert same_partition(given.labels_, SpectralClustering(4, gamma=0.5, random_state=0).fit(X).labels_)
    assert same_partition(given.predict(W), given.labels_)
    with pytest.raises(ValueError, match="below 0"):
        SpectralClustering(2, affinity="precomputed").fit(-W)
    with pytest.raises(ValueError, match="square"):
        SpectralClustering(2, affinity="precomputed").fit(X)
    far = SpectralClustering(2, gamma=1.0, random_state=0).fit([[0.0], [0.1], [5.0], [5.1]])
    assert far.predict([[1e6], [-1e6]]).tolist() == [far.labels_[3], far.labels_[0]]  # no edge reaches so far


# ---------------------------------------------------------------- ensembles


@pytest.mark.covers("cluster.clustering-ensemble")
@pytest.mark.parametrize("method", ["co-association", "alignment"])
def test_an_ensemble_varies_less_than_its_members(method):
    X = load_iris().data
    y = load_iris().target
    members, joint = [], []
    for seed in range(8):
        members.append(adjusted_rand_score(y, KMeans(3, init="random", n_init=1, random_state=seed).fit(X).labels_))
        kmeans = [KMeans(3, init="random", n_init=1) for _ in range(15)]
        model = ClusterEnsemble(kmeans, n_clusters=3, method=method, random_state=seed).fit(X)
        joint.append(adjusted_rand_score(y, model.labels_))
        assert len(model.estimators_) == 15
        assert adjusted_rand_score(model.predict(X), model.labels_) > 0.95
    assert np.std(joint) < np.std(members)
    assert np.mean(joint) > np.mean(members)


@pytest.mark.covers("cluster.clustering-ensemble")
def test_evidence_accumulates_to_clusters_that_no_member_finds():
    X, y = make_circles(300, factor=0.4, noise=0.02, random_state=0)
    many = [KMeans(25, init="random", n_init=1) for _ in range(60)]
    model = ClusterEnsemble(many, n_clusters=2, linkage="single", random_state=0).fit(X)
    assert same_partition(model.labels_, y)
    recorder = Recorder()
    ClusterEnsemble(n_clusters=2, n_estimators=4, random_state=0).set_callbacks(recorder).fit(X)
    assert [len(one.estimators_) for one in recorder.models] == [1, 2, 3, 4]


@pytest.mark.covers("cluster.clustering-ensemble")
def test_labels_are_aligned_to_the_first():
    one = np.array([0, 0, 1, 1, 2, 2])
    other = np.array([2, 2, 0, 0, 1, 0])
    found = aligned_labels(np.array([one, other]))
    assert found[1].tolist() == [0, 0, 1, 1, 2, 1]
    split = aligned_labels(np.array([[0, 0, 0, 1], [0, 0, 1, 2]]))
    assert split[1].tolist()[:2] == [0, 0]
    assert split[1][3] == 1
    assert split[1][2] not in (0, 1)


# ---------------------------------------------------------------- an index as objective


@pytest.mark.covers("cluster.index-clustering")
@pytest.mark.parametrize("index", ["silhouette", "dunn", "davies-bouldin", "calinski-harabasz", "convex"])
def test_no_single_move_makes_the_index_better(index):
    X, _ = melon_numbers("4.0")
    model = IndexClustering(index, n_clusters=3, random_state=0).fit(X)
    sign = -1 if index == "davies-bouldin" else 1
    assert sign * model.index_ >= model.start_index_
    measure = IndexClustering(index, n_clusters=3)
    for row in range(0, 30, 3):
        for other in range(3):
            trial = model.labels_.copy()
            trial[row] = other
            if len(np.unique(trial)) == 3:
                assert measure._value(X, trial, 3) <= sign * model.index_ + 1e-9
    if index == "dunn":
        assert model.index_ == pytest.approx(dunn_score(X, model.labels_))


@pytest.mark.covers("cluster.index-clustering")
def test_any_index_can_be_an_objective():
    X, y = make_blobs(40, 2, centers=2, random_state=0)
    model = IndexClustering(lambda X, labels: -abs(int((labels == 0).sum()) - 10), random_state=0).fit(X)
    assert (model.labels_ == 0).sum() == 10
    assert IndexClustering(n_clusters=3, random_state=0).fit(np.ones((5, 2))).labels_.tolist() == [0] * 5
    silhouette = IndexClustering(random_state=0).fit(X)
    assert silhouette.index_ >= silhouette_score(X, y) - 1e-12


@pytest.mark.covers("cluster.cluster-then-classify")
def test_clusters_become_classes():
    X, y = make_blobs(200, 2, centers=[(0, 0), (9, 0), (0, 9)], random_state=0)
    tree = ClusterThenClassify(
        AgglomerativeClustering(3), DecisionTreeClassifier(max_leaf_nodes=3, random_state=0)
    ).fit(X)
    assert same_partition(tree.labels_, y)
    assert tree.agreement_ > 0.98
    new, of = make_blobs(100, 2, centers=[(0, 0), (9, 0), (0, 9)], random_state=1)
    assert adjusted_rand_score(of, tree.predict(new)) > 0.95
    assert same_partition(ClusterThenClassify().fit(X).predict(X), y)

    class Noise(KMeans):
        def fit_predict(self, X, y=None, sample_weight=None):
            return np.full(len(X), -1)

    with pytest.raises(ValueError, match="noise only"):
        ClusterThenClassify(Noise()).fit(X)


# ---------------------------------------------------------------- suggestions


@pytest.mark.parametrize("measure", ["silhouette", "calinski-harabasz", "davies-bouldin"])
def test_the_suggestion_is_the_best_of_the_curves(measure):
    X, y = make_blobs(120, 2, centers=[(0, 0), (9, 0), (0, 9), (9, 9)], random_state=0)
    found = suggest_clusters(X, k_range=range(2, 8), measure=measure, random_state=0)
    assert found.n_clusters == 4
    assert same_partition(found.best.labels_, y)
    assert set(found.scores) == {"KMeans", "Ward", "average", "single", "spectral"}
    best = np.nanmin if measure == "davies-bouldin" else np.nanmax
    at = found.k.tolist().index(found.n_clusters)
    assert found.scores[found.name][at] == best([best(one) for one in found.scores.values()])
    axes = found.plot().axes[0]
    assert len(axes.lines) == 5
    assert axes.get_ylabel() == measure


def test_suggestions_for_little_data_and_own_candidates():
    assert suggest_clusters(np.ones((5, 2))).n_clusters == 1
    X = load_digits().data[:300]
    own = suggest_clusters(X, k_range=[5, 10], candidates={"ward": AgglomerativeClustering()}, random_state=0)
    assert own.name == "ward"
    with pytest.raises(ValueError, match="measure"):
        suggest_clusters(X, measure="beauty")
