"""Ensembles that change what their members learn: flipped labels, smeared targets."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import GradientBoostingRegressor

from lanatus.ensemble import (
    BaggingClassifier,
    FlippingOutputClassifier,
    OutputSmearingClassifier,
    OutputSmearingRegressor,
)
from lanatus.ensemble.bagging._output_perturbation import flip_labels
from lanatus.linear import Ridge
from lanatus.tree import DecisionTreeClassifier


def data(n=1000, seed=0, classes=3):
    X, y = make_classification(
        n, 10, n_informative=6, n_classes=classes, n_clusters_per_class=1, flip_y=0.05, random_state=seed
    )
    return X, np.array(["甲", "乙", "丙"])[y]


@pytest.mark.covers("ensemble.flipping-output")
def test_flips_keep_the_shares_of_the_classes():
    rng = np.random.RandomState(0)
    y = rng.choice(3, 30_000, p=[0.5, 0.3, 0.2])
    model = FlippingOutputClassifier(DecisionTreeClassifier(max_depth=1), 1, rate=0.3, random_state=0)
    model.fit(np.zeros((len(y), 1)), y)
    assert model.rate_ == pytest.approx(0.3)
    share = np.bincount(y) / len(y)
    pull = model.rate_ / (1 - (share**2).sum())
    for seed in range(3):
        flipped = flip_labels(y, share, pull, seed)
        assert (flipped != y).mean() == pytest.approx(0.3, abs=0.01)
        np.testing.assert_allclose(np.bincount(flipped) / len(y), share, atol=0.01)
        assert (flip_labels(y, share, pull, seed) == flipped).all()
    from_first = np.bincount(flipped[(y == 0) & (flipped != 0)], minlength=3)
    assert from_first[1] / from_first.sum() == pytest.approx(0.6, abs=0.03)


@pytest.mark.parametrize("ensemble", [FlippingOutputClassifier, OutputSmearingRegressor])
def test_many_rows_are_perturbed_too(ensemble):
    """So many that plain bagging grows its trees side by side."""
    X = np.arange(21_000.0)[:, None]
    model = ensemble(n_estimators=2, random_state=0).fit(X, np.arange(21_000) % 3)
    first, second = (member.tree_.outputs[0] for member in model.estimators_)
    assert (first != second).any()


def test_more_flips_than_uneven_classes_allow_are_cut_down():
    y = np.r_[np.zeros(990, int), np.ones(10, int)]
    model = FlippingOutputClassifier(DecisionTreeClassifier(max_depth=1), 2, rate=0.5, random_state=0)
    model.fit(np.arange(1000.0)[:, None], y)
    assert model.rate_ == pytest.approx((1 - 0.99**2 - 0.01**2) / 0.99)


def test_no_flips_is_the_learner_itself():
    X, y = data(200)
    model = FlippingOutputClassifier(n_estimators=3, rate=0.0, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), DecisionTreeClassifier().fit(X, y).predict(X))


def spread(model, X):
    """Share of pairs of members that say different things."""
    said = np.array([member.predict(X) for member in model.estimators_])
    if said.ndim == 3:
        said = said.argmax(axis=2)
    pairs = [(said[i] != said[j]).mean() for i in range(len(said)) for j in range(i)]
    return np.mean(pairs)


@pytest.mark.covers("ensemble.flipping-output", "ensemble.output-smearing")
def test_perturbed_outputs_make_members_differ_and_the_vote_better():
    """Claim 14."""
    X, y = data()
    X, y, new, truth = X[:500], y[:500], X[500:], y[500:]
    single = DecisionTreeClassifier().fit(X, y).score(new, truth)
    bagged = BaggingClassifier(n_estimators=25, random_state=0).fit(X, y)
    for model in (FlippingOutputClassifier(n_estimators=25), OutputSmearingClassifier(n_estimators=25)):
        model.set_params(random_state=0).fit(X, y)
        assert spread(model, new) > spread(bagged, new)
        assert model.score(new, truth) > single


@pytest.mark.covers("ensemble.output-smearing")
def test_smeared_targets_have_the_noise_asked_for():
    X, y = data(2000)
    model = OutputSmearingClassifier(n_estimators=2, sigma=0.5, random_state=0).fit(X, y)
    noise = model.estimators_[0].predict(X) - (y[:, None] == model.classes_)  # a full tree gives back its targets
    share = np.mean(y[:, None] == model.classes_, axis=0)
    np.testing.assert_allclose(noise.std(axis=0), 0.5 * np.sqrt(share * (1 - share)), rtol=0.1)
    np.testing.assert_allclose(noise.mean(axis=0), 0, atol=0.02)
    assert model.predict_proba(X).shape == (2000, 3)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_learners_of_one_target_are_fitted_for_each_class():
    X, y = data(200)
    model = OutputSmearingClassifier(GradientBoostingRegressor(n_estimators=10), 3, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8
    with pytest.raises(TypeError, match="regressor"):
        OutputSmearingClassifier(DecisionTreeClassifier()).fit(X, y)


def test_smearing_of_regression():
    X, y = make_regression(300, 5, noise=20, random_state=0)
    exact = OutputSmearingRegressor(Ridge(), 3, sigma=0.0).fit(X, y)
    np.testing.assert_allclose(exact.predict(X), Ridge().fit(X, y).predict(X), rtol=1e-10)
    model = OutputSmearingRegressor(n_estimators=60, random_state=0).fit(X[:200], y[:200])
    alone = OutputSmearingRegressor(n_estimators=1, random_state=0).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > alone.score(X[200:], y[200:]) + 0.1
