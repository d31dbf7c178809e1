"""Cut points of rankings, costs of single examples, and the table of two learners."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, fbeta_score, precision_score, recall_score

from lanatus.ensemble import disagreement, q_statistic
from lanatus.evaluation import (
    CostMatrix,
    choose_cut_point,
    contingency_table,
    cost_sensitive_error,
    disagreements,
    example_cost,
    mcnemar_test,
)


def ranking(seed, m=60, steps=12):
    rng = np.random.RandomState(seed)
    return (rng.rand(m) < 0.4).astype(int), rng.randint(steps, size=m) + rng.rand() * 0.0, rng.randint(0, 4, size=m)


@pytest.mark.covers("evaluation.cut-point")
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("favour", "beta"), [("precision", 0.5), ("balance", 1.0), ("recall", 2.0), (3.5, 3.5)])
def test_no_other_threshold_has_a_larger_f_score(seed, favour, beta):
    y, scores, weights = ranking(seed)
    for w in (None, weights):
        cut = choose_cut_point(y, scores, favour, sample_weight=w)
        by_hand = [fbeta_score(y, scores >= t, beta=beta, sample_weight=w, zero_division=0) for t in np.unique(scores)]
        assert cut.f_score(beta) == pytest.approx(max(by_hand), abs=1e-12)
        assert cut.precision == pytest.approx(precision_score(y, scores >= cut.threshold, sample_weight=w), abs=1e-12)
        assert cut.recall == pytest.approx(recall_score(y, scores >= cut.threshold, sample_weight=w), abs=1e-12)
        chosen = np.ones(len(y)) if w is None else w
        assert cut.n_positive == chosen[scores >= cut.threshold].sum()


@pytest.mark.covers("evaluation.cut-point")
@pytest.mark.parametrize("seed", range(8))
def test_a_bound_on_one_leaves_the_most_of_the_other(seed):
    y, scores, _ = ranking(seed)
    thresholds = np.unique(scores)
    p = np.array([precision_score(y, scores >= t) for t in thresholds])
    r = np.array([recall_score(y, scores >= t) for t in thresholds])
    cut = choose_cut_point(y, scores, "recall", at_least=0.8)
    assert (cut.recall >= 0.8) & (cut.precision == pytest.approx(p[r >= 0.8].max()))
    bound = float(np.sort(p)[-3])
    cut = choose_cut_point(y, scores, "precision", at_least=bound)
    assert (cut.precision >= bound) & (cut.recall == pytest.approx(r[p >= bound].max()))


@pytest.mark.covers("evaluation.cut-point")
def test_precision_cuts_earlier_than_recall():
    """Section 2.3.3: in front where precision matters, further back where recall does."""
    rng = np.random.RandomState(0)
    y = rng.rand(2000) < 0.3
    scores = y + rng.normal(size=2000)
    counts = [choose_cut_point(y, scores, favour).n_positive for favour in ("precision", "balance", "recall")]
    assert counts[0] < counts[1] < counts[2]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"favour": "speed"}, "wanted 'precision'"),
        ({"favour": True}, "wanted 'precision'"),
        ({"favour": -1.0}, "above 0"),
        ({"favour": 0.0}, "above 0"),
        ({"at_least": 0.5}, "favour='precision' or 'recall'"),
        ({"favour": "recall", "at_least": 1.5}, "up to 1"),
        ({"favour": "precision", "at_least": 0.99}, "no cut has a precision of 0.99; the best one reaches 0.5"),
    ],
)
def test_a_cut_point_that_cannot_be(given, words):
    with pytest.raises(ValueError, match=words):
        choose_cut_point([0, 1, 0, 1], [4, 3, 2, 1], **given)
    with pytest.raises(ValueError, match="no positive example"):
        choose_cut_point([0, 0], [1, 2], pos_label=1)


@pytest.mark.covers("evaluation.example-cost")
def test_costs_of_examples():
    y, predicted = np.array(["a", "b", "c", "a"]), np.array(["a", "c", "c", "b"])
    each = [7.0, 2.0, 3.0, 11.0]
    assert example_cost(y, predicted, each) == 13 / 4
    assert example_cost(y, predicted, each, normalize=False) == 13
    assert example_cost(y, predicted, each, sample_weight=[1, 0, 1, 2]) == 22 / 4
    table = np.arange(12.0).reshape(4, 3)
    assert example_cost(y, predicted, table, normalize=False) == table[0, 0] + table[1, 2] + table[2, 2] + table[3, 1]
    flipped = example_cost(y, predicted, table[:, ::-1], labels=["c", "b", "a"], normalize=False)
    assert flipped == example_cost(y, predicted, table, normalize=False)


@pytest.mark.covers("evaluation.example-cost")
def test_costs_that_depend_on_the_class_alone_are_those_of_a_matrix():
    rng = np.random.RandomState(0)
    y, predicted = rng.randint(3, size=50), rng.randint(3, size=50)
    matrix = CostMatrix([[0, 2, 3], [5, 0, 7], [1, 4, 0]])
    assert example_cost(y, predicted, matrix.costs[y]) == pytest.approx(cost_sensitive_error(y, predicted, matrix))


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ([1.0, 2.0], "2 entries in costs"),
        ([1.0, np.nan, 1.0], "infinite or NaN"),
        ([1.0, -1.0, 1.0], "negative"),
        (["dear", 1, 1], "no numbers"),
        (np.ones((3, 4)), "4 columns in costs but 2 classes"),
        (np.ones((3, 1, 1)), "wanted \\(m,\\)"),
    ],
)
def test_costs_that_cannot_be(costs, words):
    with pytest.raises(ValueError, match=words):
        example_cost([0, 1, 0], [0, 0, 1], costs)


@pytest.mark.covers("evaluation.contingency-table")
@pytest.mark.parametrize("seed", range(5))
def test_the_table_of_two_learners(seed):
    rng = np.random.RandomState(seed)
    y, a, b = rng.choice(["x", "y", "z"], size=(3, 80))
    (e00, e01), (e10, e11) = contingency_table(y, a, b)
    assert e00 == ((a == y) & (b == y)).sum()
    assert e11 == ((a != y) & (b != y)).sum()
    assert (e01, e10) == disagreements(y, a, b) == (((a != y) & (b == y)).sum(), ((a == y) & (b != y)).sum())
    assert (contingency_table(None, a, b) == confusion_matrix(b, a)).all()


@pytest.mark.covers("evaluation.contingency-table")
def test_tests_and_diversity_follow_from_the_table():
    """McNemar (2.33) takes its off-diagonal; disagreement and Q (8.37, 8.39) are made of a, b, c, d."""
    rng = np.random.RandomState(1)
    y, a, b = rng.choice([-1, 1], size=(3, 200))
    table = contingency_table(y, a, b)
    gap = abs(table[0, 1] - table[1, 0])
    expected = max(gap - 1, 0) ** 2 / (table[0, 1] + table[1, 0])
    assert mcnemar_test(int(table[0, 1]), int(table[1, 0])).statistic == pytest.approx(expected)
    (d, b_), (c, a_) = contingency_table(None, a, b)  # rows and columns begin with -1
    assert disagreement(a, b) == pytest.approx((b_ + c) / 200)
    assert q_statistic(a, b) == pytest.approx((a_ * d - b_ * c) / (a_ * d + b_ * c))


def test_tables_that_cannot_be():
    with pytest.raises(ValueError, match="same length"):
        contingency_table(None, [1, 0], [1])
    with pytest.raises(ValueError, match="one kind"):
        contingency_table([1, 0], ["1", "0"], [1, 0])
    with pytest.raises(ValueError, match="one kind"):
        contingency_table(None, ["1", "0"], [1, 0])
