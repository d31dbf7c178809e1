"""Splits: those borrowed, with the book's numbers, and those of our own."""

from itertools import combinations
from math import comb, e, inf, log10

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lanatus.evaluation import (
    Bootstrap,
    FiveByTwo,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    bootstrap_left_out_probability,
    count_splits,
    cross_val_score,
    out_of_bag_score,
    three_way_split,
    train_test_split,
    train_validation_split,
)

BALANCED = np.repeat(["+", "-"], 500)


def counts(labels):
    return dict(zip(*np.unique(labels, return_counts=True), strict=True))


@pytest.fixture(scope="module")
def clouds():
    """Two overlapping classes."""
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1], 60)
    return rng.normal(size=(120, 2)) + y[:, None], y


# ---------------------------------------------------------------- borrowed


@pytest.mark.covers("evaluation.holdout", "evaluation.stratified-sampling")
def test_a_stratified_hold_out_of_the_book():
    """G5: of 500 + 500 rows, 70 % stratified are 350/350 and 150/150."""
    rows = np.arange(1000)
    train, test, y_train, y_test = train_test_split(rows, BALANCED, test_size=0.3, stratify=BALANCED, random_state=0)
    assert counts(y_train) == {"+": 350, "-": 350}
    assert counts(y_test) == {"+": 150, "-": 150}
    assert sorted([*train, *test]) == rows.tolist()


@pytest.mark.covers("evaluation.repeated-holdout")
def test_a_hundred_hold_outs_scatter_less_than_one():
    y = BALANCED[::10]
    splits = list(StratifiedShuffleSplit(n_splits=100, test_size=0.3, random_state=0).split(y, y))
    assert len(splits) == 100
    assert all(counts(y[test]) == {"+": 15, "-": 15} for _, test in splits)
    assert len({tuple(sorted(test)) for _, test in splits}) == 100
    picked = np.array([np.isin(np.arange(100), test) for _, test in splits])
    assert picked.std(axis=0).min() > 0.3  # every row is at times in the test part, at times not
    assert abs(picked.mean(axis=0) - 0.3).max() < 0.2


@pytest.mark.covers("evaluation.kfold")
def test_folds_are_disjoint_and_each_stratified():
    splits = list(StratifiedKFold(10, shuffle=True, random_state=0).split(BALANCED, BALANCED))
    assert all(counts(BALANCED[test]) == {"+": 50, "-": 50} for _, test in splits)
    assert all(not set(train) & set(test) and len(train) == 900 for train, test in splits)
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(1000))


@pytest.mark.covers("evaluation.repeated-kfold")
def test_ten_times_ten_folds_are_a_hundred_runs():
    splits = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    tests = [test for _, test in splits.split(BALANCED, BALANCED)]
    assert splits.get_n_splits() == len(tests) == 100
    for repeat in range(10):
        assert sorted(np.concatenate(tests[10 * repeat : 10 * repeat + 10])) == list(range(1000))
    assert set(tests[0]) != set(tests[10])


@pytest.mark.covers("evaluation.leave-one-out")
def test_leave_one_out_knows_no_chance():
    first, second = (list(LeaveOneOut().split(np.zeros(7))) for _ in range(2))
    assert [test.tolist() for _, test in first] == [[i] for i in range(7)]
    assert all((a == b).all() for (a, _), (b, _) in zip(first, second, strict=True))


# ---------------------------------------------------------------- bootstrap


@pytest.mark.covers("evaluation.bootstrap-split")
def test_a_bootstrap_tests_on_what_it_never_drew():
    for train, test in Bootstrap(20, random_state=0).split(np.zeros(50)):
        assert len(train) == 50
        assert len(np.unique(train)) < 50
        assert not set(train) & set(test)
        assert set(train) | set(test) == set(range(50))


@pytest.mark.covers("evaluation.bootstrap-split", "evaluation.bootstrap-left-out-probability")
def test_the_share_left_out_is_that_of_the_formula():
    for m in (10, 1000):
        out = np.mean([len(test) / m for _, test in Bootstrap(400, random_state=1).split(np.zeros(m))])
        assert out == pytest.approx(bootstrap_left_out_probability(m), abs=0.02)


@pytest.mark.covers("evaluation.bootstrap-left-out-probability")
def test_left_out_probabilities_of_the_book():
    """G7."""
    found = bootstrap_left_out_probability([1, 2, 10, 100, 1000])
    np.testing.assert_allclose(found, [0, 0.25, 0.348678, 0.366032, 0.367695], atol=5e-7)
    assert bootstrap_left_out_probability(inf) == pytest.approx(1 / e, rel=1e-15)
    assert bootstrap_left_out_probability(10**12) == pytest.approx(1 / e, rel=1e-11)
    assert isinstance(bootstrap_left_out_probability(3), float)
    for wrong in (0, -1, 2.5, float("nan")):
        with pytest.raises(ValueError, match="m must be a whole number of rows >= 1"):
            bootstrap_left_out_probability(wrong)


def test_a_stratified_bootstrap_keeps_the_classes():
    y = np.array(["好"] * 30 + ["坏"] * 10)
    for train, test in Bootstrap(10, stratify=True, random_state=0).split(y, y):
        assert counts(y[train]) == {"好": 30, "坏": 10}
        assert not set(train) & set(test)
    for train, _ in Bootstrap(3, stratify=True, train_size=0.5, random_state=0).split(y, y):
        assert counts(y[train]) == {"好": 15, "坏": 5}


def test_the_size_of_a_bootstrap():
    assert {len(train) for train, _ in Bootstrap(3, train_size=0.7, random_state=0).split(np.zeros(10))} == {7}
    assert {len(train) for train, _ in Bootstrap(3, train_size=25, random_state=0).split(np.zeros(10))} == {25}


def test_a_bootstrap_of_two_rows_is_drawn_until_one_is_left():
    for train, test in Bootstrap(50, random_state=0).split([1, 2]):
        assert len(test) == 1
        assert set(train) == {1 - test[0]}


def test_a_bootstrap_that_cannot_leave_a_row_out():
    with pytest.raises(ValueError, match="got 1 row"):
        next(Bootstrap().split([1]))
    with pytest.raises(ValueError, match="stratify=True needs the classes"):
        next(Bootstrap(stratify=True).split([1, 2, 3]))
    with pytest.raises(ValueError, match="left none of the 3 rows out"):
        next(Bootstrap(train_size=1000).split([1, 2, 3]))
    with pytest.raises(ValueError, match="left none of the 2 rows out"):
        next(Bootstrap(stratify=True).split([1, 2], ["a", "b"]))


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True])
def test_a_bootstrap_wants_a_number_of_splits(wrong):
    with pytest.raises(ValueError, match="n_splits must be an integer >= 1"):
        Bootstrap(wrong)


@pytest.mark.parametrize("wrong", [0, 0.0, 1.5, -0.2, "half", True])
def test_a_bootstrap_wants_a_size(wrong):
    with pytest.raises(ValueError, match="train_size"):
        next(Bootstrap(train_size=wrong).split([1, 2, 3]))


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, pl.DataFrame, sp.csr_matrix, np.ndarray.tolist])
def test_a_bootstrap_in_cross_val_score(clouds, kind):
    X, y = clouds
    splitter = Bootstrap(5, random_state=3)
    model = DecisionTreeClassifier(random_state=0)
    scores = cross_val_score(model, kind(X), y, cv=splitter)
    by_hand = [model.fit(X[train], y[train]).score(X[test], y[test]) for train, test in splitter.split(X, y)]
    np.testing.assert_array_equal(scores, by_hand)
    assert splitter.get_n_splits() == 5
    assert repr(splitter) == "Bootstrap(n_splits=5, random_state=3, stratify=False, train_size=None)"


# ---------------------------------------------------------------- out-of-bag estimates


@pytest.mark.covers("evaluation.out-of-bag-estimate")
@pytest.mark.parametrize("method", ["oob", ".632", ".632+"])
def test_out_of_bag_estimates_by_hand(clouds, method):
    X, y = clouds
    model = DecisionTreeClassifier(random_state=0)
    found = out_of_bag_score(model, X, y, method=method, n_splits=60, random_state=5)
    wrong = [[] for _ in y]
    for train, test in Bootstrap(60, random_state=5).split(X):
        for row, miss in zip(test, model.fit(X[train], y[train]).predict(X[test]) != y[test], strict=True):
            wrong[row].append(miss)
    oob = np.mean([np.mean(one) for one in wrong])
    fitted = model.fit(X, y).predict(X)
    apparent = np.mean(fitted != y)
    gamma = np.mean(y[:, None] != fitted)
    r = (oob - apparent) / (gamma - apparent)
    w = {"oob": 1, ".632": 0.632, ".632+": 0.632 / (1 - 0.368 * r)}[method]
    assert found.oob == pytest.approx(oob, rel=1e-12)
    assert found.no_information == pytest.approx(gamma, rel=1e-12)
    assert (found.apparent, found.overfitting) == pytest.approx((apparent, r), rel=1e-12)
    assert found.value == pytest.approx((1 - w) * apparent + w * oob, rel=1e-12)
    assert found.interval[0] < found.value < found.interval[1]
    assert found.interval[1] - found.value == pytest.approx(1.959964 * found.standard_error, rel=1e-6)
    assert method in str(found)


def test_the_apparent_error_of_a_nearest_neighbour_is_no_estimate():
    """The .632+ estimate of a rule that memorises coin tosses is one half; .632 is fooled (the paper's example)."""
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(100, 5)), rng.permutation(np.repeat([0, 1], 50))
    plus, plain = (
        out_of_bag_score(KNeighborsClassifier(1), X, y, method=method, n_splits=100, random_state=0)
        for method in (".632+", ".632")
    )
    assert plus.apparent == plain.apparent == 0
    assert plus.value == pytest.approx(0.5, abs=0.07)
    assert plain.value < 0.36


def test_an_error_beyond_no_information():
    """Formula 32: gamma bounds what .632+ adds, and R is 1."""
    X = np.arange(40.0)[:, None]
    y = np.arange(40) % 2  # the nearest other neighbour is always of the other class
    from sklearn.neighbors import KNeighborsClassifier

    found = out_of_bag_score(KNeighborsClassifier(1), X, y, method=".632+", n_splits=50, random_state=0)
    assert found.oob > found.no_information == 0.5
    assert (found.overfitting, found.weight) == (1.0, pytest.approx(1.0))
    assert found.value == pytest.approx(0.632 * found.oob + 0.368 * 0.5, rel=1e-12)


def test_a_learner_that_does_not_overfit_has_plain_632():
    from sklearn.dummy import DummyClassifier

    y = np.repeat([0, 1], [70, 30])
    found = out_of_bag_score(DummyClassifier(), np.zeros((100, 1)), y, method=".632+", n_splits=100, random_state=0)
    assert found.no_information == pytest.approx(found.apparent)
    assert found.overfitting == 0
    assert found.value == pytest.approx(0.368 * found.apparent + 0.632 * found.oob, rel=1e-12)


def test_squared_error_out_of_bag():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(80, 2))
    y = X[:, 0] + rng.normal(size=80)
    found = out_of_bag_score(LinearRegression(), X, y, method=".632+", n_splits=50, random_state=0)
    by_callable = out_of_bag_score(
        LinearRegression(), X, y, method=".632+", n_splits=50, random_state=0, loss=lambda a, b: (a - b) ** 2
    )
    assert found.value == pytest.approx(by_callable.value, rel=1e-10)
    assert found.no_information == pytest.approx(by_callable.no_information, rel=1e-10)
    assert found.value == pytest.approx(1.0, abs=0.35)
    forced = out_of_bag_score(DecisionTreeRegressor(random_state=0), X, y, loss="0-1", n_splits=5, random_state=0)
    assert forced.value == 1.0


def test_the_standard_error_is_that_of_repeated_experiments():
    """Infinitesimal jackknife against the scatter of the estimate over fresh data sets."""
    found = []
    for seed in range(40):
        rng = np.random.RandomState(seed)
        y = rng.permutation(np.repeat([0, 1], 30))
        X = rng.normal(size=(60, 1)) + y[:, None]
        found.append(out_of_bag_score(GaussianNB(), X, y, n_splits=50, random_state=seed))
    scatter = np.std([one.value for one in found])
    assert 0.7 < np.mean([one.standard_error for one in found]) / scatter < 1.4


def test_out_of_bag_answers_do_not_depend_on_jobs_or_kind(clouds):
    X, y = clouds
    model, same = DecisionTreeClassifier(random_state=0), {"n_splits": 8, "random_state": 1}
    one = out_of_bag_score(model, X, y, **same)
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    assert out_of_bag_score(model, X, y, n_jobs=2, **same).value == one.value
    assert out_of_bag_score(model, frame, pl.Series(y), **same).value == one.value
    names = np.where(y, "好", "坏")
    assert out_of_bag_score(model, pa.table(frame.to_arrow()), names, **same).value == one.value
    assert np.isnan(out_of_bag_score(model, X, y, stratify=True, **same).standard_error)
    assert 0 < len(one.split_errors) == 8


def test_rows_never_left_out_have_no_error(clouds):
    X, y = clouds
    found = out_of_bag_score(GaussianNB(), X, y, n_splits=1, random_state=0)
    assert np.isnan(found.row_errors).any()
    assert found.oob == pytest.approx(found.split_errors[0], rel=1e-12)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"method": "0.632"}, "method must be one of 'oob', '.632', '.632\\+'"),
        ({"loss": "hinge"}, "loss must be 'auto', '0-1', 'squared' or a callable"),
        ({"loss": lambda a, b: 0.5}, "one number for each of"),
        ({"confidence": 95}, "confidence must be a number > 0 and < 1"),
        ({"n_splits": 0}, "n_splits must be an integer >= 1"),
    ],
)
def test_out_of_bag_asks_for_what_it_needs(clouds, wrong, said):
    with pytest.raises(ValueError, match=said):
        out_of_bag_score(GaussianNB(), *clouds, **wrong)


# ---------------------------------------------------------------- 5 x 2


@given(st.integers(4, 40), st.integers(4, 40), st.integers(0, 1000))
def test_five_times_two_halves(n, m, seed):
    y = np.array(["a"] * n + ["b"] * m)
    splits = list(FiveByTwo(random_state=seed).split(y, y))
    assert len(splits) == 10
    for (train, test), (train_2, test_2) in zip(splits[::2], splits[1::2], strict=True):
        assert set(train) == set(test_2)
        assert set(test) == set(train_2)
        assert sorted([*train, *test]) == list(range(n + m))
        assert abs((y[train] == "a").sum() - (y[test] == "a").sum()) <= 1


def test_five_by_two_of_numbers_and_without_classes():
    y = np.random.RandomState(0).normal(size=20)
    for splitter, target in ((FiveByTwo(random_state=0), y), (FiveByTwo(random_state=0, stratify=False), y > 0)):
        expected = list(RepeatedKFold(n_splits=2, n_repeats=5, random_state=0).split(y))
        found = list(splitter.split(y, target))
        assert all((a == c).all() and (b == d).all() for (a, b), (c, d) in zip(found, expected, strict=True))
    assert len(list(FiveByTwo().split(y))) == FiveByTwo().get_n_splits() == 10
    assert repr(FiveByTwo(random_state=1)) == "FiveByTwo(random_state=1, stratify=True)"


def test_five_by_two_in_cross_val_score(clouds):
    X, y = clouds
    assert len(cross_val_score(GaussianNB(), X, np.where(y, "好", "坏"), cv=FiveByTwo(random_state=0))) == 10


# ---------------------------------------------------------------- counting


@pytest.mark.covers("evaluation.split-counter")
def test_the_splits_of_exercise_2_1():
    assert count_splits([500, 500], 0.7) == comb(500, 350) ** 2
    assert count_splits({"+": 500, "-": 500}, 700, stratified=False) == comb(1000, 700)
    assert log10(count_splits([500, 500], 0.7)) == pytest.approx(262.475, abs=5e-4)
    assert log10(count_splits([500, 500], 0.7, stratified=False)) == pytest.approx(263.735, abs=5e-4)


@pytest.mark.covers("evaluation.split-counter")
@pytest.mark.parametrize(("sizes", "n_train"), [([3, 4], 5), ([2, 2, 3], 4), ([5], 2), ([1, 1, 1], 2), ([0, 4], 2)])
def test_splits_are_counted_as_by_listing_them(sizes, n_train):
    labels = np.repeat(range(len(sizes)), sizes)
    shares = np.array(sizes) * n_train / len(labels)
    fair = 0
    for rows in combinations(range(len(labels)), n_train):
        got = np.bincount(labels[list(rows)], minlength=len(sizes))
        fair += bool((got >= np.floor(shares)).all() and (got <= np.ceil(shares)).all())
    assert count_splits(sizes, n_train) == fair


def test_counting_asks_for_classes_and_a_size():
    for nothing in ([], [0, 0], [3, -1]):
        with pytest.raises(ValueError, match="class_counts must be"):
            count_splits(nothing, 1)
    with pytest.raises(ValueError, match="train_size must be a fraction"):
        count_splits([3, 3], 1.5)


# ---------------------------------------------------------------- parts


@pytest.mark.covers("evaluation.three-way-split", "evaluation.validation-split")
@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=5),
    st.lists(st.integers(1, 10), min_size=3, max_size=3),
    st.integers(0, 1000),
)
def test_parts_are_a_partition_with_the_classes_in_proportion(sizes, weights, seed):
    y = np.repeat(np.arange(len(sizes)), sizes)
    m, shares = len(y), np.array(weights) / sum(weights)
    rows = np.arange(m)
    if m < 3 or min(np.diff(np.round(m * np.cumsum([0, *shares])))) < 1:
        return
    parts = three_way_split(rows, y, sizes=shares.tolist(), stratify=True, random_state=seed)
    assert sorted(np.concatenate(parts[:3])) == rows.tolist()
    for part, labels, share in zip(parts[:3], parts[3:], shares, strict=True):
        assert (y[part] == labels).all()
        assert abs(len(part) - m * share) <= 1
        assert (abs(np.bincount(labels, minlength=len(sizes)) - np.array(sizes) * share) < 2.5).all()
    train, held_out = train_validation_split(rows, y, stratify=True, validation_size=1, random_state=seed)[:2]
    assert len(held_out) == 1
    assert sorted([*train, *held_out]) == rows.tolist()


@pytest.mark.covers("evaluation.three-way-split")
def test_whole_shares_are_exact():
    y = np.array(["好"] * 50 + ["坏"] * 30 + ["?"] * 20)
    parts = three_way_split(np.arange(100), y, random_state=0)
    assert [counts(part) for part in parts[3:]] == [
        {"好": 30, "坏": 18, "?": 12},
        {"好": 10, "坏": 6, "?": 4},
        {"好": 10, "坏": 6, "?": 4},
    ]
    assert [len(part) for part in three_way_split(np.arange(100), y, sizes=(10, 60, 30))[:3]] == [10, 60, 30]
    assert [len(part) for part in three_way_split(np.arange(100), sizes=(0.1, 0.2, 0.7))] == [10, 20, 70]


@pytest.mark.covers("evaluation.validation-split")
def test_a_validation_set_of_the_books_hold_out():
    rows = np.arange(1000)
    train, _, y_train, y_held = train_validation_split(rows, BALANCED, validation_size=0.3, random_state=0)
    assert counts(y_train) == {"+": 350, "-": 350}
    assert counts(y_held) == {"+": 150, "-": 150}
    again = train_validation_split(rows, BALANCED, validation_size=0.3, random_state=0)
    assert (again[0] == train).all()
    assert (train_validation_split(rows, BALANCED, validation_size=0.3, random_state=1)[0] != train).any()


def test_every_row_is_as_likely_in_each_part():
    y = np.repeat([0, 1], [7, 3])
    held = [train_validation_split(np.arange(10), y, validation_size=0.3, random_state=s)[1] for s in range(1000)]
    shares = np.bincount(np.concatenate(held), minlength=10) / 1000
    np.testing.assert_allclose(shares, 0.3, atol=0.06)


@pytest.mark.parametrize(
    "kind", [np.asarray, np.ndarray.tolist, pd.DataFrame, lambda X: pl.DataFrame(X, schema=["a", "b"]), sp.csr_array]
)
def test_parts_are_of_the_kind_that_was_given(kind):
    X = np.arange(40.0).reshape(20, 2)
    y = np.repeat(["a", "b"], 10)
    given_X = kind(X)
    parts = three_way_split(given_X, pd.Series(y), pa.array(y), random_state=0)
    assert all(type(part) is type(given_X) for part in parts[:3])
    assert all(isinstance(part, pd.Series) for part in parts[3:6])
    assert [part.to_pylist() for part in parts[6:]] == [part.tolist() for part in parts[3:6]]
    dense = [part.toarray() if sp.issparse(part) else np.asarray(part) for part in parts[:3]]
    assert (np.sort(np.concatenate(dense), axis=0) == X).all()


def test_numbers_are_not_classes():
    rng = np.random.RandomState(0)
    for y in (rng.normal(size=50), np.arange(50), rng.normal(size=(50, 2)), None):
        parts = train_validation_split(np.arange(50), y, random_state=0)
        assert (parts[0] == train_validation_split(np.arange(50), random_state=0)[0]).all()


def test_labels_of_ones_own_to_stratify_by():
    groups = np.repeat(["x", "y"], [40, 10])
    part = train_validation_split(np.arange(50), np.arange(50), stratify=groups, validation_size=0.2, random_state=0)[1]
    assert counts(groups[part]) == {"x": 8, "y": 2}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: three_way_split(range(9), sizes=(0.5, 0.5)), "three positive numbers"),
        (lambda: three_way_split(range(9), sizes=(0.5, 0.5, 0)), "three positive numbers"),
        (lambda: three_way_split(range(9), sizes=(0.5, 0.4, 0.2)), "add up to 1"),
        (lambda: three_way_split(range(9), sizes=(3, 3, 4)), "rows that add up to all 9"),
        (lambda: three_way_split(range(2)), "leave none empty"),
        (lambda: three_way_split([1, 2, 3], [1, 2]), "inconsistent numbers of samples"),
        (lambda: train_validation_split([1, 2, 3], validation_size=3), "at least one row in each part"),
        (lambda: train_validation_split([1, 2, 3], validation_size=0), "leaves no row"),
        (lambda: train_validation_split([1, 2, 3], validation_size=1.0), "at least one row in each part"),
        (lambda: train_validation_split([1, 2, 3], stratify="yes"), "stratify must be 'auto', True, False or labels"),
        (lambda: train_validation_split([1, 2, 3], stratify=[1, 2]), "2 labels for 3 rows"),
    ],
)
def test_parts_ask_for_what_they_need(call, said):
    with pytest.raises(ValueError, match=said):
        call()
