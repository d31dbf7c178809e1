"""Ridge regression."""

from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin

from lanatus.base import fitting
from lanatus.catalog import Contender, method
from lanatus.linear._linear_regressor import LinearRegressor
from lanatus.linear._rules import RULES, STRENGTH
from lanatus.linear.least_squares._solve import SOLVERS, direct_solver, keep_direct
from lanatus.optimize.solvers import DirectSolution, DirectSolver, LeastSquares, NonNegative
from lanatus.params import Array, Choice, Integer, Nothing, rules_for
from lanatus.scale import open_engine
from lanatus.spaces import Options, Span

# Names of scikit-learn's for the same optimum, and what finds it here.
_SAME = {"sparse_cg": "lsqr", "sag": "auto", "saga": "auto", "lbfgs": "auto"}
_NAMES = SOLVERS | Choice(*_SAME)


@method(
    "linear.ridge",
    section="11.4",
    task="regression",
    en="Ridge regression",
    zh="岭回归",
    peers=["scikit-learn:Ridge", "scikit-learn-intelex:Ridge"],
    streams=True,
    contender=Contender(
        simplicity=2,
        starts=({"alpha": 1.0}, {"alpha": 30.0}, {"alpha": 10.0, "design__spread": "normal"}),
        space={"alpha": Span(1e-3, 1e4, log=True), "design__spread": Options(("standard", "normal"))},
    ),
)
class Ridge(MultiOutputMixin, LinearRegressor):
    r"""Least squares with a penalty on the squared weights, which keeps them small and always has one solution.

    Book: section 11.4. Minimises :math:`\sum_i w_i (y_i - w^T x_i - b)^2 + \alpha \lVert w \rVert_2^2` (11.6); the
    bias is not penalised.

    Parameters
    ----------
    alpha : float or array of shape (n_targets,), default=1.0
        Strength of the penalty, 0 or more; one for all targets or one for each.
    fit_intercept : bool, default=True
        Whether there is a bias b.
    copy_X : bool, default=True
        Kept for compatibility; X is never written to.
    max_iter : int or None, default=None
        Most iterations of the solvers "lsqr" and "sparse_cg"; the others have none.
    tol : float, default=1e-4
        When the iterations of the solvers "lsqr" and "sparse_cg" stop.
    solver : {"auto", "cholesky", "dual", "svd", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"}, default="auto"
        "cholesky": the d x d normal equations; "dual": the n x n ones, for more columns than rows; "svd": singular
        values; "lsqr": iterations that need products with X only. "auto" takes the smaller system for dense X,
        "cholesky" for tall sparse X and "lsqr" for wide. The last four are names of scikit-learn's for ways to the
        same optimum: "sparse_cg" is "lsqr", which is conjugate gradients in better arithmetic, "sag" and "saga" are
        "auto", and "lbfgs", which needs ``positive=True``, an active set; `solver_` tells which was used.
    positive : bool, default=False
        Whether all weights must be 0 or more; for the solvers "auto" and "lbfgs" only.
    random_state : int, RandomState or None, default=None
        Kept for compatibility; nothing is drawn at random.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Weights.
    intercept_ : float or ndarray of shape (n_targets,)
        Bias.
    solver_ : str
        The solver that was used.
    n_iter_ : int
        Most iterations of "lsqr" over the targets; 1 for the others.
    n_features_in_, feature_names_in_, schema_
        What the columns were.

    Notes
    -----
    Cost: n d min(n, d) and one product of X with itself; memory min(n, d)^2 beside X ("dual" and "svd" copy X). Files
    and Dask collections are read once, by "cholesky".

    Examples
    --------
    >>> from lanatus.linear import Ridge
    >>> model = Ridge(alpha=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> round(float(model.coef_[0]), 6), round(float(model.intercept_), 6)
    (0.666667, 0.333333)
    """

    solver_: str
    n_iter_: int

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-4,
        solver: str = "auto",
        positive: bool = False,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state

    _params = rules_for(__init__, RULES, alpha=STRENGTH | Array(1), max_iter=Nothing() | Integer(low=1), solver=_NAMES)

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        engine = open_engine(self, X, y, sample_weight)
        return self._fit_problem(LeastSquares.open(engine, self.fit_intercept), engine.dtype)

    def _fit_problem(self, problem: LeastSquares, dtype: Any) -> Self:
        alphas = np.asarray(self.alpha, dtype=np.float64)
        targets = len(problem.y_mean)
        if alphas.ndim and alphas.size not in (1, targets):
            raise ValueError(f"alpha has {alphas.size} entries for {targets} targets; wanted one, or one for each.")
        if (alphas < 0).any() or not np.isfinite(alphas).all():
            raise ValueError(f"alpha must be 0 or more; got {self.alpha!r}.")
        solver = self._solver(problem)
        solutions = [solver.solve(problem, float(alpha)) for alpha in alphas.ravel()]
        solution = solutions[0] if len(solutions) == 1 else _by_target(solutions)
        self.solver_, self.n_iter_ = solver.name, solution.n_iter
        keep_direct(self, problem, solution, dtype)
        if targets == 1:
            self.coef_ = self.coef_.ravel()  # of a target that came as a matrix too, as in scikit-learn
        return self

    def _solver(self, problem: LeastSquares) -> DirectSolver:
        if self.positive:
            if self.solver not in ("auto", "lbfgs"):
                raise ValueError(f"solver={self.solver!r} does not support positive=True; wanted 'auto' or 'lbfgs'.")
            return NonNegative()
        if self.solver == "lbfgs":
            raise ValueError("solver='lbfgs' is for positive=True only; wanted another, or 'auto'.")
        name = _SAME.get(self.solver, self.solver)
        if name == "auto":
            name = "cholesky" if problem.is_tall else "lsqr" if problem.is_sparse else "dual"
        if not problem.in_memory and name != "cholesky":
            raise ValueError(f"solver={self.solver!r} needs the rows in memory; sources and Dask want 'cholesky'.")
        return direct_solver(problem, name, self.tol, self.max_iter)


def _by_target(solutions: list[DirectSolution]) -> DirectSolution:
    """Of the solutions for a strength each, the weights of the target that it belongs to."""
    coef = np.column_stack([solution.coef[:, j] for j, solution in enumerate(solutions)])
    n_iter = max(solution.n_iter for solution in solutions)
    return DirectSolution(coef, n_iter=n_iter, converged=all(solution.converged for solution in solutions))
