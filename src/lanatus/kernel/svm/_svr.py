"""Support vector regression."""

from typing import Any

import numpy as np

from lanatus._typing import override
from lanatus.catalog import Contender, method
from lanatus.kernel.svm._dual import Solved, offset
from lanatus.kernel.svm._duals import tube
from lanatus.kernel.svm._machine import RULES
from lanatus.kernel.svm._regressor import PRICE, SupportVectorRegressor
from lanatus.params import Nothing, rules_for
from lanatus.spaces import Span


@method(
    "kernel.svr",
    section="6.5",
    task="regression",
    en="Support vector regression",
    zh="支持向量回归",
    peers=["scikit-learn:SVR", "scikit-learn-intelex:SVR"],
    contender=Contender(
        simplicity=4,
        starts=({"C": 1.0}, {"C": 10.0, "gamma": 0.01}),
        space={
            "C": Span(1e-2, 1e3, log=True),
            "gamma": Span(1e-4, 1.0, log=True),
            "epsilon": Span(1e-3, 0.5, log=True),
        },
        most_rows=10_000,
        most_columns=1000,
        scales_target=True,
    ),
)
class SVR(SupportVectorRegressor):
    r"""Support vector regression: the flattest function that leaves few rows outside a tube.

    Minimises :math:`\frac12 \lVert w \rVert^2 + C \sum_i \max(0, |f(x_i) - y_i| - \epsilon)` (6.43) by its dual (6.51).
    A row above the tube may have another price than one below it.

    Book: section 6.5, exercise 6.8. Kernels: ``cpp/kernel/smo.hpp``, ``cpp/kernel/gaussian.hpp``.
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
    C : float, default=1.0
        Price of a row outside the tube.
    C_below : float or None, default=None
        Price of a row below the tube, where it is not C.
    epsilon : float, default=0.1
        Half the width of the tube, in the unit of y.
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
    dual_coef_ : ndarray of shape (1, n_support), their coefficients, :math:`\hat\alpha_i - \alpha_i`
    intercept_ : ndarray of shape (1,), the constants
    coef_ : ndarray of shape (1, n_features), weights of the columns, of a linear kernel only
    kernel_ : Kernel or None, the kernel with the widths that were learned; None for a precomputed one
    n_iter_ : int, pairs of variables that were changed
    fit_status_ : int, 0 if the conditions were met to `tol`, else 1
    shape_fit_ : tuple of int, shape of X in ``fit``
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.kernel import SVR
    >>> melons = np.asarray(load_watermelon("3.0a", frame="numpy").data, dtype=float)
    >>> model = SVR(kernel="linear", tol=1e-9).fit(melons[:, :1], melons[:, 1])
    >>> model.coef_.round(6).tolist(), model.intercept_.round(6).tolist()
    ([[0.139726]], [0.133047])

    References
    ----------
    Drucker et al. (1997), Support vector regression machines. Smola and Schoelkopf (2004), A tutorial on support vector
    regression.
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
        C: float = 1.0,
        C_below: Any = None,
        epsilon: float = 0.1,
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
        self.C = C
        self.C_below = C_below
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    _params = rules_for(__init__, RULES, C=PRICE, C_below=PRICE | Nothing())

    @override
    def _tube(self, X: Any, rows: np.ndarray, y: np.ndarray, weights: np.ndarray) -> tuple[Solved, float]:
        below = self.C if self.C_below is None else self.C_below
        dual = tube(y, self.C * weights, below * weights, self.epsilon)
        solved = self._solve(dual, self._kernel_rows(X, rows))
        return solved, -offset(solved, dual)
