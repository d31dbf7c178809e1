"""Directed acyclic graphs as a mapping of each node to its parents."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Parents = Mapping[str, Sequence[str]]
Edges = Iterable[tuple[str, str]]


def parents_of(graph: Any) -> dict[str, tuple[str, ...]]:
    """Parents of each node, of a network, a mapping of node to parents, or edges (parent, child)."""
    if hasattr(graph, "parents"):
        graph = graph.parents
    if isinstance(graph, Mapping):
        found = {node: list(parents) for node, parents in graph.items()}
        for node in [parent for parents in graph.values() for parent in parents]:
            found.setdefault(node, [])
    else:
        found = {}
        for edge in graph:
            if len(edge) != 2:
                raise ValueError(f"an edge is a pair (parent, child), got {edge!r}.")
            parent, child = edge
            found.setdefault(parent, [])
            if parent in found.setdefault(child, []):
                raise ValueError(f"the edge {parent} -> {child} is named twice.")
            found[child].append(parent)
    topological_order(found)
    return {node: tuple(parents) for node, parents in found.items()}


def topological_order(parents: Parents) -> list[str]:
    """Nodes, parents before their children, earlier ones first; an error that shows the circle if there is one."""
    left = {node: set(above) for node, above in parents.items()}
    order: list[str] = []
    while left:
        free = [node for node, above in left.items() if not above]
        if not free:
            raise ValueError(f"the graph has a circle: {' -> '.join(_circle(left))}; a network has none.")
        order += free
        for node in free:
            del left[node]
        for above in left.values():
            above.difference_update(free)
    return order


def _circle(left: Mapping[str, set[str]]) -> list[str]:
    path = [next(iter(left))]
    while path[-1] not in path[:-1]:
        path.append(min(left[path[-1]]))
    return path[path.index(path[-1]) :][::-1]


def children_of(parents: Parents) -> dict[str, list[str]]:
    """Children of each node."""
    found: dict[str, list[str]] = {node: [] for node in parents}
    for node, above in parents.items():
        for parent in above:
            found[parent].append(node)
    return found


def ancestors_of(parents: Parents, nodes: Iterable[str]) -> set[str]:
    """These nodes and all that lie above them."""
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += parents[node]
    return found


def require_nodes(parents: Mapping[str, Any], nodes: Iterable[str]) -> None:
    """ValueError for a name that is no node."""
    for node in nodes:
        if node not in parents:
            raise ValueError(f"the graph has no node {node!r}; it has {list(parents)[:12]}.")
