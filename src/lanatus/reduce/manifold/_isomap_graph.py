"""The graph that Isomap measures along: neighbours, repaired where it is in parts or has short circuits."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.graph import components_of, joined_components, undirected
from lanatus.neighbors import NearestNeighbors
from lanatus.reduce.manifold._distances import distances

_BLOCK = 2**24  # distances looked at at once


def search_for(model: Any, X: Any) -> NearestNeighbors:
    """Rows ready to be searched as the parameters of a model say."""
    return NearestNeighbors(
        n_neighbors=model.n_neighbors or 1,
        radius=1.0 if getattr(model, "radius", None) is None else model.radius,
        algorithm=model.neighbors_algorithm,
        metric=getattr(model, "metric", "minkowski"),
        p=getattr(model, "p", 2),
        metric_params=getattr(model, "metric_params", None),
        n_jobs=model.n_jobs,
    ).fit(X)


def neighbour_graph(search: NearestNeighbors, k: int | None, n: int) -> sp.csr_array:
    """Distances to the k nearest rows, or to all within the radius of the search; an edge has a direction."""
    if n == 1:
        return sp.csr_array((1, 1))
    if k is None:
        return sp.csr_array(search.radius_neighbors_graph(mode="distance"))
    return sp.csr_array(search.kneighbors_graph(n_neighbors=min(k, n - 1), mode="distance"))


def repaired(graph: sp.csr_array, X: Any, how: str, metric: Any, p: float, params: Any) -> tuple[sp.csr_array, int]:
    """The undirected graph, without what may be short circuits, and in one part.

    "mutual" keeps edges between rows that are neighbours of each other; "prune" takes out edges whose ends have few
    neighbours in common. Parts are then joined by the shortest edges between them.
    """
    edges = undirected(graph, "both" if how == "mutual" else "either")
    if how == "prune":
        edges = _pruned(edges)
    if components_of(edges)[0] == 1:
        return edges, 0

    def closest(inside: np.ndarray, outside: np.ndarray) -> tuple[int, int, float]:
        best = (np.inf, -1, -1)
        step = max(1, _BLOCK // max(len(outside), 1))
        for start in range(0, len(inside), step):
            part = inside[start : start + step]
            if isinstance(metric, str) and metric == "precomputed":
                D = np.asarray(X[part][:, outside], dtype=np.float64)
            else:
                D = distances(X[part], X[outside], metric, params, p)
            at = int(D.argmin())
            i, j = divmod(at, len(outside))
            best = min(best, (float(D[i, j]), int(part[i]), int(outside[j])))
        return best[1], best[2], best[0]

    return joined_components(edges, closest)


def _pruned(edges: sp.csr_array) -> sp.csr_array:
    """Without edges whose ends share less than a quarter of the neighbours that ends of edges share as a rule."""
    pattern = sp.csr_array((np.ones(len(edges.data)), edges.indices, edges.indptr), shape=edges.shape)
    rows = np.repeat(np.arange(edges.shape[0]), np.diff(edges.indptr))
    common = np.asarray((pattern @ pattern)[rows, edges.indices]).ravel()
    keep = common >= 0.25 * np.median(common) if len(common) else np.ones(0, dtype=bool)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows[keep], minlength=edges.shape[0]))]).astype(np.int32)
    return sp.csr_array((edges.data[keep], edges.indices[keep], starts), shape=edges.shape)
