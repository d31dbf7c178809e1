"""Criteria of subsets, and searches against all subsets."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import melons
from sklearn.datasets import load_iris, load_wine
from sklearn.feature_selection import SequentialFeatureSelector as Theirs
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier as TheirNeighbors

from lanatus.bayes import GaussianNB
from lanatus.linear import LinearRegression
from lanatus.select import (
    LVW,
    BranchAndBoundSelector,
    ExhaustiveFeatureSelector,
    PlusLMinusRSelector,
    SequentialFeatureSelector,
    aic_criterion,
    partition_difference,
    subset_information_gain,
)
from lanatus.tree import DecisionTreeClassifier


def words(n=40, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"w{j}": rng.choice(list("abc")[: 2 + j % 2], n) for j in range(d)})
    y = np.where(rng.random(n) < 0.2, "z", X["w1"] + X["w3"])
    return X, y


def entropy(labels):
    share = pd.Series(labels).value_counts(normalize=True).to_numpy()
    return -(share * np.log2(share)).sum()


def gain_by_hand(X, y, names):
    cells = X[list(names)].agg("|".join, axis=1) if len(names) else pd.Series([""] * len(X))
    return entropy(y) - sum((cells == cell).mean() * entropy(y[(cells == cell).to_numpy()]) for cell in cells.unique())


@pytest.mark.covers("select.subset-information-gain")
def test_the_gain_of_a_subset_is_that_of_its_cells():
    X, y = words()
    for size in range(6):
        for names in combinations(X.columns, size):
            assert subset_information_gain(X, y, names) == pytest.approx(gain_by_hand(X, y, names), abs=1e-12)
    numbers = X.apply(lambda column: column.astype("category").cat.codes).to_numpy()
    assert subset_information_gain(numbers, y, [1, 3]) == pytest.approx(gain_by_hand(X, y, ["w1", "w3"]))
    X.loc[0, "w1"] = None  # a value of its own
    assert subset_information_gain(X, y, ["w1"]) == pytest.approx(gain_by_hand(X.fillna("?"), y, ["w1"]))
    with pytest.raises(ValueError, match="no column 'w9'"):
        subset_information_gain(X, y, ["w9"])


@pytest.mark.covers("select.partition-difference")
def test_differences_of_partitions_by_all_pairs():
    X, y = words(25)
    joint = X["w1"] + X["w2"]
    together = np.array([[p == q for q in joint] for p in joint])[np.triu_indices(25, 1)]
    alike = np.array([[p == q for q in y] for p in y])[np.triu_indices(25, 1)]
    a, b, c = (together & alike).sum(), (together & ~alike).sum(), (~together & alike).sum()
    expected = {
        "disagreement": (together != alike).mean(),
        "correlation": 1 - np.corrcoef(together, alike)[0, 1],
        "jaccard": 1 - a / (a + b + c),
        "rand": (together != alike).mean(),
        "fowlkes-mallows": 1 - a / np.sqrt((a + b) * (a + c)),
    }
    for measure, value in expected.items():
        assert partition_difference(X, y, ["w1", "w2"], measure=measure) == pytest.approx(value)
        assert partition_difference(X, joint, ["w1", "w2"], measure=measure) == pytest.approx(0, abs=1e-12)
    assert partition_difference(X, y, [], measure="correlation") == 1.0
    with pytest.raises(ValueError, match="wanted one of"):
        partition_difference(X, y, measure="cosine")


@pytest.mark.covers("select.aic-subset")
def test_aic_is_that_of_normal_errors():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    y = X[:, 0] - 2 * X[:, 2] + rng.normal(size=80)
    design = np.column_stack([np.ones(80), X[:, [0, 2]]])
    rest = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    variance = (rest**2).mean()
    log_likelihood = -0.5 * 80 * (np.log(2 * np.pi * variance) + 1)
    expected = -2 * log_likelihood + 2 * 4  # three coefficients and the variance
    assert aic_criterion(X, y, [0, 2]) + 80 * (np.log(2 * np.pi) + 1) == pytest.approx(expected)
    best = ExhaustiveFeatureSelector(criterion="aic").fit(X, y)
    every = [subset for size in range(1, 5) for subset in combinations(range(4), size)]
    assert tuple(np.flatnonzero(best.support_)) == min(every, key=lambda subset: aic_criterion(X, y, subset))
    assert aic_criterion(X, X[:, 1], [1]) == -np.inf
    assert aic_criterion(np.hstack([X, X]), y, [0, 2, 4, 6]) == pytest.approx(aic_criterion(X, y, [0, 2]))


@pytest.mark.covers("select.exhaustive-search", "select.branch-and-bound")
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), wanted=st.integers(1, 5))
def test_branch_and_bound_finds_what_all_subsets_have(seed, wanted):
    X, y = words(30, 6, seed)
    whole = ExhaustiveFeatureSelector(criterion="information-gain", min_features=wanted, max_features=wanted).fit(X, y)
    bounded = BranchAndBoundSelector(n_features_to_select=wanted).fit(X, y)
    assert bounded.score_ == pytest.approx(whole.score_, abs=1e-12)
    assert bounded.support_.sum() == wanted
    names = X.columns[bounded.support_]
    assert bounded.score_ == pytest.approx(gain_by_hand(X, y, names), abs=1e-12)


@pytest.mark.covers("select.branch-and-bound")
def test_branch_and_bound_looks_at_few_and_tells_a_bound_that_is_none():
    rng = np.random.default_rng(0)
    worth = np.sort(rng.random(14)) ** 3
    found = BranchAndBoundSelector(lambda X, y, subset: worth[subset].sum(), n_features_to_select=7)
    found.fit(rng.normal(size=(4, 14)), [0, 1, 0, 1])
    assert np.flatnonzero(found.support_).tolist() == list(range(7, 14))
    assert len(found.subsets_) < 3432 / 3  # of so many subsets of seven
    alike = BranchAndBoundSelector(lambda X, y, subset: 0.0, n_features_to_select=2)
    assert np.flatnonzero(alike.fit(rng.normal(size=(4, 5)), [0, 1, 0, 1]).support_).tolist() == [0, 1]
    with pytest.raises(ValueError, match="bounds nothing"):
        BranchAndBoundSelector(lambda X, y, subset: -len(subset)).fit(rng.normal(size=(4, 4)), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="may rise"):
        BranchAndBoundSelector("aic").fit(rng.normal(size=(4, 4)), [0, 1, 0, 1])


@pytest.mark.covers("select.forward-search", "select.backward-search", "select.wrapper-selection")
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("how", [{"n_features_to_select": 4}, {"tol": 0.005}, {}])
def test_sequential_search_takes_the_steps_of_scikit_learn(direction, how):
    X, y = load_wine(return_X_y=True)
    X = X[:, :7]
    if direction == "backward" and "tol" in how:
        how = {"tol": -0.01}
    ours = SequentialFeatureSelector(GaussianNB(), direction=direction, cv=3, **how).fit(X, y)
    theirs = Theirs(GaussianNB(), direction=direction, cv=3, **how).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    assert ours.score_ == pytest.approx(cross_val_score(GaussianNB(), X[:, ours.support_], y, cv=3).mean())
    assert ours.n_features_to_select_ == theirs.n_features_to_select_


@pytest.mark.covers("select.forward-search", "select.backward-search")
def test_the_books_rule_of_stopping():
    X, y = melons("3.0")
    X = X.drop(columns=["密度", "含糖率"])
    ahead = SequentialFeatureSelector(criterion="information-gain", n_features_to_select="best").fit(X, y)
    scores = [one.score for one in ahead.path_]
    assert scores == sorted(scores)
    assert ahead.score_ == pytest.approx(entropy(y))
    back = SequentialFeatureSelector(
        criterion="information-gain", n_features_to_select="best", direction="backward"
    ).fit(X, y)
    assert back.score_ == pytest.approx(entropy(y))
    assert len(back.transform(X).columns) == back.n_features_to_select_ == 4


@pytest.mark.covers("select.bidirectional-search")
def test_search_from_both_ends_decides_on_every_column():
    X, y = words(60, 6, 3)
    model = SequentialFeatureSelector(criterion="partition-difference", direction="bidirectional").fit(X, y)
    assert [len(one.subset) for one in model.path_] == [1, 2, 3]
    for smaller, larger in zip(model.path_, model.path_[1:], strict=False):
        assert set(smaller.subset) < set(larger.subset)  # what was added stays
    whole = SequentialFeatureSelector(criterion="partition-difference", direction="bidirectional", tol=0.0).fit(X, y)
    assert whole.score_ == max(one.score for one in whole.path_)
    with pytest.raises(ValueError, match="Choose one"):
        SequentialFeatureSelector(criterion="aic", direction="bidirectional", floating=True).fit(X, y)


@pytest.mark.covers("select.floating-search", "select.plus-l-minus-r")
def test_steps_back_find_what_greedy_search_misses():
    """The best column alone is in no best pair: the nesting effect."""
    worth = {(0,): 3.0, (1,): 2.0, (2,): 2.0, (3,): 0.0, (0, 1): 4.0, (0, 2): 4.0, (1, 2): 6.0}

    def score(X, y, subset):
        value = max((w for key, w in worth.items() if set(key) <= set(subset)), default=0.0)
        return value + (0.5 if 3 in subset and len(subset) == 3 else 0.0) + 0.01 * len(subset)

    X, y = np.random.default_rng(0).normal(size=(6, 5)), [0, 1] * 3
    plain = SequentialFeatureSelector(criterion=score, n_features_to_select=2).fit(X, y)
    assert 0 in np.flatnonzero(plain.support_)
    floating = SequentialFeatureSelector(criterion=score, n_features_to_select=3, floating=True).fit(X, y)
    assert (1, 2) in [one.subset for one in floating.path_]
    assert floating.score_ >= SequentialFeatureSelector(criterion=score, n_features_to_select=3).fit(X, y).score_
    for how in ({"n_add": 2, "n_remove": 1}, {"n_add": 1, "n_remove": 2}):
        found = PlusLMinusRSelector(criterion=score, n_features_to_select=3, **how).fit(X, y)
        assert {1, 2} <= set(np.flatnonzero(found.support_))
    assert PlusLMinusRSelector(criterion=score, n_features_to_select=5).fit(X, y).support_.all()
    with pytest.raises(ValueError, match="never end"):
        PlusLMinusRSelector(criterion=score, n_add=1, n_remove=1).fit(X, y)


@pytest.mark.covers("select.lvw", "select.anytime-lvw", "select.wrapper-selection")
def test_lvw_keeps_the_best_of_what_it_drew():
    X, y = load_iris(return_X_y=True)
    model = LVW(GaussianNB(), max_misses=40, random_state=0).fit(X, y)
    assert model.converged_
    best = max(one.score for one in model.subsets_)
    assert model.score_ == best
    assert model.support_.sum() == min(len(one.subset) for one in model.subsets_ if one.score == best)
    every = [subset for size in range(1, 5) for subset in combinations(range(4), size)]
    assert {one.subset for one in model.subsets_} <= set(every)
    again = LVW(GaussianNB(), max_misses=40, random_state=0).fit(X, y)
    assert again.subsets_ == model.subsets_
    quick = LVW(GaussianNB(), max_misses=10**6, time_limit=1e-9, random_state=0).fit(X, y)
    assert quick.support_.all()
    assert not quick.converged_
    with pytest.raises(ValueError, match="anytime=True"):
        LVW(GaussianNB(), max_misses=10**6, max_iter=3, anytime=False, random_state=0).fit(X, y)


@pytest.mark.covers("select.wrapper-selection")
def test_searches_take_mixed_tables_other_learners_and_numbers_to_predict():
    X, y = melons("3.0")
    tree = SequentialFeatureSelector(DecisionTreeClassifier(max_depth=2), n_features_to_select=2, cv=3).fit(X, y)
    assert tree.transform(X).columns.tolist() == X.columns[tree.support_].tolist()
    assert tree.transform(X.sample(5, random_state=0)).shape == (5, 2)
    numbers, labels = load_iris(return_X_y=True)
    theirs = SequentialFeatureSelector(TheirNeighbors(3), n_features_to_select=2, n_jobs=2).fit(numbers, labels)
    assert theirs.score_ > 0.95
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(80, 6))
    target = Z[:, 4] - Z[:, 1] + 0.1 * rng.normal(size=80)
    found = SequentialFeatureSelector(LinearRegression(), n_features_to_select=2).fit(Z, target)
    assert np.flatnonzero(found.support_).tolist() == [1, 4]


def test_what_cannot_be_judged_is_refused():
    X, y = words()
    with pytest.raises(ValueError, match="one of estimator and criterion"):
        SequentialFeatureSelector(GaussianNB(), criterion="aic").fit(X, y)
    with pytest.raises(ValueError, match="nominal columns"):
        SequentialFeatureSelector(criterion="aic").fit(X, np.arange(40.0))
    with pytest.raises(ValueError, match="NaN"):
        SequentialFeatureSelector(criterion=lambda X, y, subset: np.nan).fit(X, y)
    with pytest.raises(ValueError, match="must be < n_features"):
        SequentialFeatureSelector(criterion="information-gain", n_features_to_select=5).fit(X, y)
    with pytest.raises(ValueError, match="too many"):
        ExhaustiveFeatureSelector(criterion="information-gain").fit(np.zeros((3, 25)), [0, 1, 0])
    with pytest.raises(ValueError, match="must be strictly positive"):
        SequentialFeatureSelector(criterion="information-gain", tol=-1.0).fit(X, y)


@pytest.mark.covers("select.forward-search", "select.backward-search")
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_least_squares_from_products_is_that_of_the_learner(fit_intercept):
    """Steps and scores are those of the learner; columns that depend on others are left to it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 9)) + 5
    X[:, 7] = X[:, 0] + X[:, 1]
    X[:, 8] = 1e6 * X[:, 2]
    y = X[:, 0] - 2 * X[:, 3] + 0.5 * X[:, 5] + 0.3 * rng.normal(size=90)
    model = LinearRegression(fit_intercept=fit_intercept)
    for direction in ("forward", "backward"):
        how = {"n_features_to_select": 4, "direction": direction, "cv": 4}
        ours = SequentialFeatureSelector(model, **how).fit(X, y)
        for subset, score in ours.subsets_:
            assert score == pytest.approx(cross_val_score(model, X[:, subset], y, cv=4).mean(), rel=1e-7)
        if direction == "forward":
            np.testing.assert_array_equal(ours.support_, Theirs(model, **how).fit(X, y).get_support())
    level = SequentialFeatureSelector(LinearRegression(), n_features_to_select=2, cv=3).fit(X, np.ones(90))
    assert level.score_ == 1.0
    judged = SequentialFeatureSelector(LinearRegression(), scoring="neg_mean_squared_error", n_features_to_select=2)
    assert judged.fit(X, y).score_ < 0
