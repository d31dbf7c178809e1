"""Affinity propagation: rows that choose their exemplars."""

import warnings
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, Integers, Takes, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster._pairwise import require_memory
from lanatus.cluster.prototype._kmeans_start import assign
from lanatus.metric import squared_euclidean
from lanatus.params import Array, Choice, Flag, Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise


@method(
    section="9.7",
    task="clustering",
    en="Affinity propagation",
    zh="近邻传播聚类",
    peers=["scikit-learn:AffinityPropagation"],
)
class AffinityPropagation(CallbackSupportMixin, ClusterMixin, Estimator):
    r"""Rows send messages to each other until some are agreed to be exemplars: the number of clusters is found.

    Responsibility :math:`r(i,k) = s(i,k) - \max_{k' \ne k} (a(i,k') + s(i,k'))` says how well row k suits row i,
    availability :math:`a(i,k) = \min(0, r(k,k) + \sum_{i' \notin \{i,k\}} \max(0, r(i',k)))` how many others say so;
    both are damped. Similarities are minus squared distances; a row's similarity to itself, its preference, says how
    readily it becomes an exemplar.

    Book: prototypes that are rows, as k-medoids of section 9.7. Cost: :math:`O(n^2)` a round, memory :math:`32 n^2`
    bytes.

    Parameters
    ----------
    damping : float, default=0.5
        Share of the old messages that is kept, from 0.5 to below 1.
    max_iter : int, default=200
        Most rounds.
    convergence_iter : int, default=15
        Stop once the exemplars have stayed the same for so many rounds.
    copy : bool, default=True
        Taken for scikit-learn's sake; X is never changed.
    preference : float, array of shape (n_samples,) or None, default=None
        Preferences; None is the median of the similarities.
    affinity : {"euclidean", "precomputed"}, default="euclidean"
        Similarities are minus squared distances, or X.
    verbose : bool, default=False
        Taken for scikit-learn's sake; callbacks tell of every round.
    random_state : int, RandomState or None, default=None
        Draws the tiny noise that tells equal similarities apart.

    Attributes
    ----------
    cluster_centers_indices_ : ndarray of shape (n_clusters,), the exemplars
    cluster_centers_ : ndarray or CSR of shape (n_clusters, n_features), these rows, with "euclidean"
    labels_ : ndarray of shape (n_samples,), cluster of each row; -1 for all where it did not converge
    affinity_matrix_ : ndarray of shape (n_samples, n_samples), the similarities
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import AffinityPropagation
    >>> AffinityPropagation(random_state=0).fit_predict([[0.0], [1.0], [2.0], [20.0], [21.0], [22.0]]).tolist()
    [0, 0, 0, 1, 1, 1]

    References
    ----------
    Frey and Dueck (2007), Clustering by passing messages between data points.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {"labels_": Integers("rows", low=-1), "affinity_matrix_": Floats("rows", "others", finite=False)}

    def __init__(
        self,
        *,
        damping: float = 0.5,
        max_iter: int = 200,
        convergence_iter: int = 15,
        copy: bool = True,
        preference: Any = None,
        affinity: str = "euclidean",
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.damping = damping
        self.max_iter = max_iter
        self.convergence_iter = convergence_iter
        self.copy = copy
        self.preference = preference
        self.affinity = affinity
        self.verbose = verbose
        self.random_state = random_state

    _params = rules_for(
        __init__,
        damping=Real(low=0.5, below=1),
        convergence_iter=Integer(low=1),
        copy=Flag(),
        preference=Real() | Array(ndim=1) | Nothing(),
        affinity=Choice("euclidean", "precomputed"),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples) similarities
            The rows.
        y : ignored
            There by convention.
        """
        X = self._take(X, reset=True)
        n = X.shape[0]
        require_memory(2 * n)
        if self.affinity == "precomputed" and sp.issparse(X):
            raise ValueError("got sparse similarities, of which what is not there is not known; wanted a dense matrix.")
        S = np.array(X, dtype=np.float64) if self.affinity == "precomputed" else -_squares(X)
        if S.shape != (n, n):
            raise ValueError(f"got precomputed similarities of shape {S.shape}, wanted a square matrix, rows by rows.")
        preference = np.median(S) if self.preference is None else np.asarray(self.preference, dtype=np.float64)
        if np.ndim(preference) and np.shape(preference) != (n,):
            raise ValueError(f"got {len(preference)} preferences for {n} rows, wanted one for each.")
        self.affinity_matrix_ = S
        progress = Progress(self, X, max_iter=self.max_iter)
        exemplars, labels, self.n_iter_, converged = self._messages(X, S, preference, progress)
        self.__dict__.update(self._learned(X, exemplars, labels))
        if not converged:
            warn_unconverged(self)
        progress.finish(self._learned(X, exemplars, labels))
        return self

    def _learned(self, X: np.ndarray, exemplars: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
        found = {"cluster_centers_indices_": exemplars, "labels_": labels}
        return found | ({} if self.affinity == "precomputed" else {"cluster_centers_": X[exemplars].copy()})

    def _messages(
        self, X: np.ndarray, S: np.ndarray, preference: Any, progress: Progress
    ) -> tuple[np.ndarray, np.ndarray, int, bool]:
        n = len(S)
        off = S[~np.eye(n, dtype=bool)]
        if n == 1 or ((off == off[0]).all() and np.ptp(preference) == 0):  # nothing tells rows apart
            apart = n > 1 and bool(np.max(preference) > off[0])
            exemplars = np.arange(n) if apart or n == 1 else np.zeros(1, np.int64)
            return exemplars, np.arange(n) if apart else np.zeros(n, np.int64), 0, True
        S = S.copy()
        S.flat[:: n + 1] = preference
        noise = check_random_state(self.random_state).standard_normal((n, n))
        S += (np.finfo(np.float64).eps * S + np.finfo(np.float64).tiny * 100) * noise
        R, A, rows = np.zeros((n, n)), np.zeros((n, n)), np.arange(n)
        unchanged, before, n_iter, converged = 0, np.zeros(n, bool), 0, False
        for iteration in progress.iterations():
            total = A + S
            best = total.argmax(axis=1)
            first = total[rows, best]
            total[rows, best] = -np.inf
            second = total.max(axis=1)
            fresh = S - first[:, None]
            fresh[rows, best] = S[rows, best] - second
            R = self.damping * R + (1 - self.damping) * fresh
            positive = np.maximum(R, 0.0)
            positive.flat[:: n + 1] = R.flat[:: n + 1]
            fresh = positive.sum(axis=0) - positive
            own = np.diagonal(fresh).copy()
            fresh = np.minimum(fresh, 0.0)
            fresh.flat[:: n + 1] = own
            A = self.damping * A + (1 - self.damping) * fresh
            chosen = np.diagonal(A) + np.diagonal(R) > 0
            unchanged = unchanged + 1 if np.array_equal(chosen, before) else 0
            before, n_iter = chosen, iteration.number + 1
            iteration.done(state=dict, attributes=partial(self._told, X, S, chosen))
            converged = (unchanged >= self.convergence_iter and chosen.any()) or iteration.stop
            if converged:
                break
        if not before.any():
            return np.empty(0, np.int64), np.full(n, -1, np.int64), n_iter, False
        exemplars, labels = _settled(S, np.flatnonzero(before))
        return exemplars, labels, n_iter, converged

    def _told(self, X: np.ndarray, S: np.ndarray, chosen: np.ndarray) -> dict[str, Any]:
        if not chosen.any():
            return self._learned(X, np.empty(0, np.int64), np.full(len(S), -1, np.int64))
        return self._learned(X, *_settled(S, np.flatnonzero(chosen)))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The nearest exemplar of each row; of similarities, those to the rows of ``fit``; -1 where there is none."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        if not len(self.cluster_centers_indices_):
            warnings.warn(
                "This model does not have any cluster centers because affinity propagation did not converge: the label "
                "of every row is -1.",
                ConvergenceWarning,
                stacklevel=3,
            )
            return np.full(X.shape[0], -1, np.int64)
        if self.affinity == "precomputed":
            return np.asarray(X[:, self.cluster_centers_indices_].argmax(axis=1))
        centers = self.cluster_centers_
        return assign(X, centers.toarray() if sp.issparse(centers) else centers)[0]


def _squares(X: Any) -> np.ndarray:
    if sp.issparse(X):
        return np.asarray(euclidean_distances(X.astype(np.float64), squared=True))
    rows = np.ascontiguousarray(X, dtype=np.float64)
    return squared_euclidean(rows, rows)


def _settled(S: np.ndarray, exemplars: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows to their exemplars, and the best exemplar of each cluster; then rows again."""
    labels = S[:, exemplars].argmax(axis=1)
    labels[exemplars] = np.arange(len(exemplars))
    better = exemplars.copy()
    for cluster in range(len(exemplars)):
        rows = np.flatnonzero(labels == cluster)
        better[cluster] = rows[int(np.argmax(S[np.ix_(rows, rows)].sum(axis=0)))]
    exemplars = np.sort(better)
    labels = S[:, exemplars].argmax(axis=1)
    labels[exemplars] = np.arange(len(exemplars))
    return exemplars, labels
