"""Scores, their intervals and the tests of their differences."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from lanatus.auto._scores import difference, estimate, scores_for
from lanatus.evaluation import delong_test


def two_classes(n=400, seed=0):
    rng = np.random.RandomState(seed)
    y = rng.randint(0, 2, n)
    p = np.clip(0.5 + 0.2 * (y - 0.5) + 0.2 * rng.randn(n), 0.01, 0.99)
    return y, np.column_stack([1 - p, p])


def many_classes(n=300, k=4, seed=0):
    rng = np.random.RandomState(seed)
    y = rng.randint(0, k, n)
    scores = rng.randn(n, k) + 1.2 * (np.arange(k) == y[:, None])
    p = np.exp(scores)
    return y, p / p.sum(axis=1, keepdims=True)


def numbers(n=300, seed=0):
    rng = np.random.RandomState(seed)
    y = rng.gamma(2.0, 3.0, n)
    return y, y + rng.randn(n)


COSTS = np.array([[0.0, 1.0], [5.0, 0.0]])
OF_CLASSES = ("accuracy", "balanced_accuracy", "log_loss", "brier")
CASES = [
    *((two_classes, "two-class", None, name) for name in ("auc", "f1", *OF_CLASSES)),
    (two_classes, "two-class", COSTS, "cost"),
    *((many_classes, "many-class", None, name) for name in ("f1_macro", *OF_CLASSES)),
    *((numbers, "regression", None, name) for name in ("r2", "rmse", "mae")),
]


def test_values_are_those_of_scikit_learn():
    y, p = two_classes()
    said = p.argmax(axis=1)
    found = {score.name: score.value(y, p) for score in scores_for("two-class").shown}
    wanted = {
        "auc": metrics.roc_auc_score(y, p[:, 1]),
        "accuracy": metrics.accuracy_score(y, said),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, said),
        "f1": metrics.f1_score(y, said),
        "log_loss": metrics.log_loss(y, p),
        "brier": metrics.brier_score_loss(y, p[:, 1]),
    }
    assert found == pytest.approx(wanted, rel=1e-12)
    y, p = many_classes()
    found = {score.name: score.value(y, p) for score in scores_for("many-class").shown}
    assert found["f1_macro"] == pytest.approx(metrics.f1_score(y, p.argmax(axis=1), average="macro"), rel=1e-12)
    assert found["log_loss"] == pytest.approx(metrics.log_loss(y, p), rel=1e-12)
    y, said = numbers()
    found = {score.name: score.value(y, said) for score in scores_for("regression").shown}
    assert found["r2"] == pytest.approx(metrics.r2_score(y, said), rel=1e-12)
    assert found["rmse"] == pytest.approx(metrics.root_mean_squared_error(y, said), rel=1e-12)
    assert found["mae"] == pytest.approx(metrics.mean_absolute_error(y, said), rel=1e-12)


@pytest.mark.parametrize(("make", "task", "cost", "name"), CASES)
def test_influence_is_what_leaving_a_row_out_changes(make, task, cost, name):
    y, answers = make()
    score = scores_for(task, name, cost).shown[0]
    psi = score.influence(y, answers)
    whole = score.value(y, answers)
    without = np.array([score.value(np.delete(y, i), np.delete(answers, i, axis=0)) for i in range(len(y))])
    jackknife = (len(y) - 1) * (whole - without)
    assert abs(psi.mean()) < 1e-9
    assert np.corrcoef(psi, jackknife)[0, 1] > 0.999
    assert psi.std() == pytest.approx(jackknife.std(), rel=0.03)


def test_auc_interval_and_test_are_delongs():
    y, p = two_classes()
    _, q = two_classes(seed=1)
    q = 0.5 * p + 0.5 * q
    score, parts = scores_for("two-class").shown[0], np.zeros(len(y), dtype=int)
    wanted = delong_test(y, p[:, 1], q[:, 1])
    gain, p_value = difference(score, y, p, q, parts)
    assert gain == pytest.approx(metrics.roc_auc_score(y, p[:, 1]) - metrics.roc_auc_score(y, q[:, 1]), abs=1e-12)
    statistic = stats.t.isf(p_value / 2, len(y) - 1)  # t here, normal there
    assert statistic == pytest.approx(abs(wanted.statistic), rel=0.01)  # n here, m - 1 and n - 1 there


def test_accuracy_interval_is_wilsons():
    y = np.array([0, 1] * 50)
    answers = np.tile([0.0, 1.0], (100, 1))
    answers[:90] = np.column_stack([y[:90] == 0, y[:90] == 1])
    score = scores_for("two-class", "accuracy").shown[0]
    found, each = estimate(score, y, answers, np.zeros(100, dtype=int), 0.95)
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(95, 100, method="wilson")
    assert found.value == pytest.approx(0.95)
    assert (found.low, found.high) == pytest.approx((low, high), abs=2e-3)
    assert each == (found.value,)


def test_a_perfect_score_still_has_an_interval():
    y = np.array([0, 1] * 10)
    answers = np.column_stack([y == 0, y == 1]).astype(float)
    for name in ("accuracy", "auc"):
        found, _ = estimate(scores_for("two-class", name).shown[0], y, answers, np.zeros(20, dtype=int), 0.95)
        assert found.value == 1.0
        assert found.high == 1.0
        assert 0.6 < found.low < 0.9


def test_folds_widen_the_interval():
    y, p = two_classes()
    score = scores_for("two-class", "log_loss").shown[0]
    one, _ = estimate(score, y, p, np.zeros(len(y), dtype=int), 0.95)
    five, each = estimate(score, y, p, np.arange(len(y)) % 5, 0.95)
    assert len(each) == 5
    assert five.value == pytest.approx(one.value)
    assert (five.high - five.low) / (one.high - one.low) == pytest.approx(np.sqrt(5 / 4), rel=1e-9)


def test_auc_does_not_mix_the_scores_of_different_fits():
    rng = np.random.RandomState(0)
    y = np.tile([0, 1], 50)
    parts = np.repeat([0, 1], 50)
    raw = rng.rand(100) * 0.4 + 0.1 * y
    shifted = raw + 0.5 * parts  # the second fit is surer of everything
    answers = np.column_stack([1 - shifted, shifted])
    found, each = estimate(scores_for("two-class").shown[0], y, answers, parts, 0.95)
    wanted = [metrics.roc_auc_score(y[parts == k], raw[parts == k]) for k in (0, 1)]
    assert each == pytest.approx(wanted)
    assert found.value == pytest.approx(np.mean(wanted))


def test_a_method_is_no_better_than_itself():
    y, p = two_classes()
    assert difference(scores_for("two-class").shown[0], y, p, p, np.zeros(len(y), dtype=int)) == (0.0, 1.0)


def test_costs_decide_and_probabilities_are_tuned_by_the_log_loss():
    scores = scores_for("two-class", None, COSTS)
    assert scores.shown[0].name == "cost"
    assert scores.tuned.name == "log_loss"
    y = np.array([1, 0])
    p = np.array([[0.8, 0.2], [0.9, 0.1]])  # 0.2 > 1/6: worth answering 1
    assert scores.shown[0].value(y, p) == 0.0


def test_unknown_measure_is_named():
    with pytest.raises(ValueError, match=r"no measure 'roc'.*auc, accuracy"):
        scores_for("two-class", "roc")
