"""Linear machines of few columns by an interior-point method on the dual: exact, whatever the scale of the columns."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.kernel.linear_svm._cutting_plane import losses
from lanatus.kernel.linear_svm._primal import PricedRows
from lanatus.optimize.solvers.smooth import Step, hessian_solver

FEW_COLUMNS = 100  # up to which it is worth its cube
_FINEST = 1e-10  # gap below which rounding is seen
_FAIR = 1e-6  # gap that will do where rounding allows no less
_STALE = 5  # steps without a smaller gap
_SHORT = 0.995  # share of the way to the wall


class _Dual:
    r"""Minimise :math:`\frac12 \lVert A^\top \beta \rVert^2 + c^\top \beta` for :math:`0 \le \beta \le u`.

    Rows of A are those of X times a sign, for a tube all of them twice, with one sign and with the other.
    """

    def __init__(self, X: Any, y: np.ndarray, price: np.ndarray, loss: str, epsilon: float, scaling: float) -> None:
        self.X, self.scaling, self.n = X, scaling, len(y)
        if loss == "hinge":
            self.signs, self.c, self.u = [2 * y - 1], -np.ones(len(y)), price
        else:
            self.signs = [np.ones(len(y)), -np.ones(len(y))]
            self.c, self.u = np.concatenate([epsilon - y, epsilon + y]), np.concatenate([price, price])
        self.rows = PricedRows(X, y, price, "squared_hinge", 0.0)
        self.columns = np.arange(X.shape[1])
        self.units = np.append(np.ones(X.shape[1]), scaling)

    def transposed(self, beta: np.ndarray) -> np.ndarray:
        """A' beta (d + 1)."""
        each = sum(sign * part for sign, part in zip(self.signs, beta.reshape(len(self.signs), -1), strict=True))
        return np.append(np.asarray(self.X.T @ each), self.scaling * np.sum(each))

    def times(self, w: np.ndarray) -> np.ndarray:
        """A w, of all rows."""
        scores = np.asarray(self.X @ w[:-1]) + self.scaling * w[-1]
        return np.concatenate([sign * scores for sign in self.signs])

    def solver(self, diagonal: np.ndarray) -> Any:
        """Solves with diag(diagonal) + AA', by the small matrix I + A' diag(1 / diagonal) A."""
        inverse = 1 / diagonal
        gram = self.rows.gram(inverse.reshape(len(self.signs), -1).sum(axis=0), self.columns)
        small = hessian_solver(gram * np.outer(self.units, self.units) + np.eye(len(self.units)))
        return lambda r: inverse * (r - self.times(small(self.transposed(inverse * r))))


def interior_point(
    X: Any, y: np.ndarray, price: np.ndarray, loss: str, epsilon: float, *, scaling: float, tol: float
) -> Iterator[Step]:
    """Predictor and corrector steps (Mehrotra) until the gap of both problems is a share 1e-4 tol; classes 0 and 1."""
    used = np.flatnonzero(price > 0)
    if len(used) < len(price):
        X, y, price = X[used], y[used], price[used]
        X = X if sp.issparse(X) else np.ascontiguousarray(X)
    goal = max(1e-4 * tol, _FINEST)
    dual = _Dual(X, y, price, loss, epsilon, scaling)
    u = dual.u
    gaps: list[float] = []
    beta, best, lowest = 0.5 * u, np.zeros(X.shape[1] + 1), np.inf
    w = dual.transposed(beta)
    slope = dual.times(w) + dual.c
    floor = max(float(np.abs(slope).mean()), 1.0)
    z, v = np.maximum(slope, 0) + floor, np.maximum(-slope, 0) + floor
    while True:
        theta = np.append(w[:-1], scaling * w[-1])
        primal = _primal(X, y, price, loss, epsilon, theta, w)
        if primal < lowest:
            best, lowest = theta, primal
        bound = -0.5 * float(w @ w) - float(dual.c @ beta)
        gaps.append(lowest - bound)
        if gaps[-1] <= goal * lowest:
            yield Step(best, lowest, True)
            return
        if len(gaps) > _STALE and min(gaps[-_STALE:]) > 0.9 * min(gaps[:-_STALE]):  # no digits are left
            yield Step(best, lowest, min(gaps) <= _FAIR * lowest)
            return
        yield Step(best, lowest, False)
        room, beta = np.maximum(u - beta, 1e-16 * u), np.maximum(beta, 1e-30 * u)
        solve = dual.solver(z / beta + v / room)
        off = dual.times(w) + dual.c - z + v
        mu = float(z @ beta + v @ room) / (2 * len(u))
        step, z_step, v_step = _direction(solve, off, beta, room, z, v, 0.0, 0.0, 0.0)
        ways = _longest(beta, step, z, z_step), _longest(room, -step, v, v_step)
        near = min(1.0, *ways)
        ahead = float((z + near * z_step) @ (beta + near * step) + (v + near * v_step) @ (room - near * step))
        target = mu * (ahead / (2 * len(u) * mu)) ** 3 if mu > 0 else 0.0
        step, z_step, v_step = _direction(solve, off, beta, room, z, v, target, step * z_step, -step * v_step)
        way = min(1.0, _SHORT * _longest(beta, step, z, z_step), _SHORT * _longest(room, -step, v, v_step))
        if not np.isfinite(way):
            return
        beta, z, v = beta + way * step, z + way * z_step, v + way * v_step
        w = dual.transposed(beta)


def _direction(
    solve: Any, off: np.ndarray, beta: np.ndarray, room: np.ndarray, z: np.ndarray, v: np.ndarray,
    target: float, low_second: Any, high_second: Any,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """A Newton step towards products z beta = v room = target, less terms of second order."""
    low, high = (target - low_second) / beta - z, (target - high_second) / room - v
    step = solve(low - high - off)
    return step, low - z / beta * step, high + v / room * step


def _longest(a: np.ndarray, a_step: np.ndarray, b: np.ndarray, b_step: np.ndarray) -> float:
    """How far both may go until a number is zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ways = [np.where(step < 0, -x / step, np.inf).min() for x, step in ((a, a_step), (b, b_step))]
    return float(min(ways))


def _primal(
    X: Any, y: np.ndarray, price: np.ndarray, loss: str, epsilon: float, theta: np.ndarray, w: np.ndarray
) -> float:
    values, _ = losses(loss, epsilon, y, (np.asarray(X @ theta[:-1]) + theta[-1])[:, None])
    return float(price @ values[:, 0]) + 0.5 * float(w @ w)
