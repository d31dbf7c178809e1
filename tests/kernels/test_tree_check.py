"""Arrays of a tree at the door of the kernels: what is no tree is refused by name, and never walked."""

from types import SimpleNamespace

import numpy as np
import pytest
from lanatus._core import tree as kernels

from lanatus.tree import DecisionTreeClassifier
from lanatus.tree.grow._tree import Tree

NONE = float("nan")


def ints(*numbers, dtype=np.int32):
    return np.array(numbers, dtype)


def sound(**changed):
    """A root with a test on column 1 below it on the right, by a subset."""
    arrays = {
        "feature": ints(0, -1, 1, -1, -1),
        "kind": ints(1, 0, 3, 0, 0, dtype=np.int8),
        "threshold": np.array([0.5, NONE, NONE, NONE, NONE]),
        "first_child": ints(1, -1, 3, -1, -1),
        "n_children": ints(2, 0, 2, 0, 0),
        "missing": ints(0, -1, 1, -1, -1),
        "share": np.array([1, 0.5, 0.5, 0.5, 0.5]),
        "subset_start": ints(0, 0, 0, 1, 1, 1, dtype=np.int64),
        "subset": ints(0b101, dtype=np.uint32),
        "surrogates": None,
    }
    return SimpleNamespace(**{**arrays, **changed})


def stand_ins(**changed):
    arrays = {
        "start": ints(0, 1, 1, 1, 1, 1, dtype=np.int64),
        "feature": ints(1),
        "below": ints(0),
        "threshold": np.array([2.0]),
        "subset_start": ints(0, 0, dtype=np.int64),
        "subset": ints(dtype=np.uint32),
        "known_start": ints(0, 0, dtype=np.int64),
        "known": ints(dtype=np.uint32),
    }
    return {**arrays, **changed}


def forest(**changed):
    """The same tree twice, as a forest holds it."""
    tree = sound()
    twice = {
        name: np.tile(getattr(tree, name), 2) for name in ("feature", "kind", "threshold", "first_child", "missing")
    }
    arrays = {
        "start": ints(0, 5, 10, dtype=np.int64),
        "subset_start": ints(0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, dtype=np.int64),
        "subset": np.tile(tree.subset, 2),
        "value": np.arange(10.0).reshape(10, 1),
        "output": ints(-1, -1),
        **twice,
    }
    return kernels.CompactForest(2, 1, **{**arrays, **changed})


def test_the_sound_ones_are_taken():
    X = np.array([[0, 0], [1, 0], [1, 1], [np.nan, 0], [1, np.nan]], dtype=float)
    tree = kernels.CheckedTree(sound())
    assert (tree.n_nodes, tree.n_columns) == (5, 2)
    assert kernels.leaves(tree, X, n_threads=1).tolist() == [1, 3, 4, 1, 4]
    assert forest().apply(X, n_threads=1).tolist() == [[1, 1], [3, 3], [4, 4], [1, 1], [4, 4]]
    by_stand_in = kernels.CheckedTree(sound(surrogates=stand_ins()))
    assert kernels.leaves(by_stand_in, np.array([[np.nan, 3.0]]), n_threads=1).tolist() == [4]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"kind": ints(1, 0, 3, 0, dtype=np.int8)}, "kind has length 4, wanted 5"),
        ({"threshold": np.zeros(6)}, "threshold has length 6, wanted 5"),
        ({"share": np.zeros(0)}, "share has length 0, wanted 5"),
        ({"threshold": np.zeros(5, np.float32)}, "threshold must be a one-dimensional array of float64"),
        ({"first_child": np.zeros((5, 1), np.int32)}, "first_child must be a one-dimensional array of int32"),
        ({"kind": ints(1, 0, 7, 0, 0, dtype=np.int8)}, r"kind\[2\] is 7"),
        ({"kind": ints(1, 0, -1, 0, 0, dtype=np.int8)}, r"kind\[2\] is -1"),
        ({"feature": ints(0, -1, -1, -1, -1)}, r"feature\[2\] is -1, but the node is a test"),
        ({"threshold": np.full(5, NONE)}, r"threshold\[0\] is NaN"),
        ({"first_child": ints(1, -1, -1, -1, -1)}, r"first_child\[2\] is -1"),
        ({"first_child": ints(1, -1, 4, -1, -1)}, r"first_child\[2\] is 4"),
        ({"first_child": ints(1, -1, 2**31 - 1, -1, -1)}, r"first_child\[2\] is 2147483647"),
        ({"first_child": ints(0, -1, 3, -1, -1)}, r"first_child\[0\] is 0"),
        ({"first_child": ints(1, -1, 1, -1, -1)}, r"first_child\[2\] is 1"),
        ({"first_child": ints(2, -1, 3, -1, -1)}, "node 3 has a parent already"),
        ({"first_child": ints(3, -1, 3, -1, -1)}, "node 3 has a parent already"),
        ({"n_children": ints(2, 0, 0, 0, 0)}, r"n_children\[2\] is 0, but kind\[2\] is 3"),
        ({"n_children": ints(2, 0, 1, 0, 0)}, r"n_children\[2\] is 1, wanted 2"),
        ({"n_children": ints(2, 2, 2, 0, 0)}, r"n_children\[1\] is 2, but kind\[1\] is 0"),
        ({"n_children": ints(2, 0, -2, 0, 0)}, r"n_children\[2\] is -2"),
        ({"missing": ints(2, -1, 1, -1, -1)}, r"missing\[0\] is 2"),
        ({"missing": ints(-2, -1, 1, -1, -1)}, r"missing\[0\] is -2"),
        ({"subset_start": ints(0, 0, 0, 9, 9, 9, dtype=np.int64)}, "subset_start ends at 9"),
        ({"subset_start": ints(-4, 0, 0, 1, 1, 1, dtype=np.int64)}, "subset_start begins at -4"),
        ({"subset_start": ints(0, 0, 1, 0, 1, 1, dtype=np.int64)}, r"subset_start\[3\] is 0, less"),
        ({"subset_start": ints(0, 1, dtype=np.int64)}, "subset_start has length 2, wanted 6"),
        ({"surrogates": stand_ins(below=ints(2))}, r"surrogates\['below'\]\[0\] is 2"),
        ({"surrogates": stand_ins(feature=ints(-1))}, r"surrogates\['feature'\]\[0\] is -1"),
        ({"surrogates": stand_ins(start=ints(0, 3, 3, 3, 3, 3, dtype=np.int64))}, r"surrogates\['start'\] ends at 3"),
        ({"surrogates": stand_ins(known_start=ints(0, 7, dtype=np.int64))}, r"surrogates\['known_start'\] ends at 7"),
        ({"surrogates": stand_ins(threshold=np.zeros(0))}, r"surrogates\['threshold'\] has length 0, wanted 1"),
    ],
)
def test_what_is_no_tree_is_refused_by_name(changed, said):
    with pytest.raises(ValueError, match=said):
        kernels.CheckedTree(sound(**changed))


def test_no_node_at_all():
    nothing = {
        name: getattr(sound(), name)[:0]
        for name in ("feature", "kind", "threshold", "first_child", "n_children", "missing", "share")
    }
    with pytest.raises(ValueError, match="feature is empty"):
        kernels.CheckedTree(sound(**nothing, subset_start=ints(0, dtype=np.int64)))


def test_a_node_that_hangs_nowhere():
    with pytest.raises(ValueError, match="node 3 is no child of any node"):
        kernels.CheckedTree(sound(kind=ints(1, 0, 0, 0, 0, dtype=np.int8), n_children=ints(2, 0, 0, 0, 0)))


def test_rows_must_have_the_columns_that_are_tested():
    with pytest.raises(ValueError, match="tests column 1, but X has 1 columns"):
        kernels.leaves(kernels.CheckedTree(sound()), np.zeros((3, 1)), n_threads=1)
    other = kernels.CheckedTree(sound(surrogates=stand_ins(feature=ints(6))))
    with pytest.raises(ValueError, match="tests column 6, but X has 2 columns"):
        kernels.leaves(other, np.zeros((3, 2)), n_threads=1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"first_child": np.tile(ints(1, -1, -1, -1, -1), 2)}, r"first_child\[2\] is -1"),
        ({"first_child": np.tile(ints(3, -1, 3, -1, -1), 2)}, "has a parent already"),
        ({"missing": np.tile(ints(-1, -1, 1, -1, -1), 2)}, r"missing\[0\] is -1"),
        ({"kind": np.tile(ints(2, 0, 3, 0, 0, dtype=np.int8), 2)}, r"kind\[0\] is 2"),
        ({"threshold": np.full(10, NONE)}, r"threshold\[0\] is NaN"),
        ({"feature": np.tile(ints(0, -1, 2, -1, -1), 2)}, "tests no column of X"),
        ({"subset_start": np.arange(0, 110, 10)}, "subset_start ends at"),
        ({"value": np.zeros((10, 0))}, "value has no column"),
        ({"value": np.zeros((9, 1))}, "differ in length"),
        ({"value": np.zeros((10, 3))}, "output is not one of the outputs"),
        ({"output": ints(-1, 1)}, "output is not one of the outputs"),
        ({"start": ints(0, 7, 5, dtype=np.int64)}, "start must rise"),
        ({"start": ints(0, 0, 10, dtype=np.int64)}, "feature is empty"),
    ],
)
def test_a_forest_of_what_is_no_tree_is_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        forest(**changed)


def test_a_tree_is_looked_through_once_and_again_when_its_arrays_are_others():
    X = np.random.RandomState(0).normal(size=(60, 3))
    tree = DecisionTreeClassifier(random_state=0).fit(X, X[:, 0] > X[:, 1]).tree_
    assert isinstance(tree, Tree)
    first = tree.checked()
    assert tree.checked() is first
    tree.first_child = tree.first_child - 1
    with pytest.raises(ValueError, match="first_child"):
        tree.leaves(X)


@pytest.mark.parametrize(
    ("starts", "said"),
    [
        ((ints(0, 9, 2, dtype=np.int64), ints(0, 0, 0, dtype=np.int64)), "edge_start must rise from 0"),
        ((ints(-1, 1, 2, dtype=np.int64), ints(0, 0, 0, dtype=np.int64)), "edge_start must rise from 0"),
        ((ints(0, 1, 3, dtype=np.int64), ints(0, 0, 0, dtype=np.int64)), "edge_start must rise from 0"),
        ((ints(0, 1, 2, dtype=np.int64), ints(0, 5, 0, dtype=np.int64)), "table_start must rise from 0"),
    ],
)
def test_bins_out_of_order_are_refused(starts, said):
    edges, table = np.array([0.0, 1.0]), np.zeros(0, np.uint8)
    with pytest.raises(ValueError, match=said):
        kernels.codes(np.zeros((3, 2)), edges, starts[0], table, starts[1], n_threads=1)
