"""Where the nodes of a drawn tree stand."""

from collections.abc import Mapping, Sequence

import numpy as np


def places(children: Mapping[int, Sequence[int]], width: Mapping[int, float], gap: float) -> dict[int, float]:
    """Middle of each node from left to right, the root (node 0) included; `width` is that of its slot.

    Tidy in the sense of Reingold and Tilford: a node stands over the middle of its children, a subtree looks the same
    wherever it stands, and subtrees come as near as their outlines allow, `gap` apart at least.
    """
    offset: dict[int, float] = {}  # from the parent
    left: dict[int, list[float]] = {}  # outline of a subtree, level by level from the bottom up, from its root
    right: dict[int, list[float]] = {}
    for node in reversed(_order(children)):
        below = children.get(node, ())
        shift: list[float] = []
        west: list[float] = []
        east: list[float] = []
        for child in below:
            lows, highs = left.pop(child), right.pop(child)
            push = 0.0
            for level in range(1, min(len(lows), len(east)) + 1):  # outlines end with their top
                push = max(push, east[-level] - lows[-level] + gap)
            shift.append(push)
            west, east = _joined(west, lows, push), _joined(highs, east, 0.0, push)
        middle = (shift[0] + shift[-1]) / 2 if shift else 0.0
        for child, at in zip(below, shift, strict=True):
            offset[child] = at - middle
        left[node] = [*(x - middle for x in west), -width[node] / 2]
        right[node] = [*(x - middle for x in east), width[node] / 2]
    x = {0: -min(left[0])}
    for node in _order(children):
        for child in children.get(node, ()):
            x[child] = x[node] + offset[child]
    return x


def _order(children: Mapping[int, Sequence[int]]) -> list[int]:
    """Nodes, a parent before its children."""
    order = [0]
    for node in order:
        order.extend(children.get(node, ()))
    return order


def _joined(first: list[float], second: list[float], push: float, push_first: float = 0.0) -> list[float]:
    """An outline that follows `first` and, below its end, `second`."""
    deeper = max(len(second) - len(first), 0)
    head = [x + push for x in second[:deeper]] if push else second[:deeper]
    return [*head, *((x + push_first for x in first) if push_first else first)]


def curve(start: tuple[float, float], end: tuple[float, float], n: int = 24) -> tuple[np.ndarray, np.ndarray]:
    """Points of a line that leaves and arrives upright."""
    t = np.linspace(0, 1, n)
    weights = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    middle = (start[1] + end[1]) / 2
    xs = np.array([start[0], start[0], end[0], end[0]])
    ys = np.array([start[1], middle, middle, end[1]])
    return xs @ weights, ys @ weights


def rounded(x0: float, y0: float, x1: float, y1: float, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Outline of a box with round corners."""
    radius = min(radius, (x1 - x0) / 2, (y1 - y0) / 2)
    corners = (
        (x1 - radius, y1 - radius),
        (x0 + radius, y1 - radius),
        (x0 + radius, y0 + radius),
        (x1 - radius, y0 + radius),
    )
    angles = [np.linspace(quarter, quarter + np.pi / 2, 7) for quarter in np.arange(4) * np.pi / 2]
    x = [cx + radius * np.cos(a) for (cx, _), a in zip(corners, angles, strict=True)]
    y = [cy + radius * np.sin(a) for (_, cy), a in zip(corners, angles, strict=True)]
    return np.concatenate(x), np.concatenate(y)
