"""From a file to a model and back: fit, predict, evaluate, explain, compare, cluster, reduce, demo."""

import csv
import json
import re
import subprocess
import sys
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from matplotlib.image import imread
from typer.testing import CliRunner

import lanatus
from lanatus._files import alone_in
from lanatus.cli._app import app

QUICK = ("--methods", "NaiveBayes,DecisionTree", "--jobs", "1", "--budget", "20")


def run(*args, code=0):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # "Glyph ... missing from font(s)" would be one
        result = CliRunner(env={"COLUMNS": "200", "TERM": "dumb"}).invoke(app, [str(arg) for arg in args])
    if code == 0 and result.exception is not None:
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def shell(*args):
    """As a user's shell does it, with the one-line errors of ``main``."""
    command = [sys.executable, "-c", "from lanatus.cli import main; main()", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def crafted(rows=60):
    rng = np.random.default_rng(0)
    lines = ["密度,色泽,产地,好瓜"]
    for i in range(rows):
        good = i % 2 == 0
        density = "" if i % 10 == 3 else f"{rng.normal(0.7 if good else 0.4, 0.05):.3f}"
        colour = "" if i % 12 == 5 else ("青绿" if good != (i % 7 == 0) else "浅白")
        lines.append(f"{density},{colour},{'山东' if i % 3 else '新疆'},{'是' if good else '否'}")
    lines.append("0.5,青绿,山东,")  # no label: left out
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("瓜")
    (folder / "瓜.csv").write_text(crafted(), encoding="utf-8")
    shown = run("fit", folder / "瓜.csv", "--target", "好瓜", "--out", folder / "out", *QUICK)
    return folder, shown


# ---------------------------------------------------------------- fit


def test_fit_says_what_it_found_and_what_came_of_it(fitted):
    folder, shown = fitted
    assert "60 rows, 3 columns (1 numeric, 2 nominal); to predict: 好瓜 (two classes)" in shown
    assert "否 50%, 是 50%" in shown
    assert re.search(r"1 row.* without a", shown)
    assert "Baseline" in shown
    assert "NaiveBayes" in shown
    assert "It has learned something" in shown
    for name in ("model.skops", "report.html", "leaderboard.csv", "predictions.csv", "run.json"):
        assert str(folder / "out" / name) in shown
        assert (folder / "out" / name).stat().st_size > 0
    model = lanatus.load(folder / "out" / "model.skops")
    predicted = model.predict(lanatus.data.read(folder / "瓜.csv").drop_columns(["好瓜"]))[:60]
    assert np.mean(predicted == np.array(["是", "否"] * 30)) > 0.9


def test_fit_reads_what_excel_writes_in_china(tmp_path, fitted):
    (tmp_path / "瓜.csv").write_bytes(crafted().encode("gb18030"))
    run("fit", tmp_path / "瓜.csv", "--target", "好瓜", "--out", tmp_path / "out", *QUICK)
    here, there = ((folder / "out" / "predictions.csv").read_bytes() for folder in (tmp_path, fitted[0]))
    assert here == there


def test_fit_in_chinese(tmp_path, fitted):
    shown = run("fit", fitted[0] / "瓜.csv", "-t", "好瓜", "-o", tmp_path, *QUICK, "--language", "zh")
    assert "预测目标:好瓜(二分类)" in shown
    assert "它确实学到了规律" in shown
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<html lang="zh' in report
    assert "朴素贝叶斯" in report


def test_fit_with_costs_and_a_measure(tmp_path, fitted):
    run("fit", fitted[0] / "瓜.csv", "-t", "好瓜", "-o", tmp_path, *QUICK, "--cost", "fn=5,fp=1")
    said = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert said["cost"] == [[0.0, 1.0], [5.0, 0.0]]
    assert said["measure"] == "cost"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("a.csv", "--target", "坏瓜"), "no column '坏瓜'; its columns are '密度', '色泽', '产地', '好瓜'"),
        (("none.csv", "--target", "好瓜"), "none.csv: got no such file"),
        (("one.csv", "--target", "y"), "'y' has one"),
        (("a.csv", "--target", "好瓜", "--cost", "fn=a"), "cannot read the costs 'fn=a'"),
        (("a.csv", "--target", "好瓜", "--methods", "Nothing"), "no method 'Nothing'"),
    ],
)
def test_fit_mistakes_end_in_one_line(tmp_path, args, message):
    (tmp_path / "a.csv").write_text(crafted(), encoding="utf-8")
    (tmp_path / "one.csv").write_text("x,y\n1,a\n2,a\n")
    done = shell("fit", tmp_path / args[0], *args[1:], "--out", tmp_path / "out")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert not (tmp_path / "out").exists()


def test_debug_shows_where_it_went_wrong(tmp_path):
    done = shell("--debug", "fit", tmp_path / "none.csv", "--target", "y")
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_wrong_options_are_another_exit_code():
    assert shell("fit", "a.csv").returncode == 2


# ---------------------------------------------------------------- predict, evaluate, explain


def test_predict_to_csv_and_parquet(fitted, tmp_path):
    folder, _ = fitted
    model = lanatus.load(folder / "out" / "model.skops")
    X = lanatus.data.read(folder / "瓜.csv").drop_columns(["好瓜"])
    shown = run("predict", folder / "out" / "model.skops", folder / "瓜.csv", "--proba", "-o", tmp_path / "a.csv")
    assert "61 rows" in shown
    run("predict", folder / "out" / "model.skops", folder / "瓜.csv", "--proba", "-o", tmp_path / "a.parquet")
    for name in ("a.csv", "a.parquet"):
        found = lanatus.data.read(tmp_path / name)
        assert found.column_names == ["prediction", "probability_否", "probability_是"]
        assert found["prediction"].to_pylist() == model.predict(X).tolist()
        np.testing.assert_allclose(np.asarray(found["probability_是"]), model.predict_proba(X)[:, 1])


def test_predict_reads_large_files_in_blocks(fitted, tmp_path, monkeypatch):
    folder, _ = fitted
    rows = lanatus.data.read(folder / "瓜.csv").drop_columns(["好瓜"])
    large = pa.concat_tables([rows] * 50)
    pq.write_table(large, tmp_path / "large.parquet", row_group_size=500)
    sizes = []
    from lanatus.cli import _predict

    answers = _predict._answers

    def watched(model, block, proba):
        sizes.append(block.num_rows)
        return answers(model, block, proba)

    monkeypatch.setattr(_predict, "_answers", watched)
    scan = lanatus.data.scan
    monkeypatch.setattr(_predict.data, "scan", lambda path: scan(path, block_rows=700))
    run("predict", folder / "out" / "model.skops", tmp_path / "large.parquet", "-o", tmp_path / "a.parquet")
    assert max(sizes) <= 700
    assert sum(sizes) == large.num_rows
    model = lanatus.load(folder / "out" / "model.skops")
    assert lanatus.data.read(tmp_path / "a.parquet")["prediction"].to_pylist() == model.predict(large).tolist()


def test_predict_mistakes(fitted, tmp_path):
    model = fitted[0] / "out" / "model.skops"
    (tmp_path / "b.csv").write_text("密度,色泽\n0.5,青绿\n", encoding="utf-8")
    done = shell("predict", model, tmp_path / "b.csv", "-o", tmp_path / "a.csv")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "产地" in done.stderr
    assert not (tmp_path / "a.csv").exists()
    done = shell("predict", model, tmp_path / "b.csv", "-o", tmp_path / "a.xlsx")
    assert "ends in .csv or .parquet" in done.stderr
    done = shell("predict", tmp_path / "b.csv", tmp_path / "b.csv", "-o", tmp_path / "a.csv")
    assert "not a .skops model file" in done.stderr


def test_evaluate_knows_the_target_of_the_run(fitted):
    folder, _ = fitted
    shown = run("evaluate", folder / "out" / "model.skops", folder / "瓜.csv")
    assert "accuracy" in shown
    assert "rows: truth" in shown
    model = lanatus.load(folder / "out" / "model.skops")
    rows = lanatus.data.read(folder / "瓜.csv").slice(0, 60)
    accuracy = np.mean(model.predict(rows.drop_columns(["好瓜"])) == np.array(rows["好瓜"].to_pylist()))
    assert re.search(rf"accuracy\s*│\s*{accuracy:.4g}\s", shown)


def test_explain_a_model_and_a_row(fitted):
    folder, _ = fitted
    model = folder / "out" / "model.skops"
    assert "3 columns: 密度, 色泽, 产地" in run("explain", model)
    assert re.search(r"色泽|密度", run("explain", model, folder / "瓜.csv").split("产地")[0])
    shown = run("explain", model, folder / "瓜.csv", "--row", "2")
    assert re.search(r"answer: 是 \(否 \d", shown)
    assert "青绿" in shown
    done = shell("explain", model, folder / "瓜.csv", "--row", "99")
    assert "has 61 rows" in done.stderr


# ---------------------------------------------------------------- compare, cluster, reduce


def test_compare_methods_as_they_come(fitted, tmp_path):
    page = tmp_path / "page.html"
    shown = run(
        "compare", fitted[0] / "瓜.csv", "-t", "好瓜", "--methods", "C45,NaiveBayes", "--folds", "5", "-o", page
    )
    assert "C45" in shown
    assert "NaiveBayes" in shown
    assert "C45" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("method", ["auto", "KMeans", "GaussianMixture"])
def test_cluster_finds_the_groups_that_are_there(tmp_path, method):
    rng = np.random.RandomState(0)
    centre = np.repeat([[0, 0], [9, 9], [0, 9]], 30, axis=0)
    points = centre + rng.randn(90, 2)
    (tmp_path / "点.csv").write_text("横,纵\n" + "\n".join(f"{x:.3f},{y:.3f}" for x, y in points), encoding="utf-8")
    shown = run("cluster", tmp_path / "点.csv", "-m", method, "-o", tmp_path / "out")
    labels = np.asarray(lanatus.data.read(tmp_path / "out" / "clusters.csv")["cluster"]).reshape(3, 30)
    assert [len(set(row)) for row in labels] == [1, 1, 1]
    assert len(set(labels[:, 0])) == 3
    assert "横" in shown
    assert imread(tmp_path / "out" / "clusters.png").shape[0] > 300
    run("cluster", tmp_path / "点.csv", "-k", "2", "-o", tmp_path / "two")
    assert len(set(lanatus.data.read(tmp_path / "two" / "clusters.csv")["cluster"].to_pylist())) == 2


def test_cluster_of_categories_and_mixed_tables(tmp_path):
    rng = np.random.RandomState(0)
    group = np.repeat([0, 1], 30)
    colour = np.where(rng.rand(60) < 0.9, np.array(["red", "blue"])[group], "green")
    shape = np.where(rng.rand(60) < 0.9, np.array(["round", "<b>square</b>"])[group], "flat")
    lines = [f"{i},{c},{s}" for i, (c, s) in enumerate(zip(colour, shape, strict=True))]
    (tmp_path / "a.csv").write_text("id,colour,shape\n" + "\n".join(lines))
    shown = run("cluster", tmp_path / "a.csv", "-k", "2", "--ignore", "id", "-o", tmp_path / "out")
    assert "k-modes" in shown
    assert "colour is red" in shown
    labels = np.asarray(lanatus.data.read(tmp_path / "out" / "clusters.csv")["cluster"])
    assert max(np.mean(labels == group), np.mean(labels != group)) > 0.9
    assert lanatus.data.read(tmp_path / "out" / "clusters.csv").column_names[0] == "id"  # ignored, but kept
    page = (tmp_path / "out" / "clusters.html").read_text(encoding="utf-8")
    assert "colour is blue" in page
    assert "<b>square" not in page  # what a table holds is text
    assert "data:image/png;base64," in page
    mixed = [f"{5 * g + rng.randn():.2f},{c}" for g, c in zip(group, colour, strict=True)]
    (tmp_path / "b.csv").write_text("size,colour\n" + "\n".join(mixed))
    shown = run("cluster", tmp_path / "b.csv", "-m", "KPrototypes", "-k", "2", "-o", tmp_path / "mixed")
    assert "size is higher" in shown


def test_cluster_mistakes(tmp_path):
    (tmp_path / "c.csv").write_text("x\n1\n2\n")
    assert "has no column 'z'" in shell("cluster", tmp_path / "c.csv", "--ignore", "z").stderr
    assert "all columns are ignored" in shell("cluster", tmp_path / "c.csv", "--ignore", "x").stderr
    assert "finds the number" in shell("cluster", tmp_path / "c.csv", "-m", "AffinityPropagation", "-k", "2").stderr
    (tmp_path / "a.csv").write_text("x,y\n1,2\n2,3\n4,1\n")
    assert "at most as many clusters as rows" in shell("cluster", tmp_path / "a.csv", "-k", "9").stderr
    assert "is for classification" in shell("cluster", tmp_path / "a.csv", "-m", "C45Classifier").stderr


def test_reduce_gives_the_principal_components(tmp_path):
    rng = np.random.RandomState(0)
    t = rng.randn(80)
    rows = "\n".join(
        f"{a:.4f},{a + 0.01 * b:.4f},{'甲' if a > 0 else '乙'}" for a, b in zip(t, rng.randn(80), strict=True)
    )
    (tmp_path / "a.csv").write_text("x,y,类\n" + rows, encoding="utf-8")
    shown = run("reduce", tmp_path / "a.csv", "--target", "类", "-o", tmp_path / "out")
    assert "100% of the variance" in shown
    first = np.asarray(lanatus.data.read(tmp_path / "out" / "reduced.csv")["component_1"])
    assert abs(np.corrcoef(first, t)[0, 1]) > 0.999
    assert imread(tmp_path / "out" / "reduced.png").shape[0] > 300


# ---------------------------------------------------------------- demo


def test_demo_leaves_models_a_report_and_a_picture_with_chinese_words(tmp_path):
    shown = run("demo", "--out", tmp_path, "--budget", "5")
    assert "erratum" in shown
    pixels = imread(tmp_path / "watermelon-kmeans.png")
    assert pixels.shape[0] > 300
    assert len(np.unique(pixels[..., :3].reshape(-1, 3), axis=0)) > 20
    assert {path.name for path in tmp_path.iterdir()} == {
        "watermelon-kmeans.png", "watermelon-kmeans.skops", "model.skops", "report.html", "leaderboard.csv",
        "predictions.csv", "run.json",
    }  # fmt: skip
    assert lanatus.load(tmp_path / "watermelon-kmeans.skops").cluster_centers_.shape == (3, 2)
    assert lanatus.load(tmp_path / "model.skops").classes_.tolist() == ["benign", "malignant"]


def test_every_command_has_an_example_in_its_help():
    for command in ("fit", "predict", "evaluate", "explain", "compare", "cluster", "reduce"):
        assert f"lanatus {command} " in run(command, "--help")


# ---------------------------------------------------------------- files and terminals that are not harmless


FORMULAS = ("=HYPERLINK(1)", "+1+cmd", "@SUM(A1)")


def formulas(path, rows=60):
    rng = np.random.default_rng(0)
    lines = ["x,kind"]
    lines += [f"{rng.normal(3 * (i % 3)):.4f},{FORMULAS[i % 3]}" for i in range(rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_answers_are_inert_in_a_spreadsheet(tmp_path):
    table = formulas(tmp_path / "kinds.csv")
    run("fit", table, "--target", "kind", "--out", tmp_path / "out", *QUICK)
    answers = tmp_path / "answers.csv"
    run("predict", tmp_path / "out" / "model.skops", table, "--out", answers)
    run("predict", tmp_path / "out" / "model.skops", table, "--out", tmp_path / "answers.parquet")
    for path in (tmp_path / "out" / "predictions.csv", answers):
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        assert {row["prediction"] for row in rows} == {f"'{label}" for label in FORMULAS}
    assert any(cell.startswith("-") for row in rows for cell in row.values()) is False
    with_numbers = list(csv.reader((tmp_path / "out" / "leaderboard.csv").read_text(encoding="utf-8").splitlines()))
    assert not any(cell[:1] in "=+@\t\r" for row in with_numbers for cell in row if cell)
    assert set(pq.read_table(tmp_path / "answers.parquet")["prediction"].to_pylist()) == set(FORMULAS)


def test_negative_answers_stay_numbers(tmp_path):
    (tmp_path / "n.csv").write_text("x,y\n" + "".join(f"{i},{-2 * i - 1}\n" for i in range(60)), encoding="utf-8")
    run("fit", tmp_path / "n.csv", "--target", "y", "--out", tmp_path / "out", "--methods", "Ridge", *QUICK[2:])
    rows = csv.DictReader((tmp_path / "out" / "predictions.csv").read_text(encoding="utf-8").splitlines())
    assert all(float(row["target"]) < 0 for row in rows)


def test_results_of_another_run_are_not_lost(fitted, tmp_path):
    out = tmp_path / "out"
    other = formulas(tmp_path / "kinds.csv")
    run("fit", other, "--target", "kind", "--out", out, *QUICK)
    before = (out / "run.json").read_bytes()
    refused = shell("fit", fitted[0] / "瓜.csv", "--target", "好瓜", "--out", out, *QUICK)
    assert refused.returncode == 1
    assert "holds the results of a run on 'kinds' for 'kind'" in refused.stderr
    assert "--force" in refused.stderr
    assert (out / "run.json").read_bytes() == before
    run("fit", other, "--target", "kind", "--out", out, "--seed", "1", *QUICK)  # its own results it replaces
    run("fit", fitted[0] / "瓜.csv", "--target", "好瓜", "--out", out, "--force", *QUICK)
    assert json.loads((out / "run.json").read_text(encoding="utf-8"))["target"] == "好瓜"


def test_two_runs_into_one_folder(tmp_path):
    table = formulas(tmp_path / "kinds.csv")
    with alone_in(tmp_path / "out"):  # as a run does
        refused = shell("fit", table, "--target", "kind", "--out", tmp_path / "out", *QUICK)
    assert refused.returncode == 1
    assert "another run is writing into" in refused.stderr
    run("fit", table, "--target", "kind", "--out", tmp_path / "out", *QUICK)
    assert not (tmp_path / "out" / ".running").exists()


def test_predict_that_was_killed_leaves_nothing_behind(fitted, tmp_path):
    left = tmp_path / ".answers.csv.0123.part"
    left.write_bytes(b"half")
    run("predict", fitted[0] / "out" / "model.skops", fitted[0] / "瓜.csv", "--out", tmp_path / "answers.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["answers.csv"]


def test_a_full_disk_names_the_answers(fitted, tmp_path):
    table = tmp_path / "many.csv"
    lines = crafted().splitlines()
    table.write_text("\n".join([lines[0], *lines[1:61] * 100]) + "\n", encoding="utf-8")
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)); from lanatus.cli import main; main()"
    )
    command = [
        sys.executable,
        "-c",
        code,
        "predict",
        fitted[0] / "out" / "model.skops",
        table,
        "-o",
        tmp_path / "a.csv",
    ]
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "free some space" in ended.stderr
    assert "a.csv" in ended.stderr
    assert not list(tmp_path.glob("*a.csv*"))


def test_warnings_are_a_line_without_source(fitted, tmp_path):
    unseen = tmp_path / "unseen.csv"
    unseen.write_text("密度,色泽,产地\n0.5,紫色,山东\n", encoding="utf-8")
    ended = shell("predict", fitted[0] / "out" / "model.skops", unseen, "--out", tmp_path / "answers.csv")
    assert ended.returncode == 0
    assert "warning: " in ended.stderr
    assert "紫色" in ended.stderr
    assert ".py" not in ended.stderr
    assert "warnings.warn" not in ended.stderr


def test_control_characters_and_markup_are_shown_not_obeyed(tmp_path):
    table = tmp_path / "bad.csv"
    linked = "[link=http://x]a[/link]"
    hostile = "\x1b[2J\x1b]0;owned\x07[red]x[/]\u202e"
    lines = [f"{hostile},kind", *(f"{i % 2 + 0.01 * i:.2f},{linked if i % 2 else 'b'}" for i in range(60))]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    fit = shell("fit", table, "--target", "kind", "--out", tmp_path / "out", *QUICK)
    explained = shell("explain", tmp_path / "out" / "model.skops", table, "--row", "0")
    lost = shell("predict", tmp_path / "out" / "model.skops", tmp_path / "\x1b[31mnone.csv")
    for ended in (fit, explained, lost):
        said = ended.stdout + ended.stderr
        assert "\x1b" not in said
        assert "\x07" not in said
        assert "\u202e" not in said
    assert linked in fit.stdout
    assert "[red]x[/]" in explained.stdout
    assert r"\x1b[31mnone.csv" in lost.stderr
