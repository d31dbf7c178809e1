"""The machine that separates the means of the unlabelled rows."""

from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.kernel.svm import KernelRows, offset, one_group, solve
from lanatus.params import Nothing, Real, rules_for
from lanatus.semi.machines._centred import matrix_of
from lanatus.semi.machines._machine import RULES, Plane, SemiSupervisedMachine, Task


@method(
    "semi.mean-s3vm",
    section="13.3",
    task="classification",
    en="meanS3VM",
    zh="均值半监督支持向量机",
)
class MeanS3VM(SemiSupervisedMachine):
    r"""A support vector machine that keeps the means of the two classes of unlabelled rows far apart.

    Minimises :math:`\frac12 \lVert w \rVert^2 + C \sum_{i \le l} \xi_i - C_u \rho` with :math:`w^\top \mu_+ + b \ge
    \rho` and :math:`-(w^\top \mu_- + b) \ge \rho` for the means of the unlabelled rows of each label; then the rows
    with the highest scores take the one label, as many as are wanted, and so on until no label changes ("iter").

    Book: section 13.3. Kernel: ``cpp/kernel/smo.hpp``. Cost: :math:`O(n^2)` for the kernel, and a machine of the
    labelled rows a round; memory :math:`8 n^2` bytes.

    Parameters
    ----------
    C : float, default=1.0
        Price of a labelled row beyond its margin.
    C_unlabelled : float or None, default=None
        What a margin between the means is worth; None is `C`.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel, as in `SVC`.
    degree : int, default=3
        Power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels that are named, as in `SVC`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    positive_share : float or None, default=None
        Share of the unlabelled rows that get the second of two classes; None is that among the labelled ones.
    tol : float, default=1e-3
        Largest violation of the KKT conditions that is left.
    cache_size : float, default=200
        Megabytes of kernel rows that are kept.
    max_iter : int, default=100
        Most rounds.
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
    All unlabelled rows are support vectors: the means are theirs. Of several classes each is parted from the rest.

    Examples
    --------
    >>> from lanatus.semi import MeanS3VM
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> MeanS3VM(kernel="linear").fit(X, [0, -1, -1, -1, -1, 1]).transduction_.tolist()
    [0, 0, 0, 1, 1, 1]

    References
    ----------
    Li, Kwok and Zhou (2009), Semi-supervised learning using label mean.
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
        positive_share: float | None = None,
        tol: float = 1e-3,
        cache_size: float = 200,
        max_iter: int = 100,
        verbose: Any = False,
    ) -> None:
        self.C = C
        self.C_unlabelled = C_unlabelled
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.positive_share = positive_share
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.verbose = verbose

    _params = rules_for(
        __init__,
        RULES,
        C_unlabelled=Real(above=0, below=np.inf) | Nothing(),
        positive_share=Real(low=0, high=1) | Nothing(),
    )

    def _plane(self, rows: KernelRows, task: Task) -> Plane:
        K = matrix_of(rows)
        asked = task.asked
        worth = self.C if self.C_unlabelled is None else self.C_unlabelled
        signs = task.signs.copy()
        beta, b, value = self._machine(K, task, np.zeros(rows.n), np.zeros(rows.n))
        count = self._count(task)
        if not 0 < count < len(asked):  # no two means to part
            signs[asked] = np.where(K[asked] @ beta + b > 0, 1.0, -1.0)
            return Plane(signs, beta, b, 1, True, value)
        labels = np.zeros(len(asked))
        steps, converged = 1, False
        while steps < self.max_iter:
            order = np.argsort(-(K[asked] @ beta + b), kind="stable")
            now = np.full(len(asked), -1.0)
            now[order[:count]] = 1.0
            converged = np.array_equal(now, labels)
            if converged:
                break
            labels, steps = now, steps + 1
            high, low = np.zeros(rows.n), np.zeros(rows.n)
            high[asked[labels > 0]] = 1.0 / count
            low[asked[labels < 0]] = 1.0 / (len(asked) - count)
            beta, b, value = self._machine(K, task, worth / 2 * (high - low), (high + low) / 2)
        signs[asked] = labels
        return Plane(signs, beta, b, steps, converged, value)

    def _count(self, task: Task) -> int:
        """Unlabelled rows that take the positive label."""
        known = task.signs != 0
        share = float(np.average(task.signs[known] > 0, weights=task.prices[known]))
        share = share if self.positive_share is None else self.positive_share
        return round(share * len(task.asked))

    def _machine(
        self, K: np.ndarray, task: Task, apart: np.ndarray, middle: np.ndarray
    ) -> tuple[np.ndarray, float, float]:
        r"""The machine with the means held apart; its coefficients, constant and objective.

        The prices of the two means sum to :math:`C_u`: they are :math:`C_u / 2 \pm t`, so that :math:`w = \sum_i
        \beta_i \phi_i + \frac{C_u}{2} (\mu_+ - \mu_-) + 2 t \frac{\mu_+ + \mu_-}{2}`, and 2t is the coefficient of one
        row more, with :math:`\sum_i \beta_i + 2t = 0`.
        """
        known = np.flatnonzero(task.signs)
        signs, prices = task.signs[known], task.prices[known]
        mean = middle.any()
        m = len(known)
        G = np.zeros((m + 1, m + 1))
        toward = K @ middle
        G[:m, :m] = K[np.ix_(known, known)]
        G[m, :m] = G[:m, m] = toward[known]
        G[m, m] = middle @ toward
        pull = K @ apart
        linear = np.append(pull[known] - signs, middle @ pull)
        worth = float(np.abs(apart).sum()) if mean else 0.0  # C_u / 2 each
        low, high = np.where(signs > 0, 0.0, -prices), np.where(signs > 0, prices, 0.0)
        dual = one_group(linear, np.append(low, -worth), np.append(high, worth))
        solved = solve(dual, KernelRows(None, G, 8e-6 * G.size + 1, fine=True), tol=self.tol)
        b = -offset(solved, dual)
        beta = apart + solved.beta[m] * middle
        beta[known] += solved.beta[:m]
        f = K @ beta + b
        slack = np.maximum(1 - signs * f[known], 0.0)
        value = 0.5 * float(beta @ (f - b)) + float(prices @ slack)
        if mean:
            above, below = middle * (apart > 0) * 2, middle * (apart < 0) * 2
            value -= worth * min(float(above @ f), -float(below @ f))
        return beta, b, value
