"""Classical multidimensional scaling."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np

from lanatus.base import Floats, Number, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Integer, Nothing, Satisfies, rules_for
from lanatus.reduce._reducer import Embedder, padded
from lanatus.reduce.manifold._distances import METRIC, Centring, centred_rows, distances, leading, square_distances
from lanatus.scale import blockwise

PARAMS = Satisfies(lambda value: isinstance(value, dict), "a dict") | Nothing()


@method(
    "reduce.mds",
    section="10.2",
    task="transform",
    en="Classical multidimensional scaling",
    zh="多维缩放MDS",
    peers=["scikit-learn:ClassicalMDS"],
)
class ClassicalMDS(Embedder):
    r"""Points whose distances are those of the rows, as nearly as a few columns allow.

    From distances follow inner products, :math:`b_{ij} = -\frac12 (dist_{ij}^2 - dist_{i\cdot}^2 - dist_{\cdot j}^2 +
    dist_{\cdot\cdot}^2)` (10.10), from those :math:`Z = \Lambda^{1/2} V^\top` of the leading eigenvalues (10.12).

    Book: section 10.2, figure 10.3; cookbook 9.2. Cost: :math:`O(n^2 d)` for the distances, :math:`O(n^2)` a step of
    the iteration for the eigenvectors; memory :math:`O(n^2)`.

    Parameters
    ----------
    n_components : int, default=2
        Number of columns.
    metric : str or callable, default="euclidean"
        The distance; "precomputed" where X is the matrix of distances.
    metric_params : dict or None, default=None
        Further parameters of the distance.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), the points, about zero
    eigenvalues_ : ndarray of shape (n_components,), of the inner products
        Below 0 where the distances are those of no points; such columns are zero.
    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples), the distances
    rows_ : ndarray, the rows, for ``transform``; nothing of them where distances are precomputed
    square_means_ : ndarray of shape (n_samples,), mean squared distances
    square_mean_ : float, their mean
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Each column has its entry of largest magnitude above zero. ``transform`` puts new rows where their distances say
    (Gower 1968), :math:`z = \frac12 \Lambda^{-1/2} V^\top (dist_{\cdot j}^2 - dist_x^2)`, which for rows of ``fit``
    gives `embedding_`; of precomputed distances it takes those to the rows of ``fit``.

    Examples
    --------
    >>> from lanatus.reduce import ClassicalMDS
    >>> triangle = [[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]]
    >>> ClassicalMDS(2, metric="precomputed").fit(triangle).eigenvalues_.round(4).tolist()
    [12.9641, 3.7025]

    References
    ----------
    Torgerson (1952), Multidimensional scaling: theory and method. Gower (1968), Adding a point to vector diagrams in
    multivariate analysis.
    """

    _state: ClassVar = {
        "embedding_": Floats("rows", "components"),
        "eigenvalues_": Floats("components"),
        "square_means_": Floats("rows"),
        "square_mean_": Number(),
    }

    def __init__(
        self, n_components: int = 2, *, metric: Any = "euclidean", metric_params: dict[str, Any] | None = None
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params

    _params = rules_for(__init__, n_components=Integer(low=1), metric=METRIC, metric_params=PARAMS)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the points.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or (n_samples, n_samples) distances
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        X = self._take(X, reset=True)
        self.dissimilarity_matrix_ = square_distances(X, self.metric, self.metric_params)
        squares = self.dissimilarity_matrix_**2
        centring = Centring(squares)
        self.square_means_, self.square_mean_ = centring.columns, centring.all
        B = centring.of_self(squares)
        B *= -0.5
        n = len(B)
        values, vectors = leading(B, min(self.n_components, n))
        scale = float(np.abs(values).max(initial=0.0))
        if (values < -1e-9 * scale).any():
            warnings.warn(
                "the distances are those of no points in any number of columns: some of the leading eigenvalues are "
                "below 0, and their columns zero. Take fewer components.",
                stacklevel=3,
            )
        values = np.where(np.abs(values) > 1e-13 * n * scale, values, 0.0)
        self.embedding_ = padded(vectors * np.sqrt(np.maximum(values, 0.0)), self.n_components)
        self.eigenvalues_ = np.append(values, np.zeros(self.n_components - len(values)))
        self.rows_ = np.empty((0, 0)) if self.metric == "precomputed" else X.copy()
        return self

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Points for rows, by their distances to the rows of ``fit``."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        squares = distances(X, self.rows_, self.metric, self.metric_params) ** 2
        return placed(squares, self.square_means_, self.square_mean_, self.embedding_, self.eigenvalues_)


def placed(
    squares: np.ndarray, means: np.ndarray, mean: float, points: np.ndarray, eigenvalues: np.ndarray
) -> np.ndarray:
    """Gower's places of rows whose squared distances to the points are known."""
    B = -0.5 * centred_rows(squares, means, mean)
    good = eigenvalues > 0
    inverse = np.divide(1.0, eigenvalues, out=np.zeros_like(eigenvalues), where=good)
    return B @ (points * inverse)
