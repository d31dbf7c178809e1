"""AdaBoost: the book's rounds, its theory as properties, and its edges."""

import numpy as np
import pytest
from samples import melons
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, load_iris

from lanatus.bayes import GaussianNB
from lanatus.callbacks import Recorder
from lanatus.ensemble import AdaBoostClassifier, AdaBoostRegressor
from lanatus.ensemble.boosting._weighted_vote import Booster
from lanatus.tree import DecisionStump, DecisionTreeClassifier

# Round by round on the watermelons 3.0alpha: column, threshold, class above it, weighted error, alpha, mistakes.
ROUNDS = [
    ("含糖率", 0.2045, "是", 0.176471, 0.770223, 3),
    ("密度", 0.3815, "是", 0.178571, 0.763028, 3),
    ("含糖率", 0.3730, "是", 0.210145, 0.662026, 1),
    ("密度", 0.6365, "否", 0.246789, 0.557906, 1),
    ("密度", 0.3815, "是", 0.296340, 0.432393, 1),
    ("含糖率", 0.3730, "是", 0.235847, 0.587792, 1),
    ("含糖率", 0.1260, "是", 0.213773, 0.651167, 0),
    ("含糖率", 0.3730, "是", 0.317974, 0.381549, 0),
    ("密度", 0.3815, "是", 0.268367, 0.501461, 0),
    ("密度", 0.5745, "否", 0.228995, 0.606997, 0),
    ("密度", 0.3815, "是", 0.324252, 0.367149, 0),
]


def noisy(n=300, seed=0, k=2):
    rng = np.random.RandomState(seed)
    X = rng.randn(n, 4)
    score = X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.randn(n)
    return X, np.array(["甲", "乙", "丙", "丁"])[np.digitize(score, np.quantile(score, np.arange(1, k) / k))]


@pytest.mark.covers("ensemble.adaboost")
def test_the_rounds_of_least_error_stumps_on_the_watermelons():
    X, y = melons("3.0a")
    model = AdaBoostClassifier(DecisionStump(criterion="train_error"), 11).fit(X, y)
    assert len(model.estimators_) == 11
    mistakes = [round(17 * (1 - score)) for score in model.staged_score(X, y)]
    for t, (name, cut, above, error, alpha, wrong) in enumerate(ROUNDS):
        tree = model.estimators_[t].tree_
        assert X.columns[tree.feature[0]] == name
        assert tree.threshold[0] == pytest.approx(cut, abs=1e-9)
        assert model.classes_[tree.outputs[2].argmax()] == above
        assert model.estimator_errors_[t] == pytest.approx(error, abs=5e-7)
        assert model.alphas_[t] == pytest.approx(alpha, abs=5e-7)
        assert mistakes[t] == wrong
    np.testing.assert_allclose(model.estimator_weights_, 2 * model.alphas_, rtol=1e-15)


def signed(model, X, y):
    """alpha_t h_t(x) of each round, and y as -1 and 1."""
    said = np.array([np.where(m.predict(X) == model.classes_[1], 1.0, -1.0) for m in model.estimators_])
    return model.alphas_[:, None] * said, np.where(y == model.classes_[1], 1.0, -1.0)


@pytest.mark.covers("ensemble.adaboost")
def test_exponential_loss_is_the_product_of_z():
    X, y = melons("3.0a")
    model = AdaBoostClassifier(DecisionStump(criterion="train_error"), 11).fit(X, y)
    votes, f = signed(model, X, y)
    loss = np.exp(-f * votes.cumsum(axis=0)).mean(axis=1)
    eps = model.estimator_errors_
    np.testing.assert_allclose(loss, np.cumprod(2 * np.sqrt(eps * (1 - eps))), rtol=1e-12)
    np.testing.assert_allclose(loss[[0, 1, 2, 4, 10]], [0.762440, 0.584018, 0.475872, 0.374755, 0.169421], atol=5e-7)
    assert (1 - np.array(list(model.staged_score(X, y))) <= loss + 1e-12).all()


class InformationStump(ClassifierMixin, BaseEstimator):
    """The threshold of largest information gain, with one class below and the other one above."""

    def fit(self, X, y, sample_weight):
        X, w = np.asarray(X, dtype=float), sample_weight / sample_weight.sum()
        self.classes_, codes = np.unique(y, return_inverse=True)
        best = -np.inf
        for j in range(X.shape[1]):
            values = np.unique(X[:, j])
            for cut in (values[1:] + values[:-1]) / 2:
                below = X[:, j] <= cut
                gain = 0.0
                for side in (below, ~below):
                    mass = np.bincount(codes[side], w[side], 2)
                    gain += (mass[mass > 0] * np.log2(mass[mass > 0] / mass.sum())).sum()
                if gain > best + 1e-12:
                    error = w[(codes == 1) == below].sum()
                    best, self.column_, self.cut_, self.above_ = gain, j, cut, int(error <= 0.5)
        return self

    def predict(self, X):
        above = np.asarray(X, dtype=float)[:, self.column_] > self.cut_
        return self.classes_[np.where(above, self.above_, 1 - self.above_)]


def test_information_gain_stumps_of_two_signs_stall():
    """After four rounds the best cut has an error of exactly one half, and nothing would ever change again."""
    X, y = melons("3.0a")
    X = X.to_numpy()
    model = AdaBoostClassifier(InformationStump(), 11).fit(X, y)
    cuts = [(m.column_, round(m.cut_, 4)) for m in model.estimators_]
    assert cuts == [(1, 0.126), (0, 0.3815), (1, 0.2045), (0, 0.3815)]
    assert model.alphas_[0] == pytest.approx(0.589327, abs=5e-7)
    assert model.stop_reason_ == "no better than chance"


@pytest.mark.parametrize("criterion", ["gini", "entropy", "train_error"])
@pytest.mark.parametrize("k", [2, 4])
def test_the_kernel_of_stumps_is_the_general_way(criterion, k):
    X, y = noisy(k=k)
    fast = AdaBoostClassifier(DecisionStump(criterion=criterion), 30).fit(X, y)
    # a least gain, however small, is a parameter that the kernel does not know
    slow = AdaBoostClassifier(DecisionTreeClassifier(criterion=criterion, max_depth=1, min_gain=1e-300), 30).fit(X, y)
    np.testing.assert_allclose(fast.estimator_errors_, slow.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(fast.decision_function(X), slow.decision_function(X), atol=1e-10)
    np.testing.assert_allclose(fast.feature_importances_, slow.feature_importances_, atol=1e-12)
    for one, other in zip(fast.estimators_, slow.estimators_, strict=True):
        for name in ("feature", "kind", "threshold", "value", "n_rows", "impurity", "gain"):
            np.testing.assert_allclose(getattr(one.tree_, name), getattr(other.tree_, name), rtol=1e-6, atol=1e-9)
        np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_distribution_and_alpha_do_what_the_theory_says():
    """Claims 2 and 3: D_t follows e^(-f H), adds up to 1, and the last learner is at one half under the next D."""
    X, y = noisy()
    codes = (y == y[0]).astype(int)
    asked = []

    def learn(distribution):
        asked.append(distribution.copy())
        model = DecisionStump().fit(X, codes, sample_weight=distribution)
        return model, model.predict(X)

    booster = Booster(learn, codes, np.ones(len(y)), 2)
    f, H = 2.0 * codes - 1, np.zeros(len(y))
    for t in range(12):
        booster.round()
        h = 2.0 * booster.models[t].predict(X) - 1
        eps, alpha = booster.errors[t], booster.weights[t] / 2
        H += alpha * h
        expected = np.exp(-f * H)
        np.testing.assert_allclose(booster.distribution, expected / expected.sum(), rtol=1e-9)
        assert booster.distribution.sum() == pytest.approx(1, abs=1e-12)
        assert booster.distribution[h != f].sum() == pytest.approx(0.5, abs=1e-12)
        grid = np.linspace(0.01, 3, 3000)
        assert grid[np.argmin(np.exp(-grid) * (1 - eps) + np.exp(grid) * eps)] == pytest.approx(alpha, abs=2e-3)
    assert len(asked) == 12


class Coin(ClassifierMixin, BaseEstimator):
    """Says a class at random, more often wrong than right once in a while."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        rng = np.random.RandomState(self.random_state)
        flips = rng.rand(len(X)) < rng.uniform(0.35, 0.65)
        return self.classes_[(np.asarray(X)[:, 0] > 0).astype(int) ^ flips]


@pytest.mark.covers("ensemble.adaboost-reweight-resample")
def test_resampling_learns_what_reweighting_does():
    X, y = noisy(600)
    new, truth = noisy(600, seed=1)
    weighted = AdaBoostClassifier(n_estimators=50).fit(X, y).score(new, truth)
    drawn = AdaBoostClassifier(n_estimators=50, mode="resample", random_state=0).fit(X, y).score(new, truth)
    assert abs(weighted - drawn) < 0.06
    assert min(weighted, drawn) > 0.8
    with pytest.raises(ValueError, match="mode='resample'"):
        AdaBoostClassifier(Coin()).fit(X, y)


@pytest.mark.covers("ensemble.adaboost-restart")
def test_restart_reaches_all_rounds_where_the_others_stop():
    rng = np.random.RandomState(0)
    X = rng.randn(200, 1)
    y = np.where(X[:, 0] > 0, "b", "a")
    stopped = AdaBoostClassifier(Coin(), 40, mode="resample", random_state=0).fit(X, y)
    assert len(stopped.estimators_) < 40
    assert stopped.stop_reason_ == "no better than chance"
    whole = AdaBoostClassifier(Coin(), 40, mode="resample", restart=True, random_state=0).fit(X, y)
    assert len(whole.estimators_) == 40
    assert whole.n_restarts_ > 0
    assert (whole.estimator_errors_ < 0.5).all()
    capped = AdaBoostClassifier(Coin(), 40, mode="resample", restart=True, max_restarts=0, random_state=0).fit(X, y)
    assert len(capped.estimators_) == len(stopped.estimators_)
    with pytest.raises(ValueError, match="restart"):
        AdaBoostClassifier(restart=True).fit(X, y)


@pytest.mark.covers("ensemble.adaboost-multiclass")
def test_samme_and_m1_on_several_classes():
    X, y = load_iris(return_X_y=True)
    y = np.array(["山鸢尾", "变色鸢尾", "维吉尼亚鸢尾"])[y]
    samme = AdaBoostClassifier(n_estimators=40).fit(X, y)
    assert samme.score(X, y) > 0.95
    assert samme.decision_function(X).shape == (150, 3)
    np.testing.assert_allclose(samme.predict_proba(X).sum(axis=1), 1)
    e = samme.estimator_errors_
    np.testing.assert_allclose(samme.estimator_weights_, np.log((1 - e) / e) + np.log(2), rtol=1e-12)
    m1 = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), algorithm="M1").fit(X, y)
    assert (m1.estimator_errors_ < 0.5).all()
    assert m1.score(X, y) > 0.95


def test_a_learner_without_error_ends_the_fit():
    X, y = melons("3.0a")
    model = AdaBoostClassifier(DecisionTreeClassifier(), 10).fit(X, y)
    assert (len(model.estimators_), model.stop_reason_) == (1, "no error")
    assert np.isfinite(model.estimator_weights_).all()
    assert model.score(X, y) == 1


def test_a_first_learner_at_chance_is_kept():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    model = AdaBoostClassifier().fit(X, [0, 1, 1, 0])
    assert (len(model.estimators_), model.stop_reason_) == (1, "no better than chance")
    assert model.estimator_errors_[0] == 0.5


def test_one_class_one_row_and_weights_of_zero():
    X, y = noisy(60)
    assert set(AdaBoostClassifier().fit(X, ["only"] * 60).predict(X)) == {"only"}
    assert AdaBoostClassifier().fit(X[:1], y[:1]).predict(X[:1])[0] == y[0]
    weight = np.r_[np.ones(40), np.zeros(20)]
    part = AdaBoostClassifier(n_estimators=10).fit(X[:40], y[:40])
    whole = AdaBoostClassifier(n_estimators=10).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(whole.decision_function(X), part.decision_function(X), atol=1e-12)
    with pytest.raises(ValueError, match="zero"):
        AdaBoostClassifier().fit(X, y, sample_weight=np.zeros(60))


def test_nominal_and_missing_values_go_the_general_way():
    X, y = melons("2.0a")
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    assert model.score(X, y) > 0.9
    assert len(model.estimators_) > 1


def test_numbers_with_holes_in_new_rows_are_answered():
    X, y = noisy()
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    holes = X.copy()
    holes[::3, 0] = np.nan
    assert (model.predict(holes) == y).mean() > 0.6
    np.testing.assert_array_equal(model.predict(holes)[1::3], model.predict(X)[1::3])


def test_stages_end_in_the_whole_and_callbacks_see_them():
    X, y = noisy(k=3)
    recorder = Recorder()
    model = AdaBoostClassifier(n_estimators=8).set_callbacks(recorder).fit(X, y)
    assert len(recorder) == 8
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    np.testing.assert_allclose(list(model.staged_predict_proba(X))[-1], model.predict_proba(X), atol=1e-12)
    np.testing.assert_array_equal(recorder[2].predict(X), list(model.staged_predict(X))[2])


def test_any_learner_any_labels():
    X, y = noisy()
    model = AdaBoostClassifier(GaussianNB(), 10).fit(X, y)
    assert set(model.estimators_[0].predict(X)) <= set(y)
    with pytest.raises(AttributeError, match="feature_importances_"):
        model.feature_importances_  # noqa: B018


@pytest.mark.covers("ensemble.adaboost-multiclass")
@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
@pytest.mark.parametrize("mode", ["resample", "reweight"])
def test_regression(loss, mode):
    X, y = load_diabetes(return_X_y=True)
    model = AdaBoostRegressor(loss=loss, mode=mode, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.5
    assert (model.estimator_errors_ < 0.5).all()
    e = model.estimator_errors_
    np.testing.assert_allclose(model.estimator_weights_, np.log((1 - e) / e), rtol=1e-12)
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_the_answer_of_regression_is_the_weighted_median():
    X, y = load_diabetes(return_X_y=True)
    model = AdaBoostRegressor(n_estimators=7, random_state=0).fit(X, y)
    answers = np.array([m.predict(X[:20]) for m in model.estimators_])
    for said, answer in zip(answers.T, model.predict(X[:20]), strict=True):
        below = model.estimator_weights_[said <= answer].sum()
        under = model.estimator_weights_[said < answer].sum()
        assert below >= model.estimator_weights_.sum() / 2 - 1e-12
        assert under < model.estimator_weights_.sum() / 2
