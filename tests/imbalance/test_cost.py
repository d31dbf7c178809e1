"""Rescaling, threshold moving, unequal costs."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import FixedThresholdClassifier as Peer
from sklearn.neighbors import KNeighborsClassifier

from lanatus.bayes import GaussianNB
from lanatus.evaluation import CostMatrix, cost_sensitive_error
from lanatus.imbalance import (
    CostSensitiveClassifier,
    FixedThresholdClassifier,
    multiclass_rescaling_weights,
    rescale_proba,
)


def classes(k=2, n=600, seed=0, share=None):
    rng = np.random.RandomState(seed)
    y = rng.choice(k, n, p=share)
    return rng.randn(n, 3) + 1.2 * np.eye(3)[y], np.array(["a", "b", "c"])[y]


# ---------------------------------------------------------------- rescaling


@pytest.mark.covers("imbalance.rescaling")
def test_odds_are_multiplied():
    y = np.array([0.01, 0.2, 0.5, 0.9])
    new = rescale_proba(y, 3.0)
    np.testing.assert_allclose(new / (1 - new), 3 * y / (1 - y), rtol=1e-14)
    np.testing.assert_allclose(rescale_proba(np.column_stack([1 - y, y]), 3.0)[:, 1], new, rtol=1e-14)
    three = rescale_proba([[0.2, 0.3, 0.5]], [5, 1, 2])[0]
    np.testing.assert_allclose(three, np.array([1.0, 0.3, 1.0]) / 2.3, rtol=1e-14)
    assert rescale_proba([0.0, 1.0], 7.0).tolist() == [0, 1]
    assert rescale_proba([0.5], 1e300).tolist() == [1.0]
    assert rescale_proba([], 2.0).shape == (0,)


@pytest.mark.parametrize(
    ("proba", "ratio", "words"),
    [
        ([0.5], 0.0, "above 0"),
        ([0.5], np.inf, "finite"),
        ([1.5], 2.0, "from 0 to 1"),
        ([np.nan], 2.0, "from 0 to 1"),
        ([[0.2, 0.3, 0.5]], 2.0, "each of 3 classes"),
        (0.5, 2.0, "dimensions"),
    ],
)
def test_odds_that_cannot_be_rescaled(proba, ratio, words):
    with pytest.raises(ValueError, match=words):
        rescale_proba(proba, ratio)


# ---------------------------------------------------------------- thresholds


@pytest.mark.covers("imbalance.threshold-moving")
def test_two_positives_in_a_thousand():
    """ch01-03 G16: positive where y > 0.002, which is where the rescaled probability passes a half."""
    X, y = np.linspace(-3, 3, 1000)[:, None], np.repeat([0, 1], [998, 2])
    model = FixedThresholdClassifier(GaussianNB()).fit(X, y)
    assert model.threshold_ == 0.002
    proba = model.predict_proba(X)
    np.testing.assert_array_equal(model.predict(X), proba[:, 1] >= 0.002)
    clear = np.abs(proba[:, 1] - 0.002) > 1e-9
    np.testing.assert_array_equal(model.predict(X)[clear], (rescale_proba(proba, 998 / 2)[:, 1] > 0.5)[clear])


@pytest.mark.parametrize("threshold", ["auto", 0.1, 0.7])
@pytest.mark.parametrize("pos_label", [None, "a", "b"])
@pytest.mark.parametrize("response", ["auto", "predict_proba", "decision_function"])
def test_thresholds_are_those_of_scikit_learn(threshold, pos_label, response):
    X, y = classes()
    settings = {"threshold": threshold, "pos_label": pos_label, "response_method": response}
    ours = FixedThresholdClassifier(LogisticRegression(), **settings).fit(X, y)
    # scikit-learn needs to be told which class is positive for labels that are words
    peer = Peer(LogisticRegression(), **{**settings, "pos_label": pos_label or "b"}).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    for verb in ("predict_proba", "predict_log_proba", "decision_function"):
        np.testing.assert_array_equal(getattr(ours, verb)(X), getattr(peer, verb)(X))


def test_balanced_thresholds_of_three_classes_and_weights():
    X, y = classes(3, share=[0.8, 0.15, 0.05])
    model = FixedThresholdClassifier(GaussianNB()).fit(X, y)
    share = np.unique(y, return_counts=True)[1] / len(y)
    np.testing.assert_allclose(model.threshold_, share, rtol=1e-14)
    expected = model.classes_[(model.predict_proba(X) / share).argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(X), expected)
    recall = [(model.predict(X) == c)[y == c].mean() for c in "abc"]
    plain = [(GaussianNB().fit(X, y).predict(X) == c)[y == c].mean() for c in "abc"]
    assert min(recall) > min(plain)
    given = FixedThresholdClassifier(GaussianNB(), threshold=share).fit(X, y)
    np.testing.assert_array_equal(given.predict(X), expected)
    heavy = FixedThresholdClassifier(GaussianNB()).fit(X, y, sample_weight=np.where(y == "c", 3.0, 1.0))
    counts = np.unique(y, return_counts=True)[1] * [1, 1, 3]
    np.testing.assert_allclose(heavy.threshold_, counts / counts.sum(), rtol=1e-14)


def test_thresholds_that_make_no_sense():
    X, y = classes()
    three = classes(3)
    for model, data, words in [
        (FixedThresholdClassifier(GaussianNB(), threshold=0.5), three, "is for two classes; y has 3"),
        (FixedThresholdClassifier(GaussianNB(), pos_label="a"), three, "pos_label is for two classes"),
        (FixedThresholdClassifier(GaussianNB(), pos_label="z"), (X, y), "'z' is not a class"),
        (FixedThresholdClassifier(GaussianNB(), threshold=[0.5, 0.0]), (X, y), "above 0 for each of 2"),
        (FixedThresholdClassifier(RidgeClassifier()), (X, y), "needs probabilities"),
        (FixedThresholdClassifier(GaussianNB(), threshold="best"), (X, y), "threshold"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.fit(*data)
    with pytest.raises(TypeError, match="no decision_function"):
        FixedThresholdClassifier(GaussianNB(), threshold=0.0, response_method="decision_function").fit(X, y)
    assert not hasattr(FixedThresholdClassifier(RidgeClassifier()), "predict_proba")
    by_score = FixedThresholdClassifier(RidgeClassifier(), threshold=0.3).fit(X, y)
    np.testing.assert_array_equal(by_score.predict(X) == "b", by_score.decision_function(X) >= 0.3)


# ---------------------------------------------------------------- weights for costs


@pytest.mark.covers("imbalance.multiclass-cost-rescaling")
def test_consistent_costs_have_weights():
    rng = np.random.RandomState(0)
    for c in (2, 3, 4, 7):
        w = np.exp(rng.randn(c))
        symmetric = np.exp(rng.randn(c, c))
        costs = np.sqrt(symmetric * symmetric.T) * w[:, None]
        np.fill_diagonal(costs, 0)
        found = multiclass_rescaling_weights(costs)
        assert found.consistent
        assert found.rank == c - 1
        np.testing.assert_allclose(found.weights, w / w.min(), rtol=1e-9)
        if c > 2:
            costs[0, 1] *= 1.01
            broken = multiclass_rescaling_weights(costs)
            assert not broken.consistent
            assert (broken.weights, broken.rank) == (None, c)
            assert broken.pairs[0, 1] == pytest.approx(
                (max(costs[0, 1] / costs[1, 0], 1), max(costs[1, 0] / costs[0, 1], 1)), rel=1e-12
            )


def test_costs_of_zero():
    free = multiclass_rescaling_weights(np.zeros((3, 3)))
    assert free.consistent
    assert free.weights.tolist() == [1, 1, 1]
    assert not multiclass_rescaling_weights([[0, 5], [0, 0]]).consistent
    named = multiclass_rescaling_weights(CostMatrix({("病", "健"): 5.0}))
    assert dict(zip(named.labels, named.weights.round(12), strict=True)) == {"病": 5.0, "健": 1.0}


# ---------------------------------------------------------------- cost-sensitive learners

COSTS = CostMatrix({("b", "a"): 10.0})


@pytest.mark.covers("imbalance.cost-sensitive-rescaling")
@pytest.mark.parametrize("method", ["weights", "expected-cost", "metacost"])
@pytest.mark.parametrize("learner", [GaussianNB(), LogisticRegression()], ids=["ours", "sklearn"])
def test_cost_falls(method, learner):
    X, y = classes(n=3000, share=[0.9, 0.1])
    X_new, y_new = classes(n=3000, share=[0.9, 0.1], seed=1)
    model = CostSensitiveClassifier(learner, COSTS, method=method, random_state=0).fit(X, y)
    plain = cost_sensitive_error(y_new, learner.fit(X, y).predict(X_new), COSTS)
    assert cost_sensitive_error(y_new, model.predict(X_new), COSTS) < 0.75 * plain


def test_two_classes_three_ways_to_the_same_rule():
    """Weights move the odds by cost_01 / cost_10, exactly where the learner's prior is the share of rows."""
    X, y = classes(n=2000)
    weighted = CostSensitiveClassifier(GaussianNB(var_smoothing=0), COSTS).fit(X, y)
    expected = CostSensitiveClassifier(GaussianNB(var_smoothing=0), COSTS, method="expected-cost").fit(X, y)
    moved = FixedThresholdClassifier(GaussianNB(var_smoothing=0), threshold=1 / 11).fit(X, y)
    np.testing.assert_array_equal(weighted.predict(X), moved.predict(X))
    np.testing.assert_array_equal(expected.predict(X), moved.predict(X))
    np.testing.assert_allclose(weighted.class_weight_, [1, 10], rtol=1e-12)
    np.testing.assert_allclose(
        weighted.predict_proba(X), rescale_proba(moved.predict_proba(X), 10.0), rtol=1e-8, atol=1e-300
    )


def test_every_form_of_costs_means_the_same():
    X, y = classes()
    forms = [[[0, 1], [10, 0]], {("b", "a"): 10}, CostMatrix([[0, 10], [1, 0]], ("b", "a")), COSTS]
    answers = [CostSensitiveClassifier(GaussianNB(), form).fit(X, y).predict(X) for form in forms]
    for other in answers[1:]:
        np.testing.assert_array_equal(answers[0], other)
    equal = CostSensitiveClassifier(GaussianNB()).fit(X, y)
    np.testing.assert_array_equal(equal.predict(X), GaussianNB().fit(X, y).predict(X))


def test_inconsistent_costs_fall_back_to_pairs():
    X, y = classes(3, n=3000)
    X_new, y_new = classes(3, n=3000, seed=1)
    costs = CostMatrix([[0, 2, 4], [1, 0, 9], [1, 1, 0]], ("a", "b", "c"))
    model = CostSensitiveClassifier(GaussianNB(), costs).fit(X, y)
    assert model.class_weight_ is None
    assert len(model.estimators_) == 3
    assert not hasattr(model, "predict_proba")
    plain = cost_sensitive_error(y_new, GaussianNB().fit(X, y).predict(X_new), costs)
    assert cost_sensitive_error(y_new, model.predict(X_new), costs) < plain
    first = model.estimators_[0]  # b against a, weighed 1 to 2: as fitted by hand
    rows = np.isin(y, ["a", "b"])
    by_hand = GaussianNB().fit(X[rows], y[rows] == "b", np.where(y[rows] == "b", 1.0, 2.0))
    np.testing.assert_array_equal(first.predict(X) == 1, by_hand.predict(X))


def test_metacost_relabels_by_the_bagged_probabilities():
    X, y = classes(n=500)
    model = CostSensitiveClassifier(GaussianNB(), COSTS, method="metacost", n_estimators=7, random_state=3).fit(X, y)
    rng = np.random.RandomState(3)
    share = 0
    for _ in range(7):
        bag = np.sort(rng.randint(500, size=500))
        share = share + GaussianNB().fit(X[bag], y[bag]).predict_proba(X)
    np.testing.assert_array_equal(model.relabeled_, np.where(share[:, 1] * 10 > share[:, 0], "b", "a"))
    np.testing.assert_array_equal(model.predict(X), GaussianNB().fit(X, model.relabeled_).predict(X))
    ever = CostSensitiveClassifier(LogisticRegression(), {("b", "a"): 1e9}, method="metacost", random_state=0)
    assert set(ever.fit(X, y).predict(X)) == {"b"}
    np.testing.assert_array_equal(ever.predict_proba(X), np.tile([0.0, 1.0], (500, 1)))


def test_what_cannot_be_done_is_said():
    X, y = classes()
    with pytest.raises(TypeError, match=r"sample_weight.*KNeighborsClassifier.*expected-cost"):
        CostSensitiveClassifier(KNeighborsClassifier()).fit(X, y)
    with pytest.raises(TypeError, match="predict_proba"):
        CostSensitiveClassifier(RidgeClassifier(), method="expected-cost").fit(X, y)
    with pytest.raises(TypeError, match="predict_proba"):
        CostSensitiveClassifier(RidgeClassifier(), method="metacost").fit(X, y)
    with pytest.raises(ValueError, match="no costs for the classes"):
        CostSensitiveClassifier(GaussianNB(), CostMatrix([[0, 1], [1, 0]])).fit(X, y)
    with pytest.raises(ValueError, match="wanted 3 different ones"):
        CostSensitiveClassifier(GaussianNB(), np.ones((3, 3)) - np.eye(3)).fit(X, y)
