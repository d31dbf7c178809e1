"""C4.5's subtree raising: Weka's sizes, a recursive second route, holes, weights, depth."""

import re

import numpy as np
import pandas as pd
import pytest
from parity.weka_classifier import ask, needs_weka

from lanatus.tree import C45Classifier
from lanatus.tree.prune._pruning import upper_limit


# Leaves and nodes of Weka 3.9's J48 (-C 0.25 -M 2) without raising (-S) and with it.
@pytest.mark.parametrize(
    ("name", "cut", "raised"),
    [
        ("credit_a", (31, 44), (29, 41)),
        ("tic_tac_toe", (111, 166), (95, 142)),
        ("kr_vs_kp", (31, 59), (31, 59)),
        ("car", (131, 182), (131, 182)),
    ],
)
def test_sizes_of_j48(name, cut, raised, shared_data):
    whole = pd.read_parquet(shared_data / f"{name}.parquet")
    X, y = whole.iloc[:, :-1], whole.iloc[:, -1]
    for raising, size in ((False, cut), (True, raised)):
        model = C45Classifier(subtree_raising=raising, threshold="observed", mdl_correction=True).fit(X, y)
        assert (model.get_n_leaves(), model.tree_.node_count) == size


@needs_weka
@pytest.mark.covers("tree.c45")
@pytest.mark.parametrize("name", ["tic_tac_toe", "kr_vs_kp", "car", "credit_a"])
def test_the_tree_is_that_of_weka_today(name, shared_data, tmp_path):
    """Size and what it says of every row, from J48 itself; Weka's leaves give Laplace's counts only when asked to."""
    whole = pd.read_parquet(shared_data / f"{name}.parquet")
    X, y = whole.iloc[:, :-1], whole.iloc[:, -1].astype(str)
    said = ask(X.assign(target_=y.astype("category")), tmp_path, "trees.J48", "-C", "0.25", "-M", "2")
    sizes = [int(re.search(rf"{what}\s*:\s*(\d+)", said["text"])[1]) for what in ("Leaves", "Size of the tree")]
    model = C45Classifier(threshold="observed", mdl_correction=True).fit(X, y)
    assert [model.get_n_leaves(), model.tree_.node_count] == sizes
    order = [said["labels"].index(label) for label in model.classes_]
    np.testing.assert_allclose(model.predict_proba(X), np.array(said["shares"])[:, order], rtol=0, atol=1e-6)


# ---------------------------------------------------------------- a second route, by recursion over dicts


def nested(tree, node=0):
    if tree.is_leaf[node]:
        return None
    return int(tree.feature[node]), float(tree.threshold[node]), [nested(tree, child) for child in tree.children(node)]


def parts(test, shares, X, weight):
    """Weights of all rows at the two children of a threshold."""
    value = X[:, test[0]]
    unknown = np.isnan(value)
    left = np.where(unknown, shares[0], value <= test[1]) * weight
    return left, np.where(unknown, shares[1], ~(value <= test[1])) * weight


def shares_of(test, X, weight):
    known = ~np.isnan(X[:, test[0]])
    left = weight[known & (X[:, test[0]] <= test[1])].sum() / weight[known].sum()
    return left, 1 - left


def limit(y, weight):
    counts = np.bincount(y, weight, minlength=y.max() + 1)
    total = counts.sum()
    return 0.0 if total == 0 else float(upper_limit(total - counts.max(), total, 0.25)) * total


def leaf_limits(tree, X, y, weight):
    """Of a subtree whose shares are known: (feature, threshold, children, shares) or None."""
    if tree is None:
        return limit(y, weight)
    return sum(
        leaf_limits(below, X, y, part) for below, part in zip(tree[2], parts(tree, tree[3], X, weight), strict=True)
    )


def filled(tree, X, weight):
    if tree is None:
        return None
    shares = shares_of(tree, X, weight)
    below = [filled(child, X, part) for child, part in zip(tree[2], parts(tree, shares, X, weight), strict=True)]
    return tree[0], tree[1], below, shares


def pruned(tree, X, y, weight):
    if tree is None:
        return None
    both = parts(tree, tree[3], X, weight)
    tree = (*tree[:2], [pruned(child, X, y, part) for child, part in zip(tree[2], both, strict=True)], tree[3])
    heaviest = tree[2][0 if both[0].sum() >= both[1].sum() else 1]
    as_leaf, as_is, raised = limit(y, weight), leaf_limits(tree, X, y, weight), leaf_limits(heaviest, X, y, weight)
    if as_leaf <= min(as_is, raised) + 0.1:
        return None
    return pruned(filled(heaviest, X, weight), X, y, weight) if raised <= as_is + 0.1 else tree


def shape(tree):
    return None if tree is None else (tree[0], tree[1], [shape(child) for child in tree[2]])


def noisy_classes(seed, n=300, holes=0.0):
    """Two attributes of four that tell two classes only together, a third one, wrong labels and holes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(2)
    y = ((X[:, 0] > 0.3) ^ (X[:, 1] > 0)).astype(int) + (X[:, 2] > 1)
    y = np.where(rng.random(n) < 0.25, rng.integers(3, size=n), y)
    X[rng.random(X.shape) < holes] = np.nan
    return X, y


@pytest.mark.parametrize("holes", [0.0, 0.1])
def test_a_recursive_route_comes_to_the_same_tree(holes):
    raised = 0
    for seed in range(12):
        X, y = noisy_classes(seed, holes=holes)
        weight = np.ones(len(y))
        grown = C45Classifier(prune=None).fit(X, y).tree_
        wanted = shape(pruned(filled(nested(grown), X, weight), X, y, weight))
        found = C45Classifier().fit(X, y)
        assert nested(found.tree_) == wanted
        raised += nested(found.tree_) != nested(C45Classifier(subtree_raising=False).fit(X, y).tree_)
    assert raised > 2


def test_the_raised_tree_knows_its_rows():
    for seed in range(6):
        X, y = noisy_classes(seed, holes=0.1)
        weight = np.random.default_rng(seed).integers(0, 3, len(y)).astype(float)
        tree = C45Classifier().fit(X, y, sample_weight=weight).tree_
        amounts = np.zeros((len(y), 3))
        amounts[np.arange(len(y)), y] = weight
        np.testing.assert_allclose(tree.tally(X, amounts), tree.outputs, atol=1e-9)
        np.testing.assert_allclose(tree.weight, tree.outputs.sum(axis=1), atol=1e-9)
        inner = np.flatnonzero(~tree.is_leaf)
        for node in inner:
            assert tree.share[list(tree.children(node))].sum() == pytest.approx(1)
        assert (tree.gain[inner] > -1e-12).all()
        assert (tree.parent[1:] < np.arange(1, len(tree))).all()


def test_weights_are_as_good_as_copies():
    X, y = noisy_classes(3)
    times = np.random.default_rng(0).integers(1, 4, len(y))
    by_weight = C45Classifier().fit(X, y, sample_weight=times)
    by_copy = C45Classifier().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert nested(by_weight.tree_) == nested(by_copy.tree_)


def test_a_tree_of_thousands_of_levels_needs_no_recursion():
    n = 4000
    X = np.arange(n, dtype=float)[:, None]
    y = np.arange(n) // 2 % 2
    model = C45Classifier(confidence=0.5).fit(X, y)
    assert model.get_depth() > 1000
    assert model.score(X, y) == 1
