"""Clusters by density and outliers against scikit-learn's and hdbscan's, on real data."""

import numpy as np
import pandas as pd
import pytest
from lanatus._core import cluster as kernels
from sklearn import cluster as peers
from sklearn.ensemble import IsolationForest as PeerForest
from sklearn.metrics import adjusted_rand_score, roc_auc_score
from sklearn.preprocessing import scale

from lanatus.cluster import DBSCAN, HDBSCAN, OPTICS, IsolationForest, MeanShift, estimate_bandwidth

SHAPES = ["3_spiral", "aggregation", "compound", "cure_t2_4k", "jain", "pathbased", "zelnik1"]


def shape(folder, name, most=1500):
    frame = pd.read_parquet(folder / "clustering" / f"{name}.parquet")
    return scale(frame.iloc[:most, :2].to_numpy(dtype=np.float64))


def table(folder, name, most=1200):
    frame = pd.read_parquet(folder / f"{name}.parquet").iloc[:most, :-1].select_dtypes("number")
    return scale(frame.to_numpy(dtype=np.float64))


@pytest.mark.covers("cluster.dbscan")
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("eps", [0.08, 0.2])
def test_dbscan_on_shapes(shared_data, name, eps):
    X = shape(shared_data, name)
    ours, peer = DBSCAN(eps).fit(X), peers.DBSCAN(eps=eps).fit(X)
    assert np.array_equal(ours.labels_, peer.labels_)
    assert np.array_equal(ours.core_sample_indices_, peer.core_sample_indices_)
    assert np.array_equal(ours.components_, peer.components_)


@pytest.mark.covers("cluster.dbscan")
@pytest.mark.parametrize("name", ["iris", "wine", "letter", "satellite", "segment"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_dbscan_on_tables(shared_data, name, metric):
    X = table(shared_data, name)
    eps = {"euclidean": 1.0, "manhattan": 2.0, "cosine": 0.05}[metric]
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    ours = DBSCAN(eps, metric=metric).fit(X, sample_weight=weight)
    peer = peers.DBSCAN(eps=eps, metric=metric).fit(X, sample_weight=weight)
    assert np.array_equal(ours.labels_, peer.labels_)


@pytest.mark.covers("cluster.optics")
@pytest.mark.parametrize("name", ["aggregation", "compound", "jain"])
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"xi": 0.1, "min_samples": 8},
        {"predecessor_correction": False},
        {"min_cluster_size": 0.05},
        {"max_eps": 0.3},
    ],
    ids=str,
)
def test_optics_on_shapes(shared_data, name, how):
    X = shape(shared_data, name, 400)
    X = X + 1e-7 * np.random.default_rng(0).normal(size=X.shape)  # whole numbers tie, and rounding decides
    ours, peer = OPTICS(**how).fit(X), peers.OPTICS(**how).fit(X)
    assert np.array_equal(ours.ordering_, peer.ordering_)
    np.testing.assert_allclose(ours.reachability_, peer.reachability_, rtol=1e-9)
    assert np.array_equal(ours.labels_, peer.labels_)
    assert np.array_equal(ours.cluster_hierarchy_, peer.cluster_hierarchy_)


@pytest.mark.parametrize("name", ["aggregation", "compound", "zelnik1"])
@pytest.mark.parametrize("how", [{}, {"cluster_selection_method": "leaf"}, {"allow_single_cluster": True}], ids=str)
def test_hdbscan_on_shapes(shared_data, name, how):
    """Merges of one height may come in any order, so the branches are compared on the peer's own merges."""
    X = shape(shared_data, name)
    ours, peer = HDBSCAN(8, 5, **how).fit(X), peers.HDBSCAN(8, min_samples=5, copy=True, **how).fit(X)
    merges = peer._single_linkage_tree_
    np.testing.assert_allclose(np.sort(ours.distances_), np.sort(merges["value"]), rtol=1e-9)
    children = np.column_stack([merges["left_node"], merges["right_node"]]).astype(np.int64)
    chosen = {
        "leaves": how.get("cluster_selection_method") == "leaf",
        "allow_root": how.get("allow_single_cluster", False),
        "max_size": 0.0,
        "eps": 0.0,
    }
    labels, probability, *_ = kernels.hdbscan(children, merges["value"].astype(float), min_size=8, **chosen)
    assert np.array_equal(labels, peer.labels_)
    np.testing.assert_allclose(probability, peer.probabilities_, rtol=1e-9)
    assert adjusted_rand_score(ours.labels_, peer.labels_) > 0.9


@pytest.mark.parametrize("eps", [0.1, 0.3])
@pytest.mark.parametrize("method", ["eom", "leaf"])
def test_hdbscan_with_a_least_distance_against_its_authors(shared_data, eps, method):
    hdbscan = pytest.importorskip("hdbscan", reason="the peer's wheel is not there for every platform")
    X = shape(shared_data, "compound")
    how = {"cluster_selection_epsilon": eps, "cluster_selection_method": method}
    peer = hdbscan.HDBSCAN(8, min_samples=5, **how).fit(X)
    merges = peer.single_linkage_tree_.to_numpy()
    labels, probability, *_ = kernels.hdbscan(
        merges[:, :2].astype(np.int64), np.ascontiguousarray(merges[:, 2]), min_size=8,
        leaves=method == "leaf", allow_root=False, max_size=0.0, eps=eps,
    )  # fmt: skip
    assert np.array_equal(labels, peer.labels_)
    np.testing.assert_allclose(probability, peer.probabilities_, rtol=1e-9)


@pytest.mark.parametrize("name", ["iris", "wine", "old_faithful"])
def test_mean_shift_on_tables(shared_data, name):
    X = table(shared_data, name, 300)
    width = estimate_bandwidth(X, quantile=0.2)
    assert width == pytest.approx(peers.estimate_bandwidth(X, quantile=0.2), rel=1e-9)
    for how in ({}, {"bin_seeding": True}):
        ours, peer = (module(bandwidth=width, **how).fit(X) for module in (MeanShift, peers.MeanShift))
        assert len(ours.cluster_centers_) == len(peer.cluster_centers_)
        assert adjusted_rand_score(ours.labels_, peer.labels_) > 0.99
        np.testing.assert_allclose(ours.cluster_centers_, peer.cluster_centers_, atol=5e-3 * width)


@pytest.mark.covers("cluster.isolation-forest")
@pytest.mark.parametrize("name", ["shuttle", "mammography", "oil_spill"])
def test_isolation_forest_ranks_rare_classes_as_well(shared_data, name):
    frame = pd.read_parquet(shared_data / f"{name}.parquet").sample(4000, random_state=0, replace=True)
    X, y = frame.iloc[:, :-1].select_dtypes("number").to_numpy(float), frame.iloc[:, -1].astype(str)
    rare = (y != y.value_counts().index[0]).to_numpy()
    ours, peer = (
        np.mean([roc_auc_score(rare, -model(random_state=seed).fit(X).score_samples(X)) for seed in range(5)])
        for model in (IsolationForest, PeerForest)
    )
    assert ours > peer - 0.03
