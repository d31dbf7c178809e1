"""nu-support vector classification."""

from typing import Any

import numpy as np

from lanatus._typing import override
from lanatus.catalog import method
from lanatus.kernel.svm._classifier import CLASS_WEIGHT, DecisionPlane, MachineRows, SupportVectorClassifier
from lanatus.kernel.svm._duals import nu_classes, two_offsets
from lanatus.kernel.svm._machine import RULES
from lanatus.params import Choice, Flag, rules_for


@method(
    section="6.4",
    task="classification",
    en="nu-SVC",
    zh="ν-支持向量机",
    peers=["scikit-learn:NuSVC"],
)
class NuSVC(SupportVectorClassifier):
    r"""Support vector machine with a share of support vectors in place of a price.

    Minimises :math:`\frac12 \lVert w \rVert^2 - \nu\rho + \frac1m \sum_i \max(0, \rho - y_i (w^\top \phi(x_i) +
    b))`, whose solution is that of `SVC` for some C: at most a share :math:`\nu` of the rows is beyond the margin, and
    at least that share are support vectors. Classes that are the same to the kernel are decided by their weight.

    Book: section 6.4. Kernels: ``cpp/kernel/smo.hpp``, ``cpp/kernel/gaussian.hpp``.
    Cost: :math:`O(n^2 d)` at least, as a rule up to :math:`O(n^3)`; a prediction :math:`O(d)` a support vector. Memory
    `cache_size` and the data.

    Parameters
    ----------
    nu : float, default=0.5
        The share, above 0 and at most twice that of the smaller class.
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
    shrinking : bool, default=True
        Taken for scikit-learn's sake: a working set leaves out what is settled in either case.
    tol : float, default=1e-3
        Largest violation of the KKT conditions that is left. Below 1e-5 kernels are kept as float64.
    cache_size : float, default=200
        Megabytes of kernel rows that are kept.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by class; "balanced" is one over the share of the class, divided by the number of classes.
    verbose : bool or int, default=False
        Above 0, logs each solution to the logger "lanatus".
    max_iter : int, default=-1
        Most pairs of variables that are changed; -1 is ten millions, or a hundred a row if that is more.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        What ``decision_function`` gives for more than two classes: a column a class, or one for each pair.
    break_ties : bool, default=False
        Whether ties of votes between more than two classes go by the sums of the decision values, or to the class that
        comes first.
    probability : bool, default=False
        Whether to learn probabilities, from decision values of five folds.
    random_state : int, RandomState instance or None, default=None
        Draws these folds.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,), int32, the rows that are support vectors, class by class
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features), these rows; none for a precomputed kernel
    n_support_ : ndarray of int32, how many there are in each class
    dual_coef_ : ndarray of shape (n_classes - 1, n_support), their coefficients against the other classes
    intercept_ : ndarray of shape (n_pairs,), the constants
    coef_ : ndarray of shape (n_pairs, n_features), weights of the columns, of a linear kernel only
    kernel_ : Kernel or None, the kernel with the widths that were learned; None for a precomputed one
    classes_ : ndarray of shape (n_classes,), the labels
    class_weight_ : ndarray of shape (n_classes,), factors of C
    sigmoids_ : ndarray of shape (n_machines, 2), with `probability`: slope and constant of each machine's
        sigmoid; of two classes the slopes below and above 0
    n_iter_ : ndarray of shape (n_pairs,), int32, pairs of variables that were changed
    fit_status_ : int, 0 if the conditions were met to `tol`, else 1
    shape_fit_ : tuple of int, shape of X in ``fit``
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.kernel import NuSVC
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> bool(NuSVC(nu=0.4).fit(X, y).n_support_.sum() >= 0.4 * 17)
    True

    References
    ----------
    Schoelkopf et al. (2000), New support vector algorithms.
    Platt (1998), Sequential minimal optimization. Fan, Chen and Lin (2005), Working set selection using second order
    information for training support vector machines.
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: Any = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        probability: bool = False,
        random_state: Any = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.probability = probability
        self.random_state = random_state

    _params = rules_for(
        __init__,
        RULES,
        class_weight=CLASS_WEIGHT,
        decision_function_shape=Choice("ovr", "ovo"),
        break_ties=Flag(),
        probability=Flag(),
    )

    @override
    def _plane(self, X: Any, of: MachineRows) -> DecisionPlane:
        dual = nu_classes(of.signs, of.weights, self.nu)
        solved = self._solve(dual, self._kernel_rows(X, of.rows))
        unseen = self._unseen(X, of)
        first, second = two_offsets(solved, dual)
        margin = (first - second) / 2
        beta, intercept = solved.beta, -(first + second) / 2
        if margin > np.finfo(float).eps * np.abs([first, second]).max():
            beta, intercept = beta / margin, intercept / margin
        else:  # the classes are the same to the kernel
            beta = np.zeros(len(of.rows))
            intercept = 1.0 if of.weights[of.signs > 0].sum() > of.weights[of.signs < 0].sum() else -1.0
        return DecisionPlane(beta, intercept, solved.n_iter, solved.converged, unseen)
