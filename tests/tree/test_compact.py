"""Trees laid out for fast prediction say what the trees say."""

import numpy as np
import pytest

from lanatus.tree.grow._compact import CompactForest, compact_of, packed, unpacked
from lanatus.tree.grow._tree import LEAF, SUBSET, THRESHOLD, Tree


def random_tree(rng: np.random.Generator, leaves: int, n_values: np.ndarray, grid: int, outputs: int) -> Tree:
    """A tree of random shape; few distinct thresholds if `grid` is small."""
    feature, kind, threshold, first, missing, words = [-1], [LEAF], [np.nan], [-1], [-1], [np.zeros(0, np.uint32)]
    open_ = [0]
    for _ in range(leaves - 1):
        node = open_.pop(rng.integers(len(open_)))
        j = int(rng.integers(len(n_values)))
        feature[node], missing[node], first[node] = j, int(rng.integers(2)), len(feature)
        if n_values[j]:
            kind[node] = SUBSET
            words[node] = rng.integers(0, 2**32, (n_values[j] + 31) // 32, dtype=np.uint32)
        else:
            kind[node], threshold[node] = THRESHOLD, rng.integers(-grid, grid) / grid * 2
        for _ in range(2):
            open_.append(len(feature))
            feature.append(-1), kind.append(LEAF), threshold.append(np.nan), first.append(-1), missing.append(-1)
            words.append(np.zeros(0, np.uint32))
    n = len(feature)
    return Tree(
        feature=feature,
        kind=kind,
        threshold=threshold,
        first_child=first,
        n_children=np.where(np.array(kind) == LEAF, 0, 2),
        parent=np.full(n, -1),
        missing=missing,
        share=np.ones(n),
        weight=np.ones(n),
        n_rows=np.ones(n),
        impurity=np.zeros(n),
        gain=np.zeros(n),
        outputs=rng.normal(size=(n, outputs)),
        subset_start=np.cumsum([0, *map(len, words)]),
        subset=np.concatenate(words),
    )


def walk(tree: Tree, x: np.ndarray) -> int:
    """The leaf by the definition."""
    node = 0
    while tree.kind[node] != LEAF:
        value = x[tree.feature[node]]
        if np.isnan(value):
            left = tree.missing[node] == 0
        elif tree.kind[node] == SUBSET:
            left = int(value) in tree.categories(node)
        else:
            left = value <= tree.threshold[node]
        node = int(tree.first_child[node]) + (not left)
    return node


CASES = {
    "planes": ((1, 2, 31, 64, 9, 17), 50, False),
    "bytes": ((100, 2, 31, 64, 300), 50, False),
    "words": ((400, 2, 600, 1, 800), 10**6, False),
    "sets": ((20, 31, 5, 64, 2), 50, True),
    "few trees": ((20, 70), 50, True),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_sums_and_leaves_are_those_of_the_trees(case, dtype, holes):
    leaves, grid, nominal = CASES[case]
    rng = np.random.default_rng(0)
    n_values = np.array([0, 0, 40 if nominal else 0, 0])
    trees = [random_tree(rng, count, n_values, grid, 3) for count in leaves]
    X = (rng.integers(-60, 60, (1100, 4)) / 50 * 2).astype(dtype)  # many rows lie on a threshold
    X[:, 2] = rng.integers(0, 45, len(X)) if nominal else X[:, 2]
    X[rng.random(X.shape) < holes] = np.nan
    forest = CompactForest(trees, 4)
    wanted = np.array([[walk(tree, x) for tree in trees] for x in X])
    np.testing.assert_array_equal(forest.apply(X), wanted)
    sums = np.zeros((len(X), 3))
    for t, tree in enumerate(trees):
        sums += tree.outputs[wanted[:, t]]
    np.testing.assert_array_equal(forest.predict_sum(X, n_threads=1), sums)
    np.testing.assert_array_equal(forest.predict_sum(X, n_threads=3), sums)


@pytest.mark.parametrize("leaves", [(5, 31, 8, 40, 2, 3), (5, 90, 8, 40, 2, 3)])
def test_each_tree_into_its_own_column(leaves):
    rng = np.random.default_rng(1)
    trees = [random_tree(rng, count, np.zeros(3, int), 50, 1) for count in leaves]
    X = rng.normal(size=(70, 3))
    into = [0, 1, 2, 0, 1, 2]
    forest = CompactForest(trees, 3, 3, into)
    sums = np.zeros((len(X), 3))
    for tree, column in zip(trees, into, strict=True):
        sums[:, column] += [tree.outputs[walk(tree, x), 0] for x in X]
    np.testing.assert_array_equal(forest.predict_sum(X), sums)


def test_infinite_thresholds_and_values():
    rng = np.random.default_rng(2)
    trees = [random_tree(rng, 8, np.zeros(2, int), 4, 1) for _ in range(5)]
    for tree in trees:
        tree.threshold[tree.kind == THRESHOLD] = rng.choice([np.inf, -np.inf, 0.0], (tree.kind == THRESHOLD).sum())
    X = rng.choice([np.inf, -np.inf, 0.0, -0.0, 1.0, np.nan], (300, 2))
    wanted = np.array([[walk(tree, x) for tree in trees] for x in X])
    np.testing.assert_array_equal(CompactForest(trees, 2).apply(X), wanted)


def test_no_rows_and_a_root_alone():
    rng = np.random.default_rng(3)
    roots = [random_tree(rng, 1, np.zeros(2, int), 4, 2) for _ in range(6)]
    forest = CompactForest(roots, 2)
    assert forest.predict_sum(np.empty((0, 2))).shape == (0, 2)
    np.testing.assert_allclose(
        forest.predict_sum(np.zeros((3, 2)))[2], sum(tree.outputs[0] for tree in roots), rtol=1e-15
    )


def test_what_cannot_be_compact_is_refused():
    tree = random_tree(np.random.default_rng(4), 4, np.zeros(2, int), 4, 1)
    tree.missing[tree.kind == THRESHOLD] = -1
    with pytest.raises(ValueError, match=r"missing\[0\] is -1"):
        CompactForest([tree], 2)
    with pytest.raises(ValueError, match="no column"):
        CompactForest([random_tree(np.random.default_rng(4), 4, np.zeros(2, int), 4, 1)] * 5, 0)


def test_it_is_made_once_for_the_same_trees():
    class Owner:
        pass

    owner = Owner()
    trees = [random_tree(np.random.default_rng(5), 4, np.zeros(2, int), 4, 1)]
    first = compact_of(owner, trees, 2)
    assert compact_of(owner, list(trees), 2) is first
    assert compact_of(owner, trees * 2, 2) is not first


def test_packed_trees_come_back():
    rng = np.random.default_rng(6)
    trees = [random_tree(rng, count, np.array([0, 70]), 9, 2) for count in (1, 5, 30)]
    back = unpacked(packed(trees))
    assert len(back) == 3
    for one, other in zip(trees, back, strict=True):
        for name in vars(one):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert unpacked(packed([])) == []
