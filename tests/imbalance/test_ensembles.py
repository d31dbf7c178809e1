"""EasyEnsemble and BalanceCascade."""

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from lanatus.bayes import GaussianNB
from lanatus.evaluation import balanced_accuracy_score
from lanatus.imbalance import BalanceCascadeClassifier, EasyEnsembleClassifier

BOTH = [EasyEnsembleClassifier, BalanceCascadeClassifier]


def uneven(n=2000, share=0.05, seed=0, classes=2):
    rng = np.random.RandomState(seed)
    p = np.r_[1 - share * (classes - 1), np.full(classes - 1, share)]
    y = np.sort(rng.choice(classes, n, p=p))
    return rng.randn(n, 4) + 1.5 * np.eye(4)[y % 4] * (y > 0)[:, None], np.array(["多", "少", "稀"])[y]


@pytest.mark.covers("imbalance.easy-ensemble")
def test_parts_are_balanced_and_hold_all_rare_rows():
    X, y = uneven()
    model = EasyEnsembleClassifier(random_state=0).fit(X, y)
    rare = set(np.flatnonzero(y == "少").tolist())
    assert len(model.estimators_samples_) == 10
    for part in model.estimators_samples_:
        assert len(part) == len(set(part.tolist())) == 2 * len(rare)
        assert rare <= set(part.tolist())
    assert len({tuple(part) for part in model.estimators_samples_}) == 10
    assert set(np.unique(model.stumps_["set"])) == set(range(10))


def test_the_answer_is_the_sum_of_all_weak_learners():
    X, y = uneven()
    model = EasyEnsembleClassifier(3, n_rounds=7, random_state=0).fit(X, y)
    stumps, total = model.stumps_, np.zeros(len(X))
    for column, threshold, said, alpha in zip(
        stumps["column"], stumps["threshold"], stumps["said"], stumps["alpha"], strict=True
    ):
        total += alpha * (2 * np.where(X[:, column] <= threshold, said[0], said[1]) - 1)
    np.testing.assert_allclose(model.decision_function(X), total / 3, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X) == "少", total > 0)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-total / 3)), rtol=1e-10)


def test_one_part_is_adaboost():
    """On balanced data one part is scikit-learn's AdaBoost of stumps: the same cuts and votes."""
    rng = np.random.RandomState(0)
    y = np.arange(400) % 2
    X = rng.randn(400, 3) + 0.8 * y[:, None]
    ours = EasyEnsembleClassifier(1, n_rounds=20).fit(X, y)
    peer = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=20, random_state=0).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    np.testing.assert_allclose(ours.stumps_["alpha"], peer.estimator_weights_, rtol=1e-8)
    scale = peer.estimator_weights_.sum()
    np.testing.assert_allclose(2 * ours.decision_function(X) / scale, peer.decision_function(X), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("ensemble", BOTH)
@pytest.mark.parametrize("classes", [2, 3])
def test_rare_classes_are_found(ensemble, classes):
    X, y = uneven(6000, classes=classes)
    X_new, y_new = uneven(6000, seed=1, classes=classes)
    model = ensemble(random_state=0).fit(X, y)
    plain = AdaBoostClassifier(n_estimators=50, random_state=0).fit(X, y)
    gain = balanced_accuracy_score(y_new, model.predict(X_new)) - balanced_accuracy_score(y_new, plain.predict(X_new))
    assert gain > (0.1 if ensemble is EasyEnsembleClassifier else 0.02)
    proba = model.predict_proba(X_new)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X_new))


@pytest.mark.parametrize("ensemble", BOTH)
@pytest.mark.parametrize("learner", [GaussianNB(), DecisionTreeClassifier(max_depth=3)], ids=["ours", "sklearn"])
def test_any_learner(ensemble, learner):
    X, y = uneven()
    model = ensemble(4, learner, random_state=0).fit(X, y)
    assert len(model.estimators_) == 4
    assert not hasattr(model, "stumps_")
    again = ensemble(4, learner, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-12)
    if ensemble is EasyEnsembleClassifier:
        mean = np.mean([inner.predict_proba(X) for inner in model.estimators_], axis=0)
        np.testing.assert_allclose(model.predict_proba(X), mean, rtol=1e-12)


def test_learners_without_probabilities_vote():
    from sklearn.svm import LinearSVC

    X, y = uneven()
    model = EasyEnsembleClassifier(3, LinearSVC(), random_state=0).fit(X, y)
    assert set(np.round(3 * model.predict_proba(X[:50])[:, 1], 6)) <= {0, 1, 2, 3}


def test_cascade_drops_the_surest_rows_of_the_larger_class():
    X, y = uneven(4000)
    model = BalanceCascadeClassifier(5, random_state=0).fit(X, y)
    rare, many = int((y == "少").sum()), int((y == "多").sum())
    keep = (rare / many) ** (1 / 4)
    left = model.n_left_[:, 0]
    np.testing.assert_allclose(left[1:] / left[:-1], keep, rtol=0.01)
    assert left[0] == many
    assert left[-1] == pytest.approx(rare, abs=3)
    assert (model.n_left_[:, 1] == rare).all()
    printed = BalanceCascadeClassifier(5, subtract_thresholds=True, random_state=0).fit(X, y)
    shift = printed.decision_function(X) - model.decision_function(X)
    np.testing.assert_allclose(shift, model.thresholds_[:, 0].sum() / 5, rtol=1e-9)
    assert (printed.predict(X) == "少").mean() > (model.predict(X) == "少").mean()
    alone = BalanceCascadeClassifier(1, random_state=0).fit(X, y)
    assert (alone.thresholds_ == 0).all()


def test_strategies_and_repeats():
    X, y = uneven()
    rare = int((y == "少").sum())
    half = EasyEnsembleClassifier(2, sampling_strategy=0.5, random_state=0).fit(X, y)
    assert [len(part) for part in half.estimators_samples_] == [3 * rare] * 2
    twice = EasyEnsembleClassifier(1, sampling_strategy={"多": 1500}, replacement=True, random_state=0).fit(X, y)
    assert len(set(twice.estimators_samples_[0].tolist())) < 1500 + rare
    gone = EasyEnsembleClassifier(2, GaussianNB(), sampling_strategy={"多": 0}).fit(X, y)
    assert set(gone.predict(X)) == {"少"}
    with pytest.raises(ValueError, match="leaves no rows"):
        EasyEnsembleClassifier(sampling_strategy={"多": 0, "少": 0}).fit(X, y)


@pytest.mark.parametrize("ensemble", BOTH)
def test_a_class_of_one_row_and_rows_alike(ensemble):
    X, y = uneven(200)
    y[y == "少"] = "多"
    y[7] = "少"
    X[7] += 20
    assert ensemble(random_state=0).fit(X, y).predict(X[7:8]) == ["少"]
    same = ensemble(random_state=0).fit(np.ones((20, 2)), np.array(["a", "b"] * 10))
    np.testing.assert_allclose(same.predict_proba(np.ones((1, 2))), 0.5)
