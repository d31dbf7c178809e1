"""Forests of several outputs."""

import numpy as np
import pytest
import sklearn.ensemble as peers
from sklearn.datasets import make_multilabel_classification, make_regression
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

import lanatus.ensemble as ours
from lanatus.tree import DecisionTreeClassifier, DecisionTreeRegressor

NUMBERS = train_test_split(*make_regression(600, 10, n_targets=3, noise=5, random_state=0), random_state=0)
LABELS = train_test_split(*make_multilabel_classification(800, 12, n_classes=4, random_state=0), random_state=0)
HOW = {"bootstrap": True, "oob_score": True, "random_state": 0}


@pytest.mark.parametrize("name", ["RandomForestRegressor", "ExtraTreesRegressor"])
def test_numbers_are_predicted_as_well_as_by_the_peer(name):
    X, X_test, y, y_test = NUMBERS
    model, peer = (getattr(home, name)(**HOW).fit(X, y) for home in (ours, peers))
    assert model.predict(X_test).shape == y_test.shape
    assert model.score(X_test, y_test) > peer.score(X_test, y_test) - 0.02
    assert model.oob_score_ == pytest.approx(peer.oob_score_, abs=0.03)


@pytest.mark.parametrize("name", ["RandomForestClassifier", "ExtraTreesClassifier"])
def test_labels_are_predicted_as_well_as_by_the_peer(name):
    X, X_test, y, y_test = LABELS
    model, peer = (getattr(home, name)(**HOW).fit(X, y) for home in (ours, peers))
    assert model.score(X_test, y_test) > peer.score(X_test, y_test) - 0.03
    assert model.oob_score_ == pytest.approx(peer.oob_score_, abs=0.04)
    shares = model.predict_proba(X_test)
    assert [part.shape for part in shares] == [(len(X_test), 2)] * 4
    np.testing.assert_array_equal(model.predict(X_test), np.column_stack([part.argmax(axis=1) for part in shares]))


def test_one_tree_on_all_rows_and_columns_is_the_tree():
    X, X_test, y, _ = NUMBERS
    forest = ours.RandomForestRegressor(1, bootstrap=False, max_features=None, random_state=0).fit(X, y)
    np.testing.assert_allclose(forest.predict(X_test), DecisionTreeRegressor().fit(X, y).predict(X_test))
    X, X_test, y, _ = LABELS
    words = np.array(["no", "yes"])[y]
    words[:, 0] = np.array(["a", "b"])[y[:, 0]]
    forest = ours.RandomForestClassifier(1, bootstrap=False, max_features=None, random_state=0).fit(X, words)
    tree = DecisionTreeClassifier().fit(X, words)
    np.testing.assert_array_equal(forest.predict(X_test), tree.predict(X_test))
    np.testing.assert_array_equal(forest.estimators_[0].predict(X_test), tree.predict(X_test))


def test_threads_and_weights():
    X, X_test, y, _ = NUMBERS
    answers = []
    for threads in (1, 3):
        with threadpool_limits(threads):
            answers.append(ours.ExtraTreesRegressor(5, random_state=0).fit(X, y).predict(X_test))
    np.testing.assert_array_equal(*answers)
    half = np.arange(len(X)) < len(X) // 2
    how = {"n_estimators": 3, "bootstrap": False, "random_state": 0}
    weighted = ours.RandomForestRegressor(**how).fit(X, y, sample_weight=half.astype(float))
    alone = ours.RandomForestRegressor(**how).fit(X[half], y[half])
    np.testing.assert_allclose(weighted.predict(X_test), alone.predict(X_test))


@pytest.mark.parametrize("kind", [ours.ExtraTreesClassifier, ours.RandomForestClassifier])
@pytest.mark.parametrize("n", [21, 37, 300])
def test_the_gain_of_a_split_is_what_its_children_gained(kind, n):
    """Two classes are counted by bytes, sixteen at a time and the rest one by one; the gain tells if it was right."""
    rng = np.random.RandomState(n)
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
    for member in kind(n_estimators=4, bootstrap=False, max_depth=3, random_state=0).fit(X, y).estimators_:
        tree = member.tree_
        share = tree.outputs / tree.outputs.sum(axis=1, keepdims=True)
        gini = 1 - (share**2).sum(axis=1)
        assert (~tree.is_leaf).any()
        for node in np.flatnonzero(~tree.is_leaf):
            below = list(tree.children(node))
            left = np.average(gini[below], weights=tree.weight[below])
            assert tree.gain[node] == pytest.approx(gini[node] - left, rel=1e-9, abs=1e-12)
