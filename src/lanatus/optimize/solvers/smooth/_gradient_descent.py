"""Gradient descent as the book has it."""

from collections.abc import Iterator

import numpy as np

from lanatus.optimize.solvers.smooth._objective import SmoothObjective, Step, line_search


def gradient_descent(
    objective: SmoothObjective, theta: np.ndarray, tol: float, *, step: float | None
) -> Iterator[Step]:
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
