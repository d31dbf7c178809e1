"""One unit and what it can do: gates, the perceptron's rounds, linear units, the sigmoid."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import special

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.book.ch05._rounds import trained
from lanatus.catalog import method
from lanatus.data import load_watermelon
from lanatus.linear import LinearRegression, LogisticRegression
from lanatus.neural import MLPClassifier, MLPRegressor, MPNeuron, Perceptron, step

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
GATES = {"AND": ((1.0, 1.0), 2.0), "OR": ((1.0, 1.0), 0.5), "NOT x1": ((-0.6, 0.0), -0.5)}
TRUTH = {"AND": (0, 0, 0, 1), "OR": (0, 1, 1, 1), "NOT x1": (1, 1, 0, 0), "XOR": (0, 1, 1, 0)}


def xor_net(rows: Any) -> np.ndarray:
    """The network of figure 5.5: two hidden threshold units, and one that is on if either of them is."""
    hidden = np.column_stack([MPNeuron([1, -1], 0.5)(rows), MPNeuron([-1, 1], 0.5)(rows)])
    return MPNeuron([1, 1], 0.5)(hidden)


@method(
    "neural.logic-gate-perceptrons",
    section="5.2",
    task="classification",
    kind="experiment",
    en="Hand-set AND, OR, NOT perceptrons and the two-layer XOR net",
    zh="与或非与异或感知机",
)
@example("5.2", en="Gates set by hand (figures 5.4 and 5.5)", zh="与、或、非与异或")
def logic_gates() -> Iterator[Figure]:
    """The book's weights for AND, OR and NOT, and two layers for XOR, on all four inputs.

    ``lanatus.book.draw_figure("5.4")`` and ``"5.5"`` draw them.

    Book: section 5.2, figures 5.4 and 5.5.

    Yields
    ------
    Figure
        What each gate says of 00, 01, 10 and 11; and how many of all gates of two inputs one unit can be.

    Examples
    --------
    >>> from lanatus.book import logic_gates
    >>> next(iter(logic_gates())).computed
    '0001'
    """
    for name, (w, theta) in GATES.items():
        said = MPNeuron(w, theta)(CORNERS).astype(int)
        yield Figure(f"{name}: w = {w}, theta = {theta:g}", "".join(map(str, TRUTH[name])), "".join(map(str, said)))
    said = xor_net(CORNERS).astype(int)
    yield Figure("XOR by two layers", "0110", "".join(map(str, said)))
    values = (-1.0, -0.5, 0.0, 0.5, 1.0)
    found = {
        tuple(step(CORNERS @ [a, b] - t)) for a in values for b in values for t in (-1.5, *values, 1.5, 0.25, 0.75)
    }
    yield Figure("gates of two inputs that one unit can be", None, len(found), 0, right=14)
    two = {tuple(map(float, TRUTH["XOR"])), (1.0, 0.0, 0.0, 1.0)}
    yield Figure("the other two are XOR and its opposite", None, str(not found & two), right="True")


@method(
    "neural.perceptron-convergence",
    section="5.2",
    task="classification",
    kind="experiment",
    en="Perceptron converges on separable data, cycles on XOR",
    zh="感知机收敛与振荡",
)
@example("5.2", en="The perceptron comes to rest, or never does", zh="感知机收敛与振荡")
def perceptron_convergence() -> Iterator[Figure]:
    """A perceptron from zero weights with rate 0.1, rows in their order: AND, OR and NOT are learned, XOR is not.

    Where a plane separates the classes with margin m and no row is longer than R, there are at most (R / m)^2 errors in
    all (Novikoff), whatever the rate.

    Book: section 5.2.

    Yields
    ------
    Figure
        Weights and errors of each round; the cycle on XOR; errors beside their bound.

    Examples
    --------
    >>> from lanatus.book import perceptron_convergence
    >>> all(figure.agrees for figure in perceptron_convergence())
    True
    """
    ends = {"AND": ((0.2, 0.1, 0.3), "2 3 3 2 1 0"), "OR": ((0.1, 0.1, 0.1), "2 2 1 0")}
    for name, (weights, errors) in ends.items():
        model = Perceptron(eta0=0.1, shuffle=False, tol=None).fit(CORNERS, TRUTH[name])
        found = (*model.coef_[0], -model.intercept_[0])
        yield Figure(f"{name}: w1, w2, theta", None, found, 6, right=weights)
        yield Figure(f"{name}: errors of each round", None, " ".join(map(str, model.errors_)), right=errors)
    net = Perceptron(eta0=0.1, shuffle=False, tol=None).fit([[0], [1]], [1, 0])
    yield Figure("NOT: w, theta", None, (net.coef_[0, 0], -net.intercept_[0]), 6, right=(-0.1, 0.0))
    cycling = trained(Perceptron(eta0=0.1, shuffle=False, tol=None, max_iter=60), CORNERS, TRUTH["XOR"])
    yield Figure("XOR: errors a round, from the third on", None, str(set(cycling.errors_[2:].tolist())), right="{4}")
    yield Figure("XOR: w1, w2, theta", None, (*cycling.coef_[0], -cycling.intercept_[0]), 6, right=(-0.1, 0.0, 0.0))
    rng = np.random.default_rng(0)
    for size in (0.3, 0.1, 0.03):
        rows = rng.uniform(-1, 1, (300, 2))
        side = (rows @ [0.6, 0.8]) - 0.1
        rows, side = rows[np.abs(side) > size], side[np.abs(side) > size]
        model = Perceptron(eta0=0.1, tol=None, max_iter=10_000, random_state=0).fit(rows, side > 0)
        unit = np.sqrt(1.01)  # length of (0.6, 0.8, -0.1)
        bound = ((rows**2).sum(axis=1).max() + 1) / (np.abs(side).min() / unit) ** 2
        within = bool(model.converged_ and model.errors_.sum() <= bound)
        yield Figure(f"margin {size:g}: at rest within the bound of errors", None, str(within), right="True")


@method(
    "neural.linear-activation-flaw",
    section="ex 5.1",
    task="regression",
    kind="experiment",
    en="A deep linear net is one linear map",
    zh="线性激活函数缺陷",
)
@example("ex 5.1", en="The fault of linear units", zh="线性激活函数缺陷")
def ex_5_1() -> Iterator[Figure]:
    """Three layers of linear units are one matrix: the least squares, and no XOR.

    Book: exercise 5.1.

    Yields
    ------
    Figure
        How far the network is from its product of matrices, and that from least squares; corners of XOR told right.

    Examples
    --------
    >>> from lanatus.book import ex_5_1
    >>> all(figure.agrees for figure in ex_5_1())
    True
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.sin(X @ [1.0, 2.0, -1.0]) + X[:, 0]
    settings: dict[str, Any] = {"activation": "identity", "solver": "lbfgs", "scaling": None, "random_state": 0}
    net = trained(MLPRegressor(hidden_layer_sizes=(6, 5), alpha=0.0, tol=1e-7, max_iter=2000, **settings), X, y)
    product = net.coefs_[0] @ net.coefs_[1] @ net.coefs_[2]
    said = net.predict(X)
    by_matrix = X @ product[:, 0] * net.target_scale_
    rest = said - by_matrix
    yield Figure("numbers in the network's weights", None, sum(c.size for c in net.coefs_), 0, right=53)
    yield Figure("numbers in their product", None, product.size, 0, right=3)
    yield Figure("network less product: how far it changes", None, float(np.ptp(rest)), 9, right=0.0)
    least = LinearRegression().fit(X, y)
    yield Figure(
        "weights less those of least squares",
        None,
        float(np.abs(product[:, 0] * net.target_scale_ - least.coef_).max()),
        4,
        right=0.0,
    )
    most = 0
    for seed in range(10):
        model = trained(MLPClassifier((4, 4), **{**settings, "random_state": seed}), CORNERS, TRUTH["XOR"])
        most = max(most, round(4 * model.score(CORNERS, TRUTH["XOR"])))
    yield Figure("corners of XOR told right, at most", None, str(most <= 3), right="True")
    bent = MLPClassifier(4, "tanh", solver="lbfgs", random_state=1).fit(CORNERS, TRUTH["XOR"])
    yield Figure("and by tanh units", None, round(4 * bent.score(CORNERS, TRUTH["XOR"])), 0, right=4)


@method(
    "neural.sigmoid-neuron-vs-logistic",
    section="ex 5.2",
    task="classification",
    kind="experiment",
    en="Sigmoid neuron against logistic regression",
    zh="Sigmoid神经元与对率回归",
)
@example("ex 5.2", en="One sigmoid neuron and logistic regression", zh="Sigmoid神经元与对率回归")
def ex_5_2() -> Iterator[Figure]:
    """A neuron with a sigmoid is the model of logistic regression; what is minimised makes the difference.

    Book: exercise 5.2, sections 3.3 and 5.1.

    Yields
    ------
    Figure
        Differences of what they say with the same weights, and of weights learned by either loss.

    Examples
    --------
    >>> from lanatus.book import ex_5_2
    >>> all(figure.agrees for figure in ex_5_2())
    True
    """
    X, y = load_watermelon("3.0a", return_X_y=True)
    rows = np.asarray(X, dtype=float)
    logistic = LogisticRegression(C=10.0, tol=1e-10).fit(rows, y)
    neuron = MPNeuron(logistic.coef_[0], -logistic.intercept_[0], special.expit)
    apart = float(np.abs(neuron(rows) - logistic.predict_proba(rows)[:, 1]).max())
    yield Figure("same weights: largest difference of what they say", None, apart, 9, right=0.0)
    settings: dict[str, Any] = {"solver": "lbfgs", "scaling": None, "tol": 1e-9, "max_iter": 2000, "random_state": 0}
    learned = trained(MLPClassifier((), alpha=0.1, **settings), rows, y)
    yield Figure(
        "by the log loss: the same weights",
        None,
        tuple(learned.coefs_[0][:, 0] - logistic.coef_[0]),
        3,
        right=(0.0, 0.0),
    )
    squared = trained(MLPClassifier((), loss="squared_error", alpha=0.1, **settings), rows, y)
    other = bool(np.abs(squared.coefs_[0][:, 0] - logistic.coef_[0]).max() > 0.5)
    yield Figure("by the squared error (5.4): others", None, str(other), right="True")
    far = np.array([[-1.0], [1.0]])
    z = np.array([8.0])  # a row told wrong with certainty: its slope by either loss
    of_squares, of_logs = special.expit(z) ** 2 * (1 - special.expit(z)), special.expit(z)
    yield Figure("slope for a row told quite wrong: squared error", None, float(of_squares[0]), 4, right=0.0003)
    yield Figure("slope for a row told quite wrong: log loss", None, float(of_logs[0]), 4, right=0.9997)
    plain = trained(Perceptron(tol=None, max_iter=1000), far, [0, 1])
    yield Figure("with a step in place of the sigmoid: a perceptron", None, str(bool(plain.converged_)), right="True")


@picture("5.2")
def activations() -> Any:
    """Figure 5.2: the step and the sigmoid."""
    figure, axes = row_of_axes(2)
    x = np.linspace(-6, 6, 601)
    axes[0].plot(x[x < 0] / 6, step(x[x < 0]), "C0")
    axes[0].plot(x[x >= 0] / 6, step(x[x >= 0]), "C0")
    axes[1].plot(x, special.expit(x), "C0")
    for ax, title in zip(axes, ("阶跃函数 sgn(x)", "Sigmoid 函数"), strict=True):
        ax.set(title=title, xlabel="x")
        ax.axvline(0, color="grey", lw=0.5)
    return figure


@picture("5.4")
def gates() -> Any:
    """Figure 5.4: gates in the unit square, and the lines of the book's weights; the last of a cycle for XOR."""
    figure, axes = row_of_axes(4)
    cycling = trained(Perceptron(eta0=0.1, shuffle=False, tol=None, max_iter=60), CORNERS, TRUTH["XOR"])
    lines = {**GATES, "XOR": (tuple(cycling.coef_[0]), float(-cycling.intercept_[0]))}
    for ax, (name, truth) in zip(axes, TRUTH.items(), strict=True):
        _corners(ax, truth)
        (a, b), theta = lines[name]
        x = np.linspace(-0.5, 1.5, 2)
        if b:
            ax.plot(x, (theta - a * x) / b, "C3")
        else:
            ax.axvline(theta / a, color="C3", ls="--" if name == "XOR" else "-")
        ax.set_title(name)
    return figure


@picture("5.5")
def two_layers() -> Any:
    """Figure 5.5: the two lines of the hidden units, and the band between them where XOR is 1."""
    figure, axes = row_of_axes(2)
    across, up = np.meshgrid(np.linspace(-0.5, 1.5, 201), np.linspace(-0.5, 1.5, 201))
    grid = np.column_stack([across.ravel(), up.ravel()])
    hidden = [MPNeuron([1, -1], 0.5), MPNeuron([-1, 1], 0.5)]
    both = sum((unit(grid) * (place + 1) for place, unit in enumerate(hidden)), np.zeros(len(grid)))
    for ax, values, title in ((axes[0], both, "隐层神经元"), (axes[1], xor_net(grid), "XOR")):
        ax.contourf(across, up, np.reshape(values, across.shape), cmap="Pastel1", levels=3)
        _corners(ax, TRUTH["XOR"])
        ax.set_title(title)
    return figure


def _corners(ax: Any, truth: Any) -> None:
    on = np.array(truth) == 1
    ax.scatter(*CORNERS[on].T, marker="+", s=80, color="C0", zorder=3)
    ax.scatter(*CORNERS[~on].T, marker="_", s=80, color="C2", zorder=3)
    ax.set(xlim=(-0.5, 1.5), ylim=(-0.5, 1.5), xlabel="x1", ylabel="x2", aspect="equal")
