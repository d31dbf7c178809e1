"""Mixture of experts, negative correlation, the gradient of small networks."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning

from lanatus.ensemble import (
    MixtureOfExperts,
    MixtureOfExpertsRegressor,
    NegativeCorrelationEnsemble,
    NegativeCorrelationRegressor,
    error_ambiguity,
)
from lanatus.ensemble.combine._networks import answers_of, objective, start
from lanatus.linear import LinearRegression, LogisticRegression


@pytest.mark.covers("ensemble.negative-correlation")
@pytest.mark.parametrize("lam", [0.0, 0.6, 1.0])
def test_gradient_of_negative_correlation(lam):
    rng = np.random.RandomState(0)
    shape = (3, 2, 4, 2)
    Z, target = np.column_stack([rng.normal(size=(9, 2)), np.ones(9)]), rng.normal(size=(9, 2))
    theta = start(*shape, rng)
    counts = rng.randint(3, size=(3, 9)).astype(float) if lam == 0 else None
    args = (shape, Z, target, counts, lam, 0.1)
    error = check_grad(lambda t: objective(t, *args)[0], lambda t: objective(t, *args)[1], theta, epsilon=1e-7)
    assert error < 1e-6
    if counts is None:  # it is half of the mean error less lam times the ambiguity
        said = answers_of(theta, shape, Z).reshape(3, -1)
        parts = error_ambiguity(said, target.ravel())
        by_parts = (parts.mean_error - lam * parts.ambiguity) * target.shape[1] / 2 + 0.05 * theta @ theta
        assert objective(theta, *args)[0] == pytest.approx(by_parts, rel=1e-12)


@pytest.mark.covers("ensemble.negative-correlation")
def test_the_term_makes_networks_differ():
    rng = np.random.RandomState(0)
    X = np.linspace(-3, 3, 150)[:, None]
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=150)
    apart = []
    for lam in (0.0, 0.5, 0.95):
        model = NegativeCorrelationRegressor(6, lam, hidden=3, random_state=0).fit(X, y)
        parts = error_ambiguity(model.predict_each(X).T, y)
        assert parts.error == pytest.approx(np.mean((model.predict(X) - y) ** 2), rel=1e-9)
        apart.append(parts.ambiguity)
    assert apart[0] < apart[1] < apart[2]
    together = NegativeCorrelationRegressor(6, 0.95, hidden=3, random_state=0).fit(X, y)
    alone = NegativeCorrelationRegressor(6, 0.0, hidden=3, random_state=0).fit(X, y)
    assert together.score(X, y) > alone.score(X, y)


@pytest.mark.covers("ensemble.negative-correlation")
def test_negative_correlation_classifies():
    X, y = make_moons(300, noise=0.2, random_state=0)
    labels = np.array(["上", "下"])[y]
    model = NegativeCorrelationEnsemble(random_state=0).fit(X[:200], labels[:200])
    assert model.score(X[200:], labels[200:]) > 0.93
    assert model.predict_each(X).shape == (300, 5)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-12)
    assert set(model.predict_each(X).ravel()) == {"上", "下"}
    mean = np.maximum(model._each(X).mean(axis=0), 0)  # shares of what the networks say in the mean, none below zero
    said = mean.sum(axis=1) > 0
    np.testing.assert_allclose(model.predict_proba(X)[said], mean[said] / mean[said].sum(axis=1)[:, None], rtol=1e-12)
    assert (np.abs(model.predict_proba(X)[said] - 0.5) < 0.4).any()
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        NegativeCorrelationEnsemble(max_iter=1, random_state=0).fit(X, y)


@pytest.mark.covers("ensemble.mixture-of-experts")
def test_em_never_lowers_the_likelihood():
    X, y = load_iris(return_X_y=True)
    for model in (MixtureOfExperts(3, random_state=0), MixtureOfExperts(2, random_state=4)):
        model.fit(X, y)
        assert (np.diff(model.log_likelihood_) >= -1e-8).all()
        assert len(model.log_likelihood_) == model.n_iter_ + 1
        np.testing.assert_allclose(model.gate(X).sum(axis=1), 1, rtol=1e-12)
        assert model.score(X, y) > 0.95
    line = MixtureOfExpertsRegressor(3, random_state=0).fit(X[:, :3], X[:, 3])
    assert (np.diff(line.log_likelihood_) >= -1e-8).all()


@pytest.mark.covers("ensemble.mixture-of-experts")
def test_experts_share_out_what_one_line_cannot_do():
    rng = np.random.RandomState(0)
    X = rng.uniform(-1, 1, (400, 2))
    y = np.where(X[:, 0] < 0, X[:, 1] > 0, X[:, 1] < 0)
    scores = [MixtureOfExperts(2, alpha=1e-3, random_state=seed).fit(X, y).score(X, y) for seed in range(4)]
    assert max(scores) > 0.95
    assert LogisticRegression().fit(X, y).score(X, y) < 0.65
    target = np.abs(X[:, 0]) + 0.01 * rng.normal(size=400)
    found = max(
        MixtureOfExpertsRegressor(2, alpha=1e-3, random_state=s).fit(X, target).score(X, target) for s in range(3)
    )
    assert found > 0.98
    assert LinearRegression().fit(X, target).score(X, target) < 0.1


@pytest.mark.covers("ensemble.mixture-of-experts")
def test_one_expert_is_ridge_or_logistic_regression():
    X, y = load_iris(return_X_y=True)
    one = MixtureOfExperts(1, alpha=1e-8, tol=1e-9, max_iter=400).fit(X, y)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    plain = LogisticRegression(C=1e8, max_iter=2000).fit(scaled, y)
    np.testing.assert_array_equal(one.predict(X), plain.predict(scaled))
    line = MixtureOfExpertsRegressor(1, alpha=1e-10).fit(X[:, :3], X[:, 3])
    np.testing.assert_allclose(
        line.predict(X[:, :3]), LinearRegression().fit(X[:, :3], X[:, 3]).predict(X[:, :3]), rtol=1e-6
    )


def test_every_round_can_be_watched():
    from lanatus.callbacks import Recorder

    X, y = load_iris(return_X_y=True)
    recorder = Recorder()
    model = MixtureOfExperts(2, random_state=0).set_callbacks(recorder).fit(X, y)
    assert len(recorder.models) == model.n_iter_
    likelihoods = [len(m.log_likelihood_) for m in recorder.models]
    assert likelihoods == list(range(2, model.n_iter_ + 2))
    assert np.abs(recorder.models[0].expert_coef_ - model.expert_coef_).max() > 1e-3
    np.testing.assert_array_equal(recorder.models[-1].predict(X), model.predict(X))
