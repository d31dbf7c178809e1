"""The transductive support vector machine."""

from itertools import product
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.kernel.svm import KernelRows
from lanatus.params import Choice, Flag, Nothing, Real, rules_for
from lanatus.semi.machines._machine import RULES, Plane, SemiSupervisedMachine, Task
from lanatus.semi.machines._with_labels import Fitted, with_labels

_MOST_ENUMERATED = 16  # unlabelled rows, of which every labelling is looked at


@method(
    "semi.tsvm",
    "semi.tsvm-exhaustive",
    "semi.tsvm-imbalance",
    "semi.tsvm-efficient",
    section="13.3",
    task="classification",
    en="Transductive SVM (TSVM)",
    zh="半监督支持向量机 (TSVM)",
    peers=["LAMDA-SSL:TSVM"],
)
class TSVM(SemiSupervisedMachine):
    r"""A support vector machine that gives unlabelled rows the labels with which its margin is widest.

    Minimises :math:`\frac12 \lVert w \rVert^2 + C_l \sum_{i \le l} \xi_i + C_u \sum_{i > l} \xi_i` (13.9) over the
    plane and the labels of the unlabelled rows: these begin as a machine of the labelled rows alone has them, at a
    price that doubles up to :math:`C_l`, and in pairs of different labels with :math:`\xi_i + \xi_j > 2` both are
    changed, which lowers the sum. How many there are of each does not change.

    Book: section 13.3, figure 13.4; exercises 13.4 to 13.6. Kernel: ``cpp/kernel/smo.hpp``. Cost: that of some dozens
    of machines of all rows, each begun at the one before.

    Parameters
    ----------
    C : float, default=1.0
        Price of a labelled row beyond its margin, :math:`C_l`.
    C_unlabelled : float or None, default=None
        Of an unlabelled one at the end, :math:`C_u`; None is `C`.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel, as in `SVC`.
    degree : int, default=3
        Power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels that are named, as in `SVC`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    solver : {"multi-switch", "pairs", "exhaustive"}, default="multi-switch"
        Whether labels change in many pairs at a time, in one pair as in the book, or every labelling is looked at,
        of 16 unlabelled rows at most.
    balance : bool, default=True
        Whether the rarer label costs as much more, :math:`C_u^+ = C_u^- u_- / u_+` (13.10).
    positive_share : float or None, default=None
        Share of the unlabelled rows that get the second of two classes; None is what the machine of the labelled rows
        says.
    tol : float, default=1e-3
        Largest violation of the KKT conditions that is left.
    cache_size : float, default=200
        Megabytes of kernel rows that are kept.
    max_iter : int, default=10000
        Most machines.
    verbose : bool or int, default=False
        Kept for the sake of the other machines.

    Attributes
    ----------
    transduction_ : ndarray of shape (n_samples,), classes of the rows of ``fit``, those that were known as they were
    support_ : ndarray of shape (n_support,), int32, the rows that are support vectors
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features), these rows; none for a precomputed kernel
    dual_coef_ : ndarray of shape (n_machines, n_support), their coefficients
    intercept_ : ndarray of shape (n_machines,), the constants
    coef_ : ndarray of shape (n_machines, n_features), weights of the columns, of a linear kernel only
    objective_ : ndarray of shape (n_machines,), the sum that was minimised
    kernel_ : Kernel or None, the kernel with the widths that were learned; None for a precomputed one
    classes_ : ndarray of shape (n_classes,), the labels
    n_iter_ : int, machines solved
    fit_status_ : int, 0 if all converged, else 1
    shape_fit_ : tuple of int, shape of X in ``fit``
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    As printed, figure 13.4 ends before a machine is solved at :math:`C_u = C_l`; here it is. Of several classes each is
    parted from the rest.

    Examples
    --------
    >>> from lanatus.semi import TSVM
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> TSVM(kernel="linear").fit(X, [0, -1, -1, -1, -1, 1]).transduction_.tolist()
    [0, 0, 0, 1, 1, 1]

    References
    ----------
    Joachims (1999), Transductive inference for text classification using support vector machines.
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        C_unlabelled: float | None = None,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        solver: str = "multi-switch",
        balance: bool = True,
        positive_share: float | None = None,
        tol: float = 1e-3,
        cache_size: float = 200,
        max_iter: int = 10_000,
        verbose: Any = False,
    ) -> None:
        self.C = C
        self.C_unlabelled = C_unlabelled
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.solver = solver
        self.balance = balance
        self.positive_share = positive_share
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.verbose = verbose

    _params = rules_for(
        __init__,
        RULES,
        C_unlabelled=Real(above=0, below=np.inf) | Nothing(),
        solver=Choice("multi-switch", "pairs", "exhaustive"),
        balance=Flag(),
        positive_share=Real(low=0, high=1) | Nothing(),
    )

    def _plane(self, rows: KernelRows, task: Task) -> Plane:
        asked, price = task.asked, self.C if self.C_unlabelled is None else self.C_unlabelled
        if self.solver == "exhaustive":
            return self._best_of_all(rows, task, price)
        prices = task.prices.copy()
        fitted = self._fitted(rows, task.signs, prices, np.zeros(rows.n))
        if not len(asked):
            return Plane(task.signs, fitted.beta, fitted.b, 1, True, fitted.objective)
        signs = task.signs.copy()
        signs[asked] = self._first_labels(fitted.scores[asked])
        now, taken = min(price, price * 1e-3), 1
        while True:
            prices[asked] = self._prices(signs[asked], now)
            fitted = self._fitted(rows, signs, prices, fitted.beta)
            taken += 1
            switched = self._switched(signs, asked, fitted.scores)
            while len(switched) and taken < self.max_iter:
                signs[switched] *= -1
                prices[asked] = self._prices(signs[asked], now)
                fitted = self._fitted(rows, signs, prices, fitted.beta)
                taken += 1
                switched = self._switched(signs, asked, fitted.scores)
            if now >= price or taken >= self.max_iter:
                return Plane(signs, fitted.beta, fitted.b, taken, taken < self.max_iter, fitted.objective)
            now = min(2 * now, price)

    def _first_labels(self, scores: np.ndarray) -> np.ndarray:
        if self.positive_share is None:
            return np.where(scores > 0, 1.0, -1.0)
        labels = np.full(len(scores), -1.0)
        labels[np.argsort(-scores, kind="stable")[: round(self.positive_share * len(scores))]] = 1
        return labels

    def _prices(self, labels: np.ndarray, price: float) -> np.ndarray:
        """(13.10): the rarer label costs more; where there is one label only, all cost the same."""
        above = float((labels > 0).mean())
        if not self.balance or above in (0.0, 1.0):
            return np.full(len(labels), price)
        return np.where(labels > 0, price * (1 - above) / above, price)

    def _switched(self, signs: np.ndarray, asked: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Rows whose labels change: pairs of different ones whose slacks sum to more than 2, the largest first."""
        slack = np.maximum(1 - signs[asked] * scores[asked], 0.0)
        sides = []
        for side in (1, -1):
            mine = asked[signs[asked] == side]
            order = np.argsort(-slack[signs[asked] == side], kind="stable")
            sides.append((mine[order], slack[signs[asked] == side][order]))
        count = min(len(sides[0][0]), len(sides[1][0]))
        (above, high), (below, low) = sides
        high, low = high[:count], low[:count]
        # A violation of `tol` in the conditions may move a score by as much; less than that is no gain.
        pays = (high > 0) & (low > 0) & (high + low > 2 + 2 * self.tol)
        count = int(pays.argmin()) if not pays.all() else count
        count = min(count, 1) if self.solver == "pairs" else count
        return np.concatenate([above[:count], below[:count]])

    def _fitted(self, rows: KernelRows, signs: np.ndarray, prices: np.ndarray, start: np.ndarray) -> Fitted:
        """The machine with these labels, begun near another."""
        return with_labels(rows, signs, prices, start, self.tol)

    def _best_of_all(self, rows: KernelRows, task: Task, price: float) -> Plane:
        """Every labelling of the unlabelled rows, each with a machine of its own."""
        asked = task.asked
        if len(asked) > _MOST_ENUMERATED:
            raise ValueError(
                f"solver='exhaustive' looks at every labelling of at most {_MOST_ENUMERATED} rows; {len(asked)} have "
                "no label: take 'multi-switch'."
            )
        best: tuple[float, np.ndarray, Fitted] | None = None
        signs, prices, beta = task.signs.copy(), task.prices.copy(), np.zeros(rows.n)
        for labels in product((-1.0, 1.0), repeat=len(asked)):
            signs[asked] = labels
            prices[asked] = self._prices(signs[asked], price)
            fitted = self._fitted(rows, signs, prices, beta)
            beta = fitted.beta
            if best is None or fitted.objective < best[0]:
                best = fitted.objective, signs.copy(), fitted
        assert best is not None
        value, signs, fitted = best
        return Plane(signs, fitted.beta, fitted.b, 2 ** len(asked), True, value)
