"""Solvers of min over w, b of scale * sum_i v_i loss(y_i, w'x_i + b) + penalty(w), for any loss and penalty.

A solver names the methods that it needs of the loss and of the penalty and refuses, by name, one that lacks them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from lanatus.linear._coordinate_descent import squared_problems
from lanatus.linear._losses import Loss
from lanatus.linear._penalties import Penalty

Watch = Callable[[int, np.ndarray, float, float], bool]  # (round, w, b, objective) -> whether to stop


@dataclass
class Answer:
    """Weights, bias and how they were found."""

    w: np.ndarray
    b: float
    objective: float
    n_iter: int
    converged: bool


class Risk:
    """The smooth part of the objective. The bias is kept for columns about their means, which eases the steps."""

    def __init__(
        self, loss: Loss, X: Any, y: np.ndarray, weight: np.ndarray | None, scale: float, fit_intercept: bool
    ) -> None:
        self.loss, self.X, self.y, self.weight = loss, X, y, weight
        self.scale, self.fit_intercept = scale, fit_intercept
        self.n, self.d = X.shape
        self.rows = np.ones(self.n) if weight is None else weight
        self.mass = float(self.rows.sum())
        self.centre = np.asarray(self.rows @ X).ravel() / self.mass if fit_intercept else np.zeros(self.d)

    def start(self) -> tuple[np.ndarray, float]:
        """Zero weights and the bias of a model that knows no columns."""
        return np.zeros(self.d), self.loss.start(float(self.rows @ self.y) / self.mass) if self.fit_intercept else 0.0

    def eta(self, w: np.ndarray, b: float) -> np.ndarray:
        """w'(x - centre) + b of each row."""
        return np.asarray(self.X @ w - self.centre @ w + b)

    def value(self, w: np.ndarray, b: float) -> float:
        """The weighted sum of the losses, scaled."""
        return self.scale * self.loss.value(self.y, self.eta(w, b), self.weight)

    def gradient(self, w: np.ndarray, b: float) -> tuple[np.ndarray, float]:
        """Derivatives in w and b."""
        slope = self.scale * self.rows * self.loss.gradient(self.y, self.eta(w, b))
        total = float(slope.sum())
        return np.asarray(self.X.T @ slope).ravel() - self.centre * total, total if self.fit_intercept else 0.0

    def smoothness(self) -> float:
        """Lipschitz constant of the gradient (a bound within a few per cent), infinite where the loss has none."""
        return (
            self.scale * self.loss.smoothness * largest_eigenvalue(self.X, self.rows, self.centre, self.fit_intercept)
        )


def largest_eigenvalue(X: Any, rows: np.ndarray, centre: np.ndarray, with_bias: bool) -> float:
    """Of the weighted products of columns about `centre` and a column of ones; a little above it where d is large."""
    mass = float(rows.sum())
    d = X.shape[1]
    if d <= 300:
        heavy = X.multiply(rows[:, None]).tocsr() if sp.issparse(X) else X * rows[:, None]
        products = X.T @ heavy
        products = products.toarray() if sp.issparse(products) else np.asarray(products)
        top = float(np.linalg.eigvalsh(products - mass * np.outer(centre, centre))[-1])
    else:
        v = np.random.RandomState(0).normal(size=d)
        top = 0.0
        for _ in range(50):
            v /= np.linalg.norm(v)
            image = rows * (X @ v - centre @ v)
            v = X.T @ image - centre * image.sum()
            top = 1.05 * float(np.linalg.norm(v))
            if top == 0:
                break
    return max(top, mass if with_bias else 0.0)


class Solver:
    """Base of the solvers."""

    name: ClassVar[str]
    loss_needs: ClassVar[tuple[str, ...]] = ("value", "gradient")
    penalty_needs: ClassVar[tuple[str, ...]] = ("value",)

    def __init__(self, tol: float, max_iter: int, watch: Watch | None = None) -> None:
        self.tol, self.max_iter = tol, max_iter
        self.watch = watch or (lambda *_: False)

    @classmethod
    def missing(cls, loss: Loss, penalty: Penalty) -> str:
        """What the loss or the penalty lacks, in words; empty if nothing."""
        for thing, needs in ((loss, cls.loss_needs), (penalty, cls.penalty_needs)):
            for need in needs:
                if not hasattr(thing, need):
                    return f"solver={cls.name!r} needs {need!r}, which {type(thing).__name__} does not have"
        return ""

    def solve(self, risk: Risk, penalty: Penalty) -> Answer:
        """Minimise."""
        if lack := self.missing(risk.loss, penalty):
            raise ValueError(f"{lack}; take another solver, or solver='auto'.")
        return self._solve(risk, penalty)

    def _solve(self, risk: Risk, penalty: Penalty) -> Answer:
        raise NotImplementedError


class ProximalGradient(Solver):
    """Proximal gradient descent, (11.10)-(11.14), plain or accelerated (FISTA with restarts).

    Stops once the step, times its Lipschitz constant, is at most `tol` times the gradient at the start.
    """

    name = "proximal"
    penalty_needs = ("value", "prox")

    def __init__(
        self,
        tol: float,
        max_iter: int,
        watch: Watch | None = None,
        *,
        accelerated: bool = True,
        lipschitz: float | None = None,
    ) -> None:
        super().__init__(tol, max_iter, watch)
        self.accelerated, self.lipschitz = accelerated, lipschitz

    def _solve(self, risk: Risk, penalty: Penalty) -> Answer:
        w, b = risk.start()
        bound = risk.smoothness() if self.lipschitz is None else self.lipschitz
        searches = not np.isfinite(bound)
        L = 1e-3 * risk.scale * risk.mass if searches else max(bound, np.finfo(np.float64).tiny)
        unit = _largest(*risk.gradient(w, b))
        look_w, look_b, momentum = w, b, 1.0
        for number in range(1, self.max_iter + 1):
            slope_w, slope_b = risk.gradient(look_w, look_b)
            if searches:
                L = _backtrack(risk, penalty, look_w, look_b, slope_w, slope_b, L)
            new_w, new_b = penalty.prox(look_w - slope_w / L, 1 / L), look_b - slope_b / L
            moved = L * _largest(new_w - look_w, new_b - look_b)
            if self.accelerated:
                if (look_w - new_w) @ (new_w - w) + (look_b - new_b) * (new_b - b) > 0:
                    momentum = 1.0  # the momentum points uphill: start it anew
                following = 0.5 + np.sqrt(0.25 + momentum**2)
                share = (momentum - 1) / following
                look_w, look_b, momentum = new_w + share * (new_w - w), new_b + share * (new_b - b), following
            else:
                look_w, look_b = new_w, new_b
            w, b = new_w, new_b
            converged = bool(moved <= self.tol * max(unit, np.finfo(np.float64).tiny))
            if self.watch(number, w, b, 0.0) or converged:
                break
        return Answer(w, b, risk.value(w, b) + penalty.value(w), number, converged)


class CoordinateNewton(Solver):
    """Proximal Newton: the loss as a weighted sum of squares at the present weights, solved by coordinate descent.

    Rows whose loss has no curvature but a slope take the largest curvature instead, which bounds the loss from above.
    """

    name = "newton"
    loss_needs = ("value", "gradient", "curvature")
    penalty_needs = ("value", "parts")

    def _solve(self, risk: Risk, penalty: Penalty) -> Answer:
        w, b = risk.start()
        l1, l2 = penalty.parts  # type: ignore[attr-defined]
        objective = risk.value(w, b) + penalty.value(w)
        for number in range(1, self.max_iter + 1):
            eta = risk.eta(w, b)
            slope, bend = risk.loss.gradient(risk.y, eta), risk.loss.curvature(risk.y, eta)
            flat = (bend < 1e-10) & (slope != 0)
            bend = np.where(flat, risk.loss.smoothness if np.isfinite(risk.loss.smoothness) else 1e-10, bend)
            bend = np.maximum(bend, 1e-14)
            rows = risk.scale * risk.rows * bend
            target = eta - slope / bend
            problems, middle = squared_problems(risk.X, target[:, None], rows, fit_intercept=risk.fit_intercept)
            tol = min(1e-3, 0.1 * self.tol) if number > 2 else 1e-4
            found = problems[0].solve([l1], [l2], start=w, tol=tol, max_iter=1000)
            step_w = found.coef[0] - w
            offset = (risk.centre - problems[0].means()) @ found.coef[0] if risk.fit_intercept else 0.0
            step_b = float(middle[0]) + offset - b
            share, lower = self._search(risk, penalty, w, b, step_w, step_b, objective)
            w, b = w + share * step_w, b + share * step_b
            gain, objective = objective - lower, lower
            converged = gain <= self.tol * abs(objective)
            if self.watch(number, w, b, objective) or (converged and number > 2):
                break
        return Answer(w, b, objective, number, converged)

    @staticmethod
    def _search(
        risk: Risk, penalty: Penalty, w: np.ndarray, b: float, step_w: np.ndarray, step_b: float, before: float
    ) -> tuple[float, float]:
        """The first of 1, 1/2, 1/4, ... that does not raise the objective, and the objective there."""
        share = 1.0
        while share > 1e-10:
            now = risk.value(w + share * step_w, b + share * step_b) + penalty.value(w + share * step_w)
            if now <= before:
                return share, now
            share *= 0.5
        return 0.0, before


class Lbfgs(Solver):
    """L-BFGS, for a smooth penalty."""

    name = "lbfgs"
    penalty_needs = ("value", "gradient")

    def _solve(self, risk: Risk, penalty: Penalty) -> Answer:
        from scipy.optimize import minimize

        def both(v: np.ndarray) -> tuple[float, np.ndarray]:
            w, b = v[:-1], float(v[-1])
            slope_w, slope_b = risk.gradient(w, b)
            slope_w = slope_w + penalty.gradient(w)  # type: ignore[attr-defined]
            return risk.value(w, b) + penalty.value(w), np.append(slope_w, slope_b)

        counter = 0

        def seen(v: np.ndarray) -> None:
            nonlocal counter
            counter += 1
            if self.watch(counter, v[:-1], float(v[-1]), 0.0):
                raise StopIteration

        start = np.append(*risk.start())
        unit = max(float(np.abs(both(start)[1]).max()), np.finfo(np.float64).tiny)
        options = {"maxiter": self.max_iter, "gtol": self.tol * unit, "ftol": 0.0, "maxfun": 20 * self.max_iter}
        found = minimize(both, start, jac=True, method="L-BFGS-B", callback=seen, options=options)
        converged = bool(np.abs(found.jac).max() <= 10 * self.tol * unit or found.success)
        return Answer(found.x[:-1], float(found.x[-1]), float(found.fun), int(found.nit), converged)


SOLVERS: dict[str, type[Solver]] = {kind.name: kind for kind in (CoordinateNewton, Lbfgs, ProximalGradient)}


def choose_solver(name: str, loss: Loss, penalty: Penalty) -> type[Solver]:
    """The solver asked for, or for "auto" the first that can take the loss and the penalty."""
    if name != "auto":
        return SOLVERS[name]
    return next(kind for kind in SOLVERS.values() if not kind.missing(loss, penalty))


def _largest(w: np.ndarray, b: float) -> float:
    return max(float(np.abs(w).max(initial=0.0)), abs(b))


def _backtrack(
    risk: Risk, penalty: Penalty, w: np.ndarray, b: float, slope_w: np.ndarray, slope_b: float, L: float
) -> float:
    """Raise L until the quadratic model (11.10) is above the loss at the step it proposes."""
    here = risk.value(w, b)
    for _ in range(100):
        step_w = penalty.prox(w - slope_w / L, 1 / L) - w
        step_b = -slope_b / L
        model = here + slope_w @ step_w + slope_b * step_b + 0.5 * L * (step_w @ step_w + step_b**2)
        if risk.value(w + step_w, b + step_b) <= model + 1e-12 * abs(here):
            break
        L *= 2
    return L
