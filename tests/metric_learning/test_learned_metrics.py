"""Learned metrics: the book's numbers, gradients, conditions of their optima, and scikit-learn's NCA."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier as Peer
from sklearn.neighbors import NeighborhoodComponentsAnalysis as PeerNCA
from sklearn.preprocessing import StandardScaler

from lanatus.data import load_watermelon
from lanatus.metric_learning import (
    ITML,
    LDM,
    LMNN,
    MMC,
    MetricPropagation,
    NeighborhoodComponentsAnalysis,
    PerExemplarDistance,
    components_from_metric,
)
from lanatus.metric_learning._nca import nca_objective
from lanatus.neighbors import KNeighborsClassifier

MELONS, GOOD = load_watermelon("3.0a", return_X_y=True, frame="numpy")
IRIS, KINDS = load_iris(return_X_y=True)
IRIS = StandardScaler().fit_transform(IRIS)


def in_classes(X, y):
    """Rows in the order of their classes, as the kernel takes them."""
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    order = np.argsort(codes, kind="stable")
    return np.ascontiguousarray(np.asarray(X, dtype=float)[order]), codes[order]


def noisy(n=120, seed=0):
    """Two columns that tell the class and four of noise, ten times as large."""
    rng = np.random.RandomState(seed)
    y = rng.randint(2, size=n)
    X = np.column_stack([rng.randn(n, 2) + 2 * y[:, None], 5 * rng.randn(n, 4)])
    return X, y


@pytest.mark.covers("metric.nca")
@pytest.mark.parametrize(
    ("scale", "self_term", "wanted"),
    [
        (1, False, 8.046602012788842),
        (1, True, 7.534571305507052),
        (10, False, 12.746896941846853),
        (10, True, 6.520208241995174),
    ],
)
def test_nca_on_watermelons(scale, self_term, wanted):
    X, codes = in_classes(MELONS, GOOD)
    value, _ = nca_objective(scale * np.eye(2), X, codes, self_term=self_term)
    assert value == pytest.approx(wanted, rel=1e-11)


@pytest.mark.covers("metric.nca")
def test_nca_of_three_points():
    X, codes = np.array([[0.0], [1.0], [3.0]]), np.array([0, 0, 1], dtype=np.int32)
    assert nca_objective(np.eye(1), X, codes)[0] == pytest.approx(1.9522387766919667)
    assert nca_objective(np.eye(1), X, codes, self_term=True)[0] == pytest.approx(0.5343050885)


@pytest.mark.covers("metric.nca")
@pytest.mark.parametrize("self_term", [False, True])
def test_the_gradient_of_nca_is_that_of_its_value(self_term):
    X, codes = in_classes(IRIS[::3], KINDS[::3])
    A = np.random.RandomState(0).randn(2, 4)

    def value(flat):
        return nca_objective(flat.reshape(2, 4), X, codes, self_term=self_term)[0]

    slope = nca_objective(A, X, codes, self_term=self_term)[1]
    np.testing.assert_allclose(slope.ravel(), approx_fprime(A.ravel(), value, 1e-6), rtol=1e-3, atol=1e-5)


@pytest.mark.covers("metric.nca")
@pytest.mark.parametrize("k", [2, 4])
def test_nca_comes_as_far_as_scikit_learns(k):
    X, codes = in_classes(IRIS, KINDS)
    how = {"n_components": k, "init": "identity", "tol": 1e-6, "max_iter": 200}
    ours, peer = NeighborhoodComponentsAnalysis(**how).fit(IRIS, KINDS), PeerNCA(**how).fit(IRIS, KINDS)
    theirs = nca_objective(peer.components_, X, codes)[0]
    assert ours.objective_ >= theirs - 0.01
    assert ours.objective_ == pytest.approx(nca_objective(ours.components_, X, codes)[0])
    near = Peer(3).fit(ours.transform(IRIS), KINDS).score(ours.transform(IRIS), KINDS)
    assert near >= 0.96


@pytest.mark.covers("metric.nca")
def test_nca_goes_on_where_it_ended():
    first = NeighborhoodComponentsAnalysis(2, init="identity", max_iter=5, warm_start=True).fit(IRIS, KINDS)
    before = first.objective_
    assert first.fit(IRIS, KINDS).objective_ > before
    with pytest.raises(ValueError, match="warm_start"):
        first.set_params(n_components=3).fit(IRIS, KINDS)


@pytest.mark.covers("metric.xing-mmc")
def test_xings_metric_with_the_printed_constraint():
    model = MMC(squared_constraint=True).fit(MELONS, GOOD)
    np.testing.assert_allclose(
        model.get_mahalanobis_matrix(), [[0.01722426, 0.07390521], [0.07390521, 0.31710970]], atol=1e-8
    )
    assert model.objective_ == pytest.approx(0.5276365990)
    assert len(model.components_) == 1


@pytest.mark.covers("metric.xing-mmc")
@pytest.mark.parametrize("diagonal", [False, True])
def test_xings_metric_is_a_minimum_under_its_constraint(diagonal):
    model = MMC(diagonal=diagonal, tol=1e-14, max_iter=2000).fit(IRIS, KINDS)
    i, j = np.triu_indices(len(IRIS), 1)
    same, gap = KINDS[i] == KINDS[j], IRIS[i] - IRIS[j]
    M = model.get_mahalanobis_matrix()

    def sums(M):
        d = np.maximum(np.einsum("ij,jk,ik->i", gap, M, gap), 0)
        return d[same].sum(), np.sqrt(d[~same]).sum()

    near, far = sums(M)
    assert far == pytest.approx(1.0, abs=1e-6)
    rng = np.random.RandomState(0)
    for _ in range(50):
        turn = np.eye(4) + 0.05 * (np.diag(rng.randn(4)) if diagonal else rng.randn(4, 4))
        a, b = sums(turn.T @ M @ turn)
        assert a / b**2 >= near * (1 - 1e-5)
    if diagonal:
        np.testing.assert_allclose(M, np.diag(np.diag(M)), atol=1e-15)


@pytest.mark.covers("metric.xing-mmc")
def test_pairs_may_be_given():
    must, cannot = [[0, 1], [2, 3]], [[0, 2], [1, 3]]
    X = np.array([[0.0, 0.0], [0.0, 5.0], [1.0, 0.0], [1.0, 5.0]])
    model = MMC(squared_constraint=True).fit(X, must_link=must, cannot_link=cannot)
    np.testing.assert_allclose(np.abs(model.components_), [[2**-0.5, 0]], atol=1e-9)
    with pytest.raises(ValueError, match="names rows"):
        MMC().fit(X, must_link=[[0, 9]], cannot_link=cannot)


@pytest.mark.covers("metric.lmnn")
def test_lmnn_meets_its_objective_written_out():
    X, y = IRIS[::2], KINDS[::2]
    model = LMNN(2, push_loss_weight=0.3, tol=1e-12, max_iter=500).fit(X, y)

    def value(flat):
        Z = X @ flat.reshape(4, 4).T
        d = ((Z[:, None] - Z) ** 2).sum(axis=2)
        total = 0.0
        for i, targets in enumerate(model.target_neighbors_):
            for j in targets:
                total += 0.7 * d[i, j] + 0.3 * np.maximum(1 + d[i, j] - d[i, y != y[i]], 0).sum()
        return total

    assert model.objective_ == pytest.approx(value(model.components_.ravel()), rel=1e-10)
    found = minimize(value, np.eye(4).ravel(), method="L-BFGS-B", options={"maxfun": 4000})
    assert model.objective_ <= found.fun * (1 + 1e-3)  # of full rank it is convex in M
    assert (y[model.target_neighbors_] == y[:, None]).all()


@pytest.mark.covers("metric.lmnn", "metric.nca", "metric.itml", "metric.ldm")
@pytest.mark.parametrize(
    "learner",
    [LMNN(), NeighborhoodComponentsAnalysis(random_state=0), ITML(random_state=0, max_iter=5000), LDM()],
    ids=lambda one: type(one).__name__,
)
def test_learned_metrics_see_through_noise(learner):
    (X, y), (new, asked) = noisy(), noisy(seed=1)
    plain = KNeighborsClassifier(3).fit(X, y).score(new, asked)
    Z = learner.fit(X, y).transform(X)
    assert KNeighborsClassifier(3).fit(Z, y).score(learner.transform(new), asked) > plain + 0.1
    # A metric is a function of two rows, and a matrix, and a map.
    M, d = learner.get_mahalanobis_matrix(), learner.get_metric()
    gap = X[0] - X[1]
    assert d(X[0], X[1]) == pytest.approx(np.sqrt(gap @ M @ gap))
    assert learner.pair_distance([[X[0], X[1]]])[0] == pytest.approx(np.linalg.norm(Z[0] - Z[1]))
    values = np.linalg.eigvalsh(M)
    assert values[0] >= -1e-9 * values[-1]
    # Symmetric, and with the inequality of the triangle.
    a, b, c = X[:3]
    assert d(a, b) == pytest.approx(d(b, a))
    assert d(a, c) <= d(a, b) + d(b, c) + 1e-12


@pytest.mark.covers("metric.itml")
def test_itml_keeps_bounds_and_is_nearest_to_the_prior():
    """With dear slack all bounds hold; what is stationary is M^-1 = M0^-1 + sum of lambda times squares."""
    rng = np.random.RandomState(0)
    X = rng.randn(12, 3)
    must, cannot = [[0, 1], [2, 3], [4, 5]], [[0, 6], [1, 7], [2, 8]]
    model = ITML(gamma=1e8, bounds=[1.0, 6.0], tol=1e-12, max_iter=100_000)
    model.fit(X, must_link=must, cannot_link=cannot)
    assert (model.pair_distance(X[np.array(must)]) ** 2 <= 1 + 1e-6).all()
    assert (model.pair_distance(X[np.array(cannot)]) ** 2 >= 6 - 1e-6).all()
    pull = np.linalg.inv(model.get_mahalanobis_matrix()) - np.eye(3)
    gaps = np.array([X[i] - X[j] for i, j in must + cannot])
    squares = np.einsum("pi,pj->pij", gaps, gaps).reshape(6, 9)
    weights = np.linalg.lstsq(squares.T, pull.ravel(), rcond=None)
    np.testing.assert_allclose(squares.T @ weights[0], pull.ravel(), atol=1e-5)


@pytest.mark.covers("metric.itml")
def test_itml_of_bounds_that_hold_stays_the_prior():
    prior = np.array([[2.0, 0.5], [0.5, 1.0]])
    X = np.array([[0.0, 0.0], [0.1, 0.0], [9.0, 9.0]])
    model = ITML(bounds=[1.0, 4.0], prior=prior).fit(X, must_link=[[0, 1]], cannot_link=[[0, 2]])
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), prior, atol=1e-12)


@pytest.mark.covers("metric.itml")
def test_the_online_form_moves_pairs_towards_their_bounds():
    X = np.random.RandomState(0).randn(6, 2)
    model = ITML(bounds=[0.5, 8.0], learning_rate=1.0, random_state=0)
    apart = []
    for _ in range(30):
        model.partial_fit(X, must_link=[[0, 1]], cannot_link=[[2, 3]])
        apart.append(model.pair_distance(X[[[0, 1], [2, 3]]]) ** 2)
    plain = ((X[[0, 2]] - X[[1, 3]]) ** 2).sum(axis=1)
    assert apart[-1][0] <= max(plain[0], 0.5) + 1e-6
    assert apart[-1][1] > plain[1]
    assert np.linalg.eigvalsh(model.get_mahalanobis_matrix())[0] > 0


@pytest.mark.covers("metric.ldm")
def test_ldm_is_a_logistic_model_of_pairs():
    model = LDM(tol=1e-12, max_iter=2000).fit(IRIS, KINDS)
    pairs = np.stack([IRIS[:50], IRIS[50:100]], axis=1)
    chance = model.same_class_proba(pairs)
    np.testing.assert_allclose(chance, 1 / (1 + np.exp(model.pair_distance(pairs) ** 2 - model.threshold_)))
    within = np.stack([IRIS[:49], IRIS[1:50]], axis=1)
    assert model.same_class_proba(within).mean() > 0.7 > 0.3 > chance.mean()
    # At the optimum the threshold makes as many pairs probable as there are.
    from lanatus.metric_learning._ldm import near_pairs

    codes = KINDS.astype(np.int32)
    V, sign = near_pairs((IRIS - IRIS.mean(axis=0)) / IRIS.std(axis=0), codes, 5)
    told = 1 / (1 + np.exp(np.sum((V @ model.components_.T) ** 2, axis=1) - model.threshold_))
    assert told.sum() == pytest.approx((sign > 0).sum(), rel=1e-3)


@pytest.mark.covers("metric.per-sample-distance")
def test_each_row_has_its_own_weights():
    """Where one class is told by the first column and the other by the second, so are the weights."""
    rng = np.random.RandomState(0)
    X = rng.uniform(-1, 1, size=(160, 2))
    y = (X[:, 0] > 0).astype(int)
    model = PerExemplarDistance(8).fit(X, y)
    assert (model.weights_ >= 0).all()
    edge = np.abs(X[:, 0]) < 0.2
    assert model.weights_[edge, 0].mean() > 1.3 * model.weights_[edge, 1].mean()
    away = np.abs(X[3] - X[7]) @ model.weights_[7]
    assert model.transform(X[3:4])[0, 7] == pytest.approx(away)
    D = model.transform(X)
    np.testing.assert_array_equal(np.diag(D), 0)
    found = KNeighborsClassifier(3, metric="precomputed").fit(D, y).score(D, y)
    assert found >= KNeighborsClassifier(3).fit(X, y).score(X, y) - 0.02


@pytest.mark.covers("metric.metric-propagation")
def test_weights_spread_to_rows_without_a_label():
    rng = np.random.RandomState(0)
    X = rng.randn(80, 3)
    y = (X[:, 1] > 0).astype(int)
    half = np.where(np.arange(80) % 2, -1, y)
    alone = PerExemplarDistance().fit(X[::2], y[::2])
    stiff = MetricPropagation(mu=1e-9).fit(X, half)
    np.testing.assert_allclose(stiff.weights_[::2], alone.weights_, rtol=1e-4, atol=1e-6)
    smooth = MetricPropagation(mu=1e4, n_neighbors=10).fit(X, half)
    np.testing.assert_allclose(smooth.weights_ / alone.weights_.mean(axis=0), 1, atol=0.05)
    np.testing.assert_array_equal(smooth.labels_ == -1, half == -1)
    with pytest.raises(ValueError, match="none"):
        MetricPropagation().fit(X, np.full(80, -1))


@pytest.mark.covers("metric.metric-to-projection")
def test_a_metric_is_a_projection():
    rng = np.random.RandomState(0)
    root = rng.randn(2, 5)
    M = root.T @ root
    P = components_from_metric(M)
    assert P.shape == (2, 5)
    np.testing.assert_allclose(P.T @ P, M, atol=1e-12)
    x, z = rng.randn(2, 5)
    assert np.sum((P @ x - P @ z) ** 2) == pytest.approx((x - z) @ M @ (x - z))
    np.testing.assert_array_equal(components_from_metric(np.zeros((3, 3))), np.zeros((1, 3)))
    for wrong, words in [(np.array([[1.0, 2.0], [0.0, 1.0]]), "symmetric"), (np.diag([1.0, -1.0]), "below zero")]:
        with pytest.raises(ValueError, match=words):
            components_from_metric(wrong)


@pytest.mark.covers("metric.lmnn", "metric.nca", "metric.ldm", "metric.itml", "metric.xing-mmc")
@pytest.mark.parametrize("learner", [LMNN, NeighborhoodComponentsAnalysis, LDM, ITML, MMC])
def test_more_columns_than_rows_equal_rows_and_constant_columns(learner):
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.randn(10, 20), np.ones(10)])
    X[1], X[9] = X[0], X[8]
    y = np.repeat([0, 1], 5)
    how = {"max_iter": 100_000} if learner is ITML else {}
    assert np.isfinite(learner(**how).fit(X, y).transform(X)).all()
