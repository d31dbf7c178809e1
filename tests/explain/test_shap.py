"""TreeSHAP against Shapley values by their definition, over all subsets of columns."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from lanatus._core import tree as kernels
from samples import melons
from sklearn.datasets import load_diabetes, load_iris
from threadpoolctl import threadpool_limits

from lanatus.bayes import GaussianNB
from lanatus.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
)
from lanatus.explain import tree_shap
from lanatus.explain._additive import additive, cover
from lanatus.tree import (
    C45Classifier,
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    HoeffdingTreeClassifier,
    ID3Classifier,
    Tree,
)


def expectation(tree, value, x, known, node=0):
    """What the tree says on average if only some columns are known; written from the definition."""
    below = [*tree.children(node)]
    if not below:
        return value[node]
    j = int(tree.feature[node])
    if j not in known:
        total = sum(tree.share[c] for c in below)
        return sum(tree.share[c] / total * expectation(tree, value, x, known, c) for c in below)
    if np.isnan(x[j]):
        child = int(tree.missing[node])
    elif tree.kind[node] == 1:
        child = int(x[j] > tree.threshold[node])
    elif tree.kind[node] == 2:
        child = int(x[j])
    else:
        child = int(int(x[j]) not in tree.categories(node))
    if child >= 0:
        return expectation(tree, value, x, known, below[child])
    return sum(tree.share[c] * expectation(tree, value, x, known, c) for c in below)


def shapley(tree, value, x):
    """By the definition: all subsets."""
    d = len(x)
    v = {s: expectation(tree, value, x, s) for k in range(d + 1) for s in map(frozenset, combinations(range(d), k))}
    phi = np.zeros((d, value.shape[1]))
    for known, worth in v.items():
        for j in set(range(d)) - known:
            part = math.factorial(len(known)) * math.factorial(d - len(known) - 1) / math.factorial(d)
            phi[j] += part * (v[known | {j}] - worth)
    return phi


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        C45Classifier(prune=None, min_samples_leaf=1),
        ID3Classifier(),
        DecisionTreeClassifier(),
        DecisionTreeClassifier(split="multiway", missing="branch"),
        DecisionTreeClassifier(missing="weights", random_state=0, splitter="random"),
    ],
)
def test_values_by_the_definition(model, holes):
    X, y = melons(holes=0.25 * holes, seed=1)
    if holes and isinstance(model, ID3Classifier):
        X = X.fillna({name: X[name].mode()[0] for name in X.columns})
    model.fit(X, y)
    shap = tree_shap(model, X)
    parts = additive(model)
    rows = model._matrix(X)
    for i in (0, 4, 9, 16):
        wanted = shapley(model.tree_, parts.values[0], rows[i])
        np.testing.assert_allclose(shap.values[i], wanted, rtol=0, atol=1e-13)
    np.testing.assert_allclose(shap.base + shap.values.sum(axis=1), model.predict_proba(X), rtol=0, atol=1e-12)


def test_values_where_a_column_is_tested_again_and_again():
    X, y = load_diabetes(return_X_y=True)
    X = X[:, [0, 2, 3, 8]]
    model = DecisionTreeRegressor(max_depth=8).fit(X, y)
    shap = tree_shap(model, X[:5])
    for i in range(5):
        np.testing.assert_allclose(
            shap.values[i], shapley(model.tree_, model.tree_.outputs, X[i])[:, 0], rtol=0, atol=1e-9
        )


def models():
    yield "forest", RandomForestClassifier(n_estimators=5, random_state=0), "predict_proba"
    yield "extra", ExtraTreesRegressor(n_estimators=5, random_state=0), "predict"
    yield "boosting", GradientBoostingClassifier(n_estimators=5, min_samples_leaf=3), "decision_function"
    yield "boosted numbers", GradientBoostingRegressor(n_estimators=8, min_samples_leaf=3), "predict"
    part = {"n_estimators": 5, "max_features": 0.6, "random_state": 0}
    yield "bagging", BaggingClassifier(DecisionTreeClassifier(), **part), "predict_proba"
    yield "bagged numbers", BaggingRegressor(DecisionTreeRegressor(max_depth=4), **part), "predict"
    yield "surrogates", CARTClassifier(missing="surrogate"), "predict_proba"


@pytest.mark.parametrize(("name", "model", "response"), [*models()], ids=[name for name, _, _ in models()])
def test_values_and_base_add_up_to_the_output(name, model, response):
    X, y = load_iris(return_X_y=True)
    if "numbers" in name or name == "extra":
        y = X[:, 0] * X[:, 2]
    X = np.where(np.random.RandomState(0).rand(*X.shape) < 0.15, np.nan, X)
    model.fit(X, y)
    shap = tree_shap(model, X)
    assert shap.response == response
    output = getattr(model, response)(X)
    np.testing.assert_allclose(shap.base + shap.values.sum(axis=1), output, rtol=0, atol=1e-9)
    assert shap.importance().sum() == pytest.approx(1)
    assert (shap.output_names is None) == (output.ndim == 1)


def test_mixed_tables_two_classes_and_several_outputs():
    X, y = melons(holes=0.25, seed=1)
    model = GradientBoostingClassifier(n_estimators=10, min_samples_leaf=2).fit(X, y)
    shap = tree_shap(model, X)
    assert shap.values.shape == (17, 8)
    assert shap.feature_names == list(X.columns)
    np.testing.assert_allclose(shap.base + shap.values.sum(axis=1), model.decision_function(X), rtol=0, atol=1e-12)
    two = DecisionTreeRegressor(max_depth=3).fit(load_iris().data[:, :2], load_iris().data[:, 2:])
    shap = tree_shap(two, load_iris().data[:, :2])
    assert shap.values.shape == (150, 2, 2)


def test_a_column_without_tests_is_worth_nothing_and_twins_are_worth_the_same():
    X = np.array([[a, b, c] for a in (0.0, 1.0) for b in (0.0, 1.0) for c in (0.0, 1.0)])
    y = X[:, 0] * X[:, 1]
    model = DecisionTreeRegressor().fit(X, y)
    shap = tree_shap(model, X)
    assert (shap.values[:, 2] == 0).all()
    assert shap.base == pytest.approx(0.25)
    same = X[:, 0] == X[:, 1]
    np.testing.assert_allclose(shap.values[same, 0], shap.values[same, 1], rtol=0, atol=1e-15)
    np.testing.assert_allclose(shap.base + shap.values.sum(axis=1), y, rtol=0, atol=1e-15)


def test_threads_do_not_show():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    found = []
    for team in (1, 2, 3):
        with threadpool_limits(team):
            found.append(tree_shap(forest, X).values)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_sixty_columns_on_a_path():
    """Each test passes half of the rows: the value of AND of m known columns is (1 - 2^-m) / m each."""
    m = 60
    n = 2 * m + 1
    inner = (np.arange(n) % 2 == 0) & (np.arange(n) < n - 1)
    parent = np.full(n, -1)
    for node in np.flatnonzero(inner):
        parent[node + 1] = parent[node + 2] = node
    tree = Tree(
        feature=np.where(inner, np.arange(n) // 2, -1),
        kind=inner.astype(int),
        threshold=np.where(inner, 0.5, np.nan),
        first_child=np.where(inner, np.arange(n) + 1, -1),
        n_children=2 * inner,
        parent=parent,
        missing=np.where(inner, 0, -1),
        share=np.where(np.arange(n) == 0, 1, 0.5),
        weight=np.ones(n),
        n_rows=np.ones(n),
        impurity=np.zeros(n),
        gain=np.zeros(n),
        outputs=(np.arange(n) == n - 1).astype(float)[:, None],
    )
    shap = tree_shap(tree, np.ones((1, m)))
    np.testing.assert_allclose(shap.values[0], (1 - 0.5**m) / m, rtol=1e-12)
    assert shap.base == pytest.approx(0.5**m)


def test_a_deep_tree():
    rng = np.random.RandomState(0)
    X = np.sort(rng.rand(1500, 1), axis=0)
    X = np.column_stack([X, X[::-1]])
    model = DecisionTreeRegressor(splitter="random", random_state=0).fit(X, rng.rand(1500))
    shap = tree_shap(model, X[:50])
    np.testing.assert_allclose(shap.base + shap.values.sum(axis=1), model.predict(X[:50]), rtol=0, atol=1e-9)


def test_expectations_of_the_kernel():
    X, y = melons(holes=0.25, seed=1)
    model = C45Classifier(prune=None).fit(X, y)
    rows, value = model._matrix(X), additive(model).values[0]
    for known in ([], [3], [6, 7], [0, 1, 2, 3]):
        mask = np.isin(np.arange(8), known).astype(np.uint8)
        found = kernels.expect(model.tree_.checked(), rows, cover(model.tree_), mask, value, n_threads=2)
        wanted = [expectation(model.tree_, value, x, set(known)) for x in rows]
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14)


def test_what_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="gradient boosting"):
        tree_shap(GaussianNB().fit(X, y), X)
    hard = BaggingClassifier(DecisionTreeClassifier(), n_estimators=2, voting="hard", random_state=0).fit(X, y)
    with pytest.raises(TypeError, match="soft votes"):
        tree_shap(hard, X)
    with pytest.raises(TypeError, match="wanted a decision tree"):
        tree_shap(HoeffdingTreeClassifier().fit(X, y), X)  # naive Bayes in its leaves
    tree = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="features"):
        tree_shap(tree, X[:, :2])
    one = tree_shap(
        DecisionTreeClassifier().fit(pd.DataFrame({"a": [1.0, 2.0]}), ["x", "x"]), pd.DataFrame({"a": [1.0]})
    )
    assert one.values.tolist() == [[0.0]]
