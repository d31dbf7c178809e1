"""The group lasso."""

from typing import Any, Self

import numpy as np

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.linear._linear_regressor import LinearRegressor
from lanatus.linear._rules import RULES
from lanatus.linear.regularized._fit import fit_penalized, open_risk
from lanatus.optimize.penalties import GroupL2
from lanatus.optimize.solvers import BlockCoordinateDescent
from lanatus.params import Array, Choice, Integer, Nothing, rules_for


@method(
    "linear.group-lasso",
    section="11.7",
    task="regression",
    en="Group LASSO",
    zh="组LASSO",
    peers=["group-lasso:GroupLasso", "celer:GroupLasso", "skglm:GroupLasso", "adelie:grpnet"],
)
class GroupLasso(LinearRegressor):
    r"""Group lasso: whole groups of weights are zero, or none of a group.

    Minimises :math:`\frac{1}{2\sum_i v_i}\sum_i v_i(y_i - w^T x_i - b)^2 + \alpha\sum_g\sqrt{p_g}\,\lVert w_g\rVert_2`,
    with :math:`p_g` columns in group g. With ``loss_scale="sum"`` the first term is the sum of squares.

    Book: section 11.7. Kernel: ``cpp/linear/block_descent.hpp``.

    Parameters
    ----------
    groups : None, "columns", int or array of shape (n_features,), default=None
        The group of each (expanded) column as a label; a number g: runs of g columns; "columns": the indicators of one
        nominal column are a group; None: the same as "columns", which is the lasso where all columns are numbers.
    alpha : float, default=1.0
        Strength of the penalty.
    fit_intercept : bool, default=True
        Whether there is a bias b.
    max_iter : int, default=1000
        Most rounds over the groups.
    tol : float, default=1e-6
        Stop at this duality gap, over the sum of squares of the (centred) target.
    loss_scale : {"mean", "sum"}, default="mean"
        "sum" has the sum of squares in place of half their mean.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,), weights
    intercept_ : float, bias
    groups_ : list of ndarray, the columns of each group
    dual_gap_ : float, how far the objective can be from its least value
    n_iter_ : int, rounds used
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Cost: :math:`O(nd)` for a look at all groups, :math:`O(ns^2)` for a working set of s columns, :math:`O(s^2)` a
    round. Memory: a centred copy of dense X, d^2 for sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.linear import GroupLasso
    >>> X = np.eye(4)
    >>> y = np.array([3.0, 4.0, 0.5, 0.5])
    >>> model = GroupLasso(2, np.sqrt(2), fit_intercept=False, loss_scale="sum", tol=1e-12).fit(X, y)
    >>> model.coef_.round(4).tolist()  # the first group shrinks by 1 from length 5, the second is gone
    [2.4, 3.2, 0.0, 0.0]

    References
    ----------
    Yuan and Lin (2006), Model selection and estimation in regression with grouped variables.
    """

    def __init__(
        self,
        groups: Any = None,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-6,
        loss_scale: str = "mean",
    ) -> None:
        self.groups = groups
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.loss_scale = loss_scale

    _params = rules_for(__init__, RULES, groups=Nothing() | Choice("columns") | Integer(low=1) | Array(ndim=1))

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        risk = open_risk(self, X, y, sample_weight)
        self.groups_ = self._members(risk.d)
        penalty = GroupL2(self.alpha, self.groups_)
        return fit_penalized(self, risk, penalty, BlockCoordinateDescent(self.tol, self.max_iter))

    def _members(self, d: int) -> list[np.ndarray]:
        """The columns of each group, groups by their first column."""
        if self.groups is None or isinstance(self.groups, str):
            labels = np.repeat(np.arange(len(self.schema_)), [column.width for column in self.schema_.columns])
        elif np.ndim(self.groups) == 0:
            labels = np.arange(d) // int(self.groups)
        else:
            labels = np.asarray(self.groups)
        if len(labels) != d:
            raise ValueError(f"groups must have one label for each of the {d} (expanded) columns; got {len(labels)}.")
        _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
        return [np.flatnonzero(codes == code) for code in np.argsort(first)]
