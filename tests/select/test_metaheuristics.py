"""Searches of subsets that go back, or on through worse ones; filters of terms; the zero norm."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import chi2_contingency, norm
from sklearn.datasets import load_wine
from sklearn.feature_selection import mutual_info_classif
from sklearn.svm import LinearSVC

from lanatus.bayes import GaussianNB
from lanatus.select import (
    BestFirstSelector,
    ExhaustiveFeatureSelector,
    MetaheuristicSelector,
    SequentialFeatureSelector,
    ZeroNormSelector,
    text_filter,
)

WINE, KINDS = load_wine(return_X_y=True)


def rugged(seed=0, d=10):
    """A criterion with many local optima: each subset has a value of its own."""
    table = np.random.RandomState(seed).rand(2**d)
    smooth = np.random.RandomState(seed + 1).rand(d) - 0.5

    def value(X, y, subset):
        at = sum(1 << j for j in subset)
        return float(0.4 * table[at] + smooth[subset].sum())

    X = np.random.RandomState(2).randn(6, d)
    return value, X, [0, 1, 0, 1, 0, 1]


@pytest.mark.covers("select.annealing-selection", "select.tabu-selection", "select.genetic-selection")
@pytest.mark.parametrize("method", ["annealing", "tabu", "genetic"])
@pytest.mark.parametrize("wanted", [None, 4])
def test_searches_find_what_all_subsets_have(method, wanted):
    for seed in range(3):
        value, X, y = rugged(seed)
        every = ExhaustiveFeatureSelector(criterion=value, min_features=wanted or 1, max_features=wanted).fit(X, y)
        found = MetaheuristicSelector(
            criterion=value,
            method=method,
            n_features_to_select=wanted,
            max_evaluations=6000,
            patience=None if method == "annealing" else 80,
            random_state=seed,
        ).fit(X, y)
        greedy = SequentialFeatureSelector(criterion=value, n_features_to_select=wanted or "best").fit(X, y)
        top = sorted((one.score for one in every.subsets_), reverse=True)
        assert found.score_ >= greedy.score_
        assert found.score_ >= top[2]
        assert found.score_ == pytest.approx(value(X, y, np.flatnonzero(found.support_)))
        assert wanted is None or found.support_.sum() == wanted
        assert np.all(np.diff(found.history_) >= 0)
        assert found.history_[-1] == pytest.approx(found.score_)


@pytest.mark.covers("select.annealing-selection", "select.tabu-selection", "select.genetic-selection")
@pytest.mark.parametrize("method", ["annealing", "tabu", "genetic"])
def test_searches_with_a_learner_keep_to_their_budget(method):
    how = {"method": method, "max_evaluations": 40, "random_state": 0, "cv": 3}
    found = MetaheuristicSelector(GaussianNB(), **how).fit(WINE, KINDS)
    assert len(found.subsets_) <= 40 + 13  # of tabu search the neighbours of the last step
    assert found.score_ == max(one.score for one in found.subsets_)
    assert found.score_ > 0.9
    again = MetaheuristicSelector(GaussianNB(), **how).fit(WINE, KINDS)
    np.testing.assert_array_equal(again.support_, found.support_)
    assert again.history_ == found.history_
    few = MetaheuristicSelector(GaussianNB(), penalty=3.0, **how).fit(WINE, KINDS)
    assert few.support_.sum() < found.support_.sum()
    with pytest.raises(ValueError, match="more than the 13"):
        MetaheuristicSelector(method=method, n_features_to_select=14).fit(WINE, KINDS)


@pytest.mark.covers("select.tabu-selection")
def test_one_column_and_all_columns():
    for method in ("annealing", "tabu", "genetic"):
        how = {"method": method, "max_evaluations": 30, "random_state": 0}
        assert MetaheuristicSelector(**how).fit(WINE[:, :1], KINDS).support_.tolist() == [True]
        whole = MetaheuristicSelector(n_features_to_select=3, **how).fit(WINE[:, :3], KINDS)
        assert whole.support_.all()


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_best_first_goes_back_where_greedy_search_is_stuck(direction):
    better = 0
    for seed in range(8):
        value, X, y = rugged(seed)
        how = {"criterion": value, "direction": direction}
        greedy = SequentialFeatureSelector(n_features_to_select="best", **how).fit(X, y)
        found = BestFirstSelector(patience=8, **how).fit(X, y)
        assert found.score_ >= greedy.score_
        better += found.score_ > greedy.score_
        every = BestFirstSelector(patience=2000, **how).fit(X, y)  # with patience it sees all
        assert len(every.subsets_) == 2**10 - 1
        assert every.score_ == max(one.score for one in every.subsets_)
    assert better >= 2


def test_beams_widen_from_greedy_search_to_all_subsets():
    for seed in range(4):
        value, X, y = rugged(seed)
        greedy = SequentialFeatureSelector(criterion=value, n_features_to_select=4).fit(X, y)
        scores = []
        for width in (1, 3, 10, 10_000):
            beam = BestFirstSelector(criterion=value, width=width, n_features_to_select=4).fit(X, y)
            assert beam.support_.sum() == 4
            scores.append(beam.score_)
        assert scores[0] == pytest.approx(max(one.score for one in greedy.path_ if len(one.subset) == 4))
        whole = max(value(X, y, np.array(one)) for one in combinations(range(10), 4))
        assert scores[-1] == pytest.approx(whole)
        assert scores[2] >= scores[0]
    back = BestFirstSelector(criterion=value, width=10_000, direction="backward", n_features_to_select=4).fit(X, y)
    assert back.score_ == pytest.approx(whole)


@pytest.mark.covers("select.zero-norm-svm")
def test_the_zero_norm_leaves_few_columns_and_parts_the_classes():
    rng = np.random.RandomState(0)
    X = rng.randn(150, 30) * np.logspace(-3, 3, 30)  # of any size
    y = X[:, 2] / X[:, 2].std() + X[:, 20] / X[:, 20].std() > 0
    found = ZeroNormSelector().fit(X, y)
    assert np.flatnonzero(found.support_).tolist() == [2, 20]
    assert np.all(np.diff(found.path_) <= 0)
    assert np.flatnonzero(ZeroNormSelector(1).fit(X, y).support_)[0] in (2, 20)
    assert ZeroNormSelector(7).fit(X, y).support_.sum() == 7
    assert ZeroNormSelector(30).fit(X, y).support_.all()


@pytest.mark.covers("select.zero-norm-svm")
def test_the_first_round_is_a_machine_of_least_weights():
    Z = (WINE - WINE.mean(axis=0)) / WINE.std(axis=0)
    once = ZeroNormSelector(C=0.5, max_iter=1, tol=0.0).fit(WINE, KINDS)
    # A bias far larger than the weights is hardly penalised, as ours is not.
    peer = LinearSVC(C=0.5, intercept_scaling=1e3, tol=1e-10, max_iter=1_000_000, dual=False).fit(Z, KINDS)
    worth = np.linalg.norm(peer.coef_, axis=0)
    np.testing.assert_allclose(once.relevance_, worth / worth.max(), rtol=2e-3)


@pytest.mark.covers("select.zero-norm-svm")
def test_words_constant_columns_and_one_class():
    import pandas as pd

    frame = pd.DataFrame({"a": np.ones(60), "b": np.tile(["x", "y", "z"], 20), "c": np.tile(np.arange(4.0), 15)})
    found = ZeroNormSelector().fit(frame, frame["b"] == "y")
    assert found.get_feature_names_out().tolist() == ["b"]
    assert ZeroNormSelector().fit(frame, np.ones(60)).support_.sum() == 1


def counts(seed=0, n=80, d=30):
    rng = np.random.RandomState(seed)
    y = rng.randint(3, size=n)
    X = rng.poisson(0.4, size=(n, d))
    X[:, 0] = y == 1
    X[:, 1] = 0
    X[:, 2] = 1
    return X, y


@pytest.mark.covers("select.text-filter-metrics")
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_terms_by_the_table_of_each(make):
    X, y = counts()
    there = X > 0
    shares = np.bincount(y) / len(y)
    wanted: dict[str, list] = {"chi2": [], "bns": [], "mutual-information": []}
    for t in range(30):
        one = {name: [] for name in wanted}
        for c in range(3):
            table = np.array([[(there[:, t] & (y == c)).sum(), (there[:, t] & (y != c)).sum()],
                              [(~there[:, t] & (y == c)).sum(), (~there[:, t] & (y != c)).sum()]])  # fmt: skip
            whole = table.sum(axis=1).min() > 0
            one["chi2"].append(chi2_contingency(table, correction=False)[0] if whole else 0.0)
            rates = np.clip(table[0] / table.sum(axis=0), 0.0005, 0.9995)
            one["bns"].append(abs(norm.ppf(rates[0]) - norm.ppf(rates[1])))
            with np.errstate(divide="ignore"):
                ratio = table[0, 0] * 80 / (table[0].sum() * (y == c).sum()) if table[0].sum() else 1.0
                one["mutual-information"].append(np.log2(ratio))
        for name in wanted:
            wanted[name].append(one[name])
    for name, values in wanted.items():
        np.testing.assert_allclose(text_filter(make(X), y, name), np.max(values, axis=1), atol=1e-10)
        np.testing.assert_allclose(text_filter(make(X), y, name, over="mean"), np.array(values) @ shares, atol=1e-10)
    gain = mutual_info_classif(there, y, discrete_features=True) / np.log(2)
    np.testing.assert_allclose(text_filter(make(X), y, "information-gain"), gain, atol=1e-10)
    np.testing.assert_array_equal(text_filter(make(X), method="document-frequency"), there.sum(axis=0))


@pytest.mark.covers("select.text-filter-metrics")
def test_strength_is_the_chance_in_a_related_document():
    X, _ = counts(n=25)
    X = X.astype(float)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    related = (unit @ unit.T >= 0.4) & ~np.eye(25, dtype=bool)
    there = X > 0
    found = text_filter(X, method="term-strength", similarity=0.4)
    for t in range(30):
        pairs = [(i, j) for i in range(25) for j in range(25) if related[i, j] and there[i, t]]
        wanted = np.mean([there[j, t] for _, j in pairs]) if pairs else 0.0
        assert found[t] == pytest.approx(wanted)
    assert text_filter(X, method="term-strength")[2] == pytest.approx(1.0)  # a term that all have


@pytest.mark.covers("select.text-filter-metrics")
def test_filters_refuse_what_is_no_count():
    X, y = counts()
    with pytest.raises(ValueError, match="zero or more"):
        text_filter(X - 1.0, y)
    with pytest.raises(ValueError, match="requires y"):
        text_filter(X)
    with pytest.raises(ValueError, match="method"):
        text_filter(X, y, "tf-idf")
