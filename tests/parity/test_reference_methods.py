"""The same answers as scikit-learn, on real data."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import cluster, impute, naive_bayes, preprocessing
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from lanatus.bayes import GaussianNB
from lanatus.cluster import KMeans
from lanatus.cluster.prototype._kmeans_pass import BoundedPasses
from lanatus.preprocess import KBinsDiscretizer, KNNImputer, MinMaxScaler, SimpleImputer, StandardScaler
from lanatus.scale import Block

BUNDLED = [load_iris, load_wine, load_breast_cancer, load_digits]


@pytest.mark.parametrize("load", BUNDLED)
@pytest.mark.parametrize("weighted", [False, True])
def test_gaussian_nb(load, weighted):
    X, y = load(return_X_y=True)
    weight = np.random.RandomState(0).rand(len(X)) if weighted else None
    ours = GaussianNB().fit(X, y, sample_weight=weight)
    theirs = naive_bayes.GaussianNB().fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=1e-10, atol=1e-12)
    if not weighted:  # theirs takes the smoothing from unweighted variances
        np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-9)
        np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-6, atol=1e-7)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("algorithm", ["lloyd", "hamerly", "elkan", "auto"])
@pytest.mark.parametrize("load", BUNDLED)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_kmeans_from_the_same_start(load, algorithm, dtype):
    X = load(return_X_y=True)[0].astype(dtype)
    start = X[np.random.RandomState(1).choice(len(X), 8, replace=False)]
    ours = KMeans(8, init=start, tol=0, algorithm=algorithm).fit(X)
    theirs = cluster.KMeans(8, init=start, tol=0, n_init=1).fit(X.astype(np.float64))
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-10 if dtype == np.float64 else 1e-3)
    if dtype == np.float64:
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-6, atol=1e-6)
        assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-10)


def test_kmeans_starts_as_well_as_theirs():
    X = load_digits().data
    ours = [KMeans(10, random_state=seed).fit(X).inertia_ for seed in range(10)]
    theirs = [cluster.KMeans(10, random_state=seed, n_init=1).fit(X).inertia_ for seed in range(10)]
    parallel = [KMeans(10, init="k-means||", random_state=seed).fit(X).inertia_ for seed in range(10)]
    assert np.mean(ours) <= 1.01 * np.mean(theirs)
    assert np.mean(parallel) <= 1.02 * np.mean(theirs)


def test_kmeans_sparse_equals_theirs():
    X = sp.random(500, 80, density=0.05, format="csr", random_state=0)
    start = X[:6].toarray()
    ours = KMeans(6, init=start, tol=0).fit(X)
    theirs = cluster.KMeans(6, init=start, tol=0, n_init=1).fit(X)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-10)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)


@pytest.mark.covers("data.min-max-scaler")
@pytest.mark.covers("data.z-score-scaler")
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (
            MinMaxScaler(feature_range=(-1, 2), clip=True),
            preprocessing.MinMaxScaler(feature_range=(-1, 2), clip=True),
        ),
        (StandardScaler(), preprocessing.StandardScaler()),
        (StandardScaler(with_mean=False), preprocessing.StandardScaler(with_mean=False)),
        (SimpleImputer(strategy="median"), impute.SimpleImputer(strategy="median")),
        (KNNImputer(3), impute.KNNImputer(n_neighbors=3)),
        (KNNImputer(3, weights="distance"), impute.KNNImputer(n_neighbors=3, weights="distance")),
    ],
    ids=lambda model: type(model).__name__,
)
def test_numeric_transformers(ours, theirs):
    X = load_wine().data.copy()
    X[np.random.RandomState(0).rand(*X.shape) < 0.05] = np.nan
    fresh = X[::3] * 1.2
    np.testing.assert_allclose(ours.fit(X).transform(fresh), theirs.fit(X).transform(fresh), rtol=1e-12, atol=1e-12)
    if hasattr(theirs, "inverse_transform") and not getattr(ours, "clip", False) and hasattr(ours, "scale_"):
        np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), X, rtol=1e-12, atol=1e-12)


@pytest.mark.covers("data.discretizer")
@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_discretiser(strategy):
    X = load_wine().data
    ours = KBinsDiscretizer(4, strategy=strategy, encode="ordinal").fit(X)
    theirs = preprocessing.KBinsDiscretizer(4, strategy=strategy, encode="ordinal").fit(X)
    for cuts, edges in zip(ours.bin_edges_, theirs.bin_edges_, strict=True):
        np.testing.assert_allclose(cuts, edges, rtol=1e-12)
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))


@pytest.mark.covers("data.discretizer")
def test_entropy_cuts_of_iris():
    """The published cuts of Fayyad and Irani's method for iris petals (as Weka's Discretize gives them)."""
    X, y = load_iris(return_X_y=True)
    model = KBinsDiscretizer(strategy="entropy").fit(X, y)
    np.testing.assert_allclose(model.bin_edges_[2][1:-1], [2.45, 4.75], atol=1e-9)
    np.testing.assert_allclose(model.bin_edges_[3][1:-1], [0.8, 1.75], atol=1e-9)


@pytest.mark.parametrize("name", ["penguins", "titanic", "adult", "credit_g", "soybean", "hypothyroid"])
def test_real_mixed_tables(shared_data, name):
    """Strings, holes and all: better than the majority class."""
    from sklearn.model_selection import cross_val_score

    frame = pd.read_parquet(shared_data / f"{name}.parquet")
    y, X = frame.iloc[:, -1], frame.iloc[:, :-1]
    accuracy = cross_val_score(GaussianNB(), X, y.astype(str), cv=2).mean()
    assert 0 < accuracy <= 1
    if name in ("penguins", "soybean"):
        assert accuracy > y.value_counts(normalize=True).iloc[0] + 0.2


@pytest.mark.parametrize("algorithm", ["lloyd", "hamerly", "elkan", "auto"])
def test_clusters_that_empty_are_refilled_by_every_algorithm(algorithm):
    """Weights that do not add up exactly: what moves leave behind must not keep an empty cluster alive."""
    rng = np.random.RandomState(0)
    X = np.vstack([rng.normal(size=(300, 2)), rng.normal(size=(300, 2)) + 30])
    weight = rng.rand(len(X))
    start = np.array([[0.0, 0.0], [30.0, 30.0], [15.0, 15.1], [15.1, 15.0], [100.0, 100.0]])
    model = KMeans(5, init=start, tol=0, algorithm=algorithm).fit(X, sample_weight=weight)
    assert len(np.unique(model.labels_)) == 5
    lloyd = KMeans(5, init=start, tol=0, algorithm="lloyd").fit(X, sample_weight=weight)
    assert model.inertia_ == pytest.approx(lloyd.inertia_, rel=1e-10)


@pytest.mark.parametrize("algorithm", ["hamerly", "elkan"])
def test_a_cluster_that_empties_step_by_step_weighs_nothing(algorithm):
    """Sums that follow the rows that move leave rounding behind, which must not keep a cluster alive."""
    rng = np.random.RandomState(0)
    X, weight = rng.rand(500, 1), rng.rand(500)
    passes = BoundedPasses(Block(X, None, weight, 0), algorithm, 2)
    for centers in ([[0.5], [10.0]], [[0.2], [0.8]], [[-10.0], [0.5]]):  # all in the first, half of them, none
        sums, mass = passes.step(np.array(centers))
    assert (passes.labels == 1).all()
    assert (mass[0], sums[0, 0]) == (0, 0)
    assert mass[1] == pytest.approx(weight.sum(), rel=1e-12)
