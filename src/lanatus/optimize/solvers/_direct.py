"""Direct solvers of least squares with a ridge, and the one of products with X alone.

Each takes a `LeastSquares` and the strength of a penalty ridge ||w||^2 beside the sum of squares.
"""

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import linalg

from lanatus.optimize.solvers._least_squares import LeastSquares

# Least squared diagonal entry of the Cholesky factor of the correlations, about one over their condition. The normal
# equations square the condition of X: below the first number a step of refinement is worth its two passes over X,
# below the second the singular values are.
_FINE = 1e-5
_SOLVABLE = 1e-10
_FAR = 1e3  # a column whose mean is this many deviations from zero has lost digits too


@dataclass(frozen=True)
class DirectSolution:
    """Weights (d, t), and what the solver learned of X on the way."""

    coef: np.ndarray
    rank: int | None = None
    singular: np.ndarray | None = None
    n_iter: int = 1
    converged: bool = True


class DirectSolver:
    """A solver of least squares with a ridge."""

    name: ClassVar[str]

    def solve(self, problem: LeastSquares, ridge: float) -> DirectSolution:
        """Weights of the least squares plus ridge times their squares."""
        raise NotImplementedError


class Eigenvalues(DirectSolver):
    """Through the eigenvalues of X'X, for data that is only known by its moments; of least norm without a ridge."""

    name = "eigen"

    def solve(self, problem: LeastSquares, ridge: float) -> DirectSolution:
        directions, values = problem.spread_directions()
        coef = directions @ ((directions.T @ problem.centred.xy) / (values + ridge)[:, None])
        return DirectSolution(np.asarray(coef), len(values))


class SingularValues(DirectSolver):
    """Through the singular values of X itself, each shrunk by s^2 / (s^2 + ridge); of least norm without a ridge."""

    name = "svd"

    def solve(self, problem: LeastSquares, ridge: float) -> DirectSolution:
        X, Y = problem.whitened()
        if ridge == 0:
            cut = max(X.shape) * np.finfo(X.dtype).eps
            coef, _, rank, singular = linalg.lstsq(X, Y, cond=cut, check_finite=False)
            return DirectSolution(coef, int(rank), singular)
        left, s, right = linalg.svd(X, full_matrices=False, check_finite=False)
        kept = s > s.max(initial=0.0) * max(X.shape) * np.finfo(X.dtype).eps
        shrunk = np.where(kept, s, 0.0) / np.where(kept, s**2 + ridge, 1.0)
        return DirectSolution(np.asarray(right.T @ (shrunk[:, None] * (left.T @ Y))), int(kept.sum()), s)


class Cholesky(DirectSolver):
    """The normal equations (X'X + ridge) w = X'y, with a step of refinement where X asks for it.

    Where X'X is too near to singular, the solver `otherwise`.
    """

    name = "cholesky"

    def __init__(self, otherwise: DirectSolver | None = None) -> None:
        self.otherwise = otherwise or Eigenvalues()

    def solve(self, problem: LeastSquares, ridge: float) -> DirectSolution:
        factor = factored(problem, ridge)
        if factor is None:
            return self.otherwise.solve(problem, ridge)
        root, lower, scale = factor

        def solve(right: np.ndarray) -> np.ndarray:
            return np.asarray(linalg.cho_solve((root, lower), right / scale[:, None]) / scale[:, None])

        coef = solve(problem.centred.xy)
        far = np.max(np.abs(problem.x_mean) * np.sqrt(problem.centred.mass) / scale)
        rough = far > _FAR or np.min(np.diag(root)) ** 2 < _FINE
        if rough and problem.in_memory and problem.rows.X.dtype == np.float64:
            coef += solve(problem.residual_gradient(coef, ridge))
        return DirectSolution(coef, len(coef))


class Dual(DirectSolver):
    """Weights as a combination of the rows: an n x n system."""

    name = "dual"

    def solve(self, problem: LeastSquares, ridge: float) -> DirectSolution:
        X, Y = problem.whitened()
        inner = X @ X.T
        inner[np.diag_indices_from(inner)] += ridge
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", linalg.LinAlgWarning)
                coef = X.T @ linalg.solve(inner, Y, assume_a="pos", check_finite=False)
        except (linalg.LinAlgError, linalg.LinAlgWarning):
            return SingularValues().solve(problem, ridge)
        return DirectSolution(np.asarray(coef))


class NonNegative(DirectSolver):
    """No weight below zero, by an active set (SciPy's)."""

    name = "non-negative"

    def solve(self, problem: LeastSquares, ridge: float) -> DirectSolution:
        from scipy.optimize import nnls

        factor = factored(problem, ridge) if problem.is_tall else None
        if factor is not None:
            root, scale = np.tril(factor[0]), factor[2]
            right = linalg.solve_triangular(root, problem.centred.xy / scale[:, None], lower=True)
            return DirectSolution(np.column_stack([nnls(root.T, column)[0] for column in right.T]) / scale[:, None])
        if not problem.in_memory or problem.is_sparse:
            raise ValueError("positive=True wants dense X in memory, or columns that do not depend on each other.")
        X, Y = problem.whitened()
        d = X.shape[1]
        X, Y = np.vstack([X, np.sqrt(ridge) * np.eye(d)]), np.vstack([Y, np.zeros((d, Y.shape[1]))])
        return DirectSolution(np.column_stack([nnls(X, column)[0] for column in Y.T]))


class Lsqr(DirectSolver):
    """Iterations (Paige and Saunders', SciPy's) by products with X and its transpose only, centred on the way."""

    name = "lsqr"

    def __init__(self, tol: float, max_iter: int | None = None) -> None:
        self.tol, self.max_iter = tol, max_iter

    def solve(self, problem: LeastSquares, ridge: float) -> DirectSolution:
        from scipy.sparse.linalg import LinearOperator, lsqr

        X, root, mean, moves = problem.rows.X, problem.root(), problem.x_mean, problem.moves()
        product = LinearOperator(
            X.shape,
            matvec=lambda v: root * (X @ (moves * v) - mean @ (moves * v)),
            rmatvec=lambda u: moves * (X.T @ (root * u) - mean * (root @ u)),
            dtype=np.float64,
        )
        damp = float(np.sqrt(ridge))
        solved = [
            lsqr(product, root * (column - middle), damp=damp, atol=self.tol, btol=self.tol, iter_lim=self.max_iter)
            for column, middle in zip(problem.Y.T, problem.y_mean, strict=True)
        ]
        return DirectSolution(
            np.column_stack([one[0] for one in solved]),
            n_iter=max(1, *(one[2] for one in solved)),
            converged=all(one[1] != 7 for one in solved),  # 7: the iterations ran out
        )


def factored(problem: LeastSquares, ridge: float) -> tuple[np.ndarray, bool, np.ndarray] | None:
    """Cholesky factor of X'X + ridge scaled to a unit diagonal, and that scale; None if near to singular."""
    scale = np.sqrt(np.diag(problem.centred.xx) + ridge)
    if not (scale > 0).all():
        return None
    scaled = problem.centred.xx / np.outer(scale, scale)
    scaled[np.diag_indices_from(scaled)] = 1.0
    try:
        root, lower = linalg.cho_factor(scaled, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        return None
    return None if np.min(np.diag(root)) ** 2 < _SOLVABLE else (root, lower, scale)
