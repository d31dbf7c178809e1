"""``lanatus.fit``: whole runs on small tables."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import log_loss, r2_score, roc_auc_score

import lanatus
from lanatus.auto import RunProgress, _workers
from lanatus.auto._work import Outcome, evaluate
from lanatus.data import load_watermelon

FAST = ["NaiveBayes", "C45"]  # nothing to tune, so a run ends by itself soon
TUNED = ["NaiveBayes", "DecisionTree"]
FAST_NUMBERS = ["Ridge", "DecisionTree"]


def harvest(n=150, seed=0, classes=2):
    """Words, numbers, holes, a name for each row; the target goes by two of the columns."""
    rng = np.random.RandomState(seed)
    root = rng.choice(["蜷缩", "稍蜷", "硬挺"], n)
    sugar = rng.rand(n)
    score = 3 * sugar + 1.5 * (root == "蜷缩") + 0.7 * rng.randn(n)
    cuts = np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])
    sugar[rng.rand(n) < 0.1] = np.nan
    names = np.array(["差", "好", "很好", "极好"])[:classes]
    return pd.DataFrame(
        {
            "编号": [f"瓜{i:04d}" for i in range(n)],
            "根蒂": np.where(rng.rand(n) < 0.1, None, root),
            "含糖率": sugar,
            "噪声": rng.randn(n),
            "好瓜": names[np.digitize(score, cuts)],
        }
    )


def quick(data, target="好瓜", **settings):
    settings = {"budget": 60, "n_jobs": 1, "methods": FAST, "seed": 0} | settings
    return lanatus.fit(data, target, **settings)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    return quick(harvest(), out=folder, name="melons"), folder


def test_the_model_takes_tables_like_the_one_it_saw(run):
    model = run[0].model
    fresh = harvest(seed=1)
    said = model.predict_proba(fresh.drop(columns="好瓜"))
    assert roc_auc_score(fresh["好瓜"] == model.classes_[1], said[:, 1]) > 0.85
    np.testing.assert_allclose(model.predict_proba(pl.from_pandas(fresh.drop(columns="好瓜"))), said)
    odd = fresh.drop(columns="好瓜").assign(根蒂="从未见过")
    with pytest.warns(lanatus.table.UnseenCategoryWarning):
        assert np.isfinite(model.predict_proba(odd)).all()


def test_the_folder_has_all_there_is(run):
    result, folder = run
    assert sorted(path.name for path in folder.iterdir()) == [
        "leaderboard.csv", "model.skops", "predictions.csv", "report.html", "run.json",
    ]  # fmt: skip
    X = harvest(seed=2).drop(columns="好瓜")
    np.testing.assert_array_equal(lanatus.load(folder / "model.skops").predict(X), result.model.predict(X))
    said = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert {"target": "好瓜", "seed": 0, "task": "two-class", "rows": 150}.items() <= said.items()
    assert said["versions"]["lanatus"] == lanatus.__version__
    assert "melons" in (folder / "report.html").read_text(encoding="utf-8")


def test_predictions_are_those_that_the_scores_are_taken_of(run):
    result, folder = run
    with (folder / "predictions.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["row"]) for row in rows] == list(range(150))
    assert [row["target"] for row in rows] == harvest()["好瓜"].tolist()
    hits = np.mean([row["target"] == row["prediction"] for row in rows])
    assert hits == pytest.approx(result.facts.winner.scores["accuracy"].value)
    p = np.array([[float(row[f"probability_{label}"]) for label in result.facts.classes] for row in rows])
    truth = [result.facts.classes.index(row["target"]) for row in rows]
    assert log_loss(truth, p) == pytest.approx(result.facts.winner.scores["log_loss"].value)


def test_leaderboard_has_every_method_once_and_the_winner_first(run):
    board = run[0].leaderboard
    assert board["verdict"][0] == "winner"
    assert sorted(set(board["method"]) - {"Blend"}) == sorted([*FAST, "Baseline"])
    assert len(set(board["method"])) == len(board)
    assert (board["auc_low"] <= board["auc"]).all()
    assert (board["auc"] <= board["auc_high"]).all()
    assert board.set_index("method")["auc"]["Baseline"] == 0.5


def test_the_identifier_is_set_aside_and_said(run):
    facts = run[0].facts
    assert {column.name: column.used for column in facts.profile.columns}["编号"] is False
    assert any("编号" in finding.columns for finding in facts.profile.findings)
    assert {one.column for one in facts.importances} == {"根蒂", "含糖率", "噪声"}
    assert facts.importances[0].column in ("根蒂", "含糖率")
    assert facts.importances[-1].column == "噪声"


def test_dependence_shows_what_the_target_goes_by(run):
    curves = {one.column: one for one in run[0].facts.dependence}
    sugar = curves["含糖率"]
    place = run[0].facts.classes.index("好")
    rise = (sugar.values[-1, 0] - sugar.values[0, 0]) * (1 if place == 1 else -1)
    assert sugar.numeric
    assert rise > 0.2
    assert set(curves["根蒂"].grid) == {"蜷缩", "稍蜷", "硬挺"}


def test_a_model_to_read_is_there(run):
    readable = run[0].facts.readable
    assert readable.name == "C45"
    assert readable.svg.startswith("<svg")
    assert "含糖率" in readable.text


@pytest.mark.slow  # three runs that search parameters, one of them on workers
def test_the_same_seed_gives_the_same_run_whoever_works():
    one, workers, other = (quick(harvest(), methods=TUNED, **how) for how in ({}, {"n_jobs": 2}, {"seed": 1}))
    assert one.settings["fits"] > 300  # parameters were searched
    assert workers.settings["fits"] == one.settings["fits"]
    assert workers.facts.winner.scores == one.facts.winner.scores
    assert other.facts.winner.scores != one.facts.winner.scores
    X = harvest(seed=3).drop(columns="好瓜")
    np.testing.assert_array_equal(one.model.predict_proba(X), workers.model.predict_proba(X))


@pytest.mark.slow  # parameters of two methods for numbers are searched, with folds within folds
def test_numbers():
    rng = np.random.RandomState(0)
    X = rng.randn(120, 3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(price=[f"{1000 + 500 * x:,.1f}" for x in X[:, 0]])
    found = quick(frame, "price", methods=FAST_NUMBERS)
    assert found.facts.profile.task == "regression"
    assert found.facts.winner.scores["r2"].value > 0.95
    fresh = rng.randn(50, 3)
    said = found.model.predict(pd.DataFrame(fresh, columns=["a", "b", "c"]))
    assert r2_score(1000 + 500 * fresh[:, 0], said) > 0.95
    assert found.facts.readable.name == "Ridge"
    assert found.facts.importances[0].column == "a"


def test_many_classes_some_with_two_rows():
    frame = harvest(120, classes=3)
    frame.loc[:1, "好瓜"] = "罕见"
    found = quick(frame)
    assert found.facts.profile.task == "many-class"
    assert set(found.model.classes_) == {"差", "好", "很好", "罕见"}
    assert np.isfinite(found.facts.winner.scores["log_loss"].value)
    assert found.facts.winner.scores["accuracy"].value > 0.5


def test_the_books_seventeen_melons():
    found = quick(load_watermelon("3.0", frame="pandas").frame, budget=30)
    assert len(found.facts.y) == 17
    assert len(found.predictions["row"]) == 17


def test_more_rows_are_judged_by_a_part_set_aside():
    found = quick(harvest(2600))
    assert found.settings["outer"] == "hold-out of 520 rows"
    assert len(found.facts.y) == 520


def test_costs_move_the_answers():
    frame = harvest(300)
    plain = quick(frame, methods=["NaiveBayes"])
    dear = quick(frame, methods=["NaiveBayes"], cost="fn=20,fp=1")
    positive = plain.model.classes_[1]
    X = harvest(300, seed=5)
    shares = [np.mean(one.model.predict(X.drop(columns="好瓜")) == positive) for one in (plain, dear)]
    assert shares[1] > shares[0] + 0.1
    assert dear.facts.threshold == pytest.approx(1 / 21)
    assert dear.facts.measures[0] == ("cost", False)
    truth, said = (np.array([row == positive for row in dear.predictions[key]]) for key in ("target", "prediction"))
    cost = 20 * np.mean(truth & ~said) + np.mean(~truth & said)
    assert dear.facts.winner.scores["cost"].value == pytest.approx(cost)
    assert cost <= min(20 * np.mean(truth), np.mean(~truth)) + 1e-12  # no worse than one answer for all


def test_another_measure_decides():
    assert quick(harvest(), measure="brier").facts.measures[0] == ("brier", False)


def test_ctrl_c_keeps_the_best_so_far():
    pressed = []

    def watch(news):
        if isinstance(news, RunProgress) and news.n_fits > 30 and not pressed:
            pressed.append(news)
            raise KeyboardInterrupt

    found = quick(harvest(), watch=watch, methods=TUNED)
    assert any("stopped by hand" in words.en for words in found.facts.warnings)
    assert found.facts.winner.scores["auc"].value > 0.6
    assert found.settings["fits"] < 300  # a whole run has more


class Killed(BaseException):
    """Stands for a kill."""


def test_a_killed_run_goes_on_where_it_was(tmp_path, monkeypatch, run):
    done = []

    def counted(job):
        done.append(job.key)
        if len(done) == 40:
            raise Killed
        return evaluate(job)

    monkeypatch.setattr(_workers, "evaluate", counted)
    with pytest.raises(Killed):
        quick(harvest(), out=tmp_path, name="melons")
    assert (tmp_path / ".progress").is_dir()
    assert not (tmp_path / "model.skops").exists()
    found = quick(harvest(), out=tmp_path, name="melons")
    assert not set(done[:39]) & set(done[40:])  # what was done is not done again
    assert not (tmp_path / ".progress").exists()
    assert found.facts.winner.scores == run[0].facts.winner.scores


def test_another_run_does_not_take_over_what_it_finds(tmp_path, monkeypatch):
    def fails_late(job, done=[]):  # noqa: B006
        done.append(job)
        if len(done) == 30:
            raise Killed
        return evaluate(job)

    monkeypatch.setattr(_workers, "evaluate", fails_late)
    with pytest.raises(Killed):
        quick(harvest(), out=tmp_path)
    monkeypatch.setattr(_workers, "evaluate", evaluate)
    found = quick(harvest(seed=9), out=tmp_path)
    assert found.facts.winner.scores == quick(harvest(seed=9)).facts.winner.scores


@pytest.mark.slow  # the command line runs twice, and the first run is killed half way
def test_kill_9_in_the_command_line(tmp_path):
    path = tmp_path / "melons.csv"
    harvest().to_csv(path, index=False)
    command = [
        sys.executable, "-c", "from lanatus.cli import main; main()", "fit", str(path), "--target", "好瓜",
        "--methods", "NaiveBayes,DecisionTree", "--jobs", "1", "--budget", "60",
        "--out", str(tmp_path),
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 100
    journal = tmp_path / ".progress" / "jobs.jsonl"

    def finished():
        """Jobs of which the whole line is there."""
        whole = journal.read_bytes().split(b"\n")[:-1] if journal.exists() else []
        return len({json.loads(line)["key"] for line in whole[1:]} - {"seconds"})

    while finished() < 10 and time.monotonic() < until:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = finished()
    assert kept >= 10
    again = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0, again.stderr
    assert f"{kept} fits of an earlier run" in again.stdout
    assert (tmp_path / "model.skops").exists()


@pytest.mark.parametrize(
    ("change", "settings", "message"),
    [
        (lambda f: f, {"target": "好果"}, "好瓜"),
        (lambda f: f.assign(好瓜="好"), {}, "one"),
        (lambda f: f[["好瓜"]], {}, "no column but the target"),
        (lambda f: f.iloc[:0], {}, "row"),
        (lambda f: f.assign(好瓜=None), {}, "好瓜"),
        (lambda f: f, {"task": "regression"}, "number"),
        (lambda f: f, {"budget": 0}, "budget must be above 0"),
        (lambda f: f, {"level": 2}, "level must be between"),
        (lambda f: f, {"measure": "r2"}, "no measure 'r2'"),
        (lambda f: f, {"methods": ["KMeans"]}, "no method 'KMeans'"),
    ],
)
def test_mistakes_are_told(change, settings, message):
    with pytest.raises(ValueError, match=message):
        quick(change(harvest(40)), **settings)


def test_what_is_no_table_is_refused():
    with pytest.raises(TypeError, match="wanted a path, or a frame"):
        lanatus.fit([[1, 2], [3, 4]], "y")


def test_however_short_the_budget_something_is_fitted():
    found = quick(harvest(), budget=1e-6)
    assert found.facts.winner.name == "NaiveBayes"  # the first that was named
    assert found.facts.winner.scores["auc"].value > 0.6


def test_where_every_method_fails_the_first_reason_is_told(monkeypatch):
    def broken(job):
        return Outcome(None, 0.0, error="ValueError: nothing works")

    monkeypatch.setattr(_workers, "evaluate", broken)
    with pytest.raises(RuntimeError, match=r"the first to fail was \w+ with ValueError: nothing works"):
        quick(harvest(40))
