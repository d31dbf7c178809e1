"""Separation in directed graphs, and the independencies that follow (section 7.5.1)."""

from collections.abc import Iterable
from itertools import combinations
from typing import Any, NamedTuple

from lanatus.catalog import method
from lanatus.graphical.graphs._directed import Parents, ancestors_of, children_of, parents_of, require_nodes
from lanatus.params import check_choice

Graph = dict[str, set[str]]


class Independence(NamedTuple):
    """x is independent of y given z."""

    x: str
    y: str
    given: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.x} ⊥ {self.y}" + (f" | {', '.join(self.given)}" if self.given else "")


class Pattern(NamedTuple):
    """How three variables hang together (figure 7.3).

    Attributes
    ----------
    name : str, "common parent", "chain", "V-structure" or "none"
    marginally : bool, whether the outer two are independent while nothing is known of the middle one
    given_middle : bool, whether they are once it is known
    """

    name: str
    marginally: bool
    given_middle: bool


@method(
    "graphical.moral-graph",
    section="7.5.1",
    task="inference",
    en="Moral graph",
    zh="道德图",
    peers=["networkx:moral_graph"],
)
def moral_graph(graph: Any) -> Graph:
    """The undirected graph in which all parents of a node are joined, and edges have no direction.

    Book: section 7.5.1, figure 7.4.

    Parameters
    ----------
    graph : BayesianNetwork, mapping of node to parents, or iterable of edges (parent, child)
        The directed graph.

    Returns
    -------
    dict of str to set of str
        The neighbours of each node.

    Examples
    --------
    >>> from lanatus.graphical import moral_graph
    >>> {node: sorted(near) for node, near in moral_graph([("a", "c"), ("b", "c")]).items()}
    {'a': ['b', 'c'], 'c': ['a', 'b'], 'b': ['a', 'c']}
    """
    return _moral(parents_of(graph))


def _moral(parents: Parents) -> Graph:
    near: Graph = {node: set() for node in parents}
    for node, above in parents.items():
        for one, other in combinations((node, *above), 2):
            near[one].add(other)
            near[other].add(one)
    return near


@method(
    "graphical.d-separation",
    section="7.5.1",
    task="inference",
    en="D-separation",
    zh="有向分离",
    peers=["networkx:is_d_separator"],
)
def d_separated(graph: Any, x: Any, y: Any, z: Any = (), *, method: str = "exact") -> bool:
    """Whether a directed graph makes x and y independent once z is known.

    They are if every way between them is cut: in the moral graph of x, y, z and all that they descend from, no path
    leads around z. Taken on the moral graph of the whole network, as the book words it, separation is still proof of
    independence, but some that hold are missed.

    Book: section 7.5.1. Cost: linear in the edges of the moral graph.

    Parameters
    ----------
    graph : BayesianNetwork, mapping of node to parents, or iterable of edges (parent, child)
        The directed graph.
    x, y : str or iterable of str
        The two sides.
    z : str or iterable of str, default=()
        What is known.
    method : {"exact", "book"}, default="exact"
        On the ancestors of x, y and z, or on the whole graph.

    Returns
    -------
    bool

    Examples
    --------
    >>> from lanatus.graphical import d_separated
    >>> v = [("x1", "x4"), ("x2", "x4")]
    >>> d_separated(v, "x1", "x2"), d_separated(v, "x1", "x2", "x4"), d_separated(v, "x1", "x2", method="book")
    (True, False, False)

    References
    ----------
    Lauritzen et al. (1990), Independence properties of directed Markov fields.
    """
    check_choice("method", method, ("exact", "book"))
    parents = parents_of(graph)
    sides = [_names(side) for side in (x, y, z)]
    require_nodes(parents, (name for side in sides for name in side))
    if not sides[0] or not sides[1] or len(set().union(*sides)) < sum(map(len, sides)):
        raise ValueError("x, y and z must not share a node, and x and y must not be empty.")
    return _separated(parents, *sides, whole=method == "book")


def _separated(parents: Parents, x: set[str], y: set[str], z: set[str], *, whole: bool) -> bool:
    kept = set(parents) if whole else ancestors_of(parents, x | y | z)
    near = _moral({node: above for node, above in parents.items() if node in kept})
    return not reached(near, x, z) & y


def reached(near: Graph, start: set[str], without: set[str]) -> set[str]:
    """Nodes that paths lead to which do not touch `without`."""
    found, waiting = set(start), list(start)
    while waiting:
        for other in near[waiting.pop()] - found - without:
            found.add(other)
            waiting.append(other)
    return found


def independencies(graph: Any, *, method: str = "exact", max_given: int | None = None) -> list[Independence]:
    """All independencies of two nodes given others that a directed graph says, as of figure 7.4.

    Book: section 7.5.1. Cost: exponential in the number of nodes; `max_given` limits it.

    Parameters
    ----------
    graph : BayesianNetwork, mapping of node to parents, or iterable of edges (parent, child)
        The directed graph.
    method : {"exact", "book"}, default="exact"
        As in `d_separated`.
    max_given : int or None, default=None
        Most nodes that are given; None lists all, of 16 nodes at most.

    Returns
    -------
    list of Independence
        By pair, those given fewer nodes first.
    """
    check_choice("method", method, ("exact", "book"))
    parents = parents_of(graph)
    if max_given is None and len(parents) > 16:
        raise ValueError(f"{len(parents)} nodes have too many sets of given ones; say max_given.")
    found = []
    for x, y in combinations(parents, 2):
        others = [node for node in parents if node not in (x, y)]
        most = len(others) if max_given is None else min(max_given, len(others))
        for size in range(most + 1):
            for z in combinations(others, size):
                if _separated(parents, {x}, {y}, set(z), whole=method == "book"):
                    found.append(Independence(x, y, z))
    return found


@method(
    "graphical.three-variable-patterns",
    section="7.5.1",
    task="inference",
    en="Independence patterns of three variables",
    zh="三变量依赖模式",
)
def independence_pattern(graph: Any, x: str, middle: str, y: str) -> Pattern:
    """Which of figure 7.3's patterns three variables make, and what it says of the outer two.

    Book: section 7.5.1, figure 7.3; exercise 7.8.

    Parameters
    ----------
    graph : BayesianNetwork, mapping of node to parents, or iterable of edges (parent, child)
        The directed graph.
    x, middle, y : str
        Three of its nodes.

    Returns
    -------
    Pattern
        Its name, and whether x and y are independent without and with the middle one; in the whole graph, where other
        paths may join them.

    Examples
    --------
    >>> from lanatus.graphical import independence_pattern
    >>> independence_pattern([("x1", "x3"), ("x1", "x4"), ("x2", "x4")], "x1", "x4", "x2")
    Pattern(name='V-structure', marginally=True, given_middle=False)
    """
    parents = parents_of(graph)
    require_nodes(parents, (x, middle, y))
    into = [side for side in (x, y) if side in parents[middle]]
    out = [side for side in (x, y) if middle in parents[side]]
    name = {(2, 0): "V-structure", (0, 2): "common parent", (1, 1): "chain"}.get((len(into), len(out)), "none")
    return Pattern(
        name,
        _separated(parents, {x}, {y}, set(), whole=False),
        _separated(parents, {x}, {y}, {middle}, whole=False),
    )


def directed_markov_blanket(parents: Parents, node: str) -> set[str]:
    """Parents, children and the children's other parents."""
    children = children_of(parents)[node]
    return {*parents[node], *children, *(one for child in children for one in parents[child])} - {node}


def _names(side: str | Iterable[str]) -> set[str]:
    return {side} if isinstance(side, str) else set(side)
