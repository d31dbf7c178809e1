"""L-BFGS and Levenberg-Marquardt: solvers that look at all rows at each step."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import linalg

from lanatus.neural.feedforward._network import Network, NetworkTarget
from lanatus.optimize.solvers.smooth import Point, SmoothObjective, Solve, Step, lbfgs

MEMORY = 10  # changes of the gradient that L-BFGS keeps


class NetworkError(SmoothObjective):
    """Mean loss of a network over all rows, with squares of its parameters; the number of looks at the rows is bounded.

    Parameters
    ----------
    net : Network
    rows, target : rows as the kernels take them, and what is to be said of them
    running : ndarray
        Of batch normalisation; empty without.
    decay : ndarray or float
        Half of it times the square of each parameter is added to the mean loss.
    share : float
        Factor of the mean loss.
    most : int
        Looks at the rows after which `OutOfLooks` is raised.
    """

    in_memory = True
    fit_intercept = True
    mass, ridge = 1.0, 0.0

    def __init__(
        self, net: Network, rows: Any, target: NetworkTarget, running: np.ndarray, decay: Any, share: float, most: int
    ) -> None:
        self.net, self.rows, self.target, self.running = net, rows, target, running
        self.decay, self.share, self.most = decay, share, most
        self.looks = 0
        self.damping = 1e-2  # of Levenberg-Marquardt

    def at(self, theta: np.ndarray, want: str = "gradient") -> Point:
        """Value and gradient."""
        self.looks += 1
        if self.looks > self.most:
            raise OutOfLooks
        loss, weight, gradient = self.net.gradient(self.rows, self.target, theta, self.running)
        value = self.share * loss / weight + 0.5 * float(np.sum(self.decay * theta**2))
        return Point(value, self.share * gradient / weight + self.decay * theta)

    def first_guess(self, theta: np.ndarray) -> Solve:
        """A step of the gradient, no longer than 1."""
        length = float(np.linalg.norm(self.at(theta).gradient))
        return lambda gradient: gradient / max(length, 1.0)


class OutOfLooks(Exception):
    """The objective was asked for more often than allowed."""


def lbfgs_steps(objective: NetworkError, theta: np.ndarray, tol: float, path: np.ndarray) -> Iterator[Step]:
    """Steps of L-BFGS, ending where the looks at the rows are used up."""
    last = Step(theta, np.inf, False)
    steps = lbfgs(objective, theta, tol, memory=MEMORY, path=path)
    while True:
        try:
            last = next(steps)
        except (OutOfLooks, StopIteration):
            yield Step(last.theta, last.value, True)
            return
        yield last


def levenberg_marquardt(objective: NetworkError, theta: np.ndarray, tol: float) -> Iterator[Step]:
    r"""Damped Gauss-Newton steps on squared errors: :math:`(J^T W J / m + D + \mu I)\,\Delta = -\nabla E`.

    The damping falls tenfold after a step that helped, and rises tenfold until one does.
    """
    net, target = objective.net, objective.target
    damping = objective.damping
    now = objective.at(theta)
    while True:
        J = net.jacobian(objective.rows, theta, objective.running)
        weight = np.ones(len(target)) if target.weight is None else target.weight
        heavy = np.repeat(weight, net.sizes[-1])
        normal = objective.share * (J.T * heavy) @ J / max(weight.sum(), 1e-300)
        normal[np.diag_indices_from(normal)] += objective.decay
        found = None
        while found is None and damping < 1e12:
            damped = normal + damping * np.eye(len(theta))
            try:
                step = linalg.solve(damped, -now.gradient, assume_a="pos")
                after = objective.at(theta + step)
                found = after if np.isfinite(after.value) and after.value < now.value else None
            except linalg.LinAlgError:
                pass
            except OutOfLooks:
                yield Step(theta, now.value, True)
                return
            if found is None:
                damping *= 10
        if found is None:
            yield Step(theta, now.value, True)
            return
        damping = objective.damping = max(damping / 10, 1e-12)
        theta, before, now = theta + step, now.value, found
        done = before - now.value <= 1e-3 * tol * max(before, 1e-300) or np.abs(now.gradient).max() <= 1e-3 * tol
        yield Step(theta, now.value, bool(done))
