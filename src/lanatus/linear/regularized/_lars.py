"""Least angle regression, and the lasso by the same steps."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import as_targets, fitting, warn_unconverged
from lanatus.callbacks import tell
from lanatus.catalog import method
from lanatus.linear._linear_regressor import LinearRegressor
from lanatus.linear._rules import RULES
from lanatus.linear.regularized._fit import open_risk
from lanatus.optimize.solvers import centred
from lanatus.params import Array, Choice, Flag, Integer, Nothing, ParameterRule, Real, rules_for

_EPS = float(np.finfo(float).eps)
_OWN: dict[str, ParameterRule] = {
    "precompute": Flag() | Choice("auto") | Array(ndim=2) | Nothing(),
    "eps": Real(low=0),
    "fit_path": Flag(),
    "jitter": Real(low=0) | Nothing(),
}


@dataclass
class LarsPath:
    """Corners of the path: largest correlation (sum over rows), weights (corners, d), columns in use at the end."""

    correlations: list[float]
    corners: list[np.ndarray]
    active: list[int]


def follow_path(
    X: np.ndarray,
    y: np.ndarray,
    *,
    lasso: bool,
    positive: bool,
    floor: float,
    most_steps: int,
    least: float = 0.0,
) -> LarsPath:
    """The steps of least angle regression on centred X and y, until the largest correlation is at most `floor`.

    Columns in use keep correlations of one common size, which falls at unit rate along d = (X_A'X_A)^-1 sign(c_A). A
    step ends where another column reaches that size or, for the lasso, where a weight reaches zero and leaves. A column
    that depends on those in use, but for a share of its square of at most `least`, is left out for good.
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
            _enter(X, path.active, left_out, seen, max(least, 1e-14))
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


def _enter(X: np.ndarray, active: list[int], left_out: np.ndarray, seen: np.ndarray, least: float) -> None:
    """Take in the column of the largest correlation, or the next that does not depend on those in use."""
    outside = [j for j in np.argsort(-seen, kind="stable") if j not in active and not left_out[j]]
    for j in outside[:1] if active else outside:
        column = X[:, j]
        rest = column
        if active:
            rest = column - X[:, active] @ np.linalg.lstsq(X[:, active], column, rcond=None)[0]
        if rest @ rest > least * (column @ column) and seen[j] > 0:
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


def _fit_path(model: Any, X: Any, y: Any, Xy: Any, sample_weight: Any, floor: float, **how: Any) -> None:
    """Keep the paths of a model, one for each target, and the weights at their ends."""
    risk = open_risk(model, X, y, sample_weight, targets=as_targets)
    if Xy is not None and np.shape(Xy) != (risk.d, *risk.y.shape[1:]):
        raise ValueError(
            f"Xy must be the products of columns and target, one a column of X; got shape "
            f"{np.shape(Xy)}. Weights of rows are given by name: sample_weight=..."
        )
    rows = centred(risk.X, risk.targets, risk.weight, risk.fit_intercept)
    Y = rows.Y
    if model.jitter is not None:
        Y = Y + check_random_state(model.random_state).uniform(high=model.jitter, size=len(Y))[:, None]
    paths = [follow_path(rows.X, target, floor=floor * rows.mass, least=model.eps, **how) for target in Y.T]
    alphas = [np.array(path.correlations) / rows.mass for path in paths]
    corners = [np.array(path.corners).T for path in paths]
    for k in range(len(paths)):
        stop_at(floor, alphas[k], corners[k])
        if model.verbose:
            tell(f"{type(model).__name__}: {len(alphas[k]) - 1} steps, {len(paths[k].active)} columns in use")
    model._set_linear(
        np.column_stack([one[:, -1] for one in corners]),
        rows.x_mean,
        rows.y_mean,
        risk.X.dtype,
        risk.targets.shape[1] == 1,
    )
    kept: dict[str, list[Any]] = {
        "alphas_": [one.astype(risk.X.dtype, copy=False) for one in alphas],
        "active_": [path.active for path in paths],
        "n_iter_": [len(one) - 1 for one in alphas],
        "coef_path_": [one.astype(risk.X.dtype, copy=False) for one in corners],
    }
    if not model.fit_path:
        del kept["coef_path_"], kept["active_"]
        model.__dict__.pop("coef_path_", None), model.__dict__.pop("active_", None)
    for name, values in kept.items():
        setattr(model, name, values[0] if len(values) == 1 else values)


def stop_at(alpha: float, alphas: np.ndarray, corners: np.ndarray) -> None:
    """Cut the last piece of a path, in place, where its penalty is alpha."""
    if len(alphas) > 1 and alphas[-1] < alpha:
        before, after = alphas[-2:]
        corners[:, -1] = corners[:, -2] + (before - alpha) / (before - after) * (corners[:, -1] - corners[:, -2])
        alphas[-1] = alpha


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
    verbose : bool or int, default=False
        Above 0 it prints a line for each target.
    precompute : bool, "auto" or array of shape (n_features, n_features), default="auto"
        Taken for scikit-learn's sake; the path is followed on X itself.
    n_nonzero_coefs : int, default=500
        Most columns in use; the path ends where another would enter.
    eps : float, default=2.2e-16
        A column is left out of which at most this share (and at least 1e-14) of the square is not in those in use.
    copy_X : bool, default=True
        Taken for scikit-learn's sake; X is never changed.
    fit_path : bool, default=True
        Whether `coef_path_` and `active_` are kept.
    jitter : float or None, default=None
        Most noise, drawn evenly from 0, that is added to the target: then columns do not enter at once.
    random_state : int, RandomState or None, default=None
        Draws that noise.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,), weights at the end of the path
    intercept_ : float, bias there
    alphas_ : ndarray of shape (n_steps + 1,), largest (mean) correlation at each corner of the path
    coef_path_ : ndarray of shape (n_features, n_steps + 1), weights at each corner
    active_ : list of int, columns in use at the end, in order of entry
    n_iter_ : int, number of steps; for several targets this and the above are lists
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

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        verbose: Any = False,
        precompute: Any = "auto",
        n_nonzero_coefs: int = 500,
        eps: float = _EPS,
        copy_X: bool = True,
        fit_path: bool = True,
        jitter: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.precompute = precompute
        self.n_nonzero_coefs = n_nonzero_coefs
        self.eps = eps
        self.copy_X = copy_X
        self.fit_path = fit_path
        self.jitter = jitter
        self.random_state = random_state

    _params = rules_for(__init__, RULES, n_nonzero_coefs=Integer(low=1), **_OWN)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any, Xy: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts.

        `Xy` is taken for scikit-learn's sake: products are made from X.
        """
        how = {"lasso": False, "positive": False, "most_steps": int(self.n_nonzero_coefs)}
        _fit_path(self, X, y, Xy, sample_weight, 0.0, **how)
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
    verbose : bool or int, default=False
        Above 0 it prints a line for each target.
    precompute : bool, "auto" or array of shape (n_features, n_features), default="auto"
        Taken for scikit-learn's sake; the path is followed on X itself.
    max_iter : int, default=500
        Most steps.
    eps : float, default=2.2e-16
        A column is left out of which at most this share (and at least 1e-14) of the square is not in those in use.
    copy_X : bool, default=True
        Taken for scikit-learn's sake; X is never changed.
    fit_path : bool, default=True
        Whether `coef_path_` and `active_` are kept.
    positive : bool, default=False
        Whether all weights must be 0 or more.
    jitter : float or None, default=None
        Most noise, drawn evenly from 0, that is added to the target: then columns do not enter at once.
    random_state : int, RandomState or None, default=None
        Draws that noise.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,), weights at `alpha`
    intercept_ : float, bias there
    alphas_ : ndarray of shape (n_steps + 1,), penalty at each corner of the path, the last `alpha`
    coef_path_ : ndarray of shape (n_features, n_steps + 1), weights at each of them
    active_ : list of int, columns in use at the end
    n_iter_ : int, number of steps; for several targets this and the above are lists
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
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        verbose: Any = False,
        precompute: Any = "auto",
        max_iter: int = 500,
        eps: float = _EPS,
        copy_X: bool = True,
        fit_path: bool = True,
        positive: bool = False,
        jitter: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.precompute = precompute
        self.max_iter = max_iter
        self.eps = eps
        self.copy_X = copy_X
        self.fit_path = fit_path
        self.positive = positive
        self.jitter = jitter
        self.random_state = random_state

    _params = rules_for(__init__, RULES, **_OWN)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any, Xy: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts.

        `Xy` is taken for scikit-learn's sake: products are made from X.
        """
        how = {"lasso": True, "positive": self.positive, "most_steps": int(self.max_iter)}
        _fit_path(self, X, y, Xy, sample_weight, float(self.alpha), **how)
        paths = [self.alphas_] if isinstance(self.alphas_, np.ndarray) else self.alphas_
        if any(len(one) > self.max_iter and one[-1] > max(self.alpha, 1e-12 * one[0]) for one in paths):
            warn_unconverged(self)
        return self
