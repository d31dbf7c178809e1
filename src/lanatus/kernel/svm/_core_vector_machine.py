"""Core vector machines: a squared hinge with a kernel, from a small core of the rows."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lanatus._core import kernel as kernels
from lanatus._typing import override
from lanatus.catalog import method
from lanatus.kernel.svm._classifier import CLASS_WEIGHT, DecisionPlane, MachineRows, SupportVectorClassifier
from lanatus.kernel.svm._machine import RULES, small_dense
from lanatus.params import Choice, Flag, Integer, Real, rules_for

_DRAWN = 59  # rows, of which one is among the worst twentieth with a chance of 0.95
_FIRST = 20  # rows of the first core
_AT_ONCE = 2000  # rows whose kernels with the core are made together
_MOST_PAIRS = 1_000_000


@method(
    "kernel.core-vector-machine",
    section="6.7",
    task="classification",
    en="Core vector machine",
    zh="核心向量机",
)
class CoreVectorMachine(SupportVectorClassifier):
    r"""Core vector machine: a kernel machine for many rows, from a core of them that grows until it is enough.

    Minimises :math:`\frac12 (\lVert w \rVert^2 + b^2) + C \sum_i v_i \max(0, 1 - y_i f(x_i))^2`. Its dual is the least
    ball around the images of the rows, or the point of their hull that is nearest to the origin: the rows of a core
    have it to a share `eps`, and the core needs a number of rows that does not depend on how many there are. The worst
    of 59 rows drawn joins the core, until none of all rows is outside.

    Book: section 6.7. Cost: O(m) kernels a round for a core of m rows, and :math:`O(nm)` where all rows are looked at;
    memory :math:`O(m^2)`. A prediction :math:`O(d)` a row of the core.

    Parameters
    ----------
    C : float, default=1.0
        Price of a row's squared hinge.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel, as in `SVC`.
    degree : int, default=3
        Power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels that are named, as in `SVC`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    eps : float, default=1e-3
        By what share a row's margin may fall short of that of the core.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by class.
    max_iter : int, default=10000
        Most rows that join the core.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        What ``decision_function`` gives for more than two classes: a column a class, or one for each pair.
    break_ties : bool, default=False
        Whether ties of votes between more than two classes go by the sums of the decision values.
    random_state : int, RandomState instance or None, default=None
        Draws the rows.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,), int32, the rows of the cores that hold the planes, class by class
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features), these rows; none for a precomputed kernel
    n_support_ : ndarray of int32, how many there are in each class
    dual_coef_ : ndarray of shape (n_classes - 1, n_support), their coefficients against the other classes
    intercept_ : ndarray of shape (n_pairs,), the constants
    coef_ : ndarray of shape (n_pairs, n_features), weights of the columns, of a linear kernel only
    kernel_ : Kernel or None, the kernel with the widths that were learned; None for a precomputed one
    classes_ : ndarray of shape (n_classes,), the labels
    class_weight_ : ndarray of shape (n_classes,), factors of C
    n_iter_ : ndarray of shape (n_pairs,), int32, rows that joined the core
    fit_status_ : int, 0 if the cores are enough, else 1
    shape_fit_ : tuple of int, shape of X in ``fit``
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.kernel import CoreVectorMachine
    >>> X, y = load_iris(return_X_y=True)
    >>> CoreVectorMachine(random_state=0).fit(X, y).score(X, y) > 0.94
    True

    References
    ----------
    Tsang, Kwok and Cheung (2005), Core vector machines: fast SVM training on very large data sets.
    """

    probability = False
    tol = 1e-6  # kernels are kept as float64
    cache_size = 200.0
    verbose = False

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        eps: float = 1e-3,
        class_weight: Any = None,
        max_iter: int = 10_000,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.eps = eps
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    _params = rules_for(
        __init__,
        RULES,
        C=Real(above=0, below=np.inf),
        eps=Real(above=0, below=1),
        class_weight=CLASS_WEIGHT,
        max_iter=Integer(low=1),
        decision_function_shape=Choice("ovr", "ovo"),
        break_ties=Flag(),
    )

    @override
    def _plane(self, X: Any, of: MachineRows) -> DecisionPlane:
        rng = check_random_state(self.random_state)
        core = np.sort(rng.permutation(len(of.rows))[:_FIRST])
        alpha, gram = np.full(len(core), 1 / len(core)), np.empty((0, 0))
        joined, enough = 0, False
        while not enough and joined < self.max_iter:
            gram = self._bordered(gram, X, of, core)
            alpha = _nearest(gram, alpha, 0.1 * self.eps)
            length = float(alpha @ gram @ alpha)  # squared distance of the hull from the origin
            drawn = rng.randint(len(of.rows), size=_DRAWN)
            worst = self._worst(X, of, core, alpha, drawn, (1 - self.eps) * length)
            if worst is None:
                worst = self._worst(X, of, core, alpha, np.arange(len(of.rows)), (1 - self.eps) * length)
            enough = worst is None
            if worst is not None:
                core, alpha, joined = np.append(core, worst), np.append(alpha, 0.0), joined + 1
        if not enough:
            gram = self._bordered(gram, X, of, core)
            alpha = _nearest(gram, alpha, 0.1 * self.eps)
            length = float(alpha @ gram @ alpha)
            self._warn_if_unconverged(False, joined)
        beta = np.zeros(len(of.rows))
        beta[core] = alpha * of.signs[core] / max(length, np.finfo(float).tiny)
        return DecisionPlane(beta, float(beta.sum()), joined, enough)

    def _pairs(self, X: Any, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Kernels of some rows with others, and one for the constant."""
        if self.kernel_ is None:
            return np.asarray(X[np.ix_(rows, others)], dtype=np.float64) + 1
        return np.asarray(self.kernel_.pairs(small_dense(X[rows]), small_dense(X[others])), dtype=np.float64) + 1

    def _bordered(self, gram: np.ndarray, X: Any, of: MachineRows, core: np.ndarray) -> np.ndarray:
        """Products of the images of the core, of which some are known: y y' (K + 1) + I / 2 C v."""
        known, m = len(gram), len(core)
        fresh = core[known:]
        edge = self._pairs(X, of.rows[fresh], of.rows[core]) * np.outer(of.signs[fresh], of.signs[core])
        out = np.empty((m, m))
        out[:known, :known] = gram
        out[known:], out[:, known:] = edge, edge.T
        places = np.arange(known, m)
        out[places, places] += 1 / (2 * self.C * of.weights[fresh])
        return out

    def _worst(
        self, X: Any, of: MachineRows, core: np.ndarray, alpha: np.ndarray, rows: np.ndarray, least: float
    ) -> int | None:
        """The row whose product with the nearest point falls short of `least` by most, if one does."""
        rows = np.setdiff1d(rows, core)
        used = np.flatnonzero(alpha)
        coefs = alpha[used] * of.signs[core[used]]
        worst, lowest = None, least
        for start in range(0, len(rows), _AT_ONCE):
            part = rows[start : start + _AT_ONCE]
            products = of.signs[part] * (self._pairs(X, of.rows[part], of.rows[core[used]]) @ coefs)
            place = int(products.argmin())
            if products[place] < lowest:
                worst, lowest = int(part[place]), float(products[place])
        return worst


def _nearest(gram: np.ndarray, alpha: np.ndarray, tol: float) -> np.ndarray:
    """Shares, with a sum of one, of the point of a hull that is nearest to the origin."""
    alpha = np.ascontiguousarray(alpha)
    scores = np.ascontiguousarray(gram @ alpha)
    kernels.smo(
        np.ascontiguousarray(gram), alpha, scores, np.zeros(len(alpha)), np.ones(len(alpha)),
        split=len(alpha), tol=tol * float(alpha @ scores), max_pairs=_MOST_PAIRS,
    )  # fmt: skip
    return alpha
