"""A smooth objective over rows, which may be streamed, and the line search that all its solvers share."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Solve = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Point:
    """The objective at some coefficients; what was not wanted is empty."""

    value: float
    gradient: np.ndarray
    hessian: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    curvature: np.ndarray = field(default_factory=lambda: np.empty(0))


@dataclass(frozen=True)
class Step:
    """Coefficients after an iteration."""

    theta: np.ndarray
    value: float
    converged: bool


class SmoothObjective:
    r"""What is minimised: :math:`\sum_i v_i\,\ell(y_i, w^Tx_i + b) + \frac{\rho}{2}\lVert w\rVert^2`.

    Coefficients theta have the intercept in their last row, which the penalty spares: (d + 1,), or (d + 1, classes).
    A solver needs `at` and `slope`; those that say so need the other methods too.

    Attributes
    ----------
    mass : float
        Sum of the weights v.
    ridge : float
        Strength :math:`\rho` of the squares.
    fit_intercept : bool
        Whether the last row is free; otherwise it stays zero.
    in_memory : bool
        Whether the rows are at hand, so that products with the Hessian can be had.
    """

    mass: float
    ridge: float
    fit_intercept: bool
    in_memory: bool

    def at(self, theta: np.ndarray, want: str = "gradient") -> Point:
        """Value, gradient and what else is wanted, "hessian" or "curvature", at theta."""
        raise NotImplementedError

    def slope(self, point: Point) -> float:
        """The largest derivative, per unit of weight: what a tolerance is compared with."""
        return float(np.abs(point.gradient).max()) / self.mass

    def product(self, curvature: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """The Hessian, where the rows have these curvatures, times a direction."""
        raise NotImplementedError

    def preconditioners(self, curvature: np.ndarray) -> Iterator[Solve]:
        """Rough inverses of the Hessian, from cheap to dear."""
        raise NotImplementedError

    def first_guess(self, theta: np.ndarray) -> Solve:
        """A rough inverse of the Hessian that holds for all coefficients."""
        raise NotImplementedError

    def thinned(self, most: int, rows_a_column: int = 64) -> "SmoothObjective | None":
        """The objective of every k-th row, k up to `most`, with a ridge in proportion; None if they are too few."""
        raise NotImplementedError

    def class_hessian(self, point: Point, columns: np.ndarray, k: int) -> np.ndarray:
        """Hessian of the loss over some columns and the intercept of class k (with several classes, a bound of it)."""
        raise NotImplementedError

    def joint_hessian(self, point: Point, columns: np.ndarray) -> np.ndarray:
        """Hessian of the loss over some columns and the intercepts of all classes, laid out row by row."""
        raise NotImplementedError


# The next step of a solver that is done would change margins by about this much at most, and no coefficient by more
# than this share of the largest: two ways to one optimum then meet well within a millionth.
RESOLUTION = 3e-8
# A slope this much below the tolerance is enough by itself: coefficients that grow without end never settle.
FLAT = 1e-6


def settled(objective: SmoothObjective, theta: np.ndarray, now: Point, step: np.ndarray, tol: float) -> bool:
    """Whether the slope is within the tolerance, and the step that would come next is too small to matter."""
    slope = objective.slope(now)
    if slope > tol:
        return False
    gain = -float((now.gradient * step).sum())
    near = float(np.abs(step).max()) <= RESOLUTION * float(np.abs(theta).max())
    return slope <= FLAT * tol or (near and gain <= RESOLUTION**2 * objective.mass)


def line_search(
    objective: SmoothObjective, theta: np.ndarray, now: Point, step: np.ndarray, want: str
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


def last(steps: Iterator[Step], most: int) -> Step:
    """The last of at most so many steps."""
    step: Any = None
    for step in steps:
        most -= 1
        if step.converged or most <= 0:
            break
    return step
