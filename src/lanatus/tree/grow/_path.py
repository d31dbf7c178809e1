"""The way of one row through a tree, step by step."""

import numpy as np

from lanatus.tree.grow._tree import LEAF, THRESHOLD, VALUES, Tree
from lanatus.tree.read._named_tree import NamedTree


class PathStep:
    """A node that a row passes.

    Attributes
    ----------
    node, depth : int
    part : float
        Part of the row that comes to the node: 1 unless missing values sent it to several children.
    test : str
        The test that the row passed to come here; empty at the root.
    value : str
        The row's value that the test saw.
    how : str
        Empty where the value was known; else how the tree decided without it.
    answer : str
        What the node names as a leaf.
    shares : list of arrays
        Shares of the classes at the node, for each output; or its numbers.
    is_leaf : bool
    """

    def __init__(self, reading: NamedTree, node: int, depth: int, part: float, test: str, value: str, how: str) -> None:
        self.node, self.depth, self.part = node, depth, part
        self.test, self.value, self.how = test, value, how
        self.answer = reading.answer(node)
        self.shares = [shares[node] for shares in reading.shares]
        self.is_leaf = bool(reading.tree.kind[node] == LEAF)


def passed(reading: NamedTree, x: np.ndarray) -> list[PathStep]:
    """The nodes that a row reaches, from the root; of several children, one subtree after the other."""
    tree = reading.tree
    steps = [PathStep(reading, 0, 0, 1.0, "", "", "")]
    stack = [(0, 0, 1.0)]
    while stack:
        node, depth, part = stack.pop()
        if node:
            above = int(tree.parent[node])
            column = int(tree.feature[above])
            how = _how(reading, above, x) if _is_unknown(reading, above, x) else ""
            test = reading.branch(above, node - int(tree.first_child[above]))
            steps.append(
                PathStep(reading, node, depth, part, test, reading.value(reading.columns[column], x[column]), how)
            )
        if tree.kind[node] == LEAF:
            continue
        child = _child(reading, node, x)
        below = [*tree.children(node)]
        if child >= 0:
            stack.append((below[child], depth + 1, part))
        else:
            parts = [(at, depth + 1, part * float(tree.share[at])) for at in below if tree.share[at] > 0]
            stack.extend(reversed(parts))
    return steps


def _is_unknown(reading: NamedTree, node: int, x: np.ndarray) -> bool:
    return bool(np.isnan(x[reading.tree.feature[node]]))


def _child(reading: NamedTree, node: int, x: np.ndarray) -> int:
    """The child (from 0) that takes the row, -1 for all."""
    tree = reading.tree
    value = float(x[tree.feature[node]])
    if np.isnan(value):
        stand = _stand_in(tree, node, x)
        return stand[1] if stand is not None else int(tree.missing[node])
    if tree.kind[node] == THRESHOLD:
        return 0 if value <= tree.threshold[node] else 1
    if tree.kind[node] == VALUES:
        return int(value) if value < tree.n_children[node] else int(tree.missing[node])
    return 0 if int(value) in tree.categories(node) else 1


def _stand_in(tree: Tree, node: int, x: np.ndarray) -> tuple[int, int] | None:
    """The column of the first surrogate test that can be made, and the child that it names."""
    s = tree.surrogates
    if s is None:
        return None
    for i in range(int(s["start"][node]), int(s["start"][node + 1])):
        column = int(s["feature"][i])
        value = float(x[column])
        if np.isnan(value):
            continue
        if not np.isnan(s["threshold"][i]):
            below = int(s["below"][i])
            return column, below if value <= s["threshold"][i] else 1 - below
        if _has(s["known"], s["known_start"], i, int(value)):
            return column, 0 if _has(s["subset"], s["subset_start"], i, int(value)) else 1
    return None


def _has(words: np.ndarray, start: np.ndarray, i: int, code: int) -> bool:
    own = words[start[i] : start[i + 1]]
    return code // 32 < len(own) and bool(int(own[code // 32]) >> (code % 32) & 1)


def _how(reading: NamedTree, node: int, x: np.ndarray) -> str:
    stand = _stand_in(reading.tree, node, x)
    if stand is not None:
        column = reading.columns[stand[0]]
        return f"missing, so by {column.name} = {reading.value(column, x[stand[0]])}"
    return "missing, so by shares" if reading.tree.missing[node] < 0 else "missing"
