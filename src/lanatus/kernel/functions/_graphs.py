"""Kernels of graphs."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lanatus.catalog import savable
from lanatus.kernel.functions._kernel import Kernel
from lanatus.params import check_integer


class LabelledGraph(NamedTuple):
    """Neighbours of each node as CSR, and a label of each."""

    starts: np.ndarray
    neighbours: np.ndarray
    labels: list[Any]


@savable
class WeisfeilerLehmanKernel(Kernel):
    r"""Shared neighbourhoods of the nodes of two graphs, wider and wider, after Weisfeiler and Lehman.

    In each round a node's label becomes its label together with the sorted labels of its neighbours;
    :math:`\kappa(G, H) = \sum_{r=0}^{h} \sum_u n^r_u(G) n^r_u(H)` counts the labels u that both have after r rounds.

    Cost: :math:`O(h)` times the edges, sorted, and a product of sparse matrices.

    Parameters
    ----------
    n_iter : int, default=3
        Rounds, *h*; with 0 only the labels of the nodes are compared.
    normalize : bool, default=True
        Whether the kernel is divided by :math:`\sqrt{\kappa(G, G) \kappa(H, H)}`.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.kernel import WeisfeilerLehmanKernel
    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> triangle = 1 - np.eye(3)
    >>> WeisfeilerLehmanKernel(1, normalize=False)([(path, "aaa"), (triangle, "aaa")]).tolist()
    [[14.0, 12.0], [12.0, 18.0]]

    References
    ----------
    Shervashidze et al. (2011), Weisfeiler-Lehman graph kernels.
    """

    def __init__(self, n_iter: int = 3, normalize: bool = True) -> None:
        self.n_iter = n_iter
        self.normalize = normalize

    def looked_at(self, X: Any, name: str) -> list[LabelledGraph]:
        """Graphs: pairs of an adjacency matrix and labels of the nodes, or matrices alone, whose nodes are alike."""
        graphs = [_graph(one, name) for one in X]
        if not graphs:
            raise ValueError(f"{name} is empty; wanted at least one graph.")
        return graphs

    def pairs(self, X: Any, Z: Any) -> np.ndarray:
        """Kernel matrix of graphs that were looked at."""
        together = X if X is Z else [*X, *Z]
        counts = self._counts(together)
        A, B = counts[: len(X)], counts if X is Z else counts[len(X) :]
        K = np.asarray((A @ B.T).toarray())
        if not self.normalize:
            return K
        own, other = (np.sqrt(np.asarray(one.multiply(one).sum(axis=1)).ravel()) for one in (A, B))
        return np.asarray(K / np.multiply.outer(own, other))

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each graph with itself."""
        counts = self._counts(X)
        squares = np.asarray(counts.multiply(counts).sum(axis=1)).ravel()
        return np.ones(len(X)) if self.normalize else squares

    def _counts(self, graphs: list[LabelledGraph]) -> Any:
        """How often each label of each round stands in each graph."""
        rows = np.repeat(np.arange(len(graphs)), [len(one.labels) for one in graphs])
        names: dict[Any, int] = {}
        labels = [[names.setdefault(label, len(names)) for label in one.labels] for one in graphs]
        blocks = [_tally(rows, labels, len(names), len(graphs))]
        for _ in range(check_integer("n_iter", self.n_iter, 0)):
            wider: dict[Any, int] = {}
            labels = [
                [wider.setdefault(key, len(wider)) for key in _neighbourhoods(one, now)]
                for one, now in zip(graphs, labels, strict=True)
            ]
            blocks.append(_tally(rows, labels, len(wider), len(graphs)))
        return sp.hstack(blocks, format="csr")


def _neighbourhoods(graph: LabelledGraph, labels: list[int]) -> list[tuple[int, ...]]:
    near = np.array(labels)[graph.neighbours] if len(graph.neighbours) else np.empty(0, dtype=np.int64)
    spans = zip(labels, graph.starts[:-1], graph.starts[1:], strict=True)
    return [(own, *np.sort(near[start:end]).tolist()) for own, start, end in spans]


def _tally(rows: np.ndarray, labels: list[list[int]], n_labels: int, n_graphs: int) -> Any:
    columns = np.concatenate([np.asarray(one, dtype=np.int64) for one in labels])
    return sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n_graphs, n_labels))


def _graph(one: Any, name: str) -> LabelledGraph:
    adjacency, labels = one if isinstance(one, tuple) and len(one) == 2 else (one, None)
    matrix = sp.csr_matrix(adjacency)
    if matrix.shape[0] != matrix.shape[1] or not matrix.shape[0]:
        raise ValueError(f"{name} holds an adjacency matrix of shape {matrix.shape}; wanted a square one.")
    matrix.eliminate_zeros()
    own = [0] * matrix.shape[0] if labels is None else list(labels)
    if len(own) != matrix.shape[0]:
        raise ValueError(f"{name} holds a graph of {matrix.shape[0]} nodes with {len(own)} labels; wanted one each.")
    return LabelledGraph(matrix.indptr, matrix.indices, own)
