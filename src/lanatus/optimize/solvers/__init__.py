"""Solvers of loss plus penalty.

`Solver` and its kinds minimise a `Risk` plus a penalty; `DirectSolver` and its kinds least squares with a ridge, in
memory or from moments; those of `smooth` yield their iterates on rows that may be streamed.
"""

from lanatus.optimize.losses import Loss
from lanatus.optimize.penalties import Penalty
from lanatus.optimize.solvers._block_descent import BlockCoordinateDescent
from lanatus.optimize.solvers._centring import Centred, centred
from lanatus.optimize.solvers._coordinate_descent import CoordinateDescent
from lanatus.optimize.solvers._cross_moments import CrossMoments
from lanatus.optimize.solvers._direct import (
    Cholesky,
    DirectSolution,
    DirectSolver,
    Dual,
    Eigenvalues,
    Lsqr,
    NonNegative,
    SingularValues,
)
from lanatus.optimize.solvers._lbfgs import Lbfgs
from lanatus.optimize.solvers._least_squares import LeastSquares
from lanatus.optimize.solvers._path import Path, PathSolver
from lanatus.optimize.solvers._proximal_gradient import ProximalGradientDescent
from lanatus.optimize.solvers._proximal_newton import ProximalNewton
from lanatus.optimize.solvers._risk import Risk
from lanatus.optimize.solvers._solver import Solution, Solver, Watch

__all__ = [
    "BlockCoordinateDescent",
    "Centred",
    "Cholesky",
    "CoordinateDescent",
    "CrossMoments",
    "DirectSolution",
    "DirectSolver",
    "Dual",
    "Eigenvalues",
    "Lbfgs",
    "LeastSquares",
    "Lsqr",
    "NonNegative",
    "Path",
    "PathSolver",
    "ProximalGradientDescent",
    "ProximalNewton",
    "Risk",
    "SingularValues",
    "Solution",
    "Solver",
    "Watch",
    "centred",
    "solver_for",
]

_GENERAL = (ProximalNewton, Lbfgs, ProximalGradientDescent)  # those for any loss, the fastest first


def solver_for(loss: Loss, penalty: Penalty, name: str = "auto") -> type[Solver]:
    """The solver of that name, or for "auto" the first that can take the loss and the penalty."""
    if name == "auto":
        return next(kind for kind in _GENERAL if not kind.missing(loss, penalty))
    return next(kind for kind in _GENERAL if kind.name == name)
