"""Clusters in the plane."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from lanatus.canvas import use_chinese
from lanatus.table import Table


def plot_clusters(model: Any, X: Any, *, features: tuple[int, int] = (0, 1)) -> Figure:
    """Rows coloured by cluster, with the means and, in two dimensions, the boundaries (figure 9.3).

    Parameters
    ----------
    model : fitted KMeans
        The clustering.
    X : array or frame of shape (n_samples, n_features)
        The rows.
    features : pair of int, default=(0, 1)
        Which two columns to draw.

    Returns
    -------
    matplotlib.figure.Figure
    """
    table = Table.of(X)
    names = table.schema.names if table.schema.named else [f"feature {j}" for j in range(table.shape[1])]
    points = table.design_matrix()
    labels = model.predict(X)
    across, up = features
    with use_chinese():
        figure = Figure(figsize=(6, 4.5), layout="constrained")
        axes = figure.add_subplot()
        colours = np.array([f"C{label % 10}" for label in labels])
        if points.shape[1] == 2:
            _draw_regions(axes, model, points)
        axes.scatter(points[:, across], points[:, up], c=colours, s=24, zorder=2)
        centers = model.cluster_centers_
        axes.scatter(centers[:, across], centers[:, up], marker="+", c="black", s=160, linewidths=2, zorder=3)
        axes.set_xlabel(names[across])
        axes.set_ylabel(names[up])
        axes.set_title(f"{type(model).__name__}: {len(centers)} clusters, E = {model.inertia_:.4g}")
        figure.draw_without_rendering()  # fonts are looked up now, while the Chinese one is at hand
    return figure


def _draw_regions(axes: Any, model: Any, points: np.ndarray) -> None:
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.08 * np.where(high > low, high - low, 1)
    grid = np.meshgrid(*(np.linspace(a, b, 300) for a, b in zip(low - margin, high + margin, strict=True)))
    flat = np.column_stack([part.ravel() for part in grid])
    distances = ((flat[:, None] - model.cluster_centers_[None]) ** 2).sum(axis=2)
    region = distances.argmin(axis=1).reshape(grid[0].shape)
    axes.contour(*grid, region, levels=np.arange(len(model.cluster_centers_)) + 0.5, colors="crimson", linestyles="--")
