"""Chapter 5: the numbers of the book, from its pages or worked out from its tables."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from lanatus.book import (
    art_vigilance,
    cascade_overfit,
    dbn_vs_bp,
    depth_vs_width,
    draw_figure,
    ex_5_1,
    ex_5_2,
    ex_5_4,
    ex_5_5,
    ex_5_6,
    fig_5_9,
    logic_gates,
    perceptron_convergence,
    universal_approximation,
)
from lanatus.neural import (
    MLPClassifier,
    MPNeuron,
    Perceptron,
    RBFNetwork,
    boltzmann_distribution,
    boltzmann_energy,
    n_parameters,
)

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


@pytest.mark.covers("neural.bp-parameter-count")
def test_parameter_counts():
    assert 10 * 9 + 10 == 100  # of section 5.1: ten neurons, each connected with each
    counts = {(2, 2, 1): 9, (2, 5, 1): 21, (8, 10, 1): 101, (4, 3, 3): 27, (19, 10, 1): 211}
    assert {shape: n_parameters(*shape) for shape in counts} == counts


@pytest.mark.covers("neural.mp-neuron", "neural.step-activation")
def test_gates_set_by_hand():
    assert MPNeuron([1, 1], 2)(CORNERS).tolist() == [0, 0, 0, 1]
    assert MPNeuron([1, 1], 0.5)(CORNERS).tolist() == [0, 1, 1, 1]
    assert MPNeuron([-0.6, 0], -0.5)(CORNERS).tolist() == [1, 1, 0, 0]
    hidden = np.column_stack([MPNeuron([1, -1], 0.5)(CORNERS), MPNeuron([-1, 1], 0.5)(CORNERS)])
    assert MPNeuron([1, 1], 0.5)(hidden).tolist() == [0, 1, 1, 0]


@pytest.mark.covers("neural.perceptron")
@pytest.mark.parametrize(
    ("rows", "y", "weights", "theta", "errors"),
    [
        (CORNERS, [0, 0, 0, 1], [0.2, 0.1], 0.3, [2, 3, 3, 2, 1, 0]),
        (CORNERS, [0, 1, 1, 1], [0.1, 0.1], 0.1, [2, 2, 1, 0]),
        ([[0], [1]], [1, 0], [-0.1], 0.0, None),
    ],
)
def test_perceptron_traces(rows, y, weights, theta, errors):
    model = Perceptron(eta0=0.1, shuffle=False, tol=None).fit(rows, y)
    np.testing.assert_allclose(model.coef_[0], weights, atol=1e-12)
    assert -model.intercept_[0] == pytest.approx(theta, abs=1e-12)
    assert model.n_iter_ == (3 if errors is None else len(errors))
    assert errors is None or model.errors_.tolist() == errors


@pytest.mark.covers("neural.perceptron")
def test_xor_cycles_for_ever():
    with pytest.warns(ConvergenceWarning):
        model = Perceptron(eta0=0.1, shuffle=False, tol=None, max_iter=40).fit(CORNERS, [0, 1, 1, 0])
    np.testing.assert_allclose([*model.coef_[0], -model.intercept_[0]], [-0.1, 0.0, 0.0], atol=1e-12)
    assert model.errors_[2:].tolist() == [4] * 38


@pytest.mark.covers("neural.bp-standard")
def test_one_step_of_back_propagation():
    """V = [[.1, .4], [.2, .3]], gamma = (.1, .2), W = (.5, .6), theta = .3; x = (.697, .460) is good, eta = .1."""
    X, y = [[0.697, 0.460], [0.0, 0.0]], [1, 0]
    net = MLPClassifier(
        2, "logistic", solver="bp", report="step", learning_rate_init=0.1, shuffle=False, warm_start=True,
        scaling=None, max_iter=1,
    )  # fmt: skip
    net.coefs_ = [np.array([[0.1, 0.4], [0.2, 0.3]]), np.array([[0.5], [0.6]])]
    net.intercepts_ = [-np.array([0.1, 0.2]), -np.array([0.3])]
    net.norms_, net.tables_, net.running_ = [], [], np.empty(0)
    with pytest.warns(ConvergenceWarning):
        net.fit(X, y)
    assert net.loss_ == pytest.approx(0.09158283, abs=5e-9)  # E before the step
    np.testing.assert_allclose(net.coefs_[1][:, 0], [0.50540030, 0.60580440], atol=5e-9)
    assert -net.intercepts_[1][0] == pytest.approx(0.28952253, abs=5e-9)
    np.testing.assert_allclose(net.coefs_[0], [[0.10091198, 0.40108265], [0.20060188, 0.30071452]], atol=5e-9)
    np.testing.assert_allclose(-net.intercepts_[0], [0.09869156, 0.19844670], atol=5e-9)
    after = net.predict_proba(X)[0, 1]
    assert after == pytest.approx(0.57621502, abs=5e-9)
    assert (1 - after) ** 2 / 2 == pytest.approx(0.08979686, abs=5e-9)


@pytest.mark.covers("neural.rbf-network")
def test_radial_networks_on_xor():
    xor = [0.0, 1.0, 1.0, 0.0]
    exact = RBFNetwork(centers=CORNERS, beta=1.0, alpha=0.0, scaling=None, fit_intercept=False).fit(CORNERS, xor)
    np.testing.assert_allclose(exact.coef_[:, 0], [-0.984102, 1.518548, 1.518548, -0.984102], atol=5e-7)
    two = RBFNetwork(centers=CORNERS[1:3], beta=1.0, alpha=0.0, scaling=None).fit(CORNERS, xor)
    np.testing.assert_allclose(two.coef_[:, 0], [2.502650, 2.502650], atol=5e-7)
    assert two.intercept_[0] == pytest.approx(-1.841347, abs=5e-7)
    np.testing.assert_allclose(two.predict(CORNERS), xor, atol=1e-12)
    np.testing.assert_allclose(two.hidden(CORNERS).sum(axis=1), [0.735759, 1.135335, 1.135335, 0.735759], atol=5e-7)


@pytest.mark.covers("neural.boltzmann-machine")
def test_a_boltzmann_machine_of_three_units():
    W = np.array([[0, 1, -0.5], [1, 0, 0.25], [-0.5, 0.25, 0]])
    states, chance = boltzmann_distribution(W, [0.1, -0.2, 0.3])
    assert states.astype(int).tolist()[:3] == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
    energies = boltzmann_energy(states, W, [0.1, -0.2, 0.3])
    np.testing.assert_allclose(energies, [0, -0.3, 0.2, -0.35, -0.1, 0.1, -0.9, -0.95], atol=1e-12)
    assert np.exp(-energies).sum() == pytest.approx(11.642978, abs=5e-7)
    printed = [0.085889, 0.115938, 0.070320, 0.121882, 0.094922, 0.077715, 0.211252, 0.222083]
    np.testing.assert_allclose(chance, printed, atol=5e-7)


@pytest.mark.parametrize(
    ("run", "least"),
    [
        pytest.param(logic_gates, 6, marks=pytest.mark.covers("neural.logic-gate-perceptrons")),
        pytest.param(perceptron_convergence, 10, marks=pytest.mark.covers("neural.perceptron-convergence")),
        pytest.param(universal_approximation, 5, marks=pytest.mark.covers("neural.universal-approximation")),
        pytest.param(dbn_vs_bp, 4, marks=pytest.mark.covers("neural.dbn-vs-plain-bp")),
        pytest.param(depth_vs_width, 7, marks=pytest.mark.covers("neural.depth-versus-width")),
        pytest.param(ex_5_1, 6, marks=pytest.mark.covers("neural.linear-activation-flaw")),
        pytest.param(ex_5_2, 6, marks=pytest.mark.covers("neural.sigmoid-neuron-vs-logistic")),
        pytest.param(ex_5_4, 4, marks=pytest.mark.covers("neural.learning-rate-influence")),
        pytest.param(ex_5_5, 8, marks=pytest.mark.covers("neural.standard-vs-accumulated-bp")),
        pytest.param(fig_5_9, 3, marks=pytest.mark.covers("neural.bp-boundary-figure")),
        pytest.param(art_vigilance, 5, marks=pytest.mark.covers("neural.art-vigilance")),
        pytest.param(cascade_overfit, 5, marks=pytest.mark.covers("neural.cascade-overfit")),
        pytest.param(ex_5_6, 6, marks=pytest.mark.covers("neural.dynamic-rate-comparison")),
    ],
)
def test_experiments_say_what_the_book_says(run, least):
    figures = list(run())
    assert len(figures) >= least
    assert [figure for figure in figures if not figure.agrees] == []


@pytest.mark.covers("neural.depth-versus-width")
def test_a_network_of_the_library_folds_as_the_chain_does():
    """The deep network's weights, put into one of ours: 16 pieces of four layers of two units."""
    from lanatus.book.ch05._approximation import folded
    from lanatus.neural import relu

    x = np.linspace(0, 1, 201)
    h = x[:, None] @ [[1.0, 1.0]] + [0.0, -0.5]
    for _ in range(3):
        h = relu(h) @ [[2.0, 2.0], [-4.0, -4.0]] + [0.0, -0.5]
    np.testing.assert_allclose(relu(h) @ [2.0, -4.0], folded(x, 4), atol=1e-12)


@pytest.mark.covers("neural.bp-boundary-figure")
def test_figure_5_9_shows_the_border_after_25_50_and_100_rounds():
    figure = draw_figure("5.9")
    assert [axes.get_title() for axes in figure.axes] == ["round 25", "round 50", "round 100"]
    for axes in figure.axes:
        assert sum(len(part.get_offsets()) for part in axes.collections if hasattr(part, "get_offsets")) >= 5


@pytest.mark.covers("neural.logic-gate-perceptrons", "neural.perceptron-convergence")
def test_figures_5_4_and_5_5_have_the_lines_and_the_band():
    gates = draw_figure("5.4").axes
    assert [axes.get_title() for axes in gates] == ["AND", "OR", "NOT x1", "XOR"]
    x, y = gates[0].get_lines()[0].get_data()
    np.testing.assert_allclose(np.asarray(x) + y, 2)  # x1 + x2 = 2
    assert len(draw_figure("5.5").axes) == 2


@pytest.mark.parametrize(
    ("number", "lines"),
    [("ex 5.4", 5), ("ex 5.5", 3), ("ex 5.6", 8), ("5.6 pre-training", 3), ("5.3 approximation", 10)],
)
def test_curves_are_drawn(number, lines):
    figure = draw_figure(number)
    assert sum(len(axes.get_lines()) for axes in figure.axes) == lines


def test_maps_and_categories_are_drawn():
    assert "3 类" in draw_figure("5.5.2").axes[1].get_title()
    assert len(draw_figure("5.5.4").axes) == 2
    assert draw_figure("ex 5.8").axes
    assert draw_figure("5.2").axes[0].get_title().startswith("阶跃函数")
