"""Least-squares support vector machines."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils.class_weight import compute_class_weight

from lanatus.base import Floats, as_targets, check_is_fitted, coded_rows, fitting
from lanatus.catalog import method
from lanatus.kernel.functions._named import RULES as KERNEL_RULES
from lanatus.kernel.kernelized._kernel_model import KernelModel, positive_rows
from lanatus.kernel.kernelized._solve import solve_shifted
from lanatus.kernel.svm._classifier import CLASS_WEIGHT
from lanatus.params import COMMON, Real, rules_for
from lanatus.scale import blockwise

_PRICE = Real(above=0, below=np.inf)


class LeastSquaresMachine(KernelModel):
    """What the two share: the system of a kernel matrix bordered by a constant."""

    C: float
    fit_intercept: bool

    def _solve(self, X: Any, rows: np.ndarray, weights: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        r"""Coefficients and constants with :math:`(K + (C W)^{-1}) \alpha + b = y` and :math:`\sum_i \alpha_i = 0`."""
        n = len(rows)
        roots = np.sqrt(weights)[:, None]
        K = self._matrix(X, rows)
        if not (weights == 1).all():
            K *= roots
            K *= roots.T
        found = roots * solve_shifted(K, np.full(n, 1 / self.C), roots * np.column_stack([np.ones(n), Y]))
        of_ones, of_targets = found[:, 0], found[:, 1:]
        if not self.fit_intercept:
            return of_targets, np.zeros(Y.shape[1])
        constants = of_targets.sum(axis=0) / of_ones.sum()
        return of_targets - np.outer(of_ones, constants), constants


@method(
    section="6.7",
    task="classification",
    en="Least-squares support vector machine",
    zh="最小二乘支持向量机",
)
class LeastSquaresSVC(ClassifierMixin, LeastSquaresMachine):
    r"""Support vector machine with squares in place of the hinge: one linear system, and every row a support vector.

    Minimises :math:`\frac12 \lVert w \rVert^2 + \frac{C}{2} \sum_i (y_i - f(x_i))^2` with classes *y* of -1 and +1; of
    more than two, each against the rest, with one matrix for all.

    Book: sections 6.4 and 6.6. Cost: :math:`O(n^3 / 3)`, most of it in float32 with residuals in float64, memory
    :math:`12 n^2` bytes; a prediction :math:`O(n d)`.

    Parameters
    ----------
    C : float, default=1.0
        Price of the squares.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel, as in `SVC`.
    degree : int, default=3
        Power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels that are named, as in `SVC`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    fit_intercept : bool, default=True
        Whether there are constants; they are not penalised.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by class.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_machines, n_samples), coefficients of the rows; 0 for those of no weight
    intercept_ : ndarray of shape (n_machines,), the constants
    X_fit_ : ndarray or CSR matrix of shape (n_samples, n_features), the rows; no columns for a precomputed kernel
    kernel_ : Kernel or None, the kernel with the widths that were learned; None for a precomputed one
    classes_ : ndarray of shape (n_classes,), the labels
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.kernel import LeastSquaresSVC
    >>> model = LeastSquaresSVC(kernel="linear", C=100.0).fit([[0], [1], [3], [4]], ["a", "a", "b", "b"])
    >>> model.predict([[1.5], [2.5]]).tolist()
    ['a', 'b']

    References
    ----------
    Suykens and Vandewalle (1999), Least squares support vector machine classifiers.
    """

    _state: ClassVar = {"dual_coef_": Floats("machines", "rows"), "intercept_": Floats("machines")}

    classes_: np.ndarray

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight

    _params = rules_for(__init__, {**COMMON, **KERNEL_RULES}, C=_PRICE, class_weight=CLASS_WEIGHT)

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X, or their kernel matrix, with classes y; `sample_weight` multiplies C."""
        X, codes = coded_rows(self, X, y, least=2)
        self._learn_kernel(X)
        by_class = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[codes])
        weights = self._weights(sample_weight, X)
        rows, weights = positive_rows(by_class[codes] * (1.0 if weights is None else weights), len(codes))
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        signs = np.stack([np.where(codes[rows] == one, 1.0, -1.0) for one in positive], axis=1)
        coefs, self.intercept_ = self._solve(X, rows, weights, signs)
        self.dual_coef_ = np.zeros((signs.shape[1], len(codes)))
        self.dual_coef_[:, rows] = coefs.T
        return self

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """The functions of the classes, one column a class; of two, that of the second."""
        check_is_fitted(self)
        scores = self._expansion(X, self.dual_coef_) + self.intercept_
        return scores.ravel() if len(self.classes_) == 2 else scores

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class of each row of X."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]


@method(
    section="6.7",
    task="regression",
    en="Least-squares support vector regression",
    zh="最小二乘支持向量回归",
)
class LeastSquaresSVR(MultiOutputMixin, RegressorMixin, LeastSquaresMachine):
    r"""Kernel ridge regression with a constant: support vector regression with squares in place of the tube.

    Minimises :math:`\frac12 \lVert w \rVert^2 + \frac{C}{2} \sum_i (y_i - f(x_i))^2` with :math:`f(x) = w^\top \phi(x)
    + b`; `KernelRidge` with :math:`\alpha = 1 / C` is the same without *b*.

    Book: sections 6.5 and 6.6. Cost: :math:`O(n^3 / 3)`, most of it in float32 with residuals in float64, memory
    :math:`12 n^2` bytes; a prediction :math:`O(n d)`.

    Parameters
    ----------
    C : float, default=1.0
        Price of the squares.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel, as in `SVR`.
    degree : int, default=3
        Power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels that are named, as in `SVR`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    fit_intercept : bool, default=True
        Whether there is a constant; it is not penalised.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_targets, n_samples), coefficients of the rows; 0 for those of no weight
    intercept_ : ndarray of shape (n_targets,), the constants
    outputs_2d_ : bool, whether y had two dimensions
    X_fit_ : ndarray or CSR matrix of shape (n_samples, n_features), the rows; no columns for a precomputed kernel
    kernel_ : Kernel or None, the kernel with the widths that were learned; None for a precomputed one
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.kernel import LeastSquaresSVR
    >>> model = LeastSquaresSVR(kernel="linear", C=1e6).fit([[0.0], [1.0], [2.0]], [5.0, 6.0, 7.0])
    >>> model.predict([[3.0]]).round(3).tolist()
    [8.0]

    References
    ----------
    Suykens et al. (2002), Least squares support vector machines.
    """

    _state: ClassVar = {"dual_coef_": Floats("targets", "rows"), "intercept_": Floats("targets")}

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept

    _params = rules_for(__init__, {**COMMON, **KERNEL_RULES}, C=_PRICE)

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X, or their kernel matrix, with numbers y; `sample_weight` multiplies C."""
        X = self._take(X, reset=True)
        y = as_targets(y, X).astype(np.float64)
        self._learn_kernel(X)
        rows, weights = positive_rows(self._weights(sample_weight, X), len(y))
        coefs, self.intercept_ = self._solve(X, rows, weights, y.reshape(len(y), -1)[rows])
        self.dual_coef_ = np.zeros((coefs.shape[1], len(y)))
        self.dual_coef_[:, rows] = coefs.T
        self.outputs_2d_ = y.ndim == 2
        return self

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted numbers of each row of X."""
        check_is_fitted(self)
        found = self._expansion(X, self.dual_coef_) + self.intercept_
        return found if self.outputs_2d_ else found.ravel()
