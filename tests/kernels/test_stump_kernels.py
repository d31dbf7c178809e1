"""The kernels of stumps and boosted stumps against plain NumPy."""

import itertools

import numpy as np
import pytest
from lanatus._core import ensemble as kernels

FLOATS = [np.float32, np.float64]


def leaf(criterion, mass):
    """How pure a leaf is: its part of the score that the kernel makes as large as can be."""
    part = mass[mass > 0]
    if criterion == "gini":
        return (part**2).sum() / part.sum()
    return part.max() if criterion == "error" else (part * np.log(part / part.sum())).sum()


def best_by_hand(X, y, w, k, criterion):
    """The stump of the best score, cut by cut; ties to the lower column and cut."""
    best = (-np.inf, 0, np.inf, None)
    for j in range(X.shape[1]):
        for low, high in itertools.pairwise(np.unique(X[:, j])):
            left = X[:, j] <= low
            mass = np.array([np.bincount(y[s], w[s], k) for s in (left, ~left)])
            score = leaf(criterion, mass[0]) + leaf(criterion, mass[1])
            if score > best[0] + 1e-10 * w.sum():
                best = (score, j, (low + high) / 2, mass)
    return best[1:]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("distinct", [6, 1000])
def test_best_stump(k, criterion, dtype, distinct):
    rng = np.random.default_rng(k)
    n = 400
    y = rng.integers(k, size=n).astype(np.int32)
    X = rng.integers(distinct, size=(n, 5)) + 0.1 * distinct * y[:, None] * rng.normal(size=5)
    X = np.round(X).astype(dtype)
    w = rng.exponential(size=n)
    w /= w.sum()
    places = kernels.sort_columns(X, y, n_threads=2)
    column, threshold, mass, n_below, said = kernels.best_stump(X, places, y, w, k, criterion, n_threads=2)
    j, cut, by_hand = best_by_hand(X.astype(float), y, w, k, criterion)
    assert (column, threshold) == (j, pytest.approx(cut))
    np.testing.assert_allclose(mass, by_hand, rtol=1e-9)
    assert n_below == (X[:, j] <= threshold).sum()
    np.testing.assert_array_equal(said, np.where(X[:, j] <= threshold, by_hand[0].argmax(), by_hand[1].argmax()))
    alone = kernels.best_stump(X, places, y, w, k, criterion, n_threads=1)
    assert alone[:2] == (column, threshold)
    np.testing.assert_array_equal(alone[2], mass)


def test_ties_go_to_the_first_column_and_the_lower_cut():
    y = np.array([0, 1, 1, 0], dtype=np.int32)
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    places = kernels.sort_columns(X, y, n_threads=1)
    column, threshold, *_ = kernels.best_stump(X, places, y, np.full(4, 0.25), 2, "gini", n_threads=2)
    assert (column, threshold) == (0, 0.5)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
def test_rows_without_weight_might_as_well_not_be_there(criterion):
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=300).astype(np.int32)
    X = rng.normal(size=(300, 4)) + 0.5 * y[:, None]
    w = np.where(rng.random(300) < 0.8, 0.0, rng.random(300))
    known = w > 0
    whole = kernels.best_stump(X, kernels.sort_columns(X, y, n_threads=1), y, w, 2, criterion, n_threads=1)
    some, codes = np.ascontiguousarray(X[known]), y[known]
    places = kernels.sort_columns(some, codes, n_threads=1)
    part = kernels.best_stump(some, places, codes, w[known], 2, criterion, n_threads=1)
    assert whole[:2] == part[:2]
    np.testing.assert_allclose(whole[2], part[2], rtol=1e-12)
    np.testing.assert_array_equal(whole[4][known], part[4])
    said = np.where(X[:, whole[0]] <= whole[1], whole[2][0].argmax(), whole[2][1].argmax())
    np.testing.assert_array_equal(whole[4], said)


def test_places_are_sorted_and_cuts_stand_between_classes():
    y = np.array([0, 0, 1, 1, 0, 1], dtype=np.int32)
    X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [5.0]])
    (places,) = kernels.sort_columns(X, y, n_threads=1)
    assert (places & 0x7FFFFFFF).tolist() == [0, 1, 2, 3, 4, 5]
    assert (places >> 31).tolist() == [0, 1, 0, 1, 0, 0]


def samme(X, y, k, rounds):
    """SAMME with Gini stumps, cut by cut."""
    w, out = np.full(len(y), 1 / len(y)), []
    for _ in range(rounds):
        best = (-1.0, 0, np.inf, 0, 0)
        for j in range(X.shape[1]):
            values = np.unique(X[:, j])
            for low, high in itertools.pairwise(values):
                left = X[:, j] <= low
                a = np.bincount(y[left], w[left], k)
                b = np.bincount(y[~left], w[~left], k)
                pure = (a**2).sum() / a.sum() + (b**2).sum() / b.sum()
                if pure > best[0] + 1e-12:
                    best = (pure, j, (low + high) / 2, a.argmax(), b.argmax())
        _, j, cut, below, above = best
        wrong = np.where(X[:, j] <= cut, below, above) != y
        error = w[wrong].sum()
        if error >= 1 - 1 / k:
            break
        shown = max(error, 0.5 / len(y))
        alpha = np.log((1 - shown) / shown) + np.log(k - 1)
        out.append((j, cut, below, above, alpha))
        if error <= 0:
            break
        w = w * np.exp(alpha * wrong)
        w /= w.sum()
    return out


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_boosted_stumps(k, dtype):
    rng = np.random.default_rng(k)
    y = rng.integers(k, size=120).astype(np.int32)
    X = (rng.normal(size=(120, 4)) + 0.8 * y[:, None] * rng.normal(size=4)).astype(dtype)
    parts = [np.arange(60), np.arange(40, 120)]
    begin = np.array([0, 60, 140])
    found = kernels.boost_sets(X, y, np.concatenate(parts), begin, k, 12, n_threads=2)
    alone = kernels.boost_sets(X, y, np.concatenate(parts), begin, k, 12, n_threads=1)
    for one, other in zip(found, alone, strict=True):
        np.testing.assert_array_equal(one, other)
    owner, column, threshold, said, alpha = found
    for s, part in enumerate(parts):
        expected = samme(X[part].astype(float), y[part], k, 12)
        own = owner == s
        assert own.sum() == len(expected)
        np.testing.assert_array_equal(column[own], [stump[0] for stump in expected])
        np.testing.assert_allclose(threshold[own], [stump[1] for stump in expected], rtol=1e-12)
        np.testing.assert_array_equal(said[own], [stump[2:4] for stump in expected])
        np.testing.assert_allclose(alpha[own], [stump[4] for stump in expected], rtol=1e-9)


def test_rows_alike_and_rows_told_apart_at_once():
    y = np.array([0, 0, 1], dtype=np.int32)
    begin = np.array([0, 3])
    rows = np.arange(3)
    _, _, threshold, said, alpha = kernels.boost_sets(np.ones((3, 2)), y, rows, begin, 2, 5, n_threads=1)
    assert threshold[0] == np.inf
    assert said[0].tolist() == [0, 0]
    assert alpha[0] > 0
    _, column, threshold, said, _ = kernels.boost_sets(
        np.array([[1.0], [2.0], [4.0]]), y, rows, begin, 2, 5, n_threads=1
    )
    assert (column.tolist(), threshold.tolist(), said.tolist()) == ([0], [3.0], [[0, 1]])


def test_bad_arguments_are_refused():
    X, rows = np.ones((4, 2)), np.arange(4)
    codes, weight = np.zeros(4, dtype=np.int32), np.ones(4)
    places = kernels.sort_columns(X, codes, n_threads=1)
    for call in (
        lambda: kernels.sort_columns(X, codes[:3], n_threads=1),
        lambda: kernels.best_stump(X, places, codes, weight, 2, "purity", n_threads=1),
        lambda: kernels.best_stump(X, places, codes, weight, 1, "gini", n_threads=1),
        lambda: kernels.best_stump(X, places, codes + 2, weight, 2, "gini", n_threads=1),
        lambda: kernels.best_stump(X, places[:1], codes, weight, 2, "gini", n_threads=1),
        lambda: kernels.best_stump(X, places, codes, weight[:3], 2, "gini", n_threads=1),
        lambda: kernels.boost_sets(X, codes + 2, rows, np.array([0, 4]), 2, 5, n_threads=1),
        lambda: kernels.boost_sets(X, codes, rows, np.array([0, 3]), 2, 5, n_threads=1),
        lambda: kernels.boost_sets(X, codes, rows, np.array([0, 0, 4]), 2, 5, n_threads=1),
    ):
        with pytest.raises(ValueError):
            call()
