"""Every worked example of the books, and the numbers of the texts for the reference methods."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lanatus.bayes import GaussianNB
from lanatus.book import Figure, examples
from lanatus.cluster import KMeans
from lanatus.data import load_watermelon
from lanatus.preprocess import OneHotEncoder, OrdinalEncoder


@pytest.mark.parametrize("example", examples(), ids=lambda one: f"{one.section} {one.en}")
def test_figures_agree_with_the_book(example, monkeypatch):
    figures = list(example.run())
    assert figures
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "docs"))
    import generate  # the page of the chapter shows them all, which tests/test_docs.py does not run again for

    page = generate.example_lines(replace(example, run=lambda: figures))
    rows = [line for line in page if line.startswith("| ") and not line.startswith("| figure |")]
    assert len(rows) == len(figures)
    assert not [row for row in rows if "✗" in row]
    for figure in figures:
        assert figure.agrees, f"{figure.what}: got {figure.computed}, wanted {figure.right or figure.printed}"
        assert figure.right is None or figure.erratum or figure.printed is None


def test_a_wrong_figure_does_not_agree():
    assert not Figure("x", 0.166, 0.1654).agrees
    assert Figure("x", 0.165, 0.1654).agrees
    assert not Figure("x", (1.0, 2.0), (1.0,)).agrees
    assert not Figure("x", "是", "否").agrees


@pytest.mark.covers("cluster.kmeans")
def test_kmeans_from_all_triples_of_melons():
    """ch08-09 W2: 4060 starts end in 37 values of E, at most 14 rounds."""
    from itertools import combinations

    X = np.asarray(load_watermelon("4.0", frame="numpy").data, dtype=float)
    ends = [KMeans(3, init=X[list(triple)], tol=0).fit(X) for triple in list(combinations(range(30), 3))[::20]]
    found = np.array([model.inertia_ for model in ends])
    assert found.min() == pytest.approx(0.4096634167, abs=1e-9)
    assert found.max() <= 0.6991673919 + 1e-9
    assert max(model.n_iter_ for model in ends) <= 14


@pytest.mark.covers("bayes.gaussian-naive-bayes")
def test_gaussian_nb_with_maximum_likelihood():
    """ch06-07 W7.1: the densities with ddof=0, and W7.3: the variances."""
    bunch = load_watermelon("3.0a", frame="numpy")
    model = GaussianNB(var_smoothing=0).fit(bunch.data, bunch.target)
    yes = list(model.classes_).index("是")
    np.testing.assert_allclose(model.var_[yes], [0.0146084375, 0.0089124375], rtol=1e-8)
    joint = model.predict_joint_log_proba([[0.697, 0.460]])[0]
    expected = np.log(8 / 17 * 1.962492 * 0.669113)
    assert joint[yes] == pytest.approx(expected, abs=2e-6)


@pytest.mark.covers("data.ordinal-encoder")
def test_ordered_values_are_equally_spaced():
    encoder = OrdinalEncoder(categories=[["低", "中", "高"]], scale="unit").fit([["低"]])
    assert encoder.transform([["高"], ["中"], ["低"]]).ravel().tolist() == [1.0, 0.5, 0.0]


@pytest.mark.covers("data.one-hot-encoder")
def test_unordered_values_are_indicators():
    encoder = OneHotEncoder(categories=[["黄瓜", "南瓜", "西瓜"]], sparse_output=False).fit([["西瓜"]])
    assert encoder.transform([["西瓜"], ["南瓜"], ["黄瓜"]]).tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert list(encoder.get_feature_names_out()) == ["x0_黄瓜", "x0_南瓜", "x0_西瓜"]
