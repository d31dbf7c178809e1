"""Isomap of distances that labels have bent."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np

from lanatus.base import Floats, Number, check_is_fitted, class_codes, fitting
from lanatus.catalog import method
from lanatus.metric import squared_euclidean
from lanatus.neighbors import nearest
from lanatus.params import Integer, Nothing, Real, rules_for
from lanatus.reduce._reducer import Embedder
from lanatus.reduce.manifold._isomap import Isomap
from lanatus.reduce.manifold._local_weights import rebuilt_points
from lanatus.scale import blockwise

_MOST = 300.0  # exponent beyond which rows of different classes are as far apart as can be


@method(
    "reduce.supervised-isomap",
    section="10.7",
    task="transform",
    en="Supervised Isomap (S-Isomap)",
    zh="监督Isomap",
)
class SupervisedIsomap(Embedder):
    r"""Isomap of dissimilarities that are small within a class and large between classes.

    :math:`\sqrt{1 - e^{-d^2 / \beta}}` for rows of one class, and :math:`\sqrt{e^{d^2 / \beta}} - \alpha` for rows of
    two; then the graph of neighbours, paths along it, and scaling, as in `Isomap`.

    Book: section 10.7. Cost: that of `Isomap`, and :math:`O(n^2 d)`.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of each row.
    n_components : int, default=2
        Number of columns.
    alpha : float, default=0.5
        How much nearer rows of different classes come, from 0 to 1.
    beta : float or None, default=None
        Width of the two curves; None is the mean squared distance of all pairs.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), the points
    eigenvalues_ : ndarray of shape (n_components,), of the inner products
    beta_ : float, the width used
    rows_ : ndarray, the rows, for ``transform``
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    The label of a new row is not known: ``transform`` rebuilds it from its neighbours, as `LocallyLinearEmbedding`
    does. Parts of the graph, which the classes often are, are joined without a warning.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.reduce import SupervisedIsomap
    >>> X, y = load_iris(return_X_y=True)
    >>> SupervisedIsomap(n_neighbors=60).fit(X, y).embedding_.shape
    (150, 2)

    References
    ----------
    Geng, Zhan and Zhou (2005), Supervised nonlinear dimensionality reduction for visualization and classification.
    """

    _state: ClassVar = {
        "embedding_": Floats("rows", "components"),
        "eigenvalues_": Floats("components"),
        "rows_": Floats("rows", "columns"),
        "beta_": Number(),
    }

    def __init__(
        self, *, n_neighbors: int = 5, n_components: int = 2, alpha: float = 0.5, beta: float | None = None
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta

    _params = rules_for(
        __init__,
        n_neighbors=Integer(low=1),
        n_components=Integer(low=1),
        alpha=Real(low=0, high=1),
        beta=Real(above=0) | Nothing(),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Embed the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Labels.

        Returns
        -------
        self
        """
        rows = self._take(X, reset=True)
        codes = class_codes(y, rows)[1]
        self.rows_ = np.array(rows, dtype=np.float64)
        squares = squared_euclidean(self.rows_, self.rows_)
        squares = (squares + squares.T) / 2
        np.fill_diagonal(squares, 0.0)
        n = len(squares)
        mean = float(squares.sum() / max(n * (n - 1), 1))
        self.beta_ = self.beta if self.beta is not None else mean if mean > 0 else 1.0
        bent = np.minimum(squares / self.beta_, _MOST)
        same = codes[:, None] == codes
        D = np.where(same, np.sqrt(-np.expm1(-bent)), np.exp(bent / 2) - self.alpha)
        np.fill_diagonal(D, 0.0)
        isomap = Isomap(n_neighbors=self.n_neighbors, n_components=self.n_components, metric="precomputed")
        with warnings.catch_warnings():  # classes are far apart on purpose, and the graph in parts as a rule
            warnings.simplefilter("ignore", UserWarning)
            isomap.fit(D)
        self.embedding_, self.eigenvalues_ = isomap.embedding_, isomap.eigenvalues_
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Embed the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Labels.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            `embedding_`.
        """
        return np.array(self.fit(X, y).embedding_)

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Points for rows, from those of their neighbours."""
        check_is_fitted(self)
        X = np.asarray(self._take(X, reset=False), dtype=np.float64)
        found = nearest(self.rows_, X, min(self.n_neighbors, len(self.rows_)))
        return rebuilt_points(X, self.rows_, found.distances, found.indices, 1e-3, self.embedding_)
