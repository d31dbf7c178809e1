"""The fused lasso."""

from typing import Any, Self

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.linear._linear_regressor import LinearRegressor
from lanatus.linear._rules import RULES, STRENGTH
from lanatus.linear.regularized._fit import fit_penalized, open_risk
from lanatus.optimize.penalties import Fused
from lanatus.optimize.solvers import ProximalGradientDescent
from lanatus.params import rules_for


@method(
    "linear.fused-lasso",
    section="11.7",
    task="regression",
    en="Fused LASSO",
    zh="融合LASSO",
)
class FusedLasso(LinearRegressor):
    r"""Fused lasso: weights that are sparse, and constant over runs of neighbouring columns.

    Minimises :math:`\frac{1}{2\sum_i v_i}\sum_i v_i(y_i - w^T x_i - b)^2 + \alpha_1\lVert w\rVert_1 +
    \alpha_2\sum_j|w_j - w_{j-1}|` for columns that have an order. With ``loss_scale="sum"`` the first term is the sum
    of squares.

    Book: section 11.7. Kernel: ``cpp/linear/total_variation.hpp``.

    Parameters
    ----------
    alpha1 : float, default=0.1
        Strength of the L1 penalty.
    alpha2 : float, default=0.1
        Strength of the penalty on differences of neighbours.
    fit_intercept : bool, default=True
        Whether there is a bias b.
    max_iter : int, default=10000
        Most steps.
    tol : float, default=1e-7
        Stop once the proximal gradient is below this share of the first.
    loss_scale : {"mean", "sum"}, default="mean"
        "sum" has the sum of squares in place of half their mean.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,), weights
    intercept_ : float, bias
    objective_ : float, the objective at the solution
    n_iter_ : int, steps used
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Accelerated proximal gradient; the proximal step is exact, by dynamic programming. Cost: :math:`O(nd)` a step;
    memory :math:`O(n + d)` beside X. Sparse X stays sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.linear import FusedLasso
    >>> y = [1.0, 1.2, 0.8, 5.0, 5.2, 4.8]  # smoothing a signal: one column a value
    >>> model = FusedLasso(0, 1, fit_intercept=False, loss_scale="sum").fit(np.eye(6), y)
    >>> model.coef_.round(4).tolist()
    [1.1667, 1.1667, 1.1667, 4.8333, 4.8333, 4.8333]

    References
    ----------
    Tibshirani et al. (2005), Sparsity and smoothness via the fused lasso. Friedman et al. (2007), Pathwise coordinate
    optimization. Johnson (2013), A dynamic programming algorithm for the fused lasso and L0-segmentation.
    """

    def __init__(
        self,
        alpha1: float = 0.1,
        alpha2: float = 0.1,
        *,
        fit_intercept: bool = True,
        max_iter: int = 10000,
        tol: float = 1e-7,
        loss_scale: str = "mean",
    ) -> None:
        self.alpha1 = alpha1
        self.alpha2 = alpha2
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.loss_scale = loss_scale

    _params = rules_for(__init__, RULES, alpha1=STRENGTH, alpha2=STRENGTH)

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        risk = open_risk(self, X, y, sample_weight)
        penalty = Fused(self.alpha1, self.alpha2)
        return fit_penalized(self, risk, penalty, ProximalGradientDescent(self.tol, self.max_iter))
