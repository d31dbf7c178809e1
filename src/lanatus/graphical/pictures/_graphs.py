"""Directed graphs in layers, undirected ones on a circle."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from lanatus.canvas import axes_for, plain, use_chinese
from lanatus.graphical.graphs._directed import children_of, parents_of, topological_order
from lanatus.graphical.graphs._undirected import undirected


def plot_graph(graph: Any, *, directed: bool | None = None, shaded: Iterable[str] = (), ax: Any = None) -> Any:
    """A network or field as a picture: directed graphs in layers, parents above children; undirected ones on a circle.

    Parameters
    ----------
    graph : BayesianNetwork, MarkovNetwork, PlateModel, mapping or iterable of edges
        The graph; a mapping is of node to parents, or, of an undirected graph, to neighbours. Plates are boxes with
        their names in a corner, and what such a model says is observed is filled.
    directed : bool or None, default=None
        Whether edges have a direction; None sees whether `graph` has ``neighbors``.
    shaded : iterable of str, default=()
        Nodes that are filled, as observed ones are by custom.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from lanatus.graphical import load_watermelon_network, plot_graph
    >>> figure = plot_graph(load_watermelon_network())
    >>> sorted(text.get_text() for text in figure.axes[0].texts if text.get_text())
    ['好瓜', '敲声', '根蒂', '甜度', '色泽']
    >>> plt.close(figure)
    """
    directed = not hasattr(graph, "neighbors") if directed is None else directed
    plates: Mapping[str, Iterable[str]] = getattr(graph, "plates", {})
    if directed:
        parents = parents_of(graph)
        places, edges = layered(parents), [(p, c) for c, above in parents.items() for p in above]
        places = _apart(places, plates)
    else:
        near = undirected(graph)
        places = _circle(list(near))
        edges = [(a, b) for a, others in near.items() for b in others if list(near).index(a) < list(near).index(b)]
    filled = set(shaded) | set(getattr(graph, "observed", ()))
    with use_chinese():
        width = max(3.0, 1.1 * (max((x for x, _ in places.values()), default=0) + 1.5))
        height = max(2.2, 1.0 * (max((y for _, y in places.values()), default=0) + 1.2))
        axes = axes_for(ax, figsize=(min(width, 16), min(height, 12)))
        small = len(places) > 20
        for one, other in edges:
            axes.annotate(
                "",
                xy=places[other],
                xytext=places[one],
                arrowprops={
                    "arrowstyle": "-|>" if directed else "-",
                    "color": "0.35",
                    "shrinkA": 9 if small else 15,
                    "shrinkB": 9 if small else 15,
                    "connectionstyle": f"arc3,rad={_bend(places, one, other)}",
                },
            )
        for name, (x, y) in places.items():
            colour = "0.8" if name in filled else "white"
            axes.scatter([x], [y], s=260 if small else 700, color=colour, edgecolor="black", zorder=3)
            axes.annotate(plain(str(name)), (x, y), ha="center", va="center", fontsize=6 if small else 9, zorder=4)
        for name, (left, below, right, above) in _boxes(places, plates).items():
            axes.plot([left, right, right, left, left], [below, below, above, above, below], color="0.5", linewidth=1)
            axes.annotate(plain(name), (right - 0.06, below + 0.06), ha="right", va="bottom", fontsize=9, color="0.3")
        axes.set_axis_off()
        axes.margins(0.12)
        figure = axes.get_figure()
        figure.draw_without_rendering()
    return figure


def layered(parents: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """A place for each node: a layer below its lowest parent, in an order that crosses few edges."""
    depth: dict[str, int] = {}
    for node in topological_order(parents):
        depth[node] = 1 + max((depth[parent] for parent in parents[node]), default=-1)
    layers: list[list[str]] = [[] for _ in range(1 + max(depth.values(), default=-1))]
    for node, level in depth.items():
        layers[level].append(node)
    children = children_of(parents)
    across = {node: float(i) for layer in layers for i, node in enumerate(layer)}
    for sweep in range(12):  # each layer in the order of the mean place of what it is joined to, down and up again
        near = parents if sweep % 2 == 0 else children
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            layer.sort(key=lambda node: np.mean([across[o] for o in near[node]]) if near[node] else across[node])
            for i, node in enumerate(layer):
                across[node] = i - (len(layer) - 1) / 2
    lowest = min(across.values(), default=0.0)
    return {node: (1.6 * (across[node] - lowest), 1.3 * (len(layers) - 1 - depth[node])) for node in parents}


def _boxes(
    places: Mapping[str, tuple[float, float]], plates: Mapping[str, Iterable[str]]
) -> dict[str, tuple[float, float, float, float]]:
    """Left, lower, right and upper end of each plate: the more lie on it, the wider its rim."""
    sets, found = {name: set(nodes) for name, nodes in plates.items()}, {}
    for name, nodes in sets.items():
        rim = 0.45 + 0.28 * sum(other <= nodes and plate != name for plate, other in sets.items())
        x, y = np.array([places[node] for node in sorted(nodes)]).T
        found[name] = (float(x.min()) - rim, float(y.min()) - rim, float(x.max()) + rim, float(y.max()) + rim)
    return found


def _apart(
    places: Mapping[str, tuple[float, float]], plates: Mapping[str, Iterable[str]]
) -> dict[str, tuple[float, float]]:
    """Places at which no node stands in the box of a plate that it does not lie on: it goes to the right of it."""
    found = dict(places)
    for _ in range(len(found) * len(plates)):
        boxes = _boxes(found, plates)
        strayed = [
            (node, right)
            for name, (left, below, right, above) in boxes.items()
            for node, (x, y) in found.items()
            if node not in set(plates[name])
            and left < x + 0.4
            and x - 0.4 < right
            and below < y + 0.4
            and y - 0.4 < above
        ]
        if not strayed:
            break
        node, right = strayed[0]
        found[node] = (right + 0.9, found[node][1])
    return found


def _circle(names: list[str]) -> dict[str, tuple[float, float]]:
    radius = max(1.0, len(names) / 5)
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(names)) / max(len(names), 1)
    return {
        name: (float(radius * (1 + np.cos(a))), float(radius * (1 + np.sin(a))))
        for name, a in zip(names, angles, strict=True)
    }


def _bend(places: Mapping[str, tuple[float, float]], one: str, other: str) -> float:
    """Edges that would run through another node are bent around it."""
    a, b = np.array(places[one]), np.array(places[other])
    along = b - a
    for name, place in places.items():
        if name in (one, other):
            continue
        gap = np.array(place) - a
        share = float(gap @ along) / float(along @ along)
        if 0.05 < share < 0.95 and np.abs(along[0] * gap[1] - along[1] * gap[0]) / np.linalg.norm(along) < 0.3:
            return 0.25
    return 0.0
