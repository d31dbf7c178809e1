"""Parameter rules."""

import numpy as np
import pytest

from lanatus.cluster import KMeans
from lanatus.params import (
    Array,
    Choice,
    Flag,
    Function,
    Integer,
    InvalidParameter,
    Nothing,
    RandomState,
    Real,
    check_params,
    rules_for,
)


@pytest.mark.parametrize(
    ("rule", "good", "bad", "words"),
    [
        (Integer(low=1), [1, np.int64(3)], [0, 1.0, True, "1", None], "an integer >= 1"),
        (
            Real(above=0, high=1),
            [1, 0.5, np.float32(0.1)],
            [0, 1.1, True, "x", float("nan")],
            "a number > 0 and <= 1",
        ),
        (Choice("a", "b"), ["a"], ["c", 1, None], "one of 'a', 'b'"),
        (Flag(), [True, np.True_], [1, "yes", None], "True or False"),
        (
            Array(ndim=2),
            [[[1]], np.ones((2, 2))],
            [[1], "ab", 3, [[1], [1, 2]]],
            "an array with 2 dimensions",
        ),
        (Function() | Nothing(), [len, None], [3], "a callable or None"),
        (RandomState(), [0, None, np.random.RandomState(0)], [-1, 2**32, 0.5, "0"], "RandomState"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, list | str) else "",
)
def test_rules(rule, good, bad, words):
    assert all(rule.accepts(value) for value in good)
    assert not any(rule.accepts(value) for value in bad)
    assert words in str(rule)


def test_message_says_what_was_got_and_wanted():
    with pytest.raises(InvalidParameter, match=r"'n_clusters' parameter of KMeans must be an integer >= 1. Got 0"):
        check_params(KMeans(0))
    with pytest.raises(InvalidParameter, match=r"'init'.*'k-means\+\+'.*callable.*2 dimensions"):
        KMeans(2, init="best").fit([[1.0], [2.0]])


def test_rules_are_picked_by_signature():
    class Model:
        def __init__(self, depth=3, *, tol=0.0, random_state=None):
            pass

        _params = rules_for(__init__, depth=Integer(low=1))

    assert list(Model._params) == ["depth", "tol", "random_state"]
    assert not Model._params["depth"].accepts(0)
    assert rules_for(Model.__init__, depth=Integer(low=1), tol=Integer())["tol"].accepts(-3)
    with pytest.raises(TypeError, match="no rule for depth"):
        rules_for(Model.__init__)
    with pytest.raises(TypeError, match="rules for breadth"):
        rules_for(Model.__init__, depth=Integer(), breadth=Integer())
