"""Ensembles as scikit-learn's users know them: sequences of members, scores, several targets, routed metadata."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, load_iris, make_multilabel_classification
from sklearn.ensemble import BaggingClassifier as TheirBagging
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

from lanatus.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from lanatus.linear import LogisticRegression
from lanatus.tree import DecisionTreeClassifier

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
ALL = (AdaBoostClassifier, AdaBoostRegressor, BaggingClassifier, BaggingRegressor)


@pytest.mark.parametrize("ensemble", ALL)
def test_ensembles_are_sequences(ensemble):
    model = ensemble(n_estimators=4, random_state=0).fit(*(DIABETES if "Regressor" in ensemble.__name__ else IRIS))
    assert len(model) == len(model.estimators_)
    assert model[0] is model.estimators_[0] is next(iter(model))
    assert type(model.estimator_) is type(model[0])
    assert getattr(model, "n_classes_", 3) == 3


# ---------------------------------------------------------------- bagging


def test_a_bag_of_one_class_says_that_class():
    X = np.arange(12.0).reshape(-1, 1)
    y = np.array(["no"] * 11 + ["yes"])
    model = BaggingClassifier(LogisticRegression(), 20, random_state=0).fit(X, y)
    known = [len(member.classes_) for member in model]
    assert {1, 2} == set(known)
    assert model.predict([[0.0]]).tolist() == ["no"]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    with pytest.raises(ValueError, match="wanted one column"):
        BaggingClassifier(Failing(), 3).fit(X, np.arange(12) % 2)


class Failing(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise ValueError("wanted one column")


def test_bagging_of_several_targets():
    X, y = DIABETES
    both = np.column_stack([y, -y])
    model = BaggingRegressor(n_estimators=30, oob_score=True, random_state=0).fit(X, both)
    assert model.predict(X).shape == model.oob_prediction_.shape == (442, 2)
    np.testing.assert_allclose(model.predict(X)[:, 0], -model.predict(X)[:, 1])
    assert 0.2 < model.oob_score_ < 0.6


def test_scores_of_bagged_members():
    X, y = IRIS
    model = BaggingClassifier(TheirLogistic(max_iter=500), 5, random_state=0).fit(X, y)
    wanted = np.mean([member.decision_function(X) for member in model], axis=0)
    np.testing.assert_allclose(model.decision_function(X), wanted)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    two = BaggingClassifier(SVC(), 5, random_state=0).fit(X, y == 1)
    assert two.decision_function(X).shape == (150,)
    assert not hasattr(BaggingClassifier(KNeighborsClassifier()), "decision_function")


def test_more_rows_than_there_are_may_be_drawn_where_they_are_put_back():
    X, y = IRIS
    assert [len(rows) for rows in BaggingClassifier(max_samples=400).fit(X, y).estimators_samples_] == [400] * 10
    with pytest.raises(ValueError, match="more than the 150"):
        BaggingClassifier(max_samples=400, bootstrap=False).fit(X, y)


def test_what_was_said_of_rows_left_out_goes_with_the_next_fit():
    X, y = IRIS
    model = BaggingClassifier(n_estimators=40, oob_score=True, random_state=0).fit(X, y)
    assert model.oob_score_ > 0.9
    model.set_params(oob_score=False, warm_start=True, n_estimators=41).fit(X, y)
    assert not hasattr(model, "oob_score_")
    with pytest.warns(UserWarning, match="OOB"):
        BaggingClassifier(n_estimators=2, oob_score=True, random_state=0).fit(X, y)


def test_learners_that_fill_holes_get_them():
    X, y = IRIS[0].copy(), IRIS[1]
    X[::7, 2] = np.nan
    learner = make_pipeline(FunctionTransformer(np.nan_to_num), TheirLogistic(max_iter=500))
    assert BaggingClassifier(learner, 5, random_state=0).fit(X, y).score(X, y) > 0.8


def test_news_of_members(capsys):
    BaggingClassifier(TheirLogistic(max_iter=500), 3, verbose=11).fit(*IRIS)
    assert "Done" in "".join(capsys.readouterr())
    learners = [("a", Ridge()), ("b", Ridge(2.0))]
    VotingRegressor(learners, verbose=True).fit(*DIABETES)
    said = capsys.readouterr().out
    assert "(1 of 2) Processing a" in said
    assert "(2 of 2) Processing b" in said
    StackingRegressor(learners, verbose=1).fit(*DIABETES)
    assert "b: fitting to 5 folds" in capsys.readouterr().out


# ---------------------------------------------------------------- AdaBoost


def test_scores_of_boosted_members():
    X, y = IRIS
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    numbers = AdaBoostRegressor(n_estimators=6, random_state=0).fit(*DIABETES)
    scores = [*numbers.staged_score(*DIABETES)]
    assert len(scores) == len(numbers)
    assert scores[-1] == pytest.approx(numbers.score(*DIABETES))


# ---------------------------------------------------------------- votes and stacks


def test_members_by_name():
    learners = [("tree", DecisionTreeClassifier()), ("left out", "drop"), ("line", LogisticRegression())]
    for combination in (VotingClassifier(learners), StackingClassifier(learners, cv=2)):
        assert combination.named_estimators["tree"] is learners[0][1]
        model = combination.fit(*IRIS)
        assert model.named_estimators_["left out"] == "drop"
        assert model.named_estimators_["line"] is model.estimators_[1]


@pytest.mark.parametrize("name", ["a__b", "n_jobs"])
def test_names_that_parameters_have_are_refused(name):
    for combination in (VotingClassifier, StackingClassifier):
        with pytest.raises(ValueError, match=name):
            combination([(name, LogisticRegression())]).fit(*IRIS)


def test_what_the_second_level_is_asked_for():
    X, y = DIABETES
    model = StackingRegressor([("a", Ridge()), ("b", Ridge(2.0))], GaussianProcessRegressor(alpha=10.0)).fit(X, y)
    mean, deviation = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, model.predict(X))
    assert deviation.shape == (442,)
    with pytest.raises(TypeError):
        StackingRegressor([("a", Ridge())]).fit(X, y).predict(X, return_std=True)


def test_stacking_of_several_labels():
    X, y = make_multilabel_classification(300, n_classes=3, random_state=0)
    learners = [("near", KNeighborsClassifier()), ("tree", DecisionTreeClassifier(max_depth=4))]
    model = StackingClassifier(learners, KNeighborsClassifier()).fit(X[:200], y[:200])
    assert model.predict(X).shape == y.shape
    assert model.transform(X).shape == (300, 6)
    assert (model.predict(X[200:]) == y[200:]).mean() > 0.7
    assert [labels.tolist() for labels in model.classes_] == [[0, 1]] * 3
    with pytest.raises(NotImplementedError, match="Multilabel"):
        VotingClassifier(learners).fit(X, y)


def test_regressors_in_a_stack_of_classifiers():
    X, y = IRIS
    model = StackingClassifier([("line", Ridge())], KNeighborsClassifier()).fit(X, np.array(["a", "b", "c"])[y])
    np.testing.assert_allclose(model.transform(X)[:, 0], Ridge().fit(X, y).predict(X))
    assert model.score(X, np.array(["a", "b", "c"])[y]) > 0.9


def test_names_of_columns_that_are_passed_through():
    model = StackingRegressor([("line", Ridge())], passthrough=True).fit(IRIS[0], IRIS[1])
    assert model.get_feature_names_out(list("abcd")).tolist() == ["stackingregressor_line", *"abcd"]


# ---------------------------------------------------------------- metadata


class Noting(ClassifierMixin, BaseEstimator):
    """Remembers what ``fit`` was given."""

    def fit(self, X, y, metadata=None):
        self.classes_, self.noted_ = np.unique(y), metadata
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize(
    "ensemble",
    [
        lambda learner: BaggingClassifier(learner, 3, random_state=0),
        lambda learner: VotingClassifier([("a", learner)]),
        lambda learner: StackingClassifier([("a", learner)], cv=2),
    ],
)
def test_metadata_goes_to_those_who_ask_for_it(ensemble):
    X, y = IRIS
    number = np.arange(150)
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        ensemble(Noting()).fit(X, y, metadata=number)
    with config_context(enable_metadata_routing=True):
        model = ensemble(Noting().set_fit_request(metadata=True)).fit(X, y, metadata=number)
        assert all(set(member.noted_) <= set(number) for member in model.estimators_)
        if isinstance(model, BaggingClassifier):
            np.testing.assert_array_equal(model[0].noted_, model.estimators_samples_[0])
        else:
            np.testing.assert_array_equal(model.estimators_[0].noted_, number)
        assert type(model.get_metadata_routing()) is type(TheirBagging().get_metadata_routing())
