"""What least squares needs to know of the rows: means, and how columns and targets vary together."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import linear as kernels
from lanatus.base import n_threads


class CrossMoments:
    """Weighted means of columns and targets, and their centred sums of products.

    Merging is Chan's pairwise update, so that columns far from zero keep their digits.

    Parameters
    ----------
    mass : float
        Sum of the weights.
    x_mean, y_mean : ndarrays of shape (d,) and (t,)
    xx : ndarray of shape (d, d)
        Sum over rows of w (x - x_mean)(x - x_mean)'.
    xy : ndarray of shape (d, t)
        Sum over rows of w (x - x_mean)(y - y_mean)'.
    yy : ndarray of shape (t,)
        Sum over rows of w (y - y_mean)^2.
    rows : int
        Rows of positive weight.
    """

    def __init__(
        self,
        mass: float,
        x_mean: np.ndarray,
        y_mean: np.ndarray,
        xx: np.ndarray,
        xy: np.ndarray,
        yy: np.ndarray,
        rows: int,
    ) -> None:
        self.mass, self.rows = mass, rows
        self.x_mean, self.y_mean = x_mean, y_mean
        self.xx, self.xy, self.yy = xx, xy, yy

    @classmethod
    def of(cls, X: Any, Y: np.ndarray, weight: np.ndarray | None) -> "CrossMoments":
        """Of some rows: X dense or CSR, Y of shape (n, t), weights or None."""
        mass = float(len(Y) if weight is None else weight.sum())
        rows = len(Y) if weight is None else int(np.count_nonzero(weight))
        if not mass > 0:
            d, t = X.shape[1], Y.shape[1]
            return cls(0.0, np.zeros(d), np.zeros(t), np.zeros((d, d)), np.zeros((d, t)), np.zeros(t), 0)
        y_mean = np.average(Y, axis=0, weights=weight)
        off = Y - y_mean
        heavy = off if weight is None else off * weight[:, None]
        x_mean, xx = _sparse_scatter(X, weight, mass) if sp.issparse(X) else _scatter(X, weight)
        xy = np.asarray(X.T @ heavy.astype(X.dtype, copy=False), dtype=np.float64)
        xy -= np.outer(x_mean, heavy.sum(axis=0))
        return cls(mass, x_mean, y_mean, xx, xy, np.einsum("it,it->t", off, heavy), rows)

    def __add__(self, other: "CrossMoments") -> "CrossMoments":
        mass = self.mass + other.mass
        share = other.mass / mass if mass > 0 else 0.0
        x, y = other.x_mean - self.x_mean, other.y_mean - self.y_mean
        joint = self.mass * share
        return CrossMoments(
            mass,
            self.x_mean + share * x,
            self.y_mean + share * y,
            self.xx + other.xx + joint * np.outer(x, x),
            self.xy + other.xy + joint * np.outer(x, y),
            self.yy + other.yy + joint * y**2,
            self.rows + other.rows,
        )

    def about_zero(self) -> "CrossMoments":
        """The same sums about zero instead of the means, for a model without intercept."""
        zeros = np.zeros_like(self.x_mean), np.zeros_like(self.y_mean)
        return CrossMoments(
            self.mass,
            *zeros,
            self.xx + self.mass * np.outer(self.x_mean, self.x_mean),
            self.xy + self.mass * np.outer(self.x_mean, self.y_mean),
            self.yy + self.mass * self.y_mean**2,
            self.rows,
        )


def _scatter(X: np.ndarray, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Mean and centred scatter of dense rows: one class of the discriminant's kernel."""
    one_class = np.zeros(len(X), dtype=np.int32)
    _, mean, within = kernels.class_scatter(X, one_class, weight, 1, n_threads=n_threads())
    return mean[0], within


def _sparse_scatter(X: Any, weight: np.ndarray | None, mass: float) -> tuple[np.ndarray, np.ndarray]:
    heavy = X.astype(np.float64) if weight is None else sp.diags_array(weight) @ X.astype(np.float64)
    mean = np.asarray(heavy.sum(axis=0)).ravel() / mass
    products = (heavy.T @ X.astype(np.float64)).toarray()
    return mean, products - mass * np.outer(mean, mean)
