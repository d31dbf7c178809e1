"""The dual problems of the machines, and what their solutions say of them."""

from typing import Any

import numpy as np

from lanatus.kernel.svm._dual import DualProblem, Solved, offset, solve
from lanatus.kernel.svm._kernel_rows import KernelRows

_THIN = 1e-10  # squared distance of the hulls, as a share of that of the farthest row, that counts as none


def one_group(linear: np.ndarray, low: np.ndarray, high: np.ndarray, start: np.ndarray | None = None) -> DualProblem:
    """A problem with one sum that is kept, a variable a row."""
    m = len(linear)
    start = np.zeros(m) if start is None else start
    return DualProblem(linear, low, high, start, np.arange(m), np.zeros(m, dtype=np.int8))


def soft_margin(signs: np.ndarray, caps: np.ndarray) -> DualProblem:
    r"""(6.40) with :math:`\beta_i = y_i \alpha_i`."""
    return one_group(-signs, np.where(signs > 0, 0.0, -caps), np.where(signs > 0, caps, 0.0))


def enlarged(beta: np.ndarray, signs: np.ndarray, norm: float, ratio: float) -> np.ndarray:
    """Where to begin when all caps grow by a ratio: the best multiple of the last solution that they allow."""
    best = float(signs @ beta) / norm if norm > 0 else ratio
    return beta * min(max(best, 1.0), ratio)


def without(dual: DualProblem, beta: np.ndarray, out: np.ndarray) -> DualProblem:
    """The problem with some rows held at 0, begun at what is left of a solution once its two sides weigh the same."""
    low, high = np.where(out, 0.0, dual.low), np.where(out, 0.0, dual.high)
    start = np.clip(beta, low, high)
    above, below = start[start > 0].sum(), -start[start < 0].sum()
    if above > below:
        start[start > 0] *= below / above
    elif below > above:
        start[start < 0] *= above / below
    return DualProblem(dual.linear, low, high, start, dual.row, dual.group)


def hulls(signs: np.ndarray) -> DualProblem:
    """The nearest points of the convex hulls of two classes: weights that sum to 1 in each."""
    m = len(signs)
    low, high = np.where(signs > 0, 0.0, -1.0), np.where(signs > 0, 1.0, 0.0)
    start = np.zeros(m)
    start[np.flatnonzero(signs > 0)[0]], start[np.flatnonzero(signs < 0)[0]] = 1.0, -1.0
    return DualProblem(np.zeros(m), low, high, start, np.arange(m), (signs < 0).astype(np.int8))


def hard_margin(signs: np.ndarray, rows: KernelRows, tol: float, max_iter: int) -> tuple[DualProblem, Solved]:
    """(6.11): twice the gap of the hulls over its squared length, made exact from there.

    ValueError where the hulls meet, so that no plane separates the classes.
    """
    radius = max(float(np.abs(rows.diagonal()).max()), np.finfo(float).tiny)
    squared, near = np.inf, hulls(signs)
    while True:
        goal = tol * min(squared, radius) / 4
        solved = solve(near, rows, tol=goal, max_iter=max_iter)
        squared = float(solved.beta @ solved.scores)
        if squared <= _THIN * radius:
            raise ValueError(
                "the classes are not separable by this kernel, so there is no hard margin (C=inf); give a finite C, or "
                "another kernel."
            )
        if solved.violation <= tol * squared / 4 or not solved.converged or goal <= tol * squared / 4:
            break
        near = DualProblem(near.linear, near.low, near.high, solved.beta, near.row, near.group)
    caps = np.full(len(signs), np.inf)
    dual = soft_margin(signs, caps)
    start = solved.beta * (2 / squared)
    dual = DualProblem(dual.linear, dual.low, dual.high, start, dual.row, dual.group)
    return dual, solve(dual, rows, tol=tol, max_iter=max_iter)


def nu_classes(signs: np.ndarray, caps: np.ndarray, nu: float) -> DualProblem:
    """The dual of nu-SVC: half of nu's share of all weight on either class."""
    low, high = np.where(signs > 0, 0.0, -caps), np.where(signs > 0, caps, 0.0)
    wanted = nu * caps.sum() / 2
    start = np.zeros(len(signs))
    for sign in (1, -1):
        rows = np.flatnonzero(signs == sign)
        if wanted > caps[rows].sum() * (1 + 1e-12):
            raise ValueError(
                f"specified nu is infeasible: nu={nu:g} wants more than the rows of the smaller class weigh; "
                f"wanted at most {2 * min(caps[signs > 0].sum(), caps[signs < 0].sum()) / caps.sum():.6g}."
            )
        start[rows] = sign * filled(caps[rows], wanted)
    return DualProblem(np.zeros(len(signs)), low, high, start, np.arange(len(signs)), (signs < 0).astype(np.int8))


def tube(y: np.ndarray, above: np.ndarray, below: np.ndarray, epsilon: float) -> DualProblem:
    r"""(6.51): :math:`\hat\alpha` for rows above the tube, then :math:`-\alpha` for those below."""
    none = np.zeros(len(y))
    linear = np.concatenate([epsilon - y, -epsilon - y])
    row = np.tile(np.arange(len(y)), 2)
    low, high = np.concatenate([none, -below]), np.concatenate([above, none])
    return DualProblem(linear, low, high, np.zeros(2 * len(y)), row, np.zeros(2 * len(y), dtype=np.int8))


def nu_tube(y: np.ndarray, caps: np.ndarray, nu: float) -> DualProblem:
    """The dual of nu-SVR: the two sides weigh half of nu's share each, and the width of the tube follows."""
    flat = tube(y, caps, caps, 0.0)
    start = filled(caps, nu * caps.sum() / 2)
    group = np.repeat(np.array([0, 1], dtype=np.int8), len(y))
    return DualProblem(flat.linear, flat.low, flat.high, np.concatenate([start, -start]), flat.row, group)


def filled(caps: np.ndarray, wanted: float) -> np.ndarray:
    """Weights that sum to a number: the first rows have all that they can."""
    before = np.concatenate([[0.0], np.cumsum(caps)[:-1]])
    return np.clip(wanted - before, 0.0, caps)


def two_offsets(solved: Solved, dual: DualProblem) -> tuple[float, float]:
    """The scores that the free variables of either group share."""
    first, second = (offset(solved, dual, np.flatnonzero(dual.group == k)) for k in (0, 1))
    return first, second


def objective(solved: Solved, dual: Any) -> float:
    """The value that was minimised."""
    return float(solved.beta @ (solved.scores + dual.linear)) / 2
