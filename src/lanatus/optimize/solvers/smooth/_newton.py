"""Newton's method with the Hessian."""

from collections.abc import Iterator

import numpy as np

from lanatus.optimize.solvers.smooth._hessian import flat, hessian_solver
from lanatus.optimize.solvers.smooth._objective import SmoothObjective, Solve, Step, last, line_search, settled


def newton(objective: SmoothObjective, theta: np.ndarray, tol: float, *, frugal: bool = False) -> Iterator[Step]:
    r"""Newton's method (3.29): :math:`\beta \leftarrow \beta - H^{-1} g`, halved until the objective falls enough.

    A frugal one goes on with the last Hessian near the end, where that still divides the gradient by ten.
    """
    yield from _newton_from(objective, theta, tol, None, frugal)


def _newton_from(
    objective: SmoothObjective, theta: np.ndarray, tol: float, solve: Solve | None, frugal: bool
) -> Iterator[Step]:
    now = objective.at(theta, "hessian" if solve is None else "gradient")
    fresh = solve is None
    if solve is None:
        solve = flat(hessian_solver(now.hessian))
    step = -solve(now.gradient)
    while True:
        decrease = -float((now.gradient * step).sum())
        if not fresh and decrease <= 0:
            now, fresh = objective.at(theta, "hessian"), True
            solve = flat(hessian_solver(now.hessian))
            step = -solve(now.gradient)
            continue
        if settled(objective, theta, now, step, tol):
            yield Step(theta, now.value, True)
            return
        lazy = frugal and decrease <= 1e-2 * objective.mass
        reached, after = line_search(objective, theta, now, step, "gradient" if lazy else "hessian")
        if after is None:
            yield Step(theta, now.value, True)  # nothing left to gain
            return
        if decrease <= 1e-15 * abs(now.value):  # below rounding: derivatives of badly scaled columns fall no further
            yield Step(reached, after.value, True)
            return
        slow = objective.slope(after) > 0.1 * objective.slope(now)
        theta, now, fresh = reached, after, not lazy
        if lazy and slow:
            now, fresh = objective.at(theta, "hessian"), True
        if fresh:
            solve = flat(hessian_solver(now.hessian))
        step = -solve(now.gradient)
        yield Step(theta, now.value, settled(objective, theta, now, step, tol))


def newton_from_sample(objective: SmoothObjective, theta: np.ndarray, tol: float) -> Iterator[Step]:
    """Newton's method on some of many rows first; its end and its Hessian are a start for all of them."""
    part = None if theta.any() else objective.thinned(16)
    if part is None:
        return newton(objective, theta, tol, frugal=True)
    start = last(newton(part, theta, 10 * tol, frugal=True), 20).theta
    share = part.mass / objective.mass
    solve = flat(hessian_solver(part.at(start, "hessian").hessian / share))
    return _newton_from(objective, start, tol, solve, frugal=True)
