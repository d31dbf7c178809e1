"""Probabilities of support vector machines, and the ways of more than two classes."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC

from lanatus.kernel import SVC, NuSVC, kkt_violation, platt_scaling
from lanatus.kernel.svm import _small_machines
from lanatus.kernel.svm._platt import agreeing, coupled


@pytest.mark.covers("kernel.platt-scaling")
def test_platts_sigmoid_has_the_largest_likelihood():
    rng = np.random.default_rng(0)
    f = rng.normal(size=300) * 2
    y = rng.random(300) < 1 / (1 + np.exp(-1.5 * f + 0.7))
    w = rng.random(300)
    up, down = w[y].sum(), w[~y].sum()
    goal = np.where(y, (up + 1) / (up + 2), 1 / (down + 2))

    def loss(at):
        z = at[0] * f + at[1]
        return w @ (goal * np.logaddexp(0, z) + (1 - goal) * np.logaddexp(0, -z))

    best = minimize(loss, [0.0, 0.0], tol=1e-12).x
    scaling = platt_scaling(f, y, w)
    np.testing.assert_allclose([scaling.above, scaling.intercept], best, rtol=1e-4)
    grid = np.linspace(-6, 6, 201)
    np.testing.assert_allclose(scaling(grid), 1 / (1 + np.exp(best[0] * grid + best[1])), atol=1e-4)
    p = platt_scaling(f, y, middle=0.5)(grid)
    assert (np.diff(p) > 0).all()
    assert ((p > 0.5) == (grid > 0.5)).all()


def test_values_that_separate_or_mislead_have_an_end():
    for y in ([0, 0, 1, 1], [1, 1, 0, 0]):
        for middle in (None, 0.0):
            p = platt_scaling([-2.0, -1.0, 1.0, 2.0], y, middle=middle)([-1e3, 0.0, 1e3])
            assert np.isfinite(p).all()
    with pytest.raises(ValueError, match="two"):
        platt_scaling([1.0, 2.0], [1, 1])
    with pytest.raises(ValueError, match="finite"):
        platt_scaling([1.0, np.nan], [0, 1])


def test_coupling_returns_what_pairs_came_from():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(4), size=50)
    pairs = np.column_stack([p[:, i] / (p[:, i] + p[:, j]) for i in range(4) for j in range(i + 1, 4)])
    np.testing.assert_allclose(coupled(pairs, 4), p, atol=1e-6)


def test_agreement_is_the_nearest():
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(5), size=200)
    wanted = rng.integers(5, size=200)
    q = agreeing(p, wanted)
    assert (q.argmax(axis=1) == wanted).all()
    np.testing.assert_allclose(q.sum(axis=1), 1, atol=1e-12)
    for row in range(0, 200, 20):
        own = wanted[row]
        limits = [{"type": "ineq", "fun": lambda x, k=k, own=own: x[own] - x[k]} for k in range(5)]
        limits.append({"type": "eq", "fun": lambda x: x.sum() - 1})
        best = minimize(lambda x, row=row: ((x - p[row]) ** 2).sum(), np.full(5, 0.2), constraints=limits, tol=1e-12)
        np.testing.assert_allclose(q[row], best.x, atol=1e-5)


@pytest.mark.parametrize("model", [SVC, NuSVC])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "dag"])
def test_probabilities_never_contradict(model, multi_class):
    if model is NuSVC and multi_class != "ovo":
        pytest.skip("NuSVC goes by pairs")
    how = {"multi_class": multi_class} if model is SVC else {"nu": 0.2}
    for X, y in (load_iris(return_X_y=True), make_classification(300, 6, flip_y=0.3, weights=[0.8], random_state=0)):
        fitted = model(probability=True, random_state=0, **how).fit(X, y)
        p = fitted.predict_proba(X)
        np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)
        assert (fitted.classes_[p.argmax(axis=1)] == fitted.predict(X)).all()
        np.testing.assert_array_equal(fitted.predict(X), model(**how).fit(X, y).predict(X))
        np.testing.assert_allclose(fitted.predict_log_proba(X), np.log(p))
        again = model(probability=True, random_state=0, **how).fit(X, y)
        np.testing.assert_array_equal(again.predict_proba(X), p)


def test_without_probability_there_is_none():
    X, y = load_iris(return_X_y=True)
    assert not hasattr(SVC().fit(X, y), "predict_proba")


def test_probabilities_are_as_good_as_calibration_by_five_fits():
    X, y = load_digits(return_X_y=True)
    X, Q, y, truth = train_test_split(StandardScaler().fit_transform(X), y, test_size=0.5, random_state=0)
    ours = log_loss(truth, SVC(probability=True, random_state=0).fit(X, y).predict_proba(Q))
    peer = CalibratedClassifierCV(PeerSVC(), ensemble=False).fit(X, y)
    assert ours < 1.05 * log_loss(truth, peer.predict_proba(Q))
    X, y = make_classification(2000, 10, flip_y=0.2, weights=[0.7], random_state=1)
    X, Q, y, truth = train_test_split(X, y, test_size=0.5, random_state=0)
    fitted = SVC(probability=True, random_state=0).fit(X, y)
    p = fitted.predict_proba(Q)
    peer = CalibratedClassifierCV(PeerSVC(), ensemble=False).fit(X, y)
    assert log_loss(truth, p) < 1.05 * log_loss(truth, peer.predict_proba(Q))
    assert roc_auc_score(truth, p[:, 1]) == pytest.approx(roc_auc_score(truth, fitted.decision_function(Q)))


def test_folds_of_all_three_routes_are_the_same(monkeypatch):
    """In one call, by working sets from the solution, and each learned anew."""
    X, y = make_classification(400, 5, flip_y=0.2, random_state=3)
    how = {"probability": True, "random_state": 0, "tol": 1e-8}
    whole = SVC(**how).fit(X, y).sigmoids_
    monkeypatch.setattr(_small_machines, "_FEW", 0)
    np.testing.assert_allclose(SVC(**how).fit(X, y).sigmoids_, whole, rtol=1e-5)
    monkeypatch.setattr(SVC, "_unseen_by_folds", lambda self, *args: self._anew)

    def plane(self, X, of, original=SVC._plane):
        if of.folds is not None:
            self._anew = self._unseen(X, of)
        return original(self, X, of)

    monkeypatch.setattr(SVC, "_plane", plane)
    np.testing.assert_allclose(SVC(**how).fit(X, y).sigmoids_, whole, rtol=1e-5)
    K = np.exp(-0.1 * ((X[:, None] - X) ** 2).sum(axis=2))
    direct = SVC(gamma=0.1, **how).fit(X, y).sigmoids_
    np.testing.assert_allclose(SVC(kernel="precomputed", **how).fit(K, y).sigmoids_, direct, rtol=1e-5)


@pytest.mark.covers("kernel.soft-margin-svm")
def test_small_machines_are_those_of_working_sets(monkeypatch):
    X, y = load_digits(return_X_y=True)
    X, y = X[:700] / 16, y[:700]
    w = np.random.default_rng(0).integers(0, 4, size=700).astype(float)
    how = {"tol": 1e-8, "decision_function_shape": "ovo", "class_weight": "balanced"}
    one = SVC(**how).fit(X, y, w)
    monkeypatch.setattr(_small_machines, "_FEW", 0)
    other = SVC(**how).fit(X, y, w)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-6)
    assert kkt_violation(one, X, y, w) <= 1e-7


def test_each_class_against_the_rest():
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = SVC(multi_class="ovr", tol=1e-8, gamma=0.2).fit(X, y)
    values = model.decision_function(X)
    assert values.shape == (150, 3)
    assert model.dual_coef_.shape == (3, len(model.support_))
    for k in range(3):
        np.testing.assert_allclose(
            values[:, k], SVC(tol=1e-8, gamma=0.2).fit(X, y == k).decision_function(X), atol=1e-6
        )
    assert kkt_violation(model, X, y) < 1e-6


def test_a_directed_graph_of_pairs():
    X, y = load_digits(return_X_y=True)
    model = SVC(multi_class="dag", decision_function_shape="ovo").fit(X[:900], y[:900])
    values, said = model.decision_function(X[900:]), model.predict(X[900:])
    pairs = {pair: k for k, pair in enumerate((i, j) for i in range(10) for j in range(i + 1, 10))}
    for row, label in zip(values, said, strict=True):
        left = list(range(10))
        while len(left) > 1:
            left.pop(-1 if row[pairs[left[0], left[-1]]] > 0 else 0)
        assert label == left[0]
    assert np.mean(said == y[900:]) > 0.93


def test_a_limit_of_pairs_is_said():
    X, y = make_classification(200, 5, random_state=0)
    with pytest.warns(UserWarning, match="did not converge"):
        SVC(max_iter=3).fit(X, y)
