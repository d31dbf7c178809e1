"""Nodes of a tree that is built in Python, as growing lists."""

import numpy as np

from lanatus.tree.grow._purity import _entropy
from lanatus.tree.grow._tree import LEAF, SUBSET, Tree


class Nodes:
    """Lists of what a `Tree` says of its nodes; node 0 comes first, children side by side behind their parents."""

    def __init__(self) -> None:
        self.feature: list[int] = []
        self.kind: list[int] = []
        self.threshold: list[float] = []
        self.first_child: list[int] = []
        self.n_children: list[int] = []
        self.parent: list[int] = []
        self.missing: list[int] = []
        self.weight: list[float] = []
        self.n_rows: list[int] = []
        self.gain: list[float] = []
        self.subset: dict[int, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.feature)

    def add(self, parent: int) -> int:
        """A new leaf; its number."""
        self.feature.append(-1)
        self.kind.append(LEAF)
        self.threshold.append(np.nan)
        self.first_child.append(-1)
        self.n_children.append(0)
        self.parent.append(parent)
        self.missing.append(-1)
        self.weight.append(0.0)
        self.n_rows.append(0)
        self.gain.append(0.0)
        return len(self) - 1

    def describe(self, node: int, n_rows: int, weight: float) -> None:
        """Store how many rows of what weight reached a node."""
        self.n_rows[node], self.weight[node] = n_rows, weight

    def split(self, node: int, feature: int, kind: int, threshold: float, n_children: int, gain: float = 0.0) -> None:
        """Give a leaf a test and children."""
        self.feature[node], self.kind[node], self.threshold[node] = feature, kind, threshold
        self.first_child[node], self.n_children[node], self.gain[node] = len(self), n_children, gain
        for _ in range(n_children):
            self.add(node)

    def set_subset(self, node: int, codes: np.ndarray) -> None:
        """Make the test of a node one of categories: those of `codes` go to the first child."""
        self.kind[node], self.threshold[node] = SUBSET, np.nan
        self.subset[node] = np.asarray(codes, dtype=np.int64)

    def children(self, node: int) -> range:
        """The node's children."""
        return range(self.first_child[node], self.first_child[node] + self.n_children[node])

    def tree(self, value: np.ndarray) -> Tree:
        """The finished tree, with class weights (one row a node); unless told, holes follow the heavier child."""
        weight, parent = np.array(self.weight), np.array(self.parent)
        above = weight[np.maximum(parent, 0)]
        share = np.divide(weight, above, out=np.ones_like(weight), where=above > 0)
        missing = list(self.missing)
        for node in range(len(self)):
            if self.n_children[node] and missing[node] < 0:
                missing[node] = int(np.argmax(weight[list(self.children(node))]))
        starts, words = self._words()
        return Tree(
            outputs=value,
            feature=self.feature,
            kind=self.kind,
            threshold=self.threshold,
            first_child=self.first_child,
            n_children=self.n_children,
            parent=parent,
            missing=missing,
            share=share,
            weight=weight,
            n_rows=self.n_rows,
            impurity=_entropy(value),
            gain=self.gain,
            subset_start=starts,
            subset=words,
        )

    def _words(self) -> tuple[np.ndarray, np.ndarray]:
        """The categories of subset tests as bits, 32 a word."""
        parts = []
        for node in range(len(self)):
            codes = self.subset.get(node, np.zeros(0, dtype=np.int64))
            bits = np.zeros(32 * (int(codes.max(initial=-1)) // 32 + 1), dtype=np.uint8)
            bits[codes] = 1
            parts.append(np.packbits(bits, bitorder="little").view(np.uint32))
        return np.cumsum([0, *map(len, parts)]), np.concatenate([np.zeros(0, dtype=np.uint32), *parts])
