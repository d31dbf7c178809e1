"""Networks of radial basis functions: interpolation, least squares, three phases."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from lanatus.neural import RBFNetwork, RBFNetworkClassifier

X = np.random.default_rng(0).uniform(-3, 3, size=(80, 1))
Y = np.sin(X[:, 0])


@pytest.mark.covers("neural.rbf-network")
def test_as_many_centres_as_rows_interpolate():
    few, values = X[:12], Y[:12]
    net = RBFNetwork(centers=few, beta=2.0, alpha=0.0, fit_intercept=False, scaling=None).fit(few, values)
    np.testing.assert_allclose(net.predict(few), values, atol=1e-8)
    bells = np.exp(-2.0 * (few - few.T) ** 2)
    np.testing.assert_allclose(net.hidden(few), bells, atol=1e-12)
    np.testing.assert_allclose(net.coef_[:, 0], np.linalg.solve(bells, values), rtol=1e-5)


@pytest.mark.covers("neural.rbf-network")
def test_output_weights_are_penalised_least_squares():
    centers, weight = X[:5], np.random.default_rng(1).uniform(0.5, 2.0, 80)
    net = RBFNetwork(centers=centers, beta=0.7, alpha=0.1, scaling=None).fit(X, Y, sample_weight=weight)
    bells = np.column_stack([np.exp(-0.7 * (X - centers.T) ** 2), np.ones(80)])
    normal = (bells.T * weight) @ bells + 0.1 * np.diag([1, 1, 1, 1, 1, 0])
    w = np.linalg.solve(normal, (bells.T * weight) @ Y)
    np.testing.assert_allclose([*net.coef_[:, 0], net.intercept_[0]], w, rtol=1e-7)


@pytest.mark.covers("neural.rbf-network")
@pytest.mark.parametrize("centers", ["kmeans", "random"])
def test_more_centres_come_nearer(centers):
    errors = [
        np.mean((RBFNetwork(q, centers=centers, alpha=1e-6, random_state=0).fit(X, Y).predict(X) - Y) ** 2)
        for q in (2, 60)
    ]
    assert errors[1] < 1e-2 * errors[0]


@pytest.mark.covers("neural.rbf-three-phase")
def test_the_third_phase_goes_down_the_same_error_by_its_own_gradient():
    two = RBFNetwork(4, random_state=0).fit(X, Y)
    three = RBFNetwork(4, training="three-phase", random_state=0).fit(X, Y)

    def error(net):
        return 0.5 * np.sum((net.predict(X) - Y) ** 2) + 0.5 * net.alpha * np.sum(net.coef_**2)

    assert error(three) < 0.7 * error(two)
    assert not np.allclose(two.centers_, three.centers_)
    at_rest = error(three)  # no small change of a centre, a width or a weight makes it better
    for part in (three.centers_, three.beta_, three.coef_, three.intercept_):
        flat = part.reshape(-1)
        for i in range(len(flat)):
            before = flat[i]
            for h in (1e-3, -1e-3):
                flat[i] = before + h
                assert error(three) >= at_rest - 1e-5
            flat[i] = before


def test_classes_by_indicators():
    data, labels = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[labels]
    for training, q in (("two-phase", 10), ("three-phase", 3)):
        net = RBFNetworkClassifier(q, training=training, random_state=0).fit(data, names)
        assert net.score(data, names) > 0.95
        np.testing.assert_allclose(net.predict_proba(data).sum(axis=1), 1, rtol=1e-12)


def test_what_has_no_meaning_is_refused():
    with pytest.raises(ValueError, match="centers must have 1 columns"):
        RBFNetwork(centers=np.zeros((2, 3))).fit(X, Y)
    with pytest.raises(ValueError, match="beta must have one number a centre"):
        RBFNetwork(centers=X[:3], beta=[1.0, 2.0]).fit(X, Y)
    assert RBFNetwork().fit(X, np.full(80, 7.0)).predict(X[:3]) == pytest.approx([7.0] * 3)  # a constant is learned
