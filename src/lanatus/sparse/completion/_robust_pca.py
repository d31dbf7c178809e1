"""Robust principal component analysis."""

from typing import Any, ClassVar, Self

import numpy as np

from lanatus.base import Floats, Transformer, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.metric import blocks
from lanatus.optimize import soft_threshold
from lanatus.params import Nothing, Real, rules_for
from lanatus.sparse.completion._singular import shrink_singular


@method(
    "sparse.robust-pca",
    section="11.7",
    task="transform",
    en="Robust PCA",
    zh="鲁棒主成分分析",
    peers=["tensorly:robust_pca"],
)
class RobustPCA(CallbackSupportMixin, Transformer):
    r"""Robust PCA: a matrix as one of low rank plus one that is mostly zero, however large its entries.

    :math:`\min \lVert L \rVert_* + \lambda \lVert S \rVert_1` with :math:`L + S = M`.

    Book: section 11.7. Cost: a singular value decomposition a round, :math:`O(mn \min(m, n))`.

    Parameters
    ----------
    alpha : float or None, default=None
        :math:`\lambda`; None is :math:`1 / \sqrt{\max(m, n)}`, which recovers both parts where they can be.
    max_iter : int, default=1000
        Most rounds.
    tol : float, default=1e-7
        Stop when L + S is as near to M as this share of its size.

    Attributes
    ----------
    low_rank_ : ndarray of shape (n_samples, n_features), L
    sparse_ : ndarray of shape (n_samples, n_features), S
    components_ : ndarray of shape (rank, n_features), orthonormal directions of the rows of L
    rank_ : int, the rank of L
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    ``transform`` gives the coordinates of rows along `components_`, fitted by the sum of absolute errors, so that gross
    errors in a new row do not count much. Rows are not centred.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.sparse import RobustPCA
    >>> M = np.outer(np.arange(1.0, 21.0), np.ones(15))
    >>> M[3, 4] += 50
    >>> model = RobustPCA().fit(M)
    >>> model.rank_, float(model.sparse_[3, 4].round(2))
    (1, 50.0)

    References
    ----------
    Candes, Li, Ma and Wright (2011), Robust principal component analysis. Lin, Chen and Ma (2010), The augmented
    Lagrange multiplier method for exact recovery of corrupted low-rank matrices.
    """

    _state: ClassVar = {"components_": Floats("components", "columns")}

    def __init__(self, alpha: float | None = None, *, max_iter: int = 1000, tol: float = 1e-7) -> None:
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol

    _params = rules_for(__init__, alpha=Real(above=0) | Nothing())

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Split X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The matrix M.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        rows = self._take(X, reset=True)
        M = rows.astype(np.float64)
        alpha = 1 / np.sqrt(max(M.shape)) if self.alpha is None else self.alpha
        size = float(np.linalg.norm(M))
        spectral = float(np.linalg.norm(M, 2)) or 1.0
        mu, most = 1.25 / spectral, 1e7 / spectral
        Y = M / max(spectral, float(np.abs(M).max(initial=0.0)) / alpha, 1e-300)
        L, S, values = np.zeros_like(M), np.zeros_like(M), np.zeros(0)
        progress = Progress(self, X, max_iter=self.max_iter)
        self.n_iter_ = 0
        for step in progress.iterations():
            L, values = shrink_singular(M - S + Y / mu, 1 / mu)
            S = soft_threshold(M - L + Y / mu, alpha / mu)
            rest = M - L - S
            Y, mu = Y + mu * rest, min(1.2 * mu, most)
            self.n_iter_ = step.number + 1
            attributes = {"low_rank_": L, "sparse_": S, "schema_": self.schema_}
            step.done(state=dict, attributes=attributes.copy)
            if step.stop or np.linalg.norm(rest) <= self.tol * size:
                break
        else:
            warn_unconverged(self)
        self.low_rank_, self.sparse_ = L.astype(rows.dtype), S.astype(rows.dtype)
        self.rank_ = int((values > 1e-9 * max(spectral, 1e-300)).sum())
        axes = np.linalg.svd(L, full_matrices=False)[2]
        self.components_ = np.ascontiguousarray(axes[: max(self.rank_, 1)], dtype=rows.dtype)
        progress.finish({"components_": self.components_})
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of each row, little moved by gross errors: least squares, reweighted by the errors."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        M, axes = rows.astype(np.float64), self.components_.astype(np.float64)
        out = np.empty((len(M), len(axes)), dtype=rows.dtype)
        for part in blocks(len(M), axes.size):
            out[part] = _least_absolute(M[part], axes)
        return out

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows of L that have these coordinates."""
        check_is_fitted(self)
        return np.asarray(np.asarray(X) @ self.components_)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _least_absolute(M: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Coordinates of rows along axes, of the least sum of absolute errors: least squares, reweighted by the errors.

    By orthogonal triangles of the weighted axes: weights differ by so much that of normal equations half of the digits
    would be lost.
    """
    Z = M @ axes.T
    least = 1e-8 * np.abs(M).max(axis=1, keepdims=True)
    least[least == 0] = 1.0
    for _ in range(25):
        root = np.sqrt(least / np.maximum(np.abs(M - Z @ axes), least))
        Q, R = np.linalg.qr(root[:, :, None] * axes.T)
        Z = np.linalg.solve(R, np.einsum("njk,nj->nk", Q, root * M)[..., None])[..., 0]
    return Z
