"""AdaBoost and bagging against scikit-learn's, on real data."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as peers
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lanatus.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    RandomSubspaceClassifier,
)

TABLES = {"pima": "diabetes", "sonar": "Class", "segment": "class", "spambase": None}


def numeric_table(folder, name):
    frame = pd.read_parquet(folder / f"{name}.parquet")
    target = TABLES.get(name) or frame.columns[-1]
    return frame.drop(columns=target).to_numpy(dtype=float), frame[target].astype(str).to_numpy()


@pytest.mark.covers("ensemble.adaboost")
@pytest.mark.parametrize("name", TABLES)
def test_boosted_stumps_are_those_of_the_peer(shared_data, name):
    """The same errors, weights and answers round by round, up to ties of cuts, which the peer settles at random."""
    X, y = numeric_table(shared_data, name)
    X = X.astype(np.float32).astype(float)  # as the peer sees it
    peer = peers.AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=30, random_state=0).fit(X, y)
    ours = AdaBoostClassifier(n_estimators=30).fit(X, y)
    same = np.isclose(ours.estimator_errors_, peer.estimator_errors_, rtol=1e-9)
    rounds = int(same.argmin()) if not same.all() else len(same)
    assert rounds >= 8
    np.testing.assert_allclose(ours.estimator_weights_[:rounds], peer.estimator_weights_[:rounds], rtol=1e-8)
    curve = np.array(list(ours.staged_score(X, y)))
    assert np.abs(curve - np.array(list(peer.staged_score(X, y)))).max() < (1e-12 if same.all() else 0.03)


@pytest.mark.covers("ensemble.adaboost")
@pytest.mark.parametrize("name", ["pima", "segment"])
def test_other_learners_give_the_same_to_the_last_bits(shared_data, name):
    X, y = numeric_table(shared_data, name)
    tree = DecisionTreeClassifier(max_depth=3)
    ours = AdaBoostClassifier(tree, 15, 0.5, random_state=0).fit(X, y)
    peer = peers.AdaBoostClassifier(tree, n_estimators=15, learning_rate=0.5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-11)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-11)
    if name == "pima":  # in the other one several columns make the same cut, and the peer takes any of them
        np.testing.assert_allclose(ours.feature_importances_, peer.feature_importances_, atol=1e-11)


@pytest.mark.covers("ensemble.adaboost-multiclass")
@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_regression_is_that_of_the_peer(shared_data, loss):
    frame = pd.read_parquet(shared_data / "concrete.parquet")
    X, y = frame.drop(columns="compressive_strength").to_numpy(dtype=float), frame["compressive_strength"].to_numpy()
    tree = DecisionTreeRegressor(max_depth=3)
    ours = AdaBoostRegressor(tree, n_estimators=20, loss=loss, random_state=0).fit(X, y)
    peer = peers.AdaBoostRegressor(tree, n_estimators=20, loss=loss, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-12)
    np.testing.assert_allclose(ours.estimator_errors_, peer.estimator_errors_, rtol=1e-9)


@pytest.mark.covers("ensemble.bagging", "ensemble.bagging-oob-estimate")
@pytest.mark.parametrize("name", ["pima", "segment"])
def test_bagged_trees_score_as_the_peer(shared_data, name):
    X, y = numeric_table(shared_data, name)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    ours = cross_val_score(BaggingClassifier(n_estimators=30, random_state=0), X, y, cv=folds)
    peer = cross_val_score(peers.BaggingClassifier(n_estimators=30, random_state=0), X, y, cv=folds)
    noise = np.std(np.r_[ours, peer]) / np.sqrt(5)
    assert ours.mean() > peer.mean() - 2 * noise
    oob = BaggingClassifier(n_estimators=60, oob_score=True, random_state=0).fit(X, y).oob_score_
    other = peers.BaggingClassifier(n_estimators=60, oob_score=True, random_state=0).fit(X, y).oob_score_
    assert oob == pytest.approx(other, abs=0.025)


@pytest.mark.covers("ensemble.random-subspace")
def test_subspaces_score_as_the_peer(shared_data):
    X, y = numeric_table(shared_data, "sonar")
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    ours = cross_val_score(RandomSubspaceClassifier(n_estimators=30, random_state=0), X, y, cv=folds)
    same = {"n_estimators": 30, "max_features": 0.5, "bootstrap": False}
    peer = cross_val_score(peers.BaggingClassifier(**same, random_state=0), X, y, cv=folds)
    assert ours.mean() > peer.mean() - 2 * np.std(np.r_[ours, peer]) / np.sqrt(5)


def test_bagged_regression_scores_as_the_peer(shared_data):
    frame = pd.read_parquet(shared_data / "concrete.parquet")
    X, y = frame.drop(columns="compressive_strength").to_numpy(dtype=float), frame["compressive_strength"].to_numpy()
    folds = KFold(5, shuffle=True, random_state=0)
    ours = cross_val_score(BaggingRegressor(n_estimators=30, random_state=0), X, y, cv=folds)
    peer = cross_val_score(peers.BaggingRegressor(n_estimators=30, random_state=0), X, y, cv=folds)
    assert ours.mean() > peer.mean() - 2 * np.std(np.r_[ours, peer]) / np.sqrt(5)
