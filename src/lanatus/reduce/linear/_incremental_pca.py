"""Principal component analysis of batches, in memory that does not grow with the columns' square."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from lanatus.base import Floats, Number, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Flag, Integer, Nothing, rules_for
from lanatus.reduce._reducer import Reducer, upright
from lanatus.reduce.linear import _probabilistic
from lanatus.reduce.linear._linear_reducer import coordinates, projected
from lanatus.scale import blockwise


@method(
    section="10.3",
    task="transform",
    en="Incremental PCA",
    zh="增量主成分分析",
    peers=["scikit-learn:IncrementalPCA"],
)
class IncrementalPCA(Reducer):
    r"""Principal components of batches of rows: what was found stands for the rows seen, the next batch joins it.

    The SVD of :math:`[\Sigma V^\top;\; X - \bar x;\; \sqrt{nm / (n + m)}\,(\mu - \bar x)]` goes on from axes
    :math:`V` and mean :math:`\mu` of n rows with m more (Ross et al. 2008); k axes are kept.

    Book: section 10.3. Cost: :math:`O(d (k + m)^2)` a batch of m rows, :math:`O(d (k + m))` memory.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of axes; None is the smaller of columns and rows of the first batch.
    whiten : bool, default=False
        Whether coordinates are divided by their deviations. A direction without variance has coordinate 0.
    copy : bool, default=True
        Taken for scikit-learn's sake; X is never written to.
    batch_size : int or None, default=None
        Rows of a batch of ``fit``; None is five times the columns.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the axes, orthonormal
    explained_variance_ : ndarray of shape (n_components,), variances along them
    explained_variance_ratio_ : ndarray of shape (n_components,), their shares
    singular_values_ : ndarray of shape (n_components,), roots of the sums of squares along them
    mean_ : ndarray of shape (n_features,), the mean
    var_ : ndarray of shape (n_features,), the variances
    noise_variance_ : float, mean variance of the directions left out
    n_components_ : int, number of axes
    n_samples_seen_ : int, rows seen
    batch_size_ : int, rows of a batch
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    What k axes leave over of each batch is lost: the axes are near those of all rows, and exact only if the rest is
    noise or k is the rank. `PCA.partial_fit` is exact, and faster for up to a thousand columns; this class is for so
    many columns that their covariance has no room. Sparse batches are made dense one by one.

    Examples
    --------
    >>> from lanatus.reduce import IncrementalPCA
    >>> model = IncrementalPCA(1).partial_fit([[0.0, 0.0], [2.0, 2.0]]).partial_fit([[1.0, 1.0], [3.0, 3.0]])
    >>> model.components_.round(3).tolist(), model.n_samples_seen_
    ([[0.707, 0.707]], 4)

    References
    ----------
    Ross, Lim, Lin and Yang (2008), Incremental learning for robust visual tracking.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {
        "components_": Floats("components", "columns"),
        "explained_variance_": Floats("components", low=0),
        "explained_variance_ratio_": Floats("components", low=0),
        "singular_values_": Floats("components", low=0),
        "mean_": Floats("columns"),
        "var_": Floats("columns", low=0),
        "noise_variance_": Number(),
    }

    components_: np.ndarray
    singular_values_: np.ndarray
    mean_: np.ndarray
    var_: np.ndarray
    n_components_: int
    n_samples_seen_: int

    get_covariance, get_precision = _probabilistic.get_covariance, _probabilistic.get_precision

    def __init__(
        self,
        n_components: int | None = None,
        *,
        whiten: bool = False,
        copy: bool = True,
        batch_size: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.copy = copy
        self.batch_size = batch_size

    _params = rules_for(
        __init__,
        n_components=Integer(low=1) | Nothing(),
        whiten=Flag(),
        copy=Flag(),
        batch_size=Integer(low=1) | Nothing(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the axes, batch by batch.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        for name in ("components_", "n_samples_seen_"):
            self.__dict__.pop(name, None)
        X = self._take(X, reset=True)
        n, d = X.shape
        self.batch_size_ = 5 * d if self.batch_size is None else self.batch_size
        least = self.n_components or 0
        begin = 0
        while begin < n:
            end = min(begin + self.batch_size_, n)
            if n - end < least:  # a last batch with too few rows is part of the one before
                end = n
            self._join(X[begin:end])
            begin = end
        return self

    @fitting
    def partial_fit(self, X: Any, y: Any = None, check_input: bool = True) -> Self:
        """Go on with one more batch.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        check_input : bool, default=True
            Taken for scikit-learn's sake; input is always looked at.

        Returns
        -------
        self
        """
        self._join(self._take(X, reset=not hasattr(self, "components_")))
        return self

    def _join(self, X: Any) -> None:
        first = not hasattr(self, "components_")
        rows = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
        m, d = rows.shape
        k = (min(m, d) if first else self.n_components_) if self.n_components is None else self.n_components
        if k > d:
            raise ValueError(f"n_components={k} must be less or equal to the number of features {d}.")
        if first and k > m:
            raise ValueError(
                f"n_components={k} must be less or equal to the batch number of samples {m} for the first partial_fit."
            )
        seen = 0 if first else int(self.n_samples_seen_)
        total, mean = seen + m, rows.mean(axis=0)
        parts = [rows - mean]
        squares = (parts[0] ** 2).sum(axis=0)
        if not first:
            gap = self.mean_.astype(np.float64) - mean
            parts = [
                self.singular_values_.astype(np.float64)[:, None] * self.components_,
                parts[0],
                np.sqrt(seen * m / total) * gap[None],
            ]
            squares = squares + self.var_.astype(np.float64) * seen + gap**2 * (seen * m / total)
            mean = mean + gap * (seen / total)
        _, s, V = np.linalg.svd(np.vstack(parts), full_matrices=False)
        V = upright(V.T).T
        degrees, variance = max(total - 1, 1), float(squares.sum())
        explained = s**2 / degrees
        dtype = X.dtype
        self.components_ = np.ascontiguousarray(V[:k], dtype=dtype)
        self.singular_values_ = s[:k].astype(dtype)
        self.explained_variance_ = explained[:k].astype(dtype)
        shares = s[:k] ** 2 / variance if variance > 0 else np.zeros(k)
        self.explained_variance_ratio_ = shares.astype(dtype)
        self.mean_, self.var_ = mean.astype(dtype), (squares / total).astype(dtype)
        self.noise_variance_ = float(explained[k:].mean()) if k not in (total, d) and k < len(s) else 0.0
        self.n_components_, self.n_samples_seen_ = int(k), total

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of each row along the axes."""
        check_is_fitted(self)
        Z = projected(self._take(X, reset=False), self.mean_, self.components_)
        if not self.whiten:
            return Z
        variances = self.explained_variance_
        root = np.sqrt(variances)
        return np.divide(Z, root, out=np.zeros_like(Z), where=variances > np.finfo(Z.dtype).eps ** 2 * 100)

    @blockwise
    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows on the plane of the axes that have these coordinates."""
        check_is_fitted(self)
        Z = coordinates(X, self.n_components_)
        if self.whiten:
            Z = Z * np.sqrt(self.explained_variance_)
        return np.asarray(Z @ self.components_ + self.mean_)

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)
