"""Best-subset regression: least squares with at most k weights."""

from typing import Any, Self

import numpy as np

from lanatus.base import Takes, fitting
from lanatus.catalog import method
from lanatus.linear._linear_regressor import LinearRegressor
from lanatus.linear._rules import RULES
from lanatus.linear._targets import single_target
from lanatus.optimize.solvers import centred
from lanatus.params import Choice, Integer, rules_for

_EXACT_COLUMNS = 20


@method(
    "linear.best-subset-l0",
    section="11.4",
    task="regression",
    en="L0-regularised (best-subset) regression",
    zh="L0正则化",
    peers=["abess:LinearRegression"],
)
class BestSubsetRegression(LinearRegressor):
    r"""Least squares with at most k weights that are not zero: the L0 constraint.

    Minimises :math:`\sum_i v_i(y_i - w^T x_i - b)^2` subject to :math:`\lVert w\rVert_0 \le k`. That is hard: with few
    columns it is done exactly by branch and bound, else by forward choice and exchanges, which may end in a local
    minimum.

    Book: section 11.4, exercise 11.7.

    Parameters
    ----------
    k : int, default=5
        Most weights.
    search : {"auto", "exact", "local"}, default="auto"
        "exact": branch and bound, at worst exponential in the number of columns; "local": forward choice, then the best
        exchange of a column in use for one that is not, while that helps. "auto" is exact up to 20 columns.
    fit_intercept : bool, default=True
        Whether there is a bias b.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,), weights
    intercept_ : float, bias
    support_ : ndarray of int, the columns chosen
    search_ : str, "exact" or "local", what was done
    residual_sum_of_squares_ : float, the (weighted) sum of squares at the solution
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Cost: :math:`O(nd^2)` for the products; "local" :math:`O(k^2d)` per column chosen or exchanged; "exact" up to
    :math:`2^d` times :math:`O(d^3)`, most of which the bound (more columns never fit worse) spares. Memory
    :math:`O(d^2)`.

    Examples
    --------
    >>> from lanatus.linear import BestSubsetRegression
    >>> X, y = [[1, 0, 1], [2, 1, 0], [3, 1, 1], [4, 0, 0]], [1.0, 3.0, 4.0, 4.0]
    >>> BestSubsetRegression(2).fit(X, y).support_.tolist()
    [0, 1]

    References
    ----------
    Furnival and Wilson (1974), Regressions by leaps and bounds.
    """

    _takes = Takes()

    def __init__(self, k: int = 5, *, search: str = "auto", fit_intercept: bool = True) -> None:
        self.k = k
        self.search = search
        self.fit_intercept = fit_intercept

    _params = rules_for(__init__, RULES, k=Integer(low=1), search=Choice("auto", "exact", "local"))

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        X = self._take(X, reset=True)
        weight = self._weights(sample_weight, X)
        y = single_target(y, X)
        rows = centred(X, y[:, None], weight, self.fit_intercept)
        target = rows.Y[:, 0]
        d = X.shape[1]
        k = min(int(self.k), d)
        self.search_ = self.search if self.search != "auto" else "exact" if d <= _EXACT_COLUMNS else "local"
        sums = _Sums(rows.X, target)
        chosen = _exchanged(sums, k)
        if self.search_ == "exact" and k < d:
            chosen = _branch_and_bound(sums, k, chosen)
        coef = np.zeros((d, 1))
        coef[chosen, 0] = np.linalg.lstsq(rows.X[:, chosen], target, rcond=None)[0]
        self.support_ = np.flatnonzero(coef[:, 0])
        residual = target - rows.X @ coef[:, 0]
        self.residual_sum_of_squares_ = float(residual @ residual)
        self._set_linear(coef, rows.x_mean, rows.y_mean, X.dtype, True)
        return self


class _Sums:
    """Sums of squares that subsets of columns leave over, from products of unit columns."""

    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        length = np.linalg.norm(X, axis=0)
        self.usable = length > 0
        unit = X / np.where(self.usable, length, 1.0)
        self.gram, self.product, self.total = unit.T @ unit, unit.T @ y, float(y @ y)
        self.d = X.shape[1]

    def left(self, columns: list[int]) -> float:
        """What is left of y'y when these columns are used."""
        if not columns:
            return self.total
        at = np.ix_(columns, columns)
        coef = np.linalg.lstsq(self.gram[at], self.product[columns], rcond=1e-13)[0]
        return self.total - float(self.product[columns] @ coef)

    def gains(self, columns: list[int]) -> np.ndarray:
        """How much each further column would take off; nothing where it depends on those in use."""
        if not columns:
            return np.where(self.usable, self.product**2, 0.0)
        part, across = self.gram[np.ix_(columns, columns)], self.gram[columns]
        solved = np.linalg.lstsq(part, np.column_stack([self.product[columns], across]), rcond=1e-13)[0]
        slope = self.product - across.T @ solved[:, 0]
        own = np.diag(self.gram) - np.einsum("kj,kj->j", across, solved[:, 1:])
        gain = np.where(own > 1e-10, slope**2 / np.maximum(own, 1e-10), 0.0)
        gain[columns] = 0.0
        return gain


def _exchanged(sums: _Sums, k: int) -> list[int]:
    """Forward choice of k columns, then the best exchange of one for another while the sum of squares falls."""
    chosen: list[int] = []
    for _ in range(k):
        gain = sums.gains(chosen)
        if not gain.max(initial=0.0) > 0:
            break
        chosen.append(int(gain.argmax()))
    left = sums.left(chosen)
    while chosen:
        options = []
        for place in range(len(chosen)):
            rest = chosen[:place] + chosen[place + 1 :]
            gain = sums.gains(rest)
            options.append((sums.left(rest) - float(gain.max()), place, int(gain.argmax())))
        best, place, column = min(options)
        if best >= left - 1e-12 * sums.total:
            return sorted(chosen)
        left, chosen[place] = best, column
    return chosen


def _branch_and_bound(sums: _Sums, k: int, start: list[int]) -> list[int]:
    """The best k columns. A node allows some columns, of which the first `kept` must stay; fewer never fit better."""
    best, chosen = sums.left(start), start
    order = [int(j) for j in np.argsort(-sums.gains([]), kind="stable") if sums.usable[j]]
    nodes = [(order, 0)]
    while nodes:
        allowed, kept = nodes.pop()
        left = sums.left(allowed)
        if left >= best - 1e-12 * sums.total:
            continue
        if len(allowed) <= k:
            best, chosen = left, allowed
            continue
        # Removing place i keeps those before it, so that every subset is met once.
        nodes.extend((allowed[:i] + allowed[i + 1 :], i) for i in range(min(len(allowed), k + 1) - 1, kept - 1, -1))
    return sorted(chosen)
