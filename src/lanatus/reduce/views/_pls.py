"""Partial least squares: directions of two views along which they vary together most."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, RegressorMixin

from lanatus.base import Floats, as_targets, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Choice, Flag, Integer, Real, rules_for
from lanatus.reduce.linear._linear_reducer import coordinates
from lanatus.reduce.views._view_base import TwoViews

_STATE: dict[str, Any] = {
    "x_weights_": Floats("columns", "components"),
    "y_weights_": Floats("targets", "components"),
    "x_rotations_": Floats("columns", "components"),
    "y_rotations_": Floats("targets", "components"),
    "x_loadings_": Floats("columns", "components"),
    "y_loadings_": Floats("targets", "components"),
    "coef_": Floats("targets", "columns"),
    "intercept_": Floats("targets"),
    "x_mean_": Floats("columns"),
    "x_std_": Floats("columns"),
    "y_mean_": Floats("targets"),
    "y_std_": Floats("targets"),
}


class _Views(ClassNamePrefixFeaturesOutMixin, TwoViews):
    """Base of the methods of this file: both views, centred and scaled."""

    scale: bool
    n_components: int
    x_mean_: np.ndarray
    x_std_: np.ndarray
    y_mean_: np.ndarray
    y_std_: np.ndarray

    def _scaled(self, X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.x_mean_, self.y_mean_ = X.mean(axis=0), Y.mean(axis=0)
        self.x_std_, self.y_std_ = _spread(X, self.x_mean_, self.scale), _spread(Y, self.y_mean_, self.scale)
        return (X - self.x_mean_) / self.x_std_, (Y - self.y_mean_) / self.y_std_

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Find the directions, and give the scores of both views.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The first view.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            The second view.

        Returns
        -------
        pair of ndarrays of shape (n_samples, n_components)
        """
        return self.fit(X, y).transform(X, y)


class _PLS(RegressorMixin, _Views):
    """Base of the iterated methods, which differ in what is taken off the views after each direction."""

    def _directions(self, X: np.ndarray, Y: np.ndarray, *, canonical: bool) -> None:
        n, p = X.shape
        q = Y.shape[1]
        most = min(n, p, q) if canonical else min(n, p)
        k = self.n_components
        if k > most:
            raise ValueError(f"n_components={k} must be at most {most}, of {n} rows of {p} and {q} columns.")
        X, Y = self._scaled(X, Y)
        a, b, s, t, u, v = (np.zeros((size, k)) for size in (p, q, n, n, p, q))
        tiny = np.finfo(np.float64).eps
        size = float(np.abs(Y).max(initial=0.0))
        for j in range(k):
            if not np.abs(Y).max(initial=0.0) > 10 * tiny * size or not np.abs(X).max(initial=0.0) > 0:
                warnings.warn(
                    f"y residual is constant at iteration {j}: nothing is left to explain; the other directions are 0.",
                    stacklevel=4,
                )
                break
            left, _, right = np.linalg.svd(X.T @ Y, full_matrices=False)
            sign = -1.0 if left[np.abs(left[:, 0]).argmax(), 0] < 0 else 1.0
            a[:, j], b[:, j] = sign * left[:, 0], sign * right[0]
            s[:, j] = X @ a[:, j]
            square = max(float(s[:, j] @ s[:, j]), tiny**2)
            if not canonical:
                b[:, j] = Y.T @ s[:, j] / square
            t[:, j] = Y @ b[:, j] / max(float(b[:, j] @ b[:, j]), tiny**2)
            u[:, j] = X.T @ s[:, j] / square
            X = X - np.outer(s[:, j], u[:, j])
            if canonical:
                v[:, j] = Y.T @ t[:, j] / max(float(t[:, j] @ t[:, j]), tiny**2)
                Y = Y - np.outer(t[:, j], v[:, j])
            else:
                v[:, j] = Y.T @ s[:, j] / square
                Y = Y - np.outer(s[:, j], v[:, j])
        self.x_weights_, self.y_weights_, self.x_loadings_, self.y_loadings_ = a, b, u, v
        self._x_scores, self._y_scores = s, t
        self.x_rotations_ = a @ np.linalg.pinv(u.T @ a)
        self.y_rotations_ = b @ np.linalg.pinv(v.T @ b)
        self.coef_ = (self.x_rotations_ @ v.T * self.y_std_).T / self.x_std_
        self.intercept_ = self.y_mean_.copy()
        self.n_iter_ = [1] * k

    def transform(self, X: Any, y: Any = None) -> Any:
        """Scores of the first view, and of the second where it is given.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The first view.
        y : array of shape (n_samples,) or (n_samples, n_targets), optional
            The second view.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or a pair of them
        """
        check_is_fitted(self)
        X = np.asarray(self._take(X, reset=False), dtype=np.float64)
        scores = (X - self.x_mean_) / self.x_std_ @ self.x_rotations_
        if y is None:
            return scores
        Y = self._second(y, X, len(self.y_mean_))
        return scores, (Y - self.y_mean_) / self.y_std_ @ self.y_rotations_

    def inverse_transform(self, X: Any, y: Any = None) -> Any:
        """Rows of the first view, and of the second, that have these scores.

        Parameters
        ----------
        X : array of shape (n_samples, n_components)
            Scores of the first view.
        y : array of shape (n_samples, n_components), optional
            Scores of the second view.

        Returns
        -------
        ndarray of shape (n_samples, n_features), or a pair of them
        """
        check_is_fitted(self)
        k = self.x_loadings_.shape[1]
        first = coordinates(X, k) @ self.x_loadings_.T * self.x_std_ + self.x_mean_
        return first if y is None else (first, coordinates(y, k) @ self.y_loadings_.T * self.y_std_ + self.y_mean_)

    def predict(self, X: Any) -> np.ndarray:
        """The second view, as the scores of the first tell it."""
        check_is_fitted(self)
        X = np.asarray(self._take(X, reset=False), dtype=np.float64)
        found = (X - self.x_mean_) @ self.coef_.T + self.intercept_
        return found[:, 0] if getattr(self, "_one_target", False) else found

    @property
    def _n_features_out(self) -> int:
        return int(self.x_weights_.shape[1])


@method(
    section="10.7",
    task="regression",
    en="Partial least squares regression",
    zh="偏最小二乘回归PLS",
    peers=["scikit-learn:PLSRegression"],
)
class PLSRegression(_PLS):
    r"""Partial least squares: regression on the few directions of the columns that vary most with the targets.

    Each direction maximises :math:`\lVert Y^\top X w \rVert` with :math:`\lVert w \rVert = 1`; what its scores tell of
    both views by least squares is taken off before the next.

    Book: section 10.7, next to CCA. Cost: :math:`O(n(p + q + pq))` a direction.

    Parameters
    ----------
    n_components : int, default=2
        Number of directions.
    scale : bool, default=True
        Whether columns are divided by their deviations first.
    max_iter : int, default=500
        Taken for scikit-learn's sake: each direction is found directly, by a singular value decomposition.
    tol : float, default=1e-6
        Taken for scikit-learn's sake.
    copy : bool, default=True
        Taken for scikit-learn's sake; the views are never written to.

    Attributes
    ----------
    x_weights_, y_weights_ : ndarrays of shape (n_features, n_components) and (n_targets, n_components), directions
    x_loadings_, y_loadings_ : ndarrays, what scores tell of the columns
    x_rotations_, y_rotations_ : ndarrays, what gives scores of columns as scaled
    x_scores_, y_scores_ : ndarrays of shape (n_samples, n_components), scores of the rows of ``fit``
    coef_ : ndarray of shape (n_targets, n_features), coefficients of centred columns
    intercept_ : ndarray of shape (n_targets,), means of the targets
    x_mean_, y_mean_, x_std_, y_std_ : ndarrays, means and deviations
    n_iter_ : list of int, ones
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.reduce import PLSRegression
    >>> X, y = [[0.0, 0.0], [1.0, 1.1], [2.0, 1.9], [3.0, 3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> PLSRegression(1).fit(X, y).predict([[1.5, 1.5]]).round(2).tolist()
    [1.5]

    References
    ----------
    Wegelin (2000), A survey of partial least squares methods, with emphasis on the two-block case.
    """

    _state: ClassVar = _STATE

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: bool = True,
        max_iter: int = 500,
        tol: float = 1e-6,
        copy: bool = True,
    ) -> None:
        self.n_components = n_components
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.copy = copy

    _params = rules_for(
        __init__, n_components=Integer(low=1), scale=Flag(), max_iter=Integer(low=1), tol=Real(low=0), copy=Flag()
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        tags.regressor_tags.poor_score = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            The targets.

        Returns
        -------
        self
        """
        rows, Y = self._views(X, y)
        self._one_target = np.ndim(as_targets(y, rows)) == 1
        self._directions(rows, Y, canonical=False)
        self.x_scores_, self.y_scores_ = self._x_scores, self._y_scores
        return self


@method(
    section="10.7",
    task="transform",
    en="Canonical partial least squares",
    zh="典型偏最小二乘",
    peers=["scikit-learn:PLSCanonical"],
)
class PLSCanonical(_PLS):
    r"""Canonical partial least squares: directions of two views along which they vary together most, as equals.

    Each pair maximises :math:`a^\top X^\top Y b` with :math:`\lVert a \rVert = \lVert b \rVert = 1`; what each score
    tells of its own view is taken off before the next. CCA divides by the variances of the scores; this does not.

    Book: section 10.7, next to CCA. Cost: :math:`O(npq)` a direction.

    Parameters
    ----------
    n_components : int, default=2
        Number of pairs.
    scale : bool, default=True
        Whether columns are divided by their deviations first.
    algorithm : {"nipals", "svd"}, default="nipals"
        Taken for scikit-learn's sake: each pair is found directly, by a singular value decomposition.
    max_iter : int, default=500
        Taken for scikit-learn's sake.
    tol : float, default=1e-6
        Taken for scikit-learn's sake.
    copy : bool, default=True
        Taken for scikit-learn's sake; the views are never written to.

    Attributes
    ----------
    x_weights_, y_weights_ : ndarrays of shape (n_features, n_components) and (n_targets, n_components), directions
    x_loadings_, y_loadings_ : ndarrays, what scores tell of the columns
    x_rotations_, y_rotations_ : ndarrays, what gives scores of columns as scaled
    coef_ : ndarray of shape (n_targets, n_features), coefficients of centred columns
    intercept_ : ndarray of shape (n_targets,), means of the second view
    x_mean_, y_mean_, x_std_, y_std_ : ndarrays, means and deviations
    n_iter_ : list of int, ones
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.data import make_two_views
    >>> from lanatus.reduce import PLSCanonical
    >>> X, Y, _ = make_two_views(500, n_features=(3, 4), random_state=0)
    >>> PLSCanonical(2).fit(X, Y).transform(X).shape
    (500, 2)

    References
    ----------
    Wegelin (2000), A survey of partial least squares methods, with emphasis on the two-block case.
    """

    _state: ClassVar = _STATE

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: bool = True,
        algorithm: str = "nipals",
        max_iter: int = 500,
        tol: float = 1e-6,
        copy: bool = True,
    ) -> None:
        self.n_components = n_components
        self.scale = scale
        self.algorithm = algorithm
        self.max_iter = max_iter
        self.tol = tol
        self.copy = copy

    _params = rules_for(
        __init__,
        n_components=Integer(low=1),
        scale=Flag(),
        algorithm=Choice("nipals", "svd"),
        max_iter=Integer(low=1),
        tol=Real(low=0),
        copy=Flag(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the pairs of directions.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The first view.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            The second view.

        Returns
        -------
        self
        """
        self._directions(*self._views(X, y), canonical=True)
        return self


@method(
    section="10.7",
    task="transform",
    en="Partial least squares by one singular value decomposition",
    zh="奇异值分解偏最小二乘",
    peers=["scikit-learn:PLSSVD"],
)
class PLSSVD(_Views):
    r"""The singular vectors of the cross-covariance of two views, all at once.

    :math:`X^\top Y = U \Sigma V^\top`; scores are :math:`XU` and :math:`YV`. The first pair is that of `PLSCanonical`.

    Book: section 10.7, next to CCA. Cost: :math:`O(npq)`.

    Parameters
    ----------
    n_components : int, default=2
        Number of pairs.
    scale : bool, default=True
        Whether columns are divided by their deviations first.
    copy : bool, default=True
        Taken for scikit-learn's sake; the views are never written to.

    Attributes
    ----------
    x_weights_, y_weights_ : ndarrays of shape (n_features, n_components) and (n_targets, n_components), directions
    x_mean_, y_mean_, x_std_, y_std_ : ndarrays, means and deviations
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.data import make_two_views
    >>> from lanatus.reduce import PLSSVD
    >>> X, Y, _ = make_two_views(500, n_features=(3, 4), random_state=0)
    >>> PLSSVD(2).fit(X, Y).transform(X).shape
    (500, 2)

    References
    ----------
    Wegelin (2000), A survey of partial least squares methods, with emphasis on the two-block case.
    """

    _state: ClassVar = {name: rule for name, rule in _STATE.items() if name.split("_")[1] in ("weights", "mean", "std")}

    def __init__(self, n_components: int = 2, *, scale: bool = True, copy: bool = True) -> None:
        self.n_components = n_components
        self.scale = scale
        self.copy = copy

    _params = rules_for(__init__, n_components=Integer(low=1), scale=Flag(), copy=Flag())

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the pairs of directions.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The first view.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            The second view.

        Returns
        -------
        self
        """
        X, Y = self._views(X, y)
        most = min(*X.shape, Y.shape[1])
        if self.n_components > most:
            raise ValueError(f"n_components={self.n_components} must be at most {most}, of these rows and columns.")
        X, Y = self._scaled(X, Y)
        left, _, right = np.linalg.svd(X.T @ Y, full_matrices=False)
        left, right = left[:, : self.n_components], right[: self.n_components].T
        sign = np.where(left[np.abs(left).argmax(axis=0), np.arange(left.shape[1])] < 0, -1.0, 1.0)
        self.x_weights_, self.y_weights_ = left * sign, right * sign
        return self

    def transform(self, X: Any, y: Any = None) -> Any:
        """Scores of the first view, and of the second where it is given.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The first view.
        y : array of shape (n_samples,) or (n_samples, n_targets), optional
            The second view.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or a pair of them
        """
        check_is_fitted(self)
        X = np.asarray(self._take(X, reset=False), dtype=np.float64)
        scores = (X - self.x_mean_) / self.x_std_ @ self.x_weights_
        if y is None:
            return scores
        Y = self._second(y, X, len(self.y_mean_))
        return scores, (Y - self.y_mean_) / self.y_std_ @ self.y_weights_

    @property
    def _n_features_out(self) -> int:
        return int(self.x_weights_.shape[1])


def _spread(X: np.ndarray, mean: np.ndarray, scale: bool) -> np.ndarray:
    """Deviations of columns, and 1 of those that are one number but for rounding."""
    if not scale:
        return np.ones(X.shape[1])
    found = X.std(axis=0, ddof=1)
    return np.where(found > 1e-13 * np.abs(mean), np.where(found > 0, found, 1.0), 1.0)
