"""Rules from trees: the same answers before simplification, no worse and shorter after it."""

import numpy as np
import pytest
from samples import melons
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import cross_val_score

from lanatus.tree import C45Classifier, C45Rules, CARTClassifier
from lanatus.tree.read._rules_search import tightest, upper_limit


@pytest.mark.covers("tree.c45-rules")
@pytest.mark.parametrize("data", ["2.0", "3.0", "iris", "subsets"])
def test_the_rules_of_the_leaves_say_what_the_tree_says(data):
    if data == "iris":
        X, y = load_iris(return_X_y=True)
        tree = C45Classifier(prune=None)
    else:
        X, y = melons("3.0" if data == "subsets" else data)
        tree = CARTClassifier(missing="majority") if data == "subsets" else C45Classifier(prune=None)
    tree.fit(X, y)
    rules = C45Rules(tree, simplify=False).fit(X, y)
    assert len(rules.rules_) == tree.get_n_leaves()
    np.testing.assert_array_equal(rules.predict(X), tree.predict(X))
    np.testing.assert_allclose(rules.predict_proba(X), tree.predict_proba(X), rtol=1e-12)
    np.testing.assert_array_equal(rules.apply(X) < len(rules.rules_), True)


@pytest.mark.covers("tree.c45-rules")
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_simplified_rules_are_fewer_and_no_worse(load):
    X, y = load(return_X_y=True)
    full, simple = C45Rules(simplify=False).fit(X, y), C45Rules().fit(X, y)
    length = [sum(len(conditions) for conditions, _ in rules.rules_) for rules in (full, simple)]
    assert length[1] < length[0]
    scores = [cross_val_score(rules, X, y, cv=5).mean() for rules in (C45Rules(simplify=False), C45Rules())]
    assert scores[1] > scores[0] - 0.02


def test_rules_as_text():
    X, y = melons("3.0")
    rules = C45Rules(C45Classifier(min_samples_leaf=1, prune=None)).fit(X, y)
    text = rules.export()
    assert len(text.splitlines()) == len(rules.rules_) + 1
    assert text.splitlines()[0].startswith("if ")
    assert text.splitlines()[-1] == f"else {rules.default_class_}"
    assert "纹理 = " in text or "密度" in text


def test_idle_conditions_go():
    many = [(0, "<=", 5.0), (1, "==", 2.0), (0, "<=", 3.0), (0, ">", 1.0), (0, ">", 2.0)]
    assert tightest(many) == ((0, "<=", 3.0), (1, "==", 2.0), (0, ">", 2.0))


def test_upper_limits_of_quinlan():
    # Quinlan prints 0.206, 0.143, 0.750 and, from an approximation, 0.157.
    errors, weight = np.array([0.0, 0.0, 0.0, 1.0]), np.array([6.0, 9.0, 1.0, 16.0])
    np.testing.assert_allclose(upper_limit(errors, weight, 0.25), [0.2063, 0.1428, 0.75, 0.1596], atol=5e-5)


def test_a_rule_that_drops_its_noise():
    rng = np.random.RandomState(0)
    X = rng.rand(400, 5)
    y = np.where(X[:, 2] > 0.4, "甲", "乙")
    rules = C45Rules(CARTClassifier()).fit(X, np.where(rng.rand(400) < 0.1, "甲", y))
    fresh = rng.rand(400, 5)
    assert (rules.predict(fresh) == np.where(fresh[:, 2] > 0.4, "甲", "乙")).mean() > 0.95
    assert len(rules.rules_) <= 6


def test_weights_count_as_rows_and_missing_values_meet_no_condition():
    X, y = load_iris(return_X_y=True)
    weight = np.random.RandomState(0).randint(1, 4, len(X))
    one = C45Rules().fit(X, y, sample_weight=weight)
    other = C45Rules().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert one.export() == other.export()
    empty = np.full((2, 4), np.nan)
    assert (one.apply(empty) == len(one.rules_)).all()
    assert (one.predict(empty) == one.default_class_).all()
