"""The elastic net."""

from typing import Any, Self

from sklearn.base import MultiOutputMixin

from lanatus.base import as_targets, fitting
from lanatus.catalog import method
from lanatus.linear._linear_regressor import LinearRegressor
from lanatus.linear._rules import RULES
from lanatus.linear.regularized._fit import (
    column_seed,
    fit_penalized,
    flat_if_single,
    open_risk,
    sparse_weights,
    warn_unpenalized,
)
from lanatus.linear.regularized._path import enet_path
from lanatus.optimize.penalties import L1L2
from lanatus.optimize.solvers import CoordinateDescent
from lanatus.params import rules_for


@method(
    "linear.elastic-net",
    section="11.7",
    task="regression",
    en="Elastic net",
    zh="弹性网",
    peers=["scikit-learn:ElasticNet", "celer:ElasticNet", "skglm:ElasticNet", "adelie:grpnet"],
)
class ElasticNet(MultiOutputMixin, LinearRegressor):
    r"""Elastic net: least squares with an L1 and an L2 penalty.

    Minimises :math:`\frac{1}{2\sum_i v_i}\sum_i v_i(y_i - w^T x_i - b)^2 + \alpha\rho\lVert w\rVert_1 +
    \frac{\alpha(1-\rho)}{2}\lVert w\rVert_2^2`. The L1 part makes weights exactly zero; with the L2 part the solution
    is unique and columns that are alike share their weight.

    Book: section 11.7. Kernels: ``cpp/linear/coordinate_descent.hpp``, ``cpp/linear/lasso_path.hpp``.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty; 0 is least squares, with a warning.
    l1_ratio : float, default=0.5
        Share :math:`\rho` of the L1 part: 1 is the lasso, 0 is ridge regression.
    fit_intercept : bool, default=True
        Whether there is a bias b.
    precompute : bool or array of shape (n_features, n_features), default=False
        True: work on the products of the columns; an array: these products, of centred and weighted columns; False:
        as the solver sees fit, which is with products where X is tall.
    max_iter : int, default=1000
        Most rounds over the columns, for wide X over those of one working set.
    copy_X : bool, default=True
        Taken for scikit-learn's sake; X is never changed.
    tol : float, default=1e-4
        Stop at this duality gap, over the sum of squares of the (centred) target.
    warm_start : bool, default=False
        Whether to begin at the weights of the last fit.
    positive : bool, default=False
        Whether all weights must be 0 or more.
    random_state : int, RandomState or None, default=None
        Draws the order of the columns for ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the columns in a round.
    loss_scale : {"mean", "sum"}, default="mean"
        "sum" has the sum of squares in place of half their mean, as in the book's formulas.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features), weights
    intercept_ : float or ndarray of shape (n_targets,), bias
    sparse_coef_ : sparse matrix of shape (n_targets, n_features), the weights again
    dual_gap_ : float or ndarray, how far the objective can be from its least value
    n_iter_ : int or list of int, rounds used
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Cost: tall X, :math:`O(nd^2)` once for the products, then :math:`O(ds)` a round with s weights in use; wide X,
    :math:`O(nd)` for each look at all columns, few of which are needed, and :math:`O(ns^2)` for the working set. Memory
    beside X :math:`O(d^2)`, or :math:`O(ns)` for wide X. Constant columns have weight 0. Sparse X stays sparse.

    Examples
    --------
    >>> from lanatus.linear import ElasticNet
    >>> X, y = [[1, 1], [2, 2], [3, 3], [4, 4]], [1, 2, 3, 4]  # two columns alike share the weight
    >>> ElasticNet(0.1, tol=1e-12).fit(X, y).coef_.round(4).tolist()
    [0.4706, 0.4706]

    References
    ----------
    Zou and Hastie (2005), Regularization and variable selection via the elastic net. Friedman, Hastie and Tibshirani
    (2010), Regularization paths for generalized linear models via coordinate descent.
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        precompute: Any = False,
        max_iter: int = 1000,
        copy_X: bool = True,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
        loss_scale: str = "mean",
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.loss_scale = loss_scale

    _params = rules_for(__init__, RULES)
    sparse_coef_ = property(sparse_weights)
    path = staticmethod(enet_path)

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        warn_unpenalized(self)
        risk = open_risk(self, X, y, sample_weight, targets=as_targets)
        penalty = L1L2(self.alpha, self.l1_ratio, positive=self.positive)
        solver = CoordinateDescent(self.tol, self.max_iter, precompute=self.precompute, seed=column_seed(self))
        return flat_if_single(fit_penalized(self, risk, penalty, solver))
