"""AdaBoost for errors that cost more or less."""

import numpy as np
import pandas as pd
import pytest

from lanatus.ensemble import AdaBoostClassifier, CostSensitiveBoostClassifier
from lanatus.evaluation import CostMatrix, cost_sensitive_error
from lanatus.tree import DecisionStump, DecisionTreeClassifier

ALGORITHMS = ("CGAda", "AdaC1", "AdaC2", "AdaC3")


def overlapping(n=600, seed=0, rare=0.1):
    rng = np.random.RandomState(seed)
    y = (rng.rand(n) < rare).astype(int)
    return rng.normal(size=(n, 3)) + 1.2 * y[:, None], y


def by_hand(X, y, cost, algorithm, rounds):
    """The update formulas of Sun et al. (2007), row by row, over stumps of scikit-learn."""
    from sklearn.tree import DecisionTreeClassifier as Stump

    sign, d, alphas = 2 * y - 1, np.full(len(y), 1 / len(y)), []
    if algorithm == "CGAda":
        d = cost / cost.sum()
    for _ in range(rounds):
        h = 2 * Stump(max_depth=1, criterion="gini").fit(X, y, sample_weight=d).predict(X) - 1
        right, wrong = sign == h, sign != h
        if algorithm == "CGAda":
            alpha = 0.5 * np.log(d[right].sum() / d[wrong].sum())
            d = d * np.exp(-alpha * sign * h)
        elif algorithm == "AdaC2":
            alpha = 0.5 * np.log((cost * d)[right].sum() / (cost * d)[wrong].sum())
            d = cost * d * np.exp(-alpha * sign * h)
        elif algorithm == "AdaC1":
            gap = (cost * d)[right].sum() - (cost * d)[wrong].sum()
            alpha = 0.5 * np.log((1 + gap) / (1 - gap))
            d = d * np.exp(-alpha * cost * sign * h)
        else:
            all_, gap = (cost * d).sum(), (cost**2 * d)[right].sum() - (cost**2 * d)[wrong].sum()
            alpha = 0.5 * np.log((all_ + gap) / (all_ - gap))
            d = cost * d * np.exp(-alpha * cost * sign * h)
        d /= d.sum()
        alphas.append(alpha)
    return np.array(alphas)


@pytest.mark.covers("ensemble.cost-sensitive")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_rounds_are_those_of_the_papers(algorithm):
    X, y = overlapping(seed=3, rare=0.4)
    costs = CostMatrix.binary(fn=1.5, fp=1.0)
    model = CostSensitiveBoostClassifier(DecisionStump(criterion="gini"), 6, costs=costs, algorithm=algorithm).fit(X, y)
    expected = by_hand(X, y, np.where(y == 1, 1.0, 1 / 1.5), algorithm, 6)
    assert (expected > 0).all()  # otherwise the fit would have ended
    np.testing.assert_allclose(model.estimator_weights_ / 2, expected, rtol=1e-9)
    assert model.class_costs_ == pytest.approx([1 / 1.5, 1.0])


@pytest.mark.covers("ensemble.cost-sensitive")
def test_equal_costs_are_adaboost():
    X, y = overlapping(rare=0.4)
    plain = AdaBoostClassifier(n_estimators=8).fit(X, y)
    for algorithm in ("CGAda", "AdaC1", "AdaC2", "AdaC3"):
        model = CostSensitiveBoostClassifier(n_estimators=8, costs=[[0, 1], [1, 0]], algorithm=algorithm).fit(X, y)
        np.testing.assert_allclose(model.estimator_weights_, plain.estimator_weights_, rtol=1e-9)
        np.testing.assert_array_equal(model.predict(X), plain.predict(X))


@pytest.mark.covers("ensemble.cost-sensitive")
@pytest.mark.parametrize("ratio", [4.0, 8.0])
def test_it_pays_less_than_adaboost_on_new_rows(ratio):
    costs = CostMatrix.binary(fn=ratio)
    (X, y), (X_new, y_new) = overlapping(2000), overlapping(20_000, seed=1)
    plain = AdaBoostClassifier(n_estimators=30).fit(X, y).predict(X_new)
    dear = CostSensitiveBoostClassifier(n_estimators=30, costs=costs).fit(X, y).predict(X_new)
    assert cost_sensitive_error(y_new, dear, costs) < 0.9 * cost_sensitive_error(y_new, plain, costs)
    assert dear[y_new == 1].mean() > plain[y_new == 1].mean() + 0.1


@pytest.mark.covers("ensemble.cost-sensitive")
def test_classes_words_holes_and_other_learners():
    rng = np.random.RandomState(0)
    y = rng.choice(["a", "b", "c"], 300, p=[0.7, 0.2, 0.1])
    frame = pd.DataFrame({"x": rng.normal(size=300) + (y == "b") - (y == "c"), "色": np.where(y == "a", "青", "黑")})
    frame.loc[::17, "x"] = np.nan
    tree = DecisionTreeClassifier(max_depth=2)
    model = CostSensitiveBoostClassifier(tree, 10).fit(frame, y)
    assert model.class_costs_.argmax() == 2  # "balanced": the rarest is the dearest
    assert set(model.predict(frame)) == {"a", "b", "c"}
    drawn = CostSensitiveBoostClassifier(tree, 5, mode="resample", random_state=0).fit(frame, y)
    assert len(drawn.estimators_) >= 1


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ([[0, 0], [1, 0]], "class 0 cost nothing"),
        (CostMatrix([[0, 1], [1, 0]], ["a", "b"]), r"costs has no costs for the classes \[0, 1\]"),
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], "labels"),
    ],
)
def test_costs_that_cannot_be(costs, words):
    with pytest.raises(ValueError, match=words):
        CostSensitiveBoostClassifier(costs=costs).fit([[0.0], [1.0]], [0, 1])


def test_a_learner_without_use_ends_it():
    model = CostSensitiveBoostClassifier().fit(np.zeros((6, 1)), [0, 0, 0, 1, 1, 1])
    assert model.stop_reason_ == "no better than chance"
    assert len(model.estimators_) == 1
    told = CostSensitiveBoostClassifier().fit([[0.0], [1.0]], [0, 1])
    assert told.stop_reason_ == "no error"
