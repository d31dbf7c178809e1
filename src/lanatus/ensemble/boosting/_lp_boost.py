"""LPBoost: boosting as a linear program, by column generation."""

import warnings
from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.ensemble._rules import RULES
from lanatus.ensemble.boosting._weighted_vote import WeightedVote, fitter, open_rows
from lanatus.params import Nothing, Real, rules_for
from lanatus.tree import DecisionStump


@method("ensemble.lpboost", section="8.6", task="classification", en="LPBoost", zh="LPBoost (线性规划提升)")
class LPBoostClassifier(WeightedVote):
    r"""LPBoost: the weighted vote of the largest soft margin, found by a linear program that learners are added to.

    Maximises :math:`\rho - D \sum_i \xi_i` under :math:`\sum_j a_j y_i h_j(x_i) + \xi_i \ge \rho`,
    :math:`\sum_j a_j = 1`, :math:`a, \xi \ge 0`. The dual weights :math:`u_i \le D` of the rows go to the learner; its
    answer is a new column, until none has an edge :math:`\sum_i u_i y_i h(x_i)` above that of the columns there are.

    Book: section 8.6.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The weak learner; None is a decision stump.
    n_estimators : int, default=100
        Most learners.
    nu : float, default=0.1
        The share of the rows that may fall short of the margin: D is 1 / (nu times the number of rows).
    D : float or None, default=None
        Price of falling short of the margin, at least 1 over the number of rows; None goes by `nu`.
    tol : float, default=1e-6
        How much better than the others a new learner's edge must be.
    random_state : int, RandomState or None, default=None
        Seeds the learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of fitted learners
        Those with a weight above zero. They answer with labels.
    estimator_weights_ : ndarray of shape (n_learners,)
        Weights :math:`a_j`, adding up to 1.
    rho_ : float
        The soft margin, the value of the program.
    row_weights_ : ndarray of shape (n_samples,)
        Dual weights u: above zero on the rows at or short of the margin.
    n_iter_ : int
        Learners fitted.

    Notes
    -----
    For more than two classes each row has a margin over every class c that it is not of,
    :math:`\sum_j a_j (\mathbb{I}(h_j(x_i) = y_i) - \mathbb{I}(h_j(x_i) = c))`, one slack for all of them, and as its
    weight the sum of their duals. A row of weight w counts as w rows. For two classes the optimum is that over all
    learners that there could be, if the learner finds the best one for given weights, as stumps of
    ``criterion="train_error"`` do; it need not be the only one. Cost: n_estimators fits and programs of n (K - 1)
    variables.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.ensemble import LPBoostClassifier
    >>> X = [[float(v)] for v in range(20)]
    >>> model = LPBoostClassifier(GaussianNB()).fit(X, ["no"] * 10 + ["yes"] * 10)
    >>> model.predict([[2.0], [18.5]]).tolist(), model.rho_
    (['no', 'yes'], 1.0)

    References
    ----------
    Demiriz, Bennett and Shawe-Taylor (2002), Linear programming boosting via column generation.
    """

    _default_learner = partial(DecisionStump, criterion="train_error")

    rho_: float
    row_weights_: np.ndarray
    n_iter_: int

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        nu: float = 0.1,
        D: float | None = None,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.nu = nu
        self.D = D
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(__init__, RULES, nu=Real(above=0, high=1), D=Nothing() | Real(above=0))

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        rows, codes, weight = open_rows(self, X, y, sample_weight)
        total = float(weight.sum())
        price = 1 / (self.nu * total) if self.D is None else self.D
        if price * total < 1 - 1e-12:
            raise ValueError(f"D={self.D} must be at least 1 over the weight of the rows, {1 / total:g}.")
        learn = fitter(self, rows, codes, total, check_random_state(self.random_state))
        k = len(self.classes_)
        rivals = (codes[:, None] + np.arange(1, max(k, 2))) % max(k, 2)  # of each row, the classes that it is not of
        u, rho = np.repeat(weight[:, None] / total, rivals.shape[1], axis=1) / rivals.shape[1], -np.inf
        models: list[Any] = []
        margins: list[np.ndarray] = []
        a = np.ones(1)
        for _ in range(self.n_estimators):
            model, predicted = learn(u.sum(axis=1))
            margin = np.where(predicted == codes, 1.0, 0.0)[:, None] - (predicted[:, None] == rivals)
            if models and (u * margin).sum() <= rho + self.tol:
                break
            models.append(model)
            margins.append(margin)
            u, a, rho = _solve(np.array(margins), price * weight)
        else:
            warnings.warn(
                f"LPBoostClassifier has taken all {self.n_estimators} learners and there may be better votes; "
                "raise n_estimators or nu.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.n_iter_ = len(models)
        kept = np.flatnonzero(a > 1e-12)
        self.estimators_ = [models[j] for j in kept]
        self.estimator_weights_ = a[kept] / a[kept].sum()
        self.rho_ = float(rho)
        u = u.sum(axis=1)
        self.row_weights_ = u
        if sample_weight is not None:
            self.row_weights_ = np.zeros(len(np.asarray(sample_weight)))
            self.row_weights_[np.flatnonzero(np.asarray(sample_weight))] = u
        return self


def _solve(margins: np.ndarray, most: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Dual weights u, learner weights, and the least beta with ``sum(margins[j] * u) <= beta`` for all learners j.

    Margins are by learner, row and rival class; u adds up to 1, and to at most `most` in each row.
    """
    n_learners, n, rivals = margins.shape
    edges = np.column_stack([margins.reshape(n_learners, -1), -np.ones(n_learners)])
    rows = sp.hstack([sp.kron(sp.eye_array(n), np.ones((1, rivals))), sp.csr_array((n, 1))])
    solution = linprog(
        np.append(np.zeros(n * rivals), 1.0),
        A_ub=sp.vstack([edges, rows], format="csr"),
        b_ub=np.append(np.zeros(n_learners), np.minimum(most, 1.0)),
        A_eq=np.append(np.ones(n * rivals), 0.0)[None],
        b_eq=[1.0],
        bounds=[*[(0.0, None)] * (n * rivals), (None, None)],
        method="highs",
    )
    if not solution.success:
        raise RuntimeError(f"The linear program of LPBoost has no solution: {solution.message}")
    u = np.maximum(solution.x[:-1], 0).reshape(n, rivals)
    a = np.maximum(-solution.ineqlin.marginals[:n_learners], 0)
    return u / u.sum(), a / a.sum(), float(solution.fun)
