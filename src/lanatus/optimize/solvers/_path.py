"""Solvers that follow a path: the solutions of falling penalties, each from the one before."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus.optimize.solvers._risk import Risk
from lanatus.optimize.solvers._solver import Solver


@dataclass(frozen=True)
class Path:
    """Solutions at several penalties.

    Attributes
    ----------
    coef : ndarray of shape (steps, d, t)
    gap : ndarray of shape (steps,)
        Duality gaps of half the sum of squares; over `normalizer` those of the objective.
    n_iter : ndarray of shape (steps,)
    converged : bool
        Whether all steps have.
    goal : float
        The gap that was wanted, in the unit of `gap`.
    normalizer : float
        That of the risk.
    """

    coef: np.ndarray
    gap: np.ndarray
    n_iter: np.ndarray
    converged: bool
    goal: float
    normalizer: float


class PathSolver(Solver):
    """A solver of penalised least squares that prepares a problem once and then solves it at many penalties."""

    def open(self, risk: Risk) -> Any:
        """The problem, ready for `path`: it has ``y_mean``, ``means(coef)``, ``normalizer`` and ``slope_at_zero()``."""
        raise NotImplementedError

    def path(self, problem: Any, penalty: Any, alphas: np.ndarray, start: np.ndarray | None = None) -> Path:
        """Solutions at falling multiples `alphas` of a penalty, each from the one before, the first from `start`."""
        raise NotImplementedError
