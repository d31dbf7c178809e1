"""What a model of two columns decides, with margin and support vectors; and a tube about a regression."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from lanatus.canvas import plain, use_chinese
from lanatus.plot._clusters import _numbers, finish, new_axes

_FINE = 250  # points a side of the grid that regions are drawn on
_MARKS = "o^sDvP*X"


def plot_decision(model: Any, X: Any, y: Any = None, *, support: bool = True, ax: Any = None) -> Figure:
    """Regions of the classes in the plane, with hyperplane, margin and support vectors (figures 6.2 and 6.4).

    Any classifier of two columns will do. Of two classes the places where ``decision_function`` is 0 are a line, and
    where it is -1 and 1, the margin of a support vector machine, are dashed; of one that has none, and of more classes,
    only the borders are drawn. Support vectors, where there are some, are circled: in red those inside the margin or on
    the wrong side.

    Parameters
    ----------
    model : fitted classifier
        What has ``predict``.
    X : array or frame of shape (n_samples, 2)
        The rows.
    y : array of shape (n_samples,) or None, default=None
        Their classes; None is what the model says.
    support : bool, default=True
        Whether support vectors are circled.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.kernel import SVC, GaussianKernel
    >>> from lanatus.plot import plot_decision
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> figure = plot_decision(SVC(C=10.0, kernel=GaussianKernel(0.2)).fit(X, y), X, y)
    >>> figure.axes[0].get_xlabel()
    '密度'
    >>> import matplotlib.pyplot as plt
    >>> plt.close(figure)
    """
    points, names = _numbers(X)
    if points.shape[1] != 2:
        raise ValueError(f"plot_decision draws in the plane: X must have two columns; got {points.shape[1]}.")
    labels = np.asarray(model.predict(X) if y is None else y)
    if len(labels) != len(points):
        raise ValueError(f"y has {len(labels)} classes for {len(points)} rows; wanted one each.")
    classes = np.asarray(model.classes_)
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.08 * np.where(high > low, high - low, 1.0)
    across, up = np.meshgrid(*(np.linspace(a, b, _FINE) for a, b in zip(low - room, high + room, strict=True)))
    grid = _like(X, np.column_stack([across.ravel(), up.ravel()]))
    with use_chinese():
        figure, axes = new_axes(ax)
        said = np.searchsorted(classes, model.predict(grid)).reshape(across.shape)
        colours = [f"C{k % 10}" for k in range(len(classes))]
        axes.contourf(across, up, said, levels=np.arange(len(classes) + 1) - 0.5, colors=colours, alpha=0.15)
        if len(classes) == 2 and hasattr(model, "decision_function"):
            scores = np.asarray(model.decision_function(grid)).reshape(across.shape)
            axes.contour(across, up, scores, levels=[-1, 0, 1], colors="black", linestyles=["--", "-", "--"])
        elif len(classes) > 1:
            axes.contour(across, up, said, levels=np.arange(len(classes) - 1) + 0.5, colors="black", linewidths=1)
        for k, label in enumerate(classes):
            here = points[labels == label]
            axes.scatter(*here.T, marker=_MARKS[k % len(_MARKS)], color=colours[k], label=plain(str(label)), zorder=3)
        if support and hasattr(model, "support_"):
            _circle(axes, model, X, points, labels)
        axes.set_xlabel(plain(names[0]))
        axes.set_ylabel(plain(names[1]))
        axes.legend()
        finish(figure)
    return figure


def plot_tube(model: Any, x: Any, y: Any, *, epsilon: float | None = None, ax: Any = None) -> Figure:
    """A regression of one column with the tube about it, and its support vectors circled (figure 6.6).

    Parameters
    ----------
    model : fitted regressor
        What has ``predict``.
    x : array or frame of shape (n_samples, 1)
        The rows.
    y : array of shape (n_samples,)
        Their numbers.
    epsilon : float or None, default=None
        Half the width of the tube; None is the model's own, or no tube where it has none.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.figure.Figure
    """
    points, names = _numbers(x)
    if points.shape[1] != 1:
        raise ValueError(f"plot_tube draws a function of one column; X has {points.shape[1]}.")
    line = np.linspace(points.min(), points.max(), 400)[:, None]
    values = np.asarray(model.predict(_like(x, line)))
    half = getattr(model, "epsilon", None) if epsilon is None else epsilon
    with use_chinese():
        figure, axes = new_axes(ax)
        axes.plot(line, values, "k-")
        if half is not None:
            axes.fill_between(line.ravel(), values - half, values + half, color="C3", alpha=0.15)
            for side in (-half, half):
                axes.plot(line, values + side, "r--", linewidth=1)
        axes.scatter(points.ravel(), np.asarray(y), color="C0", zorder=3)
        if hasattr(model, "support_"):
            at = model.support_
            axes.scatter(points[at].ravel(), np.asarray(y)[at], s=120, facecolors="none", edgecolors="black", zorder=4)
        axes.set_xlabel(plain(names[0]))
        finish(figure)
    return figure


def _circle(axes: Any, model: Any, X: Any, points: np.ndarray, labels: np.ndarray) -> None:
    """Circles about the support vectors, red where the margin is broken."""
    at = np.asarray(model.support_)
    if not len(at) or at.max() >= len(points):
        return
    broken = np.zeros(len(points), dtype=bool)
    if len(model.classes_) == 2 and hasattr(model, "decision_function"):
        signs = np.where(labels == model.classes_[1], 1, -1)
        broken = signs * np.asarray(model.decision_function(X)) < 1 - 1e-2
    for rows, colour in ((at[~broken[at]], "black"), (at[broken[at]], "red")):
        axes.scatter(*points[rows].T, s=120, facecolors="none", edgecolors=colour, zorder=4)


def _like(X: Any, grid: np.ndarray) -> Any:
    """Points as the model wants them: with the names of the columns, where there were some."""
    if not hasattr(X, "columns"):
        return grid
    import pandas as pd

    return pd.DataFrame(grid, columns=list(X.columns))
