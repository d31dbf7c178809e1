"""The representer theorem, looked at on data."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize
from scipy.special import log_expit
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.params import check_choice, check_integer

_LOSSES: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "squared": lambda f, y: float(np.sum((f - y) ** 2)),
    "logistic": lambda f, y: float(-np.sum(log_expit(y * f))),
    "squared-hinge": lambda f, y: float(np.sum(np.maximum(1 - y * f, 0) ** 2)),
}


class Representer(NamedTuple):
    r"""What `check_representer` found.

    Attributes
    ----------
    holds : bool
        Whether no function with a part outside the span of the rows was better than its part inside.
    coefs : ndarray of shape (n_samples,)
        Coefficients of the best function that was found.
    objective : float
        Its value.
    outside : float
        Length of the part of the minimum over the wider space that lies outside the span, as a share of the whole.
    cost : float
        The least by which a function with a part outside was worse than without it.
    """

    holds: bool
    coefs: np.ndarray
    objective: float
    outside: float
    cost: float


@method(
    "kernel.representer-theorem",
    section="6.6",
    task="evaluation",
    kind="theory",
    en="Representer theorem check",
    zh="表示定理验证",
)
def check_representer(
    kernel: Any,
    X: Any,
    y: Any,
    loss: Any = "squared",
    *,
    regularizer: Callable[[float], float] | None = None,
    n_extra: int = 10,
    random_state: Any = 0,
) -> Representer:
    r"""Look whether the best function is a sum of kernels at the rows, as theorem 6.2 says.

    :math:`\Omega(\lVert h \rVert) + \ell(h(x_1), ..., h(x_m))` (6.57) is minimised over sums of kernels at the rows and
    at other points, drawn near them. What of the minimum lies outside the span of the rows changes no :math:`h(x_i)`
    and makes the norm larger; so for an increasing :math:`\Omega` it is nothing, whatever the loss.

    Book: section 6.6, theorem 6.2. Cost: :math:`O(n^3)` and a search with numeric derivatives: for some tens of rows.

    Parameters
    ----------
    kernel : Kernel or callable
        A function of two matrices.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Numbers, or classes of -1 and +1 for the other losses.
    loss : {"squared", "logistic", "squared-hinge"} or callable, default="squared"
        The loss, or a function of values and y that is nowhere below 0.
    regularizer : callable or None, default=None
        :math:`\Omega`, a function of the norm, increasing; None is half its square.
    n_extra : int, default=10
        Other points.
    random_state : int, RandomState or None, default=0
        For drawing them, and functions to compare.

    Returns
    -------
    Representer

    Examples
    --------
    >>> from lanatus.kernel import GaussianKernel, check_representer
    >>> found = check_representer(GaussianKernel(1.0), [[0.0], [1.0], [2.0]], [1.0, -1.0, 1.0], "logistic")
    >>> found.holds, found.outside < 1e-3
    (True, True)
    """
    X = np.asarray(X, dtype=np.float64)
    y = np.asarray(y, dtype=np.float64)
    if X.ndim != 2 or y.shape != (len(X),):
        raise ValueError(f"X must be a matrix and y one number a row; got shapes {X.shape} and {y.shape}.")
    if not callable(loss):
        check_choice("loss", loss, tuple(_LOSSES))
    lost = loss if callable(loss) else _LOSSES[loss]
    grows = regularizer or (lambda norm: 0.5 * norm**2)
    rng = check_random_state(random_state)
    others = X[rng.randint(len(X), size=check_integer("n_extra", n_extra, 1))]
    others = others + rng.normal(size=others.shape) * (X.std(axis=0) + 1e-3)
    values, vectors = eigh(np.asarray(kernel(np.vstack([X, others])), dtype=np.float64))
    kept = values > 1e-10 * values[-1]
    features = vectors[:, kept] * np.sqrt(values[kept])  # of rows and points, whose inner products are the kernel
    rows = features[: len(X)]

    def objective(w: np.ndarray) -> float:
        return float(grows(float(np.linalg.norm(w)))) + float(lost(rows @ w, y))

    span = np.linalg.svd(rows, full_matrices=False)
    basis = span[2][span[1] > 1e-8 * span[1][0]]
    start = rng.normal(size=features.shape[1]) / np.sqrt(features.shape[1])
    best = minimize(objective, start, method="L-BFGS-B", options={"maxiter": 2000, "maxfun": 10**6, "ftol": 1e-14}).x
    inside = basis.T @ (basis @ best)
    trials = [best, *(near + 0.1 * rng.normal(size=best.shape) for near in (best, start) for _ in range(10))]
    costs = [objective(one) - objective(basis.T @ (basis @ one)) for one in trials]
    coefs = np.linalg.lstsq(rows.T, inside, rcond=1e-10)[0]
    outside = float(np.linalg.norm(best - inside) / max(np.linalg.norm(best), np.finfo(float).tiny))
    slack = 1e-10 * (1 + abs(objective(inside)))
    return Representer(min(costs) >= -slack, coefs, objective(inside), outside, float(min(costs)))
