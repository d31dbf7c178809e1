"""LogitBoost."""

from typing import Any

import numpy as np

from lanatus.catalog import Contender, method
from lanatus.ensemble.boosting._gradient_boosting import GradientBoostingClassifier
from lanatus.ensemble.boosting._gradient_boosting_base import BOOSTING_PARAMS
from lanatus.ensemble.boosting._losses import BoostingLoss
from lanatus.params import Integer, Real, rules_for
from lanatus.spaces import Span


@method(
    section="8.6",
    task="classification",
    en="LogitBoost",
    zh="LogitBoost",
    peers=["Weka:LogitBoost"],
    contender=Contender(
        simplicity=3,
        starts=({"learning_rate": 0.5},),
        space={
            "n_estimators": Span(20, 300, log=True, whole=True),
            "learning_rate": Span(0.05, 1.0, log=True),
            "max_depth": Span(1, 3, whole=True),
        },
        most_rows=100_000,
    ),
)
class LogitBoostClassifier(GradientBoostingClassifier):
    r"""Additive logistic regression: every tree is a weighted least-squares fit to the Newton step of the log loss.

    With p the probabilities so far, a round fits :math:`z_i = (y_i - p_i) / (p_i (1 - p_i))` with weights
    :math:`p_i (1 - p_i)` by a small tree, a stump by default, and adds all of it to the score. In terms of gradients
    this is `GradientBoostingClassifier` with full steps.

    Book: section 8.6 (statistical view of boosting). Kernel: ``cpp/ensemble/boosting.hpp``.
    Cost: :math:`O(nd)` a round and class.

    Parameters
    ----------
    n_estimators : int, default=50
        Rounds.
    max_depth : int, default=1
        Most tests on a path; 1 is a stump.
    learning_rate : float, default=1.0
        What each tree's values are multiplied by.
    min_samples_leaf : int, default=1
        Rows that a leaf must have.
    max_step : float, default=4.0
        Steps z are held within this, so that rows of near-certain probability do not decide alone (Friedman et al.
        advise 2 to 4): weights are at least :math:`|y - p|` over it.
    max_bins : int, default=255
        Most bins of a column.
    random_state : int, RandomState or None, default=None
        For the rounding of gradients.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    trees_ : list of lists of Tree, one list a round, one tree a score
    baseline_ : ndarray of shape (n_scores,), the scores before the first tree
    n_iter_ : int, number of rounds
    train_score_ : ndarray of shape (n_iter_,), mean log loss after each round
    validation_score_ : ndarray, empty
    feature_importances_ : ndarray of shape (n_features,), part of each column in all gains
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.ensemble import LogitBoostClassifier
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> float(LogitBoostClassifier(10, random_state=0).fit(X, y).score(X, y))
    1.0

    References
    ----------
    Friedman, Hastie and Tibshirani (2000), Additive logistic regression: a statistical view of boosting.
    """

    # What the parent would take as parameters.
    loss = "log_loss"
    max_leaf_nodes = None
    min_child_weight = 0.0
    min_gain_to_split = 0.0
    l2_regularization = 0.0
    l1_regularization = 0.0
    subsample = 1.0
    max_features = None
    early_stopping = False
    validation_fraction = None
    n_iter_no_change = None
    tol = 0.0
    monotonic_cst = None
    interaction_cst = None
    warm_start = False
    class_weight = None

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        max_depth: int = 1,
        learning_rate: float = 1.0,
        min_samples_leaf: int = 1,
        max_step: float = 4.0,
        max_bins: int = 255,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.min_samples_leaf = min_samples_leaf
        self.max_step = max_step
        self.max_bins = max_bins
        self.random_state = random_state

    _params = rules_for(__init__, BOOSTING_PARAMS, max_depth=Integer(low=1), max_step=Real(above=0))

    def _loss(self) -> Any:
        return Clipped(super()._loss(), self.max_step)


class Clipped(BoostingLoss):
    """A loss whose Newton steps -g / h are held within limits, by a larger h where they would pass them."""

    def __init__(self, inner: BoostingLoss, most: float) -> None:
        super().__init__(inner.loss)
        self.most = most
        self.curbs_steps = False

    def fill(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, g: np.ndarray, h: np.ndarray) -> float:
        total = super().fill(y, raw, weight, g, h)
        np.maximum(h, np.abs(g) / self.most, out=h)
        return total
