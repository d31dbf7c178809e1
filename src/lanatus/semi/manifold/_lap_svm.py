"""The Laplacian support vector machine."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import LinAlgWarning
from sklearn.base import ClassifierMixin

from lanatus.base import Floats, fitting
from lanatus.catalog import method
from lanatus.kernel.svm import KernelRows, offset, one_group, solve
from lanatus.params import rules_for
from lanatus.semi._decisions import OneAgainstRest
from lanatus.semi._labels import SemiSupervised
from lanatus.semi.manifold._manifold import RULES, ManifoldModel, solved


@method(
    "semi.manifold-regularization",
    section="13.7",
    task="classification",
    en="Laplacian support vector machine (LapSVM)",
    zh="拉普拉斯支持向量机",
    peers=["LAMDA-SSL:LapSVM"],
)
class LapSVM(OneAgainstRest, SemiSupervised, ClassifierMixin, ManifoldModel):
    r"""A support vector machine whose function changes little between rows near each other, labelled or not.

    Minimises :math:`\frac1l \sum_{i \le l} \max(0, 1 - y_i f(x_i)) + \gamma_A \lVert f \rVert_K^2 +
    \frac{\gamma_I}{(l+u)^2} f^\top L f`, L the Laplacian of the graph of neighbours, by the dual over the labelled rows
    in the kernel :math:`K (2 \gamma_A I + \frac{2 \gamma_I}{(l+u)^2} L K)^{-1}`. Of several classes each is parted from
    the rest.

    Book: section 13.7. Kernel: ``cpp/kernel/smo.hpp``. Cost: :math:`O(n^3)`, memory :math:`24 n^2` bytes; a prediction
    :math:`O(n d)`.

    Parameters
    ----------
    gamma_A : float, default=0.001
        Strength of the penalty on the function, above 0.
    gamma_I : float, default=10.0
        Of the penalty on its changes along the graph; 0 is `SVC` with :math:`C = 1 / 2 l \gamma_A`.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel, as in `SVC`.
    degree : int, default=3
        Power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels that are named, as in `SVC`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    n_neighbors : int, default=6
        Neighbours of a row in the graph.
    normalize : bool, default=False
        Whether the Laplacian is :math:`I - D^{-1/2} W D^{-1/2}` rather than :math:`D - W`.
    tol : float, default=1e-6
        Largest violation of the KKT conditions that is left.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_machines, n_samples), the coefficients
    intercept_ : ndarray of shape (n_machines,), the constants
    transduction_ : ndarray of shape (n_samples,), classes of the rows of ``fit``, those that were known as they were
    X_fit_ : ndarray or CSR matrix of shape (n_samples, n_features), the rows; no columns for a precomputed kernel
    kernel_ : Kernel or None, the kernel; None for a precomputed one
    classes_ : ndarray of shape (n_classes,), the labels
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.semi import LapSVM
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> LapSVM(n_neighbors=2).fit(X, [0, -1, -1, -1, -1, 1]).transduction_.tolist()
    [0, 0, 0, 1, 1, 1]

    References
    ----------
    Belkin, Niyogi and Sindhwani (2006), Manifold regularization.
    """

    _state: ClassVar = {"dual_coef_": Floats("machines", "rows"), "intercept_": Floats("machines")}

    dual_coef_: np.ndarray
    intercept_: np.ndarray
    transduction_: np.ndarray

    def __init__(
        self,
        gamma_A: float = 0.001,
        gamma_I: float = 10.0,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        n_neighbors: int = 6,
        normalize: bool = False,
        tol: float = 1e-6,
    ) -> None:
        self.gamma_A = gamma_A
        self.gamma_I = gamma_I
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.n_neighbors = n_neighbors
        self.normalize = normalize
        self.tol = tol

    _params = rules_for(__init__, RULES)

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X, of which some have a class.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            The rows; the kernel matrix for ``kernel="precomputed"``.
        y : array of shape (n_samples,)
            The classes; -1 or a missing value where there is none.
        """
        X = self._take(X, reset=True)
        codes = self._learn_labels(y, X, least=2)
        self._learn_kernel(X)
        n, known = len(codes), np.flatnonzero(codes >= 0)
        K = self._matrix(X, np.arange(n))
        A = (2 * self.gamma_I / n**2) * np.asarray(self._laplacian(X, K) @ K)
        A.flat[:: n + 1] += 2 * self.gamma_A
        columns = np.zeros((n, len(known)))
        columns[known, np.arange(len(known))] = 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LinAlgWarning)
            deformed = solved(A, columns)
        G = K[known] @ deformed
        rows = KernelRows(None, np.ascontiguousarray((G + G.T) / 2), 8e-6 * G.size + 1, fine=True)
        sides = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        coefs, constants = [], []
        for side in sides:
            beta, b = self._machine(rows, np.where(codes[known] == side, 1.0, -1.0))
            coefs.append(deformed @ beta)
            constants.append(b)
        self.dual_coef_, self.intercept_ = np.ascontiguousarray(coefs), np.array(constants)
        guess = self._codes(K @ self.dual_coef_.T + self.intercept_)
        self.transduction_ = self.classes_[np.where(codes >= 0, codes, guess)]
        return self

    def _machine(self, rows: KernelRows, signs: np.ndarray) -> tuple[np.ndarray, float]:
        """Coefficients of the labelled rows and the constant, of one side against the other."""
        price = 1 / len(signs)
        dual = one_group(-signs, np.where(signs > 0, 0.0, -price), np.where(signs > 0, price, 0.0))
        found = solve(dual, rows, tol=self.tol)
        return found.beta, -offset(found, dual)

    def _scores(self, X: Any) -> np.ndarray:
        return np.asarray(self._expansion(X, self.dual_coef_) + self.intercept_)
