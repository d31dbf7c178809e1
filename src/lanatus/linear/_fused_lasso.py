"""The fused lasso."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from lanatus.base import fitting, warn_unconverged
from lanatus.catalog import method
from lanatus.linear._coordinate_descent import NO_MASS, single_target
from lanatus.linear._linear_model import LinearModel
from lanatus.linear._losses import Squared
from lanatus.linear._penalties import Fused
from lanatus.linear._solvers import ProximalGradient, Risk
from lanatus.params import Choice, Flag, Integer, Real


@method(
    "linear.fused-lasso",
    section="11.7",
    task="regression",
    en="Fused LASSO",
    zh="融合LASSO",
)
class FusedLasso(RegressorMixin, LinearModel):
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

    _params = {
        "alpha1": Real(low=0, below=np.inf),
        "alpha2": Real(low=0, below=np.inf),
        "fit_intercept": Flag(),
        "max_iter": Integer(low=1),
        "tol": Real(low=0),
        "loss_scale": Choice("mean", "sum"),
    }

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

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn weights and bias.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The attributes, neighbours side by side.
        y : array of shape (n_samples,)
            The target.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        X = self._numbers(X, reset=True)
        weight = self._weights(sample_weight, X)
        y = single_target(y, X)
        mass = float(len(y) if weight is None else weight.sum())
        if not mass > 0:
            raise ValueError(NO_MASS)
        scale = 2.0 if self.loss_scale == "sum" else 1 / mass
        risk = Risk(Squared(), X, y, weight, scale, self.fit_intercept)
        answer = ProximalGradient(self.tol, self.max_iter).solve(risk, Fused(self.alpha1, self.alpha2))
        if not np.isfinite(answer.objective):
            raise ValueError("the objective overflows: X or y has values too large; scale them first.")
        if not answer.converged:
            warn_unconverged(self)
        self._set_linear(answer.w[:, None], risk.centre, np.array([answer.b]), X.dtype, True)
        self.objective_, self.n_iter_ = answer.objective, answer.n_iter
        return self
