"""The lasso and the elastic net with penalties chosen by cross-validation."""

from functools import partial
from typing import Any, Self

from lanatus.base import fitting
from lanatus.catalog import savable
from lanatus.linear._linear_regressor import LinearRegressor
from lanatus.linear._rules import RULES
from lanatus.linear.regularized._fit import column_seed
from lanatus.linear.regularized._path import enet_path, lasso_path
from lanatus.linear.regularized._path_cv import SHARES, fit_path_cv
from lanatus.optimize.penalties import L1L2
from lanatus.optimize.solvers import CoordinateDescent
from lanatus.params import Choice, Flag, rules_for


@savable
class LassoCV(LinearRegressor):
    r"""Lasso whose penalty is chosen by cross-validation.

    Fits the whole path on each fold, takes the alpha of the least mean squared error on the rows left out, and fits all
    rows with it.

    Book: sections 2.2 and 11.4. Kernels: those of `Lasso`.

    Parameters
    ----------
    eps : float, default=1e-3
        Last penalty tried over the first.
    alphas : int or array, default=100
        The penalties to try, or how many: then the first makes all weights zero.
    fit_intercept : bool, default=True
        Whether there is a bias b.
    precompute : bool or "auto", default="auto"
        Whether to work on the products of the columns; "auto" and False leave the choice to the solver.
    max_iter : int, default=1000
        Most rounds for one penalty.
    tol : float, default=1e-4
        Stop at this duality gap, over the sum of squares of the (centred) target.
    copy_X : bool, default=True
        Taken for scikit-learn's sake; X is never changed.
    cv : int, splitter, iterable or None, default=None
        The folds, as in scikit-learn; None is five.
    verbose : bool or int, default=False
        Above 0 it prints a line for each fold.
    n_jobs : int or None, default=None
        Taken for scikit-learn's sake; threads follow ``OMP_NUM_THREADS`` and threadpoolctl.
    positive : bool, default=False
        Whether all weights must be 0 or more.
    random_state : int, RandomState or None, default=None
        Draws the order of the columns for ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the columns in a round.

    Attributes
    ----------
    alpha_ : float, the penalty chosen
    l1_ratio_ : float, the share of L1 chosen
    alphas_ : ndarray, the penalties tried, falling
    mse_path_ : ndarray of shape (n_alphas, n_folds), mean squared errors
    coef_ : ndarray of shape (n_features,), weights
    intercept_ : float, bias
    dual_gap_ : float, how far the objective can be from its least value
    n_iter_ : int, rounds of the last fit
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Cost: one path for each fold, then one on all rows. The penalties are those of the whole data.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.linear import LassoCV
    >>> X = np.arange(40.0).reshape(20, 2) % 7
    >>> model = LassoCV(alphas=[0.01, 0.1, 1.0], tol=1e-10).fit(X, 2 * X[:, 0] + 1)
    >>> model.alpha_
    0.01
    """

    def __init__(
        self,
        *,
        eps: float = 1e-3,
        alphas: Any = 100,
        fit_intercept: bool = True,
        precompute: Any = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        copy_X: bool = True,
        cv: Any = None,
        verbose: Any = False,
        n_jobs: Any = None,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    path = staticmethod(lasso_path)
    _params = rules_for(__init__, RULES, precompute=Flag() | Choice("auto"))

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        penalty = partial(L1L2, 1.0, positive=self.positive)
        precompute = self.precompute is True
        solver = CoordinateDescent(self.tol, self.max_iter, precompute=precompute, seed=column_seed(self))
        return fit_path_cv(self, X, y, sample_weight, penalty, 1.0, solver)


@savable
class ElasticNetCV(LinearRegressor):
    r"""Elastic net whose penalty is chosen by cross-validation.

    Fits the whole path on each fold for each share of the L1 part, takes the pair of the least mean squared error on
    the rows left out, and fits all rows with it.

    Book: sections 2.2 and 11.7. Kernels: those of `ElasticNet`.

    Parameters
    ----------
    l1_ratio : float or list of float, default=0.5
        Share of the L1 part, or shares to choose from.
    eps : float, default=1e-3
        Last penalty tried over the first.
    alphas : int or array, default=100
        The penalties to try, or how many: then the first makes all weights zero.
    fit_intercept : bool, default=True
        Whether there is a bias b.
    precompute : bool or "auto", default="auto"
        Whether to work on the products of the columns; "auto" and False leave the choice to the solver.
    max_iter : int, default=1000
        Most rounds for one penalty.
    tol : float, default=1e-4
        Stop at this duality gap, over the sum of squares of the (centred) target.
    cv : int, splitter, iterable or None, default=None
        The folds, as in scikit-learn; None is five.
    copy_X : bool, default=True
        Taken for scikit-learn's sake; X is never changed.
    verbose : bool or int, default=0
        Above 0 it prints a line for each fold.
    n_jobs : int or None, default=None
        Taken for scikit-learn's sake; threads follow ``OMP_NUM_THREADS`` and threadpoolctl.
    positive : bool, default=False
        Whether all weights must be 0 or more.
    random_state : int, RandomState or None, default=None
        Draws the order of the columns for ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the columns in a round.

    Attributes
    ----------
    alpha_ : float, the penalty chosen
    l1_ratio_ : float, the share of L1 chosen
    alphas_ : ndarray, the penalties tried, falling; a row for each share, unless they were given
    mse_path_ : ndarray of shape (n_l1_ratio, n_alphas, n_folds), without the first for one share, mean squared errors
    coef_ : ndarray of shape (n_features,), weights
    intercept_ : float, bias
    dual_gap_ : float, how far the objective can be from its least value
    n_iter_ : int, rounds of the last fit
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Cost: one path for each fold and share, then one on all rows. The penalties are those of the whole data.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.linear import ElasticNetCV
    >>> X = np.arange(40.0).reshape(20, 2) % 7
    >>> model = ElasticNetCV(l1_ratio=[0.5, 0.9], alphas=[0.01, 0.1]).fit(X, 2 * X[:, 0] + 1)
    >>> model.alpha_, model.l1_ratio_, model.mse_path_.shape
    (0.01, 0.9, (2, 2, 5))
    """

    def __init__(
        self,
        *,
        l1_ratio: Any = 0.5,
        eps: float = 1e-3,
        alphas: Any = 100,
        fit_intercept: bool = True,
        precompute: Any = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        cv: Any = None,
        copy_X: bool = True,
        verbose: Any = 0,
        n_jobs: Any = None,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    path = staticmethod(enet_path)
    _params = rules_for(__init__, RULES, l1_ratio=SHARES, precompute=Flag() | Choice("auto"))

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        penalty = partial(L1L2, 1.0, positive=self.positive)
        precompute = self.precompute is True
        solver = CoordinateDescent(self.tol, self.max_iter, precompute=precompute, seed=column_seed(self))
        return fit_path_cv(self, X, y, sample_weight, penalty, self.l1_ratio, solver)
