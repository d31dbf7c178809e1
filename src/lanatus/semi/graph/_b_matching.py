"""Graphs in which every node has the same number of edges."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.spatial.distance import pdist
from sklearn.utils import check_array

from lanatus.catalog import method
from lanatus.graph import kneighbors_graph, undirected
from lanatus.params import check_integer

_ALL_PAIRS = 150  # rows up to which every pair is a candidate


@method(
    "semi.b-matching-graph",
    section="13.7",
    task="distance",
    kind="function",
    en="b-matching graph",
    zh="b-匹配图",
    peers=["networkx:max_weight_matching"],
)
def b_matching_graph(X: Any, b: int, *, n_candidates: int | None = None) -> sp.csr_array:
    r"""The graph of the shortest edges in which every row has exactly b of them.

    Minimises :math:`\sum_{ij} P_{ij} d_{ij}` over symmetric :math:`P_{ij} \in \{0, 1\}` with :math:`\sum_j P_{ij} = b`,
    by branch and bound over a linear program. In a graph of nearest neighbours some rows are neighbours of very many
    others; here none is.

    Book: section 13.7. Cost: a linear program with a variable for each candidate edge; most often some branches.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The rows.
    b : int
        Edges at each row; where n_samples times b is odd, one row has one less.
    n_candidates : int or None, default=None
        Nearest rows to which a row may have an edge, twice as many where they are not enough. None is every row up to
        150 rows, then ``4 b + 4``.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        A 1 for each edge, in both directions.

    Examples
    --------
    >>> from lanatus.semi import b_matching_graph
    >>> b_matching_graph([[0.0], [1.0], [3.0], [10.0]], 1).toarray().tolist()
    [[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]]

    References
    ----------
    Jebara, Wang and Chang (2009), Graph construction and b-matching for semi-supervised learning.
    """
    rows = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2)
    n = rows.shape[0]
    b = check_integer("b", b, 1, n - 1)
    if n_candidates is None:
        count = n - 1 if n <= _ALL_PAIRS else min(4 * b + 4, n - 1)
    else:
        count = max(check_integer("n_candidates", n_candidates, 1), b)
    while True:
        count = min(count, n - 1)
        found = _matched(*_candidates(rows, count), n, b)
        if found is not None:
            return found
        count *= 2


def _candidates(rows: Any, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges, each once, and their lengths."""
    n = rows.shape[0]
    if count == n - 1 and not sp.issparse(rows):
        i, j = np.triu_indices(n, 1)
        return i, j, pdist(rows.astype(np.float64))
    graph = sp.coo_array(sp.triu(undirected(kneighbors_graph(rows, count, mode="distance")), 1))
    pairs = sp.coo_array(sp.triu(undirected(kneighbors_graph(rows, count)), 1))  # twins have edges of length 0
    length = sp.csr_array((graph.data, graph.coords), shape=(n, n))
    i, j = pairs.coords
    return i, j, np.asarray(length[i, j]).ravel()


def _matched(i: np.ndarray, j: np.ndarray, length: np.ndarray, n: int, b: int) -> sp.csr_array | None:
    """The shortest b-matching among some edges; None if they have none."""
    m = len(length)
    at = np.arange(m)
    degree = sp.csr_array((np.ones(2 * m), (np.concatenate([i, j]), np.concatenate([at, at]))), shape=(n, m))
    whole = n * b // 2
    least = np.full(n, float(b)) if n * b % 2 == 0 else np.full(n, float(b - 1))
    limits = [LinearConstraint(degree, least, np.full(n, float(b)))]
    if n * b % 2:
        limits.append(LinearConstraint(sp.csr_array(np.ones((1, m))), whole, whole))
    scale = float(length.max(initial=0.0)) or 1.0
    done = milp(
        length / scale, integrality=np.ones(m), bounds=Bounds(0, 1), constraints=limits, options={"mip_rel_gap": 0.0}
    )
    if done.x is None:
        return None
    used = done.x > 0.5
    i, j = i[used], j[used]
    both = (np.concatenate([i, j]), np.concatenate([j, i]))
    return sp.csr_array((np.ones(2 * len(i)), both), shape=(n, n))
