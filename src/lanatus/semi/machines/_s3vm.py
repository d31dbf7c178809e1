"""Semi-supervised support vector machines by smooth descent, by annealing, and by convex pieces."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, xlogy

from lanatus.catalog import method
from lanatus.kernel.svm import DualProblem, KernelRows, solve
from lanatus.params import Choice, Nothing, Real, rules_for
from lanatus.semi.machines._centred import CentredKernel, coefficients_of
from lanatus.semi.machines._machine import RULES, Plane, SemiSupervisedMachine, Task

_STEEP = 3.0  # of the loss exp(-3 f^2) of an unlabelled row
_STEPS = 10  # of smoothing or of temperature
_COOLER = 1.2
_INNER = 50  # most looks at the probabilities at one temperature
_EXACT = 1e-7


@method(
    "semi.s3vm-continuation",
    "semi.s3vm-annealing",
    "semi.s3vm-cccp",
    section="13.7",
    task="classification",
    en="Semi-supervised support vector machine (S3VM)",
    zh="半监督支持向量机 (S3VM)",
)
class S3VM(SemiSupervisedMachine):
    r"""A support vector machine whose plane keeps away from all rows, by three ways to a good local minimum.

    Minimises :math:`\frac12 \lVert w \rVert^2 + C \sum_{i \le l} V(y_i f(x_i)) + C_u \sum_{i > l} V_u(f(x_i))`, where
    :math:`V_u` is largest at the plane. "continuation" takes :math:`V_u = e^{-3 f^2}`, smoothed by a Gaussian as wide
    as makes the sum convex, and less so from step to step; "annealing" gives an unlabelled row both labels, by
    probabilities :math:`p` with the entropy times a temperature that falls; "cccp" takes the hinge cut off at s,
    :math:`\min(1 - s, \max(0, 1 - |f|))`, and replaces its concave part by a tangent until that no longer changes.

    Book: sections 13.3 and 13.7. Kernel: ``cpp/kernel/smo.hpp``. Cost: :math:`O(n^3)` and some dozens of descents of
    :math:`O(n^2)` a step; memory :math:`24 n^2` bytes.

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
    solver : {"continuation", "annealing", "cccp"}, default="continuation"
        The way.
    s : float, default=-0.3
        Where "cccp" cuts the hinge off, above -1 and at most 0.
    positive_share : float or None, default=None
        Share of the unlabelled rows that should get the second of two classes; None is that among the labelled ones.
    tol : float, default=1e-3
        Largest violation of the KKT conditions that is left, of "cccp".
    cache_size : float, default=200
        Megabytes of kernel rows that are kept.
    max_iter : int, default=1000
        Most steps of one descent, or most machines.
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
    n_iter_ : int, steps
    fit_status_ : int, 0 if all converged, else 1
    shape_fit_ : tuple of int, shape of X in ``fit``
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Balance is kept by the mean score of the unlabelled rows, which is set to twice the share less 1. The two smooth
    ways take the squared hinge for labelled rows. Of several classes each is parted from the rest.

    Examples
    --------
    >>> from lanatus.semi import S3VM
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> S3VM(kernel="linear").fit(X, [0, -1, -1, -1, -1, 1]).transduction_.tolist()
    [0, 0, 0, 1, 1, 1]

    References
    ----------
    Chapelle, Chi and Zien (2006), A continuation method for semi-supervised SVMs. Sindhwani, Keerthi and Chapelle
    (2006), Deterministic annealing for semi-supervised kernel machines. Collobert, Sinz, Weston and Bottou (2006),
    Large scale transductive SVMs.
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
        solver: str = "continuation",
        s: float = -0.3,
        positive_share: float | None = None,
        tol: float = 1e-3,
        cache_size: float = 200,
        max_iter: int = 1000,
        verbose: Any = False,
    ) -> None:
        self.C = C
        self.C_unlabelled = C_unlabelled
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.solver = solver
        self.s = s
        self.positive_share = positive_share
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.verbose = verbose

    _params = rules_for(
        __init__,
        RULES,
        C_unlabelled=Real(above=0, below=np.inf) | Nothing(),
        solver=Choice("continuation", "annealing", "cccp"),
        s=Real(above=-1, high=0),
        positive_share=Real(low=0, high=1) | Nothing(),
    )

    def _plane(self, rows: KernelRows, task: Task) -> Plane:
        asked = task.asked
        price = self.C / 10 if self.C_unlabelled is None else self.C_unlabelled
        centred = CentredKernel.of(rows, (task.signs == 0).astype(np.float64) if len(asked) else task.prices)
        b = self._mean_score(task)
        if self.solver == "cccp":
            beta, steps, converged, objective = self._by_pieces(centred.inner, b, task, price)
        else:
            Z = centred.coordinates()
            way = continued if self.solver == "continuation" else annealed
            w, steps, converged, objective = way(Z, b, task, price, self._share(task), self.max_iter)
            beta = coefficients_of(Z, w)
        scores = centred.inner @ beta + b
        coefs, constant = centred.plane(beta, b)
        signs = np.where(task.signs != 0, task.signs, np.where(scores > 0, 1.0, -1.0))
        return Plane(signs, coefs, constant, steps, converged, objective)

    def _share(self, task: Task) -> float:
        known = task.signs != 0
        mean = float(np.average(task.signs[known] > 0, weights=task.prices[known]))
        return mean if self.positive_share is None else self.positive_share

    def _mean_score(self, task: Task) -> float:
        return 2 * self._share(task) - 1

    def _by_pieces(self, K: np.ndarray, b: float, task: Task, price: float) -> tuple[np.ndarray, int, bool, float]:
        """The concave-convex procedure: an unlabelled row counts once with each label."""
        n, asked = len(K), task.asked
        known = np.flatnonzero(task.signs)
        row = np.concatenate([known, asked, asked])
        signs = np.concatenate([task.signs[known], np.ones(len(asked)), -np.ones(len(asked))])
        caps = np.concatenate([task.prices[known], np.full(2 * len(asked), price)])
        doubled = np.arange(len(row)) >= len(known)
        # A row more, whose image is 0, takes up what the sides differ by: so there is no condition on their sum.
        wide = np.zeros((n + 1, n + 1))
        wide[:n, :n] = K
        kept = KernelRows(None, wide, 8e-6 * wide.size + 1, fine=True)
        spare = 2 * float(caps.sum()) + 1
        beyond = np.zeros(len(row))  # what the tangent takes off
        beta, steps = np.zeros(len(row) + 1), 0
        while True:
            low = np.where(signs > 0, -beyond, beyond - caps)
            high = np.where(signs > 0, caps - beyond, beyond)
            start = np.clip(beta[:-1], low, high)
            dual = DualProblem(
                np.append(b - signs, 0.0),
                np.append(low, -spare),
                np.append(high, spare),
                np.append(start, -start.sum()),
                np.append(row, n),
                np.zeros(len(row) + 1, dtype=np.int8),
            )
            solved = solve(dual, kept, tol=self.tol)
            beta, steps = solved.beta, steps + 1
            scores = solved.scores[:-1] + signs
            # The first machine knows the labelled rows only by their own price, so that tangents begin at it.
            now = np.where(doubled & (signs * scores < self.s), caps, 0.0)
            if np.array_equal(now, beyond) or steps >= self.max_iter:
                break
            beyond = now
        coefs = np.bincount(row, beta[:-1], n)
        f = K @ coefs + b
        margin = np.minimum(1 - self.s, np.maximum(1 - np.abs(f[asked]), 0.0))
        labelled = task.prices[known] @ np.maximum(1 - task.signs[known] * f[known], 0.0)
        objective = 0.5 * float(coefs @ (f - b)) + float(labelled) + price * float(margin.sum())
        return coefs, steps, steps < self.max_iter, objective


Way = tuple[np.ndarray, int, bool, float]


def descended(
    function: Callable[[np.ndarray], tuple[float, np.ndarray]], start: np.ndarray, max_iter: int
) -> tuple[np.ndarray, int, bool, float]:
    """A minimum near a start, by L-BFGS."""
    found = minimize(
        function, start, jac=True, method="L-BFGS-B", options={"maxiter": max_iter, "gtol": _EXACT, "ftol": 1e-13}
    )
    return found.x, int(found.nit), found.status != 1, float(found.fun)


def labelled_part(w: np.ndarray, Z: np.ndarray, b: float, signs: np.ndarray, prices: np.ndarray) -> tuple[float, Any]:
    """Norm and squared hinge of the labelled rows, and their gradient."""
    slack = np.maximum(1 - signs * (Z @ w + b), 0.0)
    return 0.5 * float(w @ w) + float(prices @ slack**2), w - 2 * (Z.T @ (prices * slack * signs))


def continued(Z: np.ndarray, b: float, task: Task, price: float, share: float, max_iter: int) -> Way:
    """Descend on the smoothed sum, and on less and less smooth ones from there.

    A Gaussian of variance v over w makes of f one of variance :math:`v \\lVert x \\rVert^2` and of the loss
    :math:`(1 + 6 v \\lVert x \\rVert^2)^{-1/2} e^{-3 f^2 / (1 + 6 v \\lVert x \\rVert^2)}`.
    """
    known, asked = np.flatnonzero(task.signs), task.asked
    mine, signs, prices = Z[known], task.signs[known], task.prices[known]
    others = Z[asked]
    squares = np.einsum("ij,ij->i", others, others)

    def sum_at(w: np.ndarray, v: float) -> tuple[float, np.ndarray]:
        value, gradient = labelled_part(w, mine, b, signs, prices)
        wide = 1 + 2 * _STEEP * v * squares
        f = others @ w + b
        loss = price * np.exp(-_STEEP * f**2 / wide) / np.sqrt(wide)
        return value + float(loss.sum()), gradient - others.T @ (2 * _STEEP * f / wide * loss)

    w, steps, converged, value = descended(
        lambda w: labelled_part(w, mine, b, signs, prices), np.zeros(Z.shape[1]), max_iter
    )
    if not len(asked):
        return w, max(steps, 1), converged, value
    # The second derivative of an unlabelled row is -6 C_u |x|^2 wide^(-3/2) at its least: below 1 in all, it is convex.
    first = _widest(squares, price)
    for v in [*np.geomspace(first, first * 1e-3, _STEPS), 0.0]:
        w, more, converged, value = descended(partial(sum_at, v=v), w, max_iter)
        steps += more
    return w, steps, converged, value


def _widest(squares: np.ndarray, price: float) -> float:
    """A variance from which on the smoothed sum is convex, or nearly."""
    mean = max(float(squares.mean()), 1e-300)
    v = 1.0 / mean
    while 2 * _STEEP * price * float((squares / (1 + 2 * _STEEP * v * squares) ** 1.5).sum()) > 1 and v < 1e6 / mean:
        v *= 2
    return v


def annealed(Z: np.ndarray, b: float, task: Task, price: float, share: float, max_iter: int) -> Way:
    """Descend with both labels by their probabilities, and cool."""
    known, asked = np.flatnonzero(task.signs), task.asked
    mine, signs, prices = Z[known], task.signs[known], task.prices[known]
    w, steps, converged, value = descended(
        lambda w: labelled_part(w, mine, b, signs, prices), np.zeros(Z.shape[1]), max_iter
    )
    if not len(asked):
        return w, max(steps, 1), converged, value
    twice = np.vstack([mine, Z[asked], Z[asked]])
    labels = np.concatenate([signs, np.ones(len(asked)), -np.ones(len(asked))])
    temperature, p = 10.0 * price, np.full(len(asked), share)
    while True:
        for _ in range(_INNER):
            costs = np.concatenate([prices, price * p, price * (1 - p)])
            whole = partial(labelled_part, Z=twice, b=b, signs=labels, prices=costs)
            w, more, converged, value = descended(whole, w, max_iter)
            steps += more
            f = Z[asked] @ w + b
            gap = price * (np.maximum(1 - f, 0.0) ** 2 - np.maximum(1 + f, 0.0) ** 2)
            before, p = p, _shared_out(gap, temperature, share)
            divergence = float((xlogy(p, p / np.maximum(before, 1e-300))).sum())
            if divergence < 1e-6 * len(asked):
                break
        entropy = -float((xlogy(p, p) + xlogy(1 - p, 1 - p)).mean())
        if entropy < 1e-6 or temperature < 1e-4 * price:
            return w, steps, converged, value
        temperature /= _COOLER


def _shared_out(gap: np.ndarray, temperature: float, share: float) -> np.ndarray:
    """Probabilities :math:`1 / (1 + e^{(g - \\nu) / T})` whose mean is the share."""
    if share in (0.0, 1.0):
        return np.full(len(gap), share)
    low, high = float(gap.min()) - 50 * temperature, float(gap.max()) + 50 * temperature
    for _ in range(100):
        middle = (low + high) / 2
        if expit((middle - gap) / temperature).mean() < share:
            low = middle
        else:
            high = middle
    return np.asarray(expit(((low + high) / 2 - gap) / temperature))
