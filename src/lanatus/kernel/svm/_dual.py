"""The dual problem of support vector machines, solved by sequential minimal optimisation in working sets."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lanatus._core import kernel as kernels
from lanatus.base import n_threads
from lanatus.kernel.svm._kernel_rows import KernelRows

_WORKING_SET = 768
_PAIRS_A_VARIABLE = 12  # most pairs in one working set, for each of its variables
_SHARE = 0.1  # of the violation, to which a working set is solved


@dataclass(frozen=True)
class DualProblem:
    r"""Minimise :math:`\frac12 \beta^\top K \beta + q^\top \beta` over a box; sums of :math:`\beta` by group stay.

    With :math:`\beta_i = y_i \alpha_i` this is (6.40), and with :math:`\hat\alpha_i - \alpha_i` in two parts (6.51).

    Parameters
    ----------
    linear : ndarray of shape (m,)
        The linear term, *q*.
    low, high : ndarray of shape (m,)
        The box.
    start : ndarray of shape (m,)
        Where to begin; its sums are those that are kept.
    row : ndarray of shape (m,)
        The row of the data that a variable belongs to.
    group : ndarray of shape (m,)
        0 or 1.
    """

    linear: np.ndarray
    low: np.ndarray
    high: np.ndarray
    start: np.ndarray
    row: np.ndarray
    group: np.ndarray


@dataclass(frozen=True)
class Solved:
    """A solution: variables, their scores :math:`K\\beta + q`, pairs taken, violation of the KKT conditions left."""

    beta: np.ndarray
    scores: np.ndarray
    n_iter: int
    violation: float
    converged: bool


def solve(
    dual: DualProblem,
    rows: KernelRows,
    *,
    tol: float,
    max_iter: int = -1,
    report: Callable[[np.ndarray, float], None] | None = None,
) -> Solved:
    """Take working sets of violating variables and solve each by pairs, until none violates by more than `tol`."""
    beta = dual.start.copy()
    sums = np.zeros(rows.n)
    begun = np.flatnonzero(beta)
    if len(begun):
        weights = np.bincount(dual.row[begun], beta[begun], rows.n)
        used = np.flatnonzero(weights)
        rows.add(used, weights[used], sums)
    left = max_iter if max_iter >= 0 else max(10_000_000, 100 * len(beta))
    taken, last = 0, np.empty(0, dtype=np.intp)
    while True:
        scores = sums[dual.row] + dual.linear
        violation, chosen = _violating(dual, beta, scores, _size_of(rows), last)
        if violation <= tol or taken >= left:
            return Solved(beta, scores, taken, violation, violation <= tol)
        slots = _slots(rows, dual.row[chosen])
        moved, pairs = _solve_block(dual, rows, beta, scores, chosen, slots, tol, violation, left - taken)
        taken += pairs
        steps = moved - beta[chosen]
        changed = np.flatnonzero(steps)
        if not len(changed):  # nothing to gain in the digits that there are
            return Solved(beta, scores, taken, violation, converged=False)
        beta[chosen] = moved
        kernels.add_rows(rows.kept, slots[changed], steps[changed], sums, n_threads=n_threads())
        last = chosen
        if report is not None:
            report(beta, violation)


def _size_of(rows: KernelRows) -> int:
    return max(min(_WORKING_SET, rows.limit), 2)


def _slots(rows: KernelRows, wanted: np.ndarray) -> np.ndarray:
    """Slots of rows, of which some may be wanted twice."""
    distinct, back = np.unique(wanted, return_inverse=True)
    return rows.fetch(distinct)[back]


def _solve_block(
    dual: DualProblem,
    rows: KernelRows,
    beta: np.ndarray,
    scores: np.ndarray,
    chosen: np.ndarray,
    slots: np.ndarray,
    tol: float,
    violation: float,
    left: int,
) -> tuple[np.ndarray, int]:
    """The chosen variables after they were solved with the others fixed, and the pairs that it took."""
    K = rows.block(slots, dual.row[chosen])
    moved, local = beta[chosen], scores[chosen]
    whole = len(chosen) == len(beta)
    pairs = kernels.smo(
        K,
        moved,
        local,
        dual.low[chosen],
        dual.high[chosen],
        split=int(np.count_nonzero(dual.group[chosen] == 0)),
        tol=tol / 2 if whole else max(tol / 2, _SHARE * violation),
        max_pairs=left if whole else min(left, _PAIRS_A_VARIABLE * len(chosen)),
    )
    return moved, int(pairs)


def _violating(
    dual: DualProblem, beta: np.ndarray, scores: np.ndarray, size: int, last: np.ndarray
) -> tuple[float, np.ndarray]:
    """The largest violation of the KKT conditions, and the variables to work on next: group one first."""
    up = np.where(beta < dual.high, scores, np.inf)
    down = np.where(beta > dual.low, scores, -np.inf)
    groups = [np.flatnonzero(dual.group == k) for k in (0, 1)] if dual.group.any() else [np.arange(len(beta))]
    violation = max((float(down[g].max() - up[g].min()) for g in groups if len(g)), default=-np.inf)
    if len(beta) <= size:
        return violation, np.concatenate(groups)
    # Half of the set is new; the other half was there before, or the set would move to and fro.
    chosen = np.zeros(len(beta), dtype=bool)
    share = max(size // (4 * len(groups)), 1)
    for g in groups:
        chosen[g[_smallest(up[g], share)]] = True
        chosen[g[_smallest(-down[g], share)]] = True
    old = last[~chosen[last]][: size - int(chosen.sum())] if len(last) else last
    fresh = np.flatnonzero(chosen)
    both = np.concatenate([fresh, old])
    return violation, both[np.argsort(dual.group[both], kind="stable")]


def _smallest(values: np.ndarray, count: int) -> np.ndarray:
    """Places of the smallest values that are finite."""
    if count >= len(values):
        return np.flatnonzero(np.isfinite(values))
    places = np.argpartition(values, count)[:count]
    return places[np.isfinite(values[places])]


def offset(solved: Solved, dual: DualProblem, of: np.ndarray | slice = slice(None)) -> float:
    """The score that variables inside the box share (6.18), or the middle of where it may be if there are none."""
    beta, scores = solved.beta[of], solved.scores[of]
    rise, fall = beta < dual.high[of], beta > dual.low[of]
    free = rise & fall
    if free.any():
        return float(scores[free].mean())
    lowest, highest = scores[rise].min(initial=np.inf), scores[fall].max(initial=-np.inf)
    ends = [end for end in (lowest, highest) if np.isfinite(end)]
    return float(np.mean(ends)) if ends else 0.0
