"""Distances that are of each row's own, and their way to rows without a label."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.sparse.linalg import spsolve
from threadpoolctl import threadpool_limits

from lanatus.base import Floats, Transformer, as_labels, check_is_fitted, class_codes, coded_rows, fitting
from lanatus.catalog import method
from lanatus.metric import blocks
from lanatus.neighbors import nearest
from lanatus.params import Integer, Real, Satisfies, rules_for

_LABEL = Satisfies(lambda value: isinstance(value, int | str | float | np.generic), "a label")


class _ExemplarDistance(Transformer):
    """Base: rows become distances to the exemplars, each by the exemplar's own weights of the columns."""

    exemplars_: np.ndarray
    weights_: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def transform(self, X: Any) -> np.ndarray:
        """The distance of each row to each exemplar, by the exemplar's weights."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        out = np.empty((len(rows), len(self.exemplars_)), dtype=rows.dtype)
        weights = self.weights_.astype(np.float64)
        for part in blocks(len(rows), self.exemplars_.size):
            away = np.abs(rows[part].astype(np.float64)[:, None] - self.exemplars_)
            out[part] = np.einsum("ijk,jk->ij", away, weights)
        return out

    @property
    def _n_features_out(self) -> int:
        return len(self.exemplars_)


@method(
    "metric.per-sample-distance",
    section="10.7",
    task="transform",
    en="Per-exemplar distance functions",
    zh="样本特有距离函数",
)
class PerExemplarDistance(_ExemplarDistance):
    r"""Each row of ``fit`` has its own weights of the columns, such that distances to it rank rows by class.

    :math:`D_{ji} = w_j^\top d_{ji}` with :math:`d_{ji} = |x_j - x_i|` column by column and :math:`w_j \ge 0`;
    minimised is :math:`\frac12 \sum_j \lVert w_j - w_0 \rVert^2 + C \sum [1 - D_{ki} + D_{ji}]_+^2` over triplets: row
    i, a near one j of its class, a near one k of another. Distances to different exemplars can be compared.

    Book: section 10.7. Cost: :math:`O(n k^2 d)` an evaluation.

    Parameters
    ----------
    n_neighbors : int, default=5
        Near rows of its class, and of the others, of which triplets of a row are made.
    C : float, default=1.0
        How much triplets count.
    max_iter : int, default=100
        Most iterations of L-BFGS.
    tol : float, default=1e-5
        Stop when the objective falls by no more than this share.

    Attributes
    ----------
    exemplars_ : ndarray of shape (n_exemplars, n_features), the rows
    weights_ : ndarray of shape (n_exemplars, n_features), the weights of each
    labels_ : ndarray of shape (n_exemplars,), their classes, as places in `classes_`
    classes_ : ndarray of shape (n_classes,), the labels in order
    n_iter_ : int, iterations
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    ``transform`` gives a column for each exemplar: what ``metric="precomputed"`` of k nearest neighbours takes. Such
    distances are not symmetric.  :math:`w_0` weighs each column by the inverse of its mean absolute difference.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.metric_learning import PerExemplarDistance
    >>> X = np.random.default_rng(0).normal(size=(40, 3))
    >>> model = PerExemplarDistance().fit(X, X[:, 1] > 0)
    >>> int(model.weights_.mean(axis=0).argmax()), model.transform(X).shape
    (1, (40, 40))

    References
    ----------
    Frome, Singer, Sha and Malik (2007), Learning globally-consistent local distance functions for shape-based image
    retrieval and classification.
    """

    _state: ClassVar = {
        "exemplars_": Floats("exemplars", "columns"),
        "weights_": Floats("exemplars", "columns", low=0),
    }

    def __init__(self, n_neighbors: int = 5, *, C: float = 1.0, max_iter: int = 100, tol: float = 1e-5) -> None:
        self.n_neighbors = n_neighbors
        self.C = C
        self.max_iter = max_iter
        self.tol = tol

    _params = rules_for(__init__, n_neighbors=Integer(low=1), C=Real(above=0))

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the weights of each row.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their labels.

        Returns
        -------
        self
        """
        rows, codes = coded_rows(self, X, y)
        weights, self.n_iter_ = exemplar_weights(
            rows.astype(np.float64), codes, self.n_neighbors, self.C, self.max_iter, self.tol
        )
        self.exemplars_, self.weights_, self.labels_ = np.array(rows), weights.astype(rows.dtype), codes
        return self


def exemplar_weights(
    X: np.ndarray, codes: np.ndarray, k: int, C: float, max_iter: int, tol: float
) -> tuple[np.ndarray, int]:
    """Weights of the columns for each row, and how many iterations it took."""
    n, d = X.shape
    spread = np.abs(X - np.median(X, axis=0)).mean(axis=0)
    start = np.where(spread > 1e-12 * max(float(spread.max(initial=0.0)), 1e-300), 1 / np.maximum(spread, 1e-300), 0.0)
    start = start / d
    focal, near, far = _triplets(X * start, codes, k)
    if not len(focal):
        return np.tile(start, (n, 1)), 1
    unit = np.where(start > 0, start, 1.0)  # weights in units of the first ones
    to_near, to_far = np.abs(X[near] - X[focal]) * unit, np.abs(X[far] - X[focal]) * unit
    turn_near = sp.csr_matrix((np.ones(len(near)), (near, np.arange(len(near)))), shape=(n, len(near)))
    turn_far = sp.csr_matrix((np.ones(len(far)), (far, np.arange(len(far)))), shape=(n, len(far)))
    mean = C / len(focal) * n

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        W = flat.reshape(n, d)
        short = 1 - np.einsum("ij,ij->i", W[far], to_far) + np.einsum("ij,ij->i", W[near], to_near)
        short = np.maximum(short, 0.0)
        pull = 2 * mean * short[:, None]
        slope = (W - begin) + turn_near @ (pull * to_near) - turn_far @ (pull * to_far)
        return 0.5 * float(((W - begin) ** 2).sum()) + mean * float(short @ short), slope.ravel()

    begin = np.tile((start > 0).astype(np.float64), (n, 1))
    how = {"maxiter": max_iter, "ftol": tol, "gtol": 1e-10}
    with threadpool_limits(1, user_api="blas"):  # of vectors alone, whose last digits would follow the threads
        found = minimize(loss, begin.ravel(), jac=True, method="L-BFGS-B", bounds=[(0, None)] * (n * d), options=how)
    return found.x.reshape(n, d) * unit, max(int(found.nit), 1)


def _triplets(X: np.ndarray, codes: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, near row of its class, near row of another: all combinations of k of each."""
    parts = [np.zeros((0, 3), dtype=np.intp)]
    for label in np.unique(codes):
        own, others = np.flatnonzero(codes == label), np.flatnonzero(codes != label)
        same, different = min(k, len(own) - 1), min(k, len(others))
        if same < 1 or different < 1:
            continue
        asked = np.ascontiguousarray(X[own])
        hits = own[nearest(asked, asked, same, own=np.arange(len(own))).indices]
        misses = others[nearest(np.ascontiguousarray(X[others]), asked, different).indices]
        i = np.repeat(own, same * different)
        j = np.repeat(hits, different, axis=1).ravel()
        parts.append(np.column_stack([i, j, np.tile(misses, (1, same)).ravel()]))
    found = np.vstack(parts)
    return found[:, 0], found[:, 1], found[:, 2]


@method(
    "metric.metric-propagation",
    section="10.7",
    task="transform",
    en="Metric propagation",
    zh="度量传播",
)
class MetricPropagation(_ExemplarDistance):
    r"""Metric propagation: rows with labels learn weights of their own, rows without get those of their neighbours.

    :math:`\min \sum_{labelled} \lVert w_j - \hat w_j \rVert^2 + \mu \sum_{ij} S_{ij} \lVert w_i - w_j \rVert^2` over
    the weights of all rows, with :math:`\hat w` as `PerExemplarDistance` finds them and S the graph of nearest rows,
    its edges weighed by a Gaussian of the distance.

    Book: section 10.7. Cost: that of `PerExemplarDistance` for the labelled rows, and a sparse system of n equations.

    Parameters
    ----------
    n_neighbors : int, default=5
        Near rows of a triplet, and of the graph.
    C : float, default=1.0
        How much triplets count.
    mu : float, default=1.0
        How much neighbours are alike.
    unlabeled : int or str, default=-1
        The label that means that there is none.
    max_iter : int, default=100
        Most iterations of L-BFGS.
    tol : float, default=1e-5
        Stop when the objective falls by no more than this share.

    Attributes
    ----------
    exemplars_ : ndarray of shape (n_exemplars, n_features), the rows, all of them
    weights_ : ndarray of shape (n_exemplars, n_features), the weights of each
    labels_ : ndarray of shape (n_exemplars,), classes as places in `classes_`, -1 where there is none
    classes_ : ndarray of shape (n_classes,), the labels in order
    n_iter_ : int, iterations
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A row in a part of the graph without any label gets the mean weights of the labelled rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.metric_learning import MetricPropagation
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> y = np.where(np.arange(60) % 2, -1, X[:, 1] > 0)
    >>> int(MetricPropagation().fit(X, y).weights_[1::2].mean(axis=0).argmax())
    1

    References
    ----------
    Zhan, Li, Li and Zhou (2009), Learning instance specific distances using metric propagation.
    """

    _state: ClassVar = {
        "exemplars_": Floats("exemplars", "columns"),
        "weights_": Floats("exemplars", "columns", low=0),
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        C: float = 1.0,
        mu: float = 1.0,
        unlabeled: Any = -1,
        max_iter: int = 100,
        tol: float = 1e-5,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.C = C
        self.mu = mu
        self.unlabeled = unlabeled
        self.max_iter = max_iter
        self.tol = tol

    _params = rules_for(__init__, n_neighbors=Integer(low=1), C=Real(above=0), mu=Real(above=0), unlabeled=_LABEL)

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the weights of each row.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their labels, `unlabeled` where there is none.

        Returns
        -------
        self
        """
        rows = self._take(X, reset=True)
        labels = as_labels(y)
        known = labels != self.unlabeled
        if len(labels) != len(rows):
            class_codes(y, X)  # says that lengths differ
        if not known.any():
            raise ValueError(f"all labels are {self.unlabeled!r}, none: wanted some rows with a label.")
        self.classes_, codes = class_codes(labels[known], rows[known])
        data = rows.astype(np.float64)
        own, self.n_iter_ = exemplar_weights(data[known], codes, self.n_neighbors, self.C, self.max_iter, self.tol)
        L = _laplacian(data, min(self.n_neighbors, len(rows) - 1))
        anchor = sp.diags(known.astype(np.float64) + 1e-9)
        target = np.where(known[:, None], 0.0, 1e-9 * own.mean(axis=0))
        target[known] = own * (1 + 1e-9)
        weights = np.asarray(spsolve((anchor + self.mu * L).tocsc(), target)).reshape(target.shape)
        self.exemplars_, self.weights_ = np.array(rows), np.maximum(weights, 0.0).astype(rows.dtype)
        self.labels_ = np.full(len(rows), -1, dtype=np.int32)
        self.labels_[known] = codes
        return self


def _laplacian(X: np.ndarray, k: int) -> Any:
    """The Laplacian of the graph of nearest rows."""
    n = len(X)
    if k < 1:
        return sp.csr_matrix((n, n))
    found = nearest(X, X, k, own=np.arange(n))
    away = np.asarray(found.distances) ** 2
    edges = np.exp(-away / max(float(away.mean()), 1e-300))
    S = sp.csr_matrix((edges.ravel(), (np.repeat(np.arange(n), k), found.indices.ravel())), shape=(n, n))
    S = S.maximum(S.T)
    return sp.diags(np.asarray(S.sum(axis=1)).ravel()) - S
