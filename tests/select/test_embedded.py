"""Columns by the weights of a model or the splits of a tree."""

import numpy as np
import pytest
from samples import melons
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel as Theirs
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.linear_model import SGDClassifier

from lanatus.ensemble import RandomForestClassifier
from lanatus.linear import Lasso, LogisticRegression, Ridge
from lanatus.neighbors import KNeighborsClassifier
from lanatus.select import SelectFromModel, TreeFeatureSelector
from lanatus.tree import DecisionTreeClassifier, DecisionTreeRegressor


@pytest.mark.covers("select.embedded-selection-l1")
@pytest.mark.parametrize(
    "how", [{}, {"threshold": "1.1*median"}, {"max_features": 3}, {"threshold": 0.4, "norm_order": 2}]
)
def test_columns_are_those_of_scikit_learn(how):
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = TheirLogistic(C=0.5).fit(X, y)
    ours, theirs = SelectFromModel(model, prefit=True, **how).fit(X, y), Theirs(model, prefit=True, **how).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.get_support())
    assert ours.threshold_ == pytest.approx(theirs.threshold_)
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))


@pytest.mark.covers("select.embedded-selection-l1")
def test_the_lasso_leaves_what_it_needs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 8))
    y = X[:, 1] - 2 * X[:, 6]
    model = SelectFromModel(Lasso(0.05)).fit(X, y)
    assert np.flatnonzero(model.support_).tolist() == np.flatnonzero(model.estimator_.coef_).tolist() == [1, 6]
    dense = SelectFromModel(Ridge(0.1)).fit(X, y)  # nothing is zero: the mean
    assert (dense.estimator_.coef_ != 0).all()
    assert np.flatnonzero(dense.support_).tolist() == [1, 6]
    weights = np.r_[np.ones(40), np.zeros(40)]
    half = SelectFromModel(Lasso(0.05)).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(half.estimator_.coef_, Lasso(0.05).fit(X[:40], y[:40]).coef_, atol=1e-6)


@pytest.mark.covers("select.embedded-selection-l1")
def test_a_nominal_column_is_one_whatever_its_indicators():
    X, y = melons("3.0")
    model = SelectFromModel(LogisticRegression()).fit(X, y)
    assert model.importances_.shape == (8,)
    width = [3, 3, 3, 3, 3, 2, 1, 1]
    ends = np.cumsum(width)[:-1]
    parts = np.split(np.abs(model.estimator_.coef_[0]), ends)
    np.testing.assert_allclose(model.importances_, [part.sum() for part in parts])
    assert model.transform(X).columns.tolist() == X.columns[model.support_].tolist()


@pytest.mark.covers("select.tree-feature-selection")
def test_a_tree_keeps_what_it_asks_for():
    X, y = load_iris(return_X_y=True)
    tree = TreeFeatureSelector(DecisionTreeClassifier(max_depth=2, criterion="entropy")).fit(X, y)
    asked = tree.estimator_.tree_.feature
    assert set(np.flatnonzero(tree.support_)) == set(asked[asked >= 0].tolist())
    assert tree.n_splits_.sum() == (asked >= 0).sum()
    forest = TreeFeatureSelector(RandomForestClassifier(5, random_state=0)).fit(X, y)
    assert forest.n_splits_.sum() == sum((one.tree_.feature >= 0).sum() for one in forest.estimator_.estimators_)
    few = TreeFeatureSelector(RandomForestClassifier(5, random_state=0), min_importance=0.3).fit(X, y)
    np.testing.assert_array_equal(few.support_, few.estimator_.feature_importances_ >= 0.3)
    flat = TreeFeatureSelector(DecisionTreeRegressor()).fit(X, np.ones(150))
    assert flat.support_.tolist() == [True, False, False, False]


@pytest.mark.covers("select.tree-feature-selection", "select.embedded-selection-l1")
def test_models_that_cannot_say_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="no tree_"):
        TreeFeatureSelector(LogisticRegression()).fit(X, y)
    with pytest.raises(NotFittedError, match="prefit"):
        SelectFromModel(Lasso(), prefit=True).fit(X, y)
    with pytest.raises(ValueError, match="wanted 'mean'"):
        SelectFromModel(Lasso(), threshold="gobbledigook").fit(X, y)
    with pytest.raises(ValueError, match="from 0 to the 4"):
        SelectFromModel(Lasso(), max_features=9).fit(X, y)
    with pytest.raises(ValueError, match="neither coef_ nor"):
        SelectFromModel(KNeighborsClassifier()).fit(X, y).transform(X)


@pytest.mark.covers("select.embedded-selection-l1")
def test_a_model_that_learns_by_parts_is_asked_after_each():
    X, y = load_wine(return_X_y=True)
    model = SelectFromModel(SGDClassifier(random_state=0)).partial_fit(X[::2], y[::2], classes=[0, 1, 2])
    before = model.estimator_.coef_.copy()
    model.partial_fit(X[1::2], y[1::2])
    whole = SGDClassifier(random_state=0).partial_fit(X[::2], y[::2], classes=[0, 1, 2]).partial_fit(X[1::2], y[1::2])
    np.testing.assert_array_equal(model.estimator_.coef_, whole.coef_)
    assert (before != whole.coef_).any()
    np.testing.assert_allclose(model.importances_, np.abs(whole.coef_).sum(axis=0))
    assert not hasattr(SelectFromModel(Lasso()), "partial_fit")
