"""Logistic regression with absolute values in its penalty: proximal Newton, by coordinate descent on a working set."""

from collections.abc import Iterator

import numpy as np

from lanatus._core import linear as kernels
from lanatus.linear._logistic_passes import Objective, Point
from lanatus.linear._logistic_solvers import Step


def coordinate(objective: Objective, theta: np.ndarray, tol: float, l1: float) -> Iterator[Step]:
    """Minimise the objective plus l1 times the absolute values of all but the intercepts.

    Each iteration replaces the loss by its second-order expansion, over the columns in use and those that break the
    optimality conditions most, minimises that by coordinate descent, and searches along the way there. With several
    classes the expansion is a bound that keeps classes apart (twice the diagonal blocks of the Hessian).
    """
    classes = 1 if theta.ndim == 1 else theta.shape[1]
    want = "curvature" if objective.rows is not None else "hessian"
    if want == "hessian" and (classes > 1 or len(theta) > 2001):
        raise ValueError("absolute values in the penalty need two classes and at most 2000 columns, or data in memory.")
    now = objective.at(theta, want)
    while True:
        step = np.zeros_like(theta)
        for k in range(classes):
            step.reshape(len(theta), -1)[:, k] = _class_step(objective, theta, now, k, l1)
        reached, after = _search(objective, theta, now, step, l1, want)
        if after is None:
            yield Step(theta, now.value, True)
            return
        theta, now = reached, after
        yield Step(theta, now.value, violation(theta, now.gradient, l1).max() <= tol * objective.mass)


def violation(theta: np.ndarray, gradient: np.ndarray, l1: float) -> np.ndarray:
    """How far minus the gradient is from the subdifferential of the penalty, coefficient by coefficient."""
    at_zero = np.maximum(np.abs(gradient) - l1, 0)
    out = np.where(theta == 0, at_zero, np.abs(gradient + l1 * np.sign(theta)))
    out[-1] = np.abs(gradient[-1])
    return out


def _class_step(objective: Objective, theta: np.ndarray, now: Point, k: int, l1: float) -> np.ndarray:
    """From the coefficients of one class to the minimum of its expansion."""
    w, g = theta.reshape(len(theta), -1)[:, k], now.gradient.reshape(len(theta), -1)[:, k]
    broken = violation(w, g, l1)[:-1]
    used = np.flatnonzero(w[:-1])
    # Room for as many new columns as are in use: the set grows by doubling.
    room = max(20, 2 * len(used))
    worst = np.argsort(-broken, kind="stable")[:room]
    columns = np.union1d(used, worst[broken[worst] > 0])
    hessian = _block(objective, now, k, columns)
    chosen = np.append(columns, len(w) - 1)
    target = _minimum(hessian, g[chosen], w[chosen], l1, objective.ridge, objective.fit_intercept)
    out = np.zeros_like(w)
    out[chosen] = target - w[chosen]
    return out


def _block(objective: Objective, now: Point, k: int, columns: np.ndarray) -> np.ndarray:
    """Hessian of the loss (with several classes, a bound of it) over some columns and the intercept, for class k."""
    if objective.rows is None:
        chosen = np.append(columns, len(now.gradient) - 1)
        whole = now.hessian[np.ix_(chosen, chosen)].copy()
        whole[np.arange(len(columns)), np.arange(len(columns))] -= objective.ridge
        return np.asarray(whole)
    rows = objective.rows
    if rows.binary:
        return rows.gram(now.curvature, columns)
    share = now.curvature[:, k]
    weight = share * (1 - share) * (1.0 if rows.weight is None else rows.weight)
    return 2 * rows.gram(weight, columns)


def _minimum(
    hessian: np.ndarray, gradient: np.ndarray, now: np.ndarray, l1: float, l2: float, fit_intercept: bool
) -> np.ndarray:
    """Coefficients that minimise the expansion plus penalties; the gradient includes that of the squares."""
    m = len(now) - 1
    H, g, w = hessian[:m, :m], gradient[:m] - l2 * now[:m], now[:m]
    side, corner = hessian[:m, m], hessian[m, m]
    if fit_intercept and corner > 0:  # the intercept follows from the rest
        H = H - np.outer(side, side) / corner
        g = g - side * (gradient[m] / corner)
    q = H @ w - g
    # A target whose square is large enough to make H and q those of a regression.
    size = float(np.abs(q).max(initial=0.0))
    length = float(q @ np.linalg.lstsq(H + 1e-10 * np.trace(H) / max(m, 1) * np.eye(m), q, rcond=None)[0]) if m else 0.0
    found = now.copy()
    if m:
        found[:m] = kernels.gram_path(
            np.ascontiguousarray(H),
            np.ascontiguousarray(q),
            max(length, size * 1e-300),
            l1=np.array([l1]),
            l2=np.array([l2]),
            start=np.ascontiguousarray(w),
            tol=1e-14 * max(length, 1e-300),
            max_iter=1000,
            positive=False,
            seed=0,
        )[0][0]
    if fit_intercept and corner > 0:
        found[m] = now[m] - (gradient[m] + side @ (found[:m] - w)) / corner
    return found


def _search(
    objective: Objective, theta: np.ndarray, now: Point, step: np.ndarray, l1: float, want: str
) -> tuple[np.ndarray, Point | None]:
    """Halve the step until the objective with its absolute values falls enough."""
    before = l1 * float(np.abs(theta[:-1]).sum())
    promise = float((now.gradient * step).sum()) + l1 * float(np.abs((theta + step)[:-1]).sum()) - before
    rounding = 16 * np.finfo(float).eps * (abs(now.value) + before)
    if -promise <= rounding:
        return theta, None
    size = 1.0
    for _ in range(30):
        reached = theta + size * step
        after = objective.at(reached, want)
        fallen = now.value + before - after.value - l1 * float(np.abs(reached[:-1]).sum())
        if fallen >= -1e-4 * size * promise - rounding:
            return reached, after
        size *= 0.5
    return theta, None
