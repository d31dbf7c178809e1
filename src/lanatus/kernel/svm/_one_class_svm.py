"""One-class support vector machine."""

from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin

from lanatus.base import check_is_fitted, check_positive_weight, fitting
from lanatus.catalog import method
from lanatus.kernel.svm._dual import DualProblem, Solved, offset
from lanatus.kernel.svm._duals import filled, one_group
from lanatus.kernel.svm._machine import RULES, SupportVectorMachine
from lanatus.params import rules_for
from lanatus.scale import blockwise


@method(
    section="6.7",
    task="outliers",
    en="One-class SVM",
    zh="单类支持向量机",
    peers=["scikit-learn:OneClassSVM"],
)
class OneClassSVM(OutlierMixin, SupportVectorMachine):
    r"""One-class support vector machine: the plane farthest from the origin with most rows beyond it.

    Minimises :math:`\frac12 \lVert w \rVert^2 - \rho + \frac{1}{\nu m} \sum_i \max(0, \rho - w^\top \phi(x_i))`: at
    most a share :math:`\nu` of the rows is left out, and at least that share are support vectors.

    Book: section 6.7. Kernels: ``cpp/kernel/smo.hpp``, ``cpp/kernel/gaussian.hpp``.
    Cost: :math:`O(n^2 d)` at least, as a rule up to :math:`O(n^3)`; a prediction :math:`O(d)` a support vector. Memory
    `cache_size` and the data.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel: :math:`x^\top z`, :math:`(\gamma x^\top z + r)^p`, :math:`e^{-\gamma \lVert x - z \rVert^2}`,
        :math:`\tanh(\gamma x^\top z + r)`, :math:`e^{-\gamma \lVert x - z \rVert}`; X as the kernel matrix itself; an
        object of this package; or a function of two matrices that gives their kernel matrix.
    degree : int, default=3
        Power of "poly", *p*.
    gamma : {"scale", "auto"} or float, default="scale"
        :math:`\gamma` of the kernels that are named: one over columns times the variance of X, one over columns, or a
        number.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid", *r*.
    nu : float, default=0.5
        The share of outliers.
    shrinking : bool, default=True
        Taken for scikit-learn's sake: a working set leaves out what is settled in either case.
    tol : float, default=1e-3
        Largest violation of the KKT conditions that is left. Below 1e-5 kernels are kept as float64.
    cache_size : float, default=200
        Megabytes of kernel rows that are kept.
    verbose : bool or int, default=False
        Above 0, logs each solution to the logger "lanatus".
    max_iter : int, default=-1
        Most pairs of variables that are changed; -1 is ten millions, or a hundred a row if that is more.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,), int32, the rows that are support vectors
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features), these rows; none for a precomputed kernel
    n_support_ : ndarray of int32, how many there are
    dual_coef_ : ndarray of shape (1, n_support), their coefficients
    intercept_ : ndarray of shape (1,), the constants
    coef_ : ndarray of shape (1, n_features), weights of the columns, of a linear kernel only
    kernel_ : Kernel or None, the kernel with the widths that were learned; None for a precomputed one
    offset_ : ndarray of shape (1,), :math:`\rho`: the score from which on a row is no outlier
    n_iter_ : int, pairs of variables that were changed
    fit_status_ : int, 0 if the conditions were met to `tol`, else 1
    shape_fit_ : tuple of int, shape of X in ``fit``
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.kernel import OneClassSVM
    >>> OneClassSVM(nu=0.2, gamma=0.1).fit([[0.0], [0.4], [0.5], [0.6], [9.0]]).predict([[0.5], [9.5]]).tolist()
    [1, -1]

    References
    ----------
    Schoelkopf et al. (2001), Estimating the support of a high-dimensional distribution.
    Platt (1998), Sequential minimal optimization. Fan, Chen and Lin (2005), Working set selection using second order
    information for training support vector machines.
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        nu: float = 0.5,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: Any = False,
        max_iter: int = -1,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.nu = nu
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    _params = rules_for(__init__, RULES)

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn where most rows are.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            The attributes; the kernel matrix for ``kernel="precomputed"``.
        y : ignored
            There by convention.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        X = self._take(X, reset=True)
        self._learn_kernel(X)
        given = self._weights(sample_weight, X)
        check_positive_weight(given)
        weights = np.ones(X.shape[0]) if given is None else given
        rows = np.flatnonzero(weights)
        caps = weights[rows]
        dual = one_group(np.zeros(len(rows)), np.zeros(len(rows)), caps, filled(caps, self.nu * caps.sum()))
        solved = self._solve(dual, self._kernel_rows(X, rows))
        used = np.flatnonzero(solved.beta)
        self._keep_support(X, rows[used])
        self.dual_coef_ = solved.beta[None, used]
        self.offset_ = np.array([_edge(solved, dual)])
        self.intercept_ = -self.offset_
        self.n_support_ = np.array([len(used)], dtype=np.int32)
        self.n_iter_ = solved.n_iter
        self.fit_status_ = int(not solved.converged)
        return self

    @blockwise
    def score_samples(self, X: Any) -> np.ndarray:
        """How far each row of X is from the origin, in the direction of the plane's normal."""
        check_is_fitted(self)
        return self._sums(X, self.dual_coef_).ravel()

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Distance of each row of X to the plane, times the length of its normal; below zero for outliers."""
        return self.score_samples(X) - self.offset_

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """1 for each row of X that is like the others, -1 for outliers."""
        return np.where(self.decision_function(X) >= 0, 1, -1)


def _edge(solved: Solved, dual: DualProblem) -> float:
    """The least score of a row on the plane, and a hair less: rounding is not to make it an outlier."""
    free = (solved.beta > dual.low) & (solved.beta < dual.high)
    edge = float(solved.scores[free].min()) if free.any() else offset(solved, dual)
    return edge - 1e-12 * abs(edge)
