"""Clusters around prototypes: the books' numbers, peers, definitions, odd data."""

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from lanatus._core import cluster as kernels
from samples import melon_numbers
from scipy.cluster.vq import vq
from scipy.spatial.distance import cdist
from sklearn import cluster as theirs
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs, make_circles, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from lanatus.callbacks import Recorder
from lanatus.cluster import (
    LVQ,
    AffinityPropagation,
    AutoKMeans,
    BisectingKMeans,
    BregmanKMeans,
    FuzzyCMeans,
    KernelKMeans,
    KMeans,
    KMedoids,
    KModes,
    KPrototypes,
    MiniBatchKMeans,
    XMeans,
    pair_counts,
    vector_quantize,
)


def same_partition(one, other):
    counts = pair_counts(one, other)
    return counts.b == counts.c == 0


def melons_of(labels):
    return {frozenset((np.flatnonzero(labels == c) + 1).tolist()) for c in np.unique(labels)}


# ---------------------------------------------------------------- k-means by exchange


@pytest.mark.covers("cluster.kmeans-exchange")
def test_exchange_of_the_cookbook():
    """Cookbook A2: of {0, 1, 5} and {6, 7} the row 5 moves, for it costs 13.5 here and 1.5 there: J falls by 12."""
    X = np.array([[0.0], [1.0], [5.0], [6.0], [7.0]])
    labels, means = np.array([0, 0, 0, 1, 1], np.int32), np.array([[2.0], [6.5]])
    mass, count = np.array([3.0, 2.0]), np.array([3, 2])
    before = float(((X - means[labels]) ** 2).sum())
    assert kernels.exchange_pass(X, None, labels, means, mass, count) == 1
    assert labels.tolist() == [0, 0, 1, 1, 1]
    np.testing.assert_allclose(means.ravel(), [0.5, 6.0])
    after = float(((X - means[labels]) ** 2).sum())
    assert (before, after) == (14.5, pytest.approx(2.5))
    model = KMeans(2, init=[[2.0], [9.0]], algorithm="exchange").fit(X)  # which begins with just these clusters
    assert model.labels_.tolist() == [0, 0, 1, 1, 1]
    assert model.inertia_ == pytest.approx(2.5)


@pytest.mark.covers("cluster.kmeans-exchange")
def test_exchange_ends_where_no_single_move_helps_and_below_lloyd():
    X, _ = melon_numbers("4.0")
    for triple in list(combinations(range(30), 3))[::400]:
        lloyd = KMeans(3, init=X[list(triple)], tol=0).fit(X)
        found = KMeans(3, init=lloyd.cluster_centers_, algorithm="exchange").fit(X)
        assert found.inertia_ <= lloyd.inertia_ + 1e-12
        for row in range(30):
            for other in set(range(3)) - {int(found.labels_[row])}:
                moved = found.labels_.copy()
                moved[row] = other
                error = sum(((X[moved == c] - X[moved == c].mean(axis=0)) ** 2).sum() for c in np.unique(moved))
                assert error >= found.inertia_ - 1e-12
    weight = np.random.RandomState(0).randint(1, 4, 30)
    heavy = KMeans(3, init=X[:3], algorithm="exchange").fit(X, sample_weight=weight)
    members = [np.average(X[heavy.labels_ == c], axis=0, weights=weight[heavy.labels_ == c]) for c in range(3)]
    np.testing.assert_allclose(heavy.cluster_centers_, members)
    with pytest.raises(ValueError, match="dense rows in memory"):
        KMeans(2, algorithm="exchange").fit(sp.csr_matrix(X))
    equal = np.ones((5, 2))
    with pytest.warns(ConvergenceWarning, match="distinct"):
        KMeans(2, algorithm="exchange", random_state=0).fit(equal)


# ---------------------------------------------------------------- batches and halves


@pytest.mark.parametrize("data", [load_digits, load_wine, load_iris], ids=["digits", "wine", "iris"])
def test_small_batches_are_as_good_as_those_of_scikit_learn(data):
    X = data(return_X_y=True)[0].astype(float)
    X = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9)
    ours = np.mean([MiniBatchKMeans(5, random_state=seed).fit(X).inertia_ for seed in range(5)])
    peer = np.mean([theirs.MiniBatchKMeans(5, random_state=seed, n_init=1).fit(X).inertia_ for seed in range(5)])
    best = KMeans(5, n_init=10, random_state=0).fit(X).inertia_
    assert best * (1 - 1e-9) <= ours <= 1.03 * peer


def test_small_batches_one_after_the_other():
    X, y = make_blobs(3000, 3, centers=4, random_state=0)
    model = MiniBatchKMeans(4, random_state=0)
    for start in range(0, 3000, 300):
        model.partial_fit(X[start : start + 300])
    assert model.n_steps_ == 10
    assert adjusted_rand_score(y, model.predict(X)) > 0.95
    # One batch with all rows is one round of k-means; from the means, each is the mean of all that it was given.
    start = X[:4]
    one = MiniBatchKMeans(4, init=start, reassignment_ratio=0).partial_fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(one.cluster_centers_, KMeans(4, init=start, max_iter=1).fit(X).cluster_centers_)
    labels = KMeans(4, init=one.cluster_centers_).fit(X).predict(X)
    assert labels.shape == (3000,)
    with pytest.raises(ValueError, match="n_samples=2"):
        MiniBatchKMeans(4).partial_fit(X[:2])


def test_halves():
    X, y = make_blobs(200, 2, centers=[(0, 0), (0, 8), (30, 0), (30, 8)], random_state=0)
    recorder = Recorder()
    model = BisectingKMeans(4, random_state=0).set_callbacks(recorder).fit(X)
    assert same_partition(model.labels_, y)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    first = recorder.models[0].labels_
    assert same_partition(first, y // 2)  # the far pair is parted first
    error = sum(((X[model.labels_ == c] - X[model.labels_ == c].mean(axis=0)) ** 2).sum() for c in range(4))
    assert model.inertia_ == pytest.approx(error)
    sizes = BisectingKMeans(3, bisecting_strategy="largest_cluster", random_state=0).fit(np.vstack([X, X[:150]]))
    assert len(sizes.cluster_centers_) == 3
    with pytest.warns(ConvergenceWarning, match="distinct"):
        assert len(BisectingKMeans(4, random_state=0).fit([[0.0], [0.0], [0.0], [1.0]]).cluster_centers_) == 2


# ---------------------------------------------------------------- k-medoids


@pytest.mark.covers("cluster.kmedoids")
@pytest.mark.parametrize(("k", "medoids", "total"), [(2, {3, 6}, 4.176728), (3, {14, 18, 25}, 3.267147)])
def test_medoids_of_the_melons(k, medoids, total):
    """ch08-09 W7: the exact optima."""
    X, _ = melon_numbers("4.0")
    for how in ("fasterpam", "pam"):
        model = KMedoids(k, method=how, n_init=20, random_state=0).fit(X)
        assert set((model.medoid_indices_ + 1).tolist()) == medoids
        assert model.inertia_ == pytest.approx(total, abs=5e-7)


@pytest.mark.covers("cluster.kmedoids")
def test_medoids_that_no_swap_improves():
    X, _ = make_blobs(120, 3, centers=5, cluster_std=3, random_state=0)
    D = cdist(X, X, "cityblock")
    model = KMedoids(5, metric="precomputed", random_state=1).fit(D)
    assert model.inertia_ == pytest.approx(D[model.medoid_indices_].min(axis=0).sum())
    for place in range(5):
        for row in range(120):
            swapped = model.medoid_indices_.copy()
            swapped[place] = row
            assert D[swapped].min(axis=0).sum() >= model.inertia_ - 1e-9
    same = KMedoids(5, metric="manhattan", random_state=1).fit(X)
    np.testing.assert_array_equal(same.medoid_indices_, model.medoid_indices_)
    np.testing.assert_array_equal(same.predict(X), model.predict(D))
    alternate = KMedoids(5, metric="manhattan", method="alternate", random_state=1).fit(X)
    assert alternate.inertia_ >= KMedoids(5, metric="manhattan", init="build").fit(X).inertia_ - 1e-9
    assert KMedoids(1).fit(X).inertia_ == pytest.approx(cdist(X, X).sum(axis=0).min())
    with pytest.raises(ValueError, match="different rows"):
        KMedoids(2, init=[0, 0]).fit(X)
    equal = KMedoids(3, random_state=0).fit(np.ones((6, 2)))
    assert equal.inertia_ == 0


@pytest.mark.covers("cluster.kmedoids")
def test_medoids_are_as_good_as_those_of_the_peer():
    kmedoids = pytest.importorskip("kmedoids")
    for data in (load_iris, load_wine, load_digits):
        X = data(return_X_y=True)[0][:600].astype(float)
        D = cdist(X, X)
        for seed in range(3):
            start = np.random.RandomState(seed).choice(len(X), 8, replace=False)
            peer = kmedoids.fasterpam(D, start.copy(), max_iter=100, init="first")
            ours = KMedoids(8, metric="precomputed", init=start).fit(D)
            assert ours.inertia_ <= peer.loss * 1.02


# ---------------------------------------------------------------- modes


@pytest.mark.covers("cluster.kmodes")
def test_modes_lower_the_differences_to_where_nothing_moves():
    rng = np.random.RandomState(0)
    centres = rng.randint(0, 4, size=(3, 8))
    y = rng.randint(3, size=200)
    codes = np.where(rng.rand(200, 8) < 0.8, centres[y], rng.randint(0, 4, size=(200, 8)))
    frame = pd.DataFrame({f"c{j}": np.array(list("wxyz"))[codes[:, j]] for j in range(8)})
    model = KModes(3, random_state=0).fit(frame)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    different = (codes[:, None] != model.modes_).sum(axis=2)
    np.testing.assert_array_equal(model.labels_, different.argmin(axis=1))
    assert model.cost_ == different.min(axis=1).sum()
    for c in range(3):
        for j in range(8):
            counts = np.bincount(codes[model.labels_ == c, j], minlength=4)
            assert counts[model.modes_[c, j]] == counts.max()
    peer = pytest.importorskip("kmodes.kmodes")
    assert model.cost_ <= peer.KModes(3, init="Cao", random_state=0).fit(codes).cost_
    for init in ("plusplus", "random"):
        assert KModes(3, init=init, n_init=10, random_state=0).fit(frame).cost_ == model.cost_


@pytest.mark.covers("cluster.kmodes")
def test_modes_of_holes_numbers_and_equal_rows():
    frame = pd.DataFrame({"a": ["x", "x", None, None, None], "b": [1, 1, 2, 2, 2]})
    model = KModes(2).fit(frame)
    assert model.labels_.tolist() in ([0, 0, 1, 1, 1], [1, 1, 0, 0, 0])
    assert model.cost_ == 0
    assert KModes(3).fit([["a"]] * 5).cost_ == 0
    one = KPrototypes(2, gamma=2.0).fit(frame.assign(b=frame["b"].astype(float)))
    assert one.cost_ == 0
    np.testing.assert_allclose(np.sort(one.means_.ravel()), [1, 2])


def test_prototypes_of_mixed_tables():
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1], 60)
    frame = pd.DataFrame({"x": rng.normal(size=120) + 3 * y, "c": np.where(rng.rand(120) < 0.9, y, 1 - y).astype(str)})
    model = KPrototypes(2, gamma=1.5).fit(frame)
    assert adjusted_rand_score(y, model.labels_) > 0.8
    codes = (frame["c"] == "1").to_numpy().astype(int)
    cost = (frame["x"].to_numpy()[:, None] - model.means_[:, 0]) ** 2 + 1.5 * (codes[:, None] != model.modes_[:, 0])
    assert model.cost_ == pytest.approx(cost.min(axis=1).sum())
    numbers = frame[["x"]]
    plain = KPrototypes(2, init="plusplus", n_init=10, random_state=0).fit(numbers)
    assert plain.cost_ == pytest.approx(KMeans(2, n_init=5, tol=0, random_state=0).fit(numbers).inertia_)


# ---------------------------------------------------------------- soft, Bregman, kernel


@pytest.mark.covers("cluster.fuzzy-cmeans")
def test_fuzzy_clusters_of_the_melons():
    """ch08-09 W7."""
    X, _ = melon_numbers("4.0")
    for seed in range(3):
        model = FuzzyCMeans(3, tol=1e-12, max_iter=2000, random_state=seed).fit(X)
        order = np.argsort(model.cluster_centers_[:, 0])
        wanted = [[0.354870, 0.227324], [0.638775, 0.170467], [0.643469, 0.412032]]
        np.testing.assert_allclose(model.cluster_centers_[order], wanted, atol=1e-6)
        assert model.objective_ == pytest.approx(0.2831933766, abs=1e-9)
        assert model.partition_coefficient_ == pytest.approx(0.6468833, abs=1e-6)
    assert melons_of(model.labels_) >= {frozenset({3, 5, 9, 13, 14, 16, 17, 21})}
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X), model.membership_, rtol=1e-6)
    on_centre = model.predict_proba(model.cluster_centers_)
    np.testing.assert_array_equal(on_centre, np.eye(3))


@pytest.mark.covers("cluster.fuzzy-cmeans")
def test_fuzzy_clusters_harden_into_k_means():
    X, _ = make_blobs(100, 2, centers=3, random_state=0)
    start = X[:3]
    hard = FuzzyCMeans(3, m=1.01, init=start, max_iter=1000).fit(X)
    np.testing.assert_allclose(hard.cluster_centers_, KMeans(3, init=start, tol=0).fit(X).cluster_centers_, atol=1e-3)
    equal = FuzzyCMeans(2, random_state=0).fit(np.ones((4, 2)))
    np.testing.assert_allclose(equal.membership_, 0.5)


@pytest.mark.covers("cluster.bregman-clustering")
@pytest.mark.parametrize("divergence", ["squared", "kl", "itakura-saito", "logistic"])
def test_bregman_sums_fall_and_means_are_best(divergence):
    rng = np.random.RandomState(0)
    X = rng.beta(2, 3, size=(150, 4))
    phi = {
        "squared": (lambda x: (x**2).sum(-1), lambda x: 2 * x),
        "kl": (lambda x: (x * np.log(x) - x).sum(-1), np.log),
        "itakura-saito": (lambda x: -np.log(x).sum(-1), lambda x: -1 / x),
        "logistic": (
            lambda x: (x * np.log(x) + (1 - x) * np.log(1 - x)).sum(-1),
            lambda x: np.log(x / (1 - x)),
        ),
    }[divergence]
    recorder = Recorder()
    model = BregmanKMeans(4, divergence=divergence, random_state=0).set_callbacks(recorder).fit(X)
    mu = model.cluster_centers_
    by_definition = phi[0](X)[:, None] - phi[0](mu) - ((X[:, None] - mu) * phi[1](mu)).sum(axis=2)
    np.testing.assert_allclose(model.transform(X), by_definition, rtol=1e-9, atol=1e-12)
    sums = [-one.score(X) for one in recorder.models]
    assert (np.diff(sums) <= 1e-12).all()
    assert model.inertia_ == pytest.approx(sums[-1])
    for c in range(4):
        np.testing.assert_allclose(mu[c], X[model.labels_ == c].mean(axis=0))
    if divergence == "squared":
        start = X[:4]
        plain = KMeans(4, init=start, tol=0).fit(X)
        assert BregmanKMeans(4, init=start).fit(X).inertia_ == pytest.approx(plain.inertia_)
    else:
        with pytest.raises(ValueError, match="divergence"):
            BregmanKMeans(2, divergence=divergence).fit(X - 10)


@pytest.mark.covers("cluster.kernel-kmeans")
def test_kernel_k_means_parts_rings_and_is_k_means_with_a_linear_kernel():
    X, y = make_circles(200, factor=0.3, noise=0.03, random_state=0)
    squared = KernelKMeans(2, kernel=lambda a, b: float(a @ a) * float(b @ b), random_state=0).fit(X)
    assert same_partition(squared.labels_, y)  # by the squared radius alone
    rows, _ = make_blobs(90, 3, centers=3, cluster_std=2, random_state=0)
    linear = KernelKMeans(3, kernel="linear", n_init=10, random_state=0).fit(rows)
    plain = KMeans(3, n_init=10, tol=0, random_state=0).fit(rows)
    assert linear.inertia_ == pytest.approx(plain.inertia_)
    assert same_partition(linear.labels_, plain.labels_)
    np.testing.assert_array_equal(linear.predict(rows), linear.labels_)
    K = rbf_kernel(rows, gamma=0.1)
    given = KernelKMeans(3, kernel="precomputed", random_state=0).fit(K)
    np.testing.assert_array_equal(given.labels_, KernelKMeans(3, gamma=0.1, random_state=0).fit(rows).labels_)
    np.testing.assert_array_equal(given.predict(K), given.labels_)
    assert KernelKMeans(2, random_state=0).fit(np.ones((5, 2))).inertia_ == pytest.approx(0, abs=1e-12)


# ---------------------------------------------------------------- how many clusters


@pytest.mark.covers("cluster.kmeans-auto-k")
@pytest.mark.parametrize("criterion", ["gap", "silhouette", "calinski-harabasz", "davies-bouldin", "bic"])
def test_the_number_of_clusters_is_found(criterion):
    X, y = make_blobs(200, 2, centers=[(0, 0), (9, 0), (0, 9), (9, 9)], random_state=0)
    model = AutoKMeans(criterion=criterion, k_max=8, random_state=0).fit(X)
    assert model.n_clusters_ == 4
    assert same_partition(model.labels_, y)
    assert len(model.tried_) == len(model.scores_)
    assert AutoKMeans(criterion=criterion, random_state=0).fit(np.ones((5, 2))).n_clusters_ == 1
    with pytest.raises(ValueError, match="k_min <= k_max"):
        AutoKMeans(k_min=5, k_max=3).fit(X)


@pytest.mark.covers("cluster.xmeans")
def test_x_means_splits_while_bic_is_better():
    X, y = make_blobs(300, 2, centers=[(0, 0), (12, 0), (60, 0), (72, 0), (200, 0)], random_state=0)
    model = XMeans(random_state=0).fit(X)
    assert same_partition(model.labels_, y)
    assert XMeans(k_max=3, random_state=0).fit(X).n_clusters_ <= 3
    one = np.random.RandomState(0).normal(size=(300, 2))
    assert XMeans(random_state=0).fit(one).n_clusters_ == 1
    # BIC by its definition, as the log-likelihood of Gaussians with one variance
    n, d, k = 300, 2, 5
    variance = model.inertia_ / ((n - k) * d)
    sizes = np.bincount(model.labels_)
    squares = ((X - model.cluster_centers_[model.labels_]) ** 2).sum(axis=1)
    logs = np.log(sizes[model.labels_] / n) - d / 2 * np.log(2 * np.pi * variance) - squares / (2 * variance)
    assert model.bic_ == pytest.approx(logs.sum() - k * (d + 1) / 2 * np.log(n))


@pytest.mark.parametrize("data", [load_iris, load_wine], ids=["iris", "wine"])
def test_affinity_propagation_is_that_of_scikit_learn(data):
    X = data(return_X_y=True)[0]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for preference in (None, -40.0):
        how = {"preference": preference, "damping": 0.7, "random_state": 0, "max_iter": 500}
        ours, peer = AffinityPropagation(**how).fit(X), theirs.AffinityPropagation(**how).fit(X)
        assert same_partition(ours.labels_, peer.labels_)
        np.testing.assert_array_equal(ours.cluster_centers_indices_, peer.cluster_centers_indices_)
        np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    given = AffinityPropagation(affinity="precomputed", damping=0.7, random_state=0, max_iter=500)
    given.fit(-cdist(X, X, "sqeuclidean"))
    assert same_partition(given.labels_, AffinityPropagation(damping=0.7, random_state=0, max_iter=500).fit(X).labels_)
    assert AffinityPropagation().fit(np.ones((4, 2))).labels_.tolist() == [0, 0, 0, 0]
    with pytest.warns(ConvergenceWarning):
        AffinityPropagation(max_iter=2).fit(X)


# ---------------------------------------------------------------- LVQ


def melon_lvq(**how):
    X, y = melon_numbers("4.0")
    labels = np.where(y == y[8], "c2", "c1")
    given = {"init": X[[4, 11, 17, 22, 28]], "prototype_labels": ["c1", "c2", "c2", "c1", "c1"], "order": "given"}
    return X, labels, LVQ(**{**given, **how})


@pytest.mark.covers("cluster.lvq")
def test_lvq_of_the_melons():
    """ch08-09 W3: rounds in the order of the table."""
    X, y, model = melon_lvq(max_iter=1)
    model.fit(X, y)
    wanted = [
        [0.500119, 0.281189],
        [0.334180, 0.095220],
        [0.332750, 0.200384],
        [0.491639, 0.354694],
        [0.726681, 0.452018],
    ]
    np.testing.assert_allclose(model.prototypes_, wanted, atol=5.1e-7)
    assert (model.predict(X) == y).sum() == 22
    X, y, model = melon_lvq(max_iter=10)
    model.fit(X, y)
    wanted = [
        [0.508130, 0.248944],
        [0.653471, 0.131871],
        [0.296573, 0.192396],
        [0.507527, 0.422857],
        [0.732164, 0.434781],
    ]
    np.testing.assert_allclose(model.prototypes_, wanted, atol=5.1e-7)
    assert np.flatnonzero(model.predict(X) != y).tolist() == [14]


@pytest.mark.covers("cluster.lvq")
def test_only_the_winner_moves_by_the_rate():
    X, _, model = melon_lvq(max_iter=1)
    before = X[[4, 11, 17, 22, 28]]
    for row, label in [(X[0], "c1"), (X[0], "c2")]:
        moved = before.copy()
        model._show(moved, np.array([0, 1, 1, 0, 0]), row, ["c1", "c2"].index(label), 0.1)
        changed = np.flatnonzero((moved != before).any(axis=1))
        assert changed.tolist() == [4]
        old, new = np.linalg.norm(before[4] - row), np.linalg.norm(moved[4] - row)
        assert new == pytest.approx(old * (0.9 if label == "c1" else 1.1))


@pytest.mark.covers("cluster.lvq2", "cluster.lvq3")
def test_two_prototypes_move_within_the_window():
    def moved(variant, x, label, own):
        model = LVQ(variant=variant, window=0.3, epsilon=0.2)
        places = np.array([[0.0], [1.0], [9.0]])
        model._show(places, np.array(own), np.array([x]), label, 0.1)
        return (places - [[0.0], [1.0], [9.0]]).ravel()

    for variant in ("lvq2", "lvq3"):
        np.testing.assert_allclose(
            moved(variant, 0.55, 0, [0, 1, 0]), [0.055, 0.045, 0]
        )  # right one nearer, wrong away
        np.testing.assert_allclose(moved(variant, 0.2, 0, [0, 1, 0]), 0)  # beyond the window
        np.testing.assert_allclose(moved(variant, 0.55, 0, [1, 1, 0]), 0)  # both wrong
    np.testing.assert_allclose(moved("lvq2", 0.55, 0, [0, 0, 1]), 0)
    np.testing.assert_allclose(moved("lvq3", 0.55, 0, [0, 0, 1]), [0.011, -0.009, 0])


@pytest.mark.covers("cluster.lvq", "cluster.lvq2", "cluster.lvq3")
@pytest.mark.parametrize("variant", ["lvq1", "lvq2", "lvq3"])
def test_prototypes_classify(variant):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = LVQ(np.repeat(np.unique(names), 3), variant=variant, init="mean", decay=True, max_iter=20, random_state=0)
    assert model.fit(X, names).score(X, names) > 0.9
    assert set(model.labels_.tolist()) <= set(range(9))
    np.testing.assert_array_equal(model.prototype_labels_[model.labels_], model.predict(X))
    with pytest.raises(ValueError, match="no label of y"):
        LVQ(["setosa", "rose"]).fit(X, names)
    with pytest.raises(ValueError, match="init must have shape"):
        LVQ(init=[[0.0]]).fit(X, names)


@pytest.mark.covers("cluster.vector-quantization")
def test_quantisation_is_that_of_scipy():
    X, _ = make_moons(100, random_state=0)
    book = X[::10]
    found = vector_quantize(X, book)
    codes, distances = vq(X, book)
    np.testing.assert_array_equal(found.codes, codes)
    np.testing.assert_allclose(found.distances, distances, atol=1e-12)
    np.testing.assert_array_equal(found.values, book[codes])
    with pytest.raises(ValueError, match="columns"):
        vector_quantize(X, [[1.0]])


@pytest.mark.parametrize("name", ["MiniBatchKMeans", "LVQ"])
def test_rows_of_no_weight_pull_no_prototype_and_the_unit_of_weights_does_not_matter(name):
    """Rows are drawn by number, so that a weight is not so many repeats; but it says how much a row pulls."""

    def prototypes(weight=None):
        model = MiniBatchKMeans(2, random_state=0) if name == "MiniBatchKMeans" else LVQ(random_state=0)
        model.fit(X, y, sample_weight=weight)
        return model.cluster_centers_ if name == "MiniBatchKMeans" else model.prototypes_

    X, y = make_blobs([100, 100, 100], 2, centers=[[0, 0], [10, 0], [0, 200]], cluster_std=0.5, random_state=0)
    y = np.minimum(y, 1)
    weight = np.where(X[:, 1] > 100, 0.0, 1.0)
    light = prototypes(weight)
    assert light[:, 1].max() < 5
    assert prototypes()[:, 1].max() > 20
    np.testing.assert_allclose(prototypes(8 * weight), light, rtol=1e-9)


def test_affinity_propagation_of_sparse_rows_and_of_what_does_not_settle():
    X = np.vstack([np.random.default_rng(0).normal(c, 0.2, (15, 3)) for c in (0, 4)])
    X[X < 0.1] = 0
    dense = AffinityPropagation(damping=0.8, random_state=0).fit(X)
    given = AffinityPropagation(damping=0.8, random_state=0).fit(sp.csr_matrix(X))
    np.testing.assert_array_equal(given.labels_, dense.labels_)
    np.testing.assert_array_equal(given.cluster_centers_.toarray(), dense.cluster_centers_)
    np.testing.assert_array_equal(given.predict(sp.csr_matrix(X)), dense.predict(X))
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        restless = AffinityPropagation(max_iter=1, random_state=0).fit(X)
    with pytest.warns(ConvergenceWarning, match="does not have any cluster centers"):
        assert (restless.predict(X) == -1).all()
    with pytest.raises(ValueError, match="wanted a dense matrix"):
        AffinityPropagation(affinity="precomputed").fit(sp.csr_matrix(-np.eye(4)))


def test_mini_batches_say_that_too_few_rows_were_to_start_from():
    with pytest.warns(RuntimeWarning, match="init_size=2 should be larger than n_clusters=5"):
        MiniBatchKMeans(5, init_size=2, random_state=0).fit(np.random.default_rng(0).normal(size=(100, 2)))
