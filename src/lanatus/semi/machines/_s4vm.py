"""Safe semi-supervised support vector machines."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.cluster import KMeans
from lanatus.kernel.svm import KernelRows
from lanatus.params import Integer, Nothing, Real, rules_for
from lanatus.semi._maximin import safest
from lanatus.semi.machines._machine import RULES, Plane, SemiSupervisedMachine, Task
from lanatus.semi.machines._with_labels import Fitted, with_labels

_SLACK = 0.2  # of the share of the rarer label, by which it may differ


@method(
    "semi.s4vm",
    section="13.7",
    task="classification",
    en="Safe semi-supervised SVM (S4VM)",
    zh="安全半监督支持向量机 (S4VM)",
)
class S4VM(SemiSupervisedMachine):
    r"""A semi-supervised machine that is to be no worse than the plain one, whichever gap between rows is the true one.

    Many planes through gaps between rows are found, each from labels drawn at random; of every group of like ones the
    best is kept. The labels of the unlabelled rows are those whose gain over the plain machine is largest if the worst
    of these planes is the truth: :math:`\max_y \min_t \mathrm{earn}(y, \hat y_t) - \lambda \, \mathrm{lose}(y, \hat
    y_t)`, a linear program; where it gains nothing, the plain machine answers. The share of each label may differ from
    that of the plain machine by a fifth of the rarer one.

    Book: section 13.7. Kernel: ``cpp/kernel/smo.hpp``. Cost: some machines of all rows for each draw.

    Parameters
    ----------
    C : float, default=1.0
        Price of a labelled row beyond its margin.
    C_unlabelled : float or None, default=None
        Of an unlabelled one; None is a tenth of `C`.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel, as in `SVC`.
    degree : int, default=3
        Power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels that are named, as in `SVC`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    n_draws : int, default=30
        Draws of labels.
    n_planes : int, default=10
        Groups of like planes.
    lam : float, default=3.0
        How much a row that is lost counts beside one that is earned, :math:`\lambda`.
    positive_share : float or None, default=None
        Share of the unlabelled rows that get the second of two classes, about; None is what the plain machine says. Of
        several classes it is always the share among the labelled rows.
    tol : float, default=1e-3
        Largest violation of the KKT conditions that is left.
    cache_size : float, default=200
        Megabytes of kernel rows that are kept.
    max_iter : int, default=20
        Most machines a draw.
    verbose : bool or int, default=False
        Kept for the sake of the other machines.
    random_state : int, RandomState or None, default=None
        Draws the labels.

    Attributes
    ----------
    transduction_ : ndarray of shape (n_samples,), classes of the rows of ``fit``, those that were known as they were
    support_ : ndarray of shape (n_support,), int32, the rows that are support vectors
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features), these rows; none for a precomputed kernel
    dual_coef_ : ndarray of shape (n_machines, n_support), their coefficients
    intercept_ : ndarray of shape (n_machines,), the constants
    coef_ : ndarray of shape (n_machines, n_features), weights of the columns, of a linear kernel only
    objective_ : ndarray of shape (n_machines,), the sum that the machine of the chosen labels minimises
    kernel_ : Kernel or None, the kernel with the widths that were learned; None for a precomputed one
    classes_ : ndarray of shape (n_classes,), the labels
    n_iter_ : int, machines solved
    fit_status_ : int, 0
    shape_fit_ : tuple of int, shape of X in ``fit``
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    It is safe as far as one of the planes is near the truth. Of several classes each is parted from the rest.

    Examples
    --------
    >>> from lanatus.semi import S4VM
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> S4VM(kernel="linear", random_state=0).fit(X, [0, -1, -1, -1, -1, 1]).transduction_.tolist()
    [0, 0, 0, 1, 1, 1]

    References
    ----------
    Li and Zhou (2015), Towards making unlabeled data never hurt.
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
        n_draws: int = 30,
        n_planes: int = 10,
        lam: float = 3.0,
        positive_share: float | None = None,
        tol: float = 1e-3,
        cache_size: float = 200,
        max_iter: int = 20,
        verbose: Any = False,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.C_unlabelled = C_unlabelled
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.n_draws = n_draws
        self.n_planes = n_planes
        self.lam = lam
        self.positive_share = positive_share
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.verbose = verbose
        self.random_state = random_state

    _params = rules_for(
        __init__,
        RULES,
        C_unlabelled=Real(above=0, below=np.inf) | Nothing(),
        n_draws=Integer(low=1),
        n_planes=Integer(low=1),
        lam=Real(low=0, below=np.inf),
        positive_share=Real(low=0, high=1) | Nothing(),
    )

    def _plane(self, rows: KernelRows, task: Task) -> Plane:
        asked = task.asked
        plain = with_labels(rows, task.signs, task.prices, np.zeros(rows.n), self.tol)
        if not len(asked):
            return Plane(task.signs, plain.beta, plain.b, 1, True, plain.objective)
        rng = check_random_state(self.random_state)
        base = (plain.scores[asked] > 0).astype(np.intp)
        planes, steps = [], 1
        share = self._share(task, base)
        for draw in range(self.n_draws):
            labels, value, taken = self._local(rows, task, self._drawn(plain, task, share, draw, rng), share)
            planes.append((value, labels))
            steps += taken
        candidates = self._distinct(planes, rng)
        found = safest((candidates > 0).astype(np.intp), base, 2, self.lam)
        signs = task.signs.copy()
        signs[asked] = np.where(found.codes == 1, 1.0, -1.0)
        if found.gain <= 0:
            return Plane(signs, plain.beta, plain.b, steps, True, plain.objective)
        prices = task.prices.copy()
        prices[asked] = self.C
        fitted = with_labels(rows, signs, prices, plain.beta, self.tol)
        return Plane(signs, fitted.beta, fitted.b, steps + 1, True, fitted.objective)

    def _share(self, task: Task, base: np.ndarray) -> float:
        """About how many rows get the positive label.

        A plain machine of one class against many others hardly finds any.
        """
        if len(self.classes_) == 2:
            return float(base.mean()) if self.positive_share is None else self.positive_share
        known = task.signs != 0
        return float(np.average(task.signs[known] > 0, weights=task.prices[known]))

    def _price(self) -> float:
        return self.C / 10 if self.C_unlabelled is None else self.C_unlabelled

    def _drawn(self, plain: Fitted, task: Task, share: float, draw: int, rng: np.random.RandomState) -> np.ndarray:
        """Labels to begin with: first those of the plain machine in balance, then others at random."""
        n = len(task.asked)
        count = round(share * n)
        order = np.argsort(-plain.scores[task.asked], kind="stable") if draw == 0 else rng.permutation(n)
        labels = np.full(n, -1.0)
        labels[order[:count]] = 1.0
        return labels

    def _local(self, rows: KernelRows, task: Task, labels: np.ndarray, share: float) -> tuple[np.ndarray, float, int]:
        """Machines and labels in turn, about as many of each label as at first, until none changes."""
        asked = task.asked
        slack = _SLACK * min(share, 1 - share)
        least, most = round((share - slack) * len(asked)), round((share + slack) * len(asked))
        signs, prices = task.signs.copy(), task.prices.copy()
        prices[asked] = self._price()
        beta, value = np.zeros(rows.n), np.inf
        for step in range(1, self.max_iter + 1):
            signs[asked] = labels
            fitted = with_labels(rows, signs, prices, beta, self.tol)
            beta, value = fitted.beta, fitted.objective
            count = int(np.clip((fitted.scores[asked] > 0).sum(), least, most))
            now = np.full(len(asked), -1.0)
            now[np.argsort(-fitted.scores[asked], kind="stable")[:count]] = 1.0
            if np.array_equal(now, labels):
                return labels, value, step
            labels = now
        return labels, value, self.max_iter

    def _distinct(self, planes: list[tuple[float, np.ndarray]], rng: np.random.RandomState) -> np.ndarray:
        """Of every group of like labellings the one with the least objective."""
        values = np.array([value for value, _ in planes])
        labels = np.stack([each for _, each in planes])
        _, first = np.unique(labels, axis=0, return_index=True)
        values, labels = values[np.sort(first)], labels[np.sort(first)]
        if len(labels) <= self.n_planes:
            return labels
        group = KMeans(self.n_planes, n_init=1, random_state=rng.randint(2**31 - 1)).fit(labels).labels_
        best = [np.flatnonzero(group == g)[values[group == g].argmin()] for g in np.unique(group)]
        return labels[np.sort(best)]
