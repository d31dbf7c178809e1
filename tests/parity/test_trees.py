"""Trees and forests against scikit-learn's: the same trees where no two cuts tie, the same scores elsewhere."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as peer_ensembles
import sklearn.tree as peer_trees
from sklearn.datasets import load_breast_cancer, load_diabetes, make_classification, make_friedman1
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

from lanatus import ensemble
from lanatus.tree import CARTRegressor, DecisionTreeClassifier, DecisionTreeRegressor, cost_complexity_path

# Leaves of many rows: in small ones several columns make the same cut, and the peer takes any of them.
SHAPES = [
    {"max_depth": 4, "min_samples_leaf": 0.03},
    {"min_samples_split": 150, "min_samples_leaf": 20},
    {"min_impurity_decrease": 0.004, "min_samples_leaf": 25},
    {"max_leaf_nodes": 10, "min_samples_leaf": 25},
    {"min_weight_fraction_leaf": 0.05},
]


def single(X):
    """As the peer sees it: single precision."""
    return np.asarray(X).astype(np.float32).astype(float)


def classes(name):
    if name == "cancer":
        X, y = load_breast_cancer(return_X_y=True)
        return single(X[:, :10]), y
    kind = {"two": {"n_classes": 2, "random_state": 1}, "four": {"n_classes": 4, "random_state": 0}}[name]
    X, y = make_classification(2000, 8, n_informative=6, n_redundant=0, flip_y=0.1, **kind)
    return single(X), y


def numbers(name):
    if name == "diabetes":
        X, y = load_diabetes(return_X_y=True)
        return single(X), y
    X, y = make_friedman1(1500, 8, noise=1.0, random_state=0)
    return single(X), y


def same_tree(ours, peer, X, answers="predict"):
    assert ours.get_n_leaves() == peer.get_n_leaves()
    assert ours.get_depth() == peer.get_depth()
    np.testing.assert_allclose(getattr(ours, answers)(X), getattr(peer, answers)(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.feature_importances_, peer.feature_importances_, rtol=1e-7, atol=1e-12)


def weights(n):
    return np.random.default_rng(1).exponential(size=n)


def first(shape):
    return next(iter(shape))


@pytest.mark.covers("tree.cart-classification")
@pytest.mark.parametrize("shape", SHAPES, ids=first)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("name", ["two", "four"])
def test_classes(name, criterion, shape):
    X, y = classes(name)
    ours = DecisionTreeClassifier(criterion=criterion, **shape).fit(X, y)
    peer = peer_trees.DecisionTreeClassifier(criterion=criterion, random_state=0, **shape).fit(X, y)
    others = single(X + 0.1 * np.random.default_rng(2).normal(size=X.shape))
    same_tree(ours, peer, others, "predict_proba")
    np.testing.assert_array_equal(ours.predict(others), peer.predict(others))


@pytest.mark.covers("tree.cart-classification")
@pytest.mark.parametrize("shape", SHAPES[:3], ids=first)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_classes_of_real_data(criterion, shape):
    X, y = classes("cancer")
    ours = DecisionTreeClassifier(criterion=criterion, **shape).fit(X, y)
    peer = peer_trees.DecisionTreeClassifier(criterion=criterion, random_state=0, **shape).fit(X, y)
    same_tree(ours, peer, X, "predict_proba")


@pytest.mark.covers("tree.cart-classification")
@pytest.mark.parametrize("method", ["exact", "hist"])
@pytest.mark.parametrize("shape", [{"min_samples_leaf": 10}, {"min_weight_fraction_leaf": 0.25}], ids=first)
@pytest.mark.parametrize("turn", [1, -1])
def test_a_cut_between_rows_of_one_class_may_be_the_best_that_is_allowed(method, shape, turn):
    """The best cut is after five rows; the smallest leaf allowed puts it where both neighbours are of one class."""
    X, y = turn * np.arange(40.0)[:, None], (np.arange(40) >= 5).astype(int)
    ours = DecisionTreeClassifier(max_depth=1, method=method, **shape).fit(X, y)
    same_tree(ours, peer_trees.DecisionTreeClassifier(max_depth=1, **shape).fit(X, y), X, "predict_proba")


@pytest.mark.covers("tree.cart-regression")
@pytest.mark.parametrize("shape", SHAPES, ids=first)
@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
@pytest.mark.parametrize("name", ["diabetes", "made"])
def test_numbers(name, criterion, shape):
    X, y = numbers(name)
    y = np.abs(y)
    ours = DecisionTreeRegressor(criterion=criterion, **shape).fit(X[::2], y[::2])
    peer = peer_trees.DecisionTreeRegressor(criterion=criterion, random_state=0, **shape).fit(X[::2], y[::2])
    same_tree(ours, peer, X)


@pytest.mark.covers("tree.cart-regression")
def test_absolute_error():
    X, y = numbers("made")
    shape = {"criterion": "absolute_error", "min_samples_leaf": 50, "max_depth": 3}
    ours = DecisionTreeRegressor(**shape).fit(X, y)
    peer = peer_trees.DecisionTreeRegressor(**shape).fit(X, y)
    assert ours.get_n_leaves() == peer.get_n_leaves()
    np.testing.assert_allclose(ours.feature_importances_, peer.feature_importances_, rtol=1e-9, atol=1e-12)
    # An even number of rows has many medians, all as near.
    errors = [np.abs(y - tree.predict(X)).sum() for tree in (ours, peer)]
    np.testing.assert_allclose(*errors, rtol=1e-12)


@pytest.mark.covers("tree.cart-classification", "tree.cart-regression")
def test_weights_and_class_weights():
    X, y = classes("four")
    w = weights(len(y))
    shape = {"max_depth": 4, "min_samples_leaf": 25, "class_weight": {0: 1.0, 1: 5.0, 2: 1.0, 3: 2.0}}
    ours = DecisionTreeClassifier(**shape).fit(X, y, sample_weight=w)
    peer = peer_trees.DecisionTreeClassifier(random_state=0, **shape).fit(X, y, sample_weight=w)
    same_tree(ours, peer, X, "predict_proba")
    X, y = numbers("made")
    w = weights(len(y))
    ours = DecisionTreeRegressor(max_depth=5, min_samples_leaf=15).fit(X, y, sample_weight=w)
    peer = peer_trees.DecisionTreeRegressor(max_depth=5, min_samples_leaf=15, random_state=0).fit(X, y, sample_weight=w)
    same_tree(ours, peer, X)


@pytest.mark.covers("tree.cost-complexity-pruning")
def test_the_path_of_cost_complexity_pruning():
    X, y = classes("four")
    shape = {"max_depth": 5, "min_samples_leaf": 25}
    alphas, impurities, _ = cost_complexity_path(DecisionTreeClassifier(**shape).fit(X, y).tree_)
    peer = peer_trees.DecisionTreeClassifier(random_state=0, **shape).cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(alphas, peer.ccp_alphas, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(impurities, peer.impurities, rtol=1e-9, atol=1e-12)


@pytest.mark.covers("tree.cost-complexity-pruning", "tree.cart-regression")
@pytest.mark.parametrize("place", [0.3, 0.8])
def test_pruned_trees(place):
    X, y = numbers("made")
    grown = peer_trees.DecisionTreeRegressor(random_state=0, min_samples_leaf=15)
    alphas = grown.cost_complexity_pruning_path(X, y).ccp_alphas
    k = int(place * len(alphas))
    alpha = float((alphas[k] + alphas[k + 1]) / 2)  # between two of the path, where no rounding decides
    for ours in (
        DecisionTreeRegressor(min_samples_leaf=15, ccp_alpha=alpha).fit(X, y),
        CARTRegressor(min_samples_leaf=15, ccp_alpha=alpha).fit(X, y),
    ):
        same_tree(ours, grown.set_params(ccp_alpha=alpha).fit(X, y), X)


@pytest.mark.covers("tree.cart-regression")
def test_several_targets():
    X, y = numbers("made")
    Y = np.column_stack([y, X[:, 5] * X[:, 6] + 0.1 * y])
    ours = DecisionTreeRegressor(min_samples_leaf=15).fit(X, Y)
    peer = peer_trees.DecisionTreeRegressor(min_samples_leaf=15, random_state=0).fit(X, Y)
    same_tree(ours, peer, X)


# ---------------------------------------------------------------- the same scores


def real(folder, name):
    frame = pd.read_parquet(folder / f"{name}.parquet")
    X, y = frame.iloc[:, :-1].to_numpy(dtype=float), frame.iloc[:, -1]
    return X, y.to_numpy(dtype=float) if y.dtype.kind == "f" else y.astype(str).to_numpy()


def not_worse(ours, peer, X, y, least=0.01):
    """Mean difference by folds within two standard errors, or a hair."""
    folds = KFold if y.dtype.kind == "f" else StratifiedKFold
    splits = list(folds(5, shuffle=True, random_state=0).split(X, y))
    rest = cross_val_score(ours, X, y, cv=splits) - cross_val_score(peer, X, y, cv=splits)
    assert rest.mean() > -max(2 * rest.std(ddof=1) / np.sqrt(len(rest)), least), rest


@pytest.mark.parametrize("name", ["pima_missing", "breast_cancer_wisconsin"])
def test_missing_numbers(shared_data, name):
    X, y = real(shared_data, name)
    ours, peer = DecisionTreeClassifier(min_samples_leaf=10), peer_trees.DecisionTreeClassifier(min_samples_leaf=10)
    not_worse(ours, peer.set_params(random_state=0), X, y)


@pytest.mark.covers("ensemble.random-forest")
@pytest.mark.parametrize("kind", ["RandomForest", "ExtraTrees"])
@pytest.mark.parametrize("name", ["vehicle", "pima", "concrete"])
def test_forests(shared_data, name, kind):
    X, y = real(shared_data, name)
    kind += "Regressor" if y.dtype.kind == "f" else "Classifier"
    ours, peer = (getattr(module, kind)(n_estimators=30, random_state=0) for module in (ensemble, peer_ensembles))
    not_worse(ours, peer, X, y)
