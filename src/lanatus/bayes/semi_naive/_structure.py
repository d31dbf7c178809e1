"""Pictures of the structure of Bayes classifiers: the class, the attributes and who depends on whom."""

from typing import Any

import numpy as np

from lanatus.base import check_is_fitted
from lanatus.canvas import as_svg, axes_for, drawn, plain

_CLASS, _ATTRIBUTE = "#f2b134", "#dfe9f5"


class StructureDisplay:
    """The structure of a Bayes classifier, ready to be drawn: `plot_structure` makes one and draws it.

    Parameters
    ----------
    names : list of str
        Names of the attributes.
    parents : list of lists of int
        Parents of each attribute, besides the class.
    weights : dict of (int, int) to float, optional
        What is written at the edge from a parent to a child.
    class_name : str, default="y"
        What the class is called.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    places_ : dict of attribute, or -1 for the class, to its place (x, y)

    Examples
    --------
    >>> from lanatus.bayes import TAN, StructureDisplay
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("2.0", return_X_y=True)
    >>> display = StructureDisplay.from_estimator(TAN().fit(X, y), class_name="好瓜")
    >>> len(display.places_), display.to_svg().startswith("<svg")
    (7, True)
    """

    ax_: Any
    figure_: Any

    def __init__(
        self,
        names: list[str],
        parents: list[list[int]],
        *,
        weights: dict[tuple[int, int], float] | None = None,
        class_name: str = "y",
    ) -> None:
        self.names = names
        self.parents = parents
        self.weights = weights or {}
        self.class_name = class_name
        self.places_ = _places(parents)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, class_name: str = "y", fontsize: float = 10.0, ax: Any = None
    ) -> "StructureDisplay":
        """Draw the structure of a fitted classifier.

        Parameters
        ----------
        estimator : fitted ODE, SPODE, TAN or KDB
            The classifier.
        class_name : str, default="y"
            What the class is called.
        fontsize : float, default=10.0
            Size of the letters in points.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        StructureDisplay
        """
        check_is_fitted(estimator)
        parents = getattr(estimator, "parents_", None)
        if parents is None:
            raise TypeError(
                f"{type(estimator).__name__} has no one structure to draw; wanted a fitted ODE, SPODE, TAN or KDB."
            )
        information = getattr(estimator, "information_", None)
        weights = {}
        if information is not None:
            weights = {(p, j): float(information[p, j]) for j, above in enumerate(parents) for p in above}
        names = [str(name) for name in estimator.schema_.names]
        return cls(names, parents, weights=weights, class_name=class_name).plot(ax, fontsize=fontsize)

    @drawn
    def plot(self, ax: Any = None, *, fontsize: float = 10.0) -> "StructureDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure, as large as the structure needs, by default.
        fontsize : float, default=10.0
            Size of the letters in points.

        Returns
        -------
        StructureDisplay
        """
        xy = np.array(list(self.places_.values()))
        wide, high = xy.max(axis=0) - xy.min(axis=0) + 1
        self.ax_ = axes_for(ax, figsize=(max(4.0, 1.3 * wide), max(3.0, 1.2 * high)))
        self.figure_ = self.ax_.get_figure(root=True)
        for j, above in enumerate(self.parents):
            self._arrow(-1, j, "#c4c4c4", fontsize)
            for parent in above:
                self._arrow(parent, j, "#333333", fontsize)
        for node, (x, y) in self.places_.items():
            name = self.class_name if node < 0 else self.names[node]
            style = {
                "boxstyle": "round,pad=0.4",
                "facecolor": _CLASS if node < 0 else _ATTRIBUTE,
                "edgecolor": "#555555",
            }
            self.ax_.text(x, y, plain(name), fontsize=fontsize, ha="center", va="center", bbox=style, zorder=3)
        self.ax_.set_xlim(xy[:, 0].min() - 0.7, xy[:, 0].max() + 0.7)
        self.ax_.set_ylim(xy[:, 1].min() - 0.5, xy[:, 1].max() + 0.5)
        self.ax_.set_aspect("equal")
        self.ax_.set_axis_off()
        return self

    def to_svg(self) -> str:
        """The picture as SVG, letters as outlines; its figure is closed."""
        return as_svg(self)

    def _arrow(self, start: int, end: int, colour: str, fontsize: float) -> None:
        (x0, y0), (x1, y1) = self.places_[start], self.places_[end]
        # Straight down where the child is on the next line; bent past what stands between otherwise.
        bend = 0.0 if y0 - y1 <= 1 or start < 0 else 0.3 if x1 <= x0 else -0.3
        arrow = {"arrowstyle": "-|>", "color": colour, "shrinkA": 12, "shrinkB": 12, "linewidth": 1.0}
        arrow["connectionstyle"] = f"arc3,rad={bend}"
        self.ax_.annotate("", (x1, y1), (x0, y0), arrowprops=arrow, zorder=1 if start < 0 else 2)
        if (start, end) in self.weights:
            words = f"{self.weights[start, end]:.3f}"
            paper = {"boxstyle": "round,pad=0.1", "facecolor": "#ffffff", "edgecolor": "none", "alpha": 0.8}
            # The curve passes half-way to its control point, which stands off the middle at a right angle.
            middle = (x0 + x1 + bend * (y1 - y0)) / 2, (y0 + y1 - bend * (x1 - x0)) / 2
            self.ax_.text(*middle, words, fontsize=0.8 * fontsize, ha="center", va="center", bbox=paper, zorder=4)


def _places(parents: list[list[int]]) -> dict[int, tuple[float, float]]:
    """The class on top, each attribute a line below the lowest of its parents, those of a line side by side."""
    depth = [-1] * len(parents)

    def depth_of(j: int) -> int:
        if depth[j] < 0:
            depth[j] = 1 + max((depth_of(p) for p in parents[j]), default=0)
        return depth[j]

    lines: dict[int, list[int]] = {}
    for j in range(len(parents)):
        lines.setdefault(depth_of(j), []).append(j)
    places: dict[int, tuple[float, float]] = {-1: (0.0, 0.0)}
    for line in sorted(lines):
        # Children stand below their parents, as far as there is room.
        wanted = {j: places[parents[j][0]][0] if parents[j] else 0.0 for j in lines[line]}
        ordered = sorted(lines[line], key=lambda j: (wanted[j], j))
        shift = (len(ordered) - 1) / 2
        for at, j in enumerate(ordered):
            # Every other line stands a little aside, lest arrows run through what is between.
            places[j] = (1.4 * (at - shift) + 0.5 * (line % 2), -float(line))
    return places


def plot_structure(
    estimator: Any, *, class_name: str = "y", fontsize: float = 10.0, ax: Any = None
) -> StructureDisplay:
    """Draw who depends on whom in a Bayes classifier, an arrow from each parent to its child.

    Arrows between attributes of `TAN` and `KDB` carry the conditional mutual information of the two, in nats; those
    from the class are grey. Chinese names show.

    Book: section 7.4, figure 7.1. Cost: linear in the attributes and arrows.

    Parameters
    ----------
    estimator : fitted ODE, SPODE, TAN or KDB
        The classifier.
    class_name : str, default="y"
        What the class is called.
    fontsize : float, default=10.0
        Size of the letters, in points.
    ax : matplotlib Axes, optional
        Where to draw; a new figure, as large as the structure needs, by default.

    Returns
    -------
    StructureDisplay
        With ``ax_``, ``figure_`` and ``to_svg()``.

    Examples
    --------
    >>> from lanatus.bayes import TAN, plot_structure
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("2.0", return_X_y=True)
    >>> display = plot_structure(TAN().fit(X, y), class_name="好瓜")
    >>> display.to_svg().startswith("<svg")
    True
    """
    return StructureDisplay.from_estimator(estimator, class_name=class_name, ax=ax, fontsize=fontsize)
