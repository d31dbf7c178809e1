"""Least squares with an L1 and an L2 penalty by coordinate descent: the problem, and its solution at many penalties."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import column_or_1d

from lanatus._core import core
from lanatus._core import linear as kernels
from lanatus.base import as_targets, n_threads
from lanatus.linear._cross_moments import CrossMoments

_TALL = 2  # rows for each column from where the matrix of products pays
_MOST_COLUMNS = 1500  # of that matrix, when it is the solver's own choice
_WORKING_COLUMNS = 5000  # most columns of a working set for which products are kept

NO_MASS = "sample_weight leaves no row with a positive weight; wanted at least one."
TOO_LARGE = "the products of columns overflow: X or y has values too large to square; scale them first."


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
    """

    X: Any
    y: np.ndarray
    root: np.ndarray | None
    centre: bool
    mass: float
    gram: np.ndarray | None = None
    product: np.ndarray | None = None

    @property
    def null(self) -> float:
        """Twice the objective at zero: the (weighted) sum of squares of y."""
        return float(self.y @ self.y)

    def largest_penalty(self, positive: bool = False) -> float:
        """The least L1 penalty at which all weights are zero."""
        product = self.products()
        return float(max(product.max(initial=0.0) if positive else np.abs(product).max(initial=0.0), 0.0))

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
        X = self.X if isinstance(columns, slice) else self.X[:, columns]
        if not self.centre:
            return np.zeros(X.shape[1])
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
            "tol": tol * self.null,
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


def squared_problems(
    X: Any, Y: np.ndarray, weight: np.ndarray | None, *, fit_intercept: bool, precompute: Any = False
) -> tuple[list[SquaredProblem], np.ndarray]:
    """One problem for each column of Y (n, t), and the means of these columns.

    `precompute` is True (products of columns), an array (these products, centred and weighted as X is) or False: then
    products are made where X is tall and not too wide.
    """
    n, d = X.shape
    mass = float(n if weight is None else weight.sum())
    if not mass > 0:
        raise ValueError(NO_MASS)
    Y = np.asarray(Y, dtype=np.float64)
    y_mean = np.average(Y, axis=0, weights=weight) if fit_intercept else np.zeros(Y.shape[1])
    root = None if weight is None else np.sqrt(weight)
    off = Y - y_mean if root is None else (Y - y_mean) * root[:, None]
    with np.errstate(over="ignore"):
        size = float((off**2).sum())
    if not np.isfinite(size):
        raise ValueError(TOO_LARGE)
    given = None if isinstance(precompute, bool | str) or precompute is None else _checked_gram(precompute, d)
    tall = n >= _TALL * d and d <= _MOST_COLUMNS
    first = SquaredProblem(X.tocsc() if sp.issparse(X) else X, off[:, 0], root, fit_intercept, mass)
    gram = product = None
    if given is not None:
        gram, product = given, np.column_stack([replace(first, y=column).products() for column in off.T])
    elif precompute is True or tall:
        moments = CrossMoments.of(X if sp.issparse(X) else np.ascontiguousarray(X), Y, weight)
        moments = moments.without_flat() if fit_intercept else moments.about_zero()
        gram, product = np.ascontiguousarray(moments.xx), moments.xy
        if not np.isfinite(gram).all():
            raise ValueError(TOO_LARGE)
    problems = [
        replace(first, y=np.ascontiguousarray(off[:, t]), gram=gram, product=_column(product, t))
        for t in range(Y.shape[1])
    ]
    return problems, y_mean


def single_target(y: Any, X: Any) -> np.ndarray:
    """A target of one column, with scikit-learn's warning where it comes as a matrix of one."""
    values = as_targets(y, X)
    if values.ndim == 2 and values.shape[1] > 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {values.shape} instead.")
    return np.asarray(column_or_1d(values, warn=True), dtype=np.float64)


def _column(product: np.ndarray | None, t: int) -> np.ndarray | None:
    return None if product is None else np.ascontiguousarray(product[:, t])


def _checked_gram(gram: Any, d: int) -> np.ndarray:
    gram = np.ascontiguousarray(gram, dtype=np.float64)
    if gram.shape != (d, d):
        raise ValueError(f"precompute must have shape {(d, d)}, one row and column a feature; got {gram.shape}.")
    if not np.isfinite(gram).all():
        raise ValueError("precompute must hold finite numbers; got NaN or infinity.")
    return gram


def warn_gap(name: str, gap: float, wanted: float, max_iter: int) -> None:
    """Tell once that the rounds ran out."""
    warnings.warn(
        f"{name} did not converge in {max_iter} rounds: duality gap {gap:.3g}, wanted {wanted:.3g}. "
        "Raise max_iter, tol or alpha, or scale the data.",
        ConvergenceWarning,
        stacklevel=4,
    )
