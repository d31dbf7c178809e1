"""The steps of every fit with a penalty: the rows as a risk, a solver, the model that its solution is."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from lanatus.base import check_positive_weight, warn_unconverged
from lanatus.callbacks import Progress
from lanatus.linear._targets import single_target
from lanatus.optimize.losses import Squared
from lanatus.optimize.penalties import Penalty
from lanatus.optimize.solvers import Risk, Solution, Solver

TOO_LARGE = "the objective overflows: X or y has values too large; scale them first."


def open_risk(
    model: Any, X: Any, y: Any, sample_weight: Any, *, targets: Callable[[Any, Any], np.ndarray] = single_target
) -> Risk:
    """The squared error of a linear model on rows as they came: half its mean, or the sum with ``loss_scale="sum"``."""
    X = model._take(X, reset=True)
    weight = model._weights(sample_weight, X)
    y = targets(y, X)
    check_positive_weight(weight)
    sums = getattr(model, "loss_scale", "mean") == "sum"  # of squares, of which the loss has a half
    return Risk(Squared(), X, y, weight, 0.5 if sums else None, model.fit_intercept)


def keep_solution(model: Any, risk: Risk, solution: Solution) -> Any:
    """Make a solution the model, which it returns; warn where the rounds ran out."""
    single = risk.y.ndim == 1
    model._set_linear(solution.coef, solution.centre, solution.bias, risk.X.dtype, single)
    model.n_iter_ = solution.n_iter.item() if single else solution.n_iter.tolist()
    if solution.gap is not None and solution.goal is not None:
        model.dual_gap_ = solution.gap.item() if single or not solution.gap.ndim else solution.gap
        if not solution.converged:
            warn_gap(type(model).__name__, float(solution.gap.max()), float(solution.goal.max()), model.max_iter)
        return model
    if not np.isfinite(solution.objective):
        raise ValueError(TOO_LARGE)
    model.objective_ = solution.objective
    if not solution.converged:
        warn_unconverged(model)
    return model


def fit_penalized(model: Any, risk: Risk, penalty: Penalty, solver: Solver) -> Any:
    """Solve, from the weights of the last fit where ``warm_start`` asks for it, and keep the solution."""
    return keep_solution(model, risk, solver.solve(risk, penalty, start=_warm_weights(model, risk)))


def flat_if_single(model: Any) -> Any:
    """The model; of one target, though it came as a matrix, the weights are a vector, as in scikit-learn."""
    if model.coef_.ndim == 2 and len(model.coef_) == 1:
        model.coef_, model.n_iter_, model.dual_gap_ = model.coef_.ravel(), model.n_iter_[0], model.dual_gap_.item()
    return model


def _warm_weights(model: Any, risk: Risk) -> np.ndarray | None:
    """Weights (d, t) of the last fit, where they are wanted and have the shape of this one."""
    if not (getattr(model, "warm_start", False) and hasattr(model, "coef_")):
        return None
    weights = np.atleast_2d(model.coef_).T
    return weights.astype(np.float64) if weights.shape == (risk.d, risk.targets.shape[1]) else None


def sparse_weights(model: Any) -> sp.csr_matrix:
    """The weights as a sparse matrix of one row a target."""
    return sp.csr_matrix(np.atleast_2d(model.coef_))


def column_seed(model: Any) -> int:
    """What draws the order of the columns for ``selection="random"``; 0 keeps their own."""
    if model.selection != "random":
        return 0
    return int(check_random_state(model.random_state).randint(1, 2**31))


class Reporter:
    """Tells the callbacks of a model of each round of a solver, as its ``watch``."""

    def __init__(self, model: Any, risk: Risk) -> None:
        self.centre = risk.centre
        self.progress = Progress(model, risk.X, risk.weight, max_iter=model.max_iter)
        self.rounds = self.progress.iterations()
        self.round = next(self.rounds)

    def __call__(self, number: int, w: np.ndarray, b: float, objective: float) -> bool:
        """Report weights and bias; whether a callback asks to stop."""
        model = {"coef_": w, "intercept_": b - self.centre @ w, "n_iter_": number}
        self.round.done(state=lambda: {"w": w, "b": b}, attributes=lambda: model)
        stop = bool(self.round.stop)
        self.round = next(self.rounds, self.round)
        return stop

    def finish(self, solution: Solution) -> None:
        """Report the end."""
        intercept = solution.b - self.centre @ solution.w
        self.progress.finish({"coef_": solution.w, "intercept_": intercept})


def warn_gap(name: str, gap: float, wanted: float, max_iter: int) -> None:
    """Tell once that the rounds ran out."""
    warnings.warn(
        f"{name} did not converge in {max_iter} rounds: duality gap {gap:.3g}, wanted {wanted:.3g}. "
        "Raise max_iter, tol or alpha, or scale the data.",
        ConvergenceWarning,
        stacklevel=4,
    )


def warn_unpenalized(model: Any) -> None:
    """Tell that a penalty of strength zero is none, for which there is a better solver."""
    if model.alpha == 0:
        warnings.warn(
            f"{type(model).__name__} with alpha=0 is least squares, for which coordinate descent is slow; "
            "LinearRegression solves it directly.",
            UserWarning,
            stacklevel=3,
        )
