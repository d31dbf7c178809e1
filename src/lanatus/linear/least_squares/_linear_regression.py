"""Linear regression by least squares."""

from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.linear._linear_regressor import LinearRegressor
from lanatus.linear._rules import RULES
from lanatus.linear.least_squares._solve import keep_direct
from lanatus.linear.least_squares._summary import Summary, least_squares_summary
from lanatus.optimize.solvers import (
    Cholesky,
    CrossMoments,
    DirectSolver,
    Eigenvalues,
    LeastSquares,
    Lsqr,
    NonNegative,
    SingularValues,
)
from lanatus.params import Choice, rules_for
from lanatus.scale import open_engine


@method(
    "linear.simple-least-squares",
    "linear.linear-regression",
    "linear.min-norm-least-squares",
    "linear.weighted-least-squares",
    section="3.2",
    task="regression",
    en="Linear regression",
    zh="线性回归",
    peers=["scikit-learn:LinearRegression", "scipy:lstsq", "statsmodels:WLS"],
    streams=True,
)
class LinearRegression(MultiOutputMixin, LinearRegressor):
    r"""Least squares: the plane with the smallest sum of squared vertical residuals.

    Book: section 3.2. Minimises :math:`\sum_i w_i (y_i - w^T x_i - b)^2` (3.4), (3.9). Where many planes are equally
    good (more columns than rows, or columns that depend on each other) the one with the smallest weights is taken.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether there is a bias b.
    copy_X : bool, default=True
        Kept for compatibility; X is never written to.
    tol : float, default=1e-6
        When the iterations of solver ``"lsqr"`` stop.
    n_jobs : int or None, default=None
        Kept for compatibility; threads are chosen by threadpoolctl and ``OMP_NUM_THREADS``.
    positive : bool, default=False
        Whether all weights must be 0 or more (dense X only).
    solver : {"auto", "normal", "svd", "lsqr"}, default="auto"
        "normal": the normal equations (3.11), with a step of refinement; "svd": singular values, the minimum-norm
        solution of any system; "lsqr": iterations that need products with X only. "auto" takes the first where X is
        tall and well-conditioned, the second where not, the third for wide sparse X.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Weights.
    intercept_ : float or ndarray of shape (n_targets,)
        Bias.
    rank_ : int
        Rank of the (centred) X; not set by "lsqr".
    singular_ : ndarray
        Singular values of the (centred) X; set by "svd" only.
    n_features_in_, feature_names_in_, schema_
        What the columns were.

    Notes
    -----
    Cost: n d^2 for "normal" and about four times that for "svd"; memory d^2 beside X, and a copy of X for "svd".
    Files and Dask collections are read once, by "normal".

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.linear import LinearRegression
    >>> X = load_watermelon("3.0a", frame="numpy").data.astype(float)
    >>> model = LinearRegression().fit(X[:, :1], X[:, 1])
    >>> round(float(model.coef_[0]), 6), round(float(model.intercept_), 6)
    (0.140696, 0.137882)
    """

    rank_: int
    singular_: np.ndarray
    _moments: CrossMoments | None

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        positive: bool = False,
        solver: str = "auto",
    ) -> None:
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive
        self.solver = solver

    _params = rules_for(__init__, RULES, solver=Choice("auto", "normal", "svd", "lsqr"))

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        engine = open_engine(self, X, y, sample_weight)
        problem = LeastSquares.open(engine, self.fit_intercept)
        solution = self._solver(problem).solve(problem, 0.0)
        self._moments = problem.moments
        for name, value in (("rank_", solution.rank), ("singular_", solution.singular)):
            self.__dict__.pop(name, None)
            if value is not None:
                setattr(self, name, value)
        return keep_direct(self, problem, solution, engine.dtype)

    def _solver(self, problem: LeastSquares) -> DirectSolver:
        if self.positive:
            return NonNegative()
        iterative, singular = Lsqr(self.tol), SingularValues()
        suits = iterative if problem.is_sparse else singular if problem.in_memory else Eigenvalues()
        return {
            "auto": Cholesky(otherwise=suits) if problem.is_tall else suits,
            "normal": Cholesky(),
            "svd": singular,
            "lsqr": iterative,
        }[self.solver]

    def summary(self, alpha: float = 0.05) -> Summary:
        """Standard errors, t values, p-values and intervals of the weights, and how well the plane fits.

        Parameters
        ----------
        alpha : float, default=0.05
            The intervals have confidence 1 - alpha.

        Returns
        -------
        Summary
            Prints as a table. It takes a single target, and more rows than columns.
        """
        return least_squares_summary(self, alpha)
