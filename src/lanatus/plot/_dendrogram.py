"""Trees of merges as pictures."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from lanatus.canvas import plain, use_chinese
from lanatus.plot._clusters import finish, new_axes


def plot_dendrogram(model: Any, *, height: float | None = None, names: Any = None, ax: Any = None) -> Figure:
    """The tree of merges (figure 9.12): rows along the x axis, the distance of what is merged along the y axis.

    Parameters
    ----------
    model : fitted AgglomerativeClustering
        What has ``children_`` and ``distances_``.
    height : float or None, default=None
        Where a dashed line cuts it; clusters below have colours of their own.
    names : sequence of str or None, default=None
        Names of the rows; None is their numbers, from 1.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.
    """
    children, heights = np.asarray(model.children_), np.asarray(model.distances_)
    n = len(children) + 1
    order, place = dendrogram_layout(children)
    level = np.concatenate([np.zeros(n), heights])
    colour = _branch_colours(children, heights, height, order)
    with use_chinese():
        figure, axes = new_axes(ax, size=(max(6.0, min(n * 0.25, 20.0)), 4.5))
        for merge, (a, b) in enumerate(children.tolist()):
            x = [place[a], place[a], place[b], place[b]]
            axes.plot(x, [level[a], heights[merge], heights[merge], level[b]], color=colour[n + merge], linewidth=1)
        if height is not None:
            axes.axhline(height, color="crimson", linestyle="--", linewidth=1)
        shown = [str(i + 1) for i in range(n)] if names is None else [plain(str(name)) for name in names]
        if n <= 100:
            axes.set_xticks(range(n), [shown[i] for i in order], rotation=90, fontsize=8)
        axes.set_ylabel("distance")
        axes.set_ylim(bottom=0)
        finish(figure)
    return figure


def dendrogram_layout(children: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows in the order in which no branches cross, and the place of each cluster on that line."""
    n = len(children) + 1
    if n == 1:
        return np.zeros(1, np.intp), np.zeros(1)
    order, waiting = [], [2 * n - 2]
    while waiting:
        node = waiting.pop()
        if node < n:
            order.append(node)
        else:
            waiting += [int(children[node - n, 1]), int(children[node - n, 0])]
    place = np.empty(2 * n - 1)
    place[order] = np.arange(n)
    for merge, (a, b) in enumerate(children.tolist()):
        place[n + merge] = (place[a] + place[b]) / 2
    return np.array(order), place


def _branch_colours(children: np.ndarray, heights: np.ndarray, height: float | None, order: np.ndarray) -> list[str]:
    """Grey above the cut, and a colour for each cluster below it."""
    n = len(children) + 1
    colour = ["grey"] * (2 * n - 1)
    if height is None:
        return ["C0"] * (2 * n - 1)
    rank = np.argsort(order)
    first = np.concatenate([rank, np.zeros(n - 1, np.intp)])
    tops: list[int] = []
    for merge, (a, b) in enumerate(children.tolist()):
        first[n + merge] = min(first[a], first[b])
        if heights[merge] < height:
            tops = [top for top in tops if top not in (a, b)] + [n + merge]
    for number, top in enumerate(sorted(tops, key=lambda node: first[node])):
        waiting = [top]
        while waiting:
            node = waiting.pop()
            colour[node] = f"C{number % 10}"
            if node >= n:
                waiting += children[node - n].tolist()
    return colour
