"""Learners that label rows for themselves and for each other."""

import numpy as np
import pytest
import sklearn.semi_supervised
from sklearn.datasets import load_breast_cancer, make_blobs
from sklearn.linear_model import LogisticRegression as TheirRegression
from sklearn.preprocessing import StandardScaler

from lanatus.bayes import GaussianNB
from lanatus.callbacks import Recorder
from lanatus.data import load_watermelon
from lanatus.kernel import LinearSVC
from lanatus.linear import LogisticRegression
from lanatus.semi import CoTraining, SelfTrainingClassifier, TriTraining, split_views


@pytest.fixture(scope="module")
def cells():
    X, truth = load_breast_cancer(return_X_y=True)
    y = np.where(np.random.default_rng(0).random(len(truth)) < 0.05, truth, -1)
    return StandardScaler().fit_transform(X), y, truth


@pytest.mark.covers("semi.self-training")
@pytest.mark.parametrize(
    "how",
    [{}, {"threshold": 0.999}, {"criterion": "k_best", "k_best": 7}, {"max_iter": None}, {"max_iter": 2}],
    ids=str,
)
def test_self_training_is_scikit_learns(cells, how):
    X, y, _ = cells
    theirs = sklearn.semi_supervised.SelfTrainingClassifier(TheirRegression(tol=1e-8), **how).fit(X, y)
    ours = SelfTrainingClassifier(TheirRegression(tol=1e-8), **how).fit(X, y)
    np.testing.assert_array_equal(ours.transduction_, theirs.transduction_)
    np.testing.assert_array_equal(ours.labeled_iter_, theirs.labeled_iter_)
    assert (ours.n_iter_, ours.termination_condition_) == (theirs.n_iter_, theirs.termination_condition_)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)  # warm, and cold
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.covers("semi.self-training")
def test_a_learner_with_coefficients_goes_on_from_them(cells):
    X, y, truth = cells
    recorder = Recorder()
    warm = SelfTrainingClassifier(LogisticRegression(), max_iter=None).set_callbacks(recorder).fit(X, y)
    assert len(recorder) == warm.n_iter_ > 2
    assert not warm.estimator_.warm_start
    known = warm.labeled_iter_ >= 0
    cold = LogisticRegression(tol=1e-8).fit(X[known], warm.transduction_[known])
    np.testing.assert_allclose(warm.estimator_.coef_, cold.coef_, atol=1e-3)
    assert warm.score(X, truth) > 0.93


@pytest.mark.covers("semi.self-training")
def test_words_stay_words_and_a_learner_without_probabilities_is_refused(cells):
    X, y, _ = cells
    words = np.where(y < 0, None, np.where(y == 1, "benign", "malignant"))
    model = SelfTrainingClassifier(GaussianNB(), threshold=0.9999, max_iter=1).fit(X, words)
    assert set(model.classes_) == {"benign", "malignant"}
    assert {None} < set(model.transduction_)
    assert (model.transduction_[y >= 0] == words[y >= 0]).all()
    with pytest.raises(ValueError, match="predict_proba"):
        SelfTrainingClassifier(LinearSVC()).fit(X, y)


@pytest.mark.covers("semi.tri-training")
def test_three_learners_teach_each_other(cells):
    X, y, truth = cells
    recorder = Recorder()
    model = TriTraining(GaussianNB(), random_state=0).set_callbacks(recorder).fit(X, y)
    assert len(recorder) == model.n_iter_ > 1
    np.testing.assert_array_equal(model.transduction_[y >= 0], y[y >= 0])
    proba = model.predict_proba(X)
    assert set(np.round(3 * proba).ravel()) <= {0.0, 1.0, 2.0, 3.0}
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    alone = GaussianNB().fit(X[y >= 0], truth[y >= 0]).score(X, truth)
    assert model.score(X, truth) >= alone - 0.01


@pytest.mark.covers("semi.tri-training")
def test_the_rule_of_tri_training_round_by_round():
    """The published rule, with learners that answer by rote, so that every number is known."""
    codes = np.array([0, 0, 1, 1, -1, -1, -1, -1, -1, -1])
    X = np.arange(10.0)[:, None]

    class Rote:
        def __init__(self, answers):
            self.answers = np.array(answers)

        def predict(self, rows):
            return self.answers[rows[:, 0].astype(int)]

    right, one_wrong = [0, 0, 1, 1, 0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 0, 0, 1, 1, 1, 1]
    model = TriTraining(GaussianNB())
    model.classes_ = np.array([0, 1])
    known, asked = np.arange(4), np.arange(4, 10)
    rng = np.random.RandomState(0)
    models = [Rote(right), Rote(right), Rote(one_wrong)]
    rows, labels, error = model._lesson(0, models, X, codes, known, asked, 0.5, 0.0, rng)
    assert (rows.tolist(), labels.tolist(), error) == ([4, 5, 7, 8, 9], [0, 0, 1, 1, 1], 0.0)
    assert model._lesson(0, models, X, codes, known, asked, 0.0, 5.0, rng) is None  # the error did not fall
    bad = [0, 1, 1, 1, 0, 0, 0, 1, 1, 1]
    models = [Rote(right), Rote(bad), Rote(bad)]  # agree everywhere, wrong on one of four labelled rows
    rows, _, error = model._lesson(0, models, X, codes, known, asked, 0.5, 0.0, rng)
    assert error == 0.25
    # e = 1/4, e' = 1/2: l' = floor(e / (e' - e) + 1) = 2 < 6, and 1/4 * 6 >= 1/2 * 2, so of the six
    # ceil(1/2 * 2 / (1/4) - 1) = 3 are drawn
    assert len(rows) == 3
    assert model._lesson(0, models, X, codes, known, asked, 0.5, 6.0, rng) is None  # as many as before


@pytest.mark.covers("semi.co-training")
def test_two_views_lift_a_weak_learner():
    """Sufficient views, independent given the class: the claim of section 13.5, on two labels a class."""
    rng = np.random.default_rng(0)
    gains = []
    for seed in range(10):
        truth = rng.integers(0, 2, 400)
        means = np.array([[-1.0, -1.0], [1.0, 1.0]])
        X = np.hstack([means[truth] + rng.normal(size=(400, 2)), means[truth] + rng.normal(size=(400, 2))])
        y = np.full(400, -1)
        for code in (0, 1):
            y[np.flatnonzero(truth == code)[:2]] = code
        model = CoTraining(GaussianNB(), views=([0, 1], [2, 3]), random_state=seed).fit(X, y)
        alone = GaussianNB().fit(X[y >= 0], truth[y >= 0])
        gains.append(model.score(X, truth) - alone.score(X, truth))
    assert np.mean(gains) > 0.05


@pytest.mark.covers("semi.co-training")
def test_a_round_of_figure_13_6():
    X = np.array([[-3.0, 9], [3, 9], [-2.5, 9], [2.0, 9], [9, -2.6], [9, 2.4]])
    y = np.array(["n", "p", None, None, None, None], dtype=object)
    X[:2, 1], X[2:4, 1], X[4:, 0] = (-3, 3), (0.1, -0.1), (0.1, -0.1)
    model = CoTraining(
        LogisticRegression(), views=([0], [1]), other=LogisticRegression(C=2.0), max_iter=1, random_state=0
    ).fit(X, y)
    # the first view is sure of rows 2 and 3, which the second learns; the second of 4 and 5, which the first learns
    first = LogisticRegression().fit(X[[0, 1, 4, 5]][:, [0]], ["n", "p", "n", "p"])
    second = LogisticRegression(C=2.0).fit(X[[0, 1, 2, 3]][:, [1]], ["n", "p", "n", "p"])
    np.testing.assert_allclose(model.estimators_[0].coef_, first.coef_, atol=1e-6)
    np.testing.assert_allclose(model.estimators_[1].coef_, second.coef_, atol=1e-6)
    product = first.predict_proba(X[:, [0]]) * second.predict_proba(X[:, [1]])
    np.testing.assert_allclose(model.predict_proba(X), product / product.sum(axis=1, keepdims=True), atol=1e-6)
    for views in (([0], [2]), ([0], []), ([0.5], [1])):
        with pytest.raises(ValueError, match="views"):
            CoTraining(GaussianNB(), views=views).fit(X, y)


@pytest.mark.covers("semi.view-splitting")
def test_views_part_what_belongs_together():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 600)
    hidden = rng.normal(size=(600, 2)) + 3 * truth[:, None]  # the class alone joins the two
    X = np.repeat(hidden, 3, axis=1) + 0.3 * rng.normal(size=(600, 6))
    order = rng.permutation(6)
    views = split_views(X[:, order], truth, random_state=0)
    assert {frozenset(order[view] // 3) for view in views} == {frozenset({0}), frozenset({1})}
    assert len(split_views(X[:, :5], truth)[0]) == 3
    holes = X[:, order].copy()
    holes[rng.random(holes.shape) < 0.1] = np.nan
    np.testing.assert_array_equal(split_views(holes, truth, random_state=0)[0], views[0])
    with pytest.raises(ValueError, match="two views"):
        split_views(X[:, :1], truth)


def test_mixed_tables_with_holes_go_through():
    frame, truth = load_watermelon("3.0", return_X_y=True)
    y = np.where(np.arange(len(truth)) % 3 == 0, truth, None)
    for model in (SelfTrainingClassifier(GaussianNB()), CoTraining(GaussianNB()), TriTraining(GaussianNB())):
        assert set(model.fit(frame, y).predict(frame)) <= set(truth)


def test_no_unlabelled_row_is_plain_learning():
    X, y = make_blobs(60, 2, random_state=0)
    plain = GaussianNB().fit(X, y).predict(X)
    np.testing.assert_array_equal(SelfTrainingClassifier(GaussianNB()).fit(X, y).predict(X), plain)
    for model in (CoTraining(GaussianNB()), TriTraining(GaussianNB(), random_state=0)):
        assert (model.fit(X, y).predict(X) == y).mean() > 0.85
