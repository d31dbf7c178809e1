"""Trees as scikit-learn's are read: by its own tools, and by those made for its trees."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.tree
from sklearn import config_context
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import mean_poisson_deviance

from lanatus.data import load_watermelon
from lanatus.tree import DecisionTreeClassifier, DecisionTreeRegressor

VIEWS = ("children_left", "children_right", "feature", "n_node_samples", "weighted_n_node_samples", "impurity", "value")


def by_path(tree, node=0):
    """What the nodes say in the order of a walk, whatever their numbers are."""
    left, right = tree.children_left[node], tree.children_right[node]
    own = [tree.feature[node], tree.n_node_samples[node], round(float(tree.impurity[node]), 9)]
    own += [round(float(tree.weighted_n_node_samples[node]), 9), *tree.value[node].ravel().round(9)]
    return [own] if left < 0 else [own, *by_path(tree, left), *by_path(tree, right)]


@pytest.mark.parametrize("weighted", [False, True])
def test_views_are_those_of_the_same_tree_of_scikit_learn(weighted):
    X, y = load_iris(return_X_y=True)
    weight = np.random.RandomState(0).rand(len(y)) if weighted else None
    ours = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y, sample_weight=weight).tree_
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y, sample_weight=weight).tree_
    # Petal length and width cut the root equally well: compare what lies below, and the counts.
    assert ours.value.shape == theirs.value.shape
    assert (ours.node_count, ours.n_leaves, ours.max_depth, ours.n_outputs, ours.max_n_classes) == (5, 3, 2, 1, 3)
    np.testing.assert_allclose(ours.value[0], theirs.value[0])
    assert sorted(ours.n_node_samples.tolist()) == sorted(theirs.n_node_samples.tolist())
    np.testing.assert_allclose(sorted(ours.weighted_n_node_samples), sorted(theirs.weighted_n_node_samples))
    np.testing.assert_array_equal(ours.feature[ours.children_left < 0], -2)
    np.testing.assert_array_equal(ours.threshold[ours.children_left < 0], -2)


def test_views_of_a_regression_tree_agree_to_the_node():
    X, y = load_diabetes(return_X_y=True)
    ours, theirs = (
        one(max_depth=4, min_samples_leaf=20).fit(X, y).tree_
        for one in (DecisionTreeRegressor, sklearn.tree.DecisionTreeRegressor)
    )
    for mine, yours in zip(by_path(ours), by_path(theirs), strict=True):
        np.testing.assert_allclose(mine, yours, rtol=1e-9)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X.astype(np.float32)).reshape(-1, 1))


def test_views_cannot_be_written():
    tree = DecisionTreeClassifier().fit(*load_iris(return_X_y=True)).tree_
    for name in ("children_left", "n_node_samples", "weighted_n_node_samples", "value"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, name)[0] = 0


@config_context(skip_parameter_validation=True)  # they ask for scikit-learn's own classes
def test_scikit_learns_tools_read_our_trees():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y)
    text = sklearn.tree.export_text(tree, feature_names=list("abcd"))
    assert text.count("value:") == tree.get_n_leaves()
    assert f"<= {tree.tree_.threshold[0]:.2f}" in text
    assert "samples = 150" in sklearn.tree.export_graphviz(tree)
    import matplotlib.pyplot as plt

    assert len(sklearn.tree.plot_tree(tree)) >= tree.tree_.node_count
    plt.close("all")


def test_value_of_several_outputs():
    X, y = load_iris(return_X_y=True)
    both = np.column_stack([y, y == 2])
    ours, theirs = (
        one(max_depth=1, random_state=0).fit(X, both).tree_
        for one in (DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier)
    )
    assert ours.value.shape == theirs.value.shape == (3, 2, 3)
    assert ours.n_classes.tolist() == [3, 2]
    np.testing.assert_allclose(ours.value[0], theirs.value[0])


def test_tests_of_nominal_values_are_not_taken_for_thresholds():
    melons = load_watermelon("2.0")
    tree = DecisionTreeClassifier(split="multiway").fit(melons.data, melons.target).tree_
    with pytest.raises(ValueError, match="nominal columns"):
        _ = tree.children_left


def test_an_unfitted_tree_says_so():
    for verb in ("apply", "decision_path", "predict", "get_depth"):
        with pytest.raises(NotFittedError):
            getattr(DecisionTreeClassifier(), verb)(*([] if verb == "get_depth" else [[[0.0]]]))


# ---------------------------------------------------------------- criteria


def test_a_poisson_tree_never_predicts_zero():
    X = np.arange(40.0).reshape(-1, 1)
    y = np.where(X[:, 0] < 20, 0.0, 3.0)
    y[3] = 1
    for splitter in ("best", "random"):
        tree = DecisionTreeRegressor(criterion="poisson", splitter=splitter, random_state=0).fit(X, y)
        assert tree.predict(X).min() > 0
        assert tree.get_n_leaves() > 1
        assert np.isfinite(mean_poisson_deviance(y, tree.predict(X)))
    theirs = sklearn.tree.DecisionTreeRegressor(criterion="poisson").fit(X, y)
    np.testing.assert_allclose(DecisionTreeRegressor(criterion="poisson").fit(X, y).predict(X), theirs.predict(X))


def test_leaves_of_absolute_errors_say_the_middle_of_two_medians():
    tree = DecisionTreeRegressor(criterion="absolute_error").fit(np.zeros((4, 1)), [1.0, 2.0, 5.0, 9.0])
    assert tree.predict([[0.0]]).tolist() == [3.5]
    heavy = DecisionTreeRegressor(criterion="absolute_error")
    heavy.fit(np.zeros((4, 1)), [1.0, 2.0, 5.0, 9.0], sample_weight=[1, 1, 1, 3])
    assert heavy.predict([[0.0]]).tolist() == [7.0]


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("sign", [-1, 1])
def test_absolute_errors_keep_an_order(sign, holes):
    rng = np.random.RandomState(0)
    X, y = rng.rand(300, 2), rng.rand(300)
    asked = np.column_stack([np.linspace(0, 1, 50), np.full(50, 0.5)])
    if holes:
        X[rng.rand(300, 2) < 0.1] = np.nan
    tree = DecisionTreeRegressor(criterion="absolute_error", monotonic_cst=[sign, 0]).fit(X, y)
    assert tree.get_n_leaves() > 5
    assert (sign * np.diff(tree.predict(asked)) >= 0).all()


@pytest.mark.parametrize("tree", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_a_small_sparse_matrix_grows_the_tree_of_a_dense_one(tree):
    rng = np.random.RandomState(0)
    X = rng.rand(500, 20) * (rng.rand(500, 20) < 0.2)
    y = (X @ rng.rand(20) > 1).astype(int)
    dense, sparse = (tree(max_features=5, random_state=0).fit(rows, y).tree_ for rows in (X, sp.csr_matrix(X)))
    np.testing.assert_array_equal(dense.feature, sparse.feature)
    np.testing.assert_array_equal(dense.threshold, sparse.threshold)
