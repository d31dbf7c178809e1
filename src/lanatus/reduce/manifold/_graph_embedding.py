"""The framework that linear and nonlinear reductions are cases of."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from lanatus.base import Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.kernel import GaussianKernel
from lanatus.neighbors import nearest
from lanatus.params import Array, Choice, Flag, Function, Integer, Nothing, Real, rules_for
from lanatus.reduce._reducer import Reducer
from lanatus.reduce.linear._graph_axes import laplacian_of, neighbour_weights, ratio_axes
from lanatus.reduce.manifold._distances import Centring, centred_rows
from lanatus.reduce.manifold._local_weights import rebuilt_points
from lanatus.scale import blockwise

_MATRIX = Array(ndim=2) | Function() | Nothing()


@method(
    "reduce.graph-embedding",
    section="10.7",
    task="transform",
    en="Graph embedding framework",
    zh="图嵌入框架",
)
class GraphEmbedding(Reducer):
    r"""Any reduction that a graph of what should be near, and one of what should not, can say.

    Minimises :math:`y^\top L y / y^\top B y`, where y are points of the rows ("direct"), :math:`y = X a` ("linear") or
    :math:`y = K a` ("kernel"). With :math:`L = D - W` and B = D these are Laplacian eigenmaps and LPP; with
    :math:`L = I - \frac1m 1 1^\top`, B = I and ``largest=True`` PCA; with scatters of classes LDA.

    Book: section 10.7. Cost: :math:`O(n^2 d + d^3)` with a dense L, :math:`O(n^3)` for "direct" and "kernel".

    Parameters
    ----------
    n_components : int, default=2
        Number of columns.
    laplacian : array of shape (n_samples, n_samples), callable or None, default=None
        L, or a function of X and y that gives it; None is that of the graph of nearest rows.
    constraint : array of shape (n_samples, n_samples), callable or None, default=None
        B, likewise; None is the matrix of degrees where `laplacian` is None, and otherwise the identity.
    form : {"linear", "direct", "kernel"}, default="linear"
        How points follow from rows.
    largest : bool, default=False
        Whether the ratio is to be large.
    n_neighbors : int, default=5
        Of the graph.
    gamma : float or None, default=None
        Of the Gaussian kernel of "kernel"; None is one over the number of columns.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,), the ratios
    components_ : ndarray, axes as rows: of columns for "linear", of rows for "kernel", and the points for "direct"
    rows_ : ndarray, the rows, for ``transform`` of "direct" and "kernel"; nothing for "linear"
    mean_ : ndarray, of the rows, or of the kernel's columns; zeros for "direct"
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Rows and kernels are centred, which leaves the constant out; for "direct" the constant is left out where it is a
    solution with ratio 0. ``transform`` of "direct" rebuilds new rows from their neighbours. Each column of axes
    has its entry of largest magnitude above zero.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.reduce import PCA, GraphEmbedding, centering_matrix
    >>> X, _ = load_watermelon("3.0a", return_X_y=True)
    >>> found = GraphEmbedding(1, laplacian=lambda X, y: centering_matrix(len(X)), constraint=None, largest=True).fit(X)
    >>> found.components_.shape
    (1, 2)

    References
    ----------
    Yan et al. (2007), Graph embedding and extensions: a general framework for dimensionality reduction.
    """

    _state: ClassVar = {"eigenvalues_": Floats("components"), "components_": Floats("components", "places")}

    def __init__(
        self,
        n_components: int = 2,
        *,
        laplacian: Any = None,
        constraint: Any = None,
        form: str = "linear",
        largest: bool = False,
        n_neighbors: int = 5,
        gamma: float | None = None,
    ) -> None:
        self.n_components = n_components
        self.laplacian = laplacian
        self.constraint = constraint
        self.form = form
        self.largest = largest
        self.n_neighbors = n_neighbors
        self.gamma = gamma

    _params = rules_for(
        __init__,
        n_components=Integer(low=1),
        laplacian=_MATRIX,
        constraint=_MATRIX,
        form=Choice("linear", "direct", "kernel"),
        largest=Flag(),
        n_neighbors=Integer(low=1),
        gamma=Real(low=0) | Nothing(),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the axes, or the points.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,), optional
            Labels, for functions that make a graph of them.

        Returns
        -------
        self
        """
        X = np.array(self._take(X, reset=True), dtype=np.float64)
        L, B = self._matrices(X, y)
        self.rows_ = np.empty((0, 0)) if self.form == "linear" else X
        images, self.mean_ = self._images(X)
        k = min(self.n_components, images.shape[1])
        found, columns = ratio_axes(images.T @ (L @ images), images.T @ (B @ images), k, largest=self.largest)
        self.eigenvalues_, self.components_ = np.zeros(k), np.zeros((k, images.shape[1]))
        self.eigenvalues_[: len(found)], self.components_[: len(found)] = found, columns.T
        return self

    def _matrices(self, X: np.ndarray, y: Any) -> tuple[Any, Any]:
        n = len(X)
        L: Any = _given(self.laplacian, X, y, "laplacian")
        B: Any = _given(self.constraint, X, y, "constraint")
        if L is None:
            L, degree = laplacian_of(neighbour_weights(X, self.n_neighbors, "connectivity", None))
            B = sp.diags_array(degree if degree.sum() > 0 else np.ones(n)) if B is None else B
        return L, sp.eye_array(n, format="csr") if B is None else B

    def _images(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What axes are of: columns of X, rows as a kernel sees them, or the rows themselves; centred."""
        if self.form == "linear":
            mean = X.mean(axis=0)
            return X - mean, mean
        if self.form == "kernel":
            centring = Centring(K := self._kernel(X))
            return centring.of_self(K), centring.columns
        n = len(X)
        return np.eye(n) - 1.0 / n, np.zeros(n)

    def _kernel(self, X: np.ndarray) -> np.ndarray:
        gamma = 1.0 / X.shape[1] if self.gamma is None else self.gamma
        return GaussianKernel(np.sqrt(0.5 / gamma) if gamma > 0 else np.inf).pairs(X, self.rows_)

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Points for rows."""
        check_is_fitted(self)
        X = np.asarray(self._take(X, reset=False), dtype=np.float64)
        if self.form == "linear":
            return (X - self.mean_) @ self.components_.T
        if self.form == "kernel":
            K = centred_rows(self._kernel(X), self.mean_, float(self.mean_.mean()))
            return K @ self.components_.T
        found = nearest(self.rows_, X, min(self.n_neighbors, len(self.rows_)))
        points = self.components_.T - self.components_.mean(axis=1)
        return rebuilt_points(X, self.rows_, found.distances, found.indices, 1e-3, points)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])


def _given(matrix: Any, X: np.ndarray, y: Any, name: str) -> Any:
    """A matrix that was given or that a function makes, checked; None for none."""
    if matrix is None:
        return None
    found = matrix(X, y) if callable(matrix) else matrix
    found = sp.csr_array(found, dtype=np.float64) if sp.issparse(found) else np.array(found, dtype=np.float64)
    values = found.data if sp.issparse(found) else found
    if found.shape != (len(X), len(X)) or not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite and of shape {(len(X), len(X))}; got shape {found.shape}.")
    return (found + found.T) / 2
