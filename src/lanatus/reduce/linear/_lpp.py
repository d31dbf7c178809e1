"""Locality preserving projections."""

from typing import Any, ClassVar, Self

import numpy as np

from lanatus.base import Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Choice, Integer, Nothing, Real, rules_for
from lanatus.reduce._reducer import Reducer
from lanatus.reduce.linear._graph_axes import laplacian_of, neighbour_weights, ratio_axes
from lanatus.reduce.linear._linear_reducer import projected
from lanatus.scale import blockwise


@method(
    "reduce.lpp",
    section="10.7",
    task="transform",
    en="Locality preserving projections (LPP)",
    zh="局部保持投影LPP",
    peers=["lpproj:LocalityPreservingProjection"],
)
class LPP(Reducer):
    r"""Locality preserving projections: the linear map that keeps neighbours together.

    Laplacian eigenmaps with :math:`f = X a`: the smallest solutions of :math:`X^\top L X a = \lambda X^\top D X a`,
    where L is the Laplacian of the graph of nearest rows. Being linear, it maps new rows as it maps old ones.

    Book: section 10.7. Cost: the search, :math:`O(nkd + nd^2 + d^3)`.

    Parameters
    ----------
    n_components : int, default=2
        Number of axes, as many as there are directions at most.
    n_neighbors : int, default=5
        Neighbours of each row. With fewer rows, all others.
    weights : {"heat", "connectivity"}, default="heat"
        Weights of edges: :math:`e^{-\lVert x_i - x_j \rVert^2 / t}`, or 1.
    t : float or None, default=None
        Width of the heat kernel; None is the mean squared distance of neighbours.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the axes, the largest entry of each above zero
    eigenvalues_ : ndarray of shape (n_components,), what neighbours differ by along each, the least first
    mean_ : ndarray of shape (n_features,), the mean of the rows by their degrees
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Rows are centred by the weighted mean, so that the constant, of eigenvalue 0, is not among the axes; directions in
    which rows do not differ are left out, so that there may be more columns than rows.

    Examples
    --------
    >>> from lanatus.data import make_blobs
    >>> from lanatus.reduce import LPP
    >>> X, y = make_blobs(60, n_features=5, random_state=0)
    >>> LPP(2, n_neighbors=30).fit_transform(X).shape
    (60, 2)

    References
    ----------
    He and Niyogi (2004), Locality preserving projections.
    """

    _state: ClassVar = {
        "components_": Floats("components", "columns"),
        "eigenvalues_": Floats("components"),
        "mean_": Floats("columns"),
    }

    def __init__(
        self, n_components: int = 2, *, n_neighbors: int = 5, weights: str = "heat", t: float | None = None
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.t = t

    _params = rules_for(
        __init__,
        n_components=Integer(low=1),
        n_neighbors=Integer(low=1),
        weights=Choice("heat", "connectivity"),
        t=Real(above=0) | Nothing(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        given = self._take(X, reset=True)
        X = given.astype(np.float64)
        n, d = X.shape
        L, degree = laplacian_of(neighbour_weights(X, self.n_neighbors, self.weights, self.t))
        mass = degree if degree.sum() > 0 else np.ones(n)
        mean = mass @ X / mass.sum()
        rows = X - mean
        k = min(self.n_components, d)
        axes, values = np.zeros((k, d)), np.zeros(k)
        found, columns = ratio_axes(rows.T @ (L @ rows), (rows.T * mass) @ rows, k) if n > 1 else (values[:0], axes.T)
        axes[: len(found)], values[: len(found)] = columns[:, : len(found)].T, found
        self.components_, self.eigenvalues_ = axes.astype(given.dtype), values.astype(given.dtype)
        self.mean_ = mean.astype(given.dtype)
        return self

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of each row along the axes."""
        check_is_fitted(self)
        return projected(self._take(X, reset=False), self.mean_, self.components_)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])
