"""MultiBoosting, iterative bagging, and boosting by filtering."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1

from lanatus.bayes import GaussianNB
from lanatus.ensemble import (
    AdaBoostClassifier,
    BaggingRegressor,
    BoostByFilter,
    IterativeBaggingRegressor,
    MultiBoostClassifier,
)
from lanatus.tree import DecisionStump, DecisionTreeClassifier, DecisionTreeRegressor


def data(n=800, seed=0):
    X, y = make_classification(n, 10, n_informative=6, flip_y=0.1, random_state=seed)
    return X, np.array(["阴", "阳"])[y]


@pytest.mark.covers("ensemble.multiboosting")
def test_committees_of_boosting_from_random_weights():
    X, y = data(300)
    model = MultiBoostClassifier(DecisionStump(), 10, random_state=0).fit(X, y)
    assert np.bincount(model.committee_).tolist() == [4, 3, 3]
    first = AdaBoostClassifier(n_estimators=4).fit(X, y)
    np.testing.assert_allclose(model.estimator_errors_[:4], first.estimator_errors_, rtol=1e-9)
    starts = model.estimator_errors_[[0, 4, 7]]
    assert len(set(starts.round(9))) == 3
    votes = np.zeros(len(X))
    for member, weight in zip(model.estimators_, model.estimator_weights_, strict=True):
        votes += weight * np.where(member.predict(X) == model.classes_[1], 1, -1)
    np.testing.assert_allclose(model.decision_function(X), 2 * votes / model.estimator_weights_.sum(), atol=1e-9)
    again = MultiBoostClassifier(DecisionStump(), 10, random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@pytest.mark.covers("ensemble.multiboosting")
def test_perfect_trees_start_anew_and_their_vote_is_better_than_one():
    X, y = data()
    X, y, new, truth = X[:400], y[:400], X[400:], y[400:]
    model = MultiBoostClassifier(n_estimators=25, random_state=0).fit(X, y)
    assert len(model.estimators_) == 25
    assert model.score(new, truth) > DecisionTreeClassifier().fit(X, y).score(new, truth)


def test_learners_at_chance_end_in_something_that_answers():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 5)
    y = np.array([0, 1, 1, 0] * 5)
    assert set(MultiBoostClassifier(GaussianNB(), 9, random_state=0).fit(X, y).predict(X)) <= {0, 1}
    assert (MultiBoostClassifier(n_estimators=4, random_state=0).fit(X, np.zeros(20)).predict(X) == 0).all()


@pytest.mark.covers("ensemble.iterative-bagging")
def test_stages_lower_the_bias_of_bagged_shallow_trees():
    X, y = make_friedman1(600, noise=0.5, random_state=0)
    X, y, new, truth = X[:300], y[:300], X[300:], y[300:]
    tree = DecisionTreeRegressor(max_depth=3)
    bagged = BaggingRegressor(tree, 30, random_state=0).fit(X, y)
    staged = IterativeBaggingRegressor(tree, 30, random_state=0).fit(X, y)
    assert len(staged.stages_) > 1
    assert staged.score(new, truth) > bagged.score(new, truth) + 0.05
    squares = staged.mean_squares_
    assert len(staged.stages_) == squares.argmin() + 1
    assert (squares[:-1] <= 1.1 * np.minimum.accumulate(squares)[:-1]).all()


@pytest.mark.covers("ensemble.iterative-bagging")
def test_the_second_stage_learns_what_the_rows_left_out_tell():
    X, y = make_friedman1(100, random_state=0)
    model = IterativeBaggingRegressor(DecisionTreeRegressor(max_depth=2), 40, n_stages=2, random_state=0).fit(X, y)
    first, second = model.stages_
    residual = y - first.oob_prediction_
    again = BaggingRegressor(DecisionTreeRegressor(max_depth=2), 40, random_state=second.random_state).fit(X, residual)
    np.testing.assert_allclose(second.predict(X), again.predict(X), rtol=1e-12)
    np.testing.assert_allclose(model.predict(X), first.predict(X) + second.predict(X), rtol=1e-12)
    assert model.mean_squares_[0] == pytest.approx((residual**2).mean())


@pytest.mark.covers("ensemble.schapire-boosting")
def test_the_second_sees_half_mistakes_and_the_third_what_they_differ_on():
    X, y = data(500)
    model = BoostByFilter(mode="reweight").fit(X, y)
    one, two, three = model.estimators_
    right = one.predict(X) == y
    half = np.where(right, 1 / right.sum(), 1 / (~right).sum())
    again = DecisionStump().fit(X, y, sample_weight=half)
    np.testing.assert_array_equal(two.predict(X), again.predict(X))
    differ = one.predict(X) != two.predict(X)
    last = DecisionStump().fit(X[differ], y[differ])
    np.testing.assert_array_equal(three.predict(X), last.predict(X))
    majority = np.where(differ, three.predict(X), one.predict(X))
    np.testing.assert_array_equal(model.predict(X), majority)


@pytest.mark.covers("ensemble.schapire-boosting")
def test_levels_boost_the_weak():
    X, y = data(1500)
    weak = DecisionTreeClassifier(max_depth=2)
    scores = [
        BoostByFilter(weak, n_levels=level, random_state=0).fit(X[:1000], y[:1000]).score(X[:1000], y[:1000])
        for level in (1, 3)
    ]
    alone = weak.fit(X[:1000], y[:1000]).score(X[:1000], y[:1000])
    assert alone < scores[1]
    assert scores[0] < scores[1]
    perfect = BoostByFilter(DecisionTreeClassifier(), mode="reweight").fit(X, y)
    assert len(perfect.estimators_) == 3
    assert perfect.score(X, y) == 1
