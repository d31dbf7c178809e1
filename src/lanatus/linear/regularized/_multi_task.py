"""The lasso and the elastic net for several targets that use the same columns."""

from functools import partial
from typing import Any, Self

from sklearn.base import MultiOutputMixin, RegressorMixin

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.linear._linear_model import LinearModel
from lanatus.linear._rules import RULES
from lanatus.linear._targets import several_targets
from lanatus.linear.regularized._fit import column_seed, fit_penalized, open_risk, sparse_weights
from lanatus.linear.regularized._path import enet_path
from lanatus.optimize.penalties import L21
from lanatus.optimize.solvers import BlockCoordinateDescent
from lanatus.params import rules_for


class MultiTask(MultiOutputMixin, RegressorMixin, LinearModel):
    """Base of the models that learn several targets together, and never one alone."""

    predict = LinearModel.predict

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        return tags


@method(
    section="11.7",
    task="regression",
    en="Multi-task elastic net",
    zh="多任务弹性网",
    peers=["scikit-learn:MultiTaskElasticNet"],
)
class MultiTaskElasticNet(MultiTask):
    r"""Elastic net for several targets at once: a column is used for all of them or for none.

    Minimises :math:`\frac{1}{2n}\lVert Y - XW\rVert_F^2 + \alpha\rho\sum_j\lVert W_j\rVert_2 +
    \frac{\alpha(1-\rho)}{2}\lVert W\rVert_F^2`, :math:`W_j` being the weights of column j for all targets.

    Book: section 11.7. Kernel: ``cpp/linear/block_descent.hpp``.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    l1_ratio : float, default=0.5
        Share :math:`\rho` of the norm of the rows.
    fit_intercept : bool, default=True
        Whether there are biases.
    copy_X : bool, default=True
        Taken for scikit-learn's sake; X is never changed.
    max_iter : int, default=1000
        Most rounds over the columns.
    tol : float, default=1e-4
        Stop at this duality gap, over the sum of squares of the (centred) targets.
    warm_start : bool, default=False
        Whether to begin at the weights of the last fit.
    random_state : int, RandomState or None, default=None
        Draws the order of the columns for ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the columns in a round.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features), weights
    intercept_ : ndarray of shape (n_targets,), biases
    sparse_coef_ : sparse matrix of shape (n_targets, n_features), the weights again
    dual_gap_ : float, how far the objective can be from its least value
    n_iter_ : int, rounds used
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Cost: :math:`O(ndt)` for a look at all columns, :math:`O(ns^2)` for a working set of s columns, :math:`O(s^2t)` a
    round. Memory: a centred copy of X.

    Examples
    --------
    >>> from lanatus.linear import MultiTaskElasticNet
    >>> X, Y = [[0, 0], [1, 1], [2, 2]], [[0, 0], [1, 1], [2, 2]]
    >>> MultiTaskElasticNet(0.1, tol=1e-10).fit(X, Y).coef_.round(4).tolist()
    [[0.4564, 0.4564], [0.4564, 0.4564]]
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.selection = selection

    path = staticmethod(enet_path)
    _params = rules_for(__init__, RULES)
    sparse_coef_ = property(sparse_weights)

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        risk = open_risk(self, X, y, sample_weight, targets=partial(several_targets, self))
        solver = BlockCoordinateDescent(self.tol, self.max_iter, seed=column_seed(self))
        return fit_penalized(self, risk, L21(self.alpha, self.l1_ratio), solver)


@method(
    section="11.7",
    task="regression",
    en="Multi-task LASSO",
    zh="多任务LASSO",
    peers=["scikit-learn:MultiTaskLasso"],
)
class MultiTaskLasso(MultiTask):
    r"""Lasso for several targets at once: a column is used for all of them or for none.

    Minimises :math:`\frac{1}{2n}\lVert Y - XW\rVert_F^2 + \alpha\sum_j\lVert W_j\rVert_2`, :math:`W_j` being the
    weights of column j for all targets.

    Book: section 11.7. Kernel: ``cpp/linear/block_descent.hpp``.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    fit_intercept : bool, default=True
        Whether there are biases.
    copy_X : bool, default=True
        Taken for scikit-learn's sake; X is never changed.
    max_iter : int, default=1000
        Most rounds over the columns.
    tol : float, default=1e-4
        Stop at this duality gap, over the sum of squares of the (centred) targets.
    warm_start : bool, default=False
        Whether to begin at the weights of the last fit.
    random_state : int, RandomState or None, default=None
        Draws the order of the columns for ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the columns in a round.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features), weights
    intercept_ : ndarray of shape (n_targets,), biases
    sparse_coef_ : sparse matrix of shape (n_targets, n_features), the weights again
    dual_gap_ : float, how far the objective can be from its least value
    n_iter_ : int, rounds used
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Cost and memory: as `MultiTaskElasticNet`.

    Examples
    --------
    >>> from lanatus.linear import MultiTaskLasso
    >>> MultiTaskLasso(0.1).fit([[0, 1], [1, 3], [2, 8]], [[0, 0], [1, 1], [2, 3]]).coef_.shape
    (2, 2)
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.selection = selection

    path = staticmethod(enet_path)
    _params = rules_for(__init__, RULES)
    sparse_coef_ = property(sparse_weights)

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        risk = open_risk(self, X, y, sample_weight, targets=partial(several_targets, self))
        solver = BlockCoordinateDescent(self.tol, self.max_iter, seed=column_seed(self))
        return fit_penalized(self, risk, L21(self.alpha), solver)
