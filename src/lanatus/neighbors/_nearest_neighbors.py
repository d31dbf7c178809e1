"""Search for neighbours, with no target."""

from typing import Any, Self

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.neighbors import _questions as questions
from lanatus.neighbors._base import NEIGHBOR_RULES, NeighborsBase
from lanatus.params import rules_for


@method(
    section="10.1",
    task="transform",
    en="Search for nearest neighbours",
    zh="近邻搜索",
    peers=["scikit-learn:NearestNeighbors"],
)
class NearestNeighbors(NeighborsBase):
    """Finds the rows nearest to a query, or all within a radius, exactly.

    By a k-d tree, a ball tree or the comparison of all pairs in registers, by whichever is fastest for the rows given:
    the answer is the same, whatever the number of threads.

    Book: section 10.1. Kernels: ``cpp/neighbors/nearest.hpp``, ``cpp/neighbors/within.hpp``.
    Cost: ``fit`` O(n d log n); a query O(d (k + log n)) in few dimensions, up to O(n d) in many. Memory O(n d).

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours `kneighbors` finds.
    radius : float, default=1.0
        How far `radius_neighbors` looks.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        "auto" grows a k-d tree, looks how much of it a few searches see, and keeps it where that is cheaper than
        comparing all pairs.
    leaf_size : int, default=30
        Rows in a leaf of a tree, in steps of eight.
    metric : str or callable, default="minkowski"
        The distance: a name as in `lanatus.metric.pairwise_distances`, "gower" for mixed tables with missing values,
        "precomputed", or a function of two rows, the query first, which need not be symmetric.
    p : float, default=2
        Order of Minkowski's distance, 1 or more.
    metric_params : dict or None, default=None
        Other parameters of the distance, such as {"w": weights} for "minkowski" or {"VI": M} for "mahalanobis".
    n_jobs : int or None, default=None
        Threads; None and -1 are all that OMP_NUM_THREADS and threadpoolctl allow.

    Attributes
    ----------
    effective_metric_ : str or callable
        The distance, common orders of Minkowski's by their own names.
    effective_metric_params_ : dict
        Its parameters.
    n_samples_fit_ : int
        Number of rows.

    Notes
    -----
    Ties go to the lower row. A NaN distance, of a function or of rows with no attribute in common, counts as infinite.

    Examples
    --------
    >>> from lanatus.neighbors import NearestNeighbors
    >>> model = NearestNeighbors(n_neighbors=2).fit([[0.0], [1.0], [5.0]])
    >>> distances, indices = model.kneighbors([[0.9]])
    >>> indices.tolist(), distances.round(3).tolist()
    ([[1, 0]], [[0.1, 0.9]])
    >>> model.radius_neighbors_graph(radius=1.5).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """

    kneighbors, kneighbors_graph = questions.kneighbors, questions.kneighbors_graph
    radius_neighbors, radius_neighbors_graph = questions.radius_neighbors, questions.radius_neighbors_graph

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        radius: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: Any = "minkowski",
        p: float = 2,
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    _params = rules_for(__init__, NEIGHBOR_RULES)

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Make the rows ready to be searched.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows, or the distances of all pairs where `metric` is "precomputed".
        y : None
            Ignored.

        Returns
        -------
        self
        """
        self._open(self._take(X, reset=True))
        return self
