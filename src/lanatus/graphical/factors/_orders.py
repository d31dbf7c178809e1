"""Orders in which variables are summed out, and the cliques that each makes."""

from collections.abc import Iterable, Mapping
from itertools import combinations

ORDERS = ("min-fill", "min-weight", "min-neighbors", "min-size")


def neighbours_of(scopes: Iterable[Iterable[str]], names: Iterable[str]) -> dict[str, set[str]]:
    """The graph in which variables of one factor are joined."""
    near: dict[str, set[str]] = {name: set() for name in names}
    for scope in scopes:
        for name in scope:
            near[name] |= set(scope) - {name}
    return near


def elimination_order(
    near: Mapping[str, set[str]], sizes: Mapping[str, int], gone: Iterable[str], heuristic: str
) -> tuple[list[str], list[set[str]]]:
    """A good order to sum out variables, found greedily, and the clique that each makes as it goes.

    The next is always the one that costs least now: by edges to be filled in, the size of the table to be made, its
    neighbours, or the table that is left. Ties go to the cheaper table, then to the earlier variable.
    """
    graph = {name: set(others) for name, others in near.items()}
    place = {name: i for i, name in enumerate(graph)}
    left, order, cliques = set(gone), [], []
    costs = {name: _cost(graph, sizes, name, heuristic) for name in left}
    while left:
        name = min(left, key=lambda one: (*costs[one], place[one]))
        others = graph.pop(name)
        order.append(name)
        cliques.append({name, *others})
        left.remove(name)
        touched = set(others)
        for one in others:
            graph[one].discard(name)
        for one, other in combinations(others, 2):
            if other not in graph[one]:
                graph[one].add(other)
                graph[other].add(one)
                touched |= graph[one] & graph[other]
        if heuristic == "min-fill":  # what a neighbour's neighbours fill in may have changed
            touched |= {far for one in others for far in graph[one]}
        for one in touched & left:
            costs[one] = _cost(graph, sizes, one, heuristic)
    return order, cliques


def _cost(graph: Mapping[str, set[str]], sizes: Mapping[str, int], name: str, heuristic: str) -> tuple[float, float]:
    others = graph[name]
    left = 1.0
    for other in others:
        left *= sizes[other]
    table = left * sizes[name]
    if heuristic == "min-fill":
        return float(sum(other not in graph[one] for one, other in combinations(others, 2))), table
    first = {"min-weight": table, "min-neighbors": float(len(others)), "min-size": left}[heuristic]
    return first, table
