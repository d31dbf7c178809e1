"""Least angle regression, and the lasso by the same steps."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from lanatus.base import fitting, warn_unconverged
from lanatus.catalog import method
from lanatus.linear._linear_regressor import LinearRegressor
from lanatus.linear._rules import RULES
from lanatus.linear.regularized._fit import open_risk
from lanatus.optimize.solvers import centred
from lanatus.params import Integer, rules_for


@dataclass
class LarsPath:
    """Corners of the path: largest correlation (sum over rows), weights (corners, d), columns in use at the end."""

    correlations: list[float]
    corners: list[np.ndarray]
    active: list[int]


def follow_path(
    X: np.ndarray, y: np.ndarray, *, lasso: bool, positive: bool, floor: float, most_steps: int
) -> LarsPath:
    """The steps of least angle regression on centred X and y, until the largest correlation is at most `floor`.

    Columns in use keep correlations of one common size, which falls at unit rate along d = (X_A'X_A)^-1 sign(c_A). A
    step ends where another column reaches that size or, for the lasso, where a weight reaches zero and leaves. A column
    that depends on those in use is left out for good.
    """
    d = X.shape[1]
    w = np.zeros(d)
    path = LarsPath([], [], [])
    left_out, dropped = np.zeros(d, dtype=bool), -1
    tiny = 1e-12 * float(np.abs(X.T @ y).max(initial=0.0))
    for _ in range(most_steps + 1):
        c = X.T @ (y - X @ w)
        seen = np.where(left_out, -np.inf, c if positive else np.abs(c))
        size = float(np.max(seen, initial=0.0))
        path.correlations.append(max(size, 0.0))
        path.corners.append(w.copy())
        if size <= max(floor, tiny) or len(path.corners) > most_steps:
            break
        if dropped < 0:
            _enter(X, path.active, left_out, seen)
        if not path.active:
            break
        signs = np.sign(c[path.active])
        direction = np.linalg.solve(X[:, path.active].T @ X[:, path.active], signs)
        a = X.T @ (X[:, path.active] @ direction)
        step = _next_entry(c, a, size, positive, path.active, left_out, dropped)
        dropped = -1
        if lasso:
            with np.errstate(divide="ignore", invalid="ignore"):
                zero_at = -w[path.active] / direction
            zero_at[~(zero_at > 1e-14 * step)] = np.inf
            if zero_at.min() < step:
                step = float(zero_at.min())
                dropped = path.active[int(zero_at.argmin())]
        w[path.active] += step * direction
        if dropped >= 0:
            w[dropped] = 0.0
            path.active.remove(dropped)
    return path


def _enter(X: np.ndarray, active: list[int], left_out: np.ndarray, seen: np.ndarray) -> None:
    """Take in the column of the largest correlation, or the next that does not depend on those in use."""
    outside = [j for j in np.argsort(-seen, kind="stable") if j not in active and not left_out[j]]
    for j in outside[:1] if active else outside:
        column = X[:, j]
        rest = column
        if active:
            rest = column - X[:, active] @ np.linalg.lstsq(X[:, active], column, rcond=None)[0]
        if rest @ rest > 1e-14 * (column @ column) and seen[j] > 0:
            active.append(int(j))
            return
        left_out[j] = True


def _next_entry(
    c: np.ndarray,
    a: np.ndarray,
    size: float,
    positive: bool,
    active: list[int],
    left_out: np.ndarray,
    dropped: int,
) -> float:
    """How far to go until an outside column is as correlated as those in use, at most to their least squares."""
    outside = ~left_out
    outside[active] = False
    if not outside.any():
        return size
    with np.errstate(divide="ignore", invalid="ignore"):
        meets = (size - c[outside]) / (1 - a[outside])
        if not positive:
            meets = np.concatenate([meets, (size + c[outside]) / (1 + a[outside])])
    barely = 1e-12 * size if dropped >= 0 else 0.0  # the column just dropped is at the common size still
    meets = meets[np.isfinite(meets) & (meets > barely)]
    return float(min(meets.min(initial=size), size))


def _fit_path(model: Any, X: Any, y: Any, sample_weight: Any, floor: float, **how: Any) -> tuple[Any, ...]:
    """Keep the path of a model; the means of columns and target, and the type of the columns."""
    risk = open_risk(model, X, y, sample_weight)
    rows = centred(risk.X, risk.targets, risk.weight, risk.fit_intercept)
    path = follow_path(rows.X, rows.Y[:, 0], floor=floor * rows.mass, **how)
    model.alphas_ = np.array(path.correlations) / rows.mass
    model.coef_path_ = np.array(path.corners).T
    model.active_ = path.active
    model.n_iter_ = len(model.alphas_) - 1
    return rows.x_mean, rows.y_mean, risk.X.dtype


@method(
    "linear.lars",
    section="11.7",
    task="regression",
    en="Least angle regression and its LASSO variant",
    zh="最小角回归",
    peers=["scikit-learn:Lars"],
)
class Lars(LinearRegressor):
    r"""Least angle regression: columns enter one by one, all in use equally correlated with the residual.

    Each step goes along :math:`(X_A^TX_A)^{-1}\,\mathrm{sign}(X_A^Tr)` until another column's correlation has the same
    size; after the last column it ends at least squares.

    Book: section 11.7.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether there is a bias b.
    n_nonzero_coefs : int, default=500
        Most columns in use; the path ends where another would enter.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,), weights at the end of the path
    intercept_ : float, bias there
    alphas_ : ndarray of shape (n_steps + 1,), largest (mean) correlation at each corner of the path
    coef_path_ : ndarray of shape (n_features, n_steps + 1), weights at each corner
    active_ : list of int, columns in use at the end, in order of entry
    n_iter_ : int, number of steps
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Cost: :math:`O(nd + nk^2)` for step k. Memory: a centred copy of X. A column that depends on those in use is left
    out.

    Examples
    --------
    >>> from lanatus.linear import Lars
    >>> model = Lars(n_nonzero_coefs=1).fit([[-1, 1], [0, 0], [1, 1]], [-1.1111, 0, -1.1111])
    >>> model.coef_.round(4).tolist(), model.active_
    ([0.0, -1.1111], [1])

    References
    ----------
    Efron, Hastie, Johnstone and Tibshirani (2004), Least angle regression.
    """

    def __init__(self, *, fit_intercept: bool = True, n_nonzero_coefs: int = 500) -> None:
        self.fit_intercept = fit_intercept
        self.n_nonzero_coefs = n_nonzero_coefs

    _params = rules_for(__init__, RULES, n_nonzero_coefs=Integer(low=1))

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        how = {"lasso": False, "positive": False, "most_steps": int(self.n_nonzero_coefs)}
        x_mean, y_mean, dtype = _fit_path(self, X, y, sample_weight, 0.0, **how)
        self._set_linear(self.coef_path_[:, -1:], x_mean, y_mean, dtype, True)
        return self


@method(
    section="11.7",
    task="regression",
    en="LASSO by least angle regression",
    zh="LASSO最小角回归",
    peers=["scikit-learn:LassoLars"],
)
class LassoLars(LinearRegressor):
    r"""The lasso by the steps of least angle regression: its whole path, corner by corner.

    Minimises :math:`\frac{1}{2n}\lVert y - Xw\rVert^2 + \alpha\lVert w\rVert_1`. As `Lars`, but a weight that reaches
    zero leaves; the weights are linear in alpha between the corners.

    Book: section 11.7.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, where the path ends.
    fit_intercept : bool, default=True
        Whether there is a bias b.
    max_iter : int, default=500
        Most steps.
    positive : bool, default=False
        Whether all weights must be 0 or more.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,), weights at `alpha`
    intercept_ : float, bias there
    alphas_ : ndarray of shape (n_steps + 1,), penalty at each corner of the path, the last `alpha`
    coef_path_ : ndarray of shape (n_features, n_steps + 1), weights at each of them
    active_ : list of int, columns in use at the end
    n_iter_ : int, number of steps
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Cost: :math:`O(nd + nk^2)` for a step with k columns in use. Memory: a centred copy of X. The answer is exact up to
    rounding, unless `max_iter` ends the path early: then it is that of the last corner, with a
    warning.

    Examples
    --------
    >>> from lanatus.linear import LassoLars
    >>> model = LassoLars(0.01).fit([[-1, 1], [0, 0], [1, 1]], [-1, 0, -1])
    >>> model.coef_.round(4).tolist()
    [0.0, -0.955]

    References
    ----------
    Efron, Hastie, Johnstone and Tibshirani (2004), Least angle regression.
    """

    def __init__(
        self, alpha: float = 1.0, *, fit_intercept: bool = True, max_iter: int = 500, positive: bool = False
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.positive = positive

    _params = rules_for(__init__, RULES)

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        how = {"lasso": True, "positive": self.positive, "most_steps": int(self.max_iter)}
        x_mean, y_mean, dtype = _fit_path(self, X, y, sample_weight, float(self.alpha), **how)
        if self.n_iter_ >= self.max_iter and self.alphas_[-1] > max(self.alpha, 1e-12 * self.alphas_[0]):
            warn_unconverged(self)
        self._stop_at(float(self.alpha))
        self._set_linear(self.coef_path_[:, -1:], x_mean, y_mean, dtype, True)
        return self

    def _stop_at(self, alpha: float) -> None:
        """Cut the last piece of the path where its penalty is alpha."""
        if len(self.alphas_) > 1 and self.alphas_[-1] < alpha:
            before, after = self.alphas_[-2:]
            share = (before - alpha) / (before - after)
            step = self.coef_path_[:, -1] - self.coef_path_[:, -2]
            self.coef_path_[:, -1] = self.coef_path_[:, -2] + share * step
            self.alphas_[-1] = alpha
