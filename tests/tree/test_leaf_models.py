"""Trees with models at their leaves."""

import numpy as np
import pytest
from samples import melons
from sklearn.datasets import load_iris
from sklearn.linear_model import Perceptron
from sklearn.model_selection import cross_val_score

from lanatus.tree import DecisionTreeClassifier, LeafModelTree


def checkerboard(n=600, seed=0):
    X = np.random.RandomState(seed).uniform(-1, 1, (n, 2))
    return X, np.where((X[:, 0] > 0) == (X[:, 1] > 0), "同", "异")


@pytest.mark.covers("tree.perceptron-tree")
def test_a_perceptron_alone_where_a_plane_separates():
    rng = np.random.RandomState(0)
    X = rng.randn(200, 3)
    side = X @ [1.0, -2.0, 0.5]
    X, side = X[np.abs(side) > 0.3], side[np.abs(side) > 0.3]
    tree = LeafModelTree(prune=None).fit(X, side > 0)
    assert len(tree.tree_) == 1
    assert len(tree.models_) == 1
    assert tree.score(X, side > 0) == 1.0
    assert DecisionTreeClassifier().fit(X, side > 0).get_n_leaves() > 5


@pytest.mark.covers("tree.perceptron-tree")
def test_a_perceptron_tree_splits_what_no_plane_separates():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 3)
    y = np.logical_xor(X[:, 0] > 0, X[:, 1] > 0)
    X = X + np.random.RandomState(0).uniform(-0.1, 0.1, X.shape)
    tree = LeafModelTree(prune=None).fit(X, y)
    assert tree.score(X, y) == 1.0
    assert 2 <= tree.get_n_leaves() <= 3
    frame, y = melons("3.0")
    assert LeafModelTree(prune=None).fit(frame, y).score(frame, y) == 1.0


@pytest.mark.covers("tree.neural-leaf-tree")
def test_networks_at_the_leaves():
    X, y = checkerboard(200)
    tree = LeafModelTree("mlp", tol=0.02, hidden_units=6, random_state=0).fit(X, y)
    fresh, truth = checkerboard(400, seed=5)
    assert tree.score(fresh, truth) > 0.93
    stuck = LeafModelTree("mlp", hidden_units=1, max_epochs=30, random_state=0, prune=None).fit(X, y)
    assert len(stuck.tree_) > 1
    assert stuck.score(X, y) > 0.97


@pytest.mark.parametrize("leaf", ["perceptron", "logistic", "naive_bayes", Perceptron(random_state=0)])
def test_leaves_of_every_kind_on_iris(leaf):
    X, y = load_iris(return_X_y=True)
    tree = LeafModelTree(leaf, max_depth=3)
    assert cross_val_score(tree, X, y, cv=5).mean() > 0.91
    shares = tree.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-9)


def test_pruning_keeps_the_models_of_the_nodes_that_stay():
    X, y = checkerboard()
    y = np.where(np.random.RandomState(1).rand(len(y)) < 0.15, "同", y)
    full, cut = (LeafModelTree("naive_bayes", prune=how).fit(X, y) for how in (None, "error_based"))
    assert len(cut.tree_) < len(full.tree_)
    used = cut.model_of_[cut.model_of_ >= 0]
    assert sorted(used) == list(range(len(cut.models_)))
    assert cut.tree_.is_leaf[cut.model_of_ >= 0].all()
    fresh, truth = checkerboard(seed=7)
    assert cut.score(fresh, truth) > full.score(fresh, truth) - 0.02
