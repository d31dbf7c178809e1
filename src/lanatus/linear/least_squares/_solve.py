"""The direct solver that suits a problem of least squares, and what the estimators keep of its solution."""

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from lanatus.optimize.solvers import (
    Cholesky,
    DirectSolution,
    DirectSolver,
    Dual,
    Eigenvalues,
    LeastSquares,
    Lsqr,
    SingularValues,
)
from lanatus.params import Choice

SOLVERS = Choice("auto", "cholesky", "dual", "svd", "lsqr")


def direct_solver(problem: LeastSquares, name: str, tol: float, max_iter: int | None = None) -> DirectSolver:
    """The solver of that name, "cholesky", "dual", "svd" or "lsqr".

    Columns that depend on each other leave Cholesky to the singular values, or to the eigenvalues of the moments.
    """
    singular = SingularValues() if problem.in_memory and not problem.is_sparse else Eigenvalues()
    return {
        "cholesky": Cholesky(otherwise=singular),
        "dual": Dual(),
        "svd": SingularValues(),
        "lsqr": Lsqr(tol, max_iter),
    }[name]


def keep_direct(model: Any, problem: LeastSquares, solution: DirectSolution, dtype: Any) -> Any:
    """Make a solution the model, which it returns; warn where the iterations ran out."""
    if not solution.converged:
        warnings.warn(
            f"{type(model).__name__} did not converge in {solution.n_iter} iterations of 'lsqr'; raise max_iter or "
            "tol, or scale the data.",
            ConvergenceWarning,
            stacklevel=4,
        )
    model._set_linear(solution.coef, problem.x_mean, problem.y_mean, dtype, problem.flat)
    return model
