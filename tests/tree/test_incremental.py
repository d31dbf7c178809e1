"""Incremental trees: ID5R and ITI equal growth from all rows at any time; ID4 need not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import melons
from sklearn.datasets import load_iris

import lanatus
from lanatus.tree import DecisionTreeClassifier, ID3Classifier, ID4Classifier, ID5RClassifier, ITIClassifier


def one_by_one(model, X, y, order):
    for i in order:
        model.partial_fit(X.iloc[[i]], y[[i]])
    return model


def assert_same_tree(one, other):
    """Trees whose nodes may be numbered differently: walked from the root side by side."""
    waiting = [(0, 0)]
    while waiting:
        a, b = waiting.pop()
        assert (one.kind[a], one.feature[a], one.n_children[a]) == (
            other.kind[b],
            other.feature[b],
            other.n_children[b],
        )
        np.testing.assert_allclose(one.threshold[a], other.threshold[b], rtol=1e-12)
        np.testing.assert_allclose(one.outputs[a], other.outputs[b], rtol=1e-9, atol=1e-12)
        assert one.n_rows[a] == other.n_rows[b]
        np.testing.assert_allclose(one.weight[a], other.weight[b], rtol=1e-9, atol=1e-12)
        if one.n_children[a]:
            assert one.missing[a] == other.missing[b]
            np.testing.assert_allclose(one.gain[a], other.gain[b], rtol=0, atol=1e-9)
            np.testing.assert_array_equal(one.categories(a), other.categories(b))
        waiting += zip(one.children(a), other.children(b), strict=True)


@pytest.mark.covers("tree.id5r")
@settings(max_examples=8, deadline=None)
@given(st.permutations(list(range(17))))
def test_id5r_is_id3_on_watermelons_in_any_order(order):
    X, y = melons("2.0")
    tree = one_by_one(ID5RClassifier(), X, y, order)
    batch = ID3Classifier().fit(X, y)
    assert tree.schema_ == batch.schema_
    assert_same_tree(tree.tree_, batch.tree_)


@pytest.mark.covers("tree.id5r")
def test_id5r_is_id3_after_every_row():
    rng = np.random.RandomState(0)
    X = pd.DataFrame({name: rng.choice(list("abc"), 150) for name in "pqrs"})
    y = np.where(rng.rand(150) < 0.2, "噪", np.where(X["p"] == X["q"], "同", "异"))
    tree = ID5RClassifier().partial_fit(X[:1], y[:1])
    for i in range(1, 150):
        tree.partial_fit(X[i : i + 1], y[i : i + 1])
        if i % 7 == 0:
            assert_same_tree(tree.tree_, ID3Classifier().fit(X[: i + 1], y[: i + 1]).tree_)


@pytest.mark.parametrize("version", ["3.0", "2.0a", "3.0a"])
def test_id5r_takes_numbers_and_holes_as_id3_does(version):
    X, y = melons(version)
    order = np.random.RandomState(1).permutation(len(X))
    tree = one_by_one(ID5RClassifier(), X, y, order)
    assert_same_tree(tree.tree_, ID3Classifier().fit(X, y).tree_)
    many = ID5RClassifier().partial_fit(X[:5], y[:5]).partial_fit(X[5:], y[5:])
    assert_same_tree(many.tree_, ID3Classifier().fit(X, y).tree_)


def test_priorities_depth_and_weights_as_id3():
    X, y = melons("2.0")
    given_ = {"feature_priority": ["触感"], "max_depth": 2, "class_priority": ["是"]}
    weight = np.random.RandomState(0).randint(0, 3, 17).astype(float)
    tree = ID5RClassifier(**given_)
    for i in range(17):
        if weight[i] or i == 0:
            weight[i] = max(weight[i], 1.0)
            tree.partial_fit(X[i : i + 1], y[i : i + 1], sample_weight=weight[i : i + 1])
    assert_same_tree(tree.tree_, ID3Classifier(**given_).fit(X, y, sample_weight=weight).tree_)


def test_new_values_and_new_labels_are_learned_on_the_way():
    X = pd.DataFrame({"色": ["b", "c", "a", "d"], "n": [1.0, 2.0, 3.0, 4.0]})
    y = np.array(["y", "z", "x", "y"])
    tree = ID5RClassifier()
    for i in range(4):
        tree.partial_fit(X[i : i + 1], y[i : i + 1])
        assert tree.predict(X[: i + 1]).tolist() == y[: i + 1].tolist()
    assert tree.classes_.tolist() == ["x", "y", "z"]
    assert tree.schema_["色"].categories == ("a", "b", "c", "d")
    expected = ID5RClassifier().partial_fit(X, y, classes=["w", "x", "y", "z"])
    assert expected.predict_proba(X).shape == (4, 4)


@pytest.mark.covers("tree.iti")
def test_iti_equals_growth_from_all_rows():
    X, y = load_iris(return_X_y=True)
    order = np.random.RandomState(0).permutation(150)
    X, y = X[order], y[order]
    tree = ITIClassifier(prune=None).partial_fit(X[:20], y[:20])
    for i in range(20, 150):
        tree.partial_fit(X[i : i + 1], y[i : i + 1])
    batch = DecisionTreeClassifier(criterion="gain_ratio", missing="majority").fit(X, y)
    assert_same_tree(tree.tree_, batch.tree_)
    assert_same_tree(tree.tree_, ITIClassifier(prune=None).fit(X, y).tree_)


@pytest.mark.covers("tree.iti")
@settings(max_examples=4, deadline=None)
@given(st.permutations(list(range(17))), st.sampled_from(["3.0", "2.0a"]))
def test_iti_in_any_order_with_numbers_values_and_holes(order, version):
    X, y = melons(version)
    tree = one_by_one(ITIClassifier(prune=None), X, y, order)
    assert_same_tree(tree.tree_, ITIClassifier(prune=None).fit(X, y).tree_)
    if version == "3.0":
        assert tree.score(X, y) == 1.0


@pytest.mark.covers("tree.iti")
def test_virtual_pruning_hides_nodes_and_gives_them_back():
    rng = np.random.RandomState(0)
    X = rng.rand(300, 3)
    y = np.where(X[:, 0] > 0.5, "甲", "乙")
    noisy = np.where(rng.rand(300) < 0.1, "甲", y)
    full, pruned = ITIClassifier(prune=None).fit(X, noisy), ITIClassifier().fit(X, noisy)
    assert pruned.get_n_leaves() < full.get_n_leaves() / 3
    assert pruned.score(X, y) > 0.97
    few = ITIClassifier().fit(X[:3], noisy[:3])
    few.partial_fit(X[3:], noisy[3:])
    assert_same_tree(few.tree_, pruned.tree_)


@pytest.mark.parametrize("kind", [ID5RClassifier, ITIClassifier])
def test_a_saved_tree_goes_on_learning(kind, tmp_path):
    X, y = melons("3.0")
    model = kind().partial_fit(X[:8], y[:8])
    loaded = lanatus.load(lanatus.save(model, tmp_path / "tree.skops"))
    assert_same_tree(loaded.partial_fit(X[8:], y[8:]).tree_, kind().fit(X, y).tree_)


@pytest.mark.covers("tree.id4")
def test_id4_finds_the_root_of_id3_and_may_differ_below():
    X, y = melons("2.0")
    batch = ID3Classifier(max_depth=1).fit(X, y).tree_
    for seed in range(5):
        order = np.random.RandomState(seed).permutation(17)
        tree = ID4Classifier().fit(X.iloc[order], y[order]).tree_
        assert tree.feature[0] == batch.feature[0]
        assert tree.gain[0] == pytest.approx(batch.gain[0], abs=1e-9)
        np.testing.assert_allclose(tree.outputs[tree.children(0)], batch.outputs[1:4], rtol=1e-12)
    once = ID4Classifier().fit(X, y)
    assert once.score(X, y) >= 13 / 17
    again = once
    for _ in range(5):  # rows seen again build what was forgotten
        again = again.partial_fit(X, y)
    assert again.score(X, y) >= 15 / 17


@pytest.mark.covers("tree.id4")
def test_id4_counts_numbers_by_bins_and_keeps_no_rows():
    X, y = load_iris(return_X_y=True)
    order = np.random.RandomState(0).permutation(150)
    tree = ID4Classifier(max_bins=16).partial_fit(X[order[:1]], y[order[:1]], classes=[0, 1, 2])
    for i in order[1:]:
        tree.partial_fit(X[[i]], y[[i]])
    assert tree.score(X, y) > 0.9
    assert max(len(typical) for typical in tree._typical) == 16
    before = len(tree._nodes)
    for _ in range(3):
        tree.partial_fit(X, y)
    assert len(tree._nodes) <= max(64, 4 * before)


def test_id4_says_which_labels_it_does_not_know_and_passes_holes():
    X, y = melons("2.0a")
    tree = ID4Classifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="initial classes"):
        tree.partial_fit(X[:1], ["也许"])
    assert tree.score(X, y) > 0.7


def test_id4_can_be_saved_and_goes_on(tmp_path):
    X, y = melons("3.0")
    model = ID4Classifier().partial_fit(X[:9], y[:9], classes=["否", "是"])
    loaded = lanatus.load(lanatus.save(model, tmp_path / "tree.skops"))
    model.partial_fit(X[9:], y[9:])
    loaded.partial_fit(X[9:], y[9:])
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
