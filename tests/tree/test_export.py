"""Trees as text, graph, JSON and rules: readable, and faithful."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from samples import melons
from sklearn.datasets import load_diabetes, load_iris

from lanatus.ensemble import GradientBoostingRegressor, RandomForestClassifier
from lanatus.table import Schema
from lanatus.tree import (
    C45Classifier,
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    ObliqueTreeClassifier,
    Tree,
    export_graphviz,
    export_json,
    export_rules,
    export_text,
    import_json,
)


def chain(depth):
    """A tree that cuts off one leaf a level."""
    n = 2 * depth + 1
    inner = np.arange(n) % 2 == 0
    inner[-1] = False
    first = np.where(inner, np.arange(n) + 1, -1)
    parent = np.full(n, -1)
    for node in np.flatnonzero(inner):
        parent[node + 1] = parent[node + 2] = node
    return Tree(
        feature=np.where(inner, (np.arange(n) // 2) % 3, -1),
        kind=inner.astype(int),
        threshold=np.where(inner, -(np.arange(n) // 2).astype(float), np.nan),
        first_child=first,
        n_children=2 * inner,
        parent=parent,
        missing=np.where(inner, 1, -1),
        share=np.where(np.arange(n) == 0, 1, 0.5),
        weight=np.ones(n),
        n_rows=np.ones(n),
        impurity=np.zeros(n),
        gain=np.zeros(n),
        outputs=np.arange(n, dtype=float)[:, None],
    )


@pytest.mark.covers("tree.tree-export")
def test_the_tree_of_the_book_reads_as_in_the_book():
    text = export_text(ID3Classifier().fit(*melons("2.0")))
    assert text.splitlines()[:3] == ["纹理 = 清晰", "|   根蒂 = 蜷缩: 是 (5)", "|   根蒂 = 稍蜷"]
    assert text.splitlines()[-1] == "纹理 = 模糊: 否 (3)"
    assert len(text.splitlines()) == 13  # every node but the root


@pytest.mark.covers("tree.tree-export")
def test_thresholds_subsets_and_weights():
    X, y = melons("3.0")
    text = export_text(C45Classifier(subtree_raising=False).fit(X, y), decimals=4, show_weights=True)
    assert "密度 <= 0.3815: 否 (2; 否 2, 是 0)" in text
    assert "纹理 = 稍糊: 否 (2 of 3; 否 2, 是 1)" in text
    text = export_text(CARTClassifier().fit(X, y))
    assert "纹理 in {稍糊, 模糊}" in text
    assert "纹理 = 清晰" in text


def test_many_values_and_ordinal_ones():
    rng = np.random.RandomState(0)
    size = pd.Categorical.from_codes(rng.randint(4, size=300), ["S", "M", "L", "XL"], ordered=True)
    letter = rng.choice(list("abcdefghijkl"), 300)
    X = pd.DataFrame({"size": size, "letter": letter})
    y = np.where(size.codes > 1, "big", np.where(letter < "c", "ab", "rest"))
    text = export_text(DecisionTreeClassifier().fit(X, y))
    assert "size <= M" in text
    assert "size > M: big" in text
    assert "letter in {a, b}: ab" in text
    assert "letter not in {a, b}: rest" in text


def test_a_bare_tree_with_and_without_names():
    X, y = melons("3.0")
    model = CARTClassifier().fit(X, y)
    assert "x3 in {1, 2}" in export_text(model.tree_)
    named = export_text(model.tree_, feature_names=model.schema_, class_names=["否", "是"])
    assert named == export_text(model)
    numbers = DecisionTreeRegressor(max_depth=1).fit([[1.0], [3.0]], [2.0, 4.5])
    assert export_text(numbers.tree_, feature_names=["length"]) == "length <= 2: 2 (1)\nlength > 2: 4.5 (1)"
    assert export_text(numbers, max_depth=0) == "3.25 (2)"


def test_branches_left_out_are_counted():
    text = export_text(DecisionTreeClassifier().fit(*load_iris(return_X_y=True)), max_depth=2)
    assert "... 4 leaves below" in text or "... 5 leaves below" in text
    assert max(line.count("|") for line in text.splitlines()) == 1


def test_oblique_tests_are_sums():
    text = export_text(ObliqueTreeClassifier().fit(*load_iris(return_X_y=True)))
    assert re.search(r"[+-][\d.]+ x0 [+-][\d.]+ x1", text)
    X, y = load_iris(return_X_y=True)
    for learner in ("least_squares", "linear_machine"):
        model = ObliqueTreeClassifier(node_learner=learner).fit(X, y)
        np.testing.assert_array_equal(export_rules(model).predict(X), model.predict(X))


def test_depth_has_no_limit():
    deep = chain(3000)
    assert len(export_text(deep, max_depth=50).splitlines()) == 100
    assert export_graphviz(deep).count("->") == 6000
    back = import_json(export_json(deep))
    assert len(back) == len(deep)
    x = np.full((1, 3), 1.0)
    assert export_rules(chain(300)).predict(x)[0] == 600


def test_graphviz_names_every_node_and_escapes():
    X = pd.DataFrame({'a "b" \\c': [0.0, 1.0, 2.0, 3.0]})
    model = DecisionTreeClassifier().fit(X, ["<x>", "<x>", 'y"', 'y"'])
    dot = export_graphviz(model, rotate=True)
    assert 'label="a \\"b\\" \\\\c\\n' in dot
    assert 'label="y\\"' in dot
    assert "rankdir=LR" in dot
    assert dot.count("fillcolor") == len(model.tree_) + 1
    assert export_graphviz(model, max_depth=0).count("->") == 0


@pytest.mark.parametrize("model", [C45Classifier(prune=None), CARTClassifier(), DecisionTreeClassifier()])
def test_json_comes_back_to_the_last_digit(model):
    X, y = melons("3.0", holes=0.2)
    tree = model.fit(X, y).tree_
    _same(import_json(export_json(model)), tree)
    column = json.loads(export_json(model, indent=1))["columns"][0]
    assert (column["name"], sorted(column["categories"])) == ("色泽", ["乌黑", "浅白", "青绿"])


def test_json_of_boosted_trees_whose_thresholds_may_be_infinite():
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]] * 10)
    model = GradientBoostingRegressor(n_estimators=2, min_samples_leaf=1).fit(X, [0.0, 0.0, 5.0, 5.0] * 10)
    tree = model.trees_[0][0]
    _same(import_json(json.loads(export_json(tree, feature_names=model.schema_))), tree)
    assert "x0 is known" in export_text(tree)
    assert "x0 is missing" in export_text(tree)
    rules = export_rules(tree)
    np.testing.assert_allclose(rules.predict(X), tree.spread(X, tree.outputs)[:, 0], rtol=1e-12)


def _same(one, other):
    for name, value in vars(other).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(getattr(one, name), value)
            assert getattr(one, name).dtype == value.dtype
    assert (one.surrogates is None) == (other.surrogates is None)
    for name, value in (other.surrogates or {}).items():
        np.testing.assert_array_equal(one.surrogates[name], value)


@pytest.mark.parametrize(
    "model",
    [
        C45Classifier(prune=None),
        C45Classifier(),
        CARTClassifier(missing="branch"),
        DecisionTreeClassifier(missing="majority", class_priority=["是"]),
        DecisionTreeClassifier(split="multiway", missing="virtual", max_depth=3),
    ],
)
@pytest.mark.parametrize("holes", [False, True])
def test_rules_say_what_the_tree_says(model, holes):
    X, y = melons("3.0", holes=0.2 * holes)
    model.fit(X, y)
    rules = export_rules(model)
    assert len(rules) == model.get_n_leaves()
    np.testing.assert_array_equal(rules.predict(X), model.predict(X))
    np.testing.assert_allclose(rules.values(X), model.predict_proba(X), rtol=1e-12, atol=1e-15)
    assert sum(rule.support for rule in rules) == pytest.approx(len(X))


def test_rules_merge_the_tests_on_a_column():
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(max_depth=6).fit(X, y)
    rules = export_rules(model)
    np.testing.assert_allclose(rules.predict(X), model.predict(X), rtol=1e-12)
    assert all(len({c.column for c in rule.conditions}) == len(rule.conditions) for rule in rules)
    assert any(np.isfinite(c.low) and np.isfinite(c.high) for rule in rules for c in rule.conditions)
    assert re.search(r"-?[\d.]+ < x\d <= ", str(rules))
    assert rules[0].confidence is None
    assert str(rules[0]).startswith("if ")


def test_rules_of_several_outputs_and_of_a_single_leaf():
    X, y = load_iris(return_X_y=True)
    two = np.column_stack([y, y > 0])
    model = DecisionTreeClassifier(max_depth=3).fit(X, two)
    np.testing.assert_array_equal(export_rules(model).predict(X), model.predict(X))
    one = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert str(export_rules(one)) == "if true then a  (weight 2, confidence 1)"


def test_what_is_refused():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(n_estimators=2, random_state=0).fit(X, y)
    with pytest.raises(TypeError, match=r"estimators_\[0\]"):
        export_text(forest)
    assert export_text(forest.estimators_[0]).startswith("x")
    tree = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="feature_names must hold 4"):
        export_text(tree, feature_names=["a"])
    with pytest.raises(ValueError, match="class_names must hold 3"):
        export_text(tree, class_names=["a"])
    with pytest.raises(ValueError, match="columns"):
        export_text(tree, feature_names=Schema({"a": "numeric"}))
    with pytest.raises(ValueError, match="export_json"):
        import_json("[1, 2]")
    with pytest.raises(TypeError, match="decision tree"):
        export_text(3)
    for options in ({"decimals": -1}, {"spacing": 0}, {"max_depth": -1}):
        with pytest.raises(ValueError, match="at least"):
            export_text(tree, **options)
