"""What learned metrics share: a linear map in which the plain distance is the learned one."""

from typing import Any

import numpy as np

from lanatus.base import Transformer, check_is_fitted
from lanatus.catalog import method


@method(
    "metric.metric-to-projection",
    section="10.6",
    task="transform",
    en="A metric matrix as a projection",
    zh="度量矩阵降维",
    peers=["metric-learn:components_from_metric"],
)
def components_from_metric(M: Any, *, tol: float | None = None) -> np.ndarray:
    r"""The map of a metric matrix: P with :math:`M = P^\top P`, of as many rows as M has rank.

    :math:`\lVert x - z \rVert_M^2 = (x - z)^\top M (x - z) = \lVert Px - Pz \rVert^2`, so that rows become fewer
    numbers without a change of distances where M is of low rank. (The book's P, of :math:`M = PP^\top`, is this one
    turned.)

    Book: section 10.6. Cost: :math:`O(d^3)`.

    Parameters
    ----------
    M : array of shape (d, d)
        Symmetric, without eigenvalues below zero.
    tol : float or None, default=None
        Eigenvalues up to this share of the largest count as zero; None is d times the rounding of the machine.

    Returns
    -------
    ndarray of shape (rank, d)
        Rows at right angles, in the order of their eigenvalues, the largest first, the entry of largest magnitude of
        each above zero; one row of zeros for a matrix of zeros.

    Examples
    --------
    >>> from lanatus.metric_learning import components_from_metric
    >>> components_from_metric([[4.0, 0.0], [0.0, 0.0]]).tolist()
    [[2.0, 0.0]]
    """
    M = np.asarray(M)
    M = M if M.dtype.kind == "f" else M.astype(np.float64)
    if M.ndim != 2 or M.shape[0] != M.shape[1] or not np.isfinite(M).all():
        raise ValueError(f"M must be a square matrix of finite numbers; got shape {M.shape}.")
    size = float(np.abs(M).max(initial=0.0))
    if np.abs(M - M.T).max(initial=0.0) > 1e-6 * size:
        raise ValueError("M is not symmetric; wanted M = M'. Take (M + M') / 2 if that is meant.")
    values, vectors = np.linalg.eigh((M + M.T) / 2)
    least = len(M) * float(np.finfo(M.dtype).eps) if tol is None else tol
    largest = max(float(values[-1]), 0.0)
    if values[0] < -max(least, 1e-9) * max(largest, size):
        raise ValueError(f"M has the eigenvalue {values[0]:.3g}, below zero; it is no metric matrix.")
    kept = np.flatnonzero(values > least * largest)[::-1]
    if not len(kept):
        return np.zeros((1, len(M)), dtype=M.dtype)
    P = (vectors[:, kept] * np.sqrt(values[kept])).T
    first = np.abs(P).argmax(axis=1)
    return np.ascontiguousarray(P * np.where(P[np.arange(len(P)), first] < 0, -1, 1)[:, None] + 0.0)


class LearnedMetric:
    """A metric that was learned, as a function of two rows: for whatever takes a callable distance.

    Parameters
    ----------
    components : ndarray of shape (k, d)
        The map.
    """

    def __init__(self, components: np.ndarray) -> None:
        self.components = components

    def __call__(self, x: Any, z: Any) -> float:
        """The distance of two rows."""
        return float(np.linalg.norm(self.components @ (np.asarray(x) - np.asarray(z))))


class MetricLearner(Transformer):
    """Base of learned metrics: ``transform`` maps rows to where their plain distance is the learned one."""

    components_: np.ndarray

    def transform(self, X: Any) -> np.ndarray:
        """Rows where the plain distance is the learned one."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        return np.asarray(rows @ self.components_.T.astype(rows.dtype, copy=False))

    def get_mahalanobis_matrix(self) -> np.ndarray:
        """M of the learned distance, of shape (n_features, n_features)."""
        check_is_fitted(self)
        return np.asarray(self.components_.T @ self.components_)

    def get_metric(self) -> LearnedMetric:
        """The learned distance as a function of two rows, for what takes a callable metric."""
        check_is_fitted(self)
        return LearnedMetric(self.components_.astype(np.float64))

    def pair_distance(self, pairs: Any) -> np.ndarray:
        """The learned distance of each pair.

        Parameters
        ----------
        pairs : array of shape (n_pairs, 2, n_features)
            Pairs of rows.

        Returns
        -------
        ndarray of shape (n_pairs,)
        """
        check_is_fitted(self)
        values = np.asarray(pairs, dtype=np.float64)
        if values.ndim != 3 or values.shape[1:] != (2, self.components_.shape[1]):
            raise ValueError(f"pairs has shape {values.shape}; wanted (n_pairs, 2, {self.components_.shape[1]}).")
        return np.asarray(np.linalg.norm((values[:, 0] - values[:, 1]) @ self.components_.T, axis=1))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)
