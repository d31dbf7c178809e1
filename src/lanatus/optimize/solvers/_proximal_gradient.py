"""Proximal gradient descent."""

from typing import Any

import numpy as np

from lanatus.optimize.penalties import Penalty
from lanatus.optimize.solvers._risk import Risk
from lanatus.optimize.solvers._solver import Solution, Solver, Watch, single


class ProximalGradientDescent(Solver):
    """Proximal gradient descent, (11.10)-(11.14), plain or accelerated (FISTA with restarts).

    Stops once the step, times its Lipschitz constant, is at most `tol` times the gradient at the start.
    """

    name = "proximal"
    penalty_needs = ("value", "prox")

    def __init__(
        self,
        tol: float,
        max_iter: int,
        watch: Watch | None = None,
        *,
        accelerated: bool = True,
        lipschitz: float | None = None,
    ) -> None:
        super().__init__(tol, max_iter, watch)
        self.accelerated, self.lipschitz = accelerated, lipschitz

    def _solve(self, risk: Risk, penalty: Any, start: np.ndarray | None) -> Solution:
        w, b = risk.start()
        if start is not None:
            w = start[:, 0]
        bound = risk.smoothness() if self.lipschitz is None else self.lipschitz
        searches = not np.isfinite(bound)
        L = 1e-3 * risk.scale * risk.mass if searches else max(bound, np.finfo(np.float64).tiny)
        unit = max(_largest(*risk.gradient(w, b)), np.finfo(np.float64).tiny)
        look_w, look_b, momentum = w, b, 1.0
        for number in range(1, self.max_iter + 1):
            slope_w, slope_b = risk.gradient(look_w, look_b)
            if searches:
                L = _backtrack(risk, penalty, look_w, look_b, slope_w, slope_b, L)
            new_w, new_b = penalty.prox(look_w - slope_w / L, 1 / L), look_b - slope_b / L
            moved = L * _largest(new_w - look_w, new_b - look_b)
            share = 0.0
            if self.accelerated:
                if (look_w - new_w) @ (new_w - w) + (look_b - new_b) * (new_b - b) > 0:
                    momentum = 1.0  # the momentum points uphill: start it anew
                following = 0.5 + np.sqrt(0.25 + momentum**2)
                share, momentum = (momentum - 1) / following, following
            look_w, look_b = new_w + share * (new_w - w), new_b + share * (new_b - b)
            w, b = new_w, new_b
            converged = bool(moved <= self.tol * unit)
            if self.watch(number, w, b, np.nan) or converged or not np.isfinite(moved):
                break
        return single(risk, w, b, risk.value(w, b) + penalty.value(w), number, converged)


def _largest(w: np.ndarray, b: float) -> float:
    return max(float(np.abs(w).max(initial=0.0)), abs(b))


def _backtrack(
    risk: Risk, penalty: Penalty, w: np.ndarray, b: float, slope_w: np.ndarray, slope_b: float, L: float
) -> float:
    """Raise L until the quadratic model (11.10) is above the loss at the step it proposes."""
    here = risk.value(w, b)
    for _ in range(100):
        step_w = penalty.prox(w - slope_w / L, 1 / L) - w
        step_b = -slope_b / L
        model = here + slope_w @ step_w + slope_b * step_b + 0.5 * L * (step_w @ step_w + step_b**2)
        if risk.value(w + step_w, b + step_b) <= model + 1e-12 * abs(here):
            break
        L *= 2
    return L
