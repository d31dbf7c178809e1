"""Kernel logistic regression."""

import warnings
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.special import expit, log_expit, logsumexp, softmax
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_class_weight

from lanatus.base import Floats, check_is_fitted, coded_rows, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.kernel.functions._named import RULES as KERNEL_RULES
from lanatus.kernel.kernelized._kernel_model import KernelModel, positive_rows
from lanatus.kernel.svm._classifier import CLASS_WEIGHT
from lanatus.params import COMMON, Integer, Real, rules_for
from lanatus.scale import blockwise

_MOST_PRODUCTS = 500  # with the kernel matrix in one Newton step
_HALVINGS = 40


@method(
    "kernel.kernel-logistic-regression",
    section="ex 6.9",
    task="classification",
    en="Kernel logistic regression",
    zh="核对率回归",
)
class KernelLogisticRegression(CallbackSupportMixin, ClassifierMixin, KernelModel):
    r"""Logistic regression in the space of a kernel: a support vector machine with probabilities and without zeros.

    Minimises :math:`\frac12 \sum_c \alpha_c^\top K \alpha_c + C \sum_i w_i \ell_i` with :math:`f_c = K \alpha_c + b_c`
    and :math:`\ell` the logistic loss (6.33), of more than two classes that of softmax. Newton's steps, each found by
    conjugate gradients in the inner product of the kernel, which take products with K only.

    Book: exercise 6.9, section 6.6. Cost: :math:`O(n^2)` a product, some tens to some hundreds of them; memory
    :math:`8 n^2` bytes; a prediction :math:`O(n d)`.

    Parameters
    ----------
    C : float, default=1.0
        Price of the loss.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel, as in `SVC`; it must be positive semi-definite.
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
    tol : float, default=1e-4
        Length of the gradient in the space of the kernel at which it ends, as a share of the longest that there can be.
    max_iter : int, default=100
        Most Newton steps.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (1 or n_classes, n_samples), coefficients of the rows; 0 for those of no weight
    intercept_ : ndarray of shape (1 or n_classes,), the constants
    objective_ : float, the value that was reached
    n_iter_ : int, Newton steps
    X_fit_ : ndarray or CSR matrix of shape (n_samples, n_features), the rows; no columns for a precomputed kernel
    kernel_ : Kernel or None, the kernel with the widths that were learned; None for a precomputed one
    classes_ : ndarray of shape (n_classes,), the labels
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.kernel import GaussianKernel, KernelLogisticRegression
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> model = KernelLogisticRegression(C=10.0, kernel=GaussianKernel(0.2), tol=1e-9).fit(X, y)
    >>> model.score(X, y), round(model.objective_, 6)
    (1.0, 61.271221)

    References
    ----------
    Zhu and Hastie (2005), Kernel logistic regression and the import vector machine.
    """

    _state: ClassVar = {"dual_coef_": Floats("functions", "rows"), "intercept_": Floats("functions")}

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
        tol: float = 1e-4,
        max_iter: int = 100,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter

    _params = rules_for(
        __init__,
        {**COMMON, **KERNEL_RULES},
        C=Real(above=0, below=np.inf),
        class_weight=CLASS_WEIGHT,
        tol=Real(above=0, below=np.inf),
        max_iter=Integer(low=1),
    )

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X, or their kernel matrix, with classes y; `sample_weight` multiplies C."""
        X, codes = coded_rows(self, X, y, least=2)
        self._learn_kernel(X)
        by_class = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[codes])
        given = self._weights(sample_weight, X)
        rows, weights = positive_rows(by_class[codes] * (1.0 if given is None else given), len(codes))
        wanted = [1] if len(self.classes_) == 2 else np.arange(len(self.classes_))
        target = (codes[rows, None] == wanted).astype(np.float64)
        risk = _Risk(self._matrix(X, rows), target, self.C * weights[:, None], self.fit_intercept)
        at = risk.at(np.zeros(target.shape), np.zeros(target.shape[1]))
        progress = Progress(self, X, given, max_iter=self.max_iter)
        converged = False
        for iteration in progress.iterations():
            at = risk.step(at)
            self.n_iter_ = iteration.number + 1
            self._keep(at, rows, len(codes))
            iteration.done(state=dict, attributes=self._learned)
            converged = at.gap <= self.tol
            if converged or iteration.stop:
                break
        progress.finish(self._learned())
        if not (converged or iteration.stop):
            warnings.warn(
                f"KernelLogisticRegression did not converge in {self.n_iter_} steps: the gradient is {at.gap:.3g} of "
                f"the longest, tol={self.tol:g}; raise max_iter or tol, or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def _keep(self, at: "_Place", rows: np.ndarray, n: int) -> None:
        self.dual_coef_ = np.zeros((at.alpha.shape[1], n))
        self.dual_coef_[:, rows] = at.alpha.T
        self.intercept_ = at.b.copy()
        self.objective_ = at.value

    def _learned(self) -> dict[str, Any]:
        names = ("dual_coef_", "intercept_", "objective_", "n_iter_", "X_fit_", "kernel_", "classes_")
        learned = {name: getattr(self, name) for name in (*names, "schema_", "n_features_in_")}
        return learned | {name: value for name, value in vars(self).items() if name == "feature_names_in_"}

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """The functions of the classes, one column a class; of two, the log odds of the second."""
        check_is_fitted(self)
        scores = self._expansion(X, self.dual_coef_) + self.intercept_
        return scores.ravel() if len(self.classes_) == 2 else scores

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class for each row of X."""
        scores = self.decision_function(X)
        return np.stack([expit(-scores), expit(scores)], axis=1) if scores.ndim == 1 else softmax(scores, axis=1)

    @blockwise
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.stack([log_expit(-scores), log_expit(scores)], axis=1)
        return np.asarray(scores - logsumexp(scores, axis=1, keepdims=True))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row of X."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]


class _Place(NamedTuple):
    """Coefficients, constants, and what follows from them."""

    alpha: np.ndarray
    b: np.ndarray
    Ka: np.ndarray  # K alpha
    p: np.ndarray  # probabilities
    value: float
    down: np.ndarray  # minus the gradient in the space of the kernel
    down_b: np.ndarray
    Kdown: np.ndarray
    gap: float  # length of the gradient, in units of the longest


class _Risk:
    """The objective, a column for each function."""

    def __init__(self, K: np.ndarray, target: np.ndarray, price: np.ndarray, constants: bool) -> None:
        self.K, self.target, self.price, self.constants = K, target, price, constants
        self._longest = float(price.sum()) * np.sqrt(max(np.diagonal(K).max(), 1.0))

    def at(self, alpha: np.ndarray, b: np.ndarray) -> _Place:
        Ka = self.K @ alpha
        value, p = self._value(alpha, b, Ka)
        pull = self.price * (p - self.target)
        down, down_b = -(alpha + pull), -pull.sum(axis=0) * self.constants
        Kdown = self.K @ down
        squared = float(np.sum(down * Kdown))
        if squared < -1e-9 * float(np.abs(self.K).max()) * float(np.sum(np.abs(down))) ** 2:
            raise ValueError(
                "the kernel matrix is not positive semi-definite, so there is no minimum; take another kernel, or "
                "other parameters of it."
            )
        gap = float(np.sqrt(max(squared, 0.0) + down_b @ down_b)) / self._longest
        return _Place(alpha, b, Ka, p, value, down, down_b, Kdown, gap)

    def _value(self, alpha: np.ndarray, b: np.ndarray, Ka: np.ndarray) -> tuple[float, np.ndarray]:
        f = Ka + b
        if f.shape[1] == 1:
            p = expit(f)
            loss = -np.where(self.target > 0, log_expit(f), log_expit(-f))
        else:
            whole = logsumexp(f, axis=1, keepdims=True)
            p = np.exp(f - whole)
            loss = whole - (f * self.target).sum(axis=1, keepdims=True)
        return 0.5 * float(np.sum(alpha * Ka)) + float(np.sum(self.price * loss)), p

    def step(self, at: _Place) -> _Place:
        """A Newton step, shortened until the objective falls as it should."""
        d, e, Kd = self._newton(at)
        slope = -(float(np.sum(at.down * Kd)) + float(at.down_b @ e))
        length = 1.0
        for _ in range(_HALVINGS):
            alpha, b = at.alpha + length * d, at.b + length * e
            value, _ = self._value(alpha, b, at.Ka + length * Kd)
            if value <= at.value + 1e-4 * length * slope + 1e-13 * abs(at.value):
                break
            length /= 2
        return self.at(alpha, b)

    def _newton(self, at: _Place) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Conjugate gradients for (I + W K) d = r in the inner product of K, constants beside."""
        r, r_b, Kr = at.down, at.down_b, at.Kdown
        d, e, Kd = np.zeros_like(r), np.zeros_like(r_b), np.zeros_like(r)
        q, q_b, Kq = r, r_b, Kr
        size = first = max(float(np.sum(r * Kr) + r_b @ r_b), 0.0)  # below 0 by rounding only
        goal = first * min(0.01, np.sqrt(first) / (1 + self.price.sum())) ** 2
        for _ in range(_MOST_PRODUCTS):
            if size <= goal or size <= 0:
                break
            bent = self._weigh(at.p, Kq + q_b)
            Aq, Aq_b = q + bent, bent.sum(axis=0) * self.constants
            curvature = float(np.sum(Aq * Kq) + Aq_b @ q_b)
            if curvature <= 0:
                break
            length = size / curvature
            d, e, Kd = d + length * q, e + length * q_b, Kd + length * Kq
            r, r_b = r - length * Aq, r_b - length * Aq_b
            Kr = self.K @ r
            before, size = size, float(np.sum(r * Kr) + r_b @ r_b)
            turn = size / before
            q, q_b, Kq = r + turn * q, r_b + turn * q_b, Kr + turn * Kq
        return d, e, Kd

    def _weigh(self, p: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Curvature of the loss times changes of the functions."""
        if p.shape[1] == 1:
            return np.asarray(self.price * p * (1 - p) * v)
        return np.asarray(self.price * (p * v - p * np.sum(p * v, axis=1, keepdims=True)))
