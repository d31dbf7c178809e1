"""Networks that grow or evolve, and rules that say what they do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from lanatus.neural import (
    CascadeCorrelation,
    CascadeCorrelationRegressor,
    EvolvingNetwork,
    MLPClassifier,
    extract_rules,
)

XOR, ODD = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


def spirals(n=97):
    """Two spirals, one turned by half a circle from the other."""
    turn = np.arange(n) / 16 * np.pi
    r = 6.5 * (104 - np.arange(n)) / 104
    one = np.column_stack([r * np.sin(turn), r * np.cos(turn)])
    return np.vstack([one, -one]), np.repeat([0, 1], n)


@pytest.mark.covers("neural.cascade-correlation")
def test_units_stay_as_they_are_once_added():
    X, y = spirals(40)
    small = CascadeCorrelation(2, 3, tol=0.0, random_state=0).fit(X, y)
    large = CascadeCorrelation(2, 6, tol=0.0, random_state=0).fit(X, y)
    assert (len(small.hidden_), len(large.hidden_)) == (3, 6)
    for one, other in zip(small.hidden_, large.hidden_[:3], strict=True):
        np.testing.assert_array_equal(one, other)
    assert [len(unit) for unit in large.hidden_] == [3, 4, 5, 6, 7, 8]  # each sees all inputs and units before it
    assert (np.diff(large.errors_) <= 1e-9).all()


@pytest.mark.covers("neural.cascade-correlation")
def test_the_score_is_the_correlation_with_what_is_left():
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 2)), rng.uniform(0.2, 2.0, 60)
    y = np.tanh(2 * X[:, 0] - X[:, 1]) + 0.3 * X[:, 1]
    net = CascadeCorrelationRegressor(3, 1, alpha=0.0, random_state=0).fit(X, y, sample_weight=weight)
    plain = CascadeCorrelationRegressor(1, 0, alpha=0.0).fit(X, y, sample_weight=weight)
    apart = plain.predict(X) - y
    Z = np.column_stack([np.ones(60), (X - net.shift_) * net.scale_])
    V = np.tanh(Z @ net.hidden_[0])
    V, apart = V - np.average(V, weights=weight), apart - np.average(apart, weights=weight)
    size = np.sqrt(np.sum(weight * apart**2) * weight.sum())
    assert net.scores_[0] == pytest.approx(abs(np.sum(weight * V * apart)) / size, rel=1e-6)
    assert net.errors_[1] < 0.5 * net.errors_[0]


@pytest.mark.covers("neural.cascade-correlation")
def test_xor_and_two_spirals():
    assert CascadeCorrelation(random_state=0).fit(XOR, ODD).score(XOR, ODD) == 1.0
    X, y = spirals(60)
    net = CascadeCorrelation(4, 20, tol=0.0, alpha=1e-8, random_state=0).fit(X, y)
    assert net.score(X, y) > 0.95
    with_none = CascadeCorrelation(max_hidden=0).fit(X, y)
    assert with_none.n_hidden_ == 0
    assert with_none.score(X, y) < 0.7


def test_stopping_early_keeps_fewer_units():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 5))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, "up", "down")
    full = CascadeCorrelation(tol=0.0, random_state=0).fit(X, y)
    early = CascadeCorrelation(tol=0.0, early_stopping=True, random_state=0).fit(X, y)
    assert early.n_hidden_ < full.n_hidden_ == 10


@pytest.mark.covers("neural.evolving-networks")
def test_networks_evolve_and_the_best_is_kept():
    model = EvolvingNetwork(random_state=1).fit(XOR, ODD)
    assert model.score(XOR, ODD) == 1.0
    assert (np.diff(model.fitness_curve_) >= 0).all()  # the elite stays as it is
    proba = model.predict_proba(XOR)
    logs = np.log(proba[np.arange(4), ODD]).mean()
    assert model.fitness_curve_[-1] == pytest.approx(logs - model.cost * model.n_connections_, rel=1e-9)
    dear = EvolvingNetwork(cost=0.05, random_state=1).fit(XOR, ODD)
    assert dear.n_connections_ < model.n_connections_  # dear connections are few


@pytest.mark.covers("neural.rule-extraction")
def test_rules_tell_what_the_network_tells():
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["sl", "sw", "pl", "pw"]).assign(kind=np.where(X[:, 3] > 1.0, "big", "small"))
    net = MLPClassifier(8, solver="lbfgs", random_state=0).fit(frame, y)
    rules = extract_rules(net, frame, random_state=0)
    told = rules.predict(frame)
    assert rules.fidelity == np.mean(told == net.predict(frame)) > 0.9
    assert rules.majority == np.bincount(net.predict(frame)).max() / 150
    assert rules.fidelity > rules.majority
    assert len(rules.rules) <= 20
    for rule in rules.rules:
        assert len(rule.conditions) <= 4
        assert rule.precision >= 0.9
        assert rule.support >= 5
    assert " -> " in str(rules)
    # by hand: the first rule's conditions, on the rows themselves
    first = rules.rules[0]
    holds = np.ones(150, dtype=bool)
    for condition in first.conditions:
        column = frame[condition[0]]
        holds &= (
            (column == condition[1]) if len(condition) == 2 else ((column > condition[1]) & (column <= condition[2]))
        )
    assert (told[holds] == first.label).all()
