"""What least squares needs to know of the rows: means, and how columns and targets vary together."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import linear as kernels
from lanatus.base import n_threads
from lanatus.catalog import savable

_EPS = np.finfo(np.float64).eps
_COLLINEAR = 1e-13  # eigenvalue of correlations from where columns depend on each other


@savable
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
    log_weight : float
        Sum of the logarithms of the positive weights.
    blur : float
        Rounding of the diagonal of `xx`, over `mass` times the square of the mean.
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
        log_weight: float,
        blur: float,
    ) -> None:
        self.mass, self.rows, self.log_weight, self.blur = mass, rows, log_weight, blur
        self.x_mean, self.y_mean = x_mean, y_mean
        self.xx, self.xy, self.yy = xx, xy, yy

    @classmethod
    def of(cls, X: Any, Y: np.ndarray, weight: np.ndarray | None) -> "CrossMoments":
        """Of some rows: X dense or CSR, Y of shape (n, t), weights or None."""
        mass = float(len(Y) if weight is None else weight.sum())
        rows = len(Y) if weight is None else int(np.count_nonzero(weight))
        if not mass > 0:
            d, t = X.shape[1], Y.shape[1]
            return cls(0.0, np.zeros(d), np.zeros(t), np.zeros((d, d)), np.zeros((d, t)), np.zeros(t), 0, 0.0, 0.0)
        y_mean = np.average(Y, axis=0, weights=weight)
        off = Y - y_mean
        heavy = off if weight is None else off * weight[:, None]
        x_mean, xx = _sparse_scatter(X, weight, mass) if sp.issparse(X) else _scatter(X, weight)
        xy = np.asarray(X.T @ heavy.astype(X.dtype, copy=False), dtype=np.float64)
        xy -= np.outer(x_mean, heavy.sum(axis=0))
        log_weight = 0.0 if weight is None else float(np.log(weight[weight > 0]).sum())
        # The sums of sparse rows are differences of large numbers; those of dense rows are centred from the start.
        blur = 16 * _EPS if sp.issparse(X) else (16 * _EPS) ** 2
        return cls(mass, x_mean, y_mean, xx, xy, np.einsum("it,it->t", off, heavy), rows, log_weight, blur)

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
            self.log_weight + other.log_weight,
            max(self.blur, other.blur),
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
            self.log_weight,
            self.blur,
        )

    def without_flat(self) -> "CrossMoments":
        """The same with columns whose spread is rounding only made constant, so that they get no weight."""
        spread = np.sqrt(np.maximum(np.diag(self.xx), 0.0) / max(self.mass, np.finfo(np.float64).tiny))
        flat = spread <= np.sqrt(self.blur) * np.abs(self.x_mean)
        if not flat.any():
            return self
        xx, xy = self.xx.copy(), self.xy.copy()
        xx[flat], xx[:, flat], xy[flat] = 0.0, 0.0, 0.0
        return CrossMoments(self.mass, self.x_mean, self.y_mean, xx, xy, self.yy, self.rows, self.log_weight, self.blur)

    def inverse(self) -> tuple[np.ndarray, int]:
        """(Pseudo-)inverse of `xx`, and its rank, whatever the scales of the columns."""
        scale = np.sqrt(np.diag(self.xx))
        moves = scale > 0
        scale = np.where(moves, scale, 1.0)
        unit = self.xx / np.outer(scale, scale)
        rank = int((np.linalg.eigvalsh(unit) > _COLLINEAR).sum())
        if rank < moves.sum():
            return np.linalg.pinv(self.xx, hermitian=True), rank
        return np.linalg.pinv(unit, hermitian=True) / np.outer(scale, scale), rank


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
