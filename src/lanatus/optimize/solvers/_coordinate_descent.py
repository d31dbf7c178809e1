"""Least squares with an L1 and an L2 penalty by coordinate descent: the problem, and its solution at many penalties."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import core
from lanatus._core import linear as kernels
from lanatus.base import check_positive_weight, n_threads
from lanatus.optimize.solvers._centring import TOO_LARGE
from lanatus.optimize.solvers._cross_moments import CrossMoments
from lanatus.optimize.solvers._path import Path, PathSolver
from lanatus.optimize.solvers._risk import Risk
from lanatus.optimize.solvers._solver import Solution

_TALL = 2  # rows for each column from where the matrix of products pays
_MOST_COLUMNS = 1500  # of that matrix, when it is the solver's own choice
_STRICTER = 0.05  # of `tol`, for a single penalty: others look at the gap after many rounds only, and end far below it
_WORKING_COLUMNS = 5000  # most columns of a working set for which products are kept


@dataclass(frozen=True)
class Solutions:
    """Weights for each penalty, (steps, columns); gaps are those of the sum over rows, not of the mean."""

    coef: np.ndarray
    gap: np.ndarray
    n_iter: np.ndarray
    converged: np.ndarray


@dataclass(frozen=True)
class SquaredProblem:
    r"""Half the weighted sum of squares of one target, :math:`\frac12 \sum_i w_i (y_i - \bar y - (x_i - \bar x)^T
    w)^2`.

    Solved from X itself with working sets, or from the products of its columns, `moments`, where these are known.

    Parameters
    ----------
    X : ndarray (by rows or by columns) or CSC matrix
    y : ndarray of shape (n,), float64, about its mean if `centre`, each times the root of its row's weight
    root : ndarray of shape (n,) or None
        Roots of the weights.
    centre : bool
        Whether the columns are taken about their means.
    mass : float
        Sum of the weights.
    gram, product : ndarrays or None
        X'X and X'y, centred and weighted likewise.
    x_mean : ndarray or None
        Means of the columns, where they are known already.
    """

    X: Any
    y: np.ndarray
    root: np.ndarray | None
    centre: bool
    mass: float
    gram: np.ndarray | None = None
    product: np.ndarray | None = None
    x_mean: np.ndarray | None = None

    @property
    def null(self) -> float:
        """Twice the objective at zero: the (weighted) sum of squares of y."""
        return float(self.y @ self.y)

    def products(self) -> np.ndarray:
        """X'y of the centred, weighted columns."""
        if self.product is not None:
            return self.product
        scaled = self.y if self.root is None else self.root * self.y
        product = np.asarray(self.X.T @ scaled.astype(self.X.dtype, copy=False), dtype=np.float64)
        if self.centre:
            product -= self.means() * scaled.sum()
        return product

    def means(self, columns: Any = slice(None)) -> np.ndarray:
        """Weighted means of some columns, zeros without centring."""
        if not self.centre:
            return np.zeros(self.X.shape[1])[columns]
        X = self.X if isinstance(columns, slice) else self.X[:, columns]
        weight = np.ones(X.shape[0]) if self.root is None else self.root**2
        return np.asarray(weight @ X, dtype=np.float64).ravel() / self.mass

    def solve(
        self,
        l1: Any,
        l2: Any,
        *,
        start: np.ndarray | None = None,
        tol: float,
        max_iter: int,
        positive: bool = False,
        seed: int = 0,
    ) -> Solutions:
        """Solutions for pairs of penalties, the L1 part falling; `tol` is the duality gap relative to `null`."""
        common: dict[str, Any] = {
            "l1": np.ascontiguousarray(l1, dtype=np.float64),
            "l2": np.ascontiguousarray(l2, dtype=np.float64),
            "start": None if start is None else np.ascontiguousarray(start, dtype=np.float64),
            "tol": (_STRICTER if np.size(l1) == 1 else 1.0) * tol * self.null,
            "max_iter": max_iter,
            "positive": positive,
            "seed": seed,
        }
        if self.gram is not None:
            return Solutions(*kernels.gram_path(self.gram, self.product, self.null, **common))
        common |= {"centre": self.centre, "gram_limit": _WORKING_COLUMNS, "n_threads": n_threads()}
        if sp.issparse(self.X):
            return Solutions(*kernels.csc_path(core.csc(self.X), self.y, self.root, **common))
        return Solutions(*kernels.dense_path(self.X, self.y, self.root, **common))


class CoordinateDescent(PathSolver):
    r"""Coordinate descent for least squares with an L1 and an L2 penalty, in the kernels of the lasso.

    Each weight in turn moves to its best value, the soft threshold of its own least squares; wide X is solved on
    working sets. Stops at a duality gap of `tol` times the sum of squares of the (centred) target.

    Parameters
    ----------
    tol, max_iter
        See `Solver`; rounds are those over the columns.
    precompute : bool or ndarray of shape (d, d), default=False
        See `squared_problems`.
    seed : int, default=0
        Draws the order of the columns; 0 keeps their own.
    """

    name = "coordinate"
    loss_needs = ("residual",)
    penalty_needs = ("value", "parts")

    def __init__(self, tol: float, max_iter: int, *, precompute: Any = False, seed: int = 0) -> None:
        super().__init__(tol, max_iter)
        self.precompute, self.seed = precompute, seed

    def open(self, risk: Risk) -> "SquaredProblems":
        """The problems of the targets of a risk, whose products of columns are made once."""
        problems, y_mean = squared_problems(
            risk.X, risk.targets, risk.weight, fit_intercept=risk.fit_intercept, precompute=self.precompute
        )
        return SquaredProblems(problems, y_mean, risk.normalizer)

    def path(
        self, problem: "SquaredProblems", penalty: Any, alphas: np.ndarray, start: np.ndarray | None = None
    ) -> Path:
        """Of the first target."""
        return self._path(problem, 0, penalty, alphas, start)

    def _path(
        self, problem: "SquaredProblems", target: int, penalty: Any, alphas: np.ndarray, start: np.ndarray | None
    ) -> Path:
        one, unit = problem.each[target], problem.normalizer
        solved = one.solve(
            alphas * penalty.parts[0] * unit,
            alphas * penalty.parts[1] * unit,
            start=None if start is None else start[:, target],
            tol=self.tol,
            max_iter=self.max_iter,
            positive=penalty.positive,
            seed=self.seed,
        )
        goal = self.tol * one.null
        return Path(solved.coef[:, :, None], solved.gap, solved.n_iter, bool(solved.converged.all()), goal, unit)

    def _solve(self, risk: Risk, penalty: Any, start: np.ndarray | None) -> Solution:
        problem = self.open(risk)
        paths = [self._path(problem, t, penalty, np.ones(1), start) for t in range(len(problem.each))]
        coef = paths[0].coef[0] if len(paths) == 1 else np.column_stack([path.coef[0] for path in paths])
        return Solution(
            coef,
            problem.y_mean,
            problem.means(coef),
            all(path.converged for path in paths),
            np.array([path.n_iter[0] for path in paths]),
            np.array([path.gap[0] / path.normalizer for path in paths]),
            np.array([path.goal / path.normalizer for path in paths]),
        )


@dataclass(frozen=True)
class SquaredProblems:
    """The problems of several targets, which share X and its products."""

    each: list["SquaredProblem"]
    y_mean: np.ndarray
    normalizer: float

    def slope_at_zero(self) -> np.ndarray:
        """Derivative of the risk by the weights of the first target, at zero."""
        return -self.each[0].products() / self.normalizer

    def means(self, coef: np.ndarray) -> np.ndarray:
        """Means of the columns, at least of those that have a weight (d, ...); others may be zero."""
        if self.each[0].centre and self.each[0].x_mean is not None:
            return self.each[0].x_mean
        used = np.flatnonzero(coef.reshape(len(coef), -1).any(axis=1))
        if 2 * len(used) > len(coef):  # then a copy of these columns costs more than it spares
            return self.each[0].means()
        x_mean = np.zeros(len(coef))
        x_mean[used] = self.each[0].means(used)
        return x_mean


def squared_problems(
    X: Any, Y: np.ndarray, weight: np.ndarray | None, *, fit_intercept: bool, precompute: Any = False
) -> tuple[list[SquaredProblem], np.ndarray]:
    """One problem for each column of Y (n, t), and the means of these columns.

    `precompute` is True (products of columns), an array (these products, centred and weighted as X is) or False: then
    products are made where X is tall and not too wide.
    """
    n, d = X.shape
    check_positive_weight(weight)
    mass = float(n if weight is None else weight.sum())
    Y = np.asarray(Y, dtype=np.float64)
    y_mean = np.average(Y, axis=0, weights=weight) if fit_intercept else np.zeros(Y.shape[1])
    root = None if weight is None else np.sqrt(weight)
    off = Y - y_mean if root is None else (Y - y_mean) * root[:, None]
    with np.errstate(over="ignore"):
        size = float((off**2).sum())
    if not np.isfinite(size):
        raise ValueError(TOO_LARGE)
    tall = n >= _TALL * d and d <= _MOST_COLUMNS
    first = SquaredProblem(X.tocsc() if sp.issparse(X) else X, off[:, 0], root, fit_intercept, mass)
    given = None if isinstance(precompute, bool | str) or precompute is None else _own_gram(precompute, first)
    gram = product = x_mean = None
    if given is not None:
        gram, product = given, np.column_stack([replace(first, y=column).products() for column in off.T])
    elif precompute is True or tall:
        moments = CrossMoments.of(X if sp.issparse(X) else np.ascontiguousarray(X), Y, weight)
        moments = moments.without_flat() if fit_intercept else moments.about_zero()
        gram, product, x_mean = np.ascontiguousarray(moments.xx), moments.xy, moments.x_mean
        if not np.isfinite(gram).all():
            raise ValueError(TOO_LARGE)
    problems = [
        replace(first, y=np.ascontiguousarray(off[:, t]), gram=gram, product=_column(product, t), x_mean=x_mean)
        for t in range(Y.shape[1])
    ]
    return problems, y_mean


def _column(product: np.ndarray | None, t: int) -> np.ndarray | None:
    return None if product is None else np.ascontiguousarray(product[:, t])


def _own_gram(given: Any, problem: SquaredProblem) -> np.ndarray | None:
    """A matrix of products given by the user, if it is that of this problem; None, with a warning, to make it anew.

    One of its columns is worked out and compared. Weights may have been scaled to mean 1, as scikit-learn's are; a
    matrix of columns that are not about their means is of no use for a model with an intercept.
    """
    n, d = problem.X.shape
    gram = np.ascontiguousarray(given, dtype=np.float64)
    if gram.shape != (d, d):
        raise ValueError(f"precompute must have shape {(d, d)}, one row and column a feature; got {gram.shape}.")
    if not np.isfinite(gram).all():
        raise ValueError("precompute must hold finite numbers; got NaN or infinity.")
    for scale in (1.0, problem.mass / n):
        if _agrees(gram * scale, problem):
            return gram * scale
        if problem.centre and _agrees(gram * scale, replace(problem, centre=False)):
            warnings.warn(
                "Gram matrix was provided but X was centered to fit intercept: recomputing Gram matrix. Give the "
                "products of centred columns, or fit_intercept=False.",
                stacklevel=6,
            )
            return None
    raise ValueError(
        "precompute is not the matrix X'X of this X (centred for fit_intercept=True, weighted by sample_weight): its "
        "first column differs. Give the right one, or precompute=True to have it made."
    )


def _agrees(gram: np.ndarray, problem: SquaredProblem) -> bool:
    """Whether the first column of a matrix of products is that of the problem, to single precision."""
    first = problem.X[:, [0]]
    column = np.asarray(first.toarray() if sp.issparse(first) else first, dtype=np.float64).ravel() - problem.means()[0]
    wanted = replace(problem, y=column if problem.root is None else column * problem.root).products()
    slack = 1e-4 * float(np.sqrt(max(gram[0, 0], 0.0) * max(gram.diagonal().max(), 0.0)))
    return bool(np.allclose(gram[:, 0], wanted, rtol=1e-4, atol=slack))
