"""Measures of chapter 2: the book's numbers, edge cases, and what is refused."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from samples import melon_numbers
from sklearn.exceptions import UndefinedMetricWarning

from lanatus import evaluation as ev

NAN = float("nan")


@pytest.fixture(scope="module")
def scored_melons():
    """Watermelon 3.0a with the scores of logistic regression, G20."""
    X, y = melon_numbers()
    z = X @ [3.158330, 12.521196] - 4.428865
    return y, z


# G24: TP 5, FP 2, FN 3, TN 7.
TRUTH = np.repeat([1, 0, 1, 0], [5, 2, 3, 7])
JUDGED = np.repeat([1, 1, 0, 0], [5, 2, 3, 7])


# ---------------------------------------------------------------- two classes


@pytest.mark.covers("evaluation.error-rate", "evaluation.accuracy")
def test_error_and_accuracy():
    wrong = np.repeat([1, 0], [90, 210])  # G4: 300 test examples, 90 errors
    assert ev.zero_one_loss(np.zeros(300), wrong) == pytest.approx(0.3, rel=1e-15)
    assert ev.accuracy_score(np.zeros(300), wrong) == 0.7
    rare = np.repeat([1, 0], [2, 998])  # G16: always negative
    assert ev.accuracy_score(rare, np.zeros(1000)) == 0.998
    assert ev.zero_one_loss([0, 1], [0, 0], sample_weight=[3, 1]) == 0.25  # (2.6)


@pytest.mark.covers("evaluation.mean-squared-error")
def test_mean_squared_error():
    assert ev.mean_squared_error([1.0, 2.0, 4.0], [1.0, 4.0, 3.0]) == pytest.approx(5 / 3, rel=1e-15)
    assert ev.mean_squared_error([1.0, 2.0], [2.0, 4.0], sample_weight=[0.75, 0.25]) == 1.75  # (2.3)


@pytest.mark.covers(
    "evaluation.confusion-matrix", "evaluation.precision", "evaluation.recall", "evaluation.f1", "evaluation.f-beta"
)
def test_confusion_matrix_precision_recall_f():
    assert ev.confusion_matrix(TRUTH, JUDGED, labels=[1, 0]).tolist() == [[5, 3], [2, 7]]  # table 2.1
    assert ev.precision_score(TRUTH, JUDGED) == 5 / 7
    assert ev.recall_score(TRUTH, JUDGED) == 5 / 8
    assert ev.f1_score(TRUTH, JUDGED) == pytest.approx(2 * 5 / (17 + 5 - 7), rel=1e-15)
    for beta in (0.5, 1, 2):  # (2.11)
        expected = (1 + beta**2) * (5 / 7) * (5 / 8) / (beta**2 * 5 / 7 + 5 / 8)
        assert ev.fbeta_score(TRUTH, JUDGED, beta=beta) == pytest.approx(expected, rel=1e-14)


@pytest.mark.covers("evaluation.tpr-fpr")
def test_rates():
    r = ev.rates(TRUTH, JUDGED)
    assert (r.tp, r.fn, r.fp, r.tn) == (5, 3, 2, 7)
    assert (r.tpr, r.fpr, r.tnr, r.fnr) == (5 / 8, 2 / 9, 7 / 9, 3 / 8)
    assert (r.precision, r.recall) == (5 / 7, 5 / 8)
    assert r.precision == pytest.approx(r.tpr * 8 / (r.tpr * 8 + r.fpr * 9), rel=1e-15)  # exercise 2.4
    other = ev.rates(TRUTH, JUDGED, pos_label=0)
    assert (other.tpr, other.fpr) == (r.tnr, r.fnr)
    weighted = ev.rates([1, 1, 0], [1, 0, 0], sample_weight=[3, 1, 2])
    assert (weighted.tpr, weighted.fpr) == (0.75, 0)


def test_rates_of_an_absent_class_are_nan():
    r = ev.rates([0, 0, 0], [0, 0, 0])
    assert (r.tn, r.fpr, r.tnr) == (3, 0, 1)
    assert all(np.isnan([r.tpr, r.fnr, r.precision, r.recall]))
    r = ev.rates(["是", "是"], ["是", "是"], pos_label="是")
    assert (r.tpr, r.precision) == (1, 1)
    assert np.isnan(r.fpr)
    with pytest.raises(ValueError, match=r"only the class '是'.*give pos_label"):
        ev.rates(["是", "是"], ["是", "是"])


@pytest.mark.covers("evaluation.type-i-ii-error")
def test_type_errors():
    assert ev.type_errors(TRUTH, JUDGED) == ev.TypeErrors(type_i=2 / 9, type_ii=3 / 8)
    swapped = ev.type_errors(TRUTH, JUDGED, pos_label=0)
    assert (swapped.type_i, swapped.type_ii) == (3 / 8, 2 / 9)


# ---------------------------------------------------------------- averages


@pytest.mark.covers("evaluation.macro-average", "evaluation.micro-average")
def test_macro_and_micro():
    matrices = [[[5, 3], [2, 7]], [[1, 1], [0, 4]]]
    p, r = Fraction(5, 7) + 1, Fraction(5, 8) + Fraction(1, 2)
    macro = ev.macro_scores(matrices)
    assert macro.precision == pytest.approx(float(p / 2), rel=1e-15)
    assert macro.recall == pytest.approx(float(r / 2), rel=1e-15)
    assert macro.f1 == pytest.approx(float(p * r / (p + r)), rel=1e-15)
    assert ev.macro_scores(matrices, f1="mean").f1 == pytest.approx(
        float((Fraction(2, 3) + Fraction(2, 3)) / 2), rel=1e-15
    )
    micro = ev.micro_scores(matrices)
    assert (micro.precision, micro.recall, micro.f1) == (6 / 8, 6 / 10, pytest.approx(12 / 18, rel=1e-15))


def test_the_books_macro_f1_is_not_that_of_scikit_learn():
    truth, predicted = list("aabbcc"), list("aabccc")
    book = ev.macro_f1_score(truth, predicted)
    theirs = ev.f1_score(truth, predicted, average="macro")
    assert book == pytest.approx(2 * (8 / 9) * (5 / 6) / (8 / 9 + 5 / 6), rel=1e-15)
    assert abs(book - theirs) > 0.01
    assert ev.macro_f1_score(truth, predicted, f1="mean") == pytest.approx(theirs, rel=1e-15)


def test_ratios_of_nothing():
    never = [[[0, 2], [0, 3]], [[2, 0], [0, 3]]]  # the first class is never predicted
    with pytest.warns(UndefinedMetricWarning, match="0/0"):
        assert ev.macro_scores(never).precision == 0.5
    assert ev.macro_scores(never, zero_division=1).precision == 1
    assert ev.macro_scores(never, zero_division=NAN).precision == 1
    assert ev.macro_scores([never[0]], zero_division=0).f1 == 0
    with pytest.warns(UndefinedMetricWarning, match="0/0"):
        assert ev.micro_scores([never[0]]).precision == 0


def test_binary_confusions_have_the_books_layout():
    matrices = ev.binary_confusions(TRUTH, JUDGED, labels=[1])
    assert matrices.tolist() == [[[5, 3], [2, 7]]]
    theirs = ev.multilabel_confusion_matrix(TRUTH, JUDGED, labels=[1])
    assert theirs.tolist() == [[[7, 2], [3, 5]]]
    weighted = ev.binary_confusions(["甲", "乙"], ["甲", "甲"], sample_weight=[2.0, 0.5])
    assert weighted.tolist() == [[[0, 0.5], [0, 2]], [[2, 0], [0.5, 0]]]


# ---------------------------------------------------------------- rankings


@pytest.mark.covers("evaluation.auc", "evaluation.rank-loss")
def test_auc_and_rank_loss():
    y, score = [1, 1, 1, 0, 0], [0.9, 0.6, 0.6, 0.6, 0.3]  # G23
    assert ev.rank_loss(y, score) == 1 / 6
    assert ev.roc_auc_score(y, score) == 5 / 6


@pytest.mark.covers(
    "evaluation.auc",
    "evaluation.roc-curve",
    "evaluation.break-even-point",
    "evaluation.cost-curve",
    "evaluation.pr-curve",
    "evaluation.pr-area",
)
def test_the_melons(scored_melons):
    y, z = scored_melons  # G20
    assert ev.roc_auc_score(y, z) == 58 / 72
    assert ev.rank_loss(y, z, pos_label="是") == pytest.approx(14 / 72, rel=1e-15)
    assert ev.break_even_point(y, z) == 0.75
    assert ev.cost_curve(y, z).area == pytest.approx(85 / 602, abs=1e-15)
    r = ev.rates(y, np.where(z > 0, "是", "否"))
    assert (r.tp, r.fp, r.fn, r.tn) == (5, 2, 3, 7)
    fpr, tpr, _ = ev.roc_curve(y, z, pos_label="是", drop_intermediate=False)
    steps = {(round(9 * a), round(8 * b)) for a, b in zip(np.diff(fpr), np.diff(tpr), strict=True)}
    assert steps == {(0, 1), (1, 0)}  # one example at a time
    assert ev.auc(fpr, tpr) == pytest.approx(58 / 72, rel=1e-14)
    precision, recall, _ = ev.precision_recall_curve(y, z, pos_label="是")
    assert 0.75 in precision[np.isclose(precision, recall, atol=1e-15)]
    average = sum((recall[:-1] - recall[1:]) * precision[:-1])
    assert ev.average_precision_score(y, z, pos_label="是") == pytest.approx(average, rel=1e-14)


@pytest.mark.covers("evaluation.break-even-point")
def test_break_even_point():
    assert ev.break_even_point([1, 0, 0, 1, 0], [5, 4, 3, 2, 1]) == 0.5  # exercise 2.3, A
    assert ev.break_even_point([1, 1, 0, 0, 0], [5, 4, 3, 2, 1]) == 1  # B
    assert ev.break_even_point([1, 0, 0, 0], [1, 1, 1, 1]) == 0.25  # all tied: the share of positives
    assert ev.break_even_point([1, 1, 0, 0], [3, 2, 2, 1]) == 0.75  # half of the tied pair
    assert ev.break_even_point([1, 1], [3, 2]) == 1
    assert ev.break_even_point([1, 0, 0], [np.inf, -np.inf, np.inf]) == 0.5
    with pytest.warns(UndefinedMetricWarning, match="without positives"):
        assert np.isnan(ev.break_even_point([0, 0], [1, 2]))


@pytest.mark.covers("evaluation.multiclass-auc")
def test_hand_till():
    y = np.array([0, 0, 1, 1, 2])
    score = np.array([[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.3, 0.5, 0.2], [0.2, 0.2, 0.6], [0.1, 0.2, 0.7]])

    def a(i, j):
        gaps = np.sign(score[y == i, i][:, None] - score[y == j, i])
        return (gaps + 1).mean() / 2

    expected = np.mean([a(i, j) for i in range(3) for j in range(3) if i != j])
    assert ev.hand_till_auc(y, score) == pytest.approx(expected, rel=1e-15)
    assert ev.hand_till_auc(y, score, labels=[0, 1, 2]) == pytest.approx(expected, rel=1e-15)
    shuffled = ev.hand_till_auc(y, score[:, [2, 0, 1]], labels=[2, 0, 1])
    assert shuffled == pytest.approx(expected, rel=1e-15)
    absent = ev.hand_till_auc(y[:4], score[:4], labels=[0, 1, 2])
    assert absent == pytest.approx((a(0, 1) + a(1, 0)) / 2, rel=1e-15)
    with pytest.raises(ValueError, match="3 columns in y_score but 2 classes"):
        ev.hand_till_auc(y[:4], score[:4])
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(ev.hand_till_auc(y, score, sample_weight=[1, 1, 0, 0, 0]))


@pytest.mark.parametrize("label", [0, 1, "是", 3.0])
def test_a_single_class_has_no_auc(label):
    for measure in (ev.roc_auc_score, ev.rank_loss):
        with pytest.warns(UndefinedMetricWarning, match="two classes"):
            assert np.isnan(measure([label] * 3, [1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match=r"single class|only the class"):
        ev.cost_curve([label] * 3, [1.0, 2.0, 3.0])


def test_ties_everywhere():
    y, score = [0, 1, 1, 0, 1], np.zeros(5)
    assert ev.roc_auc_score(y, score) == ev.rank_loss(y, score) == 0.5
    assert ev.break_even_point(y, score) == pytest.approx(0.6, rel=1e-15)
    assert ev.cost_curve(y, score).area == 0.25


def test_every_kind_of_column():
    numbers, score = [0, 1, 1, 0], [0.1, 0.7, 0.4, 0.4]
    words = ["否", "是", "是", "否"]
    columns = [
        numbers,
        np.array(numbers, dtype=bool),
        np.array(numbers, dtype=np.int8),
        np.array(numbers) * 2 - 1,
        np.array(numbers, dtype=float),
        words,
        np.array(words),
        pd.Series(words),
        pd.Series(words, dtype="category"),
        pl.Series(words),
        pa.array(words),
    ]
    for y in columns:
        assert ev.roc_auc_score(y, score) == ev.roc_auc_score(y, pl.Series(score)) == 0.875
        assert ev.rank_loss(y, pa.array(score)) == 0.125
    strided = np.repeat(score, 2)[::2]
    for s in (np.float16(score), np.float32(score), strided, np.longdouble(score), (10 * np.array(score)).astype(int)):
        assert ev.roc_auc_score(numbers, s) == 0.875


def test_scores_that_doubles_cannot_tell_apart():
    big = 2**60
    assert ev.roc_auc_score([0, 1], np.array([big, big + 1])) == 1
    close = np.array([1, np.nextafter(np.longdouble(1), 2)], dtype=np.longdouble)
    assert ev.roc_auc_score([0, 1], close) == (1 if close[0] != close[1] else 0.5)
    assert ev.roc_auc_score([0, 1], np.array([-0.0, 0.0])) == 0.5
    assert ev.roc_auc_score([0, 1, 1], [-np.inf, np.inf, 0]) == 1


def test_auc_reads_the_scores_where_they_are():
    import tracemalloc

    rng = np.random.default_rng(0)
    y, score = rng.integers(2, size=1_000_000), rng.random(1_000_000)
    ev.roc_auc_score(y, score)
    tracemalloc.start()
    ev.roc_auc_score(y, score)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5 * len(y)  # marks of the classes, a byte each


# ---------------------------------------------------------------- the ROC plane


@pytest.mark.covers("evaluation.curve-dominance")
def test_dominance():
    ideal, chance = ([0, 0, 1], [0, 1, 1]), ([0, 1], [0, 1])
    good, other = ([0, 0.2, 1], [0, 0.8, 1]), ([0, 0.5, 1], [0, 0.95, 1])
    assert ev.dominates(ideal, good)
    assert ev.dominates(good, chance)
    assert not ev.dominates(good, other)  # they cross
    assert not ev.dominates(other, good)
    assert not ev.dominates(chance, chance)
    steps, finer = ([0, 0, 0.5, 0.5, 1], [0, 0.5, 0.5, 1, 1]), ([0, 0, 0.5, 0.5, 1], [0, 0.5, 0.5, 0.9, 1])
    assert ev.dominates(steps, finer)
    assert not ev.dominates(finer, steps)
    a = ev.precision_recall_curve([1, 1, 0, 0], [4, 3, 2, 1])
    b = ev.precision_recall_curve([1, 0, 1, 0], [4, 3, 2, 1])
    a, b = (a[1], a[0]), (b[1], b[0])
    assert ev.dominates(a, b, kind="pr")
    assert not ev.dominates(b, a, kind="pr")


@pytest.mark.covers("evaluation.iso-error-lines")
def test_error_in_the_roc_plane():
    assert ev.error_from_roc(2 / 9, 5 / 8, 8, 9) == pytest.approx(5 / 17, rel=1e-15)
    np.testing.assert_allclose(ev.error_from_roc([0, 1], [0, 1], 8, 9), [8 / 17, 9 / 17], rtol=1e-15)
    slope, intercept = ev.iso_error_line(5 / 17, 8, 9)
    assert slope == 9 / 8
    assert slope * 2 / 9 + intercept == pytest.approx(5 / 8, rel=1e-14)


# ---------------------------------------------------------------- costs


@pytest.mark.covers("evaluation.cost-matrix")
def test_cost_matrix():
    binary = ev.CostMatrix.binary(fn=5, fp=1)
    assert binary.labels == (1, 0)
    assert binary.costs.tolist() == [[0, 5], [1, 0]]
    assert ev.CostMatrix([[0, 10], [50, 0]]).same_ratios(binary)
    assert not ev.CostMatrix([[0, 50], [10, 0]]).same_ratios(binary)
    assert not binary.same_ratios(ev.CostMatrix(binary.costs, ["a", "b"]))
    named = ev.CostMatrix({("b", "a"): 3}, labels=["c", "b", "a"])
    assert named.costs.tolist() == [[0, 1, 1], [1, 0, 3], [1, 1, 0]]
    assert ev.CostMatrix([[0, 4], [2, 0]]).scaled().costs.tolist() == [[0, 2], [1, 0]]
    assert not ev.CostMatrix(np.zeros((2, 2))).scaled().costs.any()
    with pytest.raises(ValueError, match="read-only"):
        binary.costs[0, 1] = 3
    assert ev.total_cost(TRUTH, JUDGED, binary) == 3 * 5 + 2 * 1


@pytest.mark.covers("evaluation.cost-sensitive-error")
def test_cost_sensitive_error():
    binary = ev.CostMatrix.binary(fn=5, fp=1)
    assert ev.cost_sensitive_error(TRUTH, JUDGED, binary) == 17 / 17  # (2.23)
    assert ev.cost_sensitive_accuracy(TRUTH, JUDGED, binary) == pytest.approx(1 - 17 / (8 * 5 + 9), rel=1e-15)
    same = 1 - np.eye(2)
    assert ev.cost_sensitive_error(TRUTH, JUDGED, same) == 5 / 17
    assert ev.cost_sensitive_accuracy(TRUTH, JUDGED, same) == pytest.approx(ev.accuracy_score(TRUTH, JUDGED), rel=1e-15)
    assert ev.cost_sensitive_accuracy(TRUTH, JUDGED, np.zeros((2, 2))) == 1
    distribution = np.where(TRUTH == 1, 1 / 16, 1 / 18)
    expected = 0.5 * 3 / 8 * 5 + 0.5 * 2 / 9
    assert ev.cost_sensitive_error(TRUTH, JUDGED, binary, sample_weight=distribution) == pytest.approx(
        expected, rel=1e-14
    )
    three = {("a", "c"): 10.0}
    assert ev.cost_sensitive_error(["a", "a", "b"], ["a", "c", "a"], three) == pytest.approx(11 / 3, rel=1e-15)


def test_decisions_of_least_expected_cost():
    binary = ev.CostMatrix.binary(fn=5, fp=1)
    proba = np.array([[0.9, 0.1], [0.8, 0.2], [5 / 6, 1 / 6]])  # the threshold is 1 / (5 + 1)
    assert binary.decide(proba[:2]).tolist() == [0, 1]
    assert ev.expected_cost([1, 0], proba[:2], binary) == (5 + 1) / 2
    assert ev.expected_cost([1, 0], proba[:2], [[0, 1], [5, 0]]) == 3
    assert ev.expected_cost(["y", "n"], proba[:2], {("y", "n"): 5}) == 3
    assert ev.expected_cost(["y", "n"], proba[:2, ::-1], {("y", "n"): 5}, labels=["y", "n"]) == 3
    assert ev.expected_cost(["y", "n"], proba[:2], {("y", "n"): 5}, sample_weight=[1, 3]) == 2
    equal = ev.CostMatrix(1 - np.eye(3))
    proba = np.random.default_rng(0).dirichlet(np.ones(3), size=50)
    np.testing.assert_array_equal(equal.decide(proba), proba.argmax(axis=1))


@pytest.mark.covers("evaluation.cost-curve", "evaluation.roc-cost-conversion")
def test_cost_curves_of_chance_and_of_the_ideal():
    chance, ideal = ev.roc_to_cost_curve([0, 1], [0, 1]), ev.roc_to_cost_curve([0, 0, 1], [0, 1, 1])  # G25
    assert chance.area == 0.25
    assert (chance.x.tolist(), chance.y.tolist()) == ([0, 0.5, 1], [0, 0.5, 0])
    assert ideal.area == 0
    assert (ideal.x.tolist(), ideal.y.tolist(), ideal.best.tolist()) == ([0, 1], [0, 0], [1])
    assert [part.tolist() for part in ev.cost_curve_to_roc(ideal)] == [[0, 0, 1], [0, 1, 1]]
    worse_than_chance = ev.roc_to_cost_curve([0, 1, 1], [0, 0, 1])
    assert worse_than_chance.area == 0.25
    curve = ev.roc_to_cost_curve([0.2], [0.7])
    p, cost_fn, cost_fp = 0.3, 5.0, 2.0
    x = p * cost_fn / (p * cost_fn + (1 - p) * cost_fp)  # (2.24)
    best = min(x, 1 - x, 0.3 * x + 0.2 * (1 - x))  # (2.25)
    assert curve.at(p, cost_fn, cost_fp) == pytest.approx(best, rel=1e-14)
    np.testing.assert_allclose(curve.at([0.0, 0.5, 1.0]), [0, 0.25, 0], rtol=0, atol=1e-15)
    assert curve.fpr.tolist() == [0, 0.2, 1]
    np.testing.assert_allclose(curve.fnr, [1, 0.3, 0], rtol=0, atol=1e-15)


# ---------------------------------------------------------------- calibration


def test_calibration_error():
    y, prob = [0, 0, 1, 1, 1], [0.1, 0.3, 0.3, 0.8, 1.0]
    # bins (0, .5] and (.5, 1]: mean .7/3 against 1/3, mean .9 against 1
    gaps, share = np.array([1 / 3 - 0.7 / 3, 0.1]), np.array([0.6, 0.4])
    assert ev.calibration_error(y, prob, n_bins=2) == pytest.approx(share @ gaps, rel=1e-13)
    assert ev.calibration_error(y, prob, n_bins=2, norm="l2") == pytest.approx(np.sqrt(share @ gaps**2), rel=1e-13)
    assert ev.calibration_error(y, [0.2] * 5, n_bins=2, norm="max") == pytest.approx(0.4, rel=1e-13)
    assert ev.calibration_error(y, y) == 0
    assert ev.calibration_error([1, 1, 1], [1.0, 1.0, 0.5], strategy="quantile", n_bins=2) == pytest.approx(1 / 6)
    top = np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]])
    assert ev.calibration_error(list("aac"), top, n_bins=1, labels=list("abc")) == pytest.approx(0.7 - 2 / 3, rel=1e-12)


# ---------------------------------------------------------------- refused

SCORED = [ev.roc_auc_score, ev.rank_loss, ev.break_even_point, ev.cost_curve]
JUDGING = [ev.rates, ev.type_errors, ev.binary_confusions, ev.macro_f1_score]


@pytest.mark.parametrize("measure", SCORED)
@pytest.mark.parametrize(
    ("y", "score", "options", "message"),
    [
        ([0, 1], [0.1, 0.2, 0.3], {}, "2 labels in y_true but 3"),
        ([0, 1], [0.1, NAN], {}, "1 NaN in y_score"),
        ([0, 1], ["a", "b"], {}, "wanted numbers"),
        ([0, 1], [1 + 1j, 2], {}, "wanted numbers"),
        ([], [], {}, "empty y_true"),
        ([0, None], [0.1, 0.2], {}, "missing labels"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1]}, "2 labels in y_true but 1 entries in sample_weight"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1, -1]}, "negative"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1, NAN]}, "NaN"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [0, 0]}, "0 for every example"),
    ],
)
def test_scores_that_do_not_fit(measure, y, score, options, message):
    with pytest.raises(ValueError, match=message):
        measure(y, score, **options)


@pytest.mark.parametrize("measure", [ev.rank_loss, ev.break_even_point, ev.cost_curve])
def test_labels_that_are_not_two(measure):
    with pytest.raises(ValueError, match=r"3 classes in y_true \('a', 'b', 'c'\), wanted two"):
        measure(list("abc"), [1, 2, 3])
    with pytest.raises(ValueError, match="got pos_label='c', wanted one of the labels of y_true: 'a', 'b'"):
        measure(list("ab"), [1, 2], pos_label="c")
    with pytest.raises(ValueError, match="shape"):
        measure([0, 1], [[1, 2], [3, 4]])


@pytest.mark.parametrize("measure", JUDGING)
def test_predictions_that_do_not_fit(measure):
    with pytest.raises(ValueError, match="2 labels in y_true but 1 entries in y_pred"):
        measure([0, 1], [0])
    with pytest.raises(ValueError, match="labels of one kind"):
        measure([0, 1], ["0", "1"])
    with pytest.raises(ValueError, match="y_pred=None"):
        measure([0, 1], None)


@pytest.mark.parametrize(
    ("costs", "labels", "message"),
    [
        ([[0, 1, 2], [1, 0, 2]], None, r"shape \(2, 3\)"),
        ([0, 1], None, r"shape \(2,\)"),
        ([[0]], None, "2 or more classes"),
        ([[0, -1], [1, 0]], None, "negative"),
        ([[0, NAN], [1, 0]], None, "NaN"),
        ([[1, 1], [1, 0]], None, "diagonal"),
        ("dear", None, "no table"),
        ([[0, 1], [1, 0]], ["a"], "2 different ones"),
        ([[0, 1], [1, 0]], ["a", "a"], "2 different ones"),
        ({("a", "b"): 1}, ["a", "c"], r"got costs for \['b'\]"),
        ({"ab": 1}, None, "pairs"),
        ({}, None, "pairs"),
    ],
)
def test_costs_that_are_none(costs, labels, message):
    with pytest.raises(ValueError, match=message):
        ev.CostMatrix(costs, labels)


def test_costs_that_do_not_fit_the_labels():
    with pytest.raises(ValueError, match="got the label 'c' in y_true"):
        ev.total_cost(["a", "c"], ["a", "b"], ev.CostMatrix([[0, 1], [1, 0]], ["a", "b"]))
    with pytest.raises(ValueError, match="got the label 0 in y_true"):
        ev.total_cost([1, 0], [1, 0], ev.CostMatrix([[0, 1], [1, 0]], ["a", "b"]))
    with pytest.raises(ValueError, match="3 different ones"):
        ev.total_cost([0, 1], [0, 1], np.ones((3, 3)) - np.eye(3))
    matrix = ev.CostMatrix.binary(fn=2)
    with pytest.raises(ValueError, match="column for each"):
        ev.expected_cost([0, 1], [[0.2, 0.3, 0.5]] * 2, matrix)
    with pytest.raises(ValueError, match="column for each"):
        matrix.decide([0.2, 0.8])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ev.macro_scores([[1, 2], [3, 4]]), r"shape \(2, 2\), wanted \(n, 2, 2\)"),
        (lambda: ev.micro_scores([[[1, 2], [3, -4]]]), "negative"),
        (lambda: ev.macro_scores([[[1, 2], [3, 4]]], f1="geometric"), "harmonic"),
        (lambda: ev.hand_till_auc([0, 1], [0.1, 0.2]), "shape"),
        (lambda: ev.hand_till_auc([0, 1], [[0.1, 0.2], [NAN, 1]]), "NaN"),
        (lambda: ev.hand_till_auc([0, 1], [[0.1, 0.2]] * 2, labels=[0, 2]), "got the label 1 in y_true"),
        (lambda: ev.hand_till_auc([0, 1], [[0.1, 0.2]] * 2, labels=[0, 0]), "each of them once"),
        (lambda: ev.dominates(([0, 1], [0, 1]), ([0, 1], [0, 1]), kind="det"), "kind"),
        (lambda: ev.dominates(([0, 1], [0.5, 1]), ([0, 1], [0, 1])), "curve_a that does not rise"),
        (lambda: ev.dominates(([0, 1], [0, 1]), ([0, 0.5, 0.2, 1], [0, 1, 1, 1])), "curve_b that goes back"),
        (lambda: ev.dominates(([0, 1], [0, 1]), ([0, 1], [0, 1, 1])), "one length"),
        (lambda: ev.dominates(([0, 1], [0, 1]), 3), "pair of columns"),
        (lambda: ev.dominates(([0, 0.2], [1, 1]), ([0.5, 1], [1, 1]), kind="pr"), "common range"),
        (lambda: ev.error_from_roc(1.5, 0.5, 1, 1), "fpr"),
        (lambda: ev.error_from_roc([0.5], 0.5, 1, 1), "shape"),
        (lambda: ev.iso_error_line(0.5, 0, 1), "m_pos"),
        (lambda: ev.iso_error_line(NAN, 1, 1), "error"),
        (lambda: ev.roc_to_cost_curve([0.5, 0.2], [0.5, 0.6]), "falls"),
        (lambda: ev.roc_to_cost_curve([0.5], [NAN]), "falls"),
        (lambda: ev.roc_to_cost_curve([0.5], [0.5, 0.6]), "one length"),
        (lambda: ev.roc_to_cost_curve(["a"], [0.5]), "no numbers"),
        (lambda: ev.roc_to_cost_curve([0], [1]).at(1.5), "p="),
        (lambda: ev.roc_to_cost_curve([0], [1]).at(0.5, cost_fn=0), "cost_fn"),
        (lambda: ev.calibration_error([0, 1], [0.1, 1.2]), "from 0 to 1"),
        (lambda: ev.calibration_error([0, 1], [0.1, NAN]), "NaN"),
        (lambda: ev.calibration_error([0, 1], [0.1, 0.2], n_bins=0), "n_bins"),
        (lambda: ev.calibration_error([0, 1], [0.1, 0.2], strategy="even"), "strategy"),
        (lambda: ev.calibration_error([0, 1], [0.1, 0.2], norm="l3"), "norm"),
        (lambda: ev.calibration_error([0, 1], [[0.1, 0.2], [0.5, 0.5]]), "add up to 1"),
    ],
)
def test_one_clear_error_each(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_nan_among_strings_is_no_class():
    for measure in (ev.rates, ev.binary_confusions, ev.macro_f1_score):
        with pytest.raises(ValueError, match="missing labels"):
            measure(["a", np.nan, "a"], ["a", "b", "a"])


def test_labels_as_objects_are_numbers():
    truth = np.array([np.int64(1), np.int64(0), np.int64(1)], dtype=object)
    assert ev.rates(truth, [1, 0, 0]) == ev.rates([1, 0, 1], [1, 0, 0])
    assert ev.roc_auc_score(truth.astype(float).astype(object), [0.9, 0.1, 0.8]) == 1.0


def test_numbers_and_strings_are_not_mixed():
    with pytest.raises(ValueError, match="one kind"):
        ev.rates([1, "a"], ["a", "1"])
    with pytest.raises(ValueError, match="one kind"):
        ev.disagreements([1, 0, 1], ["1", "0", "1"], [1, 0, 1])
    with pytest.raises(ValueError, match="one kind"):
        ev.disagreements(np.array(["1", "0"]), np.array(["1", "0"]), np.array([1, 0]))


@pytest.mark.parametrize("labels", [[7, 8], [0, 0]])
def test_labels_that_are_nowhere_or_twice(labels):
    with pytest.raises(ValueError, match="wanted different classes"):
        ev.binary_confusions([0, 1], [0, 1], labels=labels)


@pytest.mark.parametrize("value", ["x", None])
def test_zero_division_is_a_number(value):
    with pytest.raises(ValueError, match="zero_division"):
        ev.macro_scores([[[0, 0], [0, 1]]], zero_division=value)


def test_costs_that_are_no_numbers():
    with pytest.raises(ValueError, match=r"the cost 'x' of \('a', 'b'\)"):
        ev.CostMatrix({("a", "b"): "x"})
    with pytest.raises(ValueError, match="at least one probability"):
        ev.CostMatrix([[0, 1], [1, 0]]).decide(np.empty((0, 2)))
    with pytest.raises(ValueError, match="cost_fn"):
        ev.cost_curve([1, 0], [1, 0]).at(0.5, cost_fn="x")


def test_iso_error_line_takes_one_rate():
    with pytest.raises(ValueError, match="one rate"):
        ev.iso_error_line([0.1, 0.2], 1, 1)
    with pytest.raises(ValueError, match="m_pos"):
        ev.error_from_roc(0.1, 0.2, "8", 1)


def test_break_even_point_counts_the_weights_of_negatives():
    # Of 3 predicted positive by weight, the negative in front takes 2: TP = 1 of 3.
    assert ev.break_even_point([0, 1, 1], [3, 2, 1], sample_weight=[2, 1, 2]) == pytest.approx(1 / 3, rel=1e-12)


def test_quantile_bins_share_the_weight():
    truth, prob = [0, 1, 1, 0], [0.1, 0.2, 0.3, 0.4]
    # Half of the weight is on the first example alone, so it has a bin to itself.
    weights = [3, 1, 1, 1]
    expected = (3 * 0.1 + abs(0.2 + 0.3 + 0.4 - 2)) / 6
    error = ev.calibration_error(truth, prob, n_bins=2, strategy="quantile", sample_weight=weights)
    assert error == pytest.approx(expected, rel=1e-12)
