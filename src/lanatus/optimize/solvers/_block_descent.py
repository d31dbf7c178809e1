"""Least squares with a norm on blocks of weights, by working sets: several targets at once, and groups of columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus._core import linear as kernels
from lanatus.optimize.solvers._centring import Centred, centred
from lanatus.optimize.solvers._path import Path, PathSolver
from lanatus.optimize.solvers._risk import Risk
from lanatus.optimize.solvers._solver import Solution

_ROUNDS = 10  # of block coordinate descent between two looks at the duality gap


class BlockCoordinateDescent(PathSolver):
    """Block coordinate descent for least squares with a norm on blocks of weights: groups, and several targets at once.

    Each block in turn moves to its best value, on working sets. Stops at a duality gap of `tol` times the sum of
    squares of the (centred) targets.

    Parameters
    ----------
    tol, max_iter
        See `Solver`; rounds are those over the blocks.
    seed : int, default=0
        Draws the order of the blocks; 0 keeps their own.
    """

    name = "block"
    loss_needs = ("residual",)
    penalty_needs = ("value", "blocks", "block_parts")

    def __init__(self, tol: float, max_iter: int, *, seed: int = 0) -> None:
        super().__init__(tol, max_iter)
        self.seed = seed

    def open(self, risk: Risk) -> Centred:
        """Rows about their means."""
        return centred(risk.X, risk.targets, risk.weight, risk.fit_intercept, risk.normalizer)

    def path(self, problem: Centred, penalty: Any, alphas: np.ndarray, start: np.ndarray | None = None) -> Path:
        """Solutions on the blocks of the penalty, all targets together."""
        d, t = problem.X.shape[1], problem.Y.shape[1]
        blocks = BlockProblem(problem.X, problem.Y, penalty.blocks(d))
        strengths, ridge = penalty.block_parts(d)
        W = np.zeros((d, t)) if start is None else start
        how: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter, "seed": self.seed}
        solved = []
        for unit in alphas:
            solved.append(
                blocks.solve(unit * strengths * problem.normalizer, unit * ridge * problem.normalizer, W, **how)
            )
            W = solved[-1][0]
        coef, gap, n_iter, converged = zip(*solved, strict=True)
        goal = self.tol * blocks.null
        return Path(np.array(coef), np.array(gap), np.array(n_iter), all(converged), goal, problem.normalizer)

    def _solve(self, risk: Risk, penalty: Any, start: np.ndarray | None) -> Solution:
        problem = self.open(risk)
        path = self.path(problem, penalty, np.ones(1), start)
        gap, goal = np.array(path.gap[0] / path.normalizer), np.array(path.goal / path.normalizer)
        n_iter = np.array(path.n_iter[0])
        return Solution(path.coef[0], problem.y_mean, problem.x_mean, path.converged, n_iter, gap, goal)


@dataclass(frozen=True)
class BlockProblem:
    r"""Half of :math:`\lVert Y - XW\rVert_F^2` plus :math:`\sum_g a_g\lVert W_g\rVert_F + \frac b2\lVert W\rVert_F^2`.

    Parameters
    ----------
    X : ndarray of shape (n, d), centred and weighted
    Y : ndarray of shape (n, t), likewise
    blocks : list of int arrays
        The columns of each block g; together all columns, each once.
    """

    X: np.ndarray
    Y: np.ndarray
    blocks: list[np.ndarray]

    @property
    def null(self) -> float:
        """Squared size of Y."""
        return float((self.Y**2).sum())

    def norms(self, W: np.ndarray) -> np.ndarray:
        """Size of each block of rows."""
        if len(self.blocks) == len(W):
            return np.asarray(np.linalg.norm(W[np.concatenate(self.blocks)], axis=1))
        return np.array([np.linalg.norm(W[block]) for block in self.blocks])

    def gap(self, W: np.ndarray, residual: np.ndarray, products: np.ndarray, a: np.ndarray, b: float) -> float:
        """Objective minus dual value, the dual point being the residual scaled until it is feasible."""
        rr, ww = float((residual**2).sum()), float((W**2).sum())
        norms = self.norms(products - b * W)
        primal = 0.5 * (rr + b * ww) + float(a @ self.norms(W))
        with np.errstate(divide="ignore"):
            scale = float(np.min(np.where(norms > a, a / np.where(norms > 0, norms, 1.0), 1.0), initial=1.0))
        dual = scale * float((self.Y * residual).sum()) - 0.5 * scale**2 * (rr + b * ww)
        if b > 0:  # then every residual is feasible, at a price
            over = np.maximum(self.norms(products) - a, 0.0)
            dual = max(dual, float((self.Y * residual).sum()) - 0.5 * rr - 0.5 * float(over @ over) / b)
        return primal - dual

    def solve(
        self, a: np.ndarray, b: float, W: np.ndarray, *, tol: float, max_iter: int, seed: int = 0
    ) -> tuple[np.ndarray, float, int, bool]:
        """From W: the solution, its gap, the rounds used and whether the gap is at most `tol` times `null`."""
        W = np.array(W, dtype=np.float64)
        working = np.zeros(len(self.blocks), dtype=bool)
        used, goal = 0, tol * self.null
        while True:
            residual = self.Y - self.X @ W
            products = self.X.T @ residual
            gap = self.gap(W, residual, products, a, b)
            if gap <= goal or used >= max_iter:
                return W, gap, used, bool(gap <= goal)
            violation = np.where(working, 0.0, self.norms(products) - a)
            wrong = np.flatnonzero(violation > 0)
            most = max(100, 2 * int(working.sum()))
            working[wrong[np.argsort(-violation[wrong], kind="stable")][:most]] = True
            working |= self.norms(W) > 0
            rounds, floored = self._descend(W, working, products, a, b, max_iter - used, seed, 0.1 * goal)
            used += rounds
            if floored and not len(wrong):
                return W, gap, used, True  # rounding is all that is left

    def _descend(
        self,
        W: np.ndarray,
        working: np.ndarray,
        products: np.ndarray,
        a: np.ndarray,
        b: float,
        max_iter: int,
        seed: int,
        goal: float,
    ) -> tuple[int, bool]:
        """Block coordinate descent on the working blocks, in place; rounds used, and whether nothing moved any more."""
        chosen = [self.blocks[g] for g in np.flatnonzero(working)]
        if not chosen:
            return 1, True
        columns = np.concatenate(chosen)
        part = BlockProblem(np.ascontiguousarray(self.X[:, columns]), self.Y, _consecutive(chosen))
        G = np.ascontiguousarray(part.X.T @ part.X)
        steps = np.array([_largest_eigenvalue(G[np.ix_(block, block)]) for block in part.blocks])
        begin = np.concatenate([[0], np.cumsum([len(block) for block in chosen])]).astype(np.int64)
        inner, gradient = np.ascontiguousarray(W[columns]), np.ascontiguousarray(products[columns])
        floor, done, moved = 1e-15 * np.sqrt(self.null), 0, np.inf
        strengths = np.ascontiguousarray(a[working])
        while done < max_iter and moved > floor:
            rounds = min(_ROUNDS, max_iter - done)
            moved = kernels.block_descent(
                G,
                begin,
                strengths,
                steps,
                b,
                inner,
                gradient,
                rounds=rounds,
                floor=floor,
                seed=seed + done if seed else 0,
            )
            done += rounds
            if part.gap(inner, self.Y - part.X @ inner, gradient, strengths, b) <= goal:
                break
        W[columns] = inner
        return done, bool(moved <= floor)


def _consecutive(blocks: list[np.ndarray]) -> list[np.ndarray]:
    ends = np.cumsum([len(block) for block in blocks])
    return [np.arange(end - len(block), end) for end, block in zip(ends, blocks, strict=True)]


def _largest_eigenvalue(G: np.ndarray) -> float:
    return float(G[0, 0]) if len(G) == 1 else float(np.linalg.eigvalsh(G)[-1])
