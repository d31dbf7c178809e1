"""Support vector machines of many prices at once."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.model_selection import check_cv

from lanatus._typing import override
from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.kernel.svm._classifier import CLASS_WEIGHT, DecisionPlane, MachineRows, SupportVectorClassifier
from lanatus.kernel.svm._dual import DualProblem, offset
from lanatus.kernel.svm._duals import enlarged, soft_margin
from lanatus.kernel.svm._machine import RULES, small_dense
from lanatus.kernel.svm._small_machines import small_machines, suits_small_machines
from lanatus.kernel.svm._svc import SVC
from lanatus.params import Choice, Flag, Integer, Nothing, Satisfies, rules_for

_FOLDS = Integer(low=2) | Satisfies(lambda value: hasattr(value, "split") or hasattr(value, "__iter__"), "a splitter")
_PRICES = Integer(low=1) | Satisfies(
    lambda value: np.ndim(value) == 1 and len(value) > 0 and bool((np.asarray(value, dtype=float) > 0).all())
    and bool(np.isfinite(np.asarray(value, dtype=float)).all()),
    "a list of finite numbers above 0",
)  # fmt: skip


@method(
    section="6.4",
    task="classification",
    en="Soft-margin SVM along a path of C",
    zh="软间隔支持向量机路径",
    peers=["scikit-learn:GridSearchCV"],
)
class SVCPath(SupportVectorClassifier):
    r"""Support vector machines for many prices C, for little more than the cost of one.

    The machines of `SVC` from the lowest price to the highest: each begins at the best multiple of the one before, and
    all use the same kernel rows. The one with the best accuracy in cross-validation answers; all are in `machines_`.

    Book: section 6.4. Kernels: ``cpp/kernel/smo.hpp``, ``cpp/kernel/machines.hpp``.
    Cost: that of `SVC` at the highest price, as a rule, and as much for each fold. Memory `cache_size` and the data.

    Parameters
    ----------
    Cs : int or array of float, default=10
        The prices, or their number between 0.01 and 1000, by equal factors.
    cv : int, splitter, iterable or None, default=5
        Folds by which the price is chosen; None takes the highest.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel, as in `SVC`.
    degree : int, default=3
        Power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels that are named, as in `SVC`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    tol : float, default=1e-3
        Largest violation of the KKT conditions that is left.
    cache_size : float, default=200
        Megabytes of kernel rows that are kept.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by class.
    verbose : bool or int, default=False
        Above 0, logs each solution to the logger "lanatus".
    max_iter : int, default=-1
        Most pairs of variables that are changed at each price; -1 is ten millions, or a hundred a row if that is more.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        What ``decision_function`` gives for more than two classes.
    break_ties : bool, default=False
        Whether ties of votes go by the sums of the decision values.
    multi_class : {"ovo", "ovr", "dag"}, default="ovo"
        Machines of more than two classes, as in `SVC`.

    Attributes
    ----------
    Cs_ : ndarray of shape (n_Cs,), the prices, rising
    C_ : float, the one that answers
    scores_ : ndarray of shape (n_folds, n_Cs), accuracies in cross-validation; none without `cv`
    machines_ : list of SVC, one for each price
    support_ : ndarray of int32, rows that are support vectors at `C_`, and so on as in `SVC`
    support_vectors_ : ndarray or CSR matrix, these rows
    n_support_ : ndarray of int32, how many there are in each class
    dual_coef_ : ndarray, their coefficients
    intercept_ : ndarray, the constants
    coef_ : ndarray, weights of the columns, of a linear kernel only
    kernel_ : Kernel or None, the kernel with the widths that were learned
    classes_ : ndarray of shape (n_classes,), the labels
    class_weight_ : ndarray of shape (n_classes,), factors of C
    n_iter_ : ndarray of int32, pairs of variables that were changed
    fit_status_ : int, 0 if the conditions were met to `tol`, else 1
    shape_fit_ : tuple of int, shape of X in ``fit``
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.kernel import SVCPath
    >>> path = SVCPath(Cs=[0.01, 1, 100]).fit(*load_iris(return_X_y=True))
    >>> path.C_, [machine.n_support_.sum().item() for machine in path.machines_]
    (100.0, [150, 60, 19])

    References
    ----------
    Hastie, Rosset, Tibshirani and Zhu (2004), The entire regularization path for the support vector machine.
    """

    probability = False
    random_state = None

    def __init__(
        self,
        *,
        Cs: Any = 10,
        cv: Any = 5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: Any = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        multi_class: str = "ovo",
    ) -> None:
        self.Cs = Cs
        self.cv = cv
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.multi_class = multi_class

    _params = rules_for(
        __init__,
        RULES,
        Cs=_PRICES,
        cv=_FOLDS | Nothing(),
        class_weight=CLASS_WEIGHT,
        decision_function_shape=Choice("ovr", "ovo"),
        break_ties=Flag(),
        multi_class=Choice("ovo", "ovr", "dag"),
    )

    @override
    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the machines of all prices, and which one is best.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            The attributes; the kernel matrix for ``kernel="precomputed"``.
        y : array of shape (n_samples,)
            The classes.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, by which C is multiplied.
        """
        X, codes, weights = self._rows_and_weights(X, y, sample_weight)
        self.Cs_ = np.logspace(-2, 3, self.Cs) if np.ndim(self.Cs) == 0 else np.unique(np.asarray(self.Cs, dtype=float))
        every = np.arange(len(codes))
        self.machines_ = self._path(X, codes, weights, every)
        best = len(self.Cs_) - 1
        if self.cv is not None:
            self.scores_ = self._accuracies(X, codes, weights)
            best = int(self.scores_.mean(axis=0).argmax())
        self.C_ = float(self.Cs_[best])
        for name, value in vars(self.machines_[best]).items():
            if name.endswith("_"):
                setattr(self, name, value)
        return self

    def _path(self, X: Any, codes: np.ndarray, weights: np.ndarray, rows: np.ndarray) -> list[SVC]:
        """A machine for each price, learned from some rows."""
        kept = np.zeros(len(codes), dtype=bool)
        kept[rows] = True
        tasks = list(self._tasks(codes, np.where(kept, weights, 0.0), None))
        machines = []
        for C, planes in zip(self.Cs_, self._planes_by_price(X, tasks), strict=True):
            self._combine(X, codes, tasks, planes)
            how = {name: value for name, value in self.get_params(deep=False).items() if name not in ("Cs", "cv")}
            machine = SVC(C=float(C), **how)
            for name, value in vars(self).items():
                if (name.endswith("_") and name not in ("Cs_", "machines_")) or name == "_gamma":
                    setattr(machine, name, value)
            machines.append(machine)
        return machines

    def _planes_by_price(self, X: Any, tasks: list[MachineRows]) -> Iterator[list[DecisionPlane]]:
        if suits_small_machines(self.kernel_, X, tasks, self.cache_size):
            return self._small(small_dense(X), tasks)
        each = [list(self._large(X, of)) for of in tasks]
        return (list(planes) for planes in zip(*each, strict=True))

    def _small(self, X: np.ndarray, tasks: list[MachineRows]) -> Iterator[list[DecisionPlane]]:
        start, last = None, 1.0
        for C in self.Cs_:
            if start is not None:
                start = [beta * (C / last) for beta in start]
            planes = small_machines(self.kernel_, X, tasks, C, self.tol, self.max_iter, start)
            for plane in planes:
                self._warn_if_unconverged(plane.converged, plane.n_iter)
            start, last = [plane.beta for plane in planes], C
            yield planes

    def _large(self, X: Any, of: MachineRows) -> Iterator[DecisionPlane]:
        matrix, start, last = self._kernel_rows(X, of.rows), np.zeros(len(of.rows)), 1.0
        norm = 0.0
        for C in self.Cs_:
            dual = soft_margin(of.signs, C * of.weights)
            begun = np.clip(enlarged(start, of.signs, norm, C / last), dual.low, dual.high)
            dual = DualProblem(dual.linear, dual.low, dual.high, begun, dual.row, dual.group)
            solved = self._solve(dual, matrix)
            norm = float(solved.beta @ (solved.scores - dual.linear))
            start, last = solved.beta, C
            yield DecisionPlane(solved.beta, -offset(solved, dual), solved.n_iter, solved.converged)

    def _accuracies(self, X: Any, codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Accuracy of every price on each fold, by machines of the other folds."""
        scores = []
        labels = self.classes_[codes]
        for train, test in check_cv(self.cv, labels, classifier=True).split(np.zeros((len(codes), 1)), labels):
            seen = np.unique(codes[train][weights[train] > 0])
            if len(seen) < len(self.classes_):
                lost = sorted(set(range(len(self.classes_))) - set(seen.tolist()))[0]
                raise ValueError(
                    f"class {self.classes_[lost].item()!r} is in one fold only, so that no machine of the others knows "
                    "it; give fewer folds, more of its rows, or cv=None."
                )
            asked = X[test]
            scores.append(
                [
                    accuracy_score(labels[test], self.classes_[machine._codes(machine._values_of(asked))])
                    for machine in self._path(X, codes, weights, train)
                ]
            )
        return np.array(scores)
