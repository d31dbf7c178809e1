"""Perturbed parameters and neighbours, twice-learning, margins."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.stats import loguniform
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_moons
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from lanatus.bayes import GaussianNB
from lanatus.ensemble import (
    KNNEnsembleClassifier,
    NeC45Classifier,
    ParameterPerturbationClassifier,
    VotingClassifier,
    disagreement,
    margin_distribution,
    twice_learning,
)
from lanatus.linear import LogisticRegression, Ridge
from lanatus.table import Table


@pytest.mark.covers("ensemble.knn-ensemble")
def test_one_plain_member_is_the_nearest_neighbour_classifier():
    X, y = load_wine(return_X_y=True)
    scaled = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    for p in (1, 2, 3, np.inf):
        model = KNNEnsembleClassifier(1, 5, orders=[p], max_features=None, bootstrap=False).fit(X, y)
        gaps = np.linalg.norm(scaled[:, None] - scaled[None], ord=p, axis=2)
        near = np.argsort(gaps, axis=1, kind="stable")[:, :5]  # ties, which "inf" has, go to the lower row
        shares = np.stack([(y[near] == c).mean(axis=1) for c in range(3)], axis=1)
        np.testing.assert_allclose(model.predict_proba(X), shares, rtol=1e-12)


@pytest.mark.covers("ensemble.knn-ensemble")
def test_perturbing_attributes_and_distances_beats_perturbing_rows():
    """Exercise 8.10: bagging hardly changes a nearest-neighbour classifier; the other perturbations do."""
    X, y = load_wine(return_X_y=True)
    rng = np.random.RandomState(0)
    X = np.column_stack([X, rng.rand(len(X), 8) * X.std()])  # attributes that say nothing

    def score(**params):
        return np.mean(
            [
                cross_val_score(KNNEnsembleClassifier(30, 3, random_state=s, **params), X, y, cv=5).mean()
                for s in range(2)
            ]
        )

    alone = score(max_features=None, orders=[2], bootstrap=False)
    bagged = score(max_features=None, orders=[2])
    perturbed = score()
    assert perturbed > max(alone, bagged) + 0.005


def test_neighbours_refuse_bad_orders_and_sizes():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="orders"):
        KNNEnsembleClassifier(orders=[0.5]).fit(X, y)
    with pytest.raises(ValueError, match="max_features=14"):
        KNNEnsembleClassifier(max_features=14).fit(X, y)


@pytest.mark.covers("ensemble.parameter-perturbation")
def test_parameters_are_drawn_and_members_differ():
    X, y = load_breast_cancer(return_X_y=True)
    X = X / X.max(axis=0)
    model = ParameterPerturbationClassifier(LogisticRegression(), {"C": loguniform(1e-4, 1e2)}, 8, random_state=0)
    model.fit(X, y)
    drawn = [m.C for m in model.estimators_]
    assert len(set(drawn)) == 8
    assert drawn == [params["C"] for params in model.estimators_params_]
    np.testing.assert_allclose(
        model.predict_proba(X), np.mean([m.predict_proba(X) for m in model.estimators_], axis=0), rtol=1e-12
    )
    said = [m.predict(X) for m in model.estimators_]
    assert max(disagreement(said[0], other) for other in said[1:]) > 0.01
    again = ParameterPerturbationClassifier(
        LogisticRegression(), {"C": loguniform(1e-4, 1e2)}, 8, random_state=0, n_jobs=2
    )
    np.testing.assert_array_equal(again.fit(X, y).predict_proba(X), model.predict_proba(X))


@pytest.mark.covers("ensemble.parameter-perturbation")
def test_hard_votes_are_counted_whatever_their_probabilities():
    X, y = load_breast_cancer(return_X_y=True)
    model = ParameterPerturbationClassifier(
        LogisticRegression(max_iter=5000), {"C": [1e-4, 1e-2, 1.0]}, 3, voting="hard", random_state=0
    ).fit(X / X.max(axis=0), y)
    votes = np.array([m.predict(X / X.max(axis=0)) for m in model.estimators_])
    np.testing.assert_allclose(model.predict_proba(X / X.max(axis=0))[:, 1], votes.mean(axis=0), rtol=1e-12)
    assert 0 < np.mean(np.ptp(votes, axis=0)) < 1


@pytest.mark.covers("ensemble.parameter-perturbation")
def test_swapping_a_mechanism_and_seeds():
    X, y = load_digits(return_X_y=True)
    learner = DecisionTreeClassifier(max_features=8)
    params = {"criterion": ["gini", "entropy"], "splitter": ["best", "random"]}
    model = ParameterPerturbationClassifier(learner, params, 10, voting="hard", bootstrap=True, random_state=0)
    assert cross_val_score(model, X, y, cv=3).mean() > cross_val_score(learner, X, y, cv=3).mean() + 0.05
    model.fit(X, y)
    assert {m.criterion for m in model.estimators_} == {"gini", "entropy"}
    assert len({m.random_state for m in model.estimators_}) == 10
    with pytest.raises(ValueError, match="param_distributions"):
        ParameterPerturbationClassifier(learner, {"criterion": "gini"}).fit(X, y)
    with pytest.raises(TypeError, match="regressor"):
        ParameterPerturbationClassifier(Ridge()).fit(X, y)


@pytest.mark.covers("ensemble.twice-learning")
def test_a_tree_learns_from_an_ensemble():
    X, y = make_moons(1600, noise=0.35, random_state=0)
    forest = RandomForestClassifier(100, min_samples_leaf=5, random_state=0).fit(X[:200], y[:200])
    tree = DecisionTreeClassifier(random_state=0)
    pupil = twice_learning(forest, tree, X[:200], n_generated=3000, random_state=0)
    alone = tree.fit(X[:200], y[:200])
    assert pupil is not tree
    assert pupil.score(X[200:], y[200:]) > alone.score(X[200:], y[200:]) + 0.02
    agree = np.mean(pupil.predict(X[200:]) == forest.predict(X[200:]))
    assert agree > 0.97


@pytest.mark.covers("ensemble.twice-learning")
def test_rows_are_made_up_of_the_values_of_their_columns():
    heard = []

    class Listens(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            heard.append((X, y))
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.full(len(X), self.classes_[0])

    frame = pd.DataFrame({"色泽": ["青绿", "乌黑", "浅白"], "密度": [0.1, 0.2, 0.3]})
    teacher = GaussianNB().fit(frame, ["是", "否", "否"])
    twice_learning(teacher, Listens(), frame, n_generated=2.0, random_state=0)
    seen, labels = heard[-1]
    assert len(seen) == len(labels) == 9
    assert set(seen["色泽"]) <= set(frame["色泽"])
    assert set(seen["密度"]) <= set(frame["密度"])
    np.testing.assert_array_equal(labels, teacher.predict(seen))
    twice_learning(teacher, Listens(), frame, n_generated=0)
    assert len(heard[-1][0]) == 3
    twice_learning(GaussianNB(), GaussianNB(), Table.of(frame), ["是", "否", "否"], n_generated=5, random_state=0)
    with pytest.raises(ValueError, match="y is needed"):
        twice_learning(GaussianNB(), GaussianNB(), frame)
    with pytest.raises(ValueError, match="n_generated"):
        twice_learning(teacher, GaussianNB(), frame, n_generated=-1)


@pytest.mark.covers("ensemble.nec45")
def test_nec45_is_a_tree_taught_by_networks():
    X, y = make_moons(1500, noise=0.3, random_state=1)
    labels = np.array(["好瓜", "坏瓜"])[y]
    model = NeC45Classifier(random_state=0).fit(X[:200], labels[:200])
    from lanatus.tree import C45Classifier

    assert isinstance(model.tree_, C45Classifier)
    plain = C45Classifier().fit(X[:200], labels[:200])
    assert model.score(X[200:], labels[200:]) > plain.score(X[200:], labels[200:]) - 0.01
    other = NeC45Classifier(tree=DecisionTreeClassifier(max_depth=3), random_state=0)
    with pytest.raises((TypeError, ValueError)):  # a tree that knows no tables cannot be taught with one
        other.fit(pd.DataFrame({"a": ["x", "y"] * 20}), labels[:40])


@pytest.mark.covers("ensemble.margin-distribution")
def test_margins_of_a_boosted_ensemble_grow():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=80, random_state=0).fit(X, y)
    found = margin_distribution(model, X, y, sizes=[5, 20, 80])
    alpha = model.estimator_weights_
    signs = np.array([np.where(m.predict(X) == y, 1.0, -1.0) for m in model.estimators_])
    np.testing.assert_allclose(found.margins, alpha @ signs / alpha.sum(), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.staged[0], alpha[:5] @ signs[:5] / alpha[:5].sum(), rtol=1e-10, atol=1e-12)
    assert (found.margins > 0).mean() == model.score(X, y)
    assert found.staged[2].min() > found.staged[0].min()
    np.testing.assert_allclose(found.share_below(0.0)[-1], np.mean(found.margins <= 0))
    assert found.share_below([-1.1, 1.0]).tolist() == [[0, 1]] * 3
    display = found.plot()
    assert len(display.ax_.get_lines()) == 4
    plt.close("all")
    for wrong in ([0], [81], []):
        with pytest.raises(ValueError, match="sizes must"):
            margin_distribution(model, X, y, sizes=wrong)


@pytest.mark.covers("ensemble.margin-distribution")
def test_margins_of_several_classes():
    X, y = load_wine(return_X_y=True)
    labels = np.array(["甲", "乙", "丙"])[y]
    model = VotingClassifier(weights=[1, 2, 3]).fit(X, labels)
    found = margin_distribution(model, X, labels).margins
    votes = np.stack([(model.transform(X) == c) @ model.weights_ for c in range(3)], axis=1)
    own = np.unique(labels, return_inverse=True)[1]
    right = votes[np.arange(len(y)), own]
    votes[np.arange(len(y)), own] = -1
    np.testing.assert_allclose(found, right - votes.max(axis=1), atol=1e-12)
