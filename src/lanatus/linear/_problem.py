"""A least-squares problem, in memory or known by its moments only, and the ways to solve it."""

import warnings
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from lanatus.base import as_targets
from lanatus.linear._cross_moments import CrossMoments
from lanatus.scale import Block, Engine, InMemory

# Least squared diagonal entry of the Cholesky factor of the correlations, about one over their condition. The normal
# equations square the condition of X: below the first number a step of refinement is worth its two passes over X,
# below the second the singular values are.
_FINE = 1e-5
_SOLVABLE = 1e-10
_FAR = 1e3  # a column whose mean is this many deviations from zero has lost digits too
_MOST_COLUMNS = 5000  # of a matrix of products that is worth making


class Problem:
    """Least squares of targets Y on X, in memory or through its moments only.

    After `open`, `x_mean` and `y_mean` are what is taken off before the weights are found: zero without an intercept.
    """

    n_iter = 1
    converged = True

    def __init__(self, block: Block | None, moments: CrossMoments | None, fit_intercept: bool, flat: bool) -> None:
        self.block, self.moments = block, moments
        self.fit_intercept, self.flat = fit_intercept, flat
        self._Y = None if block is None else np.asarray(block.y).reshape(len(block), -1)
        if moments is not None:
            self.x_mean, self.y_mean = self.centred.x_mean, self.centred.y_mean
        else:
            self.x_mean, self.y_mean = self._means()

    @classmethod
    def open(cls, engine: Engine, fit_intercept: bool) -> "Problem":
        """Read the data once where its moments are worth having."""
        if not isinstance(engine, InMemory):
            return cls(None, _massive(engine.reduce(_tally)), fit_intercept, True)
        block = engine.block
        y = as_targets(block.y, block.X)
        block = Block(block.X, y, block.weight, 0)
        n, d = block.X.shape
        moments: CrossMoments | None = None
        if d <= _MOST_COLUMNS and n >= d:
            moments = _massive(CrossMoments.of(block.X, y.reshape(len(y), -1).astype(np.float64), block.weight))
        elif block.weight is not None and not block.weight.sum() > 0:
            raise ValueError(_NO_MASS)
        return cls(block, moments, fit_intercept, y.ndim == 1)

    @cached_property
    def centred(self) -> CrossMoments:
        """The moments about `x_mean` and `y_mean`; of wide X they are only made when asked for."""
        moments = self.moments
        if moments is None:
            assert self.block is not None
            assert self._Y is not None
            moments = _massive(CrossMoments.of(self.block.X, self._Y.astype(np.float64), self.block.weight))
        return moments.without_flat() if self.fit_intercept else moments.about_zero()

    @property
    def in_memory(self) -> bool:
        """Whether the rows are at hand."""
        return self.block is not None

    @property
    def is_tall(self) -> bool:
        """Whether the matrix of products was worth making."""
        return self.moments is not None

    @property
    def is_sparse(self) -> bool:
        """Whether X is."""
        return self.block is not None and sp.issparse(self.block.X)

    # ------------------------------------------------------------ solutions, (d, t)

    def normal_equations(self, ridge: float) -> np.ndarray | None:
        """(X'X + ridge)^-1 X'y by Cholesky; None where X'X is too near to singular."""
        factor = self._factor(ridge)
        if factor is None:
            return None
        root, lower, scale = factor

        def solve(right: np.ndarray) -> np.ndarray:
            return np.asarray(linalg.cho_solve((root, lower), right / scale[:, None]) / scale[:, None])

        coef = solve(self.centred.xy)
        far = np.max(np.abs(self.x_mean) * np.sqrt(self.centred.mass) / scale)
        rough = far > _FAR or np.min(np.diag(root)) ** 2 < _FINE
        if rough and self.block is not None and self.block.X.dtype == np.float64:
            coef += solve(self._gradient(coef, ridge))
        return coef

    def _factor(self, ridge: float) -> tuple[np.ndarray, bool, np.ndarray] | None:
        """Cholesky factor of X'X + ridge scaled to a unit diagonal, and that scale; None if near to singular."""
        scale = np.sqrt(np.diag(self.centred.xx) + ridge)
        if not (scale > 0).all():
            return None
        scaled = self.centred.xx / np.outer(scale, scale)
        scaled[np.diag_indices_from(scaled)] = 1.0
        try:
            root, lower = linalg.cho_factor(scaled, lower=True, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            return None
        return None if np.min(np.diag(root)) ** 2 < _SOLVABLE else (root, lower, scale)

    def pseudo_inverse(self) -> tuple[np.ndarray, int]:
        """Minimum norm through the eigenvalues of X'X, for data that is only known by its moments."""
        half, values = self._spread_directions()
        return np.asarray(half @ ((half.T @ self.centred.xy) / values[:, None])), len(values)

    def by_singular_values(self) -> tuple[np.ndarray, int, np.ndarray]:
        """Minimum norm through the singular values of X itself."""
        X, Y = self._whitened()
        coef, _, rank, singular = linalg.lstsq(X, Y, cond=max(X.shape) * np.finfo(X.dtype).eps, check_finite=False)
        return coef, int(rank), singular

    def non_negative(self, ridge: float = 0.0) -> np.ndarray:
        """No weight below zero."""
        from scipy.optimize import nnls

        if self.is_tall:
            factor = self._factor(ridge)
            if factor is not None:
                root, scale = np.tril(factor[0]), factor[2]
                right = linalg.solve_triangular(root, self.centred.xy / scale[:, None], lower=True)
                return np.column_stack([nnls(root.T, column)[0] for column in right.T]) / scale[:, None]
        if not self.in_memory or self.is_sparse:
            raise ValueError("positive=True wants dense X in memory, or columns that do not depend on each other.")
        X, Y = self._whitened()
        d = X.shape[1]
        X, Y = np.vstack([X, np.sqrt(ridge) * np.eye(d)]), np.vstack([Y, np.zeros((d, Y.shape[1]))])
        return np.column_stack([nnls(X, column)[0] for column in Y.T])

    def dual(self, ridge: float) -> np.ndarray:
        """Weights as a combination of the rows: an n x n system."""
        X, Y = self._whitened()
        inner = X @ X.T
        inner[np.diag_indices_from(inner)] += ridge
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", linalg.LinAlgWarning)
                return np.asarray(X.T @ linalg.solve(inner, Y, assume_a="pos", check_finite=False))
        except (linalg.LinAlgError, linalg.LinAlgWarning):
            return self.ridge_by_singular_values(ridge)

    def ridge_by_singular_values(self, ridge: float) -> np.ndarray:
        """Each direction of X shrunk by s^2 / (s^2 + ridge); directions without spread get nothing."""
        X, Y = self._whitened()
        left, s, right = linalg.svd(X, full_matrices=False, check_finite=False)
        kept = s > s.max(initial=0.0) * max(X.shape) * np.finfo(X.dtype).eps
        shrunk = np.where(kept, s, 0.0) / np.where(kept, s**2 + ridge, 1.0)
        return np.asarray(right.T @ (shrunk[:, None] * (left.T @ Y)))

    def ridge_by_eigenvalues(self, ridge: float) -> np.ndarray:
        """The same through the eigenvalues of X'X, where only that is known."""
        if self.in_memory and not self.is_sparse:
            return self.ridge_by_singular_values(ridge)
        half, values = self._spread_directions()
        return np.asarray(half @ ((half.T @ self.centred.xy) / (values + ridge)[:, None]))

    def by_lsqr(self, ridge: float, tol: float, max_iter: int | None = None) -> np.ndarray:
        """By products with X and its transpose only, the columns centred on the way."""
        from scipy.sparse.linalg import LinearOperator, lsqr

        assert self.block is not None
        assert self._Y is not None
        X, root, mean, moves = self.block.X, self._root(), self.x_mean, self._moves()
        product = LinearOperator(
            X.shape,
            matvec=lambda v: root * (X @ (moves * v) - mean @ (moves * v)),
            rmatvec=lambda u: moves * (X.T @ (root * u) - mean * (root @ u)),
            dtype=np.float64,
        )
        damp = float(np.sqrt(ridge))
        found = [
            lsqr(product, root * (column - middle), damp=damp, atol=tol, btol=tol, iter_lim=max_iter)
            for column, middle in zip(self._Y.T, self.y_mean, strict=True)
        ]
        self.n_iter = max(1, *(one[2] for one in found))
        self.converged = all(one[1] != 7 for one in found)  # 7: the iterations ran out
        return np.column_stack([one[0] for one in found])

    # ------------------------------------------------------------ inside

    def _spread_directions(self) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvectors of X'X along which the rows spread, and their eigenvalues."""
        values, vectors = linalg.eigh(self.centred.xx)
        kept = values > values.max(initial=0.0) * len(values) * np.finfo(np.float64).eps
        return vectors[:, kept], values[kept]

    def _moves(self) -> np.ndarray:
        """Whether each column has a say beside the bias: what rounding leaves of a constant one is nothing."""
        assert self.block is not None
        X = self.block.X
        if not self.fit_intercept:
            return np.ones(X.shape[1], dtype=bool)
        most, least = X.max(axis=0), X.min(axis=0)
        return np.asarray(most.toarray().ravel() > least.toarray().ravel() if sp.issparse(X) else most > least)

    def _root(self) -> np.ndarray:
        assert self.block is not None
        return np.ones(len(self.block)) if self.block.weight is None else np.sqrt(self.block.weight)

    def _means(self) -> tuple[np.ndarray, np.ndarray]:
        assert self.block is not None
        assert self._Y is not None
        if not self.fit_intercept:
            return np.zeros(self.block.X.shape[1]), np.zeros(self._Y.shape[1])
        weight = np.ones(len(self.block)) if self.block.weight is None else self.block.weight
        mass = weight.sum()
        x_sum = weight.astype(self.block.X.dtype, copy=False) @ self.block.X
        return np.asarray(x_sum, dtype=np.float64) / mass, weight @ self._Y / mass

    def _whitened(self) -> tuple[np.ndarray, np.ndarray]:
        """Centred X and Y, each row times the root of its weight."""
        assert self.block is not None
        assert self._Y is not None
        X = self.block.X.toarray() if sp.issparse(self.block.X) else self.block.X
        root = self._root()[:, None]
        X = X - self.x_mean
        X[:, np.abs(X).max(axis=0, initial=0.0) <= 16 * np.finfo(np.float64).eps * np.abs(self.x_mean)] = 0.0
        return root * X, root * (self._Y - self.y_mean)

    def _gradient(self, coef: np.ndarray, ridge: float) -> np.ndarray:
        """X' w (Y - X coef) - ridge coef, from the rows: what rounding left over."""
        assert self.block is not None
        assert self._Y is not None
        X = self.block.X
        left = self._Y - self.y_mean - (X @ coef - self.x_mean @ coef)
        if self.block.weight is not None:
            left = left * self.block.weight[:, None]
        slope = np.asarray(X.T @ left - np.outer(self.x_mean, left.sum(axis=0)))
        slope[np.diag(self.centred.xx) == 0] = 0.0  # of a constant column it is rounding only
        return np.asarray(slope - ridge * coef)


def warn_if_cut_short(problem: Problem, name: str) -> None:
    """Tell that the iterations of lsqr ran out, if they did."""
    if not problem.converged:
        warnings.warn(
            f"{name} did not converge in {problem.n_iter} iterations of 'lsqr'; raise max_iter or tol, or scale the "
            "data.",
            ConvergenceWarning,
            stacklevel=4,
        )


_NO_MASS = "sample_weight leaves no row with a positive weight; wanted at least one."


def _massive(moments: CrossMoments) -> CrossMoments:
    if not moments.mass > 0:
        raise ValueError(_NO_MASS)
    if not np.isfinite(moments.xx).all():
        raise ValueError("the products of columns overflow: X has values too large to square; scale it first.")
    return moments


def _tally(block: Block) -> CrossMoments:
    """What one block of rows contributes."""
    y = as_targets(block.y, block.X)
    return CrossMoments.of(block.X, y.reshape(len(y), -1).astype(np.float64), block.weight)
