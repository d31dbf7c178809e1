"""Proximal Newton by coordinate descent."""

from typing import Any

import numpy as np

from lanatus.optimize.penalties import Penalty
from lanatus.optimize.solvers._coordinate_descent import squared_problems
from lanatus.optimize.solvers._risk import Risk
from lanatus.optimize.solvers._solver import Solution, Solver, single


class ProximalNewton(Solver):
    """Proximal Newton: the loss as a weighted sum of squares at the present weights, solved by coordinate descent.

    Rows whose loss has no curvature but a slope take the largest curvature instead, which bounds the loss from above.
    Stops once a round gains less than `tol` times the objective.
    """

    name = "newton"
    loss_needs = ("value", "gradient", "curvature")
    penalty_needs = ("value", "parts")

    def _solve(self, risk: Risk, penalty: Any, start: np.ndarray | None) -> Solution:
        w, b = risk.start()
        if start is not None:
            w = start[:, 0]
        objective = risk.value(w, b) + penalty.value(w)
        for number in range(1, self.max_iter + 1):
            tol = min(1e-3, 0.1 * self.tol) if number > 2 else 1e-4
            step_w, step_b = _newton_step(risk, penalty, w, b, tol)
            share, lower = _line_search(risk, penalty, w, b, step_w, step_b, objective)
            w, b = w + share * step_w, b + share * step_b
            gain, objective = objective - lower, lower
            converged = gain <= self.tol * abs(objective)
            if self.watch(number, w, b, objective) or (converged and number > 2):
                break
        return single(risk, w, b, objective, number, bool(converged))


def _newton_step(risk: Risk, penalty: Any, w: np.ndarray, b: float, tol: float) -> tuple[np.ndarray, float]:
    """From weights and bias to the minimum of the second-order expansion of the risk plus the penalty."""
    l1, l2 = penalty.parts
    eta = risk.eta(w, b)
    slope, bend = risk.loss.gradient(risk.y, eta), risk.loss.curvature(risk.y, eta)
    flat = (bend < 1e-10) & (slope != 0)
    bend = np.where(flat, risk.loss.smoothness if np.isfinite(risk.loss.smoothness) else 1e-10, bend)
    bend = np.maximum(bend, 1e-14)
    rows = risk.scale * risk.rows * bend
    target = eta - slope / bend
    problems, middle = squared_problems(risk.X, target[:, None], rows, fit_intercept=risk.fit_intercept)
    coef = problems[0].solve([l1], [l2], start=w, tol=tol, max_iter=1000, positive=penalty.positive).coef[0]
    offset = (risk.centre - problems[0].means()) @ coef if risk.fit_intercept else 0.0
    return coef - w, float(middle[0]) + offset - b


def _line_search(
    risk: Risk, penalty: Penalty, w: np.ndarray, b: float, step_w: np.ndarray, step_b: float, before: float
) -> tuple[float, float]:
    """The first of 1, 1/2, 1/4, ... that does not raise the objective, and the objective there."""
    share = 1.0
    while share > 1e-10:
        now = risk.value(w + share * step_w, b + share * step_b) + penalty.value(w + share * step_w)
        if now <= before:
            return share, now
        share *= 0.5
    return 0.0, before
