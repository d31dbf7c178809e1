"""The perceptron with a kernel."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state

from lanatus.base import Floats, check_is_fitted, coded_rows, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.kernel.functions._named import RULES as KERNEL_RULES
from lanatus.kernel.kernelized._kernel_model import KernelModel
from lanatus.params import COMMON, Flag, rules_for
from lanatus.scale import blockwise


@method(
    section="6.6",
    task="classification",
    en="Kernel perceptron",
    zh="核感知机",
)
class KernelPerceptron(CallbackSupportMixin, ClassifierMixin, KernelModel):
    r"""The perceptron in the space of a kernel: a row that is wrong becomes part of the model.

    Rows are looked at in turn. Where :math:`\arg\max_c f_c(x_i)` is not the class, :math:`\kappa(x_i, \cdot)` and a one
    are added to the function of the right class and taken from that of the wrong one. The last model, or the average of
    all that there were, which does better where no function parts the classes.

    Book: sections 5.2 and 6.6. Cost: :math:`O(n^2 d)` for the kernel and :math:`O(n)` a mistake; memory :math:`8 n^2`
    bytes; a prediction :math:`O(d)` a row that was ever wrong.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel, as in `SVC`.
    degree : int, default=3
        Power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels that are named, as in `SVC`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    average : bool, default=True
        Whether the model is the average over all rows looked at.
    shuffle : bool, default=True
        Whether the rows come in another order each time.
    max_iter : int, default=100
        Most rounds through the rows. With `average` the end of the rounds is no failure, and nothing is warned of.
    random_state : int, RandomState or None, default=None
        For the orders.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (1 or n_classes, n_samples), coefficients of the rows
    intercept_ : ndarray of shape (1 or n_classes,), the constants
    n_mistakes_ : int, how often a row was wrong
    n_iter_ : int, rounds; the last one is without mistakes if there are fewer than `max_iter`
    X_fit_ : ndarray or CSR matrix of shape (n_samples, n_features), the rows; no columns for a precomputed kernel
    kernel_ : Kernel or None, the kernel with the widths that were learned; None for a precomputed one
    classes_ : ndarray of shape (n_classes,), the labels
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.kernel import KernelPerceptron, PolynomialKernel
    >>> corners = [[1, 1], [-1, -1], [1, -1], [-1, 1]]
    >>> model = KernelPerceptron(PolynomialKernel(2), random_state=0).fit(corners, [0, 0, 1, 1])
    >>> model.score(corners, [0, 0, 1, 1])
    1.0

    References
    ----------
    Aizerman, Braverman and Rozonoer (1964), Theoretical foundations of the potential function method. Freund and
    Schapire (1999), Large margin classification using the perceptron algorithm.
    """

    _state: ClassVar = {"dual_coef_": Floats("functions", "rows"), "intercept_": Floats("functions")}

    classes_: np.ndarray
    n_iter_: int

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        average: bool = True,
        shuffle: bool = True,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.average = average
        self.shuffle = shuffle
        self.max_iter = max_iter
        self.random_state = random_state

    _params = rules_for(__init__, {**COMMON, **KERNEL_RULES}, average=Flag(), shuffle=Flag())

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X, or their kernel matrix, with classes y."""
        X, codes = coded_rows(self, X, y, least=2)
        self._learn_kernel(X)
        run = _Run(self._matrix(X, np.arange(len(codes))), codes, len(self.classes_))
        rng = check_random_state(self.random_state)
        progress = Progress(self, X, max_iter=self.max_iter)
        wrong = 1
        for iteration in progress.iterations():
            order = rng.permutation(len(codes)) if self.shuffle else np.arange(len(codes))
            wrong = run.round(order)
            self.n_iter_ = iteration.number + 1
            self._keep(run)
            iteration.done(state=dict, attributes=self._learned)
            if not wrong or iteration.stop:
                break
        progress.finish(self._learned())
        if wrong and not iteration.stop and not self.average:
            warn_unconverged(self)
        return self

    def _keep(self, run: "_Run") -> None:
        coefs, constants = run.mean() if self.average else (run.coefs, run.constants)
        if len(self.classes_) == 2:
            coefs, constants = coefs[1:] - coefs[:1], constants[1:] - constants[:1]
        self.dual_coef_, self.intercept_, self.n_mistakes_ = coefs.copy(), constants.copy(), run.n_mistakes

    def _learned(self) -> dict[str, Any]:
        names = ("dual_coef_", "intercept_", "n_mistakes_", "n_iter_", "X_fit_", "kernel_", "classes_")
        learned = {name: getattr(self, name) for name in (*names, "schema_", "n_features_in_")}
        return learned | {name: value for name, value in vars(self).items() if name == "feature_names_in_"}

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """The functions of the classes, one column a class; of two, that of the second less that of the first."""
        check_is_fitted(self)
        scores = self._expansion(X, self.dual_coef_) + self.intercept_
        return scores.ravel() if len(self.classes_) == 2 else scores

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class of each row of X."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]


class _Run:
    """Functions at all rows, brought up to date at each mistake; time counts the rows looked at."""

    def __init__(self, K: np.ndarray, codes: np.ndarray, n_classes: int) -> None:
        n = len(codes)
        self.K, self.codes = K, codes
        self.coefs, self.constants = np.zeros((n_classes, n)), np.zeros(n_classes)
        self.late, self.late_constants = np.zeros((n_classes, n)), np.zeros(n_classes)  # each change times its time
        self.f = np.zeros((n, n_classes))
        self.time = self.n_mistakes = 0

    def round(self, order: np.ndarray) -> int:
        """Once through the rows; the number of mistakes. What is right is passed over at once."""
        place = mistakes = 0
        step = 64
        while place < len(order):
            part = order[place : place + step]
            said = self.f[part].argmax(axis=1)
            bad = np.flatnonzero(said != self.codes[part])
            if not len(bad):
                place += len(part)
                step = min(2 * step, 4096)
                continue
            self._correct(int(part[bad[0]]), int(said[bad[0]]), self.time + place + int(bad[0]))
            mistakes += 1
            place += int(bad[0]) + 1
            step = max(step // 2, 16)
        self.time += len(order)
        self.n_mistakes += mistakes
        return mistakes

    def _correct(self, row: int, said: int, time: int) -> None:
        for one, sign in ((int(self.codes[row]), 1.0), (said, -1.0)):
            self.coefs[one, row] += sign
            self.constants[one] += sign
            self.late[one, row] += sign * time
            self.late_constants[one] += sign * time
            self.f[:, one] += sign * (self.K[row] + 1)

    def mean(self) -> tuple[np.ndarray, np.ndarray]:
        """The average of the models after each row."""
        return self.coefs - self.late / self.time, self.constants - self.late_constants / self.time
