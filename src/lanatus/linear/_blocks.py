"""Least squares with a norm on blocks of weights, by working sets: several targets at once, and groups of columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import linear as kernels
from lanatus.linear._coordinate_descent import NO_MASS, TOO_LARGE
from lanatus.linear._cross_moments import CrossMoments

_MOST_SPARSE_COLUMNS = 5000  # whose matrix of products is still worth making
_ROUNDS = 10  # of block coordinate descent between two looks at the duality gap


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

    def largest_strength(self, weights: np.ndarray) -> float:
        """The least factor of the block weights at which W is zero."""
        return float(np.max(self.norms(self.X.T @ self.Y) / weights, initial=0.0))

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


def centred(
    X: Any, Y: np.ndarray, weight: np.ndarray | None, fit_intercept: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float]:
    """X and Y about their means and times the roots of the weights; the means; the sum of the weights.

    Rows of a sparse X are exchanged for as many as it has columns, which have the same squares and products.
    """
    mass = float(len(Y) if weight is None else weight.sum())
    if not mass > 0:
        raise ValueError(NO_MASS)
    if sp.issparse(X):
        return _squeezed(X, np.asarray(Y, dtype=np.float64), weight, fit_intercept, mass)
    X, Y = np.asarray(X, dtype=np.float64), np.asarray(Y, dtype=np.float64)
    x_mean = np.average(X, axis=0, weights=weight) if fit_intercept else np.zeros(X.shape[1])
    y_mean = np.average(Y, axis=0, weights=weight) if fit_intercept else np.zeros(Y.shape[1])
    X, Y = X - x_mean, Y - y_mean
    X[:, np.abs(X).max(axis=0, initial=0.0) <= 16 * np.finfo(np.float64).eps * np.abs(x_mean)] = 0.0  # constant columns
    if weight is not None:
        X, Y = X * np.sqrt(weight)[:, None], Y * np.sqrt(weight)[:, None]
    with np.errstate(over="ignore"):
        size = float((X**2).sum()) + float((Y**2).sum())
    if not np.isfinite(size):
        raise ValueError(TOO_LARGE)
    return X, Y, x_mean, y_mean, mass


def _squeezed(
    X: Any, Y: np.ndarray, weight: np.ndarray | None, fit_intercept: bool, mass: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float]:
    """R and Z with R'R = X'X, R'Z = X'Y and Z'Z = Y'Y on the diagonal: all that a penalised least squares can see."""
    if X.shape[1] > _MOST_SPARSE_COLUMNS:
        raise ValueError(
            f"this method takes sparse X of up to {_MOST_SPARSE_COLUMNS} columns; got {X.shape[1]}. "
            "Lasso and ElasticNet take more."
        )
    moments = CrossMoments.of(X, Y, weight)
    used = moments if fit_intercept else moments.about_zero()
    if not np.isfinite(used.xx).all():
        raise ValueError(TOO_LARGE)
    flat = np.diag(used.xx) <= 16 * np.finfo(np.float64).eps * mass * moments.x_mean**2 if fit_intercept else False
    xx = np.where(flat | np.reshape(flat, (-1, 1)), 0.0, used.xx)
    values, vectors = np.linalg.eigh(xx)
    kept = values > values.max(initial=0.0) * len(values) * np.finfo(np.float64).eps
    roots, half = np.sqrt(values[kept]), vectors[:, kept]
    R, Z = roots[:, None] * half.T, (half.T @ used.xy) / roots[:, None]
    beyond = np.diag(np.sqrt(np.maximum(used.yy - (Z**2).sum(axis=0), 0.0)))  # what no weights can reach
    return (
        np.vstack([R, np.zeros((len(beyond), R.shape[1]))]),
        np.vstack([Z, beyond]),
        used.x_mean,
        used.y_mean,
        mass,
    )
