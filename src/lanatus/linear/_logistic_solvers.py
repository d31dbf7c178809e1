"""Solvers of logistic regression: each gives its iterates one by one, so that every step can be watched.

A solver takes an `Objective`, a start and a tolerance, and yields a `Step` after each iteration; the last one says
whether it converged.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus.linear._logistic_algebra import Solve, flat, hessian_solver
from lanatus.linear._logistic_passes import Objective, Point


@dataclass(frozen=True)
class Step:
    """Coefficients after an iteration."""

    theta: np.ndarray
    value: float
    converged: bool


def newton(objective: Objective, theta: np.ndarray, tol: float, *, frugal: bool = False) -> Iterator[Step]:
    r"""Newton's method (3.29): :math:`\beta \leftarrow \beta - H^{-1} g`, halved until the objective falls enough.

    A frugal one goes on with the last Hessian near the end, where that still divides the gradient by ten.
    """
    yield from _newton_from(objective, theta, tol, None, frugal)


def _newton_from(
    objective: Objective, theta: np.ndarray, tol: float, solve: Solve | None, frugal: bool
) -> Iterator[Step]:
    now = objective.at(theta, "hessian" if solve is None else "gradient")
    fresh = solve is None
    if solve is None:
        solve = flat(hessian_solver(now.hessian))
    while True:
        if objective.slope(now) <= tol:
            yield Step(theta, now.value, True)
            return
        step = -solve(now.gradient)
        decrease = -float((now.gradient * step).sum())
        if not fresh and decrease <= 0:
            now, fresh = objective.at(theta, "hessian"), True
            solve = flat(hessian_solver(now.hessian))
            continue
        lazy = frugal and decrease <= 1e-2 * objective.mass
        reached, after = line_search(objective, theta, now, step, "gradient" if lazy else "hessian")
        if after is None:
            yield Step(theta, now.value, True)  # nothing left to gain
            return
        if decrease <= 1e-15 * abs(now.value):  # below rounding: derivatives of badly scaled columns fall no further
            yield Step(reached, after.value, True)
            return
        slow = objective.slope(after) > 0.1 * objective.slope(now) and objective.slope(after) > tol
        theta, now, fresh = reached, after, not lazy
        if lazy and slow:
            now, fresh = objective.at(theta, "hessian"), True
        if fresh:
            solve = flat(hessian_solver(now.hessian))
        yield Step(theta, now.value, objective.slope(now) <= tol)


def newton_from_sample(objective: Objective, theta: np.ndarray, tol: float) -> Iterator[Step]:
    """Newton's method on some of many rows first; its end and its Hessian are a start for all of them."""
    rows = objective.rows
    assert rows is not None
    n, p = rows.X.shape[0], len(theta)
    step = min(16, n // max(8192, 64 * p))
    if step < 2 or theta.any():
        return newton(objective, theta, tol, frugal=True)
    sample = rows.every(step)
    mass = float(len(sample.y) if sample.weight is None else sample.weight.sum())
    share = mass / objective.mass
    if share < 0.5 / step or not 0 < sample.y.mean() < 1:
        return newton(objective, theta, tol, frugal=True)
    part = Objective.of_rows(sample, mass, objective.ridge * share, objective.fit_intercept)
    found = last(newton(part, theta, 10 * tol, frugal=True), 20)
    solve = flat(hessian_solver(part.at(found.theta, "hessian").hessian / share))
    return _newton_from(objective, found.theta, tol, solve, frugal=True)


def line_search(
    objective: Objective, theta: np.ndarray, now: Point, step: np.ndarray, want: str
) -> tuple[np.ndarray, Point | None]:
    """The first of step, step / 2, step / 4, ... that lowers the objective enough (Armijo); None where none does."""
    slope = float((now.gradient * step).sum())
    # A decrease below rounding cannot be seen in the value; there the slope tells whether the step is too long.
    rounding = 64 * np.finfo(float).eps * abs(now.value)
    size = 1.0
    for _ in range(30):
        reached = theta + size * step
        try:
            after = objective.at(reached, want)
        except ValueError:
            if size < 1e-6:
                raise
            size *= 0.25
            continue
        if after.value <= now.value + 1e-4 * size * slope:
            return reached, after
        if after.value <= now.value + rounding and abs(float((after.gradient * step).sum())) <= 0.9 * abs(slope):
            return reached, after
        size *= 0.5
    return theta, None


def newton_cg(objective: Objective, theta: np.ndarray, tol: float) -> Iterator[Step]:
    """Newton's method with each step found by conjugate gradients, from products with the Hessian alone."""
    now = objective.at(theta, "curvature")
    first = objective.slope(now)
    if first <= tol:
        yield Step(theta, now.value, True)
        return
    preconditioners = objective.preconditioners(now.curvature)
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
        yield Step(theta, now.value, left <= 0.01 * tol * now.value and objective.slope(now) <= tol)


def conjugate_gradients(
    objective: Objective, now: Point, accuracy: float, precondition: Solve
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


def lbfgs(objective: Objective, theta: np.ndarray, tol: float, *, memory: int = 10) -> Iterator[Step]:
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


def gradient_descent(objective: Objective, theta: np.ndarray, tol: float, *, step: float | None) -> Iterator[Step]:
    """The book's gradient descent (appendix B.4): a fixed step on the mean loss, or one found by halving."""
    now = objective.at(theta)
    size = 1.0
    while True:
        if objective.slope(now) <= tol:
            yield Step(theta, now.value, True)
            return
        downhill = -now.gradient / objective.mass
        if step is not None:
            theta = theta + step * downhill
            now = objective.at(theta)
        else:
            before = theta
            theta, after = line_search(objective, theta, now, 2 * size * downhill, "gradient")
            if after is None:
                yield Step(theta, now.value, True)
                return
            moved = float(np.linalg.norm(theta - before))
            size, now = moved / max(float(np.linalg.norm(downhill)), np.finfo(float).tiny), after
        yield Step(theta, now.value, objective.slope(now) <= tol)


def last(steps: Iterator[Step], most: int) -> Step:
    """The last of at most so many steps."""
    step: Any = None
    for step in steps:
        most -= 1
        if step.converged or most <= 0:
            break
    return step
