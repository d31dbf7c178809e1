"""Choosing members: dynamically for each row, by pruning, by a genetic algorithm."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, make_moons, make_regression
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lanatus import ensemble as ensembles
from lanatus.bayes import GaussianNB
from lanatus.ensemble import GASEN, DynamicClassifierSelection, VotingClassifier, kappa_statistic, prune_ensemble
from lanatus.ensemble.combine._gasen import evolve
from lanatus.linear import LogisticRegression

POOL = [
    ("bayes", GaussianNB()),
    ("left", DecisionTreeClassifier(max_depth=1, random_state=0)),
    ("logistic", LogisticRegression()),
    ("tree", DecisionTreeClassifier(max_depth=4, random_state=1)),
]


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(300, noise=0.3, random_state=0)
    return X[:200], y[:200], X[200:]


def by_brute_force(rule, X, y, Q, k):
    """Neighbours by all distances, and the rules as their papers say them, one row after the other."""
    low, high = X.min(axis=0), X.max(axis=0)
    near = pairwise_distances((Q - low) / (high - low), (X - low) / (high - low)).argsort(axis=1)[:, :k]
    held = np.column_stack([cross_val_predict(m, X, y, cv=StratifiedKFold(5)) for _, m in POOL])
    now = np.column_stack([m.fit(X, y).predict(Q) for _, m in POOL])
    answers = []
    for row in range(len(Q)):
        right = held[near[row]] == y[near[row]][:, None]
        if rule == "ola":
            answers.append(now[row, right.mean(axis=0).argmax()])
        elif rule == "lca":
            same = held[near[row]] == now[row]
            local = [right[same[:, t], t].mean() if same[:, t].any() else 0 for t in range(len(POOL))]
            answers.append(now[row, np.argmax(local)])
        else:
            if rule == "knora-u":
                votes = right.sum(axis=0)
            else:
                votes = np.zeros(len(POOL))
                for size in range(k, 0, -1):
                    votes = right[:size].all(axis=0)
                    if votes.any():
                        break
            votes = votes if votes.any() else np.ones(len(POOL))
            answers.append(np.argmax([votes[now[row] == c].sum() for c in (0, 1)]))
    return np.array(answers)


@pytest.mark.covers("ensemble.dynamic-classifier-selection")
@pytest.mark.parametrize("rule", ["ola", "lca", "knora-e", "knora-u"])
def test_rules_of_dynamic_selection(rule, moons):
    X, y, Q = moons
    model = DynamicClassifierSelection(POOL, 7, rule=rule).fit(X, y)
    np.testing.assert_array_equal(model.predict(Q), by_brute_force(rule, X, y, Q, 7))
    np.testing.assert_allclose(model.predict_proba(Q).sum(axis=1), 1, rtol=1e-12)


@pytest.mark.covers("ensemble.dynamic-classifier-selection")
def test_each_side_is_answered_by_its_own_expert():
    """Two classifiers that are each right on one side only: no vote can be right, a choice is."""
    rng = np.random.RandomState(0)
    X = rng.uniform(-1, 1, (400, 2))
    y = np.where(X[:, 0] < 0, X[:, 1] > 0, X[:, 1] < 0).astype(int)
    sides = {"left": X[:, 0] < 0, "right": X[:, 0] >= 0}
    left, right = (LogisticRegression().fit(X[side], y[side]) for side in sides.values())
    pool = [("left", left), ("right", right)]
    words = np.array(["否", "是"])
    named = [(name, LogisticRegression().fit(X[side], words[y[side]])) for name, side in sides.items()]
    by_name = DynamicClassifierSelection(named, 9, cv="prefit").fit(X[:200], words[y[:200]])
    chosen = DynamicClassifierSelection(pool, 9, cv="prefit").fit(X[:200], y[:200])
    assert chosen.estimators_[0] is left
    np.testing.assert_array_equal(by_name.predict(X), words[chosen.predict(X)])
    assert chosen.score(X[200:], y[200:]) > 0.93
    assert max(m.score(X[200:], y[200:]) for m in (left, right)) < 0.65


def test_dynamic_selection_on_a_mixed_table():
    rng = np.random.RandomState(1)
    frame = pd.DataFrame({"纹理": rng.choice(["清晰", "模糊"], 200), "密度": rng.rand(200)})
    y = np.where((frame["纹理"] == "清晰") ^ (frame["密度"] > 0.5), "是", "否")
    model = DynamicClassifierSelection(n_neighbors=5).fit(frame, y)
    assert model.predict(frame).shape == (200,)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        DynamicClassifierSelection().fit(sp.csr_matrix(np.eye(4)), [0, 1, 0, 1])


@pytest.fixture(scope="module")
def forest():
    X, y = load_digits(return_X_y=True)
    X, Q, y, t = train_test_split(X, y, test_size=0.6, random_state=0)
    V, Q, v, t = train_test_split(Q, t, test_size=0.5, random_state=0)
    bag = BaggingClassifier(DecisionTreeClassifier(), 40, max_features=0.4, random_state=0).fit(
        X, np.array(list("abcdefghij"))[y]
    )
    return bag, V, np.array(list("abcdefghij"))[v], Q, np.array(list("abcdefghij"))[t]


METHODS = ["reduce-error", "kappa", "complementariness", "margin-distance", "orientation", "clustering"]


@pytest.mark.covers("ensemble.ensemble-pruning")
@pytest.mark.parametrize("method", METHODS)
def test_fewer_members_do_as_well(method, forest):
    """Claim 14: parallel ensembles can be smaller, and hardly worse or better, when members are chosen."""
    bag, V, v, Q, t = forest
    small = prune_ensemble(bag, V, v, method=method, size=15)
    assert len(small.estimators_) == len(small.estimators_features_) == small.n_estimators == 15
    assert set(map(id, small.estimators_)) <= set(map(id, bag.estimators_))
    assert len(bag.estimators_) == 40
    first = np.mean([prune_ensemble(bag, V, v, method=method, size=s).score(Q, t) for s in (10, 15, 20)])
    random = np.mean([head(bag, s).score(Q, t) for s in (10, 15, 20)])
    assert first > random - (0.03 if method in ("kappa", "clustering") else 0.005)
    free = prune_ensemble(bag, V, v, method=method)
    assert 1 <= len(free.estimators_) <= 40
    assert free.score(Q, t) > bag.score(Q, t) - 0.03


def head(bag, size):
    """The first members of a bag: as good as any random ones."""
    from lanatus.ensemble._members import with_members

    return with_members(bag, np.arange(size))


@pytest.mark.covers("ensemble.ensemble-pruning")
def test_reduce_error_is_greedy_and_kappa_takes_the_pair_that_agrees_least(forest):
    bag, V, v, *_ = forest
    said = np.array(
        [bag.classes_[m.predict(V[:, at])] for m, at in zip(bag.estimators_, bag.estimators_features_, strict=True)]
    )
    best = np.argmin(np.mean(said != v, axis=1))
    one = prune_ensemble(bag, V, v, size=1)
    assert one.estimators_[0] is bag.estimators_[best]
    pairs = {(i, j): kappa_statistic(said[i], said[j]) for i in range(40) for j in range(i)}
    least = min(pairs, key=pairs.get)
    two = prune_ensemble(bag, V, v, method="kappa", size=2)
    assert {id(m) for m in two.estimators_} == {id(bag.estimators_[at]) for at in least}
    errors = [np.mean(prune_ensemble(bag, V, v, size=s).predict(V) != v) for s in (1, 5, 20)]
    assert errors[0] > errors[1] >= errors[2] - 0.02


def test_pruning_of_other_kinds_of_ensembles():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(12, random_state=0).fit(X[:300], y[:300])
    assert len(prune_ensemble(forest, X[300:], y[300:], size=0.5).estimators_) == 6
    models = [GaussianNB().fit(X[:300], y[:300]), LogisticRegression(max_iter=500).fit(X[:300] / 1000, y[:300])]
    assert prune_ensemble(models, X[300:], y[300:], size=1) == models[:1]
    voting = VotingClassifier(POOL, weights=[1, 2, 3, 4]).fit(X[:300], y[:300])
    smaller = prune_ensemble(voting, X[300:], y[300:], size=2)
    assert len(smaller.weights_) == len(smaller.estimators) == len(smaller.weights) == 2
    assert smaller.score(X[300:], y[300:]) > 0.9
    for wrong in (0, 13, 1.5, True):
        with pytest.raises(ValueError, match="size must be"):
            prune_ensemble(forest, X, y, size=wrong)
    with pytest.raises(ValueError, match="wanted one of"):
        prune_ensemble(forest, X, y, method="axe")


@pytest.mark.covers("ensemble.ensemble-pruning")
@pytest.mark.parametrize("name", ["BaggingClassifier", "RandomForestClassifier", "AdaBoostClassifier"])
def test_pruning_of_our_own_ensembles_on_a_mixed_table(name):
    X, y = load_breast_cancer(return_X_y=True)
    frame = pd.DataFrame({"半径": X[:, 0], "纹理": np.where(X[:, 1] > 18, "粗", "细"), "凹度": X[:, 6]})
    labels = np.array(["恶性", "良性"])[y]
    whole = getattr(ensembles, name)(n_estimators=12, random_state=0).fit(frame[:300], labels[:300])
    small = prune_ensemble(whole, frame[300:450], labels[300:450], size=5)
    assert len(small.estimators_) == 5
    assert len(whole.estimators_) == 12
    assert small.score(frame[450:], labels[450:]) > whole.score(frame[450:], labels[450:]) - 0.04


@pytest.mark.covers("ensemble.gasen")
def test_evolved_weights_beat_equal_ones():
    rng = np.random.RandomState(0)
    errors = rng.normal(size=(12, 300)) * np.linspace(0.5, 3, 12)[:, None]
    C = errors @ errors.T / 300
    weights = evolve(C, size=50, generations=150, rate=0.1, rng=rng)
    assert weights.sum() == pytest.approx(1, rel=1e-12)
    assert (weights >= 0).all()
    equal = np.full(12, 1 / 12)
    ideal = np.linalg.solve(C, np.ones(12))
    ideal /= ideal.sum()
    assert ideal @ C @ ideal <= weights @ C @ weights < 1.1 * (ideal @ C @ ideal) < equal @ C @ equal
    assert weights[0] > 1 / 12 > weights[-1]
    # Nothing evolved: never worse than the plain average, which is in the first generation.
    start = evolve(C, size=5, generations=0, rate=0.1, rng=rng)
    assert start @ C @ start <= equal @ C @ equal


@pytest.mark.covers("ensemble.gasen")
def test_many_could_be_better_than_all():
    X, y = load_digits(return_X_y=True)
    X, Q, y, t = train_test_split(X, y, test_size=0.5, random_state=0)
    X, y = X[:500], y[:500]
    model = GASEN(DecisionTreeClassifier(max_depth=6), 20, random_state=0).fit(X, y)
    assert len(model.pool_) == 20
    assert 2 < len(model.estimators_) < 20
    assert (model.weights_[model.selected_] > 1 / 20).all()
    every = np.mean([m.predict(Q)[:, None] == np.arange(10) for m in model.pool_], axis=0).argmax(axis=1)
    assert model.score(Q, t) > np.mean(every == t) - 0.02
    again = GASEN(DecisionTreeClassifier(max_depth=6), 20, random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(again.predict(Q), model.predict(Q))


@pytest.mark.covers("ensemble.gasen")
def test_gasen_of_regressors_and_with_validation_rows():
    X, y = make_regression(300, 8, noise=30.0, random_state=0)
    learner = DecisionTreeRegressor(max_depth=4)
    model = GASEN(learner, 15, random_state=0).fit(X[:150], y[:150], X[150:220], y[150:220])
    assert model.predict(X).shape == (300,)
    single = learner.fit(X[:150], y[:150]).score(X[220:], y[220:])
    assert model.score(X[220:], y[220:]) > single
    assert not hasattr(model, "predict_proba")
    with pytest.raises(ValueError, match="go together"):
        GASEN(learner).fit(X, y, X)
