"""Learners that do not look at the attributes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import accuracy_score, recall_score

from lanatus.data import scan
from lanatus.evaluation import BaselineClassifier, BaselineRegressor

covers = pytest.mark.covers("evaluation.baseline-learner")


@covers
def test_the_book_s_trap_of_998_to_2():
    """Section 3.6: a learner that answers "negative" always is right on 99.8 %, and worthless."""
    y = np.repeat(["反例", "正例"], [998, 2])
    model = BaselineClassifier(strategy="most_frequent").fit(np.zeros((1000, 1)), y)
    answers = model.predict(np.zeros((1000, 1)))
    assert accuracy_score(y, answers) == 0.998
    assert recall_score(y, answers, pos_label="正例") == 0


@covers
@pytest.mark.parametrize("strategy", ["most_frequent", "prior", "constant"])
def test_classes_and_shares_are_scikit_learn_s(strategy):
    rng = np.random.RandomState(0)
    X, y, weight = rng.rand(60, 2), rng.choice(list("abc"), 60, p=[0.2, 0.5, 0.3]), rng.rand(60)
    constant = "c" if strategy == "constant" else None
    ours = BaselineClassifier(strategy=strategy, constant=constant).fit(X, y, weight)
    theirs = DummyClassifier(strategy=strategy, constant=constant).fit(X, y, weight)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)
    np.testing.assert_allclose(ours.class_prior_, theirs.class_prior_, rtol=1e-12)


@covers
@pytest.mark.parametrize(("strategy", "shares"), [("stratified", [0.75, 0.25]), ("uniform", [0.5, 0.5])])
def test_guesses_have_the_shares_that_they_say(strategy, shares):
    X, y = np.zeros((20_000, 1)), np.repeat([0, 1], [15_000, 5_000])
    model = BaselineClassifier(strategy=strategy, random_state=0).fit(X, y)
    answers = model.predict(X)
    np.testing.assert_allclose(np.bincount(answers) / len(X), shares, atol=0.01)
    np.testing.assert_array_equal(answers, model.predict(X))
    if strategy == "stratified":
        np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), answers)


@covers
def test_streamed_and_mixed_tables(tmp_path):
    frame = pd.DataFrame({"word": list("xyz") * 40, "number": np.arange(120.0), "label": ["a"] * 70 + ["b"] * 50})
    frame.to_parquet(tmp_path / "rows.parquet")
    streamed = BaselineClassifier().fit(scan(tmp_path / "rows.parquet", target="label"))
    held = BaselineClassifier().fit(frame[["word", "number"]], frame["label"])
    np.testing.assert_array_equal(streamed.class_prior_, held.class_prior_)
    np.testing.assert_allclose(held.class_prior_, [70 / 120, 50 / 120], rtol=1e-15)


@covers
@pytest.mark.parametrize("options", [{}, {"strategy": "median"}, {"strategy": "constant", "constant": [4.0, 5.0]}])
def test_numbers_are_scikit_learn_s(options):
    rng = np.random.RandomState(1)
    X, y = rng.rand(40, 3), rng.rand(40, 2)
    ours, theirs = BaselineRegressor(**options).fit(X, y), DummyRegressor(**options).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
    assert BaselineRegressor(strategy="mean").fit(X, y[:, 0]).score(X, y[:, 0]) == pytest.approx(0, abs=1e-12)


@covers
def test_a_row_of_weight_two_is_two_rows():
    y, weight = np.array([5.0, 1.0, 4.0, 2.0, 9.0]), np.array([1, 2, 0, 3, 2])
    for strategy, quantile in (("mean", None), ("median", None), ("quantile", 0.25), ("quantile", 1.0)):
        model = BaselineRegressor(strategy=strategy, quantile=quantile)
        weighted = model.fit(np.zeros((5, 1)), y, weight).constant_
        repeated = model.fit(np.zeros((8, 1)), np.repeat(y, weight)).constant_
        np.testing.assert_allclose(weighted, repeated, rtol=1e-12)
    assert BaselineRegressor(strategy="median").fit(np.zeros((4, 1)), [1.0, 2.0, 4.0, 8.0]).constant_ == [3.0]


def test_what_is_missing_is_said():
    X = np.zeros((3, 1))
    with pytest.raises(ValueError, match=r"constant must be one of the classes \[0, 1\]; got 7"):
        BaselineClassifier(strategy="constant", constant=7).fit(X, [0, 1, 1])
    with pytest.raises(ValueError, match="needs a quantile"):
        BaselineRegressor(strategy="quantile").fit(X, [0.0, 1, 1])
    with pytest.raises(ValueError, match=r"constant must be 1 finite number"):
        BaselineRegressor(strategy="constant").fit(X, [0.0, 1, 1])
    with pytest.raises(ValueError, match="at least one non-zero"):
        BaselineClassifier().fit(X, [0, 1, 1], [0, 0, 0])
