"""What chapter 4 says of all trees, for tables that hypothesis makes."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lanatus.tree import (
    C45Rules,
    DecisionTreeClassifier,
    ID3Classifier,
    ID4Classifier,
    ID5RClassifier,
    ObliqueTreeClassifier,
    best_threshold,
    entropy,
    gain_ratio,
    gini,
    gini_index,
    information_gain,
    intrinsic_value,
)

CRITERIA = ["entropy", "gini", "gain_ratio", "train_error"]
few = settings(max_examples=40)


@st.composite
def labelled(draw, values=4, classes=3, most=30):
    """A nominal attribute, labels and whole weights."""
    row = st.tuples(st.integers(0, values - 1), st.integers(0, classes - 1), st.integers(1, 4))
    x, y, weight = (np.array(column) for column in zip(*draw(st.lists(row, min_size=1, max_size=most)), strict=True))
    return x, y, weight.astype(float)


@st.composite
def tables(draw, least=4, most=25, holes=False, numbers=True):
    """A frame of two nominal attributes and one number, and labels."""
    cell = st.sampled_from(["a", "b", "c", None] if holes else ["a", "b", "c"])
    number = st.integers(0, 6).map(float)
    rows = draw(st.lists(st.tuples(cell, cell, number, st.integers(0, 2)), min_size=least, max_size=most))
    one, two, three, y = zip(*rows, strict=True)
    kind = pd.CategoricalDtype(["a", "b", "c"])
    X = pd.DataFrame({"one": pd.Series(one, dtype=kind), "two": pd.Series(two, dtype=kind)})
    if numbers:
        X["three"] = three
    return X, np.array(y)


def without_conflict(X, y):
    """Labels of the first of equal rows for all of them."""
    group = X.astype(str).agg("|".join, axis=1).to_numpy()
    first = {}
    return np.array([first.setdefault(key, label) for key, label in zip(group, y, strict=True)])


def ancestors(tree, node):
    while (node := int(tree.parent[node])) >= 0:
        yield node


# ---------------------------------------------------------------- measures (claims 1 to 4)


@pytest.mark.covers("tree.entropy", "tree.gini")
@given(labelled())
def test_entropy_and_gini_stay_in_their_ranges(case):
    _, y, weight = case
    k = len(np.unique(y))
    assert -1e-12 <= entropy(y, sample_weight=weight) <= np.log2(k) + 1e-12
    assert -1e-12 <= gini(y, sample_weight=weight) <= 1 - 1 / k + 1e-12
    assert entropy(np.arange(k)) == pytest.approx(np.log2(k))  # uniform
    assert gini(np.arange(k)) == pytest.approx(1 - 1 / k)
    assert entropy(y[:1]) == gini(y[:1]) == 0  # pure


@pytest.mark.covers("tree.gini")
@given(labelled())
def test_gini_is_the_chance_of_two_draws_that_differ(case):
    _, y, _ = case
    assert gini(y) == pytest.approx((y[:, None] != y[None, :]).mean(), abs=1e-12)


@pytest.mark.covers("tree.information-gain", "tree.gain-ratio")
@given(labelled())
def test_gain_is_at_least_zero_and_no_more_than_what_there_is(case):
    x, y, weight = case
    gain = information_gain(x, y, sample_weight=weight)
    assert -1e-12 <= gain <= min(entropy(y, sample_weight=weight), intrinsic_value(x, sample_weight=weight)) + 1e-9
    assert gain_ratio(x, y, sample_weight=weight) <= 1 + 1e-9
    assert information_gain(np.arange(len(y)), y) == pytest.approx(entropy(y), abs=1e-12)


@pytest.mark.covers("tree.information-gain", "tree.many-valued-bias")
@given(labelled(), st.data())
def test_a_finer_attribute_never_gains_less(case, data):
    x, y, _ = case
    part = data.draw(st.lists(st.integers(0, 1), min_size=len(x), max_size=len(x)))
    finer = 2 * x + np.array(part)
    assert information_gain(finer, y) >= information_gain(x, y) - 1e-12
    assert gini_index(finer, y) <= gini_index(x, y) + 1e-12


@pytest.mark.covers("tree.continuous-bipartition")
@given(labelled(values=8, classes=2))
def test_any_threshold_between_two_values_parts_the_rows_alike(case):
    x, y, weight = case
    assume(len(np.unique(x)) > 1)
    for criterion in ("entropy", "gini"):
        midpoint, gain = best_threshold(x, y, criterion=criterion, sample_weight=weight)
        observed, same = best_threshold(x, y, criterion=criterion, sample_weight=weight, threshold="observed")
        np.testing.assert_array_equal(x <= midpoint, x <= observed)
        assert observed in x
        assert gain == pytest.approx(same, abs=1e-12)
        if criterion == "entropy":
            assert information_gain(x <= midpoint, y, sample_weight=weight) == pytest.approx(gain, abs=1e-12)


# ---------------------------------------------------------------- growth (claims 5 to 8, 13, 16)


@pytest.mark.covers("tree.id3")
@few
@given(tables())
def test_a_nominal_attribute_is_tested_once_on_a_path(case):
    X, y = case
    tree = ID3Classifier().fit(X, y).tree_
    for leaf in np.flatnonzero(tree.is_leaf):
        tested = [int(tree.feature[node]) for node in ancestors(tree, leaf)]
        assert max((tested.count(column) for column in (0, 1)), default=0) <= 1


@pytest.mark.covers("tree.c45-missing-values")
@few
@given(tables(holes=True))
def test_parts_of_a_row_add_up_at_every_level(case):
    X, y = case
    model = DecisionTreeClassifier(criterion="entropy", split="multiway", missing="weights").fit(X, y)
    tree = model.tree_
    for node in np.flatnonzero(~tree.is_leaf):
        children = list(tree.children(node))
        assert tree.share[children].sum() == pytest.approx(1, abs=1e-9)
        assert tree.weight[children].sum() == pytest.approx(tree.weight[node], abs=1e-9)
    np.testing.assert_allclose(tree.spread(model._matrix(X), np.eye(len(tree))).sum(axis=1), 1, atol=1e-9)


@pytest.mark.covers("tree.c45-missing-values")
@few
@given(tables())
def test_without_holes_all_ways_with_holes_are_one(case):
    X, y = case
    trees = [
        DecisionTreeClassifier(criterion="entropy", split="multiway", missing=way).fit(X, y).tree_
        for way in ("weights", "branch", "majority")
    ]
    for other in trees[1:]:
        np.testing.assert_array_equal(trees[0].feature, other.feature)
        np.testing.assert_allclose(trees[0].outputs, other.outputs, atol=1e-12)


@pytest.mark.covers("tree.tree-generate")
@few
@given(tables())
def test_an_empty_branch_says_what_its_parent_does_and_others_what_their_rows_do(case):
    X, y = case
    model = ID3Classifier().fit(X, y)
    tree, leaf_of = model.tree_, model.apply(X)
    for leaf in np.flatnonzero(tree.is_leaf):
        if tree.n_rows[leaf]:
            counts = np.array([(y[leaf_of == leaf] == label).sum() for label in model.classes_])
            np.testing.assert_allclose(tree.outputs[leaf], counts)
        else:
            assert tree.outputs[leaf].argmax() == tree.outputs[tree.parent[leaf]].argmax()


@pytest.mark.covers("tree.zero-training-error")
@few
@given(tables(), st.sampled_from(CRITERIA), st.sampled_from(["binary", "multiway"]))
def test_without_conflict_there_is_no_training_error(case, criterion, split):
    X, y = case
    y = without_conflict(X, y)
    assert DecisionTreeClassifier(criterion=criterion, split=split).fit(X, y).score(X, y) == 1


@pytest.mark.covers("tree.tree-generate")
@few
@given(tables(), st.sampled_from(CRITERIA))
def test_answers_are_constant_on_boxes(case, criterion):
    X, y = case
    model = DecisionTreeClassifier(criterion=criterion).fit(X, y)
    cuts = np.sort(model.tree_.threshold[model.tree_.feature == 2])
    rows = X.iloc[[0] * 71].copy()
    rows["three"] = np.linspace(-0.45, 6.45, 71)
    box = np.searchsorted(cuts, rows["three"], side="left")
    said = np.asarray(model.predict(rows))
    assert all(len(set(said[box == b])) == 1 for b in np.unique(box))


@pytest.mark.covers("tree.queue-builder", "tree.bfs-builder")
@few
@given(tables(), st.integers(1, 12))
def test_the_order_of_growth_does_not_change_the_tree_and_bounds_hold(case, most):
    X, y = case
    options = {"criterion": "entropy", "split": "multiway"}
    whole = DecisionTreeClassifier(**options, builder="depth").fit(X, y)
    for builder in ("queue", "breadth", "best"):
        other = DecisionTreeClassifier(**options, builder=builder).fit(X, y)
        np.testing.assert_array_equal(whole.predict_proba(X), other.predict_proba(X))
        assert len(whole.tree_) == len(other.tree_)
        bounded = DecisionTreeClassifier(**options, builder=builder, max_nodes=most).fit(X, y)
        assert len(bounded.tree_) <= most


# ---------------------------------------------------------------- pruning (claims 9, 10)


@pytest.mark.covers("tree.pre-pruning", "tree.post-pruning")
@few
@given(tables(least=8), tables(least=8))
def test_validation_scores_under_pruning(train, held):
    X, y = train
    X_val, y_val = held[0], np.asarray(held[1])
    known = np.isin(y_val, y)
    assume(known.any())
    X_val, y_val = X_val[known], y_val[known]
    options = {"criterion": "entropy", "split": "multiway"}
    full = DecisionTreeClassifier(**options).fit(X, y)
    pre = DecisionTreeClassifier(**options, prune="pre").fit(X, y, X_val=X_val, y_val=y_val)
    post = DecisionTreeClassifier(**options, prune="post", prune_on_tie=False).fit(X, y, X_val=X_val, y_val=y_val)
    root = DecisionTreeClassifier(**options, max_nodes=1).fit(X, y)
    assert pre.score(X_val, y_val) >= root.score(X_val, y_val) - 1e-12
    accepted = [one for one in pre.pruning_trace_ if one.done]
    assert all(one.after > one.before for one in accepted)
    assert post.score(X_val, y_val) >= full.score(X_val, y_val) - 1e-12
    assert len(post.tree_) <= len(full.tree_)
    assert len(pre.tree_) <= len(full.tree_)


# ---------------------------------------------------------------- slanted trees, rules, rows one at a time (12, 14, 15)


@pytest.mark.covers("tree.multivariate-tree")
@settings(max_examples=15)
@given(st.integers(0, 10_000), st.floats(0.7, 1.3))
def test_a_slanted_border_needs_one_slanted_test(seed, c):
    X = np.random.RandomState(seed).rand(150, 2)
    X = X[np.abs(X.sum(axis=1) - c) > 0.05]
    y = X.sum(axis=1) > c
    slanted = ObliqueTreeClassifier(node_learner="logistic", C=1e4).fit(X, y)
    assert (slanted.get_n_leaves(), slanted.score(X, y)) == (2, 1.0)
    assert DecisionTreeClassifier(criterion="entropy").fit(X, y).get_n_leaves() > 4


@pytest.mark.covers("tree.c45-rules")
@few
@given(tables())
def test_rules_of_the_leaves_say_what_the_tree_says(case):
    X, y = case
    assume(len(np.unique(y)) > 1)
    tree = DecisionTreeClassifier(criterion="entropy", split="multiway")
    rules = C45Rules(tree, simplify=False).fit(X, y)
    np.testing.assert_array_equal(rules.predict(X), tree.fit(X, y).predict(X))
    simple = C45Rules(tree).fit(X, y)
    assert sum(len(conditions) for conditions, _ in simple.rules_) <= sum(len(one) for one, _ in rules.rules_)


@pytest.mark.covers("tree.id5r")
@few
@given(tables(numbers=False))
def test_rows_one_at_a_time_give_the_tree_of_all_at_once(case):
    X, y = case
    classes = np.unique(y)
    grown = ID5RClassifier()
    for i in range(len(y)):
        grown.partial_fit(X.iloc[[i]], y[[i]], classes=classes)
    whole = ID3Classifier().fit(X, y)
    kind = pd.CategoricalDtype(["a", "b", "c"])
    cells = [(a, b) for a in "abc" for b in "abc"]
    everywhere = pd.DataFrame(cells, columns=["one", "two"]).astype(kind)
    np.testing.assert_array_equal(grown.predict(everywhere), whole.predict(everywhere))
    ID4Classifier().partial_fit(X, y, classes=classes).predict(X)  # may be another tree
