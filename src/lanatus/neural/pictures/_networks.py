"""Networks as pictures: their layers and weights, how the loss went, and their borders round by round."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lanatus.base import check_is_fitted
from lanatus.canvas import axes_for, plain, use_chinese


def plot_network(net: Any, *, most_units: int = 12, values: bool = True, ax: Any = None) -> Any:
    """Layers and weights of a network as circles and lines: blue above 0, red below, thick ones strong (figure 5.6).

    Parameters
    ----------
    net : fitted MLPClassifier, MLPRegressor or DBN
        The network.
    most_units : int, default=12
        Units of a layer that are drawn; the others are left out, which the title says.
    values : bool, default=True
        Whether weights and thresholds are written, in networks of at most 40 of them.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from lanatus.neural import MLPClassifier, plot_network
    >>> net = MLPClassifier(3, solver="lbfgs", random_state=0).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> figure = plot_network(net)
    >>> figure.axes[0].get_title()
    '2 - 3 - 1'
    >>> plt.close(figure)
    """
    net = getattr(net, "network_", net)
    check_is_fitted(net)
    coefs, intercepts = net.coefs_, net.intercepts_
    sizes = [coefs[0].shape[0], *(coef.shape[1] for coef in coefs)]
    shown = [min(size, most_units) for size in sizes]
    places = [np.column_stack([np.full(n, layer), (n - 1) / 2 - np.arange(n)]) for layer, n in enumerate(shown)]
    strongest = max(float(np.abs(coef).max()) for coef in coefs) or 1.0
    few = values and sum(coef.size for coef in coefs) <= 40
    with use_chinese():
        axes = axes_for(ax, figsize=(2.4 * len(sizes), max(3.0, 0.6 * max(shown))))
        for layer, coef in enumerate(coefs):
            for i in range(shown[layer]):
                for j in range(shown[layer + 1]):
                    _connect(axes, places[layer][i], places[layer + 1][j], float(coef[i, j]), strongest, few, i)
        for layer, at in enumerate(places):
            axes.scatter(*at.T, s=320, color="white", edgecolor="black", zorder=3)
            if layer and few:
                for unit, (x, y) in enumerate(at):
                    axes.annotate(f"{-intercepts[layer - 1][unit]:.2f}", (x, y), ha="center", va="center", fontsize=7)
        names = getattr(net, "feature_names_in_", None)
        for i, (x, y) in enumerate(places[0]):
            label = str(names[i]) if names is not None and len(names) == sizes[0] else f"$x_{{{i + 1}}}$"
            axes.annotate(plain(label) if names is not None else label, (x - 0.12, y), ha="right", va="center")
        axes.set_title(" - ".join(map(str, sizes)))
        axes.set_axis_off()
        axes.margins(0.18)
        figure = axes.get_figure()
        figure.draw_without_rendering()
    return figure


def _connect(axes: Any, one: Any, other: Any, weight: float, strongest: float, few: bool, row: int) -> None:
    share = abs(weight) / strongest
    colour = "C0" if weight > 0 else "C3"
    axes.plot(
        *zip(one, other, strict=True), color=colour, linewidth=0.3 + 2.2 * share, alpha=0.25 + 0.7 * share, zorder=1
    )
    if few:
        at = one + (0.22 + 0.13 * (row % 3)) * (other - one)
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
        axes.annotate(f"{weight:.2f}", at, fontsize=6, color=colour, ha="center", va="center", zorder=2, bbox=paper)


def plot_loss(*nets: Any, labels: Sequence[str] | None = None, ax: Any = None) -> Any:
    """Loss of networks round by round, and the scores on rows held out where there were any.

    Parameters
    ----------
    *nets : fitted networks
        What has ``loss_curve_``.
    labels : sequence of str or None, default=None
        A name for each.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from lanatus.neural import MLPClassifier, plot_loss
    >>> net = MLPClassifier(3, tol=0.01, random_state=0).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> figure = plot_loss(net)
    >>> figure.axes[0].get_ylabel()
    'loss'
    >>> plt.close(figure)
    """
    if not nets:
        raise ValueError("plot_loss needs at least one fitted network.")
    names = list(labels) if labels is not None else [type(net).__name__ for net in nets]
    if len(names) != len(nets):
        raise ValueError(f"labels has {len(names)} names for {len(nets)} networks; wanted one each.")
    with use_chinese():
        axes = axes_for(ax)
        for place, (net, name) in enumerate(zip(nets, names, strict=True)):
            curve = np.asarray(net.loss_curve_)
            axes.plot(np.arange(1, len(curve) + 1), curve, color=f"C{place % 10}", label=plain(name))
        if all((np.asarray(net.loss_curve_) > 0).all() for net in nets):
            axes.set_yscale("log")
        axes.set(xlabel="round", ylabel="loss")
        held = [
            (place, net.validation_scores_)
            for place, net in enumerate(nets)
            if getattr(net, "validation_scores_", None)
        ]
        if held:
            scores = axes.twinx()
            for place, values in held:
                scores.plot(np.arange(1, len(values) + 1), values, ":", color=f"C{place % 10}")
            scores.set_ylabel("score on rows held out")
        axes.legend()
        figure = axes.get_figure()
        figure.draw_without_rendering()
    return figure


def plot_boundaries(models: Sequence[Any], X: Any, y: Any, *, rounds: Sequence[int] | None = None) -> Any:
    """Borders of a classifier of two columns, round by round, as a grid of pictures (figure 5.9).

    Parameters
    ----------
    models : sequence of fitted classifiers
        Such as ``models`` of a `lanatus.callbacks.Recorder`, one a round.
    X : array or frame of shape (n_samples, 2)
        The rows.
    y : array of shape (n_samples,)
        Their classes.
    rounds : sequence of int or None, default=None
        Which rounds, from 1; None is at most six of them, the first and the last among them.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from lanatus.callbacks import Recorder
    >>> from lanatus.neural import MLPClassifier, plot_boundaries
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> recorder = Recorder()
    >>> net = MLPClassifier(4, solver="rprop", random_state=1, max_iter=30, tol=0.5).set_callbacks(recorder).fit(X, y)
    >>> figure = plot_boundaries(recorder.models, X, y, rounds=[1, 5])
    >>> [axes.get_title() for axes in figure.axes]
    ['round 1', 'round 5']
    >>> plt.close(figure)
    """
    import matplotlib.pyplot as plt

    from lanatus.plot import plot_decision

    chosen = _chosen(len(models), rounds)
    columns = min(len(chosen), 3)
    lines = -(-len(chosen) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(4 * columns, 3.6 * lines), layout="constrained", squeeze=False)
    for place, number in enumerate(chosen):
        plot_decision(models[number - 1], X, y, support=False, ax=axes.flat[place])
        axes.flat[place].set_title(f"round {number}")
    for left in axes.flat[len(chosen) :]:
        left.remove()
    return figure


def animate_boundaries(models: Sequence[Any], X: Any, y: Any, *, most: int = 60, interval: int = 150) -> Any:
    """The same as an animation; ``.save("bp.gif", writer="pillow")`` writes it.

    Parameters
    ----------
    models : sequence of fitted classifiers
        One a round.
    X : array or frame of shape (n_samples, 2)
        The rows.
    y : array of shape (n_samples,)
        Their classes.
    most : int, default=60
        Most rounds that are shown, evenly taken.
    interval : int, default=150
        Milliseconds a round.

    Returns
    -------
    matplotlib.animation.FuncAnimation

    Examples
    --------
    >>> from lanatus.callbacks import Recorder
    >>> from lanatus.neural import MLPClassifier, animate_boundaries
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> recorder = Recorder()
    >>> net = MLPClassifier(4, solver="rprop", random_state=1, n_iter_no_change=5, tol=0.5).set_callbacks(recorder)
    >>> net = net.fit(X, y)
    >>> "<img" in animate_boundaries(recorder.models, X, y, most=2).to_jshtml()
    True
    """
    from matplotlib.animation import FuncAnimation
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from lanatus.plot import plot_decision

    figure = Figure(figsize=(5, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()

    def draw(number: int) -> list[Any]:
        axes.clear()
        plot_decision(models[number - 1], X, y, support=False, ax=axes)
        axes.set_title(f"round {number}")
        return [axes]

    chosen = _chosen(len(models), None, most)
    return FuncAnimation(figure, draw, frames=chosen, interval=interval, init_func=lambda: [axes])


def _chosen(count: int, rounds: Sequence[int] | None, most: int = 6) -> list[int]:
    if not count:
        raise ValueError("there are no rounds; fit with set_callbacks(Recorder()).")
    if rounds is None:
        return sorted({int(number) for number in np.linspace(1, count, min(most, count)).round()})
    if wrong := [number for number in rounds if not 1 <= number <= count]:
        raise ValueError(f"rounds must be from 1 to {count}; got {wrong}.")
    return list(rounds)
