"""Choosing the penalty of the lasso and the elastic net by cross-validation along their paths."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from lanatus.callbacks import tell
from lanatus.linear._targets import several_targets, single_target
from lanatus.linear.regularized._fit import open_risk, warn_gap
from lanatus.linear.regularized._path import alpha_grid
from lanatus.optimize.penalties import Penalty
from lanatus.optimize.solvers import Path, PathSolver, Risk
from lanatus.params import Array, Real

SHARES = Real(0, 1) | Array(ndim=1)  # of the L1 part: one, or some to choose from


def fit_path_cv(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    penalty: Callable[[float], Penalty],
    l1_ratio: Any,
    solver: PathSolver,
) -> Any:
    """Fit a model with the strength and the share of the least error on folds of the rows.

    `penalty` makes one of strength one of a share; `l1_ratio` are the shares to try.
    """
    shares = [float(share) for share in np.atleast_1d(l1_ratio)]
    if not shares or not all(0 <= share <= 1 for share in shares):
        raise ValueError(f"l1_ratio must be one or more numbers from 0 to 1; got {shares}.")
    single = model.__sklearn_tags__().target_tags.single_output
    risk = open_risk(model, X, y, sample_weight, targets=single_target if single else partial(several_targets, model))
    problem = solver.open(risk)
    slope = problem.slope_at_zero()
    units = [penalty(share) for share in shares]
    grids = [alpha_grid(model.alphas, model.eps, share, slope, unit) for share, unit in zip(shares, units, strict=True)]
    errors, heard = _fold_errors(model, risk, solver, list(zip(units, grids, strict=True)))
    mean = errors[:, :, heard].mean(axis=2)  # folds count the same, so that weights of 1 are none
    best_share, best = (int(i) for i in np.unravel_index(int(mean.argmin()), mean.shape))
    model.alpha_, model.l1_ratio_ = float(grids[best_share][best]), shares[best_share]
    model.alphas_ = grids[0] if len(shares) == 1 or np.ndim(model.alphas) else np.array(grids)
    model.mse_path_ = errors[0] if len(shares) == 1 else errors
    path = _checked(model, solver.path(problem, units[best_share], grids[best_share][: best + 1]))
    model.n_iter_, model.dual_gap_ = int(path.n_iter[-1]), float(path.gap[-1]) / path.normalizer
    model._set_linear(path.coef[-1], problem.means(path.coef[-1]), problem.y_mean, risk.X.dtype, single)
    return model


def _fold_errors(
    model: Any, risk: Risk, solver: PathSolver, tried: list[tuple[Penalty, np.ndarray]]
) -> tuple[np.ndarray, np.ndarray]:
    """Mean squared errors (shares, alphas, folds) on the rows left out, and which folds have weight."""
    folds = list(check_cv(model.cv).split(risk.X, risk.y))
    errors = np.empty((len(tried), len(tried[0][1]), len(folds)))
    for f, (train, test) in enumerate(folds):
        part, rest = solver.open(risk.take(train)), risk.take(test)
        for s, (unit, alphas) in enumerate(tried):
            coef = _checked(model, solver.path(part, unit, alphas)).coef
            x_mean = part.means(coef.transpose(1, 0, 2))
            errors[s, :, f] = _errors(coef, part.y_mean - np.einsum("d,kdt->kt", x_mean, coef), rest)
        if model.verbose:
            tell(f"{type(model).__name__}: fold {f + 1} of {len(folds)}, least error {errors[:, :, f].min():.6g}")
    return errors, np.array([risk.weight is None or risk.weight[test].sum() > 0 for _, test in folds])


def _checked(model: Any, path: Path) -> Path:
    if not path.converged:
        warn_gap(type(model).__name__, float(path.gap[-1]), path.goal, model.max_iter)
    return path


def _errors(coef: np.ndarray, bias: np.ndarray, rows: Risk) -> np.ndarray:
    """Mean squared error of each solution, weights (steps, d, t), on other rows."""
    steps, d, t = coef.shape
    eta = np.asarray(rows.X @ coef.transpose(1, 0, 2).reshape(d, steps * t)).reshape(rows.n, steps, t) + bias
    squares = ((eta - rows.targets[:, None, :]) ** 2).mean(axis=2)
    if not rows.mass > 0:
        return np.zeros(steps)  # a fold of no weight has no say
    return np.asarray(np.average(squares, axis=0, weights=rows.weight))
