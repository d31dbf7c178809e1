"""Laplacian regularised least squares."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import LinAlgWarning
from sklearn.base import RegressorMixin

from lanatus.base import Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import rules_for
from lanatus.scale import blockwise
from lanatus.semi._labels import partial_targets
from lanatus.semi.manifold._manifold import RULES, ManifoldModel, solved


@method(
    "semi.manifold-regularization",
    section="13.7",
    task="regression",
    en="Laplacian regularised least squares (LapRLS)",
    zh="拉普拉斯正则化最小二乘",
)
class LapRLS(RegressorMixin, ManifoldModel):
    r"""Least squares with a function that changes little between rows near each other, numbers known of some only.

    Minimises :math:`\frac1l \sum_{i \le l} (y_i - f(x_i))^2 + \gamma_A \lVert f \rVert_K^2 + \frac{\gamma_I}{(l+u)^2}
    f^\top L f` over sums of kernels at all rows, L the Laplacian of the graph of neighbours: :math:`\alpha = (J K +
    \gamma_A l I + \frac{\gamma_I l}{(l+u)^2} L K)^{-1} y`. The mean of the numbers that are known is taken out first.

    Book: section 13.7. Cost: :math:`O(n^3)`, memory :math:`24 n^2` bytes; a prediction :math:`O(n d)`.

    Parameters
    ----------
    gamma_A : float, default=0.01
        Strength of the penalty on the function, above 0.
    gamma_I : float, default=1.0
        Of the penalty on its changes along the graph; 0 is kernel ridge regression.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel, as in `SVR`.
    degree : int, default=3
        Power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels that are named, as in `SVR`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    n_neighbors : int, default=6
        Neighbours of a row in the graph.
    normalize : bool, default=False
        Whether the Laplacian is :math:`I - D^{-1/2} W D^{-1/2}` rather than :math:`D - W`.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,), the coefficients
    intercept_ : float, the mean of the numbers that are known
    transduction_ : ndarray of shape (n_samples,), numbers of the rows of ``fit``, those that were known as they were
    X_fit_ : ndarray or CSR matrix of shape (n_samples, n_features), the rows; no columns for a precomputed kernel
    kernel_ : Kernel or None, the kernel; None for a precomputed one
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.semi import LapRLS
    >>> X = np.linspace(0, 1, 20)[:, None]
    >>> y = np.full(20, np.nan)
    >>> y[[0, 19]] = 0.0, 1.0
    >>> bool(np.all(np.diff(LapRLS(gamma_A=1e-4, gamma_I=0.1).fit(X, y).predict(X)) > 0))
    True

    References
    ----------
    Belkin, Niyogi and Sindhwani (2006), Manifold regularization.
    """

    _state: ClassVar = {"dual_coef_": Floats("rows")}

    dual_coef_: np.ndarray
    intercept_: float
    transduction_: np.ndarray

    def __init__(
        self,
        gamma_A: float = 0.01,
        gamma_I: float = 1.0,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        n_neighbors: int = 6,
        normalize: bool = False,
    ) -> None:
        self.gamma_A = gamma_A
        self.gamma_I = gamma_I
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.n_neighbors = n_neighbors
        self.normalize = normalize

    _params = rules_for(__init__, RULES)

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X, of which some have a number.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            The rows; the kernel matrix for ``kernel="precomputed"``.
        y : array of shape (n_samples,)
            The numbers; NaN or None where there is none.
        """
        X = self._take(X, reset=True)
        targets, known = partial_targets(y, X)
        self._learn_kernel(X)
        n, labelled = len(targets), int(known.sum())
        K = self._matrix(X, np.arange(n))
        L = self._laplacian(X, K)
        self.intercept_ = float(targets[known].mean())
        right = np.where(known, targets - self.intercept_, 0.0)
        A = np.where(known[:, None], K, 0.0) + (self.gamma_I * labelled / n**2) * np.asarray(L @ K)
        A.flat[:: n + 1] += self.gamma_A * labelled
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LinAlgWarning)
            self.dual_coef_ = solved(A, right)
        self.transduction_ = np.where(known, targets, K @ self.dual_coef_ + self.intercept_)
        return self

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X."""
        check_is_fitted(self)
        return self._expansion(X, self.dual_coef_[None, :]).ravel() + self.intercept_
