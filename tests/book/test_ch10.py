"""Chapters 9.3, 9.6, 10.1 and cookbook 6: distances and neighbours."""

import itertools

import numpy as np
import pytest
from book.figures import found

from lanatus.book import cb_fig_2, draw_figure, ex_10_1, fig_10_1
from lanatus.book.cb06 import _errors
from lanatus.book.ch09 import _distances
from lanatus.book.ch10 import _neighbors
from lanatus.neighbors import KNeighborsClassifier, dense_sample_size, knn_asymptotic_error, nn_error, nn_error_bounds


@pytest.mark.covers(
    "metric.minkowski", "metric.chebyshev", "metric.metric-axioms", "metric.euclidean", "metric.manhattan"
)
def test_minkowski():
    found(_distances.minkowski_distances())
    found(_distances.blocks_of_manhattan())


@pytest.mark.covers("metric.similarity-nonmetric", "metric.metric-axioms")
def test_figure_9_1():
    found(_distances.centaur())


@pytest.mark.covers("metric.vdm", "metric.minkovdm")
def test_value_differences():
    found(_distances.value_differences())


@pytest.mark.covers("metric.hausdorff")
def test_hausdorff():
    found(_distances.hausdorff_clusters())


@pytest.mark.covers("neighbors.vote-figure", "neighbors.knn-classifier")
def test_figure_10_1():
    found(fig_10_1())
    axes = draw_figure("10.1").axes[0]
    assert [text.get_text() for text in axes.texts] == ["k=1", "k=3", "k=5"]


@pytest.mark.covers("neighbors.knn-classifier", "neighbors.knn-weighted", "neighbors.knn-regressor")
def test_melons_left_out():
    found(_neighbors.knn_on_melons())


@pytest.mark.covers("neighbors.knn-classifier")
def test_queries_among_the_melons():
    X, y = _neighbors._melons()
    queries = {(0.5, 0.2): "+++", (0.6, 0.15): "---", (0.35, 0.3): "--+", (0.7, 0.25): "+-+", (0.3, 0.2): "---"}
    models = [KNeighborsClassifier(k).fit(X, y) for k in (1, 3, 5)]
    for query, wanted in queries.items():
        assert "".join(model.predict([query])[0] for model in models) == wanted


@pytest.mark.covers("neighbors.one-nn-error", "neighbors.cover-hart-bounds")
def test_errors_of_the_nearest_neighbour():
    found(_neighbors.errors_of_nearest())
    for wrong in ([0.5, 0.6], [1.0], [-0.1, 1.1], [[0.5, 0.5]]):
        with pytest.raises(ValueError, match="probabilities"):
            nn_error_bounds(wrong)
    with pytest.raises(ValueError, match="as many"):
        nn_error([0.5, 0.5], [0.2, 0.3, 0.5])


@pytest.mark.covers("neighbors.dense-sampling-size")
def test_dense_sampling():
    found(_neighbors.dense_sampling())
    assert dense_sample_size(0.3, 2) == 12  # (10 / 3)^2 = 11.1
    assert dense_sample_size(1, 9) == 1
    for delta, d in ((0, 1), (2, 1), (0.5, 0)):
        with pytest.raises(ValueError, match="must be"):
            dense_sample_size(delta, d)


@pytest.mark.covers("book.knn-vs-tree-boundary")
def test_borders():
    found(ex_10_1())
    assert len(draw_figure("ex 10.1").axes) == 3


@pytest.mark.covers("neighbors.cover-hart-region", "neighbors.cover-hart-bounds")
def test_the_region_of_cover_and_hart():
    found(cb_fig_2())
    axes = draw_figure("CB 2").axes
    bayes, line = axes[0].lines[1].get_data()
    np.testing.assert_allclose(line, bayes * (2 - 2 * bayes))
    dots = axes[0].collections[-1].get_offsets()
    for p_bayes, error in dots:  # simulated errors of two classes lie on the parabola
        assert error == pytest.approx(2 * p_bayes * (1 - p_bayes), abs=0.02)


@pytest.mark.covers("neighbors.knn-asymptotic-error")
def test_errors_of_k_neighbours():
    found(_errors.knn_errors())
    eta = np.linspace(0, 1, 21)
    bayes = np.minimum(eta, 1 - eta)
    errors = [knn_asymptotic_error(k, eta) for k in (1, 3, 5, 11, 101)]
    assert all((a >= b - 1e-12).all() for a, b in itertools.pairwise(errors))
    assert (errors[-1] >= bayes - 1e-12).all()
    np.testing.assert_allclose(errors[0], 2 * eta * (1 - eta))
    np.testing.assert_allclose(errors[1], errors[1][::-1])
    for k in (2, 0, 1.5):
        with pytest.raises(ValueError, match="k must be"):
            knn_asymptotic_error(k, 0.1)
    with pytest.raises(ValueError, match="probabilities"):
        knn_asymptotic_error(3, 1.5)
