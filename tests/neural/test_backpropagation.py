"""Gradients against differences for every unit, loss and layer; steps of the solvers against their formulas."""

import numpy as np
import pytest

from lanatus.neural import Elman, ElmanClassifier, MLPClassifier, MLPRegressor, check_gradients, n_parameters
from lanatus.neural.feedforward._descent import Descent
from lanatus.neural.feedforward._inputs import learn_inputs
from lanatus.neural.feedforward._network import Network, NetworkTarget
from lanatus.neural.feedforward._schedules import Schedule

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 3))
ACTIVATIONS = ["identity", "logistic", "tanh", "relu"]


def by_differences(net, rows, target, theta, step=1e-6):
    running = net.start_running()
    found = np.empty_like(theta)
    for i in range(len(theta)):
        up, down = theta.copy(), theta.copy()
        up[i], down[i] = up[i] + step, down[i] - step
        found[i] = (net.gradient(rows, target, up, running)[0] - net.gradient(rows, target, down, running)[0]) / (
            2 * step
        )
    return found


@pytest.mark.covers("neural.bp-gradient-check")
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(
    ("output", "loss"),
    [
        ("logistic", "log_loss"),
        ("softmax", "log_loss"),
        ("logistic", "squared_error"),
        ("identity", "squared_error"),
    ],
)
def test_gradients_of_units_and_losses(activation, output, loss):
    net = Network(3, [], [4, 5, 3], hidden=activation, output=output, loss=loss)
    rows = learn_inputs(X, None, None, None).rows(X)
    weight = RNG.uniform(0.5, 2.0, 12)
    if output == "softmax":
        target = NetworkTarget(RNG.integers(0, 3, 12).astype(np.int32), None, weight)
    else:
        target = NetworkTarget(
            None, np.ascontiguousarray(RNG.uniform(0, 1, (12, 3)).round(output == "identity")), weight
        )
    theta = RNG.normal(0, 0.7, net.n_parameters)
    by_kernel = net.gradient(rows, target, theta, net.start_running())[2]
    numeric = by_differences(net, rows, target, theta)
    assert np.abs(by_kernel - numeric).max() <= 1e-6 * np.abs(numeric).max()


@pytest.mark.covers("neural.multilayer-feedforward")
@pytest.mark.parametrize("double", [True, False])
@pytest.mark.parametrize("n", [1, 5, 130, 259])
def test_outputs_and_gradients_of_any_shape(double, n):
    """Widths and heights that fill no vector and no tile, against matrices in NumPy."""
    rng = np.random.default_rng(n)
    for d, hidden, k in [(1, 1, 1), (3, 17, 4), (10, 10, 3), (33, 40, 2), (70, 5, 9), (7, 100, 33), (300, 3, 1)]:
        net = Network(d, [], [hidden, k], hidden="tanh", double=double)
        rows, y = rng.normal(size=(n, d)).astype(net.dtype), rng.normal(size=(n, k)).astype(net.dtype)
        theta = rng.normal(0, 0.5, net.n_parameters).astype(net.dtype)
        arrays = net.arrays(theta)
        (V, W), (b, c) = ([part.astype(float) for part in arrays[name]] for name in ("coefs", "intercepts"))
        h = np.tanh(rows.astype(float) @ V + b)
        said = h @ W + c
        feed = learn_inputs(rows, None, None, None).rows(rows)
        near = {"rtol": 1e-10, "atol": 1e-10} if double else {"rtol": 1e-3, "atol": 1e-3}
        np.testing.assert_allclose(net.outputs(feed, theta, net.start_running()), said, **near)
        loss, weight, slope = net.gradient(feed, NetworkTarget(None, y, None), theta, net.start_running())
        apart = said - y
        back = (apart @ W.T) * (1 - h**2)
        wanted = [rows.astype(float).T @ back, back.sum(axis=0), h.T @ apart, apart.sum(axis=0)]
        flat = np.concatenate([part.ravel() for part in wanted])
        assert np.abs(slope - flat).max() <= (1e-10 if double else 1e-4) * max(np.abs(flat).max(), 1.0)
        assert (loss, weight) == (pytest.approx(0.5 * (apart**2).sum(), rel=1e-9 if double else 1e-4), n)


@pytest.mark.covers("neural.multilayer-feedforward")
@pytest.mark.parametrize("k", [3, 20])
def test_losses_of_classes_are_those_of_indicators(k):
    """One class a row, told by its code or by a one in its column, with weights and without; large sums too."""
    rng = np.random.default_rng(k)
    codes = rng.integers(0, k, 150).astype(np.int32)
    net = Network(4, [], [6, k], output="softmax", loss="log_loss")
    rows = learn_inputs(data := 30 * rng.normal(size=(150, 4)), None, None, None).rows(data)
    theta = rng.normal(size=net.n_parameters)
    for weight in (None, rng.uniform(0.1, 3.0, 150)):
        one = net.gradient(rows, NetworkTarget(codes, None, weight), theta, net.start_running())
        marks = np.ascontiguousarray(codes[:, None] == np.arange(k), dtype=float)
        other = net.gradient(rows, NetworkTarget(None, marks, weight), theta, net.start_running())
        assert one[0] == pytest.approx(other[0], rel=1e-12)
        np.testing.assert_allclose(one[2], other[2], rtol=1e-9, atol=1e-9)


@pytest.mark.covers("neural.bp-gradient-check")
@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
def test_gradients_of_fitted_networks(solver):
    labels = np.array(["a", "b", "c"] * 4)
    for y in (labels, labels == "a"):
        net = MLPClassifier((4, 3), "tanh", solver=solver, max_iter=3, random_state=0).fit(X, y)
        assert check_gradients(net, X, y).largest < 1e-6
    several = (RNG.random((12, 2)) > 0.5).astype(int)
    net = MLPClassifier(4, "logistic", solver=solver, max_iter=3, random_state=0).fit(X, several)
    assert check_gradients(net, X, several).largest < 1e-6
    for loss, wanted in (("squared_error", X @ [1.0, 2.0, -1.0]), ("poisson", RNG.poisson(3, 12).astype(float))):
        net = MLPRegressor(
            hidden_layer_sizes=4, activation="tanh", solver=solver, loss=loss, max_iter=3, random_state=0
        ).fit(X, wanted)
        assert check_gradients(net, X, wanted).largest < 1e-6


def test_gradients_through_holes_embeddings_and_normalised_layers():
    import pandas as pd

    frame = pd.DataFrame({"x": X[:, 0], "c": list("abcdefgh") + list("abcd")})
    frame.loc[3, "x"] = np.nan
    y = np.array([0, 1] * 6)
    net = MLPClassifier(4, "tanh", max_iter=3, random_state=0).fit(frame, y)
    assert net.tables_[0].shape[0] == 9  # a row for each value, and one for none
    assert check_gradients(net, frame, y).largest < 1e-6
    # as it answers: with the means and spreads that it keeps
    net = MLPClassifier(4, "tanh", batch_norm=True, max_iter=3, random_state=0).fit(X, y)
    assert net.norms_[0].shape == (2, 4)
    assert np.isfinite(check_gradients(net, X, y).by_backpropagation).all()


@pytest.mark.covers("neural.elman")
@pytest.mark.parametrize("activation", ["tanh", "logistic"])
def test_gradients_through_time(activation):
    sequences = RNG.normal(size=(6, 4, 2))
    at_the_end, at_each = RNG.normal(size=(6, 2)), RNG.normal(size=(6, 4, 3))
    for wanted in (at_the_end, at_each):
        net = Elman(3, activation=activation, max_iter=2, random_state=0).fit(sequences, wanted)
        assert check_gradients(net, sequences, wanted).largest < 1e-7
    labels = np.array(["x", "y", "z"] * 2)
    net = ElmanClassifier(3, activation=activation, max_iter=2, random_state=0).fit(sequences, labels)
    assert check_gradients(net, sequences, labels).largest < 1e-7


def given(net, V, gamma, W, theta):
    """A network that goes on from given weights and thresholds."""
    net.coefs_, net.intercepts_ = [np.array(V), np.array(W)], [-np.array(gamma), -np.array(theta)]
    net.norms_, net.tables_, net.running_ = [], [], np.empty(0)
    return net


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def book_step(x, y, V, gamma, W, theta, eta1, eta2):
    """(5.10)-(5.15) for one row and several outputs."""
    b = sigmoid(x @ V - gamma)
    said = sigmoid(b @ W - theta)
    g = said * (1 - said) * (y - said)
    e = b * (1 - b) * (W @ g)
    return V + eta2 * np.outer(x, e), gamma - eta2 * e, W + eta1 * np.outer(b, g), theta - eta1 * g


@pytest.mark.covers("neural.bp-standard")
@pytest.mark.parametrize("eta2", [0.1, 0.4])
def test_a_round_of_standard_bp_is_the_books_steps_row_by_row(eta2):
    rng = np.random.default_rng(3)
    start = rng.random((3, 4)), rng.random(4), rng.random((4, 3)), rng.random(3)
    y = np.array([0, 1, 2] * 4)
    V, gamma, W, theta = start
    for row, label in zip(X, y, strict=True):
        V, gamma, W, theta = book_step(row, np.eye(3)[label], V, gamma, W, theta, 0.1, eta2)
    net = MLPClassifier(
        4, "logistic", solver="bp", learning_rate_init=0.1, hidden_rate=eta2, shuffle=False, warm_start=True,
        scaling=None, max_iter=1,
    )  # fmt: skip
    given(net, *start).fit(X, y)
    for found, wanted in zip([*net.coefs_, *net.intercepts_], [V, W, -gamma, -theta], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-11)


@pytest.mark.covers("neural.bp-accumulated")
def test_accumulated_bp_takes_the_mean_of_the_steps():
    rng = np.random.default_rng(4)
    start = rng.random((3, 4)), rng.random(4), rng.random((4, 1)), rng.random(1)
    y = np.array([0, 1] * 6)
    moves = [np.zeros_like(part) for part in start]
    for row, label in zip(X, y, strict=True):
        after = book_step(row, np.array([label]), *start, 0.1, 0.1)
        moves = [move + (new - old) / 12 for move, new, old in zip(moves, after, start, strict=True)]
    V, gamma, W, theta = (part + move for part, move in zip(start, moves, strict=True))
    net = MLPClassifier(
        4, "logistic", solver="accumulated-bp", learning_rate_init=0.1, warm_start=True, scaling=None, max_iter=1
    )
    given(net, *start).fit(X, y)
    for found, wanted in zip([*net.coefs_, *net.intercepts_], [V, W, -gamma, -theta], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-11)


def test_the_book_starts_between_0_and_1():
    net = MLPClassifier(50, "logistic", solver="bp", learning_rate_init=1e-9, max_iter=1, random_state=0)
    net.fit(X, [0, 1] * 6)
    weights = np.concatenate([part.ravel() for part in [*net.coefs_, *(-b for b in net.intercepts_)]])
    assert -1e-6 < weights.min() < 0.05
    assert 0.95 < weights.max() < 1 + 1e-6


@pytest.mark.covers("neural.regularized-bp")
def test_weight_decay_of_5_17_moves_all_weights_and_thresholds():
    rng = np.random.default_rng(5)
    start = rng.random((3, 4)), rng.random(4), rng.random((4, 1)), rng.random(1)
    y, lam = np.array([0, 1] * 6), 0.7
    moves = [np.zeros_like(part) for part in start]
    for row, label in zip(X, y, strict=True):
        after = book_step(row, np.array([label]), *start, 0.1, 0.1)
        moves = [move + (new - old) / 12 for move, new, old in zip(moves, after, start, strict=True)]
    shrunk = [p + lam * move - 0.1 * 2 * (1 - lam) * p for p, move in zip(start, moves, strict=True)]
    net = MLPClassifier(
        4, "logistic", solver="accumulated-bp", learning_rate_init=0.1, warm_start=True, scaling=None, max_iter=1,
        lam=lam,
    )  # fmt: skip
    given(net, *start).fit(X, y)
    V, gamma, W, theta = shrunk
    for found, wanted in zip([*net.coefs_, *net.intercepts_], [V, W, -gamma, -theta], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-11)
    norms = []
    for share in (1.0, 0.999, 0.99):
        net = MLPClassifier(4, "logistic", solver="lbfgs", lam=share, random_state=0, max_iter=500).fit(X, y)
        norms.append(sum(float((part**2).sum()) for part in [*net.coefs_, *net.intercepts_]))
    assert norms[0] > norms[1] > norms[2]


def moved(rule, theta, g, first, second, t):
    """One step at rate 0.01, as the papers have it."""
    if rule == "sgd":
        first = 0.9 * first - 0.01 * g
        return theta + first, first, second
    if rule == "nesterov":
        first = 0.9 * first - 0.01 * g
        return theta + 0.9 * first - 0.01 * g, first, second
    if rule == "adagrad":
        second = second + g**2
        return theta - 0.01 * g / (np.sqrt(second) + 1e-8), first, second
    if rule == "rmsprop":
        second = 0.999 * second + 0.001 * g**2
        return theta - 0.01 * g / (np.sqrt(second) + 1e-8), first, second
    first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g**2
    step = 0.01 * (first / (1 - 0.9**t)) / (np.sqrt(second / (1 - 0.999**t)) + 1e-8 / np.sqrt(1 - 0.999**t))
    return theta - step, first, second


@pytest.mark.parametrize("rule", ["sgd", "nesterov", "adagrad", "rmsprop", "adam"])
@pytest.mark.parametrize("decay", [0.0, 0.3])
def test_steps_are_those_of_each_rule(rule, decay):
    net = Network(3, [], [4, 2], hidden="tanh")
    rows = learn_inputs(X, None, None, None).rows(X)
    target = NetworkTarget(None, np.ascontiguousarray(RNG.normal(size=(12, 2))), None)
    theta = RNG.normal(0, 0.7, net.n_parameters)
    descent = Descent(
        rule, Schedule("constant", 0.01, 0.5, 9), 5,
        {"momentum": 0.9, "beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-8, "share": 1.0, "decay": decay,
         "decay_all": 0.0, "clip": 0.0},
    )  # fmt: skip
    order = RNG.permutation(12)
    state = descent.begun(theta, net.start_running(), {})
    for number in (0, 1):
        state = descent.round(net, state, lambda _: [(rows, target, order)], number, 0)
    first = second = np.zeros_like(theta)
    for t in range(6):
        some = order[t % 3 * 5 : t % 3 * 5 + 5]
        part = learn_inputs(X[some], None, None, None).rows(X[some])
        _, weight, slope = net.gradient(part, target.of(some), theta, net.start_running())
        g = slope / weight + decay / weight * theta * net.weight_places()
        theta, first, second = moved(rule, theta, g, first, second, t + 1)
    np.testing.assert_allclose(state["theta"], theta, rtol=1e-9, atol=1e-12)


def test_long_gradients_are_shortened():
    """A step of gradient descent is then no longer than the rate times the bound."""
    y = 100 * X @ [1.0, 0.5, -1.0]
    settings = {"activation": "tanh", "solver": "sgd", "momentum": 0.0, "scaling": None, "random_state": 0}
    for n in (1, 2):
        free = MLPRegressor(hidden_layer_sizes=3, max_iter=n, learning_rate_init=0.01, **settings).fit(X, y)
        held = MLPRegressor(hidden_layer_sizes=3, max_iter=n, learning_rate_init=0.01, clip_norm=0.1, **settings).fit(
            X, y
        )
        begun = MLPRegressor(hidden_layer_sizes=3, max_iter=n, learning_rate_init=1e-12, **settings).fit(X, y)
        start, far, near = (model._loss_at(X, y)[1] for model in (begun, free, held))
        assert np.linalg.norm(near - start) == pytest.approx(0.001 * n, rel=0.05)
        assert np.linalg.norm(far - start) > 0.002 * n


@pytest.mark.covers("neural.bp-parameter-count", "neural.multilayer-feedforward")
@pytest.mark.parametrize(("d", "q", "l"), [(2, 2, 1), (4, 3, 3), (8, 10, 1)])
def test_parameters_are_as_many_as_said(d, q, l):  # noqa: E741
    rows = np.random.default_rng(0).normal(size=(9, d))
    net = MLPClassifier(q, max_iter=1, random_state=0).fit(rows, np.arange(9) % (l if l > 1 else 2))
    assert sum(part.size for part in [*net.coefs_, *net.intercepts_]) == n_parameters(d, q, l) == (d + l + 1) * q + l
