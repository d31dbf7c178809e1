"""Trees of nodes that are dicts of plain arrays in one list, as those that keep sums instead of rows have them."""

from typing import Any

import numpy as np

from lanatus.base import StateRule
from lanatus.tree.grow._tree import THRESHOLD, VALUES, Tree
from lanatus.tree.oblique._node_lists import Nodes


class NodeDicts(StateRule):
    """Dicts of sums, the children of each behind it and under no other."""

    def fault(self, value: Any, sizes: dict[str, int]) -> str | None:
        if not isinstance(value, list) or not value or not all(isinstance(node, dict) for node in value):
            return "is no list of nodes"
        seen = {0}
        for at, node in enumerate(value):
            for child in node.get("children", ()):
                if not isinstance(child, int) or not at < child < len(value) or child in seen:
                    return f"has {child!r} among the children of node {at}, wanted one of {len(value)} nodes behind it"
                seen.add(child)
        return None


GROWN = NodeDicts()


def order_of(nodes: list[dict[str, Any]]) -> list[int]:
    """Nodes that hang on the first, children side by side behind their parents."""
    order = [0]
    for at in order:  # grows while it is read
        order += nodes[at]["children"]
    return order


def tree_of(nodes: list[dict[str, Any]], n_values: np.ndarray) -> Tree:
    """The tree as arrays, its nodes in the order of `order_of`; an empty node says what its parent does."""
    out = Nodes()
    values: list[np.ndarray] = []
    out.add(-1)
    for at, old in enumerate(order_of(nodes)):
        node = nodes[old]
        weight = float(node["mass"].sum())
        out.describe(at, round(weight), weight)
        values.append(node["mass"] if weight or at == 0 else values[out.parent[at]])
        if node["children"]:
            kind = VALUES if n_values[node["feature"]] else THRESHOLD
            out.split(at, node["feature"], kind, node["threshold"], len(node["children"]), node["gain"])
    return out.tree(np.stack(values))
