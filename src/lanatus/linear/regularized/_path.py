"""Paths of the lasso and the elastic net: the weights as the penalty falls."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import core as core_kernels
from lanatus.base import Estimator, as_targets, n_threads
from lanatus.callbacks import tell
from lanatus.linear._targets import single_target
from lanatus.linear.regularized._fit import warn_gap
from lanatus.optimize.losses import Squared
from lanatus.optimize.penalties import L1L2, L21, Penalty
from lanatus.optimize.solvers import BlockCoordinateDescent, CoordinateDescent, PathSolver, Risk
from lanatus.params import check_integer


def enet_path(
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    alphas: Any = 100,
    precompute: Any = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Any = None,
    verbose: Any = False,
    fit_intercept: bool = False,
    sample_weight: Any = None,
    max_iter: int = 1000,
    tol: float = 1e-4,
    positive: bool = False,
    return_n_iter: bool = False,
) -> tuple[Any, ...]:
    r"""Elastic net solutions at falling penalties, each started from the one before.

    Minimises :math:`\frac{1}{2n}\lVert y - Xw\rVert^2 + \alpha\rho\lVert w\rVert_1 + \frac{\alpha(1-\rho)}{2}\lVert
    w\rVert^2` for each alpha, :math:`\rho` being `l1_ratio` (sections 11.4 and 11.7).

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The attributes. Arrays stored by columns are taken as they are.
    y : array of shape (n_samples,) or (n_samples, n_targets)
        The target, or several, which use the same columns: their penalty is that of `MultiTaskElasticNet`.
    l1_ratio : float, default=0.5
        Share of the L1 penalty, above 0 where `alphas` is a number of them.
    eps : float, default=1e-3
        Last penalty over the first.
    alphas : int or array, default=100
        The penalties, or how many to take between the least that makes all weights zero and `eps` times that.
    precompute : bool, "auto" or array of shape (n_features, n_features), default="auto"
        Whether to work on the products of the columns; "auto" and False leave the choice to the solver.
    Xy : array of shape (n_features,) or (n_features, n_targets), optional
        Taken for scikit-learn's sake; products are made from X.
    copy_X : bool, default=True
        Taken for scikit-learn's sake; X is never changed.
    coef_init : array of shape (n_features,) or (n_targets, n_features), optional
        Where the first solution starts.
    verbose : bool or int, default=False
        Above 0 it prints a line when the path is done.
    fit_intercept : bool, default=False
        Whether X and y are taken about their means.
    sample_weight : array of shape (n_samples,), optional
        Weights of the rows.
    max_iter : int, default=1000
        Most rounds for one penalty, for wide X for one working set.
    tol : float, default=1e-4
        Duality gap at which to stop, over the sum of squares of y.
    positive : bool, default=False
        Whether all weights must be 0 or more.
    return_n_iter : bool, default=False
        Whether to return the rounds too.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,), falling
    coefs : ndarray of shape (n_features, n_alphas), for several targets (n_targets, n_features, n_alphas)
    dual_gaps : ndarray of shape (n_alphas,)
    n_iters : list of int, only if asked for

    Examples
    --------
    >>> from lanatus.linear import lasso_path
    >>> alphas, coefs, _ = lasso_path([[1, 0], [1, 1], [0, 1]], [2, 2, 0.5], alphas=[0.5, 1 / 6], tol=1e-12)
    >>> coefs.round(4).tolist()
    [[1.25, 1.6667], [0.0, 0.1667]]
    """
    X = _matrix(X)
    y = as_targets(y, X)
    several = y.ndim == 2 and y.shape[1] > 1
    y = y if several else single_target(y, X)
    weight = Estimator()._weights(sample_weight, X)
    if not 0 <= l1_ratio <= 1:
        raise ValueError(f"l1_ratio must be from 0 to 1; got {l1_ratio!r}.")
    if not tol >= 0:
        raise ValueError(f"tol must be 0 or more; got {tol!r}.")
    if several and positive:
        raise ValueError("positive=True is not allowed for multi-output (y.ndim != 1).")
    shape = (X.shape[1], *y.shape[1:])
    if Xy is not None and np.shape(Xy) != shape:
        raise ValueError(f"Xy must have the shape {shape}, one number for a column and a target; got {np.shape(Xy)}.")
    max_iter = check_integer("max_iter", max_iter, 1)
    risk = Risk(Squared(), X, y, weight, None, fit_intercept)
    precompute = False if isinstance(precompute, str) else precompute
    solver: PathSolver = CoordinateDescent(tol, max_iter, precompute=precompute)
    penalty: Penalty = L1L2(1.0, l1_ratio, positive=positive)
    if several:
        solver, penalty = BlockCoordinateDescent(tol, max_iter), L21(1.0, l1_ratio)
    problem = solver.open(risk)
    grid = alpha_grid(alphas, eps, l1_ratio, problem.slope_at_zero(), penalty)
    start = None if coef_init is None else _start(coef_init, shape)
    path = solver.path(problem, penalty, grid, start)
    if not path.converged:
        warn_gap("The path", float(path.gap.max()), path.goal, max_iter)
    if verbose:
        tell(f"{len(grid)} penalties, from {grid[0]:.6g} to {grid[-1]:.6g}: {int(path.n_iter.sum())} rounds")
    coefs = path.coef.transpose(2, 1, 0).astype(X.dtype, copy=False)
    answer = grid, coefs if several else coefs[0], path.gap / risk.mass
    return (*answer, path.n_iter.tolist()) if return_n_iter else answer


def lasso_path(X: Any, y: Any, **params: Any) -> tuple[Any, ...]:
    """Lasso solutions at falling penalties: `enet_path` with ``l1_ratio=1``, all other parameters alike.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The attributes.
    y : array of shape (n_samples,)
        The target.
    **params
        See `enet_path`.

    Returns
    -------
    alphas, coefs, dual_gaps
        See `enet_path`.
    """
    return enet_path(X, y, l1_ratio=1.0, **params)


def alpha_grid(alphas: Any, eps: float, l1_ratio: float, slope: np.ndarray, penalty: Penalty) -> np.ndarray:
    """The given strengths, checked and falling, or a number of them from the least that makes all weights zero.

    `slope` is the derivative of the risk at zero weights, and `penalty` that of strength one.
    """
    if np.ndim(alphas):
        if np.asarray(alphas).dtype.kind not in "fiu":
            raise TypeError(f"alphas must be numbers; got {alphas!r}.")
        given = np.sort(np.asarray(alphas, dtype=np.float64))[::-1]
        if not given.size or not (np.isfinite(given) & (given >= 0)).all():
            raise ValueError(f"alphas must be finite numbers of 0 or more, at least one; got {alphas!r}.")
        return given
    if l1_ratio == 0:
        raise ValueError("l1_ratio=0 has no least penalty that makes all weights zero; give alphas yourself.")
    if not 0 < eps <= 1:
        raise ValueError(f"eps must be above 0 and at most 1; got {eps!r}.")
    number, top = check_integer("alphas", alphas, 1), penalty.largest_alpha(slope)
    if top <= np.finfo(np.float64).resolution:
        return np.full(number, np.finfo(np.float64).resolution)
    return np.geomspace(top, top * eps, number)


def _start(coef: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Weights (d, t) to begin with, which come as a row for each target."""
    start = np.asarray(coef, dtype=np.float64)
    if start.shape != shape[::-1] or not np.isfinite(start).all():
        raise ValueError(f"coef_init must be finite numbers of the shape {shape[::-1]}; got shape {start.shape}.")
    return start.reshape(-1, shape[0]).T.copy()


def _matrix(X: Any) -> Any:
    """X as floats, stored by rows or by columns as it came."""
    if sp.issparse(X):
        X = sp.csr_matrix(X, dtype=np.float32 if X.dtype == np.float32 else np.float64)
        X.sum_duplicates()
        values = X.data.reshape(1, -1)
    else:
        X = np.asarray(X)
        if X.ndim != 2 or 0 in X.shape:
            raise ValueError(f"X must be a matrix with rows and columns; got shape {X.shape}.")
        X = np.asarray(X, dtype=np.float32 if X.dtype == np.float32 else np.float64)
        if not (X.flags.c_contiguous or X.flags.f_contiguous):
            X = np.ascontiguousarray(X)
        values = X if X.flags.c_contiguous else X.T
    if not core_kernels.all_finite(values, allow_nan=False, n_threads=n_threads()):
        raise ValueError("Input X contains NaN or infinity.")
    return X
