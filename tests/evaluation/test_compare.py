"""Comparison of learners: the same scores as by hand, the right test, failures and interruptions survived."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from itertools import pairwise

import joblib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, load_iris, load_wine, make_classification
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import accuracy_score, log_loss, make_scorer
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from lanatus.bayes import GaussianNB
from lanatus.evaluation import Bootstrap, FiveByTwo, Measure, compare, friedman_test, nemenyi_test, total_cost
from lanatus.evaluation.comparison._identity import identity


class Fragile(ClassifierMixin, BaseEstimator):
    """Fails on data with a negative number."""

    def fit(self, X, y):
        if np.min(X) < 0:
            raise RuntimeError("no negative\nnumbers, please")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class Warner(DummyClassifier):
    """Warns at each fit."""

    def fit(self, X, y, sample_weight=None):
        import warnings

        warnings.warn("mind the gap", UserWarning, stacklevel=2)
        return super().fit(X, y)


class Counted(DummyClassifier):
    """Writes a line to a file at each fit."""

    def __init__(self, path="", strategy="prior", random_state=None, constant=None):
        super().__init__(strategy=strategy, random_state=random_state, constant=constant)
        self.path = path

    def fit(self, X, y, sample_weight=None):
        with open(self.path, "a") as file:
            file.write("fit\n")
        return super().fit(X, y)


def blobs(seed, n=80, flip=0.1):
    return make_classification(n, 5, random_state=seed, flip_y=flip)


@pytest.fixture(scope="module")
def several():
    learners = {"贝叶斯": GaussianNB(), "tree": DecisionTreeClassifier(), "majority": DummyClassifier()}
    return compare(learners, {f"D{seed}": blobs(seed) for seed in range(6)}, splitter=5)


def test_scores_are_those_of_cross_validation():
    X, y = load_iris(return_X_y=True)
    learners = {"nb": GaussianNB(), "knn": KNeighborsClassifier()}
    result = compare(learners, X, y, measures=["accuracy", "log_loss", "f1_macro", "neg_brier_score"])
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    for j, learner in enumerate(learners.values()):
        for name, scoring in [
            ("accuracy", "accuracy"),
            ("f1_macro", "f1_macro"),
            ("neg_brier_score", "neg_brier_score"),
        ]:
            expected = cross_val_score(learner, X, y, cv=folds, scoring=scoring)
            np.testing.assert_allclose(result.values(name)[0, j], expected, rtol=1e-12)
        losses = -cross_val_score(learner, X, y, cv=folds, scoring="neg_log_loss")
        np.testing.assert_allclose(result.values("log_loss")[0, j], losses, rtol=1e-12)
        assert result.means("log_loss")[0, j] == pytest.approx(losses.mean(), rel=1e-12)
        assert result.deviations("log_loss")[0, j] == pytest.approx(losses.std(ddof=1), rel=1e-12)


def test_auc_for_two_and_three_classes():
    X, y = blobs(0)
    two = compare([GaussianNB(), LogisticRegression()], X, y, measures="auc", splitter=4)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    np.testing.assert_allclose(two.values()[0, 0], cross_val_score(GaussianNB(), X, y, cv=folds, scoring="roc_auc"))
    wine = load_wine()
    three = compare([GaussianNB(), DummyClassifier()], wine, measures="auc", splitter=4)
    expected = cross_val_score(GaussianNB(), wine.data, wine.target, cv=folds, scoring="roc_auc_ovo")
    np.testing.assert_allclose(three.values()[0, 0], expected)
    np.testing.assert_allclose(three.values()[0, 1], 0.5)


def test_measures_that_a_learner_cannot_give_are_missing():
    result = compare([RidgeClassifier(), GaussianNB()], *blobs(0), measures=["accuracy", "auc", "log_loss"], splitter=3)
    assert np.isnan(result.means("log_loss")[0, 0])
    assert np.isfinite(result.means("auc")).all()  # by decision_function
    assert result.ranks("log_loss").tolist() == [[2.0, 1.0]]
    assert not result.failures
    assert "Fewer than two learners have values of log_loss" in result.test("log_loss").meaning


def test_direction_of_measures_and_custom_ones():
    X, y = load_diabetes(return_X_y=True)
    result = compare([DummyRegressor(), LinearRegression()], X, y, splitter=5)
    assert [measure.name for measure in result.measures] == ["rmse", "mae", "r2"]
    for measure in ("rmse", "mae", "r2"):
        assert result.ranks(measure).tolist() == [[2.0, 1.0]]
    assert result.best == "LinearRegression"

    costs = [[0, 5], [1, 0]]
    cost = Measure("cost", lambda truth, said: total_cost(truth, said, costs), greater_is_better=False)
    X, y = blobs(1)
    learners = {
        "no": DummyClassifier(strategy="constant", constant=0),
        "yes": DummyClassifier(strategy="constant", constant=1),
    }
    result = compare(learners, X, y, measures=[cost], splitter=ShuffleSplit(3, test_size=20))
    assert (result.values()[0, 1] == 5 * (20 - result.values()[0, 0])).all() or (
        result.values()[0, 0] == 5 * (20 - result.values()[0, 1])
    ).all()
    assert result.best == ("no" if result.means()[0, 0] < result.means()[0, 1] else "yes")


def test_ranks_share_ties_and_follow_the_means(several):
    means, ranks = several.means(), several.ranks()
    assert means.shape == ranks.shape == (6, 3)
    np.testing.assert_allclose(ranks.sum(axis=1), 6)
    for mean, rank in zip(means, ranks, strict=True):
        for i, j in pairwise(range(3)):
            assert np.sign(mean[j] - mean[i]) == np.sign(rank[i] - rank[j])
    np.testing.assert_allclose(several.mean_ranks(), ranks.mean(axis=0))
    assert several.best == several.learners[int(several.mean_ranks().argmin())]


# ---------------------------------------------------------------- the right test


def test_many_learners_on_many_data_sets_get_friedman_and_nemenyi(several):
    said = several.test()
    expected = friedman_test(several.ranks(), statistic="F")
    assert said.overall.statistic == pytest.approx(expected.statistic)
    assert "Friedman" in said.reason
    assert expected.reject
    after = nemenyi_test(several.mean_ranks(), 6, names=several.learners)
    np.testing.assert_allclose(said.pairs.p_values, after.p_values)
    assert "Nemenyi" in said.reason
    against = several.test(control="majority")
    assert against.pairs.control == "majority"
    assert "Holm" in against.reason


def test_equal_learners_are_not_told_apart():
    same = {name: GaussianNB() for name in ("a", "b", "c")}
    result = compare(same, {f"D{seed}": blobs(seed) for seed in range(4)}, splitter=3)
    assert (result.ranks() == 2).all()
    said = result.test()
    assert not said.overall.reject
    assert said.pairs is None
    one = compare(same, *blobs(0), splitter=3).test()
    assert not one.pairs.reject.any()
    assert "No significant difference between any two" in one.meaning


def test_two_learners_on_many_data_sets_get_wilcoxon():
    learners = [GaussianNB(), DummyClassifier()]
    result = compare(learners, {f"D{seed}": blobs(seed, flip=0) for seed in range(7)}, splitter=3)
    said = result.test()
    assert "Wilcoxon" in said.reason
    assert said.overall.reject
    assert "GaussianNB" in said.meaning
    few = compare(learners, {f"D{seed}": blobs(seed, flip=0) for seed in range(3)}, splitter=3).test()
    assert not few.overall.reject
    assert "no outcome could be significant" in few.meaning


@pytest.mark.parametrize(
    ("splitter", "word"),
    [
        (5, "corrected resampled t"),
        (RepeatedStratifiedKFold(n_splits=3, n_repeats=2), "corrected resampled t"),
        (Bootstrap(10), "corrected resampled t"),
        (FiveByTwo(), "combined F"),
        (LeaveOneOut(), "McNemar"),
        (StratifiedShuffleSplit(1, test_size=0.4), "McNemar"),
    ],
)
def test_two_learners_on_one_data_set(splitter, word):
    result = compare([GaussianNB(), DummyClassifier()], *blobs(0, flip=0), splitter=splitter, measures="accuracy")
    said = result.test()
    assert word in said.reason
    assert said.pairs is None
    assert said.overall.reject
    assert "GaussianNB" in said.meaning


def test_mcnemar_counts_rows_that_one_gets_wrong():
    X, y = blobs(3, n=60, flip=0.3)
    learners = [GaussianNB(), DecisionTreeClassifier(random_state=0)]
    said = compare(learners, X, y, splitter=LeaveOneOut(), measures="error_rate").test()
    wrong_a, wrong_b = (cross_val_predict(learner, X, y, cv=LeaveOneOut()) != y for learner in learners)
    from lanatus.evaluation import mcnemar_test

    e01, e10 = int((wrong_a & ~wrong_b).sum()), int((wrong_b & ~wrong_a).sum())
    expected = mcnemar_test(e01, e10, method="corrected" if e01 + e10 >= 25 else "exact")
    assert said.overall.p_value == pytest.approx(expected.p_value, rel=1e-12)


def test_one_split_tells_nothing_of_other_measures():
    result = compare([GaussianNB(), DummyClassifier()], *blobs(0), splitter=ShuffleSplit(1), measures="log_loss")
    assert result.test().overall is None
    assert "use folds or repeated splits" in result.test().meaning


def test_many_learners_on_one_data_set_get_holms_correction():
    learners = [GaussianNB(), DecisionTreeClassifier(), DummyClassifier()]
    result = compare(learners, *blobs(0, n=200, flip=0))
    said = result.test()
    assert "Holm" in said.reason
    assert said.pairs.names == result.learners
    assert said.pairs.reject[0, 2]
    two = compare([learners[0], learners[2]], *blobs(0, n=200, flip=0)).test()
    assert two.overall.p_value <= said.pairs.p_values[0, 2]
    against = result.test(control="DummyClassifier")
    assert np.isnan(against.pairs.p_values[0, 1])


# ---------------------------------------------------------------- failures


def test_a_failing_learner_is_written_down_and_ranked_last():
    learners = {"fragile": Fragile(), "nb": GaussianNB(), "majority": DummyClassifier()}
    fine = (np.abs(blobs(0)[0]), blobs(0)[1])
    result = compare(learners, {"fine": fine, "negative": blobs(0)}, splitter=4)
    assert len(result.failures) == 4
    assert {run.data_set for run in result.failures} == {"negative"}
    assert result.failures[0].error == "RuntimeError: no negative\nnumbers, please"
    assert np.isnan(result.means()[1, 0])
    assert np.isfinite(result.means()[0]).all()
    assert result.ranks()[1, 0] == 3
    text = str(result)
    assert "fragile failed on negative (4 of its fits): RuntimeError: no negative numbers, please" in text
    assert "–" in text
    assert result.test().overall is not None


def test_learners_without_values_are_left_out_of_the_test_on_one_data_set():
    learners = {"fragile": Fragile(), "nb": GaussianNB(), "majority": DummyClassifier()}
    said = compare(learners, *blobs(0, flip=0)).test()
    assert said.overall.reject
    assert "Left out for want of values: fragile." in said.meaning
    nothing = compare({"a": Fragile(), "b": Fragile()}, *blobs(0))
    assert nothing.test().overall is None
    assert "Fewer than two learners" in nothing.test().meaning
    assert str(nothing)


def test_warnings_are_kept_and_do_not_get_out():
    result = compare({"warner": Warner(), "nb": GaussianNB()}, *blobs(0), splitter=3)
    assert result.runs[0].warnings == ("UserWarning: mind the gap",)
    assert "warner warned: UserWarning: mind the gap" in str(result)


# ---------------------------------------------------------------- interruptions


def test_finished_fits_are_not_made_again(tmp_path):
    data = {f"D{seed}": blobs(seed) for seed in range(2)}
    learners = {"counted": Counted(str(tmp_path / "fits")), "nb": GaussianNB()}
    journal = tmp_path / "run.jsonl"
    first = compare(learners, data, splitter=3, checkpoint=journal)
    assert (tmp_path / "fits").read_text().count("fit") == 6
    again = compare(learners, data, splitter=3, checkpoint=journal)
    assert (tmp_path / "fits").read_text().count("fit") == 6
    assert str(again) == str(first)
    assert again.runs == first.runs
    more = compare(
        {**learners, "majority": DummyClassifier()}, {**data, "D2": blobs(2)}, splitter=3, checkpoint=journal
    )
    assert (tmp_path / "fits").read_text().count("fit") == 9
    np.testing.assert_array_equal(more.means()[:2, :2], first.means())


def test_changed_data_parameters_or_splits_are_new_fits(tmp_path):
    X, y = blobs(0)
    fits = tmp_path / "fits"
    learners = {"counted": Counted(str(fits)), "nb": GaussianNB()}

    def made(**changes):
        before = fits.read_text().count("fit") if fits.exists() else 0
        call = {"learners": learners, "data": X, "y": y, "splitter": 3, **changes}
        compare(**call, checkpoint=tmp_path / "run.jsonl")
        return fits.read_text().count("fit") - before

    assert made() == 3
    assert made() == 0
    assert made(data=X + 1) == 3
    assert made(y=1 - y) == 3
    assert made(splitter=4) == 4
    assert made(random_state=1) == 3
    assert made(measures="f1_macro") == 3
    assert made(learners={**learners, "counted": Counted(str(fits), strategy="most_frequent")}) == 3
    assert made(data=pd.DataFrame(X)) == 3
    assert made(data=pd.DataFrame(X)) == 0


def test_a_torn_line_is_dropped_and_other_files_are_refused(tmp_path):
    journal = tmp_path / "run.jsonl"
    learners = [GaussianNB(), DummyClassifier()]
    whole = compare(learners, *blobs(0), splitter=3, checkpoint=journal)
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 7
    journal.write_bytes(b"".join(lines[:-1]) + lines[-1][:40])
    again = compare(learners, *blobs(0), splitter=3, checkpoint=journal)
    np.testing.assert_array_equal(again.values(), whole.values())
    assert all(json.loads(line) for line in journal.read_bytes().splitlines() if line != lines[-1][:40])
    other = tmp_path / "notes.txt"
    other.write_text("my notes\n")
    with pytest.raises(ValueError, match="not the journal of a comparison"):
        compare(learners, *blobs(0), checkpoint=other)
    assert other.read_text() == "my notes\n"


PROGRAM = textwrap.dedent(
    """
    import sys, time
    from sklearn.datasets import make_classification
    from sklearn.dummy import DummyClassifier
    from sklearn.ensemble import RandomForestClassifier
    from lanatus.bayes import GaussianNB
    from lanatus.evaluation import compare

    class Slow(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            time.sleep(0.05)
            return super().fit(X, y)

    Slow.__module__ = "slow"  # the same in every process
    sys.modules["slow"] = sys.modules["__main__"]
    data = {f"D{seed}": make_classification(60, random_state=seed, flip_y=0.3) for seed in range(4)}
    learners = {"slow": Slow(), "forest": RandomForestClassifier(5), "nb": GaussianNB()}
    result = compare(learners, data, splitter=5, checkpoint=sys.argv[1])
    print(result)
    """
)


def test_killed_half_way_it_goes_on_and_ends_with_the_same_table(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)

    def start(journal):
        return subprocess.Popen(
            [sys.executable, str(script), str(journal)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    killed = start(tmp_path / "killed.jsonl")
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        journal = tmp_path / "killed.jsonl"
        if journal.exists() and journal.read_bytes().count(b"\n") >= 20:
            break
        time.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    done = journal.read_bytes().count(b"\n") - 1
    assert 15 <= done < 60
    resumed, whole = start(journal), start(tmp_path / "whole.jsonl")
    (resumed_table, resumed_errors), (whole_table, _) = resumed.communicate(timeout=120), whole.communicate(timeout=120)
    assert resumed.returncode == 0, resumed_errors
    assert resumed_table == whole_table
    assert "mean rank" in whole_table
    assert journal.read_bytes().count(b"\n") <= 62  # header, 60 fits, and a torn line at most


# ---------------------------------------------------------------- workers


def test_workers_change_nothing(several):
    learners = {"贝叶斯": GaussianNB(), "tree": DecisionTreeClassifier(), "majority": DummyClassifier()}
    data = {f"D{seed}": blobs(seed) for seed in range(6)}
    two = compare(learners, data, splitter=5, n_jobs=2)
    np.testing.assert_array_equal(two.values(), several.values())
    assert [run.learner for run in two.runs] == [run.learner for run in several.runs]


def test_a_dask_client_can_run_it(several):
    from dask.distributed import Client

    learners = {"贝叶斯": GaussianNB(), "tree": DecisionTreeClassifier(), "majority": DummyClassifier()}
    data = {f"D{seed}": blobs(seed) for seed in range(6)}
    with (
        Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None),
        joblib.parallel_config("dask"),
    ):
        result = compare(learners, data, splitter=5)
    np.testing.assert_array_equal(result.values(), several.values())


def test_the_same_call_gives_the_same_table():
    unseeded = {"forest": RandomForestClassifier(5), "tree": make_pipeline(StandardScaler(), DecisionTreeClassifier())}

    def values(**options):
        return compare(unseeded, *blobs(0, flip=0.4), splitter=StratifiedKFold(4, shuffle=True), **options).values()

    np.testing.assert_array_equal(values(), values())
    assert (values() != values(random_state=1)).any()
    own = {"a": RandomForestClassifier(5, random_state=3), "b": DummyClassifier()}
    result = compare(own, *blobs(0, flip=0.4), splitter=StratifiedKFold(4))
    expected = cross_val_score(own["a"], *blobs(0, flip=0.4), cv=StratifiedKFold(4))
    np.testing.assert_allclose(result.values()[0, 0], expected)


# ---------------------------------------------------------------- input and output


def test_mixed_frames_of_every_kind():
    import polars as pl

    from lanatus.data import load_watermelon
    from lanatus.preprocess import SimpleImputer
    from lanatus.table import Table

    bunch = load_watermelon("3.0", frame="pandas")
    learners = {"nb": make_pipeline(SimpleImputer(), GaussianNB()), "majority": DummyClassifier()}
    frames = [bunch.data, pl.from_pandas(bunch.data), Table.of(bunch.data)]
    found = [compare(learners, frame, bunch.target, splitter=4).values() for frame in frames]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    assert (found[0][0, 0] > 0).any()


def test_groups_stay_together():
    X, y = blobs(0)
    groups = np.repeat(np.arange(8), 10)
    result = compare([GaussianNB(), DummyClassifier()], X, y, groups=groups, splitter=GroupKFold(4))
    expected = cross_val_score(GaussianNB(), X, y, groups=groups, cv=GroupKFold(4))
    np.testing.assert_allclose(result.values()[0, 0], expected)
    same = compare([GaussianNB(), DummyClassifier()], {"a": (X, y, groups)}, splitter=GroupKFold(4))
    np.testing.assert_array_equal(same.values(), result.values())


def test_a_list_of_splits_is_taken_as_it_is():
    X, y = blobs(0)
    folds = list(StratifiedKFold(4).split(X, y))
    expected = cross_val_score(GaussianNB(), X, y, cv=folds)
    for splits in (folds, iter(folds)):
        result = compare([GaussianNB(), DummyClassifier()], X, y, splitter=splits)
        np.testing.assert_allclose(result.values()[0, 0], expected)


def test_few_rows_of_a_class_mean_fewer_folds():
    y = np.array(["a"] * 20 + ["b"] * 3)
    X = np.arange(23.0)[:, None]
    assert compare([GaussianNB(), DummyClassifier()], X, y).values().shape == (1, 2, 3)
    one = compare([GaussianNB(), DummyClassifier()], X, np.array(["a"] * 22 + ["b"]))
    assert one.values().shape == (1, 2, 10)


def test_names_of_a_list_of_learners():
    learners = [GaussianNB(), make_pipeline(StandardScaler(), GaussianNB()), DummyClassifier()]
    result = compare(learners, *blobs(0), splitter=2)
    assert result.learners == ("GaussianNB 1", "GaussianNB 2", "DummyClassifier")


def test_frames_of_the_outcome(several):
    summary = several.to_frame()
    assert list(summary.columns) == [
        "data_set",
        "learner",
        "accuracy",
        "accuracy_deviation",
        "f1_macro",
        "f1_macro_deviation",
        "auc",
        "auc_deviation",
        "rank",
        "fit_seconds",
        "failures",
    ]
    assert len(summary) == 18
    np.testing.assert_allclose(summary["accuracy"].to_numpy().reshape(6, 3), several.means())
    runs = several.to_frame("runs", frame="polars")
    assert runs.shape[0] == 90
    assert several.to_frame("runs", frame="pyarrow").num_rows == 90
    with pytest.raises(ValueError, match="what must be"):
        several.to_frame("rows")


def test_text_and_html(several):
    text = str(several)
    assert "贝叶斯" in text
    assert "mean rank" in text
    assert "Friedman" in text
    assert "\x1b" not in text
    page = several.to_html()
    assert page.count("<table") == 1
    assert "<svg" in page
    assert "贝叶斯" in page
    assert "http://" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", ""
    )
    named = compare({"<b>&": GaussianNB(), "b": DummyClassifier()}, *blobs(0), splitter=2).to_html()
    assert "&lt;b&gt;&amp;" in named
    assert "<b>&" not in named
    assert repr(several).startswith("Comparison(3 learners, 6 data sets, 90 fits, best by accuracy: ")


def test_html_page(several, tmp_path):
    several.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_progress_bar(capsys):
    compare([GaussianNB(), DummyClassifier()], *blobs(0), splitter=2, progress=True)
    assert "4/4" in capsys.readouterr().err
    compare([GaussianNB(), DummyClassifier()], *blobs(0), splitter=2)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learners": [GaussianNB()]}, "at least two learners"),
        ({"learners": GaussianNB()}, "a dict of names to estimators or a list"),
        ({"learners": [GaussianNB, DummyClassifier]}, "must be an estimator object with fit"),
        ({"learners": [GaussianNB(), LinearRegression()]}, "all classifiers or all regressors"),
        ({"y": None}, "y is missing"),
        ({"y": np.zeros(79)}, "X has 80 rows and y has 79"),
        ({"y": np.zeros(80)}, "single class"),
        ({"y": [None] * 80}, "missing labels"),
        ({"data": {}, "y": None}, "data is empty"),
        ({"data": {"a": 3}, "y": None}, r"data set 'a' must be \(X, y\)"),
        ({"splitter": 1}, "wanted at least 2"),
        ({"splitter": "ten"}, "a number of folds or a splitter"),
        ({"measures": "acuracy"}, "no measure 'acuracy' for classification; there are accuracy"),
        ({"measures": []}, "measures is empty"),
        ({"measures": ["accuracy", "accuracy"]}, "more than once"),
        ({"measures": [3]}, "a measure must be a name"),
        ({"control": "x"}, "control='x' is none of the learners"),
        ({"alpha": 5}, "alpha must be a number > 0 and < 1"),
        ({"groups": [1, 2]}, "groups has 2"),
    ],
)
def test_bad_input_gets_one_clear_error(change, message):
    X, y = blobs(0)
    call = {"learners": [GaussianNB(), DummyClassifier()], "data": X, "y": y, **change}
    with pytest.raises((ValueError, TypeError), match=message):
        compare(**call)


def by(function):
    return {"own": make_pipeline(FunctionTransformer(function), GaussianNB()), "majority": DummyClassifier()}


IRIS = load_iris(return_X_y=True)


class Broken(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise RuntimeError("never")


class Sometimes(GaussianNB):
    """Fails on training parts that lack the first row."""

    def fit(self, X, y):
        if not (IRIS[0][0] == X).all(axis=1).any():
            raise RuntimeError("where is it?")
        return super().fit(X, y)


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


def test_failure_has_the_last_rank_among_huge_losses():
    measure = Measure("m", lambda model, X, y: -1e17 * len(type(model).__name__), "estimator")
    result = compare([GaussianNB(), DummyClassifier(), Broken()], *IRIS, splitter=3, measures=measure)
    assert result.ranks().tolist() == [[1, 2, 3]]


def test_failure_on_some_splits_leaves_no_mean():
    result = compare([Sometimes(), DummyClassifier()], *IRIS, splitter=KFold(3), measures="accuracy")
    assert [run.split for run in result.failures] == [0]
    assert np.isnan(result.means()[0, 0])
    assert result.ranks().tolist() == [[2, 1]]


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


def test_two_folds_are_two():
    X, y = load_diabetes(return_X_y=True)
    assert compare([DummyRegressor(), LinearRegression()], X, y, splitter=2).values().shape == (1, 2, 2)
    learners = {"most": DummyClassifier(), "prior": DummyClassifier(strategy="stratified", random_state=0)}
    for few in (1, 2):  # of one row folds cannot have the same share of classes
        labels = np.arange(40) >= few
        result = compare(learners, X[:40], labels.astype(int), splitter=2, measures="accuracy")
        assert result.values().shape == (1, 2, 2)
