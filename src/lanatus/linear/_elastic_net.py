"""The elastic net, and what it shares with the lasso."""

import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils import check_random_state

from lanatus.base import as_targets, fitting
from lanatus.catalog import method
from lanatus.linear._coordinate_descent import SquaredProblem, squared_problems, warn_gap
from lanatus.linear._linear_model import LinearModel
from lanatus.params import Array, Choice, Flag, Integer, RandomState, Real


class PenalizedSquares(RegressorMixin, MultiOutputMixin, LinearModel):
    """Least squares with an L1 and an L2 penalty at one strength; subclasses name their parameters."""

    alpha: float
    fit_intercept: bool
    precompute: Any
    max_iter: int
    tol: float
    warm_start: bool
    positive: bool
    random_state: Any
    selection: str
    loss_scale: str

    def _l1_share(self) -> float:
        raise NotImplementedError

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn weights and bias.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            What to predict; several targets are learned one by one.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        before = getattr(self, "coef_", None) if self.warm_start else None
        X = self._numbers(X, reset=True)
        weight = self._weights(sample_weight, X)
        y = as_targets(y, X)
        if self.alpha == 0:
            warnings.warn(
                f"{type(self).__name__} with alpha=0 is least squares, for which coordinate descent is slow; "
                "LinearRegression solves it directly.",
                UserWarning,
                stacklevel=2,
            )
        problems, y_mean = squared_problems(
            X,
            y.reshape(len(y), -1),
            weight,
            fit_intercept=self.fit_intercept,
            precompute=False if isinstance(self.precompute, str) else self.precompute,
        )
        starts = _starts(before, X.shape[1], len(problems))
        seed = int(check_random_state(self.random_state).randint(1, 2**31)) if self.selection == "random" else 0
        coef = np.zeros((X.shape[1], len(problems)))
        gaps, rounds = [], []
        for t, (problem, start) in enumerate(zip(problems, starts, strict=True)):
            coef[:, t], gap, n_iter = self._solve(problem, start, seed)
            gaps.append(gap)
            rounds.append(n_iter)
        used = np.flatnonzero(coef.any(axis=1))
        x_mean = np.zeros(X.shape[1])
        x_mean[used] = problems[0].means(used)
        self._set_linear(coef, x_mean, y_mean, X.dtype, y.ndim == 1)
        self.dual_gap_ = gaps[0] if y.ndim == 1 else np.array(gaps)
        self.n_iter_ = rounds[0] if y.ndim == 1 else rounds
        return self

    def _solve(self, problem: SquaredProblem, start: Any, seed: int) -> tuple[np.ndarray, float, int]:
        unit = 0.5 if self.loss_scale == "sum" else problem.mass  # of the penalty, beside half the sum of squares
        share = self._l1_share()
        found = problem.solve(
            [self.alpha * share * unit],
            [self.alpha * (1 - share) * unit],
            start=start,
            tol=self.tol,
            max_iter=self.max_iter,
            positive=self.positive,
            seed=seed,
        )
        if not found.converged[0]:
            warn_gap(type(self).__name__, float(found.gap[0]), self.tol * problem.null, self.max_iter)
        return found.coef[0], float(found.gap[0]) / unit, int(found.n_iter[0])

    @property
    def sparse_coef_(self) -> Any:
        """The weights as a sparse matrix of one row a target."""
        return sp.csr_matrix(np.atleast_2d(self.coef_))


def _starts(before: np.ndarray | None, d: int, t: int) -> list[Any]:
    """Weights of an earlier fit, one vector a target, where they fit this one."""
    if before is None or np.atleast_2d(before).shape != (t, d):
        return [None] * t
    return [np.array(row, dtype=np.float64) for row in np.atleast_2d(before)]


@method(
    "linear.elastic-net",
    section="11.7",
    task="regression",
    en="Elastic net",
    zh="弹性网",
    peers=["scikit-learn:ElasticNet", "celer:ElasticNet", "skglm:ElasticNet", "adelie:grpnet"],
)
class ElasticNet(PenalizedSquares):
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

    _params = {
        "alpha": Real(low=0, below=np.inf),
        "l1_ratio": Real(0, 1),
        "fit_intercept": Flag(),
        "precompute": Flag() | Array(ndim=2),
        "max_iter": Integer(low=1),
        "copy_X": Flag(),
        "tol": Real(low=0),
        "warm_start": Flag(),
        "positive": Flag(),
        "random_state": RandomState(),
        "selection": Choice("cyclic", "random"),
        "loss_scale": Choice("mean", "sum"),
    }

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

    def _l1_share(self) -> float:
        return self.l1_ratio
