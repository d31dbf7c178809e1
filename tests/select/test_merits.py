"""Criteria of subsets: consistency, merit, Fisher's."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from lanatus.data import load_watermelon
from lanatus.select import (
    BestFirstSelector,
    ExhaustiveFeatureSelector,
    SequentialFeatureSelector,
    cfs_merit,
    consistency,
    fisher_criterion,
)


def melons():
    data = load_watermelon("2.0")
    return data.frame[list(data.feature_names)], np.asarray(data.target)


def test_consistency_counts_the_majority_of_each_cell():
    X, y = melons()
    for names in itertools.chain([[]], itertools.combinations(X.columns, 2), [list(X.columns)]):
        keys = X[list(names)].agg("|".join, axis=1) if len(names) else pd.Series([""] * len(X))
        expected = sum(pd.Series(y[keys == key]).value_counts().max() for key in keys.unique()) / len(y)
        assert consistency(X, y, list(names)) == pytest.approx(expected)
    assert consistency(X, y) == 1.0
    smallest = min(
        (subset for size in range(7) for subset in itertools.combinations(range(6), size)
         if consistency(X, y, subset) == 1.0), key=len,
    )  # fmt: skip
    found = ExhaustiveFeatureSelector(criterion="consistency", max_features=len(smallest)).fit(X, y)
    assert consistency(X, y, np.flatnonzero(found.support_).tolist()) == 1.0


def test_the_merit_is_that_of_symmetrical_uncertainties():
    X, y = melons()

    def entropy(*columns):
        share = pd.DataFrame(dict(enumerate(columns))).value_counts(normalize=True)
        return -(share * np.log2(share)).sum()

    def tells(a, b):
        return 2 * (entropy(a) + entropy(b) - entropy(a, b)) / (entropy(a) + entropy(b))

    names = ["纹理", "触感", "脐部"]
    with_class = np.mean([tells(X[name].to_numpy(), y) for name in names])
    among = np.mean([tells(X[a].to_numpy(), X[b].to_numpy()) for a, b in itertools.combinations(names, 2)])
    assert cfs_merit(X, y, names) == pytest.approx(3 * with_class / np.sqrt(3 + 6 * among))
    assert cfs_merit(X, y, []) == 0.0
    every = [list(s) for size in range(1, 7) for s in itertools.combinations(range(6), size)]
    best = max(every, key=lambda subset: cfs_merit(X, y, subset))
    found = ExhaustiveFeatureSelector(criterion="cfs").fit(X, y)
    assert cfs_merit(X, y, np.flatnonzero(found.support_).tolist()) == pytest.approx(cfs_merit(X, y, best))
    greedy = BestFirstSelector(criterion="cfs").fit(X, y)
    assert cfs_merit(X, y, np.flatnonzero(greedy.support_).tolist()) <= cfs_merit(X, y, best) + 1e-12


def test_fishers_criterion_is_the_trace_of_the_discriminant():
    X, y = load_iris(return_X_y=True)
    within = sum(np.cov(X[y == c].T, bias=True) * (y == c).sum() for c in range(3))
    between = sum((y == c).sum() * np.outer(d, d) for c in range(3) for d in [X[y == c].mean(0) - X.mean(0)])
    assert fisher_criterion(X, y) == pytest.approx(np.trace(np.linalg.solve(within, between)), rel=1e-6)
    one = [fisher_criterion(X, y, [j]) for j in range(4)]
    np.testing.assert_allclose(one, np.diag(between) / np.diag(within), rtol=1e-6)
    found = SequentialFeatureSelector(n_features_to_select=1, criterion="fisher").fit(X, y)
    assert found.support_.argmax() == np.argmax(one)
    twice = np.column_stack([X, X[:, 0], np.ones(len(X))])  # a copy and a constant column add nothing
    assert fisher_criterion(twice, y) == pytest.approx(fisher_criterion(X, y), rel=1e-4)


def test_criteria_of_numbers_say_what_they_want():
    X, y = melons()
    with pytest.raises(ValueError, match="criterion='fisher' is of numbers"):
        ExhaustiveFeatureSelector(criterion="fisher").fit(X, y)
    holes = np.array([[1.0, np.nan], [2.0, 1.0], [3.0, 2.0]])
    with pytest.raises(ValueError, match="missing values"):
        ExhaustiveFeatureSelector(criterion="fisher").fit(holes, [0, 1, 0])
    assert consistency([[1], [2]], ["a", "a"]) == 1.0
    assert cfs_merit([[1], [2]], ["a", "a"]) == 0.0
    assert fisher_criterion([[1.0], [2.0]], ["a", "a"]) == pytest.approx(0.0)
