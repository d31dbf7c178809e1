"""The notions of DBSCAN: core, reachable, connected (section 9.5, figure 9.8)."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order

from lanatus.catalog import method
from lanatus.cluster.measures._labels import numbers_of
from lanatus.neighbors import open_search
from lanatus.params import check_integer, check_real


class DensityRelations(NamedTuple):
    """How rows hang together; all are matrices of truth values, row i seen from row j as ``[j, i]``, but `core`."""

    core: np.ndarray
    directly_reachable: np.ndarray
    reachable: np.ndarray
    connected: np.ndarray


class ClusterCheck(NamedTuple):
    """Whether a set is a cluster in the sense of DBSCAN: connected (9.39) and maximal (9.40), and not empty."""

    connected: bool
    maximal: bool

    @property
    def is_cluster(self) -> bool:
        """Whether it is both."""
        return self.connected and self.maximal


@method(
    "cluster.density-reachability",
    section="9.5",
    task="clustering",
    kind="function",
    en="Core objects, density-reachability and density-connectivity",
    zh="密度直达、可达、相连",
)
def density_relations(X: Any, eps: float, min_samples: int, metric: Any = "euclidean") -> DensityRelations:
    r"""Which rows are core, and which can be reached from which.

    Row i is *directly reachable* from j if j is core and i lies within eps of it; *reachable* if a chain of such steps
    leads from j to i; i and j are *connected* if both are reachable from one row. A row is reachable from itself.

    Book: section 9.5, figure 9.8. Cost: :math:`O(n^2)` memory, :math:`O(n m)` time for m pairs within eps: to look at.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The rows.
    eps : float
        Radius of a neighbourhood.
    min_samples : int
        Least number of rows in the neighbourhood of a core row, itself included.
    metric : str or callable, default="euclidean"
        The distance, as in `DBSCAN`.

    Returns
    -------
    DensityRelations

    Examples
    --------
    >>> from lanatus.cluster import density_relations
    >>> how = density_relations([[0.0], [1.0], [2.0], [9.0]], eps=1, min_samples=3)
    >>> how.core.tolist()
    [False, True, False, False]
    >>> bool(how.directly_reachable[1, 0]), bool(how.directly_reachable[0, 1]), bool(how.connected[0, 2])
    (True, False, True)
    """
    rows = numbers_of(X)
    eps, min_samples = check_real("eps", eps, 0), check_integer("min_samples", min_samples, 1)
    n = len(rows)
    starts, indices, _ = open_search(rows, metric, {}).within(rows, eps, np.arange(n))
    near = np.eye(n, dtype=bool)
    near[np.repeat(np.arange(n), np.diff(starts)), indices] = True
    core = near.sum(axis=1) >= min_samples
    direct = near & core[:, None]
    graph = csr_matrix(direct)
    reachable = np.eye(n, dtype=bool)
    for row in np.flatnonzero(core):
        reachable[row, breadth_first_order(graph, row, return_predecessors=False)] = True
    return DensityRelations(core, direct, reachable, (reachable.astype(int).T @ reachable.astype(int)) > 0)


@method(
    section="9.5", task="clustering", kind="function", en="Whether a set is a cluster of DBSCAN", zh="密度聚类簇检验"
)
def check_dbscan_cluster(X: Any, members: Any, eps: float, min_samples: int, metric: Any = "euclidean") -> ClusterCheck:
    """Whether a set of rows is connected (9.39) and maximal (9.40): exercise 9.5 asks to prove it of DBSCAN's sets.

    Book: section 9.5, exercise 9.5.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The rows.
    members : array of int, or of bool of shape (n_samples,)
        The rows of the set.
    eps : float
        Radius of a neighbourhood.
    min_samples : int
        Least number of rows in the neighbourhood of a core row, itself included.
    metric : str or callable, default="euclidean"
        The distance, as in `DBSCAN`.

    Returns
    -------
    ClusterCheck

    Examples
    --------
    >>> from lanatus.cluster import check_dbscan_cluster
    >>> check_dbscan_cluster([[0.0], [1.0], [2.0], [9.0]], [0, 1], eps=1, min_samples=3)
    ClusterCheck(connected=True, maximal=False)
    """
    if not np.size(members):
        raise ValueError("members names no row; wanted one or more.")
    how = density_relations(X, eps, min_samples, metric)
    inside = np.zeros(len(how.core), dtype=bool)
    inside[np.asarray(members)] = True
    if not inside.any():
        raise ValueError("members names no row; wanted one or more.")
    connected = bool(how.connected[np.ix_(inside, inside)].all())
    maximal = bool(inside[how.reachable[inside].any(axis=0)].all())
    return ClusterCheck(connected, maximal)
