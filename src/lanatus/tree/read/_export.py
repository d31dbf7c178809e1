"""Trees as text and as a graph."""

from typing import Any

from lanatus.catalog import method
from lanatus.tree.grow._tree import LEAF
from lanatus.tree.read._named_tree import NamedTree, read


@method(
    "tree.tree-export",
    section="4.1",
    task="classification",
    en="Tree export as text and graph",
    zh="决策树导出",
    peers=["scikit-learn:export_text"],
)
def export_text(
    tree: Any,
    *,
    feature_names: Any = None,
    class_names: Any = None,
    max_depth: int | None = None,
    spacing: int = 3,
    decimals: int = 3,
    show_weights: bool = False,
) -> str:
    """A tree as text, a line for each branch, what a leaf says behind it.

    Read from the root: a row goes on where the test of a line holds. In brackets stands the weight of the training rows
    that came to the leaf, and how much of it is of the class named if not all.

    Book: section 4.1. Cost: linear in the nodes; no recursion, so depth has no limit.

    Parameters
    ----------
    tree : fitted tree estimator, or Tree
        What to write.
    feature_names : sequence of str or Schema, optional
        Names of the columns; by default those of ``fit``. A `Schema` gives a bare `Tree` its categories, too.
    class_names : sequence of str, optional
        Names of the classes in their order; by default the labels. For a bare `Tree` they say that it has classes.
    max_depth : int, optional
        Deeper branches are left out and counted.
    spacing : int, default=3
        Blanks between the lines that show depth.
    decimals : int, default=3
        Decimals of numbers; idle zeros are left out.
    show_weights : bool, default=False
        Whether leaves tell the weights of all classes.

    Returns
    -------
    str

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import ID3Classifier, export_text
    >>> melons = load_watermelon("2.0")
    >>> print(export_text(ID3Classifier().fit(melons.frame[melons.feature_names], melons.target)))
    纹理 = 清晰
    |   根蒂 = 蜷缩: 是 (5)
    |   根蒂 = 稍蜷
    |   |   色泽 = 青绿: 是 (1)
    |   |   色泽 = 乌黑
    |   |   |   触感 = 硬滑: 是 (1)
    |   |   |   触感 = 软粘: 否 (1)
    |   |   色泽 = 浅白: 是 (0)
    |   根蒂 = 硬挺: 否 (1)
    纹理 = 稍糊
    |   触感 = 硬滑: 否 (4)
    |   触感 = 软粘: 是 (1)
    纹理 = 模糊: 否 (3)
    """
    if spacing < 1:
        raise ValueError(f"spacing must be at least 1; got {spacing}.")
    reading = read(tree, feature_names, class_names, decimals)
    grown = reading.tree

    def said(node: int) -> str:
        more = f"; {reading.class_weights(node)}" if show_weights and reading.classes is not None else ""
        return f"{reading.answer(node)} ({reading.support(node)}{more})"

    lines = [said(0)] if grown.kind[0] == LEAF or max_depth == 0 else []
    for node, depth in walk_to(grown, max_depth):
        if node == 0:
            continue
        above = int(grown.parent[node])
        line = ("|" + " " * spacing) * (depth - 1) + reading.branch(above, node - int(grown.first_child[above]))
        if grown.kind[node] == LEAF:
            line += f": {said(node)}"
        elif depth == max_depth:
            line += f": {said(node)} ... {hidden(grown, node)}"
        lines.append(line)
    return "\n".join(lines)


def walk_to(tree: Any, max_depth: int | None) -> Any:
    """Nodes with their depth as ``Tree.walk`` gives them, those deeper than `max_depth` left out."""
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth must be at least 0; got {max_depth}.")
    stack = [(0, 0)]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        if depth != max_depth:
            stack.extend((child, depth + 1) for child in reversed(tree.children(node)))


def hidden(tree: Any, node: int) -> str:
    """How many leaves are below a node, in words."""
    leaves, stack = 0, [node]
    while stack:
        at = stack.pop()
        leaves += bool(tree.kind[at] == LEAF)
        stack.extend(tree.children(at))
    return f"{leaves} leaves below"


def export_graphviz(
    tree: Any,
    *,
    feature_names: Any = None,
    class_names: Any = None,
    max_depth: int | None = None,
    decimals: int = 3,
    filled: bool = True,
    rotate: bool = False,
) -> str:
    r"""A tree in the DOT language of Graphviz.

    ``dot -Tsvg`` and the many programs that read DOT make a picture of it; `plot_tree` draws without them.

    Book: section 4.1. Cost: linear in the nodes.

    Parameters
    ----------
    tree : fitted tree estimator, or Tree
        What to write.
    feature_names, class_names, max_depth, decimals
        As in `export_text`.
    filled : bool, default=True
        Whether nodes have the colour of their class, the stronger the purer.
    rotate : bool, default=False
        Whether the root stands at the left instead of at the top.

    Returns
    -------
    str

    Examples
    --------
    >>> from lanatus.tree import DecisionStump, export_graphviz
    >>> print(export_graphviz(DecisionStump().fit([[1.0], [2.0]], ["no", "yes"]), filled=False))
    digraph tree {
      node [shape=box, style="rounded,filled", fillcolor="#ffffff", fontname="sans-serif"];
      edge [fontname="sans-serif"];
      0 [label="x0\n1 of 2"];
      1 [label="no\n1"];
      2 [label="yes\n1"];
      0 -> 1 [label="<= 1.5"];
      0 -> 2 [label="> 1.5"];
    }
    """
    from lanatus.tree.read._colours import node_colours

    reading = read(tree, feature_names, class_names, decimals)
    grown = reading.tree
    lines = [
        "digraph tree {",
        *(["  rankdir=LR;"] if rotate else []),
        '  node [shape=box, style="rounded,filled", fillcolor="#ffffff", fontname="sans-serif"];',
        '  edge [fontname="sans-serif"];',
    ]
    colours = node_colours(reading) if filled else None
    edges = []
    for node, depth in walk_to(grown, max_depth):
        fill = "" if colours is None else f', fillcolor="{colours[node]}"'
        lines.append(f"  {node} [label={_quoted(*_label(reading, node, depth == max_depth))}{fill}];")
        if node:
            above = int(grown.parent[node])
            words = reading.branch(above, node - int(grown.first_child[above]), short=True)
            edges.append(f"  {above} -> {node} [label={_quoted(words)}];")
    return "\n".join([*lines, *edges, "}"])


def _label(reading: NamedTree, node: int, is_last: bool) -> list[str]:
    if reading.tree.kind[node] == LEAF:
        return [reading.answer(node), reading.support(node)]
    if is_last:
        return [reading.answer(node), reading.support(node), f"... {hidden(reading.tree, node)}"]
    return [reading.name(node), reading.support(node)]


def _quoted(*lines: str) -> str:
    """Lines as one string of DOT, in which only quotes and backslashes mean something."""
    clean = (line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") for line in lines)
    return '"' + "\\n".join(clean) + '"'
