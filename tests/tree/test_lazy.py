"""Lazy decision trees."""

import time

import numpy as np
import pandas as pd
import pytest
from samples import melons
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from lanatus.tree import LazyDecisionTreeClassifier


def slow_answer(values, y, row):
    """The path for one row of words, by the definition: classes weigh the same, ties to more rows, then the first."""
    rows = np.arange(len(y))
    while len(set(y[rows])) > 1:
        labels = sorted(set(y[rows]))
        best, found = (1e-9, 0), None
        for j in range(values.shape[1]):
            passing = rows[values[rows, j] == row[j]]
            if not 0 < len(passing) < len(rows):
                continue
            even = np.array([np.mean(values[rows[y[rows] == c], j] == row[j]) for c in labels])
            share = even[even > 0] / even.sum()
            gain = np.log2(len(labels)) + (share * np.log2(share)).sum()
            if gain > best[0] + 1e-9 or (gain > best[0] - 1e-9 and gain > 1e-9 and len(passing) > best[1]):
                best, found = (gain, len(passing)), passing
        if found is None:
            break
        rows = found
    return rows


@pytest.mark.covers("tree.lazy-decision-tree")
def test_paths_equal_those_built_row_by_row():
    rng = np.random.RandomState(0)
    values = rng.choice(list("abc"), (80, 5))
    y = np.where(rng.rand(80) < 0.2, "z", np.where(values[:, 0] == values[:, 1], "x", "y"))
    frame = pd.DataFrame(values, columns=list("pqrst"))
    model = LazyDecisionTreeClassifier().fit(frame[:60], y[:60])
    shares = model.predict_proba(frame)
    for i in range(80):
        left = y[:60][slow_answer(values[:60], y[:60], values[i])]
        np.testing.assert_allclose(shares[i], [(left == c).mean() for c in model.classes_], rtol=1e-12)


@pytest.mark.covers("tree.lazy-decision-tree")
def test_watermelons_and_holes_in_the_row_asked_for():
    X, y = melons("2.0")
    model = LazyDecisionTreeClassifier().fit(X, y)
    assert model.score(X, y) == 1.0
    unknown = X[:1].astype(object)
    unknown.loc[:, :] = None
    np.testing.assert_allclose(model.predict_proba(unknown), [[9 / 17, 8 / 17]], rtol=1e-12)
    known, labels = melons("2.0a")
    assert LazyDecisionTreeClassifier().fit(known, labels).score(known, labels) > 0.9


def test_numbers_are_cut_into_bins():
    X, y = load_iris(return_X_y=True)
    assert cross_val_score(LazyDecisionTreeClassifier(), X, y, cv=10).mean() > 0.9
    model = LazyDecisionTreeClassifier(max_depth=1).fit(X, y)
    assert all(len(cuts) for cuts in model.cuts_)


def test_ten_thousand_rows_are_answered_quickly():
    rng = np.random.RandomState(0)
    X = rng.rand(5000, 6)
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    model = LazyDecisionTreeClassifier().fit(X, y)
    fresh = rng.rand(10_000, 6)
    start = time.perf_counter()
    score = model.score(fresh, fresh[:, 0] + fresh[:, 1] > 1)
    assert score > 0.9
    assert time.perf_counter() - start < 5
