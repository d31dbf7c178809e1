"""Cross-validated least squares of many subsets, from products of columns that are made once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

_MOST = 2000  # columns of which all products are kept
_LEAST = 1e-5  # of a column, beside those before it, from which products still tell it


def is_least_squares(estimator: Any, rows: Any, y: Any, scoring: Any) -> bool:
    """Whether the learner is plain least squares on numbers, and R squared its score."""
    kind = type(estimator)
    return bool(
        kind.__name__ == "LinearRegression"
        # scikit-learn's takes columns that are small beside others for none, which products do not
        and kind.__module__.startswith("lanatus.linear.")
        and not estimator.positive
        and scoring in (None, "r2")
        and isinstance(rows, np.ndarray)
        and rows.shape[1] <= _MOST
        and np.ndim(y) == 1
        and np.isfinite(rows).all()
    )


@dataclass(frozen=True)
class _Fold:
    """Products of the columns of a fold, about the means of its training rows; columns of length one there.

    Parameters
    ----------
    G, c : ndarray of shapes (d, d) and (d,)
        Of the training rows: columns with each other, and with the target.
    T, t : ndarray of shapes (d, d) and (d,)
        The same of the test rows.
    squares, spread : float
        Squared targets of the test rows, about the training mean, and about their own.
    """

    G: np.ndarray
    c: np.ndarray
    T: np.ndarray
    t: np.ndarray
    squares: float
    spread: float

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, centre: bool) -> "_Fold":
        learn, ask = X[train].astype(np.float64), X[test].astype(np.float64)
        middle, level = (learn.mean(axis=0), y[train].mean()) if centre else (0.0, 0.0)
        learn, ask, own, asked = learn - middle, ask - middle, y[train] - level, y[test] - level
        size = np.sqrt(np.einsum("ij,ij->j", learn, learn))
        size[size == 0] = 1.0
        learn, ask = learn / size, ask / size
        spread = float(np.sum((y[test] - y[test].mean()) ** 2))
        return cls(learn.T @ learn, learn.T @ own, ask.T @ ask, ask.T @ asked, float(asked @ asked), spread)

    def score(self, columns: np.ndarray) -> float | None:
        """R squared on the test rows; None where products do not tell the columns apart."""
        try:
            factor = cho_factor(self.G[np.ix_(columns, columns)], lower=True, check_finite=False)
        except LinAlgError:
            return None
        if np.diag(factor[0]).min() < _LEAST:
            return None
        w = cho_solve(factor, self.c[columns], check_finite=False)
        rest = self.squares - 2 * w @ self.t[columns] + w @ self.T[np.ix_(columns, columns)] @ w
        return 1 - float(rest) / self.spread


class LeastSquaresFolds:
    """Mean R squared of least squares over the folds, on some columns.

    A subset of k columns costs :math:`O(k^3)` a fold, whatever the number of rows. Where columns all but depend on each
    other, or a test fold's targets are all the same, the learner itself is asked.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        The rows.
    y : ndarray of shape (n,)
        The targets.
    splits : list of (train, test)
        The folds.
    centre : bool
        Whether there is a bias.
    slow : callable
        The score of a subset by the learner itself.
    """

    def __init__(
        self, rows: np.ndarray, y: Any, splits: list[Any], centre: bool, slow: Callable[[tuple[int, ...]], float]
    ) -> None:
        target = np.asarray(y, dtype=np.float64)
        self._folds = [_Fold.of(rows, target, train, test, centre) for train, test in splits]
        self._slow = slow

    def __call__(self, subset: tuple[int, ...]) -> float:
        columns = np.array(subset, dtype=np.intp)
        scores = []
        for fold in self._folds:
            score = fold.score(columns) if len(columns) and fold.spread > 1e-12 * fold.squares else None
            if score is None:
                return self._slow(subset)
            scores.append(score)
        return float(np.mean(scores))
