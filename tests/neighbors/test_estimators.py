"""Estimators by neighbours: ties, odd distances, mixed tables, missing values, wrong input."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier as ScikitKNN
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lanatus
from lanatus.data import load_watermelon
from lanatus.metric import MinkovDM, gower
from lanatus.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    LocalOutlierFactor,
    NearestCentroid,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    is_lazy,
)

RNG = np.random.default_rng(0)


def melons():
    bunch = load_watermelon("3.0")
    return bunch.data, np.asarray(bunch.target)


@pytest.mark.covers("neighbors.knn-classifier")
def test_equal_distances_go_to_the_lower_row_and_equal_votes_to_the_first_class():
    X, y = [[1.0], [-1.0], [1.0], [-1.0]], ["b", "a", "a", "b"]
    assert NearestNeighbors(n_neighbors=3).fit(X).kneighbors([[0.0]])[1].tolist() == [[0, 1, 2]]
    assert KNeighborsClassifier(1).fit(X, y).predict([[0.0]]).tolist() == ["b"]
    assert KNeighborsClassifier(2).fit(X, y).predict([[0.0]]).tolist() == ["a"]
    assert KNeighborsClassifier(4).fit(X, y).predict_proba([[0.0]]).tolist() == [[0.5, 0.5]]


@pytest.mark.covers("neighbors.knn-weighted")
def test_weights():
    X, y = [[0.0], [0.0], [1.0], [3.0]], [1, 0, 0, 0]
    model = KNeighborsClassifier(4, weights="distance").fit(X, y)
    assert model.predict_proba([[0.0]]).tolist() == [[0.5, 0.5]]  # those at distance 0 alone
    np.testing.assert_allclose(model.predict_proba([[2.0]]), [[2.5 / 3, 0.5 / 3]])
    nothing = KNeighborsClassifier(4, weights=lambda d: d * 0).fit(X, y)
    np.testing.assert_allclose(nothing.predict_proba([[9.0]]), [[0.75, 0.25]])  # all count alike
    assert KNeighborsRegressor(4, weights=lambda d: d * 0).fit(X, y).predict([[9.0]])[0] == 0.25
    for wrong in (lambda d: -d, lambda d: d[:, :1], lambda d: d * np.nan):
        with pytest.raises(ValueError, match="weights must give"):
            KNeighborsClassifier(4, weights=wrong).fit(X, y).predict([[2.0]])
    tiny = KNeighborsRegressor(2, weights="distance").fit([[0.0], [1.0]], [0.0, 1.0])
    assert tiny.predict([[5e-324]])[0] == 0.0  # 1 / distance is infinite
    far = RadiusNeighborsRegressor(9.0, weights="distance").fit(X, [0.0, 4.0, 1.0, 1.0])
    assert far.predict([[0.0]])[0] == 2.0
    called = RadiusNeighborsClassifier(2.5, weights=lambda lists: [1 / (1 + one) for one in lists]).fit(X, y)
    np.testing.assert_allclose(called.predict_proba([[1.0]])[0, 1], 0.5 / (0.5 + 0.5 + 1 + 1 / 3))


def test_one_row_equal_rows_and_more_neighbours_than_rows():
    for model in (KNeighborsClassifier(), RadiusNeighborsClassifier()):
        assert model.fit([[2.0, 1.0]], ["only"]).predict([[2.0, 1.5]]).tolist() == ["only"]
    assert KNeighborsRegressor(9).fit([[0.0], [1.0]], [1.0, 3.0]).predict([[5.0]]).tolist() == [2.0]
    same = np.ones((40, 3))
    distances, indices = NearestNeighbors(n_neighbors=4).fit(same).kneighbors()
    assert not distances.any()
    assert indices[[0, 2, 39]].tolist() == [[1, 2, 3, 4], [0, 1, 3, 4], [0, 1, 2, 3]]
    with pytest.warns(UserWarning, match="Duplicate values"):
        factors = LocalOutlierFactor(3).fit(np.vstack([same, [[5.0, 5.0, 5.0]]])).negative_outlier_factor_
    assert np.isfinite(factors).all()
    np.testing.assert_allclose(LocalOutlierFactor(3).fit(same).negative_outlier_factor_, -1.0)
    one = NearestNeighbors(n_neighbors=1).fit([[1.0]])
    assert one.kneighbors([[3.0]])[0].tolist() == [[2.0]]
    assert one.radius_neighbors(radius=9)[1][0].tolist() == []
    with pytest.raises(ValueError, match="Expected n_neighbors < n_samples_fit"):
        one.kneighbors()
    with pytest.raises(ValueError, match="n_neighbors = 2, n_samples_fit = 1"):
        one.kneighbors([[3.0]], 2)


def test_left_out_rows_are_no_neighbours_of_themselves():
    X, y = RNG.normal(size=(50, 2)), RNG.integers(2, size=50)
    model = KNeighborsClassifier(3).fit(X, y)
    expected = [
        KNeighborsClassifier(3).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1])[0] for i in range(50)
    ]
    np.testing.assert_array_equal(model.predict(None), expected)
    assert model.kneighbors_graph().diagonal().sum() == 0
    assert model.kneighbors_graph(X).diagonal().all()


def test_functions_that_are_no_metrics():
    X = np.array([[0.0], [1.0], [5.0], [7.0]])
    downhill = NearestNeighbors(n_neighbors=2, metric=lambda query, row: max(float(row[0] - query[0]), 0.0)).fit(X)
    assert downhill.kneighbors([[5.5]])[1].tolist() == [[0, 1]]  # all below are at 0: the query comes first
    assert downhill.kneighbors([[-1.0]])[0].tolist() == [[1.0, 2.0]]
    holes = NearestNeighbors(n_neighbors=3, metric=lambda a, b: np.nan if b[0] == 1 else abs(a[0] - b[0])).fit(X)
    distances, indices = holes.kneighbors([[1.2]])
    assert (indices.tolist(), distances.tolist()) == ([[0, 2, 3]], [[1.2, 3.8, 5.8]])
    assert np.isinf(holes.kneighbors([[1.2]], 4)[0][0, 3])
    endless = np.array([[0.0, np.finfo(float).max], [np.finfo(float).max, 0.0]])
    assert NearestNeighbors(n_neighbors=1, metric="precomputed").fit(endless).kneighbors()[1].tolist() == [[1], [0]]


def test_infinite_distances_come_last_and_the_row_itself_never():
    everyone = NearestNeighbors(n_neighbors=2, metric=lambda a, b: np.inf).fit([[0.0], [1.0], [2.0]])
    distances, indices = everyone.kneighbors()
    assert np.isinf(distances).all()
    assert indices.tolist() == [[1, 2], [0, 2], [0, 1]]


@pytest.mark.covers("metric.minkovdm", "neighbors.knn-classifier")
def test_mixed_tables_by_minkovdm():
    frame, y = melons()
    model = KNeighborsClassifier(3, metric="minkovdm").fit(frame, y)
    D = MinkovDM(scale=True).fit(frame, y).pairwise(frame)
    distances, _indices = model.kneighbors(frame)
    order = np.argsort(D, axis=1, kind="stable")[:, :3]
    np.testing.assert_allclose(distances, np.take_along_axis(D, order, axis=1), atol=1e-12)
    votes = (y[order] == "是").sum(axis=1)
    np.testing.assert_array_equal(model.predict(frame), np.where(votes >= 2, "是", "否"))
    np.testing.assert_allclose(model.kneighbors()[0][:, 0], np.sort(D + 9 * np.eye(17), axis=1)[:, 0], rtol=1e-12)
    spoiled = frame.copy()
    spoiled.loc[0, "色泽"], spoiled.loc[1, "密度"] = None, np.nan
    assert set(KNeighborsClassifier(3, metric="minkovdm").fit(spoiled, y).predict(spoiled)) <= {"是", "否"}
    with pytest.raises(ValueError, match="a classifier has them"):
        KNeighborsRegressor(metric="minkovdm").fit(frame, np.arange(17.0))
    with pytest.raises(ValueError, match="one output"):
        KNeighborsClassifier(metric="minkovdm").fit(frame, np.column_stack([y, y]))


@pytest.mark.covers("metric.mixed-nonmetric-distance")
@pytest.mark.parametrize("holes", [False, True])
def test_mixed_tables_by_gower(holes):
    frame, _ = melons()
    if holes:
        frame = frame.copy()
        frame.loc[0, "色泽"], frame.loc[1, "密度"] = None, np.nan
    model = NearestNeighbors(n_neighbors=4, metric="gower").fit(frame)
    D = gower(frame)
    order = np.argsort(D + 9 * np.eye(17), axis=1, kind="stable")[:, :4]
    distances, _indices = model.kneighbors()
    np.testing.assert_allclose(distances, np.take_along_axis(D, order, axis=1), atol=1e-12)
    near = model.radius_neighbors_graph(frame, 0.3).toarray() > 0
    clear = np.abs(D - 0.3) > 1e-9
    np.testing.assert_array_equal(near[clear], (D <= 0.3)[clear])
    one_hole = frame.iloc[:1].copy()
    one_hole["密度"] = np.nan
    assert np.isfinite(model.kneighbors(one_hole)[0]).all()
    names = frame[["色泽", "根蒂"]]
    assert KNeighborsRegressor(2, metric="gower").fit(names, np.arange(17.0)).predict(names).shape == (17,)


def test_categories_only_and_indicators():
    frame, y = melons()
    names = frame[["色泽", "根蒂", "纹理"]]
    for metric in ("minkowski", "minkovdm", "gower", "hamming"):
        assert KNeighborsClassifier(3, metric=metric).fit(names, y).score(names, y) > 0.7
    holes = names.copy()
    holes.loc[3, "色泽"] = None
    with pytest.raises(ValueError, match="no rule for missing values"):
        KNeighborsClassifier().fit(holes, y)
    numbers = np.where(RNG.random((30, 3)) < 0.2, np.nan, RNG.normal(size=(30, 3)))
    found = NearestNeighbors(n_neighbors=2, metric="nan_euclidean").fit(numbers).kneighbors(numbers)[1]
    assert (found[:, 0] == np.arange(30)).mean() > 0.8
    with pytest.raises(ValueError, match="NaN"):
        NearestNeighbors().fit(numbers)


def test_radius_labels_of_outliers():
    X, y = [[0.0], [1.0], [9.0]], ["a", "a", "b"]
    with pytest.raises(ValueError, match=r"No neighbors found for test samples \[1\]"):
        RadiusNeighborsClassifier(1.0).fit(X, y).predict([[0.0], [5.0]])
    model = RadiusNeighborsClassifier(1.0, outlier_label="new").fit(X, y)
    assert model.predict([[0.0], [5.0]]).tolist() == ["a", "new"]
    with pytest.warns(UserWarning, match="not in training classes"):
        assert model.predict_proba([[5.0]]).tolist() == [[0.0, 0.0]]
    both = RadiusNeighborsClassifier(1.0, outlier_label=[0, 5]).fit(X, [[0, 5], [1, 5], [1, 6]])
    assert both.predict([[5.0]]).tolist() == [[0, 5]]
    with pytest.raises(ValueError, match="length of outlier_label"):
        RadiusNeighborsClassifier(outlier_label=[1]).fit(X, [[0, 5], [1, 5], [1, 6]])
    with pytest.raises(TypeError, match="a label like them"):
        RadiusNeighborsClassifier(outlier_label="a").fit(X, [0, 1, 2])


def test_factors_tell_outliers_from_new_and_old_rows():
    X = np.vstack([RNG.normal(size=(200, 2)), RNG.normal(size=(200, 2)) * 0.1 + 9, [[4.5, 4.5], [9.0, 11.0]]])
    old = LocalOutlierFactor()
    assert old.fit_predict(X)[-2:].tolist() == [-1, -1]
    assert set(np.argsort(old.negative_outlier_factor_)[:2]) == {400, 401}  # the one beside the dense cluster too
    model = LocalOutlierFactor(novelty=True).fit(X[:-2])
    assert model.predict(X[-2:]).tolist() == [-1, -1]
    assert model.predict().shape == (400,)
    with pytest.raises(AttributeError, match="no attribute 'fit_predict'"):
        model.fit_predict  # noqa: B018
    with pytest.raises(AttributeError, match="LocalOutlierFactor"):
        LocalOutlierFactor().predict  # noqa: B018


@pytest.mark.covers("neighbors.lazy-eager-tag")
def test_lazy_and_eager():
    assert is_lazy(KNeighborsClassifier())
    assert is_lazy(NearestNeighbors)
    assert is_lazy(ScikitKNN())
    assert is_lazy(make_pipeline(StandardScaler(), KNeighborsRegressor()))
    assert not is_lazy(NearestCentroid())
    assert not is_lazy(LocalOutlierFactor())
    assert not is_lazy(lanatus.bayes.GaussianNB())
    assert not is_lazy(make_pipeline(KNeighborsClassifier(), StandardScaler()))


@pytest.mark.parametrize(
    ("model", "data", "match"),
    [
        (NearestNeighbors(metric="precomputed"), np.ones((3, 2)), "must be square"),
        (NearestNeighbors(metric="precomputed"), -np.ones((3, 3)), "Negative values"),
        (NearestNeighbors(metric="haversine"), np.ones((3, 3)), "2 columns"),
        (NearestNeighbors(metric="minkowski", metric_params={"w": [1.0]}), np.ones((3, 3)), "w must be 3"),
        (NearestNeighbors(metric="mahalanobis", metric_params={"VI": -np.eye(3)}), np.ones((3, 3)), "eigenvalue"),
        (NearestNeighbors(metric="cosine", metric_params={"V": 1}), np.ones((3, 3)), "does not take"),
        (NearestNeighbors(metric="canberra", algorithm="kd_tree"), np.ones((3, 3)), "not valid for kd_tree"),
        (NearestNeighbors(metric="kl"), -np.ones((3, 3)), None),
        (NearestNeighbors(n_neighbors=0), np.ones((3, 3)), "n_neighbors"),
        (NearestNeighbors(p=0.5), np.ones((3, 3)), "'p' parameter"),
        (NearestNeighbors(metric="other"), np.ones((3, 3)), "'metric' parameter"),
    ],
    ids=lambda one: str(one)[:30],
)
def test_what_makes_no_sense_is_refused_in_words(model, data, match):
    with pytest.raises(ValueError, match=match):
        model.fit(data).kneighbors(n_neighbors=1)


def test_sparse_rows_know_angles():
    S = sp.random(20, 9, 0.4, "csr", random_state=0)
    assert NearestNeighbors(metric="cosine").fit(S).kneighbors(S, 1)[0].max() < 1e-7


def test_threads_asked_for_do_not_show():
    X = RNG.normal(size=(2000, 3))
    answers = [NearestNeighbors(n_jobs=jobs).fit(X).kneighbors() for jobs in (None, 1, 2, -1)]
    for other in answers[1:]:
        np.testing.assert_array_equal(answers[0][0], other[0])
        np.testing.assert_array_equal(answers[0][1], other[1])


def test_graphs():
    X = RNG.normal(size=(60, 2))
    model = NearestNeighbors(n_neighbors=4, radius=0.7).fit(X)
    graph = model.kneighbors_graph(mode="distance")
    assert graph.shape == (60, 60)
    assert np.diff(graph.indptr).tolist() == [4] * 60
    np.testing.assert_allclose(graph.data.reshape(60, 4), model.kneighbors()[0])
    near = model.radius_neighbors_graph(mode="distance")
    D = np.linalg.norm(X[:, None] - X, axis=2)
    np.testing.assert_allclose(near.toarray(), np.where(D <= 0.7, D, 0), atol=1e-15)
    assert (near != near.T).nnz == 0
    distances, indices = model.radius_neighbors(X[:5], sort_results=True)
    assert all(np.all(np.diff(one) >= 0) for one in distances)
    assert [one[0] for one in indices] == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="sort_results"):
        model.radius_neighbors(X, sort_results=True, return_distance=False)
    with pytest.raises(ValueError, match="mode"):
        model.kneighbors_graph(mode="other")


def test_precomputed_distances_in_cross_validation():
    X, y = RNG.normal(size=(60, 3)), np.repeat([0, 1], 30)
    X[y == 1] += 3
    D = np.linalg.norm(X[:, None] - X, axis=2)
    by_rows = cross_val_score(KNeighborsClassifier(3), X, y)
    np.testing.assert_array_equal(cross_val_score(KNeighborsClassifier(3, metric="precomputed"), D, y), by_rows)


def test_float32_stays():
    X = RNG.normal(size=(500, 3)).astype(np.float32)
    for algorithm in ("kd_tree", "ball_tree", "brute"):
        assert NearestNeighbors(algorithm=algorithm).fit(X).kneighbors()[0].dtype == np.float32


def test_saved_models_answer_the_same_and_spoiled_ones_say_so(tmp_path):
    frame, y = melons()
    for model in (
        KNeighborsClassifier(2, metric="gower").fit(frame, y),
        KNeighborsClassifier(2, metric="minkovdm").fit(frame, y),
        KNeighborsClassifier(2, metric="cosine").fit(frame, y),
        KNeighborsRegressor(2, metric="mahalanobis").fit(RNG.normal(size=(17, 8)), np.arange(17.0)),
    ):
        rows = frame if hasattr(model, "classes_") else RNG.normal(size=(5, 8))
        path = tmp_path / "model.skops"
        lanatus.save(model, path)
        loaded = lanatus.load(path)
        np.testing.assert_array_equal(loaded.predict(rows), model.predict(rows))
    model = KNeighborsClassifier(2).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    model._codes = model._codes[:2]
    lanatus.save(model, path)
    with pytest.raises(ValueError, match="differ in number"):
        lanatus.load(path)


def test_frames_keep_their_names():
    frame = pd.DataFrame(RNG.normal(size=(20, 2)), columns=["a", "b"])
    model = KNeighborsRegressor(1).fit(frame, np.arange(20.0))
    np.testing.assert_array_equal(model.predict(frame[["b", "a"]]), np.arange(20.0))


def test_a_weight_without_end_leaves_no_room_for_others():
    X, y = np.array([[0.0], [1.0], [1.5], [3.0]]), np.array([5.0, 1.0, 2.0, 9.0])
    endless = lambda distances: np.vectorize(lambda d: np.inf if d == 0 else 1 / d)(distances)  # noqa: E731
    for model in (KNeighborsRegressor(3, weights=endless), KNeighborsRegressor(3, weights="distance")):
        np.testing.assert_allclose(model.fit(X, y).predict([[1.0], [2.0]]), [1.0, (1.0 / 1 + 2 / 0.5 + 9 / 1) / 4])
    lists = lambda found: [np.where(d == 0, np.inf, 1.0) for d in found]  # noqa: E731
    near = RadiusNeighborsRegressor(1.1, weights=lists).fit(X, y)
    np.testing.assert_allclose(near.predict([[1.0], [0.5]]), [1, 8 / 3])
    with pytest.raises(ValueError, match="got NaN"):
        KNeighborsRegressor(3, weights=lambda d: d * np.nan).fit(X, y).predict(X)
    with pytest.raises(ValueError, match="shape"):
        KNeighborsRegressor(3, weights=lambda d: d[:1]).fit(X, y).predict(X)


def test_sparse_rows_know_city_blocks_and_functions_of_two_rows():
    X = sp.random(40, 12, 0.3, format="csr", random_state=0)
    queries = sp.random(7, 12, 0.3, format="csr", random_state=1)
    away = cdist(queries.toarray(), X.toarray(), "cityblock")
    order = np.argsort(away, axis=1, kind="stable")[:, :4]
    by_function = lambda x, y: float(abs(x - y).sum())  # noqa: E731
    for how in ({"metric": "cityblock"}, {"p": 1}, {"metric": by_function}):
        distances, indices = NearestNeighbors(n_neighbors=4, **how).fit(X).kneighbors(queries)
        np.testing.assert_array_equal(indices, order)
        np.testing.assert_allclose(distances, np.take_along_axis(away, order, axis=1))
        within = NearestNeighbors(radius=1.5, **how).fit(X).radius_neighbors(queries, return_distance=False)
        assert [sorted(one.tolist()) for one in within] == [np.flatnonzero(row <= 1.5).tolist() for row in away]
    with pytest.raises(TypeError, match="needs dense rows"):
        NearestNeighbors(metric="chebyshev").fit(X)


def test_a_ball_tree_takes_the_distances_of_scikit_learns():
    X = np.abs(np.random.default_rng(0).normal(size=(30, 3)))
    found = NearestNeighbors(n_neighbors=3, algorithm="ball_tree", metric="braycurtis").fit(X).kneighbors(X)[1]
    np.testing.assert_array_equal(found, np.argsort(cdist(X, X, "braycurtis"), axis=1, kind="stable")[:, :3])
    with pytest.raises(ValueError, match="not valid for kd_tree"):
        NearestNeighbors(algorithm="kd_tree", metric="braycurtis").fit(X)
