"""The primal problem of a linear machine with a squared loss: its sums over the rows, and Newton's method."""

from collections.abc import Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import core
from lanatus._core import linear as kernels
from lanatus.base import aligned, n_threads
from lanatus.kernel.linear_svm._prices import Prices
from lanatus.optimize.solvers.smooth import (
    Point,
    SmoothObjective,
    Solve,
    Step,
    coordinate_newton,
    hessian_solver,
    lbfgs,
    newton,
    newton_cg,
    newton_from_sample,
)
from lanatus.scale import Block, Engine, InMemory, Sums

EXACT_COLUMNS = 1000  # columns up to which the whole Hessian is worth having
_FEW = 300  # up to which it is found from some of the rows first


class PricedRows:
    """Rows with targets and prices, ready for a kernel; the loss is squared_hinge or squared_epsilon_insensitive."""

    def __init__(self, X: Any, y: np.ndarray, price: np.ndarray, loss: str, epsilon: float) -> None:
        self.X, self.y, self.price, self.loss, self.epsilon = X, y, price, loss, epsilon

    @cached_property
    def _ready(self) -> Any:
        """X as the kernels take it, compressed rows checked once for all passes."""
        return core.csr(self.X) if sp.issparse(self.X) else self.X

    @property
    def _threads(self) -> int:
        work = self.X.nnz if sp.issparse(self.X) else self.X.size
        return min(n_threads(), 1 + work // 100_000)  # waking a thread costs more than a small pass

    def tally(self, theta: np.ndarray, want: str) -> Sums:
        """Loss, gradient and what else is wanted at theta (d + 1)."""
        loss, gradient, hessian, curvature = kernels.loss_pass(
            self._ready, self.y, self.price, aligned(theta), want,
            n_threads=self._threads, loss=self.loss, epsilon=self.epsilon,
        )  # fmt: skip
        found = {"hessian": {"hessian": hessian}, "curvature": {"curvature": curvature}, "gradient": {}}[want]
        return Sums(loss=loss, gradient=gradient, **found)

    def product(self, curvature: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """The Hessian, where the rows have these curvatures, times a direction."""
        return np.asarray(kernels.logistic_product(self._ready, curvature, aligned(direction), n_threads=self._threads))

    def moments(self, curvature: np.ndarray) -> np.ndarray:
        """Sums of the columns and of their squares (d + 1, 2), rows with these weights."""
        return np.asarray(kernels.logistic_moments(self._ready, curvature, n_threads=self._threads))

    def gram(self, curvature: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The Hessian over some columns and the constant."""
        X = self.X[:, columns]
        part = PricedRows(X.tocsr() if sp.issparse(X) else aligned(X), self.y, 0.5 * curvature, "squared_hinge", 0.0)
        return np.asarray(part.tally(np.zeros(len(columns) + 1), "hessian").hessian)

    def every(self, step: int) -> "PricedRows":
        """Each `step`-th row."""
        X = self.X[::step]
        return PricedRows(
            X if sp.issparse(X) else np.ascontiguousarray(X),
            np.ascontiguousarray(self.y[::step]),
            np.ascontiguousarray(self.price[::step]),
            self.loss,
            self.epsilon,
        )


class PrimalObjective(SmoothObjective):
    r"""The squared loss at its price and :math:`\frac12 (\lVert w \rVert^2 + b^2 / s^2)`, s scaling the intercept.

    With a `ridge` of 0 the second part is left out, for a penalty of absolute values.
    """

    def __init__(self, tally: Any, mass: float, scaling: float, *, ridge: float = 1.0) -> None:
        self._tally = tally
        self.mass = max(mass, np.finfo(float).tiny)
        self.scaling = scaling
        self.fit_intercept = scaling > 0
        self.ridge = ridge
        self.rows: PricedRows | None = None

    @classmethod
    def of_rows(cls, rows: PricedRows, scaling: float, *, ridge: float = 1.0) -> "PrimalObjective":
        """In memory, where products with the Hessian can be had too."""
        made = cls(rows.tally, float(rows.price.sum()), scaling, ridge=ridge)
        made.rows = rows
        return made

    @property
    def in_memory(self) -> bool:  # type: ignore[override]
        """Whether the rows are at hand."""
        return self.rows is not None

    def _ridges(self, size: int) -> np.ndarray:
        ridges = np.full(size, self.ridge)
        ridges[-1] = self.ridge / self.scaling**2 if self.fit_intercept else 0.0
        return ridges

    def at(self, theta: np.ndarray, want: str = "gradient") -> Point:
        """Value, gradient and what else is wanted at theta."""
        sums = self._tally(theta, want)
        ridges = self._ridges(len(theta))
        value = float(sums.loss) + 0.5 * float((ridges * theta**2).sum())
        gradient = sums.gradient + ridges * theta
        if not self.fit_intercept:
            gradient[-1] = 0
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            raise ValueError("the sums overflow: X has values too large for its coefficients; scale it first.")
        second = {name: getattr(sums, name) for name in ("hessian", "curvature") if name in vars(sums)}
        if want == "hessian":
            second["hessian"] = self._completed(second["hessian"])
        return Point(value, gradient, **second)

    def _completed(self, hessian: np.ndarray) -> np.ndarray:
        hessian = hessian + np.diag(self._ridges(len(hessian)))
        if not self.fit_intercept:
            hessian[-1] = hessian[:, -1] = 0
            hessian[-1, -1] = self.mass
        return hessian

    def product(self, curvature: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """The Hessian times a direction."""
        out = self._rows().product(curvature, direction) + self._ridges(len(direction)) * direction
        if not self.fit_intercept:
            out[-1] = 0
        return out

    def preconditioners(self, curvature: np.ndarray) -> Iterator[Solve]:
        """Rough inverses of the Hessian: its diagonal, and if there are not too many columns all of it."""
        rows = self._rows()
        diagonal = rows.moments(curvature)[:, 1] + self._ridges(rows.X.shape[1] + 1)
        yield partial(_divide, np.where(diagonal > 0, diagonal, 1.0))
        if rows.X.shape[1] <= EXACT_COLUMNS:
            yield hessian_solver(self._completed(rows.gram(curvature, np.arange(rows.X.shape[1]))))

    def first_guess(self, theta: np.ndarray) -> Solve:
        """A rough inverse of the Hessian that holds for all coefficients."""
        return partial(_divide, np.full(len(theta), 1 + 2 * self.mass))

    def thinned(self, most: int, rows_a_column: int = 64) -> "PrimalObjective | None":
        """The objective of every k-th row, if that leaves enough of them, of fair weight and on both sides."""
        rows = self._rows()
        n, d = rows.X.shape
        step = min(most, n // max(8192, rows_a_column * (d + 1)))
        if step < 2:
            return None
        part = PrimalObjective.of_rows(rows.every(step), self.scaling)
        part.ridge = self.ridge * part.mass / self.mass
        return part if part.mass >= 0.5 * self.mass / step else None

    def class_hessian(self, point: Point, columns: np.ndarray, k: int) -> np.ndarray:
        """Over some columns and the intercept."""
        if self.rows is None:
            chosen = np.append(columns, len(point.gradient) - 1)
            return np.asarray(point.hessian[np.ix_(chosen, chosen)])
        return self.rows.gram(point.curvature, columns)

    def _rows(self) -> PricedRows:
        if self.rows is None:
            raise ValueError("this solver needs the rows in memory.")
        return self.rows


def _divide(diagonal: np.ndarray, g: np.ndarray) -> np.ndarray:
    return np.asarray(g / diagonal)


def _tally_block(prices: Prices, loss: str, epsilon: float, theta: np.ndarray, want: str, block: Block) -> Sums:
    return PricedRows(block.X, *prices(block), loss, epsilon).tally(theta, want)


def _mass(prices: Prices, block: Block) -> float:
    return float(prices(block)[1].sum())


def open_objective(engine: Engine, prices: Prices, loss: str, epsilon: float, scaling: float) -> PrimalObjective:
    """The objective of one machine over all rows of an engine."""
    if isinstance(engine, InMemory):
        block = engine.block
        return PrimalObjective.of_rows(PricedRows(block.X, *prices(block), loss, epsilon), scaling)

    def tally(theta: np.ndarray, want: str) -> Sums:
        return engine.reduce(partial(_tally_block, prices, loss, epsilon, theta, want))

    return PrimalObjective(tally, engine.reduce(partial(_mass, prices)), scaling)


def newton_steps(objective: PrimalObjective, d: int, tol: float) -> Iterator[Step]:
    """Newton's method, of the kind that suits the number of columns and where the rows are."""
    start = np.zeros(d + 1)
    if objective.rows is None:
        return newton(objective, start, tol) if d <= EXACT_COLUMNS else lbfgs(objective, start, tol)
    if d <= (_FEW // 3 if sp.issparse(objective.rows.X) else _FEW):
        return newton_from_sample(objective, start, tol)
    return newton_cg(objective, start, tol)


def lasso_steps(rows: PricedRows, scaling: float, tol: float) -> Iterator[Step]:
    """Absolute values for a penalty, of the intercept too: a column of its own for it, and no free one."""
    d = rows.X.shape[1]
    X = _with_constant(rows.X, scaling) if scaling > 0 else rows.X
    wide = PricedRows(X, rows.y, rows.price, rows.loss, rows.epsilon)
    objective = PrimalObjective.of_rows(wide, 0.0, ridge=0.0)
    for step in coordinate_newton(objective, np.zeros(X.shape[1] + 1), tol, 1.0):
        b = scaling * step.theta[d] if scaling > 0 else 0.0
        yield Step(np.append(step.theta[:d], b), step.value, step.converged)


def _with_constant(X: Any, constant: float) -> Any:
    """X with a last column of constants."""
    extra = np.full((X.shape[0], 1), constant, dtype=X.dtype)
    if not sp.issparse(X):
        return np.ascontiguousarray(np.hstack([X, extra]))
    wide: Any = sp.hstack([X, extra], format="csr")
    wide.indices, wide.indptr = wide.indices.astype(np.int32), wide.indptr.astype(np.int32)
    return wide
