"""Density from the nearest neighbours."""

from typing import Any, ClassVar, Self

import numpy as np

from lanatus._typing import override
from lanatus.base import Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.density._density import Density
from lanatus.density.nonparametric._kernel_sums import metric_of
from lanatus.density.nonparametric._windows import log_ball_volume
from lanatus.metric import MINKOWSKI_NAMES
from lanatus.neighbors import WeightedTree, grow_tree
from lanatus.params import Choice, Integer
from lanatus.scale import blockwise


@method(
    "density.knn-density",
    section="CB 3.4.2",
    task="density",
    en="Nearest-neighbour density estimate",
    zh="最近邻密度估计",
)
class KNeighborsDensity(Density):
    r"""The share of the nearest *k* rows over the volume of the ball that just holds them.

    :math:`\hat p(x) = \frac{k}{N V_k(x)}` with :math:`V_k(x)` the volume of the ball about *x* that reaches its *k*-th
    neighbour: the window is wide where rows are few.

    Book: cookbook section 3.4.2. Kernel: ``cpp/neighbors/radius.hpp``.
    Cost: ``fit`` :math:`O(nd \log n)`; a query :math:`O(d (k + \log n))` in low dimension, up to :math:`O(nd)` in high.
    Memory :math:`O(nd)`.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours, *k*; all rows where there are fewer.
    metric : {"euclidean", "manhattan", "chebyshev"} or another name of one, default="euclidean"
        Distance, and so the shape of the ball; "chebyshev" is a hypercube.
    leaf_size : int, default=40
        Most rows in a leaf of the tree.

    Attributes
    ----------
    n_neighbors_ : float, *k*, or the (weighted) number of rows where that is less
    rows_ : ndarray, the rows in the order of the tree
    row_weights_ : ndarray or None, their weights
    nodes_ : ndarray, a record for each node of the tree
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    This is no density: it falls off as :math:`\lVert x \rVert^{-d}`, so that its integral is infinite, and there is
    nothing to sample from. A query that is a row of the data counts that row as its first neighbour, at distance 0;
    with *k* or more copies of a row the ball has no volume, and gets the smallest radius that a float can have: the
    log density is very large there, but finite, so that Bayes' rule can still compare two classes. Weights count as
    repeats: the ball grows until the rows in it weigh *k*.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.density import KNeighborsDensity
    >>> model = KNeighborsDensity(n_neighbors=2).fit([[0.0], [1.0], [3.0], [7.0]])
    >>> np.exp(model.score_samples([[0.5], [5.0]])).round(6).tolist()
    [0.5, 0.125]
    """

    _state: ClassVar = {"rows_": Floats("rows", "columns", finite=False), "row_weights_": Floats("rows", low=0)}

    _params = {"n_neighbors": Integer(low=1), "metric": Choice(*MINKOWSKI_NAMES), "leaf_size": Integer(low=1)}

    def __init__(self, n_neighbors: int = 5, *, metric: str = "euclidean", leaf_size: int = 40) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.leaf_size = leaf_size

    @override
    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        X = self._take(X, reset=True)
        tree = grow_tree(X, self._weights(sample_weight, X), self.leaf_size)
        self.n_neighbors_ = min(float(self.n_neighbors), tree.mass)
        self.rows_, self.row_weights_, self.nodes_ = tree
        return self

    @override
    @blockwise
    def score_samples(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = self._take(X, reset=False)
        metric = metric_of(self.metric, None)
        tree = WeightedTree(self.rows_, self.row_weights_, self.nodes_)
        radius = tree.radii(X, self.n_neighbors_, MINKOWSKI_NAMES[self.metric])
        log_radius = np.log(np.maximum(radius, np.finfo(np.float64).tiny))
        d = X.shape[1]
        logs = np.log(self.n_neighbors_ / tree.mass) - log_ball_volume(metric, d) - d * log_radius
        return np.asarray(logs.astype(X.dtype, copy=False))
