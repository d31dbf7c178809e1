"""Solvers of a smooth objective over rows, in memory or streamed.

Each takes an objective, a start and a tolerance, and yields a `Step` after each iteration, so that every one can be
watched; the last one says whether it converged.
"""

from lanatus.optimize.solvers.smooth._coordinate_newton import coordinate_newton
from lanatus.optimize.solvers.smooth._gradient_descent import gradient_descent
from lanatus.optimize.solvers.smooth._hessian import hessian_solver
from lanatus.optimize.solvers.smooth._lbfgs import lbfgs
from lanatus.optimize.solvers.smooth._newton import newton, newton_from_sample
from lanatus.optimize.solvers.smooth._newton_cg import newton_cg, newton_cg_from_sample
from lanatus.optimize.solvers.smooth._objective import Point, SmoothObjective, Solve, Step, last

__all__ = [
    "Point",
    "SmoothObjective",
    "Solve",
    "Step",
    "coordinate_newton",
    "gradient_descent",
    "hessian_solver",
    "last",
    "lbfgs",
    "newton",
    "newton_cg",
    "newton_cg_from_sample",
    "newton_from_sample",
]
