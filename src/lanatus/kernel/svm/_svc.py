"""C-support vector classification, soft and hard margin."""

from typing import Any

import numpy as np

from lanatus._typing import override
from lanatus.catalog import Contender, method
from lanatus.kernel.svm._classifier import CLASS_WEIGHT, DecisionPlane, MachineRows, SupportVectorClassifier
from lanatus.kernel.svm._dual import DualProblem, offset, solve
from lanatus.kernel.svm._duals import hard_margin, soft_margin, without
from lanatus.kernel.svm._kernel_rows import KernelRows
from lanatus.kernel.svm._machine import RULES, small_dense
from lanatus.kernel.svm._small_machines import small_machines, suits_small_machines
from lanatus.params import Choice, Flag, Real, rules_for
from lanatus.spaces import Span


@method(
    "kernel.soft-margin-svm",
    "kernel.hard-margin-svm",
    "kernel.kernel-trick",
    "kernel.svm-offset",
    section="6.4",
    task="classification",
    en="Soft-margin SVM",
    zh="软间隔支持向量机",
    peers=["scikit-learn:SVC", "scikit-learn-intelex:SVC", "thundersvm:SVC"],
    contender=Contender(
        simplicity=4,
        starts=({"probability": True, "C": 1.0}, {"probability": True, "C": 10.0, "gamma": 0.01}),
        space={"C": Span(1e-2, 1e3, log=True), "gamma": Span(1e-4, 1.0, log=True)},
        most_rows=10_000,
        most_columns=1000,
    ),
)
class SVC(SupportVectorClassifier):
    r"""Support vector machine: the widest margin between two classes, in the space of a kernel.

    Minimises :math:`\frac12 \lVert w \rVert^2 + C \sum_i \max(0, 1 - y_i (w^\top \phi(x_i) + b))` (6.34) by its dual
    (6.40): sequential minimal optimisation, by pairs of second order, in working sets of violating rows. More than
    two classes are compared pair by pair, and their votes counted. ``C=inf`` is the hard margin (6.6), and an error
    where no plane of the kernel's space separates the classes.

    Book: sections 6.1-6.4, cookbook 5.2-5.4, slides 4.1. Kernels: ``cpp/kernel/smo.hpp``, ``cpp/kernel/gaussian.hpp``.
    Cost: :math:`O(n^2 d)` at least, as a rule up to :math:`O(n^3)`; a prediction :math:`O(d)` a support vector. Memory
    `cache_size` and the data.

    Parameters
    ----------
    C : float, default=1.0
        Price of a row beyond its margin; infinite for the hard margin.
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
    multi_class : {"ovo", "ovr", "dag"}, default="ovo"
        Machines of more than two classes: one for each pair, whose votes are counted; one for each class against the
        rest, the largest value of which decides; or those of the pairs asked along a directed acyclic graph, where each
        answer rules one class out.
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

    Notes
    -----
    The offset is the mean over the support vectors inside the box (6.18); where there are none, the middle of where it
    may be. Equal rows with both labels are paid for like others. With a matrix that is not positive semi-definite a
    local minimum is found.

    Examples
    --------
    >>> from lanatus.kernel import SVC
    >>> model = SVC(C=float("inf"), kernel="linear", tol=1e-9).fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> model.coef_.round(6).tolist(), model.intercept_.round(6).tolist(), model.support_.tolist()
    ([[0.5, 0.5]], [-2.0], [2, 0])

    References
    ----------
    Cortes and Vapnik (1995), Support-vector networks.
    Platt (1998), Sequential minimal optimization. Fan, Chen and Lin (2005), Working set selection using second order
    information for training support vector machines.
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
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
        multi_class: str = "ovo",
        probability: bool = False,
        random_state: Any = None,
    ) -> None:
        self.C = C
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
        self.multi_class = multi_class
        self.probability = probability
        self.random_state = random_state

    _params = rules_for(
        __init__,
        RULES,
        C=Real(above=0),
        class_weight=CLASS_WEIGHT,
        decision_function_shape=Choice("ovr", "ovo"),
        break_ties=Flag(),
        multi_class=Choice("ovo", "ovr", "dag"),
        probability=Flag(),
    )

    @override
    def _machines(self, X: Any, tasks: list[MachineRows]) -> list[DecisionPlane]:
        if np.isinf(self.C) or not suits_small_machines(self.kernel_, X, tasks, self.cache_size):
            return super()._machines(X, tasks)
        planes = small_machines(self.kernel_, small_dense(X), tasks, self.C, self.tol, self.max_iter)
        for plane in planes:
            self._warn_if_unconverged(plane.converged, plane.n_iter)
        return planes

    @override
    def _plane(self, X: Any, of: MachineRows) -> DecisionPlane:
        matrix = self._kernel_rows(X, of.rows)
        if np.isinf(self.C):
            dual, solved = hard_margin(of.signs, matrix, self.tol, self.max_iter)
            self._warn_if_unconverged(solved.converged, solved.n_iter, solved.violation)
            unseen = self._unseen(X, of)
        else:
            dual = soft_margin(of.signs, self.C * of.weights)
            solved = self._solve(dual, matrix)
            unseen = None if of.folds is None else self._unseen_by_folds(dual, solved.beta, of.folds, matrix)
        return DecisionPlane(solved.beta, -offset(solved, dual), solved.n_iter, solved.converged, unseen)

    def _unseen_by_folds(
        self, dual: DualProblem, beta: np.ndarray, folds: np.ndarray, matrix: KernelRows
    ) -> np.ndarray:
        """Decision values of each row by machines of the other folds, which begin at the solution of all rows."""
        values = np.empty(len(beta))
        for fold in np.unique(folds):
            out = folds == fold
            part = without(dual, beta, out)
            solved = solve(part, matrix, tol=self.tol, max_iter=self.max_iter)
            values[out] = (solved.scores - part.linear)[out] - offset(solved, part)
        return values
