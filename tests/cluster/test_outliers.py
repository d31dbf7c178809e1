"""Detectors of outliers."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import roc_auc_score

from lanatus.cluster import DBSCAN, DistanceOutlierDetector, IsolationForest
from lanatus.density import DensityOutlierDetector, GaussianDensity, KernelDensity


def usual_path(n):
    """Mean depth of a leaf of a random binary tree of n leaves, by its sum."""
    return 2 * sum(1 / k for k in range(1, n)) - 2 * (n - 1) / n if n > 1 else 0.0


def with_outliers(seed=0, n=600, n_odd=30, d=3):
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(n, d)), rng.uniform(-8, 8, size=(n_odd, d))])
    return X, np.repeat([1, -1], [n, n_odd])


@pytest.mark.covers("cluster.isolation-forest")
def test_a_lonely_row_has_the_shortest_path():
    X, y = with_outliers()
    model = IsolationForest(random_state=0).fit(X)
    assert roc_auc_score(y, model.score_samples(X)) > 0.97
    far = model.score_samples([[50.0, 50.0, 50.0], [0.0, 0.0, 0.0]])
    assert far[0] < model.offset_ < far[1]


@pytest.mark.covers("cluster.isolation-forest")
def test_paths_in_one_tree_are_depths_and_what_is_left():
    """By hand, from the arrays of the tree: depth of the leaf, and the usual path of the rows that share it."""
    X, _ = make_blobs(64, 2, random_state=1)
    model = IsolationForest(n_estimators=1, max_samples=64, random_state=3).fit(X)
    column, cut, left = model.node_column_, model.node_threshold_, model.node_left_
    depth_limit = 6
    rows = {0: np.arange(64)}
    depth = {0: 0}
    found = np.zeros(64)
    for node in range(len(column)):
        if column[node] < 0:
            alone = len(rows[node])
            assert alone == 1 or depth[node] == depth_limit
            gamma = 2 * (np.log(alone - 1) + np.euler_gamma) - 2 * (alone - 1) / alone if alone > 2 else alone - 1
            found[rows[node]] = depth[node] + gamma
            continue
        goes_left = X[rows[node], column[node]] <= cut[node]
        assert 0 < goes_left.sum() < len(goes_left)
        for child, part in ((left[node], goes_left), (left[node] + 1, ~goes_left)):
            rows[child], depth[child] = rows[node][part], depth[node] + 1
    usual = 2 * (np.log(63) + np.euler_gamma) - 2 * 63 / 64
    np.testing.assert_allclose(model.score_samples(X), -(2 ** (-found / usual)), rtol=1e-12)
    assert usual == pytest.approx(usual_path(64), rel=5e-3)


def test_scores_do_not_depend_on_the_place_of_a_row():
    X, _ = with_outliers(1, n=103, n_odd=0)
    model = IsolationForest(random_state=0).fit(X)
    whole = model.score_samples(X)
    assert np.array_equal(np.concatenate([model.score_samples(X[i : i + 1]) for i in range(len(X))]), whole)


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_contamination_is_the_share_of_outliers_among_the_rows(share):
    X, _ = with_outliers(2)
    model = IsolationForest(contamination=share, random_state=0).fit(X)
    assert np.mean(model.predict(X) == -1) == pytest.approx(share, abs=0.01)
    assert np.array_equal(model.predict(X) == -1, model.decision_function(X) < 0)


def test_rows_of_no_weight_are_never_drawn_and_heavy_ones_often():
    X, _ = with_outliers(3, n=1000, n_odd=0)
    weight = np.ones(len(X))
    weight[:500], weight[500:600] = 0.0, 5.0
    drawn = IsolationForest(n_estimators=200, max_samples=40, random_state=0).fit(X, sample_weight=weight)
    counts = np.bincount(drawn.estimators_samples_.ravel(), minlength=1000)
    assert counts[:500].sum() == 0
    assert counts[500:600].mean() / counts[600:].mean() == pytest.approx(5.0, rel=0.15)  # little less: drawn once each
    with pytest.raises(ValueError, match="at least one non-zero"):
        IsolationForest().fit(X, sample_weight=np.zeros(len(X)))


def test_a_warm_start_keeps_its_trees():
    X, _ = with_outliers(4)
    model = IsolationForest(n_estimators=5, warm_start=True, random_state=0).fit(X)
    first = model.node_threshold_.copy()
    model.set_params(n_estimators=12).fit(X)
    assert len(model.node_starts_) == 13
    assert np.array_equal(model.node_threshold_[: len(first)], first)
    assert len(model.estimators_samples_) == 12
    with pytest.raises(ValueError, match="larger than or equal to the 12 trees"):
        model.set_params(n_estimators=3).fit(X)


def test_columns_that_say_nothing_and_rows_that_are_all_the_same():
    X, _ = with_outliers(5)
    X = np.column_stack([np.zeros(len(X)), X])
    assert 0 not in IsolationForest(random_state=0).fit(X).node_column_
    same = IsolationForest(random_state=0).fit(np.ones((20, 2)))
    assert np.unique(same.score_samples(np.ones((20, 2)))).size == 1
    one = IsolationForest().fit([[1.0, 2.0]])
    assert one.score_samples([[1.0, 2.0]]).shape == (1,)
    with pytest.raises(ValueError, match="more than the 4 columns"):
        IsolationForest(max_features=5).fit(X)


# ---------------------------------------------------------------- by distance, by density


@pytest.mark.covers("cluster.anomaly-detection")
def test_rows_far_from_all_centres_are_outliers():
    X, _ = make_blobs([200, 200], 2, centers=[[0, 0], [20, 0]], cluster_std=[0.5, 3.0], random_state=0)
    model = DistanceOutlierDetector(2, contamination=0.05, random_state=0).fit(X)
    centers, spreads = model.centers_, model.spreads_
    away = np.linalg.norm(X[:, None] - centers, axis=2)
    np.testing.assert_allclose(model.score_samples(X), -(away / spreads).min(axis=1), rtol=1e-9)
    for k in range(2):
        own = model.clusterer_.labels_ == k
        assert spreads[k] == pytest.approx(np.sqrt((away[own, k] ** 2).mean()))
    assert np.mean(model.predict(X) == -1) == 0.05
    narrow, wide = np.argmin(spreads), np.argmax(spreads)
    beside = centers[[narrow, wide]] + [0.0, 2.5]  # odd beside the narrow cluster, usual beside the wide one
    assert model.predict(beside).tolist() == [-1, 1]
    plain = DistanceOutlierDetector(2, contamination=0.05, scale=False, random_state=0).fit(X)
    np.testing.assert_allclose(plain.score_samples(X), -away.min(axis=1), rtol=1e-9)
    with pytest.raises(ValueError, match="n_samples=1"):
        DistanceOutlierDetector(2).fit([[1.0]])
    with pytest.raises(ValueError, match="learns no cluster_centers_"):
        DistanceOutlierDetector(clusterer=DBSCAN()).fit(X)


@pytest.mark.covers("cluster.anomaly-detection")
def test_rows_in_thin_places_are_outliers():
    X, y = with_outliers(6)
    model = DensityOutlierDetector(contamination=0.05).fit(X)
    assert roc_auc_score(y, model.score_samples(X)) > 0.97
    np.testing.assert_allclose(model.score_samples(X), KernelDensity(bandwidth="scott").fit(X).score_samples(X))
    assert np.sum(model.predict(X) == -1) == int(np.ceil(0.05 * len(X)))
    normal = DensityOutlierDetector(GaussianDensity(), contamination=0.05).fit(X)
    np.testing.assert_allclose(normal.score_samples(X[:5]), GaussianDensity().fit(X).score_samples(X[:5]))


def test_one_row_and_equal_rows_are_no_outliers():
    for rows in (np.ones((1, 3)), np.ones((50, 3))):
        model = IsolationForest(n_estimators=5, random_state=0).fit(rows)
        assert (model.predict(rows) == 1).all()
        assert (model.predict(rows + 1) == 1).all()
    with pytest.warns(UserWarning, match="greater than the total number of samples"):
        assert IsolationForest(n_estimators=5, max_samples=99).fit(np.eye(9)).max_samples_ == 9
