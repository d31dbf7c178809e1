"""A problem of least squares with a ridge, in memory or known by its moments only."""

from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh

from lanatus.base import as_targets, check_positive_weight
from lanatus.optimize.solvers._cross_moments import CrossMoments
from lanatus.scale import Block, Engine, InMemory

_MOST_COLUMNS = 5000  # of a matrix of products that is worth making


class LeastSquares:
    """Least squares of targets Y on X, in memory or through its moments only.

    `x_mean` and `y_mean` are what is taken off before the weights are found: zero without an intercept. `flat` says
    that there is a single target, whose weights are to be a vector.
    """

    def __init__(self, block: Block | None, moments: CrossMoments | None, fit_intercept: bool, flat: bool) -> None:
        self.block, self.moments = block, moments
        self.fit_intercept, self.flat = fit_intercept, flat
        if moments is not None:
            self.x_mean, self.y_mean = self.centred.x_mean, self.centred.y_mean
        else:
            self.x_mean, self.y_mean = self._means()

    @classmethod
    def open(cls, engine: Engine, fit_intercept: bool) -> "LeastSquares":
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
        check_positive_weight(block.weight)
        return cls(block, moments, fit_intercept, y.ndim == 1)

    @cached_property
    def centred(self) -> CrossMoments:
        """The moments about `x_mean` and `y_mean`; of wide X they are only made when asked for."""
        moments = self.moments
        if moments is None:
            moments = _massive(CrossMoments.of(self.rows.X, self.Y.astype(np.float64), self.rows.weight))
        return moments.without_flat() if self.fit_intercept else moments.about_zero()

    @property
    def rows(self) -> Block:
        """The rows, where they are in memory."""
        if self.block is None:
            raise ValueError("this solver needs the rows in memory; sources and Dask collections have moments only.")
        return self.block

    @cached_property
    def Y(self) -> np.ndarray:
        """The targets of the rows, (n, t)."""
        return np.asarray(self.rows.y).reshape(len(self.rows), -1)

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

    def spread_directions(self) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvectors of X'X along which the rows spread, and their eigenvalues."""
        values, vectors = eigh(self.centred.xx)
        kept = values > values.max(initial=0.0) * len(values) * np.finfo(np.float64).eps
        return vectors[:, kept], values[kept]

    def moves(self) -> np.ndarray:
        """Whether each column has a say beside the bias: what rounding leaves of a constant one is nothing."""
        X = self.rows.X
        if not self.fit_intercept:
            return np.ones(X.shape[1], dtype=bool)
        most, least = X.max(axis=0), X.min(axis=0)
        return np.asarray(most.toarray().ravel() > least.toarray().ravel() if sp.issparse(X) else most > least)

    def root(self) -> np.ndarray:
        """Roots of the weights of the rows."""
        return np.ones(len(self.rows)) if self.rows.weight is None else np.sqrt(self.rows.weight)

    def _means(self) -> tuple[np.ndarray, np.ndarray]:
        if not self.fit_intercept:
            return np.zeros(self.rows.X.shape[1]), np.zeros(self.Y.shape[1])
        weight = np.ones(len(self.rows)) if self.rows.weight is None else self.rows.weight
        mass = weight.sum()
        x_sum = weight.astype(self.rows.X.dtype, copy=False) @ self.rows.X
        return np.asarray(x_sum, dtype=np.float64) / mass, weight @ self.Y / mass

    def whitened(self) -> tuple[np.ndarray, np.ndarray]:
        """Centred X and Y, each row times the root of its weight."""
        X = self.rows.X.toarray() if sp.issparse(self.rows.X) else self.rows.X
        root = self.root()[:, None]
        X = X - self.x_mean
        X[:, np.abs(X).max(axis=0, initial=0.0) <= 16 * np.finfo(np.float64).eps * np.abs(self.x_mean)] = 0.0
        return root * X, root * (self.Y - self.y_mean)

    def residual_gradient(self, coef: np.ndarray, ridge: float) -> np.ndarray:
        """X' w (Y - X coef) - ridge coef, from the rows: what rounding left over."""
        X = self.rows.X
        left = self.Y - self.y_mean - (X @ coef - self.x_mean @ coef)
        if self.rows.weight is not None:
            left = left * self.rows.weight[:, None]
        slope = np.asarray(X.T @ left - np.outer(self.x_mean, left.sum(axis=0)))
        slope[np.diag(self.centred.xx) == 0] = 0.0  # of a constant column it is rounding only
        return np.asarray(slope - ridge * coef)


def _massive(moments: CrossMoments) -> CrossMoments:
    check_positive_weight(moments.mass)
    if not np.isfinite(moments.xx).all():
        raise ValueError("the products of columns overflow: X has values too large to square; scale it first.")
    return moments


def _tally(block: Block) -> CrossMoments:
    """What one block of rows contributes."""
    y = as_targets(block.y, block.X)
    return CrossMoments.of(block.X, y.reshape(len(y), -1).astype(np.float64), block.weight)
