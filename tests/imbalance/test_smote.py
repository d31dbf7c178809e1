"""SMOTE: new rows lie where they should."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import NearestNeighbors

from lanatus.imbalance import SMOTE, BorderlineSMOTE
from lanatus.imbalance._smote import coordinates, most_common, neighbors_within
from lanatus.table import Table


def overlapping(n=300, rare=60, seed=0, d=4):
    rng = np.random.RandomState(seed)
    y = np.repeat([0, 1], [n, rare])
    return rng.randn(n + rare, d) + y[:, None], y


@pytest.mark.covers("imbalance.smote")
@pytest.mark.parametrize("k", [1, 5, 20])
def test_new_rows_lie_between_a_row_and_one_of_its_nearest(k):
    X, y = overlapping()
    sampler = SMOTE(k_neighbors=k, random_state=0)
    X_new, y_new = sampler.fit_resample(X, y)
    assert np.bincount(y_new).tolist() == [300, 300]
    np.testing.assert_array_equal(X_new[: len(X)], X)
    start, end = sampler.parents_.T
    minority = np.flatnonzero(y == 1)
    near = NearestNeighbors(n_neighbors=k + 1).fit(X[minority]).kneighbors(X[minority], return_distance=False)[:, 1:]
    allowed = {(a, b) for a, row in zip(minority, minority[near], strict=True) for b in row}
    assert {(a, b) for a, b in zip(start, end, strict=True)} <= allowed
    gap = ((X_new[len(X) :] - X[start]) / (X[end] - X[start])).T
    np.testing.assert_allclose(gap, np.broadcast_to(gap[0], gap.shape), rtol=1e-8, atol=1e-8)
    assert gap.min() > -1e-12
    assert gap.max() < 1


def test_parents_neighbours_and_places_are_uniform():
    X, y = overlapping(100_000, 40)
    sampler = SMOTE(random_state=0)
    X_new, _ = sampler.fit_resample(X, y)
    start, end = sampler.parents_.T
    drawn = np.bincount(start - 100_000, minlength=40) / len(start) * 40
    np.testing.assert_allclose(drawn, 1, atol=0.1)
    gap = (X_new[len(X) :, 0] - X[start, 0]) / (X[end, 0] - X[start, 0])
    np.testing.assert_allclose(np.quantile(gap, [0.1, 0.5, 0.9]), [0.1, 0.5, 0.9], atol=0.01)
    assert set(np.unique(start, return_counts=True)[0]) == set(range(100_000, 100_040))


def test_too_few_rows_for_the_neighbours():
    X, y = overlapping(30, 5)
    with pytest.raises(ValueError, match=r"class 1 has n_samples = 5 rows, too few for k_neighbors = 5"):
        SMOTE().fit_resample(X, y)
    assert len(SMOTE(k_neighbors=4, random_state=0).fit_resample(X, y)[0]) == 60
    X, y = overlapping(30, 1)
    with pytest.raises(ValueError, match=r"class 1 has n_samples = 1 rows"):
        SMOTE(k_neighbors=1).fit_resample(X, y)
    assert len(SMOTE(sampling_strategy={0: 40}).fit_resample(X, y)[0]) == 41  # a class left alone may be small


def test_new_rows_of_a_class_do_not_depend_on_how_many_are_made():
    X, y = overlapping()
    few = SMOTE(sampling_strategy={1: 70}, random_state=0).fit_resample(X, y)[0]
    many = SMOTE(sampling_strategy={1: 200}, random_state=0).fit_resample(X, y)[0]
    np.testing.assert_array_equal(few, many[: len(few)])


def test_extreme_scales():
    X, y = overlapping(40, 12)
    expected = SMOTE(random_state=0).fit_resample(X, y)[0]
    for scale in (2.0**900, 2.0**-900):  # powers of two: the same rows, exactly
        np.testing.assert_array_equal(SMOTE(random_state=0).fit_resample(X * scale, y)[0] / scale, expected)
    far = SMOTE(random_state=0).fit_resample(X + 1e12, y)[0]
    assert ((far[52:] >= (X + 1e12)[40:].min(axis=0)) & (far[52:] <= (X + 1e12)[40:].max(axis=0))).all()


# ---------------------------------------------------------------- mixed tables


def uneven_melons(n=200, rare=40, seed=0):
    """Numbers and words that tell nothing, with a class that is rare."""
    rng = np.random.RandomState(seed)
    y = np.repeat(["坏", "好"], [n, rare])
    frame = pd.DataFrame({"密度": rng.randn(n + rare), "含糖率": 3 * rng.randn(n + rare)})
    frame["色泽"] = rng.choice(["青绿", "乌黑", "浅白"], n + rare)
    frame["数"] = rng.randint(0, 9, n + rare)
    frame["触感"] = rng.choice(["硬滑", "软粘"], n + rare)
    return frame, y


def test_distance_of_mixed_rows_is_that_of_the_paper():
    """Chawla et al.: a nominal difference counts as the median of the deviations of the numeric columns."""
    frame, y = uneven_melons()
    rows = np.flatnonzero(y == "好")
    points = coordinates(Table.of(frame), rows)
    numbers = frame[["密度", "含糖率", "数"]].to_numpy(float)
    median = np.median(numbers[rows].std(axis=0))
    words = frame[["色泽", "触感"]].to_numpy()
    a, b = rows[3], rows[11]
    expected = ((numbers[a] - numbers[b]) ** 2).sum() + median**2 * (words[a] != words[b]).sum()
    assert ((points[a] - points[b]) ** 2).sum() == pytest.approx(expected, rel=1e-12)


def test_mixed_rows_interpolate_numbers_and_vote_on_words():
    frame, y = uneven_melons()
    sampler = SMOTE(random_state=0)
    whole, labels = sampler.fit_resample(frame, y)
    assert (labels[len(y) :] == "好").all()
    assert len(whole) == 400
    pd.testing.assert_frame_equal(whole.iloc[: len(y)], frame)
    new, start, end = whole.iloc[len(y) :], *sampler.parents_.T
    for name in ("密度", "含糖率"):
        low, high = np.sort([frame[name].to_numpy()[start], frame[name].to_numpy()[end]], axis=0)
        assert ((new[name] >= low - 1e-12) & (new[name] <= high + 1e-12)).all()
    assert new["数"].dtype == frame["数"].dtype
    rows = np.flatnonzero(y == "好")
    near = neighbors_within(Table.of(frame), rows, 5)
    for name in ("色泽", "触感"):
        for parent, value in zip(start, new[name], strict=True):
            votes = frame[name].to_numpy()[near[rows.searchsorted(parent)]]
            shown = pd.Series(votes).value_counts()
            assert shown[value] == shown.max()
            tied = set(shown.index[shown == shown.max()])
            assert value == next(vote for vote in votes if vote in tied)  # the nearest of those that tie


def test_votes_of_neighbours():
    codes = np.array([[0], [1], [1], [2], [2], [3]])
    near = np.array([[1, 3, 4], [5, 1, 3], [0, 1, 2]])
    assert most_common(codes, near).ravel().tolist() == [3, 5, 1]


def test_words_alone():
    frame, y = uneven_melons()
    whole, _ = SMOTE(random_state=0).fit_resample(frame[["色泽", "触感"]], y)
    assert set(whole["色泽"]) == {"青绿", "乌黑", "浅白"}
    assert len(whole) == 400


# ---------------------------------------------------------------- borderline


@pytest.mark.parametrize("kind", ["borderline-1", "borderline-2"])
def test_borderline_starts_from_rows_in_danger(kind):
    X, y = overlapping()
    sampler = BorderlineSMOTE(kind=kind, random_state=0)
    X_new, y_new = sampler.fit_resample(X, y)
    around = NearestNeighbors(n_neighbors=11).fit(X).kneighbors(X[y == 1], return_distance=False)[:, 1:]
    others = (y[around] == 0).sum(axis=1)
    expected = np.flatnonzero(y == 1)[(others >= 5) & (others < 10)]
    np.testing.assert_array_equal(sampler.in_danger_[1], expected)
    start, end = sampler.parents_.T
    assert set(start) <= set(expected.tolist())
    assert np.bincount(y_new).tolist() == [300, 300]
    outwards = y[end] == 0
    assert outwards.any() == (kind == "borderline-2")
    gap = (X_new[len(X) :, 0] - X[start, 0]) / (X[end, 0] - X[start, 0])
    assert gap[outwards].max(initial=0) < 0.5 < gap[~outwards].max()
    assert 0.4 < outwards.mean() < 0.6 or kind == "borderline-1"


def test_borderline_without_danger_says_so():
    X, y = overlapping()
    with pytest.warns(UserWarning, match="no row of the class 1 is in danger"):
        X_new, _ = BorderlineSMOTE().fit_resample(X + 100 * y[:, None], y)
    assert len(X_new) == len(X)
    with pytest.raises(ValueError, match="m_neighbors = 400"):
        BorderlineSMOTE(m_neighbors=400).fit_resample(X, y)
