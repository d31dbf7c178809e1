"""Odd input and edge cases of the decompositions, each once found to give nonsense or an unclear error."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import lanatus
from lanatus.bayes import GaussianNB
from lanatus.linear import LinearRegression
from lanatus.multiclass import (
    DAGClassifier,
    HierarchicalClassifier,
    MLkNN,
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
    code_bit_diagnostics,
    code_distances,
    decode,
)


@pytest.mark.parametrize(
    "scheme", [OneVsRestClassifier, OneVsOneClassifier, DAGClassifier, HierarchicalClassifier, OutputCodeClassifier]
)
def test_a_regressor_is_refused(scheme):
    with pytest.raises(TypeError, match=r"wants a classifier; LinearRegression\(\) is a regressor"):
        scheme(LinearRegression()).fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])


def test_huge_confidences_are_told_apart():
    book = [[1, 1], [-1, 1], [-1, -1]]
    distances = code_distances([[-1e6, -500.0]], book, distance="exponential")
    assert np.isfinite(distances).all()
    assert decode([[-1e6, -500.0]], book, distance="exponential").tolist() == [2]


def test_decoding_refuses_bad_answers_and_weights():
    book = [[1], [-1]]
    for weights in ([-1.0], [np.nan]):
        with pytest.raises(ValueError, match="finite numbers of 0 or more"):
            decode([[1]], book, weights=weights)
    with pytest.raises(ValueError, match="3 dimensions"):
        decode(np.ones((1, 1, 1)), book)


def test_diagnostics_of_something_else_and_of_unused_classes():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="wants an OutputCodeClassifier; got GaussianNB"):
        code_bit_diagnostics(GaussianNB().fit(X, y), X, y)
    model = OutputCodeClassifier(GaussianNB(), code=[[1], [-1], [0]]).fit(X, y)
    assert np.isnan(code_bit_diagnostics(model, X[100:], y[100:]).spread)


def test_multi_label_neighbours_are_saved(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = MLkNN().fit(X, np.c_[y == 0, y > 0].astype(int))
    again = lanatus.load(lanatus.save(model, tmp_path / "model.skops"))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
