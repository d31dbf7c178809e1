"""Kernel canonical correlation analysis."""

from typing import Any, ClassVar, Self

import numpy as np

from lanatus.base import Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import COMMON, Integer, Real, rules_for
from lanatus.reduce.manifold._distances import Centring, centred_rows, require_memory
from lanatus.reduce.manifold._kernel_pca import KERNEL_RULES, kernel_matrix
from lanatus.reduce.views._view_base import TwoViews


@method(
    "reduce.kcca",
    section="10.7",
    task="transform",
    en="Kernel CCA",
    zh="核典型相关分析KCCA",
    peers=["mvlearn:KMCCA"],
)
class KernelCCA(TwoViews):
    r"""Canonical correlations of two views as kernels see them, with a penalty, for without one all are 1.

    Solves :math:`(K_x + \kappa I)^{-1} K_y (K_y + \kappa I)^{-1} K_x \alpha = \rho^2 \alpha` for centred
    kernel matrices.

    Book: section 10.7, after Hardoon et al. (printed as "Harden"). Cost: :math:`O(n^3)`; memory :math:`O(n^2)`.

    Parameters
    ----------
    n_components : int, default=2
        Pairs of directions.
    kernel : str, Kernel or callable, default="rbf"
        As of `KernelPCA`, for both views.
    gamma : float or None, default=None
        Of "rbf", "poly", "sigmoid" and "laplacian"; None is one over the number of columns of each view.
    degree : int, default=3
        Of "poly".
    coef0 : float, default=1
        Of "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Further arguments of a function.
    reg : float, default=0.1
        The penalty :math:`\kappa`, as a share of the largest eigenvalue of each matrix.

    Attributes
    ----------
    correlations_ : ndarray of shape (n_components,), the regularised correlations, the largest first
    x_coef_, y_coef_ : ndarrays of shape (n_samples, n_components), the directions, as weights of rows
    x_rows_, y_rows_ : ndarrays, the rows, for ``transform``
    x_means_, y_means_ : ndarrays of shape (n_samples,), means of the kernel matrices
    gamma_x_, gamma_y_ : floats, the factors used
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.reduce import KernelCCA
    >>> t = np.linspace(0, 6, 80)
    >>> X, Y = np.column_stack([t, np.sin(5 * t)]), np.column_stack([t**2 / 6, np.cos(3 * t)])
    >>> bool(KernelCCA(1).fit(X, Y).correlations_[0] > 0.8)
    True

    References
    ----------
    Hardoon, Szedmak and Shawe-Taylor (2004), Canonical correlation analysis: an overview with application to learning
    methods.
    """

    _state: ClassVar = {
        "x_coef_": Floats("rows", "components"),
        "y_coef_": Floats("rows", "components"),
        "correlations_": Floats("components"),
        "x_means_": Floats("rows"),
        "y_means_": Floats("rows"),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        kernel: Any = "rbf",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        reg: float = 0.1,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.reg = reg

    _params = rules_for(__init__, COMMON | KERNEL_RULES, n_components=Integer(low=1), reg=Real(above=0))

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
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError("kernel='precomputed' is not defined for two views; give the rows and a kernel.")
        n = len(X)
        require_memory(n, "a sample of the rows")
        self.gamma_x_, self.gamma_y_ = (
            1.0 / part.shape[1] if self.gamma is None else float(self.gamma) for part in (X, Y)
        )
        self.x_rows_, self.y_rows_ = X.copy(), Y.copy()
        bases, means = [], []
        for part, gamma in ((X, self.gamma_x_), (Y, self.gamma_y_)):
            K = np.array(kernel_matrix(self, part, part, gamma))
            centring = Centring(K)
            values, vectors = np.linalg.eigh(centring.of_self(K))
            values = np.maximum(values, 0.0)
            bases.append((vectors, values, self.reg * max(float(values[-1]), 1e-300)))
            means.append(centring.columns)
        self.x_means_, self.y_means_ = means
        (Ux, sx, kx), (Uy, sy, ky) = bases
        left, rho, right = np.linalg.svd((sx / (sx + kx))[:, None] * (Ux.T @ Uy) * (sy / (sy + ky)))
        k = min(self.n_components, n)
        a, b = Ux @ (left[:, :k] / (sx + kx)[:, None]), Uy @ (right[:k].T / (sy + ky)[:, None])
        sign = np.where(a[np.abs(a).argmax(axis=0), np.arange(k)] < 0, -1.0, 1.0)
        self.x_coef_, self.y_coef_, self.correlations_ = a * sign, b * sign, rho[:k]
        return self

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
        K = np.array(kernel_matrix(self, X, self.x_rows_, self.gamma_x_))
        scores = centred_rows(K, self.x_means_, float(self.x_means_.mean())) @ self.x_coef_
        if y is None:
            return scores
        Y = self._second(y, X, self.y_rows_.shape[1])
        K = np.array(kernel_matrix(self, Y, self.y_rows_, self.gamma_y_))
        return scores, centred_rows(K, self.y_means_, float(self.y_means_.mean())) @ self.y_coef_

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
