"""Newton's method with conjugate gradients."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from lanatus.optimize.solvers.smooth._hessian import hessian_solver
from lanatus.optimize.solvers.smooth._newton import newton
from lanatus.optimize.solvers.smooth._objective import (
    RESOLUTION,
    Point,
    SmoothObjective,
    Solve,
    Step,
    last,
    line_search,
)

_FEW = 1000  # coefficients up to which other ways to the same optimum are exact too, and should meet this one


def newton_cg_from_sample(objective: SmoothObjective, theta: np.ndarray, tol: float) -> Iterator[Step]:
    """Newton's method on some of many rows first: its end is where all begin, its Hessian guides their steps."""
    part = None if theta.any() else objective.thinned(16, rows_a_column=16)
    if part is None:
        return newton_cg(objective, theta, tol)
    start = last(newton(part, theta, 10 * tol, frugal=True), 20).theta
    rough = part.at(start, "hessian").hessian * (objective.mass / part.mass)
    return newton_cg(objective, start, tol, precondition=hessian_solver(rough))


def newton_cg(
    objective: SmoothObjective, theta: np.ndarray, tol: float, *, precondition: Solve | None = None
) -> Iterator[Step]:
    """Newton's method with each step found by conjugate gradients, from products with the Hessian alone."""
    now = objective.at(theta, "curvature")
    first = objective.slope(now)
    if first <= tol:
        yield Step(theta, now.value, True)
        return
    # One that is given is better than the first of the objective's own.
    preconditioners = islice(objective.preconditioners(now.curvature), int(precondition is not None), None)
    if precondition is None:
        precondition = next(preconditioners)
    while True:
        # Accurate steps near the end, rough ones far from it.
        accuracy = min(0.25, max(0.05, objective.slope(now) / first))
        step, count = conjugate_gradients(objective, now, accuracy, precondition)
        if count > 25:
            precondition = next(preconditioners, precondition)
        left = accuracy**2 * -float((now.gradient * step).sum())  # what the step, being rough, does not gain
        reached, after = line_search(objective, theta, now, step, "curvature")
        if after is None:
            yield Step(theta, now.value, True)
            return
        theta, now = reached, after
        rest = RESOLUTION**2 * objective.mass if theta.size <= _FEW else 0.01 * tol * now.value
        yield Step(theta, now.value, left <= rest and objective.slope(now) <= tol)


def conjugate_gradients(
    objective: SmoothObjective, now: Point, accuracy: float, precondition: Solve
) -> tuple[np.ndarray, int]:
    """An approximate solution of H step = -g, to a share `accuracy` of the gradient; products used."""
    step = np.zeros_like(now.gradient)
    residual = -now.gradient
    reduced = precondition(residual)
    direction = reduced.copy()
    length = float((residual * reduced).sum())
    goal = accuracy * accuracy * length
    most, count = max(20, min(residual.size, 200)), 0
    while count < most:
        count += 1
        image = objective.product(now.curvature, direction)
        curved = float((direction * image).sum())
        if curved <= 0:
            break
        size = length / curved
        step += size * direction
        residual -= size * image
        reduced = precondition(residual)
        longer = float((residual * reduced).sum())
        if longer <= goal:
            break
        direction = reduced + longer / length * direction
        length = longer
    return step, count
