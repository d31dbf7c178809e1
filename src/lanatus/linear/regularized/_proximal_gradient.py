"""Proximal gradient descent as the book tells it."""

from typing import Any, Self

import numpy as np

from lanatus.base import fitting
from lanatus.callbacks import CallbackSupportMixin
from lanatus.catalog import savable
from lanatus.linear._linear_regressor import LinearRegressor
from lanatus.linear._rules import RULES
from lanatus.linear.regularized._fit import Reporter, keep_solution, open_risk
from lanatus.optimize import solvers
from lanatus.optimize.penalties import L1
from lanatus.params import Flag, Nothing, Real, rules_for


@savable
class ProximalGradient(CallbackSupportMixin, LinearRegressor):
    r"""The lasso by proximal gradient descent (PGD), step by step as in the book.

    Minimises :math:`\sum_i v_i(y_i - w^T x_i - b)^2 + \alpha\lVert w\rVert_1` (11.7): from :math:`w = 0`, a gradient
    step to :math:`z = w - \frac1L\nabla f(w)`, then the soft threshold of z at :math:`\alpha/L` (11.12)-(11.14). For
    learning; `Lasso` is faster.

    Book: section 11.4. Its (11.9) has squares by mistake: L bounds the gradient's change over the change of w, here
    :math:`L = 2\lambda_{\max}(X^TX)`.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, the book's lambda.
    accelerated : bool, default=False
        Whether to add momentum (FISTA, started anew where it points uphill).
    lipschitz : float or None, default=None
        L, the inverse of the step; None takes the largest eigenvalue. Too small a value diverges.
    fit_intercept : bool, default=False
        Whether there is a bias b; the book has none.
    loss_scale : {"sum", "mean"}, default="sum"
        "mean" has half the mean of squares in place of their sum, as `Lasso`.
    max_iter : int, default=1000
        Most steps.
    tol : float, default=1e-6
        Stop once L times the step is below this share of the first gradient.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,), weights
    intercept_ : float, bias
    lipschitz_ : float, L
    objective_path_ : ndarray of shape (n_iter_ + 1,), the objective at the start and after each step
    n_iter_ : int, steps used
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Cost: :math:`O(nd)` a step; memory :math:`O(n + d)` beside X. Callbacks see every step: `Recorder` keeps the
    weights.

    Examples
    --------
    >>> from lanatus.callbacks import Recorder
    >>> from lanatus.linear import ProximalGradient
    >>> steps = Recorder()
    >>> model = ProximalGradient(1).set_callbacks(steps).fit([[1, 0], [1, 1], [0, 1]], [2, 2, 0.5])
    >>> [step.coef_.round(4).tolist() for step in steps.models[:3]]
    [[1.1667, 0.6667], [1.3333, 0.5], [1.4444, 0.3889]]
    >>> model.objective_path_[:4].round(4).tolist()
    [8.25, 2.5833, 2.3056, 2.1821]

    References
    ----------
    Beck and Teboulle (2009), A fast iterative shrinkage-thresholding algorithm for linear inverse problems.
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        accelerated: bool = False,
        lipschitz: float | None = None,
        fit_intercept: bool = False,
        loss_scale: str = "sum",
        max_iter: int = 1000,
        tol: float = 1e-6,
    ) -> None:
        self.alpha = alpha
        self.accelerated = accelerated
        self.lipschitz = lipschitz
        self.fit_intercept = fit_intercept
        self.loss_scale = loss_scale
        self.max_iter = max_iter
        self.tol = tol

    _params = rules_for(__init__, RULES, accelerated=Flag(), lipschitz=Real(above=0) | Nothing())

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        risk = open_risk(self, X, y, sample_weight)
        penalty = L1(self.alpha)
        self.lipschitz_ = risk.smoothness() if self.lipschitz is None else float(self.lipschitz)
        reporter = Reporter(self, risk)
        objectives = [risk.value(*risk.start())]

        def watch(number: int, w: np.ndarray, b: float, objective: float) -> bool:
            objectives.append(risk.value(w, b) + penalty.value(w))
            return reporter(number, w, b, objectives[-1]) or not np.isfinite(objectives[-1])

        solver = solvers.ProximalGradientDescent(
            self.tol, self.max_iter, watch, accelerated=self.accelerated, lipschitz=self.lipschitz_
        )
        solution = solver.solve(risk, penalty)
        if not np.isfinite(solution.objective):
            raise ValueError("the steps diverge or overflow: raise lipschitz, or scale X and y.")
        reporter.finish(solution)
        self.objective_path_ = np.array(objectives)
        return keep_solution(self, risk, solution)
