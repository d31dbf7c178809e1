"""Shortest paths: Dijkstra's algorithm from every node, and Floyd's from all at once."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import core
from lanatus._core import graph as kernels
from lanatus.base import n_threads
from lanatus.catalog import method
from lanatus.graph._neighbor_graphs import undirected
from lanatus.params import check_choice
from lanatus.table import sound_sparse


@method(
    "reduce.shortest-paths",
    section="10.5.1",
    task="distance",
    kind="function",
    en="Dijkstra and Floyd shortest paths",
    zh="Dijkstra与Floyd算法",
    peers=["scipy:shortest_path"],
)
def shortest_path(
    graph: Any, *, method: str = "auto", directed: bool = True, unweighted: bool = False, indices: Any = None
) -> np.ndarray:
    r"""Lengths of the shortest paths between the nodes of a graph.

    Dijkstra's algorithm goes on from the nearest node reached so far; Floyd's allows one more node on the way at a
    time, :math:`d_{ij} \leftarrow \min(d_{ij}, d_{ik} + d_{kj})`. Both give the same lengths.

    Book: section 10.5.1; cookbook 9.3. Kernel: ``cpp/graph/shortest_paths.hpp``.
    Cost: Dijkstra :math:`O((n + e) \log n)` a node to begin at, Floyd :math:`O(n^3)` for all.

    Parameters
    ----------
    graph : sparse matrix or array of shape (n, n)
        Lengths of edges, 0 or more. What is stored in a sparse matrix is an edge, of an array what is neither 0 nor
        infinite.
    method : {"auto", "D", "FW"}, default="auto"
        Dijkstra's, which "auto" takes, or Floyd's (and Warshall's).
    directed : bool, default=True
        Whether an edge leads in one direction only; otherwise the shorter of the two leads in both.
    unweighted : bool, default=False
        Whether every edge counts as 1.
    indices : int or array of int, default=None
        Nodes to begin at; all by default.

    Returns
    -------
    ndarray of shape (n, n), or (n_indices, n), or (n,) for one node
        Lengths; infinite where no path leads.

    Examples
    --------
    >>> from lanatus.graph import shortest_path
    >>> shortest_path([[0, 1, 5], [0, 0, 2], [0, 0, 0]]).tolist()
    [[0.0, 1.0, 3.0], [inf, 0.0, 2.0], [inf, inf, 0.0]]
    """
    check_choice("method", method, ("auto", "D", "FW"))
    edges = _edges(graph)
    if unweighted:
        edges.data = np.ones_like(edges.data)
    if not directed:
        edges = undirected(edges)
    n = edges.shape[0]
    begin = np.arange(n) if indices is None else np.asarray(indices)
    if begin.dtype.kind not in "iu" or begin.ndim > 1 or (begin.size and not 0 <= begin.min() <= begin.max() < n):
        raise ValueError(f"indices must be numbers of nodes from 0 to {n - 1}; got {indices!r}.")
    if method == "FW":
        found = _floyd(edges)[begin]
        return found
    found = kernels.shortest_paths(core.csr(edges), np.atleast_1d(begin).astype(np.int32), n_threads=n_threads())
    return found if begin.ndim else found[0]


def _edges(graph: Any) -> sp.csr_array:
    """A copy of the graph as CSR, checked."""
    if sp.issparse(graph):
        found = sp.csr_array(sound_sparse(graph), dtype=np.float64, copy=True)
    else:
        dense = np.asarray(graph, dtype=np.float64)
        if dense.ndim != 2:
            raise ValueError(f"the graph must be a square matrix; got {dense.ndim} dimensions.")
        found = sp.csr_array(np.where(np.isinf(dense), 0.0, dense))
    if found.shape[0] != found.shape[1]:
        raise ValueError(f"the graph must be a square matrix; got shape {found.shape}.")
    if not (found.data >= 0).all():
        raise ValueError("lengths of edges must be 0 or more, and no NaN; got others.")
    found.indices, found.indptr = found.indices.astype(np.int32), found.indptr.astype(np.int32)
    return found


def _floyd(edges: sp.csr_array) -> np.ndarray:
    n = edges.shape[0]
    D = np.full((n, n), np.inf)
    rows = np.repeat(np.arange(n), np.diff(edges.indptr))
    np.minimum.at(D, (rows, edges.indices), edges.data)
    np.fill_diagonal(D, 0.0)
    for k in range(n):
        np.minimum(D, D[:, k, None] + D[k], out=D)
    return D
