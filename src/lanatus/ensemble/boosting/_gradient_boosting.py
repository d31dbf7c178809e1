"""Gradient boosting of histogram trees."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight

from lanatus.base import check_is_fitted, class_codes, fitting
from lanatus.catalog import method
from lanatus.ensemble.boosting._gradient_boosting_base import (
    BOOSTING,
    BOOSTING_PARAMS,
    GradientBoostingBase,
    as_given,
)
from lanatus.ensemble.boosting._losses import BoostingLoss, Custom, is_custom
from lanatus.optimize.losses import Exponential, Logistic, Softmax
from lanatus.params import Choice, Nothing, Satisfies, rules_for

_OWN_LOSS = Satisfies(is_custom, "an object with init, gradient, hessian and link")


@method(
    "ensemble.gradient-boosting",
    section="ex 8.4",
    task="classification",
    en="Gradient boosting",
    zh="梯度提升",
    peers=["LightGBM:LGBMClassifier", "XGBoost:XGBClassifier", "scikit-learn:HistGradientBoostingClassifier"],
    contender=BOOSTING,
)
class GradientBoostingClassifier(ClassifierMixin, GradientBoostingBase):
    r"""A sum of small regression trees on the gradient of a classification loss, one sum of trees for each score.

    Not scikit-learn's class of this name by default, but as its ``HistGradientBoostingClassifier``: columns are cut
    into bins, and trees grow by the best leaf to `max_leaf_nodes`, not to a depth of 3. ``max_depth=3,
    max_leaf_nodes=None, min_samples_leaf=1`` is nearest to the other.

    Two classes have one score, the log odds of the second; more have one a class, with
    :math:`P(k \mid x) = e^{s_k} / \sum_l e^{s_l}`. Each tree lowers
    :math:`\sum_i [g_i f(x_i) + \tfrac12 h_i f(x_i)^2]` with penalties as for `GradientBoostingRegressor`; numbers,
    nominal and ordinal attributes, holes and weights are taken as they are.

    Book: section 8.6, exercise 8.4. Kernels: ``cpp/ensemble/boosting.hpp``, ``cpp/tree/predict.hpp``.
    Cost: as `GradientBoostingRegressor`, times the number of scores.

    Parameters
    ----------
    loss : {"log_loss", "exponential"} or object, default="log_loss"
        What is lowered; "exponential" is AdaBoost's, for two classes. An object of your own, for two classes 0 and 1,
        has ``init(y, weight)``, ``gradient(y, raw)``, ``hessian(y, raw)`` and ``link(raw)``, the probability of class
        1, and perhaps ``value(y, raw)``.
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
        By column: the score must not fall (1) or rise (-1) as the value grows. Two classes only.
    interaction_cst : {"pairwise", "no_interactions"}, list of sets of columns or None, default=None
        Only columns of one set may meet on a path; columns of no set are a set of their own.
    verbose : int, default=0
        1 prints the loss of the first ten rounds, of every tenth and so on; 2 of each.
    warm_start : bool, default=False
        Whether a second ``fit`` goes on with the trees of the first, up to `n_estimators` rounds.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    random_state : int, RandomState or None, default=None
        For drawn rows and columns, and the rows held out.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    trees_ : list of lists of Tree, one list a round, one tree a score; values with the learning rate in them
    baseline_ : ndarray of shape (n_scores,), the scores before the first tree
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
    As `GradientBoostingRegressor`. One class in y: no trees, and every row is of that class.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.ensemble import GradientBoostingClassifier
    >>> X, y = load_watermelon("3.0", return_X_y=True)
    >>> model = GradientBoostingClassifier(min_samples_leaf=2, random_state=0).fit(X, y)
    >>> float(model.score(X, y))
    1.0

    References
    ----------
    Friedman (2001), Greedy function approximation: a gradient boosting machine.
    Ke et al. (2017), LightGBM: a highly efficient gradient boosting decision tree.
    """

    def __init__(
        self,
        *,
        loss: Any = "log_loss",
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
        class_weight: Any = None,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
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
        self.class_weight = class_weight
        self.random_state = random_state

    _params = rules_for(
        __init__,
        BOOSTING_PARAMS,
        loss=Choice("log_loss", "exponential") | _OWN_LOSS,
        class_weight=Choice("balanced") | Satisfies(lambda value: isinstance(value, dict), "a dict") | Nothing(),
    )

    classes_: np.ndarray

    def _loss(self) -> BoostingLoss:
        if self.loss == "log_loss":
            return BoostingLoss(Logistic() if len(self.classes_) <= 2 else Softmax(len(self.classes_)))
        if len(self.classes_) > 2:
            raise ValueError(f"loss={self.loss!r} is for two classes; got {len(self.classes_)}. Use loss='log_loss'.")
        return BoostingLoss(Exponential()) if isinstance(self.loss, str) else Custom(self.loss)

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None, monitor: Any = None) -> Self:
        """Learn from rows X with labels y.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The labels.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        monitor : callable, optional
            Called after each round as ``monitor(round, self, variables)``; where it returns True the fit ends.

        Returns
        -------
        self
        """
        going_on = self.warm_start and hasattr(self, "trees_")
        matrix = self._take(X, reset=not going_on)
        self.classes_, codes = class_codes(y, matrix, self.classes_ if going_on else None)
        weight = self._weights(sample_weight, matrix)
        if self.class_weight is not None:
            factor = compute_sample_weight(self.class_weight, self.classes_[codes])
            weight = factor if weight is None else weight * factor
        if self.monotonic_cst is not None and len(self.classes_) > 2:
            raise ValueError("monotonic_cst is for two classes: several scores have no common order.")
        if len(self.classes_) == 1:
            return self._only_one()
        target = codes if len(self.classes_) > 2 else codes.astype(np.float64)
        given = as_given(X, matrix)
        self._boost(matrix, target, weight, given=given, labels=self.classes_[codes], monitor=monitor)
        return self

    def _only_one(self) -> Self:
        self.trees_, self.baseline_, self.n_iter_ = [], np.zeros(1), 0
        self.train_score_, self.validation_score_, self.max_features_ = np.zeros(0), np.zeros(0), self.n_features_in_
        return self

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        check_is_fitted(self)
        return len(self.classes_)

    def _init_scores(self, given: Any) -> np.ndarray:
        p = np.clip(self.init_.predict_proba(given), 1e-7, 1 - 1e-7)
        if len(self.classes_) > 2:
            return np.log(p) - np.log(p).mean(axis=1, keepdims=True)
        odds = np.log(p[:, 1:]) - np.log1p(-p[:, 1:])
        return odds / 2 if self.loss == "exponential" else odds

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of each row: for two classes the one of the second, else one a class."""
        raw = self._raw(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        return self._chances(self._raw(X))

    def _chances(self, raw: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 1:
            return np.ones((len(raw), 1))
        if raw.shape[1] > 1:
            return self._loss().link(raw)
        second = self._loss().link(raw[:, 0])
        return np.column_stack([1 - second, second])

    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return self.classes_[self._chances(self._raw(X)).argmax(axis=1)]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the probability of each class, for each row of X."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """`decision_function` after each round."""
        return (raw[:, 0] if raw.shape[1] == 1 else raw for raw in self._staged(X))

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Probabilities of the classes after each round."""
        return (self._chances(raw) for raw in self._staged(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Most probable classes after each round."""
        return (self.classes_[chances.argmax(axis=1)] for chances in self.staged_predict_proba(X))
