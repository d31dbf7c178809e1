"""A linear map to fewer columns, given or learned."""

from typing import Any, ClassVar, Self

import numpy as np

from lanatus.base import Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Array, Flag, Nothing, rules_for
from lanatus.reduce._reducer import Reducer
from lanatus.scale import blockwise


@method(
    "reduce.linear-reduction",
    section="10.2",
    task="transform",
    en="General linear dimension reduction (base class)",
    zh="线性降维",
)
class LinearReducer(Reducer):
    r"""A linear map to fewer columns, by axes that are given.

    :math:`z = W^\top (x - \mu)`, (10.13) about the mean. Methods of linear reduction differ only in how they find W;
    this class takes any, maps rows, and maps them back by the pseudo-inverse, which for orthonormal axes is W itself.

    Book: section 10.2. Cost: :math:`O(ndd')`.

    Parameters
    ----------
    components : array of shape (n_components, n_features) or None, default=None
        The axes, :math:`W^\top`, one a row; None takes the axes of the columns themselves, and reduces nothing.
    center : bool, default=True
        Whether the mean of the rows of ``fit`` is subtracted first.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the axes
    mean_ : ndarray of shape (n_features,), what is subtracted
    n_components_ : int, number of axes
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.reduce import LinearReducer
    >>> LinearReducer([[1.0, 1.0]]).fit_transform([[0.0, 0.0], [1.0, 3.0]]).tolist()
    [[-2.0], [2.0]]
    """

    _state: ClassVar = {"mean_": Floats("columns"), "components_": Floats("components", "columns")}

    def __init__(self, components: Any = None, *, center: bool = True) -> None:
        self.components = components
        self.center = center

    _params = rules_for(__init__, components=Array(ndim=2) | Nothing(), center=Flag())

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the mean, and check that the axes fit the columns.

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
        X = self._take(X, reset=True)
        d = X.shape[1]
        axes = np.eye(d, dtype=X.dtype) if self.components is None else np.array(self.components, dtype=X.dtype)
        if axes.shape[1] != d:
            raise ValueError(f"components has {axes.shape[1]} columns, X has {d}; wanted as many: one axis a row.")
        if not np.isfinite(axes).all():
            raise ValueError("components holds NaN or infinity; wanted finite numbers.")
        self.components_ = axes
        self.n_components_ = len(axes)
        mean = X.mean(axis=0, dtype=np.float64) if self.center else np.zeros(d)
        self.mean_ = mean.astype(X.dtype)
        return self

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of each row along the axes."""
        check_is_fitted(self)
        return projected(self._take(X, reset=False), self.mean_, self.components_)

    @blockwise
    def inverse_transform(self, X: Any) -> np.ndarray:
        """The rows that have these coordinates and are nearest to the mean."""
        check_is_fitted(self)
        return coordinates(X, self.n_components_) @ np.linalg.pinv(self.components_).T + self.mean_

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)


def projected(X: Any, mean: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Coordinates of the rows of X, less the mean, along axes; sparse rows stay sparse.

    The mean is subtracted from dense rows themselves, so that rows far from zero keep their digits.
    """
    axes = axes.astype(X.dtype, copy=False)
    if isinstance(X, np.ndarray):
        return np.asarray((X - mean.astype(X.dtype, copy=False)) @ axes.T)
    return np.asarray(X @ axes.T) - (mean @ axes.T).astype(X.dtype)


def coordinates(Z: Any, k: int) -> np.ndarray:
    """Coordinates that are to be mapped back, checked."""
    Z = np.asarray(Z)
    Z = Z if Z.dtype.kind == "f" else Z.astype(np.float64)
    if Z.ndim != 2 or Z.shape[1] != k:
        raise ValueError(f"got coordinates of shape {Z.shape}; wanted rows of {k} numbers, as transform gives them.")
    return Z
