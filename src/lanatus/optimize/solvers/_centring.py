"""Rows about their means, each times the root of its weight: all that penalised least squares can see of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.base import check_positive_weight
from lanatus.optimize.solvers._cross_moments import CrossMoments

_MOST_SPARSE_COLUMNS = 5000  # whose matrix of products is still worth making
TOO_LARGE = "the products of columns overflow: X or y has values too large to square; scale them first."


@dataclass(frozen=True)
class Centred:
    """X (n, d) and Y (n, t) about their means and weighted, these means, the sum of the weights, the risk's divisor."""

    X: np.ndarray
    Y: np.ndarray
    x_mean: np.ndarray
    y_mean: np.ndarray
    mass: float
    normalizer: float

    def slope_at_zero(self) -> np.ndarray:
        """Derivative of the risk by the weights (d, t), at zero."""
        return np.asarray(-(self.X.T @ self.Y) / self.normalizer)

    def means(self, coef: np.ndarray) -> np.ndarray:
        """Means of the columns."""
        return self.x_mean


def centred(
    X: Any, Y: np.ndarray, weight: np.ndarray | None, fit_intercept: bool, normalizer: float | None = None
) -> Centred:
    """X and Y about their means and times the roots of the weights.

    Rows of a sparse X are exchanged for as many as it has columns, which have the same squares and products.
    """
    check_positive_weight(weight)
    mass = float(len(Y) if weight is None else weight.sum())
    normalizer = mass if normalizer is None else normalizer
    if sp.issparse(X):
        return _squeezed(X, np.asarray(Y, dtype=np.float64), weight, fit_intercept, mass, normalizer)
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
    return Centred(X, Y, x_mean, y_mean, mass, normalizer)


def _squeezed(
    X: Any, Y: np.ndarray, weight: np.ndarray | None, fit_intercept: bool, mass: float, normalizer: float
) -> Centred:
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
    rows, targets = np.vstack([R, np.zeros((len(beyond), R.shape[1]))]), np.vstack([Z, beyond])
    return Centred(rows, targets, used.x_mean, used.y_mean, mass, normalizer)
