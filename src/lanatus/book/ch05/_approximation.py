"""What more units, more layers and pre-training bring."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.book.ch05._rounds import TO_THE_END, trained
from lanatus.catalog import method
from lanatus.neural import MLPClassifier, MLPRegressor, RBFNetwork, fine_tune, n_parameters, pretrain, relu

_UNITS, _CENTRES = (1, 2, 4, 8), (2, 4, 8, 16, 32)
_LAYERS = [60, 60, 60, 60]


def _wave() -> tuple[np.ndarray, np.ndarray]:
    x = np.linspace(-np.pi, np.pi, 80)
    return x[:, None], np.sin(2 * x)


@method(
    "neural.universal-approximation",
    section="5.3",
    task="regression",
    kind="experiment",
    en="Claim: one hidden layer (or RBF net) approximates a continuous function as q grows",
    zh="万能逼近",
)
@example("5.3", en="One hidden layer comes as near as wanted", zh="万能逼近")
def universal_approximation() -> Iterator[Figure]:
    """Two waves of a sine by one hidden layer and by radial units: the more units, the smaller the error.

    ``draw_figure("5.3 approximation")`` draws them.

    Book: sections 5.3 (Hornik et al. 1989) and 5.5.1 (Park and Sandberg 1991).

    Yields
    ------
    Figure
        Whether the error falls with the number of units, and how small it gets; a centre a row leaves none.

    Examples
    --------
    >>> from lanatus.book import universal_approximation
    >>> all(figure.agrees for figure in universal_approximation())
    True
    """
    X, y = _wave()
    for what, nets in (("hidden units", _layers()), ("radial units", _bells())):
        errors = [_error(net, X, y) for net in nets]
        yield Figure(f"more {what}, smaller errors", None, str(errors == sorted(errors, reverse=True)), right="True")
        yield Figure(
            f"{what}: one or two are not enough, the most leave below 0.01",
            None,
            str(errors[0] > 0.5 > 0.01 > errors[-1]),
            right="True",
        )
    exact = RBFNetwork(centers=X[::8], beta=2.0, alpha=0.0, fit_intercept=False, scaling=None).fit(X[::8], y[::8])
    yield Figure(
        "a centre a row: largest error on them", None, float(np.abs(exact.predict(X[::8]) - y[::8]).max()), 6, right=0.0
    )


@cache
def _layers() -> list[Any]:
    X, y = _wave()
    settings: dict[str, Any] = {"activation": "tanh", "solver": "lbfgs", "alpha": 0.0, "max_iter": 1000}
    return [trained(MLPRegressor(hidden_layer_sizes=q, n_restarts=5, random_state=0, **settings), X, y) for q in _UNITS]


@cache
def _bells() -> list[Any]:
    X, y = _wave()
    return [RBFNetwork(q, alpha=1e-8, random_state=0).fit(X, y) for q in _CENTRES]


def _error(net: Any, X: np.ndarray, y: np.ndarray) -> float:
    return float(np.sqrt(np.mean((net.predict(X) - y) ** 2)))


def folded(x: np.ndarray, layers: int) -> np.ndarray:
    """A chain of layers of two rectifiers each: every layer folds the line once, 2 relu(x) - 4 relu(x - 1/2)."""
    for _ in range(layers):
        x = 2 * relu(x) - 4 * relu(x - 0.5)
    return x


@method(
    "neural.depth-versus-width",
    section="5.6",
    task="regression",
    kind="experiment",
    en="Claim: depth adds nested activations at equal parameter count",
    zh="深度与宽度对比",
)
@example("5.6", en="Depth against width", zh="深度与宽度对比")
def depth_vs_width() -> Iterator[Figure]:
    """Folds of a line: six layers of two rectifiers have 64 straight pieces, one layer of as many numbers 13.

    A hidden layer of q rectifiers of one input bends at q places at most, so it has q + 1 pieces; each layer of the
    deep network folds all pieces of the one before.

    Book: section 5.6: more hidden layers do more than more hidden units, for they also nest the activations.

    Yields
    ------
    Figure
        Parameters and pieces of both, and the error of the best broad network found.

    Examples
    --------
    >>> from lanatus.book import depth_vs_width
    >>> all(figure.agrees for figure in depth_vs_width())
    True
    """
    x = np.linspace(0, 1, 2**12 + 1)
    for layers in (2, 4, 6):
        deep = n_parameters(1, *[2] * layers, 1)
        width = (deep - 1) // 3
        yield Figure(
            f"{layers} layers of 2: numbers, and those of one layer of {width}",
            None,
            (deep, n_parameters(1, width, 1)),
            0,
            right=(6 * layers + 1,) * 2,
        )
        slopes = np.sign(np.diff(folded(x, layers)))
        pieces = 1 + int((slopes[1:] != slopes[:-1]).sum())
        yield Figure(
            f"{layers} layers: straight pieces, of at most {width + 1} of one layer", None, pieces, 0, right=2**layers
        )
    X, y = x[::16, None], folded(x[::16], 6)
    broad = trained(MLPRegressor(hidden_layer_sizes=12, solver="lbfgs", alpha=0.0, n_restarts=3, random_state=0), X, y)
    stays = bool(_error(broad, X, y) > 0.2)
    yield Figure("one layer of 12 stays above 0.2, where the deep one has no error", None, str(stays), right="True")


@method(
    "neural.dbn-vs-plain-bp",
    section="5.6",
    task="classification",
    kind="experiment",
    en="Claim: pre-training trains deep sigmoid nets where plain BP stalls",
    zh="预训练与纯BP对比",
)
@example("5.6", en="Pre-training against plain back-propagation", zh="预训练与纯BP对比")
def dbn_vs_bp() -> Iterator[Figure]:
    """Four hidden layers of sigmoid units on digits, forty rounds of gradient descent with momentum.

    From weights drawn at random, small or as figure 5.8 has them, the error stays where saying each digit alike often
    would leave it, ln 10; from machines trained layer by layer it goes down. ``draw_figure("5.6 pre-training")``.

    Book: section 5.6.

    Yields
    ------
    Figure
        Whether each learns anything, and digits told right among others.

    Examples
    --------
    >>> from lanatus.book import dbn_vs_bp
    >>> all(figure.agrees for figure in dbn_vs_bp())
    True
    """
    X, y = load_digits(return_X_y=True)
    unseen, labels = X[800:1400] / 16, y[800:1400]
    tuned, small, unit = _deep()
    yield Figure("pre-trained: log loss below 0.1", None, str(tuned.loss_ < 0.1), right="True")
    yield Figure(
        "pre-trained: over 90 % of other digits right", None, str(tuned.score(unseen, labels) > 0.9), right="True"
    )
    for what, net in (("small random weights", small), ("weights from (0, 1)", unit)):
        stalls = bool(net.loss_ > 0.95 * np.log(10) and net.score(unseen, labels) < 0.2)
        yield Figure(f"{what}: as if it had seen nothing", None, str(stalls), right="True")


@cache
def _deep() -> tuple[Any, Any, Any]:
    X, y = load_digits(return_X_y=True)
    X, y = X[:800] / 16, y[:800]
    machines = pretrain(_LAYERS, X, n_iter=60, learning_rate=0.1, random_state=0)
    how: dict[str, Any] = {"solver": "sgd", "learning_rate_init": 0.1, "max_iter": 40, "batch_size": 20}
    how = {**how, "random_state": 0, **TO_THE_END}
    layers = _after(machines, X, y, how)
    plain = [
        trained(MLPClassifier(_LAYERS, "logistic", init=init, scaling=None, **how), X, y) for init in ("glorot", "unit")
    ]
    return layers, plain[0], plain[1]


def _after(machines: Any, X: np.ndarray, y: np.ndarray, how: dict[str, Any]) -> Any:
    """The pre-trained network, tuned as a whole."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rounds that ran out
        return fine_tune(machines, X, y, **how)


@picture("5.3 approximation")
def waves() -> Any:
    """Two waves of a sine, by more and more units."""
    X, y = _wave()
    figure, axes = row_of_axes(2)
    for ax, nets, counts, title in (
        (axes[0], _layers(), _UNITS, "单隐层网络"),
        (axes[1], _bells(), _CENTRES, "RBF网络"),
    ):
        ax.plot(X[:, 0], y, "k", lw=3, alpha=0.3)
        for net, q in zip(nets[:4], counts, strict=False):
            ax.plot(X[:, 0], net.predict(X), label=f"q = {q}")
        ax.set_title(title)
        ax.legend()
    return figure


@picture("5.6 pre-training")
def stalling() -> Any:
    """Errors by round with and without pre-training."""
    figure, (ax,) = row_of_axes(1)
    for net, label in zip(_deep(), ("预训练+微调", "随机初始化", "(0,1)初始化"), strict=True):
        ax.plot(np.arange(1, 41), net.loss_curve_, label=label)
    ax.set(xlabel="轮数", ylabel="对数损失", yscale="log")
    ax.legend()
    return figure
