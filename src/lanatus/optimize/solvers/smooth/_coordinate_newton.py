"""Proximal Newton for absolute values in the penalty, by coordinate descent on a working set."""

from collections.abc import Iterator

import numpy as np

from lanatus._core import linear as kernels
from lanatus.optimize.penalties import L1
from lanatus.optimize.solvers.smooth._hessian import hessian_solver
from lanatus.optimize.solvers.smooth._objective import Point, SmoothObjective, Step

_JOINT = 1000  # coefficients of all classes whose Hessian is worth having whole


def coordinate_newton(objective: SmoothObjective, theta: np.ndarray, tol: float, l1: float) -> Iterator[Step]:
    """Minimise the objective plus l1 times the absolute values of all but the intercepts.

    Each iteration replaces the loss by its second-order expansion, over the columns in use and those that break the
    optimality conditions most, minimises that by coordinate descent, and searches along the way there. With several
    classes and many columns in use the expansion is a bound that keeps classes apart (twice the diagonal blocks of the
    Hessian).
    """
    classes = 1 if theta.ndim == 1 else theta.shape[1]
    want = "curvature" if objective.in_memory else "hessian"
    if want == "hessian" and (classes > 1 or len(theta) > 2001):
        raise ValueError("absolute values in the penalty need two classes and at most 2000 columns, or data in memory.")
    now = objective.at(theta, want)
    while True:
        columns = _joint_columns(theta, now, l1) if classes > 1 else None
        if columns is not None:
            step = _joint_step(objective, theta, now, columns, l1)
        else:
            step = np.zeros_like(theta)
            for k in range(classes):
                step.reshape(len(theta), -1)[:, k] = _class_step(objective, theta, now, k, l1)
        reached, after = _search(objective, theta, now, step, l1, want)
        if after is None:
            yield Step(theta, now.value, True)
            return
        gained = _cost(theta, now, l1) - _cost(reached, after, l1)
        theta, now = reached, after
        flat = violation(theta, now.gradient, l1).max() <= tol * objective.mass
        yield Step(theta, now.value, bool(flat and gained <= 0.01 * tol * _cost(theta, now, l1)))


def violation(theta: np.ndarray, gradient: np.ndarray, l1: float) -> np.ndarray:
    """How far minus the gradient is from the subdifferential of the penalty, coefficient by coefficient."""
    out = L1(l1).violation(theta, gradient)
    out[-1] = np.abs(gradient[-1])
    return out


def _class_step(objective: SmoothObjective, theta: np.ndarray, now: Point, k: int, l1: float) -> np.ndarray:
    """From the coefficients of one class to the minimum of its expansion."""
    w, g = theta.reshape(len(theta), -1)[:, k], now.gradient.reshape(len(theta), -1)[:, k]
    broken = violation(w, g, l1)[:-1]
    used = np.flatnonzero(w[:-1])
    # Room for as many new columns as are in use: the set grows by doubling.
    room = max(20, 2 * len(used))
    worst = np.argsort(-broken, kind="stable")[:room]
    columns = np.union1d(used, worst[broken[worst] > 0])
    hessian = objective.class_hessian(now, columns, k)
    chosen = np.append(columns, len(w) - 1)
    target = _minimum(hessian, g[chosen], w[chosen], l1, objective.ridge, objective.fit_intercept)
    out = np.zeros_like(w)
    out[chosen] = target - w[chosen]
    return out


def _cost(theta: np.ndarray, point: Point, l1: float) -> float:
    """The objective with its absolute values."""
    return point.value + l1 * float(np.abs(theta[:-1]).sum())


def _joint_columns(theta: np.ndarray, now: Point, l1: float) -> np.ndarray | None:
    """Columns in use by any class, and as many as fit of those that break the conditions most; None if too many."""
    room = _JOINT // theta.shape[1] - 1
    used = np.flatnonzero(theta[:-1].any(axis=1))
    if len(used) > room // 2 and len(theta) - 1 > room:
        return None
    broken = violation(theta, now.gradient, l1)[:-1].max(axis=1)
    broken[used] = 0
    worst = np.argsort(-broken, kind="stable")[: room - len(used)]
    return np.union1d(used, worst[broken[worst] > 0])


def _joint_step(
    objective: SmoothObjective, theta: np.ndarray, now: Point, columns: np.ndarray, l1: float
) -> np.ndarray:
    """From the coefficients of all classes to the minimum of their expansion."""
    classes = theta.shape[1]
    hessian = objective.joint_hessian(now, columns)
    # What is added to all intercepts alike changes nothing: a slope of its own there, which no gradient meets.
    hessian[-classes:, -classes:] += np.trace(hessian[-classes:, -classes:]) / classes**2
    rows = np.append(columns, len(theta) - 1)
    w, g = theta[rows].ravel(), now.gradient[rows].ravel()
    used = np.flatnonzero((w != 0) | (violation(theta, now.gradient, l1)[rows].ravel() > 0))
    used = np.union1d(used, np.arange(len(w) - classes, len(w)))
    target = _minimum(
        hessian[np.ix_(used, used)], g[used], w[used], l1, objective.ridge, objective.fit_intercept, classes
    )
    change = np.zeros_like(w)
    change[used] = target - w[used]
    out = np.zeros_like(theta)
    out[rows] = change.reshape(-1, classes)
    return out


def _minimum(
    hessian: np.ndarray,
    gradient: np.ndarray,
    now: np.ndarray,
    l1: float,
    l2: float,
    fit_intercept: bool,
    intercepts: int = 1,
) -> np.ndarray:
    """Coefficients that minimise the expansion plus penalties; the gradient includes that of the squares."""
    m = len(now) - intercepts
    H, g, w = hessian[:m, :m], gradient[:m] - l2 * now[:m], now[:m]
    side, corner = hessian[:m, m:], hessian[m:, m:]
    free = fit_intercept and np.diag(corner).min() > 0
    if free:  # the intercepts follow from the rest
        solve = hessian_solver(corner)
        H = H - np.einsum("ia,aj->ij", side, solve(side.T))
        g = g - (side * solve(gradient[m:])).sum(axis=1)
    q = (H * w).sum(axis=1) - g  # not products by BLAS, whose sums depend on its threads
    minimum = now.copy()
    if m:
        # A target whose square is large enough to make H and q those of a regression: a power of two, free of rounding.
        least = float((q * hessian_solver(H + 1e-10 * np.trace(H) / m * np.eye(m))(q)).sum())
        length = float(np.exp2(np.ceil(np.log2(max(least, 1e-300)))))
        minimum[:m] = kernels.gram_path(
            np.ascontiguousarray(H),
            np.ascontiguousarray(q),
            length,
            l1=np.array([l1]),
            l2=np.array([l2]),
            start=np.ascontiguousarray(w),
            tol=1e-14 * length,
            max_iter=1000,
            positive=False,
            seed=0,
        )[0][0]
    if free:
        minimum[m:] = now[m:] - solve(gradient[m:] + (side.T * (minimum[:m] - w)).sum(axis=1))
    return minimum


def _search(
    objective: SmoothObjective, theta: np.ndarray, now: Point, step: np.ndarray, l1: float, want: str
) -> tuple[np.ndarray, Point | None]:
    """Halve the step until the objective with its absolute values falls enough."""
    before = _cost(theta, now, l1)
    promise = float((now.gradient * step).sum()) + l1 * float((np.abs(theta + step) - np.abs(theta))[:-1].sum())
    rounding = 16 * np.finfo(float).eps * abs(before)
    if -promise <= rounding:
        return theta, None
    size = 1.0
    for _ in range(30):
        reached = theta + size * step
        after = objective.at(reached, want)
        if before - _cost(reached, after, l1) >= -1e-4 * size * promise - rounding:
            return reached, after
        size *= 0.5
    return theta, None
