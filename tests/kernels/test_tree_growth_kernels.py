"""How trees grow is one checked thing: names that do not exist and values that make no sense are refused."""

import numpy as np
import pytest
from lanatus._core import tree as kernels

X = np.array([[0.0, 3.0], [1.0, 2.0], [2.0, 1.0], [3.0, 0.0]])
Y = np.array([[0], [0], [1], [1]], dtype=np.uint32)
NUMERIC = np.zeros(2, dtype=np.int32)


def grown(criterion="gini", **options):
    growth = kernels.Growth(**options)
    classes = np.array([2], dtype=np.int64)
    return kernels.grow_classes(
        X, NUMERIC, Y, classes, None, criterion=criterion, judge=None, growth=growth, n_threads=1
    )


def test_limits_are_obeyed():
    tree = grown()
    assert tree["feature"].tolist() == [0, -1, -1]
    assert tree["threshold"][0] == 1.5
    assert grown(max_depth=0)["feature"].tolist() == [-1]
    assert grown(min_samples_split=5)["feature"].tolist() == [-1]
    assert grown(min_samples_leaf=3)["feature"].tolist() == [-1]
    assert grown(min_leaf_weight=2.5)["feature"].tolist() == [-1]
    assert grown(priority=np.array([1, 0], dtype=np.uint32))["feature"].tolist() == [1, -1, -1]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"builder": "sideways"}, "builder must be one of depth, breadth, best; got 'sideways'"),
        ({"missing": "somehow"}, "missing must be one of branch, weights, surrogate, virtual, majority"),
        ({"preselect": "all"}, "preselect must be one of above-mean, none"),
        ({"max_depth": -1}, "max_depth must not be negative"),
        ({"min_samples_split": 1}, "min_samples_split must be at least 2"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be at least 1"),
        ({"min_leaf_weight": np.nan}, "min_leaf_weight must not be negative"),
        ({"max_features": 0}, "max_features must be at least 1"),
    ],
)
def test_values_that_make_no_sense_are_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        kernels.Growth(**wrong)


def test_an_option_that_does_not_exist_is_refused():
    with pytest.raises(TypeError):
        kernels.Growth(max_deph=3)


def test_what_does_not_fit_the_columns_is_refused():
    with pytest.raises(ValueError, match="monotone must name every column"):
        grown(monotone=np.ones(3, dtype=np.int8))
    with pytest.raises(ValueError, match="priority must name columns"):
        grown(priority=np.array([0, 2], dtype=np.uint32))
    with pytest.raises(ValueError, match="criterion must be one of"):
        grown(criterion="ginny")
