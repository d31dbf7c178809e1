"""Back-propagation round by round: rates, one row or all at a time, borders, rates that change."""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.datasets import load_iris, load_wine

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.book.ch05._rounds import TO_THE_END, trained
from lanatus.callbacks import Recorder
from lanatus.catalog import method
from lanatus.data import load_watermelon
from lanatus.neural import Elman, MLPClassifier, check_gradients

RATES = (0.01, 0.1, 1.0, 10.0, 100.0)
FIVE = [0, 1, 2, 8, 10]  # melons of 3.0alpha: three good ones and two bad ones
SHOWN = (25, 50, 100)


def _on_melons(solver: str, eta: float, rounds: int, seed: int = 0) -> MLPClassifier:
    """Ten hidden units on watermelon 3.0, nominal columns as indicators, all weights from (0, 1)."""
    bunch = load_watermelon("3.0")
    net = MLPClassifier(
        10, "logistic", solver=solver, learning_rate_init=eta, max_iter=rounds, scaling=None, embedding=None,
        random_state=seed, **TO_THE_END,
    )  # fmt: skip
    return trained(net, bunch.data, bunch.target)


@example("ex 5.3", en="Slopes of back-propagation beside differences", zh="BP梯度检验")
def ex_5_3() -> Iterator[Figure]:
    """The update (5.13) and all others are right: each slope is what differences of the error say."""
    bunch = load_watermelon("3.0")
    for rounds in (1, 50):
        net = _on_melons("bp", 0.1, rounds)
        apart = check_gradients(net, bunch.data, bunch.target).largest
        yield Figure(f"after {rounds} rounds: largest difference, over the largest slope", None, apart, 6, right=0.0)


@example("ex 5.9", en="Slopes of the Elman network beside differences", zh="Elman网络的BP")
def ex_5_9() -> Iterator[Figure]:
    """Back-propagation through time, delta_t = (W g_t + R delta_(t+1)) f'_t, and what differences say."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 5, 2))
    for what, wanted in (("at the end", rng.normal(size=8)), ("at each step", rng.normal(size=(8, 5, 1)))):
        net = trained(Elman(4, activation="logistic", max_iter=3, random_state=0), X, wanted)
        apart = check_gradients(net, X, wanted).largest
        yield Figure(f"told {what}: largest difference, over the largest slope", None, apart, 6, right=0.0)


@method(
    "neural.learning-rate-influence",
    section="ex 5.4",
    task="classification",
    kind="experiment",
    en="Influence of the learning rate",
    zh="学习率影响",
)
@example("ex 5.4", en="What the learning rate does", zh="学习率的影响")
def ex_5_4() -> Iterator[Figure]:
    """A thousand rounds of accumulated back-propagation on watermelon 3.0 with rates from 0.01 to 100.

    Small rates are slow, large ones swing to and fro, and one that is too large is stuck with units that are all full
    on or off. ``draw_figure("ex 5.4")`` shows the errors by round.

    Book: sections 5.3, exercise 5.4.

    Yields
    ------
    Figure
        Which rate ends lowest, how often the error rises, how flat its end is.

    Examples
    --------
    >>> from lanatus.book import ex_5_4
    >>> all(figure.agrees for figure in ex_5_4())
    True
    """
    curves = _by_rate()
    ends = [curve[-1] for curve in curves]
    yield Figure(
        "rates up to 10: the larger, the lower the error",
        None,
        str(ends[:4] == sorted(ends[:4], reverse=True)),
        right="True",
    )
    rises = [int((np.diff(curve) > 0).sum()) for curve in curves]
    yield Figure("rounds in which it rises, rates 0.01, 0.1 and 1", None, tuple(rises[:3]), 0, right=(0, 0, 0))
    yield Figure(
        "rate 10: it rises at times, and yet ends lowest",
        None,
        str(rises[3] > 0 and ends[3] == min(ends)),
        right="True",
    )
    worst = bool(ends[4] > 0.2)
    yield Figure("rate 100: worse than saying 0.5 of every melon (1/8)", None, str(worst), right="True")


@cache
def _by_rate() -> list[np.ndarray]:
    return [np.array(_on_melons("accumulated-bp", eta, 1000).loss_curve_) for eta in RATES]


@method(
    "neural.standard-vs-accumulated-bp",
    section="ex 5.5",
    task="classification",
    kind="experiment",
    en="Standard against accumulated BP on watermelon 3.0",
    zh="标准与累积BP比较",
)
@example("ex 5.5", en="Standard and accumulated back-propagation on the melons", zh="标准与累积BP比较")
def ex_5_5() -> Iterator[Figure]:
    """Ten hidden units, rate 0.1, weights from (0, 1), 2000 rounds: a step a melon, and a step a round.

    Seventeen steps a round get where one step does not; one step 17 times as long gets there too.
    ``draw_figure("ex 5.5")`` shows the errors by round.

    Book: sections 5.3, exercise 5.5.

    Yields
    ------
    Figure
        Errors after 2000 rounds and melons told right, for two starts.

    Examples
    --------
    >>> from lanatus.book import ex_5_5
    >>> all(figure.agrees for figure in ex_5_5())
    True
    """
    bunch = load_watermelon("3.0")
    for seed in (0, 1):
        ways = (
            ("standard", "bp", 0.1),
            ("accumulated", "accumulated-bp", 0.1),
            ("accumulated, eta = 1.7", "accumulated-bp", 1.7),
        )
        nets = {what: _on_melons(solver, eta, 2000, seed) for what, solver, eta in ways}
        right = [round(17 * net.score(bunch.data, bunch.target)) for net in nets.values()]
        yield Figure(f"start {seed}: standard, melons right", None, right[0], 0, right=17)
        yield Figure(
            f"start {seed}: standard ends below 0.005", None, str(nets["standard"].loss_ < 0.005), right="True"
        )
        slow = 0.05 < nets["accumulated"].loss_ < 0.12 and right[1] < 17
        yield Figure(f"start {seed}: accumulated is still above 0.05", None, str(slow), right="True")
        quick = nets["accumulated, eta = 1.7"].loss_ < 0.005 and right[2] == 17
        yield Figure(f"start {seed}: accumulated with 17 times the rate, too", None, str(quick), right="True")


@method(
    "neural.bp-boundary-figure",
    section="5.3",
    task="classification",
    kind="experiment",
    en="BP decision boundary by round on five melons (Fig 5.9)",
    zh="图5.9",
)
@example("5.3", en="Borders by round on five melons (figure 5.9)", zh="BP分类边界 (图5.9)")
def fig_5_9() -> Iterator[Figure]:
    """Standard back-propagation on five melons of 3.0alpha: the border after 25, 50 and 100 rounds.

    The book's own five melons are in no text of it; these are three good ones and two bad ones of 3.0alpha.
    ``draw_figure("5.9")`` draws the borders; `lanatus.neural.animate_boundaries` makes a film of all rounds.

    Book: section 5.3, figures 5.8 and 5.9.

    Yields
    ------
    Figure
        The error at these rounds, how far the border has moved, melons told right at the end.

    Examples
    --------
    >>> from lanatus.book import fig_5_9
    >>> all(figure.agrees for figure in fig_5_9())
    True
    """
    X, y, models, net = _five()
    errors = [net.loss_curve_[number - 1] for number in SHOWN]
    falls = errors == sorted(errors, reverse=True)
    yield Figure("the error falls from 25 to 50 to 100 rounds", None, str(falls), right="True")
    yield Figure("melons right after 100 rounds", None, round(5 * models[99].score(X, y)), 0, right=5)
    grid = np.column_stack([part.ravel() for part in np.meshgrid(*[np.linspace(0, 1, 60)] * 2)])
    said = [models[number - 1].predict(_named(grid, X)) for number in SHOWN]
    moved = all(np.any(one != other) for one, other in pairwise(said))
    yield Figure("the border moves in between", None, str(moved), right="True")


@cache
def _five() -> tuple[Any, Any, list[Any], Any]:
    X, y = load_watermelon("3.0a", return_X_y=True)
    X, y = X.iloc[FIVE], y.iloc[FIVE]
    recorder = Recorder()
    net = MLPClassifier(
        3, "logistic", solver="bp", learning_rate_init=2.0, max_iter=100, scaling=None, random_state=1, **TO_THE_END
    ).set_callbacks(recorder)
    return X, y, trained(net, X, y) and recorder.models, net


def _named(grid: np.ndarray, X: Any) -> Any:
    return type(X)(grid, columns=X.columns)


@method(
    "neural.dynamic-rate-comparison",
    section="ex 5.6",
    task="classification",
    kind="experiment",
    en="Dynamic learning rate against standard BP on two UCI sets",
    zh="动态学习率比较",
)
@example("ex 5.6", en="Rates that change, on two UCI sets", zh="动态学习率比较")
def ex_5_6() -> Iterator[Figure]:
    """Rounds until the squared error is below 0.05 on iris and wine, with a fixed rate and with rates that change.

    "bold" grows the rate by 5 % while the error falls, halves it and takes the step back where it rises; Rprop has a
    step of its own for each weight. ``draw_figure("ex 5.6")`` shows the errors by round.

    Book: sections 5.3 and 5.7, exercise 5.6.

    Yields
    ------
    Figure
        Whether rates that change need at most a tenth of the rounds of one that does not.

    Examples
    --------
    >>> from lanatus.book import ex_5_6
    >>> all(figure.agrees for figure in ex_5_6())
    True
    """
    for name, curves in _by_schedule().items():
        rounds = {what: _until(curve, 0.05) for what, curve in curves.items()}
        for what in ("bold", "Rprop"):
            less = bool(10 * rounds[what] <= rounds["accumulated"])
            yield Figure(f"{name}: {what}, a tenth of the rounds of a fixed rate", None, str(less), right="True")
        less = bool(rounds["Rprop"] <= rounds["standard"])
        yield Figure(f"{name}: Rprop, no more rounds than standard BP", None, str(less), right="True")


_WAYS: dict[str, dict[str, Any]] = {
    "standard": {"solver": "bp", "learning_rate_init": 0.1},
    "accumulated": {"solver": "accumulated-bp", "learning_rate_init": 0.1},
    "bold": {"solver": "accumulated-bp", "learning_rate": "bold", "learning_rate_init": 0.1},
    "Rprop": {"solver": "rprop"},
}


@cache
def _by_schedule() -> dict[str, dict[str, np.ndarray]]:
    settings: dict[str, Any] = {"loss": "squared_error", "scaling": "standard", "init": "unit", "max_iter": 1500}
    found: dict[str, dict[str, np.ndarray]] = {}
    for name, load in (("iris", load_iris), ("wine", load_wine)):
        X, y = load(return_X_y=True)
        nets = {
            way: MLPClassifier(8, "logistic", random_state=0, **settings, **TO_THE_END, **how)
            for way, how in _WAYS.items()
        }
        found[name] = {way: np.array(trained(net, X, y).loss_curve_) for way, net in nets.items()}
    return found


def _until(curve: np.ndarray, error: float) -> int:
    """Rounds until the error is below; more than there are where it never is."""
    below = np.flatnonzero(curve < error)
    return int(below[0]) + 1 if len(below) else len(curve) + 1


@picture("5.9")
def borders_by_round() -> Any:
    """Figure 5.9: the border after 25, 50 and 100 rounds."""
    from lanatus.neural import plot_boundaries

    X, y, models, _ = _five()
    return plot_boundaries(models, X, y, rounds=SHOWN)


@picture("ex 5.4")
def errors_by_rate() -> Any:
    """Errors by round for each rate."""
    figure, (ax,) = row_of_axes(1)
    for eta, curve in zip(RATES, _by_rate(), strict=True):
        ax.plot(np.arange(1, len(curve) + 1), curve, label=f"$\\eta$ = {eta:g}")
    ax.set(xlabel="轮数", ylabel="累积误差", yscale="log")
    ax.legend()
    return figure


@picture("ex 5.5")
def errors_of_both() -> Any:
    """Errors by round of standard and accumulated back-propagation."""
    figure, (ax,) = row_of_axes(1)
    for label, solver, eta in (
        ("标准BP", "bp", 0.1),
        ("累积BP", "accumulated-bp", 0.1),
        ("累积BP, η = 1.7", "accumulated-bp", 1.7),
    ):
        ax.plot(np.arange(1, 2001), _on_melons(solver, eta, 2000).loss_curve_, label=label)
    ax.set(xlabel="轮数", ylabel="累积误差", yscale="log")
    ax.legend()
    return figure


@picture("ex 5.6")
def errors_by_schedule() -> Any:
    """Errors by round of rates that change and rates that do not."""
    figure, axes = row_of_axes(2)
    for ax, (name, curves) in zip(axes, _by_schedule().items(), strict=True):
        for way, curve in curves.items():
            ax.plot(np.arange(1, 301), curve[:300], label=way)
        ax.set(xlabel="轮数", ylabel="累积误差", yscale="log", ylim=(1e-3, None), title=name)
    axes[0].legend()
    return figure
