"""Linear neighbourhood propagation."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.optimize import nnls

from lanatus.base import check_is_fitted
from lanatus.catalog import method
from lanatus.neighbors import NearestNeighbors
from lanatus.params import Integer, Real, rules_for
from lanatus.scale import blockwise
from lanatus.semi.graph._graph_classifier import RULES, GraphClassifier

_RIDGE = 1e-3  # of the mean squared distance to the neighbours, which makes the weights unique


@method(
    "semi.lnp",
    section="13.7",
    task="classification",
    en="Linear neighbourhood propagation",
    zh="线性邻域传播",
)
class LinearNeighborhoodPropagation(GraphClassifier):
    r"""Labels spread along edges that weigh how much of a row each of its neighbours makes up.

    The weights of a row minimise :math:`\lVert x_i - \sum_j w_{ij} x_j \rVert^2` over its nearest neighbours, none
    below 0 and their sum 1; then :math:`F \leftarrow \alpha W F + (1 - \alpha) Y` ends in :math:`F^* = (1 - \alpha)
    (I - \alpha W)^{-1} Y`. A new row gets the mean of its neighbours, by weights found likewise.

    Book: section 13.7. Cost: the search for neighbours, :math:`O(n k^3)` for the weights, and a product with them a
    round; memory in proportion to the edges.

    Parameters
    ----------
    n_neighbors : int, default=7
        Neighbours of a row, itself not included.
    alpha : float, default=0.99
        Share that comes from the neighbours, above 0 and below 1.
    max_iter : int, default=3000
        Most rounds.
    tol : float, default=1e-6
        Stop once no score changes by more than this share of the largest.
    n_jobs : int or None, default=None
        Threads of the search for neighbours.

    Attributes
    ----------
    X_ : ndarray or CSR matrix of shape (n_samples, n_features), the rows
    neighbors_ : ndarray of shape (n_samples, n_neighbors), the nearest rows of each
    weights_ : ndarray of shape (n_samples, n_neighbors), their weights
    classes_ : ndarray of shape (n_classes,), the labels
    scores_ : ndarray of shape (n_samples, n_classes), :math:`F^*`
    label_distributions_ : ndarray of shape (n_samples, n_classes), shares of the classes in each row
    transduction_ : ndarray of shape (n_samples,), the class of each row of ``fit``
    class_prior_ : ndarray of shape (n_classes,), shares of the classes among the labelled rows
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A thousandth of the mean squared distance is added to the diagonal of the squares, so that the weights are unique.
    Edges have a direction: what reaches a row comes from its own neighbours.

    Examples
    --------
    >>> from lanatus.semi import LinearNeighborhoodPropagation
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> LinearNeighborhoodPropagation(n_neighbors=2).fit(X, [0, -1, -1, -1, -1, 1]).transduction_.tolist()
    [0, 0, 0, 1, 1, 1]

    References
    ----------
    Wang and Zhang (2006), Label propagation through linear neighborhoods.
    """

    neighbors_: np.ndarray
    weights_: np.ndarray

    kernel = "linear neighbourhood"
    solver = "iterate"

    def __init__(
        self,
        n_neighbors: int = 7,
        *,
        alpha: float = 0.99,
        max_iter: int = 3000,
        tol: float = 1e-6,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    _params = rules_for(__init__, RULES, alpha=Real(above=0, below=1), n_neighbors=Integer(low=1))

    def _weights_of_edges(self, rows: Any) -> Any:
        n = rows.shape[0]
        most = min(self.n_neighbors, n - 1)
        if most < 1:
            self.neighbors_, self.weights_ = np.empty((n, 0), dtype=np.intp), np.empty((n, 0))
            return sp.csr_array((n, n))
        near = NearestNeighbors(n_neighbors=most, n_jobs=self.n_jobs).fit(rows).kneighbors(return_distance=False)
        self.neighbors_, self.weights_ = near.astype(np.intp), _made_up(rows, rows, near)
        return _graph_of(self.weights_, near, n)

    def _reached(self, W: Any, known: np.ndarray) -> np.ndarray:
        return super()._reached(sp.csr_array(W.T), known)  # labels go from the neighbours to the row

    def _spread(self, W: Any) -> Any:
        return W

    def _step(self, S: Any, scores: np.ndarray, start: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return np.asarray(self.alpha * (S @ scores) + (1 - self.alpha) * start)

    def _allowed(self, scores: np.ndarray) -> float:
        # What is left after a change of c is at most c alpha / (1 - alpha).
        return self.tol * (1 - self.alpha) * float(scores.max(initial=0.0))

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the classes for new rows: those of their neighbours, by how much each makes up of the row.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        """
        check_is_fitted(self)
        X = self._take(X, reset=False)
        most = min(self.n_neighbors, self.X_.shape[0])
        near = NearestNeighbors(n_neighbors=most).fit(self.X_).kneighbors(X, return_distance=False)
        weights = _made_up(X, self.X_, near)
        shares = np.einsum("ij,ijc->ic", weights, self.label_distributions_[near])
        total = shares.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total > 0, shares / np.where(total > 0, total, 1.0), self.class_prior_))


def _made_up(rows: Any, others: Any, near: np.ndarray) -> np.ndarray:
    r"""Weights of the neighbours that make up each row best, none below 0, each row's sum 1.

    With the squares :math:`G_{jk} = (x - x_j)^\top (x - x_k)` they minimise :math:`w^\top G w` on the simplex. That is,
    up to its sum, the :math:`u \ge 0` that minimises :math:`\frac12 u^\top G u - 1^\top u`: least squares without
    negative numbers, by the factor of G.
    """
    k = near.shape[1]
    weights = np.full(near.shape, 1.0 / k)
    if k == 1:
        return weights
    rows, others = (_dense(part) for part in (rows, others))
    one = np.ones(k)
    for i, mine in enumerate(near):
        gap = (others[mine] - rows[i]).astype(np.float64)
        length = float(np.abs(gap).max())
        if length == 0:
            continue  # as many twins as neighbours
        gap /= length
        squares = gap @ gap.T
        squares.flat[:: k + 1] += _RIDGE * max(float(np.trace(squares)) / k, 1e-12)
        try:
            upper = cholesky(squares)
        except LinAlgError:
            continue
        found = nnls(upper, solve_triangular(upper, one, trans="T"))[0]
        if found.sum() > 0:
            weights[i] = found / found.sum()
    return weights


def _dense(part: Any) -> np.ndarray:
    return np.asarray(part.toarray() if sp.issparse(part) else part)


def _graph_of(weights: np.ndarray, near: np.ndarray, n: int) -> sp.csr_array:
    k = near.shape[1]
    graph = sp.csr_array(
        (weights.ravel().copy(), near.ravel().astype(np.int32), np.arange(0, n * k + 1, k)), shape=(n, n)
    )
    graph.eliminate_zeros()
    return graph
