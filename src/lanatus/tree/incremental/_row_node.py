"""A node of an incremental tree that keeps its rows."""

import numpy as np

from lanatus.tree.grow._tree import LEAF, THRESHOLD, Tree
from lanatus.tree.oblique._node_lists import Nodes


class Node:
    """Test, children and class weights of a node; a leaf also holds the numbers of its rows."""

    __slots__ = (
        "children", "counts", "depth", "feature", "gain", "kind", "mass", "missing", "n_rows", "rows", "threshold",
    )  # fmt: skip

    def __init__(self, tree: Tree, at: int, depth: int) -> None:
        self.depth = depth
        self.children: list[Node] = []
        self.rows: list[int] = []
        self.counts: np.ndarray | None = None
        self.n_rows = int(tree.n_rows[at])
        self.mass = tree.outputs[at].copy() if self.n_rows else np.zeros(tree.outputs.shape[1])
        self.set_test(tree, at)

    def set_test(self, tree: Tree, at: int = 0) -> None:
        """Take over the test of a node of a grown tree."""
        self.feature, self.kind = int(tree.feature[at]), int(tree.kind[at])
        self.threshold, self.missing, self.gain = float(tree.threshold[at]), int(tree.missing[at]), float(tree.gain[at])

    def become(self, other: "Node") -> None:
        """Turn into another node."""
        for name in self.__slots__:
            setattr(self, name, getattr(other, name))

    def take(self, rows: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> None:
        """Count rows in."""
        self.n_rows += len(rows)
        self.mass = self.mass + np.bincount(codes[rows], weight[rows], len(self.mass))

    def child_of(self, X: np.ndarray) -> np.ndarray:
        """The child, counted from 0, that each row goes to."""
        x = X[:, self.feature]
        known = ~np.isnan(x)
        went = x > self.threshold if self.kind == THRESHOLD else np.where(known, x, 0.0)
        return np.where(known, went, self.missing).astype(np.intp)


def as_nodes(tree: Tree, X: np.ndarray, rows: np.ndarray, depth: int) -> Node:
    """A grown tree as nodes, with its rows at the leaves; its root."""
    depths = tree.depth + depth
    nodes = [Node(tree, at, int(depths[at])) for at in range(len(tree))]
    for at, node in enumerate(nodes):
        node.children = [nodes[child] for child in tree.children(at)]
    for leaf, row in zip(tree.leaves(X[rows]).tolist(), rows.tolist(), strict=True):
        nodes[leaf].rows.append(row)
    return nodes[0]


def rows_below(node: Node) -> list[int]:
    """The rows at the leaves of a subtree."""
    rows: list[int] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        rows += one.rows
        waiting += one.children
    return rows


def flattened(root: Node) -> tuple[Nodes, np.ndarray]:
    """The nodes as lists, and their class weights; an empty one says what its parent does."""
    nodes = Nodes()
    values: list[np.ndarray] = []
    waiting = [(nodes.add(-1), root)]
    for at, node in waiting:  # grows while it is read
        nodes.describe(at, node.n_rows, float(node.mass.sum()))
        values.append(node.mass if node.n_rows or at == 0 else values[nodes.parent[at]])
        if node.kind != LEAF:
            nodes.split(at, node.feature, node.kind, node.threshold, len(node.children), node.gain)
            nodes.missing[at] = node.missing
            waiting += zip(nodes.children(at), node.children, strict=True)
    return nodes, np.stack(values)
