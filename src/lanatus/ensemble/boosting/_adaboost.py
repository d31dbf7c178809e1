"""AdaBoost of any learner."""

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import fitting
from lanatus.callbacks import CallbackSupportMixin
from lanatus.catalog import Contender, method
from lanatus.ensemble._rules import RULES
from lanatus.ensemble.boosting._adaboost_regressor import AdaBoostRegressor
from lanatus.ensemble.boosting._weighted_vote import Booster, WeightedVote, fitter, open_rows, run_rounds
from lanatus.params import Choice, Flag, Integer, rules_for
from lanatus.spaces import Span

__all__ = ["AdaBoostClassifier", "AdaBoostRegressor"]


@method(
    "ensemble.adaboost",
    "ensemble.adaboost-reweight-resample",
    "ensemble.adaboost-restart",
    section="8.2",
    task="classification",
    en="AdaBoost",
    zh="AdaBoost (自适应提升)",
    peers=["scikit-learn:AdaBoostClassifier"],
    contender=Contender(
        simplicity=4,
        starts=({"n_estimators": 100},),
        space={"n_estimators": Span(20, 400, log=True, whole=True), "learning_rate": Span(0.1, 2.0, log=True)},
        most_rows=100_000,
    ),
)
class AdaBoostClassifier(CallbackSupportMixin, WeightedVote):
    r"""AdaBoost: learners one after the other, each on rows weighted by the mistakes of those before; a weighted vote.

    With labels -1 and 1, a learner :math:`h_t` of weighted error :math:`\epsilon_t` gets
    :math:`\alpha_t = \tfrac{1}{2} \ln \frac{1 - \epsilon_t}{\epsilon_t}`, the distribution over the rows becomes
    :math:`D_{t+1}(x) \propto D_t(x) e^{-\alpha_t f(x) h_t(x)}`, and the answer is
    :math:`H(x) = \mathrm{sign} \sum_t \alpha_t h_t(x)`: gradient descent of the exponential loss. More classes: SAMME.

    Book: section 8.2, figure 8.3. Kernel for stumps: ``cpp/ensemble/stump.hpp``.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The weak learner; None is a decision stump.
    n_estimators : int, default=50
        Most rounds, *T*.
    learning_rate : float, default=1.0
        What each :math:`\alpha_t` is multiplied by.
    mode : {"reweight", "resample"}, default="reweight"
        Whether the learner is given the weights, or as many rows drawn with replacement by them.
    restart : bool, default=False
        With ``mode="resample"``: whether a learner no better than chance is drawn anew instead of ending the fit.
    max_restarts : int, default=25
        Most such draws in a round.
    algorithm : {"SAMME", "M1"}, default="SAMME"
        For more than two classes: SAMME adds :math:`\ln(K - 1)` to twice :math:`\alpha_t`, so that a learner need only
        beat a guess among the K classes; AdaBoost.M1 wants an error below one half. The same for two classes.
    random_state : int, RandomState or None, default=None
        Draws the rows, and seeds the learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_classes_ : int
        Their number.
    estimators_ : list of fitted learners
        They answer with labels. The ensemble has a length, and gives them by number.
    estimator_ : classifier
        The learner.
    estimator_weights_ : ndarray of shape (n_rounds,)
        Weights in the vote, :math:`2 \alpha_t`, as in scikit-learn.
    alphas_ : ndarray of shape (n_rounds,)
        The book's :math:`\alpha_t`.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted errors :math:`\epsilon_t`.
    stop_reason_ : str
        Why the rounds ended: "n_estimators", "no error", "no better than chance" or "callback".
    n_restarts_ : int
        Learners drawn anew.
    feature_importances_ : ndarray of shape (n_features,)
        Weighted mean of the learners' own, where they have any.

    Notes
    -----
    A learner without error ends the fit and gets the weight of an error of 1e-10. One no better than chance (one half
    for two classes) is left out and ends the fit; at exactly one half the distribution would never change again. If it
    is the first, it is kept, with weight 1. The distribution starts from the weights of ``fit``, equal unless given,
    and the learner sees weights that add up to them; rows of weight zero are left out. Cost: T fits. Plain stumps on
    columns without nominal or missing values are fitted by a kernel that sorts the columns once: O(d n log n + T d n)
    for two classes, in O(d n) memory, and a prediction is a search in each column, whatever T.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.ensemble import AdaBoostClassifier
    >>> from lanatus.tree import DecisionStump
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> model = AdaBoostClassifier(DecisionStump(criterion="train_error"), 11).fit(X, y)
    >>> model.alphas_[:3].round(6).tolist()
    [0.770223, 0.763028, 0.662026]
    >>> model.score(X, y)
    1.0

    References
    ----------
    Freund and Schapire (1997), A decision-theoretic generalization of on-line learning and an application to boosting.
    Zhu, Zou, Rosset and Hastie (2009), Multi-class AdaBoost. Kohavi and Wolpert (1996), Bias plus variance
    decomposition for zero-one loss functions.
    """

    estimator_errors_: np.ndarray
    alphas_: np.ndarray
    stop_reason_: str
    n_restarts_: int

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        *,
        mode: str = "reweight",
        restart: bool = False,
        max_restarts: int = 25,
        algorithm: str = "SAMME",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.mode = mode
        self.restart = restart
        self.max_restarts = max_restarts
        self.algorithm = algorithm
        self.random_state = random_state

    _params = rules_for(
        __init__,
        RULES,
        restart=Flag(),
        max_restarts=Integer(low=0),
        algorithm=Choice("SAMME", "M1"),
    )

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        if self.restart and self.mode == "reweight":
            raise ValueError("restart=True wants mode='resample': the same weights would give the same learner again.")
        rows, codes, weight = open_rows(self, X, y, sample_weight)
        rng = check_random_state(self.random_state)
        booster = Booster(
            fitter(self, rows, codes, float(weight.sum()), rng, self.mode),
            codes,
            weight,
            len(self.classes_),
            algorithm=self.algorithm,
            learning_rate=self.learning_rate,
            max_restarts=self.max_restarts if self.restart else 0,
        )
        run_rounds(self, booster, rows, sample_weight)
        self.n_restarts_ = booster.n_discarded if self.restart else 0
        return self

    def _attributes(self, booster: Booster) -> dict[str, Any]:
        weights = np.array(booster.weights)
        return {
            "estimators_": list(booster.models),
            "estimator_weights_": weights,
            "alphas_": weights / 2,
            "estimator_errors_": np.array(booster.errors),
            "classes_": self.classes_,
        }
