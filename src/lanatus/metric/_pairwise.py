"""Distances of all pairs of rows, whatever the distance."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn import get_config
from sklearn.utils.validation import check_array

from lanatus._core import metric as kernels
from lanatus.base import n_threads, threads_of
from lanatus.metric._blocks import blocks
from lanatus.metric._euclidean import squared_euclidean
from lanatus.metric._missing import nan_euclidean
from lanatus.metric._spaces import NAMED_SPACES, Space, space_named

Pairs = Callable[..., np.ndarray]


def _inner_product(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    return np.asarray(1 - X @ Y.T)


def _kl(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """The generalised Kullback-Leibler divergence; infinite where Y has 0 and X has not."""
    if (X < 0).any() or (Y < 0).any():
        raise ValueError("the Kullback-Leibler divergence is of numbers >= 0; got negative ones.")
    logs = np.log(np.where(Y > 0, Y, 1))
    entropy = (X * np.log(np.where(X > 0, X, 1))).sum(axis=1, keepdims=True)
    out = entropy - X @ logs.T - X.sum(axis=1, keepdims=True) + Y.sum(axis=1)
    out[(X > 0).astype(X.dtype) @ (Y == 0).T.astype(X.dtype) > 0] = np.inf
    return np.asarray(np.maximum(out, 0))


def _nan_euclidean(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    return nan_euclidean(X, Y, np.arange(X.shape[1]))


_LOGICAL = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
_SCIPY = ("braycurtis", "canberra", "hamming", "jensenshannon", *_LOGICAL)


def _from_scipy(name: str) -> Pairs:
    def pairs(X: np.ndarray, Y: np.ndarray, **params: Any) -> np.ndarray:
        if name in _LOGICAL:
            X, Y = X != 0, Y != 0
        return np.asarray(cdist(X, Y, name, **params))

    return pairs


# name -> distances of all pairs of rows, for those that are no Minkowski distance in disguise
NAMED_PAIRS: dict[str, Pairs] = {
    "inner_product": _inner_product,
    "kl": _kl,
    "nan_euclidean": _nan_euclidean,
    **{name: _from_scipy(name) for name in _SCIPY},
}
METRIC_NAMES = (*NAMED_SPACES, *NAMED_PAIRS)


def pairs_in_space(space: Space, X: Any, Y: Any) -> np.ndarray:
    """Distances of all pairs, by way of their points."""
    points, others = (np.ascontiguousarray(space.points(part)) for part in (X, Y))
    others = others.astype(points.dtype, copy=False)
    return space.distance(kernels.pairwise_minkowski(points, others, p=space.p, n_threads=n_threads()))


def pairs_by_calls(metric: Callable[..., float], X: Any, Y: Any, **params: Any) -> np.ndarray:
    """Distances of all pairs by a function of two rows, the first of X; it need not be symmetric."""
    return np.array([[float(metric(x, y, **params)) for y in Y] for x in X]).reshape(len(X), len(Y))


def pairwise_distances(
    X: Any,
    Y: Any = None,
    metric: str | Callable[..., float] = "euclidean",
    *,
    n_jobs: int | None = None,
    ensure_all_finite: bool | str = True,
    **kwds: Any,
) -> np.ndarray:
    """Distances of each row of X to each row of Y, in the type of X.

    Minkowski's distances, and those that are Minkowski's in another space (Mahalanobis, cosine, haversine, ...), are
    computed by one threaded kernel, by differences; `pairwise_distances_chunked` bounds the memory.

    Book: section 9.3. Cost: O(n m d) time, O(n m) memory.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The rows; the distances themselves, of shape (n, m), where `metric` is "precomputed".
    Y : array or sparse matrix of shape (m, d), default=None
        The others; X by default.
    metric : str or callable, default="euclidean"
        "minkowski" (with `p` and `w`), "euclidean", "manhattan", "chebyshev", "sqeuclidean", "seuclidean" (`V`),
        "mahalanobis" (`V` or `VI`), "cosine", "correlation", "haversine", "inner_product", "kl", "nan_euclidean",
        "hamming", "jaccard", "canberra", "braycurtis", "jensenshannon", "dice", "rogerstanimoto", "russellrao",
        "sokalsneath", "yule", "precomputed", or a function of two rows. Sparse rows know "euclidean", "sqeuclidean"
        and "cosine".
    n_jobs : int or None, default=None
        Threads; None and -1 are all that OMP_NUM_THREADS and threadpoolctl allow.
    ensure_all_finite : bool or "allow-nan", default=True
        Whether NaN and infinity are refused; "nan_euclidean" allows NaN by itself.
    **kwds : any
        Parameters of the distance.

    Returns
    -------
    ndarray of shape (n, m)
        The distances.

    Examples
    --------
    >>> from lanatus.metric import pairwise_distances
    >>> pairwise_distances([[0.0, 0.0], [3.0, 4.0]], metric="manhattan").tolist()
    [[0.0, 7.0], [7.0, 0.0]]
    """
    if not (callable(metric) or metric == "precomputed" or metric in METRIC_NAMES):
        raise ValueError(f"metric must be 'precomputed', a callable, or one of {sorted(METRIC_NAMES)}; got {metric!r}.")
    finite: Any = "allow-nan" if metric == "nan_euclidean" else ensure_all_finite
    X = _rows(X, finite)
    Y = X if Y is None else _rows(Y, finite)
    if metric == "precomputed":
        return _precomputed(X, Y)
    if X.shape[1] != Y.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns and Y has {Y.shape[1]}; wanted as many.")
    with threads_of(n_jobs):
        return _all_pairs(X, Y, metric, kwds)


def _all_pairs(X: Any, Y: Any, metric: Any, params: dict[str, Any]) -> np.ndarray:
    if sp.issparse(X) or sp.issparse(Y):
        return _sparse_pairs(X, Y, metric)
    if callable(metric):
        return pairs_by_calls(metric, X, Y, **params)
    if metric in NAMED_PAIRS:
        return NAMED_PAIRS[metric](X, Y.astype(X.dtype, copy=False), **params).astype(X.dtype, copy=False)
    learnt_from = X if X is Y or metric not in ("seuclidean", "mahalanobis") else np.vstack([X, Y])
    return pairs_in_space(space_named(metric, learnt_from, params), X, Y).astype(X.dtype, copy=False)


def pairwise_distances_chunked(
    X: Any,
    Y: Any = None,
    *,
    reduce_func: Callable[[np.ndarray, int], Any] | None = None,
    metric: str | Callable[..., float] = "euclidean",
    n_jobs: int | None = None,
    working_memory: float | None = None,
    **kwds: Any,
) -> Iterator[Any]:
    """Distances of all pairs, a block of rows of X at a time, so that no more memory is used than allowed.

    Cost: as `pairwise_distances`, in blocks of `working_memory`.

    Parameters
    ----------
    X : array of shape (n, d)
        The rows.
    Y : array of shape (m, d), default=None
        The others; X by default.
    reduce_func : callable, default=None
        Called with a block of distances and the number of its first row; what it returns is yielded instead.
    metric : str or callable, default="euclidean"
        The distance, as in `pairwise_distances`.
    n_jobs : int or None, default=None
        As in `pairwise_distances`.
    working_memory : float, default=None
        Most megabytes of a block; scikit-learn's setting by default. One row at least is taken.
    **kwds : any
        Parameters of the distance.

    Yields
    ------
    ndarray or what `reduce_func` returns

    Examples
    --------
    >>> from lanatus.metric import pairwise_distances_chunked
    >>> nearest = lambda block, start: block.min(axis=1).tolist()
    >>> list(pairwise_distances_chunked([[0.0], [2.0]], [[1.5], [9.0]], reduce_func=nearest, working_memory=1e-6))
    [[1.5], [0.5]]
    """
    X = _rows(X, "allow-nan")
    Y = X if Y is None else _rows(Y, "allow-nan")
    if metric in ("seuclidean", "mahalanobis") and not kwds:  # learned from all rows, not from those of a block
        kwds = _spread(metric, X if X is Y else np.vstack([X, Y]))
    megabytes = get_config()["working_memory"] if working_memory is None else working_memory
    entries = max(1, int(megabytes * 2**20 / X.dtype.itemsize))
    for part in blocks(X.shape[0], Y.shape[0] if metric != "precomputed" else X.shape[1], entries=entries):
        block = pairwise_distances(X[part], None if metric == "precomputed" else Y, metric, n_jobs=n_jobs, **kwds)
        yield block if reduce_func is None else reduce_func(block, part.start)


def _spread(metric: Any, rows: np.ndarray) -> dict[str, Any]:
    if metric == "seuclidean":
        return {"V": rows.var(axis=0, ddof=1, dtype=np.float64)}
    return {"V": np.cov(rows, rowvar=False)}


def _rows(X: Any, finite: Any) -> Any:
    return check_array(
        X,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        order="C",
        ensure_all_finite=finite,
        ensure_min_samples=1,
    )


def _precomputed(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    if X is not Y and X.shape[1] != Y.shape[0]:
        raise ValueError(f"precomputed distances must have a column for each of {Y.shape[0]} rows; got {X.shape[1]}.")
    if (X < 0).any():
        raise ValueError("precomputed distances must not be negative.")
    return X


def _sparse_pairs(X: Any, Y: Any, metric: Any) -> np.ndarray:
    if metric not in ("euclidean", "l2", "sqeuclidean", "cosine"):
        raise TypeError(f"metric {metric!r} needs dense rows; wanted euclidean, sqeuclidean or cosine, or X.toarray().")
    X, Y = (part if sp.issparse(part) else sp.csr_matrix(part) for part in (X, Y))
    if metric == "cosine":
        X, Y = (sp.csr_matrix(sp.hstack([unit_rows(part), zero_rows(part)])) for part in (X, Y))
    squares = squared_euclidean(sp.csr_matrix(X), Y.toarray())
    return np.asarray(squares / 2 if metric == "cosine" else squares if metric == "sqeuclidean" else np.sqrt(squares))


def unit_rows(X: Any) -> Any:
    """Sparse rows divided by their lengths; rows of zeros stay."""
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64)).ravel()
    return sp.csr_matrix(sp.diags_array(1 / np.where(lengths > 0, lengths, 1)) @ X, dtype=X.dtype)


def zero_rows(X: Any) -> Any:
    """A sparse column with 1 at rows of zeros, which lie at a right angle to all others."""
    return sp.csr_matrix((np.diff(X.indptr) == 0).astype(X.dtype)[:, None])
