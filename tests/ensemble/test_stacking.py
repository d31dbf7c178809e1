"""Stacking, its second-level learners, and Bayes model averaging."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import nnls
from sklearn.datasets import load_iris, load_wine, make_classification, make_regression
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lanatus.bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from lanatus.ensemble import BayesModelAveraging, StackingClassifier, StackingRegressor
from lanatus.ensemble.combine._bayes_averaging import n_free
from lanatus.linear import LinearDiscriminantAnalysis, LinearRegression, LogisticRegression, Ridge
from lanatus.tree import DecisionTreeClassifier as OurTree

WINE = load_wine(return_X_y=True)
MEMBERS = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]


def level_one(members, X, y, cv=5):
    return [cross_val_predict(m, X, y, cv=StratifiedKFold(cv), method="predict_proba") for _, m in members]


@pytest.mark.covers("ensemble.stacking")
def test_the_second_level_sees_rows_held_out():
    X, y = WINE
    model = StackingClassifier(MEMBERS, LogisticRegression(max_iter=500)).fit(X, y)
    Z = np.hstack(level_one(MEMBERS, X, y))
    by_hand = LogisticRegression(max_iter=500).fit(Z, y)
    np.testing.assert_allclose(model.final_estimator_.coef_, by_hand.coef_, rtol=1e-8, atol=1e-10)
    refitted = np.hstack([m.fit(X, y).predict_proba(X) for _, m in MEMBERS])
    np.testing.assert_allclose(model.transform(X), refitted, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), by_hand.predict(refitted))


@pytest.mark.covers("ensemble.stacking")
def test_held_out_level_one_data_overfits_less():
    """Claim 10: learning both levels from the same answers trusts an overfitted tree."""
    gains = []
    for seed in range(6):
        X, y = make_classification(800, 12, n_informative=4, flip_y=0.3, random_state=seed)
        members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]
        train, test = slice(0, 300), slice(300, None)
        stacked = StackingClassifier(members).fit(X[train], y[train])
        fitted = [(name, m.fit(X[train], y[train])) for name, m in members]
        naive = StackingClassifier(fitted, cv="prefit").fit(X[train], y[train])
        assert naive.score(X[train], y[train]) == 1
        gains.append(stacked.score(X[test], y[test]) - naive.score(X[test], y[test]))
    assert np.mean(gains) > 0.02


@pytest.mark.covers("ensemble.stacking-mlr")
def test_multi_response_linear_regression_on_probabilities():
    X, y = WINE
    model = StackingClassifier(MEMBERS, "mlr", stack_method="predict_proba").fit(X, y)
    Z = np.hstack(level_one(MEMBERS, X, y))
    design = np.column_stack([Z, np.ones(len(y))])
    coef = np.linalg.lstsq(design, (y[:, None] == np.arange(3)).astype(float), rcond=None)[0]
    Q = np.column_stack([model.transform(X), np.ones(len(y))])
    np.testing.assert_array_equal(model.predict(X), (Q @ coef).argmax(axis=1))
    np.testing.assert_allclose(model.decision_function(X), Q @ coef, atol=1e-8)
    assert not hasattr(model, "predict_proba")


@pytest.mark.covers("ensemble.stackingc")
@pytest.mark.parametrize("data", ["three", "two"])
def test_stackingc_sees_only_the_outputs_for_its_class(data):
    X, y = WINE if data == "three" else (WINE[0][WINE[1] > 0], WINE[1][WINE[1] > 0] - 1)
    n_classes = len(np.unique(y))
    model = StackingClassifier(MEMBERS, "stackingc").fit(X, y)
    parts = level_one(MEMBERS, X, y)
    for c in range(n_classes):
        design = np.column_stack([part[:, c] for part in parts] + [np.ones(len(y))])
        *coef, bias = np.linalg.lstsq(design, (y == c).astype(float), rcond=None)[0]
        own = [t * n_classes + c for t in range(2)]
        np.testing.assert_allclose(model.final_estimator_.coef_[c, own], coef, rtol=1e-7, atol=1e-9)
        assert model.final_estimator_.intercept_[c] == pytest.approx(bias, abs=1e-8)
        others = np.setdiff1d(np.arange(2 * n_classes), own)
        assert not model.final_estimator_.coef_[c, others].any()
    assert model.score(X, y) > 0.95
    positive = StackingClassifier(MEMBERS, "nnls").fit(X, y)
    for c in range(n_classes):
        weights, _ = nnls(np.column_stack([part[:, c] for part in parts]), (y == c).astype(float))
        np.testing.assert_allclose(positive.final_estimator_.coef_[c, [c, n_classes + c]], weights, atol=1e-8)
    assert positive.score(X, y) > 0.95


@pytest.mark.covers("ensemble.nonnegative-stacked-weights")
def test_non_negative_weights_match_the_best_single_learner():
    """Claim 10: with weights of 0 or more the level-one fit is never worse than that of any single learner."""
    X, y = make_regression(150, 6, noise=20.0, random_state=1)
    members = [
        ("plain", LinearRegression()),
        ("flat", Ridge(1e3)),
        ("tree", DecisionTreeRegressor(max_depth=3, random_state=0)),
    ]
    model = StackingRegressor(members, "nnls").fit(X, y)
    Z = np.column_stack([cross_val_predict(m, X, y, cv=KFold(5)) for _, m in members])
    weights, _ = nnls(Z, y)
    np.testing.assert_allclose(model.final_estimator_.coef_, weights, atol=1e-8)
    assert (weights >= 0).all()
    assert model.final_estimator_.intercept_ == 0
    stacked = np.mean((Z @ weights - y) ** 2)
    assert stacked <= np.min(np.mean((Z - y[:, None]) ** 2, axis=0)) + 1e-9
    np.testing.assert_allclose(model.predict(X), model.transform(X) @ weights, rtol=1e-9)


def test_passthrough_names_and_weights():
    frame = pd.DataFrame({"根蒂": ["蜷缩", "硬挺", "稍蜷"] * 20, "密度": np.linspace(0, 1, 60)})
    y = np.where((frame["根蒂"] == "蜷缩") ^ (frame["密度"] > 0.8), "是", "否")
    members = [("bayes", GaussianNB()), ("lda", LinearDiscriminantAnalysis())]
    model = StackingClassifier(members, passthrough=True, cv=3).fit(frame, y, sample_weight=np.ones(60))
    assert list(model.get_feature_names_out())[:2] == ["stackingclassifier_bayes", "stackingclassifier_lda"]
    assert len(model.get_feature_names_out()) == model.transform(frame).shape[1] == 6
    assert model.score(frame, y) > 0.75
    assert (
        abs(
            StackingClassifier(members, cv=3).fit(frame, y, sample_weight=np.arange(60.0)).predict_proba(frame)
            - StackingClassifier(members, cv=3).fit(frame, y).predict_proba(frame)
        ).max()
        > 1e-3
    )
    with pytest.raises(TypeError, match="sample_wait"):
        model.fit(frame, y, sample_wait=np.ones(60))
    with pytest.raises(ValueError, match="classifier"):
        StackingClassifier(members, LinearRegression()).fit(frame, y)
    with pytest.raises(ValueError, match="regressor"):
        StackingRegressor(final_estimator=GaussianNB()).fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="passthrough"):
        StackingClassifier(members, "nnls", passthrough=True).fit(frame, y)
    with pytest.raises(ValueError, match="predict_proba"):
        StackingClassifier(members, "stackingc", stack_method="predict").fit(frame, y)
    with pytest.raises(ValueError, match="exactly one test part"):
        StackingClassifier(members, cv=ShuffleSplit(3)).fit(frame, y)


def test_a_fold_without_a_class():
    X, y = load_iris(return_X_y=True)
    parts = list(KFold(3).split(X))  # in the order of the classes: each fold is one of them
    model = StackingClassifier([("bayes", GaussianNB())], cv=parts).fit(X, y)
    assert model.transform(X).shape == (150, 3)


@pytest.mark.covers("ensemble.bayes-model-averaging")
def test_posterior_of_models_is_that_of_bic():
    X, y = make_regression(60, 3, noise=1.0, random_state=0)
    members = [("full", LinearRegression()), ("shrunk", Ridge(0.05))]
    model = BayesModelAveraging(members).fit(X, y)
    logs = []
    for _, member in members:
        residual = y - member.fit(X, y).predict(X)
        variance = np.mean(residual**2)
        logs.append(-30 * (np.log(2 * np.pi * variance) + 1) - 0.5 * 4 * np.log(60))
    np.testing.assert_allclose(model.log_evidence_, logs, rtol=1e-10)
    expected = np.exp(np.array(logs) - max(logs))
    np.testing.assert_allclose(model.weights_, expected / expected.sum(), rtol=1e-8)
    said = np.column_stack([m.predict(X) for m in model.estimators_])
    np.testing.assert_allclose(model.predict(X), said @ model.weights_, rtol=1e-10)
    sure = BayesModelAveraging(members, prior=[0, 1]).fit(X, y)
    assert sure.weights_.tolist() == [0.0, 1.0]


@pytest.mark.covers("ensemble.bayes-model-averaging")
def test_free_parameters_are_counted():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(X, y)
    whole = np.rint(X).astype(int)
    counted = {
        LogisticRegression().fit(X, y): 2 * (4 + 1),  # one class of three can stand at zero
        LogisticRegression(fit_intercept=False).fit(X, y): 2 * 4,
        LogisticRegression().fit(X, y == 0): 4 + 1,
        LinearDiscriminantAnalysis().fit(X, y): 2 * (4 + 1),
        LinearRegression().fit(X, y): 4 + 1,
        GaussianNB().fit(X, y): 2 * 3 * 4 + 2,  # shares of classes add up to one
        tree: 5 * 2 + 4,  # two free shares a leaf, a threshold a test
        OurTree(max_leaf_nodes=5).fit(X, y): 5 * 2 + 4,
        DecisionTreeRegressor(max_leaf_nodes=5, random_state=0).fit(X, y): 5 + 4,
        MultinomialNB().fit(whole, y): 3 * 3 + 2,
        BernoulliNB().fit(whole, y): 3 * 4 + 2,
        CategoricalNB().fit(whole, y): 3 * int(whole.max(axis=0).sum()) + 2,
    }
    for model, wanted in counted.items():
        assert n_free(model) == wanted, model
    members = [("tree", tree), ("logistic", LogisticRegression())]
    found = BayesModelAveraging(members).fit(X, y)
    likely = [np.log(model.predict_proba(X)[np.arange(150), y]).sum() for model in found.estimators_]
    np.testing.assert_allclose(found.log_evidence_, likely - np.log(150) / 2 * np.array([14, 10]), rtol=1e-10)


@pytest.mark.covers("ensemble.bayes-model-averaging")
def test_averaging_finds_the_true_model_and_stacking_is_sturdier_without_it():
    """Claim 10 (Clarke 2003): the posterior goes to one model; without the truth among them stacking does better."""
    rng = np.random.RandomState(0)
    X = rng.uniform(-2, 2, (400, 2))
    linear = [("first", Columns(0)), ("second", Columns(1))]
    only_first = 2 * X[:, 0] + 0.1 * rng.normal(size=400)
    found = BayesModelAveraging(linear).fit(X, only_first)
    assert found.weights_[0] > 1 - 1e-12
    both = X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=400)
    average = BayesModelAveraging(linear).fit(X[:200], both[:200])
    stacked = StackingRegressor(linear, "nnls").fit(X[:200], both[:200])
    assert stacked.score(X[200:], both[200:]) > average.score(X[200:], both[200:]) + 0.3


class Columns(LinearRegression):
    """Least squares on one column."""

    def __init__(self, column=0):
        super().__init__()
        self.column = column

    def fit(self, X, y, sample_weight=None):
        return super().fit(np.asarray(X)[:, [self.column]], y)

    def predict(self, X):
        return super().predict(np.asarray(X)[:, [self.column]])


@pytest.mark.covers("ensemble.bayes-model-averaging")
def test_averaging_classifiers():
    X, y = WINE
    members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]
    model = BayesModelAveraging(members, "cv").fit(X, y)
    parts = level_one(members, X, y)
    tiny = np.finfo(float).tiny
    logs = [np.log(np.maximum(part[np.arange(len(y)), y], tiny)).sum() for part in parts]
    np.testing.assert_allclose(model.log_evidence_, logs, rtol=1e-10)
    assert cross_val_score(model, X, y, cv=3).mean() > 0.93
    ours = BayesModelAveraging(members, lambda fitted, X, y: -len(type(fitted).__name__)).fit(X, y)
    assert ours.weights_[0] == pytest.approx(1 / (1 + np.exp(10 - 22)), rel=1e-12)
    with pytest.raises(ValueError, match="n_parameters"):
        BayesModelAveraging([("near", KNeighborsClassifier())]).fit(X, y)
    with pytest.raises(ValueError, match="prior must be"):
        BayesModelAveraging(members, prior=[1]).fit(X, y)
    with pytest.raises(ValueError, match="wants classifiers"):
        BayesModelAveraging([*members, ("line", LinearRegression())]).fit(X, y)


@pytest.mark.covers("ensemble.stacking")
@pytest.mark.parametrize("way", ["direct", "leave-one-out"])
def test_the_direct_form_of_figure_8_9_and_leave_one_out(way):
    """Second-level rows made by the learners of all rows, or each by learners that did not see it: by hand."""
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    rows = np.arange(len(y))
    cv = [(rows, rows)] if way == "direct" else LeaveOneOut()
    model = StackingClassifier([("bayes", GaussianNB()), ("lda", LinearDiscriminantAnalysis())], cv=cv).fit(X, y)
    columns = []
    for learner in (GaussianNB, LinearDiscriminantAnalysis):
        if way == "direct":
            columns.append(learner().fit(X, y).predict_proba(X))
        else:
            left = [learner().fit(X[rows != i], y[rows != i]).predict_proba(X[i : i + 1]) for i in rows]
            columns.append(np.vstack(left))
    by_hand = LogisticRegression().fit(np.hstack(columns), y)
    np.testing.assert_allclose(model.final_estimator_.coef_, by_hand.coef_, rtol=1e-6, atol=1e-8)
