"""Oblique trees: the book's tree of given weights, learners on the watermelons, slanted data, edges."""

import numpy as np
import pytest
from samples import melons
from sklearn.datasets import load_iris

from lanatus.tree import DecisionTreeClassifier, ObliqueTreeClassifier
from lanatus.tree.oblique._linear_tests import linear_machine
from lanatus.tree.oblique._oc1 import best_step

LEARNERS = ["least_squares", "logistic", "perceptron", "linear_machine", "oc1"]


def slanted(n=400, seed=0):
    X = np.random.RandomState(seed).rand(n, 2)
    return X, np.where(X.sum(axis=1) > 1.0, "上", "下")


@pytest.mark.covers("tree.multivariate-tree")
def test_figure_4_13_with_its_own_weights():
    X, y = melons("3.0a")
    second = ([-0.365, 0.366], -0.158, "否", "是")
    tree = ObliqueTreeClassifier.of(([-0.800, -0.044], -0.313, second, "否"), ["密度", "含糖率"])
    assert (tree.predict(X) == y).sum() == 17
    leaves = tree.apply(X)
    assert sorted(np.flatnonzero(leaves == 2) + 1) == [10, 11, 12, 15]
    assert sorted(np.flatnonzero(leaves == 3) + 1) == [9, 13, 14, 16, 17]
    assert sorted(np.flatnonzero(leaves == 4) + 1) == [1, 2, 3, 4, 5, 6, 7, 8]


@pytest.mark.covers("tree.oc1")
@pytest.mark.parametrize("learner", LEARNERS)
def test_few_slanted_splits_learn_the_watermelons(learner):
    X, y = melons("3.0a")
    tree = ObliqueTreeClassifier(node_learner=learner, random_state=0).fit(X, y)
    assert tree.score(X, y) == 1.0
    assert (tree.tree_.kind != 0).sum() <= 3


@pytest.mark.covers("tree.logistic-tree")
@pytest.mark.parametrize("learner", LEARNERS)
def test_mixed_watermelons_of_exercises_4_5_and_4_10(learner):
    X, y = melons("3.0")
    tree = ObliqueTreeClassifier(node_learner=learner, random_state=0).fit(X, y)
    assert tree.score(X, y) == 1.0
    assert (tree.tree_.kind != 0).sum() <= 2
    assert tree.feature_importances_.shape == (8,)
    assert tree.feature_importances_.sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("learner", LEARNERS)
def test_one_slanted_split_where_axis_parallel_trees_need_many(learner):
    X, y = slanted()
    tree = ObliqueTreeClassifier(node_learner=learner, random_state=0, max_depth=1).fit(X, y)
    assert tree.score(X, y) >= (0.96 if learner == "least_squares" else 0.98)  # squares look at far rows too
    assert DecisionTreeClassifier().fit(X, y).get_n_leaves() > 10


@pytest.mark.covers("tree.least-squares-tree")
@pytest.mark.parametrize("how", ["sbe", "sfs"])
def test_feature_elimination_drops_columns_of_noise(how):
    X, y = slanted()
    X = np.column_stack([np.random.RandomState(1).rand(len(X), 3), X])
    tree = ObliqueTreeClassifier(feature_elimination=how, max_depth=1).fit(X, y)
    used = np.flatnonzero(np.abs(tree.weights_[0]) > 0)
    assert used.tolist() == [3, 4]


@pytest.mark.parametrize("learner", LEARNERS)
def test_many_classes(learner):
    X, y = load_iris(return_X_y=True)
    names = np.array(["山鸢尾", "变色鸢尾", "维吉尼亚鸢尾"])[y]
    tree = ObliqueTreeClassifier(node_learner=learner, random_state=0, n_restarts=2).fit(X, names)
    assert tree.score(X, names) > 0.98
    assert tree.get_n_leaves() <= 10


def test_a_linear_machine_separates_what_can_be():
    rng = np.random.RandomState(0)
    Z = rng.randn(120, 3)
    truth = rng.randn(4, 3)
    codes = (Z @ truth.T).argmax(axis=1)
    weights, constants = linear_machine(Z, codes, np.ones(120), 4, 5000)
    assert ((Z @ weights.T + constants).argmax(axis=1) == codes).mean() > 0.97


def test_the_best_step_equals_trying_all():
    rng = np.random.RandomState(0)
    side, slope = rng.randn(30), rng.randn(30)
    slope[:3] = 0
    mass = np.eye(3)[rng.randint(0, 3, 30)] * rng.rand(30, 1)
    _, impurity = best_step(side, slope, mass, "gini")

    def gini(part):
        return part.sum() - (part.sum(axis=0) ** 2).sum() / part.sum() if len(part) else 0.0

    turns = np.sort(-side[slope != 0] / slope[slope != 0])
    tried = []
    for step in (turns[1:] + turns[:-1]) / 2:
        up = side + step * slope > 0
        tried.append((gini(mass[up]) + gini(mass[~up])) / mass.sum())
    assert impurity == pytest.approx(min(tried), rel=1e-12)


def test_missing_values_count_as_means_and_hopeless_nodes_are_leaves():
    X, y = slanted()
    holes = X.copy()
    holes[::7, 0] = np.nan
    tree = ObliqueTreeClassifier(max_depth=3).fit(holes, y)
    assert tree.score(X, y) > 0.9
    same = np.ones((6, 2))
    tree = ObliqueTreeClassifier().fit(same, list("aabbbb"))
    assert tree.get_n_leaves() == 1
    assert tree.predict(same).tolist() == ["b"] * 6
    empty = np.column_stack([X, np.full(len(X), np.nan)])
    assert ObliqueTreeClassifier(max_depth=1).fit(empty, y).score(empty, y) > 0.96


@pytest.mark.parametrize("prune", ["error_based", "pessimistic", "minimum_error"])
def test_pruning_takes_tests_away_under_noise(prune):
    X, y = slanted(600)
    y = np.where(np.random.RandomState(3).rand(600) < 0.2, "上", y)
    full = ObliqueTreeClassifier().fit(X, y)
    cut = ObliqueTreeClassifier(prune=prune).fit(X, y)
    assert cut.get_n_leaves() < full.get_n_leaves()
    assert len(cut.test_start_) == (cut.tree_.kind != 0).sum() + 1
    fresh, truth = slanted(500, seed=9)
    assert cut.score(fresh, truth) > full.score(fresh, truth) - 0.02


def test_depth_in_the_hundreds_needs_no_recursion():
    n = 600
    X = np.arange(n, dtype=float)[:, None]
    y = np.arange(n) % 2
    assert ObliqueTreeClassifier().fit(X, y).score(X, y) == 1.0


def test_without_elimination_every_column_has_a_weight():
    X, y = slanted()
    X = np.column_stack([np.random.RandomState(1).rand(len(X), 3), X])
    tree = ObliqueTreeClassifier(max_depth=1).fit(X, y)
    assert (tree.weights_[0] != 0).all()


@pytest.mark.parametrize("how", ["sbe", "sfs"])
def test_one_of_two_columns_can_be_dropped(how):
    X = np.random.RandomState(0).rand(300, 2)
    y = X[:, 1] + 0.1 * X[:, 0] > 0.5
    both = ObliqueTreeClassifier(max_depth=1).fit(X, y)
    assert np.count_nonzero(both.weights_[0]) == 2
    tree = ObliqueTreeClassifier(feature_elimination=how, elimination_loss=0.5, max_depth=1).fit(X, y)
    assert np.flatnonzero(tree.weights_[0]).tolist() == [1]
