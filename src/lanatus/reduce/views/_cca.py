"""Canonical correlation analysis."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, RegressorMixin

from lanatus.base import Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Flag, Integer, Real, rules_for
from lanatus.reduce.linear._linear_reducer import coordinates
from lanatus.reduce.linear._scatter import scatter_of
from lanatus.reduce.views._view_base import TwoViews, whitener


@method(
    "reduce.cca",
    section="10.7",
    task="transform",
    en="Canonical correlation analysis (CCA)",
    zh="典型相关分析CCA",
    peers=["scikit-learn:CCA", "statsmodels:CanCorr"],
)
class CCA(ClassNamePrefixFeaturesOutMixin, RegressorMixin, TwoViews):
    r"""Canonical correlation analysis: what two views of the same rows have in common.

    Maximises :math:`\rho = \frac{a^\top C_{xy} b}{\sqrt{a^\top C_{xx} a \; b^\top C_{yy} b}}`, pair after pair, each
    without correlation to those before: the singular vectors of :math:`C_{xx}^{-1/2} C_{xy} C_{yy}^{-1/2}`.

    Book: section 10.7. Cost: one pass over the rows, :math:`O(n (p + q)^2)`, and :math:`O(p^3 + q^3)`.

    Parameters
    ----------
    n_components : int, default=2
        Pairs of directions, at most the smaller number of columns.
    scale : bool, default=True
        Whether columns are divided by their deviations first; correlations are the same.
    max_iter : int, default=500
        Taken for scikit-learn's sake: the solution is direct.
    tol : float, default=1e-6
        Taken for scikit-learn's sake: the solution is exact.
    copy : bool, default=True
        Taken for scikit-learn's sake; the views are never written to.
    reg : float, default=0.0
        Share of the mean variance that is added to every variance, for more columns than rows can tell about.

    Attributes
    ----------
    correlations_ : ndarray of shape (n_components,), the canonical correlations, the largest first
    x_weights_, y_weights_ : ndarrays of shape (n_features, n_components) and (n_targets, n_components)
        Directions in columns as scaled, whose scores have variance 1.
    x_rotations_, y_rotations_ : ndarrays, the same
    x_loadings_, y_loadings_ : ndarrays, what the scores of each view say of its columns, by least squares
    coef_ : ndarray of shape (n_targets, n_features), least squares of the second view on the scores of the first
    intercept_ : ndarray of shape (n_targets,), what it adds
    x_mean_, y_mean_, x_std_, y_std_ : ndarrays, means and deviations
    n_iter_ : list of int, ones
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Each direction of the first view has its entry of largest magnitude above zero; the second view's follows. Columns
    that say the same twice are no hindrance. Where a view has fewer directions than asked for, the rest are zeros.

    Examples
    --------
    >>> from lanatus.data import make_two_views
    >>> from lanatus.reduce import CCA
    >>> X, Y, _ = make_two_views(500, n_features=(3, 4), random_state=0)
    >>> CCA(1).fit(X, Y).transform(X).shape
    (500, 1)

    References
    ----------
    Hotelling (1936), Relations between two sets of variates.
    """

    _state: ClassVar = {
        "x_weights_": Floats("columns", "components"),
        "y_weights_": Floats("targets", "components"),
        "coef_": Floats("targets", "columns"),
        "intercept_": Floats("targets"),
        "x_mean_": Floats("columns"),
        "x_std_": Floats("columns"),
        "y_mean_": Floats("targets"),
        "y_std_": Floats("targets"),
        "correlations_": Floats("components"),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: bool = True,
        max_iter: int = 500,
        tol: float = 1e-6,
        copy: bool = True,
        reg: float = 0.0,
    ) -> None:
        self.n_components = n_components
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.copy = copy
        self.reg = reg

    _params = rules_for(__init__, n_components=Integer(low=1), scale=Flag(), copy=Flag(), reg=Real(low=0))

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The first view.
        y : array of shape (n_samples, n_targets)
            The second view.

        Returns
        -------
        self
        """
        X, Y = self._views(X, y)
        p, q = X.shape[1], Y.shape[1]
        if self.n_components > min(p, q):
            raise ValueError(
                f"n_components={self.n_components} is more than the smaller view has columns, {min(p, q)}; take fewer."
            )
        sums = scatter_of(np.hstack([X, Y]))
        C = sums.scatter / (sums.mass - 1)
        spread = np.sqrt(np.maximum(np.diag(C), 0.0))
        # A column that is one number but for rounding says nothing, and must not be blown up.
        spread = np.where(spread > 1e-13 * np.abs(sums.mean), spread, 0.0)
        by = np.where(spread > 0, spread, 1.0) if self.scale else np.ones(p + q)
        C = np.where(np.outer(spread, spread) > 0, C, 0.0) / np.outer(by, by)
        self.x_mean_, self.y_mean_, self.x_std_, self.y_std_ = sums.mean[:p], sums.mean[p:], by[:p], by[p:]
        self._solve(C[:p, :p], C[:p, p:], C[p:, p:])
        return self

    def _solve(self, Cxx: np.ndarray, Cxy: np.ndarray, Cyy: np.ndarray) -> None:
        k = self.n_components
        white_x, white_y = whitener(Cxx, self.reg), whitener(Cyy, self.reg)
        u, rho, v = np.linalg.svd(white_x.T @ Cxy @ white_y, full_matrices=False)
        found = min(k, len(rho))
        a, b, self.correlations_ = np.zeros((len(Cxx), k)), np.zeros((len(Cyy), k)), np.zeros(k)
        a[:, :found], b[:, :found] = white_x @ u[:, :found], white_y @ v[:found].T
        self.correlations_[:found] = np.minimum(rho[:found], 1.0)
        first = np.abs(a).argmax(axis=0)
        sign = np.where(a[first, np.arange(k)] < 0, -1.0, 1.0)
        self.x_weights_, self.y_weights_ = a * sign, b * sign
        self.x_rotations_, self.y_rotations_ = self.x_weights_.copy(), self.y_weights_.copy()
        self.x_loadings_, self.y_loadings_ = Cxx @ self.x_weights_, Cyy @ self.y_weights_
        self.coef_ = ((self.x_weights_ @ (self.x_weights_.T @ Cxy)) / self.x_std_[:, None] * self.y_std_).T
        self.intercept_ = self.y_mean_ - self.coef_ @ self.x_mean_
        self.n_iter_ = [1] * k

    def transform(self, X: Any, y: Any = None) -> Any:
        """Scores of the first view, and of the second where it is given.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The first view.
        y : array of shape (n_samples, n_targets), optional
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

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Find the directions, and give the scores of both views.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The first view.
        y : array of shape (n_samples, n_targets)
            The second view.

        Returns
        -------
        pair of ndarrays of shape (n_samples, n_components)
        """
        return self.fit(X, y).transform(X, y)

    def inverse_transform(self, X: Any, y: Any = None) -> Any:
        """Rows of the first view, and of the second, that their scores tell by least squares.

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
        k = len(self.correlations_)
        first = coordinates(X, k) @ self.x_loadings_.T * self.x_std_ + self.x_mean_
        return first if y is None else (first, coordinates(y, k) @ self.y_loadings_.T * self.y_std_ + self.y_mean_)

    @property
    def _n_features_out(self) -> int:
        return len(self.correlations_)

    def predict(self, X: Any) -> np.ndarray:
        """The second view, as the scores of the first tell it by least squares."""
        check_is_fitted(self)
        X = np.asarray(self._take(X, reset=False), dtype=np.float64)
        return X @ self.coef_.T + self.intercept_
