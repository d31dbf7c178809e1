"""What a person types and sees."""

import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import lanatus
from lanatus.cli._app import app


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")


def run(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output + repr(result.exception)
    return result.output


def shell(*words):
    """The command as installed, whose errors end in one line."""
    program = "from lanatus.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        check=False,
    )


def listed(*words):
    return [entry["name"] for entry in json.loads(run("methods", *words, "--json"))]


def test_version():
    assert run("--version") == f"lanatus {lanatus.__version__}\n"


# ---------------------------------------------------------------- methods


def test_methods_are_listed_with_both_names():
    shown = run("methods")
    for words in ("cluster.KMeans", "k均值", "bayes.GaussianNB", "data.load_watermelon", "西瓜数据集"):
        assert words in shown


def test_methods_can_be_searched():
    assert {"KMeans", "DIANA", "KModes"} <= set(listed("聚类", "--kind", "estimator"))
    assert "GaussianNB" not in listed("聚类", "--kind", "estimator")
    assert "GaussianNB" in listed("--task", "classification")
    assert "KMeans" not in listed("--task", "classification")
    assert set(listed("--chapter", "9")) >= {"KMeans"}
    assert "GaussianNB" not in listed("--chapter", "9")
    assert "make_circles" in listed("--chapter", "CB 5")
    assert listed("--can", "sparse", "--can", "streams", "--task", "clustering") == ["KMeans", "MiniBatchKMeans"]
    assert listed("no such method") == []


def test_json_has_the_whole_entry():
    (entry,) = [one for one in json.loads(run("methods", "--json")) if one["name"] == "KMeans"]
    assert set(entry) == {
        *("name", "path", "ids", "section", "task", "kind", "en", "zh", "summary", "abilities", "peers"),
    }
    assert entry["path"] == "lanatus.cluster.KMeans"
    assert entry["ids"] == ["cluster.kmeans", "cluster.kmeans-exchange"]
    assert entry["abilities"]["sparse"] is True
    assert "scikit-learn:KMeans" in entry["peers"]


# ---------------------------------------------------------------- book


def test_worked_examples_are_listed():
    for words in (("book", "--list"), ("book",)):
        shown = run(*words)
        assert "9.4.1" in shown
        assert "西瓜数据集3.0上的高斯朴素贝叶斯" in shown
    rows = json.loads(run("book", "--list", "--json"))
    sections = [row["section"] for row in rows]
    assert sections == sorted(sections, key=lanatus.catalog.section_key)
    assert sections.index("9.4.1") > sections.index("2.4.4")


def test_a_worked_example_shows_book_computed_and_errata():
    shown = run("book", "9.4.1")
    assert "0.166" in shown
    assert "0.165" in shown
    assert "erratum" in shown
    assert "✗" not in shown
    (printed, *_) = json.loads(run("book", "9.4.1", "--json"))
    distances = printed["figures"][0]
    assert distances["printed"] == [0.369, 0.506, 0.166]
    np.testing.assert_allclose(distances["computed"], [0.369, 0.506, 0.165], atol=5e-4)
    assert distances["agrees"]
    assert "0.1654" in distances["erratum"]


def test_a_chapter_runs_all_its_examples():
    sections = {one["section"] for one in json.loads(run("book", "9", "--json"))}
    assert sections >= {"9.4.1", "9.4.3"}
    assert all(section.startswith("9.") for section in sections)


def test_an_unknown_section_is_one_clear_line():
    done = shell("book", "99.9")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.strip() == "lanatus: no worked example for section '99.9'; `lanatus book --list` shows all."


def test_a_figure_that_disagrees_fails_the_command(monkeypatch):
    from lanatus.book import Example, Figure, _registry

    wrong = Example("99.9", "wrong", "错", lambda: [Figure("x", 1.0, 2.0)])
    monkeypatch.setattr(_registry, "_examples", {"99.9": [wrong]})
    assert "✗" in run("book", "99.9", code=1)


def test_chinese_words_are_drawn_as_characters():
    """Each of two characters leaves its own marks; a box for both would leave the same."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from lanatus.plot import use_chinese

    def drawn(text):
        with use_chinese(), warnings.catch_warnings():
            warnings.simplefilter("error")
            figure = Figure(figsize=(1, 1))
            figure.text(0.3, 0.3, text, fontsize=30)
            canvas = FigureCanvasAgg(figure)
            canvas.draw()
            return np.asarray(canvas.buffer_rgba())[..., 0].copy()

    melon, sugar = drawn("瓜"), drawn("糖")
    assert (melon < 128).sum() > 50
    assert not np.array_equal(melon, sugar)
