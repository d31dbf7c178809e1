"""Truncated singular value decomposition: components about zero, of sparse rows too."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from lanatus.base import Floats, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Choice, Integer, Real, rules_for
from lanatus.reduce._reducer import Reducer, settled
from lanatus.reduce.linear._decompose import CentredRows, by_lanczos, by_power
from lanatus.reduce.linear._linear_reducer import coordinates
from lanatus.scale import blockwise


@method(
    section="10.3",
    task="transform",
    en="Truncated SVD (latent semantic analysis)",
    zh="截断奇异值分解",
    peers=["scikit-learn:TruncatedSVD"],
)
class TruncatedSVD(Reducer):
    r"""The leading singular vectors of the rows as they are, not centred: latent semantic analysis of counts of words.

    :math:`X \approx U \Sigma V^\top`; coordinates are :math:`X V`. Zeros of sparse rows stay zeros, which centring
    would fill. Each axis has its entry of largest magnitude above zero.

    Book: section 10.3, where LSA is among the names of PCA. Cost: :math:`O(\mathrm{nnz}(X) k)` a product.

    Parameters
    ----------
    n_components : int, default=2
        Number of axes, at most that of columns; fewer than columns and rows for "arpack".
    algorithm : {"randomized", "arpack"}, default="randomized"
        A random subspace after some products, or Lanczos' iteration.
    n_iter : int, default=5
        Products of "randomized".
    n_oversamples : int, default=10
        Columns of the random block beyond those asked for.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        What keeps the block from becoming one direction.
    random_state : int, RandomState or None, default=None
        Draws the block, or the start of "arpack".
    tol : float, default=0.0
        Of "arpack"; 0 is that of the machine.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the axes
    explained_variance_ : ndarray of shape (n_components,), variances of the coordinates
    explained_variance_ratio_ : ndarray of shape (n_components,), their shares of the variance of all columns
    singular_values_ : ndarray of shape (n_components,), the singular values
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.reduce import TruncatedSVD
    >>> TruncatedSVD(1, random_state=0).fit([[3.0, 0.0], [0.0, 1.0]]).singular_values_.round(6).tolist()
    [3.0]

    References
    ----------
    Halko, Martinsson and Tropp (2011), Finding structure with randomness.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {
        "components_": Floats("components", "columns"),
        "explained_variance_": Floats("components", low=0),
        "explained_variance_ratio_": Floats("components", low=0),
        "singular_values_": Floats("components", low=0),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        algorithm: str = "randomized",
        n_iter: int = 5,
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: Any = None,
        tol: float = 0.0,
    ) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.n_iter = n_iter
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.tol = tol

    _params = rules_for(
        __init__,
        n_components=Integer(low=1),
        algorithm=Choice("randomized", "arpack"),
        n_iter=Integer(low=0),
        n_oversamples=Integer(low=1),
        power_iteration_normalizer=Choice("auto", "QR", "LU", "none"),
        tol=Real(low=0),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the axes.

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
        X = self._take(X, reset=True)
        n, d = X.shape
        rows, rng = CentredRows(X, np.zeros(d), None), check_random_state(self.random_state)
        if self.n_components > d:
            raise ValueError(f"n_components({self.n_components}) must be <= n_features({d}).")
        k = min(self.n_components, n)
        if self.algorithm == "arpack":
            if k >= min(n, d):
                raise ValueError(
                    f"n_components={self.n_components} must be below min(n_samples, n_features)={min(n, d)} "
                    "with algorithm='arpack'."
                )
            found = by_lanczos(rows, k, self.tol, rng)
        else:
            how: dict[str, Any] = {"normalizer": self.power_iteration_normalizer, "rng": rng}
            found = by_power(rows, k, oversamples=self.n_oversamples, power=self.n_iter, **how)
        self.components_ = np.ascontiguousarray(settled(found.components, found.squares), dtype=X.dtype)
        self.singular_values_ = np.sqrt(found.squares).astype(X.dtype)
        variance = np.asarray(X @ self.components_.T).astype(np.float64).var(axis=0)
        total = _variances(X).sum()
        self.explained_variance_ = variance.astype(X.dtype)
        self.explained_variance_ratio_ = (variance / total if total > 0 else np.zeros(k)).astype(X.dtype)
        return self

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of each row along the axes."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        return np.asarray(X @ self.components_.T.astype(X.dtype, copy=False))

    @blockwise
    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows on the plane of the axes that have these coordinates."""
        check_is_fitted(self)
        return np.asarray(coordinates(X, len(self.components_)) @ self.components_)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])


def _variances(X: Any) -> np.ndarray:
    if not sp.issparse(X):
        return np.asarray(X.var(axis=0, dtype=np.float64))
    wide = X.astype(np.float64)
    return np.asarray(wide.multiply(wide).mean(axis=0)).ravel() - np.asarray(wide.mean(axis=0)).ravel() ** 2
