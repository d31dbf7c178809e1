"""Clusters in the plane: one clustering, the rounds of one, a dendrogram, silhouettes, measures."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text

from lanatus.canvas import chinese_family, plain, use_chinese
from lanatus.table import Table

_FINE = 300  # points a side of the grid that boundaries are drawn on


def plot_clusters(model: Any, X: Any, *, features: tuple[int, int] | None = None, ax: Any = None) -> Figure:
    """Rows coloured by cluster, with prototypes and, in two dimensions, boundaries (figures 9.3, 9.5, 9.7).

    Any clusterer will do, mixtures and LVQ too, and a model that a `Recorder` kept of any round.

    Parameters
    ----------
    model : fitted clusterer
        What has ``predict`` or ``labels_``.
    X : array or frame of shape (n_samples, n_features)
        The rows.
    features : pair of int or None, default=None
        Which two columns to draw; None is the two there are, or the first two principal components of more.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.figure.Figure
    """
    points, names = _numbers(X)
    labels = _labels(model, X, len(points))
    plane = Projection(points, names, features)
    with use_chinese():
        figure, axes = new_axes(ax)
        centers = prototypes_of(model, points.shape[1])
        if points.shape[1] == 2 and features is None and hasattr(model, "predict"):
            _draw_boundaries(axes, model, X, points)
        _scatter(axes, plane.of(points), labels)
        if centers is not None:
            at = plane.of(centers)
            axes.scatter(at[:, 0], at[:, 1], marker="+", c="black", s=160, linewidths=2, zorder=3)
        axes.set_xlabel(plain(plane.names[0]))
        axes.set_ylabel(plain(plane.names[1]))
        axes.set_title(_title(model, labels))
        finish(figure)
    return figure


class Projection:
    """Two coordinates of rows: two of their columns, or their first two principal components."""

    def __init__(self, points: np.ndarray, names: list[str], features: tuple[int, int] | None) -> None:
        d = points.shape[1]
        self.middle = np.zeros(d)
        if features is None and d > 2:
            self.middle = points.mean(axis=0)
            _, spread, axes = np.linalg.svd(points - self.middle, full_matrices=False)
            share = spread**2 / max((spread**2).sum(), np.finfo(float).tiny)
            axes = np.vstack([axes, np.zeros((2, d))])[:2]
            self.axes = axes * np.where(axes[np.arange(2), np.abs(axes).argmax(axis=1)] < 0, -1, 1)[:, None]
            share = np.append(share, [0.0, 0.0])
            self.names = [f"component {c + 1} ({share[c]:.0%} of the variance)" for c in range(2)]
            return
        across, up = features or (0, min(1, d - 1))
        self.axes = np.zeros((2, d))
        self.axes[0, across] = 1.0
        self.axes[1, up] = float(features is not None or d > 1)
        self.names = [names[across], names[up] if self.axes[1].any() else ""]

    def of(self, points: np.ndarray) -> np.ndarray:
        """Where rows lie."""
        return np.asarray((points - self.middle) @ self.axes.T)


def prototypes_of(model: Any, width: int) -> np.ndarray | None:
    """Means, medoids, exemplars or prototypes of a model, as points; None where it has none."""
    for name in ("cluster_centers_", "means_", "prototypes_"):
        found = getattr(model, name, None)
        if isinstance(found, np.ndarray) and found.ndim == 2 and found.shape[1] == width and len(found):
            return found
    return None


def plot_voronoi(prototypes: Any, *, labels: Any = None, margin: float = 0.3, ax: Any = None) -> Figure:
    """The Voronoi cells of prototypes in the plane (9.27), with their edges dashed.

    Parameters
    ----------
    prototypes : array of shape (q, 2)
        The prototypes.
    labels : array of shape (q,) or None, default=None
        Their classes: cells of one class have one colour.
    margin : float, default=0.3
        How far the picture goes beyond them, as a share of their range.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.
    """
    points = np.asarray(prototypes, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ValueError(f"got prototypes of shape {points.shape}, wanted points in the plane, (q, 2).")
    codes = np.arange(len(points)) if labels is None else np.unique(labels, return_inverse=True)[1]
    with use_chinese():
        figure, axes = new_axes(ax)
        grid, flat = _grid(points, margin)
        cell = ((flat[:, None] - points) ** 2).sum(axis=2).argmin(axis=1).reshape(grid[0].shape)
        shades = np.arange(codes.max() + 2) - 0.5
        colours = [f"C{c % 10}" for c in range(codes.max() + 1)]
        axes.contourf(*grid, codes[cell], levels=shades, colors=colours, alpha=0.2)
        _edges(axes, grid, cell, len(points))
        axes.scatter(points[:, 0], points[:, 1], marker="+", c="black", s=160, linewidths=2)
        finish(figure)
    return figure


def plot_silhouettes(silhouettes: Any, labels: Any, *, ax: Any = None) -> Figure:
    """Silhouettes of all rows as bars, cluster by cluster, widest first; the dashed line is their mean.

    Parameters
    ----------
    silhouettes : array of shape (n_samples,)
        What ``lanatus.cluster.silhouette_samples`` says.
    labels : array of shape (n_samples,)
        The clusters.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.
    """
    widths, labels = np.asarray(silhouettes, dtype=np.float64), np.asarray(labels)
    if widths.shape != labels.shape or widths.ndim != 1:
        raise ValueError(f"got {widths.shape} silhouettes and {labels.shape} labels, wanted one of each a row.")
    with use_chinese():
        figure, axes = new_axes(ax)
        bottom = 0
        for place, label in enumerate(np.unique(labels)):
            own = np.sort(widths[labels == label])
            axes.barh(np.arange(bottom, bottom + len(own)), own, height=1.0, color=f"C{place % 10}")
            text = plain(f"{label}: {len(own)} rows, mean {own.mean():.2f}")
            axes.text(0.01, bottom + len(own) / 2, text, va="center", fontsize=8)
            bottom += len(own) + max(1, len(widths) // 50)
        axes.axvline(float(widths.mean()), color="crimson", linestyle="--")
        axes.set_xlabel(f"silhouette, mean {widths.mean():.3f}")
        axes.set_yticks([])
        finish(figure)
    return figure


def plot_cluster_scores(suggestion: Any, *, ax: Any = None) -> Figure:
    """The measure of each candidate over the number of clusters, with the best marked.

    Parameters
    ----------
    suggestion : Suggestion
        What ``lanatus.cluster.suggest_clusters`` found.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.
    """
    with use_chinese():
        figure, axes = new_axes(ax)
        for name, scores in suggestion.scores.items():
            axes.plot(suggestion.k, scores, marker="o", markersize=4, label=plain(name))
        best = suggestion.scores[suggestion.name][suggestion.k == suggestion.n_clusters]
        axes.scatter([suggestion.n_clusters], best, s=160, facecolors="none", edgecolors="crimson", zorder=3)
        axes.set_xlabel("number of clusters")
        axes.set_ylabel(suggestion.measure)
        axes.legend(fontsize=8)
        finish(figure)
    return figure


def plot_rounds(models: Sequence[Any], X: Any, *, rounds: Sequence[int] | None = None) -> Figure:
    """Rounds of a clusterer as a grid of pictures (figures 9.3, 9.5, 9.7, 9.13).

    Parameters
    ----------
    models : sequence of fitted clusterers
        Such as ``models`` of a `Recorder`, one a round.
    X : array or frame of shape (n_samples, n_features)
        The rows.
    rounds : sequence of int or None, default=None
        Which rounds, from 1; None is at most nine of them, the first and the last among them.
    """
    chosen = _chosen(len(models), rounds, most=9)
    columns = min(len(chosen), 3 if len(chosen) != 4 else 2)
    lines = -(-len(chosen) // columns)
    figure = Figure(figsize=(4.2 * columns, 3.4 * lines), layout="constrained")
    for place, number in enumerate(chosen):
        axes = figure.add_subplot(lines, columns, place + 1)
        plot_clusters(models[number - 1], X, ax=axes)
        axes.set_title(f"round {number}")
    return figure


def animate_rounds(models: Sequence[Any], X: Any, *, interval: int = 600) -> Any:
    """Rounds of a clusterer as an animation; ``.save("rounds.gif", writer="pillow")`` writes it.

    Parameters
    ----------
    models : sequence of fitted clusterers
        One a round.
    X : array or frame of shape (n_samples, n_features)
        The rows.
    interval : int, default=600
        Milliseconds a round.

    Returns
    -------
    matplotlib.animation.FuncAnimation
    """
    from matplotlib.animation import FuncAnimation
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    chosen = _chosen(len(models), None, most=len(models))
    figure = Figure(figsize=(6, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()

    def draw(number: int) -> list[Any]:
        axes.clear()
        plot_clusters(models[number - 1], X, ax=axes)
        axes.set_title(f"round {number}")
        return [axes]

    return FuncAnimation(figure, draw, frames=chosen, interval=interval, init_func=lambda: [axes])


# ---------------------------------------------------------------- parts


def _chosen(count: int, rounds: Sequence[int] | None, most: int) -> list[int]:
    if not count:
        raise ValueError("there are no rounds to draw; fit with set_callbacks(Recorder()) first.")
    if rounds is None:
        return sorted({round(number) for number in np.linspace(1, count, min(count, most))})
    if wrong := [number for number in rounds if not 1 <= number <= count]:
        raise ValueError(f"got round {wrong[0]}, wanted rounds from 1 to {count}.")
    return list(rounds)


def new_axes(ax: Any, size: tuple[float, float] = (6, 4.5)) -> tuple[Any, Any]:
    if ax is not None:
        return ax.get_figure(root=True), ax
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.add_subplot()


def finish(figure: Any) -> None:
    """Fonts are looked up now, while the Chinese one is at hand; texts of axes made before know only those of then."""
    for text in figure.findobj(Text):
        if chinese_family() not in text.get_fontfamily():
            text.set_fontfamily([*text.get_fontfamily(), chinese_family()])
    figure.draw_without_rendering()


def _numbers(X: Any) -> tuple[np.ndarray, list[str]]:
    table = Table.of(X)
    schema = table.schema
    points = np.asarray(table.design_matrix(nan_for_missing=True), dtype=np.float64)
    plain_columns = schema.named and points.shape[1] == len(schema.names)
    names = list(schema.names) if plain_columns else [f"feature {j}" for j in range(points.shape[1])]
    return np.nan_to_num(points, nan=0.0), names


def _labels(model: Any, X: Any, n: int) -> np.ndarray:
    found = getattr(model, "labels_", None)
    if found is None or len(found) != n:
        found = model.predict(X)
    return np.asarray(found)


def _scatter(axes: Any, at: np.ndarray, labels: np.ndarray) -> None:
    for place, label in enumerate(np.unique(labels)):
        own = at[labels == label]
        if label == -1:  # noise
            axes.scatter(own[:, 0], own[:, 1], c="grey", marker="x", s=20, zorder=2)
        else:
            axes.scatter(own[:, 0], own[:, 1], color=f"C{place % 10}", s=24, zorder=2)


def _title(model: Any, labels: np.ndarray) -> str:
    count = len(np.unique(labels[labels != -1]))
    error = getattr(model, "inertia_", None)
    tail = f", E = {error:.4g}" if isinstance(error, float) else ""
    return f"{type(model).__name__}: {count} clusters{tail}"


def _grid(points: np.ndarray, share: float) -> tuple[list[np.ndarray], np.ndarray]:
    low, high = points.min(axis=0), points.max(axis=0)
    margin = share * np.where(high > low, high - low, 1)
    grid = np.meshgrid(*(np.linspace(a, b, _FINE) for a, b in zip(low - margin, high + margin, strict=True)))
    return list(grid), np.column_stack([part.ravel() for part in grid])


def _draw_boundaries(axes: Any, model: Any, X: Any, points: np.ndarray) -> None:
    grid, flat = _grid(points, 0.08)
    asked = flat
    if hasattr(X, "columns") and hasattr(model, "feature_names_in_"):
        import pandas as pd

        asked = pd.DataFrame(flat, columns=list(model.feature_names_in_))
    region = np.unique(np.asarray(model.predict(asked)), return_inverse=True)[1].reshape(grid[0].shape)
    _edges(axes, grid, region, int(region.max()) + 1)


def _edges(axes: Any, grid: list[np.ndarray], region: np.ndarray, count: int) -> None:
    for one in range(count if count > 2 else count - 1):
        axes.contour(*grid, region == one, levels=[0.5], colors="crimson", linestyles="--", linewidths=1)
