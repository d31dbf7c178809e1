"""Voting and averaging: figure 8.2, every rule of section 8.4, ties, rejection, weights."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.datasets import load_iris, make_regression
from sklearn.tree import DecisionTreeClassifier

from lanatus.bayes import GaussianNB
from lanatus.ensemble import CalibratedClassifierCV, IsotonicRegression, VotingClassifier, VotingRegressor
from lanatus.linear import LinearRegression, LogisticRegression, MultiResponseLinearRegression, Ridge

IRIS = load_iris(return_X_y=True)


class Says(ClassifierMixin, BaseEstimator):
    """A classifier that says what column `at` of X holds, whatever it was fitted to."""

    def __init__(self, at=0):
        self.at = at

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.asarray(X)[:, self.at].astype(int)


class Shares(Says):
    """One that gives probabilities of two classes: column `at` is that of the second."""

    def predict_proba(self, X):
        return np.column_stack([1 - np.asarray(X)[:, self.at], np.asarray(X)[:, self.at]])

    def predict(self, X):
        return (np.asarray(X)[:, self.at] > 0.5).astype(int)


def committee(said, n_classes=2, **params):
    """A vote of learners whose answers are the rows of `said`, and the rows to ask about."""
    X = np.array(said, dtype=float).T
    model = VotingClassifier([(f"h{t}", Says(t)) for t in range(len(said))], **params)
    return model.fit(np.zeros((n_classes, len(said))), np.arange(n_classes)), X


@pytest.mark.covers("ensemble.simple-vote-binary")
@pytest.mark.parametrize(
    ("h1", "h2", "h3", "vote"),
    [("110", "011", "101", "111"), ("110", "110", "110", "110"), ("100", "010", "001", "000")],
)
def test_three_classifiers_and_three_rows_of_figure_8_2(h1, h2, h3, vote):
    """Good and different members help; equal ones change nothing; bad ones hurt. A 1 is a right answer."""
    model, X = committee([[int(c) for c in h] for h in (h1, h2, h3)])
    assert model.predict(X).tolist() == [int(c) for c in vote]


@pytest.mark.covers("ensemble.plurality-voting")
@pytest.mark.covers("ensemble.majority-voting")
def test_majority_rejects_and_plurality_does_not():
    said = [[0, 0, 0, 2], [0, 1, 1, 2], [1, 1, 2, 2]]
    plurality, X = committee(said, 3)
    assert plurality.predict(X).tolist() == [0, 1, 0, 2]  # a three-way tie goes to the first class
    majority, _ = committee(said, 3, voting="majority", reject=-1)
    assert majority.predict(X).tolist() == [0, 1, -1, 2]
    assert majority.predict(X).dtype.kind == "i"
    nothing, _ = committee(said, 3, voting="majority", reject=True)
    assert nothing.predict(X).tolist() == [0, 1, None, 2]
    lenient, _ = committee(said, 3, voting="majority")
    np.testing.assert_array_equal(lenient.predict(X), plurality.predict(X))
    # Exactly half of the votes is no majority (8.24 is strict).
    half, X = committee([[0], [0], [1], [1]], voting="majority", reject="don't know")
    assert half.predict(X).tolist() == ["don't know"]


@pytest.mark.covers("ensemble.majority-voting")
def test_rejection_among_labels_of_other_kinds():
    members = [("a", Says(0)), ("b", Says(1))]
    X, Q = np.zeros((2, 2)), np.array([[0.0, 1.0], [1.0, 1.0]])
    named = VotingClassifier(members, voting="majority", reject="无法判断").fit(X, ["坏瓜", "好瓜"])
    assert named.predict(Q).tolist() == ["无法判断", "好瓜"]  # the second class: 坏 sorts before 好
    numbered = VotingClassifier(members, voting="majority", reject=np.nan).fit(X, [3, 5])
    np.testing.assert_array_equal(numbered.predict(Q), [np.nan, 5.0])


@pytest.mark.covers("ensemble.weighted-voting")
def test_weights_of_votes():
    model, X = committee([[1], [0], [0]], weights=[3, 1, 1])
    assert model.predict(X).tolist() == [1]
    np.testing.assert_allclose(model.weights_, [0.6, 0.2, 0.2])
    model, X = committee([[1], [0], [0]], weights=[1, 1, 1])
    assert model.predict(X).tolist() == [0]
    model, X = committee([[1], [0]], weights=[0, 1])
    assert model.predict(X).tolist() == [0]
    for wrong in ([1, 1], [-1, 1, 1], [0, 0, 0]):
        with pytest.raises(ValueError, match="weights must"):
            committee([[1], [0], [0]], weights=wrong)


@pytest.mark.covers("ensemble.hard-and-soft-voting")
def test_hard_and_soft_votes_differ_and_agree_on_indicators():
    """Claim 9: hard voting is soft voting on one-hot outputs; two unsure members lose to a sure one in a soft vote."""
    X = np.array([[0.45, 0.45, 0.9], [0.1, 0.2, 0.4]])
    members = [(f"h{t}", Shares(t)) for t in range(3)]
    soft = VotingClassifier(members, voting="soft").fit(np.zeros((2, 3)), [0, 1])
    hard = VotingClassifier(members).fit(np.zeros((2, 3)), [0, 1])
    assert hard.predict(X).tolist() == [0, 0]
    assert soft.predict(X).tolist() == [1, 0]
    np.testing.assert_allclose(soft.predict_proba(X)[:, 1], X.mean(axis=1), rtol=1e-14)
    assert not hasattr(hard, "predict_proba")
    sure = np.random.RandomState(0).randint(2, size=(50, 3)).astype(float)
    np.testing.assert_array_equal(hard.predict(sure), soft.predict(sure))
    np.testing.assert_array_equal(hard.transform(sure), sure.astype(int))
    assert soft.transform(X).shape == (2, 6)
    assert soft.set_params(flatten_transform=False).transform(X).shape == (3, 2, 2)
    with pytest.raises(AttributeError, match="probabilities"):
        VotingClassifier([("a", Says(0))], voting="soft").fit(np.zeros((2, 1)), [0, 1]).predict([[1.0]])


def test_votes_do_not_mind_the_order_of_the_members():
    """Claim 9, for all rules."""
    X, y = IRIS
    members = [
        ("bayes", GaussianNB()),
        ("logistic", LogisticRegression(C=0.01)),
        ("tree", DecisionTreeClassifier(max_depth=1)),
    ]
    for params in ({}, {"voting": "soft"}, {"voting": "majority", "reject": -1}):
        one = VotingClassifier(members, **params).fit(X, y).predict(X)
        other = VotingClassifier(members[::-1], **params).fit(X, y).predict(X)
        np.testing.assert_array_equal(one, other)


@pytest.mark.covers("ensemble.plurality-voting")
def test_ties_by_chance_are_fair_and_settled_by_the_votes():
    said = np.random.RandomState(0).randint(4, size=(4, 300))
    first, X = committee(said.tolist(), 4)
    chance, _ = committee(said.tolist(), 4, random_state=0)
    votes = np.stack([(said == c).sum(axis=0) for c in range(4)], axis=1)
    tied = votes == votes.max(axis=1, keepdims=True)
    for model in (first, chance):
        assert tied[np.arange(300), model.predict(X)].all()
    several = tied.sum(axis=1) > 1
    assert (first.predict(X) == tied.argmax(axis=1)).all()
    differs = (chance.predict(X) != first.predict(X))[several].mean()
    assert 0.3 < differs < 0.8
    np.testing.assert_array_equal(chance.predict(X[::-1])[::-1], chance.predict(X))


@pytest.mark.covers("ensemble.simple-averaging")
@pytest.mark.covers("ensemble.weighted-averaging")
def test_averages():
    """Claim 9: the simple average is the weighted one with 1 / T."""
    X, y = make_regression(80, 4, noise=5.0, random_state=0)
    members = [("plain", LinearRegression()), ("ridge", Ridge(30.0)), ("flat", Ridge(1e4))]
    simple = VotingRegressor(members).fit(X, y)
    np.testing.assert_allclose(simple.predict(X), simple.transform(X).mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(
        VotingRegressor(members, weights=[2, 2, 2]).fit(X, y).predict(X), simple.predict(X), rtol=1e-12
    )
    np.testing.assert_array_equal(VotingRegressor(members, weights="equal").fit(X, y).predict(X), simple.predict(X))
    given = VotingRegressor(members, weights=[1, 2, 0]).fit(X, y)
    np.testing.assert_allclose(given.predict(X), given.transform(X) @ [1 / 3, 2 / 3, 0], rtol=1e-12)


@pytest.mark.covers("ensemble.weighted-averaging")
def test_weights_from_errors():
    from sklearn.model_selection import KFold, cross_val_predict

    X, y = make_regression(80, 4, noise=5.0, random_state=0)
    members = [("plain", LinearRegression()), ("ridge", Ridge(30.0)), ("flat", Ridge(1e4))]
    model = VotingRegressor(members, weights="inverse-error").fit(X, y)
    errors = [np.mean((cross_val_predict(m, X, y, cv=KFold(5)) - y) ** 2) for _, m in members]
    np.testing.assert_allclose(model.errors_, errors, rtol=1e-10)
    np.testing.assert_allclose(model.weights_, (1 / np.array(errors)) / np.sum(1 / np.array(errors)), rtol=1e-10)
    assert model.weights_[0] > 5 * model.weights_[2]
    better = np.mean((model.predict(X) - y) ** 2)
    assert better < np.mean((VotingRegressor(members).fit(X, y).predict(X) - y) ** 2)


class Knows(RegressorMixin, BaseEstimator):
    """A regressor that says the first column of X, which is the target."""

    def fit(self, X, y):
        self.n_ = len(X)
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


def test_a_member_without_error_takes_all_the_weight():
    X = np.arange(12.0)[:, None] ** 2
    model = VotingRegressor([("knows", Knows()), ("flat", Ridge(1e6))], weights="inverse-error").fit(X, X[:, 0])
    assert model.weights_.tolist() == [1.0, 0.0]


def test_members_can_be_dropped_and_set_by_name():
    X, y = IRIS
    members = [("bayes", GaussianNB()), ("logistic", LogisticRegression())]
    model = VotingClassifier(members, weights=[1, 2], voting="soft")
    assert model.get_params()["logistic__C"] == 1.0
    model.set_params(logistic__C=0.5)
    assert model.estimators[1][1].C == 0.5
    dropped = clone(model).set_params(logistic="drop").fit(X, y)
    np.testing.assert_allclose(dropped.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X), rtol=1e-12)
    assert [name for name, one in dropped.named_estimators_.items() if one != "drop"] == ["bayes"]
    with pytest.raises(ValueError, match="dropped"):
        model.set_params(bayes="drop", logistic="drop").fit(X, y)
    with pytest.raises(ValueError, match="distinct names"):
        VotingClassifier([("a", GaussianNB()), ("a", GaussianNB())]).fit(X, y)
    with pytest.raises(ValueError, match="wants classifiers"):
        VotingClassifier([("a", LinearRegression())]).fit(X, y)
    with pytest.raises(ValueError, match="wants regressors"):
        VotingRegressor([("a", GaussianNB())]).fit(X, y)
    with pytest.raises(TypeError, match="sample_weight"):
        VotingClassifier([("a", Says())]).fit(X, y, sample_weight=np.ones(len(y)))


def test_mixed_tables_and_foreign_members():
    frame = pd.DataFrame({"根蒂": ["蜷缩", "硬挺"] * 20, "密度": np.linspace(0, 1, 40)})
    y = np.where((frame["根蒂"] == "蜷缩") ^ (frame["密度"] > 0.9), "是", "否")
    ours = VotingClassifier([("bayes", GaussianNB()), ("logistic", LogisticRegression())]).fit(frame, y)
    assert (ours.predict(frame) == y).mean() > 0.85
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    coded = make_column_transformer((OneHotEncoder(), ["根蒂"]), remainder="passthrough")
    both = VotingClassifier(
        [("tree", make_pipeline(coded, DecisionTreeClassifier())), ("planes", MultiResponseLinearRegression())]
    ).fit(frame, y)
    assert (both.predict(frame) == y).mean() > 0.85


@pytest.mark.covers("ensemble.isotonic-calibration")
def test_isotonic_calibration_is_the_nearest_rising_function():
    """Pool adjacent violators, checked by quadratic programming in miniature: block means that rise."""
    score = np.arange(8.0)
    truth = np.array([0, 0, 1, 0, 1, 0, 1, 1.0])
    found = IsotonicRegression().fit(score, truth).predict(score)
    np.testing.assert_allclose(found, [0, 0, 0.5, 0.5, 0.5, 0.5, 1, 1], rtol=1e-14)
    X, y = IRIS
    two = y > 0
    calibrated = CalibratedClassifierCV(MultiResponseLinearRegression(), method="isotonic", cv=3).fit(X, two)
    voted = VotingClassifier([("planes", calibrated), ("bayes", GaussianNB())], voting="soft").fit(X, two)
    assert voted.score(X, two) > 0.98
