"""Support vector machines of several classes in one problem."""

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight

from lanatus._core import kernel as kernels
from lanatus.base import check_is_fitted, coded_rows, fitting
from lanatus.catalog import method
from lanatus.kernel.svm._classifier import CLASS_WEIGHT
from lanatus.kernel.svm._kernel_rows import KernelRows
from lanatus.kernel.svm._machine import RULES, SupportVectorMachine
from lanatus.params import Choice, Flag, Real, rules_for
from lanatus.scale import blockwise

_WORKING_SET = 256
_SWEEPS = 20  # most of them in one working set
_SHARE = 0.1  # of the violation, to which a working set is solved
_MOST_SETS = 10_000
_FULL = 1 - 1e-12  # share of a cap from which it is used up, as in the kernel


class Multipliers(NamedTuple):
    """A solution: multipliers, working sets taken, the violation left."""

    a: np.ndarray
    n_iter: int
    violation: float


@method(
    "kernel.multiclass-svm-crammer-singer",
    "kernel.multiclass-svm-weston-watkins",
    "kernel.multiclass-svm-lee-lin-wahba",
    section="6.7",
    task="classification",
    en="Multi-class SVM in one problem",
    zh="多分类支持向量机",
    peers=["scikit-learn:LinearSVC"],
)
class MulticlassSVC(ClassifierMixin, SupportVectorMachine):
    r"""Support vector machine of several classes in one problem.

    Minimises :math:`\frac12 \sum_c \lVert w_c \rVert^2 + C \sum_i \ell_i` over a function :math:`f_c(x) = w_c^\top
    \phi(x)` for each class, with the loss of a row of class *y*

    - Crammer and Singer: :math:`\max(0, 1 + \max_{c \ne y} f_c - f_y)`,
    - Weston and Watkins: :math:`\sum_{c \ne y} \max(0, 1 + f_c - f_y)`,
    - Lee, Lin and Wahba: :math:`\sum_{c \ne y} \max(0, 1 + f_c)` with :math:`\sum_c f_c = 0`, the only one of the three
      whose minimum for endless data is Bayes' rule.

    The dual is solved in working sets of violating rows, each row exactly in turn.

    Book: sections 3.5 and 6.7. Kernel: ``cpp/kernel/multiclass.hpp``.
    Cost: :math:`O(n^2 (d + K))` at least; a prediction :math:`O(d + K)` a support vector. Memory `cache_size`, the data
    and two numbers for each row and class.

    Parameters
    ----------
    formulation : {"crammer-singer", "weston-watkins", "lee-lin-wahba"}, default="crammer-singer"
        The loss.
    C : float, default=1.0
        Its price.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel, as in `SVC`.
    degree : int, default=3
        Power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels that are named, as in `SVC`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    fit_intercept : bool, default=True
        Whether the functions have constants. These are penalised like weights: one is added to the kernel.
    tol : float, default=1e-3
        Largest violation of the KKT conditions that is left. Below 1e-5 kernels are kept as float64.
    cache_size : float, default=200
        Megabytes of kernel rows that are kept.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by class.
    verbose : bool or int, default=False
        Above 0, logs the solution to the logger "lanatus".
    max_iter : int, default=-1
        Most working sets; -1 is ten thousand.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,), int32, the rows that are support vectors
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features), these rows; none for a precomputed kernel
    n_support_ : ndarray of int32, how many there are in each class
    dual_coef_ : ndarray of shape (n_classes, n_support), their coefficients in the functions of the classes
    intercept_ : ndarray of shape (n_classes,), the constants
    coef_ : ndarray of shape (n_classes, n_features), weights of the columns, of a linear kernel only
    kernel_ : Kernel or None, the kernel with the widths that were learned; None for a precomputed one
    classes_ : ndarray of shape (n_classes,), the labels
    class_weight_ : ndarray of shape (n_classes,), factors of C
    n_iter_ : int, working sets taken
    fit_status_ : int, 0 if the conditions were met to `tol`, else 1
    shape_fit_ : tuple of int, shape of X in ``fit``
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.kernel import MulticlassSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MulticlassSVC(formulation="weston-watkins").fit(X, y)
    >>> model.decision_function(X[:1]).shape, model.score(X, y) > 0.95
    ((1, 3), True)

    References
    ----------
    Crammer and Singer (2001), On the algorithmic implementation of multiclass kernel-based vector machines. Weston and
    Watkins (1999), Support vector machines for multi-class pattern recognition. Lee, Lin and Wahba (2004),
    Multicategory support vector machines. Dogan, Glasmachers and Igel (2016), A unified view on multi-class support
    vector classification.
    """

    classes_: np.ndarray
    n_support_: np.ndarray

    def __init__(
        self,
        *,
        formulation: str = "crammer-singer",
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: Any = False,
        max_iter: int = -1,
    ) -> None:
        self.formulation = formulation
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter

    _params = rules_for(
        __init__,
        RULES,
        formulation=Choice("crammer-singer", "weston-watkins", "lee-lin-wahba"),
        C=Real(above=0, below=np.inf),
        fit_intercept=Flag(),
        class_weight=CLASS_WEIGHT,
    )

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the support vectors of all classes.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            The attributes; the kernel matrix for ``kernel="precomputed"``.
        y : array of shape (n_samples,)
            The classes.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, by which C is multiplied.
        """
        X, codes = coded_rows(self, X, y, least=2)
        self._learn_kernel(X)
        self.class_weight_ = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[codes])
        weights = self._weights(sample_weight, X)
        caps = self.C * self.class_weight_[codes] * (1.0 if weights is None else weights)
        rows = np.flatnonzero(caps > 0)
        if not len(rows):
            raise ValueError("Invalid input - all samples have zero or negative weights; wanted one above 0 at least.")
        found = self._multipliers(self._kernel_rows(X, rows), codes[rows].astype(np.int32), caps[rows])
        self._warn_if_unconverged(found.violation <= self.tol, found.n_iter, found.violation)
        coefs = self._coefficients(found.a, codes[rows])
        used = np.flatnonzero(coefs.any(axis=1))
        used = used[np.argsort(codes[rows[used]], kind="stable")]
        self._keep_support(X, rows[used])
        self.dual_coef_ = np.ascontiguousarray(coefs[used].T)
        self.intercept_ = coefs.sum(axis=0) if self.fit_intercept else np.zeros(len(self.classes_))
        self.n_support_ = np.bincount(codes[self.support_], minlength=len(self.classes_)).astype(np.int32)
        self.n_iter_ = found.n_iter
        self.fit_status_ = int(found.violation > self.tol)
        return self

    def _coefficients(self, a: np.ndarray, codes: np.ndarray) -> np.ndarray:
        sums = a.sum(axis=1)
        if self.formulation == "lee-lin-wahba":
            return np.asarray(sums[:, None] / a.shape[1] - a)
        coefs = -a
        coefs[np.arange(len(codes)), codes] += sums
        return coefs

    def _violations(self, values: np.ndarray, a: np.ndarray, codes: np.ndarray, caps: np.ndarray) -> np.ndarray:
        """By how much each row breaks the KKT conditions."""
        of = np.arange(len(codes))
        slopes = 1 + values if self.formulation == "lee-lin-wahba" else 1 - (values[of, codes][:, None] - values)
        own = np.zeros(a.shape, dtype=bool)
        own[of, codes] = True
        if self.formulation != "crammer-singer":
            rise = np.where(own | (a >= _FULL * caps[:, None]), 0.0, slopes)
            fall = np.where(own | (a <= 0), 0.0, -slopes)
            return np.maximum(np.maximum(rise, fall).max(axis=1), 0.0)
        highest = np.maximum(np.where(own, -np.inf, slopes).max(axis=1), 0.0)
        lowest = np.where(own | (a <= 0), np.inf, slopes).min(axis=1)
        lowest = np.where(a.sum(axis=1) < _FULL * caps, np.minimum(lowest, 0.0), lowest)  # what is left of the cap
        return np.where(np.isfinite(lowest), np.maximum(highest - lowest, 0.0), 0.0)

    def _multipliers(self, matrix: KernelRows, codes: np.ndarray, caps: np.ndarray) -> Multipliers:
        """Working sets of the rows that violate most, until none does by more than `tol`."""
        a = np.zeros((len(codes), len(self.classes_)))
        values = np.zeros_like(a)
        added = 1.0 if self.fit_intercept else 0.0
        size = min(_WORKING_SET, matrix.limit, len(codes))
        most = self.max_iter if self.max_iter >= 0 else _MOST_SETS
        for taken in range(most + 1):
            violations = self._violations(values, a, codes, caps)
            violation = float(violations.max())
            if violation <= self.tol or taken == most:
                break
            chosen = np.sort(np.argpartition(-violations, size - 1)[:size])
            chosen = chosen[violations[chosen] > 0]
            slots = matrix.fetch(chosen)
            K = matrix.block(slots, chosen)
            moved, local = a[chosen], values[chosen]
            solved = kernels.multiclass(
                K if not added else K + K.dtype.type(added),
                moved,
                local,
                codes[chosen],
                caps[chosen],
                margins=self.formulation,
                tol=max(self.tol / 2, _SHARE * violation),
                max_sweeps=_SWEEPS,
            )
            steps = self._coefficients(moved - a[chosen], codes[chosen])
            if not solved or not steps.any():  # nothing to gain in the digits that there are
                break
            a[chosen] = moved
            values += matrix.kept[slots].T @ steps.astype(matrix.kept.dtype) + added * steps.sum(axis=0)
        return Multipliers(a, taken, violation)

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Values of the classes' functions at each row of X, a column a class; of two classes their difference.

        Parameters
        ----------
        X : array, frame, sparse matrix, scanned source or Dask collection of shape (n_samples, n_features)
            The attributes.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        values = self._sums(X, self.dual_coef_) + self.intercept_
        return values[:, 1] - values[:, 0] if len(self.classes_) == 2 else values

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        values = self.decision_function(X)
        codes = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[codes]
