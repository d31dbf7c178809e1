"""Tuning by grid, on a validation set and in nested folds; curves of learning and fitting."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from lanatus import evaluation as ev
from lanatus.evaluation import (
    GridSearchCV,
    KFold,
    ParameterGrid,
    RandomizedSearchCV,
    StratifiedKFold,
    ValidationSearch,
    accuracy_score,
    learning_curve,
    nested_cross_validate,
    validation_curve,
)

IRIS = load_iris(return_X_y=True)


class Witness(ClassifierMixin, BaseEstimator):
    """A classifier that keeps in a list which rows (numbered in the first column) each fit saw."""

    seen: list = []

    def __init__(self, a=0, b=0, c=0):
        self.a, self.b, self.c = a, b, c

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.rows_ = frozenset(X[:, 0].astype(int))
        self.seen.append(self.rows_)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[self.a % len(self.classes_)])


@pytest.fixture
def witness(monkeypatch):
    monkeypatch.setattr(Witness, "seen", [])
    return Witness()


NUMBERED = np.arange(60.0)[:, None]
HALVES = np.tile([0, 1], 30)


# ---------------------------------------------------------------- borrowed


@pytest.mark.covers("evaluation.grid-search")
def test_the_grid_of_the_book():
    """G6: [0, 0.2] in steps of 0.05 has 5 candidates, three such parameters 125 models."""
    steps = np.arange(0, 0.2 + 1e-9, 0.05)
    assert len(ParameterGrid({"a": steps})) == 5
    assert len(ParameterGrid({"a": steps, "b": steps, "c": steps})) == 125


@pytest.mark.covers("evaluation.grid-search", "evaluation.final-refit")
def test_a_grid_search_fits_each_candidate_once_and_the_best_on_all(witness):
    grid = {"a": range(2), "b": range(5), "c": range(3)}
    search = GridSearchCV(witness, grid, cv=[(np.arange(50), np.arange(50, 60))]).fit(NUMBERED, HALVES)
    assert len(witness.seen) == 30 + 1
    assert set(witness.seen[:-1]) == {frozenset(range(50))}
    assert search.best_estimator_.rows_ == frozenset(range(60))


@pytest.mark.covers("evaluation.grid-search")
@pytest.mark.parametrize("search", [GridSearchCV, ValidationSearch])
def test_a_search_chooses_among_algorithms_too(search):
    """Sections 2.1 and 2.2.4: algorithms and their parameters in one grid, of which the best is taken."""
    X, y = IRIS
    models = [GaussianNB(), KNeighborsClassifier(), DecisionTreeClassifier(max_depth=1, random_state=0)]
    grid = [{"model": models[:1]}, {"model": models[1:2], "model__n_neighbors": [1, 30]}, {"model": models[2:]}]
    found = search(Pipeline([("scale", StandardScaler()), ("model", GaussianNB())]), grid).fit(X, y)
    assert len(found.cv_results_["params"]) == 4
    best = int(np.argmax(found.cv_results_["mean_test_score"]))
    assert found.best_params_ == found.cv_results_["params"][best]
    assert not isinstance(found.best_params_["model"], DecisionTreeClassifier)  # a stump knows two of three classes


@pytest.mark.covers("evaluation.learning-curve")
def test_more_data_help():
    sizes, train, test = learning_curve(
        KNeighborsClassifier(1), *IRIS, train_sizes=[10, 40, 120], cv=StratifiedKFold(5, shuffle=True, random_state=0)
    )
    assert sizes.tolist() == [10, 40, 120]
    assert test.mean(axis=1)[0] < test.mean(axis=1)[2]
    assert (train == 1).all()


@pytest.mark.covers("evaluation.fitting-curve")
def test_more_capacity_fits_better_and_in_the_end_predicts_worse():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] > 0) ^ (rng.rand(300) < 0.2)
    train, test = validation_curve(
        DecisionTreeClassifier(random_state=0), X, y, param_name="max_depth", param_range=[1, 4, 20], cv=5
    )
    assert (np.diff(train.mean(axis=1)) > 0).all()
    assert train.mean(axis=1)[-1] == 1
    assert test.mean(axis=1)[-1] < test.mean(axis=1)[0] - 0.05


# ---------------------------------------------------------------- one validation set


@pytest.mark.covers("evaluation.validation-split", "evaluation.final-refit")
def test_a_validation_search_tunes_on_one_part_and_refits_on_all(witness):
    search = ValidationSearch(witness, {"a": [0, 1], "b": [1, 2, 3]}, random_state=0).fit(NUMBERED, HALVES)
    held_out = set(search.validation_rows_)
    assert len(held_out) == 15
    assert len(witness.seen) == 6 + 1
    assert all(not rows & held_out and len(rows) == 45 for rows in witness.seen[:-1])
    assert search.best_estimator_.rows_ == frozenset(range(60))
    assert search.n_splits_ == 1
    assert len(search.cv_results_["mean_test_score"]) == 6


def test_the_validation_score_is_what_it_says():
    X, y = IRIS
    search = ValidationSearch(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 5]}, random_state=3).fit(
        X, y
    )
    held_out = search.validation_rows_
    train = np.setdiff1d(np.arange(len(y)), held_out)
    assert np.ptp(np.bincount(y[held_out])) <= 1
    for params, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
        model = DecisionTreeClassifier(random_state=0, **params).fit(X[train], y[train])
        assert score == accuracy_score(y[held_out], model.predict(X[held_out]))
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    assert search.score(X, y) == search.best_estimator_.score(X, y)
    assert search.predict_proba(X).shape == (150, 3)


@pytest.mark.parametrize(
    "kind", [np.asarray, pd.DataFrame, lambda X: pl.DataFrame(X, schema=list("abcd")), sp.csr_matrix]
)
def test_a_validation_set_of_ones_own(kind):
    X, y = IRIS
    order = np.random.RandomState(0).permutation(150)
    X, y = X[order], y[order]
    given_X, held_X = kind(X[:100]), kind(X[100:])
    search = ValidationSearch(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]})
    search.fit(given_X, y[:100], validation=(held_X, y[100:]))
    assert search.validation_rows_.tolist() == list(range(100, 150))
    by_hand = DecisionTreeClassifier(random_state=0, max_depth=3).fit(X[:100], y[:100]).score(X[100:], y[100:])
    assert search.best_score_ == by_hand
    whole = DecisionTreeClassifier(random_state=0, max_depth=3).fit(X, y)
    assert (search.predict(kind(X)) == whole.predict(X)).all()


def test_a_validation_set_with_named_labels_in_a_series():
    X, y = IRIS
    names = pl.Series(np.array(["山", "色", "维"])[y])
    search = ValidationSearch(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, random_state=0)
    search.fit(X[::2], names[::2], validation=(X[1::2], names[1::2]))
    assert search.best_score_ > 0.9
    assert set(search.predict(X)) == {"山", "色", "维"}


def test_kinds_of_validation_sets_are_not_mixed():
    X, y = IRIS
    search = ValidationSearch(GaussianNB(), {"var_smoothing": [1e-9]})
    with pytest.raises(ValueError, match="give both as the same kind"):
        search.fit(pd.DataFrame(X), y, validation=(X, y))
    with pytest.raises(ValueError, match="wanted both or none"):
        search.fit(X, y, validation=(X, None))


def test_a_validation_search_is_an_estimator_like_others():
    X, y = IRIS
    search = ValidationSearch(Ridge(), {"alpha": [0.1, 10]}, scoring="neg_mean_squared_error", random_state=0)
    twin = clone(search).set_params(validation_size=30, estimator__fit_intercept=False)
    assert search.get_params()["validation_size"] == 0.25
    assert len(twin.fit(X[:, :3], X[:, 3]).validation_rows_) == 30
    assert twin.best_score_ < 0
    assert "cv" not in search.get_params()
    inside = make_pipeline(
        StandardScaler(), ValidationSearch(GaussianNB(), {"var_smoothing": [1e-9, 1]}, random_state=0)
    )
    assert inside.fit(X, y).score(X, y) > 0.9
    without = ValidationSearch(GaussianNB(), {"var_smoothing": [1e-9, 1]}, refit=False, random_state=0).fit(X, y)
    assert not hasattr(without, "best_estimator_")
    assert without.best_params_ == {"var_smoothing": 1e-9}


def test_a_seed_fixes_the_validation_set():
    search = ValidationSearch(GaussianNB(), {"var_smoothing": [1e-9]}, random_state=7)
    first, second = (clone(search).fit(*IRIS).validation_rows_ for _ in range(2))
    assert (first == second).all()
    assert (search.set_params(random_state=8).fit(*IRIS).validation_rows_ != first).any()


# ---------------------------------------------------------------- nested


def test_the_outer_test_part_never_reaches_the_tuning(witness):
    outer = KFold(5, shuffle=True, random_state=0)
    result = nested_cross_validate(
        witness, NUMBERED, HALVES, param_grid={"a": [0, 1], "b": [0, 1]}, inner=3, outer=outer, return_estimators=True
    )
    per_split = 4 * 3 + 1  # candidates times inner folds, and the refit
    assert len(witness.seen) == 5 * per_split
    for i, (train, test) in enumerate(outer.split(NUMBERED)):
        fits = witness.seen[i * per_split : (i + 1) * per_split]
        assert all(not rows & set(test) for rows in fits)
        assert fits[-1] == frozenset(train)
        assert all(len(rows) == 32 for rows in fits[:-1])
    assert len(result.estimators) == len(result.best_params) == 5


def test_nested_scores_of_noise_are_honest():
    """Twenty learners that toss coins: a search finds the luckiest and boasts, the nested score does not."""
    tossers, boasts, nested = DummyClassifier(strategy="uniform"), [], []
    grid = {"random_state": range(20)}
    for seed in range(4):
        y = np.random.RandomState(seed).permutation(np.repeat([0, 1], 30))
        X = np.zeros((60, 1))
        search = GridSearchCV(tossers, grid, cv=StratifiedKFold(3, shuffle=True, random_state=seed))
        boasts.append(search.fit(X, y).best_score_)
        found = nested_cross_validate(tossers, X, y, param_grid=grid, inner=3, outer=5, random_state=seed)
        nested.append(found.mean)
        assert found.inner_scores.mean() > found.mean + 0.02
    assert np.mean(boasts) > 0.58
    assert np.mean(nested) == pytest.approx(0.5, abs=0.06)


def test_a_nested_result_says_what_was_found():
    grid = {"max_depth": [1, 3]}
    result = nested_cross_validate(
        DecisionTreeClassifier(random_state=0), *IRIS, param_grid=grid, inner=3, outer=5, random_state=0
    )
    assert result.mean == pytest.approx(result.scores.mean())
    assert result.deviation == pytest.approx(result.scores.std(ddof=1))
    half = 2.776445 * result.deviation * np.sqrt(1 / 5 + 1 / 4)
    assert result.interval == pytest.approx((result.mean - half, result.mean + half), rel=1e-6)
    assert result.estimators == []
    rows = pd.DataFrame(result.rows())
    assert list(rows) == ["split", "score", "inner_score", "max_depth"]
    assert rows["score"].tolist() == result.scores.tolist()
    assert "5 outer splits" in str(result)
    again = nested_cross_validate(
        DecisionTreeClassifier(random_state=0), *IRIS, param_grid=grid, inner=3, outer=5, random_state=0, n_jobs=2
    )
    assert (again.scores == result.scores).all()


def test_nested_around_a_search_of_ones_own():
    search = RandomizedSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3, 1]}, n_iter=2, random_state=0, cv=3)
    result = nested_cross_validate(search, *IRIS, outer=3, random_state=0)
    assert len(result.scores) == 3
    one = ValidationSearch(GaussianNB(), {"var_smoothing": [1e-9, 1]}, random_state=0)
    assert nested_cross_validate(one, *IRIS, outer=3, random_state=0).mean > 0.9


def test_nested_asks_for_something_to_tune():
    with pytest.raises(ValueError, match="give the values to try, or a search"):
        nested_cross_validate(GaussianNB(), *IRIS)
    with pytest.raises(ValueError, match="confidence must be a number"):
        nested_cross_validate(GaussianNB(), *IRIS, param_grid={}, confidence=95)
    with pytest.raises(ValueError, match="scoring must name one score"):
        nested_cross_validate(
            ValidationSearch(GaussianNB(), {"var_smoothing": [1]}), *IRIS, outer=2, scoring=["accuracy", "f1_macro"]
        )


@pytest.mark.filterwarnings("ignore")
def test_nested_search_that_fails_or_does_not_refit():
    class Flaky(DecisionTreeClassifier):
        def fit(self, X, y):
            if 0 in np.unique(X[:, 0] == IRIS[0][0, 0]) and len(X) % 2:
                raise RuntimeError("odd")
            return super().fit(X, y)

    with pytest.raises(ValueError, match="outer splits have no score"):
        ev.nested_cross_validate(
            Flaky(), IRIS[0][:149], IRIS[1][:149], param_grid={"max_depth": [1]}, outer=KFold(4), inner=KFold(4)
        )
    with pytest.raises(ValueError, match="outer splits have no score"):
        ev.nested_cross_validate(GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1]}, refit=False), *IRIS)
    with pytest.raises(ValueError, match="single split"):
        ev.nested_cross_validate(
            DecisionTreeClassifier(), *IRIS, param_grid={"max_depth": [1]}, outer=ShuffleSplit(1), inner=2
        )


def test_validation_frame_of_other_columns():
    X = pd.DataFrame(IRIS[0], columns=list("abcd"))
    search = ev.ValidationSearch(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]})
    with pytest.raises(ValueError, match="different columns"):
        search.fit(X, IRIS[1], validation=(X.rename(columns={"d": "x"}), IRIS[1]))
    turned = search.fit(X, IRIS[1], validation=(X[list("dcba")], IRIS[1]))
    assert turned.best_score_ > 0.9


def test_confidence_is_below_1():
    with pytest.raises(ValueError, match=r"confidence must be a number > 0 and < 1, such as 0\.95"):
        ev.out_of_bag_score(GaussianNB(), *IRIS, confidence=1)
    with pytest.raises(ValueError, match="confidence must be"):
        ev.nested_cross_validate(GaussianNB(), *IRIS, param_grid={"var_smoothing": [1]}, confidence=1.0)
