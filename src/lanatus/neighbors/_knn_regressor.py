"""The k-nearest-neighbour regressor."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from lanatus.base import Floats, StateError, fitting
from lanatus.catalog import Contender, method
from lanatus.neighbors import _questions as questions
from lanatus.neighbors._base import NEIGHBOR_RULES, NeighborsBase
from lanatus.neighbors._targets import learn_numbers
from lanatus.neighbors._votes import neighbor_weights, weighted_means
from lanatus.params import rules_for
from lanatus.scale import blockwise
from lanatus.spaces import Options, Span


class NeighborsRegressor(RegressorMixin, NeighborsBase):
    """Base of regressors that average the numbers of neighbours."""

    _state: ClassVar = {"_targets": Floats("rows", "outputs")}

    outputs_2d_: bool
    _targets: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _require_sound(self) -> None:
        if len(self._targets) != self._search.n:
            raise StateError("_targets and the rows differ in number")

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Make the rows ready to be searched; nothing else is learned.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows, or the distances of all pairs where `metric` is "precomputed".
        y : array of shape (n_samples,) or (n_samples, n_outputs)
            The numbers.

        Returns
        -------
        self
        """
        rows = self._take(X, reset=True)
        self._targets = learn_numbers(self, y, rows)
        self._open(rows)
        return self

    def _shaped(self, means: np.ndarray) -> np.ndarray:
        return means if self.outputs_2d_ else means[:, 0]


@method(
    "neighbors.knn-regressor",
    section="10.1",
    task="regression",
    en="k-nearest-neighbour regressor",
    zh="k近邻回归",
    peers=["scikit-learn:KNeighborsRegressor"],
    contender=Contender(
        simplicity=4,
        starts=({"n_neighbors": 7, "weights": "distance"}, {"n_neighbors": 25, "weights": "distance"}),
        space={
            "n_neighbors": Span(1, 100, log=True, whole=True),
            "weights": Options(("uniform", "distance")),
            "p": Options((1, 2)),
        },
        most_rows=200_000,
        most_columns=200,
    ),
)
class KNeighborsRegressor(NeighborsRegressor):
    r"""The mean of the *k* nearest rows.

    :math:`\hat y(x) = \sum_{i \in N_k(x)} w_i y_i / \sum_{i \in N_k(x)} w_i` with weights 1, or 1 over the distance.
    Lazy: ``fit`` keeps the rows and grows a search tree.

    Book: section 10.1. Kernels: ``cpp/neighbors/nearest.hpp``.
    Cost: ``fit`` O(n d log n); a query O(d (k + log n)) in few dimensions, up to O(n d) in many. Memory O(n d).

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours *k*; all rows where there are fewer.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        How much a neighbour counts: alike, by 1 over its distance (neighbours at distance 0 alone, where there are
        some), or as a function of the array of distances says. Where all count nothing, all count alike.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How neighbours are found; answers are the same. See `NearestNeighbors`.
    leaf_size : int, default=30
        Rows in a leaf of a tree, in steps of eight.
    p : float, default=2
        Order of Minkowski's distance.
    metric : str or callable, default="minkowski"
        The distance: a name as in `lanatus.metric.pairwise_distances`, "gower" for mixed tables with missing values,
        "precomputed", or a function of two rows.
    metric_params : dict or None, default=None
        Other parameters of the distance.
    n_jobs : int or None, default=None
        Threads; None and -1 are all that OMP_NUM_THREADS and threadpoolctl allow.

    Attributes
    ----------
    outputs_2d_ : bool
        Whether y had two dimensions.
    effective_metric_ : str or callable
        The distance, common orders of Minkowski's by their own names.
    effective_metric_params_ : dict
        Its parameters.
    n_samples_fit_ : int
        Number of rows.

    Notes
    -----
    Equal distances go to the lower row. Columns of large numbers rule the distance: scale them first.

    Examples
    --------
    >>> from lanatus.neighbors import KNeighborsRegressor
    >>> KNeighborsRegressor(n_neighbors=2).fit([[0.0], [1.0], [5.0]], [1.0, 3.0, 9.0]).predict([[0.4], [4.0]]).tolist()
    [2.0, 6.0]
    """

    kneighbors, kneighbors_graph = questions.kneighbors, questions.kneighbors_graph

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Any = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    _params = rules_for(__init__, NEIGHBOR_RULES)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Means of the neighbours.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_queries, n_features), or None
            The queries; None for the rows of ``fit``, none of which is a neighbour of itself.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        found = self._nearest(X, self._most(X))
        weights = neighbor_weights(self.weights, found.distances)
        m, k = found.indices.shape
        queries = np.repeat(np.arange(m), k)
        near = self._targets[found.indices.ravel()]
        return self._shaped(weighted_means(near, queries, None if weights is None else weights.ravel(), m))
