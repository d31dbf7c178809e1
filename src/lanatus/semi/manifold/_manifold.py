"""What models that are smooth along a graph of all rows share."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, lstsq, solve

from lanatus.graph import kneighbors_graph, undirected
from lanatus.kernel.kernelized import KernelModel
from lanatus.kernel.svm import RULES as KERNEL_MACHINE_RULES
from lanatus.neighbors import NearestNeighbors
from lanatus.params import Flag, Integer, Real
from lanatus.semi.graph._affinity import graph_laplacian

RULES = {
    **KERNEL_MACHINE_RULES,
    "gamma_A": Real(above=0, below=np.inf),
    "gamma_I": Real(low=0, below=np.inf),
    "n_neighbors": Integer(low=1),
    "normalize": Flag(),
}


class ManifoldModel(KernelModel):
    r"""A sum of kernels at all rows, with a penalty on :math:`f^\top L f` over the graph of their neighbours."""

    gamma_A: float
    gamma_I: float
    n_neighbors: int
    normalize: bool

    def _laplacian(self, X: Any, K: np.ndarray) -> Any:
        """The Laplacian of the graph of nearest rows."""
        n = len(K)
        most = min(self.n_neighbors, n - 1)
        if most < 1:
            return sp.csr_array((n, n))
        if self.kernel_ is None:  # the rows are not there: their distances in the space of the kernel
            own = np.diagonal(K)
            away = np.sqrt(np.maximum(own[:, None] + own - 2 * K, 0.0))
            np.fill_diagonal(away, 0.0)
            search = NearestNeighbors(n_neighbors=most, metric="precomputed").fit(away)
            graph = undirected(search.kneighbors_graph(mode="connectivity"))
        else:
            graph = undirected(kneighbors_graph(X, most))
        graph.data[:] = 1.0
        return graph_laplacian(graph, "symmetric" if self.normalize else "unnormalized")


def solved(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The solution of a square system, or the least one where it is singular."""
    try:
        found = np.asarray(solve(A, B, check_finite=False, assume_a="gen"))
        if np.isfinite(found).all():
            return found
    except (LinAlgError, ValueError):
        pass
    return np.asarray(lstsq(A, B)[0])
