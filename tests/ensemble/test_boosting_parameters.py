"""Parameters of gradient boosting that scikit-learn has too, and what is learned along the way."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.model_selection import cross_val_score

from lanatus.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

DIABETES = load_diabetes(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)


# ---------------------------------------------------------------- what was silently wrong


@pytest.mark.parametrize("given", ["alpha", "quantile"])
def test_alpha_says_which_quantile(given):
    X, y = DIABETES
    for wanted in (0.1, 0.5, 0.9):
        model = GradientBoostingRegressor(loss="quantile", n_estimators=60, **{given: wanted}).fit(X, y)
        assert abs(np.mean(y <= model.predict(X)) - wanted) < 0.06


def test_the_width_of_huber_follows_the_residuals():
    """Of residuals that are never beyond the width the loss would be that of squares."""
    rng = np.random.RandomState(0)
    X = np.repeat(np.arange(10.0), 100).reshape(-1, 1)
    y = 10 * X[:, 0] + rng.exponential(size=1000)
    means = {
        loss: GradientBoostingRegressor(loss=loss).fit(X, y).predict(X).mean()
        for loss in ("absolute_error", "huber", "squared_error")
    }
    assert means["absolute_error"] + 0.05 < means["huber"] < means["squared_error"] - 0.05


@pytest.mark.parametrize("boosting", [GradientBoostingClassifier, GradientBoostingRegressor])
def test_patience_alone_stops_a_fit(boosting):
    X, y = CANCER
    model = boosting(n_estimators=2000, n_iter_no_change=5, learning_rate=0.3, random_state=0).fit(X, y)
    assert model.n_estimators_ < 1000
    assert boosting(n_estimators=60, n_iter_no_change=1, early_stopping=False).fit(X, y).n_iter_ == 60
    assert boosting(n_estimators=60).fit(X, y).n_iter_ == 60


def test_without_a_seed_and_without_draws_every_fit_is_the_same():
    X, y = DIABETES
    one, other = (GradientBoostingRegressor(n_estimators=30).fit(X, y).predict(X) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    seeded = GradientBoostingRegressor(n_estimators=30, random_state=5).fit(X, y).predict(X)
    np.testing.assert_array_equal(one, seeded)


def test_a_round_that_drew_nothing_to_split_is_not_the_last():
    X = np.array([[-2.0], [-1], [-1], [1], [1], [2]])
    model = GradientBoostingRegressor(n_estimators=60, subsample=0.5, random_state=0).fit(X, X[:, 0])
    assert model.n_iter_ == 60


# ---------------------------------------------------------------- small data


def test_ten_rows_of_a_straight_line_are_learned():
    X = np.arange(10.0).reshape(-1, 1)
    assert GradientBoostingRegressor().fit(X, X[:, 0]).score(X, X[:, 0]) > 0.95
    assert GradientBoostingClassifier().fit(X, X[:, 0] > 4).score(X, X[:, 0] > 4) == 1


def test_the_defaults_are_as_good_as_scikit_learns_on_a_small_table():
    theirs = cross_val_score(sklearn.ensemble.GradientBoostingRegressor(random_state=0), *DIABETES).mean()
    assert cross_val_score(GradientBoostingRegressor(random_state=0), *DIABETES).mean() > theirs - 0.005


# ---------------------------------------------------------------- limits of trees


def sizes(model):
    return np.concatenate([tree.n_rows[tree.is_leaf] for trees in model.trees_ for tree in trees])


def test_parts_of_the_rows_limit_leaves_and_splits():
    X, y = DIABETES
    free = GradientBoostingRegressor(n_estimators=5, max_leaf_nodes=31, min_samples_leaf=1).fit(X, y)
    assert sizes(free).min() < 10
    assert sizes(free.set_params(min_samples_leaf=0.1).fit(X, y)).min() >= 45
    free.set_params(min_samples_leaf=1, min_weight_fraction_leaf=0.1)
    assert sizes(free.fit(X, y)).min() >= 45
    weight = np.where(np.arange(442) < 100, 5.0, 1.0)
    leaves = free.fit(X, y, sample_weight=weight).apply(X)[:, 0]
    assert np.bincount(leaves, weight)[np.unique(leaves)].min() >= 0.1 * weight.sum()
    with pytest.raises(ValueError, match="min_child_weight"):
        GradientBoostingClassifier(min_weight_fraction_leaf=0.1).fit(X, y > 150, sample_weight=weight)
    for least, rows in ((200, 200), (0.3, 133)):
        free.set_params(min_weight_fraction_leaf=0.0, min_samples_split=least)
        for (tree,) in free.fit(X, y).trees_:
            assert tree.n_rows[~tree.is_leaf].min() >= rows


def test_splits_must_take_something_from_the_mean_squared_error():
    X, y = DIABETES
    shallow = {"n_estimators": 1, "max_depth": 3, "max_leaf_nodes": None, "min_samples_leaf": 1, "learning_rate": 1.0}
    free = GradientBoostingRegressor(**shallow).fit(X, y)
    held = GradientBoostingRegressor(min_impurity_decrease=100.0, **shallow).fit(X, y)
    tree = sklearn.tree.DecisionTreeRegressor(max_depth=3, min_impurity_decrease=100.0).fit(X, y)
    assert held.trees_[0][0].n_leaves == tree.get_n_leaves() < free.trees_[0][0].n_leaves
    np.testing.assert_allclose(held.predict(X), tree.predict(X), rtol=1e-9)


def test_trees_are_pruned():
    X, y = DIABETES
    how = {"n_estimators": 1, "max_depth": 4, "max_leaf_nodes": None, "min_samples_leaf": 10, "learning_rate": 1.0}
    pruned = GradientBoostingRegressor(ccp_alpha=60.0, **how).fit(X, y)
    tree = sklearn.tree.DecisionTreeRegressor(max_depth=4, min_samples_leaf=10, ccp_alpha=60.0).fit(X, y)
    assert pruned.trees_[0][0].n_leaves == tree.get_n_leaves() > 1
    np.testing.assert_allclose(pruned.predict(X), tree.predict(X), rtol=1e-9)
    many = GradientBoostingRegressor(ccp_alpha=60.0, n_estimators=20).fit(X, y)
    assert many.train_score_[-1] == pytest.approx(mean_squared_error(y, many.predict(X)))


@pytest.mark.parametrize(("wanted", "columns"), [("sqrt", 3), ("log2", 3), (0.5, 5), (4, 4), (None, 10)])
def test_columns_by_their_number(wanted, columns):
    model = GradientBoostingRegressor(n_estimators=3, max_features=wanted, random_state=0).fit(*DIABETES)
    assert model.max_features_ == columns
    assert all(len(np.unique(tree.feature[tree.feature >= 0])) <= columns for (tree,) in model.trees_)


# ---------------------------------------------------------------- where it begins, and news on the way


def test_an_estimator_gives_the_first_scores():
    X, y = DIABETES
    model = GradientBoostingRegressor(init=LinearRegression(), n_estimators=10, random_state=0).fit(X, y)
    line = LinearRegression().fit(X, y)
    added = np.sum([tree.predict(X) for (tree,) in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict(X), line.predict(X) + added, rtol=1e-9)
    np.testing.assert_allclose([*model.staged_predict(X)][-1], model.predict(X), rtol=1e-9)
    assert model.train_score_[-1] < mean_squared_error(y, line.predict(X))
    named = pd.DataFrame(X, columns=[f"c{j}" for j in range(10)])
    framed = GradientBoostingRegressor(init=LinearRegression(), n_estimators=10).fit(named, y)
    np.testing.assert_allclose(framed.predict(named), model.predict(X), rtol=1e-9)


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_a_classifier_gives_the_first_log_odds(loss):
    X, y = CANCER
    first = LogisticRegression(C=0.01, max_iter=5000).fit(X / 100, y)
    model = GradientBoostingClassifier(loss=loss, init=LogisticRegression(C=0.01, max_iter=5000), n_estimators=1)
    model.set_params(learning_rate=1e-9).fit(X / 100, y)
    np.testing.assert_allclose(model.predict_proba(X / 100), first.predict_proba(X / 100), rtol=1e-5, atol=1e-6)
    three = GradientBoostingClassifier(init=LogisticRegression(max_iter=500), learning_rate=1e-9, n_estimators=1)
    wanted = LogisticRegression(max_iter=500).fit(*IRIS).predict_proba(IRIS[0])
    np.testing.assert_allclose(three.fit(*IRIS).predict_proba(IRIS[0]), wanted, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="predict_proba"):
        GradientBoostingClassifier(init=LinearRegression()).fit(X, y)


def test_scores_may_begin_at_zero():
    model = GradientBoostingRegressor(init="zero", n_estimators=1, learning_rate=1e-9).fit(*DIABETES)
    np.testing.assert_allclose(model.predict(DIABETES[0]), 0, atol=1e-5)


def test_a_monitor_sees_each_round_and_may_stop():
    seen = []

    def watch(number, model, variables):
        seen.append((number, len(model.estimators_), model.train_score_[-1]))
        return number == 6

    model = GradientBoostingRegressor(n_estimators=50).fit(*DIABETES, monitor=watch)
    assert [one[:2] for one in seen] == [(i, i + 1) for i in range(7)]
    assert model.n_estimators_ == 7
    np.testing.assert_array_equal([one[2] for one in seen], model.train_score_)


def test_losses_of_the_rows_left_out():
    X, y = DIABETES
    model = GradientBoostingRegressor(n_estimators=40, subsample=0.5, random_state=0).fit(X, y)
    assert len(model.oob_scores_) == len(model.oob_improvement_) == len(model.train_score_) == 40
    assert model.oob_score_ == model.oob_scores_[-1]
    np.testing.assert_allclose(-np.diff(model.oob_scores_), model.oob_improvement_[1:])
    assert model.oob_improvement_[:5].min() > 0
    deep = {"n_estimators": 1, "learning_rate": 1.0, "max_leaf_nodes": 200, "min_samples_leaf": 1}
    once = GradientBoostingRegressor(subsample=0.5, random_state=0, **deep).fit(X, y)
    assert once.oob_score_ > 1.5 * once.train_score_[-1]  # half of the rows were learned by heart
    grown = GradientBoostingRegressor(n_estimators=20, subsample=0.5, warm_start=True, random_state=0).fit(X, y)
    grown.set_params(n_estimators=40).fit(X, y)
    np.testing.assert_allclose(grown.oob_improvement_, model.oob_improvement_, rtol=1e-9)
    assert not hasattr(GradientBoostingRegressor(n_estimators=2).fit(X, y), "oob_improvement_")


@pytest.mark.parametrize(("verbose", "lines"), [(1, 20), (2, 101)])
def test_a_table_of_losses(capsys, verbose, lines):
    model = GradientBoostingRegressor(verbose=verbose, subsample=0.8, random_state=0).fit(*DIABETES)
    said = capsys.readouterr().out.splitlines()
    assert len(said) == lines
    assert said[0].split() == ["Iter", "Train", "Loss", "OOB", "Improve", "Remaining", "Time"]
    assert float(said[1].split()[1]) == pytest.approx(model.train_score_[0], abs=1e-4)


# ---------------------------------------------------------------- what is learned


def test_rounds_one_by_one():
    X, y = IRIS
    model = GradientBoostingClassifier(n_estimators=8, max_depth=2).fit(X, y)
    assert model.estimators_.shape == (8, 3)
    assert (len(model), model.n_estimators_, model.n_trees_per_iteration_, model.n_classes_) == (8, 8, 3, 3)
    raw = model.baseline_ + sum(np.column_stack([tree.predict(X) for tree in trees]) for trees in model)
    np.testing.assert_allclose(raw, model.decision_function(X), rtol=1e-9)
    assert model[0][1].max_depth == 2
    staged = [*model.staged_decision_function(X)]
    np.testing.assert_allclose(staged[-1], raw, rtol=1e-9)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert len(model.train_score_) == 8
    assert model.train_score_[-1] == pytest.approx(log_loss(y, model.predict_proba(X)))
    assert GradientBoostingRegressor(n_estimators=4).fit(X, y).apply(X).shape == (150, 4)
