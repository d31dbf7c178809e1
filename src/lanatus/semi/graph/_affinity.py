"""Affinities of rows, their Laplacian and the energy of a function on them."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from lanatus.catalog import method
from lanatus.graph import degrees_of, kneighbors_graph, undirected
from lanatus.kernel import GaussianKernel
from lanatus.params import check_choice, check_integer, check_real


@method(
    "semi.label-affinity",
    section="13.4",
    task="distance",
    kind="function",
    en="Gaussian affinity matrix",
    zh="高斯亲和矩阵",
    peers=["scikit-learn:rbf_kernel"],
)
def affinity_matrix(X: Any, sigma: float = 1.0, *, n_neighbors: int | None = None) -> Any:
    r"""How near rows are: :math:`W_{ij} = e^{-\lVert x_i - x_j \rVert^2 / 2\sigma^2}` (13.11), and 0 on the diagonal.

    Book: section 13.4. Cost: :math:`O(n^2 d)`, memory :math:`8 n^2` bytes; of neighbours only what their search costs
    and :math:`O(n k)`.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The rows.
    sigma : float, default=1.0
        The width.
    n_neighbors : int or None, default=None
        With a number, only edges to the nearest rows, and from them back, are kept, as a sparse matrix.

    Returns
    -------
    ndarray or csr_array of shape (n_samples, n_samples)

    Examples
    --------
    >>> from lanatus.semi import affinity_matrix
    >>> affinity_matrix([[0.0], [1.0], [3.0]], sigma=1.0).round(3).tolist()
    [[0.0, 0.607, 0.011], [0.607, 0.0, 0.135], [0.011, 0.135, 0.0]]
    """
    sigma = check_real("sigma", sigma, 0, above=True)
    rows = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    if n_neighbors is None:
        W = np.asarray(GaussianKernel(sigma).pairs(rows, rows), dtype=np.float64)
        W.flat[:: len(W) + 1] = 0
        return W
    check_integer("n_neighbors", n_neighbors, 1, rows.shape[0] - 1)
    graph = undirected(kneighbors_graph(rows, n_neighbors, mode="distance"))
    graph.data = np.exp(-0.5 * (graph.data / sigma) ** 2)
    return graph


@method(
    section="13.4",
    task="distance",
    kind="function",
    en="Laplacian of a graph",
    zh="图拉普拉斯矩阵",
    peers=["scipy:laplacian"],
)
def graph_laplacian(W: Any, kind: str = "unnormalized") -> Any:
    r"""The Laplacian :math:`\Delta = D - W` of a matrix of weights, D its sums of rows (13.12); or a normalised one.

    Book: section 13.4. Cost: :math:`O(1)` an entry.

    Parameters
    ----------
    W : ndarray or sparse matrix of shape (n, n)
        Symmetric weights, none below 0.
    kind : {"unnormalized", "symmetric", "random-walk"}, default="unnormalized"
        :math:`D - W`, :math:`I - D^{-1/2} W D^{-1/2}` or :math:`I - D^{-1} W`; a node without edges has 0 in its row.

    Returns
    -------
    ndarray or csr_array of shape (n, n)

    Examples
    --------
    >>> from lanatus.semi import graph_laplacian
    >>> graph_laplacian([[0, 2], [2, 0]]).tolist()
    [[2.0, -2.0], [-2.0, 2.0]]
    """
    check_choice("kind", kind, ("unnormalized", "symmetric", "random-walk"))
    W = weights_of(W)
    degree = degrees_of(W)
    if kind == "unnormalized":
        return sp.csr_array(sp.diags_array(degree) - W) if sp.issparse(W) else np.diag(degree) - W
    there = degree > 0
    root = np.where(there, degree, 1.0) ** (-0.5 if kind == "symmetric" else -1.0)
    one = there.astype(np.float64)
    if sp.issparse(W):
        right = sp.diags_array(root) if kind == "symmetric" else sp.eye_array(len(root))
        return sp.csr_array(sp.diags_array(one) - sp.diags_array(root) @ W @ right)
    return np.diag(one) - (root[:, None] * W * root if kind == "symmetric" else root[:, None] * W)


@method(
    "semi.graph-energy",
    section="13.4",
    task="distance",
    kind="measure",
    en="Energy of a function on a graph",
    zh="图能量函数",
)
def graph_energy(f: Any, W: Any) -> float:
    r"""How rough a function is on a graph: :math:`E(f) = \frac12 \sum_{ij} W_{ij} (f_i - f_j)^2` (13.12).

    That is :math:`f^\top \Delta f` with the Laplacian :math:`\Delta`. Of several columns the energies are summed.

    Book: section 13.4. Cost: :math:`O(1)` an edge and column.

    Parameters
    ----------
    f : array of shape (n,) or (n, k)
        Values at the nodes.
    W : ndarray or sparse matrix of shape (n, n)
        Symmetric weights, none below 0.

    Examples
    --------
    >>> from lanatus.semi import graph_energy
    >>> graph_energy([1.0, 0.0], [[0, 2], [2, 0]])
    2.0
    """
    W = weights_of(W)
    values = np.asarray(f, dtype=np.float64)
    if len(values) != W.shape[0]:
        raise ValueError(f"f has {len(values)} values for {W.shape[0]} nodes; wanted one for each.")
    if not np.isfinite(values).all():
        raise ValueError("f holds NaN or infinity; wanted a number for each node.")
    edges = sp.coo_array(W)
    change = values[edges.row] - values[edges.col]
    return 0.5 * float((edges.data * (change**2).reshape(len(edges.data), -1).sum(axis=1)).sum())


def weights_of(W: Any) -> Any:
    """A matrix of weights of edges, checked: square, symmetric, finite, none below 0."""
    W = check_array(W, accept_sparse="csr", dtype=np.float64)
    if W.shape[0] != W.shape[1]:
        raise ValueError(f"weights of edges have shape {W.shape}; wanted a row and a column for each node.")
    lowest = W.data.min(initial=0.0) if sp.issparse(W) else W.min()
    if lowest < 0:
        raise ValueError(f"an edge has the weight {lowest:g}; wanted 0 or more.")
    gap = abs(W - W.T).max() if sp.issparse(W) else np.abs(W - W.T).max()
    if gap > 1e-8 * max(float(W.max()), np.finfo(float).tiny):
        raise ValueError(f"weights of edges must be symmetric; two directions of one differ by {float(gap):g}.")
    return sp.csr_array(W) if sp.issparse(W) else W
