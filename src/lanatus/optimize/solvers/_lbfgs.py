"""L-BFGS for a smooth penalty."""

from typing import Any

import numpy as np

from lanatus.optimize.solvers._risk import Risk
from lanatus.optimize.solvers._solver import Solution, Solver, single


class Lbfgs(Solver):
    """L-BFGS (SciPy's), for a smooth penalty; stops once the gradient is below `tol` times the first."""

    name = "lbfgs"
    penalty_needs = ("value", "gradient")

    def _solve(self, risk: Risk, penalty: Any, start: np.ndarray | None) -> Solution:
        from scipy.optimize import minimize

        def value_and_gradient(v: np.ndarray) -> tuple[float, np.ndarray]:
            w, b = v[:-1], float(v[-1])
            slope_w, slope_b = risk.gradient(w, b)
            return risk.value(w, b) + penalty.value(w), np.append(slope_w + penalty.gradient(w), slope_b)

        rounds = 0

        def after_round(v: np.ndarray) -> None:
            nonlocal rounds
            rounds += 1
            if self.watch(rounds, v[:-1], float(v[-1]), np.nan):
                raise StopIteration

        w, b = risk.start()
        first = np.append(w if start is None else start[:, 0], b)
        unit = max(float(np.abs(value_and_gradient(first)[1]).max()), np.finfo(np.float64).tiny)
        options = {"maxiter": self.max_iter, "gtol": self.tol * unit, "ftol": 0.0, "maxfun": 20 * self.max_iter}
        result = minimize(value_and_gradient, first, jac=True, method="L-BFGS-B", callback=after_round, options=options)
        converged = bool(np.abs(result.jac).max() <= 10 * self.tol * unit or result.success)
        return single(risk, result.x[:-1], float(result.x[-1]), float(result.fun), int(result.nit), converged)
