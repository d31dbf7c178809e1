"""Condensing, editing, centres."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from lanatus.data import load_watermelon
from lanatus.neighbors import CondensedNearestNeighbour, EditedNearestNeighbours, KNeighborsClassifier, NearestCentroid

X, Y = load_iris(return_X_y=True)


def plain_condensed(X, y, order, k=1):
    """Cookbook 6.2, word by word."""
    store, grabbag, moved = [order[0]], list(order[1:]), True
    while moved:
        moved = False
        for row in list(grabbag):
            away = ((X[store] - X[row]) ** 2).sum(axis=1)
            near = np.array(store)[np.argsort(away, kind="stable")[:k]]
            if np.bincount(y[near]).argmax() != y[row]:
                store.append(row)
                grabbag.remove(row)
                moved = True
    return sorted(store)


@pytest.mark.covers("neighbors.condensed-nn")
@pytest.mark.parametrize("k", [1, 3])
def test_condensing_is_the_books_procedure(k):
    order = np.random.RandomState(0).permutation(150)
    model = CondensedNearestNeighbour(k, shuffle=True, random_state=0).fit(X, Y)
    assert model.sample_indices_.tolist() == plain_condensed(X, Y, order.tolist(), k)
    assert CondensedNearestNeighbour(k).fit(X, Y).sample_indices_.tolist() == plain_condensed(X, Y, list(range(150)), k)


@pytest.mark.covers("neighbors.condensed-nn")
def test_rows_kept_classify_all():
    rows, labels = CondensedNearestNeighbour().fit_resample(X, Y)
    assert len(rows) < 50
    assert set(labels) == {0, 1, 2}
    assert KNeighborsClassifier(1).fit(rows, labels).score(X, Y) == 1.0


def test_editing_leaves_out_what_neighbours_contradict():
    labels = Y.copy()
    labels[[5, 70]] = [2, 0]  # wrong
    kept = EditedNearestNeighbours().fit(X, labels).sample_indices_
    assert not {5, 70} & set(kept.tolist())
    assert len(kept) > 130
    strict = EditedNearestNeighbours(kind_sel="all").fit(X, labels).sample_indices_
    assert set(strict.tolist()) < set(kept.tolist())


@pytest.mark.parametrize("sampler", [CondensedNearestNeighbour(), EditedNearestNeighbours()])
def test_containers_and_corner_cases(sampler):
    bunch = load_watermelon("3.0")
    frame, y = bunch.data, pd.Series(np.asarray(bunch.target))
    rows, labels = sampler.fit_resample(frame, y)
    assert isinstance(rows, pd.DataFrame)
    assert isinstance(labels, pd.Series)
    pd.testing.assert_frame_equal(rows, frame.iloc[sampler.sample_indices_])
    assert sampler.fit_resample([[1.0]], ["a"]) == ([[1.0]], ["a"])
    one_class, _ = sampler.fit_resample(np.zeros((5, 2)), np.zeros(5, int))
    assert len(one_class) in (1, 5)
    same, labels = sampler.fit_resample(np.zeros((6, 1)), [0, 1, 0, 1, 0, 1])  # equal rows that disagree: it ends
    assert len(same) == len(labels)
    with pytest.raises(ValueError, match="NaN"):
        sampler.fit([[np.nan], [1.0]], [0, 1])


def test_centres():
    model = NearestCentroid().fit(X, Y)
    np.testing.assert_allclose(model.centroids_, [X[c == Y].mean(axis=0) for c in range(3)])
    shrunk = NearestCentroid(shrink_threshold=50.0).fit(X, Y)
    np.testing.assert_allclose(shrunk.centroids_, np.tile(X.mean(axis=0), (3, 1)))
    assert not shrunk.deviations_.any()
    with pytest.raises(ValueError, match="1 class"):
        NearestCentroid().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="zero variance"):
        NearestCentroid(shrink_threshold=1.0).fit([[0.0], [0.0], [1.0]], [0, 0, 1])
    for priors, match in (([0.5, 0.5], "3 classes"), ([0.5, 0.5, 0.5], "sum to 1"), ([-1, 1, 1], "non-negative")):
        with pytest.raises(ValueError, match=match):
            NearestCentroid(priors=priors).fit(X, Y)
    leaning = NearestCentroid(priors=[0.0, 0.0, 1.0]).fit(X, Y)
    assert set(leaning.predict(X)) == {2}
