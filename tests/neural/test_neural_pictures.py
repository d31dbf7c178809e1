"""What pictures of networks show."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from lanatus.callbacks import Recorder
from lanatus.neural import (
    SOM,
    BernoulliRBM,
    MLPClassifier,
    animate_boundaries,
    plot_boundaries,
    plot_features,
    plot_loss,
    plot_network,
    plot_som,
    u_matrix,
)

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def trained():
    recorder = Recorder()
    net = MLPClassifier(3, solver="rprop", tol=0.01, random_state=0).set_callbacks(recorder).fit(X[:, 2:], Y)
    return net, recorder


def test_curves_are_the_losses(trained):
    net, _ = trained
    (line,) = plot_loss(net, labels=["one"]).axes[0].get_lines()
    np.testing.assert_allclose(line.get_ydata(), net.loss_curve_)


def test_a_network_has_a_circle_a_unit_and_a_line_a_weight(trained):
    net, _ = trained
    axes = plot_network(net).axes[0]
    assert axes.get_title() == "2 - 3 - 3"
    assert [len(circles.get_offsets()) for circles in axes.collections] == [2, 3, 3]
    assert len(axes.get_lines()) == 2 * 3 + 3 * 3
    said = {text.get_text() for text in axes.texts}
    assert {f"{-value:.2f}" for value in net.intercepts_[0]} <= said  # the book's thresholds


def test_boundaries_round_by_round(trained):
    net, recorder = trained
    figure = plot_boundaries(recorder.models, X[:, 2:], Y, rounds=[1, 5, net.n_iter_])
    assert [axes.get_title() for axes in figure.axes] == ["round 1", "round 5", f"round {net.n_iter_}"]
    assert "<img" in animate_boundaries(recorder.models, X[:, 2:], Y, most=2).to_jshtml()


def test_maps_show_their_u_matrix_and_features_their_weights():
    som = SOM((4, 5), random_state=0).fit(X)
    shown = plot_som(som).axes[0].collections[0]
    np.testing.assert_allclose(shown.get_array(), u_matrix(som).ravel())
    np.testing.assert_allclose(shown.get_offsets(), som.places_)
    hits = plot_som(som, "hits", X=X, y=Y).axes[0].collections[0]
    assert hits.get_array().sum() == 150
    machine = BernoulliRBM(4, n_iter=1, random_state=0).fit(X)
    figure = plot_features(machine, (2, 2))
    pictures = [axes.images[0].get_array() for axes in figure.axes if axes.images]
    assert sorted(map(np.ndarray.tolist, pictures)) == sorted(machine.components_.reshape(4, 2, 2).tolist())
