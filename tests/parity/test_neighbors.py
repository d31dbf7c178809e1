"""Searches, votes, means and outlier factors against scikit-learn's."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import neighbors as theirs
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from lanatus import neighbors as ours

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(300, 4)), RNG.normal(size=(60, 4))
y = RNG.integers(3, size=300)
METRICS = [
    ("minkowski", {}),
    ("minkowski", {"p": 1}),
    ("minkowski", {"p": 3.5}),
    ("minkowski", {"metric_params": {"w": np.array([1.0, 0.0, 2.0, 0.5])}}),
    ("euclidean", {}),
    ("manhattan", {}),
    ("chebyshev", {}),
    ("cosine", {}),
    ("correlation", {}),
    ("sqeuclidean", {}),
    ("seuclidean", {"metric_params": {"V": X.var(axis=0)}}),
    ("mahalanobis", {"metric_params": {"VI": np.linalg.inv(np.cov(X, rowvar=False))}}),
    ("canberra", {}),
    ("braycurtis", {}),
]


def same_search(mine, other, queries, k=7, radius=None):
    distances, indices = mine.kneighbors(queries, k)
    wanted, at = other.kneighbors(queries, k)
    np.testing.assert_allclose(distances, wanted, rtol=1e-7, atol=1e-7)
    np.testing.assert_array_equal(indices, at)
    radius = 1.0001 * float(np.median(wanted)) if radius is None else radius
    graph, other_graph = (m.radius_neighbors_graph(queries, radius, mode="distance").toarray() for m in (mine, other))
    np.testing.assert_allclose(graph, other_graph, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(("metric", "params"), METRICS, ids=lambda one: str(one)[:25])
def test_searches_by_every_distance(metric, params):
    rows, queries = (np.abs(X), np.abs(Q)) if metric == "braycurtis" else (X, Q)  # others define it for them alone
    mine = ours.NearestNeighbors(metric=metric, **params).fit(rows)
    other = theirs.NearestNeighbors(metric=metric, algorithm="brute", **params).fit(rows)
    same_search(mine, other, queries)
    same_search(mine, other, None)


@pytest.mark.parametrize("algorithm", ["auto", "kd_tree", "ball_tree", "brute"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "haversine"])
@pytest.mark.parametrize("leaf_size", [1, 30])
def test_searches_by_every_algorithm(algorithm, metric, leaf_size):
    points, queries = (X[:, :2], Q[:, :2]) if metric == "haversine" else (X, Q)
    mine = ours.NearestNeighbors(metric=metric, algorithm=algorithm, leaf_size=leaf_size).fit(points)
    other = theirs.NearestNeighbors(metric=metric, algorithm="brute").fit(points)
    same_search(mine, other, queries)
    if algorithm != "auto":
        assert mine._search.algorithm == algorithm


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_sparse_rows(metric):
    S = sp.random(200, 50, 0.1, "csr", random_state=0)
    queries = sp.random(20, 50, 0.1, "csr", random_state=1)
    mine, other = (package.NearestNeighbors(metric=metric, algorithm="brute").fit(S) for package in (ours, theirs))
    wanted = other.kneighbors(queries, 5)[0]
    np.testing.assert_allclose(mine.kneighbors(queries, 5)[0], wanted, atol=1e-7)


def test_precomputed_distances_dense_and_sparse():
    D = np.linalg.norm(X[:, None] - X, axis=2)
    between = np.linalg.norm(Q[:, None] - X, axis=2)
    mine, other = (package.NearestNeighbors(metric="precomputed").fit(D) for package in (ours, theirs))
    same_search(mine, other, between)
    same_search(mine, other, None)
    graph = other.kneighbors_graph(between, 20, mode="distance")
    mine, other = (
        package.NearestNeighbors(metric="precomputed").fit(other.kneighbors_graph(D, 30, mode="distance"))
        for package in (ours, theirs)
    )
    np.testing.assert_array_equal(mine.kneighbors(graph, 5)[1], other.kneighbors(graph, 5)[1])
    with pytest.raises(ValueError, match="only 20 neighbors"):
        mine.kneighbors(graph, 21)


@pytest.mark.covers("neighbors.knn-classifier", "neighbors.knn-weighted")
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: np.exp(-d)], ids=["uniform", "distance", "call"])
def test_classifiers_of_real_tables(load, weights):
    data, labels = load(return_X_y=True)
    data = StandardScaler().fit_transform(data)
    train = np.arange(len(data)) % 3 > 0
    for k in (1, 4, 15):
        models = [
            package.KNeighborsClassifier(k, weights=weights).fit(data[train], labels[train])
            for package in (ours, theirs)
        ]
        mine, other = (model.predict_proba(data[~train]) for model in models)
        np.testing.assert_allclose(mine, other, atol=1e-9)
        np.testing.assert_array_equal(models[0].predict(data[~train]), models[0].classes_[mine.argmax(axis=1)])
        # Where rounding of equal votes does not decide, labels agree as well.
        clear = np.sort(other, axis=1)[:, -1] - np.sort(other, axis=1)[:, -2] > 1e-9
        np.testing.assert_array_equal(*(model.predict(data[~train])[clear] for model in models))


@pytest.mark.covers("neighbors.knn-regressor", "neighbors.knn-weighted")
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: 1 / (1 + d)], ids=["uniform", "distance", "call"])
def test_regressors(weights):
    data, target = load_diabetes(return_X_y=True)
    several = np.column_stack([target, data[:, 0]])
    for k in (1, 5):
        for numbers in (target, several, several[:, :1]):
            mine, other = (
                package.KNeighborsRegressor(k, weights=weights).fit(data[100:], numbers[100:]).predict(data[:120])
                for package in (ours, theirs)
            )
            assert mine.shape == other.shape
            np.testing.assert_allclose(mine, other, rtol=1e-9)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_votes_and_means_within_a_radius(weights):
    far = np.vstack([Q, np.full((1, 4), 50.0)])
    mine, other = (
        package.RadiusNeighborsClassifier(1.5, weights=weights, outlier_label="most_frequent").fit(X, y)
        for package in (ours, theirs)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(mine.predict_proba(far), other.predict_proba(far), atol=1e-12)
        np.testing.assert_array_equal(mine.predict(far), other.predict(far))
    mine, other = (
        package.RadiusNeighborsRegressor(1.5, weights=weights).fit(X, X[:, 0] ** 2) for package in (ours, theirs)
    )
    with pytest.warns(UserWarning, match="no neighbors within"):
        found = mine.predict(far)
    with pytest.warns(UserWarning, match="within specified radius"):
        np.testing.assert_allclose(found, other.predict(far), rtol=1e-9)
    assert np.isnan(found[-1])


def test_several_outputs():
    Y = np.column_stack([y, np.where(X[:, 0] > 0, 5, 7)])
    mine, other = (package.KNeighborsClassifier(7).fit(X, Y) for package in (ours, theirs))
    np.testing.assert_array_equal(mine.predict(Q), other.predict(Q))
    for one, two in zip(mine.predict_proba(Q), other.predict_proba(Q), strict=True):
        np.testing.assert_allclose(one, two)
    assert mine.outputs_2d_
    assert [c.tolist() for c in mine.classes_] == [[0, 1, 2], [5, 7]]


@pytest.mark.parametrize("contamination", ["auto", 0.1])
@pytest.mark.parametrize("n_neighbors", [5, 20, 400])
def test_outlier_factors(contamination, n_neighbors):
    rows = np.vstack([X, [[6.0] * 4, [7.0] * 4]])
    models = [
        package.LocalOutlierFactor(n_neighbors, contamination=contamination, novelty=True) for package in (ours, theirs)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine, other = (model.fit(rows) for model in models)
        labels = ours.LocalOutlierFactor(n_neighbors, contamination=contamination).fit_predict(rows)
        wanted = theirs.LocalOutlierFactor(n_neighbors, contamination=contamination).fit_predict(rows)
    np.testing.assert_allclose(mine.negative_outlier_factor_, other.negative_outlier_factor_, rtol=1e-7)
    assert (mine.offset_, mine.n_neighbors_) == (pytest.approx(other.offset_), other.n_neighbors_)
    np.testing.assert_array_equal(labels, wanted)
    np.testing.assert_allclose(mine.score_samples(Q), other.score_samples(Q), rtol=1e-7)
    np.testing.assert_allclose(mine.decision_function(Q), other.decision_function(Q), rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(mine.predict(Q), other.predict(Q))


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
@pytest.mark.parametrize(
    "how", [{}, {"metric": "manhattan"}, {"shrink_threshold": 0.5}, {"priors": "empirical"}], ids=str
)
def test_nearest_centroids(load, how):
    data, labels = load(return_X_y=True)
    labels = labels.copy()
    labels[:30] = 0  # uneven
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine, other = (package.NearestCentroid(**how).fit(data, labels) for package in (ours, theirs))
    np.testing.assert_allclose(mine.centroids_, other.centroids_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(mine.within_class_std_dev_, other.within_class_std_dev_, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(mine.predict(data), other.predict(data))
    if how.get("metric") != "manhattan":
        np.testing.assert_allclose(mine.predict_proba(data), other.predict_proba(data), atol=1e-7)
        np.testing.assert_allclose(mine.decision_function(data), other.decision_function(data), rtol=1e-6, atol=1e-6)


def test_condensing_and_editing_as_imbalanced_learn_where_the_rules_are_the_same():
    from imblearn.under_sampling import EditedNearestNeighbours

    labels = (X[:, 0] + 0.5 * RNG.normal(size=300) > 0).astype(int)
    for kind in ("all", "mode"):
        mine = ours.EditedNearestNeighbours(kind_sel=kind).fit(X, labels).sample_indices_
        peer = EditedNearestNeighbours(kind_sel=kind, sampling_strategy="all")
        peer.fit_resample(X, labels)
        np.testing.assert_array_equal(mine, np.sort(peer.sample_indices_))
