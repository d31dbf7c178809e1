"""What a demanding first user ran into: each defect has a test here that failed before it was mended."""

import subprocess
import sys
import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, load_wine
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.metrics import accuracy_score, log_loss, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from lanatus import evaluation as ev
from lanatus.bayes import GaussianNB
from lanatus.evaluation import Measure, compare
from lanatus.evaluation.comparison._identity import identity
from lanatus.plot import BiasVarianceDisplay, CostCurveDisplay, CriticalDifferenceDisplay, ScoresDisplay

IRIS = load_iris(return_X_y=True)


def by(function):
    return {"own": make_pipeline(FunctionTransformer(function), GaussianNB()), "majority": DummyClassifier()}


# ---------------------------------------------------------------- the journal


def test_journal_tells_functions_apart(tmp_path):
    path = tmp_path / "missing" / "journal.jsonl"
    whole = compare(by(lambda X: X), *IRIS, splitter=3, measures="accuracy", checkpoint=path).means()
    first = compare(by(lambda X: X[:, :1]), *IRIS, splitter=3, measures="accuracy", checkpoint=path).means()
    assert whole[0, 0] > first[0, 0] > 0
    lines = len(path.read_text().splitlines())
    again = compare(by(lambda X: X), *IRIS, splitter=3, measures="accuracy", checkpoint=path).means()
    assert again.tolist() == whole.tolist()
    assert len(path.read_text().splitlines()) == lines  # the same code: nothing was fitted again


@pytest.mark.parametrize("make", [lambda c: Measure("cost", lambda y, p: c), lambda c: lambda model, X, y: c])
def test_journal_tells_measures_of_one_name_apart(tmp_path, make):
    for value in (1.0, 2.0):
        result = compare(
            [GaussianNB(), DummyClassifier()], *IRIS, splitter=3, measures=make(value), checkpoint=tmp_path / "j"
        )
        assert result.means().tolist() == [[value, value]]


def test_identity_is_the_same_in_another_process():
    code = """
        from sklearn.metrics import get_scorer, make_scorer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import FunctionTransformer
        from lanatus.bayes import GaussianNB
        from lanatus.evaluation.comparison._identity import identity
        from lanatus.evaluation.measures._named_measures import CLASSIFICATION, REGRESSION
        learner = make_pipeline(FunctionTransformer(lambda X: X if X in {"a", "b", "c"} else 0), GaussianNB())
        print(identity(learner), identity(get_scorer("f1_macro")), identity(make_scorer(lambda a, b: 1)),
              *[identity(one.function) for one in (*CLASSIFICATION, *REGRESSION)])
    """
    said = {
        subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(said) == 1
    digests = said.pop().split()
    assert len(set(digests)) == len(digests)


def test_identity_of_what_cannot_be_told_is_new_each_time():
    generator = (i for i in range(3))
    assert identity(FunctionTransformer(kw_args={"a": generator})) != identity(
        FunctionTransformer(kw_args={"a": generator})
    )


def test_identity_sees_closures_defaults_and_scorers():
    def scaled(by):
        return lambda X, y=1: X * by

    assert identity(scaled(1)) == identity(scaled(1)) != identity(scaled(2))
    assert identity(make_scorer(lambda a, b: 1)) != identity(make_scorer(lambda a, b: 2))


# ---------------------------------------------------------------- measures in a comparison


@pytest.mark.parametrize("splitter", [3, KFold(3, shuffle=True, random_state=1)])
def test_class_that_only_the_test_part_has(splitter):
    X, y = IRIS
    y = y.copy()
    y[0] = 9  # a class of one row: no training part has it when it is tested
    result = compare(
        [GaussianNB(), DecisionTreeClassifier()],
        X,
        y,
        splitter=splitter,
        measures=["accuracy", "auc", "log_loss", "brier", "calibration_error"],
    )
    assert not result.failures
    for measure in result.measures:
        assert np.isfinite(result.values(measure.name)).all()


def test_log_loss_of_an_unseen_class_is_that_of_probability_0():
    X = np.arange(8.0)[:, None]
    y = np.array([0, 0, 1, 1, 0, 1, 2, 2])

    class Halves:
        def get_n_splits(self, *_):
            return 1

        def split(self, X, y=None, groups=None):
            yield np.arange(4), np.arange(4, 8)

    result = compare(
        [GaussianNB(), DummyClassifier(strategy="uniform")], X, y, splitter=Halves(), measures=["log_loss", "brier"]
    )
    expected = log_loss(y[4:], np.tile([0.5, 0.5, 0.0], (4, 1)), labels=[0, 1, 2])
    assert result.means("log_loss")[0, 1] == pytest.approx(expected, rel=1e-12)
    assert result.means("brier")[0, 1] == pytest.approx((0.25 * 2 + 0.75 * 2) / 4, rel=1e-12)


def test_splitter_sees_the_data():
    seen = []

    class Looking(KFold):
        def split(self, X, y=None, groups=None):
            seen.append(np.asarray(X))
            return super().split(X, y, groups)

    compare([GaussianNB(), DummyClassifier()], *IRIS, splitter=Looking(3, shuffle=True), measures="accuracy")
    assert np.array_equal(seen[0], IRIS[0])


def test_dict_of_measures_takes_the_names_of_this_library():
    learners = [GaussianNB(), DummyClassifier()]
    result = compare(learners, *IRIS, splitter=3, measures={"area": "auc", "loss": "log_loss"})
    plain = compare(learners, *IRIS, splitter=3, measures=["auc", "log_loss"])
    assert [one.name for one in result.measures] == ["area", "loss"]
    assert not result.measure("loss").greater_is_better
    assert np.array_equal(result.values("area"), plain.values("auc"))


def test_function_of_true_and_predicted_values_is_no_scorer():
    with pytest.raises(TypeError, match=r"Measure\('accuracy_score', accuracy_score\)"):
        compare([GaussianNB(), DummyClassifier()], *IRIS, measures=accuracy_score)
    measure = Measure("accuracy_score", accuracy_score)
    assert compare([GaussianNB(), DummyClassifier()], *IRIS, measures=measure).means()[0, 0] > 0.9


def test_failure_names_the_measure():
    def broken(y, labels):
        raise RuntimeError("no")

    result = compare([GaussianNB(), DummyClassifier()], *IRIS, splitter=3, measures=[Measure("mine", broken)])
    assert {run.error for run in result.failures} == {"measure mine: RuntimeError: no"}


def test_infinite_scores_have_a_rank_and_no_test():
    values = {"GaussianNB": np.inf, "DummyClassifier": 1.0, "DecisionTreeClassifier": -np.inf}
    measure = Measure("m", lambda model, X, y: values[type(model).__name__], "estimator")
    learners = [GaussianNB(), DummyClassifier(), DecisionTreeClassifier()]
    result = compare(learners, *IRIS, splitter=3, measures=measure)
    assert result.ranks().tolist() == [[1, 2, 3]]
    assert "Left out for want of values" in str(result)


class Broken(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise RuntimeError("never")


def test_failure_has_the_last_rank_among_huge_losses():
    measure = Measure("m", lambda model, X, y: -1e17 * len(type(model).__name__), "estimator")
    result = compare([GaussianNB(), DummyClassifier(), Broken()], *IRIS, splitter=3, measures=measure)
    assert result.ranks().tolist() == [[1, 2, 3]]


class Sometimes(GaussianNB):
    """Fails on training parts that lack the first row."""

    def fit(self, X, y):
        if not (IRIS[0][0] == X).all(axis=1).any():
            raise RuntimeError("where is it?")
        return super().fit(X, y)


def test_failure_on_some_splits_leaves_no_mean():
    result = compare([Sometimes(), DummyClassifier()], *IRIS, splitter=KFold(3), measures="accuracy")
    assert [run.split for run in result.failures] == [0]
    assert np.isnan(result.means()[0, 0])
    assert result.ranks().tolist() == [[2, 1]]


# ---------------------------------------------------------------- what compare is given, and what it shows


@pytest.mark.parametrize(
    ("learners", "data"),
    [({1: GaussianNB(), "1": DummyClassifier(), "c": DummyClassifier()}, IRIS), (by(None), {1: IRIS, "1": IRIS})],
)
def test_names_that_read_the_same(learners, data):
    with pytest.raises(ValueError, match="read the same"):
        compare(learners, data)


@pytest.mark.parametrize("seed", [-1, 1.5, "a", np.random.RandomState(0)])
def test_random_state_is_an_integer(seed):
    with pytest.raises(ValueError, match="random_state must be an integer"):
        compare([GaussianNB(), DummyClassifier()], *IRIS, random_state=seed)


def test_learner_without_tags():
    class Duck:
        def fit(self, X, y):
            return self

    with pytest.raises(TypeError, match="inherits from ClassifierMixin"):
        compare({"duck": Duck(), "b": DummyClassifier()}, *IRIS)


@pytest.mark.parametrize("scale", [1e-7, 1e17])
def test_small_and_large_scores_show(scale):
    X, y = IRIS
    result = compare([LinearRegression(), DummyRegressor()], X, y * scale, splitter=3, measures="rmse")
    assert f"{result.means()[0, 0]:.3g}" in str(result)


def test_html_leaves_no_figure_open_and_takes_any_name():
    names = [r"$\foo$", "a$b$ <b>", "--><script>"]
    learners = dict(zip(names, [GaussianNB(), DummyClassifier(), DecisionTreeClassifier()], strict=True))
    open_before = plt.get_fignums()
    for data in (IRIS, {r"$\x$": IRIS, "<i>": load_wine(return_X_y=True)}):
        page = compare(learners, data, splitter=3, measures="accuracy").to_html()
        assert "<script" not in page
        assert "<b>" not in page
    assert plt.get_fignums() == open_before


def test_few_data_sets_are_called_few():
    learners = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=1), "majority": DummyClassifier()}
    two = {"iris": IRIS, "wine": load_wine(return_X_y=True)}
    said = compare(learners, two, splitter=3, measures="accuracy").test()
    assert not said.overall.reject
    assert said.meaning.endswith("even full agreement may be chance.")
    four = compare(learners, {f"{name}{i}": one for name, one in two.items() for i in range(2)}, splitter=3).test()
    assert "chance" not in four.meaning


@pytest.mark.parametrize(("n", "few"), [(5, True), (6, False)])
def test_wilcoxon_of_few_data_sets(n, few):
    X, y = IRIS
    sets = {f"iris {i}": (X[i:], y[i:]) for i in range(n)}
    said = compare([GaussianNB(), DummyClassifier()], sets, splitter=3, measures="accuracy").test()
    assert ("no outcome could be significant" in said.meaning) == few
    assert said.overall.reject != few


def test_each_split_has_a_seed_of_its_own():
    measure = Measure("seed", lambda model, X, y: model.random_state, "estimator")
    learners = [DecisionTreeClassifier(), DecisionTreeClassifier(random_state=7)]
    own, fixed = compare(learners, *IRIS, splitter=4, measures=measure).values()[0]
    assert len(set(own)) == 4
    assert set(fixed) == {7}


# ---------------------------------------------------------------- labels and numbers


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


@pytest.mark.parametrize("test", [ev.paired_cv_t_test, ev.sign_test, ev.wilcoxon_test])
def test_numbers_that_overflow_are_refused(test):
    with pytest.raises(ValueError, match=r"beyond 1e\+150"):
        test([1e308, -1e308, 1e308], [-1e308, 1e308, 0])


@pytest.mark.parametrize("alpha", [0, 1, "a", None, True, np.nan])
def test_one_error_for_a_bad_level(alpha):
    with pytest.raises(ValueError, match=r"alpha must be a number > 0 and < 1, such as 0\.05"):
        ev.mcnemar_test(1, 2, alpha=alpha)


def test_names_may_be_an_array():
    assert "b is rejected" in ev.holm_test([0.5, 0.001], names=np.array(["a", "b"])).meaning


def test_pair_that_differs_without_a_better_one():
    def by_halves(a, b, *, alpha, names, lower_is_better):
        diffs = (np.asarray(a) - np.asarray(b)).reshape(5, 2)
        return ev.five_by_two_cv_test(diffs, statistic="F", alpha=alpha, names=names)

    a = np.repeat([1.0, -1, 1, -1, 0], 2)
    meaning = ev.pairwise_tests({"d": np.column_stack([a, np.zeros(10)])}, by_halves)["d"].meaning
    assert meaning == "A and B differ significantly, with no mean difference."


def test_iso_error_line_takes_one_rate():
    with pytest.raises(ValueError, match="one rate"):
        ev.iso_error_line([0.1, 0.2], 1, 1)
    with pytest.raises(ValueError, match="m_pos"):
        ev.error_from_roc(0.1, 0.2, "8", 1)


@pytest.mark.parametrize("alpha", [0.05, 1e-10, 1e-17, 1e-30])
def test_binomial_count_agrees_with_the_p_value(alpha):
    critical = int(ev.critical_value("binomial", alpha, n=200, eps0=0.3))
    for n_errors in (critical, critical + 1):
        verdict = ev.binomial_test(n_errors, 200, 0.3, alpha=alpha)
        assert verdict.reject == (verdict.p_value <= alpha) == (n_errors > critical)


@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_wilcoxon_critical_value_is_where_rejection_ends(zero_method):
    rng = np.random.RandomState(0)
    decisions = set()
    for _ in range(60):
        shift = rng.choice([0.0, 1.0])
        a = np.where(rng.rand(11) < 0.3, 0.0, rng.normal(shift, size=11))
        verdict = ev.wilcoxon_test(a, np.zeros(11), zero_method=zero_method)
        assert verdict.reject == (verdict.statistic <= verdict.critical_value)
        decisions.add(verdict.reject)
    assert decisions == {True, False}


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


# ---------------------------------------------------------------- estimates and tuning


def test_confidence_is_below_1():
    with pytest.raises(ValueError, match=r"confidence must be a number > 0 and < 1, such as 0\.95"):
        ev.out_of_bag_score(GaussianNB(), *IRIS, confidence=1)
    with pytest.raises(ValueError, match="confidence must be"):
        ev.nested_cross_validate(GaussianNB(), *IRIS, param_grid={"var_smoothing": [1]}, confidence=1.0)


@pytest.mark.filterwarnings("ignore")
def test_nested_search_that_fails_or_does_not_refit():
    class Flaky(DecisionTreeClassifier):
        def fit(self, X, y):
            if 0 in np.unique(X[:, 0] == IRIS[0][0, 0]) and len(X) % 2:
                raise RuntimeError("odd")
            return super().fit(X, y)

    with pytest.raises(ValueError, match="outer splits have no score"):
        ev.nested_cross_validate(
            Flaky(), IRIS[0][:149], IRIS[1][:149], param_grid={"max_depth": [1]}, outer=KFold(4), inner=KFold(4)
        )
    with pytest.raises(ValueError, match="outer splits have no score"):
        ev.nested_cross_validate(GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1]}, refit=False), *IRIS)
    with pytest.raises(ValueError, match="single split"):
        ev.nested_cross_validate(
            DecisionTreeClassifier(), *IRIS, param_grid={"max_depth": [1]}, outer=ShuffleSplit(1), inner=2
        )


def test_validation_frame_of_other_columns():
    X = pd.DataFrame(IRIS[0], columns=list("abcd"))
    search = ev.ValidationSearch(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]})
    with pytest.raises(ValueError, match="different columns"):
        search.fit(X, IRIS[1], validation=(X.rename(columns={"d": "x"}), IRIS[1]))
    turned = search.fit(X, IRIS[1], validation=(X[list("dcba")], IRIS[1]))
    assert turned.best_score_ > 0.9


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_curve_over_tuples_and_generators():
    X, y = IRIS
    sizes = [(2,), (3, 3)]
    curve = ev.bias_variance_curve(
        MLPClassifier(max_iter=5), X, y, X[:9], y[:9], param_name="hidden_layer_sizes", param_range=sizes, n_sets=2
    )
    assert curve.param_range.tolist() == sizes
    assert BiasVarianceDisplay(curve).plot().best in sizes
    depths = ev.bias_variance_curve(
        DecisionTreeClassifier(), X, y, X[:9], y[:9], param_name="max_depth", param_range=(d for d in (1, 2)), n_sets=2
    )
    assert depths.param_range.tolist() == [1, 2]


# ---------------------------------------------------------------- pictures


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
