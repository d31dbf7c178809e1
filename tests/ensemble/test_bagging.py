"""Bagging, its out-of-bag estimates and random subspaces."""

import numpy as np
import pandas as pd
import pytest
from samples import melons
from sklearn.datasets import make_classification, make_regression

import lanatus
from lanatus.bayes import GaussianNB
from lanatus.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    RandomSubspaceClassifier,
    RandomSubspaceRegressor,
)
from lanatus.ensemble.bagging._projected import ProjectedLearner
from lanatus.evaluation import bias_variance
from lanatus.tree import DecisionStump, DecisionTreeClassifier, DecisionTreeRegressor


def data(n=600, seed=0, **more):
    X, y = make_classification(n, 10, n_informative=5, flip_y=0.1, random_state=seed, **more)
    return X, np.array(["好瓜", "坏瓜"])[y]


@pytest.mark.covers("ensemble.bagging")
def test_the_answer_is_the_mean_or_the_vote_of_trees_on_bootstrap_samples():
    X, y = data()
    soft = BaggingClassifier(n_estimators=7, random_state=0).fit(X, y)
    hard = BaggingClassifier(n_estimators=7, voting="hard", random_state=0).fit(X, y)
    codes = np.searchsorted(soft.classes_, y)
    for model, rows in zip(soft.estimators_, soft.estimators_samples_, strict=True):
        assert len(rows) == len(X)
        again = DecisionTreeClassifier().fit(X[rows], codes[rows])
        np.testing.assert_array_equal(model.predict(X), again.predict(X))
    mean = np.mean([model.predict_proba(X) for model in soft.estimators_], axis=0)
    np.testing.assert_allclose(soft.predict_proba(X), mean, rtol=1e-12)
    votes = np.mean([model.predict(X) == 1 for model in hard.estimators_], axis=0)
    np.testing.assert_allclose(hard.predict_proba(X)[:, 1], votes, rtol=1e-12)
    np.testing.assert_array_equal(hard.predict(X), hard.classes_[(votes > 0.5).astype(int)])


@pytest.mark.covers("ensemble.bagging")
def test_ties_of_votes_go_to_the_surer_class():
    X, y = data(200)
    model = BaggingClassifier(GaussianNB(), 2, voting="hard", max_samples=0.05, random_state=1).fit(X, y)
    votes = model.predict_proba(X)
    tied = votes[:, 0] == 0.5
    assert tied.any()
    sure = np.mean([m.predict_proba(X) for m in model.estimators_], axis=0)
    np.testing.assert_array_equal(model.predict(X)[tied], model.classes_[sure[tied].argmax(axis=1)])


@pytest.mark.covers("ensemble.bagging-oob-estimate")
def test_a_bootstrap_sample_has_63_percent_and_the_rest_foretell_the_error():
    """Claim 7."""
    X, y = data(4000)
    model = BaggingClassifier(n_estimators=40, oob_score=True, random_state=0).fit(X[:2000], y[:2000])
    share = np.mean([len(np.unique(rows)) / 2000 for rows in model.estimators_samples_])
    assert share == pytest.approx(1 - 1 / np.e, abs=0.005)
    assert model.oob_score_ == pytest.approx(model.score(X[2000:], y[2000:]), abs=0.03)


@pytest.mark.covers("ensemble.bagging-oob-estimate")
@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")  # of few members
def test_out_of_bag_answers_by_hand():
    X, y = data(80)
    model = BaggingClassifier(n_estimators=3, oob_score=True, random_state=0).fit(X, y)
    total, count = np.zeros((80, 2)), np.zeros(80)
    for member, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(80), rows)
        total[out] += member.predict_proba(X[out])
        count[out] += 1
    never = count == 0
    assert never.any()
    assert np.isnan(model.oob_decision_function_[never]).all()
    np.testing.assert_allclose(model.oob_decision_function_[~never], total[~never] / count[~never, None], rtol=1e-12)
    right = model.classes_[total[~never].argmax(axis=1)] == y[~never]
    assert model.oob_score_ == pytest.approx(right.mean())
    counted = BaggingClassifier(n_estimators=3, oob_score=lambda a, b: (a == b).sum(), random_state=0).fit(X, y)
    assert counted.oob_score_ == right.sum()
    with pytest.raises(ValueError, match="left out"):
        BaggingClassifier(bootstrap=False, oob_score=True).fit(X, y)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")  # of few members
def test_out_of_bag_of_regression():
    X, y = make_regression(300, 5, noise=10, random_state=0)
    model = BaggingRegressor(n_estimators=30, oob_score=True, random_state=0).fit(X, y)
    assert 0.5 < model.oob_score_ < model.score(X, y)
    few = BaggingRegressor(n_estimators=2, oob_score=True, random_state=0).fit(X, y)
    assert np.isnan(few.oob_prediction_).any()
    assert np.isfinite(few.oob_score_)


@pytest.mark.covers("ensemble.oob-uses")
def test_rows_left_out_prune_the_trees():
    X, y = data(1400)
    X, y, new, truth = X[:400], y[:400], X[400:], y[400:]
    whole = BaggingClassifier(n_estimators=5, random_state=0).fit(X, y)
    pruned = BaggingClassifier(n_estimators=5, oob_use="prune", random_state=0).fit(X, y)
    for big, small, rows in zip(whole.estimators_, pruned.estimators_, pruned.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(400), rows)
        codes = np.searchsorted(pruned.classes_, y)
        assert small.get_n_leaves() < big.get_n_leaves()
        assert small.score(X[out], codes[out]) >= big.score(X[out], codes[out])
    assert pruned.score(new, truth) > 0.7
    with pytest.raises(ValueError, match="prune"):
        BaggingClassifier(GaussianNB(), oob_use="prune").fit(X, y)


@pytest.mark.covers("ensemble.oob-uses")
def test_rows_left_out_estimate_the_leaves():
    X, y = data(400)
    plain = BaggingClassifier(DecisionTreeClassifier(max_depth=3), 5, random_state=0).fit(X, y)
    model = BaggingClassifier(DecisionTreeClassifier(max_depth=3), 5, oob_use="posterior", random_state=0).fit(X, y)
    codes = np.searchsorted(model.classes_, y)
    for member, other, rows in zip(model.estimators_, plain.estimators_, model.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(400), rows)
        leaf = member.apply(X[out])
        np.testing.assert_array_equal(leaf, other.apply(X[out]))
        for node in np.unique(leaf):
            share = np.bincount(codes[out][leaf == node], minlength=2) / (leaf == node).sum()
            np.testing.assert_allclose(member.predict_proba(X[out][leaf == node][:1])[0], share, rtol=1e-12)
    with pytest.raises(TypeError, match="decision tree"):
        BaggingClassifier(GaussianNB(), oob_use="posterior").fit(X, y)


@pytest.mark.covers("ensemble.oob-uses")
@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")  # of few members
def test_rows_left_out_stop_the_growth_of_the_ensemble():
    X, y = data(300)
    how = {"oob_use": "early_stopping", "n_iter_no_change": 5, "oob_score": True, "random_state": 0}
    model = BaggingClassifier(DecisionStump(), 200, **how).fit(X, y)
    assert 1 <= len(model.estimators_) < 200
    longer = BaggingClassifier(DecisionStump(), len(model.estimators_) + 5, oob_score=True, random_state=0).fit(X, y)
    assert model.oob_score_ >= longer.oob_score_
    both = BaggingClassifier(DecisionStump(), 200, n_jobs=2, **how).fit(X, y)
    assert len(both.estimators_) == len(model.estimators_)


def test_jobs_do_not_matter_and_more_can_be_added():
    X, y = data(200)
    one = BaggingClassifier(n_estimators=6, random_state=3).fit(X, y)
    two = BaggingClassifier(n_estimators=6, random_state=3, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    warm = BaggingClassifier(n_estimators=2, random_state=3, warm_start=True).fit(X, y)
    first = warm.estimators_[0]
    warm.set_params(n_estimators=6).fit(X, y)
    assert warm.estimators_[0] is first
    np.testing.assert_array_equal(warm.predict_proba(X), one.predict_proba(X))
    with pytest.raises(ValueError, match="n_estimators=3"):
        warm.set_params(n_estimators=3).fit(X, y)


def test_columns_are_drawn_too_of_tables_as_well():
    X, y = melons("3.0")
    for put_back in (False, True):
        model = BaggingClassifier(n_estimators=8, max_features=4, bootstrap_features=put_back, random_state=0).fit(X, y)
        assert {len(columns) for columns in model.estimators_features_} == {4}
        assert model.score(X, y) > 0.8
    with pytest.raises(ValueError, match="max_features=9"):
        BaggingClassifier(max_features=9).fit(X, y)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")  # of few members
def test_weights_draw_and_zero_is_never_drawn():
    X, y = data(200)
    weight = np.r_[np.full(100, 3.0), np.zeros(100)]
    model = BaggingClassifier(n_estimators=5, oob_score=True, random_state=0).fit(X, y, sample_weight=weight)
    assert max(rows.max() for rows in model.estimators_samples_) < 100
    assert np.isnan(model.oob_decision_function_[100:]).all()
    with pytest.raises(ValueError, match="zero"):
        BaggingClassifier().fit(X, y, sample_weight=np.zeros(200))


def test_boosting_lowers_bias_and_bagging_lowers_variance():
    """Claim 6: on stumps boosting takes bias, on trees bagging takes variance; naive Bayes gains nothing (ex 8.6)."""
    X, y = data(900)
    pool, labels, new, truth = X[:500], y[:500], X[500:], y[500:]

    def parts(model):
        return bias_variance(model, pool, labels, new, truth, n_sets=12, random_state=0)

    stump, boosted = parts(DecisionStump()), parts(AdaBoostClassifier(n_estimators=40))
    assert boosted.bias < stump.bias - 0.02
    tree, bagged = parts(DecisionTreeClassifier()), parts(BaggingClassifier(n_estimators=20, random_state=0))
    assert bagged.variance < tree.variance - 0.02
    bayes, of_bayes = parts(GaussianNB()), parts(BaggingClassifier(GaussianNB(), 20, random_state=0))
    assert abs(bayes.error - of_bayes.error) < 0.02


def test_random_trees_need_company():
    """Claim 8: trees that try few columns a node are worse alone, and more of them are better."""
    X, y = data(1200, seed=3)
    forest = DecisionTreeClassifier(max_features="log2")

    def error(tree, size):
        scores = [
            BaggingClassifier(tree, size, random_state=s).fit(X[:600], y[:600]).score(X[600:], y[600:])
            for s in range(4)
        ]
        return 1 - np.mean(scores)

    assert error(forest, 1) > error(DecisionTreeClassifier(), 1) - 0.01
    assert error(forest, 30) < error(forest, 1) - 0.05


@pytest.mark.covers("ensemble.random-subspace")
def test_subspaces_use_their_columns_only():
    """Claim 13."""
    X, y = data()
    model = RandomSubspaceClassifier(n_estimators=9, n_features=3, random_state=0).fit(X, y)
    codes = np.searchsorted(model.classes_, y)
    for member, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        assert len(set(columns.tolist())) == 3
        again = DecisionTreeClassifier().fit(X[:, columns], codes)
        np.testing.assert_array_equal(member.predict(X[:, columns]), again.predict(X[:, columns]))
        assert member.n_features_in_ == 3
    assert len({tuple(columns) for columns in model.estimators_features_}) > 3


def test_subspaces_help_where_columns_repeat_each_other_and_hurt_where_they_are_few():
    """Claim 13."""
    rng = np.random.RandomState(0)
    hidden = rng.randn(800, 3)
    y = (hidden.sum(axis=1) + 0.8 * rng.randn(800) > 0).astype(int)
    many = np.hstack([hidden + 0.7 * rng.randn(800, 3) for _ in range(10)])
    single = DecisionTreeClassifier().fit(many[:400], y[:400]).score(many[400:], y[400:])
    several = RandomSubspaceClassifier(n_features=0.5, random_state=0).fit(many[:400], y[:400])
    assert several.score(many[400:], y[400:]) > single + 0.03
    checkers = ((hidden[:, 0] > 0) ^ (hidden[:, 1] > 0)).astype(int)
    two = hidden[:, :2]
    alone = DecisionTreeClassifier().fit(two[:400], checkers[:400]).score(two[400:], checkers[400:])
    split = RandomSubspaceClassifier(n_features=1, random_state=0).fit(two[:400], checkers[:400])
    assert split.score(two[400:], checkers[400:]) < alone - 0.2


def test_subspaces_of_regression():
    X, y = make_regression(200, 6, random_state=0)
    model = RandomSubspaceRegressor(DecisionTreeRegressor(max_depth=4), 20, 3, random_state=0).fit(X, y)
    mean = np.mean(
        [m.predict(X[:, c]) for m, c in zip(model.estimators_, model.estimators_features_, strict=True)], axis=0
    )
    np.testing.assert_allclose(model.predict(X), mean, rtol=1e-12)


@pytest.mark.covers("ensemble.random-subspace")
def test_random_directions_instead_of_columns():
    """Each member learns from X P, P drawn for it; its answer is that of the learner on X P, by hand."""
    X, y = data(300)
    model = RandomSubspaceClassifier(GaussianNB(), 6, n_features=2, subspace="projection", random_state=0).fit(X, y)
    codes = np.searchsorted(model.classes_, y)
    directions = [member.directions_ for member in model.estimators_]
    assert {one.shape for one in directions} == {(X.shape[1], 2)}
    assert len({one.tobytes() for one in directions}) == 6
    by_hand = [GaussianNB().fit(X @ one, codes).predict_proba(X @ one) for one in directions]
    np.testing.assert_allclose(model.predict_proba(X), np.mean(by_hand, axis=0), rtol=1e-12)
    again = RandomSubspaceClassifier(GaussianNB(), 6, n_features=2, subspace="projection", random_state=0).fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    many = ProjectedLearner(GaussianNB(), 500, 0)
    with pytest.raises(ValueError, match="n_features=500 is more than"):
        many.fit(X, codes)


@pytest.mark.covers("ensemble.random-subspace")
def test_random_directions_of_mixed_tables_with_weights(tmp_path):
    frame = pd.DataFrame({"x": np.arange(40.0), "色": ["青", "黑"] * 20})
    y, weight = np.arange(40) % 40 >= 20, np.arange(40) % 3
    for model in (
        RandomSubspaceClassifier(n_estimators=5, subspace="projection", random_state=0),
        RandomSubspaceRegressor(n_estimators=5, subspace="projection", random_state=0),
    ):
        model.fit(frame, y.astype(float) if "Regressor" in type(model).__name__ else y, sample_weight=weight)
        assert model.score(frame, y, sample_weight=weight) > 0.9
        loaded = lanatus.load(lanatus.save(model, tmp_path / "model.skops"))
        np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
