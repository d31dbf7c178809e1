"""Cliques and separation in undirected graphs (section 14.2)."""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from lanatus.catalog import method
from lanatus.graphical.graphs._directed import parents_of, require_nodes
from lanatus.graphical.graphs._separation import Graph, directed_markov_blanket, reached


def undirected(graph: Any) -> Graph:
    """Neighbours of each node, of a Markov network, a mapping of node to neighbours, or edges."""
    if hasattr(graph, "neighbors"):
        graph = graph.neighbors
    near: Graph = {}
    pairs = ((a, b) for a, others in graph.items() for b in others) if isinstance(graph, Mapping) else graph
    if isinstance(graph, Mapping):
        near = {node: set() for node in graph}
    for a, b in pairs:
        if a == b:
            raise ValueError(f"{a!r} is joined to itself; an edge joins two nodes.")
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    return near


@method(
    "graphical.cliques",
    section="14.2",
    task="inference",
    en="Cliques and maximal cliques",
    zh="团与极大团",
    peers=["networkx:find_cliques"],
)
def cliques(graph: Any, *, least: int = 2) -> list[tuple[str, ...]]:
    """All sets of nodes of which every two are joined.

    Book: section 14.2, figure 14.2. Cost: as many steps as there are cliques, which may be exponentially many.

    Parameters
    ----------
    graph : MarkovNetwork, mapping of node to neighbours, or iterable of edges
        The graph.
    least : int, default=2
        Fewest nodes of a clique that is listed.

    Returns
    -------
    list of tuple of str
        The smaller ones first.

    Examples
    --------
    >>> from lanatus.graphical import cliques, maximal_cliques
    >>> edges = [("1", "2"), ("1", "3"), ("2", "4"), ("2", "5"), ("2", "6"), ("3", "5"), ("5", "6")]
    >>> len(cliques(edges)), maximal_cliques(edges)
    (8, [('1', '2'), ('1', '3'), ('2', '4'), ('3', '5'), ('2', '5', '6')])
    """
    near = undirected(graph)
    place = {node: i for i, node in enumerate(near)}
    level: list[tuple[str, ...]] = [(node,) for node in near]
    found = list(level) if least <= 1 else []
    while level:
        level = [
            (*clique, node)
            for clique in level
            for node in near
            if place[node] > place[clique[-1]] and all(node in near[one] for one in clique)
        ]
        found += [clique for clique in level if len(clique) >= least]
    return found


def maximal_cliques(graph: Any) -> list[tuple[str, ...]]:
    """Cliques to which no node can be added, by the algorithm of Bron and Kerbosch.

    Parameters
    ----------
    graph : MarkovNetwork, mapping of node to neighbours, or iterable of edges
        The graph.

    Returns
    -------
    list of tuple of str
        The smaller ones first; nodes in the order of the graph.
    """
    near = undirected(graph)
    place = {node: i for i, node in enumerate(near)}
    found = []
    waiting: list[tuple[set[str], set[str], set[str]]] = [(set(), set(near), set())]
    while waiting:
        clique, candidates, excluded = waiting.pop()
        if not candidates and not excluded:
            if clique:
                found.append(tuple(sorted(clique, key=place.__getitem__)))
            continue
        pivot = max(candidates | excluded, key=lambda node: (len(near[node] & candidates), -place[node]))
        for node in sorted(candidates - near[pivot], key=place.__getitem__):
            waiting.append((clique | {node}, candidates & near[node], excluded & near[node]))
            candidates = candidates - {node}
            excluded = excluded | {node}
    return sorted(found, key=lambda clique: (len(clique), [place[node] for node in clique]))


@method(
    "graphical.markov-properties",
    section="14.2",
    task="inference",
    en="Global, local and pairwise Markov properties",
    zh="全局、局部与成对马尔可夫性",
)
def separates(graph: Any, x: str | Iterable[str], y: str | Iterable[str], z: str | Iterable[str]) -> bool:
    """Whether every path from x to y leads through z: then x and y are independent given z.

    Book: section 14.2, figure 14.3; exercises 14.2 and 14.3.

    Parameters
    ----------
    graph : MarkovNetwork, mapping of node to neighbours, or iterable of edges
        The graph.
    x, y : str or iterable of str
        The two sides.
    z : str or iterable of str
        The separating set.

    Returns
    -------
    bool

    Examples
    --------
    >>> from lanatus.graphical import separates
    >>> chain = [("a", "b"), ("b", "c")]
    >>> separates(chain, "a", "c", "b"), separates(chain, "a", "c", ())
    (True, False)
    """
    near = undirected(graph)
    sides = [{side} if isinstance(side, str) else set(side) for side in (x, y, z)]
    require_nodes(near, (node for side in sides for node in side))
    return not reached(near, sides[0] - sides[2], sides[2]) & sides[1]


def markov_blanket(graph: Any, node: str) -> set[str]:
    """What makes a node independent of all others: its neighbours, or in a network its parents, its children and their
    other parents.

    Parameters
    ----------
    graph : BayesianNetwork, MarkovNetwork, mapping of node to neighbours, or iterable of undirected edges
        The graph.
    node : str
        The node.

    Returns
    -------
    set of str
    """
    if hasattr(graph, "parents"):
        parents = parents_of(graph)
        require_nodes(parents, [node])
        return directed_markov_blanket(parents, node)
    near = undirected(graph)
    require_nodes(near, [node])
    return set(near[node])


def markov_properties(graph: Any) -> dict[str, list[tuple[set[str], set[str], set[str]]]]:
    """The independencies (x, y, given) that the local and the pairwise Markov property of a graph say.

    Returns
    -------
    dict
        "local": each node and all beyond its neighbours, given these; "pairwise": each pair that is not joined, given
        all others.
    """
    near = undirected(graph)
    nodes = set(near)
    local = [({v}, nodes - near[v] - {v}, set(near[v])) for v in near if nodes - near[v] - {v}]
    pairwise = [({u}, {v}, nodes - {u, v}) for u, v in combinations(near, 2) if v not in near[u]]
    return {"local": local, "pairwise": pairwise}
