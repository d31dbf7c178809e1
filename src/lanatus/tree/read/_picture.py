"""Trees as pictures."""

from typing import Any

import numpy as np

from lanatus.canvas import as_svg, axes_for, drawn, plain
from lanatus.tree.grow._tree import LEAF
from lanatus.tree.read._colours import hue, is_dark, node_colours
from lanatus.tree.read._export import hidden, walk_to
from lanatus.tree.read._layout import curve, places, rounded
from lanatus.tree.read._named_tree import NamedTree, read

_PAD = 5.0  # points around the words of a node
_BAR = 4.0  # height of the bar of class shares
_GAP = 10.0  # between neighbours
_DROP = 24.0  # from a node down to the label of the next
_WIDEST = 40.0  # inches of a figure; what needs more gets smaller letters
_LONGEST, _MOST = 24, 3  # letters of a word, values of a set

Box = tuple[float, float, float, float]


class TreeDisplay:
    """A tree, ready to be drawn: `plot_tree` makes one and draws it.

    Parameters
    ----------
    reading : NamedTree
        The tree with its words.
    max_depth : int, optional
        Deeper nodes are not drawn, only counted.
    filled : bool, default=True
        Whether nodes have colours.
    node_ids, impurity : bool, default=False
        Whether nodes tell their numbers, and the criterion.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    boxes_ : dict of node to (left, top, right, bottom), in points
    labels_ : dict of node to the box of the words on the line to it
    """

    ax_: Any
    figure_: Any
    boxes_: dict[int, Box]
    labels_: dict[int, Box]

    def __init__(
        self,
        reading: NamedTree,
        *,
        max_depth: int | None = None,
        filled: bool = True,
        node_ids: bool = False,
        impurity: bool = False,
    ) -> None:
        self.reading = reading
        self.max_depth = max_depth
        self.filled = filled
        self.node_ids = node_ids
        self.impurity = impurity

    @drawn
    def plot(self, ax: Any = None, *, fontsize: float = 10.0) -> "TreeDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure, as large as the tree needs, by default. On given axes the letters get smaller
            until the tree fits.
        fontsize : float, default=10.0
            Size of the letters in points.

        Returns
        -------
        TreeDisplay
        """
        nodes = list(walk_to(self.reading.tree, self.max_depth))
        self._depth = dict(nodes)
        self._lines = {node: self._words(node) for node in self._depth}
        self._edges = {node: self._edge_words(node) for node in self._depth if node}
        self.ax_ = axes_for(ax, figsize=(1, 1))
        self.figure_ = self.ax_.get_figure(root=True)
        width, height = self._lay_out(self._measured(fontsize))
        if ax is None:
            part = min(1.0, 72 * _WIDEST / max(width, height))
            self.figure_.set_size_inches(part * width / 72 + 0.2, part * height / 72 + 0.2)
        scale = self._fit(width, height)
        self._draw(fontsize * scale, scale)
        return self

    def to_svg(self) -> str:
        """The picture as SVG, letters as outlines; its figure is closed."""
        return as_svg(self)

    # ------------------------------------------------------------ words

    def _is_end(self, node: int) -> bool:
        return bool(self.reading.tree.kind[node] == LEAF) or self._depth[node] == self.max_depth

    def _words(self, node: int) -> list[str]:
        reading = self.reading
        is_leaf = bool(reading.tree.kind[node] == LEAF)
        lines = [_short(reading.answer(node) if self._is_end(node) else reading.name(node), _LONGEST)]
        if self.impurity:
            lines.append(f"impurity {reading.number(float(reading.tree.impurity[node]))}")
        lines.append(reading.support(node) if self._is_end(node) else self._mixture(node))
        if not is_leaf and self._is_end(node):
            lines.append(f"\N{HORIZONTAL ELLIPSIS} {hidden(reading.tree, node)}")
        if self.node_ids:
            lines.append(f"#{node}")
        return lines

    def _mixture(self, node: int) -> str:
        """What an inner node holds: weights of its classes as they stand in the bar, or its number and weight."""
        reading = self.reading
        if reading.classes is None:
            return f"{reading.answer(node)} ({reading.weight(node)})"
        shares = reading.shares[0][node]
        if len(reading.classes) > 1 or len(shares) > _MOST + 1:
            return reading.weight(node)
        return " : ".join(reading.number(share * float(reading.tree.weight[node])) for share in shares.tolist())

    def _edge_words(self, node: int) -> str:
        tree = self.reading.tree
        above = int(tree.parent[node])
        text = self.reading.branch(above, node - int(tree.first_child[above]), short=True, most=_MOST)
        if text.startswith("in {"):
            text = text[4:-1]
        text = text.removeprefix("= ").replace("<=", "\N{LESS-THAN OR EQUAL TO}")
        return _short(text, 2 * _LONGEST)

    # ------------------------------------------------------------ places

    def _measured(self, fontsize: float) -> dict[Any, tuple[float, float]]:
        """Width and height of every text that will be drawn, in points."""
        sizes = {}
        for text in {*self._edges.values(), *("\n".join(lines) for lines in self._lines.values())}:
            artist = self.figure_.text(0, 0, plain(text), fontsize=fontsize)
            extent = artist.get_window_extent()
            sizes[text] = extent.width * 72 / self.figure_.dpi, extent.height * 72 / self.figure_.dpi
            artist.remove()
        return sizes

    def _lay_out(self, sizes: dict[Any, tuple[float, float]]) -> tuple[float, float]:
        """Boxes of nodes and labels; width and height of the whole."""
        tree = self.reading.tree
        bar = _BAR + 2 if self.reading.classes is not None else 0.0
        text = {node: sizes["\n".join(lines)] for node, lines in self._lines.items()}
        size = {node: (w + 2 * _PAD, h + 2 * _PAD + bar) for node, (w, h) in text.items()}
        label = {node: sizes[words] for node, words in self._edges.items()}
        slot = {node: max(w, label[node][0] + 4 if node else 0.0) for node, (w, _) in size.items()}
        children = {node: [*tree.children(node)] for node in self._depth if not self._is_end(node)}
        x = places(children, slot, _GAP)
        levels = max(self._depth.values()) + 1
        tallest, tallest_label = np.zeros(levels), np.zeros(levels)
        for node, depth in self._depth.items():
            tallest[depth] = max(tallest[depth], size[node][1])
            tallest_label[depth] = max(tallest_label[depth], label[node][1] if node else 0.0)
        # On wide trees lines need more room to fall, or they lie flat.
        drop = max(_DROP, 0.03 * max(x.values()))
        between = np.where(np.arange(levels) > 0, tallest_label + drop + 6, 0.0)
        top = np.cumsum(between) + np.concatenate([[0.0], np.cumsum(tallest)[:-1]])
        self.boxes_, self.labels_ = {}, {}
        for node, depth in self._depth.items():
            w, h = size[node]
            self.boxes_[node] = (x[node] - w / 2, top[depth], x[node] + w / 2, top[depth] + h)
            if node:
                w, h = label[node]
                self.labels_[node] = (x[node] - w / 2, top[depth] - 4 - h, x[node] + w / 2, top[depth] - 4)
        return max(x[node] + slot[node] / 2 for node in x), float(top[-1] + tallest[-1])

    def _fit(self, width: float, height: float) -> float:
        """Set the axes so that the tree is in their middle; what a point of the layout is there."""
        self.ax_.set_axis_off()
        self.figure_.draw_without_rendering()  # a layout engine moves the axes now
        extent = self.ax_.get_window_extent()
        wide, high = extent.width * 72 / self.figure_.dpi, extent.height * 72 / self.figure_.dpi
        scale = min(wide / (width + 2), high / (height + 2), 1.0)
        self.ax_.set_xlim(width / 2 - wide / scale / 2, width / 2 + wide / scale / 2)
        self.ax_.set_ylim(height / 2 + high / scale / 2, height / 2 - high / scale / 2)
        return scale

    # ------------------------------------------------------------ drawing

    def _draw(self, fontsize: float, scale: float) -> None:
        tree = self.reading.tree
        whole = max(float(tree.weight[0]), 1e-300)
        colours = node_colours(self.reading) if self.filled else ["#ffffff"] * len(tree)
        for node in self._depth:
            if node:
                self._draw_edge(node, fontsize, scale * (0.7 + 2.8 * float(tree.weight[node]) / whole))
        for node in self._depth:
            self._draw_node(node, colours[node], fontsize, scale)

    def _draw_edge(self, node: int, fontsize: float, linewidth: float) -> None:
        above = self.boxes_[int(self.reading.tree.parent[node])]
        x0, y0, x1, y1 = self.labels_[node]
        x = (x0 + x1) / 2
        start, end = ((above[0] + above[2]) / 2, above[3]), (x, y0 - 2)
        self.ax_.plot(*curve(start, end), color="#9a9a9a", linewidth=linewidth, solid_capstyle="round", zorder=1)
        words = plain(self._edges[node])
        self.ax_.text(x, (y0 + y1) / 2, words, fontsize=fontsize, ha="center", va="center", color="#333333", zorder=3)

    def _draw_node(self, node: int, colour: str, fontsize: float, scale: float) -> None:
        x0, y0, x1, y1 = self.boxes_[node]
        is_leaf = self._is_end(node)
        fill = colour if is_leaf or self.reading.classes is None else "#ffffff"
        outline = rounded(x0, y0, x1, y1, 7.0 if is_leaf else 3.0)
        style = "-" if self.reading.tree.kind[node] == LEAF or not is_leaf else (0, (3, 2))
        self.ax_.fill(*outline, facecolor=fill, edgecolor="#555555", linewidth=0.9 * scale, linestyle=style, zorder=2)
        has_bar = self.reading.classes is not None
        middle = (y0 + y1 - (_BAR + 2 if has_bar else 0)) / 2
        ink = "#ffffff" if is_dark(fill) else "#111111"
        words = plain("\n".join(self._lines[node]))
        self.ax_.text((x0 + x1) / 2, middle, words, fontsize=fontsize, ha="center", va="center", color=ink, zorder=3)
        if has_bar and self.filled:
            self._draw_bar(node, x0 + _PAD, x1 - _PAD, y1 - _BAR - 2.5)

    def _draw_bar(self, node: int, x0: float, x1: float, y: float) -> None:
        """Shares of the classes, of the first output, as one bar."""
        start = x0
        for code, share in enumerate(self.reading.shares[0][node].tolist()):
            end = start + share * (x1 - x0)
            if share > 0:
                sides = (start, end, end, start), (y, y, y + _BAR, y + _BAR)
                self.ax_.fill(*sides, facecolor=tuple(hue(code)), edgecolor="none", zorder=3)
            start = end


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "\N{HORIZONTAL ELLIPSIS}"


def plot_tree(
    tree: Any,
    *,
    max_depth: int | None = None,
    feature_names: Any = None,
    class_names: Any = None,
    filled: bool = True,
    node_ids: bool = False,
    impurity: bool = False,
    decimals: int = 3,
    fontsize: float = 10.0,
    ax: Any = None,
) -> TreeDisplay:
    """Draw a tree.

    Inner nodes name what they test and show the weights of the classes, in their order, with a bar of them; the lines
    carry the values, and are the thicker the more weight goes along. A leaf names its class (or number) with the weight
    that came to it, in the colour of the class, the stronger the purer. Nodes never overlap, and Chinese shows.

    Book: section 4.1. Cost: linear in the nodes drawn times the depth.

    Parameters
    ----------
    tree : fitted tree estimator, or Tree
        What to draw.
    max_depth : int, optional
        Deeper nodes are left out and counted.
    feature_names : sequence of str or Schema, optional
        Names of the columns; by default those of ``fit``.
    class_names : sequence of str, optional
        Names of the classes in their order; by default the labels.
    filled : bool, default=True
        Whether nodes have colours.
    node_ids : bool, default=False
        Whether nodes tell their numbers.
    impurity : bool, default=False
        Whether nodes tell the criterion.
    decimals : int, default=3
        Decimals of numbers.
    fontsize : float, default=10.0
        Size of the letters, in points.
    ax : matplotlib Axes, optional
        Where to draw; a new figure, as large as the tree needs, by default.

    Returns
    -------
    TreeDisplay
        With ``ax_``, ``figure_`` and ``to_svg()``.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import ID3Classifier, plot_tree
    >>> melons = load_watermelon("2.0")
    >>> tree = ID3Classifier().fit(melons.frame[melons.feature_names], melons.target)
    >>> display = plot_tree(tree)
    >>> len(display.boxes_), display.to_svg().startswith("<svg")
    (14, True)
    """
    reading = read(tree, feature_names, class_names, decimals)
    display = TreeDisplay(reading, max_depth=max_depth, filled=filled, node_ids=node_ids, impurity=impurity)
    return display.plot(ax, fontsize=fontsize)
