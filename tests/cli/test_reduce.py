"""``lanatus reduce``: which method, and what the page says of each row."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_swiss_roll
from typer.testing import CliRunner

from lanatus.cli._app import app
from lanatus.cli._reduce import on_plane, placed
from lanatus.reduce import PCA


def run(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output + repr(result.exception)
    return result.output


@pytest.fixture
def iris(tmp_path):
    bunch = load_iris(as_frame=True)
    frame = bunch.data.assign(species=np.array(["setosa", "<versicolor>", "virginica"])[bunch.target])
    frame.to_csv(tmp_path / "iris.csv", index=False)
    return tmp_path / "iris.csv"


@pytest.mark.covers("reduce.pca")
def test_the_page_shows_each_row(iris, tmp_path):
    shown = run("reduce", iris, "--target", "species", "-o", tmp_path / "out", "-m", "PCA")
    assert "PCA, as asked; two components hold" in shown
    page = (tmp_path / "out" / "reduced.html").read_text(encoding="utf-8")
    titles = re.findall(r"<circle [^>]*><title>(.*?)</title>", page, re.DOTALL)
    assert len(titles) == 150
    assert titles[0].startswith("row 1\nsepal length (cm): 5.1\n")
    assert titles[99].endswith("species: &lt;versicolor&gt;")
    assert "<versicolor>" not in page  # values are text, whatever they hold
    assert len(set(re.findall(r'<circle [^>]*fill="(#\w+)"', page))) == 3
    points = pd.read_csv(tmp_path / "out" / "reduced.csv").to_numpy()
    assert points.shape == (150, 2)


@pytest.mark.covers("reduce.pca", "reduce.isomap", "reduce.laplacian-eigenmaps")
def test_the_method_suits_the_table(tmp_path):
    X, t = make_swiss_roll(600, random_state=0)
    pd.DataFrame(X, columns=list("abc")).assign(t=t).to_csv(tmp_path / "roll.csv", index=False)
    shown = run("reduce", tmp_path / "roll.csv", "-t", "t", "-o", tmp_path / "out")
    assert re.search(r"(Isomap|SpectralEmbedding) keeps most neighbours", shown)
    assert "variance" not in shown
    flat = np.random.RandomState(0).normal(size=(200, 2)) @ np.random.RandomState(1).normal(size=(2, 6))
    assert placed(flat)[2].startswith("PCA, which keeps neighbours as well as any")
    assert placed(flat[:10])[2] == "10 rows, which are few: PCA"
    assert placed(np.tile(flat, (10, 1)))[2] == "2,000 rows, which are many: PCA"
    page = (tmp_path / "out" / "reduced.html").read_text(encoding="utf-8")
    assert len(set(re.findall(r'<circle [^>]*fill="(#\w+)"', page))) > 100  # a scale of colours


def test_components_are_those_of_pca():
    X = np.random.RandomState(0).normal(size=(50, 4))
    points, shares = on_plane(X)
    np.testing.assert_allclose(points, PCA(2).fit_transform(X))
    assert shares.sum() < 1
    one, share = on_plane(X[:, :1])
    assert one[:, 1].tolist() == [0.0] * 50
    assert share.tolist() == [1.0, 0.0]


def test_other_methods_by_name(iris, tmp_path):
    shown = run("reduce", iris, "-t", "species", "-o", tmp_path / "out", "--method", "KernelPCA")
    assert "KernelPCA, as asked" in shown
    for name, words in (
        ("KMeans", "does not reduce"),
        ("SupervisedIsomap", "learns from labels"),
        ("nothing", "no method"),
    ):
        result = CliRunner().invoke(app, ["reduce", str(iris), "-m", name, "-o", str(tmp_path / "out")])
        assert result.exit_code != 0
        assert words in result.output + repr(result.exception)
