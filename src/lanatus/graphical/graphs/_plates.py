"""Plates: parts of a graph that stand for many like them (section 14.5.2)."""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.graphical.graphs._directed import parents_of
from lanatus.params import check_integer

_MOST = 1_000_000  # copies of nodes


@method(
    "graphical.plate-notation",
    section="14.5.2",
    task="inference",
    kind="model",
    en="Plate notation",
    zh="盘式记法",
    peers=["daft:PGM"],
)
class PlateModel:
    r"""A directed graph drawn once for variables that come many times: each plate repeats what lies on it.

    A node on several plates is repeated for each combination of their numbers. An edge joins those copies of its ends
    whose numbers on common plates agree: :math:`\beta_k \to w_{t,n}` leads from every topic to every word.

    `plot_graph` draws it with a box for each plate.

    Book: section 14.5.2, figure 14.10; figure 14.12; exercise 14.1. Cost: a step a node and edge of the expanded graph.

    Parameters
    ----------
    edges : mapping of node to parents, or iterable of edges (parent, child)
        The graph.
    plates : mapping of str to iterable of str
        Name of each plate, a letter mostly, and the nodes on it. Of two plates one lies on the other, they cross, or
        they have no node in common.
    nodes : iterable of str, default=()
        Nodes without an edge.
    observed : iterable of str, default=()
        Nodes that are observed, drawn filled.

    Attributes
    ----------
    parents : dict of str to tuple of str
    plates : dict of str to tuple of str
    observed : frozenset of str

    Examples
    --------
    >>> from lanatus.graphical import PlateModel
    >>> mixture = PlateModel([("z", "x")], plates={"N": ["x"]}, observed=["x"])
    >>> mixture.expand(N=3)
    {'z': (), 'x[1]': ('z',), 'x[2]': ('z',), 'x[3]': ('z',)}
    >>> topics = PlateModel(
    ...     [("Θ", "z"), ("z", "w"), ("β", "w")], plates={"T": ["Θ", "z", "w"], "N": ["z", "w"], "K": ["β"]}
    ... )
    >>> topics.expand(T=2, N=1, K=2)["w[2,1]"]
    ('z[2,1]', 'β[1]', 'β[2]')

    References
    ----------
    Buntine (1994), Operations for learning with graphical models.
    """

    def __init__(
        self,
        edges: Any,
        *,
        plates: Mapping[str, Iterable[str]],
        nodes: Iterable[str] = (),
        observed: Iterable[str] = (),
    ) -> None:
        self.parents: dict[str, tuple[str, ...]] = {name: tuple(own) for name, own in parents_of(edges).items()}
        self.parents |= {name: () for name in nodes if name not in self.parents}
        self.plates = {name: tuple(dict.fromkeys(own)) for name, own in plates.items()}
        self.observed = frozenset(observed)
        for name, own in [*self.plates.items(), ("observed", tuple(self.observed))]:
            if lost := [node for node in own if node not in self.parents]:
                raise ValueError(f"{name} names {lost}, which are no nodes of the graph: {list(self.parents)}.")
            if not own and name in self.plates:
                raise ValueError(f"no node lies on the plate {name}.")

    def plates_of(self, node: str) -> tuple[str, ...]:
        """The plates that a node lies on, in the order they were given.

        Parameters
        ----------
        node : str
            The node.
        """
        return tuple(name for name, own in self.plates.items() if node in own)

    def expand(self, **sizes: int) -> dict[str, tuple[str, ...]]:
        """The whole graph: every copy and its parents, as `BayesianNetwork` and `plot_graph` take it.

        Parameters
        ----------
        **sizes : int
            How often each plate is repeated; 0 leaves its nodes out.
        """
        if set(sizes) != set(self.plates):
            raise ValueError(f"got sizes of {sorted(sizes)}, wanted one for each plate: {sorted(self.plates)}.")
        sizes = {name: check_integer(name, size, 0) for name, size in sizes.items()}
        copies = 0.0
        for node in self.parents:
            copies += float(np.prod([float(sizes[plate]) for plate in self.plates_of(node)]))
        if copies > _MOST:
            raise ValueError(f"{copies:.3g} nodes would be made; at most {_MOST:.0e} are, so take smaller plates.")
        found = {}
        for node, above in self.parents.items():
            for at in self._numbers(self.plates_of(node), sizes):
                found[_copy(node, at, self.plates_of(node))] = tuple(
                    _copy(parent, other, self.plates_of(parent))
                    for parent in above
                    for other in self._numbers(self.plates_of(parent), sizes, at)
                )
        return found

    @staticmethod
    def _numbers(
        plates: tuple[str, ...], sizes: Mapping[str, int], given: Mapping[str, int] | None = None
    ) -> Iterable[dict[str, int]]:
        """Every combination of numbers on these plates, where some are given."""
        known = given or {}
        ranges = [[known[plate]] if plate in known else range(1, sizes[plate] + 1) for plate in plates]
        return (dict(zip(plates, at, strict=True)) for at in product(*ranges))


def _copy(node: str, at: Mapping[str, int], plates: tuple[str, ...]) -> str:
    return f"{node}[{','.join(str(at[plate]) for plate in plates)}]" if plates else node
