"""Sequential minimal optimisation to read and to watch, pair by pair."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from lanatus.catalog import method
from lanatus.params import check_choice, check_integer, check_real

_LEAST = 1e-12  # curvature, where that of a pair is not positive
_SHARE = 0.5  # of the largest violation: with less of it the farthest row may gain next to nothing, for ever


@dataclass(frozen=True)
class Minimised:
    """What `smo` found: multipliers, offset, pairs taken, whether the conditions hold, and the dual after each pair."""

    alpha: np.ndarray
    b: float
    n_iter: int
    converged: bool
    objective: list[float]


@method(
    "kernel.smo",
    "kernel.smo-selection",
    section="6.2",
    task="classification",
    kind="function",
    en="SMO",
    zh="SMO算法",
    peers=["scikit-learn:SVC"],
)
def smo(
    K: Any,
    y: Any,
    C: float = 1.0,
    *,
    selection: str = "farthest",
    tol: float = 1e-3,
    max_iter: int = 100_000,
    random_state: Any = None,
    callback: Callable[[int, int, np.ndarray], None] | None = None,
) -> Minimised:
    r"""Sequential minimal optimisation of the dual (6.40), one pair of multipliers after the other.

    The first of a pair violates the KKT conditions most: of those whose :math:`y_i \alpha_i` may rise it has the least
    :math:`f(x_i) - y_i`. The second is one that violates them with it; which one, `selection` says. The two are then
    set to the exact minimum on the line that keeps :math:`\sum_i \alpha_i y_i = 0` (6.10), within the box. `SVC` does
    the same in working sets, much faster.

    Book: section 6.2, slides 4.1. Cost: O(n) a pair.

    Parameters
    ----------
    K : array-like of shape (n, n)
        The kernel matrix.
    y : array-like of shape (n,)
        The classes, -1 or +1.
    C : float, default=1.0
        Price of a row beyond its margin; infinite for the hard margin.
    selection : {"farthest", "violating", "wss2", "random"}, default="farthest"
        The second of a pair, of those that violate the conditions at least half as much as any: the row farthest from
        the first in the space of the kernel, as the book has it; the one that violates them most; the one that gains
        most by second order; or any.
    tol : float, default=1e-3
        Largest violation that is left.
    max_iter : int, default=100000
        Most pairs.
    random_state : int, RandomState or None, default=None
        Draws the second for ``selection="random"``.
    callback : callable or None, default=None
        Called with i, j and a copy of the multipliers after each pair.

    Returns
    -------
    Minimised
        With the fields ``alpha``, ``b``, ``n_iter``, ``converged`` and ``objective``.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.kernel import smo
    >>> X = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]])
    >>> found = smo(X @ X.T, [1, 1, -1], C=float("inf"), tol=1e-9)
    >>> found.alpha.round(6).tolist(), round(found.b, 6)
    ([0.25, 0.0, 0.25], -2.0)

    References
    ----------
    Platt (1998), Sequential minimal optimization. Osuna, Freund and Girosi (1997), An improved training algorithm for
    support vector machines. Fan, Chen and Lin (2005), Working set selection using second order information.
    """
    K, y = kernel_and_signs(K, y)
    check_choice("selection", selection, ("farthest", "violating", "wss2", "random"))
    tol, max_iter = check_real("tol", tol, 0), check_integer("max_iter", max_iter, 1)
    if not C > 0:
        raise ValueError(f"C must be a number > 0, or infinite; got {C!r}.")
    rng = check_random_state(random_state)
    low, high = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
    beta, errors = np.zeros(len(y)), -y.copy()  # y_i alpha_i, and f(x_i) - y_i without the offset
    values: list[float] = []
    while True:
        rise, fall = np.flatnonzero(beta < high), np.flatnonzero(beta > low)
        i = rise[errors[rise].argmin()]
        gaps = errors[fall] - errors[i]
        converged = bool(gaps.max() <= tol)
        if converged or len(values) == max_iter:
            break
        others = fall[gaps >= gaps.max() * _SHARE]
        eta = np.maximum(K[i, i] + np.diag(K)[others] - 2 * K[i, others], _LEAST)
        j, curvature = _second(selection, others, errors[others] - errors[i], eta, rng)
        up, down = high[i] - beta[i], beta[j] - low[j]
        step = min((errors[j] - errors[i]) / curvature, up, down)
        before = beta[[i, j]]
        beta[i] = high[i] if step == up else beta[i] + step  # on the end itself, not beside it by rounding
        beta[j] = low[j] if step == down else beta[j] - step
        errors += step * (K[i] - K[j])
        values.append(float(y @ beta - beta @ (errors + y) / 2))
        if callback is not None:
            callback(int(i), int(j), y * beta)
        if (beta[[i, j]] == before).all():
            break  # nothing to gain in the digits that there are
    free = (beta > low) & (beta < high)
    middle = errors[free].mean() if free.any() else (errors[rise].min() + errors[fall].max()) / 2
    return Minimised(y * beta, -float(middle), len(values), converged, values)


def _second(
    selection: str, others: np.ndarray, gaps: np.ndarray, eta: np.ndarray, rng: np.random.RandomState
) -> tuple[int, float]:
    """The partner of the first of a pair, and the curvature along their line."""
    if selection == "random":
        place = int(rng.randint(len(others)))
    else:
        place = int({"farthest": eta, "violating": gaps, "wss2": gaps**2 / eta}[selection].argmax())
    return int(others[place]), float(eta[place])


def kernel_and_signs(K: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """A kernel matrix and classes of -1 and +1, looked at."""
    K = check_array(K, dtype=np.float64, input_name="K")
    signs = np.asarray(y, dtype=np.float64)
    if K.shape != (len(signs), len(signs)):
        raise ValueError(f"K must be square, a row and a column for each of the {len(signs)} labels; got {K.shape}.")
    if set(signs.tolist()) != {-1.0, 1.0}:
        raise ValueError(f"y must hold -1 and +1, both; got {sorted(set(signs.tolist()))}.")
    return K, signs
