"""Displays: what they draw is what was computed, and Chinese is drawn as characters (a missing glyph is a warning)."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lanatus.bayes import GaussianNB
from lanatus.evaluation import bias_variance_curve, break_even_point, compare, cost_curve, nemenyi_test, roc_auc_score
from lanatus.plot import (
    BiasVarianceDisplay,
    CalibrationDisplay,
    ConfusionMatrixDisplay,
    CostCurveDisplay,
    CriticalDifferenceDisplay,
    LearningCurveDisplay,
    PrecisionRecallDisplay,
    PredictionErrorDisplay,
    RocCurveDisplay,
    ScoresDisplay,
    ValidationCurveDisplay,
)


@pytest.fixture(autouse=True)
def _agg():
    mpl.use("agg")
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def judged():
    """Rows, Chinese labels, and a model that learnt from the first half of them."""
    X, y = make_classification(200, random_state=0, flip_y=0.2)
    labels = np.array(["否", "是"])[y]
    return X, labels, GaussianNB().fit(X[:100], labels[:100])


def pixels(display):
    """The picture as it is saved, which looks up every glyph."""
    display.figure_.canvas.draw()
    return np.asarray(display.figure_.canvas.buffer_rgba())


FROM_ESTIMATOR = {
    RocCurveDisplay: {"name": "朴素贝叶斯", "plot_chance_level": True},
    PrecisionRecallDisplay: {"name": "朴素贝叶斯"},
    CostCurveDisplay: {"name": "朴素贝叶斯"},
    CalibrationDisplay: {"name": "朴素贝叶斯"},
    ConfusionMatrixDisplay: {},
}


@pytest.mark.parametrize("display", FROM_ESTIMATOR, ids=lambda one: one.__name__)
def test_classifiers_with_chinese_labels(display, judged):
    X, y, model = judged
    drawn = display.from_estimator(model, X[100:], y[100:], **FROM_ESTIMATOR[display])
    assert len(np.unique(pixels(drawn).reshape(-1, 4), axis=0)) > 10
    words = [text.get_text() for text in drawn.figure_.findobj(mpl.text.Text)]
    assert any("是" in word or "朴素贝叶斯" in word for word in words)
    figure = Figure()
    axes = figure.add_subplot()
    again = display.from_estimator(model, X[100:], y[100:], ax=axes, **FROM_ESTIMATOR[display])
    assert again.ax_ is axes
    inside = Figure().subfigures(1, 2)[0].add_subplot()
    assert display.from_estimator(model, X[100:], y[100:], ax=inside, **FROM_ESTIMATOR[display]).ax_ is inside


@pytest.mark.parametrize("display", [RocCurveDisplay, PrecisionRecallDisplay, CostCurveDisplay, CalibrationDisplay])
def test_from_predictions_is_from_estimator(display, judged):
    X, y, model = judged
    scores = model.predict_proba(X[100:])[:, 1]
    one = display.from_estimator(model, X[100:], y[100:])
    two = display.from_predictions(y[100:], scores, pos_label="是")
    np.testing.assert_array_equal(one.line_.get_xydata(), two.line_.get_xydata())


def test_roc_area_is_ours(judged):
    X, y, model = judged
    scores = model.predict_proba(X)[:, 1]
    assert RocCurveDisplay.from_predictions(y, scores, pos_label="是").roc_auc == pytest.approx(
        roc_auc_score(y, scores)
    )


def test_break_even_point_is_marked(judged):
    X, y, model = judged
    scores = model.predict_proba(X)[:, 1]
    display = PrecisionRecallDisplay.from_predictions(y, scores, pos_label="是")
    expected = break_even_point(y, scores, pos_label="是")
    assert display.break_even == pytest.approx(expected, abs=1e-15)
    (marker,) = [line for line in display.ax_.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(marker.get_xydata(), [[expected, expected]])
    assert f"break-even point = {expected:.2f}" in [text.get_text() for text in display.ax_.get_legend().get_texts()]
    without = PrecisionRecallDisplay.from_estimator(model, X, y, plot_break_even=False)
    assert without.break_even is None
    assert not [line for line in without.ax_.lines if line.get_marker() == "o"]


def test_cost_curve_is_drawn_exactly(judged):
    X, y, model = judged
    display = CostCurveDisplay.from_estimator(model, X, y)
    curve = cost_curve(y, model.predict_proba(X)[:, 1], pos_label="是")
    np.testing.assert_array_equal(display.line_.get_xydata(), np.column_stack([curve.x, curve.y]))
    assert display.line_.get_label() == f"GaussianNB (area = {curve.area:.3f})"
    (segments,) = display.ax_.collections[:1]
    assert 2 < len(segments.get_segments()) <= 200
    for start, end in segments.get_segments():
        assert start[0] == 0
        assert end[0] == 1
        middle = (start[1] + end[1]) / 2
        assert middle >= np.interp(0.5, curve.x, curve.y) - 1e-12
    mirrored = CostCurveDisplay.from_estimator(model, X, y, pos_label="否")
    assert mirrored.curve.area == pytest.approx(curve.area)
    ranked = RidgeClassifier().fit(X, y)
    by_margin = CostCurveDisplay.from_estimator(ranked, X, y, pos_label="否", segments=False, fill=False)
    assert by_margin.curve.area == pytest.approx(CostCurveDisplay.from_estimator(ranked, X, y).curve.area)


def test_cost_curve_refuses_what_has_no_scores(judged):
    X, y, model = judged
    with pytest.raises(ValueError, match="two classes; got GaussianNB for 3 classes"):
        CostCurveDisplay.from_estimator(GaussianNB().fit(*load_iris(return_X_y=True)), X, y)
    with pytest.raises(ValueError, match=r"got LinearRegression\."):
        CostCurveDisplay.from_estimator(LinearRegression(), X, y)
    with pytest.raises(ValueError, match="pos_label='x' is none of the classes"):
        CostCurveDisplay.from_estimator(model, X, y, pos_label="x")


def test_confusion_matrix_counts(judged):
    X, y, model = judged
    display = ConfusionMatrixDisplay.from_estimator(model, X, y)
    said = model.predict(X)
    assert display.confusion_matrix.tolist() == [
        [int(((y == a) & (said == b)).sum()) for b in ("否", "是")] for a in ("否", "是")
    ]
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["否", "是"]


def test_learning_and_validation_curves(judged):
    X, y, _ = judged
    learning = LearningCurveDisplay.from_estimator(GaussianNB(), X, y, score_name="精度", cv=3)
    assert learning.ax_.get_ylabel() == "精度"
    assert learning.train_scores.shape == (5, 3)
    pixels(learning)
    tree = DecisionTreeClassifier(random_state=0)
    fitting = ValidationCurveDisplay.from_estimator(
        tree, X, y, param_name="max_depth", param_range=[1, 3, 9], score_name="精度", cv=3
    )
    train = fitting.train_scores.mean(axis=1)
    assert train[0] < train[1] < train[2]
    pixels(fitting)
    residuals = PredictionErrorDisplay.from_predictions(np.array([1.0, 2.0]), np.array([1.5, 1.5]))
    pixels(residuals)


@pytest.mark.covers("evaluation.bias-variance-figure")
def test_bias_variance_curves():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 1))
    y = np.sin(6 * X[:, 0]) + rng.normal(scale=0.3, size=200)
    tree, depths = DecisionTreeRegressor(random_state=0), [1, 2, 4, 8]
    call = {"param_name": "max_depth", "param_range": depths, "n_sets": 30, "random_state": 0}
    display = BiasVarianceDisplay.from_estimator(tree, X, y, X, np.sin(6 * X[:, 0]), **call)
    curve = bias_variance_curve(tree, X, y, X, np.sin(6 * X[:, 0]), **call)
    drawn = {line.get_label(): line.get_ydata() for line in display.ax_.lines}
    np.testing.assert_array_equal(drawn["bias²"], curve.bias)
    np.testing.assert_array_equal(drawn["variance"], curve.variance)
    np.testing.assert_array_equal(drawn["generalisation error"], curve.error)
    assert curve.bias[0] > curve.bias[2]
    assert curve.variance[0] < curve.variance[-1]
    assert display.best == depths[int(curve.error.argmin())]
    words = BiasVarianceDisplay.from_estimator(
        DecisionTreeClassifier(max_depth=3),
        X,
        y > 0,
        X,
        np.sin(6 * X[:, 0]) > 0,
        param_name="criterion",
        param_range=["gini", "entropy"],
        n_sets=5,
        random_state=0,
    )
    assert [text.get_text() for text in words.ax_.get_xticklabels()] == ["gini", "entropy"]
    pixels(words)


# ---------------------------------------------------------------- ranks


@pytest.mark.covers("evaluation.friedman-diagram")
def test_friedman_diagram_of_figure_2_8():
    """ch01-03 G14: the three segments, as long as CD, centred on the mean ranks of Table 2.5."""
    display = CriticalDifferenceDisplay.from_ranks([1, 2.125, 2.875], 4, style="intervals", names=["算法A", "B", "C"])
    (segments,) = display.ax_.collections
    ends = [(start[0], end[0]) for start, end in segments.get_segments()]
    np.testing.assert_allclose(ends, [(0.171, 1.829), (1.296, 2.954), (2.046, 3.704)], atol=5e-4)
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["算法A", "B", "C"]
    pixels(display)


@pytest.mark.covers("evaluation.friedman-diagram")
def test_overlap_of_segments_is_no_significant_difference():
    ranks = [1.2, 3.9, 2.1, 4.4, 3.4]
    display = CriticalDifferenceDisplay.from_ranks(ranks, 9)
    found = nemenyi_test(ranks, 9)
    together = {frozenset(pair) for group in display.groups() for pair in combinations_of(group)}
    for a, b, _, _, significant in found.pairs():
        assert (frozenset((a, b)) in together) == (not significant)
    pixels(display)


def combinations_of(group):
    from itertools import combinations

    return combinations(group, 2)


def test_groups_are_the_largest_sets():
    display = CriticalDifferenceDisplay([1.0, 1.5, 2.0, 4.0], 1.0)
    assert display.groups() == [("A", "B", "C")]
    assert CriticalDifferenceDisplay([1.0, 2.0], 0.5).groups() == []
    assert CriticalDifferenceDisplay([2.5, 2.5, 2.5, 2.5], 0.0).groups() == [("A", "B", "C", "D")]
    control = CriticalDifferenceDisplay([1.0, 1.5, 2.0, 4.0], 1.0, names=["w", "x", "y", "z"], control="y")
    assert control.groups() == [("w", "x", "y")]
    pixels(control.plot())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CriticalDifferenceDisplay([1.0], 1.0), "two or more learners"),
        (lambda: CriticalDifferenceDisplay([1.0, np.nan], 1.0), "two or more learners"),
        (lambda: CriticalDifferenceDisplay([1.0, 2.0], 1.0, names=["a"]), "1 names for 2 mean ranks"),
        (lambda: CriticalDifferenceDisplay([1.0, 2.0], -1.0), "must not be negative"),
        (lambda: CriticalDifferenceDisplay([1.0, 2.0], 1.0, control="x"), "none of the learners"),
        (lambda: CriticalDifferenceDisplay([1.0, 2.0], 1.0).plot(style="bars"), "'groups' or 'intervals'"),
        (lambda: ScoresDisplay([[1.0]], ["a", "b"]), "a row for each of the 2 names"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_displays_of_a_comparison():
    data = {f"D{seed}": make_classification(60, random_state=seed) for seed in range(3)}
    learners = {"贝叶斯": GaussianNB(), "对率回归": LogisticRegression(), "多数类": DummyClassifier()}
    result = compare(learners, data, splitter=3)
    diagram = result.plot()
    assert isinstance(diagram, CriticalDifferenceDisplay)
    np.testing.assert_allclose(diagram.mean_ranks, result.mean_ranks())
    pixels(diagram)
    one = compare(learners, *data["D0"], splitter=3)
    scores = one.plot("auc")
    assert isinstance(scores, ScoresDisplay)
    np.testing.assert_array_equal(scores.scores, one.values("auc")[0])
    labels = [text.get_text() for text in scores.ax_.get_yticklabels()]
    assert labels[-1] == one.learners[int(one.ranks("auc")[0].argmin())]
    pixels(scores)
    second = ScoresDisplay.from_comparison(result, data_set="D1")
    np.testing.assert_array_equal(second.scores, result.values()[1])
    with pytest.raises(ValueError, match="at least two data sets"):
        CriticalDifferenceDisplay.from_comparison(one)
    with pytest.raises(ValueError, match="no data set 'D9'"):
        ScoresDisplay.from_comparison(result, data_set="D9")


def test_learners_without_scores_are_said_to_have_none():
    display = ScoresDisplay([[np.nan, np.nan], [0.5, 0.7]], ["无", "有"]).plot()
    assert "no scores" in [text.get_text() for text in display.ax_.texts]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["无", "有"]
    pixels(display)


def test_diagram_of_many_learners_and_bad_ranks():
    assert CriticalDifferenceDisplay(np.arange(1.0, 31), 2.0).names[26:28] == ("learner 27", "learner 28")
    with pytest.raises(ValueError, match="different names"):
        CriticalDifferenceDisplay([1, 2], 0.5, names=["a", "a"])
    with pytest.raises(ValueError, match="two or more learners"):
        CriticalDifferenceDisplay(5, 1)


def test_dollar_signs_are_no_formulas():
    name = r"$\foo$"
    for display in (
        CriticalDifferenceDisplay([1, 2], 1.0, names=[name, "b"]).plot(),
        CriticalDifferenceDisplay([1, 2], 1.0, names=[name, "b"]).plot(style="intervals"),
        ScoresDisplay([[0.9, 0.8]], [name], measure=name).plot(),
        CostCurveDisplay.from_predictions([1, 0, 1], [3, 2, 1], name=name),
    ):
        display.figure_.canvas.draw()
        texts = [text.get_text() for text in display.figure_.findobj(plt.Text) if "foo" in text.get_text()]
        assert texts
        assert all(text.count("$") == text.count(r"\$") for text in texts)  # every one of them escaped
        plt.close(display.figure_)


def test_segments_go_from_fpr_to_fnr():
    display = CostCurveDisplay.from_predictions([1, 1, 0, 1, 0], [5, 4, 3, 2, 1])
    (segments,) = (one.get_segments() for one in display.ax_.collections if hasattr(one, "get_segments"))
    ends = np.array(segments)
    assert ends[:, 0].tolist() == [[0.0, fpr] for fpr in display.curve.fpr]
    assert ends[:, 1].tolist() == [[1.0, fnr] for fnr in display.curve.fnr]
    plt.close(display.figure_)


@pytest.mark.parametrize(("greater", "order"), [(True, ["low", "high"]), (False, ["high", "low"])])
def test_best_learner_stands_at_the_top(greater, order):
    display = ScoresDisplay([[0.9, 0.8], [0.1, 0.2]], ["high", "low"], greater_is_better=greater).plot()
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == order
    plt.close(display.figure_)
