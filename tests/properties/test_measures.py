"""Invariants of the measures, for labels and scores that hypothesis makes."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from lanatus import evaluation as ev

# A coarse grid: many ties, and sums that no rounding touches.
grid = st.integers(-4, 4).map(lambda k: k / 4)


@st.composite
def ranked(draw, least=2, most=25):
    """Labels of both classes with a score each."""
    rows = draw(st.lists(st.tuples(st.integers(0, 1), grid), min_size=least, max_size=most))
    y, score = (np.array(column) for column in zip(*rows, strict=True))
    assume(0 < y.sum() < len(y))
    return y, score


@st.composite
def classified(draw, classes=3):
    label = st.integers(0, classes - 1)
    rows = draw(st.lists(st.tuples(label, label), min_size=1, max_size=30))
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def brute_rank_loss(y, score, weight):
    pos, neg = score[y == 1][:, None], score[y == 0][None, :]
    pairs = weight[y == 1][:, None] * weight[y == 0][None, :]
    return float((pairs * ((pos < neg) + 0.5 * (pos == neg))).sum() / pairs.sum())


@pytest.mark.covers("evaluation.rank-loss", "evaluation.auc")
@given(ranked(), st.data())
def test_auc_is_one_minus_rank_loss(case, data):
    y, score = case
    weight = np.array(data.draw(st.lists(st.integers(1, 5), min_size=len(y), max_size=len(y))), dtype=float)
    for w in (None, weight):
        loss = brute_rank_loss(y, score, np.ones(len(y)) if w is None else w)
        assert ev.rank_loss(y, score, sample_weight=w) == pytest.approx(loss, rel=1e-13, abs=1e-15)
        assert ev.roc_auc_score(y, score, sample_weight=w) == pytest.approx(1 - loss, rel=1e-13, abs=1e-15)
    fpr, tpr, _ = ev.roc_curve(y, score, drop_intermediate=False)
    trapezoids = float(((fpr[1:] - fpr[:-1]) * (tpr[1:] + tpr[:-1])).sum() / 2)  # (2.20)
    assert ev.roc_auc_score(y, score) == pytest.approx(trapezoids, abs=1e-14)


@given(ranked())
def test_only_the_order_of_the_scores_matters(case):
    y, score = case
    for changed in (np.exp(score), score**3, 8 * score - 3, score.astype(np.float32), (4 * score).astype(int)):
        assert ev.roc_auc_score(y, changed) == ev.roc_auc_score(y, score)
        assert ev.break_even_point(y, changed) == ev.break_even_point(y, score)
        assert ev.cost_curve(y, changed).area == ev.cost_curve(y, score).area
    assert ev.roc_auc_score(y, -score) == pytest.approx(1 - ev.roc_auc_score(y, score), abs=1e-15)
    assert ev.rank_loss(y, score, pos_label=0) == pytest.approx(1 - ev.rank_loss(y, score), abs=1e-15)


@given(ranked(), st.data())
def test_weights_are_repeats(case, data):
    y, score = case
    weight = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y))))
    many_y, many_score = np.repeat(y, weight), np.repeat(score, weight)
    assume(len(set(many_y.tolist())) == 2)
    for measure in (
        ev.roc_auc_score,
        ev.rank_loss,
        ev.break_even_point,
        lambda y, s, **kw: ev.cost_curve(y, s, **kw).area,
        lambda y, s, **kw: ev.hand_till_auc(y, np.column_stack([-s, s]), **kw),
        lambda y, s, **kw: ev.calibration_error(y, (s + 1) / 2, strategy="quantile", n_bins=3, **kw),
        lambda y, s, **kw: ev.rates(y, (s > 0).astype(int), **kw).fpr,
        lambda y, s, **kw: ev.cost_sensitive_error(y, (s > 0).astype(int), ev.CostMatrix.binary(fn=5), **kw),
        lambda y, s, **kw: ev.cost_sensitive_accuracy(y, (s > 0).astype(int), ev.CostMatrix.binary(fn=5), **kw),
    ):
        assert measure(y, score, sample_weight=weight) == pytest.approx(
            measure(many_y, many_score), rel=1e-12, abs=1e-14
        )


@given(ranked())
def test_break_even_is_where_precision_is_recall(case):
    y, score = case
    m_pos = int(y.sum())
    assert 0 <= ev.break_even_point(y, score) <= 1
    unique = score + np.arange(len(score)) * 1e-6  # a full ranking
    cut = np.sort(unique)[::-1][m_pos - 1]
    predicted = (unique >= cut).astype(int)
    assert ev.precision_score(y, predicted) == ev.recall_score(y, predicted)
    assert ev.break_even_point(y, unique) == pytest.approx(ev.recall_score(y, predicted), abs=1e-15)


@pytest.mark.covers("evaluation.micro-average", "evaluation.macro-average", "evaluation.tpr-fpr")
@given(classified())
def test_averages(case):
    y, predicted = case
    matrices = ev.binary_confusions(y, predicted)
    micro = ev.micro_scores(matrices)
    assert micro.f1 == pytest.approx(ev.accuracy_score(y, predicted), abs=1e-15)
    assert micro.precision == micro.recall == pytest.approx(micro.f1, abs=1e-15)
    macro = ev.macro_scores(matrices, zero_division=0)
    low, high = sorted((macro.precision, macro.recall))
    assert low - 1e-15 <= macro.f1 <= high + 1e-15
    mean = ev.macro_f1_score(y, predicted, f1="mean", zero_division=0)
    assert mean == pytest.approx(ev.f1_score(y, predicted, average="macro", zero_division=0), abs=1e-15)
    pooled = matrices.sum(axis=0)
    assert ev.micro_scores([pooled]) == micro


@pytest.mark.covers("evaluation.f1", "evaluation.f-beta")
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30))
def test_f_beta_lies_between_precision_and_recall(rows):
    y, predicted = (np.array(column) for column in zip(*rows, strict=True))
    r = ev.rates(y, predicted)
    assume(r.tp > 0)
    if r.fp + r.tn:  # exercise 2.4
        predicted_positive = r.tpr * (r.tp + r.fn) + r.fpr * (r.fp + r.tn)
        assert r.precision == pytest.approx(r.tpr * (r.tp + r.fn) / predicted_positive, rel=1e-14)
    total = len(y)
    f1 = ev.f1_score(y, predicted)
    assert f1 == pytest.approx(2 * r.tp / (total + r.tp - r.tn), abs=1e-15)
    assert ev.fbeta_score(y, predicted, beta=1) == f1
    assert ev.fbeta_score(y, predicted, beta=1e-6) == pytest.approx(r.precision, rel=1e-9)
    assert ev.fbeta_score(y, predicted, beta=1e6) == pytest.approx(r.recall, rel=1e-9)
    assert f1 <= np.sqrt(r.precision * r.recall) + 1e-15
    assert np.sqrt(r.precision * r.recall) <= (r.precision + r.recall) / 2 + 1e-15


@pytest.mark.covers("evaluation.cost-curve")
@given(ranked())
def test_cost_curve_is_the_lower_envelope(case):
    y, score = case
    curve = ev.cost_curve(y, score)
    x = np.linspace(0, 1, 101)
    lines = curve.fpr[:, None] * (1 - x) + curve.fnr[:, None] * x
    assert lines.min() >= 0
    assert lines.max() <= 1
    envelope = np.interp(x, curve.x, curve.y)
    np.testing.assert_allclose(envelope, lines.min(axis=0), rtol=0, atol=1e-14)
    assert (envelope <= np.minimum(x, 1 - x) + 1e-14).all()
    for k, segment in enumerate(curve.best):  # linear pieces, each on its own segment
        ends = curve.x[k : k + 2]
        own = curve.fpr[segment] * (1 - ends) + curve.fnr[segment] * ends
        np.testing.assert_allclose(curve.y[k : k + 2], own, rtol=0, atol=1e-14)
    assert 0 <= curve.area <= 0.25 + 1e-15


@pytest.mark.covers("evaluation.roc-cost-conversion")
@example((np.repeat([0, 1], [10, 7]), np.array([0, 1, 1, -1, -1, -1, -1, -1, 2, 3, 0, 0, 0, -1, -1, -1, 4]) / 4))
@given(ranked())
def test_roc_and_cost_curve_convert_into_each_other(case):
    y, score = case
    fpr, tpr, _ = ev.roc_curve(y, score)
    curve = ev.roc_to_cost_curve(fpr, tpr)
    assert curve.area == pytest.approx(ev.cost_curve(y, score).area, abs=1e-14)
    hull_fpr, hull_tpr = ev.cost_curve_to_roc(curve)
    again = ev.cost_curve_to_roc(ev.roc_to_cost_curve(hull_fpr, hull_tpr))
    np.testing.assert_allclose(again, (hull_fpr, hull_tpr), rtol=0, atol=1e-14)
    run, rise = np.diff(hull_fpr), np.diff(hull_tpr)
    assert (rise[:-1] * run[1:] >= rise[1:] * run[:-1] - 1e-14).all()  # convex
    assert (np.interp(fpr, hull_fpr, hull_tpr) >= tpr - 1e-14).all()  # above every point
    points = {(round(a, 12), round(b, 12)) for a, b in zip(fpr, tpr, strict=True)}
    assert {(round(a, 12), round(b, 12)) for a, b in zip(hull_fpr, hull_tpr, strict=True)} <= points


@pytest.mark.covers("evaluation.curve-dominance")
@given(ranked(), ranked())
def test_an_enclosing_curve_has_the_greater_area(a, b):
    curves = [ev.roc_curve(*case)[:2] for case in (a, b)]
    areas = [ev.auc(*curve) for curve in curves]
    assert not (ev.dominates(*curves) and ev.dominates(*curves[::-1]))
    if ev.dominates(*curves):
        assert areas[0] > areas[1]
    fpr, tpr = curves[0]
    lifted = np.append(0, fpr), np.append(0, (1 + tpr) / 2)
    assert ev.dominates(lifted, curves[0]) == (areas[0] < 1)


@pytest.mark.covers("evaluation.cost-matrix", "evaluation.cost-sensitive-error")
@given(classified(), st.lists(st.integers(0, 9), min_size=6, max_size=6), st.sampled_from([0.5, 2.0, 8.0]))
def test_only_ratios_of_costs_matter(case, entries, factor):
    y, predicted = case
    costs = np.zeros((3, 3))
    costs[~np.eye(3, dtype=bool)] = entries
    matrix, scaled = ev.CostMatrix(costs), ev.CostMatrix(factor * costs)
    assert matrix.same_ratios(scaled)
    assert ev.total_cost(y, predicted, scaled) == factor * ev.total_cost(y, predicted, matrix)
    assert ev.cost_sensitive_accuracy(y, predicted, scaled) == ev.cost_sensitive_accuracy(y, predicted, matrix)
    proba = np.random.default_rng(0).dirichlet(np.ones(3), size=20)
    np.testing.assert_array_equal(matrix.decide(proba), scaled.decide(proba))
    table = ev.confusion_matrix(y, predicted, labels=[0, 1, 2])
    assert ev.total_cost(y, predicted, matrix) == (table * costs).sum()


@pytest.mark.covers("evaluation.iso-error-lines")
@given(ranked(), st.floats(0, 1))
def test_error_on_an_iso_line_is_constant(case, fpr):
    y, score = case
    m_pos, m_neg = int(y.sum()), int(len(y) - y.sum())
    predicted = (score > 0).astype(int)
    r = ev.rates(y, predicted)
    error = ev.error_from_roc(r.fpr, r.tpr, m_pos, m_neg)
    assert error == pytest.approx(ev.zero_one_loss(y, predicted), abs=1e-14)
    slope, intercept = ev.iso_error_line(error, m_pos, m_neg)
    tpr = slope * fpr + intercept
    if 0 <= tpr <= 1:
        assert ev.error_from_roc(fpr, tpr, m_pos, m_neg) == pytest.approx(error, abs=1e-13)
