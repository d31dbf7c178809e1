"""Gradient boosting of histogram trees, for regression."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import column_or_1d

from lanatus.base import as_targets, fitting
from lanatus.catalog import method
from lanatus.ensemble.boosting._gradient_boosting_base import (
    BOOSTING,
    BOOSTING_PARAMS,
    GradientBoostingBase,
    as_given,
)
from lanatus.ensemble.boosting._losses import AdaptiveHuber, BoostingLoss, Counts, Custom, is_custom
from lanatus.optimize.losses import Absolute, Gamma, Quantile, Squared
from lanatus.params import Choice, Nothing, Real, Satisfies, rules_for

_OWN_LOSS = Satisfies(is_custom, "an object with init, gradient, hessian and link")


@method(
    section="8.6",
    task="regression",
    en="Gradient boosting regression",
    zh="梯度提升回归",
    peers=["LightGBM:LGBMRegressor", "XGBoost:XGBRegressor", "scikit-learn:HistGradientBoostingRegressor"],
    contender=BOOSTING,
)
class GradientBoostingRegressor(RegressorMixin, GradientBoostingBase):
    r"""A sum of small regression trees, each fitted to the gradient of the loss that those before it leave.

    Not scikit-learn's class of this name by default, but as its ``HistGradientBoostingRegressor``: columns are cut into
    bins, and trees grow by the best leaf to `max_leaf_nodes`, not to a depth of 3. ``max_depth=3, max_leaf_nodes=None,
    min_samples_leaf=1`` is nearest to the other.

    Round t adds the tree :math:`f` that lowers :math:`\sum_i [g_i f(x_i) + \tfrac12 h_i f(x_i)^2] +
    \tfrac\lambda2 \sum_j w_j^2 + \alpha \sum_j |w_j|` most, greedily, with g and h the slope and the curvature of the
    loss at the scores so far and w the values of the leaves. Takes numbers, nominal and ordinal attributes, holes and
    weights as they are.

    Book: section 8.6, exercise 8.4. Kernels: ``cpp/ensemble/boosting.hpp``, ``cpp/tree/predict.hpp``.
    Cost: :math:`O(nd)` for a level of a tree, at half of the rows or less after the first; memory of two bytes a
    number and :math:`O(d)` kB a leaf. Prediction: :math:`O(d \log b)` a row for b bins, then some nanoseconds a tree.

    Parameters
    ----------
    loss : str or object, default="squared_error"
        "squared_error", "absolute_error", "huber", "quantile", "poisson" or "gamma".
        What is lowered; "poisson" and "gamma" predict through a log link. An object of your own has
        ``init(y, weight)``, ``gradient(y, raw)``, ``hessian(y, raw)`` and ``link(raw)``, and perhaps ``value(y, raw)``.
    quantile : float or None, default=None
        Which quantile "quantile" is about; None takes `alpha`.
    alpha : float, default=0.9
        Which quantile "quantile" is about, unless `quantile` says; and which part of the residuals, in every round,
        "huber" squares.
    learning_rate : float, default=0.1
        What each tree's values are multiplied by.
    n_estimators : int, default=100
        Rounds: one tree each, or one for each of several classes.
    max_leaf_nodes : int, "auto" or None, default="auto"
        Most leaves of a tree; "auto" is 4 for up to 350 rows, then the more the more rows, and 31 from 880 rows on or
        where `max_depth` is given.
    max_depth : int or None, default=None
        Most tests on a path.
    min_samples_split : int or float, default=2
        Rows (or part of all rows) that a node needs to be split.
    min_samples_leaf : int, float or "auto", default="auto"
        Rows (or part of all rows) that a leaf must have; "auto" is 20, or a fifth of fewer than 100 rows.
    min_weight_fraction_leaf : float, default=0.0
        Part of all weight that a leaf must have.
    min_impurity_decrease : float, default=0.0
        Least gain of a split as part of all weight: of squared errors, what it takes from their mean.
    min_child_weight : float, default=1e-3
        Least sum of Hessians in a leaf.
    min_gain_to_split : float, default=0.0
        A split must gain more than this.
    l2_regularization : float, default=0.0
        :math:`\lambda`, the penalty on the squares of the leaves' values.
    l1_regularization : float, default=0.0
        :math:`\alpha`, the penalty on their sizes.
    subsample : float, default=1.0
        Part of the rows, drawn anew, that each round learns from.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        How many columns, or which part of them, each tree (not each node) may use, drawn anew; None for all.
    max_bins : int, default=255
        Most bins of a column.
    ccp_alpha : float, default=0.0
        Cost-complexity pruning of each tree: subtrees that gain less than this a leaf are cut.
    init : estimator, "zero" or None, default=None
        What the first scores are: what an estimator, fitted to the rows, predicts; zero; the best constant.
    early_stopping : bool, "auto" or None, default=None
        Whether to stop when the loss no longer falls; "auto" does so from more than 10000 rows on, None where
        `n_iter_no_change` is given.
    validation_fraction : float or None, default=0.1
        Part of the rows held out to stop early by; None watches the training loss.
    n_iter_no_change : int or None, default=None
        Rounds without a better loss before the fit stops; None is 10 if `early_stopping` asks for it.
    tol : float, default=1e-7
        What counts as better.
    monotonic_cst : array of -1, 0, 1 or dict, default=None
        By column: the score must not fall (1) or rise (-1) as the value grows.
    interaction_cst : {"pairwise", "no_interactions"}, list of sets of columns or None, default=None
        Only columns of one set may meet on a path; columns of no set are a set of their own.
    verbose : int, default=0
        1 prints the loss of the first ten rounds, of every tenth and so on; 2 of each.
    warm_start : bool, default=False
        Whether a second ``fit`` goes on with the trees of the first, up to `n_estimators` rounds.
    random_state : int, RandomState or None, default=None
        For drawn rows and columns, and the rows held out.

    Attributes
    ----------
    trees_ : list of lists of Tree, one list a round, one tree each; values with the learning rate in them
    baseline_ : ndarray of shape (1,), the scores before the first tree
    n_iter_, n_estimators_ : int, number of rounds
    train_score_ : ndarray of shape (n_iter_,), mean loss of the training rows after each round
    validation_score_ : ndarray, the same on the rows held out, empty where there were none
    oob_scores_ : ndarray of shape (n_iter_,), for `subsample` below 1: the same on the rows that the round left out
    oob_score_ : float, the last of them
    oob_improvement_ : ndarray of shape (n_iter_,), by how much each is below the one before
    estimators_ : ndarray of shape (n_iter_, n_scores) of decision trees, which predict what each adds
    init_ : fitted `init`, where it is an estimator
    max_features_ : int, columns that a tree may use
    feature_importances_ : ndarray of shape (n_features,), part of each column in all gains
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Gradients are rounded at random to 14 bits before they are added up in bins; leaves take their values from the
    unrounded ones. A weight that is a whole number up to 4 does what as many equal rows would (but `min_samples_leaf`
    counts rows); others are rounded by themselves. The model does not depend on the number of threads. A value missing
    goes to the side where such values gained most, or where most rows went if there were none; so does a category never
    seen. Leaves of "absolute_error", "quantile" and "huber" take the loss's own best value. Rows of weight zero are
    left out. A split of a nominal column of more than four values must gain more than such a column does by chance.
    Where the loss is logistic or exponential in the score, no leaf moves further than :math:`\log(1 + |t|)` for
    Newton's step t, up to which the loss is sure to fall: rare classes do not make a fit run away.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.ensemble import GradientBoostingRegressor
    >>> X = np.arange(200.0).reshape(-1, 1)
    >>> model = GradientBoostingRegressor(random_state=0).fit(X, X.ravel() // 100)
    >>> model.predict([[10.0], [190.0]]).round(2).tolist()
    [0.0, 1.0]

    References
    ----------
    Friedman (2001), Greedy function approximation: a gradient boosting machine.
    Ke et al. (2017), LightGBM: a highly efficient gradient boosting decision tree.
    """

    def __init__(
        self,
        *,
        loss: Any = "squared_error",
        quantile: float | None = None,
        alpha: float = 0.9,
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        max_leaf_nodes: Any = "auto",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: Any = "auto",
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        min_child_weight: float = 1e-3,
        min_gain_to_split: float = 0.0,
        l2_regularization: float = 0.0,
        l1_regularization: float = 0.0,
        subsample: float = 1.0,
        max_features: Any = None,
        max_bins: int = 255,
        ccp_alpha: float = 0.0,
        init: Any = None,
        early_stopping: bool | str | None = None,
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-7,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.alpha = alpha
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_child_weight = min_child_weight
        self.min_gain_to_split = min_gain_to_split
        self.l2_regularization = l2_regularization
        self.l1_regularization = l1_regularization
        self.subsample = subsample
        self.max_features = max_features
        self.max_bins = max_bins
        self.ccp_alpha = ccp_alpha
        self.init = init
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.verbose = verbose
        self.warm_start = warm_start
        self.random_state = random_state

    _params = rules_for(
        __init__,
        BOOSTING_PARAMS,
        loss=Choice("squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma") | _OWN_LOSS,
        quantile=Nothing() | Real(above=0, below=1),
        alpha=Real(above=0, below=1),
    )

    def _loss(self) -> BoostingLoss:
        if not isinstance(self.loss, str):
            return Custom(self.loss)
        return {
            "squared_error": lambda: BoostingLoss(Squared()),
            "absolute_error": lambda: BoostingLoss(Absolute(), refits_leaves=True),
            "quantile": lambda: BoostingLoss(
                Quantile(self.alpha if self.quantile is None else self.quantile), refits_leaves=True
            ),
            "huber": lambda: AdaptiveHuber(self.alpha),
            "poisson": lambda: BoostingLoss(Counts()),
            "gamma": lambda: BoostingLoss(Gamma()),
        }[self.loss]()

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None, monitor: Any = None) -> Self:
        """Learn from rows X with numbers y.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The numbers to predict.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        monitor : callable, optional
            Called after each round as ``monitor(round, self, variables)``; where it returns True the fit ends.

        Returns
        -------
        self
        """
        matrix = self._take(X, reset=not (self.warm_start and hasattr(self, "trees_")))
        targets = column_or_1d(as_targets(y, matrix), warn=True).astype(np.float64)
        weight = self._weights(sample_weight, matrix)
        self._boost(matrix, targets, weight, given=as_given(X, matrix), labels=targets, monitor=monitor)
        return self

    def _init_scores(self, given: Any) -> np.ndarray:
        said = np.asarray(self.init_.predict(given), dtype=np.float64).reshape(-1, 1)
        if self.loss not in ("poisson", "gamma"):
            return said
        return np.log(np.maximum(said, 1e-10))

    def apply(self, X: Any) -> np.ndarray:
        """Leaf of each row in each tree."""
        return super().apply(X)[:, :, 0]

    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X."""
        return self._loss().link(self._raw(X)[:, 0])

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Predictions after each round."""
        return (self._loss().link(raw[:, 0]) for raw in self._staged(X))
