"""Regression by all rows within a radius."""

import warnings
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.neighbors import _questions as questions
from lanatus.neighbors._base import NEIGHBOR_RULES
from lanatus.neighbors._knn_regressor import NeighborsRegressor
from lanatus.neighbors._votes import queries_of, radius_weights, weighted_means
from lanatus.params import rules_for
from lanatus.scale import blockwise


@method(
    section="10.1",
    task="regression",
    en="Radius-neighbour regressor",
    zh="半径近邻回归",
    peers=["scikit-learn:RadiusNeighborsRegressor"],
)
class RadiusNeighborsRegressor(NeighborsRegressor):
    r"""The mean of all rows within a radius.

    :math:`\hat y(x) = \sum_{\lVert x_i - x \rVert \le r} w_i y_i / \sum_{\lVert x_i - x \rVert \le r} w_i`.

    Book: section 10.1. Kernels: ``cpp/neighbors/within.hpp``.
    Cost: ``fit`` O(n d log n); a query O(d log n) and its neighbours in few dimensions, up to O(n d) in many.

    Parameters
    ----------
    radius : float, default=1.0
        How far the neighbours may be.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        How much a neighbour counts, as in `KNeighborsRegressor`; a function gets an array of arrays.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How neighbours are found; answers are the same. See `NearestNeighbors`.
    leaf_size : int, default=30
        Rows in a leaf of a tree, in steps of eight.
    p : float, default=2
        Order of Minkowski's distance.
    metric : str or callable, default="minkowski"
        The distance, as in `KNeighborsRegressor`.
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
    A query without neighbours gets NaN, with a warning.

    Examples
    --------
    >>> from lanatus.neighbors import RadiusNeighborsRegressor
    >>> model = RadiusNeighborsRegressor(radius=1.0).fit([[0.0], [1.0], [5.0]], [1.0, 3.0, 9.0])
    >>> model.predict([[0.4], [4.5]]).tolist()
    [2.0, 9.0]
    """

    radius_neighbors, radius_neighbors_graph = questions.radius_neighbors, questions.radius_neighbors_graph

    def __init__(
        self,
        radius: float = 1.0,
        *,
        weights: Any = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.radius = radius
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
        """Means of the neighbours; NaN, with a warning, where there are none.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_queries, n_features), or None
            The queries; None for the rows of ``fit``, none of which is a neighbour of itself.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        found = self._within(X, self.radius)
        m = len(found.starts) - 1
        if (np.diff(found.starts) == 0).any():
            warnings.warn(
                "One or more samples have no neighbors within specified radius; predicting NaN.", stacklevel=2
            )
        near = self._targets[found.indices]
        return self._shaped(weighted_means(near, queries_of(found), radius_weights(self.weights, found), m))
