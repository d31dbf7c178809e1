"""The smooth part of an objective: the losses of all rows."""

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.optimize.losses import Loss


class Risk:
    r"""Empirical risk of a linear model, :math:`\frac1c\sum_i v_i\,\ell(y_i, w^T(x_i - \bar x) + b)`.

    The bias is that of columns about their means, which eases the steps of a solver.

    Parameters
    ----------
    loss : Loss
    X : ndarray or CSR matrix of shape (n, d)
    y : ndarray of shape (n,), or (n, t) for several targets
    weight : ndarray of shape (n,) or None
        Weights v of the rows.
    normalizer : float or None
        What the sum of the losses is divided by, c; None: the sum of the weights, which makes it a mean.
    fit_intercept : bool
        Whether there is a bias; without one the columns are taken as they are.
    """

    def __init__(
        self,
        loss: Loss,
        X: Any,
        y: np.ndarray,
        weight: np.ndarray | None,
        normalizer: float | None,
        fit_intercept: bool,
    ) -> None:
        self.loss, self.X, self.y, self.weight = loss, X, y, weight
        self.fit_intercept = fit_intercept
        self.n, self.d = X.shape
        self.mass = float(self.n if weight is None else weight.sum())
        if not self.mass > 0:  # a fold, too, may hold none of the rows that weigh something
            raise ValueError("sample_weight leaves no row with a positive weight to learn from; wanted at least one.")
        self.normalizer = self.mass if normalizer is None else normalizer
        self.scale = 1 / self.normalizer

    @cached_property
    def rows(self) -> np.ndarray:
        """Weights of the rows, ones where none were given."""
        return np.ones(self.n) if self.weight is None else self.weight

    @cached_property
    def centre(self) -> np.ndarray:
        """Means of the columns, zeros without a bias."""
        return np.asarray(self.rows @ self.X).ravel() / self.mass if self.fit_intercept else np.zeros(self.d)

    @property
    def targets(self) -> np.ndarray:
        """y as a matrix of one column a target."""
        return self.y.reshape(len(self.y), -1)

    def take(self, rows: np.ndarray) -> "Risk":
        """The mean loss of some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return Risk(self.loss, self.X[rows], self.y[rows], weight, None, self.fit_intercept)

    def start(self) -> tuple[np.ndarray, float]:
        """Zero weights and the bias of a model that knows no columns."""
        return np.zeros(self.d), float(self.loss.start(self.y, self.weight)) if self.fit_intercept else 0.0

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
        top = largest_eigenvalue(self.X, self.rows, self.centre, self.fit_intercept)
        return self.scale * self.loss.smoothness * top


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
