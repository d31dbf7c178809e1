"""Classes parted by minimum cuts."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from lanatus.catalog import method
from lanatus.params import rules_for
from lanatus.semi.graph._graph_classifier import RULES, GraphClassifier

_UNITS = 1 << 30  # parts that the sum of the weights is cut into: flows are of whole parts


@method(
    "semi.graph-mincut",
    section="13.7",
    task="classification",
    en="Graph mincut",
    zh="最小割图半监督学习",
    peers=["networkx:minimum_cut"],
)
class GraphMincut(GraphClassifier):
    r"""Labels that cut edges of the least weight: :math:`\min_y \sum_{ij} W_{ij} \, 1[y_i \ne y_j]`.

    Labelled rows keep their class. Of two classes the cut is a minimum cut between their rows, by maximum flow; of
    several each is cut from the rest, the rows that no class needs go to the one whose cut is the dearest, and the sum
    is at most :math:`2 - 2/k` times the least possible.

    Book: section 13.7. Cost: a maximum flow for each class; "knn" takes memory in proportion to the edges.

    Parameters
    ----------
    kernel : {"rbf", "knn", "precomputed"} or callable, default="knn"
        What edges weigh: :math:`e^{-\gamma \lVert x - z \rVert^2}`; 1 to the nearest neighbours and from them back; X
        itself; or what a function of two tables of rows gives.
    gamma : float, default=20
        Factor of "rbf".
    n_neighbors : int, default=7
        Of "knn", the row itself included.
    n_jobs : int or None, default=None
        Threads of the search for neighbours.

    Attributes
    ----------
    X_ : ndarray or CSR matrix of shape (n_samples, n_features), the rows
    classes_ : ndarray of shape (n_classes,), the labels
    scores_ : ndarray of shape (n_samples, n_classes), 1 at the class of a row
    label_distributions_ : ndarray of shape (n_samples, n_classes), the same, or shares where no label reaches
    transduction_ : ndarray of shape (n_samples,), the class of each row of ``fit``
    class_prior_ : ndarray of shape (n_classes,), shares of the classes among the labelled rows
    cut_ : float, weight of the edges between rows of different classes
    n_iter_ : int, flows
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A minimum cut may cut off the labelled rows alone, one by one, where these are few and the graph is dense; take
    "knn". Weights are rounded to a billionth of their sum. Of several minimum cuts the one with the smallest classes
    is taken before rows are left to the dearest.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.semi import GraphMincut
    >>> path = np.diag([3.0, 1.0, 2.0, 3.0], 1)
    >>> model = GraphMincut(kernel="precomputed").fit(path + path.T, [0, -1, -1, -1, 1])
    >>> model.transduction_.tolist(), model.cut_
    ([0, 0, 1, 1, 1], 1.0)

    References
    ----------
    Blum and Chawla (2001), Learning from labeled and unlabeled data using graph mincuts. Dahlhaus, Johnson,
    Papadimitriou, Seymour and Yannakakis (1994), The complexity of multiterminal cuts.
    """

    cut_: float

    max_iter = 1
    tol = 0.0
    solver = "auto"

    def __init__(
        self, kernel: Any = "knn", *, gamma: float = 20, n_neighbors: int = 7, n_jobs: int | None = None
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs

    _params = rules_for(__init__, RULES)

    def _solve(self, W: Any, start: np.ndarray, codes: np.ndarray, reached: np.ndarray) -> tuple[np.ndarray, int, bool]:
        k = start.shape[1]
        chosen = codes.astype(np.intp)
        asked = (codes < 0) & reached
        if asked.any() and k > 1:
            graph = _in_units(W)
            price = np.zeros(k)
            for c in range(k):
                side, price[c] = _isolated(graph, codes == c, (codes >= 0) & (codes != c))
                chosen[side & asked & (chosen < 0)] = c
            chosen[asked & (chosen < 0)] = price.argmax()
        elif k == 1:
            chosen[asked] = 0
        edges = sp.coo_array(W)
        self.cut_ = float(edges.data[chosen[edges.row] != chosen[edges.col]].sum() / 2)
        scores = np.zeros_like(start)
        scores[reached, chosen[reached]] = 1
        return scores, k, True


def _in_units(W: Any) -> sp.csr_array:
    """Weights as whole numbers whose sum is no larger than what flows may be."""
    graph = sp.csr_array(W)
    total = float(graph.data.sum())
    whole = total < _UNITS and bool((graph.data == np.round(graph.data)).all())
    units = graph.data if whole else np.rint(graph.data * (_UNITS / total))
    made = sp.csr_array((units.astype(np.int32), graph.indices.astype(np.int32), graph.indptr.astype(np.int32)))
    made.resize(graph.shape)
    made.eliminate_zeros()
    return made


def _isolated(graph: sp.csr_array, inside: np.ndarray, outside: np.ndarray) -> tuple[np.ndarray, int]:
    """The fewest nodes with some inside that a minimum cut parts from others, and its weight.

    All nodes inside are one, the source, and all outside another, the sink: what lies between nodes of one of them is
    never cut.
    """
    n = graph.shape[0]
    free = ~(inside | outside)
    place = np.zeros(n, dtype=np.int32)
    place[free] = np.arange(free.sum())
    source, sink = int(free.sum()), int(free.sum()) + 1
    place[inside], place[outside] = source, sink
    edges = sp.coo_array(graph)
    row, column = place[edges.coords[0]], place[edges.coords[1]]
    between = row != column
    merged = sp.coo_array((edges.data[between].astype(np.int64), (row[between], column[between])), (sink + 1,) * 2)
    small = sp.csr_array(merged)  # sums double edges
    small = sp.csr_array((small.data.astype(np.int32), small.indices, small.indptr), shape=small.shape)
    found = maximum_flow(sp.csr_matrix(small), source, sink)
    left = sp.csr_array(sp.csr_array(small) - sp.csr_array(found.flow))
    left.data[left.data < 0] = 0
    left.eliminate_zeros()
    kept = breadth_first_order(left, source, directed=True, return_predecessors=False)
    side = inside.copy()
    mine = np.zeros(sink + 1, dtype=bool)
    mine[kept] = True
    side[free] = mine[place[free]]
    return side, int(found.flow_value)
