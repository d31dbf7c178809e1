"""Mixed tables as points: the distances of the books and papers."""

import numpy as np
import pandas as pd
import pytest

from lanatus.data import load_watermelon
from lanatus.metric import TableSpace, overlap_space, smote_nc_space, value_difference_space
from lanatus.table import Table


@pytest.mark.covers("ensemble.knn-ensemble")
def test_value_differences_are_those_of_the_book():
    """MinkovDM of order 2 between watermelons, with the numbers not scaled: W7 of the notes to chapter 9."""
    melons = load_watermelon("3.0")
    table = Table.of(melons.data)
    codes = np.unique(melons.target, return_inverse=True)[1]
    learned = value_difference_space(table, codes, 2)
    space = TableSpace([np.array([0.0, 1.0]) if place.ndim == 1 else place for place in learned.places])
    points = space.points(table)
    for (i, j), expected in {(0, 1): 0.38540959, (0, 8): 1.05325067, (0, 10): 2.06839254, (1, 2): 0.33487908}.items():
        assert np.linalg.norm(points[i] - points[j]) == pytest.approx(expected, abs=5e-9)


def mixed():
    rank = pd.Categorical(["low", "high", "mid", "low"], categories=["low", "mid", "high"], ordered=True)
    return pd.DataFrame({"word": ["a", "b", "a", "c"], "number": [1.0, 3.0, 5.0, 5.0], "rank": rank, "same": 2.0})


def test_numbers_and_ranks_are_scaled_to_their_ranges():
    table = Table.of(mixed())
    space = value_difference_space(table, np.array([0, 1, 0, 1]), 2)
    assert space.owner.tolist() == [0, 0, 1, 2, 3]
    points = space.points(table)
    np.testing.assert_array_equal(points[:, :2], [[1, 0], [0, 1], [1, 0], [0, 1]])  # shares of the classes
    np.testing.assert_array_equal(points[:, 2], [0, 0.5, 1, 1])
    np.testing.assert_array_equal(points[:, 3], [0, 1, 0.5, 0])
    np.testing.assert_array_equal(points[:, 4], 0)  # a constant says nothing, now
    later = mixed()
    later["same"] = 1e300  # or later
    np.testing.assert_array_equal(space.points(Table.of(later, like=table.schema))[:, 4], 0)


def test_a_value_never_seen_stands_for_all_rows():
    table = Table.of(pd.DataFrame({"word": ["a", "b", "a", "b"]}))
    space = value_difference_space(table, np.array([0, 1, 0, 0]), 2)
    unseen = Table(table.schema, np.empty((1, 0)), np.array([[-1]], dtype=np.int32))
    assert space.points(unseen).tolist() == [[0.75, 0.25]]


def test_different_words_are_one_apart_and_holes_are_nan():
    frame = mixed()
    frame.loc[3, ["word", "number", "rank"]] = None
    table = Table.of(frame)
    space = overlap_space(table)
    points = space.points(table)
    word = points[:, space.owner == 0]
    assert np.linalg.norm(word[0] - word[1]) == pytest.approx(1, rel=1e-15)
    assert np.linalg.norm(word[0] - word[2]) == 0
    assert points[:3, space.owner == 2].ravel().tolist() == [0, 2, 1]
    assert np.isnan(points[3, space.owner != 3]).all()
    assert points[3, space.owner == 3].tolist() == [2.0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_words_are_apart_by_the_median_deviation(dtype):
    frame = mixed()
    frame[["number", "same"]] = frame[["number", "same"]].astype(dtype)
    table = Table.of(frame)
    rows = np.array([0, 1])  # deviations 1 and 0, so the median is 1/2
    points = smote_nc_space(table, rows).points(table)
    assert points.dtype == table.numeric.dtype
    assert np.linalg.norm(points[0, :3] - points[1, :3]) == pytest.approx(0.5, rel=1e-6)
    assert points[:, 3].tolist() == [1, 3, 5, 5]
    words = Table.of(frame[["word"]])
    alone = smote_nc_space(words, rows).points(words)
    assert np.linalg.norm(alone[0] - alone[1]) == pytest.approx(1, rel=1e-14)
