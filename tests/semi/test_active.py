"""Learners that ask."""

import io

import numpy as np
import pandas as pd
import pytest
from scipy.stats import entropy
from sklearn.cluster import DBSCAN
from sklearn.datasets import make_blobs
from sklearn.manifold import TSNE
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.semi_supervised import LabelSpreading as TheirSpreading

from lanatus.bayes import GaussianNB
from lanatus.callbacks import Recorder
from lanatus.cluster import KMeans
from lanatus.data import load_watermelon
from lanatus.kernel import SVC
from lanatus.linear import LogisticRegression
from lanatus.reduce import PCA
from lanatus.semi import (
    ActiveLearner,
    CoTraining,
    CsvOracle,
    LabelSpreading,
    TerminalOracle,
    TriTraining,
    committee_query,
    density_query,
    disagreement_query,
    expected_change_query,
    is_transductive,
    margin_query,
    uncertainty_query,
)
from lanatus.tree import DecisionTreeClassifier


@pytest.fixture(scope="module")
def clouds():
    X, truth = make_blobs(150, 3, centers=3, cluster_std=4.0, random_state=1)
    known = np.arange(30)
    return X, truth, X[known], truth[known], X[30:]


@pytest.mark.covers("semi.svm-margin-query")
def test_the_rows_nearest_to_the_hyperplane_are_asked_about(clouds):
    _, _, known, labels, pool = clouds
    two = labels < 2
    machine = SVC(kernel="linear").fit(known[two], labels[two])
    away = np.abs(pool @ machine.coef_.ravel() + machine.intercept_[0])  # |w x + b|
    np.testing.assert_array_equal(margin_query(machine, pool, 7), np.argsort(away)[:7])
    several = LogisticRegression().fit(known, labels)
    scores = np.sort(several.decision_function(pool), axis=1)
    np.testing.assert_array_equal(margin_query(several, pool, 5), np.argsort(scores[:, -1] - scores[:, -2])[:5])
    soft = GaussianNB().fit(known, labels)
    proba = np.sort(soft.predict_proba(pool), axis=1)
    np.testing.assert_array_equal(margin_query(soft, pool, 5), np.argsort(proba[:, -1] - proba[:, -2])[:5])
    assert len(margin_query(soft, pool, 1000)) == len(pool)
    assert len(margin_query(machine, pool[:0])) == 0
    with pytest.raises(ValueError, match="n must be"):
        margin_query(machine, pool, 0)


@pytest.mark.covers("semi.active-learning")
def test_uncertainty_is_that_of_the_formulas(clouds):
    _, _, known, labels, pool = clouds
    model = GaussianNB().fit(known, labels)
    proba = model.predict_proba(pool)
    ordered = np.sort(proba, axis=1)
    wanted = {
        "least-confident": 1 - ordered[:, -1],
        "margin": 1 - (ordered[:, -1] - ordered[:, -2]),
        "entropy": entropy(proba, axis=1),
    }
    for measure, use in wanted.items():
        np.testing.assert_array_equal(uncertainty_query(model, pool, 6, measure=measure), np.argsort(-use)[:6])
    with pytest.raises(ValueError, match="predict_proba"):
        uncertainty_query(SVC(kernel="linear").fit(known, labels), pool)
    with pytest.raises(ValueError, match="measure"):
        uncertainty_query(model, pool, measure="doubt")


@pytest.mark.covers("semi.active-learning")
def test_expected_change_is_the_length_of_the_gradient(clouds):
    _, _, known, labels, pool = clouds
    model = LogisticRegression().fit(known, labels)
    wide = np.column_stack([pool, np.ones(len(pool))])
    W = np.column_stack([model.coef_, model.intercept_])

    def loss(W, x, c):
        scores = W @ x
        return np.log(np.exp(scores - scores.max()).sum()) + scores.max() - scores[c]

    change, step = [], 1e-6
    for x, p in zip(wide[:40], model.predict_proba(pool[:40]), strict=True):
        total = 0.0
        for c in range(3):
            gradient = np.zeros_like(W)
            for at in np.ndindex(W.shape):
                up, down = W.copy(), W.copy()
                up[at] += step
                down[at] -= step
                gradient[at] = (loss(up, x, c) - loss(down, x, c)) / (2 * step)
            total += p[c] * np.linalg.norm(gradient)
        change.append(total)
    np.testing.assert_array_equal(expected_change_query(model, pool[:40], 10), np.argsort(-np.array(change))[:10])


@pytest.mark.covers("semi.active-learning")
def test_density_is_the_mean_cosine(clouds):
    _, _, known, labels, pool = clouds
    model = GaussianNB().fit(known, labels)
    like = (1 + cosine_similarity(pool - pool.mean(axis=0)).mean(axis=1)) / 2
    use = entropy(model.predict_proba(pool), axis=1) * like**3
    np.testing.assert_array_equal(density_query(model, pool, 8, beta=3.0), np.argsort(-use)[:8])
    plain = uncertainty_query(model, pool, 8, measure="entropy")
    np.testing.assert_array_equal(density_query(model, pool, 8, beta=0.0), plain)


@pytest.mark.covers("semi.active-learning")
def test_a_committee_is_asked_where_its_votes_and_probabilities_part(clouds):
    _, _, known, labels, pool = clouds
    members = [GaussianNB().fit(known[part], labels[part]) for part in (slice(0, 12), slice(8, 20), slice(15, 30))]
    said = np.stack([member.predict(pool) for member in members])
    shares = np.stack([(said == c).mean(axis=0) for c in range(3)], axis=1)
    dispute = entropy(shares, axis=1)
    chosen = committee_query(members, pool, 6)
    np.testing.assert_allclose(dispute[chosen], np.sort(dispute)[::-1][:6])
    proba = np.stack([member.predict_proba(pool) for member in members])
    divergence = np.mean([entropy(p, proba.mean(axis=0), axis=1) for p in proba], axis=0)
    np.testing.assert_array_equal(committee_query(members, pool, 6, measure="kl"), np.argsort(-divergence)[:6])
    narrow = [*members, GaussianNB().fit(known[labels < 2], labels[labels < 2])]  # knows two of the classes
    assert len(committee_query(narrow, pool, 3, measure="kl")) == 3
    with pytest.raises(ValueError, match="two members"):
        committee_query(members[:1], pool)


@pytest.mark.covers("semi.disagreement-query")
def test_contended_rows_come_first(clouds):
    X, truth, _, _, pool = clouds
    y = np.where(np.arange(len(X)) < 30, truth, -1)
    model = CoTraining(GaussianNB(), views=([0], [1, 2]), random_state=0).fit(X, y)
    one, other = model.estimators_
    a, b = one.predict(pool[:, [0]]), other.predict(pool[:, [1, 2]])
    sure = np.minimum(one.predict_proba(pool[:, [0]]).max(axis=1), other.predict_proba(pool[:, [1, 2]]).max(axis=1))
    contended = np.flatnonzero(a != b)
    assert len(contended) > 5
    chosen = disagreement_query(model, pool, len(pool))
    np.testing.assert_array_equal(chosen[: len(contended)], contended[np.argsort(-sure[contended], kind="stable")])
    agreed = np.flatnonzero(a == b)
    np.testing.assert_array_equal(chosen[len(contended) :], agreed[np.argsort(sure[agreed], kind="stable")])


def by_truth(truth):
    return lambda rows, X, classes: [truth[row] for row in rows]


@pytest.mark.covers("semi.active-learning")
@pytest.mark.parametrize(
    "query",
    [
        "hyperplane", "least-confident", "margin", "entropy", "vote-entropy", "kl", "disagreement", "expected-change",
        "density", "random",
    ],
)  # fmt: skip
def test_the_loop_spends_its_budget_and_ends_with_what_it_was_told(clouds, query):
    X, truth, *_ = clouds
    names = np.array(["a", "b", "c"], dtype=object)[truth]
    y = np.where(np.arange(len(X)) < 9, names, None)
    recorder = Recorder()
    learner = ActiveLearner(
        LogisticRegression(), query=query, oracle=by_truth(names), budget=10, batch=4, random_state=0
    )
    learner.set_callbacks(recorder).fit(X, y)
    assert len(set(learner.queried_.tolist())) == 10
    assert min(learner.queried_) >= 9
    assert learner.rounds_.tolist() == [1] * 4 + [2] * 4 + [3] * 2
    assert learner.n_iter_ == 3
    assert len(recorder) == 4
    known = np.array([label is not None for label in learner.labels_])
    assert set(np.flatnonzero(known)) == set(range(9)) | set(learner.queried_.tolist())
    assert (learner.labels_[known] == names[known]).all()
    same = LogisticRegression().fit(X[known], names[known])
    np.testing.assert_allclose(learner.estimator_.coef_, same.coef_, atol=1e-8)


@pytest.mark.covers("semi.active-learning")
def test_each_round_asks_what_the_learner_of_that_round_finds_useful(clouds):
    X, truth, *_ = clouds
    y = np.where(np.arange(len(X)) < 9, truth, -1)
    learner = ActiveLearner(SVC(kernel="linear"), oracle=by_truth(truth), budget=6).fit(X, y)
    known = list(range(9))
    for row in learner.queried_:
        pool = np.setdiff1d(np.arange(len(X)), known)
        model = SVC(kernel="linear").fit(X[np.sort(known)], truth[np.sort(known)])
        assert pool[margin_query(model, X[pool])[0]] == row
        known.append(row)


@pytest.mark.covers("semi.active-learning")
def test_what_nobody_knows_is_not_asked_again_and_new_classes_are_learned(clouds):
    X, truth, *_ = clouds
    known = np.flatnonzero(truth < 2)[:8]
    y = np.full(len(X), -1)
    y[known] = truth[known]
    learner = ActiveLearner(
        GaussianNB(),
        query="random",
        oracle=lambda rows, X, classes: [None if row % 2 else truth[row] for row in rows],
        budget=40,
        random_state=0,
    ).fit(X, y)
    assert len(set(learner.queried_.tolist())) == 40
    assert [a is None for a in learner.answers_] == [row % 2 == 1 for row in learner.queried_]
    assert learner.classes_.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="2 answers to 1 questions"):
        ActiveLearner(GaussianNB(), oracle=lambda rows, X, classes: [0, 1]).fit(X, y)
    with pytest.raises(ValueError, match="different places"):
        ActiveLearner(GaussianNB(), oracle=by_truth(truth), query=lambda m, P, n: [len(P)]).fit(X, y)


@pytest.mark.covers("semi.active-learning")
def test_no_label_at_all_is_a_beginning_where_somebody_answers(clouds):
    X, truth, *_ = clouds
    learner = ActiveLearner(SVC(kernel="linear"), oracle=by_truth(truth), budget=15, random_state=3)
    assert learner.fit(X, np.full(len(X), -1)).score(X, truth) > 0.6
    assert learner.fit(X, None).score(X, truth) > 0.6
    with pytest.raises(ValueError, match="no label at all"):
        ActiveLearner(SVC()).fit(X, np.full(len(X), -1))
    nobody = ActiveLearner(GaussianNB(), oracle=lambda rows, X, classes: [None] * len(rows), budget=3)
    with pytest.raises(ValueError, match="no row has a label"):
        nobody.fit(X, np.full(len(X), -1))


@pytest.mark.covers("semi.active-learning")
def test_nobody_to_ask_proposes_rows(clouds):
    X, truth, *_ = clouds
    y = np.where(np.arange(len(X)) < 9, truth, -1)
    learner = ActiveLearner(SVC(kernel="linear"), batch=5).fit(X, y)
    assert len(learner.queried_) == 0
    model = SVC(kernel="linear").fit(X[:9], truth[:9])
    np.testing.assert_array_equal(learner.waiting_, 9 + margin_query(model, X[9:], 5))
    assert len(ActiveLearner(SVC(kernel="linear"), budget=0).fit(X, y).waiting_) == 0


@pytest.mark.covers("semi.active-learning")
def test_a_file_is_asked_filled_in_and_read_again(clouds, tmp_path):
    X, truth, *_ = clouds
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    y = np.where(np.arange(len(X)) < 9, truth, -1)
    path = tmp_path / "answers.csv"
    learner = ActiveLearner(SVC(kernel="linear"), oracle=path, budget=6, batch=2)
    rounds = 0
    while len(learner.fit(frame, y).waiting_):
        rounds += 1
        lines = path.read_text(encoding="utf-8").splitlines()
        assert lines[0] == "row,label,u,v,w"
        filled = [lines[0]]
        for line in lines[1:]:
            row, _, *values = line.split(",")
            assert np.allclose([float(v) for v in values], X[int(row)])
            filled.append(",".join([row, str(truth[int(row)]), *values]))
        path.write_text("\n".join(filled), encoding="utf-8")
    assert rounds == 3
    asked = ActiveLearner(SVC(kernel="linear"), oracle=by_truth(truth), budget=6, batch=2).fit(frame, y)
    np.testing.assert_array_equal(learner.queried_, asked.queried_)
    assert learner.answers_ == asked.answers_
    path.write_text("number,label\n1,2\n", encoding="utf-8")
    with pytest.raises(ValueError, match="must have the columns"):
        learner.fit(frame, y)
    path.write_text("row,label\none,2\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 2"):
        learner.fit(frame, y)
    path.write_text("row,label\n0,?\n1,7\n", encoding="utf-8")
    assert CsvOracle(path)([1, 0], X, np.array([0, 1])) == [7, None]


@pytest.mark.covers("semi.active-learning")
def test_a_person_answers_at_the_terminal():
    frame, target = load_watermelon("3.0", return_X_y=True)
    y = np.where(np.arange(len(target)) % 8 == 0, target, None)
    said, shown = iter([":0", "是", "", "q"]), io.StringIO()
    oracle = TerminalOracle(ask=lambda prompt: next(said), out=shown)
    learner = ActiveLearner(DecisionTreeClassifier(), query="random", oracle=oracle, random_state=0).fit(frame, y)
    assert learner.answers_ == [learner.classes_[0], "是", None]
    assert len(learner.queried_) == 3
    assert len(learner.waiting_) == 1
    assert "色泽=" in shown.getvalue()
    assert f":0 {learner.classes_[0]}" in shown.getvalue()

    def end(prompt):
        raise EOFError

    assert len(ActiveLearner(GaussianNB(), oracle=TerminalOracle(end, shown)).fit(frame, y).queried_) == 0
    numbers = TerminalOracle(ask=lambda prompt: "raw", out=shown)
    with pytest.raises(ValueError, match="are numbers"):
        numbers([0], [[1.0]], np.array([0, 1]))


@pytest.mark.covers("semi.active-learning")
def test_semi_supervised_learners_and_their_own_committees_ask_too(clouds):
    X, truth, *_ = clouds
    y = np.where(np.arange(len(X)) < 9, truth, -1)
    spread = ActiveLearner(LabelSpreading(gamma=0.1), query="entropy", oracle=by_truth(truth), budget=8).fit(X, y)
    again = LabelSpreading(gamma=0.1).fit(X, spread.labels_)
    np.testing.assert_array_equal(spread.predict(X), again.predict(X))
    three = TriTraining(GaussianNB(), random_state=0)
    learner = ActiveLearner(three, query="disagreement", oracle=by_truth(truth), budget=3).fit(X, y)
    first = TriTraining(GaussianNB(), random_state=0).fit(X, y)
    assert learner.queried_[0] == 9 + disagreement_query(first, X[9:])[0]


@pytest.mark.covers("semi.transductive-tag")
def test_who_answers_for_new_rows():
    for estimator in (LabelSpreading(), LabelSpreading, DBSCAN(), TheirSpreading(), TSNE()):
        assert is_transductive(estimator)
    for estimator in (TriTraining(GaussianNB()), CoTraining, LogisticRegression(), KMeans(), PCA()):
        assert not is_transductive(estimator)
    with pytest.raises(TypeError, match="no fit"):
        is_transductive(3)
