"""Limited-memory BFGS, step by step."""

from collections.abc import Iterator

import numpy as np

from lanatus.optimize.solvers.smooth._objective import SmoothObjective, Solve, Step, line_search


def lbfgs(objective: SmoothObjective, theta: np.ndarray, tol: float, *, memory: int = 10) -> Iterator[Step]:
    """Limited-memory BFGS: the inverse Hessian from the last `memory` changes of the gradient."""
    now = objective.at(theta)
    pairs: list[tuple[np.ndarray, np.ndarray, float]] = []
    solve = objective.first_guess(theta)
    while True:
        if objective.slope(now) <= tol:
            yield Step(theta, now.value, True)
            return
        step = -_two_loops(now.gradient, pairs, solve)
        reached, after = line_search(objective, theta, now, step, "gradient")
        if after is None:
            if not pairs:
                yield Step(theta, now.value, True)
                return
            pairs = []
            continue
        moved, changed = reached - theta, after.gradient - now.gradient
        curved = float((moved * changed).sum())
        if curved > 1e-12 * float(np.linalg.norm(moved) * np.linalg.norm(changed)):
            pairs = [*pairs[-memory + 1 :], (moved, changed, curved)]
        theta, now = reached, after
        yield Step(theta, now.value, objective.slope(now) <= tol)


def _two_loops(gradient: np.ndarray, pairs: list[tuple[np.ndarray, np.ndarray, float]], solve: Solve) -> np.ndarray:
    """The approximate inverse Hessian times the gradient (Nocedal's recursion)."""
    q = gradient.copy()
    shares = []
    for moved, changed, curved in reversed(pairs):
        shares.append(float((moved * q).sum()) / curved)
        q -= shares[-1] * changed
    q = solve(q)
    if pairs:  # the scale of the last change
        _, changed, curved = pairs[-1]
        q *= curved / float((changed * solve(changed)).sum())
    for (moved, changed, curved), share in zip(pairs, reversed(shares), strict=True):
        q += moved * (share - float((changed * q).sum()) / curved)
    return q
